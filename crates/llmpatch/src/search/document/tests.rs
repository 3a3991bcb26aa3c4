use proptest::prelude::*;

use super::super::kmp::work;
use super::super::reference;
use super::*;

fn words(text: &str) -> Vec<&[u8]> {
    text.split_terminator(' ').map(str::as_bytes).collect()
}

fn file(words: &str) -> String {
    words
        .split_terminator(' ')
        .map(|word| format!("{word}\n"))
        .collect()
}

#[test]
fn seeks_forward_only() {
    for (lines, run, from, want) in [
        ("a b a b", "a b", 0, Some(0)),
        ("a b a b", "a b", 1, Some(2)),
        ("a b a b", "a b", 3, None),
        ("a b a b", "b a", 0, Some(1)),
        ("a b", "", 0, None),
        ("", "", 0, None),
        ("", "a", 0, None),
        ("a b", "a b c", 0, None),
        ("a b", "c", 0, None),
        ("a b", "a", 99, None),
        ("a a a", "a a", 1, Some(1)),
        ("a a b", "a b", 0, Some(1)),
        ("a b b", "a b", 0, Some(0)),
        ("x a a b c c y a a b c c", "a b c", 0, Some(2)),
        ("x a a b c c y a a b c c", "a b c", 3, Some(8)),
        ("a b b c", "a b c", 0, None),
        ("a x b", "a b", 0, None),
    ] {
        let text = file(lines);
        let lines_of = Lines::new(text.as_bytes());
        let hay = Document::of_lines(&lines_of, [words(run)]);
        let compiled = hay.run(words(run));
        assert_eq!(
            compiled.at_or_after(from),
            want,
            "{run:?} in {lines:?} from {from}"
        );
    }
}

#[test]
fn places_overlap_and_are_counted() {
    for (lines, run, want) in [
        ("a b a b a", "a b a", &[0, 2][..]),
        ("a a a a", "a a", &[0, 1, 2]),
        ("a b a a a b", "a", &[0, 2, 3, 4]),
        ("a a b a a b", "a a b", &[0, 3]),
        ("x", "a", &[]),
    ] {
        let text = file(lines);
        let lines_of = Lines::new(text.as_bytes());
        let hay = Document::of_lines(&lines_of, [words(run)]);
        let compiled = hay.run(words(run));
        let places = &compiled;
        assert_eq!(
            places.iter().collect::<Vec<_>>(),
            want,
            "{run:?} in {lines:?}"
        );
        assert_eq!(places.count(), want.len());
    }
}

#[test]
fn line_ends_and_the_byte_order_mark_are_no_text() {
    let lines = Lines::new(b"\xef\xbb\xbfa\r\nb\n\r\nc\r\r\nlast");
    let wanted: [&[u8]; 6] = [b"a", b"b", b"", b"c\r", b"last", b"c"];
    let hay = Document::of_lines(&lines, [wanted]);
    assert_eq!(hay.run(wanted[..5].iter().copied()).at_or_after(0), Some(0));
    assert_eq!(hay.run([wanted[5]]).at_or_after(0), None);
}

#[test]
fn a_line_that_was_not_announced_is_found_too() {
    let lines = Lines::new(b"a\nb\nc\n");
    let hay = Document::of_lines(&lines, [[&b"a"[..]]]);
    let run = hay.run([&b"b"[..], b"c"]);
    assert_eq!(run.at_or_after(0), Some(1));
    assert!(run.contains(1) && !run.contains(0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::testing::cases(1_000)))]

    #[test]
    fn agrees_with_the_description(
        lines in proptest::collection::vec("[abx]?\r?\n", 0..24),
        last in "[abx]?",
        runs in proptest::collection::vec(proptest::collection::vec("[abc]?", 0..6), 1..5),
        bom: bool,
        from in 0..26usize,
    ) {
        let text = [if bom { "\u{feff}" } else { "" }, &lines.concat(), &last].concat();
        let lines = Lines::new(text.as_bytes());
        let texts: Vec<&[u8]> = lines.iter().map(|line| line.text).collect();
        let hay = Document::of_lines(&lines, runs.iter().map(|run| run.iter().map(|line| line.as_bytes())));
        for run in &runs {
            let run: Vec<&[u8]> = run.iter().map(|line| line.as_bytes()).collect();
            let compiled = hay.run(run.iter().copied());
            let seek = |from| reference::seek_sequence(&texts, &run, from);
            prop_assert_eq!(compiled.at_or_after(from), seek(from));
            prop_assert_eq!(compiled.contains(from), seek(from) == Some(from));
            let all: Vec<_> = (0..texts.len()).filter(|&at| seek(at) == Some(at)).collect();
            prop_assert_eq!(compiled.iter().collect::<Vec<_>>(), all);
        }
    }
}

