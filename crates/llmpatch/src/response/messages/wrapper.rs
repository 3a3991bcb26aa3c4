//! Calls as messages wrap them.

use crate::format::tool::fields::{self, Fields};
use crate::format::tool::json::Value;
use crate::response::literal::{self, Language};
use crate::response::members::{self, Outcome};

/// A call: its name, what it is given, and the members that say what became of it.
pub(super) struct Wrapper<'t> {
    pub(super) name: String,
    /// The member that holds what it is given.
    pub(super) member: String,
    pub(super) arguments: Value<'t>,
    pub(super) outcome: Option<Outcome>,
}

/// The types of messages in which a command of the shell is the call.
pub(super) const SHELL: &[&str] = &["command_execution", "local_shell_call", "shell_call"];

/// Returns whether what a call is given was told to its end.
pub(super) fn is_whole(arguments: Value<'_>) -> bool {
    match arguments.string() {
        Ok(text) if text.text().trim_start().starts_with('{') => text.value().is_ok_and(is_whole),
        _ => members::is_said(arguments),
    }
}

/// Returns the language of the program that a call is given, if it names one.
pub(super) fn language(fields: &Fields<'_>) -> Option<Language> {
    literal::language(&fields.word(&["language"])?)
}

/// Returns the call that an object wraps, if it does.
pub(super) fn wrapper<'t>(fields: &Fields<'t>) -> Option<Wrapper<'t>> {
    const NAMES: &[&str] = &["name", "toolName", "tool_name", "tool", "action"];
    const TYPES: &[&str] = &["tool_use", "function_call", "custom_tool_call", "tool_call"];
    let own = members::outcome(fields);
    let name = NAMES.iter().find_map(|name| fields.word(&[name]));
    let of = fields.word(fields::TYPE).unwrap_or_default();
    // OpenCode tells what a call is given beside what became of it.
    let state = fields
        .get(&["state"])
        .and_then(|(_, state)| Fields::of(state).ok());
    if let Some(state) = &state
        && let Some((member, arguments)) = state.get(&["input"])
    {
        return Some(Wrapper {
            name: name.unwrap_or_default(),
            member: member.to_owned(),
            arguments,
            outcome: members::outcome(state).or(own),
        });
    }
    // Codex and OpenAI's models tell commands so.
    if SHELL.contains(&&of[..])
        && let Some((member, command)) = fields.get(&["action", "command"])
    {
        return Some(Wrapper {
            name: of,
            member: member.to_owned(),
            arguments: command,
            outcome: own,
        });
    }
    let (key, arguments) = fields.get(fields::ARGUMENTS)?;
    let of_type = of.strip_prefix("tool-").filter(|name| *name != "call");
    let is_call =
        key == "arguments" || name.is_some() || of_type.is_some() || TYPES.contains(&&of[..]);
    is_call.then(|| Wrapper {
        name: name.or(of_type.map(str::to_owned)).unwrap_or_default(),
        member: key.to_owned(),
        arguments,
        outcome: own,
    })
}
