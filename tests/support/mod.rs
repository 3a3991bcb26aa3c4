//! Real repositories in temporary directories, and our program run in them.
//!
//! Nothing of the developer's own git configuration gets in, and nothing of the environment that
//! git reads.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test program uses a part of it"
)]
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

pub mod documents;
pub mod seed;
pub mod system;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use assert_fs::TempDir;
use assert_fs::fixture::ChildPath;
use assert_fs::prelude::*;
use llmpatch_cases::TestCase;
use similar::TextDiff;

pub use llmpatch_cases::CaseFile as OnDisk;
pub use system::{Need, needs, symlink};

/// Lets `$us` be our process in a hook: the nearest of its ancestors that has our name.
pub const US: &str = "us=$PPID; until [ -z \"$us\" ] || grep -qsx git-llmpatch /proc/$us/comm; do us=$(sed -n 's/^PPid:[^0-9]*//p' /proc/$us/status); done";

/// A repository with a work tree of its own, in a directory that is always called `work`: OPX can
/// name it (`root="work"`).
pub struct Repo {
    directory: TempDir,
    top: ChildPath,
}

/// How a program ended and what it said.
#[derive(Debug)]
pub struct Run {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
    pub stdout_bytes: Vec<u8>,
}

impl Run {
    pub fn of(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            stdout_bytes: output.stdout,
        }
    }

    /// Demands exit status 0.
    #[track_caller]
    pub fn succeeded(self) -> Self {
        assert_eq!(self.status, 0, "{}{}", self.stdout, self.stderr);
        self
    }

    /// Demands an exit status.
    #[track_caller]
    pub fn ended(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{}{}", self.stdout, self.stderr);
        self
    }
}

impl Repo {
    /// Makes a repository without a commit.
    pub fn empty() -> Self {
        system::take_defaults();
        let directory = TempDir::new().unwrap();
        let top = directory.child("work");
        top.create_dir_all().unwrap();
        seed::init(&top);
        Self { directory, top }
    }

    /// Makes a repository whose one commit holds these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let repo = Self::empty();
        for (path, content) in files {
            repo.child(path).write_str(content).unwrap();
        }
        repo.begin();
        repo
    }

    /// Makes a repository whose one commit holds the files of a case.
    pub fn of_case(case: &TestCase) -> Self {
        let repo = Self::empty();
        for (path, file) in case.before() {
            repo.put(path.as_ref(), &file);
        }
        repo.begin();
        repo
    }

    /// Writes a file as it is somewhere else.
    fn put(&self, path: &Path, file: &OnDisk) {
        let path = self.top.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if file.link {
            symlink(system::path_of_bytes(&file.bytes), path);
            return;
        }
        fs::write(&path, &file.bytes).unwrap();
        if file.executable {
            system::set_mode(&path, 0o755);
        }
    }

    /// Makes the first commit.
    fn begin(&self) {
        if !seed::commit(self.path(), "base") {
            self.commit("base");
        }
    }

    pub fn path(&self) -> &Path {
        &self.top
    }

    pub fn child(&self, path: impl AsRef<Path>) -> ChildPath {
        self.top.child(path)
    }

    /// Writes a program.
    #[track_caller]
    pub fn script(&self, path: &str, text: &str) {
        needs(Need::Shell);
        let path = self.child(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        system::write_script(&path, text);
    }

    pub fn read(&self, path: &str) -> Vec<u8> {
        fs::read(self.child(path)).unwrap_or_else(|err| panic!("{path}: {err}"))
    }

    pub fn text(&self, path: &str) -> String {
        String::from_utf8(self.read(path)).unwrap()
    }

    #[track_caller]
    pub fn mode(&self, path: &str) -> u32 {
        system::mode(&self.child(path))
    }

    #[track_caller]
    pub fn chmod(&self, path: &str, mode: u32) {
        system::set_mode(&self.child(path), mode);
    }

    /// Makes a file read-only, or writable again, as every system knows it.
    pub fn set_read_only(&self, path: &str, is_read_only: bool) {
        let path = self.child(path);
        let mut rights = fs::metadata(&path).unwrap().permissions();
        #[allow(
            clippy::permissions_set_readonly_false,
            reason = "in a directory of this test's own"
        )]
        rights.set_readonly(is_read_only);
        fs::set_permissions(&path, rights).unwrap();
    }

    /// Removes a file, a read-only one too.
    pub fn remove(&self, path: impl AsRef<Path>) {
        let path = path.as_ref();
        if cfg!(windows) {
            self.set_read_only(path.to_str().unwrap(), false);
        }
        fs::remove_file(self.child(path)).unwrap();
    }

    /// Puts a file of any mode into the index alone.
    pub fn stage(&self, path: &str, mode: &str, content: &str) {
        let id = self.git_with_input(&["hash-object", "-w", "--stdin"], content.as_bytes());
        let entry = format!("{mode},{},{path}", id.trim());
        self.git(&["update-index", "--add", "--cacheinfo", &entry]);
    }

    /// Stages and commits everything.
    pub fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }

    /// Every file outside `.git`.
    pub fn files(&self) -> BTreeMap<PathBuf, OnDisk> {
        files(self.path())
    }

    /// Runs git, which must succeed, and returns what it printed.
    #[track_caller]
    pub fn git(&self, args: &[&str]) -> String {
        self.git_with_input(args, b"")
    }

    #[track_caller]
    pub fn git_with_input(&self, args: &[&str], input: &[u8]) -> String {
        let run = run(isolated(Command::new("git"), self.path()).args(args), input);
        assert_eq!(run.status, 0, "git {args:?}: {}{}", run.stdout, run.stderr);
        run.stdout
    }

    /// Runs our program with a subcommand, arguments and a response, which messages call `patch.txt`.
    pub fn llmpatch(&self, command: &str, args: &[impl AsRef<OsStr>], response: &[u8]) -> Run {
        let name = "patch.txt";
        let outside = TempDir::new().unwrap();
        outside.child(name).write_binary(response).unwrap();
        let mut command_line = isolated(Command::new(program()), outside.path());
        command_line
            .env("GIT_DIR", self.child(".git").path())
            .env("GIT_WORK_TREE", self.path());
        run(command_line.arg(command).args(args).arg(name), b"")
    }

    /// Runs our program in this repository with any arguments, and a response on standard input.
    pub fn run(&self, args: &[&str], input: impl AsRef<[u8]>) -> Run {
        // What the command line's own tests run is asked for as a document, too.
        let twin = (env!("CARGO_CRATE_NAME") == "cli" && is_chosen(args, input.as_ref()))
            .then(|| documents::Twin::of(self, args))
            .flatten();
        let run = run(self.command().args(args), input.as_ref());
        if let Some(twin) = twin {
            twin.compare(args, input.as_ref(), &run);
        }
        run
    }

    /// Takes a copy, as it is now.
    pub fn copied(&self) -> Self {
        let directory = TempDir::new().unwrap();
        let top = directory.child("work");
        system::copy(&self.top, &top);
        Self { directory, top }
    }

    /// Our program, ready to be run in this repository.
    pub fn command(&self) -> Command {
        isolated(Command::new(program()), self.path())
    }
}

