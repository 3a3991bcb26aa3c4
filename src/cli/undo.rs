//! `git llmpatch undo`.

use crate::report::human;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;

use super::base::Base;
use super::conclude;
use super::details;
use super::error::{CliError, Committed, Failure, failed};
use super::exit::Exit;
use super::flow::{self, Printed, Session};
use super::options::{Json, Reading, Verbosity};
use super::output;
use super::publish::{self, Ready};
use super::recover;
use crate::store::UnnamedCommits;
use crate::transaction::{
    self, Earlier, Last, Listed, MadeCommits, Target, TransactionError, Undoing,
};
use llmpatch::progress::Stage;
use llmpatch::report::{Diagnostic, EarlierFile, EarlierReport, Report, State, Status};
use llmpatch::text::{self, Shown};

/// Take back the last apply
///
/// Every file, directory and index entry that the last apply in this work tree changed becomes what
/// it was before, byte for byte. If one of them changed since, nothing is changed, and all of these
/// are named. Done again, it takes back the apply before that one, up to ten of them. The commit of an
/// apply with --commit goes, too, as long as it is HEAD and no remote-tracking branch has it. An undo
/// is not taken back: apply the response again.
#[derive(Debug, Args)]
#[command(override_usage = "git llmpatch undo [<options>]")]
pub(super) struct Undo {
    /// List what can be taken back, the newest first, and take back nothing
    #[arg(long, conflicts_with_all = ["quiet", "verbose"])]
    list: bool,
    /// Forget the last apply, and change no file: then the one before it can be taken back
    #[arg(long, conflicts_with = "list")]
    drop: bool,
    #[command(flatten)]
    verbosity: Verbosity,
    #[command(flatten)]
    json: Json,
}

impl Undo {
    /// Runs the command, and prints how it went.
    pub(super) fn run(&self) -> Exit {
        if let Some(exit) = conclude::schema(&self.json) {
            return exit;
        }
        if self.list {
            return flow::run(
                &Reading::default(),
                &self.json.verbosity(&self.verbosity),
                Vec::new(),
                |session| {
                    let Listed { earlier, end } = transaction::earlier(&session.repo)?;
                    let text = listed(&earlier);
                    let earlier = earlier.into_iter().map(reported).collect();
                    let status = match end {
                        None => Status::Listed,
                        Some(_) => Status::Failed,
                    };
                    let report = Report {
                        status,
                        earlier: Some(earlier),
                        errors: end.iter().map(Diagnostic::from).collect(),
                        ..Report::default()
                    };
                    Ok((report, text.into()))
                },
            );
        }
        flow::run(
            &Reading::default(),
            &self.json.verbosity(&self.verbosity),
            Vec::new(),
            |session| {
                if self.drop {
                    return self.forget(session);
                }
                let (report, when, commits) = self.undo(session)?;
                let commits =
                    commits.map_or(String::new(), |made| format!(" and {}", named(&made)));
                let printed = if self.verbosity.quiet {
                    String::new()
                } else {
                    format!(
                        "took back the apply of {}{commits}:\n{}",
                        ago(when),
                        human::done(&report)
                    )
                };
                Ok((report, printed.into()))
            },
        )
    }

    fn forget(&self, session: &Session) -> Result<(Report, Printed), Failure> {
        let (locked, _) = publish::lock(session, &Report::default())?;
        let forgotten = locked.forget_last().map_err(|error| {
            publish::not_made(
                &Report::default(),
                State::NothingChanged,
                &error,
                error.signal(),
            )
        })?;
        let Some(forgotten) = forgotten else {
            return Err(CliError::NothingToUndo.into());
        };
        let printed = if self.verbosity.quiet {
            String::new()
        } else {
            format!(
                "forgot the apply of {}: {}\n",
                ago(forgotten.when),
                what(&forgotten)
            )
        };
        let report = Report {
            status: Status::Forgotten,
            earlier: Some(vec![reported(forgotten)]),
            ..Report::default()
        };
        Ok((report, printed.into()))
    }

