//! Every command that a message prints is run here, as it is printed, in a repository where it
//! matters: it does what the message promises, and nothing to what is the user's.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use assert_fs::prelude::*;

use super::support::{self, Repo, Run, isolated, symlink};
use super::{envelope, opx, repo, update};

/// Commands, and the test that runs them.
type Tried = (&'static [&'static str], fn());

/// The commands, as the sources have them, and the tests that run them.
const RUN: &[Tried] = &[
    (
        &[
            "git config --show-origin --get-all {key}",
            "git config --show-origin --get-all llmpatch.protect",
        ],
        settings,
    ),
    (&["git config llmpatch.root.{} <directory>"], roots),
    (
        &["git config --add llmpatch.rootIs {root}"],
        super::sessions::the_setting_that_is_offered_saves_the_option,
    ),
    (
        &[
            "git config user.name <name>",
            "git config user.email <address>",
            "git config core.editor <command>",
        ],
        committer,
    ),
    (
        &["git -c llmpatch.lint.elision=allow llmpatch apply"],
        elision,
    ),
    (
        &[
            "git restore{staged} <path>",
            "git add",
            "git update-index --no-skip-worktree <path>",
            "git sparse-checkout add <directory>",
        ],
        missing_files,
    ),
    (
        &["git sparse-checkout reapply --no-sparse-index"],
        intended_in_sparse,
    ),
    (&["git rm"], links),
    (&["git init", "git -C <directory> llmpatch"], no_repository),
    (&["git worktree repair <directory>"], moved_repository),
    (
        &[
            "git merge --continue",
            "git merge --abort",
            "git cherry-pick --continue",
            "git cherry-pick --abort",
            "git revert --continue",
            "git revert --abort",
            "git rebase --continue",
            "git rebase --abort",
            "git am --continue",
            "git am --abort",
        ],
        waiting,
    ),
    (
        &[
            "git log --all --oneline",
            "git log --no-merges --oneline",
            "git llmpatch show --first-parent",
            "git llmpatch apply --each",
            "git format-patch",
            "git show",
        ],
        commits,
    ),
    (
        &[
            "git diff <commit>^1 <commit>",
            "git diff",
            "git diff --binary",
            "git apply",
        ],
        diffs,
    ),
    (&["git mailinfo /dev/null /dev/stdout <mail"], mails),
    (&["git llmpatch undo", "git mergetool"], conflicts),
    (&["git llmpatch undo --drop"], undo_that_is_forgotten),
    (&["git llmpatch undo --list"], undo_that_came_second),
    (
        &["git revert {id}", "git reset --keep {reset}"],
        undo_of_a_commit,
    ),
    (
        &["git revert {before}..{id}"],
        super::undo::all_commits_of_an_apply_are_taken_back_together,
    ),
    (&["git llmpatch snapshot --untracked"], snapshot_of_all),
    (
        &[
            "git llmpatch check --json",
            "git llmpatch check --cached <response>",
            "git llmpatch check -v <response>",
            "git llmpatch apply --check",
        ],
        looking,
    ),
    (&["git llmpatch help"], limits),
    (
        &["git llmpatch apply {}"],
        super::usage::a_file_in_the_place_of_a_command_is_suggested_to_apply,
    ),
    (
        &["git llmpatch help {}"],
        super::usage::help_has_a_section_of_each_kind,
    ),
    (&["git llmpatch apply --commit"], branch_in_use),
    (
        &[
            "git fsck",
            "git lfs install",
            "git lfs pull",
            "git cat-file -e <object>",
        ],
        missing_objects,
    ),
    (
        &["git stash push --include-untracked -- {all}", "git commit"],
        hook_that_changes_files_and_refuses,
    ),
    (&["git reflog"], commit_taken_back),
    (&["git add --force"], ignored),
    (&["git config --global --add safe.directory {}"], anothers),
];

/// The commands in the running text of pages, and the tests that run them. Blocks of commands are
/// run in `tests/docs`.
const RUN_OF_PAGES: &[Tried] = &[
    (
        &["git config --add llmpatch.protect :preset:executes"],
        protect,
    ),
    (
        &[
            "git for-each-ref refs/llmpatch/snapshots",
            "git update-ref -d <name>",
            "git diff <tree>",
            "git show <tree>:<path>",
            "git llmpatch check --onto=<tree>",
            "git llmpatch apply --onto=<tree>",
            "git llmpatch apply --base=<tree>",
            "git llmpatch snapshot",
        ],
        snapshots,
    ),
    (
        &[
            "git for-each-ref refs/llmpatch/results",
            "git log --all",
            "git log --exclude='refs/llmpatch/*' --all",
        ],
        results,
    ),
    (
        &["git mergetool", "git llmpatch undo", "git checkout --merge"],
        conflicts,
    ),
    (
        &[
            "git llmpatch check --feedback",
            "git llmpatch check --json=schema",
            "git llmpatch check --json --feedback",
            "git llmpatch <command> -h",
            "git llmpatch apply -h",
            "git llmpatch apply response.txt",
            "git llmpatch apply --commit",
            "git llmpatch apply --feedback response.txt",
            "git llmpatch apply -3 --base=<commit> response.txt",
            "git llmpatch apply --json --feedback",
            "git llmpatch diff response.txt",
            "git llmpatch help <kind>",
            "git llmpatch man --skill",
            "git llmpatch prompt envelope",
        ],
        as_pages_say,
    ),
];

/// Commands that another test runs, which needs more than a repository: the file that it is in.
const ELSEWHERE: &[(&str, &str)] = &[
    ("git llmpatch recover", "tests/cli/recover.rs"),
    ("git llmpatch recover --force", "tests/hostile/journals.rs"),
    ("git llmpatch diff", "man/git-llmpatch-diff.md"),
    ("git fetch --unshallow", "tests/cli/reviews.rs"),
];

