//! The hook of the plug-in for Claude Code. Status 2 keeps an edit from being made, any other but 0 is
//! shown to the person.

use super::*;

/// Returns the command that the host is to run.
fn command() -> String {
    let hooks: Value =
        serde_json::from_slice(&fs::read(example("claude-code/hooks/hooks.json")).unwrap())
            .unwrap();
    let hook = &hooks["hooks"]["PreToolUse"][0]["hooks"][0];
    // A host that knows these knows all of the hook: it is wrong to rely on more.
    let known: Vec<_> = hook.as_object().unwrap().keys().collect();
    assert_eq!(known, ["command", "timeout", "type"]);
    hook["command"].as_str().unwrap().to_owned()
}

impl Host {
    /// Hands a call over as Claude Code does.
    #[track_caller]
    fn claude(&self, call: impl AsRef<[u8]>) -> Run {
        self.hands(
            &command(),
            &[("CLAUDE_PLUGIN_ROOT", &example("claude-code"))],
            call,
        )
    }

    fn file(&self, path: &str) -> String {
        self.repo.path().join(path).to_str().unwrap().to_owned()
    }

    /// Returns a call that fits, and one that doesn't.
    fn edits(&self, path: &str, fits: &str) -> [String; 2] {
        [fits, "print(7)"].map(|old| {
            call(
                "Edit",
                json!({ "file_path": self.file(path), "old_string": old, "new_string": HOSTILE }),
            )
        })
    }
}

#[test]
fn an_edit_is_checked_whatever_shell_the_host_has() {
    for shell in ["sh", "dash", "bash", "zsh", "fish"] {
        let Some(host) = Host::with(shell) else {
            continue;
        };
        let [fits, misfits] = host.edits("a.py", "print(1)");
        host.claude(fits).ended(0);
        let refused = host.claude(misfits).ended(2);
        assert!(refused.stderr.contains("print(1)"), "{}", refused.stderr);
    }
}

#[test]
fn nothing_that_a_host_hands_over_is_executed() {
    let Some(host) = Host::with("sh") else { return };
    let a = host.file("a.py");
    let write = |path: &str| call("Write", json!({ "file_path": path, "content": HOSTILE }));
    let mut more: Value = serde_json::from_str(&write(&a)).unwrap();
    more["session_id"] = json!(1);
    more["tool_input"]["more"] = json!({ "any": HOSTILE });
    let mut other = more.clone();
    other["tool_input"]["mode"] = json!("append");
    for (input, status) in [
        (write(&a), 0),
        (write(&host.file("new/deeper/c.py")), 0),
        (write(&host.file(HOSTILE)), 0),
        (more.to_string(), 0),
        (other.to_string(), 2), // what the rest means, nobody here knows
        // No matcher: the calls of all tools come.
        (call("Bash", json!({ "command": HOSTILE })), 0),
        (call("Read", json!({ "file_path": a, "limit": 3 })), 0),
        (
            call(
                "NotebookEdit",
                json!({ "notebook_path": a, "new_source": HOSTILE }),
            ),
            0,
        ),
        (
            call(HOSTILE, json!({ "file_path": a, "content": HOSTILE })),
            0,
        ),
        // Another way to name a file, or none.
        (call("Edit", json!({ "path": a, "old_string": HOSTILE })), 0),
        (write("a.py"), 0),
        (write(r"C:\a.py"), 0),
        (call("Write", json!({ "file_path": 7 })), 0),
        (call("Write", json!(HOSTILE)), 1),
        (json!({ "tool_name": "Write" }).to_string(), 0),
        (json!({ "hook_event_name": "PreToolUse" }).to_string(), 0),
        // Something else than a call, or nothing.
        (json!([HOSTILE]).to_string(), 1),
        ("null".to_owned(), 0),
        (String::new(), 0),
        (HOSTILE.to_owned(), 1),
        (write(&a)[..20].to_owned(), 1),
    ] {
        let ended = host.claude(&input);
        assert_eq!(ended.status, status, "{input}\n{}", ended.stderr);
    }
    host.claude(b"\xff\x00{").ended(1);
}

/// The host says so to the person, and makes the edit.
#[test]
fn without_what_it_needs_the_hook_keeps_nothing_from_being_made() {
    let misfit = |host: &Host| host.edits("a.py", "print(1)")[1].clone();
    for (program, status) in [("git-llmpatch", 1), ("jq", 1), ("git", 0)] {
        let Some(host) = Host::with("sh").map(|host| host.without(program)) else {
            return;
        };
        let ended = host.claude(misfit(&host)).ended(status);
        assert_eq!(
            ended.stderr.contains(program),
            status == 1,
            "{}",
            ended.stderr
        );
    }
    let Some(host) = Host::with("sh") else { return };
    host.hands(&command(), &[], misfit(&host)).ended(127);
    // As out of an archive that keeps no modes.
    let plugin = TempDir::new().unwrap();
    let hook = plugin.child("hooks/check");
    hook.write_file(&example("claude-code/hooks/check"))
        .unwrap();
    support::system::set_mode(hook.path(), 0o644);
    host.hands(
        &command(),
        &[("CLAUDE_PLUGIN_ROOT", plugin.path())],
        misfit(&host),
    )
    .ended(126);
}

#[test]
fn the_plug_in_may_be_in_a_directory_of_any_name() {
    let Some(host) = Host::with("sh") else { return };
    let directory = TempDir::new().unwrap();
    let plugin = directory.path().join("a b$(>executed)`>executed`'\"$&\\");
    support::system::copy(&example("claude-code"), &plugin);
    let [fits, misfits] = host.edits("a.py", "print(1)");
    for (input, status) in [(fits, 0), (misfits, 2)] {
        host.hands(&command(), &[("CLAUDE_PLUGIN_ROOT", &plugin)], input)
            .ended(status);
    }
}

/// The work tree's path with links in it and without are both paths of it, and a work tree inside of
/// another is one of its own.
#[test]
fn the_work_tree_is_the_one_that_the_file_is_in() {
    let Some(host) = Host::with("sh") else { return };
    let outside = TempDir::new().unwrap();
    let link = outside.path().join("link");
    symlink(host.repo.path(), &link);
    host.repo
        .git(&["worktree", "add", "-q", ".claude/worktrees/w"]);
    host.repo.git(&["init", "-q", "nested"]);
    host.repo
        .child("nested/n.py")
        .write_str("print(4)\n")
        .unwrap();
    let edit = |file: PathBuf, old: &str| {
        call(
            "Edit",
            json!({ "file_path": file, "old_string": old, "new_string": "x" }),
        )
    };
    let top = host.repo.path();
    let resolved = top.canonicalize().unwrap();
    for (file, fits) in [
        (top.join("a.py"), "print(1)"),
        (resolved.join("src/b.py"), "print(3)"),
        (link.join("a.py"), "print(1)"),
        (link.join("src/b.py"), "print(3)"),
        (top.join("nested/n.py"), "print(4)"),
        (link.join(".claude/worktrees/w/a.py"), "print(1)"),
    ] {
        host.claude(edit(file.clone(), fits)).ended(0);
        host.claude(edit(file, "print(7)")).ended(2);
    }
    // Outside of every repository there is nothing to check; git's own directory is nobody's.
    host.claude(edit(outside.path().join("a.py"), "print(7)"))
        .ended(0);
    let hook = top.join(".git/hooks/pre-commit");
    host.claude(call("Write", json!({ "file_path": hook, "content": "" })))
        .ended(2);
}
