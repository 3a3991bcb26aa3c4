//! The attributes of paths, as git reads them.
//!
//! Which `.gitattributes` count is decided here, as git decides it: the file on disk, never through
//! a link (git neither, since 2.32); where there is none, the file in the index, if that is
//! consulted; and the files of a change that is about to be made come before both. libgit2 is
//! handed their contents in an index in memory, with objects in memory. So it never looks at the
//! work tree, and never reads an index that isn't needed.
//!
//! Rules that libgit2 may understand otherwise, and all rules if a rule elsewhere
//! (`info/attributes`, `core.attributesFile`) counts, are read by git itself (`filter.rs`): libgit2
//! takes a file that it fails to read for none. Nothing is looked up for an attribute that no rule
//! names. git isn't asked where libgit2 will do: with `* text=auto` that would take 1.7 times as
//! long.

use crate::dir::SystemPath as _;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use bstr::ByteSlice as _;
use git2::{AttrCheckFlags, AttrValue};

use super::attributes::value;
use super::filter::{ATTRIBUTES, GitFilter, Rules};
use super::git::Git;
use super::line_ends::Value;
use super::objects::obstacle;
use super::slot::empty;
use super::{Repo, RepoError, get_or_try_init, index, objects};
use crate::dir::{DirectoriesWith, Found};
use llmpatch::path::RepoPath;
use llmpatch::tree::{AttributeFiles, RULES, Repair};

/// Whether attributes that are in the index only are wanted too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consult {
    /// The files on disk will do.
    Disk,
    /// The index as well.
    Index,
}

/// What gives attributes to paths.
pub(super) struct RuleBook<'r> {
    repo: &'r Repo,
    consult: Consult,
    /// The `.gitattributes` that a change writes or removes: as if it had been made.
    changed: AttributeFiles,
    /// libgit2 with the rules that were met so far in its index, made when it is first needed.
    apart: OnceCell<git2::Repository>,
    /// The directories that have rules on disk, when that was first needed.
    with_rules: OnceCell<DirectoriesWith<'r>>,
    /// The contents of the files on disk that were looked at.
    read: RefCell<HashMap<RepoPath, Option<Vec<u8>>>>,
    /// Of directories, the rules in them and above, which libgit2 knows then.
    met: RefCell<HashMap<Option<RepoPath>, Rc<Met>>>,
    /// The path that was asked about last, which most often is the next one, too, and its rules.
    last: RefCell<Option<(RepoPath, Rc<Met>)>>,
}

/// Rules that were met.
struct Met {
    rules: Vec<(RepoPath, Vec<u8>)>,
    /// Whether libgit2 reads them as git does.
    is_plain: bool,
}

impl Met {
    /// Returns all files that may be above a path, with the rules of those files that are there.
    fn all_above(&self, path: &RepoPath) -> Rules {
        let all = directories(path).map(|directory| (rules_in(directory.as_ref()), None));
        let there = self
            .rules
            .iter()
            .map(|(file, rules)| (file.clone(), Some(rules.clone())));
        all.chain(there).collect()
    }
}

impl<'r> RuleBook<'r> {
    pub(super) fn new(repo: &'r Repo, consult: Consult, changed: AttributeFiles) -> Self {
        let (apart, with_rules, read, met, last) = Default::default();
        Self {
            repo,
            consult,
            changed,
            apart,
            with_rules,
            read,
            met,
            last,
        }
    }

    /// Returns the same for when a change has been made that writes or removes these files.
    pub(super) fn after(&self, changed: AttributeFiles) -> Self {
        Self::new(self.repo, self.consult, changed)
    }

    /// Returns the values of some of [`ATTRIBUTES`].
    ///
    /// # Errors
    /// If attributes can't be read.
    pub(super) fn values<const N: usize>(
        &self,
        path: &RepoPath,
        names: [&str; N],
    ) -> Result<[Value; N], RepoError> {
        let mut values = [(); N].map(|()| Value::Unspecified);
        let met = self.meet(path)?;
        let elsewhere = elsewhere(self.repo);
        let is_elsewhere = |name: &str| elsewhere.is_none_or(|rules| names_it(rules, name));
        let is_met = |name: &str| met.rules.iter().any(|(_, rules)| names_it(rules, name));
        let is_for_git = !met.is_plain || names.into_iter().any(is_elsewhere);
        let named = values
            .iter_mut()
            .zip(names)
            .filter(|(_, name)| is_elsewhere(name) || is_met(name))
            .collect::<Vec<_>>();
        if named.is_empty() {
            return Ok(values);
        }
        if is_for_git {
            let said = GitFilter::of(self.repo)?.attributes(path, &met.all_above(path))?;
            for (place, name) in named {
                let said = ATTRIBUTES
                    .iter()
                    .zip(&said)
                    .find(|(known, _)| **known == name);
                *place = said.map_or(Value::Unspecified, |(_, said)| value(said));
            }
            return Ok(values);
        }
        for (value, name) in named {
            *value = self
                .apart()
                .and_then(|repo| look_up(repo, path, name))
                .map_err(unreadable)?;
        }
        Ok(values)
    }

