//! A child that stays, to be asked one question after the other.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;

use bstr::{BString, ByteSlice as _};

use crate::repo::RepoError;
use crate::repo::git::{Child, ChildStdin, ChildStdout, Command, Stdio};
use crate::temporary::Directory;

/// A child that waits for questions.
pub(in crate::repo) struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    /// Where it writes what it complains of.
    said: Box<Path>,
}

impl Running {
    /// Starts a child; its standard error goes to a file of this name in a place.
    pub(super) fn start(
        place: &Directory,
        name: &str,
        command: &mut Command,
    ) -> Result<Self, RepoError> {
        let said = place.path().join(name);
        let stderr = place.create(name).map_err(RepoError::read(&said))?;
        let child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn();
        let mut child = child.map_err(|source| RepoError::NoGit { source })?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (stdin, stdout) =
            pipes.ok_or_else(|| RepoError::read(&said)(io::ErrorKind::BrokenPipe))?;
        Ok(Self {
            child,
            stdin: Some(stdin),
            stdout: BufReader::new(stdout),
            said: said.into(),
        })
    }

    pub(in crate::repo) fn write(&mut self, request: &[u8]) -> io::Result<()> {
        self.stdin
            .as_mut()
            .map_or(Ok(()), |stdin| stdin.write_all(request))
    }

    pub(super) fn until(&mut self, end: u8) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.stdout.read_until(end, &mut bytes)?;
        match bytes.pop() {
            Some(last) if last == end => Ok(bytes),
            _ => Err(io::Error::other("it ended without a response")),
        }
    }

    pub(in crate::repo) fn read_exact(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.stdout.read_exact(bytes)
    }

    /// Ends it, and returns what it complained of.
    pub(in crate::repo) fn end(mut self) -> BString {
        self.stop();
        fs::read(&self.said).unwrap_or_default().trim().into()
    }

    fn stop(&mut self) {
        drop(self.stdin.take());
        // What it still prints isn't needed.
        let _ = self.stdout.read_to_end(&mut Vec::new());
        let _ = self.child.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}
