//! What a reply holds, and how it is made of what the library says.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use llmpatch::apply::{Planned, Refused};
use llmpatch::compare::Options;
use llmpatch::format::unified::{self, Quoting};
use llmpatch::path::Resolver;
use llmpatch::plan::{Change, ChangeSet, derive};
use llmpatch::report::{Detail, Diagnostic, FileReport, HunkReport, LineCount, Report, State};
use llmpatch::text::Source;
use llmpatch::{RepoPath, message};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::Encoded;
use crate::blobs::Blobs;
use crate::message::Message;

/// What is said to a request.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Reply {
    /// The request is wrong.
    Misused(String),
    /// Files that are needed.
    Wanted(Vec<String>),
    /// What the response comes to.
    #[serde(untagged)]
    Answered {
        document: Box<RawValue>,
        changed: Vec<Changed>,
        #[serde(skip_serializing_if = "Option::is_none")]
        messages: Option<Vec<Message>>,
    },
}

/// A file that changes; without content if it is deleted.
#[derive(Serialize)]
pub(crate) struct Changed {
    path: String,
    #[serde(flatten)]
    content: Option<Encoded>,
    executable: bool,
}

impl Reply {
    /// Makes the reply of a document.
    ///
    /// # Errors
    /// If the document isn't JSON.
    pub(crate) fn answered(
        document: String,
        changed: Vec<Changed>,
        messages: Option<Vec<Message>>,
    ) -> Result<Self, serde_json::Error> {
        let document = RawValue::from_string(document)?;
        Ok(Self::Answered {
            document,
            changed,
            messages,
        })
    }
}

/// Returns what programs are told of a response, and the files as they become.
pub(crate) fn report_of(
    planned: Result<Planned<'_>, Refused<'_>>,
    sources: &[Source],
    resolver: &Resolver,
    shows_diff: bool,
) -> (Report, Vec<Changed>) {
    match planned {
        Ok(mut planned) => {
            Diagnostic::name_as_written(&mut planned.warnings, &planned.patches, resolver);
            let changed = planned.changes.iter().map(changed).collect();
            let files = files(&planned, sources, resolver, shows_diff);
            let detail = Detail {
                plan: Some(planned.changes.id()),
                message: Some(message::compose(&planned.patches, &planned.changes)),
                parts: planned.parts,
                ..Detail::of(&planned.patches, &planned.placements, sources)
            };
            let report = Report::checked(files, planned.warnings);
            (Report { detail, ..report }, changed)
        }
        Err(mut refused) => {
            let feedback = refused.feedback();
            Diagnostic::name_as_written(&mut refused.errors, &refused.patches, resolver);
            Diagnostic::name_as_written(&mut refused.warnings, &refused.patches, resolver);
            let detail = Detail {
                parts: refused.parts,
                ..Detail::of(&refused.patches, &[], sources)
            };
            let state = State::NothingChanged;
            let report = Report {
                detail,
                feedback,
                ..Report::failed_with(state, refused.errors, refused.warnings)
            };
            (report, Vec::new())
        }
    }
}

fn files(
    planned: &Planned<'_>,
    sources: &[Source],
    resolver: &Resolver,
    shows_diff: bool,
) -> Vec<FileReport> {
    let changes = &planned.changes;
    let mut counts = counts(changes);
    let mut files = FileReport::list(changes, |path| counts.remove(path));
    let mut hunks = HunkReport::by_file(&planned.patches, &planned.placements, resolver, sources);
    for file in &mut files {
        file.tell_states(changes, Some(&Blobs));
        file.hunks = hunks.remove(&file.path).unwrap_or_default();
        file.diff = diff(changes, file).filter(|_| shows_diff).map(Into::into);
    }
    files
}

fn counts(changes: &ChangeSet) -> HashMap<&RepoPath, LineCount> {
    let mut counts: HashMap<_, LineCount> = HashMap::new();
    let counted = derive::changed_lines(changes, &Blobs, &Options::default());
    for file in counted.unwrap_or_default() {
        let count = counts.entry(file.path).or_default();
        count.added += file.added;
        count.removed += file.removed;
    }
    counts
}

/// Returns the unified diff of a file, unless it is binary.
fn diff(changes: &ChangeSet, file: &FileReport) -> Option<Vec<u8>> {
    let paths = [Some(&file.path), file.from.as_ref()];
    let of_file = paths.into_iter().flatten();
    let of_file = ChangeSet::new(of_file.filter_map(|path| changes.get(path).cloned()));
    let patch = derive::unified(&of_file, &Blobs, &Options::default()).ok()?;
    Some(unified::print(&patch, Quoting::default()))
}

fn changed(change: &Change) -> Changed {
    let after = change.after.as_ref();
    Changed {
        path: change.path.as_bstr().to_string(),
        content: after.map(|file| written(&file.content)),
        executable: after.is_some_and(|file| file.mode.executable),
    }
}

fn written(bytes: &[u8]) -> Encoded {
    match std::str::from_utf8(bytes) {
        Ok(text) => Encoded::Text(text.to_owned()),
        Err(_) => Encoded::Bytes(STANDARD.encode(bytes)),
    }
}
