#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::DirTree;
use super::write::Writing;
use crate::path::RepoPath;
use crate::plan::{Change, ChangeSet};
use crate::tree::{Entry, File, MemoryTree, Mode, Obstacle, Tree as _};

/// What files there are: their contents, by path.
type Files = BTreeMap<&'static str, String>;

const PATHS: [&str; 8] = ["a", "a/x", "b", "d/a", "d/e", "d/e/f", "d/e/g", "z/y/x/w"];

/// Random files, none of which is below another.
fn files() -> impl Strategy<Value = Files> {
    let some = prop::collection::btree_map(prop::sample::select(&PATHS[..]), "[xy]{0,2}", 0..6);
    some.prop_map(|all| {
        let is_free = |path: &str| {
            !all.keys().any(|above| {
                path.strip_prefix(above)
                    .is_some_and(|rest| rest.starts_with('/'))
            })
        };
        let kept = all.iter().filter(|(path, _)| is_free(path));
        kept.map(|(path, text)| (*path, text.clone())).collect()
    })
}

fn write(top: &Path, files: &Files) {
    for (path, text) in files {
        let file = top.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
}

/// Returns all that is below a directory: the files with their contents, and directories.
fn found(top: &Path) -> BTreeMap<String, Option<String>> {
    let mut all = BTreeMap::new();
    let mut open = vec![top.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(top).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                all.insert(name, None);
                open.push(path);
            } else {
                all.insert(name, Some(fs::read_to_string(&path).unwrap()));
            }
        }
    }
    all
}

fn path(path: &str) -> RepoPath {
    RepoPath::new(path.as_bytes()).unwrap()
}

