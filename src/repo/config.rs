use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice as _};

use super::RepoError;
use super::git::{Git, check_version};
use crate::system::{COMPOSES_NAMES, HAS_FIXED_PREFIXES, real_path};

/// git's configuration, as git itself would read it: once, when the repository is opened.
///
/// libgit2 reads the files, which takes no child, where it reads what git would. It knows nothing
/// of `git -c` and of `GIT_CONFIG_COUNT`, not all conditions of includes, not by which link a
/// repository was reached, and not where a git that wasn't built for `/usr` has the system's file.
/// There git is asked once for all that there is.
pub struct Config {
    /// In git's order: the last value of a key counts. A key without `=` has no value, which means
    /// true.
    all: Vec<(BString, Option<BString>)>,
    /// Whether libgit2 read it from the files, and sees every setting that this does.
    is_libgit2s: bool,
    system: OnceCell<System>,
}

/// The variables that carry settings past libgit2, or past what is made of it here.
const CARRIERS: [&str; 3] = [
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_SYSTEM",
];

impl Config {
    pub(super) fn of(git: &git2::Repository, top: Option<&Path>) -> Result<Self, RepoError> {
        let carried = CARRIERS
            .iter()
            .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
        let system = OnceCell::new();
        let file = if ignores_system() {
            SystemFile::Libgit2s
        } else {
            found(&system).file("gitconfig")
        };
        if carried || file == SystemFile::Unknown {
            return Self::listed_by_git(git.path(), top);
        }
        use git2::ConfigLevel::{ProgramData, System, XDG};
        let mut is_libgit2s = file == SystemFile::Libgit2s;
        let has_system = is_libgit2s;
        // One that is named is the only one of the user's.
        let has_users = std::env::var_os("GIT_CONFIG_GLOBAL").is_none();
        let mut all = Vec::new();
        let note = |entry: &git2::ConfigEntry<'_>| {
            let is_gits = match entry.level() {
                System | ProgramData => has_system,
                XDG => has_users,
                _ => true,
            };
            is_libgit2s &= is_gits;
            if is_gits {
                all.push((
                    entry.name_bytes().into(),
                    entry.has_value().then(|| entry.value_bytes().into()),
                ));
            }
        };
        let read = git
            .config()
            .and_then(|config| config.entries(None)?.for_each(note));
        if read.is_ok() && has_conditions(&all) {
            return Self::listed_by_git(git.path(), top);
        }
        read.map_err(RepoError::git("the configuration"))?;
        Ok(Self {
            all,
            is_libgit2s,
            system,
        })
    }

    /// Asks git for all that there is.
    pub(super) fn listed_by_git(git_dir: &Path, top: Option<&Path>) -> Result<Self, RepoError> {
        check_version()?;
        let git = Git::at(&as_reached(git_dir), top);
        let listing = git.output(["config", "--list", "-z", "--includes"], b"")?;
        Ok(Self {
            all: listed(&listing),
            is_libgit2s: false,
            system: OnceCell::new(),
        })
    }

    /// Returns whether libgit2 read it from the files, so that it sees every setting that this
    /// does.
    pub(super) fn is_libgit2s(&self) -> bool {
        self.is_libgit2s
    }

    /// Returns whether git reads a file of the system, `gitattributes` say, where libgit2 does.
    pub(super) fn has_usual_file(&self, name: &str) -> bool {
        found(&self.system).file(name) == SystemFile::Libgit2s
    }

    /// Returns whether git writes a letter and its accent in a name as one character: on macOS, if
    /// the repository says so, as one made there does.
    pub(super) fn composes_names(&self) -> bool {
        COMPOSES_NAMES && matches!(self.bool("core.precomposeunicode"), Ok(Some(true)))
    }

    /// Returns what a setting holds, in small letters; empty if it is not set, or can't be read.
    pub(super) fn word(&self, key: &str) -> Vec<u8> {
        let value = self.string(key).ok().flatten().unwrap_or_default();
        value.to_ascii_lowercase()
    }

    /// Returns whether to wait until the disk has what is written: `llmpatch.fsync`.
    ///
    /// # Errors
    /// If it is set to something else than true or false.
    pub(crate) fn fsync(&self) -> Result<bool, RepoError> {
        Ok(self.bool("llmpatch.fsync")?.unwrap_or(true))
    }

    /// Returns whether names that differ only in case are one file (`core.ignoreCase`).
    pub(super) fn ignores_case(&self) -> Result<bool, RepoError> {
        Ok(self.bool("core.ignorecase")?.unwrap_or(false))
    }

    /// Returns whether the executable bit on disk means anything (`core.fileMode`).
    pub(super) fn trusts_mode(&self) -> Result<bool, RepoError> {
        Ok(self.bool("core.filemode")?.unwrap_or(true))
    }

    /// Returns whether git is to read attributes and to convert bytes even where libgit2 and we
    /// would do it as well.
    ///
    /// # Errors
    /// If the setting is none.
    pub(crate) fn is_all_for_git(&self) -> Result<bool, RepoError> {
        let key = "llmpatch.backend";
        match self.string(key)? {
            None => Ok(false),
            // What libgit2 gets wrong isn't left to it, whatever is set.
            Some(value) if value == "auto" || value == "libgit2" => Ok(false),
            Some(value) if value == "git" => Ok(true),
            Some(value) => Err(RepoError::Setting {
                key: key.to_owned(),
                value,
                wanted: "`auto`, `libgit2` or `git`",
            }),
        }
    }

    /// Returns a setting that is true or false, in any of git's spellings.
    ///
    /// # Errors
    /// If it is set to something else.
    pub fn bool(&self, key: &str) -> Result<Option<bool>, RepoError> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let Some(value) = value else {
            return Ok(Some(true));
        };
        let word = value.to_ascii_lowercase();
        match &word[..] {
            b"true" | b"yes" | b"on" => Ok(Some(true)),
            b"false" | b"no" | b"off" | b"" => Ok(Some(false)),
            _ => match number(&value) {
                Some(number) => Ok(Some(number != 0)),
                None => Err(RepoError::Setting {
                    key: key.into(),
                    value,
                    wanted: "`true` or `false`",
                }),
            },
        }
    }

    /// Returns a setting that is a number, perhaps with `k`, `m` or `g` behind it.
    ///
    /// # Errors
    /// If it is set to something else.
    pub fn int(&self, key: &str) -> Result<Option<i64>, RepoError> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let value = value.unwrap_or_default();
        match number(&value) {
            Some(number) => Ok(Some(number)),
            None => Err(RepoError::Setting {
                key: key.into(),
                value,
                wanted: "a number",
            }),
        }
    }

    /// Returns a setting as it is written.
    ///
    /// # Errors
    /// If it has no value at all.
    pub fn string(&self, key: &str) -> Result<Option<BString>, RepoError> {
        match self.get(key) {
            Some(Some(value)) => Ok(Some(value)),
            Some(None) => Err(RepoError::Setting {
                key: key.into(),
                value: BString::default(),
                wanted: "a value",
            }),
            None => Ok(None),
        }
    }

    /// Returns all values of a key, in git's order.
    ///
    /// # Errors
    /// If one of them is no value at all.
    pub fn all(&self, key: &str) -> Result<Vec<BString>, RepoError> {
        let values = self.all.iter().filter(|(name, _)| is_key(name, key));
        let values: Option<_> = values.map(|(_, value)| value.clone()).collect();
        values.ok_or_else(|| RepoError::Setting {
            key: key.into(),
            value: BString::default(),
            wanted: "a value",
        })
    }

    /// Returns the settings whose keys begin so, in git's order: what follows in the key, and the
    /// value.
    pub fn entries(&self, prefix: &str) -> Vec<(BString, BString)> {
        let rest = |key: &[u8]| key.strip_prefix(prefix.as_bytes()).map(BString::from);
        self.all
            .iter()
            .filter_map(|(key, value)| Some((rest(key)?, value.clone().unwrap_or_default())))
            .collect()
    }

    /// Returns the last value of a key: `None` if it isn't set, `Some(None)` if it is there without
    /// a value.
    fn get(&self, key: &str) -> Option<Option<BString>> {
        self.all
            .iter()
            .rev()
            .find(|(name, _)| is_key(name, key))
            .map(|(_, value)| value.clone())
    }
}

