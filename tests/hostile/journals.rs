//! What an interrupted apply leaves, tampered with as by somebody who made the git directory,
//! moved, copied, seen from another container. The journals are real, of applies that were killed,
//! and nothing here knows what is in them.

use std::collections::BTreeMap;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use assert_fs::prelude::*;
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{self, OnDisk, Repo, Run, make_pipe, program, some};

const RESPONSE: &str = "*** Begin Patch
*** Update File: a.txt
@@
-old
+new
*** Update File: dir/a.txt
@@
-old
+new
*** Delete File: gone/b.txt
*** Add File: made/c.txt
+new
*** End Patch
";

/// Another change of the same repository.
const OTHER: &str = "*** Begin Patch\n*** Update File: other.txt\n@@\n-old\n+new\n*** End Patch\n";

const FILES: [(&str, &str); 4] = [
    ("a.txt", "old\n"),
    ("dir/a.txt", "old\n"),
    ("gone/b.txt", "old\n"),
    ("other.txt", "old\n"),
];

/// A hook that kills our process, and the commit after it.
fn killing() -> String {
    format!("#!/bin/sh\n{}\nkill -KILL $us\nexit 1\n", support::US)
}

/// Makes a repository in which an apply was killed half-way, beside a directory of files that are
/// nobody's business.
fn crashed() -> Repo {
    let repo = Repo::with(&FILES);
    let outside = repo.child("../outside");
    std::fs::create_dir(&outside).unwrap();
    for name in [
        "a.txt",
        "manifest",
        "record",
        "stamp",
        "original-0",
        "index.old",
    ] {
        std::fs::write(outside.join(name), "nobody's business\n").unwrap();
    }
    crash(&repo, repo.command());
    repo
}

fn crash(repo: &Repo, mut command: Command) {
    repo.script(".git/hooks/pre-commit", &killing());
    repo.child("../response").write_str(RESPONSE).unwrap();
    let output = command
        .args(["apply", "--commit", "-m", "x", "../response"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(
        output.status.signal() == Some(9) || output.status.code() == Some(137),
        "{output:?}"
    );
    while is_in_use(repo) {
        std::thread::yield_now();
    }
    std::fs::remove_file(repo.child(".git/hooks/pre-commit")).unwrap();
    repo.child("a.txt").assert("new\n");
}

fn is_in_use(repo: &Repo) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap();
    let mut directories =
        processes.filter_map(|process| std::fs::read_link(process.ok()?.path().join("cwd")).ok());
    directories.any(|directory| directory.starts_with(repo.path()))
}

fn run(repo: &Repo, args: &[&str], input: &str) -> Run {
    let mut command = support::isolated(Command::new("timeout"), repo.path());
    support::run(
        command.arg("60").arg(program()).args(args),
        input.as_bytes(),
    )
}

fn is_old(repo: &Repo) -> bool {
    FILES
        .iter()
        .all(|(path, content)| repo.child(path).exists() && repo.text(path) == *content)
        && !repo.child("made").exists()
}

/// Returns everything below a directory, links not followed.
fn below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            if entry.file_type().unwrap().is_dir() {
                directories.push(entry.path());
            }
            found.push(entry.path());
        }
    }
    found.sort();
    found
}

fn outside(repo: &Repo) -> BTreeMap<PathBuf, OnDisk> {
    support::files(&repo.child("../outside"))
}

fn remove(path: &Path) {
    let is_directory = path.symlink_metadata().unwrap().is_dir();
    if is_directory {
        std::fs::remove_dir_all(path)
    } else {
        std::fs::remove_file(path)
    }
    .unwrap();
}

type Tamper = fn(&Path, &Path);

