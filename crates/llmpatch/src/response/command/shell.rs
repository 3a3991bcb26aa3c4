//! The commands of a script, one by one.

use std::ops::Range;

use bstr::ByteSlice as _;

use super::tools::{Act, Call, Names, act};
use super::words::{Reader, ShellToken, Word};
use super::{
    CommandRefusal, Doubt, Form, Handed, HandedKind, Meaning, head, holds_patch, names_move,
};
use crate::response::embedded::joined;

/// The longest directory that is followed, in bytes.
const LONGEST: usize = 1024;
/// The most patches of a script, and the most words of a command.
const MOST: usize = 10_000;
const MOST_WORDS: usize = 64;

/// A script that is being read.
pub(super) struct Shell<'s> {
    script: &'s [u8],
    reader: Reader<'s>,
    directory: String,
    pub(super) handed: Vec<Handed>,
    /// Whether a word that was read is a patch.
    pub(super) holds_patch: bool,
}

/// A simple command.
#[derive(Default)]
struct Command {
    words: Vec<Word>,
    /// What it reads.
    heredoc: Option<Word>,
    /// The sign of a redirection of what it prints.
    output: Option<Range<usize>>,
}

impl<'s> Shell<'s> {
    pub(super) fn new(script: &'s [u8]) -> Self {
        Self {
            script,
            reader: Reader::new(script),
            directory: String::new(),
            handed: Vec::new(),
            holds_patch: false,
        }
    }

    /// Reads the script to its end.
    pub(super) fn run(&mut self, form: Form) -> Result<(), CommandRefusal> {
        let mut piped = None;
        let mut end = ShellToken::Line;
        while end != ShellToken::End {
            if form == Form::Prose && end == ShellToken::Line {
                self.reader.sentences();
            }
            let mut command;
            (command, end) = self.command(piped.take())?;
            match (end, &command.words[..]) {
                (ShellToken::Pipe, [cat])
                    if cat.decoded.text == b"cat" && command.output.is_none() =>
                {
                    piped = command.heredoc.take();
                    if piped.is_none() {
                        return self.reader.refuse();
                    }
                }
                (ShellToken::Pipe, _) | (ShellToken::And | ShellToken::Semicolon, []) => {
                    return self.reader.refuse();
                }
                _ => self.execute(command)?,
            }
        }
        Ok(())
    }

    /// Reads a command, up to the sign that ends it. A heredoc may be piped into it.
    fn command(&mut self, heredoc: Option<Word>) -> Result<(Command, ShellToken), CommandRefusal> {
        let mut command = Command {
            heredoc,
            ..Command::default()
        };
        loop {
            let token = self.reader.next()?;
            let word = std::mem::take(&mut self.reader.word);
            match token {
                ShellToken::Word if command.words.len() < MOST_WORDS => command.words.push(word),
                ShellToken::Heredoc if command.heredoc.is_none() => command.heredoc = Some(word),
                ShellToken::Output => {
                    let start = self.reader.start;
                    if self.reader.next()? != ShellToken::Word {
                        return self.reader.refuse();
                    }
                    let end = self.reader.word.range.end;
                    command.output.get_or_insert(start..end);
                }
                ShellToken::Word | ShellToken::Heredoc => return self.reader.refuse(),
                end => return Ok((command, end)),
            }
        }
    }

    /// Does what a command says.
    fn execute(&mut self, command: Command) -> Result<(), CommandRefusal> {
        let Command {
            words,
            heredoc,
            output,
        } = &command;
        let Some(first) = words.first().or(heredoc.as_ref()) else {
            return Ok(());
        };
        let command_at = first.range.clone();
        let refused = || CommandRefusal::of_word(self.script, command_at.clone());
        let holds = |word: &Word| holds_patch(&word.decoded.text);
        let mut is_patch = words.iter().any(holds);
        self.holds_patch |= is_patch;
        is_patch |= heredoc.as_ref().is_some_and(holds);
        let texts = words.iter().map(|word| word.decoded.text.to_str());
        let texts: Vec<_> = texts.collect::<Result<_, _>>().map_err(|_| refused())?;
        let word = |text: &str| {
            let mut words = words.iter();
            words.find(|word| word.decoded.text == text.as_bytes())
        };
        let act = act(&texts).map_err(|(odd, doubt)| {
            let at = word(odd).unwrap_or(first).range.clone();
            let doubt = doubt(head(&self.script[at.clone()]));
            CommandRefusal { at, doubt }
        })?;
        let call = match act {
            Act::Applies(call) if self.handed.len() < MOST => call,
            Act::Other if !is_patch => return self.pass_over(words),
            Act::Enters(step) if !is_patch => {
                self.directory = entered(&self.directory, step).ok_or_else(refused)?;
                return Ok(());
            }
            _ => return Err(refused()),
        };
        if let Some(at) = output {
            return Err(CommandRefusal::of_word(self.script, at.clone()));
        }
        let given = call.given.and_then(word).xor(heredoc.as_ref());
        let text = &given.ok_or_else(refused)?.decoded;
        let meaning = self.meaning(&call, &text.text).map_err(|doubt| {
            let at = command_at.clone();
            CommandRefusal { at, doubt }
        })?;
        self.handed.push(Handed {
            command: command_at.clone(),
            text: text.clone(),
            meaning,
        });
        Ok(())
    }

