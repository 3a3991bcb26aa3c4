use proptest::prelude::*;

use super::super::reference;
use super::*;

#[test]
fn the_tightest_rule_that_any_line_satisfies_decides() {
    use Relaxation::{Contained, Prefix, SurroundingSpace};
    let one = |at, how| Loose::One { at, how };
    let many = |how, places: &[usize]| Loose::Many {
        how,
        places: places.to_vec(),
        count: places.len(),
    };
    for (file, locator, from, want) in [
        ("x\n  fn a() {\n", "fn a() {", 0, one(1, SurroundingSpace)),
        ("x\nfn a() {\n", "\tfn a() { ", 0, one(1, SurroundingSpace)),
        ("x\n  fn a() {\n", "fn a(", 0, one(1, Prefix)),
        ("x\npub fn a() {\n", "fn a(", 0, one(1, Contained)),
        (
            "pub fn a\n fn a()\n fn a\n",
            "fn a",
            0,
            one(2, SurroundingSpace),
        ),
        ("pub fn a\n fn a()\n fn a\n", " fn a", 3, Loose::None),
        (" a\n\ta\na b\n", "a", 0, many(SurroundingSpace, &[0, 1])),
        (" a\n\ta\na b\n", "a", 1, one(1, SurroundingSpace)),
        (" a\n\ta\na b\n", "a", 2, one(2, Prefix)),
        ("xa\nxa\n", "a", 0, many(Contained, &[0, 1])),
        ("xa\nxa\n", "a", 2, Loose::None),
        ("a a a\n", "a", 0, one(0, Prefix)),
        ("x\n \ny\n", "", 0, one(1, SurroundingSpace)),
        ("x y\nz\n", "  ", 0, Loose::None),
        ("a\u{a0}\r\n", "a", 0, one(0, Prefix)),
        ("  a\r\n", "a", 0, one(0, SurroundingSpace)),
        ("", "a", 0, Loose::None),
    ] {
        let lines = Lines::new(file.as_bytes());
        let locators = Locators::new(lines.clone(), [locator.as_bytes()]);
        assert_eq!(
            locators.relaxed(locator.as_bytes(), from),
            want,
            "{locator:?} in {file:?} from {from}"
        );
    }
}

#[test]
fn a_text_that_was_not_announced_is_found_too() {
    let lines = Lines::new(b"x\n  b\n");
    let locators = Locators::new(lines.clone(), [&b"a"[..]]);
    assert_eq!(
        locators.relaxed(b"b", 0),
        Loose::One {
            at: 1,
            how: Relaxation::SurroundingSpace
        }
    );
}

#[test]
fn of_very_many_the_first_are_listed() {
    let file = " a\n".repeat(20_000);
    let lines = Lines::new(file.as_bytes());
    let Loose::Many { places, count, .. } =
        Locators::new(lines.clone(), [&b"a"[..]]).relaxed(b"a", 10)
    else {
        panic!()
    };
    assert_eq!(
        (places.len(), places[0], count),
        (Loose::LISTED, 10, 19_990)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::testing::cases(1_000)))]

    #[test]
    fn agrees_with_the_rules(
        file in proptest::collection::vec("[ab \t]{0,6}", 0..8),
        texts in proptest::collection::vec("[ab \t]{0,4}", 1..8),
        from in 0..9usize,
        room in 0..40usize,
    ) {
        let joined = file.iter().map(|line| format!("{line}\n")).collect::<String>();
        let lines = Lines::new(joined.as_bytes());
        let plain: Vec<&[u8]> = file.iter().map(|line| line.as_bytes()).collect();
        let locators = Locators::new(lines.clone(), texts.iter().map(|text| text.as_bytes()));
        prop_assert_eq!(locators.read(Locators::ROOM), locators.read(room));
        for text in &texts {
            let want = match reference::relaxed(&plain, text.as_bytes(), from) {
                None => Loose::None,
                Some((how, places)) => match places[..] {
                    [at] => Loose::One { at, how },
                    _ => Loose::Many { how, count: places.len(), places },
                },
            };
            prop_assert_eq!(locators.relaxed(text.as_bytes(), from), want, "{:?}", text);
        }
    }
}
