//! The policies that the pages print for programs which apply on their own: what they refuse.

use std::fs;
use std::process::Command;

use super::here;

/// A document of one file, as `check --json` prints it.
fn document(operation: &str, lines: &str) -> String {
    format!(
        r#"{{"warnings":[],"files":[{{"path":"a","operation":"{operation}","added":{lines},"removed":{lines}}}]}}"#
    )
}

/// Documents, and whether a policy that allows changes of 50 lines accepts them. A binary file has
/// no lines to count.
fn documents() -> [(String, bool); 4] {
    [
        (document("modified", "3"), true),
        (document("modified", "51"), false),
        (document("modified", "null"), false),
        (document("deleted", "3"), false),
    ]
}

#[test]
fn policies_for_jq_refuse_what_has_no_lines() {
    if Command::new("jq").arg("--version").output().is_err() {
        return eprintln!("skipped: there is no jq here");
    }
    let text = fs::read_to_string(here("man/git-llmpatch-apply.md")).unwrap();
    let (_, after) = text.split_once("jq -e '").unwrap();
    let filter = after.split('\'').next().unwrap().replace("\n>", "\n");
    for (document, is_accepted) in documents() {
        let mut jq = Command::new("jq");
        jq.args(["-e", "-n", "--argjson", "document", &document]);
        let run = jq.arg(format!("$document | {filter}")).output().unwrap();
        assert_eq!(
            run.status.success(),
            is_accepted,
            "{document} {}",
            String::from_utf8_lossy(&run.stderr)
        );
    }
}

#[test]
fn the_policy_in_python_refuses_what_has_no_lines() {
    if Command::new("python3").arg("--version").output().is_err() {
        return eprintln!("skipped: there is no python3 here");
    }
    let text = fs::read_to_string(here("man/git-llmpatch-agents.md")).unwrap();
    let (_, after) = text.split_once("def allowed(file):\n").unwrap();
    let body = after.split("\n\n").next().unwrap();
    for (document, is_accepted) in documents() {
        let script = format!(
            "import json, sys\ndef allowed(file):\n{body}\n\
             sys.exit(0 if all(map(allowed, json.loads(sys.argv[1])['files'])) else 3)"
        );
        let mut python = Command::new("python3");
        let run = python.args(["-c", &script, &document]).output().unwrap();
        let status = if is_accepted { 0 } else { 3 };
        assert_eq!(
            run.status.code(),
            Some(status),
            "{document} {}",
            String::from_utf8_lossy(&run.stderr)
        );
    }
}
