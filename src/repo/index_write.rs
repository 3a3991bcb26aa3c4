//! The next index: a copy of the one in use, changed entry by entry, written elsewhere and renamed into place.
//!
//! The lock isn't taken here, and its file isn't what is renamed: whoever calls holds the lock. Entries that nobody asked to
//! change keep all that they say: stat data, stages, the bits for assumed-unchanged, skipped and intended files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use git2::{Index, IndexEntry, IndexTime, Oid};

use super::directories::Directories;
use super::git::Git;
use super::racy;
use super::shape::{self, Shape};
use super::slot::{Slot, blank, empty};
use super::{Conversion, Repo, RepoError};
use crate::dir::Stat;
use crate::dir::write::step;
use crate::path::RepoPath;
use crate::tree::{File, Mode};

/// Where an entry says in which stage of a merge it is; 0 in none.
pub(super) const STAGE: u16 = 0x3000;
pub(super) const ASSUME_UNCHANGED: u16 = 0x8000;
pub(super) const INTENT_TO_ADD: u16 = 1 << 13;
pub(super) const SKIP_WORKTREE: u16 = 1 << 14;

/// A blob in the object database and the mode that an entry gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Blob {
    pub(super) id: Oid,
    pub(super) mode: u32,
}

impl Repo {
    /// Writes a file's bytes as they are into the object database.
    ///
    /// # Errors
    /// If they can't be written.
    pub(crate) fn write_blob(&self, file: &File) -> Result<Blob, RepoError> {
        let id = step("write a blob").map_err(as_git2).and_then(|()| self.git2().blob(file.content.kept()));
        Ok(Blob { id: id.map_err(writing)?, mode: file.mode.git() })
    }

    /// Has the next look at the index see what is on disk now.
    ///
    /// # Errors
    /// If it can't be read.
    pub(crate) fn refresh_index(&self) -> Result<(), RepoError> {
        self.check_objects()?;
        match self.plain_index().and_then(|mut index| index.read(false).map_err(RepoError::index)) {
            // It is read anew each time.
            Err(RepoError::Unsupported { .. }) => Ok(()),
            read => read,
        }
    }
}

/// A new index in the making. Dropping it removes its file.
pub(crate) struct NextIndex {
    /// libgit2 writes an index only for a repository that owns it. Ours has one already, so this is a handle of its own.
    owner: git2::Repository,
    index: Index,
    path: PathBuf,
    /// The bits that the index file had, if there was one.
    permissions: Option<fs::Permissions>,
    /// The shape that it had, and is to have again.
    shape: Shape,
    /// When the index was written that this is a copy of, in seconds; `None` if there was none.
    since: Option<i32>,
}

impl std::fmt::Debug for NextIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NextIndex").field("path", &self.path).finish_non_exhaustive()
    }
}

impl NextIndex {
    /// Copies an index, which need not exist, to a path where nothing is, on the same file system if it is to be installed.
    ///
    /// # Errors
    /// If it can't be copied, or neither libgit2 nor git can read it.
    pub(crate) fn copy(repo: &Repo, from: &Path, path: PathBuf) -> Result<Self, NextIndexError> {
        repo.check_objects()?;
        step("copy the index")?;
        let mut since = None;
        let permissions = match fs::File::open(from) {
            Ok(mut source) => {
                let seen = source.metadata()?;
                let mut copy = fs::File::options().write(true).create_new(true).open(&path)?;
                let guard = RemoveOnDrop(&path);
                io::copy(&mut source, &mut copy)?;
                // git can't tell an edit from none by the clock where a file is as new as the index, so it then reads the
                // file, and when it writes an index it marks such entries. A copy that looks younger than its original would
                // hide them for ever. Whole seconds, since git as it is commonly built compares no more, and libgit2 does.
                let age = seen.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
                copy.set_modified(UNIX_EPOCH + Duration::from_secs(age.as_secs()))?;
                // Cut as git cuts it.
                since = Some(age.as_secs() as i32);
                std::mem::forget(guard);
                Some(seen.permissions())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error.into()),
        };
        let guard = RemoveOnDrop(&path);
        let shape = Shape::of(&path)?;
        shape.flatten(&Git::new(repo), &path)?;
        let mut index = shape::open_plain(&path, repo.git2().object_format())?;
        // It isn't to know where the work tree is: see `racy`.
        let owner = git2::Repository::open_bare(repo.git2().path()).map_err(writing)?;
        repo.git2().odb().and_then(|objects| owner.set_odb(&objects)).map_err(writing)?;
        owner.set_index(&mut index).map_err(writing)?;
        std::mem::forget(guard);
        Ok(Self { owner, index, path, permissions, shape, since })
    }

