//! Patches in scripts: the texts that a shell command or a program hands to whatever applies
//! patches, each read as a response of its own, in the directory where its command runs.

use std::ops::Range;

use bstr::ByteSlice as _;

use super::command::{Form, Handed, HandedKind, Meaning};
use super::literal::{Language, Program};
use super::{Block, Error, NoPatch, command, parse};
use crate::format::{Options, blocks, envelope, opx};
use crate::patch::{Format, Operation};
use crate::text::{Decoded, Located, SourceId, Span, Text, trim_start};

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

/// Returns whether a patch begins in the first line of a text.
pub(super) fn begins_patch(text: &[u8]) -> bool {
    let (line, below) = text.split_once_str("\n").unwrap_or((text, b""));
    let first = trim_start(line);
    envelope::starts_here(line)
        || opx::starts_here(first)
        || blocks::opener(line).is_some()
        || first.starts_with(b"diff --git ")
        || first.starts_with(b"--- ") && trim_start(below).starts_with(b"+++ ")
}

/// What is in a script.
#[derive(Default)]
pub(super) struct InScript {
    pub(super) blocks: Vec<Block<'static>>,
    /// Patches that a command only tries.
    pub(super) trials: Vec<(Span, NoPatch)>,
    /// The offset in the script up to which it was read.
    pub(super) end: usize,
}

/// Reads the patches that a shell script hands to whatever applies patches; nothing for a text that
/// does so with none.
pub(super) fn read(text: &[u8], form: Form, setting: Setting<'_>) -> InScript {
    let mut found = InScript::default();
    if setting.options.depth >= DEEPEST || begins_patch(text.trim_ascii_start()) {
        return found;
    }
    match command::read(text, form) {
        Ok(handed) => {
            for handed in &handed {
                found.add(handed, setting);
                found.end = handed.text.places.at(handed.text.text.len());
            }
        }
        Err(refusal) => {
            let span = (setting.place)(refusal.at);
            let error = Error::Command(refusal.doubt);
            let refused = Block::refused(Format::Envelope, span, error);
            found.blocks.push(refused);
            found.end = text.len();
        }
    }
    found
}

/// Reads a heredoc that is all of an argument, as `apply_patch` is given it.
pub(super) fn of_argument(text: &[u8], setting: Setting<'_>) -> InScript {
    const COMMAND: &[u8] = b"apply_patch ";
    let place = |range: Range<usize>| {
        let [start, end] =
            [range.start, range.end].map(|offset| offset.saturating_sub(COMMAND.len()));
        (setting.place)(start..end)
    };
    if text.starts_with(b"<<") {
        read(
            &[COMMAND, text].concat(),
            Form::Script,
            Setting {
                place: &place,
                ..setting
            },
        )
    } else {
        read(text, Form::Script, setting)
    }
}

impl InScript {
    /// Adds what a command is handed.
    fn add(&mut self, handed: &Handed, setting: Setting<'_>) {
        let (text, meaning) = (&handed.text, &handed.meaning);
        match &meaning.what {
            HandedKind::Patch => self.blocks.extend(of_command(text, meaning, setting)),
            HandedKind::Script => {
                let directory = joined(setting.directory, &meaning.directory);
                let inner = Setting {
                    directory: &directory,
                    ..setting
                };
                self.extend(script_of(text, inner));
            }
            HandedKind::Trial(option) => {
                let option = option.clone();
                let at = (setting.place)(handed.command.clone());
                self.trials.push((at, NoPatch::Trial { option }));
            }
        }
    }

    fn extend(&mut self, mut inner: InScript) {
        self.blocks.append(&mut inner.blocks);
        self.trials.append(&mut inner.trials);
    }
}

/// Reads a script that another script or a program holds.
fn script_of(decoded: &Decoded, setting: Setting<'_>) -> InScript {
    let place = |range: Range<usize>| (setting.place)(decoded.places.range(range));
    let inner = Setting {
        place: &place,
        options: deeper(setting.options),
        ..setting
    };
    read(&decoded.text, Form::Script, inner)
}

