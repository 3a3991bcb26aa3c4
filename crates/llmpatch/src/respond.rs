//! A change → a response that is read and planned as this very change.
//!
//! Derives a patch, prints it, and does with what was printed what any reader would do, before
//! anybody sees it: a response that would come to another change, or to a warning that something is
//! in doubt, is none.

mod print;
mod prose;
mod review;
#[cfg(test)]
mod tests;

pub use print::{is_of_printing, print};
pub use prose::prose;
pub use review::{LineNote, PullRequest, Review, line_notes, review};

use std::collections::BTreeMap;

use bstr::{BString, ByteSlice as _};

use crate::compare::{Compare, CompareError, Options};
use crate::format;
use crate::patch::{FileEdit, Format, Operation, Patch, Unrepresentable, What};
use crate::path::{RepoPath, Resolver};
use crate::plan::derive::{self, Derived, Replaced};
use crate::plan::{self, Change, ChangeSet, Rules};
use crate::progress::{Progress, Stage};
use crate::response::{self, Warning as Doubt};
use crate::text::{Source, SourceId, Text};
use crate::tree::{Entry, File, Obstacle, Tree, TreeError};

/// How a response is to look.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// How much context and which renames; OPX has only as much context as it needs, unless
    /// `context` says more.
    pub options: Options,
    /// How many unchanged lines are asked for around each change.
    pub context: Option<u32>,
    /// What is before the patch.
    pub prose: BString,
    /// The name of the commit or tree that it is to say it is about.
    pub base: Option<String>,
    /// What the edits' notes say. An envelope has no notes: there they are prose.
    pub notes: Notes,
}

/// The notes of a change.
#[derive(Clone, Debug, Default)]
pub enum Notes {
    /// There are none.
    #[default]
    None,
    /// One for all of it.
    One(BString),
    /// Some for each file, by the path that it has before or afterwards.
    Each(BTreeMap<RepoPath, Vec<BString>>),
}

/// What a change is as a response, or what of it can't be said.
pub type Outcome = Result<Response, Vec<Unrepresentable>>;

/// A change as a response.
#[derive(Clone, Debug)]
pub struct Response {
    /// What to print.
    pub text: Vec<u8>,
    /// Every existing file of which it gives all of the content, by path.
    pub replaced: Vec<Replaced>,
}

/// Writes a change of a tree as a response. `known` is what is known already not to be
/// representable.
///
/// # Errors
/// If contents can't be compared. That the format can't say the change is an [`Outcome`], and has
/// all the reasons.
pub fn respond(
    format: Format,
    changes: &ChangeSet,
    tree: &dyn Tree,
    compare: &dyn Compare,
    look: &Look,
    known: Vec<Unrepresentable>,
    progress: &Progress,
) -> Result<Outcome, CompareError> {
    progress.enter(Stage::Comparing, 0);
    let usual = match format {
        Format::Opx | Format::Blocks | Format::Tool => 0,
        _ => look.options.context,
    };
    let context = look.context.unwrap_or(usual);
    let options = Options {
        context,
        progress: progress.clone(),
        ..look.options.clone()
    };
    let Derived {
        mut patch,
        unrepresentable,
    } = match format {
        Format::Opx => derive::opx(changes, compare, &options)?,
        Format::Blocks | Format::Tool => derive::exact(format, changes, compare, context)?,
        _ => derive::envelope(changes, compare, &options)?,
    };
    let mut all = [known, unrepresentable].concat();
    let mut prose = look.prose.to_vec();
    match format {
        Format::Opx => note(&mut patch, changes, &look.notes),
        _ => prose = [&as_prose(&look.notes)[..], &prose].concat(),
    }
    let response = match print(&patch) {
        Ok(printed) if all.is_empty() => framed(&prose, &printed, look.base.as_deref(), format),
        printed => {
            all.extend(printed.err().unwrap_or_default());
            return Ok(Err(sorted(all)));
        }
    };
    let Some(source) = Source::new(SourceId(0), "", response.clone()) else {
        return Ok(Err(misread(changes, format)));
    };
    let before = Before {
        changes,
        tree,
        progress,
    };
    for strict in [false, true] {
        if let Some(wrong) = differing(&source, strict, &patch, &before, format)? {
            return Ok(Err(wrong));
        }
    }
    Ok(Ok(Response {
        text: response,
        replaced: replaced(&patch),
    }))
}

