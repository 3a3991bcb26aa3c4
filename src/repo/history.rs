//! Commits: which commits a name means, what they say and touch, and which of them led to which.

use bstr::{BString, ByteSlice as _};
use git2::{ErrorCode, Oid};

use super::directories::Directories;
use super::git::{Git, run};
use super::objects::{TREE, leaf, whole_id};
use super::{Conversion, Repo, RepoError, Revision, references, replacements, revision};
use llmpatch::path::RepoPath;
use llmpatch::progress::{Progress, Stage};
use llmpatch::tree::{Content, Entry, Withheld};

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its whole id.
    pub id: String,
    /// Its message, as it is.
    pub message: BString,
    /// The ids of its parents.
    pub parents: Vec<String>,
}

/// A path that a commit touches, as git names it, and what is there in its first parent and in
/// itself.
pub type Touched = (BString, Entry, Entry);

/// Returns the commits that a name or a range (`A..B`) means, the oldest first; of a range,
/// with `first_parent`, only the first parents.
///
/// # Errors
/// If there is none of that name.
pub fn commits(repo: &Repo, named: &str, first_parent: bool) -> Result<Vec<Commit>, RepoError> {
    if !named.contains("..") {
        return Ok(vec![describe(repo, named_commit(repo, named)?)?]);
    }
    revision::ids_in_range(repo, named, first_parent)?
        .into_iter()
        .map(|id| describe(repo, id))
        .collect()
}

/// Returns what a commit touches, by path; renames aren't looked for.
///
/// # Errors
/// If an object can't be read.
pub fn touched(
    repo: &Repo,
    commit: &Commit,
    progress: &Progress,
) -> Result<Vec<Touched>, RepoError> {
    let parent = commit.parents.first();
    differing(repo, parent.map(String::as_str), &commit.id, progress)
}

/// Returns the id of the last commit of a pull request, and what it shows: what was changed since
/// the commit at which its branch parted from another.
///
/// # Errors
/// If a name isn't that of a commit, if the two have no commit in common, or if an object can't
/// be read.
pub fn pull_request(
    repo: &Repo,
    base: &str,
    head: &str,
    progress: &Progress,
) -> Result<(String, Vec<Touched>), RepoError> {
    let [one, other] = [named_commit(repo, base)?, named_commit(repo, head)?];
    let parted = match repo.git.merge_base(one, other) {
        Ok(parted) => parted.to_string(),
        Err(error) if error.code() == ErrorCode::NotFound => {
            let [base, head] = [base, head].map(str::to_owned);
            return Err(RepoError::Unrelated { base, head });
        }
        Err(error) => return Err(RepoError::git("a merge base")(error)),
    };
    let head = other.to_string();
    let touched = differing(repo, Some(&parted), &head, progress)?;
    Ok((head, touched))
}

fn named_commit(repo: &Repo, name: &str) -> Result<Oid, RepoError> {
    let commit = Revision::find(repo, name)?.commit;
    commit.ok_or_else(|| RepoError::no_revision(name))
}

/// Returns what differs between a commit and an earlier one, or none, by path.
fn differing(
    repo: &Repo,
    old: Option<&str>,
    new: &str,
    progress: &Progress,
) -> Result<Vec<Touched>, RepoError> {
    let new = directories_of(repo, new)?;
    let old = old.map(|id| directories_of(repo, id)).transpose()?;
    let paths = new.differing_from(old.as_ref().map(Directories::top))?;
    let conversion = Conversion::of_work_tree(repo)?;
    let mut touched = Vec::with_capacity(paths.len());
    progress.enter(Stage::Planning, paths.len());
    for path in paths {
        let before = file_in(repo, &conversion, old.as_ref(), &path)?;
        let after = file_in(repo, &conversion, Some(&new), &path)?;
        check_at_hand(&path, &before, &after)?;
        touched.push((path, before, after));
        progress.step();
    }
    Ok(touched)
}

fn directories_of<'r>(repo: &'r Repo, commit: &str) -> Result<Directories<'r>, RepoError> {
    let id =
        Oid::from_str_ext(commit, repo.git.object_format()).map_err(RepoError::git("a commit"))?;
    Ok(Directories::new(repo, tree(repo, id)?))
}

fn describe(repo: &Repo, id: Oid) -> Result<Commit, RepoError> {
    let commit = find(repo, id)?;
    Ok(Commit {
        id: id.to_string(),
        message: commit.message_raw_bytes().into(),
        parents: commit.parent_ids().map(|id| id.to_string()).collect(),
    })
}

/// Returns the file at a path of a tree.
fn file_in(
    repo: &Repo,
    conversion: &Conversion<'_>,
    tree: Option<&Directories<'_>>,
    path: &[u8],
) -> Result<Entry, RepoError> {
    let found = tree.map(|tree| tree.entry(path)).transpose()?;
    let Some((id, mode)) = found.flatten().filter(|(_, mode)| *mode != TREE) else {
        return Ok(Entry::Absent);
    };
    // What can't be named is only to be told of.
    let name = RepoPath::new(path).or_else(|_| RepoPath::new(b"a file"));
    name.map_err(|error| error.to_string())
        .and_then(|name| leaf(repo, conversion, &name, id, mode).map_err(|error| error.to_string()))
        .map_err(|error| RepoError::read(path)(std::io::Error::other(error)))
}

