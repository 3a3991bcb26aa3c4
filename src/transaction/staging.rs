//! The work tree while it is being changed: what was prepared, and where the originals are.
//!
//! New contents are prepared as files beside their targets. An original that had to leave its place
//! is kept whole, the same inode, until the next change; so taking everything back copies nothing
//! and needs no room. For an instant it has the name of what replaced it, then in the [`Journal`]:
//! when a hook runs, and when the change is certain, no file of ours lies in the work tree.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io;

use super::error::{TransactionError, Unresolved, Warning};
use super::flush::Flush;
use super::journal::Journal;
use super::kept::Originals;
use super::last::Reverse;
use super::layout::lay_out;
use super::manifest::{Manifest, RecordedDirectory, RunKind};
use super::publish::is_missing;
use super::undo::{Remains, Undo};
use crate::dir::clock::Moment;
use crate::dir::rights::{Rights, SET_ID};
use crate::dir::write::{fill, kept_bits, set_bits};
use crate::dir::{Dir, Found, Stat};
use crate::repo::{Repo, history, work_tree};
use crate::signal;
use crate::system::despite_passing_fault;
use llmpatch::path::RepoPath;
use llmpatch::plan::{Change, ChangeSet};
use llmpatch::progress::{Progress, Stage};
use llmpatch::tree::{File, Mode};

/// A change on its way. Dropping it takes back all that was done and removes all that was made.
#[derive(Debug)]
pub(super) struct Staging<'r> {
    pub(super) repo: &'r Repo,
    /// The work tree, if its files change.
    pub(super) dir: Option<&'r Dir>,
    /// The changes of the work tree, by path.
    pub(super) changes: Vec<&'r Change>,
    pub(super) journal: Journal,
    pub(super) manifest: Manifest,
    pub(super) flush: Flush,
    pub(super) watch: Watch,
    pub(super) progress: Progress,
    /// What is kept of the files that an undo brings back.
    restored: Originals,
    /// The originals that left their places, by their numbers in the manifest.
    pub(super) originals: BTreeMap<usize, Original>,
    /// When the first file went to its place, which is when others may write to it.
    pub(super) published: Option<Moment>,
    /// Directories to be made again with the bits that they had, highest first.
    pub(super) directories: Vec<RecordedDirectory>,
    /// What is worth a word.
    pub(super) warnings: Vec<Warning>,
    phase: Phase,
    /// Where new files were prepared, by their numbers in the manifest.
    staged: BTreeMap<usize, RepoPath>,
    /// The new files as they were written, by their numbers in the manifest.
    pub(super) written: BTreeMap<usize, Stat>,
}

/// A file that left its place.
#[derive(Debug)]
pub(super) struct Original {
    pub(super) location: Location,
    /// What it was when its content was looked at, if later writing shows in that.
    seen: Cell<Option<Stat>>,
}

impl From<Location> for Original {
    fn from(location: Location) -> Self {
        Self {
            location,
            seen: Cell::new(None),
        }
    }
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Nothing visible was done.
    Prepared,
    /// The manifest is in its place.
    Journaled,
    /// It is certain, or it is taken back.
    Over,
}

/// Whether programs of the repository will look at the work tree before the change is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watch {
    /// Nobody will.
    None,
    /// Hooks will, so nothing of ours may lie there.
    Hooks,
}

/// Where an original is.
#[derive(Clone, Debug)]
pub(super) enum Location {
    /// In the work tree, under a name of ours.
    Tree(RepoPath),
    /// In the journal.
    Journal(RepoPath),
}

