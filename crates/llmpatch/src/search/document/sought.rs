//! The texts that edits look for in a file, found together while it is read.

use std::cmp::Reverse;
use std::rc::Rc;

use super::super::many::Many;
use super::super::matches::Sites;
use super::super::needle::Needle;

/// What edits look for in a file.
#[derive(Default)]
pub(super) struct SoughtTexts {
    /// The texts, if they are several.
    pub(super) many: Option<Many>,
    /// The places of each needle in the base, as offsets of the view; `None` for a needle that is
    /// looked for when it is wanted.
    pub(super) places: Vec<Option<Rc<Sites>>>,
    /// The most bytes that a match of any needle can have in the file.
    pub(super) longest: usize,
}

impl SoughtTexts {
    /// Finds texts in another.
    pub(super) fn new(text: &[u8], needles: impl IntoIterator<Item = Needle>) -> Self {
        let needles: Vec<_> = needles.into_iter().collect();
        if !are_many(text, &needles) {
            return Self::default();
        }
        let many = Many::new(text, needles);
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

    /// Finds the texts of edits in the file that the edits will change. Needles are dropped that are
    /// found sooner one by one: around each edit, as much is read as the longest needle may reach.
    pub(super) fn of_edits(text: &[u8], needles: impl IntoIterator<Item = Needle>) -> Self {
        let mut needles: Vec<_> = needles.into_iter().collect();
        if !are_many(text, &needles) {
            return Self::default();
        }
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

    /// Returns whether texts were found together.
    pub(super) fn are_several(&self) -> bool {
        self.many.is_some()
    }

    /// Returns the number and the places in the base of a needle that was found with others.
    pub(super) fn announced(&self, needle: &Needle) -> Option<(usize, Rc<Sites>)> {
        let number = self.many.as_ref()?.number(needle)?;
        Some((number, self.places[number].clone()?))
    }
}

/// Returns whether needles are found sooner together than one by one.
fn are_many(text: &[u8], needles: &[Needle]) -> bool {
    text.len().saturating_mul(needles.len()) > SMALL
}

/// Up to this many bytes of the file for each needle, needles are found sooner one by one.
const SMALL: usize = if cfg!(test) { 0 } else { 1 << 16 };
