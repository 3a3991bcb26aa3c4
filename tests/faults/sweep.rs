//! One fault at every call in turn.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, OnceLock};

use crate::scene::{Layout, Place, RESPONSE, Scene, Side, State, Target};
use crate::tally::Tally;
use crate::trace::{self, Call, Calls, Ended, Fault, Injection};

/// Whose calls are met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// Our program's.
    Ours,
    /// Those of our program that only read, once it has looked at the repository.
    Reading,
    /// Those of the `git commit` that it starts, and of all that this starts.
    Child,
    /// Those of `recover`, after our program was killed.
    Recovery,
    /// Those of `undo`, after the change was made.
    Undo,
    /// Those of `recover`, after `undo` was killed.
    UndoRecovery,
}

impl Whose {
    fn undoes(self) -> bool {
        matches!(self, Whose::Undo | Whose::UndoRecovery)
    }
}

/// Which of all points are tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    All,
    /// About so many of each sweep.
    Sample(usize),
    /// The one that somebody wants to look at; what is left of it is kept.
    Only(String),
}

/// One fault at every call of one kind of run.
pub(crate) struct Sweep {
    pub(crate) target: Target,
    pub(crate) layout: Layout,
    pub(crate) whose: Whose,
    pub(crate) fault: Fault,
}

/// A scene that several sweeps share, and the calls that were counted in it.
#[derive(Default)]
pub(crate) struct Stage {
    scene: OnceLock<Scene>,
    ours: OnceLock<Vec<Call>>,
    child: OnceLock<Vec<Call>>,
    undo: OnceLock<Vec<Call>>,
    every: OnceLock<Vec<Call>>,
}

/// All stages, each made when it is first needed.
#[derive(Clone, Default)]
pub(crate) struct Stages(Arc<BTreeMap<(Target, bool), Stage>>);

impl Stages {
    pub(crate) fn new() -> Self {
        let targets = Target::ALL.into_iter().chain([Target::Onto]);
        let keys = targets.flat_map(|target| [(target, false), (target, true)]);
        Self(Arc::new(keys.map(|key| (key, Stage::default())).collect()))
    }

    pub(crate) fn get(&self, target: Target, layout: Layout) -> &Stage {
        &self.0[&(target, layout == Layout::Apart)]
    }
}

impl Stage {
    pub(crate) fn scene(&self, target: Target, layout: Layout) -> &Scene {
        self.scene.get_or_init(|| Scene::new(target, layout))
    }

    fn calls(&self, scene: &Scene, whose: Whose) -> &[Call] {
        let cell = match whose {
            Whose::Child => &self.child,
            Whose::Ours | Whose::Reading | Whose::Recovery => &self.ours,
            Whose::Undo | Whose::UndoRecovery => &self.undo,
        };
        cell.get_or_init(|| {
            let place = if whose.undoes() {
                scene.place().applied()
            } else {
                scene.place()
            };
            let log = place.outside().join("log");
            let ended = match whose {
                Whose::Child => trace::run(
                    &mut with_traced_git(&place, &log, &Injection::default()),
                    RESPONSE.as_bytes(),
                ),
                _ => run_traced(&place, whose, &log, &Injection::default()),
            };
            assert_eq!(ended.code(), Some(0), "{}{}", ended.stdout, ended.stderr);
            let calls = if whose == Whose::Child {
                trace::calls_of_all(&log)
            } else {
                trace::calls(&log)
            };
            assert!(calls.len() > 10, "strace saw nothing");
            trace::that_change(calls)
        })
    }
}

impl Stage {
    /// Returns every call of our program, those that change nothing too.
    pub(crate) fn every_call(&self, scene: &Scene) -> &[Call] {
        self.every.get_or_init(|| {
            let place = scene.place();
            let log = place.outside().join("log");
            let mut command =
                trace::traced(&place.apply(), &log, Calls::All, &Injection::default());
            trace::run(&mut command, RESPONSE.as_bytes());
            trace::calls(&log)
        })
    }
}

