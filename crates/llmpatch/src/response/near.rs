//! What is nearly a patch: one table, a row a pattern.
//!
//! Nothing of it is ever read. Beside a patch it is told, so that nobody takes a part of a change for the
//! whole; where it is all that there is, the response is refused in the same words.

use bstr::ByteSlice as _;

use super::encoded::ENCODINGS;
use super::json;
use super::lines::Line;
use crate::format::envelope::{self, Meant};
use crate::format::fence::Fence;
use crate::format::tool::fields::PATH;
use crate::format::tool::shapes::is_writer;
use crate::format::unified;
use crate::text::{Row, Source, is_blank, looks_elided, starts_with_any_case, trim, trim_start};

/// A row of [`NEAR`].
#[derive(Debug)]
pub struct Near {
    /// What it is, in a clause.
    pub what: &'static str,
    /// What to do if it is meant.
    pub instead: &'static str,
    /// Whether it changes files for whoever wrote it, so that what is beside it is half of a change.
    pub is_half: bool,
    pub(super) found: fn(NearLine<'_>) -> bool,
}

impl Near {
    /// Returns whether it is of a diff, without its hunks or without its file.
    pub(crate) fn is_of_diff(&self) -> bool {
        *self == NEAR[NO_HUNK] || *self == NEAR[HUNK]
    }

    /// Returns whether a line matches it.
    pub(crate) fn matches(&self, line: NearLine<'_>) -> bool {
        (self.found)(line)
    }
}

impl PartialEq for Near {
    fn eq(&self, other: &Self) -> bool {
        self.what == other.what
    }
}

impl Eq for Near {}

/// A line that is in no patch, with what of its surroundings the table asks for.
#[derive(Clone, Copy)]
pub(crate) struct NearLine<'l> {
    pub(crate) source: &'l Source,
    pub(crate) row: Row<'l>,
    /// What is behind the signs of the fence that the line is in.
    pub(crate) info: Option<&'l [u8]>,
    /// Whether that fence may hold a file.
    pub(crate) names_file: bool,
    /// What closes the tag that the line is in.
    pub(crate) tag_end: Option<&'l [u8]>,
}

impl<'l> NearLine<'l> {
    /// Returns a line that is in no fence.
    pub(super) fn alone(source: &'l Source, row: Row<'l>) -> Self {
        Self {
            source,
            row,
            info: None,
            names_file: false,
            tag_end: None,
        }
    }

    pub(super) fn text(self) -> &'l [u8] {
        trim(self.row.text)
    }

    /// Returns a line below, as it is written.
    fn below(self, count: usize) -> &'l [u8] {
        let number = (0..count).fold(self.row.number, |number, _| number.next());
        self.source.line(number).unwrap_or_default()
    }

    /// Returns whether a fence of one of these languages is open.
    fn is_in(self, languages: &[&str]) -> bool {
        let language = self.info.and_then(|info| info.fields().next());
        language.is_some_and(|language| {
            languages
                .iter()
                .any(|known| language.eq_ignore_ascii_case(known.as_bytes()))
        })
    }
}

const FIRST: &str = "take away what is before each of its lines if it is meant";
const FORMAT: &str = "give the change as a patch, such as one from a line `*** Begin Patch` to a line `*** End Patch`";

/// The rows of hunks that name no file, of calls in tags, and of commands.
pub(crate) const NO_HUNK: usize = 5;
pub(crate) const HUNK: usize = 6;
pub(crate) const CALL_IN_TAGS: usize = 10;
pub(crate) const COMMAND: usize = 14;

