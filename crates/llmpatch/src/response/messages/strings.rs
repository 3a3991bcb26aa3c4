//! The strings of messages and calls: texts, commands and scripts in which patches may be.

use super::{DEEPEST, Messages, Nesting, arguments};
use crate::format::tool::fields::{self, Fields};
use crate::format::tool::json::{Is, JsonText, Value};
use crate::format::tool::{self, broken, is_of_calls, relocated};
use crate::format::{self, Block, Options, Parsed};
use crate::patch::Format;
use crate::response::embedded::{self, Holder, InScript};
use crate::response::{Absence, Error, Hiding, Warning, command};
use crate::text::{Located, Span};

impl Messages<'_, '_> {
    /// Tells of patches in a part that doesn't count.
    pub(super) fn hide(&mut self, value: Value<'_>, by: Hiding) {
        let Some((format, span)) = self.patch_in(value, 0) else {
            return;
        };
        let warning = Warning::Hidden {
            format,
            by: by.clone(),
        };
        self.reader.remarks.push(Located::new(span, warning.into()));
        self.hidden.push((span, by));
    }

    /// Returns the first patch in a value, and where it is.
    pub(super) fn patch_in(&self, value: Value<'_>, depth: usize) -> Option<(Format, Span)> {
        if depth > DEEPEST {
            return None;
        }
        match value.is() {
            Is::Array => value
                .items()
                .into_iter()
                .find_map(|item| self.patch_in(item, depth + 1)),
            Is::Object => {
                let fields = Fields::of(value).ok()?;
                if fields.shape().is_some() {
                    return Some((Format::Tool, self.reader.source.span(value.range())));
                }
                fields
                    .iter()
                    .find_map(|(_, value)| self.patch_in(value, depth + 1))
            }
            Is::String if may_hold_patch(value) => {
                let document = value.string().ok()?;
                let source = self.reader.embedded(document.text())?;
                let options = self.options_of_text(true, None);
                let parsed = format::parse(&source, &options);
                parsed
                    .has_patch()
                    .then(|| (parsed.patch.format, self.reader.source.span(value.range())))
            }
            _ => None,
        }
    }

    /// Reads a command that is given as words, if it is handed a patch; returns whether it is.
    pub(super) fn words(&mut self, value: Value<'_>, around: Nesting<'_>) -> bool {
        let is_command = |name| arguments::COMMANDS.contains(&name);
        if !around.path.member().is_some_and(is_command) {
            return false;
        }
        let words = arguments::words(value);
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        match command::of_words(&words) {
            Ok(None) => return false,
            Ok(Some(handed)) => {
                let at = words.iter().position(|word| *word == handed);
                self.text(value.items()[at.unwrap_or_default()], around, None);
            }
            Err(doubt) => self.push_error(value.range(), Error::Command(doubt)),
        }
        true
    }

    pub(super) fn push_error(&mut self, range: std::ops::Range<usize>, error: Error) {
        let span = self.reader.source.span(range);
        self.reader.count += 1;
        self.reader.errors += 1;
        self.reader.blocks.push(Block {
            call: self.reader.call.clone(),
            ..Block::refused(Format::Envelope, span, error)
        });
    }

    /// Reads a string that a call is given: JSON once more, or a patch.
    pub(super) fn given(&mut self, string: Value<'_>, around: Nesting<'_>) {
        let Some(document) = self.reader.decoded(string) else {
            return;
        };
        if fields::is_inside_of_envelope(document.text()) {
            self.reader.is_wrapped = around.is_wrapped;
            return self.reader.inside("input", &document);
        }
        if !document.text().trim_start().starts_with(['{', '[']) {
            return self.text(string, around, None);
        }
        match document.value() {
            Ok(value) => self.value(value, around),
            Err(error) if error.is_eof() || is_of_calls(document.text().as_bytes()) => {
                self.reader.error(string.range(), broken(&error));
            }
            Err(_) => self.text(string, around, None),
        }
    }

