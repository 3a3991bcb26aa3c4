//! What the levels above exact find in a file, and how new lines fit in there.
//!
//! A level is tried only where the levels below it find nothing, and whoever asks may use a place
//! only if it is the only candidate. The file is read once for each level that is tried at all.
//!
//! Lines that the patch has both among the old and the new lines aren't new, be they context, or
//! `-` and `+` of the same text, or in find and put: they keep the file's bytes. The other new
//! lines are shifted as the old lines show.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::Range;

use super::Rules;
use super::growth::Growth;
use super::place::texts;
use super::place_error::{Ambiguity, PlaceError, Places};
use super::warning::{Placing, Quote};
use crate::search::{Document, Fuzz, Loose, Relaxation, Run, Shift};
use crate::text::{LineNo, Lines, Located, Span, Text, same_ends};

/// A file at every level that may be tried.
pub(super) struct Levels<'f, 'h> {
    lines: Lines<'f>,
    wanted: Vec<Vec<&'h [u8]>>,
    up_to: Fuzz,
    made: [OnceCell<Level>; Fuzz::LEVELS.len()],
}

impl<'f, 'h> Levels<'f, 'h> {
    /// Takes all runs of lines that may be asked for. Nothing is read yet.
    pub(super) fn new(
        lines: Lines<'f>,
        wanted: impl IntoIterator<Item = Vec<&'h [u8]>>,
        rules: &Rules,
    ) -> Self {
        let up_to = if rules.strict {
            Fuzz::Exact
        } else {
            rules.fuzz
        };
        let wanted = if up_to == Fuzz::Exact {
            Vec::new()
        } else {
            wanted.into_iter().collect()
        };
        Self {
            lines,
            wanted,
            up_to,
            made: Default::default(),
        }
    }

    /// Returns the levels that may be tried, tightest first; each is read when it is reached.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Level> {
        let allowed = Fuzz::LEVELS
            .into_iter()
            .zip(&self.made)
            .filter(|(level, _)| *level <= self.up_to);
        allowed
            .map(|(level, made)| made.get_or_init(|| Level::new(level, &self.lines, &self.wanted)))
    }
}

/// A file with its lines in the forms that they have at a level.
pub(super) struct Level {
    level: Fuzz,
    forms: Document,
}

impl Level {
    fn new(level: Fuzz, lines: &Lines<'_>, runs: &[Vec<&[u8]>]) -> Self {
        let runs = runs
            .iter()
            .map(|run| run.iter().map(|line| level.form(line)));
        Self {
            level,
            forms: Document::of_texts(
                lines.bytes().len() + 1,
                lines.iter().map(|line| level.form(line.text)),
                runs,
            ),
        }
    }

    /// Returns all places of a run of lines.
    pub(super) fn run<'l>(&self, lines: impl IntoIterator<Item = &'l [u8]>) -> Run<'_> {
        self.forms
            .run(lines.into_iter().map(|line| self.level.form(line)))
    }

    /// Returns which line at or after `from` a context line means.
    pub(super) fn locator(&self, text: &[u8], from: usize) -> Loose {
        let places = self.run([text]);
        Loose::of(
            Relaxation::Level(self.level),
            places.count_from(from),
            places.iter_from(from),
        )
    }

    pub(super) fn fuzz(&self) -> Fuzz {
        self.level
    }

    /// Returns that there are several candidates.
    pub(super) fn ambiguity(&self, places: Places) -> Ambiguity {
        let level = self.level;
        Ambiguity::Fuzz { level, places }
    }

    /// Makes the new lines of a hunk fit in where its old lines were found, the first of them on
    /// line `at`; and warns of the first that differs. `span` is where the hunk is in the response.
    ///
    /// # Errors
    /// If nothing says how a new line is to be indented, or what that adds is too much.
    pub(super) fn fit(
        &self,
        file: &Lines<'_>,
        at: usize,
        old: &[&Text<'_>],
        blocks: &[Block<'_>],
        span: Option<Span>,
        growth: Growth<'_>,
    ) -> Result<Fitted, Located<PlaceError>> {
        let level = self.level;
        let first = LineNo::from_index(at);
        let fails = |line: &Text<'_>, error| Located::new(line.span.or(span), error);
        let pairs: Vec<_> = old
            .iter()
            .zip(at..)
            .map(|(text, at)| (&text[..], file.text(at)))
            .collect();
        let mut shift = None;
        let mut fitted = Vec::new();
        for Block { old: range, new } in blocks {
            let common = common(
                &texts(old[range.clone()].iter().copied()),
                &texts(new.iter().copied()),
            );
            for (&line, kept) in new.iter().zip(common) {
                if let Some(nth) = kept {
                    fitted.push(file.text(at + range.start + nth).to_vec());
                    continue;
                }
                if shift.is_none() && level >= Fuzz::Indent {
                    let shown = Shift::shown(pairs.iter().copied(), level);
                    let shown = shown.map_err(|nth| {
                        let line = LineNo::from_index(at + nth);
                        fails(old[nth], PlaceError::Indentation { at: first, line })
                    })?;
                    let count: usize = blocks.iter().map(|block| block.new.len()).sum();
                    if !growth.add(count.saturating_mul(shown.adds())) {
                        return Err(fails(line, PlaceError::TooDeep { at: first }));
                    }
                    shift = Some(shown);
                }
                fitted.push(match &shift {
                    Some(shift) => shift
                        .apply(line)
                        .ok_or_else(|| fails(line, PlaceError::Unshiftable { at: first }))?
                        .into_owned(),
                    None => line.to_vec(),
                });
            }
        }
        let differs = pairs
            .iter()
            .position(|(text, line)| text != line)
            .unwrap_or(0);
        let warning = Placing::Fuzzy {
            level,
            at: first,
            line: Quote::new(file, at + differs),
        };
        Ok(Fitted {
            lines: fitted,
            warning: Located::new(old[differs].span.or(span), warning),
        })
    }
}

/// Old lines, and the new lines that take their place.
pub(super) struct Block<'t> {
    /// Which of all old lines of the hunk.
    pub(super) old: Range<usize>,
    /// The new lines.
    pub(super) new: Vec<&'t Text<'t>>,
}

