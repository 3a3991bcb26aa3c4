//! Reads one `<edit>`: its attributes, its children, and what they come to.

use std::ops::Range;

use bstr::{BString, ByteSlice as _};

use super::children::Children;
use super::error::{Error, Warning};
use super::literal;
use super::reader::{EditReader, shortened};
use super::tags::{self, Form, Tag};
use super::{Child, Op, starts_here};
use crate::patch::{FileEdit, Occurrence, Operation};
use crate::text::{Text, decode};

/// How other formats name what OPX names `find`, `put`, `file` and `op`.
const FIND_NAMES: &str = "search old old_str old_string old_text original before from match target";
const PUT_NAMES: &str = "replace replacement replace_with new new_str new_string new_text content contents with \
     to insert after updated code text body";
const FILE_NAMES: &str = "path file_path filepath filename name target src";
const OP_NAMES: &str = "type operation action mode command kind";

impl<'a> EditReader<'a> {
    pub(super) fn edit(&mut self, tag: &Tag<'a>) {
        (self.state.broken, self.state.abandoned) = (false, false);
        let file = tag.attribute("file");
        // No path is as long as that, and every error carries one.
        self.state.path = file.map(|file| file.value[..file.value.len().min(4096)].into());
        let readable = self.flaws(tag);
        let op = self.edit_attributes(tag, readable);
        self.pos = tag.range.end;
        let children = match tag.form {
            Form::Open => self.children(tag, readable),
            Form::Empty | Form::Close => Children {
                complete: true,
                ..Children::default()
            },
        };
        if let Some(op) = op {
            self.check_children(tag, op, &children);
        }
        let to = children.to.clone();
        let (why, operation) = children.operation(op.filter(|_| !self.state.broken));
        if let Some(file) = file {
            let lost = to.filter(|_| operation == Operation::Unreadable);
            let path = self.value(file);
            let root = tag.attribute("root").map(|root| self.value(root));
            let span = Some(self.source.span(tag.range.clone()));
            self.edits.push(FileEdit {
                root: root.clone(),
                why,
                ..FileEdit::new(path, operation, span)
            });
            // Of the file that it would have moved to, nothing is known either.
            self.edits.extend(lost.map(|path| FileEdit {
                root,
                ..FileEdit::new(path, Operation::Unreadable, span)
            }));
        }
        self.state.path = None;
    }

    fn edit_attributes(&mut self, tag: &Tag<'a>, readable: bool) -> Option<Op> {
        self.unknown_attributes(tag, &["file", "op", "root"]);
        if readable {
            for (attribute, names) in [("file", FILE_NAMES), ("op", OP_NAMES)] {
                if tag.attribute(attribute).is_none() {
                    self.missing_attribute(tag, attribute, names);
                }
            }
        }
        let written = tag.attribute("op")?;
        let op = Op::named(&written.value);
        if op.is_none() && readable {
            let error = Error::UnknownOperation {
                written: written.value.as_ref().into(),
            };
            self.error(written.value_at.clone(), error);
        }
        op
    }

    /// Says that an edit lacks an attribute, or has it by one of the names that other formats use.
    fn missing_attribute(&mut self, edit: &Tag<'a>, attribute: &'static str, names: &str) {
        let tag = "edit";
        let (place, error) = match self.other_name(&edit.range, names) {
            Some((place, written)) => (place, Error::OtherAttribute { written, attribute }),
            None => (
                edit.range.clone(),
                Error::MissingAttribute { tag, attribute },
            ),
        };
        self.error(place, error);
    }

