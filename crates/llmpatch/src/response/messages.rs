//! Walks through one value of JSON: which of its messages are the model's, which calls they make,
//! what is said of these, and the patches in its texts.
//!
//! JSON is entered by the rows of [`super::schemas`] that the value matches. What is anywhere else
//! isn't read, and is told with its place.

use super::outcomes::{self, Outcome};
use super::place::JsonPath;
use super::rows::{Holds, MatchedRows, Speaker, ids, word};
use super::schemas::{CallForm, REVIEW};
use super::session::Session;
use super::{Block, Error, NoPatch, Warning, embedded};
use crate::format::tool::fields::{self, Fields};
use crate::format::tool::json::{Is, Value};
use crate::format::tool::shapes::{self, CallShape, shape};
use crate::format::tool::{self, broken, is_of_calls};
use crate::format::{InFile, Options, excerpt};
use crate::patch::Format;
use crate::text::{Located, Source, Span};

/// How deep messages are looked through.
pub(super) const DEEPEST: usize = 48;

/// What was read of a JSON value.
pub(super) struct ValueRead {
    /// The calls and patches in it; none of JSON that is prose.
    pub(super) blocks: Vec<Block<'static>>,
    /// What is said of parts that aren't read.
    pub(super) remarks: Vec<Located<Warning>>,
    /// The offset behind it.
    pub(super) end: usize,
    /// Whether it is a message, so that none of it is prose.
    pub(super) is_message: bool,
    /// The patches in it that don't count, and why.
    pub(super) hidden: Vec<(Format, Span, NoPatch)>,
}

impl ValueRead {
    pub(super) fn new(end: usize) -> Self {
        Self {
            blocks: Vec::new(),
            remarks: Vec::new(),
            end,
            is_message: false,
            hidden: Vec::new(),
        }
    }

    /// Returns how much is said of parts that aren't read.
    pub(super) fn told(&self) -> usize {
        self.remarks.len() + self.hidden.len()
    }

    /// Adds what was read of a value behind it.
    pub(super) fn append(&mut self, next: ValueRead) {
        self.blocks.extend(next.blocks);
        self.remarks.extend(next.remarks);
        self.hidden.extend(next.hidden);
        self.end = next.end;
    }
}

/// What a value is in.
#[derive(Clone, Copy)]
pub(super) struct Around<'v> {
    pub(super) rows: MatchedRows,
    speaker: Speaker,
    pub(super) path: JsonPath<'v>,
}

impl<'v> Around<'v> {
    fn at(&self, path: JsonPath<'v>) -> Self {
        Self { path, ..*self }
    }
}

/// The reader of a JSON value.
pub(super) struct Messages<'a, 'm> {
    pub(super) source: &'a Source,
    pub(super) options: &'m Options<'m>,
    pub(super) session: &'m mut Session,
    pub(super) read: ValueRead,
    /// What the file of a result's call had before.
    before: Option<String>,
    /// Whether the last text only names the call of which the next text tells.
    pub(super) is_announced: bool,
}

impl<'a, 'm> Messages<'a, 'm> {
    pub(super) fn new(
        source: &'a Source,
        options: &'m Options<'m>,
        session: &'m mut Session,
    ) -> Self {
        Self {
            source,
            options,
            session,
            read: ValueRead::new(0),
            before: None,
            is_announced: false,
        }
    }

    /// Reads a value that a response holds.
    pub(super) fn read(mut self, value: Value<'_>) -> ValueRead {
        self.read.end = value.range().end;
        match value.is() {
            Is::Array => {
                for (index, item) in value.items().into_iter().enumerate() {
                    self.top(item, JsonPath::TOP.item(index));
                }
            }
            Is::String => {
                let rows = MatchedRows::default();
                let speaker = Speaker::Model;
                let path = JsonPath::TOP;
                self.text(
                    value,
                    Around {
                        rows,
                        speaker,
                        path,
                    },
                );
            }
            _ => self.top(value, JsonPath::TOP),
        }
        self.read
    }

