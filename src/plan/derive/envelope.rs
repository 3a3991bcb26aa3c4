//! [`ChangeSet`] → the envelope that somebody would have written who knew the files.

use super::operations::{FileOperation, operations};
use super::{Derived, Unrepresentable, What, chunks, path_text, proof};
use crate::compare::{Compare, CompareError, Options};
use crate::patch::{FileEdit, Format, Hunk, Operation, Patch};
use crate::path::RepoPath;
use crate::plan::ChangeSet;
use crate::text::Lines;
use crate::tree::File;

/// Derives an envelope: what it is planned to is the change, by every rule and without a warning that the place of anything
/// is in doubt. Contents are those of the change as they are, not as git stores them.
///
/// Each chunk has `options.context` unchanged lines around it, and more where it could be mistaken otherwise; where a line
/// that git would name the hunk by leads to it and stands once in the file, it is named after `@@`. Renames are those that
/// the change set tells of.
///
/// # Errors
/// If contents can't be compared.
pub fn envelope<'c>(
    changes: &'c ChangeSet,
    compare: &dyn Compare,
    options: &Options,
) -> Result<Derived<'c>, CompareError> {
    let mut unsaid = Vec::new();
    let mut edits = Vec::with_capacity(changes.len());
    for operation in operations(changes, Format::Envelope, &mut unsaid) {
        let (path, named, operation) = match operation {
            FileOperation::Add { path, file } => (
                path,
                path,
                Ok(Operation::Create { lines: proof::whole_file(&file.content), fills_empty: false, ends_open: false }),
            ),
            FileOperation::Delete { path } => (path, path, Ok(Operation::Delete { expected: None })),
            FileOperation::Change { path, to, before, after } => {
                let named = to.unwrap_or(path);
                let hunks = update(named, before, after, compare, options)?;
                (path, named, hunks.map(|hunks| Operation::Update { to: to.map(path_text), hunks }))
            }
        };
        match operation {
            Ok(operation) => edits.push(edit(path, operation)),
            Err(what) => {
                unsaid.push(Unrepresentable { path: named.as_bstr().into(), format: Format::Envelope, what });
            }
        }
        options.progress.step();
    }
    Ok(Derived::new(Patch { format: Format::Envelope, edits }, unsaid))
}

pub(super) fn edit<'c>(path: &'c RepoPath, operation: Operation<'c>) -> FileEdit<'c> {
    FileEdit::new(path_text(path), operation, None)
}

fn update<'c>(
    path: &RepoPath,
    before: &'c File,
    after: &'c File,
    compare: &dyn Compare,
    options: &Options,
) -> Result<Result<Vec<Hunk<'c>>, What>, CompareError> {
    if before.content == after.content {
        return Ok(Ok(Vec::new()));
    }
    if before.content.is_binary() {
        return Ok(Err(What::Binary));
    }
    let (old, new) = (Lines::new(&before.content), Lines::new(&after.content));
    if !new.is_empty() && !after.content.ends_with(b"\n") {
        return Ok(Err(What::NoFinalNewline));
    }
    let regions = compare.regions(path, &old.bytes()[old.bom().len()..], &new.bytes()[new.bom().len()..])?;
    let hunks = chunks::chunks(&old, &new, &regions, &compare.headings(path)?, options);
    if has_nul(&hunks) {
        return Ok(Err(What::Binary));
    }
    for hunks in [hunks, chunks::whole(&old, &new, &regions)] {
        if !has_nul(&hunks) && proof::turns(before, &[Operation::Update { to: None, hunks: hunks.clone() }], after) {
            return Ok(Ok(hunks));
        }
    }
    Ok(Err(proof::reason(&old, &new)))
}

fn has_nul(hunks: &[Hunk<'_>]) -> bool {
    hunks.iter().flat_map(|hunk| &hunk.lines).any(|line| memchr::memchr(0, &line.text).is_some())
}
