use super::*;
use crate::patch::{FileEdit, Format, Operation as Edit};
use crate::text::Text;
use crate::tree::{File, Mode};

fn path(path: &str) -> RepoPath {
    RepoPath::new(path.as_bytes()).unwrap()
}

/// Makes a change set of words such as `+new`, `-gone`, `~kept`, `old>new`.
fn changes(words: &str) -> ChangeSet {
    let file = |text: &str| {
        Some(File {
            content: text.into(),
            mode: Mode::PLAIN,
        })
    };
    ChangeSet::new(words.split_whitespace().flat_map(|word| {
        let one = |path: RepoPath, before, after| {
            vec![Change {
                path,
                before,
                after,
                from: None,
            }]
        };
        match (word.split_at(1), word.split_once('>')) {
            (("+", new), _) => one(path(new), None, file("a")),
            (("-", gone), _) => one(path(gone), file("a"), None),
            (("~", kept), _) => one(path(kept), file("a"), file("b")),
            (_, Some((old, new))) => vec![
                Change {
                    path: path(old),
                    before: file("a"),
                    after: None,
                    from: None,
                },
                Change {
                    path: path(new),
                    before: None,
                    after: file("a"),
                    from: Some(path(old)),
                },
            ],
            _ => panic!("no change: {word}"),
        }
    }))
}

fn patch(notes: &[(&'static str, Option<&'static str>)]) -> Patch<'static> {
    let edit = |&(path, why): &(&'static str, Option<&'static str>)| FileEdit {
        path: Text::derived(path.as_bytes()),
        root: None,
        operation: Edit::Delete { expected: None },
        why: why.map(|why| Text::derived(why.as_bytes())),
        header: Default::default(),
        span: None,
        record: None,
        depth: None,
    };
    Patch {
        format: Format::Opx,
        edits: notes.iter().map(edit).collect(),
    }
}

#[test]
fn without_notes_the_operations_make_the_subject() {
    let long = "src/".to_owned() + &"deep/".repeat(14) + "file.rs";
    for (words, want) in [
        ("", "Change nothing\n"),
        ("~src/lib.rs", "Update src/lib.rs\n"),
        ("+src/a.rs -src/b.rs", "Add src/a.rs, delete src/b.rs\n"),
        ("-a.rs +b.rs", "Add b.rs, delete a.rs\n"),
        ("~a.rs ~b.rs", "Update a.rs and b.rs\n"),
        ("~a.rs ~b.rs ~c.rs", "Update a.rs, b.rs and c.rs\n"),
        ("old.rs>new.rs", "Rename old.rs to new.rs\n"),
        (
            "old.rs>new.rs ~lib.rs",
            "Update lib.rs, rename old.rs to new.rs\n",
        ),
        (
            "~src/api/a ~src/api/b ~src/api/c ~src/api/d/e",
            "Update 4 files in src/api\n",
        ),
        ("~src/a ~src/b ~src/c ~x", "Update 4 files\n"),
        (
            "+s/a ~s/b ~s/c -s/d s/e>s/f",
            "Add 1 file, update 2, rename 1, delete 1 in s\n",
        ),
        ("~sa/b ~s/c ~s/d ~s/e", "Update 4 files\n"),
        ("a\u{1b}>b\u{7}", "Rename a\\033 to b\\007\n"),
        (
            &format!("~{long}"),
            &format!("Update file.rs\n\nUpdate\n{long}\n"),
        ),
        (&format!("~{long} ~{long}2"), "Update 2 files\n"),
    ] {
        assert_eq!(compose(&[], &changes(words)), want, "{words}");
        assert_eq!(
            compose(
                &[patch(&[("x", None), ("y", Some(" \n\t"))])],
                &changes(words)
            ),
            want,
            "{words}"
        );
    }
}

#[test]
fn one_note_is_the_subject() {
    let long = "a note of many words that goes on and on until nobody would call it a subject, and then on";
    let cut = "a note of many words that goes on and on until nobody would call it a\n";
    let whole = "a note of many words that goes on and on until nobody would call it a\nsubject, and then on\n";
    let word = "w".repeat(80);
    let exact = "x".repeat(72);
    for (note, want) in [
        ("Time out slow calls", "Time out slow calls\n"),
        ("  Time out\n   slow\t\tcalls\r\n", "Time out slow calls\n"),
        ("# a heading", "# a heading\n"),
        ("a\u{0}b\u{1b}[31m", "a b [31m\n"),
        (long, &format!("{cut}\n{whole}")),
        (&exact, &format!("{exact}\n")),
        (&format!("{exact} y"), &format!("{exact}\n\n{exact}\ny\n")),
        (&word, &format!("{}\n\n{word}\n", "w".repeat(72))),
        (
            &"界".repeat(37),
            &format!("{}\n\n{}\n", "界".repeat(36), "界".repeat(37)),
        ),
        (&"é".repeat(72), &format!("{}\n", "é".repeat(72))),
    ] {
        let note: &'static str = note.to_owned().leak();
        let patches = [
            patch(&[("a", None), ("b", Some(note))]),
            patch(&[("c", Some(note))]),
        ];
        assert_eq!(compose(&patches, &changes("~a ~b ~c")), want, "{note:?}");
    }
}

#[test]
fn several_notes_are_bullets() {
    let long =
        "a reason that is told at such length that one line of a commit message cannot hold it";
    for (notes, words, want) in [
        (
            vec![("a", Some("one")), ("./b", Some("two"))],
            "~a ~b",
            "Apply 2 edits to 2 files\n\n- a: one\n- b: two\n",
        ),
        (
            vec![
                ("a", Some("one")),
                ("a", Some("two")),
                ("a", None),
                ("b", Some("one")),
            ],
            "~a",
            "Apply 4 edits to 1 file\n\n- a: one\n- a: two\n",
        ),
        (
            vec![("a", Some("# x")), ("b", Some("y"))],
            "a>b",
            "Apply 2 edits to 1 file\n\n- a: # x\n- b: y\n",
        ),
        (
            vec![("src/a.rs", Some(long)), ("b\u{1b}", Some("y"))],
            "~a ~b",
            "Apply 2 edits to 2 files\n\n\
             - src/a.rs: a reason that is told at such length that one line of a\n  \
             commit message cannot hold it\n- b\\033: y\n",
        ),
    ] {
        assert_eq!(
            compose(&[patch(&notes)], &changes(words)),
            want,
            "{notes:?}"
        );
    }
}

#[test]
fn what_is_not_text_becomes_text() {
    let mut patches = [patch(&[("a", Some("x"))])];
    patches[0].edits[0].why = Some(Text::derived(&b"a\xff\xfeb"[..]));
    assert_eq!(compose(&patches, &changes("~a")), "a\u{fffd}\u{fffd}b\n");
}

proptest::proptest! {
    #[test]
    fn subjects_fit_and_nothing_is_lost(note in "[ -~é界]{1,200}") {
        let note: &'static str = note.leak();
        let message = compose(&[patch(&[("a", Some(note))])], &changes("~a")).to_string();
        let (subject, body) = message.split_once("\n\n").unwrap_or((message.trim_end(), ""));
        let whole = if body.is_empty() { subject } else { body };
        assert!(subject.width() <= COLUMNS);
        if !fold(note.as_bytes()).is_empty() {
            assert_eq!(fold(whole.as_bytes()), fold(note.as_bytes()));
        }
    }
}
