//! Many responses to one question: each is worked out by itself, by as many threads as there are
//! processors.
//!
//! One thread reads lines, some work them out, each with a repository of its own, and the first one
//! stores what comes of them and answers, in the order of the lines. An answer is written once its
//! objects are on the disk, so that an answer that is there is true, and whoever was stopped goes
//! on behind the last one.

mod line;
mod output;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use clap::Args;

use self::line::{Answer, Job};
use self::output::{Answered, Output};
use super::error::{Failure, IoError};
use super::exit::Exit;
use super::flow::{self, Printed, Session};
use super::options::{Reading, Verbosity};
use super::responses::ResponseOrigin;
use crate::transaction::{self, CandidatePack, Candidates};
use llmpatch::report::Report;
use llmpatch::text::Source;

/// What failed where the system has no thread to give.
const NO_THREAD: &str = "can't start a thread";
/// How many lines may be read and not yet answered.
const AHEAD: usize = 4096;
/// How long an answer waits at most for others to be stored with.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long nothing comes until what there is is stored and answered.
const PAUSE: Duration = Duration::from_millis(20);

/// Make a tree, or a commit, of each of many responses
///
/// Each line of the input is a JSON object: an "id", and the text of a "response" or the name of a
/// "file" with one; perhaps the "base" that it is about. Each line of the output is one as well, in
/// the same order.
#[derive(Debug, Args)]
#[command(override_usage = "git llmpatch batch --onto=<rev> [<options>] [<file>]")]
pub(super) struct Batch {
    /// A file with a JSON object a line, or - for standard input, which is also read if there is
    /// none
    #[arg(value_name = "file", value_hint = clap::ValueHint::FilePath)]
    lines: Option<PathBuf>,
    /// Apply each response to this commit or tree
    #[arg(long, value_name = "rev")]
    onto: String,
    /// Make a commit of each, with the notes of the response for its message
    #[arg(long)]
    commit: bool,
    /// Write the output to this file
    #[arg(short, long, value_name = "file", value_hint = clap::ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Continue after the last line of that file, if there is one
    #[arg(long, requires = "output")]
    resume: bool,
    /// Write all new objects to this file, for git fetch
    #[arg(long, value_name = "file", value_hint = clap::ValueHint::FilePath, requires = "output")]
    bundle: Option<PathBuf>,
    /// How many responses are worked out at once; as many as there are processors
    #[arg(short, long, value_name = "n")]
    jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    reading: Reading,
}

/// A line of the input, and its number among those that are to be answered, from 0.
type Task = (usize, Vec<u8>);

/// An answer to a line, or why there are none from here on.
type Answers = Result<(usize, Answer), Failure>;

impl Batch {
    /// Does it, and prints how it went.
    pub(super) fn run(&self) -> Exit {
        flow::run(
            &self.reading,
            &Verbosity::default(),
            Vec::new(),
            |session| self.batch(session),
        )
    }

    fn batch(&self, session: &Session) -> Result<(Report, Printed), Failure> {
        let revision = session.repo.revision(&self.onto)?;
        let onto = revision.to_string();
        // Whoever can't commit is told so once.
        Candidates::new(&session.repo, &revision, self.commit)?;
        let input = self.input()?;
        let (mut output, answered) = Output::open(self.output.as_deref(), self.resume, &onto)?;
        let jobs = self
            .jobs
            .or_else(|| thread::available_parallelism().ok())
            .map_or(1, NonZeroUsize::get);
        let (done, answers) = channel();
        let (credit, credits) = channel();
        let _: Result<(), _> = (0..AHEAD).try_for_each(|_| credit.send(()));
        let (tasks, waiting) = sync_channel(2 * jobs);
        let waiting = Arc::new(Mutex::new(waiting));
        // None of them is waited for: what they do is nothing until it is answered, and one may
        // never have done with reading.
        for _ in 0..jobs {
            let job = Job {
                reading: self.reading.clone(),
                onto: onto.clone(),
                commits: self.commit,
            };
            let waiting = Arc::clone(&waiting);
            let done = done.clone();
            Builder::new()
                .spawn(move || job.work(&waiting, &done))
                .context(NO_THREAD)
                .map_err(IoError::from)?;
        }
        drop(waiting);
        let feed = move || {
            if let Err(error) = read(input, answered, &credits, &tasks) {
                let _ = done.send(Err(error.into()));
            }
        };
        Builder::new()
            .spawn(feed)
            .context(NO_THREAD)
            .map_err(IoError::from)?;
        answer(session, &mut output, &answers, &credit)?;
        if let (Some(bundle), Some(output)) = (&self.bundle, &self.output) {
            transaction::bundle(&session.repo, &revision, &output::made(output)?, bundle)?;
        }
        Ok((Report::default(), Printed::default()))
    }

