//! The one way from responses to a change, or to a refusal that says why.

use std::fmt;

use bstr::{BString, ByteSlice as _};

use crate::explain;
use crate::format::{self, unified};
use crate::kind::Kind;
use crate::lint::Lints;
use crate::message;
use crate::patch::{Format, Patch};
use crate::path::Resolver;
use crate::plan::{self, ChangeSet, Placement, Plan, Rules};
use crate::report::{Diagnose, Diagnostic, PartReport, feedback, merge};
use crate::response::{self, Parsed, Warning};
use crate::text::{LineNo, Located, Source, SourceId};
use crate::tree::{Entry, Tree};

/// How a response is read, and what it may do.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Read patches of this format only; `None` detects the format.
    pub format: Option<Format>,
    /// The file of search/replace blocks that name none.
    pub file: Option<BString>,
    /// How many directories are taken off the names in a unified diff; `None` finds out.
    pub strip: Option<u32>,
    /// Take the lines of a diff's hunks as they are, whatever their headers count.
    pub recount: bool,
    /// What turns the response's paths into paths of the tree. The default one takes relative paths
    /// only.
    pub resolver: Resolver,
    /// How exact the response must be, and what it may touch.
    pub rules: Rules,
    /// What is done about text that looks like a slip.
    pub lints: Lints,
}

/// What a response makes of a tree.
#[derive(Debug)]
pub struct Applied {
    /// Every file that changes: what it was and what it becomes.
    pub changes: ChangeSet,
    /// What was dropped, guessed or relaxed, each once.
    pub warnings: Vec<Diagnostic>,
    /// A commit message: the response's notes, or else what it does to which files.
    pub message: BString,
}

/// Why a response makes nothing of a tree. `{:?}` writes what `{}` does, so that an `unwrap` and a
/// `main` that returns it say what is wrong.
pub struct Refusal {
    /// What is wrong, each once.
    pub errors: Vec<Diagnostic>,
    /// What was dropped, guessed or relaxed on the way, each once.
    pub warnings: Vec<Diagnostic>,
    /// A message to send back to the model: what is wrong, what the files hold there, and what to
    /// send. `None` where the model can't mend it.
    pub feedback: Option<String>,
}

impl fmt::Display for Refusal {
    /// Writes a line for each error: where it is in the response, its kind and what is wrong.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, error) in self.errors.iter().enumerate() {
            if number > 0 {
                f.write_str("\n")?;
            }
            if let Some(place) = &error.response {
                write!(f, "{}:{}:{}: ", place.file, place.line(), place.column)?;
            }
            write!(f, "{}: {}", error.kind, error.message)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Refusal {}

/// A response that is too long to be read.
#[derive(Debug, thiserror::Error)]
#[error(
    "the response is longer than {} MiB or has more than {} lines",
    Source::MAX_LEN >> 20,
    Source::MAX_LINES
)]
pub struct TooLong;

impl Diagnose for TooLong {
    fn diagnostic(&self) -> Diagnostic {
        Diagnostic::new(Kind::Unsupported).help("give it in parts")
    }
}

/// Works out what a response makes of the files of a tree. Nothing is written anywhere.
///
/// ```
/// use llmpatch::{MemoryTree, Options, apply};
///
/// let files = MemoryTree::new().with("a.txt", "old\n");
/// let response = "*** Begin Patch\n*** Update File: a.txt\n-old\n+new\n*** End Patch\n";
/// let applied = apply("response.txt", response, &files, &Options::default())?;
/// for change in applied.changes.iter() {
///     let content = change.after.as_ref().map(|file| &file.content[..]);
///     assert_eq!((change.path.as_bytes(), content), (&b"a.txt"[..], Some(&b"new\n"[..])));
/// }
/// # Ok::<(), Box<llmpatch::Refusal>>(())
/// ```
///
/// # Errors
/// If any part of the response can't be read or has no place in the files: a response is one
/// change, all of it or nothing.
pub fn apply(
    name: &str,
    response: impl AsRef<[u8]>,
    tree: &dyn Tree,
    options: &Options,
) -> Result<Applied, Box<Refusal>> {
    let Some(source) = Source::new(SourceId(0), name, response.as_ref().to_vec()) else {
        return Err(Box::new(Refusal {
            errors: vec![Diagnostic::from(&TooLong)],
            warnings: Vec::new(),
            feedback: None,
        }));
    };
    match work_out(std::slice::from_ref(&source), tree, options) {
        Ok(planned) => Ok(Applied {
            message: message::compose(&planned.patches, &planned.changes),
            changes: planned.changes,
            warnings: planned.warnings,
        }),
        Err(refused) => Err(Box::new(Refusal {
            feedback: refused.feedback(),
            errors: refused.errors,
            warnings: refused.warnings,
        })),
    }
}

