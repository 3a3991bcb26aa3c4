//! Line ends and `$Id$` against git itself: seen with git 2.47.

use super::*;
use crate::repo::rules::Consult;
use llmpatch::tree::{AttributeFiles, Planned};

const ATTRIBUTES: [(&str, &str); 17] = [
    ("none", ""),
    ("text", "text"),
    ("nottext", "-text"),
    ("unset", "!text"),
    ("auto", "text=auto"),
    ("autolf", "text=auto eol=lf"),
    ("autocrlf", "text=auto eol=crlf"),
    ("eollf", "eol=lf"),
    ("eolcrlf", "eol=crlf"),
    ("textcrlf", "text eol=crlf"),
    ("nottextcrlf", "-text eol=crlf"),
    ("input", "text=input"),
    ("oldcrlf", "crlf"),
    ("oldinput", "crlf=input"),
    ("binary", "binary"),
    ("ident", "ident"),
    ("identcrlf", "ident eol=crlf"),
];

const CONTENTS: [&[u8]; 16] = [
    b"",
    b"no end",
    b"1\n2\n",
    b"1\r\n2\r\n",
    b"1\r\n2\n",
    b"1\r\n2\r\r\n3",
    b"lone\rcr\n",
    b"lone\rcr\r\n",
    b"nul\0\r\n\n",
    b"\x01\x02\x03\r\n\n",
    b"old end\r\n\n\x1a",
    b"\x08\t\x1b\x0c\r\n",
    b"$Id$ $Id: x $\n$Id: a b c $ $Id:$ $Id $\n",
    // No `$$Id$`: git's own two ways to expand, streaming and not, differ there.
    b"$Id: cut\n$ $Id: 1 $ $Id$\r\n$Id: open",
    b"\xff\xfe\r\n\n",
    b"$Id:\r\n$",
];

const SETTINGS: [&[&str]; 6] = [
    &[],
    &["core.autocrlf=true"],
    &["core.autocrlf=input"],
    &["core.eol=crlf"],
    &["core.autocrlf=input", "core.eol=crlf"],
    &["core.eol=native"],
];

fn sample(settings: &[&str]) -> Sample {
    let sample = Sample::new();
    for setting in settings.iter().chain(&["core.safecrlf=false"]) {
        let (key, value) = setting.split_once('=').unwrap();
        sample.git(&format!("config {key} {value}"));
    }
    let lines: String = ATTRIBUTES
        .iter()
        .map(|(name, attributes)| format!("{name}/* {attributes}\n"))
        .collect();
    sample.file(".gitattributes", lines)
}

fn files() -> impl Iterator<Item = (String, &'static [u8])> {
    let one = |name| {
        CONTENTS
            .iter()
            .enumerate()
            .map(move |(at, content)| (format!("{name}/{at}"), *content))
    };
    ATTRIBUTES.iter().flat_map(move |(name, _)| one(name))
}

/// Asking the index too is slow, and one setting shows that it gives the same.
fn consults(settings: &[&str]) -> Vec<Consult> {
    if settings.is_empty() {
        vec![Consult::Disk, Consult::Index]
    } else {
        vec![Consult::Disk]
    }
}

