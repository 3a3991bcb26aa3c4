//! What a change would be, printed: `--diff`, `--stat`, `--numstat`, `--summary`.

use std::collections::HashMap;

use clap::Args;

use super::base::Base;
use super::config;
use super::error::Failure;
use super::flow::Session;
use crate::repo::{Differ, Side, differ};
use llmpatch::compare::{self, Compare, CompareError};
use llmpatch::format::unified::{self, Quoting, Termination};
use llmpatch::patch::Patch;
use llmpatch::plan::{ChangeSet, derive};
use llmpatch::progress::Stage;
use llmpatch::report::LineCount;

/// How wide `git diff --stat` is where no terminal says.
const STAT_WIDTH: usize = 80;

/// What is printed of a change beside its diff, or in place of it.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Forms {
    /// Print how much changes in each file
    #[arg(long)]
    stat: bool,
    /// Print the same for programs
    #[arg(long, hide_short_help = true)]
    numstat: bool,
    /// Print the names of the files that change, and nothing else
    #[arg(long, hide_short_help = true)]
    name_only: bool,
    /// With --numstat or --name-only, end names with NUL and don't quote them
    #[arg(short = 'z', hide_short_help = true)]
    nul: bool,
    /// Print which files are added, deleted, renamed or change their mode
    #[arg(long, hide_short_help = true)]
    summary: bool,
}

impl Forms {
    /// Returns what is missing for the options that were given to make sense.
    pub(super) fn lacks(&self) -> Option<&'static str> {
        (self.nul && !self.numstat && !self.name_only)
            .then_some("the option '-z' requires '--numstat' or '--name-only'")
    }

    /// Returns all, and whether each is asked for.
    fn given(&self) -> [(&'static str, bool); 4] {
        [
            ("--stat", self.stat),
            ("--numstat", self.numstat),
            ("--name-only", self.name_only),
            ("--summary", self.summary),
        ]
    }

    /// Returns whether any is asked for.
    fn any(&self) -> bool {
        self.given().iter().any(|(_, is_given)| *is_given)
    }
}

/// Which previews are asked for.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Previewing (instead of applying)")]
pub(super) struct Preview {
    /// Only check whether it would apply
    #[arg(short = 'n', long, visible_alias = "dry-run")]
    pub(super) check: bool,
    /// Print the change as a diff that git apply accepts
    #[arg(long)]
    pub(super) diff: bool,
    #[command(flatten)]
    forms: Forms,
    /// Apply as well
    #[arg(long, hide_short_help = true)]
    pub(super) apply: bool,
    /// How many unchanged lines to show around a change, if not as many as git does
    #[arg(skip)]
    context: Option<u32>,
}

impl Preview {
    /// Returns the preview that is nothing but the diff.
    pub(super) fn diff(context: Option<u32>) -> Self {
        Self {
            diff: true,
            context,
            ..Self::default()
        }
    }

    /// Returns the preview that is what `git diff` prints: a diff, or only what is asked for.
    pub(super) fn of(forms: &Forms) -> Self {
        Self {
            diff: !forms.any(),
            forms: forms.clone(),
            ..Self::default()
        }
    }

