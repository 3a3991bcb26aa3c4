//! The one way from responses to a change that all subcommands go: read, parse, plan.
//!
//! What stops it is a [`Failure`], with everything that can be found out in one run: a response
//! that can't be read whole is still planned as far as it was read, to find what else is wrong.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;

use super::base::{About, Base};
use super::conclude::conclude;
use super::config;
use super::error::{CliError, Failure};
use super::exit::Exit;
use super::observed_tree::ObservedTree;
use super::options::{Reading, Verbosity};
use super::output;
use super::pager;
use super::progress::ProgressMeter;
use crate::repo::{BasedTree, BlobId, ConflictMarkers, Mail, Repo, conversion, links, merge};
use crate::report::human::{self, Style};
use crate::system::OsStrExt as _;
use crate::transaction::{self, How, Interrupted, Recovered};
use llmpatch::apply::{self, Planned, Refused, Responses};
use llmpatch::format;
use llmpatch::kind::Kind;
use llmpatch::lint::Lints;
use llmpatch::patch::{FileEdit, Format, Operation, Patch, Status};
use llmpatch::path::{RepoPath, Resolver};
use llmpatch::plan::{self, ChangeSet, Conflicts, Placement, Plan, Refusal, Rules};
use llmpatch::progress::Stage;
use llmpatch::report::{Detail, Diagnostic, PartReport, Report, State};
use llmpatch::text::{Shown, Source, SourceId, sentence, shell_word};
use llmpatch::tree::Tree;

/// A repository, and how responses are read and errors shown in it.
pub(super) struct Session {
    pub(super) repo: Repo,
    pub(super) verbosity: Verbosity,
    pub(super) style: Style,
    pub(super) meter: ProgressMeter,
    reading: Reading,
    rules: Rules,
    lints: Lints,
    resolver: Resolver,
    /// What responses are about, if it isn't what is to change.
    pub(super) about: About,
    /// What became of changes that were interrupted before, as far as it is still to be told.
    pub(super) recovered: RefCell<Vec<Diagnostic>>,
    /// Whether all of this user's were recovered just now.
    is_recovered: Cell<bool>,
    /// Which responses `-v` has told of: some are read again.
    told: RefCell<HashSet<SourceId>>,
    /// What saves typing the next time, to be said at the end.
    offer: RefCell<Option<String>>,
}

impl Session {
    /// Opens the repository of the current directory, or returns why not, and how that is to be
    /// shown.
    pub(super) fn open(
        reading: &Reading,
        verbosity: &Verbosity,
    ) -> Result<Session, (Failure, Style)> {
        let repo =
            Repo::open().map_err(|error| (Failure::from(error), config::style(verbosity, None)))?;
        let style = config::style(verbosity, Some(repo.config()));
        Session::new(repo, reading, verbosity, style).map_err(|failure| (failure, style))
    }

    fn new(
        repo: Repo,
        reading: &Reading,
        verbosity: &Verbosity,
        style: Style,
    ) -> Result<Session, Failure> {
        let config = repo.config();
        let mut rules = config::rules(reading, config)?;
        // Who gives a directory, or none, has said from where paths are.
        if reading.directory.is_none() {
            rules.here = links::here(&repo);
        }
        let lints = config::lints(config)?;
        let about = config::about(reading, config)?;
        // An empty one is none, as for `git apply`.
        let directory = reading
            .directory
            .as_deref()
            .map(OsStr::as_bytes)
            .filter(|directory| !directory.is_empty());
        let mut resolver = repo.resolver(directory).map_err(CliError::Directory)?;
        let (origin, roots) = config::roots(reading, config)?;
        for root in roots {
            let with = resolver.with_alias(&root);
            resolver = with.map_err(|error| CliError::Root { origin, error })?;
        }
        Ok(Session {
            verbosity: verbosity.clone(),
            style,
            meter: ProgressMeter::new(verbosity),
            reading: reading.clone(),
            rules,
            lints,
            resolver,
            about,
            repo,
            recovered: RefCell::default(),
            is_recovered: Cell::new(false),
            told: RefCell::default(),
            offer: RefCell::default(),
        })
    }

    /// Returns the path that an edit is about, if it is a good one.
    pub(super) fn resolve(&self, edit: &FileEdit<'_>) -> Option<RepoPath> {
        self.resolver.resolve(edit.root.as_deref(), &edit.path).ok()
    }

    /// Returns where the model saw the work tree, as far as that had to be typed.
    pub(super) fn roots_given(&self) -> Vec<String> {
        let given = self.reading.root_is.iter();
        given.map(|root| shell_word(root.as_bytes())).collect()
    }

