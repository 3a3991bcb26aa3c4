//! Wildcards as git knows them: `?`, `*`, `**`, `[a-z]`, `[[:alpha:]]` and `\` before any of them.
//!
//! All ways of matching are followed at once, so that a path that somebody made up takes no longer
//! than its length times the pattern's: trying them in turn takes a time that has the number of `*`
//! for an exponent.

/// A pattern, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Glob {
    tokens: Vec<Token>,
    /// Whether `/` is matched by nothing but itself and `**`.
    by_directory: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Byte(u8),
    Any,
    Class(Box<Class>),
    /// Any bytes but `/`.
    Star,
    /// Any bytes.
    Stars,
    /// `**/`: nothing, or any bytes and a `/`.
    Directories,
}

impl Glob {
    /// Takes a pattern apart; `None` if it matches nothing, as if its `[` isn't closed.
    pub(super) fn new(pattern: &[u8], by_directory: bool) -> Option<Self> {
        let mut tokens = Vec::new();
        let mut at = 0;
        while let Some(&byte) = pattern.get(at) {
            let (token, end) = match byte {
                b'\\' => (Token::Byte(*pattern.get(at + 1)?), at + 2),
                b'?' => (Token::Any, at + 1),
                b'*' => stars(pattern, at, by_directory),
                b'[' => {
                    let (class, end) = Class::new(pattern, at + 1)?;
                    (Token::Class(Box::new(class)), end)
                }
                byte => (Token::Byte(byte), at + 1),
            };
            tokens.push(token);
            at = end;
        }
        Some(Self {
            tokens,
            by_directory,
        })
    }

    /// Returns whether it matches all of a text, in the same case or in any.
    pub(super) fn matches(&self, text: &[u8], folds: bool) -> bool {
        let mut now = vec![false; self.tokens.len() + 1];
        let mut next = now.clone();
        self.reach(&mut now, 0);
        for &byte in text {
            next.fill(false);
            for (at, token) in self.tokens.iter().enumerate().filter(|(at, _)| now[*at]) {
                match token {
                    Token::Star if byte == b'/' => {}
                    Token::Star | Token::Stars => self.reach(&mut next, at),
                    Token::Directories => {
                        // What could come behind it can't come yet: a whole directory's name has
                        // to.
                        next[at] = true;
                        if byte == b'/' {
                            self.reach(&mut next, at + 1);
                        }
                    }
                    token if self.takes(token, byte, folds) => self.reach(&mut next, at + 1),
                    _ => {}
                }
            }
            std::mem::swap(&mut now, &mut next);
        }
        now[self.tokens.len()]
    }

    /// Marks a place of the pattern, and the places behind it that need no byte to be reached.
    fn reach(&self, places: &mut [bool], mut at: usize) {
        places[at] = true;
        while matches!(
            self.tokens.get(at),
            Some(Token::Star | Token::Stars | Token::Directories)
        ) {
            at += 1;
            places[at] = true;
        }
    }

    fn takes(&self, token: &Token, byte: u8, folds: bool) -> bool {
        match token {
            Token::Byte(wanted) if folds => wanted.eq_ignore_ascii_case(&byte),
            Token::Byte(wanted) => *wanted == byte,
            Token::Any => !(self.by_directory && byte == b'/'),
            Token::Class(class) => class.has(byte, folds) && !(self.by_directory && byte == b'/'),
            Token::Star | Token::Stars | Token::Directories => false,
        }
    }
}

/// Reads one `*` or several, and what they mean.
fn stars(pattern: &[u8], start: usize, by_directory: bool) -> (Token, usize) {
    let end = start
        + pattern[start..]
            .iter()
            .take_while(|byte| **byte == b'*')
            .count();
    let behind = &pattern[end..];
    let alone = (start == 0 || pattern[start - 1] == b'/')
        && (behind.is_empty() || behind.starts_with(b"/") || behind.starts_with(b"\\/"));
    match (by_directory, end - start > 1 && alone) {
        (false, _) => (Token::Stars, end),
        (true, false) => (Token::Star, end),
        (true, true) if behind.starts_with(b"/") => (Token::Directories, end + 1),
        (true, true) => (Token::Stars, end),
    }
}

/// The bytes that `[…]` takes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Class {
    negated: bool,
    bytes: [bool; 256],
}