/// Runs a command with this input.
pub fn run(command: &mut Command, input: &[u8]) -> Run {
    let command = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = system::start(command).unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let _is_over = system::watch(&child);
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Run::of(output)
}

/// How long anything may take that would hang for ever if something were wrong: far longer than it
/// takes on the busiest machine. Nothing is measured by it.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// Waits until a program has nothing to do but to let time pass; where the kernel doesn't tell, for
/// a while.
pub fn await_sleep(child: &std::process::Child) {
    let started = Instant::now();
    let is_asleep = || {
        fs::read_to_string(format!("/proc/{}/wchan", child.id()))
            .is_ok_and(|at| at.contains("nanosleep"))
    };
    while !is_asleep() && started.elapsed() < Duration::from_secs(3) {
        std::thread::yield_now();
    }
}

/// Makes a named pipe; by the program for it, since macOS has no `mknodat`.
#[track_caller]
pub fn make_pipe(path: &Path) {
    needs(Need::Pipes);
    assert!(
        Command::new("mkfifo").arg(path).status().unwrap().success(),
        "{}",
        path.display()
    );
}

/// Makes a device, a character's (`c`) or a block's (`b`), and returns whether the system allows
/// that; by the program for it, too.
pub fn make_device(path: &Path, kind: &str, (major, minor): (u32, u32)) -> bool {
    let numbers = [major, minor].map(|number| number.to_string());
    Command::new("mknod")
        .arg(path)
        .arg(kind)
        .args(numbers)
        .output()
        .is_ok_and(|made| made.status.success())
}

/// Where our program is.
pub fn program() -> &'static str {
    system::take_defaults();
    env!("CARGO_BIN_EXE_git-llmpatch")
}

/// Makes ready a program of Unix.
#[track_caller]
pub fn unix(name: &str) -> Command {
    needs(if name == "sh" {
        Need::Shell
    } else {
        Need::Programs
    });
    Command::new(name)
}

/// Returns a PATH on which our program is found first.
pub fn path() -> OsString {
    let ours = Path::new(program()).parent().unwrap().to_owned();
    let all = std::env::var_os("PATH").unwrap();
    std::env::join_paths([ours].into_iter().chain(std::env::split_paths(&all))).unwrap()
}

/// Makes a directory with these programs alone, to be a PATH; none if one isn't on the PATH.
pub fn programs(names: &[&str]) -> Option<TempDir> {
    needs(Need::Programs);
    let all = path();
    let directory = TempDir::new().unwrap();
    for name in names {
        let mut places = std::env::split_paths(&all).map(|place| place.join(name));
        let Some(program) = places.find(|place| place.is_file()) else {
            eprintln!("no {name}: not tried");
            return None;
        };
        symlink(program, directory.path().join(name));
    }
    Some(directory)
}

