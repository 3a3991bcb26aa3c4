//! The rows of the table of schemas that a value matches, and what their columns say of its objects.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::schemas::{CallForm, Names, Patterns, ResultForm, SCHEMAS, Schema};
use crate::format::tool::fields::Fields;
use crate::format::tool::json::{Is, Value};

/// Members of any message that hold instructions.
const INSTRUCTIONS: Names = &[
    "instructions",
    "system",
    "systemInstruction",
    "tools",
    "input_schema",
    "inputSchema",
    "prompt",
];

/// The roles of the model.
const MODEL: Names = &["assistant", "model", "ai"];

/// The patterns by which a row is known, each with its row, by the member that it asks for first: an
/// object has few members, and the table many patterns.
static BY_MEMBER: LazyLock<HashMap<&str, Vec<(usize, &str)>>> = LazyLock::new(|| {
    let mut all: HashMap<_, Vec<_>> = HashMap::new();
    for (number, row) in SCHEMAS.iter().enumerate() {
        let calls = row.calls.iter().map(|call| call.is);
        let results = row.results.iter().map(|result| result.is);
        for pattern in row.is.iter().copied().chain(calls).chain(results) {
            let first = pattern.split([' ', '.', '=']).next().unwrap_or(pattern);
            all.entry(first).or_default().push((number, pattern));
        }
    }
    all
});

/// The rows that a value matches.
#[derive(Clone, Copy, Default)]
pub(super) struct MatchedRows(u32);

/// Who speaks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    Model,
    Thoughts,
    Other,
    /// Nobody is named: calls count, and texts don't.
    Nobody,
}

/// What a member of a message holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// Messages, parts, calls, or text.
    Parts,
    Thoughts,
    /// Instructions, or what a tool returned.
    Unread,
    Unknown,
}

impl MatchedRows {
    /// Returns the rows that an object matches.
    pub(super) fn of(fields: &Fields<'_>) -> Self {
        let mut rows = Self::default();
        let asked = fields.iter().filter_map(|(name, _)| BY_MEMBER.get(name));
        for (number, pattern) in asked.flatten() {
            if rows.0 & (1 << number) == 0 && is(pattern, fields) {
                rows.0 |= 1 << number;
            }
        }
        rows
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn iter(self) -> impl Iterator<Item = &'static Schema> {
        let all = SCHEMAS.iter().enumerate();
        all.filter(move |(number, _)| self.0 & (1 << number) != 0)
            .map(|(_, row)| row)
    }

    /// Returns whether an object fits a pattern in a column.
    pub(super) fn any(self, column: fn(&Schema) -> Patterns, fields: &Fields<'_>) -> bool {
        self.iter()
            .any(|row| column(row).iter().any(|pattern| is(pattern, fields)))
    }

    /// Returns whether a name is in a column.
    pub(super) fn has(self, column: fn(&Schema) -> Names, name: &str) -> bool {
        self.iter().any(|row| column(row).contains(&name))
    }

