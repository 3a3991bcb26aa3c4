//! Our program run under strace: every system call that changes something, counted in one run and
//! made to fail in others.
//!
//! strace counts calls by name and for each process by itself, so a point is a name and a number.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;

use rustix::process::{Pid, Signal, kill_process};

/// All calls that change what is on disk, or that other programs could see.
const CHANGING: &str = "?open,openat,?openat2,?creat,write,writev,pwrite64,pwritev,?pwritev2,sendfile,copy_file_range,splice,\
    fallocate,ftruncate,truncate,?rename,?renameat,renameat2,?link,linkat,?symlink,symlinkat,?unlink,unlinkat,?mkdir,mkdirat,\
    ?rmdir,?chmod,fchmod,fchmodat,?fchmodat2,?chown,fchown,fchownat,utimensat,?utime,?utimes,?futimesat,setxattr,fsetxattr,\
    ?mknod,mknodat,msync,fsync,fdatasync,syncfs,sync,sync_file_range,flock,execve,?fork,?vfork,clone,?clone3";
/// Where it waits for a child; only a signal is of interest there.
const WAITING: [&str; 2] = ["wait4", "waitid"];

/// What is done to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    Error(&'static str),
    Signal(&'static str),
}

impl Fault {
    pub(crate) const ALL: [Fault; 7] = [
        Fault::Error("EIO"),
        Fault::Error("ENOSPC"),
        Fault::Error("EACCES"),
        Fault::Signal("SIGKILL"),
        Fault::Signal("SIGTERM"),
        Fault::Signal("SIGINT"),
        Fault::Signal("SIGHUP"),
    ];
    pub(crate) const KILL: Fault = Fault::Signal("SIGKILL");
    pub(crate) const TERM: Fault = Fault::Signal("SIGTERM");
    pub(crate) const EIO: Fault = Fault::Error("EIO");

    /// The number of the signal that it is.
    pub(crate) fn signal(self) -> Option<i32> {
        match self {
            Fault::Error(_) => None,
            Fault::Signal("SIGHUP") => Some(1),
            Fault::Signal("SIGINT") => Some(2),
            Fault::Signal("SIGKILL") => Some(9),
            Fault::Signal(_) => Some(15),
        }
    }

    /// Whether it can be met at a call.
    pub(crate) fn concerns(self, call: &Call) -> bool {
        match self {
            Fault::Signal(_) => true,
            // `sync` has no way to fail.
            Fault::Error(_) => {
                !WAITING.contains(&call.name.as_str()) && !["execve", "sync"].contains(&&*call.name)
            }
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Fault::Error(name) | Fault::Signal(name)) = self;
        f.write_str(name)
    }
}

/// One call of a run: the so-manieth of its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) number: usize,
    pub(crate) text: String,
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.name, self.number)
    }
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// Returns the exit status; a change that was made but for conflicts was made.
    pub(crate) fn code(&self) -> Option<i32> {
        self.status
            .code()
            .map(|code| if code == 4 { 0 } else { code })
    }

    pub(crate) fn signal(&self) -> Option<i32> {
        self.status.signal()
    }
}

/// What strace is to do besides looking on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Injection(Vec<String>);

impl Injection {
    pub(crate) fn at(fault: Fault, call: &Call) -> Self {
        let what = match fault {
            Fault::Error(name) => format!("error={name}"),
            Fault::Signal(name) => format!("signal={name}"),
        };
        Self(vec![format!(
            "inject={}:{what}:when={}",
            call.name, call.number
        )])
    }

    /// Stops the program when a call has returned.
    pub(crate) fn stop_after(call: &Call) -> Self {
        Self(vec![format!(
            "inject={}:signal=SIGSTOP:when={}",
            call.name, call.number
        )])
    }

    /// Has every call of a name fail as well.
    #[must_use]
    pub(crate) fn and_always(mut self, name: &str, error: &str) -> Self {
        self.0.push(format!("inject={name}:error={error}"));
        self
    }

    /// Does both.
    #[must_use]
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    pub(crate) fn options(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|expression| ["-e", expression])
    }
}

/// Which calls are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Calls {
    /// Those that change something.
    Changing,
    /// Every one.
    All,
}

