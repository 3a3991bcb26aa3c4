//! The calls that change something.

use std::ffi::OsStr;
use std::fs::{self, File, FileTimes};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use winapi_util::file::information;

use super::{
    DELETE, Errno, IS_READ_ONLY, OPEN_REPARSE_POINT, OpenDirectory, READ_ATTRIBUTES, SHARE_ALL,
    WRITE_ATTRIBUTES, bits, open, patiently, shape_of, shaped,
};
use crate::dir::Shape;

/// Makes a directory.
pub(in crate::dir) fn make_directory(
    directory: &OpenDirectory,
    name: &OsStr,
    _: u16,
) -> Result<(), Errno> {
    Ok(fs::create_dir(directory.child(name)?)?)
}

/// Removes a file.
pub(in crate::dir) fn unlink(directory: &OpenDirectory, name: &OsStr) -> Result<(), Errno> {
    let path = directory.child(name)?;
    patiently(|| fs::remove_file(&path)).or_else(|errno| unlink_read_only(&path, errno))
}

/// Removes a file that is read-only, which older systems refuse to; the file stays so, since it may
/// have other names.
fn unlink_read_only(path: &Path, errno: Errno) -> Result<(), Errno> {
    let access = READ_ATTRIBUTES | WRITE_ATTRIBUTES;
    let Ok(file) = open(path, access, SHARE_ALL, OPEN_REPARSE_POINT) else {
        return Err(errno);
    };
    if information(&file)?.file_attributes() & IS_READ_ONLY == 0 {
        return Err(errno);
    }
    set_read_only(&file, false)?;
    let removed = fs::remove_file(path);
    let _ = set_read_only(&file, true);
    Ok(removed?)
}

/// Removes a directory that is empty.
pub(in crate::dir) fn remove_directory(
    directory: &OpenDirectory,
    name: &OsStr,
) -> Result<(), Errno> {
    // The system would remove a junction.
    if shape_of(directory, name)?.0 != Shape::Directory {
        return Err(Errno::NOTDIR);
    }
    let path = directory.child(name)?;
    patiently(|| fs::remove_dir(&path))
}

/// Something by its bare name in a directory.
type Named<'n> = (&'n OpenDirectory, &'n OsStr);

/// Makes a symbolic link, which isn't done on this system.
pub(in crate::dir) fn make_link(_: Named<'_>, _: &[u8]) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}

/// Returns where a symbolic link leads, which isn't asked on this system.
pub(in crate::dir) fn read_link(_: Named<'_>) -> Result<Vec<u8>, Errno> {
    Err(Errno::INVAL)
}

/// Gives a file a second name.
pub(in crate::dir) fn link(from: Named<'_>, to: Named<'_>) -> Result<(), Errno> {
    link_to(from, &to.0.child(to.1)?)
}

/// Gives a file anywhere a second name.
pub(in crate::dir) fn link_from(file: &Path, to: Named<'_>) -> Result<(), Errno> {
    Ok(fs::hard_link(file, to.0.child(to.1)?)?)
}

/// Gives a file a second name anywhere.
pub(in crate::dir) fn link_to(from: Named<'_>, file: &Path) -> Result<(), Errno> {
    Ok(fs::hard_link(from.0.child(from.1)?, file)?)
}

/// Renames something, over whatever file is there.
pub(in crate::dir) fn rename(from: Named<'_>, to: Named<'_>) -> Result<(), Errno> {
    rename_out(from, &to.0.child(to.1)?)
}

/// Renames something, whether or not the new name is free.
pub(in crate::dir) fn rename_with_flags(from: Named<'_>, to: Named<'_>) -> Result<(), Errno> {
    rename(from, to)
}

/// Renames a file to anywhere, over whatever file is there.
pub(in crate::dir) fn rename_out(from: Named<'_>, to: &Path) -> Result<(), Errno> {
    let from = from.0.child(from.1)?;
    patiently(|| fs::rename(&from, to))
}

/// Renames a file to a name that must be free, by a second name for an instant.
pub(in crate::dir) fn rename_to_free(from: Named<'_>, to: Named<'_>) -> Result<(), Errno> {
    link(from, to)?;
    unlink(from.0, from.1)
}

/// Gives a file that is to be replaced a second name, if it can be replaced: nobody has it open in
/// a way that forbids that, and it isn't read-only.
pub(in crate::dir) fn keep(from: Named<'_>, to: Named<'_>) -> Result<(), Errno> {
    let path = from.0.child(from.1)?;
    let access = DELETE | READ_ATTRIBUTES;
    let file = patiently(|| open(&path, access, SHARE_ALL, OPEN_REPARSE_POINT))?;
    match shaped(&file)? {
        (Shape::File, stat) if stat.bits & 0o200 != 0 => link(from, to),
        _ => Err(Errno::NOSYS),
    }
}

/// Fails: the system can't do it.
pub(in crate::dir) fn exchange(_: Named<'_>, _: Named<'_>) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}

/// Returns whether an error says that the file system doesn't know how.
pub(in crate::dir) fn is_unsupported(errno: Errno) -> bool {
    const INVALID_FUNCTION: Errno = Errno(1);
    [INVALID_FUNCTION, Errno::NOSYS].contains(&errno)
}

/// Notes where a directory is since it was renamed.
pub(in crate::dir) fn has_moved(directory: &OpenDirectory, to: Named<'_>) {
    if let Ok(path) = to.0.child(to.1) {
        directory.path.replace(path);
    }
}

/// Sets when a file was written to the last time, in seconds and nanoseconds.
pub(in crate::dir) fn set_modified(
    directory: &OpenDirectory,
    name: &OsStr,
    (seconds, nanoseconds): (i64, u32),
) -> Result<(), Errno> {
    let path = directory.child(name)?;
    let file = open(&path, WRITE_ATTRIBUTES, SHARE_ALL, OPEN_REPARSE_POINT)?;
    let since = Duration::new(u64::try_from(seconds).unwrap_or_default(), nanoseconds);
    Ok(file.set_times(FileTimes::new().set_modified(SystemTime::UNIX_EPOCH + since))?)
}

/// Makes a file read-only or not: there are no other permission bits.
pub(in crate::dir) fn set_bits(file: &File, bits: u16) -> io::Result<()> {
    set_read_only(file, bits & 0o200 == 0)
}

fn set_read_only(file: &File, is_read_only: bool) -> io::Result<()> {
    let mut permissions = file.metadata()?.permissions();
    if permissions.readonly() != is_read_only {
        permissions.set_readonly(is_read_only);
        file.set_permissions(permissions)?;
    }
    Ok(())
}

/// Returns what becomes of permission bits.
pub(in crate::dir) fn kept_bits(wanted: u16) -> u16 {
    bits(wanted & 0o200 == 0)
}

/// Does nothing: directories have no permission bits.
pub(in crate::dir) fn set_directory_bits(_: &OpenDirectory, _: &OsStr, _: u16) -> io::Result<()> {
    Ok(())
}

/// Does nothing: whoever makes a file owns it.
pub(in crate::dir) fn set_owner(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}

/// Does nothing: groups decide nothing.
pub(in crate::dir) fn set_group(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}
