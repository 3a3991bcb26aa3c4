//! What can be wrong with an answer as a whole, or with what stands around its patches.

use bstr::BString;

use crate::explain::Explain;
use crate::format::unified;
use crate::kind::Kind;
use crate::patch::Format;
use crate::text::{LineNo, Shown};

/// Why an answer can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// An answer in another encoding.
    #[error("the response is in UTF-16")]
    Utf16 {
        /// Its name.
        encoding: &'static str,
    },
    /// Nothing to apply.
    #[error("{0}")]
    NoPatch(Absence),
    /// Patches of two formats.
    #[error("the response has patches in two formats, {first} and {second}")]
    Mixed {
        /// The one that comes first.
        first: Format,
        /// Where that one is.
        line: LineNo,
        /// The other.
        second: Format,
    },
    /// A patch without an edit.
    #[error("{} is empty", a(*format))]
    Empty {
        /// Its format.
        format: Format,
    },
    /// A NUL in a patch.
    #[error("a NUL byte in {}", a(*format))]
    Nul {
        /// Its format.
        format: Format,
    },
    /// More edits than anybody means.
    #[error("the response has more than {most} edits")]
    TooMany {
        /// How many it may have.
        most: usize,
    },
    /// Headers of an envelope that stand in none.
    #[error("`{}` outside of `*** Begin Patch` … `*** End Patch`", Shown(header))]
    StrayHeader {
        /// The first.
        header: BString,
        /// How many more there are up to the next patch.
        more: usize,
        /// The line that may have been meant as Begin.
        begin: Option<LineNo>,
        /// The line in which the last envelope before ended.
        ended: Option<LineNo>,
    },
    /// An End behind the End.
    #[error("`*** End Patch` outside of a patch: the one before ended in line {ended}")]
    StrayEnd {
        /// Where that one ended.
        ended: LineNo,
    },
    /// The beginning of a patch's first marker or tag, where the answer ends.
    #[error("the response ends in the middle of `{}`", Shown(.start))]
    CutStart {
        /// What is there of it.
        start: BString,
    },
    /// A hunk that stands under no file header.
    #[error("a hunk without `--- ` and `+++ ` or `diff --git` before it")]
    StrayHunk {
        /// How many more there are up to the next patch.
        more: usize,
    },
    /// A file header of a unified diff under which a hunk begins without numbers, so that it begins no patch.
    #[error("{}", unified::Fault::NoNumbers)]
    Unnumbered,
    /// A hunk of a merge, against several parents.
    #[error("the diff of a merge against all its parents can't be applied")]
    Combined,
    /// A binary file, as `diff -r` names it.
    #[error("the patch shows no lines: {}", Shown(line))]
    Binary {
        /// What it says.
        line: BString,
    },
    /// What closes an OPX element that isn't open.
    #[error("`{}` outside of an `<edit>`", Shown(tag))]
    StrayClosing {
        /// The closing tag, or `>>>`.
        tag: BString,
    },
    /// A patch behind a bullet or a quotation mark.
    #[error("{} behind `{}`", opening(*format), Shown(prefix))]
    Prefixed {
        /// The format of the patch.
        format: Format,
        /// What stands before it.
        prefix: BString,
    },
}

/// Why there is nothing to apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Absence {
    /// Nothing at all.
    #[error("the response is empty")]
    Empty,
    /// Nothing that looks like a patch.
    #[error("the response has no patch")]
    Prose,
    /// A Begin that isn't alone on its line, or is written in another way.
    #[error("the response has no patch: `*** Begin Patch` isn't written as it must be")]
    NearBegin,
    /// A unified diff that is indented or quoted.
    #[error("the response has no patch but a unified diff that doesn't start at the start of a line")]
    Unified,
    /// A patch as a string in JSON.
    #[error("the response is JSON with {} as a string in it", a(*format))]
    Json {
        /// The format of the patch.
        format: Format,
        /// Whether that JSON is itself a string in JSON.
        twice: bool,
    },
    /// A patch whose line ends are written as `\n`, in what doesn't look like JSON.
    #[error("the response has no patch: its line ends are written out as `\\n`")]
    Escaped,
    /// OPX whose tags are escaped as in HTML.
    #[error("the response has no patch: its tags are escaped as in HTML, `&lt;` for `<`")]
    Html,
    /// All patches are in comments.
    #[error("the response has no patch outside of HTML comments")]
    Commented,
    /// All edits are in mid-line.
    #[error("the response has no `<edit>` at the start of a line")]
    MidLine,
    /// There are patches, in a format that wasn't asked for.
    #[error("the response has no patch in the format {asked}")]
    OtherFormat {
        /// What was asked for.
        asked: Format,
        /// What was found.
        found: Format,
    },
}

