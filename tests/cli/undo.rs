//! What the last apply did, taken back.

use std::collections::BTreeMap;
use std::path::Path;

use assert_fs::prelude::*;
use bstr::BString;

use super::support::documents::document;
use super::support::{self, Repo, all_by_git, symlink};
use super::{envelope, repo, update};

const MANY: &str = "*** Update File: a.txt\n@@\n-two\n+2\n+2.5\n*** Add File: new/deep/d.txt\n+d\n*** Delete File: src/b.txt\n\
                    *** Update File: src/c.txt\n*** Move to: lib/e.txt\n@@\n-c\n+e\n";

/// Files and directories, each with its mode, in octal, and its content.
type Files = BTreeMap<String, (String, BString)>;

/// All that apply and undo are about.
fn all(repo: &Repo) -> (Files, Vec<String>) {
    let mut found = BTreeMap::new();
    let mut directories = vec![repo.path().to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(repo.path())
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            if name == ".git" {
                continue;
            }
            let bytes = if path.is_dir() {
                BString::default()
            } else {
                std::fs::read(&path).unwrap().into()
            };
            let mode = format!("{:o}", repo.mode(&name));
            found.insert(name, (mode, bytes));
            directories.extend(path.is_dir().then_some(path));
        }
    }
    repo.git(&["fsck", "--strict", "--no-dangling"]);
    let said = [
        &["ls-files", "--stage"][..],
        &["status", "--porcelain", "-uall"],
        &["log", "--format=%H"],
    ];
    (found, said.iter().map(|args| repo.git(args)).collect())
}

fn with_modes() -> Repo {
    let repo = repo();
    repo.chmod("a.txt", 0o600);
    repo.chmod("src/b.txt", 0o444);
    repo.chmod("src/c.txt", 0o755);
    repo.git(&["add", "src/c.txt"]);
    repo.git(&["commit", "-q", "-m", "modes"]);
    repo.child("dirty").write_str("dirty\n").unwrap();
    repo.child("staged").write_str("staged\n").unwrap();
    repo.git(&["add", "staged"]);
    repo
}

#[test]
fn undo_takes_back_what_apply_did_for_every_target() {
    for options in [&[][..], &["-N"], &["--index"], &["--cached"]] {
        let repo = with_modes();
        let before = all(&repo);
        let apply = [&["apply"], options].concat();
        repo.run(&apply, envelope(MANY)).succeeded();
        let applied = all(&repo);
        assert_ne!(applied, before);
        let run = repo.run(&["undo"], "").succeeded();
        let (first, rest) = run.stdout.split_once('\n').unwrap();
        assert!(
            first.starts_with("took back the apply of ") && first.ends_with(" ago:"),
            "{first}"
        );
        assert_eq!(
            rest,
            "M a.txt\nD new/deep/d.txt\nA src/b.txt\nR lib/e.txt -> src/c.txt\n 4 files changed, 3 insertions(+), 4 deletions(-)\n",
            "{options:?}"
        );
        assert_eq!(run.stderr, "");
        assert_eq!(all(&repo), before, "{options:?}");
        let run = repo.run(&["undo"], "").ended(1);
        assert!(
            run.stderr
                .starts_with("error[nothing-to-undo]: there is nothing to undo\n"),
            "{}",
            run.stderr
        );
        assert!(
            run.stderr.ends_with("\nnothing was changed\n") && run.stdout.is_empty(),
            "{}",
            run.stderr
        );
        repo.run(&apply, envelope(MANY)).succeeded();
        assert_eq!(all(&repo), applied, "{options:?}");
    }
}

#[test]
fn an_index_without_a_work_tree_is_what_it_was() {
    let repo = repo();
    repo.git(&["clone", "-q", "--bare", ".", "../bare"]);
    let bare = |args: &[&str], input: &str| {
        let mut command = repo.command();
        command.current_dir(repo.child("../bare")).args(args);
        support::run(&mut command, input.as_bytes()).succeeded()
    };
    let listed = || repo.git(&["--git-dir=../bare", "ls-files", "--stage"]);
    repo.git(&["--git-dir=../bare", "read-tree", "HEAD"]);
    let before = listed();
    bare(&["apply", "--cached"], &update("a.txt", "two", "2"));
    assert_ne!(listed(), before);
    let run = bare(&["undo"], "");
    assert!(
        run.stdout
            .ends_with(" ago:\nM a.txt\n 1 file changed, 1 insertion(+), 1 deletion(-)\n"),
        "{}",
        run.stdout
    );
    assert_eq!(listed(), before);
}

