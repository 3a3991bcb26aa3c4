use bstr::BString;

use super::near::Near;
use super::no_patch::{NoPatch, calls};
use super::{command, literal};
use crate::format;
use crate::patch::Format;
use crate::text::{LineNo, Shown};

/// Why a response as a whole can't be read.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum Error {
    /// What is wrong in a patch.
    #[error(transparent)]
    Format(#[from] format::Error),
    #[error("the response is in UTF-16")]
    #[strum(props(advice = "send plain text in UTF-8"))]
    Utf16 { encoding: &'static str },
    #[error("{}", .0.alone())]
    NoPatch(#[from] NoPatch),
    /// Patches of two formats; `line` is where the first of them begins.
    #[error("the response has patches in two formats, {first} and {second}")]
    #[strum(props(
        advice = "send the whole change in one format; what is only quoted goes between backticks"
    ))]
    Mixed {
        first: Format,
        line: LineNo,
        second: Format,
    },
    #[error("{} is empty", format.a_patch())]
    #[strum(props(
        label = "begins here, and is empty",
        help = "ask for the patch again, or take the empty one out",
        advice = "say what is to be changed, or take the empty patch out"
    ))]
    Empty { format: Format },
    #[error("a NUL byte in {}", format.a_patch())]
    #[strum(props(
        label = "NUL",
        help = "a patch is text: take the NUL out; if the response was copied from a binary stream, save it again as UTF-8",
        advice = "take the NUL out: a patch is text"
    ))]
    Nul { format: Format },
    /// A token with which a chat is written down, beside a patch.
    #[error("the response is a chat: `{}` begins a turn of it", Shown(token))]
    #[strum(props(
        kind = "unsupported",
        help = "give the answer alone, without the turns around it",
        advice = "send the answer alone, without the turns around it"
    ))]
    Chat { token: BString },
    /// Something beside a patch that changes files for whoever wrote it, and isn't read.
    #[error("{}: without it, the patch may be only a part of the change", near.what)]
    #[strum(props(kind = "unsupported", label = "this isn't read"))]
    Half { near: &'static Near },
    /// A closing mark of a draft in a fence, behind a patch or in one that isn't closed.
    #[error("`{close}` is in a fence, so that it isn't clear what is a draft")]
    #[strum(props(
        label = "is what is above a draft?",
        help = "close the fence before it, or give the answer without what is above",
        advice = "send the answer alone, without the reasoning before it"
    ))]
    FencedMark { close: String },
    /// A tag around what a tool returned that isn't a pair.
    #[error("`{}` is never closed", Shown(tag))]
    #[strum(props(
        label = "what is behind it may be a tool's result",
        help = "close the tag, or give the answer without it",
        advice = "close the tag, or send the answer without it"
    ))]
    OpenResult { tag: BString },
    /// Several responses to one question, of which nobody says which counts.
    #[error("{count} of the responses in `{place}` have patches")]
    #[strum(props(
        kind = "ambiguous",
        help = "give the response with one of them, or each in a response of its own",
        advice = "send one response"
    ))]
    Alternatives { place: String, count: usize },
    /// A patch in a command of the shell.
    #[error(transparent)]
    #[strum(props(kind = "unsupported"))]
    Command(#[from] command::Doubt),
    /// A program that hands a patch over in another form than the one that is read.
    #[error("it isn't clear what the program hands over: {0}")]
    #[strum(props(
        kind = "unsupported",
        help = "give the patch itself, as text",
        advice = "give the patch itself, or hand it over as one plain string: `await tools.apply_patch(\"…\")`"
    ))]
    Literal(literal::Unclear),
    /// A message of which its own member says that it was cut off.
    #[error("the response was cut off: `{field}` is `{value}`")]
    #[strum(props(
        label = "it is here",
        help = "what came before the cut may be half of the change: ask for the whole response again",
        advice = "the response was cut off: send the whole change again, in a shorter response"
    ))]
    Cut { field: String, value: String },
    /// A call that is begun and never told whole.
    #[error("a tool call is {said} and never told whole")]
    #[strum(props(
        label = "begins here",
        help = "give the whole session, or ask for the call again"
    ))]
    Unfinished { said: String },
    /// Results that name no calls, of which some say that theirs failed or was refused.
    #[error("some calls of a message weren't carried out, and it isn't said which")]
    #[strum(props(
        label = "this answers it",
        help = "give the calls that were carried out, without the rest of the session"
    ))]
    UnclearResults,
    /// Pieces of messages, of which none is whole.
    #[error("these are pieces of a stream, each with a part of the response")]
    #[strum(props(
        label = "a piece",
        help = "put the pieces together first, or have the provider send the whole message at once"
    ))]
    Stream,
    /// A review comment with lines to take the place of others.
    #[error("a suggestion in a review comment {wrong}")]
    #[strum(props(
        kind = "unsupported",
        label = "this comment",
        help = "leave the comment out, or give the lines that it suggests as a patch",
        advice = "send the change as a patch, or as one suggestion for lines that the comment's diff shows"
    ))]
    Suggestion { wrong: &'static str },
    /// A call or comment that was asked for.
    #[error("no call and no comment of the response has the id `{}`", Shown(id.as_bytes()))]
    #[strum(props(
        kind = "usage",
        help = "`git llmpatch check -v <response>` lists the calls and comments with their ids"
    ))]
    NoCall { id: String },
    /// Two suggestions, of which only one can be made.
    #[error("two suggestions are for line {line} of `{}`", Shown(path))]
    #[strum(props(
        kind = "ambiguous",
        label = "this comment",
        help = "choose one of them by `--only=<id>`",
        advice = "suggest something for each line once"
    ))]
    SameLines { path: BString, line: LineNo },
}

