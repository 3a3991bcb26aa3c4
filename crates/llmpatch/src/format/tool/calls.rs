//! One call that changes a file → the edits that it asks for, or the text in it that is a patch.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::ops::Range;

use bstr::BString;

use super::error::{Error, Warning};
use super::fields::{self, Fields, Spellings, TextPair};
use super::json::{Is, JsonText, Value};
use super::shapes::{CallShape, begins_patch};
use crate::format::{Block, InFile, excerpt};
use crate::patch::{FileEdit, Format, Occurrence, Operation, Substitution, Times};
use crate::text::{Located, Source, Text};

/// The path of the file that a call is about.
pub(crate) type Path = Text<'static>;

/// A text in a call that is a patch.
pub(crate) struct PatchText {
    /// The member that it is in.
    pub(crate) field: String,
    pub(crate) range: Range<usize>,
    pub(crate) document: JsonText,
    /// The file that the call names; the patch may name no other.
    pub(crate) path: Path,
}

/// The reader of a call.
pub(crate) struct CallReader<'a> {
    pub(super) source: &'a Source,
    pub(super) strict: bool,
    /// The file of the call, for what is said of it.
    pub(crate) path: Option<BString>,
    /// What was read.
    pub(crate) block: Block<'static>,
    /// What is to be read in place of edits.
    pub(crate) patch: Option<PatchText>,
}

impl<'a> CallReader<'a> {
    pub(crate) fn new(source: &'a Source, strict: bool, range: Range<usize>) -> Self {
        Self {
            source,
            strict,
            path: None,
            block: Block::empty(Format::Tool, range),
            patch: None,
        }
    }

    /// Reads a call that has one of the shapes that change a file.
    pub(crate) fn read(&mut self, object: Value<'_>, fields: &Fields<'_>, shape: CallShape) {
        let names = if shape == CallShape::Move && !fields.has(fields::PATH) {
            fields::FROM
        } else {
            fields::PATH
        };
        let path = self.string(object, fields, names);
        let path = path.map(|document| text(self.source, &document, document.text()));
        self.path = path.as_deref().map(excerpt);
        let pair = fields.pair();
        if !self.has_rivals(object, fields) {
            self.members(fields, &known(shape, pair));
        }
        let Some(path) = path else {
            return;
        };
        let one =
            |operation: Option<_>| Some(vec![FileEdit::new(path.clone(), operation?, path.span)]);
        let edits = match shape {
            CallShape::Replace => one(self.replace(object, fields, pair)),
            CallShape::Create => one(self.create(object, fields, &path)),
            CallShape::CreateFile => self.diff(object, fields, &[("Add File", &path)]),
            CallShape::Delete => one(Some(Operation::Delete { expected: None })),
            CallShape::Move => one(self.moved(object, fields)),
            CallShape::Insert => one(self.insertion(object, fields)),
            CallShape::Edits => self.edits(object, fields, &path),
            CallShape::UpdateFile => self.update(object, fields, &path),
            CallShape::Patch | CallShape::Calls | CallShape::Look | CallShape::Unread => None,
        };
        if self.patch.is_none() {
            let edits = edits.filter(|_| self.block.errors.is_empty());
            if edits.is_none() && self.block.errors.is_empty() {
                let name = BString::default();
                self.error(object.range(), Error::Unread { name });
            }
            let edits = edits.or_else(|| one(Some(Operation::Unreadable)));
            self.block.edits = edits.unwrap_or_default();
        }
    }

