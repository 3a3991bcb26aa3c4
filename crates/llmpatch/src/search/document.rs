//! A file that edits change one after the other: each edit is looked for in the file as the edits
//! before left it.

use std::borrow::Cow;
use std::cell::{Cell, LazyCell, OnceCell, RefCell};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::iter::Peekable;
use std::ops::Range;
use std::rc::Rc;
use std::slice;

use super::Run;
use super::fresh::Fresh;
use super::many::Many;
use super::matches::{Matches, Sites};
use super::needle::Needle;
use super::spliced::{NewPart, Nth, Spliced, SplicedParts};
use super::view::View;
use crate::text::{Content, Ending, Lines, Splice, Starts};
use crate::threads;

/// A file in the middle of a response: its content when it was read, the splices of the edits so
/// far, and the places of the texts that later edits look for. The file is read once, however many
/// edits there are; after each edit, only the bytes around it are read.
pub(crate) struct Document {
    base: Content,
    starts: Starts,
    pub(super) view: View,
    sought: OnceCell<SoughtTexts>,
    /// The texts to look for, until that is done.
    needles: Cell<Vec<Needle>>,
    /// What has taken the place of what, by offset.
    pub(super) spliced: SplicedParts,
    /// Matches that weren't in the base.
    pub(super) fresh: Fresh,
    /// Where other texts are in the base that were looked for.
    known: RefCell<HashMap<Needle, Rc<Sites>>>,
    /// What the file is now in one piece, once somebody wants that.
    now: OnceCell<(Content, Starts)>,
}

/// What edits look for in a file.
struct SoughtTexts {
    /// All of it, if that is several texts.
    many: Option<Many>,
    /// The places of each needle in the base, as offsets of the view; `None` for a needle that is
    /// looked for when it is wanted.
    places: Vec<Option<Rc<Sites>>>,
    /// The most bytes that a match of any needle can have in the file.
    longest: usize,
}

impl SoughtTexts {
    /// Finds texts in one.
    fn new(text: &[u8], needles: impl IntoIterator<Item = Needle>) -> Self {
        let needles: Vec<_> = needles.into_iter().collect();
        let is_worth_it = text.len().saturating_mul(needles.len()) > SMALL;
        let many = if is_worth_it {
            Many::new(text, needles)
        } else {
            None
        };
        let places = many
            .as_ref()
            .map(|many| many.places(text))
            .unwrap_or_default();
        let places = places
            .into_iter()
            .map(|places| places.map(Sites::new))
            .collect();
        let longest = many
            .iter()
            .flat_map(Many::needles)
            .map(Needle::longest)
            .max()
            .unwrap_or(0);
        Self {
            many,
            places,
            longest,
        }
    }

    /// Does the same for a file that edits will change. It drops the needles that are sooner looked
    /// for one by one: around each edit, as much is read as the longest of the others may reach.
    fn of_edits(text: &[u8], needles: impl IntoIterator<Item = Needle>) -> Self {
        let mut needles: Vec<_> = needles.into_iter().collect();
        let mut lengths: Vec<_> = needles.iter().map(Needle::longest).collect();
        lengths.sort_unstable_by_key(|len| Reverse(*len));
        let work = |dropped: &usize| {
            let around = lengths[*dropped].saturating_mul(lengths.len());
            around.saturating_add(text.len().saturating_mul(*dropped))
        };
        if let Some(dropped) = (0..lengths.len()).min_by_key(work) {
            needles.retain(|needle| needle.longest() <= lengths[dropped]);
        }
        Self::new(text, needles)
    }
}

/// Up to this many bytes of the file for each needle, needles are found sooner one by one.
const SMALL: usize = if cfg!(test) { 0 } else { 1 << 16 };

