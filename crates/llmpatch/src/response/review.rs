//! GitHub's review comments: a suggestion takes the place of the lines that its comment is about.
//!
//! The member `diff_hunk` ends with these lines, and so shows what they were. They are the old lines of a
//! hunk of a diff, with what is shown above them as its context. Their numbers are those of the file before
//! any suggestion is taken, so that all suggestions for a file are hunks of one section.

use std::collections::BTreeMap;
use std::ops::Range;

use bstr::{BString, ByteSlice as _};

use super::messages::{Around, Messages};
use super::outcomes::Outcome;
use super::rows::{at, ids, is, word};
use super::session::SessionEntry;
use super::{Block, Error, NoPatch, Parsed};
use crate::format::Options;
use crate::format::fence::Fence;
use crate::format::tool::fields::Fields;
use crate::format::tool::json::{JsonText, Value};
use crate::patch::{
    FileEdit, Format, Header, Hunk, HunkLine, Mark, Operation, Position, ReviewComment, Status,
};
use crate::text::{LineNo, Located, Text};

/// What of a comment is of lines that are no more, or is settled.
const PAST: [&str; 5] = [
    "!line original_line",
    "outdated=true",
    "isOutdated=true",
    "resolved=true",
    "isResolved=true",
];
/// What a comment is of that is about lines of the file before the change.
const BEFORE: [&str; 2] = ["side=LEFT", "start_side=LEFT"];
/// How many lines above those of the comment are context.
const CONTEXT: usize = 3;

impl Messages<'_, '_> {
    /// Reads a review comment; other patches than a suggestion are text in it.
    pub(super) fn comment(&mut self, object: Value<'_>, fields: &Fields<'_>, around: Around<'_>) {
        let Some((name, written)) = fields.get(&["body"]) else {
            return;
        };
        let Ok(body) = written.string() else { return };
        let suggestions = suggestions(body.text());
        let suggestion = match &suggestions[..] {
            [] => return self.hide(written, around.path.member(name), NoPatch::Elsewhere),
            [Some(lines)] => lines,
            [None] => return self.refuse_comment(object, "is in a fence that is never closed"),
            _ => return self.refuse_comment(object, "is one of several in its comment"),
        };
        let entry = SessionEntry {
            call: Some((ids(&["id"], fields), "comment".to_owned())),
            outcome: Some(Outcome::Done),
            comment: Some(about(fields)),
            place: around.path.to_string(),
            ..SessionEntry::default()
        };
        let start = self.read.blocks.len();
        let span = self.source.span(object.range());
        if PAST.iter().any(|pattern| is(pattern, fields)) {
            self.hidden(Format::Unified, span, NoPatch::Past);
            return self.take(object, start, entry);
        }
        if BEFORE.iter().any(|pattern| is(pattern, fields)) {
            return self.refuse_comment(object, "is for lines of the file before the change");
        }
        let (Some(path), Some(shown)) =
            (word(fields, "path"), CommentHunk::of(fields, self.options))
        else {
            return self.refuse_comment(object, "is for lines that its `diff_hunk` doesn't show");
        };
        let new = suggestion.iter().map(|range| self.suggested(&body, range));
        let mut hunk = shown.hunk(new.collect());
        hunk.span = Some(span);
        let operation = Operation::Update {
            to: None,
            hunks: vec![hunk],
        };
        let path = Text::at(path.into_bytes(), span);
        let mut edit = FileEdit::new(path, operation, Some(span));
        edit.header = Some(Box::new(Header {
            status: Status::Modified,
            old_mode: None,
            new_mode: None,
            ids: None,
            similarity: None,
            binary: None,
        }));
        self.read.blocks.push(Block {
            edits: vec![edit],
            ..Block::empty(Format::Unified, object.range())
        });
        self.take(object, start, entry);
    }

    fn refuse_comment(&mut self, object: Value<'_>, wrong: &'static str) {
        self.refuse(object, Error::Suggestion { wrong });
    }

    fn suggested(&self, body: &JsonText, range: &Range<usize>) -> HunkLine<'static> {
        let text = body.text()[range.clone()].as_bytes().to_vec();
        let span = self.source.span(body.range(range.clone()));
        HunkLine {
            mark: Mark::Added,
            text: Text::at(text, span),
            unterminated: false,
        }
    }
}