/// Which file of the system git reads, for its settings say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SystemFile {
    /// That which libgit2 reads, in `/etc`.
    Libgit2s,
    /// None: what is in `/etc` is another git's.
    None,
    /// Only git knows.
    Unknown,
}

/// Where git is, which says where its files of the system are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    /// It was built for `/usr`, and has them in `/etc`; or there is none, and nobody knows better.
    Usr,
    /// For `/usr/local`, with `/usr/local/etc`.
    Local,
    /// For another directory.
    Other,
}

/// Finds out where git is, once.
fn found(system: &OnceCell<System>) -> System {
    *system.get_or_init(System::find)
}

impl System {
    fn find() -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let git = std::env::split_paths(&path)
            .map(|directory| directory.join("git"))
            .find(|git| git.is_file());
        let Some(git) = git else { return Self::Usr };
        let git = real_path(&git).unwrap_or_default();
        let prefix = ["bin", "lib/git-core", "libexec/git-core"]
            .iter()
            .find_map(|name| git.parent()?.as_os_str().to_str()?.strip_suffix(name));
        match prefix.filter(|_| HAS_FIXED_PREFIXES) {
            Some("/usr/") => Self::Usr,
            Some("/usr/local/") => Self::Local,
            _ => Self::Other,
        }
    }

    /// Returns which file of this name git reads.
    fn file(self, name: &str) -> SystemFile {
        let is_there = |directory: &str| Path::new(directory).join(name).exists();
        match self {
            Self::Usr => SystemFile::Libgit2s,
            Self::Other => SystemFile::Unknown,
            Self::Local if is_there("/usr/local/etc") => SystemFile::Unknown,
            Self::Local if is_there("/etc") => SystemFile::None,
            Self::Local => SystemFile::Libgit2s,
        }
    }
}

