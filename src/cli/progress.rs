//! The line on a terminal's standard error that says how far a long work is, as git shows one.
//!
//! A thread of its own writes it, because the thread that works must neither fail nor wait because
//! of a terminal. It is taken away when the work is over, so that nothing of it is between other
//! lines.

use std::cell::Cell;
use std::env;
use std::io::{self, IsTerminal as _, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::config;
use super::options::Verbosity;
use super::output;
use crate::system::is_in_front;
use llmpatch::progress::{Progress, Stage, StageCount};

/// How long a run takes before anything of it is shown, if `GIT_PROGRESS_DELAY` doesn't say.
const DELAY: Duration = Duration::from_secs(1);
/// How often the line is looked after.
const TICK: Duration = Duration::from_millis(100);

/// Shows how far a run is. Its tasks count as one: a line is shown once they have taken long enough
/// together.
#[derive(Debug)]
pub(super) struct ProgressMeter {
    progress: Progress,
    /// `None` if nothing is ever shown.
    delay: Option<Duration>,
    spent: Cell<Duration>,
    /// Whether a task is being done.
    is_busy: Cell<bool>,
}

/// A line that is shown while this lives.
#[must_use = "nothing is shown once it is dropped"]
pub(super) struct ProgressLine<'w> {
    meter: &'w ProgressMeter,
    begun: Instant,
    /// That of all tasks; of a part of a task one of its own, which nobody sees.
    progress: Progress,
    /// The thread that shows it, which ends once nobody is left to tell it anything.
    watcher: Option<(Sender<()>, JoinHandle<()>)>,
    is_part: bool,
}

impl ProgressMeter {
    /// Finds out whether there is anybody to show a line to.
    pub(super) fn new(verbosity: &Verbosity) -> Self {
        let is_seen = !verbosity.quiet && io::stderr().is_terminal();
        let given = || env::var("GIT_PROGRESS_DELAY").ok()?.trim().parse().ok();
        let delay = is_seen.then(|| given().map_or(DELAY, Duration::from_secs));
        let progress = Progress::default();
        // On a terminal the line itself says who holds what is waited for.
        if !verbosity.quiet && !verbosity.json && !is_seen {
            progress.listen(output::complain);
        }
        Self {
            progress,
            delay,
            spent: Cell::default(),
            is_busy: Cell::default(),
        }
    }

    /// Begins a task of `total` things; 0 if nobody knows. Nothing else is to be printed before it
    /// is over. What is begun meanwhile is a part of it, of which nothing is shown.
    pub(super) fn begin(&self, stage: Stage, total: usize) -> ProgressLine<'_> {
        let begun = Instant::now();
        if self.is_busy.replace(true) {
            return ProgressLine {
                meter: self,
                begun,
                progress: Progress::default(),
                watcher: None,
                is_part: true,
            };
        }
        self.progress.enter(stage, total);
        let watcher = self.delay.and_then(|delay| {
            let (end, is_over) = mpsc::channel();
            let left = delay.saturating_sub(self.spent.get());
            let progress = self.progress.clone();
            // Where there is no thread to be had, nothing is shown.
            let thread = thread::Builder::new()
                .spawn(move || watch(&progress, &is_over, left))
                .ok()?;
            Some((end, thread))
        });
        ProgressLine {
            meter: self,
            begun,
            progress: self.progress.clone(),
            watcher,
            is_part: false,
        }
    }
}

impl ProgressLine<'_> {
    /// Returns whether anybody will see how far it is.
    pub(super) fn is_watched(&self) -> bool {
        self.watcher.is_some()
    }

    /// Returns what is to be told how far the work is.
    pub(super) fn progress(&self) -> &Progress {
        &self.progress
    }
}

impl Drop for ProgressLine<'_> {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.watcher.take() {
            drop(end);
            let _ = thread.join();
        }
        if self.is_part {
            return;
        }
        self.progress.rest();
        self.meter.is_busy.set(false);
        self.meter
            .spent
            .set(self.meter.spent.get() + self.begun.elapsed());
    }
}

