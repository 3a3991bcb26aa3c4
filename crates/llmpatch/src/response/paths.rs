//! Which file a block is about: the lines above it, the fence and the tags that it is in (FORMATS: the path
//! of a block).

use bstr::{BString, ByteSlice as _};

use super::Block;
use super::parts::What;
use super::tags::{self, Tags, begin_at, wrong};
use crate::format::blocks::marker::{self, Marker};
use crate::format::blocks::parse::BlockReader;
use crate::format::blocks::{Error, Warning, path};
use crate::format::fence::Fence;
use crate::format::tool::is_same_file;
use crate::format::{InFile, Options, excerpt};
use crate::patch::{FileEdit, Format};
use crate::text::{LineNo, Located, Row, Source, Span, Text, is_blank, trim};

/// The nearest line above that isn't blank, if it is one of text.
#[derive(Clone, Debug, Default)]
struct Above<'a> {
    line: Option<Row<'a>>,
    /// Whether a blank line is between.
    is_apart: bool,
}

/// A fence that is open.
#[derive(Debug)]
pub(crate) struct OpenFence<'a> {
    pub(crate) fence: Fence,
    /// What is behind its signs.
    pub(crate) info: &'a [u8],
    /// The file that it may hold.
    pub(crate) names: Option<BString>,
    above: Above<'a>,
    /// How many blocks, and how many lines beside them, are in it.
    blocks: usize,
    lines: usize,
    /// The last lines of blocks at which it may have ended.
    closing: Vec<Span>,
}

/// What was read, of the lines so far, about the files of blocks.
#[derive(Debug, Default)]
pub(crate) struct Paths<'a> {
    above: Above<'a>,
    tags: Tags<'a>,
    /// The file of the block before, while nothing but blank lines, fences and dots is between; the inner
    /// `None` is a file that isn't known.
    last: Option<Option<Text<'a>>>,
    /// Lines of blocks that may have been meant to close a fence which another line closes.
    doubtful: Vec<Span>,
    /// Whether the middle of the conflict that is open came; `None` outside of one.
    conflict: Option<bool>,
    /// Whether something that is nearly a block's first line came, so that what follows isn't told again.
    is_wreck: bool,
}

impl<'a> Paths<'a> {
    /// Reads a blank line.
    pub(crate) fn blank(&mut self) {
        self.above.is_apart = true;
    }

    /// Reads a line that names no file.
    pub(crate) fn line(&mut self) {
        (self.above, self.last) = (Above::default(), None);
    }

    /// Passes over a patch in another format.
    pub(crate) fn pass(&mut self) {
        self.line();
        self.conflict = None;
    }

