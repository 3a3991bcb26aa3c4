//! How much work is done, in instructions rather than seconds: of every format, both ways, and of
//! edits that do much with little, four times as much takes not much more than four times as long.
//!
//! valgrind counts, and where it can't, these tests are skipped, unless `FAULTS` is set, as for the tests of that name.
//! Each run takes a second, so without `CASES=all` two formats stand for all.

use std::fmt::Write as _;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Repo, isolated, program, run, some};
use crate::{in_full, scaled};

/// Counts the instructions of a run that does what it should; `None` where nothing counts.
fn instructions(repo: &Repo, args: &[&str], input: &str) -> Option<f64> {
    let counts = [
        "--tool=cachegrind",
        "--cache-sim=no",
        "--cachegrind-out-file=/dev/null",
    ];
    let mut command = isolated(Command::new("valgrind"), repo.path());
    command.args(counts).arg(program()).args(args);
    let is_there = Command::new("valgrind").arg("--version").output().is_ok();
    if !is_there {
        assert!(std::env::var_os("FAULTS").is_none(), "valgrind isn't there");
        return None;
    }
    let ended = run(&mut command, input.as_bytes());
    let count = ended
        .stderr
        .lines()
        .find_map(|line| line.split_once(" refs:"));
    let (_, count) = count.unwrap_or_else(|| panic!("{args:?}: {}", ended.stderr));
    assert_eq!(ended.status, 0, "{args:?}: {}", ended.stderr);
    Some(count.trim().replace(',', "").parse().unwrap())
}

/// Demands that work grows about as what there is to do, beside that of a run with nothing to do.
/// A square would be 16 times as much. Lines that few symbols make need context as long as the
/// logarithm of their count to be told apart, so a response has up to five times the bytes; and few
/// edits of a small file are looked for one by one, which more of them aren't: in full, no file is
/// so small.
#[track_caller]
fn is_linear(what: &str, args: &[&str], scene: impl Fn(usize) -> (Repo, String)) {
    let small = scaled(150, 6000);
    let counted = |size| {
        let (repo, input) = scene(size);
        instructions(&repo, args, &input)
    };
    let Some([start, few, many]) = [4, small, 4 * small]
        .map(counted)
        .into_iter()
        .collect::<Option<Vec<_>>>()
        .map(|all| [all[0], all[1], all[2]])
    else {
        eprintln!("{what}: skipped, since valgrind isn't there");
        return;
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

/// A file of such lines, of which every eighth is another afterwards, and the diff that says so.
fn changed(count: usize) -> (Repo, String) {
    let before = lines(count, 1);
    let after: String = before
        .lines()
        .enumerate()
        .map(|(nth, line)| match nth % 8 {
            3 => format!("{}\n", if line == "a" { "b" } else { "a" }),
            _ => format!("{line}\n"),
        })
        .collect();
    let repo = Repo::with(&[("a.txt", &before)]);
    std::fs::write(repo.child("a.txt"), after).unwrap();
    let diff = repo.git(&["diff"]);
    repo.git(&["checkout", "-q", "."]);
    (repo, diff)
}

const FORMATS: [&str; 5] = ["envelope", "opx", "unified", "blocks", "tool"];

#[test]
fn the_work_of_writing_a_format_is_linear() {
    for format in some(FORMATS, 4) {
        let to = format!("--to={format}");
        is_linear(&to, &["convert", &to], changed);
    }
}

#[test]
fn the_work_of_reading_a_format_is_linear() {
    for format in some(FORMATS, 4) {
        let to = format!("--to={format}");
        is_linear(&format!("--format={format}"), &["check", "-q"], |count| {
            let (repo, diff) = changed(count);
            let response = repo.run(&["convert", &to], &diff).succeeded().stdout;
            (repo, response)
        });
    }
    is_linear(
        "--format=files",
        &["check", "-q", "--format=files", "--overwrite"],
        |count| {
            let repo = Repo::with(&[("a.txt", &lines(count, 1))]);
            (repo, format!("a.txt\n```\n{}```\n", lines(count, 2)))
        },
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
    for (what, program) in rows {
        is_linear(what, &["check", "-q"], |count| {
            let response = format!("```js\n{}\n```\n", program(count));
            (Repo::empty(), response)
        });
    }
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
    for (fence, command) in some(commands, 3) {
        is_linear(command, &["check", "-q"], |count| {
            let commands = command.repeat(count);
            let response = format!("{fence}{commands}{applies}{fence}");
            (Repo::with(&[("a.txt", "x\n")]), response)
        });
    }
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
    for (what, session) in some(rows, 3) {
        is_linear(what, &["check", "-q"], |count| {
            (Repo::empty(), session(count))
        });
    }
}

/// A call that replaces every place of a text.
fn every(old: &str, new: &str) -> String {
    let call =
        json!({"file_path": "a.txt", "old_string": old, "new_string": new, "replace_all": true});
    json!({"name": "Edit", "input": call}).to_string() + "\n"
}

#[test]
fn the_work_of_an_edit_at_many_places_is_linear() {
    let one_line = |count| format!("{}\n", "x; y ".repeat(count));
    let first = every("x", "zz");
    let then = first.clone() + &every("z;", "z:") + &every("y", "v");
    for (what, response) in [("once", &first), ("again", &then)] {
        is_linear(what, &["check", "-q"], |count| {
            (Repo::with(&[("a.txt", &one_line(count))]), response.clone())
        });
    }
    // Many places in what an edit has just put there.
    is_linear("in new text", &["check", "-q"], |count| {
        let mut text = String::new();
        (0..count).for_each(|nth| write!(text, "x{nth}; ").unwrap());
        let put = every("start", &text) + &every(";", ",");
        (Repo::with(&[("a.txt", "start\n")]), put)
    });
}

#[test]
fn the_work_of_many_edits_is_linear_in_any_order() {
    // Each of two places, and all that earlier edits have changed is behind it.
    is_linear("from the end", &["check", "-q"], |count| {
        let (mut text, mut edits) = (String::new(), Vec::new());
        for nth in 0..count {
            writeln!(text, "x {nth:06} y\nz {nth:06} w").unwrap();
            edits.push(every(&format!(" {nth:06} "), &format!(" N{nth:06} ")));
        }
        edits.reverse();
        (Repo::with(&[("a.txt", &text)]), edits.concat())
    });
}
