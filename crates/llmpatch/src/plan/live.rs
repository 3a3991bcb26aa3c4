//! A file that is at a path, as the edits so far have made it.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::path::RepoPath;
use crate::search::Document;
use crate::text::{Span, Splice};
use crate::tree::{Content, File, Mode};

/// A file as the edits so far have made it. Edits that follow each other change it where the first
/// of them has searched it; its bytes are put together once somebody wants them.
pub(super) struct LiveFile {
    pub(super) mode: Mode,
    state: FileState,
    /// The path in the tree below whose file this is: its own, or the path from which it was moved.
    pub(super) origin: Option<RepoPath>,
    /// The edit that made it, if none was there.
    pub(super) maker: Option<Span>,
    /// The edits of the response that made or changed it so far, by their numbers, in order.
    pub(super) changed_by: Vec<usize>,
}

enum FileState {
    /// No edit has searched the file yet, or no later edit will.
    Whole(Content),
    Searched {
        document: Rc<Document>,
        content: OnceCell<Content>,
    },
}

impl LiveFile {
    pub(super) fn new(File { content, mode }: File, origin: Option<RepoPath>) -> Self {
        Self {
            mode,
            state: FileState::Whole(content),
            origin,
            maker: None,
            changed_by: Vec::new(),
        }
    }

    /// Returns what it holds.
    pub(super) fn content(&self) -> &Content {
        match &self.state {
            FileState::Whole(content) => content,
            FileState::Searched { document, content } => content.get_or_init(|| document.content()),
        }
    }

    pub(super) fn file(&self) -> File {
        File {
            content: self.content().clone(),
            mode: self.mode,
        }
    }

    /// Returns the file as an edit has read it to search it; `None` if none has.
    pub(super) fn document(&self) -> Option<Rc<Document>> {
        match &self.state {
            FileState::Whole(_) => None,
            FileState::Searched { document, .. } => Some(Rc::clone(document)),
        }
    }

    /// Keeps what the file was read as, for the edits that follow.
    pub(super) fn search(&mut self, document: Rc<Document>) {
        let content = self.content().clone().into();
        self.state = FileState::Searched { document, content };
    }

    /// Replaces the content and the mode. Returns whether the new content is another. If it is the
    /// very same content, the read document stays in use.
    pub(super) fn replace(&mut self, File { content, mode }: File) -> bool {
        self.mode = mode;
        let found = self.content();
        if found.is(&content) {
            return false;
        }
        let is_other = content != *found;
        self.state = FileState::Whole(content);
        is_other
    }

    /// Makes splices of the file; `is_last` says that no later edit searches it. Returns
    /// whether they change anything.
    pub(super) fn change(&mut self, splices: Vec<Splice>, is_last: bool) -> bool {
        let document = match &mut self.state {
            FileState::Searched { document, content } => {
                // Where nobody will look at it again, nothing need be found in what comes.
                let document = Rc::get_mut(document);
                let document = document.filter(|file| !(is_last && file.is_untouched()));
                document.map(|document| (document, content))
            }
            FileState::Whole(_) => None,
        };
        let Some((document, content)) = document else {
            let (found, mode) = (self.content().clone(), self.mode);
            let content = Content::spliced(found.clone(), splices);
            self.state = FileState::Whole(found);
            return self.replace(File { content, mode });
        };
        let is_other = document.differs_by(&splices);
        if !splices.is_empty() {
            document.change(&splices);
            content.take();
        }
        // The document was read with the mark in front of its first line; where the mark is gone or
        // bytes precede it, the file must be read again.
        if is_last || document.has_lost_mark() {
            self.state = FileState::Whole(self.content().clone());
        }
        is_other
    }
}
