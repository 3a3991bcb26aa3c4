//! Taking back what was done to the work tree, the last deed first.
//!
//! A path is judged by what stands there: our new content goes and the original comes back, the same inode; anything else is
//! somebody's own edit since, which stays where it is and is named. Its original then is kept in the store.

use std::io;

use super::workplace::{Deed, Modes, Spot, Workplace};
use crate::path::RepoPath;
use crate::tree::File;

/// Whether a deed could be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// It was.
    Restored,
    /// Somebody changed the path since, and their content stays.
    Theirs,
}

impl Workplace<'_> {
    /// Takes back everything and returns the paths that aren't what they were.
    pub(super) fn take_back(&mut self) -> Vec<RepoPath> {
        let mut attention = Vec::new();
        while let Some(deed) = self.deeds.pop() {
            let restored = matches!(self.take_back_one(&deed), Ok(Outcome::Restored));
            match deed {
                Deed::Swapped { path, original, .. } | Deed::TakenOut { path, original, .. } if !restored => {
                    self.shelve(&original);
                    attention.push(path.clone());
                }
                Deed::Placed { path, .. } if !restored => attention.push(path.clone()),
                // A folder with something of somebody's in it stays, and what is in it is named if it is of our making.
                _ => {}
            }
        }
        for staged in &mut self.staged {
            if let Some(temporary) = staged.temporary.take()
                && self.dir.remove_file(&temporary).is_err_and(|fault| fault.kind() != io::ErrorKind::NotFound)
            {
                attention.push(temporary);
            }
        }
        attention.sort();
        attention.dedup();
        attention
    }

    fn take_back_one(&mut self, deed: &Deed<'_>) -> io::Result<Outcome> {
        match deed {
            Deed::Swapped { path, after, original, .. } => self.swap_back(path, after, original),
            Deed::Placed { path, after } => self.unplace(path, after),
            Deed::TakenOut { path, original, .. } => self.put_back(path, original),
            Deed::MadeFolder { path } => {
                self.dir.remove_folder(path)?;
                Ok(Outcome::Restored)
            }
            Deed::RemovedFolder { path, bits } => {
                self.dir.make_folder_again(path, *bits)?;
                Ok(Outcome::Restored)
            }
        }
    }

    fn swap_back(&self, path: &RepoPath, after: &File, original: &Spot) -> io::Result<Outcome> {
        let (dir, kept) = self.at(original);
        match self.dir.exchange(path, dir, kept) {
            Ok(()) => {}
            // Somebody deleted ours. Nothing of theirs is there to keep.
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => return self.put_back(path, original),
            Err(fault) => return Err(fault),
        }
        if self.holds(original, after, Modes::Ignored)? {
            // The original is back. Should ours be hard to remove, it is a leftover and no loss.
            dir.remove_file(kept)?;
            return Ok(Outcome::Restored);
        }
        self.dir.exchange(path, dir, kept)?;
        Ok(Outcome::Theirs)
    }

    fn put_back(&self, path: &RepoPath, original: &Spot) -> io::Result<Outcome> {
        let (dir, kept) = self.at(original);
        match dir.rename_to_free(kept, self.dir, path) {
            Ok(()) => Ok(Outcome::Restored),
            Err(fault) if fault.kind() == io::ErrorKind::AlreadyExists => Ok(Outcome::Theirs),
            Err(fault) => Err(fault),
        }
    }

    fn unplace(&mut self, path: &RepoPath, after: &File) -> io::Result<Outcome> {
        let aside = self.temporary(path.parent().as_ref());
        match self.dir.rename_to_free(path, self.dir, &aside) {
            Ok(()) => {}
            // Somebody deleted it, as we were about to.
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => return Ok(Outcome::Restored),
            Err(fault) => return Err(fault),
        }
        let spot = Spot::Tree(aside);
        let (dir, aside) = self.at(&spot);
        if self.holds(&spot, after, Modes::Ignored)? {
            dir.remove_file(aside)?;
            return Ok(Outcome::Restored);
        }
        dir.rename_to_free(aside, self.dir, path)?;
        Ok(Outcome::Theirs)
    }

    /// Has an original outlive us, in the store if that can be.
    fn shelve(&mut self, original: &Spot) {
        if let Spot::Tree(path) = original {
            let Ok(store) = self.store() else { return };
            let spot = store.free_name();
            let (dir, store) = (self.dir, self.made_store().expect("it was made above"));
            if dir.rename_to_free(path, store.dir(), &spot).is_ok() {
                store.keep();
            }
        } else if let Some(store) = self.made_store() {
            store.keep();
        }
    }
}
