//! What planning did that the author should know.

use bstr::BString;

use super::lint::Finding;
use super::wording::{addition, aside, below, cut, hunk, listed, relaxation};
use crate::explain::{Explain, FilePlace};
use crate::kind::Kind;
use crate::matching::{Relaxation, Side, Tolerance};
use crate::path::RepoPath;
use crate::text::LineNo;

/// What planning dropped, guessed or relaxed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// A context line was found by a looser rule.
    #[error("{} of `{path}`: context line isn't in the file as written; line {}, which {}, is used", hunk(*.number), .place.line, relaxation(*.how))]
    Relaxed {
        /// The file.
        path: RepoPath,
        /// Which hunk, from 1.
        number: usize,
        /// The rule.
        how: Relaxation,
        /// The line that is used.
        place: FilePlace,
    },
    /// The old lines were found at a level.
    #[error("{} of `{path}` isn't in the file as written; it is applied on line {at}, which is the same but for {}", hunk(*.number), aside(*.level))]
    Fuzzy {
        /// The file.
        path: RepoPath,
        /// Which hunk, from 1; 0 for a find.
        number: usize,
        /// The level.
        level: Tolerance,
        /// Where the hunk was placed.
        at: LineNo,
        /// The first line that differs.
        place: FilePlace,
    },
    /// The old lines begin with the context line itself.
    #[error("{} of `{path}`: its lines begin with its own context line {at}, and are changed there", hunk(*.number))]
    Restated {
        /// The file.
        path: RepoPath,
        /// Which hunk, from 1.
        number: usize,
        /// The context line.
        at: LineNo,
    },
    /// A trailing empty line that isn't in the file was left out.
    #[error("{} of `{path}`: its last old line is empty and isn't in the file; placed on line {at} without it", hunk(*.number))]
    BlankDropped {
        /// The file.
        path: RepoPath,
        /// Which hunk, from 1.
        number: usize,
        /// Where the hunk was placed.
        at: LineNo,
    },
    /// The lines stand elsewhere too.
    #[error("{} of `{path}`: its lines stand in {} places; line {chosen} is changed, also there: {}", hunk(*.number), .count + 1, listed(.others, *.count))]
    Duplicates {
        /// The file.
        path: RepoPath,
        /// Which hunk, from 1.
        number: usize,
        /// The place that is changed.
        chosen: LineNo,
        /// The first few others.
        others: Vec<LineNo>,
        /// How many others there are.
        count: usize,
        /// The first of them all, to be drawn.
        place: Option<FilePlace>,
    },
    /// A hunk of added lines only.
    #[error("{} of `{path}` only adds lines: they go {}", hunk(*.number), addition(*.after, .others, *.count))]
    Addition {
        /// The file.
        path: RepoPath,
        /// Which hunk, from 1.
        number: usize,
        /// The context line after which they go; `None` for the end of the file.
        after: Option<LineNo>,
        /// The first few other lines equal to the context.
        others: Vec<LineNo>,
        /// How many others there are.
        count: usize,
    },
    /// A hunk of a unified diff that stands elsewhere than its number says.
    #[error("{} of `{path}` isn't on line {claimed}, as its number says; its lines stand on line {at}, and are changed there", hunk(*.number))]
    Moved {
        /// The file.
        path: RepoPath,
        /// Which hunk, from 1.
        number: usize,
        /// The line that its number names.
        claimed: LineNo,
        /// Where it stands.
        at: LineNo,
    },
    /// A hunk of a unified diff that only its number places.
    #[error("{} of `{path}` only adds lines: they go {}, by its number alone", hunk(*.number), below(*.after))]
    AddedByNumber {
        /// The file.
        path: RepoPath,
        /// Which hunk, from 1.
        number: usize,
        /// The line behind which they go; 0 for the top of the file.
        after: usize,
    },
    /// The file's mode isn't the one that the patch says it had.
    #[error("`{path}` has mode {file:06o}; the patch was made for one with {patch:06o}")]
    ModeDiffers {
        /// The file.
        path: RepoPath,
        /// The file's mode.
        file: u32,
        /// What the patch says.
        patch: u32,
    },
    /// The file's content isn't the one that the patch was made from.
    #[error("`{path}` isn't the file that the patch was made from: its id is {file}, the patch says {patch}")]
    IdDiffers {
        /// The file.
        path: RepoPath,
        /// The id of the file's content, as long as the patch's.
        file: String,
        /// What the patch says.
        patch: String,
    },
    /// The last line had no terminator and now has one.
    #[error("`{path}` did not end with a newline; it does now")]
    NewlineAdded {
        /// The file.
        path: RepoPath,
    },
    /// Added text that looks like left-out code.
    #[error("`{path}`: this line looks as if code had been left out, and more was removed than added")]
    Elision {
        /// The file.
        path: RepoPath,
    },
    /// What a lint found.
    #[error("`{path}`: {finding}")]
    Found {
        /// The file.
        path: RepoPath,
        /// What it is.
        finding: Finding,
    },
    /// A hunk or an edit that changes nothing.
    #[error("{} of `{path}` changes nothing", if *.number == 0 { "this edit".into() } else { hunk(*.number) })]
    NoChange {
        /// The file.
        path: RepoPath,
        /// Which hunk, from 1; 0 for the whole edit.
        number: usize,
    },
    /// The new file is already there, byte for byte.
    #[error("`{path}` is already there with this very content")]
    AlreadyThere {
        /// The file.
        path: RepoPath,
    },
    /// A delete body that shows only a part of the file.
    #[error("`{path}` is deleted whole, though this section shows only lines {first} to {last} of {total}")]
    PartialDeleteBody {
        /// The file.
        path: RepoPath,
        /// First line shown.
        first: LineNo,
        /// Last line shown.
        last: LineNo,
        /// How many lines the file has.
        total: usize,
    },
    /// A find that matches only without the blank lines at its edges.
    #[error(
        "find in `{path}` matches on line {at} only without the blank lines at its edges; they are left out of find and put"
    )]
    BlankEdges {
        /// The file.
        path: RepoPath,
        /// Where it matches.
        at: LineNo,
    },
    /// A match that begins or ends inside a word.
    #[error("find in `{path}` {} inside a word on line {}", cut(*.how), .place.line)]
    InsideWord {
        /// The file.
        path: RepoPath,
        /// Which end.
        how: Side,
        /// The line.
        place: FilePlace,
    },
}

