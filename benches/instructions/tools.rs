//! What a count depends on besides the source.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// Names the tools of here, without the revisions that packagers give them; `None` without valgrind.
pub(crate) fn here() -> Option<String> {
    let valgrind = last_word("valgrind")?;
    let rustc = first_line("rustc").unwrap_or_default();
    let compiler = last_word("cc").unwrap_or_default();
    let libc = last_word("ldd").unwrap_or_default();
    let arch = std::env::consts::ARCH;
    // Of what processors can do besides, valgrind shows a program this, where there is it.
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let vectors = if processor.contains(" avx2 ") {
        " with AVX2"
    } else {
        ""
    };
    Some(format!(
        "{rustc}, cc {compiler}, libc {libc}, {valgrind}, {arch}{vectors}"
    ))
}

fn last_word(program: &str) -> Option<String> {
    let line = first_line(program)?;
    Some(line.rsplit(' ').next()?.to_owned())
}

fn first_line(program: &str) -> Option<String> {
    let output = Command::new(program).arg("--version").output().ok()?;
    let version = String::from_utf8(output.stdout).ok()?;
    Some(version.lines().next()?.to_owned())
}

/// Has cargo build the program as it is released, and returns where it is.
pub(crate) fn release() -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--release", "--locked", "--bin=git-llmpatch"])
        .arg("--message-format=json")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo can be started");
    assert!(output.status.success(), "cargo builds no release");
    let told = String::from_utf8_lossy(&output.stdout);
    let mut built = told.lines().filter_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        message["executable"].as_str().map(PathBuf::from)
    });
    built.next_back().expect("cargo says where the program is")
}

/// Leaves this process and what it starts two processors, as the least machines have: work is
/// divided among as many as there are.
#[cfg(target_os = "linux")]
pub(crate) fn take_two_processors() {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    let all = sched_getaffinity(None).expect("Linux says where this may run");
    let mut two = CpuSet::new();
    for processor in (0..CpuSet::MAX_CPU).filter(|&nth| all.is_set(nth)).take(2) {
        two.set(processor);
    }
    sched_setaffinity(None, &two).expect("this may run there");
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn take_two_processors() {}
