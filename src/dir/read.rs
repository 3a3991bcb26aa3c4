use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::rc::Rc;

use bstr::BString;

use super::content::{is_all_of, read_whole};
use super::rights::Rights;
use super::system::{
    self, Errno, HANDLE, NAME, OpenDirectory, READ, open_confined, open_here, shape_of,
};
use super::{Dir, Way};
use crate::system::{OsStrExt as _, user};
use llmpatch::path::RepoPath;
use llmpatch::text::Content;

/// What is at a path, no link followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing, and everything above it is a directory or isn't there either.
    Absent,
    /// A regular file.
    File(Stat),
    /// A directory.
    Directory,
    /// A symbolic link, wherever it leads.
    Link,
    /// A pipe, a socket, a device.
    Special,
    /// Nothing that can be reached, since something above it is no directory.
    Beneath {
        /// The highest of these.
        ancestor: RepoPath,
        /// What it is.
        what: Shape,
    },
}

/// The kinds of things that file systems hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A pipe, a socket, a device.
    Special,
}

/// What the system knows of a file besides its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The permission bits, `0o7777` at most; of a symbolic link `0o120000`.
    pub bits: u16,
    /// How many bytes.
    pub size: u64,
    /// How many names it has.
    pub links: u64,
    /// The device it is on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// Whose it is.
    pub owner: u32,
    /// Its group.
    pub group: u32,
    /// When its content changed: seconds and nanoseconds.
    pub modified: (i64, u32),
    /// When anything about it changed: seconds and nanoseconds.
    pub changed: (i64, u32),
}

impl Stat {
    /// Returns whether its owner may execute it, which is all that git keeps of a mode.
    pub fn is_executable(&self) -> bool {
        self.bits & 0o100 != 0
    }

    /// Returns the numbers of its device and of itself as git has them in an index.
    pub(crate) fn number_for_git(&self) -> (u64, u64) {
        system::number_for_git(self)
    }

    /// Looks at an open file.
    pub(crate) fn of(file: &File) -> io::Result<Self> {
        Ok(system::stat_of(file)?.1)
    }
}

/// How many directories above a path are each looked for by its whole path. Of a deeper path, which
/// may be in thousands of directories that aren't there, each directory is opened from its parent.
const DEEP: usize = 32;

/// How many bytes the system takes for a path, with the NUL behind it.
const LONGEST: usize = 4096;

impl Dir {
    /// Returns what is at a path.
    ///
    /// # Errors
    /// If the system doesn't let us see.
    pub fn look(&self, path: &RepoPath) -> io::Result<Found> {
        match self.holder(path) {
            Ok(parent) => look_in(&parent.directory, parent.name),
            // A link or a file on the way is never said to be missing, wherever it leads.
            Err(Errno::NOENT) => Ok(Found::Absent),
            Err(Errno::NOTDIR | Errno::LOOP) => self.look_from_the_top(path),
            Err(error) => Err(error.into()),
        }
    }

    /// Looks at what a path leads to, through links as well, which is enough to recognize a file
    /// that was seen before by its number.
    pub(crate) fn glance(&self, path: &RepoPath) -> Option<Stat> {
        system::glance(&self.top, path)
    }

    /// Returns what is at a path when the directory that should hold it can't be opened: the first
    /// thing that is no directory.
    fn look_from_the_top(&self, path: &RepoPath) -> io::Result<Found> {
        let mut above: Option<OpenDirectory> = None;
        let mut start = 0;
        for end in memchr::memchr_iter(b'/', path.as_bytes()) {
            let here = above.as_ref().unwrap_or(&self.top);
            let name = OsStr::from_bytes(&path.as_bytes()[start..end]);
            match shape_of(here, name) {
                Ok((Shape::Directory, _)) => {}
                Ok((what, _)) => {
                    let ancestor = path
                        .directory_of_len(end)
                        .expect("a directory's name ends before a slash");
                    return Ok(Found::Beneath { ancestor, what });
                }
                Err(Errno::NOENT) => return Ok(Found::Absent),
                Err(error) => return Err(error.into()),
            }
            above = Some(open_here(here, name, HANDLE)?);
            start = end + 1;
        }
        let directory = above.as_ref().unwrap_or(&self.top);
        look_in(directory, OsStr::from_bytes(path.name()))
    }

    /// Reads a regular file whole; `None` if no regular file can be reached at that path, for which
    /// see [`Dir::look`]. Never waits for the other end of a pipe.
    ///
    /// # Errors
    /// If the file can't be opened or read.
    pub fn read(&self, path: &RepoPath) -> io::Result<Option<(Content, Stat)>> {
        let Some((file, stat)) = self.open_file(path)? else {
            return Ok(None);
        };
        Ok(Some((read_whole(&file, stat.size)?.into(), stat)))
    }

