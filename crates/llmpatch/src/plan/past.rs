//! What edits found, for messages about later edits of the same file.

use super::overlay::{Overlay, Slot};
use crate::path::RepoPath;
use crate::text::Splice;
use crate::tree::{Content, File};

/// How many bytes of files are kept as earlier edits found them, for messages.
const KEPT: usize = 64 << 20;

/// Returns how many bytes it takes to keep a content: its own, and what says of which parts it is.
pub(super) fn room(content: &Content) -> usize {
    let splices = content.splices();
    content.size() + splices.map_or(0, |(_, splices)| size_of_val(splices))
}

/// A file as an edit found it that changed it.
#[derive(Debug)]
pub(super) struct Past {
    pub(super) found: PastState,
    /// Which edit of the response, from 0.
    pub(super) edit: usize,
}

/// What an edit found.
#[derive(Debug)]
pub(super) enum PastState {
    /// All of the file.
    Whole(Content),
    /// What the edit changed, to be put back into the file as it left it: into `left`, or else into
    /// the file as the next edit found it; into the file as it is now if there is no later edit.
    Parts {
        back: Vec<Splice>,
        left: Option<Content>,
    },
    /// There was no room to keep it.
    Lost,
}

impl Past {
    /// Returns the file as the edit found it, given the file as the next edit found it; `None` if
    /// it isn't known.
    pub(super) fn found(&self, next: &Content) -> Option<Content> {
        match &self.found {
            PastState::Whole(content) => Some(content.clone()),
            PastState::Parts { back, left } => {
                let left = left.as_ref().unwrap_or(next).clone();
                // In one piece, so that no other is held by it.
                Some(Content::spliced(left, back.clone()).to_vec().into())
            }
            PastState::Lost => None,
        }
    }
}

impl Overlay<'_> {
    /// Returns the file at a path as the edits so far found it that changed it, wherever it was
    /// then.
    pub(super) fn past(&self, path: &RepoPath) -> &[Past] {
        self.slots.get(path).map_or(&[], |slot| &slot.past)
    }

    /// Keeps what an edit changes of a file in its place, as what would put it back. What the file
    /// is then is set once somebody wants it.
    pub(super) fn keep_parts(&mut self, path: &RepoPath, back: Vec<Splice>) {
        let room = back
            .iter()
            .map(|splice| size_of_val(splice) + splice.new.len());
        let has_room = self.has_room(room.sum());
        let parts = PastState::Parts { back, left: None };
        self.push(path, if has_room { parts } else { PastState::Lost });
    }

    /// Keeps a file that has been read as it is, before an edit changes it.
    pub(super) fn keep(&mut self, path: &RepoPath, new: Option<&File>) -> &mut Slot {
        let now = self.now(path).map(|now| now.content.clone());
        if let Some(now) = now.filter(|now| new.is_none_or(|new| new.content != *now)) {
            let has_room = self.has_room(room(&now));
            let whole = PastState::Whole(now);
            self.push(path, if has_room { whole } else { PastState::Lost });
        }
        self.slot_of(path)
    }

    /// Takes bytes from what may be kept for messages; returns whether that was enough.
    pub(super) fn has_room(&mut self, bytes: usize) -> bool {
        let has_room = self.kept + bytes <= KEPT;
        self.kept += if has_room { bytes } else { 0 };
        has_room
    }

    pub(super) fn push(&mut self, path: &RepoPath, found: PastState) {
        let edit = self.edit.0;
        self.slot_of(path).past.push(Past { found, edit });
    }
}
