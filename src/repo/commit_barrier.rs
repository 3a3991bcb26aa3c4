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
use std::io::{ErrorKind, PipeReader, PipeWriter, Read as _, Write as _, pipe};

use super::RepoError;
use super::git::{Command, shell_quoted};
use crate::system::{OsStrExt as _, inherit, number, without_waiting};

/// What git takes for the editor: it adds the file's name behind it.
const EDITOR: &str = "eval \"$GIT_LLMPATCH_GATE\"; :";

/// The status of an editor that failed: git takes it for an interrupt and ends of one, too, without
/// naming the editor, which is none that anybody knows.
pub(super) const FAILED: i32 = 130;

/// Our ends of the pipes, and the child's ends until it has started.
#[derive(Debug)]
pub(crate) struct CommitBarrier {
    questions: PipeReader,
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
    pub(crate) fn new() -> Result<Self, RepoError> {
        let ((questions, asks), (hears, answers)) =
            pipe().and_then(|one| Ok((one, pipe()?))).map_err(broken)?;
        without_waiting(&questions).map_err(broken)?;
        let numbers = (number(&asks), number(&hears));
        Ok(Self {
            questions,
            answers: Some(answers),
            theirs: Some((asks, hears)),
            numbers,
        })
    }

    /// Returns what a shell is to do: to wait until it is let go, then to run git. With an editor,
    /// its standard input is left alone.
    ///
    /// It stays until git has ended, and with it the lock that it has from us; git and what git
    /// starts don't have that, lest something that goes on in the background keeps it. A shell has
    /// no words for numbers above 9, and then they have it too.
    pub(crate) fn hold(&self, with_editor: bool, lock: i32) -> String {
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
            "read -r llmpatch_go{from} || exit 125; trap : INT TERM HUP QUIT; git \
                 \"$@\"{then}{without}"
        )
    }

    /// Gives the child, still to be started, its ends; where there is an editor, `git commit` is to
    /// ask before it lets anybody in.
    ///
    /// # Errors
    /// If the system doesn't let it have them.
    pub(crate) fn guard(
        &self,
        editor: Option<&OsStr>,
        command: &mut Command,
    ) -> Result<(), RepoError> {
        let Some((asks, hears)) = &self.theirs else {
            return Ok(());
        };
        let Some(editor) = editor else {
            command.stdin(hears.try_clone().map_err(broken)?);
            return Ok(());
        };
        inherit(asks, true)
            .and_then(|()| inherit(hears, true))
            .map_err(broken)?;
        let out = self.numbers.0;
        let back = self.hears();
        // Not `>&12`: shells need not know numbers of two digits there.
        let ask =
            format!("llmpatch_ask() {{ echo >/dev/fd/{out} && read -r llmpatch_answer <{back}; }}");
        let editor = editor.as_bytes();
        let [run, name] = [&[editor, b" \"$@\""].concat(), editor].map(shell_quoted);
        let gate = format!("{ask}\ntrap : INT QUIT\nllmpatch_ask && sh -c ").into_bytes();
        let end = format!(" \"$@\" && llmpatch_ask || exit {FAILED}").into_bytes();
        let gate = [&gate[..], &run, b" ", &name, &end].concat();
        command
            .env("GIT_LLMPATCH_GATE", OsStr::from_bytes(&gate))
            .env("GIT_EDITOR", EDITOR);
        Ok(())
    }

    /// Returns where the child hears answers, as it would open it.
    fn hears(&self) -> String {
        format!("/dev/fd/{}", self.numbers.1)
    }

    /// Releases the child that is held.
    pub(crate) fn release(&mut self) {
        self.say(1);
    }

    /// Closes our copies of the child's ends of the pipes.
    pub(crate) fn started(&mut self) {
        self.theirs = None;
    }

    /// Answers what was asked, if anything was; waits for nothing.
    pub(crate) fn answer(&mut self) {
        let mut asked = [0; 16];
        match self.questions.read(&mut asked) {
            Ok(count) => self.say(count),
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(_) => self.answers = None,
        }
    }

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

fn broken(error: std::io::Error) -> RepoError {
    RepoError::read("a pipe")(error)
}
