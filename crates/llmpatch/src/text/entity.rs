//! Signs as entities of XML and HTML: `&lt;` for `<`.

use std::borrow::Cow;
use std::io::Write as _;

use memchr::memchr;

/// The entities by which signs of code are usually written. What stands for `&` is the last, so
/// that signs that were written so twice are decoded once if all are replaced in this order.
pub(crate) const ENTITIES: [(&str, &str); 6] = [
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#39;", "'"),
    ("&apos;", "'"),
    ("&amp;", "&"),
];

/// Decodes XML's five entities and character references. Whatever else looks like one is kept as it
/// is: `&nbsp;` or a bare `&` in a note is no reason to stop.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, [u8]> {
    // The longest is `&#x0010FFFF;`.
    const LONGEST: usize = 12;
    if memchr(b'&', bytes).is_none() {
        return Cow::Borrowed(bytes);
    }
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memchr(b'&', rest) {
        decoded.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let end = memchr(b';', &rest[..rest.len().min(LONGEST)]);
        let Some((end, c)) = end.and_then(|end| Some((end, sign(&rest[..=end])?))) else {
            decoded.push(b'&');
            rest = &rest[1..];
            continue;
        };
        decoded.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        rest = &rest[end + 1..];
    }
    decoded.extend_from_slice(rest);
    Cow::Owned(decoded)
}

/// Returns the sign that an entity stands for.
fn sign(entity: &[u8]) -> Option<char> {
    let (radix, digits) = match entity {
        [b'&', b'#', b'x' | b'X', digits @ .., b';'] => (16, digits),
        [b'&', b'#', digits @ .., b';'] => (10, digits),
        _ => {
            let mut all = ENTITIES.iter();
            let (_, sign) = all.find(|(known, _)| known.as_bytes() == entity)?;
            return sign.chars().next();
        }
    };
    let digits = std::str::from_utf8(digits).ok()?;
    let digits = Some(digits).filter(|digits| !digits.starts_with('+'))?;
    char::from_u32(u32::from_str_radix(digits, radix).ok()?)
}

/// Writes text, with entities for these bytes.
pub(crate) fn encode(out: &mut Vec<u8>, text: &[u8], these: &[u8]) {
    for byte in text {
        let mut all = ENTITIES.iter();
        match all.find(|(_, sign)| sign.as_bytes() == [*byte]) {
            _ if !these.contains(byte) => out.push(*byte),
            Some((entity, _)) => out.extend(entity.as_bytes()),
            None => {
                let _ = write!(out, "&#{byte};");
            }
        }
    }
}
