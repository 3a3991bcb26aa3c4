//! The lines between one file header and the next, and what they ask for.

use std::sync::Arc;

use super::error::{Error, Warning};
use super::findings::Findings;
use super::marker::{self, Habit, Verb};
use crate::patch::{Hunk, HunkLine, Mark, Operation};
use crate::text::{self, Row, Span, Text, digits};

/// A section: the file that its header names, and what its lines have said so far.
#[derive(Debug)]
pub(super) struct Section<'a> {
    /// The path and the header; `None` outside of all sections.
    pub(super) name: Option<(Text<'a>, Span)>,
    path: Option<Arc<[u8]>>,
    body: Body<'a>,
}

/// What kind of lines a section has.
#[derive(Debug)]
enum Body<'a> {
    /// None: no header has been read.
    Outside,
    /// Any: they are under something that can't be read, and mean nothing.
    Skipped,
    /// A new file's or a deleted one's, each with the same prefix.
    Lines(Lines<'a>),
    /// Chunks.
    Update(Update<'a>),
}

impl<'a> Section<'a> {
    /// Makes what is before the first header.
    pub(super) fn outside() -> Self {
        Self {
            name: None,
            path: None,
            body: Body::Outside,
        }
    }

    /// Makes what is under a header that can't be read.
    pub(super) fn skipped() -> Self {
        Self {
            body: Body::Skipped,
            ..Self::outside()
        }
    }

    /// Makes what is under a header.
    pub(super) fn open(verb: Verb, path: Text<'a>, header: Span, strict: bool) -> Self {
        let shared: Arc<[u8]> = path.bytes[..].into();
        let body = match verb {
            Verb::Update => Body::Update(Update {
                path: shared.clone(),
                to: None,
                hunks: Vec::new(),
                stage: Stage::Head(Vec::new()),
                strict,
            }),
            Verb::Add | Verb::Delete => Body::Lines(Lines {
                verb,
                path: shared.clone(),
                lines: Vec::with_capacity(32),
                blanks: Vec::new(),
            }),
        };
        Self {
            name: Some((path, header)),
            path: Some(shared),
            body,
        }
    }

    /// Returns the path as the header has it.
    pub(super) fn path(&self) -> Option<Arc<[u8]>> {
        self.path.clone()
    }

    /// Returns whether no header has been read.
    pub(super) fn is_outside(&self) -> bool {
        matches!(self.body, Body::Outside)
    }

    /// Returns whether a line that begins with a space may be one of its file.
    pub(super) fn takes_context(&self) -> bool {
        matches!(self.body, Body::Skipped | Body::Update(_))
    }

    /// Returns whether an indented line may be one of its file: context, or a line of a new file that
    /// lost its `+`.
    pub(super) fn may_hold_indented(&self) -> bool {
        let is_new = matches!(&self.body, Body::Lines(lines) if lines.verb == Verb::Add);
        is_new || self.takes_context()
    }

    /// Returns whether its last chunk may end before a row that would else be a line of context,
    /// and keeps the row there: only the file can say which it is.
    pub(super) fn may_end_at(&mut self, row: Row<'a>) -> bool {
        let Body::Update(Update {
            stage: Stage::Chunk { .. } | Stage::AfterEndOfFile,
            hunks,
            ..
        }) = &mut self.body
        else {
            return false;
        };
        let last = hunks.last_mut();
        last.map(|hunk| hunk.end = Some(row.part(0..row.text.len())))
            .is_some()
    }

    /// Returns whether it is an update for which nothing has been read yet.
    pub(super) fn has_no_change(&self) -> bool {
        matches!(&self.body, Body::Update(update) if update.hunks.is_empty() && update.to.is_none())
    }

    fn verb(&self) -> Option<Verb> {
        match &self.body {
            Body::Lines(lines) => Some(lines.verb),
            Body::Update(_) => Some(Verb::Update),
            Body::Outside | Body::Skipped => None,
        }
    }

    /// Reads a line that is no marker. `next` is the line after it.
    pub(super) fn line(&mut self, row: Row<'a>, next: Option<Row<'a>>, findings: &mut Findings) {
        match &mut self.body {
            Body::Outside if text::is_blank(row.text) => {}
            Body::Outside => {
                let meant = text::trim_start(row.text)
                    .starts_with(b"*")
                    .then(|| marker::meant(row.text))
                    .flatten();
                findings.bad_line(row.span, || Error::BeforeHeader { meant, more: None });
            }
            Body::Skipped => {}
            Body::Lines(lines) => lines.line(row, next, findings),
            Body::Update(update) => update.line(row, next, findings),
        }
    }

    /// Reads a `*** Move to:`.
    pub(super) fn move_to(&mut self, path: Text<'a>, row: Row<'a>, findings: &mut Findings) {
        match &mut self.body {
            Body::Skipped => {}
            Body::Update(update)
                if update.to.is_none() && matches!(update.stage, Stage::Head(_)) =>
            {
                update.to = Some(path);
                update.stage = Stage::Head(Vec::new());
            }
            _ => findings.error(
                row.span,
                Error::MisplacedMove {
                    path: self.path(),
                    verb: self.verb(),
                },
            ),
        }
    }

    /// Reads a `*** End of File`.
    pub(super) fn end_of_file(&mut self, row: Row<'a>, findings: &mut Findings) {
        match &mut self.body {
            Body::Skipped => {}
            Body::Update(update) if matches!(update.stage, Stage::Chunk { .. }) => {
                update.end_chunk(findings);
                if let Some(hunk) = update.hunks.last_mut() {
                    hunk.end_of_file = true;
                }
                update.stage = Stage::AfterEndOfFile;
            }
            _ => findings.error(
                row.span,
                Error::MisplacedEndOfFile {
                    path: self.path(),
                    verb: self.verb(),
                },
            ),
        }
    }

    /// Makes what follows, up to the next header, mean nothing. The section must have an error
    /// already.
    pub(super) fn skip_rest(&mut self) {
        self.body = Body::Skipped;
    }

    /// Returns where the file was to go.
    pub(super) fn destination(&mut self) -> Option<Text<'a>> {
        match &mut self.body {
            Body::Update(update) => update.to.take(),
            _ => None,
        }
    }

    /// Returns what the section asks for, or that it can't be read and where its file was to go.
    pub(super) fn finish(mut self, findings: &mut Findings) -> (Operation<'a>, Option<Text<'a>>) {
        if let (Body::Update(update), Some((_, header))) = (&mut self.body, &self.name) {
            update.end_chunk(findings);
            if update.hunks.is_empty() && update.to.is_none() && !findings.has_error() {
                findings.error(
                    *header,
                    Error::NoChunk {
                        path: update.path.clone(),
                    },
                );
            }
        }
        if findings.has_error() {
            let destination = self.destination();
            return (Operation::Unreadable, destination);
        }
        let operation = match self.body {
            Body::Outside | Body::Skipped => Operation::Unreadable,
            Body::Lines(Lines {
                verb: Verb::Delete,
                lines,
                ..
            }) => Operation::Delete {
                expected: Some(lines).filter(|lines| !lines.is_empty()),
            },
            Body::Lines(Lines {
                path, mut lines, ..
            }) => {
                drop_last_plus(path, &mut lines, findings);
                // Room was made for more than most new files have.
                lines.shrink_to_fit();
                Operation::Create {
                    lines,
                    fills_empty: false,
                    ends_open: false,
                }
            }
            Body::Update(Update { to, mut hunks, .. }) => {
                // Most sections have one hunk, and room was made for four of them, of four lines
                // each.
                hunks.shrink_to_fit();
                hunks.iter_mut().for_each(|hunk| hunk.lines.shrink_to_fit());
                Operation::Update { to, hunks }
            }
        };
        (operation, None)
    }
}

