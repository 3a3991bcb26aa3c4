//! How much work is done, in instructions rather than seconds: of every format, both ways, and of
//! edits that do much with little, four times as much takes not much more than four times as long.
//!
//! valgrind counts, and where it can't, these tests are skipped, unless `FAULTS` is set, as for the tests of that name.
//! Without `CASES=all` two formats stand for all, and a part of the other rows.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use assert_fs::TempDir;
use assert_fs::prelude::*;
use serde_json::{Value, json};

use crate::support::{Repo, isolated, program, run, some};
use crate::{in_full, scaled};

/// Where the program begins to read a response, and to write one. Both have a symbol, since several
/// commands call them.
const READS: &str = "git_llmpatch::cli::responses::ResponseOrigin::source";
const WRITES: &str = "git_llmpatch::cli::show::written";

/// Counts the instructions of each of so many responses of a run that does what it should, from
/// where the program begins with it to where it begins with the next; `None` where nothing counts.
///
/// valgrind needs seconds to begin with a debug build, and translates each part of it once, so one
/// process takes many responses; what it would do to translate well takes longer than running does.
fn instructions(repo: &Repo, begins: &str, args: &[&str], responses: usize) -> Option<Vec<f64>> {
    let is_there = Command::new("valgrind").arg("--version").output().is_ok();
    if !is_there {
        assert!(std::env::var_os("FAULTS").is_none(), "valgrind isn't there");
        eprintln!("skipped, since valgrind isn't there");
        return None;
    }
    let place = TempDir::new().unwrap();
    let counts = place.child("counts");
    let mut command = isolated(Command::new("valgrind"), repo.path());
    command
        .args(["--tool=callgrind", "--vex-iropt-level=0"])
        .args(["--vex-guest-chase=no", "--smc-check=none"])
        .arg(format!("--callgrind-out-file={}", counts.display()))
        .arg(format!("--dump-before={begins}"))
        .arg(program())
        .args(args);
    run(&mut command, b"").succeeded();
    // The first has what is done before all of them, the file without a number the last.
    let numbered = (2..=responses).map(|nth| place.child(format!("counts.{nth}")));
    let files = numbered.chain([counts]);
    Some(files.map(|file| counted(&file, begins)).collect())
}

/// Returns what is counted in a file of callgrind's.
fn counted(file: &Path, begins: &str) -> f64 {
    let said = std::fs::read_to_string(file).unwrap_or_else(|err| panic!("{begins}: {err}"));
    let mut totals = said
        .lines()
        .filter_map(|line| line.strip_prefix("totals: "));
    totals.next().unwrap().parse().unwrap()
}

/// Hardly anything, and then so much, and four times as much.
fn sizes() -> [usize; 3] {
    let small = scaled(150, 6000);
    [4, small, 4 * small]
}

