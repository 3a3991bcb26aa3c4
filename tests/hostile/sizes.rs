//! Responses and files of great size, and very many edits: memory stays bounded and everything
//! ends.

use std::fmt::Write as _;

use assert_fs::prelude::*;

use crate::bounded::within;
use crate::scaled;
use crate::support::{self, Repo, Run, some};

/// How large a response is, in MiB.
fn large() -> usize {
    scaled(if support::in_full() { 4 } else { 1 }, 60)
}

/// Repeats a text until it is so many MiB long.
fn repeated(text: &str, mebibytes: usize) -> String {
    text.repeat((mebibytes << 20).div_ceil(text.len()))
}

fn repo() -> Repo {
    Repo::with(&[("a.txt", "old\n")])
}

/// Runs `apply` with a bound on memory: so many bytes for each byte of the response, and some for
/// the program itself.
#[track_caller]
fn applied(repo: &Repo, response: &str, each: usize) -> Run {
    let run = within(
        200 + each * (response.len() >> 20),
        repo.path(),
        &["apply"],
        response.as_bytes(),
    );
    assert!(
        [0, 1, 3].contains(&run.status),
        "ended with {}: {}",
        run.status,
        &run.stderr[..run.stderr.len().min(4000)]
    );
    assert!(
        run.stderr.len() < 1 << 20,
        "nobody reads {} bytes",
        run.stderr.len()
    );
    run
}

#[test]
fn a_large_response_applies() {
    let repo = repo();
    let line = "+    a line of a usual length, some forty bytes\n";
    let response = format!(
        "*** Begin Patch\n*** Add File: b.txt\n{}*** End Patch\n",
        repeated(line, large())
    );
    applied(&repo, &response, 8).ended(0);
    assert!(repo.read("b.txt").len() > large() << 19);
    let payload = repeated(&line[1..], large());
    let response =
        format!("<edit file=\"c.txt\" op=\"new\"><put>\n<<<\n{payload}>>>\n</put></edit>\n");
    applied(&repo, &response, 8).ended(0);
    assert_eq!(repo.read("c.txt").len(), payload.len());
}

