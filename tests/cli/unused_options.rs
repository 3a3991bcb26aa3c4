//! Which option is for which format: that one which isn't says so and changes nothing else, and
//! that every other one has an effect on some response.

use std::collections::BTreeSet;

use git_llmpatch::cli::options_by_format;
use llmpatch::patch::Format;

use super::support::{Repo, Run};
use assert_fs::prelude::*;

const FILE: &str = "one\ntwo  \nthree\ndup\nfour\ndup\nfive\n in\nsix\n in\n";

fn repository() -> Repo {
    Repo::with(&[("a.txt", FILE)])
}

/// Returns responses that differ in what options do to them.
fn responses(format: Format) -> Vec<String> {
    let envelope =
        |body: &str| format!("*** Begin Patch\n*** Update File: a.txt\n{body}*** End Patch\n");
    let opx = |find: &str, occurrence: &str| {
        format!(
            "<edit file=\"a.txt\" op=\"patch\"><find{occurrence}>\n<<<\n{find}>>>\n</find><put>\n<<<\nx\n>>>\n</put></edit>\n"
        )
    };
    let unified = |body: &str| format!("--- a/a.txt\n+++ b/a.txt\n{body}");
    let blocks = |above: &str, old: &str| {
        format!("{above}<<<<<<< SEARCH\n{old}=======\nx\n>>>>>>> REPLACE\n")
    };
    let call = |fields: &str| format!("{{\"path\": \"a.txt\", {fields}}}\n");
    match format {
        Format::Envelope => vec![
            envelope("@@\n one\n-two\n+x\n"),
            envelope("@@\n-dup\n+x\n"),
            envelope("@@ one\n one\n-two  \n+x\n"),
        ],
        Format::Opx => vec![
            opx("one\ntwo\nthree\n", ""),
            opx("dup\n", " occurrence=\"first\""),
            opx("\none\n", ""),
        ],
        Format::Unified => vec![
            unified("@@ -1,2 +1,2 @@\n one\n-two\n+x\n"),
            unified("@@ -4 +4 @@\n-dup\n+x\n"),
            unified("@@ -2 +2 @@\n-one\n+x\n"),
            unified("@@ -9 +9 @@ six\n- in\n+x\n"),
            unified("@@ -1,9 +1,9 @@\n one\n-two  \n+x\n"),
        ],
        Format::Blocks => vec![
            blocks("a.txt\n", "one\ntwo\nthree\n"),
            blocks("a.txt\n", ":start_line:4\n-------\ndup\n"),
            blocks("", "one\n"),
        ],
        Format::Tool => vec![
            call("\"old_string\": \"one\\ntwo\\nthree\", \"new_string\": \"x\""),
            call("\"old_string\": \"\\none\\n\", \"new_string\": \"x\""),
            call("\"old_string\": \"dup\", \"new_string\": \"x\""),
            call("\"old_string\": \"dup\", \"new_string\": \"x\", \"replace_all\": true"),
        ],
        Format::Files => vec!["new.txt\n```\nx  \n```\n".to_owned()],
    }
}

fn diff(repo: &Repo, format: Format, option: Option<&str>, response: &str) -> Run {
    let format = (format == Format::Files).then_some("--format=files");
    let args: Vec<_> = ["diff"].into_iter().chain(format).chain(option).collect();
    repo.run(&args, response)
}

/// What to give an option to.
fn given(option: &str) -> &str {
    match option {
        "--fuzz" => "--fuzz=trailing",
        "--file" => "--file=a.txt",
        "-p" => "-p2",
        option => option,
    }
}

#[test]
fn an_option_has_an_effect_or_a_warning_says_that_it_has_none() {
    use Format::{Blocks, Envelope, Files, Opx, Tool, Unified};
    let repo = repository();
    for format in [Envelope, Opx, Unified, Blocks, Tool, Files] {
        for (option, formats) in options_by_format() {
            let mut effects = BTreeSet::new();
            for response in responses(format) {
                let without = diff(&repo, format, None, &response);
                let with = diff(&repo, format, Some(given(option)), &response);
                let warning = format!(
                    "warning: `{option}` has no effect: it isn't for the format {format} ["
                );
                // Where no file is named, there is no edit to tell it of.
                let is_named = !without.stderr.contains("nothing says which file");
                let is_for = formats.contains(&format) || !is_named;
                assert_eq!(
                    with.stderr.matches(&warning).count(),
                    usize::from(!is_for),
                    "{response}{}",
                    with.stderr
                );
                let differs = (without.status, &without.stdout) != (with.status, &with.stdout);
                effects.insert(differs);
            }
            assert_eq!(
                effects.contains(&true),
                formats.contains(&format),
                "{option} and {format}"
            );
        }
    }
}

#[test]
fn a_call_with_hunks_counts_as_an_envelope() {
    let repo = repository();
    let call = "{\"path\": \"a.txt\", \"type\": \"update_file\", \"diff\": \"@@\\n-dup\\n+x\\n\"}";
    repo.run(&["diff"], call).succeeded();
    for option in ["--unique", "--strict"] {
        let run = repo.run(&["diff", option], call);
        assert!(!run.stderr.contains("has no effect"), "{}", run.stderr);
    }
    repo.run(&["diff", "--unique"], call).ended(1);
}

/// Of several responses that are one change it is enough that one heeds it.
#[test]
fn an_option_is_for_one_of_several() {
    let repo = repository();
    repo.child("first.llmpatch")
        .write_str(&responses(Format::Opx)[1])
        .unwrap();
    repo.child("second.llmpatch")
        .write_str(&responses(Format::Envelope)[2])
        .unwrap();
    let run = repo
        .run(
            &["apply", "--unique", "first.llmpatch", "second.llmpatch"],
            "",
        )
        .succeeded();
    assert!(!run.stderr.contains("has no effect"), "{}", run.stderr);
}

#[test]
fn a_setting_is_not_told_and_an_option_once() {
    let repo = repository();
    repo.git(&["config", "llmpatch.unique", "true"]);
    repo.git(&["config", "llmpatch.fuzz", "trailing"]);
    let response = &responses(Format::Opx)[1];
    let run = repo.run(&["diff"], response).succeeded();
    assert_eq!(run.stderr, "");
    let twice = format!("{response}Then:\n\n{}", response.replace("first", "1"));
    let run = repo.run(&["diff", "--unique"], twice).succeeded();
    assert_eq!(
        run.stderr.matches("has no effect").count(),
        1,
        "{}",
        run.stderr
    );
}
