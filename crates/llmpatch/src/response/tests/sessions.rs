//! Logs of sessions that are made of random calls and what became of each: whatever the schema, the
//! calls that took effect are read, in order and each once.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::source;
use crate::format::Options;
use crate::format::tool::fields::Fields;
use crate::format::tool::json::JsonText;
use crate::response::rows::MatchedRows;
use crate::response::schemas;
use crate::response::{parse, parse_all};

/// What a log says of what became of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    Done,
    Failed,
    Untold,
}

/// One replacement in a file.
#[derive(Clone, Debug)]
struct Replacement {
    number: usize,
    path: &'static str,
    old: String,
    new: String,
    outcome: Outcome,
}

impl Replacement {
    fn id(&self) -> String {
        format!("call_{}", self.number)
    }

    /// Returns what Claude Code's tool is given.
    fn input(&self) -> Value {
        json!({"file_path": self.path, "old_string": self.old, "new_string": self.new})
    }

    fn envelope(&self) -> String {
        let lines = |sign: char, text: &str| -> String {
            text.lines().map(|line| format!("{sign}{line}\n")).collect()
        };
        let (old, new) = (lines('-', &self.old), lines('+', &self.new));
        let path = self.path;
        format!("*** Begin Patch\n*** Update File: {path}\n@@\n{old}{new}*** End Patch\n")
    }

    fn has_failed(&self) -> bool {
        self.outcome == Outcome::Failed
    }

    /// Returns what a log says of the call, if it does.
    fn told(&self, told: Value) -> Option<Value> {
        (self.outcome != Outcome::Untold).then_some(told)
    }

    /// Returns the output that says whether the call failed.
    fn output(&self) -> &'static str {
        if self.has_failed() {
            "Error: the text wasn't found"
        } else {
            "The file was edited."
        }
    }
}

/// Makes the lines of a log of a call and of its result.
type Schema = fn(&Replacement) -> Vec<Value>;

const SCHEMAS: &[(&str, Schema)] = &[
    ("pi", pi),
    ("run", run),
    ("batch", batch),
    ("gemini-cli", gemini_cli),
    ("gemini-stream", gemini_stream),
    ("hooks", hooks),
    ("bare", bare),
    ("anthropic", anthropic),
    ("claude-code", claude_code),
    ("chat", chat),
    ("responses", responses),
    ("rollout", rollout),
    ("gemini", gemini),
    ("bedrock", bedrock),
    ("opencode", opencode),
    ("mcp", mcp),
    ("openhands", openhands),
    ("openhands-metadata", openhands_metadata),
    ("openhands-kinds", openhands_kinds),
    ("roo", roo),
    ("gemini-shell", gemini_shell),
    ("ollama", ollama),
    ("progress", progress),
    ("texts", texts),
    ("copilot", copilot),
];

fn anthropic(call: &Replacement) -> Vec<Value> {
    let result = json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": call.id(), "content": call.output(), "is_error": call.has_failed()},
    ]});
    let message = json!({"role": "assistant", "content": [
        {"type": "text", "text": "I change it."},
        {"type": "tool_use", "id": call.id(), "name": "Edit", "input": call.input()},
    ]});
    [message].into_iter().chain(call.told(result)).collect()
}

fn claude_code(call: &Replacement) -> Vec<Value> {
    let mut messages = anthropic(call).into_iter();
    let message =
        json!({"type": "assistant", "message": messages.next(), "uuid": "u", "sessionId": "s"});
    let result = messages.next().map(|result| {
        json!({"type": "user", "message": result, "toolUseResult": {
            "filePath": call.path, "oldString": call.old, "newString": call.new, "originalFile": call.old,
            "structuredPatch": [], "userModified": false, "replaceAll": false,
        }})
    });
    [message].into_iter().chain(result).collect()
}

fn chat(call: &Replacement) -> Vec<Value> {
    let arguments = call.input().to_string();
    let message = json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": call.id(), "type": "function", "function": {"name": "edit", "arguments": arguments}},
    ]});
    let result = json!({"role": "tool", "tool_call_id": call.id(), "content": call.output()});
    [message].into_iter().chain(call.told(result)).collect()
}

fn responses(call: &Replacement) -> Vec<Value> {
    let arguments = call.input().to_string();
    let item = json!({"type": "function_call", "id": "fc", "call_id": call.id(), "name": "edit",
        "arguments": arguments, "status": "completed"});
    let result =
        json!({"type": "function_call_output", "call_id": call.id(), "output": call.output()});
    [item].into_iter().chain(call.told(result)).collect()
}

