//! A report as programs read it: one JSON document on one line, as `schema.json` beside this file
//! describes it.
//!
//! Every field is always there; what isn't known or doesn't apply is `null`, what there is none of
//! an empty list. Only `diff` is left out where none was asked for. Text that may be any bytes
//! (paths, lines, notes) is a string in which what isn't UTF-8 is replaced, and then is in a second
//! field, of the name with `_bytes` behind it, once more in Base64.

use std::fmt::Display;
use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bstr::{BString, ByteSlice as _};
use serde::ser::{SerializeMap as _, SerializeStruct as _};
use serde::{Serialize, Serializer};
use serde_json::ser::Formatter;
use serde_json::value::RawValue;

use super::{Committed, Diagnostic, Report, State};
use super::{Nearest, Place};
use crate::path::RepoPath;
use crate::text::{LineNo, Shown};

/// The schema that every document keeps to.
pub const SCHEMA: &str = include_str!("schema.json");

/// The version of the document's form. A field more is no new version; another meaning is.
const VERSION: u32 = 1;

impl Report {
    /// Returns the document, without a line end behind it. It holds no character that a terminal
    /// might obey.
    pub fn json(&self) -> String {
        harmless(&JsonDocument {
            version: VERSION,
            report: self,
        })
    }

    /// Returns the answer to one of many questions, without a line end behind it: what is asked for
    /// again by its `id`, the revision that its change is made of, and of the document what can't
    /// be known before.
    pub fn json_answer(&self, id: Option<&RawValue>, onto: &str) -> String {
        harmless(&Answer {
            id,
            onto,
            tree: self.tree.as_deref(),
            commit: &self.commit,
            warnings: &self.warnings,
            errors: &self.errors,
            feedback: self.feedback.as_deref(),
        })
    }
}

/// Returns JSON as a document repeats it: as it was written, without what a terminal might obey.
pub fn repeated(value: Option<&RawValue>) -> String {
    harmless(&value)
}

fn harmless(document: &impl Serialize) -> String {
    let mut out = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, Harmless);
    // What is serialized are maps with strings for keys, into memory: there is nothing that could
    // fail.
    let _ = document.serialize(&mut serializer);
    String::from_utf8(out).unwrap_or_default()
}

#[derive(Serialize)]
struct Answer<'r> {
    id: Option<&'r RawValue>,
    onto: &'r str,
    tree: Option<&'r str>,
    #[serde(serialize_with = "commit")]
    commit: &'r Option<Committed>,
    warnings: &'r [Diagnostic],
    errors: &'r [Diagnostic],
    feedback: Option<&'r str>,
}

#[derive(Serialize)]
struct JsonDocument<'r> {
    version: u32,
    #[serde(flatten)]
    report: &'r Report,
}

/// Something that may be any bytes, or nothing.
pub(super) trait Bytes {
    fn bytes(&self) -> Option<&[u8]>;
}

impl Bytes for BString {
    fn bytes(&self) -> Option<&[u8]> {
        Some(self)
    }
}

impl Bytes for RepoPath {
    fn bytes(&self) -> Option<&[u8]> {
        Some(self.as_bytes())
    }
}

impl<T: Bytes> Bytes for &T {
    fn bytes(&self) -> Option<&[u8]> {
        T::bytes(self)
    }
}

impl<T: Bytes> Bytes for Option<T> {
    fn bytes(&self) -> Option<&[u8]> {
        self.as_ref().and_then(T::bytes)
    }
}

macro_rules! texts {
    ($($name:ident)*) => {
        $(
            /// Writes bytes as text in the field of this name, and where that loses something, once
            /// more as they are.
            pub(super) fn $name<S: Serializer>(value: &impl Bytes, serializer: S) -> Result<S::Ok, S::Error> {
                write_text(stringify!($name), value.bytes(), serializer)
            }
        )*
    };
}

texts! { path from to why message author diff text }

fn write_text<S: Serializer>(
    name: &str,
    bytes: Option<&[u8]>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry(name, &bytes.map(|bytes| bytes.to_str_lossy()))?;
    if let Some(bytes) = bytes.filter(|bytes| bytes.to_str().is_err()) {
        map.serialize_entry(&format!("{name}_bytes"), &STANDARD.encode(bytes))?;
    }
    map.end()
}

