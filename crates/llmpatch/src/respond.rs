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

use std::collections::{BTreeMap, HashSet};

use bstr::{BString, ByteSlice as _};

use crate::compare::{Compare, CompareError, Options};
use crate::format;
use crate::patch::{FileEdit, Format, Operation, Patch, Unrepresentable, What};
use crate::path::{RepoPath, Resolver};
use crate::plan::derive::{self, Derived, Replaced};
use crate::plan::{self, Change, ChangeSet};
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
    } = derive::texts(format, changes, compare, &options)?;
    let mut all = [known, unrepresentable].concat();
    let mut prose = look.prose.to_vec();
    match format {
        Format::Opx => note(&mut patch, changes, &look.notes),
        _ => prose = [&as_prose(&look.notes)[..], &prose].concat(),
    }
    let printed = print(&patch).unwrap_or_else(|refused| {
        all.extend(refused);
        Vec::new()
    });
    if !all.is_empty() {
        return Ok(Err(sorted(all)));
    }
    let response = framed(&prose, &printed, look.base.as_deref(), format);
    let Some(source) = Source::new(SourceId(0), "", response.clone()) else {
        return Ok(Err(misread(changes, format)));
    };
    let before = Before {
        changes,
        tree,
        progress,
    };
    for strict in [false, true] {
        let wrong = differing(&source, strict, &patch, &before, format)?;
        if !wrong.is_empty() {
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
    let edits = patch.edits.iter();
    let whole = edits.filter(|edit| matches!(edit.operation, Operation::Replace { .. }));
    let path = |edit: &FileEdit<'_>| edit.path[..].into();
    whole.map(|edit| Replaced { path: path(edit) }).collect()
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
        match known(&path, before, after) {
            Ok(change) => changes.push(change),
            Err(what) => unrepresentable.push(Unrepresentable {
                path,
                format: format.the(),
                what,
            }),
        }
    }
    (ChangeSet::new(changes), unrepresentable)
}

fn known(path: &[u8], before: Entry, after: Entry) -> Result<Change, What> {
    Ok(Change {
        path: RepoPath::new(path).map_err(|_| What::Name)?,
        before: file(before)?,
        after: file(after)?,
        from: None,
    })
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
    let all = changes.iter();
    all.map(|change| unsaid(change, format, What::Misread))
        .collect()
}

fn unsaid(change: &Change, format: Format, what: What) -> Unrepresentable {
    Unrepresentable {
        path: change.path.as_bstr().into(),
        format: format.the(),
        what,
    }
}

/// Reads what was printed as any reader would, and returns the files that it would make something
/// else of.
fn differing(
    source: &Source,
    strict: bool,
    patch: &Patch<'_>,
    before: &Before<'_>,
    format: Format,
) -> Result<Vec<Unrepresentable>, CompareError> {
    let changes = before.changes;
    before.progress.enter(Stage::Proving, changes.len());
    let options = format::Options {
        strict,
        ..format::Options::default()
    };
    let parsed = response::parse(source, &options);
    let is_plain = parsed.warnings.iter().all(|warning| match &warning.value {
        // A change may need the same edit twice.
        Doubt::RepeatedEdit { .. } => true,
        warning => is_of_printing(warning),
    });
    if !(parsed.errors.is_empty() && is_plain && parsed.patch == *patch) {
        return Ok(misread(changes, format));
    }
    let resolver = Resolver::default();
    let plan = match plan::plan(&[parsed.patch], before, &resolver, &derive::rules(strict)) {
        Ok(plan) if !derive::is_in_doubt(&plan) => plan,
        Ok(_) => return Ok(misread(changes, format)),
        Err(refusal) => {
            let unread = refusal.errors.iter().find_map(|error| unread(&error.value));
            return unread.map_or_else(|| Ok(misread(changes, format)), Err);
        }
    };
    let wrong = changes.iter().filter_map(|change| {
        let planned = plan.changes.get(&change.path);
        let after = planned.and_then(|planned| planned.after.as_ref());
        let is_right = planned.is_some_and(|planned| planned.before == change.before)
            && is_as_meant(after, change.after.as_ref());
        let contents = after.zip(change.after.as_ref());
        let ends_differ = contents.is_some_and(|(planned, meant)| {
            planned.content != meant.content
                && derive::same_texts(&planned.content.lines(), &meant.content.lines())
        });
        let what = if ends_differ {
            What::LineEnds
        } else {
            What::Misread
        };
        (!is_right).then(|| unsaid(change, format, what))
    });
    let wrong: Vec<_> = wrong.collect();
    if wrong.is_empty() && plan.changes.len() != changes.len() {
        return Ok(misread(changes, format));
    }
    Ok(wrong)
}

