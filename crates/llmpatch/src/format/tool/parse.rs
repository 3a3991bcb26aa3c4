//! Reads one value of JSON: finds the calls in it, wherever they are, and the patches in its
//! strings.

use std::collections::HashMap;
use std::ops::Range;

use bstr::BString;

use super::error::{Error, Warning};
use super::fields::{self, Fields};
use super::json::{Is, JsonText, Value};
use crate::format::{Block, InFile, Options, excerpt};
use crate::patch::{FileEdit, Format};
use crate::text::{Located, Source, Span, Text};

/// How deep calls are looked for; the messages of no provider go half as deep.
const DEEPEST: usize = 48;

/// The calls of the response that were met so far, by their ids: what each says.
pub(crate) type Met = HashMap<String, String>;

/// The reader of one value.
pub(super) struct CallReader<'a, 'm> {
    pub(super) source: &'a Source,
    pub(super) options: &'m Options<'m>,
    met: &'m mut Met,
    blocks: Vec<Block<'static>>,
    /// How many edits and errors there are in them, and how many errors.
    count: usize,
    pub(super) errors: usize,
    /// The file of the call that is being read.
    pub(super) path: Option<BString>,
    /// What is said of calls that aren't read.
    remarks: Vec<Located<crate::format::Warning>>,
}

/// What was read of one value.
pub(crate) struct ValueRead {
    /// The calls and patches in it; none of JSON that is prose.
    pub(crate) blocks: Vec<Block<'static>>,
    /// What is said of calls that change nothing.
    pub(crate) remarks: Vec<Located<crate::format::Warning>>,
    /// The offset behind it.
    pub(crate) end: usize,
}

/// What a value is in.
#[derive(Clone, Copy)]
struct Nesting<'v> {
    depth: usize,
    /// Whether something says that it is a message, or a call.
    is_wrapped: bool,
    /// Whether it is what a call was given.
    is_given: bool,
    /// What names the call.
    id: Option<&'v str>,
}

impl<'a, 'm> CallReader<'a, 'm> {
    pub(super) fn new(source: &'a Source, options: &'m Options<'m>, met: &'m mut Met) -> Self {
        Self {
            source,
            options,
            met,
            blocks: Vec::new(),
            count: 0,
            errors: 0,
            path: None,
            remarks: Vec::new(),
        }
    }

    /// Reads a value.
    pub(super) fn read(mut self, value: Value<'_>) -> ValueRead {
        let around = Nesting {
            depth: 0,
            is_wrapped: value.is() == Is::String,
            is_given: false,
            id: None,
        };
        self.value(value, around);
        ValueRead {
            blocks: self.blocks,
            remarks: self.remarks,
            end: value.range().end,
        }
    }

    fn value(&mut self, value: Value<'_>, around: Nesting<'_>) {
        if around.depth > DEEPEST {
            return self.fail(value, Error::Deep);
        }
        let inside = Nesting {
            depth: around.depth + 1,
            ..around
        };
        match value.is() {
            Is::Object => self.object(value, inside),
            Is::Array => value
                .items()
                .into_iter()
                .for_each(|item| self.value(item, inside)),
            Is::String => self.text(value, around, None),
            _ => {}
        }
    }

    fn object(&mut self, object: Value<'_>, around: Nesting<'_>) {
        let fields = match Fields::of(object) {
            Ok(fields) => fields,
            Err(error) => return self.fail(object, super::broken(&error)),
        };
        if is_of_others(&fields) {
            return;
        }
        if is_of_stream(&fields) {
            return self.error(object.range(), Error::Stream);
        }
        let before = self.count;
        let arguments = fields
            .get(fields::ARGUMENTS)
            .filter(|(name, _)| *name == "arguments" || fields.has(fields::NAME));
        let id = fields.word(&["call_id"]).or_else(|| fields.word(&["id"]));
        let id = id.as_deref().or(around.id);
        match (fields.shape(), arguments) {
            (Some(shape), _) => self.call(object, &fields, shape),
            (None, Some((_, arguments))) => {
                self.wrapper(object, &fields, arguments, Nesting { id, ..around })
            }
            (None, None) => {
                let is_wrapped =
                    around.is_wrapped || fields.iter().any(|(name, _)| WRAPPERS.contains(&name));
                let path = fields.word(fields::PATH);
                for (name, value) in fields.iter().filter(|(name, _)| !THOUGHTS.contains(name)) {
                    let around = Nesting {
                        is_wrapped,
                        id: id.filter(|_| CALLS.contains(&name)),
                        ..around
                    };
                    match value.is() {
                        Is::String => self.text(value, around, path.as_deref()),
                        _ => self.value(value, around),
                    }
                }
            }
        }
        if self.count > before
            && let Some((field, value)) = cut(&fields)
        {
            let said = value.written().trim_matches('"').into();
            self.error(value.range(), Error::Cut { field, value: said });
        }
    }

