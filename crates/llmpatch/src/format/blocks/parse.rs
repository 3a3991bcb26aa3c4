//! Reads one block, from its first line to its last.

use std::ops::Range;

use super::error::{Error, Warning};
use super::marker::{self, Family, Marker, SEVEN};
use crate::format::fence::Fence;
use crate::format::{Block, InFile, Options, excerpt, unindented};
use crate::patch::{FileEdit, Format, Occurrence, Operation, Substitution, Written};
use crate::text::{LineNo, Located, Row, Source, Span, Text};
use crate::text::{is_blank, trim};

/// The reader of a block.
pub(crate) struct BlockReader<'a, 'o> {
    source: &'a Source,
    options: &'o Options<'o>,
    path: Option<Text<'a>>,
    /// The first line of the block, from its marker on.
    first: Row<'a>,
    /// The lines between the first and the last, without the indentation that the whole block has.
    rows: Vec<Row<'a>>,
    /// The offset behind it.
    end: usize,
    errors: Vec<Located<InFile<Error>>>,
    warnings: Vec<Located<InFile<Warning>>>,
}

impl<'a, 'o> BlockReader<'a, 'o> {
    /// Begins to read a block of a file, if that is known.
    pub(crate) fn new(
        source: &'a Source,
        first: Row<'a>,
        path: Option<Text<'a>>,
        options: &'o Options<'o>,
    ) -> Self {
        Self {
            source,
            options,
            path,
            first,
            rows: Vec::new(),
            end: first.start(),
            errors: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Reads it. Returns also the last line of a section that would close a fence, which then isn't
    /// open any more behind the block.
    pub(crate) fn read(
        mut self,
        indentation: &[u8],
        fence: Option<Fence>,
    ) -> (Block<'a>, Option<Span>) {
        let mut closing = None;
        let mut operation = None;
        if let Some(Marker::Open(family, signs)) = Marker::read(self.first.text)
            && self.rows(indentation, family)
            && let Some(divider) = self.divider(signs)
        {
            let (old, line) = self.head(divider);
            let new = divider + 1..self.rows.len();
            self.numbers_among(old.clone(), new.clone());
            let last = |section: &Range<usize>| self.rows[section.clone()].last();
            closing = [last(&old), last(&new)]
                .into_iter()
                .flatten()
                .find(|row| fence.is_some_and(|fence| fence.is_closed_by(row.text)))
                .map(|row| row.span);
            operation = Some(if old.is_empty() {
                self.create(new)
            } else {
                self.substitute(old, new, line)
            });
        }
        let operation = operation
            .filter(|_| self.errors.is_empty())
            .unwrap_or(Operation::Unreadable);
        let span = self.first.span;
        let mut edits = Vec::new();
        if let Some(path) = self.path {
            // What is said of the edit points at its path, if that is its own.
            let span = path.span.map_or(span, |path| path.to(span));
            edits.push(FileEdit::new(path, operation, Some(span)));
        }
        (
            Block::new(
                Format::Blocks,
                self.first.start()..self.end,
                edits,
                self.errors,
                self.warnings,
            ),
            closing,
        )
    }

    fn error(&mut self, span: Span, what: Error) {
        let path = self.path.as_ref().map(|path| excerpt(path));
        self.errors.push(Located::new(span, InFile { path, what }));
    }

    fn warn(&mut self, span: Span, what: Warning) {
        let path = self.path.as_ref().map(|path| excerpt(path));
        self.warnings
            .push(Located::new(span, InFile { path, what }));
    }

    /// Collects the lines up to the marker at which the block ends, or before another that begins;
    /// returns whether it ends.
    fn rows(&mut self, indentation: &[u8], family: Family) -> bool {
        let mut odd = None;
        let mut before = None;
        self.end = self.source.bytes().len();
        for whole in self.source.rows(self.first.number.next()) {
            let row = unindented(whole, indentation).unwrap_or_else(|| {
                odd.get_or_insert(whole.span);
                whole
            });
            match Marker::read(row.text) {
                Some(Marker::Open(of, _)) if of == family => {
                    (self.end, before) = (whole.start(), Some(row.number));
                    break;
                }
                Some(Marker::End(of, length)) if of == family => {
                    self.end = row.start() + length;
                    odd.into_iter()
                        .for_each(|odd| self.error(odd, Error::Unindented));
                    return true;
                }
                _ => self.rows.push(row),
            }
        }
        let near = self.near(marker::is_nearly_end);
        self.error(
            self.first.span,
            Error::NoEnd {
                family,
                before,
                near,
            },
        );
        false
    }

    /// Returns the first line that is nearly a marker.
    fn near(&self, is_near: fn(&[u8]) -> bool) -> Option<LineNo> {
        self.rows
            .iter()
            .find(|row| is_near(row.text))
            .map(|row| row.number)
    }

    /// Finds the line between old and new lines, by its index; `None` where that isn't clear.
    fn divider(&mut self, signs: usize) -> Option<usize> {
        let (conflicts, mut unclear) = conflicts(&self.rows);
        let all: Vec<usize> = (0..self.rows.len())
            .filter(|index| {
                let owner = conflicts.binary_search_by_key(index, |conflict| conflict.divider);
                divider_length(&self.rows[*index]).is_some() && owner.is_err()
            })
            .collect();
        let chosen = self.only_divider(&all, signs);
        if let Some(chosen) = chosen {
            // One that is cut in two is none.
            let cut = conflicts
                .iter()
                .filter(|conflict| conflict.range.contains(&chosen));
            unclear.extend(cut.map(|conflict| conflict.range.start));
        }
        if let Some(&index) = unclear.iter().min() {
            let row = &self.rows[index];
            let span = row.span;
            let marker = excerpt(row.text);
            self.error(span, Error::Unclear { marker });
            return None;
        }
        let Some(chosen) = chosen else {
            let error = if all.is_empty() {
                Error::NoDivider {
                    near: self.near(marker::is_nearly_divider),
                }
            } else {
                Error::Dividers {
                    lines: all.iter().map(|&index| self.rows[index].number).collect(),
                    is_doubled: all[..] == [self.rows.len() - 2, self.rows.len() - 1],
                }
            };
            let span = all
                .first()
                .map_or(self.first.span, |&first| self.rows[first].span);
            self.error(span, error);
            return None;
        };
        self.doubt_divider(chosen, &all, signs);
        Some(chosen)
    }

    /// Returns the only line of those that may be the divider, or the only one that is as long as
    /// the block's first line.
    fn only_divider(&self, all: &[usize], signs: usize) -> Option<usize> {
        let mut alike = all
            .iter()
            .copied()
            .filter(|&index| divider_length(&self.rows[index]) == Some(signs));
        match (all, alike.next(), alike.next()) {
            ([only], ..) => Some(*only),
            (_, Some(only), None) => Some(only),
            _ => None,
        }
    }

    /// Says why it may be doubted that a line is the divider.
    fn doubt_divider(&mut self, chosen: usize, all: &[usize], opener: usize) {
        let span = self.rows[chosen].span;
        let divider = divider_length(&self.rows[chosen]).unwrap_or(SEVEN);
        if self.options.strict && divider != opener {
            self.error(span, Error::Divider { divider, opener });
        } else if all.len() > 1 {
            let others = all.iter().filter(|index| **index != chosen);
            let lines = others.map(|&index| self.rows[index].number).collect();
            self.warn(span, Warning::Dividers { lines });
        } else if divider != opener {
            self.warn(span, Warning::Divider { divider, opener });
        }
    }

    /// Reads the line numbers before the old lines; returns where these are, and the line that they
    /// are said to begin at.
    fn head(&mut self, divider: usize) -> (Range<usize>, Option<LineNo>) {
        let mut next = 0;
        let mut start = None;
        let mut known: Vec<&[u8]> = Vec::new();
        while next < divider && Marker::read(self.rows[next].text) == Some(Marker::Number) {
            let Row { text, span, .. } = self.rows[next];
            let colon = text
                .iter()
                .skip(1)
                .position(|&byte| byte == b':')
                .map_or(text.len(), |at| at + 2);
            let (name, value) = text.split_at(colon);
            match line_number(value) {
                Some(number) if !known.contains(&name) => {
                    if name == b":start_line:" {
                        start = Some(number);
                    }
                }
                _ => {
                    self.error(
                        span,
                        Error::LineNumber {
                            written: excerpt(trim(text)),
                        },
                    );
                    break;
                }
            }
            known.push(name);
            next += 1;
        }
        let has_rule =
            next > 0 && next < divider && Marker::read(self.rows[next].text) == Some(Marker::Rule);
        (next + usize::from(has_rule)..divider, start)
    }

    /// Refuses line numbers among the new lines; an indented number is refused where it is the
    /// first, and no old line is like it.
    fn numbers_among(&mut self, old: Range<usize>, new: Range<usize>) {
        let is_number = |text: &[u8]| Marker::read(text) == Some(Marker::Number);
        let new = &self.rows[new];
        let first = new.first().filter(|row| {
            let old = &self.rows[old];
            is_number(trim(row.text)) && !old.iter().any(|old| is_number(trim(old.text)))
        });
        let stray = new.iter().find(|row| is_number(row.text)).or(first);
        if let Some((span, written)) = stray.map(|row| (row.span, excerpt(row.text))) {
            self.error(span, Error::StrayNumber { written });
        }
    }

    fn create(&mut self, new: Range<usize>) -> Operation<'a> {
        Operation::Create {
            lines: self.unescaped(new),
            fills_empty: true,
            ends_open: false,
        }
    }

    fn substitute(
        &mut self,
        old: Range<usize>,
        new: Range<usize>,
        line: Option<LineNo>,
    ) -> Operation<'a> {
        let rows = &self.rows[old.clone()];
        if rows.iter().all(|row| is_blank(row.text)) {
            let span = rows[0].span.to(rows[rows.len() - 1].span);
            self.error(span, Error::BlankSearch);
        }
        let is_escaped = self.rows[old.clone()]
            .iter()
            .any(|row| marker::unescaped(row.text).is_some());
        // What the file holds decides then, and whoever looks at it warns.
        let written = is_escaped.then(|| {
            Box::new(Written {
                find: self.rows[old.clone()].iter().map(Row::whole).collect(),
                put: self.rows[new.clone()].iter().map(Row::whole).collect(),
            })
        });
        let find = self.rows[old].iter().map(|row| unescaped(row).0).collect();
        let put = if is_escaped {
            self.rows[new].iter().map(|row| unescaped(row).0).collect()
        } else {
            self.unescaped(new)
        };
        Operation::Substitute(Substitution {
            find,
            put,
            occurrence: Occurrence::Lines(line),
            written,
        })
    }

