//! A clone in which everything is tried out, and the programs that do so.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use anyhow::{Context as _, Result, bail};

/// The argument that makes this program the one that it tries out.
pub(crate) const AS_TOOL: &str = "--as-git-llmpatch";

pub(crate) struct Scratch {
    directory: tempfile::TempDir,
    source: String,
}

impl Scratch {
    /// Clones a repository, without copying its objects.
    pub(crate) fn clone(repository: &str) -> Result<Self> {
        let from = Path::new(repository).canonicalize()?;
        let source = from
            .to_str()
            .context("a directory with such a name can't be cloned here")?
            .to_owned();
        let scratch = Self {
            directory: tempfile::tempdir()?,
            source,
        };
        scratch.git(&[
            "clone",
            "-q",
            "--shared",
            "--no-checkout",
            &scratch.source,
            ".",
        ])?;
        // Nobody minds if a loss of power tears it.
        for (key, value) in [
            ("llmpatch.fsync", "false"),
            ("gc.auto", "0"),
            ("core.autocrlf", "false"),
        ] {
            scratch.git(&["config", key, value])?;
        }
        Ok(scratch)
    }

    /// Lists the last commits that aren't merges.
    pub(crate) fn history(&self, count: usize) -> Result<Vec<String>> {
        let listed = self.git(&[
            "rev-list",
            "--no-merges",
            &format!("--max-count={count}"),
            "HEAD",
        ])?;
        Ok(String::from_utf8(listed)?
            .lines()
            .map(str::to_owned)
            .collect())
    }

    /// Makes index and work tree those of a commit.
    pub(crate) fn go_to(&self, commit: &str) -> Result<()> {
        self.git(&["read-tree", "--reset", "-u", commit]).map(drop)
    }

    /// Returns whether index and work tree hold what a commit holds, and nothing else.
    pub(crate) fn is_at(&self, commit: &str) -> Result<bool> {
        let tree = self.git(&["rev-parse", &format!("{commit}^{{tree}}")])?;
        let status = self.git(&[
            "status",
            "--porcelain",
            "--untracked-files=all",
            "--ignored",
        ])?;
        let is_clean = status
            .split(|&byte| byte == b'\n')
            .all(|line| line.get(1).is_none_or(|&state| state == b' '));
        Ok(is_clean && self.git(&["write-tree"])? == tree)
    }

    /// Runs git, which must succeed.
    pub(crate) fn git(&self, args: &[&str]) -> Result<Vec<u8>> {
        let output = run(self.command("git").args(args), b"")?;
        if !output.status.success() {
            bail!("git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(output.stdout)
    }

    /// Prints a diff as git does in the repository itself, where it sees the attributes that we
    /// see.
    pub(crate) fn diff(&self, args: &[&str]) -> Result<Vec<u8>> {
        self.git(&[&["-C", &self.source, "diff"], args].concat())
    }

    /// Returns whether git has a driver of its own for any of these paths, as `diff=python` asks
    /// for one.
    pub(crate) fn has_driver(&self, paths: &[&[u8]]) -> Result<bool> {
        let mut git = self.command("git");
        let listed = run(
            git.args(["-C", &self.source, "check-attr", "--stdin", "-z", "diff"]),
            &paths.join(&0),
        )?;
        let mut values = listed.stdout.split(|&byte| byte == 0).skip(2).step_by(3);
        Ok(values.any(|value| !matches!(value, b"unspecified" | b"set" | b"unset")))
    }

    /// Returns whether git takes input.
    pub(crate) fn git_takes(&self, args: &[&str], input: &[u8]) -> Result<bool> {
        Ok(run(self.command("git").args(args), input)?.status.success())
    }

    /// Runs the program itself.
    pub(crate) fn tool(&self, args: &[&str], input: &[u8]) -> Result<Output> {
        let program = std::env::current_exe()?;
        let program = program
            .to_str()
            .context("a program with such a name can't be started here")?;
        run(self.command(program).arg(AS_TOOL).args(args), input)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.directory.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        command
    }
}

fn run(command: &mut Command, input: &[u8]) -> Result<Output> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let stdin = child.stdin.take();
    std::thread::scope(|scope| {
        // One that stops reading says why on its own.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
        Ok(child.wait_with_output()?)
    })
}
