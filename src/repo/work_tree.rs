//! The work tree as a place to plan for: files on disk, without the index where it can be done
//! without.
//!
//! A submodule or nested repository is no place to write. If it is there, its `.git` shows it, for
//! which no index is needed. A submodule that isn't checked out is an empty directory, or none,
//! that only the index tells from others. The index is asked only where that can be: for paths
//! below a submodule of `.gitmodules`, and below an empty directory. Without symbolic links
//! (`core.symlinks`) it also says which files git takes for links.

use crate::dir::SystemPath as _;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::io;

use bstr::ByteSlice as _;

use super::conversion::Conversion;
use super::index_write::SKIP_WORKTREE;
use super::objects::{GITLINK, LINK, later_id};
use super::{Repo, RepoError, encoding, get_or_try_init, index};
use crate::dir::clock::Moment;
use crate::dir::rights::Rights;
use crate::dir::{Dir, DirectoriesWith, Found, Shape, Stat, can_name};
use crate::system::MAKES_LINKS;
use llmpatch::path::{RepoPath, windows_fault};
use llmpatch::tree::{
    AttributeFiles, CaseTwins, Content, Entry, File, Gone, Id, Mode, Obstacle, Planned, Tree,
    TreeError,
};

/// The files on disk.
#[derive(Debug)]
pub struct WorkTree<'r> {
    repo: &'r Repo,
    dir: &'r Dir,
    case_twins: CaseTwins,
    modules: OnceCell<Modules>,
    /// Whether git makes symbolic links (`core.symlinks`).
    has_links: OnceCell<bool>,
    /// The directories of other repositories.
    repositories: DirectoriesWith<'r>,
    /// The nearest that is there, for every directory beneath which something was found to be
    /// absent.
    nearest: RefCell<HashMap<Option<RepoPath>, Option<RepoPath>>>,
    /// Whether a directory is a submodule that isn't checked out, for every directory that was
    /// asked about.
    empty_submodules: RefCell<HashMap<RepoPath, bool>>,
    /// When the first file was read.
    began: OnceCell<Option<Moment>>,
    pub(super) conversion: Conversion<'r>,
}

/// A file that was read at such a time that the system's times show every later write.
pub(super) struct FileRead {
    content: Content,
    stat: Stat,
    /// Whether it has neither an access list nor attributes.
    is_plain: bool,
}

/// The submodules by `.gitmodules`.
#[derive(Debug)]
enum Modules {
    At(Vec<RepoPath>),
    /// There is such a file, and it can't be read as git would.
    Unreadable,
}

impl<'r> WorkTree<'r> {
    /// Returns the work tree, as files on disk.
    ///
    /// # Errors
    /// If there is none.
    pub fn new(repo: &'r Repo) -> Result<Self, RepoError> {
        Self::with(repo, Conversion::of_work_tree(repo)?)
    }

    /// Returns the work tree with what is between its files and their blobs.
    pub(super) fn with(repo: &'r Repo, conversion: Conversion<'r>) -> Result<Self, RepoError> {
        let dir = repo.dir()?;
        Ok(Self {
            repo,
            dir,
            case_twins: CaseTwins::new(repo.config.ignores_case()?),
            modules: OnceCell::new(),
            has_links: OnceCell::new(),
            repositories: DirectoriesWith::new(dir, ".git"),
            nearest: RefCell::default(),
            empty_submodules: RefCell::default(),
            began: OnceCell::new(),
            conversion,
        })
    }

    /// Returns what is on disk at a path, without reading it.
    pub(super) fn look(&self, path: &RepoPath) -> io::Result<Found> {
        self.dir.look(path)
    }

    /// Reads a file, or says what is there instead; a file that was read before and that nobody
    /// wrote to since isn't read again.
    fn read_file(&self, path: &RepoPath) -> io::Result<Result<(Content, Stat), Found>> {
        if let Some(seen) = self.repo.seen.borrow().get(path)
            && self.dir.glance(path) == Some(seen.stat)
        {
            return Ok(Ok((seen.content.clone(), seen.stat)));
        }
        let began = *self.began.get_or_init(|| Moment::now(self.dir));
        let (content, stat, is_plain) = match self.dir.read_or_look(path)? {
            Ok(read) => read,
            Err(found) => return Ok(Err(found)),
        };
        if began.is_some_and(|began| began.shows_in(&stat)) {
            self.repo.seen.borrow_mut().insert(
                path.clone(),
                FileRead {
                    content: content.clone(),
                    stat,
                    is_plain,
                },
            );
        }
        Ok(Ok((content, stat)))
    }

