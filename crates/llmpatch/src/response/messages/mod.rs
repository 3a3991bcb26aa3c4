//! Walks through one value of JSON: which of its messages are the model's, which calls they make,
//! what became of these, and the patches in its text.
//!
//! JSON is entered by the members of known messages ([`super::members`]). What is anywhere else
//! isn't read, and is told with its place.

mod arguments;
mod nesting;
mod pieces;
mod results;
mod session;
mod strings;
mod wrapper;

use nesting::{JsonPath, Nesting, Step};
pub(super) use results::said_in_text;
pub(super) use session::Session;
use session::{call_id, result_ids, said};
use wrapper::{Wrapper, is_whole, language, wrapper};

use super::members::{self, CALL_ID, CALLS, Holds, Outcome, RESULT_ID, Speaker, holds, speaker};
use super::{Error, Hiding, literal};
use crate::format::tool::fields::{self, CallShape, Fields};
use crate::format::tool::json::{Is, Value};
use crate::format::tool::{self, CallReader, broken, is_of_calls};
use crate::format::{self, Block, Options};
use crate::patch::Format;
use crate::text::{Located, Source, Span};

/// How deep calls are looked for; the messages of no provider go half as deep.
const DEEPEST: usize = 48;

/// What was read of a JSON value.
pub(super) struct ValueRead {
    /// The calls and patches in it; none of JSON that is prose.
    pub(super) blocks: Vec<Block<'static>>,
    /// What is said of parts that aren't read.
    pub(super) remarks: Vec<Located<format::Warning>>,
    /// The offset behind it.
    pub(super) end: usize,
    /// Whether it is a message, so that none of it is prose.
    pub(super) is_message: bool,
    /// The patches in it that don't count, and why.
    pub(super) hidden: Vec<(Span, Hiding)>,
}

/// An object that is no call, and what it says of its members.
struct Message<'v> {
    object: Value<'v>,
    path: Option<String>,
    outcome: Option<Outcome>,
    is_message: bool,
    /// What its members are in.
    around: Nesting<'v>,
}

/// The reader of a JSON value.
pub(super) struct Messages<'a, 'm> {
    reader: CallReader<'a, 'm>,
    session: &'m mut Session,
    is_message: bool,
    hidden: Vec<(Span, Hiding)>,
}

impl<'a, 'm> Messages<'a, 'm> {
    pub(super) fn new(
        source: &'a Source,
        options: &'m Options<'m>,
        session: &'m mut Session,
    ) -> Self {
        Self {
            reader: CallReader::new(source, options),
            session,
            is_message: false,
            hidden: Vec::new(),
        }
    }

    /// Reads a value.
    pub(super) fn read(mut self, value: Value<'_>) -> ValueRead {
        let top = Nesting {
            depth: 0,
            path: JsonPath::TOP,
            is_wrapped: value.is() == Is::String,
            is_given: false,
            id: None,
            language: None,
            directory: "",
        };
        self.value(value, top);
        ValueRead {
            blocks: self.reader.blocks,
            remarks: self.reader.remarks,
            end: value.range().end,
            is_message: self.is_message,
            hidden: self.hidden,
        }
    }

    fn value(&mut self, value: Value<'_>, around: Nesting<'_>) {
        if around.depth > DEEPEST {
            return self.fail(value, tool::Error::Deep);
        }
        match value.is() {
            Is::Object => self.object(value, around),
            Is::Array if self.words(value, around) => {}
            Is::Array => {
                for (index, item) in value.items().into_iter().enumerate() {
                    self.value(item, around.inside(Step::Item(index)));
                }
            }
            Is::String => self.text(value, around, None),
            _ => {}
        }
    }

