//! How a report is drawn, part by part.

use git_llmpatch::report::human::{Style, complaints, done, draw};
use llmpatch::kind::Kind;
use llmpatch::path::RepoPath;
use llmpatch::plan::Quote;
use llmpatch::plan::{Change, ChangeSet};
use llmpatch::report::{Committed, Diagnostic, Extent, FileReport, LineCount, Place};
use llmpatch::report::{Report, State, Status};
use llmpatch::text::{Excerpt, LineNo, Source, SourceId};
use llmpatch::tree::{File, Mode};
use snapbox::{IntoData as _, assert_data_eq, str};

fn source(text: &str) -> Source {
    Source::new(SourceId(0), "answer.txt", text.into()).unwrap()
}

fn said(kind: Kind, message: &str) -> Diagnostic {
    Diagnostic::bare(kind, kind.is_warning(), message.to_owned())
}

fn at(source: &Source, range: std::ops::Range<usize>) -> Option<Place> {
    let (line, column) = source.position(range.start);
    let start = source.line_start(line)?;
    let excerpt = Excerpt::new(source.line(line)?, range.start - start..range.end - start);
    Some(Place {
        column,
        ..Place::new(source.name(), "", Quote::of(line, excerpt))
    })
}

fn quote(line: usize, text: &[u8]) -> Quote {
    Quote::of(LineNo::from_index(line - 1), Excerpt::of_line(text))
}

