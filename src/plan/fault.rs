//! What planning can find wrong.

use bstr::BString;

use super::guard::{Barrier, Origin};
use super::miss::Miss;
use super::nearby::Instead;
use super::warning::Warning;
use super::wording::{absence, barred, difference, files, hunk, lines_of, presence, unfit};
use crate::explain::{Explain, FilePlace, Nearest, Passage};
use crate::kind::Kind;
use crate::path::{PathFault, RepoPath};
use crate::text::{Excerpt, LineNo, Lines};
use crate::tree::{Content, Disagreement, Obstacle, TreeFault};

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
        /// The one tracked path that may be meant.
        meant: Option<RepoPath>,
    },
    /// A path that responses may not touch.
    #[error("`{path}` {}", barred(.barrier))]
    Guarded {
        /// The path.
        path: RepoPath,
        /// What keeps them from it.
        barrier: Barrier,
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
        /// How the file in its way begins.
        passages: Vec<Passage>,
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
        /// What makes it one, if it has been looked at.
        sign: Option<BinarySign>,
    },
    /// A file that is edited again and again, and read whole for each.
    #[error("`{path}` is edited so often in one response that more than {} GiB would have to be read", most >> 30)]
    Scattered {
        /// The file.
        path: RepoPath,
        /// How many bytes may be.
        most: u64,
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
        /// The first of the places among which nothing decides.
        rivals: Option<Box<FilePlace>>,
        /// What the file holds there.
        passages: Vec<Passage>,
    },
    /// The file isn't the one whose content the delete section shows.
    #[error("`{path}` isn't the file that this section wants to delete: {}", difference(.line))]
    DeleteBody {
        /// The file.
        path: RepoPath,
        /// The first line of the body that differs from the file, and the file's line there, if it has one.
        line: Option<FilePlace>,
        /// What the file holds there.
        passages: Vec<Passage>,
    },
    /// A section of a unified diff that deletes a file and doesn't show all of it.
    #[error("`{path}` is to be deleted, yet {} of it would be left", lines_of(*.left, "line"))]
    Leaves {
        /// The file.
        path: RepoPath,
        /// How many lines would be left.
        left: usize,
        /// The file, or how it begins.
        passages: Vec<Passage>,
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
    /// What a lint found that is told to be an error.
    #[error("{_0}")]
    Lint(Box<Warning>),
}

/// Why a file isn't there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absence {
    /// It never was.
    Never(Box<Instead>),
    /// Git tracks it, but it isn't in the work tree: somebody deleted it, or sparse checkout left it out.
    Tracked,
    /// A file stands where its folder would have to be.
    BelowFile(RepoPath),
    /// An earlier edit of the response deleted it.
    Deleted,
    /// An earlier edit of the response moved it.
    Moved(RepoPath),
}

/// What makes a file a binary one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BinarySign {
    /// The offset of its first NUL.
    nul: usize,
    /// Whether it begins as text in UTF-16 does.
    is_utf_16: bool,
}

/// What is in the way of a new file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presence {
    /// A file.
    File,
    /// A file, where another is to be moved or copied to.
    Target,
    /// A folder that holds this file, among others perhaps.
    Folder(RepoPath),
    /// A file where a folder is needed.
    FileAbove(RepoPath),
    /// A path that differs only in case, where that is the same file.
    Twin(RepoPath),
}

impl Fault {
    /// Says that a hunk of so many old lines has no place in these lines of a file.
    pub(super) fn hunk(path: &RepoPath, number: usize, miss: Miss, lines: &Lines<'_>, len: usize) -> Self {
        let passages = Passage::around(path.as_bstr(), lines, miss.regions(len));
        let rivals = miss.rivals(path, lines).map(Box::new);
        Fault::Hunk { path: path.clone(), number, miss, rivals, passages }
    }

    /// Says that a file stands where a new one should, or one that is moved there.
    pub(super) fn exists(path: &RepoPath, what: Presence, content: &Content) -> Self {
        let passages = match content.is_binary() {
            true => Vec::new(),
            false => Passage::beginning(path.as_bstr(), &Lines::new(content)),
        };
        Fault::Exists { path: path.clone(), what, passages }
    }

