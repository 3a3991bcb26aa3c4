//! What systems do differently, and Windows most of all: commits and who waits for them, files that
//! are held open, Ctrl-C, names, long paths.
//!
//! With the feature `steps` the program is also killed at each of its steps, and leaves what the next
//! run takes back or finishes; no signals are needed for that, and no shell.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use assert_fs::prelude::*;

use super::envelope;
use super::support::{self, OnDisk, Repo, Run, in_full, some};

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

/// What a command leaves, as git sees it, too.
#[derive(PartialEq, Eq, Debug)]
struct State {
    files: BTreeMap<PathBuf, OnDisk>,
    status: String,
    commits: String,
}

impl State {
    fn of(repo: &Repo) -> Self {
        Self {
            files: repo.files(),
            status: repo.git(&["status", "--porcelain"]),
            commits: repo.git(&["log", "--format=%T %an %B", "HEAD"]),
        }
    }
}

fn locks(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap();
    let each = entries.map(|entry| entry.unwrap().path());
    each.flat_map(|path| match path.is_dir() {
        true => locks(&path),
        false if path.extension().is_some_and(|end| end == "lock") => vec![path],
        false => Vec::new(),
    })
    .collect()
}

fn is_tidy(repo: &Repo) {
    let locks = locks(repo.child(".git").path());
    assert!(locks.is_empty(), "{locks:?}");
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
    let before = State::of(&whole);
    whole.run(args, input).succeeded();
    let after = State::of(&whole);
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
        let now = State::of(&repo);
        let is_after = now == after;
        assert!(is_after || now == before, "step {step}: {now:?}");
        sides[usize::from(is_after)] += 1;
        is_tidy(&repo);
        repo.git(&["fsck", "--strict"]);
        if !is_after {
            repo.run(args, input).succeeded();
            assert_eq!(State::of(&repo), after, "step {step}, again");
        }
    }
    println!(
        "{args:?}: killed, {} times taken back, {} finished",
        sides[0], sides[1]
    );
    let is_sampled = sides[1] > 0 || !in_full();
    let is_tried = sides[0] > 4 && is_sampled;
    assert!(is_tried || !cfg!(feature = "steps"), "{sides:?}");
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
fn a_commit_that_is_killed_is_taken_back_or_finished() {
    dies_at_its_steps(
        &["apply", "--commit", "-m", "what is new"],
        RESPONSE,
        |_| {},
    );
}

#[test]
fn a_first_commit_that_is_killed_is_taken_back_or_finished() {
    let args = ["apply", "--commit", "-m", "what is first"];
    let response = envelope("*** Add File: in/a.txt\n+first\n");
    let commits = |repo: &Repo| repo.git(&["rev-list", "--all", "--count"]);
    for step in some(1.., 5) {
        let repo = Repo::empty();
        let run = run_to(&repo, step, &args, &response);
        if run.status != DIED {
            assert_eq!(run.status, 0, "{}", run.stderr);
            break;
        }
        let recovered = repo.run(&["recover"], "");
        assert_eq!(recovered.status, 0, "step {step}: {}", recovered.stderr);
        let count = if repo.child("in/a.txt").exists() {
            "1\n"
        } else {
            "0\n"
        };
        assert_eq!(commits(&repo), count, "step {step}");
        assert_eq!(repo.git(&["status", "--porcelain"]), "", "step {step}");
        is_tidy(&repo);
    }
}

#[test]
fn a_commit_ends_with_its_starter_while_somebody_edits_the_message() {
    let repo = scene();
    repo.git(&["config", "llmpatch.lockTimeout", "30000"]);
    let before = State::of(&repo);
    // `HOLDER` is a program that does the same, which git starts without a shell.
    let editor = std::env::var("HOLDER");
    let editor = editor.unwrap_or_else(|_| "f() { echo held; cat >/dev/null; }; f".to_owned());
    std::fs::write(repo.child("../response").path(), RESPONSE).unwrap();
    let mut child = repo
        .command()
        .args(["apply", "--commit", "--edit", "-m", "edited", "../response"])
        .env("GIT_EDITOR", editor)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut said).unwrap();
    if said.trim_end() != "held" {
        child.kill().unwrap();
        panic!("{}", Run::of(child.wait_with_output().unwrap()).stderr);
    }
    assert_ne!(repo.files(), before.files);
    child.kill().unwrap();
    child.wait().unwrap();
    drop(child.stdin.take());
    let recovered = repo.run(&["recover"], "").succeeded();
    assert!(recovered.stdout.contains("taken back"), "{recovered:?}");
    assert_eq!(State::of(&repo), before);
    is_tidy(&repo);
    repo.run(&["apply", "--commit", "-m", "again"], RESPONSE)
        .succeeded();
    is_tidy(&repo);
}

