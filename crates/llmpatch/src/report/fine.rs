//! Which parts of patches were fine, for the message to the model: those that no error points at.

use std::collections::HashMap;
use std::ops::Range;

use super::Diagnostic;
use super::diagnostic::is_one_wherever;
use crate::patch::{FileEdit, Hunk, Mark, Operation, Patch};
use crate::text::{Shown, Source, Span};

/// Names the parts of patches that no error points at.
pub(super) fn fine(
    errors: &[Diagnostic],
    is_partly_made: bool,
    patches: &[Patch<'_>],
    sources: &[Source],
) -> Vec<String> {
    let problems = Problems {
        errors,
        sources,
        is_partly_made,
    };
    let mut fine = Vec::new();
    let mut counts: HashMap<&[u8], usize> = HashMap::new();
    for edit in patches.iter().flat_map(|patch| &patch.edits) {
        *counts.entry(&edit.path).or_default() += 1;
    }
    let mut numbers: HashMap<&[u8], usize> = HashMap::new();
    for edits in patches.iter().map(|patch| &patch.edits) {
        let parts = problems.parts(edits.iter().map(|edit| edit.span), None, None);
        for (edit, part) in edits.iter().zip(parts) {
            let (name, number) = (Shown(&edit.path), numbers.entry(&edit.path).or_default());
            *number += 1;
            if problems.is_fine(edit, part.as_ref()) {
                fine.push(match counts[&edit.path[..]] {
                    1 => format!("the edit of `{name}`"),
                    _ => format!("edit {number} of `{name}`"),
                });
            } else if let Operation::Update { hunks, .. } = &edit.operation {
                let hunks = problems.fine_hunks(edit, hunks, part.as_ref());
                fine.extend(hunks.map(|number| format!("hunk {number} of `{name}`")));
            }
        }
    }
    fine
}

/// A part of a patch: its source, and its offsets there.
struct PatchPart<'s> {
    source: &'s Source,
    range: Range<u32>,
}

/// What is wrong with patches.
struct Problems<'e> {
    errors: &'e [Diagnostic],
    sources: &'e [Source],
    /// Whether a patch is partly in the files already: what only adds finds its place again then.
    is_partly_made: bool,
}

impl<'s> Problems<'s> {
    /// Returns the parts that begin with some spans, one behind the other, up to where the last ends.
    /// A part begins with its line, unless what is before it does, which is another part or `before`.
    fn parts(
        &self,
        spans: impl Iterator<Item = Option<Span>>,
        before: Option<Span>,
        end: Option<u32>,
    ) -> Vec<Option<PatchPart<'s>>> {
        let mut last = before;
        let mut parts: Vec<Option<PatchPart<'s>>> = Vec::new();
        for span in spans {
            let before = std::mem::replace(&mut last, span);
            let begun = span.and_then(|span| {
                let mut sources = self.sources.iter();
                let source = sources.find(|source| source.id() == span.source)?;
                let line = source.line_at(span.start as usize);
                let is_behind = |before: Span| source.line_at(before.start as usize) == line;
                let start = if before.is_some_and(is_behind) {
                    span.start
                } else {
                    u32::try_from(source.start_of(line)).unwrap_or(span.start)
                };
                Some(PatchPart {
                    source,
                    range: start..end.unwrap_or(u32::MAX),
                })
            });
            if let (Some(Some(above)), Some(begun)) = (parts.last_mut(), &begun) {
                above.range.end = begun.range.start;
            }
            parts.push(begun);
        }
        parts
    }

    /// Returns whether an error points into a part.
    fn are_in(&self, part: &PatchPart<'_>) -> bool {
        let mut places = self
            .errors
            .iter()
            .flat_map(|error| error.response.iter().chain(&error.also).chain(&error.cause));
        places.any(|place| place.file == part.source.name() && part.range.contains(&place.offset))
    }

    /// Returns whether nothing is wrong with an edit.
    fn is_fine(&self, edit: &FileEdit<'_>, part: Option<&PatchPart<'_>>) -> bool {
        let adds = match &edit.operation {
            Operation::Update { hunks, .. } => hunks.iter().any(only_adds),
            Operation::Substitute(edit) => {
                edit.put.starts_with(&edit.find) || edit.put.ends_with(&edit.find)
            }
            Operation::Unreadable => return false,
            _ => false,
        };
        let is_apart = part.is_some_and(|part| !self.are_in(part));
        is_apart && !self.is_of_wrong_file(edit) && !(self.is_partly_made && adds)
    }

    /// Returns whether something is wrong with the file of an edit, which is told once for all edits of it.
    fn is_of_wrong_file(&self, edit: &FileEdit<'_>) -> bool {
        self.errors.iter().any(|error| {
            let path = error.path.as_ref().filter(|_| is_one_wherever(error.kind));
            path.is_some_and(|path| path[..] == edit.path[..])
        })
    }

    /// Returns the numbers of the hunks with which nothing is wrong, of an edit whose header is
    /// fine.
    fn fine_hunks(
        &self,
        edit: &FileEdit<'_>,
        hunks: &[Hunk<'_>],
        part: Option<&PatchPart<'_>>,
    ) -> impl Iterator<Item = usize> {
        let end = part.map(|part| part.range.end);
        let parts = self.parts(hunks.iter().map(|hunk| hunk.span), edit.span, end);
        let first = parts.first().and_then(Option::as_ref);
        let header = part.zip(first).map(|(part, first)| PatchPart {
            source: part.source,
            range: part.range.start..first.range.start,
        });
        let is_sound =
            header.is_some_and(|header| !self.are_in(&header)) && !self.is_of_wrong_file(edit);
        let hunks = hunks.iter().zip(parts).enumerate();
        let fine = hunks.filter(move |(_, (hunk, part))| {
            is_sound
                && part.as_ref().is_some_and(|part| !self.are_in(part))
                && !(self.is_partly_made && only_adds(hunk))
        });
        fine.map(|(index, _)| index + 1)
    }
}

fn only_adds(hunk: &Hunk<'_>) -> bool {
    hunk.lines.iter().all(|line| line.mark != Mark::Removed)
}
