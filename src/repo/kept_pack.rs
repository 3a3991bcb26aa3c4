//! Packs as they come among those of a repository, kept until something names their objects.
//!
//! Each has a `.keep` file before it is there, as `git receive-pack` makes one: no `git gc` and no
//! `git repack` removes such a pack, whatever it has read of references before. The file goes once
//! a reference names the objects. So that no pack is taken for another, which git may be removing,
//! none has a name that ever was.
//!
//! A pack is written beside the others under a name that git takes for a temporary one, and is
//! renamed once it is whole, its index last: git looks for nothing in a pack that has none.

use std::fs::File;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, ErrorKind, Read as _, Write};
use std::path::Path;

use bstr::ByteSlice as _;

use super::git::Git;
use super::objects::checksum;
use super::{Repo, RepoError, shared};
use crate::dir::write::step;
use crate::system::{OsStrExt as _, links, refusing_links};
use crate::temporary::TempFile;

/// How the name of a pack begins that isn't whole yet, for git and for us.
const UNFINISHED: &str = "tmp_llmpatch_";
/// What a `.keep` file of ours says.
const KEEP: &str = "git-llmpatch keeps this pack until a reference names what is in it\n";
/// How often a file is written that `git prune` takes for one that a dead program left.
const ATTEMPTS: usize = 16;

/// What writes the content of a file.
pub(super) type Writing<'w> = &'w dyn Fn(&mut dyn Write) -> io::Result<()>;

/// A pack that git doesn't remove until this is dropped.
#[derive(Debug, Default)]
#[must_use = "git may remove the objects once it is dropped"]
pub(crate) struct KeptPack {
    _keep: Option<TempFile>,
}

impl KeptPack {
    /// Puts a pack, given by what writes it and what writes its index, among those of a repository.
    ///
    /// # Errors
    /// If it can't be written. Then git looks for nothing in it.
    pub(super) fn place(repo: &Repo, contents: [Writing<'_>; 2]) -> Result<Self, RepoError> {
        let io = RepoError::write("a pack");
        let directory = repo.objects_dir().join("pack");
        let _opened = shared::opened(repo);
        std::fs::create_dir_all(&directory).map_err(io)?;
        let name = new_name(repo);
        let keep = keep(&directory, &name).map_err(io)?;
        for (content, end) in contents.into_iter().zip(["pack", "idx"]) {
            let place = directory.join(format!("{name}.{end}"));
            put(&directory, &place, content).map_err(io)?;
        }
        Ok(Self { _keep: Some(keep) })
    }
}

/// Returns the name of a pack, without its ending, that no other has. It is as long as git wants it:
/// `git repack` never removes a pack with a shorter name.
fn new_name(repo: &Repo) -> String {
    let random = RandomState::new().build_hasher().finish().to_ne_bytes();
    let sum = checksum(&[&random], repo.git.object_format());
    let digits: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("pack-{digits}")
}

/// Makes the file that keeps a pack of this name, locked for as long as this run lives.
fn keep(directory: &Path, name: &str) -> io::Result<TempFile> {
    step("keep a pack")?;
    let mut file = TempFile::called(directory, &format!("{name}.keep"), 0o644)?;
    // Where there are no locks, nobody takes it for a dead run's.
    let _ = file.as_file().lock();
    file.write_all(KEEP.as_bytes())?;
    Ok(file)
}

/// Writes a file of a pack, which is there once it is whole.
fn put(directory: &Path, place: &Path, content: Writing<'_>) -> io::Result<()> {
    let mut left = ATTEMPTS;
    loop {
        let file = unfinished(directory, content)?;
        step("rename a pack")?;
        left -= 1;
        match file.rename(place) {
            Err(error) if error.kind() == ErrorKind::NotFound && left > 0 => {}
            renamed => return renamed,
        }
    }
}

/// Writes a file under a name for a time, locked for as long as this run lives.
fn unfinished(directory: &Path, content: Writing<'_>) -> io::Result<TempFile> {
    step("write a pack")?;
    let mut file = loop {
        let file = TempFile::beside(directory, UNFINISHED, 0o444)?;
        // Where there are no locks, nobody takes it for a dead run's.
        let _ = file.as_file().lock();
        if links(file.as_file())? > 0 {
            break file;
        }
    };
    content(&mut file).map(|()| file)
}

/// Removes what dead runs left: packs that they didn't finish, and what keeps their packs. Where
/// there are more packs than `gc.autoPackLimit` says, git collects garbage, as after a push.
pub(crate) fn tidy(repo: &Repo) {
    let found = std::fs::read_dir(repo.objects_dir().join("pack"));
    let mut packs = 0;
    for path in found.into_iter().flatten().flatten().map(|one| one.path()) {
        let name = path.file_name().unwrap_or_default().as_bytes();
        if name.starts_with(UNFINISHED.as_bytes()) {
            remove_dead(&path, |_| true);
        } else if name.ends_with(b".keep") {
            remove_dead(&path, is_ours);
        } else if name.ends_with(b".pack") {
            packs += 1;
        }
    }
    if packs > most_packs(repo) {
        // It is no affair of what was asked for whether that can be done.
        let _ = Git::new(repo).output(["gc", "--auto", "--quiet"], b"");
    }
}

/// Returns how many packs there may be before git is asked whether it collects garbage.
fn most_packs(repo: &Repo) -> usize {
    let config = &repo.config;
    if config.bool("maintenance.auto").ok().flatten() == Some(false) {
        return usize::MAX;
    }
    let limit = config.string("gc.autoPackLimit").ok().flatten();
    match limit.and_then(|limit| limit.to_str().ok()?.parse().ok()) {
        None => 50,
        Some(0) => usize::MAX,
        Some(limit) => limit,
    }
}

/// Removes a file of a run that is dead, if it is one of ours.
fn remove_dead(path: &Path, is_ours: impl Fn(&File) -> bool) {
    let mut open = File::options();
    refusing_links(open.read(true));
    // Who lives holds its own locked.
    if let Ok(file) = open.open(path)
        && file.try_lock().is_ok()
        && is_ours(&file)
    {
        // Whatever can't be removed goes with the next run.
        let _ = std::fs::remove_file(path);
    }
}

/// Returns whether a `.keep` file is one of ours.
fn is_ours(keep: &File) -> bool {
    let mut said = Vec::new();
    let read = keep.take(KEEP.len() as u64 + 1).read_to_end(&mut said);
    read.is_ok() && said == KEEP.as_bytes()
}
