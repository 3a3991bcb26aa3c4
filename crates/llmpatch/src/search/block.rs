//! The block of lines that a line opens, told by indentation alone.
//!
//! It ends before the first line that is indented no deeper and begins like a statement. Blank
//! lines, brackets, decorators, comments and list items may be indented as they like, and so may
//! the line right behind the first, if that isn't complete yet.

use std::borrow::Cow;

/// The block that a line opens, as far as the file has been read for it.
#[derive(Debug)]
pub(crate) struct IndentedBlock {
    first: usize,
    /// The line up to which the end has been looked for.
    read_to: usize,
    end: Option<usize>,
    /// Whether any line in it is indented deeper than the first.
    has_body: bool,
}

impl IndentedBlock {
    pub(crate) fn new(first: usize) -> Self {
        Self {
            first,
            read_to: first + 1,
            end: None,
            has_body: false,
        }
    }

    /// Returns where the block ends, if a line behind the first is behind that end. Of two lines of
    /// a text without indentation nothing is known.
    pub(crate) fn end_before<'l>(
        &mut self,
        inner: usize,
        text: impl Fn(usize) -> Cow<'l, [u8]>,
    ) -> Option<usize> {
        let first = text(self.first);
        let depth = indentation(&first);
        while self.end.is_none() && self.read_to < inner {
            let line = text(self.read_to);
            if indentation(&line) > depth {
                self.has_body |= !line.trim_ascii().is_empty();
            } else if is_statement(line.trim_ascii(), first.trim_ascii())
                && (self.read_to > self.first + 1 || is_complete(first.trim_ascii()))
            {
                self.end = Some(self.read_to);
            }
            self.read_to += 1;
        }
        let is_nested = self.has_body || indentation(&text(inner)) > depth;
        self.end.filter(|end| *end < inner && is_nested)
    }

    /// Returns whether a line behind the first is deeper, and in the block.
    pub(crate) fn contains<'l>(
        &mut self,
        inner: usize,
        text: impl Fn(usize) -> Cow<'l, [u8]>,
    ) -> bool {
        let is_deeper = indentation(&text(inner)) > indentation(&text(self.first));
        is_deeper && self.end_before(inner, text).is_none()
    }
}

fn indentation(line: &[u8]) -> usize {
    line.len() - line.trim_ascii_start().len()
}

/// Returns whether a line that isn't deeper than the opener of a block ends the block. Labels of C
/// are indented less than what they are in; where a colon opens blocks, they are keys.
fn is_statement(line: &[u8], opener: &[u8]) -> bool {
    match line {
        [.., b':'] if opener.ends_with(b"{") => false,
        [.., b':'] if !opener.ends_with(b":") && !line.contains(&b' ') => false,
        [b'<', next, ..] => next.is_ascii_alphabetic(),
        [first, ..] => crate::text::is_word(*first),
        [] => false,
    }
}

/// Returns whether nothing more is said before the block that a line opens.
fn is_complete(opener: &[u8]) -> bool {
    matches!(opener, [.., b':' | b'{' | b';' | b'}'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_ends_where_a_statement_is_no_deeper() {
        // The first line opens the block, and the last is sought in it.
        for (text, want) in [
            (
                "class B:\n    x = 1\n\nclass C:\n    def run(self):",
                Some(3),
            ),
            ("class B:\n    x = 1\n\n    def run(self):", None),
            ("def f(\n    a,\n):\n    x", None),
            ("class B: pass\n\nclass C:\n    def run(self):", Some(2)),
            ("impl<T> A<T>\nwhere\n    T: B,\n{\n    fn run() {", None),
            ("class A {\npublic:\n  void run();", None),
            ("void f()\n{\n#if X\n  a();\n#endif\n  b();", None),
            ("class A:\n    a\n# b()\n    @c\n    def run(self):", None),
            ("on:\n  push:\njobs:\n  build:", Some(2)),
            ("steps:\n- name: a\n  run: b", None),
            ("<a>\n  <b/>\n</a>\n<c>\n  <b/>", Some(3)),
            ("# Usage\n\ntext\n\n## Options", None),
            ("class A:\n    a\n\nx = 1\ndef run():", Some(3)),
            ("  a\n    b\n  c\n    d", Some(2)),
        ] {
            let lines: Vec<_> = text.lines().map(str::as_bytes).collect();
            let line = |at: usize| Cow::Borrowed(lines[at]);
            let inner = lines.len() - 1;
            assert_eq!(
                IndentedBlock::new(0).end_before(inner, line),
                want,
                "{text}"
            );
            let mut block = IndentedBlock::new(0);
            let step_by_step: Vec<_> = (1..=inner).map(|at| block.end_before(at, line)).collect();
            assert_eq!(step_by_step[inner - 1], want, "{text}");
        }
    }
}
