//! The code spans of Markdown in a line of prose.

use std::collections::HashMap;

/// The code spans of a line, found in one pass: a run of backticks opens one if another run of its length follows.
pub(super) struct CodeSpans {
    /// Where the last run of each length begins.
    last: HashMap<usize, usize>,
}

impl CodeSpans {
    /// Finds those of a line.
    pub(super) fn of(line: &[u8]) -> Self {
        let mut last = HashMap::new();
        let mut at = 0;
        while let Some(next) = memchr::memchr(b'`', &line[at..]) {
            at += next;
            let length = run(&line[at..]);
            last.insert(length, at);
            at += length;
        }
        Self { last }
    }

    /// Returns the offset behind the code span that a run of backticks opens, or else behind that run.
    pub(super) fn behind(&self, line: &[u8], mut at: usize) -> usize {
        let length = run(&line[at..]);
        let opens = self.last.get(&length).is_some_and(|&last| last > at);
        at += length;
        while opens && let Some(next) = memchr::memchr(b'`', &line[at..]) {
            at += next;
            let other = run(&line[at..]);
            at += other;
            if other == length {
                break;
            }
        }
        at
    }
}

fn run(text: &[u8]) -> usize {
    text.iter().take_while(|&&byte| byte == b'`').count()
}
