//! What a binary patch makes of a file. It says which content it is of and which it comes to by their
//! ids, and both must be so.
//!
//! Where the contract is silent:
//! - A file that already is what the patch makes of it is left alone, with a warning.
//! - A patch is of contents as git stores them. Where attributes change how a file is kept, and git's
//!   own way back doesn't come to the file that is here, the patch is refused.

use super::error::Error;
use super::growth::Growth;
use super::planner::{Failed, Named, Planner};
use crate::patch::{Binary, Header, Status};
use crate::path::RepoPath;
use crate::tree::{Content, File};
use sha1::{Digest as _, Sha1};

/// A binary patch and what its header says beside it.
#[derive(Clone, Copy)]
pub(super) struct BinarySection<'e> {
    status: Status,
    /// The ids before and afterwards.
    ids: [&'e str; 2],
    patch: &'e Binary,
}

impl<'e> BinarySection<'e> {
    /// Takes a header for one of a binary patch, if it is one.
    pub(super) fn of(header: &'e Header) -> Option<Self> {
        let ids = header.ids.as_ref();
        Some(Self {
            status: header.status,
            ids: ids.map_or([""; 2], |(old, new)| [old, new]),
            patch: header.binary.as_ref()?,
        })
    }
}

impl Planner<'_> {
    /// Returns what a binary patch makes of a file, or of none.
    pub(super) fn unpacked(
        &mut self,
        Named { path, span, .. }: Named<'_, '_>,
        BinarySection { status, ids, patch }: BinarySection<'_>,
        file: Option<&File>,
    ) -> Result<Content, Failed> {
        let [old_id, new_id] = ids;
        let old = match file {
            None => Content::from(Vec::new()),
            Some(File { content, .. }) => {
                let id = self.blob_id(path, content);
                let id = self.read(id, span)?;
                let is_new = id.eq_ignore_ascii_case(new_id);
                if is_new && status == Status::Modified {
                    return Ok(content.clone());
                }
                if !id.eq_ignore_ascii_case(old_id) {
                    let (path, patch) = (path.clone(), old_id.to_owned());
                    return self.fail(span, Error::OtherContent { path, id, patch });
                }
                let stored = self.as_stored(path, content);
                self.read(stored, span)?
            }
        };
        let growth = Growth::new(self.given(path), &self.added);
        let made = patch.apply(&old, |bytes| growth.bring(bytes));
        let made = self.read(made.map_err(|fault| Error::unpacked(path, fault)), span)?;
        if status == Status::Deleted {
            return Ok(made.into());
        }
        let content = self.tree.check_out(path, made).map_err(Error::from);
        let content: Content = self.read(content, span)?.into();
        let id = self.blob_id(path, &content);
        if self.read(id, span)?.eq_ignore_ascii_case(new_id) {
            Ok(content)
        } else {
            self.fail(span, Error::OtherResult { path: path.clone() })
        }
    }

    /// Returns the id that git would give to a content. Where nobody knows git, it is the usual one.
    fn blob_id(&self, path: &RepoPath, content: &Content) -> Result<String, Error> {
        let id = self.tree.id(path, content)?;
        Ok(id.map_or_else(|| sha1(content), |id| id()))
    }

    /// Returns a content as git stores it, if git would make this very content of that again.
    fn as_stored(&self, path: &RepoPath, content: &Content) -> Result<Content, Error> {
        let stored = self.tree.stored(path, content)?;
        if stored == *content || self.tree.check_out(path, stored.to_vec())? == content[..] {
            Ok(stored)
        } else {
            Err(Error::KeptOtherwise { path: path.clone() })
        }
    }
}

fn sha1(content: &[u8]) -> String {
    let head = format!("blob {}\0", content.len());
    let hash = Sha1::new().chain_update(head).chain_update(content);
    let bytes = hash.finalize();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
