//! The repository: where it is, what it is configured to, and the trees that a plan can be made
//! for.
//!
//! libgit2 is called here and nowhere else, though its ids and kinds of objects go further; and here
//! is the only place that starts the git program. Nothing here decides anything about a patch. What
//! libgit2 gets wrong or can't read is refused here, in words, before it can be half done.

mod agreeing_tree;
pub(crate) mod attributes;
mod based_tree;
pub(crate) mod branch;
mod cache_tree;
pub(crate) mod commit;
mod config;
pub(crate) mod conversion;
pub mod differ;
mod directories;
mod discovery;
mod encoding;
mod error;
mod filter;
pub(crate) mod git;
pub mod history;
pub(crate) mod hooks;
pub(crate) mod index;
mod index_file;
mod index_record;
mod index_tree;
mod index_write;
pub(crate) mod kept_pack;
mod line_ends;
pub(crate) mod links;
mod made;
mod mail;
pub(crate) mod merge;
mod object_count;
pub(crate) mod objects;
mod open;
pub(crate) mod pack;
mod process_filter;
mod quarantine;
mod racy;
pub(crate) mod references;
mod replacements;
mod result_reference;
mod revision;
mod revision_tree;
mod rules;
mod shape;
pub(crate) mod shared;
mod slot;
pub(crate) mod snapshot;
pub(crate) mod staged;
pub(crate) mod standin;
pub(crate) mod tree_write;
pub(crate) mod work_tree;

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

pub use agreeing_tree::{Against, AgreeingTree};
pub use based_tree::BasedTree;
pub use branch::is_branch_name;
pub use commit::{CommitError, CommitRequest, MessageEncoding, Sign};
pub(crate) use commit::{Committer, Draft};
pub use config::Config;
use conversion::Conversion;
pub use differ::{Differ, Side};
use directories::ReadBefore;
pub use error::RepoError;
use filter::GitFilter;
pub(crate) use git::{ChildWatch, shell};
pub use history::{Commit, Touched};
use index_file::{Fingerprint, IndexFile};
use index_record::Record;
pub use index_tree::IndexTree;
pub(crate) use index_write::{Blob, NextIndex};
pub(crate) use kept_pack::KeptPack;
pub use line_ends::Value as AttributeValue;
use links::Real;
pub(crate) use made::MadeTree;
pub use mail::{Mail, mails};
pub use merge::ConflictMarkers;
pub(crate) use pack::{NewObjects, Pack, Packing};
pub(crate) use result_reference::{KeepingReference, Keeps};
pub use revision::Revision;
pub use revision_tree::RevisionTree;
use shape::IndexExtras;
pub use slot::Slot;
pub use staged::{BlobId, Held, Staged};
use standin::StandIn;
pub(crate) use tree_write::{ObjectStore, TreeWriter, tree_of_trees};
pub use work_tree::WorkTree;

use crate::dir::Dir;
use crate::system::{self, OsStrExt as _};
use llmpatch::path::{PathError, RepoPath, Resolver};

/// A repository, with a work tree or without.
pub struct Repo {
    git: git2::Repository,
    top: Option<PathBuf>,
    index_path: PathBuf,
    /// The index that was read last.
    index: RefCell<Option<(Fingerprint, IndexFile, IndexExtras)>>,
    read_before: RefCell<ReadBefore>,
    /// What is read in the place of objects, once somebody asked.
    replacements: OnceCell<HashMap<git2::Oid, git2::Oid>>,
    real: Real,
    dir: OnceCell<Dir>,
    own_dir: OnceCell<Rc<Dir>>,
    config: Config,
    /// What libgit2 has in the place of a repository that it doesn't open.
    standin: Option<StandIn>,
    /// The rules outside of `.gitattributes`, once somebody asked; `None` if only git knows.
    elsewhere: OnceCell<Option<Vec<u8>>>,
    /// git, where it converts what libgit2 would get wrong; and where it does so for encodings
    /// alone.
    filter: OnceCell<GitFilter>,
    encoder: OnceCell<GitFilter>,
    /// The paths whose bytes git converted, and why it did.
    by_git: RefCell<BTreeMap<RepoPath, String>>,
    /// The files of the work tree that were read, as long as later writing to them shows in what
    /// the system says of them.
    seen: RefCell<HashMap<RepoPath, work_tree::FileRead>>,
}

impl Repo {
    /// Makes one of which nothing has been asked yet.
    fn unused(
        git: git2::Repository,
        top: Option<PathBuf>,
        index_path: PathBuf,
        config: Config,
        standin: Option<StandIn>,
    ) -> Self {
        // What is written was read before, and a partial clone hasn't got all that its trees and
        // its index name.
        git2::opts::strict_object_creation(false);
        let (real, dir, own_dir, elsewhere, filter, encoder, by_git, seen) = Default::default();
        let (index, read_before, replacements) = Default::default();
        Self {
            git,
            top,
            index_path,
            index,
            read_before,
            replacements,
            real,
            dir,
            own_dir,
            config,
            standin,
            elsewhere,
            filter,
            encoder,
            by_git,
            seen,
        }
    }