/// Works out what responses, as one change, make of the files of a tree: [`apply()`], with what
/// programs are told of the way.
///
/// # Errors
/// With everything that is wrong, what can't be read first.
pub fn work_out<'s>(
    sources: &'s [Source],
    tree: &dyn Tree,
    options: &Options,
) -> Result<Planned<'s>, Refused<'s>> {
    let is_here = |written: &[u8]| is_file(written, &options.resolver, tree);
    let reading = format::Options {
        format: options.format,
        strict: options.rules.strict,
        file: options.file.as_ref().map(|file| &file[..]),
        strip: options.strip,
        recount: options.recount,
        is_file: Some(&is_here),
        ..format::Options::default()
    };
    let responses = Responses::read(sources, &reading);
    if !responses.has_edits() {
        return Err(responses.refused());
    }
    let plan = plan::plan(&responses.patches, tree, &options.resolver, &options.rules);
    responses.planned(plan, &options.resolver, &options.lints)
}

/// Responses that were read as patches, and what is wrong with them so far. Several are one change,
/// in order.
#[derive(Debug)]
pub struct Responses<'s> {
    sources: &'s [Source],
    /// What each asks for. Where there is an error, it is good for finding more errors and for
    /// nothing else.
    pub patches: Vec<Patch<'s>>,
    /// The revisions that they say they are about.
    pub bases: Vec<Located<BString>>,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    /// Their parts that have patches.
    pub parts: Vec<PartReport>,
}

/// A change that was worked out, and the responses that ask for it.
#[derive(Debug)]
pub struct Planned<'s> {
    /// What the responses ask for.
    pub patches: Vec<Patch<'s>>,
    /// What will be true afterwards.
    pub changes: ChangeSet,
    /// Where each hunk and each find is, in the order of the responses.
    pub placements: Vec<Placement>,
    /// What was dropped, guessed or relaxed, each once.
    pub warnings: Vec<Diagnostic>,
    /// The parts of the responses that have patches.
    pub parts: Vec<PartReport>,
}

/// Responses of which nothing comes.
#[derive(Debug)]
pub struct Refused<'s> {
    sources: &'s [Source],
    /// What was read of the responses.
    pub patches: Vec<Patch<'s>>,
    /// What is wrong, each once.
    pub errors: Vec<Diagnostic>,
    /// What was dropped, guessed or relaxed, each once.
    pub warnings: Vec<Diagnostic>,
    /// The parts of the responses that have patches.
    pub parts: Vec<PartReport>,
}

impl<'s> Responses<'s> {
    /// Reads the patches of responses.
    pub fn read(sources: &'s [Source], options: &format::Options<'_>) -> Self {
        let mut responses = Self {
            sources,
            patches: Vec::new(),
            bases: Vec::new(),
            errors: Vec::new(),
            warnings: Vec::new(),
            parts: Vec::new(),
        };
        for (source, mut parsed) in sources.iter().zip(response::parse_all(sources, options)) {
            if let Some(repeated) = responses.repeated(source, &parsed) {
                parsed.warnings.push(repeated);
                parsed.patch.edits.clear();
            }
            let errors = Diagnostic::all(&parsed.errors, sources);
            let warnings = Diagnostic::all(&parsed.warnings, sources);
            responses.errors.extend(errors);
            responses.warnings.extend(warnings);
            responses.patches.push(parsed.patch);
            responses.bases.extend(parsed.bases);
            let parts = parsed.parts.into_iter();
            let parts = parts.map(|part| PartReport::of(part, sources));
            responses.parts.extend(parts);
        }
        responses
    }

