//! Paths that differ from others only in the case of letters, where file names know none.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use bstr::BString;

use super::TreeError;
use crate::path::RepoPath;

/// The directories of a tree that were listed, each once: a response may make thousands of files in
/// one.
#[derive(Debug)]
pub struct CaseTwins {
    /// Whether paths that differ only in case are one file (`core.ignoreCase`).
    pub ignores_case: bool,
    listed: RefCell<HashMap<Option<RepoPath>, Rc<ByCase>>>,
}

/// What is in a directory, by names in lower case.
type ByCase = HashMap<Vec<u8>, Vec<RepoPath>>;

impl CaseTwins {
    /// Makes one of a tree that has no twins, or may have them.
    pub fn new(ignores_case: bool) -> Self {
        let listed = RefCell::default();
        Self {
            ignores_case,
            listed,
        }
    }

    /// Returns the paths other than `path` that differ from it only in the case of ASCII letters,
    /// where that matters.
    /// `names` lists a directory, the top for `None`; nothing for what is none.
    ///
    /// # Errors
    /// If a directory can't be listed.
    pub fn of(
        &self,
        path: &RepoPath,
        names: impl Fn(Option<&RepoPath>) -> Result<Vec<BString>, TreeError>,
    ) -> Result<Vec<RepoPath>, TreeError> {
        if !self.ignores_case {
            return Ok(Vec::new());
        }
        let mut found = vec![None];
        for part in path.parts() {
            let part = part.to_ascii_lowercase();
            let mut next = Vec::new();
            for directory in found {
                let here = self.list(directory, &names)?;
                next.extend(here.get(&part).into_iter().flatten().cloned().map(Some));
            }
            found = next;
        }
        Ok(found
            .into_iter()
            .flatten()
            .filter(|twin| twin != path)
            .collect())
    }

    fn list(
        &self,
        directory: Option<RepoPath>,
        names: impl Fn(Option<&RepoPath>) -> Result<Vec<BString>, TreeError>,
    ) -> Result<Rc<ByCase>, TreeError> {
        if let Some(listed) = self.listed.borrow().get(&directory) {
            return Ok(Rc::clone(listed));
        }
        let mut listed = ByCase::new();
        for name in names(directory.as_ref())? {
            let path = directory
                .as_ref()
                .map_or_else(|| RepoPath::new(&name), |directory| directory.join(&name));
            // What no patch can name, such as `.git`, is nobody's twin.
            listed
                .entry(name.to_ascii_lowercase())
                .or_default()
                .extend(path.ok());
        }
        let listed = Rc::new(listed);
        self.listed
            .borrow_mut()
            .insert(directory, Rc::clone(&listed));
        Ok(listed)
    }
}
