//! `--limit`, `llmpatch.limit` and `llmpatch.protect`: what is refused, by whom, and what gets
//! around them, which is nothing.

use std::process::Command;

use assert_fs::prelude::*;
use llmpatch::pathspec::{Case, Defaults, Pathspec, Pathspecs};
use proptest::prelude::*;

use super::support::documents::{document, kinds};
use super::support::{self, Repo, few, isolated};
use super::{envelope, opx, repo, update};

/// The paths that each refused, in order, as a message names them.
fn refused(stderr: &str) -> Vec<String> {
    let headlines = stderr
        .lines()
        .filter_map(|line| line.strip_prefix("error[protected]: `"));
    headlines
        .map(|rest| rest.split('`').next().unwrap().to_owned())
        .collect()
}

/// The manual says so. git refuses every `..`, seen with 2.47.
#[test]
fn a_directory_confines_nothing_and_a_limit_does() {
    for (written, meant, by_git) in [
        ("b.txt", "src/b.txt", true),
        ("./b.txt", "src/b.txt", false),
        ("../d.txt", "d.txt", false),
        ("deep/../../d.txt", "d.txt", false),
    ] {
        let files = [
            ("src/b.txt", "b\n"),
            ("src/deep/c.txt", ""),
            ("d.txt", "b\n"),
        ];
        let diff = format!("--- a/{written}\n+++ b/{written}\n@@ -1 +1 @@\n-b\n+B\n");
        let git = Repo::with(&files);
        let mut apply = isolated(Command::new("git"), git.path());
        let applied = support::run(apply.args(["apply", "--directory=src"]), diff.as_bytes());
        assert_eq!(applied.status == 0, by_git, "{written}: {}", applied.stderr);
        for response in [
            &diff,
            &update(written, "b", "B"),
            &opx(written, "", "b", "B"),
        ] {
            let repo = Repo::with(&files);
            let limited = ["apply", "--directory=src", "--limit=src"];
            let is_inside = meant.starts_with("src/");
            let run = repo.run(&limited, response);
            assert_eq!(run.status == 0, is_inside, "{response}{}", run.stderr);
            if !is_inside {
                assert_eq!(refused(&run.stderr), [meant], "{response}");
                let run = repo.run(&["apply", "--directory=src"], response);
                run.succeeded();
            }
            assert_eq!(repo.text(meant), "B\n", "{response}");
        }
    }
}

#[test]
fn every_command_that_plans_refuses_alike_and_changes_nothing() {
    let repo = repo();
    repo.git(&["config", "llmpatch.protect", "src/c.txt"]);
    let response = envelope(
        "*** Update File: a.txt\n@@\n-two\n+2\n*** Update File: src/b.txt\n@@\n-b\n+B\n*** Delete File: src/c.txt\n\
         *** Add File: new.txt\n+n\n",
    );
    let before = (
        repo.files(),
        repo.git(&["ls-files", "--stage"]),
        repo.git(&["rev-parse", "HEAD"]),
    );
    for args in [
        &["apply"][..],
        &["apply", "--index"],
        &["apply", "--cached"],
        &["apply", "--commit"],
        &["apply", "-N"],
        &["apply", "--check"],
        &["apply", "--diff"],
        &["apply", "--stat", "--apply"],
        &["check"],
        &["check", "--cached"],
        &["check", "--onto=HEAD"],
        &["diff"],
        &["diff", "--cached"],
        &["convert", "--to=opx"],
        &["convert", "--to=unified"],
        &["convert", "--to=envelope", "--onto=HEAD"],
    ] {
        let args = [args, &["--limit=src"]].concat();
        let run = repo.run(&args, &response).ended(1);
        assert_eq!(
            refused(&run.stderr),
            ["a.txt", "src/c.txt", "new.txt"],
            "{args:?} {}",
            run.stderr
        );
        assert_eq!(run.stdout, "", "{args:?}");
        for said in [
            "`a.txt` is outside of `src` (--limit)\n --> <stdin>:2:18\n",
            "`src/c.txt` is protected by `src/c.txt` (llmpatch.protect)\n  --> <stdin>:10:18\n",
            "help: leave this file out of the patch",
            "3 errors",
        ] {
            assert!(
                run.stderr.contains(said),
                "{args:?}: {said}\n{}",
                run.stderr
            );
        }
    }
    let after = (
        repo.files(),
        repo.git(&["ls-files", "--stage"]),
        repo.git(&["rev-parse", "HEAD"]),
    );
    assert_eq!(before, after);
    // What is within goes through, in each of them.
    for args in [
        &["check"][..],
        &["diff"],
        &["convert", "--to=opx"],
        &["apply"],
    ] {
        repo.run(
            &[args, &["--limit=src", "--limit=docs"]].concat(),
            update("src/b.txt", "b", "B"),
        )
        .succeeded();
    }
}