impl Sweep {
    pub(crate) fn name(&self) -> String {
        let apart = if self.layout == Layout::Apart {
            " apart"
        } else {
            ""
        };
        let whose = match self.whose {
            Whose::Ours => "",
            Whose::Reading => " reading",
            Whose::Child => " in-git",
            Whose::Recovery => " recovery",
            Whose::Undo => " undo",
            Whose::UndoRecovery => " undo recovery",
        };
        format!("{}{apart}{whose} {}", self.target.name(), self.fault)
    }

    /// Tries every point, and says of each that went wrong what did.
    pub(crate) fn run(&self, stages: &Stages, extent: &Extent) -> Tally {
        let stage = stages.get(self.target, self.layout);
        let scene = stage.scene(self.target, self.layout);
        let calls = match self.whose {
            Whose::Reading => trace::that_read(stage.every_call(scene)),
            _ => stage.calls(scene, self.whose).iter().collect(),
        };
        let calls: Vec<&Call> = calls
            .into_iter()
            .filter(|call| self.concerns(call))
            .collect();
        let mut tally = Tally::default();
        for call in extent.choose(&calls, self.offset()) {
            let place = if self.whose.undoes() {
                scene.place().applied()
            } else {
                scene.place()
            };
            let verdict = match self.whose {
                Whose::Recovery | Whose::UndoRecovery => {
                    self.in_recovery(scene, &place, call, extent, &mut tally)
                }
                _ => self.at(scene, &place, call, &mut tally),
            };
            if let Err(wrong) = verdict {
                tally
                    .wrong
                    .push(format!("{call} {}\n      {wrong}", call.text));
            }
            if matches!(extent, Extent::Only(_)) {
                println!("kept: {}", place.keep().display());
            }
        }
        tally
    }

    /// Has the faults of one target meet different calls, where only some are tried.
    fn offset(&self) -> usize {
        Fault::ALL
            .iter()
            .position(|fault| *fault == self.fault)
            .unwrap_or_default()
            * 5
            + self.target as usize * 3
    }

    fn concerns(&self, call: &Call) -> bool {
        // Where git can't remove a lock of its own, it stays, and that is git's affair.
        let is_gits = self.whose == Whose::Child
            && call.name.starts_with("unlink")
            && call.text.contains(".lock\"");
        self.fault.concerns(call) && !(is_gits && self.fault.signal().is_none())
    }

    fn at(
        &self,
        scene: &Scene,
        place: &Place,
        call: &Call,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let log = place.outside().join("log");
        let injection = Injection::at(self.fault, call);
        let ended = match self.whose {
            Whose::Child => trace::run(
                &mut with_traced_git(place, &log, &injection),
                RESPONSE.as_bytes(),
            ),
            _ => run_traced(place, self.whose, &log, &injection),
        };
        if !trace::was_met(&log, self.fault) {
            tally.missed += 1;
            return Ok(());
        }
        tally.runs += 1;
        if self.whose == Whose::Child {
            // Nothing proves whose these are, so they are named, and a person removes them.
            place.remove_named_locks(&ended.stderr);
        }
        let killed_us = self.whose != Whose::Child && self.fault == Fault::KILL;
        if !killed_us {
            // Who lives on to put things right has done so when it ends.
            let side = self
                .judge(
                    scene,
                    &place.state().without_leftovers().without_emptied(scene),
                )
                .map_err(|said| describe("ended torn", &ended, &said))?;
            self.check_status(&ended, side, tally)?;
        }
        let recovered = place.recover();
        if recovered.code() != Some(0) {
            return Err(describe(
                "recover failed",
                &recovered,
                &place.state().against(&scene.old),
            ));
        }
        // A directory that a deletion left empty and that can't be removed is nothing to fail for.
        let stays = self.fault.signal().is_none()
            && (call.name == "rmdir" || call.text.contains("AT_REMOVEDIR"));
        let now = if stays {
            place.state().without_emptied(scene)
        } else {
            place.state()
        };
        let side = self
            .judge(scene, &now)
            .map_err(|said| describe("is torn or littered", &ended, &said))?;
        place.check_objects()?;
        if side == Side::New && !self.target.commits() {
            self.check_undo(scene, place)?;
        }
        if killed_us {
            tally.count(side);
        }
        Ok(())
    }

    fn judge(&self, scene: &Scene, now: &State) -> Result<Side, String> {
        scene.judge(now).map(|side| {
            if self.whose.undoes() {
                side.other()
            } else {
                side
            }
        })
    }

