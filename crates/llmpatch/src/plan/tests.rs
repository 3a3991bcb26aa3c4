mod bare;
mod guard;
mod levels;
mod overlay;

use super::*;
use crate::kind::Kind;
use crate::patch::{FileEdit, Format, Hunk, HunkLine, Mark, Occurrence, Substitution};
use crate::path::RepoPath;
use crate::report::Diagnose as _;
use crate::text::Text;
use crate::tree::{Entry, File, MemoryTree, Mode, Obstacle};

fn text(line: &str) -> Text<'_> {
    Text::derived(line.as_bytes())
}

/// Reads hunks in the envelope's notation, without its grammar: `@@ x` begins a hunk with a
/// locator, `@@` one without, `@#` one with line numbers, `$` flags the end of the file; hunks may
/// start without.
fn hunks(notation: &str) -> Vec<Hunk<'_>> {
    let mut hunks: Vec<Hunk<'_>> = Vec::new();
    for line in notation.lines() {
        let opens = line.starts_with('@');
        let fresh = hunks
            .last()
            .is_none_or(|hunk| opens && (!hunk.lines.is_empty() || hunk.locators.is_empty()));
        if fresh {
            hunks.push(Hunk::default());
        }
        let hunk = hunks.last_mut().unwrap();
        let (mark, rest) = match line.split_at_checked(1) {
            Some(("+", rest)) => (Mark::Added, rest),
            Some(("-", rest)) => (Mark::Removed, rest),
            Some((" ", rest)) => (Mark::Context, rest),
            Some(("$", _)) => {
                hunk.end_of_file = true;
                continue;
            }
            Some(("@", rest)) => {
                hunk.numbered |= rest.starts_with('#');
                hunk.locators.extend(rest.strip_prefix("@ ").map(text));
                continue;
            }
            _ => (Mark::Context, ""),
        };
        hunk.lines.push(HunkLine {
            mark,
            text: text(rest),
            unterminated: false,
        });
    }
    hunks
}

fn is_blank(line: &str) -> bool {
    line.trim_ascii().is_empty()
}

/// Returns whether all that replacements of so many lines do is to add lines that are right before
/// or behind their place already.
fn repeats<T: AsRef<str>>(lines: &[String], replacements: &[(usize, usize, Vec<T>)]) -> bool {
    let is_at = |at: usize, new: &[&str]| {
        let found = lines.get(at..at + new.len());
        found.is_some_and(|found| found.iter().eq(new.iter()))
    };
    let says = |lines: &[&str]| lines.concat().contains(char::is_alphanumeric);
    let again = |(at, len, new): &(usize, usize, Vec<T>)| {
        let new: Vec<_> = new.iter().map(AsRef::as_ref).collect();
        let more = new.len().saturating_sub(*len);
        let behind = more > 0 && is_at(*at, &new) && says(&new[*len..]);
        let before = more > 0 && *at >= more && is_at(at - more, &new) && says(&new[..more]);
        let is_idle = more == 0 && is_at(*at, &new) && new.len() == *len;
        (!is_idle).then_some(behind || before)
    };
    let all: Vec<_> = replacements.iter().filter_map(again).collect();
    !all.is_empty() && !all.contains(&false)
}

fn edit<'a>(path: &'a str, operation: Operation<'a>) -> FileEdit<'a> {
    FileEdit {
        path: text(path),
        root: None,
        operation,
        why: None,
        header: None,
        span: None,
        record: None,
        depth: None,
    }
}

fn update<'a>(path: &'a str, notation: &'a str) -> FileEdit<'a> {
    edit(
        path,
        Operation::Update {
            to: None,
            hunks: hunks(notation),
        },
    )
}

fn relocate<'a>(path: &'a str, to: &'a str) -> FileEdit<'a> {
    edit(path, Operation::Move { to: text(to) })
}

fn create<'a>(path: &'a str, content: &'a str) -> FileEdit<'a> {
    edit(
        path,
        Operation::Create {
            lines: content.lines().map(text).collect(),
            fills_empty: false,
            ends_open: false,
        },
    )
}

fn delete(path: &str) -> FileEdit<'_> {
    edit(path, Operation::Delete { expected: None })
}

fn put<'a>(
    path: &'a str,
    find: &'a str,
    put: Option<&'a str>,
    occurrence: Occurrence,
) -> FileEdit<'a> {
    let lines = |text: &'a str| text.split('\n').map(self::text).collect();
    let put = put.map(lines).unwrap_or_default();
    edit(
        path,
        Operation::Substitute(Substitution {
            find: lines(find),
            put,
            occurrence,
            written: None,
        }),
    )
}

