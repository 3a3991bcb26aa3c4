//! `check --staged`: what it takes for a response, which lines it finds, what it reads and what it
//! leaves alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use assert_fs::prelude::*;

use super::support::documents::{documents, kinds};
use super::support::{Run, all_by_git, isolated, make_pipe, path, program, run, symlink, system};
use super::{Repo, opx, repo, update};

const MARKERS: &str = "*** Begin Patch\n*** End Patch\n";

impl Repo {
    /// Stages everything, and looks at it.
    #[track_caller]
    fn staged(&self, args: &[&str]) -> Run {
        self.git(&["add", "-A"]);
        self.looked_at(args)
    }

    #[track_caller]
    fn looked_at(&self, args: &[&str]) -> Run {
        let run = run(self.command().args(["check", "--staged"]).args(args), b"");
        assert_ne!(run.status, 101, "{}", run.stderr);
        run
    }
}

/// Returns the first words of each finding: place and kind.
fn findings(run: &Run) -> Vec<String> {
    let short = |line: &str| line.splitn(5, ':').take(4).collect::<Vec<_>>().join(":");
    run.stdout.lines().map(short).collect()
}

#[test]
fn staged_responses_must_apply_to_what_is_staged() {
    let repo = repo();
    repo.child("good.llmpatch")
        .write_str(&update("a.txt", "two", "2"))
        .unwrap();
    repo.child("good.opx")
        .write_str(&opx("a.txt", "", "three", "3"))
        .unwrap();
    repo.child("answers/said.md")
        .write_str(&format!("Here:\n\n{}", update("a.txt", "one", "1")))
        .unwrap();
    repo.child(".gitattributes")
        .write_str("answers/* llmpatch=response\n")
        .unwrap();
    let run = repo.staged(&[]).ended(0);
    assert_eq!((&run.stdout[..], &run.stderr[..]), ("", ""));
    let run = repo.staged(&["-v"]).ended(0);
    let oks: Vec<_> = run
        .stdout
        .lines()
        .filter(|line| line.contains(": ok, 1 file"))
        .collect();
    assert_eq!(oks.len(), 3, "{}", run.stdout);

    repo.child("a.txt").write_str("nothing of that\n").unwrap();
    assert_eq!(
        repo.looked_at(&[]).ended(0).stdout,
        "",
        "the work tree is nobody's business"
    );
    let run = repo.staged(&[]).ended(1);
    let want = [
        "answers/said.md:6:1: lines-not-found",
        "good.llmpatch:4:1: lines-not-found",
        "good.opx:4:1: lines-not-found",
    ];
    assert_eq!(findings(&run), want, "{}", run.stdout);
    assert!(
        run.stderr
            .starts_with("3 findings in what is staged\nhelp: "),
        "{}",
        run.stderr
    );
    assert_eq!(repo.looked_at(&["-q"]).ended(1).stderr, "");
}

/// A response that is committed together with what it does is no finding; one of which only a part
/// was done is.
#[test]
fn a_response_may_be_staged_with_its_change() {
    let repo = repo();
    let response = format!(
        "{}{}",
        update("a.txt", "two", "2"),
        update("src/b.txt", "b", "B")
    );
    repo.child("done.llmpatch").write_str(&response).unwrap();
    repo.run(&["apply"], &response).succeeded();
    assert_eq!(repo.staged(&[]).ended(0).stdout, "");
    repo.child("src/b.txt").write_str("c\n").unwrap();
    let run = repo.staged(&[]).ended(1);
    assert!(run.stdout.starts_with("done.llmpatch:"), "{}", run.stdout);
}