    /// Offers to set what was typed a second time, where nothing else is set.
    pub(super) fn offer_roots(&self) {
        let set = self.repo.config().all("llmpatch.rootIs");
        if set.is_ok_and(|set| set.is_empty()) {
            let commands = self
                .roots_given()
                .iter()
                .map(|root| format!("`git config --add llmpatch.rootIs {root}`"))
                .collect::<Vec<_>>();
            let offer = format!("to save typing `--root-is`, run {}", sentence(&commands));
            self.offer.replace(Some(offer));
        }
    }

    /// Returns whether only what the format itself allows is accepted.
    pub(super) fn is_strict(&self) -> bool {
        self.rules.strict
    }

    /// Returns what turns the paths of a response into paths of the repository.
    pub(super) fn resolver(&self) -> &Resolver {
        &self.resolver
    }

    /// Records what became of interrupted changes, to be told with whatever else is.
    pub(super) fn note(&self, recovered: Vec<Recovered>) {
        let told = recovered.iter().filter(|one| match one.how {
            How::Complete | How::Left => false,
            // What anybody may have seen before is told.
            How::Tidied => !one.notes.is_empty(),
            How::TakenBack | How::Finished => true,
        });
        self.recovered
            .borrow_mut()
            .extend(told.map(Diagnostic::from));
    }

    /// Records that all interrupted changes of this user have been recovered.
    pub(super) fn note_recovered(&self) {
        self.is_recovered.set(true);
    }

    /// Returns what of an interrupted change a plan could be made for. A commit is what it is,
    /// whatever was interrupted.
    fn interrupted(&self, base: &Base) -> Option<Interrupted> {
        match base {
            Base::Revision(_) => None,
            _ if self.is_recovered.take() => transaction::interrupted_by_another(&self.repo),
            _ => transaction::interrupted(&self.repo),
        }
    }

    /// Prints what was asked for, then concludes. What can't be printed is one error more, and
    /// changes nothing of the state. A program that wants the document gets nothing else.
    pub(super) fn end(
        &self,
        done: Result<(Report, Printed), Failure>,
        responses: Vec<String>,
    ) -> Exit {
        let (mut report, printed) = match done {
            Ok(done) => done,
            Err(failure) => return self.conclude(&failure.into_report().about(responses)),
        };
        let config = self.repo.config();
        let written = match printed {
            _ if self.verbosity.json => Ok(()),
            Printed::Text(text) => output::print(&text),
            Printed::Diff(diff) => pager::print_diff(&diff, &self.verbosity, config),
            Printed::Response(response) => pager::print_response(&response, config),
        };
        report
            .errors
            .extend(written.err().map(|error| Diagnostic::from(&error)));
        self.conclude(&report.about(responses))
    }

    /// Prints what a report has to say on standard error, and returns how the run ends. Where a
    /// message to the author of the response was asked for and there is one, it takes the place of
    /// the errors, on standard output.
    pub(super) fn conclude(&self, report: &Report) -> Exit {
        if self.verbosity.verbose {
            output::complain(
                &conversion::by_git(&self.repo)
                    .into_iter()
                    .map(line)
                    .collect::<String>(),
            );
        }
        let mut report = report.clone();
        report.warnings.splice(..0, self.recovered.take());
        if let Some(feedback) = &report.feedback
            && !self.verbosity.json
            && output::print_as_is(feedback.as_bytes()).is_ok()
        {
            let warnings = Report {
                errors: Vec::new(),
                ..report.clone()
            };
            conclude(&warnings, &self.verbosity, self.style);
            return Exit::of(&report);
        }
        let exit = conclude(&report, &self.verbosity, self.style);
        if let Some(offer) = self.offer.take()
            && !self.verbosity.quiet
            && !self.verbosity.json
        {
            output::complain(&human::help(&offer, self.style));
        }
        exit
    }