    /// Returns every `.gitattributes` that could give attributes to a path.
    ///
    /// # Errors
    /// If they can't be read.
    pub(super) fn of(&self, path: &RepoPath) -> Result<Rules, RepoError> {
        Ok(self.meet(path)?.all_above(path))
    }

    fn meet(&self, path: &RepoPath) -> Result<Rc<Met>, RepoError> {
        if let Some((last, met)) = &*self.last.borrow()
            && last == path
        {
            return Ok(Rc::clone(met));
        }
        let met = self.meet_above(path)?;
        self.last.replace(Some((path.clone(), Rc::clone(&met))));
        Ok(met)
    }

    /// Tells libgit2 of every `.gitattributes` that could give attributes to a path, and returns
    /// them. A pipe or a device is refused: git, when it looks at the change later, would wait for
    /// its other end for ever.
    fn meet_above(&self, path: &RepoPath) -> Result<Rc<Met>, RepoError> {
        let directory = path.parent();
        if let Some(known) = self.met.borrow().get(&directory) {
            return Ok(Rc::clone(known));
        }
        let there = match self.repo.top {
            Some(_) => {
                let dir = self.repo.dir()?;
                let with_rules = self
                    .with_rules
                    .get_or_init(|| DirectoriesWith::new(dir, RULES));
                with_rules.above(path).map_err(RepoError::read(path))?
            }
            None => Rc::new([]),
        };
        let mut rules = Vec::new();
        let mut unseen = Vec::new();
        for directory in directories(path) {
            let file = rules_in(directory.as_ref());
            let may_be_there = self.repo.top.is_some()
                && directory.is_none_or(|directory| there.contains(&directory));
            match (
                self.changed.get(&file),
                if may_be_there {
                    self.on_disk(&file)?
                } else {
                    None
                },
            ) {
                (Some(changed), _) => {
                    rules.extend(changed.as_ref().map(|content| (file, content.to_vec())))
                }
                (None, Some(content)) => rules.push((file, content)),
                (None, None) if self.consult == Consult::Index => unseen.push(file),
                (None, None) => {}
            }
        }
        let entries = index::entries_at(self.repo, &unseen)?;
        for (file, (_, id)) in entries
            .into_iter()
            .filter(|(_, (mode, _))| obstacle(*mode).is_none())
        {
            let blob = objects::find_blob(self.repo, id)?;
            rules.push((file, blob.content().to_vec()));
        }
        let is_plain = rules.iter().all(|(_, rules)| is_plain(rules));
        if is_plain {
            for (file, content) in &rules {
                self.tell(file, content).map_err(unreadable)?;
            }
        }
        let met = Rc::new(Met { rules, is_plain });
        self.met.borrow_mut().insert(directory, Rc::clone(&met));
        Ok(met)
    }

    fn on_disk(&self, file: &RepoPath) -> Result<Option<Vec<u8>>, RepoError> {
        if let Some(known) = self.read.borrow().get(file) {
            return Ok(known.clone());
        }
        let dir = self.repo.dir()?;
        let content = match dir.look(file).map_err(RepoError::read(file))? {
            Found::Special => {
                let what = format!("has a `{file}` that is no file");
                return Err(RepoError::Unsupported {
                    what,
                    repair: Repair::Clone,
                });
            }
            Found::Absent => None,
            _ => match dir.read(file) {
                // git goes on without it.
                Err(error) if error.kind() == ErrorKind::PermissionDenied => None,
                read => read
                    .map_err(RepoError::read(file))?
                    .map(|(content, _)| content.to_vec()),
            },
        };
        self.read.borrow_mut().insert(file.clone(), content.clone());
        Ok(content)
    }

    /// Tells libgit2 what a `.gitattributes` holds.
    fn tell(&self, file: &RepoPath, rules: &[u8]) -> Result<(), git2::Error> {
        let apart = self.apart()?;
        let id = apart.blob(rules)?;
        apart.index()?.add(&git2::IndexEntry {
            mode: 0o100644,
            id,
            ..empty(file)
        })
    }

    fn apart(&self) -> Result<&git2::Repository, git2::Error> {
        get_or_try_init(&self.apart, || {
            let original = &self.repo.git;
            let apart = git2::Repository::open_bare(original.path())?;
            apart.set_config(&original.config()?)?;
            let objects = git2::Odb::new()?;
            objects.add_new_mempack_backend(1)?;
            apart.set_odb(&objects)?;
            apart.set_index(&mut git2::Index::new()?)?;
            Ok(apart)
        })
    }
}

fn names_it(rules: &[u8], name: &str) -> bool {
    !rules.is_empty() && (rules.contains_str(name) || rules.contains_str("binary"))
}

