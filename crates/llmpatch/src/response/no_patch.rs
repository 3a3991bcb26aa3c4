//! What of a response is no patch, and why: nothing at all, a patch that doesn't count, what is nearly
//! one, and what is left of one.

use bstr::BString;

use super::near::Near;
use crate::format::blocks;
use crate::patch::Format;
use crate::text::{LineNo, Shown};

/// What is no patch, and why.
#[allow(missing_docs, reason = "the message says what it is")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum NoPatch {
    // The whole response.
    #[error("the response is empty")]
    #[strum(props(help = "give the response as a file or on standard input"))]
    Nothing,
    #[error("the response has no patch: it is a binary file")]
    #[strum(props(help = "give the model's response, as text"))]
    NoText,
    #[error("the response has no patch")]
    #[strum(props(
        help = "this version reads `*** Begin Patch` … `*** End Patch`, OPX (`<edit file=\"…\" op=\"…\">`), unified diffs, search/replace blocks and tool calls as JSON; ask the model for one of them"
    ))]
    Prose,
    #[error(
        "the response has no patch, but what may be whole files: `{}`",
        Shown(path)
    )]
    #[strum(props(
        label = "what it holds",
        help = "if each such fence holds a whole file, run it with `--format=files`; else ask the model for a patch",
        advice = "give the changes as a patch"
    ))]
    Files { path: BString },
    #[error("the response has no patch: its tool calls don't say how a file changes")]
    #[strum(props(
        label = "for example, this call",
        help = "ask for the change itself: by calls with `path`, `old_string` and `new_string`, or in another format"
    ))]
    Calls,
    #[error("the response has no `<edit>` at the start of a line")]
    #[strum(props(
        label = "this is in the middle of a line",
        help = "put each `<edit` first on its line if it is meant"
    ))]
    MidLine,
    #[error("the response has no patch in the format {asked}")]
    OtherFormat { asked: Format, found: Format },
    // A patch that doesn't count, by the part of the response that it is in.
    #[error("an HTML comment")]
    #[strum(props(
        kind = "commented-patch",
        help = "take away the `<!--` and `-->` around it if it is meant"
    ))]
    Comment,
    /// Reasoning between an opening and a closing mark.
    #[error("`{0}` … `{1}`")]
    Reasoning(String, String),
    /// Reasoning whose opening mark has no closing mark.
    #[error("what follows an unclosed `{0}`")]
    Unclosed(String),
    /// Reasoning that ends with a closing mark, from the response's start.
    #[error("what comes before a lone `{0}`")]
    Unopened(String),
    #[error("lines quoted by `>`")]
    #[strum(props(
        kind = "quoted-patch",
        help = "take away the `>` before its lines if it is meant"
    ))]
    Quote,
    /// A member of JSON in which the model thinks aloud.
    #[error("`{0}` (the model thinks aloud there)")]
    Thoughts(String),
    /// A place in JSON where no known message has patches.
    #[error("`{0}` (no known message has patches there)")]
    #[strum(props(kind = "unknown-place"))]
    Elsewhere(String),
    /// What somebody else says, or a tool returned.
    #[error("`{0}` (it isn't the model that speaks there)")]
    #[strum(props(help = "give it in a response of its own if it is meant"))]
    Others(String),
    /// The model's own text, in a session with calls that change files.
    #[error("`{0}` (the calls of the session are what changes files)")]
    #[strum(props(kind = "quoted-patch"))]
    Beside(String),
    /// Calls that failed, were refused, or were never carried out.
    #[error("{}", calls(*.0))]
    #[strum(props(
        kind = "undone-call",
        help = "give the call in a response of its own if it is to be made after all"
    ))]
    Undone(usize),
    /// A comment of a review on lines that are no more, or that is settled.
    #[error("a review comment that is outdated or resolved")]
    #[strum(props(
        kind = "undone-call",
        help = "give what it suggests as a patch if it is meant"
    ))]
    Past,
    // What is nearly a patch.
    #[error("a command only tries a patch, by `{option}`")]
    #[strum(props(help = "give the patch itself if it is meant"))]
    Trial { option: String },
    #[error("a fence holds what may be the whole of `{}`", Shown(path))]
    #[strum(props(
        help = "if the fence holds the whole file, give it by itself with `--format=files`",
        advice = "give the change of this file as a patch"
    ))]
    WholeFile { path: BString },
    #[error("{}", .0.what)]
    Near(&'static Near),
    // Residue: something of a patch was lost, or there is too much of it.
    #[error("the response has more than {most} edits")]
    #[strum(props(label = "and this is one more", help = "give it in parts"))]
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
    #[strum(props(label = "ends nothing"))]
    StrayEnd { ended: LineNo },
    #[error("the response ends in the middle of `{}`", Shown(.start))]
    #[strum(props(
        label = "another patch would begin here",
        help = "the response was probably cut off: ask for the whole response again, or take this line out if it is none",
        advice = "send the whole patch, or take this line out if it begins none"
    ))]
    CutStart { start: BString },
    /// A hunk without a file, and how many `more` there are up to the next patch.
    #[error("a hunk without `--- ` and `+++ ` or `diff --git` before it")]
    #[strum(props(
        label = "a hunk of which file?",
        help = "put `--- a/<path>` and `+++ b/<path>` before it; if it only explains something, indent it"
    ))]
    StrayHunk { more: usize },
    #[error("{}, which isn't undone", near.what)]
    Encoded { near: &'static Near },
    /// Lines of a diff that are in no hunk, in a fence with hunks.
    #[error("{}, in a fence with hunks that are read", near.what)]
    #[strum(props(label = "would be left out"))]
    Loose { near: &'static Near },
    /// A hunk that an empty line parts from the names of its file.
    #[error("a hunk isn't right below the header of its file")]
    Apart,
    #[error("the diff of a merge against all its parents can't be applied")]
    Combined,
    /// A binary file, as `diff -r` names it.
    #[error("the patch shows no lines: {}", Shown(line))]
    #[strum(props(
        kind = "unsupported",
        help = "take the line out and copy the file by hand; `git diff --binary` and `git apply` know binary files"
    ))]
    BinaryFile { line: BString },
    #[error("`{}` outside of an `<edit>`", Shown(tag))]
    #[strum(props(
        label = "closes nothing",
        help = "an edit ended earlier than was meant, or its start is missing: look at the edit before, or ask for the response again",
        advice = "an edit ended earlier than was meant, or its start is missing: see that every text is between `<<<` and `>>>` lines, and that every tag is closed once"
    ))]
    StrayClosing { tag: BString },
    /// A patch behind a list bullet or a quotation mark.
    #[error("{} has `{}` before it", start(*format), Shown(prefix))]
    #[strum(props(
        label = "a patch would begin here",
        help = "remove such prefixes from all lines of the patch; markers and tags come first on their lines"
    ))]
    Prefixed { format: Format, prefix: BString },
    #[error(transparent)]
    Blocks(#[from] blocks::Error),
}

