//! One reading of a file for all needles.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::many::Many;
use super::matches::Matches;
use super::needle::Needle;
use super::places::Places;
use super::view::View;

/// Where needles are in a view: read once for those that are known beforehand, and again for any other.
#[derive(Debug)]
pub struct Index<'f> {
    view: View<'f>,
    known: RefCell<HashMap<Needle, Rc<Places>>>,
}

impl<'f> Index<'f> {
    /// Reads a view with an eye to these needles.
    pub fn new(view: View<'f>, needles: impl IntoIterator<Item = Needle>) -> Self {
        let mut known = HashMap::new();
        if let Some(many) = Many::new(view.text(), needles) {
            let places = many.places(view.text()).into_iter().map(|places| places.map(Rc::new));
            known.extend(
                many.needles().iter().cloned().zip(places).filter_map(|(needle, places)| Some((needle, places?))),
            );
        }
        Self { view, known: RefCell::new(known) }
    }

    /// Returns the view.
    pub fn view(&self) -> &View<'f> {
        &self.view
    }

    /// Returns where a needle is: the offsets in the view of all its matches, overlapping ones included.
    pub fn places(&self, needle: &Needle) -> Rc<Places> {
        if let Some(places) = self.known.borrow().get(needle) {
            return Rc::clone(places);
        }
        let places = Rc::new(needle.places(self.view.text()));
        self.known.borrow_mut().insert(needle.clone(), Rc::clone(&places));
        places
    }

    /// Returns all matches of a needle, as byte ranges of the file, which the view must compare exactly.
    pub fn matches(&self, needle: &Needle) -> Matches<'_> {
        let (places, len) = (self.places(needle), needle.matched().len());
        Matches::Read { places, len, view: Cow::Borrowed(&self.view) }
    }
}
