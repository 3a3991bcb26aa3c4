//! What a shell command does with a patch: `cd pkg && git apply -p0 <<'EOF'`.
//!
//! A script is read as a shell would read it, first into tokens, then command by command. Nothing
//! is run: what only a run can tell is a [`Doubt`] for the patches that it concerns.
//!
//! The words are unquoted here and not by the crate `shlex`. It gives words without their places,
//! knows no operators and no heredocs, and what it has unquoted no longer says whether a `$` was
//! meant for the shell.

mod nesting;
mod shell;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod tokens;
mod tools;
mod word;
mod working_dir;

use std::ops::Range;

use crate::text::Splice;
use shell::Shell;
pub(super) use word::is_prompt;
use word::{Word, expansion};
pub(super) use working_dir::WorkingDir;

/// How deep groups, substitutions and shells within shells may be.
const DEEPEST: usize = 32;
/// How many bytes a directory may have; no system can enter a longer path.
const LONGEST: usize = 4096;

/// What a shell command does with a patch: in which directory it applies it, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Meaning {
    /// The directory, joined from all that is entered; empty for where the command runs.
    pub(crate) directory: String,
    /// How many directories are stripped from a diff's names (`-p<n>`), if said.
    pub(crate) strip: Option<u32>,
    /// Whether the counts of a diff's hunks mean nothing (`--recount`).
    pub(crate) recount: bool,
}

/// Why it can't be said what a command does with a patch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Doubt {
    /// The patch is taken back.
    #[error("`{option}` takes the patch back")]
    Reverse { option: String },
    /// A variable, a substitution, `~`, a glob, or quoting after which bytes are others.
    #[error("only a shell knows what `{text}` stands for")]
    Expansion { text: String },
    /// An option or an operand that changes which text is meant.
    #[error("what `{option}` of `{command}` means isn't known")]
    Option { command: String, option: String },
    /// A command that may change the directory or the patch.
    #[error("what `{name}` does before the patch is applied isn't known")]
    Command { name: String },
    /// A directory above the top of the work tree.
    #[error("`{text}` leads out of the work tree")]
    Outside { text: String },
    #[error("the script applies it only in some cases")]
    Condition,
    /// A string of a script whose command isn't known.
    #[error("it is in quotes that a line above it opens")]
    Quotes,
    /// Quotes or parentheses.
    #[error("the command's quotes or parentheses don't close")]
    Unclear,
}

/// A patch in a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Embedded {
    /// Where its text is, in bytes of the script.
    pub(crate) body: Range<usize>,
    /// What the shell puts in place of what of it, in order.
    pub(crate) edits: Vec<Splice>,
    /// What its command does with it.
    pub(crate) meaning: Result<Meaning, Doubt>,
}

/// Returns what a command that is given as words does with a patch; `None` if it applies none.
pub(crate) fn meaning_of_words(words: &[String]) -> Result<Option<Meaning>, Doubt> {
    let mut shell = Shell::new("", WorkingDir::default(), 0);
    let words: Vec<_> = words.iter().map(|word| Word::given(word)).collect();
    shell.execute(&words);
    shell.meaning()
}

/// Returns what a command does with a patch that it reads from its input; `None` if it applies
/// none. An only word is what a shell reads.
pub(crate) fn meaning_of_input(words: &[String]) -> Option<Result<Meaning, Doubt>> {
    let script = words.first().filter(|_| words.len() == 1);
    let mut shell = Shell::new(script.map_or("", |script| script), WorkingDir::default(), 0);
    if script.is_some() {
        shell.run();
    } else {
        let words: Vec<_> = words.iter().map(|word| Word::given(word)).collect();
        shell.execute(&words);
    }
    shell.meaning_of_input()
}

/// Returns where a script that begins at a place leaves the shell, and whether the shell could run
/// it: whether all quotes, groups and conditions that it opens close.
pub(super) fn follow(place: &WorkingDir, script: &str) -> (WorkingDir, bool) {
    let mut shell = Shell::new(script, place.clone(), 0);
    shell.run();
    let text = script.trim_end_matches(['\r', '\n']);
    let slashes = text.len() - text.trim_end_matches('\\').len();
    let is_whole = shell.is_whole() && slashes.is_multiple_of(2);
    (shell.place, is_whole)
}

/// Finds the patches that a script hands to commands that apply patches. It begins at a place, and
/// leaves there where it ends.
pub(super) fn patches(script: &str, place: &mut WorkingDir) -> Vec<Embedded> {
    let mut shell = Shell::new(script, place.clone(), 0);
    shell.run();
    *place = shell.place;
    let mut patches: Vec<Embedded> = Vec::new();
    for found in shell.found {
        let Some(body) = found.body else { continue };
        let expanded = body.expanded.filter(|_| !found.is_literal);
        let trouble = body.trouble.or(expanded.as_deref().map(expansion));
        if patches.last().is_some_and(|last| last.body == body.range) {
            continue;
        }
        patches.push(Embedded {
            body: body.range,
            edits: body.edits,
            meaning: trouble.map_or(found.meaning, Err),
        });
    }
    patches
}