fn deeper(options: Options<'_>) -> Options<'_> {
    Options {
        depth: options.depth + 1,
        only: &[],
        ..options
    }
}

/// Reads a patch that a shell command applies.
pub(super) fn of_command(
    decoded: &Decoded,
    meaning: &Meaning,
    setting: Setting<'_>,
) -> Option<Block<'static>> {
    let directory = joined(setting.directory, &meaning.directory);
    let is_file = |written: &[u8]| {
        let is_file = setting.options.is_file;
        is_file.is_some_and(|is_file| is_file(&within(written, &directory)))
    };
    let options = Options {
        strip: meaning.strip.or(setting.options.strip),
        recount: setting.options.recount || meaning.recount,
        is_file: Some(&is_file),
        ..setting.options
    };
    let mut block = nested(decoded, Setting { options, ..setting })?;
    place(&mut block, &directory);
    let is_below = !setting.directory.is_empty() && !is_absolute(setting.directory.as_bytes());
    if let Some(program) = meaning.from_top.clone().filter(|_| is_below) {
        refuse(&mut block, Error::Command(command::Doubt::FromTop(program)));
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
        is_closed: true,
        format: None,
        ..deeper(setting.options)
    };
    let parsed = parse(&source, &options);
    let place =
        |span: Span| (setting.place)(decoded.places.range(span.start as usize..span.end as usize));
    let whole = (setting.place)(decoded.places.range(0..decoded.text.len()));
    let mut block = parsed.into_block(&place);
    block.range = whole.start as usize..whole.end as usize;
    Some(block)
}

/// Refuses what was read of a patch, since nobody knows what its command makes of it.
pub(super) fn refuse(block: &mut Block<'_>, error: Error) {
    let span = block.edits.first().and_then(|edit| edit.span);
    block.edits.iter_mut().for_each(|edit| {
        edit.operation = Operation::Unreadable;
    });
    block.errors = vec![Located { span, value: error }];
    block.warnings.clear();
}

/// Puts a patch into a directory, or refuses it where nobody knows which that is.
pub(super) fn place(block: &mut Block<'_>, directory: &str) {
    let directory = &joined("", directory);
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
        return Some(command::Doubt::Expansion(text));
    }
    let is_outside = directory.split('/').next() == Some("..");
    is_outside.then_some(command::Doubt::Outside(text))
}

/// Puts a directory before the paths of a patch that are relative.
fn enter(block: &mut Block<'_>, directory: &str) {
    if directory.is_empty() {
        return;
    }
    block.directory = joined(directory, &block.directory);
    for edit in &mut block.edits {
        // No `-p` takes off what the script enters.
        edit.depth = None;
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

/// Returns a path, written in a directory, as it is written outside of that. `~` is in no directory.
fn within(path: &[u8], directory: &str) -> Vec<u8> {
    let is_whole = is_absolute(path) || path.starts_with(b"file:") || path.starts_with(b"~");
    if directory.is_empty() || is_whole {
        return path.to_vec();
    }
    [directory.trim_end_matches('/').as_bytes(), b"/", path].concat()
}

/// Returns whether a path counts from no directory: on Windows, it may begin with a drive.
fn is_absolute(path: &[u8]) -> bool {
    let is_of_drive =
        |path: &[u8]| path[0].is_ascii_alphabetic() && matches!(path[2], b'/' | b'\\');
    path.starts_with(b"/") || path.get(1) == Some(&b':') && path.len() > 2 && is_of_drive(path)
}

/// Returns the directory that a directory written in another is, by its spelling.
pub(super) fn joined(outer: &str, inner: &str) -> String {
    let outer = if is_absolute(inner.as_bytes()) {
        ""
    } else {
        outer
    };
    let whole = if outer.is_empty() { inner } else { outer };
    let root = if whole.starts_with('/') { "/" } else { "" };
    let mut names: Vec<&str> = Vec::new();
    for name in outer.split('/').chain(inner.split('/')) {
        match name {
            "" | "." => {}
            ".." if names.last().is_some_and(|last| *last != "..") => drop(names.pop()),
            ".." if !root.is_empty() => {}
            _ => names.push(name),
        }
    }
    format!("{root}{}", names.join("/"))
}
