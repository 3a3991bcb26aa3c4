//! The program where it isn't at home: what `PROGRAM` names is tried, a Windows program in wine say,
//! by tests that run here. `.ci/windows` does that, and puts the cases and the command line's tests
//! to it, too.
//!
//! - Killed at each of its steps, it leaves what the next run takes back or finishes. The program has
//!   to be built with the feature `steps`.
//! - A file that another program holds open is named, and nothing is torn. `HOLDER` is a program that
//!   opens the file of its argument so that nobody else can replace it, says so, and keeps it until
//!   its input ends.
//! - Interrupted, it takes back what it has done. `INTERRUPTER` is a program that runs the program
//!   with its arguments but the first, sends Ctrl-C as soon as there is a file of that name, and says
//!   how it ended.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use super::support::{self, Repo, Run, in_full, is_foreign, some};

const RESPONSE: &str = "\
*** Begin Patch
*** Update File: changed.txt
@@
-old
+new
*** Delete File: gone.txt
*** Update File: in/old/place.txt
*** Move to: in/new/place.txt
@@
-moves
+moved
*** Add File: made/by/it.txt
+new
*** End Patch
";

/// How a program ends that was to end at a step.
const DIED: i32 = 77;

fn scene() -> Repo {
    Repo::with(&[
        ("changed.txt", "old\nrest\n"),
        ("gone.txt", "gone\n"),
        ("in/old/place.txt", "moves\n"),
        ("stays.txt", "stays\n"),
    ])
}

fn run_to(repo: &Repo, step: usize, args: &[&str], input: &str) -> Run {
    let mut command = repo.command();
    command
        .env("GIT_LLMPATCH_STEP", step.to_string())
        .args(args);
    support::run(&mut command, input.as_bytes())
}

