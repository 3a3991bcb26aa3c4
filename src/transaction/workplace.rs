//! The work tree while it is being changed: what was prepared, what was done, and where the originals are.
//!
//! New contents are prepared as files beside their targets. An original that had to leave its place is kept whole, the same
//! inode, until the change is certain; so taking everything back copies nothing and needs no room. It stands under the name
//! of what replaced it, or in the [`Store`], which is where all of them go before a hook runs: then no file of ours lies in
//! the work tree.

use std::collections::BTreeMap;
use std::io;

use super::fault::Fault;
use super::lock::nonce;
use super::store::Store;
use crate::dir::write::fill;
use crate::dir::{Dir, Found, Stat};
use crate::path::RepoPath;
use crate::plan::{Change, ChangeSet};
use crate::repo::Repo;
use crate::tree::File;

/// The work tree, prepared. Dropping it takes back all that was done and removes all that was made.
#[derive(Debug)]
pub(super) struct Workplace<'r> {
    pub(super) repo: &'r Repo,
    pub(super) dir: &'r Dir,
    pub(super) changes: &'r ChangeSet,
    pub(super) staged: Vec<Staged<'r>>,
    /// What was done, in order. Taken back from the end.
    pub(super) deeds: Vec<Deed<'r>>,
    pub(super) watch: Watch,
    store: Option<Store>,
    nonce: u64,
    count: u32,
}

/// Whether programs of the repository will look at the work tree before the change is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watch {
    /// Nobody will.
    None,
    /// Hooks will, so nothing of ours may lie there.
    Hooks,
}

/// A new content, prepared.
#[derive(Debug)]
pub(super) struct Staged<'r> {
    pub(super) change: &'r Change,
    pub(super) after: &'r File,
    /// Where it stands; `None` once it was put in its place.
    pub(super) temporary: Option<RepoPath>,
}

/// Something that was done to the work tree and can be taken back.
#[derive(Debug)]
pub(super) enum Deed<'r> {
    /// A new content and an original changed places.
    Swapped { path: &'r RepoPath, before: &'r File, after: &'r File, original: Spot },
    /// A new content was put where nothing was.
    Placed { path: &'r RepoPath, after: &'r File },
    /// An original was taken away.
    TakenOut { path: &'r RepoPath, before: &'r File, original: Spot },
    /// A folder was made.
    MadeFolder { path: RepoPath },
    /// An empty folder was removed.
    RemovedFolder { path: RepoPath, bits: u16 },
}

/// Where an original is kept.
#[derive(Clone, Debug)]
pub(super) enum Spot {
    /// In the work tree, under a name of ours.
    Tree(RepoPath),
    /// In the store.
    Store(RepoPath),
}

impl<'r> Workplace<'r> {
    /// Writes every new content beside its target. Nothing that has a name of its own is touched.
    pub(super) fn prepare(repo: &'r Repo, changes: &'r ChangeSet, watch: Watch) -> Result<Self, Fault> {
        let mut place = Self {
            repo,
            dir: repo.dir()?,
            changes,
            staged: Vec::new(),
            deeds: Vec::new(),
            watch,
            store: None,
            nonce: nonce(),
            count: 0,
        };
        // Made now where it will be needed, so that later there is less to go wrong.
        if watch == Watch::Hooks || changes.iter().any(|change| change.after.is_none()) {
            place.store()?;
        }
        if watch == Watch::Hooks {
            place.check_file_systems()?;
        }
        let mut homes = BTreeMap::new();
        for change in changes {
            if let Some(after) = &change.after {
                place.stage(change, after, &mut homes).map_err(|source| Fault::io("prepare", &change.path, source))?;
            }
        }
        Ok(place)
    }

    /// Checks that every original can be renamed into the store, which is where they must be when hooks run.
    fn check_file_systems(&mut self) -> Result<(), Fault> {
        let ours = self.store()?.dir().device(None);
        let ours = ours.map_err(|source| Fault::Io { doing: "look at", path: "llmpatch".into(), source })?;
        for change in self.changes.iter().filter(|change| change.before.is_some()) {
            let path = &change.path;
            let there = self.dir.device(path.parent().as_ref()).map_err(|source| Fault::io("look at", path, source))?;
            if there != ours {
                return Err(Fault::OtherFileSystem { path: path.clone() });
            }
        }
        Ok(())
    }

