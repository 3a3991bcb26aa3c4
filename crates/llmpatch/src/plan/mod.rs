//! [`Patch`] + [`Tree`] → [`ChangeSet`]: all matching, all conflicts, all refusals.
//!
//! Edits take effect in order on an overlay over the tree, so that a later edit sees what an
//! earlier one did; only the tree's own files are ever read, each once, and nothing is written. A
//! plan is whole or it isn't: with any error there is no change set. Planning goes on after an
//! error to find the others.
//!
//! Where the formats' descriptions are silent:
//! - A new file that is already there with the very same bytes is passed over with a warning; a
//!   move onto such a file removes its source. Bytes are compared as git would put them on disk.
//! - A file that is overwritten keeps its mode, unless another is moved onto it.
//! - A file that is renamed or copied keeps its bytes, unless the attributes of its new path would
//!   have git store others: then it becomes what a checkout writes there, so that a rename stays a
//!   rename. The same is true of the files of a response that changes `.gitattributes`, wherever it
//!   does.
//! - A `-` body is compared with the file's lines, their terminators aside.

mod again;
mod applied;
mod binary;
mod changeset;
pub mod choose;
mod conflict;
mod create;
pub mod derive;
mod encoding;
mod error;
mod exchange;
mod fuzz;
mod growth;
mod guard;
pub mod hunks;
mod identity;
mod link;
mod live;
mod merge;
mod overlay;
mod place;
mod place_error;
mod placement;
mod planner;
mod resolved;
mod rewrite;
mod section;
mod sought;
mod splice;
mod suggest;
#[cfg(test)]
mod tests;
mod unplaced;
mod warning;

pub use self::applied::Applied;
pub(crate) use self::applied::count_hunks;
pub use self::changeset::{Change, ChangeSet, FileOperation, Sides};
pub use self::conflict::Conflict;
pub use self::error::{Error, FileAsFound, Irregular, Missing, Occupied};
pub use self::guard::{Barrier, Guard, Origin};
pub use self::identity::{NoPlanId, PlanId};
pub use self::merge::{Conflicts, MergeLines, Unmerged, at_edits, merge};
pub use self::place_error::{After, Ambiguity, Earlier, Part, PlaceError, Places, Unplaced};
pub use self::placement::{Placement, Rows};
use std::collections::HashSet;

use self::planner::Planner;
pub(crate) use self::resolved::{ResolvedEdit, resolved};
pub use self::suggest::Suggestion;
pub use self::warning::{Placing, Quote, Warning};
use crate::kind::Kind;
use crate::patch::{Operation, Patch};
use crate::path::{RepoPath, Resolver, is_absolute};
use crate::search::Fuzz;
use crate::text::Located;
use crate::tree::{Entry, Tree, TreeError};

/// How strictly a patch is read, and what it may do.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Only the bare algorithm: whatever a relaxation would have saved is an error.
    pub strict: bool,
    /// Refuse a hunk whose old lines are in more than one place.
    pub unique: bool,
    /// How much old lines may differ from the file's where nothing equals them; of no account if
    /// strict.
    pub fuzz: Fuzz,
    /// Which paths it may touch.
    pub guard: Guard,
    /// Let new and moved files replace what is there.
    pub overwrite: bool,
    /// Lets a new file replace a file that is there: the tree is what the author of the response
    /// has seen.
    pub knows_base: bool,
    /// Take a response that leaves every file as it was for a success.
    pub allow_empty: bool,
    /// The directory from which somebody may mean the paths of a response, which are from the top.
    pub here: Option<RepoPath>,
}

/// What a response comes to.
#[derive(Debug)]
pub struct Plan {
    /// What will be true afterwards.
    pub changes: ChangeSet,
    /// What was dropped, guessed or relaxed.
    pub warnings: Vec<Located<Warning>>,
    /// Where each hunk and each find was placed, in the order of the response.
    pub placements: Vec<Placement>,
}

/// Why a response comes to nothing.
#[derive(Debug)]
pub struct Refusal {
    /// All that is wrong, in the order of the response.
    pub errors: Vec<Located<Error>>,
    /// What was dropped, guessed or relaxed on the way.
    pub warnings: Vec<Located<Warning>>,
    /// What those edits would do that nothing is wrong with.
    pub changes: ChangeSet,
}

