//! Putting pages and scripts where the user's own prefix has them: the one thing that is written outside of a repository.

use std::env;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::error::IoError;
use super::exit::Exit;
use super::flow;
use super::output;
use crate::text::Shown;

/// A file to put in place.
pub(super) struct Piece {
    /// Its name, with the directories below the one that all go into.
    pub(super) name: &'static str,
    /// What it holds.
    pub(super) content: Vec<u8>,
}

/// The directories of the user who runs us.
pub(super) struct Home {
    directory: PathBuf,
}

impl Home {
    /// Finds it, if the environment names it.
    pub(super) fn find() -> Option<Home> {
        directory("HOME").map(|directory| Home { directory })
    }

    /// Returns where the user's programs keep data.
    pub(super) fn data(&self) -> PathBuf {
        directory("XDG_DATA_HOME").unwrap_or_else(|| self.directory.join(".local/share"))
    }

    /// Returns where the user's programs keep configuration.
    pub(super) fn config(&self) -> PathBuf {
        directory("XDG_CONFIG_HOME").unwrap_or_else(|| self.directory.join(".config"))
    }

    /// Returns where bash-completion looks for the user's own scripts.
    pub(super) fn bash_completions(&self) -> PathBuf {
        directory("BASH_COMPLETION_USER_DIR").unwrap_or_else(|| self.data().join("bash-completion")).join("completions")
    }

    /// Returns where `man` looks for pages of a program that stands where this one does: in `share/man` beside its `bin`, if
    /// that is the user's own; else in the user's data.
    pub(super) fn manual(&self) -> PathBuf {
        let own = env::current_exe().ok().and_then(|program| {
            let bin = program.parent().filter(|directory| directory.ends_with("bin"))?;
            let prefix = bin.parent()?;
            prefix.starts_with(&self.directory).then(|| prefix.join("share/man"))
        });
        own.unwrap_or_else(|| self.data().join("man"))
    }
}

/// Returns the directory that a variable names; one that isn't absolute counts for nothing, as the XDG rules want it.
fn directory(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Puts pieces into a directory, and says where they are and what else there is to do.
pub(super) fn install(directory: &Path, pieces: &[Piece], advice: &str) -> Exit {
    let installed = || -> Result<(), anyhow::Error> {
        let shown = |path: &Path| Shown(path.as_os_str().as_bytes()).to_string();
        for Piece { name, content } in pieces {
            let path = directory.join(name);
            let directory = path.parent().unwrap_or(directory);
            fs::create_dir_all(directory)
                .with_context(|| format!("can't make the directory `{}`", shown(directory)))?;
            // Renamed into place, so that a shell that starts meanwhile never reads half of it.
            let mut file = tempfile::NamedTempFile::new_in(directory)
                .with_context(|| format!("can't write `{}`", shown(&path)))?;
            std::io::Write::write_all(&mut file, content).with_context(|| format!("can't write `{}`", shown(&path)))?;
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
            file.as_file().set_permissions(mode).with_context(|| format!("can't write `{}`", shown(&path)))?;
            file.persist(&path).with_context(|| format!("can't write `{}`", shown(&path)))?;
        }
        Ok(())
    };
    match installed() {
        Ok(()) => {
            let lines = pieces.iter().map(|piece| directory.join(piece.name));
            let lines: String = lines.map(|path| format!("{}\n", Shown(path.as_os_str().as_bytes()))).collect();
            let told = flow::said(output::print(lines.as_bytes()));
            output::complain(&format!("{advice}\n"));
            told
        }
        Err(error) => flow::said(Err(IoError::from(error))),
    }
}
