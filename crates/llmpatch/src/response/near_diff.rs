//! What is nearly a unified diff, line by line: names without hunks, hunks without names.

use bstr::ByteSlice as _;

use super::encoded::encoding;
use super::prose_line::marked;
use super::{Nearly, Residue};
use crate::format::fence::Fence;
use crate::format::{excerpt, unified};
use crate::patch::Format;
use crate::text;
use crate::text::{LineNo, Row, Source, Span};

/// The last tag on a line of its own that isn't closed yet, as `<diff>` around a diff.
#[derive(Debug, Default)]
pub(super) struct OpenTag {
    /// What closes it.
    end: Option<Vec<u8>>,
}

impl OpenTag {
    /// Reads a line that is in no patch. What is in a fence is shown and opens nothing.
    pub(super) fn read(&mut self, line: &[u8], is_fenced: bool) {
        let text = text::trim(line);
        self.end.take_if(|end| *end == text);
        let inner = text
            .strip_prefix(b"<")
            .and_then(|text| text.strip_suffix(b">"));
        let name = inner
            .and_then(|inner| inner.fields().next())
            .unwrap_or_default();
        let is_name = |byte: &u8| text::is_name(*byte) || *byte == b'-';
        if !is_fenced && !name.is_empty() && name.iter().all(is_name) {
            self.end = Some([b"</", name, b">"].concat());
        }
    }

    /// Returns what closes it.
    pub(super) fn end(&self) -> Option<&[u8]> {
        self.end.as_deref()
    }
}

/// How far the names of a unified diff have been seen.
#[derive(Debug, Default)]
pub(super) enum Names {
    #[default]
    No,
    Old(Span),
    New(Span),
}

impl Names {
    /// Reads a line that is in no patch; returns what is nearly a diff, and where it begins, if that
    /// is known by now.
    pub(super) fn read(&mut self, source: &Source, row: Row<'_>) -> Option<(Span, Nearly)> {
        let Row { text, span, .. } = row;
        let before = std::mem::take(self);
        let next = source.line(row.number.next()).unwrap_or_default();
        match before {
            Names::Old(at) if marked(text, b"+++ ").is_some() => {
                if is_without_hunk(source, row.number) {
                    return Some((at, Nearly::NoHunk));
                }
                *self = Names::New(at);
            }
            Names::Old(at) if text.starts_with(STARS) => return Some((at, Nearly::ContextDiff)),
            Names::New(at) if marked(text, b"@@ -").is_some() => {
                return Some((at, Nearly::Behind(Format::Unified)));
            }
            // Empty lines may be above its hunk, which is an error.
            Names::New(at) if !text::is_blank(text) && !text.starts_with(b"@@") => {
                return Some((at, Nearly::NoHunk));
            }
            _ if marked(text, b"--- ").is_some() => *self = Names::Old(span),
            _ if text.starts_with(b"rename from ") && next.starts_with(b"rename to ") => {
                return Some((span, Nearly::Rename));
            }
            _ if is_indented(text) && unified::hunk_begins(source, row.number) => {
                return Some((span, Nearly::Hunk));
            }
            _ => {}
        }
        None
    }
}

fn is_indented(text: &[u8]) -> bool {
    text.first().is_some_and(|byte| text::is_space(*byte))
}

/// What is above each hunk of a context diff.
const STARS: &[u8] = b"***************";

/// Returns whether nothing follows the names of a diff that could be its hunk: a fence ends, or
/// other names follow.
fn is_without_hunk(source: &Source, names: LineNo) -> bool {
    let mut below = source.rows(names.next());
    // At the end of the response they are cut off, which is an error.
    let Some(next) = below.next().map(|row| row.text) else {
        return false;
    };
    if !text::is_blank(next) {
        return Fence::is_at(next) || next.starts_with(b"--- ") || next.starts_with(b"diff --git ");
    }
    let text = below.find(|row| !text::is_blank(row.text));
    !text.is_some_and(|row| unified::hunk_begins(source, row.number))
}

/// Returns what a line is of, if it can only have been part of a unified diff.
pub(super) fn residue(source: &Source, row: Row<'_>) -> Option<Residue> {
    let line = row.text;
    let encoded = encoding(source, row).filter(|near| near.is_half);
    if let Some(near) = encoded {
        Some(Residue::Encoded { near })
    } else if line.starts_with(b"@@@ -") && line[3..].contains_str("@@@") {
        Some(Residue::Combined)
    } else if line.starts_with(b"@@")
        && (unified::is_hunk_header(line) || unified::hunk_begins(source, row.number))
    {
        Some(match is_below_names(source, row.number) {
            true => Residue::Apart,
            false => Residue::StrayHunk { more: 0 },
        })
    } else if line.starts_with(b"Binary files ") && line.ends_with(b" differ") {
        Some(Residue::Binary {
            line: excerpt(line),
        })
    } else {
        None
    }
}

/// Returns whether nothing but empty lines is between a line and the names of a diff.
fn is_below_names(source: &Source, line: LineNo) -> bool {
    let mut above = (0..line.index()).rev().map(LineNo::from_index);
    let mut above = above
        .by_ref()
        .map(|number| source.line(number).unwrap_or_default())
        .skip_while(|line| line.is_empty());
    let [new, old] = [above.next(), above.next()].map(Option::unwrap_or_default);
    old.starts_with(b"--- ") && new.starts_with(b"+++ ")
}
