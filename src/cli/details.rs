//! Fills in what a report tells programs alone.

use std::collections::{BTreeMap, HashMap};

use bstr::BString;

use super::base::Base;
use super::flow::{Session, Worked};
use super::preview;
use llmpatch::compare::{self, Compare};
use llmpatch::message;
use llmpatch::patch::{Operation, Patch};
use llmpatch::path::{RepoPath, Resolver};
use llmpatch::plan::{ChangeSet, Placement};
use llmpatch::report::{Detail, FileReport, HunkReport};
use llmpatch::tree::File;

/// Returns what only programs are told of a change that was worked out.
pub(super) fn of_change(worked: &Worked<'_>, message: Option<&BString>) -> Detail {
    Detail {
        plan: Some(worked.changes.id()),
        base: worked.about.clone(),
        message: Some(
            message
                .cloned()
                .unwrap_or_else(|| message::compose(&worked.patches, &worked.changes)),
        ),
        parts: worked.parts.clone(),
        ..Detail::of(&worked.patches, &worked.placements, worked.sources)
    }
}

/// Lists the files of a change with all that programs are told of each, and with their diffs if
/// there are some.
pub(super) fn files(
    session: &Session,
    worked: &Worked<'_>,
    mut diffs: Option<preview::Diffs>,
) -> Vec<FileReport> {
    let mut files = files_of(session, worked.base, &worked.changes);
    let mut hunks = hunks_by_file(&worked.patches, &worked.placements, session.resolver());
    for file in &mut files {
        let placed = hunks.remove(&file.path).unwrap_or_default();
        file.hunks = placed
            .into_iter()
            .map(|place| HunkReport::of(place, worked.sources))
            .collect();
        if let Some(diffs) = &mut diffs {
            file.diff = Some(
                diffs
                    .remove(file.path.as_bytes())
                    .unwrap_or_default()
                    .into(),
            );
        }
    }
    files
}

/// Lists the files of a change with how many lines come and go, unless nobody is told.
pub(super) fn counted_files(
    session: &Session,
    base: &Base,
    changes: &ChangeSet,
    is_silent: bool,
) -> Vec<FileReport> {
    let mut counts = if is_silent {
        HashMap::new()
    } else {
        preview::counted(session, base, changes)
    };
    FileReport::list(changes, |path| counts.remove(path.as_bytes()))
}

/// Lists the files of a change that comes from no response with all that programs are told of each.
pub(super) fn files_of(session: &Session, base: &Base, changes: &ChangeSet) -> Vec<FileReport> {
    let mut files = counted_files(session, base, changes, false);
    // Where the contents can't be compared, as with a filter driver, there is still the rest to
    // tell.
    let differ = session.repo.differ(base.side()).ok();
    let differ = differ.map(|differ| differ.after(changes.attribute_files()));
    let side = |path: &RepoPath, file: Option<&File>, state| {
        let file = file?;
        let id = |differ: &dyn Compare| {
            differ
                .id(Some(&differ.stored(path, &file.content, state).ok()?))
                .ok()
        };
        Some((
            differ.as_ref().and_then(|differ| id(differ)),
            format!("{:06o}", file.mode.git()),
        ))
    };
    for file in &mut files {
        let origin = file.from.as_ref().unwrap_or(&file.path);
        let before = changes
            .get(origin)
            .and_then(|change| change.before.as_ref());
        let after = changes
            .get(&file.path)
            .and_then(|change| change.after.as_ref());
        let old = side(origin, before, compare::DiffSide::Before);
        let new = side(
            &file.path,
            after,
            compare::DiffSide::After(file.from.as_ref()),
        );
        (file.old_oid, file.old_mode) = old.map_or((None, None), |(oid, mode)| (oid, Some(mode)));
        (file.new_oid, file.new_mode) = new.map_or((None, None), |(oid, mode)| (oid, Some(mode)));
    }
    files
}

/// Tells the hunks apart by the files that they end up in: those of a file that is moved go with
/// it, those of one that is deleted, or written anew as a whole, are gone.
fn hunks_by_file<'p>(
    patches: &[Patch<'_>],
    placements: &'p [Placement],
    resolver: &Resolver,
) -> BTreeMap<RepoPath, Vec<&'p Placement>> {
    let mut files: BTreeMap<RepoPath, Vec<&Placement>> = BTreeMap::new();
    let mut placed = placements.iter().peekable();
    for (number, edit) in patches.iter().flat_map(|patch| &patch.edits).enumerate() {
        let own: Vec<_> =
            std::iter::from_fn(|| placed.next_if(|place| place.edit <= number)).collect();
        let resolve = |written: &[u8]| resolver.resolve(edit.root.as_deref(), written).ok();
        let Some(path) = resolve(&edit.path) else {
            continue;
        };
        let to = edit.destination().and_then(|to| resolve(to));
        match &edit.operation {
            Operation::Update { .. } | Operation::Substitute(_) | Operation::Move { .. } => {
                let mut all = files.remove(&path).unwrap_or_default();
                all.extend(own);
                files.insert(to.unwrap_or(path), all);
            }
            _ => drop(files.remove(&path)),
        }
    }
    files
}

/// Returns the line that names a change to a person.
pub(super) fn plan_line(changes: &ChangeSet) -> String {
    format!("plan {}\n", changes.id())
}
