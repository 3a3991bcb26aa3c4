//! What planning can find wrong, as data: what is said of it beside its headline is made in
//! `explain/`.

use bstr::BString;

use super::applied::Applied;
use super::conflict::Conflict;
use super::guard::Barrier;
use super::link::LinkFault;
use super::merge::Unmerged;
use super::place_error::Unplaced;
use super::suggest::Suggestion;
use crate::kind::Kind;
use crate::patch::{BinaryFault, Format};
use crate::path::{PathError, RepoPath};
use crate::search::Fuzz;
use crate::text::{LineNo, Shown, Span, listed, plural};
use crate::tree::{Content, Gone, Obstacle, Remedy, Repair, TreeError, Withheld};

/// Why a response can't be applied to this tree.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Debug, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum Error {
    /// A path that is unsafe by its spelling, or that can hardly be meant for a new file; `meant`
    /// is the tracked path that may be meant, `directory` where paths begin, and `session` the
    /// directory that the response says it was written in.
    #[error("{error}")]
    #[strum(props(kind = "unsafe-path"))]
    Path {
        written: BString,
        error: PathError,
        meant: Option<RepoPath>,
        directory: BString,
        session: Option<BString>,
    },
    /// A path that responses may not touch.
    #[error(transparent)]
    #[strum(props(kind = "protected"))]
    Guarded(Barrier),
    /// This file isn't there.
    #[error("`{_0}` {_1}")]
    #[strum(props(kind = "file-missing"))]
    Missing(RepoPath, Missing),
    /// Something is where this new file should be.
    #[error("`{_0}` {_1}")]
    #[strum(props(kind = "file-exists"))]
    Occupied(RepoPath, Occupied),
    /// Something that is no regular file is at this path or above it.
    #[error("`{_0}` {_1}")]
    #[strum(props(kind = "unsafe-path"))]
    Irregular(RepoPath, Irregular),
    /// Lines are to be inserted by a line number of the file that the model saw, and nobody knows
    /// that file.
    #[error(
        "only a line number says where lines are added to `{path}`, and without a base nobody knows what the number counts"
    )]
    #[strum(props(
        kind = "unsupported",
        help = "name the state that the model saw (`--base=<tree>`), or ask for the change by `str_replace`",
        advice = "use `str_replace` with a line of the file, and put the new lines beside it"
    ))]
    NoBase { path: RepoPath },
    /// The copies of a file have too many bytes.
    #[error("the copies of `{path}` have more bytes than a response may add")]
    #[strum(props(
        kind = "unsupported",
        help = "make fewer places of it, in edits with more of the text around each; LIMITS in `git llmpatch help` says how much may be added"
    ))]
    TooMuch { path: RepoPath },
    /// Lines of a binary file can't be changed. Its content, if it has been looked at.
    #[error("`{path}` is a binary file, of which no lines can be changed")]
    #[strum(props(
        kind = "binary",
        help = "replace, delete or move the file as a whole",
        advice = "leave the file out of the patch; it can be deleted or moved, but only as a whole"
    ))]
    Binary {
        path: RepoPath,
        content: Option<Content>,
    },
    /// A file that isn't what a binary patch is of: the file's id, and the id in the patch.
    #[error(
        "`{path}` isn't the file that this binary patch is of: its id is {id}, and the patch says {patch}"
    )]
    #[strum(props(
        kind = "stale",
        help = "the file has changed since the patch was made; ask for a patch of the file as it is",
        advice = "make the patch of the file as it is now, or leave the file out"
    ))]
    OtherContent {
        path: RepoPath,
        id: String,
        patch: String,
    },
    /// A binary patch that can't be unpacked.
    #[error("the binary patch of `{path}` can't be used: {fault}")]
    #[strum(props(
        kind = "parse",
        help = "ask for the patch again, as `git diff --binary` prints it",
        advice = "leave the file out: a binary patch must be as `git diff --binary` prints it, to the letter"
    ))]
    Unpacked { path: RepoPath, fault: BinaryFault },
    /// A binary patch that makes another content than the one whose id it gives.
    #[error("the binary patch of `{path}` comes to another file than the line `index` says")]
    #[strum(props(
        kind = "parse",
        help = "ask for the patch again, as `git diff --binary` prints it",
        advice = "leave the file out: a binary patch must be as `git diff --binary` prints it, to the letter"
    ))]
    OtherResult { path: RepoPath },
    /// A file that a binary patch can't be applied to, since git stores it otherwise.
    #[error(
        "`{path}` is stored otherwise than it is here, so that no binary patch can be applied to it"
    )]
    #[strum(props(
        kind = "unsupported",
        help = "replace, delete or move the file as a whole",
        advice = "leave the file out of the patch"
    ))]
    KeptOtherwise { path: RepoPath },
    /// A link that must not be made.
    #[error("`{path}` would be a link to `{}`, {fault}", Shown(target))]
    #[strum(props(
        kind = "unsafe-path",
        help = "let the link lead to a path in the work tree, as it is seen from the link's own directory, with `\\ No newline at end of file` below it"
    ))]
    Link {
        path: RepoPath,
        target: BString,
        fault: LinkFault,
    },
    /// A link where no links can be made.
    #[error("`{path}` would be a symbolic link, and none are made here")]
    #[strum(props(
        kind = "unsupported",
        help = "make the link by hand, and take this section out"
    ))]
    NoLinks { path: RepoPath },
    /// A line that was read as the patch's end, although this file has such a line.
    #[error(
        "`{}` with a space before it may be the end of the patch or a line of `{path}`, which has such a line",
        Shown(end)
    )]
    #[strum(props(kind = "parse", label = "the end, or a line that stays?"))]
    EndInFile { path: RepoPath, end: BString },
    /// A line in UTF-8 for a file that isn't; `fits` is the only encoding in which both can be.
    #[error("`{path}` isn't UTF-8, and this line would be")]
    #[strum(props(
        kind = "encoding",
        label = "has characters beyond ASCII",
        help = "say in `.gitattributes` which encoding it is in (`working-tree-encoding=<encoding>`), and apply again: git then converts both; or keep to ASCII",
        advice = "write the new lines of this file in ASCII only: it isn't UTF-8"
    ))]
    Encoding {
        path: RepoPath,
        fits: Option<&'static str>,
    },
    /// A hunk or a find that can't be placed.
    #[error(transparent)]
    Place(Box<Unplaced>),
    /// Lines that an earlier edit of the response changes.
    #[error(transparent)]
    #[strum(props(kind = "conflict"))]
    Conflict(Box<Conflict>),
    /// The file's content isn't what the delete section shows: `line` is the first line that
    /// differs.
    #[error(
        "`{path}` isn't the file that this section wants to delete: its content differs from the `-` lines"
    )]
    #[strum(props(
        kind = "stale",
        label = "different in the file",
        help = "the file has changed since the model saw it; look at it, and drop the `-` lines if it may go",
        advice = "if the file as it is shown here may go, delete it without the `-` lines; else leave it alone"
    ))]
    DeleteDiffers {
        path: RepoPath,
        line: LineNo,
        seen: FileAsFound,
    },
    /// The delete section shows more lines than the file has.
    #[error(
        "`{path}` isn't the file that this section wants to delete: it holds fewer lines than the section shows"
    )]
    #[strum(props(
        kind = "stale",
        label = "the file ends before this",
        help = "the file has changed since the model saw it; look at it, and drop the `-` lines if it may go",
        advice = "if the file as it is shown here may go, delete it without the `-` lines; else leave it alone"
    ))]
    DeleteShorter { path: RepoPath, seen: FileAsFound },
    /// A section of a unified diff that deletes a file and doesn't show all of it.
    #[error("`{path}` is to be deleted, but {left} line{} of it would be left", plural(*.left))]
    #[strum(props(
        kind = "stale",
        help = "the file has changed since the model saw it, or the section doesn't show it whole; look at it",
        advice = "show every line of the file with `-` before it; if some are to stay, don't delete it"
    ))]
    DeleteLeaves {
        path: RepoPath,
        left: usize,
        seen: FileAsFound,
    },
    /// All hunks of the response are applied already.
    #[error(
        "already applied: {}{} {} as the patch wants {}",
        all_of(.applied.hunks), quoted(.paths), is_or_are(.paths), it_or_them(.paths)
    )]
    #[strum(props(
        kind = "unchanged",
        help = "--allow-empty makes that a success",
        advice = "if something else was meant, send a patch that does it"
    ))]
    AlreadyApplied {
        paths: Vec<RepoPath>,
        applied: Applied,
    },
    /// Nothing would change.
    #[error("nothing to do: {} {} already as the patch wants {}", quoted(.paths), is_or_are(.paths), it_or_them(.paths))]
    #[strum(props(
        kind = "unchanged",
        help = "--allow-empty makes that a success",
        advice = "if something else was meant, send a patch that does it"
    ))]
    NothingToDo { paths: Vec<RepoPath> },
    /// Edits take back what others do.
    #[error(
        "nothing to do: the edits cancel each other out, and {} {} as {}",
        quoted(.paths), is_or_are(.paths), if let [_] = paths[..] { "it was" } else { "they were" }
    )]
    #[strum(props(
        kind = "unchanged",
        help = "--allow-empty makes that a success",
        advice = "if something else was meant, send a patch that does it"
    ))]
    CancelsOut { paths: Vec<RepoPath> },
    /// The file has changed since the base, and the change can't be made of what it is now.
    #[error("`{path}` can't be merged: {why}")]
    #[strum(props(kind = "stale"))]
    Unmerged { path: RepoPath, why: Unmerged },
    /// The tree can't be read, or isn't fit for this change.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

