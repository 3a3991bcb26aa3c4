//! Escapes in the string literals of JavaScript and Python.

use super::Language;

/// Decodes the escape that a text begins with: how long it is, and what it stands for; nothing for
/// an escape that the language forbids, for control characters, and for names of characters.
pub(super) fn decode(rest: &str, language: Language) -> Option<(usize, String)> {
    let is_python = language == Language::Python;
    let letter = rest.chars().nth(1)?;
    let len = 1 + letter.len_utf8();
    let meant = match letter {
        'n' => "\n",
        't' => "\t",
        'r' => "\r",
        '\r' if rest[len..].starts_with('\n') => return Some((len + 1, String::new())),
        '\n' | '\r' => "",
        '\\' | '\'' | '"' => &rest[1..len],
        'x' => return number(rest, 2, 2),
        'u' if !is_python && rest[len..].starts_with('{') => {
            let (end, c) = number(rest, 3, rest.find('}')?.checked_sub(3)?)?;
            return Some((end + 1, c));
        }
        'u' => return number(rest, 2, 4),
        'U' if is_python => return number(rest, 2, 8),
        'N' | 'a' | 'b' | 'f' | 'v' | '0'..='9' => return None,
        // Before any other letter, Python keeps the backslash.
        _ if is_python => return Some((1, "\\".into())),
        '\u{2028}' | '\u{2029}' => "",
        _ => &rest[1..len],
    };
    Some((len, meant.into()))
}

/// Decodes an escape of so many hexadecimal digits, which begin at an offset.
fn number(rest: &str, from: usize, len: usize) -> Option<(usize, String)> {
    let digits = rest.get(from..from + len)?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let value = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
    Some((from + len, char::from_u32(value)?.into()))
}
