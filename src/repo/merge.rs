//! Files merged as git merges them.

use bstr::{BString, ByteSlice as _};
use git2::{FileFavor, MergeFileInput, MergeFileOptions};

use super::attributes::value;
use super::git::Git;
use super::line_ends::Value;
use super::{Repo, RepoError};
use crate::path::RepoPath;
use crate::text::is_binary;
use crate::tree::{Remedy, TreeError};

impl Repo {
    /// Merges the lines of a file as it was, as it is here, and as it is to be, in this order; or returns them with markers around those
    /// that are in conflict, none if they aren't lines.
    ///
    /// # Errors
    /// `unsupported` if the attribute `merge` names a driver.
    pub fn merge_lines(&self, path: &RepoPath, sides: [&[u8]; 3]) -> Result<Result<Vec<u8>, BString>, TreeError> {
        let driver = self.merge_driver(path).map_err(|error| error.at(path))?;
        let is_union = matches!(&driver, Value::Word(word) if word == b"union");
        match driver {
            Value::False => return Ok(Err(BString::default())),
            Value::Word(word) if word == b"binary" => return Ok(Err(BString::default())),
            Value::Word(word) if !is_union && word != b"text" => {
                let what = format!("has a merge driver (merge={})", word.as_bstr());
                return Err(TreeError::Unsupported { path: path.clone(), what, remedy: Remedy::ByHand });
            }
            _ if sides.iter().any(|side| is_binary(side)) => return Ok(Err(BString::default())),
            _ => {}
        }
        let mut options = MergeFileOptions::new();
        options.our_label("here").their_label("response").style_standard(true);
        if is_union {
            options.favor(FileFavor::Union);
        }
        let [mut was, mut here, mut after] = [(); 3].map(|()| MergeFileInput::new());
        was.content(sides[0]);
        here.content(sides[1]);
        after.content(sides[2]);
        let merged = git2::merge_file(&was, &here, &after, Some(&mut options));
        let merged = merged.map_err(|error| RepoError::git("a file to merge", error).at(path))?;
        let content = merged.content().to_vec();
        Ok(if merged.is_automergeable() { Ok(content) } else { Err(content.into()) })
    }

    /// Returns what the attribute `merge` of a path says.
    fn merge_driver(&self, path: &RepoPath) -> Result<Value, RepoError> {
        let git = Git::new(self);
        let mut command = git.command(["check-attr", "--stdin", "-z", "merge"]);
        // It takes paths from the current directory.
        self.top.as_ref().map(|top| command.current_dir(top));
        let said = git.run(&mut command, &[path.as_bytes(), b"\0"].concat())?;
        if !said.status.success() {
            return Err(RepoError::Child { command: "check-attr".into(), message: said.stderr.trim().into() });
        }
        Ok(said.stdout.split_str("\0").nth(2).map_or(Value::Unspecified, value))
    }
}