/// Returns the git directory by the name by which git reached it, for `includeIf "gitdir:"` takes
/// that as well as the true one: as the environment has it, or from a current directory that is
/// known by a link.
fn as_reached(git_dir: &Path) -> PathBuf {
    let named = std::env::var_os("GIT_DIR").map(PathBuf::from);
    let here = std::env::var_os("PWD").map(|here| Path::new(&here).join(".git"));
    let is_it = |reached: &PathBuf| {
        real_path(reached).is_ok_and(|real| real == git_dir.components().as_path())
    };
    let mut reached = [named, here].into_iter().flatten();
    reached.find(is_it).unwrap_or_else(|| git_dir.to_owned())
}

/// Returns whether the settings of the system are to be left out.
fn ignores_system() -> bool {
    std::env::var_os("GIT_CONFIG_NOSYSTEM").is_some_and(|value| value == "1" || value == "true")
}

/// Returns whether there are includes that libgit2 may understand otherwise than git.
fn has_conditions(all: &[(BString, Option<BString>)]) -> bool {
    all.iter().any(|(key, value)| {
        key.starts_with(b"includeif.")
            || key == "include.path" && value.as_ref().is_some_and(|value| value.starts_with(b"%("))
    })
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.is_libgit2s {
            "Config(as libgit2 has it)"
        } else {
            "Config(as git has it)"
        })
    }
}

/// Reads what `git config --list -z` prints: keys and values with a newline between, each pair
/// ended by a NUL.
fn listed(listing: &[u8]) -> Vec<(BString, Option<BString>)> {
    let entries = listing.split_str("\0").filter(|entry| !entry.is_empty());
    entries
        .map(|entry| match entry.split_once_str("\n") {
            Some((key, value)) => (key.into(), Some(value.into())),
            None => (entry.into(), None),
        })
        .collect()
}

/// Returns whether git lists a key as this name: section and variable know no case, what is between
/// them has case.
fn is_key(listed: &[u8], key: &str) -> bool {
    if !listed.eq_ignore_ascii_case(key.as_bytes()) {
        return false;
    }
    let dots = key.find('.').zip(key.rfind('.'));
    let between = dots.map_or(0..0, |(first, last)| first..last);
    listed[between.clone()] == key.as_bytes()[between]
}

/// Reads a number as git does, with a unit behind it or without.
fn number(text: &[u8]) -> Option<i64> {
    let text = text.trim().to_str().ok()?;
    let unit = |by| move |digits: &str| digits.parse::<i64>().ok()?.checked_mul(by);
    match text.char_indices().last()? {
        (at, 'k' | 'K') => unit(1 << 10)(&text[..at]),
        (at, 'm' | 'M') => unit(1 << 20)(&text[..at]),
        (at, 'g' | 'G') => unit(1 << 30)(&text[..at]),
        _ => unit(1)(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(listing: &str) -> Config {
        Config {
            all: listed(listing.as_bytes()),
            is_libgit2s: false,
            system: OnceCell::new(),
        }
    }

    #[test]
    fn settings_are_read_as_git_reads_them() {
        for (value, bool, int) in [
            ("\ntrue", Some(true), None),
            ("\nYES", Some(true), None),
            ("\non", Some(true), None),
            ("", Some(true), None),
            ("\n", Some(false), None),
            ("\noff", Some(false), None),
            ("\n0", Some(false), Some(0)),
            ("\n2", Some(true), Some(2)),
            ("\n-1k", Some(true), Some(-1024)),
            ("\n 3M ", Some(true), Some(3 << 20)),
            ("\n9999999999g", None, None),
            ("\nmaybe", None, None),
            ("\nk", None, None),
        ] {
            let config = config(&format!("a.b{value}\0"));
            assert_eq!(config.bool("a.b").ok().flatten(), bool, "{value:?}");
            assert_eq!(config.int("a.b").ok().flatten(), int, "{value:?}");
        }
    }

    #[test]
    fn the_last_value_counts_and_subsections_know_case() {
        let config = config("a.X.b\n1\0a.x.b\n2\0a.x.b\n3\n4\0");
        assert_eq!(config.string("A.x.B").unwrap().unwrap(), "3\n4");
        assert_eq!(config.string("a.X.b").unwrap().unwrap(), "1");
        assert_eq!(config.string("a.y.b").unwrap(), None);
        assert_eq!(config.entries("a.x.").len(), 2);
        assert_eq!(config.all("A.x.B").unwrap(), ["2", "3\n4"]);
        assert!(config.all("a.y.b").unwrap().is_empty());
        assert!(self::config("a.b\n1\0a.b\0").all("a.b").is_err());
    }
}
