//! A change → the review that GitHub takes: suggestions in comments on lines of a pull request.

mod notes;
#[cfg(test)]
mod tests;

pub use notes::{LineNote, line_notes};

use bstr::ByteSlice as _;
use serde::Serialize;

use super::sorted;
use crate::compare::{Compare, CompareError};
use crate::patch::{Hunk, Patch, Position, Unrepresentable};
use crate::plan::ChangeSet;
use crate::plan::derive::{Limit, Limited, Suggestions, suggestions};

/// The most characters that a comment can have.
const LONGEST: usize = 65_536;

/// A pull request.
#[derive(Clone, Copy, Debug)]
pub struct PullRequest<'p> {
    /// The whole id of its last commit.
    pub head: &'p str,
    /// What it changes, as it is shown: a unified diff with renames and three lines of context.
    pub diff: &'p Patch<'p>,
}

/// A change as a review.
#[derive(Clone, Debug)]
pub struct Review {
    /// The JSON to post; empty if nothing can be suggested.
    pub text: Vec<u8>,
    /// What isn't in it, or can't be committed on the site.
    pub limited: Vec<Limited>,
}

/// What is posted.
#[derive(Serialize)]
struct Posted<'p> {
    /// Comments count lines of this commit, and of no later one.
    commit_id: &'p str,
    event: &'static str,
    body: String,
    comments: Vec<Comment>,
}

#[derive(Serialize)]
struct Comment {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_side: Option<&'static str>,
    line: usize,
    side: &'static str,
    body: String,
}

/// The side of a diff that shows the head.
const HEAD: &str = "RIGHT";

/// Writes a change of a pull request's head as a review of it.
///
/// # Errors
/// If contents can't be compared. What no suggestion can say is an error inside of the `Ok`, with
/// all the reasons.
pub fn review(
    changes: &ChangeSet,
    pull_request: PullRequest<'_>,
    compare: &dyn Compare,
    notes: &[LineNote],
) -> Result<Result<Review, Vec<Unrepresentable>>, CompareError> {
    let Suggestions {
        hunks,
        unrepresentable,
        mut limited,
    } = suggestions(changes, pull_request.diff, compare)?;
    if !unrepresentable.is_empty() {
        return Ok(Err(sorted(unrepresentable)));
    }
    let of_each = notes::by_suggestion(notes, &hunks);
    let mut comments = Vec::new();
    for ((path, hunk), notes) in hunks.iter().zip(of_each) {
        let lines = hunk.position.as_ref().map_or(0..0, Position::was);
        let body = body(&notes, hunk);
        if body.chars().count() > LONGEST {
            limited.push(Limited::of(path.as_bstr().into(), &lines, Limit::Length));
            continue;
        }
        let start = (lines.len() > 1).then_some(lines.start + 1);
        comments.push(Comment {
            path: path.as_bytes().to_str_lossy().into_owned(),
            start_line: start,
            start_side: start.map(|_| HEAD),
            line: lines.end,
            side: HEAD,
            body,
        });
    }
    let mut text = Vec::new();
    if !comments.is_empty() {
        let s = if comments.len() == 1 { "" } else { "s" };
        let posted = Posted {
            commit_id: pull_request.head,
            event: "COMMENT",
            body: format!("{} suggestion{s}", comments.len()),
            comments,
        };
        text = serde_json::to_vec_pretty(&posted).unwrap_or_default();
        text.push(b'\n');
    }
    Ok(Ok(Review { text, limited }))
}

/// Writes what a comment says: notes, then the suggested lines in a fence that none of them ends.
fn body(notes: &[&[u8]], hunk: &Hunk<'_>) -> String {
    let mut text = String::new();
    for note in notes {
        for line in note.to_str_lossy().trim().lines() {
            text.extend([&escaped(line), "\n"]);
        }
        text.push('\n');
    }
    let lines = hunk.added().map(|line| line.text.to_str_lossy());
    let lines: Vec<_> = lines
        .map(|line| line.trim_end_matches('\r').to_owned())
        .collect();
    let longest = lines.iter().map(|line| ticks(line)).max();
    let fence = "`".repeat((longest.unwrap_or_default() + 1).max(3));
    text.extend([&fence, "suggestion\n"]);
    for line in &lines {
        text.extend([line, "\n"]);
    }
    text + &fence + "\n"
}

/// Counts the backticks that a line begins with.
fn ticks(line: &str) -> usize {
    let text = line.trim_start();
    text.len() - text.trim_start_matches('`').len()
}

/// Escapes the first character of a line that could begin a fence or HTML: either could have no end
/// before the suggestion.
fn escaped(line: &str) -> String {
    let text = line.trim_start();
    let indent = &line[..line.len() - text.len()];
    let begins = ["```", "~~~", "<"]
        .iter()
        .any(|begin| text.starts_with(begin));
    [indent, if begins { "\\" } else { "" }, text].concat()
}
