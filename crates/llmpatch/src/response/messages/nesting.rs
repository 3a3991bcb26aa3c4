//! Where a value is in its JSON, and what is around it.

use std::fmt;

use crate::response::literal::Language;

/// The place of a value, such as `$.a.b[2]`.
#[derive(Clone, Copy)]
pub(super) struct JsonPath<'p> {
    above: Option<&'p JsonPath<'p>>,
    step: Step<'p>,
}

#[derive(Clone, Copy)]
pub(super) enum Step<'p> {
    Top,
    Member(&'p str),
    Item(usize),
}

impl JsonPath<'_> {
    pub(super) const TOP: JsonPath<'static> = JsonPath {
        above: None,
        step: Step::Top,
    };

    /// Returns the name of the member that it is the place of.
    pub(super) fn member(&self) -> Option<&str> {
        match self.step {
            Step::Member(name) => Some(name),
            _ => None,
        }
    }
}

impl fmt::Display for JsonPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.above.map_or(Ok(()), |above| above.fmt(f))?;
        match self.step {
            Step::Top => f.write_str("$"),
            Step::Member(name) => write!(f, ".{name}"),
            Step::Item(index) => write!(f, "[{index}]"),
        }
    }
}

/// What a value is in.
#[derive(Clone, Copy)]
pub(super) struct Nesting<'v> {
    pub(super) depth: usize,
    pub(super) path: JsonPath<'v>,
    /// Whether something says that it is a message, or a call.
    pub(super) is_wrapped: bool,
    /// Whether it is what a call was given.
    pub(super) is_given: bool,
    /// What names the call.
    pub(super) id: Option<&'v str>,
    /// The language of the programs that it holds, if it is named.
    pub(super) language: Option<Language>,
    /// The directory in which a command that it holds runs.
    pub(super) directory: &'v str,
}

/// Members that hold programs.
const PROGRAMS: [&str; 3] = ["code", "script", "input"];

impl<'v> Nesting<'v> {
    /// Returns whether a text here may be a program.
    pub(super) fn may_be_program(&self) -> bool {
        matches!(self.path.step, Step::Member(name) if PROGRAMS.contains(&name))
    }

    pub(super) fn inside(&'v self, step: Step<'v>) -> Nesting<'v> {
        Nesting {
            depth: self.depth + 1,
            path: JsonPath {
                above: Some(&self.path),
                step,
            },
            ..*self
        }
    }
}
