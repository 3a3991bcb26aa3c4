use proptest::prelude::*;

use super::super::kmp::work;
use super::super::needle::{Bounds, Needle};
use super::super::reference;
use super::*;
use crate::text::Lines;

const FREE: Bounds = Bounds {
    start_at_line: false,
    end_at_line: false,
};
const START: Bounds = Bounds {
    start_at_line: true,
    end_at_line: false,
};
const END: Bounds = Bounds {
    start_at_line: false,
    end_at_line: true,
};
const BOTH: Bounds = Bounds {
    start_at_line: true,
    end_at_line: true,
};

fn needle(find: &str, bounds: Bounds) -> Needle {
    let lines: Vec<&[u8]> = find.split('|').map(str::as_bytes).collect();
    Needle::text(&lines, bounds)
}

fn file(bytes: &[u8]) -> Document {
    Document::new(bytes.to_vec().into(), [])
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
        let got = file(hay.as_bytes()).matches(&needle(find, bounds)).first();
        assert_eq!(got, want, "{find:?} in {hay:?}, {bounds:?}");
    }
}

#[test]
fn several_matches() {
    let nth = |n| NonZeroUsize::new(n).expect("tests count from 1");
    let lines = file(b"aaa\nb\naa");
    let aa = lines.matches(&needle("aa", FREE));
    assert_eq!(
        (aa.first(), aa.last(), aa.only(), aa.count()),
        (Some(0..2), Some(6..8), None, 3)
    );
    assert_eq!(
        (aa.nth(nth(1)), aa.nth(nth(2)), aa.nth(nth(3))),
        (Ok(0..2), Ok(6..8), Err(2))
    );
    assert_eq!(lines.matches(&needle("b", FREE)).only(), Some(4..5));
    let none = lines.matches(&needle("c", FREE));
    assert_eq!(
        (none.only(), none.count(), none.nth(nth(usize::MAX))),
        (None, 0, Err(0))
    );
    assert_eq!(lines.matches(&needle("aa", BOTH)).only(), Some(6..8));
    assert_eq!(file(b"\n\n\n\n").matches(&needle("|", FREE)).count(), 3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::testing::cases(1_500)))]

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
        let document = file(hay.as_bytes());
        let matches = document.matches(&Needle::text(&find, bounds));
        let all = reference::occurrences(&lines, &find, bounds);
        prop_assert_eq!(matches.iter().collect::<Vec<_>>(), &all[..]);
        prop_assert_eq!((matches.count(), matches.first(), matches.last()), (all.len(), all.first().cloned(), all.last().cloned()));
        prop_assert_eq!(matches.only(), (all.len() == 1).then(|| all[0].clone()));
        let mut apart: Vec<Range<usize>> = Vec::new();
        for range in all {
            if apart.last().is_none_or(|last| last.end <= range.start) {
                apart.push(range);
            }
        }
        for n in 1..=apart.len() + 1 {
            let want = apart.get(n - 1).cloned().ok_or(apart.len());
            prop_assert_eq!(matches.nth(NonZeroUsize::new(n).unwrap()), want);
        }
    }
}

#[test]
fn counting_overlaps_is_linear() {
    for (hay, find) in [
        ("a".repeat(100_000), "a".repeat(50_000)),
        ("ab".repeat(50_000), "ab".repeat(20_000)),
    ] {
        let lines = file(hay.as_bytes());
        let (several, effort) = work::during(|| lines.matches(&needle(&find, FREE)));
        assert!(several.count() > 10_000);
        assert!(effort <= 2 * (hay.len() + find.len()), "{effort}");
    }
}
