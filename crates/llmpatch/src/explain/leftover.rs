use crate::kind::Kind;
use crate::leftover::Leftover;
use crate::plan::Quote;
use crate::report::Place;
use crate::report::{Diagnose, Diagnostic};
use crate::text::Excerpt;

impl Diagnose for Leftover {
    fn diagnostic(&self) -> Diagnostic {
        let text = Excerpt::of_line(self.marker.as_bytes());
        let line = Quote::of(self.line, text).labelled("left over");
        let place = Place::new(self.path.clone(), "it is here", line);
        let of = Diagnostic::new(Kind::Markers).path(&self.path).help(
            "take it out and stage the file again; where such lines are meant, set the \
                 attribute `-llmpatch`",
        );
        Diagnostic {
            places: vec![place],
            ..of
        }
    }
}