/// What was left out of an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// An `<edit>` in mid-line.
    #[error("an `<edit>` in mid-line is ignored")]
    ProseEdit,
    /// A patch in a comment.
    #[error("{} in an HTML comment is ignored", a(*format))]
    Commented {
        /// Its format.
        format: Format,
    },
    /// An end marker that ends nothing.
    #[error("`{marker}` outside of a patch is ignored")]
    StrayMarker {
        /// The marker.
        marker: &'static str,
    },
    /// A patch in a format that wasn't asked for.
    #[error("{} is left out: the format asked for is {asked}", a(*found))]
    Skipped {
        /// Its format.
        found: Format,
        /// What was asked for.
        asked: Format,
    },
}

const READ: &str =
    "this version reads `*** Begin Patch` … `*** End Patch`, OPX (`<edit file=\"…\" op=\"…\">`) and unified diffs";

impl Fault {
    /// Returns whether this is about the start of an envelope, whose end is then no news.
    pub(super) fn loses_an_envelope(&self) -> bool {
        matches!(self, Fault::StrayHeader { .. } | Fault::Prefixed { format: Format::Envelope, .. })
    }
}

impl Explain for Fault {
    fn kind(&self) -> Kind {
        match self {
            Fault::Binary { .. } => Kind::Unsupported,
            _ => Kind::Parse,
        }
    }

    fn label(&self) -> Option<String> {
        Some(match self {
            Fault::Utf16 { .. } | Fault::NoPatch(Absence::Empty | Absence::Prose) => return None,
            Fault::NoPatch(Absence::NearBegin) => "this is nearly the start of a patch".into(),
            Fault::NoPatch(Absence::Unified) => "the diff is here".into(),
            Fault::NoPatch(Absence::Html) => "this would begin an edit".into(),
            Fault::NoPatch(Absence::Json { .. } | Absence::Escaped) => "the patch is in here, escaped".into(),
            Fault::NoPatch(Absence::Commented) => "this patch is in a comment".into(),
            Fault::NoPatch(Absence::MidLine) => "this is in mid-line".into(),
            Fault::NoPatch(Absence::OtherFormat { found, .. }) => format!("this one is {found}"),
            Fault::Mixed { second, .. } => format!("{} begins here", a(*second)),
            Fault::Empty { .. } => "begins here, and asks for nothing".into(),
            Fault::Nul { .. } => "NUL".into(),
            Fault::TooMany { .. } => "and this is one more".into(),
            Fault::StrayHeader { .. } => "belongs to no patch".into(),
            Fault::StrayEnd { .. } => "ends nothing".into(),
            Fault::StrayClosing { .. } => "closes nothing".into(),
            Fault::CutStart { .. } => "another patch would begin here".into(),
            Fault::StrayHunk { .. } => "a hunk of which file?".into(),
            Fault::Unnumbered => return unified::Fault::NoNumbers.label(),
            Fault::Combined => "a hunk against several parents".into(),
            Fault::Binary { .. } => return None,
            Fault::Prefixed { .. } => "a patch would begin here".into(),
        })
    }

    fn notes(&self) -> Vec<String> {
        match self {
            Fault::Mixed { first, line, .. } => vec![format!("{} begins in line {line}", a(*first))],
            Fault::StrayHunk { more: 1 } => vec!["another hunk after it has no file either".into()],
            Fault::StrayHunk { more } if *more > 1 => vec![format!("{more} more hunks after it have no file either")],
            Fault::StrayHeader { more, ended, .. } => {
                let mut notes = Vec::new();
                if let Some(ended) = ended {
                    notes.push(format!("the patch before ended in line {ended}"));
                }
                if *more > 0 {
                    let headers = if *more == 1 { "another header".into() } else { format!("{more} more headers") };
                    notes.push(format!("{headers} after it can't be read for the same reason"));
                }
                notes
            }
            _ => Vec::new(),
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Fault::Utf16 { encoding } => {
                format!("convert it first: `iconv -f {encoding} -t UTF-8 answer.txt | git llmpatch apply`")
            }
            Fault::NoPatch(absence) => return absence.help(),
            Fault::Mixed { first, second, .. } => format!(
                "one of them is probably quoted: read only one with `--format={first}` or `--format={second}`, or ask for \
                 an answer in one format"
            ),
            Fault::Empty { .. } => "ask for the patch again, or take the empty one out".into(),
            Fault::TooMany { .. } => "give it in parts".into(),
            Fault::Nul { .. } => {
                "a patch is text: take the NUL out; if the answer was copied from a binary stream, save it again as UTF-8"
                    .into()
            }
            Fault::StrayHeader { begin: Some(line), .. } => {
                format!("put `*** Begin Patch` on a line of its own in line {line}")
            }
            Fault::StrayHeader { ended: Some(ended), .. } => format!(
                "take out the `*** End Patch` in line {ended} if it came too early (a line of a file needs its prefix \
                 before it), or put `*** Begin Patch` before this line"
            ),
            Fault::StrayHeader { .. } => {
                "put `*** Begin Patch` before it and `*** End Patch` at the end; if the start of the answer is missing, ask \
                 for it again"
                    .into()
            }
            Fault::StrayEnd { ended } => format!(
                "what stands between line {ended} and here is in no patch: if line {ended} is a line of a file, write its \
                 prefix before it; else take this line out"
            ),
            Fault::CutStart { .. } => {
                "the answer was probably cut off: ask for the whole answer again, or take this line out if it is none".into()
            }
            Fault::StrayHunk { .. } => {
                "put `--- a/<path>` and `+++ b/<path>` before it; if it only explains something, indent it".into()
            }
            Fault::Unnumbered => return unified::Fault::NoNumbers.help(),
            Fault::Combined => "make one against a single parent: `git diff <commit>^1 <commit>`".into(),
            Fault::Binary { .. } => {
                "take the line out and copy the file by hand; `git diff --binary` and `git apply` know binary files".into()
            }
            Fault::StrayClosing { .. } => {
                "an edit ended earlier than its author meant, or its start is missing: look at the edit before, or ask for \
                 the answer again"
                    .into()
            }
            Fault::Prefixed { .. } => {
                "take such prefixes away from all lines of the patch; markers and tags stand first on their lines".into()
            }
        })
    }

    fn advice(&self) -> Option<String> {
        let advice = match self {
            Fault::NoPatch(absence) => return absence.advice(),
            Fault::Utf16 { .. } => "send plain text in UTF-8",
            Fault::Mixed { .. } => "send the whole change in one format; what is only quoted goes between backticks",
            Fault::Empty { .. } => "say what is to be changed, or take the empty patch out",
            Fault::Nul { .. } => "take the NUL out: a patch is text",
            Fault::StrayHeader { begin: None, ended: None, .. } => {
                "put `*** Begin Patch` before it and `*** End Patch` at the end"
            }
            Fault::StrayClosing { .. } => {
                "an edit ended earlier than was meant, or its start is missing: see that every text stands between `<<<` and \
                 `>>>` lines, and that every tag is closed once"
            }
            Fault::CutStart { .. } => "send the whole patch, or take this line out if it begins none",
            Fault::Combined => "send a plain diff, against one parent",
            _ => return None,
        };
        Some(advice.into())
    }
}