    /// Reads what a call is given, which may be JSON once more. A call that changes nothing is
    /// told.
    fn wrapper(
        &mut self,
        object: Value<'_>,
        fields: &Fields<'_>,
        arguments: Value<'_>,
        around: Nesting<'_>,
    ) {
        let name = fields.word(fields::NAME).unwrap_or_default();
        let said = format!("{name}\n{}", arguments.written());
        if let Some(id) = around.id {
            match self.met.get(id) {
                Some(known) if *known == said => {
                    return self.remark(object, Warning::Repeated);
                }
                Some(_) => return self.error(object.range(), Error::Id { id: id.into() }),
                None => self.met.insert(id.to_owned(), said),
            };
        }
        let before = (self.count, self.remarks.len());
        let inside = Nesting {
            is_wrapped: true,
            is_given: true,
            ..around
        };
        match arguments.is() {
            Is::String => self.given(arguments, inside),
            _ => self.value(arguments, inside),
        }
        if (self.count, self.remarks.len()) == before {
            self.skip(object, &name);
        }
    }

    /// Refuses a value that can't be read, if it was to be a call.
    fn fail(&mut self, value: Value<'_>, what: Error) {
        if super::is_of_calls(value.written().as_bytes()) {
            self.error(value.range(), what);
        }
    }

    /// Reads a string that a call is given: JSON once more, or a patch.
    fn given(&mut self, string: Value<'_>, around: Nesting<'_>) {
        let Some(document) = self.decoded(string) else {
            return;
        };
        if !document.text().trim_start().starts_with(['{', '[']) {
            return self.text(string, around, None);
        }
        match document.value() {
            Ok(value) => self.value(value, around),
            Err(error) if super::is_of_calls(document.text().as_bytes()) => {
                self.error(string.range(), super::broken(&error));
            }
            Err(_) => self.text(string, around, None),
        }
    }

    /// Reads a string in which patches may be. `path` is that of the file which they are about if
    /// they don't say.
    fn text(&mut self, string: Value<'_>, around: Nesting<'_>, path: Option<&str>) {
        let may_hold_one = string.written().contains("\\n") || string.written().contains("<edit");
        if !may_hold_one || self.options.depth >= super::DEEPEST_TEXT {
            return;
        }
        let Some(document) = self.decoded(string) else {
            return;
        };
        let is_prose = around.is_wrapped && !around.is_given;
        let options = Options {
            depth: self.options.depth + if is_prose { 1 } else { super::DEEPEST_TEXT },
            file: path.map(str::as_bytes).or(self.options.file),
            format: None,
            ..*self.options
        };
        let Some(source) = self.embedded(document.text()) else {
            return;
        };
        let parsed = crate::format::parse(&source, &options);
        let is_lost = is_prose && parsed.errors.iter().any(|error| !error.value.is_absence());
        if !parsed.has_patch() && !is_lost {
            return;
        }
        let block = relocated(parsed, &|span| self.place(&document, span));
        let mut block = Block {
            range: string.range(),
            ..block
        };
        if !around.is_wrapped {
            let span = self.source.span(string.range());
            block.warnings.push(Located::new(
                span,
                InFile {
                    path: None,
                    what: Warning::NoCall,
                }
                .into(),
            ));
        }
        self.count += block.edits.len() + block.errors.len();
        self.errors += block.errors.len();
        self.blocks.push(block);
    }

    /// Returns a text that is in the response as a source of its own.
    pub(super) fn embedded(&self, text: &str) -> Option<Source> {
        Source::new(self.source.id(), self.source.name(), text.into())
    }

    /// Returns where in the response a place of a text is.
    pub(super) fn place(&self, document: &JsonText, span: Span) -> Span {
        self.source
            .span(document.range(span.start as usize..span.end as usize))
    }

    /// Decodes a string, or says why that can't be.
    pub(super) fn decoded(&mut self, string: Value<'_>) -> Option<JsonText> {
        match string.string() {
            Ok(document) if document.text().contains('\0') => {
                self.error(string.range(), Error::Nul)
            }
            Ok(document) => return Some(document),
            Err(error) => self.error(string.range(), super::broken(&error)),
        }
        None
    }

