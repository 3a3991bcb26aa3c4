//! What a shell's script hands to commands that apply patches: `cd pkg && git apply -p0 <<'EOF'`.
//!
//! A script is read by lists of forms and never interpreted. Its commands are simple: words that
//! are plain or quoted, one command behind the other by line ends, `;` and `&&`. `cd` enters a
//! directory; a program that applies patches is handed its patch by a heredoc, by `cat` and a pipe,
//! or as a word; a shell runs a script of its own; all other commands are passed over. A script
//! that hands over a patch and has anything else in it, wherever, is refused, and the refusal names
//! the word: a condition, a variable, an option that isn't in [`tools`], a program between the patch
//! and what applies it. So a patch is read only in the directory in which a shell would apply it,
//! and none is lost.
//!
//! # Where the contract on the formats is silent
//! - In prose, outside of fences, the script is all text between two fences or patches. A line that
//!   begins as a sentence does is no command: by a capital letter, a digit, a list's bullet or the
//!   sign of a quotation or a table. A sentence that names `cd` may mean it, so it is read as a
//!   command, and is mostly refused.
//! - A sign is no word: the `$` of a prompt is refused.
//! - `git apply` takes the names behind `diff --git` from the top of the work tree, wherever it
//!   runs, and leaves out files that it would make outside of its directory (seen with git 2.47): a
//!   patch of such files is refused. `git am` and `git llmpatch apply` take all names from the top; in
//!   a directory of the work tree they are refused.
//! - `patch` without `-p` takes the last part of a name; it is refused where a name has more.

mod shell;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod tools;
mod words;

use std::ops::Range;

use bstr::ByteSlice as _;

use super::embedded::begins_patch;
use super::prose_line;
use crate::text::{self, Decoded};
use shell::Shell;
use tools::Act;

/// What a text is that is read as a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// What a call is given, or what a fence holds.
    Script,
    /// Commands with prose between them.
    Prose,
}

/// What a command is handed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum HandedKind {
    #[default]
    Patch,
    /// A script, which may hand over patches itself.
    Script,
    /// A patch that an option keeps from being applied.
    Trial(String),
}

/// What a command does with a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Meaning {
    pub(crate) what: HandedKind,
    /// The directory of the names, joined from all that is entered; empty for where the script runs.
    pub(crate) directory: String,
    /// How many directories are stripped from a diff's names, if said.
    pub(crate) strip: Option<u32>,
    /// Whether the counts of a diff's hunks mean nothing.
    pub(crate) recount: bool,
    /// The program that takes names from the top of the work tree, wherever the script runs.
    pub(crate) from_top: Option<String>,
}

/// Why it can't be said what a command does with a patch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Doubt {
    #[error("`{0}` takes the patch back")]
    Reverse(String),
    /// A word that is in no list of forms.
    #[error("`{0}` isn't read where a command is handed a patch")]
    Word(String),
    /// The delimiter of a heredoc.
    #[error("a shell changes text below `<<{0}`, since the word isn't quoted")]
    Unquoted(String),
    /// A quote, or a heredoc.
    #[error("nothing ends `{0}`, in a command that is handed a patch")]
    Open(String),
    #[error("`{0}` takes names from the top of the work tree, whatever the directory")]
    FromTop(String),
    #[error("`git apply` leaves out files outside of `{0}`, the directory in which it runs")]
    LeftOut(String),
    #[error("`{0}` without `-p` takes only the last parts of names")]
    Strip(String),
    #[error("without `-p`, `git apply` in `{0}` guesses how many directories to take off names")]
    Guess(String),
    #[error("only a shell knows which directory `{0}` is")]
    Expansion(String),
    #[error("the directory `{0}` is outside of the work tree")]
    Outside(String),
    #[error("this patch is in quotes that a line above it opens")]
    Quotes,
}

/// A word of a script that keeps its patches from being read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandRefusal {
    pub(crate) at: Range<usize>,
    pub(crate) doubt: Doubt,
}

/// A text that a script hands to a command.
#[derive(Debug)]
pub(crate) struct Handed {
    /// Where the command's name is in the script.
    pub(crate) command: Range<usize>,
    pub(crate) text: Decoded,
    pub(crate) meaning: Meaning,
}

impl CommandRefusal {
    /// Refuses the word in a range of a script.
    fn of_word(script: &[u8], at: Range<usize>) -> Self {
        let doubt = Doubt::Word(head(&script[at.clone()]));
        Self { at, doubt }
    }
}

/// Returns as much of a text as a message names.
fn head(text: &[u8]) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.chars().take(60).collect()
}

/// Finds the patches that a text hands over as a script; none if it isn't one.
///
/// # Errors
/// Where there is a patch, the first word that is in no list of forms.
pub(crate) fn read(text: &[u8], form: Form) -> Result<Vec<Handed>, CommandRefusal> {
    let mut shell = Shell::new(text);
    match shell.run(form) {
        Ok(()) => Ok(shell.handed),
        Err(refusal) if shell.holds_patch || holds_hidden_patch(text) => Err(refusal),
        Err(_) => Ok(Vec::new()),
    }
}

/// Returns the word that a command which is given as words applies, or runs as a script; `None` if
/// there is no patch in it.
///
/// # Errors
/// If its first word is in no list of forms.
pub(crate) fn of_words<'w>(words: &[&'w str]) -> Result<Option<&'w str>, Doubt> {
    let holds = |word: &&str| holds_patch(word.as_bytes()) || holds_hidden_patch(word.as_bytes());
    match tools::act(words) {
        _ if !words.iter().any(holds) => Ok(None),
        Ok(Act::Applies(call)) if call.given.is_some() => Ok(call.given),
        _ => Err(Doubt::Word(head(words[0].as_bytes()))),
    }
}

/// Returns whether a patch begins in any line of a text of several lines.
fn holds_patch(text: &[u8]) -> bool {
    let starts = memchr::memchr_iter(b'\n', text).map(|end| end + 1);
    text.contains(&b'\n') && starts.chain([0]).any(|start| begins_patch(&text[start..]))
}

/// Returns whether a text that can't be read as a script has a patch where only scripts have one:
/// below the sign of a heredoc, or behind a quote.
fn holds_hidden_patch(text: &[u8]) -> bool {
    let mut is_below = false;
    let mut at = 0;
    let escaped = ["'*** Begin Patch\\n", "\"*** Begin Patch\\n", "\\n+++ "];
    let mut lines = text.lines_with_terminator();
    escaped.iter().any(|mark| text.contains_str(mark))
        || lines.any(|line| {
            let quote = line.rfind_byteset("'\"").map(|quote| at + quote + 1);
            let starts = [quote, is_below.then_some(at)];
            is_below |= prose_line::heredocs(line).next().is_some();
            at += line.len();
            starts
                .into_iter()
                .flatten()
                .any(|start| begins_patch(&text[start..]))
        })
}

/// Returns whether a text names a command that changes the directory.
pub(super) fn names_move(text: &[u8]) -> bool {
    let mut words = text.split(|byte| !text::is_word(*byte));
    words.any(|word| matches!(word, b"cd" | b"pushd" | b"popd"))
}
