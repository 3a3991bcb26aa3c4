//! Failures at the edge of the program, where it meets files and streams: what was attempted, and what the system said.

use std::fmt;
use std::io;

use crate::explain::Explain;
use crate::kind::Kind;
use crate::text::SystemError;

/// A failure of something that only the command line does. It is always the system's.
#[derive(Debug)]
pub(super) struct IoError(anyhow::Error);

impl<E: Into<anyhow::Error>> From<E> for IoError {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl fmt::Display for IoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (depth, cause) in self.0.chain().enumerate() {
            let colon = if depth == 0 { "" } else { ": " };
            match cause.downcast_ref::<io::Error>() {
                Some(said) => write!(f, "{colon}{}", SystemError(said))?,
                None => write!(f, "{colon}{cause}")?,
            }
        }
        Ok(())
    }
}

impl Explain for IoError {
    fn kind(&self) -> Kind {
        Kind::Io
    }

    fn help(&self) -> Option<String> {
        let said = self.0.downcast_ref::<io::Error>()?;
        match said.kind() {
            io::ErrorKind::NotFound => Some("name a file that is there, or `-` for standard input".to_owned()),
            io::ErrorKind::IsADirectory => Some("name the files in it, or `-` for standard input".to_owned()),
            _ => None,
        }
    }
}
