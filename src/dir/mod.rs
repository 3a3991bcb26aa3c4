//! A handle of the work tree's top that can't be left: every access to the work tree goes through
//! it.
//!
//! It is not a policy: what may be touched is decided elsewhere. It keeps one promise, by
//! construction and without a moment between check and use: no symbolic link is followed, neither
//! on the way to a file nor at its end, so nothing outside the directory that was opened is ever
//! read or written. The directory that holds a path is opened beneath the top, by the kernel in one
//! step where it can (`openat2`), else part by part; what is in it is then reached by its bare
//! name. Only what recognizes a file by its number (`Dir::glance`) goes along the path as it is.
//!
//! `linux.rs`, `portable.rs` and `windows.rs` are what the systems offer; `unix.rs` is what the
//! first two have in common.

#[cfg(target_os = "macos")]
mod access_list;
#[cfg(unix)]
mod attributes;
mod buffer;
pub(crate) mod clock;
mod content;
mod read;
pub(crate) mod rights;
#[cfg(any(windows, test))]
mod sddl;
// The feature has Linux tested as if it were another system.
#[cfg_attr(all(target_os = "linux", not(feature = "portable")), path = "linux.rs")]
#[cfg_attr(
    all(unix, not(all(target_os = "linux", not(feature = "portable")))),
    path = "portable.rs"
)]
#[cfg_attr(windows, path = "windows.rs")]
mod system;
mod system_path;
#[cfg(not(all(target_os = "linux", not(feature = "portable"))))]
mod unasked;
#[cfg(unix)]
mod unix;
pub(crate) mod write;

#[cfg(test)]
mod tests;

use std::cell::{OnceCell, RefCell};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;
use std::rc::Rc;

pub use read::{DirectoriesWith, Found, Shape, Stat};
pub use rights::Lost;
pub use system_path::SystemPath;

use crate::system::OsStrExt as _;
use llmpatch::path::RepoPath;
use system::{
    Errno, HANDLE, OWN, OpenDirectory, Opening, open_again, open_anywhere, open_confined,
    open_file, open_file_confined, open_here, open_top,
};

/// A directory of the file system as a place that can't be left.
#[derive(Debug)]
pub struct Dir {
    top: OpenDirectory,
    way: Way,
    /// The top's device, if the times of files there are exact; known once somebody asked.
    exact: OnceCell<Option<u64>>,
    kept: RefCell<Kept>,
}

/// The directory beneath the top that a [`Pass`] keeps open.
#[derive(Debug, Default)]
enum Kept {
    /// None: no pass is on.
    #[default]
    NoPass,
    /// None yet.
    Nothing,
    /// The directory that was opened last, or that isn't there.
    Last(RepoPath, Option<Rc<OpenDirectory>>),
}

/// A pass over many paths, in which the directory of a path is still open for the next path. It is
/// for looking, and for files of ours that come or go: a directory that is moved out of the work
/// tree meanwhile is still seen, as if that had happened a moment later; and a directory that comes
/// meanwhile isn't, unless we made it.
///
/// What changes a user's file opens its directory anew, outside of any pass.
#[must_use = "directories are kept open as long as this lives"]
pub(crate) struct Pass<'d>(&'d Dir);

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        self.0.kept.take();
    }
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
struct Parent<'p> {
    /// The directory; a handle good for `*at` calls, not for listing or flushing.
    directory: Handle<'p>,
    /// The name, which is never empty, `.`, `..`, and holds no `/`.
    name: &'p OsStr,
}

/// A handle of the top, or of a directory beneath it.
#[derive(Debug)]
enum Handle<'d> {
    Top(&'d OpenDirectory),
    Beneath(Rc<OpenDirectory>),
}

impl Deref for Handle<'_> {
    type Target = OpenDirectory;

    fn deref(&self) -> &OpenDirectory {
        match self {
            Handle::Top(top) => top,
            Handle::Beneath(directory) => directory,
        }
    }
}

impl Parent<'_> {
    /// Returns both as the system's calls take them.
    fn named(&self) -> (&OpenDirectory, &OsStr) {
        (&self.directory, self.name)
    }
}

/// Returns whether every name of a path is one that a file can have on this system, and no device or
/// something else.
pub(crate) fn can_name(path: &RepoPath) -> bool {
    system::can_name(path)
}

impl Dir {
    /// Opens the top. Links on the way to it are followed: it is the user's word where the work
    /// tree is.
    ///
    /// # Errors
    /// If there is no directory, or it can't be entered.
    pub fn open(top: &Path) -> io::Result<Self> {
        // Kernels before 5.6 don't have what confines, and sandboxes forbid what they don't know.
        // Asked once, since that doesn't change.
        Ok(match open_top(top) {
            Ok(top) => Self::new(top, Way::Confined),
            Err(_) => Self::new(open_anywhere(top)?, Way::Walk),
        })
    }

