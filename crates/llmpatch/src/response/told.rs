//! What messages tell of calls and texts: how a message ended, what somebody else says of the texts
//! before, and which calls are told again.

use super::Error;
use super::messages::{Around, Messages};
use super::outcomes::{self, Outcome};
use super::rows::MatchedRows;
use super::session::{Added, SessionEntry};
use crate::format::tool;
use crate::format::tool::fields::{self, Fields};
use crate::format::tool::json::Value;
use crate::patch::CallRecord;
use crate::text::Located;

impl Messages<'_, '_> {
    /// Notes what an object says of how it ended.
    pub(super) fn ends(
        &mut self,
        object: Value<'_>,
        fields: &Fields<'_>,
        from: usize,
        rows: MatchedRows,
    ) {
        let span = self.source.span(object.range());
        if let Some((field, value)) = rows.cut(fields) {
            let span = value.map_or(span, |value| self.source.span(value.range()));
            let value = value.map_or("", |value| value.written());
            let error = Error::Cut {
                field: field.to_owned(),
                value: value.trim_matches('"').chars().take(40).collect(),
            };
            self.session.cut(from, &Located::new(span, error));
        }
        if rows.any(|row| row.aborted, fields) {
            let error = Error::Cut {
                field: "type".to_owned(),
                value: fields.word(fields::TYPE).unwrap_or_default(),
            };
            self.session.abort(&Located::new(span, error));
        }
        if rows.any(|row| row.pieces, fields) {
            self.session.aside.piece.get_or_insert(span);
            self.session
                .cut_texts(from, &Located::new(span, Error::Stream));
        }
    }

    /// Notes what somebody else says in a text of the calls in the model's text, as Cline does.
    pub(super) fn hear_text(&mut self, value: Value<'_>, around: Around<'_>) {
        let Ok(text) = value.string() else {
            return;
        };
        let text = text.text().trim_start();
        let named = text
            .strip_prefix('[')
            .and_then(|rest| rest.split_once("] Result:"));
        let is_announced = std::mem::replace(
            &mut self.is_announced,
            named.is_some_and(|(_, said)| said.trim().is_empty()),
        );
        let said = named.map_or(text, |(_, said)| said.trim_start());
        if named.is_some() && !self.is_announced || is_announced {
            let outcome = outcomes::text_tells(around.rows, said);
            self.judge_texts(value, outcome.unwrap_or(Outcome::Done));
        } else if around
            .rows
            .failed()
            .any(|lead| outcomes::begins(text, lead))
        {
            self.judge_texts(value, Outcome::Undone);
        }
    }

    fn judge_texts(&mut self, value: Value<'_>, outcome: Outcome) {
        let span = self.source.span(value.range());
        let unclear = Located::new(span, Error::UnclearResults);
        self.session.judge_texts(outcome, &unclear);
    }

    /// Takes in what was read of a call or a text, which begins at `start`.
    pub(super) fn take(&mut self, object: Value<'_>, start: usize, mut entry: SessionEntry) {
        let new = &self.read.blocks[start..];
        entry.edits = new.iter().flat_map(|block| block.edits.clone()).collect();
        entry.changes |= !new.is_empty();
        entry.is_of_message = self.read.is_message;
        let (is_begun, is_call) = (entry.cut.is_some(), entry.call.is_some());
        let comment = entry.comment.clone();
        match self.session.add(entry) {
            Added::New(number) => {
                let new = &mut self.read.blocks[start..];
                let directory = self.session.aside.directory.as_bytes();
                for block in new {
                    block.call = Some(number);
                    for edit in block.edits.iter_mut().filter(|_| is_call) {
                        let record = CallRecord {
                            directory: directory.into(),
                            before: None,
                            comment: comment.clone(),
                        };
                        edit.record = Some(record.into());
                    }
                }
            }
            Added::Again => {
                let was_read = self.read.blocks.len() > start;
                self.read.blocks.truncate(start);
                if was_read && !is_begun {
                    self.remark(object, tool::Warning::Repeated);
                }
            }
            Added::Other(id) => {
                self.read.blocks.truncate(start);
                self.error(object, tool::Error::Id { id });
            }
        }
    }
}
