//! What was made of what isn't quite right in an envelope.

use std::sync::Arc;

use bstr::BString;

use super::fault::written;
use super::marker::Verb;
use crate::explain::Explain;
use crate::kind::Kind;
use crate::text::Shown;

/// What was made of what isn't quite right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// ` ***` behind a marker.
    #[error("a marker with ` ***` behind it{}", times(*count))]
    DecoratedMarker {
        /// The file of the section.
        path: Option<Arc<[u8]>>,
        /// How often in this section.
        count: usize,
    },
    /// Empty lines where every line has a prefix.
    #[error("{} of `{}` {} no `{}` and {} taken for content", blanks(*count), Shown(path),
        if *count == 1 { "has" } else { "have" }, if *verb == Verb::Delete { '-' } else { '+' },
        if *count == 1 { "is" } else { "are" })]
    BlankInBody {
        /// The file.
        path: Arc<[u8]>,
        /// What the section does.
        verb: Verb,
        /// How many.
        count: usize,
    },
    /// `@@` without a blank after it.
    #[error("`@@` without a blank after it in the section of `{}`{}", Shown(path), times(*count))]
    LocatorSpacing {
        /// The file.
        path: Arc<[u8]>,
        /// How often in this section.
        count: usize,
    },
    /// Line numbers after `@@`.
    #[error("line numbers after `@@` in the section of `{}`{}: they mean nothing here", Shown(path), times(*count))]
    LocatorNumbers {
        /// The file.
        path: Arc<[u8]>,
        /// How often in this section.
        count: usize,
    },
    /// `\ No newline at end of file`
    #[error("`\\ No newline at end of file` in the section of `{}` is ignored{}", Shown(path), times(*count))]
    NoNewlineMark {
        /// The file.
        path: Arc<[u8]>,
        /// How often in this section.
        count: usize,
    },
}

impl Warning {
    /// Returns how often this stands in its section.
    pub(super) fn count_mut(&mut self) -> &mut usize {
        match self {
            Warning::DecoratedMarker { count, .. }
            | Warning::BlankInBody { count, .. }
            | Warning::LocatorSpacing { count, .. }
            | Warning::LocatorNumbers { count, .. }
            | Warning::NoNewlineMark { count, .. } => count,
        }
    }
}

impl Explain for Warning {
    fn kind(&self) -> Kind {
        match self {
            Warning::DecoratedMarker { .. } => Kind::DecoratedMarker,
            Warning::BlankInBody { .. } => Kind::BlankInBody,
            Warning::LocatorSpacing { .. } => Kind::LocatorSpacing,
            Warning::LocatorNumbers { .. } => Kind::LocatorNumbers,
            Warning::NoNewlineMark { .. } => Kind::NoNewlineMark,
        }
    }

    fn label(&self) -> Option<String> {
        Some(
            match self {
                Warning::DecoratedMarker { .. } => "taken for the marker alone",
                Warning::BlankInBody { .. } => "an empty line",
                Warning::LocatorSpacing { .. } => "taken for the text after `@@ `",
                Warning::LocatorNumbers { .. } => "taken for a bare `@@`",
                Warning::NoNewlineMark { .. } => "this format can't say that",
            }
            .into(),
        )
    }

    fn path(&self) -> Option<BString> {
        match self {
            Warning::DecoratedMarker { path, .. } => path.as_ref().map(written),
            Warning::BlankInBody { path, .. }
            | Warning::LocatorSpacing { path, .. }
            | Warning::LocatorNumbers { path, .. }
            | Warning::NoNewlineMark { path, .. } => Some(written(path)),
        }
    }

    fn help(&self) -> Option<String> {
        Some(self.remedy().into())
    }
}

impl Warning {
    /// Returns what to write instead.
    pub(super) fn remedy(&self) -> &'static str {
        match self {
            Warning::DecoratedMarker { .. } => "write the marker without the stars at its end",
            Warning::BlankInBody { verb: Verb::Delete, .. } => "write `-` on the line",
            Warning::BlankInBody { .. } => "write `+` on the line",
            Warning::LocatorSpacing { .. } => "write one blank between `@@` and the text",
            Warning::LocatorNumbers { .. } => {
                "write `@@`, or `@@ ` and a line of the file that stands before the change; numbers are never a position"
            }
            Warning::NoNewlineMark { .. } => "leave the line out: a file that an envelope changes ends with a newline",
        }
    }
}

fn blanks(count: usize) -> String {
    if count == 1 { "an empty line".into() } else { format!("{count} empty lines") }
}

fn times(count: usize) -> String {
    if count == 1 { String::new() } else { format!(", {count} times") }
}