    /// Returns what is on disk, submodules aside.
    fn on_disk(&self, path: &RepoPath) -> io::Result<Entry> {
        let directory = path.parent();
        if self
            .nearest
            .borrow()
            .get(&directory)
            .is_some_and(|nearest| *nearest != directory)
        {
            // Its directory isn't there, nor is anything else in its place.
            return Ok(Entry::Absent);
        }
        Ok(match self.read_file(path)? {
            Ok((_, stat)) if self.is_twin(path, &stat)? => Entry::Absent,
            Ok((content, stat)) => {
                let mode = Mode {
                    executable: stat.is_executable(),
                    bits: Some(stat.bits),
                };
                Entry::File(File { content, mode })
            }
            Err(Found::Absent) => Entry::Absent,
            Err(Found::Directory) if self.dir.has(path, ".git")? => {
                Entry::Other(Obstacle::Repository)
            }
            Err(Found::Directory) => Entry::Directory,
            Err(Found::Link) => Entry::Other(Obstacle::Link),
            Err(Found::Special) => Entry::Other(Obstacle::Special),
            Err(Found::Beneath { ancestor, what }) => Entry::Beneath {
                ancestor,
                what: obstacle(what),
            },
            // It became a file between the two looks.
            Err(Found::File(_)) => return Err(io::Error::other("it changed while it was read")),
        })
    }