    pub(super) fn options_of_text<'o>(
        &'o self,
        is_prose: bool,
        path: Option<&'o str>,
    ) -> Options<'o> {
        let deeper = if is_prose { 1 } else { tool::DEEPEST_TEXT };
        Options {
            depth: self.reader.options.depth + deeper,
            file: path.map(str::as_bytes).or(self.reader.options.file),
            // Whole files are read where the model speaks, and only if they were asked for.
            format: self
                .reader
                .options
                .format
                .filter(|format| is_prose && *format == Format::Files),
            ..*self.reader.options
        }
    }

    /// Reads a string in which patches may be. `path` is that of the file which they are about if
    /// they don't say.
    pub(super) fn text(&mut self, string: Value<'_>, around: Nesting<'_>, path: Option<&str>) {
        let is_program = around.may_be_program() && string.written().contains("apply_patch");
        if !may_hold_patch(string) && !is_program || self.reader.options.depth >= tool::DEEPEST_TEXT
        {
            return;
        }
        let Some(document) = self.reader.decoded(string) else {
            return;
        };
        self.text_of(string, &document, around, path);
    }

    /// Reads a text as a script that applies patches; returns whether it does.
    pub(super) fn script(&mut self, document: &JsonText, around: Nesting<'_>) -> bool {
        let source = self.reader.source;
        let place = |range: std::ops::Range<usize>| source.span(document.range(range));
        let options = self.options_of_text(false, None);
        let setting = embedded::Setting {
            id: source.id(),
            name: source.name(),
            options,
            directory: around.directory,
            place: &place,
        };
        let text = document.text();
        let InScript {
            mut blocks, trials, ..
        } = embedded::of_argument(text.as_bytes(), setting);
        let is_read = blocks.iter().any(|block| block.errors.is_empty());
        if !is_read && around.may_be_program() {
            let program = embedded::program(text, Holder::Call(around.language), setting);
            blocks = if program.is_empty() { blocks } else { program };
        }
        let trials = trials.into_iter();
        let trials = trials.map(|(at, what)| Located::new(at, Warning::Nearly { what }.into()));
        self.reader.remarks.extend(trials);
        let is_script = !blocks.is_empty();
        for mut block in blocks {
            block.call.clone_from(&self.reader.call);
            self.reader.count += block.edits.len() + block.errors.len();
            self.reader.errors += block.errors.len();
            self.reader.blocks.push(block);
        }
        is_script
    }

    /// Tells of the patches in a text that don't count, where there are no others.
    pub(super) fn hidden_in(&mut self, parsed: &Parsed<'_>, document: &JsonText) {
        let told = parsed.warnings.iter().filter_map(|warning| {
            let format::Warning::Response(Warning::Hidden { format, by }) = &warning.value else {
                return None;
            };
            Some((warning.span?, *format, by))
        });
        // Where all is hidden, the error says so instead.
        let refused = parsed.errors.iter().filter_map(|error| {
            let format::Error::Response(Error::NoPatch(Absence::Hidden(by))) = &error.value else {
                return None;
            };
            Some((error.span?, parsed.patch.format, by))
        });
        for (span, format, by) in told.chain(refused) {
            let by = by.clone();
            let span = self.reader.place(document, span);
            self.hidden.push((span, by.clone()));
            let warning = Warning::Hidden { format, by };
            self.reader.remarks.push(Located::new(span, warning.into()));
        }
    }

    pub(super) fn text_of(
        &mut self,
        string: Value<'_>,
        document: &JsonText,
        around: Nesting<'_>,
        path: Option<&str>,
    ) {
        let is_prose = around.is_wrapped && !around.is_given;
        if !is_prose && self.script(document, around) {
            return;
        }
        let Some(source) = self.reader.embedded(document.text()) else {
            return;
        };
        let parsed = format::parse(&source, &self.options_of_text(is_prose, path));
        let is_lost = is_prose && parsed.errors.iter().any(|error| !error.value.is_absence());
        if !parsed.has_patch() && !is_lost {
            self.hidden_in(&parsed, document);
            if !is_prose && document.text().trim_start().starts_with(['{', '[']) {
                self.hide(string, Hiding::Elsewhere(around.path.to_string()));
            }
            return;
        }
        let mut block = relocated(parsed, &|span| self.reader.place(document, span));
        embedded::place(&mut block, around.directory);
        self.reader.is_wrapped = around.is_wrapped;
        let is_named = self.reader.call.is_some();
        if is_prose && !is_named {
            self.reader.call = Some(self.session.name_call(None));
        }
        self.reader.take_patch(string.range(), block);
        self.reader.call = self.reader.call.take().filter(|_| is_named);
    }
}

/// Returns whether a string may hold a patch: each has several lines, but for an element of OPX and
/// a tool call.
pub(super) fn may_hold_patch(string: Value<'_>) -> bool {
    let written = string.written();
    written.contains("\\n")
        || written.contains("<edit")
        || written.contains('{') && is_of_calls(written.as_bytes())
}
