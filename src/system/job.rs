//! What ends a child when its starter ends.
//!
//! A `git commit` whose starter died before it was written down must not commit. Nobody holds it
//! here once it has started, so it is started only when it was written down, and the files were
//! looked at for the last time. Whoever saves a file between that look and git's start isn't
//! noticed, as elsewhere whoever saves between that look and git's first step; what is committed is
//! in an index of its own, and doesn't change by that.
//!
//! Nor must git go on once its starter is dead, since recovery then looks at HEAD and takes files
//! back. So we put ourselves into a job before we start git: git, its hooks and its editor are born
//! into it, and the system ends all that is in it when the last handle on it is closed, which is
//! ours and is closed when we end, whatever ends us. That takes the system a moment. Recovery sees
//! it by a file that git has open, for its standard input, until it is gone; where somebody edits
//! the message, the keyboard is there, and that moment is nothing beside what an editor takes.

use std::ffi::OsStr;
use std::io;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use win32job::{ExtendedLimitInfo, Job, JobError};

use super::OwnedStream;

/// The status of an editor that failed: git ends with one that says nothing of that.
pub(crate) const EDITOR_FAILED: Option<i32> = None;

/// The job that this process is in. It is in it for good, so there is one.
static JOB: OnceLock<Job> = OnceLock::new();

/// A job that ends what is in it with us.
#[derive(Debug)]
pub(crate) struct CommitBarrier(&'static Job);

impl CommitBarrier {
    /// Puts this process into the job.
    ///
    /// # Errors
    /// If the system lets it into none.
    pub(crate) fn new() -> io::Result<Self> {
        let job = match JOB.get() {
            Some(job) => job,
            None => {
                let job = Job::create().map_err(refused)?;
                job.assign_current_process().map_err(refused)?;
                JOB.get_or_init(|| job)
            }
        };
        Ok(Self(job))
    }

    /// Returns a command, whose arguments are still to be added, that runs git. Without an editor,
    /// it has the file for its standard input, which is empty.
    #[expect(clippy::unused_self, reason = "it is used on other systems")]
    pub(crate) fn hold(
        &self,
        git: &Command,
        editor: Option<&OsStr>,
        file: &OwnedStream,
    ) -> io::Result<Command> {
        let mut command = Command::new(git.get_program());
        if editor.is_none() {
            command.stdin(Stdio::from(file.try_clone()?));
        }
        Ok(command)
    }

    /// Starts the command, if it may.
    ///
    /// # Errors
    /// If it can't be started or may not, and then nothing ran.
    pub(crate) fn start(
        &mut self,
        command: &mut Command,
        _: &OwnedStream,
        may_go: &dyn Fn() -> bool,
    ) -> io::Result<Child> {
        if !may_go() {
            return Err(io::Error::other("it is not to be started"));
        }
        let mut ends_with_us = ExtendedLimitInfo::new();
        ends_with_us.limit_kill_on_job_close();
        self.0
            .set_extended_limit_info(&ends_with_us)
            .map_err(refused)?;
        command.spawn().inspect_err(|_| self.let_go())
    }

    /// Does nothing: nobody asks.
    pub(crate) fn answer(&mut self) {}

    /// Does nothing.
    pub(crate) fn refuse(&mut self) {}

    /// Lets what the child left behind go on without us, now that it has ended.
    pub(crate) fn end(self) {
        self.let_go();
    }

    fn let_go(&self) {
        // If it stays, what the child left behind ends with us.
        let _ = self.0.set_extended_limit_info(&ExtendedLimitInfo::new());
    }
}

fn refused(error: JobError) -> io::Error {
    io::Error::other(error)
}

/// All that is in the job beside this process: a child, and all that it started.
#[derive(Debug)]
pub(crate) struct Descendants(Vec<usize>);

impl Descendants {
    /// Finds them.
    pub(crate) fn of(_: u32) -> Self {
        let all = JOB.get().and_then(|job| job.query_process_id_list().ok());
        let mut all = all.unwrap_or_default();
        all.retain(|id| *id != std::process::id() as usize);
        Self(all)
    }

    /// Does nothing: who presses Ctrl-C asks all that are at the console.
    #[expect(clippy::unused_self, reason = "it is used on other systems")]
    pub(crate) fn ask(&self) {}

    /// Kills them, and what they have started since.
    pub(crate) fn kill(&mut self) {
        *self = Self::of(0);
        if self.0.is_empty() {
            return;
        }
        let mut command = Command::new("taskkill");
        command.arg("/F");
        for id in &self.0 {
            command.args(["/PID", &id.to_string()]);
        }
        let silent = command.stdin(Stdio::null()).stdout(Stdio::null());
        // One that is gone by now is complained of.
        let _ = silent.stderr(Stdio::null()).status();
    }

    /// Returns whether none runs any more.
    pub(crate) fn is_gone(&mut self) -> bool {
        *self = Self::of(0);
        self.0.is_empty()
    }
}