    fn children(&mut self, edit: &Tag<'a>, readable: bool) -> Children<'a> {
        let mut children = Children::default();
        // Behind stray text, a closing tag is part of the same mistake.
        let mut behind_text = false;
        loop {
            self.skip_whitespace();
            let after_text = std::mem::replace(&mut behind_text, false);
            if self.pos == self.bytes.len() {
                // Of a tag without an end nobody knows whether it was to be `/>`.
                if readable {
                    self.error(
                        edit.range.clone(),
                        Error::Truncated {
                            tag: edit.name.into(),
                        },
                    );
                }
                self.state.cut = true;
                return children;
            }
            let Some((side, name)) = tags::name_at(self.bytes, self.pos) else {
                behind_text = !self.comment_in_edit();
                if behind_text {
                    self.text_in_edit();
                }
                continue;
            };
            let ends_wrapper = self.state.in_wrapper && self.closes(self.pos, "opx");
            if ends_wrapper
                || tags::is(name, "edit") && side == Form::Open
                || starts_here(&self.bytes[self.pos..])
            {
                if readable {
                    let before = self.tag_text(self.pos);
                    self.error(
                        edit.range.clone(),
                        Error::NotClosed {
                            tag: edit.name.into(),
                            before,
                        },
                    );
                }
                return children;
            }
            let Some(tag) = tags::scan(self.bytes, self.pos) else {
                return children;
            };
            self.pos = tag.range.end;
            match (tag.form, Child::named(name)) {
                (Form::Close, _) if tag.is("edit") => {
                    self.flaws(&tag);
                    children.complete = true;
                    return children;
                }
                (Form::Close, _) if after_text => {}
                (Form::Close, _) => {
                    let text = self.shown(&tag.range);
                    self.error(tag.range, Error::StrayClose { text });
                }
                (_, Some(child)) => self.child(child, &tag, &mut children),
                (_, None) => self.unknown_element(&tag),
            }
            if self.state.cut || self.state.abandoned {
                return children;
            }
        }
    }

    fn child(&mut self, child: Child, tag: &Tag<'a>, children: &mut Children<'a>) {
        self.flaws(tag);
        if children.seen.iter().any(|(seen, _)| *seen == child) {
            self.error(tag.range.clone(), Error::DuplicateChild { child });
        } else {
            children.seen.push((child, tag.range.clone()));
        }
        match child {
            Child::Find => {
                self.unknown_attributes(tag, &["occurrence"]);
                children.occurrence = self.occurrence(tag);
                children.find = self.payload(Child::Find, tag);
                let is_empty =
                    |lines: &Vec<Text<'_>>| lines.iter().all(|line| line.trim_ascii().is_empty());
                if children.find.as_ref().is_some_and(is_empty) {
                    self.error(tag.range.clone(), Error::EmptyFind);
                }
            }
            Child::Put => {
                self.unknown_attributes(tag, &[]);
                children.put = self.payload(Child::Put, tag);
            }
            Child::To => {
                self.unknown_attributes(tag, &["file"]);
                children.to = self.to(tag);
            }
            Child::Why => {
                self.unknown_attributes(tag, &[]);
                children.why = self.why(tag);
            }
        }
    }

    fn check_children(&mut self, tag: &Tag<'a>, op: Op, children: &Children<'a>) {
        for (child, place) in children.seen.iter().cloned() {
            if child != Child::Why && !op.needs().contains(&child) {
                self.error(place, Error::ForeignChild { op, child });
            }
        }
        for &child in op.needs() {
            if children.complete && !children.seen.iter().any(|(seen, _)| *seen == child) {
                let names = if child == Child::Find {
                    FIND_NAMES
                } else {
                    PUT_NAMES
                };
                match self.other_name(&(tag.range.start..self.pos), names) {
                    Some((place, written)) if child != Child::To => {
                        self.error(place, Error::OtherName { written, child })
                    }
                    _ => self.error(tag.range.clone(), Error::MissingChild { op, child }),
                }
            }
        }
    }

    /// Takes back the warning that something in a range means nothing, if it has one of these
    /// names; returns where it is and its name.
    fn other_name(&mut self, range: &Range<usize>, names: &str) -> Option<(Range<usize>, BString)> {
        let first = self.warnings.partition_point(|warning| {
            warning
                .span
                .is_none_or(|span| (span.start as usize) < range.start)
        });
        let (index, span, name) =
            self.warnings[first..]
                .iter()
                .enumerate()
                .find_map(|(index, warning)| {
                    let (Warning::UnknownElement { tag: name }
                    | Warning::UnknownAttribute {
                        attribute: name, ..
                    }) = &warning.value.what
                    else {
                        return None;
                    };
                    let span = warning
                        .span
                        .filter(|span| (span.end as usize) <= range.end)?;
                    let is_one = names.split(' ').any(|known| tags::is(name, known));
                    is_one.then(|| (first + index, span, name.clone()))
                })?;
        self.warnings.remove(index);
        Some((span.start as usize..span.end as usize, name))
    }

    fn occurrence(&mut self, tag: &Tag<'a>) -> Occurrence {
        let Some(attribute) = tag.attribute("occurrence") else {
            return Occurrence::Only;
        };
        let written = attribute.value.as_ref();
        let digits = written.to_str().unwrap_or_default();
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        match digits.parse() {
            _ if tags::is(written, "first") => Occurrence::First,
            _ if tags::is(written, "last") => Occurrence::Last,
            Ok(number) if is_number => Occurrence::Nth(number),
            _ => {
                let written = written.into();
                self.error(attribute.value_at.clone(), Error::Occurrence { written });
                Occurrence::Only
            }
        }
    }

    fn payload(&mut self, holder: Child, tag: &Tag<'a>) -> Option<Vec<Text<'a>>> {
        let end = tag.range.end;
        let marker = match tag.form {
            Form::Open => literal::begin(self.bytes, end),
            Form::Empty | Form::Close => Err(end..end),
        };
        let marker = match marker {
            Ok(marker) => marker,
            Err(found) => {
                self.no_marker(holder, tag, found);
                return None;
            }
        };
        let place = tag.range.start..marker.place.end;
        match literal::read(self.source, holder, marker) {
            Ok(payload) => {
                self.pos = payload.end;
                self.note_indentation(holder, &payload);
                Some(payload.lines)
            }
            Err((clue, resume)) => {
                self.error(place, Error::OpenPayload { holder, clue });
                self.resume(resume);
                None
            }
        }
    }

    /// Says that an element that holds a text has something else than a `<<<`, and passes over it.
    fn no_marker(&mut self, holder: Child, tag: &Tag<'a>, found: Range<usize>) {
        let place = if found.is_empty() {
            tag.range.clone()
        } else {
            found.clone()
        };
        let found = self.shown(&found);
        let error = if found.starts_with(b"<![CDATA[") {
            Error::Cdata
        } else {
            Error::NoMarker { found }
        };
        self.error(place, error);
        if tag.form == Form::Open {
            match self.closing(holder.name(), &[]) {
                Ok(close) => self.pos = close.range.end,
                Err(at) => self.resume(at),
            }
        }
    }

    fn to(&mut self, tag: &Tag<'a>) -> Option<Text<'a>> {
        let file = tag.attribute("file").map(|file| self.value(file));
        if file.is_none() {
            self.error(
                tag.range.clone(),
                Error::MissingAttribute {
                    tag: "to",
                    attribute: "file",
                },
            );
        }
        if tag.form != Form::Open {
            return file;
        }
        self.skip_whitespace();
        if self.close_at("to").is_none() {
            if file.is_some() {
                let before = self.tag_text(self.pos);
                self.error(
                    tag.range.clone(),
                    Error::NotClosed {
                        tag: tag.name.into(),
                        before,
                    },
                );
            }
            if tags::name_at(self.bytes, self.pos).is_none() {
                self.pos = self.text_end(self.pos);
            }
        }
        if let Some(close) = self.close_at("to") {
            self.flaws(&close);
            self.pos = close.range.end;
        }
        file
    }

    /// Returns the closing tag that is next, if it has this name.
    fn close_at(&self, name: &str) -> Option<Tag<'a>> {
        tags::scan(self.bytes, self.pos).filter(|tag| tag.form == Form::Close && tag.is(name))
    }

    fn why(&mut self, tag: &Tag<'a>) -> Option<Text<'a>> {
        if tag.form != Form::Open {
            return None;
        }
        match self.closing("why", &["find", "put", "to", "why"]) {
            Ok(close) => {
                self.flaws(&close);
                let place = tag.range.end..close.range.start;
                self.pos = close.range.end;
                let written = &self.bytes[place.clone()];
                let decoded = decode(written);
                (!decoded.trim_ascii().is_empty())
                    .then(|| Text::at(decoded, self.source.span(place)))
            }
            Err(at) => {
                self.not_closed(tag, at);
                None
            }
        }
    }

    fn unknown_element(&mut self, tag: &Tag<'a>) {
        self.flaws(tag);
        if tag.form == Form::Open {
            let name = String::from_utf8_lossy(tag.name);
            match self.closing(&name, &[]) {
                Ok(close) => self.pos = close.range.end,
                Err(at) => return self.not_closed(tag, at),
            }
        }
        self.warn(
            tag.range.clone(),
            Warning::UnknownElement {
                tag: shortened(tag.name),
            },
        );
    }

    /// Says that an element isn't closed before a place or the end, and goes on there.
    fn not_closed(&mut self, tag: &Tag<'a>, at: usize) {
        let error = if at == self.bytes.len() {
            Error::Truncated {
                tag: tag.name.into(),
            }
        } else {
            Error::NotClosed {
                tag: shortened(tag.name),
                before: self.tag_text(at),
            }
        };
        self.error(tag.range.clone(), error);
        self.resume(at);
    }

    /// Passes over a comment. Returns whether there was a comment that ends inside of the edit.
    fn comment_in_edit(&mut self) -> bool {
        let Some(place) = self.comment_at(self.pos, stops) else {
            return false;
        };
        self.pos = place.end;
        self.warn(
            place,
            Warning::UnknownElement {
                tag: "!-- … --".into(),
            },
        );
        true
    }

    fn text_in_edit(&mut self) {
        let place = self.pos..self.text_end(self.pos);
        self.pos = place.end;
        let place = self.first_line(place);
        let text = self.shown(&place);
        self.error(place, Error::StrayText { text });
    }

    /// Returns where text in an edit ends: at the next tag of the format.
    fn text_end(&self, from: usize) -> usize {
        let end = self.bytes.len();
        tags::starts(self.bytes, (from + 1).min(end)..end)
            .find(|at| self.ends_text(*at))
            .unwrap_or(end)
    }

    fn ends_text(&self, at: usize) -> bool {
        match tags::name_at(self.bytes, at) {
            Some((_, name)) if Child::named(name).is_some() => true,
            Some((Form::Close, name)) => {
                tags::is(name, "edit") || self.state.in_wrapper && tags::is(name, "opx")
            }
            Some(_) => starts_here(&self.bytes[at..]),
            None => false,
        }
    }
}

fn stops(reader: &EditReader<'_>, at: usize) -> bool {
    reader.closes(at, "edit") || starts_here(&reader.bytes[at..])
}
