//! The only place that starts the git program: for what libgit2 doesn't know or gets wrong.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
pub(super) use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use bstr::{BString, ByteSlice as _};

use super::open::without_last_slash;
use super::standin::StandIn;
use super::{Repo, RepoError};
use crate::system::{
    self, CommitBarrier, Descendants, OsStrExt as _, OwnedStream, PIPE_BUF, read_both, signal_of,
};
use crate::temporary::Directory;

/// The git program, told which repository is meant.
#[derive(Clone, Debug)]
pub(crate) struct Git {
    git_dir: PathBuf,
    top: Option<PathBuf>,
}

/// The least version of git that is asked. Debian 11 has it; `rev-parse --end-of-options` came with
/// it, and with an older one the tests aren't run.
const LEAST: (u32, u32) = (2, 30);

/// Makes sure once that git is new enough for what only new versions know; every version knows
/// `diff-index` and `check-attr`.
///
/// # Errors
/// [`RepoError::NoGit`] if it can't be started, [`RepoError::OldGit`] if it is older than that.
pub(super) fn check_version() -> Result<(), RepoError> {
    static OLD: OnceLock<Option<String>> = OnceLock::new();
    if OLD.get().is_none() {
        let _ = OLD.set(old_version(
            &run(Command::new("git").arg("version"), b"")?.stdout,
        ));
    }
    match OLD.get().cloned().flatten() {
        Some(version) => Err(RepoError::OldGit { version }),
        None => Ok(()),
    }
}

/// Makes a directory for what children are given, which lasts as long as the value.
///
/// # Errors
/// [`RepoError::NoTemporary`]
pub(super) fn temporary() -> Result<Directory, RepoError> {
    Directory::new().map_err(|source| RepoError::NoTemporary {
        parent: std::env::temp_dir(),
        source,
    })
}

/// Returns the version that git says it is, if it is too old. A version that can't be read is taken
/// for a new version.
fn old_version(said: &[u8]) -> Option<String> {
    let version = said
        .to_str()
        .ok()?
        .strip_prefix("git version ")?
        .split_whitespace()
        .next()?;
    let mut numbers = version.split('.').map(|number| number.parse().ok());
    let version_of = (numbers.next()??, numbers.next()??);
    (version_of < LEAST).then(|| version.to_owned())
}

