//! The tree that a response is about, in front of the tree that is to change: where the two agree
//! on a path it is the latter, and where they don't the path may be read, as it was, but not
//! change.

use crate::dir::SystemPath as _;
use std::collections::BTreeMap;

use bstr::{BString, ByteSlice as _};
use git2::Oid;

use super::conversion::Conversion;
use super::git::{Git, checked, run};
use super::objects::{content_id, leaf};
use super::{BlobId, Differ, IndexTree, Repo, RepoError, Revision, RevisionTree, Side};
use llmpatch::compare::Compare as _;
use llmpatch::path::RepoPath;
use llmpatch::tree::{Drift, DriftKind, Entry, File, Gone, Mode, Tree, TreeError};

/// How many commits are named that changed a path.
const NAMED: &str = "-3";

/// What is known of the files that a response is about.
enum About<'t> {
    /// All of them.
    Tree(RevisionTree<'t>),
    /// Some; the others are as they are now.
    Blobs(BTreeMap<RepoPath, Oid>, Conversion<'t>),
}

/// What a response is about, in front of what is to change.
pub struct BasedTree<'t> {
    repo: &'t Repo,
    base: About<'t>,
    commit: Option<Oid>,
    /// The revision that the history leads to.
    tip: &'t str,
    now: &'t dyn Tree,
    /// Whether what has changed since may change all the same: whoever plans on it merges that.
    merges: bool,
    /// Whether the executable bit on disk means anything (`core.fileMode`).
    trusts_mode: bool,
}

impl<'t> BasedTree<'t> {
    /// Returns the files of a commit or a tree in front of the files that are to change, which a
    /// revision's history led to. With `merges`, what has changed since may change all the same:
    /// the plan is made for the base, and is merged.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn new(
        repo: &'t Repo,
        base: &str,
        tip: &'t str,
        now: &'t dyn Tree,
        merges: bool,
    ) -> Result<Self, RepoError> {
        let revision = Revision::find(repo, base)?;
        let base = About::Tree(RevisionTree::new(repo, &revision.to_string())?);
        let trusts_mode = repo.config.trusts_mode()?;
        Ok(Self {
            repo,
            base,
            commit: revision.commit,
            tip,
            now,
            merges,
            trusts_mode,
        })
    }

    /// Returns the same where only some of the files that a response is about are known, by their
    /// blobs; what has changed since may change.
    ///
    /// # Errors
    /// If a setting can't be read.
    pub fn of_blobs(
        repo: &'t Repo,
        blobs: BTreeMap<RepoPath, BlobId>,
        now: &'t dyn Tree,
    ) -> Result<Self, RepoError> {
        let blobs = blobs.into_iter().map(|(path, id)| (path, id.0)).collect();
        let base = About::Blobs(blobs, Conversion::of_work_tree(repo)?);
        let trusts_mode = repo.config.trusts_mode()?;
        Ok(Self {
            repo,
            base,
            commit: None,
            tip: "HEAD",
            now,
            merges: true,
            trusts_mode,
        })
    }
}

