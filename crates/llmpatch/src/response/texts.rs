//! The texts of messages and calls, each read as a response of its own; and what looks like a patch
//! where none is read.

use std::ops::Range;

use super::lines::Line;
use super::messages::{Around, DEEPEST, Messages, is_change};
use super::place::JsonPath;
use super::session::SessionEntry;
use super::{Block, Error, Warning, parse};
use crate::format::Options;
use crate::format::tool::fields::Fields;
use crate::format::tool::json::{Is, JsonText, Value};
use crate::format::tool::{self, CallReader, is_of_calls};
use crate::patch::Format;
use crate::text::{LineNo, Source, Span};

impl Messages<'_, '_> {
    /// Reads a text of the model, in which patches may be.
    pub(super) fn text(&mut self, string: Value<'_>, around: Around<'_>) {
        if !may_hold_patch(string) || self.options.depth >= tool::DEEPEST_TEXT {
            return;
        }
        let start = self.read.blocks.len();
        let Some(document) = self.decoded(string) else {
            return;
        };
        let Some(block) = self.nested(string.range(), &document, true, None) else {
            return;
        };
        let directory = self.session.aside.directory.clone();
        self.push(block, &directory);
        let place = around.path.to_string();
        let entry = SessionEntry {
            place,
            ..SessionEntry::default()
        };
        self.take(string, start, entry);
    }

    /// Returns how a text is read: the model's own text as a response, or what a call is given.
    pub(super) fn options_of_text<'o>(
        &'o self,
        is_prose: bool,
        file: Option<&'o [u8]>,
    ) -> Options<'o> {
        let deeper = if is_prose { 1 } else { tool::DEEPEST_TEXT };
        Options {
            depth: self.options.depth + deeper,
            file: file.or(self.options.file),
            is_closed: !is_prose || self.options.is_closed,
            only: &[],
            indent: b"",
            // Whole files are read where the model speaks, and only if they were asked for.
            format: self
                .options
                .format
                .filter(|format| is_prose && *format == Format::Files),
            ..*self.options
        }
    }

    /// Decodes a string, or says why that can't be.
    pub(super) fn decoded(&mut self, string: Value<'_>) -> Option<JsonText> {
        let mut reader = CallReader::new(self.source, self.options.strict, string.range());
        let document = reader.decoded(string);
        if document.is_none() {
            self.read.blocks.push(reader.block.widened());
        }
        document
    }

    /// Reads a text as a response of its own. Where it has no patch but such that don't count, these
    /// are told.
    pub(super) fn nested(
        &mut self,
        range: Range<usize>,
        document: &JsonText,
        is_prose: bool,
        file: Option<&[u8]>,
    ) -> Option<Block<'static>> {
        let source = self.source;
        let text = Source::new(source.id(), source.name(), document.text().into())?;
        let parsed = parse(&text, &self.options_of_text(is_prose, file));
        let format = parsed.patch.format;
        let is_absent = parsed.errors.iter().all(|error| error.value.is_absence());
        let place =
            |span: Span| source.span(document.range(span.start as usize..span.end as usize));
        let is_absent = is_absent && !parsed.has_patch();
        let mut block = parsed.into_block(&place);
        if !is_absent {
            block.range = range;
            return Some(block);
        }
        for warning in block.warnings {
            if let Warning::Hidden { format, by } = warning.value {
                self.hidden(format, warning.span?, by);
            }
        }
        for error in block.errors {
            match error.value {
                // Where all is hidden, the error says so instead.
                Error::NoPatch(by) if by.is_hidden() => self.hidden(format, error.span?, by),
                Error::NoPatch(what) if what.is_nearly() && is_prose => {
                    let first = &mut self.session.aside.nearly;
                    first.get_or_insert((error.span?, what));
                }
                _ => {}
            }
        }
        None
    }

    /// Returns whether a value holds a patch or a call.
    pub(super) fn has_patch(&self, value: Value<'_>, path: JsonPath<'_>) -> bool {
        !self.patches_in(value, path, 1).is_empty()
    }

    /// Returns the first patches and calls in a value, at most `most`: where each is, and its place in the
    /// JSON. Calls in an array are one, which can be read by itself.
    pub(super) fn patches_in(
        &self,
        value: Value<'_>,
        path: JsonPath<'_>,
        most: usize,
    ) -> Vec<(Format, Span, String)> {
        if path.depth() > DEEPEST {
            return Vec::new();
        }
        let found = |format| vec![(format, self.source.span(value.range()), path.to_string())];
        match value.is() {
            Is::Array => {
                let items = value.items();
                let calls = items.iter().filter(|item| is_call(**item)).count();
                if calls > 1 && calls == items.len() {
                    return found(Format::Tool);
                }
                let items = items.into_iter().enumerate();
                self.patches_of(items.map(|(index, item)| (item, path.item(index))), most)
            }
            Is::Object if is_call(value) => found(Format::Tool),
            Is::Object => match Fields::of(value) {
                Ok(fields) => {
                    let members = fields.iter();
                    self.patches_of(
                        members.map(|(name, value)| (value, path.member(name))),
                        most,
                    )
                }
                Err(_) => Vec::new(),
            },
            Is::String if may_hold_patch(value) => self.begun(value).map_or(Vec::new(), found),
            _ => Vec::new(),
        }
    }

    fn patches_of<'v, 'p>(
        &self,
        values: impl Iterator<Item = (Value<'v>, JsonPath<'p>)>,
        most: usize,
    ) -> Vec<(Format, Span, String)> {
        let mut all = Vec::new();
        for (value, path) in values {
            all.extend(self.patches_in(value, path, most - all.len()));
            if all.len() == most {
                break;
            }
        }
        all
    }

    /// Returns the format of the first patch that begins in a line of a string.
    fn begun(&self, string: Value<'_>) -> Option<Format> {
        let document = string.string().ok()?;
        let (id, name) = (self.source.id(), self.source.name());
        let source = Source::new(id, name, document.text().into())?;
        let mut rows = source.rows(LineNo::FIRST);
        rows.find_map(|row| match Line::of(&source, row) {
            Line::Patch(format, _) => Some(format),
            Line::Json(_) => Some(Format::Tool),
            _ => None,
        })
    }
}