#[test]
fn a_commit_that_git_refuses_is_taken_back() {
    let args = ["apply", "--commit", "-m", "what is new"];
    let repo = scene();
    let before = State::of(&repo);
    // git commit finds HEAD's lock only when all else is done.
    repo.git(&["config", "core.filesRefLockTimeout", "0"]);
    repo.git(&["config", "llmpatch.lockTimeout", "0"]);
    for lock in [".git/index.lock", ".git/HEAD.lock"] {
        std::fs::write(repo.child(lock).path(), "").unwrap();
        let run = repo.run(&args, RESPONSE).ended(3);
        assert!(
            run.stderr.contains(lock) || run.stderr.contains(&lock.replace('/', "\\")),
            "{}",
            run.stderr
        );
        std::fs::remove_file(repo.child(lock).path()).unwrap();
        assert_eq!(State::of(&repo), before, "{lock}");
        is_tidy(&repo);
    }
    // A key that nobody has.
    let args = [
        "apply",
        "--commit",
        "-m",
        "signed",
        "--gpg-sign=nobody@example.org",
    ];
    repo.git(&["config", "gpg.program", "no-such-program"]);
    let run = repo.run(&args, RESPONSE).ended(3);
    assert!(
        run.stderr.contains("`git commit` made no commit"),
        "{}",
        run.stderr
    );
    assert_eq!(State::of(&repo), before);
    is_tidy(&repo);
}

#[test]
fn a_commit_keeps_the_line_ends_that_git_is_told_to_keep() {
    let repo = scene();
    repo.git(&["config", "core.autocrlf", "true"]);
    std::fs::write(repo.child("changed.txt").path(), "old\r\nrest\r\n").unwrap();
    repo.run(&["apply", "--commit", "-m", "what is new"], RESPONSE)
        .succeeded();
    assert_eq!(repo.text("changed.txt"), "new\r\nrest\r\n");
    assert_eq!(repo.git(&["show", "HEAD:changed.txt"]), "new\nrest\n");
    assert_eq!(repo.text("made/by/it.txt"), "new\r\n");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    is_tidy(&repo);
}

#[test]
#[cfg(windows)]
fn a_file_that_another_program_holds_open_is_named_and_nothing_is_torn() {
    use std::os::windows::fs::OpenOptionsExt as _;
    const FILE_SHARE_READ: u32 = 1;
    for held in ["changed.txt", "gone.txt", "in/old/place.txt"] {
        let repo = scene();
        let before = repo.files();
        let holder = std::fs::File::options()
            .read(true)
            .share_mode(FILE_SHARE_READ)
            .open(repo.child(held))
            .unwrap();
        // Nobody holds the file of a copy, of which a document would be asked for.
        let run = support::run(repo.command().arg("apply"), RESPONSE.as_bytes()).ended(3);
        assert!(run.stderr.starts_with("error[locked]: "), "{}", run.stderr);
        assert!(run.stderr.contains(&format!("`{held}`")), "{}", run.stderr);
        assert!(repo.files() == before, "{held}: {:?}", repo.files());
        is_tidy(&repo);
        drop(holder);
        repo.run(&["apply"], RESPONSE).succeeded();
    }
}

/// The access list of an open file, as text.
#[cfg(windows)]
mod access_list {
    use std::fs::File;
    use std::os::windows::fs::OpenOptionsExt as _;
    use std::path::Path;

    use windows_permissions::constants::{SeObjectType, SecurityInformation};
    use windows_permissions::wrappers;
    use windows_permissions::{LocalBox, SecurityDescriptor};

    fn open(file: &Path) -> File {
        const READ_AND_WRITE_ACCESS_LIST: u32 = 0x6_0000;
        let mut options = File::options();
        options.access_mode(READ_AND_WRITE_ACCESS_LIST);
        options.open(file).unwrap()
    }

    fn read(file: &Path, what: SecurityInformation) -> String {
        let kind = SeObjectType::SE_FILE_OBJECT;
        let found = wrappers::GetSecurityInfo(&open(file), kind, what).unwrap();
        let text =
            wrappers::ConvertSecurityDescriptorToStringSecurityDescriptor(&found, what).unwrap();
        text.into_string().unwrap()
    }

