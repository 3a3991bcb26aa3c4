//! One call that changes a file → the edits that it asks for.

use std::collections::HashSet;
use std::num::NonZeroUsize;

use super::error::{Error, Warning};
use super::fields::{self, CallShape, Fields, Spellings, TextPair};
use super::json::{Is, JsonText, Value};
use super::parse::{CallReader, relocated, text};
use crate::format::{Block, InFile, Options, excerpt};
use crate::patch::{
    FileEdit, Hunk, HunkLine, Mark, Occurrence, Operation, Position, Substitution, Times,
};
use crate::text::{Located, Source, Text};

/// The path of the file that a call is about.
type Path = Text<'static>;

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
            return self.inside_of(fields);
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

    /// Finds what is wrong with the members of a call, or of an edit in it, as a whole; `known` are
    /// the members that its shape has.
    fn members(&mut self, fields: &Fields<'_>, known: &[Spellings]) {
        let same = |one: Value<'_>, other: Value<'_>| match (one.string(), other.string()) {
            (Ok(one), Ok(other)) => one.text() == other.text(),
            _ => one.written() == other.written(),
        };
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
                if !same(its, value) {
                    self.error(
                        place,
                        Error::Spellings {
                            first: other.to_owned(),
                            second: field,
                        },
                    );
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
    fn string(
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
        if begins_patch(content.text())
            && !may_hold_patches(path)
            && let Some(parsed) = self.patch_in(&content, path)
            && parsed.errors.is_empty()
        {
            return self.of_file(name, &content, parsed, path);
        }
        let operation = self.content(&content, false);
        Some(vec![FileEdit::new(path.clone(), operation, path.span)])
    }

    /// Reads a patch of the file that a call names, if there is one.
    fn patch(&mut self, fields: &Fields<'_>, path: &Path) -> Option<()> {
        let (name, value) = fields.get(fields::PATCH)?;
        let document = self.decoded(value)?;
        let mut block = if fields::is_inside_of_envelope(document.text()) {
            self.read_inside(name, &document)?
        } else {
            self.patch_in(&document, path)?
        };
        match block
            .edits
            .iter()
            .find(|edit| !is_same_file(&edit.path, path))
        {
            Some(edit) => self.other_file(name, &document, edit, path),
            None => {
                let edits = std::mem::take(&mut block.edits);
                block.edits = edits.into_iter().map(|edit| of_call(edit, path)).collect();
                self.take_patch(value.range(), block);
            }
        }
        Some(())
    }

    fn inside_of(&mut self, fields: &Fields<'_>) {
        let given = fields.get(fields::PATCH);
        let document = given.and_then(|(_, value)| self.decoded(value));
        if let (Some((name, _)), Some(document)) = (given, document) {
            self.inside(name, &document);
        }
    }

    /// Reads the inside of an envelope, which names its files itself.
    pub(crate) fn inside(&mut self, name: &str, document: &JsonText) {
        if let Some(block) = self.read_inside(name, document) {
            self.take_patch(document.range(0..document.text().len()), block);
        }
    }

    fn read_inside(&mut self, name: &str, document: &JsonText) -> Option<Block<'static>> {
        let text = document.text().strip_suffix('\n');
        let text = text.unwrap_or(document.text());
        let mut block = self.below("*** Begin Patch\n", text, document)?;
        let first = document.range(0..text.lines().next().map_or(0, str::len));
        let (path, field) = (self.path.clone(), name.to_owned());
        let what = Warning::Inside { field };
        let said = InFile { path, what }.into();
        let span = self.source.span(first);
        block.warnings.insert(0, Located::new(span, said));
        Some(block)
    }

    /// Reads the patches of a text; `None` if there are none.
    fn patch_in(&self, document: &JsonText, path: &Path) -> Option<Block<'static>> {
        let options = Options {
            file: Some(path),
            ..self.options_inside()
        };
        let source = self.embedded(document.text())?;
        let parsed = crate::format::parse(&source, &options);
        parsed
            .has_patch()
            .then(|| relocated(parsed, &|span| self.place(document, span)))
    }

    /// Returns the edits of a patch in a call, if all are of the call's file.
    fn of_file(
        &mut self,
        name: &str,
        document: &JsonText,
        mut block: Block<'static>,
        path: &Path,
    ) -> Option<Vec<FileEdit<'static>>> {
        let edits = std::mem::take(&mut block.edits);
        self.take_said(document.range(0..document.text().len()), block);
        if let Some(edit) = edits.iter().find(|edit| !is_same_file(&edit.path, path)) {
            self.other_file(name, document, edit, path);
            return None;
        }
        Some(edits.into_iter().map(|edit| of_call(edit, path)).collect())
    }

    fn other_file(&mut self, name: &str, document: &JsonText, edit: &FileEdit<'_>, path: &Path) {
        let place = match edit.path.span {
            Some(span) => span.start as usize..span.end as usize,
            None => document.range(0..document.text().len()),
        };
        let (field, path, other) = (name.to_owned(), excerpt(path), excerpt(&edit.path));
        self.error(place, Error::OtherPatch { field, path, other });
    }

    /// Returns how a text in a call is read.
    fn options_inside(&self) -> Options<'_> {
        Options {
            format: None,
            depth: super::DEEPEST_TEXT,
            ..*self.options
        }
    }

    /// Reads a text as what is below these lines in an envelope.
    fn below(&self, first: &str, text: &str, document: &JsonText) -> Option<Block<'static>> {
        let end = if text.is_empty() { "" } else { "\n" };
        let source = self.embedded(&format!("{first}{text}{end}*** End Patch\n"))?;
        let parsed = crate::format::parse(&source, &self.options_inside());
        let most = document.text().len();
        let body = |at: u32| (at as usize).saturating_sub(first.len()).min(most);
        Some(relocated(parsed, &|span| {
            self.source
                .span(document.range(body(span.start)..body(span.end)))
        }))
    }

    /// Reads which lines go behind which line of a file. They are whole lines, whether the last
    /// line ends in a newline or not.
    fn insert(&mut self, object: Value<'_>, fields: &Fields<'_>) -> Option<Operation<'static>> {
        let inserted = self.string(object, fields, fields::INSERTED);
        let line = self
            .member(object, fields, fields::LINE)
            .and_then(|(name, value)| {
                let wanted = "a line's number, or 0 for the top of the file";
                plain_number(value).or_else(|| self.refuse(name, value, wanted))
            });
        let (inserted, old_start): (_, u32) = (inserted?, line?);
        let lines = whole_lines(self.source, &inserted);
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

    /// Makes a new file of the `+` lines of a diff.
    fn create_of_diff(
        &mut self,
        object: Value<'_>,
        fields: &Fields<'_>,
        path: &Path,
    ) -> Option<Operation<'static>> {
        let diff = self.string(object, fields, fields::DIFF)?;
        let mut edits = self.of_envelope(&diff, &[("Add File", path)])?;
        let edit = edits.pop().filter(|_| edits.is_empty())?;
        Some(edit.operation)
    }

    fn update(
        &mut self,
        object: Value<'_>,
        fields: &Fields<'_>,
        path: &Path,
    ) -> Option<Vec<FileEdit<'static>>> {
        let diff = self.string(object, fields, fields::DIFF)?;
        let to = match fields.get(fields::MOVE) {
            Some(_) => Some(self.string(object, fields, fields::MOVE)?),
            None => None,
        };
        let to = to.map(|to| Text::derived(to.text().as_bytes().to_vec()));
        let headers: Vec<_> = [("Update File", path)]
            .into_iter()
            .chain(to.iter().map(|to| ("Move to", to)))
            .collect();
        self.of_envelope(&diff, &headers)
    }

    /// Reads a diff that is either a whole patch of the file, or what is below these headers in an
    /// envelope.
    fn of_envelope(
        &mut self,
        diff: &JsonText,
        headers: &[(&str, &Path)],
    ) -> Option<Vec<FileEdit<'static>>> {
        let (_, path) = *headers.first()?;
        let at = diff.range(0..diff.text().len());
        let whole = self.patch_in(diff, path);
        let mut block = match whole {
            Some(block) => block,
            None => {
                let headers: String = headers.iter().map(header).collect();
                let first = format!("*** Begin Patch\n{headers}");
                let text = diff.text().strip_suffix('\n').unwrap_or(diff.text());
                self.below(&first, text, diff)?
            }
        };
        if let Some(edit) = block
            .edits
            .iter()
            .find(|edit| !is_same_file(&edit.path, path))
        {
            self.other_file(fields::DIFF[0], diff, edit, path);
            return None;
        }
        let is_one = headers.iter().all(|(_, path)| !path.contains(&b'\n'));
        if !is_one || block.edits.is_empty() {
            self.error(at, Error::Diff);
            return None;
        }
        let edits = std::mem::take(&mut block.edits);
        self.take_said(at, block);
        Some(edits.into_iter().map(|edit| of_call(edit, path)).collect())
    }
}

fn header((verb, path): &(&str, &Path)) -> String {
    format!("*** {verb}: {}\n", String::from_utf8_lossy(path))
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

/// Returns an edit with the path that its call names, but for an absolute one of its own.
fn of_call(edit: FileEdit<'static>, path: &Path) -> FileEdit<'static> {
    if edit.path.starts_with(b"/") {
        return edit;
    }
    FileEdit {
        path: path.clone(),
        ..edit
    }
}

/// Returns whether two paths of a call name one file. Where one is absolute, the other is its end.
fn is_same_file(one: &[u8], other: &[u8]) -> bool {
    let plain = |path: &[u8]| path.strip_prefix(b"./").unwrap_or(path).to_vec();
    let (one, other) = (plain(one), plain(other));
    let is_end = |whole: &[u8], end: &[u8]| {
        whole.starts_with(b"/")
            && whole
                .strip_suffix(end)
                .is_some_and(|rest| rest.ends_with(b"/"))
    };
    one == other || is_end(&one, &other) || is_end(&other, &one)
}

/// Returns whether the first line of a text that isn't blank begins a patch.
fn begins_patch(text: &str) -> bool {
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
