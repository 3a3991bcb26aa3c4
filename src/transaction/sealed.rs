//! How the journal writes down what must be read again: a title, the value as JSON, and a hash of
//! both that seals them.
//!
//! There is one encoding and one hash for stamps, manifests, records and the contents of files.

use bstr::ByteSlice as _;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::repo::Slot;

/// The most that is read of such a file.
pub(super) const MOST: u64 = 512 << 20;

/// How many bytes of small parts are hashed together: as many as the widest processors take at
/// once.
const TOGETHER: usize = 16 << 10;

/// What is written down, sealed, and read again.
pub(super) trait Sealed: Serialize + DeserializeOwned {
    /// What tells it from values of another kind, or of another version of this kind.
    const TITLE: &str;

    /// Returns whether it can be of any change.
    fn is_sound(&self) -> bool {
        true
    }

    /// Writes it down.
    fn to_bytes(&self) -> Vec<u8> {
        let json = serde_json::to_vec(self)
            .expect("these values have string keys and are written to memory");
        seal_json(Self::TITLE, &json)
    }

    /// Reads a value; `None` if it isn't whole, has another title, or is of another type.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let end = bytes.strip_suffix(b"\n")?.rfind_byte(b'\n')? + 1;
        let (sealed, seal) = bytes.split_at(end);
        if seal != format!("{}\n", digest(sealed)).as_bytes() {
            return None;
        }
        let json = sealed
            .strip_prefix(Self::TITLE.as_bytes())?
            .strip_prefix(b"\n")?;
        serde_json::from_slice(json).ok().filter(Self::is_sound)
    }
}

/// Seals what is JSON already, of whatever.
pub(super) fn seal_json(title: &str, json: &[u8]) -> Vec<u8> {
    let mut bytes = [title.as_bytes(), b"\n", json, b"\n"].concat();
    let seal = digest(&bytes);
    bytes.extend_from_slice(format!("{seal}\n").as_bytes());
    bytes
}

/// Returns what tells bytes from all others, a hostile patch's included. Large files are gone
/// through twice, before and after, so it is a hash that is several times as fast as git's; what it
/// says is never compared with an object's name.
pub(super) fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Returns the digest of bytes that come in parts: in blocks of [`TOGETHER`] bytes, however they
/// are cut, since whole blocks are hashed several times as fast.
pub(super) fn digest_of<'p>(mut parts: impl Iterator<Item = &'p [u8]>) -> String {
    let first = parts.next().unwrap_or_default();
    let Some(second) = parts.next() else {
        return digest(first);
    };
    let mut hasher = blake3::Hasher::new();
    let (mut held, mut len) = ([0; TOGETHER], 0);
    for mut part in [first, second].into_iter().chain(parts) {
        while len + part.len() >= TOGETHER {
            if len == 0 {
                let (whole, rest) = part.split_at(part.len() - part.len() % TOGETHER);
                hasher.update(whole);
                part = rest;
            } else {
                let (head, rest) = part.split_at(TOGETHER - len);
                held[len..].copy_from_slice(head);
                hasher.update(&held);
                len = 0;
                part = rest;
            }
        }
        held[len..len + part.len()].copy_from_slice(part);
        len += part.len();
    }
    let hash = hasher.update(&held[..len]).finalize();
    hash.to_hex().to_string()
}

impl Serialize for Slot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Slot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Slot::parse(&String::deserialize(deserializer)?)
            .ok_or_else(|| D::Error::custom("no entry of an index"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_the_same_however_the_bytes_are_cut() {
        let bytes: Vec<u8> = (0..5 * TOGETHER as u32)
            .flat_map(u32::to_le_bytes)
            .collect();
        for len in [
            0,
            1,
            TOGETHER - 1,
            TOGETHER,
            TOGETHER + 1,
            3 * TOGETHER,
            bytes.len(),
        ] {
            let want = blake3::hash(&bytes[..len]).to_hex().to_string();
            for part in [
                1,
                1000,
                TOGETHER - 1,
                TOGETHER,
                TOGETHER + 1,
                2 * TOGETHER + 7,
            ] {
                assert_eq!(
                    digest_of(bytes[..len].chunks(part)),
                    want,
                    "{len} bytes in parts of {part}"
                );
            }
        }
    }
}
