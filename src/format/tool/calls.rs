//! One call that changes a file → the edits that it asks for.

use std::num::NonZeroUsize;

use super::error::{Error, Warning};
use super::fields::{self, Fields, Shape, Spellings};
use super::json::{Document, Is, Value};
use super::parse::{Reader, relocated, text};
use crate::format::Options;
use crate::patch::{FileEdit, Hunk, HunkLine, Mark, Occurrence, Operation, Position, Substitution, Times};
use crate::text::{Source, Text};

/// The path of the file that a call is about.
type Path = Text<'static>;

impl Reader<'_, '_> {
    /// Reads a call that has one of the shapes that change a file.
    pub(super) fn call(&mut self, object: Value<'_>, fields: &Fields<'_>, shape: Shape) {
        if shape == Shape::Look {
            let name = fields.word(fields::COMMAND).unwrap_or_default();
            return self.skip(object, &name);
        }
        let before = self.errors();
        let document = self.string(object, fields, fields::PATH, None);
        let path = document.map(|document| text(self.source, &document, 0..document.text().len()));
        self.members(fields, known(shape), path.as_deref());
        let Some(path) = path else { return };
        let operation = match shape {
            Shape::Replace => self.replace(object, fields, &path),
            Shape::Create => self.create(object, fields, &path),
            Shape::Insert => self.insert(object, fields, &path),
            Shape::CreateFile => self.create_of_diff(object, fields, &path),
            Shape::DeleteFile => Some(Operation::Delete { expected: None }),
            _ => None,
        };
        let one = operation.map(|operation| vec![FileEdit::new(path.clone(), operation, path.span)]);
        let edits = match shape {
            Shape::Edits => self.edits(object, fields, &path),
            Shape::UpdateFile => self.update(object, fields, &path),
            _ => one,
        };
        let is_sound = self.errors() == before;
        let edits = edits.filter(|_| is_sound);
        let edits = edits.unwrap_or_else(|| vec![FileEdit::new(path.clone(), Operation::Unreadable, path.span)]);
        self.take(object.range(), edits);
    }

    /// Finds what is wrong with the members of a call, or of one of its edits.
    fn members(&mut self, fields: &Fields<'_>, known: &[Spellings], path: Option<&[u8]>) {
        let (mut errors, mut warnings) = (Vec::new(), Vec::new());
        let error = |value: Value<'_>, error| errors.push((value.range(), error));
        fields.check(known, error, |value, warning| warnings.push((value.range(), warning)));
        errors.into_iter().for_each(|(range, error)| self.error(range, path, error));
        warnings.into_iter().for_each(|(range, warning)| self.warn(range, path, warning));
    }

    /// Decodes a member that must be there and be a string.
    fn string(
        &mut self,
        object: Value<'_>,
        fields: &Fields<'_>,
        names: Spellings,
        path: Option<&Path>,
    ) -> Option<Document> {
        let path = path.map(|path| &path[..]);
        match fields.get(names) {
            Some((_, value)) if value.is() == Is::String => return self.decoded(value, path),
            Some((name, value)) => {
                self.error(value.range(), path, Error::Type { field: name.into(), wanted: "a string" });
            }
            None => self.error(object.range(), path, Error::Missing { field: names[0] }),
        }
        None
    }

