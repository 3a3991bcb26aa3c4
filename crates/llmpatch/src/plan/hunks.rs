//! The hunks of one changed file, each of which can be made or left, or made as somebody wrote it
//! anew.
//!
//! A hunk is what a diff shows as one: runs of lines that differ, with the unchanged lines around
//! them. What is made of a file is its old content with the hunks spliced in that are wanted, so
//! that all that is left out stays to the byte.

use std::ops::Range;

use bstr::ByteSlice as _;

use super::{Change, Placement};
use crate::compare::{Compare, CompareError, Options, Region};
use crate::text::{Content, Lines, Splice};
use crate::tree::File;

/// A hunk of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    splices: Vec<Splice>,
    /// The old bytes that a diff shows of it.
    shown: Range<usize>,
    /// The old lines that differ, from 0; where lines are only added, the line before which they
    /// go.
    lines: Range<usize>,
}

/// Takes the change of a file apart. `None` if there is more to it than lines that differ: another
/// path or mode, a file that is new or goes, a file that is binary or kept otherwise than users see
/// it.
///
/// # Errors
/// If the contents can't be compared.
pub fn pieces(
    change: &Change,
    compare: &dyn Compare,
    options: &Options,
) -> Result<Option<Vec<Piece>>, CompareError> {
    let (Some(before), Some(after)) = (&change.before, &change.after) else {
        return Ok(None);
    };
    let keeps_mode = before.mode.executable == after.mode.executable
        && after
            .mode
            .bits
            .is_none_or(|bits| before.mode.bits == Some(bits));
    if !keeps_mode || !is_plain(before) || !is_plain(after) {
        return Ok(None);
    }
    let old = &before.content[..];
    let new = &after.content[..];
    let regions = compare.regions(&change.path, old, new)?;
    let old_starts = Lines::within(old).starts();
    let new_starts = Lines::within(new).starts();
    let context = options.context.max(1) as usize;
    let piece = |group: &[Region]| {
        let lines = Region::over(group).old;
        let last = (lines.end + context).min(old_starts.len() - 1);
        let shown = bytes(&old_starts, &(lines.start.saturating_sub(context)..last));
        Piece {
            splices: group
                .iter()
                .map(|region| Splice {
                    old: bytes(&old_starts, &region.old),
                    new: new[bytes(&new_starts, &region.new)].to_vec(),
                })
                .collect(),
            shown,
            lines,
        }
    };
    let options = Options {
        context: options.context.max(1),
        ..options.clone()
    };
    Ok(Some(options.groups(&regions).map(piece).collect()))
}

fn is_plain(file: &File) -> bool {
    !file.content.is_binary() && !file.content.is_kept()
}

fn bytes(starts: &[usize], lines: &Range<usize>) -> Range<usize> {
    starts[lines.start]..starts[lines.end]
}

/// Returns a change with these of its hunks alone, in order.
pub fn only(change: &Change, pieces: &[Piece]) -> Change {
    let splices = pieces
        .iter()
        .flat_map(|piece| piece.splices.iter().cloned())
        .collect();
    let after = change
        .after
        .as_ref()
        .zip(change.before.as_ref())
        .map(|(after, before)| File {
            content: Content::spliced(before.content.clone(), splices),
            mode: after.mode,
        });
    Change {
        after,
        ..change.clone()
    }
}

impl Piece {
    /// Reads the lines of a hunk that somebody has edited, without its header: what isn't added
    /// must be lines of the file, around where the hunk is. `None` if it isn't so.
    pub fn edited(&self, content: &[u8], lines: &[u8]) -> Option<Piece> {
        let mut old = Vec::new();
        let mut new = Vec::new();
        let mut signs = b"".to_vec();
        for line in lines.lines_with_terminator() {
            // An editor may have taken away the space of an empty line.
            let (sign, text) = if line.trim_ascii().is_empty() && line[0] != b' ' {
                (b' ', line)
            } else {
                (line[0], &line[1..])
            };
            match sign {
                b' ' => {
                    old.extend_from_slice(text);
                    new.extend_from_slice(text);
                }
                b'-' => old.extend_from_slice(text),
                b'+' => new.extend_from_slice(text),
                b'\\' => {
                    // The line before it has no newline.
                    let sign = *signs.last()?;
                    if sign != b'+' {
                        cut(&mut old);
                    }
                    if sign != b'-' {
                        cut(&mut new);
                    }
                }
                _ => return None,
            }
            signs.push(sign);
        }
        let at = find_lines(&content[self.shown.clone()], &old)? + self.shown.start;
        let range = at..at + old.len();
        let splices = if old == new {
            Vec::new()
        } else {
            vec![Splice {
                old: range.clone(),
                new,
            }]
        };
        Some(Piece {
            splices,
            shown: self.shown.clone(),
            lines: self.lines.clone(),
        })
    }