    fn input(&self) -> Result<Box<dyn BufRead + Send>, IoError> {
        const READ_AHEAD: usize = 1 << 16;
        Ok(
            match self
                .lines
                .as_deref()
                .map_or(ResponseOrigin::Stdin, ResponseOrigin::of)
            {
                ResponseOrigin::Stdin => {
                    Box::new(BufReader::with_capacity(READ_AHEAD, io::stdin()))
                }
                ResponseOrigin::File(path) => {
                    let file = File::open(&path).with_context(|| {
                        format!("can't read `{}`", ResponseOrigin::File(path).name())
                    })?;
                    Box::new(BufReader::with_capacity(READ_AHEAD, file))
                }
            },
        )
    }
}

/// Reads lines, and hands on those that have no answer yet.
fn read(
    mut input: Box<dyn BufRead + Send>,
    mut answered: Answered,
    credits: &Receiver<()>,
    tasks: &SyncSender<Task>,
) -> Result<(), IoError> {
    // As JSON, a byte may become six.
    const MOST: u64 = 6 * Source::MAX_LEN as u64;
    let mut number = 0;
    for at in 1.. {
        let mut line = Vec::new();
        let len = io::Read::take(&mut input, MOST)
            .read_until(b'\n', &mut line)
            .context("can't read the input")?;
        if len == 0 {
            break;
        }
        if len as u64 == MOST {
            return Err(anyhow!("line {at} of the input is longer than a response may be").into());
        }
        if line.trim_ascii().is_empty() || answered.has(&line)? {
            continue;
        }
        if credits.recv().is_err() || tasks.send((number, line)).is_err() {
            break;
        }
        number += 1;
    }
    answered.check_end()
}

/// Stores what comes of the lines, and answers in their order.
fn answer(
    session: &Session,
    output: &mut Output,
    answers: &Receiver<Answers>,
    credit: &Sender<()>,
) -> Result<(), Failure> {
    let mut early = BTreeMap::new();
    let mut next = 0;
    let mut pack = CandidatePack::default();
    let mut ready = Vec::new();
    let mut stored = Instant::now();
    loop {
        let one = if ready.is_empty() {
            answers.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            answers.recv_timeout(PAUSE)
        };
        let is_over = matches!(one, Err(RecvTimeoutError::Disconnected));
        let is_pause = one.is_err();
        if let Ok(one) = one {
            let (number, one) = one?;
            early.insert(number, one);
        }
        while let Some(Answer { text, candidate }) = early.remove(&next) {
            if let Some(candidate) = candidate {
                pack.add(candidate);
            }
            ready.push(text);
            next += 1;
        }
        if is_pause || pack.is_full() || ready.len() >= AHEAD / 2 || stored.elapsed() > PATIENCE {
            stored = Instant::now();
            std::mem::take(&mut pack).store(&session.repo)?;
            // The reader may be done.
            let _: Result<(), _> = ready.iter().try_for_each(|_| credit.send(()));
            if !output.write(&std::mem::take(&mut ready).concat())? {
                return Ok(());
            }
        }
        if is_over {
            break;
        }
    }
    if early.is_empty() {
        Ok(())
    } else {
        Err(IoError::from(anyhow!("a thread ended unexpectedly")).into())
    }
}
