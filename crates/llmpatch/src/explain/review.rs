//! What is said of hunks that a review can't suggest.

use crate::kind::Kind;
use crate::plan::derive::{Limit, Limited};
use crate::report::{Diagnose, Diagnostic};
use crate::text::lines;

impl Diagnose for Limited {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::new(Kind::Unposted).path(&self.path).help(match self.limit {
            Limit::State => "commit the file and push it first; `--onto=HEAD` takes the response for the last commit as it is",
            Limit::Removed => "it is posted, and `git llmpatch apply --commit` makes it of the comments",
            Limit::File | Limit::Lines | Limit::Length => "it isn't in the review: say it in words there, or hand it over as `git llmpatch diff` prints it",
        });
        match (self.limit, self.shown.len()) {
            (Limit::Lines, 0) => of.note("the diff shows no line of the file"),
            (Limit::Lines, count) => of.note(format!(
                "the diff shows {} of the file",
                lines(&self.shown, count)
            )),
            _ => of,
        }
    }
}
