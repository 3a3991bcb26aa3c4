//! Makes a [`ChangeSet`] true, or leaves no trace. It decides nothing about the patch.
//!
//! [`begin`] takes the lock, refuses all that can be refused, then prepares all that takes room on a
//! disk: new contents beside their targets, blobs, the next index. [`Prepared::publish`] makes the change
//! visible. Whatever fails after that, what was done is taken back, the last step first, and so it
//! is when a `Prepared` is dropped.
//!
//! From begin to end git's own `index.lock` is held, for a change of the work tree alone too: it
//! keeps `git add` and `git commit` from seeing half of it.
//!
//! Before the first visible change a manifest is in the journal (`journal.rs`) that says where
//! everything lies before and after; taking it away is the moment from which the change is certain.
//! A run that dies between the two is taken back by the next run ([`recover()`]), which judges
//! every path by what it finds there; no run is needed that remembers what it did.
//!
//! The order: new contents beside their targets, the manifest, files, then the index by one rename,
//! the end of the manifest. With a commit: files, then the commit on a private index, then the
//! index. Once HEAD moved there is no way back, so what then goes wrong is a warning, and recovery
//! goes forward too.
//!
//! What is needed to take the change back outlives it, until the next change: see `last.rs`. Taking
//! it back is a change like any other.
//!
//! A file that a hook rewrote before another hook refused is left as the hook wrote it, and named,
//! its original kept: nothing tells a hook's rewriting from what its owner typed meanwhile.

mod committing;
mod earlier;
mod error;
mod flush;
mod home;
mod journal;
mod kept;
mod kept_index;
mod last;
mod layout;
mod lock;
mod made_commits;
mod manifest;
mod news;
mod publish;
mod recheck;
mod record;
mod recover;
mod recovery;
mod sealed;
mod staging;
mod undo;

#[cfg(test)]
mod tests;

pub use llmpatch::report::Committed;
use std::collections::BTreeMap;

pub use earlier::{Earlier, Listed, earlier};
pub use error::{Holder, TransactionError, Unfit, Unresolved, Warning, Why};
pub use kept::Seen;
pub use last::{Last, Reverse, Undoing, last};
pub use made_commits::MadeCommits;
pub use manifest::RunKind;
pub use recheck::unmade;
pub use recover::{
    Asked, How, Interrupted, Owner, Recovered, Whose, interrupted, interrupted_by_another, recover,
};

use crate::dir::{Dir, Stat};
use crate::repo::{self, Blob, CommitError, NextIndex, Repo, commit, shared};
pub use crate::repo::{CommitRequest, Sign};
use crate::signal::{self, HeldBack};
use committing::{Intended, Made};
use flush::Flush;
use journal::Journal;
use llmpatch::path::RepoPath;
use llmpatch::plan::{Change, ChangeSet};
use llmpatch::progress::{Progress, Stage};
use llmpatch::text::SystemError;
use llmpatch::tree::File;
use lock::IndexLock;
use news::IndexNews;
use record::Entry;
use sealed::Sealed as _;
use staging::{Staging, Watch};

/// What is to be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The work tree alone.
    WorkTree {
        /// Whether new files are recorded in the index as to be added, so that `git diff` shows
        /// them. A file whose place in the index is taken, by an entry of its own or by one above
        /// or below it, is left out.
        intent_to_add: bool,
    },
    /// The work tree and the index.
    IndexAndWorkTree,
    /// The index alone.
    Index,
    /// The work tree and the index, and then a commit of just this.
    Commit(CommitRequest),
    /// A commit of a change of files as git stores them that is in the work tree already, staged or
    /// not: HEAD and the index follow.
    CommitOfMade(CommitRequest),
    /// Whatever the last change was about: it is taken back.
    Undo(Reverse),
}

impl Target {
    /// Returns the commit that HEAD is to come to.
    fn request(&self) -> Option<&CommitRequest> {
        match self {
            Target::Commit(request) | Target::CommitOfMade(request) => Some(request),
            Target::Undo(reverse) => reverse.back.as_ref().map(|back| &back.request),
            _ => None,
        }
    }
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The commit, if one was asked for.
    pub commit: Option<Committed>,
    /// What is worth a word.
    pub warnings: Vec<Warning>,
}

