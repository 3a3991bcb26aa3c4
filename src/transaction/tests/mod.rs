//! Changes of real repositories, with git to say what is there; and every change again with a fault
//! at each of its steps.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::rc::Rc;

mod commit;
mod identity;
mod index;
mod last;
mod steps;

use super::*;
use bstr::BString;

use crate::dir::write::watch;
use crate::repo::testing::{Sample, few, path, some};
use crate::repo::{Against, AgreeingTree, IndexTree, WorkTree};
use llmpatch::kind::Kind;
use llmpatch::plan::Change;
use llmpatch::report::Diagnose as _;
use llmpatch::tree::{Entry, Mode, Tree};

/// All that a person could see of a repository: files with mode and inode, directories, the index,
/// HEAD, what lies in `.git`.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    tree: BTreeMap<String, (u32, Option<u64>, BString)>,
    index: Option<BString>,
    head: Vec<Option<BString>>,
    git: Vec<String>,
}

fn seen(sample: &Sample) -> Seen {
    let git = sample.top().join(".git");
    let mut names: Vec<String> = std::fs::read_dir(&git)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.retain(|name| {
        !matches!(
            name.as_str(),
            "COMMIT_EDITMSG" | "logs" | "trail" | "llmpatch"
        )
    });
    // What is kept for undo is looked at elsewhere.
    let runs = std::fs::read_dir(git.join("llmpatch"))
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().file_name());
    names.extend(
        runs.filter(|name| !name.to_string_lossy().starts_with("undo-"))
            .map(|name| format!("llmpatch/{}", name.display())),
    );
    names.sort();
    let mut tree = BTreeMap::new();
    walk(&sample.top(), "", &mut tree);
    let read = |name: &str| std::fs::read(git.join(name)).ok().map(BString::from);
    Seen {
        tree,
        index: read("index"),
        head: ["HEAD", "refs/heads/main"].map(read).to_vec(),
        git: names,
    }
}

fn walk(directory: &Path, prefix: &str, tree: &mut BTreeMap<String, (u32, Option<u64>, BString)>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().into_string().unwrap());
        let stat = entry.metadata().unwrap();
        if name == ".git" {
        } else if stat.is_dir() {
            tree.insert(
                format!("{name}/"),
                (stat.permissions().mode(), None, BString::default()),
            );
            walk(&entry.path(), &format!("{name}/"), tree);
        } else {
            let content = std::fs::read(entry.path()).unwrap();
            tree.insert(
                name,
                (stat.permissions().mode(), Some(stat.ino()), content.into()),
            );
        }
    }
}

fn configured(sample: Sample) -> Sample {
    sample
        .then("config user.name Author")
        .then("config user.email author@example.org")
        .then("config commit.gpgsign false")
}

/// A repository with something of every kind in it.
fn sample() -> Sample {
    let sample = configured(Sample::new())
        .file("a", "a1\na2\n")
        .file("b", "b1\n")
        .file("tool", "#!/bin/sh\n")
        .file("secret", "s\n")
        .file("directory/only", "only\n")
        .file("deep/er/file", "deep\n")
        .file("Readme", "read\n")
        .file("staged", "1\n")
        .file("dirty", "1\n");
    sample.chmod("tool", 0o755);
    sample.chmod("secret", 0o600);
    let sample = sample.committed();
    sample.write("staged", "2\n");
    sample.git("add staged");
    sample.write("dirty", "2\n");
    sample.write("directory-of-empties/one/untracked", "");
    std::fs::remove_file(sample.top().join("directory-of-empties/one/untracked")).unwrap();
    sample.chmod("directory-of-empties/one", 0o750);
    sample
}

/// Makes a change set of what a tree holds and of what the files are to be; `None` deletes.
fn changes(tree: &dyn Tree, wanted: &[(&str, Option<&str>)]) -> ChangeSet {
    ChangeSet::new(wanted.iter().map(|(name, after)| {
        let path = path(name);
        let before = match tree.read(&path).unwrap() {
            Entry::File(file) => Some(file),
            _ => None,
        };
        let mode = before.as_ref().map_or(Mode::PLAIN, |before| before.mode);
        let after = after.map(|content| File {
            content: content.into(),
            mode,
        });
        Change {
            path,
            before,
            after,
            from: None,
        }
    }))
}

