//! What of a response's parts is the answer: its patches are read, the others are told.

use std::collections::HashSet;

use bstr::BString;

use super::marks::MarkOf;
use super::parts::{Part, Parts, Role, What};
use super::session::{Fate, Session};
use super::{Block, Error, NoPatch, ResponsePart, Warning};
use crate::patch::Format;
use crate::text::{Located, Source, Span};

/// The answer of a response, and why what is in no answer isn't.
#[derive(Debug, Default)]
pub(super) struct Answer<'a> {
    /// Its patches, and what is told of what is around them, in order.
    pub(super) found: Vec<AnswerItem<'a>>,
    /// What is nearly a patch.
    pub(super) nearly: Vec<(Span, NoPatch)>,
    /// The parts with patches that aren't read.
    pub(super) parts: Vec<ResponsePart>,
    /// The first patch that isn't read.
    pub(super) hidden: Option<(Span, NoPatch)>,
    /// What the response as a whole is refused for.
    pub(super) refused: Vec<Located<Error>>,
    /// The bases that the response states, each once.
    pub(super) bases: Vec<Located<BString>>,
    /// The tool calls that were met, by their ids.
    pub(super) session: Session,
    /// Where calls begin that aren't read, or nothing says were carried out.
    fates: Fates,
}

/// Where the calls begin of which some fate is told once for all.
#[derive(Debug, Default)]
struct Fates {
    undone: Vec<Span>,
    left_out: Vec<Span>,
    pending: Vec<Span>,
}

/// What an answer is made of.
#[derive(Debug)]
pub(super) enum AnswerItem<'a> {
    Block(Block<'a>),
    /// What shows that something of a patch in this format was lost.
    Residue(Format, Located<NoPatch>),
    Remark(Located<Warning>),
}

impl<'a> AnswerItem<'a> {
    /// Returns the patch, if it is one.
    pub(super) fn block(&self) -> Option<&Block<'a>> {
        match self {
            AnswerItem::Block(block) => Some(block),
            _ => None,
        }
    }

    pub(super) fn residue(format: Format, span: Span, residue: NoPatch) -> Self {
        AnswerItem::Residue(format, Located::new(span, residue))
    }

    pub(super) fn remark(span: Span, warning: impl Into<Warning>) -> Self {
        AnswerItem::Remark(Located::new(span, warning.into()))
    }
}

impl<'a> Answer<'a> {
    /// Takes in a patch, or says why its call isn't read.
    fn patch(&mut self, source: &Source, mut block: Block<'a>, only: &[String]) {
        let before = block.call.and_then(|call| self.session.before(call));
        let records = block.edits.iter_mut();
        for record in records.filter_map(|edit| edit.record.as_mut()) {
            record.before = before.map(Into::into);
        }
        let span = block.start(source);
        match fate(&block, only, &self.session) {
            Fate::Read => self.found.push(AnswerItem::Block(block)),
            Fate::Pending => {
                self.fates.pending.push(span);
                self.found.push(AnswerItem::Block(block));
            }
            Fate::LeftOut => {
                self.fates.left_out.push(span);
                self.unread(&block, span, "answer", "others were asked for");
            }
            Fate::Undone => {
                self.fates.undone.push(span);
                self.unread(
                    &block,
                    span,
                    "undone-call",
                    "it failed, was refused or never ran",
                );
            }
            Fate::Cut(error) => {
                if self.refused.last() != Some(&error) {
                    self.refused.push(error);
                }
            }
            Fate::Hidden(by) => self.hide(block.format, span, by),
            Fate::Retold => {}
        }
    }

    /// Adds the part of a call that isn't read.
    fn unread(&mut self, block: &Block<'_>, span: Span, role: &'static str, why: &str) {
        self.parts.push(ResponsePart {
            span: Some(span),
            role,
            format: Some(block.format),
            directory: block.directory.clone(),
            why: Some(why.to_owned()),
            call: block.call.and_then(|call| self.session.described(call)),
        });
    }

