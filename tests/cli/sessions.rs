//! Sessions of agents: the directory in which they were, and the files that they are in.

use assert_fs::prelude::*;
use serde_json::{Value, json};

use super::repo;
use super::support::{Repo, run};

/// A session of Codex in a directory: a patch, and what the tool says of it.
fn session(directory: &str, patch: &str, output: &str) -> [String; 3] {
    let item = |payload: Value| json!({"type": "response_item", "payload": payload});
    let call =
        json!({"type": "custom_tool_call", "call_id": "c1", "name": "apply_patch", "input": patch});
    let result = json!({"type": "custom_tool_call_output", "call_id": "c1", "output": output});
    let start = json!({"type": "session_meta", "payload": {"cwd": directory}});
    [start, item(call), item(result)].map(|line| format!("{line}\n"))
}

const PATCH: &str = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch\n";
const DONE: &str = "Success. Updated the following files:\nM a.txt\n";

fn scene() -> Repo {
    Repo::with(&[("a.txt", "one\n"), ("pkg/a.txt", "one\n")])
}

#[test]
fn a_session_changes_the_directory_in_which_it_was() {
    for (below, want) in [("", ["two\n", "one\n"]), ("pkg", ["one\n", "two\n"])] {
        let repo = scene();
        let directory = repo.path().join(below);
        let lines = session(directory.to_str().unwrap(), PATCH, DONE);
        // A twin would be in another directory.
        let mut command = repo.command();
        command.arg("apply");
        run(&mut command, lines.concat().as_bytes()).succeeded();
        assert_eq!(
            [repo.text("a.txt"), repo.text("pkg/a.txt")],
            want,
            "{below}"
        );
    }
}

#[test]
fn the_option_that_a_session_of_another_directory_needs_is_printed() {
    for (directory, want) in [
        ("/srv/app", ["two\n", "one\n"]),
        ("/srv/app/pkg", ["one\n", "two\n"]),
    ] {
        let repo = scene();
        let response = session(directory, PATCH, DONE).concat();
        let refused = repo.run(&["apply"], &response).ended(1);
        let (_, option) = refused.stderr.split_once("run it with `").unwrap();
        let (option, _) = option.split_once('`').unwrap();
        repo.run(&["apply", option], &response).succeeded();
        assert_eq!(
            [repo.text("a.txt"), repo.text("pkg/a.txt")],
            want,
            "{option}"
        );
    }
}

/// Applies a session that was elsewhere, and returns what is said of it beside the change.
fn applied_again(repo: &Repo, args: &[&str]) -> String {
    let text = repo.text("a.txt");
    let patch = PATCH.replace("one", text.trim_end());
    let response = session(
        "/srv/my app",
        &patch.replace("two", &format!("{}1", text.trim_end())),
        DONE,
    );
    let args = [&["apply"], args].concat();
    repo.run(&args, response.concat()).succeeded().stderr
}

const ROOT: &str = "--root-is=/srv/my app";

#[test]
fn the_setting_is_offered_after_the_second_time() {
    const COMMAND: &str = "git config --add llmpatch.rootIs '/srv/my app'";
    let offer = format!("help: to save typing `--root-is`, run `{COMMAND}`\n");
    let repo = Repo::with(&[("a.txt", "1\n")]);
    assert_eq!(applied_again(&repo, &[ROOT]), "");
    assert_eq!(applied_again(&repo, &[ROOT, "--root-is=/other"]), "");
    assert_eq!(applied_again(&repo, &[ROOT]), "");
    assert_eq!(applied_again(&repo, &[ROOT]), offer);
    assert_eq!(applied_again(&repo, &[ROOT]), "");
    repo.run(&["undo"], "").succeeded();
    repo.run(&["undo"], "").succeeded();
    // Nothing is known any more of what was taken back.
    assert_eq!(applied_again(&repo, &[ROOT]), offer);
    for (how, want) in [("-q", ""), ("--json", ""), ("--commit", &offer)] {
        let repo = Repo::with(&[("a.txt", "1\n")]);
        assert_eq!(applied_again(&repo, &[ROOT, how]), "", "{how}");
        assert_eq!(applied_again(&repo, &[ROOT, how]), want, "{how}");
    }
}