    pub(super) fn call(self, fields: &Fields<'_>) -> Option<&'static CallForm> {
        let mut calls = self.iter().flat_map(|row| row.calls);
        calls.find(|call| is(call.is, fields))
    }

    pub(super) fn result(self, fields: &Fields<'_>) -> Option<&'static ResultForm> {
        let mut results = self.iter().flat_map(|row| row.results);
        results.find(|result| is(result.is, fields))
    }

    /// Returns who speaks in an object, if it says so.
    pub(super) fn speaker(self, fields: &Fields<'_>) -> Option<Speaker> {
        if self.any(|row| row.drafts, fields) {
            return Some(Speaker::Thoughts);
        }
        if self.any(|row| row.others, fields) {
            return Some(Speaker::Other);
        }
        if self.any(|row| row.speaks, fields) {
            return Some(Speaker::Model);
        }
        let role = fields.word(&["role"])?;
        Some(if MODEL.contains(&&role[..]) {
            Speaker::Model
        } else {
            Speaker::Other
        })
    }

    pub(super) fn holds(self, name: &str) -> Holds {
        let small = name.to_ascii_lowercase();
        if INSTRUCTIONS.contains(&name) || self.has(|row| row.unread, name) {
            Holds::Unread
        } else if self.has(|row| row.inside, name) {
            Holds::Parts
        } else if self.has(|row| row.thoughts, name) {
            Holds::Thoughts
        } else if ["result", "output", "observation", "prompt"]
            .iter()
            .any(|word| small.contains(word))
        {
            Holds::Unread
        } else {
            Holds::Unknown
        }
    }

    /// Returns what says that a message was cut off: a member and its value.
    pub(super) fn cut<'t>(self, fields: &Fields<'t>) -> Option<(&'static str, Option<Value<'t>>)> {
        let mut cuts = self.iter().flat_map(|row| row.cut);
        let pattern = cuts.find(|pattern| is(pattern, fields))?;
        let last = pattern.split(' ').next_back().unwrap_or(pattern);
        let path = last.split('=').next().unwrap_or(last);
        Some((path, at(fields, path)))
    }

    /// Returns the directory that an object names.
    pub(super) fn directory(self, fields: &Fields<'_>) -> Option<String> {
        let mut paths = self.iter().flat_map(|row| row.directory);
        paths.find_map(|path| word(fields, path))
    }

    /// Returns what the texts of results begin with where their calls failed.
    pub(super) fn failed(self) -> impl Iterator<Item = &'static str> {
        self.iter().flat_map(|row| row.failed.iter().copied())
    }
}

/// Returns the names of a call at these paths: words, and numbers as they are written.
pub(super) fn ids(paths: Names, fields: &Fields<'_>) -> Vec<String> {
    let values = paths.iter().filter_map(|path| at(fields, path));
    let ids = values.filter_map(|value| match value.is() {
        Is::String => Some(value.string().ok()?.text().to_owned()),
        Is::Number => Some(value.written().to_owned()),
        _ => None,
    });
    ids.collect()
}

/// Returns whether an object fits a pattern.
pub(super) fn is(pattern: &str, fields: &Fields<'_>) -> bool {
    pattern.split(' ').all(|part| {
        if let Some(part) = part.strip_prefix('!') {
            return !is(part, fields);
        }
        let Some((path, wanted)) = part.split_once('=') else {
            return at(fields, part).is_some();
        };
        let fits = |word: &str| wanted.split('|').any(|wanted| fits(wanted, word));
        at(fields, path).is_some_and(|value| {
            let written = value.written();
            let inner = written
                .strip_prefix('"')
                .and_then(|text| text.strip_suffix('"'));
            // What has no escapes need not be decoded.
            if let Some(plain) = inner.filter(|text| !text.contains('\\')) {
                return fits(plain);
            }
            match value.string() {
                Ok(word) => fits(word.text()),
                Err(_) => fits(written),
            }
        })
    })
}

fn fits(wanted: &str, word: &str) -> bool {
    match (wanted.strip_prefix('*'), wanted.strip_suffix('*')) {
        (Some(end), _) => word.ends_with(end),
        (_, Some(start)) => word.starts_with(start),
        _ => word == wanted,
    }
}

/// Returns the value to which a path leads, if it isn't null.
pub(super) fn at<'t>(fields: &Fields<'t>, path: &str) -> Option<Value<'t>> {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let (_, value) = fields.get(&[first])?;
    if rest.is_empty() {
        return Some(value);
    }
    at(&Fields::of(value).ok()?, rest)
}

pub(super) fn word(fields: &Fields<'_>, path: &str) -> Option<String> {
    Some(at(fields, path)?.string().ok()?.text().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pattern that asks for what isn't there would never be tried.
    #[test]
    fn every_row_is_known_by_what_is_there() {
        assert!(
            BY_MEMBER
                .keys()
                .all(|first| !first.is_empty() && !first.starts_with('!'))
        );
    }
}
