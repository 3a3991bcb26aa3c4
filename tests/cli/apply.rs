use assert_fs::prelude::*;

use super::support::{Repo, isolated, program, run};
use super::{envelope, opx, repo, update};

#[test]
fn a_success_is_a_line_a_file_and_a_sum() {
    let repo = repo();
    let response = envelope(
        "*** Update File: a.txt\n@@\n-two\n+2\n+2.5\n*** Add File: new/d.txt\n+d\n*** Delete File: src/b.txt\n\
         *** Update File: src/c.txt\n*** Move to: src/e.txt\n@@\n-c\n+e\n",
    );
    let run = repo.run(&["apply"], response).succeeded();
    assert_eq!(
        run.stdout,
        "M a.txt\nA new/d.txt\nD src/b.txt\nR src/c.txt -> src/e.txt\n 4 files changed, 4 insertions(+), 3 deletions(-)\n"
    );
    assert_eq!(run.stderr, "");
    repo.child("a.txt").assert("one\n2\n2.5\nthree\n");
    assert_eq!(
        (repo.text("new/d.txt"), repo.text("src/e.txt")),
        ("d\n".to_owned(), "e\n".to_owned())
    );
    assert!(!repo.child("src/b.txt").exists() && !repo.child("src/c.txt").exists());
}

#[test]
fn a_refusal_has_its_status_its_kind_its_place_and_its_state_and_changes_nothing() {
    for (response, status, kind, place) in [
        (update("a.txt", "four", "x"), 1, "lines-not-found", ":4:"),
        (update("gone.txt", "a", "b"), 1, "file-missing", ":2:1"),
        (
            envelope("*** Add File: ../up.txt\n+x\n"),
            1,
            "unsafe-path",
            ":2:1",
        ),
        (
            envelope("*** Add File: .git/hooks/post-checkout\n+x\n"),
            1,
            "unsafe-path",
            ":2:1",
        ),
        (update("a.txt", "two", "two"), 1, "unchanged", ":2:1"),
        ("no patch in here\n".to_owned(), 1, "parse", ""),
        (
            "*** Begin Patch\n*** Update File: a.txt\n-one\n".to_owned(),
            1,
            "parse",
            "",
        ),
        (String::new(), 1, "parse", ""),
    ] {
        let repo = repo();
        let before = repo.files();
        let run = repo.run(&["apply"], &response).ended(status);
        assert_eq!(run.stdout, "", "{response}");
        assert!(
            format!("\n{}", run.stderr).contains(&format!("\nerror[{kind}]: ")),
            "{response}{}",
            run.stderr
        );
        assert!(
            run.stderr.contains(&format!(" --> <stdin>{place}")) || place.is_empty(),
            "{response}{}",
            run.stderr
        );
        assert!(
            run.stderr.ends_with("nothing was changed\n"),
            "{response}{}",
            run.stderr
        );
        assert_eq!(repo.files(), before, "{response}");
    }
}

#[test]
fn one_run_names_every_problem_once() {
    let repo = repo();
    let response = envelope(
        "*** Update File: gone.txt\n@@\n-a\n+b\n*** Update File: a.txt\n@@\n-four\n+x\n@@\n-five\n+y\n\
         *** Update File: gone.txt\n@@\n-c\n+d\n",
    );
    let run = repo.run(&["apply"], response).ended(1);
    let headlines: Vec<_> = run
        .stderr
        .lines()
        .filter(|line| line.starts_with("error"))
        .collect();
    assert_eq!(headlines.len(), 3, "{}", run.stderr);
    assert_eq!(
        headlines
            .iter()
            .filter(|line| line.starts_with("error[file-missing]"))
            .count(),
        1,
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.ends_with("3 errors; nothing was changed\n"),
        "{}",
        run.stderr
    );
}

#[test]
fn paths_are_from_the_top_and_arguments_from_the_current_directory() {
    let repo = repo();
    repo.child("src/answer.txt")
        .write_str(&update("src/b.txt", "b", "B"))
        .unwrap();
    let mut command = isolated(std::process::Command::new(program()), &repo.child("src"));
    let run = run(command.args(["apply", "answer.txt"]), b"").succeeded();
    assert_eq!(
        run.stdout,
        "M src/b.txt\n 1 file changed, 1 insertion(+), 1 deletion(-)\n"
    );
    repo.child("src/b.txt").assert("B\n");
}

