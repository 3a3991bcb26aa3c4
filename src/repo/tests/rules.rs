//! Attributes against git itself: seen with git 2.47.

use super::*;
use crate::repo::line_ends::Value;
use crate::repo::rules::{Consult, RuleBook};
use llmpatch::tree::AttributeFiles;

/// What patterns are made of.
const PIECES: [&str; 22] = [
    "*", "**", "/", "a", "b", "A", ".txt", "a.txt", "d", "d/", "?", "[ab]", "[!a]", "\\", "\"",
    " ", "#", "!", "**/", "/**", "-", ".",
];

const ASSIGNED: [&str; 16] = [
    "text",
    "-text",
    "!text",
    "text=auto",
    "eol=crlf",
    "filter=x",
    "-filter",
    "!filter",
    "filter=",
    "binary",
    "mine",
    "-mine",
    "text -text",
    "working-tree-encoding=UTF-16 diff=y",
    "merge=union conflict-marker-size=9",
    "-merge",
];

const PATHS: [&str; 12] = [
    "a", "b", "A", "a.txt", "d/a", "d/a.txt", "d/d/a", "a/b", "a b.txt", "d/[ab]", "b.txt",
    "d/.txt",
];

/// Counts up what looks random and is the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn rules(&mut self) -> String {
        let mut rules = String::new();
        for _ in 0..=self.roll(3) {
            // Mostly plain ones, which libgit2 reads.
            let pieces = if self.roll(3) > 0 {
                &PIECES[..9]
            } else {
                &PIECES[..]
            };
            let pattern: String = (0..=self.roll(3))
                .map(|_| pieces[self.roll(pieces.len())])
                .collect();
            let pattern = if self.roll(8) == 0 {
                format!("\"{pattern}\"")
            } else {
                pattern
            };
            let start = ["", "", "", "", " ", "#", "[attr]mine -text\n", "\u{feff}"][self.roll(8)];
            let end = ["\n", "\n", "\n", "\r\n", "  \n", " # x\n"][self.roll(6)];
            rules += &format!(
                "{start}{pattern} {}{end}",
                ASSIGNED[self.roll(ASSIGNED.len())]
            );
        }
        rules
    }
}

#[test]
fn every_rule_means_what_it_means_to_git() {
    let names = [
        "text",
        "eol",
        "filter",
        "working-tree-encoding",
        "diff",
        "merge",
        "conflict-marker-size",
    ];
    let mut dice = Dice(7);
    let sample = Sample::new().file("a", "1").committed();
    for _ in 0..150 {
        let top = dice.rules();
        let below = if dice.roll(2) == 0 {
            dice.rules()
        } else {
            String::new()
        };
        sample.git(&format!("config core.ignoreCase {}", dice.roll(5) == 0));
        let rules = [(".gitattributes", &top), ("d/.gitattributes", &below)];
        let _ = std::fs::remove_file(sample.top().join("a"));
        for (file, content) in rules {
            sample.write(file, content);
        }
        let repo = sample.open();
        let book = RuleBook::new(&repo, Consult::Disk, AttributeFiles::new());
        let args = [&["check-attr", "-z"][..], &names, &["--"], &PATHS].concat();
        let said = String::from_utf8(sample.git_args(&args)).unwrap();
        let mut said = said.split('\0').skip(2).step_by(3);
        for at in PATHS {
            let ours = book
                .values(&path(at), names)
                .unwrap()
                .map(|value| match value {
                    Value::Unspecified => "unspecified".to_owned(),
                    Value::True => "set".to_owned(),
                    Value::False => "unset".to_owned(),
                    Value::Word(word) => String::from_utf8(word).unwrap(),
                });
            let git = names.map(|_| said.next().unwrap());
            assert_eq!(ours, git, "{at} by {rules:?}");
        }
    }
}
