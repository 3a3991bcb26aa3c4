//! The program under the name `apply_patch`, as which agents start what applies a model's patch:
//! the patch is the argument, or comes on standard input, and what became of it is said in the
//! words that they know. All else is as for `git llmpatch apply`.

use std::env::consts::EXE_SUFFIX;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::path::Path;

use clap::Args;

use super::base::Base;
use super::details;
use super::error::Failure;
use super::exit::Exit;
use super::flow::{self, Session};
use super::install::{self, Home};
use super::options::{Reading, Verbosity};
use super::output;
use super::publish::{self, Ready};
use super::recover;
use super::responses::{self, ResponseOrigin};
use crate::store::UnnamedCommits;
use crate::system::{OsStrExt as _, OsStringExt as _};
use crate::transaction::Target;
use llmpatch::report::{FileOperation, Report};
use llmpatch::text::{Shown, SourceId};

const USAGE: &str = "Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch\n";

/// Behave as the apply_patch that agents run, or install that name
#[derive(Debug, Args)]
#[command(
    override_usage = "git llmpatch apply-patch [<patch>]\n       git llmpatch apply-patch --install"
)]
pub(super) struct ApplyPatch {
    /// The patch itself, or nothing for standard input
    #[arg(value_name = "patch", conflicts_with = "install")]
    patch: Option<OsString>,
    /// Link this program as apply_patch among your own programs, and say where that is
    #[arg(long)]
    install: bool,
}

impl ApplyPatch {
    /// Runs the command.
    ///
    /// # Errors
    /// If there is no telling where the link goes.
    pub(super) fn run(&self) -> Result<Exit, clap::Error> {
        match Home::find() {
            _ if !self.install => Ok(run(self.patch.as_slice())),
            Some(home) => Ok(install::link(
                &home.programs(),
                &format!("apply_patch{EXE_SUFFIX}"),
            )),
            None => Err(super::usage(
                "apply-patch",
                "HOME names no directory to install to",
            )),
        }
    }
}

/// Returns whether the program was called by this name.
pub(super) fn is_called(program: &OsStr) -> bool {
    let name = Path::new(program).file_name().and_then(OsStr::to_str);
    let name = name.map(|name| name.strip_suffix(EXE_SUFFIX).unwrap_or(name));
    matches!(name, Some("apply_patch" | "apply-patch" | "applypatch"))
}

/// Applies the patch that the arguments, without the program's name, or standard input hold.
pub(super) fn run(arguments: &[OsString]) -> Exit {
    let (name, patch) = match arguments {
        [] => ("<stdin>", ResponseOrigin::Stdin.read()),
        [patch] => ("<argument>", Ok(patch.clone().into_vec())),
        _ => {
            output::complain(&format!(
                "Error: apply_patch accepts exactly one argument.\n{USAGE}"
            ));
            return Exit::Usage;
        }
    };
    if patch
        .as_ref()
        .is_ok_and(|patch| patch.trim_ascii().is_empty())
    {
        output::complain(USAGE);
        return Exit::Usage;
    }
    // Paths count from where the agent is.
    let directory = std::env::current_dir().ok().map(Into::into);
    let reading = Reading {
        directory,
        ..Reading::default()
    };
    let exit = flow::run(
        &reading,
        &Verbosity {
            to_model: true,
            ..Verbosity::default()
        },
        vec![name.to_owned()],
        |session| {
            let source = responses::source(SourceId(0), name.to_owned(), Some(patch?))?;
            let report = made(session, std::slice::from_ref(&source))?;
            let text = summary(&report, session.resolver().directory());
            Ok((report, text.into()))
        },
    );
    // Agents know no more than that it failed.
    if exit == Exit::Obstructed {
        Exit::Refused
    } else {
        exit
    }
}

/// Makes the change.
fn made(session: &Session, sources: &[llmpatch::text::Source]) -> Result<Report, Failure> {
    recover::first(session)?;
    let base = Base::WorkTree;
    let ready = publish::make(session, || {
        let tree = base.tree(&session.repo)?;
        let worked = session.work_out(sources, &base, &*tree)?;
        let files = details::counted_files(session, &base, &worked.changes, true);
        Ok(Ready {
            report: Report::checked(files, worked.warnings),
            changes: worked.changes,
            target: Target::WorkTree {
                intent_to_add: false,
            },
            commits: UnnamedCommits::default(),
            preview: None,
        })
    })?;
    Ok(ready.report)
}

/// Lists what has become of files, named as from a directory: first the new files, then the changed
/// files, then the removed files.
fn summary(report: &Report, directory: &[u8]) -> String {
    let mut text = String::from("Success. Updated the following files:\n");
    for letter in ['A', 'M', 'D'] {
        for file in report
            .files
            .iter()
            .filter(|file| letter_of(file.operation) == letter)
        {
            let path = file.path.as_bytes();
            let below = path
                .strip_prefix(directory)
                .map(|rest| rest.strip_prefix(b"/").unwrap_or(rest));
            let path = below.filter(|_| !directory.is_empty()).unwrap_or(path);
            let _ = writeln!(
                text,
                "{letter} {}",
                Shown::path(Path::new(OsStr::from_bytes(path)))
            );
        }
    }
    text
}

fn letter_of(operation: FileOperation) -> char {
    match operation {
        FileOperation::Added => 'A',
        FileOperation::Modified | FileOperation::Renamed => 'M',
        FileOperation::Deleted => 'D',
    }
}