    /// Reads a message, or a call by itself.
    fn top(&mut self, value: Value<'_>, path: JsonPath<'_>) {
        let fields = match value.is() {
            Is::Object => Fields::of(value),
            _ => return self.hide(value, path, NoPatch::Elsewhere),
        };
        let fields = match fields {
            Ok(fields) => fields,
            Err(error) => return self.fail(value, broken(&error)),
        };
        let rows = MatchedRows::of(&fields);
        let speaker = Speaker::Nobody;
        let around = Around {
            rows,
            speaker,
            path,
        };
        if !rows.is_empty() {
            self.read.is_message = true;
            self.before = None;
            self.object(value, &fields, around);
        } else if self.is_unclear(value, &fields, around) {
            // It was told.
        } else if shape("", &fields).is_some() {
            self.call(value, &fields, &CallForm::BARE, around);
        } else {
            self.hide(value, path, NoPatch::Elsewhere);
            if shapes::names_file(&fields) {
                self.skip(value, "");
            }
        }
    }

    fn value(&mut self, value: Value<'_>, around: Around<'_>) {
        if around.path.depth() > DEEPEST {
            return self.fail(value, tool::Error::Deep);
        }
        match value.is() {
            Is::Object => match Fields::of(value) {
                Ok(fields) => self.object(value, &fields, around),
                Err(error) => self.fail(value, broken(&error)),
            },
            Is::Array => {
                for (index, item) in value.items().into_iter().enumerate() {
                    self.value(item, around.at(around.path.item(index)));
                }
            }
            Is::String => match around.speaker {
                Speaker::Model => self.text(value, around),
                Speaker::Nobody => self.hide(value, around.path, NoPatch::Elsewhere),
                _ => self.hear_text(value, around),
            },
            _ => {}
        }
    }

    fn object(&mut self, object: Value<'_>, fields: &Fields<'_>, around: Around<'_>) {
        let rows = around.rows;
        if self.is_unclear(object, fields, around) {
            return;
        }
        if let Some(directory) = rows.directory(fields) {
            self.session.aside.directory = directory;
        }
        self.before = rows
            .iter()
            .find_map(|row| word(fields, row.before))
            .or(self.before.take());
        let from = self.session.len();
        if let Some(told) = rows.result(fields) {
            let outcome = outcomes::outcome(rows, fields, told.says).unwrap_or(Outcome::Done);
            let names = ["name", "tool_name", "toolName", "functionResponse.name"];
            let name = names.iter().find_map(|name| word(fields, name));
            let before = self.before.clone();
            let ids = ids(told.ids, fields);
            self.session
                .tell(ids, &name.unwrap_or_default(), outcome, before);
            self.pass(object, around.path);
        } else {
            let speaker = match around.speaker {
                Speaker::Other => Speaker::Other,
                around => rows.speaker(fields).unwrap_or(around),
            };
            self.said(object, fields, Around { speaker, ..around });
        }
        self.ends(object, fields, from, rows);
    }

    /// Reads an object, by who speaks there.
    fn said(&mut self, object: Value<'_>, fields: &Fields<'_>, around: Around<'_>) {
        let rows = around.rows;
        match around.speaker {
            Speaker::Thoughts => self.hide(object, around.path, NoPatch::Thoughts),
            Speaker::Other if rows.iter().any(|row| row.name == REVIEW) => {
                self.comment(object, fields, around)
            }
            Speaker::Other => {
                let of = fields.word(fields::TYPE).unwrap_or_default();
                if fields.has(&["role"]) || of.starts_with("user") {
                    self.session.hear();
                }
                self.pass(object, around.path);
                for (name, value) in fields.iter() {
                    if rows.holds(name) == Holds::Parts {
                        self.value(value, around.at(around.path.member(name)));
                    }
                }
            }
            Speaker::Model | Speaker::Nobody => {
                if let Some((first, second)) = fields.two_arguments() {
                    let error = tool::Error::of_wrappers(first, second);
                    self.error(object, error);
                } else if let Some(call) = rows.call(fields) {
                    self.call(object, fields, call, around);
                } else if !fields.has(&["role"]) && is_change(fields) {
                    self.hide(object, around.path, NoPatch::Elsewhere);
                } else {
                    self.members(fields, around);
                }
            }
        }
    }

    /// Reads the members of an object in which the model speaks.
    fn members(&mut self, fields: &Fields<'_>, around: Around<'_>) {
        let is_piece = around.rows.any(|row| row.pieces, fields);
        for (name, value) in fields.iter() {
            let path = around.path.member(name);
            match around.rows.holds(name) {
                Holds::Parts if around.rows.has(|row| row.alternatives, name) => {
                    self.alternatives(value, around.at(path));
                }
                Holds::Parts => self.value(value, around.at(path)),
                Holds::Thoughts => self.hide(value, path, NoPatch::Thoughts),
                Holds::Unread => self.pass(value, path),
                Holds::Unknown if is_piece => {}
                Holds::Unknown => self.hide(value, path, NoPatch::Elsewhere),
            }
        }
    }

