//! The index: what it says of the paths that changed, and that it says of all others what it said
//! before.

use super::*;

/// Returns what git's index says of every path but one, in full.
fn entries(sample: &Sample, without: &str) -> Vec<String> {
    let listed =
        String::from_utf8(sample.git_args(&["ls-files", "--stage", "--debug", "-v"])).unwrap();
    let mut entries: Vec<String> = Vec::new();
    for line in listed.lines() {
        match entries.last_mut() {
            Some(entry) if line.starts_with("  ") => entry.push_str(line),
            _ => entries.push(line.to_owned()),
        }
    }
    entries.retain(|entry| {
        !entry
            .split_once('\t')
            .is_some_and(|(_, rest)| rest.starts_with(&format!("{without}  ")))
    });
    entries
}

#[test]
fn entries_of_other_paths_stay_as_they_are() {
    for target in targets() {
        let sample = sample();
        sample.git("update-index --assume-unchanged b");
        sample.git("update-index --skip-worktree tool");
        sample.write("intended", "i\n");
        sample.git("add -N intended");
        let blob = String::from_utf8(sample.git("rev-parse HEAD:a")).unwrap();
        let stages: String = (1..=3)
            .map(|stage| format!("100644 {} {stage}\tmerged\n", blob.trim()))
            .collect();
        std::fs::write(sample.outside().join("stages"), stages).unwrap();
        let fed = sample
            .git_command()
            .args(["update-index", "--index-info"])
            .stdin(std::fs::File::open(sample.outside().join("stages")).unwrap())
            .status();
        assert!(fed.unwrap().success());
        let before = entries(&sample, "a");
        assert!(
            before.iter().any(|entry| entry.contains("merged"))
                && before.iter().any(|entry| entry.starts_with('S'))
        );
        apply(&sample, WANTED[0].1, &target).unwrap();
        assert_eq!(entries(&sample, "a"), before, "{target:?}");
    }
}

#[test]
fn a_change_of_both_is_clean_without_a_refresh() {
    for target in [
        Target::IndexAndWorkTree,
        Target::Commit(request("change\n")),
    ] {
        let sample = sample();
        apply(&sample, WANTED[1].1, &target).unwrap();
        assert_eq!(
            sample.git_args(&["diff-files", "--name-only"]),
            b"dirty\n",
            "{target:?}"
        );
        let a = entries(&sample, "")
            .into_iter()
            .find(|entry| entry.contains("\ta  "))
            .unwrap();
        let stat = sample.top().join("a").metadata().unwrap();
        for fact in [
            format!("ino: {}", stat.ino()),
            format!("size: {}", stat.len()),
            format!("mtime: {}:{}", stat.mtime(), stat.mtime_nsec()),
        ] {
            assert!(a.contains(&fact), "{fact} in {a}");
        }
    }
}

#[test]
fn an_edit_that_git_could_not_have_noticed_yet_is_noticed_later() {
    for option in ["--no-split-index", "--split-index", "--untracked-cache"] {
        // An index that is of the same second as the file: git then compares content. A younger
        // copy of it would hide the edit.
        let sample = sample()
            .then("config core.trustctime false")
            .then("reset -q --hard")
            .then(&format!("update-index {option}"));
        let file = sample.top().join("b");
        let index = sample.top().join(".git/index");
        let time = file.metadata().unwrap().modified().unwrap();
        let at_that_time = |path: &Path| {
            std::fs::File::options()
                .write(true)
                .open(path)
                .unwrap()
                .set_modified(time)
                .unwrap()
        };
        std::fs::write(&file, "B1\n").unwrap();
        at_that_time(&file);
        at_that_time(&index);
        apply(&sample, WANTED[0].1, &Target::IndexAndWorkTree).unwrap();
        // And the others, as new as the index, need not be read again. (`git diff` would note that
        // for itself.)
        let sizes = sample.git_args(&["ls-files", "--debug", "-s"]);
        let marked = String::from_utf8(sizes)
            .unwrap()
            .matches("size: 0\t")
            .count();
        assert_eq!(marked, 1, "{option}");
        assert_eq!(
            sample.git_args(&["diff", "--name-only"]),
            b"b\n",
            "{option}"
        );
    }
}

#[test]
fn attributes_decide_what_is_stored() {
    let sample = configured(Sample::new())
        .file(".gitattributes", "*.txt text eol=crlf\n")
        .file("a.txt", "1\r\n")
        .committed();
    apply(
        &sample,
        &[("a.txt", Some("2\r\n")), ("b.txt", Some("3\r\n"))],
        &Target::IndexAndWorkTree,
    )
    .unwrap();
    assert_eq!(sample.git_args(&["cat-file", "blob", ":a.txt"]), b"2\n");
    assert_eq!(sample.git_args(&["cat-file", "blob", ":b.txt"]), b"3\n");
    assert_eq!(
        sample.git_args(&["status", "--porcelain"]),
        b"M  a.txt\nA  b.txt\n"
    );
}

#[test]
fn the_index_alone_leaves_files_alone() {
    let sample = sample();
    sample.write("new/er/file", "mine\n");
    let before = seen(&sample).tree;
    apply(&sample, WANTED[1].1, &Target::Index).unwrap();
    assert_eq!(seen(&sample).tree, before);
    assert_eq!(
        sample.git_args(&["cat-file", "blob", ":new/er/file"]),
        b"new\n"
    );
}

#[test]
fn an_index_that_nobody_made_yet_is_made() {
    for target in [
        Target::IndexAndWorkTree,
        Target::Index,
        Target::WorkTree {
            intent_to_add: true,
        },
    ] {
        let sample = configured(Sample::new());
        apply(&sample, &[("a", Some("A\n"))], &target).unwrap();
        assert_eq!(sample.git_args(&["ls-files"]), b"a\n", "{target:?}");
    }
}

#[test]
fn intended_files_show_in_a_diff_and_take_nothing_away() {
    let sample = sample();
    let wanted: &[(&str, Option<&str>)] =
        &[("b", None), ("b/c", Some("C\n")), ("new", Some("N\n"))];
    apply(
        &sample,
        wanted,
        &Target::WorkTree {
            intent_to_add: true,
        },
    )
    .unwrap();
    assert_eq!(
        sample.git_args(&["diff", "--name-status"]),
        b"D\tb\nM\tdirty\nA\tnew\n"
    );
}

#[test]
fn permissions_of_the_index_stay() {
    let sample = sample();
    let index = sample.top().join(".git/index");
    std::fs::set_permissions(&index, std::fs::Permissions::from_mode(0o660)).unwrap();
    apply(&sample, WANTED[0].1, &Target::IndexAndWorkTree).unwrap();
    assert_eq!(
        index.metadata().unwrap().permissions().mode() & 0o777,
        0o660
    );
}
