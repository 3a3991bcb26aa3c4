//! The next index: a copy of the index in use, changed entry by entry, written elsewhere and
//! renamed into place.
//!
//! The lock isn't taken here, and its file isn't what is renamed: whoever calls holds the lock.
//! Entries that nobody asked to change keep all that they say: stat data, stages, the bits for
//! assumed-unchanged, skipped and intended files.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use git2::{IndexEntry, IndexTime, Oid};

use super::directories::Directories;
use super::git::Git;
use super::index_file::IndexFile;
use super::objects::TREE;
use super::racy;
use super::rules::Consult;
use super::shape::IndexExtras;
use super::slot::{Slot, blank, empty};
use super::{Conversion, Repo, RepoError, index};
use crate::dir::Stat;
use crate::dir::write::step;
use crate::temporary;
use llmpatch::path::RepoPath;
use llmpatch::tree::{AttributeFiles, File, Mode};

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

impl Blob {
    /// Writes a file's bytes as they are into the object database.
    ///
    /// # Errors
    /// If they can't be written.
    pub(crate) fn write(repo: &Repo, file: &File) -> Result<Blob, RepoError> {
        Self::of(repo, file.content.kept(), file.mode)
    }

    fn of(repo: &Repo, bytes: &[u8], mode: Mode) -> Result<Blob, RepoError> {
        let id = step("write a blob")
            .map_err(as_git2)
            .and_then(|()| repo.git.blob(bytes));
        Ok(Blob {
            id: id.map_err(writing)?,
            mode: mode.git(),
        })
    }
}

/// A new index in the making. Dropping it removes its file.
pub(crate) struct NextIndex<'r> {
    repo: &'r Repo,
    index: IndexFile,
    path: PathBuf,
    /// The bits that the index file had, if there was one.
    permissions: Option<fs::Permissions>,
    /// The shape that it had, and is to have again.
    shape: IndexExtras,
    /// When the index was written that this is a copy of, in seconds; `None` if there was none.
    since: Option<i32>,
}