#[test]
fn what_a_file_is_taken_for_is_said_by_attribute_by_name_or_by_argument() {
    super::support::needs(super::support::Need::Names);
    let repo = repo();
    let rules = "*.md llmpatch=response\n\"a b/*\" llmpatch=response\n[attr]fixture -llmpatch\nfix/* fixture\nsub/** llmpatch=other\n";
    repo.child(".gitattributes").write_str(rules).unwrap();
    for path in [
        "x.md",
        "a b/x",
        "x.opx",
        "fix/x.opx",
        "fix/y",
        "sub/x",
        "sub/x.llmpatch",
        "x",
        "x.OPX",
    ] {
        repo.child(path)
            .write_str("no patch\n*** End Patch\n")
            .unwrap();
    }
    let run = repo.staged(&[]).ended(1);
    let want = [
        "a b/x:1:1: parse",
        "sub/x.llmpatch:1:1: parse",
        "sub/x:2:1: markers",
        "x.OPX:2:1: markers",
        "x.md:1:1: parse",
        "x.opx:1:1: parse",
        "x:2:1: markers",
    ];
    let mut found = findings(&run);
    found.sort();
    assert_eq!(found, want);
    // From a directory it is the same.
    let below = isolated(Command::new(program()), &repo.child("sub"))
        .args(["check", "--staged"])
        .output();
    assert_eq!(Run::of(below.unwrap()).stdout, run.stdout);
    let run = repo
        .looked_at(&["fix/y", "x", "./sub/../src/b.txt", "nowhere"])
        .ended(2);
    for line in [
        "fix/y:1:1: parse",
        "x:1:1: parse",
        "src/b.txt:1:1: parse",
        "nowhere:1:1: usage",
    ] {
        assert!(
            findings(&run).contains(&line.to_owned()),
            "{line}\n{}",
            run.stdout
        );
    }
    assert_eq!(
        findings(&run).len(),
        want.len() + 3,
        "what is named is a response and nothing else"
    );
}

#[test]
fn arguments_are_paths_from_the_current_directory() {
    let repo = repo();
    repo.child("src/x.txt")
        .write_str(&update("a.txt", "none", "n"))
        .unwrap();
    repo.git(&["add", "-A"]);
    let in_directory = |directory: &str, args: &[&str]| {
        run(
            isolated(Command::new(program()), &repo.child(directory))
                .args(["check", "--staged"])
                .args(args),
            b"",
        )
    };
    for (directory, path) in [
        ("src", "x.txt"),
        ("src", "../src/x.txt"),
        (".", "src/x.txt"),
    ] {
        let run = in_directory(directory, &[path]).ended(1);
        assert_eq!(
            findings(&run),
            ["src/x.txt:4:1: lines-not-found"],
            "{directory} {path}"
        );
    }
    let whole = repo.child("src/x.txt");
    in_directory("src", &[whole.to_str().unwrap()]).ended(1);
    assert_eq!(
        findings(&in_directory("src", &["../../x"]))[0],
        "../../x:1:1: unsafe-path"
    );
    for args in [&["-"][..], &["--cached"], &["--onto=HEAD"]] {
        assert_eq!(in_directory(".", args).ended(2).stdout, "", "{args:?}");
    }
}

#[test]
fn only_added_lines_are_found() {
    let repo = Repo::with(&[
        ("has.md", "# a\n*** Begin Patch\n*** End Patch\nz\n"),
        (
            "moved.md",
            "one\ntwo\nthree\nfour\nfive\nsix\n*** Begin Patch\n*** End Patch\n",
        ),
        ("alike.md", "1\n2\n3\n4\n5\n6\n7\n8\n*** End Patch\n"),
        ("gone.md", MARKERS),
        ("mode.sh", MARKERS),
    ]);
    repo.child("has.md")
        .write_str("# b\n*** Begin Patch\n*** End Patch\nz\n*** Begin Patch\r\n")
        .unwrap();
    repo.git(&["mv", "moved.md", "new/elsewhere.md"].map(|word| word.trim_start_matches("new/")));
    repo.git(&["mv", "alike.md", "other.md"]);
    repo.child("other.md")
        .write_str("1\n2\n3\n4\n5\n6\n7\n*** End Patch\n*** Begin Patch\n")
        .unwrap();
    repo.git(&["rm", "-q", "gone.md"]);
    repo.chmod("mode.sh", 0o755);
    repo.child("new.rs")
        .write_str(&format!(
            "\u{feff}*** End Patch \n *** Begin Patch\n+*** Begin Patch\n// {MARKERS}"
        ))
        .unwrap();
    let run = repo.staged(&[]).ended(1);
    let want = [
        "has.md:5:1: markers",
        "new.rs:1:1: markers",
        "new.rs:5:1: markers",
        "other.md:9:1: markers",
    ];
    assert_eq!(findings(&run), want, "{}", run.stdout);
    // As git has it told: without renames a file is new.
    repo.git(&["config", "diff.renames", "false"]);
    assert_eq!(
        repo.looked_at(&[])
            .ended(1)
            .stdout
            .lines()
            .filter(|line| line.starts_with("other.md"))
            .count(),
        2
    );
    // And nothing is staged after the commit.
    repo.commit("done");
    assert_eq!(repo.looked_at(&[]).ended(0).stdout, "");
}

