//! `--base`: planned as on the tree that a response is about, and refused where that isn't what is
//! there now.

use std::fs;

use assert_fs::prelude::*;

use super::support::{Repo, documents, run, some};
use super::{envelope, onto, repo, update};

/// Without drift a base changes nothing of what an apply does.
#[test]
fn where_nothing_changed_since_it_is_as_without() {
    let targets = [
        &[][..],
        &["--index"],
        &["--cached"],
        &["--commit", "-m", "x"],
        &["--onto=HEAD"],
    ];
    let all = onto::changes()
        .into_iter()
        .flat_map(|change| targets.map(|args| (change.clone(), args)));
    for ((what, response), args) in some(all, 3) {
        let with = onto::base();
        let without = with.copied();
        let run = with.run(&[&["apply", "--base=HEAD"], args].concat(), &response);
        let bare = without.run(&[&["apply"], args].concat(), &response);
        assert_eq!(
            (run.status, &run.stderr),
            (bare.status, &bare.stderr),
            "{what} {args:?}"
        );
        assert_eq!(with.files(), without.files(), "{what} {args:?}");
        let seen = |repo: &Repo| {
            [
                repo.git(&["ls-files", "-s"]),
                repo.git(&["status", "--porcelain"]),
            ]
        };
        assert_eq!(seen(&with), seen(&without), "{what} {args:?}");
    }
}

/// The lines are in the file once more since, earlier: without a base they are found in the wrong
/// place.
fn doubled() -> Repo {
    let repo = Repo::with(&[("a.txt", "x\nreturn 1;\n}\n"), ("b.txt", "b\n")]);
    repo.child("a.txt")
        .write_str("y\nreturn 1;\n}\nx\nreturn 1;\n}\n")
        .unwrap();
    repo.git(&["commit", "-qam", "Say it earlier, too"]);
    repo
}

