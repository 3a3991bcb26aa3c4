//! What git-llmpatch-embedding(7) shows makes a change of files whatever they are called. Its
//! JavaScript and Python are run by `.packages/try`, which builds those packages.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::blocks;
use crate::here;
use crate::support::system::path_of_bytes;
use crate::support::{self, Need, OnDisk, Repo};

#[allow(dead_code, reason = "`main` is the example's")]
#[path = "../../../crates/llmpatch/examples/edit.rs"]
mod edit;

/// What files are called, with more than letters: a tab, what nobody sees, a space at the end,
/// quotes, what isn't UTF-8.
const NAMES: &[&[u8]] = &[
    b"a\tb.txt",
    "می\u{200c}خواهم.txt".as_bytes(),
    "e\u{200d}f.txt".as_bytes(),
    "\u{202e}gpj.txt".as_bytes(),
    b"ends in a space ",
    b" begins with one",
    b"it's \"quoted\".txt",
    b"caf\xff.txt",
];

fn page() -> String {
    fs::read_to_string(here("man/git-llmpatch-embedding.md")).unwrap()
}

/// Makes a repository with files of these names, and returns it with a change of them all as git
/// tells it, and the files as they are after it.
fn changed() -> (Repo, Vec<u8>, BTreeMap<PathBuf, OnDisk>) {
    support::needs(Need::Names);
    let repo = Repo::empty();
    let has_bytes = cfg!(not(target_vendor = "apple"));
    let names = NAMES
        .iter()
        .filter(|name| has_bytes || std::str::from_utf8(name).is_ok());
    let names = names.map(|name| path_of_bytes(name));
    for directory in ["edited", "removed", "moved"] {
        for name in names.clone() {
            let file = repo.path().join(directory).join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, format!("one\n{}\nthree\n", name.display())).unwrap();
        }
    }
    repo.commit("base");
    fs::create_dir(repo.path().join("to")).unwrap();
    for name in names {
        let at = |directory| repo.path().join(directory).join(name);
        fs::write(at("edited"), format!("one\n{}\n3\n", name.display())).unwrap();
        fs::remove_file(at("removed")).unwrap();
        fs::rename(at("moved"), at("to")).unwrap();
    }
    repo.git(&["add", "--all"]);
    let told = repo.git(&["diff", "--cached", "-M"]).into_bytes();
    let after = repo.files();
    repo.git(&["reset", "-q", "--hard"]);
    (repo, told, after)
}

#[test]
fn rust_writes_the_files_that_are_named() {
    let (repo, response, after) = changed();
    let said = edit::edit(repo.path(), &response).unwrap();
    assert_eq!(repo.files(), after, "{said}");
}

#[test]
fn the_shell_writes_the_files_that_are_named() {
    let (repo, response, mut after) = changed();
    fs::write(repo.path().join("response.md"), response).unwrap();
    let [script] = &blocks(&page(), "sh")[..] else {
        panic!("one block")
    };
    let mut bash = support::isolated(Command::new("bash"), repo.path());
    bash.env("PATH", support::path()).args(["-euc", script]);
    support::run(&mut bash, b"").succeeded();
    let mut now = repo.files();
    after.remove(Path::new("response.md"));
    now.remove(Path::new("response.md"));
    assert_eq!(now, after);
}

/// The manual's Rust is compiled, and run above, as that example.
#[test]
fn the_manual_has_the_example() {
    let example = fs::read_to_string(here("crates/llmpatch/examples/edit.rs")).unwrap();
    let [shown] = &blocks(&page(), "rust")[..] else {
        panic!("one block")
    };
    assert!(example.ends_with(shown), "{shown}");
}
