//! `check --staged`: what is about to be committed, looked at as a hook needs it. A line a finding,
//! no lock, no write.
//!
//! Responses among the staged files must apply to what is staged. In all others, no marker of a
//! patch may be new.

use crate::report::human;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice as _};

use super::base::Base;
use super::check;
use super::conclude;
use super::error::{CliError, Failure, failed};
use super::exit::Exit;
use super::flow::Session;
use super::observed_tree::ObservedTree;
use super::output;
use super::responses;
use crate::repo::{
    AttributeValue, BlobId, Differ, Held, Repo, Side, Staged, attributes, differ, links, staged,
};
use crate::system::OsStrExt as _;
use crate::transaction;
use llmpatch::kind::Kind;
use llmpatch::leftover;
use llmpatch::path::RepoPath;
use llmpatch::plan::{Change, ChangeSet, derive};
use llmpatch::progress::Stage;
use llmpatch::report::{Diagnostic, Report};
use llmpatch::text::{LineNo, Shown, Source, SourceId};
use llmpatch::tree::{Content, Entry, File, MemoryTree, Mode, Obstacle, Tree, is_binary};

/// How many markers of one file are told.
const TOLD: usize = 100;
/// The attribute that says of a path what it is to us.
const ATTRIBUTE: &str = "llmpatch";

/// Looks at all that is staged, and at these paths of the index, and prints what it finds.
pub(super) fn check(session: &Session, named: &[PathBuf]) -> Exit {
    let told = look(session, named).map(|reports| {
        let exit = reports
            .iter()
            .map(|(path, report)| tell(session, path.as_bstr(), report))
            .max();
        let findings = reports.values().map(|report| report.errors.len()).sum();
        if findings > 0 && !session.verbosity.quiet && !session.verbosity.json {
            output::complain(&summary(findings));
        }
        exit.unwrap_or_default()
    });
    told.unwrap_or_else(|report| session.conclude(&report))
}

fn summary(findings: usize) -> String {
    let s = if findings == 1 { "" } else { "s" };
    format!(
        "{findings} finding{s} in what is staged\n\
         help: correct and stage the files; `git llmpatch check --cached <response>` says\n  \
         more about a response, and the attribute `-{ATTRIBUTE}` exempts a file\n"
    )
}

/// What is done with a path.
enum Role {
    /// It must apply.
    Response,
    /// It must have no new markers.
    Other,
    /// It is let be.
    Exempt,
}

impl Role {
    /// Decides by what is said of the path, else by its name.
    fn of(path: &BStr, said: &AttributeValue) -> Self {
        match said {
            AttributeValue::Word(word) if word == b"response" => Role::Response,
            AttributeValue::False => Role::Exempt,
            _ if path.ends_with(b".llmpatch") || path.ends_with(b".opx") => Role::Response,
            _ => Role::Other,
        }
    }
}

/// Makes a report of every response, and of every other file that something is found in, by path.
///
/// # Errors
/// If what is staged can't be found out.
fn look(session: &Session, named: &[PathBuf]) -> Result<BTreeMap<BString, Report>, Failure> {
    let repo = &session.repo;
    let work = session.meter.begin(Stage::Scanning, 0);
    let staged = staged::list(repo)?;
    let there: Vec<&Staged> = staged
        .iter()
        .filter(|staged| staged.after != Held::Nothing)
        .collect();
    let paths: Vec<&BStr> = there.iter().map(|staged| staged.path.as_bstr()).collect();
    let said = attributes::staged(repo, ATTRIBUTE, &paths, &staged)?;
    drop(work);
    let mut reports = BTreeMap::new();
    let mut responses = BTreeMap::new();
    let mut others = Vec::new();
    for (staged, said) in there.into_iter().zip(&said) {
        match Role::of(staged.path.as_bstr(), said) {
            Role::Response => drop(responses.insert(staged.path.clone(), staged.after)),
            Role::Other => others.push(staged),
            Role::Exempt => {}
        }
    }
    let here = std::env::current_dir().unwrap_or_default();
    for argument in named {
        let written = argument.as_os_str().as_bytes();
        match held_at(repo, &here, written) {
            Ok((path, held)) => drop(responses.insert(path, held)),
            Err(failure) => drop(reports.insert(BString::from(written), failure.into_report())),
        }
    }
    others.retain(|staged| !responses.contains_key(&staged.path));
    if !responses.is_empty() {
        let base = Base::Index;
        let tree = base.tree(repo)?;
        // Of a single one more can be told than that, and where each is told of at once nothing may
        // be in between.
        let is_told_at_once = responses.len() == 1 || session.verbosity.verbose;
        let work =
            (!is_told_at_once).then(|| session.meter.begin(Stage::Checking, responses.len()));
        for (path, held) in responses {
            let report = response(session, &base, &*tree, path.as_bstr(), held)
                .unwrap_or_else(Failure::into_report);
            reports.insert(path, report);
            work.iter().for_each(|work| work.progress().step());
        }
    }
    heed_interruption(session, &others, reports.is_empty())?;
    reports.extend(look_for_markers(session, &staged, &others)?);
    Ok(reports)
}