#[test]
pub(super) fn the_setting_that_is_offered_saves_the_option() {
    let repo = Repo::with(&[("a.txt", "1\n")]);
    applied_again(&repo, &[ROOT]);
    let said = applied_again(&repo, &[ROOT]);
    super::advice::in_shell(&repo, said.split('`').nth(3).unwrap()).succeeded();
    assert_eq!(applied_again(&repo, &[]), "");
}

#[test]
fn nothing_is_offered_where_something_is_set() {
    let repo = Repo::with(&[("a.txt", "1\n")]);
    applied_again(&repo, &[ROOT]);
    repo.git(&["config", "llmpatch.rootIs", "/srv/other"]);
    assert_eq!(applied_again(&repo, &[ROOT]), "");
}

#[test]
fn a_part_of_a_session_goes_on_in_its_directory() {
    let repo = scene();
    let [start, call, result] = session("/srv/app/pkg", PATCH, DONE);
    let [_, next, done] = session(
        "",
        "*** Begin Patch\n*** Add File: n.txt\n+new\n*** End Patch\n",
        DONE,
    )
    .map(|line| line.replace("\"c1\"", "\"c2\""));
    repo.child("first").write_str(&(start + &call)).unwrap();
    repo.child("second")
        .write_str(&(result + &next + &done))
        .unwrap();
    repo.run(&["apply", "--root-is=/srv/app", "first", "second"], "")
        .succeeded();
    assert_eq!(
        [repo.text("a.txt"), repo.text("pkg/a.txt")],
        ["one\n", "two\n"]
    );
    assert_eq!(repo.text("pkg/n.txt"), "new\n");
}

#[test]
fn a_result_in_another_file_is_of_the_same_session() {
    let failed = "apply_patch verification failed: no such lines";
    let other = PATCH.replace("a.txt", "pkg/a.txt");
    for (output, more, status, want) in [
        (DONE, None, 0, ["two\n", "one\n"]),
        (failed, None, 1, ["one\n", "one\n"]),
        // A part of a session needs no patch of its own.
        (failed, Some(&other), 0, ["one\n", "two\n"]),
        (DONE, Some(&other), 0, ["two\n", "two\n"]),
    ] {
        let repo = scene();
        let [start, call, result] = session("", PATCH, output);
        let [_, next, done] =
            session("", more.unwrap_or(&other), DONE).map(|line| line.replace("\"c1\"", "\"c2\""));
        let more = more.map_or(String::new(), |_| next + &done);
        repo.child("first").write_str(&(start + &call)).unwrap();
        repo.child("second").write_str(&(result + &more)).unwrap();
        repo.run(&["apply", "first", "second"], "").ended(status);
        assert_eq!(
            [repo.text("a.txt"), repo.text("pkg/a.txt")],
            want,
            "{output}"
        );
    }
}

/// Each call is told by its number, its id, its tool and its path, and why it wasn't made.
#[test]
fn calls_are_listed() {
    let repo = repo();
    let call = |id: &str, old: &str| {
        let input = json!({"file_path": "a.txt", "old_string": old, "new_string": "2"});
        let call = json!({"type": "tool_use", "id": id, "name": "Edit", "input": input});
        json!({"type": "assistant", "message": {"role": "assistant", "content": [call]}})
    };
    let result = |id: &str, is_error: bool| {
        let result =
            json!({"type": "tool_result", "tool_use_id": id, "is_error": is_error, "content": "x"});
        json!({"type": "user", "message": {"role": "user", "content": [result]}})
    };
    let lines = [
        call("c1", "nowhere"),
        result("c1", true),
        call("c2", "two"),
        result("c2", false),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let run = repo.run(&["check", "-v"], &text).succeeded();
    let told: Vec<_> = run
        .stderr
        .lines()
        .filter(|line| line.contains(": call "))
        .collect();
    let undone = "<stdin>:1: call 1 (c1) Edit a.txt; not read, undone-call: it failed, was refused or never ran";
    assert_eq!(told, [undone, "<stdin>:3: call 2 (c2) Edit a.txt"]);
}