fn tree_of<'r>(repo: &'r Repo, target: &Target) -> Box<dyn Tree + 'r> {
    match target {
        Target::IndexAndWorkTree => Box::new(AgreeingTree::new(repo, Against::Index).unwrap()),
        Target::Commit(_) => Box::new(AgreeingTree::new(repo, Against::IndexAndHead).unwrap()),
        Target::Index => Box::new(IndexTree::new(repo).unwrap()),
        _ => Box::new(WorkTree::new(repo).unwrap()),
    }
}

fn request(message: &str) -> CommitRequest {
    CommitRequest {
        message: message.into(),
        verify: true,
        ..CommitRequest::default()
    }
}

fn targets() -> Vec<Target> {
    vec![
        Target::WorkTree {
            intent_to_add: false,
        },
        Target::WorkTree {
            intent_to_add: true,
        },
        Target::IndexAndWorkTree,
        Target::Index,
        Target::Commit(request("change\n")),
    ]
}

/// Paths and what they are to hold; `None` deletes.
type Wanted = [(&'static str, Option<&'static str>)];

/// Change sets that between them need every operation.
const WANTED: &[(&str, &Wanted)] = &[
    ("an update", &[("a", Some("A\n"))]),
    (
        "one of each",
        &[
            ("a", Some("A\n")),
            ("b", None),
            ("deep/er/file", None),
            ("new/er/file", Some("new\n")),
            ("new/er/too", Some("too\n")),
            ("secret", Some("S\n")),
            ("tool", Some("#!/bin/bash\n")),
        ],
    ),
    (
        "a file becomes a directory",
        &[("a", None), ("a/b/c", Some("A\n"))],
    ),
    (
        "a directory becomes a file",
        &[("deep/er/file", None), ("deep", Some("A\n"))],
    ),
    (
        "an empty directory becomes a file",
        &[("directory-of-empties", Some("A\n"))],
    ),
    ("a swap", &[("a", Some("b1\n")), ("b", Some("a1\na2\n"))]),
    (
        "another case",
        &[("Readme", None), ("README", Some("read\n"))],
    ),
    (
        "a file moves within its directory",
        &[
            ("directory/only", None),
            ("directory/moved", Some("only\n")),
        ],
    ),
];

/// Runs a change; what the tree and the index say afterwards is asked of git.
fn apply(
    sample: &Sample,
    wanted: &[(&str, Option<&str>)],
    target: &Target,
) -> Result<Done, Undone> {
    let repo = sample.open();
    let changes = changes(&*tree_of(&repo, target), wanted);
    let prepared = begin(
        &repo,
        &changes,
        target.clone(),
        Progress::default(),
        &mut Vec::new(),
    );
    prepared
        .map_err(|error| Undone {
            error,
            attention: Vec::new(),
            open: Vec::new(),
        })?
        .publish()
}

