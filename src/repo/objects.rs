use git2::{ObjectFormat, ObjectType, Oid};

use super::Repo;
use super::conversion::Conversion;
use crate::path::RepoPath;
use crate::tree::{Content, Entry, File, Mode, Obstacle, Remedy, TreeError};

/// The modes that git gives to what a tree or an index names.
pub(crate) const GITLINK: u32 = 0o160000;
pub(super) const TREE: u32 = 0o040000;
const LINK: u32 = 0o120000;

/// Returns what an entry of a tree or an index stands for, which is no directory; a file as users would see it.
pub(super) fn leaf(
    repo: &Repo,
    conversion: &Conversion<'_>,
    path: &RepoPath,
    id: Oid,
    mode: u32,
) -> Result<Entry, TreeError> {
    if let Some(what) = obstacle(mode) {
        return Ok(Entry::Other(what));
    }
    // Old repositories have 100664, which git reads as 100644.
    let mode = if mode & 0o100 != 0 { Mode::EXECUTABLE } else { Mode::PLAIN };
    let content = conversion.open_blob(path, blob(repo, path, id)?).map_err(|error| error.at(path))?;
    Ok(Entry::File(File { content, mode }))
}

/// Returns what an entry is if it is no regular file.
pub(super) fn obstacle(mode: u32) -> Option<Obstacle> {
    match mode {
        LINK => Some(Obstacle::Link),
        GITLINK => Some(Obstacle::Repository),
        _ => None,
    }
}

/// Reads a blob whole.
pub(super) fn blob(repo: &Repo, path: &RepoPath, id: Oid) -> Result<Content, TreeError> {
    match repo.git.find_blob(id) {
        Ok(blob) => Ok(blob.content().to_vec().into()),
        Err(error) if error.code() == git2::ErrorCode::NotFound => Err(TreeError::Unsupported {
            path: path.clone(),
            what: format!("can't be read: object {id} is missing, or a partial clone has yet to fetch it"),
            remedy: Remedy::Fetch,
        }),
        Err(error) => Err(odd(path, &error)),
    }
}

/// Says that libgit2 couldn't read something at a path.
pub(super) fn odd(path: &RepoPath, error: &git2::Error) -> TreeError {
    TreeError::Io { path: path.clone(), source: std::io::Error::other(error.message().to_owned()) }
}

/// Returns the name that git gives to bytes, which is a hash of them.
pub(super) fn blob_id(format: ObjectFormat, bytes: &[u8]) -> Oid {
    Oid::hash_object_ext(ObjectType::Blob, bytes, format).expect("hashing bytes in memory asks nobody")
}

/// Does the same as a repository does, in hexadecimal digits.
pub(super) fn content_id(repo: &Repo, bytes: &[u8]) -> String {
    blob_id(repo.git2().object_format(), bytes).to_string()
}

/// Reads the whole name of an object, by whichever hash; `None` if it is none.
pub(super) fn whole_id(digits: &str) -> Option<Oid> {
    let format = match digits.len() {
        40 => ObjectFormat::Sha1,
        64 => ObjectFormat::Sha256,
        _ => return None,
    };
    Oid::from_str_ext(digits, format).ok()
}
