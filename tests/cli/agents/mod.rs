//! The hooks of `examples/agents` in hosts that know less than those they are made for: no matcher, no
//! variable, other members in a call or none, a program that isn't installed. Each row says what
//! happens; in none is anything executed that a host hands over. `.packages/try agents` has the hosts
//! themselves.

mod claude_code;
mod codex;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use assert_fs::TempDir;
use assert_fs::prelude::*;
use serde_json::{Value, json};

use crate::support::{self, Repo, Run, isolated, run, symlink};

/// Returns the path of a file that agents are given.
fn example(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("examples/agents")
        .join(path)
}

/// A host that starts hooks by a shell.
struct Host {
    shell: &'static str,
    repo: Repo,
    /// The PATH: what hooks need, and nothing else.
    programs: TempDir,
}

impl Host {
    /// Makes one; none where a program is missing, such as jq.
    fn with(shell: &'static str) -> Option<Self> {
        let names = BTreeSet::from([shell, "sh", "cat", "git", "git-llmpatch", "jq"]);
        let programs = support::programs(&Vec::from_iter(names))?;
        let repo = Repo::with(&[("a.py", "print(1)\nprint(2)\n"), ("src/b.py", "print(3)\n")]);
        Some(Self {
            shell,
            repo,
            programs,
        })
    }

    /// The same host where a program isn't installed.
    fn without(self, program: &str) -> Self {
        fs::remove_file(self.programs.path().join(program)).unwrap();
        self
    }

    /// Starts a hook, and demands that nothing of what it was handed was executed.
    #[track_caller]
    fn hands(&self, command: &str, environment: &[(&str, &Path)], input: impl AsRef<[u8]>) -> Run {
        let mut host = isolated(
            Command::new(self.programs.path().join(self.shell)),
            self.repo.path(),
        );
        host.args(["-c", command])
            .env("PATH", self.programs.path())
            .env("HOME", self.programs.path())
            .env_remove("CLAUDE_PLUGIN_ROOT")
            .env_remove("CLAUDE_PROJECT_DIR")
            .envs(environment.iter().copied());
        let ended = run(&mut host, input.as_ref());
        let executed = support::files(self.repo.path())
            .into_keys()
            .find(|path| path.ends_with("executed"));
        assert_eq!(executed, None, "{}{}", ended.stdout, ended.stderr);
        ended
    }
}

/// Text that makes a file `executed` wherever a shell takes it for a part of a script.
const HOSTILE: &str =
    "$(>executed) `>executed` ';>executed;' \";>executed;\" & >executed\n>executed\n";

/// Returns a call with these members and no more.
fn call(tool: &str, input: Value) -> String {
    json!({ "tool_name": tool, "tool_input": input }).to_string()
}
