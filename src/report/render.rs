//! Draws a headline and a marked line in the manner of rustc. The drawing crate is used here and
//! nowhere else.
//!
//! The crate is given text that is safe and already fits: what it would do itself to control
//! characters and long lines is neither git's way nor meant for hostile input. It is also told
//! where a place is rather than left to count, since what is drawn isn't what is in the file.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::renderer::Renderer;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Snippet};
use bstr::ByteSlice as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::human::Style;
use super::wrap::wrap;
use llmpatch::report::Place;
use llmpatch::text::{Excerpt, LineNo, Shown};

/// How a part of a message is introduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Error,
    Warning,
    Note,
    Help,
}

/// A part of a message: a headline, and below it, if there is one, the place that it is about.
pub(super) struct MessagePart<'d> {
    tone: Tone,
    id: Option<&'d str>,
    text: String,
    place: Option<Cow<'d, Place>>,
}

impl<'d> MessagePart<'d> {
    pub(super) fn new(tone: Tone, text: String) -> Self {
        Self {
            tone,
            id: None,
            text,
            place: None,
        }
    }

    /// Puts something in brackets behind the first word of the headline.
    pub(super) fn id(self, id: &'d str) -> Self {
        Self {
            id: Some(id),
            ..self
        }
    }

    pub(super) fn at(self, place: Option<Cow<'d, Place>>) -> Self {
        Self { place, ..self }
    }

    fn level(&self) -> (&'static str, Level<'static>) {
        match self.tone {
            Tone::Error => ("error", Level::ERROR),
            Tone::Warning => ("warning", Level::WARNING),
            Tone::Note => ("note", Level::NOTE),
            Tone::Help => ("help", Level::HELP),
        }
    }

    /// Returns the lines to show, each with the lines that they are under, in order.
    fn lines(&self) -> Vec<QuotedLine<'_>> {
        let mut lines: Vec<QuotedLine<'_>> = Vec::new();
        let Some(place) = &self.place else {
            return lines;
        };
        for quote in std::iter::once(&place.first).chain(&place.more) {
            let heading = quote.heading.iter().map(|(number, excerpt)| QuotedLine {
                number: *number,
                excerpt,
                label: None,
            });
            let quoted = QuotedLine {
                number: quote.line,
                excerpt: &quote.excerpt,
                label: Some(&quote.label),
            };
            for line in heading.chain([quoted]) {
                // Several lines may be under one.
                if lines.last().is_none_or(|last| last.number < line.number) {
                    lines.push(line);
                }
            }
        }
        lines
    }
}

/// A line to be shown.
struct QuotedLine<'d> {
    number: LineNo,
    excerpt: &'d Excerpt,
    /// What is said below its mark; `None` if nothing in it is marked.
    label: Option<&'d str>,
}

