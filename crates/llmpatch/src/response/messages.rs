//! Walks through one value of JSON: which of its messages are the model's, which calls they make,
//! what became of these, and the patches in its text.
//!
//! JSON is entered by the members of known messages ([`super::members`]). What is anywhere else
//! isn't read, and is told with its place.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::members::{self, CALL_ID, Holds, Outcome, RESULT_ID, Speaker, holds, speaker};
use super::{Error, Hiding, Warning, command, embedded};
use crate::format::tool::fields::{self, Fields};
use crate::format::tool::json::{Is, JsonText, Value};
use crate::format::tool::{self, CallReader, broken, is_of_calls, relocated};
use crate::format::{self, Block, Options, Parsed};
use crate::patch::{FileEdit, Format};
use crate::text::{Located, Source, Span};

/// How deep calls are looked for; the messages of no provider go half as deep.
const DEEPEST: usize = 48;

/// What was met of calls in all JSON of a response.
#[derive(Debug, Default)]
pub(super) struct Session {
    /// What each call asks for, by its id.
    calls: HashMap<String, Vec<FileEdit<'static>>>,
    /// The ids of calls that were told whole.
    told: HashSet<String>,
    /// What became of calls, by their ids.
    outcomes: HashMap<String, Outcome>,
    /// The calls that a message says are only begun: their ids, and where that is said.
    begun: Vec<(String, Span, String)>,
    /// Calls without an id of which is said at once that they failed or were refused.
    pub(super) undone: Vec<Span>,
}

impl Session {
    /// Returns whether a call failed or was refused.
    pub(super) fn is_undone(&self, call: Option<&str>) -> bool {
        call.is_some_and(|id| self.outcomes.get(id) == Some(&Outcome::Undone))
    }

    /// Returns where calls are that are begun and never told whole, with what is said of each.
    pub(super) fn unfinished(&self) -> impl Iterator<Item = (Span, &str)> {
        self.begun
            .iter()
            .filter(|(id, ..)| !self.told.contains(id) && !self.outcomes.contains_key(id))
            .map(|(_, span, said)| (*span, &said[..]))
    }
}

/// What was read of one value.
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

/// The place of a value, such as `$.a.b[2]`.
#[derive(Clone, Copy)]
struct JsonPath<'p> {
    above: Option<&'p JsonPath<'p>>,
    step: Step<'p>,
}

#[derive(Clone, Copy)]
enum Step<'p> {
    Top,
    Member(&'p str),
    Item(usize),
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
struct Nesting<'v> {
    depth: usize,
    path: JsonPath<'v>,
    /// Whether something says that it is a message, or a call.
    is_wrapped: bool,
    /// Whether it is what a call was given.
    is_given: bool,
    /// What names the call.
    id: Option<&'v str>,
    /// The directory in which a command that it holds runs.
    directory: &'v str,
}

impl<'v> Nesting<'v> {
    fn inside(&'v self, step: Step<'v>) -> Nesting<'v> {
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

/// A call: its name, what it is given, and the members that say what became of it.
struct Wrapper<'t> {
    name: String,
    arguments: Value<'t>,
    outcome: Option<Outcome>,
}

