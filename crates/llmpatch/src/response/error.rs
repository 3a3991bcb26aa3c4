use bstr::BString;

use crate::format::blocks;
use crate::patch::Format;
use crate::text::{LineNo, Shown};

/// Why a response as a whole can't be read.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("the response is in UTF-16")]
    Utf16 { encoding: &'static str },
    #[error(transparent)]
    NoPatch(#[from] Absence),
    /// Patches of two formats; `line` is where the first of them begins.
    #[error("the response has patches in two formats, {first} and {second}")]
    Mixed {
        first: Format,
        line: LineNo,
        second: Format,
    },
    #[error("{} is empty", format.a_patch())]
    Empty { format: Format },
    #[error("a NUL byte in {}", format.a_patch())]
    Nul { format: Format },
    #[error(transparent)]
    Residue(#[from] Residue),
}

/// What shows that something of a patch was lost, or is too much of one.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Residue {
    #[error("the response has more than {most} edits")]
    TooMany { most: usize },
    /// Headers outside of all envelopes: the first of them, and how many `more` there are up to the
    /// next patch. `begin` is the line that may have been meant as the Begin, `ended` the last line
    /// of the envelope before.
    #[error("`{}` outside of `*** Begin Patch` … `*** End Patch`", Shown(header))]
    StrayHeader {
        header: BString,
        more: usize,
        begin: Option<LineNo>,
        ended: Option<LineNo>,
    },
    #[error("`*** End Patch` outside of a patch: the one before ended in line {ended}")]
    StrayEnd { ended: LineNo },
    #[error("the response ends in the middle of `{}`", Shown(.start))]
    CutStart { start: BString },
    /// A hunk without a file, and how many `more` there are up to the next patch.
    #[error("a hunk without `--- ` and `+++ ` or `diff --git` before it")]
    StrayHunk { more: usize },
    /// A file header of a unified diff under which a hunk begins without numbers, so that it begins
    /// no patch.
    #[error("a hunk's header has no line numbers")]
    Unnumbered,
    #[error("the diff of a merge against all its parents can't be applied")]
    Combined,
    /// A binary file, as `diff -r` names it.
    #[error("the patch shows no lines: {}", Shown(line))]
    Binary { line: BString },
    #[error("`{}` outside of an `<edit>`", Shown(tag))]
    StrayClosing { tag: BString },
    /// A patch behind a list bullet or a quotation mark.
    #[error("{} has `{}` before it", start(*format), Shown(prefix))]
    Prefixed { format: Format, prefix: BString },
    #[error(transparent)]
    Blocks(#[from] blocks::Error),
}

/// Why there is nothing to apply.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Absence {
    #[error("the response is empty")]
    Empty,
    #[error("the response has no patch: it is a binary file")]
    Binary,
    #[error("the response has no patch")]
    Prose,
    #[error("the response has no patch: `*** Begin Patch` isn't written as it must be")]
    NearBegin,
    #[error(
        "the response has no patch but a unified diff that doesn't start at the start of a line"
    )]
    Unified,
    #[error(
        "the response has no patch, but what may be whole files: `{}`",
        Shown(path)
    )]
    Files { path: BString },
    #[error("the response has no patch: its tool calls don't say how a file changes")]
    Calls,
    #[error("the response has no patch: its line ends are written out as `\\n`")]
    Escaped,
    #[error("the response has no patch: its tags are escaped as in HTML, `&lt;` for `<`")]
    Html,
    #[error("the response has no patch outside of {}", .0.of_all())]
    Hidden(Hiding),
    #[error("the response has no `<edit>` at the start of a line")]
    MidLine,
    #[error("the response has no patch in the format {asked}")]
    OtherFormat { asked: Format, found: Format },
}

/// What hides a patch: a closed HTML comment, or a closed block of reasoning between such tags.
#[allow(missing_docs, reason = "the message says what it is")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Hiding {
    #[error("an HTML comment")]
    Comment,
    #[error("`<{0}>` … `</{0}>`")]
    Reasoning(&'static str),
}

impl Hiding {
    /// Names all that hide patches so.
    fn of_all(self) -> String {
        if self == Hiding::Comment {
            "HTML comments".into()
        } else {
            self.to_string()
        }
    }

    /// Returns what begins it, and what ends it.
    pub fn ends(self) -> (String, String) {
        match self {
            Hiding::Comment => ("<!--".into(), "-->".into()),
            Hiding::Reasoning(tag) => (format!("<{tag}>"), format!("</{tag}>")),
        }
    }
}

/// What was left out of a response.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    #[error("an `<edit>` in the middle of a line is ignored")]
    ProseEdit,
    #[error("{} in {by} is ignored", format.a_patch())]
    Hidden { format: Format, by: Hiding },
    /// A patch before a line that closes a block of reasoning that nothing has opened: the opening
    /// tag was perhaps in the prompt.
    #[error("{} before a `</{tag}>` without its `<{tag}>` is applied, too", format.a_patch())]
    Unopened { format: Format, tag: &'static str },
    #[error("{} that repeats the one in line {first} is ignored: it is applied once", format.a_patch())]
    RepeatedPatch { format: Format, first: LineNo },
    #[error(
        "this edit of `{}` repeats the one in line {first}: both are applied",
        Shown(path)
    )]
    RepeatedEdit { path: BString, first: LineNo },
    #[error("`{marker}` outside of a patch is ignored")]
    StrayMarker { marker: &'static str },
    #[error("{} is ignored: the format asked for is {asked}", found.a_patch())]
    Skipped { found: Format, asked: Format },
    #[error("this fenced block has no path and is ignored")]
    NamelessFence,
}

impl Residue {
    /// Returns whether this is about the start of an envelope, whose end then isn't reported.
    pub(super) fn loses_an_envelope(&self) -> bool {
        matches!(
            self,
            Residue::StrayHeader { .. }
                | Residue::Prefixed {
                    format: Format::Envelope,
                    ..
                }
        )
    }
}

/// Returns what a patch that can be behind a bullet begins with.
fn start(format: Format) -> &'static str {
    match format {
        Format::Opx => "an `<edit>`",
        Format::Blocks => "a block",
        _ => "`*** Begin Patch`",
    }
}
