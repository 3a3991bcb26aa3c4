//! Where commands run.

use std::rc::Rc;

use super::word::Word;
use super::{Doubt, LONGEST};

/// Where commands run.
#[derive(Clone, Debug)]
pub(in crate::response) struct WorkingDir {
    pub(in crate::response) directory: Rc<Result<String, Doubt>>,
    /// The directories to which `popd` goes back.
    pub(super) pushed: Vec<Rc<Result<String, Doubt>>>,
}

impl Default for WorkingDir {
    fn default() -> WorkingDir {
        WorkingDir {
            directory: Rc::new(Ok(String::new())),
            pushed: Vec::new(),
        }
    }
}

impl WorkingDir {
    /// Returns whether a place has the same directory.
    pub(super) fn is(&self, other: &WorkingDir) -> bool {
        Rc::ptr_eq(&self.directory, &other.directory)
    }

    /// Goes to a directory that a word names.
    pub(super) fn enter(&mut self, word: &Word) {
        let step = word.fixed();
        let joined = match (&*self.directory, step) {
            (_, Err(trouble)) => Err(trouble),
            (Err(_), Ok(step)) if step.starts_with('/') => join("", step),
            (Err(_), Ok(_)) => return,
            (Ok(directory), Ok(step)) => join(directory, step),
        };
        self.directory = Rc::new(joined);
    }

    /// Takes it that neither the directory nor those to go back to can be known.
    pub(in crate::response) fn lose(&mut self, trouble: Doubt) {
        self.directory = Rc::new(Err(trouble));
        self.pushed.clear();
    }
}

/// Returns the path of a step that is taken in a directory.
fn join(directory: &str, step: &str) -> Result<String, Doubt> {
    if directory.len() + step.len() > LONGEST {
        return Err(Doubt::Unclear);
    }
    let directory = if step.starts_with('/') {
        "/"
    } else {
        directory
    };
    let root = if directory.starts_with('/') { "/" } else { "" };
    let mut names: Vec<&str> = Vec::new();
    for name in directory.split('/').chain(step.split('/')) {
        match name {
            "" | "." => {}
            ".." if names.last().is_some_and(|last| *last != "..") => {
                names.pop();
            }
            ".." if !root.is_empty() => {}
            _ => names.push(name),
        }
    }
    Ok(format!("{root}{}", names.join("/")))
}
