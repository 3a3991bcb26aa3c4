//! A text file of named sections, in the form of Go's txtar: a comment, then sections that each begin with a line `-- NAME --`.
//!
//! A section's name may have marks behind it: `-- before/a.sh (executable, escaped) --`. With the mark `escaped`, a backslash in the
//! section begins an escape, for what text can't show; [`Section::content`] says which.

use std::fmt::{self, Write as _};
use std::ops::Range;

/// A comment and the sections behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archive {
    /// The lines before the first section.
    pub comment: String,
    /// The sections, in order.
    pub sections: Vec<Section>,
}

/// A named part of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// What is between `-- ` and ` --`, without the marks.
    pub name: String,
    /// What is in parentheses behind the name, without `escaped`.
    pub marks: Vec<String>,
    /// The lines of the section, as they are written.
    text: String,
    is_escaped: bool,
}

impl Archive {
    /// Reads an archive. Every text is one.
    pub fn parse(text: &str) -> Self {
        let mut comment = String::new();
        let mut sections: Vec<Section> = Vec::new();
        for line in text.split_inclusive('\n') {
            if let Some(header) = header(line) {
                sections.push(Section::headed(header));
            } else if let Some(section) = sections.last_mut() {
                section.text += line;
            } else {
                comment += line;
            }
        }
        Self { comment, sections }
    }
}

impl fmt::Display for Archive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.comment)?;
        let mut sections = self.sections.iter();
        sections.try_for_each(|section| section.fmt(f))
    }
}

impl Section {
    /// Makes a section; it is escaped if text can't show its content.
    pub fn new(name: &str, marks: &[&str], content: &[u8]) -> Self {
        let plain = std::str::from_utf8(content)
            .ok()
            .filter(|text| is_plain(text));
        Self {
            name: name.to_owned(),
            marks: marks.iter().map(|&mark| mark.to_owned()).collect(),
            text: plain.map_or_else(|| escaped(content), str::to_owned),
            is_escaped: plain.is_none(),
        }
    }

    /// Returns whether the section has a mark.
    pub fn has(&self, mark: &str) -> bool {
        self.marks.iter().any(|one| one == mark)
    }

    /// Returns the bytes that the section stands for.
    ///
    /// In an escaped section, `\r` is a carriage return, `\x` and two digits are a byte, `\u{…}` is a character, and `\\` is a backslash; a
    /// backslash at the end of a line means that no line ends there.
    ///
    /// # Panics
    /// If it has any other escape.
    pub fn content(&self) -> Vec<u8> {
        if !self.is_escaped {
            return self.text.clone().into_bytes();
        }
        let mut content = Vec::new();
        let mut rest = &self.text[..];
        while let Some((before, escape)) = rest.split_once('\\') {
            content.extend_from_slice(before.as_bytes());
            rest = unescape(escape, &mut content).unwrap_or_else(|| {
                panic!(
                    "`{}` has an escape that nobody knows: \\{escape}",
                    self.name
                )
            });
        }
        content.extend_from_slice(rest.as_bytes());
        content
    }

    fn headed(header: &str) -> Self {
        let marked = header
            .strip_suffix(')')
            .and_then(|header| header.rsplit_once(" ("));
        let (name, marks) = marked.unwrap_or((header, ""));
        let mut marks: Vec<_> = marks
            .split(", ")
            .filter(|mark| !mark.is_empty())
            .map(str::to_owned)
            .collect();
        let is_escaped = marks.last().is_some_and(|mark| mark == "escaped");
        if is_escaped {
            marks.pop();
        }
        Self {
            name: name.to_owned(),
            marks,
            text: String::new(),
            is_escaped,
        }
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut marks: Vec<_> = self.marks.iter().map(|mark| &mark[..]).collect();
        marks.extend(self.is_escaped.then_some("escaped"));
        let (name, text) = (&self.name, &self.text);
        if marks.is_empty() {
            write!(f, "-- {name} --\n{text}")
        } else {
            write!(f, "-- {name} ({}) --\n{text}", marks.join(", "))
        }
    }
}

/// Returns what is between the dashes of a line that begins a section.
fn header(line: &str) -> Option<&str> {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let header = line.strip_prefix("-- ")?.strip_suffix(" --")?;
    Some(header.trim()).filter(|header| !header.is_empty())
}

