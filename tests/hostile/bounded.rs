//! Runs that mustn't take more than so much memory, and mustn't hang.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{PATIENCE, Run, isolated, program, run};

/// Runs our program with at most so many MiB of address space: what it can't have, it dies of.
pub(crate) fn within(mebibytes: usize, directory: &Path, args: &[&str], input: &[u8]) -> Run {
    let mut command = isolated(Command::new("sh"), directory);
    command
        .args([
            "-c",
            &format!("ulimit -v {} && exec \"$0\" \"$@\"", mebibytes << 10),
            program(),
        ])
        .args(args);
    patiently(command, input)
}

/// Runs a command, and fails if it hangs.
pub(crate) fn patiently(mut command: Command, input: &[u8]) -> Run {
    // What it prints goes through files: a pipe that nobody empties would hang it.
    let said = assert_fs::TempDir::new().unwrap();
    let stream = |name: &str| std::fs::File::create(said.path().join(name)).unwrap();
    std::fs::write(said.path().join("in"), input).unwrap();
    command.stdin(std::fs::File::open(said.path().join("in")).unwrap());
    let mut child = command
        .stdout(Stdio::from(stream("out")))
        .stderr(Stdio::from(stream("err")))
        .spawn()
        .unwrap();
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{command:?} hangs");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let text = |name: &str| {
        String::from_utf8_lossy(&std::fs::read(said.path().join(name)).unwrap()).into_owned()
    };
    let stdout_bytes = std::fs::read(said.path().join("out")).unwrap();
    Run {
        status: status.code().unwrap_or(-1),
        stdout: text("out"),
        stderr: text("err"),
        stdout_bytes,
    }
}

#[test]
fn the_bound_on_memory_holds() {
    let run = run(
        Command::new("sh").args(["-c", "ulimit -v 1024 && exec \"$0\" --version", program()]),
        b"",
    );
    assert_ne!(
        run.status, 0,
        "a program that has no memory can't run: {}",
        run.stdout
    );
}
