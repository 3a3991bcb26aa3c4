//! What a shell command does with a patch: `cd pkg && git apply -p0 <<'EOF'`.
//!
//! A script is read as a shell would read it, first into tokens, then command by command. Nothing
//! is run: what only a run can tell is a [`Doubt`] for the patches that it concerns.
//!
//! The words are unquoted here and not by the crate `shlex`. It gives words without their places,
//! knows no operators and no heredocs, and what it has unquoted no longer says whether a `$` was
//! meant for the shell.

use std::mem;
use std::ops::Range;
use std::rc::Rc;

use super::decoded::Decoded;
use crate::text::Splice;

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

/// Finds the patches that a script hands to commands that apply patches.
pub(crate) fn patches(script: &str) -> Vec<Embedded> {
    let mut shell = Shell::new(script, WorkingDir::default(), 0);
    shell.run();
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

/// Text that a script holds for a command.
#[derive(Clone, Debug, Default)]
struct InlineText {
    range: Range<usize>,
    edits: Vec<Splice>,
    /// The first thing that a shell replaces in a heredoc. What runs agents takes the one of
    /// `apply_patch` as it is written.
    expanded: Option<String>,
    /// Why the text isn't what the command reads.
    trouble: Option<Doubt>,
}

/// A word of a command.
#[derive(Clone, Debug, Default)]
struct Word {
    /// What the shell makes of it; expansions stay as they are written.
    text: String,
    /// The expansions, in `text`.
    expansions: Vec<Range<usize>>,
    /// Its place in the script.
    range: Range<usize>,
    /// What makes the text of what is in that place: quotes and escapes go.
    edits: Vec<Splice>,
    /// Whether nothing of it is quoted.
    bare: bool,
    /// Whether all of it is quoted, or escaped.
    is_quoted: bool,
    /// The heredoc in a substitution `$(cat <<'EOF' …)`.
    heredoc: Option<InlineText>,
}

impl Word {
    /// Returns a word that no shell reads.
    fn given(text: &str) -> Word {
        Word {
            text: text.to_owned(),
            ..Word::default()
        }
    }

    /// Returns the text, if it is the same in every run.
    fn fixed(&self) -> Result<&str, Doubt> {
        match self.expansions.first() {
            Some(range) => Err(expansion(&self.text[range.clone()])),
            None => Ok(&self.text),
        }
    }

    /// Returns the word as text that a command is handed.
    fn body(&self) -> Option<InlineText> {
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
    fn is_assignment(&self) -> bool {
        let is_name = |name: &str| name.bytes().all(|byte| is_name_byte(&byte));
        let name = self.text.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| !name.is_empty() && is_name(name.trim_end_matches('+')))
    }

    /// Returns whether a shell that is started takes the word as an option.
    fn is_option(&self) -> bool {
        self.text.starts_with(['-', '+']) && !self.text.contains(['\n', ' '])
    }

    /// Returns the trouble that the word is as an option of a command.
    fn unknown(&self, command: &str) -> Doubt {
        Doubt::Option {
            command: command.to_owned(),
            option: head(&self.text),
        }
    }

    /// Takes out a part of the script that the text doesn't have.
    fn drop(&mut self, old: Range<usize>) {
        let new = Vec::new();
        self.edits.push(Splice { old, new });
    }

    /// Returns the word from a byte on.
    fn from(&self, start: usize) -> Word {
        let shift = |range: &Range<usize>| {
            range.start.saturating_sub(start)..range.end.saturating_sub(start)
        };
        Word {
            text: self.text[start..].to_owned(),
            expansions: self.expansions.iter().map(shift).collect(),
            ..Word::default()
        }
    }
}

/// Returns the first thing that a shell replaces in a heredoc without quotes.
fn expanded_in(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let begins = |at: usize| match (bytes[at], bytes.get(at + 1)) {
        (b'`', _) => true,
        (b'$', Some(next)) => is_name_byte(next) || b"({?!@*#-$".contains(next),
        (b'\\', Some(next)) => b"$`\\\n".contains(next),
        _ => false,
    };
    let start = memchr::memchr3_iter(b'`', b'$', b'\\', bytes).find(|at| begins(*at))?;
    let name = bytes[start + 1..]
        .iter()
        .take_while(|byte| is_name_byte(byte));
    let len = 1 + name.count().max(usize::from(bytes[start] != b'`'));
    text.get(start..start + len).or(text.get(start..start + 1))
}

fn is_name_byte(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

/// Returns the trouble of a text that the shell replaces.
fn expansion(text: &str) -> Doubt {
    Doubt::Expansion { text: head(text) }
}

/// Returns as much of a text as a message names.
fn head(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.chars().take(60).collect()
}

/// A part of a script.
#[derive(Debug)]
enum ShellToken {
    Word(Word),
    /// A heredoc or a here-string.
    Stdin(InlineText),
    /// The output goes to a file.
    Writes,
    /// An operator or a newline.
    Operator(&'static str),
    /// From here on the script can't be read.
    Unclear(Range<usize>),
}

/// The operators that aren't redirections. An operator is before its own beginning.
const OPERATORS: &[&str] = &["&&", "&", "||", "|&", "|", ";;", ";", "(", ")", "\n"];
const REDIRECTIONS: &[&str] = &[
    "<<<", "<<-", "<<", "<>", "<&", "<", "&>>", "&>", ">>", ">|", ">&", ">",
];

/// A heredoc whose text is behind the line that is being read.
struct Pending {
    /// The number of its token.
    token: usize,
    delimiter: String,
    /// Whether the shell expands nothing in it.
    is_literal: bool,
    /// Whether tabs at the start of lines are dropped.
    tabs: bool,
}

/// Reads a script into tokens.
struct Reader<'s> {
    script: &'s str,
    at: usize,
    /// How many substitutions are open.
    depth: usize,
}

impl Reader<'_> {
    /// Returns what isn't read yet.
    fn rest(&self) -> &[u8] {
        &self.script.as_bytes()[self.at..]
    }

    fn starts_with(&self, what: &str) -> bool {
        self.rest().starts_with(what.as_bytes())
    }

    /// Reads all tokens, or the tokens up to the parenthesis that closes a substitution.
    fn tokens(&mut self, inside: bool) -> Vec<ShellToken> {
        let mut tokens = Vec::new();
        let mut pending = Vec::new();
        let mut open = 0_usize;
        loop {
            self.blanks();
            let start = self.at;
            let starts = |what: &&&str| self.starts_with(what);
            let substitution = self.starts_with("<(") || self.starts_with(">(");
            let read = if self.rest().is_empty() {
                if inside { None } else { break }
            } else if let Some(operator) = REDIRECTIONS.iter().find(starts)
                && !substitution
            {
                self.at += operator.len();
                self.redirection(operator, &mut tokens, &mut pending)
            } else if let Some(operator) = OPERATORS.iter().find(starts) {
                self.at += operator.len();
                match *operator {
                    "(" => open += 1,
                    ")" if open == 0 && inside => break,
                    ")" => open = open.saturating_sub(1),
                    "\n" => self.heredocs(&mut tokens, &mut pending),
                    _ => {}
                }
                tokens.push(ShellToken::Operator(operator));
                Some(())
            } else {
                self.word()
                    .and_then(|word| self.descriptor(word, &mut tokens))
            };
            if read.is_none() {
                let quoted = self.script[start..].starts_with(['\'', '"']);
                let start = start + usize::from(quoted);
                tokens.push(ShellToken::Unclear(start..self.script.len()));
                break;
            }
        }
        tokens
    }

    /// Passes over blanks, joined lines and a comment.
    fn blanks(&mut self) {
        loop {
            match self.rest() {
                [b' ' | b'\t' | b'\r', ..] => self.at += 1,
                [b'\\', b'\n', ..] => self.at += 2,
                [b'\\', b'\r', b'\n', ..] => self.at += 3,
                [b'#', ..] => {
                    self.at += memchr::memchr(b'\n', self.rest()).unwrap_or(self.rest().len())
                }
                _ => return,
            }
        }
    }

    /// Keeps a word, unless it is the number of a descriptor before a redirection: `2>file`.
    fn descriptor(&mut self, word: Word, tokens: &mut Vec<ShellToken>) -> Option<()> {
        let is_number = word.bare && word.text.bytes().all(|byte| byte.is_ascii_digit());
        let redirection = matches!(self.rest(), [b'<' | b'>', ..]);
        if !is_number || !redirection {
            tokens.push(ShellToken::Word(word));
        } else if word.text != "1" && self.starts_with(">") {
            // What isn't the output may go anywhere.
            self.at += self
                .rest()
                .iter()
                .take_while(|byte| b">&|".contains(byte))
                .count();
            self.blanks();
            self.word()?;
        }
        Some(())
    }

    /// Reads what is behind a redirection's operator; `None` if it can't be read.
    fn redirection(
        &mut self,
        operator: &str,
        tokens: &mut Vec<ShellToken>,
        pending: &mut Vec<Pending>,
    ) -> Option<()> {
        self.blanks();
        let word = self
            .word()
            .filter(|word| !word.bare || !word.text.is_empty())?;
        match operator {
            "<<" | "<<-" => {
                pending.push(Pending {
                    token: tokens.len(),
                    is_literal: !word.bare,
                    delimiter: word.text,
                    tabs: operator == "<<-",
                });
                tokens.push(ShellToken::Stdin(InlineText::default()));
            }
            "<<<" => tokens.extend(word.body().map(ShellToken::Stdin)),
            _ if operator.contains('>') && word.text != "/dev/stdout" => {
                tokens.push(ShellToken::Writes);
            }
            _ => {}
        }
        Some(())
    }

    /// Reads the texts of the heredocs of the line that has ended.
    fn heredocs(&mut self, tokens: &mut [ShellToken], pending: &mut Vec<Pending>) {
        for heredoc in pending.drain(..) {
            let start = self.at;
            let mut end = None;
            let mut tabs = false;
            while end.is_none() && !self.rest().is_empty() {
                let rest = &self.script[self.at..];
                let line = rest.split_inclusive('\n').next().unwrap_or(rest);
                let text = line.trim_end_matches(['\n', '\r']);
                let bare = text.trim_start_matches('\t');
                if heredoc.delimiter == if heredoc.tabs { bare } else { text } {
                    end = Some(self.at);
                } else {
                    tabs |= heredoc.tabs && bare.len() != text.len();
                }
                self.at += line.len();
            }
            if let Some(ShellToken::Stdin(body)) = tokens.get_mut(heredoc.token) {
                body.range = start..end.unwrap_or(self.at);
                let text = &self.script[body.range.clone()];
                let expanded = expanded_in(text).filter(|_| !heredoc.is_literal);
                body.expanded = expanded.map(str::to_owned);
                body.trouble = tabs.then(|| expansion("<<-"));
            }
        }
    }

    /// Reads a word; `None` if something in it never closes. It is empty where no word is.
    fn word(&mut self) -> Option<Word> {
        let start = self.at;
        let mut word = Word {
            bare: true,
            is_quoted: true,
            ..Word::default()
        };
        loop {
            let from = self.at;
            match self.rest() {
                [b'<' | b'>', b'(', ..] => self.expand(&mut word)?,
                [] | [b' ' | b'\t' | b'\r' | b'\n', ..] => break,
                [b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>', ..] => break,
                [b'\'', ..] => {
                    let length = memchr::memchr(b'\'', &self.rest()[1..])?;
                    word.bare = false;
                    self.at += 1;
                    word.drop(from..self.at);
                    self.at += length;
                    word.text.push_str(&self.script[from + 1..self.at]);
                    word.drop(self.at..self.at + 1);
                    self.at += 1;
                }
                [b'$', b'\'', ..] => {
                    self.at += 1;
                    self.until(b'\'')?;
                    self.expanded(from, &mut word);
                    word.bare = false;
                }
                [b'$', b'"', ..] => {
                    word.drop(from..from + 1);
                    self.at += 1;
                }
                [b'"', ..] => {
                    word.bare = false;
                    self.double(&mut word)?;
                }
                [b'\\', ..] => {
                    self.escape(&mut word);
                    word.bare = false;
                }
                [b'$' | b'`', ..] => self.expand(&mut word)?,
                [b'~', ..] if from == start => self.special(&mut word),
                [b'*' | b'?' | b'[', ..] => self.special(&mut word),
                [b'{', next, ..] if !next.is_ascii_whitespace() => self.special(&mut word),
                _ => {
                    word.is_quoted = false;
                    self.literal(b" \t\r\n;&|()<>'\"\\$`*?[{", &mut word);
                }
            }
        }
        word.range = start..self.at;
        Some(word)
    }

    /// Reads what is in double quotes.
    fn double(&mut self, word: &mut Word) -> Option<()> {
        word.drop(self.at..self.at + 1);
        self.at += 1;
        loop {
            match self.rest() {
                [] => return None,
                [b'"', ..] => break,
                [b'\\', b'$' | b'`' | b'"' | b'\\' | b'\n', ..] => self.escape(word),
                [b'$' | b'`', ..] => self.expand(word)?,
                _ => self.literal(b"\"\\$`", word),
            }
        }
        word.drop(self.at..self.at + 1);
        self.at += 1;
        Some(())
    }

    /// Reads a character, and what follows up to any of some bytes.
    fn literal(&mut self, ends: &[u8], word: &mut Word) {
        let rest = &self.script[self.at..];
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let mut more = rest.bytes().skip(first);
        let length = more.position(|byte| ends.contains(&byte));
        let length = length.map_or(rest.len(), |length| first + length);
        word.text.push_str(&rest[..length]);
        self.at += length;
    }

    /// Reads a backslash and what it takes literally.
    fn escape(&mut self, word: &mut Word) {
        let from = self.at;
        self.at += 1;
        word.drop(from..self.at);
        if let Some(next) = self.script[self.at..].chars().next() {
            let start = self.at;
            self.at += next.len_utf8();
            if next == '\n' {
                word.drop(start..self.at);
            } else {
                word.text.push(next);
            }
        }
    }

    /// Reads a character that may stand for names of files.
    fn special(&mut self, word: &mut Word) {
        self.at += 1;
        self.expanded(self.at - 1, word);
    }

    /// Keeps what was read from `from` on as an expansion.
    fn expanded(&self, from: usize, word: &mut Word) {
        let text = &self.script[from..self.at];
        let place = word.text.len()..word.text.len() + text.len();
        word.text.push_str(text);
        word.expansions.push(place);
    }

    /// Passes over a character and what follows, to a closing byte without a backslash before it.
    fn until(&mut self, close: u8) -> Option<()> {
        loop {
            self.at += 1;
            match self.rest() {
                [] => return None,
                [b'\\', _, ..] => self.at += 1,
                [byte, ..] if *byte == close => break,
                _ => {}
            }
        }
        self.at += 1;
        Some(())
    }

    /// Reads a variable or a substitution; a `$` before anything else is itself.
    fn expand(&mut self, word: &mut Word) -> Option<()> {
        let from = self.at;
        match self.rest() {
            [b'$', b'(', b'(', ..] => self.arithmetic()?,
            [b'$' | b'<' | b'>', b'(', ..] => {
                self.at += 2;
                self.depth += 1;
                if self.depth > DEEPEST {
                    return None;
                }
                let tokens = self.tokens(true);
                self.depth -= 1;
                if let Some(ShellToken::Unclear(_)) = tokens.last() {
                    return None;
                }
                word.heredoc = word.heredoc.take().or_else(|| printed(tokens));
            }
            [b'$', b'{', ..] => self.until(b'}')?,
            [b'`', ..] => self.until(b'`')?,
            [b'$', byte, ..] if is_name_byte(byte) => {
                let name = self.rest()[1..]
                    .iter()
                    .take_while(|byte| is_name_byte(byte));
                self.at += 1 + name.count();
            }
            [b'$', b'?' | b'!' | b'@' | b'*' | b'#' | b'-' | b'$', ..] => self.at += 2,
            _ => {
                word.text.push('$');
                self.at += 1;
                return Some(());
            }
        }
        self.expanded(from, word);
        Some(())
    }

    /// Reads `$((…))`.
    fn arithmetic(&mut self) -> Option<()> {
        let mut open = 0_usize;
        let end = self.rest().iter().position(|byte| {
            open += usize::from(*byte == b'(');
            open -= usize::from(*byte == b')');
            *byte == b')' && open == 0
        })?;
        self.at += end + 1;
        Some(())
    }
}

/// Returns the heredoc that a substitution of nothing but `cat` prints.
fn printed(tokens: Vec<ShellToken>) -> Option<InlineText> {
    let mut tokens = tokens.into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(ShellToken::Word(word)), Some(ShellToken::Stdin(body))) if word.text == "cat" => {
            tokens
                .all(|token| matches!(token, ShellToken::Operator("\n")))
                .then_some(body)
        }
        _ => None,
    }
}

