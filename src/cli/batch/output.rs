//! Where answers are written, and which of them were written before.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read as _, Write};
use std::path::Path;

use anyhow::{Context as _, anyhow};
use serde::Deserialize;

use super::line::Named;
use crate::cli::error::IoError;
use llmpatch::text::Shown;

/// Where answers go.
pub(super) struct Output {
    to: Box<dyn Write>,
    name: String,
}

/// The lines that were answered before, in their order.
pub(super) struct Answered {
    lines: Box<dyn BufRead + Send>,
    name: String,
    onto: String,
    /// How many have been met.
    met: usize,
}

impl Output {
    /// Opens a file, or standard output. With `resume`, what was answered in the file is kept, and
    /// what was begun is taken off it.
    ///
    /// # Errors
    /// If the file has something in it that isn't to be lost, or the system refuses.
    pub(super) fn open(
        path: Option<&Path>,
        resume: bool,
        onto: &str,
    ) -> Result<(Self, Answered), IoError> {
        let name = path.map_or_else(
            || "standard output".to_owned(),
            |path| Shown::path(path).to_string(),
        );
        let mut answered = Answered {
            lines: Box::new(io::empty()),
            name: name.clone(),
            onto: onto.to_owned(),
            met: 0,
        };
        let Some(path) = path else {
            return Ok((
                Self {
                    to: Box::new(io::stdout()),
                    name,
                },
                answered,
            ));
        };
        let open = || format!("can't write `{name}`");
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .with_context(open)?;
        let len = file.metadata().with_context(open)?.len();
        if len > 0 && !resume {
            return Err(anyhow!(
                "`{name}` is there already; --resume continues after its last line"
            )
            .into());
        }
        if len > 0 {
            let len = whole_lines(&mut file).with_context(open)?;
            file.set_len(len).with_context(open)?;
            answered.lines = Box::new(BufReader::new(
                File::open(path).with_context(open)?.take(len),
            ));
        }
        Ok((
            Self {
                to: Box::new(file),
                name,
            },
            answered,
        ))
    }

    /// Writes answers. Returns whether anybody reads them.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn write(&mut self, text: &str) -> Result<bool, IoError> {
        match self
            .to
            .write_all(text.as_bytes())
            .and_then(|()| self.to.flush())
        {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
            written => Ok(written
                .map(|()| true)
                .with_context(|| format!("can't write {}", self.name))?),
        }
    }
}

/// Returns how long the lines of a file are that have an end.
fn whole_lines(file: &mut File) -> io::Result<u64> {
    let mut reader = BufReader::new(file);
    let mut whole = 0;
    loop {
        let mut line = Vec::new();
        let len = reader.read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            return Ok(whole);
        }
        whole += len as u64;
    }
}

impl Answered {
    /// Returns whether a line of the input is the next one that was answered before.
    ///
    /// # Errors
    /// If another line was answered in its place, or for another revision.
    pub(super) fn has(&mut self, line: &[u8]) -> Result<bool, IoError> {
        let Some(answer) = self.next()? else {
            return Ok(false);
        };
        let met = self.met;
        let name = &self.name;
        let about: Named = serde_json::from_slice(&answer)
            .with_context(|| format!("line {met} of `{name}` isn't a line that batch writes"))?;
        if about.onto.as_deref() != Some(&self.onto) {
            return Err(anyhow!(
                "line {met} of `{name}` was made from another revision than {}",
                self.onto
            )
            .into());
        }
        let asked = Named::of(line);
        if about.id != asked {
            let error = anyhow!(
                "line {met} of `{name}` is about {}, where the input has {asked}",
                about.id
            );
            return Err(error.into());
        }
        Ok(true)
    }

    /// Checks that nothing more was answered.
    ///
    /// # Errors
    /// If there was.
    pub(super) fn check_end(&mut self) -> Result<(), IoError> {
        match self.next()? {
            None => Ok(()),
            Some(_) => Err(anyhow!("`{}` has more lines than the input", self.name).into()),
        }
    }

    fn next(&mut self) -> Result<Option<Vec<u8>>, IoError> {
        let mut line = Vec::new();
        let len = self
            .lines
            .read_until(b'\n', &mut line)
            .with_context(|| format!("can't read `{}`", self.name))?;
        self.met += 1;
        Ok((len > 0).then_some(line))
    }
}

/// What an answer says was made.
#[derive(Deserialize)]
struct MadeObject {
    tree: Option<String>,
    commit: Option<String>,
}

/// Returns the names of all that the answers in a file say was made.
///
/// # Errors
/// If they can't be read.
pub(super) fn made(answers: &Path) -> Result<BTreeSet<String>, IoError> {
    let read = || {
        let mut made = BTreeSet::new();
        for line in BufReader::new(File::open(answers)?).split(b'\n') {
            let one: MadeObject = serde_json::from_slice(&line?)?;
            made.extend(one.commit.or(one.tree));
        }
        anyhow::Ok(made)
    };
    Ok(read().with_context(|| format!("can't read `{}`", Shown::path(answers)))?)
}
