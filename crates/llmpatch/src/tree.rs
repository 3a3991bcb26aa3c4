//! What planning may ask of the place that it plans for: the work tree, the index, a commit, or a
//! made-up tree in a test.

mod case_twins;
mod read;

use std::collections::BTreeMap;
use std::ops::Range;

use bstr::BString;

use crate::kind::Kind;
use crate::path::RepoPath;
use crate::text::SystemError;
pub use crate::text::{Content, Hindrance, Withheld, is_binary, is_pointer};
pub use case_twins::CaseTwins;
pub use read::ReadTree;

/// The name of the files that hold attributes.
pub const RULES: &str = ".gitattributes";

/// The `.gitattributes` files that a change writes, or removes (`None`).
pub type AttributeFiles = BTreeMap<RepoPath, Option<Content>>;

/// Works out an id, in hexadecimal digits: of a large content that takes a while, so it can be done
/// beside something else.
pub type Id = Box<dyn Fn() -> String + Send + Sync>;

/// A file that a change which also changes attributes leaves at a path.
#[derive(Debug)]
pub struct Planned<'p> {
    /// Where it is.
    pub path: &'p RepoPath,
    /// Whether it comes from no file of the tree.
    pub is_new: bool,
    /// What it holds: by the attributes before the change.
    pub content: &'p mut Content,
}

/// The part of a file's mode that matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mode {
    /// Whether git calls it 100755 rather than 100644.
    pub executable: bool,
    /// The permission bits on disk (`0o7777` at most); `None` for a file that isn't on disk, whose
    /// bits the umask decides. A symbolic link has no permissions, and its type in their place.
    pub bits: Option<u16>,
}

impl Mode {
    /// A plain file that isn't on disk.
    pub const PLAIN: Mode = Mode {
        executable: false,
        bits: None,
    };
    /// An executable file that isn't on disk.
    pub const EXECUTABLE: Mode = Mode {
        executable: true,
        bits: None,
    };

    /// A symbolic link: what it holds is where it leads.
    pub const LINK: Mode = Mode {
        executable: false,
        bits: Some(0o120_000),
    };

    /// Returns whether it is a symbolic link's.
    pub fn is_link(self) -> bool {
        self == Mode::LINK
    }

    /// Reads a mode of git's. Old repositories have 100664, which git reads as 100644.
    pub fn of_git(mode: u32) -> Self {
        if mode & 0o170_000 == Mode::LINK.git() {
            Mode::LINK
        } else if mode & 0o100 != 0 {
            Mode::EXECUTABLE
        } else {
            Mode::PLAIN
        }
    }

    /// Returns the mode as git writes it: 100644, 100755 or 120000, octal.
    pub fn git(self) -> u32 {
        match self {
            Mode::LINK => 0o120_000,
            Mode {
                executable: true, ..
            } => 0o100_755,
            _ => 0o100_644,
        }
    }

    /// Returns permission bits for a file that is to be executable, or not to be: whoever may read
    /// may execute, as in git.
    pub fn bits(bits: u16, executable: bool) -> u16 {
        if executable {
            bits | (bits & 0o444) >> 2
        } else {
            bits & !0o111
        }
    }
}

/// A regular file: what it holds and its mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// All bytes.
    pub content: Content,
    /// The mode.
    pub mode: Mode,
}

/// What is at a path.
#[allow(missing_docs, reason = "the text above each says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Nothing, and every directory above it is a directory or isn't there either.
    Absent,
    /// A regular file.
    File(File),
    /// A directory.
    Directory,
    /// Something else that is no place for a file.
    Other(Obstacle),
    /// Nothing that can be reached, since the nearest ancestor that is there is no directory;
    /// `what` is `None` for a regular file.
    Beneath {
        ancestor: RepoPath,
        what: Option<Obstacle>,
    },
}

/// What may be where a file or a directory should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum Obstacle {
    /// A symbolic link.
    #[strum(to_string = "a symbolic link")]
    Link,
    /// A submodule, or a directory with a repository of its own.
    #[strum(to_string = "a submodule or a repository of its own")]
    Repository,
    /// A pipe, a socket, a device.
    #[strum(to_string = "neither a file nor a directory")]
    Special,
}

/// Why a file isn't where it is looked for, though somebody knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gone {
    /// The work tree has it no more.
    Deleted,
    /// The index has it no more, but `HEAD` does.
    Unstaged,
    /// The index doesn't have it yet, but the work tree does.
    Unadded,
    /// Sparse checkout left it out.
    LeftOut,
    /// It is there, and wasn't in the tree that the response is about.
    NotInBase(DriftKind),
}

