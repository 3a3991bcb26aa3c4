//! What compares contents, counted for whoever waits.

use std::borrow::Cow;
use std::cell::RefCell;

use crate::compare::{self, Compare, CompareError, Headings, Region};
use crate::path::RepoPath;
use crate::progress::Progress;
use crate::text::Content;

/// What is wanted of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wants {
    /// All that a printed diff says.
    All,
    /// Lines only: no names of objects, which take a look at every byte and into the objects, and no binary patches.
    Lines,
}

/// Compares as another does, and tells how many files were compared. How many there are only the one knows that asks.
pub(super) struct CountingCompare<'c> {
    compare: &'c dyn Compare,
    wants: Wants,
    progress: &'c Progress,
    /// The file that is at work: it may be looked at more than once.
    at: RefCell<Option<RepoPath>>,
}

impl<'c> CountingCompare<'c> {
    /// Counts what this compares.
    pub(super) fn new(compare: &'c dyn Compare, wants: Wants, progress: &'c Progress) -> Self {
        Self { compare, wants, progress, at: RefCell::default() }
    }

    fn look_at(&self, path: &RepoPath) {
        if self.at.borrow().as_ref() != Some(path) && self.at.replace(Some(path.clone())).is_some() {
            self.progress.step();
        }
    }
}

impl Compare for CountingCompare<'_> {
    fn stored<'b>(
        &self,
        path: &RepoPath,
        content: &'b Content,
        state: compare::State<'_>,
    ) -> Result<Cow<'b, [u8]>, CompareError> {
        self.compare.stored(path, content, state)
    }

    fn is_binary(&self, path: &RepoPath, content: &[u8]) -> Result<bool, CompareError> {
        self.compare.is_binary(path, content)
    }

    fn regions(&self, path: &RepoPath, old: &[u8], new: &[u8]) -> Result<Vec<Region>, CompareError> {
        self.look_at(path);
        self.compare.regions(path, old, new)
    }

    fn headings(&self, path: &RepoPath) -> Result<Headings, CompareError> {
        self.look_at(path);
        self.compare.headings(path)
    }

    fn binary_patch(&self, path: &RepoPath, old: &[u8], new: &[u8]) -> Result<Vec<u8>, CompareError> {
        if self.wants == Wants::Lines { Ok(Vec::new()) } else { self.compare.binary_patch(path, old, new) }
    }

    fn id(&self, content: Option<&[u8]>) -> Result<String, CompareError> {
        if self.wants == Wants::Lines { Ok(String::new()) } else { self.compare.id(content) }
    }

    fn abbreviate(&self, id: &str) -> Result<String, CompareError> {
        if self.wants == Wants::Lines { Ok(id.to_owned()) } else { self.compare.abbreviate(id) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Stage;

    /// Finds no difference.
    struct Same;

    impl Compare for Same {
        fn stored<'b>(
            &self,
            _: &RepoPath,
            content: &'b Content,
            _: compare::State<'_>,
        ) -> Result<Cow<'b, [u8]>, CompareError> {
            Ok(content[..].into())
        }

        fn is_binary(&self, _: &RepoPath, _: &[u8]) -> Result<bool, CompareError> {
            Ok(false)
        }

        fn regions(&self, _: &RepoPath, _: &[u8], _: &[u8]) -> Result<Vec<Region>, CompareError> {
            Ok(Vec::new())
        }

        fn binary_patch(&self, _: &RepoPath, _: &[u8], _: &[u8]) -> Result<Vec<u8>, CompareError> {
            Ok(Vec::new())
        }

        fn id(&self, _: Option<&[u8]>) -> Result<String, CompareError> {
            Ok(String::new())
        }

        fn abbreviate(&self, id: &str) -> Result<String, CompareError> {
            Ok(id.to_owned())
        }
    }

    #[test]
    fn a_file_is_counted_once_and_when_the_next_one_is_compared() {
        let progress = Progress::default();
        progress.enter(Stage::Comparing, 0);
        let counted = CountingCompare::new(&Same, Wants::All, &progress);
        for (path, want) in [("a", 0), ("a", 0), ("b", 1), ("c", 2), ("c", 2)] {
            counted.regions(&RepoPath::new(path.as_bytes()).unwrap(), b"", b"").unwrap();
            assert_eq!(progress.seen().unwrap().done, want, "{path}");
        }
    }
}