#[test]
fn a_file_that_memory_has_no_room_for_is_refused() {
    let repo = Repo::with(&[("a.txt", &format!("old\n{}", repeated("line\n", 96)))]);
    let run = within(
        80,
        repo.path(),
        &["apply"],
        b"*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+new\n*** End Patch\n",
    );
    let run = run.ended(3);
    for said in [
        "can't read `a.txt`",
        "free some memory",
        "nothing was changed",
    ] {
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
    assert!(repo.read("a.txt").starts_with(b"old\n"));
}

#[test]
fn a_large_answer_without_a_patch_is_refused() {
    let repo = repo();
    let all = [
        "word ",
        "word\n",
        "\n",
        "*",
        "<",
        "`",
        "<!--",
        "> * > * ",
        "@@\n",
        "*** \n",
        "<edit ",
        "</edit>\n",
        ">>>\n",
        "{\"a\":[",
    ];
    for prose in some(all, 4) {
        let answer = repeated(prose, large().div_ceil(4));
        let run = applied(&repo, &answer, 20);
        // One of too many lines isn't even looked through.
        let is_too_long = answer.matches('\n').count() > 4 << 20;
        assert_eq!(
            run.status,
            if is_too_long { 3 } else { 1 },
            "{prose:?}: {}",
            run.stderr
        );
        assert_eq!(
            run.stderr.contains("give it in parts"),
            is_too_long,
            "{prose:?}: {}",
            run.stderr
        );
    }
}

#[test]
fn bare_newlines_are_bounded() {
    let repo = repo();
    // As many as may be, less the few of the markers: what is read of them takes its room.
    for response in newlines(&"\n".repeat(scaled(large() << 18, (4 << 20) - 20))) {
        let run = within(
            scaled(400, 1000),
            repo.path(),
            &["check"],
            response.as_bytes(),
        );
        assert!(
            [0, 1].contains(&run.status),
            "{}: {}",
            run.status,
            run.stderr
        );
    }
    for response in newlines(&repeated("\n", 5.max(large()))) {
        let run = within(
            100 + 3 * 5.max(large()),
            repo.path(),
            &["check"],
            response.as_bytes(),
        )
        .ended(3);
        assert!(
            run.stderr
                .contains("more than 4194304 lines; give it in parts"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn deep_paths_are_bounded() {
    let repo = repo();
    let deep = "d/".repeat(2000);
    let files: String = (0..100)
        .map(|nth| format!("*** Add File: {nth}/{deep}a\n+x\n"))
        .collect();
    let response = format!("*** Begin Patch\n{files}*** End Patch\n");
    within(100, repo.path(), &["check"], response.as_bytes()).ended(0);
    let refused = within(200, repo.path(), &["apply"], response.as_bytes()).ended(1);
    assert!(
        refused.stderr.contains("too many new directories"),
        "{}",
        refused.stderr
    );
    assert_eq!(repo.files().len(), 1);
}

fn newlines(newlines: &str) -> Vec<String> {
    vec![
        format!("*** Begin Patch\n*** Add File: b.txt\n{newlines}+x\n*** End Patch\n"),
        format!("*** Begin Patch\n*** Update File: a.txt\n{newlines}+x\n*** End Patch\n"),
        format!("*** Begin Patch\n*** Delete File: a.txt\n-x\n{newlines}-x\n*** End Patch\n"),
        format!("<edit file=\"b.txt\" op=\"new\"><put>\n<<<\nx{newlines}x\n>>>\n</put></edit>\n"),
        format!(
            "<edit file=\"a.txt\" op=\"patch\"><find>\n<<<\nx{newlines}\n>>>\n</find><put>\n<<<\n>>>\n</put></edit>\n"
        ),
        format!(
            "*** Begin Patch\n*** Add File: b.txt\n{}*** End Patch\n",
            newlines.replace('\n', "+\n")
        ),
    ]
}

#[test]
fn very_many_faults_and_warnings_are_bounded() {
    let repo = repo();
    // As many as a response may have lines for.
    let many = |text: &str| {
        let lines = text.matches('\n').count().max(1);
        text.repeat(((large() << 20) / text.len()).min(((4 << 20) - 10) / lines))
    };
    for response in [
        many("*** Add File: b.txt\n"),
        many("</edit>\n<edit"),
        many("*** Begin Patch\n"),
        many("*** Begin Patch\n*** End Patch\n"),
        format!(
            "*** Begin Patch\n{}*** End Patch\n",
            many("*** Add File: b.txt\n")
        ),
        format!(
            "*** Begin Patch\n{}*** End Patch\n",
            many("*** Update File: a.txt\n-x\n")
        ),
        format!(
            "*** Begin Patch\n{}*** End Patch\n",
            many("*** Update File: a.txt\n???\n")
        ),
        format!(
            "*** Begin Patch\n{}*** End Patch\n",
            many("*** Delete File: no\n")
        ),
        format!("*** Begin Patch\n{}*** End Patch\n", many("*** Nonsense\n")),
        format!(
            "*** Begin Patch\n*** Update File: a.txt\n{}*** End Patch\n",
            many("@@\n-x\n")
        ),
        format!(
            "*** Begin Patch\n*** Update File: a.txt\n{}*** End Patch\n",
            many("@@x\n old\n@@ -1 +1 @@\n+y\n")
        ),
        format!(
            "*** Begin Patch\n*** Add File: b.txt\n{}*** End Patch\n",
            many("x\n+\n")
        ),
        many("<edit file=\"a.txt\" op=\"remove\" x=\"y\"/>\n"),
        many(
            "<edit file=\"a.txt\" op=\"patch\"><find>\n<<<\nx\n>>>\n</find><put>\n<<<\n>>>\n</put></edit>\n",
        ),
        many("<edit op=\"new\"/>"),
        format!("<opx>{}</opx>", many("x <edit file=\"a\"/>\n")),
        format!("<edit file=\"a.txt\" op=\"new\" {}/>", many("a=\"b\" ")),
        many("text <edit file=\"a\" op=\"remove\"/>\n"),
    ] {
        let run = within(
            scaled(500, 1500),
            repo.path(),
            &["check"],
            response.as_bytes(),
        );
        let said = &run.stderr[..run.stderr.len().min(4000)];
        assert!(
            [0, 1].contains(&run.status),
            "{:?} ended with {}: {said}",
            &response[..60],
            run.status
        );
        assert!(
            run.stderr.len() < 1 << 20,
            "nobody reads {} bytes",
            run.stderr.len()
        );
    }
}

#[test]
fn a_line_of_any_length_is_a_line() {
    let repo = repo();
    let long = repeated("x", large());
    repo.child("long.txt")
        .write_str(&format!("{long}\nold\n{long}y"))
        .unwrap();
    for response in [
        "*** Begin Patch\n*** Update File: long.txt\n@@\n-old\n+new\n*** End Patch\n".to_owned(),
        "<edit file=\"long.txt\" op=\"patch\"><find>\n<<<\nnew\n>>>\n</find><put>\n<<<\nold\n>>>\n</put></edit>\n"
            .to_owned(),
        format!("*** Begin Patch\n*** Update File: long.txt\n@@ {long}\n-old\n+new\n*** End Patch\n"),
        format!(
            "<edit file=\"long.txt\" op=\"patch\"><find>\n<<<\n{long}y\n>>>\n</find><put>\n<<<\nend\n>>>\n</put></edit>\n"
        ),
    ] {
        let run = within(200 + 24 * large(), repo.path(), &["apply"], response.as_bytes()).ended(0);
        assert!(run.stderr.len() < 10_000, "{}", run.stderr.len());
    }
    assert_eq!(
        repo.read("long.txt").len(),
        long.len() + "\nnew\nend\n".len()
    );
    // What is wrong with such a line is said in a few.
    for response in [
        format!(
            "*** Begin Patch\n*** Update File: long.txt\n@@ {long}z\n-old\n+new\n*** End Patch\n"
        ),
        format!("*** Begin Patch\n*** Update File: {long}\n@@\n-old\n+new\n*** End Patch\n"),
        format!("*** Begin Patch\n*** Update File: long.txt\n@@\n-{long}z\n+new\n*** End Patch\n"),
        format!("*** Begin Patch\n{long}\n*** End Patch\n"),
        format!(
            "<edit file=\"long.txt\" op=\"patch\"><find>\n<<<\n{long}z\n>>>\n</find><put>\n<<<\nend\n>>>\n</put></edit>\n"
        ),
        format!("<edit file=\"{long}\" op=\"remove\"/>\n"),
        format!("<edit file=\"long.txt\" op=\"{long}\"/>\n"),
        format!("<{long}"),
    ] {
        let run = within(
            200 + 24 * large(),
            repo.path(),
            &["apply"],
            response.as_bytes(),
        )
        .ended(1);
        assert!(run.stderr.len() < 20_000, "{}", run.stderr.len());
    }
}

#[test]
fn ten_thousand_files_are_edited() {
    let count = scaled(500, 10_000);
    let repo = Repo::empty();
    let mut response = "*** Begin Patch\n".to_owned();
    for nth in 0..count {
        repo.child(format!("d{}/{nth}.txt", nth % 100))
            .write_str(&format!("head\nold {nth}\n"))
            .unwrap();
        writeln!(
            response,
            "*** Update File: d{}/{nth}.txt\n@@\n-old {nth}\n+new {nth}",
            nth % 100
        )
        .unwrap();
    }
    response += "*** End Patch\n";
    repo.commit("many");
    let run = within(400, repo.path(), &["apply", "--index"], response.as_bytes()).ended(0);
    assert!(
        run.stdout.contains(&format!(" {count} files changed")),
        "{}",
        run.stdout.lines().last().unwrap()
    );
    assert_eq!(
        repo.git(&["diff", "--cached", "--name-only"])
            .lines()
            .count(),
        count
    );
    assert_eq!(repo.git(&["diff", "--name-only"]), "");
}

#[test]
fn one_file_is_edited_ten_thousand_times() {
    let count = scaled(1_000, 10_000);
    let text: String = (0..count)
        .map(|nth| format!("line {nth}\nfiller of a usual length, {nth}\n"))
        .collect();
    let want = text.replace("line ", "edited ");
    let repo = Repo::with(&[("a.txt", &text)]);
    let sections = |section: fn(usize) -> String| (0..count).map(section).collect::<String>();
    let whole = |body: String| format!("*** Begin Patch\n{body}*** End Patch\n");
    for response in [
        whole(sections(|nth| {
            format!("*** Update File: a.txt\n@@\n-line {nth}\n+edited {nth}\n")
        })),
        whole(
            "*** Update File: a.txt\n".to_owned()
                + &sections(|nth| format!("@@\n-line {nth}\n+edited {nth}\n")),
        ),
        sections(|nth| {
            format!(
                "<edit file=\"a.txt\" op=\"patch\"><find>\n<<<\nline {nth}\nfiller\n>>>\n</find><put>\n<<<\nedited {nth}\nfiller\n>>>\n</put></edit>\n"
            )
        }),
    ] {
        repo.child("a.txt").write_str(&text).unwrap();
        let run = within(400, repo.path(), &["apply"], response.as_bytes());
        if run.status == 0 {
            repo.child("a.txt").assert(&want);
        } else {
            panic!("{}", &run.stderr[..run.stderr.len().min(2000)]);
        }
    }
}