/// How a child that may take its time is watched.
pub(crate) struct ChildWatch<'w> {
    /// Asked whether it may go on, once nothing of it can run before that is answered.
    pub(crate) held: &'w dyn Fn() -> bool,
    /// Asked whether it is to stop.
    pub(crate) is_to_stop: &'w dyn Fn() -> bool,
    /// What it holds locked, or open, as long as it lives.
    pub(crate) lock: &'w OwnedStream,
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
        Self::at(
            repo.standin
                .as_ref()
                .map_or(repo.git_dir(), StandIn::for_git),
            repo.top.as_deref(),
        )
    }

    pub(super) fn at(git_dir: &Path, top: Option<&Path>) -> Self {
        Self {
            git_dir: without_last_slash(git_dir),
            top: top.map(Path::to_owned),
        }
    }

    /// Returns a command that runs git in this very repository, found already: where we found it
    /// git must not look again and find another. Current directory and environment are ours
    /// otherwise, so `git -c` and `GIT_INDEX_FILE` go on.
    pub(crate) fn command<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Command {
        self.set_up(Command::new("git"), args)
    }

    /// The same, held: nothing of git runs, no hook and no editor, until it is
    /// [attached](Self::attach) and may go on. Only an editor has our standard input.
    ///
    /// # Errors
    /// If the system doesn't give what holds it.
    pub(crate) fn held_command<A: AsRef<OsStr>>(
        &self,
        barrier: &CommitBarrier,
        lock: &OwnedStream,
        editor: Option<&OsStr>,
        args: impl IntoIterator<Item = A>,
    ) -> Result<Command, RepoError> {
        let held = barrier.hold(&Command::new("git"), editor, lock);
        Ok(self.set_up(held.map_err(RepoError::read("a pipe"))?, args))
    }

    pub(super) fn set_up<A: AsRef<OsStr>>(
        &self,
        mut command: Command,
        args: impl IntoIterator<Item = A>,
    ) -> Command {
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

    /// Runs a held command to its end on our own terminal. What it prints goes where ours goes.
    ///
    /// It goes on only once it was written down, so one whose starter died before goes nowhere. When
    /// it is to stop, it and all that it started are asked to, and killed if they don't within
    /// [`PATIENCE`].
    ///
    /// # Errors
    /// [`RepoError::NoGit`] if it can't be started, and then nothing ran. Any other if the system
    /// doesn't tell whether it has ended, and how. That it fails, or wasn't to go on, is for the
    /// caller to see.
    pub(crate) fn attach(
        &self,
        command: &mut Command,
        mut barrier: CommitBarrier,
        watch: &ChildWatch<'_>,
    ) -> Result<ExitStatus, RepoError> {
        let child = barrier.start(command, watch.lock, watch.held);
        let mut child = child.map_err(|source| RepoError::NoGit { source })?;
        let pid = child.id();
        let mut stopping: Option<Stopping> = None;
        let status = loop {
            std::thread::sleep(MOMENT);
            match child.try_wait().transpose() {
                Some(status) => break status,
                None if (watch.is_to_stop)() => {
                    barrier.refuse();
                    stopping
                        .get_or_insert_with(|| Stopping::begin(pid))
                        .insist();
                }
                None => barrier.answer(),
            }
        };
        // What it had started may still write to files.
        let is_stopped = stopping.map(|mut stopping| stopping.finish()).is_some();
        if status.is_ok() {
            barrier.end();
        }
        let status = status.and_then(|status| match signal_of(status) {
            // Then git was left alone, and goes on.
            Some(_) if !is_stopped => Err(std::io::Error::other(
                "the shell that waited for it was killed",
            )),
            _ => Ok(status),
        });
        status.map_err(RepoError::read("git's exit status"))
    }

    /// Returns the command of the user's editor.
    ///
    /// # Errors
    /// If there is none that git would start.
    pub(crate) fn editor(&self) -> Result<OsString, RepoError> {
        let said = self.output(["var", "GIT_EDITOR"], b"")?;
        Ok(said.trim_end().to_os_str_lossy().into_owned())
    }

    /// Runs git to its end and returns what it printed.
    ///
    /// # Errors
    /// If it can't be started, or fails.
    pub(crate) fn output<A: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = A>,
        input: &[u8],
    ) -> Result<BString, RepoError> {
        let args: Vec<OsString> = args
            .into_iter()
            .map(|arg| arg.as_ref().to_owned())
            .collect();
        let words = args.iter().map(|word| word.to_string_lossy());
        // Behind the settings that go before it.
        let name = words
            .into_iter()
            .find(|word| *word != "-c" && !word.contains('='))
            .unwrap_or_default();
        checked(&mut self.command(&args), &name, input)
    }
}

/// Returns a command that starts the shell: of git, where the system has none.
pub(crate) fn shell() -> Command {
    system::shell(exec_path)
}

/// Returns the directory of git's own commands.
pub(super) fn exec_path() -> Option<PathBuf> {
    let said = run(Command::new("git").arg("--exec-path"), b"").ok()?;
    let path = said.stdout.strip_suffix(b"\n")?;
    Some(OsStr::from_bytes(path.strip_suffix(b"\r").unwrap_or(path)).into())
}

/// Quotes a name, or a directory in a list of directories, that git would otherwise read as another.
pub(super) fn c_quoted(name: &[u8]) -> Vec<u8> {
    let plain = name
        .replace("\\", "\\\\")
        .replace("\"", "\\\"")
        .replace("\n", "\\n");
    if plain == name {
        plain
    } else {
        [b"\"", &plain[..], b"\""].concat()
    }
}

