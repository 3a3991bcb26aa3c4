//! A report as programs read it: one JSON document on one line, as `schema.json` beside this file describes it.
//!
//! Every field is always there; what isn't known or doesn't apply is `null`, what there is none of an empty list. Only `diff`
//! is left out where none was asked for. Text that may be any bytes (paths, lines, notes) is a string in which what isn't
//! UTF-8 is replaced, and then stands in a second field, of the name with `_bytes` behind it, once more in Base64.

use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bstr::ByteSlice as _;
use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};
use serde_json::ser::Formatter;

use super::{Diagnostic, EditReport, FileReport, HunkReport, Report, ResponsePlace, SideReport, State, Status};
use crate::diagnose::Nearest;
use crate::text::{LineNo, Shown};

/// The schema that every document keeps to.
pub const SCHEMA: &str = include_str!("schema.json");

/// The version of the document's form. A field more is no new version; another meaning is.
const VERSION: u32 = 1;

impl Report {
    /// Returns the document, without a line end behind it. It holds no character that a terminal might obey.
    pub fn json(&self) -> String {
        let mut out = Vec::new();
        let mut serializer = serde_json::Serializer::with_formatter(&mut out, Harmless);
        // What is serialized are maps with strings for keys, into memory: there is nothing that could fail.
        let _ = Object(self).serialize(&mut serializer);
        String::from_utf8(out).unwrap_or_default()
    }
}

/// Something that is written as an object: its fields, in order.
trait Fields {
    fn fields<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;
}

struct Object<'o, T>(&'o T);

impl<T: Fields> Serialize for Object<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.0.fields(&mut map)?;
        map.end()
    }
}

struct List<'l, T>(&'l [T]);

impl<T: Fields> Serialize for List<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        self.0.iter().try_for_each(|one| list.serialize_element(&Object(one)))?;
        list.end()
    }
}

/// Writes bytes as text, and where that loses something, once more as they are.
fn text<M: serde::ser::SerializeMap>(map: &mut M, name: &str, bytes: Option<&[u8]>) -> Result<(), M::Error> {
    map.serialize_entry(name, &bytes.map(|bytes| bytes.to_str_lossy()))?;
    match bytes {
        Some(bytes) if bytes.to_str().is_err() => {
            map.serialize_entry(&format!("{name}_bytes"), &STANDARD.encode(bytes))
        }
        _ => Ok(()),
    }
}

impl Fields for Report {
    fn fields<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let Self { status, state, files, warnings, errors, commit, feedback, signal, detail } = self;
        map.serialize_entry("version", &VERSION)?;
        map.serialize_entry("status", status.name())?;
        map.serialize_entry("state", state.name())?;
        let attention = if let State::Attention(paths) = state { &paths[..] } else { &[] };
        map.serialize_entry("attention", &List(attention))?;
        map.serialize_entry("signal", signal)?;
        map.serialize_entry("responses", &detail.responses)?;
        map.serialize_entry("plan", &detail.plan.map(|plan| plan.to_string()))?;
        map.serialize_entry("format", &detail.format.map(|format| format.to_string()))?;
        text(map, "message", detail.message.as_ref().map(|message| message.as_bytes()))?;
        map.serialize_entry("edits", &List(&detail.edits))?;
        map.serialize_entry("files", &List(files))?;
        map.serialize_entry("warnings", &List(warnings))?;
        map.serialize_entry("errors", &List(errors))?;
        map.serialize_entry("feedback", feedback)?;
        map.serialize_entry("commit", &commit.as_ref().map(|commit| &commit.full))?;
        map.serialize_entry("tree", &commit.as_ref().and_then(|commit| commit.tree.as_ref()))
    }
}

impl Fields for crate::path::RepoPath {
    fn fields<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        text(map, "path", Some(self.as_bytes()))
    }
}

impl Fields for EditReport {
    fn fields<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let Self { response, operation, path, to, why, hunks } = self;
        map.serialize_entry("response", &response.as_ref().map(Object))?;
        map.serialize_entry("op", operation.name())?;
        text(map, "path", Some(path))?;
        text(map, "to", to.as_ref().map(|to| to.as_bytes()))?;
        text(map, "why", why.as_ref().map(|why| why.as_bytes()))?;
        map.serialize_entry("hunks", &List(hunks))
    }
}