/// Looks all runs up, with every other place, and returns how many comparisons that took.
fn effort(text: &str, runs: &[Vec<String>]) -> usize {
    let lines = Lines::new(text.as_bytes());
    let bytes = |run: &Vec<String>| {
        run.iter()
            .map(|line| line.as_bytes().to_vec())
            .collect::<Vec<_>>()
    };
    let runs: Vec<Vec<Vec<u8>>> = runs.iter().map(bytes).collect();
    let ((), effort) = work::during(|| {
        let hay = Document::of_lines(
            &lines,
            runs.iter().map(|run| run.iter().map(|line| &line[..])),
        );
        for run in &runs {
            let compiled = hay.run(run.iter().map(|line| &line[..]));
            let _ = (compiled.at_or_after(0), compiled.count());
        }
    });
    effort
}

#[test]
fn the_effort_for_a_run_is_linear_whatever_repeats() {
    let cycle = |lines: &[&str], times: usize| -> Vec<String> {
        std::iter::repeat_n(lines, times)
            .flatten()
            .map(|&line| line.to_owned())
            .collect()
    };
    let repeat = |line: &str, times: usize| cycle(&[line], times);
    let text = |lines: &[String]| {
        lines
            .iter()
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    let pairs = |times: usize| cycle(&["a", "b"], times);

    let equal = text(&repeat("a", 20_000));
    let alternating = text(&pairs(10_000));
    let blocks = text(&[pairs(500), repeat("c", 1)].concat()).repeat(20);
    for (name, file, runs) in [
        (
            "1,000 shared lines, then one of its own",
            &equal,
            (0..50)
                .map(|i| [repeat("a", 1_000), vec![format!("u{i}")]].concat())
                .collect::<Vec<_>>(),
        ),
        (
            "one of its own, then 1,000 shared lines",
            &equal,
            (0..50)
                .map(|i| [vec![format!("u{i}")], repeat("a", 1_000)].concat())
                .collect(),
        ),
        (
            "alternating lines, then one of its own",
            &alternating,
            (0..50)
                .map(|i| [pairs(500), vec![format!("u{i}")]].concat())
                .collect(),
        ),
        (
            "one of its own, then alternating lines",
            &alternating,
            (0..50)
                .map(|i| [vec![format!("u{i}")], pairs(500)].concat())
                .collect(),
        ),
        (
            "alternating lines, one run many times",
            &alternating,
            vec![pairs(500); 1_000],
        ),
        (
            "a rare line at the end",
            &blocks,
            (0..20)
                .map(|i| [pairs(i + 1), vec!["c".to_owned()]].concat())
                .collect(),
        ),
    ] {
        let effort = effort(file, &runs);
        assert!(
            effort <= 4 * file.len() * runs.len().min(60),
            "{name}: {effort} comparisons"
        );
    }
}

#[test]
fn a_run_costs_the_places_of_its_rarest_line() {
    let file: String = (0..100_000)
        .map(|i| {
            if i % 4 == 3 {
                "}\n".to_owned()
            } else {
                format!("line {i}\n")
            }
        })
        .collect();
    let runs: Vec<_> = (0..1_000)
        .map(|i| vec![format!("line {}", 100 * i + 2), "}".to_owned()])
        .collect();
    assert!(effort(&file, &runs) < 100_000);
}
