//! What a session tells of its calls: which took effect, which failed, which were only begun.

use std::collections::HashMap;

use super::pieces::Pieces;
use super::results::UNNAMED;
use super::results::Waiting;
use super::{CALL_ID, DEEPEST, Messages, RESULT_ID, wrapper};
use crate::format::Block;
use crate::format::tool;
use crate::format::tool::fields::{self, Fields};
use crate::format::tool::json::{Is, JsonText, Value};
use crate::patch::{FileEdit, Format};
use crate::response::members::{self, Outcome};
use crate::response::{Error, failures};
use crate::text::{Located, Span};

/// What was met of calls in all JSON of a response.
#[derive(Debug, Default)]
pub(in crate::response) struct Session {
    /// What each call asks for, by its id.
    calls: HashMap<String, Vec<FileEdit<'static>>>,
    /// How many messages had been cut off when a call was told whole, by the call's id.
    told: HashMap<String, usize>,
    /// How many messages were cut off.
    cuts: usize,
    /// For each call in a message that was cut off, by its id: which of these messages, from 1.
    cut: HashMap<String, usize>,
    /// How many messages had been cut off when the last call that has a result was told.
    cuts_before_result: usize,
    /// What became of calls, by their ids.
    outcomes: HashMap<String, Outcome>,
    /// What is only begun, or was cut off: the calls in it, and the error unless the session tells
    /// what became of each.
    pub(super) open: Vec<(Vec<String>, Located<Error>)>,
    /// The calls that have no id.
    pub(super) waiting: Waiting,
    /// Whether somebody else spoke since the last of them.
    pub(super) is_heard: bool,
    /// What the model said, if these are pieces of a stream.
    pub(in crate::response) pieces: Pieces,
    /// Whether the model said anything.
    pub(super) is_met: bool,
    /// The first part with what looks like a patch that isn't the model's, and its place.
    pub(in crate::response) passed: Option<(Span, String)>,
    /// The calls in parts that aren't the model's: their ids and places.
    pub(super) retold: Vec<(String, Span, String)>,
    /// Calls without an id of which is said at once that they failed or were refused.
    pub(in crate::response) undone: Vec<Span>,
}

impl Session {
    /// Returns whether a call failed, was refused, or was never carried out.
    pub(in crate::response) fn is_undone(&self, call: Option<&str>) -> bool {
        call.is_some_and(|id| match self.outcomes.get(id) {
            Some(outcome) => *outcome == Outcome::Undone,
            None => self.is_passed_over(id),
        })
    }

    /// Returns the call that a patch is in, if it counts although another call asks for the same:
    /// it has an id, and the session tells that it took effect, or it is an edit, no patch's text.
    pub(in crate::response) fn own_call<'b>(&self, block: &'b Block<'_>) -> Option<&'b str> {
        // A log that gives no ids may tell the same calls with every request.
        let call = block.call.as_deref();
        let call = call.filter(|call| !call.starts_with(UNNAMED))?;
        let is_done = self.outcomes.get(call) == Some(&Outcome::Done);
        (is_done || block.format == Format::Tool).then_some(call)
    }

    /// Returns whether a call is in a message that was cut off, and the session went on without it:
    /// a later call has a result.
    fn is_passed_over(&self, id: &str) -> bool {
        self.cut
            .get(id)
            .is_some_and(|cuts| *cuts <= self.cuts_before_result)
    }

    /// Notes what became of a call.
    pub(in crate::response) fn note_outcome(&mut self, id: String, outcome: Outcome) {
        let cuts = self.told.get(&id).copied().unwrap_or_default();
        self.cuts_before_result = self.cuts_before_result.max(cuts);
        let known = self.outcomes.entry(id).or_insert(outcome);
        if outcome == Outcome::Undone {
            *known = outcome;
        }
    }

    /// Returns whether a call with this id was read.
    pub(super) fn has_call(&self, id: &str) -> bool {
        self.calls.contains_key(id)
    }

    /// Returns the first call that is only told where no call counts, and its place.
    pub(in crate::response) fn lost(&self) -> Option<(Span, String)> {
        let is_lost = |id: &str| !self.has_call(id) && !self.is_undone(Some(id));
        let (_, span, place) = self.retold.iter().find(|(id, ..)| is_lost(id))?;
        Some((*span, place.clone()))
    }

