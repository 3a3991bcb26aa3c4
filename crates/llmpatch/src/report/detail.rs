//! What a report holds for programs alone: it costs a second look at every file, so it is filled in
//! where somebody reads it.

use std::collections::BTreeMap;

use bstr::BString;
use serde::Serialize;

use super::{Place, json};
use crate::patch::{FileEdit, Format, Operation, Patch};
use crate::path::{RepoPath, Resolver};
use crate::plan::{Placement, PlanId};
use crate::response::{PartCall, ResponsePart};
use crate::text::{LineNo, Shown, Source};

/// What only programs are told of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Detail {
    /// The names of the responses that it was about.
    pub responses: Vec<String>,
    /// The name of the change, if there is one.
    #[serde(serialize_with = "json::displayed")]
    pub plan: Option<PlanId>,
    /// The name of the commit or tree that they are about; nothing where it is what is to change.
    pub base: Option<String>,
    /// The format of the responses; none where they differ or have none.
    #[serde(serialize_with = "json::displayed")]
    pub format: Option<Format>,
    /// The commit message that the change has, or would have.
    #[serde(flatten, serialize_with = "json::message")]
    pub message: Option<BString>,
    /// Whom a mail says to be the commit's author.
    #[serde(flatten, serialize_with = "json::author")]
    pub author: Option<BString>,
    /// The parts of the responses that have patches, in order.
    pub parts: Vec<PartReport>,
    /// What the responses ask for, in order.
    pub edits: Vec<EditReport>,
}

/// A part of a response that has a patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PartReport {
    /// Where the patch begins.
    pub response: Option<Place>,
    /// What the part is, in a word.
    pub role: &'static str,
    /// Whether the patch is read.
    pub read: bool,
    /// The format of the patch, if it is known.
    #[serde(serialize_with = "json::displayed")]
    pub format: Option<Format>,
    /// The directory in which the patch is meant, as the response says; empty for the top.
    pub directory: String,
    /// Why the patch isn't read.
    pub why: Option<String>,
    /// The call that asks for it, if one does.
    pub call: Option<CallReport>,
}

/// A call that asks for a patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CallReport {
    /// Its number among the calls of the response, from 1.
    pub number: usize,
    /// The id that the response gives it.
    pub id: Option<String>,
    /// The name of the tool; empty if none is named.
    pub tool: String,
    /// The paths of its edits, as the response writes them and messages show them.
    pub paths: Vec<String>,
}

impl PartReport {
    /// Records a part.
    pub fn of(part: ResponsePart, sources: &[Source]) -> Self {
        Self {
            response: part.span.and_then(|span| Place::of_span(span, sources)),
            role: part.role,
            read: part.why.is_none(),
            format: part.format,
            directory: part.directory,
            why: part.why,
            call: part.call.map(CallReport::of),
        }
    }
}

impl CallReport {
    fn of(call: PartCall) -> Self {
        let paths = call.paths.iter().map(|path| Shown(path).to_string());
        Self {
            number: call.number,
            id: call.id,
            tool: call.tool,
            paths: paths.collect(),
        }
    }
}

/// One edit of a response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EditReport {
    /// Its header or opening tag.
    pub response: Option<Place>,
    /// What it does.
    #[serde(rename = "op")]
    pub operation: EditOperation,
    /// The path, as the response wrote it.
    #[serde(flatten, serialize_with = "json::path")]
    pub path: BString,
    /// The path that the file gets, as the response wrote it.
    #[serde(flatten, serialize_with = "json::to")]
    pub to: Option<BString>,
    /// The author's note.
    #[serde(flatten, serialize_with = "json::why")]
    pub why: Option<BString>,
    /// Where its hunks were placed; none where that isn't known.
    pub hunks: Vec<HunkReport>,
}

/// What an edit does, in words that suit all formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EditOperation {
    /// Makes a file.
    Add,
    /// Puts something in place of all that a file holds.
    Replace,
    /// Changes lines of a file, and perhaps its path.
    Update,
    /// Gives a file another path.
    Move,
    /// Removes a file.
    Delete,
    /// What it does could not be read.
    Unreadable,
}

