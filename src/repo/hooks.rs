//! The hooks that git runs once it has let go of what they are told of. That is our doing here, so
//! they are ours to run.

use std::io;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use super::Repo;
use super::git::{Command, Git, Stdio, checked};
use super::staged::as_path;

impl Repo {
    /// Runs a hook, if there is one. What becomes of it is nobody's business, as for git.
    pub(crate) fn run_hook(&self, name: &str, arguments: &[&str]) {
        let home = self.top.as_deref().unwrap_or(self.git_dir());
        let Some(hook) = self.hook(home, name) else {
            return;
        };
        // As git starts it: the commands of git are found, and what begins with no `#!` is a script.
        let start = "PATH=$(git --exec-path):$PATH; exec \"$0\" \"$@\"";
        let mut shell = Git::new(self).set_up(Command::new("sh"), ["-c", start]);
        self.leave_to_be_found(&mut shell);
        // Standard output is for what was asked for.
        let output = io::stderr().as_fd().try_clone_to_owned();
        let output = output.map_or_else(|_| Stdio::null(), Stdio::from);
        shell.arg(hook).args(arguments).env("GIT_PREFIX", "");
        shell.current_dir(home).stdin(Stdio::null()).stdout(output);
        let _ = shell.status();
    }

    /// Returns where a hook is, from the directory that it runs in, if git would run it.
    fn hook(&self, home: &Path, name: &str) -> Option<PathBuf> {
        let within = format!("hooks/{name}");
        let usual = self.common_dir().join(&within);
        let is_usual = matches!(self.config().string("core.hookspath"), Ok(None));
        if is_usual && access(&usual, Access::EXEC_OK).is_err() {
            return None;
        }
        // As git names it.
        let mut command = Git::new(self).command(["rev-parse", "--git-path", &within]);
        self.leave_to_be_found(&mut command);
        let said = checked(command.current_dir(home), "rev-parse", b"").ok()?;
        let hook = as_path(said.strip_suffix(b"\n")?);
        access(home.join(hook), Access::EXEC_OK).ok()?;
        Some(hook.to_owned())
    }

    /// Takes away what a hook doesn't have from git, and one that works in other repositories too
    /// would be led astray by.
    fn leave_to_be_found(&self, command: &mut Command) {
        if names_repository() {
            return;
        }
        command.env_remove("GIT_WORK_TREE");
        match self.top {
            None => command.env("GIT_DIR", "."),
            Some(_) if self.git2().is_worktree() => command,
            Some(_) => command.env_remove("GIT_DIR"),
        };
    }
}

/// Returns whether the environment says which repository is meant.
pub(super) fn names_repository() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some();
    ["GIT_DIR", "GIT_WORK_TREE"].iter().any(|name| is_set(name))
}
