//! The `diff` of a call that names its file: what is below a file's header in an envelope, or a
//! whole patch, which is left to whoever reads patches in texts.

use super::calls::{CallReader, Path, text};
use super::error::Error;
use super::fields::{self, Fields};
use super::json::{JsonText, Value};
use super::shapes::begins_patch;
use crate::format::{Block, Options, envelope, excerpt};
use crate::patch::FileEdit;
use crate::text::{LineNo, Source, Span};

impl CallReader<'_> {
    pub(super) fn update(
        &mut self,
        object: Value<'_>,
        fields: &Fields<'_>,
        path: &Path,
    ) -> Option<Vec<FileEdit<'static>>> {
        let to = match fields.get(MOVE_TO) {
            Some(_) => Some(self.string(object, fields, MOVE_TO)?),
            None => None,
        };
        let to = to.map(|to| text(self.source, &to, to.text()));
        let to = to.as_ref().map(|to| ("Move to", to));
        let headers: Vec<_> = [("Update File", path)].into_iter().chain(to).collect();
        self.diff(object, fields, &headers)
    }

    /// Reads a diff that is either a whole patch of the file, or what is below these headers in an
    /// envelope.
    pub(super) fn diff(
        &mut self,
        object: Value<'_>,
        fields: &Fields<'_>,
        headers: &[(&str, &Path)],
    ) -> Option<Vec<FileEdit<'static>>> {
        let diff = self.string(object, fields, fields::DIFF)?;
        let (_, path) = *headers.first()?;
        if begins_patch(diff.text()) {
            self.hand_over(fields::DIFF[0], diff, path);
            return None;
        }
        let block = self.below(headers, &diff);
        let block = block.filter(|block| {
            headers.iter().all(|(_, path)| !path.contains(&b'\n')) && !block.edits.is_empty()
        });
        let Some(block) = block else {
            self.error(diff.range(0..diff.text().len()), Error::Diff);
            return None;
        };
        self.block.errors.extend(block.errors);
        self.block.warnings.extend(block.warnings);
        let edits = self.of_file(fields::DIFF[0], &diff, block.edits, path);
        edits.filter(|edits| edits.len() == 1)
    }

    /// Returns the edits of a patch in a call, with the call's path, if all are of the call's file.
    pub(crate) fn of_file(
        &mut self,
        field: &str,
        document: &JsonText,
        edits: Vec<FileEdit<'static>>,
        path: &Path,
    ) -> Option<Vec<FileEdit<'static>>> {
        let mut others = edits.iter().filter(|edit| !is_same_file(&edit.path, path));
        if let Some(edit) = others.next() {
            let place = match edit.path.span {
                Some(span) => span.start as usize..span.end as usize,
                None => document.range(0..document.text().len()),
            };
            let (field, path, other) = (field.to_owned(), excerpt(path), excerpt(&edit.path));
            self.error(place, Error::OtherPatch { field, path, other });
            return None;
        }
        Some(edits.into_iter().map(|edit| of_call(edit, path)).collect())
    }

    /// Reads a text as what is below these headers in an envelope; nothing where the text ends the
    /// envelope itself.
    fn below(&self, headers: &[(&str, &Path)], document: &JsonText) -> Option<Block<'static>> {
        let headers: String = headers.iter().map(header).collect();
        let first = format!("*** Begin Patch\n{headers}");
        let text = document.text().strip_suffix('\n');
        let text = text.unwrap_or(document.text());
        let end = if text.is_empty() { "" } else { "\n" };
        let whole = format!("{first}{text}{end}*** End Patch\n");
        let source = Source::new(self.source.id(), self.source.name(), whole.into())?;
        let options = Options {
            strict: self.strict,
            ..Options::default()
        };
        let block = envelope::parse_block(&source, source.row(LineNo::FIRST)?, &options);
        let is_whole = block.range.end >= source.bytes().trim_ascii_end().len();
        let most = document.text().len();
        let body = |at: u32| (at as usize).saturating_sub(first.len()).min(most);
        let place = |span: Span| {
            self.source
                .span(document.range(body(span.start)..body(span.end)))
        };
        is_whole.then(|| block.relocated(&place))
    }
}

const MOVE_TO: fields::Spellings = &["move_to"];

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
        depth: None,
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