    /// Reads the choices of a response, of which a single choice may hold patches.
    fn alternatives(&mut self, value: Value<'_>, around: Around<'_>) {
        let start = self.read.blocks.len();
        let mut count = 0;
        for (index, item) in value.items().into_iter().enumerate() {
            let before = self.read.blocks.len();
            self.value(item, around.at(around.path.item(index)));
            count += usize::from(self.read.blocks.len() > before);
        }
        if count > 1 {
            self.read.blocks.truncate(start);
            let place = around.path.to_string();
            self.refuse(value, Error::Alternatives { place, count });
        }
    }

    /// Refuses an object of which it isn't clear what it says, if a patch is in it.
    fn is_unclear(&mut self, object: Value<'_>, fields: &Fields<'_>, around: Around<'_>) -> bool {
        let (place, error) = if let Some((name, second)) = fields.twice() {
            let field = name.to_owned();
            (second, tool::Error::Twice { field })
        } else if let Some((_, role)) = fields.named(&["role"])
            && role.is() != Is::String
        {
            let is = role.written().chars().take(40).collect();
            (role, tool::Error::Role { is })
        } else {
            return false;
        };
        let is_unclear = self.has_patch(object, around.path);
        if is_unclear {
            self.error(place, error);
        }
        is_unclear
    }

    /// Notes the first part with a patch that isn't the model's, for a response that has no other.
    fn pass(&mut self, value: Value<'_>, path: JsonPath<'_>) {
        const MARKS: [&str; 4] = ["*** Begin Patch", "<<<<<<< SEARCH", "diff --git ", "@@ -"];
        let is_marked = MARKS.iter().any(|mark| value.written().contains(mark));
        if is_marked && self.session.aside.passed.is_none() {
            let span = self.source.span(value.range());
            self.session.aside.passed = Some((span, path.to_string()));
        }
    }

    /// Tells of patches in a part that doesn't count.
    pub(super) fn hide(&mut self, value: Value<'_>, path: JsonPath<'_>, by: fn(String) -> NoPatch) {
        const MOST: usize = 10;
        for (format, span, place) in self.patches_in(value, path, MOST) {
            self.hidden(format, span, by(place));
        }
    }

    pub(super) fn hidden(&mut self, format: Format, span: Span, by: NoPatch) {
        self.read.hidden.push((format, span, by));
    }

    /// Tells of a call that changes nothing.
    pub(super) fn skip(&mut self, object: Value<'_>, name: &str) {
        let name = excerpt(name.as_bytes());
        self.remark(object, tool::Warning::Skipped { name, count: 1 });
    }

    /// Refuses a call of a tool that isn't known.
    pub(super) fn unread(&mut self, object: Value<'_>, tool: &str) {
        let name = excerpt(tool.as_bytes());
        self.error(object, tool::Error::Unread { name });
    }

    /// Adds a patch that is meant in a directory.
    pub(super) fn push(&mut self, mut block: Block<'static>, directory: &str) {
        embedded::place(&mut block, directory);
        self.read.blocks.push(block);
    }

    pub(super) fn remark(&mut self, object: Value<'_>, what: tool::Warning) {
        let said = InFile { path: None, what };
        let span = self.source.span(object.range());
        self.read
            .remarks
            .push(Located::new(span, Warning::of(said)));
    }

    pub(super) fn error(&mut self, value: Value<'_>, what: tool::Error) {
        self.refuse(value, Error::of(InFile { path: None, what }));
    }

    pub(super) fn refuse(&mut self, value: Value<'_>, error: impl Into<Error>) {
        let span = self.source.span(value.range());
        let block = Block::refused(Format::Tool, span, error);
        self.read.blocks.push(block);
    }

    /// Refuses a value that can't be read, if it was to be a call.
    fn fail(&mut self, value: Value<'_>, what: tool::Error) {
        if is_of_calls(value.written().as_bytes()) {
            self.error(value, what);
        }
    }
}

/// Returns whether an object is a call by its shape, whatever it is in.
pub(super) fn is_change(fields: &Fields<'_>) -> bool {
    matches!(
        shape("", fields),
        Some(CallShape::Replace | CallShape::Edits | CallShape::Create)
    )
}