#[test]
fn a_file_that_changed_since_is_stale_and_it_is_said_how_and_by_whom() {
    let response = update("a.txt", "return 1;", "return 2;");
    for args in [
        &["apply"][..],
        &["apply", "--index"],
        &["apply", "--cached"],
        &["apply", "--commit"],
        &["apply", "--onto=HEAD"],
        &["check"],
        &["check", "--cached"],
        &["check", "--onto=HEAD"],
        &["diff"],
        &["convert", "--to=opx"],
    ] {
        let repo = doubled();
        let before = (
            repo.files(),
            repo.git(&["ls-files", "-s"]),
            repo.git(&["log", "--all", "--format=%h"]),
        );
        let run = repo
            .run(&[args, &["--base=HEAD~1"]].concat(), &response)
            .ended(1);
        let id = repo.git(&["rev-parse", "--short", "HEAD"]);
        assert!(
            run.stderr
                .starts_with("error[stale]: `a.txt` has changed since the base\n"),
            "{}",
            run.stderr
        );
        assert!(
            run.stderr.contains("note: it differs in lines 1–3\n"),
            "{}",
            run.stderr
        );
        let by = format!(
            "note: changed by {} (Ann Author): Say it earlier, too\n",
            id.trim()
        );
        assert!(run.stderr.contains(&by), "{}", run.stderr);
        assert!(run.stdout.is_empty(), "{}", run.stderr);
        let after = (
            repo.files(),
            repo.git(&["ls-files", "-s"]),
            repo.git(&["log", "--all", "--format=%h"]),
        );
        assert_eq!(after, before, "{args:?}");
    }
    let repo = doubled();
    let mut command = repo.command();
    let run = run(
        command.args(["apply", "--base=HEAD~1", "--feedback"]),
        response.as_bytes(),
    )
    .ended(1);
    assert!(
        run.stdout.contains("`a.txt` has changed since the base"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("y\nreturn 1;\n}\nx\n"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("make the change for what it is now"),
        "{}",
        run.stdout
    );
    // What hasn't changed is simply changed.
    repo.run(&["apply", "--base=HEAD~1"], update("b.txt", "b", "B"))
        .succeeded();
    assert_eq!(repo.text("b.txt"), "B\n");
}

#[test]
fn lines_are_looked_for_in_the_base() {
    let repo = doubled();
    let run = repo
        .run(&["check", "--base=HEAD~1"], update("a.txt", "y", "z"))
        .ended(1);
    assert!(
        run.stderr.starts_with("error[lines-not-found]"),
        "{}",
        run.stderr
    );
    let run = repo
        .run(&["check", "--base=HEAD~1"], update("c.txt", "y", "z"))
        .ended(1);
    assert!(
        run.stderr.starts_with("error[file-missing]"),
        "{}",
        run.stderr
    );
}

#[test]
fn files_that_come_go_or_become_another_kind_are_stale() {
    let add = envelope("*** Add File: new.txt\n+x\n");
    let delete = envelope("*** Delete File: src/b.txt\n");
    for (scene, response, said) in [
        (
            (|repo| repo.child("new.txt").write_str("y\n").unwrap()) as fn(&Repo),
            &add,
            "`new.txt` is here, untracked, and not in the base",
        ),
        (
            |repo| repo.child("new.txt").write_str("y\n").unwrap(),
            &update("new.txt", "y", "Y"),
            "`new.txt` is here, untracked, and not in the base",
        ),
        (
            |repo| {
                repo.child("new.txt").write_str("y\n").unwrap();
                repo.git(&["add", "new.txt"]);
            },
            &update("new.txt", "y", "Y"),
            "`new.txt` was added since the base",
        ),
        (
            |repo| fs::create_dir(repo.child("new.txt")).unwrap(),
            &add,
            "`new.txt` was added since the base",
        ),
        (
            |repo| fs::remove_file(repo.child("src/b.txt")).unwrap(),
            &delete,
            "`src/b.txt` was removed since the base",
        ),
        (
            |repo| {
                fs::remove_dir_all(repo.child("src")).unwrap();
                repo.child("src").write_str("x\n").unwrap();
            },
            &delete,
            "`src/b.txt` was removed since the base",
        ),
        (
            |repo| repo.chmod("src/b.txt", 0o755),
            &delete,
            "`src/b.txt` has changed since the base",
        ),
        (
            |repo| repo.child("src/b.txt").write_binary(b"\0\x01").unwrap(),
            &delete,
            "`src/b.txt` has changed since the base",
        ),
    ] {
        let repo = repo();
        scene(&repo);
        let before = repo.files();
        let run = repo.run(&["apply", "--base=HEAD"], response).ended(1);
        assert!(
            run.stderr.starts_with(&format!("error[stale]: {said}\n")),
            "{}",
            run.stderr
        );
        assert_eq!(repo.files(), before);
    }
    // All of them in one run.
    let repo = repo();
    repo.child("a.txt")
        .write_str("zero\none\ntwo\nthree\n")
        .unwrap();
    repo.child("src/b.txt").write_str("b\nmore\n").unwrap();
    let two = envelope(
        "*** Update File: a.txt\n@@\n-two\n+2\n*** Update File: src/b.txt\n@@\n-b\n+B\n*** Update File: src/c.txt\n@@\n-c\n+C\n",
    );
    let run = repo.run(&["check", "--base=HEAD", "--json"], two);
    let told = documents::document(&run);
    let stale: Vec<_> = told["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error["path"].clone())
        .collect();
    assert_eq!(
        (stale, documents::kinds(&told, "errors")),
        (
            vec!["a.txt".into(), "src/b.txt".into()],
            vec!["stale".to_owned(); 2]
        )
    );
}

/// The help of such a refusal leads out of it: a base that has what the model was shown.
#[test]
fn a_snapshot_of_untracked_files_is_a_base_for_them() {
    let repo = repo();
    repo.child("u.txt").write_str("u\n").unwrap();
    repo.child(".gitattributes")
        .write_str("*.rs text\n")
        .unwrap();
    let response = update("u.txt", "u", "U");
    let base = repo.run(&["snapshot"], "").succeeded().stdout;
    let base = format!("--base={}", base.trim());
    for args in [&["check", &base][..], &["check", &base, "--feedback"]] {
        let run = repo.run(args, &response).ended(1);
        let told = run.stderr + &run.stdout;
        assert!(
            told.contains("not in the base")
                && told.contains("snapshot --untracked") == (args.len() == 2),
            "{told}"
        );
        assert!(!told.contains("add the file"), "{told}");
    }
    // Other files aren't concerned.
    repo.run(&["check", &base], update("a.txt", "two", "2"))
        .succeeded();
    let base = repo
        .run(&["snapshot", "--untracked"], "")
        .succeeded()
        .stdout;
    repo.run(&["apply", &format!("--base={}", base.trim())], &response)
        .succeeded();
    assert_eq!(repo.text("u.txt"), "U\n");
}

/// No advice leads to a snapshot that hasn't got the file either, nor to adding a file that is here.
#[test]
fn a_file_that_no_snapshot_has_is_told_as_that_by_a_merge_too() {
    let repo = repo();
    repo.child(".gitignore").write_str("i.txt\n").unwrap();
    repo.commit("ignore");
    for name in ["i.txt", "u.txt"] {
        repo.child(name).write_str("u\n").unwrap();
    }
    let delete = |name: &str| envelope(&format!("*** Delete File: {name}\n"));
    for (name, how, help) in [
        ("i.txt", "ignored by git", "`git add --force`"),
        ("u.txt", "untracked", "snapshot --untracked"),
    ] {
        for response in [update(name, "u", "U"), delete(name)] {
            for args in [
                &["check", "--base=HEAD"][..],
                &["check", "-3", "--base=HEAD"],
            ] {
                let run = repo.run(args, &response).ended(1);
                let said = format!("`{name}` is here, {how}, and not in the base");
                assert!(run.stderr.contains(&said), "{args:?}: {}", run.stderr);
                assert!(
                    run.stderr.contains(help) && !run.stderr.contains("add the file"),
                    "{args:?}: {}",
                    run.stderr
                );
            }
        }
    }
    repo.git(&["add", "--force", "i.txt"]);
    let base = repo.run(&["snapshot"], "").succeeded().stdout;
    repo.run(
        &["check", &format!("--base={}", base.trim())],
        update("i.txt", "u", "U"),
    )
    .succeeded();
    let run = repo
        .run(&["check", "-3", "--base=HEAD"], update("i.txt", "u", "U"))
        .ended(1);
    assert!(
        run.stderr.contains("`i.txt` was added since the base"),
        "{}",
        run.stderr
    );
}

#[test]
fn what_a_checkout_converts_is_the_same_file() {
    let repo = repo();
    repo.child(".gitattributes")
        .write_str("a.txt text eol=crlf\n")
        .unwrap();
    repo.git(&["add", "."]);
    repo.git(&["commit", "-qm", "rules"]);
    fs::remove_file(repo.child("a.txt")).unwrap();
    repo.git(&["checkout", "-q", "a.txt"]);
    assert_eq!(repo.text("a.txt"), "one\r\ntwo\r\nthree\r\n");
    repo.run(&["apply", "--base=HEAD"], update("a.txt", "two", "2"))
        .succeeded();
    assert_eq!(repo.text("a.txt"), "one\r\n2\r\nthree\r\n");
    let run = repo
        .run(&["apply", "--base=HEAD"], update("a.txt", "three", "3"))
        .ended(1);
    assert!(
        run.stderr.contains("note: it differs in line 2\n"),
        "{}",
        run.stderr
    );
    let unmoded = super::repo();
    unmoded.git(&["config", "core.fileMode", "false"]);
    unmoded.chmod("a.txt", 0o755);
    unmoded
        .run(&["apply", "--base=HEAD"], update("a.txt", "two", "2"))
        .succeeded();
}

#[test]
fn snapshots_are_bases_and_a_setting_names_one() {
    let repo = repo();
    repo.child("a.txt")
        .write_str("one\ntwo and a half\n")
        .unwrap();
    let base = repo.run(&["snapshot"], "").succeeded().stdout;
    repo.git(&["config", "llmpatch.base", base.trim()]);
    repo.run(&["check"], update("a.txt", "two and a half", "3"))
        .succeeded();
    repo.child("a.txt")
        .write_str("zero\none\ntwo and a half\n")
        .unwrap();
    let run = repo
        .run(&["apply"], update("a.txt", "two and a half", "3"))
        .ended(1);
    assert!(
        run.stderr.contains("note: it differs in line 1\n") && !run.stderr.contains("changed by"),
        "{}",
        run.stderr
    );
    repo.run(
        &["check", "--no-base"],
        update("a.txt", "two and a half", "3"),
    )
    .succeeded();
    let run = repo
        .run(&["check", "--base=HEAD"], update("a.txt", "two", "2"))
        .ended(1);
    assert!(
        run.stderr.contains("`a.txt` has changed since the base"),
        "{}",
        run.stderr
    );
    repo.run(
        &["apply", "--no-base"],
        update("a.txt", "two and a half", "3"),
    )
    .succeeded();
    // Who needs no base isn't kept by one that is none.
    repo.git(&["config", "llmpatch.base", "--upload-pack=x"]);
    let run = repo.run(&["check"], update("a.txt", "3", "4")).ended(2);
    assert!(
        run.stderr
            .contains("`llmpatch.base` is set to `--upload-pack=x`, which is not"),
        "{}",
        run.stderr
    );
    repo.run(&["undo"], "").succeeded();
}

/// Returns the ids of the commit before a file changed, and of the last one.
fn ids(repo: &Repo) -> [String; 2] {
    ["HEAD~1", "HEAD"].map(|rev| repo.git(&["rev-parse", rev]).trim().to_owned())
}

#[test]
fn a_response_says_what_it_is_about() {
    let repo = doubled();
    let [old, now] = ids(&repo);
    let patch = update("a.txt", "return 1;", "return 2;");
    let opx = |base: &str| {
        format!(
            "<opx base=\"{base}\">\n<edit file=\"a.txt\" op=\"patch\"><find>\n<<<\nx\nreturn 1;\n>>>\n</find><put>\n<<<\nx\nreturn 2;\n>>>\n</put></edit>\n</opx>\n"
        )
    };
    let outer = opx(&old).replace("<opx", "Base: 0123456789\n\n<opx");
    for (response, is_stale) in [
        (format!("Base: {old}\n\n{patch}"), true),
        (
            format!("So:\n```\nbase:  {}  \r\n{patch}```\n", &old[..7]),
            true,
        ),
        (format!("Base: {now}\nBase: {old}\n{patch}"), true),
        (opx(&old), true),
        (opx("HEAD~1"), true),
        (outer, true),
        (format!("Base: {now}\n\n{patch}"), false),
        (opx("HEAD"), false),
        // These are prose.
        (format!("Base: HEAD~1\n\n{patch}"), false),
        (format!("Base: {}\n\n{patch}", &old[..6]), false),
        (format!("Base: {old} it is\n\n{patch}"), false),
        (format!("Its base: {old}\n\n{patch}"), false),
        (format!("{patch}\nBase: {old}\n"), false),
        (format!("<think>\nBase: {old}\n</think>\n{patch}"), false),
        (format!("<!--\nBase: {old}\n-->\n{patch}"), false),
    ] {
        let run = repo.run(&["check", "--json"], &response);
        let document = documents::documents(&run.stdout).remove(0);
        assert_eq!(
            run.status,
            i32::from(is_stale),
            "{response}\n{}",
            run.stdout
        );
        if is_stale {
            assert_eq!(document["errors"][0]["kind"], "stale", "{response}");
        }
        // Who asks for another is heard, and so is who wants none.
        for args in [&["check", "--base=HEAD"][..], &["check", "--no-base"]] {
            repo.run(args, &response).succeeded();
        }
        let stale = repo.run(&["check", "--base", &old], &response).ended(1);
        assert!(stale.stderr.starts_with("error[stale]"), "{}", stale.stderr);
    }
    // It counts for more than what is configured.
    repo.git(&["config", "llmpatch.base", "HEAD~1"]);
    repo.run(&["check"], &patch).ended(1);
    let run = repo
        .run(&["check", "--json"], format!("Base: {now}\n\n{patch}"))
        .succeeded();
    assert_eq!(documents::documents(&run.stdout)[0]["base"], now);
    let run = repo
        .run(&["check", "--json", "--no-base"], &patch)
        .succeeded();
    assert_eq!(
        documents::documents(&run.stdout)[0]["base"],
        serde_json::Value::Null
    );
}

#[test]
fn a_base_that_is_none_or_two_is_an_error_with_its_line() {
    let repo = doubled();
    let [old, now] = ids(&repo);
    let patch = update("b.txt", "b", "B");
    let run = repo
        .run(&["apply"], format!("Base: 0123456789\n\n{patch}"))
        .ended(1);
    let want = "error[stale]: the response is based on `0123456789`, which names no commit or tree here\n --> <stdin>:1:1\n";
    assert!(run.stderr.starts_with(want), "{}", run.stderr);
    let edit = |file: &str, base: &str| {
        format!("<opx base=\"{base}\"><edit file=\"{file}\" op=\"remove\"/></opx>\n")
    };
    let run = repo
        .run(
            &["apply"],
            edit("a.txt", &now) + &edit("b.txt", &now) + &edit("b.txt", &old),
        )
        .ended(1);
    assert!(
        run.stderr
            .starts_with("error[parse]: the responses are based on ")
            && run.stderr.contains(":3:12"),
        "{}",
        run.stderr
    );
    repo.run(&["apply"], edit("a.txt", &now) + &edit("b.txt", &now))
        .succeeded();
}

#[test]
fn what_a_base_holds_may_be_replaced_whole() {
    for base in ["HEAD", "HEAD~1"] {
        let repo = doubled();
        let whole = envelope("*** Add File: b.txt\n+new\n");
        repo.run(&["apply"], &whole).ended(1);
        repo.run(&["apply", "--base", base], &whole).succeeded();
        assert_eq!(repo.text("b.txt"), "new\n");
        // A file that has another one's place is no file that was replaced.
        let moved = envelope("*** Update File: b.txt\n*** Move to: a.txt\n@@\n-new\n+newer\n");
        repo.run(&["apply", "--base=HEAD"], moved).ended(1);
    }
    let repo = doubled();
    let run = repo
        .run(
            &["apply", "--base=HEAD~1"],
            envelope("*** Add File: a.txt\n+new\n"),
        )
        .ended(1);
    assert!(run.stderr.starts_with("error[stale]"), "{}", run.stderr);
}

#[test]
fn what_show_writes_of_a_base_is_read() {
    let repo = doubled();
    let [old, _] = ids(&repo);
    for format in ["envelope", "opx", "blocks", "tool"] {
        let shown = repo
            .run(&["show", "--base", "--to", format, "HEAD"], "")
            .succeeded()
            .stdout;
        assert!(shown.contains(&old), "{shown}");
        let document = documents::documents(
            &repo
                .run(&["check", "--json", "--onto=HEAD~1"], &shown)
                .succeeded()
                .stdout,
        )
        .remove(0);
        assert_eq!(document["base"], old, "{shown}");
        let run = repo.run(&["check"], &shown).ended(1);
        assert!(run.stderr.starts_with("error[stale]"), "{}", run.stderr);
        // The first commit is about nothing.
        assert!(
            !repo
                .run(&["show", "--base", "--to", format, "HEAD~1"], "")
                .succeeded()
                .stdout
                .contains("ase: ")
        );
    }
    // What a message says is no base.
    repo.child("b.txt").write_str("B\n").unwrap();
    repo.git(&["commit", "-qam", &format!("x\n\nBase: {old}")]);
    let shown = repo.run(&["show", "HEAD"], "").succeeded().stdout;
    assert!(shown.contains(&format!("| Base: {old}\n")), "{shown}");
}

#[test]
fn what_is_merged_needs_a_base_from_somewhere() {
    let repo = doubled();
    let [old, _] = ids(&repo);
    let response = update("a.txt", "}", "};");
    let run = repo.run(&["apply", "-3"], &response).ended(2);
    assert!(
        run.stderr
            .contains("nothing says which commit or tree the response is based on"),
        "{}",
        run.stderr
    );
    let merged = repo.copied();
    merged
        .run(&["apply", "-3"], format!("Base: {old}\n{response}"))
        .succeeded();
    repo.git(&["config", "llmpatch.base", &old]);
    repo.run(&["apply", "-3"], &response).succeeded();
    assert_eq!(
        [repo.text("a.txt"), merged.text("a.txt")],
        ["y\nreturn 1;\n}\nx\nreturn 1;\n};\n"; 2]
    );
}

/// The call of an edit tool that goes by a line number.
fn insert(path: &str, line: usize, text: &str) -> String {
    let text = text.escape_default();
    format!(
        "{{\"command\": \"insert\", \"path\": \"{path}\", \"insert_line\": {line}, \"insert_text\": \"{text}\"}}\n"
    )
}

#[test]
fn lines_are_inserted_by_their_number_where_a_base_says_of_what() {
    let files = [
        ("a.txt", "1\n2\n3\n"),
        ("crlf.txt", "1\r\n2\r\n"),
        ("open.txt", "1\n2"),
        ("empty.txt", ""),
    ];
    for (path, calls, want) in [
        ("a.txt", vec![(0, "x\n")], "x\n1\n2\n3\n"),
        ("a.txt", vec![(1, "x")], "1\nx\n2\n3\n"),
        ("a.txt", vec![(3, "x\ny\n\n")], "1\n2\n3\nx\ny\n\n"),
        // Each call sees what those before it left.
        (
            "a.txt",
            vec![(1, "x\ny\n"), (2, "z\n")],
            "1\nx\nz\ny\n2\n3\n",
        ),
        ("a.txt", vec![(1, "x\r\ny")], "1\nx\ny\n2\n3\n"),
        ("crlf.txt", vec![(1, "x\ny\n")], "1\r\nx\r\ny\r\n2\r\n"),
        ("crlf.txt", vec![(1, "x\r\ny")], "1\r\nx\r\ny\r\n2\r\n"),
        ("open.txt", vec![(2, "x\n")], "1\n2\nx\n"),
        ("empty.txt", vec![(0, "x\n")], "x\n"),
    ] {
        let repo = Repo::with(&files);
        let response: String = calls
            .iter()
            .map(|(line, text)| insert(path, *line, text))
            .collect();
        let run = repo.run(&["apply"], &response).ended(1);
        assert!(
            run.stderr.starts_with(
                "error[unsupported]: only a line number says where lines are added to"
            ),
            "{}",
            run.stderr
        );
        assert!(run.stderr.contains("--base=<tree>"), "{}", run.stderr);
        repo.run(&["apply", "--base=HEAD"], &response).succeeded();
        assert_eq!(repo.text(path), want, "{calls:?}");
        let said = Repo::with(&files);
        said.run(
            &["apply", "--index"],
            format!("Base: {}\n\n{response}", said.git(&["rev-parse", "HEAD"])),
        )
        .succeeded();
        assert_eq!(said.text(path), want, "{calls:?}");
    }
    let repo = Repo::with(&files);
    for line in [4, 5000] {
        let run = repo
            .run(&["apply", "--base=HEAD"], insert("a.txt", line, "x\n"))
            .ended(1);
        assert!(
            run.stderr.contains("but the file has only 3\n"),
            "{}",
            run.stderr
        );
    }
    // The file has changed since: the number is of the base's lines, also in a merge.
    repo.child("a.txt").write_str("0\n1\n2\n3\n").unwrap();
    repo.git(&["commit", "-qam", "since"]);
    let response = insert("a.txt", 3, "x\n");
    let run = repo.run(&["apply", "--base=HEAD~1"], &response).ended(1);
    assert!(
        run.stderr
            .contains("\nerror[stale]: `a.txt` has changed since the base\n"),
        "{}",
        run.stderr
    );
    repo.run(&["apply", "--base=HEAD~1", "-3"], &response)
        .succeeded();
    assert_eq!(repo.text("a.txt"), "0\n1\n2\n3\nx\n");
}
