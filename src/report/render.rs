//! Draws a headline and a marked line in the manner of rustc. The drawing crate is used here and
//! nowhere else.
//!
//! The crate is given text that is safe and already fits: what it would do itself to control
//! characters and long lines is neither git's way nor meant for hostile input. It is also told
//! where a place is rather than left to count, since what is drawn isn't what is in the file.

use std::ops::Range;

use annotate_snippets::renderer::Renderer;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Snippet};
use bstr::ByteSlice as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::human::Style;
use super::wrap::wrap;
use llmpatch::report::{FileLine, FilePlace};
use llmpatch::text::{Excerpt, LineNo, Shown};

/// How a message is introduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Error,
    Warning,
    Note,
    Help,
}

/// What draws in a style.
pub(super) struct Drawing {
    renderer: Renderer,
    style: Style,
}

impl Drawing {
    /// The widest that the drawing crate may ever think a line is: it must not cut what has been
    /// cut here.
    const UNBOUNDED: usize = 1 << 20;
    /// The narrowest room for code, however narrow the terminal.
    const MIN_ROOM: usize = 24;
    /// How far a headline is indented where it goes on.
    const INDENT: usize = 2;

    pub(super) fn new(style: Style) -> Self {
        let renderer = if style.colored {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        Self {
            renderer: renderer.term_width(Self::UNBOUNDED),
            style,
        }
    }

    /// Draws a headline, and below it, if there is one, the place that it is about. Ends with a
    /// newline.
    pub(super) fn draw(
        &self,
        tone: Tone,
        id: Option<&str>,
        text: &str,
        place: Option<&FilePlace>,
    ) -> String {
        let (level, mut title) = match tone {
            Tone::Error => (Level::ERROR, Level::ERROR.primary_title(text)),
            Tone::Warning => (Level::WARNING, Level::WARNING.primary_title(text)),
            Tone::Note => (Level::NOTE, Level::NOTE.secondary_title(text)),
            Tone::Help => (Level::HELP, Level::HELP.secondary_title(text)),
        };
        if let Some(id) = id {
            title = title.id(id);
        }
        let Some(place) = place else {
            return self.headline(&self.render(Group::with_title(title)));
        };
        let path = Shown(&place.path).to_string();
        let origin = Origin::path(&path)
            .line(place.first.line.get() as usize)
            .char_column(place.column);
        let drawn = self.render(title.element(origin));
        let (headline, origin) = drawn.trim_end().rsplit_once('\n').unwrap_or((&drawn, ""));
        // The crate makes room for the line numbers of snippets only, and each snippet is drawn by
        // itself.
        let lines = || std::iter::once(&place.first).chain(&place.more);
        let digits = lines().map(|line| digits(line.line)).max().unwrap_or(1);
        let mut drawn = format!(
            "{}{}{origin}\n",
            self.headline(headline),
            " ".repeat(digits)
        );
        let mut last: Option<LineNo> = None;
        for line in lines() {
            for (line, snippet) in self.snippets(&level, line, digits) {
                // Several lines may be part of one thing.
                if last.is_some_and(|last| line <= last) {
                    continue;
                }
                // Each begins with a line of nothing but the rule.
                match last {
                    None => drawn += &snippet,
                    Some(last) => {
                        drawn += if last.index() + 1 == line.index() {
                            ""
                        } else {
                            "...\n"
                        };
                        drawn += snippet.split_once('\n').map_or("", |(_, lines)| lines);
                    }
                }
                last = Some(line);
            }
        }
        drawn
    }

    /// Draws a line behind a rule, with room for the digits of line numbers before that; above it
    /// the line that it is part of.
    fn snippets(
        &self,
        level: &Level<'_>,
        shown: &FileLine,
        digits: usize,
    ) -> Vec<(LineNo, String)> {
        let gutter = digits + 3;
        let room = self.style.width.saturating_sub(gutter);
        let snippet = |line: LineNo, text: String, mark: Option<_>| {
            let snippet = Snippet::source(text)
                .line_start(line.get() as usize)
                .fold(false)
                .annotations(mark);
            let drawn = self.render(Group::with_level(level.clone()).element(snippet));
            let lack = " ".repeat(digits - self::digits(line));
            drawn
                .lines()
                .map(|line| format!("{lack}{line}\n"))
                .collect::<String>()
        };
        let mut snippets = Vec::new();
        if let Some((line, excerpt)) = &shown.heading {
            let drawn = snippet(*line, draw(excerpt, room.max(Self::MIN_ROOM)).text, None);
            // Below a line without a mark there is nothing but the rule.
            let drawn = drawn
                .lines()
                .take(2)
                .map(|line| format!("{line}\n"))
                .collect();
            snippets.push((*line, drawn));
        }
        let label = Shown(shown.label.as_bytes()).to_string();
        let label = Some(&label[..]).filter(|label| !label.is_empty());
        let label_width = label.map_or(0, |label| label.width() + 1);
        let Drawn { text, mark } = draw(
            &shown.excerpt,
            room.saturating_sub(label_width).max(Self::MIN_ROOM),
        );
        let mut drawn = snippet(
            shown.line,
            text,
            Some(AnnotationKind::Primary.span(mark).label(label)),
        );
        if self.style.is_terminal {
            // The label is on the last line, behind the mark.
            let last = drawn.trim_end().rfind('\n').map_or(0, |at| at + 1);
            let line = drawn.split_off(last);
            drawn += &wrap(
                line.trim_end(),
                self.style.width,
                gutter,
                line.rfind('^').unwrap_or(0),
            );
            drawn.push('\n');
        }
        snippets.push((shown.line, drawn));
        snippets
    }

    fn headline(&self, drawn: &str) -> String {
        let lines = drawn.trim_end().lines().map(|line| {
            if self.style.is_terminal {
                let indent = line.len() - line.trim_start().len();
                wrap(
                    line,
                    self.style.width,
                    indent.clamp(Self::INDENT, 8),
                    indent,
                ) + "\n"
            } else {
                format!("{line}\n")
            }
        });
        lines.collect()
    }

    fn render(&self, group: Group<'_>) -> String {
        let mut drawn = self.renderer.render(&[group]);
        drawn.push('\n');
        drawn
    }
}

fn digits(line: LineNo) -> usize {
    line.to_string().len()
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
fn draw(excerpt: &Excerpt, room: usize) -> Drawn {
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
        let Drawn { text, mark } = draw(&Excerpt::new(line, mark), room);
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
        let drawn = draw(&excerpt, 40);
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
            let Drawn { text, mark } = draw(&Excerpt::new(&line, start..start + usize::from(length)), room);
            assert!(text.chars().all(|c| c == '\t' || Shown::is_harmless(c)), "{text:?}");
            assert!(text.get(mark).is_some());
        }
    }
}
