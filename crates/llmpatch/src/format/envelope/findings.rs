//! The errors and warnings of an envelope as they are found: joined where they are one thing, and
//! bounded.

use std::sync::Arc;

use super::error::{Error, Warning};
use crate::text::{LineNo, Located, Span};

/// How many errors of a section are told.
const WORTH_SAYING: usize = 20;

/// What has been found so far. Whatever the input, its size is linear in that of the input.
#[derive(Debug, Default)]
pub(super) struct Findings {
    errors: Vec<Located<Error>>,
    warnings: Vec<Located<Warning>>,
    strict: bool,
    /// Where the present section's begin.
    errors_before: usize,
    warnings_before: usize,
    /// How many errors of this section are not said.
    more: usize,
    /// Whether the line before was a bad one, so that the next is more of the same.
    in_run: bool,
    /// The error that stands for all lines which are indented less than their Begin.
    indentation: Option<usize>,
    /// Whether this section has lines that are indented less.
    spoiled: bool,
}

impl Findings {
    pub(super) fn new(strict: bool) -> Self {
        Self {
            strict,
            ..Self::default()
        }
    }

    /// Adds an error.
    pub(super) fn error(&mut self, span: Span, error: Error) {
        self.in_run = false;
        if self.errors.len() - self.errors_before < WORTH_SAYING {
            self.errors.push(Located::new(span, error));
        } else {
            self.more += 1;
        }
    }

    /// Adds the error of a line, or adds the line to the error of the line before it if that is bad
    /// too.
    pub(super) fn bad_line(&mut self, span: Span, error: impl FnOnce() -> Error) {
        if self.in_run
            && let Some(more) = self.errors[self.errors_before..]
                .last_mut()
                .and_then(|last| last.value.more_mut())
        {
            *more = Some(Span {
                start: more.unwrap_or(span).start,
                ..span
            });
            return;
        }
        self.error(span, error());
        self.in_run = self.more == 0;
    }

    /// Notes a line that is indented less than its Begin: one error for all of an envelope.
    pub(super) fn less_indented(&mut self, span: Span, begin: LineNo) {
        self.spoiled = true;
        self.in_run = false;
        match self
            .indentation
            .and_then(|index| self.errors.get_mut(index))
            .and_then(|error| error.value.more_mut())
        {
            Some(more) => {
                *more = Some(Span {
                    start: more.unwrap_or(span).start,
                    ..span
                })
            }
            None => {
                self.indentation = Some(self.errors.len());
                self.errors.push(Located::new(
                    span,
                    Error::LessIndented { begin, more: None },
                ));
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

    /// Adds a warning, or counts it if this section has the same already. Where the bare format is
    /// asked for, it is an error; but no file could end in an empty line if the `+` behind it were.
    pub(super) fn warn(&mut self, span: Span, warning: Warning) {
        self.in_run = false;
        let same =
            |other: &Warning| std::mem::discriminant(other) == std::mem::discriminant(&warning);
        if self.strict && !matches!(warning, Warning::LastPlus { .. }) {
            for error in &mut self.errors[self.errors_before..] {
                if let Error::Strict(other) = &mut error.value
                    && same(other)
                {
                    other.again();
                    return;
                }
            }
            return self.error(span, Error::Strict(warning));
        }
        match self.warnings[self.warnings_before..]
            .iter_mut()
            .find(|other| same(&other.value))
        {
            Some(other) => other.value.again(),
            None => self.warnings.push(Located::new(span, warning)),
        }
    }

    /// Returns whether the present section has an error.
    pub(super) fn has_error(&self) -> bool {
        self.spoiled || self.errors.len() > self.errors_before
    }

    /// Ends the present section.
    pub(super) fn end_section(&mut self, path: Option<Arc<[u8]>>) {
        if self.more > 0 {
            let more = Error::More {
                path,
                count: self.more,
            };
            let span = self.errors.last().and_then(|error| error.span);
            self.errors.push(Located::new(span, more));
        }
        self.errors_before = self.errors.len();
        self.warnings_before = self.warnings.len();
        self.more = 0;
        self.in_run = false;
        self.spoiled = false;
    }

    /// Drops the errors that are at or behind an offset, since they follow from an error there.
    pub(super) fn forget_from(&mut self, offset: u32) {
        self.errors
            .retain(|error| error.span.is_none_or(|span| span.start < offset));
        self.errors_before = self.errors_before.min(self.errors.len());
        self.more = 0;
    }

    /// Returns all errors and warnings.
    pub(super) fn into_parts(self) -> (Vec<Located<Error>>, Vec<Located<Warning>>) {
        (self.errors, self.warnings)
    }
}