fn rollout(call: &Replacement) -> Vec<Value> {
    let item =
        |payload: Value| json!({"timestamp": "t", "type": "response_item", "payload": payload});
    let message = item(json!({"type": "custom_tool_call", "status": "completed",
        "call_id": call.id(), "name": "apply_patch", "input": call.envelope()}));
    let exit_code = i32::from(call.has_failed());
    let output = json!({"output": call.output(), "metadata": {"exit_code": exit_code}}).to_string();
    let result =
        item(json!({"type": "custom_tool_call_output", "call_id": call.id(), "output": output}));
    [message].into_iter().chain(call.told(result)).collect()
}

fn gemini(call: &Replacement) -> Vec<Value> {
    let message = json!({"role": "model", "parts": [
        {"functionCall": {"id": call.id(), "name": "replace", "args": call.input()}},
    ]});
    let response = if call.has_failed() {
        json!({"error": call.output()})
    } else {
        json!({"output": call.output()})
    };
    let result = json!({"role": "user", "parts": [
        {"functionResponse": {"id": call.id(), "name": "replace", "response": response}},
    ]});
    [message].into_iter().chain(call.told(result)).collect()
}

fn bedrock(call: &Replacement) -> Vec<Value> {
    let message = json!({"role": "assistant", "content": [
        {"toolUse": {"toolUseId": call.id(), "name": "edit", "input": call.input()}},
    ]});
    let status = if call.has_failed() {
        "error"
    } else {
        "success"
    };
    let result = json!({"role": "user", "content": [
        {"toolResult": {"toolUseId": call.id(), "status": status, "content": [{"text": call.output()}]}},
    ]});
    [message].into_iter().chain(call.told(result)).collect()
}

fn opencode(call: &Replacement) -> Vec<Value> {
    let input = json!({"filePath": call.path, "oldString": call.old, "newString": call.new});
    let state = if call.has_failed() {
        json!({"status": "error", "input": input, "error": call.output()})
    } else {
        json!({"status": "completed", "input": input, "output": call.output(),
            "metadata": {"diff": format!("--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-x\n+y\n", call.path)}})
    };
    vec![json!({"type": "tool", "tool": "edit", "callID": call.id(), "state": state})]
}

fn mcp(call: &Replacement) -> Vec<Value> {
    let request = json!({"jsonrpc": "2.0", "id": call.number, "method": "tools/call",
        "params": {"name": "edit_file", "arguments": call.input()}});
    let result = json!({"jsonrpc": "2.0", "id": call.number, "result": {
        "content": [{"type": "text", "text": call.output()}], "isError": call.has_failed()}});
    [request].into_iter().chain(call.told(result)).collect()
}

fn openhands(call: &Replacement) -> Vec<Value> {
    let action = json!({"id": call.number * 2, "source": "agent", "action": "edit", "args": {
        "path": call.path, "command": "str_replace", "old_str": call.old, "new_str": call.new}});
    let observation = if call.has_failed() { "error" } else { "edit" };
    let result = json!({"id": call.number * 2 + 1, "source": "agent", "cause": call.number * 2,
        "observation": observation, "content": call.output(), "extras": {"path": call.path}});
    [action].into_iter().chain(call.told(result)).collect()
}

fn openhands_kinds(call: &Replacement) -> Vec<Value> {
    let action = json!({"kind": "ActionEvent", "source": "agent", "tool_name": "file_editor", "tool_call_id": call.id(),
        "action": {"kind": "FileEditorAction", "command": "str_replace", "path": call.path,
            "old_str": call.old, "new_str": call.new}});
    let result = json!({"kind": "ObservationEvent", "source": "environment", "tool_call_id": call.id(),
        "observation": {"kind": "FileEditorObservation", "is_error": call.has_failed(), "content": []}});
    [action].into_iter().chain(call.told(result)).collect()
}

/// Names each call twice, by its event and by its id, and tells of a failure in the text only, or
/// that the person refused it.
fn openhands_metadata(call: &Replacement) -> Vec<Value> {
    let events = openhands(call).into_iter().map(|mut event| {
        event["tool_call_metadata"] = json!({"function_name": "edit", "tool_call_id": call.id()});
        if event.get("observation").is_some() && call.has_failed() {
            let is_refused = call.number.is_multiple_of(2);
            event["observation"] = json!(if is_refused { "user_rejected" } else { "edit" });
            let said = if is_refused {
                "No."
            } else {
                "ERROR:\nNothing was replaced."
            };
            event["content"] = json!(said);
        }
        event
    });
    events.collect()
}

