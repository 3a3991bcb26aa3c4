//! Who does something, said so that others can tell whether it still lives, even after its number went to another process.
//!
//! "Dead" is only said where it is certain: of a process of this machine and this set of process numbers that isn't there any
//! more, or of another boot of this machine. Of anything else nothing is known, and nothing of it is touched.

use std::fmt;

use rustix::process::{Pid, getpid, test_kill_process};

/// A process, as it was when this was written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) pid: i32,
    /// When the process started, in the kernel's own count; empty where the system doesn't say.
    start: String,
    /// Which machine that was on.
    host: String,
    /// Which boot of it; empty where the system doesn't say.
    boot: String,
    /// Which set of process numbers its number belongs to; empty where there is only one.
    numbers: String,
}

/// Whether a process lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    /// It does.
    Alive,
    /// It doesn't, for certain.
    Dead,
    /// It can't be seen from here.
    Unknown,
}

impl Owner {
    /// Describes this process.
    pub(super) fn own() -> Self {
        Self::of(getpid().as_raw_nonzero().get())
    }

    /// Describes a process of this machine.
    pub(super) fn of(pid: i32) -> Self {
        let start = start_of(pid).unwrap_or_default();
        Self { pid, start, host: host(), boot: boot(), numbers: numbers() }
    }

    /// Reads what [`fmt::Display`] wrote, from the lines that are next.
    pub(super) fn parse<'t>(lines: &mut impl Iterator<Item = &'t str>) -> Option<Self> {
        let mut field = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ').map(str::to_owned);
        let pid = field("pid")?.parse().ok()?;
        let (start, host) = (field("start")?, field("host")?);
        Some(Self { pid, start, host, boot: field("boot")?, numbers: field("numbers")? })
    }

    /// Says whether it lives.
    pub(super) fn life(&self) -> Life {
        if self.host != host() {
            return Life::Unknown;
        }
        if self.boot != boot() {
            return Life::Dead;
        }
        if self.numbers != numbers() {
            return Life::Unknown;
        }
        let Some(pid) = Pid::from_raw(self.pid) else { return Life::Unknown };
        if matches!(test_kill_process(pid), Err(rustix::io::Errno::SRCH)) {
            return Life::Dead;
        }
        match start_of(self.pid) {
            Some(start) if start == self.start => Life::Alive,
            // Another process has its number now, or it ended and only its parent hasn't asked how.
            Some(_) => Life::Dead,
            // Without `/proc` the number is all there is; with it, it ended between the two questions.
            None if self.start.is_empty() => Life::Alive,
            None => Life::Dead,
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pid, start, host, boot, numbers } = self;
        write!(f, "pid {pid}\nstart {start}\nhost {host}\nboot {boot}\nnumbers {numbers}\n")
    }
}

/// Returns when a process started, as the kernel counts; of one that ended and waits to be asked for, `ended`.
fn start_of(pid: i32) -> Option<String> {
    let (state, _, start) = stat(pid)?;
    Some(if matches!(state, 'Z' | 'X') { "ended".to_owned() } else { start })
}

/// Returns whether a process has ended, though perhaps nobody has asked how yet; such a one has nothing open.
pub(super) fn has_ended(pid: i32) -> bool {
    stat(pid).is_none_or(|(state, ..)| matches!(state, 'Z' | 'X'))
}

/// Returns the process that a process belongs to.
pub(super) fn parent_of(pid: i32) -> Option<i32> {
    stat(pid).map(|(_, parent, _)| parent)
}

/// Returns the state of a process, its parent, and when it started.
fn stat(pid: i32) -> Option<(char, i32, String)> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    // The name in parentheses may hold anything, so fields count from the last one closed: the 22nd is the 20th after it.
    let mut fields = stat.rsplit(')').next()?.split_whitespace();
    let state = fields.next()?.chars().next()?;
    let parent = fields.next()?.parse().ok()?;
    Some((state, parent, fields.nth(17)?.to_owned()))
}

fn boot() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().replace(['\n', '\0'], " ")
}

fn numbers() -> String {
    std::fs::read_link("/proc/self/ns/pid").map(|link| link.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dead_are_told_from_the_living_and_from_the_unknown() {
        let own = Owner::own();
        assert_eq!(Owner::parse(&mut own.to_string().lines()), Some(own.clone()));
        assert_eq!(own.life(), Life::Alive);
        if !own.start.is_empty() {
            assert_eq!(Owner { start: "1".into(), ..own.clone() }.life(), Life::Dead);
            assert_eq!(Owner { boot: "another".into(), ..own.clone() }.life(), Life::Dead);
            assert_eq!(Owner { host: "another".into(), boot: "x".into(), ..own.clone() }.life(), Life::Unknown);
            assert_eq!(Owner { numbers: "another".into(), ..own }.life(), Life::Unknown);
        }
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let started = Owner::of(pid);
        child.wait().unwrap();
        assert_eq!(started.life(), Life::Dead);
    }
}
