//! What a call is given, and the patches in the texts of messages and calls.

use std::ops::Range;

use super::command::{self, Doubt};
use super::embedded::{Holder, InScript};
use super::literal::{self, Language};
use super::messages::{Around, DEEPEST, Messages};
use super::outcomes::{self, Outcome};
use super::place::JsonPath;
use super::rows::{Holds, at, ids, is, word};
use super::schemas::CallForm;
use super::session::SessionEntry;
use super::texts::{COMMANDS, command_of, has_no_patch, is_text, is_whole, may_hold_patch};
use super::{Block, Error, NoPatch, Warning, embedded};
use crate::format::excerpt;
use crate::format::tool::fields::{self, Fields};
use crate::format::tool::json::{Is, JsonText, Value};
use crate::format::tool::shapes::{self, CallShape};
use crate::format::tool::{self, CallReader, broken, is_of_calls};
use crate::patch::Format;
use crate::text::{Located, Span, Text};

const LANGUAGE: &[&str] = &["language"];

/// Members that may hold a program.
const PROGRAMS: [&str; 3] = ["code", "script", "input"];

/// A call whose arguments are read.
#[derive(Clone, Copy)]
struct Given<'g> {
    tool: &'g str,
    /// The member in which they are.
    member: &'g str,
    /// The language of the programs among them, if the call names it.
    language: Option<Language>,
    /// The directory in which it is made.
    directory: &'g str,
    path: JsonPath<'g>,
}

impl Given<'_> {
    fn may_be_program(&self, value: Value<'_>) -> bool {
        PROGRAMS.contains(&self.member) && value.written().contains("apply_patch")
    }
}

impl Messages<'_, '_> {
    /// Reads a call. A call that changes nothing is told.
    pub(super) fn call(
        &mut self,
        object: Value<'_>,
        fields: &Fields<'_>,
        call: &CallForm,
        around: Around<'_>,
    ) {
        let is_bare = call.given.is_empty();
        let start = self.read.blocks.len();
        let told = self.read.told();
        let tool = word(fields, call.name).unwrap_or_default();
        let argument = if is_bare {
            Some(object)
        } else {
            at(fields, call.given)
        };
        self.argument(argument, &tool, fields, call, around);
        let is_idle = self.read.blocks.len() == start;
        if is_idle && self.read.told() == told && (!is_bare || shapes::names_file(fields)) {
            self.skip(object, &tool);
        }
        let is_told = call.result.iter().any(|path| at(fields, path).is_some());
        let outcome = outcomes::outcome(around.rows, fields, call.result)
            .or(is_told.then_some(Outcome::Done));
        // A call that changes no file needn't end.
        let is_begun = is(call.begun, fields) && !(is_idle && argument.is_some_and(is_whole));
        let span = self.source.span(object.range());
        let said = "in progress".to_owned();
        let cut = is_begun.then(|| Located::new(span, Error::Unfinished { said }));
        if is_begun && is_idle {
            self.read
                .blocks
                .push(Block::empty(Format::Tool, object.range()));
        }
        let entry = SessionEntry {
            call: Some((ids(call.ids, fields), tool)),
            outcome: outcome.filter(|outcome| !is_begun || *outcome == Outcome::Undone),
            changes: call.changes,
            cut,
            place: around.path.to_string(),
            ..SessionEntry::default()
        };
        self.take(object, start, entry);
    }

    /// Reads what a call is given, and tells of patches beside it.
    fn argument(
        &mut self,
        argument: Option<Value<'_>>,
        tool: &str,
        fields: &Fields<'_>,
        call: &CallForm,
        around: Around<'_>,
    ) {
        let is_bare = call.given.is_empty();
        let own = fields.word(fields::DIRECTORY);
        let own = own.filter(|_| around.rows.directory(fields).is_none() && !is_bare);
        let directory = self.session.aside.directory.clone();
        let directory = embedded::joined(&directory, &own.unwrap_or_default());
        if let Some(value) = argument {
            let given = Given {
                tool,
                member: call.given.rsplit('.').next().unwrap_or_default(),
                language: literal::language(tool),
                directory: &directory,
                path: around.path,
            };
            self.given(value, given);
        }
        if !is_bare {
            let first = call.given.split('.').next();
            let others = fields.iter().filter(|(name, _)| {
                Some(*name) != first && around.rows.holds(name) == Holds::Unknown
            });
            self.beside(others, around.path);
        }
    }

