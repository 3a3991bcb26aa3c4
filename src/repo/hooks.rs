//! The hooks that git runs once it has let go of what they are told of: that an index was written,
//! and that a commit was made. Letting go is our doing here, so they are ours to run. A `git commit`
//! is shown the others only, each by a script that starts it.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::git::{Command, Git, Stdio, checked, exec_path, shell};
use super::{CommitRequest, Repo, RepoError};
use crate::dir::SystemPath as _;
use crate::system::{self, OsStrExt as _, despite_passing_fault, prepend_path, shell_quoted};
use crate::temporary;

/// The hook that is told of a commit, and the hooks that come before it.
const COMMITTED: &str = "post-commit";
const BEFORE: [&str; 5] = [
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "reference-transaction",
    "pre-auto-gc",
];

/// Where `git -c` leaves settings for the git commands that git starts.
const SETTINGS: &str = "GIT_CONFIG_PARAMETERS";

/// Runs the hook for an index that was written: as after `git apply`, which is no checkout.
pub(crate) fn tell_of_index(repo: &Repo) {
    run_hook(repo, "post-index-change", &["0", "0"], &[]);
}

/// Runs the hook for a commit that was made.
pub(crate) fn tell_of_commit(repo: &Repo, request: &CommitRequest) {
    let index = std::env::var_os("GIT_INDEX_FILE").unwrap_or_else(|| {
        let index = repo.index_path.strip_prefix(home(repo));
        index.unwrap_or(&repo.index_path).into()
    });
    let no_editor = (!request.edit).then(|| ("GIT_EDITOR", ":".into()));
    let index = [("GIT_INDEX_FILE", index)];
    let environment: Vec<_> = index.into_iter().chain(no_editor).collect();
    run_hook(repo, COMMITTED, &[], &environment);
}

/// Fills a directory of ours with all hooks that `git commit` may run but the last, if the
/// repository has a last hook; returns the options that show git the directory.
///
/// # Errors
/// If it can't be told which hooks there are, or the directory can't be filled.
pub(super) fn hold_last(repo: &Repo, directory: &Path) -> Result<Vec<OsString>, RepoError> {
    if find(repo, COMMITTED)?.is_none() {
        return Ok(Vec::new());
    }
    let settings = match std::env::var_os(SETTINGS) {
        Some(value) => [
            b"export GIT_CONFIG_PARAMETERS=",
            &shell_quoted(value.as_bytes())[..],
        ]
        .concat(),
        None => b"unset GIT_CONFIG_PARAMETERS".to_vec(),
    };
    for name in BEFORE {
        let Some(hook) = find(repo, name)? else {
            continue;
        };
        let hook = shell_quoted(hook.as_os_str().as_bytes());
        let script = [
            b"#!/bin/sh\n",
            &settings[..],
            b"\nexec ",
            &hook,
            b" \"$@\"\n",
        ];
        let written = temporary::create(&directory.join(name), 0o700);
        written
            .and_then(|mut file| file.write_all(&script.concat()))
            .map_err(RepoError::write(directory))?;
    }
    let mut setting = OsString::from("core.hooksPath=");
    setting.push(directory);
    Ok(vec!["-c".into(), setting])
}

/// Returns the directory that hooks run in.
fn home(repo: &Repo) -> &Path {
    repo.top.as_deref().unwrap_or(repo.git_dir())
}

/// Runs a hook, if the repository has it. What becomes of it is nobody's business, as for git.
fn run_hook(repo: &Repo, name: &str, arguments: &[&str], environment: &[(&str, OsString)]) {
    let Ok(Some(hook)) = despite_passing_fault(|| find(repo, name)) else {
        return;
    };
    // As git starts it: the commands of git are found, and what begins with no `#!` is a script.
    let mut shell = Git::new(repo).set_up(shell(), ["-c", "exec \"$0\" \"$@\""]);
    if let Some(commands) = exec_path() {
        prepend_path(&mut shell, &commands);
    }
    leave_to_be_found(repo, &mut shell);
    // Standard output is for what was asked for.
    let output = Stdio::from(io::stderr());
    shell.arg(hook).args(arguments).env("GIT_PREFIX", "");
    let environment = environment.iter().map(|(name, value)| (name, value));
    shell.envs(environment).current_dir(home(repo));
    shell.stdin(Stdio::null()).stdout(output);
    system::let_children_heed_signals();
    let _ = despite_passing_fault(|| shell.status());
}

/// Returns where a hook is, from the directory that it runs in, if git would run it.
///
/// # Errors
/// If that can't be told. A hook that may refuse a commit must not be taken for none then.
fn find(repo: &Repo, name: &str) -> Result<Option<PathBuf>, RepoError> {
    let home = home(repo);
    let within = format!("hooks/{name}");
    let usual = repo.common_dir().join(&within);
    let is_usual = repo.config.string("core.hookspath")?.is_none();
    if is_usual && !may_run(&usual)? {
        return Ok(None);
    }
    // As git names it.
    let mut command = Git::new(repo).command(["rev-parse", "--git-path", &within]);
    leave_to_be_found(repo, &mut command);
    let said = checked(command.current_dir(home), "rev-parse", b"")?;
    let hook = said.strip_suffix(b"\n").unwrap_or(&said).as_path();
    Ok(may_run(&home.join(hook))?.then(|| hook.to_owned()))
}

/// Takes away what a hook doesn't have from git, and what would lead a hook astray that works
/// in other repositories too.
fn leave_to_be_found(repo: &Repo, command: &mut Command) {
    if names_repository() {
        return;
    }
    command.env_remove("GIT_WORK_TREE");
    match repo.top {
        None => command.env("GIT_DIR", "."),
        Some(_) if repo.git.is_worktree() => command,
        Some(_) => command.env_remove("GIT_DIR"),
    };
}

/// Returns whether the environment says which repository is meant.
pub(super) fn names_repository() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some();
    ["GIT_DIR", "GIT_WORK_TREE"].iter().any(|name| is_set(name))
}

/// Returns whether there is a file that may be run.
fn may_run(path: &Path) -> Result<bool, RepoError> {
    system::may_run(path).map_err(RepoError::read(path))
}