/// Returns whether a value is a call by its shape.
fn is_call(value: Value<'_>) -> bool {
    value.is() == Is::Object && Fields::of(value).is_ok_and(|fields| is_change(&fields))
}

/// Returns whether a string may hold a patch: each has several lines, but for an element of OPX and
/// a tool call.
pub(super) fn may_hold_patch(string: Value<'_>) -> bool {
    let written = string.written();
    written.contains("\\n")
        || written.contains("<edit")
        || written.contains('{') && is_of_calls(written.as_bytes())
}

/// Returns whether a value is no object and holds none: a patch is a string, and so is each word of a
/// command.
pub(super) fn is_text(value: Value<'_>) -> bool {
    match value.is() {
        Is::Object => false,
        Is::Array => value.items().iter().all(|word| word.is() == Is::String),
        _ => true,
    }
}

/// Returns whether nothing was read of a patch, not even that something is wrong with it.
pub(super) fn has_no_patch(block: &Block<'_>) -> bool {
    let mut errors = block.errors.iter();
    block.edits.is_empty() && errors.all(|error| matches!(error.value, Error::NoPatch(_)))
}

/// Members that hold a command or a script.
pub(super) const COMMANDS: [&str; 3] = ["command", "cmd", "script"];

/// Returns the command among the members of a call, its words parted by spaces.
pub(super) fn command_of(fields: &Fields<'_>) -> String {
    let members = [&COMMANDS[..], &["args"]];
    let values = members.iter().filter_map(|names| fields.get(names));
    let values = values.flat_map(|(_, value)| value.items().into_iter().chain([value]));
    let words = values.filter_map(|word| Some(word.string().ok()?.text().to_owned()));
    words.collect::<Vec<_>>().join(" ")
}

/// Returns whether what a call is given was told to its end.
pub(super) fn is_whole(arguments: Value<'_>) -> bool {
    match arguments.string() {
        Ok(text) if text.text().trim_start().starts_with('{') => text.value().is_ok_and(is_whole),
        _ => !matches!(arguments.written(), "\"\"" | "{}" | "[]" | "null"),
    }
}
