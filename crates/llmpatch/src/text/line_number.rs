//! Numbers at the start of a text, such as the line numbers of a file that is shown: `12: x`,
//! `12 | x`, `12→x`.

/// Returns how many digits a text begins with.
pub(crate) fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Returns the number at the start of a line, and what is behind it.
pub(crate) fn line_number(line: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = line.split_at(digits(line));
    Some((std::str::from_utf8(number).ok()?.parse().ok()?, rest))
}

/// Splits what is behind a line number into the mark that ends it and the line.
pub(crate) fn number_mark(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let marks = [&b":"[..], b" |", b"|", "→".as_bytes(), b"\t"];
    let mark = marks.into_iter().find(|mark| rest.starts_with(mark))?;
    Some(rest.split_at(mark.len()))
}