/// The lines of a new file, or the lines that a deleted file is said to have.
#[derive(Debug)]
struct Lines<'a> {
    verb: Verb,
    path: Arc<[u8]>,
    lines: Vec<Text<'a>>,
    /// Lines without a prefix, which are content if another line follows.
    blanks: Vec<Row<'a>>,
}

impl<'a> Lines<'a> {
    fn line(&mut self, row: Row<'a>, next: Option<Row<'a>>, findings: &mut Findings) {
        let path = &self.path;
        let verb = self.verb;
        if text::is_blank(row.text) {
            self.blanks.push(row);
        } else if self.lines.is_empty() && is_unified_header(row, next) {
            findings.bad_line(row.span, || Error::UnifiedHeader {
                path: path.clone(),
                verb,
                more: None,
            });
        } else if row.text.starts_with(verb.sign().as_bytes()) {
            self.keep_blanks(findings);
            findings.good_line();
            self.lines.push(behind_prefix(row));
        } else {
            let habit = Habit::of(row.text, next.map(|next| next.text), verb);
            findings.bad_line(row.span, || Error::BadLine {
                path: path.clone(),
                verb,
                habit,
                more: None,
            });
        }
    }

    fn keep_blanks(&mut self, findings: &mut Findings) {
        let verb = self.verb;
        for row in self.blanks.drain(..) {
            self.lines.push(row.part(0..0));
            findings.warn(
                row.span,
                Warning::BlankInBody {
                    path: self.path.clone(),
                    verb,
                    count: 1,
                },
            );
        }
    }
}