    /// What was made can be taken back whole, unless nothing was kept for that; then, and where it
    /// was taken back, what was made before can be. Nothing can be taken back twice.
    fn check_undo(&self, scene: &Scene, place: &Place) -> Result<(), String> {
        let is_back = || scene.judge(&place.state().without_emptied(scene)) == Ok(Side::Old);
        let undone = place.undo();
        let (has_nothing, says_so) = (
            undone.code() == Some(1),
            undone.stderr.contains("error[nothing-to-undo]"),
        );
        let is_right = match self.whose.undoes() {
            _ if has_nothing => says_so && is_back() == self.whose.undoes(),
            true => place.makes_earlier_again() && is_back() && place.has_nothing_to_undo(),
            false => {
                is_back() && place.undoes_earlier() && is_back() && place.has_nothing_to_undo()
            }
        };
        if is_right {
            Ok(())
        } else {
            Err(describe(
                "can't be taken back right",
                &undone,
                &place.state().against(&scene.old),
            ))
        }
    }

    /// Compares what was said with what was done.
    fn check_status(&self, ended: &Ended, side: Side, tally: &mut Tally) -> Result<(), String> {
        tally.count(side);
        let died = ended.signal();
        match (self.fault.signal(), side) {
            _ if ended.stderr.contains("panicked") => {
                Err(describe("panicked", ended, &format!("{side:?}")))
            }
            // A child's death is a failure like any other.
            (Some(signal), _) if self.whose != Whose::Child => match (died, ended.code(), side) {
                (Some(by), _, Side::Old) if by == signal => Ok(()),
                // It came when nothing was left to be done.
                (Some(by), _, Side::New) if by == signal => {
                    tally.late += 1;
                    Ok(())
                }
                (None, Some(0), Side::New) => {
                    tally.late += 1;
                    Ok(())
                }
                _ => Err(describe(
                    &format!("should have died of signal {signal}"),
                    ended,
                    &format!("{side:?}"),
                )),
            },
            _ if died.is_some() => Err(describe("died", ended, &format!("{side:?}"))),
            (_, Side::Old) if ended.code() == Some(0) => {
                Err(describe("claims success", ended, "everything is old"))
            }
            (_, Side::Old) => Ok(()),
            (_, Side::New) => {
                tally.complained += usize::from(ended.code() != Some(0));
                Ok(())
            }
        }
    }

    /// Kills the program, then has its recovery fail at each of that one's own calls, also those
    /// that only read, or killed at those that change something.
    fn in_recovery(
        &self,
        scene: &Scene,
        place: &Place,
        call: &Call,
        extent: &Extent,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let log = place.outside().join("log");
        run_traced(place, self.whose, &log, &Injection::at(Fault::KILL, call));
        place.copy_aside();
        let log = place.outside().join("recovery");
        let met = if self.fault == Fault::KILL {
            Calls::Changing
        } else {
            Calls::All
        };
        let recover = |met: Calls, injection: &Injection| {
            let command = place.llmpatch(&["recover"]);
            trace::run(&mut trace::traced(&command, &log, met, injection), b"")
        };
        let ended = recover(met, &Injection::default());
        if ended.code() != Some(0) {
            return Err(describe(
                "recover failed",
                &ended,
                &place.state().against(&scene.old),
            ));
        }
        let calls = trace::calls(&log);
        let mut calls: Vec<&Call> = if met == Calls::All {
            trace::that_read(&calls)
        } else {
            Vec::new()
        };
        let changing = trace::that_change(trace::calls(&log));
        calls.extend(changing.iter().filter(|call| self.fault.concerns(call)));
        // Whether somebody holds a lock isn't read from a disk.
        calls.retain(|call| self.fault == Fault::KILL || call.name != "flock");
        let extent = match extent {
            Extent::Sample(_) => Extent::Sample(2),
            _ => Extent::All,
        };
        let mut wrong = Vec::new();
        for inner in extent.choose(&calls, call.number) {
            place.copy_back();
            let first = recover(Calls::Changing, &Injection::at(self.fault, inner));
            tally.runs += 1;
            let claimed = (first.code() == Some(0))
                .then(|| place.state().without_leftovers().without_emptied(scene));
            let claimed = claimed.map_or(Ok(Side::Old), |state| self.judge(scene, &state));
            let again = place.recover();
            let verdict = if let Err(said) = claimed {
                Err(describe("claims to have recovered", &first, &said))
            } else if first.stderr.contains("damaged") || first.stderr.contains("panicked") {
                Err(describe(
                    "isn't damaged, and is no reason to panic",
                    &first,
                    "",
                ))
            } else if again.code() == Some(0) {
                self.judge(scene, &place.state())
                    .map(|side| tally.count(side))
            } else {
                Err(describe(
                    "recover failed",
                    &again,
                    &place.state().against(&scene.old),
                ))
            };
            if let Err(said) = verdict {
                wrong.push(format!("then {inner} {}: {said}", inner.text));
            }
        }
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(wrong.join("\n      "))
        }
    }
}

