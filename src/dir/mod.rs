//! A handle of the work tree's top that can't be left: every access to the work tree goes through it.
//!
//! It is not a policy: what may be touched is decided elsewhere. It keeps one promise, by construction and without a moment
//! between check and use: no symbolic link is followed, neither on the way to a file nor at its end, so nothing outside the
//! directory that was opened is ever read or written. The directory that holds a path is opened beneath the top, by the kernel in
//! one step where it can (`openat2`), else part by part; what stands in it is then reached by its bare name.

pub(crate) mod clock;
mod read;
pub(crate) mod rights;
// The feature has Linux tested as if it were another system.
#[cfg_attr(all(target_os = "linux", not(feature = "portable")), path = "linux.rs")]
#[cfg_attr(not(all(target_os = "linux", not(feature = "portable"))), path = "portable.rs")]
mod system;
pub(crate) mod write;

#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::{self, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

pub use read::{Found, Shape, Stat};
pub use rights::Lost;

use crate::path::RepoPath;
use system::{HANDLE, open_confined};

/// A directory of the file system as a place that can't be left.
#[derive(Debug)]
pub struct Dir {
    top: OwnedFd,
    way: Way,
    /// The top's device, if the times of files there are exact; known once somebody asked.
    exact: OnceCell<Option<u64>>,
}

/// How directories beneath the top are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// In one step, which the kernel confines.
    Confined,
    /// One part after the other, none of them a link.
    Walk,
}

/// The directory that holds something, and the name that it has there.
#[derive(Debug)]
pub(crate) struct Parent<'p> {
    /// The directory; a handle good for `*at` calls, not for listing or flushing.
    pub(crate) directory: Handle<'p>,
    /// The name, which is never empty, `.`, `..`, and holds no `/`.
    pub(crate) name: &'p OsStr,
}

/// A handle of the top, or of a directory beneath it.
#[derive(Debug)]
pub(crate) enum Handle<'d> {
    Top(BorrowedFd<'d>),
    Beneath(OwnedFd),
}

impl AsFd for Handle<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Handle::Top(top) => top.as_fd(),
            Handle::Beneath(directory) => directory.as_fd(),
        }
    }
}

impl Dir {
    /// Opens the top. Links on the way to it are followed: it is the user's word where the work tree is.
    ///
    /// # Errors
    /// If there is no directory, or it can't be entered.
    pub fn open(top: &Path) -> io::Result<Self> {
        let top = retry_on_intr(|| fs::open(top, HANDLE, Mode::empty()))?;
        // Kernels before 5.6 don't have it, and sandboxes forbid what they don't know. Asked once, since the answer stays.
        let way = if open_confined(&top, OsStr::new("."), HANDLE).is_ok() { Way::Confined } else { Way::Walk };
        Ok(Self { top, way, exact: OnceCell::new() })
    }

    /// Opens a directory beneath the top as a place of its own that can't be left; no link is followed on the way.
    ///
    /// # Errors
    /// `ENOENT` if there is none; `ENOTDIR` or `ELOOP` if it, or something above it, is no directory.
    pub(crate) fn beneath(&self, directory: &RepoPath) -> io::Result<Self> {
        Ok(Self { top: self.directory(Some(directory), HANDLE)?, way: self.way, exact: OnceCell::new() })
    }

    /// Says what is known of the top itself.
    ///
    /// # Errors
    /// If the system doesn't let us see.
    pub(crate) fn stat(&self) -> io::Result<Stat> {
        Ok(Stat::from_system(&fs::fstat(&self.top)?))
    }

    /// Opens the directory that holds a path.
    ///
    /// # Errors
    /// `ENOENT` if there is none; `ENOTDIR` or `ELOOP` if something above the path is no directory.
    pub(crate) fn parent<'p>(&'p self, path: &'p RepoPath) -> io::Result<Parent<'p>> {
        Ok(self.holder(path)?)
    }

    fn holder<'p>(&'p self, path: &'p RepoPath) -> Result<Parent<'p>, Errno> {
        let directory = self.handle(path.parent().as_ref())?;
        Ok(Parent { directory, name: OsStr::from_bytes(path.name()) })
    }

    /// Returns a handle of a directory beneath the top, or of the top itself.
    fn handle(&self, directory: Option<&RepoPath>) -> Result<Handle<'_>, Errno> {
        match directory {
            Some(_) => Ok(Handle::Beneath(self.directory(directory, HANDLE)?)),
            None => Ok(Handle::Top(self.top.as_fd())),
        }
    }

    /// Opens a directory beneath the top, or the top itself.
    fn directory(&self, directory: Option<&RepoPath>, flags: OFlags) -> Result<OwnedFd, Errno> {
        let Some(directory) = directory else { return open_here(&self.top, OsStr::new("."), flags) };
        match self.way {
            Way::Confined => open_confined(&self.top, OsStr::from_bytes(directory.as_bytes()), flags),
            Way::Walk => {
                let mut above = None;
                for part in directory.parts() {
                    let here = above.as_ref().unwrap_or(&self.top);
                    above = Some(open_here(here, OsStr::from_bytes(part), flags)?);
                }
                above.ok_or(Errno::NOENT)
            }
        }
    }
}

/// Opens a directory by its bare name.
fn open_here(directory: impl AsFd, name: &OsStr, flags: OFlags) -> Result<OwnedFd, Errno> {
    retry_on_intr(|| fs::openat(&directory, name, flags | OFlags::NOFOLLOW, Mode::empty()))
}