/// Runs a command to its end, feeding it and keeping what it prints.
///
/// # Errors
/// If it can't be started, fed or heard. That it fails is for the caller to see.
pub(crate) fn run(command: &mut Command, input: &[u8]) -> Result<Output, RepoError> {
    command.stdin(if input.is_empty() {
        Stdio::null()
    } else {
        Stdio::piped()
    });
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.map_err(|source| RepoError::NoGit { source })?;
    // std's own way to do this panics where a pipe can't be read.
    let told = feed_and_read(&mut child, input);
    let ended = child.wait().and_then(|status| Ok((status, told?)));
    let (status, [stdout, stderr]) = ended.map_err(RepoError::read("git's output"))?;
    Ok(Output {
        status,
        stdout,
        stderr,
    })
}

/// Feeds a child, and reads its standard output and standard error. A child that can't be fed is
/// killed, so that it makes nothing of a part.
fn feed_and_read(child: &mut Child, input: &[u8]) -> io::Result<[BString; 2]> {
    let stdin = child.stdin.take();
    let streams = [
        child.stdout.take().map(OwnedStream::from),
        child.stderr.take().map(OwnedStream::from),
    ];
    let feed = move || match stdin {
        Some(mut stdin) => stdin.write_all(input).or_else(|error| match error.kind() {
            // One that stops reading says why on its own.
            io::ErrorKind::BrokenPipe => Ok(()),
            _ => {
                let _ = child.kill();
                Err(error)
            }
        }),
        None => Ok(()),
    };
    if input.len() <= PIPE_BUF {
        feed()?;
        return read_both(streams);
    }
    // A child that prints before it has read all would wait for us for ever, so another thread
    // feeds it what a pipe may not take.
    thread::scope(move |scope| {
        let feed = Builder::new().spawn_scoped(scope, feed)?;
        let heard = read_both(streams);
        feed.join()
            .unwrap_or_else(|panic| resume_unwind(panic))
            .and(heard)
    })
}

/// Runs a command to its end, which is called so where it fails, and returns what it printed.
///
/// # Errors
/// If it can't be started, or fails.
pub(crate) fn checked(
    command: &mut Command,
    name: &str,
    input: &[u8],
) -> Result<BString, RepoError> {
    let output = run(command, input)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = output.stderr.trim();
    let message = if said.is_empty() {
        output.status.to_string().into()
    } else {
        said.into()
    };
    Err(RepoError::Child {
        command: name.to_owned(),
        message,
    })
}

/// How long those who are asked to stop may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long we look away from a child.
const MOMENT: Duration = Duration::from_millis(5);

/// A child, and all that it started, that were asked to stop.
#[derive(Debug)]
struct Stopping {
    all: Descendants,
    since: Instant,
}

impl Stopping {
    /// Asks them.
    fn begin(pid: u32) -> Self {
        let all = Descendants::of(pid);
        all.ask();
        Self {
            all,
            since: Instant::now(),
        }
    }

    /// Kills them if they took too long, and what they have started since.
    fn insist(&mut self) {
        if self.since.elapsed() > PATIENCE {
            self.all.kill();
        }
    }

    /// Waits until all of them are gone, however that comes about: those who can't be killed are
    /// given up in the end.
    fn finish(&mut self) {
        while self.since.elapsed() < PATIENCE * 2 && !self.all.is_gone() {
            self.insist();
            std::thread::sleep(MOMENT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_fed_and_heard_whatever_it_does_first() {
        let much = vec![b'x'; 1 << 20];
        for (script, input, want) in [
            (
                "cat; head -c 1048576 /dev/zero >&2",
                &much[..],
                [1 << 20, 1 << 20],
            ),
            ("head -c 1048576 /dev/zero >&2; cat", b"few", [3, 1 << 20]),
            ("head -c 3 >&2", &much, [0, 3]),
            ("exec <&-; echo said", &much, [5, 0]),
            ("exec >&- 2>&-; cat >/dev/null", &much, [0, 0]),
            ("exit 3", b"", [0, 0]),
        ] {
            let output = run(Command::new("sh").args(["-c", script]), input).unwrap();
            assert_eq!([output.stdout.len(), output.stderr.len()], want, "{script}");
            assert_eq!(output.status.success(), script != "exit 3", "{script}");
        }
    }
}