    fn stage(
        &mut self,
        change: &'r Change,
        after: &'r File,
        homes: &mut BTreeMap<Option<RepoPath>, Option<RepoPath>>,
    ) -> io::Result<()> {
        let parent = change.path.parent();
        let home = match (&change.before, homes.get(&parent)) {
            (Some(_), _) => parent,
            (None, Some(home)) => home.clone(),
            (None, None) => {
                let home = self.home(&change.path)?;
                homes.insert(parent, home.clone());
                home
            }
        };
        let temporary = self.temporary(home.as_ref());
        let bits = bits_afterwards(change, after);
        let at_first = match bits {
            // What others may read is decided when it is complete.
            Some(_) => 0o600,
            None if after.mode.executable => 0o777,
            None => 0o666,
        };
        let mut file = self.dir.create(&temporary, at_first)?;
        self.staged.push(Staged { change, after, temporary: Some(temporary) });
        fill(&mut file, &after.content, bits)?;
        Ok(())
    }

    /// Returns the nearest folder above a path that is there now and stays (`None`: the top).
    pub(super) fn home(&self, path: &RepoPath) -> io::Result<Option<RepoPath>> {
        let ancestors: Vec<_> = path.ancestors().collect();
        let mut home = None;
        for ancestor in ancestors.into_iter().rev() {
            let becomes_a_file = self.changes.get(&ancestor).is_some_and(|change| change.after.is_some());
            if becomes_a_file || self.dir.look(&ancestor)? != Found::Folder {
                break;
            }
            home = Some(ancestor);
        }
        Ok(home)
    }

    /// Returns a name in a folder that nothing has. Should a run die, the name says whose it is.
    pub(super) fn temporary(&mut self, folder: Option<&RepoPath>) -> RepoPath {
        self.count += 1;
        let name = format!(".llmpatch-{:016x}-{}.tmp", self.nonce, self.count);
        let path = match folder {
            Some(folder) => [folder.as_bytes(), b"/", name.as_bytes()].concat(),
            None => name.into_bytes(),
        };
        RepoPath::new(&path).expect("a safe folder and a plain name make a safe path")
    }

    /// Returns the store, which is made now if there is none.
    pub(super) fn store(&mut self) -> Result<&Store, Fault> {
        if self.store.is_none() {
            self.store = Some(Store::make(self.repo.git_dir(), self.nonce)?);
        }
        Ok(self.store.as_ref().expect("it was made above"))
    }

    /// Returns the store, if there is one.
    pub(super) fn made_store(&self) -> Option<&Store> {
        self.store.as_ref()
    }

    /// Returns where a spot is.
    pub(super) fn at<'s>(&'s self, spot: &'s Spot) -> (&'s Dir, &'s RepoPath) {
        match spot {
            Spot::Tree(path) => (self.dir, path),
            Spot::Store(path) => (self.made_store().expect("a spot in the store is made by the store").dir(), path),
        }
    }

    /// Returns whether a regular file stands there that holds just this.
    pub(super) fn holds(&self, spot: &Spot, file: &File, modes: Modes) -> io::Result<bool> {
        let (dir, path) = self.at(spot);
        let same = |stat: &Stat| modes == Modes::Ignored || file.mode.bits.is_none_or(|bits| bits == stat.bits);
        Ok(dir.read(path)?.is_some_and(|(bytes, stat)| bytes == file.content[..] && same(&stat)))
    }

    /// Returns the stat data of every file that was written, now that each is in its place.
    pub(super) fn stats(&self) -> Result<BTreeMap<&'r RepoPath, Stat>, Fault> {
        let mut stats = BTreeMap::new();
        for staged in &self.staged {
            let path = &staged.change.path;
            match self.dir.look(path).map_err(|source| Fault::io("look at", path, source))? {
                Found::File(stat) => stats.insert(path, stat),
                _ => return Err(Fault::Changed { path: path.clone() }),
            };
        }
        Ok(stats)
    }
}

impl Drop for Workplace<'_> {
    fn drop(&mut self) {
        self.take_back();
    }
}

/// Whether permission bits count in a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Modes {
    /// They do.
    Compared,
    /// They don't.
    Ignored,
}

/// Returns the permission bits that a file is to have; `None` if the umask decides.
fn bits_afterwards(change: &Change, after: &File) -> Option<u16> {
    let before = change.before.as_ref().and_then(|before| before.mode.bits);
    after.mode.bits.or_else(|| match (before?, after.mode.executable) {
        // As git does: whoever may read may execute.
        (bits, true) => Some(bits | (bits & 0o444) >> 2),
        (bits, false) => Some(bits & !0o111),
    })
}
