//! What a call is given beside a patch: the command that reads the patch, the directory, and
//! members without which the patch would mean something else.

use super::strings::may_hold_patch;
use super::{Messages, Nesting};
use crate::format::tool::fields::{self, Fields};
use crate::format::tool::json::{Is, Value};
use crate::response::command::{self, Doubt};
use crate::response::embedded;

/// Members that hold a command or a script.
const COMMANDS: [&str; 3] = ["command", "cmd", "script"];

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
fn words(value: Value<'_>) -> Vec<String> {
    let words = value.items().into_iter();
    words
        .filter_map(|word| Some(word.string().ok()?.text().to_owned()))
        .collect()
}

impl Messages<'_, '_> {
    /// Reads a patch that the command beside it reads; returns whether there is one.
    pub(super) fn input(
        &mut self,
        fields: &Fields<'_>,
        (name, value): (&str, Value<'_>),
        around: Nesting<'_>,
    ) -> bool {
        if !is_patch(name, value) || value.is() != Is::String || !may_hold_patch(value) {
            return false;
        }
        let command = command_of(fields).join(" ");
        let meaning = command::meaning_of_input(&command_of(fields)).or_else(|| {
            let is_input = name == "stdin" || name == "input" && command.contains(' ');
            let name = command.lines().next()?.to_owned();
            is_input.then_some(Err(Doubt::Command { name }))
        });
        let (Some(meaning), Ok(document)) = (meaning, value.string()) else {
            return false;
        };
        if self.patch_in(value, 0).is_none() {
            return false;
        }
        let source = self.reader.source;
        let setting = embedded::Setting {
            id: source.id(),
            name: source.name(),
            options: self.options_of_text(false, None),
            directory: around.directory,
            place: &|range| source.span(document.range(range)),
        };
        let patch = command::Embedded {
            body: 0..document.text().len(),
            edits: Vec::new(),
            meaning,
        };
        if let Some(block) = embedded::of_command(document.text(), &patch, setting) {
            self.reader.is_wrapped = true;
            self.reader.take_patch(value.range(), block);
        }
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
