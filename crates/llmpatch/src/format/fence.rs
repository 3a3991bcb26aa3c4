//! Fences around code: Markdown's fences, and the tag that is used in their place.

use bstr::ByteSlice as _;

use super::InFile;
use super::blocks::path::is_markdown;
use crate::patch::{FileEdit, Operation, Status};
use crate::text;
use crate::text::{Content, Lines, Located, Text};

/// A file that would be one fenced block of Markdown, though its name isn't that of Markdown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the file would be one block of Markdown, fences included")]
pub struct FencedFile;

/// Finds a fence around all that a file is to hold by an edit.
pub(crate) fn around_file(edit: &FileEdit<'_>) -> Option<Located<InFile<FencedFile>>> {
    let is_new = edit
        .header
        .as_ref()
        .is_some_and(|header| header.status == Status::Added);
    let lines: Vec<&Text<'_>> = match &edit.operation {
        Operation::Create { lines, .. } | Operation::Replace { lines } => lines.iter().collect(),
        Operation::Update { hunks, .. } if is_new => {
            let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
            lines.map(|line| &line.text).collect()
        }
        _ => return None,
    };
    let error = InFile {
        path: Some(edit.path[..].into()),
        what: FencedFile,
    };
    let span = lines.first()?.span;
    is_fenced(&edit.path, lines.into_iter().map(|line| &line[..]))
        .then(|| Located::new(span, error))
}

/// Returns whether the first and the last line of a file that aren't blank are a fence around all
/// others, where its name isn't that of Markdown.
pub(crate) fn is_fenced<'l>(path: &[u8], lines: impl DoubleEndedIterator<Item = &'l [u8]>) -> bool {
    let mut lines = lines.filter(|line| !text::is_blank(line));
    let fence = lines.next().and_then(Fence::read).map(|(fence, _)| fence);
    !is_markdown(path)
        && fence.is_some_and(|fence| {
            let last = lines.next_back();
            fence.is_markdowns() && last.is_some_and(|last| fence.is_closed_by(last))
        })
}

/// Returns whether a file may begin with a fence, by its first byte that isn't whitespace: of most
/// files that is all that is read.
pub(crate) fn may_begin_with_fence(content: &Content) -> bool {
    let mut bytes = content.parts().flatten();
    let first = bytes.find(|byte| !byte.is_ascii_whitespace());
    first.is_some_and(|first| matches!(first, b'`' | b'~' | b'<') || *first == Lines::BOM[0])
}

/// What a fence is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    of: u8,
    length: usize,
}

/// The tags that are fences where the code has backticks in it: aider asks models for them. The
/// length of such a fence is its place here, from 1.
const TAGS: [(&[u8], &[u8]); 5] = [
    (b"<source>", b"</source>"),
    (b"<code>", b"</code>"),
    (b"<pre>", b"</pre>"),
    (b"<codeblock>", b"</codeblock>"),
    (b"<sourcecode>", b"</sourcecode>"),
];

/// Returns whether what is behind the backticks of a fence says that it holds a diff.
pub(crate) fn names_diff(info: &[u8]) -> bool {
    let language = info.fields().next();
    language.is_some_and(|language| [&b"diff"[..], b"patch"].contains(&language))
}

impl Fence {
    /// Reads a line that can begin a fence, and of Markdown's end one, and returns what is behind
    /// the backticks, tildes or tag.
    pub(crate) fn read(line: &[u8]) -> Option<(Self, &[u8])> {
        let text = text::trim(line);
        let &of @ (b'`' | b'~' | b'<') = text.first()? else {
            return None;
        };
        if of == b'<' {
            let (index, info) = TAGS
                .iter()
                .enumerate()
                .find_map(|(index, (open, _))| Some((index, text.strip_prefix(*open)?)))?;
            // Only aider's first tag has a language behind it.
            let is_alone = info.is_empty() || index == 0 && !info.contains(&b'<');
            let length = index + 1;
            return is_alone.then_some((Self { of, length }, info));
        }
        let length = text.iter().take_while(|&&byte| byte == of).count();
        let info = &text[length..];
        (length >= 3 && (of == b'~' || !info.contains(&b'`')))
            .then_some((Self { of, length }, info))
    }

    /// Returns whether a line ends it.
    pub(crate) fn is_closed_by(self, line: &[u8]) -> bool {
        match self.of {
            b'<' => text::trim(line) == TAGS[self.length - 1].1,
            _ => {
                Self::read(line).is_some_and(|(other, info)| info.is_empty() && self.is_like(other))
            }
        }
    }

    /// Returns the tag that ends it, if it is a tag.
    pub(crate) fn end_tag(self) -> Option<&'static [u8]> {
        (!self.is_markdowns()).then(|| TAGS[self.length - 1].1)
    }

    /// Returns whether it is of backticks or tildes; a tag may as well be XML.
    pub(crate) fn is_markdowns(self) -> bool {
        self.of != b'<'
    }

    /// Returns whether another is of the same kind, and not shorter.
    pub(crate) fn is_like(self, other: Self) -> bool {
        self.of == other.of
            && (other.length == self.length || other.length > self.length && self.is_markdowns())
    }

    /// Returns whether a line begins with the characters of a fence, whatever follows them.
    pub(crate) fn begins(line: &[u8]) -> bool {
        line.starts_with(b"```") || line.starts_with(b"~~~")
    }

    /// Returns whether a line begins or ends a fence, or what is like one.
    pub(crate) fn is_at(line: &[u8]) -> bool {
        let text = text::trim(line);
        Self::read(line).is_some() || TAGS.iter().any(|(_, close)| *close == text)
    }
}
