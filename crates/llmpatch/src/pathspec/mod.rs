//! git's pathspecs: the paths that a person means, by directory, name or wildcard.
//!
//! A list of them means what `git grep -l … -- <pathspec>…` would search when run at the top of the
//! work tree, which the tests hold it against. It reads nothing, and knows paths of files only.
//!
//! Where it departs from git, and why:
//! - They count from the top, whatever the current directory, since paths in a response do; so an
//!   absolute one is an error.
//! - `:/` and `:(top)` change nothing, and `.`, `..` and repeated slashes behind them are resolved.
//!   git leaves them as they are, and then `:/./src` matches no path.
//! - The magic words `attr` and `prefix` are errors: the first because a response may change what
//!   attributes files have.
//! - `:preset:executes` is what [`EXECUTES`] lists, and `:!preset:executes` excludes it.
//! - A class in brackets that is to match in any case does so: git's `:(icase)[M]akefile` doesn't
//!   match even `Makefile`.

mod glob;
mod magic;
mod preset;
#[cfg(test)]
mod tests;

use bstr::{BStr, BString, ByteSlice as _};

use self::glob::Glob;
use self::magic::Magic;
pub use self::magic::{Defaults, Wildcards};
pub use self::preset::{EXECUTES, executes};
use crate::text::Shown;

/// A pathspec that has been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pathspec {
    written: BString,
    /// Whether it takes paths out of what the others of its list mean.
    excludes: bool,
    any_case: bool,
    /// Whether it is what runs by itself.
    executes: bool,
    /// What it names: a file, or all below a directory; empty for everything.
    pattern: Vec<u8>,
    /// How much of it is before the first wildcard, and what comes then.
    wild: Option<(usize, Glob)>,
}

/// Why a text is no pathspec.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathspecError {
    /// It is empty.
    #[error("a pathspec can't be empty; `.` means everything")]
    Empty,
    /// An opening parenthesis without its end.
    #[error("the `)` after its magic words is missing")]
    Unclosed,
    /// A magic word that git doesn't know.
    #[error("`{}` isn't one of git's magic words", Shown(.0))]
    UnknownWord(BString),
    /// A magic sign that git doesn't know.
    #[error("`{}` isn't one of git's magic signs; write a name that begins with a colon after `:(top)`", Shown(&[*.0]))]
    UnknownSign(u8),
    /// A magic word that git knows.
    #[error("the magic word `{0}` isn't supported here")]
    Unsupported(&'static str),
    /// A ready set that isn't there.
    #[error("there is no preset `{}`; the only one is `:preset:executes`", Shown(.0))]
    UnknownPreset(BString),
    /// Two magic words that contradict each other.
    #[error("`literal` and `glob` are incompatible")]
    Incompatible,
    /// It leads out of the work tree.
    #[error("it leads out of the work tree")]
    Outside,
    /// It is absolute.
    #[error("pathspecs count from the top of the work tree here, whatever the current directory")]
    Absolute,
}

impl Pathspec {
    /// Reads one.
    ///
    /// # Errors
    /// If git would refuse it, or it has a meaning that isn't supported here.
    pub fn new(written: &[u8], defaults: Defaults) -> Result<Self, PathspecError> {
        if written.is_empty() {
            return Err(PathspecError::Empty);
        }
        if let Some((excludes, name)) = preset_named(written)
            && !defaults.literal
        {
            let unknown = || PathspecError::UnknownPreset(name.into());
            let whole = (name == b"executes").then_some(()).ok_or_else(unknown);
            let written = written.into();
            let pattern = Vec::new();
            return whole.map(|()| Self {
                written,
                excludes,
                any_case: false,
                executes: true,
                pattern,
                wild: None,
            });
        }
        let (
            Magic {
                excludes,
                any_case,
                wildcards,
            },
            rest,
        ) = Magic::read(written, defaults)?;
        let pattern = normal(rest)?;
        let plain = pattern
            .iter()
            .position(|byte| b"*?[\\".contains(byte))
            .filter(|_| wildcards != Wildcards::None);
        let by_directory = wildcards == Wildcards::ByDirectory;
        let wild =
            plain.and_then(|plain| Some((plain, Glob::new(&pattern[plain..], by_directory)?)));
        Ok(Self {
            written: written.into(),
            excludes,
            any_case,
            executes: false,
            pattern,
            wild,
        })
    }