impl Error {
    /// Makes one of what is wrong in a patch.
    pub(super) fn of(error: impl Into<format::Error>) -> Self {
        Error::Format(error.into())
    }

    /// Returns whether it says that there is no patch.
    pub(crate) fn is_absence(&self) -> bool {
        matches!(self, Error::NoPatch(why) if !why.is_residue())
    }
}

/// Counts what has a patch.
fn patches(count: usize) -> String {
    match count {
        1 => "a call, comment or text with a patch is".to_owned(),
        _ => format!("{count} calls, comments or texts with patches are"),
    }
}

/// Tells of calls without a result.
fn pending(count: usize) -> String {
    match count {
        1 => {
            "a call that has no result is read: nothing says whether it was carried out".to_owned()
        }
        _ => format!(
            "{count} calls that have no result are read: nothing says whether they were carried out"
        ),
    }
}

/// What was left out of a response.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum Warning {
    /// What was dropped or guessed in a patch.
    #[error(transparent)]
    Format(#[from] format::Warning),
    #[error("an `<edit>` in the middle of a line is ignored")]
    #[strum(props(
        kind = "prose-edit",
        help = "put it first on its line if it is meant, or in backticks if it is not"
    ))]
    ProseEdit,
    #[error("{} in {by} is ignored", format.a_patch())]
    Hidden { format: Format, by: NoPatch },
    #[error("{what}: it is ignored")]
    #[strum(props(kind = "near-patch"))]
    Nearly { what: NoPatch },
    /// Calls that failed, were refused, or were never carried out.
    #[error("{} {} ignored", calls(*count), if *count == 1 { "is" } else { "are" })]
    #[strum(props(kind = "undone-call"))]
    Undone { count: usize },
    /// Calls, comments and texts beside those that were asked for.
    #[error("{} left out: others were asked for", patches(*count))]
    #[strum(props(kind = "left-out"))]
    LeftOut { count: usize },
    /// Calls at the end of a session, of which nothing says whether they were carried out.
    #[error("{}", pending(*count))]
    #[strum(props(
        kind = "pending-call",
        label = "the session ends with it",
        help = "leave it out if it isn't meant to be made"
    ))]
    Pending { count: usize },
    #[error("{} that repeats the one in line {first} is ignored: it is applied once", format.a_patch())]
    #[strum(props(kind = "repeated-patch", help = "to apply it twice, run it twice"))]
    RepeatedPatch { format: Format, first: LineNo },
    /// The patch of a response that is the patch of an earlier one.
    #[error(
        "{} that repeats the one in line {first} of `{}` is ignored: it is applied once",
        format.a_patch(),
        Shown(name.as_bytes())
    )]
    #[strum(props(kind = "repeated-patch", help = "to apply it twice, run it twice"))]
    RepeatedResponse {
        format: Format,
        name: String,
        first: LineNo,
    },
    #[error(
        "this edit of `{}` repeats the one in line {first}: both are applied",
        Shown(path)
    )]
    #[strum(props(
        kind = "repeated-edit",
        help = "leave one of them out if it is meant once"
    ))]
    RepeatedEdit { path: BString, first: LineNo },
    #[error("`{marker}` outside of a patch is ignored")]
    #[strum(props(kind = "stray-marker", help = "leave the line out"))]
    StrayMarker { marker: &'static str },
    #[error("{} is ignored: the format asked for is {asked}", found.a_patch())]
    #[strum(props(kind = "skipped-format"))]
    Skipped { found: Format, asked: Format },
    #[error("this fenced block has no path and is ignored")]
    #[strum(props(
        kind = "nameless-fence",
        help = "if it is a file, put its path alone on the line above; a path in a sentence doesn't count"
    ))]
    NamelessFence,
}

impl Warning {
    /// Makes one of what was dropped or guessed in a patch.
    pub(super) fn of(warning: impl Into<format::Warning>) -> Self {
        Warning::Format(warning.into())
    }
}
