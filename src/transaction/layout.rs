//! Where everything of a change will lie, worked out before anything is touched: what the manifest
//! says of every path, and of the directories that come and go.
//!
//! However many paths share a directory, and however deep it is, the directories above it are
//! walked through once.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::rc::Rc;

use super::error::TransactionError;
use super::last::Reverse;
use super::manifest::{Held, Manifest, RecordedDirectory, Touched};
use super::staging::bits_afterwards;
use crate::dir::{Dir, Found, Shape};
use llmpatch::path::RepoPath;
use llmpatch::plan::Change;

/// Works it out and adds it to a manifest. Returns the directories to be made again with the bits
/// that they had, highest first.
///
/// # Errors
/// If the system doesn't let us see.
pub(super) fn lay_out(
    dir: &Dir,
    changes: &[&Change],
    reverse: Option<&Reverse>,
    manifest: &mut Manifest,
) -> Result<Vec<RecordedDirectory>, TransactionError> {
    let _pass = dir.pass();
    let mut layouter = Layouter {
        dir,
        changes,
        reverse,
        above: HashMap::new(),
        made: HashSet::new(),
        named: 0,
        removed: BTreeMap::new(),
    };
    for change in changes {
        manifest.touched.push(layouter.touched(change)?);
    }
    let mut again = Vec::new();
    for directory in reverse.iter().flat_map(|reverse| &reverse.removed) {
        let found = dir
            .look(&directory.path)
            .map_err(TransactionError::io("look at", &directory.path))?;
        if found != Found::Directory {
            again.push(directory.clone());
            layouter.made.insert(directory.path.clone());
        }
    }
    manifest.made = layouter.made.into_iter().collect();
    manifest
        .made
        .sort_by_cached_key(|directory| (directory.parts().count(), directory.clone()));
    manifest.removed = layouter
        .removed
        .into_iter()
        .map(|(path, bits)| RecordedDirectory { path, bits })
        .collect();
    manifest
        .removed
        .sort_by_cached_key(|directory| directory.path.parts().count());
    Ok(again)
}

struct Layouter<'s> {
    dir: &'s Dir,
    changes: &'s [&'s Change],
    reverse: Option<&'s Reverse>,
    /// What is above the paths of every directory that was met.
    above: HashMap<Option<RepoPath>, Rc<Above>>,
    made: HashSet<RepoPath>,
    /// How many bytes their names have together.
    named: usize,
    removed: BTreeMap<RepoPath, u16>,
}

/// How many bytes the names of new directories may have together: the journal says each whole, and
/// a response of a megabyte can ask for gigabytes of them.
const MOST_NAMED: usize = 16 << 20;

/// What is above a path.
struct Above {
    /// The directories that are there, highest first, with their permission bits.
    there: Vec<(RepoPath, u16)>,
    /// How many of them stay, from the top on.
    staying: usize,
}

impl Layouter<'_> {
    /// Works out all that may become of a path, of its old file and its new file, and of the
    /// directories around it.
    fn touched(&mut self, change: &Change) -> Result<Touched, TransactionError> {
        let io = TransactionError::io("look at", &change.path);
        let [before, after] = Held::of_both([change.on_disk(), change.after.as_ref()]);
        let after = after.map(|held| Held {
            bits: change
                .after
                .as_ref()
                .and_then(|after| bits_afterwards(change, after)),
            ..held
        });
        if before.is_some() && after.is_some() {
            // All directories above it are there, and stay.
            return Ok(Touched {
                path: change.path.clone(),
                before,
                after,
                depth: change.path.ancestors().count(),
            });
        }
        let above = self.above(&change.path).map_err(io)?;
        if before.is_none() {
            let nearest = above.there.last().map(|(nearest, _)| nearest);
            for directory in change
                .path
                .ancestors()
                .take_while(|directory| Some(directory) != nearest)
            {
                let len = directory.as_bytes().len();
                // Those above one that is known are known.
                if !self.made.insert(directory) {
                    break;
                }
                self.named += len;
                if self.named > MOST_NAMED {
                    return Err(TransactionError::TooDeep {
                        path: change.path.clone(),
                    });
                }
            }
            // In the place of a file to come is nothing, or a directory in which nothing will be
            // left.
            if self.dir.look(&change.path).map_err(io)? == Found::Directory {
                if self.dir.is_current(&change.path).map_err(io)? {
                    return Err(TransactionError::CurrentDirectory {
                        path: change.path.clone(),
                    });
                }
                self.goes_with_all_in_it(&change.path).map_err(io)?;
            }
        }
        if change.after.is_none() {
            // What is taken back takes only directories along that it had made.
            let goes =
                |directory: &RepoPath| self.reverse.is_none_or(|of| of.made.contains(directory));
            for (directory, bits) in above
                .there
                .iter()
                .rev()
                .filter(|(directory, _)| goes(directory))
            {
                if self.removed.insert(directory.clone(), *bits).is_some() {
                    break;
                }
            }
        }
        Ok(Touched {
            path: change.path.clone(),
            before,
            after,
            depth: above.staying,
        })
    }

    /// Notes that a directory goes, and the directories in it, unless there is something else
    /// there: then what is to come can't.
    fn goes_with_all_in_it(&mut self, directory: &RepoPath) -> io::Result<()> {
        let mut left = vec![directory.clone()];
        while let Some(directory) = left.pop() {
            for (name, shape) in self.dir.list(Some(&directory))? {
                if let (Shape::Directory, Ok(inner)) = (shape, directory.join(&name)) {
                    left.push(inner);
                }
            }
            let bits = self.dir.directory_bits(&directory)?;
            self.removed.insert(directory, bits);
        }
        Ok(())
    }

    fn above(&mut self, path: &RepoPath) -> io::Result<Rc<Above>> {
        let parent = path.parent();
        if let Some(known) = self.above.get(&parent) {
            return Ok(known.clone());
        }
        let there = self.dir.directories_above(path)?;
        let staying = there
            .iter()
            .take_while(|(directory, _)| {
                let found = self
                    .changes
                    .binary_search_by(|change| change.path.cmp(directory));
                !found.is_ok_and(|at| self.changes[at].after.is_some())
            })
            .count();
        let above = Rc::new(Above { there, staying });
        self.above.insert(parent, above.clone());
        Ok(above)
    }
}
