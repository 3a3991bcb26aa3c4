//! Where a value is in its JSON.

use std::fmt;

use crate::text;

/// The place of a value, such as `$.a.b[2]`.
#[derive(Clone, Copy)]
pub(super) struct JsonPath<'p> {
    above: Option<&'p JsonPath<'p>>,
    step: Step<'p>,
}

#[derive(Clone, Copy)]
enum Step<'p> {
    Top,
    Member(&'p str),
    Item(usize),
}

impl<'p> JsonPath<'p> {
    pub(super) const TOP: JsonPath<'static> = JsonPath {
        above: None,
        step: Step::Top,
    };

    pub(super) fn member(&'p self, name: &'p str) -> Self {
        Self {
            above: Some(self),
            step: Step::Member(name),
        }
    }

    pub(super) fn item(&'p self, index: usize) -> Self {
        Self {
            above: Some(self),
            step: Step::Item(index),
        }
    }

    /// Returns how deep the value is.
    pub(super) fn depth(&self) -> usize {
        std::iter::successors(self.above, |path| path.above).count()
    }
}

impl fmt::Display for JsonPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.above.map_or(Ok(()), |above| above.fmt(f))?;
        match self.step {
            Step::Top => f.write_str("$"),
            Step::Member(name) if name.bytes().all(text::is_name) => write!(f, ".{name}"),
            Step::Member(name) => write!(f, "[{name:?}]"),
            Step::Item(index) => write!(f, "[{index}]"),
        }
    }
}
