//! What is around blocks: the lines above one, the fence and the tags that it is in. They say which
//! file it is about.

use bstr::ByteSlice as _;

use super::tags::{self, Tags};
use crate::format::blocks::marker::{self, Marker};
use crate::format::blocks::parse::BlockReader;
use crate::format::blocks::{Error, Warning, path};
use crate::format::fence::{Fence, names_diff};
use crate::format::tool::is_same_file;
use crate::format::{self, Block, InFile, Options, excerpt};
use crate::patch::{FileEdit, Format, Occurrence, Operation};
use crate::response::WalkItem;
use crate::text::{LineNo, Located, Row, Source, Span, Text};
use crate::text::{is_blank, trim};

/// The nearest line above that isn't blank, if it is one of text.
#[derive(Clone, Debug, Default)]
struct Above<'a> {
    line: Option<Row<'a>>,
    /// Whether a blank line is between.
    is_apart: bool,
}

/// An open fence.
#[derive(Debug)]
struct OpenFence<'a> {
    fence: Fence,
    /// What is above it.
    above: Above<'a>,
    /// What is behind its backticks.
    info: &'a [u8],
    /// How many blocks, and how many lines beside them, are in it.
    blocks: usize,
    lines: usize,
    /// Lines of blocks at which it may have ended.
    closing: Vec<Span>,
    /// How much had been found before it.
    found: usize,
    /// A fence of another kind that is open in it.
    inner: Option<Fence>,
}

/// The reader of what is around blocks, line by line.
#[derive(Debug, Default)]
pub(crate) struct Around<'a> {
    above: Above<'a>,
    fence: Option<OpenFence<'a>>,
    /// Lines of blocks that may have been meant to close a fence which another line closes.
    doubtful: Vec<Span>,
    tags: Tags<'a>,
    /// The file of the block before, while nothing but blank lines, fences and dots is between; the
    /// inner `None` is a file that isn't known.
    last: Option<Option<Text<'a>>>,
    /// Whether something that is nearly a block's first line has been seen, so that what follows
    /// isn't reported again.
    is_wreck: bool,
    /// How much of a conflict has been seen: its first line, and whether its middle came.
    conflict: Option<(Span, bool)>,
}

impl<'a> Around<'a> {
    /// Reads a line that is in no patch, if it opens or closes a fence; returns whether it does.
    pub(super) fn fence_line(&mut self, row: Row<'a>, found: &mut Vec<WalkItem<'a>>) -> bool {
        if let Some(open) = self.fence.take_if(|open| open.fence.is_closed_by(row.text)) {
            self.close(open);
            return true;
        }
        let read = Fence::read(row.text);
        if let Some(open) = &mut self.fence
            && let Some((inner, _)) = read
        {
            let ends = open.inner.is_some_and(|inner| inner.is_closed_by(row.text));
            open.inner = (!ends).then_some(inner);
        }
        if let Some((fence, info)) = read {
            self.open(fence, info, found);
        }
        read.is_some()
    }

    /// Reads a line that is in no patch, and neither opens nor closes a fence.
    pub(super) fn line(&mut self, source: &'a Source, row: Row<'a>, found: &mut Vec<WalkItem<'a>>) {
        let text = trim(row.text);
        if text.is_empty() {
            self.above.is_apart = true;
            return;
        }
        self.above = Above::default();
        if text.iter().all(|&byte| byte == b'.') || text == "…".as_bytes() {
            return;
        }
        self.last = None;
        if self.tags.line(source, row.text, found) {
            return;
        }
        if let Some(open) = &mut self.fence {
            open.lines += 1;
        }
        if matches!(Marker::read(text), Some(Marker::End(..))) {
            // What nearly began it has been told.
            if !std::mem::take(&mut self.is_wreck) {
                found.push(wrong(
                    row.span,
                    Error::StrayEnd {
                        marker: excerpt(text),
                    },
                ));
            }
        } else if marker::is_nearly_opener(row.text) {
            self.is_wreck = true;
            found.push(wrong(
                row.span,
                Error::NearOpener {
                    marker: excerpt(text),
                },
            ));
        } else {
            self.above = Above {
                line: Some(row),
                is_apart: false,
            };
            if self.ends_conflict(row) {
                found.push(WalkItem::remark(
                    row.span,
                    InFile {
                        path: None,
                        what: Warning::Conflict,
                    },
                ));
            }
        }
    }