    fn object(&mut self, object: Value<'_>, around: Nesting<'_>) {
        let fields = match Fields::of(object) {
            Ok(fields) => fields,
            Err(error) => return self.fail(object, broken(&error)),
        };
        let speaker = speaker(&fields);
        self.is_message |= speaker != Speaker::Unknown;
        if self.is_others(object, &fields, speaker, around) {
            return;
        }
        self.session.is_met |= speaker == Speaker::Model;
        // Beside pieces, Claude Code tells the whole message.
        if fields.word(fields::TYPE).as_deref() == Some("stream_event") {
            return self
                .session
                .pieces
                .note(self.reader.source.span(object.range()));
        }
        if pieces::is_piece(&fields) {
            return self.reader.error(object.range(), tool::Error::Stream);
        }
        self.session.pieces.look(&fields);
        let before = (self.reader.count, self.reader.blocks.len());
        if let Some(shape) = fields.shape() {
            let id = around.id.map(str::to_owned).or_else(|| call_id(&fields));
            let id = self.id_of(id, "", around);
            let outcome = members::outcome(&fields).filter(|_| !around.is_given);
            self.reader.is_wrapped = around.is_wrapped;
            self.call(object, id, outcome, |reader| {
                reader.call(object, &fields, shape);
            });
            if shape == CallShape::Inside {
                let directory = fields.word(fields::DIRECTORY);
                self.enter(before.1, directory.as_deref().unwrap_or(around.directory));
            }
        } else if let Some((first, second)) = fields.two_arguments() {
            let error = tool::Error::of_wrappers(first, second);
            self.reader.error(object.range(), error);
        } else if let Some(wrapper) = wrapper(&fields) {
            self.is_message |= !around.is_given;
            let id = call_id(&fields).or_else(|| around.id.map(str::to_owned));
            let id = self.id_of(id, &wrapper.name, around);
            self.wrapper(object, wrapper, id, around);
        } else {
            self.message(object, &fields, speaker, around);
        }
        if self.reader.count > before.0
            && let Some((field, value)) = members::cut(&fields)
        {
            self.cut(before.1, field, value);
        }
    }

    /// Reads an object in which nobody makes calls: what others say, what tools return, what the
    /// model thinks. Returns false of any other object.
    fn is_others(
        &mut self,
        object: Value<'_>,
        fields: &Fields<'_>,
        speaker: Speaker,
        around: Nesting<'_>,
    ) -> bool {
        match speaker {
            Speaker::Log if !self.session.is_met && members::is_final(fields) => {
                self.member(fields, "result", around);
            }
            Speaker::Other | Speaker::Log | Speaker::Tool if !around.is_given => {
                match speaker {
                    Speaker::Other => self.hear(object),
                    _ => self.session.is_heard |= speaker == Speaker::Tool,
                }
                let retold = self.session.retold.len();
                self.pass(object, around.path);
                if speaker == Speaker::Other {
                    self.session.retold.truncate(retold);
                }
            }
            Speaker::Unknown if fields.has(&["jsonrpc"]) && fields.has(&["result", "error"]) => {
                self.is_message = true;
                self.results(object, 0);
            }
            Speaker::Thinking => self.hide(object, Hiding::Thoughts(around.path.to_string())),
            _ => return false,
        }
        true
    }

    /// Returns the id of a call: a call of a message that has none is given one.
    fn id_of(&mut self, id: Option<String>, tool: &str, around: Nesting<'_>) -> Option<String> {
        let is_message = around.is_wrapped && !around.is_given;
        id.or_else(|| is_message.then(|| self.session.name_call(Some(tool))))
    }

    /// Reads the members of an object that is no call.
    fn message(
        &mut self,
        object: Value<'_>,
        fields: &Fields<'_>,
        speaker: Speaker,
        around: Nesting<'_>,
    ) {
        let id = call_id(fields);
        let has_carrier = |name: &str| WRAPPERS.contains(&name);
        let is_message =
            speaker == Speaker::Model || fields.iter().any(|(name, _)| has_carrier(name));
        self.is_message |= is_message && !around.is_given;
        let is_call = !is_message && (around.is_given || arguments::is_bare_call(fields));
        let directory = fields
            .word(fields::DIRECTORY)
            .filter(|_| is_call || around.is_given || id.is_some());
        if !around.is_given {
            self.note_undone(fields);
        }
        let message = Message {
            object,
            path: fields.word(fields::PATH),
            outcome: members::outcome(fields).filter(|_| !around.is_given),
            is_message,
            around: Nesting {
                is_wrapped: around.is_wrapped || is_message,
                language: language(fields).or(around.language),
                directory: directory.as_deref().unwrap_or(around.directory),
                ..around
            },
        };
        let start = self.reader.blocks.len();
        let mut patches = Vec::new();
        for (name, value) in fields.iter() {
            let inside = Nesting {
                id: around
                    .id
                    .or(id.as_deref().filter(|_| CALLS.contains(&name))),
                ..message.around.inside(Step::Member(name))
            };
            let before = self.reader.blocks.len();
            if !is_call || !self.input(fields, (name, value)) {
                self.message_member(&message, (name, value), inside);
            }
            if self.reader.blocks.len() > before && arguments::is_patch(name, value) {
                patches.push(name);
            }
        }
        if is_call {
            self.beside(start, fields, &patches);
        }
    }