/// Works out what every file would become if these patches were applied one after the other.
///
/// ```
/// use llmpatch::{format, plan, response, path::Resolver, text::{Source, SourceId}, tree::MemoryTree};
///
/// let response = "*** Begin Patch\n*** Update File: a.txt\n-old\n+new\n*** End Patch\n";
/// let source = Source::new(SourceId(0), "response.txt", response.into()).unwrap();
/// let patch = response::parse(&source, &format::Options::default()).patch;
/// let tree = MemoryTree::new().with("a.txt", "old\n");
/// let plan = plan::plan(&[patch], &tree, &Resolver::default(), &plan::Rules::default()).unwrap();
/// assert_eq!(&plan.changes.iter().next().unwrap().after.as_ref().unwrap().content[..], b"new\n");
/// ```
///
/// # Errors
/// If any edit can't be made: the refusal has all errors, and nothing is to be changed.
pub fn plan(
    patches: &[Patch<'_>],
    tree: &dyn Tree,
    resolver: &Resolver,
    rules: &Rules,
) -> Result<Plan, Refusal> {
    let mut planner = Planner::new(resolved(patches, resolver), tree, resolver, rules);
    planner.edit_all();
    let is_read = planner.is_read();
    let repeated = planner.repeated().filter(|_| is_read);
    let applied = repeated.or_else(|| planner.applied().filter(|_| is_read));
    if applied.is_none() {
        planner.agree_on_fuzz();
    }
    planner.look_here();
    planner.finished(applied)
}

/// Returns the file of the same path below a directory, if it is there.
fn namesake(tree: &dyn Tree, path: &RepoPath, here: &RepoPath) -> Option<RepoPath> {
    let other = here.join(path.as_bytes()).ok()?;
    let is_there = matches!(tree.read(&other), Ok(Entry::File(_)));
    is_there.then_some(other)
}

/// Returns the error that the places that are planned for, as index and work tree, disagree on a
/// path that the plan leaves as it is: then the change isn't in both of them already.
fn disagreement(tree: &dyn Tree, path: &RepoPath) -> Option<TreeError> {
    let before = match tree.read(path) {
        Ok(Entry::File(file)) => Some(file),
        Ok(Entry::Absent) => None,
        _ => return None,
    };
    tree.confirm(path, before.as_ref())
        .err()
        .filter(|error| matches!(error, TreeError::Disagrees { .. }))
}

impl Planner<'_> {
    /// Returns whether all edits could be read.
    fn is_read(&self) -> bool {
        let mut edits = self.edits.iter();
        edits.all(|resolved| resolved.edit.operation != Operation::Unreadable)
    }

    /// Ends the plan; `applied` is what of the response was there before, if that is all of it.
    fn finished(self, applied: Option<Applied>) -> Result<Plan, Refusal> {
        let is_read = self.is_read();
        let Planner {
            edits,
            overlay,
            tree,
            rules,
            named,
            mut errors,
            mut warnings,
            mut placements,
            ..
        } = self;
        let cancels_out = overlay.is_undone();
        let (mut changes, converted) = overlay.into_changes();
        let span = |path: &RepoPath| named.get(path).copied().flatten();
        if let Err(error) = converted {
            errors.push(Located::new(span(error.path()), error.into()));
        }
        if applied.is_some() {
            (errors, placements, changes) = Default::default();
            warnings.retain(|warning| warning.value.kind() != Kind::AlreadyThere);
        }
        errors.extend(changes.iter().filter_map(|Change { path, before, .. }| {
            let error = tree.confirm(path, before.as_ref()).err()?;
            Some(Located::new(span(path), error.into()))
        }));
        let by_path = edits
            .iter()
            .filter_map(|of| Some((of.path.as_ref().ok()?, of.edit)));
        errors.extend(encoding::mixed(by_path, &changes, tree));
        if changes.is_empty() && errors.is_empty() && is_read {
            errors.extend(named.iter().filter_map(|(path, span)| {
                Some(Located::new(*span, disagreement(tree, path)?.into()))
            }));
        }
        let is_vain = errors.is_empty() && changes.is_empty() && is_read && !named.is_empty();
        if is_vain && !rules.allow_empty {
            // The error says of every file what these say of each.
            warnings.retain(|warning| warning.value.kind() != Kind::NoChange);
            let paths = named.into_keys().collect();
            let error = match applied {
                Some(applied) => Error::AlreadyApplied { paths, applied },
                None if cancels_out => Error::CancelsOut { paths },
                None => Error::NothingToDo { paths },
            };
            let first = edits.iter().find_map(|of| of.edit.span);
            errors.push(Located::new(first, error));
        }
        if errors.is_empty() {
            return Ok(Plan {
                changes,
                warnings,
                placements,
            });
        }
        Err(Refusal {
            errors,
            warnings,
            changes,
        })
    }

    /// Warns of changed files that have a namesake in the directory that the run is in, unless the
    /// response names other files by way of that directory.
    fn look_here(&mut self) {
        let Some(here) = &self.rules.here else {
            return;
        };
        if self.named.keys().any(|path| path.is_below(here)) {
            return;
        }
        let edits = self.edits.iter();
        let absolute: HashSet<_> = edits
            .filter(|of| is_absolute(&of.edit.path))
            .filter_map(|of| of.path.as_ref().ok())
            .collect();
        let found: Vec<_> = self
            .overlay
            .changed()
            .filter(|path| !absolute.contains(path))
            .filter_map(|path| Some((path.clone(), namesake(self.tree, path, here)?)))
            .collect();
        for (path, other) in found {
            let span = self.named.get(&path).copied().flatten();
            self.warn(span, Warning::Namesake { path, other });
        }
    }

    /// Plans the edits in order, until there are [`ENOUGH`] errors.
    pub(super) fn edit_all(&mut self) {
        let mut held = 0;
        for number in 0..self.edits.len() {
            let edit = self.edits[number].edit;
            self.number = number;
            self.overlay.edit = (number, edit.path.span.or(edit.span));
            let known = self.errors.len();
            self.edit(edit);
            held += self.errors[known..]
                .iter()
                .map(|error| error.value.held())
                .sum::<usize>();
            if self.errors.len() >= ENOUGH || held > HELD {
                break;
            }
        }
    }
}

/// The number of errors after which no further errors are looked for.
const ENOUGH: usize = 1000;
/// The bytes of changed files that errors keep, after which no further errors are looked for
/// either.
const HELD: usize = 1 << 30;