#[test]
fn what_has_no_lines_is_let_be() {
    super::support::needs(super::support::Need::Links);
    let repo = repo();
    repo.child("binary")
        .write_str(&format!("\0\n{MARKERS}"))
        .unwrap();
    repo.child("long")
        .write_str(&format!("{}\n{MARKERS}", "x".repeat(3000)))
        .unwrap();
    symlink(MARKERS, repo.child("link"));
    symlink("a.txt", repo.child("link.llmpatch"));
    repo.git(&["config", "core.bigFileThreshold", "2k"]);
    repo.git(&["add", "-A"]);
    let head = repo.git(&["rev-parse", "HEAD"]);
    for path in ["sub", "sub.opx"] {
        repo.git(&[
            "update-index",
            "--add",
            "--cacheinfo",
            &format!("160000,{},{path}", head.trim()),
        ]);
    }
    let run = repo.looked_at(&[]).ended(1);
    assert_eq!(
        findings(&run),
        ["link.llmpatch:1:1: unsafe-path", "sub.opx:1:1: unsafe-path"],
        "{}",
        run.stdout
    );
    // A response may be as long as any.
    let named = repo.looked_at(&["long", "link", "sub"]).ended(1);
    let want = [
        "link:1:1: unsafe-path",
        "link.llmpatch:1:1: unsafe-path",
        "long:2:1: parse",
    ];
    assert_eq!(findings(&named)[..3], want, "{}", named.stdout);

    // A link that becomes a file is all new.
    repo.git(&["rm", "-q", "--cached", "link.llmpatch", "sub.opx"]);
    repo.git(&["commit", "-q", "-m", "link"]);
    fs::remove_file(repo.child("link")).unwrap();
    fs::remove_file(repo.child("link.llmpatch")).unwrap();
    repo.child("link").write_str(MARKERS).unwrap();
    repo.git(&["add", "link"]);
    assert_eq!(
        findings(&repo.looked_at(&[])),
        ["link:1:1: markers", "link:2:1: markers"]
    );
}

#[test]
fn before_the_first_commit_everything_is_new() {
    let repo = Repo::empty();
    assert_eq!(repo.looked_at(&[]).ended(0).stdout, "");
    repo.child("a.txt").write_str("two\n").unwrap();
    repo.child("p.opx")
        .write_str(&opx("a.txt", "", "two", "2"))
        .unwrap();
    repo.child("b.txt").write_str(MARKERS).unwrap();
    assert_eq!(
        findings(&repo.staged(&[]).ended(1)),
        ["b.txt:1:1: markers", "b.txt:2:1: markers"]
    );
}

