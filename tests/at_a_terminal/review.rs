//! `apply -i`: what is asked, what an answer does, and what is left alone.

use std::process::Command;

use assert_fs::prelude::*;

use super::support::{Repo, isolated, program, run};
use super::terminal::Terminal;

const ENVELOPE: &str = "\
*** Begin Patch
*** Update File: a.txt
@@
-two
+2
*** Delete File: src/b.txt
*** Add File: n/new.txt
+new
*** End Patch
";

const OPX: &str = r#"
<edit file="a.txt" op="patch">
  <why>Say it in figures</why>
  <find>
<<<
two
>>>
  </find>
  <put>
<<<
2
>>>
  </put>
</edit>
<edit file="src/b.txt" op="remove"><why>Nobody asks for b</why></edit>
<edit file="n/new.txt" op="new">
  <why>Something new</why>
  <put>
<<<
new
>>>
  </put>
</edit>
"#;

const UNIFIED: &str = "\
diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,3 @@
 one
-two
+2
 three
diff --git a/n/new.txt b/n/new.txt
new file mode 100644
--- /dev/null
+++ b/n/new.txt
@@ -0,0 +1 @@
+new
diff --git a/src/b.txt b/src/b.txt
deleted file mode 100644
--- a/src/b.txt
+++ /dev/null
@@ -1 +0,0 @@
-b
";

fn repo(response: &str) -> Repo {
    let repo = Repo::with(&[
        ("a.txt", "one\ntwo\nthree\n"),
        ("src/b.txt", "b\n"),
        ("src/c.txt", "c\n"),
    ]);
    repo.child("../answer").write_str(response).unwrap();
    repo
}

/// A shell's command line at a terminal, in which `llm` is our program.
struct Sitting(Terminal);

impl Sitting {
    fn start(repo: &Repo, line: &str, variables: &[(&str, &str)]) -> Self {
        let mut command = isolated(Command::new("sh"), repo.path());
        // A shell that does nothing about an interrupt would die of it as its child does; and what
        // it says then must not be flushed away by the interrupt itself.
        let script = format!(
            "trap : INT; stty noflsh; llm() {{ \"$0\" \"$@\"; }}; {line}; echo \"ended $?.\""
        );
        command.args(["-c", &script, program()]);
        command
            .env("TERM", "xterm")
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("GIT_PAGER", "cat");
        command.envs(variables.iter().copied());
        Self(Terminal::start(&command))
    }

    /// Waits for a question and answers it.
    fn answer(&mut self, question: &str, keys: &str) -> &mut Self {
        self.0.wait_for(question);
        self.0.send(keys);
        self
    }

    /// Waits for the end, and returns the exit status and all that was shown.
    fn end(&mut self) -> (i32, String) {
        self.0.wait_for("ended ");
        self.0.end();
        let shown = self.0.shown().replace("\r\n", "\n");
        let (_, status) = shown.rsplit_once("ended ").unwrap();
        (status.trim().trim_end_matches('.').parse().unwrap(), shown)
    }

    /// Demands an exit status, and returns all that was shown.
    #[track_caller]
    fn ended(&mut self, want: i32) -> String {
        let (status, shown) = self.end();
        assert_eq!(status, want, "{shown}");
        shown
    }
}

const ALL: &str = "Apply this change to 3 files [y,n,q,p,f,?]? ";

#[test]
fn yes_is_all_of_it_and_anything_else_is_nothing() {
    for (line, keys, status) in [
        ("llm apply -i ../answer", "y\n", 0),
        ("llm apply -i <../answer", "Y\n", 0),
        (
            "cat ../answer | llm apply --interactive - | cat",
            " y \n",
            0,
        ),
        ("llm apply -i ../answer", "n\n", 1),
        ("llm apply -i <../answer", "q\n", 1),
        ("llm apply -i <../answer", "\u{4}", 1),
    ] {
        let repo = repo(ENVELOPE);
        let before = repo.files();
        let mut sitting = Sitting::start(&repo, line, &[]);
        let shown = sitting.answer(ALL, keys).ended(status);
        assert!(shown.contains("-two\n+2\n three\n"), "{shown}");
        if status == 0 {
            repo.child("a.txt").assert("one\n2\nthree\n");
            assert!(!repo.child("src/b.txt").exists() && repo.child("n/new.txt").exists());
            assert!(shown.contains("D src/b.txt\n 3 files changed"), "{shown}");
        } else {
            assert_eq!(repo.files(), before);
            assert!(
                shown.contains("\nnothing was changed\nended") && !shown.contains("error"),
                "{shown}"
            );
        }
    }
}

