//! Where the literals of a script go: into variables, into others, into a call.

use std::collections::HashMap;

use super::code::{Code, Kind, ScriptToken};
use super::{JOINING, KEEPING, Language, Unreadable, applies};

/// A bracket that is open.
#[derive(Clone, Copy, Default)]
struct Frame {
    mark: u8,
    /// The bracket's token.
    open: usize,
    /// Whether what is in it is handed to `apply_patch`.
    is_handing: bool,
    /// Whether what is in it is joined.
    is_joining: bool,
    /// Whether it is run only in some cases.
    is_conditional: bool,
    /// The first token of a statement without braces that is run only in some cases.
    branch: Option<usize>,
    /// Whether it stands for what is in it, unlike a call.
    is_group: bool,
    /// The assignment whose right side this is.
    assigned: Option<usize>,
    /// How many members there were before it.
    members: usize,
}

/// What becomes of what is assigned to a name.
#[derive(Clone, Default)]
struct Fate {
    is_handed: bool,
    is_changed: bool,
    is_conditional: bool,
    /// The directory that is named where it is handed over, if one is.
    directory: Option<Option<String>>,
}

/// Where the texts of a script go.
pub(super) struct Flow<'a> {
    pub(super) code: Code<'a>,
    frames: Vec<Frame>,
    /// The last assignment to each name.
    names: HashMap<&'a str, usize>,
    fates: Vec<Fate>,
    /// Which draft is of which assignment.
    assigned: Vec<(usize, usize)>,
    /// The drafts in groups that are open.
    members: Vec<usize>,
    /// The token that opened the parenthesis that was closed last.
    closed: usize,
    /// The lines of Python that the line is indented below: their columns, and whether what is
    /// below them is run only in some cases.
    above: Vec<(usize, bool)>,
}

/// Words before what is run only in some cases.
const BRANCHES: [&str; 8] = [
    "if", "elif", "else", "catch", "except", "while", "switch", "case",
];

impl<'a> Flow<'a> {
    pub(super) fn new(code: Code<'a>) -> Self {
        Self {
            code,
            frames: Vec::new(),
            names: HashMap::new(),
            fates: Vec::new(),
            assigned: Vec::new(),
            members: Vec::new(),
            closed: 0,
            above: Vec::new(),
        }
    }

    pub(super) fn follow(&mut self) {
        let mut frame = Frame::default();
        for i in 0..self.code.tokens.len() {
            let begins_line = self.code.tokens[i].begins_line;
            if begins_line && frame.branch.is_some_and(|first| first < i) {
                frame.branch = None;
            }
            if begins_line && frame.mark == 0 {
                self.indent(i);
            }
            match self.code.tokens[i].kind {
                Kind::Mark(mark @ (b'(' | b'[' | b'{')) => {
                    self.frames.push(frame);
                    frame = self.entered(frame, i, mark);
                }
                Kind::Mark(b')' | b']' | b'}') => {
                    self.leave(frame, i);
                    self.closed = frame.open;
                    frame = self.frames.pop().unwrap_or_default();
                    let head = self.code.word(self.closed.wrapping_sub(1));
                    if BRANCHES.contains(&head) && !self.code.is_mark(i + 1, b"{") {
                        frame.branch = Some(i + 1);
                    }
                }
                Kind::Mark(b';') => (frame.assigned, frame.branch) = (None, None),
                Kind::Mark(b'=') if frame.mark != b'(' => {
                    frame.assigned = self.assignment(frame, i).or(frame.assigned)
                }
                Kind::Mark(_) => {}
                Kind::Word => {
                    let is_branch = self.code.word(i) == "else" && !self.code.is_mark(i + 1, b"{");
                    if is_branch && self.code.language == Language::JavaScript {
                        frame.branch = Some(i + 1);
                    }
                    self.name(frame, i);
                }
                Kind::Text(index) => self.text(frame, i, index),
            }
        }
        for (index, assigned) in std::mem::take(&mut self.assigned) {
            let fate = self.fates[assigned].clone();
            self.code.drafts[index].literal.is_handed |= fate.is_handed;
            self.enter(index, fate.directory);
            if fate.is_conditional {
                self.code.blame(index, Unreadable::Condition);
            }
            if fate.is_changed {
                self.code.blame(index, Unreadable::Concatenation);
            }
        }
    }

