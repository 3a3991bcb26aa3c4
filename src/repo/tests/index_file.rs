//! What becomes of an index here is what `git update-index` makes of it, to the byte.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;

use bstr::BString;
use git2::{IndexEntry, ObjectFormat};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use super::super::objects::whole_id;
use super::super::slot::empty;
use super::super::testing::{few, path as path_of};
use super::*;

const PATHS: [&str; 14] = [
    "a", "a-b/c", "a.b", "a/b", "a/b/c", "a/b/d", "a/c", "a0", "b", "d/e/f/g", "d/e/h", "d/i",
    "long", "é",
];

/// What is set at a path: a mode and one of a few blobs.
type What = (bool, u8);

#[derive(Debug)]
struct Base {
    entries: std::collections::BTreeMap<usize, What>,
    version: u32,
    format: ObjectFormat,
    is_hashed: bool,
    has_trees: bool,
    /// Of each path whether sparse checkout skips it, and whether it is assumed to be unchanged.
    bits: Vec<(bool, bool)>,
    is_merging: bool,
    intends: bool,
}

fn bases() -> impl Strategy<Value = Base> {
    let entries = btree_map(0..PATHS.len(), any::<What>(), 0..10);
    let bits = proptest::option::of(vec(
        (proptest::bool::weighted(0.2), proptest::bool::weighted(0.2)),
        PATHS.len(),
    ));
    let format = prop_oneof![Just(ObjectFormat::Sha1), Just(ObjectFormat::Sha256)];
    let all = (entries, 2..=4u32, format, any::<[bool; 4]>(), bits);
    all.prop_map(
        |(entries, version, format, [is_hashed, has_trees, is_merging, intends], bits)| {
            let bits = bits.unwrap_or_else(|| vec![(false, false); PATHS.len()]);
            Base {
                entries,
                version,
                format,
                is_hashed,
                has_trees,
                bits,
                is_merging,
                intends,
            }
        },
    )
}

/// Returns a path; one is longer than an entry's flags can say.
fn name(which: usize) -> String {
    match PATHS[which] {
        "long" => "d/x/".repeat(1100) + "long",
        path => path.to_owned(),
    }
}

fn id(format: ObjectFormat, blob: u8) -> String {
    format!(
        "{:0width$x}",
        u32::from(blob % 3) + 1,
        width = if format == ObjectFormat::Sha1 { 40 } else { 64 }
    )
}

fn mode(executable: bool) -> &'static str {
    if executable { "100755" } else { "100644" }
}

/// Has git change an index by lines of `update-index --index-info`.
fn update(sample: &Sample, index: &str, lines: &str) {
    let mut git = sample.git_command();
    git.args(["update-index", "--index-info"])
        .stdin(Stdio::piped());
    let mut git = git.env("GIT_INDEX_FILE", index).spawn().unwrap();
    git.stdin
        .take()
        .unwrap()
        .write_all(lines.as_bytes())
        .unwrap();
    assert!(git.wait().unwrap().success(), "{lines}");
}

