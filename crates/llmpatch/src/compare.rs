//! What a diff must ask git: which lines differ, what a file is stored as, what its content is
//! called.
//!
//! Those who derive a diff ask through [`Compare`] and know no repository; the repository's room
//! compares. The engine behind [`Compare::regions`] says only which runs of lines differ. Hunks,
//! context and every printed byte are made from the contents themselves, so that nothing can be
//! lost on the way: not a byte that isn't UTF-8, not a lone CR.

use std::borrow::Cow;
use std::ops::Range;

use bstr::ByteSlice as _;

use crate::kind::Kind;
use crate::path::RepoPath;
use crate::progress::Progress;
use crate::text::Content;

/// A run of old lines and the run of new lines that takes its place; one of them may be empty.
/// Indices from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The lines that go.
    pub old: Range<usize>,
    /// The lines that come.
    pub new: Range<usize>,
}

impl Region {
    /// Returns one region over all of some, of which there is one at least.
    pub(crate) fn over(regions: &[Region]) -> Self {
        let [first, last] = [&regions[0], &regions[regions.len() - 1]];
        Self {
            old: first.old.start..last.old.end,
            new: first.new.start..last.new.end,
        }
    }
}

/// Which of the two states that a diff compares a content is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffSide<'p> {
    /// The file before the change.
    Before,
    /// The file after the change, with the path that it was renamed from.
    After(Option<&'p RepoPath>),
}

/// Tells what a diff must know of contents and of the repository that they are compared in.
///
/// Contents given to any method but [`Compare::stored`] are as git stores them.
pub trait Compare {
    /// Returns a content as git would store it, as the attributes of the path want it before or
    /// after the change.
    ///
    /// # Errors
    /// If a conversion is wanted that can't be done here.
    fn stored<'c>(
        &self,
        path: &RepoPath,
        content: &'c Content,
        state: DiffSide<'_>,
    ) -> Result<Cow<'c, Content>, CompareError>;

    /// Returns whether the content can't be shown as lines: by the attribute `diff` of the path,
    /// else by its first bytes.
    ///
    /// # Errors
    /// If the attributes can't be read.
    fn is_binary(&self, path: &RepoPath, content: &Content) -> Result<bool, CompareError>;

    /// Returns the runs of lines that differ, in order. Two runs are never adjacent. Lines end with
    /// LF and nothing else.
    ///
    /// # Errors
    /// If the engine gives up.
    fn regions(&self, path: &RepoPath, old: &[u8], new: &[u8])
    -> Result<Vec<Region>, CompareError>;

    /// Returns the text of a `GIT binary patch`, from that line on to the empty line that ends it.
    ///
    /// # Errors
    /// If the engine gives up.
    fn binary_patch(
        &self,
        path: &RepoPath,
        old: &[u8],
        new: &[u8],
    ) -> Result<Vec<u8>, CompareError>;

    /// Returns the id of a content in hexadecimal; of none, zeros.
    ///
    /// # Errors
    /// If it can't be hashed.
    fn id(&self, content: Option<&[u8]>) -> Result<String, CompareError>;

    /// Returns as much of an id as names one object only, and at least as much as git shows in this
    /// repository.
    ///
    /// # Errors
    /// If the objects can't be searched.
    fn abbreviate(&self, id: &str) -> Result<String, CompareError>;
}

/// The most that is shown of a line that names a hunk, in bytes, as git cuts it.
const WIDTH: usize = 80;

/// Returns what is shown of a line if it names the hunks below it, being the function or section
/// that they are in: a line that starts with an ASCII letter, `_` or `$`. Like git, nothing from a
/// byte on that isn't UTF-8, be it that the cut went through a character.
pub fn heading(line: &[u8]) -> Option<&[u8]> {
    let first = *line.first()?;
    (first.is_ascii_alphabetic() || first == b'_' || first == b'$').then(|| {
        let cut = &line[..line.len().min(WIDTH)];
        let shown = cut.trim_end_with(|c| matches!(c, ' ' | '\t' | '\n' | '\r'));
        std::str::from_utf8(shown).map_or_else(|error| &shown[..error.valid_up_to()], str::as_bytes)
    })
}

/// How a diff is to look, and who is told how far it is.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many unchanged lines are around a change (`diff.context`).
    pub context: u32,
    /// Up to how many more unchanged lines between two changes keep them in one hunk
    /// (`diff.interHunkContext`).
    pub interhunk: u32,
    /// Whether a deleted and a new file of similar content are a rename (`diff.renames`).
    pub renames: Renames,
    /// Is called with every file that is done. Only the caller knows how many files there are.
    pub progress: Progress,
}

impl Default for Options {
    fn default() -> Self {
        let renames = Renames::default();
        let progress = Progress::default();
        Self {
            context: 3,
            interhunk: 0,
            renames,
            progress,
        }
    }
}

impl Options {
    /// Takes together what is one hunk.
    pub fn groups<'r>(&self, regions: &'r [Region]) -> impl Iterator<Item = &'r [Region]> {
        let together = self
            .context
            .saturating_mul(2)
            .saturating_add(self.interhunk) as usize;
        regions.chunk_by(move |one, next| next.old.start - one.old.end <= together)
    }
}

/// Whether a deleted and a new file of similar content are a rename.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renames {
    /// They stay two files.
    Ignored,
    /// They are, as `git diff -M` says.
    Detected {
        /// Above this many files on each side only equal contents and equal names are compared
        /// (`diff.renameLimit`); 0 is no limit.
        limit: usize,
    },
}

impl Default for Renames {
    fn default() -> Self {
        Renames::Detected { limit: 1000 }
    }
}

/// Why two contents can't be compared.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum CompareError {
    /// The file can't be turned into what git would store: an error of this kind.
    #[error("can't tell what git would store for `{path}`: {message}")]
    Stored {
        path: RepoPath,
        kind: Kind,
        message: String,
    },
    /// The engine, the attributes or the objects.
    #[error("can't compare what `{path}` was and will be: {message}")]
    #[strum(props(kind = "io"))]
    Engine { path: RepoPath, message: String },
    #[error("can't look up objects: {message}")]
    #[strum(props(kind = "io"))]
    Objects { message: String },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_heading_starts_with_a_letter_and_is_cut() {
        let long = format!("f{} x", "o".repeat(78));
        for (line, want) in [
            ("fn main() {\n", Some("fn main() {")),
            ("_x\r\n", Some("_x")),
            ("$y \t", Some("$y")),
            (" fn", None),
            ("\n", None),
            ("", None),
            ("1", None),
            ("ä", None),
            (&long, Some(&long[..79])),
            (&"x€".repeat(40), Some(&"x€".repeat(20))),
            (
                &format!("x{}", "é".repeat(60)),
                Some(&format!("x{}", "é".repeat(39))),
            ),
        ] {
            let got = heading(line.as_bytes());
            assert_eq!(got, want.map(str::as_bytes), "{line:?}");
        }
        assert_eq!(heading(b"caf\xe9 au lait"), Some(&b"caf"[..]));
    }
}