/// A place to plan for.
///
/// Reads see the state at the time of the call; a plan reads each path once.
pub trait Tree {
    /// Returns the tree that this tree is in front of, which is asked for whatever this tree
    /// doesn't decide itself.
    fn below(&self) -> Option<&dyn Tree> {
        None
    }

    /// Returns what is at a path.
    ///
    /// # Errors
    /// If it can't be read, or isn't what it must be for this kind of tree (see [`TreeError`]).
    fn read(&self, path: &RepoPath) -> Result<Entry, TreeError>;

    /// Returns what is at a path, with a content as it is kept here: what attributes make of it
    /// isn't asked for.
    ///
    /// # Errors
    /// As [`Tree::read`].
    fn read_kept(&self, path: &RepoPath) -> Result<Entry, TreeError> {
        self.read(path)
    }

    /// Returns every file, link and other leaf below a directory, in no particular order.
    ///
    /// # Errors
    /// If a directory can't be read.
    fn leaves_below(&self, directory: &RepoPath) -> Result<Vec<RepoPath>, TreeError> {
        self.below()
            .map_or(Ok(Vec::new()), |below| below.leaves_below(directory))
    }

    /// Returns the paths that git tracks here, for “did you mean”. It may return none where finding
    /// out takes too long.
    fn tracked(&self) -> Vec<RepoPath> {
        self.below().map_or_else(Vec::new, Tree::tracked)
    }

    /// Returns why a file isn't here that git knows; `None` if it knows none.
    fn gone(&self, path: &RepoPath) -> Option<Gone> {
        let Some(below) = self.below() else {
            return self.tracked().contains(path).then_some(Gone::Deleted);
        };
        below.gone(path)
    }

    /// Returns the paths other than `path` that differ from it only in the case of ASCII letters
    /// and are here, where that matters (`core.ignoreCase`); nothing elsewhere.
    ///
    /// # Errors
    /// If a directory can't be read.
    fn case_twins(&self, path: &RepoPath) -> Result<Vec<RepoPath>, TreeError> {
        self.below()
            .map_or(Ok(Vec::new()), |below| below.case_twins(path))
    }

    /// Returns the bytes that git would put here for a new file with `bytes`: its attributes may
    /// want CRLF.
    ///
    /// # Errors
    /// If an attribute of the path asks for what can't be done here.
    fn check_out(&self, path: &RepoPath, bytes: Vec<u8>) -> Result<Vec<u8>, TreeError> {
        let Some(below) = self.below() else {
            return Ok(bytes);
        };
        below.check_out(path, bytes)
    }

    /// Returns the bytes that git would have here for a file that is renamed or copied: where the
    /// two paths have different attributes, its lines may have to end otherwise, lest all of them
    /// count as changed.
    ///
    /// # Errors
    /// If an attribute of a path asks for what can't be done here.
    fn carry(
        &self,
        from: &RepoPath,
        to: &RepoPath,
        content: Content,
    ) -> Result<Content, TreeError> {
        let Some(below) = self.below() else {
            return Ok(content);
        };
        below.carry(from, to, content)
    }

    /// Makes the contents of all files of a change what git would have here by the attributes that
    /// the change itself brings, and says how they are kept where that isn't as users see them.
    ///
    /// # Errors
    /// If an attribute asks for what can't be done here.
    fn settle(&self, files: &mut [Planned<'_>], rules: &AttributeFiles) -> Result<(), TreeError> {
        self.below()
            .map_or(Ok(()), |below| below.settle(files, rules))
    }

    /// Returns the only encoding in which bytes that aren't UTF-8 and a text beside them can both
    /// be, if one can be named.
    fn encoding_of(&self, bytes: &[u8], text: &[u8]) -> Option<&'static str> {
        self.below()?.encoding_of(bytes, text)
    }

    /// Returns whether symbolic links can be made here.
    fn makes_links(&self) -> bool {
        self.below().is_some_and(Tree::makes_links)
    }

    /// Returns where the symbolic link at a path leads; `None` if there is none, or nobody can say.
    ///
    /// # Errors
    /// If it can't be read.
    fn link(&self, path: &RepoPath) -> Result<Option<Content>, TreeError> {
        self.below().map_or(Ok(None), |below| below.link(path))
    }

    /// Returns a content as git would store it.
    ///
    /// # Errors
    /// If an attribute of the path asks for what can't be done here.
    fn stored(&self, path: &RepoPath, content: &Content) -> Result<Content, TreeError> {
        let Some(below) = self.below() else {
            return Ok(content.kept().clone());
        };
        below.stored(path, content)
    }

