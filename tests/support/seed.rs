//! What `git init`, `git add` and `git commit` make of plain files, without starting a process for
//! each of thousands of repositories.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use git2::{Index, IndexEntry, ObjectType, Repository, Signature};

use super::{OnDisk, files, isolated, run, system};

/// What `git init` makes: each directory, and each file with its bytes.
type Empty = Vec<(PathBuf, Option<Vec<u8>>)>;

/// Makes an empty repository: a copy of one that git made, without its samples of hooks.
pub fn init(top: &Path) {
    static EMPTY: OnceLock<Empty> = OnceLock::new();
    for (path, bytes) in EMPTY.get_or_init(made_by_git) {
        let path = top.join(path);
        match bytes {
            Some(bytes) => fs::write(path, bytes).unwrap(),
            None => fs::create_dir(path).unwrap(),
        }
    }
}

fn made_by_git() -> Empty {
    let directory = assert_fs::TempDir::new().unwrap();
    let init = ["init", "-q", "-b", "main"];
    run(isolated(Command::new("git"), &directory).args(init), b"").succeeded();
    let mut empty = Vec::new();
    collect(&directory, Path::new(".git"), &mut empty);
    empty
}

fn collect(top: &Path, path: &Path, empty: &mut Empty) {
    empty.push((path.to_owned(), None));
    for entry in fs::read_dir(top.join(path)).unwrap() {
        let inside = path.join(entry.unwrap().file_name());
        let on_disk = top.join(&inside);
        if on_disk.is_dir() {
            collect(top, &inside, empty);
        } else if inside.extension() != Some(OsStr::new("sample")) {
            empty.push((inside, Some(fs::read(on_disk).unwrap())));
        }
    }
}

/// Makes the first commit of a repository, of everything in its work tree; returns whether it did.
///
/// It leaves to git what attributes and ignored names decide on, and large files, which a debug build
/// takes its time for.
pub fn commit(top: &Path, message: &str) -> bool {
    let files = files(top);
    let is_gits = |path: &PathBuf| {
        path.iter()
            .any(|name| name.as_encoded_bytes().starts_with(b".git"))
    };
    let is_large = |file: &OnDisk| file.bytes.len() > 1 << 16;
    if files.keys().any(is_gits) || files.values().any(is_large) {
        return false;
    }
    let repository = Repository::open(top).unwrap();
    let mut index = repository.index().unwrap();
    for (path, file) in &files {
        add(&repository, &mut index, top, path, file);
    }
    let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
    index.write().unwrap();
    let author = Signature::now("Ann Author", "ann@example.com").unwrap();
    let committer = Signature::now("Carl Committer", "carl@example.com").unwrap();
    let message = format!("{message}\n");
    fs::write(top.join(".git/COMMIT_EDITMSG"), &message).unwrap();
    repository
        .commit(Some("HEAD"), &author, &committer, &message, &tree, &[])
        .unwrap();
    true
}

/// Returns a path as git writes it on every system.
fn in_git(path: &Path) -> Vec<u8> {
    let names: Vec<_> = path.iter().map(OsStr::as_encoded_bytes).collect();
    names.join(&b'/')
}

fn add(repository: &Repository, index: &mut Index, top: &Path, path: &Path, file: &OnDisk) {
    let odb = repository.odb().unwrap();
    let mode = match file {
        OnDisk { link: true, .. } => 0o120_000,
        OnDisk {
            executable: true, ..
        } => 0o100_755,
        _ => 0o100_644,
    };
    index
        .add(&IndexEntry {
            mode,
            id: odb.write(ObjectType::Blob, &file.bytes).unwrap(),
            path: in_git(path),
            ..system::index_entry(&top.join(path).symlink_metadata().unwrap())
        })
        .unwrap();
}
