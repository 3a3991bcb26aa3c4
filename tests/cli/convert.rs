use assert_fs::prelude::*;

use super::support::Repo;
use super::{envelope, opx, repo, update};

const BODY: &str = "*** Update File: a.txt\n@@\n one\n-two\n+2\n three\n*** Add File: n.txt\n+n\n*** Delete File: src/b.txt\n";

#[test]
fn every_format_makes_the_same_change() {
    for to in ["envelope", "opx", "unified"] {
        let repo = repo();
        let run = repo
            .run(&["convert", &format!("--to={to}")], envelope(BODY))
            .succeeded();
        assert_eq!(
            (&run.stderr[..], &repo.git(&["status", "--porcelain"])[..]),
            ("", ""),
            "{to}"
        );
        match to {
            "unified" => drop(repo.git_with_input(&["apply"], &run.stdout_bytes)),
            _ => drop(
                repo.run(&["apply", "--strict", "--unique"], &run.stdout)
                    .succeeded(),
            ),
        }
        repo.child("a.txt").assert("one\n2\nthree\n");
        assert!(repo.child("n.txt").exists() && !repo.child("src/b.txt").exists());
    }
}

#[test]
fn as_blocks_it_is_what_somebody_would_have_written() {
    let text = "Title\n=====\n\n1\n2\n1\n";
    let repo = Repo::with(&[("a.md", text), ("Makefile", "a:\n"), ("gone", "x\n")]);
    let response = envelope(
        "*** Update File: a.md\n@@\n-Title\n+Name\n@@\n 2\n-1\n+=======\n+<<<<<<< HEAD\n*** Update File: Makefile\n@@\n-a:\n+b:\n*** Add File: n/e w\n+\n",
    );
    let run = repo.run(&["convert", "--to=blocks"], &response).succeeded();
    let want = "`Makefile`\n<<<<<<< SEARCH\na:\n=======\nb:\n>>>>>>> REPLACE\n\n\
                a.md\n<<<<<<< SEARCH\nTitle\n=======\nName\n>>>>>>> REPLACE\n\n\
                a.md\n<<<<<<<< SEARCH\n2\n1\n========\n2\n=======\n\\<<<<<<< HEAD\n>>>>>>>> REPLACE\n\n\
                `n/e w`\n<<<<<<< SEARCH\n=======\n\n>>>>>>> REPLACE\n";
    assert_eq!(run.stdout, want);
    repo.run(&["apply", "--strict", "--unique"], &run.stdout)
        .succeeded();
    repo.child("a.md")
        .assert("Name\n=====\n\n1\n2\n=======\n<<<<<<< HEAD\n");
    repo.child("n/e w").assert("\n");
    let other = envelope("*** Delete File: gone\n*** Update File: Makefile\n*** Move to: M\n");
    let run = repo.run(&["convert", "--to=blocks"], &other).ended(1);
    for said in ["`gone`: it is deleted", "`M`: it is renamed"] {
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
}

#[test]
fn as_an_envelope_it_is_what_somebody_would_have_written() {
    let text = "use a;\n\nfn f() {\n    let x = 1;\n    let y = 2;\n}\n\nfn g() {\n    let x = 1;\n    let y = 2;\n}\n";
    let repo = Repo::with(&[("lib.rs", text)]);
    let edit = opx(
        "lib.rs",
        "Say g",
        "fn g() {\n    let x = 1;",
        "fn g() {\n    let x = 3;",
    );
    let run = repo
        .run(&["convert", "--to=envelope", "-U1"], &edit)
        .succeeded();
    let want = "- lib.rs: Say g\n\n*** Begin Patch\n*** Update File: lib.rs\n@@\n fn g() {\n-    let x = 1;\n+    let x = 3;\n     let y = 2;\n*** End Patch\n";
    assert_eq!(run.stdout, want);
    // Where the lines themselves would be found in `f` first, `@@` leads past it.
    let run = repo
        .run(&["convert", "--to=envelope", "-U0"], &edit)
        .succeeded();
    assert!(
        run.stdout
            .contains("@@ fn g() {\n-    let x = 1;\n+    let x = 3;\n"),
        "{}",
        run.stdout
    );
    repo.run(&["apply", "--strict", "--unique"], &run.stdout)
        .succeeded();
    repo.child("lib.rs")
        .assert(text.replace("g() {\n    let x = 1", "g() {\n    let x = 3"));
}

#[test]
fn notes_stay_with_their_files() {
    let repo = repo();
    let response = opx("a.txt", "One & <all>", "two", "2") + &opx("src/b.txt", "Two", "b", "B");
    let run = repo.run(&["convert", "--to=opx"], &response).succeeded();
    assert!(
        run.stdout.contains("<why>One &amp; &lt;all></why>")
            && run.stdout.contains("<why>Two</why>"),
        "{}",
        run.stdout
    );
    let message = |response: &str| {
        let repo = self::repo();
        repo.run(&["apply", "--commit"], response).succeeded();
        repo.git(&["log", "-1", "--format=%B"])
    };
    assert_eq!(message(&run.stdout), message(&response));
}

#[test]
fn several_inputs_are_one_change_and_the_base_can_be_chosen() {
    let repo = repo();
    repo.child("1.txt")
        .write_str(&update("a.txt", "two", "2"))
        .unwrap();
    repo.child("2.txt")
        .write_str(&opx("a.txt", "", "2", "II"))
        .unwrap();
    repo.child("a.txt").write_str("all else\n").unwrap();
    let run = repo
        .run(&["convert", "--to=opx", "--cached", "1.txt", "2.txt"], "")
        .succeeded();
    assert_eq!(run.stdout, opx("a.txt", "", "two", "II"));
    assert_eq!(
        repo.run(
            &["convert", "--to=opx", "--onto=HEAD", "1.txt", "2.txt"],
            ""
        )
        .succeeded()
        .stdout,
        run.stdout
    );
    repo.run(&["convert", "--to=opx", "1.txt", "2.txt"], "")
        .ended(1);
}

#[test]
fn files_with_crlf_on_disk_are_converted_as_they_stand() {
    let repo = Repo::empty();
    repo.child(".gitattributes")
        .write_str("*.txt text eol=crlf\n")
        .unwrap();
    repo.child("a.txt").write_str("one\r\ntwo\r\n").unwrap();
    repo.commit("base");
    let response =
        envelope("*** Update File: a.txt\n@@\n one\n-two\n+2\n*** Add File: n.txt\n+n\n");
    for to in ["envelope", "opx"] {
        let run = repo
            .run(&["convert", &format!("--to={to}")], &response)
            .succeeded();
        assert!(!run.stdout.contains('\r'), "{}", run.stdout);
    }
}

#[test]
fn what_a_format_cannot_say_is_told_of_every_file_and_nothing_is_printed() {
    let repo = Repo::empty();
    repo.child("end.txt").write_str("one\ntwo").unwrap();
    repo.child("mixed.txt").write_str("a\r\nb\nc\n").unwrap();
    repo.child("fine.txt").write_str("one\n").unwrap();
    repo.commit("base");
    let response = opx("end.txt", "", "two", "2")
        + &opx("fine.txt", "", "one", "1")
        + &opx("mixed.txt", "", "a\nb", "a\nB");
    let run = repo.run(&["convert", "--to=envelope"], &response).ended(1);
    assert_eq!(run.stdout, "");
    assert_eq!(
        run.stderr,
        "error[inexpressible]: an envelope can't express this change of `end.txt`: it ends without a newline\nhelp: `--to=unified` can express everything that git can\n"
    );
    let run = repo.run(&["convert", "--to=opx"], &response).succeeded();
    repo.run(&["apply"], &run.stdout).succeeded();
    assert_eq!(
        (repo.text("end.txt"), repo.text("mixed.txt")),
        ("one\n2".into(), "a\r\nB\nc\n".into())
    );
}

#[test]
fn what_a_small_file_gets_meanwhile_stays() {
    let repo = Repo::with(&[("a.txt", "one\ntwo\n")]);
    repo.run(&["apply", "--commit"], update("a.txt", "two", "2"))
        .succeeded();
    let run = repo.run(&["show", "--to=opx", "HEAD"], "").succeeded();
    assert_eq!(
        (run.stdout.contains("op=\"patch\""), &run.stderr[..]),
        (true, ""),
        "{}",
        run.stdout
    );
    repo.child("a.txt").write_str("one\ntwo\nthree\n").unwrap();
    repo.run(&["apply"], &run.stdout).succeeded();
    repo.child("a.txt").assert("one\n2\nthree\n");
    let replaced =
        "<edit file=\"a.txt\" op=\"replace\">\n<put>\n<<<\none\nII\nthree\n>>>\n</put>\n</edit>\n";
    let run = repo.run(&["convert", "--to=opx"], replaced).succeeded();
    assert_eq!(
        (&run.stdout[..], &run.stderr[..]),
        (&opx("a.txt", "", "2", "II")[..], "")
    );
}

#[test]
fn a_file_that_must_be_replaced_whole_is_warned_of() {
    let repo = Repo::with(&[("b.txt", "")]);
    let replaced =
        "<edit file=\"b.txt\" op=\"replace\">\n  <put>\n<<<\none\n>>>\n  </put>\n</edit>\n";
    let run = repo.run(&["convert", "--to=opx"], replaced).succeeded();
    assert_eq!(run.stdout, replaced);
    let warning = "warning: `b.txt` is replaced whole: whatever else was changed in it before this is applied will be lost [replaced-whole]\n\
        help: apply it only to the file as it was here\n";
    assert_eq!(run.stderr, warning);
    repo.run(&["apply", "--commit", "-m", "One"], &run.stdout)
        .succeeded();
    let run = repo.run(&["show", "--to=opx", "HEAD"], "").succeeded();
    assert_eq!(run.stderr, warning);
    // An envelope says it by a chunk.
    assert_eq!(
        repo.run(&["show", "--to=envelope", "HEAD"], "")
            .succeeded()
            .stderr,
        ""
    );
}

#[test]
fn an_empty_file_that_gets_an_unterminated_text_is_not_called_binary() {
    let repo = Repo::with(&[("a.txt", "")]);
    repo.child("a.txt").write_str("x").unwrap();
    repo.commit("Fill");
    let run = repo.run(&["show", "--to=opx", "HEAD"], "").ended(1);
    let want = "error[inexpressible]: OPX can't express this change of `a.txt`: it ends without a newline\n";
    assert!(run.stderr.starts_with(want), "{}", run.stderr);
}

#[test]
fn a_format_must_be_asked_for() {
    repo().run(&["convert"], "").ended(2);
    repo().run(&["convert", "--to=xml"], "").ended(2);
}

#[test]
fn as_tool_calls_it_is_what_somebody_would_have_written() {
    let repo = Repo::with(&[
        ("a.txt", "1\n2\n1\n\n3\n"),
        ("gone", "x\n"),
        ("old", "y\n"),
        ("empty", ""),
    ]);
    let response = envelope(
        "*** Update File: a.txt\n@@\n 2\n-1\n+\"\\1\"\t\n@@\n-3\n*** Delete File: gone\n*** Update File: old\n*** Move to: new\n@@\n-y\n+é\n\
         *** Add File: n/e w\n+\n",
    );
    let run = repo.run(&["convert", "--to=tool"], &response).succeeded();
    let want = [
        r#"{"path":"a.txt","old_string":"1\n\n3","new_string":"\"\\1\"\t\n"}"#,
        r#"{"type":"delete_file","path":"gone"}"#,
        r#"{"path":"n/e w","content":"\n"}"#,
        r#"{"type":"update_file","path":"old","diff":"","move_to":"new"}"#,
        r#"{"path":"new","old_string":"y","new_string":"é"}"#,
    ];
    assert_eq!(run.stdout.lines().collect::<Vec<_>>(), want);
    repo.run(&["apply", "--strict", "--unique"], &run.stdout)
        .succeeded();
    repo.child("a.txt").assert("1\n2\n\"\\1\"\t\n\n");
    repo.child("new").assert("é\n");
    let run = repo.run(&["undo"], "").succeeded();
    assert!(run.stdout.contains("gone"), "{}", run.stdout);
}

fn call(path: &str, old: &str, new: &str) -> String {
    format!("{{\"path\":{path:?},\"old_string\":{old:?},\"new_string\":{new:?}}}\n")
}

#[test]
fn what_is_made_again_or_copied_or_ends_open_is_said_by_formats_that_can() {
    let repo = Repo::with(&[("a.txt", "one\ntwo\n"), ("open", "one\ntwo")]);
    let again =
        "*** Begin Patch\n*** Delete File: a.txt\n*** Add File: a.txt\n+one\n+2\n*** End Patch\n";
    let copied =
        "diff --git a/a.txt b/b.txt\nsimilarity index 100%\ncopy from a.txt\ncopy to b.txt\n";
    let apart = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n*** Add File: a.txt\n+x\n*** End Patch\n";
    let open = "{\"path\":\"b.txt\",\"content\":\"x\"}\n";
    for (response, formats) in [
        (again, &["envelope", "opx", "blocks", "tool"][..]),
        (copied, &["envelope", "opx", "blocks", "tool"]),
        (apart, &["envelope", "blocks"]),
        (open, &["tool"]),
        (&call("a.txt", "two\n", "two\nthree"), &["tool"]),
        (&call("a.txt", "one\ntwo\n", "X"), &["tool"]),
        (&call("a.txt", "two\n", "two"), &["tool"]),
        (&call("open", "one\ntwo", ""), &["tool"]),
        (&call("open", "two", ""), &["tool"]),
        (&call("open", "two", "two\n"), &["tool"]),
    ] {
        let wanted = repo.run(&["convert", "--to=unified"], response).succeeded();
        for to in formats {
            let to = format!("--to={to}");
            let converted = repo.run(&["convert", &to], response).succeeded();
            let got = repo.run(&["convert", "--to=unified"], &converted.stdout);
            assert_eq!(
                got.succeeded().stdout,
                wanted.stdout,
                "{to} {}",
                converted.stdout
            );
        }
    }
}
