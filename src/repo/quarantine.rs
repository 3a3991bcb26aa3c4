//! Objects that git's children make, and that no garbage collection sees: a directory of objects for
//! as long as it is needed, beside which git reads the repository's own, as `git receive-pack` has
//! one. What is to stay comes from there into a pack.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::PathBuf;

use bstr::ByteSlice as _;
use flate2::read::ZlibDecoder;
use git2::Oid;

use super::git::{Command, Git, c_quoted, checked, temporary};
use super::kept_pack::KeptPack;
use super::pack::{Pack, PackFiles};
use super::{Repo, RepoError, objects};
use crate::system::OsStrExt as _;
use crate::temporary::Directory;

/// Makes a directory of objects, which is empty and beside which git reads the repository's own.
///
/// # Errors
/// If it can't be written.
pub(super) fn lay_out(repo: &Repo, place: &Directory) -> Result<PathBuf, RepoError> {
    let lay_out = || {
        place.make("objects/pack")?;
        let own = std::path::absolute(repo.objects_dir())?;
        place.write(
            "objects/info/alternates",
            &c_quoted(own.as_os_str().as_bytes()),
        )
    };
    lay_out().map_err(RepoError::read(place.path()))?;
    Ok(place.path().join("objects"))
}

/// Objects that are only there for the children that are told of them.
pub(super) struct Quarantine<'r> {
    repo: &'r Repo,
    git: Git,
    place: Directory,
    objects: PathBuf,
}

impl<'r> Quarantine<'r> {
    /// Makes one that holds nothing.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn new(repo: &'r Repo) -> Result<Self, RepoError> {
        let place = temporary()?;
        let objects = lay_out(repo, &place)?;
        let git = Git::new(repo);
        Ok(Self {
            repo,
            git,
            place,
            objects,
        })
    }

    /// Has a command of git make its objects here.
    pub(super) fn hold<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env("GIT_OBJECT_DIRECTORY", &self.objects)
    }

    /// Adds the objects of a pack.
    ///
    /// # Errors
    /// If it can't be made, or written.
    pub(super) fn add(&self, pack: Pack) -> Result<(), RepoError> {
        let Some(PackFiles { pack, index }) = pack.files(self.repo)? else {
            return Ok(());
        };
        for (bytes, end) in [(pack, "pack"), (index, "idx")] {
            let name = format!("objects/pack/pack-new.{end}");
            let written = self.place.write(name, &bytes);
            written.map_err(RepoError::write("a pack"))?;
        }
        Ok(())
    }

    /// Returns the bytes of an object that git has just made: here, as a file of its own, unless
    /// there was one already.
    ///
    /// # Errors
    /// If it can't be read.
    pub(super) fn made(&self, id: Oid) -> Result<Vec<u8>, RepoError> {
        let name = id.to_string();
        let path = self.objects.join(&name[..2]).join(&name[2..]);
        let read = |file: File| {
            let mut bytes = Vec::new();
            ZlibDecoder::new(file).read_to_end(&mut bytes)?;
            // What kind of object it is, and how long.
            let header = bytes.find_byte(0).map_or(0, |end| end + 1);
            io::Result::Ok(bytes.split_off(header))
        };
        match File::open(&path).and_then(read) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let git = |git: &git2::Repository| Ok(git.odb()?.read(id)?.data().to_vec());
                objects::read(self.repo, id, git)
            }
            read => read.map_err(RepoError::read(&path)),
        }
    }

    /// Puts what a tree has, and another one hasn't, into a pack of the repository, whether it was
    /// made here or is there already.
    ///
    /// # Errors
    /// If git can't pack it, or the pack not be written.
    pub(super) fn store(&self, tree: Oid, known: Option<Oid>) -> Result<KeptPack, RepoError> {
        let known = known.map_or_else(String::new, |known| format!("^{known}\n"));
        let mut command = self.git.command([
            "-c",
            "pack.packSizeLimit=0",
            "pack-objects",
            "--revs",
            "--non-empty",
            "-q",
            // It takes no longer than single objects.
            "--window=0",
            "--compression=1",
        ]);
        command.arg(self.place.path().join("made"));
        let asked = format!("{known}{tree}\n");
        let name = checked(self.hold(&mut command), "pack-objects", asked.as_bytes())?;
        let name = name.trim_end().to_str_lossy();
        if name.is_empty() {
            return Ok(KeptPack::default());
        }
        let file = |end| self.place.path().join(format!("made-{name}.{end}"));
        let copy = |from: PathBuf| {
            move |to: &mut dyn io::Write| io::copy(&mut File::open(&from)?, to).map(drop)
        };
        KeptPack::place(self.repo, [&copy(file("pack")), &copy(file("idx"))])
    }
}