/// Checks what a change that succeeded must have left, by what git says.
fn check_done(sample: &Sample, wanted: &[(&str, Option<&str>)], target: &Target, what: &str) {
    let status =
        String::from_utf8(sample.git_args(&["status", "--porcelain", "-uall", "--no-renames"]))
            .unwrap();
    let mut want = vec!["M  staged".to_owned(), " M dirty".to_owned()];
    let tracked =
        String::from_utf8(sample.git_args(&["ls-tree", "-r", "--name-only", "HEAD"])).unwrap();
    for (path, after) in wanted {
        let new = !tracked.lines().any(|line| line == *path);
        let is_below = |below: &str, above: &str| {
            below
                .strip_prefix(above)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        let is_taken = tracked
            .lines()
            .any(|line| is_below(line, path) || is_below(path, line));
        let letter = match (new, after) {
            (true, _) => 'A',
            (false, Some(_)) => 'M',
            (false, None) => 'D',
        };
        match target {
            Target::WorkTree { intent_to_add } if new && (!intent_to_add || is_taken) => {
                want.push(format!("?? {path}"))
            }
            Target::WorkTree { .. } => want.push(format!(" {letter} {path}")),
            Target::IndexAndWorkTree => want.push(format!("{letter}  {path}")),
            Target::Index | Target::Commit(_) | Target::CommitOfMade(_) | Target::Undo(_) => {}
        }
    }
    if !matches!(target, Target::Index) {
        let mut got: Vec<_> = status.lines().map(str::to_owned).collect();
        got.sort();
        want.sort();
        assert_eq!(got, want, "{what}");
        for (path, after) in wanted {
            let content = std::fs::read_to_string(sample.top().join(path)).ok();
            assert_eq!(content.as_deref(), *after, "{what}: {path}");
        }
    }
    if !matches!(target, Target::WorkTree { .. }) {
        for (path, after) in wanted {
            let listed = sample.git_args(&["ls-files", "--", path]);
            let exact = String::from_utf8(listed)
                .unwrap()
                .lines()
                .any(|line| line == *path);
            assert_eq!(exact, after.is_some(), "{what}: {path} in the index");
            if let Some(after) = after {
                assert_eq!(
                    sample.git_args(&["cat-file", "blob", &format!(":{path}")]),
                    after.as_bytes(),
                    "{what}"
                );
            }
        }
    }
    sample.git_args(&["fsck", "--strict"]);
    let seen = seen(sample);
    let litter = |name: &&String| name.contains("llmpatch") || name.contains(".lock");
    assert_eq!(
        seen.git.iter().chain(seen.tree.keys()).find(litter),
        None,
        "{what}"
    );
}

#[test]
fn every_change_is_what_git_would_have_made_of_it() {
    for target in targets() {
        for (name, wanted) in WANTED {
            // With `-N`, a path of which another form is in the index is left alone.
            if matches!(
                target,
                Target::WorkTree {
                    intent_to_add: true
                }
            ) && name.contains("becomes a ")
                && !name.contains("empty")
            {
                continue;
            }
            let sample = sample();
            let what = format!("{name}, {target:?}");
            let done =
                apply(&sample, wanted, &target).unwrap_or_else(|undone| panic!("{what}: {undone}"));
            assert_eq!(done.warnings, [], "{what}");
            check_done(&sample, wanted, &target, &what);
        }
    }
}

#[test]
fn modes_survive_and_new_files_follow_the_umask() {
    let sample = sample();
    let (_, wanted) = WANTED[1];
    apply(
        &sample,
        wanted,
        &Target::WorkTree {
            intent_to_add: false,
        },
    )
    .unwrap();
    let bits = |path: &str| {
        sample
            .top()
            .join(path)
            .metadata()
            .unwrap()
            .permissions()
            .mode()
            & 0o7777
    };
    std::fs::write(sample.top().join("plain"), "").unwrap();
    assert_eq!((bits("secret"), bits("tool")), (0o600, 0o755));
    assert_eq!(bits("new/er/file"), bits("plain"));
}

/// Runs a change with a fault at each step in turn and checks that nothing is left of it.
#[test]
fn a_moved_file_keeps_its_bits() {
    let sample = Sample::new().file("a", "1").committed();
    sample.chmod("a", 0o640);
    let moved = WorkTree::new(&sample.open())
        .unwrap()
        .read(&path("a"))
        .unwrap();
    let Entry::File(file) = moved else {
        panic!("{moved:?}")
    };
    let changes = ChangeSet::new(vec![
        Change {
            path: path("a"),
            before: Some(file.clone()),
            after: None,
            from: None,
        },
        Change {
            path: path("b"),
            before: None,
            after: Some(file),
            from: Some(path("a")),
        },
    ]);
    let repo = sample.open();
    begin(
        &repo,
        &changes,
        Target::WorkTree {
            intent_to_add: false,
        },
        Progress::default(),
        &mut Vec::new(),
    )
    .unwrap()
    .publish()
    .unwrap();
    assert_eq!(
        sample
            .top()
            .join("b")
            .metadata()
            .unwrap()
            .permissions()
            .mode()
            & 0o7777,
        0o640
    );
}

#[test]
fn a_file_system_that_cannot_exchange_names_serves_too() {
    for (name, wanted) in some(WANTED, 3) {
        for fault_at in 0..40 {
            let sample = sample();
            let before = seen(&sample);
            let count = Rc::new(std::cell::Cell::new(0));
            let counted = Rc::clone(&count);
            watch::set(move |call| {
                counted.set(counted.get() + 1);
                match call {
                    "exchange two files" => Err(io::ErrorKind::Unsupported.into()),
                    _ if counted.get() == fault_at => Err(io::Error::from_raw_os_error(5)),
                    _ => Ok(()),
                }
            });
            let target = Target::WorkTree {
                intent_to_add: false,
            };
            let outcome = apply(&sample, wanted, &target);
            watch::clear();
            match outcome {
                Ok(done) if done.warnings.is_empty() => check_done(&sample, wanted, &target, name),
                Ok(_) => {}
                Err(undone) => {
                    assert_eq!(undone.attention, [], "{name}, {fault_at}: {undone}");
                    assert_eq!(seen(&sample), before, "{name}, {fault_at}: {undone}");
                }
            }
            if count.get() < fault_at {
                break;
            }
        }
    }
}

#[test]
fn a_git_directory_on_another_file_system_serves_all_but_commits() {
    let Ok(elsewhere) = tempfile::tempdir_in("/dev/shm") else {
        return;
    };
    for target in targets() {
        let sample = sample();
        if elsewhere.path().metadata().unwrap().dev() == sample.top().metadata().unwrap().dev() {
            return;
        }
        let own = sample.top().join(".git");
        let there = elsewhere.path().join(format!("{:p}", &sample));
        let _ = std::fs::remove_dir_all(&there);
        assert!(
            std::process::Command::new("cp")
                .arg("-a")
                .args([&own, &there])
                .status()
                .unwrap()
                .success()
        );
        std::fs::remove_dir_all(&own).unwrap();
        std::fs::write(&own, format!("gitdir: {}\n", there.display())).unwrap();
        sample.git_args(&["config", "core.worktree", sample.top().to_str().unwrap()]);
        for (name, wanted) in [WANTED[1], WANTED[3]] {
            sample.git("reset -q --hard");
            let outcome = apply(&sample, wanted, &target);
            let files = std::fs::read_dir(sample.top())
                .unwrap()
                .map(|entry| entry.unwrap().file_name());
            let litter: Vec<_> = files
                .filter(|name| name.to_string_lossy().contains("llmpatch"))
                .collect();
            assert!(litter.is_empty(), "{name}, {target:?}: {litter:?}");
            assert!(
                !there.join("index.lock").exists()
                    && journal::Journal::all(&sample.open()).is_empty(),
                "{name}, {target:?}"
            );
            match (&target, outcome) {
                (Target::Commit(_), outcome) => {
                    assert_eq!(
                        outcome.unwrap_err().error.diagnostic().kind,
                        Kind::Repository,
                        "{name}"
                    );
                    assert_eq!(sample.git("status --porcelain"), b"", "{name}");
                }
                (_, outcome) => {
                    let done =
                        outcome.unwrap_or_else(|undone| panic!("{name}, {target:?}: {undone}"));
                    assert_eq!(done.warnings, [], "{name}, {target:?}");
                    let mut left = BTreeMap::new();
                    walk(&sample.top().join("deep/er"), "", &mut left);
                    let empty = matches!(target, Target::Index) || left.is_empty();
                    assert!(empty, "{name}, {target:?}: {left:?}");
                    let gone =
                        matches!(target, Target::Index) || !sample.top().join("deep/er").exists();
                    assert!(gone, "{name}, {target:?}");
                }
            }
        }
    }
}

/// How an editor saves.
#[derive(Clone, Copy, Debug)]
enum Save {
    InPlace,
    ByRename,
}

#[test]
fn an_editor_that_saves_meanwhile_loses_nothing() {
    // As long as what takes its place, so that only the time or the bytes tell.
    let edit = "B\n";
    let work_tree = Target::WorkTree {
        intent_to_add: false,
    };
    // Not every file system exchanges names.
    for (target, exchanges) in [
        (&work_tree, true),
        (&work_tree, false),
        (&Target::Commit(request("change\n")), true),
    ] {
        for save in [Save::InPlace, Save::ByRename] {
            let sample = sample().then("tag start");
            let file = sample.top().join("a");
            for step in 0.. {
                sample.git("reset -q --hard start");
                sample.git("clean -qfd");
                let count = Rc::new(std::cell::Cell::new(0));
                let counted = Rc::clone(&count);
                let edited = file.clone();
                watch::set(move |call| {
                    counted.set(counted.get() + 1);
                    if counted.get() == step + 1 {
                        match save {
                            Save::InPlace => std::fs::write(&edited, edit)?,
                            Save::ByRename => {
                                std::fs::write(edited.with_extension("new"), edit)?;
                                std::fs::rename(edited.with_extension("new"), &edited)?;
                            }
                        }
                    }
                    match call {
                        "exchange two files" if !exchanges => {
                            Err(io::ErrorKind::Unsupported.into())
                        }
                        _ => Ok(()),
                    }
                });
                let outcome = apply(&sample, WANTED[1].1, target);
                watch::clear();
                if count.get() <= step {
                    outcome.unwrap();
                    break;
                }
                let what = format!("{target:?}, {exchanges}, {save:?}, step {step}");
                assert_eq!(
                    std::fs::read(&file).unwrap(),
                    edit.as_bytes(),
                    "{what}: {outcome:?}"
                );
                if let Err(undone) = &outcome {
                    let kind = undone.error.diagnostic().kind;
                    // Where the original had to leave its place, what is saved is a new file.
                    let is_new = kind == Kind::FileExists && !exchanges;
                    assert!(kind == Kind::Stale || is_new, "{what}: {undone}");
                    if undone.attention.is_empty() {
                        let rest = ["b", "deep/er/file", "secret"]
                            .map(|file| sample.top().join(file).exists());
                        assert_eq!(rest, [true; 3], "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_file_that_changed_since_it_was_planned_on_is_stale() {
    for target in targets() {
        let sample = sample();
        let repo = sample.open();
        let changes = changes(&*tree_of(&repo, &target), WANTED[1].1);
        sample.write("b", "edited\n");
        sample.git("add b");
        let before = seen(&sample);
        let error = begin(
            &repo,
            &changes,
            target.clone(),
            Progress::default(),
            &mut Vec::new(),
        )
        .unwrap_err();
        assert_eq!(error.diagnostic().kind, Kind::Stale, "{target:?}: {error}");
        assert_eq!(seen(&sample), before, "{target:?}");
    }
}

#[test]
fn a_lock_of_another_program_is_named_and_left_alone() {
    for (setting, target) in [
        ("0", Target::Index),
        (
            "5",
            Target::WorkTree {
                intent_to_add: false,
            },
        ),
    ] {
        let sample = sample().then(&format!("config llmpatch.lockTimeout {setting}"));
        std::fs::write(sample.top().join(".git/index.lock"), "").unwrap();
        let undone = apply(&sample, WANTED[0].1, &target).unwrap_err();
        assert_eq!(undone.error.diagnostic().kind, Kind::Locked);
        assert!(
            undone
                .error
                .to_string()
                .contains(".git/index.lock` is held by another program"),
            "{undone}"
        );
        assert!(sample.top().join(".git/index.lock").exists());
    }
}

#[test]
fn the_work_tree_alone_needs_no_readable_index() {
    let sample = sample();
    std::fs::write(sample.top().join(".git/index"), "no index").unwrap();
    apply(
        &sample,
        WANTED[1].1,
        &Target::WorkTree {
            intent_to_add: false,
        },
    )
    .unwrap();
    assert_eq!(
        std::fs::read(sample.top().join(".git/index")).unwrap(),
        b"no index"
    );
}

#[test]
fn other_names_of_a_file_are_warned_of() {
    let sample = sample();
    std::fs::hard_link(sample.top().join("a"), sample.outside().join("other")).unwrap();
    let done = apply(
        &sample,
        WANTED[0].1,
        &Target::WorkTree {
            intent_to_add: false,
        },
    )
    .unwrap();
    assert_eq!(
        done.warnings,
        [Warning::HardLink {
            path: path("a"),
            others: 1
        }]
    );
    assert_eq!(
        std::fs::read(sample.outside().join("other")).unwrap(),
        b"a1\na2\n"
    );
}

#[test]
fn what_is_not_ours_in_the_way_is_refused() {
    for (wanted, in_the_way) in [
        (("deep", Some("A\n")), "deep/er/file"),
        (("a/b", Some("A\n")), "a/b"),
        (
            ("directory-of-empties", Some("A\n")),
            "directory-of-empties/one/late",
        ),
    ] {
        let sample = sample();
        sample.write("directory-of-empties/one/late", "");
        let before = seen(&sample);
        let undone = apply(
            &sample,
            &[wanted],
            &Target::WorkTree {
                intent_to_add: false,
            },
        )
        .unwrap_err();
        assert_eq!(undone.error.diagnostic().kind, Kind::FileExists);
        assert_eq!(undone.error.diagnostic().path.unwrap(), in_the_way);
        assert_eq!(seen(&sample), before);
    }
}