/// Returns the change of a directory's files into others.
fn change(tree: &DirTree, after: &Files) -> ChangeSet {
    let of = |at: &&'static str| {
        let path = path(at);
        let before = match tree.read(&path).unwrap() {
            Entry::File(file) => Some(file),
            _ => None,
        };
        let mode = before.as_ref().map_or(Mode::PLAIN, |file| file.mode);
        let after = after.get(at).map(|text| File {
            content: text.as_str().into(),
            mode,
        });
        Change {
            path,
            before,
            after,
            from: None,
        }
    };
    let changes = PATHS.iter().map(of);
    ChangeSet::new(changes.filter(|change| change.before.is_some() || change.after.is_some()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    /// On disk there is what the change says, and nothing else; and what it was, where it fails at a
    /// file, or all is put back.
    #[test]
    fn a_change_is_made_whole_or_put_back(before in files(), after in files(), broken in 0usize..8) {
        let [made, wanted] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        write(made.path(), &before);
        write(wanted.path(), &after);
        let was = found(made.path());
        let tree = DirTree::new(made.path());
        let changes = change(&tree, &after);
        {
            let beside = tempfile::tempdir().unwrap();
            let mut writing = Writing::new(&tree, beside.path().to_owned());
            prop_assert!(writing.stage_all(&changes).is_ok());
            let is_broken = fs::remove_file(writing.new_file(broken)).is_ok();
            prop_assert_eq!(writing.make(&changes).is_err(), is_broken);
            prop_assert_eq!(writing.put_back(), []);
        }
        prop_assert_eq!(found(made.path()), was);
        changes.write_in(made.path()).unwrap();
        prop_assert_eq!(found(made.path()), found(wanted.path()));
    }

    /// A disk is read as the same files in memory are.
    #[test]
    fn a_directory_reads_as_memory_does(files in files()) {
        let top = tempfile::tempdir().unwrap();
        write(top.path(), &files);
        let disk = DirTree::new(top.path());
        let memory = files.iter().fold(MemoryTree::new(), |tree, (path, text)| tree.with(path, text.as_str()));
        for at in PATHS.iter().chain(&["d", "z/y", "a/x/y", "none"]).map(|at| path(at)) {
            match (disk.read(&at).unwrap(), memory.read(&at).unwrap()) {
                (Entry::File(disk), Entry::File(memory)) => prop_assert_eq!(disk.content, memory.content),
                (disk, memory) => prop_assert_eq!(disk, memory),
            }
        }
        let sorted = |mut all: Vec<RepoPath>| {
            all.sort();
            all
        };
        prop_assert_eq!(sorted(disk.tracked()), sorted(memory.tracked()));
        let below = path("d");
        prop_assert_eq!(sorted(disk.leaves_below(&below).unwrap()), sorted(memory.leaves_below(&below).unwrap()));
    }
}

#[test]
fn a_file_that_changed_meanwhile_is_left_alone_and_so_are_the_others() {
    let top = tempfile::tempdir().unwrap();
    write(
        top.path(),
        &Files::from([("a", "a".into()), ("b", "b".into())]),
    );
    let tree = DirTree::new(top.path());
    let changes = change(&tree, &Files::from([("a", "A".into()), ("b", "B".into())]));
    fs::write(top.path().join("b"), "mine").unwrap();
    let error = changes.write_in(top.path()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "can't change `b`: it isn't what it was when the change was worked out"
    );
    let left = found(top.path());
    assert_eq!(left["a"].as_deref(), Some("a"));
    assert_eq!(left["b"].as_deref(), Some("mine"));
    assert_eq!(left.len(), 2);
}

#[test]
fn what_is_in_a_repository_of_its_own_is_not_read() {
    let top = tempfile::tempdir().unwrap();
    fs::create_dir_all(top.path().join("d/.git")).unwrap();
    write(top.path(), &Files::from([("d/a", "a".into())]));
    let ancestor = path("d");
    let entry = DirTree::new(top.path()).read(&path("d/a")).unwrap();
    let what = Some(Obstacle::Repository);
    assert_eq!(entry, Entry::Beneath { ancestor, what });
}

#[cfg(unix)]
#[test]
fn a_link_is_neither_read_nor_replaced() {
    use std::os::unix::fs::symlink;
    let [top, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    fs::write(other.path().join("a"), "theirs").unwrap();
    symlink(other.path(), top.path().join("d")).unwrap();
    symlink(other.path().join("a"), top.path().join("a")).unwrap();
    let tree = DirTree::new(top.path());
    let what = Some(Obstacle::Link);
    let ancestor = path("d");
    assert_eq!(tree.read(&path("a")).unwrap(), Entry::Other(Obstacle::Link));
    let beneath = Entry::Beneath { ancestor, what };
    assert_eq!(tree.read(&path("d/a")).unwrap(), beneath);
    for at in ["a", "d/a"] {
        let new = Change {
            path: path(at),
            before: None,
            after: Some(File {
                content: "mine".into(),
                mode: Mode::PLAIN,
            }),
            from: None,
        };
        ChangeSet::new([new]).write_in(top.path()).unwrap_err();
    }
    assert_eq!(fs::read(other.path().join("a")).unwrap(), b"theirs");
}

#[cfg(unix)]
#[test]
fn permission_bits_are_kept() {
    use std::os::unix::fs::PermissionsExt as _;
    let top = tempfile::tempdir().unwrap();
    let file = top.path().join("a");
    fs::write(&file, "a").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o751)).unwrap();
    for text in ["b", "c"] {
        let mut changes = change(
            &DirTree::new(top.path()),
            &Files::from([("a", text.into())]),
        );
        if text == "c" {
            // Worked out from a tree that knows of no bits.
            let mut known = changes.iter().next().unwrap().clone();
            for file in [&mut known.before, &mut known.after].into_iter().flatten() {
                file.mode.bits = None;
            }
            changes = ChangeSet::new([known]);
        }
        changes.write_in(top.path()).unwrap();
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(
            (fs::read_to_string(&file).unwrap(), mode & 0o7777),
            (text.into(), 0o751)
        );
    }
}