#[test]
fn directories_are_what_they_were() {
    let repo = repo();
    repo.child("empty/inner").create_dir_all().unwrap();
    repo.child("stays").create_dir_all().unwrap();
    repo.chmod("empty", 0o750);
    repo.chmod("empty/inner", 0o700);
    repo.chmod("src", 0o770);
    let before = all(&repo);
    let response = "*** Add File: empty\n+a file\n*** Add File: stays/x\n+x\n*** Delete File: src/b.txt\n*** Delete File: src/c.txt\n\
                    *** Add File: src\n+a file\n*** Delete File: a.txt\n*** Add File: a.txt/b/c\n+c\n";
    repo.run(&["apply"], envelope(response)).succeeded();
    assert!(repo.child("empty").is_file() && repo.child("src").is_file());
    repo.run(&["undo"], "").succeeded();
    assert_eq!(all(&repo), before);
}

#[test]
fn a_deleted_file_comes_back_with_its_rights() {
    if !support::system::is_root() {
        return eprintln!("skipped: only root can give away a file");
    }
    let repo = repo();
    let file = repo.child("src/b.txt");
    support::system::give_to_group(&file, 12_345);
    repo.chmod("src/b.txt", 0o660);
    repo.run(&["apply"], envelope("*** Delete File: src/b.txt\n"))
        .succeeded();
    let run = repo.run(&["undo"], "").succeeded();
    assert_eq!(run.stderr, "");
    assert_eq!(support::system::group(&file), 12_345);
    assert_eq!(repo.mode("src/b.txt") & 0o777, 0o660);
    // What nobody gives a new file is told.
    repo.chmod("src/b.txt", 0o4755);
    repo.run(&["apply"], envelope("*** Delete File: src/b.txt\n"))
        .succeeded();
    let run = repo.run(&["undo"], "").succeeded();
    assert!(
        run.stderr
            .starts_with("warning: `src/b.txt` lost its set-id bits [rights]\n"),
        "{}",
        run.stderr
    );
}

#[test]
fn what_is_back_in_the_index_is_left_so() {
    let response = "*** Update File: a.txt\n@@\n-two\n+zwei\n*** Delete File: src/b.txt\n";
    for options in [&["--index"][..], &["--cached"]] {
        let repo = repo();
        let before = all(&repo);
        repo.run(&[&["apply"], options].concat(), envelope(response))
            .succeeded();
        repo.git(&["reset", "-q", "--hard"]);
        repo.run(&["undo"], "").succeeded();
        assert_eq!(all(&repo), before, "{options:?}");
        let run = repo.run(&["undo"], "").ended(1);
        assert!(run.stderr.contains("nothing-to-undo"), "{}", run.stderr);
    }
}

