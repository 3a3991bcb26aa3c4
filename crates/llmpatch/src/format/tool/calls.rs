//! One call that changes a file → the edits that it asks for.

use std::collections::HashSet;
use std::num::NonZeroUsize;

use super::error::{Error, Warning};
use super::fields::{self, CallShape, Fields, Spellings, TextPair};
use super::json::{Is, JsonText, Value};
use super::parse::{CallReader, text};
use crate::format::excerpt;
use crate::patch::{
    FileEdit, Hunk, HunkLine, Mark, Occurrence, Operation, Position, Substitution, Times,
};
use crate::text::{Source, Text};

/// The path of the file that a call is about.
pub(super) type Path = Text<'static>;

impl CallReader<'_, '_> {
    /// Reads a call that has one of the shapes that change a file.
    pub(crate) fn call(&mut self, object: Value<'_>, fields: &Fields<'_>, shape: CallShape) {
        if shape == CallShape::Look {
            let name = fields.word(fields::COMMAND).unwrap_or_default();
            return self.skip(object, &name);
        }
        if let CallShape::Foreign(what) = shape {
            return self.error(object.range(), Error::Foreign { what });
        }
        if shape == CallShape::Inside {
            let start = self.blocks.len();
            self.inside_of(fields);
            return self.beside(start, fields, &[fields::PATCH, fields::DIRECTORY]);
        }
        let before = self.errors;
        let document = self.string(object, fields, fields::PATH);
        let path = document.map(|document| text(self.source, &document, document.text()));
        self.path = path.as_deref().map(excerpt);
        let pair = fields.pair();
        if !self.has_rivals(object, fields) {
            self.members(fields, &known(shape, pair));
        }
        let Some(path) = path else {
            self.path = None;
            return;
        };
        let one =
            |operation: Option<_>| Some(vec![FileEdit::new(path.clone(), operation?, path.span)]);
        let edits = match shape {
            CallShape::Replace => one(self.replace(object, fields, pair)),
            CallShape::Create => self.create(object, fields, &path),
            CallShape::Insert => one(self.insert(object, fields)),
            CallShape::CreateFile => one(self.create_of_diff(object, fields, &path)),
            CallShape::DeleteFile => one(Some(Operation::Delete { expected: None })),
            CallShape::Edits => self.edits(object, fields, &path),
            CallShape::UpdateFile => self.update(object, fields, &path),
            CallShape::Patch => {
                self.patch(fields, &path);
                None
            }
            CallShape::Look | CallShape::Inside | CallShape::Foreign(_) => None,
        };
        self.path = None;
        if shape == CallShape::Patch {
            return;
        }
        let edits = edits
            .filter(|_| self.errors == before)
            .or_else(|| one(Some(Operation::Unreadable)));
        self.take(object.range(), edits.unwrap_or_default());
    }

    /// Finds what is wrong with the members beside the patches of a call, and has the patch at
    /// `start` say it.
    pub(crate) fn beside(&mut self, start: usize, fields: &Fields<'_>, known: &[&[&str]]) {
        let patches = self.blocks.split_off(start.min(self.blocks.len()));
        let first = self.begin();
        self.members(fields, known);
        let said = self.blocks.split_off(first);
        self.blocks.extend(patches);
        for block in said {
            match self.blocks.get_mut(first) {
                Some(patch) => {
                    patch.errors.extend(block.errors);
                    patch.warnings.extend(block.warnings);
                }
                None => self.blocks.push(block),
            }
        }
    }

    /// Finds what is wrong with the members of a call, or of an edit in it, as a whole; `known` are
    /// the members that its shape has.
    fn members(&mut self, fields: &Fields<'_>, known: &[&[&str]]) {
        let mut met = HashSet::new();
        // Of each of those that are known, the first.
        let mut firsts = vec![None; known.len()];
        for (name, value) in fields.iter() {
            let field = name.to_owned();
            let place = value.range();
            let of = known.iter().position(|spellings| spellings.contains(&name));
            if !met.insert(name) {
                self.error(place, Error::Twice { field });
            } else if let Some(first) = of.map(|of| &mut firsts[of]) {
                let (other, its) = *first.get_or_insert((name, value));
                if !are_same(its, value) {
                    let (first, second) = (other.to_owned(), field);
                    self.error(place, Error::Spellings { first, second });
                }
            } else if fields::is_of_meaning(name) {
                if !fields::is_off(name, value) {
                    self.error(place, Error::Field { field });
                }
            } else if !fields::is_of_nobody(name) && value.is() != Is::Null {
                self.warn(place, Warning::Field { field });
            }
        }
    }

    /// Refuses a call, or one of its edits, in which two members say what is to be done.
    fn has_rivals(&mut self, object: Value<'_>, fields: &Fields<'_>) -> bool {
        let Some((first, second)) = fields.rivals() else {
            return false;
        };
        let (first, second) = (first.to_owned(), second.to_owned());
        self.error(object.range(), Error::Rivals { first, second });
        true
    }

