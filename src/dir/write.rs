//! The writing half: one method a system call, each beneath the top, each on a bare name in an
//! opened directory.
//!
//! Nothing is decided here. Only [`crate::transaction`] calls these, in an order that can be taken
//! back.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, IoSlice, Write as _};
use std::path::Path;

use super::system::{
    self, CREATE, Errno, HANDLE, OpenDirectory, READABLE, flush_file_system, is_unsupported,
    open_again, open_here, remove_directory, rename, unlink,
};
use super::{Dir, Found, Parent, Shape};
use crate::system::OsStrExt as _;
use llmpatch::path::RepoPath;

/// Marks a call that changes something on disk. In tests it can be made to fail here; otherwise it
/// is nothing.
///
/// # Errors
/// In tests only.
#[inline]
pub(crate) fn step(call: &'static str) -> io::Result<()> {
    #[cfg(test)]
    return watch::ask(call);
    #[cfg(not(test))]
    {
        let _ = call;
        #[cfg(feature = "steps")]
        crate::system::step();
        Ok(())
    }
}

impl Dir {
    /// Makes a file that must not exist, for writing. The umask takes its share of the bits.
    pub(crate) fn create(&self, path: &RepoPath, bits: u16) -> io::Result<File> {
        step("create a file")?;
        Ok(self.open_at(path, CREATE, bits)?)
    }

    /// Makes a symbolic link where nothing may be.
    pub(crate) fn make_link(&self, path: &RepoPath, target: &[u8]) -> io::Result<()> {
        step("make a link")?;
        Ok(system::make_link(self.parent(path)?.named(), target)?)
    }

    /// Removes a file.
    pub(crate) fn remove_file(&self, path: &RepoPath) -> io::Result<()> {
        step("remove a file")?;
        let Parent { directory, name } = self.parent(path)?;
        Ok(unlink(&directory, name)?)
    }

    /// Removes a file, if that can be done; nothing depends on it.
    pub(crate) fn discard(&self, path: &RepoPath) {
        if let Ok(Parent { directory, name }) = self.parent(path) {
            let _ = unlink(&directory, name);
        }
    }

    /// Makes a directory that must not exist. The umask takes its share of the bits.
    pub(crate) fn make_directory(&self, path: &RepoPath, bits: u16) -> io::Result<()> {
        step("make a directory")?;
        let Parent { directory, name } = self.parent(path)?;
        Ok(system::make_directory(&directory, name, bits)?)
    }

