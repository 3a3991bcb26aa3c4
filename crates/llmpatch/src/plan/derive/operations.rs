//! What is to be said of each file of a change, in an order in which it can be done.

use super::{Derived, path_text, proof};
use crate::compare::{Compare, CompareError, Options, Region};
use crate::patch::{FileEdit, Format, Operation, Patch, Unrepresentable, What};
use crate::path::{RepoPath, Resolver, unlikely};
use crate::plan::{Change, ChangeSet};
use crate::text::Lines;
use crate::tree::File;

/// What a format says of a file, or why it can't say it; an error if contents can't be compared.
pub(super) type Described<T> = Result<Result<Vec<T>, What>, CompareError>;

/// Derives a patch in a format, given what says what is done to one file. The options tell who
/// counts the files.
pub(super) fn derive<'c>(
    changes: &'c ChangeSet,
    format: Format,
    options: &Options,
    say: impl Fn(FileOperation<'c>) -> Described<FileEdit<'c>>,
) -> Result<Derived<'c>, CompareError> {
    let mut unrepresentable = Vec::new();
    let mut edits = Vec::with_capacity(changes.len());
    for operation in operations(changes, format, &mut unrepresentable) {
        match say(operation)? {
            Ok(these) => edits.extend(these),
            Err(what) => {
                unrepresentable.push(Unrepresentable {
                    path: operation.path().as_bstr().into(),
                    format: format.the(),
                    what,
                });
            }
        }
        options.progress.step();
    }
    Ok(Derived::new(Patch { format, edits }, unrepresentable))
}

/// Makes an edit that does one thing with a file.
pub(super) fn edit<'c>(path: &'c RepoPath, operation: Operation<'c>) -> FileEdit<'c> {
    FileEdit::new(path_text(path), operation, None)
}

/// Makes an edit of each operation, all of one file.
pub(super) fn edits<'c>(
    path: &'c RepoPath,
    operations: Vec<Operation<'c>>,
) -> impl Iterator<Item = FileEdit<'c>> {
    operations
        .into_iter()
        .map(move |operation| edit(path, operation))
}

/// Makes the edit that deletes a file, whatever it holds.
pub(super) fn delete(path: &RepoPath) -> FileEdit<'_> {
    edit(path, Operation::Delete { expected: None })
}

/// Makes the operation that puts a new file in its place.
pub(super) fn create(content: &[u8], fills_empty: bool) -> Operation<'_> {
    Operation::Create {
        lines: proof::whole_file(content),
        fills_empty,
        ends_open: false,
    }
}

/// Returns which lines differ, byte order marks aside.
pub(super) fn regions(
    path: &RepoPath,
    old: &Lines<'_>,
    new: &Lines<'_>,
    compare: &dyn Compare,
) -> Result<Vec<Region>, CompareError> {
    compare.regions(
        path,
        &old.bytes()[old.bom().len()..],
        &new.bytes()[new.bom().len()..],
    )
}

/// What is done to one file.
#[derive(Clone, Copy)]
pub(super) enum FileOperation<'c> {
    /// It comes.
    Add { path: &'c RepoPath, file: &'c File },
    /// It goes.
    Delete { path: &'c RepoPath },
    /// Its content changes, or its path, or both.
    Change {
        path: &'c RepoPath,
        to: Option<&'c RepoPath>,
        before: &'c File,
        after: &'c File,
    },
}

impl<'c> FileOperation<'c> {
    /// Returns the path that the file has afterwards, or had.
    fn path(&self) -> &'c RepoPath {
        match self {
            FileOperation::Change { to: Some(path), .. }
            | FileOperation::Change { path, .. }
            | FileOperation::Add { path, .. }
            | FileOperation::Delete { path } => path,
        }
    }

    /// Returns its turn, where files are in each other's way.
    fn rank(&self) -> usize {
        match self {
            FileOperation::Delete { .. } => 0,
            FileOperation::Change { to: Some(_), .. } => 1,
            FileOperation::Change { to: None, .. } | FileOperation::Add { .. } => 2,
        }
    }
}

/// Lists what is done, by path: a renamed file at its new path. Where a file is in the way of a
/// directory, or the other way round, deletions come first.
fn operations<'c>(
    changes: &'c ChangeSet,
    format: Format,
    unrepresentable: &mut Vec<Unrepresentable>,
) -> Vec<FileOperation<'c>> {
    let sources = changes.sources();
    let mut operations = Vec::with_capacity(changes.len());
    for change in changes {
        let source = change.from.as_ref().and_then(|from| changes.get(from));
        let path = &change.path;
        let operation = match (source, change) {
            (
                Some(Change {
                    path: from,
                    before: Some(before),
                    ..
                }),
                Change {
                    after: Some(after), ..
                },
            ) => FileOperation::Change {
                path: from,
                to: Some(path),
                before,
                after,
            },
            (
                _,
                Change {
                    before: None,
                    after: Some(file),
                    ..
                },
            ) => FileOperation::Add { path, file },
            (
                _,
                Change {
                    before: Some(before),
                    after: Some(after),
                    ..
                },
            ) => FileOperation::Change {
                path,
                to: None,
                before,
                after,
            },
            (_, Change { after: None, .. }) if sources.contains(path) => continue,
            _ => FileOperation::Delete { path },
        };
        match hindrance(&operation) {
            Some(what) => unrepresentable.push(Unrepresentable {
                path: path.as_bstr().into(),
                format: format.the(),
                what,
            }),
            None => operations.push(operation),
        }
    }
    if stand_in_the_way(changes) {
        operations.sort_by_key(FileOperation::rank);
    }
    operations
}

/// Returns what no format but a diff can say of a file.
fn hindrance(operation: &FileOperation<'_>) -> Option<What> {
    let is_named =
        |path: &RepoPath| Resolver::default().resolve(None, path.as_bytes()).as_ref() == Ok(path);
    match operation {
        FileOperation::Delete { path } => (!is_named(path)).then_some(What::Path),
        FileOperation::Add { path, file } => match () {
            () if !is_named(path) => Some(What::Path),
            () if unlikely(path.as_bytes()).is_some() => Some(What::Name),
            () if file.mode.is_link() => Some(What::Link),
            () if file.mode.executable => Some(What::NewExecutable),
            () if memchr::memchr(0, &file.content).is_some() => Some(What::Binary),
            () if !file.content.is_empty() && !file.content.ends_with(b"\n") => {
                Some(What::NoFinalNewline)
            }
            () => None,
        },
        FileOperation::Change {
            path,
            to,
            before,
            after,
        } => match () {
            () if !is_named(path) || to.is_some_and(|to| !is_named(to)) => Some(What::Path),
            () if to.is_some_and(|to| unlikely(to.as_bytes()).is_some()) => Some(What::Name),
            () if before.mode.is_link() || after.mode.is_link() => Some(What::Link),
            () if before.mode.executable != after.mode.executable => Some(What::Mode),
            () if before.content == after.content => None,
            () if after.content.is_binary() => Some(What::Binary),
            () if before.content.starts_with(Lines::BOM)
                != after.content.starts_with(Lines::BOM) =>
            {
                Some(What::Mark)
            }
            () => None,
        },
    }
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