/// Draws a message. Ends with a newline.
pub(super) fn draw(parts: &[MessagePart<'_>], style: Style) -> String {
    let lines = parts.iter().flat_map(MessagePart::lines);
    let digits = lines.map(|line| line.number.to_string().len()).max();
    let drawing = Drawing {
        style,
        gutter: digits.unwrap_or(1) + 3,
    };
    let renderer = if style.colored {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    // Below the first group, if others follow, the crate draws a rule. There is nothing in this one.
    let first = Group::with_level(Level::NOTE);
    let groups = parts.iter().flat_map(|part| drawing.groups(part));
    let groups: Vec<_> = std::iter::once(first).chain(groups).collect();
    let drawn = renderer.term_width(Drawing::UNBOUNDED).render(&groups);
    drawn.trim_start_matches('\n').to_owned() + "\n"
}

/// What parts of a message are drawn in.
struct Drawing {
    style: Style,
    /// How many columns are left of the lines.
    gutter: usize,
}

impl Drawing {
    /// The widest that the drawing crate may ever think a line is: it must not cut what has been
    /// cut here.
    const UNBOUNDED: usize = 1 << 20;
    /// The narrowest room for code or words, however narrow the terminal.
    const MIN_ROOM: usize = 24;

    /// Returns the headline with the name of its place, and the lines that follow each other.
    fn groups<'p>(&self, part: &'p MessagePart<'_>) -> Vec<Group<'p>> {
        let (name, level) = part.level();
        let text = self.headline(part, name);
        let title = match part.tone {
            Tone::Error | Tone::Warning => level.clone().primary_title(text),
            Tone::Note | Tone::Help => level.clone().secondary_title(text),
        };
        let title = match part.id {
            Some(id) => title.id(id),
            None => title,
        };
        let Some(place) = &part.place else {
            return vec![Group::with_title(title)];
        };
        let origin = Origin::path(Shown(&place.file).to_string())
            .line(place.line().get() as usize)
            .char_column(place.column);
        let lines = part.lines();
        let runs = lines.chunk_by(|one, next| one.number.index() + 1 == next.number.index());
        let runs = runs.map(|run| Group::with_level(level.clone()).element(self.snippet(run)));
        std::iter::once(title.element(origin)).chain(runs).collect()
    }

    /// Breaks a headline where a terminal has no room for it.
    fn headline(&self, part: &MessagePart<'_>, name: &str) -> String {
        if !self.style.is_terminal {
            return part.text.clone();
        }
        let id = part.id.map_or(0, |id| id.len() + 2);
        let room = self.style.width.saturating_sub(name.len() + id + 2);
        let lines = part.text.lines().map(|line| {
            let indent = line.len() - line.trim_start().len();
            wrap(line, room.max(Self::MIN_ROOM), indent, indent)
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Returns lines that follow each other, as they are drawn.
    fn snippet(
        &self,
        run: &[QuotedLine<'_>],
    ) -> Snippet<'static, annotate_snippets::Annotation<'static>> {
        let room = self.style.width.saturating_sub(self.gutter);
        let mut source = String::new();
        let mut annotations = Vec::new();
        for QuotedLine { excerpt, label, .. } in run {
            let label = label.map(|label| Shown(label.as_bytes()).to_string());
            let wide = label.as_deref().map_or(0, |label| match label.width() {
                0 => 0,
                wide => wide + 1,
            });
            let Drawn { text, mark } =
                draw_excerpt(excerpt, room.saturating_sub(wide).max(Self::MIN_ROOM));
            if let Some(label) = label {
                let label = Some(label).filter(|label| !label.is_empty());
                let label = label.map(|label| self.label(&label, &text[..mark.end]));
                let span = source.len() + mark.start..source.len() + mark.end;
                annotations.push(AnnotationKind::Primary.span(span).label(label));
            }
            source += &text;
            source.push('\n');
        }
        Snippet::source(source)
            .line_start(run[0].number.get() as usize)
            .fold(false)
            .annotations(annotations)
    }

    /// Breaks a label where a terminal has no room for it, behind the mark.
    fn label(&self, label: &str, before: &str) -> String {
        if !self.style.is_terminal {
            return label.to_owned();
        }
        let wide = before.chars().map(|c| {
            if c == '\t' {
                TAB
            } else {
                c.width().unwrap_or(1)
            }
        });
        let from = self.gutter + wide.sum::<usize>() + 1;
        let line = " ".repeat(from) + label;
        wrap(&line, self.style.width, self.gutter, from).split_off(from)
    }
}

/// An excerpt as it is drawn: safe text that fits, and the marked bytes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Drawn {
    text: String,
    mark: Range<usize>,
}

/// How many columns the drawing crate gives a tab.
const TAB: usize = 4;
const ELLIPSIS: &str = "...";

/// Escapes what mustn't reach a terminal and cuts what doesn't fit into `room` columns, the mark's
/// start in view.
fn draw_excerpt(excerpt: &Excerpt, room: usize) -> Drawn {
    let pieces = pieces(excerpt.text());
    let (mark_in_text, (cut_before, cut_after)) = (excerpt.mark(), excerpt.is_cut());
    let column = |byte: usize| pieces.partition_point(|piece| piece.start < byte);
    let first = column(mark_in_text.start);
    let end = column(mark_in_text.end);
    let window = window(&pieces, first..end, room, (cut_before, cut_after));

    let mut drawn = Drawn {
        text: String::new(),
        mark: 0..0,
    };
    if window.start > 0 || cut_before {
        drawn.text.push_str(ELLIPSIS);
    }
    for (index, piece) in pieces
        .iter()
        .enumerate()
        .take(window.end)
        .skip(window.start)
    {
        if index == first {
            drawn.mark.start = drawn.text.len();
        }
        drawn.text.push_str(&piece.shown);
        if index < end {
            drawn.mark.end = drawn.text.len();
        }
    }
    if first >= window.end {
        drawn.mark.start = drawn.text.len();
    }
    drawn.mark.end = drawn.mark.end.max(drawn.mark.start);
    if window.end < pieces.len() || cut_after {
        drawn.text.push_str(ELLIPSIS);
    }
    drawn
}

/// Splits the text into what is shown as one: a character, or the escape of a byte or of a
/// character.
fn pieces(text: &[u8]) -> Vec<Glyph> {
    let pieces = text.char_indices().map(|(start, end, c)| {
        let shown = match &text[start..end] {
            b"\t" => "\t".to_owned(),
            bytes => Shown(bytes).to_string(),
        };
        let width = match shown.as_str() {
            "\t" => TAB,
            shown if shown.chars().eq([c]) => c.width().unwrap_or(1),
            shown => shown.len(),
        };
        Glyph {
            start,
            shown,
            width,
        }
    });
    pieces.collect()
}

struct Glyph {
    start: usize,
    shown: String,
    width: usize,
}

/// Chooses which pieces to show: all if they fit, else from the left as long as some of the mark
/// can be seen, else from a little before the mark.
fn window(
    pieces: &[Glyph],
    mark: Range<usize>,
    room: usize,
    (before, after): (bool, bool),
) -> Range<usize> {
    let width = |range: Range<usize>| pieces[range].iter().map(|piece| piece.width).sum::<usize>();
    if width(0..pieces.len()) + ellipses(usize::from(before) + usize::from(after)) <= room {
        return 0..pieces.len();
    }
    let room = room.saturating_sub(ellipses(2)).max(1);
    let wanted = width(mark.clone()).clamp(1, (room / 2).max(1));
    let mut start = 0;
    if width(0..mark.start) + wanted > room {
        let mut lead = 0;
        start = mark.start;
        while start > 0 && lead + pieces[start - 1].width <= room / 4 {
            start -= 1;
            lead += pieces[start].width;
        }
    }
    let mut end = start;
    let mut taken = 0;
    while end < pieces.len() && (taken + pieces[end].width <= room || end <= mark.start) {
        taken += pieces[end].width;
        end += 1;
    }
    start..end
}

fn ellipses(n: usize) -> usize {
    n * ELLIPSIS.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(line: &[u8], mark: Range<usize>, room: usize) -> (String, String) {
        let Drawn { text, mark } = draw_excerpt(&Excerpt::new(line, mark), room);
        (text[mark].to_owned(), text.clone())
    }

    #[test]
    fn marks_follow_what_is_escaped() {
        for (line, mark, marked, text) in [
            (&b"abc"[..], 1..2, "b", "abc"),
            (b"abc", 0..99, "abc", "abc"),
            (b"abc", 3..3, "", "abc"),
            (b"", 0..5, "", ""),
            (b"\ta\tb", 1..4, "a\tb", "\ta\tb"),
            (b"a\x1b[31mb", 1..2, "\\033", "a\\033[31mb"),
            (b"\xffa\xfe", 1..3, "a\\376", "\\377a\\376"),
            (
                "é\u{202e}x".as_bytes(),
                2..6,
                "\\342\\200\\256x",
                "é\\342\\200\\256x",
            ),
            (b"a\rb", 0..3, "a\\rb", "a\\rb"),
        ] {
            assert_eq!(
                drawn(line, mark, 80),
                (marked.to_owned(), text.to_owned()),
                "{line:?}"
            );
        }
    }

    #[test]
    fn what_does_not_fit_is_cut_around_the_mark() {
        let line = b"0123456789abcdefghijklmnopqrstuvwxyz";
        for (mark, room, marked, text) in [
            (0..2, 40, "01", "0123456789abcdefghijklmnopqrstuvwxyz"),
            (0..2, 16, "01", "0123456789..."),
            (2..36, 16, "23456789", "0123456789..."),
            (30..32, 16, "uv", "...stuvwxyz"),
            (36..36, 16, "", "...yz"),
            (30..31, 1, "u", "...u..."),
        ] {
            assert_eq!(
                drawn(line, mark.clone(), room),
                (marked.to_owned(), text.to_owned()),
                "{mark:?} in {room}"
            );
        }
    }

    #[test]
    fn a_line_of_any_length_is_kept_short() {
        let line = "ä".repeat(1 << 20);
        let excerpt = Excerpt::new(line.as_bytes(), 1 << 20..1 << 21);
        assert!(excerpt.text().len() < 2000);
        assert!(std::str::from_utf8(excerpt.text()).is_ok());
        let drawn = draw_excerpt(&excerpt, 40);
        assert!(
            drawn.text.starts_with("...ä") && drawn.text.ends_with("ä..."),
            "{}",
            drawn.text
        );
    }

    proptest::proptest! {
        #[test]
        fn whatever_the_bytes_nothing_raw_comes_out(line: Vec<u8>, start: u8, length: u8, room in 0_usize..60) {
            let start = usize::from(start);
            let Drawn { text, mark } = draw_excerpt(&Excerpt::new(&line, start..start + usize::from(length)), room);
            assert!(text.chars().all(|c| c == '\t' || Shown::is_harmless(c)), "{text:?}");
            assert!(text.get(mark).is_some());
        }
    }
}