const TAMPERINGS: [(&str, Tamper); 11] = [
    ("gone", |at, _| remove(at)),
    ("cut", |at, _| {
        if at.is_file() {
            let bytes = std::fs::read(at).unwrap();
            std::fs::write(at, &bytes[..bytes.len() / 2]).unwrap();
        }
    }),
    ("other bytes", |at, _| {
        if at.is_file() {
            std::fs::write(at, vec![b'{'; 100_000]).unwrap();
        }
    }),
    ("huge", |at, _| {
        if at.is_file() {
            std::fs::File::options()
                .write(true)
                .open(at)
                .unwrap()
                .set_len(1 << 40)
                .unwrap();
        }
    }),
    ("a pipe", |at, _| {
        remove(at);
        make_pipe(at);
    }),
    ("a directory", |at, _| {
        if at.is_file() {
            remove(at);
            std::fs::create_dir(at).unwrap();
            std::fs::write(at.join("theirs"), "theirs\n").unwrap();
        }
    }),
    ("a link to a file outside", |at, outside| {
        remove(at);
        symlink(outside.join("a.txt"), at).unwrap();
    }),
    ("a link to the same outside", |at, outside| {
        let there = outside.join("copy");
        assert!(
            Command::new("cp")
                .arg("-a")
                .args([at, &there])
                .status()
                .unwrap()
                .success()
        );
        remove(at);
        symlink(there, at).unwrap();
    }),
    ("a link to a directory outside", |at, outside| {
        remove(at);
        symlink(outside, at).unwrap();
    }),
    ("a link to what never ends", |at, _| {
        remove(at);
        symlink("/dev/zero", at).unwrap();
    }),
    ("another's", |at, _| {
        let _ = std::os::unix::fs::lchown(at, Some(12_345), None);
    }),
];

#[test]
fn a_tampered_journal_touches_nothing_outside_and_hangs_nowhere() {
    let template = crashed();
    let git = template.path().join(".git");
    let mut targets: Vec<_> = below(&git.join("llmpatch"))
        .into_iter()
        .chain([git.join("llmpatch")])
        .collect();
    targets.push(git.join("index.lock"));
    assert!(targets.len() > 6, "{targets:?}");
    let all = targets
        .iter()
        .flat_map(|target| TAMPERINGS.map(|(name, tamper)| (target, name, tamper)));
    for (target, name, tamper) in some(all, 7) {
        let target = target.strip_prefix(template.path()).unwrap();
        let what = format!("{} is {name}", target.display());
        let repo = template.copied();
        let there = repo.child("../outside");
        assert!(
            Command::new("cp")
                .arg("-a")
                .args([&template.path().join("../outside"), &there.to_path_buf()])
                .status()
                .unwrap()
                .success()
        );
        tamper(&repo.child(target), &there);
        let before = outside(&repo);
        let mut is_named = false;
        for (args, input) in [
            (&["check"][..], RESPONSE),
            (&["apply"], OTHER),
            (&["undo"], ""),
            (&["recover"], ""),
        ] {
            let run = run(&repo, args, input);
            assert!(
                [0, 1, 3].contains(&run.status),
                "{what}: {args:?} {} {}",
                run.status,
                run.stderr
            );
            assert_eq!(outside(&repo), before, "{what}: {args:?}");
            // What is torn is never taken for fine, unless somebody removed what says so.
            let is_file = repo
                .child("a.txt")
                .symlink_metadata()
                .is_ok_and(|meta| meta.is_file() && meta.len() < 100);
            let is_torn = is_file && repo.text("a.txt") == "new\n" && name != "gone";
            let is_said = run.status == 3 || args[0] == "recover" || args[0] == "undo";
            assert!(
                !is_torn || is_said,
                "{what}: {args:?} {}{}",
                run.stdout,
                run.stderr
            );
            is_named |= args[0] != "check" && run.status == 3;
        }
        // Where an original is none any more, or another wrote what is to be believed, that is
        // said.
        let is_of = |start| {
            target
                .file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with(start)
        };
        let is_lost = is_of("original") && name != "another's";
        assert!(
            is_named || !(is_lost || name == "another's" && is_of("manifest")),
            "{what}"
        );
        // The journal says nothing of this one.
        assert!(
            ["old\n", "new\n"].contains(&&*repo.text("other.txt")),
            "{what}"
        );
        for path in ["a.txt", "dir/a.txt", "gone/b.txt"] {
            let is_a_file = repo
                .child(path)
                .symlink_metadata()
                .map_or(true, |meta| meta.is_file());
            assert!(
                is_a_file,
                "{what}: {path} is what only looks like an original"
            );
            let is_whole = || ["old\n", "new\n"].contains(&&*repo.text(path));
            assert!(
                !repo.child(path).exists() || is_whole(),
                "{what}: {path} is torn"
            );
        }
    }
}