/// Why a file isn't there.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
pub enum Missing {
    /// It never was; what may be meant.
    #[error("doesn't exist")]
    Never(Box<Suggestion>),
    /// It is known, but isn't there, which is as it should be if it `is_to_go`.
    #[error("{}", match gone { Gone::NotInBase(how) => how.to_string(), Gone::Unstaged => "isn't in the index, though HEAD has it".to_owned(), Gone::Unadded => "isn't in the index, though the work tree has it".to_owned(), _ => "isn't in the work tree, though git tracks it".to_owned() })]
    Tracked { gone: Gone, is_to_go: bool },
    /// This file is where its directory would have to be.
    #[error("can't exist, since `{_0}` is a file")]
    #[strum(props(help = "correct the path in the patch"))]
    BelowFile(RepoPath),
    /// An earlier edit of the response deleted it, at this place.
    #[error("was deleted by an earlier edit of this response")]
    #[strum(props(
        help = "put this edit before the one that deletes the file, or drop one of them"
    ))]
    Deleted(Option<Span>),
    /// An earlier edit of the response, `by`, moved it.
    #[error("was moved to `{to}` by an earlier edit of this response")]
    Moved { to: RepoPath, by: Option<Span> },
}

/// What is in the way of a new file.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
pub enum Occupied {
    /// A file with this content, where an edit in a format makes a new file.
    #[error("exists already{}", if *has_other_ends { ", and differs from the new file only in how its lines end" } else { "" })]
    File {
        content: Content,
        format: Format,
        has_other_ends: bool,
    },
    /// A file that holds this, where another is to be moved or copied to.
    #[error("exists already")]
    #[strum(props(
        help = "choose another path, delete the file that is there first in the same patch, or run with --overwrite",
        advice = "choose another path, or delete the file that is there first in the same patch"
    ))]
    Target(Content),
    /// A file that the edit at this place, earlier in the response, put there.
    #[error("was put there by an earlier edit of this response")]
    #[strum(props(
        help = "leave one of the two out, or change the lines of the new file in this one"
    ))]
    Made(Span),
    /// A directory that holds this file, among others perhaps.
    #[error("is a directory that holds `{_0}`")]
    #[strum(props(help = "choose another path, or move what is in the way"))]
    Directory(RepoPath),
    /// This file, where a directory is needed.
    #[error("can't be made, since `{_0}` is a file")]
    #[strum(props(help = "choose another path, or move what is in the way"))]
    FileAbove(RepoPath),
    /// A path that differs only in case, where that is the same file.
    #[error("differs from `{_0}` only in case")]
    #[strum(props(
        help = "choose another name: core.ignoreCase says that the two would be one file",
        advice = "choose another name, or change the file that is there: the two would be one file"
    ))]
    Twin(RepoPath),
}

