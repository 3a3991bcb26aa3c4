//! A printed diff in the colours of `git diff`.
//!
//! It takes the diff as it is printed for programs and only puts escape sequences around what is
//! there. What is a header and what a line of a file is told by the counts of each hunk, as `git
//! apply` tells it: a removed line `-- x` is no header.

use bstr::ByteSlice as _;

/// The escape sequences that set the colours, as `color.diff.*` names them. An empty one sets
/// nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Palette {
    /// Lines that stay.
    pub context: String,
    /// What is above the hunks of a file.
    pub meta: String,
    /// The numbers of a hunk.
    pub frag: String,
    /// What is behind them.
    pub func: String,
    /// Lines that go.
    pub old: String,
    /// Lines that come.
    pub new: String,
    /// Whitespace at the end of lines that come.
    pub whitespace: String,
}

impl Palette {
    /// Makes one by asking for the sequence of each name; the second word is git's default.
    pub fn new(mut sequence: impl FnMut(&str, &str) -> String) -> Palette {
        Palette {
            context: sequence("context", "normal"),
            meta: sequence("meta", "bold"),
            frag: sequence("frag", "cyan"),
            func: sequence("func", "normal"),
            old: sequence("old", "red"),
            new: sequence("new", "green"),
            whitespace: sequence("whitespace", "normal red"),
        }
    }
}

const RESET: &str = "\x1b[m";

/// Paints a diff. What is before its first file, statistics for example, is left as it is.
pub fn diff(printed: &[u8], palette: &Palette) -> Vec<u8> {
    let mut painter = Painter {
        out: Vec::with_capacity(printed.len() * 5 / 4),
        palette,
    };
    let mut place = DiffState::Outside;
    for line in printed.lines_with_terminator() {
        let text = line.trim_end_with(|end| end == '\n');
        place = painter.line(place, text);
        painter.out.extend(&line[text.len()..]);
    }
    painter.out
}

/// Where in a diff a line is.
#[derive(Clone, Copy)]
enum DiffState {
    /// Before the first file.
    Outside,
    /// Above the hunks of a file.
    Header,
    /// In a hunk that has as many old and new lines to come.
    Hunk { old: u64, new: u64 },
    /// In a binary patch.
    Binary,
}

struct Painter<'p> {
    out: Vec<u8>,
    palette: &'p Palette,
}

impl Painter<'_> {
    /// Paints a line, and returns where the next line is.
    fn line(&mut self, place: DiffState, text: &[u8]) -> DiffState {
        let palette = self.palette;
        let (sequence, next) = match place {
            DiffState::Hunk { old, new } if old + new > 0 || text.starts_with(b"\\") => {
                match text.first() {
                    Some(b'+') => {
                        self.added(text);
                        return DiffState::Hunk {
                            old,
                            new: new.saturating_sub(1),
                        };
                    }
                    Some(b'-') => (
                        &palette.old,
                        DiffState::Hunk {
                            old: old.saturating_sub(1),
                            new,
                        },
                    ),
                    Some(b'\\') => (&palette.context, place),
                    _ => (
                        &palette.context,
                        DiffState::Hunk {
                            old: old.saturating_sub(1),
                            new: new.saturating_sub(1),
                        },
                    ),
                }
            }
            DiffState::Outside | DiffState::Binary if !text.starts_with(b"diff --git ") => {
                self.out.extend(text);
                return place;
            }
            _ if text.starts_with(b"@@ -") => return self.hunk(text),
            _ if text == b"GIT binary patch" => (&palette.meta, DiffState::Binary),
            _ => (&palette.meta, DiffState::Header),
        };
        self.put(sequence, text);
        next
    }

    fn hunk(&mut self, text: &[u8]) -> DiffState {
        let end = text[2..].find(b"@@").map_or(text.len(), |at| at + 4);
        let (numbers, heading) = text.split_at(end);
        self.put(&self.palette.frag, numbers);
        if let Some(heading) = heading.strip_prefix(b" ") {
            self.put(&self.palette.context, b" ");
            self.put(&self.palette.func, heading);
        }
        DiffState::Hunk {
            old: count(numbers, b"-"),
            new: count(numbers, b"+"),
        }
    }

    /// Paints a line that comes: whitespace at its end is shown, as git's `core.whitespace` has it
    /// by default.
    fn added(&mut self, text: &[u8]) {
        let bare = text.strip_suffix(b"\r").unwrap_or(text);
        let kept = bare
            .trim_end_with(|end| end == ' ' || end == '\t')
            .len()
            .max(1);
        let (text, space) = text.split_at(kept.min(text.len()));
        self.put(&self.palette.new, &text[..1]);
        if text.len() > 1 {
            self.put(&self.palette.new, &text[1..]);
        }
        if !space.is_empty() && space != b"\r" {
            self.put(&self.palette.whitespace, space);
        } else {
            self.out.extend(space);
        }
    }

    fn put(&mut self, sequence: &str, text: &[u8]) {
        self.out.extend(sequence.as_bytes());
        self.out.extend(text);
        self.out.extend(RESET.as_bytes());
    }
}