    /// Writes a small file of ours anew, whatever is there; nobody else may read it.
    pub(crate) fn put(&self, path: &RepoPath, bytes: &[u8]) -> io::Result<File> {
        let mut file = match self.create(path, 0o600) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.remove_file(path)?;
                self.create(path, 0o600)?
            }
            created => created?,
        };
        file.write_all(bytes)?;
        Ok(file)
    }

    /// Gives a file anywhere a second name here, which must be free.
    ///
    /// # Errors
    /// Also where the file system has no hard links, or the file is on another.
    pub(crate) fn link_from(&self, file: &Path, path: &RepoPath) -> io::Result<()> {
        Ok(system::link_from(file, self.parent(path)?.named())?)
    }

    /// Gives a file here a second name anywhere, which must be free.
    ///
    /// # Errors
    /// Also where the file system has no hard links, or the name is on another.
    pub(crate) fn link_to(&self, path: &RepoPath, file: &Path) -> io::Result<()> {
        Ok(system::link_to(self.parent(path)?.named(), file)?)
    }

    /// Renames a file to any place, over whatever file is there.
    pub(crate) fn rename_over(&self, path: &RepoPath, to: &Path) -> io::Result<()> {
        Ok(system::rename_out(self.parent(path)?.named(), to)?)
    }

    /// Sets when a file of ours was written to the last time, in seconds and nanoseconds.
    pub(crate) fn set_modified(&self, path: &RepoPath, time: (i64, u32)) -> io::Result<()> {
        step("set the time of a file")?;
        let Parent { directory, name } = self.parent(path)?;
        Ok(system::set_modified(&directory, name, time)?)
    }

    /// Waits until the names in the top are on the disk.
    pub(crate) fn flush(&self) -> io::Result<()> {
        step("flush a directory")?;
        system::flush(&open_again(&self.top, READABLE)?)
    }

    /// Waits until all that was written to the file system of a directory (`None`: the top) is on
    /// the disk.
    pub(crate) fn flush_file_system(&self, directory: Option<&RepoPath>) -> io::Result<()> {
        step("flush a file system")?;
        flush_file_system(self.directory(directory, READABLE)?)
    }

    /// Makes the directories that a path needs and that aren't there, each in its parent.
    ///
    /// # Errors
    /// `ENOTDIR` or `ELOOP` if something is there that is no directory; with the directory that
    /// could not be made.
    pub(crate) fn make_directories(&self, path: &RepoPath) -> Result<(), (RepoPath, io::Error)> {
        self.see_anew();
        let mut above: Option<OpenDirectory> = None;
        let mut start = 0;
        for end in memchr::memchr_iter(b'/', path.as_bytes()) {
            let name = OsStr::from_bytes(&path.as_bytes()[start..end]);
            let opened = open_or_make(above.as_ref().unwrap_or(&self.top), name);
            above = Some(opened.map_err(|error| {
                let directory = path.directory_of_len(end);
                let directory = directory.expect("a directory's name ends before a slash");
                (directory, error)
            })?);
            start = end + 1;
        }
        Ok(())
    }

    /// Gives a directory of ours the bits that it had; a link in its place isn't followed.
    pub(crate) fn set_directory_bits(&self, path: &RepoPath, bits: u16) -> io::Result<()> {
        step("set the mode of a directory")?;
        let Parent { directory, name } = self.parent(path)?;
        system::set_directory_bits(&directory, name, bits)
    }

    /// Removes a directory that must be empty.
    pub(crate) fn remove_directory(&self, path: &RepoPath) -> io::Result<()> {
        step("remove a directory")?;
        // No handle of ours is to be in its way.
        self.see_anew();
        let Parent { directory, name } = self.parent(path)?;
        Ok(remove_directory(&directory, name)?)
    }

    /// Puts each of two things in the other's place, in one step.
    ///
    /// # Errors
    /// `Unsupported` where the file system doesn't know how.
    pub(crate) fn exchange(&self, path: &RepoPath, other: &Dir, with: &RepoPath) -> io::Result<()> {
        step("exchange two files")?;
        let (from, to) = self.parents(path, other, with)?;
        match system::exchange(from.named(), to.named()) {
            Err(errno) if is_unsupported(errno) => Err(io::ErrorKind::Unsupported.into()),
            done => Ok(done?),
        }
    }

    /// Gives a file that is to be replaced a second name, which only we have.
    ///
    /// # Errors
    /// Also where a file is replaced in another way.
    pub(crate) fn keep(&self, path: &RepoPath, other: &Dir, with: &RepoPath) -> io::Result<()> {
        step("keep a file by a second name")?;
        let (from, to) = self.parents(path, other, with)?;
        Ok(system::keep(from.named(), to.named())?)
    }

    /// Renames a new file over a file that has a second name, in one step. Returns whether that
    /// file still was there.
    ///
    /// Between the look and the step is an instant in which another program's new file would be
    /// overwritten.
    pub(crate) fn replace(
        &self,
        path: &RepoPath,
        by: (&Dir, &RepoPath),
        kept: (&Dir, &RepoPath),
    ) -> io::Result<bool> {
        step("replace a file")?;
        let number = |dir: &Dir, path| match dir.look(path)? {
            Found::File(stat) => Ok(Some((stat.device, stat.inode))),
            _ => Ok::<_, io::Error>(None),
        };
        let is_there = number(self, path)? == number(kept.0, kept.1)?;
        if is_there {
            let (from, to) = by.0.parents(by.1, self, path)?;
            rename(from.named(), to.named())?;
        }
        Ok(is_there)
    }

    /// Renames something to a name that only we have, whether or not it is free. What comes out is
    /// to be looked at.
    pub(crate) fn rename_to_own(
        &self,
        path: &RepoPath,
        other: &Dir,
        to: &RepoPath,
    ) -> io::Result<()> {
        step("rename to a name of ours")?;
        let (from, to) = self.parents(path, other, to)?;
        match system::rename_with_flags(from.named(), to.named()) {
            Err(errno) if is_unsupported(errno) => Ok(rename(from.named(), to.named())?),
            done => Ok(done?),
        }
    }

    /// Renames something of ours in a directory that is ours.
    pub(crate) fn rename_own(&self, path: &RepoPath, to: &RepoPath) -> io::Result<()> {
        let (from, to) = self.parents(path, self, to)?;
        Ok(rename(from.named(), to.named())?)
    }

    /// Renames something, whose name nobody else knows, to a name that must be free.
    ///
    /// Where the file system can't promise that in one step, a hard link can; where there are none
    /// either, the name is looked at first, which leaves an instant in which another program's new
    /// file would be overwritten.
    pub(crate) fn rename_to_free(
        &self,
        path: &RepoPath,
        other: &Dir,
        to: &RepoPath,
    ) -> io::Result<()> {
        step("rename to a free name")?;
        let (from, to) = self.parents(path, other, to)?;
        match system::rename_to_free(from.named(), to.named()) {
            Err(errno) if is_unsupported(errno) => {}
            done => return Ok(done?),
        }
        match system::link(from.named(), to.named()) {
            Ok(()) => return Ok(unlink(&from.directory, from.name)?),
            Err(errno @ (Errno::EXIST | Errno::NOENT | Errno::XDEV | Errno::NOSPC)) => {
                return Err(errno.into());
            }
            Err(_) => {}
        }
        match system::shape_of(&to.directory, to.name) {
            Err(Errno::NOENT) => Ok(rename(from.named(), to.named())?),
            Ok(_) => Err(Errno::EXIST.into()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Returns the permission bits of a directory.
    pub(crate) fn directory_bits(&self, path: &RepoPath) -> io::Result<u16> {
        Ok(system::stat_of(&self.open_directory(path)?)?.1.bits)
    }

    /// Returns whether this process runs in a directory.
    pub(crate) fn is_current(&self, path: &RepoPath) -> io::Result<bool> {
        system::is_current(&self.open_directory(path)?)
    }

    /// Returns the device that a directory (`None`: the top) is on.
    pub(crate) fn device(&self, directory: Option<&RepoPath>) -> io::Result<u64> {
        Ok(system::stat_of(&*self.handle(directory)?)?.1.device)
    }

    /// Removes the files of a directory beneath the top, one name first and one last, then the
    /// directory. A directory in it is none of ours: it goes only if it is empty.
    ///
    /// # Errors
    /// If something stays.
    pub(crate) fn remove_flat(
        &self,
        directory: &RepoPath,
        first: &str,
        last: &str,
    ) -> io::Result<()> {
        let inside = self.beneath(directory)?;
        let mut names = inside.list(None)?;
        names.sort_by_key(|(name, _)| (name != first, name == last));
        for (name, shape) in names {
            let name = OsStr::from_bytes(&name);
            match shape {
                Shape::Directory => remove_directory(&inside.top, name)?,
                _ => unlink(&inside.top, name)?,
            }
        }
        self.remove_empty(directory)
    }

    /// Removes a directory of ours, if it is empty.
    pub(crate) fn remove_empty(&self, directory: &RepoPath) -> io::Result<()> {
        let Parent { directory, name } = self.parent(directory)?;
        Ok(remove_directory(&directory, name)?)
    }

    fn open_directory(&self, path: &RepoPath) -> io::Result<OpenDirectory> {
        let Parent { directory, name } = self.parent(path)?;
        Ok(open_here(&directory, OsStr::new(name), HANDLE)?)
    }
}

fn open_or_make(above: &OpenDirectory, name: &OsStr) -> io::Result<OpenDirectory> {
    match open_here(above, name, HANDLE) {
        Err(Errno::NOENT) => {}
        opened => return Ok(opened?),
    }
    step("make a directory")?;
    match system::make_directory(above, name, 0o777) {
        // Somebody was quicker.
        Ok(()) | Err(Errno::EXIST) => Ok(open_here(above, name, HANDLE)?),
        Err(errno) => Err(errno.into()),
    }
}

/// Fills a file that was just made.
pub(crate) fn fill<'p>(file: &mut File, parts: impl Iterator<Item = &'p [u8]>) -> io::Result<()> {
    step("write a file")?;
    let mut parts: Vec<_> = parts.map(IoSlice::new).collect();
    let mut left = &mut parts[..];
    while !left.is_empty() {
        // The system takes no more of them at once.
        let most = left.len().min(1024);
        match file.write_vectored(&left[..most]) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut left, written),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Waits until a file is on the disk.
pub(crate) fn flush(file: &File) -> io::Result<()> {
    step("flush a file")?;
    system::flush(file)
}

/// Gives a new file to the disk where flushing its file system isn't enough to have it there.
pub(crate) fn hand_over(file: &File) -> io::Result<()> {
    system::hand_over(file)
}

/// Returns what becomes of permission bits where the system doesn't know all of them.
pub(crate) fn kept_bits(wanted: u16) -> u16 {
    system::kept_bits(wanted)
}

/// Gives a file that was just made the bits that it is to have.
pub(crate) fn set_bits(file: &File, bits: u16) -> io::Result<()> {
    step("set the mode of a file")?;
    system::set_bits(file, bits)
}

#[cfg(test)]
pub(crate) mod watch {
    //! Lets a test step in between the decision to change something and the change, to make it fail
    //! or to interfere.

    use std::cell::RefCell;
    use std::io;

    type Watcher = Box<dyn FnMut(&'static str) -> io::Result<()>>;

    thread_local! {
        static WATCHER: RefCell<Option<Watcher>> = const { RefCell::new(None) };
    }

    /// Sets what every call of this thread that changes something asks first.
    pub(crate) fn set(watcher: impl FnMut(&'static str) -> io::Result<()> + 'static) {
        WATCHER.set(Some(Box::new(watcher)));
    }

    /// Lets everything pass again.
    pub(crate) fn clear() {
        WATCHER.set(None);
    }

    pub(super) fn ask(call: &'static str) -> io::Result<()> {
        // Taken out for the time of the call, so that a watcher may itself do what is watched.
        let Some(mut watcher) = WATCHER.take() else {
            return Ok(());
        };
        let answer = watcher(call);
        WATCHER.set(Some(watcher));
        answer
    }
}
