//! What planning can find wrong.

use std::num::NonZeroUsize;

use bstr::{BString, ByteSlice as _};

use super::alike::Difference;
use super::wording::{absence, behind, difference, files, hunk, places_of, presence, times, unfit};
use crate::explain::{Explain, FilePlace, Nearest};
use crate::kind::Kind;
use crate::path::{PathFault, RepoPath};
use crate::text::{LineNo, Lines, Shown};
use crate::tree::{Disagreement, Obstacle, TreeFault};

/// Why a response can't be applied to this tree.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A path that is unsafe by its spelling, or that can hardly be meant for a new file.
    #[error("{fault}")]
    Path {
        /// The path as the response wrote it.
        written: BString,
        /// What is wrong with it.
        fault: PathFault,
    },
    /// The file isn't there.
    #[error("`{path}` {}", absence(.why))]
    Missing {
        /// The file.
        path: RepoPath,
        /// Why it isn't there.
        why: Absence,
    },
    /// Something is there already.
    #[error("`{path}` {}", presence(.what))]
    Exists {
        /// The path of the new file.
        path: RepoPath,
        /// What is in its way.
        what: Presence,
    },
    /// Something that is no regular file, at the path or above it.
    #[error("`{path}` {}", unfit(.at, *.what))]
    Unfit {
        /// The path.
        path: RepoPath,
        /// The ancestor that is no folder, if it isn't the path itself.
        at: Option<RepoPath>,
        /// What stands there; `None` for a folder.
        what: Option<Obstacle>,
    },
    /// Lines of a binary file can't be changed.
    #[error("`{path}` is a binary file, of which no lines can be changed")]
    Binary {
        /// The file.
        path: RepoPath,
    },
    /// A hunk that can't be placed.
    #[error("{} of `{path}` {miss}", hunk(*.number))]
    Hunk {
        /// The file.
        path: RepoPath,
        /// Which hunk of its section, from 1; 0 for a find.
        number: usize,
        /// Why not.
        miss: Miss,
    },
    /// The file isn't the one whose content the delete section shows.
    #[error("`{path}` isn't the file that this section wants to delete: {}", difference(.line))]
    DeleteBody {
        /// The file.
        path: RepoPath,
        /// The first line of the body that differs from the file, and the file's line there, if it has one.
        line: Option<FilePlace>,
    },
    /// Nothing would change.
    #[error("nothing to do: {} already as the patch wants {}", files(.paths), if .paths.len() == 1 { "it" } else { "them" })]
    Unchanged {
        /// The files that the response names.
        paths: Vec<RepoPath>,
    },
    /// The tree can't be read, or isn't fit for this change.
    #[error(transparent)]
    Tree(#[from] TreeFault),
}

/// Why a file isn't there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absence {
    /// It never was.
    Never {
        /// The one tracked path that may be meant.
        meant: Option<RepoPath>,
    },
    /// Git tracks it, but it isn't in the work tree: somebody deleted it, or sparse checkout left it out.
    Tracked,
    /// A file stands where its folder would have to be.
    BelowFile(RepoPath),
    /// An earlier edit of the response deleted it.
    Deleted,
    /// An earlier edit of the response moved it.
    Moved(RepoPath),
}

/// What is in the way of a new file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presence {
    /// A file.
    File,
    /// A folder that holds this file, among others perhaps.
    Folder(RepoPath),
    /// A file where a folder is needed.
    FileAbove(RepoPath),
    /// A path that differs only in case, where that is the same file.
    Twin(RepoPath),
}