/// Returns who wrote a comment, and for which commit.
fn about(fields: &Fields<'_>) -> ReviewComment {
    let commit = word(fields, "original_commit_id");
    let commit = commit.map(|commit| (commit, ids(&["id"], fields)));
    ReviewComment {
        authors: author(fields).into_iter().collect(),
        commits: commit.into_iter().collect(),
    }
}

/// Returns who wrote a comment, with the address under which the site knows commits as theirs.
fn author(fields: &Fields<'_>) -> Option<String> {
    let login = word(fields, "user.login")?;
    let id: u64 = at(fields, "user.id")?.written().parse().ok()?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_[]".contains(&byte);
    (!login.is_empty() && login.bytes().all(is_plain))
        .then(|| format!("{login} <{id}+{login}@users.noreply.github.com>"))
}

/// Returns the lines of each suggestion in a text; `None` for one that never ends.
fn suggestions(body: &str) -> Vec<Option<Vec<Range<usize>>>> {
    let mut all = Vec::new();
    let mut open: Option<(Fence, Option<Vec<Range<usize>>>)> = None;
    let mut start = 0;
    for row in body.split_inclusive('\n') {
        let line = row.trim_end_matches('\n').trim_end_matches('\r');
        match &mut open {
            Some((fence, lines)) if fence.is_closed_by(line.as_bytes()) => {
                all.extend(lines.take().map(Some));
                open = None;
            }
            Some((_, lines)) => {
                let lines = lines.iter_mut();
                lines.for_each(|lines| lines.push(start..start + line.len()));
            }
            None => {
                open = Fence::read(line.as_bytes()).map(|(fence, info)| {
                    let is_suggestion = info.trim_ascii() == b"suggestion";
                    (fence, is_suggestion.then(Vec::new))
                });
            }
        }
        start += row.len();
    }
    all.extend(open.and_then(|(_, lines)| lines).map(|_| None));
    all
}

/// What a comment shows of the file.
struct CommentHunk {
    /// The last lines that are shown, those that the comment is about behind what is above them; each with
    /// whether no newline ends it.
    lines: Vec<(String, bool)>,
    /// How many of them the comment is about.
    count: usize,
    /// The number of the last of them in the file.
    last: u32,
}

impl CommentHunk {
    /// Reads it; `None` if not all the lines that the comment is about are shown.
    fn of(fields: &Fields<'_>, options: &Options<'_>) -> Option<Self> {
        let number = |path: &str| at(fields, path)?.written().parse::<u32>().ok();
        let original = number("original_line").filter(|_| options.in_original);
        let (first, last) = match original {
            Some(last) => (number("original_start_line"), last),
            None => (number("start_line"), number("line")?),
        };
        let first = first.unwrap_or(last);
        let above_first = first.checked_sub(1)? as usize;
        let count = last.checked_sub(first)? as usize + 1;
        let hunk = word(fields, "diff_hunk")?;
        // The last row is cut off before its LF.
        let rows = hunk.split_terminator('\n');
        let mut rows = rows.map(|row| row.strip_suffix('\r').unwrap_or(row));
        let mut end = start_of_new(rows.next()?)?.checked_sub(1)?;
        let mut lines: Vec<(String, bool)> = Vec::new();
        let mut is_gone = false;
        for row in rows {
            match row.as_bytes().first() {
                Some(b'-') => is_gone = true,
                Some(b'\\') => lines
                    .last_mut()
                    .filter(|_| !is_gone)
                    .into_iter()
                    .for_each(|(_, is_open)| *is_open = true),
                _ => {
                    is_gone = false;
                    lines.push((row.get(1..).unwrap_or_default().to_owned(), false));
                    end += 1;
                }
            }
        }
        let is_shown = number("original_line").unwrap_or(last) == end && lines.len() >= count;
        let above = lines.len().saturating_sub(count + CONTEXT.min(above_first));
        lines.drain(..above);
        is_shown.then_some(Self { lines, count, last })
    }

