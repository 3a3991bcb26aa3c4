//! The files of a change, each with what it was, what it becomes and the lines that edits add.

use std::collections::{BTreeMap, BTreeSet};

use memchr::memchr;

use crate::patch::{FileEdit, Format, Hunk, Mark, Operation, Patch, Status, Substitution};
use crate::path::{RepoPath, Resolver};
use crate::plan::{Change, ChangeSet, ResolvedEdit, resolved};
use crate::text::{Content, Lines, Located, Span, Text, same_ends};
use crate::tree::File;

/// A file of a change.
pub(super) struct Touched<'e> {
    pub(super) path: &'e RepoPath,
    /// Where the response first names it.
    pub(super) named: Option<Span>,
    /// Whether no file was there.
    pub(super) is_new: bool,
    /// What it was; nothing for a file that is new, or whose old content has moved elsewhere.
    pub(super) before: Content,
    pub(super) after: Content,
    /// The lines that edits add; none in a binary file, or a file that is deleted.
    pub(super) runs: Vec<Run<'e>>,
}

/// Lines in a row that one edit adds.
pub(super) struct Run<'e> {
    pub(super) lines: Vec<&'e Text<'e>>,
    /// The first and the last of them, if the edit replaces a part of the file and doesn't show
    /// them as lines that this part has.
    pub(super) edges: [Option<&'e Text<'e>>; 2],
    /// Whether they are all that the file is to hold.
    pub(super) is_whole: bool,
    /// Whether the format has a `+` before each of them.
    pub(super) has_prefixes: bool,
}

impl Touched<'_> {
    /// Returns the lines of the file before the change.
    pub(super) fn old(&self) -> Lines<'_> {
        self.before.lines()
    }

    /// Returns the added lines.
    pub(super) fn added(&self) -> impl Iterator<Item = &Text<'_>> {
        self.runs.iter().flat_map(|run| run.lines.iter().copied())
    }

    /// Finds the first added line of which something is true that is true of no line of the file:
    /// an author whose file has these lines already means them.
    pub(super) fn first<T>(&self, find: impl Fn(&[u8]) -> Option<T>) -> Option<Located<T>> {
        let found = self
            .added()
            .find_map(|line| Some(Located::new(line.span, find(line)?)))?;
        let is_known = self.old().iter().any(|line| find(line.text).is_some());
        (!is_known).then_some(found)
    }
}

/// The edits of a file, which an earlier edit may have moved to where it is.
#[derive(Default)]
struct Edited<'e> {
    /// The path that it had before the response.
    origin: Option<RepoPath>,
    edits: Vec<(Format, &'e FileEdit<'e>)>,
}

/// Returns the files of a change, by path.
pub(super) fn files<'e>(
    patches: &'e [Patch<'e>],
    resolver: &Resolver,
    changes: &'e ChangeSet,
) -> Vec<Touched<'e>> {
    let edits = resolved(patches, resolver);
    let is_copy = |edit: &FileEdit<'_>| status(edit) == Some(Status::Copied);
    let moves = edits
        .iter()
        .filter(|of| of.to.is_some() && !is_copy(of.edit));
    let moved: BTreeSet<RepoPath> = moves.filter_map(|of| of.path.clone().ok()).collect();
    let mut named = BTreeMap::new();
    let mut files: BTreeMap<RepoPath, Edited<'e>> = BTreeMap::new();
    for of in edits {
        let ResolvedEdit { edit, format, .. } = of;
        let Ok(path) = of.path else {
            continue;
        };
        named
            .entry(path.clone())
            .or_insert(edit.path.span.or(edit.span));
        let is_elsewhere = is_whole(edit) && moved.contains(&path);
        let file = files.entry(path.clone()).or_insert_with(|| Edited {
            origin: (!is_elsewhere).then(|| path.clone()),
            edits: Vec::new(),
        });
        file.edits.push((format, edit));
        let Some(Ok(to)) = of.to else {
            continue;
        };
        let span = edit.destination().and_then(|to| to.span);
        named.entry(to.clone()).or_insert(span.or(edit.span));
        if let Some(file) = files.remove(&path) {
            files.insert(to, file);
        }
    }
    let touched = changes.iter().map(|change| {
        let file = files.remove(&change.path).unwrap_or_default();
        touched(change, file, &named, changes)
    });
    touched.collect()
}

