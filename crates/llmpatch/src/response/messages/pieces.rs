//! Pieces of a stream: what a model says, over many messages, of which none says that it is one.

use std::collections::BTreeSet;

use crate::format::tool::fields::{self, Fields};
use crate::format::tool::json::Is;
use crate::format::{self, InFile, Options, Parsed, tool};
use crate::response::{Error, repeats};
use crate::text::{Located, Source, Span};

/// What the model said, as if all of it were pieces of a single text.
#[derive(Debug, Default)]
pub(in crate::response) struct Pieces {
    text: String,
    count: usize,
    first: Option<Span>,
    /// Whether something tells of a stream: the messages may be pieces even if each can be read.
    is_stream: bool,
}

impl Pieces {
    pub(super) fn add(&mut self, text: &str, span: Span) {
        self.text.push_str(text);
        self.count += 1;
        self.first.get_or_insert(span);
    }

    /// Notes a piece of which the whole is told, too, if the session was told to its end.
    pub(super) fn note(&mut self, span: Span) {
        self.first.get_or_insert(span);
    }

    /// Notes what a message tells of a stream: Ollama's messages aren't done, Gemini's are many,
    /// and messages of its command line and of LangChain say that they are pieces.
    pub(super) fn look(&mut self, fields: &Fields<'_>) {
        self.is_stream |= fields.says(&["done"], false)
            || fields.says(&["delta"], true)
            || fields.has(&["candidates"])
            || fields
                .word(fields::TYPE)
                .is_some_and(|of| of.ends_with("Chunk"));
    }

    /// Returns that a response is pieces of a stream, if together they say what it doesn't.
    pub(in crate::response) fn torn(
        &self,
        source: &Source,
        options: &Options<'_>,
        parsed: &Parsed<'_>,
    ) -> Option<Located<format::Error>> {
        let what = tool::Error::Stream;
        let error = Located::new(self.first?, InFile { path: None, what }.into());
        let is_absent = parsed.errors.iter().all(|error| error.value.is_absence());
        if self.count < 2 || options.depth >= tool::DEEPEST_TEXT {
            let is_noted = self.count == 0 && !parsed.errors.is_empty() && is_absent;
            return is_noted.then_some(error);
        }
        let is_of_pieces = match parsed.errors.is_empty() {
            true => self.is_stream,
            false => parsed.errors.iter().all(|error| is_of_patch(&error.value)),
        };
        if !is_of_pieces {
            return None;
        }
        let whole = Source::new(source.id(), source.name(), self.text[..].into())?;
        let options = Options {
            depth: options.depth + 1,
            ..*options
        };
        let whole = format::parse(&whole, &options);
        let known: BTreeSet<_> = parsed
            .patch
            .edits
            .iter()
            .map(repeats::without_note)
            .collect();
        let is_torn = whole.errors.is_empty()
            && whole
                .patch
                .edits
                .iter()
                .any(|edit| !known.contains(&repeats::without_note(edit)));
        is_torn.then_some(error)
    }
}

/// Returns whether a patch is missing, or breaks off, so that what is left looks like another format.
fn is_of_patch(error: &format::Error) -> bool {
    match error {
        format::Error::Response(of) => {
            matches!(
                of,
                Error::NoPatch(_) | Error::Residue(_) | Error::Mixed { .. }
            )
        }
        _ => true,
    }
}

/// Returns whether an object is a piece of a message, of which calls may be told in pieces, too.
pub(super) fn is_piece(fields: &Fields<'_>) -> bool {
    let of = fields.word(fields::TYPE).unwrap_or_default();
    let is_delta = ["_delta", ".delta", "-delta"]
        .iter()
        .any(|end| of.ends_with(end))
        || of.starts_with("content_block_");
    let is_chunk = fields
        .word(&["object"])
        .is_some_and(|of| of.ends_with(".chunk"));
    let has_delta = fields
        .get(&["delta"])
        .is_some_and(|(_, delta)| delta.is() == Is::Object);
    let is_whole = fields.has(fields::PATH) || fields.has(&["part"]);
    is_chunk || (is_delta || has_delta) && !is_whole || fields.has(&["contentBlockDelta"])
}
