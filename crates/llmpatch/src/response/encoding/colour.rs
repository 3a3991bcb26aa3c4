//! The colours of a terminal.
//!
//! # Which colour codes are a tool's
//!
//! A file can hold escape sequences of its own, and lines that are added to it hold them too. The
//! codes of a text are a tool's if a tool coloured a line's first character: a header of a diff or
//! an envelope begins with a code, or a line below such a header does (no uncoloured line of a hunk
//! can). Otherwise they are content ([`Coloured::No`]), whichever lines have them. So are the codes
//! in patches of formats that no tool colours: OPX, blocks, calls and files.
//!
//! A tool colours every header and every removed or added line, and it colours them in a way that
//! can be told from content: colours are not nested, and a colour starts before a line's sign,
//! right behind it, or before the whitespace at the line's end (git shows whitespace errors so). A
//! patch in which all lines are so is [`Coloured::Whole`]. Whatever departs is
//! [`Coloured::Partly`]: a header or a changed line without codes, a code in the midst of a hunk's
//! line (the file's own, or a word diff's), a coloured line without a sign in a hunk (a word
//! diff's), context lines of which some begin with a colour and others don't.

use std::ops::Range;

use bstr::ByteSlice as _;

use super::mail::{lines, splice};
use crate::text::Splice;

/// Colour codes (SGR escape sequences, `\x1b[…m`, and `\x1b[K`) of a patch.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Coloured {
    /// No tool coloured the patch.
    No,
    /// All lines that a coloured diff would colour have codes: the edits take them off.
    Whole(Vec<Splice>),
    /// Only some lines have codes, or some codes may be a file's own.
    Partly {
        /// The first line or code that says so.
        at: usize,
    },
}

/// Where a line of a patch is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DiffState {
    Outside,
    Header,
    Hunk,
}

/// Looks for colour codes in a text: of a response, or a part of it. What is in `payloads`, ranges
/// in order, is content.
pub(crate) fn colours(text: &[u8], payloads: &[Range<usize>]) -> Coloured {
    if text.find(b"\x1b[").is_none() {
        return Coloured::No;
    }
    let mut payloads = payloads.iter().peekable();
    let (mut edits, mut is_coloured, mut odd) = (Vec::new(), false, None);
    let (mut place, mut context) = (DiffState::Outside, None);
    for range in lines(text, 0..text.len()) {
        while payloads
            .next_if(|payload| payload.end <= range.start)
            .is_some()
        {}
        if payloads
            .peek()
            .is_some_and(|payload| payload.contains(&range.start))
        {
            (place, context) = (DiffState::Outside, None);
            continue;
        }
        let line = Painted::new(&text[range.clone()]);
        place = place_of(&line.bare, place);
        let leads = line.codes.first().is_some_and(|code| code.start == 0);
        is_coloured |= leads && place != DiffState::Outside;
        let found = odd_code(&line, place, &mut context);
        odd = odd.or(found.map(|at| range.start + at));
        for code in line.codes {
            let code = range.start + code.start..range.start + code.end;
            edits.push(splice(code, Vec::new()));
        }
    }
    match odd {
        _ if !is_coloured => Coloured::No,
        Some(at) => Coloured::Partly { at },
        None => Coloured::Whole(edits),
    }
}

/// Returns where a line is, by what it holds beside codes and where the line before it is.
fn place_of(bare: &[u8], before: DiffState) -> DiffState {
    let starts_with = |start: &&str| bare.starts_with(start.as_bytes());
    let line = bare.trim_end_with(|c| matches!(c, '\r' | '\n'));
    if line == b"-- "
        || ["*** End Patch", "```", "commit ", "From "]
            .iter()
            .any(starts_with)
    {
        DiffState::Outside
    } else if ["@@", "*** "].iter().any(starts_with) {
        DiffState::Hunk
    } else if starts_with(&"diff --") || before == DiffState::Outside && starts_with(&"--- ") {
        DiffState::Header
    } else {
        before
    }
}