#[test]
fn undo_refuses_whole_and_names_every_path_that_changed() {
    let repo = repo();
    repo.run(&["apply", "-N"], envelope(MANY)).succeeded();
    repo.child("a.txt").write_str("mine\n").unwrap();
    repo.child("src/b.txt").write_str("mine\n").unwrap();
    repo.git(&["add", "new/deep/d.txt"]);
    std::fs::remove_file(repo.child("lib/e.txt")).unwrap();
    let before = all(&repo);
    let run = repo.run(&["undo"], "").ended(1);
    let help = "help: undo takes back all or nothing: restore this file as the last apply left it, or undo the change by hand; `git llmpatch undo --drop` forgets that apply, so that the one before it can be taken back";
    assert!(
        run.stderr.contains(help) && run.stderr.contains("help: move it away, then try again"),
        "{}",
        run.stderr
    );
    let kept = run
        .stderr
        .lines()
        .filter_map(|line| line.strip_prefix("note: what it was before that apply is kept in `"));
    let kept: Vec<_> = kept
        .map(|path| std::fs::read_to_string(path.trim_end_matches('`')).unwrap())
        .collect();
    assert_eq!(kept, ["one\ntwo\nthree\n"], "{}", run.stderr);
    assert_eq!(
        run.stderr
            .lines()
            .filter(|line| line.starts_with("error"))
            .collect::<Vec<_>>(),
        [
            "error[stale]: `a.txt` changed since the last apply",
            "error[stale]: `lib/e.txt` was removed since the last apply",
            "error[stale]: `src/b.txt` was created since the last apply, and is in the way",
            "error[stale]: the index entry of `new/deep/d.txt` changed since the last apply",
        ]
    );
    assert!(
        run.stderr.ends_with("\n4 errors; nothing was changed\n") && run.stdout.is_empty(),
        "{}",
        run.stderr
    );
    assert_eq!(all(&repo), before);
    // Once all is as the apply left it, it can be.
    repo.child("a.txt")
        .write_str("one\n2\n2.5\nthree\n")
        .unwrap();
    repo.child("lib/e.txt").write_str("e\n").unwrap();
    std::fs::remove_file(repo.child("src/b.txt")).unwrap();
    repo.git(&["reset", "-q"]);
    repo.git(&["add", "-N", "new/deep/d.txt", "lib/e.txt"]);
    repo.run(&["undo"], "").succeeded();
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_commit_is_taken_back_as_long_as_it_is_head() {
    let repo = repo();
    repo.run(&["apply"], update("src/c.txt", "c", "C"))
        .succeeded();
    repo.child("staged").write_str("mine\n").unwrap();
    repo.git(&["add", "staged"]);
    let before = all(&repo);
    let response = "*** Begin Patch\n*** Update File: a.txt\n-two\n+2\n*** Add File: new/d\n+d\n\
                    *** Delete File: src/b.txt\n*** End Patch\n";
    repo.run(&["apply", "--commit"], response).succeeded();
    let id = repo.git(&["rev-parse", "--short", "HEAD"]);
    let made = all(&repo);
    let said = repo.run(&["undo", "--list"], "").succeeded().stdout;
    assert_eq!(said.lines().count(), 2, "{said}");
    let first = said.lines().next().unwrap();
    assert!(first.ends_with(&format!("commit {}", id.trim())), "{said}");
    // What others may have isn't taken back, nor is what is below others.
    repo.git(&["update-ref", "refs/remotes/origin/topic", "HEAD"]);
    let run = repo.run(&["undo"], "").ended(1);
    let wanted = format!(
        "error[stale]: the last apply made the commit {}, which origin/topic has already, so others may have it\n",
        id.trim()
    );
    assert!(run.stderr.starts_with(&wanted), "{}", run.stderr);
    assert!(!run.stderr.contains("git reset"), "{}", run.stderr);
    assert_eq!(all(&repo), made);
    repo.git(&["update-ref", "-d", "refs/remotes/origin/topic"]);
    repo.git(&["commit", "-q", "--allow-empty", "-m", "more"]);
    let run = repo.run(&["undo"], "").ended(1);
    let wanted = "and there are other commits on top of it\n";
    assert!(run.stderr.contains(wanted), "{}", run.stderr);
    repo.git(&["reset", "-q", "--soft", "HEAD^"]);
    // Nor where a file isn't what the apply made of it.
    let text = repo.text("a.txt");
    repo.child("a.txt").write_str("mine\n").unwrap();
    let run = repo.run(&["undo"], "").ended(1);
    assert!(
        run.stderr.starts_with("error[stale]: `a.txt` "),
        "{}",
        run.stderr
    );
    repo.child("a.txt").write_str(&text).unwrap();
    let run = repo.run(&["undo"], "").succeeded();
    assert!(
        run.stdout.starts_with("took back the apply of ")
            && run
                .stdout
                .contains(&format!(" ago and commit {}:\n", id.trim())),
        "{}",
        run.stdout
    );
    assert_eq!(all(&repo), before);
    let log = repo.git(&["reflog", "-1", "--format=%gs"]);
    assert!(log.starts_with("git-llmpatch undo: "), "{log}");
    repo.run(&["undo"], "").succeeded();
    repo.child("src/c.txt").assert("c\n");
}

#[test]
fn why_a_commit_is_not_taken_back_is_not_said_of_a_commit_to_come() {
    let repo = repo();
    let before = repo.files();
    repo.run(&["apply", "--commit"], update("a.txt", "two", "2"))
        .succeeded();
    let made = repo.files();
    let refused = || {
        let said = repo.run(&["undo"], "").ended(3).stderr;
        assert_eq!(repo.files(), made, "{said}");
        assert!(!said.contains("commit"), "{said}");
        said
    };
    let merge = repo.child(".git/MERGE_HEAD");
    merge.write_str(&repo.git(&["rev-parse", "HEAD"])).unwrap();
    let said = refused().replace("git merge --abort", "");
    assert!(
        said.starts_with("error[repository]: a merge is in progress\n"),
        "{said}"
    );
    repo.remove(merge.path());
    // What keeps git from it, and isn't known to us.
    let log = repo.child(".git/logs/HEAD");
    let kept = std::fs::read(&log).unwrap();
    repo.remove(log.path());
    log.create_dir_all().unwrap();
    log.child("x").write_str("").unwrap();
    let said = refused();
    assert!(
        said.contains("error[io]: git didn't move `HEAD` (exit status 128)\n"),
        "{said}"
    );
    std::fs::remove_dir_all(&log).unwrap();
    std::fs::write(&log, kept).unwrap();
    support::needs(support::Need::Shell);
    let hook = ".git/hooks/reference-transaction";
    repo.script(hook, "#!/bin/sh\nexit 1\n");
    let said = refused();
    assert!(
        said.contains(
            "error[hook]: the reference-transaction hook refused to move `HEAD` (exit status 1)\n"
        ),
        "{said}"
    );
    repo.remove(hook);
    repo.run(&["undo"], "").succeeded();
    assert_eq!(repo.files(), before);
}

/// What was applied first, and then committed, is taken back in the same two steps.
#[test]
fn a_commit_of_what_apply_made_is_taken_back_before_it_is() {
    let repo = repo();
    let before = all(&repo);
    let response = update("a.txt", "two", "2");
    repo.run(&["apply"], &response).succeeded();
    let applied = all(&repo);
    repo.run(&["apply", "--commit"], &response).succeeded();
    repo.run(&["undo"], "").succeeded();
    assert_eq!(all(&repo), applied);
    repo.run(&["undo"], "").succeeded();
    assert_eq!(all(&repo), before);
}

/// A hook has added to it, so the commit is more than what is known of it.
#[test]
fn a_commit_is_left_to_git() {
    let repo = repo();
    repo.run(&["apply"], update("src/c.txt", "c", "C"))
        .succeeded();
    repo.script(
        ".git/hooks/pre-commit",
        "#!/bin/sh\necho more >more && git add more\n",
    );
    repo.run(&["apply", "--commit"], update("a.txt", "two", "2"))
        .succeeded();
    let head = repo.git(&["rev-parse", "--short", "HEAD"]);
    let head = head.trim();
    let run = repo.run(&["undo"], "").ended(1);
    assert!(
        run.stderr.starts_with(&format!(
            "error[stale]: the last apply made the commit {head}, and what taking it back needs wasn't kept"
        )),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains(&format!("`git revert {head}`")),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("`git reset --keep HEAD^`"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.ends_with("\nnothing was changed\n"),
        "{}",
        run.stderr
    );
    // As it says.
    repo.git(&["reset", "--keep", "HEAD^"]);
    repo.child("a.txt").assert("one\ntwo\nthree\n");
    repo.child("src/c.txt").assert("C\n");
    // What is gone isn't to be reverted.
    let run = repo.run(&["undo"], "").ended(1);
    assert!(
        run.stderr.contains("isn't in the history of HEAD any more"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("`git re"), "{}", run.stderr);
}

#[test]
pub(super) fn all_commits_of_an_apply_are_taken_back_together() {
    for way in ["git revert ", "git reset --keep ", "git llmpatch undo"] {
        let repo = repo();
        repo.child(".git/a")
            .write_str(&update("a.txt", "two", "2"))
            .unwrap();
        repo.child(".git/b")
            .write_str(&update("src/b.txt", "b", "B"))
            .unwrap();
        let before = repo.files();
        let head = repo.git(&["rev-parse", "HEAD"]);
        if way == "git reset --keep " {
            repo.script(
                ".git/hooks/reference-transaction",
                "#!/bin/sh\n[ \"$1\" = committed ] || exit 0\necho more >more && git add more\n",
            );
        }
        repo.run(&["apply", "--each", "--commit", ".git/a", ".git/b"], "")
            .succeeded();
        if way == "git llmpatch undo" {
            repo.run(&["undo"], "").succeeded();
            assert_eq!(repo.files(), before);
            assert_eq!(repo.git(&["rev-parse", "HEAD"]), head);
            continue;
        }
        if way == "git revert " {
            repo.git(&["update-ref", "refs/remotes/origin/topic", "HEAD"]);
        }
        let run = repo.run(&["undo"], "").ended(1);
        let _ = std::fs::remove_file(repo.path().join(".git/hooks/reference-transaction"));
        let _ = std::fs::remove_file(repo.path().join("more"));
        let (_, rest) = run.stderr.split_once(&format!("`{way}")).unwrap();
        let words: Vec<_> = way
            .split_whitespace()
            .skip(1)
            .chain([rest.split('`').next().unwrap()])
            .collect();
        repo.git(&["config", "core.editor", "true"]);
        repo.git(&words);
        assert_eq!(repo.files(), before, "{words:?}");
    }
}

#[test]
fn only_an_apply_that_was_made_replaces_what_undo_takes_back() {
    let repo = repo();
    repo.run(&["apply"], update("a.txt", "two", "2"))
        .succeeded();
    repo.run(&["apply"], update("a.txt", "four", "4")).ended(1);
    repo.run(&["apply", "--allow-empty"], update("a.txt", "2", "2"))
        .succeeded();
    repo.run(&["apply", "--check"], update("src/c.txt", "c", "C"))
        .succeeded();
    repo.script(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
    repo.run(&["apply", "--commit"], update("src/c.txt", "c", "C"))
        .ended(3);
    repo.run(&["undo"], "").succeeded();
    repo.child("a.txt").assert("one\ntwo\nthree\n");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn undo_says_as_much_or_as_little_as_apply() {
    let repo = repo();
    repo.run(&["apply", "--index"], update("a.txt", "two", "2"))
        .succeeded();
    let run = repo.run(&["undo", "-v"], "").succeeded();
    assert!(
        run.stderr
            .starts_with("the last apply changed the work tree and the index\n"),
        "{}",
        run.stderr
    );
    assert_eq!(
        run.stderr.lines().count() == 1,
        !all_by_git(),
        "{}",
        run.stderr
    );
    repo.run(&["apply", "--index"], update("a.txt", "two", "2"))
        .succeeded();
    let run = repo.run(&["undo", "-q"], "").succeeded();
    assert_eq!((run.stdout, run.stderr), (String::new(), String::new()));
    let run = repo.run(&["undo", "-q", "--color=always"], "").ended(1);
    assert!(
        run.stderr.contains("\u{1b}[") && run.stderr.contains("nothing to undo"),
        "{}",
        run.stderr
    );
}

#[test]
fn each_work_tree_has_its_own_undo() {
    let repo = repo();
    repo.git(&["worktree", "add", "-q", "../other"]);
    let other = repo.child("../other");
    let other = |args: &[&str], input: &str| {
        let command = std::process::Command::new(super::support::program());
        super::support::run(
            super::support::isolated(command, &other).args(args),
            input.as_bytes(),
        )
    };
    repo.run(&["apply"], update("a.txt", "two", "2"))
        .succeeded();
    other(&["undo"], "").ended(1);
    other(&["apply"], &update("a.txt", "one", "1")).succeeded();
    repo.run(&["undo"], "").succeeded();
    other(&["undo"], "").succeeded();
    assert_eq!(repo.text("a.txt"), repo.text("../other/a.txt"));
}

/// What was put into directories that an apply made is nobody's but its owner's.
#[test]
fn what_came_into_new_directories_stays() {
    for options in [&[][..], &["-N"], &["--index"]] {
        let repo = repo();
        repo.run(&[&["apply"], options].concat(), envelope(MANY))
            .succeeded();
        repo.child("new/deep/mine.txt").write_str("mine\n").unwrap();
        repo.child("lib/empty").create_dir_all().unwrap();
        repo.run(&["undo"], "").succeeded();
        assert_eq!(
            repo.git(&["status", "--porcelain", "-uall"]),
            "?? new/deep/mine.txt\n",
            "{options:?}"
        );
        assert!(!repo.child("new/deep/d.txt").exists() && repo.child("lib/empty").is_dir());
        repo.child("new/deep/mine.txt").assert("mine\n");
    }
}

/// One path that isn't what it was is enough: nothing else is taken back either.
#[test]
fn whatever_was_done_to_a_path_since_keeps_all_from_being_taken_back() {
    type Meddle = fn(&Repo);
    let meddlings: [(&str, Meddle); 6] = [
        ("`a.txt` changed since the last apply", |repo| {
            repo.chmod("a.txt", 0o755)
        }),
        ("`lib/e.txt` changed since the last apply", |repo| {
            repo.chmod("lib/e.txt", 0o600)
        }),
        ("`lib/e.txt` was removed since the last apply", |repo| {
            std::fs::rename(repo.child("lib/e.txt"), repo.child("lib/f.txt")).unwrap();
        }),
        (
            "`new/deep/d.txt` was removed since the last apply",
            |repo| {
                std::fs::rename(repo.child("new"), repo.child("other")).unwrap();
            },
        ),
        ("`new/deep/d.txt` changed since the last apply", |repo| {
            std::fs::rename(repo.child("new"), repo.child("other")).unwrap();
            symlink("other", repo.child("new"));
        }),
        (
            "`src/b.txt/x` was created since the last apply, and is in the way",
            |repo| repo.child("src/b.txt/x").write_str("mine\n").unwrap(),
        ),
    ];
    for (want, meddle) in meddlings {
        let repo = repo();
        repo.run(&["apply"], envelope(MANY)).succeeded();
        meddle(&repo);
        let before = all(&repo);
        let run = repo.run(&["undo"], "").ended(1);
        assert!(
            run.stderr.starts_with(&format!("error[stale]: {want}\n")),
            "{want}: {}",
            run.stderr
        );
        assert!(
            run.stderr.ends_with("\nnothing was changed\n") && run.stdout.is_empty(),
            "{want}: {}",
            run.stderr
        );
        assert_eq!(all(&repo), before, "{want}");
    }
}

#[test]
fn what_is_kept_and_damaged_is_said() {
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 11] = [
        ("short", |record| {
            std::fs::write(record, "git-llmpatch record 4\n{}").unwrap()
        }),
        ("empty", |record| std::fs::write(record, "").unwrap()),
        ("half", |record| {
            let bytes = std::fs::read(record).unwrap();
            std::fs::write(record, &bytes[..bytes.len() / 2]).unwrap();
        }),
        ("another version", |record| {
            let bytes = String::from_utf8(std::fs::read(record).unwrap()).unwrap();
            std::fs::write(record, bytes.replacen("record 4", "record 5", 1)).unwrap();
        }),
        ("a pipe", |record| {
            std::fs::remove_file(record).unwrap();
            support::make_pipe(record);
        }),
        ("a link", |record| {
            let elsewhere = record.with_file_name("elsewhere");
            std::fs::rename(record, &elsewhere).unwrap();
            support::symlink("elsewhere", record);
        }),
        ("a link to what never ends", |record| {
            std::fs::remove_file(record).unwrap();
            support::symlink("/dev/zero", record);
        }),
        ("a directory", |record| {
            std::fs::remove_file(record).unwrap();
            std::fs::create_dir(record).unwrap();
        }),
        ("long", |record| {
            std::fs::write(record, vec![0; 1 << 24]).unwrap()
        }),
        ("in a file", |record| {
            std::fs::remove_dir_all(record.parent().unwrap()).unwrap();
            std::fs::write(record.parent().unwrap(), "").unwrap();
        }),
        ("in a pipe", |record| {
            std::fs::remove_dir_all(record.parent().unwrap()).unwrap();
            support::make_pipe(record.parent().unwrap());
        }),
    ];
    for (what, damage) in damages {
        let repo = repo();
        repo.run(&["apply"], update("a.txt", "two", "2"))
            .succeeded();
        damage(&repo.child(".git/llmpatch/undo-1/record"));
        let run = repo.run(&["undo"], "").ended(3);
        assert!(
            run.stderr
                .starts_with("error[io]: what was kept of the last apply, in `"),
            "{what}: {}",
            run.stderr
        );
        assert!(
            run.stderr.ends_with("\nnothing was changed\n"),
            "{what}: {}",
            run.stderr
        );
        assert_eq!(repo.text("a.txt"), "one\n2\nthree\n", "{what}");
        // A list ends there, and says so.
        let run = repo.run(&["undo", "--list"], "").ended(3);
        assert_eq!(run.stdout, "", "{what}");
        assert!(
            run.stderr
                .contains("is damaged\nhelp: take the change back by hand"),
            "{what}: {}",
            run.stderr
        );
        // The next apply is taken back as ever.
        repo.run(&["apply"], update("a.txt", "2", "zwei"))
            .succeeded();
        repo.run(&["undo"], "").succeeded();
        assert_eq!(repo.text("a.txt"), "one\n2\nthree\n", "{what}");
    }
}

#[test]
fn originals_that_are_none_any_more_are_not_put_back() {
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 4] = [
        ("gone", |file| std::fs::remove_file(file).unwrap()),
        ("written to", |file| std::fs::write(file, "mine\n").unwrap()),
        ("a pipe", |file| {
            std::fs::remove_file(file).unwrap();
            support::make_pipe(file);
        }),
        ("a link", |file| {
            let elsewhere = file.with_file_name("elsewhere");
            std::fs::rename(file, &elsewhere).unwrap();
            support::symlink("elsewhere", file);
        }),
    ];
    for (what, damage) in damages {
        let repo = repo();
        repo.run(&["apply"], update("a.txt", "two", "2"))
            .succeeded();
        damage(&repo.child(".git/llmpatch/undo-1/original-0"));
        let run = repo.run(&["undo"], "").ended(1);
        assert!(
            run.stderr
                .starts_with("error[stale]: what `a.txt` was before"),
            "{what}: {}",
            run.stderr
        );
        assert!(
            run.stderr.ends_with("\nnothing was changed\n"),
            "{what}: {}",
            run.stderr
        );
        assert_eq!(repo.text("a.txt"), "one\n2\nthree\n", "{what}");
    }
}

#[test]
fn one_apply_after_the_other_is_taken_back_and_they_are_listed() {
    let repo = repo();
    let list = |repo: &Repo| repo.run(&["undo", "--list"], "").succeeded().stdout;
    assert_eq!(list(&repo), "");
    let mut states = Vec::new();
    let texts = [
        "two", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12",
    ];
    for pair in texts.windows(2) {
        states.push(repo.text("a.txt"));
        repo.run(&["apply"], update("a.txt", pair[0], pair[1]))
            .succeeded();
    }
    // Neither what is refused nor what changes nothing counts.
    repo.run(&["apply"], update("a.txt", "two", "2")).ended(1);
    repo.run(&["apply", "--allow-empty"], update("a.txt", "12", "12"))
        .succeeded();
    assert_eq!(list(&repo).lines().count(), 10);
    assert!(
        list(&repo)
            .lines()
            .all(|line| line.ends_with(" ago  M a.txt")),
        "{}",
        list(&repo)
    );
    for state in states.iter().rev().take(10) {
        repo.run(&["undo"], "").succeeded();
        assert_eq!(&repo.text("a.txt"), state);
    }
    let run = repo.run(&["undo"], "").ended(1);
    assert!(
        run.stderr.contains("the last ten applies"),
        "{}",
        run.stderr
    );
    repo.run(&["apply"], envelope(MANY.replace("-two", "-2").as_str()))
        .succeeded();
    let said = list(&repo);
    assert!(
        said.ends_with(" ago  M a.txt, A lib/e.txt, A new/deep/d.txt, and 2 more\n"),
        "{said}"
    );
    repo.run(
        &["apply", "--commit", "-m", "x"],
        "*** Begin Patch\n*** Add File: n\n+n\n*** End Patch\n",
    )
    .succeeded();
    let said = list(&repo);
    assert!(
        said.lines().count() == 2 && said.lines().next().unwrap().contains(" ago  commit "),
        "{said}"
    );
}

#[test]
fn a_program_is_told_what_can_be_taken_back_too() {
    let repo = repo();
    let list = |repo: &Repo| document(&repo.run(&["undo", "--list", "--json"], "").succeeded());
    let none = list(&repo);
    assert_eq!(
        (&none["status"], &none["state"], &none["earlier"]),
        (
            &"listed".into(),
            &"nothing-changed".into(),
            &serde_json::json!([])
        )
    );
    repo.run(&["apply"], update("a.txt", "two", "2"))
        .succeeded();
    repo.run(
        &["apply"],
        "*** Begin Patch\n*** Add File: n\n+n\n*** Delete File: a.txt\n*** End Patch\n",
    )
    .succeeded();
    let listed = list(&repo);
    let files = [
        serde_json::json!([{"path": "a.txt", "operation": "deleted"}, {"path": "n", "operation": "added"}]),
        serde_json::json!([{"path": "a.txt", "operation": "modified"}]),
    ];
    for (earlier, files) in listed["earlier"].as_array().unwrap().iter().zip(&files) {
        assert_eq!(
            (&earlier["files"], &earlier["commit"]),
            (files, &serde_json::Value::Null)
        );
        assert!(
            earlier["time"].as_i64().unwrap() > 1_500_000_000,
            "{earlier}"
        );
    }
    assert_eq!(listed["earlier"].as_array().unwrap().len(), 2);
    repo.run(&["undo"], "").succeeded();
    assert_eq!(list(&repo)["earlier"].as_array().unwrap().len(), 1);
    let id = repo.run(
        &["apply", "--commit", "-m", "x"],
        "*** Begin Patch\n*** Add File: n\n+n\n*** End Patch\n",
    );
    id.succeeded();
    let listed = list(&repo);
    assert_eq!(listed["earlier"].as_array().unwrap().len(), 2);
    assert_eq!(
        listed["earlier"][0]["commit"].as_str().unwrap(),
        repo.git(&["rev-parse", "HEAD"]).trim()
    );
    // What isn't asked for isn't there.
    assert!(
        document(&repo.run(&["undo", "--json"], "").succeeded())
            .get("earlier")
            .is_none()
    );
}

/// What somebody took back by hand is no conflict.
#[test]
fn a_file_that_is_as_undo_would_leave_it_is_left_so() {
    for by_hand in [&["a.txt"][..], &["a.txt", "src"]] {
        let repo = repo();
        let before = all(&repo);
        repo.run(&["apply"], envelope(MANY)).succeeded();
        repo.git(&[&["checkout", "-q", "--"], by_hand].concat());
        let run = repo.run(&["undo"], "").succeeded();
        assert!(!run.stdout.contains("a.txt"), "{}", run.stdout);
        assert_eq!(all(&repo), before, "{by_hand:?}");
        repo.run(&["undo"], "").ended(1);
    }
}

/// Each is judged as if those after it that can be taken back were.
#[test]
fn the_list_says_what_can_not_be_taken_back() {
    for options in [&[][..], &["--index"], &["--cached"]] {
        let repo = repo();
        let apply = [&["apply"], options].concat();
        let responses = [
            update("a.txt", "two", "2"),
            envelope(
                "*** Delete File: src/b.txt\n*** Delete File: src/c.txt\n*** Add File: src\n+a file\n",
            ),
            update("a.txt", "2", "22"),
            update("a.txt", "three", "3"),
            envelope("*** Delete File: src\n*** Add File: src/new.txt\n+new\n"),
        ];
        for response in &responses {
            repo.run(&apply, response).succeeded();
        }
        let list = || {
            let said = repo.run(&["undo", "--list"], "").succeeded().stdout;
            let lines = said
                .lines()
                .map(|line| line.split_once(" ago  ").unwrap().1.to_owned());
            lines.collect::<Vec<_>>()
        };
        let can = [
            "D src, A src/new.txt",
            "M a.txt",
            "M a.txt",
            "A src, D src/b.txt, D src/c.txt",
            "M a.txt",
        ];
        assert_eq!(list(), can, "{options:?}");
        repo.child("a.txt").write_str("mine\n").unwrap();
        repo.git(&["add", "a.txt"]);
        let since = "M a.txt; changed since: a.txt";
        assert_eq!(list(), [can[0], since, since, can[3], since], "{options:?}");
        let run = repo.run(&["undo", "--list", "--json"], "").succeeded();
        let earlier = &document(&run)["earlier"];
        assert_eq!(earlier[0]["since"], serde_json::json!([]));
        assert_eq!(earlier[1]["since"], serde_json::json!([{"path": "a.txt"}]));
        // What it says is so.
        for one in list() {
            if one.contains("since") {
                repo.run(&["undo"], "").ended(1);
                repo.run(&["undo", "--drop"], "").succeeded()
            } else {
                repo.run(&["undo"], "").succeeded()
            };
        }
    }
}

/// The newest apply may be one that nobody can or wants to take back any more.
#[test]
fn an_apply_that_is_forgotten_is_in_nobodys_way() {
    let repo = repo();
    repo.run(&["apply", "--index"], update("src/c.txt", "c", "C"))
        .succeeded();
    repo.run(&["apply"], update("a.txt", "two", "2"))
        .succeeded();
    repo.child("a.txt").write_str("mine\n").unwrap();
    let before = all(&repo);
    repo.run(&["undo"], "").ended(1);
    let run = repo.run(&["undo", "--drop"], "").succeeded();
    assert!(
        run.stdout.starts_with("forgot the apply of ") && run.stdout.ends_with(" ago: M a.txt\n"),
        "{}",
        run.stdout
    );
    assert_eq!(run.stderr, "");
    assert_eq!(all(&repo), before);
    repo.run(&["undo"], "").succeeded();
    assert_eq!(repo.git(&["status", "--porcelain"]), " M a.txt\n");
    repo.child("a.txt").assert("mine\n");
    let run = repo.run(&["undo", "--drop"], "").ended(1);
    assert!(
        run.stderr.starts_with("error[nothing-to-undo]: "),
        "{}",
        run.stderr
    );
    assert!(!repo.child(".git/index.lock").exists());
}

#[test]
fn the_list_says_what_became_of_commits() {
    let repo = repo();
    let files = [("a.txt", "two"), ("src/c.txt", "c")].map(|(path, old)| {
        let file = repo.child(format!("../{old}"));
        file.write_str(&update(path, old, "x")).unwrap();
        file.path().to_str().unwrap().to_owned()
    });
    let before = repo.git(&["rev-parse", "--short", "HEAD"]);
    repo.run(&["apply", "--each", "--commit", &files[0], &files[1]], "")
        .succeeded();
    let after = repo.git(&["rev-parse", "--short", "HEAD"]);
    let made = format!("commits {}..{}", before.trim(), after.trim());
    let list = || repo.run(&["undo", "--list"], "").succeeded().stdout;
    let gone = || {
        let run = repo.run(&["undo", "--list", "--json"], "").succeeded();
        document(&run)["earlier"][0]["gone"].clone()
    };
    let said = list();
    assert!(said.ends_with(&format!("  {made}\n")), "{said}");
    repo.git(&["commit", "-q", "--allow-empty", "-m", "more"]);
    let said = list();
    assert!(
        said.ends_with(&format!("  {made}, which git takes back, not undo\n")),
        "{said}"
    );
    assert_eq!(gone(), false);
    repo.git(&["reset", "-q", "--keep", before.trim()]);
    let said = list();
    assert!(
        said.ends_with(&format!("  {made}, not in the history of HEAD any more\n")),
        "{said}"
    );
    assert_eq!(gone(), true);
    let run = repo.run(&["undo", "--drop"], "").succeeded();
    assert!(
        run.stdout.ends_with(&format!(" ago: {made}\n")),
        "{}",
        run.stdout
    );
}

#[test]
fn a_program_is_told_what_was_forgotten() {
    let repo = repo();
    repo.run(&["apply"], update("a.txt", "two", "2"))
        .succeeded();
    let forgotten = document(&repo.run(&["undo", "--drop", "--json"], "").succeeded());
    assert_eq!(
        (
            &forgotten["status"],
            &forgotten["state"],
            &forgotten["earlier"][0]["files"]
        ),
        (
            &"forgotten".into(),
            &"nothing-changed".into(),
            &serde_json::json!([{"path": "a.txt", "operation": "modified"}])
        )
    );
    assert!(forgotten["earlier"][0]["time"].as_i64().unwrap() > 1_500_000_000);
    repo.run(&["apply"], update("src/c.txt", "c", "C"))
        .succeeded();
    let run = repo.run(&["undo", "--drop", "-q"], "").succeeded();
    assert_eq!((run.stdout, run.stderr), (String::new(), String::new()));
    repo.run(&["undo", "--drop", "--list"], "").ended(2);
}
