//! An edit of a file, and what it makes of the matches that are known: matches that it touches go,
//! and around it others are looked for.

use std::iter::Peekable;
use std::ops::Range;
use std::slice;

use super::super::spliced::NewPart;
use super::sought::SoughtTexts;
use super::{Document, near, touching};
use crate::text::Splice;

impl Document {
    /// Returns whether splices put anything else in place of what they take.
    pub(crate) fn differs_by(&self, splices: &[Splice]) -> bool {
        let mut splices = splices.iter();
        splices.any(|Splice { old, new }| *self.slice(old.clone()) != new[..])
    }

    /// Makes the splices of one edit, which are in order.
    pub(crate) fn change(&mut self, splices: &[Splice]) {
        let mut rest = splices.iter().peekable();
        let parts = std::iter::from_fn(|| self.joined(&mut rest));
        let parts: Vec<_> = parts.collect();
        let changed: Vec<_> = new_ranges(splices).collect();
        let mut fresh = self.fresh_around(splices);
        fresh.retain_mut(|(_, found)| {
            let before = splices.partition_point(|splice| splice.old.end < found.start);
            let is_kept = splices
                .get(before)
                .is_none_or(|splice| found.end + 1 < splice.old.start);
            if let Some(last) = before.checked_sub(1) {
                let (now, old) = (changed[last].end, splices[last].old.end);
                *found = found.start + now - old..found.end + now - old;
            }
            is_kept
        });
        self.spliced.put(parts);
        self.now.take();
        fresh.extend(self.look_around(&changed));
        for (number, found) in fresh {
            self.fresh.add(&self.spliced, number, &found);
        }
    }

    /// Takes the matches out that splices may touch, or whose parts they do.
    fn fresh_around(&mut self, splices: &[Splice]) -> Vec<(usize, Range<usize>)> {
        let reach = self.sought().longest + 2;
        let old: Vec<_> = splices.iter().map(|splice| splice.old.clone()).collect();
        let mut taken = Vec::new();
        for old in near(&old, reach) {
            let [first, last] = [&old[0], &old[old.len() - 1]];
            let from = self
                .spliced
                .position(|part| part.end() + reach < first.start);
            let around = self.spliced.iter_from(from);
            for part in around.take_while(|part| part.start <= last.end + reach) {
                taken.extend(self.fresh.take(&part));
            }
        }
        taken
    }

    /// Joins the next splice and what touches it, so that everything is copied once.
    fn joined(&self, splices: &mut Peekable<slice::Iter<'_, Splice>>) -> Option<NewPart> {
        let mut now = splices.peek()?.old.clone();
        let from = self.spliced.position(|part| part.end() < now.start);
        let mut to = from;
        let mut parts = 0;
        let (mut base, mut base_end) = (None, None);
        let mut new = Vec::new();
        // Up to where the file as it is now has been copied.
        let mut copied = None;
        loop {
            let next = self.spliced.get(to);
            if let Some(touched) = next.filter(|part| part.start <= now.end) {
                (to, parts) = (self.spliced.behind(to), parts + 1);
                let old = &touched.splice.old;
                if copied.is_none() && touched.start <= now.start {
                    (now.start, base) = (touched.start, Some(old.start));
                }
                if touched.end() >= now.end {
                    (now.end, base_end) = (touched.end(), Some(old.end));
                }
            } else if let Some(Splice { old, new: put }) =
                splices.next_if(|splice| splice.old.start <= now.end)
            {
                let kept = self.parts(copied.unwrap_or(now.start)..old.start);
                kept.for_each(|part| new.extend_from_slice(part));
                new.extend_from_slice(put);
                copied = Some(old.end);
                if old.end > now.end {
                    (now.end, base_end) = (old.end, None);
                }
            } else {
                break;
            }
        }
        let kept = self.parts(copied.unwrap_or(now.start)..now.end);
        kept.for_each(|part| new.extend_from_slice(part));
        let start = base.unwrap_or_else(|| self.in_base(now.start, true));
        let end = base_end.unwrap_or_else(|| self.in_base(now.end, false));
        let line = self.line(now.start);
        Some(NewPart {
            first: from,
            parts,
            splice: Splice {
                old: start..end,
                new,
            },
            start: now.start,
            line,
            gone: (now.len(), self.line(now.end) - line),
        })
    }

    /// Finds the matches that new bytes have brought about: the needle's number, and where it is.
    fn look_around(&mut self, changed: &[Range<usize>]) -> Vec<(usize, Range<usize>)> {
        let SoughtTexts {
            many: Some(many),
            longest,
            ..
        } = self.sought()
        else {
            return Vec::new();
        };
        let mut fresh = Vec::new();
        let mut hard = Vec::new();
        for changed in near(changed, *longest) {
            let (bytes, view) = self.around(changed, *longest);
            // What would take too long is found when it is wanted.
            hard.extend(many.scan(view.text(&bytes), |number, at| {
                let range = touching(changed, view.original(many.needles()[number].range(at)));
                fresh.extend(range.map(|range| (number, range)));
            }));
        }
        if let Some(sought) = self.sought.get_mut() {
            hard.into_iter()
                .for_each(|number| sought.places[number] = None);
        }
        fresh
    }
}

/// Returns where the new bytes of splices, which are in order, are once all are made.
fn new_ranges(splices: &[Splice]) -> impl Iterator<Item = Range<usize>> {
    let (mut gone, mut come) = (0, 0);
    splices.iter().map(move |Splice { old, new }| {
        let start = old.start + come - gone;
        (gone, come) = (gone + old.len(), come + new.len());
        start..start + new.len()
    })
}