/// Returns whether all rows of a table are to be tried: `CASES=all`, as in `.ci/run`.
pub fn in_full() -> bool {
    std::env::var_os("CASES").is_some_and(|extent| extent == "all")
}

/// Returns each `nth` row of a table, or all rows where all are to be tried.
pub fn some<T>(rows: impl IntoIterator<Item = T>, nth: usize) -> impl Iterator<Item = T> {
    rows.into_iter().step_by(if in_full() { 1 } else { nth })
}

/// Returns with how many random inputs a law is tried: with all only where all rows are.
pub fn few(cases: u32) -> u32 {
    if in_full() { cases } else { cases / 8 }
}

/// Chooses some runs, the same each time.
fn is_chosen(args: &[&str], input: &[u8]) -> bool {
    let mut hasher = DefaultHasher::new();
    (args, input).hash(&mut hasher);
    in_full() || hasher.finish().is_multiple_of(4)
}

/// Returns whether git is to do all conversions: what `BACKEND=git cargo test --test cli` asks for.
pub fn all_by_git() -> bool {
    std::env::var_os("BACKEND").is_some_and(|backend| backend == "git")
}

/// What a command has of our environment: where programs, libraries and the directory for temporary
/// files are, and what tools that look on write.
const KEPT: [&str; 5] = [
    "PATH",
    "LD_LIBRARY_PATH",
    "TMPDIR",
    "LLVM_PROFILE_FILE",
    "RUST_BACKTRACE",
];

/// Returns a directory for a user who has nothing.
fn home() -> PathBuf {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("home");
    fs::create_dir_all(&home).unwrap();
    // In wine, the directory of another system was written into the tests.
    std::path::absolute(home).unwrap()
}

/// Takes everything out of a command's environment that would make a run depend on the machine.
pub fn isolated(mut command: Command, directory: &Path) -> Command {
    system::take_defaults();
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        // Windows and its programs need many.
        if name.starts_with("GIT_") || cfg!(unix) && !KEPT.contains(&&*name) {
            command.env_remove(&*name);
        }
    }
    if all_by_git() {
        command.env("GIT_CONFIG_PARAMETERS", "'llmpatch.backend'='git'");
    }
    command
        .current_dir(directory)
        .env("HOME", home())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_NAME", "Ann Author")
        .env("GIT_AUTHOR_EMAIL", "ann@example.com")
        .env("GIT_COMMITTER_NAME", "Carl Committer")
        .env("GIT_COMMITTER_EMAIL", "carl@example.com")
        .env("LC_ALL", "C.UTF-8")
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        // However slow the machine is.
        .env("GIT_PROGRESS_DELAY", "100000")
        .env_remove("EDITOR")
        .env_remove("VISUAL")
        .env_remove("PAGER");
    command
}

/// Every file below a directory but git's own.
pub fn files(root: &Path) -> BTreeMap<PathBuf, OnDisk> {
    fn walk(root: &Path, directory: &Path, found: &mut BTreeMap<PathBuf, OnDisk>) {
        for entry in
            fs::read_dir(directory).unwrap_or_else(|err| panic!("{}: {err}", directory.display()))
        {
            let path = entry.unwrap().path();
            if path.file_name() == Some(OsStr::new(".git")) {
                continue;
            }
            let meta = path.symlink_metadata().unwrap();
            if meta.is_dir() {
                walk(root, &path, found);
                continue;
            }
            let link = meta.is_symlink();
            let bytes = match link {
                true => fs::read_link(&path)
                    .unwrap()
                    .into_os_string()
                    .into_encoded_bytes(),
                false if meta.is_file() => fs::read(&path).unwrap(),
                false => Vec::new(),
            };
            let executable = meta.is_file() && system::is_executable(&meta);
            found.insert(
                path.strip_prefix(root).unwrap().to_owned(),
                OnDisk {
                    executable,
                    link,
                    bytes,
                },
            );
        }
    }
    let mut found = BTreeMap::new();
    walk(root, root, &mut found);
    found
}

/// Compares text with what a file holds; `SNAPSHOTS=overwrite` writes the file instead.
#[track_caller]
pub fn snapshot(got: String, file: &Path) {
    let want = fs::read_to_string(file).unwrap_or_default();
    if want == got {
        return;
    }
    if std::env::var_os("SNAPSHOTS").is_some_and(|how| how == "overwrite") {
        fs::write(file, got).unwrap();
        return;
    }
    let (file, lines) = (file.display(), difference(&want, &got));
    panic!("{file}:\n{lines}\nif that is as it should be: SNAPSHOTS=overwrite renews the file");
}

/// Returns the lines in which two texts differ.
pub fn difference(want: &str, got: &str) -> String {
    let lines = TextDiff::from_lines(want, got);
    lines.unified_diff().header("wanted", "got").to_string()
}