/// Tells of a failure in tags, below the file's name or not.
fn roo(call: &Replacement) -> Vec<Value> {
    let details = "<error_details>\nNo sufficiently similar match found\n</error_details>";
    let said = match (call.has_failed(), call.number.is_multiple_of(2)) {
        (false, _) => "errors/a.py: applied to 1 file\n   1 | a = 9  # exit code: 1",
        (true, true) => details,
        (true, false) => &format!("Unable to apply diff to file: {}\n\n{details}", call.path),
    };
    let message = json!({"role": "assistant", "content": [
        {"type": "tool_use", "id": call.id(), "name": "apply_diff", "input": call.input()},
    ]});
    let result = json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": call.id(), "content": said},
    ]});
    [message].into_iter().chain(call.told(result)).collect()
}

/// Tells the command again before its exit status.
fn gemini_shell(call: &Replacement) -> Vec<Value> {
    let command = format!("apply_patch <<'EOF'\n{}EOF", call.envelope());
    let code = i32::from(call.has_failed());
    let output = format!(
        "Command: {command}\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: {code}\nSignal: (none)"
    );
    let message = json!({"role": "model", "parts": [
        {"functionCall": {"id": call.id(), "name": "run_shell_command", "args": {"command": command}}},
    ]});
    let result = json!({"role": "user", "parts": [
        {"functionResponse": {"id": call.id(), "name": "run_shell_command", "response": {"output": output}}},
    ]});
    [message].into_iter().chain(call.told(result)).collect()
}

/// Gives calls no ids: what somebody else says next answers them.
fn ollama(call: &Replacement) -> Vec<Value> {
    let message = json!({"role": "assistant", "content": "", "tool_calls": [
        {"function": {"name": "read", "arguments": {"path": call.path}}},
        {"function": {"name": "edit", "arguments": call.input()}},
    ]});
    let results = match call.outcome {
        Outcome::Untold => vec![json!({"role": "user", "content": "Go on."})],
        _ => vec![
            json!({"role": "tool", "tool_name": "read", "content": "def total"}),
            json!({"role": "tool", "tool_name": "edit", "content": call.output()}),
        ],
    };
    [message].into_iter().chain(results).collect()
}

/// Tells of what a sub-agent does, and then its own log.
fn progress(call: &Replacement) -> Vec<Value> {
    let own = claude_code(call);
    let told = own.iter().map(|message| {
        json!({"type": "progress", "parentToolUseID": "t", "toolUseID": "agent_msg", "data": {
            "type": "agent_progress", "message": message, "normalizedMessages": own,
        }})
    });
    told.chain(own.clone()).collect()
}

/// Has calls in the text, and what came of them, as Cline does.
fn texts(call: &Replacement) -> Vec<Value> {
    let text =
        |role: &str, text: &str| json!({"role": role, "content": [{"type": "text", "text": text}]});
    let message = text("assistant", &format!("I change it.\n\n{}", call.envelope()));
    let result = match call.outcome {
        Outcome::Untold => "Go on.".to_owned(),
        Outcome::Failed if call.number.is_multiple_of(2) => {
            "The user denied this operation.".to_owned()
        }
        _ => format!(
            "[apply_patch for '{}'] Result:\n{}",
            call.path,
            call.output()
        ),
    };
    vec![message, text("user", &result)]
}

fn pi(call: &Replacement) -> Vec<Value> {
    let entry = |message: Value| json!({"type": "message", "id": "e", "parentId": null, "message": message});
    let message = entry(
        json!({"role": "assistant", "stopReason": "toolUse", "content": [
            {"type": "text", "text": "I change it."},
            {"type": "toolCall", "id": call.id(), "name": "edit", "arguments": call.input()},
        ]}),
    );
    let result = entry(
        json!({"role": "toolResult", "toolCallId": call.id(), "toolName": "edit",
        "isError": call.has_failed(), "content": [{"type": "text", "text": "Done."}]}),
    );
    [message].into_iter().chain(call.told(result)).collect()
}

