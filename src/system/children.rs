//! Children that are held, fed, heard and stopped.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};

use bstr::{BString, ByteSlice as _};
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{fcntl_dupfd_cloexec, retry_on_intr};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

/// Returns a command that starts the shell.
pub(crate) fn shell(_: impl FnOnce() -> Option<PathBuf>) -> Command {
    Command::new("sh")
}

/// How many bytes the smallest pipe takes at once.
pub(crate) const PIPE_BUF: usize = 4096;

/// Returns the signal that ended a child.
pub(crate) fn signal_of(status: ExitStatus) -> Option<i32> {
    status.signal()
}

/// Returns a second handle on an open file and the lock on it, under a number that a shell may have
/// words for.
pub(crate) fn second_handle(file: &File) -> io::Result<OwnedFd> {
    Ok(fcntl_dupfd_cloexec(file, 3)?)
}

/// Reads two pipes to their ends, whichever has something.
pub(crate) fn read_both(pipes: [Option<OwnedFd>; 2]) -> io::Result<[BString; 2]> {
    let mut heard = [Vec::new(), Vec::new()];
    let mut open: Vec<_> = pipes.iter().flatten().zip(&mut heard).collect();
    while !open.is_empty() {
        let mut waiting: Vec<_> = open
            .iter()
            .map(|(pipe, _)| PollFd::new(*pipe, PollFlags::IN))
            .collect();
        retry_on_intr(|| poll(&mut waiting, None))?;
        let is_ready: Vec<_> = waiting
            .iter()
            .map(|one| !one.revents().is_empty())
            .collect();
        for nth in (0..open.len()).rev().filter(|nth| is_ready[*nth]) {
            let (pipe, heard) = &mut open[nth];
            heard.reserve(PIPE_BUF);
            if retry_on_intr(|| rustix::io::read(*pipe, spare_capacity(heard)))? == 0 {
                open.remove(nth);
            }
        }
    }
    Ok(heard.map(BString::from))
}

/// A child, and all that it started.
#[derive(Debug)]
pub(crate) struct Descendants(Vec<Pid>);

impl Descendants {
    /// Finds them.
    pub(crate) fn of(pid: u32) -> Self {
        let child = i32::try_from(pid).ok().and_then(Pid::from_raw);
        Self(family(child.into_iter().collect()))
    }

    /// Asks them to stop.
    pub(crate) fn ask(&self) {
        signal(&self.0, Signal::TERM);
    }

    /// Kills them, and what they have started since.
    pub(crate) fn kill(&mut self) {
        self.0 = family(std::mem::take(&mut self.0));
        signal(&self.0, Signal::KILL);
    }

    /// Returns whether none runs any more.
    pub(crate) fn is_gone(&mut self) -> bool {
        self.0.retain(|pid| runs(*pid));
        self.0.is_empty()
    }
}

/// Returns processes and all that they started, as far as the system tells.
fn family(mut family: Vec<Pid>) -> Vec<Pid> {
    let parents: Vec<(Pid, Pid)> = std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read(entry.path().join("stat")).ok()?;
            // The name in parentheses may hold anything; the parent is the second field after it.
            let rest = stat.rsplit_str(")").next()?.to_str().ok()?;
            Some((
                Pid::from_raw(pid)?,
                Pid::from_raw(rest.split_whitespace().nth(1)?.parse().ok()?)?,
            ))
        })
        .collect();
    let mut next = 0;
    while let Some(parent) = family.get(next).copied() {
        let started = parents
            .iter()
            .filter(|(_, of)| *of == parent)
            .map(|(pid, _)| *pid);
        let unknown: Vec<_> = started.filter(|pid| !family.contains(pid)).collect();
        family.extend(unknown);
        next += 1;
    }
    family
}

fn signal(all: &[Pid], signal: Signal) {
    for pid in all {
        // One that is gone needs no asking.
        let _ = kill_process(*pid, signal);
    }
}

fn runs(pid: Pid) -> bool {
    let stat = std::fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
    let state = stat
        .rsplit_str(")")
        .next()
        .and_then(|rest| rest.trim().first().copied());
    test_kill_process(pid).is_ok() && !matches!(state, Some(b'Z' | b'X'))
}
