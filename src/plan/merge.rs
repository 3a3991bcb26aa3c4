//! Brings a change of the files that a response is about to files that have changed since: each is a merge of three.
//!
//! Who was asked for the change meant what it makes of the base; who changed the files since meant that. Where the two meet in the same
//! lines, or one of them removes what the other changes, nothing decides.

use bstr::BString;

use super::{Change, ChangeSet, Error};
use crate::path::RepoPath;
use crate::tree::{Entry, File, Mode, Tree, TreeError};

/// Merges the lines of a file as it was, as it is here, and as it is to be, in this order; or returns them with markers around those that are
/// in conflict, none if they aren't lines.
pub type MergeLines<'m> = &'m dyn Fn(&RepoPath, [&[u8]; 3]) -> Result<Result<Vec<u8>, BString>, TreeError>;

/// Why a path can't be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmerged {
    /// The text with markers around the lines in question.
    #[error("lines of it are changed here too, since the base")]
    Lines(BString),
    /// What is to be removed.
    #[error("it is to go, and has changed since the base")]
    Changed,
    /// What is to be changed.
    #[error("it is to change, and is gone since the base")]
    Gone,
    /// What is to be made.
    #[error("it is to be made, and is here since the base, with another content")]
    Came,
    /// What is no file, or can't be one.
    #[error("it is something of another kind since the base")]
    Kind,
}

/// Merges a change of a base with what a tree holds, and asks that tree of every path that changes.
///
/// # Errors
/// One for each path that can't be merged, or that the tree doesn't let change.
pub fn merge(changes: &ChangeSet, here: &dyn Tree, lines: MergeLines<'_>) -> Result<ChangeSet, Vec<Error>> {
    let (mut merged, mut errors) = (Vec::new(), Vec::new());
    for change in changes {
        match (Merge { changes, here, lines }).one(change) {
            Ok(change) => merged.push(change),
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let merged = ChangeSet::new(merged);
    let refused = |change: &Change| here.confirm(&change.path, change.before.as_ref()).err();
    errors.extend(merged.iter().filter_map(refused).map(Error::from));
    if errors.is_empty() { Ok(merged) } else { Err(errors) }
}

struct Merge<'m> {
    changes: &'m ChangeSet,
    here: &'m dyn Tree,
    lines: MergeLines<'m>,
}

impl Merge<'_> {
    fn one(&self, change: &Change) -> Result<Change, Error> {
        let unmerged = |why| Error::Unmerged { path: change.path.clone(), why };
        let here = self.file(&change.path)?;
        let (was, source) = match &change.from {
            Some(from) if here.is_none() => {
                (self.changes.get(from).and_then(|change| change.before.clone()), self.file(from)?)
            }
            _ => (change.before.clone(), here.clone()),
        };
        if was == source && (change.from.is_none() || here.is_none()) {
            return Ok(change.clone());
        }
        let is_moved = self.changes.iter().any(|other| other.from.as_ref() == Some(&change.path));
        let after = match (was, source, &change.after) {
            (_, None, None) => None,
            (Some(was), Some(source), None) if is_moved || is_same(&was, &source) => None,
            (_, Some(_), None) => return Err(unmerged(Unmerged::Changed)),
            (Some(_), None, Some(_)) => return Err(unmerged(Unmerged::Gone)),
            (None, None, Some(after)) => Some(after.clone()),
            (None, Some(source), Some(after)) if is_same(&source, after) => Some(source),
            (None, Some(_), Some(_)) => return Err(unmerged(Unmerged::Came)),
            (Some(was), Some(source), Some(after)) => Some(self.lines(&change.path, &was, &source, after)?),
        };
        Ok(Change { path: change.path.clone(), before: here, after, from: change.from.clone() })
    }

    /// Returns what is at a path here, where that is a file or nothing.
    fn file(&self, path: &RepoPath) -> Result<Option<File>, Error> {
        match self.here.read(path)? {
            Entry::File(file) => Ok(Some(file)),
            Entry::Absent => Ok(None),
            _ => Err(Error::Unmerged { path: path.clone(), why: Unmerged::Kind }),
        }
    }

    fn lines(&self, path: &RepoPath, was: &File, here: &File, after: &File) -> Result<File, Error> {
        let executable = match after.mode.executable == was.mode.executable {
            true => here.mode.executable,
            false => after.mode.executable,
        };
        let is_as_it_was = executable == here.mode.executable;
        let mode = Mode { executable, bits: here.mode.bits.filter(|_| is_as_it_was) };
        if after.content == was.content || after.content == here.content {
            return Ok(File { content: here.content.clone(), mode });
        }
        // What is kept in another encoding is merged by nobody here.
        if [was, here, after].into_iter().any(|side| side.content.is_kept()) {
            return Err(Error::Unmerged { path: path.clone(), why: Unmerged::Lines(BString::default()) });
        }
        if here.content == was.content {
            return Ok(File { content: after.content.clone(), mode });
        }
        match (self.lines)(path, [&was.content, &here.content, &after.content])? {
            Ok(merged) => Ok(File { content: merged.into(), mode }),
            Err(marked) => Err(Error::Unmerged { path: path.clone(), why: Unmerged::Lines(marked) }),
        }
    }
}

fn is_same(one: &File, other: &File) -> bool {
    one.content == other.content && one.mode.executable == other.mode.executable
}
