//! The hooks that hear of an index, beside what they hear from git.

use std::path::{Path, PathBuf};
use std::process::Command;

use assert_fs::prelude::*;

use super::support::{Need, Repo, isolated, needs, program, run};
use super::{envelope, repo, update};

/// A place to work in, and what besides the environment says of it.
struct Place {
    name: &'static str,
    here: PathBuf,
    environment: Vec<(&'static str, String)>,
}

/// The response that every place takes, as git takes it.
const DIFF: &str = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n\
    --- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n";

/// Writes down how it is called, and what it sees.
const HOOK: &str = "#!/bin/sh\n{ echo \"$0 $* in $(pwd -P), index.lock: $(ls \"$(git rev-parse --git-dir)/index.lock\" 2>&1)\"
    env | grep -E '^GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX|CONFIG_PARAMETERS)=' | sort; command -v git-apply; GIT_OPTIONAL_LOCKS=0 git status --porcelain; } >>\"$LOG\"\n\
    echo seen\n";

/// Makes a repository with this hook in every way that git may find it.
fn places(hook: &str) -> (Repo, Vec<Place>) {
    needs(Need::Shell);
    let repo = repo();
    repo.child(".gitignore").write_str("/hooks/\n").unwrap();
    repo.commit("ignore");
    let top = repo.path().to_owned();
    let linked = top.with_file_name("linked");
    repo.git(&["worktree", "add", "-q", linked.to_str().unwrap()]);
    repo.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let bare = top.with_file_name("bare.git");
    for file in [
        top.join(".git/hooks").join(hook),
        top.join("hooks").join(hook),
        linked.join("hooks").join(hook),
        bare.join("hooks").join(hook),
    ] {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        repo.script(file.to_str().unwrap(), HOOK);
    }
    let place = |name, here: &Path, environment: &[(&'static str, &str)]| Place {
        name,
        here: here.to_owned(),
        environment: environment
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()))
            .collect(),
    };
    let relative = ("GIT_CONFIG_KEY_0", "core.hooksPath");
    let hooks = |at| {
        let count = ("GIT_CONFIG_COUNT", "1");
        [count, relative, ("GIT_CONFIG_VALUE_0", at)]
    };
    let absolute = format!("{}/.git/hooks", top.to_str().unwrap().replace('\\', "/"));
    let places = vec![
        place("its top", &top, &[]),
        place("a linked work tree", &linked, &[]),
        place("hooks elsewhere", &top, &hooks("hooks")),
        place("hooks elsewhere, linked", &linked, &hooks("hooks")),
        place("hooks nowhere", &top, &hooks("none")),
        place("hooks by a whole path", &linked, &hooks(&absolute)),
        place(
            "named",
            &top,
            &[("GIT_DIR", ".git"), ("GIT_WORK_TREE", ".")],
        ),
        place("another index", &top, &[("GIT_INDEX_FILE", ".git/other")]),
        place("bare", &bare, &[]),
    ];
    repo.git(&["read-tree", "--index-output=.git/other", "HEAD"]);
    repo.git(&["--git-dir=../bare.git", "read-tree", "HEAD"]);
    (repo, places)
}

impl Place {
    /// Runs a program there, and returns what its hooks wrote down.
    #[track_caller]
    fn heard(&self, program: &str, args: &[&str], input: &str) -> String {
        let log = self.here.parent().unwrap().join("log");
        let _ = std::fs::remove_file(&log);
        let mut command = isolated(Command::new(program), &self.here);
        command.args(args).env("LOG", &log);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        let run = run(&mut command, input.as_bytes()).succeeded();
        assert!(!run.stdout.contains("seen"), "{}", run.stdout);
        // git writes the same paths shorter where the environment names the repository.
        let here = self.here.to_str().unwrap().replace('\\', "/");
        let heard = std::fs::read_to_string(log).unwrap_or_default();
        heard
            .replace(&format!("{here}/"), "")
            .replace(&format!("={here}\n"), "=.\n")
    }
}

#[test]
fn who_hears_of_the_index_hears_what_git_would_say() {
    let (_repo, places) = places("post-index-change");
    for place in &places {
        let targets: &[&str] = match place.name {
            "bare" => &["--cached"],
            _ => &["--index", "--cached"],
        };
        for target in targets {
            if *target == "--index" {
                place.heard("git", &["update-index", "-q", "--refresh"], "");
            }
            let wanted = place.heard("git", &["apply", target], DIFF);
            assert_eq!(
                wanted.is_empty(),
                place.name == "hooks nowhere",
                "{}",
                place.name
            );
            place.heard("git", &["apply", "-R", target], DIFF);
            let ours = place.heard(program(), &["apply", target], DIFF);
            assert_eq!(ours, wanted, "{}: {target}", place.name);
            if place.name == "bare" {
                continue;
            }
            let undone = place.heard(program(), &["undo"], "");
            assert_eq!(
                undone.matches("0 0 in").count(),
                wanted.matches("0 0 in").count()
            );
        }
    }
}

#[test]
fn nobody_hears_of_an_index_that_stays() {
    let (repo, places) = places("post-index-change");
    repo.git(&["config", "core.untrackedCache", "true"]);
    repo.git(&["update-index", "--split-index", "--untracked-cache"]);
    let top = &places[0];
    let added = "*** Add File: n.txt\n+n\n";
    assert_eq!(top.heard(program(), &["apply"], &envelope(added)), "");
    assert_eq!(top.heard(program(), &["undo"], ""), "");
    let heard = top.heard(program(), &["apply", "-N"], &envelope(added));
    assert_eq!(heard.matches(" 0 0 in").count(), 1, "{heard}");
    let other = "*** Add File: o.txt\n+n\n";
    let heard = top.heard(program(), &["apply", "--index"], &envelope(other));
    assert_eq!(
        heard.matches(" 0 0 in").count(),
        1,
        "a split index: {heard}"
    );
}