    /// Returns whether what was read at a path is a file whose name is written in another case: the
    /// system finds it by either name, and to git it has one.
    fn is_twin(&self, path: &RepoPath, stat: &Stat) -> io::Result<bool> {
        let number = |stat: &Stat| (stat.device, stat.inode);
        for twin in self.case_twins(path).map_err(io::Error::other)? {
            let found = self.dir.look(&twin)?;
            if matches!(found, Found::File(other) if number(&other) == number(stat)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the highest directory above a path that belongs to another repository.
    fn repository_above(&self, path: &RepoPath) -> io::Result<Option<RepoPath>> {
        Ok(self.repositories.above(path)?.first().cloned())
    }

    /// Returns the nearest directory above a path that is there, beneath the top.
    fn nearest_directory(&self, path: &RepoPath) -> Option<RepoPath> {
        let directory = path.parent();
        if let Some(known) = self.nearest.borrow().get(&directory) {
            return known.clone();
        }
        let nearest = self.dir.nearest_directory(path).ok()?;
        self.nearest.borrow_mut().insert(directory, nearest.clone());
        nearest
    }

    /// Returns whether git makes symbolic links.
    fn has_links(&self) -> Result<bool, RepoError> {
        get_or_try_init(&self.has_links, || {
            let set = self.repo.config.bool("core.symlinks")?;
            Ok(set.unwrap_or(MAKES_LINKS))
        })
        .copied()
    }

    /// Returns whether git takes a file at a path for a symbolic link, as it does under
    /// `core.symlinks=false` where the index has one: the file holds where the link leads.
    fn is_link_as_file(&self, path: &RepoPath) -> Result<bool, RepoError> {
        if self.has_links()? {
            return Ok(false);
        }
        Ok(index::entry_at(self.repo, path)?.is_some_and(|(mode, _)| mode == LINK))
    }

    /// Returns the submodule that a path is, or lies in, if it isn't checked out.
    fn empty_submodule(
        &self,
        path: &RepoPath,
        entry: &Entry,
    ) -> Result<Option<RepoPath>, RepoError> {
        let upwards = || std::iter::once(path.clone()).chain(path.ancestors());
        let suspects: Vec<RepoPath> = match self.modules.get_or_init(|| self.read_modules()) {
            Modules::At(paths) => paths
                .iter()
                .filter(|module| *module == path || path.is_below(module))
                .cloned()
                .collect(),
            Modules::Unreadable => upwards().collect(),
        };
        let module = self.submodule_among(suspects)?;
        let nearest = match entry {
            _ if module.is_some() => return Ok(module),
            // A directory that holds a file isn't empty.
            Entry::File(_) => None,
            Entry::Directory => Some(path.clone()),
            _ => self.nearest_directory(path),
        };
        nearest.map_or(Ok(None), |directory| {
            Ok(self.is_empty_submodule(&directory)?.then_some(directory))
        })
    }

    /// Returns the first of these that is a submodule for the index.
    fn submodule_among(&self, suspects: Vec<RepoPath>) -> Result<Option<RepoPath>, RepoError> {
        let entries = index::entries_at(self.repo, &suspects)?;
        Ok(suspects
            .into_iter()
            .find(|at| entries.get(at).is_some_and(|(mode, _)| *mode == GITLINK)))
    }

    fn is_empty_submodule(&self, directory: &RepoPath) -> Result<bool, RepoError> {
        if let Some(known) = self.empty_submodules.borrow().get(directory) {
            return Ok(*known);
        }
        let is_empty = self
            .dir
            .list(Some(directory))
            .is_ok_and(|names| names.is_empty());
        let is_one = is_empty && self.submodule_among(vec![directory.clone()])?.is_some();
        self.empty_submodules
            .borrow_mut()
            .insert(directory.clone(), is_one);
        Ok(is_one)
    }

    /// Returns the blob that the index has for a path, if the index can be read.
    fn indexed(&self, path: &RepoPath) -> Option<git2::Oid> {
        let (_, id) = index::entry_at(self.repo, path).ok()??;
        Some(id)
    }

    fn read_modules(&self) -> Modules {
        let Ok(file) = RepoPath::new(b".gitmodules") else {
            return Modules::Unreadable;
        };
        match (self.dir.look(&file), self.repo.top()) {
            (Ok(Found::File(_)), Ok(top)) => match paths_in_modules(&top.join(file.as_path())) {
                Ok(paths) => Modules::At(paths),
                Err(_) => Modules::Unreadable,
            },
            (Ok(Found::Absent), _) => Modules::At(Vec::new()),
            _ => Modules::Unreadable,
        }
    }
}

fn paths_in_modules(file: &std::path::Path) -> Result<Vec<RepoPath>, git2::Error> {
    let mut paths = Vec::new();
    let config = git2::Config::open(file)?;
    config.entries(None)?.for_each(|entry| {
        let key = entry.name_bytes();
        if key.starts_with(b"submodule.") && key.ends_with(b".path") && entry.has_value() {
            // One that isn't in git's form is none that git would have written.
            paths.extend(RepoPath::new(
                entry.value_bytes().trim_end_with(|c| c == '/'),
            ));
        }
    })?;
    Ok(paths)
}

fn obstacle(what: Shape) -> Option<Obstacle> {
    match what {
        Shape::File | Shape::Directory => None,
        Shape::Link => Some(Obstacle::Link),
        Shape::Special => Some(Obstacle::Special),
    }
}

/// Returns what the successor of a file of the work tree takes over; `None` if the file doesn't
/// exist.
pub(crate) fn rights(repo: &Repo, dir: &Dir, path: &RepoPath) -> io::Result<Option<Rights>> {
    if let Some(seen) = repo.seen.borrow().get(path)
        && seen.is_plain
        && dir.glance(path) == Some(seen.stat)
    {
        return Ok(Some(Rights::plain(seen.stat)));
    }
    Rights::at(dir, path)
}

impl Tree for WorkTree<'_> {
    fn read(&self, path: &RepoPath) -> Result<Entry, TreeError> {
        Ok(match self.read_kept(path)? {
            Entry::File(File { content, mode }) => {
                let content = self
                    .conversion
                    .open(path, content)
                    .map_err(|error| error.at(path))?;
                Entry::File(File { content, mode })
            }
            entry => entry,
        })
    }

    fn read_kept(&self, path: &RepoPath) -> Result<Entry, TreeError> {
        let wrong = |source| TreeError::Io {
            path: path.clone(),
            source,
        };
        let entry = self.on_disk(path).map_err(wrong)?;
        if !matches!(entry, Entry::Absent | Entry::File(_) | Entry::Directory) {
            return Ok(entry);
        }
        if let Some(ancestor) = self.repository_above(path).map_err(wrong)? {
            return Ok(Entry::Beneath {
                ancestor,
                what: Some(Obstacle::Repository),
            });
        }
        if self.is_link_as_file(path).map_err(|error| error.at(path))? {
            return Ok(Entry::Other(Obstacle::Link));
        }
        match self
            .empty_submodule(path, &entry)
            .map_err(|error| error.at(path))?
        {
            Some(module) if module == *path => Ok(Entry::Other(Obstacle::Repository)),
            Some(ancestor) => Ok(Entry::Beneath {
                ancestor,
                what: Some(Obstacle::Repository),
            }),
            None => Ok(entry),
        }
    }

    fn leaves_below(&self, directory: &RepoPath) -> Result<Vec<RepoPath>, TreeError> {
        let mut leaves = Vec::new();
        let mut directories = vec![directory.clone()];
        while let Some(directory) = directories.pop() {
            let names = self
                .dir
                .list(Some(&directory))
                .map_err(|source| TreeError::Io {
                    path: directory.clone(),
                    source,
                })?;
            for (name, shape) in names {
                match directory.join(&name) {
                    Ok(path) if shape == Shape::Directory => directories.push(path),
                    Ok(path) => leaves.push(path),
                    // A name that no patch can touch, such as `.git`: the directory as a whole
                    // stays where it is.
                    Err(_) => leaves.push(directory.clone()),
                }
            }
        }
        Ok(leaves)
    }

    fn tracked(&self) -> Vec<RepoPath> {
        index::read(self.repo).map_or_else(|_| Vec::new(), |index| super::tracked(index.iter()))
    }

    fn gone(&self, path: &RepoPath) -> Option<Gone> {
        let index = index::read(self.repo).ok()?;
        let entry = index.get(path.as_bytes(), 0)?;
        Some(if entry.extended() & SKIP_WORKTREE != 0 {
            Gone::LeftOut
        } else {
            Gone::Deleted
        })
    }

    fn makes_links(&self) -> bool {
        MAKES_LINKS && self.has_links().unwrap_or(false)
    }

    fn link(&self, path: &RepoPath) -> Result<Option<Content>, TreeError> {
        let link = self.dir.read_link(path).map_err(|source| TreeError::Io {
            path: path.clone(),
            source,
        });
        Ok(link?.map(|(target, _)| target))
    }

    fn stored(&self, path: &RepoPath, content: &Content) -> Result<Content, TreeError> {
        let stored = self
            .conversion
            .to_git(path, content, || Ok(self.indexed(path)));
        Ok(stored.map_err(|error| error.at(path))?.into_owned())
    }

    fn id(&self, path: &RepoPath, content: &Content) -> Result<Option<Id>, TreeError> {
        Ok(Some(later_id(self.repo, self.stored(path, content)?)))
    }

    fn case_twins(&self, path: &RepoPath) -> Result<Vec<RepoPath>, TreeError> {
        self.case_twins
            .of(path, |directory| match self.dir.list(directory) {
                Ok(names) => Ok(names.into_iter().map(|(name, _)| name).collect()),
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                    ) =>
                {
                    Ok(Vec::new())
                }
                Err(source) => Err(TreeError::Io {
                    path: path.clone(),
                    source,
                }),
            })
    }

    fn check_out(&self, path: &RepoPath, bytes: Vec<u8>) -> Result<Vec<u8>, TreeError> {
        self.conversion
            .to_work_tree(path, bytes)
            .map_err(|error| error.at(path))
    }

    fn encoding_of(&self, bytes: &[u8], text: &[u8]) -> Option<&'static str> {
        encoding::detect(self.repo, bytes, text).ok().flatten()
    }

    fn carry(
        &self,
        from: &RepoPath,
        to: &RepoPath,
        content: Content,
    ) -> Result<Content, TreeError> {
        let carried = self
            .conversion
            .carry(from, (&self.conversion, to), content, || self.indexed(from));
        carried.map_err(|error| error.at(to))
    }

    fn settle(&self, files: &mut [Planned<'_>], rules: &AttributeFiles) -> Result<(), TreeError> {
        self.conversion
            .settle(files, rules, |path| self.indexed(path))
    }

    fn confirm(&self, path: &RepoPath, before: Option<&File>) -> Result<(), TreeError> {
        if before.is_some() || can_name(path) {
            return Ok(());
        }
        Err(TreeError::Misnamed {
            path: path.clone(),
            why: windows_fault(path).unwrap_or_default(),
        })
    }

    fn ignores_case(&self) -> bool {
        self.case_twins.ignores_case
    }
}