    /// Returns what is to be said of a response that says what an earlier one says.
    fn repeated(&self, source: &Source, parsed: &Parsed<'_>) -> Option<Located<Warning>> {
        if !parsed.errors.is_empty() || !self.errors.is_empty() {
            return None;
        }
        let mut earlier = self.sources.iter().zip(&self.patches);
        earlier.find_map(|earlier| repetition((source, &parsed.patch), earlier))
    }

    /// Returns whether there is something to plan: a response that can't be read whole is planned
    /// as far as it was read, to find what else is wrong.
    pub fn has_edits(&self) -> bool {
        self.errors.is_empty() || self.patches.iter().any(|patch| !patch.edits.is_empty())
    }

    /// Adds an error: nothing comes of the responses then.
    pub fn refuse(&mut self, error: Diagnostic) {
        self.errors.push(error);
    }

    /// Adds a warning.
    pub fn warn(&mut self, warning: Diagnostic) {
        self.warnings.push(warning);
    }

    /// Makes a change of the responses' plan, if the lints have nothing against it.
    ///
    /// # Errors
    /// With everything that is wrong: what can't be read first, in the responses' order.
    pub fn planned(
        mut self,
        plan: Result<Plan, plan::Refusal>,
        resolver: &Resolver,
        lints: &Lints,
    ) -> Result<Planned<'s>, Refused<'s>> {
        let (changes, placements, found, noticed) = match plan {
            Ok(plan) => (
                plan.changes,
                Some(plan.placements),
                Vec::new(),
                plan.warnings,
            ),
            Err(refusal) => (refusal.changes, None, refusal.errors, refusal.warnings),
        };
        let linted = lints.find(&self.patches, resolver, &changes);
        // That nothing would change is no finding while part of the response is unknown.
        let is_readable = self.errors.is_empty();
        let found: Vec<_> = found
            .iter()
            .filter(|error| is_readable || error.value.kind() != Kind::Unchanged)
            .collect();
        self.errors
            .extend(explain::errors(&found, &self.patches, self.sources));
        // And where nothing changes at all, that is said once, not of each part again.
        let is_unchanged = self
            .errors
            .iter()
            .any(|error| error.kind == Kind::Unchanged);
        let noticed = noticed
            .iter()
            .filter(|warning| !(is_unchanged && warning.value.diagnostic().kind == Kind::NoChange));
        self.warnings.extend(Diagnostic::all(noticed, self.sources));
        let (wrong, doubtful): (Vec<_>, Vec<_>) =
            linted.iter().partition(|found| found.value.is_error);
        self.errors.extend(Diagnostic::all(wrong, self.sources));
        self.warnings
            .extend(Diagnostic::all(doubtful, self.sources));
        match placements {
            Some(placements) if self.errors.is_empty() => Ok(Planned {
                patches: self.patches,
                changes,
                placements,
                warnings: merge(self.warnings),
                parts: self.parts,
            }),
            _ => Err(self.refused()),
        }
    }

    /// Refuses the responses for what is wrong so far.
    pub fn refused(mut self) -> Refused<'s> {
        // Lines that were taken into a hunk and aren't in the file have not been read as its lines
        // after all.
        let doubted: Vec<_> = self
            .errors
            .iter()
            .filter(|error| error.kind == Kind::Parse)
            .map(line_of)
            .collect();
        self.warnings.retain(|warning| {
            warning.kind != Kind::Recounted || !doubted.contains(&line_of(warning))
        });
        Refused {
            sources: self.sources,
            patches: self.patches,
            errors: merge(self.errors),
            warnings: merge(self.warnings),
            parts: self.parts,
        }
    }
}

