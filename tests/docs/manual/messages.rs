//! What the troubleshooting page shows of every kind: what the program says in a case of it.

use std::fs;
use std::path::Path;

use llmpatch::kind::Kind;

use super::roff::Roff;
use crate::here;

/// The cases in which something is said that shows a kind best.
const CASES: &[(Kind, &str)] = &[
    (Kind::Parse, "shapes/a-line-without-a-prefix"),
    (
        Kind::ContextNotFound,
        "shapes/a-context-line-that-isnt-there",
    ),
    (Kind::LinesNotFound, "shapes/another-value"),
    (Kind::Ambiguous, "shapes/numbers-and-two-places"),
    (Kind::Occurrence, "shapes/an-occurrence-too-far"),
    (Kind::FileMissing, "shapes/a-directory-left-out"),
    (Kind::FileExists, "shapes/adding-a-file-that-exists"),
    (Kind::UnsafePath, "shapes/a-path-outside"),
    (Kind::Binary, "shapes/a-binary-file"),
    (Kind::Stale, "shapes/a-delete-body-that-differs"),
    (Kind::Unchanged, "shapes/everything-is-there-already"),
    (
        Kind::ProseEdit,
        "opx/an-edit-in-mid-line/of-prose-is-ignored-with-a-warning",
    ),
    (Kind::CommentedPatch, "roles/in-a-comment/an-envelope"),
    (Kind::QuotedPatch, "roles/quoted/an-envelope"),
    (
        Kind::NearPatch,
        "unified/a-hunk-behind-an-envelope-is-ignored",
    ),
    (
        Kind::UnknownPlace,
        "sessions/a-call-at-an-unknown-place-beside-a-real-one",
    ),
    (
        Kind::PendingCall,
        "sessions/what-did-not-happen/a-call-at-the-end",
    ),
    (
        Kind::UndoneCall,
        "sessions/what-did-not-happen/a-call-that-was-skipped",
    ),
    (Kind::DraftPatch, "shapes/a-draft-in-reasoning"),
    (Kind::RepeatedPatch, "shapes/a-patch-given-twice"),
    (
        Kind::RepeatedEdit,
        "opx/an-edit-that-repeats/counts-twice-with-a-warning",
    ),
    (
        Kind::StrayMarker,
        "envelope/an-end-before-the-first-begin-is-a-warning",
    ),
    (Kind::SkippedFormat, "answers/both-formats/format-opx"),
    (Kind::DecoratedMarker, "shapes/stars-behind-a-marker"),
    (Kind::BlankInBody, "shapes/blank-line-without-its-plus"),
    (
        Kind::LocatorSpacing,
        "envelope/a-context-line/right-behind-its-marker-is-a-warning",
    ),
    (Kind::LocatorNumbers, "shapes/unified-hunk-header"),
    (Kind::LocatorRelaxed, "shapes/partial-context"),
    (
        Kind::OutsideContext,
        "envelope/a-context-line/in-another-block-is-warned-of",
    ),
    (Kind::NoNewlineMark, "shapes/no-newline-mark"),
    (Kind::LastPlus, "tool/a-bare-plus-at-the-end-is-the-newline"),
    (Kind::Fuzzy, "envelope/fuzz-indent/shifts-added-lines-back"),
    (Kind::Restated, "shapes/restated-context"),
    (Kind::BlankDropped, "shapes/blank-line-at-the-end-of-a-hunk"),
    (Kind::Duplicates, "shapes/lines-that-stand-twice"),
    (Kind::AdditionPlace, "shapes/added-lines-only"),
    (
        Kind::AlreadyThere,
        "envelope/lines-there-already/lines-that-are-there-already-are-warned-of",
    ),
    (Kind::NewlineAdded, "shapes/a-file-without-a-final-newline"),
    (Kind::Elision, "shapes/left-out-code-of-a-whole-file"),
    (Kind::Conflict, "shapes/two-edits-of-one-line"),
    (
        Kind::ConflictMarkers,
        "envelope/lint-conflict-markers/is-told",
    ),
    (Kind::PatchMarkers, "envelope/lint-patch-markers"),
    (
        Kind::HiddenCharacters,
        "envelope/lint-hidden-characters/is-told",
    ),
    (Kind::ToolSyntax, "envelope/lint-tool-syntax/is-told"),
    (Kind::LineNumbers, "envelope/lint-line-numbers/is-told"),
    (Kind::DiffPrefixes, "blocks/lint-diff-prefixes"),
    (
        Kind::RepeatedLine,
        "shapes/lint-repeated-line/behind-a-block",
    ),
    (
        Kind::Encoding,
        "envelope/a-line-in-utf-8/in-a-file-of-shift-jis-is-refused",
    ),
    (Kind::NoChange, "shapes/a-hunk-that-changes-nothing"),
    (
        Kind::PartialDeleteBody,
        "shapes/a-delete-body-that-is-a-part",
    ),
    (
        Kind::IndentedPayload,
        "opx/a-payload-that-shares-its-markers-indentation-is-literal-with-a-warning",
    ),
    (
        Kind::TypographicQuotes,
        "shapes/curly-quotes-around-attributes",
    ),
    (
        Kind::UnknownMarkup,
        "shapes/an-attribute-that-means-nothing",
    ),
    (
        Kind::StrayText,
        "opx/text-between-edits-in-a-wrapper-is-a-warning",
    ),
    (Kind::BlankEdges, "shapes/blank-lines-around-a-find"),
    (
        Kind::EscapedMarker,
        "blocks/an-escaped-divider-in-replace-loses-its-backslash",
    ),
    (
        Kind::Divider,
        "blocks/a-divider/of-several-dividers-the-one-as-long-as-the-first-line",
    ),
    (
        Kind::ProseConflict,
        "blocks/a-whole-conflict/whole-conflict-in-prose-is-a-warning",
    ),
    (Kind::SkippedCall, "tool/a-call-of-no-file-is-skipped"),
    (
        Kind::NamelessFence,
        "files/a-fence-without-a-path-is-left-out",
    ),
    (
        Kind::FinalNewline,
        "tool/a-new-file/without-a-final-newline",
    ),
    (Kind::EmptyLine, "tool/an-empty-line-is-left-with-a-warning"),
    (
        Kind::FilledEmpty,
        "blocks/an-empty-search/fills-an-empty-file",
    ),
    (Kind::InsideWord, "shapes/a-find-inside-a-word"),
    (
        Kind::InsideIndentation,
        "shapes/a-find-inside-an-indentation/is-told",
    ),
    (
        Kind::Overlap,
        "opx/a-last-occurrence/overlaps-the-last-counted-is-told",
    ),
    (
        Kind::HunkMoved,
        "unified/a-moved-hunk/is-found-and-warned-of",
    ),
    (
        Kind::Recounted,
        "unified/wrong-counts/are-recounted-with-a-warning",
    ),
];

