//! Where everything of a change will lie, worked out before anything is touched: what the manifest says of every path, and of
//! the folders that come and go.
//!
//! However many paths share a folder, and however deep it is, the folders above it are walked through once.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::rc::Rc;

use super::fault::Fault;
use super::last::Reverse;
use super::manifest::{Folder, Held, Touched};
use super::workplace::bits_afterwards;
use crate::dir::{Dir, Found, Shape};
use crate::path::RepoPath;
use crate::plan::{Change, ChangeSet};

/// What was worked out.
#[derive(Debug, Default)]
pub(super) struct Foreseen {
    /// Every path of the change, in its order.
    pub(super) touched: Vec<Touched>,
    /// The folders that aren't there, highest first.
    pub(super) made: Vec<RepoPath>,
    /// The folders that may have to go, with their permission bits, highest first.
    pub(super) removed: Vec<Folder>,
    /// Folders to be made again with the bits that they had, highest first.
    pub(super) again: Vec<Folder>,
}

/// Works it out.
///
/// # Errors
/// If the system doesn't let us see.
pub(super) fn foresee(dir: &Dir, changes: &ChangeSet, reverse: Option<&Reverse>) -> Result<Foreseen, Fault> {
    let mut seer =
        Seer { dir, changes, reverse, above: HashMap::new(), made: HashSet::new(), removed: BTreeMap::new() };
    let mut touched = Vec::with_capacity(changes.len());
    for change in changes {
        let one = seer.touched(change).map_err(|source| Fault::io("look at", &change.path, source))?;
        touched.push(one);
    }
    let mut again = Vec::new();
    for folder in reverse.iter().flat_map(|reverse| &reverse.removed) {
        let found = dir.look(&folder.path).map_err(|source| Fault::io("look at", &folder.path, source))?;
        if found != Found::Folder {
            again.push(folder.clone());
            seer.made.insert(folder.path.clone());
        }
    }
    let mut made: Vec<_> = seer.made.into_iter().collect();
    made.sort_by_cached_key(|folder| (folder.parts().count(), folder.clone()));
    let mut removed: Vec<_> = seer.removed.into_iter().map(|(path, bits)| Folder { path, bits }).collect();
    removed.sort_by_cached_key(|folder| folder.path.parts().count());
    Ok(Foreseen { touched, made, removed, again })
}

struct Seer<'s> {
    dir: &'s Dir,
    changes: &'s ChangeSet,
    reverse: Option<&'s Reverse>,
    /// What is above the paths of every folder that was met.
    above: HashMap<Option<RepoPath>, Rc<Above>>,
    made: HashSet<RepoPath>,
    removed: BTreeMap<RepoPath, u16>,
}

/// What is above a path.
struct Above {
    /// The folders that are there, highest first, with their permission bits.
    there: Vec<(RepoPath, u16)>,
    /// How many of them stay, from the top on.
    staying: usize,
}

impl Seer<'_> {
    /// Says all that may become of a path, of its old file and its new one, and of the folders around it.
    fn touched(&mut self, change: &Change) -> io::Result<Touched> {
        let above = self.above(&change.path)?;
        if change.before.is_none() {
            let is_there = |folder: &RepoPath| above.there.last().is_some_and(|(nearest, _)| nearest == folder);
            for folder in change.path.ancestors().take_while(|folder| !is_there(folder)) {
                // Those above one that is known are known.
                if !self.made.insert(folder) {
                    break;
                }
            }
            // What stands where a file goes, if anything, is a folder in which nothing will be left.
            if self.dir.look(&change.path)? == Found::Folder {
                self.goes_with_all_in_it(&change.path)?;
            }
        }
        if change.after.is_none() {
            // What is taken back takes only folders along that it had made.
            let goes = |folder: &RepoPath| self.reverse.is_none_or(|of| of.made.contains(folder));
            for (folder, bits) in above.there.iter().rev().filter(|(folder, _)| goes(folder)) {
                if self.removed.insert(folder.clone(), *bits).is_some() {
                    break;
                }
            }
        }
        Ok(Touched {
            path: change.path.clone(),
            before: change.before.as_ref().map(Held::of),
            after: change.after.as_ref().map(|after| {
                let bits = bits_afterwards(change, after);
                Held { bits, ..Held::of(after) }
            }),
            depth: above.staying,
        })
    }

    /// Notes that a folder goes, and the folders in it, unless there is something else there: then what is to come can't.
    fn goes_with_all_in_it(&mut self, folder: &RepoPath) -> io::Result<()> {
        let mut left = vec![folder.clone()];
        while let Some(folder) = left.pop() {
            for (name, shape) in self.dir.list(Some(&folder))? {
                if let (Shape::Folder, Ok(inner)) = (shape, folder.join(&name)) {
                    left.push(inner);
                }
            }
            let bits = self.dir.folder_bits(&folder)?;
            self.removed.insert(folder, bits);
        }
        Ok(())
    }

    fn above(&mut self, path: &RepoPath) -> io::Result<Rc<Above>> {
        let parent = path.parent();
        if let Some(known) = self.above.get(&parent) {
            return Ok(known.clone());
        }
        let there = self.dir.folders_above(path)?;
        let becomes_a_file = |folder| self.changes.get(folder).is_some_and(|change| change.after.is_some());
        let staying = there.iter().map(|(folder, _)| folder).take_while(|folder| !becomes_a_file(folder)).count();
        let above = Rc::new(Above { there, staying });
        self.above.insert(parent, above.clone());
        Ok(above)
    }
}
