//! Changes of references, which git makes, and what keeps it from making one: a lock, a hook, or
//! the name of another reference.

use std::path::PathBuf;

use bstr::{BString, ByteSlice as _};

use super::commit::Trace;
use super::git::{Git, checked, temporary};
use super::{Repo, RepoError};
use crate::system::OsStrExt as _;

impl Repo {
    /// Has `git update-ref` change a reference, given by its full name.
    ///
    /// # Errors
    /// `locked`, `hook`, `unsupported` if the name is in the way of another, or what git says.
    pub(super) fn update_reference(
        &self,
        name: &str,
        args: &[&str],
        input: &[u8],
    ) -> Result<(), RepoError> {
        let place = temporary()?;
        let mut command = Git::new(self).command([&["update-ref"], args].concat());
        let trace = Trace::begin(place.path(), &mut command);
        match checked(&mut command, "update-ref", input) {
            Ok(_) => Ok(()),
            Err(RepoError::Child { command, message }) => {
                Err(match self.hindrance(name, &trace, &message) {
                    Some(hindrance) => hindrance,
                    None => RepoError::Child { command, message },
                })
            }
            Err(error) => Err(error),
        }
    }

    /// Returns what kept git from changing a reference, as far as that can still be seen.
    fn hindrance(&self, name: &str, trace: &Trace, said: &BString) -> Option<RepoError> {
        if let Some(refusal) = trace.refusal() {
            return Some(RepoError::HookRefused {
                hook: refusal.hook,
                name: name.into(),
                said: said.clone(),
            });
        }
        let lock = self.locks_of(name).into_iter().find(|lock| lock.exists());
        if let Some(lock) = lock {
            return Some(RepoError::ReferenceLocked { lock });
        }
        let other = self.in_the_way_of(name)?;
        Some(RepoError::ReferenceInTheWay {
            name: name.into(),
            other,
        })
    }

    /// Returns the locks that git takes to change a reference.
    fn locks_of(&self, name: &str) -> Vec<PathBuf> {
        let said = Git::new(self).output(["symbolic-ref", "-q", name], b"");
        let target = said.unwrap_or_default();
        let names = [name.as_bytes(), target.trim_end()];
        let of_name = |name: &[u8]| {
            let name = [name, b".lock"].concat();
            self.common_dir().join(std::ffi::OsStr::from_bytes(&name))
        };
        let named = names.into_iter().filter(|name| !name.is_empty());
        let of_all = b"reftable/tables.list";
        named.chain([&of_all[..]]).map(of_name).collect()
    }

    /// Returns a reference that would be in the directory of another of this name, or the other way
    /// round.
    fn in_the_way_of(&self, name: &str) -> Option<BString> {
        let above = name.char_indices().filter(|(_, letter)| *letter == '/');
        for (end, _) in above {
            if let Ok(Some(_)) = self.reference(&name[..end]) {
                return Some(name[..end].into());
            }
        }
        let below = format!("{name}/");
        let args = ["for-each-ref", "--count=1", "--format=%(refname)", &below];
        let said = Git::new(self).output(args, b"").ok()?;
        let first = said.lines().next()?;
        Some(first.into())
    }
}
