use crate::kind::Kind;
use crate::leftover::Leftover;
use crate::report::{Diagnose, Diagnostic};
use crate::report::{FileLine, FilePlace};
use crate::text::Excerpt;

impl Diagnose for Leftover {
    fn diagnostic(&self) -> Diagnostic {
        let text = Excerpt::of_line(self.marker.as_bytes());
        let place = FilePlace {
            path: self.path.clone(),
            column: 1,
            caption: "it is here".into(),
            first: FileLine {
                line: self.line,
                excerpt: text,
                heading: None,
                label: "left over".into(),
            },
            more: Vec::new(),
        };
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