impl std::fmt::Debug for NextIndex<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NextIndex")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl<'r> NextIndex<'r> {
    /// Reads an index, which need not exist, to be written to a path where nothing is, on the same
    /// file system if it is to be installed.
    ///
    /// # Errors
    /// If it can't be read.
    pub(crate) fn copy(repo: &'r Repo, from: &Path, path: PathBuf) -> Result<Self, RepoError> {
        let seen = step("copy the index").and_then(|()| fs::metadata(from));
        let (permissions, since) = match seen {
            // Whole seconds, since git as it is commonly built compares no more, cut as git cuts
            // them.
            Ok(seen) => {
                let modified = seen.modified().map_err(RepoError::write("index"))?;
                let age = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
                (Some(seen.permissions()), Some(age.as_secs() as i32))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => (None, None),
            Err(source) => return Err(RepoError::write("index")(source)),
        };
        let (index, shape) = if from == repo.index_path() {
            index::read_with_shape(repo)
        } else {
            index::read_at(repo, from)
        }?;
        Ok(Self {
            repo,
            index,
            path,
            permissions,
            shape,
            since,
        })
    }

    /// Returns where it is written.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns what makes blobs of files for it, once a change has written or removed these files.
    ///
    /// # Errors
    /// If a setting can't be read.
    pub(crate) fn conversion(&self, changed: AttributeFiles) -> Result<Conversion<'r>, RepoError> {
        Ok(Conversion::new(self.repo, Consult::Index)?.after(changed))
    }

    /// Writes a file of the work tree, which may be renamed from another path, into the object
    /// database as git stores it: its attributes may want LF or more.
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
        if file.mode.is_link() {
            return Blob::write(self.repo, file);
        }
        let known = self
            .index
            .get(from.unwrap_or(path).as_bytes(), 0)
            .map(|entry| entry.id());
        let bytes = to.to_store(path, &file.content, known)?;
        Blob::of(self.repo, &bytes, file.mode)
    }

    /// Sets the blob of a path, or removes its entry. What is in its way, as a file above it or as
    /// files below, is removed.
    ///
    /// That git was told to skip it, or to assume it unchanged, is over then, as with `git apply
    /// --index`.
    ///
    /// With the stat data of the file in the work tree, git knows without reading that the two
    /// agree.
    pub(crate) fn set(&mut self, path: &RepoPath, blob: Option<Blob>, stat: Option<&Stat>) {
        let Some(Blob { id, mode }) = blob else {
            return self.index.remove(path.as_bytes(), 0);
        };
        let mut entry = IndexEntry {
            mode,
            id,
            ..empty(path)
        };
        if let Some(stat) = stat {
            describe(&mut entry, stat);
        }
        self.index.add(&entry);
    }

    /// Sets the entries of a path that is in conflict: as it was, as it is here, and as it was to
    /// be.
    pub(crate) fn set_unmerged(&mut self, path: &RepoPath, sides: &[Option<Blob>; 3]) {
        self.index.remove(path.as_bytes(), 0);
        for (side, stage) in sides.iter().zip(1u16..) {
            let Some(Blob { id, mode }) = *side else {
                continue;
            };
            self.index.add(&IndexEntry {
                mode,
                id,
                flags: stage << 12,
                ..empty(path)
            });
        }
    }

    /// Returns whether a path is in a merge that isn't finished.
    pub(crate) fn is_unmerged(&self, path: &RepoPath) -> bool {
        self.index.is_unmerged(path.as_bytes())
    }

    /// Records that a file will be added, as `git add -N` does, unless its path or one above or
    /// below it has an entry.
    ///
    /// # Errors
    /// If the entry can't be made, as in a sparse index: git 2.47 dies of SIGSEGV when it makes one sparse
    /// again that has such an entry, and of all that reads it then.
    pub(crate) fn intend(&mut self, path: &RepoPath, mode: Mode) -> Result<(), RepoError> {
        let below = [path.as_bytes(), b"/"].concat();
        let has =
            |path: &RepoPath| (0..=3).any(|stage| self.index.get(path.as_bytes(), stage).is_some());
        if has(path)
            || path.ancestors().any(|above| has(&above))
            || self.index.starting_with(below).next().is_some()
        {
            return Ok(());
        }
        if self.shape.sparse {
            return Err(RepoError::IntendedInSparse);
        }
        // git keeps an empty blob behind such entries.
        let id = self.repo.git.blob(b"").map_err(writing)?;
        self.index.add(&IndexEntry {
            mode: mode.git(),
            id,
            flags_extended: INTENT_TO_ADD,
            ..empty(path)
        });
        Ok(())
    }

    /// Returns what is said of a path; `None` if nothing is, or it is in a merge.
    pub(crate) fn slot(&self, path: &RepoPath) -> Option<Slot> {
        self.index.get(path.as_bytes(), 0).map(Slot::of)
    }

    /// Restores the entry that a path once had, or removes it. Whoever calls knows that nothing is
    /// in its way.
    ///
    /// # Errors
    /// If its blob isn't there any more.
    pub(crate) fn restore(
        &mut self,
        path: &RepoPath,
        slot: Option<&Slot>,
        stat: Option<&Stat>,
    ) -> Result<(), RepoError> {
        (0..=3).for_each(|stage| self.index.remove(path.as_bytes(), stage));
        let Some(slot) = slot else { return Ok(()) };
        let objects = self.repo.git.odb();
        objects
            .and_then(|objects| objects.read_header(slot.id))
            .map_err(RepoError::git("a blob"))?;
        let mut entry = slot.entry(path);
        if let (Some(stat), false) = (stat, slot.is_intended()) {
            describe(&mut entry, stat);
        }
        self.index.add(&entry);
        Ok(())
    }

    /// Makes every entry what a tree says, and keeps all entries that already are: their stat data
    /// saves git from reading the files, and their bits keep sparse checkouts sparse.
    ///
    /// # Errors
    /// If the tree can't be read.
    pub(crate) fn reset_to(&mut self, tree: Option<Oid>) -> Result<(), RepoError> {
        if tree.is_some() && self.index.tree() == tree {
            return Ok(());
        }
        let mut want: Vec<IndexEntry> = match tree {
            None => Vec::new(),
            Some(tree) => Directories::new(self.repo, tree)
                .all_below(tree, b"", usize::MAX)?
                .into_iter()
                .map(|(path, id, mode)| IndexEntry {
                    path,
                    id,
                    mode,
                    ..blank()
                })
                .collect(),
        };
        want.sort_by(|a, b| a.path.cmp(&b.path));
        let mut want = want.into_iter().peekable();
        let (mut changes, mut surplus): (Vec<IndexEntry>, Vec<_>) = Default::default();
        for record in self.index.iter() {
            while let Some(missing) = want.next_if(|head| &head.path[..] < record.path()) {
                changes.push(missing);
            }
            let whole = record.stage() == 0 && record.extended() & INTENT_TO_ADD == 0;
            let same = want.next_if(|head| {
                whole
                    && head.path == record.path()
                    && (head.mode, head.id) == (record.mode(), record.id())
            });
            if same.is_none() {
                surplus.push((record.path().to_vec(), record.stage()));
            }
        }
        changes.extend(want);
        surplus
            .iter()
            .for_each(|(path, stage)| self.index.remove(path, *stage));
        changes.iter().for_each(|entry| self.index.add(entry));
        Ok(())
    }

    /// Makes the entries of all paths in which the trees of two commits differ what the newer one
    /// says, with the stat data of another index where it knows some.
    ///
    /// # Errors
    /// If the trees or the other index can't be read.
    pub(crate) fn follow(
        &mut self,
        old: Option<Oid>,
        new: Oid,
        other: &Path,
    ) -> Result<(), RepoError> {
        let directories = Directories::new(self.repo, new);
        let (other, _) = index::read_at(self.repo, other)?;
        let mut entries = Vec::new();
        for name in directories.differing_from(old)? {
            // Removed first, all of them, so that nothing that comes finds an old path in its way.
            (0..=3).for_each(|stage| self.index.remove(&name, stage));
            let found = directories.entry(&name)?;
            let Some((id, mode)) = found.filter(|(_, mode)| *mode != TREE) else {
                continue;
            };
            let known = other
                .get(&name, 0)
                .filter(|known| (known.id(), known.mode()) == (id, mode));
            // What the commit holds and the other index doesn't is of a commit that isn't ours.
            let known = known.map(|known| known.entry());
            entries.push(known.unwrap_or(IndexEntry {
                id,
                mode,
                path: name.into(),
                ..blank()
            }));
        }
        entries.iter().for_each(|entry| self.index.add(entry));
        Ok(())
    }

    /// Writes the file without what only git understands.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn write_plain(&mut self) -> Result<(), RepoError> {
        let failed = RepoError::write("index");
        step("write the next index").map_err(failed)?;
        if let Some(since) = self.since {
            racy::mark(self.repo, &mut self.index, since)?;
        }
        // Until it has the bits that the other has, it is nobody else's.
        let bits = self.permissions.as_ref().map_or(0o666, |_| 0o600);
        temporary::create(&self.path, bits)
            .and_then(|mut file| file.write_all(&self.index.to_bytes()))
            .map_err(failed)
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If it can't be written.
    pub(crate) fn write(&mut self) -> Result<(), RepoError> {
        self.write_plain()?;
        self.shape.restore(&Git::new(self.repo), &self.path)?;
        if let Some(permissions) = &self.permissions {
            step("set the mode of the next index")
                .and_then(|()| fs::set_permissions(&self.path, permissions.clone()))
                .map_err(RepoError::write("index"))?;
        }
        Ok(())
    }

    /// Renames the file over the index. Last of all, since it can't fail halfway.
    ///
    /// # Errors
    /// If it can't be renamed; then nothing happened.
    pub(crate) fn install(self, over: &Path) -> Result<(), RepoError> {
        step("rename the next index over the index")
            .and_then(|()| fs::rename(&self.path, over))
            .map_err(RepoError::write("index"))
    }
}

impl Drop for NextIndex<'_> {
    fn drop(&mut self) {
        // After `install` there is nothing of that name.
        let _ = fs::remove_file(&self.path);
    }
}

fn writing(error: git2::Error) -> RepoError {
    RepoError::git("or write the index")(error)
}

fn as_git2(error: io::Error) -> git2::Error {
    git2::Error::new(
        git2::ErrorCode::GenericError,
        git2::ErrorClass::Os,
        error.to_string(),
    )
}

/// Fills in what git compares before it reads a file. All numbers are cut to 32 bits, as git cuts
/// them.
fn describe(entry: &mut IndexEntry, stat: &Stat) {
    let time = |(seconds, nanoseconds): (i64, u32)| IndexTime::new(seconds as i32, nanoseconds);
    entry.ctime = time(stat.changed);
    entry.mtime = time(stat.modified);
    let (device, inode) = stat.number_for_git();
    entry.dev = device as u32;
    entry.ino = inode as u32;
    entry.uid = stat.owner;
    entry.gid = stat.group;
    // git does this too where the lower half of a size is 0, since 0 means that the file must be
    // looked at.
    entry.file_size = if stat.size != 0 && stat.size as u32 == 0 {
        0x8000_0000
    } else {
        stat.size as u32
    };
}
