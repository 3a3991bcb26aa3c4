//! Paths as git writes them: in C's double quotes where a byte can't be in a line as it is.

/// Which bytes git quotes (`core.quotePath`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quoting {
    /// Control characters, quotes, backslashes, and every byte from 0x80: what git does unless told
    /// otherwise.
    #[default]
    Full,
    /// Control characters, quotes and backslashes.
    Ascii,
}

/// The bytes that have a letter, or themselves, behind the backslash, rather than their number.
const ESCAPES: [(u8, u8); 9] = [
    (0x07, b'a'),
    (0x08, b'b'),
    (b'\t', b't'),
    (b'\n', b'n'),
    (0x0b, b'v'),
    (0x0c, b'f'),
    (b'\r', b'r'),
    (b'"', b'"'),
    (b'\\', b'\\'),
];

impl Quoting {
    fn wants(self, byte: u8) -> bool {
        match byte {
            b'"' | b'\\' | 0x7f => true,
            0x80.. => self == Quoting::Full,
            _ => byte < b' ',
        }
    }

    /// Returns whether a path has to be quoted.
    pub(super) fn applies(self, path: &[u8]) -> bool {
        path.iter().any(|&byte| self.wants(byte))
    }

    /// Returns prefix and path, quoted together where that is needed.
    pub(super) fn quote(self, prefix: &str, path: &[u8]) -> Vec<u8> {
        let plain = [prefix.as_bytes(), path].concat();
        if !self.applies(&plain) {
            return plain;
        }
        let mut quoted = vec![b'"'];
        for byte in plain {
            match ESCAPES.iter().find(|(escaped, _)| *escaped == byte) {
                _ if !self.wants(byte) => quoted.push(byte),
                Some((_, letter)) => quoted.extend([b'\\', *letter]),
                None => quoted.extend(format!("\\{byte:03o}").bytes()),
            }
        }
        quoted.push(b'"');
        quoted
    }
}

/// Reads a name in quotes from the start of a text; returns it, and how long it is with its quotes.
/// `None` if it isn't closed or escapes what can't be.
pub(super) fn unquote(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut name = Vec::new();
    let mut at = 1;
    loop {
        let byte = *text.get(at)?;
        at += 1;
        match byte {
            b'"' => return Some((name, at)),
            b'\\' => {}
            _ => {
                name.push(byte);
                continue;
            }
        }
        let escaped = *text.get(at)?;
        at += 1;
        name.push(
            match ESCAPES.iter().find(|(_, letter)| *letter == escaped) {
                Some((byte, _)) => *byte,
                None if matches!(escaped, b'0'..=b'3') => {
                    let value = (escaped - b'0') << 6
                        | digit(text.get(at))? << 3
                        | digit(text.get(at + 1))?;
                    at += 2;
                    value
                }
                None => return None,
            },
        );
    }
}

fn digit(byte: Option<&u8>) -> Option<u8> {
    byte.filter(|byte| matches!(byte, b'0'..=b'7'))
        .map(|byte| byte - b'0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_like_git() {
        for (path, full, ascii) in [
            (&b"a b"[..], "a/a b", "a/a b"),
            (b"a\tb", r#""a/a\tb""#, r#""a/a\tb""#),
            (b"q\"\\", r#""a/q\"\\""#, r#""a/q\"\\""#),
            (b"\x01\x7f\x0b", r#""a/\001\177\v""#, r#""a/\001\177\v""#),
            ("ä".as_bytes(), r#""a/\303\244""#, "a/ä"),
        ] {
            assert_eq!(Quoting::Full.quote("a/", path), full.as_bytes());
            assert_eq!(Quoting::Ascii.quote("a/", path), ascii.as_bytes());
        }
    }

    #[test]
    fn what_was_quoted_is_read_again() {
        for byte in 0..=255_u8 {
            let name = [b'x', byte, b'"', b'7'];
            let quoted = Quoting::Full.quote("", &name);
            assert_eq!(
                unquote(&quoted),
                Some((name.to_vec(), quoted.len())),
                "{byte}"
            );
        }
        for broken in [
            &b"\""[..],
            b"\"x",
            b"\"\\\"",
            b"\"\\q\"",
            b"\"\\12\"",
            b"\"\\477\"",
        ] {
            assert_eq!(unquote(broken), None, "{}", broken.escape_ascii());
        }
    }
}
