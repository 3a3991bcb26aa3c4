//! Logs of sessions that are made of random calls and what became of each: whatever the schema, the
//! calls that took effect are read, in order and each once.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::source;
use crate::format::{Options, parse};

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
    ("anthropic", anthropic),
    ("claude-code", claude_code),
    ("chat", chat),
    ("responses", responses),
    ("rollout", rollout),
    ("gemini", gemini),
    ("bedrock", bedrock),
    ("opencode", opencode),
    ("langchain", langchain),
    ("mcp", mcp),
    ("openhands", openhands),
    ("openhands-metadata", openhands_metadata),
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
    let response = match call.has_failed() {
        true => json!({"error": call.output()}),
        false => json!({"output": call.output()}),
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
    let state = match call.has_failed() {
        true => json!({"status": "error", "input": input, "error": call.output()}),
        false => json!({"status": "completed", "input": input, "output": call.output(),
            "metadata": {"diff": format!("--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-x\n+y\n", call.path)}}),
    };
    vec![json!({"type": "tool", "tool": "edit", "callID": call.id(), "state": state})]
}

fn langchain(call: &Replacement) -> Vec<Value> {
    let message = json!({"type": "ai", "content": "", "tool_calls": [
        {"name": "edit", "args": call.input(), "id": call.id(), "type": "tool_call"},
    ]});
    let status = if call.has_failed() {
        "error"
    } else {
        "success"
    };
    let result = json!({"type": "tool", "tool_call_id": call.id(), "status": status, "content": call.output()});
    [message].into_iter().chain(call.told(result)).collect()
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
            let wanted: String = calls
                .iter()
                .filter(|call| !call.has_failed())
                .map(|call| match *name {
                    "rollout" | "texts" | "gemini-shell" => call.envelope(),
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
