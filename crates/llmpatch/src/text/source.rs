use std::borrow::Cow;
use std::cmp::Ordering;

use bstr::ByteSlice as _;

use super::lines::each_newline;
use super::{Ending, Line, LineNo, Lines};

/// The number of a source within one run: its position among the responses given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub u16);

/// A response: its name for messages, its bytes, and where its lines start.
#[derive(Debug)]
pub struct Source {
    id: SourceId,
    name: String,
    bytes: Vec<u8>,
    starts: Vec<u32>,
}

impl Source {
    /// The longest response that is read, in bytes: a hundred times as long as models' responses.
    /// Places in it are kept in 32 bits, and what is read of it may take a few times its length.
    pub const MAX_LEN: usize = 64 << 20;

    /// The most lines that a response may have. Each takes some dozens of bytes once it is read,
    /// however short it is, so that as many bytes of newlines would take gigabytes.
    pub const MAX_LINES: usize = 1 << 22;

    /// How many bytes of a line are read to count its characters.
    const COUNTED: usize = 1 << 18;

    /// Makes a source and indexes its lines. Returns `None` if it is longer than
    /// [`Source::MAX_LEN`] or has more than [`Source::MAX_LINES`].
    pub fn new(id: SourceId, name: impl Into<String>, bytes: Vec<u8>) -> Option<Self> {
        if bytes.len() > Self::MAX_LEN {
            return None;
        }
        let mut starts = vec![0];
        each_newline(&bytes, |at| {
            if starts.len() <= Self::MAX_LINES + 1 {
                starts.push(at as u32 + 1);
            }
        });
        if starts.len() > Self::MAX_LINES + 1 {
            return None;
        }
        if starts.len() > 1 && starts.last() == Some(&(bytes.len() as u32)) {
            starts.pop();
        }
        Some(Self {
            id,
            name: name.into(),
            bytes,
            starts,
        })
    }

    /// Returns the number by which spans name this source.
    pub fn id(&self) -> SourceId {
        self.id
    }

    /// Returns the name under which messages point at it, such as `response.txt` or `<stdin>`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns all bytes, a byte order mark included.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns how many lines there are; an empty source has one empty line.
    pub(crate) fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// Returns the bytes of a line without its LF or CRLF, or `None` past the end.
    pub fn line(&self, number: LineNo) -> Option<&[u8]> {
        Some(Line::new(&self.bytes[self.line_start(number)?..self.start_of(number.next())]).text)
    }

    /// Returns a line with its place, without a byte order mark, or `None` past the end.
    pub fn row(&self, number: LineNo) -> Option<Row<'_>> {
        let start = self.line_start(number)?;
        let bom = if start == 0 && self.bytes.starts_with(Lines::BOM) {
            Lines::BOM.len()
        } else {
            0
        };
        let Line { text, ending } =
            Line::new(&self.bytes[start + bom..self.start_of(number.next())]);
        Some(Row {
            number,
            text,
            ending,
            span: self.span(start + bom..start + bom + text.len()),
        })
    }

    /// Returns the lines from one on.
    pub fn rows(&self, from: LineNo) -> impl Iterator<Item = Row<'_>> {
        (from.index()..self.line_count()).filter_map(|index| self.row(LineNo::from_index(index)))
    }

    /// Returns where a part of the bytes is that was cut out of them.
    pub(crate) fn place(&self, part: &[u8]) -> Span {
        let start = part.as_ptr().addr() - self.bytes.as_ptr().addr();
        self.span(start..start + part.len())
    }

    /// Returns the byte offset at which a line starts, or the end of the bytes behind the last.
    pub(crate) fn start_of(&self, number: LineNo) -> usize {
        self.line_start(number).unwrap_or(self.bytes.len())
    }

    /// Returns the line that begins at an offset or, where that is within one, the next.
    pub(crate) fn line_from(&self, offset: usize) -> LineNo {
        let number = self.line_at(offset);
        if self.line_start(number) == Some(offset) && offset < self.bytes.len() {
            number
        } else {
            number.next()
        }
    }

    /// Returns the byte offset at which a line starts, or `None` past the end.
    pub fn line_start(&self, number: LineNo) -> Option<usize> {
        self.starts.get(number.index()).map(|&start| start as usize)
    }

    /// Returns the line that holds a byte offset; an offset past the end is in the last line.
    pub(crate) fn line_at(&self, offset: usize) -> LineNo {
        LineNo::from_index(
            self.starts
                .partition_point(|&start| start as usize <= offset)
                .saturating_sub(1),
        )
    }

    /// Returns line and column, both from 1, of a byte offset. Columns count characters; a byte
    /// that isn't UTF-8 is one, and so is every byte behind the first 256 KiB of its line.
    pub fn position(&self, offset: usize) -> (LineNo, usize) {
        let line = self.line_at(offset);
        let start = self.starts[line.index()] as usize;
        let end = offset.min(self.bytes.len()).max(start);
        // No editor is asked to go that far, and a hundred messages on one line of a gigabyte must
        // not take minutes.
        let counted = end.min(start + Self::COUNTED);
        (
            line,
            self.bytes[start..counted].chars().count() + (end - counted) + 1,
        )
    }

    /// Makes a span of this source from byte offsets.
    pub fn span(&self, range: std::ops::Range<usize>) -> Span {
        debug_assert!(range.start <= range.end && range.end <= self.bytes.len());
        Span {
            source: self.id,
            start: range.start as u32,
            end: range.end as u32,
        }
    }
}