/// Why nothing was done after all.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct Undone {
    /// What went wrong.
    pub error: TransactionError,
    /// The paths that aren't what they were: they couldn't be put back, or somebody else changed
    /// them meanwhile, and then their content was left alone. None: everything was put back.
    pub attention: Vec<RepoPath>,
    /// What is left for a person to see to.
    pub open: Vec<Unresolved>,
}

/// A change whose new contents are safely on disk. Nothing that has a name has been touched yet.
///
/// Dropping it removes what was prepared.
#[derive(Debug)]
#[must_use = "a prepared change is none until `publish`"]
pub struct Prepared<'r> {
    repo: &'r Repo,
    changes: &'r ChangeSet,
    target: Target,
    // Before the journal, which says where they lie as long as they do.
    next: Option<NextIndex<'r>>,
    intended: Option<Intended<'r>>,
    staging: Staging<'r>,
    blobs: Vec<(&'r RepoPath, Option<Blob>)>,
    /// The sides of what is left in a merge.
    unmerged: Vec<(&'r RepoPath, [Option<Blob>; 3])>,
    /// The parent of a new commit.
    head: Option<git2::Oid>,
    /// Behind all that is tidied up, so that it is released when that is done.
    lock: IndexLock,
    _news: IndexNews<'r>,
    _held: HeldBack,
}

/// Refuses a commit that the repository wouldn't take now, whatever the change is: what a look
/// ahead can say without a lock.
///
/// # Errors
/// `identity`, `unsupported`, `io`: see [`CommitError`].
pub fn check(repo: &Repo, target: &Target) -> Result<(), CommitError> {
    let Some(request) = target.request() else {
        return Ok(());
    };
    commit::check_request(repo, request)?;
    commit::check_calm(repo)
}

/// Returns every place that a journal could have us touch whose manifest or record is this, sealed
/// as if we had written it: for tests of what is read.
#[doc(hidden)]
pub fn places(json: &[u8]) -> Vec<RepoPath> {
    let manifest = manifest::Manifest::parse(&sealed::seal_json(manifest::Manifest::TITLE, json));
    let of_manifest = manifest
        .iter()
        .flat_map(|of| of.places().cloned().chain(of.temporaries(0, &[])));
    let record = record::Record::parse(&sealed::seal_json(record::Record::TITLE, json));
    let made = record.iter().filter_map(record::Record::made);
    let of_record = made.flat_map(|made| {
        let files = made.files.iter().map(|file| &file.path);
        files.chain(&made.made).cloned()
    });
    of_manifest.chain(of_record).collect()
}

/// Takes the lock and begins, see [`Locked`].
///
/// # Errors
/// As [`Locked::take`] and [`Locked::begin`].
pub fn begin<'r>(
    repo: &'r Repo,
    changes: &'r ChangeSet,
    target: Target,
    progress: Progress,
    recovered: &mut Vec<Recovered>,
) -> Result<Prepared<'r>, TransactionError> {
    Locked::take(repo, &progress, recovered)?.begin(changes, target, progress)
}

/// The lock of a repository: as long as this lives no other apply changes anything.
#[derive(Debug)]
#[must_use = "others wait for the lock"]
pub struct Locked<'r> {
    repo: &'r Repo,
    journal: Journal,
    lock: IndexLock,
    _news: IndexNews<'r>,
    _held: HeldBack,
}

impl<'r> Locked<'r> {
    /// Takes the lock, once what was interrupted before is recovered.
    ///
    /// # Errors
    /// `locked`, `io`: see [`TransactionError`].
    pub fn take(
        repo: &'r Repo,
        progress: &Progress,
        recovered: &mut Vec<Recovered>,
    ) -> Result<Self, TransactionError> {
        let _held = HeldBack::begin();
        let _news = IndexNews::of(repo, progress);
        let (journal, lock) = recover::take(repo, progress, recovered)?;
        Ok(Self {
            repo,
            journal,
            lock,
            _news,
            _held,
        })
    }

