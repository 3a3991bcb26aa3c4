//! The access list of a file on macOS, as text: a line an entry.
//!
//! What reads and sets it takes paths, and no open file.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use exacl::{AclOption, from_str, getfacl, setfacl, to_string};
use rustix::fs::{fstat, getpath, lstat};

use super::system::Errno;

/// Returns the access list of a file; `None` if it has none.
///
/// # Errors
/// Also `ESTALE` if the file is no longer where the system says that it is.
pub(super) fn read(file: &File) -> io::Result<Option<Vec<u8>>> {
    let path = getpath(file)?;
    let path = Path::new(OsStr::from_bytes(path.to_bytes()));
    let entries = getfacl(path, AclOption::SYMLINK_ACL)?;
    let (open, there) = (fstat(file)?, lstat(path)?);
    if (open.st_dev, open.st_ino) != (there.st_dev, there.st_ino) {
        return Err(Errno::STALE.into());
    }
    if entries.is_empty() {
        return Ok(None);
    }
    Ok(Some(to_string(&entries)?.into_bytes()))
}

/// Gives a file an access list, or takes it away if the text is empty.
///
/// A path by the file's numbers leads nowhere else, whatever is renamed meanwhile. Not every file
/// system has such paths.
///
/// # Errors
/// Also if the file has another access list afterwards.
pub(super) fn write(file: &File, list: &[u8]) -> io::Result<()> {
    let text = str::from_utf8(list).map_err(io::Error::other)?;
    let stat = fstat(file)?;
    let path = format!("/.vol/{}/{}", stat.st_dev, stat.st_ino);
    setfacl(&[path], &from_str(text)?, None)?;
    let is_set = read(file)?.unwrap_or_default() == list;
    is_set.then_some(()).ok_or(Errno::IO.into())
}