impl State {
    /// What is torn before `recover` is a bug; what lies about may wait for it, but no lock may.
    fn without_leftovers(mut self) -> Self {
        let ours = |name: &str| name.contains("llmpatch-");
        self.files.retain(|path, _| !ours(&path.to_string_lossy()));
        self.status = self
            .status
            .lines()
            .filter(|line| !ours(line))
            .map(|line| format!("{line}\n"))
            .collect();
        self.git
            .retain(|path, _| !path.starts_with("llmpatch") && !ours(path));
        self
    }
}

impl State {
    /// Leaves out directories that are there before the change, not after it, and in which nothing
    /// is.
    fn without_emptied(mut self, scene: &Scene) -> Self {
        let State { files, .. } = &scene.new;
        let goes: Vec<_> = scene
            .old
            .files
            .keys()
            .filter(|path| !files.contains_key(*path))
            .cloned()
            .collect();
        // What is in a directory comes behind it.
        for path in goes.into_iter().rev() {
            let is_empty = !self
                .files
                .keys()
                .any(|other| *other != path && other.starts_with(&path));
            let is_directory = self
                .files
                .get(&path)
                .is_some_and(|(mode, _)| mode & 0o170000 == 0o040000);
            if is_empty && is_directory {
                self.files.remove(&path);
            }
        }
        self
    }
}

impl Extent {
    pub(crate) fn choose<'c>(&self, calls: &[&'c Call], offset: usize) -> Vec<&'c Call> {
        match self {
            Extent::All => calls.to_vec(),
            Extent::Sample(count) => {
                let stride = calls.len().div_ceil(*count).max(1);
                calls
                    .iter()
                    .skip(offset % stride)
                    .step_by(stride)
                    .copied()
                    .collect()
            }
            Extent::Only(point) => calls
                .iter()
                .filter(|call| call.to_string() == *point)
                .copied()
                .collect(),
        }
    }
}

fn run_traced(place: &Place, whose: Whose, log: &Path, injection: &Injection) -> Ended {
    let command = if whose.undoes() {
        place.llmpatch(&["undo"])
    } else {
        place.apply()
    };
    let calls = if whose == Whose::Reading {
        Calls::All
    } else {
        Calls::Changing
    };
    trace::run(
        &mut trace::traced(&command, log, calls, injection),
        RESPONSE.as_bytes(),
    )
}

/// Our program, with a `git` before the real one that traces `git commit`.
fn with_traced_git(place: &Place, log: &Path, injection: &Injection) -> Command {
    let directory = place.outside().join("bin");
    let git = trace::which("git").expect("git is installed");
    let git = git.display();
    let options = trace::options(log, Calls::Changing, injection).join("' '");
    let script = format!(
        "#!/bin/sh\nfor word; do\n  case \"$word\" in commit | update-ref) exec strace -f '{options}' -- {git} \"$@\" ;; esac\ndone\nexec {git} \"$@\"\n"
    );
    fs::create_dir_all(&directory).expect("a directory can be made");
    crate::support::system::write_script(&directory.join("git"), &script);
    let mut path = directory.into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut command = place.apply();
    command.env("PATH", path);
    command
}

pub(crate) fn describe(what: &str, ended: &Ended, said: &str) -> String {
    format!(
        "{what} ({}): {said}\n      {}",
        ended.status,
        ended.stderr.trim().replace('\n', "\n      ")
    )
}
