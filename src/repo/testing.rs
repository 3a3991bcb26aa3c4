//! Repositories for tests, made by the git program: nothing of the developer's configuration,
//! nothing left behind.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Repo;
use llmpatch::path::RepoPath;

/// Returns whether all of what could be tried is to be: `CASES=all`, as in `.ci/run`.
fn in_full() -> bool {
    std::env::var_os("CASES").is_some_and(|extent| extent == "all")
}

/// Returns each `nth` row of a table, or all rows where all are to be tried.
pub(crate) fn some<T>(rows: impl IntoIterator<Item = T>, nth: usize) -> impl Iterator<Item = T> {
    rows.into_iter().step_by(if in_full() { 1 } else { nth })
}

/// Returns with how many random inputs a law is tried: with all only where all rows are.
pub(crate) fn few(cases: u32) -> u32 {
    if in_full() { cases } else { cases / 8 }
}

/// A repository in a directory of its own, which goes when this goes.
pub(crate) struct Sample {
    directory: tempfile::TempDir,
}

impl Sample {
    /// Makes an empty repository.
    pub(crate) fn new() -> Self {
        Self::with("--object-format=sha1")
    }

    /// Makes an empty repository by `git init` with an option.
    pub(crate) fn with(option: &str) -> Self {
        let sample = Self {
            directory: tempfile::tempdir().unwrap(),
        };
        std::fs::create_dir(sample.top()).unwrap();
        sample.git_args(&["init", "-q", "-b", "main", option]);
        // The user's own, which are found without git's configuration.
        let config = sample.top().join(".git/config");
        let mut text = std::fs::read_to_string(&config).unwrap();
        text += "[core]\nattributesFile = /dev/null\nexcludesFile = /dev/null\n";
        std::fs::write(config, text).unwrap();
        sample
    }

    /// Returns the top of the work tree.
    pub(crate) fn top(&self) -> PathBuf {
        self.directory.path().join("top")
    }

    /// Returns the directory around the work tree.
    pub(crate) fn outside(&self) -> &Path {
        self.directory.path()
    }

    /// Writes a file, directories included.
    pub(crate) fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.write(path, content);
        self
    }

    /// Stages all and commits it.
    pub(crate) fn committed(self) -> Self {
        self.git("add -A");
        self.git("commit -q --allow-empty -m sample");
        self
    }

    /// Runs git commands.
    pub(crate) fn then(self, args: &str) -> Self {
        self.git(args);
        self
    }

    /// Writes a file, directories included.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let file = self.top().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, content).unwrap();
    }

    /// Sets the permission bits of a file.
    pub(crate) fn chmod(&self, path: &str, bits: u32) {
        std::fs::set_permissions(self.top().join(path), std::fs::Permissions::from_mode(bits))
            .unwrap();
    }

    /// Runs git, arguments separated by spaces, and returns what it prints.
    pub(crate) fn git(&self, args: &str) -> Vec<u8> {
        let args: Vec<&str> = args.split(' ').collect();
        self.git_args(&args)
    }

    /// Runs git and returns what it prints.
    pub(crate) fn git_args(&self, args: &[&str]) -> Vec<u8> {
        let output = self.git_command().args(args).output().unwrap();
        assert!(
            output.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        output.stdout
    }

    /// Returns git, to be run here, with nothing of the user's.
    pub(crate) fn git_command(&self) -> Command {
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("GIT_") {
                command.env_remove(name);
            }
        }
        for who in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{who}_NAME"), "A U Thor")
                .env(format!("GIT_{who}_EMAIL"), "author@example.org");
            command.env(format!("GIT_{who}_DATE"), "2001-02-03T04:05:06Z");
        }
        command
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_ATTR_NOSYSTEM", "1")
            .current_dir(self.top());
        command
    }

    /// Opens it, with its own configuration and no other.
    pub(crate) fn open(&self) -> Repo {
        let repo = Repo::open_at(&self.top()).unwrap();
        let mut config = git2::Config::open(&repo.git.commondir().join("config")).unwrap();
        let own = repo.git.path().join("config.worktree");
        if own.exists() {
            config
                .add_file(&own, git2::ConfigLevel::Worktree, false)
                .unwrap();
        }
        repo.git.set_config(&config).unwrap();
        Repo::open_again(repo).unwrap()
    }
}

/// Makes a path.
pub(crate) fn path(text: &str) -> RepoPath {
    RepoPath::new(text.as_bytes()).unwrap()
}
