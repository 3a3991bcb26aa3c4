//! What a shell does, command by command, as far as it matters to patches.

use std::mem;
use std::ops::Range;

use super::nesting::{BEHIND_GROUPS, CONDITIONS, Command, Condition, Group, Pipeline};
use super::tokens::{Reader, ShellToken};
use super::tools::{APPLY_PATCH, GIT, LLMPATCH, PATCH, Tool, bare_command};
use super::word::{InlineText, Word, echoed, expansion, is_prompt};
use super::working_dir::WorkingDir;
use super::{DEEPEST, Doubt, Meaning};
use crate::text::Decoded;

/// A command that applies a patch.
pub(super) struct Applier {
    pub(super) meaning: Result<Meaning, Doubt>,
    /// Whether it reads the patch from its input.
    reads: bool,
    /// Whether it takes a heredoc as it is written.
    pub(super) is_literal: bool,
    pub(super) body: Option<InlineText>,
}

/// What is known of a script up to a token.
pub(super) struct Shell<'s> {
    script: &'s str,
    pub(super) place: WorkingDir,
    pipeline: Pipeline,
    command: Command,
    groups: Vec<Group>,
    conditions: Vec<Condition>,
    /// Whether the next word is the name of a function.
    names: bool,
    /// Whether the parenthesis of a function has just been opened.
    defines: bool,
    /// Whether the last command goes on behind an operator.
    goes_on: bool,
    /// How many shells this shell is in.
    pub(super) depth: usize,
    /// How many commands were found before the first thing that is unclear.
    unclear: Option<usize>,
    pub(super) found: Vec<Applier>,
}

impl<'s> Shell<'s> {
    pub(super) fn new(script: &'s str, place: WorkingDir, depth: usize) -> Self {
        Shell {
            script,
            pipeline: Pipeline::new(&place, 0),
            place,
            command: Command::default(),
            groups: Vec::new(),
            conditions: Vec::new(),
            names: false,
            defines: false,
            goes_on: false,
            depth,
            unclear: None,
            found: Vec::new(),
        }
    }

    /// Returns whether all that the script opens is closed.
    pub(super) fn is_whole(&self) -> bool {
        self.unclear.is_none() && self.conditions.is_empty() && !self.goes_on
    }

    /// Returns whether the next command is run only in some cases.
    fn is_in_branch(&self) -> bool {
        self.conditions.iter().any(|condition| condition.is_branch)
    }

    /// Returns what the last command that applies a patch does.
    pub(super) fn meaning(self) -> Result<Option<Meaning>, Doubt> {
        match self.found.into_iter().next_back() {
            Some(found) => found.meaning.map(Some),
            None if self.unclear.is_some() => Err(Doubt::Unclear),
            None => Ok(None),
        }
    }

    /// Returns what the last command does that reads a patch which the script doesn't hold.
    pub(super) fn meaning_of_input(self) -> Option<Result<Meaning, Doubt>> {
        let mut found = self.found.into_iter().rev();
        Some(found.find(|found| found.reads)?.meaning)
    }

