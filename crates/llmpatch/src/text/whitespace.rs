//! Whitespace around the text of a line, and the bytes that words are made of: whoever compares or
//! takes apart lines asks here.

/// Returns whether a line holds nothing but whitespace.
pub(crate) fn is_blank(line: &[u8]) -> bool {
    trim_end(line).is_empty()
}

/// Drops the whitespace at the end of a line. A CR counts as whitespace there: it is left over
/// where a response was cut before its last LF.
pub(crate) fn trim_end(line: &[u8]) -> &[u8] {
    let last = line
        .iter()
        .rposition(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
    &line[..last.map_or(0, |last| last + 1)]
}

/// Drops the spaces and tabs at the start of a line.
pub(crate) fn trim_start(line: &[u8]) -> &[u8] {
    &line[indentation(line)..]
}

/// Drops the whitespace around a line.
pub(crate) fn trim(line: &[u8]) -> &[u8] {
    trim_start(trim_end(line))
}

/// Returns whether a byte is a space or a tab.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Returns how many spaces and tabs a line begins with.
pub(crate) fn indentation(line: &[u8]) -> usize {
    line.iter()
        .position(|byte| !is_space(*byte))
        .unwrap_or(line.len())
}

/// Returns whether a line of a file or a payload holds nothing but spaces and tabs. A CR in it is
/// text there, as any other byte.
pub(crate) fn is_spaces(line: &[u8]) -> bool {
    indentation(line) == line.len()
}

/// Drops the spaces and tabs at the end of a line of a file or a payload.
pub(crate) fn trim_spaces_end(line: &[u8]) -> &[u8] {
    let last = line.iter().rposition(|byte| !is_space(*byte));
    &line[..last.map_or(0, |last| last + 1)]
}

/// Drops the spaces and tabs around a line of a file or a payload.
pub(crate) fn trim_spaces(line: &[u8]) -> &[u8] {
    trim_start(trim_spaces_end(line))
}

/// Returns whether a text begins with another, whatever the case.
pub(crate) fn starts_with_any_case(text: &[u8], start: &[u8]) -> bool {
    let head = text.get(..start.len());
    head.is_some_and(|head| head.eq_ignore_ascii_case(start))
}

/// Returns whether a byte may be part of a word: a letter, a digit, an underscore, or part of a
/// character beyond ASCII.
pub(crate) const fn is_word(byte: u8) -> bool {
    is_name(byte) || byte >= 0x80
}

/// Returns whether a byte may be part of the name of a variable or a mark: ASCII only.
pub(crate) const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns whether a line has a letter, a digit or a character beyond ASCII. How much it says is
/// another question, which the search asks.
pub(crate) fn has_letters(line: &[u8]) -> bool {
    line.iter().any(|byte| is_word(*byte) && *byte != b'_')
}