fn run(tree: &MemoryTree, edits: Vec<FileEdit<'_>>, rules: &Rules) -> Result<Plan, Refusal> {
    plan(
        &[Patch {
            format: Format::Envelope,
            edits,
        }],
        tree,
        &Resolver::default(),
        rules,
    )
}

const LENIENT: Rules = rules(false, false);
const STRICT: Rules = rules(true, false);
const UNIQUE: Rules = rules(false, true);

const fn rules(strict: bool, unique: bool) -> Rules {
    Rules {
        strict,
        unique,
        fuzz: Fuzz::Exact,
        guard: Guard::NONE,
        overwrite: false,
        knows_base: false,
        allow_empty: true,
        here: None,
    }
}

/// Applies one edit to one file and says what becomes of it: its content and the kinds of warnings,
/// or the kinds of errors.
fn outcome(
    before: &str,
    edit: FileEdit<'_>,
    rules: &Rules,
) -> Result<(String, Vec<Kind>), Vec<Kind>> {
    let path = RepoPath::new(b"f").unwrap();
    match run(&MemoryTree::new().with("f", before), vec![edit], rules) {
        Ok(plan) => {
            let after = plan.changes.get(&path).map_or(before.to_owned(), |change| {
                String::from_utf8(change.after.as_ref().unwrap().content.to_vec()).unwrap()
            });
            Ok((
                after,
                plan.warnings
                    .iter()
                    .map(|warning| warning.value.kind())
                    .collect(),
            ))
        }
        Err(refusal) => Err(refusal
            .errors
            .iter()
            .map(|error| error.value.kind())
            .collect()),
    }
}

type Row<'a> = (
    &'a str,
    &'a str,
    &'a str,
    &'a Rules,
    Result<(&'a str, &'a [Kind]), Kind>,
);

