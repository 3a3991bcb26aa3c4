//! File systems on which names can't be exchanged, or can't be renamed to a free one in one step,
//! or not from one directory to another, or that say nothing of access lists: the calls that would
//! do it fail, each time, in the recovery too. What they are replaced by is whole or nothing as
//! well, wherever it is killed.

use std::process::Command;

use crate::scene::{Layout, Place, RESPONSE, Side, Target};
use crate::sweep::{Extent, Stages, describe};
use crate::tally::Tally;
use crate::trace::{self, Call, Calls, Ended, Fault, Injection};

/// What a file system can't do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lack {
    pub(crate) name: &'static str,
    /// The calls that fail, and how.
    calls: &'static [(&'static str, &'static str)],
    /// Whether a change is made all the same.
    does: bool,
}

impl Lack {
    pub(crate) const ALL: [Lack; 6] = [
        Lack {
            name: "exchange",
            calls: &[("renameat2", "EINVAL")],
            does: true,
        },
        Lack {
            name: "links",
            calls: &[("renameat2", "ENOSYS"), ("linkat", "EPERM")],
            does: true,
        },
        Lack {
            name: "renames (EXDEV)",
            calls: &[("renameat2", "EXDEV")],
            does: false,
        },
        Lack {
            name: "renames (EACCES)",
            calls: &[("renameat2", "EACCES")],
            does: false,
        },
        Lack {
            name: "renames (EPERM)",
            calls: &[("renameat2", "EPERM")],
            does: false,
        },
        // What could only be replaced without it can still be read.
        Lack {
            name: "access lists to be seen",
            calls: &[("flistxattr", "EIO")],
            does: false,
        },
    ];

    fn injection(self) -> Injection {
        self.calls
            .iter()
            .fold(Injection::default(), |injection, (call, error)| {
                injection.and_always(call, error)
            })
    }

    fn concerns(self, call: &Call) -> bool {
        let fails = |of: &str| self.calls.iter().any(|(name, _)| *name == of);
        // Where there are no links, the lock is empty for an instant: whoever is killed then leaves
        // one that nobody can tell from another's, and that is named, not removed.
        let is_lock = fails("linkat") && call.text.contains("holds this lock");
        !fails(&call.name) && !is_lock
    }

    /// Has the change made, or refused, whole; then kills it at each of its calls in turn.
    pub(crate) fn run(
        self,
        stages: &Stages,
        extent: &Extent,
        target: Target,
        layout: Layout,
    ) -> Tally {
        let scene = stages.get(target, layout).scene(target, layout);
        let mut tally = Tally::default();
        let traced = |place: &Place, command: Command, injection: &Injection| {
            let log = place.outside().join("log");
            trace::run(
                &mut trace::traced(&command, &log, Calls::Changing, injection),
                RESPONSE.as_bytes(),
            )
        };
        let place = scene.place();
        let ended = traced(&place, place.apply(), &self.injection());
        let does = self.does || matches!(target, Target::Cached | Target::Made);
        let want = if does { Side::New } else { Side::Old };
        let is_said = |ended: &Ended| {
            if does {
                ended.code() == Some(0)
            } else {
                matches!(ended.code(), Some(1 | 3))
            }
        };
        tally.runs += 1;
        match scene.judge(&place.state()) {
            Ok(side) if side == want && is_said(&ended) => tally.count(side),
            Ok(side) => tally
                .wrong
                .push(describe("ends otherwise", &ended, &format!("{side:?}"))),
            Err(said) => tally
                .wrong
                .push(describe("is torn or littered", &ended, &said)),
        }
        let calls = trace::that_change(trace::calls(&place.outside().join("log")));
        let calls: Vec<&Call> = calls.iter().filter(|call| self.concerns(call)).collect();
        for call in extent.choose(&calls, target as usize * 2) {
            let place = scene.place();
            traced(
                &place,
                place.apply(),
                &self.injection().and(Injection::at(Fault::KILL, call)),
            );
            let recovered = traced(&place, place.llmpatch(&["recover"]), &self.injection());
            tally.runs += 1;
            match scene.judge(&place.state()) {
                Ok(side) if recovered.code() == Some(0) => tally.count(side),
                Ok(_) => tally.wrong.push(format!(
                    "{call} {}: {}",
                    call.text,
                    describe("recover failed", &recovered, "")
                )),
                Err(said) => tally.wrong.push(format!(
                    "{call} {}: {}",
                    call.text,
                    describe("torn", &recovered, &said)
                )),
            }
        }
        tally
    }
}
