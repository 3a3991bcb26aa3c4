//! `--json`: the document, its schema, and what an agent does with it.

use std::io::Write as _;
use std::process::Stdio;

use assert_fs::prelude::*;
use llmpatch::kind::Kind;
use llmpatch::report::{Diagnose, Diagnostic, Report, State};
use serde_json::{Value, json};

use super::support::documents::{Schema, document, documents, kinds};
use super::{envelope, opx, repo, update};

#[test]
fn the_schema_names_every_kind_that_the_table_has() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("crates/llmpatch/src/report/schema.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    let one = |kind: &Kind| {
        let (code, meaning) = (quoted(kind.code()), quoted(kind.meaning()));
        format!(
            "        {{\n          \"const\": {code},\n          \"description\": {meaning}\n        }}"
        )
    };
    let kinds: Vec<_> = Kind::ALL.iter().map(one).collect();
    let (start, end) = ("      \"oneOf\": [\n", "\n      ]\n");
    let definition = text.find("\n    \"kind\": {\n").unwrap();
    let from = definition + text[definition..].find(start).unwrap() + start.len();
    let to = from + text[from..].find(end).unwrap();
    let wanted = format!("{}{}{}", &text[..from], kinds.join(",\n"), &text[to..]);
    if std::env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite") {
        std::fs::write(path, wanted).unwrap();
        return;
    }
    assert!(
        text == wanted,
        "the schema of reports is out of date: SNAPSHOTS=overwrite cargo test --test cli schema"
    );
}

#[test]
fn the_schema_is_printed() {
    for command in ["apply", "check", "undo", "recover"] {
        let run = repo().run(&[command, "--json=schema"], "").succeeded();
        assert_eq!(run.stdout, llmpatch::report::json::SCHEMA, "{command}");
    }
}

#[test]
fn an_error_or_a_warning_of_any_kind_fits_the_schema() {
    for &kind in Kind::ALL {
        let mut one = diagnostic(kind);
        one.path = Some(b"caf\xe9"[..].into());
        one.candidates = vec![llmpatch::text::LineNo::FIRST];
        let list = vec![one, diagnostic(kind)];
        let (errors, warnings) = if kind.is_warning() {
            (Vec::new(), list)
        } else {
            (list, Vec::new())
        };
        let report = Report::failed_with(State::NothingChanged, errors, warnings);
        let read = documents(&format!("{}\n", report.json()));
        let which = if kind.is_warning() {
            "warnings"
        } else {
            "errors"
        };
        assert_eq!(kinds(&read[0], which), [kind.code(); 2]);
    }
}

fn diagnostic(kind: Kind) -> Diagnostic {
    #[derive(Debug)]
    struct Said(Kind);
    impl std::fmt::Display for Said {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("said")
        }
    }
    impl Diagnose for Said {
        fn diagnostic(&self) -> Diagnostic {
            Diagnostic::new(self.0)
        }
    }
    Diagnostic::located(&Said(kind), None, &[])
}

#[test]
fn the_validator_finds_what_is_wrong() {
    let good: Value =
        serde_json::from_str(&Report::failed_with(State::NothingChanged, vec![], vec![]).json())
            .unwrap();
    Schema::shipped().check(&good).unwrap();
    for (field, value) in [
        ("version", json!(2)),
        ("status", json!("done")),
        ("plan", json!("12")),
        ("edits", json!([{}])),
        ("errors", json!([{"kind": "parse"}])),
        ("signal", json!("9")),
        ("more", json!(1)),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        assert!(Schema::shipped().check(&bad).is_err(), "{field}");
    }
    let mut bad = good;
    bad.as_object_mut().unwrap().remove("commit");
    assert!(Schema::shipped().check(&bad).is_err());
}