    /// Returns lines without the backslashes that say that they are text, with a warning if there
    /// are any.
    fn unescaped(&mut self, range: Range<usize>) -> Vec<Text<'a>> {
        let (texts, are_escaped): (Vec<_>, Vec<_>) =
            self.rows[range.clone()].iter().map(unescaped).unzip();
        if let Some(first) = are_escaped.iter().position(|&is_escaped| is_escaped) {
            let span = self.rows[range.start + first].span;
            self.warn(span, Warning::Unescaped);
        }
        texts
    }
}

fn unescaped<'a>(row: &Row<'a>) -> (Text<'a>, bool) {
    match marker::unescaped(row.text) {
        Some(_) => (row.behind(1).whole(), true),
        None => (row.whole(), false),
    }
}

/// Reads a plain number from 1.
pub(crate) fn line_number(text: &[u8]) -> Option<LineNo> {
    let digits = trim(text);
    let is_plain = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let number: usize = std::str::from_utf8(digits)
        .ok()
        .filter(|_| is_plain)?
        .parse()
        .ok()?;
    Some(LineNo::from_index(number.checked_sub(1)?))
}

/// A whole conflict among the lines of a block, by indices.
struct Conflict {
    range: Range<usize>,
    divider: usize,
}

/// Finds the whole conflicts, and the markers that are part of none.
fn conflicts(rows: &[Row<'_>]) -> (Vec<Conflict>, Vec<usize>) {
    let mut whole = Vec::new();
    let mut unclear = Vec::new();
    let mut open: Option<(usize, Vec<usize>)> = None;
    for (index, row) in rows.iter().enumerate() {
        // In a block of the other family, its own markers may be of a conflict, and else are text.
        match Marker::read(row.text) {
            Some(Marker::ConflictStart | Marker::Open(Family::Angles, SEVEN)) => {
                unclear.extend(open.replace((index, Vec::new())).map(|(start, _)| start));
            }
            Some(Marker::Divider(SEVEN)) => {
                if let Some((_, dividers)) = &mut open {
                    dividers.push(index);
                }
            }
            Some(Marker::ConflictEnd | Marker::End(Family::Angles, _)) => match open.take() {
                Some((start, dividers)) if dividers.len() == 1 => {
                    whole.push(Conflict {
                        range: start..index + 1,
                        divider: dividers[0],
                    });
                }
                Some((start, _)) => unclear.push(start),
                None => unclear.push(index),
            },
            _ => {}
        }
    }
    unclear.extend(open.map(|(start, _)| start));
    unclear.retain(|&index| {
        matches!(
            Marker::read(rows[index].text),
            Some(Marker::ConflictStart | Marker::ConflictEnd)
        )
    });
    (whole, unclear)
}

/// Returns how many signs a line has if it may be between old and new lines.
fn divider_length(row: &Row<'_>) -> Option<usize> {
    match Marker::read(row.text) {
        Some(Marker::Divider(length)) => Some(length),
        _ => None,
    }
}
