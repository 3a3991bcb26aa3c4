//! Objects of JSON, read so that what is wrong with one can be said without repeating it.

use std::fmt;

use llmpatch::format::json_fault;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// What a value of JSON is, by its first character. All others begin a number.
const TYPES: [(char, &str); 6] = [
    ('"', "a string"),
    ('[', "an array"),
    ('{', "an object"),
    ('n', "null"),
    ('t', "a boolean"),
    ('f', "a boolean"),
];

/// Reads an object. `name` is what messages call it.
///
/// # Errors
/// If it is no object (serde takes an array for one, too), or not such an object.
pub(crate) fn object<'r, T: Deserialize<'r>>(name: &str, raw: &'r RawValue) -> Result<T, String> {
    let raw = raw.get();
    if !raw.starts_with('{') {
        let what = type_of(raw);
        return Err(format!("{name}: {what} is there, where an object belongs"));
    }
    serde_json::from_str(raw).map_err(|error| format!("{name}: {}", fault(&error)))
}

/// Returns what a value of JSON is.
pub(crate) fn type_of(raw: &str) -> &'static str {
    let known = TYPES.iter().find(|(first, _)| raw.starts_with(*first));
    known.map_or("a number", |(_, what)| what)
}

/// Says what is wrong with JSON, or with a value in it.
pub(crate) fn fault(error: &serde_json::Error) -> String {
    if !error.is_data() {
        return json_fault(error);
    }
    // The part of a request in which it is has no lines that the caller knows.
    let place = format!(" at line {} column {}", error.line(), error.column());
    let said = error.to_string();
    said.strip_suffix(&place).unwrap_or(&said).to_owned()
}

/// The members of an object in their order, those of one name, too.
pub(crate) struct Members<'r>(pub(crate) Vec<(String, &'r RawValue)>);

impl<'r> Deserialize<'r> for Members<'r> {
    fn deserialize<D: Deserializer<'r>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'r> Visitor<'r> for MembersVisitor {
    type Value = Members<'r>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'r>>(self, mut map: A) -> Result<Members<'r>, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}
