//! [`ChangeSet`] → OPX edits that somebody would have written who knew the files.

use super::operations::{Described, FileOperation, create, delete, derive, edit, edits, regions};
use super::{Derived, path_text, proof, substitutions};
use crate::compare::{Compare, CompareError, Options, Region};
use crate::patch::{Format, Occurrence, Operation, What};
use crate::path::RepoPath;
use crate::plan::ChangeSet;
use crate::text::{Ending, Lines, is_spaces};
use crate::tree::File;

/// Derives OPX: what it is planned to is the change, by every rule and without a warning that the
/// place of anything is in doubt. Contents are the change's, as they are, not as git stores them.
///
/// Texts to find are whole lines that are once in the file as the edits before have left it: the
/// lines that change, with `options.context` lines around them and as many more as that takes;
/// `occurrence` is used only where that would be a great many. An existing file is replaced whole
/// only where no text to find can say its change, since that drops what the file gets before the
/// edit is applied.
///
/// # Errors
/// If contents can't be compared.
pub fn opx<'c>(
    changes: &'c ChangeSet,
    compare: &dyn Compare,
    options: &Options,
) -> Result<Derived<'c>, CompareError> {
    derive(changes, Format::Opx, options, |operation| {
        Ok(match operation {
            FileOperation::Delete { path } => Ok(vec![delete(path)]),
            FileOperation::Add { path, file } => {
                let (core, around) = core(&file.content);
                let all = around.map(|around| {
                    edits(path, [vec![create(core, false)], around].concat()).collect()
                });
                all.ok_or(What::BlankEdges)
            }
            FileOperation::Change {
                path: from,
                to,
                before,
                after,
            } => {
                let path = to.unwrap_or(from);
                let moved = to.map(|to| edit(from, Operation::Move { to: path_text(to) }));
                update(path, before, after, compare, options.context)?
                    .map(|operations| moved.into_iter().chain(edits(path, operations)).collect())
            }
        })
    })
}

/// Cuts the blank lines off the edges of a new file, which a payload can't hold, and returns what
/// puts them back.
fn core(content: &[u8]) -> (&[u8], Option<Vec<Operation<'_>>>) {
    let lines = Lines::new(content);
    let is_full = |&line: &usize| !is_spaces(lines.text(line));
    let (first, last) = match (
        (0..lines.len()).find(is_full),
        (0..lines.len()).rev().find(is_full),
    ) {
        (Some(first), Some(last)) => (first, last),
        _ => return (b"", lines.is_empty().then(Vec::new)),
    };
    let core = &content[lines.start(first)..lines.start(last + 1)];
    if core.len() == content.len() - lines.bom().len() {
        return (content, Some(Vec::new()));
    }
    // A mark would have to come first.
    let (0, Some(old)) = (lines.bom().len(), Some(Lines::new(core))) else {
        return (core, None);
    };
    let regions = [
        (0..0, 0..first),
        (old.len()..old.len(), last + 1..lines.len()),
    ]
    .map(|(old, new)| Region { old, new });
    let regions: Vec<_> = regions
        .into_iter()
        .filter(|region| !region.new.is_empty())
        .collect();
    (
        core,
        substitutions::substitutions(core, content, &regions, 0, Occurrence::Only),
    )
}

fn update<'c>(
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
    let mut tries = Vec::new();
    if !before.content.is_binary() {
        let regions = regions(path, &old, &new, compare)?;
        // Many small edits may take too long to find, or be read otherwise; one edit over all of
        // them rarely is.
        for regions in [regions.clone(), joined(&regions)] {
            let before = &before.content;
            let after = &after.content;
            tries.extend(substitutions::substitutions(
                before,
                after,
                &regions,
                context as usize,
                Occurrence::Only,
            ));
        }
    }
    tries.extend(replaced(&old, &new));
    let has_nul = !tries.is_empty() && tries.iter().all(|operations| proof::has_nul(operations));
    let fitting = tries
        .into_iter()
        .find(|operations| proof::turns(before, operations, after));
    Ok(match fitting {
        Some(operations) => Ok(operations),
        None if has_nul || before.content.is_binary() => Err(What::Binary),
        None => Err(match proof::reason(&old, &new) {
            What::Misread if replaced_edges_are_blank(&new) => What::BlankEdges,
            what => what,
        }),
    })
}

/// Makes one region of all of them.
pub(super) fn joined(regions: &[Region]) -> Vec<Region> {
    let (Some(first), Some(last)) = (regions.first(), regions.last()) else {
        return Vec::new();
    };
    vec![Region {
        old: first.old.start..last.old.end,
        new: first.new.start..last.new.end,
    }]
}

/// Puts all of the new content in place of the old content; `None` where lines end in more than one
/// way.
fn replaced<'c>(old: &Lines<'c>, new: &Lines<'c>) -> Option<Vec<Operation<'c>>> {
    let majority = if crate::tree::is_binary(old.bytes()) {
        Ending::Lf
    } else {
        old.majority()
    };
    if !new.iter().all(|line| line.ending == majority) {
        return None;
    }
    let content = &new.bytes()[new.bom().len()..];
    let (core, around) = core(content);
    let replace = Operation::Replace {
        lines: proof::whole_file(core),
    };
    around.map(|around| [vec![replace], around].concat())
}

fn replaced_edges_are_blank(new: &Lines<'_>) -> bool {
    let is_blank = |line: usize| new.text(line).trim_ascii().is_empty();
    !new.is_empty() && (is_blank(0) || is_blank(new.len() - 1))
}