    /// Reads what a call is given: an object, or a string that holds one, a patch or a command.
    fn given(&mut self, value: Value<'_>, given: Given<'_>) {
        if given.path.depth() > DEEPEST {
            return self.error(value, tool::Error::Deep);
        }
        match value.is() {
            Is::Object => match Fields::of(value) {
                Ok(fields) => self.arguments(value, &fields, given),
                Err(error) => self.error(value, broken(&error)),
            },
            Is::Array => self.words(value, given),
            Is::String => {
                let Some(document) = self.decoded(value) else {
                    return;
                };
                let is_json = document.text().trim_start().starts_with(['{', '[']);
                match document.value() {
                    Ok(inner) if is_json => self.given(inner, given),
                    Err(error)
                        if is_json
                            && (error.is_eof() || is_of_calls(document.text().as_bytes())) =>
                    {
                        self.error(value, broken(&error));
                    }
                    _ => self.patch_text(value.range(), &document, None, given),
                }
            }
            _ => {}
        }
    }

    fn arguments(&mut self, object: Value<'_>, fields: &Fields<'_>, given: Given<'_>) {
        let Some(shape) = shapes::shape(given.tool, fields) else {
            return;
        };
        let start = self.read.blocks.len();
        match shape {
            CallShape::Look => self.skip(object, &fields.word(fields::COMMAND).unwrap_or_default()),
            CallShape::Unread => self.unread(object, given.tool),
            CallShape::Calls => {
                let (_, calls) = fields.get(fields::EDITS).unwrap_or(("", object));
                for (index, item) in calls.items().into_iter().enumerate() {
                    let path = given.path.item(index);
                    self.item(item, Given { path, ..given });
                }
            }
            CallShape::Patch => self.patches(object, fields, given),
            _ => {
                let mut reader = CallReader::new(self.source, self.options.strict, object.range());
                reader.read(object, fields, shape);
                if let Some(patch) = reader.patch.take() {
                    let of_file = Some((&patch.field[..], &patch.path[..]));
                    self.patch_text(patch.range, &patch.document, of_file, given);
                } else {
                    let own = fields.word(fields::DIRECTORY).unwrap_or_default();
                    let directory = embedded::joined(given.directory, &own);
                    self.push(reader.block.widened(), &directory);
                }
            }
        }
        // What is refused names its members.
        let mut blocks = self.read.blocks[start..].iter();
        if !blocks.all(|block| block.errors.is_empty()) {
            return;
        }
        let read = match shape {
            CallShape::Edits | CallShape::Calls => fields.get(fields::EDITS),
            _ => fields.get(fields::DIFF),
        };
        let is_read = |name, value: Value<'_>| match shape {
            CallShape::Patch => fields::PATCH.contains(&name) && is_text(value),
            _ => read.is_some_and(|(read, _)| read == name),
        };
        let others = fields.iter().filter(|(name, value)| !is_read(name, *value));
        self.beside(others, given.path);
    }

    /// Tells of patches and calls in members that hold others beside what a call is given: values, and
    /// strings that might be a patch.
    fn beside<'f, 't: 'f>(
        &mut self,
        others: impl Iterator<Item = (&'f str, Value<'t>)>,
        path: JsonPath<'_>,
    ) {
        for (name, value) in others {
            if matches!(value.is(), Is::Array | Is::Object) || fields::PATCH.contains(&name) {
                self.hide(value, path.member(name), NoPatch::Elsewhere);
            }
        }
    }

    /// Reads one of several calls in a call. A call that changes nothing is told.
    fn item(&mut self, item: Value<'_>, given: Given<'_>) {
        let before = (self.read.blocks.len(), self.read.told());
        let fields = Fields::of(item).ok();
        let inner = fields.as_ref().and_then(|fields| {
            let tool = fields.word(&["recipient_name", "name"]).unwrap_or_default();
            Some((tool, fields.get(&["parameters"])?.1))
        });
        let (tool, value) = inner.unwrap_or_else(|| (String::new(), item));
        let given = Given {
            tool: if tool.is_empty() { given.tool } else { &tool },
            ..given
        };
        self.given(value, given);
        if (self.read.blocks.len(), self.read.told()) == before {
            self.skip(item, &tool);
        }
    }

    /// Reads the patches and commands among the members of what a call is given.
    fn patches(&mut self, object: Value<'_>, fields: &Fields<'_>, given: Given<'_>) {
        let start = self.read.blocks.len();
        let own = fields.word(fields::DIRECTORY).unwrap_or_default();
        let directory = embedded::joined(given.directory, &own);
        let language = fields.word(LANGUAGE);
        let language = language.and_then(|name| literal::language(&name));
        let path = fields.word(fields::PATH);
        let command = Some(command_of(fields));
        let command = command.filter(|command| !matches!(&command[..], "" | "apply_patch"));
        for (name, value) in fields
            .iter()
            .filter(|(name, _)| fields::PATCH.contains(name))
        {
            let given = Given {
                member: name,
                language: language.or(given.language),
                directory: &directory,
                ..given
            };
            // A patch that a command is given is for that command.
            let command = command.as_ref().filter(|_| !COMMANDS.contains(&name));
            if let Some(command) = command
                && value.is() == Is::String
                && self.has_patch(value, given.path)
            {
                let word = command.chars().take(60).collect();
                self.refuse(value, Error::Command(Doubt::Word(word)));
            } else {
                let of_file = path.as_ref().map(|path| (name, path.as_bytes()));
                self.patch(value, of_file, given);
            }
        }
        let is_idle = self.read.blocks[start..].iter().all(has_no_patch);
        if is_idle && shapes::is_unread(given.tool, fields) {
            self.read.blocks.truncate(start);
            self.unread(object, given.tool);
        } else if let Some(first) = self.read.blocks.get_mut(start) {
            let known: Vec<_> = fields::PATCH.chunks(1).chain([fields::PATH]).collect();
            let known = [&known[..], &[fields::DIRECTORY, fields::TYPE, LANGUAGE]].concat();
            let mut reader = CallReader::new(self.source, self.options.strict, object.range());
            reader.members(fields, &known);
            let wrong: Block<'_> = reader.block.widened();
            first.errors.extend(wrong.errors);
        }
    }

    /// Reads a member that is a patch or a command.
    fn patch(&mut self, value: Value<'_>, of_file: Option<(&str, &[u8])>, given: Given<'_>) {
        match value.is() {
            Is::Array if COMMANDS.contains(&given.member) => self.words(value, given),
            Is::Array if self.has_patch(value, given.path) => {
                let field = given.member.to_owned();
                let (wanted, is) = ("a string", "an array");
                self.error(value, tool::Error::Type { field, wanted, is });
            }
            Is::String if may_hold_patch(value) || given.may_be_program(value) => {
                if let Some(document) = self.decoded(value) {
                    self.patch_text(value.range(), &document, of_file, given);
                }
            }
            _ => {}
        }
    }

    /// Reads a command that is given as words: a patch behind `apply_patch`, or a shell's script.
    fn words(&mut self, value: Value<'_>, given: Given<'_>) {
        let items = value.items();
        let words = items.iter().map(|word| word.string());
        let Ok(words) = words.collect::<Result<Vec<_>, _>>() else {
            return;
        };
        let texts: Vec<_> = words.iter().map(JsonText::text).collect();
        match command::of_words(&texts) {
            Ok(None) => {}
            Ok(Some(handed)) => {
                let mut words = items.iter().zip(&words);
                if let Some((item, word)) = words.find(|(_, word)| word.text() == handed) {
                    self.patch_text(item.range(), word, None, given);
                }
            }
            Err(doubt) => self.refuse(value, Error::Command(doubt)),
        }
    }

    fn setting<'s>(
        &'s self,
        directory: &'s str,
        place: &'s dyn Fn(Range<usize>) -> Span,
    ) -> embedded::Setting<'s> {
        embedded::Setting {
            id: self.source.id(),
            name: self.source.name(),
            options: self.options_of_text(false, None),
            directory,
            place,
        }
    }

    /// Reads a text that a call is given: a command or a program that applies patches, or a patch.
    /// Where the call names a file, the patch may name no other.
    fn patch_text(
        &mut self,
        range: Range<usize>,
        document: &JsonText,
        of_file: Option<(&str, &[u8])>,
        given: Given<'_>,
    ) {
        let source = self.source;
        let place = |range: Range<usize>| source.span(document.range(range));
        let setting = self.setting(given.directory, &place);
        let text = document.text();
        let InScript {
            mut blocks, trials, ..
        } = embedded::of_argument(text.as_bytes(), setting);
        let is_read = blocks.iter().any(|block| block.errors.is_empty());
        if !is_read && PROGRAMS.contains(&given.member) {
            let program = embedded::program(text, Holder::Call(given.language), setting);
            blocks = if program.is_empty() { blocks } else { program };
        }
        let trials = trials.into_iter();
        let trials = trials.map(|(at, what)| Located::new(at, Warning::Nearly { what }));
        self.read.remarks.extend(trials);
        if !blocks.is_empty() {
            return self.read.blocks.extend(blocks);
        }
        let file = of_file.map(|(_, path)| path);
        let Some(mut block) = self.nested(range.clone(), document, false, file) else {
            return;
        };
        if let Some((field, path)) = of_file {
            let mut reader = CallReader::new(source, self.options.strict, range);
            let path = Text::derived(path.to_vec());
            reader.path = Some(excerpt(&path));
            let edits = std::mem::take(&mut block.edits);
            let edits = reader.of_file(field, document, edits, &path);
            block.edits = edits.unwrap_or_default();
            let wrong: Block<'_> = reader.block.widened();
            block.errors.extend(wrong.errors);
        }
        self.push(block, given.directory);
    }
}
