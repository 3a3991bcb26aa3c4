//! For messages only: what there is where somebody named a path that isn't there, and which other may be meant.

use bstr::{BStr, BString, ByteSlice as _};

use super::fault::Absence;
use crate::path::{PathFault, RepoPath};
use crate::text::Shown;
use crate::tree::Tree;

/// How alike two paths must be to be taken for the same name misspelt, from 0 to 1.
const CLOSE: f32 = 0.8;

/// What there is where a file was looked for that never was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instead {
    /// The one tracked path that may be meant.
    pub meant: Option<RepoPath>,
    /// Where several tracked files have its name, these; else the files and folders in the nearest folder above that there
    /// is. The first few.
    pub others: Vec<BString>,
    /// How many those are.
    pub count: usize,
    /// The folder in which the others are; `None` for the top, or where they are of the same name.
    pub folder: Option<RepoPath>,
    /// Whether the others are of the same name.
    pub same_name: bool,
    /// What `--directory` put in front, and the path behind it.
    pub below: Option<(RepoPath, BString)>,
    /// Whether the file was to be deleted, so that it might as well be gone.
    pub is_to_go: bool,
}

impl Instead {
    /// Says what there is.
    pub(super) fn notes(&self, path: &RepoPath) -> Vec<String> {
        let mut notes = Vec::new();
        match (&self.meant, &self.below) {
            (None, None) => {}
            (Some(meant), None) => notes.push(format!("did you mean `{meant}`?")),
            (None, Some((folder, written))) => {
                notes.push(format!("--directory={folder} makes `{path}` of the patch's `{}`", Shown(written)))
            }
            (Some(meant), Some((folder, written))) => {
                let inside = meant.as_bytes().strip_prefix(folder.as_bytes()).and_then(|rest| rest.strip_prefix(b"/"));
                notes.push(match inside {
                    Some(inside) => format!(
                        "did you mean `{meant}`? with --directory={folder} the patch calls it `{}`",
                        Shown(inside)
                    ),
                    None => format!(
                        "there is `{meant}`, but --directory={folder} makes `{path}` of the patch's `{}`",
                        Shown(written)
                    ),
                });
            }
        }
        if !self.others.is_empty() {
            let names: Vec<_> = self.others.iter().map(|name| format!("`{}`", Shown(name))).collect();
            let names = names.join(", ");
            let more = match self.count - self.others.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            notes.push(match (self.same_name, &self.folder) {
                (true, _) => format!("there are {names}{more}"),
                (false, Some(folder)) => format!("`{folder}` holds {names}{more}"),
                (false, None) => format!("the top of the repository holds {names}{more}"),
            });
        }
        notes
    }

    /// Says what is to be done.
    pub(super) fn help(&self) -> &'static str {
        match (&self.meant, &self.below) {
            (Some(meant), Some((folder, _))) if !meant.as_bytes().starts_with(&[folder.as_bytes(), b"/"].concat()) => {
                "correct --directory, or leave it out"
            }
            (Some(_), _) => "correct the path in the patch",
            (None, Some(_)) if self.is_to_go => {
                "correct --directory or the path; if the file is gone already, leave this out"
            }
            (None, None) if self.is_to_go => {
                "paths count from the top of the repository; correct it, or leave this out if the file is gone already"
            }
            (None, Some(_)) => "correct --directory or the path, or let the patch add the file",
            (None, None) => "paths count from the top of the repository; correct it, or let the patch add the file",
        }
    }
}

/// Says why nothing stands at a path that no edit has touched, nor any file above it.
/// `directory` is what `--directory` puts in front of paths.
pub(super) fn absence(tree: &dyn Tree, path: &RepoPath, directory: &BStr) -> Absence {
    let tracked = tree.tracked();
    if tracked.contains(path) {
        return Absence::Tracked;
    }
    let below = RepoPath::new(directory).ok().and_then(|folder| {
        let written = path.as_bytes().strip_prefix(folder.as_bytes())?.strip_prefix(b"/")?.into();
        Some((folder, written))
    });
    let mut instead = Instead { meant: meant(&tracked, path), below, ..Instead::default() };
    if instead.meant.is_none() {
        look_around(&mut instead, &tracked, path);
    }
    Absence::Never(Box::new(instead))
}

