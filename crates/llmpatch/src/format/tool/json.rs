//! JSON with places: what is where in a response, each string decoded once.

use std::fmt;
use std::ops::Range;
use std::rc::Rc;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::text::DecodedPlaces;

/// Text that is in a response, or in a string of JSON there, and where each of its bytes is.
#[derive(Clone, Debug)]
pub(crate) struct JsonText {
    text: Rc<str>,
    places: Rc<DecodedPlaces>,
}

impl JsonText {
    /// Takes a part of a response that begins at an offset.
    pub(crate) fn new(text: &str, at: usize) -> Self {
        let mut places = DecodedPlaces::default();
        places.note(0, at);
        Self {
            text: text.into(),
            places: places.into(),
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the range in the response of a range in the text.
    pub(crate) fn range(&self, range: Range<usize>) -> Range<usize> {
        self.places.range(range)
    }

    /// Returns the value that all of the text is.
    ///
    /// # Errors
    /// If it is none.
    pub(crate) fn value(&self) -> Result<Value<'_>, serde_json::Error> {
        serde_json::from_str(&self.text).map(|raw| Value {
            document: self,
            raw,
        })
    }
}

/// A value in a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'t> {
    document: &'t JsonText,
    raw: &'t RawValue,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Is {
    Object,
    Array,
    String,
    Number,
    Bool(bool),
    Null,
}

impl<'t> Value<'t> {
    /// Returns it as it is written.
    pub(crate) fn written(self) -> &'t str {
        self.raw.get()
    }

    pub(crate) fn is(self) -> Is {
        match self.written().as_bytes().first() {
            Some(b'{') => Is::Object,
            Some(b'[') => Is::Array,
            Some(b'"') => Is::String,
            Some(b't') => Is::Bool(true),
            Some(b'f') => Is::Bool(false),
            Some(b'n') => Is::Null,
            _ => Is::Number,
        }
    }

    /// Returns where it is in the response.
    pub(crate) fn range(self) -> Range<usize> {
        let start = self.start();
        self.document.range(start..start + self.written().len())
    }

    /// Returns the offset of its first byte in its text, of which it is a slice.
    fn start(self) -> usize {
        self.written().as_ptr() as usize - self.document.text.as_ptr() as usize
    }

    /// Returns the members of an object, in order.
    ///
    /// # Errors
    /// If it is none, or a name is half a character.
    pub(crate) fn members(self) -> Result<Vec<(String, Value<'t>)>, serde_json::Error> {
        let Members(all) = serde_json::from_str(self.written())?;
        Ok(all
            .into_iter()
            .map(|(name, raw)| (name, Value { raw, ..self }))
            .collect())
    }

    /// Returns the items of an array, in order.
    pub(crate) fn items(self) -> Vec<Value<'t>> {
        let all: Vec<&RawValue> = serde_json::from_str(self.written()).unwrap_or_default();
        all.into_iter().map(|raw| Value { raw, ..self }).collect()
    }

    /// Decodes a string.
    ///
    /// # Errors
    /// If it names half a character, or it is none.
    pub(crate) fn string(self) -> Result<JsonText, serde_json::Error> {
        let text: String = serde_json::from_str(self.written())?;
        let outer = &self.document.places;
        let mut places = DecodedPlaces::default();
        let start = self.start() + 1;
        let inner = &self.written()[1..self.written().len() - 1];
        let mut from = 0;
        let mut decoded = 0;
        loop {
            let plain = memchr::memchr(b'\\', &inner.as_bytes()[from..])
                .map_or(inner.len(), |at| from + at);
            places.note_within(decoded, outer, start + from..start + plain);
            decoded += plain - from;
            let Some((length, bytes)) = escape(&inner[plain..]) else {
                break;
            };
            places.note(decoded, outer.at(start + plain));
            (from, decoded) = (plain + length, decoded + bytes);
        }
        places.note(decoded, outer.at(start + inner.len()));
        Ok(JsonText {
            text: text.into(),
            places: places.into(),
        })
    }
}

/// Returns how long the escape is with which some text begins, and of how many bytes what it stands
/// for is.
fn escape(text: &str) -> Option<(usize, usize)> {
    Some(match text.as_bytes().get(1)? {
        b'u' => match u16::from_str_radix(text.get(2..6)?, 16).ok()? {
            0xd800..0xdc00 => (12, 4),
            unit => (6, char::from_u32(unit.into()).map_or(3, char::len_utf8)),
        },
        _ => (2, 1),
    })
}

/// The members of an object, in order, however often a name is there.
struct Members<'t>(Vec<(String, &'t RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;

        impl<'de> Visitor<'de> for All {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut all = Vec::new();
                while let Some(member) = map.next_entry()? {
                    all.push(member);
                }
                Ok(Members(all))
            }
        }

        deserializer.deserialize_map(All)
    }
}
