//! What `batch` writes, and what it leaves alone: the files that options name may be anybody's.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;
use std::time::Duration;

use assert_fs::prelude::*;
use serde_json::{Value, json};

use super::onto::base;
use super::support::{Repo, Run, make_pipe, symlink};
use super::update;

fn line(id: impl Into<Value>, response: &str) -> String {
    format!("{}\n", json!({"id": id.into(), "response": response}))
}

fn lines(count: usize) -> String {
    let response = |id: usize| line(id, &update("src/b.txt", "b", &format!("b{id}")));
    (0..count).map(response).collect()
}

fn batch(repo: &Repo, args: &[&str], input: &str) -> Run {
    repo.run(&[&["batch", "--onto=HEAD"], args].concat(), input)
}

#[test]
fn an_id_is_repeated_as_it_was_written() {
    let repo = base();
    let response = update("src/b.txt", "b", "B");
    let ids = [
        "123456789012345678901234567890",
        "1.50",
        "1e400",
        "{\"a\":1,\"a\":2}",
        "[ 1,  2]",
        "\"\\u0041\"",
        "null",
    ];
    let text = json!(response);
    let mut input: String = ids
        .iter()
        .map(|id| format!("{{\"response\": {text}, \"id\": {id}}}\n"))
        .collect();
    input += &format!("{{\"response\": {text}}}\n");
    input += &format!("{{\"id\": \"\u{202e}\", \"response\": {text}}}\n");
    input += "{\"id\": 123456789012345678901234567890, \"answer\": 1}\n";
    fs::write(repo.child("in"), &input).unwrap();
    let run = batch(&repo, &["-o", "out", "in"], "").succeeded();
    let out = repo.text("out");
    let found: Vec<_> = out
        .lines()
        .map(|line| &line["{\"id\":".len()..line.find(",\"onto\":").unwrap()])
        .collect();
    let mut want = ids.to_vec();
    want.extend(["null", "\"\\u202e\"", ids[0]]);
    assert_eq!(found, want, "{}", run.stderr);
    // And each is known again.
    let end = out.match_indices('\n').nth(8).unwrap().0 + 1;
    fs::write(repo.child("out"), &out[..end]).unwrap();
    batch(&repo, &["-o", "out", "--resume", "in"], "").succeeded();
    assert_eq!(repo.text("out"), out);
}

#[test]
fn a_line_is_told_as_what_it_is() {
    let repo = base();
    for (line, says) in [
        ("[]", "it is an array, not an object"),
        ("[1, \"x\", null, null]", "it is an array, not an object"),
        ("\"x\"", "it is a string, not an object"),
        ("17", "it is a number, not an object"),
        ("true", "it is a word, not an object"),
        ("null", "it is a word, not an object"),
        ("{\"id\": 1, \"id\": 2}", "duplicate field `id`"),
    ] {
        let run = batch(&repo, &[], &format!("{line}\n")).succeeded();
        let answer: Value = serde_json::from_str(&run.stdout).unwrap();
        let message = answer["errors"][0]["message"].as_str().unwrap();
        assert!(message.contains(says), "{line}: {message}");
        assert_eq!(answer["id"], Value::Null);
    }
}

#[test]
fn what_batch_did_not_write_stays() {
    let repo = base();
    let onto = repo.git(&["rev-parse", "HEAD"]);
    let onto = onto.trim();
    batch(&repo, &["-o", "good"], &lines(3)).succeeded();
    let good = repo.text("good");
    let another = good.replace(onto, &onto.replace(['a', 'b', 'c'], "d"));
    for (content, says) in [
        ("my notes", "isn't a line that batch writes"),
        ("{\"id\":1}\nand", "isn't a line that batch writes"),
        (
            &*format!("{good}my notes"),
            "line 4 of `out` isn't a line that batch writes",
        ),
        (
            &*format!("{good}{{\"id\": 9}}\n"),
            "line 4 of `out` isn't a line that batch writes",
        ),
        (
            &*format!("{{\"id\":7,\"onto\":\"{onto}\"}}\n{{\"id"),
            "line 1 of `out` isn't",
        ),
        (&*another, "line 1 of `out` was made from another revision"),
        // It is the tail that would be cut off.
        (
            &*format!("{}{{\"id\":2", good.replacen("\"id\":1", "\"id\":11", 1)),
            "is about 11",
        ),
    ] {
        repo.child("out").write_str(content).unwrap();
        let run = batch(&repo, &["--resume", "-o", "out"], &lines(9)).ended(2);
        assert!(run.stderr.contains(says), "{content}: {}", run.stderr);
        assert_eq!(repo.text("out"), content);
    }
    // What was begun is finished.
    for cut in [1, 5, 9, 60] {
        let end = good.len() - cut;
        repo.child("out").write_str(&good[..end]).unwrap();
        batch(&repo, &["--resume", "-o", "out"], &lines(3)).succeeded();
        assert_eq!(repo.text("out"), good);
    }
}