/// A response of a shape that many have, and what is said of it.
pub(super) struct Sample {
    pub(super) title: String,
    pub(super) about: String,
    said: String,
}

impl Sample {
    /// Returns the kind that it is found by: that of its first error, else of its first warning.
    pub(super) fn kind(&self) -> &'static Kind {
        let code = self
            .said
            .lines()
            .find_map(|line| line.strip_prefix("error[")?.split(']').next());
        let code = code.or_else(|| {
            self.said
                .lines()
                .find_map(|line| line.strip_suffix(']')?.rsplit('[').next())
        });
        Kind::ALL
            .iter()
            .find(|kind| Some(kind.code()) == code)
            .unwrap_or_else(|| panic!("no kind in {}", self.said))
    }

    /// Returns the lines of it that are shown.
    pub(super) fn lines(&self) -> Vec<String> {
        shown(&self.said)
    }
}

/// Returns the responses that something is said of, by title: the first line of a case's comment.
pub(super) fn samples() -> Vec<Sample> {
    let cases = llmpatch_cases::all().into_iter();
    let shapes = cases.filter(|case| case.name.starts_with("shapes/"));
    // What is passed over in silence needs no help.
    let shapes = shapes.filter(|shape| !shape.expected().said.is_empty());
    let samples = shapes.map(|shape| {
        let (title, about) = shape.rule.split_once('\n').unwrap_or_default();
        Sample {
            title: title.replace('`', ""),
            about: about.trim().replace('\n', " "),
            said: shape.expected().said,
        }
    });
    let mut samples: Vec<_> = samples.collect();
    samples.sort_by_key(|sample| sample.title.to_lowercase());
    samples
}