/// Returns the contents of the files with rules outside of `.gitattributes`; `None` if only git
/// knows.
pub(super) fn elsewhere(repo: &Repo) -> Option<&[u8]> {
    repo.elsewhere
        .get_or_init(|| read_elsewhere(repo))
        .as_deref()
}

fn read_elsewhere(repo: &Repo) -> Option<Vec<u8>> {
    let has_tree =
        is_set("GIT_ATTR_SOURCE") || !matches!(repo.config.string("attr.tree"), Ok(None));
    let systems = match ignores_system() {
        _ if has_tree || repo.config.is_all_for_git().ok()? => return None,
        true => None,
        false if repo.config.has_usual_file("gitattributes") => Some(PathBuf::from(SYSTEM)),
        false => {
            let of_git = Git::new(repo)
                .output(["var", "GIT_ATTR_SYSTEM"], b"")
                .ok()?;
            if of_git.trim_end().as_path().exists() || Path::new(SYSTEM).exists() {
                return None;
            }
            None
        }
    };
    let users = match repo.config.string("core.attributesfile").ok()? {
        // Whatever git makes of it.
        Some(_) if !repo.config.is_libgit2s() => return None,
        Some(named) => match (named.strip_prefix(b"~/"), home("HOME")) {
            (Some(rest), Some(home)) => Some(home.join(rest.as_path())),
            _ if named.starts_with(b"/") => Some(named.as_path().to_owned()),
            _ => return None,
        },
        None => home("XDG_CONFIG_HOME")
            .or_else(|| home("HOME").map(|home| home.join(".config")))
            .map(|directory| directory.join("git/attributes")),
    };
    let own = repo.common_dir().join("info/attributes");
    let mut rules = Vec::new();
    for file in [Some(own), users, systems].into_iter().flatten() {
        match std::fs::metadata(&file) {
            Ok(there) if there.is_file() => {
                rules.extend(std::fs::read(file).ok()?.into_iter().chain([b'\n']))
            }
            Ok(there) if there.is_dir() => {}
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            _ => return None,
        }
    }
    Some(rules)
}

fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

fn home(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

/// Returns whether libgit2 reads rules as git does: each has a single pattern, nothing is quoted,
/// and there are no macros.
fn is_plain(rules: &[u8]) -> bool {
    rules.lines().all(|line| {
        let line = line.trim_start();
        let mut words = line.fields();
        let pattern = words.next().unwrap_or_default();
        let is_known = |byte: &u8| byte.is_ascii_alphanumeric() || b"*./_-+".contains(byte);
        let mut parts = pattern.strip_prefix(b"/").unwrap_or(pattern).split_str("/");
        let is_pattern = line.is_empty() || pattern.iter().all(is_known) && parts.all(is_part);
        let is_rule = is_pattern && words.all(is_plain_value) && line.len() < LONGEST_RULE;
        is_rule || line.starts_with(b"#")
    })
}

fn is_part(part: &[u8]) -> bool {
    !part.is_empty() && (part == b"**" || !part.contains_str("**"))
}

/// Returns whether `name`, `-name`, `!name` or `name=word` is one for libgit2 as for git.
fn is_plain_value(word: &[u8]) -> bool {
    let (name, value) = word
        .split_once_str("=")
        .map_or((word, None), |(name, value)| (name, Some(value)));
    let plain = name.strip_prefix(b"-").or(name.strip_prefix(b"!"));
    let is_known = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    is_name(plain.unwrap_or(name))
        && name[1..].iter().all(is_known)
        && value.is_none_or(|value| plain.is_none() && !value.is_empty())
}

fn is_name(name: &[u8]) -> bool {
    name.first().is_some_and(u8::is_ascii_alphanumeric)
}

/// Where libgit2 looks for the rules of the whole system.
const SYSTEM: &str = "/etc/gitattributes";

/// How long a line may be that git takes for a rule.
const LONGEST_RULE: usize = 2048;

/// Returns the directories above a path, the top (`None`) first, then the nearest.
fn directories(path: &RepoPath) -> impl Iterator<Item = Option<RepoPath>> {
    std::iter::once(None).chain(path.ancestors().map(Some))
}

/// Returns the file that holds a directory's rules.
fn rules_in(directory: Option<&RepoPath>) -> RepoPath {
    let name = RULES.as_bytes();
    let file = directory.map_or_else(|| RepoPath::new(name), |directory| directory.join(name));
    file.expect("the name is plain")
}

fn unreadable(error: git2::Error) -> RepoError {
    RepoError::git("attributes")(error)
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

/// Whether the file of attributes for the whole system is to be left out, as git's own tests do.
pub(super) fn ignores_system() -> bool {
    std::env::var_os("GIT_ATTR_NOSYSTEM").is_some_and(|value| {
        !matches!(
            value.as_encoded_bytes(),
            b"" | b"0" | b"false" | b"no" | b"off"
        )
    })
}