/// What is nearly a patch. The first row that a line matches counts.
pub(crate) const NEAR: [Near; 18] = [
    Near {
        what: "`*** Begin Patch` isn't written as it must be",
        instead: "write `*** Begin Patch` just so, on a line of its own, if it is meant",
        is_half: false,
        found: |line| {
            let text = line.text();
            let begin = "*** Begin Patch";
            text.starts_with(b"*") && envelope::meant(text) == Some(Meant::Begin)
                || text.starts_with_str(begin)
                || text.contains_str(format!("{begin}\r"))
        },
    },
    Near {
        what: "`*** Begin Patch` isn't first on its line",
        instead: FIRST,
        is_half: false,
        found: |line| is_behind(line.row.text, b"*** Begin Patch"),
    },
    Near {
        what: "`<<<<<<< SEARCH` isn't first on its line",
        instead: FIRST,
        is_half: false,
        found: |line| is_behind(line.row.text, b"<<<<<<< SEARCH"),
    },
    Near {
        what: "a block of `ORIGINAL` and `UPDATED` isn't read",
        instead: "write `<<<<<<< SEARCH`, `=======` and `>>>>>>> REPLACE`",
        is_half: true,
        found: |line| line.text().starts_with(b"<<<<<<< ORIGINAL"),
    },
    Near {
        what: "a unified diff doesn't begin at the start of its line",
        instead: "take away what is before every line of it: `diff --git`, `---`, `+++` and `@@` come first on their lines",
        is_half: false,
        found: is_indented_diff,
    },
    Near {
        what: "a diff has no `@@` line",
        instead: "give its lines below `@@ -<line>,<count> +<line>,<count> @@` if it is meant",
        is_half: false,
        found: |line| {
            let is_pair = line.row.text.starts_with(b"--- ") && line.below(1).starts_with(b"+++ ");
            // At the end of the response they are cut off, which is an error.
            is_pair && line.row.number.index() + 2 < line.source.line_count()
        },
    },
    Near {
        what: "a hunk names no file",
        instead: "put `--- a/<path>` and `+++ b/<path>` before it if it is meant; nothing of it was read",
        is_half: false,
        found: |line| {
            let is_header = trim_start(line.row.text).starts_with(b"@@");
            is_header && unified::hunk_begins(line.source, line.row.number)
        },
    },
    Near {
        what: "a rename has no `diff --git` line before it",
        instead: "put `diff --git a/<old path> b/<new path>` before it if it is meant",
        is_half: false,
        found: |line| {
            line.row.text.starts_with(b"rename from ") && line.below(1).starts_with(b"rename to ")
        },
    },
    Near {
        what: "a context diff isn't read",
        instead: "give it as a unified diff, as `diff -u` prints it",
        is_half: false,
        found: |line| line.text() == b"***************",
    },
    Near {
        what: "a tag that names a file isn't read",
        instead: FORMAT,
        is_half: true,
        found: |line| line.info.is_none() && is_file_tag(line.text()),
    },
    Near {
        what: "a tool call is written in tags",
        instead: "give the call as JSON",
        is_half: true,
        found: |line| {
            let name = line.text().strip_prefix(b"<tool_call>").unwrap_or_default();
            name.first().is_some_and(u8::is_ascii_alphabetic) || is_writing_tag(line)
        },
    },
    Near {
        what: "a file is told by the hashes of its lines",
        instead: FORMAT,
        is_half: true,
        found: |line| is_hashed_section(line.text()),
    },
    Near {
        what: "a suggestion names no lines of a file",
        instead: "give the review's comment as JSON, or the change as a patch",
        is_half: false,
        found: |line| {
            Fence::read(line.row.text).is_some_and(|(_, info)| trim(info) == b"suggestion")
        },
    },
    Near {
        what: "a sketch leaves out what a file has",
        instead: "give only what changes, as a patch, or the whole file, with `--format=files`",
        is_half: false,
        found: |line| line.names_file && line.info.is_some() && looks_elided(line.row.text),
    },
    Near {
        what: "a command changes files",
        instead: "give the change as a part of the patch: nothing of a command is run",
        is_half: false,
        found: |line| line.is_in(&SHELLS) && changes_files(line.text()),
    },
    Near {
        what: "a tool call isn't first on its line",
        instead: "put the call first on a line of its own if it is meant",
        is_half: false,
        found: |line| {
            let text = line.text();
            let brace = text
                .find_byte(b'{')
                .filter(|at| !text[..*at].contains(&b'`'));
            brace.is_some_and(|at| at > 0 && json::is_call(line.source, &text[at..]))
        },
    },
    Near {
        what: "an `<edit>` has neither `op` nor `file`",
        instead: "write `<edit file=\"…\" op=\"…\">` if it is meant",
        is_half: false,
        found: |line| line.text() == b"<edit>",
    },
    Near {
        what: "a tool call is written as code",
        instead: "give the call as JSON if it is meant",
        is_half: false,
        found: |line| crate::format::tool::is_of_code(line.text()),
    },
];

/// The first line that adds or removes something in a fence of diffs that has nothing else of one.
pub(crate) static LOOSE_CHANGE: Near = Near {
    what: NEAR[HUNK].what,
    instead: "put `--- a/<path>`, `+++ b/<path>` and `@@` before it if it is meant; nothing of it was read",
    is_half: false,
    found: |_| false,
};

