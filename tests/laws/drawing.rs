//! Laws of what is said: nothing of it may move a terminal's cursor or turn its text around.

use git_llmpatch::report::human::{self, Style};
use llmpatch::format::Options;
use llmpatch::path::Resolver;
use llmpatch::plan::{self, Plan, Refusal, Rules};
use llmpatch::report::Diagnose;
use llmpatch::report::{Diagnostic, Report, State};
use llmpatch::response;
use llmpatch::text::{Located, Shown, Source};

use super::planning::{split, wishes};
use super::source;

/// How many errors and how many warnings of a response are drawn: each takes as long as reading a
/// few kilobytes.
const DRAWN: usize = 8;

/// Reads and plans a response over a tree as `plan` makes it up, and draws what is said of it.
pub fn draw(bytes: &[u8]) {
    let (choices, response) = split(bytes);
    let source = source(response);
    let strict = choices.len() % 2 == 1;
    let parsed = response::parse(
        &source,
        &Options {
            strict,
            ..Options::default()
        },
    );
    drawn(&source, &parsed.errors, &parsed.warnings);
    let rules = Rules {
        strict,
        unique: choices.len() % 4 > 1,
        ..Rules::default()
    };
    let tree = wishes(&parsed.patch, choices);
    match plan::plan(&[parsed.patch], &tree, &Resolver::default(), &rules) {
        Ok(Plan { warnings, .. }) => drawn::<plan::Error, _>(&source, &[], &warnings),
        Err(Refusal {
            errors, warnings, ..
        }) => drawn(&source, &errors, &warnings),
    }
}

fn drawn<E: Diagnose, W: Diagnose>(
    source: &Source,
    errors: &[Located<E>],
    warnings: &[Located<W>],
) {
    let sources = std::slice::from_ref(source);
    let errors = Diagnostic::all(errors.iter().take(DRAWN), sources);
    let warnings = Diagnostic::all(warnings.iter().take(DRAWN), sources);
    let report = Report::failed_with(State::NothingChanged, errors, warnings);
    let drawn = human::complaints(&report, Style::PLAIN);
    let raw = drawn.chars().find(|&c| c != '\n' && !Shown::is_harmless(c));
    assert_eq!(
        raw, None,
        "a message goes to the terminal with it:\n{drawn}"
    );
}