#[test]
fn an_option_takes_the_place_of_the_limit_that_is_set_and_not_of_what_is_protected() {
    let repo = repo();
    for (key, value) in [
        ("limit", "src"),
        ("limit", ":!src/c.txt"),
        ("protect", "a.txt"),
        ("protect", "*.yml"),
    ] {
        repo.git(&["config", "--add", &format!("llmpatch.{key}"), value]);
    }
    let check = |before: &[&str], after: &[&str], path: &str| {
        let mut git = repo.command();
        for pair in before {
            git.env("GIT_CONFIG_COUNT", "1")
                .env("GIT_CONFIG_KEY_0", pair.split_once('=').unwrap().0);
            git.env("GIT_CONFIG_VALUE_0", pair.split_once('=').unwrap().1);
        }
        let run = super::support::run(
            git.arg("check").args(after),
            envelope(&format!("*** Add File: {path}\n+x\n")).as_bytes(),
        );
        assert!(run.status <= 1, "{}", run.stderr);
        run.stderr.lines().next().map(|line| {
            line.rsplit_once('(')
                .unwrap()
                .1
                .trim_end_matches(')')
                .to_owned()
        })
    };
    for (before, after, path, by) in [
        (&[][..], &[][..], "src/x", None),
        (&[], &[], "docs/x", Some("llmpatch.limit")),
        (&[], &["--limit=docs"], "docs/x", None),
        (&[], &["--limit=docs", "--limit", "src"], "src/x", None),
        (&[], &["--limit=docs"], "src/x", Some("--limit")),
        (&[], &["--limit=."], "x", None),
        (&[], &["--limit=."], "x.yml", Some("llmpatch.protect")),
        (&[], &[], "src/x.yml", Some("llmpatch.protect")),
        // As with git's own lists, one more value is added, and an empty one takes back those
        // before it.
        (
            &["llmpatch.protect=src/x"],
            &[],
            "src/x.yml",
            Some("llmpatch.protect"),
        ),
        (
            &["llmpatch.protect=src/x"],
            &[],
            "src/x",
            Some("llmpatch.protect"),
        ),
        (&["llmpatch.protect="], &[], "src/x.yml", None),
        (&["llmpatch.limit="], &[], "docs/x", None),
    ] {
        assert_eq!(
            check(before, after, path).as_deref(),
            by,
            "{before:?} {after:?} {path}"
        );
    }
}

