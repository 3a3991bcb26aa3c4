//! The edits of a response, done one after the other on an overlay; what each does to its file.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use bstr::{BString, ByteSlice as _};

use super::Rules;
use super::error::{Error, Missing};
use super::growth::{self, Growth};
use super::overlay::{Overlay, Which};
use super::place::Edit;
use super::place_error::Part;
use super::placement::Placement;
use super::resolved::ResolvedEdit;
use super::section::{self, DiffSection};
use super::suggest::{self, Names};
use super::warning::Warning;
use crate::patch::{FileEdit, Hunk, Operation};
use crate::path::{PathError, RepoPath, Resolver};
use crate::pathspec::Case;
use crate::search::{Document, Effort};
use crate::text::{LineNo, Located, Span, Text};
use crate::tree::{Content, File, Tree};

/// The plan in the making.
pub(super) struct Planner<'p> {
    pub(super) overlay: Overlay<'p>,
    /// All edits of the response.
    pub(super) edits: Vec<ResolvedEdit<'p>>,
    /// The tracked paths by their names, once they have been asked for.
    pub(super) names: OnceCell<Names>,
    pub(super) tree: &'p dyn Tree,
    pub(super) resolver: &'p Resolver,
    pub(super) rules: &'p Rules,
    /// Where the response first names each path.
    pub(super) named: BTreeMap<RepoPath, Option<Span>>,
    pub(super) errors: Vec<Located<Error>>,
    pub(super) warnings: Vec<Located<Warning>>,
    /// What may still be done to make messages better.
    pub(super) effort: Effort,
    /// How many bytes of text the response brings.
    pub(super) brought: usize,
    /// How many more bytes edits have added so far, by copies and by texts put in many places.
    pub(super) added: Cell<usize>,
    /// The paths that sections of unified diffs rename or delete, and the last edit that does.
    pub(super) vacated: BTreeMap<RepoPath, usize>,
    pub(super) placements: Vec<Placement>,
    /// Which edit of the response is at work, from 0.
    pub(super) number: usize,
    /// By path, the numbers of the edits that change the file in its place, in order.
    pub(super) in_place: BTreeMap<RepoPath, Vec<usize>>,
    /// The first added lines that the file has already: the line where they are, and the file.
    pub(super) again: Option<(LineNo, Content)>,
    /// Whether an edit of a file in its place does more than to add lines again.
    pub(super) does_more: bool,
}

/// Marks an edit whose errors have been recorded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Failed {
    /// Nothing is known of the file from here on.
    Lost,
    /// The file is known but for what the failed hunks would have done.
    Partly,
}

/// Whether an edit was done.
pub(super) type Done = Result<(), Failed>;

/// A path that an edit names.
#[derive(Clone, Copy)]
pub(super) struct Named<'e, 'p> {
    pub(super) path: &'e RepoPath,
    pub(super) written: &'e Text<'p>,
    pub(super) span: Option<Span>,
}

impl<'p> Planner<'p> {
    /// Begins a plan of these edits.
    pub(super) fn new(
        edits: Vec<ResolvedEdit<'p>>,
        tree: &'p dyn Tree,
        resolver: &'p Resolver,
        rules: &'p Rules,
    ) -> Self {
        let (mut vacated, mut in_place) = (BTreeMap::new(), BTreeMap::<_, Vec<usize>>::new());
        for (number, ResolvedEdit { edit, path, .. }) in edits.iter().enumerate() {
            if let Ok(path) = path {
                if section::vacates(edit) {
                    vacated.insert(path.clone(), number);
                }
                if Edit::of(edit).is_some() {
                    in_place.entry(path.clone()).or_default().push(number);
                }
            }
        }
        Planner {
            overlay: Overlay::new(tree, resolver.directory()),
            names: OnceCell::new(),
            tree,
            resolver,
            rules,
            named: BTreeMap::new(),
            errors: Vec::new(),
            warnings: Vec::new(),
            effort: Effort::default(),
            brought: growth::brought(edits.iter().map(|of| of.edit)),
            edits,
            added: Cell::default(),
            vacated,
            placements: Vec::new(),
            number: 0,
            in_place,
            again: None,
            does_more: false,
        }
    }
}

