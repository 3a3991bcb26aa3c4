use super::FilePlace;
use super::{Diagnose, Diagnosis};
use crate::kind::Kind;
use crate::leftover::Leftover;
use crate::text::Excerpt;

impl Diagnose for Leftover {
    fn diagnosis(&self) -> Diagnosis {
        let place = FilePlace {
            path: self.path.clone(),
            line: self.line,
            column: 1,
            excerpt: Excerpt::of_line(self.marker.as_bytes()),
            caption: "it stands here".into(),
            label: "left over".into(),
            heading: None,
            also: Vec::new(),
        };
        let of = Diagnosis::new(Kind::Markers)
            .path(self.path.clone())
            .help("take it out and stage the file again; where such lines are meant, set the attribute `-llmpatch`");
        Diagnosis { places: vec![place], ..of }
    }
}
