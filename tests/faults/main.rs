//! Nothing is ever lost: a system call fails, the program is killed, an editor saves, a disk is
//! full, at every point in turn.
//!
//! After each run, and `git llmpatch recover`, everything is old or everything is new: files,
//! modes, directories, index, HEAD, refs; no lock of ours and no litter is left; exit status 0 was
//! only said of the new.
//!
//! `cargo test --test faults` tries a point or two of each eleventh kind of run, of all kinds that a
//! filter chooses; `FAULTS=sample` tries some points of every kind. `FAULTS=all cargo test --release
//! --test faults` tries every point, and `FAULTS=openat:17 cargo test --test faults -- --exact
//! 'index EIO'` one of them, keeping what is left of it. strace does it, and where it can't, these
//! tests are skipped, unless `FAULTS` is set.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that can't go on has failed"
)]

mod disk;
mod meddle;
mod order;
mod poor;
mod scene;
#[path = "../support/mod.rs"]
mod support;
mod sweep;
mod tally;
mod trace;

use libtest_mimic::{Arguments, Trial};

use scene::{Layout, Scene, Target};
use sweep::{Extent, Stages, Sweep, Whose};
use tally::{Tally, Totals};
use trace::Fault;

fn main() {
    let args = Arguments::from_args();
    let wanted = std::env::var("FAULTS").ok();
    let extent = match wanted.as_deref() {
        None => Extent::Sample(1),
        Some("sample") => Extent::Sample(6),
        Some("all") => Extent::All,
        Some(point) => Extent::Only(point.to_owned()),
    };
    if let Ok(what) = std::env::var(disk::INSIDE) {
        return disk::inside(&what, &extent);
    }
    let mut trials = Trials {
        extent,
        stages: Stages::new(),
        totals: Totals::default(),
        all: Vec::new(),
    };
    // Without recovery only what needs none.
    if has_recover() {
        trials.sweeps();
        trials.disks();
        trials.poor();
        trials.orders();
    }
    trials.bystanders();
    if wanted.is_none() && args.filter.is_none() {
        trials.leave_out_most();
    }
    if let Some(reason) = trace::hindrance() {
        eprintln!("faults: SKIPPED, since {reason}");
        if wanted.is_some() {
            std::process::exit(101);
        }
        trials.all = trials
            .all
            .into_iter()
            .map(|trial| trial.with_ignored_flag(true))
            .collect();
    }
    let conclusion = libtest_mimic::run(&args, trials.all);
    trials.totals.print();
    conclusion.exit();
}

/// Everything that is tried.
struct Trials {
    extent: Extent,
    stages: Stages,
    totals: Totals,
    all: Vec<Trial>,
}

impl Trials {
    fn add(&mut self, name: String, run: impl FnOnce(&Stages, &Extent) -> Tally + Send + 'static) {
        let (extent, stages, totals) = (
            self.extent.clone(),
            self.stages.clone(),
            self.totals.clone(),
        );
        self.all.push(Trial::test(name.clone(), move || {
            totals.note(&name, run(&stages, &extent))
        }));
    }

    /// Leaves out all but each eleventh.
    fn leave_out_most(&mut self) {
        let all = std::mem::take(&mut self.all).into_iter().enumerate();
        let left_out =
            all.map(|(number, trial)| trial.with_ignored_flag(!number.is_multiple_of(11)));
        self.all = left_out.collect();
    }

