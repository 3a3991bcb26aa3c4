//! Windows: what `unix.rs`, `linux.rs` and `portable.rs` have elsewhere.
//!
//! There is no call here on a bare name in an open directory that is to be had without unsafe code.
//! So a name is put behind the path of its directory, and the directory can't be moved away or
//! replaced meanwhile: it and all directories above it, up to the top, are open in a way that the
//! system lets nobody rename or remove them. None is opened through a link, a junction or any other
//! reparse point that stands for another place.
//!
//! A name is taken only if it names just one file in its directory: no device, no stream, no short
//! name, nothing at whose end the system would drop characters.

#[path = "windows/access_list.rs"]
mod access_list;
#[path = "windows/change.rs"]
mod change;
#[path = "windows/names.rs"]
mod names;

use std::cell::RefCell;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::os::windows::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use bstr::BString;
use winapi_util::file::{Information, information};

pub(super) use self::access_list::{attributes, give_attributes};
pub(super) use self::change::*;
pub(super) use self::names::can_name;
use self::names::checked;
pub(super) use super::unasked::*;
use super::{Shape, Stat};
use crate::system::{OsStrExt as _, unix_time};
use llmpatch::path::RepoPath;

/// A directory that is open.
#[derive(Debug)]
pub(super) struct OpenDirectory {
    file: Rc<File>,
    /// The directories above it, so that none of them is moved.
    _above: Vec<Rc<File>>,
    path: RefCell<PathBuf>,
}

/// How something is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    /// A directory that nobody may rename meanwhile.
    Held,
    /// A directory of ours.
    Own,
    /// A file that is to be read.
    Read,
    /// A file that is to be made.
    Create,
}

pub(super) const HANDLE: Opening = Opening::Held;
pub(super) const READABLE: Opening = Opening::Held;
pub(super) const NAME: Opening = Opening::Read;
pub(super) const OWN: Opening = Opening::Own;
pub(super) const READ: Opening = Opening::Read;
pub(super) const CREATE: Opening = Opening::Create;

/// An error's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Errno(i32);

#[allow(missing_docs, reason = "the names are those of other systems")]
impl Errno {
    pub(super) const NOENT: Self = Self(2);
    pub(super) const XDEV: Self = Self(17);
    pub(super) const NODEV: Self = Self(20);
    pub(super) const NOSYS: Self = Self(50);
    pub(super) const NXIO: Self = Self(55);
    pub(super) const INVAL: Self = Self(87);
    pub(super) const NOSPC: Self = Self(112);
    pub(super) const NAME: Self = Self(123);
    pub(super) const EXIST: Self = Self(183);
    pub(super) const NAMETOOLONG: Self = Self(206);
    pub(super) const NOTDIR: Self = Self(267);
    pub(super) const MLINK: Self = Self(1142);
    pub(super) const LOOP: Self = Self(1921);
}

impl From<Errno> for io::Error {
    fn from(errno: Errno) -> Self {
        io::Error::from_raw_os_error(errno.0)
    }
}

impl From<io::Error> for Errno {
    fn from(error: io::Error) -> Self {
        // Some things have two numbers.
        match error.raw_os_error().unwrap_or(Self::INVAL.0) {
            3 => Self::NOENT,
            39 => Self::NOSPC,
            80 => Self::EXIST,
            number => Self(number),
        }
    }
}

const LIST_DIRECTORY: u32 = 0x1;
const READ_ATTRIBUTES: u32 = 0x80;
const WRITE_ATTRIBUTES: u32 = 0x100;
const DELETE: u32 = 0x1_0000;
const WRITE_ACCESS_LIST: u32 = 0x4_0000;
const GENERIC_READ: u32 = 0x8000_0000;
const GENERIC_WRITE: u32 = 0x4000_0000;
const SHARE_READ_AND_WRITE: u32 = 0x3;
const SHARE_ALL: u32 = 0x7;
/// Opens directories, too.
const BACKUP_SEMANTICS: u32 = 0x0200_0000;
/// Opens a link, not what it leads to.
const OPEN_REPARSE_POINT: u32 = 0x0020_0000;

const IS_READ_ONLY: u64 = 0x1;
const IS_DIRECTORY: u64 = 0x10;
const IS_REPARSE_POINT: u64 = 0x400;

/// What is open.
pub(super) trait Open {
    fn file(&self) -> &File;
    fn is_directory(&self) -> bool;
}

impl Open for File {
    fn file(&self) -> &File {
        self
    }

    fn is_directory(&self) -> bool {
        false
    }
}

impl Open for OpenDirectory {
    fn file(&self) -> &File {
        &self.file
    }

    fn is_directory(&self) -> bool {
        true
    }
}

impl OpenDirectory {
    /// Returns the path of something in it.
    fn child(&self, name: &OsStr) -> Result<PathBuf, Errno> {
        let name = checked(name)?;
        Ok(self.path.borrow().join(name))
    }

