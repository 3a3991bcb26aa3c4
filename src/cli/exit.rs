use llmpatch::kind::Blame;
use llmpatch::report::{Report, State};

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
    /// The repository or the system prevented it.
    Obstructed,
    /// It was done, but for what is left in conflict.
    Conflicts,
    /// A signal ended it.
    Died(i32),
}

impl Exit {
    /// Returns the exit status.
    pub fn status(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Refused => 1,
            Exit::Usage => 2,
            Exit::Obstructed => 3,
            Exit::Conflicts => 4,
            // As a shell shows it, where the signal itself doesn't end us.
            Exit::Died(signal) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
        }
    }

    /// Ends this process the way that a signal would have, if one did; else returns the exit
    /// status.
    pub fn end(self) -> u8 {
        if let Exit::Died(signal) = self {
            crate::signal::die_of(signal);
        }
        self.status()
    }

    /// Returns how a run ends that a report tells of.
    pub fn of(report: &Report) -> Self {
        if let Some(signal) = report.signal {
            return Exit::Died(signal);
        }
        match (report.blame(), &report.state) {
            (_, State::Attention(_)) | (Some(Blame::System), _) => Exit::Obstructed,
            (Some(Blame::Usage), _) => Exit::Usage,
            (Some(_), _) => Exit::Refused,
            (None, _) if !report.conflicts.is_empty() => Exit::Conflicts,
            (None, _) => Exit::Done,
        }
    }
}