    /// Reads the beginning of a line of Python outside of brackets.
    fn indent(&mut self, first: usize) {
        if self.code.language != Language::Python {
            return;
        }
        let column = self.code.column(first);
        self.above.retain(|(above, _)| *above < column);
        let is_branch = BRANCHES.contains(&self.code.word(first));
        self.above.push((column, is_branch));
    }

    /// Returns whether what is here is run only in some cases.
    fn is_branch(&self, frame: Frame) -> bool {
        frame.is_conditional || frame.branch.is_some() || self.above.iter().any(|(_, is)| *is)
    }

    /// Returns whether a call is made only in some cases, by what is before it in its expression.
    fn is_choice(&self, open: usize) -> bool {
        let code = &self.code;
        let is_optional = code.is_mark(open.wrapping_sub(1), b".");
        let mut first = open.wrapping_sub(if is_optional { 3 } else { 1 });
        while code.is_mark(first.wrapping_sub(1), b".") {
            let is_optional = code.is_mark(first.wrapping_sub(2), b"?");
            first = first.wrapping_sub(if is_optional { 3 } else { 2 });
        }
        let before = first.wrapping_sub(1);
        let is_awaited = code.word(before) == "await";
        code.is_mark(before.wrapping_sub(usize::from(is_awaited)), b"?:&|")
            && code.language == Language::JavaScript
    }

    /// Has a literal be in the directory that is named where it is handed over.
    fn enter(&mut self, index: usize, directory: Option<Option<String>>) {
        match directory {
            Some(Some(directory)) => self.code.drafts[index].literal.directory = directory,
            Some(None) => self.code.blame(index, Unreadable::Loose),
            None => {}
        }
    }

    fn entered(&self, outer: Frame, open: usize, mark: u8) -> Frame {
        let callee = if mark == b'(' {
            self.code.callee(open)
        } else {
            ""
        };
        let is_joining = JOINING.contains(&callee);
        let is_group = callee.is_empty() || KEEPING.contains(&callee) || is_joining;
        let inherited = if is_group { outer } else { Frame::default() };
        let is_rescue = self.code.word(open.wrapping_sub(1)) == "catch"
            && self.code.is_mark(open.wrapping_sub(2), b".");
        Frame {
            mark,
            open,
            is_handing: inherited.is_handing || applies(callee),
            is_joining: inherited.is_joining || is_joining,
            is_group: is_group && mark != b'{',
            is_conditional: self.is_branch(outer)
                || mark == b'{' && self.is_condition(open)
                || is_rescue
                || applies(callee) && self.is_choice(open),
            branch: None,
            members: self.members.len(),
            ..inherited
        }
    }

    /// Returns whether what a brace opens is run only in some cases.
    fn is_condition(&self, open: usize) -> bool {
        let before = open.wrapping_sub(1);
        let head = match self.code.is_mark(before, b")") {
            true => self.closed.wrapping_sub(1),
            false => before,
        };
        BRANCHES.contains(&self.code.word(head))
    }

    /// Closes a bracket: what happens to it happens to its members.
    fn leave(&mut self, frame: Frame, close: usize) {
        let from = frame.members.min(self.members.len());
        let is_empty = from == self.members.len();
        if is_empty || frame.is_group && !self.is_joined(frame.open, close) {
            return;
        }
        for index in self.members.drain(from..) {
            if frame.is_group {
                self.code.blame(index, Unreadable::Concatenation);
            }
        }
    }

    /// Reads a `=` if it assigns to a name. In parentheses it names an argument.
    fn assignment(&mut self, frame: Frame, i: usize) -> Option<usize> {
        let [before, third, fourth] = [1, 2, 3].map(|back| i.wrapping_sub(back));
        if self.code.is_mark(before, b"+") {
            if let Some(id) = self.names.get(self.code.word(third)) {
                self.fates[*id].is_changed = true;
            }
            return None;
        }
        let name = match self.code.word(fourth) {
            name if !name.is_empty() && self.code.is_mark(third, b":") => name,
            _ => self.code.word(before),
        };
        if name.is_empty() || self.code.is_mark(i + 1, b"=>") {
            return None;
        }
        self.names.insert(name, self.fates.len());
        self.fates.push(Fate {
            is_conditional: self.is_branch(frame),
            ..Fate::default()
        });
        Some(self.fates.len() - 1)
    }