    /// Makes the hunk that puts new lines in the place of those that the comment is about.
    fn hunk(self, mut new: Vec<HunkLine<'static>>) -> Hunk<'static> {
        let above = self.lines.len() - self.count;
        let is_open = self.lines.last().is_some_and(|(_, is_open)| *is_open);
        if let Some(last) = new.last_mut() {
            last.unterminated = is_open;
        }
        let old = self.lines.into_iter().enumerate();
        let old = old.map(|(index, (text, unterminated))| HunkLine {
            mark: if index < above {
                Mark::Context
            } else {
                Mark::Removed
            },
            text: Text::derived(text.into_bytes()),
            unterminated,
        });
        let mut hunk = Hunk {
            lines: old.chain(new).collect(),
            breaks_off: true,
            ..Hunk::default()
        };
        let old_lines = (above + self.count) as u32;
        place(
            &mut hunk,
            self.last.saturating_add(1).saturating_sub(old_lines),
        );
        hunk
    }
}

/// Returns the number of the first new line that the header of a hunk names.
fn start_of_new(header: &str) -> Option<u32> {
    let (_, new) = header.strip_prefix("@@ -")?.split_once(" +")?;
    let digits = new.split(|byte: char| !byte.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// Says where a hunk begins.
fn place(hunk: &mut Hunk<'_>, start: u32) {
    hunk.position = Some(Position {
        old_start: start,
        old_lines: hunk.old().count() as u32,
        new_start: start,
        new_lines: hunk.new_lines().count() as u32,
        heading: Vec::new(),
    });
}

/// Makes one edit of all suggestions for a file, and refuses two for the same lines.
pub(super) fn join(parsed: &mut Parsed<'_>) {
    let mut of_files: BTreeMap<BString, (Vec<Hunk<'_>>, ReviewComment)> = BTreeMap::new();
    parsed.patch.edits.retain_mut(|edit| {
        let Some((new, comment)) = suggested(edit) else {
            return true;
        };
        let (mut new, comment) = (std::mem::take(new), comment.clone());
        let is_first = !of_files.contains_key(edit.path.as_bstr());
        let known = of_files.entry(edit.path[..].into()).or_default();
        known.0.append(&mut new);
        known.1.authors.extend(comment.authors);
        for (commit, ids) in comment.commits {
            known.1.commits.entry(commit).or_default().extend(ids);
        }
        is_first
    });
    for (path, (all, _)) in &mut of_files {
        all.sort_by_key(|hunk| replaced(hunk).start);
        let mut free = 0;
        all.retain_mut(|hunk| {
            let Range { start, end } = replaced(hunk);
            if start < free {
                let line = LineNo::from_index(start as usize - 1);
                let error = Error::SameLines {
                    path: path.clone(),
                    line,
                };
                parsed.errors.push(Located::new(hunk.span, error));
                return false;
            }
            let context = hunk
                .lines
                .iter()
                .take_while(|line| line.mark == Mark::Context)
                .count() as u32;
            let kept = context.min(start - free.max(1));
            hunk.lines.drain(..(context - kept) as usize);
            place(hunk, start - kept);
            free = end;
            true
        });
    }
    for edit in &mut parsed.patch.edits {
        let all = of_files.get_mut(edit.path.as_bstr());
        if let Some(((hunks, comment), (all, comments))) = suggested(edit).zip(all) {
            hunks.append(all);
            *comment = std::mem::take(comments);
        }
    }
}

/// Returns the hunks of a suggestion, and what is said of its comment.
fn suggested<'e, 'a>(
    edit: &'e mut FileEdit<'a>,
) -> Option<(&'e mut Vec<Hunk<'a>>, &'e mut ReviewComment)> {
    let comment = edit.record.as_mut()?.comment.as_mut()?;
    match &mut edit.operation {
        Operation::Update { hunks, .. } => Some((hunks, comment)),
        _ => None,
    }
}

/// Returns the numbers of the lines that a hunk puts others in the place of.
fn replaced(hunk: &Hunk<'_>) -> Range<u32> {
    let position = hunk.position.as_ref();
    let end = position.map_or(0, |position| {
        position.old_start.saturating_add(position.old_lines)
    });
    let count = hunk
        .lines
        .iter()
        .filter(|line| line.mark == Mark::Removed)
        .count() as u32;
    end.saturating_sub(count)..end
}
