//! What stands between a file on disk and its blob: attributes and settings, looked up path by path.
//!
//! Most repositories have no attributes that matter here, and that is found out with a few looks at the disk, and at the index
//! where that is consulted: libgit2 looks at every folder above a path anew for each attribute. It would read the whole index
//! for a look-up, so where the index isn't needed otherwise it is given an empty one. Attributes
//! are those before the change. What git would take from a `.gitattributes` that is in the index but was deleted from the
//! work tree is seen only where the index is consulted.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice as _};
use git2::{AttrCheckFlags, AttrValue};

use super::eol::{AutoCrlf, Eol, LineEnds, Settings, Value, expand_ident, is_crlf_text, unexpand_ident};
use super::{Fault, Repo, attributes};
use crate::path::RepoPath;
use crate::text::Shown;

/// The name of files that hold attributes.
pub(super) const RULES: &str = ".gitattributes";

/// Whether attributes that stand in the index only are wanted too.
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
    settings: Settings,
    /// libgit2 with an empty index, made when it is first needed.
    apart: OnceCell<git2::Repository>,
    /// Whether there are attributes besides those in `.gitattributes`.
    elsewhere: OnceCell<bool>,
    /// Of folders, whether the index has `.gitattributes` in them or above.
    indexed: RefCell<HashMap<Option<RepoPath>, bool>>,
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

/// Who knows the attributes of a path.
enum Knower<'k> {
    /// It has none.
    Nobody,
    Libgit2(&'k git2::Repository),
    /// The program: libgit2 reads rules through links, and git doesn't (since 2.32; an older one does).
    Git,
}

/// The rules on disk that could be about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rules {
    None,
    Some,
    /// A link is among them.
    Linked,
}