/// Returns a message of a kind: of a case, or of `tests/messages` if it is of none; nothing if none is there.
pub(super) fn said(kind: Kind) -> Vec<String> {
    let case = CASES.iter().find(|(of, _)| *of == kind);
    case.map_or_else(
        || shown(&drawn(kind)),
        |(_, case)| shown(&in_case(kind, case)),
    )
}

/// Returns what is said of a kind in a case.
fn in_case(kind: Kind, case: &str) -> String {
    let said = llmpatch_cases::named(case).expected().said;
    let (error, warning) = (format!("error[{kind}]"), format!(" [{kind}]"));
    let mut is_of_kind = false;
    let mut of_kind = String::new();
    for line in said.lines() {
        if line.starts_with("error[") || line.starts_with("warning: ") {
            is_of_kind = line.starts_with(&error) || line.ends_with(&warning);
        }
        if is_of_kind {
            of_kind += line;
            of_kind.push('\n');
        }
    }
    assert!(
        !of_kind.is_empty(),
        "{case} says nothing of the kind {kind}"
    );
    of_kind
}

/// Returns what is said of a kind as `tests/messages` has it, with the sentences in one line.
fn drawn(kind: Kind) -> String {
    let path = here("tests/messages")
        .join(Path::new(kind.code()))
        .with_extension("txt");
    let file = fs::read_to_string(path).unwrap_or_default();
    let wide = file
        .split("\n--- 40 columns")
        .next()
        .and_then(|part| part.split_once('\n'));
    let mut whole = String::new();
    for line in wide.map_or("", |(_, said)| said).lines() {
        // What was broken to fit is put together: it goes on below the first word behind `help: `, say.
        let rest = line.strip_prefix("      ").map(str::trim_start);
        let rest = rest.filter(|rest| rest.starts_with(|c: char| !"|-".contains(c)));
        match rest {
            Some(rest) => whole = format!("{} {rest}\n", whole.trim_end()),
            None => whole += &format!("{line}\n"),
        }
    }
    whole
}

/// Returns headlines and help, broken to fit the page.
fn shown(said: &str) -> Vec<String> {
    let is_told = |line: &&str| {
        ["error", "warning", "help: "]
            .iter()
            .any(|start| line.starts_with(start))
    };
    let told: Vec<_> = said.lines().filter(is_told).collect();
    let is_whole =
        |line: &&str| !line.contains("--> ") && line.matches('`').count().is_multiple_of(2);
    assert!(told.iter().all(is_whole), "torn: {told:?}");
    told.into_iter().flat_map(broken).collect()
}

fn broken(line: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in line.split(' ') {
        let last = lines.last_mut().unwrap();
        if last.trim().is_empty() {
            last.push_str(word);
        } else if columns(last) + 1 + columns(word) <= Roff::CODE_WIDTH {
            last.push(' ');
            last.push_str(word);
        } else {
            lines.push(format!("  {word}"));
        }
    }
    lines
}

/// Returns how wide a text is where it is widest: in ASCII, which has three dots for an ellipsis.
fn columns(text: &str) -> usize {
    text.chars().map(|c| if c == '…' { 3 } else { 1 }).sum()
}
