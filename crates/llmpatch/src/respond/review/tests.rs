//! What is posted is taken, and comes to the change again when it is read, or to all of it but what
//! was named.

use std::borrow::Cow;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::ops::Range;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use similar::{Algorithm, DiffOp, TextDiff, capture_diff_slices};

use super::{LineNote, PullRequest, Review, review};
use crate::compare::{Compare, CompareError, DiffSide, Options, Region};
use crate::kind::Kind;
use crate::patch::What;
use crate::path::RepoPath;
use crate::plan::derive::{Limit, unified};
use crate::plan::{Change, ChangeSet};
use crate::text::Content;
use crate::tree::{File, Mode};
use crate::{MemoryTree, apply};

/// A place without attributes.
struct Plain;

impl Compare for Plain {
    fn stored<'c>(
        &self,
        _: &RepoPath,
        content: &'c Content,
        _: DiffSide<'_>,
    ) -> Result<Cow<'c, Content>, CompareError> {
        Ok(Cow::Borrowed(content))
    }

    fn is_binary(&self, _: &RepoPath, content: &Content) -> Result<bool, CompareError> {
        Ok(content.is_binary())
    }

    fn regions(&self, _: &RepoPath, old: &[u8], new: &[u8]) -> Result<Vec<Region>, CompareError> {
        Ok(regions(&rows(old), &rows(new)))
    }

    fn binary_patch(&self, _: &RepoPath, _: &[u8], _: &[u8]) -> Result<Vec<u8>, CompareError> {
        Ok(Vec::new())
    }

    fn id(&self, content: Option<&[u8]>) -> Result<String, CompareError> {
        let mut hasher = DefaultHasher::new();
        content.hash(&mut hasher);
        Ok(format!("{:040x}", hasher.finish()))
    }

    fn abbreviate(&self, id: &str) -> Result<String, CompareError> {
        Ok(id.to_owned())
    }
}

fn rows(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').collect()
}

fn regions(old: &[&[u8]], new: &[&[u8]]) -> Vec<Region> {
    let mut all: Vec<Region> = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (old, new) = (op.old_range(), op.new_range());
        match all.last_mut() {
            Some(last) if last.old.end == old.start && last.new.end == new.start => {
                (last.old.end, last.new.end) = (old.end, new.end);
            }
            _ => all.push(Region { old, new }),
        }
    }
    all
}

fn file(content: &str) -> File {
    File {
        content: content.into(),
        mode: Mode::PLAIN,
    }
}

fn change(before: &str, after: &str) -> ChangeSet {
    ChangeSet::new([Change {
        path: RepoPath::new(b"f").unwrap(),
        before: Some(file(before)),
        after: Some(file(after)),
        from: None,
    }])
}

/// Reviews a change of `head`, of which a pull request into `base` is made.
fn reviewed(base: &str, head: &str, after: &str, notes: &[LineNote]) -> Result<Review, Vec<What>> {
    let shown = change(base, head);
    let diff = unified(&shown, &Plain, &Options::default()).unwrap();
    let pull_request = PullRequest {
        head: "abc123",
        diff: &diff,
    };
    let done = review(&change(head, after), pull_request, &Plain, notes).unwrap();
    done.map_err(|all| all.into_iter().map(|one| one.what).collect())
}

/// A hunk as the site shows it: its rows, each with the number of its line of the head.
struct Shown {
    header: String,
    rows: Vec<(Option<usize>, String)>,
}

/// The diff that the site shows, which isn't made by what is tested.
fn site(base: &str, head: &str) -> Vec<Shown> {
    let diff = TextDiff::from_lines(base, head);
    let mut unified = diff.unified_diff();
    let shown = unified.context_radius(3).iter_hunks().map(|hunk| {
        let text = hunk.to_string();
        let (header, rows) = text.split_once('\n').unwrap();
        let new = header.split_once(" +").unwrap().1;
        let start = new.split([',', ' ']).next().unwrap();
        let mut next: usize = start.parse().unwrap();
        let rows = rows.split_terminator('\n').map(|row| {
            let is_new = row.starts_with(['+', ' ']);
            next += usize::from(is_new);
            (is_new.then(|| next - 1), row.to_owned())
        });
        Shown {
            rows: rows.collect(),
            header: header.to_owned(),
        }
    });
    shown.collect()
}

