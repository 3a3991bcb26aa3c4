use std::os::unix::fs::{PermissionsExt as _, symlink};

use bstr::BString;

use super::*;

fn path(text: &str) -> RepoPath {
    RepoPath::new(text.as_bytes()).unwrap()
}

/// A directory with one of everything, and both ways to go about it.
fn sample() -> (tempfile::TempDir, [Dir; 2]) {
    let outer = tempfile::tempdir().unwrap();
    let top = outer.path().join("top");
    std::fs::create_dir_all(top.join("a/b")).unwrap();
    std::fs::create_dir_all(top.join("nested/.git")).unwrap();
    std::fs::create_dir_all(outer.path().join("outside")).unwrap();
    std::fs::write(outer.path().join("outside/secret"), "secret").unwrap();
    std::fs::write(top.join("file"), "text\n").unwrap();
    std::fs::write(top.join("a/b/deep"), "deep").unwrap();
    std::fs::write(top.join("a/empty"), "").unwrap();
    std::fs::set_permissions(top.join("a/empty"), std::fs::Permissions::from_mode(0o4751)).unwrap();
    symlink("../outside", top.join("out")).unwrap();
    symlink("a", top.join("in")).unwrap();
    symlink("file", top.join("link")).unwrap();
    symlink("nowhere", top.join("a/dangling")).unwrap();
    symlink("loop", top.join("loop")).unwrap();
    // By the program: macOS has no `mknodat`.
    let made = std::process::Command::new("mkfifo")
        .arg(top.join("pipe"))
        .status();
    assert!(made.unwrap().success());
    std::os::unix::net::UnixListener::bind(top.join("socket")).unwrap();
    let native = Dir::open(&top).unwrap();
    let walking = Dir {
        way: Way::Walk,
        ..Dir::open(&top).unwrap()
    };
    (outer, [native, walking])
}

#[test]
fn what_is_above_a_path_is_seen_as_far_as_directories_go() {
    let (_keep, dirs) = sample();
    for dir in &dirs {
        for (at, with_b, nearest) in [
            ("x", "", ""),
            ("a/b/c/d", "a", "a/b"),
            ("a/empty/x/y", "a", "a"),
            ("in/b/x", "", ""),
            ("nowhere/x/y", "", ""),
        ] {
            let with = DirectoriesWith::new(dir, "b").above(&path(at)).unwrap();
            let with: Vec<_> = with.iter().map(RepoPath::to_string).collect();
            assert_eq!(with.join(" "), with_b, "{at}");
            let found = dir.nearest_directory(&path(at)).unwrap();
            assert_eq!(
                found.map_or(String::new(), |directory| directory.to_string()),
                nearest,
                "{at}"
            );
        }
        assert_eq!(
            *DirectoriesWith::new(dir, "a")
                .above(&path("a/b/c"))
                .unwrap(),
            []
        );
    }
}

#[test]
fn directories_above_are_those_that_are_there() {
    let (_keep, dirs) = sample();
    for dir in &dirs {
        for (at, want) in [
            ("x", ""),
            ("a/b/deep", "a a/b"),
            ("a/b/c/d", "a a/b"),
            ("a/empty/x/y", "a"),
            ("in/b/x", ""),
            ("out/secret", ""),
            ("nowhere/x/y", ""),
        ] {
            let there = dir.directories_above(&path(at)).unwrap();
            let names: Vec<_> = there
                .iter()
                .map(|(directory, _)| directory.to_string())
                .collect();
            assert_eq!(names.join(" "), want, "{at}");
            for (directory, bits) in there {
                assert_eq!(bits, dir.directory_bits(&directory).unwrap(), "{directory}");
            }
        }
    }
}