/// Puts prose, and what the patch is about, before a printed patch.
fn framed(prose: &[u8], printed: &[u8], base: Option<&str>, format: Format) -> Vec<u8> {
    let (before, behind) = match (base, format) {
        (Some(base), Format::Opx) => (format!("<opx base=\"{base}\">\n"), "</opx>\n"),
        (Some(base), _) => (format!("Base: {base}\n\n"), ""),
        (None, _) => (String::new(), ""),
    };
    [
        &self::prose(prose)[..],
        before.as_bytes(),
        printed,
        behind.as_bytes(),
    ]
    .concat()
}

fn replaced(patch: &Patch<'_>) -> Vec<Replaced> {
    let whole = patch
        .edits
        .iter()
        .filter(|edit| matches!(edit.operation, Operation::Replace { .. }));
    whole
        .map(|edit| Replaced {
            path: edit.path[..].into(),
        })
        .collect()
}

/// Turns what is at paths before and afterwards into a change, and says what no patch in these
/// formats can say.
pub fn change_of(
    sides: impl IntoIterator<Item = (BString, Entry, Entry)>,
    format: Format,
) -> (ChangeSet, Vec<Unrepresentable>) {
    let mut changes = Vec::new();
    let mut unrepresentable = Vec::new();
    for (path, before, after) in sides {
        let known = RepoPath::new(&path).map_err(|_| What::Name);
        match (known, file(before), file(after)) {
            (Ok(path), Ok(before), Ok(after)) => changes.push(Change {
                path,
                before,
                after,
                from: None,
            }),
            (Err(what), ..) | (_, Err(what), _) | (_, _, Err(what)) => {
                let format = format.the();
                unrepresentable.push(Unrepresentable { path, format, what });
            }
        }
    }
    (ChangeSet::new(changes), unrepresentable)
}

fn file(entry: Entry) -> Result<Option<File>, What> {
    match entry {
        Entry::File(file) => Ok(Some(file)),
        Entry::Other(Obstacle::Link) => Err(What::Link),
        Entry::Other(_) => Err(What::Submodule),
        Entry::Absent | Entry::Directory | Entry::Beneath { .. } => Ok(None),
    }
}

fn sorted(mut all: Vec<Unrepresentable>) -> Vec<Unrepresentable> {
    all.sort_by(|a, b| (&a.path, a.what).cmp(&(&b.path, b.what)));
    all.dedup();
    all
}

fn misread(changes: &ChangeSet, format: Format) -> Vec<Unrepresentable> {
    changes
        .iter()
        .map(|change| Unrepresentable {
            path: change.path.as_bstr().into(),
            format: format.the(),
            what: What::Misread,
        })
        .collect()
}

/// Reads what was printed as any reader would, and says which files it would make something else
/// of.
fn differing(
    source: &Source,
    strict: bool,
    patch: &Patch<'_>,
    before: &Before<'_>,
    format: Format,
) -> Result<Option<Vec<Unrepresentable>>, CompareError> {
    let changes = before.changes;
    before.progress.enter(Stage::Proving, changes.len());
    let all = || Ok(Some(misread(changes, format)));
    let parsed = response::parse(
        source,
        &format::Options {
            strict,
            ..format::Options::default()
        },
    );
    let is_plain = parsed.warnings.iter().all(|warning| match &warning.value {
        // A change may need the same edit twice.
        Doubt::RepeatedEdit { .. } => true,
        warning => is_of_printing(warning),
    });
    if !(parsed.errors.is_empty() && is_plain && parsed.patch == *patch) {
        return all();
    }
    let rules = Rules {
        strict,
        unique: strict,
        ..Rules::default()
    };
    let plan = match plan::plan(&[parsed.patch], before, &Resolver::default(), &rules) {
        Ok(plan) => plan,
        Err(refusal) => {
            return refusal
                .errors
                .iter()
                .find_map(|error| unread(&error.value))
                .map_or_else(all, Err);
        }
    };
    if plan
        .warnings
        .iter()
        .any(|warning| derive::leaves_doubt(warning.value.kind()))
    {
        return all();
    }
    let mut wrong = Vec::new();
    for change in changes {
        let planned = plan.changes.get(&change.path);
        if planned.is_none_or(|planned| {
            (&planned.before, &planned.after) != (&change.before, &change.after)
        }) {
            let planned = planned.and_then(|planned| planned.after.as_ref());
            let what = if same_texts(planned, change.after.as_ref()) {
                What::LineEnds
            } else {
                What::Misread
            };
            wrong.push(Unrepresentable {
                path: change.path.as_bstr().into(),
                format: format.the(),
                what,
            });
        }
    }
    if wrong.is_empty() && plan.changes.len() != changes.len() {
        return all();
    }
    Ok((!wrong.is_empty()).then_some(wrong))
}