/// The reader of one value.
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
            path: JsonPath {
                above: None,
                step: Step::Top,
            },
            is_wrapped: value.is() == Is::String,
            is_given: false,
            id: None,
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
        self.is_message |= speaker != Speaker::Unsaid;
        match speaker {
            Speaker::Other | Speaker::Log | Speaker::Tool if !around.is_given => {
                return self.results(object, 0);
            }
            Speaker::Unsaid if fields.has(&["jsonrpc"]) && fields.has(&["result", "error"]) => {
                self.is_message = true;
                return self.results(object, 0);
            }
            Speaker::Thinking => {
                return self.hide(object, Hiding::Thoughts(around.path.to_string()));
            }
            _ => {}
        }
        if is_of_stream(&fields) {
            return self.reader.error(object.range(), tool::Error::Stream);
        }
        let before = self.reader.count;
        if let Some(shape) = fields.shape() {
            let id = around.id.map(str::to_owned).or_else(|| call_id(&fields));
            let outcome = members::outcome(&fields).filter(|_| !around.is_given);
            self.reader.is_wrapped = around.is_wrapped;
            self.call(object, id, outcome, |reader| {
                reader.call(object, &fields, shape);
            });
        } else if let Some((first, second)) = fields.two_arguments() {
            let error = tool::Error::of_wrappers(first, second);
            self.reader.error(object.range(), error);
        } else if let Some(wrapper) = wrapper(&fields) {
            self.is_message |= !around.is_given;
            let id = call_id(&fields).or_else(|| around.id.map(str::to_owned));
            self.wrapper(object, wrapper, id, around);
        } else {
            self.message(object, &fields, speaker, around);
        }
        if self.reader.count > before
            && let Some((field, value)) = members::cut(&fields)
        {
            let said = value.written().trim_matches('"').into();
            self.reader
                .error(value.range(), tool::Error::Cut { field, value: said });
        }
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
        let is_wrapped = around.is_wrapped || is_message;
        let path = fields.word(fields::PATH);
        let directory = fields
            .word(DIRECTORY)
            .filter(|_| around.is_given || id.is_some());
        let outcome = members::outcome(fields).filter(|_| !around.is_given);
        for (name, value) in fields.iter() {
            let inside = Nesting {
                is_wrapped,
                directory: directory.as_deref().unwrap_or(around.directory),
                id: around
                    .id
                    .or(id.as_deref().filter(|_| CALLS.contains(&name))),
                ..around.inside(Step::Member(name))
            };
            match holds(name, value, false) {
                Holds::Carrier if ALTERNATIVES.contains(&name) => self.alternatives(value, inside),
                Holds::Carrier if value.is() == Is::String => {
                    self.text(value, inside, path.as_deref());
                }
                Holds::Carrier => {
                    let before = self.reader.blocks.len();
                    self.value(value, inside);
                    self.judge(outcome, before, object, inside.id);
                }
                Holds::Thoughts => self.hide(value, Hiding::Thoughts(inside.path.to_string())),
                Holds::Instructions => {}
                Holds::Results => self.results(value, 0),
                Holds::Unknown if value.is() == Is::String && !is_message => {
                    self.text(value, inside, path.as_deref());
                }
                Holds::Unknown if around.is_given => self.value(value, inside),
                Holds::Unknown => self.hide(value, Hiding::Elsewhere(inside.path.to_string())),
            }
        }
    }

    /// Takes back what was read of calls of which an object around them says that they failed.
    fn judge(
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
        if let (Some(id), Some(Outcome::Begun)) = (id, outcome) {
            self.reader.blocks.truncate(before);
            self.session.calls.remove(id);
            self.begin(id, object);
        }
    }

    fn begin(&mut self, id: &str, object: Value<'_>) {
        let span = self.reader.source.span(object.range());
        self.session
            .begun
            .push((id.to_owned(), span, "in progress".to_owned()));
    }

    /// Reads the choices of a response, of which only one may hold patches.
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
            let mut block = Block::new::<format::Error, format::Warning>(
                Format::Tool,
                value.range(),
                Vec::new(),
                vec![Located::new(span, error.into())],
                Vec::new(),
            );
            block.call = None;
            self.reader.blocks.push(block);
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
            arguments,
            outcome,
        } = wrapper;
        let start = self.reader.begin();
        let before = (self.reader.count, self.reader.remarks.len());
        let outer = self.reader.call.take();
        self.reader.call.clone_from(&id);
        let directory = Fields::of(object)
            .ok()
            .and_then(|fields| fields.word(DIRECTORY));
        let inside = Nesting {
            is_wrapped: true,
            is_given: true,
            id: id.as_deref(),
            directory: directory.as_deref().unwrap_or(around.directory),
            ..around.inside(Step::Member("arguments"))
        };
        match arguments.is() {
            Is::String => self.given(arguments, inside),
            _ => self.value(arguments, inside),
        }
        if (self.reader.count, self.reader.remarks.len()) == before {
            self.reader.skip(object, &name);
        }
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

    /// Decides about a call that was read: whether it counts, and whether it was met before.
    fn settle(
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
        match outcome {
            Some(Outcome::Begun) => {
                self.reader.blocks.truncate(start);
                return self.begin(&id, object);
            }
            Some(outcome) => drop(self.session.outcomes.insert(id.clone(), outcome)),
            None => drop(self.session.told.insert(id.clone())),
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
    fn results(&mut self, value: Value<'_>, depth: usize) {
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
                if let Some(id) = result_id(&fields) {
                    let outcome = match said(&fields) {
                        Some(Outcome::Undone) => Outcome::Undone,
                        _ => Outcome::Done,
                    };
                    let known = self.session.outcomes.entry(id).or_insert(outcome);
                    if outcome == Outcome::Undone {
                        *known = outcome;
                    }
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

    /// Tells of patches in a part that doesn't count.
    fn hide(&mut self, value: Value<'_>, by: Hiding) {
        let Some((format, span)) = self.patch_in(value, 0) else {
            return;
        };
        let warning = Warning::Hidden {
            format,
            by: by.clone(),
        };
        self.reader.remarks.push(Located::new(span, warning.into()));
        self.hidden.push((span, by));
    }

    /// Returns the first patch in a value, and where it is.
    fn patch_in(&self, value: Value<'_>, depth: usize) -> Option<(Format, Span)> {
        if depth > DEEPEST {
            return None;
        }
        match value.is() {
            Is::Array => value
                .items()
                .into_iter()
                .find_map(|item| self.patch_in(item, depth + 1)),
            Is::Object => {
                let fields = Fields::of(value).ok()?;
                if fields.shape().is_some() {
                    return Some((Format::Tool, self.reader.source.span(value.range())));
                }
                fields
                    .iter()
                    .find_map(|(_, value)| self.patch_in(value, depth + 1))
            }
            Is::String if may_hold_patch(value) => {
                let document = value.string().ok()?;
                let source = self.reader.embedded(document.text())?;
                let options = self.options_of_text(true, None);
                let parsed = format::parse(&source, &options);
                parsed
                    .has_patch()
                    .then(|| (parsed.patch.format, self.reader.source.span(value.range())))
            }
            _ => None,
        }
    }

    /// Reads a command that is given as words, if one of them is a patch; returns whether it is.
    fn words(&mut self, value: Value<'_>, around: Nesting<'_>) -> bool {
        let items = value.items();
        let words: Option<Vec<_>> = items
            .iter()
            .map(|item| Some(item.string().ok()?.text().to_owned()))
            .collect();
        let Some(words) = words else {
            return false;
        };
        let is_patch = |word: &String| embedded::begins_patch(word.as_bytes());
        let Some(index) = words.iter().position(is_patch).filter(|index| *index > 0) else {
            return false;
        };
        match command::meaning_of_words(&words) {
            Ok(Some(meaning)) => {
                let directory = embedded::joined(around.directory, &meaning.directory);
                let inside = Nesting {
                    directory: &directory,
                    ..around
                };
                self.text(items[index], inside, None);
            }
            Ok(None) => return false,
            Err(trouble) => {
                let error = Error::Command(trouble);
                self.push_error(items[index].range(), error);
            }
        }
        true
    }

    fn push_error(&mut self, range: std::ops::Range<usize>, error: Error) {
        let span = self.reader.source.span(range.clone());
        let error: Located<format::Error> = Located::new(span, error.into());
        let none: Vec<Located<format::Warning>> = Vec::new();
        let mut block = Block::new(Format::Envelope, range, Vec::new(), vec![error], none);
        block.call.clone_from(&self.reader.call);
        self.reader.count += 1;
        self.reader.errors += 1;
        self.reader.blocks.push(block);
    }

    /// Refuses a value that can't be read, if it was to be a call.
    fn fail(&mut self, value: Value<'_>, what: tool::Error) {
        if is_of_calls(value.written().as_bytes()) {
            self.reader.error(value.range(), what);
        }
    }

    /// Reads a string that a call is given: JSON once more, or a patch.
    fn given(&mut self, string: Value<'_>, around: Nesting<'_>) {
        let Some(document) = self.reader.decoded(string) else {
            return;
        };
        if fields::is_inside_of_envelope(document.text()) {
            self.reader.is_wrapped = around.is_wrapped;
            return self.reader.inside("input", &document);
        }
        if !document.text().trim_start().starts_with(['{', '[']) {
            return self.text(string, around, None);
        }
        match document.value() {
            Ok(value) => self.value(value, around),
            Err(error) if is_of_calls(document.text().as_bytes()) => {
                self.reader.error(string.range(), broken(&error));
            }
            Err(_) => self.text(string, around, None),
        }
    }

    fn options_of_text<'o>(&'o self, is_prose: bool, path: Option<&'o str>) -> Options<'o> {
        let deeper = if is_prose { 1 } else { tool::DEEPEST_TEXT };
        Options {
            depth: self.reader.options.depth + deeper,
            file: path.map(str::as_bytes).or(self.reader.options.file),
            format: None,
            ..*self.reader.options
        }
    }

    /// Reads a string in which patches may be. `path` is that of the file which they are about if
    /// they don't say.
    fn text(&mut self, string: Value<'_>, around: Nesting<'_>, path: Option<&str>) {
        if !may_hold_patch(string) || self.reader.options.depth >= tool::DEEPEST_TEXT {
            return;
        }
        let Some(document) = self.reader.decoded(string) else {
            return;
        };
        self.text_of(string, &document, around, path);
    }

    /// Reads a text as a script that applies patches; returns whether it does.
    fn script(&mut self, document: &JsonText, around: Nesting<'_>) -> bool {
        let source = self.reader.source;
        let place = |range: std::ops::Range<usize>| source.span(document.range(range));
        let options = self.options_of_text(false, None);
        let setting = embedded::Setting {
            id: source.id(),
            name: source.name(),
            options,
            directory: around.directory,
            place: &place,
        };
        let blocks = embedded::read(document.text(), setting);
        let is_script = !blocks.is_empty();
        for mut block in blocks {
            block.call.clone_from(&self.reader.call);
            self.reader.count += block.edits.len() + block.errors.len();
            self.reader.errors += block.errors.len();
            self.reader.blocks.push(block);
        }
        is_script
    }

    /// Tells of the patches in a text that don't count, where there are no others.
    fn hidden_in(&mut self, parsed: &Parsed<'_>, document: &JsonText) {
        for warning in &parsed.warnings {
            let format::Warning::Response(Warning::Hidden { by, .. }) = &warning.value else {
                continue;
            };
            let Some(span) = warning.span.map(|span| self.reader.place(document, span)) else {
                continue;
            };
            self.hidden.push((span, by.clone()));
            let warning = Located::new(span, warning.value.clone());
            self.reader.remarks.push(warning);
        }
    }

    fn text_of(
        &mut self,
        string: Value<'_>,
        document: &JsonText,
        around: Nesting<'_>,
        path: Option<&str>,
    ) {
        let is_prose = around.is_wrapped && !around.is_given;
        if !is_prose && self.script(document, around) {
            return;
        }
        let Some(source) = self.reader.embedded(document.text()) else {
            return;
        };
        let parsed = format::parse(&source, &self.options_of_text(is_prose, path));
        let is_lost = is_prose && parsed.errors.iter().any(|error| !error.value.is_absence());
        if !parsed.has_patch() && !is_lost {
            self.hidden_in(&parsed, document);
            return;
        }
        let mut block = relocated(parsed, &|span| self.reader.place(document, span));
        embedded::enter(&mut block, around.directory);
        if let Some(doubt) = embedded::doubt(around.directory) {
            embedded::refuse(&mut block, Error::Command(doubt));
        }
        self.reader.is_wrapped = around.is_wrapped;
        self.reader.take_patch(string.range(), block);
    }
}

/// Returns the id of the call that a result is of.
fn result_id(fields: &Fields<'_>) -> Option<String> {
    if fields.has(&["jsonrpc"]) {
        return call_id(fields);
    }
    if let Some((_, cause)) = fields.get(&["cause"]) {
        return Some(format!("event {}", cause.written()));
    }
    let is_response = fields.has(&["functionResponse", "response"]);
    fields
        .word(RESULT_ID)
        .or_else(|| fields.word(&["id"]).filter(|_| is_response))
}

/// Returns whether a string may hold a patch: each has several lines, but for an element of OPX.
fn may_hold_patch(string: Value<'_>) -> bool {
    string.written().contains("\\n") || string.written().contains("<edit")
}

/// Returns what a result says of what became of its call, in its members or in its text.
fn said(fields: &Fields<'_>) -> Option<Outcome> {
    const TEXTS: &[&str] = &["content", "output", "result", "response", "text", "error"];
    let of = fields.word(fields::TYPE).unwrap_or_default();
    if of.starts_with("error-") || of.ends_with("-denied") {
        return Some(Outcome::Undone);
    }
    members::outcome(fields).or_else(|| {
        let (_, value) = fields.get(TEXTS)?;
        says_undone(value, 0).then_some(Outcome::Undone)
    })
}

fn says_undone(value: Value<'_>, depth: usize) -> bool {
    match value.is() {
        Is::String => value.string().is_ok_and(|text| {
            let inner = text.text().trim_start();
            let is_json = depth < DEEPEST && inner.starts_with('{');
            let inner = JsonText::new(if is_json { inner } else { "null" }, 0);
            members::says_undone(text.text())
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
fn call_id(fields: &Fields<'_>) -> Option<String> {
    if fields.has(&["jsonrpc"]) {
        let (_, id) = fields.get(&["id"])?;
        return Some(format!("jsonrpc {}", id.written()));
    }
    let metadata = fields.get(&["tool_call_metadata"]);
    let metadata = metadata.and_then(|(_, metadata)| Fields::of(metadata).ok());
    let event = fields
        .get(&["id"])
        .filter(|(_, id)| id.is() == Is::Number && fields.has(&["action"]))
        .map(|(_, id)| format!("event {}", id.written()));
    metadata
        .and_then(|metadata| metadata.word(CALL_ID))
        .or(event)
        .or_else(|| CALL_ID.iter().find_map(|name| fields.word(&[name])))
}

/// Returns the call that an object wraps, if it does.
fn wrapper<'t>(fields: &Fields<'t>) -> Option<Wrapper<'t>> {
    const NAMES: &[&str] = &["name", "toolName", "tool_name", "tool", "action"];
    const TYPES: &[&str] = &["tool_use", "function_call", "custom_tool_call", "tool_call"];
    let own = members::outcome(fields);
    let name = NAMES.iter().find_map(|name| fields.word(&[name]));
    let of = fields.word(fields::TYPE).unwrap_or_default();
    // OpenCode tells what a call is given beside what became of it.
    let state = fields
        .get(&["state"])
        .and_then(|(_, state)| Fields::of(state).ok());
    if let Some(state) = &state
        && let Some((_, arguments)) = state.get(&["input"])
    {
        return Some(Wrapper {
            name: name.unwrap_or_default(),
            arguments,
            outcome: members::outcome(state).or(own),
        });
    }
    // Codex and OpenAI's models tell commands so.
    if SHELL.contains(&&of[..])
        && let Some((_, command)) = fields.get(&["action", "command"])
    {
        return Some(Wrapper {
            name: of,
            arguments: command,
            outcome: own,
        });
    }
    let (key, arguments) = fields.get(fields::ARGUMENTS)?;
    let of_type = of.strip_prefix("tool-").filter(|name| *name != "call");
    let is_call =
        key == "arguments" || name.is_some() || of_type.is_some() || TYPES.contains(&&of[..]);
    is_call.then(|| Wrapper {
        name: name.or(of_type.map(str::to_owned)).unwrap_or_default(),
        arguments,
        outcome: own,
    })
}

fn is_of_stream(fields: &Fields<'_>) -> bool {
    let of = fields.word(fields::TYPE).unwrap_or_default();
    let is_chunk = fields
        .word(&["object"])
        .is_some_and(|of| of.ends_with(".chunk"));
    is_chunk || (of.ends_with("_delta") || of.ends_with(".delta")) && !fields.has(fields::PATH)
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

/// Members whose value is the call that the object names.
const CALLS: [&str; 9] = [
    "function",
    "functionCall",
    "function_call",
    "operation",
    "action",
    "params",
    "toolUse",
    "toolInvocation",
    "kwargs",
];

/// The types of messages in which a command of the shell is the call.
const SHELL: &[&str] = &["command_execution", "local_shell_call", "shell_call"];

/// Members that name the directory in which a command runs.
const DIRECTORY: &[&str] = &["workdir", "cwd", "working_directory", "workingDirectory"];

/// Members that hold several responses to one question.
const ALTERNATIVES: [&str; 2] = ["choices", "candidates"];
