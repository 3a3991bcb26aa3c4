//! What there is where somebody named a path that isn't there, and which other may be meant: only
//! for messages.

use std::collections::{HashMap, HashSet};

use bstr::{BStr, BString, ByteSlice as _};
use unicode_normalization::UnicodeNormalization as _;

use super::error::Missing;
use crate::path::{PathError, RepoPath, plain};
use crate::tree::Tree;

/// How alike two paths must be to be taken for the same name misspelt, from 0 to 1.
const CLOSE: f32 = 0.8;

/// What there is where a file was looked for that never was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suggestion {
    /// The tracked path that may be meant.
    pub meant: Option<RepoPath>,
    /// Where several tracked files have its name, these; else the files and directories in the
    /// nearest directory above that there is. The first few.
    pub others: Vec<BString>,
    /// How many paths there are like `others`, in all.
    pub count: usize,
    /// The directory in which the others are; `None` for the top, or where they are of the same
    /// name.
    pub directory: Option<RepoPath>,
    /// Whether the others are of the same name.
    pub same_name: bool,
    /// Whether the response names it by this path, so that `--directory` would go before that.
    pub is_as_written: bool,
    /// How many directories `-p` may take off the name in a diff, where nothing says how many it is
    /// to take.
    pub depth: Option<usize>,
    /// What `--directory` put in front, and the path behind it.
    pub below: Option<(RepoPath, BString)>,
    /// Whether the file was to be deleted, so that it might as well be gone.
    pub is_to_go: bool,
    /// Whether the file was to be made, of which the response perhaps knows no better.
    pub is_to_come: bool,
}

/// Returns why nothing is at a path that no edit has touched, nor any file above it.
/// `directory` is what `--directory` puts in front of paths.
pub(super) fn missing(tree: &dyn Tree, path: &RepoPath, directory: &BStr) -> Missing {
    if let Some(gone) = tree.gone(path) {
        return Missing::Tracked {
            gone,
            is_to_go: false,
        };
    }
    let tracked = tree.tracked();
    let mut suggestion = Suggestion {
        meant: meant(&tracked, path),
        below: below(path, directory),
        ..Suggestion::default()
    };
    if suggestion.meant.is_none() {
        look_around(&mut suggestion, &tracked, path);
    }
    Missing::Never(Box::new(suggestion))
}

/// Returns the directory that was put in front of a path, and the path behind it.
fn below(path: &RepoPath, directory: &BStr) -> Option<(RepoPath, BString)> {
    let directory = RepoPath::new(directory).ok()?;
    let written = path
        .as_bytes()
        .strip_prefix(directory.as_bytes())?
        .strip_prefix(b"/")?
        .into();
    Some((directory, written))
}

/// Returns why no new file is made at a path: the tracked file that is probably meant.
pub(super) fn not_new(meant: RepoPath, path: &RepoPath, directory: &BStr) -> Missing {
    Missing::Never(Box::new(Suggestion {
        meant: Some(meant),
        below: below(path, directory),
        is_to_come: true,
        ..Suggestion::default()
    }))
}

/// The tracked paths by the names of their files.
#[derive(Debug)]
pub(super) struct Names {
    by_name: HashMap<Vec<u8>, Vec<RepoPath>>,
    /// The directories that they are in.
    directories: HashSet<RepoPath>,
}

impl Names {
    pub(super) fn new(tracked: Vec<RepoPath>) -> Self {
        let directories = tracked.iter().flat_map(RepoPath::ancestors).collect();
        let mut by_name: HashMap<_, Vec<_>> = HashMap::new();
        for path in tracked {
            by_name.entry(path.name().to_vec()).or_default().push(path);
        }
        Self {
            by_name,
            directories,
        }
    }

    /// Returns the tracked file below a directory that is probably meant by the path of a new file:
    /// it ends with the path as written, or has its name where the path's first directory holds no
    /// tracked file. `directory` is what `--directory` puts in front of paths.
    pub(super) fn meant_by_new(&self, path: &RepoPath, directory: &BStr) -> Option<RepoPath> {
        let same = self.by_name.get(path.name())?;
        let below = below(path, directory);
        let written = below
            .as_ref()
            .map_or(path.as_bstr(), |(_, rest)| rest.as_bstr());
        let end = [&b"/"[..], written].concat();
        let first = written.find_byte(b'/').and_then(|length| {
            path.directory_of_len(path.as_bytes().len() - written.len() + length)
        });
        let is_known = first.is_none_or(|first| self.directories.contains(&first));
        let is_below = |other: &&RepoPath| {
            if is_known {
                other.as_bytes().ends_with(&end)
            } else {
                other.as_bytes().contains(&b'/')
            }
        };
        let mut fitting = same.iter().filter(is_below);
        let only = fitting.next().filter(|_| fitting.next().is_none());
        only.cloned()
    }
}

