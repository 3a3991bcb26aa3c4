//! The marks of parts that aren't the answer: what models think aloud, what tools return, and the tokens
//! with which a chat is written down.
//!
//! A mark counts outside of fences, strings and patches: an opening mark that is first on its line, a
//! closing mark that is first or last on it.

use bstr::ByteSlice as _;

use crate::text::{starts_with_any_case, trim, trim_start};

/// A row of [`MARKS`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// What messages call it: the name of the tag, or the opening mark.
    pub(crate) name: &'static str,
    form: MarkForm,
    pub(crate) of: MarkOf,
}

/// How a mark is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarkForm {
    /// `<name>` … `</name>`, and with a prefix, `<x:name>` … `</x:name>`.
    Tag,
    /// `<name>` or `<name attribute="…">` … `</name>`.
    TagWithAttributes,
    /// As it is written, and what closes it.
    Pair(&'static str),
    /// As it is written; nothing closes it.
    Alone,
    /// A special token of a model, `<|name|>` or `<｜name｜>`; nothing closes it.
    Token,
}

/// What a mark is a mark of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkOf {
    /// What the model thinks aloud.
    Draft,
    /// What a tool returned.
    Result,
    /// A turn of a chat, as models see it.
    Chat,
}

const fn mark(name: &'static str, form: MarkForm, of: MarkOf) -> Mark {
    Mark { name, form, of }
}

/// All marks.
pub(crate) const MARKS: [Mark; 18] = [
    mark("think", MarkForm::Tag, MarkOf::Draft),
    mark("thinking", MarkForm::Tag, MarkOf::Draft),
    mark("thought", MarkForm::Tag, MarkOf::Draft),
    mark("reasoning", MarkForm::Tag, MarkOf::Draft),
    mark("analysis", MarkForm::Tag, MarkOf::Draft),
    mark("scratchpad", MarkForm::Tag, MarkOf::Draft),
    mark("[THINK]", MarkForm::Pair("[/THINK]"), MarkOf::Draft),
    mark(
        "<|channel|>analysis",
        MarkForm::Pair("<|channel|>final"),
        MarkOf::Draft,
    ),
    mark("tool_result", MarkForm::TagWithAttributes, MarkOf::Result),
    mark("tool_response", MarkForm::TagWithAttributes, MarkOf::Result),
    mark(
        "function_results",
        MarkForm::TagWithAttributes,
        MarkOf::Result,
    ),
    mark(
        "system-reminder",
        MarkForm::TagWithAttributes,
        MarkOf::Result,
    ),
    mark("document", MarkForm::TagWithAttributes, MarkOf::Result),
    mark("<|im_start|>", MarkForm::Alone, MarkOf::Chat),
    mark("<|start_header_id|>", MarkForm::Alone, MarkOf::Chat),
    mark("<start_of_turn>", MarkForm::Alone, MarkOf::Chat),
    mark("[INST]", MarkForm::Alone, MarkOf::Chat),
    mark("<|…|>", MarkForm::Token, MarkOf::Chat),
];

/// A mark in a text: its row, how it is written, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MarkAt<'l> {
    pub(crate) mark: &'static Mark,
    pub(crate) written: &'l [u8],
    /// Its offset in the text.
    pub(crate) start: usize,
}

impl MarkAt<'_> {
    /// Returns the mark as messages show it.
    pub(crate) fn shown(&self) -> String {
        match (self.mark.form, tag(self.written)) {
            (MarkForm::Pair(_), _) if self.written.starts_with_str(self.mark.name) => {
                self.mark.name.into()
            }
            (MarkForm::Pair(close), _) => close.into(),
            (_, Some(tag)) if tag.closes => format!("</{}>", tag.name.as_bstr()),
            (_, Some(tag)) => format!("<{}>", tag.name.as_bstr()),
            _ => String::from_utf8_lossy(self.written).into_owned(),
        }
    }

    /// Returns the mark that closes this one, as messages show it.
    pub(crate) fn shown_close(&self) -> String {
        match self.mark.form {
            MarkForm::Pair(close) => close.into(),
            _ => self.shown().replacen('<', "</", 1),
        }
    }

    /// Returns the offset behind it.
    pub(crate) fn end(&self) -> usize {
        self.start + self.written.len()
    }

    /// Returns whether a closing mark closes what this one opens.
    pub(crate) fn is_closed_by(&self, close: &MarkAt<'_>) -> bool {
        let is_pair = matches!(self.mark.form, MarkForm::Pair(_));
        let name = |written| tag(written).map(|tag| tag.name.to_ascii_lowercase());
        self.mark == close.mark && (is_pair || name(self.written) == name(close.written))
    }
}