    /// Returns where it is written.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file of the work tree, which may be renamed from another path, into the object database as git stores it: its
    /// attributes may want LF or more.
    ///
    /// # Errors
    /// If it can't be written, or its attributes can't be read.
    pub(crate) fn clean_blob(
        &self,
        to: &Conversion<'_>,
        path: &RepoPath,
        from: Option<&RepoPath>,
        file: &File,
    ) -> Result<Blob, RepoError> {
        let bytes = to.to_store(path, &file.content, self.entry(from.unwrap_or(path)).map(|entry| entry.id))?;
        let id = step("write a blob").map_err(as_git2).and_then(|()| self.owner.blob(&bytes));
        Ok(Blob { id: id.map_err(writing)?, mode: file.mode.git() })
    }

    /// Lets a path hold this blob, or nothing. What stands in its way, as a file above it or as files below, is removed.
    ///
    /// That git was told to skip it, or to assume it unchanged, is over then, as with `git apply --index`.
    ///
    /// With the stat data of the file in the work tree, git knows without reading that the two agree.
    ///
    /// # Errors
    /// If the entry can't be changed.
    pub(crate) fn set(
        &mut self,
        path: &RepoPath,
        blob: Option<Blob>,
        stat: Option<&Stat>,
    ) -> Result<(), NextIndexError> {
        let Some(Blob { id, mode }) = blob else { return self.remove(path) };
        for ancestor in path.ancestors() {
            self.remove(&ancestor)?;
        }
        self.index.remove_dir(as_path(path), 0).or_else(ignore_missing).map_err(writing)?;
        let mut entry = IndexEntry { mode, id, ..empty(path) };
        if let Some(stat) = stat {
            describe(&mut entry, stat);
        }
        Ok(self.index.add(&entry).map_err(writing)?)
    }

    /// Lets a path be unmerged: as it was, as it is here, and as it was to be.
    ///
    /// # Errors
    /// If the entries can't be changed.
    pub(crate) fn set_unmerged(&mut self, path: &RepoPath, sides: &[Option<Blob>; 3]) -> Result<(), NextIndexError> {
        self.set(path, None, None)?;
        for (side, stage) in sides.iter().zip(1u16..) {
            let Some(Blob { id, mode }) = *side else { continue };
            let entry = IndexEntry { mode, id, flags: stage << 12, ..empty(path) };
            self.index.add(&entry).map_err(writing)?;
        }
        Ok(())
    }

    /// Returns whether a path is in a merge that isn't finished.
    pub(crate) fn is_unmerged(&self, path: &RepoPath) -> bool {
        (1..=3).any(|stage| self.index.get_path(as_path(path), stage).is_some())
    }

    /// Records that a file will be added, as `git add -N` does, unless its path or one above or below it has an entry.
    ///
    /// # Errors
    /// If the entry can't be made.
    pub(crate) fn intend(&mut self, path: &RepoPath, mode: Mode) -> Result<(), NextIndexError> {
        let below = [path.as_bytes(), b"/"].concat();
        let taken = self.has(path)
            || path.ancestors().any(|ancestor| self.has(&ancestor))
            || self.index.find_prefix(as_os(&below)).is_ok();
        if taken {
            return Ok(());
        }
        // git keeps an empty blob behind such entries.
        let id = self.owner.blob(b"").map_err(writing)?;
        let entry = IndexEntry { mode: mode.git(), id, flags_extended: INTENT_TO_ADD, ..empty(path) };
        Ok(self.index.add(&entry).map_err(writing)?)
    }

    /// Returns what is said of a path by its exact spelling; `None` if nothing is, or it is in a merge.
    pub(crate) fn slot(&self, path: &RepoPath) -> Option<Slot> {
        let is_it = |entry: &IndexEntry| entry.path == path.as_bytes() && entry.flags & STAGE == 0;
        match self.entry(path)? {
            entry if is_it(&entry) => Some(Slot::of(&entry)),
            // libgit2 ignores case under `core.ignoreCase`, and gave a twin.
            _ => self.index.iter().find(is_it).map(|entry| Slot::of(&entry)),
        }
    }

