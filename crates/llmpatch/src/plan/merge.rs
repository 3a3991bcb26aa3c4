//! Brings a change of the files that a response is about to files that have changed since: each is
//! a merge of three.
//!
//! Who was asked for the change meant what it makes of the base; who changed the files since meant
//! that. Where the two meet in the same lines, or one of them removes what the other changes,
//! nothing decides.

use std::collections::{BTreeMap, HashSet};

use bstr::BString;

use super::changeset::Sides;
use super::{Change, ChangeSet, Error, resolved};
use crate::patch::Patch;
use crate::path::{RepoPath, Resolver};
use crate::text::Located;
use crate::tree::{Content, Entry, File, Mode, Tree, TreeError};

/// Merges the lines of a file as it was, as it is here, and as it is to be, in this order; or
/// returns them with markers around the lines in conflict, without any if the contents aren't
/// lines.
pub type MergeLines<'m> =
    &'m dyn Fn(&RepoPath, [&[u8]; 3]) -> Result<Result<Vec<u8>, BString>, TreeError>;

/// Why a path can't be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmerged {
    /// The text with markers around the lines in question.
    #[error("the same lines were changed here since the base")]
    Lines(BString),
    /// What is to be removed.
    #[error("the response removes it, but it was changed since the base")]
    Changed,
    /// What is to be changed.
    #[error("the response changes it, but it was removed since the base")]
    Gone,
    /// What is to be made.
    #[error("the response adds it, but it was added since the base with other content")]
    Came,
    /// What is no file, or can't be one.
    #[error("since the base it has become something of another kind")]
    Kind,
}

/// What becomes of a path that can't be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflicts {
    /// It is an error.
    Refused,
    /// It is left as both sides have it, with markers around lines in conflict.
    Marked,
}

