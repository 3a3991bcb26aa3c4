//! Tags around blocks, as the tools of Cline and Roo have them: `<replace_in_file>`, `<apply_diff>`
//! and what is in them.

use bstr::ByteSlice as _;

use crate::format::blocks::Error;
use crate::format::blocks::parse::line_number;
use crate::format::excerpt;
use crate::patch::{FileEdit, Format, Occurrence, Operation};
use crate::response::parts::What;
use crate::text::trim;
use crate::text::{LineNo, Source, Span, Text};

/// The tags that blocks may be in.
const TOOLS: [&str; 2] = ["replace_in_file", "apply_diff"];
const PARTS: [&str; 4] = ["args", "file", "diff", "content"];
/// Tags that change files, or may do so, and can't be read.
const OTHERS: [&str; 6] = [
    "write_to_file",
    "insert_content",
    "search_and_replace",
    "invoke",
    "function",
    "old_text",
];

/// How many tags may be open, one inside the other.
const DEEPEST: usize = 16;

/// The tags that are open, and what was in them.
#[derive(Debug, Default)]
pub(super) struct Tags<'a> {
    /// The innermost last.
    open: Vec<(&'static str, Span)>,
    /// The `<path>` of the tag that is open. Several blocks share it, so that none is where it is.
    pub(super) path: Option<Text<'a>>,
    /// The `<path>` or `<start_line>` whose text is on lines of its own, and that text.
    waiting: Option<(&'static str, Span, Option<&'a [u8]>)>,
    /// The `<start_line>` of the `<diff>` that is open, and how many blocks are in it.
    start: Option<LineNo>,
    blocks: usize,
    /// The line that was just said, and how many blocks begin there.
    said: Option<(LineNo, usize)>,
}

impl<'a> Tags<'a> {
    /// Notes that a block is in them; returns the line that it is said to begin at.
    pub(super) fn block(&mut self) -> Option<LineNo> {
        self.blocks += 1;
        self.start
    }

    /// Returns the line that a tag behind blocks said they begin at, once, and how many blocks these are.
    pub(super) fn said_line(&mut self) -> Option<(LineNo, usize)> {
        self.said.take()
    }

    /// Returns the error that the outermost tag is not closed.
    pub(super) fn unclosed(&self) -> Option<(What<'a>, Span)> {
        let waiting = self.waiting.map(|(tag, span, _)| (tag, span));
        let open = self.open.first().copied().or(waiting);
        open.map(|(tag, span)| wrong(span, Error::OpenTag { tag }))
    }