    /// Returns the path of something that is in it: nothing has a name that no file has.
    fn there(&self, name: &OsStr) -> Result<PathBuf, Errno> {
        self.child(name).map_err(|_| Errno::NOENT)
    }
}

/// Returns whether a name by which something was found is short for another: then it isn't in the
/// list of names.
fn is_short(directory: &OpenDirectory, name: &OsStr) -> bool {
    let lowercase = |name: &OsStr| name.to_string_lossy().to_lowercase();
    name.as_bytes().contains(&b'~')
        && fs::read_dir(&*directory.path.borrow()).is_ok_and(|entries| {
            let mut names = entries.flatten().map(|entry| entry.file_name());
            !names.any(|one| lowercase(&one) == lowercase(name))
        })
}

fn open(path: &Path, access: u32, share: u32, flags: u32) -> io::Result<File> {
    OpenOptions::new()
        .access_mode(access)
        .share_mode(share)
        .custom_flags(flags)
        .open(path)
}

/// Does something again for a moment where another program, such as a virus scanner, has the file
/// open.
fn patiently<T>(mut action: impl FnMut() -> io::Result<T>) -> Result<T, Errno> {
    const ACCESS_DENIED: i32 = 5;
    const SHARING_VIOLATION: i32 = 32;
    // As long as git for Windows waits.
    for pause in [1, 10, 20, 40] {
        match action() {
            Err(error)
                if matches!(
                    error.raw_os_error(),
                    Some(ACCESS_DENIED | SHARING_VIOLATION)
                ) =>
            {
                thread::sleep(Duration::from_millis(pause));
            }
            done => return Ok(done?),
        }
    }
    Ok(action()?)
}

fn shaped(file: &File) -> io::Result<(Shape, Stat)> {
    let seen = information(file)?;
    let attributes = seen.file_attributes();
    let is_link = || -> io::Result<bool> {
        let of = file.metadata()?.file_type();
        Ok(of.is_symlink() || of.is_symlink_dir() || of.is_symlink_file())
    };
    let shape = if attributes & IS_REPARSE_POINT != 0 && is_link()? {
        Shape::Link
    } else if attributes & IS_DIRECTORY != 0 {
        Shape::Directory
    } else if winapi_util::file::typ(file)?.is_disk() {
        Shape::File
    } else {
        Shape::Special
    };
    Ok((shape, stat(&seen, shape)))
}

fn stat(seen: &Information, shape: Shape) -> Stat {
    let is_read_only = seen.file_attributes() & IS_READ_ONLY != 0;
    Stat {
        bits: match shape {
            Shape::Directory => 0o700,
            _ => bits(is_read_only),
        },
        size: seen.file_size(),
        links: seen.number_of_links(),
        device: seen.volume_serial_number(),
        inode: seen.file_index(),
        owner: 0,
        group: 0,
        modified: unix_time(seen.last_write_time()),
        changed: unix_time(seen.creation_time()),
    }
}

fn bits(is_read_only: bool) -> u16 {
    if is_read_only { 0o444 } else { 0o644 }
}

/// Fails: the system can't confine what is opened, so paths are followed part by part.
pub(super) fn open_top(_: &Path) -> Result<OpenDirectory, Errno> {
    Err(Errno::NOSYS)
}

/// Fails: the system can't do it.
pub(super) fn open_confined(
    _: &OpenDirectory,
    _: &OsStr,
    _: Opening,
    _: u16,
) -> Result<OpenDirectory, Errno> {
    Err(Errno::NOSYS)
}

/// Fails: the system can't do it.
pub(super) fn open_file_confined(
    _: &OpenDirectory,
    _: &OsStr,
    _: Opening,
    _: u16,
) -> Result<File, Errno> {
    Err(Errno::NOSYS)
}

/// Opens a directory anywhere; links on the way to it are followed.
pub(super) fn open_anywhere(path: &Path) -> Result<OpenDirectory, Errno> {
    // That also makes it one that may have any length.
    opened(path.canonicalize()?, HANDLE, Vec::new())
}

fn opened(path: PathBuf, how: Opening, above: Vec<Rc<File>>) -> Result<OpenDirectory, Errno> {
    let share = match how {
        Opening::Own => SHARE_ALL,
        _ => SHARE_READ_AND_WRITE,
    };
    let access = LIST_DIRECTORY | READ_ATTRIBUTES;
    let flags = BACKUP_SEMANTICS | OPEN_REPARSE_POINT;
    let file = patiently(|| open(&path, access, share, flags))?;
    match shaped(&file)?.0 {
        Shape::Directory => Ok(OpenDirectory {
            file: Rc::new(file),
            _above: above,
            path: RefCell::new(path),
        }),
        Shape::Link => Err(Errno::LOOP),
        Shape::File | Shape::Special => Err(Errno::NOTDIR),
    }
}

/// Opens a directory by its bare name.
pub(super) fn open_here(
    directory: &OpenDirectory,
    name: &OsStr,
    how: Opening,
) -> Result<OpenDirectory, Errno> {
    let mut above = directory._above.clone();
    above.push(Rc::clone(&directory.file));
    let found = opened(directory.there(name)?, how, above)?;
    if is_short(directory, name) {
        return Err(Errno::NAME);
    }
    Ok(found)
}

