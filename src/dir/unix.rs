//! What Linux and other systems of its kind have in common: calls on a bare name in an open
//! directory. `windows.rs` has the same functions.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use bstr::BString;
use rustix::buffer::spare_capacity;
use rustix::fs::{
    self, AtFlags, FileType, Gid, Mode, OFlags, RenameFlags, Timespec, Timestamps, Uid,
};
use rustix::io::retry_on_intr;

pub(super) use rustix::io::Errno;

use super::SystemPath as _;
use super::system::{HANDLE, open_confined};
use super::{Shape, Stat};
use llmpatch::path::RepoPath;

/// A directory that is open.
pub(super) type OpenDirectory = OwnedFd;

/// How something is opened.
pub(super) type Opening = OFlags;

/// A directory that is to be listed or flushed.
pub(super) const READABLE: Opening = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

/// A directory of ours.
pub(super) const OWN: Opening = HANDLE;

/// A file that is to be read; the other end of a pipe isn't waited for.
pub(super) const READ: Opening = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// A file that is to be made, for writing and reading.
pub(super) const CREATE: Opening = OFlags::RDWR
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::CLOEXEC);

impl From<FileType> for Shape {
    fn from(of: FileType) -> Self {
        match of {
            FileType::RegularFile => Shape::File,
            FileType::Directory => Shape::Directory,
            FileType::Symlink => Shape::Link,
            _ => Shape::Special,
        }
    }
}

#[allow(
    clippy::unnecessary_cast,
    reason = "the types of the fields differ between platforms"
)]
fn stat(stat: &fs::Stat) -> Stat {
    // A link has no permissions, and its type in their place.
    let bits = match FileType::from_raw_mode(stat.st_mode as _) {
        FileType::Symlink => 0o120_000,
        _ => (stat.st_mode & 0o7777) as u16,
    };
    Stat {
        bits,
        size: stat.st_size as u64,
        links: stat.st_nlink as u64,
        device: stat.st_dev as u64,
        inode: stat.st_ino as u64,
        owner: stat.st_uid as u32,
        group: stat.st_gid as u32,
        modified: (stat.st_mtime as i64, stat.st_mtime_nsec as u32),
        changed: (stat.st_ctime as i64, stat.st_ctime_nsec as u32),
    }
}

fn shaped(of: &fs::Stat) -> (Shape, Stat) {
    (FileType::from_raw_mode(of.st_mode as _).into(), stat(of))
}

/// Returns that every name of a path is one that a file can have.
pub(super) fn can_name(_: &RepoPath) -> bool {
    true
}

/// Opens a directory anywhere; links on the way to it are followed.
pub(super) fn open_anywhere(path: &Path) -> Result<OpenDirectory, Errno> {
    retry_on_intr(|| fs::open(path, HANDLE, Mode::empty()))
}

/// Opens a directory by its bare name.
pub(super) fn open_here(
    directory: &OpenDirectory,
    name: &OsStr,
    how: Opening,
) -> Result<OpenDirectory, Errno> {
    retry_on_intr(|| fs::openat(directory, name, how | OFlags::NOFOLLOW, Mode::empty()))
}

/// Opens a directory that is open in another way.
pub(super) fn open_again(directory: &OpenDirectory, how: Opening) -> Result<OpenDirectory, Errno> {
    open_here(directory, OsStr::new("."), how)
}

/// Opens or makes a file by its bare name.
pub(super) fn open_file(
    directory: &OpenDirectory,
    name: &OsStr,
    how: Opening,
    bits: u16,
) -> Result<File, Errno> {
    retry_on_intr(|| fs::openat(directory, name, how | OFlags::NOFOLLOW, mode(bits)))
        .map(File::from)
}

/// Returns the numbers of a file that git keeps.
pub(super) fn number_for_git(stat: &Stat) -> (u64, u64) {
    (stat.device, stat.inode)
}