    /// Takes the last apply back, and returns when it was made, and its commits.
    fn undo(&self, session: &Session) -> Result<(Report, i64, Option<MadeCommits>), Failure> {
        // What is half done is no state to take anything back from.
        recover::first(session)?;
        let work = session.meter.begin(Stage::Planning, 0);
        let last = transaction::last(&session.repo, work.progress()).map_err(refused)?;
        drop(work);
        let Undoing {
            when,
            changes,
            reverse,
            commits,
        } = *match last {
            Last::Change(undoing) => undoing,
            Last::Nothing => return Err(CliError::NothingToUndo.into()),
            Last::Commits(made) => return Err(for_git(made).into()),
        };
        if self.verbosity.verbose {
            let what = match (reverse.has_files(), reverse.has_entries()) {
                (true, true) => "the work tree and the index",
                (true, false) => "the work tree",
                _ => "the index",
            };
            output::complain(&format!("the last apply changed {what}\n"));
        }
        let base = if reverse.has_files() {
            Base::WorkTree
        } else {
            Base::Index
        };
        let mut report = Report::default();
        if session.verbosity.json {
            report.detail.plan = Some(changes.id());
            report.files = details::files_of(session, &base, &changes);
        } else {
            report.files = details::counted_files(session, &base, &changes, self.verbosity.quiet);
        }
        let ready = Ready {
            changes,
            target: Target::Undo(reverse),
            commits: UnnamedCommits::default(),
            report,
            preview: None,
        };
        let report = Report {
            status: Status::Undone,
            ..publish::publish(session, ready)?.report
        };
        Ok((report, when, commits))
    }
}

/// Returns why undo doesn't take commits back.
fn for_git(made: MadeCommits) -> CliError {
    if !made.is_there {
        return CliError::UndoOfGone { id: made.id };
    }
    let what = named(&made);
    let why = match made.remote {
        Some(remote) => Committed::OnRemote(remote),
        None if made.is_below => Committed::Below,
        None if !made.is_head => Committed::First,
        None => Committed::Unkept,
    };
    CliError::UndoOfCommits {
        what,
        why,
        id: made.id,
        before: made.before,
        is_head: made.is_head,
    }
}

fn reported(
    Earlier {
        when,
        commits,
        files,
        since,
        ..
    }: Earlier,
) -> EarlierReport {
    EarlierReport {
        time: when,
        is_gone: commits.as_ref().is_some_and(|made| !made.is_there),
        commit: commits.map(|made| made.full),
        files,
        since,
    }
}

/// Lists what can be taken back, a line each, with its number.
fn listed(earlier: &[Earlier]) -> String {
    let line = |(number, one): (usize, &Earlier)| {
        let state = match &one.commits {
            Some(made) if !made.is_there => ", not in the history of HEAD any more".to_owned(),
            Some(_) if one.is_for_git => ", which git takes back, not undo".to_owned(),
            _ if one.since.is_empty() => String::new(),
            _ => {
                let since = one.since.iter().map(|path| Shown(path.as_bytes()));
                format!("; changed since: {}", text::listed(since, one.since.len()))
            }
        };
        format!("{number:2}  {}  {}{state}\n", ago(one.when), what(one))
    };
    (1..).zip(earlier).map(line).collect()
}

/// Says what a change changed.
fn what(one: &Earlier) -> String {
    const SHOWN: usize = 3;
    if let Some(made) = &one.commits {
        return named(made);
    }
    let mut what: Vec<String> = one.files.iter().take(SHOWN).map(lettered).collect();
    if one.files.len() > SHOWN {
        what.push(format!("and {} more", one.files.len() - SHOWN));
    }
    what.join(", ")
}

fn named(MadeCommits { id, before, .. }: &MadeCommits) -> String {
    match before {
        None => format!("commit {id}"),
        Some(before) => format!("commits {before}..{id}"),
    }
}

fn lettered(file: &EarlierFile) -> String {
    let path = Shown(file.path.as_bytes());
    format!("{} {path}", file.operation.letter())
}

/// Returns how long ago it is, in seconds since 1970, about as git says it.
fn ago(when: i64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = now.map_or(0, |now| now.as_secs() as i64) - when;
    let (number, unit) = match seconds.max(0) {
        few @ 0..90 => (few, "second"),
        seconds if seconds < 90 * 60 => ((seconds + 30) / 60, "minute"),
        seconds if seconds < 36 * 3600 => ((seconds + 1800) / 3600, "hour"),
        seconds => ((seconds + 43_200) / 86_400, "day"),
    };
    format!("{number} {unit}{} ago", if number == 1 { "" } else { "s" })
}

/// Makes the report of what can't be taken back, each path by itself.
fn refused(error: TransactionError) -> Failure {
    match error {
        TransactionError::ChangedSince { all } => {
            failed(all.iter().map(Diagnostic::from).collect())
        }
        error => Failure::from(error),
    }
}