    fn replace(&mut self, object: Value<'_>, fields: &Fields<'_>, path: &Path) -> Option<Operation<'static>> {
        let old = self.string(object, fields, fields::OLD, Some(path));
        let new = self.string(object, fields, fields::NEW, Some(path));
        let times = self.times(fields, path);
        let (old, new) = (old?, new?);
        if old.text().is_empty() {
            return Some(self.content(&new, path, true));
        }
        let (find, put) = (lines(self.source, &old), lines(self.source, &new));
        let occurrence = Occurrence::Text(times?);
        Some(Operation::Substitute(Substitution { find, put, occurrence, written: None }))
    }

    /// Reads how often a text is to be replaced.
    fn times(&mut self, fields: &Fields<'_>, path: &Path) -> Option<Times> {
        let every = match fields.get(fields::ALL) {
            None => false,
            Some((name, value)) => {
                let Is::Bool(every) = value.is() else {
                    let wanted = "true or false";
                    self.error(value.range(), Some(path), Error::Type { field: name.into(), wanted });
                    return None;
                };
                every
            }
        };
        let Some((name, value)) = fields.get(fields::EXPECTED) else {
            return Some(if every { Times::Every } else { Times::Once });
        };
        let written = value.written();
        let number = written.parse().ok().filter(|_| written.bytes().all(|byte| byte.is_ascii_digit()));
        match number.and_then(NonZeroUsize::new) {
            Some(number) => Some(Times::Exactly(number)),
            None => {
                let (field, written) = (name.into(), written.chars().take(40).collect());
                self.error(value.range(), Some(path), Error::Count { field, written });
                None
            }
        }
    }

    fn edits(&mut self, object: Value<'_>, fields: &Fields<'_>, path: &Path) -> Option<Vec<FileEdit<'static>>> {
        let (name, value) = fields.get(fields::EDITS)?;
        let items = value.items();
        if value.is() != Is::Array || items.iter().any(|item| item.is() != Is::Object) {
            let wanted = "an array of objects";
            self.error(value.range(), Some(path), Error::Type { field: name.into(), wanted });
            return None;
        }
        if items.is_empty() {
            self.error(object.range(), Some(path), Error::Missing { field: fields::OLD[0] });
        }
        let edits = items.into_iter().map(|item| {
            let of_item = match Fields::of(item) {
                Ok(fields) => fields,
                Err(error) => {
                    self.error(item.range(), Some(path), super::broken(&error));
                    return None;
                }
            };
            self.members(&of_item, known(Shape::Replace), Some(path));
            if let (Some(own), Some((_, value))) = (of_item.word(fields::PATH), of_item.get(fields::PATH))
                && own.as_bytes() != &path[..]
            {
                self.error(value.range(), Some(path), Error::OtherFile { path: own });
            }
            let operation = self.replace(item, &of_item, path)?;
            let span = self.source.span(item.range());
            Some(FileEdit::new(path.clone(), operation, Some(span)))
        });
        // Each is looked at, whatever is wrong with another.
        edits.collect::<Vec<_>>().into_iter().collect()
    }

    fn create(&mut self, object: Value<'_>, fields: &Fields<'_>, path: &Path) -> Option<Operation<'static>> {
        let content = self.string(object, fields, fields::CONTENT, Some(path))?;
        Some(self.content(&content, path, false))
    }

    /// Reads which lines go behind which line of a file. They are whole lines, whether the last one ends in a newline or not.
    fn insert(&mut self, object: Value<'_>, fields: &Fields<'_>, path: &Path) -> Option<Operation<'static>> {
        let inserted = self.string(object, fields, fields::INSERTED, Some(path));
        let line = match fields.get(fields::LINE) {
            Some((name, value)) => {
                let digits = value.written();
                let line = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()));
                if line.is_none() {
                    let wanted = "a line's number, or 0 for the top of the file";
                    self.error(value.range(), Some(path), Error::Type { field: name.into(), wanted });
                }
                line
            }
            None => {
                self.error(object.range(), Some(path), Error::Missing { field: fields::LINE[0] });
                None
            }
        };
        let (inserted, old_start): (_, u32) = (inserted?, line?);
        let lines = whole_lines(self.source, &inserted);
        if lines.is_empty() {
            self.error(object.range(), Some(path), Error::Missing { field: fields::INSERTED[0] });
            return None;
        }
        let (old_lines, new_start, new_lines) = (0, old_start.saturating_add(1), lines.len() as u32);
        let position = Some(Position { old_start, old_lines, new_start, new_lines, heading: Vec::new() });
        let line = |text| HunkLine { mark: Mark::Added, text, unterminated: false };
        let span = self.source.span(object.range());
        let hunk = Hunk { lines: lines.into_iter().map(line).collect(), position, span: Some(span), ..Hunk::default() };
        Some(Operation::Update { to: None, hunks: vec![hunk] })
    }

    /// Makes a new file of a text as it is.
    fn content(&mut self, content: &Document, path: &Path, fills_empty: bool) -> Operation<'static> {
        let bytes = content.text().as_bytes();
        let ends_open = bytes.last().is_some_and(|last| *last != b'\n');
        if ends_open {
            let end = content.range(bytes.len() - 1..bytes.len());
            self.warn(end, Some(path), Warning::NoNewline);
        }
        Operation::Create { lines: whole_lines(self.source, content), fills_empty, ends_open }
    }

    /// Makes a new file of the `+` lines of a diff.
    fn create_of_diff(&mut self, object: Value<'_>, fields: &Fields<'_>, path: &Path) -> Option<Operation<'static>> {
        let diff = self.string(object, fields, fields::DIFF, Some(path))?;
        let mut edits = self.of_envelope(&diff, path, &[("Add File", path)])?;
        let edit = edits.pop().filter(|_| edits.is_empty())?;
        let Operation::Create { mut lines, .. } = edit.operation else { return Some(edit.operation) };
        if lines.len() > 1 && lines.last().is_some_and(|last| last.is_empty()) {
            let end = diff.text().trim_end().len();
            self.warn(diff.range(end.saturating_sub(1)..end), Some(path), Warning::LastPlus);
            lines.pop();
        }
        Some(Operation::Create { lines, fills_empty: false, ends_open: false })
    }

    fn update(&mut self, object: Value<'_>, fields: &Fields<'_>, path: &Path) -> Option<Vec<FileEdit<'static>>> {
        let diff = self.string(object, fields, fields::DIFF, Some(path))?;
        let to = match fields.get(fields::MOVE) {
            Some(_) => Some(self.string(object, fields, fields::MOVE, Some(path))?),
            None => None,
        };
        let to = to.map(|to| Text::derived(to.text().as_bytes().to_vec()));
        let headers: Vec<_> = [("Update File", path)].into_iter().chain(to.iter().map(|to| ("Move to", to))).collect();
        self.of_envelope(&diff, path, &headers)
    }

    /// Reads a diff that is either a whole patch of the file, or what is below these headers in an envelope.
    fn of_envelope(
        &mut self,
        diff: &Document,
        path: &Path,
        headers: &[(&str, &Path)],
    ) -> Option<Vec<FileEdit<'static>>> {
        let at = diff.range(0..diff.text().len());
        let options = Options { format: None, depth: super::DEEPEST_TEXT, ..*self.options };
        let source = |text: &str| Source::new(self.source.id(), self.source.name(), text.into());
        let whole = source(diff.text())?;
        let parsed = crate::format::parse(&whole, &options);
        let is_patch = parsed.errors.iter().any(|error| error.value.is_of_patch()) || !parsed.patch.edits.is_empty();
        let block = if is_patch {
            relocated(parsed, &|span| self.place(diff, span))
        } else {
            let header = |(verb, path): &(&str, &Path)| format!("*** {verb}: {}\n", String::from_utf8_lossy(path));
            let first = format!("*** Begin Patch\n{}", headers.iter().map(header).collect::<String>());
            let text = diff.text().strip_suffix('\n').unwrap_or(diff.text());
            let end = if text.is_empty() { "" } else { "\n" };
            let source = source(&format!("{first}{text}{end}*** End Patch\n"))?;
            let parsed = crate::format::parse(&source, &options);
            let most = diff.text().len();
            let body = |at: u32| (at as usize).saturating_sub(first.len()).min(most);
            relocated(parsed, &|span| self.source.span(diff.range(body(span.start)..body(span.end))))
        };
        let is_of_file = |edit: &FileEdit<'_>| edit.path == *path;
        let is_one = headers.iter().all(|(_, path)| !path.contains(&b'\n'));
        if !is_one || block.edits.is_empty() || !block.edits.iter().all(is_of_file) {
            self.error(at, Some(path), Error::Diff);
            return None;
        }
        let edits = block.edits.iter().map(|edit| FileEdit { path: path.clone(), ..edit.clone() }).collect();
        self.take_said(at, block);
        Some(edits)
    }
}

