//! Escapes in the string literals of JavaScript and Python.

use super::code::is_word;

/// Returns an escape that the language forbids, as far as it seems to go.
pub(super) fn shown(rest: &str, letter: char) -> &str {
    let is_braced = rest.as_bytes().get(2) == Some(&b'{');
    let most = match letter {
        _ if is_braced => 40,
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => 1,
    };
    let digits = rest.bytes().skip(2).take(most);
    let len = if is_braced {
        digits
            .take_while(|byte| is_word(*byte) || b" -{".contains(byte))
            .count()
            + 1
    } else {
        digits.take_while(u8::is_ascii_hexdigit).count()
    };
    rest.get(..2 + len)
        .or(rest.get(..1 + letter.len_utf8()))
        .unwrap_or_default()
}

/// Decodes an escape of JavaScript: how long it is, and what it stands for.
pub(super) fn javascript(rest: &str, letter: char) -> Option<(usize, String)> {
    let meant = match letter {
        'x' => return Some((4, char::from_u32(digits(rest, 2, 2)?)?.into())),
        'u' => return unicode(rest),
        '\r' if rest.starts_with("\\\r\n") => return Some((3, String::new())),
        '\n' | '\r' | '\u{2028}' | '\u{2029}' => String::new(),
        '0' if !rest.as_bytes().get(2).is_some_and(u8::is_ascii_digit) => "\0".into(),
        '0'..='9' => return None,
        _ => control(letter).unwrap_or(letter).into(),
    };
    Some((1 + letter.len_utf8(), meant))
}

/// Decodes `\uHHHH`, `\u{…}`, or two of them that are a surrogate pair.
fn unicode(rest: &str) -> Option<(usize, String)> {
    let (len, high) = unit(rest)?;
    if let Some(c) = char::from_u32(high) {
        return Some((len, c.into()));
    }
    let (more, low) = unit(rest.get(len..)?)?;
    let units = [u16::try_from(high).ok()?, u16::try_from(low).ok()?];
    Some((len + more, String::from_utf16(&units).ok()?))
}

fn unit(rest: &str) -> Option<(usize, u32)> {
    let Some(braced) = rest.strip_prefix("\\u{") else {
        let is_unit = rest.starts_with("\\u");
        return is_unit.then_some(6).zip(digits(rest, 2, 4));
    };
    let len = braced.bytes().take_while(u8::is_ascii_hexdigit).count();
    let is_closed = braced.as_bytes().get(len) == Some(&b'}');
    is_closed.then_some(len + 4).zip(digits(rest, 3, len))
}

/// Decodes an escape of Python: how long it is, and what it stands for.
pub(super) fn python(rest: &str, letter: char) -> Option<(usize, String)> {
    let number = |len| Some((2 + len, char::from_u32(digits(rest, 2, len)?)?.into()));
    let meant = match letter {
        'x' => return number(2),
        'u' => return number(4),
        'U' => return number(8),
        'N' => return None,
        '\r' if rest.starts_with("\\\r\n") => return Some((3, String::new())),
        '\r' | '\n' => String::new(),
        '\\' | '\'' | '"' => letter.into(),
        'a' => "\u{7}".into(),
        '0'..='7' => {
            let octal = rest
                .bytes()
                .skip(1)
                .take(3)
                .take_while(|byte| (b'0'..b'8').contains(byte));
            let len = 1 + octal.count();
            let value = u32::from_str_radix(rest.get(1..len)?, 8).ok()?;
            return Some((len, char::from_u32(value)?.into()));
        }
        // Another backslash stands for itself.
        _ => return Some(control(letter).map_or((1, "\\".into()), |c| (2, c.into()))),
    };
    Some((2, meant))
}

/// Returns the control character that a letter names in both languages.
fn control(letter: char) -> Option<char> {
    Some(match letter {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'v' => '\u{b}',
        _ => return None,
    })
}

fn digits(rest: &str, from: usize, len: usize) -> Option<u32> {
    let digits = rest.get(from..from + len)?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| u32::from_str_radix(digits, 16).ok())?
}
