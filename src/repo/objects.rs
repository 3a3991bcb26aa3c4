use git2::{ObjectFormat, ObjectType, Oid};

use bstr::{BString, ByteSlice as _};

use sha1::{Digest as _, Sha1};
use sha2::Sha256;

use super::conversion::Conversion;
use super::git::{Git, run};
use super::{Repo, RepoError, replacements};
use crate::dir::Dir;
use llmpatch::path::RepoPath;
use llmpatch::tree::{Content, Entry, File, Id, Mode, Obstacle, TreeError};

/// The modes that git gives to what a tree or an index names.
pub(crate) const GITLINK: u32 = 0o160000;
pub(super) const TREE: u32 = 0o040000;
pub(super) const LINK: u32 = 0o120000;

/// Returns what an entry of a tree or an index stands for, which is no directory; a file as users
/// would see it.
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
    let content = conversion
        .open_blob(path, blob(repo, path, id)?)
        .map_err(|error| error.at(path))?;
    let mode = Mode::of_git(mode);
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
    Ok(find_blob(repo, id)
        .map_err(|error| error.at(path))?
        .content()
        .to_vec()
        .into())
}

/// Returns a blob. git fetches a blob that a partial clone doesn't have yet.
///
/// # Errors
/// [`RepoError::MissingObject`] if it isn't there, nor to be had.
pub(super) fn find_blob(repo: &Repo, id: Oid) -> Result<git2::Blob<'_>, RepoError> {
    let id = replacements::follow(repo, id)?;
    read(repo, id, |git| git.find_blob(id))
}

/// Returns what is read of an object, which git fetches if a partial clone doesn't have it yet.
pub(super) fn read<'r, T>(
    repo: &'r Repo,
    id: Oid,
    read: impl Fn(&'r git2::Repository) -> Result<T, git2::Error>,
) -> Result<T, RepoError> {
    match read(&repo.git) {
        Err(error) if error.code() == git2::ErrorCode::NotFound => {
            fetch(repo, id)?;
            read(&repo.git)
        }
        read => read,
    }
    .map_err(RepoError::git("an object"))
}

/// Runs git to fetch an object that is missing.
fn fetch(repo: &Repo, id: Oid) -> Result<(), RepoError> {
    let missing = |said| RepoError::MissingObject {
        id: id.to_string(),
        said,
    };
    let remotes = repo.config.entries("remote.");
    let mut promisors = remotes
        .iter()
        .filter(|(key, _)| key.ends_with(b".promisor"));
    if promisors.next().is_none() && repo.config.entries("extensions.partialclone").is_empty() {
        return Err(missing(None));
    }
    let git = Git::new(repo);
    let output = run(&mut git.command(["cat-file", "-e", &id.to_string()]), b"")?;
    if output.status.success() {
        Ok(())
    } else {
        Err(missing(output.stderr.lines().next().map(BString::from)))
    }
}

/// Returns the name that git gives to bytes, which is a hash of them.
pub(super) fn blob_id(format: ObjectFormat, bytes: &[u8]) -> Oid {
    hashed(ObjectType::Blob, bytes, format)
}

/// Returns the name of the tree without entries, which git knows without having it.
pub(super) fn empty_tree(format: ObjectFormat) -> Oid {
    hashed(ObjectType::Tree, b"", format)
}

fn hashed(kind: ObjectType, bytes: &[u8], format: ObjectFormat) -> Oid {
    Oid::hash_object_ext(kind, bytes, format).expect("hashing bytes in memory asks nobody")
}

/// Returns the hash of bytes as git has it at the end of a file, by a fast implementation without a
/// check for collisions: nobody forges their own files.
pub(super) fn checksum(parts: &[&[u8]], format: ObjectFormat) -> Vec<u8> {
    match format {
        ObjectFormat::Sha256 => parts
            .iter()
            .fold(Sha256::new(), |hash, part| hash.chain_update(part))
            .finalize()
            .to_vec(),
        _ => parts
            .iter()
            .fold(Sha1::new(), |hash, part| hash.chain_update(part))
            .finalize()
            .to_vec(),
    }
}

/// Returns how many bytes the name of an object takes.
pub(super) fn id_len(format: ObjectFormat) -> usize {
    if format == ObjectFormat::Sha256 {
        32
    } else {
        20
    }
}

/// Returns the name that a repository's git gives to bytes, in hexadecimal digits, to be shown or
/// compared: nothing is stored by it, so collisions aren't looked for, which takes most of the
/// time.
pub(super) fn content_id(repo: &Repo, bytes: &[u8]) -> String {
    name_of(repo.git.object_format(), bytes)
}

/// Returns what works that out.
pub(super) fn later_id(repo: &Repo, content: Content) -> Id {
    let format = repo.git.object_format();
    Box::new(move || name_of(format, &content))
}

fn name_of(format: ObjectFormat, bytes: &[u8]) -> String {
    let hash = checksum(
        &[format!("blob {}\0", bytes.len()).as_bytes(), bytes],
        format,
    );
    Oid::from_bytes(&hash)
        .expect("it is as long as an id is")
        .to_string()
}

/// Returns the id that a git command printed.
///
/// # Errors
/// With what it printed, if that is no id.
pub(super) fn printed_id(command: &str, printed: BString) -> Result<Oid, RepoError> {
    let id = printed.trim_end().to_str().ok().and_then(whole_id);
    id.ok_or_else(|| RepoError::Child {
        command: command.to_owned(),
        message: printed,
    })
}

/// Reads the whole name of an object, by whichever hash; `None` if it is none.
pub(crate) fn whole_id(digits: &str) -> Option<Oid> {
    let format = match digits.len() {
        40 => ObjectFormat::Sha1,
        64 => ObjectFormat::Sha256,
        _ => return None,
    };
    Oid::from_str_ext(digits, format).ok()
}

/// Waits until the objects that were written are on the disk, unless `llmpatch.fsync` is off.
///
/// # Errors
/// If the setting can't be read, or the system can't flush them.
pub(crate) fn flush(repo: &Repo) -> Result<(), RepoError> {
    if !repo.config.fsync()? {
        return Ok(());
    }
    Dir::open(&repo.objects_dir())
        .and_then(|objects| objects.flush_file_system(None))
        .map_err(RepoError::write("the objects"))
}
