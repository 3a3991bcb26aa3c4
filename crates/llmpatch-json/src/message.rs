//! What a page draws of an error or a warning: the same places and marks that the program draws at a
//! terminal, as data, without advice about a command line.

use llmpatch::plan::Quote;
use llmpatch::report::{self, Diagnostic, Report};
use llmpatch::text::{Excerpt, LineNo, Shown};
use serde::Serialize;

/// An error or a warning.
#[derive(Serialize)]
pub(crate) struct Message {
    kind: String,
    warning: bool,
    headline: String,
    /// The response's first, if it is about one.
    places: Vec<Place>,
    notes: Vec<String>,
    help: Option<String>,
}

/// Lines of the response or of a file.
#[derive(Serialize)]
struct Place {
    file: String,
    of_response: bool,
    column: usize,
    caption: String,
    lines: Vec<JsonLine>,
}

/// A line, in three parts, of which the second is marked.
#[derive(Serialize)]
struct JsonLine {
    line: LineNo,
    parts: [String; 3],
    label: String,
}

impl Message {
    /// Returns the warnings of a report, then its errors.
    pub(crate) fn all(report: &Report) -> Vec<Self> {
        let all = report.warnings.iter().chain(&report.errors);
        all.map(Self::of).collect()
    }

    fn of(diagnostic: &Diagnostic) -> Self {
        let in_response = diagnostic.response.as_ref();
        let in_response = in_response.map(|place| Place::of_response(place, &diagnostic.label));
        let in_files = diagnostic.places.iter().map(Place::of_file);
        Self {
            kind: diagnostic.kind.to_string(),
            warning: diagnostic.is_warning,
            headline: diagnostic.message.clone(),
            places: in_response.into_iter().chain(in_files).collect(),
            notes: diagnostic.notes.clone(),
            help: diagnostic.for_the_model(),
        }
    }
}

impl Place {
    fn of_response(place: &report::Place, label: &Option<String>) -> Self {
        let label = label.clone().unwrap_or_default();
        Self {
            file: place.file.to_string(),
            of_response: true,
            column: place.column,
            caption: String::new(),
            lines: vec![JsonLine::new(place.line(), &place.first.excerpt, label)],
        }
    }

    fn of_file(place: &report::Place) -> Self {
        let all = || std::iter::once(&place.first).chain(&place.more);
        let mut lines: Vec<JsonLine> = Vec::new();
        for Quote {
            line,
            excerpt,
            heading,
            label,
        } in all()
        {
            // Several lines may be under one.
            let heading = heading.as_ref();
            let heading = heading.filter(|(at, _)| lines.last().is_none_or(|last| last.line < *at));
            lines.extend(heading.map(|(at, text)| JsonLine::plain(*at, text)));
            lines.push(JsonLine::new(*line, excerpt, label.clone()));
        }
        Self {
            file: Shown(&place.file).to_string(),
            of_response: false,
            column: place.column,
            caption: place.caption.clone(),
            lines,
        }
    }
}

impl JsonLine {
    fn new(line: LineNo, excerpt: &Excerpt, label: String) -> Self {
        let (text, mark, (before, after)) = (excerpt.text(), excerpt.mark(), excerpt.is_cut());
        let cut = |is_cut| if is_cut { "..." } else { "" };
        Self {
            line,
            parts: [
                format!("{}{}", cut(before), shown(&text[..mark.start])),
                shown(&text[mark.clone()]),
                format!("{}{}", shown(&text[mark.end..]), cut(after)),
            ],
            label,
        }
    }

    /// Makes a line in which nothing is marked.
    fn plain(line: LineNo, excerpt: &Excerpt) -> Self {
        let of = Self::new(line, excerpt, String::new());
        Self {
            parts: [of.parts.concat(), String::new(), String::new()],
            ..of
        }
    }
}

/// Returns a text as the program shows it, but with tabs.
fn shown(text: &[u8]) -> String {
    let parts = text.split(|byte| *byte == b'\t');
    let parts: Vec<_> = parts.map(|part| Shown(part).to_string()).collect();
    parts.join("\t")
}