impl Explain for Warning {
    fn kind(&self) -> Kind {
        match self {
            Warning::Relaxed { .. } => Kind::LocatorRelaxed,
            Warning::Fuzzy { .. } => Kind::Fuzzy,
            Warning::Restated { .. } => Kind::Restated,
            Warning::BlankDropped { .. } => Kind::BlankDropped,
            Warning::Duplicates { .. } => Kind::Duplicates,
            Warning::Addition { .. } => Kind::AdditionPlace,
            Warning::Moved { .. } => Kind::HunkMoved,
            Warning::AddedByNumber { .. } => Kind::AdditionPlace,
            Warning::ModeDiffers { .. } => Kind::ModeDiffers,
            Warning::IdDiffers { .. } => Kind::IdDiffers,
            Warning::NewlineAdded { .. } => Kind::NewlineAdded,
            Warning::Elision { .. } => Kind::Elision,
            Warning::Found { finding, .. } => finding.kind(),
            Warning::NoChange { .. } | Warning::AlreadyThere { .. } => Kind::NoChange,
            Warning::PartialDeleteBody { .. } => Kind::PartialDeleteBody,
            Warning::BlankEdges { .. } => Kind::BlankEdges,
            Warning::InsideWord { .. } => Kind::InsideWord,
        }
    }

    fn path(&self) -> Option<BString> {
        let (Warning::Relaxed { path, .. }
        | Warning::Fuzzy { path, .. }
        | Warning::Restated { path, .. }
        | Warning::BlankDropped { path, .. }
        | Warning::Duplicates { path, .. }
        | Warning::Addition { path, .. }
        | Warning::Moved { path, .. }
        | Warning::AddedByNumber { path, .. }
        | Warning::ModeDiffers { path, .. }
        | Warning::IdDiffers { path, .. }
        | Warning::NewlineAdded { path }
        | Warning::Elision { path }
        | Warning::Found { path, .. }
        | Warning::NoChange { path, .. }
        | Warning::AlreadyThere { path }
        | Warning::PartialDeleteBody { path, .. }
        | Warning::BlankEdges { path, .. }
        | Warning::InsideWord { path, .. }) = self;
        Some(path.as_bstr().into())
    }

    fn places(&self) -> Vec<FilePlace> {
        match self {
            Warning::Relaxed { place, .. } | Warning::Fuzzy { place, .. } | Warning::InsideWord { place, .. } => {
                vec![place.clone()]
            }
            Warning::Duplicates { place, .. } => place.iter().cloned().collect(),
            _ => Vec::new(),
        }
    }

    fn line(&self) -> Option<LineNo> {
        match self {
            Warning::Restated { at, .. }
            | Warning::BlankDropped { at, .. }
            | Warning::BlankEdges { at, .. }
            | Warning::Moved { at, .. } => Some(*at),
            Warning::Duplicates { chosen, .. } => Some(*chosen),
            Warning::Addition { after, .. } => *after,
            Warning::AddedByNumber { after, .. } => after.checked_sub(1).map(LineNo::from_index),
            Warning::PartialDeleteBody { first, .. } => Some(*first),
            _ => None,
        }
    }

    fn candidates(&self) -> Vec<LineNo> {
        let (chosen, others) = match self {
            Warning::Duplicates { chosen, others, .. } => (*chosen, others),
            Warning::Addition { after: Some(after), others, .. } if !others.is_empty() => (*after, others),
            _ => return Vec::new(),
        };
        let mut all = [&others[..], &[chosen]].concat();
        all.sort();
        all
    }

    fn help(&self) -> Option<String> {
        match self {
            Warning::Duplicates { .. } => Some(
                "if another is meant, give more lines around the change, or a context line after `@@`; --unique refuses such hunks"
                    .into(),
            ),
            Warning::Found { finding, .. } => finding.help().map(str::to_owned),
            _ => None,
        }
    }
}
