//! The one way from responses to a change that all subcommands go: read, parse, plan.
//!
//! What stops it is a [`Report`], with everything that can be found out in one run: a response that can't be read whole is
//! still planned as far as it was read, to name what else is wrong.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use super::config;
use super::details;
use super::error::{CliError, IoError};
use super::exit::Exit;
use super::guarding;
use super::observed_tree::ObservedTree;
use super::options::{self, Reading, Verbosity};
use super::output;
use super::pager;
use super::progress::ProgressMeter;
use crate::diagnose::Diagnose;
use crate::format;
use crate::kind::Kind;
use crate::patch::{FileEdit, Patch};
use crate::path::{RepoPath, Resolver};
use crate::plan::{self, ChangeSet, Placement, Rules};
use crate::progress::Stage;
use crate::repo::{self, Repo, Side};
use crate::report::human::Style;
use crate::report::{Detail, Diagnostic, Report, State, feedback, merge};
use crate::text::Source;
use crate::transaction::{How, Recovered};
use crate::tree::Tree;

/// A failure; boxed, since a report is long and failures are rare.
pub(super) type Failure = Box<Report>;

/// The state of the files that a change is worked out against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// The work tree.
    WorkTree,
    /// The index.
    Index,
    /// The work tree, where it agrees with the index, or with index and HEAD.
    Agreeing(repo::Against),
    /// A commit.
    Revision(String),
}

impl Base {
    /// Understands the options of the commands that only read.
    pub(super) fn of(against: &options::Against) -> Self {
        match (&against.onto, against.cached) {
            (Some(rev), _) => Base::Revision(rev.clone()),
            (None, true) => Base::Index,
            (None, false) => Base::WorkTree,
        }
    }

    /// Opens it.
    ///
    /// # Errors
    /// If the repository has no such thing, or says no.
    pub(super) fn tree<'r>(&self, repo: &'r Repo) -> Result<Box<dyn Tree + 'r>, Failure> {
        Ok(match self {
            Base::WorkTree => Box::new(repo.work_tree().map_err(stop)?),
            Base::Index => Box::new(repo.index_tree().map_err(stop)?),
            Base::Agreeing(against) => Box::new(repo.agreeing_tree(*against).map_err(stop)?),
            Base::Revision(rev) => Box::new(repo.revision_tree(rev).map_err(stop)?),
        })
    }

    /// Returns what its files hold: bytes as on disk, or as git stores them.
    pub(super) fn side(&self) -> Side {
        match self {
            Base::WorkTree | Base::Agreeing(_) => Side::WorkTree,
            Base::Index | Base::Revision(_) => Side::Blobs,
        }
    }
}

/// A repository, and how responses are read and errors shown in it.
pub(super) struct Session {
    pub(super) repo: Repo,
    pub(super) talk: Verbosity,
    pub(super) style: Style,
    pub(super) works: ProgressMeter,
    /// Whether failures are told to the model.
    feedback: bool,
    options: format::Options,
    rules: Rules,
    resolver: Resolver,
    /// What became of changes that were interrupted before.
    recovered: RefCell<Vec<Diagnostic>>,
}

impl Session {
    /// Opens the repository of the current directory. A failure is printed, and how the run ends returned.
    pub(super) fn open(reading: &Reading, talk: &Verbosity) -> Result<Session, Exit> {
        Session::try_open(reading, talk).map_err(|(report, style)| conclude(&report, talk, style))
    }

    /// Opens the repository of the current directory, or returns why not, and how that is to be shown.
    pub(super) fn try_open(reading: &Reading, talk: &Verbosity) -> Result<Session, (Failure, Style)> {
        let mut style = config::style(talk, None);
        let opened = Repo::open().map_err(stop).and_then(|repo| {
            style = config::style(talk, Some(repo.config()));
            Session::new(repo, reading, talk, style)
        });
        opened.map_err(|report| (report, style))
    }