/// Demands of each row that work grows about as what there is to do, beside that of hardly
/// anything. A row makes a response of a size, and the file of that name that it is about.
///
/// A square would be 16 times as much. Lines that few symbols make need context as long as the
/// logarithm of their count to be told apart, so a response has up to five times the bytes; and few
/// edits of a small file are looked for one by one, which more of them aren't: in full, no file is
/// so small.
#[track_caller]
fn are_linear<F>(args: &[&str], rows: impl IntoIterator<Item = (&'static str, F)>)
where
    F: Fn(&Repo, &str, usize) -> String,
{
    let repo = Repo::empty();
    let (mut names, mut responses) = (Vec::new(), Vec::new());
    for (what, scene) in rows {
        for size in sizes() {
            let number = responses.len();
            let response = scene(&repo, &format!("{number}.txt"), size);
            let file = repo.child(format!("response{number}"));
            file.write_str(&response).unwrap();
            responses.push(file.display().to_string());
        }
        names.push(what);
    }
    let args: Vec<_> = args
        .iter()
        .copied()
        .chain(responses.iter().map(|path| &**path))
        .collect();
    let Some(counts) = instructions(&repo, READS, &args, responses.len()) else {
        return;
    };
    for (what, counts) in names.iter().zip(counts.chunks(3)) {
        is_linear(what, counts);
    }
}

#[track_caller]
fn is_linear(what: &str, counts: &[f64]) {
    let &[start, few, many] = counts else {
        panic!("{what}: {counts:?}");
    };
    let grown = (many - start) / (few - start).max(start / 4.0);
    eprintln!("{what}: {grown:.1} times for 4 times as much");
    let most = if in_full() { 6.0 } else { 8.0 };
    assert!(
        grown < most,
        "{what}: {start} {few} {many}, {grown:.1} times for 4 times as much"
    );
}

/// Lines of two symbols, in an order that repeats itself nowhere.
fn lines(count: usize, seed: u64) -> String {
    let mut state = seed;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        if state >> 40 & 1 == 0 { "a\n" } else { "b\n" }
    };
    (0..count).map(|_| next()).collect()
}

/// Makes a file of such lines, of which every eighth is another afterwards, and the diff that says
/// so.
fn changed(repo: &Repo, name: &str, count: usize) -> String {
    let before = lines(count, 1);
    let after: String = before
        .lines()
        .enumerate()
        .map(|(nth, line)| match nth % 8 {
            3 => format!("{}\n", if line == "a" { "b" } else { "a" }),
            _ => format!("{line}\n"),
        })
        .collect();
    let file = repo.child(name);
    file.write_str(&before).unwrap();
    repo.git(&["add", name]);
    file.write_str(&after).unwrap();
    let diff = repo.git(&["diff", "--", name]);
    file.write_str(&before).unwrap();
    diff
}

const FORMATS: [&str; 5] = ["envelope", "opx", "unified", "blocks", "tool"];

#[test]
fn the_work_of_writing_a_format_is_linear() {
    let repo = Repo::empty();
    let diffs = sizes().map(|size| changed(&repo, &format!("{size}.txt"), size));
    repo.commit("before");
    for diff in &diffs {
        repo.git_with_input(&["apply"], diff.as_bytes());
        repo.commit("after");
    }
    for format in some(FORMATS, 4) {
        let to = format!("--to={format}");
        if format == "unified" {
            // Which `show` leaves to git, and `convert` makes one change of all that it is given.
            repo.git(&["checkout", "-q", "HEAD~3"]);
            let counted = |diff: &String| {
                repo.child("diff").write_str(diff).unwrap();
                instructions(&repo, READS, &["convert", &to, "diff"], 1)
            };
            let counts: Option<Vec<_>> = diffs.iter().map(counted).collect();
            counts
                .into_iter()
                .for_each(|counts| is_linear(&to, &counts.concat()));
            repo.git(&["checkout", "-q", "-"]);
            continue;
        }
        let show = ["show", &to, "-o../shown", "HEAD~3..HEAD"];
        let counts = instructions(&repo, WRITES, &show, diffs.len());
        counts
            .into_iter()
            .for_each(|counts| is_linear(&to, &counts));
    }
}

#[test]
fn the_work_of_reading_a_format_is_linear() {
    let rows = some(FORMATS, 4).map(|format| {
        let scene = move |repo: &Repo, name: &str, count| {
            let diff = changed(repo, name, count);
            let to = format!("--to={format}");
            repo.run(&["convert", &to], diff).succeeded().stdout
        };
        (format, scene)
    });
    are_linear(&["check", "-q"], rows);
    are_linear(
        &["check", "-q", "--format=files", "--overwrite"],
        [("files", |repo: &Repo, name: &str, count| {
            repo.child(name).write_str(&lines(count, 1)).unwrap();
            format!("{name}\n```\n{}```\n", lines(count, 2))
        })],
    );
}

#[test]
fn the_work_of_reading_a_program_is_linear() {
    let patch =
        |nth: usize| format!("'*** Begin Patch\\n*** Add File: {nth}\\n+x\\n*** End Patch'");
    let call = |nth| format!("apply_patch({})", patch(nth));
    let named = |nth| format!("const p{nth} = {};\napply_patch(p{nth});\n", patch(nth));
    let rows: [(&str, &dyn Fn(usize) -> String); 4] = [
        ("calls", &|count| {
            (0..count).map(|nth| call(nth) + "\n").collect()
        }),
        ("calls in a call", &|count| {
            let calls: Vec<_> = (0..count).map(call).collect();
            format!("f({})", calls.join(", "))
        }),
        ("names", &|count| (0..count).map(named).collect()),
        ("brackets and slashes", &|count| {
            let noise = "[[{(a, '/')}]]\n".repeat(count) + &"// x\n".repeat(count);
            format!("{noise}{}", call(0))
        }),
    ];
    let rows = some(rows, 2).map(|(what, program)| {
        let scene = |_: &Repo, _: &str, count| format!("```js\n{}\n```\n", program(count));
        (what, scene)
    });
    are_linear(&["check", "-q"], rows);
}

#[test]
fn the_work_of_reading_a_script_is_linear() {
    let applies = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: b\n+x\n*** End Patch\nEOF\n";
    let commands = [
        ("```\n", "echo 'it' \"\\\"is\" \\a; cd a; cd ..\n"),
        ("", "It's \"so\", as `x` says.\n\n"),
        ("```\n", "cat <<A; cat <<'B'\nA\ny\nB\n"),
        ("", "cat >x <<'E'\n```\nE\n"),
        ("```\n", "git commit -m \"$(cat <<'A'\nx\nA\n)\"\n"),
        ("", "bash -c 'cd a; ls'\n"),
        ("```\n", "```\n```\n"),
    ];
    let rows = some(commands, 3).map(|(fence, command)| {
        let scene = move |_: &Repo, _: &str, count| {
            let commands = command.repeat(count);
            format!("{fence}{commands}{applies}{fence}")
        };
        (command, scene)
    });
    are_linear(&["check", "-q"], rows);
}

#[test]
fn the_work_of_reading_a_session_is_linear() {
    let call = |nth: usize| {
        json!({"type": "tool_use", "id": nth.to_string(), "name": "Write",
            "input": {"path": format!("{nth}"), "content": "x\n"}})
    };
    let model = |said: Value| json!({"role": "assistant", "content": said});
    let user = |said: Value| json!({"role": "user", "content": said});
    let lines = |values: Vec<Value>| -> String {
        values.iter().map(|value| format!("{value}\n")).collect()
    };
    let result = |nth: usize| {
        let id = nth.to_string();
        json!([{"type": "tool_result", "tool_use_id": id, "content": "Done."}])
    };
    let text = |nth: usize| format!("*** Begin Patch\n*** Add File: {nth}\n+x\n*** End Patch\n");
    let rows: [(&str, &dyn Fn(usize) -> String); 6] = [
        ("results", &|count| {
            let both = |nth| [model(json!([call(nth)])), user(result(nth))];
            lines((0..count).flat_map(both).collect())
        }),
        ("a message of calls", &|count| {
            let calls: Vec<_> = (0..count).map(call).collect();
            lines(vec![model(json!(calls))])
        }),
        ("members", &|count| {
            let mut message = model(json!([call(0)]));
            for nth in 0..count {
                message[format!("member{nth}")] = json!("a\nb");
            }
            lines(vec![message])
        }),
        ("values on a line", &|count| {
            let said = model(json!("So.")).to_string();
            format!("{}{}\n", said.repeat(count), model(json!([call(0)])))
        }),
        ("texts and their results", &|count| {
            let texts = (0..count).map(|nth| model(json!(text(nth))));
            let results = (0..count).map(|_| user(json!("[write] Result:\nDone.")));
            lines(texts.chain(results).collect())
        }),
        ("turns that were aborted", &|count| {
            let abort = json!({"type": "event_msg", "payload": {"type": "turn_aborted"}});
            let both = |nth| [model(json!([call(nth)])), abort.clone()];
            let end = [model(json!([call(count)])), user(result(count))];
            lines((0..count).flat_map(both).chain(end).collect())
        }),
    ];
    let rows =
        some(rows, 3).map(|(what, session)| (what, |_: &Repo, _: &str, count| session(count)));
    are_linear(&["check", "-q"], rows);
}

/// A call that replaces every place of a text.
fn every(name: &str, old: &str, new: &str) -> String {
    let call =
        json!({"file_path": name, "old_string": old, "new_string": new, "replace_all": true});
    json!({"name": "Edit", "input": call}).to_string() + "\n"
}

/// Makes a text and the response that edits it in the file of this name.
type Edits<'e> = &'e dyn Fn(&str, usize) -> (String, String);

#[test]
fn the_work_of_edits_is_linear() {
    let first = |name: &str| every(name, "x", "zz");
    let then = |name: &str| first(name) + &every(name, "z;", "z:") + &every(name, "y", "v");
    let one_line = |count| format!("{}\n", "x; y ".repeat(count));
    let rows: [(&str, Edits); 4] = [
        ("at many places", &|name, count| {
            (one_line(count), first(name))
        }),
        ("again", &|name, count| (one_line(count), then(name))),
        // Many places in what an edit has just put there.
        ("in new text", &|name, count| {
            let mut text = String::new();
            (0..count).for_each(|nth| write!(text, "x{nth}; ").unwrap());
            let put = every(name, "start", &text) + &every(name, ";", ",");
            ("start\n".to_owned(), put)
        }),
        // Each of two places, and all that earlier edits have changed is behind it.
        ("from the end", &|name, count| {
            let (mut text, mut edits) = (String::new(), Vec::new());
            for nth in 0..count {
                writeln!(text, "x {nth:06} y\nz {nth:06} w").unwrap();
                let (old, new) = (format!(" {nth:06} "), format!(" N{nth:06} "));
                edits.push(every(name, &old, &new));
            }
            edits.reverse();
            (text, edits.concat())
        }),
    ];
    let rows = rows.map(|(what, edits)| {
        let scene = |repo: &Repo, name: &str, count| {
            let (text, response) = edits(name, count);
            repo.child(name).write_str(&text).unwrap();
            response
        };
        (what, scene)
    });
    are_linear(&["check", "-q"], rows);
}