/// Has what was interrupted recovered in one of several ways, and demands that all is old.
fn recovers(repo: &Repo, what: &str) {
    let check = run(repo, &["check"], RESPONSE);
    assert_eq!(
        check.status, 3,
        "{what}: what is torn is fine: {}{}",
        check.stdout, check.stderr
    );
    let run = run(repo, &["recover"], "");
    assert!(
        run.status == 0 && run.stdout.contains("was taken back"),
        "{what}: {}{}",
        run.stdout,
        run.stderr
    );
    assert!(is_old(repo), "{what}");
    assert!(!repo.child(".git/index.lock").exists(), "{what}");
}

#[test]
fn a_repository_that_was_moved_or_copied_is_recovered_where_it_is() {
    let repo = crashed();
    let moved = repo.path().with_file_name("moved");
    let recover = |at: &Path| {
        support::run(
            support::isolated(Command::new(program()), at).arg("recover"),
            b"",
        )
    };
    let copies_are_recovered = |of: &Path| {
        for how in ["-a", "-r"] {
            let copy = repo.path().with_file_name(format!("copy{how}"));
            assert!(
                Command::new("cp")
                    .arg(how)
                    .args([of, &copy])
                    .status()
                    .unwrap()
                    .success()
            );
            let run = recover(&copy);
            // The one that it is a copy of is as it was.
            assert_eq!(
                std::fs::read_to_string(of.join("a.txt")).unwrap(),
                "new\n",
                "{how}: {run:?}"
            );
            assert!(run.stdout.contains("was taken back"), "{how}: {run:?}");
            assert_eq!(
                std::fs::read_to_string(copy.join("a.txt")).unwrap(),
                "old\n",
                "{how}"
            );
            std::fs::remove_dir_all(copy).unwrap();
        }
    };
    copies_are_recovered(repo.path());
    std::fs::rename(repo.path(), &moved).unwrap();
    copies_are_recovered(&moved);
    assert!(
        recover(&moved)
            .succeeded()
            .stdout
            .contains("was taken back")
    );
    std::fs::rename(&moved, repo.path()).unwrap();
    assert!(is_old(&repo));
}

#[test]
fn what_another_repository_left_says_nothing_of_this_one_nor_of_that() {
    let (there, here) = (crashed(), Repo::with(&FILES));
    let before = there.files();
    for name in ["llmpatch", "index.lock"] {
        let is_done = Command::new("cp")
            .arg("-a")
            .args([
                there.child(".git").join(name),
                here.child(".git").join(name),
            ])
            .status();
        assert!(is_done.unwrap().success());
    }
    for (args, input) in [
        (&["check"][..], RESPONSE),
        (&["apply"], OTHER),
        (&["undo"], ""),
        (&["recover"], ""),
    ] {
        let run = run(&here, args, input);
        assert!(
            [0, 1, 3].contains(&run.status),
            "{args:?}: {}{}",
            run.stdout,
            run.stderr
        );
        assert_eq!(
            there.files(),
            before,
            "{args:?}: {}{}",
            run.stdout,
            run.stderr
        );
        here.child("a.txt").assert("old\n");
    }
    assert_eq!(
        here.git(&["status", "--porcelain", "a.txt", "dir", "gone", "made"]),
        ""
    );
    recovers(&there, "");
}

#[test]
fn a_work_tree_that_git_moved_is_recovered_where_it_is() {
    let repo = Repo::with(&FILES);
    repo.git(&["worktree", "add", "-q", "../linked"]);
    repo.script(".git/hooks/pre-commit", &killing());
    repo.child("../response").write_str(RESPONSE).unwrap();
    let linked = repo.child("../linked");
    let mut command = support::isolated(Command::new(program()), &linked);
    command.args(["apply", "--commit", "-m", "x", "../response"]);
    assert_eq!(command.output().unwrap().status.signal(), Some(9));
    repo.git(&["worktree", "move", "../linked", "../elsewhere"]);
    let elsewhere = repo.child("../elsewhere");
    let run = support::run(
        support::isolated(Command::new(program()), &elsewhere).arg("recover"),
        b"",
    )
    .succeeded();
    assert!(run.stdout.contains("was taken back"), "{}", run.stdout);
    assert_eq!(
        std::fs::read_to_string(elsewhere.join("a.txt")).unwrap(),
        "old\n"
    );
}