/// Commands that are only spoken of.
const NAMED: &[&str] = &[
    "git",
    "git commit --date",
    "git am",
    "git checkout",
    "git log",
    "git llmpatch batch",
];

/// Commands that pages speak of: what they do is compared, or they are a part of what is run.
const NAMED_IN_PAGES: &[&str] = &[
    "git -C pkg apply",
    "git -c",
    "git add",
    "git add -A",
    "git add -p",
    "git add -u",
    "git am",
    "git apply",
    "git apply -3",
    "git apply -C1",
    "git branch -f",
    "git check-attr --cached",
    "git commit",
    "git commit --no-verify",
    "git commit -a",
    "git commit <path>",
    "git config llmpatch.fuzz",
    "git diff",
    "git diff --binary",
    "git diff --cached",
    "git fetch",
    "git format-patch",
    "git gc",
    "git gc --auto",
    "git llmpatch",
    "git llmpatch --help",
    "git llmpatch <command> --help",
    "git llmpatch apply",
    "git llmpatch apply --each",
    "git llmpatch apply-patch",
    "git llmpatch batch",
    "git llmpatch prompt",
    "git llmpatch recover",
    "git llmpatch show",
    "git merge-file",
    "git push --mirror",
    "git rebase",
    "git status",
];

#[test]
fn every_command_that_a_message_prints_is_run() {
    let known = RUN.iter().flat_map(|(commands, _)| commands.iter());
    let known: BTreeSet<_> = known
        .chain(ELSEWHERE.iter().map(|(command, _)| command))
        .chain(NAMED)
        .map(|command| command.to_string())
        .collect();
    let mut printed = BTreeSet::new();
    for directory in ["src", "crates/llmpatch/src"] {
        collect(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join(directory),
            &mut printed,
        );
    }
    assert_eq!(printed, known);
    let known = RUN_OF_PAGES
        .iter()
        .flat_map(|(commands, _)| commands.iter());
    let known: BTreeSet<_> = known
        .chain(NAMED_IN_PAGES)
        .map(|command| command.to_string())
        .collect();
    assert_eq!(commands_of_pages(), known);
    for (command, file) in ELSEWHERE {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let words: Vec<_> = command
            .split(' ')
            .filter(|word| !word.starts_with(['<', '{']))
            .collect();
        let text = std::fs::read_to_string(path).unwrap();
        let is_run = words.iter().all(|word| text.contains(word));
        assert!(is_run, "{file} doesn't run `{command}`");
    }
}

/// Takes the commands out of the strings of all sources in a directory.
fn collect(directory: &Path, printed: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && name != "tests" {
            collect(&path, printed);
        }
        if !name.ends_with(".rs") || name == "tests.rs" {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.split("#[cfg(test)]").next().unwrap();
        let code = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let code: String = code
            .map(|line| format!("{}\n", line.trim_start()))
            .collect();
        let code = code.replace("\\\n", "");
        let quoted = code.split('`').skip(1);
        let is_command =
            |text: &&str| (text.starts_with("git ") || *text == "git") && !text.contains('\n');
        printed.extend(quoted.filter(is_command).map(str::to_owned));
    }
}

