//! Where answers are written, and which of them were written before.
//!
//! A file that has something in it is ours if each of its lines is a line that this command writes
//! about the same revision, and what follows the last line end begins like one. Nothing is changed
//! before all of that is seen and the input has the same lines.

use std::fs::{File, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use anyhow::Context as _;
use bstr::ByteSlice as _;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::line::{Claim, id};
use crate::cli::error::{CliError, Failure, IoError};
use crate::cli::named_file;
use crate::repo::Repo;
use crate::system::FileExt as _;
use llmpatch::report::json;
use llmpatch::text::Shown;

/// How each line begins.
const BEGIN: &[u8] = b"{\"id\":";

/// Where answers go.
pub(super) struct Output {
    to: Box<dyn Write>,
    name: String,
    /// The file, and how much of it is whole lines, until what follows them is cut off.
    begun: Option<(File, u64)>,
}

/// What is asked for of every line.
#[derive(Clone, Copy)]
pub(super) struct Asked<'o> {
    /// The full id of the revision that the responses are applied to.
    pub(super) onto: &'o str,
    /// Whether a commit is made of each response.
    pub(super) commit: bool,
}

/// The lines that were answered before, in their order.
pub(super) struct Answered {
    lines: Box<dyn BufRead + Send>,
    name: String,
    /// How many have been met.
    met: usize,
}

/// A line that this command writes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written<'l> {
    #[serde(borrow)]
    id: Option<&'l RawValue>,
    onto: String,
    tree: Option<String>,
    commit: Option<String>,
    #[serde(rename = "warnings")]
    _warnings: IgnoredAny,
    #[serde(rename = "errors")]
    _errors: IgnoredAny,
    #[serde(rename = "feedback")]
    _feedback: IgnoredAny,
}

impl Output {
    /// Opens standard output.
    pub(super) fn standard() -> (Self, Answered) {
        let name = "standard output";
        let output = Self {
            to: Box::new(io::stdout()),
            name: name.to_owned(),
            begun: None,
        };
        (output, Answered::none(name))
    }

    /// Opens a file, which nobody else writes to then. With `resume` it goes on behind the lines
    /// that are in it.
    ///
    /// # Errors
    /// If the file has something in it that isn't to be lost, or the system refuses.
    pub(super) fn open(
        repo: &Repo,
        path: &Path,
        resume: bool,
        asked: Asked<'_>,
    ) -> Result<(Self, Answered), Failure> {
        let name = format!("`{}`", Shown::path(path));
        let file = named_file::open(repo, path)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(CliError::InUse { name }.into()),
            locked => locked
                .with_context(|| format!("can't lock {name}"))
                .map_err(IoError::from)?,
        }
        let mut answered = Answered::none(&name);
        let whole = answered.check(&file, resume, asked)?;
        let to = file.try_clone();
        let to = to
            .with_context(|| format!("can't write {name}"))
            .map_err(IoError::from)?;
        let output = Self {
            to: Box::new(to),
            name,
            begun: Some((file, whole)),
        };
        Ok((output, answered))
    }

    /// Writes answers. Returns whether anybody reads them.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn write(&mut self, text: &str) -> Result<bool, IoError> {
        let written = self
            .cut()
            .and_then(|()| self.to.write_all(text.as_bytes()))
            .and_then(|()| self.to.flush());
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
            written => Ok(written
                .map(|()| true)
                .with_context(|| format!("can't write {}", self.name))?),
        }
    }

    /// Returns what it is called in messages.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Takes off what was begun.
    fn cut(&mut self) -> io::Result<()> {
        self.begun
            .take()
            .map_or(Ok(()), |(file, whole)| file.set_len(whole))
    }
}

/// Reads a file from its beginning, whatever else is done with it.
struct FromStart {
    file: File,
    at: u64,
}

impl Read for FromStart {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let len = self.file.read_at(bytes, self.at)?;
        self.at += len as u64;
        Ok(len)
    }
}

impl Answered {
    fn none(name: &str) -> Self {
        Self {
            lines: Box::new(io::empty()),
            name: name.to_owned(),
            met: 0,
        }
    }