    /// Has the index say of a path what it once said, or nothing. Whoever calls knows that nothing stands in its way.
    ///
    /// # Errors
    /// If the entry can't be changed, or its blob isn't there any more.
    pub(crate) fn restore(
        &mut self,
        path: &RepoPath,
        slot: Option<&Slot>,
        stat: Option<&Stat>,
    ) -> Result<(), NextIndexError> {
        for stage in 1..=3 {
            self.index.remove(as_path(path), stage).or_else(ignore_missing).map_err(writing)?;
        }
        let Some(slot) = slot else { return self.remove(path) };
        self.owner
            .odb()
            .and_then(|objects| objects.read_header(slot.id))
            .map_err(|error| RepoError::git("a blob", error))?;
        let mut entry = slot.entry(path);
        if let (Some(stat), false) = (stat, slot.is_intended()) {
            describe(&mut entry, stat);
        }
        Ok(self.index.add(&entry).map_err(writing)?)
    }

    /// Makes every entry what a tree says, and keeps all those that already are: their stat data saves git from reading the
    /// files, and their bits keep sparse checkouts sparse.
    ///
    /// # Errors
    /// If the tree can't be read.
    pub(crate) fn reset_to(&mut self, tree: Option<Oid>) -> Result<(), NextIndexError> {
        let mut head = Index::new().map_err(writing)?;
        if let Some(tree) = tree {
            self.owner.find_tree(tree).and_then(|tree| head.read_tree(&tree)).map_err(writing)?;
        }
        let sorted = |index: &Index| {
            let mut entries: Vec<IndexEntry> = index.iter().collect();
            entries.sort_by(|a, b| (&a.path, a.flags & STAGE).cmp(&(&b.path, b.flags & STAGE)));
            entries
        };
        let have = sorted(&self.index);
        let mut want = sorted(&head).into_iter().peekable();
        let mut changes: Vec<IndexEntry> = Vec::new();
        let mut surplus: Vec<IndexEntry> = Vec::new();
        for entry in have {
            while let Some(missing) = want.next_if(|head| head.path < entry.path) {
                changes.push(missing);
            }
            let whole = entry.flags & STAGE == 0 && entry.flags_extended & INTENT_TO_ADD == 0;
            match want.peek() {
                Some(head) if head.path == entry.path && whole && (head.mode, head.id) == (entry.mode, entry.id) => {
                    want.next();
                }
                _ => surplus.push(entry),
            }
        }
        changes.extend(want);
        for entry in surplus {
            let stage = i32::from((entry.flags & STAGE) >> 12);
            self.index.remove(Path::new(as_os(&entry.path)), stage).map_err(writing)?;
        }
        for entry in changes {
            self.index.add(&IndexEntry { flags: 0, flags_extended: 0, ..entry }).map_err(writing)?;
        }
        Ok(())
    }

    /// Makes the entries of all paths in which the trees of two commits differ what the newer one says, with the stat data of another
    /// index where it knows some.
    ///
    /// # Errors
    /// If the trees or the other index can't be read.
    pub(crate) fn follow(
        &mut self,
        repo: &Repo,
        old: Option<Oid>,
        new: Oid,
        other: &Path,
    ) -> Result<(), NextIndexError> {
        let tree = |id: Oid| self.owner.find_tree(id);
        let old = old.map(tree).transpose().map_err(writing)?;
        let new = tree(new).map_err(writing)?;
        let diff = self.owner.diff_tree_to_tree(old.as_ref(), Some(&new), None).map_err(writing)?;
        let (directories, other) =
            (Directories::new(repo, new.id()), shape::open(&Git::new(repo), other, self.owner.object_format())?);
        let mut entries = Vec::new();
        for delta in diff.deltas() {
            let Some(name) = delta.new_file().path_bytes().or(delta.old_file().path_bytes()) else { continue };
            let path = Path::new(as_os(name));
            // Removed first, all of them, so that nothing that comes finds an old path in its way.
            for stage in 0..=3 {
                self.index.remove(path, stage).or_else(ignore_missing).map_err(writing)?;
            }
            if delta.status() != git2::Delta::Deleted {
                // A diff tells of modes too, but git2 panics on those that old trees hold.
                let found = directories.entry(name)?;
                let missing = || writing(git2::Error::from_str("the commit lacks a path that it touches"));
                let (id, mode) = found.ok_or_else(missing)?;
                let known = other.get_path(path, 0).filter(|entry| (entry.id, entry.mode) == (id, mode));
                // What the commit holds and the other index doesn't is of a commit that isn't ours.
                entries.push(known.unwrap_or(IndexEntry { id, mode, path: name.to_vec(), ..blank() }));
            }
        }
        for entry in entries {
            self.index.add(&entry).map_err(writing)?;
        }
        Ok(())
    }

