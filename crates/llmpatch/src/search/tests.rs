use proptest::prelude::*;

use super::Fuzz;
use super::view::View;
use super::*;
use crate::text::{Content, Lines, Splice};

/// Returns every offset at which a needle is, by looking at each.
fn slowly(needle: &Needle, text: &[u8]) -> Vec<usize> {
    (0..=text.len())
        .filter(|&at| needle.is_at(text, at))
        .collect()
}

fn view(lines: &Lines<'_>) -> View {
    View::new(&lines.bytes()[lines.bom().len()..], lines.bom().len())
}

fn plain(lines: &Lines<'_>) -> Vec<u8> {
    view(lines)
        .text(&lines.bytes()[lines.bom().len()..])
        .to_vec()
}

fn texts() -> impl Strategy<Value = Vec<u8>> {
    let word = prop::sample::select(vec![
        "a",
        "b",
        "    ",
        "}",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "value = compute(this);\n",
        "abcabcabc",
    ]);
    prop::collection::vec(word, 0..60).prop_map(|words| words.concat().into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::testing::cases(256)))]

    #[test]
    fn an_index_finds_what_looking_everywhere_finds(
        text in texts(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..60, any::<(bool, bool)>()), 1..12),
    ) {
        let lines = Lines::new(&text);
        let view = view(&lines);
        let plain = plain(&lines);
        let needles: Vec<Needle> = cuts
            .iter()
            .map(|(at, len, (start_at_line, end_at_line))| {
                let start = at.index(plain.len() + 1);
                let cut = &plain[start..(start + len).min(plain.len())];
                let lines: Vec<&[u8]> = cut.split(|&byte| byte == b'\n').collect();
                let bounds = Bounds { start_at_line: *start_at_line, end_at_line: *end_at_line };
                if bounds == Bounds::LINES { Needle::lines(lines) } else { Needle::text(&lines, bounds) }
            })
            .collect();
        let document = Document::new(text.clone().into(), needles.clone());
        for needle in &needles {
            let want = slowly(needle, &plain);
            let ranges: Vec<_> = want.iter().map(|&at| view.original(needle.range(at))).collect();
            prop_assert_eq!(document.matches(needle).iter().collect::<Vec<_>>(), ranges, "{:?}", needle);
            prop_assert_eq!(needle.first(&plain, 0), want.first().copied());
            for from in 0..=plain.len() {
                prop_assert_eq!(needle.first(&plain, from), want.iter().copied().find(|&at| at >= from));
            }
            prop_assert_eq!(needle.places(&needle.finder(), &plain).iter().collect::<Vec<_>>(), want);
        }
    }

    #[test]
    fn whole_lines_are_where_lines_equal_them(text in texts(), run in texts(), level in 0_usize..4) {
        let level = [Fuzz::Exact, Fuzz::Trailing, Fuzz::Indent, Fuzz::Unicode][level];
        let lines = Lines::new(&text);
        let run = Lines::new(&run);
        let sought: Vec<_> = run.iter().take(2).map(|line| level.form(line.text).into_owned()).collect();
        let file = Document::of_texts(0, lines.iter().map(|line| level.form(line.text)), [&sought]);
        let got: Vec<_> = file.run(&sought).iter().collect();
        let is_there = |at: &usize| {
            (0..sought.len()).all(|nth| level.form(lines.text(at + nth)) == sought[nth])
        };
        let want: Vec<_> = (0..(lines.len() + 1).saturating_sub(sought.len())).filter(|_| !sought.is_empty()).filter(is_there).collect();
        prop_assert_eq!(got, want);
    }
}