    /// Returns whether an edit, of which these are the places, has to do with it; `earlier` are the
    /// places of the edits of the same file before it, each by itself.
    pub fn is_of(&self, places: &[&Placement], earlier: &[Vec<&Placement>]) -> bool {
        places.is_empty()
            || places.iter().any(|place| {
                let back = |line| {
                    earlier
                        .iter()
                        .rev()
                        .fold(line, |line, places| before(line, places))
                };
                let start = place.old.range().start;
                let end = place.old.range().end;
                back(start) <= self.lines.end && back(end) >= self.lines.start
            })
    }
}

fn cut(side: &mut Vec<u8>) {
    side.truncate(side.len() - usize::from(side.ends_with(b"\n")))
}

/// Returns where lines are in a text, from the start of a line on.
fn find_lines(text: &[u8], lines: &[u8]) -> Option<usize> {
    if lines.is_empty() {
        return None;
    }
    text.find_iter(lines)
        .filter(|&at| at == 0 || text[at - 1] == b'\n')
        .find(|&at| lines.ends_with(b"\n") || at + lines.len() == text.len())
}

/// Returns the line number, from 0, that a line had before an edit with these places.
fn before(line: usize, places: &[&Placement]) -> usize {
    let mut was = line;
    for (old, new) in places
        .iter()
        .map(|place| (place.old.range(), place.new.range()))
    {
        if line >= new.end {
            was = line + old.end - new.end;
        } else if line > new.start {
            return old.start + (line - new.start).min(old.len());
        }
    }
    was
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(content: &[u8]) -> Piece {
        Piece {
            splices: Vec::new(),
            shown: 0..content.len(),
            lines: 1..2,
        }
    }

    #[test]
    fn an_edited_hunk_is_lines_of_the_file_and_what_comes_among_them() {
        for (content, lines, want) in [
            ("a\nb\nc\n", " a\n-b\n+x\n c\n", Some("a\nx\nc\n")),
            ("a\nb\nc\n", "-b\n+x\n+y\n", Some("a\nx\ny\nc\n")),
            ("a\nb\nc\n", " a\n b\n c\n", Some("a\nb\nc\n")),
            ("a\nb\nc\n", " a\n-B\n c\n", None),
            ("a\nb\nc\n", "+x\n", None),
            ("a\nb\nc\n", " a\nb\n c\n", None),
            ("a\nab\n", "-b\n", None),
            ("a\n\nc\n", " a\n\n-c\n", Some("a\n\n")),
            (
                "a\nb",
                " a\n-b\n\\ No newline at end of file\n+c\n",
                Some("a\nc\n"),
            ),
            (
                "a\nb\n",
                " a\n-b\n+c\n\\ No newline at end of file\n",
                Some("a\nc"),
            ),
            ("a\nb", " a\n-b\n+c\n", None),
            ("a\r\nb\r\n", " a\r\n-b\r\n+c\r\n", Some("a\r\nc\r\n")),
            ("a\n", "\\ No newline at end of file\n", None),
        ] {
            let edited = piece(content.as_bytes()).edited(content.as_bytes(), lines.as_bytes());
            let made = edited.map(|piece| Content::spliced(content.into(), piece.splices).to_vec());
            assert_eq!(
                made.as_deref(),
                want.map(str::as_bytes),
                "{content:?} {lines:?}"
            );
        }
    }
}