/// Where commands run.
#[derive(Clone, Debug)]
struct WorkingDir {
    directory: Rc<Result<String, Doubt>>,
    /// The directories to which `popd` goes back.
    pushed: Vec<Rc<Result<String, Doubt>>>,
}

impl Default for WorkingDir {
    fn default() -> WorkingDir {
        WorkingDir {
            directory: Rc::new(Ok(String::new())),
            pushed: Vec::new(),
        }
    }
}

impl WorkingDir {
    /// Goes to a directory that a word names.
    fn enter(&mut self, word: &Word) {
        let step = word.fixed();
        let joined = match (&*self.directory, step) {
            (_, Err(trouble)) => Err(trouble),
            (Err(_), Ok(step)) if step.starts_with('/') => join("", step),
            (Err(_), Ok(_)) => return,
            (Ok(directory), Ok(step)) => join(directory, step),
        };
        self.directory = Rc::new(joined);
    }

    /// Takes it that the directory can't be known.
    fn lose(&mut self, trouble: Doubt) {
        self.directory = Rc::new(Err(trouble));
    }
}

/// Returns the path of a step that is taken in a directory.
fn join(directory: &str, step: &str) -> Result<String, Doubt> {
    if directory.len() + step.len() > LONGEST {
        return Err(Doubt::Unclear);
    }
    let directory = if step.starts_with('/') {
        "/"
    } else {
        directory
    };
    let root = if directory.starts_with('/') { "/" } else { "" };
    let mut names: Vec<&str> = Vec::new();
    for name in directory.split('/').chain(step.split('/')) {
        match name {
            "" | "." => {}
            ".." if names.last().is_some_and(|last| *last != "..") => {
                names.pop();
            }
            ".." if !root.is_empty() => {}
            _ => names.push(name),
        }
    }
    Ok(format!("{root}{}", names.join("/")))
}