#[test]
fn a_bundle_replaces_nothing_but_a_bundle_of_ours() {
    let repo = base();
    repo.child("mine").write_str("mine\n").unwrap();
    repo.git(&["bundle", "create", "-q", "other", "HEAD"]);
    for (bundle, says) in [
        ("mine", "`mine` is there already"),
        ("other", "`other` is there already"),
        ("in/no/directory", "`in/no/directory`"),
    ] {
        let before = repo.files();
        let option = format!("--bundle={bundle}");
        for args in [
            &["-o", "out", &option][..],
            &["-o", "out", "--resume", &option],
        ] {
            let status = if says.ends_with("already") { 2 } else { 3 };
            let run = batch(&repo, args, &lines(2)).ended(status);
            assert!(run.stderr.contains(says), "{}", run.stderr);
            assert_eq!(repo.files(), before);
        }
    }
    let run = batch(&repo, &["-o", "out", "--bundle=./out"], &lines(2)).ended(2);
    assert!(run.stderr.contains("'--bundle'"), "{}", run.stderr);
    let args = ["-o", "out", "--bundle=made"];
    batch(&repo, &args, &lines(2)).succeeded();
    let made = repo.read("made");
    batch(&repo, &args, &lines(2)).ended(2);
    assert_eq!(repo.read("made"), made);
    batch(&repo, &[&args[..], &["--resume"]].concat(), &lines(3)).succeeded();
    let heads = repo.git(&["bundle", "list-heads", "made"]);
    assert_eq!(heads.lines().count(), 3);
}

#[test]
fn no_link_is_followed() {
    let repo = base();
    repo.child("a.txt").write_str("other\n").unwrap();
    repo.git(&["commit", "-qm", "other", "a.txt"]);
    let outside = assert_fs::TempDir::new().unwrap();
    let treasure = outside.child("treasure");
    treasure.write_str("").unwrap();
    symlink(treasure.path(), repo.child("link"));
    symlink(outside.path(), repo.child("directory"));
    for args in [
        &["batch", "--onto=HEAD", "-o", "link"][..],
        &["batch", "--onto=HEAD", "-o", "link", "--resume"],
        &["batch", "--onto=HEAD", "-o", "directory/new"],
        &[
            "batch",
            "--onto=HEAD",
            "-o",
            "out",
            "--bundle=directory/new",
        ],
        &["batch", "--onto=HEAD", "-o", "out", "--bundle=link"],
        &["show", "-o", "directory"],
        &["show", "-o", "directory/new"],
    ] {
        let run = repo.run(args, lines(1)).ended(3);
        assert!(
            run.stderr.contains("symbolic link"),
            "{args:?}: {}",
            run.stderr
        );
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1, "{args:?}");
        treasure.assert("");
    }
    // A file of the name that is to be written may be one, too.
    repo.child("shown").create_dir_all().unwrap();
    let name = repo.run(&["show", "-o", "shown"], "").succeeded().stdout;
    fs::remove_file(repo.child(name.trim())).unwrap();
    symlink(treasure.path(), repo.child(name.trim()));
    let run = repo.run(&["show", "-o", "shown"], "").ended(3);
    assert!(run.stderr.contains("symbolic link"), "{}", run.stderr);
    treasure.assert("");
}

#[test]
fn one_at_a_time_writes_to_a_file() {
    let repo = base();
    make_pipe(&repo.child("pipe"));
    let start = || {
        let mut command = repo.command();
        command.args(["batch", "--onto=HEAD", "-o", "out", "--resume", "pipe"]);
        command.stderr(Stdio::piped()).spawn().unwrap()
    };
    let first = start();
    let mut pipe = fs::File::options()
        .write(true)
        .open(repo.child("pipe"))
        .unwrap();
    pipe.write_all(lines(1).as_bytes()).unwrap();
    while fs::read(repo.child("out")).map_or(0, |out| out.len()) == 0 {
        std::thread::sleep(Duration::from_millis(2));
    }
    let run = batch(&repo, &["-o", "out", "--resume"], &lines(2)).ended(3);
    assert!(run.stderr.starts_with("error[locked]: "), "{}", run.stderr);
    drop(pipe);
    let first = Run::of(first.wait_with_output().unwrap()).succeeded();
    assert_eq!(first.stderr, "");
    assert_eq!(repo.text("out").lines().count(), 1);
}

