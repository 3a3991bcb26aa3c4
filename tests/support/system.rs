//! What tests ask a system for, and what a test needs that Windows hasn't got.

use std::fs::Metadata;
use std::io;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::mpsc::Sender;

use git2::{IndexEntry, IndexTime};

/// What a test needs and Windows lacks, or has in a way that no test was made for.
#[derive(Clone, Copy, strum::Display, strum::EnumString)]
pub enum Need {
    /// Hooks, filters, editors: programs that are scripts, and a shell that runs them. Windows has
    /// one where git brought it, or it was put there.
    #[strum(to_string = "a shell")]
    Shell,
    /// A git that is no older than 2.45.
    #[strum(to_string = "a newer git")]
    NewGit,
    /// `git mergetool` and its like, which a git that is built for wine lacks.
    #[strum(to_string = "git's commands that are scripts")]
    Scripts,
    /// A filter that is a program in Perl.
    #[strum(to_string = "Perl")]
    Perl,
    /// Programs of Unix other than a shell: `unshare`, `chown`, a script in the place of git.
    #[strum(to_string = "programs of Unix")]
    Programs,
    #[strum(to_string = "links")]
    Links,
    #[strum(to_string = "permission bits")]
    Bits,
    /// Files that belong to other users and groups, and root, who may give files away.
    #[strum(to_string = "owners")]
    Owners,
    #[strum(to_string = "named pipes")]
    Pipes,
    /// Names with characters that no name has on Windows, or that aren't UTF-8.
    #[strum(to_string = "names that Windows hasn't")]
    Names,
    #[strum(to_string = "names that differ in case alone")]
    Cases,
    /// Conversions of encodings by git, which a git that is built for wine may lack.
    #[strum(to_string = "a git that converts encodings")]
    Encodings,
    /// Absolute paths as Unix writes them.
    #[strum(to_string = "paths of Unix")]
    Paths,
    #[strum(to_string = "a program that presses Ctrl-C (.ci/wine/interrupt.c)")]
    Interrupter,
}

/// Ends a test where it can't be tried. It fails with a line that starts with `skipped: `, for a test
/// has no other end that isn't success; `.ci/tally.py` counts these apart.
#[track_caller]
pub fn needs(need: Need) {
    let is_there = cfg!(unix)
        || match need {
            Need::Shell => ends_as_told("sh", "-c"),
            Need::Perl => ends_as_told("perl", "-e"),
            Need::Encodings => git_converts(),
            Need::Scripts => has_scripts(),
            Need::NewGit => has_new_git(),
            _ => false,
        };
    assert!(is_there, "skipped: needs {need}");
}

/// Whether there is an interpreter that this option gives a program to.
fn ends_as_told(interpreter: &str, option: &str) -> bool {
    let ended = Command::new(interpreter).args([option, "exit 7"]).status();
    ended.is_ok_and(|status| status.code() == Some(7))
}

fn has_new_git() -> bool {
    let said = Command::new("git").arg("--version").output();
    let version = said.map(|said| String::from_utf8_lossy(&said.stdout).into_owned());
    let minor = version
        .ok()
        .and_then(|version| version.split('.').nth(1)?.parse::<u32>().ok());
    minor.is_some_and(|minor| minor >= 45)
}

fn has_scripts() -> bool {
    let listed = Command::new("git").args(["--list-cmds=main"]).output();
    listed.is_ok_and(|listed| String::from_utf8_lossy(&listed.stdout).contains("mergetool"))
}

fn git_converts() -> bool {
    const LETTER_A: &str = "2e65efe2a145dda7ee51d1741299f848e5bf752e";
    let directory = assert_fs::TempDir::new().unwrap();
    std::fs::write(directory.path().join("a"), "a\0").unwrap();
    std::fs::write(
        directory.path().join("rules"),
        "a working-tree-encoding=UTF-16LE",
    )
    .unwrap();
    let made = Command::new("git")
        .args(["-c", "core.attributesFile=rules", "hash-object", "a"])
        .current_dir(&directory)
        .output();
    made.is_ok_and(|made| made.stdout.starts_with(LETTER_A.as_bytes()))
}

pub use here::*;

#[cfg(unix)]
mod here {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::sync::{Arc, Once};

    use signal_hook::{consts, flag};

    use super::*;

