//! Runs of whole lines in a file: the forward search of the envelope, and every other place of a run. Lines are compared
//! exactly, or by the form that they have at a looser level.
//!
//! All lines that a file's section looks for are known beforehand, so the file is read once: each line is reduced to the
//! number of the wanted text that it equals, equal neighbours to one block, and all that nobody wants to a gap. Every
//! search after that is one on these few blocks, and looks only where the rarest line of its run stands. No search costs
//! more than the blocks of the file; searches for the same run are done once. So many runs are dear only if they differ and
//! each consists of nothing but lines that stand everywhere.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::Tolerance;
use super::kmp::Kmp;
use super::places::Places;
use crate::text::Lines;

/// The lines of a file, indexed for a known set of wanted lines. It takes memory in proportion to where these stand.
#[derive(Debug)]
pub struct Haystack<'f> {
    lines: &'f Lines<'f>,
    level: Tolerance,
    /// The number of each wanted text, whether the file has it or not.
    ids: HashMap<Box<[u8]>, Id>,
    /// The file from its first line to its last: neighbouring lines of one text each, or ones that nobody wants.
    blocks: Vec<Block>,
    /// By number, the indices of the blocks of that text, ascending.
    blocks_of: Vec<Vec<usize>>,
    known: RefCell<HashMap<Box<[Piece]>, Rc<Places>>>,
}

type Id = u32;

/// Lines that nobody wants.
const GAP: Id = Id::MAX;

/// Equal neighbouring lines. They end where the next block starts.
#[derive(Clone, Copy, Debug)]
struct Block {
    start: usize,
    id: Id,
}

/// Equal neighbouring lines of a run or of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Piece {
    id: Id,
    len: usize,
}

/// A run of lines, looked up in the [`Haystack`] that made it.
#[derive(Clone, Debug)]
pub struct Run {
    places: Rc<Places>,
}

