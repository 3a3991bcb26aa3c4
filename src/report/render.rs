//! Draws a headline and a marked line in the manner of rustc. The drawing crate is used here and nowhere else.
//!
//! The crate is given text that is safe and already fits: what it would do itself to control characters and long lines is
//! neither git's way nor meant for hostile input. It is also told where a place is rather than left to count, since what is
//! drawn isn't what stands in the file.

use annotate_snippets::renderer::Renderer;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Snippet};
use unicode_width::UnicodeWidthStr as _;

use super::excerpt::{Drawn, draw};
use crate::text::Excerpt;

/// How a message is introduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Error,
    Warning,
    Note,
    Help,
}

/// A line to show and what to say under its mark.
pub(super) struct Shot<'a> {
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) excerpt: &'a Excerpt,
    pub(super) label: Option<String>,
}

/// A pen of one colour setting and one width.
pub(super) struct Pen {
    renderer: Renderer,
    width: usize,
}

impl Pen {
    /// The widest that the drawing crate may ever think a line is: it must not cut what has been cut here.
    const UNBOUNDED: usize = 1 << 20;
    /// The narrowest room for code, however narrow the terminal.
    const MIN_ROOM: usize = 24;

    pub(super) fn new(colored: bool, width: usize) -> Self {
        let renderer = if colored { Renderer::styled() } else { Renderer::plain() };
        Self { renderer: renderer.term_width(Self::UNBOUNDED), width }
    }

    /// Draws a headline, and below it, if there is one, the place that it is about. Ends with a newline.
    pub(super) fn draw(&self, tone: Tone, id: Option<&str>, text: &str, shot: Option<&Shot<'_>>) -> String {
        let level = match tone {
            Tone::Error => Level::ERROR,
            Tone::Warning => Level::WARNING,
            Tone::Note => Level::NOTE,
            Tone::Help => Level::HELP,
        };
        let mut title = match tone {
            Tone::Error | Tone::Warning => level.clone().primary_title(text),
            Tone::Note | Tone::Help => level.clone().secondary_title(text),
        };
        if let Some(id) = id {
            title = title.id(id);
        }
        let Some(shot) = shot else {
            return self.render(Group::with_title(title));
        };
        let origin = Origin::path(shot.file.as_str()).line(shot.line).char_column(shot.column);
        // The crate makes room for the line numbers of snippets only, and the snippet is drawn by itself.
        let indent = " ".repeat(shot.line.to_string().len());
        let mut drawn = self.render(title.element(origin)).replacen('\n', &format!("\n{indent}"), 1);

        let label = shot.label.as_deref().filter(|label| !label.is_empty());
        let label_width = label.map_or(0, |label| label.width() + 1);
        let gutter = shot.line.to_string().len() + 3;
        let room = self.width.saturating_sub(gutter);
        let room = room.saturating_sub(label_width).max(Self::MIN_ROOM);
        let Drawn { text, mark } = draw(shot.excerpt, room);
        let mark = AnnotationKind::Primary.span(mark).label(label);
        let snippet = Snippet::source(text).line_start(shot.line).annotation(mark);
        drawn.push_str(&self.render(Group::with_level(level).element(snippet)));
        drawn
    }

    fn render(&self, group: Group<'_>) -> String {
        let mut drawn = self.renderer.render(&[group]);
        drawn.push('\n');
        drawn
    }
}
