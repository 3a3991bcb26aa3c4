//! Draws a headline and a marked line in the manner of rustc. The drawing crate is used here and nowhere else.
//!
//! The crate is given text that is safe and already fits: what it would do itself to control characters and long lines is
//! neither git's way nor meant for hostile input. It is also told where a place is rather than left to count, since what is
//! drawn isn't what stands in the file.

use annotate_snippets::renderer::Renderer;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Snippet};
use unicode_width::UnicodeWidthStr as _;

use super::excerpt::{Drawn, draw};
use super::human::Style;
use super::wrap::wrap;
use crate::diagnose::{FileLine, FilePlace};
use crate::text::{LineNo, Shown};

/// How a message is introduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Error,
    Warning,
    Note,
    Help,
}

/// A pen for one style.
pub(super) struct Drawing {
    renderer: Renderer,
    style: Style,
}

impl Drawing {
    /// The widest that the drawing crate may ever think a line is: it must not cut what has been cut here.
    const UNBOUNDED: usize = 1 << 20;
    /// The narrowest room for code, however narrow the terminal.
    const MIN_ROOM: usize = 24;
    /// How far a headline is indented where it goes on.
    const INDENT: usize = 2;

    pub(super) fn new(style: Style) -> Self {
        let renderer = if style.colored { Renderer::styled() } else { Renderer::plain() };
        Self { renderer: renderer.term_width(Self::UNBOUNDED), style }
    }

    /// Draws a headline, and below it, if there is one, the place that it is about. Ends with a newline.
    pub(super) fn draw(&self, tone: Tone, id: Option<&str>, text: &str, place: Option<&FilePlace>) -> String {
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
        let origin = Origin::path(&path).line(place.first.line.get() as usize).char_column(place.column);
        let drawn = self.render(title.element(origin));
        let (headline, origin) = drawn.trim_end().rsplit_once('\n').unwrap_or((&drawn, ""));
        // The crate makes room for the line numbers of snippets only, and each snippet is drawn by itself.
        let lines = || std::iter::once(&place.first).chain(&place.more);
        let digits = lines().map(|line| digits(line.line)).max().unwrap_or(1);
        let mut drawn = format!("{}{}{origin}\n", self.headline(headline), " ".repeat(digits));
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
                        drawn += if last.index() + 1 == line.index() { "" } else { "...\n" };
                        drawn += snippet.split_once('\n').map_or("", |(_, lines)| lines);
                    }
                }
                last = Some(line);
            }
        }
        drawn
    }

    /// Draws a line, with a rule that stands behind so many digits; before it the line under which it stands.
    fn snippets(&self, level: &Level<'_>, shown: &FileLine, digits: usize) -> Vec<(LineNo, String)> {
        let gutter = digits + 3;
        let room = self.style.width.saturating_sub(gutter);
        let snippet = |line: LineNo, text: String, mark: Option<_>| {
            let snippet = Snippet::source(text).line_start(line.get() as usize).fold(false).annotations(mark);
            let drawn = self.render(Group::with_level(level.clone()).element(snippet));
            let lack = " ".repeat(digits - self::digits(line));
            drawn.lines().map(|line| format!("{lack}{line}\n")).collect::<String>()
        };
        let mut snippets = Vec::new();
        if let Some((line, excerpt)) = &shown.heading {
            let drawn = snippet(*line, draw(excerpt, room.max(Self::MIN_ROOM)).text, None);
            // Below a line without a mark there is nothing but the rule.
            let drawn = drawn.lines().take(2).map(|line| format!("{line}\n")).collect();
            snippets.push((*line, drawn));
        }
        let label = Shown(shown.label.as_bytes()).to_string();
        let label = Some(&label[..]).filter(|label| !label.is_empty());
        let label_width = label.map_or(0, |label| label.width() + 1);
        let Drawn { text, mark } = draw(&shown.excerpt, room.saturating_sub(label_width).max(Self::MIN_ROOM));
        let mut drawn = snippet(shown.line, text, Some(AnnotationKind::Primary.span(mark).label(label)));
        if self.style.is_terminal {
            // The label stands on the last line, behind the mark.
            let last = drawn.trim_end().rfind('\n').map_or(0, |at| at + 1);
            let line = drawn.split_off(last);
            drawn += &wrap(line.trim_end(), self.style.width, gutter, line.rfind('^').unwrap_or(0));
            drawn.push('\n');
        }
        snippets.push((shown.line, drawn));
        snippets
    }

    fn headline(&self, drawn: &str) -> String {
        let lines = drawn.trim_end().lines().map(|line| match self.style.is_terminal {
            true => {
                let indent = line.len() - line.trim_start().len();
                wrap(line, self.style.width, indent.clamp(Self::INDENT, 8), indent) + "\n"
            }
            false => format!("{line}\n"),
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