impl<'r> Staging<'r> {
    /// Works out where everything will lie, and writes every new content beside its target. Nothing
    /// that has a name of its own is touched.
    pub(super) fn prepare(
        repo: &'r Repo,
        changes: &'r ChangeSet,
        journal: Journal,
        watch: Option<Watch>,
        reverse: Option<&Reverse>,
        progress: Progress,
    ) -> Result<Self, TransactionError> {
        let dir = watch.map(|_| repo.dir()).transpose()?;
        // What sparse checkout left out is deleted from the index alone.
        let all = changes;
        let (changes, indexed): (Vec<_>, Vec<_>) = all.iter().partition(|change| {
            dir.is_some() && (change.on_disk().is_some() || change.after.is_some())
        });
        let mut staging = Self {
            repo,
            dir,
            changes,
            journal,
            manifest: Manifest::default(),
            flush: Flush::from_config(repo.config())?,
            watch: watch.unwrap_or(Watch::None),
            progress,
            restored: Originals::default(),
            originals: BTreeMap::new(),
            published: None,
            directories: Vec::new(),
            warnings: Vec::new(),
            phase: Phase::Prepared,
            staged: BTreeMap::new(),
            written: BTreeMap::new(),
        };
        staging.manifest.head = history::head(repo)?.map(|id| id.to_string());
        staging.manifest.origin = if reverse.is_some() {
            RunKind::Undo
        } else {
            RunKind::Apply
        };
        staging.manifest.indexed = indexed
            .into_iter()
            .map(|change| change.path.clone())
            .chain(reverse.into_iter().flat_map(|of| of.entries_alone(all)))
            .collect();
        let Some(dir) = staging.dir else {
            return Ok(staging);
        };
        if watch == Some(Watch::Hooks) {
            staging.check_file_systems(dir)?;
        }
        if reverse.is_some() {
            staging.restored = Originals::of_newest(repo)?;
        }
        staging.directories = lay_out(dir, &staging.changes, reverse, &mut staging.manifest)?;
        staging.journal.announce(&staging.manifest, staging.flush)?;
        staging
            .progress
            .enter(Stage::Preparing, staging.changes.len());
        for (number, change) in staging.changes.clone().into_iter().enumerate() {
            staging.progress.step();
            if let Some(after) = &change.after {
                signal::check()?;
                staging
                    .stage(dir, number, change, after)
                    .map_err(TransactionError::io("prepare", &change.path))?;
            }
        }
        Ok(staging)
    }

    /// Returns where a new file was prepared, by its number in the manifest.
    pub(super) fn stage_of(&self, number: usize) -> RepoPath {
        self.staged[&number].clone()
    }

    /// Returns where an original can wait.
    pub(super) fn aside_of(&self, number: usize) -> RepoPath {
        self.manifest.touched[number].aside(self.journal.run(), number)
    }

    /// Checks that every original can be renamed into the journal, which is where they must be when
    /// hooks run.
    fn check_file_systems(&self, dir: &Dir) -> Result<(), TransactionError> {
        let ours = self
            .journal
            .dir()
            .device(None)
            .map_err(TransactionError::io("look at", "llmpatch"))?;
        for change in self
            .changes
            .iter()
            .filter(|change| change.on_disk().is_some())
        {
            let path = &change.path;
            if dir
                .device(path.parent().as_ref())
                .map_err(TransactionError::io("look at", path))?
                != ours
            {
                return Err(TransactionError::OtherFileSystem { path: path.clone() });
            }
        }
        Ok(())
    }

    fn stage(&mut self, dir: &Dir, number: usize, change: &Change, after: &File) -> io::Result<()> {
        let stage = self.manifest.touched[number].stage(self.journal.run(), number);
        if after.mode.is_link() {
            dir.make_link(&stage, &after.content)?;
            self.staged.insert(number, stage.clone());
            let made = dir.read_link(&stage)?;
            let (_, stat) = made.ok_or(io::ErrorKind::NotFound)?;
            self.written.insert(number, stat);
            return Ok(());
        }
        let bits = bits_afterwards(change, after);
        // It takes the place of this, or is that under another name.
        let like = if change.on_disk().is_some() {
            Some(&change.path)
        } else {
            change.from.as_ref()
        };
        let like = match (like, bits) {
            (_, None) => None,
            (Some(path), _) => work_tree::rights(self.repo, dir, path)?,
            (None, _) => self.restored.rights(&change.path)?,
        };
        let at_first = match (&like, bits) {
            (Some(like), Some(bits)) => like.at_first(bits),
            (None, Some(bits)) => bits & !SET_ID,
            (_, None) if after.mode.executable => 0o777,
            (_, None) => 0o666,
        };
        let mut file = dir.create(&stage, at_first)?;
        self.staged.insert(number, stage);
        fill(&mut file, after.content.kept().parts())?;
        self.flush.content(&file)?;
        let mut stat = Stat::of(&file)?;
        if let Some(bits) = bits {
            let bits = self.give_rights(change, like, (&file, &mut stat), bits)?;
            if let Some(held) = &mut self.manifest.touched[number].after {
                held.bits = Some(bits);
            }
        }
        self.written.insert(number, stat);
        Ok(())
    }