#[test]
fn what_is_no_pathspec_is_told_before_anything_is_read() {
    let repo = repo();
    for (spec, said) in [
        ("", "a pathspec can't be empty; `.` means everything"),
        (":(icase", "the `)` after its magic words is missing"),
        (":(nocase)a", "`nocase` isn't one of git's magic words"),
        (":(attr:x)a", "the magic word `attr` isn't supported here"),
        ("../x", "it leads out of the work tree"),
        ("/x", "count from the top of the work tree"),
    ] {
        for command in ["apply", "check", "diff"] {
            let run = repo
                .run(&[command, &format!("--limit={spec}"), "no-such-file"], "")
                .ended(2);
            assert!(
                run.stderr.contains(said) && run.stderr.contains("--limit"),
                "{}",
                run.stderr
            );
            assert!(!run.stderr.contains("no-such-file"), "{}", run.stderr);
        }
        for key in ["llmpatch.limit", "llmpatch.protect"] {
            // An empty one is no mistake there.
            if spec.is_empty() {
                continue;
            }
            repo.git(&["config", key, spec]);
            let run = repo.run(&["apply", "no-such-file"], "").ended(2);
            let start =
                format!("error[usage]: `{key}` is set to `{spec}`, which isn't a pathspec: {said}");
            assert!(
                run.stderr.starts_with(&start[..start.len() - said.len()]),
                "{}",
                run.stderr
            );
            assert!(
                run.stderr.contains(said) && !run.stderr.contains("no-such-file"),
                "{}",
                run.stderr
            );
            repo.git(&["config", "--unset", key]);
        }
    }
    repo.child(".git/config")
        .write_str(&(repo.text(".git/config") + "[llmpatch]\n\tprotect\n"))
        .unwrap();
    let run = repo.run(&["apply"], update("a.txt", "two", "2")).ended(2);
    assert!(
        run.stderr
            .starts_with("error[usage]: `llmpatch.protect` is set to ``, which is not a value"),
        "{}",
        run.stderr
    );
}

/// However a response spells it, a protected path is a protected path.
#[test]
fn no_spelling_gets_around_it() {
    super::support::needs(super::support::Need::Paths);
    let repo = repo();
    repo.child(".github/workflows/ci.yml")
        .write_str("on: push\n")
        .unwrap();
    repo.commit("ci");
    repo.git(&["config", "llmpatch.protect", ".github"]);
    repo.git(&["config", "llmpatch.root.ci", ".github"]);
    let top = repo.path().to_str().unwrap().to_owned();
    let ci = ".github/workflows/ci.yml";
    let absolute = format!("{top}/{ci}");
    let uri = format!("file://{top}/{ci}");
    let rooted = |root: &str, path: &str| {
        opx(path, "", "on: push", "on: []").replacen(
            "<edit ",
            &format!("<edit root=\"{root}\" "),
            1,
        )
    };
    let change = |path: &str| update(path, "on: push", "on: []");
    let diff = |header: &str| format!("diff --git {header}\n");
    let hunk = "@@ -1 +1 @@\n-on: push\n+on: []\n";
    let responses = [
        (&[][..], change(ci)),
        (&[], change("./.github//workflows/../workflows/ci.yml")),
        (&[], change("src/../.github/workflows/ci.yml")),
        (&[], change(&absolute)),
        (&[], change(&uri)),
        (&["--directory=.github"], change("workflows/ci.yml")),
        (&["--directory=src"], change("../.github/workflows/ci.yml")),
        (&[], rooted("ci", "workflows/ci.yml")),
        (&[], rooted("work", ci)),
        (&[], opx(ci, "", "on: push", "on: []")),
        (&[], format!("--- a/{ci}\n+++ b/{ci}\n{hunk}")),
        (
            &[],
            diff(&format!("a/{ci} b/{ci}")) + &format!("--- a/{ci}\n+++ b/{ci}\n{hunk}"),
        ),
        (
            &[],
            diff(&format!("a/{ci} b/{ci}")) + "old mode 100644\nnew mode 100755\n",
        ),
        (
            &[],
            diff(&format!("a/{ci} b/x.yml"))
                + &format!("similarity index 100%\nrename from {ci}\nrename to x.yml\n"),
        ),
        (
            &[],
            diff(&format!("a/{ci} b/x.yml"))
                + &format!("similarity index 100%\ncopy from {ci}\ncopy to x.yml\n"),
        ),
        (
            &[],
            diff(&format!("a/a.txt b/{ci}2"))
                + &format!("similarity index 100%\ncopy from a.txt\ncopy to {ci}2\n"),
        ),
        (
            &[],
            diff(&format!("a/{ci} b/{ci}"))
                + &format!(
                    "deleted file mode 100644\n--- a/{ci}\n+++ /dev/null\n@@ -1 +0,0 @@\n-on: push\n"
                ),
        ),
        (
            &[],
            diff("\"a/.\\147ithub/n.yml\" \"b/.\\147ithub/n.yml\"")
                + "new file mode 100644\n--- /dev/null\n+++ \"b/.\\147ithub/n.yml\"\n@@ -0,0 +1 @@\n+x\n",
        ),
        (
            &[],
            envelope(&format!("*** Update File: a.txt\n*** Move to: {ci}2\n")),
        ),
        (
            &[],
            envelope(&format!(
                "*** Delete File: {ci}\n*** Add File: {ci}/below\n+x\n"
            )),
        ),
        (&[], envelope("*** Add File: .github\n+x\n")),
        // Nothing would come of these.
        (
            &[],
            envelope(&format!(
                "*** Add File: {ci}\n+on: push\n*** Add File: n\n+n\n"
            )),
        ),
        (
            &[],
            change(ci) + "\n" + &update(ci, "on: []", "on: push") + &update("a.txt", "two", "2"),
        ),
        (&["--allow-empty"], update(ci, "on: push", "on: push")),
    ];
    let before = repo.files();
    for (args, response) in &responses {
        for format in [&[][..], &["--overwrite"]] {
            // A copy of the repository would have other absolute paths.
            let mut command = repo.command();
            command.args([&["apply"], *args, format].concat());
            let run = super::support::run(&mut command, response.as_bytes()).ended(1);
            let all = refused(&run.stderr);
            let is_named_once =
                all.iter().collect::<std::collections::BTreeSet<_>>().len() == all.len();
            assert!(
                !all.is_empty() && is_named_once,
                "{response}\n{}",
                run.stderr
            );
            assert!(
                all.iter().all(|path| path.starts_with(".github")),
                "{response}\n{}",
                run.stderr
            );
        }
    }
    assert_eq!(repo.files(), before);
    // Names that only look like it aren't it.
    for path in [".github2/x", "x/.github/y", ".githu", ".GITHUB/x"] {
        repo.run(&["check"], envelope(&format!("*** Add File: {path}\n+x\n")))
            .succeeded();
    }
    repo.git(&["config", "core.ignoreCase", "true"]);
    for path in [".GITHUB/workflows/CI.yml", ".Github/new"] {
        for args in [
            &["apply"][..],
            &["apply", "--cached"],
            &["check", "--onto=HEAD"],
        ] {
            let run = repo
                .run(args, envelope(&format!("*** Add File: {path}\n+x\n")))
                .ended(1);
            assert_eq!(refused(&run.stderr), [path], "{args:?} {}", run.stderr);
        }
    }
    assert_eq!(repo.files(), before);
}