#[test]
fn what_is_only_intended_isnt_staged_and_what_is_unmerged_is_no_response() {
    let repo = repo();
    repo.child("intended").write_str(MARKERS).unwrap();
    repo.child("intended.opx").write_str("nothing\n").unwrap();
    repo.git(&["add", "-N", "intended", "intended.opx"]);
    assert_eq!(repo.looked_at(&[]).ended(0).stdout, "");
    assert_eq!(
        findings(&repo.looked_at(&["intended"]).ended(2)),
        ["intended:1:1: usage"]
    );

    repo.git(&["rm", "-q", "-f", "--cached", "intended", "intended.opx"]);
    let side = |content: &str| {
        repo.child("x.opx").write_str(content).unwrap();
        repo.child("x.txt").write_str(content).unwrap();
        repo.git(&["add", "x.opx", "x.txt"]);
        repo.git(&["commit", "-q", "-m", "side"]);
    };
    repo.git(&["checkout", "-q", "-b", "other"]);
    side(&format!("theirs\n{MARKERS}"));
    repo.git(&["checkout", "-q", "main"]);
    side("ours\n");
    run(
        isolated(Command::new("git"), repo.path()).args(["merge", "other"]),
        b"",
    )
    .ended(1);
    assert_eq!(
        findings(&repo.looked_at(&[]).ended(1)),
        ["x.opx:1:1: stale"]
    );
}

#[test]
fn the_rules_are_those_in_the_index() {
    let repo = repo();
    repo.child("x.txt").write_str(MARKERS).unwrap();
    repo.child(".gitattributes")
        .write_str("x.txt -llmpatch\n")
        .unwrap();
    repo.git(&["add", "x.txt"]);
    assert_eq!(
        repo.looked_at(&[]).ended(1).stdout.lines().count(),
        2,
        "a rule that isn't staged is none"
    );
    repo.git(&["add", ".gitattributes"]);
    // A pipe in its place would be waited for.
    fs::remove_file(repo.child(".gitattributes")).unwrap();
    make_pipe(&repo.child(".gitattributes"));
    assert_eq!(repo.looked_at(&[]).ended(0).stdout, "");
    // Nor is a link followed.
    fs::remove_file(repo.child(".gitattributes")).unwrap();
    repo.child("rules").write_str("x.txt -llmpatch\n").unwrap();
    symlink("rules", repo.child(".gitattributes"));
    repo.git(&["add", "-A"]);
    assert_eq!(repo.looked_at(&[]).ended(1).stdout.lines().count(), 2);
    repo.git(&["rm", "-q", "-f", "--cached", ".gitattributes"]);
    assert_eq!(repo.looked_at(&[]).ended(1).stdout.lines().count(), 2);

    for rules in [".git/info/attributes", "rules"] {
        repo.child(rules).write_str("x.txt -llmpatch\n").unwrap();
        let named = format!("core.attributesFile={}", repo.child("rules").display());
        let own = ["-c", &named];
        let mut git = isolated(Command::new("git"), repo.path());
        git.env("PATH", path())
            .args(if rules == "rules" { &own[..] } else { &[] });
        assert_eq!(
            run(git.args(["llmpatch", "check", "--staged"]), b"")
                .ended(0)
                .stdout,
            "",
            "{rules}"
        );
        fs::remove_file(repo.child(rules)).unwrap();
    }
    // Deeper ones, and those that HEAD has.
    repo.child("x.txt").write_str("x\n").unwrap();
    repo.child("deep/.gitattributes")
        .write_str("*.md llmpatch=response\n")
        .unwrap();
    repo.commit("rules");
    repo.child("deep/er/x.md").write_str("no patch\n").unwrap();
    assert_eq!(
        findings(&repo.staged(&[]).ended(1)),
        ["deep/er/x.md:1:1: parse"]
    );
}

