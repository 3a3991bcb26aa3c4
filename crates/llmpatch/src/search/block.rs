//! The block of lines that a line opens, told by indentation alone.
//!
//! It ends before the first line that isn't blank and is indented no deeper. A line that belongs to
//! what is around it doesn't count: one that begins with a closing bracket, an opening bracket
//! alone, a decorator or an attribute, a label alone, what the preprocessor reads. A line with
//! nothing deeper behind it opens no block.

use std::borrow::Cow;
use std::ops::Range;

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

    /// Returns where the block ends, if there is one and a line behind the first isn't in it.
    pub(crate) fn end_before<'l>(
        &mut self,
        inner: usize,
        text: impl Fn(usize) -> Cow<'l, [u8]>,
    ) -> Option<usize> {
        self.read(inner + 1, text);
        self.end.filter(|end| *end <= inner && self.has_body)
    }

    /// Returns whether there is a block, and a line behind the first is in it.
    pub(crate) fn contains<'l>(
        &mut self,
        inner: usize,
        text: impl Fn(usize) -> Cow<'l, [u8]>,
    ) -> bool {
        self.read(inner + 1, text);
        self.has_body && self.end.is_none_or(|end| inner < end)
    }

    /// Returns which lines behind the first are in the block; `len` is the file's number of lines.
    pub(crate) fn lines<'l>(
        &mut self,
        len: usize,
        text: impl Fn(usize) -> Cow<'l, [u8]>,
    ) -> Option<Range<usize>> {
        self.read(len, text);
        let end = self.end.unwrap_or(len);
        self.has_body.then_some(self.first + 1..end)
    }

    /// Looks for the end in the lines before another.
    fn read<'l>(&mut self, to: usize, text: impl Fn(usize) -> Cow<'l, [u8]>) {
        let first = text(self.first);
        let depth = indentation(&first);
        while self.end.is_none() && self.read_to < to {
            let line = text(self.read_to);
            let inner = line.trim_ascii();
            if indentation(&line) > depth {
                self.has_body |= !inner.is_empty();
            } else if !inner.is_empty() && !is_of_block(inner, first.trim_ascii()) {
                self.end = Some(self.read_to);
            }
            self.read_to += 1;
        }
    }
}

fn indentation(line: &[u8]) -> usize {
    line.len() - line.trim_ascii_start().len()
}

/// What begins a line that the preprocessor of C reads.
const DIRECTIVES: [&[u8]; 6] = [
    b"#if", b"#else", b"#elif", b"#endif", b"#define", b"#pragma",
];

/// Returns whether a line that isn't deeper than the opener of a block is no end of it. Where a colon
/// opens blocks, what ends with one is a key, and where a bracket does, a line in brackets is a section.
fn is_of_block(line: &[u8], opener: &[u8]) -> bool {
    match line {
        [b')' | b']' | b'}', ..] | [b'(' | b'[' | b'{'] | [b'@', ..] => true,
        [b'#', b'[', ..] | [b'#', b'!', b'[', ..] | [b'[', b'[', ..] => true,
        [b'[', .., b']'] => !opener.starts_with(b"["),
        [b'#', ..] => DIRECTIVES
            .iter()
            .any(|directive| line.starts_with(directive)),
        [label @ .., b':'] => {
            !opener.ends_with(b":") && (opener.ends_with(b"{") || !label.contains(&b' '))
        }
        _ => false,
    }
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
            ("class B:\n    x = 1\nclass C:", Some(2)),
            ("def f(\n    a,\n):\n    x", None),
            ("class A {\npublic:\n  void run();", None),
            ("class A {\n  x();\nprivate slots:\n  void run();", None),
            ("int f()\n{\n  a();\nout:\n  b();", None),
            ("void f()\n{\n#if X\n  a();\n#endif\n  b();", None),
            (
                "void f() {\n  a();\n}\n[[nodiscard]]\nint g() {\n  b();",
                Some(4),
            ),
            ("class A {\n  a();\n[Test]\n  b();", None),
            ("class A:\n    a\n    @c\n    def run(self):", None),
            ("on:\n  push:\njobs:\n  build:", Some(2)),
            ("[core]\n\ta = 1\n[user]\n\tb = 1", Some(2)),
            ("<a>\n  <b/>\n</a>\n<c>\n  <b/>", Some(2)),
            ("class A:\n    a\n\nx = 1\ndef run():", Some(3)),
            ("  a\n    b\n  c\n    d", Some(2)),
            // Nothing deeper is behind the first line.
            ("class B: pass\n\nclass C:\n    def run(self):", None),
            ("impl<T> A<T>\nwhere\n    T: B,\n{\n    fn run() {", None),
            ("steps:\n- name: a\n  run: b", None),
            ("# Usage\n\ntext\n\n## Options", None),
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
