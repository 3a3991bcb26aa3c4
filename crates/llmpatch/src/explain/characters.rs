//! What characters are called where they can't be told apart by looking.

use std::fmt;

use crate::text::Invisible;

/// A run of whitespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spaces(pub(super) String);

impl fmt::Display for Spaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("nothing");
        }
        let characters: Vec<_> = self.0.chars().collect();
        for (number, run) in characters.chunk_by(|a, b| a == b).enumerate() {
            if number > 0 {
                f.write_str(" and ")?;
            }
            let noun = space(run[0]).unwrap_or("other space character");
            match run.len() {
                1 => f.write_str(&counted(run[0], noun))?,
                count => write!(f, "{count} {noun}s{}", code(run[0]))?,
            }
        }
        Ok(())
    }
}

/// Returns what a space character is called.
fn space(character: char) -> Option<&'static str> {
    Some(match character {
        ' ' => "space",
        '\t' => "tab",
        '\r' => "carriage return",
        '\u{c}' => "form feed",
        '\u{a0}' => "no-break space",
        '\u{202f}' => "narrow no-break space",
        '\u{2002}' => "en space",
        '\u{2003}' => "em space",
        '\u{2009}' => "thin space",
        '\u{3000}' => "ideographic space",
        _ => return None,
    })
}

/// Names a single character.
fn counted(character: char, noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {noun}{}", code(character))
}

/// Returns the number of a character that isn't ASCII.
fn code(character: char) -> String {
    if character.is_ascii() {
        String::new()
    } else {
        format!(" (U+{:04X})", u32::from(character))
    }
}

/// Names a character, or the end of the line.
pub(super) fn name(character: Option<char>) -> String {
    let Some(character) = character else {
        return "the end of the line".into();
    };
    if let Some(noun) = space(character) {
        return counted(character, noun);
    }
    match character {
        '\u{200b}' => "a zero-width space (U+200B)".into(),
        '\u{feff}' => "a byte order mark (U+FEFF)".into(),
        _ if Invisible::of(character) == Some(Invisible::Bidi) => {
            format!("a control of writing direction{}", code(character))
        }
        '\u{2018}' | '\u{2019}' => format!("a curly apostrophe `{character}`"),
        '\u{201c}' | '\u{201d}' => format!("a curly quote `{character}`"),
        '\u{2010}' => "a hyphen `‐` (U+2010)".into(),
        '\u{2011}' => "a no-break hyphen (U+2011)".into(),
        '\u{2012}' => "a figure dash `‒`".into(),
        '\u{2013}' => "an en dash `–`".into(),
        '\u{2014}' => "an em dash `—`".into(),
        '\u{2212}' => "a minus sign `−` (U+2212)".into(),
        '`' => "a backtick".into(),
        '\u{370}'..='\u{3ff}' => format!("a Greek `{character}` (U+{:04X})", u32::from(character)),
        '\u{400}'..='\u{52f}' => {
            format!("a Cyrillic `{character}` (U+{:04X})", u32::from(character))
        }
        '\u{ff01}'..='\u{ff5e}' => format!(
            "a full-width `{character}` (U+{:04X})",
            u32::from(character)
        ),
        shown if shown.is_ascii_graphic() || shown.is_alphanumeric() => format!("`{shown}`"),
        hidden => format!("U+{:04X}", u32::from(hidden)),
    }
}