    /// Returns what is missing for the options that were given to make sense.
    pub(super) fn lacks(&self) -> Option<&'static str> {
        self.forms.lacks()
    }

    /// Returns the previews that are asked for.
    pub(super) fn given(&self) -> impl Iterator<Item = &'static str> {
        let all = [("--check", self.check), ("--diff", self.diff)];
        let forms = self.forms.given();
        all.into_iter()
            .chain(forms)
            .filter(|(_, is_given)| *is_given)
            .map(|(name, _)| name)
    }

    /// Returns whether there is anything to print.
    pub(super) fn prints(&self) -> bool {
        self.diff || self.forms.any()
    }

    /// Returns whether a preview is asked for at all.
    pub(super) fn is_asked_for(&self) -> bool {
        self.check || self.prints()
    }

    /// Returns whether the change is to be made.
    pub(super) fn applies(&self) -> bool {
        self.apply || !(self.check || self.prints())
    }

    /// Prints what is asked for in the order in which `git diff` prints it.
    ///
    /// # Errors
    /// If contents can't be compared.
    pub(super) fn print(
        &self,
        session: &Session,
        base: &Base,
        changes: &ChangeSet,
    ) -> Result<Vec<u8>, Failure> {
        let patch = compared(session, base.side(), changes, self.context, derive::unified)?;
        let quoting = quoting(session)?;
        let mut out = Vec::new();
        let end = if self.forms.nul {
            Termination::Nul
        } else {
            Termination::Line
        };
        if self.forms.name_only {
            return Ok(unified::name_only(&patch, quoting, end));
        }
        if self.forms.numstat {
            out.extend(unified::numstat(&patch, quoting, end));
        }
        if self.forms.stat {
            out.extend(unified::stat(
                &patch,
                quoting,
                config::width(std::io::stdout()).unwrap_or(STAT_WIDTH),
            ));
        }
        if self.forms.summary {
            out.extend(unified::summary(&patch, quoting));
        }
        if self.diff {
            if !out.is_empty() {
                out.push(b'\n');
            }
            out.extend(unified::print(&patch, quoting));
        }
        Ok(out)
    }
}

/// Prints the diff of each file by itself, to be put into a document, by the path that the file has
/// afterwards.
///
/// # Errors
/// If contents can't be compared.
pub(super) fn diffs(session: &Session, base: &Base, changes: &ChangeSet) -> Result<Diffs, Failure> {
    let Patch { format, edits } = compared(session, base.side(), changes, None, derive::unified)?;
    let quoting = quoting(session)?;
    let diffs = edits.into_iter().filter_map(|edit| {
        let path = unified::FileStat::of(&edit)?.path.to_vec();
        let edits = vec![edit];
        Some((path, unified::print(&Patch { format, edits }, quoting)))
    });
    Ok(diffs.collect())
}

/// The diff of each file, by its path.
pub(super) type Diffs = HashMap<Vec<u8>, Vec<u8>>;

fn quoting(session: &Session) -> Result<Quoting, Failure> {
    let quotes_all = session
        .repo
        .config()
        .bool("core.quotepath")?
        .unwrap_or(true);
    Ok(if quotes_all {
        Quoting::Full
    } else {
        Quoting::Ascii
    })
}

/// Compares what was and what will be, as `git diff` does.
fn compared<'c, T>(
    session: &Session,
    side: Side,
    changes: &'c ChangeSet,
    context: Option<u32>,
    derive: impl FnOnce(&'c ChangeSet, &dyn Compare, &compare::Options) -> Result<T, CompareError>,
) -> Result<T, Failure> {
    let differ = Differ::new(&session.repo, side)?.after(changes.attribute_files());
    let work = session.meter.begin(Stage::Comparing, 0);
    let options = differ::options(&session.repo)?;
    // `git apply` takes no hunk without context.
    let context = context.unwrap_or(options.context).max(1);
    let progress = work.progress().clone();
    let options = compare::Options {
        context,
        progress,
        ..options
    };
    derive(changes, &differ, &options).map_err(Failure::from)
}

/// Counts the lines that come and go in each path: of what git would store, or, where that can't be
/// known (a filter driver), of what is in the files.
pub(super) fn counted(
    session: &Session,
    base: &Base,
    changes: &ChangeSet,
) -> HashMap<Vec<u8>, LineCount> {
    let counted = |side| compared(session, side, changes, None, derive::changed_lines);
    let files = counted(base.side())
        .or_else(|_| counted(Base::Index.side()))
        .unwrap_or_default();
    let mut counts: HashMap<Vec<u8>, LineCount> = HashMap::new();
    for derive::ChangedLines {
        path,
        removed,
        added,
    } in files
    {
        let count = counts.entry(path.as_bytes().to_vec()).or_default();
        count.added += added;
        count.removed += removed;
    }
    counts
}