/// Returns the path of the index that an argument names, and what the index has there.
fn held_at(repo: &Repo, here: &Path, written: &[u8]) -> Result<(BString, Held), Failure> {
    let path = links::path_from_here(repo, here, written)?;
    let held = staged::in_index(repo, &path)?;
    Ok((path.as_bytes().into(), held))
}

/// Refuses to look at what an interrupted apply may have left half changed, and says else that
/// there was one; of responses that is said as ever.
fn heed_interruption(
    session: &Session,
    others: &[&Staged],
    is_unsaid: bool,
) -> Result<(), Failure> {
    if others.is_empty() {
        return Ok(());
    }
    let nothing = MemoryTree::new();
    let watched = ObservedTree::new(transaction::interrupted(&session.repo), &nothing);
    others
        .iter()
        .filter_map(|staged| RepoPath::new(&staged.path).ok())
        .for_each(|path| watched.note(&path));
    let warning = watched.verdict()?;
    if is_unsaid && !session.verbosity.quiet && !session.verbosity.json {
        let report = Report::checked(Vec::new(), warning.into_iter().collect());
        output::complain(&human::complaints(&report, session.style));
    }
    Ok(())
}

/// Looks at a response as the index has it.
fn response(
    session: &Session,
    base: &Base,
    tree: &dyn Tree,
    path: &BStr,
    held: Held,
) -> Result<Report, Failure> {
    let named = || path.to_owned();
    let id = match held {
        Held::File(id) => id,
        Held::Nothing => return Err(CliError::NotStaged { path: named() }.into()),
        Held::Unmerged => return Err(CliError::UnmergedResponse { path: named() }.into()),
        Held::Other(Obstacle::Link) => return Err(CliError::StagedLink { path: named() }.into()),
        Held::Other(_) => return Err(CliError::StagedSubmodule { path: named() }.into()),
    };
    let content = id.read(&session.repo, path, Source::MAX_LEN as u64)?;
    let name = Shown(path).to_string();
    let source = [responses::source(
        SourceId(0),
        name,
        content.map(|content| content.to_vec()),
    )?];
    let checked = check::check(session, base, tree, &source);
    if checked.is_err() && is_made(session, &source, tree) {
        return Ok(Report::default());
    }
    let (report, line) = checked?;
    if session.verbosity.verbose && !session.verbosity.json {
        output::print(line.as_bytes())?;
    }
    Ok(report)
}

/// Returns whether all that a response makes of the last commit is staged: it is committed together
/// with its change.
fn is_made(session: &Session, source: &[Source; 1], index: &dyn Tree) -> bool {
    let base = Base::Revision("HEAD".to_owned());
    let Ok(tree) = base.tree(&session.repo) else {
        return false;
    };
    let Ok(worked) = session.work_out(source, &base, &*tree) else {
        return false;
    };
    let mut changes = worked.changes.iter();
    changes.all(|change| match (index.read(&change.path), &change.after) {
        (Ok(Entry::File(staged)), Some(after)) => {
            staged.content == after.content && staged.mode.executable == after.mode.executable
        }
        (Ok(Entry::Absent | Entry::Directory), None) => true,
        _ => false,
    })
}

/// Tells what was found in a path, and returns how the run ends for it.
fn tell(session: &Session, path: &BStr, report: &Report) -> Exit {
    let name = Shown(path).to_string();
    if session.verbosity.json || report.feedback.is_some() {
        return session.conclude(&report.clone().about(vec![name]));
    }
    let line = |one: &Diagnostic| {
        let (line, column) = position(one);
        format!("{name}:{line}:{column}: ")
    };
    let message = |one: &Diagnostic| Shown(one.message.as_bytes()).to_string();
    if !session.verbosity.quiet {
        let warning = |one| format!("{}warning: {} [{}]\n", line(one), message(one), one.kind);
        output::complain(&report.warnings.iter().map(warning).collect::<String>());
    }
    let finding = |one| format!("{}{}: {}\n", line(one), one.kind, message(one));
    match output::print(
        report
            .errors
            .iter()
            .map(finding)
            .collect::<String>()
            .as_bytes(),
    ) {
        Ok(()) => Exit::of(report),
        Err(error) => conclude::conclude(&Failure::from(error), &session.verbosity, session.style),
    }
}

/// Returns the line and the column at which something is wrong with a staged file.
fn position(of: &Diagnostic) -> (LineNo, usize) {
    if let Some(place) = &of.response {
        return (place.line(), place.column);
    }
    match of.places.first() {
        Some(own) if of.kind == Kind::Markers => (own.first.line, own.column),
        _ => (LineNo::FIRST, 1),
    }
}