/// A file of up to this many bytes is sooner read once more than the places in it are recorded, if
/// only a few texts are looked for there.
const SOON_READ: usize = if cfg!(test) { 0 } else { 1 << 13 };

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

    /// Returns what the file was.
    pub(crate) fn base(&self) -> &Content {
        &self.base
    }

    /// Returns the lines of what the file was.
    pub(crate) fn base_lines(&self) -> Lines<'_> {
        Lines::with(&self.base, self.starts.clone())
    }

    /// Returns what the file is now.
    pub(crate) fn content(&self) -> Content {
        if self.is_untouched() {
            return self.base.clone();
        }
        Content::spliced(
            self.base.clone(),
            self.spliced
                .iter()
                .map(|spliced| spliced.splice.clone())
                .collect(),
        )
    }

    /// Returns how many bytes the file has now.
    pub(crate) fn len(&self) -> usize {
        self.spliced
            .last()
            .map_or(self.base.len(), |last| last.now(self.base.len()))
    }

    /// Returns whether the file is empty now.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether no edit has changed anything yet.
    pub(crate) fn is_untouched(&self) -> bool {
        self.spliced.is_empty()
    }

    /// Returns the lines of what the file is now.
    pub(crate) fn lines(&self) -> Lines<'_> {
        if self.is_untouched() {
            return self.base_lines();
        }
        let (content, starts) = self.now.get_or_init(|| {
            let content = self.content();
            let starts = Lines::new(&content).starts();
            (content, starts)
        });
        Lines::with(content, starts.clone())
    }

    /// Returns all matches of a needle, as the file is now.
    pub(crate) fn matches(&self, needle: &Needle) -> Matches<'_> {
        let SoughtTexts { many, places, .. } = self.sought();
        let number = many.as_ref().and_then(|many| many.number(needle));
        let announced = number.and_then(|number| Some((number, places[number].clone()?)));
        let (number, places, mut fresh): (_, _, Vec<Range<usize>>) = match announced {
            Some((number, places)) => (Some(number), places, Vec::new()),
            None => {
                let finder = LazyCell::new(|| needle.finder());
                let places = || Sites::new(needle.places(&finder, self.view_text()));
                let places = match many.is_some() || self.base.len() > SOON_READ {
                    true => Rc::clone(
                        self.known
                            .borrow_mut()
                            .entry(needle.clone())
                            .or_insert_with(places),
                    ),
                    false => places(),
                };
                let changed: Vec<_> = self
                    .spliced
                    .iter()
                    .map(|spliced| spliced.start..spliced.end())
                    .collect();
                let reach = needle.longest();
                let around = |changed: &[Range<usize>]| {
                    let (bytes, view) = self.around(changed, reach);
                    let found = needle.places(&finder, view.text(&bytes));
                    let found = found
                        .iter()
                        .filter_map(|at| touching(changed, view.original(needle.range(at))));
                    found.collect::<Vec<_>>()
                };
                (
                    None,
                    places,
                    near(&changed, reach).flat_map(around).collect(),
                )
            }
        };
        fresh.sort_by_key(|range| (range.start, range.end));
        fresh.dedup();
        Matches {
            document: self,
            sites: places,
            len: needle.matched().len(),
            number,
            fresh,
        }
    }

    /// Returns whether a text was found together with others, so that its matches are at hand.
    pub(crate) fn knows(&self, needle: &Needle) -> bool {
        let SoughtTexts { many, places, .. } = self.sought();
        let number = many.as_ref().and_then(|many| many.number(needle));
        number.is_some_and(|number| places[number].is_some())
    }

    /// Returns all places of a run of lines, which are compared by their text without terminators.
    /// An empty run is nowhere.
    pub(crate) fn run(&self, lines: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Run<'_> {
        Run {
            document: self,
            needle: Needle::lines(lines),
            matches: OnceCell::new(),
        }
    }

    /// Returns whether a match begins at an offset, as the file is now.
    pub(super) fn is_at(&self, needle: &Needle, at: usize) -> bool {
        let (bytes, view) = self.around(slice::from_ref(&(at..at)), needle.longest());
        needle.is_at(view.text(&bytes), view.first_at(at))
    }

    /// Returns what would put back what splices are about to change, in the file as they leave it.
    pub(crate) fn taken_by(&self, splices: &[Splice]) -> Vec<Splice> {
        let (mut gone, mut come) = (0, 0);
        let back = splices.iter().filter_map(|Splice { old, new }| {
            let start = old.start + come - gone;
            (gone, come) = (gone + old.len(), come + new.len());
            let taken = self.slice(old.clone());
            (*taken != new[..]).then(|| Splice {
                old: start..start + new.len(),
                new: taken.into_owned(),
            })
        });
        back.collect()
    }

    /// Makes the splices of one edit, which are in order.
    pub(crate) fn change(&mut self, splices: &[Splice]) {
        let mut rest = splices.iter().peekable();
        let parts = std::iter::from_fn(|| self.joined(&mut rest));
        let parts: Vec<_> = parts.collect();
        let mut changed = Vec::with_capacity(splices.len());
        let (mut gone, mut come) = (0, 0);
        let mut moved = Vec::with_capacity(splices.len() + 1);
        moved.push((0, 0));
        for Splice { old, new } in splices {
            let start = old.start + come - gone;
            changed.push(start..start + new.len());
            (gone, come) = (gone + old.len(), come + new.len());
            moved.push((gone, come));
        }
        let mut fresh = self.fresh_around(splices);
        fresh.retain_mut(|(_, found)| {
            let before = splices.partition_point(|splice| splice.old.end < found.start);
            let (gone, come) = moved[before];
            let is_kept = splices
                .get(before)
                .is_none_or(|splice| found.end + 1 < splice.old.start);
            *found = found.start + come - gone..found.end + come - gone;
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

    /// Returns whether the byte order mark that the file began with is no longer what it begins
    /// with, or others came before it.
    pub(crate) fn has_lost_mark(&self) -> bool {
        let mark = self.starts[0];
        self.spliced
            .iter()
            .next()
            .is_some_and(|first| first.splice.old.start < mark.max(1))
            && (mark > 0 || self.bom() > 0)
    }

    /// Returns the offset in the base that corresponds to `at`. Several do where bytes were
    /// removed: the first of them, or else the last.
    fn in_base(&self, at: usize, first: bool) -> usize {
        let before = self.spliced.position(|spliced| {
            if first {
                spliced.end() < at
            } else {
                spliced.end() <= at
            }
        });
        let before = self.spliced.before(before);
        before.map_or(at, |before| before.in_base(at))
    }

    /// Returns the offset in the base that corresponds to `at`; inside new bytes, the end of the
    /// range that they replace.
    pub(super) fn behind_in_base(&self, at: usize) -> usize {
        let before = self.spliced.before(self.begun(at));
        before.map_or(at, |before| before.in_base(at.max(before.end())))
    }

    /// Returns what begins behind an offset.
    pub(super) fn begun(&self, at: usize) -> Nth {
        self.spliced.position(|part| part.start <= at)
    }

    /// Returns where bytes of the base are now, if nothing touches them, or else what does. What
    /// comes right behind a CR at their end may make it part of a line end, so that touches them as
    /// well.
    pub(super) fn kept(&self, range: &Range<usize>) -> Result<Range<usize>, Spliced<'_>> {
        let before = self
            .spliced
            .position(|spliced| spliced.splice.old.end < range.start);
        if let Some(touched) = self
            .spliced
            .get(before)
            .filter(|spliced| spliced.splice.old.start <= range.end + 1)
        {
            return Err(touched);
        }
        let now = |at: usize| {
            let before = self.spliced.before(before);
            before.map_or(at, |before| before.now(at))
        };
        Ok(now(range.start)..now(range.end))
    }

    /// Returns the bytes of a range, as it is now.
    pub(crate) fn slice(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        let mut parts = self.parts(range);
        match (parts.next(), parts.next()) {
            (None, _) => Cow::Borrowed(&[]),
            (Some(only), None) => Cow::Borrowed(only),
            (Some(first), Some(second)) => {
                Cow::Owned(parts.fold([first, second].concat(), |mut all, part| {
                    all.extend_from_slice(part);
                    all
                }))
            }
        }
    }

    /// Returns the bytes of a range, as it is now, in parts of which none is empty.
    pub(crate) fn parts(&self, range: Range<usize>) -> impl Iterator<Item = &[u8]> {
        let mut at = range.start;
        let mut next = self
            .spliced
            .position(|spliced| spliced.end() <= range.start);
        std::iter::from_fn(move || {
            while at < range.end {
                let following = self.spliced.get(next);
                let begin = at;
                if let Some(spliced) = following.filter(|spliced| spliced.start <= at) {
                    at = spliced.end().min(range.end).max(at);
                    next = self.spliced.behind(next);
                    let part = &spliced.splice.new[begin - spliced.start..at - spliced.start];
                    if part.is_empty() {
                        continue;
                    }
                    return Some(part);
                }
                at = following.map_or(range.end, |spliced| spliced.start.min(range.end));
                let before = self.spliced.before(next);
                let start = before.map_or(begin, |before| before.in_base(begin));
                return Some(&self.base[start..start + (at - begin)]);
            }
            None
        })
    }

    /// Returns the index, from 0, of the line that holds an offset, as it is now.
    pub(crate) fn line(&self, at: usize) -> usize {
        let lines = self.base_lines();
        match self.spliced.before(self.begun(at)) {
            None => lines.newlines_before(at),
            Some(spliced) if at <= spliced.end() => spliced.line_of(at),
            Some(spliced) => {
                let end = spliced.splice.old.end;
                let between =
                    lines.newlines_before(spliced.in_base(at)) - lines.newlines_before(end);
                spliced.line_of(spliced.end()) + between
            }
        }
    }

    /// Returns the offset at which the line begins that holds an offset, as it is now.
    pub(crate) fn line_start(&self, at: usize) -> usize {
        let mut end = at;
        let mut reach = 256;
        while end > 0 {
            let start = end.saturating_sub(reach);
            if let Some(found) = memchr::memrchr(b'\n', &self.slice(start..end)) {
                return start + found + 1;
            }
            (end, reach) = (start, reach * 2);
        }
        0
    }

    /// Returns the offset behind the line that holds an offset, as it is now.
    pub(crate) fn line_end(&self, at: usize) -> usize {
        let mut behind = at;
        for part in self.parts(at..self.len()) {
            if let Some(found) = memchr::memchr(b'\n', part) {
                return behind + found + 1;
            }
            behind += part.len();
        }
        behind
    }

    /// Returns how many lines there are now.
    pub(crate) fn line_count(&self) -> usize {
        let len = self.len();
        let is_open = len > self.bom() && !self.slice(len - 1..len).ends_with(b"\n");
        self.line(len) + usize::from(is_open)
    }

    /// Returns by how many lines the file is longer or shorter than it was.
    pub(crate) fn growth(&self) -> usize {
        match self.is_untouched() {
            true => 0,
            false => self.line_count().abs_diff(self.base_lines().len()),
        }
    }

    /// Returns how long the byte order mark is that the file begins with now.
    pub(crate) fn bom(&self) -> usize {
        if self.is_untouched() {
            return self.starts[0];
        }
        let start = self.slice(0..self.len().min(Lines::BOM.len()));
        if *start == *Lines::BOM {
            start.len()
        } else {
            0
        }
    }

    /// Returns the offset at which a line begins in the changed file, given by its index from 0;
    /// the file's end if it has fewer lines.
    pub(crate) fn start(&self, line: usize) -> usize {
        if line == 0 {
            return self.bom();
        }
        let lines = self.base_lines();
        let in_base = |line: usize| lines.start(line.min(lines.len()));
        let before = self.spliced.position(|spliced| spliced.line < line);
        let Some(spliced) = self.spliced.before(before) else {
            return in_base(line);
        };
        let end = spliced.splice.old.end;
        // At least one newline is between the two.
        let nth = line - spliced.line - 1;
        match spliced.newlines.get(nth) {
            Some(at) => spliced.start + at + 1,
            None => {
                let left = nth + 1 - spliced.newlines.len();
                let there = lines.newlines_before(end).saturating_add(left);
                spliced.now(in_base(there).max(end))
            }
        }
    }

    /// Returns the offset at which a line of what the file was begins now, given by its index from
    /// 0; `None` if it is gone, or was never there.
    pub(crate) fn start_of_base(&self, line: usize) -> Option<usize> {
        let lines = self.base_lines();
        let at = (line < lines.len()).then(|| lines.start(line))?;
        let before = self
            .spliced
            .position(|spliced| spliced.splice.old.end <= at);
        let is_gone = self
            .spliced
            .get(before)
            .is_some_and(|spliced| spliced.splice.old.start <= at);
        (!is_gone).then(|| {
            let before = self.spliced.before(before);
            before.map_or(at, |before| before.now(at))
        })
    }

    /// Returns a line as it is now, without its terminator, given by its index from 0.
    pub(crate) fn text(&self, line: usize) -> Cow<'_, [u8]> {
        let start = self.start(line);
        let end = self.start(line + 1);
        self.slice(start..end - self.ending(line).as_bytes().len())
    }

    /// Returns how a line ends now.
    pub(crate) fn ending(&self, line: usize) -> Ending {
        let start = self.start(line);
        let end = self.start(line + 1);
        match &*self.slice(end.saturating_sub(2).max(start)..end) {
            b"\r\n" => Ending::CrLf,
            [.., b'\n'] => Ending::Lf,
            _ => Ending::None,
        }
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