impl Calls {
    /// Looks at those that are injected as well: strace lets others be.
    fn expression(self, injection: &Injection) -> String {
        let injected = injection
            .0
            .iter()
            .filter_map(|expression| expression.strip_prefix("inject=")?.split(':').next());
        match self {
            Calls::Changing => injected.fold(
                format!("trace={CHANGING},{}", WAITING.join(",")),
                |all, call| all + "," + call,
            ),
            Calls::All => "trace=all".to_owned(),
        }
    }
}

/// The options that have strace look on and write to a file.
pub(crate) fn options(log: &Path, calls: Calls, injection: &Injection) -> Vec<String> {
    let log = log
        .to_str()
        .expect("temporary directories have plain names");
    let mut options: Vec<String> = ["-o", log, "-s", "256", "-e", &calls.expression(injection)]
        .map(str::to_owned)
        .into();
    options.extend(injection.options().map(str::to_owned));
    options
}

/// Puts strace in front of a command. Its children aren't looked at.
pub(crate) fn traced(
    command: &Command,
    log: &Path,
    calls: Calls,
    injection: &Injection,
) -> Command {
    let mut strace = Command::new("strace");
    strace
        .args(options(log, calls, injection))
        .arg("--")
        .arg(command.get_program())
        .args(command.get_args());
    take_over(&mut strace, command);
    strace
}

/// Runs one command where and with what another would be run.
fn take_over(strace: &mut Command, command: &Command) {
    if let Some(directory) = command.get_current_dir() {
        strace.current_dir(directory);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => strace.env(name, value),
            None => strace.env_remove(name),
        };
    }
}

/// The same, of all that changes something, with the path behind every descriptor.
pub(crate) fn traced_with_paths(command: &Command, log: &Path, injection: &Injection) -> Command {
    let plain = traced(command, log, Calls::Changing, injection);
    let mut strace = Command::new(plain.get_program());
    strace.arg("-y").args(plain.get_args());
    take_over(&mut strace, &plain);
    strace
}

/// Says why nothing can be traced here.
pub(crate) fn hindrance() -> Option<String> {
    match Command::new("strace")
        .args(["-o", "/dev/null", "-e", "inject=chdir:error=EIO", "true"])
        .output()
    {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(format!(
            "strace can't trace here: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
        Err(fault) => Some(format!("strace can't be started: {fault}")),
    }
}

/// Reads what strace wrote: every call of the first process, numbered by name.
pub(crate) fn calls(log: &Path) -> Vec<Call> {
    numbered(String::from_utf8_lossy(&fs::read(log).expect("strace wrote a log")).lines())
}

/// Reads what `strace -f` wrote: for each process its calls.
pub(crate) fn calls_of_all(log: &Path) -> Vec<Call> {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let mut processes: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        let Some((pid, line)) = line.split_once(' ') else {
            continue;
        };
        match processes.iter_mut().find(|(known, _)| *known == pid) {
            Some((_, lines)) => lines.push(line.trim_start()),
            None => processes.push((pid, vec![line.trim_start()])),
        }
    }
    let mut calls: Vec<Call> = Vec::new();
    for call in processes
        .into_iter()
        .flat_map(|(_, lines)| numbered(lines.into_iter()))
    {
        // Injected into every process that comes so far, so one is enough.
        if !calls
            .iter()
            .any(|known| (&known.name, known.number) == (&call.name, call.number))
        {
            calls.push(call);
        }
    }
    calls
}

pub(crate) fn numbered<'l>(lines: impl Iterator<Item = &'l str>) -> Vec<Call> {
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    let mut calls = Vec::new();
    for line in lines {
        let Some((name, _)) = line.split_once('(') else {
            continue;
        };
        if name.is_empty()
            || !name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            continue;
        }
        let count = counts.entry(name.to_owned()).or_default();
        *count += 1;
        calls.push(Call {
            name: name.to_owned(),
            number: *count,
            text: line.to_owned(),
        });
    }
    calls
}