    /// Writes the entries as a tree and says whether it is the one of a commit.
    ///
    /// # Errors
    /// If it can't be written.
    pub(crate) fn tree(&mut self) -> Result<Oid, NextIndexError> {
        step("write a tree")?;
        Ok(self.index.write_tree().map_err(writing)?)
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If it can't be written.
    pub(crate) fn write(&mut self, repo: &Repo) -> Result<(), NextIndexError> {
        step("write the next index")?;
        if let Some(since) = self.since {
            racy::mark(repo, &mut self.index, since)?;
        }
        self.index.write().map_err(writing)?;
        self.shape.restore(&Git::new(repo), &self.path)?;
        if let Some(permissions) = &self.permissions {
            step("set the mode of the next index")?;
            fs::set_permissions(&self.path, permissions.clone())?;
        }
        Ok(())
    }

    /// Renames the file over the index. Last of all, since it can't fail halfway.
    ///
    /// # Errors
    /// If it can't be renamed; then nothing happened.
    pub(crate) fn install(self, over: &Path) -> Result<(), NextIndexError> {
        step("rename the next index over the index")?;
        fs::rename(&self.path, over)?;
        Ok(())
    }

    fn entry(&self, path: &RepoPath) -> Option<IndexEntry> {
        self.index.get_path(as_path(path), 0)
    }

    fn has(&self, path: &RepoPath) -> bool {
        (0..=3).any(|stage| self.index.get_path(as_path(path), stage).is_some())
    }

    fn remove(&mut self, path: &RepoPath) -> Result<(), NextIndexError> {
        Ok(self.index.remove(as_path(path), 0).or_else(ignore_missing).map_err(writing)?)
    }
}

impl Drop for NextIndex {
    fn drop(&mut self) {
        // After `install` there is nothing of that name.
        let _ = fs::remove_file(&self.path);
    }
}

struct RemoveOnDrop<'p>(&'p Path);

impl Drop for RemoveOnDrop<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.0);
    }
}

/// Why a new index could not be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NextIndexError {
    /// libgit2 said no.
    #[error(transparent)]
    Repository(#[from] RepoError),
    /// The system said no.
    #[error(transparent)]
    Io(#[from] io::Error),
}

fn writing(error: git2::Error) -> RepoError {
    RepoError::git("or write the index", error)
}

fn as_git2(error: io::Error) -> git2::Error {
    git2::Error::new(git2::ErrorCode::GenericError, git2::ErrorClass::Os, error.to_string())
}

fn ignore_missing(error: git2::Error) -> Result<(), git2::Error> {
    if error.code() == git2::ErrorCode::NotFound { Ok(()) } else { Err(error) }
}

fn as_os(bytes: &[u8]) -> &std::ffi::OsStr {
    std::os::unix::ffi::OsStrExt::from_bytes(bytes)
}

fn as_path(path: &RepoPath) -> &Path {
    Path::new(as_os(path.as_bytes()))
}

/// Fills in what git compares before it reads a file. All numbers are cut to 32 bits, as git cuts them.
fn describe(entry: &mut IndexEntry, stat: &Stat) {
    let time = |(seconds, nanoseconds): (i64, u32)| IndexTime::new(seconds as i32, nanoseconds);
    entry.ctime = time(stat.changed);
    entry.mtime = time(stat.modified);
    entry.dev = stat.device as u32;
    entry.ino = stat.inode as u32;
    entry.uid = stat.owner;
    entry.gid = stat.group;
    // git does this too where the lower half of a size is 0, since 0 means that the file must be looked at.
    entry.file_size = if stat.size != 0 && stat.size as u32 == 0 { 0x8000_0000 } else { stat.size as u32 };
}
