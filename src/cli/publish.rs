//! Makes a change that was worked out.
//!
//! A change is worked out without a lock, so another apply may come in between. Then it is worked
//! out again under the lock, on what the other apply left: as if it had been started after it. A
//! change by any other program stays `stale`.

use super::error::Failure;
use super::flow::Session;
use super::recover;
use crate::store::UnnamedCommits;
use crate::transaction::{Locked, Seen, Target, TransactionError};
use llmpatch::plan::ChangeSet;
use llmpatch::progress::Stage;
use llmpatch::report::Diagnose;
use llmpatch::report::{Diagnostic, Report, State, Status, merge};

/// A change that is ready to be made.
pub(super) struct Ready {
    pub(super) changes: ChangeSet,
    pub(super) target: Target,
    /// The commits that were made of it already, and that nothing names yet.
    pub(super) commits: UnnamedCommits,
    /// What is said of it.
    pub(super) report: Report,
    /// The preview that was asked for.
    pub(super) preview: Option<Vec<u8>>,
}

/// Works a change out, and makes it if it is one. The report of what is returned says how it went.
///
/// # Errors
/// If it can't be worked out, or as [`publish`].
pub(super) fn make(
    session: &Session,
    work_out: impl Fn() -> Result<Ready, Failure>,
) -> Result<Ready, Failure> {
    let seen = Seen::now(&session.repo);
    let first = work_out();
    let report = match &first {
        Ok(ready) if ready.changes.is_empty() => return first,
        Ok(ready) => &ready.report,
        Err(_) if seen.is_last(&session.repo) => return first,
        // Half of another apply may have been read.
        Err(failure) => failure,
    };
    let (locked, is_untouched) = lock(session, report)?;
    let ready = if is_untouched && seen.is_last_under_lock(&session.repo) {
        first
    } else {
        work_out().map_err(|failure| overtaken(failure, &locked, first.ok()))
    };
    match ready {
        Ok(ready) if !ready.changes.is_empty() => publish_locked(session, locked, ready),
        other => {
            locked.release().map_err(|error| {
                not_made(
                    &Report::default(),
                    State::NothingChanged,
                    &error,
                    error.signal(),
                )
            })?;
            other
        }
    }
}

/// Makes a change. Prints nothing: what a child says of its own accord aside, all is quiet until it
/// is over.
///
/// # Errors
/// If it wasn't made; everything was put back then, unless the report says otherwise.
pub(super) fn publish(session: &Session, ready: Ready) -> Result<Ready, Failure> {
    let (locked, _) = lock(session, &ready.report)?;
    publish_locked(session, locked, ready)
}

/// Takes the lock, and returns whether nothing had to be recovered before.
pub(super) fn lock<'s>(
    session: &'s Session,
    report: &Report,
) -> Result<(Locked<'s>, bool), Failure> {
    let work = session.meter.begin(Stage::Waiting, 0);
    let mut recovered = Vec::new();
    let locked = Locked::take(&session.repo, work.progress(), &mut recovered);
    let is_untouched = recovered.is_empty();
    session.note(recovered);
    let locked = locked.map_err(|error| {
        let state = State::left(recover::attention(&error), State::NothingChanged);
        not_made(report, state, &error, error.signal())
    })?;
    Ok((locked, is_untouched))
}

/// Says of a response that doesn't fit any more what changed since it did.
fn overtaken(mut failure: Failure, locked: &Locked<'_>, first: Option<Ready>) -> Failure {
    let since = first.map(|first| locked.check(&first.changes, &first.target));
    if let Some(Err(TransactionError::Changed { path })) = since {
        let error = TransactionError::Overtaken { path };
        failure.errors.insert(0, Diagnostic::from(&error));
    }
    failure
}

fn publish_locked(
    session: &Session,
    mut locked: Locked<'_>,
    mut ready: Ready,
) -> Result<Ready, Failure> {
    let roots = session.roots_given();
    let is_second = !roots.is_empty() && locked.note_roots(roots);
    let (report, target) = (&ready.report, ready.target.clone());
    let work = session.meter.begin(Stage::Preparing, 0);
    let prepared = locked.begin(&ready.changes, target, work.progress().clone());
    let published = prepared
        .map_err(|error| not_made(report, State::NothingChanged, &error, error.signal()))?
        .publish();
    drop(work);
    let done = published.map_err(|undone| {
        let state = State::left(undone.attention.clone(), State::PutBack);
        not_made(report, state, &undone, undone.error.signal())
    })?;
    if is_second {
        session.offer_roots();
    }
    let report = &mut ready.report;
    let warnings = done.warnings.iter().map(Diagnostic::from);
    report.warnings.extend(warnings);
    report.warnings = merge(std::mem::take(&mut report.warnings));
    report.status = Status::Applied;
    report.state = State::Changed;
    report.conflicts = ready.changes.unmerged().keys().cloned().collect();
    report.tree = done.commit.as_ref().and_then(|made| made.tree.clone());
    report.commit = done.commit;
    report.commits.clone_from(&ready.commits.ids);
    Ok(ready)
}

/// Returns why a change isn't made, and what it would have been.
pub(super) fn not_made(
    report: &Report,
    state: State,
    error: &impl Diagnose,
    signal: Option<i32>,
) -> Failure {
    let errors = vec![Diagnostic::from(error)];
    Failure::new(Report {
        status: Status::Failed,
        state,
        signal,
        errors,
        ..report.clone()
    })
}
