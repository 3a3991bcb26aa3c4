//! The markers of patches that a commit would bring into files.

use bstr::{BStr, BString, ByteSlice as _};

use super::super::error::{CliError, Failure, failed};
use super::super::flow::Session;
use crate::leftover;
use crate::path::RepoPath;
use crate::plan::{Change, ChangeSet, derive};
use crate::progress::Stage;
use crate::repo::{BlobId, Held, Side, Staged};
use crate::report::{Diagnostic, Report};
use crate::tree::{Content, File, Mode, is_binary};

/// How many markers of one file are told.
const TOLD: usize = 100;

/// A staged file with markers in it.
struct Marked {
    path: RepoPath,
    /// What it was, if it was a file with lines.
    old: Option<Content>,
    new: Content,
    id: BlobId,
}

/// Reports each of these files that new markers are in, or that can't be looked into. `staged` is all that is staged: a new
/// file may have been another one.
///
/// # Errors
/// If contents can't be compared at all.
pub(super) fn look(session: &Session, staged: &[Staged], files: &[&Staged]) -> Result<Vec<(BString, Report)>, Failure> {
    let longest = session.repo.big_file_threshold()?;
    let work = session.works.begin(Stage::Scanning, files.len());
    let (mut reports, mut all) = (Vec::new(), Vec::new());
    for staged in files {
        match marked(session, staged, longest) {
            Ok(marked) => all.extend(marked),
            Err(report) => reports.push((staged.path.clone(), *report)),
        }
        work.progress().step();
    }
    find_origins(session, staged, &mut all, longest)?;
    for marked in &all {
        let errors = marked.errors(session)?;
        if !errors.is_empty() {
            let report = *failed(errors);
            reports.push((marked.path.as_bstr().to_owned(), report));
        }
    }
    Ok(reports)
}

/// Reads a file, and what it was if there are markers in it; nothing if there are none.
fn marked(session: &Session, staged: &Staged, longest: u64) -> Result<Option<Marked>, Failure> {
    let path = RepoPath::new(&staged.path)?;
    // Links and submodules have no lines, and what is unmerged can't be committed.
    let Held::File(id) = staged.after else { return Ok(None) };
    let Some(new) = lines(session, staged.path.as_bstr(), id, longest)?.filter(|new| leftover::has_markers(new)) else {
        return Ok(None);
    };
    let old = match staged.before {
        Held::File(id) => lines(session, staged.path.as_bstr(), id, longest)?,
        _ => None,
    };
    Ok(Some(Marked { path, old, new, id }))
}

/// Reads a content that has lines.
fn lines(session: &Session, path: &BStr, id: BlobId, longest: u64) -> Result<Option<Content>, Failure> {
    let content = session.repo.content(path, id, longest)?;
    Ok(content.filter(|content| !is_binary(content)))
}

/// Finds what new files were, where git would call them renamed: markers that only moved are none that were added.
fn find_origins(session: &Session, staged: &[Staged], all: &mut [Marked], longest: u64) -> Result<(), Failure> {
    let gone = || {
        staged.iter().filter_map(|staged| match (staged.before, staged.after) {
            (Held::File(id), Held::Nothing) => Some((RepoPath::new(&staged.path).ok()?, id)),
            _ => None,
        })
    };
    for marked in all.iter_mut().filter(|marked| marked.old.is_none()) {
        if gone().any(|(_, id)| id == marked.id) {
            marked.old = Some(marked.new.clone());
        }
    }
    let file = |content: &Content| Some(File { content: content.clone(), mode: Mode::PLAIN });
    let change = |path: &RepoPath, before, after| Change { path: path.clone(), before, after, from: None };
    let news = all.iter().filter(|marked| marked.old.is_none());
    let mut changes: Vec<_> = news.map(|marked| change(&marked.path, None, file(&marked.new))).collect();
    if changes.is_empty() || gone().next().is_none() {
        return Ok(());
    }
    for (path, id) in gone() {
        if let Some(old) = lines(session, path.as_bstr(), id, longest)? {
            changes.push(change(&path, file(&old), None));
        }
    }
    let differ = session.repo.differ(Side::Blobs)?;
    let options = session.repo.diff_options()?;
    let changes = derive::with_renames(&ChangeSet::new(changes), &differ, &options)?;
    for marked in all {
        let from = changes.get(&marked.path).and_then(|change| change.from.as_ref());
        if let Some(was) = from.and_then(|from| changes.get(from)?.before.as_ref()) {
            marked.old = Some(was.content.clone());
        }
    }
    Ok(())
}

impl Marked {
    /// Tells of the markers that are new.
    fn errors(&self, session: &Session) -> Result<Vec<Diagnostic>, Failure> {
        let differ = session.repo.differ(Side::Blobs)?;
        let old = self.old.as_ref().map_or(&b""[..], |old| old);
        let all = leftover::leftovers(&self.path, old, &self.new, &differ)?;
        let mut errors: Vec<_> = all.iter().take(TOLD).map(Diagnostic::from).collect();
        if let Some(first) = all.get(TOLD) {
            let more = CliError::MoreMarkers { first: first.clone(), count: all.len() - TOLD };
            errors.push(Diagnostic::from(&more));
        }
        Ok(errors)
    }
}