impl BasedTree<'_> {
    /// Returns what was at a path, given what is there now.
    fn was(&self, path: &RepoPath, now: &Entry) -> Result<Entry, TreeError> {
        match &self.base {
            About::Tree(tree) => tree.read(path),
            About::Blobs(blobs, conversion) => {
                let Some(id) = blobs.get(path) else {
                    return Ok(now.clone());
                };
                let mode = if let Entry::File(now) = now {
                    now.mode
                } else {
                    Mode::PLAIN
                };
                leaf(self.repo, conversion, path, *id, mode.git())
            }
        }
    }

    /// Returns whether a path is what it was.
    fn is_same(&self, path: &RepoPath, base: &Entry, now: &Entry) -> Result<bool, TreeError> {
        let (Entry::File(base), Entry::File(now)) = (base, now) else {
            return Ok(base == now);
        };
        let is_same_mode = !self.trusts_mode || base.mode.executable == now.mode.executable;
        Ok(is_same_mode
            && Some(content_id(self.repo, base.content.kept()))
                == self.now.id(path, &now.content)?.map(|id| id()))
    }

    /// Returns a file of the base as it would be where the change is to be made.
    fn as_now(&self, path: &RepoPath, file: &File) -> Result<File, TreeError> {
        let content = self
            .now
            .check_out(path, file.content.text().to_vec())?
            .into();
        Ok(File {
            content,
            mode: file.mode,
        })
    }

    /// Returns that a path isn't what it was.
    fn drifted(&self, path: &RepoPath, base: &Entry, now: Entry) -> TreeError {
        self.drift(path, base, now).map_or_else(
            |error| error,
            |drift| TreeError::Drifted {
                path: path.clone(),
                drift,
            },
        )
    }

    /// Returns how a path came to be here that the base doesn't have.
    fn how_it_came(&self, path: &RepoPath) -> DriftKind {
        let index = IndexTree::new(self.repo);
        let is_untracked = index.is_ok_and(|index| {
            matches!(index.slot(path), Ok(None)) && index.gone(path) != Some(Gone::Unstaged)
        });
        let is_ignored = || {
            let git = Git::new(self.repo);
            let mut command = git.command(["check-ignore", "--quiet", "--"]);
            self.repo.top.as_ref().map(|top| command.current_dir(top));
            run(command.arg(path.as_path()), b"").is_ok_and(|said| said.status.success())
        };
        if !is_untracked {
            DriftKind::Come
        } else if is_ignored() {
            DriftKind::Ignored
        } else {
            DriftKind::Untracked
        }
    }

    /// Returns what became of a path since.
    fn drift(&self, path: &RepoPath, base: &Entry, now: Entry) -> Result<Drift, TreeError> {
        let (how, now) = match (base, now) {
            (Entry::File(_), Entry::File(now)) => (DriftKind::Changed, Some(now)),
            (Entry::File(_), _) => (DriftKind::Gone, None),
            (_, Entry::File(now)) => (self.how_it_came(path), Some(now)),
            _ => (DriftKind::Come, None),
        };
        let mut lines = Vec::new();
        if let (Entry::File(base), Some(now)) = (base, &now) {
            let old = self.as_now(path, base)?.content;
            let new = &now.content;
            let differ = Differ::new(self.repo, Side::Blobs).map_err(|error| error.at(path))?;
            let are_text = [&old, new]
                .iter()
                .all(|content| matches!(differ.is_binary(path, content), Ok(false)));
            if are_text {
                let regions = differ.regions(path, &old, new).unwrap_or_default();
                lines = regions.into_iter().map(|region| region.new).collect();
            }
        }
        Ok(Drift {
            how,
            lines,
            now: now.map(|now| now.content),
            commits: self.commits_since(path),
        })
    }

    /// Names the last commits that changed a path; none where the base is no commit, or no commit
    /// did.
    fn commits_since(&self, path: &RepoPath) -> Vec<BString> {
        let Some(commit) = self.commit else {
            return Vec::new();
        };
        let git = Git::new(self.repo);
        let range = format!("{commit}..{}", self.tip);
        let look = [
            "--literal-pathspecs",
            "log",
            NAMED,
            "--no-show-signature",
            "--no-color",
            "--format=%h (%an): %s",
        ];
        let mut command = git.command(look);
        // Paths count from the current directory there.
        self.repo.top.as_ref().map(|top| command.current_dir(top));
        command.arg(range).arg("--").arg(path.as_path());
        let said = checked(&mut command, "log", b"").unwrap_or_default();
        said.lines().map(BString::from).collect()
    }
}

impl Tree for BasedTree<'_> {
    fn below(&self) -> Option<&dyn Tree> {
        Some(self.now)
    }

    fn read(&self, path: &RepoPath) -> Result<Entry, TreeError> {
        let now = self.now.read(path)?;
        let base = self.was(path, &now)?;
        Ok(match base {
            _ if self.is_same(path, &base, &now)? => now,
            Entry::File(file) => Entry::File(self.as_now(path, &file)?),
            // It isn't missing: a patch that changes it was made with a newer base in mind.
            Entry::Absent if !self.merges && matches!(now, Entry::File(_)) => {
                return Err(self.drifted(path, &base, now));
            }
            base => base,
        })
    }

    fn leaves_below(&self, directory: &RepoPath) -> Result<Vec<RepoPath>, TreeError> {
        let mut leaves = match &self.base {
            About::Tree(tree) => tree.leaves_below(directory)?,
            About::Blobs(..) => Vec::new(),
        };
        if self.now.read(directory)? == Entry::Directory {
            leaves.extend(self.now.leaves_below(directory)?);
        }
        leaves.sort();
        leaves.dedup();
        Ok(leaves)
    }

    fn tracked(&self) -> Vec<RepoPath> {
        match &self.base {
            About::Tree(tree) => tree.tracked(),
            About::Blobs(..) => self.now.tracked(),
        }
    }

    fn gone(&self, path: &RepoPath) -> Option<Gone> {
        match self.now.read(path) {
            Ok(Entry::File(_)) => Some(Gone::NotInBase(self.how_it_came(path))),
            _ => None,
        }
    }

    fn confirm(&self, path: &RepoPath, before: Option<&File>) -> Result<(), TreeError> {
        let now = self.now.read(path)?;
        let base = self.was(path, &now)?;
        if self.is_same(path, &base, &now)? {
            self.now.confirm(path, before)
        } else if self.merges {
            Ok(())
        } else {
            Err(self.drifted(path, &base, now))
        }
    }
}

impl std::fmt::Debug for BasedTree<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BasedTree")
            .field("commit", &self.commit)
            .finish_non_exhaustive()
    }
}
