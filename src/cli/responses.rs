//! Reading the responses that the command line names.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, IsTerminal as _, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::flow::Stop;
use super::output;
use crate::explain::Explain;
use crate::kind::Kind;
use crate::report::{Diagnostic, Report, State};
use crate::text::{Shown, Source, SourceId};

/// Where a response, or a message, is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Standard input.
    Stdin,
    /// A file, from the folder that the command runs in.
    File(PathBuf),
}

impl Origin {
    /// Understands arguments: `-` is standard input, and so are none at all.
    pub(super) fn all(arguments: &[PathBuf]) -> Vec<Origin> {
        if arguments.is_empty() { vec![Origin::Stdin] } else { arguments.iter().map(|path| Origin::of(path)).collect() }
    }

    /// Understands one argument.
    pub(super) fn of(argument: &Path) -> Origin {
        if argument == OsStr::new("-") { Origin::Stdin } else { Origin::File(argument.to_owned()) }
    }

    /// Returns the name under which messages point at it.
    pub(super) fn name(&self) -> String {
        match self {
            Origin::Stdin => "<stdin>".to_owned(),
            Origin::File(path) => Shown(path.as_os_str().as_bytes()).to_string(),
        }
    }

    /// Reads all of it. Says so once where a person would have to type it.
    ///
    /// # Errors
    /// If the system says no.
    pub(super) fn read(&self) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        // One byte more than fits is enough to know that it doesn't.
        let limit = Source::MAX_LEN as u64 + 1;
        let read = match self {
            Origin::Stdin => {
                let stdin = io::stdin().lock();
                if stdin.is_terminal() {
                    output::complain("reading from the terminal; Ctrl-D on an empty line ends it\n");
                }
                stdin.take(limit).read_to_end(&mut bytes)
            }
            Origin::File(path) => File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes)),
        };
        read.map(|_| bytes).map_err(|source| Fault::Unreadable { name: self.name(), source })
    }

    /// Reads it as the response of a number.
    ///
    /// # Errors
    /// If the system says no, or there are too many or too long ones.
    pub(super) fn source(&self, number: usize) -> Result<Source, Fault> {
        let id = u16::try_from(number).map_err(|_| Fault::TooMany)?;
        Source::new(SourceId(id), self.name(), self.read()?).ok_or_else(|| Fault::TooLong { name: self.name() })
    }
}

/// Reads the responses that arguments name, in order, and numbers them.
///
/// # Errors
/// With every one that can't be read.
pub(super) fn read(arguments: &[PathBuf]) -> Result<Vec<Source>, Stop> {
    let mut sources = Vec::new();
    let mut errors = Vec::new();
    for (number, origin) in Origin::all(arguments).iter().enumerate() {
        match origin.source(number) {
            Ok(source) => sources.push(source),
            Err(fault) => errors.push(Diagnostic::new(&fault, None, &[])),
        }
    }
    if errors.is_empty() {
        Ok(sources)
    } else {
        Err(Box::new(Report::failed_with(State::NothingChanged, errors, Vec::new())))
    }
}

/// Why a response can't be read at all.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    /// The system said no.
    #[error("can't read `{name}`: {source}")]
    Unreadable { name: String, source: io::Error },
    /// More bytes than a place can count.
    #[error("`{name}` is longer than 4 GiB")]
    TooLong { name: String },
    /// More responses than a place can count.
    #[error("more than {} responses", usize::from(u16::MAX) + 1)]
    TooMany,
}

impl Explain for Fault {
    fn kind(&self) -> Kind {
        Kind::Io
    }

    fn help(&self) -> Option<String> {
        match self {
            Fault::Unreadable { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                Some("name a file with a model's answer, or `-` for standard input".to_owned())
            }
            Fault::Unreadable { .. } => None,
            Fault::TooLong { .. } | Fault::TooMany => Some("give it in parts".to_owned()),
        }
    }
}
