use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

use bstr::BString;
use serde::Serialize;
use strum::EnumProperty;

use super::json;
use super::lines::{Nearest, Passage, Place};
use crate::kind::Kind;
use crate::patch::Patch;
use crate::path::Resolver;
use crate::plan::resolved;
use crate::text::{LineNo, Located, Source, Span};

/// An error or a warning of which something can be said.
///
/// `Display` is the headline: small first letter, no full stop, paths in backticks and through
/// [`crate::text::Shown`].
pub trait Diagnose: fmt::Display {
    /// Returns everything that is said of it but the headline.
    fn diagnostic(&self) -> Diagnostic;
}

/// An error or a warning with everything that people, programs and the model are told of it.
///
/// [`Diagnose::diagnostic`] makes it, and leaves the headline empty and its places in responses as
/// spans; [`Diagnostic::located`] fills in the headline and reads the spans.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// The stable kind.
    pub kind: Kind,
    /// Whether this is a warning. A kind that is a warning may be told to be an error.
    #[serde(skip)]
    pub is_warning: bool,
    /// The headline.
    pub message: String,
    /// The place in the response.
    pub response: Option<Place>,
    /// Other places in the responses of which the same is true.
    pub also: Vec<Place>,
    /// The place in the responses that makes it an error here, such as an earlier edit of the same
    /// lines.
    pub cause: Option<Place>,
    /// The few words under the marked place in the response, such as `this line is not there`.
    #[serde(skip)]
    pub label: Option<String>,
    /// The path this is about, as the response wrote it.
    #[serde(flatten, serialize_with = "json::path")]
    pub path: Option<BString>,
    /// The places in files that a reader should look at, best first.
    #[serde(skip)]
    pub places: Vec<Place>,
    /// The line of the file that this is about.
    pub line: Option<LineNo>,
    /// The lines, ascending, among which nothing decides.
    pub candidates: Vec<LineNo>,
    /// The place that comes nearest to what was looked for.
    #[serde(serialize_with = "json::nearest")]
    pub nearest: Option<Nearest>,
    /// What the file holds around the places in question, for a reader who can't look at it.
    #[serde(skip)]
    pub passages: Vec<Passage>,
    /// Whether the change is in the file already, as it seems.
    #[serde(skip)]
    pub is_made: bool,
    /// Whether a way of writing is wrong that spoils every place alike: errors with the same advice
    /// are told as one.
    #[serde(skip)]
    pub is_habit: bool,
    /// Further facts, one sentence each.
    pub notes: Vec<String>,
    /// What to do about it.
    #[serde(rename = "hint")]
    pub help: Option<String>,
    /// What the model can do about it, where `help` is of use only at the command line.
    #[serde(skip)]
    pub advice: Option<String>,
    /// The places in the responses that aren't read yet.
    #[serde(skip)]
    pub spans: Spans,
}

/// The places in the responses that a diagnostic is about, before they are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    /// The part of the marked place that differs, if that is known.
    pub mark: Option<Span>,
    /// Other places of which the same is true.
    pub also: Vec<Span>,
    /// The place that makes it an error.
    pub cause: Option<Span>,
}

/// Records an error or a warning that is about no place in a response.
impl<E: Diagnose> From<&E> for Diagnostic {
    fn from(error: &E) -> Self {
        Self::located(error, None, &[])
    }
}

