//! Which paths a response may touch.
//!
//! To touch a path is to name it: as what is changed, made or deleted, and as either end of a move
//! or a copy, whether or not anything comes of it. What is named and mustn't be is read no further,
//! so that no message shows what it holds.

use crate::path::RepoPath;
use crate::pathspec::{Case, Pathspec, Pathspecs};
use crate::text::listed;

/// What keeps responses from touching paths. The default one lets them touch every path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guard {
    /// What may be touched, if not everything, and who says so.
    pub limit: Option<(Pathspecs, Origin)>,
    /// What mustn't be touched, even within the limit.
    pub protected: Pathspecs,
}

/// Who set a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum Origin {
    /// The command line.
    #[strum(to_string = "--limit")]
    Option,
    /// The configuration.
    #[strum(to_string = "llmpatch.limit")]
    Setting,
}

/// Why a path mustn't be touched.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Barrier {
    /// It isn't within the limit.
    #[error("`{path}` is outside of {} ({origin})", listed(.limit, .limit.len()))]
    Limit {
        path: RepoPath,
        limit: Vec<String>,
        origin: Origin,
    },
    /// It is protected by one of these pathspecs, or because they only say what isn't.
    #[error("`{path}` is protected by {} (llmpatch.protect)", listed(.by, .by.len()))]
    Protected { path: RepoPath, by: Vec<String> },
}

impl Guard {
    /// The guard that lets responses touch every path.
    pub const NONE: Guard = Guard {
        limit: None,
        protected: Pathspecs::NONE,
    };

    /// Returns what keeps a path from being touched.
    pub fn barrier(&self, path: &RepoPath, case: Case) -> Option<Barrier> {
        let name = path.as_bytes();
        if self.protected.matches(name, case) {
            let by = match self.protected.matching(name, case) {
                Some(one) => vec![shown(one)],
                None => self.protected.iter().map(shown).collect(),
            };
            return Some(Barrier::Protected {
                path: path.clone(),
                by,
            });
        }
        let (limit, origin) = self
            .limit
            .as_ref()
            .filter(|(limit, _)| !limit.matches(name, case))?;
        Some(Barrier::Limit {
            path: path.clone(),
            limit: limit.iter().map(shown).collect(),
            origin: *origin,
        })
    }
}

fn shown(spec: &Pathspec) -> String {
    format!("`{}`", crate::text::Shown(spec.written()))
}