    /// Checks that all of a file is ours, and goes to its beginning. Returns how many bytes its
    /// whole lines have.
    ///
    /// # Errors
    /// If it isn't, or can't be read.
    fn check(&mut self, file: &File, resume: bool, asked: Asked<'_>) -> Result<u64, Failure> {
        let unreadable = format!("can't read {}", self.name);
        let metadata = file.metadata().with_context(|| unreadable.clone());
        if metadata.map_err(IoError::from)?.len() > 0 && !resume {
            let name = self.name.clone();
            return Err(CliError::OutputExists { name }.into());
        }
        let from_start = || {
            let file = file.try_clone().with_context(|| unreadable.clone())?;
            anyhow::Ok(FromStart { file, at: 0 })
        };
        let from = from_start().map_err(IoError::from)?;
        self.lines = Box::new(BufReader::new(from));
        let mut whole = 0;
        while let Some(line) = self.next()? {
            if !line.ends_with(b"\n") {
                let is_ours = line.starts_with(BEGIN) || BEGIN.starts_with(&line);
                is_ours.then_some(()).ok_or_else(|| self.foreign())?;
                break;
            }
            let len = line.len() as u64;
            let written = self.parse(&line)?;
            let (line, name) = (self.met, self.name.clone());
            if written.onto != asked.onto {
                let onto = asked.onto.to_owned();
                return Err(CliError::OtherOnto { line, name, onto }.into());
            }
            if written.tree.is_some() && written.commit.is_some() != asked.commit {
                let has = if asked.commit {
                    "no commit"
                } else {
                    "a commit"
                };
                return Err(CliError::OtherRun(format!("line {line} of {name} has {has}")).into());
            }
            whole += len;
        }
        let from = from_start().map_err(IoError::from)?;
        self.lines = Box::new(BufReader::new(from.take(whole)));
        self.met = 0;
        Ok(whole)
    }

    /// Returns whether a line of the input is the next line that was answered before, and what is
    /// said to have been made of it.
    ///
    /// # Errors
    /// If another line was answered in its place.
    pub(super) fn find(&mut self, line: &[u8]) -> Result<(bool, Option<Claim>), Failure> {
        let Some(answer) = self.next()? else {
            return Ok((false, None));
        };
        let Written {
            id: told,
            tree,
            commit,
            ..
        } = self.parse(&answer)?;
        let [told, asked] = [told, id(line)].map(json::repeated);
        let at = self.met;
        if told != asked {
            let name = &self.name;
            let shows = format!("line {at} of {name} is about {told}, where the input has {asked}");
            return Err(CliError::OtherRun(shows).into());
        }
        Ok((true, tree.map(|tree| Claim { at, tree, commit })))
    }

    /// Checks that nothing more was answered.
    ///
    /// # Errors
    /// If there was.
    pub(super) fn check_end(&mut self) -> Result<(), Failure> {
        match self.next()? {
            None => Ok(()),
            Some(_) => {
                let shows = format!("{} has more lines than the input", self.name);
                Err(CliError::OtherRun(shows).into())
            }
        }
    }

    fn parse<'l>(&self, line: &'l [u8]) -> Result<Written<'l>, CliError> {
        serde_json::from_slice(line).map_err(|_| self.foreign())
    }

    fn foreign(&self) -> CliError {
        let (name, met) = (&self.name, self.met);
        CliError::OtherRun(format!(
            "line {met} of {name} isn't a line that batch writes"
        ))
    }

    fn next(&mut self) -> Result<Option<Vec<u8>>, IoError> {
        let mut line = Vec::new();
        let len = self
            .lines
            .read_until(b'\n', &mut line)
            .with_context(|| format!("can't read {}", self.name))?;
        self.met += 1;
        Ok((len > 0).then_some(line))
    }
}

/// Returns whether a file is a bundle of what this command makes.
pub(super) fn is_bundle(path: &Path) -> bool {
    let Ok(file) = File::open(path) else {
        return false;
    };
    let mut lines = BufReader::new(file.take(1 << 30)).split(b'\n');
    let mut next = || lines.next()?.ok();
    let is_header = |line: &[u8]| line.starts_with(b"# v") && line.ends_with(b" git bundle");
    if !next().is_some_and(|line| is_header(&line)) {
        return false;
    }
    while let Some(line) = next() {
        let is_ours = match line.first() {
            None => return true,
            Some(b'@' | b'-') => true,
            _ => line.contains_str(" refs/llmpatch/batch/"),
        };
        if !is_ours {
            return false;
        }
    }
    false
}
