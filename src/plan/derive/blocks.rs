//! [`ChangeSet`] → search/replace blocks.

use super::envelope::edit;
use super::operations::{FileOperation, operations};
use super::opx::{has_nul, joined};
use super::{Derived, Unrepresentable, What, proof, substitutions};
use crate::compare::{Compare, CompareError, Region};
use crate::patch::{Format, Occurrence, Operation, Patch};
use crate::path::RepoPath;
use crate::plan::ChangeSet;
use crate::text::Lines;
use crate::tree::File;

/// Derives search/replace blocks: what they are planned to is the change, by every rule. The lines of each are once in the file as
/// the blocks before have left it: those that change, with `context` lines around them and as many more as that takes, at last all of
/// the file.
///
/// # Errors
/// If contents can't be compared.
pub fn blocks<'c>(changes: &'c ChangeSet, compare: &dyn Compare, context: u32) -> Result<Derived<'c>, CompareError> {
    let mut unsaid = Vec::new();
    let mut edits = Vec::with_capacity(changes.len());
    for operation in operations(changes, Format::Blocks, &mut unsaid) {
        let (path, said) = match operation {
            FileOperation::Delete { path } => (path, Err(What::Deletion)),
            FileOperation::Change { to: Some(to), .. } => (to, Err(What::Rename)),
            FileOperation::Add { path, file } => (path, Ok(vec![create(file)])),
            FileOperation::Change { path, to: None, before, after } => {
                (path, update(path, before, after, compare, context)?)
            }
        };
        match said {
            Ok(these) => edits.extend(these.into_iter().map(|operation| edit(path, operation))),
            Err(what) => unsaid.push(Unrepresentable { path: path.as_bstr().into(), format: Format::Blocks, what }),
        }
    }
    Ok(Derived::new(Patch { format: Format::Blocks, edits }, unsaid))
}

fn create(file: &File) -> Operation<'_> {
    Operation::Create { lines: proof::whole_file(&file.content), fills_empty: true }
}

fn update<'c>(
    path: &RepoPath,
    before: &'c File,
    after: &'c File,
    compare: &dyn Compare,
    context: u32,
) -> Result<Result<Vec<Operation<'c>>, What>, CompareError> {
    let (old, new) = (Lines::new(&before.content), Lines::new(&after.content));
    if before.content.is_binary() {
        return Ok(Err(What::Binary));
    }
    let regions = compare.regions(path, &old.bytes()[old.bom().len()..], &new.bytes()[new.bom().len()..])?;
    let whole = vec![Region { old: 0..old.len(), new: 0..new.len() }];
    let said = |regions: &[Region]| {
        let one = Occurrence::Lines(None);
        substitutions::substitutions(&before.content, &after.content, regions, context as usize, one)
    };
    let filled = before.content.is_empty().then(|| vec![create(after)]);
    let tries = [filled, said(&regions), said(&joined(&regions)), said(&whole)].into_iter().flatten();
    let fits =
        |operations: &Vec<Operation<'_>>| !operations.iter().any(has_nul) && proof::turns(before, operations, after);
    Ok(tries.into_iter().find(fits).ok_or_else(|| proof::reason(&old, &new)))
}