#[test]
fn a_namesake_in_the_current_directory_is_told() {
    let repo = Repo::with(&[("a.txt", "one\n"), ("pkg/a.txt", "one\n")]);
    let told = |args: &[&str]| {
        let mut command = isolated(std::process::Command::new(program()), &repo.child("pkg"));
        command.args(["apply", "--check"]).args(args).arg("-");
        let run = run(&mut command, update("a.txt", "one", "1").as_bytes());
        run.succeeded().stderr
    };
    let warning = "warning: `a.txt` is changed, and not `pkg/a.txt`: paths count from the top of the work tree [directory]\n";
    let said = told(&[]);
    assert!(said.starts_with(warning), "{said}");
    assert!(
        said.ends_with("help: if the other is meant, run with --directory=pkg; with --directory= this isn't said\n"),
        "{said}"
    );
    assert_eq!(told(&["--directory="]), "");
    assert_eq!(told(&["--directory=pkg"]), "");
}

#[test]
fn git_finds_it_as_its_own_command() {
    let repo = repo();
    let directory = std::path::Path::new(program()).parent().unwrap();
    let path = std::env::join_paths(
        std::iter::once(directory.to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let mut command = isolated(std::process::Command::new("git"), &repo.child("src"));
    let command = command
        .env("PATH", path.unwrap())
        .args(["llmpatch", "apply", "-q", "-"]);
    let run = run(command, update("a.txt", "two", "2").as_bytes()).succeeded();
    assert_eq!((run.stdout, run.stderr), (String::new(), String::new()));
    repo.child("a.txt").assert("one\n2\nthree\n");
}

#[test]
fn several_responses_are_one_change_in_order() {
    let repo = repo();
    repo.child("1.txt")
        .write_str(&update("a.txt", "two", "2"))
        .unwrap();
    repo.child("2.txt")
        .write_str(&opx("a.txt", "", "2\nthree", "2\n3"))
        .unwrap();
    repo.child("bad.txt")
        .write_str(&update("a.txt", "four", "4"))
        .unwrap();
    let run = repo.run(&["apply", "1.txt", "bad.txt"], "").ended(1);
    assert!(run.stderr.contains(" --> bad.txt:4:"), "{}", run.stderr);
    repo.child("a.txt").assert("one\ntwo\nthree\n");
    let run = repo
        .run(
            &["apply", "1.txt", "-"],
            std::fs::read(repo.child("2.txt")).unwrap(),
        )
        .succeeded();
    assert_eq!(
        run.stdout,
        "M a.txt\n 1 file changed, 2 insertions(+), 2 deletions(-)\n"
    );
    repo.child("a.txt").assert("one\n2\n3\n");
}

#[test]
fn what_is_in_the_way_of_reading_ends_in_status_3() {
    let repo = repo();
    for (args, want) in [
        (
            &["apply", "none.txt"][..],
            "error[io]: can't read `none.txt`: ",
        ),
        (&["apply", "src"], "error[io]: can't read `src`: "),
        (
            &["apply", "--commit", "-F", "none.txt"],
            "error[io]: can't read `none.txt`: ",
        ),
    ] {
        let run = repo.run(args, update("a.txt", "two", "2")).ended(3);
        assert!(
            run.stderr.starts_with(want) && run.stderr.ends_with("\nnothing was changed\n"),
            "{}",
            run.stderr
        );
    }
    let nowhere = assert_fs::TempDir::new().unwrap();
    let mut command = isolated(std::process::Command::new(program()), nowhere.path());
    let run = run(
        command
            .args(["apply", "--index"])
            .env("GIT_CEILING_DIRECTORIES", "/"),
        b"",
    )
    .ended(3);
    assert!(run.stderr.starts_with("error["), "{}", run.stderr);
    assert!(
        run.stderr.ends_with("\nnothing was changed\n"),
        "{}",
        run.stderr
    );
}

#[test]
fn previews_print_and_do_not_apply_unless_told() {
    let diff = "diff --git a/a.txt b/a.txt\n";
    let stat = " 1 file changed, 1 insertion(+), 1 deletion(-)\n";
    for (args, wanted) in [
        (&["--check"][..], &[][..]),
        (&["-n"], &[]),
        (&["--dry-run", "--cached"], &[]),
        (&["--diff"], &[diff, "\n-two\n+2\n"]),
        (&["--stat"], &[" a.txt | 2 +-\n", stat]),
        (&["--numstat"], &["1\t1\ta.txt\n"]),
        (&["--numstat", "-z"], &["1\t1\ta.txt\0"]),
        (&["--stat", "--diff"], &[stat, diff]),
        (&["--summary"], &[]),
    ] {
        for also in [&[][..], &["--apply"]] {
            let applies = !also.is_empty();
            let repo = repo();
            let args = [&["apply"], args, also].concat();
            let run = repo.run(&args, update("a.txt", "two", "2")).succeeded();
            if !(applies && wanted.is_empty()) {
                assert!(
                    wanted.iter().all(|part| run.stdout.contains(part)),
                    "{args:?}{}",
                    run.stdout
                );
                assert_eq!(
                    run.stdout.is_empty(),
                    wanted.is_empty(),
                    "{args:?}{}",
                    run.stdout
                );
            }
            let is_applied = applies && !args.contains(&"--cached");
            assert_eq!(repo.text("a.txt").contains("two"), !is_applied, "{args:?}");
        }
    }
}

#[test]
fn a_directory_that_can_not_be_is_named_and_an_empty_one_is_none() {
    for directory in ["..", ".git", "/"] {
        let run = repo()
            .run(
                &["apply", "--directory", directory],
                update("a.txt", "two", "2"),
            )
            .ended(2);
        let said = format!("error[usage]: --directory can't be used: `{directory}` ");
        assert!(run.stderr.starts_with(&said), "{}", run.stderr);
    }
    repo()
        .run(&["apply", "--directory="], update("a.txt", "two", "2"))
        .succeeded();
}

#[test]
fn what_a_setting_or_an_option_names_is_named_as_theirs() {
    let response = update("a.txt", "two", "2");
    let repo = repo();
    let said = |args: &[&str]| repo.run(args, &response).ended(2).stderr;
    let root = "can't be used: `x` isn't an absolute path\n";
    let by_option = said(&["apply", "--root-is=x"]);
    assert!(
        by_option.starts_with(&format!("error[usage]: --root-is {root}")),
        "{by_option}"
    );
    repo.git(&["config", "llmpatch.rootIs", "x"]);
    let by_setting = said(&["apply"]);
    assert!(
        by_setting.starts_with(&format!("error[usage]: llmpatch.rootIs {root}")),
        "{by_setting}"
    );
    repo.git(&["config", "--unset", "llmpatch.rootIs"]);
    repo.git(&["config", "llmpatch.base", "nosuch"]);
    let base = said(&["check"]);
    assert!(
        base.starts_with("error[usage]: `llmpatch.base` is set to `nosuch`, which is not "),
        "{base}"
    );
    for args in [
        &["check", "-p", "x"][..],
        &["convert", "--to=opx", "-U", "x"],
    ] {
        let number = said(args);
        assert!(
            number.contains("it isn't a number that fits here"),
            "{number}"
        );
    }
}

#[test]
fn targets_are_work_tree_index_or_both() {
    for (option, in_work_tree, in_index) in [
        (None, true, false),
        (Some("--index"), true, true),
        (Some("--cached"), false, true),
    ] {
        let repo = repo();
        let args: Vec<_> = ["apply"].into_iter().chain(option).collect();
        repo.run(&args, update("a.txt", "two", "2")).succeeded();
        assert_eq!(
            repo.text("a.txt").contains("\n2\n"),
            in_work_tree,
            "{option:?}"
        );
        assert_eq!(
            repo.git(&["show", ":a.txt"]).contains("\n2\n"),
            in_index,
            "{option:?}"
        );
    }
    let repo = repo();
    repo.run(&["apply", "-N"], envelope("*** Add File: n.txt\n+n\n"))
        .succeeded();
    assert_eq!(repo.git(&["diff", "--name-status"]), "A\tn.txt\n");
}

#[test]
fn the_index_must_agree_with_the_work_tree() {
    let repo = repo();
    repo.child("a.txt")
        .write_str("one\ntwo\nthree\nfour\n")
        .unwrap();
    let run = repo
        .run(&["apply", "--index"], update("a.txt", "two", "2"))
        .ended(1);
    assert!(run.stderr.starts_with("error[stale]: "), "{}", run.stderr);
}

#[test]
fn what_the_work_tree_has_is_applied_already_but_not_for_the_index() {
    for (name, lines) in [("a.txt", "one\n2\nthree\n"), ("n.txt", "n\n")] {
        let response = match name {
            "a.txt" => update(name, "two", "2"),
            _ => envelope("*** Add File: n.txt\n+n\n"),
        };
        for args in [
            &["apply", "--index"][..],
            &["apply", "--index", "--allow-empty"],
            &["apply", "--commit", "--allow-empty"],
        ] {
            let repo = repo();
            repo.child(name).write_str(lines).unwrap();
            repo.run(&["apply"], &response).ended(1);
            repo.run(args, &response).succeeded();
            let has = if args.contains(&"--commit") {
                repo.git(&["show", "--name-only", "--format="])
            } else {
                repo.git(&["diff", "--cached", "--name-only"])
            };
            assert_eq!(has, format!("{name}\n"), "{args:?}");
        }
        let repo = repo();
        repo.child(name).write_str(lines).unwrap();
        repo.git(&["add", name]);
        repo.run(&["apply", "--index", "--allow-empty"], &response)
            .succeeded();
        repo.run(&["apply", "--commit"], &response).succeeded();
        assert_eq!(repo.git(&["status", "--porcelain"]), "");
    }
}

#[test]
fn a_deletion_applied_twice_is_told_so_but_not_one_of_what_sparse_checkout_left_out() {
    for response in [
        envelope("*** Delete File: a.txt\n"),
        envelope("*** Delete File: a.txt\n*** Delete File: src/b.txt\n"),
        envelope("*** Delete File: a.txt\n*** Add File: n.txt\n+n\n"),
    ] {
        let repo = repo();
        for apply in [
            &["apply"][..],
            &["apply", "--index"],
            &["apply", "--cached"],
        ] {
            repo.git(&["reset", "-q", "--hard"]);
            repo.git(&["clean", "-qfd"]);
            repo.run(apply, &response).succeeded();
            let run = repo.run(apply, &response).ended(1);
            assert!(
                run.stderr.starts_with("error[unchanged]: "),
                "{apply:?} {}",
                run.stderr
            );
            repo.run(&[apply, &["--allow-empty"]].concat(), &response)
                .succeeded();
        }
        repo.git(&["reset", "-q", "--hard"]);
        repo.git(&["clean", "-qfd"]);
        repo.git(&["sparse-checkout", "set", "src"]);
        std::fs::remove_file(repo.path().join("a.txt")).ok();
        repo.git(&["update-index", "--skip-worktree", "a.txt"]);
        let run = repo.run(&["apply"], &response).ended(1);
        assert!(
            run.stderr.contains("error[file-missing]: "),
            "{}",
            run.stderr
        );
        assert!(
            run.stderr.contains("sparse checkout left it out"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn settings_hold_unless_an_option_says_otherwise() {
    // Strictness refuses what a relaxation would have saved: a locator without its blank.
    let response = envelope("*** Update File: a.txt\n@@one\n-two\n+2\n");
    for (setting, option, status) in [
        (None, None, 0),
        (None, Some("--strict"), 1),
        (Some("true"), None, 1),
        (Some("true"), Some("--no-strict"), 0),
        (Some("false"), Some("--strict"), 1),
        (Some("nonsense"), None, 2),
        (Some("nonsense"), Some("--strict"), 1),
    ] {
        let repo = repo();
        if let Some(setting) = setting {
            repo.git(&["config", "llmpatch.strict", setting]);
        }
        let args: Vec<_> = ["apply"].into_iter().chain(option).collect();
        let run = repo.run(&args, &response);
        assert_eq!(run.status, status, "{setting:?} {option:?} {}", run.stderr);
    }
}

#[test]
fn quiet_says_nothing_of_a_success_and_all_of_a_failure() {
    let repo = repo();
    let run = repo
        .run(&["apply", "-q"], update("a.txt", "four", "4"))
        .ended(1);
    assert!(
        run.stderr.starts_with("error[lines-not-found]: "),
        "{}",
        run.stderr
    );
    let run = repo
        .run(&["apply", "--quiet"], update("a.txt", "two", "2"))
        .succeeded();
    assert_eq!((run.stdout, run.stderr), (String::new(), String::new()));
}

#[test]
fn a_response_that_changes_nothing_is_an_error_unless_allowed() {
    for (path, response) in [
        ("a.txt", update("a.txt", "two", "two")),
        ("src/b.txt", opx("src/b.txt", "", "b", "b")),
    ] {
        let repo = repo();
        let head = repo.git(&["rev-parse", "HEAD"]);
        let run = repo.run(&["apply", "--commit"], &response).ended(1);
        assert!(
            run.stderr.starts_with("error[unchanged]: ") && run.stderr.contains(path),
            "{}",
            run.stderr
        );
        for args in [
            &["apply", "--allow-empty"][..],
            &["apply", "--allow-empty", "--commit"],
        ] {
            let run = repo.run(args, &response).succeeded();
            assert_eq!(run.stdout, " 0 files changed\n");
        }
        assert_eq!(repo.git(&["rev-parse", "HEAD"]), head);
    }
}

/// Threads whose stacks are larger than memory can't be had.
#[test]
fn a_system_without_threads_to_give_is_no_reason_to_fail() {
    let line = "let value = compute(\"some text\");\n";
    let content = format!("{}one\n{}", line.repeat(1 << 15), line.repeat(1 << 15));
    let repo = super::support::Repo::with(&[("a.txt", &content)]);
    let apply = |args: &[&str], response: String| {
        let mut command = repo.command();
        command
            .env("RUST_MIN_STACK", (1_u64 << 62).to_string())
            .args(args)
            .env("RUST_BACKTRACE", "0");
        run(&mut command, response.as_bytes())
    };
    let refused = apply(
        &["check"],
        update("a.txt", "let values = computed(\"some text\");", "x"),
    )
    .ended(1);
    assert!(
        refused.stderr.contains("note: closest match"),
        "{}",
        refused.stderr
    );
    let message = envelope("*** Update File: a.txt\n@@\n-one\n+two\n");
    apply(&["apply", "--commit", "-m", "A message"], message).succeeded();
    repo.child("a.txt")
        .assert(content.replace("one\n", "two\n"));
}