    pub(super) fn owner_of(file: &Path) -> String {
        read(file, SecurityInformation::Owner).split_off("O:".len())
    }

    /// Returns a list, but not whether its entries were inherited in a new way or an old one.
    pub(super) fn of(file: &Path) -> String {
        read(file, SecurityInformation::Dacl).replacen("AI", "", 1)
    }

    pub(super) fn set(file: &Path, list: &str, kind: SeObjectType) {
        let protection = if list.starts_with("D:P") {
            SecurityInformation::ProtectedDacl
        } else {
            SecurityInformation::UnprotectedDacl
        };
        let list: LocalBox<SecurityDescriptor> = list.parse().unwrap();
        let (what, list) = (SecurityInformation::Dacl | protection, list.dacl());
        assert!(list.is_some());
        wrappers::SetSecurityInfo(&mut open(file), kind, what, None, None, list, None).unwrap();
    }
}

/// wine makes lists of permission bits and bits of lists, and adds what the directory gives to new
/// files even where a list is protected from that. So not every list can be kept there.
#[test]
#[cfg(windows)]
fn an_access_list_of_a_files_own_is_kept_or_told_as_lost() {
    use windows_permissions::constants::SeObjectType::{SE_FILE_OBJECT, SE_KERNEL_OBJECT};
    let of_everybody = "D:(A;;FA;;;WD)";
    for wanted in [
        of_everybody,
        "D:P(A;;FA;;;WD)",
        "D:P(A;;FA;;;SY)(A;;FA;;;OWNER)",
    ] {
        let repo = scene();
        let [changed, another] = ["changed.txt", "another.txt"].map(|name| repo.path().join(name));
        std::fs::write(&another, "").unwrap();
        let of_new_files = access_list::of(&another);
        let wanted = wanted.replace("OWNER", &access_list::owner_of(&another));
        access_list::set(&changed, &wanted, SE_FILE_OBJECT);
        if access_list::of(&changed) == of_new_files {
            access_list::set(&changed, &wanted, SE_KERNEL_OBJECT);
        }
        let before = access_list::of(&changed);
        assert_ne!(before, of_new_files, "{wanted}");
        access_list::set(&another, &before, SE_FILE_OBJECT);
        let can_be_kept = access_list::of(&another) == before;
        assert!(can_be_kept || wanted != of_everybody, "{before}");

        let run = repo.run(&["apply"], RESPONSE).succeeded();
        let is_kept = access_list::of(&changed) == before;
        assert_eq!(is_kept, can_be_kept, "{before}");
        let lost = "warning: `changed.txt` lost its access list";
        assert_eq!(run.stderr.contains(lost), !is_kept, "{}", run.stderr);
        assert_eq!(
            run.stderr.matches("[rights]").count(),
            usize::from(!is_kept)
        );
        assert_eq!(repo.text("changed.txt"), "new\nrest\n");
    }
}