fn watch(progress: &Progress, end: &Receiver<()>, delay: Duration) {
    let is_over = |wait| end.recv_timeout(wait) != Err(RecvTimeoutError::Timeout);
    let mut shown = Shown {
        on: io::stderr(),
        text: String::new(),
    };
    let mut wait = delay;
    while !is_over(wait) {
        // Before it is asked what to show: whoever comes to rest now waits until that is taken away
        // again.
        progress.show(true);
        let seen = progress.seen().filter(|_| is_in_front());
        let holder = seen
            .filter(|seen| seen.stage == Stage::Waiting)
            .and_then(|_| progress.holder());
        let by = holder.map_or(String::new(), |holder| {
            format!(", which is held by {holder}")
        });
        shown.put(&seen.map_or(String::new(), |seen| said(seen) + &by));
        progress.show(!shown.text.is_empty());
        wait = TICK;
    }
    shown.put("");
    progress.show(false);
}

/// Returns how far a work is, as git says it.
fn said(seen: StageCount) -> String {
    let what = match seen.stage {
        Stage::Parsing => "Reading the response",
        Stage::Planning => "Reading files",
        Stage::Comparing => "Comparing files",
        Stage::Waiting => "Waiting for the index lock",
        Stage::Preparing => "Preparing files",
        Stage::Storing => "Storing objects",
        Stage::Writing => "Writing files",
        Stage::Flushing => "Flushing to the disk",
        Stage::Restoring => "Putting files back",
        Stage::Tidying => "Removing what was left over",
        Stage::Scanning => "Checking what is staged",
        Stage::Checking => "Checking responses",
        Stage::Showing => "Writing commits",
        Stage::Proving => "Reading the new response back",
    };
    match (seen.done, seen.total) {
        (0, 0) => what.to_owned(),
        (done, 0) => format!("{what}: {done}"),
        (done, total) => {
            let done = done.min(total);
            format!("{what}: {:3}% ({done}/{total})", done * 100 / total)
        }
    }
}

/// What is on the line.
struct Shown<W> {
    on: W,
    text: String,
}

impl<W: Write> Shown<W> {
    /// Puts a text in place of what is there. Whatever goes wrong, there is nobody to tell.
    fn put(&mut self, text: &str) {
        if text == self.text {
            return;
        }
        let columns = config::width(io::stderr()).unwrap_or(80);
        // In the last column a cursor may go to the next line, from where nothing comes back.
        let text: String = text.chars().take(columns.saturating_sub(1)).collect();
        let blanks = self.text.len().saturating_sub(text.len());
        let line = if text.is_empty() {
            format!("\r{:blanks$}\r", "")
        } else {
            format!("\r{text}{:blanks$}", "")
        };
        let _ = self
            .on
            .write_all(line.as_bytes())
            .and_then(|()| self.on.flush());
        self.text = text;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_takes_the_place_of_the_last_and_goes_without_a_trace() {
        let mut shown = Shown {
            on: Vec::new(),
            text: String::new(),
        };
        for text in ["", "Reading files: 1000", "Flushing", "Flushing", ""] {
            shown.put(text);
        }
        let want = format!("\rReading files: 1000\rFlushing{:11}\r{:8}\r", "", "");
        assert_eq!(String::from_utf8(shown.on).unwrap(), want);
    }

    #[test]
    fn parts_of_a_work_are_not_told_of() {
        let meter = ProgressMeter {
            delay: None,
            ..ProgressMeter::new(&Verbosity::default())
        };
        let whole = meter.begin(Stage::Checking, 2);
        let part = meter.begin(Stage::Parsing, 9);
        part.progress().step();
        drop(part);
        whole.progress().step();
        assert_eq!(
            meter.progress.seen(),
            Some(StageCount {
                stage: Stage::Checking,
                done: 1,
                total: 2
            })
        );
        drop(whole);
        assert_eq!(meter.progress.seen(), None);
        let next = meter.begin(Stage::Planning, 0);
        assert_eq!(
            next.progress().seen(),
            Some(StageCount {
                stage: Stage::Planning,
                done: 0,
                total: 0
            })
        );
    }

    #[test]
    fn counts_are_said_as_far_as_they_are_known() {
        for (stage, done, total, want) in [
            (Stage::Parsing, 0, 0, "Reading the response"),
            (Stage::Planning, 12, 0, "Reading files: 12"),
            (Stage::Writing, 0, 3, "Writing files:   0% (0/3)"),
            (Stage::Writing, 2, 3, "Writing files:  66% (2/3)"),
            (Stage::Storing, 9, 3, "Storing objects: 100% (3/3)"),
        ] {
            assert_eq!(said(StageCount { stage, done, total }), want);
        }
    }
}