/// Leaves only those that change something, or wait: no opens for reading, and not the start of the
/// program itself.
pub(crate) fn that_change(calls: Vec<Call>) -> Vec<Call> {
    let changes = |call: &Call| match call.name.as_str() {
        "open" | "openat" | "openat2" => ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"]
            .iter()
            .any(|flag| call.text.contains(flag)),
        "execve" => false,
        name => {
            WAITING.contains(&name)
                || CHANGING
                    .split(',')
                    .any(|known| known.trim_start_matches('?') == name)
        }
    };
    calls.into_iter().filter(changes).collect()
}

/// Leaves only those that read something, from the first look at the repository on: what comes
/// before is the loader's affair.
pub(crate) fn that_read(calls: &[Call]) -> Vec<&Call> {
    let first = calls
        .iter()
        .position(|call| call.text.contains("/work/.git"))
        .unwrap_or_default();
    let is_of = |call: &Call, names: &[&str]| names.contains(&call.name.as_str());
    let reads = |call: &&Call| match call.name.as_str() {
        name if name.starts_with("open") => that_change(vec![(*call).clone()]).is_empty(),
        name if name.starts_with("readlink") => true,
        _ => is_of(
            call,
            &[
                "read",
                "pread64",
                "getdents64",
                "stat",
                "lstat",
                "fstat",
                "newfstatat",
                "statx",
                "access",
            ],
        ),
    };
    // One that fails of itself is no news.
    calls[first..]
        .iter()
        .filter(reads)
        .filter(|call| !call.text.contains(" = -1 "))
        .collect()
}

/// Returns whether what was to be injected was.
pub(crate) fn was_met(log: &Path, fault: Fault) -> bool {
    let text = String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).into_owned();
    match fault {
        Fault::Error(_) => text.contains("(INJECTED)"),
        Fault::Signal(name) => {
            text.contains(&format!("--- {name} ")) || text.contains(&format!("killed by {name}"))
        }
    }
}

/// Runs a command to its end, and to that of all its children that kept its output open.
///
/// # Panics
/// If it takes a minute: then it hangs.
pub(crate) fn run(command: &mut Command, input: &[u8]) -> Ended {
    let child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let child = child
        .unwrap_or_else(|fault| panic!("{}: {fault}", command.get_program().to_string_lossy()));
    finish(child, input)
}

/// Waits for a child that was started with pipes.
pub(crate) fn finish(mut child: Child, input: &[u8]) -> Ended {
    let pid = Pid::from_child(&child);
    let (done, watch) = mpsc::channel::<()>();
    let watchdog = std::thread::spawn(move || {
        let hangs =
            watch.recv_timeout(crate::support::PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout);
        if hangs {
            // strace alone would leave those that it traces, and their ends of the pipes.
            for one in with_offspring(pid) {
                let _ = kill_process(one, Signal::KILL);
            }
        }
        hangs
    });
    let mut stdin = child.stdin.take();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        use std::io::Write as _;
        // A program that is killed reads nothing more.
        let _ = stdin.as_mut().map(|stdin| stdin.write_all(&input));
    });
    let output = child.wait_with_output().expect("a child can be waited for");
    let _ = done.send(());
    writer.join().expect("the writer doesn't panic");
    assert!(
        !watchdog.join().expect("the watchdog doesn't panic"),
        "it hangs"
    );
    Ended {
        status: output.status,
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Returns a process and all that it started, by themselves or through others.
fn with_offspring(pid: Pid) -> Vec<Pid> {
    let parent_of = |entry: std::io::Result<fs::DirEntry>| {
        let directory = entry.ok()?.path();
        let child = directory.file_name()?.to_str()?.parse().ok()?;
        let stat = fs::read_to_string(directory.join("stat")).ok()?;
        // Behind the program's name, which may hold anything, come its state and its parent.
        let parent = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?;
        Some((Pid::from_raw(child)?, Pid::from_raw(parent)?))
    };
    let all: Vec<(Pid, Pid)> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(parent_of)
        .collect();
    let mut found = vec![pid];
    let mut at = 0;
    while let Some(&above) = found.get(at) {
        found.extend(
            all.iter()
                .filter(|(_, parent)| *parent == above)
                .map(|(child, _)| *child),
        );
        at += 1;
    }
    found
}

/// Finds a program as a shell would.
pub(crate) fn which(name: &str) -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|directory| directory.join(OsStr::new(name)))
        .find(|file| file.is_file())
}
