//! Which paths a response may touch.
//!
//! To touch a path is to name it: as what is changed, made or deleted, and as either end of a move or a copy, whether or not
//! anything comes of it. What is named and mustn't be is read no further, so that no message shows what it holds.

use crate::path::RepoPath;
use crate::pathspec::{Case, Pathspec, Pathspecs};

/// What keeps responses from touching paths. The default one lets them touch every path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guard {
    /// What may be touched, if not everything, and who says so.
    pub limit: Option<(Pathspecs, Origin)>,
    /// What mustn't be touched, even within the limit.
    pub protected: Pathspecs,
}

/// Who set a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The command line.
    Option,
    /// The configuration.
    Setting,
}

/// Why a path mustn't be touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// It isn't within the limit.
    Limit {
        /// All pathspecs of the limit.
        limit: Vec<String>,
        /// Who set it.
        origin: Origin,
    },
    /// It is protected by one of these pathspecs, or because they only say what isn't.
    Protected {
        /// The pathspec that it matches, or all of them.
        by: Vec<String>,
    },
}

impl Guard {
    /// The one that lets responses touch every path.
    pub const NONE: Guard = Guard { limit: None, protected: Pathspecs::NONE };

    /// Returns what keeps a path from being touched.
    pub fn barrier(&self, path: &RepoPath, case: Case) -> Option<Barrier> {
        let path = path.as_bytes();
        if self.protected.matches(path, case) {
            let by = match self.protected.matching(path, case) {
                Some(one) => vec![shown(one)],
                None => self.protected.iter().map(shown).collect(),
            };
            return Some(Barrier::Protected { by });
        }
        let (limit, origin) = self.limit.as_ref().filter(|(limit, _)| !limit.matches(path, case))?;
        Some(Barrier::Limit { limit: limit.iter().map(shown).collect(), origin: *origin })
    }
}

fn shown(spec: &Pathspec) -> String {
    crate::text::Shown(spec.written()).to_string()
}

impl Origin {
    /// Returns the name under which a person set it.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Option => "--limit",
            Origin::Setting => "llmpatch.limit",
        }
    }
}
