//! The index before a change and after it, kept in the change's journal.

use std::io;
use std::path::Path;

use super::journal::{Journal, plain};
use crate::dir::Found;
use crate::dir::write::step;

impl Journal {
    /// Keeps the index that is about to be replaced and its replacement, each by a second name.
    pub(super) fn keep_indexes(&self, index: &Path, next: &Path) -> io::Result<()> {
        for name in ["index.new", "index.old"] {
            // Of an attempt that came to nothing.
            self.dir().discard(&plain(name));
        }
        step("keep the old index")?;
        match self.second_name(index, "index.old") {
            // There is none, then.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            done => done?,
        }
        step("keep the next index")?;
        self.second_name(next, "index.new")
    }

    /// Gives a file a second name here; where there are no hard links, or not from there to here, a
    /// copy.
    fn second_name(&self, of: &Path, name: &str) -> io::Result<()> {
        match self.dir().link_from(of, &plain(name)) {
            Err(error)
                if !matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists
                ) =>
            {
                self.dir().put(&plain(name), &std::fs::read(of)?).map(drop)
            }
            done => done,
        }
    }

    /// Returns whether an index is what was kept under a name.
    pub(super) fn is_index(&self, index: &Path, kept: &str) -> io::Result<bool> {
        let Some((kept, _)) = self.dir().read(&plain(kept))? else {
            return Ok(false);
        };
        match std::fs::read(index) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            now => Ok(now? == *kept),
        }
    }

    /// Returns whether an index is neither the old index, unless that was put back, nor its
    /// replacement.
    pub(super) fn is_index_other(&self, index: &Path) -> io::Result<bool> {
        let is_kept = matches!(self.dir().look(&plain("index.old"))?, Found::File(_));
        Ok(is_kept && !self.is_index(index, "index.old")? && !self.is_index(index, "index.new")?)
    }

    /// Puts the old index back, if ours is in its place.
    pub(super) fn restore_index(&self, index: &Path) -> io::Result<()> {
        if !self.is_index(index, "index.new")? || self.is_index(index, "index.old")? {
            return Ok(());
        }
        let old = plain("index.old");
        match self.dir().look(&old)? {
            Found::File(_) => {}
            Found::Absent => {
                step("remove the index")?;
                return std::fs::remove_file(index);
            }
            _ => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "what is kept of it is no file",
                ));
            }
        }
        step("put the index back")?;
        match self.dir().rename_over(&old, index) {
            // On another file system there is no way but to write it anew.
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                let draft = self.beside(index);
                std::fs::copy(self.path_of("index.old"), &draft)?;
                std::fs::rename(&draft, index)
            }
            done => done,
        }
    }
}