#[test]
fn unfinished_packs_of_the_dead_go() {
    let repo = base();
    let pack = |name: &str| repo.child(format!(".git/objects/pack/{name}"));
    for name in ["tmp_llmpatch_dead", "tmp_llmpatch_living", "tmp_pack_git"] {
        pack(name).write_str("PACK").unwrap();
        repo.chmod(&format!(".git/objects/pack/{name}"), 0o444);
    }
    let living = fs::File::open(pack("tmp_llmpatch_living")).unwrap();
    living.lock().unwrap();
    batch(&repo, &[], &lines(2)).succeeded();
    assert!(!pack("tmp_llmpatch_dead").exists());
    assert!(pack("tmp_llmpatch_living").exists() && pack("tmp_pack_git").exists());
}

/// A line of the output is only a claim.
#[test]
fn a_forged_output_brings_nothing_into_a_bundle() {
    let repo = base();
    repo.git(&["checkout", "-q", "-b", "secret"]);
    repo.child("secret").write_str("secret\n").unwrap();
    repo.commit("secret");
    let secret = repo.git(&["rev-parse", "HEAD"]);
    let tree = repo.git(&["rev-parse", "HEAD^{tree}"]);
    repo.git(&["checkout", "-q", "main"]);
    let (secret, tree) = (secret.trim(), tree.trim());
    for (option, field) in [(&[][..], "tree"), (&["--commit"][..], "commit")] {
        let args = [option, &["-o", "out", "--bundle=made"]].concat();
        let _ = fs::remove_file(repo.child("made"));
        let _ = fs::remove_file(repo.child("out"));
        batch(&repo, &args, &lines(2)).succeeded();
        let out = repo.text("out");
        let first: Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
        let own = first[field].as_str().unwrap();
        let resumed = [&args[..], &["--resume"]].concat();
        for forged in [
            secret,
            tree,
            "HEAD:",
            "secret",
            "--not",
            "^HEAD",
            &format!("^{own}"),
            &own[..12],
            "",
            "0000000000000000000000000000000000000000",
        ] {
            fs::remove_file(repo.child("made")).unwrap();
            let out = out.replacen(own, forged, 1);
            repo.child("out").write_str(&out).unwrap();
            let run = batch(&repo, &resumed, &lines(3)).ended(2);
            assert!(
                run.stderr.contains("line 1 of `out`"),
                "{forged}: {}",
                run.stderr
            );
            assert!(!repo.child("made").exists());
            repo.child("made").write_str("").unwrap();
        }
        fs::remove_file(repo.child("made")).unwrap();
        repo.child("out").write_str(&out).unwrap();
        batch(&repo, &resumed, &lines(3)).succeeded();
        let heads = repo.git(&["bundle", "list-heads", "made"]);
        assert_eq!(heads.lines().count(), 3);
        assert!(heads.contains(own));
    }
}

/// What waits for a slow line is bounded by its bytes.
#[test]
#[cfg(unix)]
fn not_much_is_read_while_a_line_is_slow() {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::time::Timespec;
    const MOST: usize = 72 << 20;
    let repo = base();
    make_pipe(&repo.child("slow"));
    let mut command = repo.command();
    command.args(["batch", "--onto=HEAD", "-j2", "-o", "out"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input
        .write_all(b"{\"id\": 0, \"file\": \"slow\"}\n")
        .unwrap();
    // It packs badly.
    let mut state: u64 = 1;
    let mut letter = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
        char::from(b'0' + (state >> 58) as u8)
    };
    let text: String = (0..1 << 20).map(|_| letter()).collect();
    let add = format!("*** Begin Patch\n*** Add File: big\n+{text}\n*** End Patch\n");
    let long = line(1, &add);
    let (mut sent, mut accepted) = (0, 0);
    while accepted < MOST {
        let mut fds = [PollFd::new(&input, PollFlags::OUT)];
        // Where the machine is slow, this only takes it for blocked too early.
        let patience = Timespec {
            tv_sec: 2,
            tv_nsec: 0,
        };
        if poll(&mut fds, Some(&patience)).unwrap() == 0 {
            break;
        }
        // As much as a pipe takes without waiting.
        let len = (long.len() - sent).min(4096);
        input.write_all(&long.as_bytes()[sent..sent + len]).unwrap();
        accepted += len;
        sent = (sent + len) % long.len();
    }
    assert!(accepted < MOST, "all of it was read");
    fs::write(repo.child("slow"), update("src/b.txt", "b", "c")).unwrap();
    input.write_all(&long.as_bytes()[sent..]).unwrap();
    drop(input);
    assert!(child.wait().unwrap().success());
    assert_eq!(repo.text("out").lines().count(), accepted / long.len() + 2);
}