#[test]
fn an_error_points_at_the_patch_then_at_the_file_then_says_what_to_do() {
    let text = source(&format!("{}-    let port = cfg.port;\n", "\n".repeat(16)));
    let error = Diagnostic {
        response: at(&text, 16..41),
        label: Some("this line is not there".to_owned()),
        places: vec![Place {
            column: 1,
            ..Place::new(
                "src/net.rs",
                "closest match: lines 52–54 (2 of 3 lines agree)",
                quote(52, b"    let port = cfg.port_or(80);").labelled("differs here"),
            )
        }],
        help: Some("fix line 17 of the patch, or send this message back to its author".to_owned()),
        ..said(
            Kind::LinesNotFound,
            "hunk 2 of `src/net.rs` matches no lines after line 40",
        )
    };
    let report = Report::failed_with(State::NothingChanged, vec![error], Vec::new());
    assert_data_eq!(
        complaints(&report, Style::PLAIN),
        str![[r#"
error[lines-not-found]: hunk 2 of `src/net.rs` matches no lines after line 40
  --> answer.txt:17:1
   |
17 | -    let port = cfg.port;
   | ^^^^^^^^^^^^^^^^^^^^^^^^^ this line is not there
note: closest match: lines 52–54 (2 of 3 lines agree)
  --> src/net.rs:52:1
   |
52 |     let port = cfg.port_or(80);
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^ differs here
help: fix line 17 of the patch, or send this message back to its author
nothing was changed

"#]]
    );
}

#[test]
fn nothing_raw_reaches_the_terminal() {
    let text = source("+\tx\u{1b}]0;pwned\u{7}\u{202e}y\r\n");
    let error = Diagnostic {
        response: at(&text, 2..15),
        label: Some("a \u{1b} label".to_owned()),
        places: vec![Place::new(
            "a\u{1b}\nb",
            "a \u{1b} caption",
            quote(1, b"\xff\x1b[2J"),
        )],
        notes: vec!["a\u{1b}\n\tnote".to_owned()],
        help: Some("a \u{85} help".to_owned()),
        ..said(Kind::Parse, "a \u{1b}[31m headline\n")
    };
    assert_data_eq!(
        draw(&error, Style::PLAIN),
        str![[r#"
error[parse]: a \033[31m headline\n
 --> answer.txt:1:3
  |
1 | +    x\033]0;pwned\007\342\200\256y
  |      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ a \033 label
note: a \033 caption
 --> a\033\nb:1:1
  |
1 | \377\033[2J
  | ^^^^^^^^^^^
note: a\033
          note
help: a \302\205 help

"#]]
        .raw()
    );
}

#[test]
fn long_lines_are_cut_to_the_terminal() {
    let text = source(&format!("{}MARK{}", "a".repeat(500), "b".repeat(500)));
    let error = Diagnostic {
        response: at(&text, 500..504),
        label: Some("here".to_owned()),
        ..said(Kind::Parse, "bad")
    };
    let drawn = draw(
        &error,
        Style {
            width: 60,
            ..Style::PLAIN
        },
    );
    assert!(drawn.lines().all(|line| line.len() <= 60), "{drawn}");
    assert!(
        drawn.contains("answer.txt:1:501")
            && drawn.contains("aMARKb")
            && drawn.contains("^^^^ here"),
        "{drawn}"
    );
    for width in 0..30 {
        assert!(
            draw(
                &error,
                Style {
                    colored: true,
                    width,
                    is_terminal: true,
                    ..Style::PLAIN
                }
            )
            .contains("MARK"),
            "{width}"
        );
    }
}

#[test]
fn sentences_are_broken_for_terminals_alone() {
    let warning = Diagnostic {
        help: Some("run `git llmpatch recover` to let the index follow".to_owned()),
        ..said(
            Kind::IndexBehind,
            "the commit was made, but the index is locked",
        )
    };
    let at = |is_terminal| {
        draw(
            &warning,
            Style {
                width: 30,
                is_terminal,
                ..Style::PLAIN
            },
        )
    };
    assert_data_eq!(
        at(true),
        str![[r#"
warning: the commit was made, but
         the index is locked
         [index-behind]
help: run
      `git llmpatch recover`
      to let the index follow

"#]]
    );
    assert_data_eq!(
        at(false),
        str![[r#"
warning: the commit was made, but the index is locked [index-behind]
help: run `git llmpatch recover` to let the index follow

"#]]
    );
}

#[test]
fn several_lines_of_a_file_stand_below_what_they_are_part_of() {
    let below = |line: usize, heading: (usize, &str)| Quote {
        heading: Some((
            LineNo::from_index(heading.0 - 1),
            Excerpt::of_line(heading.1.as_bytes()),
        )),
        ..quote(line, b"    run()")
    };
    let error = Diagnostic {
        places: vec![Place {
            more: vec![below(120, (99, "def stop():")).labelled("this one?")],
            ..Place::new(
                "job.py",
                "each of these places matches",
                below(9, (8, "def start():")),
            )
        }],
        ..said(Kind::Ambiguous, "find of `job.py` matches 2 places")
    };
    assert_data_eq!(
        draw(&error, Style::PLAIN),
        str![[r#"
error[ambiguous]: find of `job.py` matches 2 places
note: each of these places matches
   --> job.py:9:5
    |
  8 | def start():
  9 |     run()
    |     ^^^^^
...
 99 | def stop():
...
120 |     run()
    |     ^^^^^ this one?

"#]]
    );
}

#[test]
fn an_empty_line_stands_below_what_it_is_part_of() {
    let error = Diagnostic {
        places: vec![Place::new(
            "job.py",
            "it is here",
            Quote {
                heading: Some((LineNo::from_index(7), Excerpt::of_line(b"def start():"))),
                ..quote(9, b"").labelled("this one")
            },
        )],
        ..said(Kind::Ambiguous, "find of `job.py` matches 2 places")
    };
    assert_data_eq!(
        draw(&error, Style::PLAIN),
        str![[r#"
error[ambiguous]: find of `job.py` matches 2 places
note: it is here
 --> job.py:9:1
  |
8 | def start():
9 |
  | ^ this one

"#]]
    );
}

#[test]
fn a_warning_names_its_kind_last_and_repetitions_are_counted() {
    let text = source("a\nb\nc\nd\ne\nf\ng\nh\n");
    let warning = |also: &[usize]| Diagnostic {
        response: at(&text, 0..1),
        also: also
            .iter()
            .filter_map(|&line| at(&text, 2 * line - 2..2 * line - 1))
            .collect(),
        ..said(Kind::NewlineAdded, "`a.rs` now ends with a newline")
    };
    for (also, want) in [
        (&[2][..], "note: the same is true of line 2\n"),
        (&[2, 3, 4], "note: the same is true of lines 2, 3 and 4\n"),
        (&[2, 3, 4, 5, 6, 7, 8], "lines 2, 3, 4, 5, 6 and 2 more\n"),
    ] {
        let drawn = draw(&warning(also), Style::PLAIN);
        assert!(
            drawn.starts_with(
                "warning: `a.rs` now ends with a newline [newline-added]\n --> answer.txt:1:1\n"
            ),
            "{drawn}"
        );
        assert!(drawn.contains(want), "{drawn}");
    }
}

#[test]
fn a_failure_ends_with_the_state() {
    let path = |path: &str| RepoPath::new(path.as_bytes()).unwrap();
    for (errors, state, want) in [
        (
            1,
            State::NothingChanged,
            "error[io]: no\nnothing was changed\n",
        ),
        (
            2,
            State::PutBack,
            "error[io]: no\nerror[io]: no\n2 errors; everything was put back\n",
        ),
        (
            1,
            State::Attention(vec![path("a"), path("b\u{1b}")]),
            "error[io]: no\nthese paths need attention:\n  a\n  b\\033\n",
        ),
    ] {
        let report = Report::failed_with(state, vec![said(Kind::Io, "no"); errors], Vec::new());
        assert_eq!(complaints(&report, Style::PLAIN), want);
    }
}

#[test]
fn who_reads_along_is_told_where_the_manual_explains_it() {
    let errors = || {
        vec![
            said(Kind::Ambiguous, "two"),
            said(Kind::Parse, "what"),
            said(Kind::Ambiguous, "three"),
        ]
    };
    let ends_with = |style: Style, want: &str| {
        let said = complaints(
            &Report::failed_with(State::NothingChanged, errors(), Vec::new()),
            style,
        );
        assert!(said.ends_with(want), "{said}");
    };
    ends_with(Style::PLAIN, "nothing was changed\n");
    let want =
        "nothing was changed\nsee `git llmpatch help parse` and `git llmpatch help ambiguous`\n";
    ends_with(
        Style {
            tells_all: true,
            ..Style::PLAIN
        },
        want,
    );
    ends_with(
        Style {
            is_terminal: true,
            width: 80,
            ..Style::PLAIN
        },
        want,
    );
    let broken = "see `git llmpatch help parse` and\n  `git llmpatch help ambiguous`\n";
    ends_with(
        Style {
            is_terminal: true,
            width: 40,
            ..Style::PLAIN
        },
        broken,
    );
    // Whoever said no needs no help with that.
    let declined = Report::failed_with(
        State::NothingChanged,
        vec![said(Kind::Declined, "no")],
        Vec::new(),
    );
    assert_eq!(
        complaints(
            &declined,
            Style {
                is_terminal: true,
                ..Style::PLAIN
            }
        ),
        "nothing was changed\n"
    );
}

#[test]
fn a_success_is_a_line_a_file_and_a_sum() {
    let file = |text: &str| {
        Some(File {
            content: text.into(),
            mode: Mode::PLAIN,
        })
    };
    let path = |path: &str| RepoPath::new(path.as_bytes()).unwrap();
    let changes = ChangeSet::new([
        Change {
            path: path("old"),
            before: file("x\n"),
            after: None,
            from: None,
        },
        Change {
            path: path("new"),
            before: None,
            after: file("x\n"),
            from: Some(path("old")),
        },
        Change {
            path: path("gone"),
            before: file("x\n"),
            after: None,
            from: None,
        },
        Change {
            path: path("kept"),
            before: file("x\n"),
            after: file("y\n"),
            from: None,
        },
        Change {
            path: path("made"),
            before: None,
            after: file("y\n"),
            from: None,
        },
    ]);
    let mut report = Report {
        status: Status::Applied,
        state: State::Changed,
        ..Report::checked(
            FileReport::list(&changes, |_| {
                Some(LineCount {
                    added: 1,
                    removed: 0,
                })
            }),
            Vec::new(),
        )
    };
    assert_eq!(
        done(&report),
        "D gone\nM kept\nA made\nR old -> new\n 4 files changed, 5 insertions(+)\n"
    );
    report.files.truncate(1);
    report.commit = Some(Committed {
        id: "1a2b3c4d".to_owned(),
        short_id: "1a2b3c4".to_owned(),
        branch: Some("main".into()),
        summary: "Delete\u{1b}".into(),
        ..Committed::default()
    });
    assert_eq!(
        done(&report),
        "D gone\n[main 1a2b3c4] Delete\\033\n 1 file changed, 1 insertion(+)\n"
    );
    // What a hook added is listed nowhere, and counted.
    if let Some(commit) = &mut report.commit {
        commit.extent = Some(Extent {
            files: 2,
            added: 0,
            removed: 3,
        });
    }
    assert_eq!(
        done(&report),
        "D gone\n[main 1a2b3c4] Delete\\033\n 2 files changed, 3 deletions(-)\n"
    );
}

#[test]
fn a_change_of_nothing_has_a_sum_too() {
    assert_eq!(done(&Report::default()), " 0 files changed\n");
}