/// How many names are listed of what there is.
const LISTED: usize = 8;

/// Lists the files that have the path's name, or else what is in the nearest directory above it
/// that there is.
fn look_around(suggestion: &mut Suggestion, tracked: &[RepoPath], path: &RepoPath) {
    let mut others: Vec<&[u8]> = tracked
        .iter()
        .filter(|other| other.name() == path.name())
        .map(|other| other.as_bytes())
        .collect();
    suggestion.same_name = !others.is_empty();
    if others.is_empty() {
        let holds = |directory: &RepoPath| {
            tracked
                .iter()
                .any(|other| other.ancestors().any(|above| above == *directory))
        };
        suggestion.directory = path.ancestors().find(holds);
        let start = suggestion
            .directory
            .as_ref()
            .map_or(0, |directory| directory.as_bytes().len() + 1);
        let inside = tracked.iter().filter(|other| {
            suggestion
                .directory
                .as_ref()
                .is_none_or(|directory| other.ancestors().any(|above| above == *directory))
        });
        // A directory's name ends with its slash.
        let name = |path: &'_ RepoPath| {
            let rest = &path.as_bytes()[start..];
            start..start + rest.find_byte(b'/').map_or(rest.len(), |at| at + 1)
        };
        others = inside.map(|other| &other.as_bytes()[name(other)]).collect();
        others.sort_unstable();
        others.dedup();
    }
    suggestion.count = others.len();
    suggestion.others = others.into_iter().take(LISTED).map(BString::from).collect();
}

/// Returns the longest tracked path with which a path ends that is absolute on another machine, or
/// climbs too far.
pub(super) fn inside(tree: &dyn Tree, error: &PathError) -> Option<RepoPath> {
    let (PathError::Outside { path, .. } | PathError::Escapes { path }) = error else {
        return None;
    };
    let path = path.replace(b"\\", b"/");
    let path = path
        .rsplit_str("../")
        .next()
        .unwrap_or_default()
        .trim_start_with(|c| c == '/');
    let path = RepoPath::new(path).ok()?;
    let fitting = tree.tracked().into_iter().filter(|tracked| {
        tracked == &path
            || path
                .as_bytes()
                .ends_with(&[b"/", tracked.as_bytes()].concat())
    });
    fitting.max_by_key(|tracked| tracked.as_bytes().len())
}

/// Returns the only tracked path that is the given path without what is around it, be it spaces, ends with it,
/// differs only in case, has its name, or is spelt nearly like it. Where several do, none: a guess
/// between them would be no help.
fn meant(tracked: &[RepoPath], path: &RepoPath) -> Option<RepoPath> {
    let bare = plain(path.as_bytes()).unwrap_or_else(|| path.as_bytes().into());
    let bare = RepoPath::new(bare.trim_ascii()).ok();
    let path = bare.as_ref().unwrap_or(path);
    let only = |fits: &dyn Fn(&RepoPath) -> bool| {
        let mut fitting = tracked.iter().filter(|other| fits(other));
        fitting
            .next()
            .map(|first| fitting.next().is_none().then(|| first.clone()))
    };
    let below = [b"/", path.as_bytes()].concat();
    let ends = |other: &RepoPath| {
        other.as_bytes().ends_with(&below)
            || path
                .as_bytes()
                .ends_with(&[b"/", other.as_bytes()].concat())
    };
    let composed = |path: &RepoPath| path.as_bstr().to_str_lossy().nfc().collect::<String>();
    let own = composed(path);
    let is_alike = |other: &RepoPath| !other.as_bytes().is_ascii() && composed(other) == own;
    let in_any_case = |other: &RepoPath| other.as_bytes().eq_ignore_ascii_case(path.as_bytes());
    if let Some(found) = only(&|other| other == path)
        .or_else(|| only(&ends))
        .or_else(|| only(&is_alike))
        .or_else(|| only(&in_any_case))
        .or_else(|| only(&|other| other.name() == path.name()))
    {
        return found;
    }
    let names: Vec<_> = tracked
        .iter()
        .map(|other| other.as_bstr().to_str_lossy())
        .collect();
    let near: Vec<_> = names
        .iter()
        .filter(|name| name.len().abs_diff(path.as_bytes().len()) <= 8)
        .map(|name| &**name)
        .collect();
    match similar::get_close_matches(&*path.as_bstr().to_str_lossy(), &near, 2, CLOSE)[..] {
        [one] => RepoPath::new(one.as_bytes()).ok(),
        _ => None,
    }
}