    /// Returns what is wrong with calls that are begun and never told whole, and with messages that
    /// were cut off.
    pub(in crate::response) fn unfinished(&self) -> impl Iterator<Item = Located<Error>> {
        self.open
            .iter()
            .filter(|(calls, error)| {
                let is_begun = matches!(error.value, Error::Unfinished { .. });
                calls.is_empty()
                    || !calls.iter().all(|id| {
                        self.outcomes.contains_key(id)
                            || self.is_passed_over(id)
                            || is_begun && self.told.contains_key(id)
                    })
            })
            .map(|(_, error)| error.clone())
    }
}

/// Returns the ids by which the call may be known that a result is of.
pub(super) fn result_ids(fields: &Fields<'_>) -> Vec<String> {
    if fields.has(&["jsonrpc"]) {
        return call_id(fields).into_iter().collect();
    }
    if let Some((_, cause)) = fields.get(&["cause"]) {
        let event = format!("event {}", cause.written());
        return [event].into_iter().chain(metadata_id(fields)).collect();
    }
    let is_response = fields.has(&["functionResponse", "response"]);
    let id = || fields.word(&["id"]).filter(|_| is_response);
    let ids = fields.get(&["tool_call_ids"]).map(|(_, ids)| ids.items());
    let ids = ids.unwrap_or_default().into_iter().filter_map(|id| {
        let id = id.string().ok()?;
        Some(id.text().to_owned())
    });
    ids.chain(fields.word(RESULT_ID).or_else(id)).collect()
}

/// Returns the id of the call of which OpenHands tells in an event.
fn metadata_id(fields: &Fields<'_>) -> Option<String> {
    let (_, metadata) = fields.get(&["tool_call_metadata"])?;
    Fields::of(metadata).ok()?.word(CALL_ID)
}

/// Returns what a result says of what became of its call, in its members or in its text.
pub(super) fn said(fields: &Fields<'_>) -> Option<Outcome> {
    const TEXTS: &[&str] = &[
        "observation",
        "content",
        "output",
        "result",
        "response",
        "text",
        "error",
        "run",
    ];
    let of = fields.word(fields::TYPE).unwrap_or_default();
    if of.starts_with("error-") || of.ends_with("-denied") {
        return Some(Outcome::Undone);
    }
    let metadata = fields.get(&["metadata"]);
    let metadata = metadata.and_then(|(_, metadata)| Fields::of(metadata).ok());
    let own = members::outcome(fields).or_else(|| members::outcome(&metadata?));
    own.or_else(|| {
        let mut texts = fields.iter().filter(|(name, _)| TEXTS.contains(name));
        let is_undone = texts.any(|(_, text)| says_undone(text, 0));
        is_undone.then_some(Outcome::Undone)
    })
}

pub(super) fn says_undone(value: Value<'_>, depth: usize) -> bool {
    match value.is() {
        Is::String => value.string().is_ok_and(|text| {
            let inner = text.text().trim_start();
            let is_json = depth < DEEPEST && inner.starts_with('{');
            let inner = JsonText::new(if is_json { inner } else { "null" }, 0);
            failures::says_undone(text.text())
                || inner
                    .value()
                    .is_ok_and(|inner| says_undone(inner, depth + 1))
        }),
        Is::Array if depth < DEEPEST => value
            .items()
            .into_iter()
            .any(|item| says_undone(item, depth + 1)),
        Is::Object if depth < DEEPEST => {
            Fields::of(value).is_ok_and(|fields| said(&fields) == Some(Outcome::Undone))
        }
        _ => false,
    }
}

/// Returns the id by which a call is known.
pub(super) fn call_id(fields: &Fields<'_>) -> Option<String> {
    if fields.has(&["jsonrpc"]) {
        let (_, id) = fields.get(&["id"])?;
        return Some(format!("jsonrpc {}", id.written()));
    }
    let event = fields
        .get(&["id"])
        .filter(|(_, id)| id.is() == Is::Number && fields.has(&["action"]))
        .map(|(_, id)| format!("event {}", id.written()));
    metadata_id(fields)
        .or(event)
        .or_else(|| CALL_ID.iter().find_map(|name| fields.word(&[name])))
}