/// Returns the row that a line matches.
pub(crate) fn near(line: NearLine<'_>) -> Option<&'static Near> {
    if is_blank(line.row.text) {
        return None;
    }
    let mut rows = ENCODINGS.iter().chain(&NEAR);
    rows.find(|row| (row.found)(line))
}

const SHELLS: [&str; 6] = ["sh", "bash", "shell", "zsh", "console", "terminal"];

/// Returns whether nothing but signs is before a marker, and nothing behind it: a comment's sign, a line
/// number, a no-break space. A backtick quotes it, and a line behind `|` is one that we quoted.
fn is_behind(line: &[u8], marker: &[u8]) -> bool {
    let Some((before, behind)) = line.split_once_str(marker) else {
        return false;
    };
    !is_blank(before) && is_of_signs(before) && is_blank(behind)
}

fn is_of_signs(before: &[u8]) -> bool {
    let is_sign = |c: char| c != '`' && !c.is_alphabetic();
    !before.starts_with(b"|") && before.chars().all(is_sign)
}

/// Returns whether the names of a diff, or `diff --git`, are behind whitespace or signs.
fn is_indented_diff(line: NearLine<'_>) -> bool {
    let row = line.row.text;
    let is_mark =
        |text: &[u8], mark: &[u8]| text.find(mark).is_some_and(|at| is_of_signs(&text[..at]));
    let is_first = row.starts_with(b"--- ") || row.starts_with(b"diff --git ");
    !is_first
        && (is_mark(row, b"diff --git a/")
            || is_mark(row, b"--- ")
                && is_mark(line.below(1), b"+++ ")
                && is_mark(line.below(2), b"@@ -"))
}

/// Returns whether a line begins with a tag that names a file by an attribute, and isn't one of OPX.
fn is_file_tag(text: &[u8]) -> bool {
    const ATTRIBUTES: [&str; 5] = ["path=", "file=", "filepath=", "action=", "filename="];
    let Some(tag) = text.strip_prefix(b"<") else {
        return false;
    };
    let tag = &tag[..tag.find_byte(b'>').unwrap_or(tag.len())];
    let mut words = tag.fields();
    let is_name = |name: &[u8]| name.first().is_some_and(u8::is_ascii_alphabetic);
    words.next().is_some_and(is_name)
        && words.any(|word| {
            ATTRIBUTES
                .iter()
                .any(|attribute| starts_with_any_case(word, attribute.as_bytes()))
        })
}

/// Returns whether a line is a file and its hash: `[src/a.py#1A2B]`.
fn is_hashed_section(text: &[u8]) -> bool {
    let inner = text
        .strip_prefix(b"[")
        .and_then(|text| text.strip_suffix(b"]"));
    let parts = inner.and_then(|inner| inner.rsplit_once_str("#"));
    parts.is_some_and(|(path, hash)| {
        let is_path = path.contains(&b'/') || path.contains(&b'.');
        is_path && (2..=8).contains(&hash.len()) && hash.iter().all(u8::is_ascii_alphanumeric)
    })
}

/// How far below a tag that which closes it is looked for, in lines.
const REACH: usize = 50;

/// Returns the name of a tag, if it is that of a tool that writes.
fn writer(tag: &[u8]) -> Option<&str> {
    let name = tag.fields().next()?.to_str().ok()?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic());
    (is_name && is_writer(name)).then_some(name)
}

/// Returns whether a line begins with a tag that has the name of a tool that writes, names a file and
/// is in no such tag. What holds a patch or a call that is read is a wrapper, and `<edit>` is told by
/// itself.
fn is_writing_tag(line: NearLine<'_>) -> bool {
    let inner = line
        .text()
        .strip_prefix(b"<")
        .filter(|_| line.info.is_none());
    let Some((tag, behind)) = inner.and_then(|inner| inner.split_once_str(">")) else {
        return false;
    };
    let around = line
        .tag_end
        .and_then(|end| end.strip_prefix(b"</")?.strip_suffix(b">"));
    let is_inside = around.and_then(writer).is_some();
    let Some(name) = writer(tag).filter(|name| !is_inside && *name != "edit") else {
        return false;
    };
    let close = format!("</{name}>");
    let is_end = |text: &[u8]| text.contains_str(&close);
    let reach = if is_end(behind) { 0 } else { REACH };
    let below = line.source.rows(line.row.number.next()).take(reach);
    let below: Vec<_> = below.take_while(|row| !is_end(row.text)).collect();
    let is_read =
        |row: &Row<'_>| matches!(Line::of(line.source, *row), Line::Patch(..) | Line::Json(_));
    let mut texts = below.iter().map(|row| row.text).chain([tag, behind]);
    texts.any(names_file) && !below.iter().any(is_read)
}

/// Returns whether a text has the name of a file in a tag or as an attribute: `<path>a.py</path>`,
/// `path="a.py"`.
fn names_file(text: &[u8]) -> bool {
    let has = |sign: String| text.contains_str(sign);
    PATH.iter()
        .any(|name| has(format!("<{name}>")) || has(format!(" {name}=\"")))
}

/// How commands begin that change files.
const CHANGERS: [&str; 7] = ["rm ", "mv ", "cp ", "sed -i", "tee ", "git rm ", "git mv "];

/// Returns whether one of the commands in a line of a shell's fence changes files.
fn changes_files(text: &[u8]) -> bool {
    let line = text.strip_prefix(b"$ ").unwrap_or(text);
    commands(line).any(|command| {
        let writes =
            command.starts_with(b"cat ") && command.fields().any(|word| word.starts_with(b">"));
        writes || CHANGERS.iter().any(|begin| command.starts_with_str(begin))
    })
}

/// Splits a line of a shell's fence into its commands, up to a comment. In quotes nothing separates
/// them.
fn commands(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let (mut quote, mut before) = (None, b' ');
    let is_comment = |(byte, before): (u8, u8)| byte == b'#' && before == b' ';
    let mut is_over = false;
    line.split(move |&byte| {
        let last = std::mem::replace(&mut before, byte);
        match quote {
            Some(of) if of == byte => quote = None,
            None if matches!(byte, b'"' | b'\'') && last != b'\\' => quote = Some(byte),
            _ => is_over |= quote.is_none() && is_comment((byte, last)),
        }
        quote.is_none() && !is_over && matches!(byte, b';' | b'&' | b'|')
    })
    .map(|command| command.trim_with(|c| matches!(c, ' ' | '\t' | '(' | '{')))
}
