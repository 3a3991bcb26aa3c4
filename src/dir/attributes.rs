//! Access lists and extended attributes, on Linux and macOS.

use std::fs::File;
use std::io;

use rustix::buffer::spare_capacity;
use rustix::fs::{XattrFlags, fgetxattr, fgetxattr_query, flistxattr, flistxattr_query, fsetxattr};

#[cfg(target_os = "macos")]
use super::access_list;
use super::rights::{Attributes, Lost};
use super::system::Errno;

/// The name of the access list. On Linux it is an attribute; on macOS it isn't, and no attribute
/// has this name, since those are UTF-8.
const ACCESS: &[u8] = if cfg!(target_os = "macos") {
    b"\xff"
} else {
    b"system.posix_acl_access"
};

/// What the names of a user's own attributes begin with. macOS hides those that it has for itself.
const OWN: &[u8] = if cfg!(target_os = "macos") {
    b""
} else {
    b"user."
};

/// The most that Linux has of names, and of a value.
const MOST: usize = 1 << 16;

/// Returns the access list and the user's own attributes of a file.
pub(super) fn attributes(file: &File) -> io::Result<Attributes> {
    let mut attributes = Attributes::new();
    for name in names(file)?.split(|byte| *byte == 0) {
        let is_own = !name.is_empty() && name.starts_with(OWN);
        if is_own || name == ACCESS {
            match value(file, name) {
                Err(error) if is_of_the_system(&error) => {}
                read => attributes.push((name.to_vec(), read.ok())),
            }
        }
    }
    Ok(attributes)
}

/// Gives a new file an access list and attributes, and takes away the access list that it has by
/// its directory. Returns whether it was changed by that, and what it doesn't have.
pub(super) fn give_attributes(attributes: &Attributes, to: &File) -> io::Result<(bool, Vec<Lost>)> {
    let mut lost = Vec::new();
    let mut is_changed = !attributes.is_empty();
    // A directory's list is for files that are new. That of macOS may forbid to set attributes.
    let is_replaced = attributes.iter().any(|(name, _)| name == ACCESS);
    if (!is_replaced || cfg!(target_os = "macos"))
        && names(to)?
            .split(|byte| *byte == 0)
            .any(|name| name == ACCESS)
    {
        is_changed = true;
        lost.extend(remove_list(to).is_err().then_some(Lost::AccessList));
    }
    for (name, value) in attributes {
        let is_given = match value.as_ref().map(|value| set(to, name, value)) {
            Some(Err(error)) => name != ACCESS && is_of_the_system(&error),
            given => given.is_some(),
        };
        if !is_given {
            lost.push(if name == ACCESS {
                Lost::AccessList
            } else {
                Lost::Attributes
            });
        }
    }
    lost.sort_unstable();
    lost.dedup();
    Ok((is_changed, lost))
}

/// Returns the names of the access list and all attributes of a file, each with a NUL behind it.
fn names(file: &File) -> io::Result<Vec<u8>> {
    let mut list = Vec::new();
    match flistxattr_query(file) {
        // Most have none, and room for them would be got for nothing.
        Ok(0) => {}
        Err(errno) if [Errno::NOTSUP, Errno::OPNOTSUPP, Errno::NOSYS].contains(&errno) => {}
        _ => {
            list.reserve_exact(MOST);
            flistxattr(file, spare_capacity(&mut list))?;
        }
    }
    #[cfg(target_os = "macos")]
    if access_list::read(file)?.is_some() {
        list.extend([ACCESS, b"\0"].concat());
    }
    Ok(list)
}

/// Returns the access list of a file, or the value of an attribute.
fn value(file: &File, name: &[u8]) -> io::Result<Vec<u8>> {
    #[cfg(target_os = "macos")]
    if name == ACCESS {
        return Ok(access_list::read(file)?.unwrap_or_default());
    }
    let mut value = Vec::with_capacity(MOST);
    match fgetxattr(file, name, spare_capacity(&mut value)) {
        // macOS has longer values, of which it may read the beginning alone.
        Ok(MOST) | Err(Errno::RANGE) => {
            value = Vec::with_capacity(fgetxattr_query(file, name)?);
            fgetxattr(file, name, spare_capacity(&mut value))?;
        }
        read => _ = read?,
    }
    Ok(value)
}

/// Gives a file an access list or an attribute.
fn set(file: &File, name: &[u8], value: &[u8]) -> io::Result<()> {
    #[cfg(target_os = "macos")]
    if name == ACCESS {
        return access_list::write(file, value);
    }
    Ok(fsetxattr(file, name, value, XattrFlags::empty())?)
}

/// Takes its access list from a file.
fn remove_list(file: &File) -> io::Result<()> {
    #[cfg(target_os = "macos")]
    return access_list::write(file, b"");
    #[cfg(not(target_os = "macos"))]
    Ok(rustix::fs::fremovexattr(file, ACCESS)?)
}

/// Returns whether an error says that an attribute isn't a user's. macOS gives files some, such as
/// `com.apple.provenance`, that only it may read or set, whosever the file is.
fn is_of_the_system(error: &io::Error) -> bool {
    cfg!(target_os = "macos") && error.kind() == io::ErrorKind::PermissionDenied
}