/// Makes a command in namespaces of its own; `None` where that isn't allowed.
fn unshared(flags: &[&str], repo: &Repo) -> Option<Command> {
    let can = Command::new("unshare")
        .args(flags)
        .arg("true")
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !can {
        eprintln!("skipped: no namespaces {flags:?} to be had here");
        return None;
    }
    let mut command = support::isolated(Command::new("unshare"), repo.path());
    // The first process of a container is its shell, which waits.
    let script = if flags.contains(&"-u") {
        "hostname another; \"$@\"; exit $?"
    } else {
        "\"$@\"; exit $?"
    };
    command
        .args(flags)
        .args(["sh", "-c", script, "sh"])
        .arg(program());
    Some(command)
}

#[test]
fn a_repository_that_is_mounted_elsewhere_is_recovered_by_either_path() {
    // The same directories by another path, for one process alone.
    let bound = |repo: &Repo| {
        std::fs::create_dir_all(repo.child("../bound")).unwrap();
        let mut command = support::isolated(Command::new("unshare"), repo.path());
        let script = "mount --bind . ../bound && cd ../bound && PWD= exec \"$@\"";
        command.args(["-m", "sh", "-c", script, "sh"]);
        command
    };
    let there = Repo::with(&FILES);
    if !bound(&there)
        .arg("true")
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
    {
        eprintln!("skipped: nothing can be mounted here");
        return;
    }
    let mut command = bound(&there);
    command.arg(program());
    crash(&there, command);
    recovers(&there, "killed in the other place");
    let here = crashed();
    let run = support::run(bound(&here).arg(program()).arg("recover"), b"").succeeded();
    assert!(
        run.stdout.contains("was taken back") && is_old(&here),
        "{}",
        run.stdout
    );
}

#[test]
fn an_apply_that_was_killed_in_a_container_is_recovered_outside() {
    let user = &["-U", "-r", "-p", "-f", "--mount-proc"];
    for flags in [
        &["-p", "-f", "--mount-proc"][..],
        &["-p", "-u", "-f", "--mount-proc"],
        user,
    ] {
        let repo = Repo::with(&FILES);
        let Some(command) = unshared(flags, &repo) else {
            continue;
        };
        crash(&repo, command);
        recovers(&repo, &format!("{flags:?}"));
    }
}

#[test]
fn an_apply_that_lives_in_a_container_is_left_alone() {
    // Of this machine's name, or of another.
    for flags in [
        &["-p", "-f", "--mount-proc"][..],
        &["-p", "-u", "-f", "--mount-proc"],
    ] {
        lives_in_a_container(flags);
    }
}

fn lives_in_a_container(flags: &[&str]) {
    let repo = Repo::with(&FILES);
    let Some(mut command) = unshared(flags, &repo) else {
        return;
    };
    for pipe in ["held", "go"] {
        make_pipe(&repo.child("..").join(pipe));
    }
    repo.script(
        ".git/hooks/pre-commit",
        "#!/bin/sh\necho held >../held; read line <../go\n",
    );
    repo.git(&["config", "llmpatch.lockTimeout", "0"]);
    repo.child("../response").write_str(RESPONSE).unwrap();
    command
        .args(["apply", "--commit", "-m", "x", "../response"])
        .stdin(Stdio::null());
    let mut child = command.spawn().unwrap();
    std::fs::read(repo.child("../held")).unwrap();
    for (args, input) in [
        (&["apply"][..], OTHER),
        (&["recover"], ""),
        (&["recover", "--force"], ""),
        (&["undo"], ""),
    ] {
        let run = run(&repo, args, input);
        assert_eq!(run.status, 3, "{args:?} {}{}", run.stdout, run.stderr);
        assert!(
            run.stderr.contains("is held by another git-llmpatch"),
            "{args:?} {}",
            run.stderr
        );
        assert!(repo.child(".git/index.lock").exists(), "{args:?}");
    }
    repo.child("../go").write_str("\n").unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert_eq!(repo.git(&["show", "HEAD:a.txt"]), "new\n");
}