    /// Reads where a symbolic link leads, as what it holds; `None` if no link is there.
    ///
    /// # Errors
    /// If the system doesn't let us see.
    pub(crate) fn read_link(&self, path: &RepoPath) -> io::Result<Option<(Content, Stat)>> {
        let parent = match self.holder(path) {
            Ok(parent) => parent,
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let target = match system::read_link(parent.named()) {
            Ok(target) => target,
            // Something else is there, or nothing.
            Err(Errno::INVAL | Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let (shape, stat) = shape_of(&parent.directory, parent.name)?;
        Ok((shape == Shape::Link).then(|| (target.into(), stat)))
    }

    /// Reads a file, or where a link leads.
    pub(crate) fn read_file_or_link(&self, path: &RepoPath) -> io::Result<Option<(Content, Stat)>> {
        match self.read(path)? {
            None => self.read_link(path),
            read => Ok(read),
        }
    }

    /// Reads a file that this user made and that has at most `most` bytes; a longer file isn't
    /// read.
    ///
    /// # Errors
    /// `FileTooLarge` if it is longer, `PermissionDenied` if it is another's, or if it can't be
    /// opened or read.
    pub(crate) fn read_own(&self, path: &RepoPath, most: u64) -> io::Result<Option<Vec<u8>>> {
        let Some((file, stat)) = self.open_file(path)? else {
            return Ok(None);
        };
        if stat.owner != user() {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        if stat.size > most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut bytes = Vec::with_capacity(stat.size as usize + 1);
        file.take(most + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(Some(bytes))
    }

    /// Returns whether a regular file holds just these `size` bytes, which come in parts; `None`
    /// where [`Dir::read`] has none. Takes little memory.
    ///
    /// # Errors
    /// If the file can't be opened or read.
    pub fn holds<'p, P: Iterator<Item = &'p [u8]>>(
        &self,
        path: &RepoPath,
        size: usize,
        parts: impl Fn() -> P + Sync,
    ) -> io::Result<Option<(bool, Stat)>> {
        let Some((file, stat)) = self.open_file(path)? else {
            return Ok(None);
        };
        Ok(Some((
            stat.size == size as u64 && is_all_of(&file, size, parts)?,
            stat,
        )))
    }

    /// Reads a regular file whole, and whether it has neither an access list nor attributes, or
    /// says what is at its path instead.
    pub(crate) fn read_or_look(
        &self,
        path: &RepoPath,
    ) -> io::Result<Result<(Content, Stat, bool), Found>> {
        match self.open_regular(path) {
            Ok(Some((file, stat))) => {
                let content = read_whole(&file, stat.size)?.into();
                // Whoever only reads it can do without.
                let is_plain = Rights::of(&file, stat).is_ok_and(|rights| rights.are_plain());
                Ok(Ok((content, stat, is_plain)))
            }
            Ok(None) => Ok(Err(self.look(path)?)),
            // A link or a file on the way is never said to be missing.
            Err(Errno::NOENT) => Ok(Err(Found::Absent)),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens a regular file for reading; `None` where [`Dir::read`] has none.
    pub(crate) fn open_file(&self, path: &RepoPath) -> io::Result<Option<(File, Stat)>> {
        match self.open_regular(path) {
            Err(Errno::NOENT) => Ok(None),
            opened => Ok(opened?),
        }
    }

    fn open_regular(&self, path: &RepoPath) -> Result<Option<(File, Stat)>, Errno> {
        let file = match self.open_at(path, READ, 0) {
            Ok(file) => file,
            // A link is ELOOP (EMLINK on FreeBSD); a socket, or a device that nothing drives, ENXIO
            // or ENODEV.
            Err(Errno::NOTDIR | Errno::LOOP | Errno::MLINK | Errno::NXIO | Errno::NODEV) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let (shape, stat) = system::stat_of(&file)?;
        Ok((shape == Shape::File).then_some((file, stat)))
    }

    /// Returns the names in a directory (`None`: the top) and what is behind them, in no particular
    /// order.
    ///
    /// # Errors
    /// If it isn't there, is no directory, or can't be read.
    pub fn list(&self, directory: Option<&RepoPath>) -> io::Result<Vec<(BString, Shape)>> {
        system::list(&*self.handle(directory)?)
    }

    /// Returns the nearest directory above a path that is there; `None` if that is the top.
    ///
    /// # Errors
    /// If the system doesn't let us see.
    pub fn nearest_directory(&self, path: &RepoPath) -> io::Result<Option<RepoPath>> {
        let mut nearest = 0;
        self.walk_down(path, |_, len| {
            nearest = len;
            Ok(())
        })?;
        Ok(path.directory_of_len(nearest))
    }

    /// Returns the directories above a path that are there, highest first, with their permission
    /// bits.
    ///
    /// # Errors
    /// If the system doesn't let us see.
    pub(crate) fn directories_above(&self, path: &RepoPath) -> io::Result<Vec<(RepoPath, u16)>> {
        let mut there = Vec::new();
        self.walk_down(path, |directory, len| {
            if let Some(at) = path.directory_of_len(len) {
                there.push((at, system::stat_of(directory)?.1.bits));
            }
            Ok(())
        })?;
        Ok(there)
    }

    /// Visits the top, then the directories above a path as far as they are there, each with the
    /// length of its path. However deep the path is, each is opened once, from its parent.
    fn walk_down(
        &self,
        path: &RepoPath,
        mut visit: impl FnMut(&OpenDirectory, usize) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        visit(&self.top, 0)?;
        let mut above: Option<OpenDirectory> = None;
        let mut start = 0;
        for end in memchr::memchr_iter(b'/', path.as_bytes()) {
            let name = OsStr::from_bytes(&path.as_bytes()[start..end]);
            match open_here(above.as_ref().unwrap_or(&self.top), name, HANDLE) {
                Ok(directory) => visit(above.insert(directory), end)?,
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => break,
                Err(error) => return Err(error),
            }
            start = end + 1;
        }
        Ok(())
    }

    /// Returns whether something of this name is in a directory; nothing is in a directory that
    /// isn't there. A directory with a `.git`, whatever that is, belongs to another repository.
    ///
    /// # Errors
    /// If the system doesn't let us see.
    pub fn has(&self, directory: &RepoPath, name: &str) -> io::Result<bool> {
        let path = [directory.as_bytes(), b"/", name.as_bytes()].concat();
        let at_once = |path| open_confined(&self.top, path, NAME, 0).map(drop);
        let found = match self.way {
            // With the name it may be longer than a path may be.
            Way::Confined if path.len() < LONGEST => at_once(OsStr::from_bytes(&path)),
            _ => self
                .handle(Some(directory))
                .and_then(|above| shape_of(&above, OsStr::new(name)))
                .map(drop),
        };
        match found {
            Ok(()) => Ok(true),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// The directories in which something of a name is, each looked at once.
#[derive(Debug)]
pub struct DirectoriesWith<'d> {
    dir: &'d Dir,
    name: &'static str,
    /// For each directory that was asked about: which directories from the top down to it have
    /// something of the name.
    known: RefCell<HashMap<RepoPath, Rc<[RepoPath]>>>,
}

impl<'d> DirectoriesWith<'d> {
    /// Looks for `name`, the name of a file or a directory.
    pub fn new(dir: &'d Dir, name: &'static str) -> Self {
        Self {
            dir,
            name,
            known: RefCell::default(),
        }
    }

    /// Returns which directories above a path they are, highest first and without the top.
    ///
    /// # Errors
    /// If the system doesn't let us see.
    pub fn above(&self, path: &RepoPath) -> io::Result<Rc<[RepoPath]>> {
        let Some(directory) = path.parent() else {
            return Ok(Rc::new([]));
        };
        if let Some(known) = self.known.borrow().get(&directory) {
            return Ok(Rc::clone(known));
        }
        let with = if memchr::memchr_iter(b'/', path.as_bytes()).count() > DEEP {
            self.on_the_way_to(path)?.into()
        } else {
            let above = self.above(&directory)?;
            let itself = self
                .dir
                .has(&directory, self.name)?
                .then(|| directory.clone());
            itself.map_or_else(
                || Rc::clone(&above),
                |itself| above.iter().cloned().chain([itself]).collect(),
            )
        };
        self.known.borrow_mut().insert(directory, Rc::clone(&with));
        Ok(with)
    }

    fn on_the_way_to(&self, path: &RepoPath) -> io::Result<Vec<RepoPath>> {
        let mut with = Vec::new();
        self.dir.walk_down(path, |directory, len| {
            match shape_of(directory, OsStr::new(self.name)) {
                Ok(_) => with.extend(path.directory_of_len(len)),
                Err(Errno::NOENT) => {}
                Err(error) => return Err(error),
            }
            Ok(())
        })?;
        Ok(with)
    }
}

/// Returns what has a name in a directory.
fn look_in(directory: &OpenDirectory, name: &OsStr) -> io::Result<Found> {
    match shape_of(directory, name) {
        Ok((Shape::File, stat)) => Ok(Found::File(stat)),
        Ok((Shape::Directory, _)) => Ok(Found::Directory),
        Ok((Shape::Link, _)) => Ok(Found::Link),
        Ok((Shape::Special, _)) => Ok(Found::Special),
        Err(Errno::NOENT) => Ok(Found::Absent),
        Err(error) => Err(error.into()),
    }
}