impl Class {
    /// Reads what is behind a `[` up to its `]`, and returns where the pattern goes on.
    fn new(pattern: &[u8], mut at: usize) -> Option<(Self, usize)> {
        let negated = matches!(pattern.get(at), Some(b'!' | b'^'));
        at += usize::from(negated);
        let mut bytes = [false; 256];
        // The byte from which a `-` would go on, and whether a `]` would be the end: the first is
        // one of the bytes.
        let mut from = None;
        let mut is_first = true;
        loop {
            let byte = *pattern.get(at)?;
            match byte {
                b']' if !is_first => return Some((Self { negated, bytes }, at + 1)),
                b'-' if from.is_some() && !matches!(pattern.get(at + 1), None | Some(b']')) => {
                    at += 1;
                    if pattern[at] == b'\\' {
                        at += 1;
                    }
                    let to = *pattern.get(at)?;
                    (from.take()?..=to).for_each(|byte| bytes[usize::from(byte)] = true);
                }
                b'[' if pattern.get(at + 1) == Some(&b':') => {
                    let end = at + 2 + pattern[at + 2..].iter().position(|byte| *byte == b']')?;
                    match pattern[at + 2..end].strip_suffix(b":") {
                        Some(name) => {
                            let is = named(name)?;
                            (0..=u8::MAX)
                                .filter(is)
                                .for_each(|byte| bytes[usize::from(byte)] = true);
                            (at, from) = (end, None);
                        }
                        None => (bytes[usize::from(b'[')], from) = (true, Some(b'[')),
                    }
                }
                byte => {
                    at += usize::from(byte == b'\\');
                    let byte = *pattern.get(at)?;
                    (bytes[usize::from(byte)], from) = (true, Some(byte));
                }
            }
            is_first = false;
            at += 1;
        }
    }

    fn has(&self, byte: u8, folds: bool) -> bool {
        let is = |byte: u8| self.bytes[usize::from(byte)];
        let is_in =
            is(byte) || folds && (is(byte.to_ascii_lowercase()) || is(byte.to_ascii_uppercase()));
        is_in != self.negated
    }
}

/// Returns what `[:name:]` stands for.
fn named(name: &[u8]) -> Option<fn(&u8) -> bool> {
    Some(match name {
        b"alnum" => u8::is_ascii_alphanumeric,
        b"alpha" => u8::is_ascii_alphabetic,
        b"blank" => |byte| matches!(byte, b' ' | b'\t'),
        b"cntrl" => u8::is_ascii_control,
        b"digit" => u8::is_ascii_digit,
        b"graph" => u8::is_ascii_graphic,
        b"lower" => u8::is_ascii_lowercase,
        b"print" => |byte| matches!(byte, b' '..=b'~'),
        b"punct" => u8::is_ascii_punctuation,
        // git's own notion: no vertical tab, no form feed.
        b"space" => |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
        b"upper" => u8::is_ascii_uppercase,
        b"xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_gits_do() {
        for (pattern, text, anywhere, by_directory) in [
            ("", "", true, true),
            ("a", "", false, false),
            ("*", "", true, true),
            ("*", "a/b", true, false),
            ("?", "/", true, false),
            ("a*b*c", "aXbYcZc", true, true),
            ("a*b*c", "aXbYcZ", false, false),
            ("*/b", "a/b", true, true),
            ("*/b", "x/a/b", true, false),
            ("**/b", "b", false, true),
            ("**/b", "x/a/b", true, true),
            ("**/b", "xb", false, false),
            ("a/**/b", "a/b", false, true),
            ("a/**/b", "a/x/y/b", true, true),
            ("a/**", "a/x/y", true, true),
            ("a/**", "a/", true, true),
            ("a**b", "aXb", true, true),
            ("a**b", "a/b", true, false),
            ("a\\*", "a*", true, true),
            ("a\\*", "ab", false, false),
            ("a\\", "a\\", false, false),
            ("[a-c]", "b", true, true),
            ("[!a-c]", "b", false, false),
            ("[^a]", "/", true, false),
            ("[]a]", "]", true, true),
            ("[!]a]", "b", true, true),
            ("[a-]", "-", true, true),
            ("[\\]]", "]", true, true),
            ("[a-\\c]", "b", true, true),
            ("[[:digit:]_]", "7", true, true),
            ("[[:digit]", ":", true, true),
            ("[[:nonsense:]]", "a", false, false),
            ("[a", "a", false, false),
            ("[", "[", false, false),
        ] {
            for (directory, want) in [(false, anywhere), (true, by_directory)] {
                let is = Glob::new(pattern.as_bytes(), directory)
                    .is_some_and(|glob| glob.matches(text.as_bytes(), false));
                assert_eq!(
                    is, want,
                    "{pattern:?} on {text:?}, by directory: {directory}"
                );
            }
        }
    }

    #[test]
    fn case_is_folded_in_letters_and_classes() {
        for (pattern, text, want) in [
            ("aB", "Ab", true),
            ("[A-C]x", "bX", true),
            ("[a]", "A", true),
            ("[!a]", "A", false),
            ("[[:upper:]]", "a", true),
        ] {
            let glob = Glob::new(pattern.as_bytes(), false).unwrap();
            assert_eq!(
                glob.matches(text.as_bytes(), true),
                want,
                "{pattern:?} on {text:?}"
            );
        }
    }

    #[test]
    fn many_stars_take_no_time() {
        let pattern = format!("{}b", "*a".repeat(40));
        let text = "a".repeat(4000);
        assert!(
            !Glob::new(pattern.as_bytes(), false)
                .unwrap()
                .matches(text.as_bytes(), true)
        );
    }
}
