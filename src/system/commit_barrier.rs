//! What keeps a child from going on once its starter is dead.
//!
//! A `git commit` whose starter died before it was written down must not commit. So a shell waits
//! for a line before it starts git, from a pipe whose other end is ours alone: once we are dead, it
//! reads none and ends. From then on git commits by itself, and recovery waits for it: the shell
//! holds the lock that says so until git has ended. Where somebody edits the message, that may take
//! an hour, so git asks again before the editor starts, and when it has ended: through another
//! pipe. Where nobody answers, the editor fails, by what git sees of it, and there is no commit.
//!
//! The shell that git starts for editors asks. The terminal is theirs, so what we say comes to them
//! by another number, which takes a `/dev/fd`. Where nobody edits, it needs none: what we say is
//! what the shell reads, and git reads nothing.

use std::ffi::OsStr;
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read as _, Write as _, pipe};
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::process::{Child, Command};

use rustix::io::{FdFlags, fcntl_setfd, ioctl_fionbio};

use super::{OsStrExt as _, shell_quoted};

/// What git takes for the editor: it adds the file's name behind it.
const EDITOR: &str = "eval \"$GIT_LLMPATCH_GATE\"; :";

/// The status of an editor that failed, if git ends with a status of its own then. git takes this
/// one for an interrupt and ends of one, too, without naming the editor, which is none that anybody
/// knows.
pub(crate) const EDITOR_FAILED: Option<i32> = Some(130);

/// Our ends of the pipes, and the child's ends until it has started.
#[derive(Debug)]
pub(crate) struct CommitBarrier {
    questions: Option<PipeReader>,
    /// Gone once something failed: whoever asks then hears that nobody answers.
    answers: Option<PipeWriter>,
    theirs: Option<(PipeWriter, PipeReader)>,
    /// The child's numbers of its ends.
    numbers: (i32, i32),
}

impl CommitBarrier {
    /// Makes the pipes.
    ///
    /// # Errors
    /// If there are none to be had.
    pub(crate) fn new() -> io::Result<Self> {
        let ((questions, asks), (hears, answers)) = (pipe()?, pipe()?);
        ioctl_fionbio(&questions, true)?;
        let numbers = (number(&asks), number(&hears));
        Ok(Self {
            questions: Some(questions),
            answers: Some(answers),
            theirs: Some((asks, hears)),
            numbers,
        })
    }

    /// Returns a command, whose arguments are still to be added, that runs git once it is let go;
    /// where there is an editor, `git commit` asks before it lets anybody in.
    ///
    /// # Errors
    /// If the system doesn't let it have its ends of the pipes.
    pub(crate) fn hold(
        &self,
        git: &Command,
        editor: Option<&OsStr>,
        lock: &OwnedFd,
    ) -> io::Result<Command> {
        let mut shell = Command::new("sh");
        let script = self.script(editor.is_some(), number(lock));
        shell.args(["-c", &script]).arg(git.get_program());
        if let Some((asks, hears)) = &self.theirs {
            match editor {
                None => drop(shell.stdin(hears.try_clone()?)),
                Some(editor) => {
                    inherit(asks, true)?;
                    inherit(hears, true)?;
                    shell
                        .env("GIT_LLMPATCH_GATE", OsStr::from_bytes(&self.gate(editor)))
                        .env("GIT_EDITOR", EDITOR);
                }
            }
        }
        Ok(shell)
    }

    /// Returns what a shell is to do: to wait until it is let go, then to run git. With an editor,
    /// its standard input is left alone.
    ///
    /// It stays until git has ended, and with it the lock that it has from us; git and what git
    /// starts don't have that, lest something that goes on in the background keeps it. A shell has
    /// no words for numbers above 9, and then they have it too.
    fn script(&self, with_editor: bool, lock: i32) -> String {
        let (from, then) = if with_editor {
            (format!(" <{}", self.hears()), "")
        } else {
            (String::new(), " </dev/null")
        };
        let without = if lock < 10 {
            format!(" {lock}<&-")
        } else {
            String::new()
        };
        // No status that git has, or that it has from a hook. Whoever is at the keyboard interrupts
        // git, which may go on.
        format!(
            "read -r llmpatch_go{from} || exit 125; trap : INT TERM HUP QUIT; \"$0\" \
                 \"$@\"{then}{without}"
        )
    }

    /// Returns what a shell is to do in place of the editor: to ask, to run it, and to ask again.
    fn gate(&self, editor: &OsStr) -> Vec<u8> {
        let out = self.numbers.0;
        let back = self.hears();
        // Not `>&12`: shells need not know numbers of two digits there.
        let ask =
            format!("llmpatch_ask() {{ echo >/dev/fd/{out} && read -r llmpatch_answer <{back}; }}");
        let editor = editor.as_bytes();
        let [run, name] = [&[editor, b" \"$@\""].concat(), editor].map(shell_quoted);
        let gate = format!("{ask}\ntrap : INT QUIT\nllmpatch_ask && sh -c ").into_bytes();
        let failed = EDITOR_FAILED.unwrap_or(1);
        let end = format!(" \"$@\" && llmpatch_ask || exit {failed}").into_bytes();
        [&gate[..], &run, b" ", &name, &end].concat()
    }

    /// Starts the command that is held, and lets it go if it may: that is asked once nothing can
    /// start any more but what waits for us.
    ///
    /// # Errors
    /// If it can't be started, and then nothing ran.
    pub(crate) fn start(
        &mut self,
        command: &mut Command,
        lock: &OwnedFd,
        may_go: &dyn Fn() -> bool,
    ) -> io::Result<Child> {
        inherit(lock, true)?;
        let child = command.spawn();
        inherit(lock, false)?;
        let child = child?;
        self.theirs = None;
        if may_go() {
            self.say(1);
        } else {
            // What it waits at is closed.
            self.refuse();
        }
        Ok(child)
    }

    /// Returns where the child hears answers, as it would open it.
    fn hears(&self) -> String {
        format!("/dev/fd/{}", self.numbers.1)
    }

    /// Answers what was asked, if anything was; waits for nothing.
    pub(crate) fn answer(&mut self) {
        let Some(questions) = &mut self.questions else {
            return;
        };
        let mut asked = [0; 16];
        match questions.read(&mut asked) {
            Ok(count) => self.say(count),
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(_) => self.answers = None,
        }
    }

    /// Answers nothing any more: whoever asks is to stop.
    pub(crate) fn refuse(&mut self) {
        (self.questions, self.answers) = (None, None);
    }

    /// Lets what the child left behind go on without us, now that it has ended.
    pub(crate) fn end(self) {}

    /// Writes a number of answers of yes.
    fn say(&mut self, count: usize) {
        // An answer that got lost would be waited for without end.
        if self
            .answers
            .as_mut()
            .is_some_and(|answers| answers.write_all(&b"\n".repeat(count)).is_err())
        {
            self.answers = None;
        }
    }
}

/// Returns the number by which a child that inherits it knows it.
fn number(of: &impl AsFd) -> i32 {
    of.as_fd().as_raw_fd()
}

/// Sets whether children inherit it.
fn inherit(what: impl AsFd, is_inherited: bool) -> io::Result<()> {
    let flags = if is_inherited {
        FdFlags::empty()
    } else {
        FdFlags::CLOEXEC
    };
    Ok(fcntl_setfd(what, flags)?)
}
