//! [`ChangeSet`] → search/replace blocks, or tool calls: texts that are there once, to be replaced.

use super::operations::{Described, FileOperation, create, delete, derive, edit, edits, regions};
use super::opx::joined;
use super::{Derived, path_text, proof, substitutions};
use crate::compare::{Compare, CompareError, Options, Region};
use crate::patch::{Format, Occurrence, Operation, Times, What};
use crate::path::RepoPath;
use crate::plan::ChangeSet;
use crate::tree::File;

/// Derives search/replace blocks or tool calls: what they are planned to is the change, by every
/// rule. The old lines of each are once in the file as the edits before have left it: the lines
/// that change, with `context` lines around them and as many more as that takes, at last all of the
/// file.
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
    derive(changes, format, &Options::default(), |operation| {
        Ok(match operation {
            FileOperation::Delete { .. } if is_blocks => Err(What::Deletion),
            FileOperation::Change { to: Some(_), .. } if is_blocks => Err(What::Rename),
            FileOperation::Add { path, file } => {
                Ok(vec![edit(path, create(&file.content, is_blocks))])
            }
            FileOperation::Delete { path } => Ok(vec![delete(path)]),
            FileOperation::Change {
                path: from,
                to,
                before,
                after,
            } => {
                let path = to.unwrap_or(from);
                let moved = to.map(|to| {
                    edit(
                        from,
                        Operation::Update {
                            to: Some(path_text(to)),
                            hunks: Vec::new(),
                        },
                    )
                });
                update(format, path, before, after, compare, context)?
                    .map(|operations| moved.into_iter().chain(edits(path, operations)).collect())
            }
        })
    })
}

fn update<'c>(
    format: Format,
    path: &RepoPath,
    before: &'c File,
    after: &'c File,
    compare: &dyn Compare,
    context: u32,
) -> Described<Operation<'c>> {
    if before.content == after.content {
        return Ok(Ok(Vec::new()));
    }
    let old = before.content.lines();
    let new = after.content.lines();
    if before.content.is_binary() {
        return Ok(Err(What::Binary));
    }
    let regions = regions(path, &old, &new, compare)?;
    let whole = vec![Region {
        old: 0..old.len(),
        new: 0..new.len(),
    }];
    let one = if format == Format::Tool {
        Occurrence::Text(Times::Once)
    } else {
        Occurrence::Lines(None)
    };
    let context = context as usize;
    let (old_content, new_content) = (&before.content, &after.content);
    let filled = old_content
        .is_empty()
        .then(|| vec![create(new_content, true)]);
    let joined = joined(&regions);
    let tries = [regions, joined, whole].map(|regions| {
        substitutions::substitutions(old_content, new_content, &regions, context, one)
    });
    Ok(filled
        .into_iter()
        .chain(tries.into_iter().flatten())
        .find(|operations| proof::turns(before, operations, after))
        .ok_or_else(|| proof::reason(&old, &new)))
}
