//! Many responses to one question: each is worked out by itself, by as many threads as there are
//! processors.
//!
//! One thread reads lines, some work them out, each with a repository of its own, and the first one
//! stores what comes of them and answers, in the order of the lines. An answer is written once its
//! objects are on the disk, so that an answer that is there is true, and whoever was stopped goes
//! on behind the last one.

mod budget;
mod line;
mod output;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use clap::Args;

use self::budget::Budget;
use self::line::{BatchAnswer, Claim, Job};
use self::output::{Answered, Output};
use super::error::{CliError, Failure, IoError};
use super::exit::Exit;
use super::flow::{self, Printed, Session};
use super::named_file;
use super::options::{Reading, Verbosity, count};
use super::responses::{self, ResponseOrigin};
use crate::repo::Revision;
use crate::store::{self, CandidateKind, CandidatePack, Results};
use llmpatch::report::Report;
use llmpatch::text::{Shown, Source};

/// What failed where the system has no thread to give.
const NO_THREAD: &str = "can't start a thread";
/// How many answers are stored together at most.
const TOGETHER: usize = 2048;
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
#[command(after_help = "'git llmpatch help batch' has all options.")]
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
    #[arg(short, long, value_name = "n", value_parser = count::<NonZeroUsize>)]
    jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    reading: Reading,
}

/// A line of the input that is to be worked out.
struct InputLine {
    /// Its number in the input, from 0.
    number: usize,
    line: Vec<u8>,
    /// What an earlier run says that it made of it.
    claim: Option<Claim>,
}

/// An answer to a line of this number, or why there are none from here on.
type Worked = Result<(usize, BatchAnswer), Failure>;

impl Batch {
    /// Runs the command, and prints how it went.
    ///
    /// # Errors
    /// If options don't go together.
    pub(super) fn run(&self) -> Result<Exit, clap::Error> {
        let whole = |path: &PathBuf| std::path::absolute(path).ok();
        let bundle = self.bundle.as_ref().and_then(whole);
        if bundle.is_some() && bundle == self.output.as_ref().and_then(whole) {
            let message = "the options '--bundle' and '--output' name the same file";
            return Err(super::usage("batch", message));
        }
        Ok(flow::run(
            &self.reading,
            &Verbosity::default(),
            Vec::new(),
            |session| self.batch(session),
        ))
    }

    fn batch(&self, session: &Session) -> Result<(Report, Printed), Failure> {
        let revision = Revision::find(&session.repo, &self.onto)?;
        let onto = revision.to_string();
        // Whoever can't commit is told so once.
        let kind = CandidateKind::of(&session.repo, &revision, self.commit)?;
        let input = self.input()?;
        self.check_bundle(session)?;
        let (mut output, answered) = match &self.output {
            Some(path) => {
                let (onto, commit) = (&onto[..], self.commit);
                Output::open(
                    &session.repo,
                    path,
                    self.resume,
                    output::Asked { onto, commit },
                )?
            }
            None => Output::standard(),
        };
        let answers = self.start(input, answered, &onto, &kind)?;
        let made = answer(session, &revision, &mut output, &answers)?;
        if let Some(bundle) = &self.bundle {
            self.check_bundle(session)?;
            store::bundle(&session.repo, &revision, &made, bundle)?;
        }
        Ok((Report::default(), Printed::default()))
    }

    /// Starts the threads that read the lines and work them out. None of them is waited for: what
    /// they do is nothing until it is answered, and one may never have done with reading.
    fn start(
        &self,
        input: Box<dyn BufRead + Send>,
        answered: Answered,
        onto: &str,
        kind: &CandidateKind,
    ) -> Result<Answers, IoError> {
        let jobs = self
            .jobs
            .or_else(|| thread::available_parallelism().ok())
            .map_or(1, NonZeroUsize::get);
        let (done, answers) = channel();
        let (tasks, waiting) = sync_channel(2 * jobs);
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..jobs {
            let job = Job {
                reading: self.reading.clone(),
                onto: onto.to_owned(),
                kind: kind.clone(),
            };
            let waiting = Arc::clone(&waiting);
            let done = done.clone();
            Builder::new()
                .spawn(move || job.work(&waiting, &done))
                .context(NO_THREAD)?;
        }
        let budget = Arc::new(Budget::default());
        let feed = Feed {
            answered,
            // What is said to be made and is to be handed on is made again to see that it is so.
            checks: self.bundle.is_some(),
            budget: Arc::clone(&budget),
            tasks,
        };
        let feed = move || {
            if let Err(error) = feed.read(input) {
                let _ = done.send(Err(error));
            }
        };
        Builder::new().spawn(feed).context(NO_THREAD)?;
        Ok(Answers { answers, budget })
    }