/// As for `git add -p`, a diff in colours goes through the filter that is set; one that fails is as
/// none.
#[test]
fn a_diff_goes_through_the_filter_that_is_set() {
    for (filter, want) in [("sed s/two/zwei/", "zwei"), ("cat; false", "two")] {
        let repo = repo(ENVELOPE);
        repo.git(&["config", "interactive.diffFilter", filter]);
        let shown = Sitting::start(&repo, "llm apply -i --color=always ../answer", &[])
            .answer("3 files", "n\n")
            .ended(1);
        assert!(shown.contains(want) && shown.contains("\x1b["), "{shown}");
        let shown = Sitting::start(&repo, "llm apply -i --color=never ../answer", &[])
            .answer("3 files", "n\n")
            .ended(1);
        assert!(shown.contains("-two\n"), "{shown}");
    }
}

#[test]
fn a_response_can_be_typed_at_the_terminal_that_answers() {
    let repo = repo("");
    let mut sitting = Sitting::start(&repo, "llm apply -i", &[]);
    sitting.answer(
        "Ctrl-D",
        "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n\u{4}",
    );
    sitting
        .answer("Apply this change to 1 file [y,n,q,p,?]? ", "y\n")
        .ended(0);
    assert!(!repo.child("a.txt").exists());
}

#[test]
fn file_by_file_what_is_declined_is_left_out() {
    for response in [ENVELOPE, OPX, UNIFIED] {
        for (option, deed) in [
            ("", "Apply"),
            ("--index", "Apply and stage"),
            ("--cached", "Stage"),
            ("--commit", "Apply and commit"),
        ] {
            let repo = repo(response);
            let mut sitting =
                Sitting::start(&repo, &format!("llm apply {option} -i <../answer"), &[]);
            sitting.answer(
                &format!("{deed} this change to 3 files [y,n,q,p,f,?]? "),
                "f\n",
            );
            sitting.answer(
                &format!("(1/3) {deed} this change to `a.txt` [y,n,q,a,d,s,p,?]? "),
                "n\n",
            );
            sitting.answer(
                &format!("(2/3) {deed} the new file `n/new.txt` [y,n,q,a,d,p,?]? "),
                "y\n",
            );
            sitting.answer(
                &format!("(3/3) {deed} the deletion of `src/b.txt` [y,n,q,a,d,p,?]? "),
                "n\n",
            );
            let shown = sitting.ended(0);
            assert!(
                shown.contains("1 file changed, 1 insertion(+)\n"),
                "{shown}"
            );
            assert_eq!(repo.text("a.txt"), "one\ntwo\nthree\n", "{option}");
            assert!(repo.child("src/b.txt").exists(), "{option}");
            assert_eq!(repo.child("n/new.txt").exists(), option != "--cached");
            let status = repo.git(&["status", "--porcelain", "-uall"]);
            let want = match option {
                "" => "?? n/new.txt\n",
                "--index" => "A  n/new.txt\n",
                "--cached" => "AD n/new.txt\n",
                _ => "",
            };
            assert_eq!(status, want, "{option}");
            if option == "--commit" {
                let want = if response == OPX {
                    "Something new\n"
                } else {
                    "Add n/new.txt\n"
                };
                assert_eq!(
                    repo.git(&["log", "-1", "--format=%B"]).trim_end(),
                    want.trim_end()
                );
                assert_eq!(
                    repo.git(&["show", "--format=", "--name-only"]),
                    "n/new.txt\n"
                );
            }
        }
    }
}

