use super::{Diagnose, Diagnosis};
use crate::compare::CompareError;
use crate::kind::Kind;

impl Diagnose for CompareError {
    fn diagnosis(&self) -> Diagnosis {
        match self {
            CompareError::Stored { path, kind: Kind::Unsupported, .. } => Diagnosis::new(Kind::Unsupported)
                .path(path)
                .help("leave out what prints a diff; the change itself doesn't need one"),
            CompareError::Stored { path, kind, .. } => Diagnosis::new(*kind).path(path),
            CompareError::Engine { path, .. } => Diagnosis::new(Kind::Io).path(path),
            CompareError::Objects { .. } => Diagnosis::new(Kind::Io),
        }
    }
}