/// Merges a change of a base with what a tree holds, and asks that tree of every path that changes.
///
/// # Errors
/// One for each path that can't be merged, if that is one, or that the tree doesn't let change.
pub fn merge(
    changes: &ChangeSet,
    here: &dyn Tree,
    lines: MergeLines<'_>,
    conflicts: Conflicts,
) -> Result<ChangeSet, Vec<Error>> {
    let mut merged = Vec::new();
    let mut unmerged = BTreeMap::new();
    let mut errors = Vec::new();
    let merge = Merge {
        changes,
        sources: changes.sources(),
        here,
        lines,
        conflicts,
    };
    for change in changes {
        match merge.merge_path(change) {
            Ok((change, sides)) => {
                unmerged.extend(sides.map(|sides| (change.path.clone(), sides)));
                merged.push(change);
            }
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let merged = ChangeSet::with_unmerged(merged, unmerged);
    errors.extend(
        merged
            .iter()
            .filter_map(|change| here.confirm(&change.path, change.before.as_ref()).err())
            .map(Error::from),
    );
    if errors.is_empty() {
        Ok(merged)
    } else {
        Err(errors)
    }
}

/// Points errors of a merge at the edits of the response that name the files.
pub fn at_edits(
    errors: Vec<Error>,
    patches: &[Patch<'_>],
    resolver: &Resolver,
) -> Vec<Located<Error>> {
    let edits = resolved(patches, resolver);
    let errors = errors.into_iter().map(|error| {
        let path = match &error {
            Error::Unmerged { path, .. } => Some(path),
            Error::Tree(error) => Some(error.path()),
            Error::NothingToDo { paths } => paths.first(),
            _ => None,
        };
        let edit = edits.iter().find(|of| {
            let mut named = of.path.iter().chain(of.to.iter().flatten());
            named.any(|named| Some(named) == path)
        });
        let span = edit.and_then(|of| of.edit.span);
        Located::new(span, error)
    });
    errors.collect()
}

struct Merge<'m> {
    changes: &'m ChangeSet,
    sources: HashSet<&'m RepoPath>,
    here: &'m dyn Tree,
    lines: MergeLines<'m>,
    conflicts: Conflicts,
}

/// What becomes of a path; or why it can't be merged, and what is left there then.
type MergedFile = Result<Option<File>, (Unmerged, Option<File>)>;

impl Merge<'_> {
    /// Merges one path. Also returns the three sides of a conflict that is left in the files.
    fn merge_path(&self, change: &Change) -> Result<(Change, Option<Sides>), Error> {
        let here = self.file(&change.path)?;
        let (was, source) = match &change.from {
            Some(from) if here.is_none() => (
                self.changes
                    .get(from)
                    .and_then(|change| change.before.clone()),
                self.file(from)?,
            ),
            _ => (change.before.clone(), here.clone()),
        };
        if was == source && (change.from.is_none() || here.is_none()) {
            return Ok((change.clone(), None));
        }
        let after = match self.merged(change, &was, &source)? {
            Ok(after) => after,
            Err((_, left)) if self.conflicts == Conflicts::Marked => {
                let sides = [was, source, change.after.clone()];
                return Ok((replaced(change, here, left), Some(sides)));
            }
            Err((why, _)) => {
                return Err(Error::Unmerged {
                    path: change.path.clone(),
                    why,
                });
            }
        };
        Ok((replaced(change, here, after), None))
    }

    /// Merges a path, given the file that the change was made from and the file here.
    fn merged(
        &self,
        change: &Change,
        was: &Option<File>,
        source: &Option<File>,
    ) -> Result<MergedFile, Error> {
        Ok(match (was, source, &change.after) {
            (_, None, None) => Ok(None),
            (Some(was), Some(source), None)
                if self.sources.contains(&change.path) || is_same(was, source) =>
            {
                Ok(None)
            }
            (_, Some(_), None) => Err((Unmerged::Changed, source.clone())),
            (Some(_), None, Some(after)) => Err((Unmerged::Gone, Some(after.clone()))),
            (None, None, Some(after)) => Ok(Some(after.clone())),
            (None, Some(source), Some(after)) if is_same(source, after) => Ok(Some(source.clone())),
            (None, Some(source), Some(after)) => {
                let nothing = File {
                    content: Vec::new().into(),
                    mode: source.mode,
                };
                match self.conflicts {
                    Conflicts::Refused => Err((Unmerged::Came, None)),
                    Conflicts::Marked => self
                        .lines(&change.path, &nothing, source, after)?
                        .map(Some)
                        .map_err(|(_, file)| (Unmerged::Came, Some(file))),
                }
            }
            (Some(was), Some(source), Some(after)) => self
                .lines(&change.path, was, source, after)?
                .map(Some)
                .map_err(|(marked, file)| (Unmerged::Lines(marked), Some(file))),
        })
    }

    /// Returns what is at a path here, where that is a file or nothing, or nothing once the change
    /// is made.
    fn file(&self, path: &RepoPath) -> Result<Option<File>, Error> {
        match self.here.read(path)? {
            Entry::File(file) => Ok(Some(file)),
            Entry::Absent => Ok(None),
            Entry::Beneath { ancestor, .. } if self.changes.removes(&ancestor) => Ok(None),
            Entry::Directory
                if (self.here.leaves_below(path)?.iter())
                    .all(|path| self.changes.removes(path)) =>
            {
                Ok(None)
            }
            _ => Err(Error::Unmerged {
                path: path.clone(),
                why: Unmerged::Kind,
            }),
        }
    }

    /// Merges a file; where it can't be, returns what shows that, and the file with markers, or as
    /// it is here.
    fn lines(
        &self,
        path: &RepoPath,
        was: &File,
        here: &File,
        after: &File,
    ) -> Result<Result<File, (BString, File)>, Error> {
        let executable = if after.mode.executable == was.mode.executable {
            here.mode.executable
        } else {
            after.mode.executable
        };
        let is_as_it_was = executable == here.mode.executable;
        let mode = Mode {
            executable,
            bits: here.mode.bits.filter(|_| is_as_it_was),
        };
        let file = |content: Content| File { content, mode };
        if after.content == was.content || after.content == here.content {
            return Ok(Ok(file(here.content.clone())));
        }
        // What is kept in another encoding is merged by nobody here.
        if [was, here, after]
            .into_iter()
            .any(|side| side.content.is_kept())
        {
            return Ok(Err((BString::default(), here.clone())));
        }
        if here.content == was.content {
            return Ok(Ok(file(after.content.clone())));
        }
        Ok(
            match (self.lines)(path, [&was.content, &here.content, &after.content])? {
                Ok(merged) => Ok(file(merged.into())),
                Err(marked) if marked.is_empty() => Err((marked, here.clone())),
                Err(marked) => Err((marked.clone(), file(Vec::from(marked).into()))),
            },
        )
    }
}

fn is_same(one: &File, other: &File) -> bool {
    one.content == other.content && one.mode.executable == other.mode.executable
}

/// Returns a change of the same path with other files before and after it.
fn replaced(change: &Change, before: Option<File>, after: Option<File>) -> Change {
    Change {
        path: change.path.clone(),
        before,
        after,
        from: change.from.clone(),
    }
}
