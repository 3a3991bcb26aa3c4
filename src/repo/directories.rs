//! The trees of a commit, directory by directory. Of all commits together each is read once, as
//! long as there is room to keep it.
//!
//! libgit2 reads the tree of a directory anew for every path that is looked up in it, so that a
//! change of all files in a large directory would take a time that grows with the square of their
//! number.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use bstr::{BString, ByteSlice as _};
use git2::Oid;

use super::objects::TREE;
use super::{Repo, RepoError, objects, replacements};
use llmpatch::path::RepoPath;
use llmpatch::tree::{Content, Entry, TreeError};

/// A tree and the directories in it.
pub(super) struct Directories<'r> {
    repo: &'r Repo,
    top: Oid,
}

/// What was read of a repository's commits, for whoever works out many changes of few of them.
#[derive(Default)]
pub(super) struct ReadBefore {
    directories: HashMap<Oid, Rc<Directory>>,
    /// Files as users see them, which depends on the path.
    files: HashMap<(Oid, RepoPath), Entry>,
    bytes: usize,
}

/// How many bytes are kept; and how many a file may have to be kept.
const KEPT: usize = 64 << 20;
const SMALL: usize = 1 << 20;

impl ReadBefore {
    fn make_room(&mut self, bytes: usize) {
        if self.bytes > KEPT {
            *self = Self::default();
        }
        self.bytes += bytes;
    }

    pub(super) fn file(&self, id: Oid, path: &RepoPath) -> Option<Entry> {
        self.files.get(&(id, path.clone())).cloned()
    }

    pub(super) fn keep_file(&mut self, id: Oid, path: &RepoPath, entry: &Entry) {
        if let Entry::File(file) = entry
            && file.content.len() <= SMALL
        {
            self.make_room(file.content.len());
            self.files.insert((id, path.clone()), entry.clone());
        }
    }
}

/// What is at a path of a tree, before anything is read.
pub(super) enum TreePlace {
    Absent,
    Directory(Oid),
    Leaf { id: Oid, mode: u32 },
    Beneath { ancestor: RepoPath, mode: u32 },
}

impl<'r> Directories<'r> {
    pub(super) fn new(repo: &'r Repo, top: Oid) -> Self {
        Self { repo, top }
    }

    /// Returns the name of the whole tree.
    pub(super) fn top(&self) -> Oid {
        self.top
    }

    /// Finds a path.
    ///
    /// # Errors
    /// If a directory above it can't be read.
    pub(super) fn find(&self, path: &RepoPath) -> Result<TreePlace, TreeError> {
        let failed = |error: RepoError| error.at(path);
        let mut above = path.ancestors().collect::<Vec<_>>();
        let mut here = self.directory(self.top).map_err(failed)?;
        let mut parts = path.parts().peekable();
        while let Some(part) = parts.next() {
            let Some((id, mode)) = here.entry(part).map_err(failed)? else {
                return Ok(TreePlace::Absent);
            };
            match (parts.peek(), above.pop()) {
                (None, _) if mode == TREE => return Ok(TreePlace::Directory(id)),
                (None, _) => return Ok(TreePlace::Leaf { id, mode }),
                (Some(_), Some(ancestor)) if mode != TREE => {
                    return Ok(TreePlace::Beneath { ancestor, mode });
                }
                (Some(_), _) => here = self.directory(id).map_err(failed)?,
            }
        }
        Ok(TreePlace::Absent)
    }

    /// Returns the id and the mode of what is at a path as git names it; a patch need not be able
    /// to name it.
    ///
    /// # Errors
    /// If a directory above it can't be read.
    pub(super) fn entry(&self, path: &[u8]) -> Result<Option<(Oid, u32)>, RepoError> {
        let (above, name) = path.rsplit_once_str("/").unwrap_or((b"", path));
        let mut here = self.directory(self.top)?;
        for part in above.split_str("/").filter(|part| !part.is_empty()) {
            match here.entry(part)? {
                Some((id, TREE)) => here = self.directory(id)?,
                _ => return Ok(None),
            }
        }
        here.entry(name)
    }