#[test]
fn a_program_is_told_and_so_is_the_model_but_not_what_the_file_holds() {
    let repo = repo();
    repo.child("secret.txt").write_str("password\n").unwrap();
    repo.git(&["config", "llmpatch.protect", "secret.txt"]);
    let response = envelope(
        "*** Update File: ./secret.txt\n@@\n-pass\n+x\n*** Update File: a.txt\n@@\n-tow\n+2\n",
    );
    let got = document(
        &repo
            .run(&["check", "--json", "--feedback"], &response)
            .ended(1),
    );
    assert_eq!(kinds(&got, "errors"), ["protected", "lines-not-found"]);
    let error = &got["errors"][0];
    assert_eq!(
        (&error["path"], &error["response"]["line"]),
        (&"./secret.txt".into(), &2.into())
    );
    assert_eq!(
        error["message"],
        "`secret.txt` is protected by `secret.txt` (llmpatch.protect)"
    );
    let feedback = got["feedback"].as_str().unwrap();
    assert!(
        feedback.contains("To correct it: leave this file out of the patch.\n"),
        "{feedback}"
    );
    assert!(
        !got.to_string().contains("password") && !feedback.contains("git config"),
        "{feedback}"
    );
}

/// `git --literal-pathspecs llmpatch …` says how options are read, and nothing of what is
/// protected.
#[test]
fn gits_options_for_pathspecs_count_for_options() {
    let repo = repo();
    repo.git(&["config", "llmpatch.protect", "*.yml"]);
    let run = |variable: &str, limit: &str, path: &str| {
        let mut command = repo.command();
        command
            .env(variable, "1")
            .args(["check", &format!("--limit={limit}")]);
        super::support::run(
            &mut command,
            envelope(&format!("*** Add File: {path}\n+x\n")).as_bytes(),
        )
        .status
    };
    for (variable, limit, path, status) in [
        ("GIT_LITERAL_PATHSPECS", "*", "x", 1),
        ("GIT_LITERAL_PATHSPECS", ":(top)x", ":(top)x", 0),
        ("GIT_NOGLOB_PATHSPECS", "*", "x", 1),
        ("GIT_NOGLOB_PATHSPECS", ":(glob)*", "x", 0),
        ("GIT_GLOB_PATHSPECS", "*", "a/x", 1),
        ("GIT_GLOB_PATHSPECS", ":(literal)x", "x", 0),
        ("GIT_ICASE_PATHSPECS", "SRC", "src/x", 0),
        ("GIT_LITERAL_PATHSPECS", "x.yml", "x.yml", 1),
        ("GIT_NOGLOB_PATHSPECS", ".", "x.yml", 1),
    ] {
        // No name on Windows.
        if cfg!(windows) && path.contains(':') {
            continue;
        }
        assert_eq!(
            run(variable, limit, path),
            status,
            "{variable} {limit} {path}"
        );
    }
}