    /// Gives a new file the permission bits, and the other rights, of the file whose place it
    /// takes.
    fn give_rights(
        &mut self,
        change: &Change,
        like: Option<Rights>,
        (file, stat): (&std::fs::File, &mut Stat),
        bits: u16,
    ) -> io::Result<u16> {
        let Some(like) = like else {
            let bits = bits & !SET_ID;
            if stat.bits != bits {
                set_bits(file, bits)?;
                *stat = Stat::of(file)?;
            }
            return Ok(bits);
        };
        let path = change.path.clone();
        let others = like.stat.links.saturating_sub(1);
        if change.on_disk().is_some() && others > 0 {
            self.warnings.push(Warning::HardLink {
                path: path.clone(),
                others,
            });
        }
        let (bits, lost) = like.give(file, stat, bits)?;
        self.warnings
            .extend((!lost.is_empty()).then_some(Warning::Rights { path, lost }));
        Ok(bits)
    }

    /// Gives new files that were written only just now a time before that at which they go to their
    /// places, by a nanosecond: so whatever is written to them there shows in it, and they needn't
    /// be read again. Where that can't be done they are.
    pub(super) fn backdate(&mut self, dir: &Dir) {
        let Some(published) = self.published else {
            return;
        };
        let _pass = dir.pass();
        for (number, stat) in &mut self.written {
            if let Some(before) = published.right_before(stat)
                && dir.set_modified(&self.staged[number], before).is_ok()
            {
                stat.modified = before;
            }
        }
    }

    /// Puts the manifest in its place; from here on whoever finds it takes the change back.
    pub(super) fn install_manifest(&mut self) -> Result<(), TransactionError> {
        self.flush_all()?;
        // Whatever becomes of this call, the manifest may be there afterwards.
        self.phase = Phase::Journaled;
        self.journal
            .begin(&self.manifest, self.flush)
            .map_err(TransactionError::io("write", &self.journal.path()))
    }

    /// Waits until all that was done is on the disk.
    pub(super) fn flush_all(&self) -> Result<(), TransactionError> {
        self.flush
            .everything_of(self.repo, &self.manifest, &self.progress)
    }

    /// Makes the change certain.
    pub(super) fn decide(&mut self) -> io::Result<()> {
        self.journal.decide()?;
        self.phase = Phase::Over;
        Ok(())
    }

    /// Leaves everything to whoever finds the journal.
    pub(super) fn leave(&mut self) {
        self.journal.keep();
        self.phase = Phase::Over;
    }

    /// Takes back all that was done, and removes what was prepared.
    pub(super) fn take_back(&mut self) -> Remains {
        let mut remains = Remains::default();
        if self.phase == Phase::Journaled {
            // Judged by what is there, so a second time can only do better.
            remains = despite_passing_fault(|| self.undo()).unwrap_or_else(|remains| remains);
            // Should the power go before this is on the disk, the manifest is there and it is done
            // again.
            let _ = self.flush_all();
            match remains
                .failed
                .is_empty()
                .then(|| self.journal.end(&remains.theirs, self.flush))
            {
                Some(Ok(kept)) => {
                    remains.open = kept;
                    self.remove_staged(&remains.theirs);
                }
                // The manifest is there, and the next run tries again.
                _ => {
                    remains.open = Some(Unresolved::Again(self.journal.path()));
                    self.journal.keep();
                }
            }
        } else if self.phase == Phase::Prepared {
            self.remove_staged(&[]);
        }
        self.phase = Phase::Over;
        remains
    }

    /// Takes back what is visible, as far as that can be done.
    ///
    /// # Errors
    /// What remains, if that couldn't be done for some paths.
    fn undo(&self) -> Result<Remains, Remains> {
        let index = self.journal.restore_index(self.repo.index_path());
        let undo = self.dir.map(|dir| Undo {
            dir,
            journal: &self.journal,
            manifest: &self.manifest,
            progress: &self.progress,
        });
        let mut remains = undo.map(|undo| undo.run()).unwrap_or_default();
        if let (Err(error), Some(path)) = (index, self.manifest.paths().next()) {
            remains.failed.push((path.clone(), error));
        }
        if remains.failed.is_empty() {
            Ok(remains)
        } else {
            Err(remains)
        }
    }