#[test]
fn the_rest_can_be_decided_at_once() {
    let changed = |repo: &Repo| repo.git(&["status", "--porcelain", "-uall"]);
    for (first, second, status, want) in [
        ("y\n", "q\n", 0, " M a.txt\n"),
        ("y\n", "d\n", 0, " M a.txt\n"),
        ("y\n", "\u{4}", 0, " M a.txt\n"),
        ("n\n", "a\n", 0, " D src/b.txt\n?? n/new.txt\n"),
        ("n\n", "q\n", 1, ""),
        ("n\n", "d\n", 1, ""),
    ] {
        let repo = repo(ENVELOPE);
        let mut sitting = Sitting::start(&repo, "llm apply -i ../answer", &[]);
        sitting
            .answer(ALL, "f\n")
            .answer("(1/3)", first)
            .answer("(2/3)", second)
            .ended(status);
        assert_eq!(changed(&repo), want, "{first:?} {second:?}");
    }
    for (keys, status, want) in [
        ("q\n", 1, ""),
        ("a\n", 0, " M a.txt\n D src/b.txt\n?? n/new.txt\n"),
    ] {
        let repo = repo(ENVELOPE);
        let mut sitting = Sitting::start(&repo, "llm apply -i ../answer", &[]);
        sitting
            .answer(ALL, "f\n")
            .answer("(1/3)", keys)
            .ended(status);
        assert_eq!(changed(&repo), want, "{keys:?}");
    }
}

fn numbers(count: usize) -> String {
    (1..=count).map(|number| format!("{number}\n")).collect()
}

/// The change of three lines far from each other, each with a note of its own.
fn three_edits() -> String {
    let edit = |old: &str| {
        let find = format!("<find>\n<<<\n{old}\n>>>\n</find>\n<put>\n<<<\n{old}!\n>>>\n</put>\n");
        format!("<edit file=\"a.txt\" op=\"patch\">\n<why>Shout {old}</why>\n{find}</edit>\n")
    };
    ["10", "20", "30"].map(edit).concat()
}

/// What becomes of a file, hunk by hunk, is what `git add -p` stages of the same change for the
/// same letters.
#[test]
fn hunk_by_hunk_it_is_what_git_add_p_makes_of_the_same_letters() {
    for (letters, status) in [
        (&["y", "n", "y"][..], 0),
        (&["n", "y", "n"], 0),
        (&["n", "a"], 0),
        (&["y", "d"], 0),
        (&["y", "q"], 0),
        (&["n", "n", "n"], 1),
        (&["d"], 1),
        (&["q"], 1),
        (&["a"], 0),
        (&["e", "n", "y"], 0),
    ] {
        let repo = repo(&three_edits());
        repo.child("a.txt").write_str(&numbers(40)).unwrap();
        repo.commit("numbers");
        let editor = [("GIT_EDITOR", "sed -i s/10!/ten/")];
        let mut sitting = Sitting::start(&repo, "llm apply -i ../answer", &editor);
        sitting.answer("Apply this change to 1 file [y,n,q,p,s,?]? ", "s\n");
        for (number, letter) in letters.iter().enumerate() {
            let question = format!(
                "({}/3) Apply this hunk of `a.txt` [y,n,q,a,d,e,p,?]? ",
                number + 1
            );
            sitting.answer(&question, &format!("{letter}\n"));
        }
        sitting.ended(status);
        let ours = repo.text("a.txt");

        repo.child("a.txt").write_str(&numbers(40)).unwrap();
        repo.run(&["apply", "../answer"], "").succeeded();
        let mut sitting = Sitting::start(&repo, "git add -p", &editor);
        for (number, letter) in letters.iter().enumerate() {
            sitting.answer(
                &format!("({}/3) Stage this hunk", number + 1),
                &format!("{letter}\n"),
            );
        }
        sitting.ended(0);
        assert_eq!(ours, repo.git(&["show", ":a.txt"]), "{letters:?}");
    }
}

