//! Files merged as git merges them.

use std::ffi::OsStr;
use std::path::PathBuf;

use bstr::{BString, ByteSlice as _};
use git2::{FileFavor, MergeFileInput, MergeFileOptions};

use super::git::{Git, run, temporary};
use super::line_ends::Value;
use super::rules::{Consult, RuleBook};
use super::{Repo, RepoError};
use crate::system::{OsStrExt as _, shell_quoted};
use crate::temporary::Directory;
use llmpatch::path::RepoPath;
use llmpatch::text::is_binary;
use llmpatch::tree::{AttributeFiles, TreeError};

/// What markers around lines in conflict are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictMarkers {
    /// A message shows them.
    ForSight,
    /// They are left in the file.
    ToStay,
}

/// Merges the lines of a file as it was, as it is here, and as it is to be, in this order; or
/// returns them with markers around lines in conflict, none if they aren't lines.
///
/// # Errors
/// If attributes can't be read, or the driver that the attribute `merge` names fails.
pub(crate) fn lines(
    repo: &Repo,
    path: &RepoPath,
    sides: [&[u8]; 3],
    marked: ConflictMarkers,
) -> Result<Result<Vec<u8>, BString>, TreeError> {
    Merge { repo, path, sides }
        .merged(marked)
        .map_err(|error| error.at(path))
}

/// A file to be merged: as it was, as it is here, and as it is to be.
struct Merge<'m> {
    repo: &'m Repo,
    path: &'m RepoPath,
    sides: [&'m [u8]; 3],
}

impl Merge<'_> {
    fn merged(&self, marked: ConflictMarkers) -> Result<Result<Vec<u8>, BString>, RepoError> {
        let rules = RuleBook::new(self.repo, Consult::Index, AttributeFiles::default());
        let [driver, marker_size] = rules.values(self.path, ["merge", "conflict-marker-size"])?;
        let name = match driver {
            Value::False => Some("binary".into()),
            Value::True => None,
            Value::Word(word) => Some(BString::from(word)),
            Value::Unspecified => self.repo.config.string("merge.default")?,
        };
        let driver = name.as_ref().map(|name| self.driver(name));
        if let Some(command) = driver.transpose()?.flatten() {
            return self.drive(&command, &marker_size);
        }
        // git merges lines, too, where a driver isn't configured.
        let is = |known: &str| name.as_ref().is_some_and(|name| name == known);
        let is_union = is("union");
        if is("binary") || !is_union && self.sides.iter().any(|side| is_binary(side)) {
            return Ok(Err(BString::default()));
        }
        let mut options = MergeFileOptions::new();
        options
            .our_label("here")
            .their_label("response")
            .style_standard(true);
        if is_union {
            options.favor(FileFavor::Union);
        }
        let [mut was, mut here, mut after] = [(); 3].map(|()| MergeFileInput::new());
        was.content(self.sides[0]);
        here.content(self.sides[1]);
        after.content(self.sides[2]);
        let merged = git2::merge_file(&was, &here, &after, Some(&mut options))
            .map_err(RepoError::git("a file to merge"))?;
        Ok(match (merged.is_automergeable(), marked) {
            (true, _) => Ok(merged.content().to_vec()),
            (false, ConflictMarkers::ForSight) => Err(merged.content().into()),
            (false, ConflictMarkers::ToStay) => Err(self.marked(&marker_size)?),
        })
    }

    /// Returns the command that merges for a driver.
    fn driver(&self, name: &[u8]) -> Result<Option<BString>, RepoError> {
        match name.to_str() {
            Ok(name) => self.repo.config.string(&format!("merge.{name}.driver")),
            Err(_) => Ok(None),
        }
    }

    /// Runs a merge driver, as git would.
    fn drive(
        &self,
        driver: &[u8],
        marker_size: &Value,
    ) -> Result<Result<Vec<u8>, BString>, RepoError> {
        let place = temporary()?;
        let [base, here, response] =
            &laid(&place, self.sides).map_err(RepoError::read("a file to merge"))?;
        let size = size_of_markers(marker_size).unwrap_or(7).to_string();
        let mut command = BString::default();
        let mut rest = driver;
        while let Some((before, behind)) = rest.split_once_str("%") {
            command.extend(before);
            let (word, len) = match behind.first() {
                Some(b'O') => (shell_quoted(base.as_os_str().as_bytes()), 1),
                Some(b'A') => (shell_quoted(here.as_os_str().as_bytes()), 1),
                Some(b'B') => (shell_quoted(response.as_os_str().as_bytes()), 1),
                Some(b'L') => (size.clone().into(), 1),
                Some(b'P') => (shell_quoted(self.path.as_bytes()), 1),
                Some(b'S') => ("base".into(), 1),
                Some(b'X') => ("ours".into(), 1),
                Some(b'Y') => ("theirs".into(), 1),
                Some(b'%') => ("%".into(), 1),
                _ => (BString::from("%"), 0),
            };
            command.extend_from_slice(&word);
            rest = &behind[len..];
        }
        command.extend(rest);
        let mut shell = super::git::shell();
        shell.arg("-c").arg(OsStr::from_bytes(&command));
        self.repo.top.as_ref().map(|top| shell.current_dir(top));
        let said = run(&mut shell, b"")?;
        let merged = std::fs::read(here).map_err(RepoError::read("a file to merge"))?;
        match said.status.code() {
            Some(0) => Ok(Ok(merged)),
            Some(1..=128) => Ok(Err(merged.into())),
            _ => Err(RepoError::Child {
                command: "merge driver".into(),
                message: said.stderr.trim().into(),
            }),
        }
    }

    /// Runs git to put markers around lines in conflict, as its settings have them.
    fn marked(&self, marker_size: &Value) -> Result<BString, RepoError> {
        let place = temporary()?;
        let git = Git::new(self.repo);
        let mut command = git.command([
            "merge-file",
            "-p",
            "-L",
            "ours",
            "-L",
            "base",
            "-L",
            "theirs",
        ]);
        command.args(size_of_markers(marker_size).map(|size| format!("--marker-size={size}")));
        let [base, here, response] =
            laid(&place, self.sides).map_err(RepoError::read("a file to merge"))?;
        command.args([here, base, response]);
        let said = run(&mut command, b"")?;
        // Its status is how many conflicts there are, up to 127.
        match said.status.code() {
            Some(1..=127) => Ok(said.stdout),
            _ => Err(RepoError::Child {
                command: "merge-file".into(),
                message: said.stderr.trim().into(),
            }),
        }
    }
}

/// Puts what is to be merged into files: what was, what is here, and what the response makes of it.
fn laid(place: &Directory, sides: [&[u8]; 3]) -> std::io::Result<[PathBuf; 3]> {
    Ok([
        place.write("base", sides[0])?,
        place.write("here", sides[1])?,
        place.write("response", sides[2])?,
    ])
}

fn size_of_markers(attribute: &Value) -> Option<u16> {
    let Value::Word(size) = attribute else {
        return None;
    };
    size.to_str().ok()?.parse().ok()
}
