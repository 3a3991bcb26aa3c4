//! What has taken the place of parts of a file, in order.
//!
//! A hundred thousand edits may come in any order, and each moves all that is behind it. So the
//! parts are kept some hundreds together, and what is moved is the place of each such group.

use crate::text::Splice;

/// A part of the base that something has taken the place of, and where that is now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spliced<'s> {
    pub(super) splice: &'s Splice,
    /// The offset of the new bytes.
    pub(super) start: usize,
    /// The index of the line in which they begin.
    pub(super) line: usize,
    /// Where the newlines are in them.
    pub(super) newlines: &'s [usize],
}

impl Spliced<'_> {
    /// Returns the index of the line of an offset that is in the new bytes, or at their end.
    pub(super) fn line_of(&self, at: usize) -> usize {
        self.line
            + self
                .newlines
                .partition_point(|newline| self.start + newline < at)
    }

    pub(super) fn end(&self) -> usize {
        self.start + self.splice.new.len()
    }

    /// Returns the offset in the base of one that is now behind the new bytes, with nothing between
    /// that was changed.
    pub(super) fn in_base(&self, at: usize) -> usize {
        self.splice.old.end + (at - self.end())
    }

    /// Returns where an offset of the base is now that is behind what goes, with nothing between
    /// that was changed.
    pub(super) fn now(&self, at: usize) -> usize {
        self.end() + (at - self.splice.old.end)
    }
}

/// All parts, in order; none touches another.
#[derive(Debug, Default)]
pub(super) struct SplicedParts {
    groups: Vec<PartGroup>,
}

/// How many parts a group has at most.
const MOST: usize = if cfg!(test) { 2 } else { 128 };

/// Parts in a row, at least one, and by how much all are moved.
#[derive(Debug, Default)]
struct PartGroup {
    parts: Vec<SplicedPart>,
    bytes: isize,
    lines: isize,
}

#[derive(Debug)]
struct SplicedPart {
    splice: Splice,
    start: isize,
    line: isize,
    newlines: Vec<usize>,
}

/// Which part: its group, and its number there; or what is behind the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Nth(usize, usize);

/// Something that comes in the place of parts and of what is between them.
pub(super) struct NewPart {
    /// The first of the parts, and how many there are.
    pub(super) first: Nth,
    pub(super) parts: usize,
    pub(super) splice: Splice,
    /// Where it begins: the offset and the line.
    pub(super) start: usize,
    pub(super) line: usize,
    /// How many bytes and newlines it takes the place of.
    pub(super) gone: (usize, usize),
}

impl PartGroup {
    fn get(&self, nth: usize) -> Option<Spliced<'_>> {
        self.parts.get(nth).map(|part| Spliced {
            splice: &part.splice,
            start: (part.start + self.bytes) as usize,
            line: (part.line + self.lines) as usize,
            newlines: &part.newlines,
        })
    }
}

impl SplicedParts {
    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Returns the first part for which something doesn't hold; it holds for none behind that.
    pub(super) fn position(&self, holds: impl Fn(&Spliced<'_>) -> bool) -> Nth {
        let begins = |group: &PartGroup| group.get(0).is_none_or(|first| holds(&first));
        let groups = self.groups.partition_point(begins);
        let Some(last) = groups.checked_sub(1) else {
            return Nth(0, 0);
        };
        let group = &self.groups[last];
        let (mut low, mut high) = (0, group.parts.len());
        while low < high {
            let middle = low.midpoint(high);
            if group.get(middle).is_some_and(|part| holds(&part)) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        self.settled(Nth(last, low))
    }

    /// Names what is behind the last part of a group as the first of the next, if there is one.
    fn settled(&self, Nth(group, nth): Nth) -> Nth {
        let is_last = group + 1 >= self.groups.len();
        if is_last || nth < self.groups[group].parts.len() {
            Nth(group, nth)
        } else {
            Nth(group + 1, 0)
        }
    }

    pub(super) fn get(&self, Nth(group, nth): Nth) -> Option<Spliced<'_>> {
        self.groups.get(group)?.get(nth)
    }

    /// Returns the part that takes the place of what begins at an offset of the base.
    pub(super) fn named(&self, base: usize) -> Option<Spliced<'_>> {
        self.get(self.position(|part| part.splice.old.start < base))
    }