    #[track_caller]
    pub fn symlink(target: impl AsRef<Path>, link: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, link).unwrap();
    }

    pub fn mode(path: &Path) -> u32 {
        path.symlink_metadata().unwrap().mode() & 0o7777
    }

    pub fn set_mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    pub fn is_executable(meta: &Metadata) -> bool {
        meta.mode() & 0o100 != 0
    }

    /// Writes a script; by a program, since what is started while we write a file inherits it open,
    /// and a file that is open for writing can't be run.
    #[track_caller]
    pub fn write_script(path: &Path, text: &str) {
        let write = ["-c", "printf %s \"$1\" >\"$0\" && chmod 755 \"$0\""];
        let mut shell = Command::new("sh");
        let status = shell
            .args(write)
            .args([path.as_os_str(), text.as_ref()])
            .status();
        assert!(status.unwrap().success(), "{}", path.display());
    }

    /// Returns a number that another file has never had.
    pub fn inode(path: &Path) -> u64 {
        path.metadata().unwrap().ino()
    }

    pub fn path_of_bytes(bytes: &[u8]) -> &Path {
        Path::new(OsStr::from_bytes(bytes))
    }

    /// Returns what git's index holds of a file before it is known what is in it.
    pub fn index_entry(meta: &Metadata) -> IndexEntry {
        let time =
            |seconds: i64, nanoseconds: i64| IndexTime::new(seconds as i32, nanoseconds as u32);
        IndexEntry {
            ctime: time(meta.ctime(), meta.ctime_nsec()),
            mtime: time(meta.mtime(), meta.mtime_nsec()),
            dev: meta.dev() as u32,
            ino: meta.ino() as u32,
            mode: 0,
            uid: meta.uid(),
            gid: meta.gid(),
            file_size: meta.size() as u32,
            id: git2::Oid::ZERO_SHA1,
            flags: 0,
            flags_extended: 0,
            path: Vec::new(),
        }
    }

    /// Has files be made with the usual bits, and all that is started from here on take signals as
    /// what is started at a terminal does. Where whoever started us ignores some (`nohup`, a shell's
    /// background), we go on ignoring them.
    pub fn take_defaults() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            rustix::process::umask(0o022.into());
            let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
            let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
            let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
            // std has them heed this one.
            let others = (1..32).filter(|signal| *signal != consts::SIGPIPE);
            for signal in others.filter(|signal| mask.unwrap_or(0) >> (signal - 1) & 1 == 1) {
                // What is caught, and not ignored, isn't inherited.
                let _ = flag::register(signal, Arc::default());
            }
        });
    }

    /// Returns whether files can be given to others here, by the user who runs the tests.
    pub fn is_root() -> bool {
        rustix::process::geteuid().is_root()
    }

    pub fn give_to_group(path: &Path, group: u32) {
        std::os::unix::fs::chown(path, None, Some(group)).unwrap();
    }

    pub fn group(path: &Path) -> u32 {
        path.metadata().unwrap().gid()
    }

    /// Starts a program.
    pub fn start(command: &mut Command) -> io::Result<Child> {
        command.spawn()
    }

    /// Watches nothing: no program hangs.
    pub fn watch(_: &Child) -> Option<Sender<()>> {
        None
    }

    /// Puts our program there, under another name.
    pub fn install(place: &Path) {
        symlink(crate::support::program(), place);
    }

    /// Copies a directory, or a file, with its times.
    pub fn copy(from: &Path, to: &Path) {
        let copied = Command::new("cp").arg("-a").args([from, to]).status();
        assert!(copied.unwrap().success());
    }
}

#[cfg(windows)]
mod here {
    use std::fs;
    use std::os::windows::fs::MetadataExt as _;
    use std::sync::mpsc::{RecvTimeoutError, channel};
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[track_caller]
    pub fn symlink(_: impl AsRef<Path>, _: impl AsRef<Path>) {
        needs(Need::Links);
    }

    #[track_caller]
    pub fn mode(_: &Path) -> u32 {
        needs(Need::Bits);
        0
    }

    #[track_caller]
    pub fn set_mode(_: &Path, _: u32) {
        needs(Need::Bits);
    }

    pub fn is_executable(_: &Metadata) -> bool {
        false
    }

    /// Writes a script: git runs what begins with `#!`.
    #[track_caller]
    pub fn write_script(path: &Path, text: &str) {
        std::fs::write(path, text).unwrap();
    }

    #[track_caller]
    pub fn inode(_: &Path) -> u64 {
        needs(Need::Bits);
        0
    }

    #[track_caller]
    pub fn path_of_bytes(bytes: &[u8]) -> &Path {
        Path::new(std::str::from_utf8(bytes).expect("a name of Windows is text"))
    }

    pub fn index_entry(meta: &Metadata) -> IndexEntry {
        // From 1601, in steps of 100 nanoseconds.
        let time = |ticks: u64| {
            let seconds = (ticks / 10_000_000).saturating_sub(11_644_473_600);
            IndexTime::new(seconds as i32, (ticks % 10_000_000 * 100) as u32)
        };
        IndexEntry {
            ctime: time(meta.creation_time()),
            mtime: time(meta.last_write_time()),
            dev: 0,
            ino: 0,
            mode: 0,
            uid: 0,
            gid: 0,
            file_size: meta.file_size() as u32,
            id: git2::Oid::ZERO_SHA1,
            flags: 0,
            flags_extended: 0,
            path: Vec::new(),
        }
    }

    #[track_caller]
    pub fn is_root() -> bool {
        needs(Need::Owners);
        false
    }

    #[track_caller]
    pub fn give_to_group(_: &Path, _: u32) {
        needs(Need::Owners);
    }

    #[track_caller]
    pub fn group(_: &Path) -> u32 {
        needs(Need::Owners);
        0
    }

    /// Does nothing: no signals are inherited, and no bits.
    pub fn take_defaults() {}

    /// Starts a program; in wine, which now and then can't, at the fifth attempt at last.
    pub fn start(command: &mut Command) -> io::Result<Child> {
        const INTERNAL_ERROR: i32 = 1359;
        for attempt in 1..5 {
            match command.spawn() {
                Err(error) if error.raw_os_error() == Some(INTERNAL_ERROR) => {
                    thread::sleep(Duration::from_millis(200 * attempt));
                }
                started => return started,
            }
        }
        command.spawn()
    }

    /// Ends a program that isn't done in two minutes, unless what this returns is dropped before: in
    /// wine some hang as they begin or end.
    pub fn watch(child: &Child) -> Option<Sender<()>> {
        let id = child.id().to_string();
        let (is_over, watched) = channel();
        thread::spawn(move || {
            if watched.recv_timeout(Duration::from_secs(120)) == Err(RecvTimeoutError::Timeout) {
                let _ = Command::new("taskkill").args(["/F", "/PID", &id]).output();
            }
        });
        Some(is_over)
    }

    pub fn install(place: &Path) {
        fs::copy(crate::support::program(), place).unwrap();
    }

    pub fn copy(from: &Path, to: &Path) {
        if !from.is_dir() {
            fs::copy(from, to).unwrap();
            return;
        }
        if !to.is_dir() {
            fs::create_dir(to).unwrap();
        }
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    }
}
