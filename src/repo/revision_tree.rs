//! A commit as a place to plan for.

use git2::Tree as GitTree;

use super::folders::{Folders, Spot};
use super::objects::{TREE, content_id, leaf, obstacle, odd};
use super::{Fault, Repo, WORTH_LISTING};
use crate::path::RepoPath;
use crate::tree::{Entry, Tree, TreeFault};

/// The files of a commit, bytes as git stores them.
#[derive(Debug)]
pub struct RevisionTree<'r> {
    repo: &'r Repo,
    folders: Folders<'r>,
    ignores_case: bool,
}

impl<'r> RevisionTree<'r> {
    pub(super) fn new(repo: &'r Repo, rev: &str) -> Result<Self, Fault> {
        let unknown = |_| Fault::NoRevision { rev: rev.to_owned() };
        let tree = repo.git.revparse_single(rev).and_then(|object| object.peel_to_tree()).map_err(unknown)?;
        let ignores_case = repo.config().bool("core.ignorecase")?.unwrap_or(false);
        Ok(Self { repo, folders: Folders::new(&repo.git, tree), ignores_case })
    }
}

impl Tree for RevisionTree<'_> {
    fn read(&self, path: &RepoPath) -> Result<Entry, TreeFault> {
        match self.folders.find(path)? {
            Spot::Absent => Ok(Entry::Absent),
            Spot::Folder(_) => Ok(Entry::Folder),
            Spot::Leaf { id, mode } => leaf(self.repo, path, id, mode),
            Spot::Beneath { ancestor, mode } => Ok(Entry::Beneath { ancestor, what: obstacle(mode) }),
        }
    }

    fn leaves_below(&self, folder: &RepoPath) -> Result<Vec<RepoPath>, TreeFault> {
        match self.folders.find(folder)? {
            Spot::Folder(id) => leaves_of(self.repo, id, folder),
            _ => Ok(Vec::new()),
        }
    }

    fn tracked(&self) -> Vec<RepoPath> {
        let paths = leaves(self.repo, self.folders.top(), b"", WORTH_LISTING).unwrap_or_default();
        paths.iter().filter_map(|path| RepoPath::new(path).ok()).collect()
    }

    fn id(&self, _: &RepoPath, content: &[u8]) -> Result<Option<String>, TreeFault> {
        Ok(Some(content_id(content)))
    }

    fn case_twins(&self, path: &RepoPath) -> Result<Vec<RepoPath>, TreeFault> {
        if !self.ignores_case {
            return Ok(Vec::new());
        }
        let mut found = vec![(Vec::new(), Some(self.folders.top()))];
        for part in path.parts() {
            let mut next = Vec::new();
            for (above, tree) in &found {
                let Some(tree) = tree else { continue };
                for entry in tree.iter().filter(|entry| entry.name_bytes().eq_ignore_ascii_case(part)) {
                    let slash: &[u8] = if above.is_empty() { b"" } else { b"/" };
                    let path = [above, slash, entry.name_bytes()].concat();
                    next.push((path, self.folders.folder(entry.id()).ok()));
                }
            }
            found = next;
        }
        let twins = found.into_iter().filter(|(twin, _)| twin != path.as_bytes());
        Ok(twins.filter_map(|(twin, _)| RepoPath::new(&twin).ok()).collect())
    }

    fn ignores_case(&self) -> bool {
        self.ignores_case
    }
}

/// Returns the paths of all in the tree of a folder.
pub(super) fn leaves_of(repo: &Repo, id: git2::Oid, folder: &RepoPath) -> Result<Vec<RepoPath>, TreeFault> {
    let tree = repo.git.find_tree(id).map_err(|error| odd(folder, &error))?;
    let leaves = leaves(repo, tree, folder.as_bytes(), usize::MAX).map_err(|error| odd(folder, &error))?;
    // One that no patch can name stands for the folder, which so is never taken for empty.
    Ok(leaves.iter().map(|path| RepoPath::new(path).unwrap_or_else(|_| folder.clone())).collect())
}

/// Returns the paths of all below a folder that is no folder itself; none if they are more than `most`. libgit2's own walk
/// stops at a folder whose name isn't UTF-8.
fn leaves(repo: &Repo, tree: GitTree<'_>, below: &[u8], most: usize) -> Result<Vec<Vec<u8>>, git2::Error> {
    let mut leaves = Vec::new();
    let mut folders = vec![(below.to_vec(), tree)];
    while let Some((above, tree)) = folders.pop() {
        for entry in tree.iter() {
            let slash: &[u8] = if above.is_empty() { b"" } else { b"/" };
            let path = [&above, slash, entry.name_bytes()].concat();
            if entry.filemode_raw() as u32 == TREE {
                folders.push((path, repo.git.find_tree(entry.id())?));
            } else if leaves.len() == most {
                return Ok(Vec::new());
            } else {
                leaves.push(path);
            }
        }
    }
    Ok(leaves)
}
