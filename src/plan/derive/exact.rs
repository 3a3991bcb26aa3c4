//! [`ChangeSet`] → search/replace blocks, or tool calls: texts that are there once, to be replaced.

use super::envelope::edit;
use super::operations::{FileOperation, operations};
use super::opx::{has_nul, joined};
use super::{Derived, Unrepresentable, What, path_text, proof, substitutions};
use crate::compare::{Compare, CompareError, Region};
use crate::patch::{Format, Occurrence, Operation, Patch, Times};
use crate::path::RepoPath;
use crate::plan::ChangeSet;
use crate::text::Lines;
use crate::tree::File;

/// Derives search/replace blocks or tool calls: what they are planned to is the change, by every rule. The lines of each are once in
/// the file as those before have left it: those that change, with `context` lines around them and as many more as that takes, at last
/// all of the file.
///
/// # Errors
/// If contents can't be compared.
pub fn exact<'c>(
    format: Format,
    changes: &'c ChangeSet,
    compare: &dyn Compare,
    context: u32,
) -> Result<Derived<'c>, CompareError> {
    let is_blocks = format == Format::Blocks;
    let mut unsaid = Vec::new();
    let mut edits = Vec::with_capacity(changes.len());
    for operation in operations(changes, format, &mut unsaid) {
        let (path, said) = match operation {
            FileOperation::Delete { path } if is_blocks => (path, Err(What::Deletion)),
            FileOperation::Delete { path } => (path, Ok(vec![Operation::Delete { expected: None }])),
            FileOperation::Change { to: Some(to), .. } if is_blocks => (to, Err(What::Rename)),
            FileOperation::Change { path: from, to: Some(to), before, after } => {
                let moved = Operation::Update { to: Some(path_text(to)), hunks: Vec::new() };
                edits.push(edit(from, moved));
                (to, update(format, to, before, after, compare, context)?)
            }
            FileOperation::Add { path, file } => (path, Ok(vec![create(file, is_blocks)])),
            FileOperation::Change { path, to: None, before, after } => {
                (path, update(format, path, before, after, compare, context)?)
            }
        };
        match said {
            Ok(these) => edits.extend(these.into_iter().map(|operation| edit(path, operation))),
            Err(what) => unsaid.push(Unrepresentable { path: path.as_bstr().into(), format, what }),
        }
    }
    Ok(Derived::new(Patch { format, edits }, unsaid))
}

fn create(file: &File, fills_empty: bool) -> Operation<'_> {
    Operation::Create { lines: proof::whole_file(&file.content), fills_empty, ends_open: false }
}

fn update<'c>(
    format: Format,
    path: &RepoPath,
    before: &'c File,
    after: &'c File,
    compare: &dyn Compare,
    context: u32,
) -> Result<Result<Vec<Operation<'c>>, What>, CompareError> {
    if before.content == after.content {
        return Ok(Ok(Vec::new()));
    }
    let (old, new) = (Lines::new(&before.content), Lines::new(&after.content));
    if before.content.is_binary() {
        return Ok(Err(What::Binary));
    }
    let regions = compare.regions(path, &old.bytes()[old.bom().len()..], &new.bytes()[new.bom().len()..])?;
    let whole = vec![Region { old: 0..old.len(), new: 0..new.len() }];
    let one = if format == Format::Tool { Occurrence::Text(Times::Once) } else { Occurrence::Lines(None) };
    let said = |regions: &[Region]| {
        substitutions::substitutions(&before.content, &after.content, regions, context as usize, one)
    };
    let filled = before.content.is_empty().then(|| vec![create(after, true)]);
    let tries = [filled, said(&regions), said(&joined(&regions)), said(&whole)].into_iter().flatten();
    let fits =
        |operations: &Vec<Operation<'_>>| !operations.iter().any(has_nul) && proof::turns(before, operations, after);
    Ok(tries.into_iter().find(fits).ok_or_else(|| proof::reason(&old, &new)))
}
