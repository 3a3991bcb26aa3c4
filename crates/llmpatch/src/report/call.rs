//! What a call says, in the words of who made it: the names of its members, and the lines of a
//! decoded text in place of the line of JSON that holds it.

use bstr::ByteSlice as _;

use super::Place;
use crate::patch::{FileEdit, Format, Operation, Patch};
use crate::text::{Source, Span, Text};

/// The names that calls have for what they say.
pub(super) struct CallNames<'s> {
    pub(super) path: &'s str,
    pub(super) old: &'s str,
    pub(super) new: &'s str,
    pub(super) content: &'s str,
}

impl<'s> CallNames<'s> {
    /// Returns the names that the first edits have which use them, else the usual ones.
    pub(super) fn of(patches: &[Patch<'_>], sources: &'s [Source]) -> Self {
        let edits = || calls(patches).flat_map(|patch| &patch.edits);
        let name = |text: fn(&FileEdit<'_>) -> Option<Span>, usual: &'s str| {
            let mut named = edits().filter_map(|edit| name_before(text(edit)?, sources));
            named.next().unwrap_or(usual)
        };
        Self {
            path: name(|edit| edit.path.span, "path"),
            old: name(|edit| texts(edit)[0].first()?.span, "old_string"),
            new: name(|edit| texts(edit)[1].first()?.span, "new_string"),
            content: name(|edit| texts(edit)[2].first()?.span, "content"),
        }
    }
}

/// A line of a text that a call gives.
pub(super) struct CallLine<'p> {
    /// The name of the text.
    pub(super) name: String,
    /// Counts the lines of the text, from 1.
    pub(super) number: usize,
    pub(super) text: &'p [u8],
}

/// Returns the line of a call's text in which a place is.
pub(super) fn line_at<'p>(
    place: &Place,
    patches: &'p [Patch<'p>],
    sources: &[Source],
) -> Option<CallLine<'p>> {
    let source = sources.iter().find(|source| source.name() == place.file)?;
    let is_here = |line: &Text<'_>| {
        let span = line.span.filter(|span| span.source == source.id());
        span.is_some_and(|span| (span.start..=span.end).contains(&place.offset))
    };
    let edits = calls(patches).flat_map(|patch| &patch.edits);
    let mut found = edits.flat_map(texts).filter_map(|lines| {
        let index = lines.iter().position(is_here)?;
        Some(CallLine {
            name: name_before(lines[0].span?, sources)?.to_owned(),
            number: index + 1,
            text: &lines[index],
        })
    });
    found.next()
}

fn calls<'p>(patches: &'p [Patch<'p>]) -> impl Iterator<Item = &'p Patch<'p>> {
    patches.iter().filter(|patch| patch.format == Format::Tool)
}

/// Returns the lines of the old text of an edit, of its new text, and of a whole file.
fn texts<'p>(edit: &'p FileEdit<'p>) -> [&'p [Text<'p>]; 3] {
    match &edit.operation {
        Operation::Substitute(edit) => [&edit.find, &edit.put, &[]],
        Operation::Create { lines, .. } | Operation::Replace { lines } => [&[], &[], lines],
        _ => [&[], &[], &[]],
    }
}

/// Returns the name before a text that is the value of a member of JSON, itself perhaps in a string,
/// or of a tag with that name.
fn name_before(span: Span, sources: &[Source]) -> Option<&str> {
    let source = sources.iter().find(|source| source.id() == span.source)?;
    let before = &source.bytes()[..span.start as usize];
    let before = before.trim_end_with(|sign| "\\\": \t\r\n>".contains(sign));
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = before.iter().rev().take_while(|byte| is_name(byte)).count();
    let name = before[before.len() - length..].to_str().ok()?;
    (!name.is_empty()).then_some(name)
}