#[test]
fn where_somebody_has_decided_only_who_asks_for_recovery_has_it() {
    type Decide = fn(&Repo);
    let decisions: [(&str, Decide); 3] = [
        ("whose `index.lock` somebody removed since", |repo| {
            std::fs::remove_file(repo.child(".git/index.lock")).unwrap();
        }),
        ("and HEAD was moved since", |repo| {
            let other = repo.git(&["commit-tree", "HEAD^{tree}", "-m", "another"]);
            repo.git(&["update-ref", "HEAD", other.trim()]);
        }),
        ("and the index was changed since", |repo| {
            let lock = repo.child(".git/index.lock");
            let aside = lock.with_file_name("aside");
            std::fs::rename(&lock, &aside).unwrap();
            repo.child("mine.txt").write_str("mine\n").unwrap();
            repo.git(&["add", "mine.txt"]);
            std::fs::rename(&aside, &lock).unwrap();
        }),
    ];
    for (want, decide) in decisions {
        let repo = crashed();
        decide(&repo);
        let before = repo.files();
        for (args, input) in [
            (&["apply"][..], OTHER),
            (&["undo"], ""),
            (&["apply", "--cached"], OTHER),
        ] {
            let run = run(&repo, args, input);
            assert_eq!(run.status, 3, "{want}: {}{}", run.stdout, run.stderr);
            assert!(
                run.stderr.contains(want) && run.stderr.contains(".git/llmpatch/"),
                "{want}: {}",
                run.stderr
            );
            assert!(
                run.stderr.contains("`git llmpatch recover`"),
                "{want}: {}",
                run.stderr
            );
            assert!(
                run.stderr.contains("it is about `a.txt`, "),
                "{want}: {}",
                run.stderr
            );
            assert_eq!(repo.files(), before, "{want}");
        }
        let run = run(&repo, &["check"], RESPONSE);
        assert_eq!(run.status, 3, "{want}: {}", run.stderr);
        let said = self::run(&repo, &["recover"], "");
        assert_eq!(said.status, 0, "{want}: {}{}", said.stdout, said.stderr);
        assert!(
            said.stdout.contains("was taken back\n  a.txt\n"),
            "{want}: {}",
            said.stdout
        );
        assert!(is_old(&repo), "{want}");
    }
}

#[test]
fn the_journal_of_another_user_is_named_and_left() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root can act for another user");
        return;
    }
    let repo = crashed();
    let journal = repo.child(".git/llmpatch");
    for path in below(&journal).into_iter().chain([journal.to_path_buf()]) {
        std::os::unix::fs::lchown(path, Some(12_345), None).unwrap();
    }
    for (args, input) in [
        (&["apply"][..], OTHER),
        (&["recover"], ""),
        (&["recover", "--force"], ""),
        (&["check"], RESPONSE),
    ] {
        let run = run(&repo, args, input);
        assert_eq!(run.status, 3, "{args:?}: {}{}", run.stdout, run.stderr);
        assert!(
            args[0] == "check" || run.stderr.contains("belongs to another user"),
            "{args:?}: {}",
            run.stderr
        );
        repo.child("a.txt").assert("new\n");
    }
}

#[test]
fn nobody_else_can_look_into_what_is_kept() {
    let repo = crashed();
    let own = repo.child(".git/llmpatch");
    let look = || {
        for path in below(&own).into_iter().chain([own.to_path_buf()]) {
            let meta = path.symlink_metadata().unwrap();
            assert!(!meta.file_type().is_fifo());
            if meta.is_dir() {
                assert_eq!(
                    meta.permissions().mode() & 0o7777,
                    0o700,
                    "{}",
                    path.display()
                );
            }
        }
    };
    look();
    recovers(&repo, "");
    run(&repo, &["apply"], OTHER).succeeded();
    assert!(own.join("undo-1").exists());
    look();
}