/// A line of which codes are known.
struct Painted<'l> {
    line: &'l [u8],
    codes: Vec<Range<usize>>,
    /// The line without codes.
    bare: Vec<u8>,
}

impl<'l> Painted<'l> {
    fn new(line: &'l [u8]) -> Self {
        let codes: Vec<_> = memchr::memchr_iter(0x1b, line)
            .filter_map(|at| Some(at..at + code_length(&line[at..])?))
            .collect();
        let (mut bare, mut at) = (Vec::with_capacity(line.len()), 0);
        for code in &codes {
            bare.extend_from_slice(&line[at..code.start]);
            at = code.end;
        }
        bare.extend_from_slice(&line[at..]);
        Self { line, codes, bare }
    }

    /// Returns whether a code sets a colour, rather than going back to the terminal's.
    fn sets(&self, code: &Range<usize>) -> bool {
        let parameters = &self.line[code.start + 2..code.end - 1];
        self.line[code.end - 1] == b'm'
            && !parameters
                .split_str(";")
                .all(|parameter: &[u8]| matches!(parameter, b"" | b"0" | b"00" | b"39" | b"49"))
    }

    /// Returns the first code of a hunk's line that no tool puts there.
    fn own_code(&self) -> Option<usize> {
        // How much of the bare line is the sign with whitespace behind it, and all but the
        // whitespace at its end.
        let text = self.bare.get(1..).unwrap_or_default();
        let start = 1 + text.len() - text.trim_start().len();
        let end = self.bare.trim_end().len();
        let (mut leads, mut is_set, mut in_codes) = (false, false, 0);
        // Whether no colour was set and no text was seen.
        let mut is_plain = true;
        for code in &self.codes {
            let before = code.start - in_codes;
            in_codes += code.len();
            if self.line[code.end - 1] == b'K' {
                continue;
            }
            let sets = self.sets(code);
            let fits = if sets {
                !is_set && (before == 0 || before >= end || leads && before <= start)
            } else {
                let is_short = before <= 1 && code.len() == b"\x1b[m".len();
                is_set || before == 0 || is_plain && (is_short || before >= end)
            };
            if !fits {
                return Some(code.start);
            }
            leads |= sets && before == 0;
            is_set = sets;
            is_plain &= !sets && before <= 1;
        }
        None
    }
}

/// Returns how long the code is that a text begins with.
fn code_length(text: &[u8]) -> Option<usize> {
    let parameters = text.strip_prefix(b"\x1b[")?;
    let end = parameters
        .iter()
        .position(|byte| !byte.is_ascii_digit() && !b";:".contains(byte))?;
    matches!(parameters[end], b'm' | b'K').then_some(end + 3)
}

/// Returns the offset in a line at which it isn't as in a patch that is coloured as a whole.
/// `context` is whether context lines begin with a colour.
fn odd_code(line: &Painted<'_>, place: DiffState, context: &mut Option<bool>) -> Option<usize> {
    let first = line.bare.first()?;
    let is_header = ["@@", "diff --", "*** "]
        .iter()
        .any(|start| line.bare.starts_with(start.as_bytes()));
    let is_changed = matches!(first, b'-' | b'+');
    let mut setting = line.codes.iter().filter(|code| line.sets(code));
    if place == DiffState::Outside && !line.bare.starts_with(b"*** End Patch") {
        None
    } else if is_header || is_changed {
        if line.codes.is_empty() {
            return Some(0);
        }
        (place == DiffState::Hunk && is_changed)
            .then(|| line.own_code())
            .flatten()
    } else if place == DiffState::Header || line.bare.trim().is_empty() {
        None
    } else if *first == b' ' {
        let leads = setting.next().is_some_and(|code| code.start == 0);
        if *context.get_or_insert(leads) != leads {
            return Some(0);
        }
        line.own_code()
    } else if *first == b'\\' {
        None
    } else {
        setting.next().map(|code| code.start)
    }
}
