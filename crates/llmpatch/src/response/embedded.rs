//! Patches in scripts: the texts that a shell command or a program hands to whatever applies
//! patches, each read as a response of its own, in the directory where its command runs.

use std::ops::Range;

use bstr::ByteSlice as _;

use super::literal::{Language, Program};
use super::{Error, command};
use crate::format::{self, Block, Options, blocks, envelope, opx};
use crate::patch::{Format, Operation};
use crate::text::{Decoded, Located, SourceId, Span, Text, is_blank, trim_start};

/// What a text has in it that hands a patch over.
const APPLIERS: [&str; 3] = ["apply_patch", "applypatch", "applyPatch"];

/// How deep scripts are looked into, one in the other.
pub(super) const DEEPEST: u8 = 5;

/// How the texts in a script are read.
#[derive(Clone, Copy)]
pub(super) struct Setting<'s> {
    pub(super) id: SourceId,
    pub(super) name: &'s str,
    pub(super) options: Options<'s>,
    /// The directory in which the script runs.
    pub(super) directory: &'s str,
    /// Returns where in the response a range of the script is.
    pub(super) place: &'s dyn Fn(Range<usize>) -> Span,
}

/// Returns whether the first line of a text that isn't blank begins a patch.
pub(super) fn begins_patch(text: &[u8]) -> bool {
    let first = text.lines().find(|line| !is_blank(line));
    first.is_some_and(|line| {
        let text = trim_start(line);
        envelope::starts_here(line)
            || opx::starts_here(text)
            || text.starts_with(b"diff --git ")
            || text.starts_with(b"--- ")
            || text.starts_with(b"Index: ")
            || blocks::opener(line).is_some()
    })
}

/// Reads the patches that a shell script or a program hands to whatever applies patches; nothing
/// for a text that does so with none. The shell begins at a place, and leaves there where it ends.
pub(super) fn read(
    text: &str,
    place: &mut command::WorkingDir,
    setting: Setting<'_>,
) -> Vec<Block<'static>> {
    if setting.options.depth >= DEEPEST || begins_patch(text.as_bytes()) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut shell = place.clone();
    if ["<<", "apply_patch", "applypatch", "git ", "patch "]
        .iter()
        .any(|name| text.contains(*name))
    {
        for patch in command::patches(text, &mut shell) {
            found.extend(of_command(text, &patch, setting));
        }
    }
    if !found.is_empty() {
        *place = shell;
    }
    found
}

/// Reads a patch that a shell command applies.
pub(super) fn of_command(
    text: &str,
    patch: &command::Embedded,
    setting: Setting<'_>,
) -> Option<Block<'static>> {
    let decoded = Decoded::new(text.as_bytes(), patch.body.clone(), &patch.edits);
    let meaning = patch.meaning.clone().and_then(|meaning| {
        let directory = joined(setting.directory, &meaning.directory);
        match doubt(&directory) {
            Some(doubt) => Err(doubt),
            None => Ok(command::Meaning {
                directory,
                ..meaning
            }),
        }
    });
    let meant = meaning.as_ref().ok();
    let is_file = |written: &[u8]| {
        let directory = meant.map_or("", |meaning| &meaning.directory);
        let is_file = setting.options.is_file;
        is_file.is_some_and(|is_file| is_file(&within(written, directory)))
    };
    let options = Options {
        strip: meant
            .and_then(|meaning| meaning.strip)
            .or(setting.options.strip),
        recount: setting.options.recount || meant.is_some_and(|meaning| meaning.recount),
        is_file: Some(&is_file),
        ..setting.options
    };
    let mut block = nested(&decoded, Setting { options, ..setting })?;
    match meaning {
        Ok(meaning) => enter(&mut block, &meaning.directory),
        Err(trouble) => refuse(&mut block, Error::Command(trouble)),
    }
    Some(block)
}

/// What a program is in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Holder {
    Fence(Language),
    /// A call, and the language that it names.
    Call(Option<Language>),
}