    /// Reads a line of tags; returns whether it is one.
    pub(super) fn line(
        &mut self,
        source: &'a Source,
        line: &'a [u8],
        found: &mut Vec<(What<'a>, Span)>,
    ) -> bool {
        let mut rest = trim(line);
        let mut any = false;
        if let Some(behind) = self.wait(source, rest, found) {
            (rest, any) = (trim(behind), true);
        }
        while !rest.is_empty() {
            if let Some(behind) = without_cdata(rest) {
                (rest, any) = (trim(behind), any || !self.open.is_empty());
                continue;
            }
            let Some((tag, closes, mut behind)) = tag(rest) else {
                break;
            };
            let span = source.place(&rest[..rest.len() - behind.len()]);
            if OTHERS.contains(&tag) {
                any = true;
                if !closes {
                    found.push(wrong(span, Error::Tool { tag }));
                }
            } else if closes {
                any |= self.close(tag, found);
            } else if self.open.is_empty() && !TOOLS.contains(&tag) {
                break;
            } else if tag == "path" || tag == "start_line" {
                any = true;
                let close = format!("</{tag}>");
                if trim(behind).is_empty() {
                    self.waiting = Some((tag, span, None));
                    break;
                }
                let Some((value, after)) = behind.split_once_str(&close) else {
                    found.push(wrong(span, Error::OpenTag { tag }));
                    break;
                };
                behind = after;
                self.value(source, tag, trim(value), found);
            } else {
                any = true;
                self.begin(tag, span);
            }
            rest = trim(behind);
        }
        any
    }

    /// Takes in the text of a `<path>` or `<start_line>`.
    fn value(
        &mut self,
        source: &'a Source,
        tag: &str,
        value: &'a [u8],
        found: &mut Vec<(What<'a>, Span)>,
    ) {
        if tag == "path" {
            self.path = Some(Text::derived(value));
        } else {
            self.start_line(value, source.place(value), found);
        }
    }

    /// Reads a line behind a tag whose text is on lines of its own; returns what is behind its
    /// closing tag, or nothing of the line.
    fn wait(
        &mut self,
        source: &'a Source,
        line: &'a [u8],
        found: &mut Vec<(What<'a>, Span)>,
    ) -> Option<&'a [u8]> {
        let (tag, span, known) = self.waiting.take()?;
        let close = format!("</{tag}>");
        match (line.split_once_str(&close), known) {
            (Some((before, behind)), _) => {
                let before = trim(before);
                let value = if before.is_empty() {
                    known
                } else {
                    Some(before)
                };
                self.value(source, tag, value.unwrap_or_default(), found);
                Some(behind)
            }
            (None, None) => {
                self.waiting = Some((tag, span, Some(line)));
                Some(b"")
            }
            (None, Some(_)) => {
                found.push(wrong(span, Error::OpenTag { tag }));
                None
            }
        }
    }

    fn begin(&mut self, tag: &'static str, span: Span) {
        if TOOLS.contains(&tag) || tag == "file" {
            self.path = None;
        }
        if tag == "diff" {
            (self.start, self.blocks) = (None, 0);
        }
        if self.open.len() < DEEPEST {
            self.open.push((tag, span));
        }
    }

    /// Closes a tag, and finds tags in it that aren't closed. Returns whether it was open.
    fn close(&mut self, tag: &str, found: &mut Vec<(What<'a>, Span)>) -> bool {
        let Some(index) = self.open.iter().rposition(|(open, _)| *open == tag) else {
            return false;
        };
        let open = self.open.split_off(index).into_iter().skip(1);
        found.extend(
            open.take(1)
                .map(|(tag, span)| wrong(span, Error::OpenTag { tag })),
        );
        if TOOLS.contains(&tag) || tag == "file" {
            self.path = None;
        }
        if tag == "diff" || TOOLS.contains(&tag) {
            (self.start, self.blocks) = (None, 0);
        }
        true
    }

    /// Reads the line at which the blocks before begin that are in this tag, too, where they don't
    /// say themselves.
    fn start_line(&mut self, value: &[u8], place: Span, found: &mut Vec<(What<'a>, Span)>) {
        let Some(line) = line_number(value) else {
            return found.push(wrong(
                place,
                Error::LineNumber {
                    written: excerpt(value),
                },
            ));
        };
        (self.start, self.said) = (Some(line), Some((line, self.blocks)));
    }
}

/// Takes the beginning or the end of a CDATA section away.
fn without_cdata(text: &[u8]) -> Option<&[u8]> {
    text.strip_prefix(b"<![CDATA[")
        .or_else(|| text.strip_prefix(b"]]>"))
}

/// Reads a tag that is known: its name, whether it closes, and what is behind it.
fn tag(text: &[u8]) -> Option<(&'static str, bool, &[u8])> {
    let inner = text.strip_prefix(b"<")?;
    let (inner, closes) = inner
        .strip_prefix(b"/")
        .map_or((inner, false), |inner| (inner, true));
    let all = TOOLS
        .iter()
        .chain(&PARTS)
        .chain(&OTHERS)
        .chain(&["path", "start_line"]);
    all.filter_map(|name| Some((*name, inner.strip_prefix(name.as_bytes())?)))
        .find_map(|(name, behind)| {
            // A call is `<function=name>`; `<function>` is prose.
            let (separator, is_whole) = if name == "function" {
                (b'=', closes)
            } else {
                (b' ', true)
            };
            match *behind.first()? {
                b'>' if is_whole => Some((name, closes, &behind[1..])),
                byte if byte == separator => behind
                    .find_byte(b'>')
                    .map(|end| (name, closes, &behind[end + 1..])),
                _ => None,
            }
        })
}

/// Returns whether a text is nothing but tags that are known, and what is in `<path>` and
/// `<start_line>`.
pub(super) fn are_all(mut text: &[u8]) -> bool {
    while let Some((name, _, behind)) = tag(text) {
        text = match name {
            "path" | "start_line" => behind
                .find_byte(b'>')
                .map_or(behind, |end| &behind[end + 1..]),
            _ => behind,
        };
        text = without_cdata(trim(text)).unwrap_or(trim(text));
    }
    text.is_empty()
}

/// Sets the line at which an edit begins, if it has none of its own.
pub(super) fn begin_at(edit: &mut FileEdit<'_>, line: LineNo) {
    if let Operation::Substitute(substitution) = &mut edit.operation
        && substitution.occurrence == Occurrence::Lines(None)
    {
        substitution.occurrence = Occurrence::Lines(Some(line));
    }
}

/// Makes an error of something around blocks.
pub(super) fn wrong<'a>(span: Span, error: Error) -> (What<'a>, Span) {
    (What::Loss(Format::Blocks, error.into()), span)
}