impl Absence {
    /// Returns what the author can do.
    fn advice(self) -> Option<String> {
        let advice = match self {
            Absence::Empty | Absence::Prose => "say in one of these ways what is to be changed",
            Absence::Json { .. } | Absence::Escaped => {
                "send the patch as plain text, not as a string: with real line ends, and no backslash before quotes"
            }
            Absence::OtherFormat { asked, .. } => return Some(format!("send {}", a(asked))),
            _ => return None,
        };
        Some(advice.into())
    }

    fn help(self) -> Option<String> {
        Some(match self {
            Absence::Empty => "give the answer as a file or on standard input".into(),
            Absence::Prose => format!("{READ}; ask the model for one of them"),
            Absence::NearBegin => "write `*** Begin Patch` on a line of its own".into(),
            Absence::Unified => "take away what stands before every line of it: `diff --git`, `---`, `+++` and `@@` stand first on \
                                 their lines"
                .into(),
            Absence::Json { format, twice } => {
                let start = match format {
                    Format::Opx => "<edit ",
                    Format::Envelope => "*** Begin Patch",
                    Format::Unified => "@@ -",
                };
                let find = format!(".. | strings | select(contains(\"{start}\"))");
                let inner = if twice { format!(" | fromjson | {find}") } else { String::new() };
                format!("unwrap it: `jq -r '{find}{inner}' answer.json | git llmpatch apply`")
            }
            Absence::Escaped => {
                "ask for it again with a line of its own for each line; if it was cut out of JSON, give it with its quotes \
                 to `jq -r .`, and what that prints to this command"
                    .into()
            }
            Absence::Html => "write `<`, `>` and `&` plainly: nothing in a patch is ever decoded".into(),
            Absence::Commented => "take away the `<!--` and `-->` around the patch if it is meant".into(),
            Absence::MidLine => "put each `<edit` first on its line if it is meant".into(),
            Absence::OtherFormat { found, .. } => format!("leave `--format` out, or give `--format={found}`"),
        })
    }
}

impl Explain for Warning {
    fn kind(&self) -> Kind {
        match self {
            Warning::ProseEdit => Kind::ProseEdit,
            Warning::Commented { .. } => Kind::CommentedPatch,
            Warning::StrayMarker { .. } => Kind::StrayMarker,
            Warning::Skipped { .. } => Kind::SkippedFormat,
        }
    }

    fn help(&self) -> Option<String> {
        Some(
            match self {
                Warning::ProseEdit => "put it first on its line if it is meant, or in backticks if it is not",
                Warning::Commented { .. } => "take away the `<!--` and `-->` around it if it is meant",
                Warning::StrayMarker { .. } => "leave the line out",
                Warning::Skipped { .. } => return None,
            }
            .into(),
        )
    }
}

fn a(format: Format) -> &'static str {
    match format {
        Format::Envelope => "an envelope",
        Format::Opx => "an OPX patch",
        Format::Unified => "a unified diff",
    }
}

fn opening(format: Format) -> &'static str {
    match format {
        Format::Opx => "an `<edit>`",
        _ => "`*** Begin Patch`",
    }
}
