//! [`Patch`] + [`Tree`] → [`ChangeSet`]: all matching, all conflicts, all refusals.
//!
//! Edits take effect in order on an overlay over the tree, so that a later edit sees what an earlier one did; only the
//! tree's own files are ever read, each once, and nothing is written. A plan is whole or it isn't: with any fault there is
//! no change set. Planning goes on after a fault to find the others.
//!
//! Where the formats' descriptions are silent:
//! - A new file that is already there with the very same bytes is passed over with a warning; a move onto such a file
//!   removes its source. Bytes are compared as git would put them on disk.
//! - A file that is overwritten keeps its mode, unless another is moved onto it.
//! - A `-` body is compared with the file's lines, their terminators aside.

mod changeset;
pub mod choose;
mod closest;
pub mod derive;
mod diagnosis;
mod difference;
mod elision;
mod elsewhere;
mod fault;
mod guard;
mod identity;
mod lint;
mod loosely;
mod miss;
mod nearby;
mod numbered;
mod overlay;
mod placed;
mod placement;
mod planner;
mod rewrite;
mod rivals;
mod section;
mod splice;
mod substitute;
#[cfg(test)]
mod tests;
mod warning;
mod wording;

pub use self::changeset::{Change, ChangeSet};
pub use self::closest::{Closest, Divergence};
pub use self::difference::{Blanks, Difference, How, Writer};
pub use self::fault::{Absence, BinarySign, Fault, Presence};
pub use self::guard::{Barrier, Guard, Origin};
pub use self::identity::{NoPlanId, PlanId};
pub use self::lint::{Finding, Lints, Verdict};
pub use self::miss::{Because, Miss, Reason};
pub use self::nearby::Instead;
pub use self::placement::{Match, Placement, Rows};
use self::planner::Planner;
pub use self::warning::Warning;
use crate::explain::Explain as _;
use crate::kind::Kind;
use crate::matching::Tolerance;
use crate::patch::{Operation, Patch};
use crate::path::Resolver;
use crate::text::{Located, Span};
use crate::tree::Tree;

/// How strictly a patch is read, and what it may do.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Only the bare algorithm: whatever a relaxation would have saved is an error.
    pub strict: bool,
    /// Refuse a hunk whose old lines stand in more than one place.
    pub unique: bool,
    /// How much old lines may differ from the file's where nothing equals them; of no account if strict.
    pub fuzz: Tolerance,
    /// What is done about what lints find.
    pub lints: Lints,
    /// Which paths it may touch.
    pub guard: Guard,
    /// Let new and moved files replace what is there.
    pub overwrite: bool,
    /// Take a response that leaves every file as it was for a success.
    pub allow_empty: bool,
}

impl Rules {
    /// Returns the loosest level that may be tried.
    fn level(&self) -> Tolerance {
        if self.strict { Tolerance::Exact } else { self.fuzz }
    }
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
    pub faults: Vec<Located<Fault>>,
    /// What was dropped, guessed or relaxed on the way.
    pub warnings: Vec<Located<Warning>>,
}

/// Works out what every file would become if these patches were applied one after the other.
///
/// ```
/// use git_llmpatch::{format, plan, path::Resolver, text::{Source, SourceId}, tree::MemoryTree};
///
/// let answer = "*** Begin Patch\n*** Update File: a.txt\n-old\n+new\n*** End Patch\n";
/// let source = Source::new(SourceId(0), "answer.txt", answer.into()).unwrap();
/// let patch = format::parse(&source, &format::Options::default()).patch;
/// let tree = MemoryTree::new().with("a.txt", "old\n");
/// let plan = plan::plan(&[patch], &tree, &Resolver::default(), &plan::Rules::default()).unwrap();
/// assert_eq!(&plan.changes.iter().next().unwrap().after.as_ref().unwrap().content[..], b"new\n");
/// ```
///
/// # Errors
/// If anything of it can't be done; nothing of it is then.
pub fn plan(patches: &[Patch<'_>], tree: &dyn Tree, resolver: &Resolver, rules: &Rules) -> Result<Plan, Refusal> {
    let mut planner = Planner::new(patches, tree, resolver, rules);
    let mut unread = false;
    for (number, edit) in patches.iter().flat_map(|patch| &patch.edits).enumerate() {
        planner.number = number;
        unread |= edit.operation == Operation::Unreadable;
        planner.edit(edit);
        if planner.faults.len() >= ENOUGH || planner.is_exhausted() {
            break;
        }
    }
    let Planner { overlay, mut faults, mut warnings, placements, named, .. } = planner;
    let paths: Vec<_> = overlay.paths().cloned().collect();
    let changes = overlay.into_changes();
    for change in &changes {
        if let Err(fault) = tree.confirm(&change.path, change.before.as_ref()) {
            faults.push(Located::new(named.get(&change.path).copied().flatten(), fault.into()));
        }
    }
    judge(rules.lints, &mut faults, &mut warnings);
    if !faults.is_empty() {
        return Err(Refusal { faults, warnings });
    }
    if changes.is_empty() && !rules.allow_empty && !unread && !paths.is_empty() {
        // The error says of every file what these say of each.
        warnings.retain(|warning| warning.value.kind() != Kind::NoChange);
        faults.push(Located::new(first_span(patches), Fault::Unchanged { paths }));
        return Err(Refusal { faults, warnings });
    }
    Ok(Plan { changes, warnings, placements })
}

/// Drops what lints found that are to be ignored, and makes faults of what they found that is an error.
fn judge(lints: Lints, faults: &mut Vec<Located<Fault>>, warnings: &mut Vec<Located<Warning>>) {
    for warning in std::mem::take(warnings) {
        match lints.verdict(warning.value.kind()) {
            Verdict::Ignore => {}
            Verdict::Warn => warnings.push(warning),
            Verdict::Error => faults.push(warning.map(|warning| Fault::Lint(Box::new(warning)))),
        }
    }
}

/// After so many faults, others aren't looked for.
const ENOUGH: usize = 1000;

fn first_span(patches: &[Patch<'_>]) -> Option<Span> {
    patches.iter().flat_map(|patch| &patch.edits).find_map(|edit| edit.span)
}