impl Diagnostic {
    /// Makes a diagnostic that has nothing but its kind.
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            is_warning: kind.is_warning(),
            message: String::new(),
            response: None,
            also: Vec::new(),
            cause: None,
            label: None,
            path: None,
            places: Vec::new(),
            line: None,
            candidates: Vec::new(),
            nearest: None,
            passages: Vec::new(),
            is_made: false,
            is_habit: false,
            notes: Vec::new(),
            help: None,
            advice: None,
            spans: Spans::default(),
        }
    }

    /// Puts paths as the response wrote them in place of paths from the top of the tree.
    pub fn name_as_written(all: &mut [Self], patches: &[Patch<'_>], resolver: &Resolver) {
        let mut written: HashMap<BString, BString> = HashMap::new();
        for of in resolved(patches, resolver) {
            let paths = std::iter::once(of.path).chain(of.to).flatten();
            let names = std::iter::once(&of.edit.path).chain(of.edit.destination());
            for (path, name) in paths.zip(names) {
                if *path.as_bytes() != name[..] {
                    let path = path.as_bstr().to_owned();
                    written.entry(path).or_insert_with(|| name[..].into());
                }
            }
        }
        for path in all.iter_mut().filter_map(|one| one.path.as_mut()) {
            if let Some(name) = written.get(path) {
                path.clone_from(name);
            }
        }
    }

    /// Makes a diagnostic of what stands at an error's variant, whatever the fields hold: its
    /// properties `kind`, `label`, `help` and `advice`. A variant that has no kind is of this kind.
    pub fn fixed(kind: Kind, error: &impl EnumProperty) -> Self {
        Self::new(Kind::at_variant(error).unwrap_or(kind)).stated(error)
    }

    /// Returns what helps the author of the response, who can give neither options nor commands.
    pub fn for_the_model(&self) -> Option<String> {
        let help = self.help.as_ref().map(|help| {
            help.split("; ")
                .filter(|part| !names_an_option(part) && !part.contains("`git "))
                .collect::<Vec<_>>()
                .join("; ")
        });
        self.advice.clone().or(help.filter(|help| !help.is_empty()))
    }

    /// Sets the label, help and advice that stand at an error's variant.
    #[must_use]
    pub fn stated(self, error: &impl EnumProperty) -> Self {
        let text = |name| error.get_str(name).map(str::to_owned);
        Self {
            label: text("label").or(self.label),
            help: text("help").or(self.help),
            advice: text("advice").or(self.advice),
            ..self
        }
    }

    /// Makes a diagnostic that has nothing but its kind and a headline.
    pub fn bare(kind: Kind, is_warning: bool, message: String) -> Self {
        Self {
            is_warning,
            message: readable(message, Self::LONGEST),
            ..Self::new(kind)
        }
    }

    /// Sets the few words under the marked place in the response.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Sets the path.
    #[must_use]
    pub fn path(mut self, path: &(impl AsRef<[u8]> + ?Sized)) -> Self {
        self.path = Some(path.as_ref().into());
        self
    }

    /// Adds a further fact.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds further facts.
    #[must_use]
    pub fn notes(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }

    /// Sets what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets what the model can do about it.
    #[must_use]
    pub fn advice(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    /// Sets the part of the marked place in the response that differs.
    #[must_use]
    pub fn mark(mut self, part: Option<Span>) -> Self {
        self.spans.mark = part;
        self
    }

    /// Sets the other places in the responses of which the same is true.
    #[must_use]
    pub fn also(mut self, spans: impl IntoIterator<Item = Span>) -> Self {
        self.spans.also = spans.into_iter().collect();
        self
    }

    /// Sets the place in the responses that makes it an error.
    #[must_use]
    pub fn cause(mut self, span: impl Into<Option<Span>>) -> Self {
        self.spans.cause = span.into();
        self
    }

    /// Tells an error or a warning, and reads the places in the responses that it is about.
    pub fn located(error: &dyn Diagnose, span: Option<Span>, sources: &[Source]) -> Self {
        error.diagnostic().located_at(error, span, sources)
    }

    /// Adds the headline, unless there is another, and reads the places in the responses.
    #[must_use]
    pub fn located_at(
        mut self,
        headline: &dyn fmt::Display,
        span: Option<Span>,
        sources: &[Source],
    ) -> Self {
        let place = |span| Place::of_span(span, sources);
        let Spans { mark, also, cause } = std::mem::take(&mut self.spans);
        self.response = mark.or(span).and_then(place);
        self.also = also.into_iter().filter_map(place).collect();
        self.cause = cause.and_then(place);
        if self.message.is_empty() {
            self.message = headline.to_string();
        }
        self.message = readable(self.message, Self::LONGEST);
        for text in [&mut self.label, &mut self.help, &mut self.advice] {
            *text = text.take().map(|text| readable(text, Self::LONGEST));
        }
        // A hook may have a lot to say.
        for note in &mut self.notes {
            *note = readable(std::mem::take(note), 16 * Self::LONGEST);
        }
        let nearest = self.nearest.as_ref().map(|nearest| nearest.line);
        let shown = self.places.first().map(|place| place.first.line);
        let first = shown.or(self.candidates.first().copied());
        self.line = self.line.or(nearest).or(first);
        self
    }

    /// The longest that a headline may be, in bytes: a path as long as a system takes, all of its
    /// letters twice as wide.
    const LONGEST: usize = 10_000;

    /// How many errors, or warnings, of a stage are worth telling: nobody reads more, and a hostile
    /// response must not fill terminal and memory with them.
    const TOLD: usize = 100;

    /// Records located errors or warnings, each problem once. Of very many, the first are taken and
    /// the rest counted.
    pub fn all<'e, E: Diagnose + 'e>(
        said: impl IntoIterator<Item = &'e Located<E>>,
        sources: &[Source],
    ) -> Vec<Diagnostic> {
        let mut said = said.into_iter();
        let told = said.by_ref().take(Self::TOLD);
        let mut all = merge(told.map(|one| Self::located(&one.value, one.span, sources)));
        let first = said.next().map(|first| first.value.diagnostic());
        all.extend(first.map(|first| first.and_more(said.count())));
        all
    }

    /// Leaves each problem once. Of very many, the first are taken and the rest counted.
    pub(crate) fn first_of(mut all: Vec<Self>) -> Vec<Self> {
        let rest = all.split_off(all.len().min(Self::TOLD));
        let mut all = merge(all);
        let first = rest.into_iter();
        let count = first.len();
        all.extend(first.take(1).map(|first| first.and_more(count - 1)));
        all
    }

    /// Says that it and so many more aren't told.
    fn and_more(&self, count: usize) -> Self {
        let message = format!("{} more like these aren't shown", 1 + count);
        Self::bare(self.kind, self.is_warning, message)
    }
}

/// Leaves out the middle of a text that nobody reads to its end: a response may call a file
/// anything, for megabytes.
fn readable(text: String, longest: usize) -> String {
    if text.len() <= longest {
        return text;
    }
    let [head, tail] = [200, text.len() - 200].map(|at| {
        let mut boundaries = (0..=at).rev().filter(|&at| text.is_char_boundary(at));
        boundaries.next().unwrap_or(0)
    });
    format!("{} … {}", &text[..head], &text[tail..])
}

/// Leaves each problem once, in the order in which it was first met; the places of its repetitions
/// are kept.
///
/// A problem with a file as such is told once however many sections or lines show it, and so is a
/// way of writing that can't be read, however often it is met; the files are shown at the first few
/// places that it spoils. Anything else is told once only if it is said of the same place, since
/// two sections may well get two different things wrong in the same words.
pub fn merge(all: impl IntoIterator<Item = Diagnostic>) -> Vec<Diagnostic> {
    let mut merged: Vec<Diagnostic> = Vec::new();
    let mut met = HashMap::new();
    for one in all {
        let is_one = one.is_habit || one.kind == Kind::Parse || is_one_wherever(one.kind);
        let place = if is_one { None } else { one.response.clone() };
        let said = if one.is_habit {
            (String::new(), None, one.advice.clone())
        } else {
            (one.message.clone(), one.label.clone(), one.help.clone())
        };
        match met.entry((one.kind, said, place)) {
            Entry::Vacant(free) => {
                free.insert(merged.len());
                merged.push(one);
            }
            Entry::Occupied(taken) => {
                let first = &mut merged[*taken.get()];
                let last = first
                    .also
                    .last()
                    .or(first.response.as_ref())
                    .map(|place| (&place.file, place.line()));
                first.also.extend(
                    one.response
                        .filter(|new| last != Some((&new.file, new.line()))),
                );
                first.also.extend(one.also);
                let shown = one
                    .passages
                    .into_iter()
                    .filter(|passage| one.is_habit && !first.passages.contains(passage))
                    .take(SHOWN.saturating_sub(first.passages.len()));
                let shown: Vec<_> = shown.collect();
                first.passages.extend(shown);
            }
        }
    }
    merged
}

/// How many places are shown of a habit that spoils the files' text.
const SHOWN: usize = 3;

/// Returns whether what is wrong with a path is one thing, however many edits name the path.
pub(super) fn is_one_wherever(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::FileMissing
            | Kind::FileExists
            | Kind::UnsafePath
            | Kind::Binary
            | Kind::Stale
            | Kind::Protected
            | Kind::Locked
            | Kind::Unsupported
            | Kind::Repository
            | Kind::Io
            | Kind::HardLink
            | Kind::Rights
            | Kind::NewlineAdded
            | Kind::Elision
            | Kind::UnknownMarkup
            | Kind::ProseConflict
    )
}