fn check(rows: &[Row<'_>]) {
    for (rule, before, notation, rules, want) in rows {
        let want = want
            .map(|(after, kinds)| (after.to_owned(), kinds.to_vec()))
            .map_err(|kind| vec![kind]);
        assert_eq!(
            outcome(before, update("f", notation), rules),
            want,
            "{rule}: {notation:?} on {before:?}"
        );
    }
}

#[test]
fn finds_the_place_of_a_hunk() {
    use Kind::*;
    check(&[
        (
            "the first run at or after the cursor",
            "a\nb\na\nb\n",
            "@@\n-a\n+A\n@@\n-a\n+B",
            &LENIENT,
            Ok(("A\nb\nB\nb\n", &[Duplicates])),
        ),
        (
            "the cursor moves past a run",
            "a\nb\n",
            "@@\n-b\n+B\n@@\n-a\n+A",
            &LENIENT,
            Err(LinesNotFound),
        ),
        (
            "the context line moves the cursor past it",
            "f\nx\ng\nx\n",
            "@@ g\n-x\n+y",
            &LENIENT,
            Ok(("f\nx\ng\ny\n", &[])),
        ),
        (
            "successive context lines",
            "c\nm\nx\nd\nm\nx\n",
            "@@ d\n@@ m\n-x\n+y",
            &LENIENT,
            Ok(("c\nm\nx\nd\nm\ny\n", &[])),
        ),
        (
            "a context line only before the cursor",
            "f\nx\ny\n",
            "@@\n-x\n+X\n@@ f\n-y\n+Y",
            &LENIENT,
            Err(ContextNotFound),
        ),
        (
            "a context line that isn't there",
            "f\nx\n",
            "@@ g\n-x\n+y",
            &LENIENT,
            Err(ContextNotFound),
        ),
        (
            "blanks around a context line",
            "  f() {\nx\n",
            "@@ f() {\n-x\n+y",
            &LENIENT,
            Ok(("  f() {\ny\n", &[LocatorRelaxed])),
        ),
        (
            "… not under strict",
            "  f() {\nx\n",
            "@@ f() {\n-x\n+y",
            &STRICT,
            Err(ContextNotFound),
        ),
        (
            "the beginning of a line",
            "  fn f() {\nx\n",
            "@@ fn f(\n-x\n+y",
            &LENIENT,
            Ok(("  fn f() {\ny\n", &[LocatorRelaxed])),
        ),
        (
            "a part of a line",
            "pub fn f() {\nx\n",
            "@@ fn f()\n-x\n+y",
            &LENIENT,
            Ok(("pub fn f() {\ny\n", &[LocatorRelaxed])),
        ),
        (
            "two parts of lines",
            "pub fn f()\nx\npub fn f() {\n",
            "@@ fn f()\n-x\n+y",
            &LENIENT,
            Err(ContextNotFound),
        ),
        (
            "restated context",
            "a\nf\nx\n",
            "@@ f\n f\n-x\n+y",
            &LENIENT,
            Ok(("a\nf\ny\n", &[Restated])),
        ),
        (
            "… not under strict",
            "a\nf\nx\n",
            "@@ f\n f\n-x\n+y",
            &STRICT,
            Err(LinesNotFound),
        ),
        (
            "restated and again behind",
            "f\nx\nf\nx\n",
            "@@ f\n f\n-x\n+y",
            &LENIENT,
            Err(Ambiguous),
        ),
        (
            "a trailing empty line",
            "a\nb\n",
            "@@\n a\n-b\n+B\n ",
            &LENIENT,
            Ok(("a\nB\n", &[BlankDropped])),
        ),
        (
            "… under strict too",
            "a\nb\n",
            "@@\n a\n-b\n+B\n ",
            &STRICT,
            Ok(("a\nB\n", &[BlankDropped])),
        ),
        (
            "an empty context line that added lines follow",
            "a\nb\n",
            "@@\n a\n b\n \n+c",
            &LENIENT,
            Err(LinesNotFound),
        ),
        (
            "a removed empty line and its added twin",
            "a\nb\n",
            "@@\n-b\n-\n+c\n+",
            &LENIENT,
            Ok(("a\nc\n", &[BlankDropped])),
        ),
        (
            "at the end of the file",
            "x\na\nx\n",
            "@@\n-x\n+y\n$",
            &LENIENT,
            Ok(("x\na\ny\n", &[])),
        ),
        (
            "not at the end of the file",
            "x\na\n",
            "@@\n-x\n+y\n$",
            &LENIENT,
            Err(LinesNotFound),
        ),
        (
            "lines that aren't there",
            "a\n",
            "@@\n-b\n+c",
            &LENIENT,
            Err(LinesNotFound),
        ),
        (
            "duplicates behind",
            "x\nx\n",
            "@@\n-x\n+y",
            &LENIENT,
            Ok(("y\nx\n", &[Duplicates])),
        ),
        (
            "duplicates under unique",
            "x\nx\n",
            "@@\n-x\n+y",
            &UNIQUE,
            Err(Ambiguous),
        ),
        (
            "duplicates before the cursor",
            "x\nk\nx\n",
            "@@\n-k\n+K\n@@\n-x\n+y",
            &LENIENT,
            Ok(("x\nK\ny\n", &[Duplicates])),
        ),
        (
            "… not behind a context line",
            "x\nk\nx\n",
            "@@ k\n-x\n+y",
            &LENIENT,
            Ok(("x\nk\ny\n", &[])),
        ),
        (
            "… nor in replaced lines",
            "x\nx\n",
            "@@\n-x\n+y\n@@\n-x\n+z",
            &LENIENT,
            Ok(("y\nz\n", &[Duplicates])),
        ),
        (
            "line numbers are no place",
            "x\ny\n",
            "@#\n-y\n+z",
            &LENIENT,
            Ok(("x\nz\n", &[])),
        ),
        (
            "line numbers and two places",
            "x\nx\n",
            "@#\n-x\n+z",
            &LENIENT,
            Err(Ambiguous),
        ),
        (
            "line numbers and only additions",
            "x\n",
            "@#\n+z",
            &LENIENT,
            Err(Ambiguous),
        ),
        (
            "… in an empty file",
            "",
            "@#\n+z",
            &LENIENT,
            Ok(("z\n", &[])),
        ),
        (
            "… at the end",
            "x\n",
            "@#\n+z\n$",
            &LENIENT,
            Ok(("x\nz\n", &[])),
        ),
    ]);
}

#[test]
fn places_additions() {
    use Kind::*;
    check(&[
        (
            "after the context",
            "f\nx\n",
            "@@ f\n+y",
            &LENIENT,
            Ok(("f\ny\nx\n", &[AdditionPlace])),
        ),
        (
            "at the end without one",
            "f\nx\n",
            "@@\n+y",
            &LENIENT,
            Ok(("f\nx\ny\n", &[])),
        ),
        (
            "at the end with the flag",
            "f\nx\n",
            "@@ f\n+y\n$",
            &LENIENT,
            Ok(("f\nx\ny\n", &[])),
        ),
        (
            "a blank last line stays before them",
            "f\n\n",
            "@@\n+y",
            &LENIENT,
            Ok(("f\n\ny\n", &[])),
        ),
        (
            "not the first hunk",
            "f\nx\n",
            "@@\n-f\n+g\n@@\n+y",
            &LENIENT,
            Ok(("g\nx\ny\n", &[AdditionPlace])),
        ),
        (
            "strict: not where it may be after the context or at the end",
            "f\nx\n",
            "@@ f\n+y",
            &STRICT,
            Err(Ambiguous),
        ),
        (
            "strict: after the context that is the last line",
            "f\nx\n",
            "@@ x\n+y",
            &STRICT,
            Ok(("f\nx\ny\n", &[AdditionPlace])),
        ),
        (
            "strict: not where it may be before or after a blank last line",
            "f\n\n",
            "@@\n+y",
            &STRICT,
            Err(Ambiguous),
        ),
        (
            "into an empty file",
            "",
            "@@\n+a\n+b",
            &LENIENT,
            Ok(("a\nb\n", &[])),
        ),
        (
            "two at one place, in order",
            "f\n",
            "@@\n+a\n@@\n+b",
            &LENIENT,
            Ok(("f\na\nb\n", &[AdditionPlace])),
        ),
    ]);
}

#[test]
fn keeps_line_ends() {
    use Kind::*;
    check(&[
        (
            "an LF patch on a CRLF file",
            "a\r\nb\r\n",
            "@@\n a\n-b\n+B\n+C",
            &LENIENT,
            Ok(("a\r\nB\r\nC\r\n", &[])),
        ),
        (
            "a new line as the one it replaces",
            "a\r\nb\nc\r\n",
            "@@\n-b\n+B",
            &LENIENT,
            Ok(("a\r\nB\nc\r\n", &[])),
        ),
        (
            "else as the one before",
            "a\r\nb\n",
            "@@\n a\n+x\n b",
            &LENIENT,
            Ok(("a\r\nx\r\nb\n", &[])),
        ),
        (
            "else as the one after",
            "a\r\nb\n",
            "@@\n+x\n a",
            &LENIENT,
            Ok(("x\r\na\r\nb\n", &[])),
        ),
        (
            "added before removed",
            "a\r\nb\n",
            "@@\n a\n+B\n-b",
            &LENIENT,
            Ok(("a\r\nB\n", &[])),
        ),
        (
            "an untouched last line gets its newline",
            "a\nb",
            "@@\n-a\n+A",
            &LENIENT,
            Ok(("A\nb\n", &[NewlineAdded])),
        ),
        (
            "a replaced last line too",
            "a\r\nb",
            "@@\n-b\n+B",
            &LENIENT,
            Ok(("a\r\nB\r\n", &[NewlineAdded])),
        ),
        (
            "lines behind an open last line",
            "a\r\nb",
            "@@\n+c",
            &LENIENT,
            Ok(("a\r\nb\r\nc\r\n", &[NewlineAdded])),
        ),
        (
            "a lone line",
            "a",
            "@@\n a\n+b",
            &LENIENT,
            Ok(("a\nb\n", &[NewlineAdded])),
        ),
        (
            "blank lines at the end stay",
            "a\nb\n\n\n",
            "@@\n-a\n+A",
            &LENIENT,
            Ok(("A\nb\n\n\n", &[])),
        ),
        (
            "the mark stays",
            "\u{feff}a\nb\n",
            "@@\n-a\n+A",
            &LENIENT,
            Ok(("\u{feff}A\nb\n", &[])),
        ),
        (
            "all lines removed",
            "a\nb\n",
            "@@\n-a\n-b",
            &LENIENT,
            Ok(("", &[])),
        ),
        (
            "a lone CR is no line end",
            "a\rb\nc\n",
            "@@\n-a\rb\n+x",
            &LENIENT,
            Ok(("x\nc\n", &[])),
        ),
        (
            "nothing changes: not even a newline",
            "a\nb",
            "@@\n a",
            &LENIENT,
            Ok(("a\nb", &[NoChange])),
        ),
    ]);
}

#[test]
fn an_idle_hunk_beside_others_is_named() {
    for (notation, said) in [
        ("@@\n-a\n+a\n@@\n-b\n+B", &[Kind::NoChange][..]),
        ("@@\n a\n@@\n-b\n+B", &[]),
        ("@@\n\n@@\n-b\n+B", &[]),
    ] {
        let got = outcome("a\nb\n", update("f", notation), &LENIENT);
        assert_eq!(got, Ok(("a\nB\n".into(), said.to_vec())), "{notation}");
    }
}

#[test]
fn every_bad_hunk_is_reported_once() {
    let notation = "@@\n-x\n+new\n@@\n-a\n+A\n@@\n-y\n+z\n@@\n-new\n+newer";
    let got = outcome("a\nb\n", update("f", notation), &LENIENT);
    assert_eq!(
        got,
        Err(vec![Kind::LinesNotFound, Kind::LinesNotFound]),
        "the last hunk fails only since the first did"
    );
}

#[test]
fn substitutes_text() {
    use Occurrence::{First, Last, Nth, Only};
    let second = Nth(std::num::NonZeroUsize::new(2).unwrap());
    for (rule, before, find, new, occurrence, want) in [
        (
            "a substring",
            "let a = 1;\n",
            "= 1",
            Some("= 2"),
            Only,
            Ok(("let a = 2;\n", &[][..])),
        ),
        (
            "only one",
            "x x\n",
            "x",
            Some("y"),
            Only,
            Err(Kind::Ambiguous),
        ),
        (
            "overlaps count",
            "aaa\n",
            "aa",
            Some("b"),
            Only,
            Err(Kind::Ambiguous),
        ),
        ("first", "x x\n", "x", Some("y"), First, Ok(("y x\n", &[]))),
        ("last", "x x\n", "x", Some("y"), Last, Ok(("x y\n", &[]))),
        (
            "second",
            "x x x\n",
            "x",
            Some("y"),
            second,
            Ok(("x y x\n", &[])),
        ),
        (
            "out of range",
            "x\n",
            "x",
            Some("y"),
            second,
            Err(Kind::Occurrence),
        ),
        (
            "not there",
            "x\n",
            "z",
            Some("y"),
            Only,
            Err(Kind::LinesNotFound),
        ),
        (
            "several lines",
            "a\r\nb\r\nc\r\n",
            "a\nb",
            Some("x\ny\nz"),
            Only,
            Ok(("x\r\ny\r\nz\r\nc\r\n", &[])),
        ),
        (
            "a line becomes two",
            "a\r\n",
            "a",
            Some("a\nb"),
            Only,
            Ok(("a\r\nb\r\n", &[])),
        ),
        (
            "deletes whole lines",
            "a\nb\nc\n",
            "b",
            None,
            Only,
            Ok(("a\nc\n", &[])),
        ),
        (
            "deletes a part",
            "abc d\n",
            " d",
            None,
            Only,
            Ok(("abc\n", &[])),
        ),
        (
            "deletes an open last line",
            "a\r\nb",
            "b",
            None,
            Only,
            Ok(("a", &[])),
        ),
        (
            "deletes all",
            "a",
            "a",
            None,
            Only,
            Ok(("", &[Kind::EmptyLine])),
        ),
        (
            "one blank line",
            "a\nb\nc\n",
            "b",
            Some(""),
            Only,
            Ok(("a\n\nc\n", &[])),
        ),
        (
            "no final newline stays none",
            "a\nb",
            "b",
            Some("x\ny"),
            Only,
            Ok(("a\nx\ny", &[])),
        ),
        (
            "blank edges",
            "a\nb\n",
            "\nb\n",
            Some("\nc\n"),
            Only,
            Ok(("a\nc\n", &[Kind::BlankEdges])),
        ),
        (
            "blank edges as written first",
            "a\n\nb\n\n",
            "\nb\n",
            Some("c"),
            Only,
            Ok(("a\nc\n", &[])),
        ),
        (
            "blank edges want whole lines",
            "ab\n",
            "\nb",
            Some("c"),
            Only,
            Err(Kind::LinesNotFound),
        ),
        (
            "inside a word",
            "concat\n",
            "cat",
            Some("dog"),
            Only,
            Ok(("condog\n", &[Kind::InsideWord])),
        ),
        (
            "find is put",
            "a\n",
            "a",
            Some("a"),
            Only,
            Ok(("a\n", &[Kind::NoChange])),
        ),
    ] {
        let want = want
            .map(|(after, kinds): (&str, &[Kind])| (after.to_owned(), kinds.to_vec()))
            .map_err(|kind: Kind| vec![kind]);
        assert_eq!(
            outcome(before, put("f", find, new, occurrence), &LENIENT),
            want,
            "{rule}: {find:?} in {before:?}"
        );
    }
}