/// Returns how many lines a hunk has on the side of a sign, by the numbers in its header.
fn count(numbers: &[u8], sign: &[u8]) -> u64 {
    let mut words = numbers.split_str(" ");
    let range = words.find_map(|word| word.strip_prefix(sign));
    let count = match range.unwrap_or_default().split_once_str(",") {
        Some((_, count)) => count,
        None => b"1",
    };
    count
        .to_str()
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked() -> Palette {
        Palette::new(|name, _| format!("<{name}>"))
    }

    #[test]
    fn what_is_a_header_is_told_by_the_counts() {
        for (printed, want) in [
            (
                " a | 2 +-\n\ndiff --git a/a b/a\n",
                " a | 2 +-\n\n<meta>diff --git a/a b/a>\n",
            ),
            (
                "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@ fn f()\n--- x\n+++ y \n z\n",
                concat!(
                    "<meta>diff --git a/a b/a>\n<meta>--- a/a>\n<meta>+++ b/a>\n<frag>@@ \
                         -1,2 +1,2 @@><context> ><func>fn f()>\n",
                    "<old>--- x>\n<new>+><new>++ y><whitespace> >\n<context> z>\n"
                ),
            ),
            (
                "diff --git a/a b/a\n@@ -1 +1 @@\n-x\n\\ No newline\n+\ndiff --git a/b b/b\n",
                "<meta>diff --git a/a b/a>\n<frag>@@ -1 +1 @@>\n<old>-x>\n<context>\\ No \
                     newline>\n<new>+>\n<meta>diff --git a/b b/b>\n",
            ),
            (
                "diff --git a/a b/a\nGIT binary patch\nliteral 1\nIcmZ\n\n",
                "<meta>diff --git a/a b/a>\n<meta>GIT binary patch>\nliteral 1\nIcmZ\n\n",
            ),
        ] {
            let painted = String::from_utf8(diff(printed.as_bytes(), &marked())).unwrap();
            assert_eq!(painted.replace(RESET, ">"), want);
        }
    }

    #[test]
    fn nothing_but_sequences_is_added() {
        let hostile =
            b"diff --git\n@@ -99999999999999999999 +1 @@\n@@ @@\n-\n+\xff\t \r\n@@ -1,0 +1,1 \
             @@\n+ \n\\\n";
        let painted = diff(hostile, &marked());
        let bare = [
            "context",
            "meta",
            "frag",
            "func",
            "old",
            "new",
            "whitespace",
        ]
        .iter()
        .fold(painted.replace(RESET, b""), |bare, name| {
            bare.replace(format!("<{name}>"), b"")
        });
        assert_eq!(bare.as_bstr(), hostile.as_bstr());
    }
}