/// Why a hunk, or a find, has no place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Miss {
    /// The context line isn't in the file.
    #[error("names a context line that isn't in the file: `{}`", Shown(.text))]
    Context {
        /// The context line.
        text: BString,
        /// The first few lines that a looser reading finds, if they are several.
        loose: Vec<FilePlace>,
        /// The numbers of all of them.
        places: Vec<LineNo>,
        /// How many those are.
        count: usize,
    },
    /// The context line stands only before the hunks that came before.
    #[error(
        "names a context line that stands only on line {at}, before the previous hunk; hunks must follow the file's order"
    )]
    ContextEarlier {
        /// Where it stands.
        at: LineNo,
        /// That line.
        place: FilePlace,
    },
    /// The lines are nowhere at or after the cursor.
    #[error("matches no lines {}", behind(*.after))]
    Lines {
        /// The line behind which they are looked for; `None` for the whole file.
        after: Option<LineNo>,
        /// What is known of why.
        reason: Reason,
    },
    /// The lines aren't at the end of the file.
    #[error("isn't at the end of the file, where `*** End of File` wants it")]
    NotAtEnd {
        /// A place where the lines do stand.
        stands: Option<FilePlace>,
    },
    /// Several places match and nothing decides.
    #[error("matches {count} places, and nothing says which is meant: {}", places_of(.places, *.count, *.because))]
    Many {
        /// The places, up to [`crate::explain::CANDIDATES`].
        places: Vec<LineNo>,
        /// How many there are.
        count: usize,
        /// Why that matters here.
        because: Because,
    },
    /// The lines stand at the context line and again behind it.
    #[error("matches at its context line {context} and again on line {behind}, and nothing says which is meant")]
    RestatedTwice {
        /// The context line.
        context: LineNo,
        /// The other place.
        behind: LineNo,
    },
    /// Added lines with nothing to say where they go.
    #[error("only adds lines, and its line numbers mean nothing in this format")]
    Nowhere,
    /// An occurrence that isn't there.
    #[error("asks for occurrence {wanted}, and the text occurs {}", times(*.count))]
    OutOfRange {
        /// Which was asked for.
        wanted: NonZeroUsize,
        /// How many there are.
        count: usize,
    },
    /// Two hunks change the same lines.
    #[error("changes lines that another hunk changes too")]
    Overlap,
}

/// Why lines that the patch says are there aren't.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// This line of the hunk is nowhere in the file; the span of the message points at it.
    NoSuchLine,
    /// Each line is in the file, but not in this order one after the other.
    NotTogether,
    /// Lines that look the same stand in the file; the span of the message points at the first that isn't the same.
    Alike {
        /// The file's line.
        place: FilePlace,
        /// Where the two differ.
        difference: Difference,
    },
    /// They stand earlier than where this hunk may go: before its own context line, or before what earlier hunks reached.
    Earlier {
        /// Where they stand.
        place: FilePlace,
        /// The hunk's context line, if it names one.
        context: Option<LineNo>,
    },
    /// The file is empty.
    EmptyFile,
}

/// Why several places are too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// A find without `occurrence`.
    Find,
    /// Line numbers in the hunk's header claim a place.
    Numbers,
    /// `--unique`
    Unique,
}

impl Explain for Fault {
    fn kind(&self) -> Kind {
        match self {
            Fault::Path { fault, .. } => fault.kind(),
            Fault::Unfit { .. } => Kind::UnsafePath,
            Fault::Missing { .. } => Kind::FileMissing,
            Fault::Exists { .. } => Kind::FileExists,
            Fault::Binary { .. } => Kind::Binary,
            Fault::Hunk { miss, .. } => match miss {
                Miss::Context { .. } | Miss::ContextEarlier { .. } => Kind::ContextNotFound,
                Miss::Lines { .. } | Miss::NotAtEnd { .. } => Kind::LinesNotFound,
                Miss::Many { .. } | Miss::RestatedTwice { .. } | Miss::Nowhere => Kind::Ambiguous,
                Miss::OutOfRange { .. } => Kind::Occurrence,
                Miss::Overlap => Kind::Conflict,
            },
            Fault::DeleteBody { .. } => Kind::Stale,
            Fault::Unchanged { .. } => Kind::Unchanged,
            Fault::Tree(fault) => match fault {
                TreeFault::Disagrees { .. } => Kind::Stale,
                TreeFault::Unmerged { .. } => Kind::Conflict,
                TreeFault::Unsupported { .. } => Kind::Unsupported,
                TreeFault::Io { .. } => Kind::Io,
            },
        }
    }