/// Where a hunk was placed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HunkReport {
    /// Its line in the response.
    pub line: Option<LineNo>,
    /// The first of the lines that it takes the place of.
    pub old_start: usize,
    /// How many they are.
    pub old_lines: usize,
    /// The first of the lines that are there afterwards.
    pub new_start: usize,
    /// How many they are.
    pub new_lines: usize,
    /// How its place was found.
    #[serde(rename = "match")]
    pub how: &'static str,
}

impl Detail {
    /// Records what responses ask for. Placements are from a plan of these patches, if there is a
    /// plan.
    pub fn of(patches: &[Patch<'_>], placements: &[Placement], sources: &[Source]) -> Self {
        let mut formats: Vec<_> = patches
            .iter()
            .filter(|patch| !patch.edits.is_empty())
            .map(|one| one.format)
            .collect();
        formats.dedup();
        let edits = patches.iter().flat_map(|patch| &patch.edits);
        let mut edits: Vec<_> = edits.map(|edit| EditReport::of(edit, sources)).collect();
        for place in placements {
            if let Some(edit) = edits.get_mut(place.edit) {
                edit.hunks.push(HunkReport::of(place, sources));
            }
        }
        let format = if let [one] = formats[..] {
            Some(one)
        } else {
            None
        };
        Self {
            format,
            edits,
            ..Self::default()
        }
    }
}

impl EditReport {
    fn of(edit: &FileEdit<'_>, sources: &[Source]) -> Self {
        use EditOperation as Is;
        let (operation, to) = match &edit.operation {
            Operation::Create { .. } => (Is::Add, None),
            Operation::Replace { .. } => (Is::Replace, None),
            Operation::Delete { .. } => (Is::Delete, None),
            Operation::Move { to } => (Is::Move, Some(to)),
            Operation::Update {
                to: Some(to),
                hunks,
            } if hunks.is_empty() => (Is::Move, Some(to)),
            Operation::Update { to, .. } => (Is::Update, to.as_ref()),
            Operation::Substitute(_) => (Is::Update, None),
            Operation::Unreadable => (Is::Unreadable, None),
        };
        Self {
            response: edit.span.and_then(|span| Place::of_span(span, sources)),
            operation,
            path: edit.path[..].into(),
            to: to.map(|to| to[..].into()),
            why: edit.why.as_ref().map(|why| why[..].into()),
            hunks: Vec::new(),
        }
    }
}

impl HunkReport {
    /// Records where a hunk is.
    pub fn of(place: &Placement, sources: &[Source]) -> Self {
        let source = place
            .span
            .and_then(|span| Some((sources.iter().find(|one| one.id() == span.source)?, span)));
        Self {
            line: source.map(|(source, span)| source.line_at(span.start as usize)),
            old_start: place.old.start,
            old_lines: place.old.count,
            new_start: place.new.start,
            new_lines: place.new.count,
            how: place.how.name(),
        }
    }

    /// Tells the hunks apart by the files that they end up in: the hunks of a file that is moved go
    /// with it, the hunks of a file that is deleted, or written anew as a whole, are gone.
    pub fn by_file(
        patches: &[Patch<'_>],
        placements: &[Placement],
        resolver: &Resolver,
        sources: &[Source],
    ) -> BTreeMap<RepoPath, Vec<HunkReport>> {
        let mut files: BTreeMap<RepoPath, Vec<HunkReport>> = BTreeMap::new();
        let mut placed = placements.iter().peekable();
        for (number, edit) in patches.iter().flat_map(|patch| &patch.edits).enumerate() {
            let own = std::iter::from_fn(|| placed.next_if(|place| place.edit <= number));
            let own: Vec<_> = own.map(|place| HunkReport::of(place, sources)).collect();
            let resolve = |written: &[u8]| resolver.resolve(edit.root.as_deref(), written).ok();
            let Some(path) = resolve(&edit.path) else {
                continue;
            };
            let to = edit.destination().and_then(|to| resolve(to));
            match &edit.operation {
                Operation::Update { .. } | Operation::Substitute(_) | Operation::Move { .. } => {
                    let mut all = files.remove(&path).unwrap_or_default();
                    all.extend(own);
                    files.insert(to.unwrap_or(path), all);
                }
                _ => drop(files.remove(&path)),
            }
        }
        files
    }
}