#[test]
fn odd_names_and_modes_are_told_of_and_obeyed_by_nobody() {
    super::support::needs(super::support::Need::Names);
    let repo = Repo::with(&[("a", "a\n")]);
    for name in [
        &b"x\n\x1b[2Jy:1:1: parse.md"[..],
        b"caf\xe9",
        "\u{202e}gpj".as_bytes(),
        b"-n",
    ] {
        repo.child(system::path_of_bytes(name))
            .write_str("*** End Patch\n")
            .unwrap();
    }
    let run = repo.staged(&[]).ended(1);
    let starts = [
        "-n:1:1: markers",
        "caf\\351:1:1: markers",
        "x\\n\\033[2Jy:1:1: parse.md:1:1: markers",
        "\\342\\200\\256gpj:1:1: ",
    ];
    for start in starts {
        assert!(
            run.stdout.lines().any(|line| line.starts_with(start)),
            "{start}\n{}",
            run.stdout
        );
    }
    assert_eq!(run.stdout.lines().count(), 4);
    let all = documents(&repo.looked_at(&["--json"]).ended(1).stdout);
    assert_eq!(all.len(), 4);
    assert!(
        all.iter()
            .any(|one| one["errors"][0]["path_bytes"] == "Y2Fm6Q==")
    );

    // A tree with a mode that git doesn't write, as one that was fetched may have.
    let blob = repo.git(&["rev-parse", "HEAD:a"]);
    let id: Vec<u8> = (0..20)
        .map(|at| u8::from_str_radix(&blob[2 * at..2 * at + 2], 16).unwrap())
        .collect();
    let tree = [b"100640 a\0", &id[..]].concat();
    let tree = repo.git_with_input(
        &["hash-object", "-t", "tree", "-w", "--stdin", "--literally"],
        &tree,
    );
    let commit = repo.git(&["commit-tree", "-m", "odd", tree.trim()]);
    repo.git(&["update-ref", "HEAD", commit.trim()]);
    repo.child("a").write_str("*** End Patch\n").unwrap();
    assert!(findings(&repo.staged(&[]).ended(1)).contains(&"a:1:1: markers".to_owned()));
}