    /// Follows a script.
    pub(super) fn run(&mut self) {
        for token in Reader::new(self.script).tokens(false) {
            let is_close = matches!(token, ShellToken::Operator(")"));
            if mem::take(&mut self.defines) && !is_close {
                self.break_off();
            }
            self.goes_on = matches!(token, ShellToken::Operator("&&" | "||" | "|" | "|&"))
                || self.goes_on && matches!(token, ShellToken::Operator("\n"));
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
        if mem::take(&mut self.names) {
            return self.place.lose(Doubt::Command { name: word.text });
        }
        if !word.bare || !self.command.words.is_empty() {
            return self.command.words.push(word);
        }
        let name = word.text.as_str();
        if self.command.group.is_some() && !BEHIND_GROUPS.contains(&name) {
            // No shell goes on like this behind `)` or `fi`.
            return self.break_off();
        }
        match name {
            "{" => self.open("}"),
            "}" => self.close("}"),
            "!" | "time" => {}
            "function" => self.names = true,
            "then" | "else" | "elif" | "do" => match self.conditions.last_mut() {
                Some(condition) => condition.is_branch = true,
                None => self.break_off(),
            },
            // A prompt, copied with what was typed behind it.
            "$" | "%" => {}
            name if is_prompt(name) => {}
            "fi" | "done" | "esac" => match self.conditions.pop() {
                Some(condition) => self.command.group = Some(condition.found),
                None => self.break_off(),
            },
            _ => {
                if CONDITIONS.contains(&name) {
                    self.conditions.push(Condition {
                        is_case: name == "case",
                        groups: self.groups.len(),
                        is_branch: false,
                        found: self.found.len(),
                    });
                }
                if !matches!(name, "if" | "while" | "until") {
                    self.command.words.push(word);
                }
            }
        }
    }

    fn operator(&mut self, operator: &'static str) {
        match operator {
            "(" if self.command.words.is_empty() => self.open(")"),
            "(" => {
                // A function, or a list.
                let mut words = mem::take(&mut self.command.words);
                if words.len() > 1 {
                    self.break_off();
                }
                let name = words.swap_remove(0).text;
                if !name.contains('=') {
                    self.defines = true;
                    self.place.lose(Doubt::Command { name });
                }
                self.open(")");
            }
            ")" => self.close(")"),
            "|" | "|&" | "||" | "&&" if self.command.is_empty() => self.break_off(),
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
        self.command = Command::default();
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
        let case = self.conditions.last_mut().filter(|case| case.is_case);
        if let Some(case) = case.filter(|case| close == ")" && case.groups == self.groups.len()) {
            // A pattern ends, and its commands begin.
            case.is_branch = true;
            self.command = Command::default();
            return;
        }
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
        let moves = !self.place.is(&ended.before);
        if ended.piped || ended.fallback || operator == "&" {
            self.place = ended.before;
        }
        if ended.fallback && moves && !ended.moved {
            let name = "cd".to_owned();
            self.place.lose(Doubt::Command { name });
        }
        if ended.fallback && ended.applied {
            self.found.truncate(ended.found);
        }
        self.pipeline.before = self.place.clone();
        self.pipeline.fallback = operator == "||";
        self.pipeline.applied = ended.applied || self.found.len() > ended.found;
        self.pipeline.applied &= self.pipeline.fallback;
        self.pipeline.moved = (ended.moved || moves) && self.pipeline.fallback;
        self.pipeline.found = self.found.len();
    }

    /// Ends a command: does what it says, and hands it what it reads.
    pub(super) fn finish(&mut self) {
        let command = mem::take(&mut self.command);
        let from = command.group.unwrap_or(self.found.len());
        let stdin = command.stdin.or(self.pipeline.text.take());
        let stdin = stdin.or_else(|| echoed(&command.words));
        let called = self.execute(&command.words);
        let Some(body) = stdin else { return };
        if let Some(found) = self.found[from..].iter_mut().find(|found| found.reads) {
            found.reads = false;
            found.body = Some(body);
        } else if let Some(name) = called
            && !command.writes
        {
            let changes = !matches!(name.as_str(), "cat" | "tee" | "echo" | "printf");
            let trouble = changes.then_some(Doubt::Command { name });
            self.pipeline.text = Some(InlineText {
                trouble: body.trouble.or(trouble),
                ..body
            });
        }
    }

    /// Does what a command says. Returns its name.
    pub(super) fn execute(&mut self, words: &[Word]) -> Option<String> {
        let mut place = self.place.clone();
        let words = bare_command(words, &mut place);
        let (first, args) = words.split_first()?;
        let name = first.text.rsplit('/').next().unwrap_or_default();
        // The shell's own commands have no path.
        let is_bare = name.len() == first.text.len();
        match name {
            "cd" | "pushd" | "popd" if is_bare => self.change_directory(name, args),
            "eval" | "source" | "." if is_bare => {
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
        if !self.conditions.is_empty() {
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
    fn shell(&mut self, args: &[Word], mut place: WorkingDir) {
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
        place.pushed.clear();
        let mut inner = Shell::new(&script.text, place, self.depth + 1);
        if inner.depth >= DEEPEST {
            return self.break_off();
        }
        inner.run();
        if self.is_in_branch() {
            for found in &mut inner.found {
                found.meaning = Err(Doubt::Condition);
            }
        }
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
        body.range = outer.places.range(body.range.clone());
        for edit in &mut body.edits {
            edit.old = outer.places.range(edit.old.clone());
        }
        let inside = script.edits.iter().filter(|edit| {
            body.range.start <= edit.old.start
                && edit.old.end <= body.range.end
                && body
                    .edits
                    .iter()
                    .all(|inner| edit.old.end <= inner.old.start || inner.old.end <= edit.old.start)
        });
        let left: Vec<_> = inside.cloned().collect();
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
        if call.is_trial {
            return;
        }
        let mut place = place.clone();
        if let Some(directory) = &call.directory {
            place.enter(directory);
        }
        let is_unknown = call.trouble.is_some();
        let directory = match call.trouble {
            Some(trouble) => Err(trouble),
            None if place.directory.is_ok() && self.is_in_branch() => Err(Doubt::Condition),
            None => (*place.directory).clone(),
        };
        let (strip, recount) = (call.strip, call.recount);
        let is_input = |word: &Word| matches!(word.text.as_str(), "-" | "/dev/stdin");
        let source = call.sources.first();
        self.found.push(Applier {
            meaning: directory.map(|directory| Meaning {
                directory,
                strip,
                recount,
            }),
            // What an option that isn't known leaves of the operands isn't known either.
            reads: is_unknown || source.is_none_or(is_input),
            is_literal: tool.is_given_text,
            body: source
                .filter(|word| tool.is_given_text || word.heredoc.is_some())
                .and_then(Word::body),
        });
    }
}