/// The chunks of a file.
#[derive(Debug)]
struct Update<'a> {
    path: Arc<[u8]>,
    to: Option<Text<'a>>,
    hunks: Vec<Hunk<'a>>,
    stage: Stage<'a>,
    strict: bool,
}

/// Where among its chunks the reader of an update is.
#[derive(Debug)]
enum Stage<'a> {
    /// Before the first, with the empty lines that have been seen there.
    Head(Vec<Row<'a>>),
    /// In the last chunk, which ends with `trailing` lines that are entirely empty.
    Chunk { trailing: usize },
    /// Behind an `*** End of File`.
    AfterEndOfFile,
}

impl<'a> Update<'a> {
    fn line(&mut self, row: Row<'a>, next: Option<Row<'a>>, findings: &mut Findings) {
        let mark = match row.text.first() {
            None => return self.blank(row),
            Some(b' ') => Some(Mark::Context),
            Some(b'-') => Some(Mark::Removed),
            Some(b'+') => Some(Mark::Added),
            Some(_) => None,
        };
        let path = self.path.clone();
        let verb = Verb::Update;
        if mark == Some(Mark::Added) {
            self.doubt_blanks(row, findings);
        }
        if row.text.starts_with(b"@@") {
            self.locator(row, findings);
        } else if row.text.starts_with(br"\ No newline") {
            findings.warn(row.span, Warning::NoNewlineMark { path, count: 1 });
        } else if matches!(self.stage, Stage::Head(_)) && is_unified_header(row, next) {
            findings.bad_line(row.span, || Error::UnifiedHeader {
                path,
                verb,
                more: None,
            });
        } else if let Some(mark) = mark
            && !matches!(self.stage, Stage::AfterEndOfFile)
        {
            findings.good_line();
            self.push(row, mark);
        } else {
            let habit = if mark.is_some() {
                Habit::AfterEndOfFile
            } else {
                Habit::of(row.text, next.map(|next| next.text), verb)
            };
            findings.bad_line(row.span, || Error::BadLine {
                path,
                verb,
                habit,
                more: None,
            });
        }
    }

    /// Warns of empty lines between what goes and what comes: they may not be lines of the file.
    fn doubt_blanks(&self, row: Row<'a>, findings: &mut Findings) {
        let (Stage::Chunk { trailing }, Some(hunk)) = (&self.stage, self.hunks.last()) else {
            return;
        };
        let before = hunk.lines.iter().rev().nth(*trailing);
        let is_between = before.is_some_and(|line| line.mark == Mark::Removed);
        if *trailing == 0 || !is_between || self.strict {
            return;
        }
        let span = hunk.lines.last().and_then(|line| line.text.span);
        let path = self.path.clone();
        let warning = Warning::BlankInBody {
            path,
            verb: Verb::Update,
            count: *trailing,
        };
        findings.warn(span.unwrap_or(row.span), warning);
    }

    fn blank(&mut self, row: Row<'a>) {
        match &mut self.stage {
            Stage::Head(blanks) => blanks.push(row),
            Stage::Chunk { trailing } => {
                *trailing += 1;
                if let Some(hunk) = self.hunks.last_mut() {
                    hunk.lines
                        .push(line(Mark::Context, row.part(0..row.text.len())));
                }
            }
            Stage::AfterEndOfFile => {}
        }
    }

    fn push(&mut self, row: Row<'a>, mark: Mark) {
        if let Stage::Head(blanks) = &mut self.stage {
            let span = blanks.first().unwrap_or(&row).span;
            let lines = blanks
                .drain(..)
                .map(|blank| line(Mark::Context, blank.part(0..0)))
                .collect();
            self.hunks.push(Hunk {
                lines,
                span: Some(span),
                ..Hunk::default()
            });
        }
        if let Some(hunk) = self.hunks.last_mut() {
            hunk.lines.push(line(mark, behind_prefix(row)));
        }
        self.stage = Stage::Chunk { trailing: 0 };
    }

