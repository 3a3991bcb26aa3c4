//! The sections of unified diffs, and the prefixes of names in them.

use super::walk::{Walk, WalkOutcome};
use crate::format::fence::Fence;
use crate::format::{Block, unified};
use crate::text::LineNo;

/// The prefixes of names that sections of diffs show.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KnownPrefixes<'a> {
    shown: Option<unified::Prefixes<'a>>,
    /// The line up to which prefixes were looked for.
    sought_to: Option<LineNo>,
    /// Whether a section was read before the prefixes were known.
    is_late: bool,
}

impl<'a> Walk<'a, '_> {
    /// Reads the section of a diff that begins in a line.
    pub(super) fn section(&mut self, number: LineNo) -> Block<'a> {
        let known = &mut self.prefixes;
        // A comment shows nothing of the diffs outside of it.
        let is_sought = known.shown.or(self.given_prefixes).is_none()
            && known.sought_to.is_none_or(|end| end <= number)
            && !self.prose.is_hidden();
        if is_sought && self.options.is_file.is_some() && self.options.strip.is_none() {
            let (shown, end) = unified::prefixes(self.source, self.options, number);
            (known.shown, known.sought_to) = (shown, Some(end));
            known.is_late |= shown.is_none();
        }
        let prefixes = known.shown.or(self.given_prefixes);
        let fence = self.around.innermost();
        let around = self.prose.around(fence);
        let around = unified::HunkSurroundings {
            tag: fence.and_then(Fence::end_tag).or(around.tag),
            prefixes,
            ..around
        };
        unified::parse_block(self.source, number, around, self.options)
    }

    /// Walks through the response again if a section showed the prefixes of names, and sections above
    /// it were read without them: one tool writes all diffs of a response.
    pub(super) fn again(&self) -> Option<WalkOutcome<'a>> {
        let given_prefixes = self.prefixes.shown.filter(|_| self.prefixes.is_late)?;
        let again = Self {
            given_prefixes: Some(given_prefixes),
            ..Self::new(self.source, self.options)
        };
        Some(again.run())
    }
}