#[test]
fn directories_are_made_where_none_are_and_never_behind_a_link() {
    for way in 0..2 {
        let (keep, dirs) = sample();
        let dir = &dirs[way];
        let top = keep.path().join("top");
        for (at, want) in [
            ("x", Ok(())),
            ("a/b/x", Ok(())),
            ("a/b/c/d/x", Ok(())),
            ("new/er/x", Ok(())),
            ("file/x", Err("file")),
            ("a/empty/x/y", Err("a/empty")),
            ("in/made/x", Err("in")),
            ("out/made/x", Err("out")),
            ("a/dangling/x", Err("a/dangling")),
            ("pipe/x/y", Err("pipe")),
        ] {
            let made = dir
                .make_directories(&path(at))
                .map_err(|(directory, error)| (directory.to_string(), error));
            assert_eq!(
                made.as_ref()
                    .map(|_| ())
                    .map_err(|(directory, _)| &directory[..]),
                want,
                "{at}"
            );
            let is_no_directory = |error: &io::Error| {
                [Errno::NOTDIR, Errno::LOOP]
                    .iter()
                    .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
            };
            assert!(
                made.err().is_none_or(|(_, error)| is_no_directory(&error)),
                "{at}"
            );
        }
        assert!(top.join("a/b/c/d").is_dir() && top.join("new/er").is_dir());
        assert_eq!(
            std::fs::read_dir(keep.path().join("outside"))
                .unwrap()
                .count(),
            1
        );
        assert!(!top.join("a/made").exists() && !top.join("nowhere").exists());
    }
}

#[test]
fn looking_follows_no_link() {
    let (_keep, dirs) = sample();
    for dir in &dirs {
        for (at, want) in [
            ("file", "File"),
            ("a", "Directory"),
            ("a/b", "Directory"),
            ("a/b/deep", "File"),
            ("link", "Link"),
            ("in", "Link"),
            ("out", "Link"),
            ("loop", "Link"),
            ("a/dangling", "Link"),
            ("pipe", "Special"),
            ("socket", "Special"),
            ("none", "Absent"),
            ("a/none", "Absent"),
            ("none/at/all", "Absent"),
            ("a/none/x", "Absent"),
            ("in/b", "in Link"),
            ("in/b/deep", "in Link"),
            ("out/secret", "out Link"),
            ("out/none/x", "out Link"),
            ("loop/x", "loop Link"),
            ("a/dangling/x/y", "a/dangling Link"),
            ("file/x", "file File"),
            ("a/empty/x/y", "a/empty File"),
            ("pipe/x", "pipe Special"),
        ] {
            let told = match dir.look(&path(at)).unwrap() {
                Found::Beneath { ancestor, what } => format!("{ancestor} {what:?}"),
                Found::File(_) => "File".to_owned(),
                found => format!("{found:?}"),
            };
            assert_eq!(told, want, "{at} by {:?}", dir.way);
        }
    }
}

#[test]
fn only_regular_files_are_read() {
    let (_keep, dirs) = sample();
    for dir in &dirs {
        for (at, want) in [
            ("file", Some("text\n")),
            ("a/b/deep", Some("deep")),
            ("a/empty", Some("")),
            ("a", None),
            ("link", None),
            ("in/b/deep", None),
            ("out/secret", None),
            ("pipe", None),
            ("socket", None),
            ("file/x", None),
            ("none/x", None),
        ] {
            let read = dir.read(&path(at)).unwrap();
            assert_eq!(
                read.map(|(bytes, _)| bytes),
                want.map(|text| text.into()),
                "{at} by {:?}",
                dir.way
            );
        }
    }
}