    /// Returns the fence that is open, and how much had been found before it.
    pub(super) fn fence(&self) -> Option<(Fence, usize)> {
        self.fence.as_ref().map(|open| (open.fence, open.found))
    }

    /// Returns the innermost fence that is open.
    pub(super) fn innermost(&self) -> Option<Fence> {
        let open = self.fence.as_ref()?;
        open.inner.or(Some(open.fence))
    }

    /// Returns where the fence that is open begins, and how much had been found before it, if its
    /// language is that of diffs.
    pub(super) fn of_diffs(&self, source: &Source) -> Option<(usize, usize)> {
        let open = self.fence.as_ref()?;
        names_diff(open.info).then(|| (source.place(open.info).start as usize, open.found))
    }

    /// Ends the fence that is open, within a part that is passed over.
    pub(super) fn end_fence(&mut self) {
        self.fence = None;
    }

    /// Passes over a patch of another format.
    pub(crate) fn pass(&mut self) {
        (self.above, self.conflict, self.last) = (Above::default(), None, None);
    }

    /// Reads the end of the response.
    pub(crate) fn end(&mut self, found: &mut Vec<WalkItem<'a>>) {
        found.extend(self.tags.unclosed());
        // Where a fence is left open, one too few closes them, so any of these may have been meant
        // to.
        if let Some(open) = self.fence.take() {
            found.extend(self.doubtful.drain(..).chain(open.closing).map(lost));
        }
    }