    fn label(&self) -> Option<String> {
        let label = match self {
            Fault::Hunk { miss, .. } => match miss {
                Miss::Context { .. } => "this line is not there",
                Miss::ContextEarlier { .. } => "stands earlier",
                Miss::Lines { reason: Reason::NoSuchLine, .. } => "this line is not in the file",
                Miss::Lines { reason: Reason::Alike { .. }, .. } => "this line differs",
                Miss::Lines { reason: Reason::Earlier { .. }, .. } => "stands earlier",
                Miss::Lines { .. } => "from here on",
                Miss::NotAtEnd { .. } => "not at the end of the file",
                Miss::Many { .. } | Miss::RestatedTwice { .. } => "which one?",
                Miss::Nowhere => "where?",
                Miss::OutOfRange { .. } | Miss::Overlap => return None,
            },
            Fault::DeleteBody { .. } => "differs here",
            _ => return None,
        };
        Some(label.into())
    }

    fn path(&self) -> Option<BString> {
        match self {
            Fault::Path { written, .. } => Some(written.clone()),
            Fault::Missing { path, .. }
            | Fault::Exists { path, .. }
            | Fault::Unfit { path, .. }
            | Fault::Binary { path }
            | Fault::Hunk { path, .. }
            | Fault::DeleteBody { path, .. } => Some(path.as_bstr().into()),
            Fault::Unchanged { paths } => match &paths[..] {
                [path] => Some(path.as_bstr().into()),
                _ => None,
            },
            Fault::Tree(fault) => Some(fault.path().as_bstr().into()),
        }
    }

    fn places(&self) -> Vec<FilePlace> {
        match self {
            Fault::Hunk { miss, .. } => match miss {
                Miss::Context { loose, .. } => loose.clone(),
                Miss::ContextEarlier { place, .. } => vec![place.clone()],
                Miss::Lines { reason: Reason::Earlier { place, .. }, .. } => vec![place.clone()],
                Miss::Lines { reason: Reason::Alike { place, .. }, .. } => vec![place.clone()],
                Miss::NotAtEnd { stands } => stands.iter().cloned().collect(),
                _ => Vec::new(),
            },
            Fault::DeleteBody { line, .. } => line.iter().cloned().collect(),
            _ => Vec::new(),
        }
    }

    fn nearest(&self) -> Option<Nearest> {
        let place = match self {
            Fault::Hunk { miss, .. } => match miss {
                Miss::ContextEarlier { place, .. } | Miss::NotAtEnd { stands: Some(place) } => place,
                Miss::Lines { reason: Reason::Earlier { place, .. } | Reason::Alike { place, .. }, .. } => place,
                _ => return None,
            },
            Fault::DeleteBody { line, .. } => line.as_ref()?,
            _ => return None,
        };
        Some(Nearest::new(place.line, place.line, &place.text))
    }

    fn candidates(&self) -> Vec<LineNo> {
        match self {
            Fault::Hunk { miss: Miss::Many { places, .. } | Miss::Context { places, .. }, .. } => places.clone(),
            Fault::Hunk { miss: Miss::RestatedTwice { context, behind }, .. } => vec![*context, *behind],
            _ => Vec::new(),
        }
    }