#[test]
fn what_a_file_holds_is_compared_to_its_last_byte() {
    let (keep, dirs) = sample();
    let large: Vec<u8> = (0..300_000_u32)
        .map(|number| number.to_le_bytes()[0])
        .collect();
    std::fs::write(keep.path().join("top/large"), &large).unwrap();
    let other_at = |at: usize| {
        let mut other = large.clone();
        other[at] ^= 1;
        other
    };
    for dir in &dirs {
        for (at, bytes, want) in [
            ("file", b"text\n".to_vec(), Some(true)),
            ("file", b"test\n".to_vec(), Some(false)),
            ("file", b"text".to_vec(), Some(false)),
            ("file", b"text\n\n".to_vec(), Some(false)),
            ("a/empty", Vec::new(), Some(true)),
            ("a/empty", b"x".to_vec(), Some(false)),
            ("large", large.clone(), Some(true)),
            ("large", large[..131_072].to_vec(), Some(false)),
            ("large", other_at(0), Some(false)),
            ("large", other_at(131_072), Some(false)),
            ("large", other_at(299_999), Some(false)),
            ("link", b"text\n".to_vec(), None),
            ("in/empty", Vec::new(), None),
            ("pipe", Vec::new(), None),
            ("socket", Vec::new(), None),
            ("a", Vec::new(), None),
            ("none", Vec::new(), None),
        ] {
            let held = dir
                .holds(&path(at), bytes.len(), || bytes.chunks(3))
                .unwrap();
            assert_eq!(
                held.map(|(is_held, _)| is_held),
                want,
                "{at}: {} bytes",
                bytes.len()
            );
            assert_eq!(
                held.map(|(_, stat)| stat),
                dir.read(&path(at)).unwrap().map(|(_, stat)| stat),
                "{at}"
            );
        }
    }
}

#[test]
fn a_stat_is_what_the_system_says() {
    let (keep, [dir, _]) = sample();
    std::fs::hard_link(
        keep.path().join("top/a/empty"),
        keep.path().join("top/twin"),
    )
    .unwrap();
    let (_, stat) = dir.read(&path("a/empty")).unwrap().unwrap();
    assert_eq!(dir.look(&path("a/empty")).unwrap(), Found::File(stat));
    assert_eq!(
        (stat.bits, stat.size, stat.links, stat.is_executable()),
        (0o4751, 0, 2, true)
    );
    let (_, twin) = dir.read(&path("twin")).unwrap().unwrap();
    assert_eq!(stat, twin);
}

#[test]
fn a_listing_knows_what_stands_behind_the_names() {
    let (_keep, dirs) = sample();
    for dir in &dirs {
        let mut names = dir.list(Some(&path("a"))).unwrap();
        names.sort();
        let want = [
            ("b", Shape::Directory),
            ("dangling", Shape::Link),
            ("empty", Shape::File),
        ];
        assert_eq!(
            names,
            want.map(|(name, shape)| (BString::from(name), shape))
        );
        assert_eq!(dir.list(None).unwrap().len(), 9);
        for at in ["none", "file", "in", "out", "pipe"] {
            assert!(dir.list(Some(&path(at))).is_err(), "{at}");
        }
    }
}

#[test]
fn a_parent_is_never_behind_a_link() {
    let (_keep, dirs) = sample();
    for dir in &dirs {
        assert_eq!(dir.parent(&path("a/b/new")).unwrap().name, "new");
        assert_eq!(dir.parent(&path("new")).unwrap().name, "new");
        for at in [
            "none/x", "in/x", "out/x", "file/x", "loop/x", "in/b/x", "pipe/x",
        ] {
            assert!(dir.parent(&path(at)).is_err(), "{at} by {:?}", dir.way);
        }
    }
}

#[test]
fn a_directory_with_a_repository_shows() {
    let (keep, dirs) = sample();
    std::fs::create_dir(keep.path().join("top/linked")).unwrap();
    symlink("elsewhere", keep.path().join("top/linked/.git")).unwrap();
    for dir in &dirs {
        for (at, want) in [
            ("nested", true),
            ("linked", true),
            ("a", false),
            ("none", false),
            ("in", false),
            ("file", false),
        ] {
            assert_eq!(dir.has(&path(at), ".git").unwrap(), want, "{at}");
        }
    }
}

#[test]
fn what_was_opened_stays_what_it_is() {
    let (keep, [dir, _]) = sample();
    std::fs::rename(keep.path().join("top"), keep.path().join("moved")).unwrap();
    symlink("outside", keep.path().join("top")).unwrap();
    assert!(dir.read(&path("file")).unwrap().is_some());
    assert!(dir.read(&path("secret")).unwrap().is_none());
}