/// Looks at what is open.
pub(super) fn stat_of(file: impl AsFd) -> Result<(Shape, Stat), Errno> {
    Ok(shaped(&fs::fstat(file)?))
}

/// Looks at what has a name in a directory.
pub(super) fn shape_of(directory: &OpenDirectory, name: &OsStr) -> Result<(Shape, Stat), Errno> {
    let stat = retry_on_intr(|| fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW))?;
    Ok(shaped(&stat))
}

/// Looks at what a path leads to, links on the way followed.
pub(super) fn glance(top: &OpenDirectory, path: &RepoPath) -> Option<Stat> {
    let there = fs::statat(top, path.as_path(), AtFlags::SYMLINK_NOFOLLOW);
    there.ok().map(|there| stat(&there))
}

/// Returns the names in a directory, and what is behind them.
pub(super) fn list(directory: &OpenDirectory) -> io::Result<Vec<(BString, Shape)>> {
    let mut names = Vec::new();
    for entry in fs::Dir::new(open_again(directory, READABLE)?)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if matches!(name, b"." | b"..") {
            continue;
        }
        let shape = match entry.file_type() {
            // Not every file system says; what is gone meanwhile isn't there.
            FileType::Unknown => match shape_of(directory, OsStr::from_bytes(name)) {
                Ok((shape, _)) => shape,
                Err(Errno::NOENT) => continue,
                Err(error) => return Err(error.into()),
            },
            of => Shape::from(of),
        };
        names.push((name.into(), shape));
    }
    Ok(names)
}

/// Makes a directory. The umask takes its share of the bits.
pub(super) fn make_directory(
    directory: &OpenDirectory,
    name: &OsStr,
    bits: u16,
) -> Result<(), Errno> {
    fs::mkdirat(directory, name, mode(bits))
}

/// Removes a file.
pub(super) fn unlink(directory: &OpenDirectory, name: &OsStr) -> Result<(), Errno> {
    fs::unlinkat(directory, name, AtFlags::empty())
}

/// Removes a directory that is empty.
pub(super) fn remove_directory(directory: &OpenDirectory, name: &OsStr) -> Result<(), Errno> {
    fs::unlinkat(directory, name, AtFlags::REMOVEDIR)
}

/// Something by its bare name in a directory.
pub(super) type Named<'n> = (&'n OpenDirectory, &'n OsStr);

/// Makes a symbolic link.
pub(super) fn make_link(at: Named<'_>, target: &[u8]) -> Result<(), Errno> {
    fs::symlinkat(OsStr::from_bytes(target), at.0, at.1)
}

/// Returns where a symbolic link leads.
pub(super) fn read_link(at: Named<'_>) -> Result<Vec<u8>, Errno> {
    Ok(fs::readlinkat(at.0, at.1, Vec::new())?.into_bytes())
}

/// Gives a file a second name.
pub(super) fn link(from: Named<'_>, to: Named<'_>) -> Result<(), Errno> {
    fs::linkat(from.0, from.1, to.0, to.1, AtFlags::empty())
}

/// Gives a file anywhere a second name.
pub(super) fn link_from(file: &Path, to: Named<'_>) -> Result<(), Errno> {
    fs::linkat(fs::CWD, file, to.0, to.1, AtFlags::empty())
}

/// Gives a file a second name anywhere.
pub(super) fn link_to(from: Named<'_>, file: &Path) -> Result<(), Errno> {
    fs::linkat(from.0, from.1, fs::CWD, file, AtFlags::empty())
}

/// Renames something, over whatever file is there.
pub(super) fn rename(from: Named<'_>, to: Named<'_>) -> Result<(), Errno> {
    fs::renameat(from.0, from.1, to.0, to.1)
}

/// Renames something by the call that has flags, whether or not the new name is free.
pub(super) fn rename_with_flags(from: Named<'_>, to: Named<'_>) -> Result<(), Errno> {
    fs::renameat_with(from.0, from.1, to.0, to.1, RenameFlags::empty())
}