impl<'r> Conversion<'r> {
    pub(super) fn new(repo: &'r Repo, consult: Consult) -> Result<Self, Fault> {
        let config = repo.config();
        let word = |key| Ok::<_, Fault>(config.string(key).ok().flatten().unwrap_or_default().to_ascii_lowercase());
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
            return Err(Fault::Unsupported { what: "is given `core.attributesFile` on the command line".to_owned() });
        }
        let settings = Settings { autocrlf, eol };
        let (apart, elsewhere, indexed) = (OnceCell::new(), OnceCell::new(), RefCell::default());
        Ok(Self { repo, consult, settings, apart, elsewhere, indexed })
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
    ) -> Result<Cow<'b, [u8]>, Fault> {
        if !bytes.contains_str("\r\n") && !bytes.contains_str("$Id:") {
            return Ok(bytes.into());
        }
        let attributes = self.attributes(path)?;
        let stored_has_crlf = || match indexed.map(|id| self.repo.git2().find_blob(id)) {
            Some(Ok(blob)) => Ok(is_crlf_text(blob.content())),
            Some(Err(error)) => Err(Fault::git("a blob", error)),
            None => Ok(false),
        };
        let stored = self.line_ends(&attributes).to_git(bytes, stored_has_crlf)?;
        Ok(if attributes.ident == Value::True { then(stored, unexpand_ident) } else { stored })
    }

    /// Returns what a checkout would write for a new file.
    ///
    /// # Errors
    /// If attributes can't be read, or ask for an encoding.
    pub(crate) fn to_work_tree(&self, path: &RepoPath, bytes: Vec<u8>) -> Result<Vec<u8>, Fault> {
        let attributes = self.attributes(path)?;
        if let Some(encoding) = attributes.encoding() {
            return Err(Fault::Attribute { what: encoding });
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

    /// Says what keeps a path's bytes from being converted right, such as a filter driver.
    ///
    /// # Errors
    /// If attributes can't be read.
    pub(crate) fn hindrance(&self, path: &RepoPath) -> Result<Option<String>, Fault> {
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
    pub(super) fn attribute(&self, path: &RepoPath, name: &str) -> Result<Value, Fault> {
        self.values(path, [name]).map(|[value]| value)
    }

    fn attributes(&self, path: &RepoPath) -> Result<Attributes, Fault> {
        let names = ["text", "crlf", "eol", "ident", "filter", "working-tree-encoding"];
        let [text, crlf, eol, ident, filter, encoding] = self.values(path, names)?;
        Ok(Attributes { text, crlf, eol, ident, filter, encoding })
    }

    fn values<const N: usize>(&self, path: &RepoPath, names: [&str; N]) -> Result<[Value; N], Fault> {
        let mut values = [(); N].map(|()| Value::Unspecified);
        match self.knower(path)? {
            Knower::Nobody => {}
            Knower::Libgit2(repo) => {
                for (value, name) in values.iter_mut().zip(names) {
                    *value = look_up(repo, path, name).map_err(|error| Fault::git("attributes", error))?;
                }
            }
            Knower::Git => {
                for (value, told) in values.iter_mut().zip(attributes::ask_git(self.repo, path, &names)?) {
                    *value = told;
                }
            }
        }
        Ok(values)
    }

    /// Returns who can be asked for the attributes of a path.
    fn knower(&self, path: &RepoPath) -> Result<Knower<'_>, Fault> {
        let on_disk = self.rules_above(path)?;
        if on_disk == Rules::Linked {
            return Ok(Knower::Git);
        }
        let are_some = || on_disk == Rules::Some || *self.elsewhere.get_or_init(|| self.are_elsewhere());
        Ok(match self.consult {
            Consult::Index if are_some() || self.are_indexed(path)? => Knower::Libgit2(self.repo.git2()),
            Consult::Disk if are_some() => Knower::Libgit2(self.apart()?),
            Consult::Index | Consult::Disk => Knower::Nobody,
        })
    }

    /// Looks for every `.gitattributes` on disk that could give attributes to a path. One that is a pipe or a device, or leads to
    /// one, is refused: whoever opens it may wait for its other end for ever, as git does.
    fn rules_above(&self, path: &RepoPath) -> Result<Rules, Fault> {
        let Ok(dir) = self.repo.dir() else { return Ok(Rules::Some) };
        let Ok(folders) = dir.folders_with(RULES, path) else { return Ok(Rules::Some) };
        let Ok(top) = self.repo.top() else { return Ok(Rules::Some) };
        let mut rules = Rules::None;
        for folder in &folders {
            no_pipe(top, folder.as_ref(), RULES)?;
            let file = top.join(rules_in(folder.as_ref(), RULES));
            if rules != Rules::Linked {
                rules = if file.is_symlink() { Rules::Linked } else { Rules::Some };
            }
        }
        Ok(rules)
    }

    /// Returns whether the index has a `.gitattributes` that could give attributes to a path.
    fn are_indexed(&self, path: &RepoPath) -> Result<bool, Fault> {
        let folder = path.parent();
        if let Some(known) = self.indexed.borrow().get(&folder) {
            return Ok(*known);
        }
        let index = self.repo.git2().index().map_err(|error| Fault::git("the index", error))?;
        let has = |folder: Option<&RepoPath>| index.get_path(&rules_in(folder, RULES), 0).is_some();
        let found = has(None) || path.ancestors().any(|folder| has(Some(&folder)));
        self.indexed.borrow_mut().insert(folder, found);
        Ok(found)
    }

    fn are_elsewhere(&self) -> bool {
        let own = self.repo.git2().commondir().join("info/attributes");
        let named = self.repo.config().string("core.attributesfile").ok().flatten();
        let home = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let usual = home("XDG_CONFIG_HOME").or_else(|| home("HOME").map(|home| home.join(".config")));
        let usual = usual.map(|folder| folder.join("git/attributes"));
        own.exists()
            || if named.is_some() { true } else { usual.is_some_and(|file| file.exists()) }
            || (!ignores_system() && Path::new("/etc/gitattributes").exists())
    }

    fn apart(&self) -> Result<&git2::Repository, Fault> {
        if let Some(repo) = self.apart.get() {
            return Ok(repo);
        }
        let original = self.repo.git2();
        let made = (|| {
            let apart = git2::Repository::open(original.path())?;
            apart.set_config(&original.config()?)?;
            apart.set_index(&mut git2::Index::new()?)?;
            if let Some(top) = original.workdir() {
                apart.set_workdir(top, false)?;
            }
            Ok(apart)
        })();
        let apart = made.map_err(|error| Fault::git("attributes", error))?;
        Ok(self.apart.get_or_init(|| apart))
    }
}

fn rules_in(folder: Option<&RepoPath>, name: &str) -> PathBuf {
    folder.map_or_else(|| PathBuf::from(name), |folder| folder.as_path().join(name))
}

/// Refuses a folder in which what should be a file of rules is a pipe, a socket or a device, or leads to one.
///
/// # Errors
/// If it is.
fn no_pipe(top: &Path, folder: Option<&RepoPath>, name: &str) -> Result<(), Fault> {
    let file = rules_in(folder, name);
    match std::fs::metadata(top.join(&file)) {
        Ok(there) if !there.is_file() && !there.is_dir() => {
            Err(Fault::Unsupported { what: format!("has a `{}` that is no file", Shown(file.as_os_str().as_bytes())) })
        }
        _ => Ok(()),
    }
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
    let mut flags = AttrCheckFlags::FILE_THEN_INDEX;
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
