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
mod rewrite;
mod section;
mod splice;
mod substitute;
#[cfg(test)]
mod tests;
mod warning;
mod wording;

use std::collections::{BTreeMap, HashSet};

use bstr::BString;

pub use self::changeset::{Change, ChangeSet};
pub use self::closest::{Closest, Divergence};
pub use self::difference::{Blanks, Difference, How, Writer};
pub use self::fault::{Absence, BinarySign, Fault, Instead, Presence};
pub use self::guard::{Barrier, Guard, Origin};
pub use self::identity::{NoPlanId, PlanId};
use self::lint::History;
pub use self::lint::{Finding, Lints, Verdict};
pub use self::miss::{Because, Miss, Reason};
use self::overlay::{Found, Overlay};
use self::placement::Stood;
pub use self::placement::{Match, Placement, Rows};
use self::rewrite::Rewritten;
use self::section::Section;
pub use self::warning::Warning;
use crate::explain::Explain as _;
use crate::explain::Passage;
use crate::kind::Kind;
use crate::matching::{Effort, Tolerance};
use crate::patch::{FileEdit, Hunk, Operation, Patch, Status, Substitution};
use crate::path::{PathFault, RepoPath, Resolver};
use crate::pathspec::Case;
use crate::text::{Ending, LineNo, Lines, Located, Span, Text};
use crate::tree::{Content, File, Mode, Tree};

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
    let mut planner = Planner {
        overlay: Overlay::new(tree, resolver.directory()),
        tree,
        resolver,
        rules,
        named: BTreeMap::new(),
        faults: Vec::new(),
        warnings: Vec::new(),
        effort: Effort::default(),
        vacated: BTreeMap::new(),
        placements: Vec::new(),
        number: 0,
        history: History::default(),
    };
    for (number, edit) in patches.iter().flat_map(|patch| &patch.edits).enumerate() {
        if section::vacates(edit)
            && let Ok(path) = resolver.resolve(None, &edit.path)
        {
            planner.vacated.insert(path, number);
        }
    }
    let mut unread = false;
    for (number, edit) in patches.iter().flat_map(|patch| &patch.edits).enumerate() {
        planner.number = number;
        unread |= edit.operation == Operation::Unreadable;
        planner.edit(edit);
        if planner.faults.len() >= ENOUGH {
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

/// What makes new bytes of old ones and of the hunks of a section.
type Rewrite = fn(&RepoPath, &[u8], &[Hunk<'_>], &Rules, &mut HashSet<Vec<u8>>, &Effort) -> Rewritten;

struct Planner<'p> {
    overlay: Overlay<'p>,
    tree: &'p dyn Tree,
    resolver: &'p Resolver,
    rules: &'p Rules,
    /// Where the response first names each path.
    named: BTreeMap<RepoPath, Option<Span>>,
    faults: Vec<Located<Fault>>,
    warnings: Vec<Located<Warning>>,
    /// What may still be done to make messages better.
    effort: Effort,
    /// The paths that sections of unified diffs rename or delete, and the last edit that does.
    vacated: BTreeMap<RepoPath, usize>,
    placements: Vec<Placement>,
    /// Which edit of the response is at work, from 0.
    number: usize,
    history: History,
}

/// Marks an edit whose faults have been recorded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Failed {
    /// Nothing is known of the file from here on.
    Lost,
    /// The file is known but for what the failed hunks would have done.
    Partly,
}

impl Planner<'_> {
    fn edit(&mut self, edit: &FileEdit<'_>) {
        let root = edit.root.as_ref();
        let span = edit.path.span.or(edit.span);
        let Ok(path) = self.resolve(root, &edit.path, edit.span) else {
            // What is wrong with the other path is wrong all the same.
            let _ = edit.destination().map(|to| self.resolve(root, to, edit.span));
            return;
        };
        let known = self.known(edit, &path);
        let done = match (Section::of(edit, &path), &edit.operation) {
            (Some(section), _) => self.section(&section),
            (None, Operation::Create { lines }) => self.create(&path, &edit.path, lines, span),
            (None, Operation::Replace { lines }) => self.replace(&path, lines, span),
            (None, Operation::Delete { expected }) => self.delete(&path, expected.as_deref(), span),
            (None, Operation::Move { to }) => self.update(&path, root, Some(to), &[], span),
            (None, Operation::Update { to, hunks }) => self.update(&path, root, to.as_ref(), hunks, span),
            (None, Operation::Substitute(substitution)) => self.substitute(&path, substitution, span),
            (None, Operation::Unreadable) => Err(Failed::Lost),
        };
        if done == Err(Failed::Lost) {
            self.overlay.forget(&path);
        }
        if done.is_ok() {
            self.lint(edit, &path, known);
        }
    }

    /// Returns the file that an edit is about to change, as far as that is known before it is done.
    fn known(&self, edit: &FileEdit<'_>, path: &RepoPath) -> Option<Content> {
        match edit.header.as_ref().map(|header| header.status) {
            // What stands where it is to be is on its way to another place.
            Some(Status::Added) if self.vacated.contains_key(path) => Some(Vec::new().into()),
            Some(Status::Renamed) => self.overlay.aside(path).map(|file| file.content),
            _ => None,
        }
        .or_else(|| self.overlay.now(path))
    }

    /// Looks at what an edit that is done made of its file. `known` is the file as it was, if that was known before.
    fn lint(&mut self, edit: &FileEdit<'_>, path: &RepoPath, known: Option<Content>) {
        let before = known.or_else(|| self.overlay.before(path)).unwrap_or_else(|| Vec::new().into());
        let goes = edit.header.as_ref().is_some_and(|header| header.status == Status::Deleted);
        let now = match &edit.operation {
            Operation::Move { .. } | Operation::Delete { .. } => return,
            Operation::Update { .. } if goes => return,
            // The file that was moved is where nobody asks; its lines can be looked at all the same.
            Operation::Update { to: Some(to), .. } => self.resolver.resolve(edit.root.as_deref(), to).ok(),
            _ => Some(path.clone()),
        };
        let Some(now) = now else { return };
        let Some(after) = self.overlay.now(&now) else { return };
        if before.is_binary() || after.is_binary() || before == after {
            return;
        }
        for found in lint::findings(edit, &before, &after) {
            self.warn(found.span, Warning::Found { path: path.clone(), finding: found.value });
        }
        if now == *path && self.history.note(path, &before, &after) {
            self.warn(edit.span, Warning::Found { path: path.clone(), finding: Finding::Undone });
        }
    }

    fn resolve(&mut self, root: Option<&Text<'_>>, written: &Text<'_>, span: Option<Span>) -> Result<RepoPath, Failed> {
        let span = written.span.or(span);
        match self.resolver.resolve(root.map(|root| &root[..]), written) {
            Ok(path) => {
                let is_new = !self.named.contains_key(&path);
                self.named.entry(path.clone()).or_insert(span);
                let case = if self.tree.ignores_case() { Case::Ignored } else { Case::Counts };
                match self.rules.guard.barrier(&path, case) {
                    Some(barrier) if is_new => self.fail(span, Fault::Guarded { path, barrier }),
                    Some(_) => Err(Failed::Lost),
                    None => Ok(path),
                }
            }
            Err(fault) => {
                let of_root = matches!(fault, PathFault::UnknownRoot { .. } | PathFault::RootOutside { .. });
                let span = root.and_then(|root| root.span).filter(|_| of_root).or(span);
                let meant = nearby::inside(self.tree, &fault);
                self.fail(span, Fault::Path { written: BString::from(&written[..]), fault, meant })
            }
        }
    }

    fn create(
        &mut self,
        path: &RepoPath,
        written: &Text<'_>,
        lines: &[Text<'_>],
        span: Option<Span>,
    ) -> Result<(), Failed> {
        let there = self.room(path, span)?;
        if there.is_none() {
            self.unsuspicious(path, written, span)?;
        }
        let bytes = joined(lines, b"", Ending::Lf);
        let content: Content = self.read(self.tree.check_out(path, bytes).map_err(Fault::from), span)?.into();
        let mode = match there {
            Some(file) if file.content == content => {
                self.warn(span, Warning::AlreadyThere { path: path.clone() });
                return Ok(());
            }
            Some(file) if !self.rules.overwrite => {
                return self.fail(span, Fault::exists(path, Presence::File, &file.content));
            }
            Some(file) => file.mode,
            None => Mode::PLAIN,
        };
        self.overlay.put(path, File { content, mode });
        Ok(())
    }

    fn replace(&mut self, path: &RepoPath, lines: &[Text<'_>], span: Option<Span>) -> Result<(), Failed> {
        let file = self.base(path, span)?;
        let old = Lines::new(&file.content);
        let content: Content = if file.content.is_binary() {
            joined(lines, b"", Ending::Lf).into()
        } else {
            joined(lines, old.bom(), old.majority()).into()
        };
        if content == file.content {
            self.warn(span, Warning::NoChange { path: path.clone(), number: 0 });
        }
        self.overlay.put(path, File { content, mode: file.mode });
        Ok(())
    }

    fn delete(&mut self, path: &RepoPath, expected: Option<&[Text<'_>]>, span: Option<Span>) -> Result<(), Failed> {
        let file = self.base(path, span)?;
        if let Some(expected) = expected {
            self.compare_body(path, &file.content, expected, span)?;
        }
        self.overlay.delete(path);
        Ok(())
    }

    /// Checks that the `-` lines of a delete section are the file, or at least a run of its lines.
    fn compare_body(
        &mut self,
        path: &RepoPath,
        content: &Content,
        expected: &[Text<'_>],
        span: Option<Span>,
    ) -> Result<(), Failed> {
        let lines = Lines::new(content);
        let texts = || expected.iter().map(|line| &line[..]);
        if lines.iter().map(|line| line.text).eq(texts()) {
            return Ok(());
        }
        let haystack = crate::matching::Haystack::new(&lines, texts());
        let part = if self.rules.strict { None } else { haystack.first(&haystack.run(texts()), 0) };
        if let Some(at) = part {
            let (first, last) = (LineNo::from_index(at), LineNo::from_index(at + expected.len() - 1));
            let total = lines.len();
            self.warn(span, Warning::PartialDeleteBody { path: path.clone(), first, last, total });
            return Ok(());
        }
        let both = lines.len().min(expected.len());
        let differs = lines.iter().zip(texts()).position(|(line, text)| line.text != text).unwrap_or(both);
        let span = expected.get(differs).and_then(|line| line.span).or(span);
        let line = (differs < lines.len()).then(|| fault::place(path, &lines, differs, "the file has", "differs here"));
        let meant = differs.min(lines.len().saturating_sub(1))..(differs + 1).min(lines.len());
        let passages = Passage::around(path.as_bstr(), &lines, vec![meant]);
        self.fail(span, Fault::DeleteBody { path: path.clone(), line, passages })
    }

    fn update(
        &mut self,
        path: &RepoPath,
        root: Option<&Text<'_>>,
        to: Option<&Text<'_>>,
        hunks: &[Hunk<'_>],
        span: Option<Span>,
    ) -> Result<(), Failed> {
        let target = to.map(|to| self.resolve(root, to, span).map(|path| (path, to))).transpose();
        let base = self.base(path, span);
        let (Ok(target), Ok(file)) = (target, base) else { return Err(Failed::Lost) };
        // A move onto itself is a plain update.
        let target = target.filter(|(target, _)| target != path);
        let (content, done) = self.rewritten(path, &file, hunks, span, rewrite::rewrite);
        let changed = File { content, mode: file.mode };
        if let Some((target, written)) = target {
            let moved = self.relocate(path, changed, &target, written, span);
            if moved.is_err() {
                self.overlay.forget(&target);
            }
            return moved.and(done);
        }
        if done.is_ok() && changed.content == file.content {
            self.warn(span, Warning::NoChange { path: path.clone(), number: 0 });
        }
        self.overlay.put(path, changed);
        done
    }

    /// Returns what the hunks make of a file; where some fail, what the others make of it.
    fn rewritten(
        &mut self,
        path: &RepoPath,
        file: &File,
        hunks: &[Hunk<'_>],
        span: Option<Span>,
        rewrite: Rewrite,
    ) -> (Content, Result<(), Failed>) {
        if hunks.is_empty() {
            return (file.content.clone(), Ok(()));
        }
        if file.content.is_binary() {
            return (file.content.clone(), self.fail(span, Fault::binary(path, &file.content)));
        }
        let lost = self.overlay.lost(path);
        let rewritten = rewrite(path, &file.content, hunks, self.rules, lost, &self.effort);
        self.warnings.extend(rewritten.warnings);
        self.note(path, rewritten.stood);
        if !rewritten.misses.is_empty() {
            let lines = Lines::new(&file.content);
            for (number, miss) in rewritten.misses {
                let len = hunks.get(number - 1).map_or(0, |hunk| hunk.old().count());
                self.faults.push(miss.map(|miss| Fault::hunk(path, number, miss, &lines, len)));
            }
        }
        (rewritten.bytes.into(), if rewritten.whole { Ok(()) } else { Err(Failed::Partly) })
    }

    fn relocate(
        &mut self,
        path: &RepoPath,
        file: File,
        target: &RepoPath,
        written: &Text<'_>,
        span: Option<Span>,
    ) -> Result<(), Failed> {
        let span = written.span.or(span);
        // The source is in nobody's way: `a` may become `a/b`, and `A` may become `a`.
        let there = match self.overlay.without(path, |overlay| overlay.obstacle(target)) {
            Ok(None) => {
                self.unsuspicious(target, written, span)?;
                None
            }
            Ok(Some(Found::File(there))) => Some(there),
            Ok(Some(Found::Unknown)) => return Err(Failed::Lost),
            Err(fault) => return self.fail(span, fault),
        };
        match there {
            Some(there) if there.content == file.content => {
                self.warn(span, Warning::AlreadyThere { path: target.clone() });
                self.overlay.rename(path, target, there);
            }
            Some(there) if !self.rules.overwrite => {
                return self.fail(span, Fault::exists(target, Presence::Target, &there.content));
            }
            _ => self.overlay.rename(path, target, file),
        }
        Ok(())
    }

    fn substitute(&mut self, path: &RepoPath, edit: &Substitution<'_>, span: Option<Span>) -> Result<(), Failed> {
        let file = self.base(path, span)?;
        if file.content.is_binary() {
            return self.fail(span, Fault::binary(path, &file.content));
        }
        match substitute::substitute(path, &file.content, edit, self.rules, &self.effort) {
            Ok(done) => {
                self.warnings.extend(done.warnings);
                self.note(path, [done.stood]);
                self.overlay.put(path, File { content: done.bytes.into(), mode: file.mode });
                Ok(())
            }
            Err(miss) => {
                let lost = self.overlay.lost(path);
                let follows = rewrite::follows_from(&miss.value, edit.find.iter().map(|line| &line[..]), lost);
                lost.extend(edit.put.iter().map(|line| line.to_vec()));
                if !follows {
                    let fault = Fault::hunk(path, 0, miss.value, &Lines::new(&file.content), edit.find.len());
                    self.faults.push(Located::new(miss.span.or(span), fault));
                }
                Err(Failed::Partly)
            }
        }
    }

    /// Returns the file that an edit is about to change.
    fn base(&mut self, path: &RepoPath, span: Option<Span>) -> Result<File, Failed> {
        match self.overlay.file(path) {
            Ok(Found::File(file)) => Ok(file),
            Ok(Found::Unknown) => Err(Failed::Lost),
            Err(fault) => self.fail(span, fault),
        }
    }

    /// Returns the file that is where a new one is to be; an error if it is something else.
    fn room(&mut self, path: &RepoPath, span: Option<Span>) -> Result<Option<File>, Failed> {
        match self.overlay.obstacle(path) {
            Ok(None) => Ok(None),
            Ok(Some(Found::File(file))) => Ok(Some(file)),
            Ok(Some(Found::Unknown)) => Err(Failed::Lost),
            Err(fault) => self.fail(span, fault),
        }
    }

    fn unsuspicious(&mut self, path: &RepoPath, written: &Text<'_>, span: Option<Span>) -> Result<(), Failed> {
        match path.suspicious_when_new() {
            None => Ok(()),
            Some(fault) => self.fail(span, Fault::Path { written: BString::from(&written[..]), fault, meant: None }),
        }
    }

    fn read<T>(&mut self, read: Result<T, Fault>, span: Option<Span>) -> Result<T, Failed> {
        read.or_else(|fault| self.fail(span, fault))
    }

    fn fail<T>(&mut self, span: Option<Span>, fault: Fault) -> Result<T, Failed> {
        self.faults.push(Located::new(span, fault));
        Err(Failed::Lost)
    }

    fn note(&mut self, path: &RepoPath, stood: impl IntoIterator<Item = Stood>) {
        self.placements.extend(stood.into_iter().map(|stood| stood.of(self.number, path)));
    }

    fn warn(&mut self, span: Option<Span>, warning: Warning) {
        self.warnings.push(Located::new(span, warning));
    }
}

fn joined(lines: &[Text<'_>], bom: &[u8], ending: Ending) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(bom.len() + lines.iter().map(|line| line.len() + 2).sum::<usize>());
    bytes.extend_from_slice(bom);
    for line in lines {
        bytes.extend_from_slice(line);
        bytes.extend_from_slice(ending.as_bytes());
    }
    bytes
}
