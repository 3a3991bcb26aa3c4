use proptest::prelude::*;

use super::super::kmp::work;
use super::super::reference;
use super::*;

const FREE: Bounds = Bounds { start_at_line: false, end_at_line: false };
const START: Bounds = Bounds { start_at_line: true, end_at_line: false };
const END: Bounds = Bounds { start_at_line: false, end_at_line: true };
const BOTH: Bounds = Bounds { start_at_line: true, end_at_line: true };

fn needle(find: &str, bounds: Bounds) -> Needle {
    let lines: Vec<&[u8]> = find.split('|').map(str::as_bytes).collect();
    Needle::new(&lines, bounds)
}

#[test]
fn a_match_is_a_text_with_any_line_ends() {
    for (hay, find, bounds, want) in [
        ("xay", "a", FREE, Some(1..2)),
        ("x", "a", FREE, None),
        ("", "a", FREE, None),
        ("a", "", FREE, None),
        ("a\n\n", "", BOTH, None),
        ("xa\nby", "a|b", FREE, Some(1..4)),
        ("xa\r\nby", "a|b", FREE, Some(1..5)),
        ("a\r\n", "a", FREE, Some(0..1)),
        // A CR that no LF follows is a byte; one that an LF follows is half of a line end.
        ("a\rb", "a\rb", FREE, Some(0..3)),
        ("a\r\nb", "a\r", FREE, None),
        ("a\r\r\nb", "a\r", FREE, Some(0..2)),
        ("a\r", "a\r", FREE, Some(0..2)),
        ("a\rb", "a|b", FREE, None),
        // The byte order mark is no part of a match, and no neighbour.
        ("\u{feff}a\n", "a", BOTH, Some(3..4)),
        ("\u{feff}a\n", "\u{feff}", FREE, None),
        ("\u{feff}\na\n", "|a", FREE, Some(3..5)),
        // An empty first line is a whole empty line, never a neighbour's end.
        ("x\nfoo\n", "|foo", FREE, None),
        ("x\n\nfoo\n", "|foo", FREE, Some(2..6)),
        ("x\r\n\r\nfoo\r\n", "|foo", FREE, Some(3..8)),
        ("\nfoo\n", "|foo", FREE, Some(0..4)),
        // So is an empty last one; at the end of a file there is none.
        ("foo\nx\n", "foo|", FREE, None),
        ("foo\n", "foo|", FREE, None),
        ("foo\n", "foo|", END, None),
        ("foo\n\n", "foo|", FREE, Some(0..4)),
        ("foo\r\n\r\nx", "foo|", FREE, Some(0..5)),
        ("foo\n\nx", "o|", START, None),
        ("\n\n", "|", FREE, Some(0..1)),
        ("a\n\n\n", "|", FREE, Some(2..3)),
        ("a\n\n", "|", FREE, None),
        ("a\n\n\n\n", "||", FREE, Some(2..4)),
        // Bounds.
        ("ba\na\n", "a", START, Some(3..4)),
        ("ab\na\n", "a", END, Some(3..4)),
        ("ab\nba\nxa", "a", BOTH, None),
        ("ab\r\na\r\nxa", "a", BOTH, Some(4..5)),
        ("xa", "a", END, Some(1..2)),
        ("a", "a", BOTH, Some(0..1)),
        ("a\n", "a", BOTH, Some(0..1)),
    ] {
        let got = needle(find, bounds).first(&Lines::new(hay.as_bytes()));
        assert_eq!(got, want, "{find:?} in {hay:?}, {bounds:?}");
    }
}

#[test]
fn several_matches() {
    let nth = |n| NonZeroUsize::new(n).expect("tests count from 1");
    let lines = Lines::new(b"aaa\nb\naa");
    let aa = needle("aa", FREE);
    assert_eq!(aa.first(&lines), Some(0..2));
    assert_eq!(aa.last(&lines), Some(6..8));
    assert_eq!(aa.only(&lines), Err(Several { count: 3, lines: vec![0, 2] }));
    assert_eq!((aa.nth(&lines, nth(1)), aa.nth(&lines, nth(2)), aa.nth(&lines, nth(3))), (Ok(0..2), Ok(6..8), Err(2)));
    assert_eq!(needle("b", FREE).only(&lines), Ok(4..5));
    assert_eq!(needle("c", FREE).only(&lines), Err(Several { count: 0, lines: vec![] }));
    assert_eq!(needle("c", FREE).nth(&lines, nth(usize::MAX)), Err(0));
    assert_eq!(needle("aa", BOTH).only(&lines), Ok(6..8));
    let blank = Lines::new(b"\n\n\n\n");
    assert_eq!(needle("|", FREE).only(&blank), Err(Several { count: 3, lines: vec![0, 1, 2] }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn agrees_with_trying_everything(
        hay in "\u{feff}?([ab]|\n|\r\n|\r){0,14}",
        find in proptest::collection::vec("([ab]|a\r|\rb?){0,2}", 1..4),
        start_at_line: bool,
        end_at_line: bool,
    ) {
        let lines = Lines::new(hay.as_bytes());
        let find: Vec<&[u8]> = find.iter().map(|line| line.as_bytes()).collect();
        let bounds = Bounds { start_at_line, end_at_line };
        let needle = Needle::new(&find, bounds);
        let all = reference::occurrences(&lines, &find, bounds);

        prop_assert_eq!(needle.first(&lines), all.first().cloned());
        prop_assert_eq!(needle.last(&lines), all.last().cloned());
        match (needle.only(&lines), &all[..]) {
            (Ok(range), [only]) => prop_assert_eq!(&range, only),
            (Err(several), _) => {
                let mut starts: Vec<_> = all.iter().map(|range| lines.index_at(range.start)).collect();
                starts.dedup();
                starts.truncate(Needle::LISTED);
                prop_assert_eq!(several, Several { count: all.len(), lines: starts });
            }
            (only, _) => prop_assert!(false, "{:?} of {:?}", only, all),
        }
        let mut apart: Vec<Range<usize>> = Vec::new();
        for range in all {
            if apart.last().is_none_or(|last| last.end <= range.start) {
                apart.push(range);
            }
        }
        for n in 1..=apart.len() + 1 {
            let want = apart.get(n - 1).cloned().ok_or(apart.len());
            prop_assert_eq!(needle.nth(&lines, NonZeroUsize::new(n).unwrap()), want);
        }
    }
}

#[test]
fn counting_overlaps_is_linear() {
    for (hay, find) in [("a".repeat(100_000), "a".repeat(50_000)), ("ab".repeat(50_000), "ab".repeat(20_000))] {
        let lines = Lines::new(hay.as_bytes());
        let (several, effort) = work::during(|| needle(&find, FREE).only(&lines).unwrap_err());
        assert!(several.count > 10_000 && several.lines == [0]);
        assert!(effort <= 2 * (hay.len() + find.len()), "{effort}");
    }
}
