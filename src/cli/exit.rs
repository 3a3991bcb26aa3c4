use crate::kind::Blame;
use crate::report::{Report, State};

/// How a run ends. The order is from good to bad, so that the worst of several is their maximum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// All was done.
    #[default]
    Done,
    /// The response is to blame, or the tree isn't what it needs.
    Refused,
    /// The command line makes no sense.
    Usage,
    /// The repository or the system stood in the way.
    Obstructed,
}

impl Exit {
    /// Returns the exit status.
    pub fn status(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Refused => 1,
            Exit::Usage => 2,
            Exit::Obstructed => 3,
        }
    }

    /// Returns how a run ends that a report tells of.
    pub fn of(report: &Report) -> Self {
        match (report.blame(), &report.state) {
            (_, State::Attention(_)) | (Some(Blame::System), _) => Exit::Obstructed,
            (Some(_), _) => Exit::Refused,
            (None, _) => Exit::Done,
        }
    }
}
