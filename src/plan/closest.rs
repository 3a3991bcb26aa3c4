//! The place of a file that comes nearest to what a patch looks for, and what a person or a program is told of it.

use std::ops::Range;

use super::difference::{Difference, How};
use super::wording::{lines_of, listed};
use crate::explain::{FilePlace, Nearest};
use crate::matching::Tolerance;
use crate::text::LineNo;

/// The place of a file that comes nearest to what was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closest {
    /// The first line that differs, for people.
    pub place: FilePlace,
    /// The same, for programs.
    pub nearest: Nearest,
    /// How many lines agree.
    pub agree: usize,
    /// Of how many.
    pub of: usize,
    /// What is otherwise there.
    pub how: Divergence,
    /// Where the first few places are at which the patch's line stands as it was written.
    pub stands: Vec<LineNo>,
    /// How many such places there are.
    pub count: usize,
    /// The tightest level of `--fuzz` at which all lines are the same.
    pub level: Option<Tolerance>,
    /// The lines of the place, from 0.
    pub region: Range<usize>,
}

/// What is otherwise in the file at the first line that isn't as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Divergence {
    /// Another line.
    Differs(Difference),
    /// Lines for which the patch has only something such as `...`.
    Elided,
    /// So many lines that the patch hasn't, before its line.
    LeftOut(usize),
    /// The patch's line isn't there, nor those behind it.
    Invented {
        /// How many there are.
        count: usize,
        /// Whether the file ends where they should stand.
        at_end: bool,
    },
}

impl Divergence {
    /// Returns the few words that stand under the file's line.
    pub(super) fn label_of_file(&self) -> &'static str {
        match self {
            Divergence::Differs(difference) if difference.is_hidden() => "alike, not equal",
            Divergence::Differs(_) => "differs here",
            Divergence::Elided | Divergence::LeftOut(_) => "the patch leaves this out",
            Divergence::Invented { at_end: true, .. } => "the file ends with this line",
            Divergence::Invented { .. } => "the file goes on with this",
        }
    }

    pub(super) fn label_of_patch(&self) -> String {
        match self {
            Divergence::Differs(Difference { how: How::Unlike, .. }) => "the file has another line here".into(),
            Divergence::Differs(Difference { how: How::Unprefixed(_), .. }) => "the prefix is missing".into(),
            Divergence::Differs(Difference { how: How::End(ours, theirs), .. }) if ours.0.is_empty() => {
                format!("the file's line has {theirs} here")
            }
            Divergence::Differs(Difference { how: How::Indent(ours, _), .. }) if ours.0.is_empty() => {
                "the file's line is indented".into()
            }
            Divergence::Differs(difference) if difference.patch.is_empty() => "something is missing here".into(),
            Divergence::Differs(_) => "not so in the file".into(),
            Divergence::Elided => "stands for lines of the file".into(),
            Divergence::LeftOut(count) => format!("the file has {} before this", lines_of(*count, "more line")),
            Divergence::Invented { count: 1, .. } => "this line is not there".into(),
            Divergence::Invented { count, .. } => format!("from here on, {} are not there", lines_of(*count, "line")),
        }
    }
}

pub(super) const BYTE_FOR_BYTE: &str = "old lines must be in the file byte for byte";
const APART: &str =
    "old lines must follow one another without a gap: put the missing ones in, or change the two places apart";
pub(super) const CORRECT_THEM: &str =
    "old lines must be in the file byte for byte; correct them, or hand the author what --feedback prints";

impl Closest {
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        match &self.how {
            Divergence::Differs(difference) if difference.is_hidden() => notes.push(difference.to_string()),
            _ => {}
        }
        let lines = if self.count == 1 { "line" } else { "lines" };
        if self.count > 0 {
            notes.push(format!(
                "the patch's line is in the file, but elsewhere: {lines} {}",
                listed(&self.stands, self.count)
            ));
        }
        notes
    }

    pub(super) fn help(&self) -> String {
        match (self.habit(), self.level) {
            (Some(remedy), Some(level))
                if matches!(self.how, Divergence::Differs(Difference { how: How::Unprefixed(' '), .. })) =>
            {
                format!("{remedy}; or run with --fuzz={level}")
            }
            (Some(remedy), _) => remedy.into(),
            (None, Some(level)) => {
                format!("old lines must be in the file byte for byte; correct them, or run with --fuzz={level}")
            }
            (None, None) => CORRECT_THEM.into(),
        }
    }

    /// Returns the remedy where it shows what went wrong when the patch was written.
    pub(super) fn habit(&self) -> Option<&'static str> {
        let remedy = match &self.how {
            Divergence::Differs(Difference { how, .. }) => match how {
                How::Numbered(_) => {
                    "leave the line numbers out of the patch: they were only shown beside the file's text"
                }
                How::Escaped(_) | How::EscapedNewline => {
                    "give the text itself, not a JSON string: no backslash before quotes, and real line ends"
                }
                How::Entity(..) => {
                    "give the text itself: nothing in a patch is ever decoded, so write `<`, `>` and `&` plainly"
                }
                How::Unprefixed(' ') => {
                    "begin every context line with one blank, in front of the line's own indentation"
                }
                How::Unprefixed(_) => {
                    "write the prefix before the line's own first character: `--` for a line that begins with `-` and goes, a \
                     blank and `-` if it stays"
                }
                How::Cut(_) => "give whole lines of the file",
                How::Encoding(_) => {
                    "a patch in UTF-8 can't show this line as it is: leave it out of the patch, or convert the file first"
                }
                How::Unlike if self.count > 0 => APART,
                _ => return None,
            },
            Divergence::Elided => "give every line of the file that stands there, or begin another hunk behind the gap",
            Divergence::LeftOut(_) => APART,
            Divergence::Invented { .. } => {
                "old lines must be in the file byte for byte; leave out those that aren't, or mark new ones as added"
            }
        };
        Some(remedy)
    }
}