    /// Returns a member that must be there.
    fn member<'f, 't>(
        &mut self,
        object: Value<'_>,
        fields: &'f Fields<'t>,
        names: Spellings,
    ) -> Option<(&'f str, Value<'t>)> {
        let found = fields.named(names);
        if found.is_none() {
            self.error(object.range(), Error::Missing { field: names[0] });
        }
        found
    }

    /// Decodes a member that must be there and be a string.
    pub(super) fn string(
        &mut self,
        object: Value<'_>,
        fields: &Fields<'_>,
        names: Spellings,
    ) -> Option<JsonText> {
        let (name, value) = self.member(object, fields, names)?;
        if value.is() == Is::String {
            self.decoded(value)
        } else {
            self.refuse(name, value, "a string")
        }
    }

    /// Refuses a member, with what it must be.
    fn refuse<T>(&mut self, name: &str, value: Value<'_>, wanted: &'static str) -> Option<T> {
        self.error(
            value.range(),
            Error::Type {
                field: name.into(),
                wanted,
                is: what(value.is()),
            },
        );
        None
    }

    fn replace(
        &mut self,
        object: Value<'_>,
        fields: &Fields<'_>,
        TextPair(old, new): TextPair,
    ) -> Option<Operation<'static>> {
        let old = self.string(object, fields, old);
        let new = self.string(object, fields, new);
        let times = self.times(fields);
        let old = old?;
        let new = new?;
        if old.text().is_empty() {
            return Some(self.content(&new, true));
        }
        let find = lines(self.source, &old);
        let put = lines(self.source, &new);
        let occurrence = Occurrence::Text(times?);
        Some(Operation::Substitute(Substitution {
            find,
            put,
            occurrence,
            written: None,
        }))
    }

    /// Reads how often a text is to be replaced.
    fn times(&mut self, fields: &Fields<'_>) -> Option<Times> {
        let every = match fields.get(fields::ALL) {
            None => false,
            Some((name, value)) => match value.is() {
                Is::Bool(every) => every,
                _ => return self.refuse(name, value, "true or false"),
            },
        };
        let Some((name, value)) = fields.get(fields::EXPECTED) else {
            return Some(if every { Times::Every } else { Times::Once });
        };
        let number = plain_number(value).and_then(NonZeroUsize::new);
        if number.is_none() {
            let field = name.into();
            let written = value.written().chars().take(40).collect();
            self.error(value.range(), Error::Count { field, written });
        }
        number.map(Times::Exactly)
    }

    fn edits(
        &mut self,
        object: Value<'_>,
        fields: &Fields<'_>,
        path: &Path,
    ) -> Option<Vec<FileEdit<'static>>> {
        let (name, value) = fields.get(fields::EDITS)?;
        let items = fields::items(value);
        let is_only = name == "edit" && value.is() == Is::Object;
        let is_list = is_only || value.is() == Is::Array;
        let other = items.iter().find(|item| item.is() != Is::Object);
        if let Some(item) = other.filter(|_| is_list) {
            return self.refuse(&format!("{name}[]"), *item, "an object");
        }
        if !is_list {
            return self.refuse(name, value, "an array of objects");
        }
        if items.is_empty() {
            self.error(
                object.range(),
                Error::Missing {
                    field: fields::OLD[0],
                },
            );
        }
        let edits = items.into_iter().map(|item| {
            let of_item = match Fields::of(item) {
                Ok(fields) => fields,
                Err(error) => {
                    self.error(item.range(), super::broken(&error));
                    return None;
                }
            };
            if let Some(what) = of_item.foreign_item() {
                self.error(item.range(), Error::Foreign { what });
                return None;
            }
            let pair = of_item.pair_of_item();
            if !self.has_rivals(item, &of_item) {
                self.members(&of_item, &known(CallShape::Replace, pair));
            }
            if let (Some(own), Some((_, value))) =
                (of_item.word(fields::PATH), of_item.get(fields::PATH))
                && own.as_bytes() != &path[..]
            {
                self.error(value.range(), Error::OtherFile { path: own });
            }
            let operation = self.replace(item, &of_item, pair)?;
            Some(FileEdit::new(
                path.clone(),
                operation,
                Some(self.source.span(item.range())),
            ))
        });
        // Each is looked at, whatever is wrong with another.
        edits.collect::<Vec<_>>().into_iter().collect()
    }

    fn create(
        &mut self,
        object: Value<'_>,
        fields: &Fields<'_>,
        path: &Path,
    ) -> Option<Vec<FileEdit<'static>>> {
        let (name, _) = self.member(object, fields, fields::CONTENT)?;
        let content = self.string(object, fields, fields::CONTENT)?;
        if is_patch(content.text())
            && !may_hold_patches(path)
            && let Some(parsed) = self.patch_in(&content, path)
            && parsed.errors.is_empty()
        {
            return self.of_file(name, &content, parsed, path);
        }
        let operation = self.content(&content, false);
        Some(vec![FileEdit::new(path.clone(), operation, path.span)])
    }

    /// Reads which lines go behind which line of a file. They are whole lines, whether the last
    /// line ends in a newline or not, and end as lines of the file do.
    fn insert(&mut self, object: Value<'_>, fields: &Fields<'_>) -> Option<Operation<'static>> {
        let inserted = self.string(object, fields, fields::INSERTED);
        let line = self
            .member(object, fields, fields::LINE)
            .and_then(|(name, value)| {
                let wanted = "a line's number, or 0 for the top of the file";
                plain_number(value).or_else(|| self.refuse(name, value, wanted))
            });
        let (inserted, old_start): (_, u32) = (inserted?, line?);
        let mut lines = lines(self.source, &inserted);
        lines.pop_if(|last| last.is_empty());
        if lines.is_empty() {
            self.error(
                object.range(),
                Error::Missing {
                    field: fields::INSERTED[0],
                },
            );
            return None;
        }
        let old_lines = 0;
        let new_start = old_start.saturating_add(1);
        let new_lines = lines.len() as u32;
        let position = Some(Position {
            old_start,
            old_lines,
            new_start,
            new_lines,
            heading: Vec::new(),
        });
        let span = self.source.span(object.range());
        let hunk = Hunk {
            lines: lines
                .into_iter()
                .map(|text| HunkLine {
                    mark: Mark::Added,
                    text,
                    unterminated: false,
                })
                .collect(),
            position,
            span: Some(span),
            ..Hunk::default()
        };
        Some(Operation::Update {
            to: None,
            hunks: vec![hunk],
        })
    }

    /// Makes a new file of a text as it is.
    fn content(&mut self, content: &JsonText, fills_empty: bool) -> Operation<'static> {
        let bytes = content.text().as_bytes();
        let ends_open = bytes.last().is_some_and(|last| *last != b'\n');
        if ends_open {
            let end = content.range(bytes.len() - 1..bytes.len());
            self.warn(end, Warning::NoNewline);
        }
        Operation::Create {
            lines: whole_lines(self.source, content),
            fills_empty,
            ends_open,
        }
    }
}