    /// Reads a line `@@`: one more place to seek, or a new chunk.
    fn locator(&mut self, row: Row<'a>, findings: &mut Findings) {
        findings.good_line();
        let in_a_row = matches!(self.stage, Stage::Chunk { .. })
            && self.hunks.last().is_some_and(|h| h.lines.is_empty());
        if !in_a_row {
            self.hunks.push(Hunk {
                span: Some(row.span),
                ..Hunk::default()
            });
        }
        self.stage = Stage::Chunk { trailing: 0 };
        let Some(hunk) = self.hunks.last_mut() else {
            return;
        };
        let rest = &row.text[2..];
        let path = self.path.clone();
        if text::is_blank(rest) {
        } else if !self.strict && claims_numbers(rest) {
            hunk.numbered = true;
            findings.warn(row.span, Warning::LocatorNumbers { path, count: 1 });
        } else if rest[0] == b' ' {
            hunk.locators.push(row.part(3..row.text.len()));
        } else {
            hunk.locators.push(row.part(2..row.text.len()));
            findings.warn(row.span, Warning::LocatorSpacing { path, count: 1 });
        }
    }

    /// Ends the last chunk at a marker, where empty lines before it mean nothing.
    fn end_chunk(&mut self, findings: &mut Findings) {
        let Stage::Chunk { trailing } = self.stage else {
            return;
        };
        let Some(hunk) = self.hunks.last_mut() else {
            return;
        };
        hunk.lines.truncate(hunk.lines.len() - trailing);
        self.stage = Stage::Chunk { trailing: 0 };
        if let (true, Some(span)) = (hunk.lines.is_empty() && !findings.in_run(), hunk.span) {
            let is_located = !hunk.locators.is_empty();
            findings.error(
                span,
                Error::EmptyChunk {
                    path: self.path.clone(),
                    is_located,
                },
            );
        }
    }
}

/// Drops a bare `+` behind the other lines of a new file: the newline of the last line.
///
/// OpenCode writes it so, in a third of its new files; for Codex it is an empty line, which nobody
/// misses.
fn drop_last_plus(path: Arc<[u8]>, lines: &mut Vec<Text<'_>>, findings: &mut Findings) {
    if lines.len() > 1
        && let Some(last) = lines.pop_if(|last| last.is_empty())
        && let Some(span) = last.span
    {
        findings.warn(span, Warning::LastPlus { path });
    }
}

/// Returns what is behind the prefix of a line. Its place is the whole line, prefix included: that
/// is what messages point at.
fn behind_prefix(row: Row<'_>) -> Text<'_> {
    Text::at(&row.text[1..], row.span)
}

fn line(mark: Mark, text: Text<'_>) -> HunkLine<'_> {
    HunkLine {
        mark,
        text,
        unterminated: false,
    }
}

/// Returns whether what follows `@@` is `-1,7 +1,8`, with or without the second `@@` and what git
/// writes behind it.
fn claims_numbers(rest: &[u8]) -> bool {
    fn numbers(text: &[u8], sign: u8) -> Option<&[u8]> {
        let text = text::trim_start(text);
        let text = text.strip_prefix(&[sign])?;
        let first = digits(text);
        let rest = &text[first..];
        let second = rest.strip_prefix(b",").map(|rest| (rest, digits(rest)));
        match (first, second) {
            (0, _) | (_, Some((_, 0))) => None,
            (_, None) => Some(rest),
            (_, Some((rest, second))) => Some(&rest[second..]),
        }
    }
    let rest = numbers(rest, b'-').and_then(|rest| numbers(rest, b'+'));
    rest.is_some_and(|rest| text::is_blank(rest) || text::trim_start(rest).starts_with(b"@@"))
}

/// Returns whether a line right after a file header is one of a unified diff's.
fn is_unified_header(row: Row<'_>, next: Option<Row<'_>>) -> bool {
    const SURE: [&[u8]; 5] = [
        b"diff --git ",
        b"--- a/",
        b"--- /dev/null",
        b"+++ b/",
        b"+++ /dev/null",
    ];
    let pair =
        row.text.starts_with(b"--- ") && next.is_some_and(|next| next.text.starts_with(b"+++ "));
    pair || SURE.iter().any(|start| row.text.starts_with(start))
}