/// Returns whether a file is as it was meant. A new file has the usual permissions; what was copied or
/// moved has those of its source, and is no other file for it if these are usual, too.
fn is_as_meant(planned: Option<&File>, meant: Option<&File>) -> bool {
    let (Some(planned), Some(meant)) = (planned, meant) else {
        return planned == meant;
    };
    let bits = [planned, meant].map(|file| file.mode.bits);
    let is_as_new = bits.contains(&None)
        && bits
            .iter()
            .flatten()
            .all(|bits| matches!(bits, 0o644 | 0o664 | 0o755 | 0o775))
        && planned.mode.executable == meant.mode.executable;
    (is_as_new || planned.mode == meant.mode) && planned.content == meant.content
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

impl Notes {
    /// Returns the notes of a change, each once.
    fn of(&self, change: &Change) -> Vec<&BString> {
        match self {
            Notes::None => Vec::new(),
            Notes::One(note) => vec![note],
            Notes::Each(each) => {
                let paths = change.from.iter().chain([&change.path]);
                let mut notes = Vec::new();
                for note in paths.filter_map(|path| each.get(path)).flatten() {
                    if !notes.contains(&note) {
                        notes.push(note);
                    }
                }
                notes
            }
        }
    }
}

/// Puts notes to the edits of OPX, in order; where a file has more notes than edits, its last edit
/// gets the rest together.
fn note(patch: &mut Patch<'_>, changes: &ChangeSet, notes: &Notes) {
    fn file<'e>(edit: &'e FileEdit<'_>) -> &'e [u8] {
        edit.destination().unwrap_or(&edit.path)
    }
    for edits in patch
        .edits
        .chunk_by_mut(|one, next| file(one) == file(next))
    {
        let is_its = |change: &&Change| change.path.as_bytes() == file(&edits[0]);
        let notes = changes.iter().find(is_its).map(|change| notes.of(change));
        let notes = notes.unwrap_or_default();
        let count = edits.len();
        for (at, edit) in edits.iter_mut().enumerate() {
            let from = at.min(notes.len().saturating_sub(1));
            let end = if at + 1 == count {
                notes.len()
            } else {
                from + 1
            };
            let own = notes.get(from..end).unwrap_or_default();
            let note = bstr::join("; ", own);
            edit.why = Some(note)
                .filter(|note| !note.trim().is_empty())
                .map(Text::derived);
        }
    }
}

/// Writes notes as prose: each once, behind the path that it is about.
fn as_prose(notes: &Notes) -> Vec<u8> {
    let each = match notes {
        Notes::None => return Vec::new(),
        Notes::One(note) => return [&note[..], b"\n\n"].concat(),
        Notes::Each(each) => each,
    };
    let mut met = HashSet::new();
    let mut text = Vec::new();
    for (path, notes) in each {
        for note in notes.iter().filter(|note| met.insert(*note)) {
            let words = bstr::join(" ", note.fields());
            text.extend([b"- ", path.as_bytes(), b": ", &words, b"\n"].concat());
        }
    }
    if !text.is_empty() {
        text.push(b'\n');
    }
    text
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
