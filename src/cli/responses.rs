//! Reading the responses that the command line names.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::error::{Failure, IoError, failed};
use super::output;
use crate::repo::mails;
use crate::system::END_OF_INPUT;
use llmpatch::format::Options;
use llmpatch::report::Diagnostic;
use llmpatch::response;
use llmpatch::text::{Shown, Source, SourceId};

/// Where a response, or a message, is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ResponseOrigin {
    /// Standard input.
    Stdin,
    /// A file, from the directory that the command runs in.
    File(PathBuf),
}

impl ResponseOrigin {
    /// Parses arguments: `-` is standard input, and so are none at all.
    pub(super) fn all(arguments: &[PathBuf]) -> Vec<ResponseOrigin> {
        if arguments.is_empty() {
            vec![ResponseOrigin::Stdin]
        } else {
            arguments
                .iter()
                .map(|path| ResponseOrigin::of(path))
                .collect()
        }
    }

    /// Returns the names of all that arguments name.
    pub(super) fn names(arguments: &[PathBuf]) -> Vec<String> {
        ResponseOrigin::all(arguments)
            .iter()
            .map(ResponseOrigin::name)
            .collect()
    }

    /// Parses one argument.
    pub(super) fn of(argument: &Path) -> ResponseOrigin {
        if argument == OsStr::new("-") {
            ResponseOrigin::Stdin
        } else {
            ResponseOrigin::File(argument.to_owned())
        }
    }

    /// Returns the name under which messages point at it.
    pub(super) fn name(&self) -> String {
        match self {
            ResponseOrigin::Stdin => "<stdin>".to_owned(),
            ResponseOrigin::File(path) => Shown::path(path).to_string(),
        }
    }

    /// Reads all of it. Says so once where a person would have to type it.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn read(&self) -> Result<Vec<u8>, IoError> {
        let mut bytes = Vec::with_capacity(16 << 10);
        // One byte more than fits is enough to know that it doesn't.
        let limit = Source::MAX_LEN as u64 + 1;
        let read = match self {
            ResponseOrigin::Stdin => {
                tell_terminal();
                let stdin = io::stdin().lock();
                stdin.take(limit).read_to_end(&mut bytes)
            }
            ResponseOrigin::File(path) => {
                File::open(path)
                    .and_then(|file| file.take(limit).read_to_end(&mut bytes))
                    // Windows refuses to open a directory, without saying that it is one.
                    .map_err(|error| match error.kind() {
                        io::ErrorKind::PermissionDenied if path.is_dir() => {
                            io::Error::new(io::ErrorKind::IsADirectory, "Is a directory")
                        }
                        _ => error,
                    })
            }
        };
        read.with_context(|| format!("can't read `{}`", self.name()))?;
        Ok(bytes)
    }

    /// Reads the file or standard input as response `number`.
    ///
    /// # Errors
    /// If the system refuses, there are too many responses, or the response is too long.
    pub(super) fn source(&self, number: usize) -> Result<Source, IoError> {
        let id = u16::try_from(number)
            .with_context(|| format!("more than {} responses", usize::from(u16::MAX) + 1))?;
        source(SourceId(id), self.name(), Some(self.read()?))
    }
}

/// Says that standard input is read, where a person would have to type it.
pub(super) fn tell_terminal() {
    if io::stdin().is_terminal() {
        output::complain(&format!(
            "reading from the terminal; {END_OF_INPUT} on an empty line ends it\n"
        ));
    }
}

/// Makes a source of what was read; of nothing where it is longer than a response may be.
///
/// # Errors
/// If it is too long.
pub(super) fn source(
    id: SourceId,
    name: String,
    bytes: Option<Vec<u8>>,
) -> Result<Source, IoError> {
    let length = Source::MAX_LEN >> 20;
    let lines = Source::MAX_LINES;
    let too_long = format!(
        "`{name}` is longer than {length} MiB or has more than {lines} lines; give it in parts"
    );
    Ok(bytes
        .and_then(|bytes| Source::new(id, name, bytes))
        .context(too_long)?)
}

/// Parts a series of mails into those that bring a patch, each a response by itself; there are none in
/// what isn't several mails.
pub(super) fn series(source: &Source) -> Vec<Source> {
    let mails = mails(source.bytes());
    if mails.len() < 2 {
        return Vec::new();
    }
    let parts = mails.iter().zip(1..).filter_map(|(range, number)| {
        let text = source.bytes()[range.clone()].to_vec();
        Source::new(
            source.id(),
            format!("{}, mail {number}", source.name()),
            text,
        )
    });
    let has_patch = |part: &Source| response::parse(part, &Options::default()).has_patch();
    parts.filter(has_patch).collect()
}

/// Reads the responses that arguments name, in order, and numbers them.
///
/// # Errors
/// One for every response that can't be read.
pub(super) fn read(arguments: &[PathBuf]) -> Result<Vec<Source>, Failure> {
    let mut sources = Vec::new();
    let mut errors = Vec::new();
    for (number, origin) in ResponseOrigin::all(arguments).iter().enumerate() {
        match origin.source(number) {
            Ok(source) => sources.push(source),
            Err(error) => errors.push(Diagnostic::from(&error)),
        }
    }
    if errors.is_empty() {
        Ok(sources)
    } else {
        Err(failed(errors))
    }
}
