//! Patches in calls: of the file that a call names, and the inside of an envelope.

use super::calls::Path;
use super::error::{Error, Warning};
use super::fields::{self, Fields};
use super::json::{JsonText, Value};
use super::parse::{CallReader, relocated};
use crate::format::{Block, InFile, Options, excerpt};
use crate::patch::{FileEdit, Operation};
use crate::text::{Located, Text};

impl CallReader<'_, '_> {
    /// Reads a patch of the file that a call names, if there is one.
    pub(super) fn patch(&mut self, fields: &Fields<'_>, path: &Path) -> Option<()> {
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

    pub(super) fn inside_of(&mut self, fields: &Fields<'_>) {
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

    /// Makes a new file of the `+` lines of a diff.
    pub(super) fn create_of_diff(
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

    pub(super) fn update(
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

    /// Returns the edits of a patch in a call, if all are of the call's file.
    pub(super) fn of_file(
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
    pub(super) fn patch_in(&self, document: &JsonText, path: &Path) -> Option<Block<'static>> {
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

    /// Returns how a text in a call is read.
    fn options_inside(&self) -> Options<'_> {
        Options {
            format: None,
            depth: super::DEEPEST_TEXT,
            is_closed: true,
            ..*self.options
        }
    }

    fn other_file(&mut self, name: &str, document: &JsonText, edit: &FileEdit<'_>, path: &Path) {
        let place = match edit.path.span {
            Some(span) => span.start as usize..span.end as usize,
            None => document.range(0..document.text().len()),
        };
        let (field, path, other) = (name.to_owned(), excerpt(path), excerpt(&edit.path));
        self.error(place, Error::OtherPatch { field, path, other });
    }
}

fn header((verb, path): &(&str, &Path)) -> String {
    format!("*** {verb}: {}\n", String::from_utf8_lossy(path))
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
pub(crate) fn is_same_file(one: &[u8], other: &[u8]) -> bool {
    let [one, other] = [one, other].map(|path| path.strip_prefix(b"./").unwrap_or(path));
    one == other || is_end(one, other) || is_end(other, one)
}

/// Returns whether an absolute path ends with another path.
fn is_end(whole: &[u8], end: &[u8]) -> bool {
    let rest = whole.strip_suffix(end);
    whole.starts_with(b"/") && rest.is_some_and(|rest| rest.ends_with(b"/"))
}