/// A staged file with markers in it.
struct MarkedFile {
    path: RepoPath,
    /// What it was, if it was a file with lines.
    old: Option<Content>,
    new: Content,
    id: BlobId,
}

/// Reports each of these files that new markers are in, or that can't be looked into. `staged` is
/// all that is staged: a new file may have had another name.
///
/// # Errors
/// If contents can't be compared at all.
fn look_for_markers(
    session: &Session,
    staged: &[Staged],
    files: &[&Staged],
) -> Result<Vec<(BString, Report)>, Failure> {
    let longest = differ::big_file_threshold(&session.repo)?;
    let work = session.meter.begin(Stage::Scanning, files.len());
    let mut reports = Vec::new();
    let mut all = Vec::new();
    for staged in files {
        match marked(session, staged, longest) {
            Ok(marked) => all.extend(marked),
            Err(failure) => reports.push((staged.path.clone(), failure.into_report())),
        }
        work.progress().step();
    }
    find_origins(session, staged, &mut all, longest)?;
    for marked in &all {
        let errors = marked.errors(session)?;
        if !errors.is_empty() {
            let report = failed(errors).into_report();
            reports.push((marked.path.as_bstr().to_owned(), report));
        }
    }
    Ok(reports)
}

/// Reads a file, and what it was if there are markers in it; nothing if there are none.
fn marked(session: &Session, staged: &Staged, longest: u64) -> Result<Option<MarkedFile>, Failure> {
    let path = RepoPath::new(&staged.path)?;
    // Links and submodules have no lines, and what is unmerged can't be committed.
    let Held::File(id) = staged.after else {
        return Ok(None);
    };
    let Some(new) = lines(session, staged.path.as_bstr(), id, longest)?
        .filter(|new| leftover::has_markers(new))
    else {
        return Ok(None);
    };
    let old = match staged.before {
        Held::File(id) => lines(session, staged.path.as_bstr(), id, longest)?,
        _ => None,
    };
    Ok(Some(MarkedFile { path, old, new, id }))
}

/// Reads a content that has lines.
fn lines(
    session: &Session,
    path: &BStr,
    id: BlobId,
    longest: u64,
) -> Result<Option<Content>, Failure> {
    let content = id.read(&session.repo, path, longest)?;
    Ok(content.filter(|content| !is_binary(content)))
}

/// Finds what new files were, where git would call them renamed: markers that only moved are none
/// that were added.
fn find_origins(
    session: &Session,
    staged: &[Staged],
    all: &mut [MarkedFile],
    longest: u64,
) -> Result<(), Failure> {
    let gone = || {
        staged
            .iter()
            .filter_map(|staged| match (staged.before, staged.after) {
                (Held::File(id), Held::Nothing) => Some((RepoPath::new(&staged.path).ok()?, id)),
                _ => None,
            })
    };
    for marked in all.iter_mut().filter(|marked| marked.old.is_none()) {
        if gone().any(|(_, id)| id == marked.id) {
            marked.old = Some(marked.new.clone());
        }
    }
    let news = all.iter().filter(|marked| marked.old.is_none());
    let mut changes: Vec<_> = news
        .map(|marked| change(&marked.path, None, plain_file(&marked.new)))
        .collect();
    if changes.is_empty() || gone().next().is_none() {
        return Ok(());
    }
    for (path, id) in gone() {
        if let Some(old) = lines(session, path.as_bstr(), id, longest)? {
            changes.push(change(&path, plain_file(&old), None));
        }
    }
    let differ = Differ::new(&session.repo, Side::Blobs)?;
    let options = differ::options(&session.repo)?;
    let changes = derive::with_renames(&ChangeSet::new(changes), &differ, &options)?;
    for marked in all {
        let from = changes
            .get(&marked.path)
            .and_then(|change| change.from.as_ref());
        if let Some(was) = from.and_then(|from| changes.get(from)?.before.as_ref()) {
            marked.old = Some(was.content.clone());
        }
    }
    Ok(())
}

fn plain_file(content: &Content) -> Option<File> {
    Some(File {
        content: content.clone(),
        mode: Mode::PLAIN,
    })
}

fn change(path: &RepoPath, before: Option<File>, after: Option<File>) -> Change {
    Change {
        path: path.clone(),
        before,
        after,
        from: None,
    }
}

impl MarkedFile {
    /// Tells of the markers that are new.
    fn errors(&self, session: &Session) -> Result<Vec<Diagnostic>, Failure> {
        let differ = Differ::new(&session.repo, Side::Blobs)?;
        let old = self.old.as_ref().map_or(&b""[..], |old| old);
        let all = leftover::leftovers(&self.path, old, &self.new, &differ)?;
        let mut errors: Vec<_> = all.iter().take(TOLD).map(Diagnostic::from).collect();
        if let Some(first) = all.get(TOLD) {
            let more = CliError::MoreMarkers {
                first: first.clone(),
                count: all.len() - TOLD,
            };
            errors.push(Diagnostic::from(&more));
        }
        Ok(errors)
    }
}
