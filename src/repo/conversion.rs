//! What is between a file on disk and its blob: attributes and settings, looked up path by path.
//!
//! Which `.gitattributes` count is decided here, as git decides it: the one on disk, never through a link (git neither, since
//! 2.32); where there is none, the one in the index, if that is consulted; and those of a change that is about to be made come before
//! both. libgit2 is handed their contents in an index in memory, with objects in memory, and reads the rules that are elsewhere
//! (`info/attributes`, `core.attributesFile`). So it never looks at the work tree, and never reads an index that isn't needed.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice as _};
use git2::{AttrCheckFlags, AttrValue};

use super::eol::{AutoCrlf, Eol, LineEnds, Settings, Value, expand_ident, is_crlf_text, unexpand_ident};
use super::objects::obstacle;
use super::slot::empty;
use super::{Repo, RepoError};
use crate::dir::Found;
use crate::path::RepoPath;
use crate::tree::{AttributeFiles, Content, Planned, RULES, Repair, TreeError};

/// Whether attributes that are in the index only are wanted too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consult {
    /// Those on disk will do.
    Disk,
    /// The index as well.
    Index,
}

/// Turns bytes of the work tree into bytes of a blob and back, as git would for their path.
pub(crate) struct Conversion<'r> {
    repo: &'r Repo,
    consult: Consult,
    /// The `.gitattributes` that a change writes or removes: as if it had been made.
    changed: AttributeFiles,
    settings: Settings,
    /// libgit2 with the rules that were met so far in its index, made when it is first needed.
    apart: OnceCell<git2::Repository>,
    /// Whether there are attributes besides those in `.gitattributes`.
    elsewhere: OnceCell<bool>,
    /// Of directories, whether there are rules in them or above, which libgit2 knows then.
    met: RefCell<HashMap<Option<RepoPath>, bool>>,
}

/// The attributes of a path that matter here.
#[derive(Debug, Default)]
struct Attributes {
    text: Value,
    crlf: Value,
    eol: Value,
    ident: Value,
    filter: Value,
    encoding: Value,
}

impl<'r> Conversion<'r> {
    pub(super) fn new(repo: &'r Repo, consult: Consult) -> Result<Self, RepoError> {
        let config = repo.config();
        let word = |key| Ok::<_, RepoError>(config.string(key).ok().flatten().unwrap_or_default().to_ascii_lowercase());
        let autocrlf = match &word("core.autocrlf")?[..] {
            b"input" => AutoCrlf::Input,
            _ if config.bool("core.autocrlf")?.unwrap_or(false) => AutoCrlf::True,
            _ => AutoCrlf::False,
        };
        let eol = match &word("core.eol")?[..] {
            b"lf" | b"native" => Some(Eol::Lf),
            b"crlf" => Some(Eol::CrLf),
            _ => None,
        };
        if !is_seen_by_libgit2(repo, "core.attributesfile") {
            return Err(RepoError::Unsupported {
                what: "is given `core.attributesFile` on the command line".to_owned(),
                repair: Repair::Clone,
            });
        }
        let settings = Settings { autocrlf, eol };
        let (apart, elsewhere, met) = (OnceCell::new(), OnceCell::new(), RefCell::default());
        Ok(Self { repo, consult, changed: AttributeFiles::new(), settings, apart, elsewhere, met })
    }

    /// Returns the same for when a change has been made that writes or removes these files.
    pub(crate) fn after(&self, changed: AttributeFiles) -> Self {
        let (apart, elsewhere, met) = (OnceCell::new(), self.elsewhere.clone(), RefCell::default());
        Self { repo: self.repo, consult: self.consult, changed, settings: self.settings, apart, elsewhere, met }
    }