impl NoPatch {
    /// Returns the role of the part, in a word, if it is a patch that doesn't count.
    pub(super) fn role(&self) -> Option<&'static str> {
        Some(match self {
            NoPatch::Comment | NoPatch::Quote | NoPatch::Beside(_) => "quotation",
            NoPatch::Reasoning(..)
            | NoPatch::Unclosed(_)
            | NoPatch::Unopened(_)
            | NoPatch::Thoughts(_) => "draft",
            NoPatch::Others(_) => "instruction",
            NoPatch::Elsewhere(_) => "unknown",
            NoPatch::Undone(_) | NoPatch::Past => "undone-call",
            _ => return None,
        })
    }

    /// Returns whether it is a patch that doesn't count.
    pub(crate) fn is_hidden(&self) -> bool {
        self.role().is_some()
    }

    /// Returns whether the part is one of JSON.
    pub(super) fn is_of_json(&self) -> bool {
        matches!(
            self,
            NoPatch::Thoughts(_)
                | NoPatch::Elsewhere(_)
                | NoPatch::Others(_)
                | NoPatch::Beside(_)
                | NoPatch::Undone(_)
                | NoPatch::Past
        )
    }

    /// Returns whether it is nearly a patch.
    pub(crate) fn is_nearly(&self) -> bool {
        matches!(
            self,
            NoPatch::Trial { .. } | NoPatch::WholeFile { .. } | NoPatch::Near(_)
        )
    }

    /// Returns whether it says that something of a patch was lost.
    pub(crate) fn is_residue(&self) -> bool {
        let is_of_all = matches!(
            self,
            NoPatch::Nothing
                | NoPatch::NoText
                | NoPatch::Prose
                | NoPatch::Files { .. }
                | NoPatch::Calls
                | NoPatch::MidLine
                | NoPatch::OtherFormat { .. }
        );
        !self.is_hidden() && !self.is_nearly() && !is_of_all
    }

    /// Says of a response that it is all that there is.
    pub(super) fn alone(&self) -> String {
        match self {
            NoPatch::Comment => "the response has no patch outside of HTML comments".into(),
            hidden if hidden.is_hidden() => {
                format!("the response has no patch outside of {hidden}")
            }
            nearly if nearly.is_nearly() => {
                format!("the response has no patch, only something like one: {nearly}")
            }
            _ => self.to_string(),
        }
    }

    /// Returns whether it is about the start of an envelope, whose end then isn't reported.
    pub(super) fn loses_an_envelope(&self) -> bool {
        matches!(
            self,
            NoPatch::StrayHeader { .. }
                | NoPatch::Prefixed {
                    format: Format::Envelope,
                    ..
                }
        )
    }
}

/// Names calls that didn't take effect.
pub(super) fn calls(count: usize) -> String {
    match count {
        1 => "a call that failed, was refused or never ran".to_owned(),
        _ => format!("{count} calls that failed, were refused or never ran"),
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