/// Returns whether a text can stand in a section as it is.
fn is_plain(text: &str) -> bool {
    let ends_whole = text.is_empty() || text.ends_with('\n');
    let is_seen = |c| c == '\n' || c == '\t' || !is_unseen(c);
    ends_whole && text.chars().all(is_seen) && text.lines().all(|line| header(line).is_none())
}

/// Returns whether nobody sees a character, or takes it for a space.
fn is_unseen(c: char) -> bool {
    const UNSEEN: [Range<char>; 5] = [
        '\u{ad}'..'\u{ae}',
        '\u{200b}'..'\u{2010}',
        '\u{202a}'..'\u{2070}',
        '\u{feff}'..'\u{ff00}',
        '\u{e0000}'..'\u{e1000}',
    ];
    c.is_control() || c != ' ' && c.is_whitespace() || UNSEEN.iter().any(|range| range.contains(&c))
}

/// Writes bytes as lines without anything that text can't show.
fn escaped(content: &[u8]) -> String {
    let mut out = String::new();
    for chunk in content.utf8_chunks() {
        for c in chunk.valid().chars() {
            let _ = match c {
                '\n' | '\t' => write!(out, "{c}"),
                '\r' => write!(out, "\\r"),
                '\\' => write!(out, "\\\\"),
                c if c.is_ascii_control() => write!(out, "\\x{:02x}", u32::from(c)),
                c if is_unseen(c) => write!(out, "\\u{{{:x}}}", u32::from(c)),
                c => write!(out, "{c}"),
            };
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    if !content.is_empty() && !content.ends_with(b"\n") {
        out += "\\\n";
    }
    let lines = out.split_inclusive('\n');
    let lines = lines.map(|line| match header(line) {
        Some(_) => format!("\\x2d{}", &line[1..]),
        None => line.to_owned(),
    });
    lines.collect()
}

/// Takes in what is behind a backslash; returns the rest of the text, or nothing if that is no escape.
fn unescape<'t>(escape: &'t str, content: &mut Vec<u8>) -> Option<&'t str> {
    let (kind, rest) = (escape.chars().next()?, escape.get(1..)?);
    match kind {
        '\n' => Some(rest),
        '\\' => {
            content.push(b'\\');
            Some(rest)
        }
        'r' => {
            content.push(b'\r');
            Some(rest)
        }
        'x' => {
            content.push(u8::from_str_radix(rest.get(..2)?, 16).ok()?);
            rest.get(2..)
        }
        'u' => {
            let (digits, rest) = rest.strip_prefix('{')?.split_once('}')?;
            let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            content.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            Some(rest)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_holds_any_bytes() {
        for (content, text) in [
            (&b""[..], "-- a --\n"),
            (b"one\n\ttwo\\\n", "-- a --\none\n\ttwo\\\n"),
            (b"one", "-- a (escaped) --\none\\\n"),
            (b"\\\r\n\0\n", "-- a (escaped) --\n\\\\\\r\n\\x00\n"),
            (b"caf\xe9\n", "-- a (escaped) --\ncaf\\xe9\n"),
            (
                "\u{feff}é\u{a0}\n".as_bytes(),
                "-- a (escaped) --\n\\u{feff}é\\u{a0}\n",
            ),
            (b"-- b --\n", "-- a (escaped) --\n\\x2d- b --\n"),
            (b"-- b --", "-- a (escaped) --\n-- b --\\\n"),
            (b"-- --\n-- b\n", "-- a --\n-- --\n-- b\n"),
        ] {
            let section = Section::new("a", &[], content);
            assert_eq!(section.to_string(), text);
            assert_eq!(
                Archive::parse(text).sections,
                std::slice::from_ref(&section)
            );
            assert_eq!(section.content(), content, "{text}");
        }
    }

    #[test]
    fn marks_are_behind_a_name() {
        let archive = Archive::parse(
            "rule\n-- before/a (1).sh (executable, escaped) --\nx\\\n-- b (1).c --\n",
        );
        assert_eq!(archive.comment, "rule\n");
        let [first, second] = &archive.sections[..] else {
            panic!("{archive:?}")
        };
        assert_eq!(
            (&first.name[..], first.has("executable"), first.content()),
            ("before/a (1).sh", true, b"x".to_vec())
        );
        assert_eq!((&second.name[..], second.marks.len()), ("b (1).c", 0));
    }
}
