//! The lines for Codex's configuration. Status 2 keeps a patch from being applied, any other but 0 is
//! shown to the person.

use super::*;
use crate::update;

/// Returns the command that the host is to run.
fn command() -> String {
    let config = fs::read_to_string(example("codex/config.toml")).unwrap();
    let [_, command, _] = config.split("'''").collect::<Vec<_>>()[..] else {
        panic!("{config}")
    };
    command.to_owned()
}

impl Host {
    #[track_caller]
    fn codex(&self, call: impl AsRef<[u8]>) -> Run {
        self.hands(&command(), &[], call)
    }
}

/// Returns a patch that fits if its old line is in the file.
fn patch(path: &str, old: &str) -> Value {
    json!({ "command": update(path, old, HOSTILE.lines().next().unwrap()) })
}

#[test]
fn a_patch_is_checked_whatever_shell_the_person_has() {
    for shell in ["sh", "dash", "bash", "zsh", "fish"] {
        let Some(host) = Host::with(shell) else {
            continue;
        };
        host.codex(call("apply_patch", patch("a.py", "print(1)")))
            .ended(0);
        let refused = host
            .codex(call("apply_patch", patch("a.py", "print(7)")))
            .ended(2);
        assert!(refused.stderr.contains("print(1)"), "{}", refused.stderr);
    }
}

#[test]
fn nothing_that_a_host_hands_over_is_executed() {
    let Some(host) = Host::with("sh") else { return };
    let from = |directory: &Path, path: &str| {
        json!({ "cwd": directory, "tool_name": "apply_patch", "tool_input": patch(path, "print(3)") }).to_string()
    };
    for (input, status) in [
        // The host says in which directory the patch is to be applied, or starts the hook there.
        (from(&host.repo.path().join("src"), "b.py"), 0),
        (from(&host.repo.path().join("src"), "src/b.py"), 2),
        (from(Path::new(HOSTILE), "b.py"), 0),
        (call("apply_patch", patch("src/b.py", "print(3)")), 0),
        // No matcher: the calls of all tools come.
        (call("Bash", json!({ "command": HOSTILE })), 0),
        (
            call("shell", json!({ "command": ["sh", "-c", HOSTILE] })),
            0,
        ),
        // Another form of a patch's call, or none.
        (
            call(
                "apply_patch",
                json!({ "command": ["apply_patch", HOSTILE] }),
            ),
            0,
        ),
        (call("apply_patch", json!({ "input": HOSTILE })), 0),
        (call("apply_patch", json!({ "command": HOSTILE })), 2), // no patch
        (call("apply_patch", json!(HOSTILE)), 1),
        (json!({ "tool_name": "apply_patch" }).to_string(), 0),
        (json!([HOSTILE]).to_string(), 1),
        ("null".to_owned(), 0),
        (String::new(), 0),
        (HOSTILE.to_owned(), 1),
    ] {
        let ended = host.codex(&input);
        assert_eq!(ended.status, status, "{input}\n{}", ended.stderr);
    }
}

/// On Windows there is neither `sh` nor jq: what Codex hands over is read as it is, and its status is
/// translated.
#[test]
fn on_windows_the_call_itself_is_checked() {
    let config = fs::read_to_string(example("codex/config.toml")).unwrap();
    let mut lines = config.lines();
    let written = lines.find_map(|line| line.strip_prefix("commandWindows = "));
    let command: String = serde_json::from_str(written.unwrap()).unwrap();
    let checks = "cmd /d /c \"git-llmpatch check --feedback 1>&2 & \
        if errorlevel 2 (exit 1) else if errorlevel 1 (exit 2)\"";
    assert_eq!(command, checks);
    let repo = Repo::with(&[("a.py", "print(1)\n"), ("src/b.py", "print(3)\n")]);
    let from = |directory: &str, path: &str, old: &str| {
        let directory = repo.path().join(directory);
        json!({ "cwd": directory, "hook_event_name": "PreToolUse", "tool_name": "apply_patch", "tool_input": patch(path, old) })
    };
    for (call, status) in [
        (from("", "a.py", "print(1)"), 0),
        (from("", "a.py", "print(7)"), 1),
        (from("src", "b.py", "print(3)"), 0),
        (from("src", "src/b.py", "print(3)"), 1),
    ] {
        let call = call.to_string();
        let checked = repo.run(&["check", "--feedback"], &call);
        assert_eq!(checked.status, status, "{call}\n{}", checked.stderr);
        // As cmd on Windows does it.
        if cfg!(windows) {
            let cmd = command
                .strip_prefix("cmd /d /c \"")
                .unwrap()
                .trim_end_matches('"');
            let mut host = isolated(Command::new("cmd"), repo.path());
            host.args(["/d", "/c", cmd]).env("PATH", support::path());
            let ended = run(&mut host, call.as_bytes());
            assert_eq!(ended.status, status * 2, "{}", ended.stderr);
        }
    }
}

/// The host says so to the person, and applies the patch.
#[test]
fn without_what_it_needs_the_hook_keeps_nothing_from_being_applied() {
    let misfit = call("apply_patch", patch("a.py", "print(7)"));
    for (program, status) in [("git-llmpatch", 1), ("jq", 1), ("git", 0)] {
        let Some(host) = Host::with("sh").map(|host| host.without(program)) else {
            return;
        };
        let ended = host.codex(&misfit).ended(status);
        assert_eq!(
            ended.stderr.contains(program),
            status == 1,
            "{}",
            ended.stderr
        );
    }
}
