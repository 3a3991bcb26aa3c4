//! Fills in what a report tells programs alone.

use std::collections::HashMap;

use bstr::BString;

use super::base::Base;
use super::flow::{Session, Worked};
use super::preview;
use crate::repo::Differ;
use llmpatch::compare::Compare;
use llmpatch::message;
use llmpatch::plan::ChangeSet;
use llmpatch::report::{Detail, FileReport, HunkReport};

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
    let mut hunks = HunkReport::by_file(
        &worked.patches,
        &worked.placements,
        session.resolver(),
        worked.sources,
    );
    for file in &mut files {
        file.hunks = hunks.remove(&file.path).unwrap_or_default();
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
    let differ = Differ::new(&session.repo, base.side()).ok();
    let differ = differ.map(|differ| differ.after(changes.attribute_files()));
    let differ = differ.as_ref().map(|differ| differ as &dyn Compare);
    for file in &mut files {
        file.tell_states(changes, differ);
    }
    files
}

/// Returns the line that names a change to a person.
pub(super) fn plan_line(changes: &ChangeSet) -> String {
    format!("plan {}\n", changes.id())
}
