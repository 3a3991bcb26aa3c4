//! The files of a directory on disk: [`DirTree`] reads them, [`ChangeSet::write_in`] changes them.
//!
//! This is for programs that edit files and have no repository. No link is followed. A change that
//! fails is put back, but it isn't safe from a crash in the middle, nor from somebody who changes the
//! same files meanwhile: the program [git-llmpatch](https://crates.io/crates/git-llmpatch) has a
//! journal and locks for that.
//!
//! ```
//! use llmpatch::{Options, apply, fs::DirTree};
//!
//! # let top = tempfile::tempdir()?;
//! # let top = top.path();
//! std::fs::write(top.join("a.txt"), "old\n")?;
//! let response = "*** Begin Patch\n*** Update File: a.txt\n-old\n+new\n*** End Patch\n";
//! let applied = apply("response", response, &DirTree::new(top), &Options::default())?;
//! applied.changes.write_in(top)?;
//! assert_eq!(std::fs::read(top.join("a.txt"))?, b"new\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`ChangeSet::write_in`]: crate::ChangeSet::write_in

mod read;
#[cfg(test)]
mod tests;
mod write;

pub use read::DirTree;
pub use write::WriteError;

use std::fs::Metadata;

/// Returns the permission bits of a file; `None` where the system has none.
#[cfg(unix)]
fn bits(metadata: &Metadata) -> Option<u16> {
    use std::os::unix::fs::PermissionsExt as _;
    Some((metadata.permissions().mode() & 0o7777) as u16)
}

#[cfg(not(unix))]
fn bits(_: &Metadata) -> Option<u16> {
    None
}

/// Gives a file its permission bits, or those of a new file.
#[cfg(unix)]
fn set_mode(file: &std::fs::File, mode: crate::tree::Mode) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let old = file.metadata()?.permissions().mode() as u16;
    let bits = mode
        .bits
        .unwrap_or_else(|| crate::tree::Mode::bits(old, mode.executable));
    file.set_permissions(std::fs::Permissions::from_mode(bits.into()))
}

#[cfg(not(unix))]
fn set_mode(_: &std::fs::File, _: crate::tree::Mode) -> std::io::Result<()> {
    Ok(())
}
