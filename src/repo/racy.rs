//! Entries of an index that are as new as the index itself.
//!
//! What git knows of a file without reading it says nothing where the file may have been written
//! once more within the second in which the index was. As long as the index isn't younger than the
//! file, git sees that, and reads the file. So whoever writes the index anew has to look at all
//! these files first, and to mark the entries of files that have changed.
//!
//! libgit2 would look at them by a walk through the work tree that reads the rules of every
//! directory on its way: rules that are a pipe keep it waiting for ever, wherever they are. Here
//! nothing is read but the files themselves, and the rules above files that need any.

use git2::IndexEntry;

use super::conversion::Conversion;
use super::index_file::IndexFile;
use super::index_record::Record;
use super::index_write::{ASSUME_UNCHANGED, INTENT_TO_ADD, SKIP_WORKTREE, STAGE};
use super::objects::GITLINK;
use super::objects::blob_id;
use super::rules::Consult;
use super::{Repo, RepoError};
use crate::dir::{Dir, Found};
use llmpatch::path::RepoPath;

/// Marks the entries whose files are at least as new as `since`, in seconds, and aren't what the
/// entries say.
///
/// # Errors
/// If the work tree can't be opened.
pub(super) fn mark(repo: &Repo, index: &mut IndexFile, since: i32) -> Result<(), RepoError> {
    let racy: Vec<IndexEntry> = index
        .iter()
        .filter(|record| record.modified() >= since && may_be_racy(record))
        .map(|record| record.entry())
        .collect();
    if racy.is_empty() || repo.top().is_err() {
        return Ok(());
    }
    // Without knowing how files are stored, nothing is sure.
    let dir = repo.dir()?;
    let conversion = Conversion::new(repo, Consult::Index).ok();
    for entry in racy {
        if !conversion
            .as_ref()
            .is_some_and(|conversion| is_surely_same(dir, conversion, &entry))
        {
            // git reads a file whose size is said to be 0.
            index.add(&IndexEntry {
                file_size: 0,
                ..entry
            });
        }
    }
    Ok(())
}

/// Returns whether a file is what its entry says, or is seen to differ without being read. What
/// can't be told isn't sure.
fn is_surely_same(dir: &Dir, conversion: &Conversion<'_>, entry: &IndexEntry) -> bool {
    let Ok(path) = RepoPath::new(&entry.path) else {
        return false;
    };
    match dir.look(&path) {
        Ok(Found::File(stat)) => {
            let is_seen = stat.size as u32 != entry.file_size
                || stat.modified.0 as i32 != entry.mtime.seconds();
            is_seen || is_same(dir, conversion, entry, &path)
        }
        // That there is none is seen, too; a link is read by git in no time.
        Ok(Found::Absent | Found::Directory) => true,
        _ => false,
    }
}

fn is_same(dir: &Dir, conversion: &Conversion<'_>, entry: &IndexEntry, path: &RepoPath) -> bool {
    let Ok(Some((content, _))) = dir.read(path) else {
        return false;
    };
    let Ok(stored) = conversion.to_git(path, &content, || Ok(Some(entry.id))) else {
        return false;
    };
    blob_id(entry.id.object_format(), &stored) == entry.id
}

/// Returns whether git would compare the file of an entry with it.
fn may_be_racy(record: &Record<'_>) -> bool {
    record.size() != 0
        && record.flags() & (STAGE | ASSUME_UNCHANGED) == 0
        && record.extended() & (SKIP_WORKTREE | INTENT_TO_ADD) == 0
        && record.mode() != GITLINK
}
