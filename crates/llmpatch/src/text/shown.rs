use std::fmt::{self, Write as _};
use std::io;
use std::path::Path;

use bstr::ByteSlice as _;

use super::{Invisible, LineNo};

/// Bytes from a response or a file, made safe to print: control and bidirectional characters and
/// bytes that aren't UTF-8 are shown in git's C style (`\033`, `\t`), so that nothing from a model
/// reaches a terminal raw.
///
/// ```
/// # use llmpatch::text::Shown;
/// assert_eq!(Shown(b"a\x1b[31m\xff").to_string(), r"a\033[31m\377");
/// assert_eq!(Shown("\u{202e}gpj".as_bytes()).to_string(), r"\342\200\256gpj");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a>(pub &'a [u8]);

impl<'a> Shown<'a> {
    /// Shows a path of the system.
    pub fn path(path: &'a Path) -> Self {
        Self(path.as_os_str().as_encoded_bytes())
    }
    /// Returns whether a character may be in a message as it is.
    pub fn is_harmless(c: char) -> bool {
        // A terminal may obey others that nobody sees, or show nothing for them, as well.
        let is_odd = c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}');
        !is_odd && matches!(Invisible::of(c), None | Some(Invisible::Selector))
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Nearly every path is such a text.
        if let Ok(text) = str::from_utf8(self.0)
            && text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        {
            return f.write_str(text);
        }
        for (start, end, c) in self.0.char_indices() {
            let bytes = &self.0[start..end];
            let replaced = c == char::REPLACEMENT_CHARACTER && bytes != "\u{fffd}".as_bytes();
            if !replaced && Self::is_harmless(c) {
                f.write_char(c)?;
                continue;
            }
            for &byte in bytes {
                match byte {
                    b'\t' => f.write_str("\\t")?,
                    b'\n' => f.write_str("\\n")?,
                    b'\r' => f.write_str("\\r")?,
                    _ => write!(f, "\\{byte:03o}")?,
                }
            }
        }
        Ok(())
    }
}

/// Writes bytes as a word of a shell's command, to be read and to be typed. What [`Shown`] escapes is
/// in `$'…'`, as bash and zsh read it.
///
/// ```
/// use llmpatch::text::shell_word;
///
/// assert_eq!(shell_word(b"src/a.py"), "src/a.py");
/// assert_eq!(shell_word(b"it's; rm -r x"), r"'it'\''s; rm -r x'");
/// assert_eq!(shell_word(b"it's\t\xff"), r"$'it\'s\t\377'");
/// ```
pub fn shell_word(bytes: &[u8]) -> String {
    let text = Shown(bytes).to_string();
    if text.as_bytes() != bytes {
        let bytes = bytes.replace(r"\", r"\\").replace("'", r"\'");
        return format!("$'{}'", Shown(&bytes));
    }
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:@%,=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// What the system said, in its words alone: the number that Rust puts behind them helps nobody.
///
/// ```
/// # use llmpatch::text::SystemError;
/// let error = std::io::Error::from_raw_os_error(2);
/// assert_eq!(SystemError(&error).to_string(), "No such file or directory");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SystemError<'a>(pub &'a io::Error);

impl fmt::Display for SystemError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = self.0.to_string();
        let number = self
            .0
            .raw_os_error()
            .map(|number| format!(" (os error {number})"));
        f.write_str(
            number
                .and_then(|number| said.strip_suffix(&number))
                .unwrap_or(&said),
        )
    }
}

/// Lists the first five of some things, and how many more there are of `count`.
///
/// ```
/// # use llmpatch::text::listed;
/// assert_eq!(listed(1..=2, 2), "1, 2");
/// assert_eq!(listed(1..=9, 9), "1, 2, 3, 4, 5 and 4 more");
/// ```
pub fn listed<T: fmt::Display>(all: impl IntoIterator<Item = T>, count: usize) -> String {
    let shown: Vec<_> = all.into_iter().take(5).map(|one| one.to_string()).collect();
    match count.saturating_sub(shown.len()) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Names lines of which there are `count`, each by the first and the last of a run: `line 3`,
/// `lines 3, 5–7 and 31`.
pub fn lines(runs: &[(LineNo, LineNo)], count: usize) -> String {
    let mut names: Vec<_> = runs
        .iter()
        .take(5)
        .map(|&(first, last): &(LineNo, LineNo)| {
            if first == last {
                first.to_string()
            } else {
                format!("{first}–{last}")
            }
        })
        .collect();
    let noun = match runs {
        [(first, last)] if first == last && count < 2 => "line",
        _ => "lines",
    };
    names.extend(
        count
            .checked_sub(names.len())
            .filter(|&more| more > 0)
            .map(|more| format!("{more} more")),
    );
    format!("{noun} {}", sentence(&names))
}

/// Joins names as a sentence does: `a, b and c`.
pub fn sentence(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Returns the ending of a noun that is counted.
pub(crate) fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