/// Makes `.git/index` in a new repository.
fn made(base: &Base) -> Sample {
    let sample = Sample::with(&format!("--object-format={}", base.format));
    let mut lines = String::new();
    let mut taken: Vec<String> = Vec::new();
    for (&which, &(executable, blob)) in &base.entries {
        let path = name(which);
        let is_in_the_way = |other: &String| {
            path.starts_with(&format!("{other}/")) || other.starts_with(&format!("{path}/"))
        };
        if !taken.iter().any(is_in_the_way) {
            writeln!(
                lines,
                "{} {}\t{path}",
                mode(executable),
                id(base.format, blob)
            )
            .unwrap();
            taken.push(path);
        }
    }
    if base.is_merging {
        for stage in 1..=3 {
            writeln!(
                lines,
                "100644 {} {stage}\tm/resolved",
                id(base.format, stage)
            )
            .unwrap();
            writeln!(
                lines,
                "100644 {} {stage}\tm/unmerged",
                id(base.format, stage)
            )
            .unwrap();
        }
    }
    update(&sample, ".git/index", &lines);
    if base.is_merging {
        update(
            &sample,
            ".git/index",
            &format!("100644 {}\tm/resolved", id(base.format, 0)),
        );
    }
    let set = |option: &str, path: &String| sample.git_args(&["update-index", option, path]);
    for (path, (is_skipped, is_assumed)) in taken.iter().zip(&base.bits) {
        if *is_skipped {
            set("--skip-worktree", path);
        }
        if *is_assumed {
            set("--assume-unchanged", path);
        }
    }
    if base.intends {
        sample.write("n/intended", "");
        sample.git("add -N n/intended");
    }
    if base.has_trees && !base.is_merging {
        sample.git("write-tree --missing-ok");
    }
    sample.git(&format!("config index.skipHash {}", !base.is_hashed));
    sample.git(&format!(
        "update-index --index-version {} --force-write-index",
        base.version
    ));
    sample
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(few(96)))]

    #[test]
    fn what_becomes_of_an_index_is_what_git_makes_of_it(
        base in bases(),
        changes in vec((0..PATHS.len(), proptest::option::weighted(0.6, any::<What>())), 0..8),
    ) {
        let sample = made(&base);
        let file = sample.top().join(".git/index");
        let by_git = sample.top().join(".git/by-git");
        std::fs::copy(&file, &by_git).unwrap();
        let mut index = IndexFile::read(&file, base.format).unwrap();
        prop_assert_eq!(BString::from(index.to_bytes()), BString::from(std::fs::read(&file).unwrap()));
        let mut lines = String::new();
        for (which, what) in changes {
            let path = name(which);
            let what = what.map(|(executable, blob)| (mode(executable), id(base.format, blob)));
            match what {
                Some((mode, id)) => {
                    let entry = IndexEntry { mode: u32::from_str_radix(mode, 8).unwrap(), id: whole_id(&id).unwrap(), ..empty(&path_of(&path)) };
                    writeln!(lines, "{mode} {id}\t{path}").unwrap();
                    index.add(&entry);
                }
                None => {
                    writeln!(lines, "0 {}\t{path}", id(base.format, 0)).unwrap();
                    index.remove(path.as_bytes(), 0);
                }
            }
        }
        update(&sample, ".git/by-git", &lines);
        std::fs::write(&file, index.to_bytes()).unwrap();
        if base.has_trees && !base.is_merging {
            // git forgets also the trees around what is set to what it was. Where one was kept
            // wrongly, it shows now.
            sample.git("write-tree --missing-ok");
            sample.git_command().args(["write-tree", "--missing-ok"]).env("GIT_INDEX_FILE", &by_git).output().unwrap();
        }
        prop_assert_eq!(BString::from(std::fs::read(&file).unwrap()), BString::from(std::fs::read(&by_git).unwrap()));
        let again = IndexFile::read(&file, base.format).unwrap();
        let entries = |index: &IndexFile| index.iter().map(|record| format!("{:?}", record.entry().path)).collect::<Vec<_>>();
        prop_assert_eq!(entries(&again), entries(&index));
        for record in again.iter() {
            let found = index.get(record.path(), record.stage());
            prop_assert!(found.is_some_and(|found| found.entry().id == record.id() && found.mode() == record.mode()));
        }
    }

    #[test]
    fn what_is_no_index_is_refused_without_a_panic(
        base in bases(), at in any::<proptest::sample::Index>(), byte in any::<u8>(), is_cut in any::<bool>(),
    ) {
        let sample = made(&base);
        let file = sample.top().join(".git/index");
        let mut bytes = std::fs::read(&file).unwrap();
        let at = at.index(bytes.len());
        let is_other = is_cut || bytes[at] != byte;
        if is_cut { bytes.truncate(at) } else { bytes[at] = byte };
        std::fs::write(&file, bytes).unwrap();
        let read = IndexFile::read(&file, base.format);
        prop_assert!(read.is_err() || !is_other || !base.is_hashed);
        if let Ok(mut index) = read {
            index.remove(b"d/e/h", 0);
            index.to_bytes();
        }
    }
}
