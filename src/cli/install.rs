//! Putting pages and scripts where the user's own prefix has them: the only thing that is written
//! outside of a repository.

use std::env;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::conclude;
use super::exit::Exit;
use super::output;
use crate::system;
use crate::temporary;
use llmpatch::text::Shown;

/// A file to put in place.
pub(super) struct InstalledFile {
    /// Its name, with the directories below the common directory.
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
        let directory = system::home().filter(|home| home.is_absolute())?;
        Some(Home { directory })
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
        directory("BASH_COMPLETION_USER_DIR")
            .unwrap_or_else(|| self.data().join("bash-completion"))
            .join("completions")
    }

    /// Returns where the user's own programs are: beside this program, if that is in the user's
    /// home.
    pub(super) fn programs(&self) -> PathBuf {
        let own = self.prefix().map(|prefix| prefix.join("bin"));
        own.unwrap_or_else(|| self.directory.join(".local/bin"))
    }

    /// Returns the directory in whose `bin` this program is, if it is in the user's home.
    fn prefix(&self) -> Option<PathBuf> {
        let program = env::current_exe().ok()?;
        let prefix = program
            .parent()
            .filter(|directory| directory.ends_with("bin"))?
            .parent()?;
        prefix
            .starts_with(&self.directory)
            .then(|| prefix.to_owned())
    }

    /// Returns where `man` looks for pages of a program that is beside this program: in `share/man`
    /// beside its `bin`, if that is the user's own; else in the user's data.
    pub(super) fn manual(&self) -> PathBuf {
        self.prefix().map_or_else(
            || self.data().join("man"),
            |prefix| prefix.join("share/man"),
        )
    }
}

/// Returns the directory that a variable names; a path that isn't absolute counts for nothing, as
/// the XDG rules want it.
fn directory(variable: &str) -> Option<PathBuf> {
    env::var_os(variable)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}

/// Links this program under another name in a directory, beside the name that it has, and says
/// where; a link of that name is replaced.
pub(super) fn link(directory: &Path, name: &str) -> Exit {
    linked(directory, name).unwrap_or_else(|error| conclude::said(Err(error.into())))
}

fn linked(directory: &Path, name: &str) -> anyhow::Result<Exit> {
    let link = directory.join(name);
    let shown = Shown::path(&link);
    let program = env::current_exe().context("can't tell where this program is")?;
    fs::create_dir_all(directory)
        .with_context(|| format!("can't make the directory of `{shown}`"))?;
    if link
        .symlink_metadata()
        .is_ok_and(|there| !there.is_symlink())
    {
        anyhow::bail!("`{shown}` is another program: move it away first");
    }
    temporary::replace_by_link(&link, &program).with_context(|| format!("can't make `{shown}`"))?;
    let told = conclude::said(output::print(format!("{shown}\n").as_bytes()));
    let paths = env::var_os("PATH").unwrap_or_default();
    if !env::split_paths(&paths).any(|path| path == directory) {
        let directory = Shown::path(directory);
        let line = format!(
            "put this line where your shell reads it\n    export PATH=\"{directory}:$PATH\"\n"
        );
        output::complain(&line);
    }
    Ok(told)
}

/// Puts pieces into a directory, and says where they are and what else there is to do.
pub(super) fn install(directory: &Path, pieces: &[InstalledFile], advice: &str) -> Exit {
    let told = installed(directory, pieces);
    if told.is_ok() {
        output::complain(&format!("{advice}\n"));
    }
    told.unwrap_or_else(|error| conclude::said(Err(error.into())))
}

fn installed(directory: &Path, pieces: &[InstalledFile]) -> anyhow::Result<Exit> {
    let mut lines = String::new();
    for InstalledFile { name, content } in pieces {
        let path = directory.join(name);
        let directory = path.parent().unwrap_or(directory);
        fs::create_dir_all(directory)
            .with_context(|| format!("can't make the directory `{}`", Shown::path(directory)))?;
        write(directory, &path, content)
            .with_context(|| format!("can't write `{}`", Shown::path(&path)))?;
        lines += &format!("{}\n", Shown::path(&path));
    }
    Ok(conclude::said(output::print(lines.as_bytes())))
}

/// Writes a file and renames it into place, so that a shell that starts meanwhile never reads half
/// of it.
fn write(directory: &Path, path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let mut file = temporary::TempFile::beside(directory, "", 0o644)?;
    file.write_all(content)?;
    if let Some(permissions) = system::permissions(0o644) {
        file.as_file().set_permissions(permissions)?;
    }
    Ok(file.rename(path)?)
}