/// Tells a command as it begins, and with its result.
fn run(call: &Replacement) -> Vec<Value> {
    let command = format!("apply_patch <<'EOF'\n{}EOF", call.envelope());
    let item = |of: &str, status: &str, code: Value| {
        json!({"type": of, "item": {
        "id": call.id(), "type": "command_execution", "command": command, "status": status,
        "aggregated_output": "", "exit_code": code}})
    };
    let code = i32::from(call.has_failed());
    let status = if call.has_failed() {
        "failed"
    } else {
        "completed"
    };
    vec![
        item("item.started", "in_progress", Value::Null),
        item("item.completed", status, json!(code)),
    ]
}

fn batch(call: &Replacement) -> Vec<Value> {
    let message = json!({"type": "message", "role": "assistant", "content": [
        {"type": "tool_use", "id": call.id(), "name": "Edit", "input": call.input()}], "stop_reason": "tool_use"});
    vec![json!({"custom_id": "a", "result": {"type": "succeeded", "message": message}})]
}

/// Tells calls with their results.
fn gemini_cli(call: &Replacement) -> Vec<Value> {
    let status = if call.has_failed() {
        "error"
    } else {
        "success"
    };
    let result = json!([{"functionResponse": {"id": call.id(), "name": "replace", "response": {"output": call.output()}}}]);
    vec![
        json!({"id": "m", "timestamp": "t", "type": "gemini", "content": "", "toolCalls": [
            {"id": call.id(), "name": "replace", "args": call.input(), "status": status, "result": result},
        ]}),
    ]
}

fn gemini_stream(call: &Replacement) -> Vec<Value> {
    let message = json!({"type": "tool_use", "timestamp": "t", "tool_name": "replace", "tool_id": call.id(),
        "parameters": call.input()});
    let status = if call.has_failed() {
        "error"
    } else {
        "success"
    };
    let result = json!({"type": "tool_result", "timestamp": "t", "tool_id": call.id(), "status": status, "output": "no"});
    [message].into_iter().chain(call.told(result)).collect()
}

fn hooks(call: &Replacement) -> Vec<Value> {
    let payload = |event: &str| {
        json!({"session_id": "s", "cwd": "", "hook_event_name": event,
        "tool_name": "Edit", "tool_use_id": call.id(), "tool_input": call.input()})
    };
    let mut after = payload("PostToolUse");
    after["tool_response"] = json!({"success": !call.has_failed()});
    [payload("PreToolUse")]
        .into_iter()
        .chain(call.told(after))
        .collect()
}

/// Gives each call by itself, with its result in it.
fn bare(call: &Replacement) -> Vec<Value> {
    let mut own =
        json!({"type": "tool_call", "id": call.id(), "name": "edit", "arguments": call.input()});
    if call.outcome != Outcome::Untold {
        own["result"] = json!(call.output());
    }
    vec![own]
}

fn copilot(call: &Replacement) -> Vec<Value> {
    let event = |of: &str, data: Value| json!({"type": of, "data": data, "id": "e"});
    let asked = json!({"toolCallId": call.id(), "name": "edit", "arguments": call.input()});
    let begun = json!({"toolCallId": call.id(), "toolName": "edit", "arguments": call.input()});
    let ended =
        json!({"toolCallId": call.id(), "success": !call.has_failed(), "result": call.input()});
    let events = [
        event(
            "assistant.message",
            json!({"content": "", "toolRequests": [asked]}),
        ),
        event("tool.execution_start", begun),
    ];
    let ended = event("tool.execution_complete", ended);
    events.into_iter().chain(call.told(ended)).collect()
}

fn replacements() -> impl Strategy<Value = Vec<Replacement>> {
    let outcome = prop_oneof![
        3 => Just(Outcome::Done),
        1 => Just(Outcome::Failed),
        1 => Just(Outcome::Untold),
    ];
    let one = (
        prop::sample::select(vec!["a.py", "src/b.rs", "c d.txt"]),
        prop::sample::select(vec![
            "x = 1",
            "a\nb",
            "\"q\" \\ é",
            "<think>",
            "*** End of it",
            "```",
        ]),
        outcome,
    );
    prop::collection::vec(one, 1..5).prop_map(|all| {
        let made = |(number, (path, text, outcome))| Replacement {
            number,
            path,
            old: format!("{text} {number}"),
            new: format!("{text} {number}\nnew"),
            outcome,
        };
        all.into_iter().enumerate().map(made).collect()
    })
}