impl Fields for HunkReport {
    fn fields<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let Self { line, old, new, how } = self;
        map.serialize_entry("line", &line.map(LineNo::get))?;
        map.serialize_entry("old_start", &old.start)?;
        map.serialize_entry("old_lines", &old.count)?;
        map.serialize_entry("new_start", &new.start)?;
        map.serialize_entry("new_lines", &new.count)?;
        map.serialize_entry("match", how)
    }
}

impl Fields for FileReport {
    fn fields<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let Self { operation, path, from, lines, detail } = self;
        let oid = |side: &Option<SideReport>| side.as_ref().and_then(|side| side.oid.clone());
        let mode = |side: &Option<SideReport>| side.as_ref().map(|side| format!("{:06o}", side.mode));
        text(map, "path", Some(path.as_bytes()))?;
        map.serialize_entry("operation", operation.name())?;
        text(map, "from", from.as_ref().map(|from| from.as_bytes()))?;
        map.serialize_entry("hunks", &List(&detail.hunks))?;
        map.serialize_entry("added", &lines.map(|lines| lines.added))?;
        map.serialize_entry("removed", &lines.map(|lines| lines.removed))?;
        map.serialize_entry("old_oid", &oid(&detail.old))?;
        map.serialize_entry("new_oid", &oid(&detail.new))?;
        map.serialize_entry("old_mode", &mode(&detail.old))?;
        map.serialize_entry("new_mode", &mode(&detail.new))?;
        match &detail.diff {
            Some(diff) => text(map, "diff", Some(diff)),
            None => Ok(()),
        }
    }
}

impl Fields for Diagnostic {
    fn fields<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let Self { kind, message, response, also, cause, path, places, nearest, line, candidates, notes, help, .. } =
            self;
        let line = line.or(nearest.as_ref().map(|nearest| nearest.line)).or(places.first().map(|place| place.line));
        map.serialize_entry("kind", kind.code())?;
        map.serialize_entry("message", message)?;
        map.serialize_entry("response", &response.as_ref().map(Object))?;
        map.serialize_entry("also", &List(also))?;
        map.serialize_entry("cause", &cause.as_ref().map(Object))?;
        text(map, "path", path.as_ref().map(|path| path.as_bytes()))?;
        map.serialize_entry("line", &line.or(candidates.first().copied()).map(LineNo::get))?;
        map.serialize_entry("candidates", &candidates.iter().map(|line| line.get()).collect::<Vec<_>>())?;
        map.serialize_entry("nearest", &nearest.as_ref().map(Object))?;
        map.serialize_entry("notes", notes)?;
        map.serialize_entry("hint", help)
    }
}

impl Fields for ResponsePlace {
    fn fields<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("file", &self.file)?;
        map.serialize_entry("line", &self.line.get())?;
        map.serialize_entry("column", &self.column)
    }
}

impl Fields for Nearest {
    fn fields<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("start", &self.start.get())?;
        map.serialize_entry("line", &self.line.get())?;
        text(map, "text", Some(&self.text))
    }
}

impl Status {
    /// Returns the word that programs read.
    pub fn name(self) -> &'static str {
        match self {
            Status::Applied => "applied",
            Status::Checked => "checked",
            Status::Undone => "undone",
            Status::Recovered => "recovered",
            Status::Failed => "failed",
        }
    }
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
    fn write_string_fragment<W: io::Write + ?Sized>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
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
        let path = RepoPath::new("a\u{1b}[2J\u{7f}\u{9b}\u{202e}\u{e0001}\né\"\\".as_bytes()).unwrap();
        let json = Report::failed_with(State::Attention(vec![path]), Vec::new(), Vec::new()).json();
        let want = "{\"path\":\"a\\u001b[2J\\u007f\\u009b\\u202e\\udb40\\udc01\\né\\\"\\\\\"}";
        assert!(json.contains(want), "{json}");
        let read: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(read["attention"][0]["path"], "a\u{1b}[2J\u{7f}\u{9b}\u{202e}\u{e0001}\né\"\\");
    }
}
