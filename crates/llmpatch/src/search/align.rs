//! Two runs of lines side by side: which lines agree, and where the first doesn't.

use super::plain::alike;
use crate::text::Lines;

/// What the first and the last line of a run stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// Whole lines.
    Whole,
    /// The end of one line and the beginning of another; a single one for any part of a line.
    Part,
}

/// A place of a file and how it compares with the lines that were sought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Alignment {
    /// The index, from 0, of its first line.
    pub(crate) start: usize,
    /// The index behind its last line.
    pub(crate) end: usize,
    /// How many of the sought lines are there as they were written.
    pub(crate) agree: usize,
    /// How many of these say more than a brace or a blank line does.
    pub(crate) telling: usize,
    /// How alike the whole is, in percent.
    pub(crate) alike: u8,
    /// The first line that isn't as it was written; `None` if all are.
    pub(crate) gap: Option<Gap>,
}

/// The first line that isn't as it was written: which of the sought lines, and which line of the
/// file, both from 0.
#[allow(missing_docs, reason = "the text above each says what the fields are")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    /// The file has another line; `alike` says how much of it is alike, in percent.
    Other {
        wanted: usize,
        line: usize,
        alike: u8,
    },
    /// The file has `count` lines that weren't sought, from `line` on. The sought line is behind
    /// them.
    LeftOut {
        wanted: usize,
        line: usize,
        count: usize,
    },
    /// The file doesn't have `count` of the sought lines, from `wanted` on. `line` is the line
    /// before which they should be.
    Invented {
        wanted: usize,
        line: usize,
        count: usize,
    },
}

impl Alignment {
    /// Returns the file's line that the first difference is about, from 0; the first line of the
    /// place if nothing differs.
    pub(crate) fn line(&self) -> usize {
        self.gap().line()
    }

    /// Returns how the first line that isn't as it was written differs.
    pub(crate) fn gap(&self) -> Gap {
        self.gap.unwrap_or(Gap::Other {
            wanted: 0,
            line: self.start,
            alike: 100,
        })
    }
}

impl Gap {
    /// Returns the sought line that it is about, from 0.
    pub(crate) fn wanted(self) -> usize {
        let (Gap::Other { wanted, .. }
        | Gap::LeftOut { wanted, .. }
        | Gap::Invented { wanted, .. }) = self;
        wanted
    }

    /// Returns the file's line that the difference is about, from 0; the line behind the last line
    /// where the file ends too early.
    pub(crate) fn line(self) -> usize {
        let (Gap::Other { line, .. } | Gap::LeftOut { line, .. } | Gap::Invented { line, .. }) =
            self;
        line
    }
}

/// How many lines may be left out, or be too many, in one go.
const REACH: usize = 6;
/// How many pairs of lines that differ are compared to say how alike the whole is.
const COMPARED: usize = 32;
/// How alike, in percent, two lines must be at least to be versions of one line.
pub(super) const KIN: u8 = 40;

/// Lays sought lines beside a file's, from line `start` on. Costs a few dozen comparisons a line at
/// most.
pub(crate) fn align(lines: &Lines<'_>, wanted: &[&[u8]], start: usize, ends: Ends) -> Alignment {
    let mut walk = LineWalk::new(lines, wanted, start, ends);
    let mut i = 0;
    let mut j = start;
    while i < wanted.len() && j < lines.len() {
        if walk.same(i, j) {
            walk.agreed(i);
            (i, j) = (i + 1, j + 1);
            continue;
        }
        let (a, mut b) = walk.skip(i, j);
        // Before the first line nothing is left out: the place begins later.
        if i == 0 && b > a {
            j += b - a;
            b = a;
            walk.near.start = j;
            if a == 0 {
                continue;
            }
        }
        walk.differ(i, j, a, b);
        (i, j) = (i + a, j + b);
    }
    if i < wanted.len() {
        walk.near.gap.get_or_insert(Gap::Invented {
            wanted: i,
            line: j,
            count: wanted.len() - i,
        });
    }
    let most: usize = wanted.iter().map(|line| weight(line)).sum();
    Alignment {
        end: j,
        alike: (walk.sum / most.max(1)).min(100) as u8,
        ..walk.near
    }
}

/// Lays sought lines beside as many of a file's, which are the same at a level of fuzz.
pub(crate) fn beside(lines: &Lines<'_>, wanted: &[&[u8]], start: usize, ends: Ends) -> Alignment {
    let mut walk = LineWalk::new(lines, wanted, start, ends);
    for (nth, line) in (start..start + wanted.len()).enumerate() {
        if walk.same(nth, line) {
            walk.agreed(nth);
        } else {
            walk.near.gap.get_or_insert(Gap::Other {
                wanted: nth,
                line,
                alike: 100,
            });
        }
    }
    Alignment {
        end: start + wanted.len(),
        alike: 100,
        ..walk.near
    }
}