fn is_tidy(repo: &Repo) {
    assert!(!repo.child(".git/index.lock").exists());
    let left: Vec<_> = std::fs::read_dir(repo.child(".git/llmpatch"))
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().file_name())
        .filter(|name| !name.to_string_lossy().starts_with("undo-"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Checks that a file that is replaced is there at any time.
fn is_old_or_new(repo: &Repo, step: usize) {
    let text = repo.text("changed.txt");
    let is_whole = ["old\nrest\n", "new\nrest\n"].contains(&&text[..]);
    assert!(is_whole, "step {step}: {text}");
}

/// Kills a command at its steps, each or, where not all is tried, each fifth; afterwards all is as
/// before or as it is meant to be.
fn dies_at_its_steps(args: &[&str], input: &str, prepare: impl Fn(&Repo)) {
    let whole = scene();
    prepare(&whole);
    let before = whole.files();
    whole.run(args, input).succeeded();
    let after = whole.files();
    let mut sides = [0, 0];
    for step in some(1.., 5) {
        let repo = scene();
        prepare(&repo);
        let run = run_to(&repo, step, args, input);
        if run.status != DIED {
            assert_eq!(run.status, 0, "{}", run.stderr);
            break;
        }
        is_old_or_new(&repo, step);
        let recovered = repo.run(&["recover"], "");
        assert_eq!(recovered.status, 0, "step {step}: {}", recovered.stderr);
        let files = repo.files();
        let is_after = files == after;
        assert!(is_after || files == before, "step {step}: {files:?}");
        sides[usize::from(is_after)] += 1;
        is_tidy(&repo);
        repo.git(&["fsck", "--strict"]);
        if !is_after {
            repo.run(args, input).succeeded();
            assert!(repo.files() == after, "step {step}, again");
        }
    }
    println!(
        "{args:?}: killed, {} times taken back, {} finished",
        sides[0], sides[1]
    );
    // Other builds have no steps.
    let has_steps = is_foreign() || sides != [0, 0];
    let is_sampled = sides[1] > 0 || !in_full();
    assert!(!has_steps || sides[0] > 4 && is_sampled, "{sides:?}");
}

#[test]
fn an_apply_that_is_killed_is_taken_back_or_finished() {
    dies_at_its_steps(&["apply"], RESPONSE, |_| {});
}

#[test]
fn an_apply_to_the_index_that_is_killed_is_taken_back_or_finished() {
    dies_at_its_steps(&["apply", "--index"], RESPONSE, |_| {});
}

#[test]
fn an_undo_that_is_killed_is_taken_back_or_finished() {
    dies_at_its_steps(&["undo"], "", |repo| {
        repo.run(&["apply"], RESPONSE).succeeded();
    });
}

#[test]
fn a_recovery_that_is_killed_is_recovered() {
    let torn = |step| {
        let repo = scene();
        let run = run_to(&repo, step, &["apply"], RESPONSE);
        (run.status == DIED).then_some(repo)
    };
    let is_replaced =
        |step: &usize| torn(*step).is_none_or(|repo| repo.text("changed.txt") == "new\nrest\n");
    let replaced = (1..).find(is_replaced).unwrap();
    for step in some(1.., 5) {
        // Other builds have no steps.
        let Some(repo) = torn(replaced) else { return };
        let run = run_to(&repo, step, &["recover"], "");
        is_old_or_new(&repo, step);
        repo.run(&["recover"], "").succeeded();
        assert!(repo.files() == scene().files(), "step {step}");
        is_tidy(&repo);
        if run.status != DIED {
            assert!(step > 5);
            return;
        }
    }
}

#[test]
fn a_file_that_another_program_holds_open_is_named_and_nothing_is_torn() {
    let Some(holder) = std::env::var_os("HOLDER") else {
        return;
    };
    for held in ["changed.txt", "gone.txt", "in/old/place.txt"] {
        let repo = scene();
        let before = repo.files();
        let mut child = Command::new(&holder)
            .arg(held)
            .current_dir(repo.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut said).unwrap();
        assert_eq!(said.trim_end(), "held");
        let run = repo.run(&["apply"], RESPONSE).ended(3);
        assert!(run.stderr.starts_with("error[locked]: "), "{}", run.stderr);
        assert!(run.stderr.contains(&format!("`{held}`")), "{}", run.stderr);
        assert!(repo.files() == before, "{held}: {:?}", repo.files());
        is_tidy(&repo);
        drop(child.stdin.take());
        child.wait().unwrap();
        repo.run(&["apply"], RESPONSE).succeeded();
    }
}

#[test]
fn an_apply_that_is_interrupted_is_taken_back() {
    let Some(interrupter) = std::env::var_os("INTERRUPTER") else {
        return;
    };
    let repo = scene();
    let before = repo.files();
    let many: String = (0..100)
        .map(|nth| format!("*** Add File: many/{nth}.txt\n+text\n"))
        .collect();
    let response = RESPONSE.replace("*** End Patch\n", &format!("{many}*** End Patch\n"));
    let mut command = Command::new(interrupter);
    command
        .args(["many/1.txt", "apply"])
        .current_dir(repo.path());
    let run = support::run(&mut command, response.as_bytes());
    assert_eq!(
        run.stdout.trim_end(),
        "ended with c000013a",
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("everything was put back"),
        "{}",
        run.stderr
    );
    assert!(repo.files() == before, "{:?}", repo.files());
    is_tidy(&repo);
}

#[test]
fn what_names_no_file_of_windows_is_refused_there() {
    if !is_foreign() {
        return;
    }
    let repo = Repo::with(&[
        ("a file with a long name.txt", "text\n"),
        ("a directory of some length/a.txt", "text\n"),
    ]);
    let before = repo.files();
    for name in [
        "NUL",
        "nul.txt",
        "COM1",
        "lpt9.log",
        "in/aux",
        "CONOUT$",
        "a.txt:stream",
        "a.txt.",
        "a /b",
        "in./a.txt",
        "what?",
        "a|b",
        "in/what*/a.txt",
        "<a>",
        "a\"b",
        "a\u{1}b",
        "C:a.txt",
        "C:/a.txt",
        "//host/share/a.txt",
        r"\\host\a.txt",
        ".GIT/config",
        "git~1/config",
        ".git./config",
        ".git::$INDEX_ALLOCATION/config",
        // What wine calls the file, and the directory, for programs that know only short names.
        "A_FI~CLF.TXT",
        "A_DI~HHB/a.txt",
    ] {
        let response = format!("*** Begin Patch\n*** Add File: {name}\n+text\n*** End Patch\n");
        let check = repo.run(&["apply", "--check"], &response);
        let apply = repo.run(&["apply"], &response);
        assert_eq!(check.status, apply.status, "{name}: {}", check.stderr);
        assert!([1, 3].contains(&apply.status), "{name}: {}", apply.stderr);
        assert!(repo.files() == before, "{name}: {:?}", repo.files());
    }
    is_tidy(&repo);
}

#[test]
fn a_path_of_windows_that_is_below_the_top_is_read() {
    if !is_foreign() {
        return;
    }
    let repo = Repo::with(&[("in/a.txt", "old\n")]);
    // wine has the root as a drive.
    let path = repo.child("in/a.txt").path().display().to_string();
    let windows = path.replace('/', r"\");
    for (nth, name) in [format!("Z:{windows}"), format!("z:{path}")]
        .iter()
        .enumerate()
    {
        let (old, new) = [("old", "new"), ("new", "newer")][nth];
        let response = format!(
            "*** Begin Patch\n*** Update File: {name}\n@@\n-{old}\n+{new}\n*** End Patch\n"
        );
        // A copy of the repository, of which a document would be asked for, is below another top.
        support::run(repo.command().arg("apply"), response.as_bytes()).succeeded();
        assert_eq!(repo.text("in/a.txt"), format!("{new}\n"));
    }
}

#[test]
fn a_path_may_be_longer_than_windows_takes_by_itself() {
    let deep = ["a directory of some length"; 12].join("/");
    let path = format!("{deep}/file.txt");
    let repo = Repo::with(&[(&path, "old\n")]);
    let response =
        format!("*** Begin Patch\n*** Update File: {path}\n@@\n-old\n+new\n*** End Patch\n");
    repo.run(&["apply"], &response).succeeded();
    assert_eq!(repo.text(&path), "new\n");
}

#[test]
fn a_file_that_is_read_only_is_replaced_and_stays_so() {
    let repo = scene();
    repo.chmod("changed.txt", 0o444);
    repo.chmod("gone.txt", 0o444);
    repo.run(&["apply"], RESPONSE).succeeded();
    assert_eq!(repo.mode("changed.txt") & 0o222, 0);
    repo.run(&["undo"], "").succeeded();
    assert_eq!(repo.text("changed.txt"), "old\nrest\n");
}

#[test]
fn a_name_may_change_in_its_case_alone() {
    if !is_foreign() {
        return;
    }
    let repo = scene();
    repo.git(&["config", "core.ignoreCase", "true"]);
    let before = repo.files();
    let response = "\
*** Begin Patch
*** Update File: changed.txt
*** Move to: Changed.txt
@@
-old
+new
*** End Patch
";
    repo.run(&["apply"], response).succeeded();
    assert!(repo.child("Changed.txt").exists() && !repo.child("changed.txt").exists());
    repo.run(&["undo"], "").succeeded();
    assert!(repo.files() == before, "{:?}", repo.files());
}