/// Returns the rows from one line of the head to another, if a hunk has both.
fn between(site: &[Shown], start: usize, line: usize) -> Option<(&Shown, Range<usize>)> {
    site.iter().find_map(|hunk| {
        let at = |line| {
            hunk.rows
                .iter()
                .position(|(number, _)| *number == Some(line))
        };
        Some((hunk, at(start)?..at(line)? + 1))
    })
}

/// Does what the site does with what is posted, and returns the comments as it gives them.
fn posted(site: &[Shown], review: &Value) -> Vec<Value> {
    assert_eq!(review["event"], "COMMENT");
    assert_ne!(review["body"], "");
    let mut taken = 0;
    let comments = review["comments"].as_array().unwrap().iter().enumerate();
    comments
        .map(|(id, comment)| {
            let line = comment["line"].as_u64().unwrap() as usize;
            let start = comment["start_line"].as_u64().map(|start| start as usize);
            assert!(start.is_none_or(|start| start < line), "{comment}");
            assert_eq!(comment["side"], "RIGHT");
            assert_eq!(comment["start_side"].as_str(), start.map(|_| "RIGHT"));
            let first = start.unwrap_or(line);
            assert!(first > taken, "two for one line: {review}");
            taken = line;
            let (hunk, rows) = between(site, first, line).expect("lines of the diff");
            let mut shown = vec![hunk.header.clone()];
            shown.extend(hunk.rows[..rows.end].iter().map(|(_, row)| row.clone()));
            // The mark of a last line without end belongs to it.
            let behind = hunk.rows.get(rows.end).map(|(_, row)| row);
            shown.extend(behind.filter(|row| row.starts_with('\\')).cloned());
            json!({
                "id": id,
                "path": comment["path"],
                "diff_hunk": shown.join("\n"),
                "commit_id": review["commit_id"],
                "original_commit_id": review["commit_id"],
                "user": {"login": "octocat", "id": 1},
                "body": comment["body"],
                "start_line": start,
                "original_start_line": start,
                "line": line,
                "original_line": line,
                "side": "RIGHT",
            })
        })
        .collect()
}

/// Makes all of a change that the site takes; `named` is told the rest, by a line of each region.
fn taken(head: &str, after: &str, site: &[Shown], mut named: impl FnMut(usize)) -> String {
    let (old, new) = (rows(head.as_bytes()), rows(after.as_bytes()));
    let mut text: Vec<&[u8]> = Vec::new();
    let mut at = 0;
    for Region { old: from, new: to } in regions(&old, &new) {
        text.extend(&old[at..from.start]);
        at = from.end;
        let is_shown = |first: usize, last| between(site, first, last).is_some();
        let is_taken = match from.is_empty() {
            // Behind a line, or before the next.
            true => is_shown(at, at) || is_shown(at + 1, at + 1),
            false => is_shown(from.start + 1, from.end),
        };
        if !is_taken {
            named(from.end.max(1));
        }
        text.extend(if is_taken { &new[to] } else { &old[from] });
    }
    text.extend(&old[at..]);
    String::from_utf8(text.concat()).unwrap()
}

const LINES: [&str; 12] = [
    "}",
    "",
    "a",
    "  a",
    "b\\\"",
    "```",
    "  ````sh",
    "```suggestion",
    "~~~",
    "</code>",
    "<!--",
    "é",
];

const NOTES: [&str; 6] = [
    "Why",
    "```suggestion\nx",
    "~~~",
    "<!-- a",
    "a\n\n  ```\n- b",
    "`a` <pre>",
];