/// Every row is in the law below, but what has no calls.
#[test]
fn every_schema_is_tried() {
    let call = Replacement {
        number: 0,
        path: "a",
        old: "x".into(),
        new: "y".into(),
        outcome: Outcome::Done,
    };
    let mut tried = std::collections::BTreeSet::new();
    for (_, schema) in SCHEMAS {
        for line in schema(&call) {
            let document = JsonText::new(&line.to_string(), 0);
            let rows = MatchedRows::of(&Fields::of(document.value().unwrap()).unwrap());
            tried.extend(rows.iter().map(|row| row.name));
        }
    }
    let all = schemas::SCHEMAS.iter().map(|row| row.name);
    let untried: Vec<_> = all.filter(|name| !tried.contains(name)).collect();
    assert_eq!(untried, [schemas::REVIEW]);
}

/// Returns what is read of a response: the paths of its edits, each behind its directory, and the
/// first line of what is wrong or warned of.
fn told(text: &str) -> String {
    let log = source(text);
    let read = parse(&log, &Options::default());
    let paths = read
        .patch
        .edits
        .iter()
        .map(|edit| String::from_utf8_lossy(&edit.path).into_owned());
    let errors = read
        .errors
        .iter()
        .map(|error| format!("error: {}", error.value));
    let warnings = read
        .warnings
        .iter()
        .map(|warning| format!("warning: {}", warning.value));
    let all: Vec<_> = paths.chain(errors).chain(warnings).collect();
    all.join("; ")
}

const EDIT: &str = r#"{"path":"a.py","old":"x","new":"y"}"#;
const ENVELOPE: &str = r"*** Begin Patch\n*** Update File: a.py\n-x\n+y\n*** End Patch\n";