    /// Returns what works out the id that git would give to a content at a path; `None` where
    /// nobody knows git.
    ///
    /// # Errors
    /// If an attribute of the path asks for what can't be done here.
    fn id(&self, path: &RepoPath, content: &Content) -> Result<Option<Id>, TreeError> {
        self.below()
            .map_or(Ok(None), |below| below.id(path, content))
    }

    /// Checks that a path may change here: asked once for every path of the finished change, with
    /// the file that [`Tree::read`] gave for it, if any. Reading alone must not fail because index
    /// and work tree disagree, since a file that only is in a new file's way deserves to be called
    /// that.
    ///
    /// # Errors
    /// If the sides of the path disagree, or it has something that can't be kept right
    /// ([`TreeError`]).
    fn confirm(&self, path: &RepoPath, before: Option<&File>) -> Result<(), TreeError> {
        self.below()
            .map_or(Ok(()), |below| below.confirm(path, before))
    }

    /// Returns whether two paths that differ only in case are one file here (`core.ignoreCase`).
    fn ignores_case(&self) -> bool {
        self.below().is_some_and(Tree::ignores_case)
    }
}

/// Why a tree can't say what is at a path.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Debug, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum TreeError {
    /// The file isn't what it must be for a change of index and work tree together.
    #[error("`{path}` {how}")]
    #[strum(props(kind = "stale"))]
    Disagrees { path: RepoPath, how: Disagreement },
    /// The path isn't what it is in the tree that the response is about.
    #[error("`{path}` {}", drift.how)]
    #[strum(props(kind = "stale"))]
    Drifted { path: RepoPath, drift: Drift },
    /// The path is in a merge that isn't finished.
    #[error("`{path}` is unmerged")]
    #[strum(props(kind = "stale", help = "resolve it and `git add` it first"))]
    Unmerged { path: RepoPath },
    /// No file can have this name where the files are.
    #[error("`{path}` is no name that a file can have on Windows: {why}")]
    #[strum(props(kind = "unsupported", help = "give the file another name"))]
    Misnamed { path: RepoPath, why: String },
    /// Something that this version can't do right, so doesn't: `what` is such as `has a filter
    /// driver (filter=lfs)`.
    #[error("`{path}` {what}")]
    #[strum(props(kind = "repository"))]
    Unsupported {
        path: RepoPath,
        what: String,
        remedy: Remedy,
    },
    /// The system refused.
    #[error("can't read `{path}`: {}", SystemError(source))]
    #[strum(props(kind = "io"))]
    Io {
        path: RepoPath,
        source: std::io::Error,
    },
    /// What the tree is read from says no: `said` is why, `help` what to do about that.
    #[error("can't read `{path}`: {said}")]
    #[strum(props(kind = "io"))]
    Backend {
        path: RepoPath,
        said: String,
        help: Option<String>,
    },
}

impl TreeError {
    /// Returns the stable kind.
    pub fn kind(&self) -> Kind {
        Kind::at_variant(self).unwrap_or(Kind::Io)
    }

    /// Returns the path that this is about.
    pub fn path(&self) -> &RepoPath {
        let (TreeError::Disagrees { path, .. }
        | TreeError::Drifted { path, .. }
        | TreeError::Unmerged { path }
        | TreeError::Misnamed { path, .. }
        | TreeError::Unsupported { path, .. }
        | TreeError::Io { path, .. }
        | TreeError::Backend { path, .. }) = self;
        path
    }
}

/// What can be done where a path can't be changed right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// git can fetch what is missing.
    Fetch,
    /// Only a person can write this file.
    ByHand,
    /// The file's filter is to work.
    Filter,
    /// The file is to have another name.
    Name,
    /// The repository is to be changed, or another repository used.
    Repository(Repair),
}

/// What can be done about a repository of a kind that isn't known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// A clone can be of another kind.
    Clone,
    /// Users can be shown the content again.
    Content(Hindrance),
}

/// How the sides of a path differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum Disagreement {
    /// The work tree's file differs from the index.
    #[strum(to_string = "has changes in the work tree that aren't staged")]
    WorkTreeFromIndex,
    /// It does, and git isn't to look at it.
    #[strum(to_string = "differs from its index entry, which tells git to skip it (skip-worktree)")]
    Skipped,
    /// The index differs from HEAD.
    #[strum(to_string = "has staged changes that aren't committed")]
    IndexFromHead,
    /// In the index, not in the work tree.
    #[strum(to_string = "is in the index but not in the work tree")]
    MissingInWorkTree,
    /// In the work tree, not in the index.
    #[strum(to_string = "is in the work tree but not in the index")]
    Untracked,
}