    /// Returns the top of the work tree.
    ///
    /// # Errors
    /// If the repository is bare.
    pub fn top(&self) -> Result<&Path, RepoError> {
        self.top.as_deref().ok_or_else(|| RepoError::NoWorkTree {
            git_dir: self.git_dir().to_owned(),
        })
    }

    /// Returns the work tree as a place that can't be left.
    ///
    /// # Errors
    /// If there is none, or its top can't be opened.
    pub fn dir(&self) -> Result<&Dir, RepoError> {
        get_or_try_init(&self.dir, || {
            let top = self.top()?;
            Dir::open(top).map_err(RepoError::read(top))
        })
    }

    /// Returns the directory that holds this work tree's own part of the repository.
    pub fn git_dir(&self) -> &Path {
        self.standin
            .as_ref()
            .map_or(self.git.path(), |standin| &standin.git_dir)
    }

    /// Returns the directory that holds what all work trees share.
    fn common_dir(&self) -> &Path {
        self.standin
            .as_ref()
            .map_or(self.git.commondir(), |standin| &standin.common_dir)
    }

    /// Returns the file of the index in use, whether or not it is there, at the end of all links.
    pub fn index_path(&self) -> &Path {
        self.real.index.get_or_init(|| {
            links::real_in(
                Some((self.git_dir(), links::real_git_dir(self))),
                &self.index_path,
            )
        })
    }

    /// Returns the top where there is no repository.
    pub fn top_without_repository(&self) -> Option<&Path> {
        let standin = self.standin.as_ref()?;
        standin.top.as_deref().filter(|_| standin.is_outside())
    }

    /// Checks that libgit2 can read objects and index.
    ///
    /// # Errors
    /// `unsupported` if it can't.
    fn check_objects(&self) -> Result<(), RepoError> {
        self.standin.as_ref().map_or(Ok(()), StandIn::check_objects)
    }

    /// Returns the directory that new objects go to.
    pub(crate) fn objects_dir(&self) -> PathBuf {
        std::env::var_os("GIT_OBJECT_DIRECTORY")
            .filter(|named| !named.is_empty())
            .map_or_else(|| self.common_dir().join("objects"), PathBuf::from)
    }

    /// Returns the directory that holds this work tree's own part of the repository as a place that
    /// can't be left.
    ///
    /// # Errors
    /// If it can't be opened.
    pub(crate) fn own_dir(&self) -> io::Result<Rc<Dir>> {
        get_or_try_init(&self.own_dir, || Dir::open(self.git_dir()).map(Rc::new)).cloned()
    }

    /// Returns the configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns what turns the paths of a response into paths of this repository, given the value of
    /// `--directory`.
    ///
    /// # Errors
    /// If the directory isn't a directory of the work tree by its spelling.
    pub fn resolver(&self, directory: Option<&[u8]>) -> Result<Resolver, PathError> {
        let tops = links::spellings_of_top(self);
        let tops = tops.iter().map(|top| top.as_os_str().as_bytes().into());
        let mut resolver = Resolver::within(tops)
            .following_links(system::real)
            .composing(self.config.composes_names())
            .with_backslashes(system::HAS_BACKSLASHES);
        for (name, directory) in self.config.entries("llmpatch.root.") {
            resolver = resolver.with_root(&name, &directory);
        }
        for directory in links::own_directories_in_the_work_tree(self) {
            resolver = resolver.without(directory);
        }
        match directory {
            Some(directory) => resolver.with_directory(directory),
            None => Ok(resolver),
        }
    }
}

impl std::fmt::Debug for Repo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repo")
            .field("git_dir", &self.git_dir())
            .field("top", &self.top)
            .finish_non_exhaustive()
    }
}

/// Returns what a cell holds, which is made first if it holds nothing yet.
fn get_or_try_init<T, E>(cell: &OnceCell<T>, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
    if let Some(made) = cell.get() {
        return Ok(made);
    }
    let made = make()?;
    Ok(cell.get_or_init(|| made))
}

/// How many names are worth looking through for a misspelled name.
const WORTH_LISTING: usize = 500_000;

/// Returns the paths that some entries are of; none if there are too many.
fn tracked<'i>(entries: impl Iterator<Item = Record<'i>>) -> Vec<RepoPath> {
    let mut paths: Vec<RepoPath> = entries
        .take(WORTH_LISTING + 1)
        .filter_map(|entry| RepoPath::new(entry.path()).ok())
        .collect();
    if paths.len() > WORTH_LISTING {
        return Vec::new();
    }
    // An unmerged path has up to three entries.
    paths.dedup();
    paths
}