    /// Works out what the responses, as one change, make of a tree.
    ///
    /// # Errors
    /// With everything that is wrong, what can't be read first, in the responses' order.
    pub(super) fn work_out<'s>(
        &self,
        sources: &'s [Source],
        base: &'s Base,
        tree: &dyn Tree,
    ) -> Result<Worked<'s>, Failure> {
        let mut responses = self.read(sources, tree);
        if !responses.has_edits() {
            return Err(self.refused(responses.refused(), sources));
        }
        let work = self.meter.begin(Stage::Planning, 0);
        let paths = responses
            .patches
            .iter()
            .flat_map(|patch| &patch.edits)
            .filter(|_| work.is_watched());
        let paths = paths.filter_map(|edit| self.resolve(edit)).collect();
        let tree = ObservedTree::new(self.interrupted(base), tree).counting(paths, work.progress());
        let about = self.about.of(&responses, sources, &self.repo)?;
        let plan = self.plan(&responses.patches, base, about.as_deref(), &tree)?;
        drop(work);
        // What is half changed is no state to find errors in.
        tree.verdict()?
            .into_iter()
            .for_each(|warning| responses.warn(warning));
        let Planned {
            patches,
            changes,
            placements,
            mut warnings,
            parts,
        } = responses
            .planned(plan, &self.resolver, &self.lints)
            .map_err(|refused| self.refused(refused, sources))?;
        if self.verbosity.json {
            Diagnostic::name_as_written(&mut warnings, &patches, &self.resolver);
        }
        Ok(Worked {
            sources,
            base,
            about,
            patches,
            changes,
            placements,
            warnings,
            parts,
        })
    }

    /// Returns what the mail says of the commit, if that is what the change comes from.
    ///
    /// # Errors
    /// If git can't read it.
    pub(super) fn mail(&self, worked: &Worked<'_>) -> Result<Option<Mail>, Failure> {
        match (&worked.patches[..], worked.sources) {
            ([patch], [source]) if patch.format == Format::Unified => {
                Ok(Mail::read(&self.repo, source.bytes())?)
            }
            _ => Ok(None),
        }
    }

    /// Returns the blobs that diffs say they are about, as far as they are here.
    ///
    /// # Errors
    /// If there is none, so that nothing can be merged.
    fn blobs(&self, patches: &[Patch<'_>]) -> Result<BTreeMap<RepoPath, BlobId>, Failure> {
        let blobs: BTreeMap<_, _> = patches
            .iter()
            .flat_map(|patch| &patch.edits)
            .rev()
            .filter_map(|edit| {
                let (old, _) = edit.header.as_ref()?.ids.as_ref()?;
                Some((self.resolve(edit)?, BlobId::named(&self.repo, old)?))
            })
            .collect();
        let mut edits = patches.iter().flat_map(|patch| &patch.edits);
        // Where no file is changed, nothing has to be merged.
        if blobs.is_empty() && !edits.all(is_new) {
            Err(CliError::NoBase.into())
        } else {
            Ok(blobs)
        }
    }

    /// Plans patches on a tree, or on the base that they are about.
    ///
    /// # Errors
    /// If the base can't be read.
    fn plan(
        &self,
        patches: &[Patch<'_>],
        base: &Base,
        about: Option<&str>,
        tree: &dyn Tree,
    ) -> Result<Result<Plan, Refusal>, Failure> {
        let based = match about {
            Some(rev) => BasedTree::new(&self.repo, rev, base.tip(), tree, self.reading.three_way)?,
            None if self.reading.three_way => {
                BasedTree::of_blobs(&self.repo, self.blobs(patches)?, tree)?
            }
            None => return Ok(plan::plan(patches, tree, &self.resolver, &self.rules)),
        };
        // The model has seen what it replaces.
        let rules = Rules {
            knows_base: about.is_some(),
            ..self.rules.clone()
        };
        let plan = match plan::plan(patches, &based, &self.resolver, &rules) {
            Ok(plan) if self.reading.three_way => plan,
            planned => return Ok(planned),
        };
        let (marked, conflicts) = if self.reading.marks {
            (ConflictMarkers::ToStay, Conflicts::Marked)
        } else {
            (ConflictMarkers::ForSight, Conflicts::Refused)
        };
        let lines =
            |path: &RepoPath, sides: [&[u8]; 3]| merge::lines(&self.repo, path, sides, marked);
        let errors = match plan::merge(&plan.changes, tree, &lines, conflicts) {
            Ok(changes) if changes.is_empty() && !self.rules.allow_empty => {
                let paths = plan.changes.files().map(|change| change.path.clone());
                vec![plan::Error::NothingToDo {
                    paths: paths.collect(),
                }]
            }
            Ok(changes) => return Ok(Ok(Plan { changes, ..plan })),
            Err(errors) => errors,
        };
        Ok(Err(Refusal {
            errors: plan::at_edits(errors, patches, &self.resolver),
            warnings: plan.warnings,
            changes: plan.changes,
        }))
    }

    /// Reads the responses. What is a file is asked of a tree.
    fn read<'s>(&self, sources: &'s [Source], tree: &dyn Tree) -> Responses<'s> {
        let is_file = |written: &[u8]| apply::is_file(written, &self.resolver, tree);
        let options = format::Options {
            format: self.reading.format,
            strict: self.rules.strict,
            file: self.reading.file.as_deref().map(OsStr::as_bytes),
            strip: self.reading.strip_directories,
            recount: self.reading.recount,
            only: &self.reading.selection.only,
            in_original: self.about == About::Auto,
            is_file: Some(&is_file),
            ..format::Options::default()
        };
        let work = self.meter.begin(Stage::Parsing, 0);
        let mut responses = Responses::read(sources, &options);
        drop(work);
        self.reading.choose(&mut responses, &self.resolver, tree);
        for unused in self.reading.unused(&responses.patches) {
            responses.warn(Diagnostic::from(&unused));
        }
        let first = sources.first().map(Source::id);
        let is_new = || first.is_some_and(|first| self.told.borrow_mut().insert(first));
        if self.verbosity.verbose && is_new() {
            for (source, patch) in sources.iter().zip(&responses.patches) {
                let edits = patch.edits.len();
                let s = if edits == 1 { "" } else { "s" };
                output::complain(&format!(
                    "{}: {}, {edits} edit{s}\n",
                    source.name(),
                    patch.format
                ));
            }
            responses.parts.iter().for_each(output::tell);
        }
        responses
    }

    /// Makes the report of responses that nothing comes of.
    fn refused(&self, mut refused: Refused<'_>, sources: &[Source]) -> Failure {
        if let Some(top) = self.repo.top_without_repository() {
            let note = format!(
                "`{}` is not inside a git repository, so paths count from there",
                Shown::path(top)
            );
            let missing = refused
                .errors
                .iter_mut()
                .find(|error| error.kind == Kind::FileMissing);
            if let Some(error) = missing {
                error.notes.push(note);
                error.help = Some("correct the path, or let the patch add the file".to_owned());
            }
        }
        let mut detail = Detail::default();
        if self.verbosity.json {
            Diagnostic::name_as_written(&mut refused.errors, &refused.patches, &self.resolver);
            Diagnostic::name_as_written(&mut refused.warnings, &refused.patches, &self.resolver);
            detail = Detail {
                parts: std::mem::take(&mut refused.parts),
                ..Detail::of(&refused.patches, &[], sources)
            };
        }
        let feedback = self.verbosity.feedback.then(|| refused.feedback());
        Failure::new(Report {
            detail,
            feedback: feedback.flatten(),
            ..Report::failed_with(State::NothingChanged, refused.errors, refused.warnings)
        })
    }
}