    /// Counts the calls that aren't read, and those of which nothing says that they were carried out.
    fn tell_fates(&mut self) {
        let Fates {
            undone,
            left_out,
            pending,
        } = std::mem::take(&mut self.fates);
        if let Some(first) = undone.first() {
            self.note_hidden(*first, &NoPatch::Undone(undone.len()));
        }
        if let Some((span, place)) = self.session.aside.passed.take()
            && self.hidden.is_none()
        {
            self.note_hidden(span, &NoPatch::Others(place));
        }
        let told = [
            (
                undone.first(),
                Warning::Undone {
                    count: undone.len(),
                },
            ),
            (
                left_out.first(),
                Warning::LeftOut {
                    count: left_out.len(),
                },
            ),
            (
                pending.first(),
                Warning::Pending {
                    count: pending.len(),
                },
            ),
        ];
        for (first, warning) in told {
            self.found
                .extend(first.map(|first| AnswerItem::remark(*first, warning)));
        }
    }

    /// Notes a patch that isn't read.
    pub(super) fn note_hidden(&mut self, span: Span, by: &NoPatch) {
        self.hidden.get_or_insert_with(|| (span, by.clone()));
    }

    /// Tells of a patch that isn't read.
    pub(super) fn hide(&mut self, format: Format, span: Span, by: NoPatch) {
        self.note_hidden(span, &by);
        let role = by.role().unwrap_or_default();
        let warning = Warning::Hidden { format, by };
        let part = ResponsePart::unread(format, Some(span), role, warning.to_string());
        self.parts.push(part);
        self.found.push(AnswerItem::remark(span, warning));
    }

    /// Notes what is nearly a patch.
    fn note_nearly(&mut self, span: Span, what: NoPatch) {
        const MOST: usize = 100;
        if self.nearly.len() < MOST {
            self.nearly.push((span, what));
        }
    }

    /// Returns whether it is refused for being a chat.
    fn is_chat(&self) -> bool {
        let mut refused = self.refused.iter();
        refused.any(|error| matches!(error.value, Error::Chat { .. }))
    }
}

/// Sorts the parts of a response by what they mean.
pub(super) fn answer<'a>(
    source: &'a Source,
    parts: Parts<'a>,
    session: Session,
    only: &[String],
) -> Answer<'a> {
    let roles: Vec<_> = (0..parts.all.len())
        .map(|index| parts.role(index))
        .collect();
    let why: Vec<_> = roles
        .iter()
        .map(|(_, by)| by.map(|by| hiding(&parts.all[by])))
        .collect();
    let around = PatchesAround::of(&parts, &roles);
    let mut answer = Answer {
        bases: parts.bases,
        session,
        ..Answer::default()
    };
    // The line of a Begin that isn't one is named by what was lost by it.
    let told: HashSet<_> = parts
        .all
        .iter()
        .filter_map(|part| part.what.begin())
        .collect();
    for (part, why) in parts.all.into_iter().zip(why) {
        let is_told = told.contains(&source.line_at(part.range.start));
        if is_told && matches!(part.what, What::Nearly(NoPatch::Near(_))) {
            continue;
        }
        let span = source.span(part.range.clone());
        answer.refused.extend(open_result(source, &part));
        match why {
            None => take(source, part, &around, only, &mut answer),
            Some(by) => {
                if let Some((format, span)) = patch_of(source, &part, span) {
                    answer.hide(format, span, by);
                }
            }
        }
    }
    answer.tell_fates();
    answer
}

/// What patches of the answer are around a part.
#[derive(Default)]
struct PatchesAround {
    has_patch: bool,
    /// Where the first element of OPX begins.
    opx: Option<usize>,
    /// The tags above it that close nothing.
    closing: HashSet<BString>,
    /// The parts that diffs are in.
    with_hunks: HashSet<usize>,
}

impl PatchesAround {
    fn of(parts: &Parts<'_>, roles: &[(Role, Option<usize>)]) -> Self {
        let mut around = Self::default();
        let parts = parts.all.iter().zip(roles);
        for (part, _) in parts.filter(|(_, (role, _))| *role == Role::Answer) {
            match &part.what {
                What::Patch(block) => {
                    around.has_patch = true;
                    if block.format == Format::Opx {
                        around.opx.get_or_insert(part.range.start);
                    }
                    let within = part.within.filter(|_| block.format == Format::Unified);
                    around.with_hunks.extend(within);
                }
                What::Loss(_, NoPatch::StrayClosing { tag }) if around.opx.is_none() => {
                    around.closing.insert(tag.clone());
                }
                _ => {}
            }
        }
        around
    }