/// Forms that are easily read otherwise than they are meant.
#[test]
fn what_is_around_a_call_decides() {
    let call =
        |id: &str| format!(r#"{{"type":"tool_use","id":"{id}","name":"Edit","input":{EDIT}}}"#);
    let assistant = |content: &str| format!(r#"{{"role":"assistant","content":[{content}]}}"#);
    let result = |id: &str, text: &str| {
        format!(
            r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"{text}"}}]}}"#
        )
    };
    let undone =
        "error: the response has no patch outside of a call that failed, was refused or never ran";
    let item = |payload: &str| format!(r#"{{"type":"response_item","payload":{payload}}}"#);
    let codex = |id: &str| {
        item(&format!(
            r#"{{"type":"custom_tool_call","call_id":"{id}","name":"apply_patch","input":"{ENVELOPE}"}}"#
        ))
    };
    let meta = r#"{"type":"session_meta","payload":{"cwd":"/w/pkg"}}"#;
    let abort = r#"{"type":"event_msg","payload":{"type":"turn_aborted"}}"#;
    for (text, want) in [
        (EDIT.to_owned(), "a.py"),
        (format!("{EDIT} {{\"path\":\"b.py\",\"old\":\"x\",\"new\":\"y\"}}"), "a.py; b.py"),
        // A session's directory.
        (format!("{meta}\n{}", codex("1")), "/w/pkg/a.py"),
        (format!(r#"{{"type":"turn_context","payload":{{"cwd":"/w"}}}}{}{}"#, "\n", codex("1")), "/w/a.py"),
        (format!(r#"{{"type":"system","subtype":"init","cwd":"/w"}}{}{}"#, "\n", assistant(&call("1"))), "/w/a.py"),
        (
            format!(r#"{{"type":"assistant","cwd":"/w/p","message":{}}}"#, assistant(&call("1"))),
            "/w/p/a.py",
        ),
        (
            format!(
                r#"{{"info":{{"id":"s","directory":"/d"}},"messages":[{{"info":{{"role":"assistant","path":{{"cwd":"/w"}}}},"parts":[{{"type":"tool","callID":"1","tool":"edit","state":{{"status":"completed","input":{EDIT}}}}}]}}]}}"#
            ),
            "/w/a.py",
        ),
        // Calls that weren't made.
        (
            r#"{"type":"tool_call","name":"edit","arguments":{"path":"a.py","old":"x","new":"y"},"result":"Error: old_string not found in file"}"#.to_owned(),
            undone,
        ),
        (
            format!("{}\n{}", assistant(&call("1")), result("1", "skipped: tool call was not executed")),
            undone,
        ),
        (
            format!(
                "{}\n{}\n{}\n{abort}\n{}",
                codex("1"),
                item(r#"{"type":"custom_tool_call_output","call_id":"1","output":"Success. Updated the following files:\nM a.py"}"#),
                codex("2"),
                item(r#"{"type":"message","role":"user","content":"go on"}"#)
            ),
            "a.py; warning: a call that failed, was refused or never ran is ignored",
        ),
        (
            format!("{}\n{abort}", codex("1")),
            "error: the response was cut off: `type` is `turn_aborted`",
        ),
        (
            r#"[{"id":1,"source":"agent","action":"edit","args":{"path":"a.py","old_str":"x","new_str":"y"},"tool_call_metadata":{"tool_call_id":"t"}},{"id":2,"source":"agent","cause":1,"observation":"error","content":"no"}]"#.to_owned(),
            undone,
        ),
        // Prose of a session that has calls.
        (
            format!(
                "{}\n{}",
                assistant(&format!(r#"{{"type":"text","text":"{ENVELOPE}"}},{}"#, call("1"))),
                result("1", "Done.")
            ),
            "a.py; warning: an envelope in `$.content[0].text` (the calls of the session are what changes files) is ignored",
        ),
        // Payloads of hooks.
        (
            format!(r#"{{"hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_input":"{ENVELOPE}"}}"#),
            "a.py",
        ),
        (
            format!(r#"{{"hook_event_name":"PostToolUse","tool_name":"apply_patch","tool_input":"{ENVELOPE}"}}"#),
            "error: the response has no patch outside of `$` (it isn't the model that speaks there)",
        ),
        // Writers that aren't read, and those that write nothing.
        (
            format!("{EDIT}\n{}", r#"{"name":"NotebookEdit","arguments":{"notebook_path":"n","new_source":"s"}}"#),
            "a.py; error: this call of `NotebookEdit` isn't read",
        ),
        (
            format!("{EDIT}\n{}", r#"{"name":"fsAppend","arguments":{"path":"n","text":"s"}}"#),
            "a.py; error: this call of `fsAppend` isn't read",
        ),
        (
            r#"{"name":"fsWrite","arguments":{"path":"n","text":"s\n"}}"#.to_owned(),
            "n",
        ),
        (
            r#"{"name":"delete_file","arguments":{"path":"n"}}"#.to_owned(),
            "n",
        ),
        (
            r#"{"name":"move_file","arguments":{"source":"n","destination":"m"}}"#.to_owned(),
            "n",
        ),
        (
            format!("{EDIT}\n{}", r#"{"name":"TodoWrite","arguments":{"todos":[]}}"#),
            "a.py; warning: the call of `TodoWrite` is ignored: it doesn't say how a file changes",
        ),
        (
            format!("{EDIT}\n{}", r#"{"name":"create_directory","arguments":{"path":"d"}}"#),
            "a.py; warning: the call of `create_directory` is ignored: it doesn't say how a file changes",
        ),
        (
            format!(r#"{{"command":["apply_patch","{ENVELOPE}"]}}"#),
            "a.py",
        ),
        (
            r#"{"replacements":[{"path":"a.py","old":"x","new":"y"},{"path":"b.py","old":"x","new":"y"}]}"#.to_owned(),
            "a.py; b.py",
        ),
        (
            r#"{"path":"a.py","old":"x","new":"y","lines":[1,2]}"#.to_owned(),
            "a.py; error: `a.py`: `lines` isn't supported, and the call would mean something else without it",
        ),
        (
            r#"{"path":"a.py","old":"x","new":"y","tone":"kind"}"#.to_owned(),
            "a.py",
        ),
        // What others say.
        (
            assistant(&format!(r#"{{"type":"search_result","content":[{{"type":"text","text":"{ENVELOPE}"}}]}}"#)),
            "error: the response has no patch outside of `$.content[0]` (it isn't the model that speaks there)",
        ),
        (
            format!(r#"{{"role":null,"content":"{ENVELOPE}"}}"#),
            "error: `role` of a message must be a string, and is `null`",
        ),
        (
            format!(r#"{{"role":"user","content":"{ENVELOPE}","role":"assistant"}}"#),
            "error: `role` is there twice in one object",
        ),
        (
            format!(r#"{{"path":"a.py","diff_hunk":"@@","body":"{ENVELOPE}"}}"#),
            "error: the response has no patch outside of `$.body` (no known message has patches there)",
        ),
        (
            r#"{"path":"a.py","diff_hunk":"@@","body":"```suggestion\ny\n```"}"#.to_owned(),
            "error: a suggestion in a review comment is for lines that its `diff_hunk` doesn't show",
        ),
        (
            format!(r#"{{"job":{{"steps":[{{}},{{"change":"{ENVELOPE}"}}]}}}}"#),
            "error: the response has no patch outside of `$.job.steps[1].change` (no known message has patches there)",
        ),
        (
            format!(r#"{{"name":"search","arguments":{{"pattern":"{ENVELOPE}"}}}}"#),
            "error: the response has no patch: its tool calls don't say how a file changes; warning: the call of `search` is ignored: it doesn't say how a file changes",
        ),
    ] {
        assert_eq!(told(&text), want, "{text}");
    }
}

/// A line that begins like a message and is no JSON refuses the patch that its raw newlines show.
#[test]
fn a_broken_message_is_no_prose() {
    let patch = "*** Begin Patch\n*** Update File: a.py\n-x\n+y\n*** End Patch\n";
    for start in [
        r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":""#,
        r#"{"role":"tool","content":""#,
    ] {
        let read = told(&format!("{start}{patch}\"}}\n"));
        assert!(read.contains("error: the JSON of a tool call"), "{read}");
    }
}

#[test]
fn parts_of_a_session_are_one() {
    let calls = |ids: &[&str]| -> String {
        ids.iter()
            .map(|id| format!(r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"{id}","name":"Edit","input":{EDIT}}}]}}"#) + "\n")
            .collect()
    };
    // What has other calls by the same ids is no part of it.
    let other = calls(&["1"]).replace(r#""y""#, r#""z""#);
    let failed = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","is_error":true,"content":"no"}]}"#;
    for (first, second, want) in [
        (calls(&["1"]), failed.to_owned(), [0, 0]),
        (calls(&["1"]), calls(&["1"]), [1, 0]),
        (calls(&["1"]), calls(&["2"]), [1, 1]),
        (calls(&["1"]), other, [1, 1]),
        (
            calls(&["1", "2"]),
            format!("{}{failed}", calls(&["2"])),
            [1, 0],
        ),
    ] {
        let sources = [source(&first), source(&second)];
        let read = parse_all(&sources, &Options::default());
        let counts: Vec<_> = read.iter().map(|read| read.patch.edits.len()).collect();
        assert_eq!(counts, want, "{first}{second}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::testing::cases(256)))]

    #[test]
    fn a_session_is_its_calls(calls in replacements(), order in any::<bool>()) {
        for (name, schema) in SCHEMAS {
            let lines = calls.iter().flat_map(schema);
            // As lines, or as one list.
            let text: String = if order {
                Value::from_iter(lines).to_string()
            } else {
                lines.map(|line| format!("{line}\n")).collect()
            };
            let is_told = calls.iter().any(|call| call.outcome != Outcome::Untold);
            // A call without a result counts where there are no results, and at the end.
            let counts = |call: &&Replacement| match call.outcome {
                Outcome::Done => true,
                Outcome::Failed => *name == "batch",
                Outcome::Untold => match *name {
                    "texts" | "opencode" | "gemini-cli" | "batch" | "run" => true,
                    // In the call itself, results end no turn.
                    "bare" => true,
                    "ollama" => !is_told,
                    _ => !is_told || calls[call.number..].iter().all(|next| next.outcome == Outcome::Untold),
                },
            };
            let wanted: String = calls
                .iter()
                .filter(counts)
                .map(|call| match *name {
                    "rollout" | "texts" | "gemini-shell" | "run" => call.envelope(),
                    _ => format!("{}\n", call.input()),
                })
                .collect();
            let (log, plain) = (source(&text), source(&wanted));
            let options = Options::default();
            let (got, want) = (parse(&log, &options), parse(&plain, &options));
            prop_assert_eq!(got.errors.is_empty(), !wanted.is_empty(), "{}: {}\n{:?}", name, text, got.errors);
            if !wanted.is_empty() {
                prop_assert_eq!(got.patch.edits.len(), want.patch.edits.len(), "{}: {}", name, text);
                for (got, want) in got.patch.edits.iter().zip(&want.patch.edits) {
                    prop_assert!(
                        got.path == want.path && got.operation == want.operation,
                        "{}: {}\n{:?}", name, text, got
                    );
                }
            }
        }
    }
}