/// Checks that a change of a file can be told: both contents are at hand, or they are the same.
fn check_at_hand(path: &[u8], before: &Entry, after: &Entry) -> Result<(), RepoError> {
    let [before, after] = [before, after].map(|entry| match entry {
        Entry::File(file) => Some(&file.content),
        _ => None,
    });
    if after.is_none() || before.map(Content::kept) == after.map(Content::kept) {
        return Ok(());
    }
    match [before, after]
        .into_iter()
        .flatten()
        .find_map(Content::why_withheld)
        .cloned()
    {
        Some(Withheld { what, by }) => Err(RepoError::Withheld {
            path: path.into(),
            what,
            by,
        }),
        None => Ok(()),
    }
}

/// Returns the commit that HEAD names; `None` on a branch without commits.
///
/// # Errors
/// If HEAD can't be read.
pub(crate) fn head(repo: &Repo) -> Result<Option<Oid>, RepoError> {
    references::find(repo, "HEAD").map_err(RepoError::git("HEAD"))
}

/// Returns the tree of a commit, or of its replacement (`git replace`).
///
/// # Errors
/// If the commit can't be read.
pub(crate) fn tree(repo: &Repo, commit: Oid) -> Result<Oid, RepoError> {
    Ok(find(repo, commit)?.tree_id())
}

/// Returns a commit, or its replacement: its id is that of the replacement then.
///
/// # Errors
/// If it can't be read.
pub(super) fn find(repo: &Repo, id: Oid) -> Result<git2::Commit<'_>, RepoError> {
    let stored = replacements::follow(repo, id)?;
    let commit = repo.git.find_commit(stored);
    commit.map_err(RepoError::git("a commit"))
}

/// Returns whether a commit is another, or one that led to it.
///
/// # Errors
/// If git can't tell.
pub(super) fn is_ancestor(repo: &Repo, id: Oid, of: Oid) -> Result<bool, RepoError> {
    let args = [
        "merge-base",
        "--is-ancestor",
        &id.to_string(),
        &of.to_string(),
    ];
    let said = run(&mut Git::new(repo).command(args), b"")?;
    match said.status.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ => Err(RepoError::Child {
            command: "merge-base".into(),
            message: said.stderr.trim().into(),
        }),
    }
}

/// Returns the commit that was made on `before` (`None`: the first commit) and led to `now`;
/// `None` if there is none.
///
/// # Errors
/// If a commit can't be read.
pub(crate) fn made_on(
    repo: &Repo,
    before: Option<Oid>,
    now: Oid,
) -> Result<Option<Oid>, RepoError> {
    let mut at = now;
    // More than these don't come while somebody looks away.
    for _ in 0..1000 {
        let commit = find(repo, at)?;
        match commit.parent_ids().next() {
            _ if Some(at) == before => return Ok(None),
            parent if parent == before => return Ok(Some(at)),
            None => return Ok(None),
            Some(parent) => at = parent,
        }
    }
    Ok(None)
}

/// Returns whether `now` is the commit `id`, or was made on it.
///
/// # Errors
/// If a commit can't be read.
pub(crate) fn leads_to(repo: &Repo, id: Option<Oid>, now: Oid) -> Result<bool, RepoError> {
    match id {
        Some(id) if id != now => is_ancestor(repo, id, now),
        id => Ok(id.is_some()),
    }
}

/// Returns whether HEAD, which was at a commit, has come to another, or to one made on it.
pub(crate) fn has_come_to(
    repo: &Repo,
    id: Option<Oid>,
    before: Option<Oid>,
    now: Oid,
) -> Result<bool, RepoError> {
    // git isn't asked what can be seen.
    if before == Some(now) || id == Some(now) {
        return Ok(before != Some(now));
    }
    // What is made on where HEAD was leads there, and to all below.
    let is_back = match before {
        Some(at) => leads_to(repo, id, at)? && leads_to(repo, before, now)?,
        None => false,
    };
    Ok(!is_back && leads_to(repo, id, now)?)
}

/// Returns a remote-tracking branch that has a commit, by its short name.
///
/// # Errors
/// If git can't say.
pub(crate) fn remote_branch_with(repo: &Repo, id: Oid) -> Result<Option<String>, RepoError> {
    let contains = format!("--contains={id}");
    let arguments = [
        "for-each-ref",
        "--count=1",
        "--format=%(refname:short)",
        &contains,
        "refs/remotes",
    ];
    let said = Git::new(repo).output(arguments, b"")?;
    let name = said.lines().next();
    Ok(name.map(|name| name.to_str_lossy().into_owned()))
}

/// Returns whether a commit was made on another.
pub(crate) fn is_child(repo: &Repo, id: Oid, of: Oid) -> bool {
    find(repo, id).is_ok_and(|commit| commit.parent_ids().any(|parent| parent == of))
}

/// Returns whether a commit has a parent, and is no merge.
pub(crate) fn has_one_parent(repo: &Repo, id: Oid) -> bool {
    let commit = find(repo, id);
    commit.is_ok_and(|commit| commit.parent_count() == 1)
}

/// Returns whether this names a commit of that tree with that parent.
pub(crate) fn is_commit_of(repo: &Repo, name: &str, parent: Option<&str>, tree: &str) -> bool {
    let commit = whole_id(name).and_then(|id| find(repo, id).ok());
    commit.is_some_and(|commit| {
        let parents: Vec<String> = commit.parent_ids().map(|id| id.to_string()).collect();
        parents.iter().map(String::as_str).eq(parent) && commit.tree_id().to_string() == tree
    })
}

/// Returns the name of the tree of HEAD; `None` before the first commit.
pub(super) fn head_tree(repo: &Repo) -> Result<Option<Oid>, RepoError> {
    repo.check_objects()?;
    head(repo)?.map(|head| tree(repo, head)).transpose()
}
