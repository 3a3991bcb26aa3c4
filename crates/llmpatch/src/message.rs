//! The commit message that a change gets when the user writes none: from the notes of its edits,
//! else from what it does.
//!
//! It is plain text, meant for a commit that cleans up whitespace only (`--cleanup=whitespace`): a
//! note may begin with `#`, and a line of it may after folding. Within a note, control characters
//! become spaces and bytes that aren't UTF-8 become U+FFFD, so that a message is always text.
//!
//! Decisions: a cut subject gets no ellipsis, since all of it is right below. A note that several
//! edits share is listed with the path of the first. A rename counts as one file.

use std::collections::HashSet;

use bstr::{BString, ByteSlice as _};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::patch::Patch;
use crate::path::RepoPath;
use crate::plan::{Change, ChangeSet, FileOperation};
use crate::text::Shown;

/// How many columns a line may have, the subject included.
const COLUMNS: usize = 72;
/// How many files a subject lists by name; more are counted.
const LISTED: usize = 3;

/// Composes the message of a commit of one change. It ends with a newline.
pub fn compose(patches: &[Patch<'_>], changes: &ChangeSet) -> BString {
    let notes = Note::distinct(patches);
    let message = match &notes[..] {
        [] => from_operations(changes),
        [only] => with_subject(&only.text),
        several => {
            let edits = patches.iter().map(|patch| patch.edits.len()).sum();
            let subject = format!(
                "Apply {} to {}",
                count(edits, "edit"),
                count(changes.files().count(), "file")
            );
            let bullets = several
                .iter()
                .map(|note| wrap(&format!("- {}: {}", note.path, note.text), "  "));
            format!("{subject}\n\n{}", bullets.collect::<String>())
        }
    };
    (message + &trailers(patches)).into()
}

/// Names the authors of review comments, each once.
fn trailers(patches: &[Patch<'_>]) -> String {
    let edits = patches.iter().flat_map(|patch| &patch.edits);
    let records = edits.filter_map(|edit| edit.record.as_ref());
    let comments = records.filter_map(|record| record.comment.as_ref());
    let mut authors: Vec<_> = comments.flat_map(|comment| &comment.authors).collect();
    authors.sort();
    authors.dedup();
    let lines = authors
        .iter()
        .map(|author| format!("Co-authored-by: {author}\n"));
    let lines: String = lines.collect();
    if authors.is_empty() {
        lines
    } else {
        format!("\n{lines}")
    }
}

/// A note on one line, and the path of the first edit that has it.
struct Note {
    path: String,
    text: String,
}

impl Note {
    /// Lists what the authors of edits noted, in order, each text once; a note of nothing but
    /// whitespace is none.
    fn distinct(patches: &[Patch<'_>]) -> Vec<Note> {
        let mut met = HashSet::new();
        let mut notes = Vec::new();
        for edit in patches.iter().flat_map(|patch| &patch.edits) {
            let text = edit.why.as_ref().map(|why| fold(why)).unwrap_or_default();
            if !text.is_empty() && met.insert(text.clone()) {
                let path = edit.path.strip_prefix(b"./").unwrap_or(&edit.path);
                notes.push(Note {
                    path: Shown(path).to_string(),
                    text,
                });
            }
        }
        notes
    }
}

/// Puts a text on one line: every run of whitespace and control characters becomes one space.
fn fold(text: &[u8]) -> String {
    let text = text.to_str_lossy();
    let words = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Makes a message of one line, which is also in the body, whole, if it is too long for a subject.
fn with_subject(line: &str) -> String {
    if line.width() <= COLUMNS {
        return format!("{line}\n");
    }
    format!("{}\n\n{}", cut(line), wrap(line, ""))
}

/// Cuts a line that is too long after the last word that fits, or inside its first word if even
/// that is too long.
fn cut(line: &str) -> &str {
    let mut width = 0;
    let mut end = 0;
    for (at, c) in line.char_indices() {
        width += c.width().unwrap_or(0);
        if width > COLUMNS {
            break;
        }
        end = at + c.len_utf8();
    }
    let fits = &line[..end];
    if end == line.len() || line[end..].starts_with(' ') {
        return fits;
    }
    fits.rfind(' ').map_or(fits, |blank| &fits[..blank])
}

/// Breaks a line at spaces, with an indent before every line but the first. A word that is too long
/// stays whole, since it is likely a path or an address. Ends with a newline.
fn wrap(line: &str, indent: &str) -> String {
    let mut out = String::new();
    let mut width = 0;
    for word in line.split(' ') {
        if out.is_empty() {
            width = word.width();
        } else if width + 1 + word.width() <= COLUMNS {
            out.push(' ');
            width += 1 + word.width();
        } else {
            out.push('\n');
            out.push_str(indent);
            width = indent.width() + word.width();
        }
        out.push_str(word);
    }
    out.push('\n');
    out
}

/// Makes a message from what is done: the files by name if they are few and fit, else how many and
/// where.
fn from_operations(changes: &ChangeSet) -> String {
    let files: Vec<_> = changes.files().collect();
    if files.is_empty() {
        return "Change nothing\n".to_owned();
    }
    let named = join_verbs(&files, |these| {
        and(these.iter().map(|change| object(change, shown)).collect())
    });
    if files.len() <= LISTED && named.width() <= COLUMNS {
        return named + "\n";
    }
    if let [only] = files[..] {
        // A path has no space to cut at: its last part says more than its first.
        let line = join_verbs(&files, |_| {
            object(only, |path| Shown(path.name()).to_string())
        });
        return format!("{}\n\n{}", cut(&line), wrap(&named, ""));
    }
    let counted = counted(&files);
    match common_directory(&files) {
        Some(directory) => {
            let line = format!("{counted} in {}", shown(&directory));
            if line.width() <= COLUMNS {
                line + "\n"
            } else {
                counted + "\n"
            }
        }
        None => counted + "\n",
    }
}

/// What a message says of the operations, in its order.
const VERBS: [(FileOperation, &str); 4] = [
    (FileOperation::Added, "add"),
    (FileOperation::Modified, "update"),
    (FileOperation::Renamed, "rename"),
    (FileOperation::Deleted, "delete"),
];

/// Names a file, and what it was before a rename.
fn object(change: &Change, name: impl Fn(&RepoPath) -> String) -> String {
    match &change.from {
        Some(from) => format!("{} to {}", name(from), name(&change.path)),
        None => name(&change.path),
    }
}

fn shown(path: &RepoPath) -> String {
    Shown(path.as_bytes()).to_string()
}

/// Says each verb with its objects, additions first: `Add a and b, delete c`.
fn join_verbs(files: &[&Change], mut objects: impl FnMut(&[&Change]) -> String) -> String {
    let said = VERBS.iter().filter_map(|(operation, verb)| {
        let these = files.iter().filter(|file| file.operation() == *operation);
        let these: Vec<&Change> = these.copied().collect();
        (!these.is_empty()).then(|| format!("{verb} {}", objects(&these)))
    });
    let mut line = said.collect::<Vec<_>>().join(", ");
    if let Some(first) = line.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    line
}

/// Says how many files: `Update 7 files`, `Add 2 files, update 4, delete 1`.
fn counted(files: &[&Change]) -> String {
    let mut is_first = true;
    join_verbs(files, |these| {
        if std::mem::take(&mut is_first) {
            count(these.len(), "file")
        } else {
            these.len().to_string()
        }
    })
}

/// Returns the deepest directory that holds every path, old paths of renames included; `None` for
/// the top.
fn common_directory(files: &[&Change]) -> Option<RepoPath> {
    let mut paths = files
        .iter()
        .flat_map(|change| std::iter::once(&change.path).chain(&change.from));
    let first = paths.next()?;
    let rest: Vec<_> = paths.collect();
    first
        .ancestors()
        .find(|directory| rest.iter().all(|path| path.is_below(directory)))
}

fn and(mut names: Vec<String>) -> String {
    let last = names.pop().unwrap_or_default();
    if names.is_empty() {
        last
    } else {
        format!("{} and {last}", names.join(", "))
    }
}

fn count(n: usize, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