    /// Passes over a command that has nothing to do with a patch, unless a line in one of its strings
    /// changes the directory: what looks like a string may be prose between two apostrophes.
    fn pass_over(&self, words: &[Word]) -> Result<(), CommandRefusal> {
        let moved = words.iter().find(|word| moves_below(&word.decoded.text));
        let moved = moved.map(|word| CommandRefusal::of_word(self.script, word.range.clone()));
        moved.map_or(Ok(()), Err)
    }

    /// Returns what a program does with a patch.
    fn meaning(&self, call: &Call<'_>, patch: &[u8]) -> Result<Meaning, Doubt> {
        let name = call.name.to_owned();
        let too_long = || Doubt::Word(name.clone());
        let mut directory = entered(&self.directory, &call.directory).ok_or_else(too_long)?;
        let mut lines = patch.lines();
        let is_of_git = patch.lines().any(|line| line.starts_with(GIT));
        let is_from_top = call.names == Names::Top || call.names == Names::Git && is_of_git;
        let is_below = !directory.is_empty() && !directory.starts_with('/');
        let is_name = |line: &[u8]| {
            (line.starts_with(b"--- ") || line.starts_with(b"+++ "))
                && line.contains(&b'/')
                && !line.ends_with(b" /dev/null")
        };
        match call.names {
            Names::Top if is_below => return Err(Doubt::FromTop(name)),
            Names::Git if is_below && is_of_git => {
                all_inside(patch, &directory, call)?;
                directory.clear();
            }
            Names::Git if is_below && call.strip.is_none() => {
                let mut names = patch.lines().filter(|line| is_name(line));
                if names.any(|line| strips_more(&line[4..], &directory, call.prefix)) {
                    return Err(Doubt::Guess(directory));
                }
            }
            Names::Last if call.strip.is_none() && lines.any(is_name) => {
                return Err(Doubt::Strip(name));
            }
            _ => {}
        }
        let directory = entered(&directory, call.prefix).ok_or_else(too_long)?;
        let what = match &call.trial {
            _ if call.names == Names::Script => HandedKind::Script,
            Some(option) => HandedKind::Trial(option.clone()),
            None => HandedKind::Patch,
        };
        Ok(Meaning {
            what,
            directory,
            strip: call.strip,
            recount: call.recount,
            from_top: is_from_top.then_some(name),
        })
    }
}

/// Returns whether `git apply`, unless it is told how many directories to strip, strips more than one
/// of a name: as many as the directory has in which it runs, if the name begins with that.
fn strips_more(name: &[u8], directory: &str, prefix: &str) -> bool {
    let name = name.strip_prefix(b"\"").unwrap_or(name);
    let root = if prefix.is_empty() { "" } else { "/" };
    let name = [prefix.as_bytes(), root.as_bytes(), name].concat();
    let inside = [directory, "/"].concat();
    let below_first = name.split_once_str("/").map_or(&b""[..], |(_, rest)| rest);
    if name.starts_with(inside.as_bytes()) {
        directory.contains('/')
    } else {
        below_first.starts_with(inside.as_bytes())
    }
}

/// Returns whether a line of a text, but for the first, begins with a command that changes the
/// directory.
fn moves_below(text: &[u8]) -> bool {
    let first = |line: &[u8]| names_move(line.fields().next().unwrap_or_default());
    text.lines().skip(1).any(first)
}

/// What begins a section of git's own diffs.
const GIT: &[u8] = b"diff --git ";

/// Checks that `git apply` applies all of a diff in a directory of the work tree: names behind `diff
/// --git` count from the top there, and what they make outside of the directory is left out.
///
/// # Errors
/// If it is left out, or a section has names that count from the directory.
fn all_inside(patch: &[u8], directory: &str, call: &Call<'_>) -> Result<(), Doubt> {
    let strip = call.strip.unwrap_or(1);
    let mut made = Vec::new();
    let mut is_header = false;
    let mut lines = patch.lines().peekable();
    while let Some(line) = lines.next() {
        let renamed = line.strip_prefix(b"rename to ");
        let renamed = renamed.or_else(|| line.strip_prefix(b"copy to "));
        let names =
            line.starts_with(b"--- ") && lines.peek().is_some_and(|next| next.starts_with(b"+++ "));
        if let Some(names) = line.strip_prefix(GIT) {
            is_header = true;
            made.push((names, strip));
        } else if line.starts_with(b"@@") {
            is_header = false;
        } else if let (true, Some(name), Some(last)) = (is_header, renamed, made.last_mut()) {
            // Such a name has no prefix.
            *last = (name, strip.saturating_sub(1));
        } else if !is_header && names {
            return Err(Doubt::FromTop(call.name.to_owned()));
        }
    }
    let inside = [directory, "/"].concat();
    let is_inside = |&(name, strip): &(&[u8], u32)| {
        let name = name.strip_prefix(b"\"").unwrap_or(name);
        let names = name.splitn_str(strip as usize + 1, "/");
        let name = names.last().unwrap_or_default();
        let name = match call.prefix {
            "" => name.to_owned(),
            prefix => [prefix.as_bytes(), b"/", name].concat(),
        };
        name.starts_with(inside.as_bytes())
    };
    if made.iter().all(is_inside) {
        Ok(())
    } else {
        Err(Doubt::LeftOut(directory.to_owned()))
    }
}

/// Returns the directory that a step leads to, if a system could enter it.
fn entered(directory: &str, step: &str) -> Option<String> {
    let directory = joined(directory, step);
    (directory.len() <= LONGEST).then_some(directory)
}