/// Reads the patches that a program hands over as literals; nothing for a text that is no program.
pub(super) fn program(text: &str, holder: Holder, setting: Setting<'_>) -> Vec<Block<'static>> {
    if setting.options.depth >= DEEPEST
        || begins_patch(text.as_bytes())
        || !APPLIERS.iter().any(|name| text.contains(name))
    {
        return Vec::new();
    }
    let (language, is_call) = match holder {
        Holder::Fence(language) => (Some(language), false),
        Holder::Call(language) => (language, language.is_some()),
    };
    let program = Program::read(text, language);
    let literals = match program.handed {
        Ok(literals) => literals,
        Err(refusal) if program.has_patch || is_call && text.contains("apply_patch(") => {
            let span = (setting.place)(refusal.range);
            let error = Error::Literal(refusal.why);
            return vec![Block {
                range: whole(text, setting),
                ..Block::refused(Format::Envelope, span, error)
            }];
        }
        Err(_) => return Vec::new(),
    };
    let texts = literals
        .into_iter()
        .map(|literal| Decoded::new(text.as_bytes(), literal.inner, &literal.splices));
    texts
        .filter_map(|text| {
            let mut block = nested(&text, setting)?;
            place(&mut block, setting.directory);
            Some(block)
        })
        .collect()
}

fn whole(text: &str, setting: Setting<'_>) -> Range<usize> {
    let span = (setting.place)(0..text.len());
    span.start as usize..span.end as usize
}

/// Reads a decoded text of a script as a response of its own.
fn nested(decoded: &Decoded, setting: Setting<'_>) -> Option<Block<'static>> {
    let source = crate::text::Source::new(setting.id, setting.name, decoded.text.clone())?;
    let options = Options {
        depth: setting.options.depth + 1,
        is_closed: true,
        format: None,
        ..setting.options
    };
    let parsed = format::parse(&source, &options);
    let place =
        |span: Span| (setting.place)(decoded.places.range(span.start as usize..span.end as usize));
    let whole = (setting.place)(decoded.places.range(0..decoded.text.len()));
    let mut block = format::tool::relocated(parsed, &place);
    block.range = whole.start as usize..whole.end as usize;
    Some(block)
}

/// Refuses what was read of a patch, since nobody knows what its command makes of it.
pub(super) fn refuse(block: &mut Block<'_>, error: Error) {
    let span = block.edits.first().and_then(|edit| edit.span);
    block.edits.iter_mut().for_each(|edit| {
        edit.operation = Operation::Unreadable;
    });
    block.errors = vec![Located {
        span,
        value: error.into(),
    }];
    block.warnings.clear();
}

/// Puts a patch into a directory, or refuses it where nobody knows which that is.
pub(super) fn place(block: &mut Block<'_>, directory: &str) {
    match doubt(directory) {
        None => enter(block, directory),
        Some(doubt) => refuse(block, Error::Command(doubt)),
    }
}

/// Returns why a directory can't be entered: only a shell knows it, or it leads out of the work
/// tree.
fn doubt(directory: &str) -> Option<command::Doubt> {
    let text = directory.to_owned();
    if directory.starts_with('~') || directory.contains(['$', '`', '*', '?']) {
        return Some(command::Doubt::Expansion { text });
    }
    let mut depth = 0_usize;
    for part in directory
        .split('/')
        .filter(|part| !matches!(*part, "" | "."))
    {
        depth = match part {
            ".." if depth == 0 && !directory.starts_with('/') => {
                return Some(command::Doubt::Outside { text });
            }
            ".." => depth.saturating_sub(1),
            _ => depth + 1,
        };
    }
    None
}

/// Puts a directory before the paths of a patch that are relative.
fn enter(block: &mut Block<'_>, directory: &str) {
    if directory.is_empty() {
        return;
    }
    block.directory = joined(directory, &block.directory);
    for edit in &mut block.edits {
        into(&mut edit.path, directory);
        match &mut edit.operation {
            Operation::Update { to: Some(to), .. } | Operation::Move { to } => into(to, directory),
            _ => {}
        }
    }
}

fn into(path: &mut Text<'_>, directory: &str) {
    *path = Text {
        bytes: within(path, directory).into(),
        span: path.span,
    };
}

/// Returns a path, written in a directory, as it is written outside of that.
fn within(path: &[u8], directory: &str) -> Vec<u8> {
    if directory.is_empty() || path.starts_with(b"/") || path.starts_with(b"file:") {
        return path.to_vec();
    }
    [directory.trim_end_matches('/').as_bytes(), b"/", path].concat()
}

/// Returns the directory that a directory written in another is.
pub(super) fn joined(outer: &str, inner: &str) -> String {
    match (outer, inner) {
        (outer, "") => outer.to_owned(),
        ("", inner) => inner.to_owned(),
        (_, inner) if inner.starts_with('/') => inner.to_owned(),
        (outer, inner) => format!("{}/{inner}", outer.trim_end_matches('/')),
    }
}