    fn new(repo: Repo, reading: &Reading, talk: &Verbosity, style: Style) -> Result<Session, Failure> {
        let config = repo.config();
        let (strict, fuzz) = config::strictness(reading, config).map_err(stop)?;
        let lints = config::lints(config).map_err(stop)?;
        let unique = config::switch(reading.unique, reading.no_unique, config, "llmpatch.unique").map_err(stop)?;
        let guard = guarding::guard(reading, config)?;
        // An empty one is none, as for `git apply`.
        let directory = reading.directory.as_deref().map(OsStr::as_bytes).filter(|directory| !directory.is_empty());
        let resolver = repo.resolver(directory).map_err(|error| stop(CliError::Directory(error)))?;
        Ok(Session {
            talk: talk.clone(),
            style,
            works: ProgressMeter::new(talk),
            feedback: false,
            options: format::Options { format: reading.format.map(Into::into), strict },
            rules: Rules {
                strict,
                unique,
                fuzz,
                lints,
                guard,
                overwrite: reading.overwrite,
                allow_empty: reading.allow_empty,
            },
            resolver,
            repo,
            recovered: RefCell::default(),
        })
    }

    /// Returns the path that an edit is about, if it is a good one.
    pub(super) fn resolve(&self, edit: &FileEdit<'_>) -> Option<RepoPath> {
        self.resolver.resolve(edit.root.as_deref(), &edit.path).ok()
    }

    /// Returns what turns the paths of a response into paths of the repository.
    pub(super) fn resolver(&self) -> &Resolver {
        &self.resolver
    }

    /// Takes on how failures are to be told.
    pub(super) fn answering(self, how: &options::FeedbackOptions) -> Self {
        Self { feedback: how.feedback, ..self }
    }

    /// Takes note of what became of interrupted changes, to be told with whatever else is.
    pub(super) fn note(&self, recovered: Vec<Recovered>) {
        let told = recovered.iter().filter(|one| !matches!(one.how, How::Tidied | How::Left));
        self.recovered.borrow_mut().extend(told.map(|one| Diagnostic::new(one, None, &[])));
    }

    /// Prints what a report has to say on standard error, and returns how the run ends. Where a message to the author of the
    /// response was asked for and there is one, it takes the place of the errors, on standard output.
    pub(super) fn conclude(&self, report: &Report) -> Exit {
        let mut report = report.clone();
        report.warnings.splice(..0, self.recovered.take());
        let report = &report;
        if let Some(feedback) = &report.feedback
            && !self.talk.json
            && output::print_as_is(feedback.as_bytes()).is_ok()
        {
            let warnings = Report { errors: Vec::new(), ..report.clone() };
            if !self.talk.quiet {
                output::complain(&warnings.complaints(self.style));
            }
            return Exit::of(report);
        }
        conclude(report, &self.talk, self.style)
    }