    /// Checks that everything still is what a change was worked out from.
    ///
    /// # Errors
    /// As [`Locked::begin`].
    pub fn check(&self, changes: &ChangeSet, target: &Target) -> Result<(), TransactionError> {
        recheck::under_lock(self.repo, changes, target, &Progress::default()).map(drop)
    }

    /// Forgets the last change, so that undo comes to the one before it; returns what it was, `None`
    /// if there is none. No file is changed.
    ///
    /// # Errors
    /// `io`, or if a signal asked to stop before: see [`TransactionError`].
    pub fn forget_last(self) -> Result<Option<Earlier>, TransactionError> {
        kept::all_are_kept(self.repo)?;
        signal::check()?;
        kept::forget_newest(self.repo)
    }

    /// Writes down with the next change where the model saw the work tree, as whoever makes it had
    /// to say; returns whether it is the second in a row with the same words.
    pub fn note_roots(&mut self, roots: Vec<String>) -> bool {
        kept::note_roots(&mut self.journal, roots)
    }

    /// Releases the lock without a change.
    ///
    /// # Errors
    /// If a signal asked to stop meanwhile.
    pub fn release(self) -> Result<(), TransactionError> {
        Ok(signal::check()?)
    }

    /// Refuses what can't be done, then prepares the rest. Nothing visible has changed afterwards,
    /// whatever it returns.
    ///
    /// # Errors
    /// `stale`, `file-exists`, `identity`, `unsupported`, `unchanged`, `io`: see
    /// [`TransactionError`].
    pub fn begin(
        self,
        changes: &'r ChangeSet,
        target: Target,
        progress: Progress,
    ) -> Result<Prepared<'r>, TransactionError> {
        // Dropped in the reverse order.
        let Self {
            _held,
            _news,
            lock,
            journal,
            repo,
        } = self;
        if let Some(request) = target.request() {
            commit::check_request(repo, request)?;
        }
        progress.enter(Stage::Preparing, changes.len());
        let head = recheck::under_lock(repo, changes, &target, &progress)?;
        let reverse = if let Target::Undo(of) = &target {
            Some(of)
        } else {
            None
        };
        let watch = match &target {
            Target::Index | Target::CommitOfMade(_) => None,
            Target::Undo(reverse) if !reverse.has_files() => None,
            Target::Undo(Reverse { back: Some(_), .. }) | Target::Commit(_) => Some(Watch::Hooks),
            Target::WorkTree { .. } | Target::IndexAndWorkTree | Target::Undo(_) => {
                Some(Watch::None)
            }
        };
        let mut prepared = Prepared {
            repo,
            changes,
            next: None,
            intended: None,
            staging: Staging::prepare(repo, changes, journal, watch, reverse, progress)?,
            target,
            blobs: Vec::new(),
            unmerged: Vec::new(),
            head,
            lock,
            _news,
            _held,
        };
        prepared.prepare()?;
        Ok(prepared)
    }
}

impl<'r> Prepared<'r> {
    fn prepare(&mut self) -> Result<(), TransactionError> {
        let _opened = shared::opened(self.repo);
        if self.wants_index() {
            self.next = Some(self.copy_index()?);
            self.staging.manifest.with_index = true;
        }
        match (&self.target, &self.next) {
            (Target::WorkTree { .. } | Target::Undo(_), _) | (_, None) => {}
            (Target::Index | Target::CommitOfMade(_), _) => {
                self.blobs = self.blobs(|_, file| Blob::write(self.repo, file))?
            }
            (_, Some(next)) => {
                let to = next.conversion(self.changes.attribute_files())?;
                self.blobs = self.blobs(|change, file| {
                    next.clean_blob(&to, &change.path, change.from.as_ref(), file)
                })?;
                for (path, sides) in self.changes.unmerged() {
                    let mut blobs = [None; 3];
                    for (blob, side) in blobs.iter_mut().zip(sides) {
                        *blob = side
                            .as_ref()
                            .map(|file| next.clean_blob(&to, path, None, file))
                            .transpose()?;
                    }
                    self.unmerged.push((path, blobs));
                }
            }
        }
        if let Some(request) = self.target.request() {
            let (intended, expected) = self.intend(request)?;
            self.intended = Some(intended);
            self.staging.manifest.tree = Some(expected);
            self.staging.manifest.commit.clone_from(&request.ready);
        }
        Ok(())
    }

