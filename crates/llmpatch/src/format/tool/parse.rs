//! Reads single calls: what is taken in of them, and what is said of them.

use std::ops::Range;

use bstr::BString;

use super::error::{Error, Warning};
use super::json::{JsonText, Value};
use crate::format::{Block, InFile, Options, Parsed, excerpt};
use crate::patch::{FileEdit, Format};
use crate::text::{Located, Source, Span, Text};

/// The reader of the calls in one value of JSON.
pub(crate) struct CallReader<'a, 'm> {
    pub(crate) source: &'a Source,
    pub(crate) options: &'m Options<'m>,
    /// What was read so far.
    pub(crate) blocks: Vec<Block<'static>>,
    /// How many edits and errors together, and how many errors, are in `blocks`.
    pub(crate) count: usize,
    pub(crate) errors: usize,
    /// Whether the call that is being read is in a message or in another call.
    pub(crate) is_wrapped: bool,
    /// The file of the call that is being read.
    pub(crate) path: Option<BString>,
    /// The id of the call that is being read.
    pub(crate) call: Option<String>,
    /// The number of blocks when the call that is being read began.
    first: usize,
    /// What is said of calls that aren't read.
    pub(crate) remarks: Vec<Located<crate::format::Warning>>,
}

impl<'a, 'm> CallReader<'a, 'm> {
    pub(crate) fn new(source: &'a Source, options: &'m Options<'m>) -> Self {
        Self {
            source,
            options,
            blocks: Vec::new(),
            count: 0,
            errors: 0,
            is_wrapped: false,
            path: None,
            call: None,
            first: 0,
            remarks: Vec::new(),
        }
    }

    /// Begins a call of its own; returns how many blocks there are.
    pub(crate) fn begin(&mut self) -> usize {
        self.first = self.blocks.len();
        self.first
    }

    /// Returns a text that is in the response as a source of its own.
    pub(crate) fn embedded(&self, text: &str) -> Option<Source> {
        Source::new(self.source.id(), self.source.name(), text.into())
    }

    /// Returns where in the response a place of a text is.
    pub(crate) fn place(&self, document: &JsonText, span: Span) -> Span {
        self.source
            .span(document.range(span.start as usize..span.end as usize))
    }

    /// Decodes a string, or says why that can't be.
    pub(crate) fn decoded(&mut self, string: Value<'_>) -> Option<JsonText> {
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
        let last = self.blocks[self.first.min(self.blocks.len())..].last();
        if last.is_none_or(|block| block.format != Format::Tool || block.call != self.call) {
            self.blocks.push(Block {
                call: self.call.clone(),
                ..Block::empty(Format::Tool, range.clone())
            });
        }
        let block = self.blocks.last_mut().expect("there is one now");
        block.range = block.range.start.min(range.start)..block.range.end.max(range.end);
        block
    }

    /// Tells of a call that changes nothing.
    pub(crate) fn skip(&mut self, object: Value<'_>, name: &str) {
        self.remark(
            object,
            Warning::Skipped {
                name: excerpt(name.as_bytes()),
                count: 1,
            },
        );
    }

    pub(crate) fn remark(&mut self, object: Value<'_>, what: Warning) {
        self.remarks.push(Located::new(
            self.source.span(object.range()),
            InFile { path: None, what }.into(),
        ));
    }

    /// Takes in the edits of a call.
    pub(crate) fn take(&mut self, range: Range<usize>, edits: Vec<FileEdit<'static>>) {
        self.count += edits.len();
        self.block(range).edits.extend(edits);
    }

    /// Takes in a patch in a string, as what it is.
    pub(crate) fn take_patch(&mut self, range: Range<usize>, block: Block<'static>) {
        let call = self.call.clone();
        let mut block = Block {
            range: range.clone(),
            call,
            ..block
        };
        if !self.is_wrapped {
            let (path, what) = (None, Warning::NoCall);
            let said = InFile { path, what }.into();
            block
                .warnings
                .push(Located::new(self.source.span(range), said));
        }
        self.count += block.edits.len() + block.errors.len();
        self.errors += block.errors.len();
        self.blocks.push(block);
    }

    /// Takes in what is said of a diff in a call.
    pub(crate) fn take_said(&mut self, range: Range<usize>, said: Block<'static>) {
        self.count += said.errors.len();
        self.errors += said.errors.len();
        let block = self.block(range);
        block.errors.extend(said.errors);
        block.warnings.extend(said.warnings);
    }

    pub(crate) fn error(&mut self, range: Range<usize>, what: Error) {
        (self.count, self.errors) = (self.count + 1, self.errors + 1);
        let span = self.source.span(range.clone());
        let path = self.path.clone();
        self.block(range)
            .errors
            .push(Located::new(span, InFile { path, what }.into()));
    }

    pub(crate) fn warn(&mut self, range: Range<usize>, what: Warning) {
        let span = self.source.span(range.clone());
        let path = self.path.clone();
        self.block(range)
            .warnings
            .push(Located::new(span, InFile { path, what }.into()));
    }
}

/// Makes a block of what was read of a text that is in a string.
pub(crate) fn relocated(parsed: Parsed<'_>, place: &dyn Fn(Span) -> Span) -> Block<'static> {
    let parsed = parsed.relocated(place);
    Block {
        edits: parsed.patch.edits,
        errors: parsed.errors,
        warnings: parsed.warnings,
        ..Block::empty(parsed.patch.format, 0..0)
    }
}

/// Makes a text of a part of a decoded string.
pub(crate) fn text(source: &Source, document: &JsonText, part: &str) -> Text<'static> {
    let start = part.as_ptr().addr() - document.text().as_ptr().addr();
    Text::at(
        part.as_bytes().to_vec(),
        source.span(document.range(start..start + part.len())),
    )
}
