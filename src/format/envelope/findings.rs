//! The faults and warnings of an envelope as they are found: joined where they are one thing, and bounded.

use std::sync::Arc;

use super::fault::Fault;
use super::warning::Warning;
use crate::text::{LineNo, Located, Span};

/// How many faults of one section are said.
const WORTH_SAYING: usize = 20;

/// What has been found so far. Whatever the input, its size is linear in that of the input.
#[derive(Debug, Default)]
pub(super) struct Findings {
    faults: Vec<Located<Fault>>,
    warnings: Vec<Located<Warning>>,
    strict: bool,
    /// Where the present section's begin.
    faults_before: usize,
    warnings_before: usize,
    /// How many faults of this section are not said.
    unsaid: usize,
    /// Whether the line before was a bad one, so that the next is more of the same.
    in_run: bool,
    /// The fault that stands for all lines which are indented less than their Begin.
    indentation: Option<usize>,
    /// Whether this section has such lines.
    spoiled: bool,
}

impl Findings {
    pub(super) fn new(strict: bool) -> Self {
        Self { strict, ..Self::default() }
    }

    /// Adds a fault.
    pub(super) fn fault(&mut self, span: Span, fault: Fault) {
        self.in_run = false;
        if self.faults.len() - self.faults_before < WORTH_SAYING {
            self.faults.push(Located::new(span, fault));
        } else {
            self.unsaid += 1;
        }
    }

    /// Adds the fault of a line, or counts the line if the one before it was bad too.
    pub(super) fn bad_line(&mut self, span: Span, fault: impl FnOnce() -> Fault) {
        if self.in_run
            && let Some(more) = self.faults[self.faults_before..].last_mut().and_then(|last| last.value.more_mut())
        {
            *more += 1;
            return;
        }
        self.fault(span, fault());
        self.in_run = self.unsaid == 0;
    }

    /// Notes a line that is indented less than its Begin: one fault for all of an envelope.
    pub(super) fn less_indented(&mut self, span: Span, begin: LineNo) {
        self.spoiled = true;
        self.in_run = false;
        match self.indentation.and_then(|index| self.faults.get_mut(index)).and_then(|fault| fault.value.more_mut()) {
            Some(more) => *more += 1,
            None => {
                self.indentation = Some(self.faults.len());
                self.faults.push(Located::new(span, Fault::LessIndented { begin, more: 0 }));
            }
        }
    }

    /// Returns whether the line before was a bad one.
    pub(super) fn in_run(&self) -> bool {
        self.in_run
    }

    /// Notes that a line could be read, so that a bad one after it is another matter.
    pub(super) fn good_line(&mut self) {
        self.in_run = false;
    }

    /// Adds a warning, or counts it if this section has the same already. Where the bare format is asked for, it is a fault.
    pub(super) fn warn(&mut self, span: Span, warning: Warning) {
        self.in_run = false;
        let same = |other: &Warning| std::mem::discriminant(other) == std::mem::discriminant(&warning);
        if self.strict {
            for fault in &mut self.faults[self.faults_before..] {
                if let Fault::Strict(other) = &mut fault.value
                    && same(other)
                {
                    *other.count_mut() += 1;
                    return;
                }
            }
            return self.fault(span, Fault::Strict(warning));
        }
        match self.warnings[self.warnings_before..].iter_mut().find(|other| same(&other.value)) {
            Some(other) => *other.value.count_mut() += 1,
            None => self.warnings.push(Located::new(span, warning)),
        }
    }

    /// Returns whether the present section has a fault.
    pub(super) fn has_fault(&self) -> bool {
        self.spoiled || self.faults.len() > self.faults_before
    }

    /// Ends the present section.
    pub(super) fn end_section(&mut self, path: Option<Arc<[u8]>>) {
        if self.unsaid > 0 {
            let more = Fault::More { path, count: self.unsaid };
            let span = self.faults.last().and_then(|fault| fault.span);
            self.faults.push(Located::new(span, more));
        }
        self.faults_before = self.faults.len();
        self.warnings_before = self.warnings.len();
        self.unsaid = 0;
        self.in_run = false;
        self.spoiled = false;
    }

    /// Drops the faults that stand at or behind an offset, since they follow from a fault there.
    pub(super) fn forget_from(&mut self, offset: u32) {
        self.faults.retain(|fault| fault.span.is_none_or(|span| span.start < offset));
        self.faults_before = self.faults_before.min(self.faults.len());
        self.unsaid = 0;
    }

    /// Returns all faults and warnings.
    pub(super) fn into_parts(self) -> (Vec<Located<Fault>>, Vec<Located<Warning>>) {
        (self.faults, self.warnings)
    }
}