    /// Finds what is wrong with the members of a call, or of an edit in it, as a whole; `known` are
    /// the members that its shape has.
    pub(crate) fn members(&mut self, fields: &Fields<'_>, known: &[Spellings]) {
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
            } else if fields::is_of_meaning(name) && !fields::is_off(name, value) {
                self.error(place, Error::Field { field });
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
    pub(super) fn member<'f, 't>(
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

    /// Decodes a string, or says why that can't be.
    pub(crate) fn decoded(&mut self, string: Value<'_>) -> Option<JsonText> {
        match string.string() {
            Ok(document) if document.text().contains('\0') => {
                self.error(string.range(), Error::Nul);
            }
            Ok(document) => return Some(document),
            Err(error) => self.error(string.range(), super::broken(&error)),
        }
        None
    }

    /// Refuses a member, with what it must be.
    pub(super) fn refuse<T>(
        &mut self,
        name: &str,
        value: Value<'_>,
        wanted: &'static str,
    ) -> Option<T> {
        let (field, is) = (name.into(), what(value.is()));
        self.error(value.range(), Error::Type { field, wanted, is });
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
        Some(Operation::Substitute(Substitution {
            find: lines(self.source, &old),
            put: lines(self.source, &new),
            occurrence: Occurrence::Text(times?),
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
        let (name, value) = self.member(object, fields, fields::EDITS)?;
        let items = fields::items(value);
        let other = items.iter().find(|item| item.is() != Is::Object);
        if !matches!(value.is(), Is::Array | Is::Object) {
            return self.refuse(name, value, "an array of objects");
        }
        if let Some(item) = other {
            return self.refuse(&format!("{name}[]"), *item, "an object");
        }
        if items.is_empty() {
            let field = fields::OLD[0];
            self.error(object.range(), Error::Missing { field });
        }
        // Each is looked at, whatever is wrong with another.
        let edits: Vec<_> = items
            .into_iter()
            .map(|item| self.edit(item, path))
            .collect();
        edits.into_iter().collect()
    }

    /// Reads one of the edits of a call's file.
    fn edit(&mut self, item: Value<'_>, path: &Path) -> Option<FileEdit<'static>> {
        let fields = match Fields::of(item) {
            Ok(fields) => fields,
            Err(error) => {
                self.error(item.range(), super::broken(&error));
                return None;
            }
        };
        let pair = fields.pair();
        let before = self.block.errors.len();
        if !self.has_rivals(item, &fields) {
            self.members(&fields, &known(CallShape::Replace, pair));
        }
        if let (Some(own), Some((_, value))) = (fields.word(fields::PATH), fields.get(fields::PATH))
            && !super::is_same_file(own.as_bytes(), path)
        {
            self.error(value.range(), Error::OtherFile { path: own });
        }
        // That a text is missing says nothing more of an edit that a number places.
        if self.block.errors.len() > before {
            return None;
        }
        let operation = self.replace(item, &fields, pair)?;
        let span = self.source.span(item.range());
        Some(FileEdit::new(path.clone(), operation, Some(span)))
    }

    fn create(
        &mut self,
        object: Value<'_>,
        fields: &Fields<'_>,
        path: &Path,
    ) -> Option<Operation<'static>> {
        let names = if fields.named(fields::CONTENT).is_some() {
            fields::CONTENT
        } else {
            TEXT
        };
        let (name, _) = self.member(object, fields, names)?;
        let content = self.string(object, fields, names)?;
        if begins_patch(content.text()) && is_whole_patch(content.text()) && !may_hold_patches(path)
        {
            self.hand_over(name, content, path);
            return None;
        }
        Some(self.content(&content, false))
    }

    fn moved(&mut self, object: Value<'_>, fields: &Fields<'_>) -> Option<Operation<'static>> {
        let to = self.string(object, fields, fields::MOVE)?;
        let to = text(self.source, &to, to.text());
        Some(Operation::Move { to })
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

    /// Leaves a text, which is a patch, to be read as what it is.
    pub(super) fn hand_over(&mut self, field: &str, document: JsonText, path: &Path) {
        self.patch = Some(PatchText {
            field: field.to_owned(),
            range: document.range(0..document.text().len()),
            document,
            path: path.clone(),
        });
    }

    pub(crate) fn error(&mut self, range: Range<usize>, what: Error) {
        let error = Located::new(self.source.span(range), self.in_file(what).into());
        self.block.errors.push(error);
    }

    fn warn(&mut self, range: Range<usize>, what: Warning) {
        let warning = Located::new(self.source.span(range), self.in_file(what).into());
        self.block.warnings.push(warning);
    }

    fn in_file<T>(&self, what: T) -> InFile<T> {
        let path = self.path.clone();
        InFile { path, what }
    }
}

const TEXT: Spellings = &["text"];

/// Returns the members that a call of some shape has, with these texts.
fn known(shape: CallShape, TextPair(old, new): TextPair) -> Vec<Spellings> {
    let own: &[Spellings] = match shape {
        CallShape::Replace => &[old, new, fields::ALL, fields::EXPECTED, fields::COMMAND],
        CallShape::Edits => &[fields::EDITS],
        CallShape::Create => &[fields::CONTENT, fields::COMMAND],
        CallShape::CreateFile | CallShape::UpdateFile | CallShape::Delete => {
            &[fields::TYPE, fields::DIFF, &["move_to"]]
        }
        CallShape::Move => &[fields::FROM, fields::MOVE],
        CallShape::Insert => &[fields::INSERTED, fields::LINE, fields::COMMAND],
        CallShape::Patch | CallShape::Calls | CallShape::Look | CallShape::Unread => &[],
    };
    [&[fields::PATH], own].concat()
}

/// Returns whether two values say the same, however strings are escaped.
fn are_same(one: Value<'_>, other: Value<'_>) -> bool {
    let decoded = || Some([one.string().ok()?, other.string().ok()?]);
    one.written() == other.written()
        || decoded().is_some_and(|[one, other]| one.text() == other.text())
}

/// Returns whether a text whose first line may begin a patch is a patch, rather than text that a
/// call puts into a file: front matter begins with `---`, too.
fn is_whole_patch(text: &str) -> bool {
    let mut lines = text.trim_start().lines();
    let first = lines.next().unwrap_or_default();
    let mut is_next = |begin: &str| lines.next().is_some_and(|line| line.starts_with(begin));
    !first.starts_with("--- ") || is_next("+++ ") && is_next("@@")
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
pub(super) fn plain_number<T: std::str::FromStr>(value: Value<'_>) -> Option<T> {
    let written = value.written();
    written
        .parse()
        .ok()
        .filter(|_| written.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Makes a text of a part of a decoded string.
pub(super) fn text(source: &Source, document: &JsonText, part: &str) -> Text<'static> {
    let start = part.as_ptr().addr() - document.text().as_ptr().addr();
    Text::at(
        part.as_bytes().to_vec(),
        source.span(document.range(start..start + part.len())),
    )
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
pub(super) fn lines(source: &Source, document: &JsonText) -> Vec<Text<'static>> {
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