/// A command that applies a patch.
struct Applier {
    meaning: Result<Meaning, Doubt>,
    /// Whether it reads the patch from its input.
    reads: bool,
    /// Whether it takes a heredoc as it is written.
    is_literal: bool,
    body: Option<InlineText>,
}

/// The pipeline that is being read.
struct Pipeline {
    /// Where it began.
    before: WorkingDir,
    /// How many commands that apply a patch were found before it.
    found: usize,
    piped: bool,
    /// Whether it is behind `||`.
    fallback: bool,
    /// Whether what is before the `||` applies a patch.
    applied: bool,
    /// What the next command reads.
    text: Option<InlineText>,
}

/// The command that is being read.
#[derive(Default)]
struct Command {
    words: Vec<Word>,
    stdin: Option<InlineText>,
    writes: bool,
    /// If it is a group, how many commands that apply a patch were found before it.
    group: Option<usize>,
}

/// A group that is open.
struct Group {
    /// What closes it.
    close: &'static str,
    place: WorkingDir,
    pipeline: Pipeline,
    found: usize,
}

/// What is known of a script up to a token.
struct Shell<'s> {
    script: &'s str,
    place: WorkingDir,
    pipeline: Pipeline,
    command: Command,
    groups: Vec<Group>,
    /// How many `if`, `for` and the like are open.
    conditions: usize,
    /// How many shells this shell is in.
    depth: usize,
    /// How many commands were found before the first thing that is unclear.
    unclear: Option<usize>,
    found: Vec<Applier>,
}

impl<'s> Shell<'s> {
    fn new(script: &'s str, place: WorkingDir, depth: usize) -> Self {
        Shell {
            script,
            pipeline: Pipeline::new(&place, 0),
            place,
            command: Command::default(),
            groups: Vec::new(),
            conditions: 0,
            depth,
            unclear: None,
            found: Vec::new(),
        }
    }

    /// Returns what the last command that applies a patch does.
    fn meaning(self) -> Result<Option<Meaning>, Doubt> {
        match self.found.into_iter().next_back() {
            Some(found) => found.meaning.map(Some),
            None if self.unclear.is_some() => Err(Doubt::Unclear),
            None => Ok(None),
        }
    }

    /// Follows a script.
    fn run(&mut self) {
        let (script, at, depth) = (self.script, 0, 0);
        for token in (Reader { script, at, depth }).tokens(false) {
            match token {
                ShellToken::Word(word) => self.word(word),
                ShellToken::Stdin(body) => self.command.stdin = Some(body),
                ShellToken::Writes => self.command.writes = true,
                ShellToken::Operator(operator) => self.operator(operator),
                ShellToken::Unclear(range) => {
                    self.break_off();
                    self.command.stdin = Some(InlineText {
                        range,
                        trouble: Some(Doubt::Unclear),
                        ..InlineText::default()
                    });
                }
            }
        }
        self.end("\n");
        if !self.groups.is_empty() {
            self.break_off();
        }
        let unclear = self.unclear.unwrap_or(self.found.len());
        for found in self.found.iter_mut().skip(unclear) {
            found.meaning = Err(Doubt::Unclear);
        }
    }

