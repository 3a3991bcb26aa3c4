//! The words of a command, and the text that a script holds for it.

use std::ops::Range;

use super::Doubt;
use crate::text::{Splice, is_name};

/// Text that a script holds for a command.
#[derive(Clone, Debug, Default)]
pub(super) struct InlineText {
    pub(super) range: Range<usize>,
    pub(super) edits: Vec<Splice>,
    /// The first expansion in a heredoc. What runs agents takes the heredoc of `apply_patch` as it
    /// is written.
    pub(super) expanded: Option<String>,
    /// Why the text isn't what the command reads.
    pub(super) trouble: Option<Doubt>,
}

/// A word of a command.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    /// What the shell makes of it; expansions stay as they are written.
    pub(super) text: String,
    /// The expansions, in `text`.
    pub(super) expansions: Vec<Range<usize>>,
    /// Its place in the script.
    pub(super) range: Range<usize>,
    /// What makes the text of what is in that place: quotes and escapes go.
    pub(super) edits: Vec<Splice>,
    /// Whether nothing of it is quoted.
    pub(super) bare: bool,
    /// Whether all of it is quoted, or escaped.
    pub(super) is_quoted: bool,
    /// The heredoc in a substitution `$(cat <<'EOF' …)`.
    pub(super) heredoc: Option<InlineText>,
}

impl Word {
    /// Returns a word that no shell reads.
    pub(super) fn given(text: &str) -> Word {
        Word {
            text: text.to_owned(),
            ..Word::default()
        }
    }

    /// Returns the text, if it is the same in every run.
    pub(super) fn fixed(&self) -> Result<&str, Doubt> {
        match self.expansions.first() {
            Some(range) => Err(expansion(&self.text[range.clone()])),
            None => Ok(&self.text),
        }
    }

    /// Returns the word as text that a command is handed.
    pub(super) fn body(&self) -> Option<InlineText> {
        let all = 0..self.text.len();
        if self.heredoc.is_some() && self.expansions.first() == Some(&all) {
            return self.heredoc.clone();
        }
        if self.bare {
            return None;
        }
        let unclear = (!self.is_quoted).then_some(Doubt::Unclear);
        Some(InlineText {
            range: self.range.clone(),
            edits: self.edits.clone(),
            expanded: None,
            trouble: self.fixed().err().or(unclear),
        })
    }

    /// Returns whether the word sets a variable: `A=b`.
    pub(super) fn is_assignment(&self) -> bool {
        let name = self.text.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| {
            let mut bytes = name.trim_end_matches('+').bytes();
            !name.is_empty() && bytes.all(is_name)
        })
    }

    /// Returns whether a shell that is started takes the word as an option.
    pub(super) fn is_option(&self) -> bool {
        self.text.starts_with(['-', '+']) && !self.text.contains(['\n', ' '])
    }

    /// Returns the trouble that the word is as an option of a command.
    pub(super) fn unknown(&self, command: &str) -> Doubt {
        Doubt::Option {
            command: command.to_owned(),
            option: head(&self.text),
        }
    }

    /// Takes out a part of the script that the text doesn't have.
    pub(super) fn drop(&mut self, old: Range<usize>) {
        let new = Vec::new();
        self.edits.push(Splice { old, new });
    }

    /// Returns the word from a byte on.
    pub(super) fn from(&self, start: usize) -> Word {
        Word {
            text: self.text[start..].to_owned(),
            expansions: self
                .expansions
                .iter()
                .map(|range| range.start.saturating_sub(start)..range.end.saturating_sub(start))
                .collect(),
            ..Word::default()
        }
    }
}

/// Returns the first thing that a shell replaces in a heredoc without quotes.
pub(super) fn expanded_in(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let mut signs = memchr::memchr3_iter(b'`', b'$', b'\\', bytes);
    let start = signs.find(|at| match &bytes[*at..] {
        [b'`', ..] => true,
        [b'$', next, ..] => is_name(*next) || b"({?!@*#-$".contains(next),
        [b'\\', next, ..] => b"$`\\\n".contains(next),
        _ => false,
    })?;
    let name = bytes[start + 1..].iter().take_while(|byte| is_name(**byte));
    let len = 1 + name.count().max(usize::from(bytes[start] != b'`'));
    text.get(start..start + len).or(text.get(start..start + 1))
}

/// Returns the trouble of a text that the shell replaces.
pub(super) fn expansion(text: &str) -> Doubt {
    Doubt::Expansion { text: head(text) }
}

/// Returns as much of a text as a message names.
fn head(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.chars().take(60).collect()
}

/// Returns whether a word is a prompt such as `user@host:~/work$`. A prompt has no quotes: behind one,
/// the shell's word is another.
pub(in crate::response) fn is_prompt(word: &str) -> bool {
    word.contains('@') && word.ends_with(['$', '#', '%']) && !word.contains(['"', '\'', '`', '\\'])
}

/// Returns the text that `echo` or `printf` prints, if it is given as a word.
pub(super) fn echoed(words: &[Word]) -> Option<InlineText> {
    let (name, args) = words.split_first()?;
    let args: Vec<_> = args.iter().collect();
    let (option, word) = match args[..] {
        [word] if name.text == "echo" => (None, word),
        [option, word] if name.text == "echo" => (Some(option), word),
        [format, word] if name.text == "printf" => (Some(format), word),
        _ => return None,
    };
    let is_plain = |option: &&Word| matches!(option.text.as_str(), "-n" | "%s" | "%s\\n");
    let trouble = option
        .filter(|option| !is_plain(option))
        .map(|option| option.unknown(&name.text));
    let body = word.body()?;
    Some(InlineText {
        trouble: trouble.or(body.trouble),
        ..body
    })
}