/// Puts blobs into the index as they are.
fn stage_raw(repo: &Repo, content: impl Fn(&'static [u8]) -> &'static [u8]) {
    let mut index = repo.git.index().unwrap();
    for (file, bytes) in files() {
        let id = repo.git.blob(content(bytes)).unwrap();
        let time = git2::IndexTime::new(0, 0);
        let path = file.into_bytes();
        let entry = git2::IndexEntry {
            ctime: time,
            mtime: time,
            dev: 0,
            ino: 0,
            mode: 0o100644,
            uid: 0,
            gid: 0,
            file_size: 0,
            id,
            flags: 0,
            flags_extended: 0,
            path,
        };
        index.add(&entry).unwrap();
    }
    index.write().unwrap();
}

#[test]
fn what_is_stored_is_what_git_add_stores() {
    for settings in SETTINGS {
        let stored: [Option<&[u8]>; 4] =
            [None, Some(b"text\r\n"), Some(b"lf\n"), Some(b"bin\0\r\n")];
        // What is stored matters to the guess alone; one setting shows it.
        let few = if settings == ["core.autocrlf=true"] {
            4
        } else {
            1
        };
        for stored in &stored[..few] {
            let sample = sample(settings);
            if let Some(stored) = *stored {
                stage_raw(&sample.open(), |_| stored);
            }
            for (file, content) in files() {
                sample.write(&file, content);
            }
            let before = sample.open();
            sample.git("add -A");
            let after = sample.open();
            let staged = IndexTree::new(&after).unwrap();
            for consult in consults(settings) {
                let conversion = Conversion::new(&before, consult).unwrap();
                let indexed = stored.map(|stored| before.git.blob(stored).unwrap());
                for (file, content) in files() {
                    let ours = conversion
                        .to_git(&path(&file), &content.into(), || Ok(indexed))
                        .unwrap()
                        .into_owned();
                    let git = staged.entry(&path(&file)).unwrap().unwrap();
                    let git = after.git.find_blob(git.id()).unwrap();
                    let ours = ours.as_bstr();
                    let git = git.content().as_bstr();
                    assert_eq!(
                        ours,
                        git,
                        "{file}: {:?} over {stored:?} with {settings:?}",
                        content.as_bstr()
                    );
                }
            }
        }
    }
}

#[test]
fn a_new_file_is_what_git_checks_out() {
    for settings in SETTINGS {
        let sample = sample(settings);
        let repo = sample.open();
        stage_raw(&repo, |content| content);
        sample.git("checkout-index -q -f -a");
        for consult in consults(settings) {
            let conversion = Conversion::new(&repo, consult).unwrap();
            for (file, content) in files() {
                let ours = conversion
                    .to_work_tree(&path(&file), content.to_vec())
                    .unwrap();
                let git = std::fs::read(sample.top().join(&file)).unwrap();
                assert_eq!(
                    ours.as_bstr(),
                    git.as_bstr(),
                    "{file}: {:?} with {settings:?}",
                    content.as_bstr()
                );
            }
        }
    }
}

#[test]
fn attributes_are_found_wherever_git_finds_them() {
    let crlf = |sample: &Sample, at: &str| {
        let repo = sample.open();
        let tree = WorkTree::new(&repo).unwrap();
        tree.check_out(&path(at), b"1\n".to_vec()).unwrap() == b"1\r\n"
    };
    let sample = Sample::new().file("a/b/.gitattributes", "*.txt eol=crlf\n");
    assert!(crlf(&sample, "a/b/c/new.txt"));
    assert!(!crlf(&sample, "a/b/c/new.rs") && !crlf(&sample, "a/new.txt"));

    let sample = Sample::new().file(".git/info/attributes", "*.txt eol=crlf\n");
    assert!(crlf(&sample, "none/new.txt"));

    let sample = Sample::new();
    let attributes = sample.outside().join("attributes");
    std::fs::write(&attributes, "*.txt eol=crlf\n").unwrap();
    sample.git_args(&[
        "config",
        "core.attributesFile",
        attributes.to_str().unwrap(),
    ]);
    assert!(crlf(&sample, "new.txt"));

    let sample = Sample::new()
        .file("keep/x", "")
        .file("drop/.gitattributes", "*.txt eol=crlf\n")
        .committed();
    sample.git("sparse-checkout set --no-cone /keep/");
    assert!(!sample.top().join("drop").exists() && crlf(&sample, "drop/new.txt"));
}

#[test]
fn the_index_is_not_read_for_a_new_file() {
    let sample = Sample::new()
        .file(".gitattributes", "*.txt eol=crlf\n")
        .committed();
    sample.write(".git/index", "broken");
    let repo = sample.open();
    let tree = WorkTree::new(&repo).unwrap();
    assert_eq!(
        tree.check_out(&path("a.txt"), b"1\n".to_vec()).unwrap(),
        b"1\r\n"
    );
    assert_eq!(told(&tree, "a.txt"), "Absent");
}

#[test]
fn an_encoding_is_kept_beside_the_text() {
    let rules = "*.u16 working-tree-encoding=UTF-16LE\n*.u8 working-tree-encoding=UTF-8\n*.odd working-tree-encoding\n";
    let sample = Sample::new()
        .file(".gitattributes", rules)
        .file("a.u16", "1\0\n\0")
        .file("a.u8", "1\n");
    let repo = sample.open();
    let tree = WorkTree::new(&repo).unwrap();
    for (file, kept) in [("a.u16", "1\0\n\0"), ("a.u8", "1\n")] {
        let Entry::File(file) = tree.read(&path(file)).unwrap() else {
            panic!("{file} is a file")
        };
        assert_eq!(
            (&file.content[..], &file.content.kept()[..]),
            (&b"1\n"[..], kept.as_bytes())
        );
    }
    let mut content = "2\n".into();
    let at = path("new.u16");
    let planned = Planned {
        path: &at,
        is_new: true,
        content: &mut content,
    };
    tree.settle(&mut [planned], &AttributeFiles::new()).unwrap();
    assert_eq!(
        (&content[..], &content.kept()[..]),
        (&b"2\n"[..], &b"2\0\n\0"[..])
    );
    let mut content = "2\n".into();
    let at = path("new.odd");
    let planned = Planned {
        path: &at,
        is_new: true,
        content: &mut content,
    };
    let error = tree
        .settle(&mut [planned], &AttributeFiles::new())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "`new.odd` has a `working-tree-encoding` that names none"
    );
}