fn is_new(edit: &FileEdit<'_>) -> bool {
    match &edit.header {
        Some(header) => header.status == Status::Added,
        None => matches!(edit.operation, Operation::Create { .. }),
    }
}

fn line((path, why): (RepoPath, String)) -> String {
    format!("git converts `{path}`, which {why}\n")
}

/// What is printed on standard output.
pub(super) enum Printed {
    /// It is printed as it is.
    Text(Vec<u8>),
    /// A person reads it in colours and in a pager.
    Diff(Vec<u8>),
    /// A person reads it in a pager.
    Response(Vec<u8>),
}

impl Default for Printed {
    fn default() -> Self {
        Self::Text(Vec::new())
    }
}

impl From<String> for Printed {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

/// Does something in the repository of the current directory, prints how it went, and returns how
/// the run ends. The responses that it is about are named by these names.
pub(super) fn run(
    reading: &Reading,
    verbosity: &Verbosity,
    responses: Vec<String>,
    command: impl FnOnce(&Session) -> Result<(Report, Printed), Failure>,
) -> Exit {
    match Session::open(reading, verbosity) {
        Ok(session) => session.end(command(&session), responses),
        Err((failure, style)) => {
            conclude(&failure.into_report().about(responses), verbosity, style)
        }
    }
}

/// A change that was worked out, and what it comes from.
pub(super) struct Worked<'s> {
    pub(super) sources: &'s [Source],
    pub(super) base: &'s Base,
    /// What the responses are about, if it isn't that.
    pub(super) about: Option<String>,
    pub(super) patches: Vec<Patch<'s>>,
    pub(super) changes: ChangeSet,
    pub(super) placements: Vec<Placement>,
    pub(super) warnings: Vec<Diagnostic>,
    /// The parts of the responses that have patches.
    pub(super) parts: Vec<PartReport>,
}
