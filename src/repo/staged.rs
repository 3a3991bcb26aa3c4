//! What is staged: the paths at which the index in use differs from HEAD, and what either side has
//! there.
//!
//! A content is read when somebody asks for it. Nothing is locked, and nothing written: a hook runs
//! while git holds the lock, and the index in use may then be the lock file itself.

use bstr::{BStr, BString, ByteSlice as _};
use git2::Oid;

use super::git::Git;
use super::objects::{obstacle, whole_id};
use super::{IndexTree, Repo, RepoError, history, objects, replacements};
use llmpatch::path::RepoPath;
use llmpatch::tree::{Content, Obstacle};

/// A path at which the index in use differs from HEAD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staged {
    /// The path as the index or HEAD has it; a patch need not be able to name it.
    pub path: BString,
    /// What HEAD has there.
    pub before: Held,
    /// What the index has there.
    pub after: Held,
}

/// What one side has at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Nothing. A path that is only marked to be added (`git add -N`) has nothing yet.
    Nothing,
    /// A regular file.
    File(BlobId),
    /// Something else.
    Other(Obstacle),
    /// No one thing: it is in a merge that isn't finished.
    Unmerged,
}

/// The name of a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlobId(pub(super) Oid);

impl BlobId {
    /// Returns the blob that an id names, which may be abbreviated; `None` if there is none, or
    /// several.
    pub fn named(repo: &Repo, id: &str) -> Option<Self> {
        let is_id = id.len() >= 4 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let blob = is_id.then(|| {
            repo.git
                .find_object_by_prefix(id, Some(git2::ObjectType::Blob))
        });
        blob?.ok().map(|blob| Self(blob.id()))
    }

    /// Reads a content; `None` if it is longer than `most` bytes.
    ///
    /// # Errors
    /// If it can't be read; the path is what is named then.
    pub fn read(self, repo: &Repo, path: &BStr, most: u64) -> Result<Option<Content>, RepoError> {
        let failed = |error| RepoError::read(path.as_bytes())(std::io::Error::other(error));
        let length = replacements::follow(repo, self.0)
            .and_then(|id| objects::read(repo, id, |git| Ok(git.odb()?.read_header(id)?.0)))
            .map_err(failed)?;
        if length as u64 > most {
            return Ok(None);
        }
        Ok(Some(
            objects::find_blob(repo, self.0)
                .map_err(failed)?
                .content()
                .into(),
        ))
    }
}

/// Lists what is staged. Before the first commit that is all that the index has. Renames aren't
/// looked for.
///
/// git is asked: it looks only into directories of HEAD that differ, where libgit2 reads all of
/// them and hashes index and trees besides (48 M instructions more for 5,000 files, where git
/// takes 2.4 M), and it knows split and sparse indexes.
///
/// # Errors
/// If HEAD or the index can't be read.
pub(crate) fn list(repo: &Repo) -> Result<Vec<Staged>, RepoError> {
    let head = history::head_tree(repo)?
        .unwrap_or_else(|| objects::empty_tree(repo.git.object_format()))
        .to_string();
    let options = [
        "--cached",
        "--raw",
        "-z",
        "--no-abbrev",
        "--no-renames",
        "--ita-invisible-in-index",
    ];
    // Who only looks runs no program of the repository's.
    let args = ["-c", "core.fsmonitor=false", "diff-index"]
        .iter()
        .chain(&options)
        .copied()
        .chain([&head[..], "--"]);
    let listing = Git::new(repo).output(args, b"")?;
    listed(&listing).ok_or_else(|| RepoError::Child {
        command: "diff-index".into(),
        message: "it printed something else than a list".into(),
    })
}

/// Returns what the index in use has at a path.
///
/// # Errors
/// If it can't be read.
pub(crate) fn in_index(repo: &Repo, path: &RepoPath) -> Result<Held, RepoError> {
    match IndexTree::new(repo)?.slot(path) {
        Ok(Some(slot)) if !slot.is_intended() => Ok(of_mode(slot.id, slot.mode)),
        Ok(_) => Ok(Held::Nothing),
        Err(_) => Ok(Held::Unmerged),
    }
}

/// Reads what `git diff-index --raw -z` prints: `:old-mode new-mode old-id new-id letter`, a NUL,
/// the path, a NUL.
fn listed(listing: &[u8]) -> Option<Vec<Staged>> {
    let mut staged: Vec<Staged> = Vec::new();
    let mut parts = listing.split_str("\0");
    while let Some(about) = parts.next().filter(|about| !about.is_empty()) {
        let path = parts.next().filter(|path| !path.is_empty())?;
        let fields: Vec<&str> = about
            .strip_prefix(b":")?
            .to_str()
            .ok()?
            .split(' ')
            .collect();
        let [old_mode, new_mode, old_id, new_id, letter] = fields[..] else {
            return None;
        };
        let before = held(old_mode, old_id)?;
        let after = if letter == "U" {
            Held::Unmerged
        } else {
            held(new_mode, new_id)?
        };
        match staged.last_mut() {
            // What is unmerged may be listed again with what one side has.
            Some(last) if last.path == path && Held::Unmerged == last.after => {}
            Some(last) if last.path == path => last.after = after,
            _ => staged.push(Staged {
                path: path.into(),
                before,
                after,
            }),
        }
    }
    Some(staged)
}

fn held(mode: &str, id: &str) -> Option<Held> {
    let mode = u32::from_str_radix(mode, 8).ok()?;
    if mode == 0 {
        Some(Held::Nothing)
    } else {
        Some(of_mode(whole_id(id)?, mode))
    }
}

fn of_mode(id: Oid, mode: u32) -> Held {
    obstacle(mode).map_or(Held::File(BlobId(id)), Held::Other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_is_read_whole_or_not_at_all() {
        let none = "0".repeat(40);
        let a = "a".repeat(40);
        let file = Held::File(BlobId(a.parse().unwrap()));
        let link = Held::Other(Obstacle::Link);
        for (listing, want) in [
            (String::new(), Some(vec![])),
            (
                format!(":000000 100644 {none} {a} A\0x\ny\0"),
                Some(vec![("x\ny", Held::Nothing, file)]),
            ),
            (
                format!(":100664 000000 {a} {none} D\0x\0"),
                Some(vec![("x", file, Held::Nothing)]),
            ),
            (
                format!(":100644 120000 {a} {a} T\0x\0"),
                Some(vec![("x", file, link)]),
            ),
            (
                format!(":000000 000000 {none} {none} U\0x\0:100644 100644 {a} {a} M\0x\0"),
                Some(vec![("x", Held::Nothing, Held::Unmerged)]),
            ),
            (format!(":000000 100644 {none} {a} A\0"), None),
            (format!(":000000 100644 {none} A\0x\0"), None),
            ("warning: x\n".to_owned(), None),
        ] {
            let got = listed(listing.as_bytes());
            let got = got.map(|all| {
                all.into_iter()
                    .map(|one| (one.path.to_string(), one.before, one.after))
                    .collect()
            });
            let want = want.map(|all| {
                all.into_iter()
                    .map(|(path, b, a)| (path.to_owned(), b, a))
                    .collect::<Vec<_>>()
            });
            assert_eq!(got, want, "{listing:?}");
        }
    }
}