struct LineWalk<'w, 'f> {
    lines: &'w Lines<'f>,
    wanted: &'w [&'w [u8]],
    ends: Ends,
    near: Alignment,
    /// Percents, by the weight of their lines.
    sum: usize,
    compared: usize,
    compared_sum: usize,
}

impl<'w, 'f> LineWalk<'w, 'f> {
    fn new(lines: &'w Lines<'f>, wanted: &'w [&'w [u8]], start: usize, ends: Ends) -> Self {
        Self {
            lines,
            wanted,
            ends,
            near: Alignment {
                start,
                end: start,
                agree: 0,
                telling: 0,
                alike: 0,
                gap: None,
            },
            sum: 0,
            compared: 0,
            compared_sum: 0,
        }
    }

    fn is_part(&self, i: usize) -> bool {
        self.ends == Ends::Part && (i == 0 || i + 1 == self.wanted.len())
    }

    fn same(&self, i: usize, j: usize) -> bool {
        let wanted = self.wanted[i];
        let line = self.lines.text(j);
        match (self.is_part(i), i == 0, i + 1 == self.wanted.len()) {
            (false, ..) => wanted == line,
            (_, true, true) => memchr::memmem::find(line, wanted).is_some(),
            (_, true, _) => line.ends_with(wanted),
            _ => line.starts_with(wanted),
        }
    }

    fn agreed(&mut self, i: usize) {
        self.near.agree += 1;
        self.near.telling += usize::from(is_telling(self.wanted[i]));
        self.sum += 100 * weight(self.wanted[i]);
    }

    /// Returns how many sought lines and how many of the file to step over until both agree again;
    /// one of each if they don't soon.
    fn skip(&self, i: usize, j: usize) -> (usize, usize) {
        for total in 1..=2 * REACH {
            for a in total.saturating_sub(REACH)..=total.min(REACH) {
                let next = i + a;
                let line = j + total - a;
                if next >= self.wanted.len() || line >= self.lines.len() || !self.same(next, line) {
                    continue;
                }
                // Braces and blank lines agree by chance.
                let follows = next + 1 < self.wanted.len()
                    && line + 1 < self.lines.len()
                    && self.same(next + 1, line + 1);
                if is_telling(self.wanted[next]) || follows || 2 * a == total {
                    return (a, total - a);
                }
            }
        }
        (1, 1)
    }

    /// Records that `a` sought lines from `i` on differ from `b` of the file from `j` on.
    fn differ(&mut self, i: usize, j: usize, a: usize, b: usize) {
        let mut first = None;
        for nth in 0..a.min(b) {
            let alike = if self.compared < COMPARED {
                let (wanted, line) = (self.wanted[i + nth], self.lines.text(j + nth));
                let alike = alike(wanted, line, self.is_part(i + nth));
                self.compared += 1;
                self.compared_sum += usize::from(alike);
                alike
            } else {
                // Of the many others it is taken that they are like these.
                (self.compared_sum / COMPARED) as u8
            };
            first.get_or_insert(alike);
            self.sum += usize::from(alike) * weight(self.wanted[i + nth]);
        }
        let gap = match first {
            Some(alike) if a == b || alike >= KIN => Gap::Other {
                wanted: i,
                line: j,
                alike,
            },
            _ if b > a => Gap::LeftOut {
                wanted: i,
                line: j,
                count: b - a,
            },
            _ => Gap::Invented {
                wanted: i,
                line: j,
                count: a - b,
            },
        };
        self.near.gap.get_or_insert(gap);
        self.sum = self.sum.saturating_sub(10 * a.abs_diff(b));
    }
}

const TELLING: usize = 5;

/// Returns how much it says that a line is there.
fn weight(line: &[u8]) -> usize {
    if is_telling(line) { TELLING } else { 1 }
}

/// Returns whether lines are versions of one another.
pub(crate) fn is_version(a: &[u8], b: &[u8]) -> bool {
    alike(a, b, false) >= KIN
}

/// Returns whether a line says more than a brace or a blank line does.
pub(crate) fn is_telling(line: &[u8]) -> bool {
    line.iter()
        .filter(|byte| !byte.is_ascii_whitespace())
        .take(4)
        .count()
        > 3
}