impl<'f> Haystack<'f> {
    /// Reads a file once, with an eye to the wanted lines: those of every run that will be asked for, and locators.
    pub fn new<'p>(lines: &'f Lines<'f>, wanted: impl IntoIterator<Item = &'p [u8]>) -> Self {
        Self::at(Tolerance::Exact, lines, wanted)
    }

    /// The same, with lines compared at a level: [`Haystack::run`] then finds what is the same there.
    pub fn at<'p>(level: Tolerance, lines: &'f Lines<'f>, wanted: impl IntoIterator<Item = &'p [u8]>) -> Self {
        let mut ids: HashMap<Box<[u8]>, Id> = HashMap::new();
        for text in wanted {
            let text = level.form(text);
            if !ids.contains_key(&*text) {
                let id = Id::try_from(ids.len()).expect("responses are far too short for so many distinct lines");
                ids.insert(text.into(), id);
            }
        }
        let mut sieve = Sieve::new();
        ids.iter().for_each(|(text, &id)| sieve.add(text, id));

        let mut blocks: Vec<Block> = Vec::new();
        let mut blocks_of = vec![Vec::new(); ids.len()];
        for (start, line) in lines.iter().enumerate() {
            let id = sieve.look_up(&level.form(line.text), &ids);
            if blocks.last().is_none_or(|block| block.id != id) {
                if id != GAP {
                    blocks_of[id as usize].push(blocks.len());
                }
                blocks.push(Block { start, id });
            }
        }
        Self { lines, level, ids, blocks, blocks_of, known: RefCell::default() }
    }

    /// Looks a run up. Lines are compared by their text without terminators.
    ///
    /// A line that wasn't among the wanted ones makes this read the file again; it is found all the same.
    pub fn run<'p>(&self, lines: impl IntoIterator<Item = &'p [u8]>) -> Run {
        let lines: Vec<Cow<'p, [u8]>> = lines.into_iter().map(|text| self.level.form(text)).collect();
        let mut pieces: Vec<Piece> = Vec::new();
        for text in &lines {
            let Some(&id) = self.ids.get(&**text) else {
                let texts: Vec<&[u8]> = lines.iter().map(|text| &**text).collect();
                return Haystack::at(self.level, self.lines, texts.iter().copied()).run(texts);
            };
            match pieces.last_mut() {
                Some(last) if last.id == id => last.len += 1,
                _ => pieces.push(Piece { id, len: 1 }),
            }
        }
        if let Some(places) = self.known.borrow().get(&pieces[..]) {
            return Run { places: Rc::clone(places) };
        }
        let places = Rc::new(self.search(&pieces));
        self.known.borrow_mut().insert(pieces.into(), Rc::clone(&places));
        Run { places }
    }

    /// Returns the index, from 0, of the first line of the first place at or after `from`. An empty run stands nowhere.
    pub fn first(&self, run: &Run, from: usize) -> Option<usize> {
        run.places.at_or_after(from)
    }

    /// Returns whether a run's first line is line `at`, from 0, and the others follow.
    pub fn stands_at(&self, run: &Run, at: usize) -> bool {
        run.places.contains(at)
    }

    /// Returns all places of a run in the whole file: the indices of their first lines. Overlaps count.
    pub fn places<'r>(&self, run: &'r Run) -> &'r Places {
        &run.places
    }

    fn search(&self, pieces: &[Piece]) -> Places {
        let mut places = Places::default();
        match pieces {
            [] => {}
            [only] => {
                for &block in &self.blocks_of[only.id as usize] {
                    let Piece { len, .. } = self.piece(block);
                    places.push_neighbours(self.blocks[block].start, (len + 1).saturating_sub(only.len));
                }
            }
            // Between its ends a run must agree with whole blocks; at its ends blocks may be longer than the run needs.
            [first, middle @ .., last] => self.search_middle(middle, pieces, |start, end| {
                let (head, tail) = (self.piece(start), self.piece(end));
                if head.id == first.id && head.len >= first.len && tail.id == last.id && tail.len >= last.len {
                    places.push(self.blocks[start].start + head.len - first.len);
                }
            }),
        }
        places
    }

    /// Calls `found` with the blocks before and after each place of `middle`, in order, where the rarest of `pieces`
    /// allows one. Windows that overlap are read once, so this is linear in the file and in the rarest line's places
    /// times the run, whichever is less.
    fn search_middle(&self, middle: &[Piece], pieces: &[Piece], mut found: impl FnMut(usize, usize)) {
        let rarity = |piece: &Piece| self.blocks_of[piece.id as usize].len();
        let Some((offset, rarest)) = pieces.iter().enumerate().min_by_key(|(_, piece)| rarity(piece)) else { return };
        if rarity(rarest) == 0 {
            return;
        }
        let kmp = Kmp::new(middle);
        let (mut next, mut matched) = (0, 0);
        for &block in &self.blocks_of[rarest.id as usize] {
            let Some(start) = block.checked_sub(offset) else { continue };
            let end = start + pieces.len() - 1;
            if end >= self.blocks.len() {
                break;
            }
            if middle.is_empty() {
                found(start, end);
                continue;
            }
            if next <= start {
                (next, matched) = (start + 1, 0);
            }
            while next < end {
                matched = kmp.step(matched, &self.piece(next));
                next += 1;
                if matched == middle.len() {
                    found(next - middle.len() - 1, next);
                }
            }
        }
    }

    fn piece(&self, block: usize) -> Piece {
        #[cfg(test)]
        super::kmp::work::add(1);
        let Block { start, id } = self.blocks[block];
        let end = self.blocks.get(block + 1).map_or(self.lines.len(), |next| next.start);
        Piece { id, len: end - start }
    }
}

/// Wanted texts by length, first and last byte. Most lines of a file are known by these not to be wanted, and most of the
/// others are compared with one text; only where several texts share a hole is a line hashed.
struct Sieve<'p> {
    holes: Vec<Hole<'p>>,
}

#[derive(Clone, Copy)]
enum Hole<'p> {
    Empty,
    One(&'p [u8], Id),
    Many,
}

impl<'p> Sieve<'p> {
    fn new() -> Self {
        Self { holes: vec![Hole::Empty; 1 << 12] }
    }

    fn add(&mut self, text: &'p [u8], id: Id) {
        let hole = &mut self.holes[Self::hole(text)];
        *hole = if let Hole::Empty = hole { Hole::One(text, id) } else { Hole::Many };
    }

    fn look_up(&self, text: &[u8], ids: &HashMap<Box<[u8]>, Id>) -> Id {
        match self.holes[Self::hole(text)] {
            Hole::One(wanted, id) if wanted == text => id,
            Hole::Many => ids.get(text).copied().unwrap_or(GAP),
            Hole::Empty | Hole::One(..) => GAP,
        }
    }

    /// Lines of code start and end alike, so the length is spread over all bits.
    fn hole(text: &[u8]) -> usize {
        let first = text.first().copied().map_or(0, usize::from);
        let last = text.last().copied().map_or(0, usize::from);
        (text.len().wrapping_mul(0x9e5) ^ (first << 5) ^ last) & 0xfff
    }
}

#[cfg(test)]
mod tests;