/// `INTERRUPTER` is a program that runs another with its arguments but the first, sends Ctrl-C as
/// soon as there is a file of that name, and says how it ended.
#[test]
#[cfg(windows)]
fn an_apply_that_is_interrupted_is_taken_back() {
    let Some(interrupter) = std::env::var_os("INTERRUPTER") else {
        return support::needs(support::Need::Interrupter);
    };
    let repo = scene();
    let before = repo.files();
    let many: String = (0..100)
        .map(|nth| format!("*** Add File: many/{nth}.txt\n+text\n"))
        .collect();
    let response = RESPONSE.replace("*** End Patch\n", &format!("{many}*** End Patch\n"));
    let mut command = std::process::Command::new(interrupter);
    command
        .args([support::program(), "many/1.txt", "apply"])
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
#[cfg(windows)]
fn what_names_no_file_of_windows_is_refused_there() {
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
#[cfg(windows)]
fn a_path_of_windows_that_is_below_the_top_is_read() {
    let repo = Repo::with(&[("in/a.txt", "old\n")]);
    let path = repo.child("in/a.txt").path().display().to_string();
    let (back, forward) = (path.replace('/', r"\"), path.replace('\\', "/"));
    let other_drive = forward[..1].to_lowercase() + &forward[1..];
    let relative = [r"in\a.txt", r".\in\..\in/a.txt"].map(str::to_owned);
    let names = ["old", "new", "newer", "newest", "last", "very last"];
    let all = [back, forward, other_drive].into_iter().chain(relative);
    for (name, pair) in all.zip(names.windows(2)) {
        let (old, new) = (pair[0], pair[1]);
        let response = format!(
            "*** Begin Patch\n*** Update File: {name}\n@@\n-{old}\n+{new}\n*** End Patch\n"
        );
        support::run(repo.command().arg("apply"), response.as_bytes()).succeeded();
        assert_eq!(repo.text("in/a.txt"), format!("{new}\n"));
    }
}

#[test]
fn a_path_may_be_longer_than_windows_takes_by_itself() {
    let deep = ["a directory of some length"; 12].join("/");
    let path = format!("{deep}/file.txt");
    let repo = Repo::empty();
    repo.git(&["config", "core.longPaths", "true"]);
    repo.child(&path).write_str("old\n").unwrap();
    repo.commit("base");
    let response =
        format!("*** Begin Patch\n*** Update File: {path}\n@@\n-old\n+new\n*** End Patch\n");
    repo.run(&["apply"], &response).succeeded();
    assert_eq!(repo.text(&path), "new\n");
}

#[test]
fn a_file_that_is_read_only_is_replaced_and_stays_so() {
    let repo = scene();
    repo.set_read_only("changed.txt", true);
    repo.set_read_only("gone.txt", true);
    repo.run(&["apply"], RESPONSE).succeeded();
    let changed = repo.child("changed.txt").metadata().unwrap();
    assert!(changed.permissions().readonly());
    repo.run(&["undo"], "").succeeded();
    assert_eq!(repo.text("changed.txt"), "old\nrest\n");
}

#[test]
#[cfg(windows)]
fn a_name_may_change_in_its_case_alone() {
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
    let after = repo.files();
    let is_there = |name: &str| after.contains_key(Path::new(name));
    assert!(
        is_there("Changed.txt") && !is_there("changed.txt"),
        "{after:?}"
    );
    repo.run(&["undo"], "").succeeded();
    assert!(repo.files() == before, "{:?}", repo.files());
}

/// Line ends are, byte for byte, what the git that is here makes of them, in the work tree and in
/// the index.
#[test]
fn lines_end_as_git_here_ends_them() {
    const RULES: [&str; 6] = [
        "",
        "* text\n",
        "* text=auto\n",
        "* text eol=crlf\n",
        "* text eol=lf\n",
        "* -text\n",
    ];
    const RESPONSE: &str = "\
*** Begin Patch
*** Update File: lf.txt
@@
-two
+2
*** Update File: crlf.txt
@@
-two
+2
+3
*** Add File: new.txt
+new
*** End Patch
";
    let settings = ["false", "true", "input"];
    let all = settings.map(|setting| RULES.map(|rules| (setting, rules)));
    for (setting, rules) in some(all.concat(), 4) {
        let base = Repo::empty();
        base.git(&["config", "core.autocrlf", setting]);
        base.git(&["config", "core.safecrlf", "false"]);
        base.child(".gitattributes").write_str(rules).unwrap();
        base.child("lf.txt").write_str("one\ntwo\n").unwrap();
        base.child("crlf.txt").write_str("one\r\ntwo\r\n").unwrap();
        base.commit("base");
        // As whoever clones it has it.
        std::fs::remove_file(base.child("lf.txt")).unwrap();
        std::fs::remove_file(base.child("crlf.txt")).unwrap();
        base.git(&["checkout", "-q", "--", "."]);
        let (ours, theirs) = (base.copied(), base.copied());
        let diff = theirs.run(&["diff"], RESPONSE).succeeded().stdout_bytes;
        // A copy is another file, which git looks at anew.
        theirs.git(&["update-index", "--refresh"]);
        theirs.git_with_input(&["apply", "--index", "--whitespace=nowarn"], &diff);
        ours.run(&["apply", "--index"], RESPONSE).succeeded();
        let what = format!("core.autocrlf={setting}, {rules:?}");
        assert_eq!(ours.files(), theirs.files(), "{what}");
        let staged = |repo: &Repo| repo.git(&["ls-files", "--stage"]);
        assert_eq!(staged(&ours), staged(&theirs), "{what}");
        // What is checked out anew, and what is added anew, is the same again.
        let (files, index) = (ours.files(), staged(&ours));
        ours.git(&["add", "-A"]);
        assert_eq!(staged(&ours), index, "{what}");
        std::fs::remove_file(ours.child("new.txt")).unwrap();
        ours.git(&["checkout", "-q", "--", "."]);
        assert_eq!(ours.files(), files, "{what}");
    }
}