    /// Returns the bytes of the blob that `git add` would make of a file. `indexed` is the blob that the index now has for
    /// the path: where git only guesses that a file is text, one with CRLF in it is left alone.
    ///
    /// # Errors
    /// If attributes or the blob can't be read. Paths that can't be converted at all are [`Conversion::hindrance`]'s.
    pub(crate) fn to_git<'b>(
        &self,
        path: &RepoPath,
        bytes: &'b [u8],
        indexed: Option<git2::Oid>,
    ) -> Result<Cow<'b, [u8]>, RepoError> {
        if !may_be_converted(bytes) {
            return Ok(bytes.into());
        }
        self.clean(&self.attributes(path)?, bytes, || match indexed.map(|id| self.repo.git2().find_blob(id)) {
            Some(Ok(blob)) => Ok(is_crlf_text(blob.content())),
            Some(Err(error)) => Err(RepoError::git("a blob", error)),
            None => Ok(false),
        })
    }

    fn clean<'b>(
        &self,
        attributes: &Attributes,
        bytes: &'b [u8],
        stored_has_crlf: impl FnOnce() -> Result<bool, RepoError>,
    ) -> Result<Cow<'b, [u8]>, RepoError> {
        let stored = self.line_ends(attributes).to_git(bytes, stored_has_crlf)?;
        Ok(if attributes.ident == Value::True { then(stored, unexpand_ident) } else { stored })
    }

    /// Returns what a file is to hold on disk where another path, or another state of the attributes, is in force. The blob is
    /// not to change by that, as it doesn't for `git mv`: where the bytes would be stored as another one, they become what a
    /// checkout of the blob writes; else they stay. `indexed` is asked for the blob that the index has for the old path.
    ///
    /// # Errors
    /// As [`Conversion::to_git`] and [`Conversion::to_work_tree`].
    pub(super) fn carry(
        &self,
        from: &RepoPath,
        to: (&Conversion<'_>, &RepoPath),
        content: Content,
        indexed: impl FnOnce() -> Option<git2::Oid>,
    ) -> Result<Content, RepoError> {
        if !may_be_converted(&content) {
            return Ok(content);
        }
        let (after, path) = to;
        let stored = self.to_git(from, &content, indexed())?;
        if after.clean(&after.attributes(path)?, &content, || Ok(is_crlf_text(&stored)))? == stored {
            return Ok(content);
        }
        Ok(after.to_work_tree(path, stored.into_owned())?.into())
    }

    /// Returns what a checkout would write for a new file.
    ///
    /// # Errors
    /// If attributes can't be read, or ask for an encoding.
    pub(crate) fn to_work_tree(&self, path: &RepoPath, bytes: Vec<u8>) -> Result<Vec<u8>, RepoError> {
        let attributes = self.attributes(path)?;
        if let Some(encoding) = attributes.encoding() {
            return Err(RepoError::Attribute { what: encoding });
        }
        let mut file = Cow::from(&bytes[..]);
        if attributes.ident == Value::True {
            let name = || {
                git2::Oid::hash_object(git2::ObjectType::Blob, &bytes)
                    .map_or_else(|_| String::new(), |id| id.to_string())
            };
            file = expand_ident(&bytes, name);
        }
        let file = match self.line_ends(&attributes).to_work_tree(&file) {
            Cow::Owned(converted) => Some(converted),
            Cow::Borrowed(_) => match file {
                Cow::Owned(expanded) => Some(expanded),
                Cow::Borrowed(_) => None,
            },
        };
        Ok(file.unwrap_or(bytes))
    }

    /// Makes the contents of the files of a change what git would have on disk by the attributes that the change brings, and
    /// returns the conversion by these. A new file becomes what a checkout writes, the others as [`Conversion::carry`] says.
    ///
    /// # Errors
    /// As [`Conversion::carry`].
    pub(super) fn settle(
        &self,
        files: &mut [Planned<'_>],
        rules: &AttributeFiles,
        indexed: impl Fn(&RepoPath) -> Option<git2::Oid>,
    ) -> Result<Self, TreeError> {
        let after = self.after(rules.clone());
        for Planned { path, is_new, content } in files {
            let settled = match is_new {
                true => self
                    .to_git(path, content, None)
                    .and_then(|stored| after.to_work_tree(path, stored.into()))
                    .map(Content::from),
                false => self.carry(path, (&after, path), content.clone(), || indexed(path)),
            };
            **content = settled.map_err(|error| error.at(path))?;
        }
        Ok(after)
    }

    /// Says what keeps a path's bytes from being converted right, such as a filter driver.
    ///
    /// # Errors
    /// If attributes can't be read.
    pub(crate) fn hindrance(&self, path: &RepoPath) -> Result<Option<String>, RepoError> {
        let attributes = self.attributes(path)?;
        if let Value::Word(driver) = &attributes.filter {
            let driver = driver.as_bstr();
            let works = |part: &str| self.repo.config().string(&format!("filter.{driver}.{part}"));
            // A driver that nobody has set up does nothing, for git either.
            if ["clean", "process"].iter().any(|part| !matches!(works(part), Ok(None))) {
                return Ok(Some(format!("has a filter driver (filter={driver})")));
            }
        }
        Ok(attributes.encoding())
    }

    fn line_ends(&self, attributes: &Attributes) -> LineEnds {
        LineEnds::decide(&attributes.text, &attributes.crlf, &attributes.eol, self.settings)
    }

    /// Returns the value of any one attribute of a path.
    ///
    /// # Errors
    /// If attributes can't be read.
    pub(super) fn attribute(&self, path: &RepoPath, name: &str) -> Result<Value, RepoError> {
        self.values(path, [name]).map(|[value]| value)
    }

    fn attributes(&self, path: &RepoPath) -> Result<Attributes, RepoError> {
        let names = ["text", "crlf", "eol", "ident", "filter", "working-tree-encoding"];
        let [text, crlf, eol, ident, filter, encoding] = self.values(path, names)?;
        Ok(Attributes { text, crlf, eol, ident, filter, encoding })
    }

    fn values<const N: usize>(&self, path: &RepoPath, names: [&str; N]) -> Result<[Value; N], RepoError> {
        let mut values = [(); N].map(|()| Value::Unspecified);
        if self.meet_rules(path)? || *self.elsewhere.get_or_init(|| self.are_elsewhere()) {
            for (value, name) in values.iter_mut().zip(names) {
                let looked_up = self.apart().and_then(|repo| look_up(repo, path, name));
                *value = looked_up.map_err(unreadable)?;
            }
        }
        Ok(values)
    }

    /// Has libgit2 know every `.gitattributes` that could give attributes to a path; returns whether there is one. One that is a
    /// pipe or a device is refused: git, when it looks at the change later, would wait for its other end for ever.
    fn meet_rules(&self, path: &RepoPath) -> Result<bool, RepoError> {
        let directory = path.parent();
        if let Some(known) = self.met.borrow().get(&directory) {
            return Ok(*known);
        }
        let on_disk = match self.repo.top {
            Some(_) => self.repo.dir()?.directories_with(RULES, path).map_err(|source| io(path, source))?,
            None => Vec::new(),
        };
        let (mut rules, mut unseen) = (Vec::new(), Vec::new());
        for directory in std::iter::once(None).chain(path.ancestors().map(Some)) {
            let file = rules_in(directory.as_ref());
            let is_there = on_disk.contains(&directory);
            match (self.changed.get(&file), if is_there { self.on_disk(&file)? } else { None }) {
                (Some(Some(content)), _) => rules.push((file, content.to_vec())),
                (Some(None), _) => {}
                (None, Some(content)) => rules.push((file, content)),
                (None, None) => unseen.push(file),
            }
        }
        if self.consult == Consult::Index {
            let entries = self.repo.entries_at(&unseen)?;
            for (file, (_, id)) in entries.into_iter().filter(|(_, (mode, _))| obstacle(*mode).is_none()) {
                let blob = self.repo.git2().find_blob(id).map_err(|error| RepoError::git("a blob", error))?;
                rules.push((file, blob.content().to_vec()));
            }
        }
        for (file, content) in &rules {
            self.tell(file, content).map_err(unreadable)?;
        }
        self.met.borrow_mut().insert(directory, !rules.is_empty());
        Ok(!rules.is_empty())
    }

    fn on_disk(&self, file: &RepoPath) -> Result<Option<Vec<u8>>, RepoError> {
        let dir = self.repo.dir()?;
        if dir.look(file).map_err(|source| io(file, source))? == Found::Special {
            return Err(RepoError::Unsupported {
                what: format!("has a `{file}` that is no file"),
                repair: Repair::Clone,
            });
        }
        Ok(dir.read(file).map_err(|source| io(file, source))?.map(|(bytes, _)| bytes))
    }

    /// Has libgit2 know what a `.gitattributes` holds.
    fn tell(&self, file: &RepoPath, rules: &[u8]) -> Result<(), git2::Error> {
        let apart = self.apart()?;
        let id = apart.blob(rules)?;
        apart.index()?.add(&git2::IndexEntry { mode: 0o100644, id, ..empty(file) })
    }

    fn are_elsewhere(&self) -> bool {
        let own = self.repo.git2().commondir().join("info/attributes");
        let named = self.repo.config().string("core.attributesfile").ok().flatten();
        let home = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let usual = home("XDG_CONFIG_HOME").or_else(|| home("HOME").map(|home| home.join(".config")));
        let usual = usual.map(|directory| directory.join("git/attributes"));
        own.exists()
            || if named.is_some() { true } else { usual.is_some_and(|file| file.exists()) }
            || (!ignores_system() && Path::new("/etc/gitattributes").exists())
    }

    fn apart(&self) -> Result<&git2::Repository, git2::Error> {
        if let Some(repo) = self.apart.get() {
            return Ok(repo);
        }
        let original = self.repo.git2();
        let apart = git2::Repository::open_bare(original.path())?;
        apart.set_config(&original.config()?)?;
        let objects = git2::Odb::new()?;
        objects.add_new_mempack_backend(1)?;
        apart.set_odb(&objects)?;
        apart.set_index(&mut git2::Index::new()?)?;
        Ok(self.apart.get_or_init(|| apart))
    }
}

/// Returns whether bytes may be stored as others.
fn may_be_converted(bytes: &[u8]) -> bool {
    bytes.contains_str("\r\n") || bytes.contains_str("$Id:")
}

/// Returns the file that holds a directory's rules.
fn rules_in(directory: Option<&RepoPath>) -> RepoPath {
    let name = RULES.as_bytes();
    let file = directory.map_or_else(|| RepoPath::new(name), |directory| directory.join(name));
    file.expect("the name is plain")
}

fn io(path: &RepoPath, source: std::io::Error) -> RepoError {
    RepoError::Io { what: path.as_bstr().into(), source }
}

fn unreadable(error: git2::Error) -> RepoError {
    RepoError::git("attributes", error)
}

impl std::fmt::Debug for Conversion<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Conversion").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Attributes {
    /// Says which encoding a path has on disk, if it isn't the stored one.
    fn encoding(&self) -> Option<String> {
        match &self.encoding {
            Value::Word(name) if !name.eq_ignore_ascii_case(b"utf-8") && !name.eq_ignore_ascii_case(b"utf8") => {
                Some(format!("is encoded on disk (working-tree-encoding={})", name.as_bstr()))
            }
            _ => None,
        }
    }
}

