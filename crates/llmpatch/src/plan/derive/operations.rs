//! What is to be said of each file of a change, in an order in which it can be done.

use std::iter;

use super::update::{Described, update, whole};
use super::{Derived, path_text, proof};
use crate::compare::{Compare, CompareError, Options};
use crate::patch::{FileEdit, Format, Operation, Patch, Unrepresentable, What};
use crate::path::{RepoPath, Resolver, unlikely};
use crate::plan::{Change, ChangeSet};
use crate::text::{Lines, Text};
use crate::tree::File;

/// Derives an envelope, OPX, search/replace blocks or tool calls: what they are planned to is the
/// change, by every rule and without a warning that the place of anything is in doubt. Contents are
/// the change's, as they are, not as git stores them. Renames are taken from the change set.
///
/// Lines that change have `options.context` lines around them, and as many more as it takes for them
/// to be in one place only. In an envelope, where a line that git would name a chunk by leads to it
/// and is once in the file, it is named after `@@`; in OPX, an occurrence is counted only where a
/// great many lines would be needed.
///
/// # Errors
/// If contents can't be compared.
pub fn texts<'c>(
    format: Format,
    changes: &'c ChangeSet,
    compare: &dyn Compare,
    options: &Options,
) -> Result<Derived<'c>, CompareError> {
    let mut unrepresentable = Vec::new();
    let mut edits = Vec::with_capacity(changes.len());
    for operation in operations(changes) {
        match operation.edits(format, compare, options)? {
            Ok(these) => edits.extend(these),
            Err(what) => unrepresentable.push(Unrepresentable {
                path: operation.new_path().as_bstr().into(),
                format: format.the(),
                what,
            }),
        }
        options.progress.step();
    }
    let patch = Patch { format, edits };
    Ok(Derived {
        patch,
        unrepresentable,
    })
}

/// Makes the operation that makes a new file of these lines.
pub(super) fn create(lines: Vec<Text<'_>>, fills_empty: bool) -> Operation<'_> {
    Operation::Create {
        lines,
        fills_empty,
        ends_open: false,
    }
}

/// What is done to one file.
struct FileOperation<'c> {
    /// Where it is, or will be if it is new.
    path: &'c RepoPath,
    /// Where it will be if it is renamed.
    to: Option<&'c RepoPath>,
    before: Option<&'c File>,
    after: Option<&'c File>,
}

impl<'c> FileOperation<'c> {
    /// Returns the path that the file has afterwards, or had.
    fn new_path(&self) -> &'c RepoPath {
        self.to.unwrap_or(self.path)
    }

    /// Returns its turn, where files are in each other's way.
    fn rank(&self) -> usize {
        match (self.after, self.to) {
            (None, _) => 0,
            (_, Some(_)) => 1,
            _ => 2,
        }
    }

    fn edits(
        &self,
        format: Format,
        compare: &dyn Compare,
        options: &Options,
    ) -> Described<FileEdit<'c>> {
        if let Some(what) = self.hindrance(format) {
            return Ok(Err(what));
        }
        let is_blocks = format == Format::Blocks;
        let operations = match (self.before, self.after) {
            (_, None) if is_blocks => Err(What::Deletion),
            (_, None) => Ok(vec![Operation::Delete { expected: None }]),
            (None, Some(file)) if format == Format::Opx => {
                whole(&file.content, |lines| create(lines, false)).ok_or(What::BlankEdges)
            }
            (None, Some(file)) => Ok(vec![Operation::Create {
                lines: proof::whole_file(&file.content),
                fills_empty: is_blocks,
                ends_open: !proof::has_end(&file.content.lines()),
            }]),
            (Some(_), Some(_)) if is_blocks && self.to.is_some() => Err(What::Rename),
            (Some(before), Some(after)) if before.content == after.content => Ok(Vec::new()),
            (Some(before), Some(after)) => {
                update(format, self.new_path(), before, after, compare, options)?
            }
        };
        Ok(operations.map(|operations| self.with_renaming(format, operations)))
    }

    /// Makes edits of operations, with the renaming in the first or before it.
    fn with_renaming(
        &self,
        format: Format,
        mut operations: Vec<Operation<'c>>,
    ) -> Vec<FileEdit<'c>> {
        if let Some(to) = self.to.map(path_text) {
            match operations.first_mut() {
                Some(Operation::Update { to: target, .. }) => *target = Some(to),
                _ if format == Format::Opx => operations.insert(0, Operation::Move { to }),
                _ => {
                    let (to, hunks) = (Some(to), Vec::new());
                    operations.insert(0, Operation::Update { to, hunks });
                }
            }
        }
        let paths = iter::once(self.path).chain(iter::repeat(self.new_path()));
        let edits = operations.into_iter().zip(paths);
        edits
            .map(|(operation, path)| FileEdit::new(path_text(path), operation, None))
            .collect()
    }

    /// Returns what a format can't say of the file, and most can't but a diff.
    fn hindrance(&self, format: Format) -> Option<What> {
        let is_unnamed = |path: &RepoPath| {
            Resolver::default().resolve(None, path.as_bytes()).as_ref() != Ok(path)
        };
        let is_unlikely = |path: &RepoPath| unlikely(path.as_bytes()).is_some();
        let is_link = |file: &File| file.mode.is_link();
        let comes = self.before.map_or(Some(self.path), |_| self.to);
        if is_unnamed(self.path) || self.to.is_some_and(is_unnamed) {
            return Some(What::Path);
        }
        if comes.is_some_and(is_unlikely) {
            return Some(What::Name);
        }
        let after = self.after?;
        let content = &after.content;
        match self.before {
            before if is_link(after) || before.is_some_and(is_link) => Some(What::Link),
            Some(before) if before.mode.executable != after.mode.executable => Some(What::Mode),
            Some(before) if before.content == *content => None,
            Some(_) if content.is_binary() => Some(What::Binary),
            Some(before)
                if before.content.starts_with(Lines::BOM) != content.starts_with(Lines::BOM) =>
            {
                Some(What::Mark)
            }
            Some(_) => None,
            None if after.mode.executable => Some(What::NewExecutable),
            None if memchr::memchr(0, content).is_some() => Some(What::Binary),
            None if format != Format::Tool && !proof::has_end(&content.lines()) => {
                Some(What::NoFinalNewline)
            }
            None => None,
        }
    }
}

/// Lists what is done, by path: a renamed file at its new path. Where a file is in the way of a
/// directory, or the other way round, deletions come first.
fn operations(changes: &ChangeSet) -> Vec<FileOperation<'_>> {
    let sources = changes.sources();
    let stay = |change: &&Change| change.after.is_some() || !sources.contains(&change.path);
    let mut operations: Vec<_> = changes
        .iter()
        .filter(stay)
        .map(|change| {
            let source = change.from.as_ref().and_then(|from| changes.get(from));
            let old = source.unwrap_or(change);
            FileOperation {
                path: &old.path,
                to: source.map(|_| &change.path),
                before: old.before.as_ref(),
                after: change.after.as_ref(),
            }
        })
        .collect();
    if stand_in_the_way(changes) {
        operations.sort_by_key(FileOperation::rank);
    }
    operations
}

fn stand_in_the_way(changes: &ChangeSet) -> bool {
    let comes = |path: &RepoPath| {
        let change = changes.get(path);
        change.is_some_and(|change| change.before.is_none())
    };
    changes
        .iter()
        .any(|change| match (&change.before, &change.after) {
            (None, _) => change.path.ancestors().any(|above| changes.removes(&above)),
            (_, None) => change.path.ancestors().any(|above| comes(&above)),
            _ => false,
        })
}
