//! A path as it is written down in JSON, where it need not be text.

use bstr::ByteSlice as _;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::RepoPath;

/// A path as it is written down: as text where it is text, else byte by byte.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Spelling {
    Text(String),
    Bytes(Vec<u8>),
}

impl Serialize for RepoPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.as_bytes().to_str() {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => self.as_bytes().serialize(serializer),
        }
    }
}

/// Only a safe path is read.
impl<'de> Deserialize<'de> for RepoPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let path = match Spelling::deserialize(deserializer)? {
            Spelling::Text(text) => RepoPath::new(text.as_bytes()),
            Spelling::Bytes(bytes) => RepoPath::new(&bytes),
        };
        path.map_err(D::Error::custom)
    }
}
