//! The work tree as a tree, made by git in an index of its own: filters, line ends, modes and
//! submodules are what `git add` makes of them.

use git2::Oid;

use super::git::{Git, checked, temporary};
use super::kept_pack::KeptPack;
use super::objects::printed_id;
use super::quarantine::Quarantine;
use super::{NextIndex, Repo, RepoError, history};

/// Stores the tree that `git add -u`, or with untracked files `git add -A`, and a commit would
/// make. Neither index nor work tree is changed.
///
/// # Errors
/// If there is no work tree, or git can't read or store what is in it.
pub(crate) fn store(repo: &Repo, with_untracked: bool) -> Result<(Oid, KeptPack), RepoError> {
    let top = repo.top()?;
    let place = temporary()?;
    let mut index = NextIndex::copy(repo, repo.index_path(), place.path().join("index"))?;
    index.write_plain()?;
    let git = Git::new(repo);
    let objects = Quarantine::new(repo)?;
    let run = |args: &[&str]| {
        let mut command = git.command(args);
        // What users see of a file matters, not how their index is kept.
        command.current_dir(top).env("GIT_INDEX_FILE", index.path());
        checked(objects.hold(&mut command), args[0], b"")
    };
    run(&["add", if with_untracked { "--all" } else { "--update" }])?;
    let tree = printed_id("write-tree", run(&["write-tree"])?)?;
    Ok((tree, objects.store(tree, history::head_tree(repo)?)?))
}