    /// Returns whether a tag that closes nothing is prose: no element of OPX is above it, and not
    /// all of an element is, but for where that began.
    fn is_prose(&self, at: usize) -> bool {
        self.opx
            .is_none_or(|opx| at < opx && self.closing.len() < 2)
    }

    /// Returns whether a diff is in the same part.
    fn has_hunks(&self, within: Option<usize>) -> bool {
        within.is_some_and(|within| self.with_hunks.contains(&within))
    }
}

/// Takes in a part of the answer.
fn take<'a>(
    source: &Source,
    part: Part<'a>,
    around: &PatchesAround,
    only: &[String],
    answer: &mut Answer<'a>,
) {
    let span = source.span(part.range);
    match part.what {
        What::Patch(block) => answer.patch(source, *block, only),
        What::Loss(_, NoPatch::StrayClosing { .. }) if around.is_prose(span.start as usize) => {}
        What::Loss(format, loss) => answer.found.push(AnswerItem::residue(format, span, loss)),
        What::Nearly(NoPatch::Near(near)) if around.has_hunks(part.within) && near.is_of_diff() => {
            let loss = NoPatch::Loose { near };
            answer
                .found
                .push(AnswerItem::residue(Format::Unified, span, loss));
        }
        What::Nearly(NoPatch::Near(near)) if near.is_half && around.has_patch => {
            answer
                .refused
                .push(Located::new(span, Error::Half { near }));
        }
        What::Nearly(what) => answer.note_nearly(span, what),
        What::Unread(format, by) => answer.hide(format, span, by),
        What::Told(told) => answer
            .found
            .push(AnswerItem::Remark(Located::new(span, *told))),
        What::Refused(error) => answer.refused.push(Located::new(span, *error)),
        What::Chat(mark) if around.has_patch && !answer.is_chat() => {
            let token = mark.written.into();
            answer
                .refused
                .push(Located::new(span, Error::Chat { token }));
        }
        _ => {}
    }
}

/// Refuses a tag of a tool's result that isn't closed.
fn open_result(source: &Source, part: &Part<'_>) -> Option<Located<Error>> {
    let What::Marked {
        open,
        is_closed: false,
        ..
    } = &part.what
    else {
        return None;
    };
    let start = part.range.start;
    let span = source.span(start..start + open.written.len());
    let tag = open.written.into();
    (open.mark.of == MarkOf::Result).then(|| Located::new(span, Error::OpenResult { tag }))
}

/// Returns the patch that a part which isn't the answer holds.
fn patch_of(source: &Source, part: &Part<'_>, span: Span) -> Option<(Format, Span)> {
    match &part.what {
        What::Patch(block) => Some((block.format, block.start(source))),
        What::Marked { patch, .. } => *patch,
        What::Quotation(format) => Some((*format, span)),
        What::Told(told) => match **told {
            Warning::ProseEdit => Some((Format::Opx, span)),
            _ => None,
        },
        _ => None,
    }
}

/// Says why a part isn't read, by the part that makes it so.
fn hiding(part: &Part<'_>) -> NoPatch {
    match &part.what {
        What::Comment { .. } => NoPatch::Comment,
        What::LoneMark(mark) => NoPatch::Unopened(mark.shown()),
        What::Marked {
            open, is_closed, ..
        } => {
            if *is_closed {
                NoPatch::Reasoning(open.shown(), open.shown_close())
            } else {
                NoPatch::Unclosed(open.shown())
            }
        }
        _ => NoPatch::Quote,
    }
}

/// Decides what becomes of a patch, by its call and by what was asked for.
fn fate(block: &Block<'_>, only: &[String], session: &Session) -> Fate {
    let is_asked = |call| session.is_one_of(call, only);
    if !only.is_empty() && !block.call.is_some_and(is_asked) {
        return Fate::LeftOut;
    }
    block.call.map_or(Fate::Read, |call| session.fate(call))
}
