//! [`ChangeSet`] → the envelope that somebody would have written who knew the files.

use super::operations::{Described, FileOperation, create, delete, derive, edit, regions};
use super::{Derived, chunks, path_text, proof};
use crate::compare::{Compare, CompareError, Options};
use crate::patch::{Format, Hunk, Operation, What};
use crate::path::RepoPath;
use crate::plan::ChangeSet;
use crate::tree::File;

/// Derives an envelope: what it is planned to is the change, by every rule and without a warning
/// that the place of anything is in doubt. Contents are the change's, as they are, not as git
/// stores them.
///
/// Each chunk has `options.context` unchanged lines around it, and more where it could be mistaken
/// otherwise; where a line that git would name the hunk by leads to it and is once in the file, it
/// is named after `@@`. Renames are taken from the change set.
///
/// # Errors
/// If contents can't be compared.
pub fn envelope<'c>(
    changes: &'c ChangeSet,
    compare: &dyn Compare,
    options: &Options,
) -> Result<Derived<'c>, CompareError> {
    derive(changes, Format::Envelope, options, |operation| {
        Ok(match operation {
            FileOperation::Add { path, file } => Ok(vec![edit(path, create(&file.content, false))]),
            FileOperation::Delete { path } => Ok(vec![delete(path)]),
            FileOperation::Change {
                path,
                to,
                before,
                after,
            } => {
                let hunks = update(to.unwrap_or(path), before, after, compare, options)?;
                hunks.map(|hunks| {
                    vec![edit(
                        path,
                        Operation::Update {
                            to: to.map(path_text),
                            hunks,
                        },
                    )]
                })
            }
        })
    })
}

fn update<'c>(
    path: &RepoPath,
    before: &'c File,
    after: &'c File,
    compare: &dyn Compare,
    options: &Options,
) -> Described<Hunk<'c>> {
    if before.content == after.content {
        return Ok(Ok(Vec::new()));
    }
    if before.content.is_binary() {
        return Ok(Err(What::Binary));
    }
    let old = before.content.lines();
    let new = after.content.lines();
    if !new.is_empty() && !after.content.ends_with(b"\n") {
        return Ok(Err(What::NoFinalNewline));
    }
    let regions = regions(path, &old, &new, compare)?;
    let update = |hunks| [Operation::Update { to: None, hunks }];
    let hunks = chunks::chunks(&old, &new, &regions, options);
    if proof::has_nul(&update(hunks.clone())) {
        return Ok(Err(What::Binary));
    }
    for hunks in [hunks, chunks::whole(&old, &new, &regions)] {
        if proof::turns(before, &update(hunks.clone()), after) {
            return Ok(Ok(hunks));
        }
    }
    Ok(Err(proof::reason(&old, &new)))
}
