//! What a call is given beside a patch: the command that reads the patch, the directory, and
//! members without which the patch would mean something else.

use super::Messages;
use super::strings::may_hold_patch;
use crate::format::tool::fields::{self, Fields};
use crate::format::tool::json::{Is, Value};
use crate::response::command::Doubt;
use crate::response::{Error, embedded};

/// Members that hold a command or a script.
pub(super) const COMMANDS: [&str; 3] = ["command", "cmd", "script"];

/// Returns whether an object that nothing wraps is what a call is given.
pub(super) fn is_bare_call(fields: &Fields<'_>) -> bool {
    let given = fields.get(&COMMANDS).or_else(|| fields.get(fields::PATCH));
    given.is_some_and(|(name, value)| {
        value.is() == Is::String || COMMANDS.contains(&name) && !words(value).is_empty()
    })
}

/// Returns whether the patches in a member are given as they are, and not in a command.
pub(super) fn is_patch(name: &str, value: Value<'_>) -> bool {
    matches!(value.is(), Is::String | Is::Array) && !COMMANDS.contains(&name)
}

/// Returns the command of a call as words, or as the only word if a shell reads it.
fn command_of(fields: &Fields<'_>) -> Vec<String> {
    let Some((_, value)) = fields.get(&COMMANDS) else {
        return Vec::new();
    };
    let args = fields.get(&["args"]).map(|(_, args)| words(args));
    match value.string() {
        Ok(command) => [vec![command.text().to_owned()], args.unwrap_or_default()].concat(),
        Err(_) => words(value),
    }
}

/// Returns the items of an array that are strings.
pub(super) fn words(value: Value<'_>) -> Vec<String> {
    let words = value.items().into_iter();
    words
        .filter_map(|word| Some(word.string().ok()?.text().to_owned()))
        .collect()
}

impl Messages<'_, '_> {
    /// Refuses a patch beside a command, which may read it and change it; returns whether there is
    /// one.
    pub(super) fn input(&mut self, fields: &Fields<'_>, (name, value): (&str, Value<'_>)) -> bool {
        let word = command_of(fields).join(" ");
        let is_beside = !word.is_empty() && word != "apply_patch" && is_patch(name, value);
        let holds_patch = is_beside && value.is() == Is::String && may_hold_patch(value);
        if !holds_patch || self.patch_in(value, 0).is_none() {
            return false;
        }
        let word = word.chars().take(60).collect();
        self.push_error(value.range(), Error::Command(Doubt::Word(word)));
        true
    }

    /// Has the patches of a call, of which the first is at `start`, be in its directory.
    pub(super) fn enter(&mut self, start: usize, directory: &str) {
        for block in self.reader.blocks.iter_mut().skip(start) {
            embedded::place(block, directory);
        }
    }

    /// Finds what is wrong with the members beside the patches of a call, of which the first is at
    /// `start`.
    pub(super) fn beside(&mut self, start: usize, fields: &Fields<'_>, patches: &[&str]) {
        if patches.is_empty() {
            return;
        }
        let known = patches.chunks(1).chain(COMMANDS.chunks(1));
        let others = [
            fields::PATH,
            fields::DIRECTORY,
            fields::TYPE,
            &["args"],
            &["language"],
        ];
        let known: Vec<&[&str]> = known.chain(others).collect();
        self.reader.beside(start, fields, &known);
    }
}