#[test]
fn of_very_many_markers_the_first_are_told() {
    let repo = Repo::empty();
    repo.child("a")
        .write_str(&"*** End Patch\n".repeat(5000))
        .unwrap();
    let run = repo.staged(&[]).ended(1);
    assert_eq!(run.stdout.lines().count(), 101);
    assert!(
        run.stdout
            .ends_with("from here on, 4900 more lines like these\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn programs_get_a_document_for_each_response_and_each_file_with_markers() {
    let repo = repo();
    repo.child("good.opx")
        .write_str(&opx("a.txt", "Why", "two", "2"))
        .unwrap();
    repo.child("bad.opx")
        .write_str(&opx("a.txt", "", "none", "2"))
        .unwrap();
    repo.child("x.md")
        .write_str(&format!("x\n{MARKERS}"))
        .unwrap();
    repo.child("y.md").write_str("fine\n").unwrap();
    let run = repo.staged(&["--json", "--feedback"]).ended(1);
    assert_eq!(run.stderr, "");
    let all = documents(&run.stdout);
    let about: Vec<_> = all
        .iter()
        .map(|one| (one["responses"][0].as_str().unwrap(), kinds(one, "errors")))
        .collect();
    let kind = |kinds: &[&str]| {
        kinds
            .iter()
            .map(|&kind| kind.to_owned())
            .collect::<Vec<_>>()
    };
    let want = [
        ("bad.opx", kind(&["lines-not-found"])),
        ("good.opx", kind(&[])),
        ("x.md", kind(&["markers", "markers"])),
    ];
    assert_eq!(about, want);
    assert!(all[0]["feedback"].as_str().unwrap().contains("none") && all[1]["plan"].is_string());
    assert_eq!(all[1]["files"][0]["new_oid"].as_str().unwrap().len(), 40);
    let left = &all[2]["errors"][1];
    assert_eq!(
        (&left["path"], &left["line"], &left["response"]),
        (&"x.md".into(), &3.into(), &serde_json::Value::Null)
    );
}

#[test]
fn without_a_repository_it_says_so() {
    let nowhere = assert_fs::TempDir::new().unwrap();
    let mut command = isolated(Command::new(program()), nowhere.path());
    let run = run(command.args(["check", "--staged"]), b"").ended(3);
    assert!(
        run.stderr.contains("is not inside a git repository"),
        "{}",
        run.stderr
    );
}

/// All below a directory: bytes, modes and when they were changed.
fn state(directory: &Path, all: &mut BTreeMap<PathBuf, (Vec<u8>, u32, SystemTime)>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let meta = path.symlink_metadata().unwrap();
        let bytes = if meta.is_file() {
            fs::read(&path).unwrap()
        } else {
            Vec::new()
        };
        all.insert(
            path.clone(),
            (bytes, system::mode(&path), meta.modified().unwrap()),
        );
        if meta.is_dir() {
            state(&path, all);
        }
    }
}

/// A repository with a bit of everything staged, so that all paths through the code are taken.
fn busy() -> Repo {
    let repo = Repo::with(&[
        ("a.txt", "one\ntwo\n"),
        ("m.md", "1\n2\n3\n4\n5\n6\n*** End Patch\n"),
    ]);
    repo.child(".gitattributes")
        .write_str("s.md llmpatch=response\n")
        .unwrap();
    repo.child("s.md")
        .write_str(&update("a.txt", "two", "2"))
        .unwrap();
    repo.git(&["mv", "m.md", "n.md"]);
    repo.child("n.md")
        .write_str("1\n2\n3\n4\n5\n7\n*** End Patch\n*** Begin Patch\n")
        .unwrap();
    repo.child("a.txt")
        .write_str(&format!("one\ntwo\n{MARKERS}"))
        .unwrap();
    repo.git(&["add", "-A"]);
    repo
}

#[test]
fn it_takes_no_lock_and_writes_nothing() {
    let repo = busy();
    repo.child(".git/index.lock")
        .write_str("held by another")
        .unwrap();
    for entry in ["", "objects", "refs"] {
        repo.chmod(&format!(".git/{entry}"), 0o555);
    }
    // Stat data that a reader would like to refresh.
    let touched = fs::File::options().write(true).open(repo.child("a.txt"));
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(978_307_200);
    touched.unwrap().set_modified(long_ago).unwrap();
    let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
    state(repo.path(), &mut before);
    let run = repo.looked_at(&[]).ended(1);
    assert_eq!(
        findings(&run),
        [
            "a.txt:3:1: markers",
            "a.txt:4:1: markers",
            "n.md:8:1: markers"
        ],
        "{}",
        run.stdout
    );
    repo.looked_at(&["--json"]).ended(1);
    state(repo.path(), &mut after);
    assert!(before == after);
    repo.chmod(".git", 0o755);
}

/// Root may write where it mustn't, and what is put back is no trace: so the system calls
/// themselves are looked at.
#[test]
fn no_system_call_asks_for_more_than_to_read() {
    if Command::new("strace")
        .arg("-V")
        .stdout(Stdio::null())
        .status()
        .is_err()
    {
        // Here a missing strace is a line; `.ci/run` installs it.
        eprintln!("no strace: not looked at");
        return;
    }
    if all_by_git() {
        // The stand-in for a repository that git's children are given is made in the directory for
        // temporary files.
        return;
    }
    let repo = busy();
    let log = repo.path().with_file_name("log");
    let mut strace = isolated(Command::new("strace"), repo.path());
    strace
        .args(["-f", "-qq", "-y", "-e", "trace=%file,%desc,ftruncate", "-o"])
        .arg(&log)
        .arg(program());
    run(strace.args(["check", "--staged"]), b"").ended(1);
    let log = fs::read_to_string(log).unwrap();
    assert!(
        log.lines().count() > 50 && log.contains("diff-index"),
        "{log}"
    );
    let writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"];
    let changes = [
        "mkdir", "rename", "unlink", "rmdir", "link(", "linkat", "symlink", "truncate", "chmod",
        "utime", "mknod",
    ];
    let harmless = ["execve(", "/dev/null", "readlink", " --- SIG"];
    for line in log
        .lines()
        .filter(|line| !harmless.iter().any(|word| line.contains(word)))
    {
        let is_change = writes
            .iter()
            .chain(&changes)
            .any(|word| line.contains(word));
        assert!(!is_change, "{line}");
    }
}

/// A hook as the README has it, with a line that tells which index it was given.
fn hooked(repo: &Repo) -> String {
    let program = Path::new(program());
    let hook = format!(
        "#!/bin/sh\nPATH='{}':$PATH\necho \"$GIT_INDEX_FILE\" >>.git/told\nexec git llmpatch check --staged\n",
        program.parent().unwrap().display()
    );
    repo.script(".git/hooks/pre-commit", &hook);
    hook
}

#[test]
fn a_hook_sees_what_each_way_of_committing_would_commit() {
    let commit = |repo: &Repo, args: &[&str]| {
        run(
            isolated(Command::new("git"), repo.path())
                .args(["commit", "-q", "-m", "x"])
                .args(args),
            b"",
        )
    };
    for (args, index, is_seen) in [
        (&[][..], ".git/index", [true, false, false]),
        (&["-a"], ".git/index.lock", [true, true, false]),
        (&["src/c.txt"], ".git/next-index-", [false, false, true]),
        (&["-i", "src/b.txt"], ".git/index.lock", [true, true, false]),
    ] {
        let repo = repo();
        hooked(&repo);
        repo.child("a.txt").write_str(MARKERS).unwrap();
        repo.git(&["add", "a.txt"]);
        repo.child("src/b.txt").write_str(MARKERS).unwrap();
        if is_seen[2] {
            repo.child("src/c.txt").write_str(MARKERS).unwrap();
        }
        let refused = commit(&repo, args).ended(1);
        for (path, is_seen) in ["a.txt", "src/b.txt", "src/c.txt"].iter().zip(is_seen) {
            // git sends what a hook prints to its own standard error.
            assert_eq!(
                refused.stderr.contains(&format!("{path}:1:1: markers: ")),
                is_seen,
                "{args:?} {path}\n{}",
                refused.stderr
            );
        }
        let told = repo.text(".git/told");
        assert!(
            told.trim_end().ends_with(index) || told.contains(index),
            "{args:?}: {told}"
        );
        assert_eq!(repo.git(&["rev-list", "--count", "HEAD"]), "1\n");
        // And it lets pass what is fine.
        for path in ["a.txt", "src/b.txt", "src/c.txt"] {
            repo.child(path).write_str("fine\n").unwrap();
        }
        repo.git(&["add", "a.txt"]);
        commit(&repo, args).ended(0);
    }
}

#[test]
fn a_hook_may_look_at_a_commit_of_our_own() {
    let repo = repo();
    hooked(&repo);
    repo.git(&["config", "llmpatch.lint.patch-markers", "ignore"]);
    repo.run(&["apply", "--commit"], update("a.txt", "two", "2"))
        .succeeded();
    let run = repo
        .run(
            &["apply", "--commit"],
            update("a.txt", "2", "*** End Patch"),
        )
        .ended(3);
    assert!(run.stderr.contains("a.txt:2:1: markers"), "{}", run.stderr);
    repo.child("a.txt").assert("one\n2\nthree\n");
}

#[test]
fn linked_work_trees_have_an_index_of_their_own() {
    let repo = repo();
    let linked = repo.path().with_file_name("linked");
    repo.git(&["worktree", "add", "-q", linked.to_str().unwrap()]);
    fs::write(linked.join("a.txt"), MARKERS).unwrap();
    run(
        isolated(Command::new("git"), &linked).args(["add", "-A"]),
        b"",
    )
    .ended(0);
    let looked = run(
        isolated(Command::new(program()), &linked).args(["check", "--staged"]),
        b"",
    )
    .ended(1);
    assert_eq!(
        findings(&looked),
        ["a.txt:1:1: markers", "a.txt:2:1: markers"]
    );
    assert_eq!(repo.looked_at(&[]).ended(0).stdout, "");
}

#[test]
fn a_split_index_is_looked_at_like_any() {
    let repo = repo();
    repo.git(&["update-index", "--split-index"]);
    repo.child("x.md").write_str(MARKERS).unwrap();
    assert_eq!(
        findings(&repo.staged(&[]).ended(1)),
        ["x.md:1:1: markers", "x.md:2:1: markers"]
    );
    repo.child("x.opx")
        .write_str(&opx("a.txt", "", "two", "2"))
        .unwrap();
    assert_eq!(
        findings(&repo.staged(&[]).ended(1)),
        ["x.md:1:1: markers", "x.md:2:1: markers"]
    );
}
