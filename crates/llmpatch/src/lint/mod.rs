//! Lints: what a response adds that applies and still looks like a slip of its author.
//!
//! A lint is a row of `Lints::TABLE`. It looks at the lines that edits add and that the file
//! didn't have, once the whole change is known, and changes nothing. Its verdict decides whether
//! what it finds is a warning or an error, so that nothing is changed.

mod characters;
mod elision;
mod marks;
mod repeated;
mod shapes;
mod touched;

use crate::kind::Kind;
use crate::patch::Patch;
use crate::path::{RepoPath, Resolver};
use crate::plan::ChangeSet;
use crate::text::{Located, plural};
use touched::Touched;

/// What is done about what a lint finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing.
    Ignore,
    /// It is a warning.
    Warn,
    /// It is an error.
    Error,
}

/// A row of the table: the kind, whose code is the lint's name, and what finds it in a file.
struct Lint {
    kind: Kind,
    find: fn(&Touched<'_>) -> Vec<Located<Finding>>,
}

/// What is done about each lint, where something was said about it. Else what it finds is a
/// warning, and only what [`Finding::ElidedFile`] says is an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lints([Option<Verdict>; Lints::TABLE.len()]);

impl Lints {
    const TABLE: [Lint; 8] = [
        Lint {
            kind: Kind::Elision,
            find: elision::find,
        },
        Lint {
            kind: Kind::ConflictMarkers,
            find: marks::conflicts,
        },
        Lint {
            kind: Kind::PatchMarkers,
            find: marks::patches,
        },
        Lint {
            kind: Kind::ToolSyntax,
            find: marks::tools,
        },
        Lint {
            kind: Kind::HiddenCharacters,
            find: characters::find,
        },
        Lint {
            kind: Kind::LineNumbers,
            find: shapes::line_numbers,
        },
        Lint {
            kind: Kind::DiffPrefixes,
            find: shapes::diff_prefixes,
        },
        Lint {
            kind: Kind::RepeatedLine,
            find: repeated::find,
        },
    ];

    /// Returns all lints. The name of each is its kind's code.
    pub fn all() -> impl Iterator<Item = Kind> {
        Self::TABLE.iter().map(|lint| lint.kind)
    }

    /// Sets what is done about a lint; what isn't one stays a warning.
    #[must_use]
    pub fn with(mut self, lint: Kind, verdict: Verdict) -> Self {
        if let Some(at) = Self::all().position(|kind| kind == lint) {
            self.0[at] = Some(verdict);
        }
        self
    }

    /// Looks at a change and the patches that make it. Returns what is found and isn't allowed.
    pub fn find(
        &self,
        patches: &[Patch<'_>],
        resolver: &Resolver,
        changes: &ChangeSet,
    ) -> Vec<Located<Found>> {
        let mut all = Vec::new();
        for touched in touched::files(patches, resolver, changes) {
            for (lint, verdict) in Self::TABLE.iter().zip(&self.0) {
                if *verdict == Some(Verdict::Ignore) {
                    continue;
                }
                all.extend((lint.find)(&touched).into_iter().map(|found| {
                    let verdict = verdict.unwrap_or_else(|| found.value.verdict());
                    found.map(|finding| Found {
                        path: touched.path.clone(),
                        finding,
                        is_error: verdict == Verdict::Error,
                    })
                }));
            }
        }
        all
    }
}

/// What a lint found in a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{path}`: {finding}")]
pub struct Found {
    /// The file.
    pub path: RepoPath,
    /// What it is.
    pub finding: Finding,
    /// Whether nothing may be changed because of it.
    pub is_error: bool,
}

/// What a lint finds.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Finding {
    /// An added line stands for code.
    #[error("this line looks as if code had been left out")]
    Elided,
    /// A line of what replaces a whole file stands for code, and the file loses lines.
    #[error("this line looks as if code had been left out, and the file would lose {lost} of its {total} line{}", plural(*.total))]
    ElidedFile { lost: usize, total: usize },
    /// An added line is a marker of a conflict.
    #[error("this line is a conflict marker")]
    ConflictMarker,
    /// An added line is a marker of a patch.
    #[error("this line is a marker of a patch, and would be part of the file")]
    PatchMarker,
    /// An added line has something of the tools that are between a model and its files.
    #[error("`{_0}` looks like a part of a tool's call or output rather than of the file")]
    ToolMark(&'static str),
    /// All of the file is in a Markdown fence.
    #[error("the whole file is in a Markdown fence, which becomes part of it")]
    Fenced,
    /// An added line has a character that nobody sees, or that shows that others were lost.
    #[error("this line has {}, U+{:04X}", characters::class(*_0), u32::from(*_0))]
    Character(char),
    /// The name of a new file has a character that nobody sees.
    #[error("the name of this file has U+{:04X}, which nobody sees", u32::from(*_0))]
    InName(char),
    /// All added lines begin with rising numbers.
    #[error("the added lines begin with line numbers")]
    LineNumbers,
    /// All added lines begin with `+` or `-`.
    #[error("the added lines begin with the `+` or `-` of a diff")]
    DiffPrefixes,
    /// The first or last line of what an edit adds is the line before or behind it already.
    #[error("the file has this line right beside the change already, and now has it twice")]
    Repeated,
}

impl Finding {
    /// Returns what is done about it where nothing was said about its lint.
    fn verdict(self) -> Verdict {
        match self {
            Finding::ElidedFile { .. } => Verdict::Error,
            _ => Verdict::Warn,
        }
    }

    /// Returns the stable kind.
    pub fn kind(self) -> Kind {
        match self {
            Finding::Elided | Finding::ElidedFile { .. } => Kind::Elision,
            Finding::ConflictMarker => Kind::ConflictMarkers,
            Finding::PatchMarker => Kind::PatchMarkers,
            Finding::ToolMark(_) | Finding::Fenced => Kind::ToolSyntax,
            Finding::Character(_) | Finding::InName(_) => Kind::HiddenCharacters,
            Finding::LineNumbers => Kind::LineNumbers,
            Finding::DiffPrefixes => Kind::DiffPrefixes,
            Finding::Repeated => Kind::RepeatedLine,
        }
    }
}