/// Returns the members that a call of some shape has, with these texts.
fn known(shape: CallShape, TextPair(old, new): TextPair) -> Vec<Spellings> {
    let own: &[Spellings] = match shape {
        CallShape::Replace => &[old, new, fields::ALL, fields::EXPECTED, fields::COMMAND],
        CallShape::Edits => &[fields::EDITS],
        CallShape::Create => &[fields::CONTENT, fields::COMMAND],
        CallShape::CreateFile | CallShape::UpdateFile | CallShape::DeleteFile => {
            &[fields::TYPE, fields::DIFF, fields::MOVE]
        }
        CallShape::Insert => &[fields::INSERTED, fields::LINE, fields::COMMAND],
        CallShape::Patch => &[fields::PATCH],
        CallShape::Look | CallShape::Inside | CallShape::Foreign(_) => &[],
    };
    [&[fields::PATH], own].concat()
}

/// Returns whether two values say the same, however strings are escaped.
fn are_same(one: Value<'_>, other: Value<'_>) -> bool {
    match (one.string(), other.string()) {
        (Ok(one), Ok(other)) => one.text() == other.text(),
        _ => one.written() == other.written(),
    }
}

/// Returns whether a text is a patch, rather than text that a call puts into a file.
fn is_patch(text: &str) -> bool {
    let text = text.trim_start();
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().trim_end();
    let is_diff = first.starts_with("--- ")
        && lines.next().is_some_and(|line| line.starts_with("+++ "))
        && lines.next().is_some_and(|line| line.starts_with("@@"));
    is_diff
        || first.starts_with("diff --git ")
        || ["*** Begin Patch", "<<<<<<< SEARCH", "------- SEARCH"].contains(&first)
}

/// Returns whether a file may well begin with a patch.
fn may_hold_patches(path: &[u8]) -> bool {
    [".patch", ".diff", ".md"]
        .iter()
        .any(|end| path.ends_with(end.as_bytes()))
}

/// Returns what a value is, in words.
fn what(is: Is) -> &'static str {
    match is {
        Is::Object => "an object",
        Is::Array => "an array",
        Is::String => "a string",
        Is::Number => "a number",
        Is::Bool(true) => "true",
        Is::Bool(false) => "false",
        Is::Null => "null",
    }
}

/// Reads a number that is nothing but digits.
fn plain_number<T: std::str::FromStr>(value: Value<'_>) -> Option<T> {
    let written = value.written();
    written
        .parse()
        .ok()
        .filter(|_| written.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Splits a decoded text into lines, each with its newline but perhaps the last.
fn whole_lines(source: &Source, document: &JsonText) -> Vec<Text<'static>> {
    document
        .text()
        .split_terminator('\n')
        .map(|line| text(source, document, line))
        .collect()
}

/// Splits a decoded text at its line ends.
fn lines(source: &Source, document: &JsonText) -> Vec<Text<'static>> {
    let (ended, last) = document
        .text()
        .split_at(document.text().rfind('\n').map_or(0, |at| at + 1));
    let ended = ended
        .split_terminator('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line));
    ended
        .chain([last])
        .map(|line| text(source, document, line))
        .collect()
}
