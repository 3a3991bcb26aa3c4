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

use super::Rules;
use super::growth::Growth;
use super::place::texts;
use super::place_error::{Ambiguity, PlaceError, Places};
use super::warning::{Placing, Quote};
use crate::search::{Document, Fuzz, Loose, Relaxation, Run, Shift};
use crate::text::{LineNo, Lines, Located, Span, Text, same_ends};

/// A file at every level that may be tried.
pub(super) struct FileAtLevels<'f, 'h> {
    lines: Lines<'f>,
    wanted: Vec<Vec<&'h [u8]>>,
    up_to: Fuzz,
    made: [OnceCell<FileAtLevel>; Fuzz::LEVELS.len()],
}

impl<'f, 'h> FileAtLevels<'f, 'h> {
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
    pub(super) fn iter(&self) -> impl Iterator<Item = &FileAtLevel> {
        let allowed = Fuzz::LEVELS
            .into_iter()
            .zip(&self.made)
            .filter(|(level, _)| *level <= self.up_to);
        allowed.map(|(level, made)| {
            made.get_or_init(|| FileAtLevel::new(level, &self.lines, &self.wanted))
        })
    }
}

/// A file with its lines in the forms that they have at a level.
pub(super) struct FileAtLevel {
    level: Fuzz,
    forms: Document,
}

impl FileAtLevel {
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

    pub(super) fn level(&self) -> Fuzz {
        self.level
    }

    /// Makes the error that several places match at this level.
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
        blocks: &[Block<'_>],
        span: Option<Span>,
        growth: Growth<'_>,
    ) -> Result<Fitted, Located<PlaceError>> {
        let old = blocks.iter().flat_map(|block| &block.old);
        let pairs: Vec<_> = old
            .zip(at..)
            .map(|(text, at)| (text, file.text(at)))
            .collect();
        let lines = self.fitted(file, at, blocks, &pairs, growth);
        let lines = lines.map_err(|error| Located::new(error.span.or(span), error.value))?;
        let differs = pairs.iter().position(|(text, line)| text[..] != **line);
        let differs = differs.unwrap_or(0);
        let warning = Placing::Fuzzy {
            level: self.level,
            at: LineNo::from_index(at),
            line: Quote::new(file, at + differs),
        };
        Ok(Fitted {
            lines,
            warning: Located::new(pairs[differs].0.span.or(span), warning),
        })
    }

    /// Returns the new lines as the file needs them, given the old lines and the file's lines.
    fn fitted(
        &self,
        file: &Lines<'_>,
        at: usize,
        blocks: &[Block<'_>],
        pairs: &[(&Text<'_>, &[u8])],
        growth: Growth<'_>,
    ) -> Result<Vec<Vec<u8>>, Located<PlaceError>> {
        let first = LineNo::from_index(at);
        let mut shift = (self.level < Fuzz::Indent).then(Shift::default);
        let mut lines = Vec::new();
        let mut start = at;
        for Block { old, new } in blocks {
            for (line, kept) in new.iter().zip(common(&texts(old), &texts(new))) {
                if let Some(nth) = kept {
                    lines.push(file.text(start + nth).to_vec());
                    continue;
                }
                let shift = match &mut shift {
                    Some(shift) => shift,
                    none => {
                        let shown = self.shift(at, pairs)?;
                        let count: usize = blocks.iter().map(|block| block.new.len()).sum();
                        if !growth.add(count.saturating_mul(shown.adds())) {
                            return Err(Located::new(line.span, PlaceError::TooDeep { at: first }));
                        }
                        none.insert(shown)
                    }
                };
                let shifted = shift.apply(line).ok_or_else(|| {
                    Located::new(line.span, PlaceError::Unshiftable { at: first })
                })?;
                lines.push(shifted.into_owned());
            }
            start += old.len();
        }
        Ok(lines)
    }

    /// Returns by how much the file is indented otherwise than the old lines, which begin at a line.
    fn shift(&self, at: usize, pairs: &[(&Text<'_>, &[u8])]) -> Result<Shift, Located<PlaceError>> {
        let texts = pairs.iter().map(|(text, line)| (&text[..], *line));
        Shift::shown(texts, self.level).map_err(|nth| {
            let [at, line] = [at, at + nth].map(LineNo::from_index);
            Located::new(pairs[nth].0.span, PlaceError::Indentation { at, line })
        })
    }
}

/// Old lines, and the new lines that take their place.
pub(super) struct Block<'t> {
    pub(super) old: Vec<Text<'t>>,
    pub(super) new: Vec<Text<'t>>,
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
