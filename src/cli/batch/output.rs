//! Where answers are written, and which of them were written before.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Take, Write as _};
use std::path::Path;

use anyhow::{Context as _, anyhow};

use super::line::Named;
use crate::cli::error::IoError;
use crate::cli::responses::Origin;

/// Where answers go.
pub(super) enum Output {
    Stdout,
    File { file: File, name: String },
}

/// The lines that were answered before, in their order.
pub(super) struct Answered {
    lines: Option<BufReader<Take<File>>>,
    name: String,
    onto: String,
    /// How many have been met.
    met: usize,
}

impl Output {
    /// Opens a file, or standard output. With `resume`, what was answered in the file is kept, and what was begun is taken off it.
    ///
    /// # Errors
    /// If the file has something in it that isn't to be lost, or the system says no.
    pub(super) fn open(path: Option<&Path>, resume: bool, onto: &str) -> Result<(Self, Answered), IoError> {
        let mut answered = Answered { lines: None, name: String::new(), onto: onto.to_owned(), met: 0 };
        let Some(path) = path else { return Ok((Output::Stdout, answered)) };
        let name = Origin::File(path.to_owned()).name();
        let open = || format!("can't write `{name}`");
        let mut options = OpenOptions::new();
        let mut file = options.read(true).append(true).create(true).open(path).with_context(open)?;
        let mut len = file.metadata().with_context(open)?.len();
        if len > 0 && !resume {
            return Err(anyhow!("`{name}` is there already; --resume goes on behind its last line").into());
        }
        if len > 0 {
            len = whole_lines(&mut file).with_context(open)?;
            file.set_len(len).with_context(open)?;
            let lines = File::open(path).with_context(open)?.take(len);
            answered = Answered { lines: Some(BufReader::new(lines)), name: name.clone(), ..answered };
        }
        Ok((Output::File { file, name }, answered))
    }

    /// Writes answers. Returns whether anybody reads them.
    ///
    /// # Errors
    /// If the system says no.
    pub(super) fn write(&mut self, text: &str) -> Result<bool, IoError> {
        let (written, name) = match self {
            Output::Stdout => {
                let mut stdout = io::stdout().lock();
                (stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()), "standard output")
            }
            Output::File { file, name } => (file.write_all(text.as_bytes()), &name[..]),
        };
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
            written => Ok(written.map(|()| true).with_context(|| format!("can't write {name}"))?),
        }
    }
}

/// Returns how long the lines of a file are that have an end.
fn whole_lines(file: &mut File) -> io::Result<u64> {
    let (mut len, mut whole) = (0, 0);
    let mut reader = BufReader::new(file);
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            return Ok(whole);
        }
        if let Some(last) = memchr::memrchr(b'\n', bytes) {
            whole = len + last as u64 + 1;
        }
        let read = bytes.len();
        len += read as u64;
        reader.consume(read);
    }
}

impl Answered {
    /// Returns whether a line of the input is the next one that was answered before.
    ///
    /// # Errors
    /// If another line was answered in its place, or for another revision.
    pub(super) fn has(&mut self, line: &[u8]) -> Result<bool, IoError> {
        let Some(answer) = self.next()? else { return Ok(false) };
        let (met, name) = (self.met, &self.name);
        let about: Named =
            serde_json::from_slice(&answer).with_context(|| format!("line {met} of `{name}` isn't an answer"))?;
        if about.onto.as_deref() != Some(&self.onto) {
            return Err(anyhow!("line {met} of `{name}` was made of another revision than {}", self.onto).into());
        }
        let asked = Named::of(line);
        if about.id != asked {
            let error = anyhow!("line {met} of `{name}` is about {}, where the input has {asked}", about.id);
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
        let Some(lines) = &mut self.lines else { return Ok(None) };
        let mut line = Vec::new();
        let name = &self.name;
        let len = lines.read_until(b'\n', &mut line).with_context(|| format!("can't read `{name}`"))?;
        self.met += 1;
        Ok((len > 0).then_some(line))
    }
}
