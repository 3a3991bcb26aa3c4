//! The only place that starts the git program: for what libgit2 doesn't know or gets wrong.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::{Path, PathBuf};
pub(super) use std::process::Command;
use std::process::{ExitStatus, Stdio};

use bstr::{BString, ByteSlice as _};

use super::{Fault, Repo};

/// The git program, told which repository is meant.
#[derive(Clone, Debug)]
pub(crate) struct Git {
    git_dir: PathBuf,
    top: Option<PathBuf>,
}

/// What a child left behind.
#[derive(Debug)]
pub(crate) struct Output {
    /// How it ended.
    pub(crate) status: ExitStatus,
    /// What it printed.
    pub(crate) stdout: BString,
    /// What it complained of.
    pub(crate) stderr: BString,
}

impl Git {
    /// Makes one for a repository.
    pub(crate) fn new(repo: &Repo) -> Self {
        Self::at(repo.git.path(), repo.top.as_deref())
    }

    pub(super) fn at(git_dir: &Path, top: Option<&Path>) -> Self {
        Self { git_dir: git_dir.to_owned(), top: top.map(Path::to_owned) }
    }

    /// Returns a command that runs git in this very repository, found already: where we found it git must not look again
    /// and find another. Current folder and environment are ours otherwise, so `git -c` and `GIT_INDEX_FILE` go on.
    pub(crate) fn command<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Command {
        let mut command = Command::new("git");
        command.env("GIT_DIR", &self.git_dir);
        match &self.top {
            Some(top) => command.env("GIT_WORK_TREE", top),
            None => command.env_remove("GIT_WORK_TREE"),
        };
        #[cfg(test)]
        command
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env_remove("GIT_EDITOR")
            .env("EDITOR", "false")
            .stderr(Stdio::null());
        command.args(args);
        command
    }

    /// Runs a command to its end on our own terminal, and feeds it if there is something to feed. What it prints goes where
    /// ours goes.
    ///
    /// # Errors
    /// If it can't be started. That it fails, or doesn't read, is for the caller to see.
    pub(crate) fn attach(&self, command: &mut Command, input: Option<&[u8]>) -> Result<ExitStatus, Fault> {
        if input.is_some() {
            command.stdin(Stdio::piped());
        }
        let mut child = command.spawn().map_err(|source| Fault::NoGit { source })?;
        if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
            // A child that stops reading says why on its own.
            let _ = stdin.write_all(input);
        }
        child.wait().map_err(|source| Fault::Io { what: "git's exit status".into(), source })
    }

    /// Runs a command to its end, feeding it and keeping what it prints.
    ///
    /// # Errors
    /// If it can't be started. That it fails is for the caller to see.
    pub(crate) fn run(&self, command: &mut Command, input: &[u8]) -> Result<Output, Fault> {
        command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() });
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(|source| Fault::NoGit { source })?;
        let stdin = child.stdin.take();
        // A child that prints before it has read all would wait for us for ever, so another thread feeds it.
        let output = std::thread::scope(|scope| {
            scope.spawn(move || {
                // A child that stops reading says why on its own.
                stdin.map(|mut stdin| stdin.write_all(input))
            });
            child.wait_with_output()
        });
        let output = output.map_err(|source| Fault::Io { what: "git's output".into(), source })?;
        Ok(Output { status: output.status, stdout: output.stdout.into(), stderr: output.stderr.into() })
    }

    /// Runs git to its end and returns what it printed.
    ///
    /// # Errors
    /// If it can't be started, or fails.
    pub(crate) fn output<A: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = A>,
        input: &[u8],
    ) -> Result<BString, Fault> {
        let args: Vec<OsString> = args.into_iter().map(|arg| arg.as_ref().to_owned()).collect();
        let output = self.run(&mut self.command(&args), input)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let command = args.first().map_or_else(String::new, |first| first.to_string_lossy().into_owned());
        let said = output.stderr.trim();
        let message = if said.is_empty() { output.status.to_string().into() } else { said.into() };
        Err(Fault::Child { command, message })
    }
}