    /// Takes it that nothing can be said from here on, nor of the groups that are open.
    fn break_off(&mut self) {
        let from = self.groups.first().map(|group| group.found);
        let from = from.unwrap_or(self.found.len());
        self.unclear.get_or_insert(from);
    }

    /// Takes a word, which may be the shell's own where a command begins.
    fn word(&mut self, word: Word) {
        if !word.bare || !self.command.words.is_empty() {
            return self.command.words.push(word);
        }
        match word.text.as_str() {
            "{" => self.open("}"),
            "}" => self.close("}"),
            "!" | "time" | "then" | "else" | "elif" | "do" => {}
            // A prompt, copied with what was typed behind it.
            "$" | "%" => {}
            "if" | "while" | "until" => self.conditions += 1,
            "fi" | "done" | "esac" => self.conditions = self.conditions.saturating_sub(1),
            name => {
                let condition = matches!(name, "for" | "case" | "select");
                self.conditions += usize::from(condition);
                self.command.words.push(word);
            }
        }
    }

    fn operator(&mut self, operator: &'static str) {
        match operator {
            "(" if self.command.words.is_empty() => self.open(")"),
            "(" => {
                // A function, or a list.
                let name = mem::take(&mut self.command.words).swap_remove(0).text;
                if !name.contains('=') {
                    self.place.lose(Doubt::Command { name });
                }
                self.open(")");
            }
            ")" => self.close(")"),
            "|" | "|&" => {
                self.finish();
                self.place = self.pipeline.before.clone();
                self.pipeline.piped = true;
            }
            // A line goes on behind an operator.
            "\n" if self.command.is_empty() => {}
            _ => self.end(operator),
        }
    }

    /// Opens a group.
    fn open(&mut self, close: &'static str) {
        if self.groups.len() + self.depth >= DEEPEST {
            return self.break_off();
        }
        let inner = Pipeline::new(&self.place, self.found.len());
        self.groups.push(Group {
            close,
            place: self.place.clone(),
            pipeline: mem::replace(&mut self.pipeline, inner),
            found: self.found.len(),
        });
    }

    /// Closes a group.
    fn close(&mut self, close: &'static str) {
        self.end("\n");
        match self.groups.pop() {
            Some(group) if group.close == close => {
                self.pipeline = group.pipeline;
                self.command.group = Some(group.found);
                if close == ")" {
                    self.place = group.place;
                }
            }
            group => {
                self.groups.extend(group);
                self.break_off();
            }
        }
    }

    /// Ends a pipeline.
    fn end(&mut self, operator: &str) {
        self.finish();
        let next = Pipeline::new(&self.place, 0);
        let ended = mem::replace(&mut self.pipeline, next);
        if ended.piped || ended.fallback || operator == "&" {
            self.place = ended.before;
        }
        if ended.fallback && ended.applied {
            self.found.truncate(ended.found);
        }
        self.pipeline.before = self.place.clone();
        self.pipeline.fallback = operator == "||";
        self.pipeline.applied = ended.applied || self.found.len() > ended.found;
        self.pipeline.applied &= self.pipeline.fallback;
        self.pipeline.found = self.found.len();
    }

    /// Ends a command: does what it says, and hands it what it reads.
    fn finish(&mut self) {
        let command = mem::take(&mut self.command);
        let from = command.group.unwrap_or(self.found.len());
        let stdin = command.stdin.or(self.pipeline.text.take());
        let called = self.execute(&command.words);
        let Some(body) = stdin else { return };
        if let Some(found) = self.found[from..].iter_mut().find(|found| found.reads) {
            found.reads = false;
            found.body = Some(body);
        } else if let Some(name) = called
            && !command.writes
        {
            let changes = !matches!(name.as_str(), "cat" | "tee");
            let trouble = changes.then_some(Doubt::Command { name });
            self.pipeline.text = Some(InlineText {
                trouble: body.trouble.or(trouble),
                ..body
            });
        }
    }

    /// Does what a command says. Returns its name.
    fn execute(&mut self, words: &[Word]) -> Option<String> {
        let mut place = self.place.clone();
        let words = bare_command(words, &mut place);
        let (first, args) = words.split_first()?;
        let name = first.text.rsplit('/').next().unwrap_or_default();
        match name {
            "cd" | "pushd" | "popd" => self.change_directory(name, args),
            "eval" | "source" | "." => {
                let name = name.to_owned();
                self.place.lose(Doubt::Command { name });
            }
            "bash" | "sh" | "zsh" | "dash" | "ksh" => self.shell(args, place),
            "git" => self.git(args, place),
            "git-llmpatch" => self.llmpatch(args, &place),
            "apply_patch" | "applypatch" => self.apply(&APPLY_PATCH, args, &place),
            "patch" => self.apply(&PATCH, args, &place),
            _ => {}
        }
        Some(name.to_owned())
    }

    /// Does `cd`, `pushd` or `popd`.
    fn change_directory(&mut self, name: &str, args: &[Word]) {
        let flags = ["-P", "-L", "-e", "--"];
        let flags = args
            .iter()
            .take_while(|word| flags.contains(&word.text.as_str()));
        let args = &args[flags.count()..];
        if self.conditions > 0 {
            let name = name.to_owned();
            return self.place.lose(Doubt::Command { name });
        }
        let previous = self.place.directory.clone();
        match args {
            [] if name == "popd" => {
                if let Some(directory) = self.place.pushed.pop() {
                    self.place.directory = directory;
                }
            }
            [word] if name != "popd" && !word.text.starts_with(['-', '+']) => {
                self.place.enter(word);
                if name == "pushd" && self.place.pushed.len() < DEEPEST {
                    self.place.pushed.push(previous);
                } else if name == "pushd" {
                    self.place.lose(Doubt::Unclear);
                }
            }
            _ => {
                let args: Vec<_> = args.iter().map(|word| word.text.as_str()).collect();
                let text = format!("{name} {}", args.join(" "));
                self.place.lose(expansion(text.trim_end()));
            }
        }
    }

    /// Follows the script of `bash -lc '…'`, or the script that a shell reads.
    fn shell(&mut self, args: &[Word], place: WorkingDir) {
        let mut runs = false;
        let mut args = args.iter();
        let script = loop {
            match args.next() {
                Some(word) if word.is_option() => {
                    let cluster = !word.text.starts_with("--");
                    runs |= cluster && word.text.contains('c');
                    if cluster && word.text.ends_with('o') {
                        args.next();
                    }
                }
                script => break script,
            }
        };
        let Some(script) = script.filter(|_| runs) else {
            return;
        };
        let mut inner = Shell::new(&script.text, place, self.depth + 1);
        if inner.depth >= DEEPEST {
            return self.break_off();
        }
        inner.run();
        for body in inner
            .found
            .iter_mut()
            .filter_map(|found| found.body.as_mut())
        {
            self.place_outside(body, script);
        }
        self.found.append(&mut inner.found);
    }

