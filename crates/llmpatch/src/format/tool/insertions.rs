//! A call that inserts lines behind a line, by its number → a hunk that only a base can place.

use super::CallReader;
use super::calls::{lines, plain_number};
use super::error::Error;
use super::fields::{Fields, INSERTED, LINE};
use super::json::Value;
use crate::patch::{Hunk, HunkLine, Mark, Operation, Position};

impl CallReader<'_> {
    /// Reads which lines go behind which line of a file. They are whole lines, whether the last
    /// line ends in a newline or not, and end as lines of the file do.
    pub(super) fn insertion(
        &mut self,
        object: Value<'_>,
        fields: &Fields<'_>,
    ) -> Option<Operation<'static>> {
        let inserted = self.string(object, fields, INSERTED);
        let line = self.member(object, fields, LINE).and_then(|(name, value)| {
            let wanted = "a line's number, or 0 for the top of the file";
            plain_number(value).or_else(|| self.refuse(name, value, wanted))
        });
        let (inserted, old_start): (_, u32) = (inserted?, line?);
        let mut texts = lines(self.source, &inserted);
        texts.pop_if(|last| last.is_empty());
        if texts.is_empty() {
            let field = INSERTED[0];
            self.error(object.range(), Error::Missing { field });
            return None;
        }
        let position = Position {
            old_start,
            old_lines: 0,
            new_start: old_start.saturating_add(1),
            new_lines: texts.len() as u32,
            heading: Vec::new(),
        };
        let added = texts.into_iter().map(|text| HunkLine {
            mark: Mark::Added,
            text,
            unterminated: false,
        });
        let hunk = Hunk {
            lines: added.collect(),
            position: Some(position),
            span: Some(self.source.span(object.range())),
            ..Hunk::default()
        };
        Some(Operation::Update {
            to: None,
            hunks: vec![hunk],
        })
    }
}