impl Refused<'_> {
    /// Returns the message to send back to the model, as [`Refusal::feedback`].
    pub fn feedback(&self) -> Option<String> {
        feedback::compose(&self.errors, &self.warnings, &self.patches, self.sources)
    }
}

/// Returns what is to be said of a response whose patch is that of an earlier one, where both were
/// read without an error. A response that names a commit is one of a series, in which a commit may
/// make again what one between took back, unless it is the earlier one byte for byte.
fn repetition(
    (source, patch): (&Source, &Patch<'_>),
    (earlier, first): (&Source, &Patch<'_>),
) -> Option<Located<Warning>> {
    let is_of_series =
        || source.bytes() != earlier.bytes() && source.bytes().lines().any(unified::names_commit);
    if patch.edits.is_empty() || patch != first || is_of_series() {
        return None;
    }
    let [span, before] = [patch, first].map(|patch| patch.edits.first()?.span);
    let line = before.map_or(LineNo::FIRST, |span| earlier.line_at(span.start as usize));
    let warning = crate::response::Warning::RepeatedResponse {
        format: patch.format,
        name: earlier.name().to_owned(),
        first: line,
    };
    Some(Located::new(span, warning))
}

/// Returns the line of a response that something is said of.
fn line_of(one: &Diagnostic) -> Option<(BString, LineNo)> {
    let place = one.response.as_ref()?;
    Some((place.file.clone(), place.line()))
}

/// Returns whether a path, as a response writes it, is that of a file of a tree.
pub fn is_file(written: &[u8], resolver: &Resolver, tree: &dyn Tree) -> bool {
    let path = resolver.resolve(None, written);
    path.is_ok_and(|path| matches!(tree.read(&path), Ok(Entry::File(_))))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

    use super::*;

    const PATCH: &str = "*** Begin Patch\n*** Update File: a.txt\n-old\n+new\n*** End Patch\n";

    fn sources(texts: &[&str]) -> Vec<Source> {
        let source = |(number, text): (usize, &&str)| {
            let name = format!("{number}.txt");
            Source::new(SourceId(number as u16), name, text.as_bytes().to_vec()).unwrap()
        };
        texts.iter().enumerate().map(source).collect()
    }

    #[test]
    fn a_response_that_repeats_an_earlier_one_counts_once() {
        let other = PATCH.replace("new", "newer");
        let in_prose = format!("Here:\n\n{PATCH}");
        let series = |id: &str| format!("From {id} Mon Sep 17 00:00:00 2001\n\n{DIFF}");
        const DIFF: &str = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n";
        let [first, third] = ["0123456789", "abcdef0123"].map(series);
        let is_repeated = "an envelope that repeats the one in line";
        for (texts, edits, want) in [
            (&[PATCH, PATCH][..], &[1, 0][..], Some((2, 2))),
            (&[PATCH, &other, &in_prose], &[1, 1, 0], Some((4, 2))),
            (&[&in_prose, PATCH], &[1, 0], Some((2, 4))),
            (&[PATCH, &other], &[1, 1], None),
            (&[&first, &third], &[1, 1], None),
        ] {
            let sources = sources(texts);
            let read = Responses::read(&sources, &format::Options::default());
            let got: Vec<_> = read.patches.iter().map(|patch| patch.edits.len()).collect();
            assert_eq!(got, edits, "{texts:?}");
            let told = read.warnings.iter().map(|warning| {
                assert_eq!(warning.kind, Kind::RepeatedPatch);
                let line = warning.response.as_ref().unwrap().line();
                (line.index() + 1, warning.message.clone())
            });
            let want = want.map(|(line, first)| {
                let message =
                    format!("{is_repeated} {first} of `0.txt` is ignored: it is applied once");
                (line, message)
            });
            assert!(told.eq(want), "{:?}", read.warnings);
        }
        let twice = sources(&[&first, &first]);
        let read = Responses::read(&twice, &format::Options::default());
        assert_eq!(read.patches[1].edits.len(), 0);
    }
}