#[test]
fn a_success_says_what_was_asked_for_and_what_became_of_it() {
    let repo = repo();
    let response = envelope(
        "*** Update File: ./a.txt\n@@\n-two\n+2\n+2.5\n*** Add File: new/d.txt\n+d\n*** Delete File: src/b.txt\n\
         *** Update File: src/c.txt\n*** Move to: src/e.txt\n@@\n-c\n+e\n",
    );
    let run = repo
        .run(
            &["apply", "--json", "--commit", "-m", "A message"],
            response,
        )
        .succeeded();
    assert_eq!(run.stderr, "");
    let got = document(&run);
    assert_eq!(
        (&got["version"], &got["status"], &got["state"]),
        (&json!(1), &json!("applied"), &json!("changed"))
    );
    assert_eq!(
        (&got["format"], &got["message"]),
        (&json!("envelope"), &json!("A message"))
    );
    assert_eq!(got["responses"], json!(["<stdin>"]));
    assert_eq!(
        got["commit"],
        json!(repo.git(&["rev-parse", "HEAD"]).trim())
    );
    assert_eq!(
        got["tree"],
        json!(repo.git(&["rev-parse", "HEAD^{tree}"]).trim())
    );
    let hunk = json!({"line": 3, "old_start": 2, "old_lines": 1, "new_start": 2, "new_lines": 2, "match": "exact"});
    let place = json!({"file": "<stdin>", "line": 2, "column": 1});
    assert_eq!(
        got["edits"][0],
        json!({"response": place, "op": "update", "path": "./a.txt", "to": null, "why": null, "hunks": [hunk]})
    );
    let ops: Vec<_> = got["edits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| (&edit["op"], &edit["path"]))
        .collect();
    assert_eq!(
        json!(ops[1..]),
        json!([
            ["add", "new/d.txt"],
            ["delete", "src/b.txt"],
            ["update", "src/c.txt"]
        ])
    );
    let oid = |rev: &str| json!(repo.git(&["rev-parse", rev]).trim());
    assert_eq!(
        got["files"][0],
        json!({"path": "a.txt", "operation": "modified", "from": null, "hunks": [hunk], "added": 2, "removed": 1,
            "old_oid": oid("HEAD~:a.txt"), "new_oid": oid("HEAD:a.txt"), "old_mode": "100644", "new_mode": "100644"})
    );
    let renamed = &got["files"][3];
    assert_eq!(
        (&renamed["path"], &renamed["from"]),
        (&json!("src/e.txt"), &json!("src/c.txt"))
    );
    assert_eq!(
        (&renamed["old_oid"], &renamed["new_oid"]),
        (&oid("HEAD~:src/c.txt"), &oid("HEAD:src/e.txt"))
    );
    assert_eq!(renamed["hunks"].as_array().unwrap().len(), 1);
}

#[test]
fn a_failure_is_a_document_too() {
    let repo = repo();
    repo.child("dup.txt").write_str("x\ny\nx\n").unwrap();
    for (args, response, status, kind) in [
        (
            &["apply"][..],
            update("./a.txt", "four", "x"),
            1,
            "lines-not-found",
        ),
        (&["apply"], update("gone.txt", "a", "b"), 1, "file-missing"),
        (&["apply"], "no patch in here\n".to_owned(), 1, "parse"),
        (&["check"], opx("dup.txt", "", "x", "z"), 1, "ambiguous"),
        (&["apply", "nowhere.txt"], String::new(), 3, "io"),
        (&["check", "--onto=nowhere"], String::new(), 3, "io"),
    ] {
        let run = repo.run(&[args, &["--json"]].concat(), response);
        assert_eq!(run.stderr, "", "{args:?}");
        let got = document(&run);
        assert_eq!(
            (&got["status"], &got["state"]),
            (&json!("failed"), &json!("nothing-changed")),
            "{args:?}"
        );
        if kind != "io" {
            assert_eq!(
                (run.status, kinds(&got, "errors")),
                (status, vec![kind.to_owned()]),
                "{args:?} {got:#}"
            );
        }
        match kind {
            "lines-not-found" => {
                assert_eq!(got["errors"][0]["path"], "./a.txt");
                assert_eq!(
                    got["errors"][0]["response"],
                    json!({"file": "<stdin>", "line": 4, "column": 1})
                );
                assert_eq!(got["edits"][0]["path"], "./a.txt");
            }
            "ambiguous" => assert_eq!(got["errors"][0]["candidates"], json!([1, 3])),
            _ => {}
        }
    }
    let nowhere = assert_fs::TempDir::new().unwrap();
    let mut command = super::support::isolated(
        std::process::Command::new(super::support::program()),
        nowhere.path(),
    );
    command
        .env("GIT_CEILING_DIRECTORIES", "/")
        .args(["check", "--json", "a", "b"]);
    let run = super::support::run(&mut command, b"").ended(3);
    let names: Vec<_> = documents(&run.stdout)
        .iter()
        .map(|one| one["responses"][0].clone())
        .collect();
    assert_eq!(json!(names), json!(["a", "b"]));
}

#[test]
fn check_prints_a_document_a_response() {
    let repo = repo();
    repo.child("good")
        .write_str(&update("a.txt", "two", "2"))
        .unwrap();
    repo.child("bad")
        .write_str(&update("a.txt", "four", "4"))
        .unwrap();
    let run = repo
        .run(&["check", "--json", "good", "none", "bad"], "")
        .ended(3);
    let got = documents(&run.stdout);
    let told: Vec<_> = got
        .iter()
        .map(|one| json!([one["responses"][0], one["status"]]))
        .collect();
    assert_eq!(
        json!(told),
        json!([["good", "checked"], ["none", "failed"], ["bad", "failed"]])
    );
}

#[test]
fn the_diff_of_each_file_is_there_where_it_is_asked_for() {
    let repo = repo();
    let response = envelope("*** Update File: a.txt\n@@\n-two\n+2\n*** Add File: n.txt\n+n\n");
    let diff = repo.run(&["diff"], &response).succeeded().stdout;
    let got = document(
        &repo
            .run(&["apply", "--json", "--diff"], &response)
            .succeeded(),
    );
    let parts: Vec<_> = got["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["diff"].as_str().unwrap())
        .collect();
    assert_eq!(parts.concat(), diff);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    for args in [
        &["--stat"][..],
        &["--numstat", "-z"],
        &["--summary"],
        &["--check"],
        &["-q", "-n"],
    ] {
        let got = document(
            &repo
                .run(&[&["apply", "--json"], args].concat(), &response)
                .succeeded(),
        );
        assert_eq!(got["status"], "checked", "{args:?}");
    }
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    let got = document(
        &repo
            .run(&["apply", "--json", "--diff", "--apply"], &response)
            .succeeded(),
    );
    assert_eq!(got["status"], "applied");
}

#[test]
fn what_is_not_utf_8_is_given_as_bytes() {
    super::support::needs(super::support::Need::Names);
    let repo = repo();
    repo.child("latin.txt")
        .write_binary(b"caf\xe9\nx\n")
        .unwrap();
    let mut response =
        b"*** Begin Patch\n*** Update File: latin.txt\n@@\n-x\n+\xe9\n*** Add File: n\xe9.txt\n+n\n".to_vec();
    response.extend(b"*** End Patch\n");
    let got = document(
        &repo
            .run(&["apply", "--json", "--diff"], &response)
            .succeeded(),
    );
    assert_eq!(got["files"][1]["path_bytes"], "bukudHh0");
    assert_eq!(got["edits"][1]["path_bytes"], "bukudHh0");
    assert!(got["files"][0]["diff_bytes"].is_string());
}

#[test]
fn nothing_else_reaches_standard_output() {
    let repo = repo();
    let hook = |script: &str| {
        repo.script(".git/hooks/pre-commit", &format!("#!/bin/sh\n{script}\n"));
    };
    hook("echo from a hook");
    let response = envelope("*** Update File: a.txt\n@@one\n-two\n+2\n");
    let run = repo
        .run(&["apply", "--json", "--commit", "-v"], response)
        .succeeded();
    let got = document(&run);
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
    assert!(!kinds(&got, "warnings").is_empty());
    hook("echo no; exit 1");
    let run = repo
        .run(
            &["apply", "--json", "--commit"],
            update("a.txt", "2", "two"),
        )
        .ended(3);
    let got = document(&run);
    assert_eq!(
        (kinds(&got, "errors"), &got["state"]),
        (vec!["hook".to_owned()], &json!("put-back"))
    );
}

#[test]
fn standard_output_may_be_closed_and_must_not_be_full() {
    let repo = repo();
    let mut command = repo.command();
    command
        .args(["apply", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop((child.stdout.take(), child.stderr.take()));
    child
        .stdin
        .take()
        .unwrap()
        .write_all(update("a.txt", "two", "2").as_bytes())
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    #[cfg(target_os = "linux")]
    {
        repo.child("answer")
            .write_str(&update("a.txt", "2", "two"))
            .unwrap();
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = repo
            .command()
            .args(["check", "--json", "answer"])
            .stdout(full)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(3));
        assert!(
            String::from_utf8_lossy(&output.stderr)
                .starts_with("error[io]: can't write standard output: ")
        );
    }
}

#[test]
fn recover_says_what_it_did() {
    let got = document(&repo().run(&["recover", "--json"], "").succeeded());
    assert_eq!(
        (&got["status"], &got["state"]),
        (&json!("recovered"), &json!("nothing-changed"))
    );
}

#[test]
fn undo_says_what_it_took_back() {
    let repo = repo();
    let nothing = document(&repo.run(&["undo", "--json"], "").ended(1));
    assert_eq!(
        (kinds(&nothing, "errors"), &nothing["state"]),
        (
            vec!["nothing-to-undo".to_owned()],
            &json!("nothing-changed")
        )
    );
    let response = envelope(
        "*** Update File: a.txt\n@@\n-two\n+2\n*** Update File: src/c.txt\n*** Move to: e.txt\n",
    );
    let applied = document(
        &repo
            .run(&["apply", "--json", "--index"], &response)
            .succeeded(),
    );

    repo.child("a.txt").write_str("mine\n").unwrap();
    let stale = document(&repo.run(&["undo", "--json"], "").ended(1));
    assert_eq!(
        (kinds(&stale, "errors"), &stale["errors"][0]["path"]),
        (vec!["stale".to_owned()], &json!("a.txt"))
    );
    repo.child("a.txt").write_str("one\n2\nthree\n").unwrap();

    let run = repo.run(&["undo", "--json"], "").succeeded();
    assert_eq!(run.stderr, "");
    let undone = document(&run);
    assert_eq!(
        (&undone["status"], &undone["state"]),
        (&json!("undone"), &json!("changed"))
    );
    assert_eq!(
        (&undone["edits"], &undone["message"], &undone["responses"]),
        (&json!([]), &Value::Null, &json!([]))
    );
    let [there, back] = [&applied, &undone].map(|document| &document["files"][0]);
    assert_eq!(
        (&back["path"], &back["added"], &back["removed"]),
        (&json!("a.txt"), &json!(1), &json!(1))
    );
    assert_eq!(
        (&back["old_oid"], &back["new_oid"]),
        (&there["new_oid"], &there["old_oid"])
    );
    assert_eq!(
        (&undone["files"][1]["from"], &undone["files"][1]["path"]),
        (&json!("e.txt"), &json!("src/c.txt"))
    );
    assert_ne!(undone["plan"], applied["plan"]);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn the_line_of_the_file_is_told_wherever_it_is_known() {
    let repo = repo();
    repo.child("n.txt")
        .write_str("a\nb\n\na\nb\nc\nlast")
        .unwrap();
    let find = |find: &str| opx("n.txt", "", find, "z");
    let diff = |hunk: &str| format!("--- a/n.txt\n+++ b/n.txt\n{hunk}");
    let section = |lines: &str| envelope(&format!("*** Update File: n.txt\n{lines}"));
    for (kind, line, response) in [
        ("duplicates", 1, section("@@\n-a\n+A\n")),
        ("addition-place", 6, section("@@ c\n+d\n")),
        ("restated", 6, section("@@ c\n-c\n+C\n")),
        ("blank-dropped", 6, section("@@\n-c\n-\n+C\n")),
        ("locator-relaxed", 7, section("@@ las\n-last\n+z\n")),
        (
            "partial-delete-body",
            5,
            envelope("*** Delete File: n.txt\n-b\n-c\n"),
        ),
        ("blank-edges", 6, find("\n\nc\nlast")),
        ("inside-word", 7, find("las")),
        ("hunk-moved", 6, diff("@@ -2 +2 @@\n-c\n+C\n")),
        ("addition-place", 2, diff("@@ -2,0 +3 @@\n+x\n")),
    ] {
        let got = document(
            &repo
                .run(&["apply", "--check", "--json"], &response)
                .succeeded(),
        );
        let found = got["warnings"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["kind"] == kind);
        let found = found.unwrap_or_else(|| panic!("{kind}: {got:#}"));
        assert_eq!(
            (&found["line"], &found["path"]),
            (&json!(line), &json!("n.txt")),
            "{kind}"
        );
    }
    let got = document(
        &repo
            .run(&["check", "--json"], section("@@ nowhere at all\n-c\n+C\n"))
            .ended(1),
    );
    assert_eq!(
        (&got["errors"][0]["kind"], &got["errors"][0]["line"]),
        (&json!("context-not-found"), &json!(6))
    );
}

/// What an unattended agent does: it looks at the change, decides, and has just that change made.
#[test]
fn what_was_approved_is_what_is_applied() {
    let repo = repo();
    repo.child("response.md")
        .write_str(&update("a.txt", "two", "2"))
        .unwrap();
    let checked = document(
        &repo
            .run(&["check", "--json", "response.md"], "")
            .succeeded(),
    );
    let files = checked["files"].as_array().unwrap();
    // The policy: text files that are there already, and few lines of them.
    let is_fine = |file: &Value| {
        file["operation"] == "modified"
            && file["path"].as_str().unwrap().ends_with(".txt")
            && file["added"].as_u64() <= Some(5)
    };
    assert!(
        checked["warnings"] == json!([]) && files.iter().all(is_fine),
        "{checked:#}"
    );
    let plan = checked["plan"].as_str().unwrap().to_owned();
    let expect = format!("--expect={plan}");

    // Meanwhile the answer, or a file that it is about, becomes another.
    let approved = repo.read("response.md");
    for (path, content) in [
        ("response.md", update("a.txt", "two", "3")),
        ("a.txt", "one\ntwo\nthree\nfour\n".to_owned()),
    ] {
        let before = repo.read(path);
        repo.child(path).write_str(&content).unwrap();
        let files = repo.files();
        let run = repo.run(&["apply", &expect, "response.md"], "").ended(1);
        assert!(
            run.stderr
                .starts_with("error[stale]: the change isn't the one that was expected"),
            "{}",
            run.stderr
        );
        assert!(
            run.stderr.contains("M a.txt") && run.stderr.ends_with("nothing was changed\n"),
            "{}",
            run.stderr
        );
        let got = document(
            &repo
                .run(&["apply", "--json", &expect, "response.md"], "")
                .ended(1),
        );
        assert_eq!(
            (kinds(&got, "errors"), &got["files"][0]["path"]),
            (vec!["stale".to_owned()], &json!("a.txt"))
        );
        assert_ne!(got["plan"], json!(plan));
        assert_eq!(repo.files(), files);
        repo.child(path).write_binary(&before).unwrap();
    }
    assert_eq!(repo.read("response.md"), approved);

    let applied = document(
        &repo
            .run(&["apply", "--json", &expect, "response.md"], "")
            .succeeded(),
    );
    assert_eq!(
        (&applied["plan"], &applied["files"]),
        (&checked["plan"], &checked["files"])
    );
    repo.child("a.txt").assert("one\n2\nthree\n");
    let oid = repo.git(&["hash-object", "a.txt"]);
    assert_eq!(applied["files"][0]["new_oid"], json!(oid.trim()));
}

/// An unattended agent from end to end, for each target: it looks, decides by a policy of its own,
/// and what it approved of is made.
#[test]
fn an_agent_looks_decides_and_applies_to_any_target() {
    for (look, make) in [
        (&["check"][..], &[][..]),
        (&["check"], &["--index"]),
        (&["check"], &["--commit", "-m", "By an agent"]),
        (&["check", "--cached"], &["--cached"]),
        (&["apply", "--check", "--index"], &["--index"]),
        (&["apply", "--stat", "--cached"], &["--cached"]),
    ] {
        let repo = repo();
        repo.git(&["config", "core.autocrlf", "true"]);
        repo.git(&["config", "llmpatch.protect", "*.yml"]);
        repo.child("src/crlf.txt")
            .write_str("one\r\ntwo\r\n")
            .unwrap();
        repo.commit("line ends");
        let agent = |response: &str| -> Result<Value, String> {
            let seen = document(&repo.run(&[look, &["--json", "--limit=src"]].concat(), response));
            if seen["status"] != "checked" {
                return Err(format!("refused: {:?}", kinds(&seen, "errors")));
            }
            // The policy: no warning, no new files, and few lines.
            let is_fine =
                |file: &Value| file["operation"] == "modified" && file["added"].as_u64() <= Some(2);
            if seen["warnings"] != json!([])
                || !seen["files"].as_array().unwrap().iter().all(is_fine)
            {
                return Err("not approved of".into());
            }
            let expect = format!("--expect={}", seen["plan"].as_str().unwrap());
            let args = [&["apply", "--json", "--limit=src", &expect], make].concat();
            let made = document(&repo.run(&args, response).succeeded());
            assert_eq!(
                (&made["plan"], &made["files"]),
                (&seen["plan"], &seen["files"]),
                "{make:?}"
            );
            Ok(made)
        };
        let files = repo.files();
        for (response, why) in [
            (update("a.txt", "two", "2"), "refused: [\"protected\"]"),
            (
                envelope("*** Add File: src/x.yml\n+x\n"),
                "refused: [\"protected\"]",
            ),
            (
                update("src/crlf.txt", "three", "3"),
                "refused: [\"lines-not-found\"]",
            ),
            (envelope("*** Add File: src/x.txt\n+x\n"), "not approved of"),
            (
                update("src/crlf.txt", "two", "<<<<<<< HEAD"),
                "not approved of",
            ),
        ] {
            assert_eq!(agent(&response), Err(why.to_owned()), "{look:?}");
        }
        assert_eq!(
            (repo.files(), repo.git(&["status", "--porcelain"])),
            (files, String::new())
        );
        let made = agent(&update("src/crlf.txt", "two", "2")).unwrap();
        assert_eq!(made["status"], "applied");
        let stored = repo.git_with_input(&["hash-object", "--stdin"], b"one\n2\n");
        assert_eq!(
            made["files"][0]["new_oid"],
            json!(stored.trim()),
            "{make:?}"
        );
        let read = if make == ["--cached"] {
            "one\r\ntwo\r\n"
        } else {
            "one\r\n2\r\n"
        };
        assert_eq!(repo.text("src/crlf.txt"), read, "{make:?}");
    }
}

#[test]
fn the_same_change_of_other_bytes_is_another_plan() {
    let repo = repo();
    repo.git(&["config", "core.autocrlf", "true"]);
    repo.child("crlf.txt").write_str("one\r\ntwo\r\n").unwrap();
    repo.commit("line ends");
    let plan = |args: &[&str]| {
        let args = [args, &["--json"]].concat();
        document(&repo.run(&args, update("crlf.txt", "two", "2")).succeeded())["plan"].clone()
    };
    assert_eq!(plan(&["check"]), plan(&["apply", "--check", "--index"]));
    assert_eq!(
        plan(&["check", "--cached"]),
        plan(&["check", "--onto=HEAD"])
    );
    assert_ne!(plan(&["check"]), plan(&["check", "--cached"]));
}

#[test]
fn every_preview_names_the_plan_to_who_asks_and_says_nothing_else_new() {
    let repo = repo();
    let response = update("a.txt", "two", "2");
    let plan = document(&repo.run(&["check", "--json"], &response).succeeded())["plan"]
        .as_str()
        .unwrap()
        .to_owned();
    for args in [
        &["--check"][..],
        &["--diff"],
        &["--stat"],
        &["--numstat", "-z"],
        &["--summary"],
    ] {
        let run = repo
            .run(&[&["apply", "-v"], args].concat(), &response)
            .succeeded();
        assert!(
            run.stderr.contains(&format!("plan {plan}\n")) && !run.stdout.contains(&plan),
            "{args:?}"
        );
        let run = repo
            .run(&[&["apply"], args].concat(), &response)
            .succeeded();
        assert_eq!(run.stderr, "", "{args:?}");
    }
    let run = repo.run(&["check", "-v"], &response).succeeded();
    assert!(run.stdout.contains(&plan), "{}", run.stdout);
    let run = repo.run(&["diff", "-v"], &response).succeeded();
    assert!(
        run.stderr.contains(&format!("plan {plan}\n")) && !run.stdout.contains(&plan),
        "{}",
        run.stderr
    );
    for quiet in ["check", "diff"] {
        let run = repo.run(&[quiet], &response).succeeded();
        assert!(
            run.stderr.is_empty() && !run.stdout.contains(&plan),
            "{}",
            run.stdout
        );
    }
    for wrong in ["", "12", &plan[1..]] {
        let run = repo
            .run(&["apply", &format!("--expect={wrong}")], &response)
            .ended(2);
        assert!(run.stderr.contains("--expect"), "{}", run.stderr);
    }
    repo.run(
        &["apply", &format!("--expect={}", plan.to_uppercase())],
        &response,
    )
    .succeeded();
}