    fn notes(&self) -> Vec<String> {
        match self {
            Fault::Missing { why: Absence::Never { meant: Some(meant) }, .. } => {
                vec![format!("did you mean `{meant}`?")]
            }
            Fault::Hunk { miss, .. } => match miss {
                Miss::Context { loose, count, .. } if *count > loose.len() => {
                    vec![format!("{} more lines hold that text", count - loose.len())]
                }
                Miss::Lines { reason: Reason::Earlier { context: Some(line), .. }, .. } => {
                    vec![format!("its context line is line {line}, and a hunk's lines come after that")]
                }
                Miss::Lines { reason: Reason::NotTogether, .. } => {
                    vec!["every one of these lines is in the file, but they don't follow one another there".into()]
                }
                Miss::Lines { reason: Reason::Alike { difference, .. }, .. } => vec![difference.to_string()],
                Miss::Lines { reason: Reason::EmptyFile, .. } => vec!["the file is empty".into()],
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Fault::Path { fault, .. } => return fault.help(),
            Fault::Missing { why, .. } => match why {
                Absence::Never { meant: Some(_) } => "correct the path in the patch",
                Absence::Never { meant: None } => {
                    "paths count from the top of the repository; correct it, or let the patch add the file"
                }
                Absence::Tracked => {
                    "bring it back with `git restore`, or with `git sparse-checkout add` if that left it out"
                }
                Absence::BelowFile(_) => "correct the path in the patch",
                Absence::Deleted => "put this edit before the one that deletes the file, or drop one of them",
                Absence::Moved(to) => return Some(format!("name it `{to}` from there on")),
            },
            Fault::Exists { what, .. } => match what {
                Presence::File => "let the patch update or replace the file, delete it first, or run with --overwrite",
                Presence::Folder(_) | Presence::FileAbove(_) => {
                    "choose another path, or delete what is in the way in the same patch"
                }
                Presence::Twin(_) => "choose another name: core.ignoreCase says that the two would be one file",
            },
            Fault::Unfit { what: None, .. } => "name a file in that folder",
            Fault::Unfit { what: Some(Obstacle::Repository), .. } => {
                "its files are changed in that repository; to remove a submodule, use `git rm`"
            }
            Fault::Unfit { .. } => "name the regular file itself, inside this repository",
            Fault::Binary { .. } => "replace, delete or move the file as a whole",
            Fault::Hunk { miss, .. } => match miss {
                Miss::Context { .. } => "give a whole line of the file after `@@`, or drop it",
                Miss::ContextEarlier { .. } => "put the hunks into the file's order, or into a section of their own",
                Miss::Lines { reason: Reason::Earlier { context: Some(_), .. }, .. } => {
                    "give a context line that comes before these lines, or drop it"
                }
                Miss::Lines { reason: Reason::Earlier { context: None, .. }, .. } => {
                    "put the hunks into the file's order, or into a section of their own"
                }
                Miss::Lines { .. } => {
                    "old lines must be in the file byte for byte; correct them, or send this message to the author"
                }
                Miss::NotAtEnd { .. } => "drop `*** End of File`, or give the file's last lines",
                Miss::Many { because, .. } => match because {
                    Because::Find => "give more of the text around it, or occurrence=\"first\", \"last\" or a number",
                    Because::Numbers => {
                        "give more lines around the change, or a context line after `@@` instead of numbers"
                    }
                    Because::Unique => "give more lines around the change, or a context line after `@@`",
                },
                Miss::RestatedTwice { .. } => "give more lines around the change, or another context line",
                Miss::Nowhere => {
                    "give a line of context next to the added ones, or a context line after `@@` instead of numbers"
                }
                Miss::OutOfRange { .. } => "correct the number, or give more of the text around it and no occurrence",
                Miss::Overlap => "join the two hunks",
            },
            Fault::DeleteBody { .. } => {
                "the file has changed since the author saw it; look at it, and drop the `-` lines if it may go"
            }
            Fault::Unchanged { .. } => "it may have been applied before; --allow-empty makes that a success",
            Fault::Tree(fault) => match fault {
                TreeFault::Disagrees { how, .. } => match how {
                    Disagreement::WorkTreeFromIndex | Disagreement::MissingInWorkTree => {
                        "stage, stash or restore it, or apply without --index or --commit"
                    }
                    Disagreement::IndexFromHead => "commit or unstage it first, or apply with --index",
                    Disagreement::Untracked => "`git add` it first, or apply without --index or --commit",
                },
                TreeFault::Unmerged { .. } => "resolve it and `git add` it first",
                TreeFault::Unsupported { what, .. } if what.contains("is missing") => {
                    "let git fetch it first (`git cat-file -e <object>` does), or see what `git fsck` says"
                }
                TreeFault::Unsupported { .. } => {
                    "apply without --index or --commit, and stage the change with `git add`"
                }
                TreeFault::Io { .. } => "see who owns it, and whether you may read it and the folders above it",
            },
        };
        Some(help.into())
    }
}

/// Makes the place of a line of a file.
pub(super) fn place(path: &RepoPath, lines: &Lines<'_>, index: usize, caption: &str, label: &str) -> FilePlace {
    FilePlace {
        path: path.as_bstr().into(),
        line: LineNo::from_index(index),
        text: lines.text(index).as_bstr().into(),
        caption: caption.into(),
        label: label.into(),
    }
}