/// Why there can't be a regular file at a path.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Irregular {
    /// It is a directory.
    #[error("is a directory")]
    Directory,
    /// It is something else.
    #[error("is {_0}")]
    Other(Obstacle),
    /// Something above it, `at`, is no directory.
    #[error("can't be used, since `{at}` is {what}")]
    Below { at: RepoPath, what: Obstacle },
}

/// A file as an edit found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileAsFound {
    /// What it holds.
    pub content: Content,
    /// Whether it is so only since earlier edits of the response, which aren't made.
    pub is_left: bool,
}

impl Error {
    /// Returns why no lines of a file can be changed, if none can.
    pub(super) fn no_text(path: &RepoPath, content: &Content) -> Option<Self> {
        let path = path.clone();
        if let Some(Withheld { what, by }) = content.why_withheld().cloned() {
            let remedy = Remedy::Repository(Repair::Content(by));
            return Some(Error::Tree(TreeError::Unsupported { path, what, remedy }));
        }
        content.is_binary().then(|| Error::Binary {
            path,
            content: Some(content.clone()),
        })
    }

    /// Returns what is wrong with the binary patch of a file.
    pub(super) fn unpacked(path: &RepoPath, fault: BinaryFault) -> Self {
        let path = path.clone();
        Error::Unpacked { path, fault }
    }

    /// Returns the stable kind.
    pub fn kind(&self) -> Kind {
        match self {
            Error::Place(unplaced) => unplaced.error.kind(),
            Error::Tree(error) => error.kind(),
            _ => Kind::at_variant(self).unwrap_or(Kind::Io),
        }
    }

    /// Returns how many bytes of a file it keeps that is so only since earlier edits of the
    /// response.
    pub(super) fn held(&self) -> usize {
        match self {
            Error::Place(unplaced) if unplaced.seen.is_left => unplaced.seen.content.len(),
            _ => 0,
        }
    }

    /// Returns the level of fuzz at which what it is about would have a place.
    pub(super) fn at_level(&self) -> Option<Fuzz> {
        match self {
            Error::Place(unplaced) => unplaced.at_level.map(|(_, level)| level),
            _ => None,
        }
    }
}

fn all_of(hunks: usize) -> String {
    if hunks == 0 {
        String::new()
    } else {
        format!("{hunks} of {hunks} hunk{}; ", plural(hunks))
    }
}

fn quoted(paths: &[RepoPath]) -> String {
    listed(paths.iter().map(|path| format!("`{path}`")), paths.len())
}

fn is_or_are(paths: &[RepoPath]) -> &'static str {
    if paths.len() == 1 { "is" } else { "are" }
}

fn it_or_them(paths: &[RepoPath]) -> &'static str {
    if paths.len() == 1 { "it" } else { "them" }
}
