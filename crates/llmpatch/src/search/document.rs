//! A file that edits change one after the other: each edit is looked for in the file as the edits
//! before left it.

mod change;
mod content;
mod sought;

use std::borrow::Cow;
use std::cell::{Cell, LazyCell, OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use std::slice;

use self::sought::SoughtTexts;
use super::Run;
use super::fresh::Fresh;
use super::matches::{Matches, Sites};
use super::needle::Needle;
use super::spliced::SplicedParts;
use super::view::View;
use crate::text::{Content, Lines, Starts};
use crate::threads;

/// A file in the middle of a response: its content when it was read, the splices of the edits so
/// far, and the places of the texts that later edits look for. The file is read once, however many
/// edits there are; after each edit, only the bytes around it are read.
pub(crate) struct Document {
    base: Content,
    starts: Starts,
    pub(super) view: View,
    sought: OnceCell<SoughtTexts>,
    /// The announced needles, until the file is searched for them.
    needles: Cell<Vec<Needle>>,
    /// The parts of the base that edits have replaced, by offset.
    pub(super) spliced: SplicedParts,
    /// The matches that edits have made.
    pub(super) fresh: Fresh,
    /// The places in the base of needles that weren't announced, as far as they were looked for.
    known: RefCell<HashMap<Needle, Rc<Sites>>>,
    /// The whole file as it is now, once it is asked for.
    now: OnceCell<(Content, Starts)>,
}

/// A file of up to this many bytes is sooner read once more than the places in it are recorded, if
/// only a few texts are looked for there.
const SOON_READ: usize = if cfg!(test) { 1 } else { 1 << 14 };

impl Document {
    /// Reads a file with an eye to the texts that edits will look for.
    pub(crate) fn new(base: Content, needles: impl IntoIterator<Item = Needle>) -> Self {
        let bom = Lines::bom_len(&base);
        let bytes = &base[bom..];
        let (starts, (view, sought)) = threads::beside(
            base.len(),
            || base.lines().starts(),
            || {
                let view = View::new(bytes, bom);
                let sought = SoughtTexts::of_edits(view.text(bytes), needles);
                (view, sought)
            },
        );
        Self::with(base, starts, view, sought.into())
    }

    /// Opens a file like [`Document::new`], where most texts are where they are expected
    /// ([`Run::contains`]): they are looked for once a text is asked for that may be anywhere.
    pub(crate) fn lazily(base: Content, needles: Vec<Needle>) -> Self {
        let bom = Lines::bom_len(&base);
        let starts = base.lines().starts();
        let view = View::new(&base[bom..], bom);
        Self {
            needles: Cell::new(needles),
            ..Self::with(base, starts, view, OnceCell::new())
        }
    }

    /// Reads the lines of a file with an eye to these runs of them, compared by their text without
    /// terminators: [`Document::run`] finds these. Others are found too, each for the price of
    /// reading the file again.
    pub(crate) fn of_lines<R: IntoIterator<Item = impl AsRef<[u8]>>>(
        lines: &Lines<'_>,
        runs: impl IntoIterator<Item = R>,
    ) -> Self {
        Self::of_texts(
            lines.bytes().len() + 1,
            lines.iter().map(|line| line.text),
            runs,
        )
    }

    /// Opens a file like [`Document::new`], with lines that are made of a file's lines; `size` is
    /// about the size of the texts together.
    pub(crate) fn of_texts<R: IntoIterator<Item = impl AsRef<[u8]>>>(
        size: usize,
        texts: impl IntoIterator<Item = impl AsRef<[u8]>>,
        runs: impl IntoIterator<Item = R>,
    ) -> Self {
        let mut text = Vec::with_capacity(size);
        for line in texts {
            text.extend_from_slice(line.as_ref());
            text.push(b'\n');
        }
        let base = Content::from(text);
        let starts = Lines::within(&base).starts();
        let sought = SoughtTexts::new(&base, runs.into_iter().map(Needle::lines));
        Self::with(base, starts, View::default(), sought.into())
    }

    fn with(base: Content, starts: Starts, view: View, sought: OnceCell<SoughtTexts>) -> Self {
        let (needles, spliced, fresh, known, now) = Default::default();
        Self {
            base,
            starts,
            view,
            sought,
            needles,
            spliced,
            fresh,
            known,
            now,
        }
    }

    /// Returns the base as it is compared.
    fn view_text(&self) -> &[u8] {
        self.view.text(&self.base[self.starts[0]..])
    }

    /// Returns whether it was searched for the texts that were announced.
    pub(crate) fn was_searched(&self) -> bool {
        self.sought.get().is_some()
    }

    fn sought(&self) -> &SoughtTexts {
        self.sought
            .get_or_init(|| SoughtTexts::of_edits(self.view_text(), self.needles.take()))
    }

    /// Returns all matches of a needle, as the file is now.
    pub(crate) fn matches(&self, needle: &Needle) -> Matches<'_> {
        let (number, sites, fresh) = match self.sought().announced(needle) {
            Some((number, sites)) => (Some(number), sites, Vec::new()),
            None => (None, self.sites(needle), self.fresh_of(needle)),
        };
        Matches {
            document: self,
            sites,
            len: needle.matched().len(),
            number,
            fresh,
        }
    }

    /// Returns the places in the base of a needle that wasn't announced.
    fn sites(&self, needle: &Needle) -> Rc<Sites> {
        let read = || Sites::new(needle.places(&needle.finder(), self.view_text()));
        let is_kept = self.sought().are_several() || self.base.len() > SOON_READ;
        if !is_kept {
            return read();
        }
        let mut known = self.known.borrow_mut();
        Rc::clone(known.entry(needle.clone()).or_insert_with(read))
    }

    /// Returns the matches that edits have brought about of a needle that wasn't announced.
    fn fresh_of(&self, needle: &Needle) -> Vec<Range<usize>> {
        let changed: Vec<_> = self
            .spliced
            .iter()
            .map(|spliced| spliced.start..spliced.end())
            .collect();
        let reach = needle.longest();
        let finder = LazyCell::new(|| needle.finder());
        let mut fresh = Vec::new();
        for changed in near(&changed, reach) {
            let (bytes, view) = self.around(changed, reach);
            let found = needle.places(&finder, view.text(&bytes));
            let ranges = found.iter().map(|at| view.original(needle.range(at)));
            fresh.extend(ranges.filter_map(|range| touching(changed, range)));
        }
        fresh.sort_by_key(|range| (range.start, range.end));
        fresh.dedup();
        fresh
    }

    /// Returns whether a text was found together with others, so that its matches are at hand.
    pub(crate) fn knows(&self, needle: &Needle) -> bool {
        self.sought().announced(needle).is_some()
    }

    /// Returns all places of a run of lines, which are compared by their text without terminators.
    /// An empty run is nowhere.
    pub(crate) fn run(&self, lines: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Run<'_> {
        let mut len = 0;
        let needle = Needle::lines(lines.into_iter().inspect(|_| len += 1));
        Run {
            document: self,
            len,
            needle,
            matches: OnceCell::new(),
        }
    }

    /// Returns whether a match begins at an offset, as the file is now.
    pub(super) fn is_at(&self, needle: &Needle, at: usize) -> bool {
        let (bytes, view) = self.around(slice::from_ref(&(at..at)), needle.longest());
        needle.is_at(view.text(&bytes), view.first_at(at))
    }

    /// Returns what is around changed ranges, as far as a match may reach that touches one.
    fn around(&self, changed: &[Range<usize>], reach: usize) -> (Cow<'_, [u8]>, View) {
        let first = changed.first().map_or(0, |first| first.start);
        let last = changed.last().map_or(0, |last| last.end);
        let start = first.saturating_sub(reach + 2).max(self.bom());
        let end = (last + reach + 2).min(self.len()).max(start);
        let bytes = self.slice(start..end);
        let view = View::new(&bytes, start);
        (bytes, view)
    }
}

/// Joins changed ranges that a match may touch together, so that the bytes between are read once.
fn near(changed: &[Range<usize>], reach: usize) -> impl Iterator<Item = &[Range<usize>]> {
    changed.chunk_by(move |one, next| next.start - one.end <= 2 * reach + 4)
}

/// Returns a match if it touches what has changed, or has only a CR between.
fn touching(changed: &[Range<usize>], found: Range<usize>) -> Option<Range<usize>> {
    let before = changed.partition_point(|changed| changed.end < found.start);
    let next = changed.get(before)?;
    (found.end + 1 >= next.start).then_some(found)
}

#[cfg(test)]
mod tests;
