//! What is said of a change that isn't made, and of what is left to do after one.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::path::Path;

use crate::repo::CommitError;
use crate::system::has_no_locks;
use crate::transaction::{
    Holder, How, Recovered, TransactionError, Undone, Unfit, Unresolved, Warning, Why,
};
use llmpatch::kind::Kind;
use llmpatch::report::{Diagnose, Diagnostic};
use llmpatch::text::{Shown, listed, shell_word};
use llmpatch::tree::TreeError;

impl Diagnose for TransactionError {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::fixed(Kind::Io, self);
        match self {
            TransactionError::Locked { lock, holder } => of.help(match holder {
                Holder::Running => "wait until it is done, then try again".into(),
                Holder::Gone(owner) => owner.help(),
                Holder::Elsewhere { .. } => ELSEWHERE.into(),
                Holder::Unknown => unknown_holder(lock),
            }),
            TransactionError::Torn { recovered } => torn(recovered),
            TransactionError::Unfit(unfit) => of.help(unfit.why.help()),
            TransactionError::Changed { path } => of.path(path),
            TransactionError::Overtaken { path } => of.path(path),
            TransactionError::Appeared { path } => of.path(path),
            TransactionError::ChangedSince { all } => of.notes(all.iter().map(ToString::to_string)),
            TransactionError::FileChanged { path, before }
            | TransactionError::FileGone { path, before } => of
                .path(path)
                .notes(before.iter().map(|kept| note(kept)))
                .help(TAKE_BACK),
            TransactionError::InTheWay { path } => of.path(path),
            TransactionError::EntryChanged { path } => of.path(path).help(TAKE_BACK),
            TransactionError::OriginalChanged { path, kept } => of
                .path(path)
                .note(format!("the old file is `{}`", Shown::path(kept))),
            TransactionError::Tree(error) => {
                let help = match error {
                    TreeError::Disagrees { .. } => {
                        Some("stage, commit or stash what is there, then try again".into())
                    }
                    TreeError::Unmerged { .. } => {
                        Some("finish the merge of this file first".into())
                    }
                    _ => None,
                };
                Diagnostic {
                    help,
                    advice: None,
                    ..error.diagnostic()
                }
            }
            TransactionError::CurrentDirectory { path } => of.path(path),
            TransactionError::TooDeep { path } => of.path(path),
            TransactionError::Commit(error) => error.diagnostic(),
            TransactionError::InProgress { finish, .. } => of.help(format!("end it with {finish}")),
            TransactionError::OtherFileSystem { path } => of.path(path),
            TransactionError::Repository(error) => error.diagnostic(),
            TransactionError::Io { source, .. } => unwritten(source, None),
            TransactionError::NoJournal { source, .. } => unwritten(
                source,
                Some(
                    "without one a crash couldn't be taken back: make the directory \
                         writable, or have `git apply` make the change that `git llmpatch \
                         diff` prints; outside of a repository XDG_STATE_HOME says where it \
                         is",
                ),
            ),
            _ => of,
        }
    }
}

impl Diagnose for Undone {
    fn diagnostic(&self) -> Diagnostic {
        let of = self.error.diagnostic().notes(
            self.open
                .iter()
                .map(|open| format!("{open}: {}", open.help())),
        );
        let refused = matches!(
            self.error,
            TransactionError::Commit(CommitError::Hook { .. })
        );
        if refused && !self.attention.is_empty() {
            let paths = self
                .attention
                .iter()
                .map(|path| shell_word(path.as_bytes()));
            return of.help(hook_changed(&paths.collect::<Vec<_>>().join(" ")));
        }
        of
    }
}

/// Says how a response is committed in spite of a hook that changes its files and refuses: such a
/// hook takes the second `git commit`.
fn hook_changed(all: &str) -> String {
    format!(
        "what is below was changed while the hook ran: put it aside with `git stash push \
         --include-untracked -- {all}`, apply the response with `--index` in place of `--commit`, \
         and run `git commit`; where the hook changes files again, `git add` them and run that again"
    )
}

/// Says what can be done about a lock that is most likely git's.
pub(super) fn unknown_holder(lock: &Path) -> String {
    format!(
        "wait until no git command runs in this repository, then try again; if none does, remove \
         `{}`",
        Shown::path(lock)
    )
}