/// Some lines made of others: each is kept, dropped, replaced or gets company.
fn edited(lines: &[String], edits: &[(u8, &'static str)]) -> Vec<String> {
    let mut edits = edits.iter().cycle();
    let pairs = lines.iter().zip(std::iter::from_fn(|| edits.next()));
    pairs
        .flat_map(|(line, (edit, word))| match edit {
            0 => vec![],
            1 => vec![(*word).to_owned()],
            2 => vec![line.clone(), (*word).to_owned()],
            3 => vec![(*word).to_owned(), line.clone()],
            _ => vec![line.clone()],
        })
        .collect()
}

fn edits() -> impl Strategy<Value = Vec<(u8, &'static str)>> {
    (10..40u8).prop_flat_map(|most| vec((0..most, select(&LINES[..])), 40))
}

/// Joins lines; the last has no end if it is `open`, and has text.
fn joined(lines: &[String], end: &str, open: bool) -> String {
    let text: String = lines.iter().map(|line| format!("{line}{end}")).collect();
    if lines.last().is_some_and(|last| open && !last.is_empty()) {
        text[..text.len() - end.len()].to_owned()
    } else {
        text
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::testing::cases(2400)))]

    #[test]
    fn what_is_posted_is_the_change_but_for_what_is_named(
        base in vec((any::<bool>(), select(&LINES[..])), 1..40),
        [first, second] in [edits(), edits()],
        open in [0..8u8, 0..8, 0..8],
        is_crlf in any::<bool>(),
        notes in vec((select(&NOTES[..]), 0..40usize, 0..4usize), 0..4),
    ) {
        let base = base.iter().enumerate();
        let base: Vec<String> = base
            .map(|(at, (is_plain, line))| if *is_plain { at.to_string() } else { (*line).to_owned() })
            .collect();
        let head = edited(&base, &first);
        let after = edited(&head, &second);
        let end = if is_crlf { "\r\n" } else { "\n" };
        let [base, head, after] = [(base, open[0]), (head, open[1]), (after, open[2])]
            .map(|(lines, open)| joined(&lines, end, open == 0));
        if base == head || head == after {
            return Ok(());
        }
        let notes: Vec<_> = notes
            .into_iter()
            .map(|(text, start, count)| LineNote {
                path: RepoPath::new(b"f").unwrap(),
                lines: (count < 3).then(|| start..start + count).into_iter().collect(),
                text: text.into(),
            })
            .collect();
        let review = match reviewed(&base, &head, &after, &notes) {
            Ok(review) => review,
            Err(what) => {
                let ends = |text: &str| text.is_empty() || text.ends_with('\n');
                let has_cr = |text: &str| text.contains('\r');
                let is_last = what == [What::FinalNewline] && ends(&head) != ends(&after);
                // What has no line end has neither.
                let is_cr = what == [What::LineEnds] && has_cr(&head) != has_cr(&after);
                prop_assert!(is_last || is_cr, "{what:?}");
                return Ok(());
            }
        };
        let site = site(&base, &head);
        let mut named = Vec::new();
        for limited in &review.limited {
            prop_assert!(matches!(limited.limit, Limit::Lines | Limit::Removed));
            for (start, line) in &limited.lines {
                let run = (start.get() as usize, line.get() as usize);
                let shown = between(&site, run.0, run.1);
                if limited.limit == Limit::Removed {
                    let (hunk, rows) = shown.expect("it is posted");
                    prop_assert!(hunk.rows[rows].iter().any(|(_, row)| row.starts_with('-')));
                } else {
                    prop_assert!(shown.is_none(), "{limited:?} is shown");
                    named.push(run);
                }
            }
        }
        let mut rest = Vec::new();
        let want = taken(&head, &after, &site, |line| rest.push(line));
        let is_named = |line: &usize| named.iter().any(|(first, last)| (first..=last).contains(&line));
        prop_assert!(rest.iter().all(is_named), "{rest:?} in {named:?}");
        if review.text.is_empty() {
            prop_assert_eq!(want, head);
            return Ok(());
        }
        let comments = posted(&site, &serde_json::from_slice(&review.text).unwrap());
        let response = serde_json::to_string(&comments).unwrap();
        let files = MemoryTree::new().with("f", &head[..]);
        let applied = apply("comments.json", response.clone(), &files, &crate::Options::default());
        let applied = match applied {
            Ok(applied) => applied,
            // Lines that are only added, and are there already, are taken for a change made before.
            Err(refusal) => {
                let is_repeated = refusal.errors.iter().all(|error| error.kind == Kind::Unchanged);
                let only_adds = regions(&rows(head.as_bytes()), &rows(want.as_bytes()));
                let only_adds = only_adds.iter().all(|region| region.old.is_empty());
                prop_assert!(is_repeated && only_adds, "{}\n{}", refusal, response);
                return Ok(());
            }
        };
        let moved = applied.warnings.iter().find(|warning| warning.kind == Kind::HunkMoved);
        prop_assert!(moved.is_none(), "{:?}", moved);
        let change = applied.changes.iter().next().and_then(|change| change.after.as_ref());
        let got = change.map(|file| String::from_utf8_lossy(&file.content).into_owned());
        prop_assert_eq!(got, Some(want), "{}\n{:?}", response, named);
    }
}