    /// Returns the paths of all below a directory that is no directory itself, each with its id and
    /// its mode; none if they are more than `most`.
    ///
    /// # Errors
    /// If a directory can't be read.
    pub(super) fn all_below(
        &self,
        id: Oid,
        below: &[u8],
        most: usize,
    ) -> Result<Vec<(Vec<u8>, Oid, u32)>, RepoError> {
        let mut leaves = Vec::new();
        let mut left = vec![(below.to_vec(), id)];
        while let Some((above, id)) = left.pop() {
            let here = self.directory(id)?;
            for entry in &here.entries {
                let slash: &[u8] = if above.is_empty() { b"" } else { b"/" };
                let path = [&above, slash, here.name(entry)].concat();
                let id = here.id(entry)?;
                if entry.mode == TREE {
                    left.push((path, id));
                } else if leaves.len() == most {
                    return Ok(Vec::new());
                } else {
                    leaves.push((path, id, entry.mode));
                }
            }
        }
        Ok(leaves)
    }

    /// Returns the paths, in order, at which another tree, or none, differs from this one; what is a
    /// directory in both isn't named itself. A directory that has the same name in both isn't read.
    ///
    /// # Errors
    /// If a directory can't be read.
    pub(super) fn differing_from(&self, old: Option<Oid>) -> Result<Vec<BString>, RepoError> {
        let mut paths = Vec::new();
        let mut left = vec![(BString::default(), old, Some(self.top))];
        while let Some((above, old, new)) = left.pop() {
            let read =
                |id: Option<Oid>| id.map_or_else(|| Ok(Rc::default()), |id| self.directory(id));
            for (name, is_directory, [old, new]) in unlike(&*read(old)?, &*read(new)?)? {
                let slash: &[u8] = if above.is_empty() { b"" } else { b"/" };
                let path = BString::from([&above, slash, name].concat());
                if is_directory {
                    left.push((path, old, new))
                } else {
                    paths.push(path)
                }
            }
        }
        paths.sort();
        Ok(paths)
    }

    /// Returns the tree of a directory.
    ///
    /// # Errors
    /// If it can't be read.
    pub(super) fn directory(&self, id: Oid) -> Result<Rc<Directory>, RepoError> {
        if let Some(read) = self.repo.read_before.borrow().directories.get(&id) {
            return Ok(Rc::clone(read));
        }
        let stored = replacements::follow(self.repo, id)?;
        let raw = objects::read(self.repo, stored, |git| {
            Ok(git.odb()?.read(stored)?.data().to_vec())
        })?;
        let none = || reading(git2::Error::from_str("it isn't one"));
        let read = Rc::new(Directory::parse(raw, id.as_bytes().len()).ok_or_else(none)?);
        let mut kept = self.repo.read_before.borrow_mut();
        kept.make_room(read.raw.len());
        kept.directories.insert(id, Rc::clone(&read));
        Ok(read)
    }
}

impl std::fmt::Debug for Directories<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Directories")
            .field("top", &self.top)
            .finish_non_exhaustive()
    }
}

/// The tree of a directory, as it is stored.
#[derive(Debug)]
pub(super) struct Directory {
    /// Its bytes.
    pub(super) raw: Content,
    pub(super) entries: Vec<TreeEntry>,
}

impl Default for Directory {
    fn default() -> Self {
        Self {
            raw: Vec::new().into(),
            entries: Vec::new(),
        }
    }
}

/// Where an entry is in the bytes of its tree.
#[derive(Debug)]
pub(super) struct TreeEntry {
    pub(super) all: Range<usize>,
    name: Range<usize>,
    /// The mode as git reads it: old trees hold others.
    pub(super) mode: u32,
    pub(super) is_written_so: bool,
}