/// Writes a value as it is displayed.
pub(super) fn displayed<S: Serializer>(
    value: &Option<impl Display>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value
        .as_ref()
        .map(ToString::to_string)
        .serialize(serializer)
}

/// Writes a state and the paths that need a person.
pub(super) fn state<S: Serializer>(state: &State, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Fields<'p> {
        state: &'static str,
        #[serde(serialize_with = "paths")]
        attention: &'p [RepoPath],
    }
    let attention = if let State::Attention(paths) = state {
        &paths[..]
    } else {
        &[]
    };
    Fields {
        state: state.name(),
        attention,
    }
    .serialize(serializer)
}

/// Writes paths.
pub(super) fn paths<S: Serializer>(paths: &[RepoPath], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Path<'p> {
        #[serde(flatten, serialize_with = "path")]
        path: &'p RepoPath,
    }
    serializer.collect_seq(paths.iter().map(|path| Path { path }))
}

/// Writes the name of a commit.
pub(super) fn commit<S: Serializer>(
    commit: &Option<Committed>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    commit
        .as_ref()
        .map(|commit| &commit.id[..])
        .serialize(serializer)
}

impl Serialize for Place {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut place = serializer.serialize_struct("Place", 3)?;
        place.serialize_field("file", &self.file.to_str_lossy())?;
        place.serialize_field("line", &self.line())?;
        place.serialize_field("column", &self.column)?;
        place.end()
    }
}

/// Writes the place that comes nearest.
pub(super) fn nearest<S: Serializer>(
    nearest: &Option<Nearest>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Fields {
        start: LineNo,
        line: LineNo,
        #[serde(flatten, serialize_with = "text")]
        text: BString,
    }
    nearest
        .clone()
        .map(|Nearest { start, line, text }| Fields { start, line, text })
        .serialize(serializer)
}

impl State {
    /// Returns the word that programs read.
    pub fn name(&self) -> &'static str {
        match self {
            State::NothingChanged => "nothing-changed",
            State::Changed => "changed",
            State::PutBack => "put-back",
            State::Attention(_) => "attention",
        }
    }
}

/// Writes as little as JSON needs, and every character that a terminal might obey as `\u…`.
struct Harmless;

impl Formatter for Harmless {
    fn write_string_fragment<W: io::Write + ?Sized>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, odd)) = rest.char_indices().find(|(_, c)| !Shown::is_harmless(*c)) {
            writer.write_all(&rest.as_bytes()[..at])?;
            for unit in odd.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = &rest[at + odd.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }

    fn write_raw_fragment<W: io::Write + ?Sized>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        // Outside of strings there is no such character but whitespace.
        self.write_string_fragment(writer, &fragment.replace(['\r', '\n', '\t'], " "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::RepoPath;

    #[test]
    fn what_is_no_text_stands_there_twice() {
        let path = RepoPath::new(b"caf\xe9").unwrap();
        let state = State::Attention(vec![path, RepoPath::new(b"plain").unwrap()]);
        let json = Report::failed_with(state, Vec::new(), Vec::new()).json();
        assert!(
            json.contains(
                "\"attention\":[{\"path\":\"caf\u{fffd}\",\"path_bytes\":\"Y2Fm6Q==\"},{\"path\":\"plain\"}]"
            ),
            "{json}"
        );
    }

    #[test]
    fn a_terminal_finds_nothing_to_obey() {
        let path =
            RepoPath::new("a\u{1b}[2J\u{7f}\u{9b}\u{202e}\u{e0001}\né\"\\".as_bytes()).unwrap();
        let json = Report::failed_with(State::Attention(vec![path]), Vec::new(), Vec::new()).json();
        let want = "{\"path\":\"a\\u001b[2J\\u007f\\u009b\\u202e\\udb40\\udc01\\né\\\"\\\\\"}";
        assert!(json.contains(want), "{json}");
        let read: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(
            read["attention"][0]["path"],
            "a\u{1b}[2J\u{7f}\u{9b}\u{202e}\u{e0001}\né\"\\"
        );
    }
}
