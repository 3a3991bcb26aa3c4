//! The instructions that a program needs, counted by valgrind.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// What a program and all that it started needed.
pub struct Count {
    pub status: ExitStatus,
    pub processes: usize,
    pub instructions: u64,
}

/// Returns a command that nothing of the environment gets into but where programs are.
pub fn isolated(program: &str) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", "/nonexistent")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Runs a program, isolated, in `top` beneath a directory and counts; `None` where there is no
/// valgrind.
pub fn count(directory: &Path, program: &str, arguments: &[String]) -> Option<Count> {
    let logs = tempfile::tempdir_in(directory).expect("a directory can be made");
    let status = isolated("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg("--trace-children=yes")
        .arg(format!("--log-file={}/%p", logs.path().display()))
        .arg(program)
        .args(arguments)
        .current_dir(directory.join("top"))
        .status()
        .ok()?;
    let counts: Vec<u64> = fs::read_dir(logs.path())
        .ok()?
        .filter_map(counted)
        .collect();
    Some(Count {
        status,
        processes: counts.len(),
        instructions: counts.iter().sum(),
    })
}

/// Returns what the log of a process says that it needed.
fn counted(log: std::io::Result<fs::DirEntry>) -> Option<u64> {
    let log = fs::read_to_string(log.ok()?.path()).ok()?;
    let (_, count) = log.rsplit_once("Collected : ")?;
    count.split_whitespace().next()?.parse().ok()
}