#[test]
fn who_hears_of_a_commit_sees_what_git_commit_leaves() {
    let (repo, places) = places("post-commit");
    let before = "#!/bin/sh\necho \"$0 $# $GIT_CONFIG_PARAMETERS $GIT_EDITOR\" >>\"$LOG\"\n";
    let top = repo.path();
    for home in [
        top.join(".git/hooks"),
        top.join("hooks"),
        top.with_file_name("linked/hooks"),
    ] {
        for name in [
            "pre-commit",
            "commit-msg",
            "prepare-commit-msg",
            "post-commit.sample",
        ] {
            let hook = home.join(name);
            // Without `#!`, as git takes it too, where a shell runs what the system can't.
            let text = if name == "commit-msg" && cfg!(unix) {
                &before[10..]
            } else {
                before
            };
            repo.script(hook.to_str().unwrap(), text);
        }
    }
    for place in places.iter().filter(|place| place.name != "bare") {
        place.heard("git", &["update-index", "-q", "--refresh"], "");
        place.heard("git", &["apply", "--index"], DIFF);
        // That message has as many arguments as ours, which comes from a file.
        let wanted = place.heard("git", &["commit", "-q", "-F", "-"], "x\n");
        assert_eq!(
            wanted.is_empty(),
            place.name == "hooks nowhere",
            "{}",
            place.name
        );
        place.heard("git", &["reset", "-q", "--hard", "HEAD^"], "");
        let ours = place.heard(program(), &["apply", "--commit", "-m", "x"], DIFF);
        assert_eq!(ours, wanted, "{}", place.name);
        place.heard("git", &["reset", "-q", "--hard", "HEAD^"], "");
    }
}

#[test]
fn a_setting_of_the_command_line_stays_one_for_hooks() {
    let (repo, _) = places("post-commit");
    let hook =
        "#!/bin/sh\nenv | grep GIT_CONFIG_PARAMETERS >>\"$LOG\"; git config a.b >>\"$LOG\"\n";
    repo.script(".git/hooks/pre-commit", hook);
    let place = Place {
        name: "",
        here: repo.path().to_owned(),
        environment: vec![("GIT_CONFIG_PARAMETERS", "'a.b'='it'\\''s'".to_owned())],
    };
    let heard = place.heard(program(), &["apply", "--commit", "-m", "x"], DIFF);
    let wanted = "GIT_CONFIG_PARAMETERS='a.b'='it'\\''s'\nit's\n";
    assert!(heard.starts_with(wanted), "{heard}");
}

#[test]
fn what_refuses_a_commit_does_so_where_another_hook_hears_of_it() {
    for gate in ["pre-commit", "prepare-commit-msg", "commit-msg"] {
        for home in [".git/hooks", "hooks"] {
            let repo = repo();
            if home == "hooks" {
                repo.git(&["config", "core.hooksPath", home]);
            }
            let heard = "#!/bin/sh\necho heard >.git/heard\n";
            repo.script(&format!("{home}/post-commit"), heard);
            repo.script(&format!("{home}/{gate}"), "#!/bin/sh\nexit 1\n");
            let before = repo.files();
            let change = update("a.txt", "two", "2");
            let run = repo.run(&["apply", "--commit"], &change).ended(3);
            let said = &run.stderr;
            assert!(
                said.contains("error[hook]") && said.contains(gate),
                "{said}"
            );
            assert_eq!(repo.files(), before, "{gate} {home}");
            assert_eq!(repo.git(&["log", "--format=%s"]), "base\n", "{gate}");
            assert!(!repo.child(".git/heard").exists(), "{gate} {home}");
            if gate != "prepare-commit-msg" {
                repo.run(&["apply", "--commit", "--no-verify"], &change)
                    .succeeded();
                assert!(repo.child(".git/heard").exists(), "{gate} {home}");
            }
        }
    }
}

#[test]
fn a_hook_that_can_not_be_started_is_told_as_that() {
    let repo = repo();
    repo.script(".git/hooks/pre-commit", "#!/nosuch\n");
    let run = repo
        .run(
            &["apply", "--commit", "-m", "x"],
            update("a.txt", "two", "2"),
        )
        .ended(3);
    let said = "error[hook]: the pre-commit hook refused the commit (it can't be started)\n";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn only_hooks_that_git_can_leave_out_are_said_to_be_left_out() {
    needs(Need::Shell);
    let response = update("a.txt", "two", "2");
    for (hook, refused, can_be_left_out) in [
        ("pre-commit", "the commit", true),
        ("commit-msg", "the commit", true),
        ("prepare-commit-msg", "the commit", false),
        ("reference-transaction", "to move `HEAD`", false),
    ] {
        let repo = repo();
        repo.script(&format!(".git/hooks/{hook}"), "#!/bin/sh\nexit 1\n");
        let run = repo
            .run(&["apply", "--commit", "-m", "x"], &response)
            .ended(3);
        assert!(
            run.stderr
                .contains(&format!("the {hook} hook refused {refused} (")),
            "{hook}: {}",
            run.stderr
        );
        assert_eq!(
            run.stderr.contains("--no-verify"),
            can_be_left_out,
            "{hook}: {}",
            run.stderr
        );
        let git = repo
            .run(&["apply", "--commit", "-m", "x", "--no-verify"], &response)
            .status;
        assert_eq!(git == 0, can_be_left_out, "{hook}");
    }
}