impl Directory {
    /// Parses the bytes of a tree; `None` if they are something else.
    fn parse(raw: Vec<u8>, id_len: usize) -> Option<Self> {
        let mut entries = Vec::new();
        let mut start = 0;
        while start < raw.len() {
            let space = start + memchr::memchr(b' ', &raw[start..])?;
            let word = raw[start..space].to_str().ok()?;
            let mode = match u32::from_str_radix(word, 8).ok()? {
                file if file & 0o170000 == 0o100000 => {
                    0o100644 | if file & 0o100 == 0 { 0 } else { 0o111 }
                }
                mode => mode,
            };
            let name = space + 1..space + memchr::memchr(0, &raw[space..])?;
            let end = name.end + 1 + id_len;
            if end > raw.len() {
                return None;
            }
            let is_written_so = word == format!("{mode:o}");
            entries.push(TreeEntry {
                all: start..end,
                name,
                mode,
                is_written_so,
            });
            start = end;
        }
        Some(Self {
            raw: raw.into(),
            entries,
        })
    }

    pub(super) fn name(&self, entry: &TreeEntry) -> &[u8] {
        &self.raw[entry.name.clone()]
    }

    pub(super) fn id(&self, entry: &TreeEntry) -> Result<Oid, RepoError> {
        Oid::from_bytes(&self.raw[entry.name.end + 1..entry.all.end]).map_err(reading)
    }

    /// Returns where a name is, or would be.
    fn find(&self, name: &[u8], is_directory: bool) -> Result<usize, usize> {
        self.entries.binary_search_by(|entry| {
            in_order((self.name(entry), entry.mode == TREE), (name, is_directory))
        })
    }

    /// Returns the entry of a name, whatever it is.
    pub(super) fn get(&self, name: &[u8]) -> Option<&TreeEntry> {
        let at = self.find(name, false).or_else(|_| self.find(name, true));
        at.ok().map(|at| &self.entries[at])
    }

    /// Returns the id and the mode that a name has.
    fn entry(&self, name: &[u8]) -> Result<Option<(Oid, u32)>, RepoError> {
        self.get(name)
            .map(|entry| Ok((self.id(entry)?, entry.mode)))
            .transpose()
    }

    /// Returns where in the bytes a name would be.
    pub(super) fn place(&self, name: &[u8], is_directory: bool) -> Range<usize> {
        let (Ok(at) | Err(at)) = self.find(name, is_directory);
        let place = self
            .entries
            .get(at)
            .map_or(self.raw.len(), |next| next.all.start);
        place..place
    }
}

/// A name, whether it is that of a directory, and the ids that it has in two trees, which differ or
/// have other modes.
type Unlike<'d> = (&'d [u8], bool, [Option<Oid>; 2]);

/// Returns the names that two trees don't have alike. A file that becomes a directory is two of
/// them.
fn unlike<'d>(old: &'d Directory, new: &'d Directory) -> Result<Vec<Unlike<'d>>, RepoError> {
    let key = |of: &'d Directory, entry: &TreeEntry| (of.name(entry), entry.mode == TREE);
    let mut found = Vec::new();
    let (mut left, mut right) = (old.entries.iter().peekable(), new.entries.iter().peekable());
    loop {
        let order = match (left.peek(), right.peek()) {
            (None, None) => return Ok(found),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => in_order(key(old, a), key(new, b)),
        };
        let was = left.next_if(|_| order.is_le());
        let is = right.next_if(|_| order.is_ge());
        let ids = [
            was.map(|was| old.id(was)).transpose()?,
            is.map(|is| new.id(is)).transpose()?,
        ];
        if ids[0] == ids[1] && was.map(|was| was.mode) == is.map(|is| is.mode) {
            continue;
        }
        let here = was.map(|was| key(old, was));
        if let Some((name, is_directory)) = here.or(is.map(|is| key(new, is))) {
            found.push((name, is_directory, ids));
        }
    }
}

/// Orders the names of a tree as git does: that of a directory as if it ended with a slash.
pub(super) fn in_order(a: (&[u8], bool), b: (&[u8], bool)) -> Ordering {
    let both = a.0.len().min(b.0.len());
    let next =
        [a, b].map(|(name, is_directory)| name.get(both).copied().or(is_directory.then_some(b'/')));
    a.0[..both].cmp(&b.0[..both]).then(next[0].cmp(&next[1]))
}

fn reading(error: git2::Error) -> RepoError {
    RepoError::git("a tree")(error)
}
