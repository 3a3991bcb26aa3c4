use super::*;
use crate::search::Gap;

fn near(file: &str, wanted: &str, ends: Ends) -> Option<Alignment> {
    let lines = Lines::new(file.as_bytes());
    let wanted: Vec<&[u8]> = wanted.split('\n').map(str::as_bytes).collect();
    let effort = Effort::default();
    LineIndex::new(lines.clone(), wanted.iter().copied(), &effort)?.find(&wanted, ends, 0, &effort)
}

#[test]
fn the_closest_place_is_the_one_with_most_lines_in_common() {
    let file = "fn a() {\n    one();\n    two();\n}\nfn b() {\n    one();\n    three(1);\n}\nfn c() {\n}\n";
    let other = |wanted, line, alike| {
        Some(Gap::Other {
            wanted,
            line,
            alike,
        })
    };
    for (wanted, start, agree, gap) in [
        (
            "fn b() {\n    one();\n    three(2);\n}",
            4,
            3,
            other(2, 6, 75),
        ),
        (
            "fn b() {\n    three(1);\n}",
            4,
            3,
            Some(Gap::LeftOut {
                wanted: 1,
                line: 5,
                count: 1,
            }),
        ),
        (
            "fn a() {\n    zero();\n    one();\n    two();\n}",
            0,
            4,
            Some(Gap::Invented {
                wanted: 1,
                line: 1,
                count: 1,
            }),
        ),
        ("fn a() {\n    // note\n    two();\n}", 0, 3, other(1, 1, 0)),
        (
            "fn c() {\n}\nfn d() {\n}",
            8,
            2,
            Some(Gap::Invented {
                wanted: 2,
                line: 10,
                count: 2,
            }),
        ),
        ("\tone();\n\ttwo();", 1, 0, other(0, 1, 100)),
        ("    thre(1);", 6, 0, other(0, 6, 93)),
    ] {
        let near = near(file, wanted, Ends::Whole).unwrap_or_else(|| panic!("{wanted:?}"));
        assert_eq!(
            (near.start, near.agree, near.gap),
            (start, agree, gap),
            "{wanted:?}"
        );
    }
}

#[test]
fn nothing_is_near_to_what_has_nothing_in_common() {
    for (file, wanted) in [
        ("a b c\n", "something else"),
        ("}\n", "fn f() {\n}"),
        ("", "a"),
        ("\n\n", "word"),
    ] {
        assert_eq!(
            near(file, wanted, Ends::Whole),
            None,
            "{wanted:?} in {file:?}"
        );
    }
}

#[test]
fn a_text_may_begin_and_end_within_a_line() {
    let file = "    let port = cfg.port(80);\n    let host = cfg.host;\n";
    let same = near(file, "cfg.port(80);\n    let host", Ends::Part).unwrap();
    assert_eq!((same.agree, same.gap), (2, None));
    let other = near(file, "cfg.prot(80)", Ends::Part).unwrap();
    assert!(
        matches!(other.gap, Some(Gap::Other { line: 0, .. })),
        "{other:?}"
    );
}

#[test]
fn of_equal_places_the_first_behind_the_cursor_counts() {
    let text = "alpha beta\ngamma\n".repeat(3);
    let lines = Lines::new(text.as_bytes());
    let wanted = [&b"alpha beat"[..], b"gamma"];
    let effort = Effort::default();
    let nearness = LineIndex::new(lines.clone(), wanted, &effort).unwrap();
    let start = |from| {
        nearness
            .find(&wanted, Ends::Whole, from, &effort)
            .unwrap()
            .start
    };
    assert_eq!([start(0), start(1), start(3), start(5)], [0, 2, 4, 0]);
}

/// Text that repeats itself everywhere, with patches that nearly fit everywhere: no run may cost
/// more than its share.
#[test]
fn effort_is_bounded_whatever_repeats_itself() {
    let text = "let a = b + c;\n}\n".repeat(50_000);
    let lines = Lines::new(text.as_bytes());
    let wanted: Vec<&[u8]> = [&b"let a = b + d;"[..], b"}"].repeat(5_000);
    let effort = Effort::default();
    let nearness = LineIndex::new(lines.clone(), wanted.iter().copied(), &effort).unwrap();
    let spent = || Effort::PLENTY - effort.left.get();
    assert_eq!(spent(), text.len() as u64);
    for _ in 0..10 {
        assert!(nearness.find(&wanted, Ends::Whole, 0, &effort).is_some());
    }
    // It is read once for lines, and once more for words; each time the run is compared at a level
    // of fuzz as well as by votes.
    let once: usize = wanted.iter().map(|line| 16 + line.len()).sum();
    let most = 2 * text.len() + 10 * 2 * ((1 << 18) + once);
    assert!(spent() <= most as u64, "{}", spent());
}

/// A long line of a run is read once, however many places the run may have.
#[test]
fn a_long_line_is_read_once() {
    let text = "}\n".repeat(50_000);
    let long = "x ".repeat(1 << 17);
    let wanted = [long.as_bytes(), b"}"];
    let effort = Effort::default();
    let nearness = LineIndex::new(Lines::new(text.as_bytes()), wanted, &effort).unwrap();
    let found = nearness.find(&wanted, Ends::Whole, 0, &effort);
    assert!(found.is_none_or(|near| near.agree < wanted.len()));
}