/// Says what can be done where the system doesn't let anything be written, if it isn't told
/// already.
pub(super) fn unwritten(source: &std::io::Error, help: Option<&str>) -> Diagnostic {
    let of = Diagnostic::new(Kind::Io);
    match source.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            of.help("make room on the disk, then try again")
        }
        _ if has_no_locks(source) => of.help(
            "this file system has no locks, and nothing is changed without one; on NFS, \
                 see whether its lock service runs",
        ),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem if help.is_none() => of.help(
            "see who owns the file and its directory, whether you may write there, and \
                 whether a flag forbids it (`lsattr`; on macOS `ls -lO`)",
        ),
        _ => Diagnostic {
            help: help.map(str::to_owned),
            ..of
        },
    }
}

/// Names what is left of changes that were interrupted.
fn torn(recovered: &[Recovered]) -> Diagnostic {
    let left = recovered
        .iter()
        .filter(|one| one.how == How::Left && !one.paths.is_empty());
    let open = || recovered.iter().flat_map(|one| &one.open);
    let mut helps: Vec<_> = open().map(Unresolved::help).collect();
    helps.dedup();
    Diagnostic::new(Kind::Io)
        .notes(recovered.iter().flat_map(|one| one.notes.iter().cloned()))
        .notes(left.map(|one| {
            let paths = one.paths.iter().map(|path| format!("`{path}`"));
            format!("it is about {}", listed(paths, one.paths.len()))
        }))
        .notes(open().map(ToString::to_string))
        .help(helps.join("; "))
}

const ELSEWHERE: &str =
    "wait until it is done; if it runs nowhere any more, run `git llmpatch recover --force`";

impl Why {
    fn help(&self) -> Cow<'static, str> {
        let fixed = match self {
            Why::Unreadable { .. } => {
                "try again; it needs to be read to see whether something was interrupted"
            }
            Why::Foreign(owner) => return owner.help().into(),
            Why::Misnamed => "have its owner remove it",
            Why::Broken => "look at what is in it, then remove it",
            Why::OtherIndex => {
                "run `git llmpatch recover` with the `GIT_INDEX_FILE` that it was made with"
            }
            Why::Elsewhere { .. } => ELSEWHERE,
            Why::Unlocked | Why::HeadMoved | Why::IndexMoved => {
                "`git llmpatch recover` takes back what that run did to these paths; to \
                     keep what is there, remove the journal"
            }
        };
        fixed.into()
    }
}

impl Unresolved {
    fn help(&self) -> Cow<'static, str> {
        let fixed = match self {
            Unresolved::Journal(Unfit { why, .. }) => return why.help(),
            Unresolved::LockOfAnother(_, owner) => return owner.help().into(),
            Unresolved::Again(_) => "run `git llmpatch recover` again",
            Unresolved::Kept(_) => {
                "look at the paths below, take what you need from the original files, then remove those"
            }
            Unresolved::Lock(_) => "if no git command runs here, remove it",
        };
        fixed.into()
    }
}

const TAKE_BACK: &str = "undo takes back all or nothing: restore this file as the last apply left it, or undo the \
     change by hand; `git llmpatch undo --drop` forgets that apply, so that the one before it can be taken back";

fn note(kept: &Path) -> String {
    format!(
        "what it was before that apply is kept in `{}`",
        Shown::path(kept)
    )
}

impl Diagnose for Warning {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::fixed(Kind::Io, self);
        match self {
            Warning::HardLink { path, .. } => of.path(path),
            Warning::Rights { path, .. } => of.path(path),
            Warning::WrittenLate { path, .. } => of.path(path),
            Warning::Open(open) => of.help(open.help()),
            Warning::Leftover { path } => of.path(path),
            Warning::Unsettled { path, .. } => of.path(path),
            Warning::InConflict { path } => of.path(path.as_bstr()),
            _ => of,
        }
    }
}

impl Diagnose for Recovered {
    fn diagnostic(&self) -> Diagnostic {
        Diagnostic::new(Kind::Recovered)
            .notes(self.notes.iter().cloned())
            .notes(self.open.iter().map(ToString::to_string))
    }
}