    /// Makes a body of the script in a word one of the script around it.
    fn place_outside(&self, body: &mut InlineText, script: &Word) {
        let is_within =
            |range: &&Range<usize>| range.start < body.range.end && body.range.start < range.end;
        if let Some(range) = script.expansions.iter().find(is_within) {
            body.trouble = Some(expansion(&script.text[range.clone()]));
        }
        let outer = Decoded::new(self.script.as_bytes(), script.range.clone(), &script.edits);
        body.range = outer.range(body.range.clone());
        for edit in &mut body.edits {
            edit.old = outer.range(edit.old.clone());
        }
        let is_left = |edit: &&Splice| {
            let is_apart =
                |inner: &Splice| edit.old.end <= inner.old.start || inner.old.end <= edit.old.start;
            body.range.start <= edit.old.start
                && edit.old.end <= body.range.end
                && body.edits.iter().all(is_apart)
        };
        let left: Vec<_> = script.edits.iter().filter(is_left).cloned().collect();
        body.edits.extend(left);
        body.edits.sort_by_key(|edit| edit.old.start);
    }

    /// Does `git apply`, `git am` and `git llmpatch apply`.
    fn git(&mut self, args: &[Word], mut place: WorkingDir) {
        let mut args = args;
        while let [option, rest @ ..] = args {
            args = rest;
            match (option.text.as_str(), rest) {
                ("-C", [directory, rest @ ..]) => {
                    place.enter(directory);
                    args = rest;
                }
                ("-c", [_, rest @ ..]) => args = rest,
                ("-p" | "-P" | "--paginate" | "--no-pager", _) => {}
                ("apply" | "am", _) => return self.apply(&GIT, rest, &place),
                ("llmpatch", _) => return self.llmpatch(rest, &place),
                (text, _) if text.starts_with('-') => {
                    place.lose(option.unknown("git"));
                    if matches!(text, "--git-dir" | "--work-tree" | "--namespace") {
                        args = rest.get(1..).unwrap_or_default();
                    }
                }
                _ => return,
            }
        }
    }

    /// Does `git llmpatch apply`.
    fn llmpatch(&mut self, args: &[Word], place: &WorkingDir) {
        if let [apply, args @ ..] = args
            && apply.text == "apply"
        {
            self.apply(&LLMPATCH, args, place);
        }
    }

    /// Keeps what a command that applies a patch does.
    fn apply(&mut self, tool: &Tool, args: &[Word], place: &WorkingDir) {
        let call = tool.call(args);
        let mut place = place.clone();
        if let Some(directory) = &call.directory {
            place.enter(directory);
        }
        let directory = match call.trouble {
            Some(trouble) => Err(trouble),
            None => (*place.directory).clone(),
        };
        let strip = call.strip;
        let source = call.sources.first();
        let is_input = |word: &Word| matches!(word.text.as_str(), "-" | "/dev/stdin");
        self.found.push(Applier {
            meaning: directory.map(|directory| Meaning { directory, strip }),
            reads: source.is_none_or(is_input),
            is_literal: tool.is_given_text,
            body: source
                .filter(|word| tool.is_given_text || word.heredoc.is_some())
                .and_then(Word::body),
        });
    }
}

impl Pipeline {
    fn new(before: &WorkingDir, found: usize) -> Pipeline {
        Pipeline {
            before: before.clone(),
            found,
            piped: false,
            fallback: false,
            applied: false,
            text: None,
        }
    }
}

impl Command {
    fn is_empty(&self) -> bool {
        self.words.is_empty() && self.group.is_none() && self.stdin.is_none()
    }
}

/// Returns a command without what may be before it: `A=b`, `env -C dir`, `sudo`.
fn bare_command<'w>(words: &'w [Word], place: &mut WorkingDir) -> &'w [Word] {
    let mut words = words;
    let mut before = "";
    while let [word, rest @ ..] = words {
        let text = word.text.as_str();
        match (text, rest) {
            ("env" | "sudo" | "command" | "builtin" | "exec" | "nohup", _) => before = text,
            _ if word.is_assignment() => {}
            _ if before.is_empty() || !text.starts_with('-') => break,
            ("-C" | "--chdir" | "-D", [directory, rest @ ..]) => {
                place.enter(directory);
                words = rest;
                continue;
            }
            ("-u", [_, rest @ ..]) => {
                words = rest;
                continue;
            }
            ("-" | "-i" | "-E" | "-H" | "-n" | "-p" | "--", _) => {}
            _ if text.starts_with("--chdir=") => place.enter(&word.from("--chdir=".len())),
            _ => place.lose(word.unknown(before)),
        }
        words = rest;
    }
    words
}

/// A program that applies patches.
struct Tool {
    name: &'static str,
    /// Options after which a patch means the same.
    plain: &'static [&'static str],
    /// Options with a value.
    valued: &'static [&'static str],
    /// Whether its operand is the patch, and not a file's name.
    is_given_text: bool,
}

const APPLY_PATCH: Tool = Tool {
    name: "apply_patch",
    plain: &[],
    valued: &[],
    is_given_text: true,
};

#[rustfmt::skip]
const GIT: Tool = Tool {
    name: "git apply",
    plain: &[
        "--index", "--cached", "--check", "--stat", "--numstat", "--summary", "--apply", "--3way",
        "-3", "-v", "--verbose", "-q", "--quiet", "--allow-empty", "--recount", "--unidiff-zero",
        "--reject", "--unsafe-paths", "-N",
        "--intent-to-add", "--allow-overlap", "--binary", "--inaccurate-eof", "-s", "--signoff",
        "-k", "--keep", "--keep-cr",
    ],
    valued: &["--directory", "-p", "--whitespace"],
    is_given_text: false,
};

#[rustfmt::skip]
const LLMPATCH: Tool = Tool {
    name: "git llmpatch apply",
    plain: &[
        "--index", "--cached", "--check", "--commit", "--strict", "--no-strict", "--unique",
        "--no-unique", "--no-fuzz", "--3way", "-3", "-N", "--intent-to-add", "--overwrite",
        "--allow-empty", "-q", "--quiet", "-v", "--verbose", "--json", "--feedback", "--color",
    ],
    valued: &["--directory", "-p", "--fuzz"],
    is_given_text: false,
};

#[rustfmt::skip]
const PATCH: Tool = Tool {
    name: "patch",
    plain: &[
        "-s", "--quiet", "--silent", "-N", "--forward", "-f", "--force", "-b", "--backup", "-t",
        "--batch", "--dry-run", "-u", "--unified", "--binary",
        "--no-backup-if-mismatch", "--verbose",
    ],
    valued: &["-d", "--directory", "-p", "--strip", "-F", "--fuzz", "-i", "--input"],
    is_given_text: false,
};

/// What a program is told.
#[derive(Default)]
struct Call {
    directory: Option<Word>,
    strip: Option<u32>,
    /// What names or is the patch.
    sources: Vec<Word>,
    trouble: Option<Doubt>,
}

impl Tool {
    /// Reads what the program is told.
    fn call(&self, args: &[Word]) -> Call {
        let mut call = Call::default();
        let mut words = args.iter();
        let mut options = true;
        while let Some(word) = words.next() {
            let text = word.text.as_str();
            let option = options && text.len() > 1 && text.starts_with('-');
            let read = if option && text == "--" {
                options = false;
                Ok(())
            } else if option && !text.contains('\n') {
                self.option(word, &mut words, &mut call)
            } else {
                self.operand(word, &mut call)
            };
            if let Err(trouble) = read {
                call.trouble.get_or_insert(trouble);
            }
        }
        call
    }