    /// Returns it as it was written.
    pub fn written(&self) -> &BStr {
        self.written.as_bstr()
    }

    /// Returns whether it matches a path, whether or not it excludes it then.
    fn matches(&self, path: &[u8], case: Case) -> bool {
        if self.executes {
            return executes(path).is_some();
        }
        let folds = self.any_case || case == Case::Ignored;
        let is_same = |a: &[u8], b: &[u8]| {
            if folds {
                a.eq_ignore_ascii_case(b)
            } else {
                a == b
            }
        };
        let pattern = &self.pattern[..];
        if let Some(start) = path.get(..pattern.len())
            && is_same(start, pattern)
            && (pattern.is_empty()
                || pattern.ends_with(b"/")
                || matches!(path.get(pattern.len()), None | Some(b'/')))
        {
            return true;
        }
        let Some((plain, glob)) = &self.wild else {
            return false;
        };
        path.get(..*plain)
            .is_some_and(|start| is_same(start, &pattern[..*plain]))
            && glob.matches(&path[*plain..], folds)
    }
}

/// Whether names that differ in case only are different names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// They are.
    Counts,
    /// They are the same file, as `core.ignoreCase` says.
    Ignored,
}

impl Case {
    /// Returns the rule of files whose names ignore case, or don't.
    pub fn of(ignores_case: bool) -> Self {
        if ignores_case {
            Case::Ignored
        } else {
            Case::Counts
        }
    }
}

/// A list of pathspecs, which mean something together: what one matches and none excludes. If all
/// of them exclude, they do so from everything. An empty list matches nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pathspecs(Vec<Pathspec>);

impl Pathspecs {
    /// The empty list.
    pub const NONE: Pathspecs = Pathspecs(Vec::new());

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns them in order.
    pub fn iter(&self) -> impl Iterator<Item = &Pathspec> {
        self.0.iter()
    }

    /// Returns whether a path is meant.
    pub fn matches(&self, path: &[u8], case: Case) -> bool {
        let only_excludes = !self.is_empty() && self.0.iter().all(|one| one.excludes);
        let mut excluding = self.0.iter().filter(|one| one.excludes);
        (only_excludes || self.matching(path, case).is_some())
            && !excluding.any(|one| one.matches(path, case))
    }

    /// Returns the first pathspec that matches a path that is meant; `None` if it is meant only
    /// because no pathspec excludes it.
    pub fn matching(&self, path: &[u8], case: Case) -> Option<&Pathspec> {
        self.0
            .iter()
            .find(|one| !one.excludes && one.matches(path, case))
    }
}

impl FromIterator<Pathspec> for Pathspecs {
    fn from_iter<I: IntoIterator<Item = Pathspec>>(all: I) -> Self {
        Self(all.into_iter().collect())
    }
}

/// Returns the name of the ready set that a text names, and whether it excludes it.
fn preset_named(written: &[u8]) -> Option<(bool, &[u8])> {
    let rest = written.strip_prefix(b":")?;
    let excluded = rest.strip_prefix(b"!").or_else(|| rest.strip_prefix(b"^"));
    let named = excluded.map_or(rest, |rest| rest.strip_prefix(b":").unwrap_or(rest));
    Some((excluded.is_some(), named.strip_prefix(b"preset:")?))
}

/// Resolves `.`, `..` and repeated slashes by their spelling, as git does. A slash at the end
/// stays: it asks for a directory.
fn normal(written: &[u8]) -> Result<Vec<u8>, PathspecError> {
    if written.starts_with(b"/") {
        return Err(PathspecError::Absolute);
    }
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in written.split_str("/") {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop().ok_or(PathspecError::Outside)?),
            part => parts.push(part),
        }
    }
    let mut pattern = bstr::join("/", &parts);
    let asks_for_directory = matches!(written.rsplit_str("/").next(), Some(b"" | b"." | b".."));
    if asks_for_directory && !pattern.is_empty() {
        pattern.push(b'/');
    }
    Ok(pattern)
}
