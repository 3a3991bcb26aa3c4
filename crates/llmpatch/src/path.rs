//! Paths inside a repository: relative, slash-separated bytes, without `..`, without `.git` under
//! any spelling.
//!
//! A [`RepoPath`] is safe because it can be made here only; nothing else in the crate turns bytes
//! into one. Everything here is about spelling, the same on every platform, and reads nothing: what
//! is on disk is the caller's business.
//!
//! “`.git`” means every name that git refuses in an index when all its protections are on, whatever
//! the configuration says: any case, NTFS short names, streams and trailing dots, HFS+ ignorable
//! characters, and with `\` counted as a separator.

mod resolve;
mod serial;
mod unlikely;
mod windows;

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice as _};

use crate::text::{Shown, starts_with_any_case};

pub(crate) use resolve::is_absolute;
pub use resolve::{FollowLinks, Resolver};
pub use unlikely::Slip;
pub(crate) use unlikely::{plain, unlikely};
pub use windows::{is_windows_name, windows_fault};

/// A path from the top of the work tree that is safe by its spelling. To clone it is cheap.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Arc<[u8]>);

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bstr().fmt(f)
    }
}

impl AsRef<[u8]> for RepoPath {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl RepoPath {
    /// Checks a path as git stores it: relative, `/` between its parts, no empty part, no `.` and
    /// no `..`.
    ///
    /// # Errors
    /// What is wrong with the spelling.
    pub fn new(bytes: &[u8]) -> Result<Self, PathError> {
        check_bytes(bytes)?;
        check_parts(bytes, bytes)?;
        Ok(Self(bytes.into()))
    }