    fn message_member(
        &mut self,
        message: &Message<'_>,
        (name, value): (&str, Value<'_>),
        inside: Nesting<'_>,
    ) {
        let around = message.around;
        match holds(name, value, false) {
            _ if around.is_given && TALK.contains(&name) => {
                self.pass_unknown(value, inside.path);
            }
            Holds::Carrier if ALTERNATIVES.contains(&name) => self.alternatives(value, inside),
            Holds::Carrier if value.is() == Is::String => {
                self.note_piece(value);
                self.text(value, inside, message.path.as_deref());
            }
            Holds::Carrier => {
                let before = self.reader.blocks.len();
                self.value(value, inside);
                self.judge(message.outcome, before, message.object, inside.id);
            }
            Holds::Thoughts => self.hide(value, Hiding::Thoughts(inside.path.to_string())),
            // Where it is no message, a list isn't what a tool returned.
            Holds::Results
                if !around.is_wrapped && around.depth == 0 && value.is() == Is::Array =>
            {
                self.pass_unknown(value, inside.path);
            }
            Holds::Instructions | Holds::Results => self.pass(value, inside.path),
            Holds::Unknown if value.is() == Is::String && !message.is_message => {
                self.text(value, inside, message.path.as_deref());
            }
            Holds::Unknown if around.is_given => self.value(value, inside),
            Holds::Unknown => self.pass_unknown(value, inside.path),
        }
    }

    /// Passes over a part where no known message has patches, but for telling of a patch there. A
    /// call that was read may be told there once more, by its id.
    fn pass_unknown(&mut self, value: Value<'_>, path: JsonPath<'_>) {
        let id = Fields::of(value).ok().and_then(|fields| call_id(&fields));
        if !id.is_some_and(|id| self.session.has_call(&id)) {
            self.hide(value, Hiding::Elsewhere(path.to_string()));
        }
    }

    /// Notes of the result of a call that it says that nothing was done.
    fn note_undone(&mut self, fields: &Fields<'_>) {
        let calls = result_ids(fields);
        if calls.is_empty() || said(fields) != Some(Outcome::Undone) {
            return;
        }
        for call in calls {
            self.session.note_outcome(call, Outcome::Undone);
        }
    }

    /// Notes a text of the model, of which the next may be the continuation.
    fn note_piece(&mut self, value: Value<'_>) {
        if let Ok(text) = value.string() {
            let span = self.reader.source.span(value.range());
            self.session.pieces.add(text.text(), span);
        }
    }

    /// Reads a member that is the model's text.
    fn member(&mut self, fields: &Fields<'_>, name: &str, around: Nesting<'_>) {
        let inside = Nesting {
            is_wrapped: true,
            ..around.inside(Step::Member(name))
        };
        if let Some((_, value)) = fields.get(&[name]) {
            self.text(value, inside, None);
        }
    }

    /// Passes over a part that isn't the model's, but for what it says of calls.
    fn pass(&mut self, value: Value<'_>, path: JsonPath<'_>) {
        if self.session.passed.is_none() && is_marked(value.written()) {
            let span = self.reader.source.span(value.range());
            self.session.passed = Some((span, path.to_string()));
        }
        let before = self.session.retold.len();
        self.results(value, 0);
        for (_, _, place) in &mut self.session.retold[before..] {
            *place = path.to_string();
        }
    }

    /// Reads the choices of a response, of which a single choice may hold patches.
    fn alternatives(&mut self, value: Value<'_>, around: Nesting<'_>) {
        let mut holding = 0;
        let start = self.reader.blocks.len();
        for (index, item) in value.items().into_iter().enumerate() {
            let before = self.reader.count;
            self.value(item, around.inside(Step::Item(index)));
            holding += usize::from(self.reader.count > before);
        }
        if value.is() != Is::Array {
            self.value(value, around);
        }
        if holding > 1 {
            self.reader.blocks.truncate(start);
            let span = self.reader.source.span(value.range());
            let error = Error::Alternatives {
                place: around.path.to_string(),
                count: holding,
            };
            self.reader
                .blocks
                .push(Block::refused(Format::Tool, span, error));
            self.reader.count += 1;
        }
    }

    /// Reads what a call is given, which may be JSON once more. A call that changes nothing is
    /// told.
    fn wrapper(
        &mut self,
        object: Value<'_>,
        wrapper: Wrapper<'_>,
        id: Option<String>,
        around: Nesting<'_>,
    ) {
        let Wrapper {
            name,
            member,
            arguments,
            outcome,
        } = wrapper;
        let start = self.reader.begin();
        let before = (self.reader.count, self.reader.remarks.len());
        let outer = self.reader.call.take();
        self.reader.call.clone_from(&id);
        let directory = Fields::of(object)
            .ok()
            .and_then(|fields| fields.word(fields::DIRECTORY));
        let inside = Nesting {
            is_wrapped: true,
            is_given: true,
            id: id.as_deref(),
            language: literal::language(&name),
            directory: directory.as_deref().unwrap_or(around.directory),
            ..around.inside(Step::Member(&member))
        };
        match arguments.is() {
            Is::String => self.given(arguments, inside),
            _ => self.value(arguments, inside),
        }
        if (self.reader.count, self.reader.remarks.len()) == before {
            self.reader.skip(object, &name);
        }
        // A call that changes no file needn't end.
        let is_idle = self.reader.blocks.len() == start && is_whole(arguments);
        let outcome = outcome.filter(|outcome| *outcome != Outcome::Running || !is_idle);
        self.reader.call = outer;
        self.settle(object, id, outcome, start);
    }

    /// Reads a call by itself.
    fn call(
        &mut self,
        object: Value<'_>,
        id: Option<String>,
        outcome: Option<Outcome>,
        read: impl FnOnce(&mut CallReader<'a, 'm>),
    ) {
        let is_outer = self.reader.call.is_some();
        let start = match id.is_some() && !is_outer {
            true => self.reader.begin(),
            false => self.reader.blocks.len(),
        };
        if !is_outer {
            self.reader.call.clone_from(&id);
        }
        let merged = self.reader.blocks.last().map(|block| block.edits.len());
        read(&mut self.reader);
        if !is_outer {
            self.reader.call = None;
            let is_merged = id.is_none()
                && self.reader.blocks.len() == start
                && self.reader.blocks.last().map(|block| block.edits.len()) > merged;
            if !is_merged {
                self.settle(object, id, outcome, start);
            } else if outcome == Some(Outcome::Undone)
                && let (Some(block), Some(len)) = (self.reader.blocks.last_mut(), merged)
            {
                block.edits.truncate(len);
                let span = self.reader.source.span(object.range());
                self.session.undone.push(span);
            }
        }
    }

    /// Refuses a value that can't be read, if it was to be a call.
    fn fail(&mut self, value: Value<'_>, what: tool::Error) {
        if is_of_calls(value.written().as_bytes()) {
            self.reader.error(value.range(), what);
        }
    }
}

/// Returns whether a text, as JSON writes it, has what begins a patch.
fn is_marked(written: &str) -> bool {
    const MARKS: [&str; 4] = ["*** Begin Patch", "<<<<<<< SEARCH", "diff --git ", "@@ -"];
    MARKS.iter().any(|mark| written.contains(mark))
}

/// Members by which an object is a message, or holds calls.
const WRAPPERS: [&str; 19] = [
    "role",
    "item",
    "part",
    "contents",
    "systemInstruction",
    "system_instruction",
    "toolUse",
    "choices",
    "candidates",
    "message",
    "messages",
    "tool_calls",
    "toolCalls",
    "function_call",
    "functionCall",
    "output",
    "parts",
    "operation",
    "payload",
];

/// Members of what a call is given by which the model talks to a person or to another model.
const TALK: [&str; 5] = ["message", "plan", "question", "questions", "task"];

/// Members that hold several responses to one question.
const ALTERNATIVES: [&str; 2] = ["choices", "candidates"];
