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

    /// Returns where the user's own programs are: beside this one, if that is in the user's home.
    pub(super) fn programs(&self) -> PathBuf {
        let own = self.prefix().map(|prefix| prefix.join("bin"));
        own.unwrap_or_else(|| self.directory.join(".local/bin"))
    }

    /// Returns the directory in whose `bin` this program is, if it is in the user's home.
    fn prefix(&self) -> Option<PathBuf> {
        let program = env::current_exe().ok()?;
        let prefix = program.parent().filter(|directory| directory.ends_with("bin"))?.parent()?;
        prefix.starts_with(&self.directory).then(|| prefix.to_owned())
    }

    /// Returns where `man` looks for pages of a program that stands where this one does: in `share/man` beside its `bin`, if
    /// that is the user's own; else in the user's data.
    pub(super) fn manual(&self) -> PathBuf {
        self.prefix().map_or_else(|| self.data().join("man"), |prefix| prefix.join("share/man"))
    }
}

/// Links this program under another name in a directory, beside the name that it has, and says where; a link of that name is replaced.
pub(super) fn link(directory: &Path, name: &str) -> Exit {
    let linked = || -> Result<PathBuf, anyhow::Error> {
        let link = directory.join(name);
        let shown = Shown(link.as_os_str().as_bytes()).to_string();
        let program = env::current_exe().context("can't tell where this program is")?;
        fs::create_dir_all(directory).with_context(|| format!("can't make the directory of `{shown}`"))?;
        if link.symlink_metadata().is_ok_and(|there| !there.is_symlink()) {
            anyhow::bail!("`{shown}` is another program: move it away first");
        }
        let made = tempfile::Builder::new().make_in(directory, |path| std::os::unix::fs::symlink(&program, path));
        let made = made.with_context(|| format!("can't make `{shown}`"))?;
        made.into_temp_path().persist(&link).with_context(|| format!("can't make `{shown}`"))?;
        Ok(link)
    };
    match linked() {
        Ok(link) => {
            let told = flow::said(output::print(format!("{}\n", Shown(link.as_os_str().as_bytes())).as_bytes()));
            let paths = env::var_os("PATH").unwrap_or_default();
            if !env::split_paths(&paths).any(|path| path == directory) {
                let directory = Shown(directory.as_os_str().as_bytes());
                output::complain(&format!(
                    "put this line where your shell reads it\n    export PATH=\"{directory}:$PATH\"\n"
                ));
            }
            told
        }
        Err(error) => flow::said(Err(IoError::from(error))),
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