    /// Checks that nothing is where the bundle goes but what an earlier run wrote there.
    fn check_bundle(&self, session: &Session) -> Result<(), Failure> {
        let Some(path) = &self.bundle else {
            return Ok(());
        };
        named_file::check(&session.repo, path)?;
        let name = Shown::path(path);
        let directory = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        if !directory.is_none_or(Path::is_dir) {
            let error = anyhow!("can't write `{name}`: its directory isn't there");
            return Err(IoError::from(error).into());
        }
        let is_free = path.symlink_metadata().is_err();
        if is_free || self.resume && output::is_bundle(path) {
            return Ok(());
        }
        let name = format!("`{name}`");
        Err(CliError::OutputExists { name }.into())
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
                    responses::tell_terminal();
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

/// What reads lines, and hands on the lines that have no response yet.
struct Feed {
    answered: Answered,
    /// Whether lines that have a response are handed on, too.
    checks: bool,
    budget: Arc<Budget>,
    tasks: SyncSender<InputLine>,
}

impl Feed {
    fn read(mut self, mut input: Box<dyn BufRead + Send>) -> Result<(), Failure> {
        // As JSON, a byte may become six.
        const MOST: u64 = 6 * Source::MAX_LEN as u64;
        let mut number = 0;
        for at in 1.. {
            let mut line = Vec::new();
            let len = io::Read::take(&mut input, MOST)
                .read_until(b'\n', &mut line)
                .context("can't read the input")
                .map_err(IoError::from)?;
            if len == 0 {
                break;
            }
            if len as u64 == MOST {
                let error = anyhow!("line {at} of the input is longer than a response may be");
                return Err(IoError::from(error).into());
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            let (is_answered, claim) = self.answered.find(&line)?;
            if is_answered && (claim.is_none() || !self.checks) {
                continue;
            }
            self.budget.take(len);
            let task = InputLine {
                number,
                line,
                claim,
            };
            if self.tasks.send(task).is_err() {
                break;
            }
            number += 1;
        }
        self.answered.check_end()
    }
}

/// Answers as they are worked out, in any order.
struct Answers {
    answers: Receiver<Worked>,
    budget: Arc<Budget>,
}

/// Stores what comes of the lines, and answers in their order. Returns the names of all that was
/// made, by an earlier run too, if its claims were checked.
fn answer(
    session: &Session,
    onto: &Revision,
    output: &mut Output,
    Answers { answers, budget }: &Answers,
) -> Result<BTreeSet<String>, Failure> {
    let mut early = BTreeMap::new();
    let mut next = 0;
    let mut made = BTreeSet::new();
    let mut pending = Pending::new();
    let mut results = Results::new(&session.repo);
    loop {
        let one = if pending.count == 0 {
            answers.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            answers.recv_timeout(PAUSE)
        };
        let is_over = matches!(one, Err(RecvTimeoutError::Disconnected));
        let is_pause = one.is_err();
        if let Ok(one) = one {
            let (number, one) = one?;
            budget.change(one.asked, one.weight());
            early.insert(number, one);
        }
        while let Some(one) = early.remove(&next) {
            next += 1;
            made.extend(one.name(&session.repo, onto, output)?);
            pending.add(one);
        }
        if is_pause || pending.is_full() {
            // Then the answers are true.
            results.store(pending.pack)?;
            if !output.write(&pending.text)? {
                return Ok(made);
            }
            budget.free(pending.weight, pending.count);
            pending = Pending::new();
        }
        if is_over {
            break;
        }
    }
    if early.is_empty() {
        Ok(made)
    } else {
        Err(IoError::from(anyhow!("a thread ended unexpectedly")).into())
    }
}

/// Answers that are to be written together.
struct Pending {
    pack: CandidatePack,
    text: String,
    count: usize,
    weight: usize,
    since: Instant,
}

impl Pending {
    fn new() -> Self {
        Self {
            pack: CandidatePack::default(),
            text: String::new(),
            count: 0,
            weight: 0,
            since: Instant::now(),
        }
    }

    fn add(&mut self, one: BatchAnswer) {
        self.count += 1;
        self.weight += one.weight();
        // What was claimed is there, and was written.
        if one.claim.is_none() {
            self.text += &one.text;
            if let Some(candidate) = one.candidate {
                self.pack.add(candidate);
            }
        }
    }

    fn is_full(&self) -> bool {
        self.pack.is_full() || self.count >= TOGETHER || self.since.elapsed() > PATIENCE
    }
}
