//! Where the hunks of a response were placed, and how their places were found: data for reports,
//! nothing is decided by it.

use std::ops::Range;

use super::warning::Placing;
use crate::path::RepoPath;
use crate::text::Span;

/// Where one hunk, or one find, of a response was placed.
///
/// Line numbers are numbers of the file as this edit found it and as it left it: the edits of the
/// same file further up in the response are made already, the edits further down aren't.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Which edit it belongs to, counted from 0 over all patches of the response.
    pub edit: usize,
    /// The file, by the path that it has before this edit.
    pub path: RepoPath,
    /// Which hunk of its edit, from 1; 0 for a find.
    pub number: usize,
    /// The hunk in the response.
    pub span: Option<Span>,
    /// The lines it takes the place of, its context among them.
    pub old: Rows,
    /// The lines that are there afterwards.
    pub new: Rows,
    /// How its place was found; of several ways together, the loosest.
    pub how: Placing,
}

/// Some lines of a file, numbered as the header of a unified hunk numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rows {
    /// The first line, from 1; where there is none, the line before, and 0 at the top of the file.
    pub start: usize,
    /// How many lines there are.
    pub count: usize,
}

impl Rows {
    /// Returns the lines by their indices, from 0.
    pub fn range(self) -> Range<usize> {
        let start = self.start - usize::from(self.count > 0);
        start..start + self.count
    }

    /// Numbers lines that are given by their indices, from 0.
    pub(super) fn of(range: Range<usize>) -> Self {
        Self {
            start: range.start + usize::from(!range.is_empty()),
            count: range.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::path::Resolver;
    use crate::plan::{Plan, Rules};
    use crate::text::{Source, SourceId};
    use crate::tree::MemoryTree;

    fn planned(before: &str, answer: &str) -> Plan {
        let source = Source::new(SourceId(0), "answer.txt", answer.into()).unwrap();
        let patch = crate::response::parse(&source, &crate::format::Options::default()).patch;
        let tree = MemoryTree::new().with("a", before);
        crate::plan::plan(&[patch], &tree, &Resolver::default(), &Rules::default()).unwrap()
    }

    #[test]
    fn every_hunk_and_every_find_says_where_it_stands() {
        for (before, answer, want) in [
            (
                "1\n2\n3\n4\n5\n6\n",
                "*** Begin Patch\n*** Update File: a\n@@\n 1\n-2\n+b\n+c\n@@ 4\n \
                     4\n-5\n@@\n-6\n+six\n+seven\n*** End Patch\n",
                &[
                    "0 #1 1,2 1,3 exact",
                    "0 #2 4,2 5,1 restated",
                    "0 #3 6,1 6,2 exact",
                ][..],
            ),
            (
                "1\n2\n",
                "*** Begin Patch\n*** Update File: a\n@@ 1\n+x\n*** End Patch\n",
                &["0 #1 1,0 2,1 addition"],
            ),
            (
                "",
                "*** Begin Patch\n*** Update File: a\n+x\n*** End Patch\n",
                &["0 #1 0,0 1,1 addition"],
            ),
            (
                "1\n2\n3\n",
                "<edit file=\"a\" \
                     op=\"patch\">\n<find>\n<<<\n2\n>>>\n</find>\n<put>\n<<<\n>>>\n</put>\n</edit>\n<edit \
                     file=\"a\" \
                     op=\"patch\">\n<find>\n<<<\n3\n>>>\n</find>\n<put>\n<<<\nx\ny\n>>>\n</put>\n</edit>\n",
                &["0 #0 2,1 1,0 exact", "1 #0 2,1 2,2 exact"],
            ),
            (
                "1 2\n3\n",
                "<edit file=\"a\" op=\"patch\">\n<find>\n<<<\n \
                     2\n3\n>>>\n</find>\n<put>\n<<<\n>>>\n</put>\n</edit>\n",
                &["0 #0 1,2 1,1 exact"],
            ),
            (
                "1\n2\n",
                "<edit file=\"a\" \
                     op=\"patch\">\n<find>\n<<<\n\n2\n>>>\n</find>\n<put>\n<<<\n\nx\n>>>\n</put>\n</edit>\n",
                &["0 #0 2,1 2,1 blank-edges"],
            ),
        ] {
            let got: Vec<_> = planned(before, answer)
                .placements
                .iter()
                .map(|place| {
                    let old = place.old;
                    let new = place.new;
                    let rows = format!("{},{} {},{}", old.start, old.count, new.start, new.count);
                    format!(
                        "{} #{} {rows} {}",
                        place.edit,
                        place.number,
                        place.how.name()
                    )
                })
                .collect();
            assert_eq!(got, want, "{answer}");
        }
    }
}