    /// Reads a word that is no option.
    fn operand(&self, word: &Word, call: &mut Call) -> Result<(), Doubt> {
        if !self.is_given_text && word.text.starts_with(['$', '`']) {
            // It may stand for options.
            word.fixed()?;
        }
        if self.name == PATCH.name && word.text != "-" {
            // It is the file, whatever the patch names.
            return Err(word.unknown(self.name));
        }
        call.sources.push(word.clone());
        Ok(())
    }

    /// Reads an option, or several that are written as a word.
    fn option<'w>(
        &self,
        word: &Word,
        words: &mut impl Iterator<Item = &'w Word>,
        call: &mut Call,
    ) -> Result<(), Doubt> {
        let text = word.fixed()?;
        let long = text.starts_with("--");
        let mut at = 1;
        while let Some(letter) = text[at..].chars().next() {
            at += letter.len_utf8();
            let mut name = format!("-{letter}");
            if long {
                at = text.find('=').unwrap_or(text.len());
                text[..at].clone_into(&mut name);
            }
            if matches!(name.as_str(), "-R" | "--reverse") {
                return Err(Doubt::Reverse { option: name });
            }
            if self.plain.contains(&name.as_str()) {
                if long {
                    break;
                }
                continue;
            }
            if !self.valued.contains(&name.as_str()) {
                return Err(word.unknown(self.name));
            }
            let value = if at < text.len() {
                word.from(at + usize::from(long))
            } else {
                words.next().ok_or_else(|| word.unknown(self.name))?.clone()
            };
            match name.as_str() {
                "-d" | "--directory" => call.directory = Some(value),
                "-i" | "--input" => call.sources = vec![value],
                "-p" | "--strip" => {
                    let number = value.fixed()?.parse();
                    call.strip = Some(number.map_err(|_| word.unknown(self.name))?);
                }
                _ => {}
            }
            break;
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    /// Returns an answer as a row of a table writes it: `-`, `dir`, `dir 1`, or the trouble.
    fn written(answer: Result<Option<Meaning>, Doubt>) -> String {
        match answer {
            Ok(None) => "-".to_owned(),
            Ok(Some(meaning)) => match meaning.strip {
                Some(strip) => format!("[{}] {strip}", meaning.directory),
                None => format!("[{}]", meaning.directory),
            },
            Err(Doubt::Reverse { option }) => format!("reverse {option}"),
            Err(Doubt::Expansion { text }) => format!("expansion {text}"),
            Err(Doubt::Option { command, option }) => format!("option {command} {option}"),
            Err(Doubt::Command { name }) => format!("command {name}"),
            Err(Doubt::Outside { text }) => format!("outside {text}"),
            Err(Doubt::Unclear) => "unclear".to_owned(),
        }
    }

    const MEANINGS: &[(&str, &str)] = &[
        ("", "-"),
        ("echo \"$x\"", "-"),
        ("# apply_patch", "-"),
        ("cat fix.patch", "-"),
        ("git status", "-"),
        ("git", "-"),
        ("cat <<EOF >file\nx\nEOF\n", "-"),
        ("cat <<EOF >file.patch\ngit apply\nEOF", "-"),
        ("apply_patch", "[]"),
        ("applypatch <<'EOF'\nx\nEOF\n", "[]"),
        ("/usr/bin/git apply", "[]"),
        ("cd pkg && apply_patch", "[pkg]"),
        ("$ cd pkg\n$ apply_patch", "[pkg]"),
        ("cd pkg; cd sub\napply_patch", "[pkg/sub]"),
        ("cd -- ./pkg/. && apply_patch", "[pkg]"),
        ("cd pkg/../lib && apply_patch", "[lib]"),
        ("cd ../lib && apply_patch", "[../lib]"),
        ("cd pkg && cd ../../lib && apply_patch", "[../lib]"),
        ("cd /a//b/ && cd .. && apply_patch", "[/a]"),
        ("cd / && apply_patch", "[/]"),
        ("cd 'my dir' && apply_patch", "[my dir]"),
        ("cd my\\ dir && apply_patch", "[my dir]"),
        ("cd \"a\"'b'c && apply_patch", "[abc]"),
        ("cd grün && apply_patch", "[grün]"),
        ("cd '$HOME' && apply_patch", "[$HOME]"),
        ("cd $HOME && apply_patch", "expansion $HOME"),
        ("cd \"${ROOT}/x\" && apply_patch", "expansion ${ROOT}"),
        (
            "cd \"$(git rev-parse --show-toplevel)\" && apply_patch",
            "expansion $(git rev-parse --show-toplevel)",
        ),
        ("cd `pwd` && apply_patch", "expansion `pwd`"),
        ("cd ~/x && apply_patch", "expansion ~"),
        ("cd pk* && apply_patch", "expansion *"),
        ("cd {a,b} && apply_patch", "expansion {"),
        ("cd && apply_patch", "expansion cd"),
        ("cd - && apply_patch", "expansion cd -"),
        ("cd $X && cd /abs && apply_patch", "[/abs]"),
        ("cd $X && cd rel && apply_patch", "expansion $X"),
        ("pushd pkg && apply_patch", "[pkg]"),
        ("pushd a && pushd b && popd && apply_patch", "[a]"),
        ("pushd a && popd && popd && apply_patch", "[]"),
        ("popd +1; apply_patch", "expansion popd +1"),
        ("(cd pkg && apply_patch)", "[pkg]"),
        ("(cd pkg); apply_patch", "[]"),
        ("(cd a; (cd b); apply_patch)", "[a]"),
        ("{ cd pkg; }; apply_patch", "[pkg]"),
        ("{ cd pkg; } | cat; apply_patch", "[]"),
        ("cd pkg || exit 1\napply_patch", "[pkg]"),
        ("cd pkg || cd lib; apply_patch", "[pkg]"),
        ("cd pkg || { cd lib; exit 1; }; apply_patch", "[pkg]"),
        ("cd pkg || exit && cd sub && apply_patch", "[pkg/sub]"),
        ("cd pkg & apply_patch", "[]"),
        ("cd pkg | cat; apply_patch", "[]"),
        ("cd pkg &&\n  apply_patch", "[pkg]"),
        ("cd pkg \\\n && apply_patch", "[pkg]"),
        ("cd pkg # here\r\napply_patch\r\n", "[pkg]"),
        ("A=b C=\"$d\" apply_patch", "[]"),
        (
            "export A=b; set -euo pipefail; mkdir -p x; apply_patch",
            "[]",
        ),
        ("env -C pkg A=b git apply", "[pkg]"),
        ("env --chdir=pkg git apply; git apply", "[]"),
        ("env --chdir=pkg git apply", "[pkg]"),
        ("env --chdir=$X git apply", "expansion $X"),
        ("env -S git apply", "option env -S"),
        ("sudo -u me patch -p1", "[] 1"),
        ("command cd pkg; command apply_patch", "[pkg]"),
        ("bash -lc 'cd pkg && apply_patch'", "[pkg]"),
        ("cd a && sh -c \"cd b && git apply -p2\"; cd c", "[a/b] 2"),
        ("bash -euo pipefail -c 'cd b; apply_patch'", "[b]"),
        ("bash -lc \"cd $X && apply_patch\"", "expansion $X"),
        ("bash -c 'cd a'; apply_patch", "[]"),
        ("bash script.sh", "-"),
        ("bash -c \"bash -c 'cd x; apply_patch'\"", "[x]"),
        ("git -C pkg apply", "[pkg]"),
        (
            "cd a && git -C b -C c -c core.x=y --no-pager apply -p0 -",
            "[a/b/c] 0",
        ),
        ("git -C a apply --directory=b -p 3 --index", "[a/b] 3"),
        ("git apply --directory sub", "[sub]"),
        ("git apply --directory=$D", "expansion $D"),
        ("git apply $OPTIONS", "expansion $OPTIONS"),
        ("git apply -3qv --whitespace=fix --recount x.patch", "[]"),
        ("git apply -qp1", "[] 1"),
        ("git am -3 --directory=pkg", "[pkg]"),
        ("git apply -R", "reverse -R"),
        ("git apply --reverse", "reverse --reverse"),
        ("git apply -vR", "reverse -R"),
        ("git apply --include=x", "option git apply --include=x"),
        ("git apply --exclude x", "option git apply --exclude"),
        ("git apply -p", "option git apply -p"),
        ("git apply -px", "option git apply -px"),
        ("git --git-dir x apply", "option git --git-dir"),
        ("git llmpatch apply --directory=x -p1", "[x] 1"),
        ("git-llmpatch apply --check", "[]"),
        ("git llmpatch check", "-"),
        (
            "git llmpatch apply --file x",
            "option git llmpatch apply --file",
        ),
        ("patch -p1 < fix.patch", "[] 1"),
        ("cat fix.patch | patch -d pkg -sNp1", "[pkg] 1"),
        ("patch --directory=pkg --strip=0 -F 3 -i x.patch", "[pkg] 0"),
        ("patch -R", "reverse -R"),
        ("patch -o out", "option patch -o"),
        ("patch a.txt", "option patch a.txt"),
        ("patch --frob", "option patch --frob"),
        ("eval \"$x\"; apply_patch", "command eval"),
        ("source env.sh && apply_patch", "command source"),
        (". env.sh && git apply", "command ."),
        ("sed -i s/a/b/ x && rm y && apply_patch", "[]"),
        ("if cd a; then apply_patch; fi", "command cd"),
        ("if true; then apply_patch; fi", "[]"),
        ("go() { cd x; }; apply_patch", "command go"),
        ("cd pkg && apply_patch && cd .. && pytest && make", "[pkg]"),
        ("git apply a.patch || git apply -R a.patch", "[]"),
        ("test -f x || git apply -p0", "[] 0"),
        ("git apply a && cd b && git apply c", "[b]"),
        ("echo 'abc", "unclear"),
        ("echo \"abc", "unclear"),
        ("echo $(abc", "unclear"),
        ("echo ${abc", "unclear"),
        ("echo `abc", "unclear"),
        ("(cd pkg && apply_patch", "unclear"),
        ("cd pkg) && apply_patch", "unclear"),
        ("(cd x; }; apply_patch", "unclear"),
        ("apply_patch 'abc", "unclear"),
        ("apply_patch; echo 'abc", "[]"),
        ("apply_patch <<", "unclear"),
        ("cd \0 && apply_patch", "[\0]"),
        ("\u{feff}cd x\u{a0}y; apply_patch", "[]"),
        ("echo $((1 << 2)) 2>/dev/null; apply_patch", "[]"),
        ("\\", "-"),
        ("$", "-"),
        ("&& ; | || ) ( } {", "unclear"),
    ];

    fn meaning(script: &str) -> Result<Option<Meaning>, Doubt> {
        let mut shell = Shell::new(script, WorkingDir::default(), 0);
        shell.run();
        shell.meaning()
    }

    #[test]
    fn meanings() {
        for (script, expected) in MEANINGS {
            assert_eq!(written(meaning(script)), *expected, "{script:?}");
        }
    }

    #[test]
    fn words_are_no_script() {
        let rows: &[(&[&str], &str)] = &[
            (&[], "-"),
            (&["ls"], "-"),
            (&["apply_patch", "*** Begin Patch\n$x"], "[]"),
            (&["apply_patch", "--- a/x\n+++ b/x\n"], "[]"),
            (
                &["bash", "-lc", "cd pkg && apply_patch <<'EOF'\nx\nEOF"],
                "[pkg]",
            ),
            (&["bash", "-lc", "cd $X && apply_patch"], "expansion $X"),
            (&["git", "-C", "$x", "apply", "-p1"], "[$x] 1"),
            (&["env", "-C", "pkg", "git", "apply"], "[pkg]"),
            (&["patch", "-R"], "reverse -R"),
            (&["bash", "-c", "'"], "-"),
        ];
        for (words, expected) in rows {
            let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(written(meaning_of_words(&words)), *expected, "{words:?}");
        }
    }

    /// Scripts, and for each patch in them its text and what is done with it.
    const PATCHES: &[(&str, &[(&str, &str)])] = &[
        ("", &[]),
        ("apply_patch", &[]),
        ("git apply fix.patch", &[]),
        ("apply_patch <<'EOF'\nx\nEOF\n", &[("x\n", "[]")]),
        ("apply_patch <<EOF\nx$\nEOF\n", &[("x$\n", "[]")]),
        ("apply_patch << \"A B\"\nx\nA B\n", &[("x\n", "[]")]),
        ("apply_patch <<\\EOF\nx\nEOF", &[("x\n", "[]")]),
        ("apply_patch <<-EOF\nx\n\tEOF\ncd", &[("x\n", "[]")]),
        (
            "apply_patch <<-EOF\n\tx\n\tEOF",
            &[("\tx\n", "expansion <<-")],
        ),
        ("apply_patch <<'EOF'\nx\ny", &[("x\ny", "[]")]),
        ("apply_patch <<'EOF'", &[("", "[]")]),
        ("apply_patch <<'E'\r\nx\r\nE\r\nls\r\n", &[("x\r\n", "[]")]),
        (
            "cd a && git apply -p1 <<'E' && ls\nx'\nE\n",
            &[("x'\n", "[a] 1")],
        ),
        ("cat <<'E' | git apply\nx\nE\n", &[("x\n", "[]")]),
        (
            "cat <<'E' | tee log | (cd a && git apply)\nx\nE\n",
            &[("x\n", "[a]")],
        ),
        (
            "cat <<'E' | sed s/a/b/ | git apply\nx\nE\n",
            &[("x\n", "command sed")],
        ),
        (
            "sed s/a/b/ <<'E' | git apply\nx\nE\n",
            &[("x\n", "command sed")],
        ),
        ("cat <<'E' 2>/dev/null |\n git apply\nx\nE\n", &[]),
        (
            "cat 2>/dev/null <<'E' | git apply\nx\nE\n",
            &[("x\n", "[]")],
        ),
        ("(cd a && git apply) <<'E'\nx\nE\n", &[("x\n", "[a]")]),
        ("{ cd a; patch -p0; } <<'E'\nx\nE\n", &[("x\n", "[a] 0")]),
        ("bash -c 'cd a; git apply' <<'E'\nx\nE\n", &[("x\n", "[a]")]),
        ("cat <<'E' >f\nx\nE\ngit apply f", &[]),
        ("cat >f <<'E'\nx\nE\n", &[]),
        ("tee f <<'E'\nx\nE\n", &[]),
        ("cat fix.patch | patch -p1", &[]),
        ("cat <<'E'\nx\nE\ngit apply", &[]),
        ("echo \"apply_patch <<E\nx\nE\n\"", &[]),
        ("echo 'apply_patch <<E\nx\nE\n'", &[]),
        ("# apply_patch <<E\nx\nE\n", &[]),
        (
            "apply_patch <<'A'\nx\nA\ncd b\napply_patch <<'B'\ny\nB\n",
            &[("x\n", "[]"), ("y\n", "[b]")],
        ),
        ("apply_patch <<A <<'B'\nx\nA\ny\nB\n", &[("y\n", "[]")]),
        (
            "git apply <<A && git apply <<B\nx\nA\ny\nB\n",
            &[("x\n", "[]"), ("y\n", "[]")],
        ),
        (
            "git apply <<A || patch -p1 <<B\nx\nA\nx\nB\n",
            &[("x\n", "[]")],
        ),
        ("false || git apply <<A\nx\nA\n", &[("x\n", "[]")]),
        ("cd a || exit; apply_patch 'x\ny'; ls", &[("x\ny", "[a]")]),
        ("apply_patch \"x\n$y\"", &[("x\n$y", "expansion $y")]),
        ("apply_patch 'don'\\''t'", &[("don't", "[]")]),
        ("apply_patch 'don't", &[("dont", "unclear")]),
        ("apply_patch \"\\$x \\\"\"", &[("$x \"", "[]")]),
        ("apply_patch <<E\n$x\nE\n", &[("$x\n", "[]")]),
        ("git apply <<E\n$x\nE\n", &[("$x\n", "expansion $x")]),
        ("git apply <<E\n`x`\nE\n", &[("`x`\n", "expansion `x")]),
        ("git apply <<E\n\\$x\nE\n", &[("\\$x\n", "expansion \\$")]),
        (
            "bash -c 'cd a; git apply <<'\"'\"'E'\"'\"'\ndon'\"'\"'t\nE\n'",
            &[("don't\n", "[a]")],
        ),
        (
            "apply_patch $'x\\ny'",
            &[("$'x\\ny'", "expansion $'x\\ny'")],
        ),
        ("apply_patch 'x\ny", &[("x\ny", "unclear")]),
        ("apply_patch \"$(cat <<'E'\nx)'\nE\n)\"", &[("x)'\n", "[]")]),
        ("git apply <(cat <<'E'\nx\nE\n)", &[("x\n", "[]")]),
        ("git apply <<<'x'", &[("x", "[]")]),
        ("(cd a; apply_patch <<E\nx\nE\n", &[("x\n", "unclear")]),
        ("apply_patch <<E\nx\nE\necho '", &[("x\n", "[]")]),
        (
            "bash -lc 'cd é && apply_patch <<E\nx\nE\n'",
            &[("x\n", "[é]")],
        ),
        ("bash -lc \"apply_patch <<'E'\nx\nE\n\"", &[("x\n", "[]")]),
        ("bash -lc \"apply_patch 'x'\"", &[("x", "[]")]),
        (
            "bash -lc \"apply_patch <<'E'\n\\$x\nE\n\"",
            &[("$x\n", "[]")],
        ),
        (
            "bash -lc \"apply_patch <<'E'\n$x\nE\n\"",
            &[("$x\n", "expansion $x")],
        ),
        (
            "bash -c 'bash -c \"apply_patch <<E\nx\nE\n\"'",
            &[("x\n", "[]")],
        ),
        ("git apply -R <<E\nx\nE\n", &[("x\n", "reverse -R")]),
        ("cd $X\ngit apply <<E\nx\nE\n", &[("x\n", "expansion $X")]),
    ];

    #[test]
    fn embedded() {
        for (script, expected) in PATCHES {
            let found = patches(script);
            let found: Vec<_> = found
                .into_iter()
                .map(|patch| {
                    let text = Decoded::new(script.as_bytes(), patch.body, &patch.edits).text;
                    (
                        String::from_utf8(text).unwrap(),
                        written(patch.meaning.map(Some)),
                    )
                })
                .collect();
            let found: Vec<_> = found
                .iter()
                .map(|(a, b)| (a.as_str(), b.as_str()))
                .collect();
            assert_eq!(found, *expected, "{script:?}");
        }
    }

    #[test]
    fn long_and_deep_scripts() {
        let many = 100_000;
        let rows = [
            ("(".repeat(many) + "apply_patch", "unclear"),
            (
                "(".repeat(many) + "apply_patch" + &")".repeat(many),
                "unclear",
            ),
            ("$(".repeat(many), "unclear"),
            ("\"$(".repeat(many), "unclear"),
            ("{ ".repeat(many), "unclear"),
            (")".repeat(many), "unclear"),
            ("${".repeat(many), "unclear"),
            ("$((".repeat(many), "unclear"),
            ("cd a;".repeat(many) + "apply_patch", "unclear"),
            ("pushd a;".repeat(many) + "apply_patch", "unclear"),
            ("(cd a);".repeat(many) + "apply_patch", "[]"),
            ("apply_patch <<E\n".repeat(many), "[]"),
            ("git apply || ".repeat(many), "[]"),
            ("cat <<E | ".repeat(many) + "git apply", "[]"),
            ("if cd $x; then ".repeat(many) + "git apply", "command cd"),
            ("env -C a ".repeat(many) + "git apply", "unclear"),
            ("sh -c ".repeat(many), "-"),
        ];
        for (script, expected) in rows {
            let start = &script[..20.min(script.len())];
            assert_eq!(written(meaning(&script)), expected, "{start:?}");
            let _ = patches(&script);
        }
    }

    #[rustfmt::skip]
    const FRAGMENTS: &[&str] = &[
        "apply_patch", "git", "apply", "am", "patch", "cd", "pushd", "popd", "bash", "-lc", "sh",
        "-c", "env", "-C", "sudo", "cat", "tee", "eval", "if", "then", "fi", "for", "-p", "-p1",
        "-R", "-d", "--directory=", "--directory", "--chdir=", "dir", "/", "..", "~", "é", "A=b",
        " ", " ", " ", "\n", "\r\n", "\t", "'", "'", "\"", "\"", "\\", "$", "$x", "${", "}", "{",
        "$(", "$((", "<(", "(", ")", "`", "&&", "||", "|", "|&", "&", ";", ";;", "<<", "<<-",
        "<<<", "EOF", "\nEOF\n", "<<'EOF'\n", "<<EOF\n", ">", ">&", "2>", "1>", "#", "*", "\0",
        "*** Begin Patch\n", "-", "--", "$'", "$\"", "!", "\u{a0}",
    ];

    proptest! {
        #[test]
        fn any_script_is_read(fragments in vec(select(FRAGMENTS), 0..40)) {
            let script = fragments.concat();
            let _ = meaning(&script);
            let words: Vec<_> = fragments.iter().map(|word| (*word).to_owned()).collect();
            let _ = meaning_of_words(&words);
            for patch in patches(&script) {
                prop_assert!(script.get(patch.body).is_some());
            }
        }
    }
}
