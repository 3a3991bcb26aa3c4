//! References: what they name, what locks them, and changes of them. git makes a change, and a lock,
//! a hook or the name of another reference keeps it from making one.

use std::ffi::OsStr;
use std::path::PathBuf;

use bstr::{BString, ByteSlice as _};

use super::commit::Trace;
use super::git::{Git, checked, run, temporary};
use super::objects::whole_id;
use super::{Repo, RepoError};
use crate::system::OsStrExt as _;

/// Has `git update-ref` change a reference, given by its full name.
///
/// # Errors
/// `locked`, `hook`, `unsupported` if the name is in the way of another, or what git says.
pub(super) fn update(
    repo: &Repo,
    name: &str,
    args: &[&str],
    input: &[u8],
) -> Result<(), RepoError> {
    let place = temporary()?;
    let mut command = Git::new(repo).command([&["update-ref"], args].concat());
    let trace = Trace::begin(place.path(), &mut command);
    match checked(&mut command, "update-ref", input) {
        Ok(_) => Ok(()),
        Err(RepoError::Child { command, message }) => {
            Err(match hindrance(repo, name, &trace, &message) {
                Some(hindrance) => hindrance,
                None => RepoError::Child { command, message },
            })
        }
        Err(error) => Err(error),
    }
}

/// Returns what kept git from changing a reference, as far as that can still be seen.
fn hindrance(repo: &Repo, name: &str, trace: &Trace, said: &BString) -> Option<RepoError> {
    if let Some(refusal) = trace.refusal() {
        return Some(RepoError::HookRefused {
            hook: refusal.hook,
            name: name.into(),
            said: said.clone(),
        });
    }
    let lock = locks_of(repo, name).into_iter().find(|lock| lock.exists());
    if let Some(lock) = lock {
        return Some(RepoError::ReferenceLocked { lock });
    }
    let other = in_the_way_of(repo, name)?;
    Some(RepoError::ReferenceInTheWay {
        name: name.into(),
        other,
    })
}

/// Returns the locks that git takes to change a reference.
fn locks_of(repo: &Repo, name: &str) -> Vec<PathBuf> {
    let said = Git::new(repo).output(["symbolic-ref", "-q", name], b"");
    let target = said.unwrap_or_default();
    let names = [name.as_bytes(), target.trim_end()];
    let of_name = |name: &[u8]| {
        let name = [name, b".lock"].concat();
        repo.common_dir().join(OsStr::from_bytes(&name))
    };
    let named = names.into_iter().filter(|name| !name.is_empty());
    let of_all = b"reftable/tables.list";
    named.chain([&of_all[..]]).map(of_name).collect()
}

/// Returns a reference that would be in the directory of another of this name, or the other way
/// round.
fn in_the_way_of(repo: &Repo, name: &str) -> Option<BString> {
    let above = name.char_indices().filter(|(_, letter)| *letter == '/');
    for (end, _) in above {
        if let Ok(Some(_)) = find(repo, &name[..end]) {
            return Some(name[..end].into());
        }
    }
    let below = format!("{name}/");
    let args = ["for-each-ref", "--count=1", "--format=%(refname)", &below];
    let said = Git::new(repo).output(args, b"").ok()?;
    let first = said.lines().next()?;
    Some(first.into())
}

/// Returns the lock files of HEAD and of the branch that it names, as far as they are there:
/// while somebody holds one, there is no commit.
pub(crate) fn head_locks(repo: &Repo) -> Vec<PathBuf> {
    locks(head_files(repo))
}

/// Returns the lock files that a commit makes beside that of the index, as far as they are
/// there: of HEAD, of the branch that it names, and of what git removes afterwards (AUTO_MERGE,
/// also from the packed references).
pub(crate) fn commit_locks(repo: &Repo) -> Vec<PathBuf> {
    let removed = [
        repo.git_dir().join("AUTO_MERGE"),
        repo.common_dir().join("packed-refs"),
    ];
    head_locks(repo).into_iter().chain(locks(removed)).collect()
}

fn locks(of: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    let locks = of.into_iter().map(|mut name| {
        name.as_mut_os_string().push(".lock");
        name
    });
    locks.filter(|lock| lock.exists()).collect()
}

/// Returns the short names of HEAD and of all references, a line each.
///
/// # Errors
/// If git can't say it.
pub(crate) fn names(repo: &Repo) -> Result<BString, RepoError> {
    let args = ["for-each-ref", "--format=%(refname:short)"];
    let names = Git::new(repo).output(args, b"")?;
    Ok([b"HEAD\n", &names[..]].concat().into())
}

/// Returns the object that a reference names by its full name; `None` if the reference doesn't
/// exist, or names no object yet.
///
/// # Errors
/// If it can't be read.
pub(super) fn find(repo: &Repo, name: &str) -> Result<Option<git2::Oid>, git2::Error> {
    if repo.standin.is_none() {
        return match repo.git.refname_to_id(name) {
            Ok(id) => Ok(Some(id)),
            Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(None),
            Err(error) => Err(error),
        };
    }
    let git = Git::new(repo);
    let said = run(
        &mut git.command(["rev-parse", "--verify", "--quiet", name]),
        b"",
    );
    let said = said.map_err(|error| git2::Error::from_str(&error.to_string()))?;
    match said.status.code() {
        Some(0) => Ok(said.stdout.trim_end().to_str().ok().and_then(whole_id)),
        Some(1) => Ok(None),
        _ => Err(git2::Error::from_str(&said.stderr.to_string())),
    }
}

/// Returns the full name of the branch that HEAD is on; `None` if it is on none, or can't be
/// read.
pub(super) fn current_branch(repo: &Repo) -> Option<BString> {
    if repo.standin.is_none() {
        return repo
            .git
            .find_reference("HEAD")
            .ok()?
            .symbolic_target_bytes()
            .map(BString::from);
    }
    let said = Git::new(repo)
        .output(["symbolic-ref", "--quiet", "HEAD"], b"")
        .ok()?;
    Some(said.trim_end().into())
}

/// Returns the files beside which a lock keeps HEAD, or its branch, from being moved.
fn head_files(repo: &Repo) -> Vec<PathBuf> {
    if repo.standin.is_some() {
        // Every list of tables has a lock; a linked work tree's HEAD is in one of its own.
        let mut files: Vec<PathBuf> = [repo.git_dir(), repo.common_dir()]
            .map(|own| own.join("reftable/tables.list"))
            .into();
        files.dedup();
        return files;
    }
    let branch =
        current_branch(repo).map(|branch| repo.git.commondir().join(OsStr::from_bytes(&branch)));
    [repo.git.path().join("HEAD")]
        .into_iter()
        .chain(branch)
        .collect()
}