/// Returns the members that a call of some shape has.
fn known(shape: Shape) -> &'static [Spellings] {
    match shape {
        Shape::Replace => &[fields::PATH, fields::OLD, fields::NEW, fields::ALL, fields::EXPECTED, fields::COMMAND],
        Shape::Edits => &[fields::PATH, fields::EDITS],
        Shape::Create => &[fields::PATH, fields::CONTENT, fields::COMMAND],
        Shape::CreateFile | Shape::UpdateFile | Shape::DeleteFile => {
            &[fields::PATH, fields::TYPE, fields::DIFF, fields::MOVE]
        }
        Shape::Insert => &[fields::PATH, fields::INSERTED, fields::LINE, fields::COMMAND],
        Shape::Look => &[],
    }
}

/// Splits a decoded text into lines, each with its newline but perhaps the last.
fn whole_lines(source: &Source, document: &Document) -> Vec<Text<'static>> {
    let bytes = document.text().as_bytes();
    let (mut lines, mut start) = (Vec::new(), 0);
    while start < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at);
        lines.push(text(source, document, start..end));
        start = end + 1;
    }
    lines
}

/// Splits a decoded text at its line ends.
fn lines(source: &Source, document: &Document) -> Vec<Text<'static>> {
    let bytes = document.text().as_bytes();
    let mut lines = Vec::new();
    let mut start = 0;
    loop {
        let newline = memchr::memchr(b'\n', &bytes[start..]).map(|at| start + at);
        let end = newline.unwrap_or(bytes.len());
        let is_crlf = newline.is_some() && bytes[start..end].ends_with(b"\r");
        lines.push(text(source, document, start..end - usize::from(is_crlf)));
        match newline {
            Some(newline) => start = newline + 1,
            None => return lines,
        }
    }
}