/// New lines as the file needs them, and the first old line that differs.
pub(super) struct Fitted {
    pub(super) lines: Vec<Vec<u8>>,
    pub(super) warning: Located<Placing>,
}

/// The product of how many lines two texts have beyond which their middles are taken for wholly
/// different.
const LARGE: usize = 1 << 25;

/// Returns for each new line, in order, the old line that it is; `None` if it is a new line.
fn common(old: &[&[u8]], new: &[&[u8]]) -> Vec<Option<usize>> {
    let (head, tail) = same_ends(old, new);
    let mut kept = vec![None; new.len()];
    for (nth, kept) in kept.iter_mut().enumerate().take(head) {
        *kept = Some(nth);
    }
    for nth in 1..=tail {
        kept[new.len() - nth] = Some(old.len() - nth);
    }
    // What only one side has can't be common; without it most middles are short.
    let sought: HashSet<&[u8]> = old[head..old.len() - tail].iter().copied().collect();
    let new_middle: Vec<usize> = (head..new.len() - tail)
        .filter(|&at| sought.contains(new[at]))
        .collect();
    let sought: HashSet<&[u8]> = new_middle.iter().map(|&at| new[at]).collect();
    let old_middle: Vec<usize> = (head..old.len() - tail)
        .filter(|&at| sought.contains(old[at]))
        .collect();
    if old_middle.len().saturating_mul(new_middle.len()) > LARGE {
        return kept;
    }
    let texts = |lines: &[&'_ [u8]], middle: &[usize]| {
        middle
            .iter()
            .map(|&at| lines[at].to_vec())
            .collect::<Vec<_>>()
    };
    let old_texts = texts(old, &old_middle);
    let new_texts = texts(new, &new_middle);
    for op in similar::capture_diff_slices(similar::Algorithm::Myers, &old_texts, &new_texts) {
        if let similar::DiffOp::Equal {
            old_index,
            new_index,
            len,
        } = op
        {
            for nth in 0..len {
                kept[new_middle[new_index + nth]] = Some(old_middle[old_index + nth]);
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_lines_are_told() {
        for (old, new, want) in [
            ("a b c", "a x c", &[Some(0), None, Some(2)][..]),
            ("a b c", "b", &[Some(1)]),
            ("a", "a a", &[Some(0), None]),
            (
                "a b c d",
                "x b y d z",
                &[None, Some(1), None, Some(3), None],
            ),
            ("", "a", &[None]),
            ("a", "", &[]),
        ] {
            let words = |text: &'static str| {
                text.split_ascii_whitespace()
                    .map(str::as_bytes)
                    .collect::<Vec<_>>()
            };
            assert_eq!(common(&words(old), &words(new)), want, "{old:?} {new:?}");
        }
    }
}