/// What became of a path since the tree that a response is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    /// In a word.
    pub how: DriftKind,
    /// The lines that are others now, or, where a range is empty, before which some are gone.
    /// Indices from 0.
    pub lines: Vec<Range<usize>>,
    /// What the file holds now.
    pub now: Option<Content>,
    /// The last commits that changed it, as `id (author): subject`; none where that isn't known, or
    /// no commit did.
    pub commits: Vec<BString>,
}

/// What became of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum DriftKind {
    /// It holds something else, or may be executed now and couldn't then.
    #[strum(to_string = "has changed since the base")]
    Changed,
    /// It isn't there any more.
    #[strum(to_string = "was removed since the base")]
    Gone,
    /// It wasn't there.
    #[strum(to_string = "was added since the base")]
    Come,
    /// It is there, and nothing that git keeps has it.
    #[strum(to_string = "is here, untracked, and not in the base")]
    Untracked,
    /// The same, and git is told to ignore it.
    #[strum(to_string = "is here, ignored by git, and not in the base")]
    Ignored,
}

/// A tree in memory, for tests and for callers that have no repository.
#[derive(Clone, Debug, Default)]
pub struct MemoryTree {
    files: BTreeMap<RepoPath, Entry>,
    ignores_case: bool,
}

impl MemoryTree {
    /// Makes an empty tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a plain file.
    ///
    /// # Panics
    /// If the path is unsafe.
    #[must_use]
    pub fn with(self, path: &str, content: impl Into<Vec<u8>>) -> Self {
        self.with_entry(
            path,
            Entry::File(File {
                content: content.into().into(),
                mode: Mode::PLAIN,
            }),
        )
    }

    /// Adds anything.
    ///
    /// # Panics
    /// If the path is unsafe.
    #[must_use]
    pub fn with_entry(mut self, path: &str, entry: Entry) -> Self {
        let path = RepoPath::new(path.as_bytes()).expect("the caller gives a safe path");
        self.files.insert(path, entry);
        self
    }

    /// Puts something at a path.
    pub fn insert(&mut self, path: RepoPath, entry: Entry) {
        self.files.insert(path, entry);
    }

    /// Takes away what is at a path.
    pub fn remove(&mut self, path: &RepoPath) {
        self.files.remove(path);
    }

    /// Returns what there is, by path; directories are there by what is in them.
    pub fn iter(&self) -> impl Iterator<Item = (&RepoPath, &Entry)> {
        self.files.iter()
    }

    /// Makes names that differ only in case one file.
    #[must_use]
    pub fn ignoring_case(mut self) -> Self {
        self.ignores_case = true;
        self
    }
}

impl Tree for MemoryTree {
    fn read(&self, path: &RepoPath) -> Result<Entry, TreeError> {
        if let Some(entry) = self.files.get(path) {
            return Ok(entry.clone());
        }
        for ancestor in path.ancestors() {
            match self.files.get(&ancestor) {
                None | Some(Entry::Directory) => {}
                Some(Entry::Other(what)) => {
                    return Ok(Entry::Beneath {
                        ancestor,
                        what: Some(*what),
                    });
                }
                Some(_) => {
                    return Ok(Entry::Beneath {
                        ancestor,
                        what: None,
                    });
                }
            }
        }
        let is_directory = self.files.keys().any(|file| file.is_below(path));
        Ok(if is_directory {
            Entry::Directory
        } else {
            Entry::Absent
        })
    }

    fn leaves_below(&self, directory: &RepoPath) -> Result<Vec<RepoPath>, TreeError> {
        Ok(self
            .files
            .keys()
            .filter(|file| file.is_below(directory))
            .cloned()
            .collect())
    }

    fn tracked(&self) -> Vec<RepoPath> {
        self.files.keys().cloned().collect()
    }

    fn case_twins(&self, path: &RepoPath) -> Result<Vec<RepoPath>, TreeError> {
        Ok(if self.ignores_case {
            self.files
                .keys()
                .filter(|file| {
                    *file != path && file.as_bytes().eq_ignore_ascii_case(path.as_bytes())
                })
                .cloned()
                .collect()
        } else {
            Vec::new()
        })
    }

    fn ignores_case(&self) -> bool {
        self.ignores_case
    }
}
