//! From Begin to End: rows, markers, and the sections between them.

use std::ops::Range;

use bstr::ByteSlice as _;

use super::error::{Error, NearEnd, Warning};
use super::findings::Findings;
use super::marker::{self, Marker, MarkerLine, Meant};
use super::section::Section;
use crate::format::fence::Fence;
use crate::format::{Block, Options, excerpt, unindented};
use crate::patch::{FileEdit, Format, Operation};
use crate::text;
use crate::text::{LineNo, Row, Source, Span, Text};

/// Returns whether a line is a Begin: alone on its line, whitespace around it aside.
pub(crate) fn starts_here(line: &[u8]) -> bool {
    matches!(marker::read(text::trim_start(line)), Some(marked) if marked.marker == Marker::Begin)
}

/// Reads the envelope that begins on a line for which [`starts_here`] holds.
///
/// The whitespace before Begin is the envelope's indentation, which every line of it must have that
/// isn't blank. An envelope that has no End goes to the end of the response and has an error.
pub(crate) fn parse_block<'a>(source: &'a Source, begin: Row<'a>, options: &Options) -> Block<'a> {
    EnvelopeReader::new(source, begin, options).read()
}

struct EnvelopeReader<'a> {
    source: &'a Source,
    begin: Row<'a>,
    indent: &'a [u8],
    strict: bool,
    near_end: Option<(LineNo, NearEnd, Span)>,
    /// The unknown header in which the response ends.
    cut: Option<Span>,
    fence: Option<(LineNo, Span)>,
    section: Section<'a>,
    edits: Vec<FileEdit<'a>>,
    findings: Findings,
}

impl<'a> EnvelopeReader<'a> {
    fn new(source: &'a Source, line: Row<'a>, options: &Options) -> Self {
        let text = text::trim_start(line.text);
        let (indent, _) = line.text.split_at(line.text.len() - text.len());
        let begin = line.behind(indent.len());
        let mut findings = Findings::new(options.strict);
        if marker::read(text).is_some_and(|marked| marked.decorated) {
            findings.warn(
                begin.span,
                Warning::DecoratedMarker {
                    path: None,
                    count: 1,
                },
            );
        }
        findings.end_section(None);
        let section = Section::outside();
        let strict = options.strict;
        Self {
            source,
            begin,
            indent,
            strict,
            near_end: None,
            cut: None,
            fence: None,
            section,
            edits: Vec::new(),
            findings,
        }
    }