const NAMES: &[&str] = &[
    "a", "A", "b", "ab", "a*b", "a[b]c", "abc", "a\\b", "a/a", "a/b", "a/b/c", "a/b/c/d", "A/b",
    "b/a", "b/ab", "ab/a", "a b/c", "é/à", "a.c", "a/a.c", "b/c/a.c", ".a", ".a/b", "[a]", "[a]/b",
    "a]", "-a", "!a", "^a", ":a", ":(top)a", "#a", "a/x-y", "a/x_y", "x/y/z", "x/yy/z", "x/z",
    "q?", "q*/r", "z", "zz", "0", "9/9",
];

/// Makes an index that holds names, whether or not a disk could.
fn indexed() -> Repo {
    let repo = Repo::empty();
    let blob = repo.git_with_input(&["hash-object", "-w", "--stdin"], b"x\n");
    // A file and a directory of one name need an index each; git's own plumbing would drop one of
    // the two.
    let is_fit = |name: &&&str| {
        !NAMES.iter().any(|other| {
            other
                .strip_prefix(**name)
                .is_some_and(|rest| rest.starts_with('/'))
        })
    };
    let lines: Vec<_> = NAMES
        .iter()
        .filter(is_fit)
        .map(|name| format!("100644 {}\t{name}\0", blob.trim()))
        .collect();
    repo.git_with_input(
        &["update-index", "-z", "--index-info"],
        lines.concat().as_bytes(),
    );
    repo
}

fn by_git(repo: &Repo, specs: &[String]) -> Option<Vec<String>> {
    let mut git = super::support::isolated(std::process::Command::new("git"), repo.path());
    // `git ls-files` compares what excludes with less than the whole path where the others begin
    // alike.
    let run = super::support::run(
        git.args(["grep", "--cached", "-l", "-z", "-e", "x", "--"])
            .args(specs),
        b"",
    );
    (run.status <= 1).then(|| {
        run.stdout
            .split('\0')
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect()
    })
}

fn by_us(names: &[String], specs: &[String]) -> Option<Vec<String>> {
    let specs: Result<Pathspecs, _> = specs
        .iter()
        .map(|spec| Pathspec::new(spec.as_bytes(), Defaults::default()))
        .collect();
    let specs = specs.ok()?;
    Some(
        names
            .iter()
            .filter(|name| specs.matches(name.as_bytes(), Case::Counts))
            .cloned()
            .collect(),
    )
}

