//! The access list of a file, which its successor gets if it is the file's own.

use std::fs::File;
use std::io;
use std::os::windows::io::AsHandle as _;

use windows_permissions::constants::{SeObjectType, SecurityInformation};
use windows_permissions::wrappers::{
    ConvertSecurityDescriptorToStringSecurityDescriptor, GetSecurityInfo, SetSecurityInfo,
};
use windows_permissions::{LocalBox, SecurityDescriptor};

use super::{Errno, is_unsupported};
use crate::dir::rights::{Attributes, Lost};
use crate::dir::sddl::{is_kept, is_own, is_protected};

const NAME: &[u8] = b"access list";
const FILE: SeObjectType = SeObjectType::SE_FILE_OBJECT;
const LIST: SecurityInformation = SecurityInformation::Dacl;

/// Returns the access list of a file if it is the file's own. There are no other attributes.
#[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
pub(in crate::dir) fn attributes(file: &File) -> io::Result<Attributes> {
    Ok(match read(file).map_err(Errno::from) {
        Ok(list) if is_own(&list) => vec![(NAME.to_vec(), Some(list.into_bytes()))],
        Err(errno) if !is_unsupported(errno) => vec![(NAME.to_vec(), None)],
        _ => Attributes::new(),
    })
}

/// Gives a new file an access list. Returns whether it was changed by that, and what it doesn't
/// have.
#[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
pub(in crate::dir) fn give_attributes(
    attributes: &Attributes,
    to: &File,
) -> io::Result<(bool, Vec<Lost>)> {
    let is_given = attributes.iter().all(|(_, list)| {
        let list = list.as_ref().and_then(|list| str::from_utf8(list).ok());
        list.is_some_and(|list| give(to, list).is_ok_and(|is_given| is_given))
    });
    let lost = (!is_given).then_some(Lost::AccessList);
    Ok((!attributes.is_empty(), Vec::from_iter(lost)))
}

/// Gives a file an access list. Returns whether it has that afterwards.
///
/// The system adds entries of the directory, unless the file is protected from that. Where the list
/// had none of these, though it wasn't protected, the new file is: nobody gets in by them.
fn give(file: &File, list: &str) -> io::Result<bool> {
    // File systems that have the same list for all files take no other.
    if is_kept(list, &read(file)?) {
        return Ok(true);
    }
    write(file, list, is_protected(list))?;
    if is_kept(list, &read(file)?) {
        return Ok(true);
    }
    write(file, list, true)?;
    Ok(is_kept(list, &read(file)?))
}

fn read(file: &File) -> io::Result<String> {
    let found = GetSecurityInfo(file, FILE, LIST)?;
    let list = ConvertSecurityDescriptorToStringSecurityDescriptor(&found, LIST)?;
    list.into_string().map_err(|_| Errno::INVAL.into())
}

fn write(file: &File, list: &str, is_protected: bool) -> io::Result<()> {
    let protection = if is_protected {
        SecurityInformation::ProtectedDacl
    } else {
        SecurityInformation::UnprotectedDacl
    };
    let list: LocalBox<SecurityDescriptor> = list.parse()?;
    // Without a list everybody might do everything.
    let list = list.dacl().ok_or(Errno::INVAL)?;
    let mut file = file.as_handle();
    SetSecurityInfo(
        &mut file,
        FILE,
        LIST | protection,
        None,
        None,
        Some(list),
        None,
    )
}