    /// Returns the block of the calls that are being read, of which a range is a part.
    fn block(&mut self, range: Range<usize>) -> &mut Block<'static> {
        if self
            .blocks
            .last()
            .is_none_or(|block| block.format != Format::Tool)
        {
            let (edits, errors, warnings) = Default::default();
            self.blocks.push(Block {
                format: Format::Tool,
                range: range.clone(),
                edits,
                errors,
                warnings,
            });
        }
        let block = self.blocks.last_mut().expect("there is one now");
        block.range = block.range.start.min(range.start)..block.range.end.max(range.end);
        block
    }

    /// Tells of a call that changes nothing.
    pub(super) fn skip(&mut self, object: Value<'_>, name: &str) {
        self.remark(
            object,
            Warning::Skipped {
                name: excerpt(name.as_bytes()),
            },
        );
    }

    fn remark(&mut self, object: Value<'_>, what: Warning) {
        self.remarks.push(Located::new(
            self.source.span(object.range()),
            InFile { path: None, what }.into(),
        ));
    }

    /// Takes in the edits of a call.
    pub(super) fn take(&mut self, range: Range<usize>, edits: Vec<FileEdit<'static>>) {
        self.count += edits.len();
        self.block(range).edits.extend(edits);
    }

    /// Takes in what is said of a diff in a call.
    pub(super) fn take_said(&mut self, range: Range<usize>, said: Block<'static>) {
        self.count += said.errors.len();
        self.errors += said.errors.len();
        let block = self.block(range);
        block.errors.extend(said.errors);
        block.warnings.extend(said.warnings);
    }

    pub(super) fn error(&mut self, range: Range<usize>, what: Error) {
        (self.count, self.errors) = (self.count + 1, self.errors + 1);
        let span = self.source.span(range.clone());
        let path = self.path.clone();
        self.block(range)
            .errors
            .push(Located::new(span, InFile { path, what }.into()));
    }

    pub(super) fn warn(&mut self, range: Range<usize>, what: Warning) {
        let span = self.source.span(range.clone());
        let path = self.path.clone();
        self.block(range)
            .warnings
            .push(Located::new(span, InFile { path, what }.into()));
    }
}

/// Makes a block of what was read of a text that is in a string.
pub(super) fn relocated(
    parsed: crate::format::Parsed<'_>,
    place: &dyn Fn(Span) -> Span,
) -> Block<'static> {
    let edits = parsed
        .patch
        .edits
        .into_iter()
        .map(|edit| edit.relocated(place))
        .collect();
    let errors = parsed.errors.into_iter().map(|error| Located {
        span: error.span.map(place),
        ..error
    });
    let warnings = parsed.warnings.into_iter().map(|warning| Located {
        span: warning.span.map(place),
        ..warning
    });
    Block::new(
        parsed.patch.format,
        0..0,
        edits,
        errors.collect(),
        warnings.collect(),
    )
}

/// Members by which an object is a message, or holds calls.
const WRAPPERS: [&str; 11] = [
    "role",
    "choices",
    "candidates",
    "message",
    "messages",
    "tool_calls",
    "function_call",
    "functionCall",
    "output",
    "parts",
    "operation",
];

/// Members whose value is the call that the object names.
const CALLS: [&str; 3] = ["function", "functionCall", "function_call"];

/// Members in which a model thinks aloud.
const THOUGHTS: [&str; 5] = [
    "reasoning",
    "reasoning_content",
    "thinking",
    "thoughts",
    "summary",
];

/// Returns whether an object isn't what the model said to change: a result, somebody else's
/// message, a thought.
fn is_of_others(fields: &Fields<'_>) -> bool {
    let role = fields.word(&["role"]);
    let of = fields.word(fields::TYPE).unwrap_or_default();
    let is_thought = fields
        .get(&["thought"])
        .is_some_and(|(_, value)| value.is() == Is::Bool(true));
    role.is_some_and(|role| !matches!(&role[..], "assistant" | "model"))
        || of == "tool_result"
        || of.ends_with("_output")
        || matches!(&of[..], "thinking" | "reasoning" | "redacted_thinking")
        || fields.has(&["functionResponse"])
        || is_thought
}

fn is_of_stream(fields: &Fields<'_>) -> bool {
    let of = fields.word(fields::TYPE).unwrap_or_default();
    let is_chunk = fields
        .word(&["object"])
        .is_some_and(|of| of.ends_with(".chunk"));
    is_chunk || (of.ends_with("_delta") || of.ends_with(".delta")) && !fields.has(fields::PATH)
}

/// Returns the member that says that a message was cut off.
fn cut<'t>(fields: &Fields<'t>) -> Option<(String, Value<'t>)> {
    let said = [
        ("status", &["incomplete", "in_progress"][..]),
        ("stop_reason", &["max_tokens"]),
        ("finish_reason", &["length"]),
        ("finishReason", &["MAX_TOKENS"]),
    ];
    said.into_iter().find_map(|(name, values)| {
        let (_, value) = fields.get(&[name])?;
        let word = fields.word(&[name])?;
        values
            .contains(&&word[..])
            .then(|| (name.to_owned(), value))
    })
}

/// Makes a text of a part of a decoded string.
pub(super) fn text(source: &Source, document: &JsonText, part: &str) -> Text<'static> {
    let start = part.as_ptr().addr() - document.text().as_ptr().addr();
    Text::at(
        part.as_bytes().to_vec(),
        source.span(document.range(start..start + part.len())),
    )
}
