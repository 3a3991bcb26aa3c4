use bstr::BString;

use super::near::Near;
use super::{command, literal};
use crate::format::{self, blocks};
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
    #[error(transparent)]
    NoPatch(#[from] Absence),
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
    #[error(transparent)]
    Residue(#[from] Residue),
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
        matches!(self, Error::NoPatch(_))
    }
}

/// What shows that something of a patch was lost, or that there is too much of it.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum Residue {
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
    Binary { line: BString },
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

/// Why there is nothing to apply.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum Absence {
    #[error("the response is empty")]
    #[strum(props(help = "give the response as a file or on standard input"))]
    Empty,
    #[error("the response has no patch: it is a binary file")]
    #[strum(props(help = "give the model's response, as text"))]
    Binary,
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
        help = "if each such fence holds a whole file, run it with `--format=files`; else ask the model for a patch"
    ))]
    Files { path: BString },
    #[error("the response has no patch: its tool calls don't say how a file changes")]
    #[strum(props(
        label = "for example, this call",
        help = "ask for the change itself: by calls with `path`, `old_string` and `new_string`, or in another format"
    ))]
    Calls,
    #[error("the response has no patch outside of {}", .0.of_all())]
    Hidden(Hiding),
    #[error("the response has no patch, only something like one: {0}")]
    #[strum(props(label = "this"))]
    Nearly(Nearly),
    #[error("the response has no `<edit>` at the start of a line")]
    #[strum(props(
        label = "this is in the middle of a line",
        help = "put each `<edit` first on its line if it is meant"
    ))]
    MidLine,
    #[error("the response has no patch in the format {asked}")]
    OtherFormat { asked: Format, found: Format },
}

/// Why a patch doesn't count: the part of the response that it is in.
#[allow(missing_docs, reason = "the message says what it is")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Hiding {
    #[error("an HTML comment")]
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
    Quote,
    /// A member of JSON in which the model thinks aloud.
    #[error("`{0}` (the model thinks aloud there)")]
    Thoughts(String),
    /// A place in JSON where no known message has patches.
    #[error("`{0}` (no known message has patches there)")]
    Elsewhere(String),
    /// What somebody else says, or a tool returned.
    #[error("`{0}` (it isn't the model that speaks there)")]
    Others(String),
    /// The model's own text, in a session with calls that change files.
    #[error("`{0}` (the calls of the session are what changes files)")]
    Beside(String),
    /// Calls that failed, were refused, or were never carried out.
    #[error("{}", calls(*.0))]
    Undone(usize),
    /// A comment of a review on lines that are no more, or that is settled.
    #[error("a review comment that is outdated or resolved")]
    Past,
}

/// Counts what has a patch.
fn patches(count: usize) -> String {
    match count {
        1 => "a call, comment or text with a patch is".to_owned(),
        _ => format!("{count} calls, comments or texts with patches are"),
    }
}

/// Names calls that didn't take effect.
fn calls(count: usize) -> String {
    match count {
        1 => "a call that failed, was refused or never ran".to_owned(),
        _ => format!("{count} calls that failed, were refused or never ran"),
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

impl Hiding {
    /// Returns the role of the part, in a word.
    pub(super) fn role(&self) -> &'static str {
        match self {
            Hiding::Comment | Hiding::Quote | Hiding::Beside(_) => "quotation",
            Hiding::Reasoning(..)
            | Hiding::Unclosed(_)
            | Hiding::Unopened(_)
            | Hiding::Thoughts(_) => "draft",
            Hiding::Others(_) => "instruction",
            Hiding::Elsewhere(_) => "unknown",
            Hiding::Undone(_) | Hiding::Past => "undone-call",
        }
    }

    /// Returns whether the part is one of JSON.
    pub(super) fn is_of_json(&self) -> bool {
        matches!(
            self,
            Hiding::Thoughts(_)
                | Hiding::Elsewhere(_)
                | Hiding::Others(_)
                | Hiding::Beside(_)
                | Hiding::Undone(_)
                | Hiding::Past
        )
    }

    /// Names all parts that hide patches so.
    fn of_all(&self) -> String {
        match self {
            Hiding::Comment => "HTML comments".into(),
            hiding => hiding.to_string(),
        }
    }
}

/// What is nearly a patch.
#[allow(missing_docs, reason = "the message says what it is")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Nearly {
    #[error("a command only tries a patch, by `{option}`")]
    Trial { option: String },
    #[error("a fence holds what may be the whole of `{}`", Shown(path))]
    File { path: BString },
    #[error("{}", .0.what)]
    Row(&'static Near),
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
    Hidden { format: Format, by: Hiding },
    #[error("{what}: it is ignored")]
    #[strum(props(kind = "near-patch"))]
    Nearly { what: Nearly },
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