    /// Says that lines of a binary file can't be changed.
    pub(super) fn binary(path: &RepoPath, content: &Content) -> Self {
        let is_utf_16 = content.starts_with(b"\xff\xfe") || content.starts_with(b"\xfe\xff");
        let sign = memchr::memchr(0, content).map(|nul| BinarySign { nul, is_utf_16 });
        Fault::Binary { path: path.clone(), sign }
    }
}

impl Explain for Fault {
    fn kind(&self) -> Kind {
        match self {
            Fault::Path { fault, .. } => fault.kind(),
            Fault::Guarded { .. } => Kind::Protected,
            Fault::Unfit { .. } => Kind::UnsafePath,
            Fault::Missing { .. } => Kind::FileMissing,
            Fault::Exists { .. } => Kind::FileExists,
            Fault::Binary { .. } => Kind::Binary,
            Fault::Scattered { .. } => Kind::Parse,
            Fault::Hunk { miss, .. } => miss.kind(),
            Fault::DeleteBody { .. } | Fault::Leaves { .. } => Kind::Stale,
            Fault::Lint(found) => found.kind(),
            Fault::Unchanged { .. } => Kind::Unchanged,
            Fault::Tree(fault) => match fault {
                TreeFault::Disagrees { .. } => Kind::Stale,
                TreeFault::Unmerged { .. } => Kind::Conflict,
                TreeFault::Unsupported { .. } => Kind::Unsupported,
                TreeFault::Io { .. } => Kind::Io,
            },
        }
    }

    fn is_warning(&self) -> bool {
        false
    }

    fn label(&self) -> Option<String> {
        match self {
            Fault::Hunk { miss, .. } => miss.label(),
            Fault::DeleteBody { line: Some(_), .. } => Some("not so in the file".into()),
            Fault::DeleteBody { .. } => Some("the file ends before this".into()),
            Fault::Path { fault, .. } => fault.label(),
            _ => None,
        }
    }

    fn path(&self) -> Option<BString> {
        match self {
            Fault::Path { written, .. } => Some(written.clone()),
            Fault::Lint(found) => found.path(),
            Fault::Guarded { path, .. }
            | Fault::Missing { path, .. }
            | Fault::Exists { path, .. }
            | Fault::Unfit { path, .. }
            | Fault::Binary { path, .. }
            | Fault::Scattered { path, .. }
            | Fault::Hunk { path, .. }
            | Fault::Leaves { path, .. }
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
            Fault::Hunk { rivals: Some(rivals), .. } => vec![(**rivals).clone()],
            Fault::Hunk { miss, .. } => miss.places(),
            Fault::DeleteBody { line, .. } => line.iter().cloned().collect(),
            _ => Vec::new(),
        }
    }

    fn nearest(&self) -> Option<Nearest> {
        match self {
            Fault::Hunk { miss, .. } => miss.nearest(),
            Fault::DeleteBody { line: Some(place), .. } => {
                Some(Nearest::new(place.line, place.line, place.excerpt.text()))
            }
            _ => None,
        }
    }

    fn line(&self) -> Option<LineNo> {
        match self {
            Fault::Hunk { miss, .. } => miss.line(),
            Fault::Lint(found) => found.line(),
            _ => None,
        }
    }

    fn passages(&self) -> Vec<Passage> {
        match self {
            Fault::Hunk { passages, .. }
            | Fault::Exists { passages, .. }
            | Fault::DeleteBody { passages, .. }
            | Fault::Leaves { passages, .. } => passages.clone(),
            _ => Vec::new(),
        }
    }

    fn candidates(&self) -> Vec<LineNo> {
        if let Fault::Hunk { miss, .. } = self { miss.candidates() } else { Vec::new() }
    }