fn touched<'e>(
    change: &'e Change,
    file: Edited<'e>,
    named: &BTreeMap<RepoPath, Option<Span>>,
    changes: &ChangeSet,
) -> Touched<'e> {
    let origin = file.origin.as_ref().and_then(|path| changes.get(path));
    let before = content(origin.and_then(|origin| origin.before.as_ref()));
    let after = content(change.after.as_ref());
    let has_nul = |content: &Content| content.parts().any(|part| memchr(0, part).is_some());
    let is_text = change.after.is_some() && ![&before, &after].into_iter().any(has_nul);
    let edits = file.edits.into_iter().filter(|_| is_text);
    Touched {
        path: &change.path,
        named: named.get(&change.path).copied().flatten(),
        is_new: change.before.is_none(),
        before,
        after,
        runs: edits
            .flat_map(|(format, edit)| runs(format, edit))
            .collect(),
    }
}

/// Returns what a file holds, nothing if there is none.
fn content(file: Option<&File>) -> Content {
    file.map_or_else(|| Vec::new().into(), |file| file.content.clone())
}

fn status(edit: &FileEdit<'_>) -> Option<Status> {
    edit.header.as_ref().map(|header| header.status)
}

/// Returns whether an edit says all that its file is to hold.
fn is_whole(edit: &FileEdit<'_>) -> bool {
    status(edit) == Some(Status::Added)
        || matches!(
            edit.operation,
            Operation::Create { .. } | Operation::Replace { .. }
        )
}

/// Returns the lines that an edit adds, each run of them by itself.
fn runs<'e>(format: Format, edit: &'e FileEdit<'e>) -> Vec<Run<'e>> {
    let is_hunk = matches!(edit.operation, Operation::Update { .. });
    let runs: Vec<(Vec<&Text<'_>>, _)> = match &edit.operation {
        Operation::Create { lines, .. } | Operation::Replace { lines } => {
            vec![(lines.iter().collect(), [None, None])]
        }
        Operation::Substitute(Substitution { find, put, .. }) => {
            let (head, tail) = same_ends(find, put);
            let added: Vec<_> = put[head..put.len() - tail].iter().collect();
            let edges = edges(&added, head + tail < find.len(), find.iter());
            vec![(added, edges)]
        }
        Operation::Update { hunks, .. } => hunks.iter().map(added).collect(),
        _ => Vec::new(),
    };
    let runs = runs.into_iter().map(|(lines, edges)| Run {
        lines,
        edges,
        is_whole: is_whole(edit),
        has_prefixes: is_hunk || format == Format::Envelope,
    });
    runs.filter(|run| !is_hunk || !run.lines.is_empty())
        .collect()
}

fn added<'e>(hunk: &'e Hunk<'e>) -> (Vec<&'e Text<'e>>, [Option<&'e Text<'e>>; 2]) {
    let added = hunk.lines.iter().filter(|line| line.mark == Mark::Added);
    let added: Vec<_> = added.map(|line| &line.text).collect();
    let removes = hunk.lines.iter().any(|line| line.mark == Mark::Removed);
    let edges = edges(&added, removes, hunk.old().map(|line| &line.text));
    (added, edges)
}

/// Returns the first and the last of added lines that aren't among the old ones. A line alone that
/// replaces nothing is told of where it is placed.
fn edges<'e>(
    added: &[&'e Text<'e>],
    removes: bool,
    old: impl Iterator<Item = &'e Text<'e>> + Clone,
) -> [Option<&'e Text<'e>>; 2] {
    if added.len() < 2 && !removes {
        return [None, None];
    }
    let is_new = |edge: &&Text<'_>| !old.clone().any(|line| line == *edge);
    [added.first(), added.last()].map(|edge| edge.copied().filter(is_new))
}
