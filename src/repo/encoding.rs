//! Encodings of files on disk (`working-tree-encoding`): git itself turns their bytes into UTF-8 and back, in a repository where
//! nothing else is said of them. What doesn't come back as it was is refused.

use bstr::{BStr, ByteSlice as _};

use super::filter::{GitFilter, Rules};
use super::{Repo, RepoError};
use crate::path::RepoPath;
use crate::tree::RULES;

/// What becomes of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    FromDisk,
    ToDisk,
}

impl Repo {
    /// Returns the text that a file in an encoding holds; `None` if it doesn't hold text in it as git would write that.
    ///
    /// # Errors
    /// If git can't be asked.
    pub(super) fn decoded(&self, encoding: &BStr, bytes: &[u8]) -> Result<Option<Vec<u8>>, RepoError> {
        self.there_and_back(encoding, bytes, [Way::FromDisk, Way::ToDisk])
    }

    /// Returns what a file in an encoding holds for a text; `None` if it can't hold it.
    ///
    /// # Errors
    /// If git can't be asked.
    pub(super) fn encoded(&self, encoding: &BStr, text: &[u8]) -> Result<Option<Vec<u8>>, RepoError> {
        self.there_and_back(encoding, text, [Way::ToDisk, Way::FromDisk])
    }

    fn there_and_back(
        &self,
        encoding: &BStr,
        bytes: &[u8],
        [there, back]: [Way; 2],
    ) -> Result<Option<Vec<u8>>, RepoError> {
        let Some(converted) = self.converted(encoding, bytes, there)? else { return Ok(None) };
        let returned = self.converted(encoding, &converted, back)?;
        Ok(returned.is_some_and(|returned| returned == bytes).then_some(converted))
    }

    fn converted(&self, encoding: &BStr, bytes: &[u8], way: Way) -> Result<Option<Vec<u8>>, RepoError> {
        let git = match self.encoder.get() {
            Some(git) => git,
            None => {
                let git = GitFilter::alone()?;
                self.encoder.get_or_init(|| git)
            }
        };
        // A directory of its own for each, whose rules git reads when it is first asked about it.
        let directory = encoding.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let rule = [&b"* -text -ident -filter working-tree-encoding="[..], encoding.as_bytes(), b"\n"].concat();
        let plain = |name: String| RepoPath::new(name.as_bytes()).map_err(|_| named_oddly(encoding));
        let rules =
            Rules::from([(plain(RULES.to_owned())?, None), (plain(format!("{directory}/{RULES}"))?, Some(rule))]);
        let path = plain(format!("{directory}/text"))?;
        let converted = match way {
            Way::FromDisk => git.clean(&path, bytes, &rules),
            Way::ToDisk => git.smudge(&path, bytes, &rules),
        };
        match converted {
            Ok(converted) => Ok(Some(converted)),
            Err(RepoError::Child { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn named_oddly(encoding: &BStr) -> RepoError {
    RepoError::Attribute { what: format!("has an encoding of an odd name (working-tree-encoding={encoding})") }
}