    /// Returns the path of something in the directory that this path names.
    ///
    /// # Errors
    /// If the name can't be in a path, as `.git` can't.
    pub fn join(&self, name: &[u8]) -> Result<Self, PathError> {
        // The directory has been checked; to do that again for each directory above a deep path
        // would be quadratic.
        let path = [self.as_bytes(), b"/", name].concat();
        check_bytes(name)?;
        check_parts(name, &path)?;
        Ok(Self(path.into()))
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the path as a byte string.
    pub fn as_bstr(&self) -> &BStr {
        self.0.as_bstr()
    }

    /// Returns the path for calls of the system, to be joined to the directory that the files are in.
    ///
    /// ```
    /// use llmpatch::RepoPath;
    ///
    /// let path = RepoPath::new("می\u{200c}خواهم.txt".as_bytes())?;
    /// assert_eq!(path.to_path()?.to_str(), Some("می\u{200c}خواهم.txt"));
    /// assert_eq!(path.to_string(), r"می\342\200\214خواهم.txt");
    /// # Ok::<(), llmpatch::path::PathError>(())
    /// ```
    ///
    /// # Errors
    /// If no file can have such a name on this system. On Unix, every path is one. On Windows, devices
    /// (`nul`), drives and streams (`c:x`), characters such as `?`, a space or a dot at a name's end,
    /// and bytes that aren't UTF-8 are in none ([`is_windows_name`]).
    pub fn to_path(&self) -> Result<&Path, PathError> {
        let is_here = !cfg!(windows) || self.parts().all(is_windows_name);
        let path = self.0.to_path().ok().filter(|_| is_here);
        path.ok_or_else(|| PathError::NoName {
            path: self.as_bstr().into(),
        })
    }

    /// Returns the directory that holds it; a path at the top has none.
    pub fn parent(&self) -> Option<RepoPath> {
        self.0
            .rfind_byte(b'/')
            .map(|slash| RepoPath(self.0[..slash].into()))
    }

    /// Returns the directory above it that its first `len` bytes name, if they name one.
    pub fn directory_of_len(&self, len: usize) -> Option<RepoPath> {
        (len > 0 && self.0.get(len) == Some(&b'/')).then(|| RepoPath(self.0[..len].into()))
    }

    /// Returns the directories above it, nearest first.
    pub fn ancestors(&self) -> impl Iterator<Item = RepoPath> {
        std::iter::successors(self.parent(), RepoPath::parent)
    }

    /// Returns the last part.
    pub fn name(&self) -> &[u8] {
        self.0
            .rsplit(|&byte| byte == b'/')
            .next()
            .unwrap_or_default()
    }

    /// Returns the parts in order.
    pub fn parts(&self) -> impl Iterator<Item = &[u8]> {
        self.0.split(|&byte| byte == b'/')
    }

    /// Returns whether it lies below a directory; no path lies below itself.
    pub fn is_below(&self, directory: &RepoPath) -> bool {
        self.0
            .strip_prefix(directory.as_bytes())
            .is_some_and(|rest| rest.starts_with(b"/"))
    }
}

/// Paths are ordered and told apart by their bytes alone, so that a map of them can be searched by
/// bytes.
impl std::borrow::Borrow<[u8]> for RepoPath {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

/// Shows the path to people: what a terminal might obey, what nobody sees, and what isn't UTF-8 is
/// escaped ([`Shown`]), so that this may be the name of another file. [`RepoPath::to_path`] is the
/// name to open, and [`RepoPath::as_bytes`] what to store.
impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Shown(&self.0).fmt(f)
    }
}

/// Refuses what no path can be.
fn check_bytes(path: &[u8]) -> Result<(), PathError> {
    if path.is_empty() {
        return Err(PathError::Empty);
    }
    if path.contains(&0) {
        return Err(PathError::Nul { path: path.into() });
    }
    Ok(())
}

/// Refuses parts that aren't in git's normal form, or `.git` under any of its names. `path` is what
/// messages name.
fn check_parts(parts: &[u8], path: &[u8]) -> Result<(), PathError> {
    parts
        .split(|&byte| byte == b'/')
        .try_for_each(|part| match part {
            b"" | b"." | b".." => Err(PathError::NotNormal { path: path.into() }),
            part => check_part(part, path),
        })
}

/// Refuses a part that is `.git` under any of its names.
fn check_part(part: &[u8], path: &[u8]) -> Result<(), PathError> {
    // git's `verify_path` looks behind every backslash too, since a checkout on Windows would.
    match part
        .split(|&byte| byte == b'\\')
        .find(|piece| is_dot_git(piece))
    {
        Some(name) => Err(PathError::DotGit {
            path: path.into(),
            name: name.into(),
        }),
        None => Ok(()),
    }
}

fn is_dot_git(name: &[u8]) -> bool {
    use gix_validate::path::component::{Error, Options};
    // All its names are `.git` or `git~1` and what isn't part of a word, as ` ` or `::$INDEX`, but
    // for characters that HFS+ ignores.
    let goes_on = name.get(b".git".len()).is_some_and(u8::is_ascii_alphabetic);
    let may_be = starts_with_any_case(name, b".git") && !goes_on;
    if name.is_ascii() && !may_be && !starts_with_any_case(name, b"git~") {
        return false;
    }
    let options = Options {
        protect_windows: false,
        protect_hfs: true,
        protect_ntfs: true,
    };
    // git's look at HFS+ names ends at the first byte that isn't UTF-8.
    let readable = name.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    [name, readable.as_bytes()].iter().any(|name| {
        matches!(
            gix_validate::path::component((*name).into(), None, options),
            Err(Error::DotGitDir)
        )
    })
}

/// What is wrong with the spelling of a path. Paths and roots are as written.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum PathError {
    #[error("the path is empty")]
    #[strum(props(
        label = "a path belongs here",
        help = "name the file, from the top of the work tree, such as `src/main.rs`"
    ))]
    Empty,
    #[error("`{}` holds a NUL byte", Shown(path))]
    Nul { path: BString },
    #[error("`{}` has an empty part, a `.` or a `..`", Shown(path))]
    NotNormal { path: BString },
    /// More `..` than there are directories.
    #[error("`{}` leads out of the work tree", Shown(path))]
    Escapes { path: BString },
    /// An absolute path that isn't below `top`, where the work tree is, if there is one.
    #[error("`{}` isn't in this work tree", Shown(path))]
    Outside { path: BString, top: Option<BString> },
    /// A path whose part `name` is a name of `.git`.
    #[error("`{}` leads into git's own directory", Shown(path))]
    DotGit { path: BString, name: BString },
    #[error("`{}` isn't an absolute path", Shown(path))]
    NotAbsolute { path: BString },
    /// A path that the system has no file for.
    #[error("`{}` is no name that a file can have on this system", Shown(path))]
    #[strum(props(
        label = "no file's name here",
        help = "give the file another name, or leave it out of the patch"
    ))]
    NoName { path: BString },
    #[error("`{}` starts with `~`", Shown(path))]
    Home { path: BString },
    #[error("`{}` names a directory", Shown(path))]
    Directory { path: BString },
    #[error("`{}…` is longer than a file's name can be", Shown(path.get(..40).unwrap_or(path)))]
    TooLong { path: BString },
    #[error("`{}` is a URL", Shown(path))]
    Url { path: BString },
    #[error("`{}` names a file on another machine", Shown(path))]
    UriHost { path: BString },
    #[error("`{}` names no file", Shown(path))]
    UriEmpty { path: BString },
    #[error(
        "`{}` has a `?` or a `#` in it, which in a URI aren't part of the path",
        Shown(path)
    )]
    UriQuery { path: BString },
    #[error("`{}` has a `%` that two hexadecimal digits don't follow", Shown(path))]
    UriEscape { path: BString },
    /// A `root` that is neither mapped nor `name`, the name of the work tree.
    #[error(
        "root `{}` isn't this work tree, which is `{}`",
        Shown(root),
        Shown(name)
    )]
    #[strum(props(label = "another root", advice = "leave `root` out"))]
    UnknownRoot { root: BString, name: BString },
    #[error("root `{}` isn't known, since there is no work tree here", Shown(root))]
    #[strum(props(label = "another root", advice = "leave `root` out"))]
    RootWithoutTree { root: BString },
    #[error(
        "root `{}` is mapped to `{}`, which isn't in this work tree",
        Shown(root),
        Shown(directory)
    )]
    #[strum(props(label = "mapped to a place outside", advice = "leave `root` out"))]
    RootOutside { root: BString, directory: BString },
    /// A name that a new file hardly has, and what is probably meant.
    #[error("`{}` {slip}", Shown(path))]
    Unlikely {
        path: BString,
        slip: Slip,
        meant: Option<BString>,
    },
}
