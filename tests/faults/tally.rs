//! What came of many runs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use libtest_mimic::Failed;

use crate::scene::Side;

/// What came of one sweep.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) runs: usize,
    pub(crate) old: usize,
    pub(crate) new: usize,
    /// Died of a signal, or ended well in spite of it, when all was done.
    pub(crate) late: usize,
    /// All is new, but the exit status wasn't 0.
    pub(crate) complained: usize,
    /// The call that was counted didn't come.
    pub(crate) missed: usize,
    pub(crate) wrong: Vec<String>,
}

impl Tally {
    pub(crate) fn count(&mut self, side: Side) {
        match side {
            Side::Old => self.old += 1,
            Side::New => self.new += 1,
        }
    }
}

/// What came of all of them, for one table at the end.
#[derive(Clone, Default)]
pub(crate) struct Totals(Arc<Mutex<BTreeMap<String, Tally>>>);

impl Totals {
    /// Notes a sweep, and fails if anything in it went wrong.
    pub(crate) fn note(&self, name: &str, tally: Tally) -> Result<(), Failed> {
        let shown: Vec<&str> = tally.wrong.iter().map(String::as_str).take(20).collect();
        let verdict = if !tally.wrong.is_empty() {
            Err(format!(
                "{} of {} runs went wrong:\n  {}",
                tally.wrong.len(),
                tally.runs,
                shown.join("\n  ")
            )
            .into())
        } else if tally.runs == 0 {
            Err(format!("nothing was tried, and {} calls didn't come", tally.missed).into())
        } else {
            Ok(())
        };
        self.0
            .lock()
            .expect("nobody panics with it")
            .insert(name.to_owned(), tally);
        verdict
    }

    pub(crate) fn print(&self) {
        let all = self.0.lock().expect("nobody panics with it");
        if all.is_empty() {
            return;
        }
        let mut sum = Tally::default();
        let line = |name: &str, tally: &Tally, wrong: usize| {
            let Tally {
                runs,
                old,
                new,
                late,
                complained,
                missed,
                ..
            } = tally;
            println!(
                "{name:32} {runs:6} {old:6} {new:6} {late:6} {complained:6} {missed:6} {wrong:6}"
            );
        };
        println!(
            "{:32} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6}",
            "", "runs", "old", "new", "late", "said-3", "missed", "WRONG"
        );
        let mut wrong = 0;
        for (name, tally) in all.iter() {
            line(name, tally, tally.wrong.len());
            sum.runs += tally.runs;
            sum.old += tally.old;
            sum.new += tally.new;
            sum.late += tally.late;
            sum.complained += tally.complained;
            sum.missed += tally.missed;
            wrong += tally.wrong.len();
        }
        line("all", &sum, wrong);
    }
}