    /// Copies the index to a place beside it.
    fn copy_index(&self) -> Result<NextIndex<'r>, TransactionError> {
        let beside = self.staging.journal.beside(self.repo.index_path());
        Ok(NextIndex::copy(self.repo, self.repo.index_path(), beside)?)
    }

    fn wants_index(&self) -> bool {
        match self.target {
            Target::WorkTree { intent_to_add } => {
                intent_to_add && self.changes.iter().any(|change| change.before.is_none())
            }
            Target::Undo(ref reverse) => reverse.has_entries() || reverse.back.is_some(),
            _ => true,
        }
    }
}

impl<'r> Prepared<'r> {
    fn blobs(
        &self,
        write: impl Fn(&Change, &File) -> Result<Blob, repo::RepoError>,
    ) -> Result<Vec<(&'r RepoPath, Option<Blob>)>, TransactionError> {
        let mut blobs = Vec::new();
        self.staging
            .progress
            .enter(Stage::Storing, self.changes.len());
        for change in self.changes {
            let blob = change
                .after
                .as_ref()
                .map(|file| write(change, file))
                .transpose()
                .map_err(|error| match error {
                    repo::RepoError::Attribute { .. } | repo::RepoError::Unstored { .. } => {
                        TransactionError::from(error.at(&change.path))
                    }
                    error => error.into(),
                })?;
            blobs.push((&change.path, blob));
            self.staging.progress.step();
        }
        Ok(blobs)
    }

    /// Puts everything in place, or puts everything back.
    ///
    /// # Errors
    /// What went wrong, and which paths aren't what they were.
    pub fn publish(mut self) -> Result<Done, Undone> {
        let made = match self.make_visible() {
            Ok(made) => made,
            Err(error @ TransactionError::Commit(CommitError::InDoubt(_))) => {
                // Recovery goes by HEAD, as soon as that can be read.
                self.staging.leave();
                self.lock.leave();
                let attention = self
                    .changes
                    .iter()
                    .map(|change| change.path.clone())
                    .collect();
                return Err(Undone {
                    error,
                    attention,
                    open: vec![Unresolved::Again(self.staging.journal.path())],
                });
            }
            Err(error) => {
                // A `git commit` that was killed leaves its own locks, which would keep the next
                // one out. One that found a lock has told us so itself: that one is somebody
                // else's.
                let mut open = match error {
                    TransactionError::Locked { .. } => Vec::new(),
                    _ => committing::remove_ref_locks(self.repo, &self.staging.manifest),
                };
                // Whoever finds the journal would take a HEAD that another moved for moved by it.
                self.staging.journal.forget_child(self.staging.flush);
                let remains = self.staging.take_back();
                if self.staging.journal.is_unfinished() {
                    self.lock.leave();
                }
                let attention = remains.paths();
                open.extend(remains.open);
                return Err(Undone {
                    error,
                    attention,
                    open,
                });
            }
        };
        if made.is_some() {
            // git may be killed when all but its tidying up is done.
            let left = committing::remove_ref_locks(self.repo, &self.staging.manifest);
            self.staging
                .warnings
                .extend(left.into_iter().map(Warning::Open));
        }
        let left = self
            .changes
            .unmerged()
            .keys()
            .map(|path| Warning::InConflict { path: path.clone() });
        self.staging.warnings.extend(left);
        let Prepared {
            staging,
            next,
            intended,
            _held,
            _news,
            mut lock,
            ..
        } = self;
        drop((next, intended));
        let is_unfinished = staging.journal.is_unfinished();
        if is_unfinished {
            lock.leave();
        }
        let repo = staging.repo;
        let mut warnings = staging.settle(is_unfinished);
        drop((lock, _news));
        let is_undo = matches!(self.target, Target::Undo(_));
        let commit = match (made, self.target.request()) {
            (Some(made), Some(request)) if !is_undo => made.tell(repo, request, &mut warnings),
            _ => None,
        };
        Ok(Done { commit, warnings })
    }