#[test]
fn a_word_has_the_same_key_wherever_it_is() {
    let words = |line: &str| {
        let mut words = Vec::new();
        keys(line.as_bytes(), |key, weight| {
            words.extend((weight == 1 << 12).then_some(key));
            true
        });
        words
    };
    for word in [
        "a",
        "value_1",
        "value_12",
        "VALUE_123",
        "a_long_word_of_many_letters",
        "größe",
    ] {
        let alone = words(word);
        assert_eq!(alone.len(), 1);
        for line in [
            format!("{word}("),
            format!("({word}"),
            format!("  {word} and more behind"),
            word.to_lowercase(),
        ] {
            assert_eq!(words(&line)[0], alone[0], "{line}");
        }
    }
    assert_ne!(words("value_1"), words("value_2"));
}

#[test]
fn words_are_read_only_where_no_line_helps() {
    let text: String = (0..1000)
        .map(|n| format!("let value_{n} = {n};\n"))
        .collect();
    let lines = Lines::new(text.as_bytes());
    let found = |wanted: &[&[u8]]| {
        let effort = Effort::new(text.len() as u64 + 2000);
        let nearness = LineIndex::new(lines.clone(), wanted.iter().copied(), &effort).unwrap();
        nearness
            .find(wanted, Ends::Whole, 0, &effort)
            .map(|near| near.start)
    };
    assert_eq!(
        found(&[
            b"let value_500 = 500;",
            b"let value_501 = 1;",
            b"let value_502 = 502;"
        ]),
        Some(500)
    );
    assert_eq!(found(&[b"let value_501 = 1;"]), None);
}

/// A run that is nearly everywhere, sought again and again.
#[test]
fn effort_for_runs_is_bounded() {
    let text = "first line\nsecond line\n".repeat(40_000);
    let lines = Lines::new(text.as_bytes());
    let run: Vec<&[u8]> = [
        [&b"first line"[..], b"second line"].repeat(2_000),
        vec![b"second line"],
    ]
    .concat();
    let effort = Effort::default();
    let nearness = LineIndex::new(lines.clone(), run.iter().copied(), &effort).unwrap();
    for _ in 0..100 {
        assert_eq!(nearness.run(&run, 0, &effort), None);
        nearness.places(b"first line", &effort);
    }
    assert_eq!(effort.left.get(), 0);
    assert_eq!(nearness.places(b"first line", &effort), None);
}

#[test]
fn without_effort_left_nothing_is_read() {
    let lines = Lines::new(b"some words here\n");
    assert!(LineIndex::new(lines.clone(), [&b"some words"[..]], &Effort::new(10)).is_none());
}

proptest::proptest! {
    /// Lines and runs of them are where looking everywhere finds them.
    #[test]
    fn lines_are_where_they_are(file in "[ab \t\n]{0,60}", run in "[ab \t]{0,2}(\n[ab \t]{0,2}){0,2}", from in 0usize..20) {
        let lines = Lines::new(file.as_bytes());
        let run: Vec<&[u8]> = run.split('\n').map(str::as_bytes).collect();
        let nearness = LineIndex::new(lines.clone(), run.iter().copied(), &Effort::default()).unwrap();
        let all: Vec<&[u8]> = (0..lines.len()).map(|at| lines.text(at)).collect();
        for line in &run {
            let places: Vec<_> = (0..all.len()).filter(|&at| all[at] == *line).collect();
            proptest::prop_assert_eq!(nearness.places(line, &Effort::default()), Some(places));
        }
        let starts = || (0..all.len()).filter(|&at| all[at..].starts_with(&run));
        let found = nearness.run(&run, from, &Effort::default());
        proptest::prop_assert_eq!(found, starts().find(|&at| at >= from).or_else(|| starts().next()));
    }

    /// One line of a file of different lines spoiled: the place is found, and the line.
    #[test]
    fn a_spoiled_line_is_pointed_at(count in 20usize..60, start in 0usize..15, len in 2usize..5, spoiled in 0usize..5) {
        let text: String = (0..count).map(|n| format!("    let value_{n} = compute({}, {n});\n", n * 7 % 11)).collect();
        let lines = Lines::new(text.as_bytes());
        let spoiled = spoiled % len;
        let run: Vec<Vec<u8>> = (0..len)
            .map(|nth| {
                let line = lines.text(start + nth).to_vec();
                if nth == spoiled { [&line[..], b" // note"].concat() } else { line }
            })
            .collect();
        let wanted: Vec<&[u8]> = run.iter().map(|line| &line[..]).collect();
        let effort = Effort::default();
        let near = LineIndex::new(lines.clone(), wanted.iter().copied(), &effort).unwrap().find(&wanted, Ends::Whole, 0, &effort).unwrap();
        proptest::prop_assert_eq!((near.start, near.agree), (start, len - 1));
        let gap = near.gap.unwrap();
        proptest::prop_assert_eq!((gap.wanted(), gap.line()), (spoiled, start + spoiled));
    }
}

/// A large file is read in parts at once, with what is nearest in any of them.
#[test]
fn of_a_large_file_no_part_is_left_out() {
    for at in [0, 1, 4999, 5000, 29_999, 30_000, 59_998, 59_999] {
        let line = |line| {
            if line == at {
                "the quick brown fox jumps\n"
            } else {
                "the lazy dog sleeps now\n"
            }
        };
        let file: String = (0..60_000).map(line).collect();
        let near = near(&file, "a quick brown fix jumped", Ends::Whole).unwrap();
        assert!(
            matches!(near.gap, Some(Gap::Other { line, .. }) if line == at),
            "{at} {near:?}"
        );
    }
}