    fn name(&mut self, frame: Frame, i: usize) {
        let code = &self.code;
        if matches!(code.word(i), "of" | "in") {
            if let Some(id) = self.names.get(code.word(i + 1)) {
                self.names.insert(code.word(i.wrapping_sub(1)), *id);
            }
            return;
        }
        let is_key = code.is_mark(i + 1, b"=") || frame.mark == b'{' && code.is_mark(i + 1, b":");
        if frame.is_handing
            && !is_key
            && let Some(id) = self.names.get(code.word(i))
        {
            let is_changed = frame.is_joining || self.is_joined(i, i);
            let directory = code.directory_in(frame.open).filter(|_| frame.mark == b'{');
            let fate = &mut self.fates[*id];
            fate.is_handed = true;
            fate.is_conditional |= frame.is_conditional;
            fate.is_changed |= is_changed;
            fate.directory = directory.or(fate.directory.take());
        }
    }

    fn text(&mut self, frame: Frame, i: usize, index: usize) {
        if frame.is_group {
            self.members.push(index);
        }
        if let Some(id) = frame.assigned {
            self.assigned.push((index, id));
        }
        self.code.drafts[index].literal.is_handed = frame.is_handing;
        if frame.is_handing && frame.mark == b'{' {
            self.enter(index, self.code.directory_in(frame.open));
        }
        let is_chosen = self.is_chosen(i) && (frame.is_handing || frame.assigned.is_some());
        if is_chosen || frame.is_handing && frame.is_conditional {
            self.code.blame(index, Unreadable::Condition);
        }
        let next = self.continuation(frame, i + 1).map(|next| next.kind);
        let last = i.checked_sub(1).and_then(|last| self.code.kind(last));
        let is_text = |kind| matches!(kind, Some(Kind::Text(_)));
        let is_adjacent = self.code.language == Language::Python
            && (is_text(next) || self.continuation(frame, i).is_some() && is_text(last));
        if is_adjacent || frame.is_joining || self.is_joined(i, i) {
            self.code.blame(index, Unreadable::Concatenation);
        } else if next.is_some_and(|next| self.is_cut(i + 1, next)) {
            self.code.blame(index, Unreadable::Quote);
        }
    }

    /// Returns whether a literal is one of several, of which the script takes one.
    fn is_chosen(&self, i: usize) -> bool {
        let code = &self.code;
        let [before, second, third] = [1, 2, 3].map(|back| i.wrapping_sub(back));
        let is_value = code.is_mark(before, b":") && code.is_mark(third, b"{,");
        let is_typed = code.is_mark(before, b":") && code.is_mark(second, b"?");
        code.is_mark(before, b"?|&:") && !is_value && !is_typed
            || code.language == Language::Python
                && (code.word(before) == "else" || code.word(i + 1) == "if")
    }

    /// Returns a token if it goes on with what is before it.
    fn continuation(&self, frame: Frame, i: usize) -> Option<&ScriptToken> {
        let is_in_brackets = self.code.language == Language::Python && frame.mark != 0;
        self.code.tokens.get(i).filter(|token| {
            let goes_on = matches!(token.kind, Kind::Mark(b'-' | b'*' | b'<' | b'>' | b'='));
            !token.begins_line || is_in_brackets || goes_on
        })
    }

    /// Returns whether some tokens are joined with others, or a method of theirs is called.
    fn is_joined(&self, first: usize, last: usize) -> bool {
        let code = &self.code;
        let before = first.wrapping_sub(1);
        let is_added = code.is_mark(before, b"=") && code.is_mark(before.wrapping_sub(1), b"+");
        let mut next = last + 1;
        let is_method = |next| code.is_mark(next, b".") && code.is_mark(next + 2, b"(");
        while is_method(next)
            && KEEPING.contains(&code.word(next + 1))
            && code.is_mark(next + 3, b")")
        {
            next += 4;
        }
        is_added || is_method(next) || code.is_mark(before, b"+%") || code.is_mark(next, b"+%")
    }

    /// Returns whether no literal can be before a token.
    fn is_cut(&self, next: usize, kind: Kind) -> bool {
        match kind {
            Kind::Text(_) => true,
            Kind::Word => !matches!(self.code.word(next), "as" | "if" | "else" | "satisfies"),
            Kind::Mark(b'.') => self.code.word(next + 1).is_empty(),
            Kind::Mark(mark) => !b"),;}]:?".contains(&mark),
        }
    }
}
