//! A commit as a place to plan for.

use git2::Oid;

use super::conversion::Conversion;
use super::directories::{Directories, TreePlace};
use super::objects::{later_id, leaf, obstacle};
use super::{Repo, RepoError, Revision, WORTH_LISTING};
use llmpatch::path::RepoPath;
use llmpatch::tree::{AttributeFiles, CaseTwins, Content, Entry, Id, Planned, Tree, TreeError};

/// The files of a commit, bytes as git stores them.
#[derive(Debug)]
pub struct RevisionTree<'r> {
    repo: &'r Repo,
    directories: Directories<'r>,
    conversion: Conversion<'r>,
    case_twins: CaseTwins,
}

impl<'r> RevisionTree<'r> {
    /// Returns the files of a commit, named as for `git rev-parse`.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn new(repo: &'r Repo, rev: &str) -> Result<Self, RepoError> {
        let directories = Directories::new(repo, Revision::find(repo, rev)?.tree);
        let conversion = Conversion::of_work_tree(repo)?;
        Ok(Self {
            repo,
            directories,
            conversion,
            case_twins: CaseTwins::new(repo.config.ignores_case()?),
        })
    }
}

impl RevisionTree<'_> {
    /// Returns what an entry stands for, which is read once.
    fn leaf(&self, path: &RepoPath, id: Oid, mode: u32) -> Result<Entry, TreeError> {
        if let Some(read) = self.repo.read_before.borrow().file(id, path) {
            return Ok(read);
        }
        let entry = leaf(self.repo, &self.conversion, path, id, mode)?;
        self.repo
            .read_before
            .borrow_mut()
            .keep_file(id, path, &entry);
        Ok(entry)
    }
}

impl Tree for RevisionTree<'_> {
    fn read(&self, path: &RepoPath) -> Result<Entry, TreeError> {
        match self.directories.find(path)? {
            TreePlace::Absent => Ok(Entry::Absent),
            TreePlace::Directory(_) => Ok(Entry::Directory),
            TreePlace::Leaf { id, mode } => self.leaf(path, id, mode),
            TreePlace::Beneath { ancestor, mode } => Ok(Entry::Beneath {
                ancestor,
                what: obstacle(mode),
            }),
        }
    }

    fn leaves_below(&self, directory: &RepoPath) -> Result<Vec<RepoPath>, TreeError> {
        match self.directories.find(directory)? {
            TreePlace::Directory(id) => leaves_of(&self.directories, id, directory),
            _ => Ok(Vec::new()),
        }
    }

    fn tracked(&self) -> Vec<RepoPath> {
        let top = self.directories.top();
        let all = self.directories.all_below(top, b"", WORTH_LISTING);
        all.unwrap_or_default()
            .iter()
            .filter_map(|(path, ..)| RepoPath::new(path).ok())
            .collect()
    }

    fn id(&self, _: &RepoPath, content: &Content) -> Result<Option<Id>, TreeError> {
        Ok(Some(later_id(self.repo, content.kept().clone())))
    }

    fn case_twins(&self, path: &RepoPath) -> Result<Vec<RepoPath>, TreeError> {
        self.case_twins.of(path, |directory| {
            let id = match directory.map(|directory| self.directories.find(directory)) {
                None => self.directories.top(),
                Some(Ok(TreePlace::Directory(id))) => id,
                Some(_) => return Ok(Vec::new()),
            };
            // What can't be read is no directory.
            let here = self.directories.directory(id).unwrap_or_default();
            Ok(here
                .entries
                .iter()
                .map(|entry| here.name(entry).into())
                .collect())
        })
    }

    fn makes_links(&self) -> bool {
        true
    }

    fn settle(&self, files: &mut [Planned<'_>], rules: &AttributeFiles) -> Result<(), TreeError> {
        self.conversion.settle_blobs(files, rules)
    }

    fn ignores_case(&self) -> bool {
        self.case_twins.ignores_case
    }
}

/// Returns the paths of all in the tree of a directory.
pub(super) fn leaves_of(
    directories: &Directories<'_>,
    id: Oid,
    directory: &RepoPath,
) -> Result<Vec<RepoPath>, TreeError> {
    let leaves = directories
        .all_below(id, directory.as_bytes(), usize::MAX)
        .map_err(|error| error.at(directory))?;
    // One that no patch can name stands for the directory, which so is never taken for empty.
    Ok(leaves
        .iter()
        .map(|(path, ..)| RepoPath::new(path).unwrap_or_else(|_| directory.clone()))
        .collect())
}
