//! Files and directories that are only for this run: nobody else can open them, whatever the umask,
//! and they go with it, also if a signal ends it.
//!
//! This is the only place that makes them. What is to outlive a run, the journal, isn't made here,
//! and bytes that can go through a pipe need none.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile, TempDir};

use crate::signal::{Listed, listed};
use crate::system::{link_program, make_directories, permissions, with_bits};

/// A directory that is empty at first.
#[derive(Debug)]
pub(crate) struct Directory {
    made: TempDir,
    _listed: Listed,
}

impl Directory {
    /// Makes a directory in the directory for temporary files.
    pub(crate) fn new() -> io::Result<Self> {
        let mut builder = Builder::new();
        allow(&mut builder, 0o700);
        let (made, _listed) = listed(|| builder.tempdir())?;
        Ok(Self { made, _listed })
    }

    pub(crate) fn path(&self) -> &Path {
        self.made.path()
    }

    /// Makes a directory in it, if it isn't there.
    pub(crate) fn make(&self, directory: impl AsRef<Path>) -> io::Result<()> {
        make_directories(&self.path().join(directory), 0o700)
    }

    /// Makes a file in it, for writing.
    pub(crate) fn create(&self, name: impl AsRef<Path>) -> io::Result<fs::File> {
        create(&self.path().join(name), 0o600)
    }

    /// Writes a file in it, and the directories above that. Returns its path.
    pub(crate) fn write(&self, name: impl AsRef<Path>, bytes: &[u8]) -> io::Result<PathBuf> {
        let name = name.as_ref();
        name.parent().map_or(Ok(()), |above| self.make(above))?;
        self.create(name)?.write_all(bytes)?;
        Ok(self.path().join(name))
    }
}

/// Opens a file for writing from its start; if it is new, it has these permission bits but for the
/// umask's.
pub(crate) fn create(path: &Path, bits: u32) -> io::Result<fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    with_bits(&mut options, bits).open(path)
}

/// A file under a name that nobody else has.
#[derive(Debug)]
pub(crate) struct TempFile {
    made: NamedTempFile,
    _listed: Listed,
}

impl TempFile {
    /// Makes a file in the directory for temporary files, whose name begins and ends like this.
    pub(crate) fn new(start: &str, end: &str) -> io::Result<Self> {
        let (made, _listed) = listed(|| Builder::new().prefix(start).suffix(end).tempfile())?;
        Ok(Self { made, _listed })
    }

    /// Makes a file in the directory of the file whose place it is to take, with that file's permission
    /// bits but for the umask's.
    pub(crate) fn beside(directory: &Path, prefix: &str, bits: u32) -> io::Result<Self> {
        let mut builder = Builder::new();
        allow(builder.prefix(prefix), bits);
        let (made, _listed) = listed(|| builder.tempfile_in(directory))?;
        Ok(Self { made, _listed })
    }

    /// Makes a file of this name, which nothing has yet, with these permission bits but for the
    /// umask's.
    pub(crate) fn called(directory: &Path, name: &str, bits: u32) -> io::Result<Self> {
        let mut builder = Builder::new();
        allow(builder.prefix(name).rand_bytes(0), bits);
        let (made, _listed) = listed(|| builder.tempfile_in(directory))?;
        Ok(Self { made, _listed })
    }

    pub(crate) fn path(&self) -> &Path {
        self.made.path()
    }

    /// Returns the open file.
    pub(crate) fn as_file(&self) -> &fs::File {
        self.made.as_file()
    }

    /// Renames it, over what is there.
    pub(crate) fn rename(self, to: &Path) -> io::Result<()> {
        self.made.persist(to).map(drop).map_err(|error| error.error)
    }
}

/// Sets the permission bits of what is made.
fn allow(builder: &mut Builder<'_, '_>, bits: u32) {
    if let Some(permissions) = permissions(bits) {
        builder.permissions(permissions);
    }
}

/// Puts a link to a program in the place of whatever is there, in one step.
pub(crate) fn replace_by_link(link: &Path, to: &Path) -> io::Result<()> {
    let directory = link.parent().unwrap_or(Path::new("."));
    let make = |path: &Path| link_program(to, path);
    let (made, _listed) = listed(|| Ok(Builder::new().make_in(directory, make)?.into_temp_path()))?;
    made.persist(link).map_err(|error| error.error)
}

impl Write for TempFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.made.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.made.flush()
    }
}