    fn make_visible(&mut self) -> Result<Option<Made>, TransactionError> {
        signal::check()?;
        self.staging.install_manifest()?;
        self.staging.publish()?;
        let Some(mut next) = self.next.take() else {
            self.record(Vec::new());
            self.staging.flush_all()?;
            self.staging.confirm()?;
            self.decide()?;
            return Ok(None);
        };
        let stats = self.staging.stats()?;
        let entries = last::entries(self.changes, &mut next, |next| {
            self.change_index(next, &stats)
        })?;
        let opened = shared::opened(self.repo);
        next.write()?;
        drop(opened);
        self.keep_indexes(&next)?;
        if let Some(mut intended) = self.intended.take() {
            set_all(&mut intended.index, &self.blobs, &stats);
            intended.index.write()?;
            if let Target::Undo(_) = &self.target {
                self.record(Vec::new());
            }
            self.staging.flush_all()?;
            return self.commit(&mut intended, next, entries).map(Some);
        }
        self.record(entries);
        self.staging.flush_all()?;
        self.install(next)?;
        // Last of all: whoever saves until here has saved in time.
        self.staging.confirm()?;
        self.decide()?;
        Ok(None)
    }

    /// Sets the entries of the change's paths in the next index.
    fn change_index(
        &self,
        next: &mut NextIndex,
        stats: &BTreeMap<&RepoPath, Stat>,
    ) -> Result<(), TransactionError> {
        match &self.target {
            Target::WorkTree { .. } => {
                for change in self.changes.iter().filter(|change| change.before.is_none()) {
                    if let Some(after) = &change.after {
                        next.intend(&change.path, after.mode)?;
                    }
                }
                Ok(())
            }
            Target::Undo(reverse) => reverse.restore(next, stats),
            _ => {
                set_all(next, &self.blobs, stats);
                for (path, sides) in &self.unmerged {
                    next.set_unmerged(path, sides);
                }
                Ok(())
            }
        }
    }

    /// Writes down what undo will need. Where that can't be done the change is made all the same,
    /// and there is no undo.
    fn record(&mut self, entries: Vec<Entry>) {
        let written = match &self.target {
            // Without it nothing before is taken back either, which is safe.
            Target::Undo(reverse) => {
                return drop(kept::write(&self.staging.journal, reverse.record()));
            }
            _ => self.staging.record(self.changes, entries),
        };
        if let Err(error) = written {
            self.staging.warnings.push(Warning::NoUndo {
                reason: SystemError(&error).to_string(),
            });
        }
    }

    /// Keeps the index and the next index; what was kept is flushed with the rest before one
    /// replaces the other.
    fn keep_indexes(&self, next: &NextIndex) -> Result<(), TransactionError> {
        let index = self.repo.index_path();
        self.staging
            .journal
            .keep_indexes(index, next.path())
            .map_err(TransactionError::io("keep", index))
    }

    /// Renames the next index to the index.
    fn install(&self, next: NextIndex) -> Result<(), TransactionError> {
        let index = self.repo.index_path();
        next.install(index)?;
        if let Some(directory) = index.parent()
            && self.staging.flush == Flush::Always
        {
            let flushed = Dir::open(directory).and_then(|directory| directory.flush());
            flushed.map_err(TransactionError::io("flush", index))?;
        }
        Ok(())
    }

    fn decide(&mut self) -> Result<(), TransactionError> {
        signal::check()?;
        self.decide_on_commit()
    }

    /// The same where there is no way back any more.
    fn decide_on_commit(&mut self) -> Result<(), TransactionError> {
        self.staging
            .decide()
            .map_err(|source| self.of_journal(source))
    }

    fn of_journal(&self, source: std::io::Error) -> TransactionError {
        TransactionError::io("write the journal", &self.staging.journal.path())(source)
    }
}

fn set_all(
    index: &mut NextIndex<'_>,
    blobs: &[(&RepoPath, Option<Blob>)],
    stats: &BTreeMap<&RepoPath, Stat>,
) {
    // All that goes first: it may be in the way of what comes.
    for (path, _) in blobs.iter().filter(|(_, blob)| blob.is_none()) {
        index.set(path, None, None);
    }
    for (path, blob) in blobs.iter().filter(|(_, blob)| blob.is_some()) {
        index.set(path, *blob, stats.get(path));
    }
}