/// Opens a directory that is open in another way.
pub(super) fn open_again(directory: &OpenDirectory, _: Opening) -> Result<OpenDirectory, Errno> {
    Ok(OpenDirectory {
        file: Rc::clone(&directory.file),
        _above: directory._above.clone(),
        path: directory.path.clone(),
    })
}

/// Opens or makes a file by its bare name.
pub(super) fn open_file(
    directory: &OpenDirectory,
    name: &OsStr,
    how: Opening,
    _: u16,
) -> Result<File, Errno> {
    if how == Opening::Create {
        return Ok(create(&directory.child(name)?)?);
    }
    let path = directory.there(name)?;
    let flags = BACKUP_SEMANTICS | OPEN_REPARSE_POINT;
    let file = open(&path, GENERIC_READ, SHARE_ALL, flags)?;
    if is_short(directory, name) {
        return Err(Errno::NAME);
    }
    let seen = information(&file)?;
    if seen.file_attributes() & IS_REPARSE_POINT == 0 {
        return Ok(file);
    }
    match shaped(&file)?.0 {
        Shape::Link => Err(Errno::LOOP),
        // What is kept elsewhere, as by a cloud or without duplicates, is a file for all others.
        Shape::File => {
            let content = open(&path, GENERIC_READ, SHARE_ALL, BACKUP_SEMANTICS)?;
            let number = |seen: &Information| (seen.volume_serial_number(), seen.file_index());
            if number(&information(&content)?) == number(&seen) {
                Ok(content)
            } else {
                Err(Errno::LOOP)
            }
        }
        _ => Ok(file),
    }
}

/// Makes a file whose access list can be set, if whoever makes a file there may do that.
fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let access = GENERIC_READ | GENERIC_WRITE;
    match options.access_mode(access | WRITE_ACCESS_LIST).open(path) {
        // The permissions of a share may forbid it.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            options.access_mode(access).open(path)
        }
        made => made,
    }
}

/// Returns the numbers of a file that git keeps: none.
pub(super) fn number_for_git(_: &Stat) -> (u64, u64) {
    (0, 0)
}

/// Looks at what is open.
pub(super) fn stat_of(of: &impl Open) -> Result<(Shape, Stat), Errno> {
    Ok(shaped(of.file())?)
}

/// Looks at what has a name in a directory.
pub(super) fn shape_of(directory: &OpenDirectory, name: &OsStr) -> Result<(Shape, Stat), Errno> {
    let found = look(&directory.there(name)?)?;
    if is_short(directory, name) {
        return Err(Errno::NAME);
    }
    Ok(found)
}

fn look(path: &Path) -> io::Result<(Shape, Stat)> {
    let flags = BACKUP_SEMANTICS | OPEN_REPARSE_POINT;
    shaped(&open(path, READ_ATTRIBUTES, SHARE_ALL, flags)?)
}

/// Looks at what a path leads to, links on the way followed.
pub(super) fn glance(top: &OpenDirectory, path: &RepoPath) -> Option<Stat> {
    let mut whole = top.path.borrow().clone();
    for part in path.parts() {
        whole.push(checked(OsStr::from_bytes(part)).ok()?);
    }
    Some(look(&whole).ok()?.1)
}

/// Returns the names in a directory, and what is behind them.
pub(super) fn list(directory: &OpenDirectory) -> io::Result<Vec<(BString, Shape)>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(&*directory.path.borrow())? {
        let entry = entry?;
        let of = entry.file_type()?;
        let shape = if of.is_symlink() {
            Shape::Link
        } else if of.is_dir() {
            Shape::Directory
        } else {
            Shape::File
        };
        names.push((entry.file_name().into_encoded_bytes().into(), shape));
    }
    Ok(names)
}

/// Returns whether this process runs in a directory.
pub(super) fn is_current(directory: &OpenDirectory) -> io::Result<bool> {
    let there = stat_of(directory)?.1;
    let here = look(Path::new("."));
    Ok(here.is_ok_and(|(_, here)| (here.device, here.inode) == (there.device, there.inode)))
}

/// Reads as much as there is room for. Returns how many bytes that were.
pub(super) fn read_once(file: &File, bytes: &mut Vec<u8>) -> io::Result<usize> {
    let room = bytes.capacity() - bytes.len();
    file.take(room as u64).read_to_end(bytes)
}

/// Does nothing: the system writes down by itself which names there are, and [`hand_over`] the
/// content.
pub(super) fn flush_file_system(_: OpenDirectory) -> io::Result<()> {
    Ok(())
}

/// Waits until the content of a new file is on the disk.
pub(super) fn hand_over(file: &File) -> io::Result<()> {
    file.sync_all()
}

/// Waits until a file is on the disk.
pub(super) fn flush(of: &impl Open) -> io::Result<()> {
    if of.is_directory() {
        Ok(())
    } else {
        of.file().sync_all()
    }
}