/// Returns the commands in the running text of the README, the manual, and what to do where git fails.
fn commands_of_pages() -> BTreeSet<String> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = std::fs::read_dir(top.join("man"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let pages = pages.filter(|path| path.extension().is_some_and(|end| end == "md"));
    let mut commands = BTreeSet::new();
    let others = ["README.md", "docs/git-apply-fails.md"];
    for page in pages.chain(others.map(|page| top.join(page))) {
        let text = std::fs::read_to_string(page).unwrap();
        let mut fence = None;
        let mut prose = String::new();
        for line in text.lines() {
            let ticks = line.len() - line.trim_start_matches('`').len();
            match fence {
                Some(open) if ticks == open => fence = None,
                None if ticks >= 3 => fence = Some(ticks),
                Some(_) => {}
                None => prose += &format!("{line}\n"),
            }
        }
        // Of what marks divide, the parts with odd numbers are marked.
        for (paragraph, mark) in prose
            .split("\n\n")
            .flat_map(|part| [(part, "`"), (part, "**")])
        {
            let marked = paragraph
                .split(mark)
                .skip(1)
                .step_by(2)
                .map(|text| text.replace('\n', " "));
            commands.extend(marked.filter(|text| text.starts_with("git ")));
        }
    }
    commands
}

/// Runs a command of a message, its blanks filled in, where the message was said.
#[track_caller]
fn follow(repo: &Repo, said: &Run, command: &str, filled: &[(&str, &str)]) -> Run {
    let text = format!("{}{}", said.stderr, said.stdout);
    assert!(
        text.contains(&format!("`{command}`")),
        "`{command}` isn't in {text}"
    );
    let command = filled
        .iter()
        .fold(command.to_owned(), |command, (blank, word)| {
            if blank.is_empty() {
                format!("{command} {word}")
            } else {
                command.replace(blank, word)
            }
        });
    in_shell(repo, &command)
}

pub(super) fn in_shell(repo: &Repo, command: &str) -> Run {
    let mut shell = isolated(support::unix("sh"), repo.path());
    shell
        .args(["-c", command])
        .env("PATH", support::path())
        // What sets something for a user replaces this file; the system's own would be replaced, too.
        .env("GIT_CONFIG_GLOBAL", repo.child("../global").path())
        .env("GIT_EDITOR", "true")
        .env("GIT_PAGER", "cat");
    support::run(&mut shell, b"")
}

#[test]
fn protect() {
    let repo = repo();
    repo.git(&["config", "llmpatch.protect", "src"]);
    let added = "git config --add llmpatch.protect :preset:executes";
    in_shell(&repo, added).succeeded();
    for response in [
        update("src/b.txt", "b", "B"),
        envelope("*** Add File: mise.toml\n+x\n"),
    ] {
        let run = repo.run(&["check"], response).ended(1);
        assert!(run.stderr.starts_with("error[protected]"), "{}", run.stderr);
    }
}

#[test]
fn settings() {
    for (key, value, status) in [
        ("llmpatch.protect", "src", 1),
        ("llmpatch.protect", ":(magic)x", 2),
        ("llmpatch.fuzz", "much", 2),
    ] {
        let repo = repo();
        repo.git(&["config", key, value]);
        let said = repo
            .run(&["check"], update("src/b.txt", "b", "B"))
            .ended(status);
        let command = format!("git config --show-origin --get-all {key}");
        let run = follow(&repo, &said, &command, &[]).succeeded();
        assert_eq!(run.stdout, format!("file:.git/config\t{value}\n"));
    }
}

#[test]
fn roots() {
    let repo = repo();
    let edit = opx("b.txt", "", "b", "B").replace("<edit ", "<edit root=\"web\" ");
    let said = repo.run(&["apply"], &edit).ended(1);
    follow(
        &repo,
        &said,
        "git config llmpatch.root.web <directory>",
        &[("<directory>", "src")],
    )
    .succeeded();
    repo.run(&["apply"], &edit).succeeded();
    assert_eq!(repo.text("src/b.txt"), "B\n");
}

#[test]
fn committer() {
    let repo = repo();
    repo.git(&["config", "user.useConfigOnly", "true"]);
    let commit = |args: &[&str]| {
        let mut command = repo.command();
        for name in ["AUTHOR", "COMMITTER"] {
            command.env_remove(format!("GIT_{name}_NAME"));
            command.env_remove(format!("GIT_{name}_EMAIL"));
        }
        command
            .args(["apply", "--commit"])
            .args(args)
            .env("HOME", repo.path())
            .env("TERM", "dumb");
        support::run(&mut command, update("a.txt", "two", "2").as_bytes())
    };
    let said = commit(&[]).ended(3);
    follow(
        &repo,
        &said,
        "git config user.name <name>",
        &[("<name>", "Ann")],
    )
    .succeeded();
    follow(
        &repo,
        &said,
        "git config user.email <address>",
        &[("<address>", "a@b.c")],
    )
    .succeeded();
    let said = commit(&["--edit"]).ended(3);
    follow(
        &repo,
        &said,
        "git config core.editor <command>",
        &[("<command>", "true")],
    )
    .succeeded();
    commit(&["--edit"]).succeeded();
}

#[test]
fn elision() {
    let repo = Repo::with(&[(
        "a.py",
        "def a():\n    return 1\n\n\ndef b():\n    return 2\n",
    )]);
    let response = "<edit file=\"a.py\" op=\"replace\">\n  <put>\n<<<\ndef a():\n    return 2\n# ... rest unchanged\n>>>\n  </put>\n</edit>\n";
    repo.child("../response").write_str(response).unwrap();
    let said = repo.run(&["apply"], response).ended(1);
    follow(
        &repo,
        &said,
        "git -c llmpatch.lint.elision=allow llmpatch apply",
        &[("", "../response")],
    )
    .succeeded();
    assert_eq!(
        repo.text("a.py"),
        "def a():\n    return 2\n# ... rest unchanged\n"
    );
}

#[test]
fn missing_files() {
    let change = update("src/b.txt", "b", "B");
    type Meddle = fn(&Repo);
    let meddlings: [(&[&str], &str, &str, i32, Meddle); 5] = [
        (&["apply"], "git restore <path>", "src/b.txt", 1, |repo| {
            std::fs::remove_file(repo.child("src/b.txt")).unwrap()
        }),
        (
            &["apply", "--cached"],
            "git restore --staged <path>",
            "src/b.txt",
            1,
            |repo| drop(repo.git(&["rm", "-q", "--cached", "src/b.txt"])),
        ),
        (&["apply", "--index"], "git add", "src/b.txt", 1, |repo| {
            repo.git(&["rm", "-q", "--cached", "src/b.txt"]);
            repo.commit("without");
            repo.child("src/b.txt").write_str("b\n").unwrap();
            repo.git(&["rm", "-q", "--cached", "src/b.txt"]);
            repo.git(&["commit", "-q", "-m", "without", "--allow-empty"]);
        }),
        (
            &["apply", "--index"],
            "git update-index --no-skip-worktree <path>",
            "src/b.txt",
            1,
            |repo| {
                repo.git(&["update-index", "--skip-worktree", "src/b.txt"]);
                repo.child("src/b.txt").write_str("b\nmine\n").unwrap();
            },
        ),
        (
            &["apply"],
            "git sparse-checkout add <directory>",
            "src",
            1,
            |repo| drop(repo.git(&["sparse-checkout", "set", "other"])),
        ),
    ];
    for (args, command, filled, status, meddle) in meddlings {
        let repo = repo();
        meddle(&repo);
        let said = repo.run(args, &change).ended(status);
        let blank = ["<path>", "<directory>"]
            .into_iter()
            .find(|blank| command.contains(blank))
            .unwrap_or_default();
        follow(&repo, &said, command, &[(blank, filled)]).succeeded();
        if command.contains("skip-worktree") {
            repo.git(&["add", "src/b.txt"]);
            repo.git(&["commit", "-q", "-m", "mine"]);
        }
        repo.run(args, &change).succeeded();
    }
}

#[test]
fn intended_in_sparse() {
    let repo = Repo::with(&[("in/a.txt", "a\n"), ("out/b.txt", "b\n")]);
    repo.git(&["sparse-checkout", "set", "--sparse-index", "in"]);
    let new = envelope("*** Add File: in/new.txt\n+n\n");
    let said = repo.run(&["apply", "-N"], &new).ended(3);
    let command = "git sparse-checkout reapply --no-sparse-index";
    follow(&repo, &said, command, &[]).succeeded();
    repo.run(&["apply", "-N"], &new).succeeded();
    let shown = repo.git(&["diff", "--stat"]);
    assert!(shown.contains("in/new.txt"), "{shown}");
}

#[test]
fn links() {
    let repo = Repo::with(&[("a.txt", "one\n")]);
    symlink("a.txt", repo.child("link"));
    repo.commit("link");
    let said = repo
        .run(&["apply"], envelope("*** Delete File: link\n"))
        .ended(1);
    follow(&repo, &said, "git rm", &[("", "link")]).succeeded();
    assert_eq!(repo.git(&["status", "--porcelain"]), "D  link\n");
}

#[test]
fn no_repository() {
    let repo = repo();
    let outside = repo.child("..").path().canonicalize().unwrap();
    let check = || {
        let mut command = isolated(Command::new(support::program()), &outside);
        support::run(
            command
                .args(["check", "--cached"])
                .env("GIT_CEILING_DIRECTORIES", outside.parent().unwrap()),
            update("a.txt", "two", "2").as_bytes(),
        )
    };
    let said = check().ended(3);
    repo.child("../response")
        .write_str(&update("a.txt", "two", "2"))
        .unwrap();
    follow(
        &repo,
        &said,
        "git -C <directory> llmpatch",
        &[("<directory>", "."), ("", "check --cached ../response")],
    )
    .succeeded();
    follow(&repo, &said, "git init", &[]).succeeded();
}

#[test]
fn waiting() {
    let base = repo();
    base.git(&["checkout", "-q", "-b", "side"]);
    base.child("a.txt")
        .write_str("one\nother\nthree\n")
        .unwrap();
    base.commit("side");
    base.git(&["format-patch", "-q", "-1", "-o", "..", "--start-number=7"]);
    base.git(&["checkout", "-q", "main"]);
    base.child("a.txt").write_str("one\nmain\nthree\n").unwrap();
    base.commit("main");
    base.child("a.txt").write_str("one\nlast\nthree\n").unwrap();
    base.commit("last");
    let mail = base
        .child("../0007-side.patch")
        .path()
        .to_str()
        .unwrap()
        .to_owned();
    for (args, what) in [
        (&["merge", "side"][..], "merge"),
        (&["cherry-pick", "side"], "cherry-pick"),
        (&["revert", "--no-edit", "HEAD~1"], "revert"),
        (&["rebase", "side"], "rebase"),
        (&["am", "-q", &mail], "am"),
    ] {
        for way in ["--abort", "--continue"] {
            let repo = base.copied();
            let change = update("src/b.txt", "b", "B");
            support::run(isolated(Command::new("git"), repo.path()).args(args), b"");
            let said = repo.run(&["apply", "--commit"], &change).ended(3);
            // A rebase stops at the next commit, too.
            loop {
                if way == "--continue" {
                    repo.child("a.txt")
                        .write_str("one\nmerged\nthree\n")
                        .unwrap();
                    repo.git(&["add", "a.txt"]);
                }
                follow(&repo, &said, &format!("git {what} {way}"), &[]);
                if !repo.child(".git/rebase-merge").exists() {
                    break;
                }
            }
            repo.run(&["apply", "--commit"], &change).succeeded();
            assert_eq!(repo.git(&["status", "--porcelain"]), "", "{what} {way}");
        }
    }
}

#[test]
fn commits() {
    let repo = repo();
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.child("x.bin").write_binary(b"\0\x01").unwrap();
    repo.commit("binary");
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    let said = repo.run(&["show", "HEAD"], "").ended(1);
    let run = follow(&repo, &said, "git llmpatch show --first-parent", &[]);
    assert!(run.stderr.contains("x.bin"), "{}", run.stderr);
    let said = repo.run(&["show", "side"], "").ended(1);
    let printed = follow(
        &repo,
        &said,
        "git format-patch",
        &[("", "-1 --stdout side")],
    )
    .succeeded();
    assert!(
        printed.stdout.contains("GIT binary patch"),
        "{}",
        printed.stdout
    );
    follow(&repo, &said, "git show", &[("", "side")]).succeeded();
    repo.child("a.txt").write_str("one\n2\nthree\n").unwrap();
    repo.commit("Say 2");
    repo.child("a.txt").write_str("one\n2\n3\n").unwrap();
    repo.commit("Say 3");
    // Subjects are lost by the one format, and kept by the one that is named.
    let said = repo
        .run(&["show", "-o", "../out", "HEAD~2..HEAD"], "")
        .succeeded();
    assert!(said.stderr.contains("`--to=opx`"), "{}", said.stderr);
    follow(
        &repo,
        &said,
        "git llmpatch apply --each",
        &[("", "--commit --onto=HEAD~2 --branch=lost ../out/*")],
    )
    .succeeded();
    let said = repo
        .run(&["show", "-o", "../opx", "--to=opx", "HEAD~2..HEAD"], "")
        .succeeded();
    assert_eq!(said.stderr, "");
    in_shell(
        &repo,
        "git llmpatch apply --each --commit --onto=HEAD~2 --branch=kept ../opx/*",
    )
    .succeeded();
    for (branch, subjects) in [
        ("lost", "Update a.txt\nUpdate a.txt\n"),
        ("kept", "Say 3\nSay 2\n"),
    ] {
        assert_eq!(repo.git(&["log", "-2", "--format=%s", branch]), subjects);
    }
    let said = repo.run(&["prompt", "--example=HEAD~2..HEAD"], "");
    let run = follow(&repo, &said, "git log --no-merges --oneline", &[]).succeeded();
    assert_eq!(run.stdout.lines().count(), 4);
    let said = repo.run(&["show", "nosuch"], "");
    let run = follow(&repo, &said, "git log --all --oneline", &[]).succeeded();
    // Commits that are made again within a second are the same.
    assert!(run.stdout.lines().count() >= 7, "{}", run.stdout);
}

#[test]
fn diffs() {
    let repo = repo();
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.child("a.txt").write_str("one\nside\nthree\n").unwrap();
    repo.child("x.bin").write_binary(b"\0\x01").unwrap();
    repo.commit("side");
    repo.git(&["checkout", "-q", "main"]);
    repo.child("src/b.txt").write_str("main\n").unwrap();
    repo.commit("main");
    repo.git(&["merge", "-q", "--no-commit", "side"]);
    repo.child("a.txt").write_str("one\nboth\nthree\n").unwrap();
    repo.commit("merge");
    let said = repo.run(&["check"], repo.git(&["show", "HEAD"])).ended(1);
    let run = follow(
        &repo,
        &said,
        "git diff <commit>^1 <commit>",
        &[("<commit>", "HEAD"), ("", "-- a.txt")],
    )
    .succeeded();
    repo.run(&["apply", "--onto=HEAD^1"], run.stdout)
        .succeeded();
    let said = repo
        .run(
            &["check"],
            repo.git(&["diff", "--word-diff", "HEAD^1", "--", "a.txt"]),
        )
        .ended(1);
    let run = follow(&repo, &said, "git diff", &[("", "HEAD^1 -- a.txt")]).succeeded();
    repo.run(&["apply", "--onto=HEAD^1"], run.stdout)
        .succeeded();
    let diff = repo.git(&["diff", "HEAD^1"]);
    let said = repo.run(&["check", "--onto=HEAD^1"], diff).ended(1);
    let run = follow(&repo, &said, "git diff --binary", &[("", "HEAD^1")]);
    let run = run.succeeded();
    repo.git(&["checkout", "-q", "HEAD^1"]);
    repo.run(&["apply", "--index"], run.stdout).succeeded();
    assert_eq!(repo.git(&["diff", "main"]), "");
}

#[test]
fn mails() {
    let repo = repo();
    let text = "--- a/a.txt\n+++ b/a.txt\n@@ -2 +2 @@\n-two\n+2\n";
    // The command that is printed names `/dev/stdout`.
    support::needs(support::Need::Paths);
    let head = "From: A <a@b.c>\nSubject: x\nMIME-Version: 1.0\nContent-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: quoted-printable\n\n";
    let mail = [head, "=D4\n---\n", text].concat();
    repo.child("../mail").write_str(&mail).unwrap();
    // They are the user's, and stay so.
    repo.child("patch").write_str("mine\n").unwrap();
    repo.child("message").write_str("mine\n").unwrap();
    let said = repo.run(&["apply"], &mail);
    assert_ne!(said.status, 0);
    let run = follow(
        &repo,
        &said,
        "git mailinfo /dev/null /dev/stdout <mail",
        &[("<mail", "<../mail")],
    )
    .succeeded();
    repo.run(&["apply"], run.stdout).succeeded();
    assert_eq!(
        repo.git(&["status", "--porcelain"]),
        " M a.txt\n?? message\n?? patch\n"
    );
}

#[test]
fn conflicts() {
    let repo = repo();
    let base = repo.git(&["rev-parse", "HEAD"]);
    repo.child("a.txt").write_str("one\nmine\nthree\n").unwrap();
    repo.commit("mine");
    let response = format!("Base: {}\n{}", base.trim(), update("a.txt", "two", "2"));
    support::needs(support::Need::Scripts);
    for command in ["git llmpatch undo", "git mergetool"] {
        let said = repo
            .run(&["apply", "-3", "--conflicts=markers"], &response)
            .ended(4);
        let tool = "-y --tool=mine";
        repo.git(&[
            "config",
            "mergetool.mine.cmd",
            "printf 'one\\nboth\\nthree\\n' >$MERGED",
        ]);
        repo.git(&["config", "mergetool.mine.trustExitCode", "true"]);
        repo.git(&["config", "mergetool.keepBackup", "false"]);
        follow(
            &repo,
            &said,
            command,
            &[("", if command.ends_with('l') { tool } else { "" })],
        )
        .succeeded();
    }
    assert_eq!(repo.git(&["status", "--porcelain"]), "M  a.txt\n");
    // What the manual says of conflicts that were resolved wrongly.
    repo.git(&["checkout", "--merge", "a.txt"]);
    assert!(repo.text("a.txt").contains("<<<<<<<"));
    repo.git(&["add", "a.txt"]);
    let said = repo.run(&["check"], "```sh\ngit apply -R <<'EOF'\n--- a/a.txt\n+++ b/a.txt\n@@ -2 +2 @@\n-two\n+2\nEOF\n```\n").ended(1);
    repo.git(&["reset", "-q", "--hard"]);
    repo.run(&["apply"], update("a.txt", "mine", "2"))
        .succeeded();
    follow(&repo, &said, "git llmpatch undo", &[]).succeeded();
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn undo_of_a_commit() {
    for command in ["git revert", "git reset --keep HEAD^"] {
        let repo = repo();
        // What a hook adds isn't kept for undo.
        repo.script(
            ".git/hooks/pre-commit",
            "#!/bin/sh\necho more >more && git add more\n",
        );
        repo.run(&["apply", "--commit"], update("a.txt", "two", "2"))
            .succeeded();
        std::fs::remove_file(repo.path().join(".git/hooks/pre-commit")).unwrap();
        repo.child("src/b.txt").write_str("mine\n").unwrap();
        let said = repo.run(&["undo"], "").ended(1);
        let id = repo.git(&["rev-parse", "--short", "HEAD"]);
        let command = match command {
            "git revert" => format!("{command} {}", id.trim()),
            command => command.to_owned(),
        };
        follow(&repo, &said, &command, &[]).succeeded();
        assert_eq!(repo.text("a.txt"), "one\ntwo\nthree\n");
        assert_eq!(repo.git(&["status", "--porcelain"]), " M src/b.txt\n");
    }
}

#[test]
fn undo_that_came_second() {
    let repo = repo();
    for response in [update("a.txt", "two", "2"), update("src/b.txt", "b", "B")] {
        repo.run(&["apply"], response).succeeded();
    }
    repo.git(&["config", "llmpatch.lockTimeout", "-1"]);
    let lock = repo.child(".git/index.lock");
    lock.write_str("").unwrap();
    let mut waiting = repo.command();
    waiting.arg("undo").stdin(Stdio::null());
    waiting.stdout(Stdio::piped()).stderr(Stdio::piped());
    let waiting = waiting.spawn().unwrap();
    support::await_sleep(&waiting);
    // Another undo, which has the lock meanwhile.
    std::fs::remove_dir_all(repo.child(".git/llmpatch/undo-2")).unwrap();
    std::fs::remove_file(&lock).unwrap();
    let said = Run::of(waiting.wait_with_output().unwrap()).ended(1);
    assert!(
        said.stderr.starts_with("error[stale]: another"),
        "{}",
        said.stderr
    );
    let run = follow(&repo, &said, "git llmpatch undo --list", &[]).succeeded();
    assert!(run.stdout.ends_with("  M a.txt\n"), "{}", run.stdout);
}

#[test]
fn undo_that_is_forgotten() {
    for response in [
        update("a.txt", "two", "2"),
        "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n".into(),
    ] {
        let repo = repo();
        repo.run(&["apply"], update("src/b.txt", "b", "B"))
            .succeeded();
        repo.run(&["apply"], response).succeeded();
        repo.child("a.txt").write_str("mine\n").unwrap();
        let said = repo.run(&["undo"], "").ended(1);
        follow(&repo, &said, "git llmpatch undo --drop", &[]).succeeded();
        repo.run(&["undo"], "").succeeded();
        assert_eq!(repo.git(&["status", "--porcelain"]), " M a.txt\n");
        assert_eq!(repo.text("a.txt"), "mine\n");
    }
}

#[test]
fn looking() {
    let repo = repo();
    let response = update("a.txt", "two", "2");
    repo.child("x.llmpatch").write_str(&response).unwrap();
    let plan = "0".repeat(64);
    let said = repo.run(&["apply", &format!("--expect={plan}")], &response);
    let run = follow(
        &repo,
        &said,
        "git llmpatch check --json",
        &[("", "x.llmpatch")],
    )
    .succeeded();
    let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    repo.run(
        &[
            "apply",
            &format!("--expect={}", document["plan"].as_str().unwrap()),
        ],
        &response,
    )
    .succeeded();
    let said = repo.run(&["apply", "--only=x", "x.llmpatch"], "").ended(2);
    let response = [("<response>", "x.llmpatch")];
    follow(&repo, &said, "git llmpatch check -v <response>", &response).ended(1);
    repo.child("y.llmpatch")
        .write_str(&update("a.txt", "four", "4"))
        .unwrap();
    repo.git(&["add", "-A"]);
    let run = repo
        .run(&["check", "x.llmpatch", "y.llmpatch"], "")
        .ended(1);
    follow(
        &repo,
        &run,
        "git llmpatch apply --check",
        &[("", "y.llmpatch")],
    )
    .ended(1);
    let said = repo.run(&["check", "--staged"], "").ended(1);
    let run = follow(
        &repo,
        &said,
        "git llmpatch check --cached <response>",
        &[("<response>", "y.llmpatch")],
    )
    .ended(1);
    assert!(
        run.stderr.starts_with("error[lines-not-found]"),
        "{}",
        run.stderr
    );
}

#[test]
fn limits() {
    let case = llmpatch_cases::named("tool/texts-that-double-again-and-again-are-bounded");
    let repo = Repo::of_case(&case);
    let said = repo.run(&["check"], case.response()).ended(1);
    let run = follow(&repo, &said, "git llmpatch help", &[("", "| cat")]).succeeded();
    assert!(run.stdout.contains("256 MiB"), "{}", run.stdout);
}

#[test]
fn branch_in_use() {
    let repo = repo();
    repo.git(&["worktree", "add", "-q", "-b", "side", "../other"]);
    let response = update("a.txt", "two", "2");
    repo.child("../response").write_str(&response).unwrap();
    let said = repo
        .run(
            &["apply", "--onto=side", "--commit", "--branch=side"],
            &response,
        )
        .ended(3);
    let text = &said.stderr;
    assert!(
        text.contains("`git llmpatch apply --commit` in that work tree"),
        "{text}"
    );
    in_shell(
        &repo,
        "cd ../other && git llmpatch apply --commit ../response",
    )
    .succeeded();
}

#[test]
fn missing_objects() {
    let repo = repo();
    let id = repo.git(&["rev-parse", ":a.txt"]);
    let (directory, name) = id.trim_end().split_at(2);
    repo.remove(Path::new(".git/objects").join(directory).join(name));
    let said = repo
        .run(&["check", "--cached"], update("a.txt", "two", "2"))
        .ended(3);
    let run = follow(&repo, &said, "git fsck", &[]);
    assert!(
        run.stdout.contains(&format!("missing blob {}", id.trim())),
        "{}{}",
        run.stdout,
        run.stderr
    );
    let origin = self::repo();
    origin.git(&["config", "uploadpack.allowFilter", "true"]);
    let clone = Repo::empty();
    // git on Windows takes no path as `canonicalize` writes it there, and a shell no backslashes.
    let url = if cfg!(windows) {
        origin.path().to_owned()
    } else {
        origin.path().canonicalize().unwrap()
    };
    let url = url.display().to_string().replace('\\', "/");
    in_shell(&clone, &format!("git remote add origin 'file://{url}'; git fetch -q --filter=blob:none origin main; git update-ref HEAD FETCH_HEAD; git read-tree HEAD; mv '{url}' '{url}.away'")).succeeded();
    let response = update("a.txt", "two", "2");
    let said = clone.run(&["apply", "--cached"], &response).ended(3);
    in_shell(&clone, &format!("mv '{url}.away' '{url}'")).succeeded();
    follow(
        &clone,
        &said,
        "git cat-file -e <object>",
        &[("<object>", id.trim())],
    )
    .succeeded();
    clone.run(&["apply", "--cached"], &response).succeeded();
    if in_shell(&repo, "git lfs version").status != 0 {
        return eprintln!("skipped: there is no git-lfs");
    }
    let origin = self::repo();
    in_shell(&origin, "git lfs install --local --skip-repo && git lfs track '*.dat' && seq 9 >a.dat && git add . && git commit -qm dat && git clone -q --bare . ../bare && git -C ../bare lfs install --local --skip-repo && git push -q ../bare main; cp -r .git/lfs ../bare/").succeeded();
    let fresh = Repo::empty();
    let url = origin.child("../bare").path().canonicalize().unwrap();
    in_shell(&fresh, &format!("git lfs install --local --skip-repo; git remote add origin 'file://{}' && GIT_LFS_SKIP_SMUDGE=1 git pull -q origin main", url.display())).succeeded();
    let response = update("a.dat", "5", "five");
    let said = fresh.run(&["apply", "--cached"], &response).ended(3);
    follow(&fresh, &said, "git lfs pull", &[]).succeeded();
    fresh.run(&["apply", "--cached"], &response).succeeded();
    // Where nobody has set git-lfs up, a pointer is a text like any other.
    let bare = Repo::empty();
    in_shell(
        &bare,
        &format!(
            "git remote add origin 'file://{}' && git pull -q origin main",
            url.display()
        ),
    )
    .succeeded();
    for args in [
        &["apply"][..],
        &["apply", "--cached"],
        &["apply", "--feedback"],
    ] {
        let said = bare.run(args, &response).ended(1);
        let all = said.stderr.clone() + &said.stdout;
        assert!(
            all.contains("content isn't ") && !all.contains("sha256"),
            "{all}"
        );
    }
    let said = bare.run(&["apply"], &response).ended(1);
    follow(&bare, &said, "git lfs install", &[]).succeeded();
    follow(&bare, &said, "git lfs pull", &[]).succeeded();
    bare.run(&["apply"], &response).succeeded();
}

#[test]
fn ignored() {
    let repo = repo();
    repo.child(".git/info/exclude")
        .write_str("i.txt\n")
        .unwrap();
    repo.child("i.txt").write_str("i\n").unwrap();
    let response = update("i.txt", "i", "I");
    for base in [&["--base=HEAD"][..], &["-3", "--base=HEAD"]] {
        let said = repo.run(&[&["apply"], base].concat(), &response).ended(1);
        follow(&repo, &said, "git add --force", &[("", "i.txt")]).succeeded();
        let base = repo.run(&["snapshot"], "").succeeded().stdout;
        let base = format!("--base={}", base.trim());
        repo.run(&["check", &base], &response).succeeded();
        repo.git(&["rm", "-q", "--cached", "i.txt"]);
    }
}

/// As pre-commit's hooks do: the second `git commit` succeeds.
#[test]
fn hook_that_changes_files_and_refuses() {
    let repo = repo();
    let hook = "for f in $(git diff --cached --name-only --diff-filter=d); do
        tr a-z A-Z <$f >../upper; cmp -s $f ../upper || { cp ../upper $f; status=1; }; done
        exit ${status:-0}";
    repo.script(".git/hooks/pre-commit", &format!("#!/bin/sh\n{hook}\n"));
    let response = envelope(
        "*** Update File: a.txt\n@@\n-two\n+zwei\n*** Add File: new.txt\n+new\n\
         *** Delete File: src/b.txt\n",
    );
    repo.child("../response").write_str(&response).unwrap();
    let said = repo.run(&["apply", "--commit"], &response).ended(3);
    assert!(
        said.stderr
            .ends_with("these paths need attention:\n  a.txt\n  new.txt\n"),
        "{}",
        said.stderr
    );
    let stash = "git stash push --include-untracked -- a.txt new.txt";
    follow(&repo, &said, stash, &[]).succeeded();
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert!(repo.git(&["stash", "show", "-p"]).contains("+ZWEI\n"));
    in_shell(&repo, "git llmpatch apply --index ../response").succeeded();
    let run = in_shell(&repo, "git commit -m x");
    assert_eq!(run.status, 1, "{}", run.stderr);
    follow(&repo, &said, "git add", &[("", "a.txt new.txt")]).succeeded();
    follow(&repo, &said, "git commit", &[("", "-m x")]).succeeded();
    assert_eq!(
        repo.git(&["show", "--format=", "--name-status"]),
        "M\ta.txt\nA\tnew.txt\nD\tsrc/b.txt\n"
    );
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn commit_taken_back() {
    let repo = repo();
    repo.script(
        ".git/hooks/post-commit",
        "#!/bin/sh\ngit reset -q --soft HEAD^\n",
    );
    let said = repo
        .run(
            &["apply", "--commit", "-m", "gone"],
            update("a.txt", "two", "2"),
        )
        .succeeded();
    let run = follow(&repo, &said, "git reflog", &[]).succeeded();
    assert!(run.stdout.contains("gone"), "{}", run.stdout);
}

#[test]
fn moved_repository() {
    let repo = repo();
    let script = "git clone -q . ../main && cd ../main && git worktree add -q ../linked && mv ../main ../other";
    in_shell(&repo, script).succeeded();
    let check = || {
        let mut command = repo.command();
        command.current_dir(repo.child("../linked")).arg("check");
        support::run(&mut command, update("a.txt", "two", "2").as_bytes())
    };
    let said = check().ended(3);
    let (_, command) = said.stderr.split_once("run `").unwrap();
    let (command, _) = command.split_once('`').unwrap();
    let command = command.replace("<directory>", "../linked");
    in_shell(&repo, &format!("cd ../other && {command}")).succeeded();
    check().succeeded();
}

#[test]
fn anothers() {
    if !support::system::is_root() {
        return eprintln!("skipped: only root can give away a repository");
    }
    let repo = repo();
    in_shell(
        &repo,
        "cp -r . '../an other' && chown -R 12345 '../an other'",
    )
    .succeeded();
    let check = || {
        let mut command = repo.command();
        command
            .current_dir(repo.child("../an other"))
            .env("GIT_CONFIG_GLOBAL", repo.child("../global").path());
        support::run(command.arg("check"), update("a.txt", "two", "2").as_bytes())
    };
    let said = check().ended(3);
    let (_, command) = said.stderr.split_once("run `").unwrap();
    let (command, _) = command.split_once('`').unwrap();
    assert!(
        command.starts_with("git config --global --add safe.directory "),
        "{command}"
    );
    in_shell(&repo, command).succeeded();
    check().succeeded();
}

#[test]
fn snapshots() {
    let repo = repo();
    let tree = repo.run(&["snapshot"], "").succeeded().stdout;
    let tree = tree.trim();
    repo.child("../response")
        .write_str(&update("a.txt", "two", "2"))
        .unwrap();
    for (command, wanted) in [
        ("git show <tree>:a.txt", "one\ntwo\nthree\n"),
        ("git diff <tree>", ""),
        (
            "git llmpatch check --onto=<tree> ../response",
            "../response: ok, 1 file\n",
        ),
        (
            "git llmpatch apply --base=<tree> ../response",
            "M a.txt\n 1 file changed, 1 insertion(+), 1 deletion(-)\n",
        ),
    ] {
        let run = in_shell(&repo, &command.replace("<tree>", tree)).succeeded();
        assert_eq!(run.stdout, wanted, "{command}");
    }
    in_shell(
        &repo,
        &format!("git llmpatch apply --onto={tree} ../response"),
    )
    .succeeded();
    let listed = in_shell(&repo, "git for-each-ref refs/llmpatch/snapshots")
        .succeeded()
        .stdout;
    let (_, name) = listed.trim().split_once('\t').unwrap();
    in_shell(&repo, &format!("git update-ref -d {name}")).succeeded();
    assert_eq!(
        in_shell(&repo, "git for-each-ref refs/llmpatch/snapshots").stdout,
        ""
    );
}

fn results() {
    let repo = repo();
    let line = serde_json::json!({"response": update("a.txt", "two", "2")});
    let made = repo.run(&["batch", "--onto=HEAD", "--commit"], line.to_string());
    let made: serde_json::Value = serde_json::from_str(&made.succeeded().stdout).unwrap();
    let commit = made["commit"].as_str().unwrap();
    let without = "git log --exclude='refs/llmpatch/*' --all";
    for (command, shows) in [("git log --all", true), (without, false)] {
        let log = in_shell(&repo, command).succeeded().stdout;
        assert_eq!(log.contains(commit), shows, "{command}: {log}");
    }
    let listed = in_shell(&repo, "git for-each-ref refs/llmpatch/results").succeeded();
    let (_, name) = listed.stdout.trim().split_once('\t').unwrap();
    in_shell(&repo, &format!("git update-ref -d {name}")).succeeded();
    assert!(!in_shell(&repo, "git log --all").stdout.contains(commit));
}

#[test]
fn as_pages_say() {
    let repo = repo();
    repo.child("../response.txt")
        .write_str(&update("a.txt", "two", "2"))
        .unwrap();
    repo.child("../wrong.txt")
        .write_str(&update("a.txt", "four", "4"))
        .unwrap();
    for (command, status, printed) in [
        (
            "git llmpatch check --feedback ../wrong.txt",
            1,
            "Your patch was not applied",
        ),
        ("git llmpatch check --json=schema", 0, "\"$schema\""),
        (
            "git llmpatch check --json --feedback ../wrong.txt",
            1,
            "\"feedback\":",
        ),
        ("git llmpatch help lines-not-found", 0, "byte for byte"),
        ("git llmpatch diff ../response.txt", 0, "-two\n+2\n"),
        (
            "git llmpatch apply -3 --base=HEAD ../response.txt",
            0,
            "M a.txt\n",
        ),
        ("git llmpatch undo", 0, "M a.txt\n"),
        ("git llmpatch undo -h", 0, "--list"),
        ("git llmpatch apply -h", 0, "--onto"),
        ("git llmpatch apply ../response.txt", 0, "M a.txt\n"),
        ("git llmpatch undo", 0, "M a.txt\n"),
        (
            "git llmpatch apply --feedback ../wrong.txt",
            1,
            "Your patch was not applied",
        ),
        (
            "git llmpatch apply --json --feedback ../wrong.txt",
            1,
            "\"feedback\":",
        ),
        (
            "git llmpatch apply --commit ../response.txt",
            0,
            "Update a.txt",
        ),
        ("git llmpatch man --skill", 0, "name: git-llmpatch"),
        ("git llmpatch prompt envelope", 0, "*** Begin Patch"),
    ] {
        let run = in_shell(&repo, command).ended(status);
        assert!(run.stdout.contains(printed), "{command}: {}", run.stdout);
    }
}

#[test]
fn snapshot_of_all() {
    let repo = repo();
    repo.child("u.txt").write_str("u\n").unwrap();
    let response = update("u.txt", "u", "U");
    let said = repo.run(&["apply", "--base=HEAD"], &response).ended(1);
    let base = follow(&repo, &said, "git llmpatch snapshot --untracked", &[])
        .succeeded()
        .stdout;
    repo.run(&["apply", "--base", base.trim()], &response)
        .succeeded();
}