fn names_an_option(text: &str) -> bool {
    text.match_indices("--").any(|(at, dashes): (usize, &str)| {
        text[at + dashes.len()..].starts_with(|c: char| c.is_ascii_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SourceId;

    #[derive(Debug, thiserror::Error)]
    #[error("{1}")]
    struct Sample(Kind, &'static str);

    impl Diagnose for Sample {
        fn diagnostic(&self) -> Diagnostic {
            Diagnostic::new(self.0)
        }
    }

    fn merged(said: &[(Kind, &'static str, std::ops::Range<usize>)]) -> Vec<(String, usize)> {
        let text = "*** Update File: a\n*** Update File: a\n*** Update File: b\n";
        let source = Source::new(SourceId(0), "answer.txt", text.into()).unwrap();
        let said: Vec<_> = said
            .iter()
            .map(|(kind, message, range)| {
                Located::new(source.span(range.clone()), Sample(*kind, message))
            })
            .collect();
        let merged = Diagnostic::all(&said, std::slice::from_ref(&source));
        merged
            .into_iter()
            .map(|one| (one.message, one.also.len()))
            .collect()
    }

    #[test]
    fn each_problem_stands_once() {
        use Kind::{FileMissing, LinesNotFound};
        for (said, want) in [
            (
                vec![(FileMissing, "no a", 0..18), (FileMissing, "no a", 19..37)],
                vec![("no a", 1)],
            ),
            (
                vec![(FileMissing, "no a", 0..18), (FileMissing, "no a", 0..18)],
                vec![("no a", 0)],
            ),
            (
                vec![(FileMissing, "no a", 0..18), (FileMissing, "no b", 38..50)],
                vec![("no a", 0), ("no b", 0)],
            ),
            (
                vec![(LinesNotFound, "x", 0..18), (LinesNotFound, "x", 19..37)],
                vec![("x", 0), ("x", 0)],
            ),
            (
                vec![(LinesNotFound, "x", 0..18), (LinesNotFound, "x", 0..18)],
                vec![("x", 0)],
            ),
        ] {
            let want: Vec<_> = want
                .into_iter()
                .map(|(message, also): (&str, usize)| (message.to_owned(), also))
                .collect();
            assert_eq!(merged(&said), want, "{said:?}");
        }
    }

    #[test]
    fn of_very_many_the_first_are_told_and_the_rest_counted() {
        let said: Vec<_> = (0..250)
            .map(|at| (Kind::LinesNotFound, "x", at % 50..50))
            .collect();
        let told = merged(&said);
        assert_eq!(told.len(), 51);
        assert_eq!(told[50].0, "150 more like these aren't shown");
    }

    #[test]
    fn of_a_text_without_end_the_middle_is_left_out() {
        let said = Sample(
            Kind::UnsafePath,
            Box::leak("ä".repeat(1 << 20).into_boxed_str()),
        );
        let message = Diagnostic::located(&said, None, &[]).message;
        assert!(
            message.starts_with("ää") && message.contains("ä … ä") && message.len() < 500,
            "{message}"
        );
        let said = Sample(
            Kind::UnsafePath,
            Box::leak("x".repeat(9_000).into_boxed_str()),
        );
        assert_eq!(Diagnostic::located(&said, None, &[]).message.len(), 9_000);
    }

    #[test]
    fn a_byte_order_mark_is_no_column() {
        let source = Source::new(SourceId(3), "a", "\u{feff}abc\nd".into()).unwrap();
        for (range, line, column, text) in [
            (3..6, 1, 1, "abc"),
            (0..2, 1, 1, "abc"),
            (4..6, 1, 2, "abc"),
            (7..8, 2, 1, "d"),
        ] {
            let place =
                Place::of_span(source.span(range.clone()), std::slice::from_ref(&source)).unwrap();
            assert_eq!(
                (place.line().get(), place.column, place.first.excerpt.text()),
                (line, column, text.as_bytes()),
                "{range:?}"
            );
        }
    }
}