impl Messages<'_, '_> {
    /// Takes back what was read of calls of which an object around them says that they failed.
    pub(super) fn judge(
        &mut self,
        outcome: Option<Outcome>,
        before: usize,
        object: Value<'_>,
        id: Option<&str>,
    ) {
        if id.is_none() || self.reader.blocks.len() == before {
            return;
        }
        if let (Some(id), Some(Outcome::Undone)) = (id, outcome) {
            self.session.outcomes.insert(id.to_owned(), Outcome::Undone);
        }
        if let (Some(id), Some(Outcome::Begun | Outcome::Running)) = (id, outcome) {
            self.reader.blocks.truncate(before);
            self.session.calls.remove(id);
            self.begin(id, object);
        }
    }

    /// Notes a call that is only begun.
    pub(super) fn begin(&mut self, id: &str, object: Value<'_>) {
        let said = "in progress".to_owned();
        let span = self.reader.source.span(object.range());
        let error = Located::new(span, Error::Unfinished { said });
        self.session.open.push((vec![id.to_owned()], error));
    }

    /// Notes that a message was cut off whose blocks begin at `start`.
    pub(super) fn cut(&mut self, start: usize, field: String, value: Value<'_>) {
        let said = value.written().trim_matches('"').into();
        let span = self.reader.source.span(value.range());
        let error = Located::new(span, Error::Cut { field, value: said });
        let blocks = self.reader.blocks.get(start..).unwrap_or_default();
        let calls: Option<Vec<_>> = blocks.iter().map(|block| block.call.clone()).collect();
        let calls = calls.unwrap_or_default();
        self.session.cuts += 1;
        let cuts = self.session.cuts;
        self.session
            .cut
            .extend(calls.iter().map(|id| (id.clone(), cuts)));
        self.session.open.push((calls, error));
    }

    /// Decides about a call that was read: whether it counts, and whether it was met before.
    pub(super) fn settle(
        &mut self,
        object: Value<'_>,
        id: Option<String>,
        outcome: Option<Outcome>,
        start: usize,
    ) {
        let span = self.reader.source.span(object.range());
        let Some(id) = id else {
            if outcome == Some(Outcome::Undone) && self.reader.blocks.len() > start {
                self.reader.blocks.truncate(start);
                self.session.undone.push(span);
            }
            return;
        };
        let cuts = self.session.cuts;
        match outcome {
            Some(Outcome::Begun | Outcome::Running) => {
                self.reader.blocks.truncate(start);
                return self.begin(&id, object);
            }
            Some(outcome) => drop(self.session.outcomes.insert(id.clone(), outcome)),
            None => drop(self.session.told.entry(id.clone()).or_insert(cuts)),
        }
        let new = &self.reader.blocks[start.min(self.reader.blocks.len())..];
        if new.is_empty() {
            return;
        }
        let edits: Vec<_> = new.iter().flat_map(|block| block.edits.clone()).collect();
        match self.session.calls.get(&id) {
            Some(known) if *known == edits => {
                self.reader.blocks.truncate(start);
                self.reader.remark(object, tool::Warning::Repeated);
            }
            Some(_) => {
                self.reader.blocks.truncate(start);
                self.reader.error(object.range(), tool::Error::Id { id });
            }
            None => drop(self.session.calls.insert(id, edits)),
        }
    }

    /// Looks for results of calls in what isn't read.
    pub(super) fn results(&mut self, value: Value<'_>, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        match value.is() {
            Is::Array => value
                .items()
                .into_iter()
                .for_each(|item| self.results(item, depth + 1)),
            Is::Object => {
                let Ok(fields) = Fields::of(value) else {
                    return;
                };
                // What a hook says of a call isn't what came of it.
                if fields.has(&["hookEvent", "hook_event_name"]) {
                    return;
                }
                let mut ids = result_ids(&fields);
                if ids.is_empty() {
                    ids.extend(self.session.next_waiting(&fields));
                }
                if !ids.is_empty() {
                    let outcome = match said(&fields) {
                        Some(Outcome::Undone) => Outcome::Undone,
                        _ => Outcome::Done,
                    };
                    ids.into_iter()
                        .for_each(|id| self.session.note_outcome(id, outcome));
                }
                if let Some(call) = wrapper(&fields)
                    && let Some(id) = call_id(&fields)
                    && self.patch_in(call.arguments, depth).is_some()
                {
                    let span = self.reader.source.span(value.range());
                    self.session.retold.push((id, span, String::new()));
                }
                for (_, value) in fields.iter() {
                    if matches!(value.is(), Is::Object | Is::Array) {
                        self.results(value, depth + 1);
                    }
                }
            }
            _ => {}
        }
    }
}