#[test]
fn an_emptied_directory_in_which_somebody_works_loses_nothing() {
    let repo = Repo::with(&FILES);
    for pipe in ["go", "done"] {
        make_pipe(&repo.child("..").join(pipe));
    }
    // It works in the directory, wherever that is, and writes there while hooks run.
    let work = "cd gone && read line <$0/go && { echo built >result && echo wrote; } >$0/said 2>&1; echo >$0/done";
    let mut worker = support::isolated(Command::new("sh"), repo.path());
    let mut worker = worker
        .args(["-c", work])
        .arg(repo.path().parent().unwrap())
        .spawn()
        .unwrap();
    repo.script(
        ".git/hooks/pre-commit",
        "#!/bin/sh\necho >../go; read line <../done\n",
    );
    repo.child("../response").write_str(RESPONSE).unwrap();
    run(&repo, &["apply", "--commit", "-m", "x", "../response"], "").succeeded();
    worker.wait().unwrap();
    let has_written = std::fs::read_to_string(repo.child("../said"))
        .unwrap()
        .contains("wrote");
    assert!(
        !has_written || repo.child("gone/result").exists(),
        "what was written is nowhere"
    );
}

#[test]
fn those_who_wait_for_ever_get_on_also_where_others_die() {
    for round in 0..4 {
        let repo = crashed();
        repo.git(&["config", "llmpatch.lockTimeout", "-1"]);
        repo.git(&["config", "llmpatch.fsync", "false"]);
        let start = |args: &[&str], input: &str| {
            let mut command = support::isolated(Command::new("timeout"), repo.path());
            let mut child = command
                .arg(support::PATIENCE.as_secs().to_string())
                .arg(program())
                .args(args)
                .stdin(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
            child
        };
        let add =
            |number| format!("*** Begin Patch\n*** Add File: new-{number}\n+x\n*** End Patch\n");
        let mut children = Vec::new();
        for number in 0..6 {
            children.push((start(&["apply"], &add(number)), true));
            children.push((start(&["recover"], ""), true));
            // One more dies wherever it is.
            let mut doomed = start(&["apply"], &add(number + 100));
            std::thread::sleep(std::time::Duration::from_millis(round * 3));
            let _ = Command::new("pkill")
                .args(["-KILL", "-P", &doomed.id().to_string()])
                .status();
            let _ = doomed.wait();
        }
        for (child, _) in children {
            let run = Run::of(child.wait_with_output().unwrap());
            assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
        }
        run(&repo, &["recover"], "").succeeded();
        assert!((0..6).all(|number| repo.child(format!("new-{number}")).exists()));
        assert!(is_old(&repo) && !repo.child(".git/index.lock").exists());
    }
}

#[test]
fn who_has_the_lock_does_not_wait_for_who_recovers() {
    let repo = crashed();
    repo.git(&["config", "llmpatch.lockTimeout", "-1"]);
    std::fs::remove_file(repo.child(".git/index.lock")).unwrap();
    let (journal, aside) = (repo.child(".git/llmpatch"), repo.child("../aside"));
    std::fs::rename(&journal, &aside).unwrap();
    // The first link that a run makes is its lock. There it stops.
    let Some(mut command) = traced(
        &repo,
        &["-o", "../log", "-e", "inject=linkat:signal=SIGSTOP:when=1"],
    ) else {
        return;
    };
    repo.child("../response").write_str(OTHER).unwrap();
    let mut holder = command.args(["apply", "../response"]).spawn().unwrap();
    let said = |what: &str| {
        std::fs::read_to_string(repo.child("../log")).is_ok_and(|log| log.contains(what))
    };
    while !said("stopped by SIGSTOP") {
        std::thread::yield_now();
    }
    // Meanwhile another dies, and one comes who recovers it.
    for run in std::fs::read_dir(&aside).unwrap().flatten() {
        std::fs::rename(run.path(), journal.join(run.file_name())).unwrap();
    }
    let mut recovery = repo.command().arg("recover").spawn().unwrap();
    support::await_sleep(&recovery);
    let children =
        std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", holder.id())).unwrap();
    let stopped = children
        .trim()
        .parse()
        .ok()
        .and_then(Pid::from_raw)
        .unwrap();
    kill_process(stopped, Signal::CONT).unwrap();
    let started = std::time::Instant::now();
    while holder.try_wait().unwrap().is_none() || recovery.try_wait().unwrap().is_none() {
        if started.elapsed() > support::PATIENCE {
            let _ = (recovery.kill(), kill_process(stopped, Signal::KILL));
            panic!("each waits for the other");
        }
        std::thread::yield_now();
    }
    assert!(holder.wait().unwrap().success() && recovery.wait().unwrap().success());
    repo.child("other.txt").assert("new\n");
    repo.child("a.txt").assert("old\n");
}

/// Makes a command that strace looks on at; `None` where there is none.
fn traced(repo: &Repo, options: &[&str]) -> Option<Command> {
    if !Command::new("strace")
        .args(["-o", "/dev/null", "true"])
        .status()
        .is_ok_and(|status| status.success())
    {
        eprintln!("skipped: no strace to be had here");
        return None;
    }
    let mut command = support::isolated(Command::new("strace"), repo.path());
    command.args(options).arg(program());
    Some(command)
}

#[test]
fn a_file_system_without_locks_is_said_to_be_one() {
    let repo = Repo::with(&FILES);
    let before = repo.files();
    let Some(mut command) = traced(&repo, &["-o", "../log", "-e", "inject=flock:error=ENOLCK"])
    else {
        return;
    };
    let run = support::run(command.arg("apply"), OTHER.as_bytes()).ended(3);
    assert!(
        run.stderr.contains("this file system has no locks"),
        "{}",
        run.stderr
    );
    assert_eq!(repo.files(), before);
    assert!(!repo.child(".git/llmpatch").exists() && !repo.child(".git/index.lock").exists());
    // One that locks only what can be written to serves.
    let mut command = traced(
        &repo,
        &["-o", "../log", "-e", "inject=flock:error=EBADF:when=1"],
    )
    .unwrap();
    support::run(command.arg("apply"), OTHER.as_bytes()).succeeded();
    repo.child("other.txt").assert("new\n");
}

#[test]
fn a_file_system_mounted_in_the_work_tree_is_flushed_too() {
    let repo = Repo::with(&FILES);
    let count = |is_mounted: bool| {
        let mount = if is_mounted {
            "mount -t tmpfs none dir && echo old >dir/a.txt && "
        } else {
            ""
        };
        let script = format!("{mount}strace -o ../log -e trace=syncfs \"$1\" apply >/dev/null");
        let mut command = support::isolated(Command::new("unshare"), repo.path());
        command.args(["-m", "sh", "-c", &script, "sh", program()]);
        let response =
            "*** Begin Patch\n*** Update File: dir/a.txt\n@@\n-old\n+new\n*** End Patch\n";
        let run = support::run(&mut command, response.as_bytes());
        let log = std::fs::read_to_string(repo.child("../log")).unwrap_or_default();
        (run.status == 0).then(|| log.matches("syncfs(").count())
    };
    let (Some(mounted), Some(plain)) = (count(true), count(false)) else {
        eprintln!("skipped: nothing can be mounted here, or there is no strace");
        return;
    };
    assert!(mounted > plain, "{mounted} {plain}");
}

#[test]
fn nothing_is_taken_back_with_half_an_original() {
    let template = crashed();
    let journals = below(&template.child(".git/llmpatch"));
    let originals = journals.iter().filter(|at| {
        at.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("original-"))
    });
    let mut tried = 0;
    for original in originals {
        let repo = template.copied();
        let original = repo.child(original.strip_prefix(template.path()).unwrap());
        std::fs::write(&original, "ol").unwrap();
        let before = repo.files();
        for (args, input) in [(&["recover"][..], ""), (&["apply"], OTHER)] {
            let run = run(&repo, args, input).ended(3);
            assert!(run.stderr.contains("is damaged"), "{}", run.stderr);
            assert_eq!(repo.files(), before);
        }
        // Whoever has seen to it goes on.
        std::fs::write(&original, "old\n").unwrap();
        run(&repo, &["recover"], "").succeeded();
        assert!(is_old(&repo));
        tried += 1;
    }
    assert_eq!(tried, 3);
}