    /// Removes what was prepared and isn't needed any more, except beside paths where an original
    /// may have had to stay.
    fn remove_staged(&mut self, spared: &[RepoPath]) {
        let Some(dir) = self.dir else { return };
        for (number, temporary) in std::mem::take(&mut self.staged) {
            let is_spared = spared.contains(&self.manifest.touched[number].path);
            if !is_spared
                && dir
                    .remove_file(&temporary)
                    .is_err_and(|error| !is_missing(&error))
            {
                // Its name is in the journal, where the next run finds it.
                self.journal.keep();
            }
        }
    }

    /// Returns the directory and the path of a location.
    pub(super) fn at<'s>(
        &'s self,
        dir: &'s Dir,
        location: &'s Location,
    ) -> (&'s Dir, &'s RepoPath) {
        match location {
            Location::Tree(path) => (dir, path),
            Location::Journal(path) => (self.journal.dir(), path),
        }
    }

    /// Returns whether an original is what was planned on. It is read once, and again only if
    /// somebody may have written to it. If `bits` are given, it must have them, too.
    pub(super) fn is_as_before(
        &self,
        dir: &Dir,
        original: &Original,
        before: &File,
        bits: Option<u16>,
    ) -> io::Result<bool> {
        let (dir, path) = self.at(dir, &original.location);
        if let Some(seen) = original.seen.get()
            && let Found::File(now) = dir.look(path)?
            && now.is_unwritten_since(&seen)
        {
            return Ok(true);
        }
        let Some(stat) = held(dir, path, before)? else {
            return Ok(false);
        };
        original.seen.set(
            self.published
                .filter(|moment| moment.shows_in(&stat))
                .map(|_| stat),
        );
        Ok(bits.is_none_or(|bits| bits == stat.bits))
    }

    /// Returns whether what was written still is in its place.
    pub(super) fn is_as_written(
        &self,
        dir: &Dir,
        number: usize,
        change: &Change,
        after: &File,
    ) -> io::Result<bool> {
        let written = self
            .written
            .get(&number)
            .filter(|stat| self.published.is_some_and(|moment| moment.shows_in(stat)));
        if let Some(written) = written
            && dir
                .glance(&change.path)
                .is_some_and(|now| now.is_unwritten_since(written))
        {
            return Ok(true);
        }
        Ok(held(dir, &change.path, after)?.is_some())
    }

    /// Returns the stat data of every file that was written, now that each is in its place.
    pub(super) fn stats(&self) -> Result<BTreeMap<&'r RepoPath, Stat>, TransactionError> {
        let mut stats = BTreeMap::new();
        let Some(dir) = self.dir else {
            return Ok(stats);
        };
        let _pass = dir.pass();
        for change in self.changes.iter().filter(|change| change.after.is_some()) {
            let path = &change.path;
            match dir
                .look(path)
                .map_err(TransactionError::io("look at", path))?
            {
                Found::File(stat) => stats.insert(path, stat),
                Found::Link => {
                    let link = dir.read_link(path);
                    let link = link.map_err(TransactionError::io("look at", path))?;
                    let changed = || TransactionError::Changed { path: path.clone() };
                    stats.insert(path, link.ok_or_else(changed)?.1)
                }
                _ => return Err(TransactionError::Changed { path: path.clone() }),
            };
        }
        Ok(stats)
    }
}

impl Drop for Staging<'_> {
    fn drop(&mut self) {
        self.take_back();
    }
}

/// Returns the stat data of a path that holds what a file, or a link, does.
fn held(dir: &Dir, path: &RepoPath, file: &File) -> io::Result<Option<Stat>> {
    let content = file.content.kept();
    Ok(if file.mode.is_link() {
        let link = dir.read_link(path)?;
        link.and_then(|(target, stat)| (target == *content).then_some(stat))
    } else {
        let held = dir.holds(path, content.size(), || content.parts())?;
        held.and_then(|(is_held, stat)| is_held.then_some(stat))
    })
}

/// Returns the permission bits that a file is to have; `None` if the umask decides.
pub(super) fn bits_afterwards(change: &Change, after: &File) -> Option<u16> {
    let before = change.on_disk().and_then(|before| before.mode.bits);
    after
        .mode
        .bits
        .or_else(|| Some(Mode::bits(before?, after.mode.executable)))
        .map(kept_bits)
}