    /// Opens a directory beneath the top as a place of its own that can't be left; no link is
    /// followed on the way.
    ///
    /// # Errors
    /// `ENOENT` if there is none; `ENOTDIR` or `ELOOP` if it, or something above it, is no
    /// directory.
    pub(crate) fn beneath(&self, directory: &RepoPath) -> io::Result<Self> {
        Ok(Self::new(self.directory(Some(directory), OWN)?, self.way))
    }

    fn new(top: OpenDirectory, way: Way) -> Self {
        Self {
            top,
            way,
            exact: OnceCell::new(),
            kept: RefCell::default(),
        }
    }

    /// Notes that the top was renamed, by us.
    pub(crate) fn has_moved(&self, above: &Dir, to: &RepoPath) -> io::Result<()> {
        system::has_moved(&self.top, above.parent(to)?.named());
        Ok(())
    }

    /// Begins a pass.
    pub(crate) fn pass(&self) -> Pass<'_> {
        *self.kept.borrow_mut() = Kept::Nothing;
        Pass(self)
    }

    /// Forgets, in a pass, which directory is open and that a directory isn't there.
    fn see_anew(&self) {
        let mut kept = self.kept.borrow_mut();
        if let Kept::Last(..) = *kept {
            *kept = Kept::Nothing;
        }
    }

    /// Returns the stat data of the top itself.
    ///
    /// # Errors
    /// If the system doesn't let us see.
    pub(crate) fn stat(&self) -> io::Result<Stat> {
        Ok(system::stat_of(&self.top)?.1)
    }

    /// Opens the directory that holds a path.
    ///
    /// # Errors
    /// `ENOENT` if there is none; `ENOTDIR` or `ELOOP` if something above the path is no directory.
    fn parent<'p>(&'p self, path: &'p RepoPath) -> io::Result<Parent<'p>> {
        Ok(self.holder(path)?)
    }

    fn holder<'p>(&'p self, path: &'p RepoPath) -> Result<Parent<'p>, Errno> {
        let directory = self.handle(path.parent().as_ref())?;
        Ok(Parent {
            directory,
            name: OsStr::from_bytes(path.name()),
        })
    }

    /// Opens the directories that hold two paths, the second of which is beneath another top; one
    /// that is the same only once.
    fn parents<'p>(
        &'p self,
        path: &'p RepoPath,
        other: &'p Dir,
        with: &'p RepoPath,
    ) -> io::Result<(Parent<'p>, Parent<'p>)> {
        let from = self.parent(path)?;
        let to = match &from.directory {
            Handle::Beneath(directory)
                if std::ptr::eq(self, other) && path.parent() == with.parent() =>
            {
                Parent {
                    directory: Handle::Beneath(directory.clone()),
                    name: OsStr::from_bytes(with.name()),
                }
            }
            _ => other.parent(with)?,
        };
        Ok((from, to))
    }

    /// Returns a handle of a directory beneath the top, or of the top itself.
    fn handle(&self, directory: Option<&RepoPath>) -> Result<Handle<'_>, Errno> {
        let Some(path) = directory else {
            return Ok(Handle::Top(&self.top));
        };
        let mut kept = self.kept.borrow_mut();
        if let Kept::Last(last, handle) = &*kept
            && last == path
        {
            return handle.clone().map(Handle::Beneath).ok_or(Errno::NOENT);
        }
        let handle = match self.directory(directory, HANDLE) {
            Ok(handle) => Some(Rc::new(handle)),
            Err(Errno::NOENT) => None,
            Err(error) => return Err(error),
        };
        if !matches!(*kept, Kept::NoPass) {
            *kept = Kept::Last(path.clone(), handle.clone());
        }
        handle.map(Handle::Beneath).ok_or(Errno::NOENT)
    }

    /// Opens or makes a file: in one step where the kernel confines it and no pass has the
    /// directory open.
    fn open_at(&self, path: &RepoPath, how: Opening, bits: u16) -> Result<File, Errno> {
        if self.way == Way::Confined && matches!(*self.kept.borrow(), Kept::NoPass) {
            match open_file_confined(&self.top, OsStr::from_bytes(path.as_bytes()), how, bits) {
                // The name of a file of ours may be longer than that of the one that it is beside.
                Err(Errno::NAMETOOLONG) => {}
                opened => return opened,
            }
        }
        let Parent { directory, name } = self.holder(path)?;
        open_file(&directory, name, how, bits)
    }

    /// Opens a directory beneath the top, or the top itself.
    fn directory(
        &self,
        directory: Option<&RepoPath>,
        how: Opening,
    ) -> Result<OpenDirectory, Errno> {
        let Some(directory) = directory else {
            return open_again(&self.top, how);
        };
        match self.way {
            Way::Confined => {
                open_confined(&self.top, OsStr::from_bytes(directory.as_bytes()), how, 0)
            }
            Way::Walk => {
                let mut above = None;
                for part in directory.parts() {
                    let here = above.as_ref().unwrap_or(&self.top);
                    above = Some(open_here(here, OsStr::from_bytes(part), how)?);
                }
                above.ok_or(Errno::NOENT)
            }
        }
    }
}
