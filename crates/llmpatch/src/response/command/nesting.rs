//! What is open in a script while it is followed: the command and the pipeline that are being read,
//! and the groups and conditions around them.

use super::word::{InlineText, Word};
use super::working_dir::WorkingDir;

/// The pipeline that is being read.
pub(super) struct Pipeline {
    /// Where it began.
    pub(super) before: WorkingDir,
    /// How many commands that apply a patch were found before it.
    pub(super) found: usize,
    pub(super) piped: bool,
    /// Whether it is behind `||`.
    pub(super) fallback: bool,
    /// Whether what is before the `||` applies a patch.
    pub(super) applied: bool,
    /// Whether what is before the `||` changes the directory.
    pub(super) moved: bool,
    /// What the next command reads.
    pub(super) text: Option<InlineText>,
}

/// The command that is being read.
#[derive(Default)]
pub(super) struct Command {
    pub(super) words: Vec<Word>,
    pub(super) stdin: Option<InlineText>,
    pub(super) writes: bool,
    /// If it is a group, how many commands that apply a patch were found before it.
    pub(super) group: Option<usize>,
}

/// A group that is open.
pub(super) struct Group {
    /// What closes it.
    pub(super) close: &'static str,
    pub(super) place: WorkingDir,
    pub(super) pipeline: Pipeline,
    pub(super) found: usize,
}

/// An `if`, a `for` or the like that is open.
pub(super) struct Condition {
    pub(super) is_case: bool,
    /// How many groups it is in.
    pub(super) groups: usize,
    /// Whether what comes next is run only in some cases.
    pub(super) is_branch: bool,
    /// How many commands that apply a patch were found before it.
    pub(super) found: usize,
}

/// The words with which conditions and loops begin.
pub(super) const CONDITIONS: [&str; 6] = ["if", "while", "until", "for", "case", "select"];

/// The shell's words that may be right behind a group or a condition.
pub(super) const BEHIND_GROUPS: [&str; 9] =
    ["{", "}", "then", "else", "elif", "do", "fi", "done", "esac"];

impl Pipeline {
    pub(super) fn new(before: &WorkingDir, found: usize) -> Pipeline {
        Pipeline {
            before: before.clone(),
            found,
            piped: false,
            fallback: false,
            applied: false,
            moved: false,
            text: None,
        }
    }
}

impl Command {
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.group.is_none() && self.stdin.is_none() && !self.writes
    }
}