    fn read(mut self) -> Block<'a> {
        let mut index = self.begin.number.index() + 1;
        let mut following = self.row(index);
        while let Some((row, is_indented)) = following {
            index += 1;
            following = self.row(index);
            let (row, marked) = self.marked(row, index);
            let Some(marked) = marked else {
                self.look_for_end(row);
                if is_indented {
                    self.section
                        .line(row, following.map(|(next, _)| next), &mut self.findings);
                } else {
                    self.findings.less_indented(row.span, self.begin.number);
                }
                continue;
            };
            let ends = matches!(marked.marker, Marker::End | Marker::EndWithTail(_));
            if ends || matches!(marked.marker, Marker::Header(..)) {
                self.look_for_end(row);
                self.close_section();
            }
            match marked.marker {
                Marker::End => self.decoration(row, marked.decorated),
                Marker::EndWithTail(at) => {
                    let tail = excerpt(text::trim(&row.text[at..]));
                    self.findings.error(row.span, Error::EndWithTail { tail });
                }
                Marker::Header(verb, path) => {
                    self.section = Section::open(verb, row.part(path), row.span, self.strict);
                    self.decoration(row, marked.decorated);
                }
                Marker::Begin => self.nested_begin(row),
                Marker::MoveTo(path) => {
                    self.look_for_end(row);
                    let path = row.part(path);
                    self.section.move_to(path, row, &mut self.findings);
                    self.decoration(row, marked.decorated);
                }
                Marker::EndOfFile => {
                    self.section.end_of_file(row, &mut self.findings);
                    self.decoration(row, marked.decorated);
                }
                Marker::Unknown => {
                    self.look_for_end(row);
                    self.unknown(row);
                }
            }
            if !is_indented {
                self.findings.less_indented(row.span, self.begin.number);
            }
            if ends {
                return self.finish(LineNo::from_index(index));
            }
        }
        self.cut_off(LineNo::from_index(index))
    }

    /// Returns the row at an index without its indentation, and whether it has that of its
    /// envelope.
    fn row(&self, index: usize) -> Option<(Row<'a>, bool)> {
        let row = self.source.row(LineNo::from_index(index))?;
        if let Some(whole) = unindented(row, self.indent) {
            return Some((whole, true));
        }
        let common = row.text.iter().zip(self.indent);
        let common = common.take_while(|(a, b)| a == b).count();
        Some((row.behind(common), false))
    }

    /// Reads a row as a marker, which may have whitespace before it where no line of a file can
    /// be meant: before the first header, and in a delete body. An End may have whitespace before
    /// it in a new file, too; a header there may be a line that lost its `+`. `next` is the index
    /// of the row after it.
    fn marked(&mut self, row: Row<'a>, next: usize) -> (Row<'a>, Option<MarkerLine>) {
        let bare = row.behind(row.text.len() - text::trim_start(row.text).len());
        let read = marker::read(bare.text);
        let is_plain = bare.text.len() == row.text.len();
        let is_meant = is_plain
            || match read.as_ref().map(|read| &read.marker) {
                Some(Marker::Header(..)) => !self.section.may_hold_indented(),
                Some(Marker::End) => {
                    !self.section.takes_context()
                        || self.is_last(next) && self.section.may_end_at(row)
                }
                _ => false,
            };
        if !is_meant {
            return (row, None);
        }
        if !is_plain {
            let path = self.section.path();
            self.findings
                .warn(bare.span, Warning::IndentedMarker { path, count: 1 });
        }
        (bare, read)
    }

    /// Returns whether the patch may well end before a row: neither a marker nor a line of a chunk
    /// follows, only empty lines, the end of a fence or a heredoc, and prose.
    fn is_last(&self, index: usize) -> bool {
        let rows = || (index..).map_while(|index| self.row(index).map(|(row, _)| row));
        let is_of_chunk =
            |row: Row<'_>| matches!(row.text.first(), Some(b' ' | b'-' | b'+' | b'@'));
        let first = rows().find(|row| !text::is_blank(row.text));
        !first.is_some_and(is_of_chunk)
            && !rows().any(|row| marker::read(text::trim_start(row.text)).is_some())
    }

    /// Remembers a line that looks like the End but isn't, and the first Markdown fence: if no End
    /// comes, they say why.
    fn look_for_end(&mut self, row: Row<'a>) {
        let text = text::trim(row.text);
        if let Some(before) = text.strip_suffix(b"*** End Patch") {
            let near = if before.is_empty() {
                NearEnd::Indented
            } else {
                NearEnd::Glued
            };
            let end = row.span.start as usize + text::trim_end(row.text).len();
            let span = self.source.span(end - b"*** End Patch".len()..end);
            self.near_end = Some((row.number, near, span));
        }
        if self.fence.is_none() && Fence::begins(row.text) {
            self.fence = Some((row.number, row.span));
        }
    }

    fn decoration(&mut self, row: Row<'a>, decorated: bool) {
        if decorated {
            let path = self.section.path();
            self.findings
                .warn(row.span, Warning::DecoratedMarker { path, count: 1 });
        }
    }

    /// A patch whose End was forgotten, or two Begins: the sections after it are read as if the End
    /// was before it.
    fn nested_begin(&mut self, row: Row<'a>) {
        if !self.section.is_outside() {
            self.close_section();
        }
        let near = self.near_end.take().map(|(line, near, _)| (line, near));
        let is_repeated = self.section.is_outside() && self.edits.is_empty();
        let first = self.begin.number;
        self.findings.bad_line(row.span, || Error::NestedBegin {
            first,
            near,
            is_repeated,
            more: None,
        });
    }

    /// A header in other words opens a section that can't be read, so that its lines aren't blamed
    /// on the section before; the paths that it names are in an unknown state from there on.
    fn unknown(&mut self, row: Row<'a>) {
        let colon = row.text.find_byte(b':').map_or(row.text.len(), |at| at + 1);
        let header = excerpt(text::trim(&row.text[..colon]));
        if header == "*** Environment ID:" && self.section.is_outside() && self.edits.is_empty() {
            self.findings.warn(row.span, Warning::Environment);
            return;
        }
        let meant = marker::meant(row.text);
        if meant == Some(Meant::End) {
            self.near_end = Some((row.number, NearEnd::Misspelt, row.span));
        } else if row.span.end as usize == self.source.bytes().len() {
            // The response is cut off within it, which is told of the patch.
            self.cut = Some(row.span);
        }
        let error = Error::UnknownHeader { header, meant };
        if !matches!(
            meant,
            Some(Meant::Header(_) | Meant::Rename | Meant::Replace)
        ) {
            self.section.skip_rest();
            self.findings.error(row.span, error);
            return;
        }
        // If it is written in place of the change of the section before, that one lacks nothing
        // else.
        let is_its_change = self.section.has_no_change();
        if is_its_change {
            self.findings.error(row.span, error.clone());
        }
        self.close_section();
        self.section = Section::skipped();
        for path in paths(row.text, colon) {
            self.edits.push(unreadable(row.part(path), row.span));
        }
        if !is_its_change {
            self.findings.error(row.span, error);
        }
    }

    /// Turns the section that ends here into an edit.
    fn close_section(&mut self) {
        let section = std::mem::replace(&mut self.section, Section::outside());
        let path = section.path();
        if let Some((path, span)) = section.name.clone() {
            let (operation, destination) = section.finish(&mut self.findings);
            self.edits.push(FileEdit::new(path, operation, Some(span)));
            self.edits
                .extend(destination.map(|destination| unreadable(destination, span)));
        }
        self.findings.end_section(path);
    }

    fn finish(mut self, end: LineNo) -> Block<'a> {
        self.close_section();
        self.block(end)
    }

    /// There was no End. What was found wrong behind the place where it should have been isn't
    /// reported.
    fn cut_off(mut self, end: LineNo) -> Block<'a> {
        let path = self.section.path();
        let begin = self.begin.number;
        if let Some(destination) = self.section.destination() {
            self.edits.push(unreadable(destination, self.begin.span));
        }
        if let Some((path, span)) = self.section.name.take() {
            self.edits.push(unreadable(path, span));
        }
        self.findings.end_section(None);
        let (span, near, fence) = match (self.near_end, self.fence) {
            (Some((line, near, span)), _) => {
                self.findings.forget_from(span.start);
                (span, Some((line, near)), None)
            }
            (None, Some((line, span))) => {
                self.findings.forget_from(span.start);
                (self.begin.span, None, Some(line))
            }
            (None, None) => {
                self.cut.inspect(|cut| self.findings.forget_from(cut.start));
                (self.begin.span, None, None)
            }
        };
        self.findings.error(
            span,
            Error::Truncated {
                begin,
                path,
                near,
                fence,
            },
        );
        self.block(end)
    }

    fn block(self, end: LineNo) -> Block<'a> {
        let range = self.begin.start()..self.source.start_of(end);
        let (errors, warnings) = self.findings.into_parts();
        Block::new(Format::Envelope, range, self.edits, errors, warnings)
    }
}

fn unreadable<'a>(path: Text<'a>, span: Span) -> FileEdit<'a> {
    FileEdit::new(path, Operation::Unreadable, Some(span))
}

/// Returns the places of the paths in what follows an unknown header: one, or two with an arrow
/// between them.
fn paths(text: &[u8], from: usize) -> impl Iterator<Item = Range<usize>> {
    let rest = &text[from..];
    let arrow = [" -> ", " => ", " to "]
        .into_iter()
        .find_map(|arrow| Some((rest.find(arrow)?, arrow.len())));
    let parts = match arrow {
        Some((at, len)) => [from..from + at, from + at + len..text.len()],
        None => [from..text.len(), 0..0],
    };
    parts
        .map(|range| {
            let end = range.start + text::trim_end(&text[range.clone()]).len();
            end - text::trim_start(&text[range.start..end]).len()..end
        })
        .into_iter()
        .filter(|range| !range.is_empty())
}