#[test]
fn of_what_some_hunks_are_made_of_the_rest_is_left_out_of_the_message_and_the_document() {
    let repo = repo(&three_edits());
    repo.child("a.txt").write_str(&numbers(40)).unwrap();
    repo.commit("numbers");
    let mut sitting = Sitting::start(
        &repo,
        "llm apply --commit --json -i ../answer >../json",
        &[],
    );
    sitting
        .answer("[y,n,q,p,s,?]? ", "s\n")
        .answer("(1/3)", "n\n")
        .answer("(2/3)", "y\n")
        .answer("(3/3)", "n\n")
        .ended(0);
    assert_eq!(repo.git(&["log", "-1", "--format=%B"]).trim(), "Shout 20");
    assert_eq!(repo.text("a.txt"), numbers(40).replace("20\n", "20!\n"));
    let json = repo.text("../json");
    assert!(
        json.contains("Shout 20") && !json.contains("Shout 10") && !json.contains("Shout 30"),
        "{json}"
    );
    assert!(json.contains("\"added\":1,\"removed\":1"), "{json}");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn an_edited_hunk_that_does_not_fit_is_asked_about_again() {
    let repo = repo(ENVELOPE);
    let hunks = |editor: &str, keys: &[(&str, &str)], status| {
        let mut sitting =
            Sitting::start(&repo, "llm apply -i ../answer", &[("GIT_EDITOR", editor)]);
        sitting
            .answer(ALL, "f\n")
            .answer("(1/3) Apply this change", "s\n");
        for (question, key) in keys {
            sitting.answer(question, key);
        }
        let shown = sitting.ended(status);
        let text = repo.text("a.txt");
        repo.git(&["checkout", "-q", "."]);
        repo.git(&["clean", "-fdq"]);
        (shown, text)
    };
    const HUNK: &str = "(1/1) Apply this hunk of `a.txt` [y,n,q,a,d,e,p,?]? ";
    const AGAIN: &str =
        "Your edited hunk does not apply. Edit again (saying \"no\" discards!) [y,n,?]? ";
    let all_else = ("(2/3)", "q\n");
    let (_, text) = hunks(
        "sed -i s/^-two/-tow/",
        &[(HUNK, "e\n"), (AGAIN, "n\n"), (HUNK, "y\n"), all_else],
        0,
    );
    assert_eq!(text, "one\n2\nthree\n");
    // Without any line, it stays as it was.
    let (_, text) = hunks("sed -i d", &[(HUNK, "e\n"), (HUNK, "n\n"), all_else], 1);
    assert_eq!(text, "one\ntwo\nthree\n");
    let (_, text) = hunks(
        "sed -i 's/^-two/ two/;s/^+2/+2\\n+3/'",
        &[(HUNK, "e\n"), all_else],
        0,
    );
    assert_eq!(text, "one\ntwo\n2\n3\nthree\n");
    // To quit at a hunk is to quit.
    let (_, text) = hunks("false", &[(HUNK, "q\n")], 1);
    assert_eq!(text, "one\ntwo\nthree\n");
}

#[test]
fn what_needs_each_other_is_asked_at_once() {
    let swap = "*** Update File: a.txt\n*** Move to: t\n*** Update File: src/b.txt\n*** Move to: a.txt\n*** Update File: t\n*** Move to: src/b.txt\n";
    let later = "*** Add File: n\n+x\n*** Update File: n\n@@\n-x\n+y\n";
    let response = format!("*** Begin Patch\n{swap}{later}*** End Patch\n");
    for (keys, a, n) in [
        (["n\n", "y\n"], "one\ntwo\nthree\n", true),
        (["y\n", "n\n"], "b\n", false),
    ] {
        let repo = repo(&response);
        let mut sitting = Sitting::start(&repo, "llm apply -i ../answer", &[]);
        sitting.answer(ALL, "f\n");
        sitting.answer(
            "(1/2) Apply this change to 2 files, which belong together [",
            keys[0],
        );
        sitting
            .answer("(2/2) Apply the new file `n` [", keys[1])
            .ended(0);
        repo.child("a.txt").assert(a);
        assert_eq!(repo.child("n").exists(), n);
        assert!(!n || repo.text("n") == "y\n");
    }
}

#[test]
fn what_is_no_answer_is_explained() {
    let repo =
        repo("*** Begin Patch\n*** Add File: n\u{1b}[2J\n+x\u{1b}]0;owned\u{7}\n*** End Patch\n");
    let mut sitting = Sitting::start(&repo, "llm apply -i ../answer", &[]);
    const QUESTION: &str = "Apply this change to 1 file [y,n,q,p,?]? ";
    sitting.answer(QUESTION, "yes\n");
    sitting.answer("\n`yes` is none of these letters; ? explains them\r\n", "");
    // What wasn't offered is no answer either.
    sitting
        .answer(QUESTION, "f\n")
        .answer("`f` is none", "")
        .answer(QUESTION, "\n");
    sitting
        .answer(QUESTION, "\u{e9}\n")
        .answer("`é` is none", "");
    sitting
        .answer(QUESTION, "?\n")
        .answer("y - yes, all of it\r\nn - no, change nothing\r\n", "");
    sitting
        .answer("? - print help\r\n", "")
        .answer(QUESTION, "p\n")
        .answer("+x\\033]0;owned\\007", "");
    let shown = sitting.answer(QUESTION, "n\n").ended(1);
    assert!(!shown.contains('\u{1b}'), "{shown}");
}

#[test]
fn names_are_shown_harmless() {
    let edit = |path: &str| {
        format!("<edit file=\"{path}\" op=\"new\"><put>\n<<<\nx\n>>>\n</put></edit>\n")
    };
    let response = edit("a\u{1b}[2J\u{202e}.txt") + &edit("b.txt");
    let repo = repo(&response);
    let mut sitting = Sitting::start(&repo, "llm apply -i ../answer", &[]);
    let (status, shown) = sitting
        .answer("? ", "f\n")
        .answer("? ", "n\n")
        .answer("? ", "n\n")
        .end();
    assert_eq!(status, 1, "{shown}");
    assert!(
        !shown.contains(['\u{1b}', '\u{202e}']) && shown.contains("\\033[2J"),
        "{shown}"
    );
}

#[test]
fn an_interrupt_at_a_question_ends_it_and_changes_nothing() {
    for pager in ["cat", "cat; true"] {
        let repo = repo(ENVELOPE);
        let before = repo.files();
        let mut sitting = Sitting::start(&repo, "llm apply -i ../answer", &[("GIT_PAGER", pager)]);
        sitting
            .answer(ALL, "f\n")
            .answer("(1/3)", "y\n")
            .answer("(2/3)", "\u{3}")
            .ended(130);
        assert_eq!(repo.files(), before);
    }
}

#[test]
fn an_interrupt_in_the_pager_is_the_pagers() {
    let repo = repo(ENVELOPE);
    let pager = "cat >/dev/null; echo paged; read -r key </dev/tty; echo closed";
    for keys in ["\n", "\u{3}"] {
        let mut sitting = Sitting::start(&repo, "llm apply -i ../answer", &[("GIT_PAGER", pager)]);
        sitting.answer("paged\r\n", keys);
        let shown = sitting.answer(ALL, "n\n").ended(1);
        let (before, _) = shown.split_once("Apply this").unwrap();
        assert_eq!(before.contains("closed\n"), keys == "\n", "{shown}");
    }
}

#[test]
fn what_git_would_filter_is_shown_as_git_diff_shows_it_or_as_it_stands_in_the_files() {
    for (clean, diff) in [
        ("tr a-z A-Z", "-TWO\r\n+2\r\n"),
        ("false", "-two\r\n+2\r\n"),
    ] {
        let repo = repo(ENVELOPE);
        repo.child(".git/info/attributes")
            .write_str("a.txt filter=shout\n")
            .unwrap();
        repo.git(&["config", "filter.shout.clean", clean]);
        repo.git(&["config", "filter.shout.required", "true"]);
        let mut sitting = Sitting::start(&repo, "llm apply -i ../answer", &[]);
        let shown = sitting.answer(diff, "").answer(ALL, "y\n").ended(0);
        assert!(!shown.contains("error"), "{shown}");
        repo.child("a.txt").assert("one\n2\nthree\n");
    }
}

/// As where git has started a pager of its own around us, which waits for keys.
#[test]
fn a_terminal_that_sends_keys_as_they_are_is_understood() {
    for (keys, status) in [("y\r", 0), ("\u{4}", 1)] {
        let repo = repo(ENVELOPE);
        let mut sitting = Sitting::start(
            &repo,
            "stty -icanon -icrnl -echo; llm apply -i ../answer",
            &[],
        );
        sitting.answer(ALL, keys).ended(status);
        assert_eq!(repo.child("n/new.txt").exists(), status == 0);
    }
}

/// A key answers as in `git add -p`, and after it, whatever it was, the terminal is as before.
#[test]
fn a_single_key_answers_where_git_is_set_so() {
    for (keys, status) in [
        ("y", 0),
        ("Y", 0),
        ("n", 1),
        ("\u{4}", 1),
        ("\u{3}", 130),
        ("\u{1c}", 131),
    ] {
        let repo = repo(ENVELOPE);
        repo.git(&["config", "interactive.singleKey", "true"]);
        let line = "ulimit -c 0; trap : QUIT; llm apply -i ../answer; s=$?; stty -a; (exit $s)";
        let mut sitting = Sitting::start(&repo, line, &[]);
        let shown = sitting.answer(ALL, keys).ended(status);
        assert_eq!(repo.child("n/new.txt").exists(), status == 0, "{keys:?}");
        for mode in [" icanon", " echo ", "isig "] {
            assert!(shown.contains(mode), "{keys:?} {mode:?}: {shown}");
        }
    }
    let repo = repo(ENVELOPE);
    repo.git(&["config", "interactive.singleKey", "true"]);
    let mut sitting = Sitting::start(&repo, "llm apply -i ../answer", &[]);
    let shown = sitting
        .answer(ALL, "\n")
        .answer(ALL, "x")
        .answer("`x` is none of these letters", "")
        .answer(ALL, "\u{1b}[A")
        .answer("none of these letters", "")
        .answer(ALL, "f")
        .answer("(1/3)", "y")
        .answer("(2/3)", "n")
        .answer("(3/3)", "q")
        .ended(0);
    assert!(shown.contains(&format!("{ALL}f\n")), "{shown}");
    assert_eq!(repo.git(&["status", "--porcelain"]), " M a.txt\n");
}

#[test]
fn a_pager_that_isnt_there_hides_nothing() {
    let repo = repo(ENVELOPE);
    let mut sitting = Sitting::start(
        &repo,
        "llm apply -i ../answer >/dev/null",
        &[("GIT_PAGER", "no-such-pager")],
    );
    sitting
        .answer("+++ b/a.txt", "")
        .answer(ALL, "n\n")
        .ended(1);
}

#[test]
fn nobody_waits_for_somebody_who_thinks() {
    let repo = repo(ENVELOPE);
    for option in ["", "--index", "--commit"] {
        let mut sitting = Sitting::start(&repo, &format!("llm apply {option} -i ../answer"), &[]);
        sitting.0.wait_for("[y,n,q,p,f,?]? ");
        repo.child("src/c.txt")
            .write_str(&format!("c {option}\n"))
            .unwrap();
        repo.git(&["add", "src/c.txt"]);
        repo.git(&["commit", "-qm", "meanwhile"]);
        // A save of what is to be changed is kept, and the change is none of it.
        repo.child("a.txt")
            .write_str("one\ntwo\nthree\nsaved\n")
            .unwrap();
        sitting.0.send("y\n");
        let shown = sitting.ended(1);
        assert!(shown.contains("error[stale]"), "{shown}");
        repo.child("a.txt").assert("one\ntwo\nthree\nsaved\n");
        assert!(repo.child("src/b.txt").exists() && !repo.child("n/new.txt").exists());
        repo.git(&["checkout", "-q", "a.txt"]);
    }
}

#[test]
fn what_was_shown_is_made_or_nothing() {
    let repo = repo(ENVELOPE);
    let mut sitting = Sitting::start(&repo, "llm apply -i ../answer", &[]);
    sitting.0.wait_for("[y,n,q,p,f,?]? ");
    // The response would fit behind this one, too.
    let other = "*** Begin Patch\n*** Update File: a.txt\n@@\n+last\n*** End Patch\n";
    repo.run(&["apply", "-q"], other).succeeded();
    let then = repo.files();
    sitting.0.send("y\n");
    let shown = sitting.ended(1);
    assert!(shown.contains("error[stale]"), "{shown}");
    assert_eq!(repo.files(), then);
}

#[test]
fn a_save_of_what_was_declined_is_nobodys_business() {
    let repo = repo(ENVELOPE);
    let mut sitting = Sitting::start(&repo, "llm apply -i ../answer", &[]);
    sitting
        .answer(ALL, "f\n")
        .answer("(1/3)", "n\n")
        .0
        .wait_for("(2/3)");
    repo.child("a.txt").write_str("saved\n").unwrap();
    sitting.0.send("a\n");
    sitting.ended(0);
    repo.child("a.txt").assert("saved\n");
    assert!(repo.child("n/new.txt").exists());
}

#[test]
fn warnings_come_before_the_question_and_once() {
    let twice = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n";
    for (redirection, times) in [("", 1), ("-q", 0), ("2>&1 | cat", 2)] {
        let repo = repo(twice);
        repo.child("a.txt").write_str("x\n--\nx\n").unwrap();
        let mut sitting =
            Sitting::start(&repo, &format!("llm apply -i ../answer {redirection}"), &[]);
        let shown = sitting.answer("[y,n,q,p,s,?]? ", "y\n").ended(0);
        let (before, _) = shown.split_once("[y,n").unwrap();
        assert_eq!(before.matches("warning: ").count(), times.min(1), "{shown}");
        assert_eq!(shown.matches("warning: ").count(), times, "{shown}");
    }
}

#[test]
fn questions_are_in_the_colours_that_git_takes() {
    let repo = repo(ENVELOPE);
    let shown = |variables: &[(&str, &str)]| {
        let mut sitting = Sitting::start(&repo, "llm apply -i ../answer", variables);
        sitting.answer("]? ", "x\n").answer("]? ", "n\n").ended(1)
    };
    let text = shown(&[("NO_COLOR", "")]);
    assert!(
        text.contains(&format!("\x1b[1m\x1b[34m{ALL}\x1b[m")),
        "{text:?}"
    );
    assert!(
        text.contains("\x1b[1m\x1b[31m`x` is none of these letters; ? explains them\x1b[m\n"),
        "{text:?}"
    );
    assert!(text.contains("\x1b[31m-two\x1b[m\n"), "{text:?}");
    repo.git(&["config", "color.interactive.prompt", "yellow"]);
    repo.git(&["config", "color.interactive.help", "cyan"]);
    let text = shown(&[("NO_COLOR", "")]);
    assert!(
        text.contains(&format!("\x1b[33m{ALL}\x1b[m")) && text.contains("\x1b[36m`x` is"),
        "{text:?}"
    );
    repo.git(&["config", "color.interactive", "never"]);
    assert!(shown(&[("NO_COLOR", "")]).contains(&format!("\n{ALL}")));
}

#[test]
fn a_program_may_listen_while_a_person_decides() {
    let repo = repo(ENVELOPE);
    let mut sitting = Sitting::start(&repo, "llm apply -i --json ../answer >../json", &[]);
    sitting
        .answer(ALL, "f\n")
        .answer("(1/3)", "n\n")
        .answer("(2/3)", "y\n")
        .answer("(3/3)", "n\n")
        .ended(0);
    let json = repo.text("../json");
    assert!(
        json.contains(r#""status":"applied""#)
            && json.contains("n/new.txt")
            && !json.contains("a.txt"),
        "{json}"
    );
    let mut sitting = Sitting::start(
        &repo,
        "git checkout -q .; rm -r n; llm apply -i --json ../answer >../json",
        &[],
    );
    sitting.answer(ALL, "n\n").ended(1);
    assert!(
        repo.text("../json").contains(r#""kind":"declined""#),
        "{}",
        repo.text("../json")
    );
}

#[test]
fn what_is_expected_is_all_of_a_change() {
    let repo = repo(ENVELOPE);
    let said = repo
        .run(&["apply", "--check", "-v", "../answer"], "")
        .succeeded()
        .stderr;
    let plan = said
        .lines()
        .find_map(|line| line.strip_prefix("plan "))
        .unwrap();
    let mut sitting = Sitting::start(
        &repo,
        &format!("llm apply -i --expect={plan} ../answer"),
        &[],
    );
    sitting
        .answer("Apply this change to 3 files [y,n,q,p,?]? ", "y\n")
        .ended(0);
    assert!(repo.child("n/new.txt").exists());
}

#[test]
fn nothing_to_decide_is_not_asked() {
    let repo = repo("*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+two\n*** End Patch\n");
    Sitting::start(&repo, "llm apply -i --allow-empty ../answer", &[]).ended(0);
    Sitting::start(&repo, "llm apply -i ../answer", &[]).ended(1);
}

#[test]
fn without_a_terminal_nothing_is_read() {
    let repo = repo(ENVELOPE);
    let mut command = isolated(Command::new("setsid"), repo.path());
    command.args(["--wait", program(), "apply", "-i", "../no-such-answer"]);
    let run = run(&mut command, b"").ended(2);
    assert!(
        run.stderr.contains("requires a terminal to ask at"),
        "{}",
        run.stderr
    );
    for preview in ["--check", "--diff", "--stat", "--numstat", "--summary"] {
        let run = repo
            .run(&["apply", "-i", preview, "../no-such-answer"], "")
            .ended(2);
        assert!(
            run.stderr
                .contains("'--interactive' beside a preview requires '--apply'"),
            "{}",
            run.stderr
        );
    }
    let mut sitting = Sitting::start(&repo, "llm apply -i --stat --apply ../answer", &[]);
    let shown = sitting
        .answer(ALL, "f\n")
        .answer("(1/3)", "y\n")
        .answer("(2/3)", "d\n")
        .ended(0);
    assert!(shown.contains(" a.txt | 2 +-\n 1 file changed"), "{shown}");
}
