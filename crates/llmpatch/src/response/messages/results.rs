//! Results that name no call: they are of the calls since the last result, in order.
//!
//! Ollama, Gemini and OpenAI's old functions give calls no ids. Cline and its kin (Roo, Kilo) have
//! calls written in the model's text, and tell what came of them in the text of the next message.

use std::collections::VecDeque;

use bstr::ByteSlice as _;

use super::{Messages, Session};
use crate::format::tool::fields::Fields;
use crate::format::tool::json::{Is, Value};
use crate::response::members::{Outcome, Speaker, speaker};
use crate::response::{Error, failures};
use crate::text::{Located, Row, Source, Span};

/// The calls without an id since somebody else spoke.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// The calls without a result so far: the names of their tools, and the ids that they were
    /// given.
    calls: VecDeque<(String, String)>,
    /// The ids of the patches in the model's text.
    texts: Vec<String>,
    /// How many there were in all.
    count: usize,
}

/// What the ids begin with that calls without one are given.
pub(super) const UNNAMED: &str = "unnamed ";

/// How many calls may be between a result and its call.
const MOST_BETWEEN: usize = 100;

impl Session {
    /// Gives an id to a call of a tool, or to a patch in the model's text, that has none.
    pub(in crate::response) fn name_call(&mut self, tool: Option<&str>) -> String {
        let waiting = &mut self.waiting;
        if std::mem::take(&mut self.is_heard) {
            waiting.calls.clear();
            waiting.texts.clear();
        }
        waiting.count += 1;
        let id = format!("{UNNAMED}{}", waiting.count);
        match tool {
            Some(tool) => waiting.calls.push_back((tool.to_owned(), id.clone())),
            None => waiting.texts.push(id.clone()),
        }
        id
    }

    /// Notes an error, whatever becomes of the calls.
    pub(in crate::response) fn refuse(&mut self, span: Span, error: Error) {
        self.open.push((Vec::new(), Located::new(span, error)));
    }

    /// Returns the id of the call that a result without one is of.
    pub(super) fn next_waiting(&mut self, result: &Fields<'_>) -> Option<String> {
        if !is_result(result) {
            return None;
        }
        let name = result.word(&["name", "tool_name", "toolName"]);
        let name = name.unwrap_or_default();
        let is_of =
            |(tool, _): &(String, String)| tool.is_empty() || name.is_empty() || *tool == name;
        let calls = &mut self.waiting.calls;
        let index = calls.iter().take(MOST_BETWEEN).position(is_of)?;
        calls.remove(index).map(|(_, id)| id)
    }
}

/// Returns whether an object is what came of a call.
fn is_result(fields: &Fields<'_>) -> bool {
    let is_wrapped = fields.has(&["functionResponse", "function_response", "toolResult"]);
    speaker(fields) == Speaker::Tool && !is_wrapped
        || fields.has(&["name"]) && fields.has(&["response"])
}

impl Messages<'_, '_> {
    /// Reads what somebody else says of the calls in the model's text.
    pub(super) fn hear(&mut self, message: Value<'_>) {
        self.session.is_heard = true;
        if self.session.waiting.texts.is_empty() {
            return;
        }
        let mut verdicts = Verdicts::default();
        verdicts.take(message, 0);
        let Some(outcome) = verdicts.outcome else {
            return;
        };
        let texts = std::mem::take(&mut self.session.waiting.texts);
        if verdicts.is_mixed {
            let span = self.reader.source.span(message.range());
            return self.session.refuse(span, Error::UnclearResults);
        }
        for id in texts {
            self.session.note_outcome(id, outcome);
        }
    }
}

/// What the texts of a message say of calls.
#[derive(Default)]
struct Verdicts {
    outcome: Option<Outcome>,
    /// Whether some say that their calls took effect, and others that they didn't.
    is_mixed: bool,
    /// Whether the last text named a call, and the next text says what came of it.
    is_announced: bool,
}

impl Verdicts {
    fn take(&mut self, value: Value<'_>, depth: usize) {
        match value.is() {
            Is::String => {
                if let Ok(text) = value.string() {
                    self.text(text.text());
                }
            }
            Is::Array => {
                for item in value.items() {
                    self.take(item, depth + 1);
                }
            }
            Is::Object if depth < super::DEEPEST => {
                let fields = Fields::of(value).ok();
                let fields = fields.filter(|fields| speaker(fields) != Speaker::Tool);
                if let Some((_, value)) = fields.as_ref().and_then(|fields| fields.get(TEXTS)) {
                    self.take(value, depth + 1);
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        let named = behind_name(text);
        let said = named.unwrap_or(text).trim_start();
        let was_announced = std::mem::replace(&mut self.is_announced, false);
        if named.is_some() && said.is_empty() {
            self.is_announced = true;
        } else if failures::denies(said)
            || (named.is_some() || was_announced) && failures::says_undone(said)
        {
            self.add(Outcome::Undone);
        } else if named.is_some() || was_announced {
            self.add(Outcome::Done);
        }
    }

    fn add(&mut self, outcome: Outcome) {
        self.is_mixed |= self.outcome.is_some_and(|known| known != outcome);
        self.outcome = Some(outcome);
    }
}

/// Returns what a text says that first names the call of which it tells, or its return code.
fn behind_name(text: &str) -> Option<&str> {
    if text.starts_with("<returncode>") {
        return Some(text);
    }
    let (_, said) = text.strip_prefix('[')?.split_once("] Result:")?;
    Some(said)
}

/// Returns what a line of an exported session says of a call; a line that only names the call is
/// followed by a line that says it.
pub(in crate::response) fn said_in_text(source: &Source, row: Row<'_>) -> Option<Outcome> {
    let mut verdicts = Verdicts::default();
    verdicts.text(&row.text.to_str_lossy());
    if verdicts.is_announced {
        let mut below = source.rows(row.number.next());
        let said = below.find(|row| !row.text.trim_ascii().is_empty());
        verdicts.text(&said?.text.to_str_lossy());
    }
    verdicts.outcome
}

/// Members of a message in which its texts are.
const TEXTS: &[&str] = &["message", "content", "parts", "text"];
