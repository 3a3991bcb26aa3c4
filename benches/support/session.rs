//! The records of a session in which an agent made a change call by call, as two agents keep them.

use serde_json::{Value, json};

use super::responses::Form;
use super::scenario::{File, Hunk};

/// Where the agent saw the files.
pub const ROOT: &str = "/home/user/project";

pub const RECORDS: [Form; 2] = [("messages", messages), ("rollout", rollout)];

/// Calls of a tool that replaces text, and their results, which repeat the file as it was.
fn messages(files: &[File]) -> String {
    let mut now: Vec<String> = files.iter().map(File::before).collect();
    let mut lines = vec![message("user", json!("Use the other function."))];
    for (nth, file, hunk) in calls(files) {
        let (id, path) = (
            format!("toolu_{:06}", lines.len()),
            format!("{ROOT}/{}", file.path),
        );
        let (old, new) = hunk.sides();
        let input = json!({ "file_path": path, "old_string": old, "new_string": new });
        let call = json!({ "type": "tool_use", "id": id, "name": "Edit", "input": input });
        lines.push(message("assistant", json!([call])));
        let told = format!("The file {path} has been updated.");
        let result = json!({ "type": "tool_result", "tool_use_id": id, "content": told });
        let mut result = message("user", json!([result]));
        result["toolUseResult"] = json!({
            "filePath": path, "oldString": old, "newString": new, "originalFile": now[nth],
            "userModified": false, "replaceAll": false,
        });
        lines.push(result);
        now[nth] = now[nth].replace(&old, &new);
    }
    one_a_line(&lines)
}

fn message(role: &str, content: Value) -> Value {
    let message = json!({ "role": role, "content": content });
    json!({ "type": role, "message": message, "cwd": ROOT, "sessionId": "s", "isSidechain": false })
}

/// Calls of a tool that takes an envelope, and their results.
fn rollout(files: &[File]) -> String {
    let meta = json!({ "id": "s", "cwd": ROOT, "originator": "codex_cli_rs" });
    let mut lines = vec![json!({ "type": "session_meta", "payload": meta })];
    for (_, file, hunk) in calls(files) {
        let (id, path) = (format!("call_{:06}", lines.len()), &file.path);
        let envelope = format!(
            "*** Begin Patch\n*** Update File: {path}\n@@\n{}*** End Patch\n",
            hunk.marked()
        );
        let call = json!({
            "type": "custom_tool_call", "status": "completed", "call_id": id,
            "name": "apply_patch", "input": envelope,
        });
        let told = format!("Success. Updated the following files:\nM {path}\n");
        let told = json!({ "output": told, "metadata": { "exit_code": 0 } }).to_string();
        let result = json!({ "type": "custom_tool_call_output", "call_id": id, "output": told });
        lines
            .extend([call, result].map(|item| json!({ "type": "response_item", "payload": item })));
    }
    one_a_line(&lines)
}

/// Returns each change of the files with its file and that file's number: the first of every file,
/// then the second of every file, and so on.
fn calls(files: &[File]) -> impl Iterator<Item = (usize, &File, Hunk)> {
    let rounds = files.iter().map(|file| file.hunks().count()).max();
    (0..rounds.unwrap_or(0)).flat_map(move |round| {
        let numbered = files.iter().enumerate();
        numbered.filter_map(move |(nth, file)| Some((nth, file, file.hunks().nth(round)?)))
    })
}

fn one_a_line(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}
