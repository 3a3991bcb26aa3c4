//! The editor of a commit's message, which is let in only while we live.
//!
//! A `git commit` whose starter died must not commit. Where it reads its message from us, it then reads none; where somebody
//! edits the message, it asks before the editor starts, and again when it has ended: through one pipe, and reads the answer from
//! another. The other ends are ours alone, so that nobody answers for us once we are dead. Then the editor fails, by what git
//! sees of it, and there is no commit.
//!
//! The shell that git starts for editors does it. What has its shell replaced (`exec vim`) is asked before only; its commit is
//! one that recovery waits for.

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, PipeReader, PipeWriter, Read as _, Write as _, pipe};
use std::os::fd::{AsFd, AsRawFd as _, RawFd};

use rustix::io::{FdFlags, fcntl_setfd, ioctl_fionbio};

use crate::repo::Fault;
use crate::repo::git::Command;

/// What goes before the editor's own command: git adds the file's name behind it. It is what git names should the editor fail.
const BEFORE: &str = "eval \"$GIT_LLMPATCH_GATE\"; ";

/// Our ends of the pipes, and until it has started those of the child.
#[derive(Debug)]
pub(crate) struct Gate {
    questions: PipeReader,
    /// Gone once something failed: whoever asks then hears that nobody answers.
    answers: Option<PipeWriter>,
    theirs: Option<(PipeWriter, PipeReader)>,
    /// The child's numbers of its ends.
    numbers: (RawFd, RawFd),
}

impl Gate {
    /// Makes the pipes.
    ///
    /// # Errors
    /// If there are none to be had.
    pub(crate) fn new() -> Result<Self, Fault> {
        let io = |source| Fault::Io { what: "a pipe".into(), source };
        let ((questions, asks), (hears, answers)) = pipe().and_then(|one| Ok((one, pipe()?))).map_err(io)?;
        let inherited = |end: &dyn AsFd| fcntl_setfd(end.as_fd(), FdFlags::empty());
        let set = ioctl_fionbio(&questions, true).and_then(|()| inherited(&asks)).and_then(|()| inherited(&hears));
        set.map_err(|errno| io(errno.into()))?;
        let numbers = (asks.as_raw_fd(), hears.as_raw_fd());
        Ok(Self { questions, answers: Some(answers), theirs: Some((asks, hears)), numbers })
    }

    /// Has a `git commit` that is to be started ask before it lets anybody into the editor.
    pub(crate) fn stand_before(&self, editor: &OsStr, command: &mut Command) {
        let (out, back) = (self.numbers.0, self.hears());
        // Not `>&12`: shells need not know numbers of two digits there.
        let ask = format!("llmpatch_ask() {{ echo >/dev/fd/{out} && read -r llmpatch_answer <{back}; }}");
        let rest = "llmpatch_ask || exit 1\ntrap 'llmpatch_end=$?; llmpatch_ask || exit 1; exit $llmpatch_end' EXIT";
        let mut gated = OsString::from(BEFORE);
        gated.push(editor);
        command.env("GIT_LLMPATCH_GATE", format!("{ask}\n{rest}")).env("GIT_EDITOR", gated);
    }

    /// Returns where the child hears answers, as it would open it.
    pub(crate) fn hears(&self) -> String {
        format!("/dev/fd/{}", self.numbers.1)
    }

    /// Lets a child that is held there go on.
    pub(crate) fn let_go(&mut self) {
        self.say(1);
    }

    /// Lets go of the child's ends, which it has by now.
    pub(crate) fn started(&mut self) {
        self.theirs = None;
    }

    /// Answers what was asked, if anything was; waits for nothing.
    pub(crate) fn answer(&mut self) {
        let mut asked = [0; 16];
        match self.questions.read(&mut asked) {
            Ok(count) => self.say(count),
            Err(fault) if matches!(fault.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(_) => self.answers = None,
        }
    }

    /// Says yes so many times.
    fn say(&mut self, count: usize) {
        // An answer that got lost would be waited for without end.
        if self.answers.as_mut().is_some_and(|answers| answers.write_all(&b"\n".repeat(count)).is_err()) {
            self.answers = None;
        }
    }
}
