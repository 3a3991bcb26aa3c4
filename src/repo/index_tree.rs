//! The index as a place to plan for: what would be committed next, bytes as git stores them.
//!
//! A path that is only marked to be added (`git add -N`) isn't in it, which is how git's own `apply
//! --cached` sees it. A path in an unfinished merge can't be read, for it has no single content.

use bstr::{BString, ByteSlice as _};

use super::conversion::Conversion;
use super::directories::Directories;
use super::index_file::IndexFile;
use super::index_record::Record;
use super::index_write::{INTENT_TO_ADD, SKIP_WORKTREE};
use super::objects::{blob, later_id, leaf, obstacle};
use super::rules::Consult;
use super::slot::Slot;
use super::{Repo, RepoError, history, index};
use llmpatch::path::RepoPath;
use llmpatch::tree::{
    AttributeFiles, CaseTwins, Content, Entry, File, Gone, Id, Mode, Planned, Tree, TreeError,
};

/// The index in use.
pub struct IndexTree<'r> {
    repo: &'r Repo,
    index: IndexFile,
    conversion: Conversion<'r>,
    case_twins: CaseTwins,
}

impl<'r> IndexTree<'r> {
    /// Returns the index in use.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn new(repo: &'r Repo) -> Result<Self, RepoError> {
        let index = index::read(repo)?;
        let conversion = Conversion::new(repo, Consult::Index)?;
        Ok(Self {
            repo,
            index,
            conversion,
            case_twins: CaseTwins::new(repo.config.ignores_case()?),
        })
    }

    /// Returns the entry of a path that is not in a merge; a path that is only marked to be added
    /// has none.
    ///
    /// # Errors
    /// If it is unmerged.
    pub(super) fn entry(&self, path: &RepoPath) -> Result<Option<Record<'_>>, TreeError> {
        Ok(self
            .staged(path)?
            .filter(|entry| entry.extended() & INTENT_TO_ADD == 0))
    }

    /// Returns all that is said of a path; `None` if nothing is.
    ///
    /// # Errors
    /// If it is unmerged.
    pub(crate) fn slot(&self, path: &RepoPath) -> Result<Option<Slot>, TreeError> {
        Ok(self.staged(path)?.map(Slot::of))
    }

    /// Returns the file that a slot stands for.
    ///
    /// # Errors
    /// If its blob isn't there any more.
    pub(crate) fn file(&self, path: &RepoPath, slot: &Slot) -> Result<File, TreeError> {
        Ok(File {
            content: blob(self.repo, path, slot.id)?,
            mode: Mode::of_git(slot.mode),
        })
    }

    /// Returns the paths with entries above and below a path, where it can have none then.
    pub(crate) fn in_the_way(&self, path: &RepoPath) -> Vec<RepoPath> {
        let below = self
            .below(path)
            .map(|below| RepoPath::new(below).unwrap_or_else(|_| path.clone()));
        below
            .chain(
                path.ancestors()
                    .filter(|above| self.in_any_stage(above).is_some()),
            )
            .collect()
    }

    /// Returns whether sparse checkout leaves a path out of the work tree.
    pub(crate) fn is_left_out(&self, path: &RepoPath) -> bool {
        self.index
            .get(path.as_bytes(), 0)
            .is_some_and(|entry| entry.extended() & SKIP_WORKTREE != 0)
    }

    /// Returns what the index says where the path itself has no entry: a directory, something above
    /// it, or nothing.
    pub(super) fn around(&self, path: &RepoPath) -> Entry {
        if self.below(path).next().is_some() {
            return Entry::Directory;
        }
        for ancestor in path.ancestors() {
            if let Some(entry) = self.in_any_stage(&ancestor) {
                return Entry::Beneath {
                    what: obstacle(entry.mode()),
                    ancestor,
                };
            }
        }
        Entry::Absent
    }

    /// Returns the paths below a directory, whatever their stage.
    pub(super) fn below(&self, directory: &RepoPath) -> impl Iterator<Item = &[u8]> {
        self.index
            .starting_with([directory.as_bytes(), b"/"].concat())
            .map(|entry| entry.path())
    }

    /// Returns the entry of a path.
    ///
    /// # Errors
    /// If it is unmerged.
    fn staged(&self, path: &RepoPath) -> Result<Option<Record<'_>>, TreeError> {
        match self.index.get(path.as_bytes(), 0) {
            None if self.index.is_unmerged(path.as_bytes()) => {
                Err(TreeError::Unmerged { path: path.clone() })
            }
            entry => Ok(entry),
        }
    }

    fn in_any_stage(&self, path: &RepoPath) -> Option<Record<'_>> {
        (0..=3).find_map(|stage| self.index.get(path.as_bytes(), stage))
    }
}

impl std::fmt::Debug for IndexTree<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IndexTree")
            .field("repo", self.repo)
            .finish_non_exhaustive()
    }
}

impl Tree for IndexTree<'_> {
    fn read(&self, path: &RepoPath) -> Result<Entry, TreeError> {
        match self.entry(path)? {
            Some(entry) => leaf(self.repo, &self.conversion, path, entry.id(), entry.mode()),
            None => Ok(self.around(path)),
        }
    }

    fn leaves_below(&self, directory: &RepoPath) -> Result<Vec<RepoPath>, TreeError> {
        // One that no patch can name stands for the directory, which so is never taken for empty.
        let mut leaves: Vec<_> = self
            .below(directory)
            .map(|path| RepoPath::new(path).unwrap_or_else(|_| directory.clone()))
            .collect();
        leaves.dedup();
        Ok(leaves)
    }

    fn tracked(&self) -> Vec<RepoPath> {
        // What is only intended to be added has nothing here that could be patched.
        super::tracked(
            self.index
                .iter()
                .filter(|entry| entry.extended() & INTENT_TO_ADD == 0),
        )
    }

    fn gone(&self, path: &RepoPath) -> Option<Gone> {
        let is_in_head = |head| {
            let entry = Directories::new(self.repo, head).entry(path.as_bytes());
            entry.is_ok_and(|entry| entry.is_some())
        };
        let head = history::head_tree(self.repo).ok()?;
        if head.is_some_and(is_in_head) {
            return Some(Gone::Unstaged);
        }
        let file = self.repo.top().ok()?.join(path.to_path().ok()?);
        let there = file.symlink_metadata().ok()?;
        there.is_file().then_some(Gone::Unadded)
    }

    fn makes_links(&self) -> bool {
        true
    }

    fn id(&self, _: &RepoPath, content: &Content) -> Result<Option<Id>, TreeError> {
        Ok(Some(later_id(self.repo, content.kept().clone())))
    }

    fn case_twins(&self, path: &RepoPath) -> Result<Vec<RepoPath>, TreeError> {
        self.case_twins.of(path, |directory| {
            let above =
                directory.map_or_else(Vec::new, |directory| [directory.as_bytes(), b"/"].concat());
            let start = above.len();
            let below = self.index.starting_with(above);
            let mut names: Vec<_> = below
                .filter_map(|entry| {
                    Some(BString::from(entry.path()[start..].split_str("/").next()?))
                })
                .collect();
            names.dedup();
            Ok(names)
        })
    }

    fn settle(&self, files: &mut [Planned<'_>], rules: &AttributeFiles) -> Result<(), TreeError> {
        self.conversion.settle_blobs(files, rules)
    }

    fn ignores_case(&self) -> bool {
        self.case_twins.ignores_case
    }
}