    /// Works out what the responses, as one change, make of a tree.
    ///
    /// # Errors
    /// With everything that is wrong, what can't be read first, in the responses' order.
    pub(super) fn work_out<'s>(
        &self,
        sources: &'s [Source],
        base: &Base,
        tree: &dyn Tree,
    ) -> Result<Worked<'s>, Failure> {
        let mut patches = Vec::new();
        let mut errors = Vec::new();
        let mut warnings = Vec::new();
        for source in sources {
            let work = self.works.begin(Stage::Parsing, 0);
            let parsed = format::parse(source, &self.options);
            drop(work);
            errors.extend(Diagnostic::all(&parsed.errors, sources));
            warnings.extend(Diagnostic::all(&parsed.warnings, sources));
            if self.talk.verbose {
                let edits = parsed.patch.edits.len();
                let s = if edits == 1 { "" } else { "s" };
                output::complain(&format!("{}: {}, {edits} edit{s}\n", source.name(), parsed.patch.format));
            }
            patches.push(parsed.patch);
        }
        let is_readable = errors.is_empty();
        if !is_readable && patches.iter().all(|patch| patch.edits.is_empty()) {
            return Err(self.refused(&patches, sources, errors, warnings));
        }
        let work = self.works.begin(Stage::Planning, 0);
        let paths = patches.iter().flat_map(|patch| &patch.edits).filter_map(|edit| self.resolve(edit)).collect();
        let tree = ObservedTree::new(&self.repo, base, tree).counting(paths, work.progress());
        let (plan, found, noticed) = match plan::plan(&patches, &tree, &self.resolver, &self.rules) {
            Ok(plan) => (Some((plan.changes, plan.placements)), Vec::new(), plan.warnings),
            Err(refusal) => (None, refusal.errors, refusal.warnings),
        };
        drop(work);
        // What is half changed is no state to find errors in.
        warnings.extend(tree.verdict()?);
        // That nothing would change is no finding while part of the response is unknown.
        let found = found.iter().filter(|error| is_readable || error.value.kind() != Kind::Unchanged);
        errors.extend(Diagnostic::all(found, sources));
        // And where nothing changes at all, that is said once, not of each part again.
        let is_unchanged = errors.iter().any(|error| error.kind == Kind::Unchanged);
        let noticed =
            noticed.iter().filter(|warning| !(is_unchanged && warning.value.diagnosis().kind == Kind::NoChange));
        warnings.extend(Diagnostic::all(noticed, sources));
        match plan {
            Some((changes, placements)) if errors.is_empty() => {
                let mut warnings = merge(warnings);
                if self.talk.json {
                    details::name_as_written(&mut warnings, &patches, &self.resolver);
                }
                Ok(Worked { patches, changes, placements, warnings })
            }
            _ => Err(self.refused(&patches, sources, errors, warnings)),
        }
    }

    /// Makes the report of responses that nothing comes of.
    fn refused(
        &self,
        patches: &[Patch<'_>],
        sources: &[Source],
        errors: Vec<Diagnostic>,
        mut warnings: Vec<Diagnostic>,
    ) -> Failure {
        // Lines that were taken into a hunk and aren't in the file have not been read as its lines after all.
        let place = |one: &Diagnostic| one.response.as_ref().map(|place| (place.file.clone(), place.line));
        let doubted: Vec<_> = errors.iter().filter(|error| error.kind == Kind::Parse).map(place).collect();
        warnings.retain(|warning| warning.kind != Kind::Recounted || !doubted.contains(&place(warning)));
        let mut report = Report::failed_with(State::NothingChanged, merge(errors), merge(warnings));
        if self.talk.json {
            report.detail = Detail::of(patches, &[], sources);
            details::name_as_written(&mut report.errors, patches, &self.resolver);
            details::name_as_written(&mut report.warnings, patches, &self.resolver);
        }
        if self.feedback {
            report.feedback = feedback::compose(&report, patches, sources);
        }
        Box::new(report)
    }
}

/// A change that was worked out, and the patches it comes from.
pub(super) struct Worked<'s> {
    pub(super) patches: Vec<Patch<'s>>,
    pub(super) changes: ChangeSet,
    pub(super) placements: Vec<Placement>,
    pub(super) warnings: Vec<Diagnostic>,
}

/// Makes a report of a single error that is about no place in a response, before anything was changed.
pub(super) fn stop(error: impl Diagnose) -> Failure {
    Box::new(Report::failed_with(State::NothingChanged, vec![Diagnostic::new(&error, None, &[])], Vec::new()))
}

/// Prints what a report has to say: for people, on standard error; for a program, the document on standard output. Where that
/// can't be written, standard error is told all the same.
pub(super) fn conclude(report: &Report, talk: &Verbosity, style: Style) -> Exit {
    if talk.json {
        let Err(error) = output::print(format!("{}\n", report.json()).as_bytes()) else { return Exit::of(report) };
        let mut report = report.clone();
        report.errors.push(Diagnostic::new(&error, None, &[]));
        output::complain(&report.complaints(style));
        return Exit::of(&report);
    }
    if !talk.quiet || !report.errors.is_empty() {
        output::complain(&report.complaints(style));
    }
    Exit::of(report)
}

/// Prints what was asked for, then concludes. What can't be printed is one error more, and changes nothing of the state. A
/// program that wants the document gets nothing else.
pub(super) fn finish(session: &Session, report: Report, asked_for: &[u8]) -> Exit {
    finished(session, report, || output::print(asked_for))
}

/// Does the same with a diff, which a person reads in colours and in a pager.
pub(super) fn finish_with_diff(session: &Session, report: Report, diff: &[u8]) -> Exit {
    finished(session, report, || pager::print_diff(diff, &session.talk, session.repo.config()))
}

/// Does the same with a response, which a person reads in a pager.
pub(super) fn finish_with_response(session: &Session, report: Report, response: &[u8]) -> Exit {
    finished(session, report, || pager::print_response(response, session.repo.config()))
}

fn finished(session: &Session, mut report: Report, print: impl FnOnce() -> Result<(), IoError>) -> Exit {
    if !session.talk.json
        && let Err(error) = print()
    {
        report.errors.push(Diagnostic::new(&error, None, &[]));
    }
    session.conclude(&report)
}