    /// Returns the part before one.
    pub(super) fn before(&self, Nth(group, nth): Nth) -> Option<Spliced<'_>> {
        match nth.checked_sub(1) {
            Some(before) => self.groups.get(group)?.get(before),
            None => {
                let group = self.groups.get(group.checked_sub(1)?)?;
                group.get(group.parts.len().checked_sub(1)?)
            }
        }
    }

    pub(super) fn last(&self) -> Option<Spliced<'_>> {
        self.before(Nth(self.groups.len(), 0))
    }

    /// Returns what is behind a part.
    pub(super) fn behind(&self, Nth(group, nth): Nth) -> Nth {
        self.settled(Nth(group, nth + 1))
    }

    /// Returns the parts from one on.
    pub(super) fn iter_from(&self, mut at: Nth) -> impl Iterator<Item = Spliced<'_>> {
        std::iter::from_fn(move || {
            let part = self.get(at)?;
            at = self.behind(at);
            Some(part)
        })
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Spliced<'_>> {
        self.iter_from(Nth(0, 0))
    }

    /// Puts new parts, which are in order, in the place of others. All of them are told as things
    /// are before that.
    pub(super) fn put(&mut self, new: Vec<NewPart>) {
        let Some(Nth(first, _)) = new.first().map(|new| new.first) else {
            return;
        };
        let mut new = new.into_iter().peekable();
        let mut moved = Moved::default();
        // How many of the parts that come next are gone.
        let mut gone = 0;
        let mut behind = self.groups.split_off(first.min(self.groups.len()));
        if behind.is_empty() {
            behind.push(PartGroup::default());
        }
        for (at, mut group) in (first..).zip(behind) {
            if gone == 0 && new.peek().is_none_or(|new| new.first.0 != at) {
                (group.bytes, group.lines) = (group.bytes + moved.bytes, group.lines + moved.lines);
                self.groups.push(group);
                continue;
            }
            let old = std::mem::take(&mut group.parts);
            let mut parts = Vec::with_capacity(old.len() + 1);
            for (nth, mut part) in old.into_iter().enumerate() {
                while let Some(new) = new.next_if(|new| new.first == Nth(at, nth)) {
                    gone = new.parts;
                    parts.push(moved.by(new, &group));
                }
                if gone > 0 {
                    gone -= 1;
                    continue;
                }
                (part.start, part.line) = (part.start + moved.bytes, part.line + moved.lines);
                parts.push(part);
            }
            while let Some(new) = new.next_if(|new| new.first.0 == at) {
                parts.push(moved.by(new, &group));
            }
            self.regroup(parts, &group);
        }
    }

    /// Adds parts that are moved as a group is, as many groups.
    fn regroup(&mut self, parts: Vec<SplicedPart>, &PartGroup { bytes, lines, .. }: &PartGroup) {
        let each = if parts.len() > MOST { MOST / 2 } else { MOST };
        let mut rest = parts.into_iter();
        loop {
            let parts: Vec<_> = rest.by_ref().take(each).collect();
            if parts.is_empty() {
                return;
            }
            self.groups.push(PartGroup {
                parts,
                bytes,
                lines,
            });
        }
    }
}

/// By how much new parts have moved what is behind them.
#[derive(Default)]
struct Moved {
    bytes: isize,
    lines: isize,
}

impl Moved {
    /// Makes a part of a new one, for a group, and moves what is behind it.
    fn by(&mut self, new: NewPart, group: &PartGroup) -> SplicedPart {
        let newlines: Vec<_> = memchr::memchr_iter(b'\n', &new.splice.new).collect();
        let (bytes, lines) = new.gone;
        let part = SplicedPart {
            start: new.start as isize + self.bytes - group.bytes,
            line: new.line as isize + self.lines - group.lines,
            splice: new.splice,
            newlines,
        };
        self.bytes += part.splice.new.len() as isize - bytes as isize;
        self.lines += part.newlines.len() as isize - lines as isize;
        part
    }
}