/// A line of a response, or the rest of a line.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Its number.
    pub number: LineNo,
    /// The bytes without the terminator.
    pub text: &'a [u8],
    /// The terminator.
    pub ending: Ending,
    /// Where the text is.
    pub span: Span,
}

impl<'a> Row<'a> {
    /// Returns the offset at which it starts in the response.
    pub fn start(&self) -> usize {
        self.span.start as usize
    }

    /// Returns a part of it, and where that is.
    pub fn part(&self, range: std::ops::Range<usize>) -> Text<'a> {
        let start = self.span.start + range.start as u32;
        let end = self.span.start + range.end as u32;
        Text::at(
            &self.text[range],
            Span {
                start,
                end,
                ..self.span
            },
        )
    }

    /// Returns all of it.
    pub fn whole(&self) -> Text<'a> {
        Text::at(self.text, self.span)
    }

    /// Returns the rest of the row behind its first `count` bytes.
    pub fn behind(self, count: usize) -> Self {
        let span = Span {
            start: self.span.start + count as u32,
            ..self.span
        };
        Self {
            text: &self.text[count..],
            span,
            ..self
        }
    }
}

/// A run of bytes of a response, `start..end`, in offsets from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The response it is in.
    pub source: SourceId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

impl Span {
    /// Returns the smallest span that holds both; both must be of the same source.
    pub fn to(self, other: Span) -> Span {
        debug_assert_eq!(self.source, other.source);
        Span {
            source: self.source,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

/// A value and the place in a response that it is about, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Located<T> {
    /// The place in the response.
    pub span: Option<Span>,
    /// What is said of it.
    pub value: T,
}

impl<T> Located<T> {
    /// Ties a value to a place.
    pub fn new(span: impl Into<Option<Span>>, value: T) -> Self {
        Self {
            span: span.into(),
            value,
        }
    }

    /// Keeps the place and changes the value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Located<U> {
        Located {
            span: self.span,
            value: change(self.value),
        }
    }
}

/// Bytes of a patch: borrowed from the response or owned, and where they are in it. Equality
/// ignores the place, so that a patch that was derived from a change equals the same patch read
/// from text.
#[derive(Clone, Debug, Default)]
pub struct Text<'a> {
    /// The bytes.
    pub bytes: Cow<'a, [u8]>,
    /// Where they are in the response; a derived text is nowhere.
    pub span: Option<Span>,
}

impl<'a> Text<'a> {
    /// Makes a text that is in a response.
    pub fn at(bytes: impl Into<Cow<'a, [u8]>>, span: Span) -> Self {
        Self {
            bytes: bytes.into(),
            span: Some(span),
        }
    }

    /// Returns the same text with bytes of its own.
    pub(crate) fn owned(&self) -> Text<'static> {
        Text {
            bytes: Cow::Owned(self.bytes.to_vec()),
            span: self.span,
        }
    }

    /// Returns the same text with bytes of its own, at another place.
    pub(crate) fn relocated(self, place: &dyn Fn(Span) -> Span) -> Text<'static> {
        Text {
            bytes: Cow::Owned(self.bytes.into_owned()),
            span: self.span.map(place),
        }
    }

    /// Makes a text that is in no response.
    pub fn derived(bytes: impl Into<Cow<'a, [u8]>>) -> Self {
        Self {
            bytes: bytes.into(),
            span: None,
        }
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Text<'_> {}

impl PartialOrd for Text<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bytes.cmp(&other.bytes)
    }
}

impl std::ops::Deref for Text<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source::new(SourceId(0), "a.txt", text.into()).unwrap()
    }

    #[test]
    fn lines_are_bounded() {
        let lines = |count: usize| {
            Source::new(SourceId(0), "a.txt", vec![b'\n'; count]).map(|source| source.line_count())
        };
        assert_eq!(lines(Source::MAX_LINES), Some(Source::MAX_LINES));
        assert_eq!(lines(Source::MAX_LINES + 1), None);
    }

    #[test]
    fn positions_are_from_one_and_count_characters() {
        let text = source("ab\nä€x\n\nend");
        for (offset, line, column) in [
            (0, 1, 1),
            (1, 1, 2),
            (2, 1, 3),
            (3, 2, 1),
            (8, 2, 3),
            (10, 3, 1),
            (11, 4, 1),
            (99, 4, 4),
        ] {
            let (at, col) = text.position(offset);
            assert_eq!((at.get(), col), (line, column), "offset {offset}");
        }
    }

    #[test]
    fn a_line_is_without_its_terminator() {
        let text = source("a\r\nb\rc\n\nd");
        let lines: Vec<_> = (0..)
            .map_while(|i| text.line(LineNo::from_index(i)))
            .collect();
        assert_eq!(lines, [&b"a"[..], b"b\rc", b"", b"d"]);
    }

    #[test]
    fn texts_are_equal_wherever_they_stand() {
        let text = source("x");
        assert_eq!(
            Text::at(&b"x"[..], text.span(0..1)),
            Text::derived(&b"x"[..])
        );
    }
}