/// Renames a file to anywhere, over whatever file is there.
pub(super) fn rename_out(from: Named<'_>, to: &Path) -> Result<(), Errno> {
    fs::renameat(from.0, from.1, fs::CWD, to)
}

/// Renames something to a name that must be free, in one step.
pub(super) fn rename_to_free(from: Named<'_>, to: Named<'_>) -> Result<(), Errno> {
    fs::renameat_with(from.0, from.1, to.0, to.1, RenameFlags::NOREPLACE)
}

/// Puts each of two things in the other's place, in one step.
pub(super) fn exchange(from: Named<'_>, to: Named<'_>) -> Result<(), Errno> {
    fs::renameat_with(from.0, from.1, to.0, to.1, RenameFlags::EXCHANGE)
}

/// Returns whether an error says that the file system doesn't know how.
pub(super) fn is_unsupported(errno: Errno) -> bool {
    [Errno::NOSYS, Errno::INVAL, Errno::NOTSUP, Errno::OPNOTSUPP].contains(&errno)
}

/// Does nothing: an open directory stays what it is.
pub(super) fn has_moved(_: &OpenDirectory, _: Named<'_>) {}

/// Returns what becomes of permission bits.
pub(super) fn kept_bits(wanted: u16) -> u16 {
    wanted
}

/// Opens or makes a file by a path that is confined.
pub(super) fn open_file_confined(
    top: &OpenDirectory,
    path: &OsStr,
    how: Opening,
    bits: u16,
) -> Result<File, Errno> {
    open_confined(top, path, how, bits).map(File::from)
}

/// Sets when a file was written to the last time, in seconds and nanoseconds.
pub(super) fn set_modified(
    directory: &OpenDirectory,
    name: &OsStr,
    (seconds, nanoseconds): (i64, u32),
) -> Result<(), Errno> {
    let last_access = Timespec {
        tv_sec: 0,
        tv_nsec: fs::UTIME_OMIT,
    };
    let last_modification = Timespec {
        tv_sec: seconds,
        tv_nsec: nanoseconds.into(),
    };
    let times = Timestamps {
        last_access,
        last_modification,
    };
    fs::utimensat(directory, name, &times, AtFlags::SYMLINK_NOFOLLOW)
}

/// Sets the permission bits of a file.
pub(super) fn set_bits(file: &File, bits: u16) -> io::Result<()> {
    Ok(fs::fchmod(file, mode(bits))?)
}

/// Sets the permission bits of a directory.
pub(super) fn set_directory_bits(above: &OpenDirectory, name: &OsStr, bits: u16) -> io::Result<()> {
    let directory = open_here(above, name, READABLE)?;
    Ok(fs::fchmod(&directory, mode(bits))?)
}

/// Gives a file to another user.
pub(super) fn set_owner(file: &File, owner: u32) -> io::Result<()> {
    Ok(fs::fchown(file, Some(Uid::from_raw(owner)), None)?)
}

/// Gives a file to another group.
pub(super) fn set_group(file: &File, group: u32) -> io::Result<()> {
    Ok(fs::fchown(file, None, Some(Gid::from_raw(group)))?)
}

/// Returns whether this process runs in a directory.
pub(super) fn is_current(directory: &OpenDirectory) -> io::Result<bool> {
    let there = fs::fstat(directory)?;
    let here = fs::stat(".");
    Ok(here.is_ok_and(|here| (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)))
}

/// Reads once, as much as there is room for. Returns how many bytes that were.
pub(super) fn read_once(file: &File, bytes: &mut Vec<u8>) -> io::Result<usize> {
    Ok(retry_on_intr(|| {
        rustix::io::read(file, spare_capacity(bytes))
    })?)
}

#[allow(
    clippy::useless_conversion,
    reason = "the width of a mode differs between platforms"
)]
fn mode(bits: u16) -> Mode {
    Mode::from_raw_mode(bits.into())
}
