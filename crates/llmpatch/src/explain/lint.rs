use crate::lint::{Finding, Found};
use crate::report::{Diagnose, Diagnostic};

impl Diagnose for Found {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic {
            is_warning: !self.is_error,
            ..Diagnostic::new(self.finding.kind())
        }
        .path(&self.path);
        match self.finding {
            Finding::Elided => of
                .help(
                    "nothing is put in its place: write the lines that it stands for, or leave it \
                     out",
                )
                .advice(
                    "nothing is put in place of such a line: leave it out of the hunk, since \
                     what no hunk shows stays as it is, or write the lines that it stands for",
                ),
            Finding::ElidedFile { .. } => of
                .help(
                    "nothing is put in its place: give the whole file, or only hunks of what \
                     changes; if the line is meant, run `git -c llmpatch.lint.elision=allow \
                     llmpatch apply`",
                )
                .advice(
                    "nothing is put in place of such a line: send every line that the file is \
                     to have, or only the lines that change (`*** Update File:`, \
                     op=\"patch\", a diff)",
                ),
            Finding::Character(_) => of
                .help(
                    "look at the line in an editor that shows such characters, and take it out \
                     unless it is meant",
                )
                .advice("leave out characters that nobody sees, and write those that were lost"),
            Finding::InName(_) => of
                .help("take the character out of the name unless it is meant")
                .advice("write the path without characters that nobody sees"),
            Finding::ToolMark(_) | Finding::Fenced => of
                .help("if it isn't meant, take it out of the file")
                .advice(
                    "send only what the file is to have, without the marks of a tool around it",
                ),
            Finding::LineNumbers => of
                .help("if they aren't meant, take them out of the file")
                .advice("send the lines without the numbers that a tool showed before them"),
            Finding::DiffPrefixes => of
                .help("if they aren't meant, take them out of the file")
                .advice("send the lines as the file is to have them, without `+` before them"),
            Finding::Repeated => of
                .help(
                    "if it isn't to be there twice, leave it out, or have it in the old text, too",
                )
                .advice(
                    "end the new text where the old text ends: a line behind the old text stays \
                     as it is",
                ),
            Finding::ConflictMarker | Finding::PatchMarker => of,
        }
    }
}
