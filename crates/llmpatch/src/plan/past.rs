//! What edits found, for messages about later edits of the same file.

use super::live::LiveFile;
use super::overlay::Overlay;
use crate::path::RepoPath;
use crate::text::Splice;
use crate::tree::Content;

/// How many bytes of files are kept as earlier edits found them, for messages.
const KEPT: usize = 64 << 20;

/// A file as an edit found it that changed it.
pub(super) struct Past {
    found: PastState,
    /// Which edit of the response, from 0.
    pub(super) edit: usize,
}

/// What an edit found.
pub(super) enum PastState {
    /// All of the file.
    Whole(Content),
    /// What the edit changed, to be put back into the file as the next edit found it; into the file
    /// as it is now if there is no later edit.
    Parts(Vec<Splice>),
    /// There was no room to keep it.
    Lost,
}

impl PastState {
    /// Returns how many bytes it takes to keep it.
    fn size(&self) -> usize {
        match self {
            PastState::Whole(content) => {
                let splices = content.splices();
                content.size() + splices.map_or(0, |(_, splices)| size_of_val(splices))
            }
            PastState::Parts(back) => back
                .iter()
                .map(|part| size_of_val(part) + part.new.len())
                .sum(),
            PastState::Lost => 0,
        }
    }
}

impl Past {
    /// Returns the file as the edit found it, given the file as the next edit found it; `None` if
    /// it isn't known.
    pub(super) fn found(&self, next: &Content) -> Option<Content> {
        match &self.found {
            PastState::Whole(content) => Some(content.clone()),
            // In one piece, so that no other is held by it.
            PastState::Parts(back) => {
                Some(Content::spliced(next.clone(), back.clone()).to_vec().into())
            }
            PastState::Lost => None,
        }
    }
}

impl Overlay<'_> {
    /// Returns a file as it is now and as the edits so far found it that changed it, wherever it was
    /// then: the file that an edit finds at a path with this content, which may have been set aside
    /// from there.
    pub(super) fn past<'o>(
        &'o self,
        path: &RepoPath,
        content: &'o Content,
    ) -> (&'o Content, &'o [Past]) {
        let Some(slot) = self.slots.get(path) else {
            return (content, &[]);
        };
        match (&slot.aside, &slot.now) {
            (Some(file), _) if file.content().is(content) => (content, &file.past),
            (_, Some(file)) => (file.content(), &file.past),
            (_, None) => (content, &slot.past),
        }
    }

    /// Changes a file by `alter`, and records the state that `alter` returns: how the file was
    /// before.
    pub(super) fn altered(
        &mut self,
        mut file: LiveFile,
        alter: impl FnOnce(&mut LiveFile) -> Option<PastState>,
    ) -> LiveFile {
        let found = alter(&mut file);
        file.past.extend(found.map(|found| self.past_of(found)));
        file
    }

    /// Keeps what the edit at work found, unless there is no room.
    pub(super) fn past_of(&mut self, found: PastState) -> Past {
        let edit = self.edit.0;
        let size = found.size();
        if self.kept + size > KEPT {
            let found = PastState::Lost;
            return Past { found, edit };
        }
        self.kept += size;
        Past { found, edit }
    }
}