fn look_up(repo: &git2::Repository, path: &RepoPath, name: &str) -> Result<Value, git2::Error> {
    let mut flags = AttrCheckFlags::INDEX_ONLY;
    if ignores_system() {
        flags |= AttrCheckFlags::NO_SYSTEM;
    }
    let value = repo.get_attr_bytes(path.as_path(), name, flags)?;
    Ok(match AttrValue::always_bytes(value) {
        AttrValue::True => Value::True,
        AttrValue::False => Value::False,
        AttrValue::Bytes(word) => Value::Word(word.to_vec()),
        AttrValue::String(word) => Value::Word(word.into()),
        AttrValue::Unspecified => Value::Unspecified,
    })
}

/// Changes what may be borrowed and keeps it so where nothing changes.
fn then<'b>(bytes: Cow<'b, [u8]>, change: impl Fn(&[u8]) -> Cow<'_, [u8]>) -> Cow<'b, [u8]> {
    match bytes {
        Cow::Borrowed(bytes) => change(bytes),
        Cow::Owned(bytes) => match change(&bytes) {
            Cow::Owned(changed) => changed.into(),
            Cow::Borrowed(_) => bytes.into(),
        },
    }
}

/// Whether the file of attributes for the whole system is to be left out, as git's own tests do.
pub(super) fn ignores_system() -> bool {
    std::env::var_os("GIT_ATTR_NOSYSTEM")
        .is_some_and(|value| !matches!(value.as_encoded_bytes(), b"" | b"0" | b"false" | b"no" | b"off"))
}

/// Returns whether a setting has the same value for libgit2 as for git, which also reads the environment.
fn is_seen_by_libgit2(repo: &Repo, key: &str) -> bool {
    if repo.config().is_libgit2s() {
        return true;
    }
    let seen = repo.git2().config().and_then(|mut config| config.snapshot());
    let seen = seen.ok().and_then(|config| config.get_bytes(key).ok().map(BString::from));
    repo.config().string(key).ok().flatten() == seen
}