    /// Reads a line of text; returns whether it is one of tags.
    pub(crate) fn text(
        &mut self,
        source: &'a Source,
        row: Row<'a>,
        fence: Option<&mut OpenFence<'a>>,
        found: &mut Vec<(What<'a>, Span)>,
    ) -> bool {
        let text = trim(row.text);
        if text.iter().all(|&byte| byte == b'.') || text == "…".as_bytes() {
            self.above = Above::default();
            return false;
        }
        self.line();
        if self.tags.line(source, row.text, found) {
            return true;
        }
        if let Some(open) = fence {
            open.lines += 1;
        }
        if matches!(Marker::read(text), Some(Marker::End(..))) {
            // What nearly began it has been told.
            if !std::mem::take(&mut self.is_wreck) {
                let marker = excerpt(text);
                found.push(wrong(row.span, Error::StrayEnd { marker }));
            }
        } else if marker::is_nearly_opener(row.text) {
            self.is_wreck = true;
            let marker = excerpt(text);
            found.push(wrong(row.span, Error::NearOpener { marker }));
        } else {
            self.above.line = Some(row);
            if self.ends_conflict(row) {
                let (path, what) = (None, Warning::Conflict);
                let warning = super::Warning::of(InFile { path, what });
                found.push((What::Told(Box::new(warning)), row.span));
            }
        }
        false
    }

    /// Returns the line that a tag behind blocks said they begin at, once, and how many blocks these are.
    pub(crate) fn said_line(&mut self) -> Option<(LineNo, usize)> {
        self.tags.said_line()
    }

    /// Reads tags that are glued to a block.
    pub(crate) fn tags(
        &mut self,
        source: &'a Source,
        text: &'a [u8],
        found: &mut Vec<(What<'a>, Span)>,
    ) {
        if !is_blank(text) {
            self.tags.line(source, text, found);
        }
    }

    /// Opens a fence.
    pub(crate) fn open(
        &mut self,
        fence: Fence,
        info: &'a [u8],
        names: Option<BString>,
    ) -> OpenFence<'a> {
        OpenFence {
            fence,
            info,
            names,
            above: std::mem::take(&mut self.above),
            blocks: 0,
            lines: 0,
            closing: Vec::new(),
        }
    }

    /// Closes a fence. What it holds, if it is one line, is above what follows.
    pub(crate) fn close(&mut self, open: OpenFence<'a>) {
        let above = std::mem::take(&mut self.above);
        self.doubtful.extend(open.closing);
        if open.blocks == 0 && open.lines == 1 {
            self.above.line = above.line;
        }
    }

    /// Reads the block that begins at an offset in a line, and what is glued to its front.
    pub(crate) fn block(
        &mut self,
        source: &'a Source,
        line: Row<'a>,
        at: usize,
        options: &Options<'_>,
        mut fence: Option<&mut OpenFence<'a>>,
        found: &mut Vec<(What<'a>, Span)>,
    ) -> Block<'a> {
        let glued = &line.text[..at];
        self.tags(source, glued, found);
        let path = self.named(source, fence.as_deref(), options);
        let opener = line.behind(at);
        let reader = BlockReader::new(source, opener, path.clone().ok(), options);
        let indentation: &[u8] = if is_blank(glued) { glued } else { b"" };
        let (block, closing) = reader.read(indentation, fence.as_ref().map(|open| open.fence));
        let mut block: Block<'_> = block.widened();
        if let Err(what) = &path {
            let (path, what) = (None, what.clone());
            let first = block.start(source);
            let error = super::Error::of(InFile { path, what });
            block.errors.insert(0, Located::new(first, error));
        }
        if let Some(line) = self.tags.block() {
            block.edits.iter_mut().for_each(|edit| begin_at(edit, line));
        }
        if let Some(open) = &mut fence {
            open.blocks += 1;
            open.closing.extend(closing);
        }
        (self.above, self.conflict, self.is_wreck) = (Above::default(), None, false);
        self.last = Some(path.ok().map(|path| Text::derived(path.bytes)));
        block
    }

    /// Returns the file that a block here is about.
    fn named(
        &self,
        source: &'a Source,
        fence: Option<&OpenFence<'a>>,
        options: &Options<'_>,
    ) -> Result<Text<'a>, Error> {
        let above = |above: &Above<'a>| path::above(above.line?, !above.is_apart, options);
        let first_in = fence.filter(|open| open.blocks == 0);
        let mut all: Vec<Text<'a>> = above(&self.above).into_iter().collect();
        if let Some(open) = first_in {
            all.extend(above(&open.above));
            all.extend(path::behind(source, open.info, options));
        }
        all.extend(self.tags.path.clone());
        let agreed = path::agreed(&all);
        let agreed = agreed.map_err(|[first, second]| Error::TwoPaths { first, second })?;
        let given = || options.file.map(|file| Text::derived(file.to_vec()));
        // Behind what may name another file, a block isn't of the last file.
        let other = first_in.and_then(|open| path::or_language(source, open.info));
        let last = self.last.clone().filter(|_| other.is_none());
        agreed
            .or_else(|| last.unwrap_or_else(given))
            .ok_or(Error::NoPath)
    }

    /// Returns what is wrong with a patch that is in tags of another file.
    pub(crate) fn other_file(
        &self,
        source: &Source,
        block: &Block<'_>,
    ) -> Option<Located<super::Error>> {
        let path = self.tags.path.as_ref();
        let path = path.filter(|_| block.format != Format::Blocks)?;
        let is_other = |edit: &&FileEdit<'_>| !is_same_file(&edit.path, path);
        let edit = block.edits.iter().find(is_other)?;
        let what = Error::TwoPaths {
            first: excerpt(path),
            second: excerpt(&edit.path),
        };
        let span = edit.span.unwrap_or_else(|| block.start(source));
        let error = super::Error::of(InFile { path: None, what });
        Some(Located::new(span, error))
    }

    /// Reads the end of the response in a fence: one line too few closes fences, so any of these may have
    /// been meant to.
    pub(crate) fn unclosed(&mut self, open: OpenFence<'a>, found: &mut Vec<(What<'a>, Span)>) {
        let doubtful = self.doubtful.drain(..).chain(open.closing);
        found.extend(doubtful.map(|span| wrong(span, Error::Fence)));
    }

    /// Reads the end of the response.
    pub(crate) fn end(&mut self, found: &mut Vec<(What<'a>, Span)>) {
        found.extend(self.tags.unclosed());
    }

    /// Returns whether a line is the last of a whole conflict.
    fn ends_conflict(&mut self, row: Row<'_>) -> bool {
        match (Marker::read(row.text), self.conflict) {
            // What has these names is told as a block that isn't read.
            (Some(Marker::ConflictStart), _) => {
                let is_block = row.text.ends_with(b" ORIGINAL");
                self.conflict = (!is_block).then_some(false);
            }
            (Some(Marker::Divider(marker::SEVEN)), Some(_)) => self.conflict = Some(true),
            (Some(Marker::ConflictEnd), Some(has_middle)) => {
                self.conflict = None;
                return has_middle;
            }
            _ => {}
        }
        false
    }
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