    fn sweeps(&mut self) {
        let mut sweeps = Vec::new();
        let is_apart = Scene::can_be_apart();
        if !is_apart {
            eprintln!(
                "faults: a git directory elsewhere SKIPPED, since there is no second file system"
            );
        }
        for target in Target::ALL {
            for fault in Fault::ALL {
                sweeps.push(Sweep {
                    target,
                    layout: Layout::Together,
                    whose: Whose::Ours,
                    fault,
                });
                if target.commits() {
                    sweeps.push(Sweep {
                        target,
                        layout: Layout::Together,
                        whose: Whose::Child,
                        fault,
                    });
                } else if is_apart {
                    // Where git's directory is elsewhere, nothing can be committed.
                    sweeps.push(Sweep {
                        target,
                        layout: Layout::Apart,
                        whose: Whose::Ours,
                        fault,
                    });
                }
            }
            sweeps.push(Sweep {
                target,
                layout: Layout::Together,
                whose: Whose::Reading,
                fault: Fault::Error("EIO"),
            });
            for fault in [Fault::KILL, Fault::EIO] {
                sweeps.push(Sweep {
                    target,
                    layout: Layout::Together,
                    whose: Whose::Recovery,
                    fault,
                });
            }
            if target.is_undone() {
                for fault in [Fault::EIO, Fault::KILL, Fault::TERM] {
                    sweeps.push(Sweep {
                        target,
                        layout: Layout::Together,
                        whose: Whose::Undo,
                        fault,
                    });
                }
            }
            if matches!(target, Target::Commit | Target::Made) {
                sweeps.push(Sweep {
                    target,
                    layout: Layout::Together,
                    whose: Whose::UndoRecovery,
                    fault: Fault::KILL,
                });
            }
            if matches!(target, Target::Index | Target::IntentToAdd) {
                for fault in [Fault::KILL, Fault::EIO] {
                    sweeps.push(Sweep {
                        target,
                        layout: Layout::Together,
                        whose: Whose::UndoRecovery,
                        fault,
                    });
                }
                if is_apart {
                    sweeps.push(Sweep {
                        target,
                        layout: Layout::Apart,
                        whose: Whose::Undo,
                        fault: Fault::KILL,
                    });
                    sweeps.push(Sweep {
                        target,
                        layout: Layout::Apart,
                        whose: Whose::Recovery,
                        fault: Fault::KILL,
                    });
                }
            }
        }
        // Nothing to recover; and who is killed may leave a git behind that goes on to move the
        // branch.
        for fault in Fault::ALL
            .into_iter()
            .filter(|fault| fault.signal().is_none())
        {
            let whose = [Whose::Ours, Whose::Reading]
                .into_iter()
                .take(if fault == Fault::EIO { 2 } else { 1 });
            sweeps.extend(whose.map(|whose| Sweep {
                target: Target::Onto,
                layout: Layout::Together,
                whose,
                fault,
            }));
        }
        for sweep in sweeps {
            self.add(sweep.name(), move |stages, extent| {
                sweep.run(stages, extent)
            });
        }
    }

    fn bystanders(&mut self) {
        for bystander in meddle::Bystander::all() {
            // That every save is noticed came with recovery.
            if has_recover() || bystander.meddling == meddle::Meddling::Link {
                self.add(bystander.name(), move |stages, extent| {
                    bystander.run(stages, extent)
                });
            }
        }
        let rounds = if self.extent == Extent::All { 500 } else { 25 };
        self.add("race for a link".to_owned(), move |stages, _| {
            meddle::race(stages, rounds)
        });
        self.add("pipes and devices".to_owned(), |stages, _| {
            meddle::specials(stages)
        });
    }

    fn orders(&mut self) {
        for target in Target::ALL {
            for layout in [Layout::Together, Layout::Apart] {
                if layout == Layout::Apart && (target.commits() || !Scene::can_be_apart()) {
                    continue;
                }
                let apart = if layout == Layout::Apart {
                    " apart"
                } else {
                    ""
                };
                for run in order::Run::ALL {
                    // It renames nothing before there is a commit.
                    if (target, run) == (Target::Made, order::Run::Undone) {
                        continue;
                    }
                    let name = format!("{}{apart} {}", target.name(), run.name());
                    self.add(name, move |stages, _| run.run(stages, target, layout));
                }
            }
        }
    }

    fn poor(&mut self) {
        for target in Target::ALL {
            for layout in [Layout::Together, Layout::Apart] {
                if layout == Layout::Apart && (target.commits() || !Scene::can_be_apart()) {
                    continue;
                }
                let apart = if layout == Layout::Apart {
                    " apart"
                } else {
                    ""
                };
                for lack in poor::Lack::ALL {
                    let name = format!("{}{apart} without {}", target.name(), lack.name);
                    self.add(name, move |stages, extent| {
                        lack.run(stages, extent, target, layout)
                    });
                }
            }
        }
    }

    fn disks(&mut self) {
        if let Some(reason) = disk::hindrance() {
            eprintln!("faults: full disks SKIPPED, since none can be mounted here: {reason}");
            return;
        }
        for target in Target::ALL {
            for scarce in disk::Scarce::ALL {
                let name = format!("{} no-{}", target.name(), scarce.name());
                self.add(name, move |_, _| disk::outside(target, scarce));
            }
        }
    }
}

/// Whether there is recovery yet, and with it everything that outlives a kill.
fn has_recover() -> bool {
    let output = std::process::Command::new(support::program())
        .args(["recover", "-h"])
        .output();
    output.expect("our program can be started").status.success()
}
