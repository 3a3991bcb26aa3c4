//! What must be on the disk before what, should the power go: `llmpatch.fsync`, true if not set.
//!
//! Three times: new contents and originals' names before the manifest, the manifest before the first visible change, and all
//! of that before the manifest's end. A whole file system is flushed at once where the system can do that, for what is much
//! cheaper than file by file; each call costs a few milliseconds at most where nothing else is written.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::dir::write::step;
use crate::repo::Config;

/// Whether to wait for the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flush {
    /// Yes, so that not even a loss of power tears a change.
    Always,
    /// No; a killed process still tears nothing.
    Never,
}

impl Flush {
    pub(super) fn from_config(config: &Config) -> Result<Self, crate::repo::Fault> {
        Ok(if config.bool("llmpatch.fsync")?.unwrap_or(true) { Flush::Always } else { Flush::Never })
    }

    /// Waits until a file is on the disk.
    pub(super) fn file(self, file: &File) -> io::Result<()> {
        if self == Flush::Never {
            return Ok(());
        }
        step("flush a file")?;
        file.sync_all()
    }

    /// Waits until the names in folders are on the disk.
    pub(super) fn folders(self, folders: &[&Path]) -> io::Result<()> {
        if self == Flush::Never {
            return Ok(());
        }
        for folder in folders {
            step("flush a folder")?;
            File::open(folder)?.sync_all()?;
        }
        Ok(())
    }

    /// Waits until all that was written to the file systems of these folders is on the disk.
    pub(super) fn everything_around(self, folders: &[&Path]) -> io::Result<()> {
        use std::os::unix::fs::MetadataExt as _;
        if self == Flush::Never {
            return Ok(());
        }
        let mut devices = Vec::new();
        for folder in folders {
            let device = std::fs::metadata(folder)?.dev();
            if !devices.contains(&device) {
                devices.push(device);
                step("flush a file system")?;
                #[cfg(target_os = "linux")]
                rustix::fs::syncfs(File::open(folder)?)?;
                #[cfg(not(target_os = "linux"))]
                rustix::fs::sync();
            }
        }
        Ok(())
    }
}