/// Returns the error that says nothing of a response: a file couldn't be read.
fn unread(error: &plan::Error) -> Option<CompareError> {
    let plan::Error::Tree(error @ (TreeError::Io { path, .. } | TreeError::Backend { path, .. })) =
        error
    else {
        return None;
    };
    Some(CompareError::Engine {
        path: path.clone(),
        message: error.to_string(),
    })
}

fn same_texts(one: Option<&File>, other: Option<&File>) -> bool {
    let (Some(one), Some(other)) = (one, other) else {
        return false;
    };
    let one_lines = one.content.lines();
    let other_lines = other.content.lines();
    one.content != other.content
        && one_lines
            .iter()
            .map(|line| line.text)
            .eq(other_lines.iter().map(|line| line.text))
}

/// Puts notes to the edits of OPX, in order; where a file has more notes than edits, its last edit
/// gets the rest together.
fn note(patch: &mut Patch<'_>, changes: &ChangeSet, notes: &Notes) {
    let file = |edit: &FileEdit<'_>| edit.destination().unwrap_or(&edit.path).to_vec();
    let mut edits: BTreeMap<Vec<u8>, (usize, usize)> = BTreeMap::new();
    for edit in &patch.edits {
        edits.entry(file(edit)).or_default().1 += 1;
    }
    for edit in &mut patch.edits {
        let path = file(edit);
        let Some((at, count)) = edits.get_mut(&path) else {
            continue;
        };
        let note = match notes {
            Notes::None => None,
            Notes::One(note) => Some(note.clone()),
            Notes::Each(each) => {
                let from = changes
                    .iter()
                    .find(|change| change.path.as_bytes() == path)
                    .and_then(|at| at.from.as_ref());
                let mut notes: Vec<&BString> = Vec::new();
                let of_both = from.map(RepoPath::as_bytes).into_iter().chain([&path[..]]);
                for note in of_both.filter_map(|path| each.get(path)).flatten() {
                    if !notes.contains(&note) {
                        notes.push(note);
                    }
                }
                let rest = notes
                    .get((*at).min(notes.len().saturating_sub(1))..)
                    .unwrap_or_default();
                let these = if *at + 1 == *count {
                    rest
                } else {
                    &rest[..rest.len().min(1)]
                };
                Some(bstr::join("; ", these).into())
            }
        };
        *at += 1;
        edit.why = note
            .filter(|note| !note.trim().is_empty())
            .map(|note| Text::derived(note.to_vec()));
    }
}

/// Writes notes as prose: each once, behind the path that it is about.
fn as_prose(notes: &Notes) -> Vec<u8> {
    match notes {
        Notes::None => Vec::new(),
        Notes::One(note) => [&note[..], b"\n\n"].concat(),
        Notes::Each(each) => {
            let mut lines: Vec<Vec<u8>> = Vec::new();
            let mut met = std::collections::HashSet::new();
            for (path, notes) in each {
                for note in notes.iter().filter(|note| met.insert(note.to_vec())) {
                    let words: Vec<&[u8]> = note.fields().collect();
                    lines.push(
                        [
                            b"- ",
                            path.as_bytes(),
                            b": ",
                            &bstr::join(" ", words)[..],
                            b"\n",
                        ]
                        .concat(),
                    );
                }
            }
            if lines.is_empty() {
                Vec::new()
            } else {
                [lines.concat(), b"\n".to_vec()].concat()
            }
        }
    }
}

/// The tree as it was when the change was worked out: what the change knows isn't read again.
struct Before<'t> {
    changes: &'t ChangeSet,
    tree: &'t dyn Tree,
    progress: &'t Progress,
}

impl Tree for Before<'_> {
    fn below(&self) -> Option<&dyn Tree> {
        Some(self.tree)
    }

    fn read(&self, path: &RepoPath) -> Result<Entry, TreeError> {
        let change = self.changes.get(path);
        if change.is_some() {
            self.progress.step();
        }
        match change.and_then(|change| change.before.clone()) {
            Some(file) => Ok(Entry::File(file)),
            None => self.tree.read(path),
        }
    }

    fn tracked(&self) -> Vec<RepoPath> {
        Vec::new()
    }

    // That was asked when the change was worked out.
    fn confirm(&self, _: &RepoPath, _: Option<&File>) -> Result<(), TreeError> {
        Ok(())
    }
}