impl Planner<'_> {
    /// Does one edit, or records why it can't be done.
    pub(super) fn edit(&mut self, edit: &FileEdit<'_>) {
        let root = edit.root.as_ref();
        let span = edit.path.span.or(edit.span);
        let path = self.edits[self.number].path.clone();
        let Ok(path) = self.note(path, root, &edit.path, edit.span) else {
            // The destination is checked too, so that one run reports the errors of both paths. What is
            // there afterwards, nobody knows.
            let to = edit.destination().map(|to| self.target(to, edit.span));
            to.into_iter()
                .flatten()
                .for_each(|to| self.overlay.forget(&to));
            return;
        };
        if self.has_its_end(edit, &path) {
            return self.overlay.forget(&path);
        }
        let at = Named {
            path: &path,
            written: &edit.path,
            span,
        };
        let done = match DiffSection::of(edit, at) {
            Some(section) => self.section(&section),
            None => self.operation(&edit.operation, at),
        };
        if done == Err(Failed::Lost) {
            self.overlay.forget(&path);
        }
    }

    /// Does what an edit asks for that is no section of a diff.
    fn operation(&mut self, operation: &Operation<'_>, at: Named<'_, '_>) -> Done {
        let Named { path, span, .. } = at;
        match operation {
            Operation::Create {
                lines,
                fills_empty: true,
                ends_open,
            } if self.overlay.is_empty(path) && !lines.is_empty() => {
                self.warn(span, Warning::Filled { path: path.clone() });
                self.replace(at, lines, *ends_open)
            }
            Operation::Create {
                lines, ends_open, ..
            } => self.create_as_meant(at, lines, *ends_open),
            Operation::Replace { lines } => self.replace(at, lines, false),
            Operation::Delete { expected } => self.delete(at, expected.as_deref()),
            Operation::Move { to } => self.update(at, to, &[]),
            Operation::Update {
                to: Some(to),
                hunks,
            } => self.update(at, to, hunks),
            Operation::Update { to: None, hunks }
                if hunks.iter().any(|hunk| hunk.position.is_some()) =>
            {
                if self.rules.knows_base {
                    self.rewrite(at, Edit::by_number(hunks))
                } else {
                    self.fail(span, Error::NoBase { path: path.clone() })
                }
            }
            Operation::Update { to: None, hunks } => self.rewrite(at, Edit::in_order(hunks)),
            Operation::Substitute(substitution) => self.rewrite(at, Edit::Text(substitution)),
            Operation::Unreadable => Err(Failed::Lost),
        }
    }

    /// Returns whether a line that was read as the patch's end is one of the file too, which is an
    /// error.
    fn has_its_end(&mut self, edit: &FileEdit<'_>, path: &RepoPath) -> bool {
        let Operation::Update { hunks, .. } = &edit.operation else {
            return false;
        };
        let Some(end) = hunks.last().and_then(|hunk| hunk.end.as_ref()) else {
            return false;
        };
        let Ok(file) = self.overlay.file(path) else {
            return false;
        };
        let lines = file.content.lines();
        let text = end.trim_ascii();
        let is_there = lines.iter().any(|line| line.text.trim_ascii() == text);
        if is_there {
            let (path, span, end) = (path.clone(), end.span, text.into());
            self.errors
                .push(Located::new(span, Error::EndInFile { path, end }));
        }
        is_there
    }

    /// Returns the path that the current edit gives to its file, and records that the response
    /// names it.
    pub(super) fn target(
        &mut self,
        written: &Text<'_>,
        span: Option<Span>,
    ) -> Result<RepoPath, Failed> {
        let ResolvedEdit { edit, to, .. } = &self.edits[self.number];
        let (root, path) = (edit.root.as_ref(), to.clone());
        self.note(path.ok_or(Failed::Lost)?, root, written, span)
    }

    /// Records that the response names a path, and says what is wrong with that.
    fn note(
        &mut self,
        path: Result<RepoPath, PathError>,
        root: Option<&Text<'_>>,
        written: &Text<'_>,
        span: Option<Span>,
    ) -> Result<RepoPath, Failed> {
        let span = written.span.or(span);
        match path {
            Ok(path) => {
                let named = self.named.entry(path.clone());
                let is_new = matches!(named, Entry::Vacant(_));
                named.or_insert(span);
                let case = Case::of(self.tree.ignores_case());
                match self.rules.guard.barrier(&path, case) {
                    Some(barrier) if is_new => self.fail(span, Error::Guarded(barrier)),
                    Some(_) => Err(Failed::Lost),
                    None => Ok(path),
                }
            }
            Err(error) => {
                let of_root = matches!(
                    error,
                    PathError::UnknownRoot { .. }
                        | PathError::RootWithoutTree { .. }
                        | PathError::RootOutside { .. }
                );
                let span = root.and_then(|root| root.span).filter(|_| of_root).or(span);
                let meant = suggest::inside(self.tree, &error);
                let record = self.edits[self.number].edit.record.as_ref();
                let session = record.map(|record| BString::from(&record.directory[..]));
                self.fail(
                    span,
                    Error::Path {
                        written: BString::from(&written[..]),
                        error,
                        meant,
                        directory: self.resolver.directory().into(),
                        session,
                    },
                )
            }
        }
    }

    fn delete(&mut self, at: Named<'_, '_>, expected: Option<&[Text<'_>]>) -> Done {
        let file = self.doomed(at.path, at.span)?;
        if let Some(expected) = expected {
            self.compare_body(at, &file.content, expected)?;
        }
        self.overlay.delete(at.path, Which::There);
        Ok(())
    }

    /// Checks that the `-` lines of a delete section are the file, or at least a run of its lines.
    fn compare_body(
        &mut self,
        at: Named<'_, '_>,
        content: &Content,
        expected: &[Text<'_>],
    ) -> Done {
        let Named { path, span, .. } = at;
        if content.why_withheld().is_some()
            && let Some(error) = Error::no_text(path, content)
        {
            return self.fail(span, error);
        }
        let texts = || expected.iter().map(|line| &line[..]);
        let all = |content: &Content| {
            let lines = content.lines();
            let is_all = lines.iter().map(|line| line.text).eq(texts());
            is_all.then_some(0..lines.len())
        };
        if all(content).is_some() {
            return Ok(());
        }
        let lines = content.lines();
        let file = Document::of_lines(&lines, [texts()]);
        let part = file.run(texts()).first();
        if let Some(at) = part
            && !self.rules.strict
        {
            let first = LineNo::from_index(at);
            let last = LineNo::from_index(at + expected.len() - 1);
            let total = lines.len();
            self.warn(
                span,
                Warning::PartialDeleteBody {
                    path: path.clone(),
                    first,
                    last,
                    total,
                },
            );
            return Ok(());
        }
        if let Some(conflict) = self.conflict(path, Part::Delete, content, b"", all) {
            let span = expected
                .get(conflict.nth)
                .and_then(|line| line.span)
                .or(span);
            return self.fail(span, Error::Conflict(Box::new(conflict)));
        }
        let differs = lines
            .iter()
            .zip(texts())
            .position(|(line, text)| line.text != text)
            .unwrap_or(lines.len().min(expected.len()));
        let span = expected.get(differs).and_then(|line| line.span).or(span);
        let (path, seen) = (path.clone(), self.seen(path, content));
        self.fail(
            span,
            if differs < lines.len() {
                Error::DeleteDiffers {
                    path,
                    line: LineNo::from_index(differs),
                    seen,
                }
            } else {
                Error::DeleteShorter { path, seen }
            },
        )
    }

    /// Moves a file, and does what hunks say to it.
    fn update(&mut self, at: Named<'_, '_>, to: &Text<'_>, hunks: &[Hunk<'_>]) -> Done {
        let Named { path, span, .. } = at;
        let target = self.target(to, span);
        // A move onto itself is a plain update.
        if target.as_ref() == Ok(path) && !hunks.is_empty() {
            return self.rewrite(at, Edit::in_order(hunks));
        }
        let base = self.base(path, span);
        let (Ok(target), Ok(file)) = (target, base) else {
            return Err(Failed::Lost);
        };
        if target == *path {
            self.warn(span, Warning::NoChange { path: path.clone() });
            return Ok(());
        }
        let (content, done) = self.rewritten(at, &file, Edit::in_order(hunks));
        let file = File { content, ..file };
        let moved = self.relocate(at, Some(Which::There), file, (to, &target));
        moved.and(done)
    }

    /// Puts a file at its new path, with the bytes that git would have on disk there. `leaving`
    /// says whether the file at the old path moves or the file that was set aside from it; `None`
    /// makes a copy.
    pub(super) fn relocate(
        &mut self,
        at: Named<'_, '_>,
        leaving: Option<Which>,
        file: File,
        (written, path): (&Text<'_>, &RepoPath),
    ) -> Done {
        let span = written.span.or(at.span);
        let target = Named {
            path,
            written,
            span,
        };
        let Ok(file) = self.arriving(at.path, leaving, file, target) else {
            self.overlay.forget(path);
            return Err(Failed::Lost);
        };
        if let Some(leaving) = leaving {
            self.overlay.rename(at.path, leaving, path, file);
            return Ok(());
        }
        let growth = Growth::new(self.given(at.path), &self.added);
        if !growth.add(file.content.size()) {
            let path = at.path.clone();
            return self.fail(at.span, Error::TooMuch { path });
        }
        self.overlay.put(path, file);
        Ok(())
    }

    fn arriving(
        &mut self,
        path: &RepoPath,
        leaving: Option<Which>,
        file: File,
        target: Named<'_, '_>,
    ) -> Result<File, Failed> {
        let content = self.tree.carry(path, target.path, file.content);
        let content = self.read(content.map_err(Error::from), target.span)?;
        let there = match leaving {
            // It is in nobody's way: `a` may become `a/b`, and `A` may become `a`.
            Some(Which::There) => self.overlay.obstacle_without(path, target.path),
            _ => self.overlay.obstacle(target.path),
        };
        let there = self.room(target, there)?;
        self.newcomer(target, there, File { content, ..file }, true)
    }

    /// Returns the file that an edit is about to change.
    pub(super) fn base(&mut self, path: &RepoPath, span: Option<Span>) -> Result<File, Failed> {
        let file = self.overlay.file(path);
        self.read(file, span)
    }

    /// Returns the file that an edit is about to delete.
    pub(super) fn doomed(&mut self, path: &RepoPath, span: Option<Span>) -> Result<File, Failed> {
        let mut file = self.overlay.file(path);
        if let Err(Some(Error::Missing(_, missing))) = &mut file {
            match missing {
                Missing::Never(suggestion) => suggestion.is_to_go = true,
                Missing::Tracked { is_to_go, .. } => *is_to_go = true,
                _ => {}
            }
        }
        self.read(file, span)
    }

    /// Records why something can't be found or read.
    pub(super) fn read<T>(
        &mut self,
        read: Result<T, impl Into<Option<Error>>>,
        span: Option<Span>,
    ) -> Result<T, Failed> {
        read.or_else(|error| match error.into() {
            Some(mut error) => {
                if let Error::Missing(path, Missing::Never(suggestion)) = &mut error {
                    let edit = self.edits[self.number].edit;
                    suggestion.depth = edit.depth;
                    suggestion.is_as_written = edit.root.is_none()
                        && edit.path.bytes.trim_start_with(|c| "./".contains(c)) == path.as_bytes();
                }
                self.fail(span, error)
            }
            None => Err(Failed::Lost),
        })
    }

    pub(super) fn fail<T>(&mut self, span: Option<Span>, error: Error) -> Result<T, Failed> {
        self.errors.push(Located::new(span, error));
        Err(Failed::Lost)
    }

    pub(super) fn warn(&mut self, span: Option<Span>, warning: Warning) {
        self.warnings.push(Located::new(span, warning));
    }
}