    /// Reads the block that begins at an offset in a line, and what is glued to its front.
    pub(crate) fn block(
        &mut self,
        source: &'a Source,
        line: Row<'a>,
        at: usize,
        options: &Options<'_>,
        found: &mut Vec<WalkItem<'a>>,
    ) -> Block<'a> {
        let glued = &line.text[..at];
        let opener = line.behind(at);
        if !is_blank(glued) {
            self.tags.line(source, glued, found);
        }
        let path = self.named(source, options);
        let reader = BlockReader::new(source, opener, path.clone().ok(), options);
        let indentation: &[u8] = if is_blank(glued) { glued } else { b"" };
        let (mut block, closing) =
            reader.read(indentation, self.fence.as_ref().map(|open| open.fence));
        if let Err(error) = &path {
            let at = opener.start();
            let span = source.span(at..at + source.bytes()[at..].find_byte(b'\n').unwrap_or(0));
            let what = InFile {
                path: None,
                what: error.clone(),
            };
            block.errors.insert(0, Located::new(span, what.into()));
        }
        if let Some(line) = self.tags.block() {
            block.edits.iter_mut().for_each(|edit| begin_at(edit, line));
        }
        if let Some(open) = &mut self.fence {
            open.blocks += 1;
            open.closing.extend(closing);
        }
        (self.above, self.conflict, self.is_wreck) = (Above::default(), None, false);
        self.last = Some(path.ok().map(|path| Text::derived(path.bytes)));
        block
    }

    /// Reads what is glued to the end of a block.
    pub(crate) fn behind(&mut self, source: &'a Source, end: usize, found: &mut Vec<WalkItem<'a>>) {
        let rest = source.bytes()[end..].lines().next().unwrap_or_default();
        if !is_blank(rest) && source.line_at(end) == source.line_at(end.saturating_sub(1)) {
            self.tags.line(source, rest, found);
        }
    }

    /// Returns what is wrong with a patch that is in tags of another file.
    pub(super) fn other_file(
        &self,
        source: &Source,
        block: &Block<'_>,
    ) -> Option<Located<format::Error>> {
        let path = self.tags.path.as_ref();
        let path = path.filter(|_| block.format != Format::Blocks)?;
        let is_other = |edit: &&FileEdit<'_>| !is_same_file(&edit.path, path);
        let edit = block.edits.iter().find(is_other)?;
        let what = Error::TwoPaths {
            first: excerpt(path),
            second: excerpt(&edit.path),
        };
        let error = InFile { path: None, what };
        Some(Located::new(
            edit.span.unwrap_or_else(|| block.start(source)),
            error.into(),
        ))
    }

    /// Returns the file that a block here is about.
    fn named(&self, source: &'a Source, options: &Options<'_>) -> Result<Text<'a>, Error> {
        let above = |above: &Above<'a>| path::above(above.line?, !above.is_apart, options);
        let mut all: Vec<Text<'a>> = above(&self.above).into_iter().collect();
        let first_in = self.fence.as_ref().filter(|open| open.blocks == 0);
        if let Some(open) = first_in {
            all.extend(above(&open.above));
            all.extend(path::behind(source, open.info, options));
        }
        all.extend(self.tags.path.clone());
        match path::agreed(&all) {
            Ok(Some(path)) => Ok(path),
            Ok(None) => {
                let given = || options.file.map(|file| Text::derived(file.to_vec()));
                // Behind what may name another file, a block isn't of the last file.
                let other = first_in.and_then(|open| path::or_language(source, open.info));
                let last = self.last.clone().filter(|_| other.is_none());
                let before = last.unwrap_or_else(given);
                before.ok_or(Error::NoPath)
            }
            Err([first, second]) => Err(Error::TwoPaths { first, second }),
        }
    }

    /// Reads the line that closes a fence. What it holds, if it is one line, is above what follows.
    fn close(&mut self, open: OpenFence<'a>) {
        let above = std::mem::take(&mut self.above);
        self.doubtful.extend(open.closing);
        if open.blocks == 0 && open.lines == 1 {
            self.above = Above {
                is_apart: false,
                ..above
            };
        }
    }

    /// Reads a line that opens a fence.
    fn open(&mut self, fence: Fence, info: &'a [u8], found: &mut Vec<WalkItem<'a>>) {
        // One that was never closed behind its only line, a path, is closed here.
        if let Some(open) = self
            .fence
            .take_if(|open| open.fence.is_like(fence) && open.blocks == 0 && open.lines == 1)
        {
            self.close(open);
        }
        let above = std::mem::take(&mut self.above);
        match self.fence.take() {
            // A fence in another is text of it, and so is what is above.
            Some(open) if open.closing.is_empty() || !open.fence.is_like(fence) => {
                (self.fence, self.above) = (Some(open), above);
            }
            before => {
                // One before ended in a block.
                found.extend(before.into_iter().flat_map(|open| open.closing).map(lost));
                self.fence = Some(OpenFence {
                    fence,
                    above,
                    info,
                    blocks: 0,
                    lines: 0,
                    closing: Vec::new(),
                    found: found.len(),
                    inner: None,
                });
            }
        }
    }

    /// Returns whether a line is the last of a whole conflict.
    fn ends_conflict(&mut self, row: Row<'_>) -> bool {
        match (Marker::read(row.text), self.conflict) {
            (Some(Marker::ConflictStart), _) => self.conflict = Some((row.span, false)),
            (Some(Marker::Divider(marker::SEVEN)), Some((start, _))) => {
                self.conflict = Some((start, true))
            }
            (Some(Marker::ConflictEnd), Some((_, has_middle))) => {
                self.conflict = None;
                return has_middle;
            }
            _ => {}
        }
        false
    }
}

/// Sets the line at which an edit begins, if it has none of its own.
pub(super) fn begin_at(edit: &mut FileEdit<'_>, line: LineNo) {
    if let Operation::Substitute(substitution) = &mut edit.operation
        && substitution.occurrence == Occurrence::Lines(None)
    {
        substitution.occurrence = Occurrence::Lines(Some(line));
    }
}

/// Makes an error of something around blocks.
pub(super) fn wrong<'a>(span: Span, error: Error) -> WalkItem<'a> {
    WalkItem::residue(Format::Blocks, span, error.into())
}

/// Makes a note that a line of a block may have been meant to close the fence around it.
fn lost<'a>(span: Span) -> WalkItem<'a> {
    wrong(span, Error::Fence)
}

/// Returns whether what is between two blocks leaves them one patch: blank lines, fences, paths,
/// tags, and what is glued to the first.
pub(crate) fn are_between(text: &[u8]) -> bool {
    text.lines().all(|line| {
        let text = trim(line).strip_prefix(b"]]>").unwrap_or(trim(line));
        is_blank(line)
            || Fence::is_at(line)
            || tags::are_all(text)
            || path::named(line, true, |_| false).is_some()
    })
}