/// Returns the opening mark of a part that is first on a line.
pub(crate) fn opening(line: &[u8]) -> Option<MarkAt<'_>> {
    first(line, |mark| mark.of != MarkOf::Chat)
}

/// Returns the token of a chat that is first on a line.
pub(crate) fn token(line: &[u8]) -> Option<MarkAt<'_>> {
    first(line, |mark| mark.of == MarkOf::Chat)
}

fn first(line: &[u8], is_wanted: fn(&Mark) -> bool) -> Option<MarkAt<'_>> {
    let start = line.len() - trim_start(line).len();
    let text = &line[start..];
    let tag = tag(text);
    let mut marks = MARKS.iter().filter(|mark| is_wanted(mark));
    marks.find_map(|mark| {
        let length = mark.length(text, tag.as_ref(), false)?;
        Some(MarkAt {
            mark,
            written: &text[..length],
            start,
        })
    })
}

/// Returns the first closing mark of a line that is first or last on it; with `anywhere`, wherever it is.
pub(crate) fn closing(line: &[u8], anywhere: bool) -> Option<MarkAt<'_>> {
    let first = line.len() - trim_start(line).len();
    let last = first + trim(line).len();
    let ends = memchr::memchr2_iter(b'<', b'[', line);
    ends.filter_map(|start| {
        let text = &line[start..];
        let tag = tag(text);
        let found = MARKS
            .iter()
            .find_map(|mark| Some((mark, mark.length(text, tag.as_ref(), true)?)));
        found.map(|(mark, length)| MarkAt {
            mark,
            written: &line[start..start + length],
            start,
        })
    })
    .find(|found| {
        let is_token = found.written.starts_with(b"<|");
        anywhere || is_token || found.start == first || found.end() == last
    })
}

impl Mark {
    /// Returns how long the opening mark is with which a text begins, or the closing mark.
    fn length(&self, text: &[u8], tag: Option<&Tag<'_>>, closes: bool) -> Option<usize> {
        let literal = |written: &str| {
            let message = "<|message|>";
            let is_here = starts_with_any_case(text, written.as_bytes());
            let more = text.get(written.len()..).unwrap_or_default();
            let more = if written.starts_with("<|channel") && more.starts_with_str(message) {
                message.len()
            } else {
                0
            };
            is_here.then_some(written.len() + more)
        };
        match self.form {
            MarkForm::Pair(close) if closes => literal(close),
            MarkForm::Alone | MarkForm::Token if closes => None,
            MarkForm::Token => special(text),
            MarkForm::Pair(_) | MarkForm::Alone => literal(self.name),
            MarkForm::Tag | MarkForm::TagWithAttributes => {
                let tag = tag?;
                let (prefix, bare) = tag.name.rsplit_once_str(":").unwrap_or_default();
                let bare = if prefix.is_empty() { tag.name } else { bare };
                let is_prefixed = bare.len() < tag.name.len();
                let takes_attributes = self.form == MarkForm::TagWithAttributes;
                let is_it = bare.eq_ignore_ascii_case(self.name.as_bytes())
                    && tag.closes == closes
                    && (takes_attributes || !tag.has_attributes)
                    && (!takes_attributes || !is_prefixed);
                is_it.then_some(tag.length)
            }
        }
    }
}

/// A tag with which a text begins.
struct Tag<'l> {
    name: &'l [u8],
    closes: bool,
    has_attributes: bool,
    length: usize,
}

/// Returns how long the special token is with which a text begins.
fn special(text: &[u8]) -> Option<usize> {
    const BARS: [(&str, &str); 2] = [("<|", "|>"), ("<｜", "｜>")];
    BARS.iter().find_map(|(open, close)| {
        let inner = text.strip_prefix(open.as_bytes())?;
        let end = inner
            .find(close)
            .filter(|end| (1..=LONGEST).contains(end))?;
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '▁');
        inner[..end]
            .chars()
            .all(is_name)
            .then_some(open.len() + end + close.len())
    })
}

/// How long a tag of a mark may be, attributes included.
const LONGEST: usize = 200;

fn tag(text: &[u8]) -> Option<Tag<'_>> {
    let inner = text.strip_prefix(b"<")?;
    let end = memchr::memchr(b'>', &inner[..inner.len().min(LONGEST)])?;
    let (inner, closes) = match inner[..end].strip_prefix(b"/") {
        Some(name) => (name, true),
        None => (&inner[..end], false),
    };
    let (name, has_attributes) = match inner.split_once_str(" ") {
        Some((name, _)) => (name, true),
        None => (inner, false),
    };
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-:".contains(byte);
    (!name.is_empty() && name.iter().all(is_name)).then_some(Tag {
        name,
        closes,
        has_attributes,
        length: end + 2,
    })
}