    fn notes(&self) -> Vec<String> {
        match self {
            Fault::Path { meant: Some(meant), .. } => vec![format!("did you mean `{meant}`?")],
            Fault::Path { fault: fault @ PathFault::DotGit { .. }, .. } => fault.notes(),
            Fault::Missing { path, why: Absence::Never(instead) } => instead.notes(path),
            Fault::Binary { sign: Some(sign), .. } => vec![sign.note()],
            Fault::Hunk { miss, .. } => miss.notes(),
            _ => Vec::new(),
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Fault::Path { meant: Some(_), .. } => "paths count from the top of the repository; correct it",
            Fault::Path { fault, .. } => return fault.help(),
            Fault::Lint(found) => return found.help(),
            Fault::Guarded { barrier, .. } => match barrier {
                Barrier::Limit { origin: Origin::Option, .. } => {
                    "leave this file out of the patch, or run with a --limit that covers it"
                }
                Barrier::Limit { origin: Origin::Setting, .. } => {
                    "leave this file out of the patch, or run with a --limit that covers it, which takes the setting's place"
                }
                Barrier::Protected { .. } => {
                    "leave this file out of the patch, or make the change by hand; `git config --edit` changes llmpatch.protect"
                }
            },
            Fault::Missing { why, .. } => match why {
                Absence::Never(instead) => instead.help(),
                Absence::Tracked => {
                    "bring it back with `git restore`, or with `git sparse-checkout add` if that left it out"
                }
                Absence::BelowFile(_) => "correct the path in the patch",
                Absence::Deleted => "put this edit before the one that deletes the file, or drop one of them",
                Absence::Moved(to) => return Some(format!("name it `{to}` from there on")),
            },
            Fault::Exists { what, .. } => match what {
                Presence::File => {
                    "change the lines of the file (`*** Update File:`, op=\"patch\", a diff of it), replace it whole \
                     (op=\"replace\"), delete it first in the same patch, or run with --overwrite"
                }
                Presence::Target => {
                    "choose another path, delete the file that is there first in the same patch, or run with --overwrite"
                }
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
            Fault::Scattered { .. } => "put the hunks of a file into one section, or give the response in parts",
            Fault::Hunk { miss, .. } => return Some(miss.help()),
            Fault::DeleteBody { .. } => {
                "the file has changed since the author saw it; look at it, and drop the `-` lines if it may go"
            }
            Fault::Leaves { .. } => {
                "the file has changed since the author saw it, or the section doesn't show it whole; look at it"
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

    fn advice(&self) -> Option<String> {
        let advice = match self {
            Fault::Lint(found) => return found.advice(),
            Fault::Hunk { miss, .. } => return miss.advice(),
            Fault::Path { fault, meant: None, .. } => return fault.advice(),
            Fault::Guarded { .. } => "leave this file out of the patch",
            Fault::Missing { why: Absence::Tracked, .. } => "leave the file alone, or add it as a new one",
            Fault::Missing { why: Absence::Never(instead), .. } if instead.below.is_some() => {
                "paths are looked for below that folder; if yours is right as it is, leave it so: whoever applies the patch \
                 has to put that right"
            }
            Fault::Exists { what: Presence::File, .. } => {
                "change the lines that are there (`*** Update File:`, op=\"patch\", a diff of the file), replace the file whole \
                 (op=\"replace\"), or delete it first in the same patch"
            }
            Fault::Exists { what: Presence::Target, .. } => {
                "choose another path, or delete the file that is there first in the same patch"
            }
            Fault::Exists { what: Presence::Twin(_), .. } => {
                "choose another name, or change the file that is there: the two would be one file"
            }
            Fault::Binary { .. } => "leave the file out of the patch; it can be deleted or moved, but only as a whole",
            Fault::DeleteBody { .. } => {
                "if the file as it is shown here may go, delete it without the `-` lines; else leave it alone"
            }
            Fault::Leaves { .. } => {
                "show every line of the file with `-` before it; if some are to stay, don't delete it"
            }
            Fault::Tree(_) => "nothing is wrong with the patch in this: whoever applies it has to settle it",
            _ => return None,
        };
        Some(advice.into())
    }
}

impl BinarySign {
    fn note(self) -> String {
        match self.is_utf_16 {
            true => "it begins like text in UTF-16, which git takes for binary as well".into(),
            false => format!("it has a NUL at byte {}, which git takes for the sign of a binary file", self.nul + 1),
        }
    }
}

/// Makes the place of a line of a file.
pub(super) fn place(path: &RepoPath, lines: &Lines<'_>, index: usize, caption: &str, label: &str) -> FilePlace {
    let excerpt = Excerpt::of_line(lines.text(index));
    FilePlace {
        path: path.as_bstr().into(),
        line: LineNo::from_index(index),
        column: excerpt.column(),
        excerpt,
        caption: caption.into(),
        label: label.into(),
        heading: None,
        also: Vec::new(),
    }
}