#[test]
fn pathspecs_mean_what_they_mean_to_git() {
    super::support::needs(super::support::Need::Names);
    let repo = indexed();
    let names = by_git(&repo, &[]).unwrap();
    for specs in [
        &["a"][..],
        &["a/"],
        &["a/b"],
        &["./a//b/../b"],
        &["."],
        &[":"],
        &[":/"],
        &["::"],
        &[":/a"],
        &[":a"],
        &[":::a"],
        &[":(top)a"],
        &[":()a"],
        &[":(,)a"],
        &[":(literal):(top)a"],
        &["*"],
        &["*.c"],
        &["a*"],
        &["*/*"],
        &["a/*/c"],
        &["?"],
        &["??"],
        &["a?b"],
        &["[a-b]"],
        &["[!a]*"],
        &["[^a]*"],
        &["[[:upper:]]"],
        &["a[b]c"],
        &["\\[a\\]"],
        &["a\\\\b"],
        &["a\\*b"],
        &["q\\?"],
        &["[a"],
        &["a["],
        &["a\\"],
        &[":(glob)*"],
        &[":(glob)**"],
        &[":(glob)*.c"],
        &[":(glob)**/*.c"],
        &[":(glob)a/**"],
        &[":(glob)a/**/d"],
        &[":(glob)a**/b"],
        &[":(glob)x/*/z"],
        &[":(glob)x/**/z"],
        &[":(glob)?/?"],
        &[":(glob)a[/]b"],
        &["a[/]b"],
        &[":(glob)[!x]*"],
        &[":(literal)*"],
        &[":(literal)a*b"],
        &[":(icase)A"],
        &[":(icase)aB*"],
        &[":(icase,glob)A/*"],
        &[":(icase)[a-b]"],
        &[":!a"],
        &[":^a"],
        &[":(exclude)a"],
        &[":!"],
        &["a", ":!a/b"],
        &["*", ":!*.c", ":(exclude)a"],
        &[":!a", ":!b"],
        &[":!*"],
        &["a", "b", "x/y"],
        &[":!a/", "a/b"],
        &["é"],
        &["-a"],
        &["#a"],
        &["!a"],
        &[""],
        &["../a"],
        &[":_a"],
        &[":(glob,literal)a"],
        &[":(nonsense)a"],
        &[":(glob"],
    ] {
        let specs: Vec<_> = specs.iter().map(|spec| (*spec).to_owned()).collect();
        assert_eq!(by_us(&names, &specs), by_git(&repo, &specs), "{specs:?}");
    }
}

#[test]
fn made_up_pathspecs_mean_what_they_mean_to_git() {
    super::support::needs(super::support::Need::Names);
    let repo = indexed();
    let names = by_git(&repo, &[]).unwrap();
    let magic = prop_oneof![
        8 => Just(""),
        2 => Just(":(glob)"),
        1 => Just(":(icase)"),
        1 => Just(":(glob,icase)"),
        1 => Just(":!"),
        1 => Just(":(exclude,glob)"),
        1 => Just(":(literal)"),
        1 => Just(":"),
    ];
    // No capital, since ours finds one in brackets in any case, and git's doesn't.
    let piece = prop::sample::select(vec![
        "a",
        "b",
        "c",
        "x",
        "z",
        ".",
        "/",
        "/",
        "*",
        "**",
        "**/",
        "?",
        "[a-b]",
        "[!a]",
        "[]a]",
        "[[:alpha:]]",
        "[",
        "]",
        "\\",
        "-",
        "_",
    ]);
    let body = prop::collection::vec(piece, 1..6).prop_map(|pieces| pieces.concat());
    // Ours count from the top, so that one that begins with a slash is absolute.
    let body = body.prop_filter("absolute", |body| !body.starts_with('/'));
    let spec = (magic, body).prop_map(|(magic, body)| magic.to_owned() + &body);
    let specs = prop::collection::vec(spec, 1..4);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: few(400),
        failure_persistence: None,
        ..Default::default()
    });
    let done = runner.run(&specs, |specs| {
        let (ours, theirs) = (by_us(&names, &specs), by_git(&repo, &specs));
        prop_assert_eq!(ours, theirs, "{:?}", specs);
        Ok(())
    });
    done.unwrap_or_else(|error| panic!("{error}"));
}