#[test]
fn what_repeats_itself_is_read_in_linear_time() {
    let text = b"}\n".repeat(50_000);
    let run = vec![&b"}"[..]; 1000];
    let needles: Vec<_> = (1..40)
        .map(|more| Needle::lines(run[..960 + more].iter().copied()))
        .collect();
    let (document, work) = kmp::work::during(|| {
        let document = Document::new(text.clone().into(), needles.clone());
        needles
            .iter()
            .for_each(|needle| assert!(document.matches(needle).first().is_some()));
        document
    });
    assert!(work <= 6 * needles.len() * text.len(), "{work}");
    assert_eq!(document.matches(&needles[0]).count(), 50_000 - 961 + 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::testing::cases(256)))]

    #[test]
    fn a_document_finds_what_is_there_now(
        text in texts(),
        edits in prop::collection::vec(
            prop::collection::vec((any::<prop::sample::Index>(), 0_usize..20, texts()), 1..5), 0..8),
        cuts in prop::collection::vec((0_usize..9, any::<prop::sample::Index>(), 0_usize..50, any::<bool>()), 1..8),
        asked_from in 0_usize..9,
    ) {
        // All states, so that texts of each of them are looked for in all.
        let mut states = vec![text.clone()];
        let mut changes = Vec::new();
        for edit in &edits {
            let now = states.last().unwrap();
            let lines = Lines::new(now);
            let view = view(&lines);
            let text = plain(&lines);
            let mut splices: Vec<_> = edit.iter().map(|(at, len, new)| {
                let start = at.index(text.len() + 1);
                let old = view.original(start..(start + len).min(text.len()));
                Splice { old, new: new.clone() }
            }).collect();
            splices.sort_by_key(|splice| splice.old.start);
            splices.dedup_by(|next, splice| next.old.start <= splice.old.end);
            states.push(Content::spliced(now.clone().into(), splices.clone()).to_vec());
            changes.push(splices);
        }
        let needles: Vec<Needle> = cuts.iter().map(|(state, at, len, is_lines)| {
            let state = &states[state % states.len()];
            let lines = Lines::new(state);
            let plain = plain(&lines);
            let start = at.index(plain.len() + 1);
            let cut = &plain[start..(start + len).min(plain.len())];
            let lines: Vec<&[u8]> = cut.split(|&byte| byte == b'\n').collect();
            if *is_lines { Needle::lines(lines) } else { Needle::text(&lines, Bounds::default()) }
        }).collect();
        let announced = needles.iter().skip(1).cloned();
        let mut document = match asked_from {
            0 => Document::new(text.clone().into(), announced),
            _ => Document::lazily(text.clone().into(), announced.collect()),
        };
        for (nth, now) in states.iter().enumerate() {
            prop_assert_eq!(&document.content()[..], &now[..]);
            prop_assert_eq!(document.len(), now.len());
            let lines = Lines::new(now);
            for needle in &needles {
                let view = view(&lines);
                let text = plain(&lines);
                let want: Vec<_> = needle.places(&needle.finder(), &text).iter().map(|at| view.original(needle.range(at))).collect();
                for line in 0..lines.len() + 2 {
                    let at = document.start(line);
                    let is_start = line < lines.len() && want.iter().any(|range| range.start == at);
                    prop_assert_eq!(document.is_at(needle, at), is_start, "{:?} at {} in {:?}", needle, at, bstr::BStr::new(now));
                }
                if nth < asked_from {
                    continue;
                }
                let found = document.matches(needle);
                for from in 0..=now.len() + 1 {
                    let behind: Vec<_> = want.iter().filter(|range| range.start >= from).cloned().collect();
                    prop_assert_eq!(found.count_from(from), behind.len());
                    prop_assert_eq!(found.iter_from(from).collect::<Vec<_>>(), behind, "{:?} in {:?}", needle, bstr::BStr::new(now));
                }
                prop_assert_eq!(found.last(), want.last().cloned());
            }
            prop_assert_eq!(document.line_count(), lines.len());
            for line in 0..lines.len() + 2 {
                prop_assert_eq!(document.start(line), lines.start(line.min(lines.len())));
                if line < lines.len() {
                    prop_assert_eq!(&document.text(line)[..], lines.text(line));
                    prop_assert_eq!(document.ending(line), lines.get(line).ending);
                }
            }
            for at in 0..=now.len() {
                prop_assert_eq!(document.line(at), now[..at].iter().filter(|&&byte| byte == b'\n').count(), "{}", at);
                prop_assert_eq!(&document.slice(at / 2..at)[..], &now[at / 2..at]);
            }
            if let Some(splices) = changes.get(nth) {
                document.change(splices);
            }
        }
    }
}