/// How many names are told of what there is instead.
const TOLD: usize = 8;

/// Lists the files that have the path's name, or else what is in the nearest folder above it that there is.
fn look_around(instead: &mut Instead, tracked: &[RepoPath], path: &RepoPath) {
    let mut others: Vec<&[u8]> =
        tracked.iter().filter(|other| other.name() == path.name()).map(|other| other.as_bytes()).collect();
    instead.same_name = !others.is_empty();
    if others.is_empty() {
        let holds = |folder: &RepoPath| tracked.iter().any(|other| other.ancestors().any(|above| above == *folder));
        instead.folder = path.ancestors().find(holds);
        let start = instead.folder.as_ref().map_or(0, |folder| folder.as_bytes().len() + 1);
        let inside = tracked.iter().filter(|other| {
            instead.folder.as_ref().is_none_or(|folder| other.ancestors().any(|above| above == *folder))
        });
        // A folder's name ends with its slash.
        let name = |path: &'_ RepoPath| {
            let rest = &path.as_bytes()[start..];
            start..start + rest.find_byte(b'/').map_or(rest.len(), |at| at + 1)
        };
        others = inside.map(|other| &other.as_bytes()[name(other)]).collect();
        others.sort_unstable();
        others.dedup();
    }
    instead.count = others.len();
    instead.others = others.into_iter().take(TOLD).map(BString::from).collect();
}

/// Returns the one tracked path with which an absolute path of another machine, or one that climbs too far, ends.
pub(super) fn inside(tree: &dyn Tree, fault: &PathFault) -> Option<RepoPath> {
    let (PathFault::Outside { path, .. } | PathFault::Escapes { path }) = fault else { return None };
    let path = path.rsplit_str("../").next().unwrap_or_default().trim_start_with(|c| c == '/');
    let path = RepoPath::new(path).ok()?;
    let mut fitting = tree
        .tracked()
        .into_iter()
        .filter(|tracked| tracked == &path || path.as_bytes().ends_with(&[b"/", tracked.as_bytes()].concat()));
    fitting.next().filter(|_| fitting.next().is_none())
}

/// Returns the one tracked path that ends with the given one, or differs only in case, or has its name, or is spelt nearly like it. Where several
/// do, none: a guess between them would be no help.
fn meant(tracked: &[RepoPath], path: &RepoPath) -> Option<RepoPath> {
    let only = |fits: &dyn Fn(&RepoPath) -> bool| {
        let mut fitting = tracked.iter().filter(|other| fits(other));
        fitting.next().map(|first| fitting.next().is_none().then(|| first.clone()))
    };
    let below = [b"/", path.as_bytes()].concat();
    let ends = |other: &RepoPath| {
        other.as_bytes().ends_with(&below) || path.as_bytes().ends_with(&[b"/", other.as_bytes()].concat())
    };
    let in_any_case = |other: &RepoPath| other.as_bytes().eq_ignore_ascii_case(path.as_bytes());
    if let Some(found) =
        only(&ends).or_else(|| only(&in_any_case)).or_else(|| only(&|other| other.name() == path.name()))
    {
        return found;
    }
    let names: Vec<_> = tracked.iter().map(|other| other.as_bstr().to_str_lossy()).collect();
    let near: Vec<_> =
        names.iter().filter(|name| name.len().abs_diff(path.as_bytes().len()) <= 8).map(|name| &**name).collect();
    match similar::get_close_matches(&*path.as_bstr().to_str_lossy(), &near, 2, CLOSE)[..] {
        [one] => RepoPath::new(one.as_bytes()).ok(),
        _ => None,
    }
}
