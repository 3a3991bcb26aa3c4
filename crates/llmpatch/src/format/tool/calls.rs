//! One call that changes a file → the edits that it asks for.

use std::collections::HashSet;
use std::num::NonZeroUsize;

use super::error::{Error, Warning};
use super::fields::{self, CallShape, Fields, Spellings};
use super::json::{Is, JsonText, Value};
use super::parse::{CallReader, relocated, text};
use crate::format::{Options, excerpt};
use crate::patch::{
    FileEdit, Hunk, HunkLine, Mark, Occurrence, Operation, Position, Substitution, Times,
};
use crate::text::{Source, Text};

/// The path of the file that a call is about.
type Path = Text<'static>;

impl CallReader<'_, '_> {
    /// Reads a call that has one of the shapes that change a file.
    pub(super) fn call(&mut self, object: Value<'_>, fields: &Fields<'_>, shape: CallShape) {
        if shape == CallShape::Look {
            let name = fields.word(fields::COMMAND).unwrap_or_default();
            return self.skip(object, &name);
        }
        let before = self.errors;
        let document = self.string(object, fields, fields::PATH);
        let path = document.map(|document| text(self.source, &document, document.text()));
        self.path = path.as_deref().map(excerpt);
        self.members(fields, known(shape));
        let Some(path) = path else { return };
        let one =
            |operation: Option<_>| Some(vec![FileEdit::new(path.clone(), operation?, path.span)]);
        let edits = match shape {
            CallShape::Replace => one(self.replace(object, fields)),
            CallShape::Create => one(self.create(object, fields)),
            CallShape::Insert => one(self.insert(object, fields)),
            CallShape::CreateFile => one(self.create_of_diff(object, fields, &path)),
            CallShape::DeleteFile => one(Some(Operation::Delete { expected: None })),
            CallShape::Edits => self.edits(object, fields, &path),
            CallShape::UpdateFile => self.update(object, fields, &path),
            CallShape::Look => None,
        };
        self.path = None;
        let edits = edits
            .filter(|_| self.errors == before)
            .or_else(|| one(Some(Operation::Unreadable)));
        self.take(object.range(), edits.unwrap_or_default());
    }

    /// Finds what is wrong with the members of a call, or of one of its edits, as a whole; `known`
    /// are those that its shape has.
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
            let is_off = matches!(value.is(), Is::Null | Is::Bool(false));
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
            } else if fields::OF_MEANING.contains(&name) {
                if !is_off {
                    self.error(place, Error::Field { field });
                }
            } else if !fields::is_of_nobody(name) && value.is() != Is::Null {
                self.warn(place, Warning::Field { field });
            }
        }
    }

    /// Returns a member that must be there.
    fn member<'f, 't>(
        &mut self,
        object: Value<'_>,
        fields: &'f Fields<'t>,
        names: Spellings,
    ) -> Option<(&'f str, Value<'t>)> {
        let found = fields.get(names);
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
            },
        );
        None
    }

    fn replace(&mut self, object: Value<'_>, fields: &Fields<'_>) -> Option<Operation<'static>> {
        let old = self.string(object, fields, fields::OLD);
        let new = self.string(object, fields, fields::NEW);
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
        let items = value.items();
        if value.is() != Is::Array || items.iter().any(|item| item.is() != Is::Object) {
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
            self.members(&of_item, known(CallShape::Replace));
            if let (Some(own), Some((_, value))) =
                (of_item.word(fields::PATH), of_item.get(fields::PATH))
                && own.as_bytes() != &path[..]
            {
                self.error(value.range(), Error::OtherFile { path: own });
            }
            let operation = self.replace(item, &of_item)?;
            Some(FileEdit::new(
                path.clone(),
                operation,
                Some(self.source.span(item.range())),
            ))
        });
        // Each is looked at, whatever is wrong with another.
        edits.collect::<Vec<_>>().into_iter().collect()
    }

    fn create(&mut self, object: Value<'_>, fields: &Fields<'_>) -> Option<Operation<'static>> {
        let content = self.string(object, fields, fields::CONTENT)?;
        Some(self.content(&content, false))
    }

    /// Reads which lines go behind which line of a file. They are whole lines, whether the last one
    /// ends in a newline or not.
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
        let line = |text| HunkLine {
            mark: Mark::Added,
            text,
            unterminated: false,
        };
        let span = self.source.span(object.range());
        let hunk = Hunk {
            lines: lines.into_iter().map(line).collect(),
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
        let Operation::Create { mut lines, .. } = edit.operation else {
            return Some(edit.operation);
        };
        if lines.len() > 1 && lines.last().is_some_and(|last| last.is_empty()) {
            let end = diff.text().trim_end().len();
            self.warn(diff.range(end.saturating_sub(1)..end), Warning::LastPlus);
            lines.pop();
        }
        Some(Operation::Create {
            lines,
            fills_empty: false,
            ends_open: false,
        })
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
        let options = Options {
            format: None,
            depth: super::DEEPEST_TEXT,
            ..*self.options
        };
        let whole = self.embedded(diff.text())?;
        let parsed = crate::format::parse(&whole, &options);
        let block = if parsed.has_patch() {
            relocated(parsed, &|span| self.place(diff, span))
        } else {
            let first = format!(
                "*** Begin Patch\n{}",
                headers.iter().map(header).collect::<String>()
            );
            let text = diff.text().strip_suffix('\n').unwrap_or(diff.text());
            let end = if text.is_empty() { "" } else { "\n" };
            let source = self.embedded(&format!("{first}{text}{end}*** End Patch\n"))?;
            let parsed = crate::format::parse(&source, &options);
            let most = diff.text().len();
            let body = |at: u32| (at as usize).saturating_sub(first.len()).min(most);
            relocated(parsed, &|span| {
                self.source
                    .span(diff.range(body(span.start)..body(span.end)))
            })
        };
        let is_of_file = |edit: &FileEdit<'_>| edit.path == *path;
        let is_one = headers.iter().all(|(_, path)| !path.contains(&b'\n'));
        if !is_one || block.edits.is_empty() || !block.edits.iter().all(is_of_file) {
            self.error(at, Error::Diff);
            return None;
        }
        let edits = block
            .edits
            .iter()
            .map(|edit| FileEdit {
                path: path.clone(),
                ..edit.clone()
            })
            .collect();
        self.take_said(at, block);
        Some(edits)
    }
}

fn header((verb, path): &(&str, &Path)) -> String {
    format!("*** {verb}: {}\n", String::from_utf8_lossy(path))
}

/// Returns the members that a call of some shape has.
fn known(shape: CallShape) -> &'static [Spellings] {
    match shape {
        CallShape::Replace => &[
            fields::PATH,
            fields::OLD,
            fields::NEW,
            fields::ALL,
            fields::EXPECTED,
            fields::COMMAND,
        ],
        CallShape::Edits => &[fields::PATH, fields::EDITS],
        CallShape::Create => &[fields::PATH, fields::CONTENT, fields::COMMAND],
        CallShape::CreateFile | CallShape::UpdateFile | CallShape::DeleteFile => {
            &[fields::PATH, fields::TYPE, fields::DIFF, fields::MOVE]
        }
        CallShape::Insert => &[
            fields::PATH,
            fields::INSERTED,
            fields::LINE,
            fields::COMMAND,
        ],
        CallShape::Look => &[],
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
