//! Quotes that the lines above a line open: a patch there is text of a script or a program, and
//! nobody knows what is done with it.

use crate::format::fence::Fence;
use crate::text;

/// The string that the lines above a line open.
#[derive(Debug, Default)]
pub(super) struct Quotes {
    open: Option<u8>,
}

impl Quotes {
    /// Returns whether the next line is in a string.
    pub(super) fn are_open(&self) -> bool {
        self.open.is_some()
    }

    /// Reads a line that is in no patch. In code, a string goes on until it is closed; prose has
    /// quotes, too, and there a string is only what a quote at the end of a line opens, or one before a diff, whose
    /// next lines could begin it, too.
    pub(super) fn line(&mut self, line: &[u8], is_code: bool) {
        if !is_code || Fence::is_at(line) {
            self.open = None;
        }
        let mut at = 0;
        let mut behind = &line[line.len()..];
        while let Some(byte) = line.get(at) {
            let around = [at.wrapping_sub(1), at + 1].map(|at| line.get(at));
            let is_apostrophe = around
                .iter()
                .all(|byte| byte.is_some_and(u8::is_ascii_alphabetic));
            match (self.open, byte) {
                (_, b'\\') => at += 1,
                (Some(open), byte) if open == *byte => self.open = None,
                (None, b'\'') if is_apostrophe => {}
                (None, b'"' | b'`' | b'\'') => {
                    self.open = Some(*byte);
                    behind = &line[at + 1..];
                }
                _ => {}
            }
            at += 1;
        }
        let is_string = is_code
            || text::trim(line).last() == self.open.as_ref()
            || behind.starts_with(b"diff --git ");
        if !is_string || Fence::is_at(line) {
            self.open = None;
        }
    }
}
