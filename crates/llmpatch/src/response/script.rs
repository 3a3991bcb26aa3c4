//! Scripts of JavaScript or Python whose string literals hold patches.
//!
//! ```text
//! const patch = "*** Begin Patch\n*** Update File: a.txt\n-x\n+y\n*** End Patch";
//! await tools.apply_patch(patch);
//! ```
//!
//! A script is split into words, marks and string literals, and never run. A literal whose text
//! begins with a patch's first line is found wherever it is; its escapes are decoded once, by the
//! language's rules. What would need the script to be run has a trouble: values that are put into
//! the text, strings that are joined, methods that change them.
//!
//! # Where the languages leave a choice
//! - Octal escapes of JavaScript are forbidden in every literal, as they are in a module.
//! - A raw string without a backslash is what it looks like; with a backslash it has a trouble.
//! - A line end in a literal of several lines is LF, in Python too.
//! - A literal that ends where no literal can end has a quote in it that should be escaped.

use std::collections::HashMap;
use std::ops::Range;

use bstr::ByteSlice as _;

use crate::text::Splice;

/// The language whose rules decode a string literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    JavaScript,
    Python,
}

/// A string literal of a script that begins with a patch's first line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Literal {
    /// Where it is in the script, with its quotes and its prefix.
    pub(crate) range: Range<usize>,
    /// Where its text is, without quotes.
    pub(crate) inner: Range<usize>,
    /// What takes the place of each escape in it, by places in the script and in order. Bytes that
    /// no splice names stand for themselves.
    pub(crate) escapes: Vec<Splice>,
    /// Whether it is handed to a function whose name ends in `apply_patch` or `applyPatch`, itself
    /// or by the name of its variable.
    pub(crate) is_handed: bool,
    /// Why its text can't be told without running the script.
    pub(crate) trouble: Option<Unreadable>,
}

/// Why the text of a literal can't be told without running its script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("the script puts values into the patch's text, with `${{…}}`")]
    Interpolation,
    #[error("the script joins the patch's text with other text, or changes it")]
    Concatenation,
    #[error("the patch's text is in a raw, formatted, tagged or bytes string")]
    Raw,
    #[error("`{text}` in the patch's text isn't an escape of the script's language")]
    Escape { text: String },
    #[error("the string with the patch's text is never closed")]
    Open,
    /// What follows the literal shows that a quote of its text closed it.
    #[error("a quote in the patch's text ends its string: it isn't escaped")]
    Quote,
}

/// What a patch's first line begins with.
const STARTS: [&str; 6] = [
    "*** Begin Patch",
    "diff --git ",
    "--- ",
    "<edit ",
    "<opx>",
    "<<<<<<< SEARCH",
];

/// Words that stand before a parenthesis and aren't called.
const KEYWORDS: &[&str] = &[
    "and", "assert", "async", "await", "case", "catch", "delete", "do", "elif", "else", "except",
    "for", "from", "function", "if", "in", "lambda", "not", "of", "or", "raise", "return",
    "switch", "throw", "typeof", "void", "while", "with", "yield",
];

/// Functions that leave a text as it is, but for space around it.
const KEEPING: &[&str] = &[
    "String",
    "str",
    "dedent",
    "trim",
    "trimStart",
    "trimEnd",
    "strip",
    "lstrip",
    "rstrip",
    "toString",
];

/// Functions that join texts.
const JOINING: &[&str] = &["join", "concat"];

/// Functions that change nothing outside of the script, beside [`KEEPING`] and [`JOINING`].
const HARMLESS: &[&str] = &[
    "text",
    "notify",
    "print",
    "log",
    "error",
    "warn",
    "info",
    "stringify",
    "dumps",
    "repr",
    "len",
    "require",
    "import",
    "all",
    "allSettled",
    "then",
    "map",
    "forEach",
    "push",
    "split",
    "replace",
    "replaceAll",
    "format",
    "includes",
    "Error",
    "exit",
];

/// Finds the literals of a script that begin with a patch's first line, whatever else it does.
pub(crate) fn literals(script: &str) -> Vec<Literal> {
    let mut flow = Flow::new(Code::read(script));
    flow.follow();
    let mut found: Vec<Literal> = Vec::new();
    for Draft { literal, text, .. } in flow.code.drafts {
        let is_within = found
            .last()
            .is_some_and(|last| literal.range.start < last.range.end);
        if !is_within && begins_patch(&text) {
            found.push(literal);
        }
    }
    found
}

/// Returns whether a script does more than make patches, apply them and print.
pub(crate) fn does_more(script: &str) -> bool {
    let code = Code::read(script);
    (0..code.tokens.len()).any(|i| {
        let name = match code.kind(i) {
            Some(Kind::Mark(b'(')) => code.callee(i),
            Some(Kind::Text(index)) if code.drafts[index].is_tagged => code.word(i.wrapping_sub(1)),
            _ => return false,
        };
        let is_harmless = [KEEPING, JOINING, HARMLESS]
            .iter()
            .any(|names| names.contains(&name));
        !(name.is_empty() || name == "raw" || applies(name) || is_harmless)
    })
}

fn applies(name: &str) -> bool {
    name.ends_with("apply_patch") || name.ends_with("applyPatch")
}

fn begins_patch(text: &[u8]) -> bool {
    let text = text.trim_start_with(|c| matches!(c, '\r' | '\n'));
    let is_begun = STARTS
        .iter()
        .any(|start| text.starts_with(start.as_bytes()));
    is_begun && (!text.starts_with(b"--- ") || text.contains_str("\n+++ "))
}

/// Guesses the language of a script by what is around the first patch in it.
fn language(script: &str) -> Language {
    let begins = STARTS.iter().filter_map(|start| {
        let mut places = script.match_indices(start).map(|(at, _)| at);
        places.find(|at| opening(script, *at).ends_with(['"', '\'', '`']))
    });
    let at = begins.min().unwrap_or(script.len());
    let head = opening(script, at);
    if head.ends_with("\"\"\"") || head.ends_with("'''") {
        return Language::Python;
    }
    let rest = script.get(at..).unwrap_or_default();
    let tail = rest
        .rsplit_once("*** End Patch")
        .map_or("", |(_, tail)| tail);
    let mut lines = head.lines().chain(tail.lines());
    lines
        .find_map(line_language)
        .unwrap_or(Language::JavaScript)
}

/// Returns what is before a place, without empty lines right before it.
fn opening(script: &str, at: usize) -> &str {
    let head = script.get(..at).unwrap_or_default();
    head.trim_end_matches(['\\', '\r', '\n'])
}

/// Returns the language that a line looks like.
fn line_language(line: &str) -> Option<Language> {
    let line = line.trim();
    let begins = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    let has = |texts: &[&str]| texts.iter().any(|text| line.contains(text));
    if begins(&["def ", "async def ", "#", "print("]) && !line.ends_with(';') {
        return Some(Language::Python);
    }
    let is_import = begins(&["import ", "from "]);
    if begins(&["const ", "let ", "var ", "//", "/*"])
        || has(&["await ", "=>", "`"])
        || line.ends_with(';')
        || (is_import && has(&["\"", "'"]))
    {
        return Some(Language::JavaScript);
    }
    is_import.then_some(Language::Python)
}

/// What a token is.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// A name, a keyword or a number.
    Word,
    Mark(u8),
    /// A string literal, by the index of its draft.
    Text(usize),
}

struct ScriptToken {
    kind: Kind,
    range: Range<usize>,
    begins_line: bool,
}

/// A string literal, whatever it begins with.
struct Draft {
    literal: Literal,
    /// What is decoded of it.
    text: Vec<u8>,
    close: &'static str,
    is_tagged: bool,
}

/// A `${` that is open in a template.
struct Hole {
    /// The template's draft.
    index: usize,
    /// How many braces are open in it.
    braces: usize,
}

/// A script as tokens.
struct Code<'a> {
    script: &'a str,
    language: Language,
    at: usize,
    begins_line: bool,
    tokens: Vec<ScriptToken>,
    drafts: Vec<Draft>,
    holes: Vec<Hole>,
}

impl<'a> Code<'a> {
    fn read(script: &'a str) -> Self {
        let mut code = Self {
            script,
            language: language(script),
            at: 0,
            begins_line: true,
            tokens: Vec::new(),
            drafts: Vec::new(),
            holes: Vec::new(),
        };
        while let Some(byte) = code.byte(0) {
            code.step(byte);
        }
        for hole in &code.holes {
            let literal = &mut code.drafts[hole.index].literal;
            literal.range.end = script.len();
            literal.inner.end = script.len();
        }
        code
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.script.as_bytes().get(self.at + ahead).copied()
    }

    fn kind(&self, i: usize) -> Option<Kind> {
        self.tokens.get(i).map(|token| token.kind)
    }

    fn is_mark(&self, i: usize, marks: &[u8]) -> bool {
        matches!(self.kind(i), Some(Kind::Mark(mark)) if marks.contains(&mark))
    }

    /// Returns the word that a token is; of another token nothing.
    fn word(&self, i: usize) -> &'a str {
        let word = self.tokens.get(i).filter(|token| token.kind == Kind::Word);
        word.and_then(|token| self.script.get(token.range.clone()))
            .unwrap_or_default()
    }

    /// Returns the last name of what is called by a parenthesis; nothing if it only groups.
    fn callee(&self, open: usize) -> &'a str {
        let is_optional = self.is_mark(open.wrapping_sub(1), b".");
        let last = open.wrapping_sub(if is_optional { 3 } else { 1 });
        if let Some(Kind::Text(index)) = self.kind(last.wrapping_sub(1))
            && self.is_mark(last, b"]")
        {
            let inner = self.drafts[index].literal.inner.clone();
            return self.script.get(inner).unwrap_or_default();
        }
        let word = self.word(last);
        let before = self.word(last.wrapping_sub(1));
        let is_called =
            !KEYWORDS.contains(&word) && !["function", "def", "class"].contains(&before);
        if is_called { word } else { "" }
    }

    fn step(&mut self, byte: u8) {
        let is_python = self.language == Language::Python;
        let is_slash = byte == b'/' && !is_python;
        match byte {
            b'\n' | b'\r' => {
                self.at += 1;
                self.begins_line = true;
            }
            b' ' | b'\t' | 0x0b | 0x0c => self.at += 1,
            b'#' if is_python => self.skip_line(),
            _ if is_slash && self.byte(1) == Some(b'/') => self.skip_line(),
            _ if is_slash && self.byte(1) == Some(b'*') => self.skip_comment(),
            _ if is_slash && self.expects_regex() => self.skip_regex(),
            b'"' => self.open(if is_python { "\"\"\"" } else { "\"" }, "\""),
            b'\'' => self.open(if is_python { "'''" } else { "'" }, "'"),
            b'`' if !is_python => self.open("`", "`"),
            b'{' | b'}' if !self.holes.is_empty() => self.brace(byte),
            _ if is_word(byte) => {
                let rest = &self.script.as_bytes()[self.at..];
                let len = rest.iter().take_while(|byte| is_word(**byte)).count();
                self.push(Kind::Word, len);
            }
            _ => self.push(Kind::Mark(byte), 1),
        }
    }

    fn push(&mut self, kind: Kind, len: usize) {
        let range = self.at..self.at + len;
        self.at = range.end;
        let begins_line = std::mem::take(&mut self.begins_line);
        self.tokens.push(ScriptToken {
            kind,
            range,
            begins_line,
        });
    }

    fn skip_line(&mut self) {
        let rest = &self.script.as_bytes()[self.at..];
        self.at += rest.find_byteset("\r\n").unwrap_or(rest.len());
    }

    fn skip_comment(&mut self) {
        let rest = self
            .script
            .as_bytes()
            .get(self.at + 2..)
            .unwrap_or_default();
        self.at += 2 + rest.find("*/").map_or(rest.len(), |len| len + 2);
    }

    fn expects_regex(&self) -> bool {
        let Some(last) = self.tokens.len().checked_sub(1) else {
            return true;
        };
        self.begins_line
            || self.is_mark(last, b"(,=:[!&|?{};")
            || KEYWORDS.contains(&self.word(last))
    }

    /// Skips a regular expression, or what is left of a line that doesn't close it.
    fn skip_regex(&mut self) {
        let mut is_in_class = false;
        self.at += 1;
        while let Some(byte) = self.byte(0) {
            match byte {
                b'\n' | b'\r' => return,
                b'\\' if !matches!(self.byte(1), None | Some(b'\n' | b'\r')) => self.at += 1,
                b'[' => is_in_class = true,
                b']' => is_in_class = false,
                b'/' if !is_in_class => return self.push(Kind::Mark(b'/'), 1),
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Reads a brace in a template's `${`, which the last brace closes.
    fn brace(&mut self, byte: u8) {
        let Some(mut hole) = self.holes.pop() else {
            return;
        };
        if byte == b'}' && hole.braces == 0 {
            self.at += 1;
            return self.fill(hole.index);
        }
        hole.braces = if byte == b'{' {
            hole.braces + 1
        } else {
            hole.braces - 1
        };
        self.holes.push(hole);
        self.push(Kind::Mark(byte), 1);
    }

    /// Reads a literal. Its quote is the long quote, if the script has that here.
    fn open(&mut self, long: &'static str, short: &'static str) {
        let (script, at) = (self.script, self.at);
        let is_long = script.as_bytes()[at..].starts_with(long.as_bytes());
        let close = if is_long { long } else { short };
        let is_python = self.language == Language::Python;
        let before = self.tokens.pop_if(|token| {
            let word = script.get(token.range.clone()).unwrap_or_default();
            let is_prefix = word.len() <= 2 && word.bytes().all(|byte| b"rRbBuUfF".contains(&byte));
            is_python && token.kind == Kind::Word && token.range.end == at && is_prefix
        });
        let start = before.as_ref().map_or(at, |token| token.range.start);
        self.begins_line |= before.is_some_and(|token| token.begins_line);
        let prefix = script
            .get(start..at)
            .unwrap_or_default()
            .to_ascii_lowercase();
        let last = self.tokens.len().wrapping_sub(1);
        let tag = self.word(last);
        let is_tagged = close == "`"
            && (self.is_mark(last, b")]") || !tag.is_empty() && !KEYWORDS.contains(&tag));
        let is_foreign = prefix.contains(['b', 'f', 'r']) || is_tagged;
        let index = self.drafts.len();
        self.push(Kind::Text(index), close.len());
        self.drafts.push(Draft {
            literal: Literal {
                range: start..self.at,
                inner: self.at..self.at,
                escapes: Vec::new(),
                is_handed: false,
                trouble: is_foreign.then_some(Unreadable::Raw),
            },
            text: Vec::new(),
            close,
            is_tagged,
        });
        self.fill(index);
    }

    /// Reads a literal up to its quote, the next `${` or its end.
    fn fill(&mut self, index: usize) {
        let close = self.drafts[index].close;
        let is_template = close == "`";
        let is_long = is_template || close.len() > 1;
        while let Some(byte) = self.byte(0) {
            let rest = &self.script.as_bytes()[self.at..];
            if rest.starts_with(close.as_bytes()) {
                return self.end(index, close.len());
            }
            match byte {
                b'\\' => self.escape(index),
                b'\r' if is_long && self.byte(1) == Some(b'\n') => self.replace(index, 2, "\n"),
                b'\r' if is_long => self.replace(index, 1, "\n"),
                b'\r' | b'\n' if !is_long => break,
                b'$' if is_template && rest.starts_with(b"${") => {
                    self.blame(index, Unreadable::Interpolation);
                    self.holes.push(Hole { index, braces: 0 });
                    return self.end(index, 2);
                }
                _ => {
                    self.drafts[index].text.push(byte);
                    self.at += 1;
                }
            }
        }
        self.blame(index, Unreadable::Open);
        self.end(index, 0);
    }

    fn end(&mut self, index: usize, quote: usize) {
        let literal = &mut self.drafts[index].literal;
        literal.inner.end = self.at;
        self.at += quote;
        literal.range.end = self.at;
    }

    fn blame(&mut self, index: usize, trouble: Unreadable) {
        self.drafts[index].literal.trouble.get_or_insert(trouble);
    }

    fn replace(&mut self, index: usize, len: usize, new: &str) {
        let old = self.at..self.at + len;
        self.at = old.end;
        let Draft { literal, text, .. } = &mut self.drafts[index];
        text.extend(new.bytes());
        if self.script.get(old.clone()) != Some(new) {
            let new = new.into();
            literal.escapes.push(Splice { old, new });
        }
    }

    fn escape(&mut self, index: usize) {
        let rest = self.script.get(self.at..).unwrap_or_default();
        let Some(letter) = rest.chars().nth(1) else {
            self.at = self.script.len();
            return;
        };
        let plain = rest.get(..1 + letter.len_utf8()).unwrap_or_default();
        let escape = match self.language {
            Language::JavaScript => javascript(rest, letter),
            Language::Python => python(rest, letter),
        };
        if let Some((len, new)) = escape {
            return self.replace(index, len, &new);
        }
        let text = shown(rest, letter).to_owned();
        self.blame(index, Unreadable::Escape { text });
        self.replace(index, plain.len(), plain);
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
}

/// Returns an escape that the language forbids, as far as it seems to go.
fn shown(rest: &str, letter: char) -> &str {
    let is_braced = rest.as_bytes().get(2) == Some(&b'{');
    let most = match letter {
        _ if is_braced => 40,
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => 1,
    };
    let digits = rest.bytes().skip(2).take(most);
    let len = if is_braced {
        digits
            .take_while(|byte| is_word(*byte) || b" -{".contains(byte))
            .count()
            + 1
    } else {
        digits.take_while(u8::is_ascii_hexdigit).count()
    };
    rest.get(..2 + len)
        .or(rest.get(..1 + letter.len_utf8()))
        .unwrap_or_default()
}

/// Decodes an escape of JavaScript: how long it is, and what it stands for.
fn javascript(rest: &str, letter: char) -> Option<(usize, String)> {
    let meant = match letter {
        'x' => return Some((4, char::from_u32(digits(rest, 2, 2)?)?.into())),
        'u' => return unicode(rest),
        '\r' if rest.starts_with("\\\r\n") => return Some((3, String::new())),
        '\n' | '\r' | '\u{2028}' | '\u{2029}' => String::new(),
        '0' if !rest.as_bytes().get(2).is_some_and(u8::is_ascii_digit) => "\0".into(),
        '0'..='9' => return None,
        _ => control(letter).unwrap_or(letter).into(),
    };
    Some((1 + letter.len_utf8(), meant))
}

/// Decodes `\uHHHH`, `\u{…}`, or two of them that are a surrogate pair.
fn unicode(rest: &str) -> Option<(usize, String)> {
    let (len, high) = unit(rest)?;
    if let Some(c) = char::from_u32(high) {
        return Some((len, c.into()));
    }
    let (more, low) = unit(rest.get(len..)?)?;
    let units = [u16::try_from(high).ok()?, u16::try_from(low).ok()?];
    Some((len + more, String::from_utf16(&units).ok()?))
}

fn unit(rest: &str) -> Option<(usize, u32)> {
    let Some(braced) = rest.strip_prefix("\\u{") else {
        let is_unit = rest.starts_with("\\u");
        return is_unit.then_some(6).zip(digits(rest, 2, 4));
    };
    let len = braced.bytes().take_while(u8::is_ascii_hexdigit).count();
    let is_closed = braced.as_bytes().get(len) == Some(&b'}');
    is_closed.then_some(len + 4).zip(digits(rest, 3, len))
}

/// Decodes an escape of Python: how long it is, and what it stands for.
fn python(rest: &str, letter: char) -> Option<(usize, String)> {
    let number = |len| Some((2 + len, char::from_u32(digits(rest, 2, len)?)?.into()));
    let meant = match letter {
        'x' => return number(2),
        'u' => return number(4),
        'U' => return number(8),
        'N' => return None,
        '\r' if rest.starts_with("\\\r\n") => return Some((3, String::new())),
        '\r' | '\n' => String::new(),
        '\\' | '\'' | '"' => letter.into(),
        'a' => "\u{7}".into(),
        '0'..='7' => {
            let octal = rest
                .bytes()
                .skip(1)
                .take(3)
                .take_while(|byte| (b'0'..b'8').contains(byte));
            let len = 1 + octal.count();
            let value = u32::from_str_radix(rest.get(1..len)?, 8).ok()?;
            return Some((len, char::from_u32(value)?.into()));
        }
        // Another backslash stands for itself.
        _ => return Some(control(letter).map_or((1, "\\".into()), |c| (2, c.into()))),
    };
    Some((2, meant))
}

/// Returns the control character that a letter names in both languages.
fn control(letter: char) -> Option<char> {
    Some(match letter {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'v' => '\u{b}',
        _ => return None,
    })
}

fn digits(rest: &str, from: usize, len: usize) -> Option<u32> {
    let digits = rest.get(from..from + len)?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| u32::from_str_radix(digits, 16).ok())?
}

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
    /// Whether it stands for what is in it, unlike a call.
    is_group: bool,
    /// The assignment whose right side this is.
    assigned: Option<usize>,
    /// How many members there were before it.
    members: usize,
}

/// What becomes of what is assigned to a name.
#[derive(Clone, Copy, Default)]
struct Fate {
    is_handed: bool,
    is_changed: bool,
}

/// Where the texts of a script go.
struct Flow<'a> {
    code: Code<'a>,
    frames: Vec<Frame>,
    /// The last assignment to each name.
    names: HashMap<&'a str, usize>,
    fates: Vec<Fate>,
    /// Which draft is of which assignment.
    assigned: Vec<(usize, usize)>,
    /// The drafts in groups that are open.
    members: Vec<usize>,
}

impl<'a> Flow<'a> {
    fn new(code: Code<'a>) -> Self {
        Self {
            code,
            frames: Vec::new(),
            names: HashMap::new(),
            fates: Vec::new(),
            assigned: Vec::new(),
            members: Vec::new(),
        }
    }

    fn follow(&mut self) {
        let mut frame = Frame::default();
        for i in 0..self.code.tokens.len() {
            match self.code.tokens[i].kind {
                Kind::Mark(mark @ (b'(' | b'[' | b'{')) => {
                    self.frames.push(frame);
                    frame = self.entered(frame, i, mark);
                }
                Kind::Mark(b')' | b']' | b'}') => {
                    self.leave(frame, i);
                    frame = self.frames.pop().unwrap_or_default();
                }
                Kind::Mark(b';') => frame.assigned = None,
                Kind::Mark(b'=') if frame.mark != b'(' => {
                    frame.assigned = self.assignment(i).or(frame.assigned)
                }
                Kind::Mark(_) => {}
                Kind::Word => self.name(frame, i),
                Kind::Text(index) => self.text(frame, i, index),
            }
        }
        for &(index, assigned) in &self.assigned {
            let fate = self.fates[assigned];
            self.code.drafts[index].literal.is_handed |= fate.is_handed;
            if fate.is_changed {
                self.code.blame(index, Unreadable::Concatenation);
            }
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
        Frame {
            mark,
            open,
            is_handing: inherited.is_handing || applies(callee),
            is_joining: inherited.is_joining || is_joining,
            is_group: is_group && mark != b'{',
            members: self.members.len(),
            ..inherited
        }
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
    fn assignment(&mut self, i: usize) -> Option<usize> {
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
        self.fates.push(Fate::default());
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
            let fate = &mut self.fates[*id];
            fate.is_handed = true;
            fate.is_changed |= is_changed;
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
        let is_next = |next: &&ScriptToken| {
            let is_in_brackets = self.code.language == Language::Python && frame.mark != 0;
            let goes_on = matches!(next.kind, Kind::Mark(b'-' | b'*' | b'<' | b'>' | b'='));
            !next.begins_line || is_in_brackets || goes_on
        };
        let next = self
            .code
            .tokens
            .get(i + 1)
            .filter(is_next)
            .map(|next| next.kind);
        let last = i.checked_sub(1).and_then(|last| self.code.kind(last));
        let this = self.code.tokens.get(i).filter(is_next);
        let is_text = |kind| matches!(kind, Some(Kind::Text(_)));
        let is_adjacent = self.code.language == Language::Python
            && (is_text(next) || this.is_some() && is_text(last));
        if is_adjacent || frame.is_joining || self.is_joined(i, i) {
            self.code.blame(index, Unreadable::Concatenation);
        } else if next.is_some_and(|next| self.is_cut(i + 1, next)) {
            self.code.blame(index, Unreadable::Quote);
        }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Unreadable::{Concatenation, Interpolation, Open, Quote, Raw};
    use super::*;
    use crate::response::decoded::Decoded;

    fn decoded(script: &str, literal: &Literal) -> Vec<u8> {
        Decoded::new(script.as_bytes(), literal.inner.clone(), &literal.escapes).text
    }

    type Read = (String, bool, Option<Unreadable>);

    fn read(script: &str) -> Vec<Read> {
        let read = |literal: Literal| {
            let text = String::from_utf8(decoded(script, &literal)).expect("text");
            (text, literal.is_handed, literal.trouble)
        };
        literals(script).into_iter().map(read).collect()
    }

    /// `§` is the first line of a patch, with what ends it.
    fn full(text: &str) -> String {
        text.replace('§', "*** Begin Patch")
    }

    fn escape(text: &str) -> Option<Unreadable> {
        Some(Unreadable::Escape { text: text.into() })
    }

    #[test]
    fn texts_are_decoded() {
        let rows = [
            // JavaScript.
            (r#"const p = "§\n*** End Patch";"#, "§\n*** End Patch"),
            (r#"const p = '§\n-a\'b"c';"#, "§\n-a'b\"c"),
            ("const p = `§\n-\\`a\\` \\${b} $c\n`;", "§\n-`a` ${b} $c\n"),
            ("const p = `§\r\n-a\rb\\\r\nc`;", "§\n-a\nbc"),
            (r#"const p = "\n\n§\n";"#, "\n\n§\n"),
            ("const p = `\n§\n`;", "\n§\n"),
            ("const p = `\\\n§\n`;", "§\n"),
            (
                r#"const p = "§\t\r\b\f\v\0\\\"\`\$\q\/é";"#,
                "§\t\r\u{8}\u{c}\u{b}\0\\\"`$q/é",
            ),
            (
                r#"const p = "§\x41\u00e9\u{1F600}\uD83D\uDE00\u{d83d}\u{de00}";"#,
                "§Aé😀😀😀",
            ),
            ("const p = \"§\\\n-a\\\u{2028}b\";", "§-ab"),
            (
                r#"const p = "§\n+`${x}` 'y' // z /* \/";"#,
                "§\n+`${x}` 'y' // z /* /",
            ),
            (
                r#"const p = '§\n+apply_patch("*** Begin Patch")';"#,
                "§\n+apply_patch(\"§\")",
            ),
            (
                "const p = `§\n+await tools.apply_patch('*** Begin Patch')`;",
                "§\n+await tools.apply_patch('§')",
            ),
            (
                r#"const p = "diff --git a/x b/x\n";"#,
                "diff --git a/x b/x\n",
            ),
            (r#"const p = "--- a/x\n+++ b/x\n";"#, "--- a/x\n+++ b/x\n"),
            (r#"const p = "<edit file=\"a\">";"#, "<edit file=\"a\">"),
            (r#"const p = "<opx>";"#, "<opx>"),
            (r#"const p = "<<<<<<< SEARCH\n";"#, "<<<<<<< SEARCH\n"),
            // What is around it.
            ("// don't\n/* it's ` */ const p = '§';", "§"),
            ("const r = /[\"'/]`/; const p = '§';", "§"),
            (
                "const r = s.match(/\"/g), q = 4 / 2 / 1; const p = '§';",
                "§",
            ),
            ("const r = [/'/, /\\//]\nconst p = '§'", "§"),
            ("if (/`/.test(x)) { return /'/ }\nconst p = '§';", "§"),
            ("text(`${await tools.apply_patch('§')} {`);", "§"),
            ("text(`a ${{ b: `}` }.b} c`); const p = '§';", "§"),
            (
                "const s = \"it's\", t = 'a \"b\" \\' c'; const p = `§`;",
                "§",
            ),
            ("const s = 'unclosed\nconst p = `§`;", "§"),
            // Python.
            ("p = '''§\n-a\n'''", "§\n-a\n"),
            (
                "p = \"\"\"§\n+'''a''' \"b\" \\\"\"\"c\\\"\"\"\n\"\"\"",
                "§\n+'''a''' \"b\" \"\"\"c\"\"\"\n",
            ),
            ("p = '''\\\n§\n'''", "§\n"),
            (
                "import os\np = '§\\n-a\\d\\q\\`\\$\\/'",
                "§\n-a\\d\\q\\`\\$\\/",
            ),
            (
                "p = '''§\\t\\r\\a\\b\\f\\v\\\\\\'\\\"\\0\\101\\x42\\u0043\\U0001F600'''",
                "§\t\r\u{7}\u{8}\u{c}\u{b}\\'\"\0ABC😀",
            ),
            ("p = u'''§'''", "§"),
            ("# don't\np = '''§\r\n-a'''", "§\n-a"),
            (
                "def f():\n    apply_patch('§\\n+const x = `y`;')",
                "§\n+const x = `y`;",
            ),
            (
                "p = '''§\n+const a = '*** Begin Patch';\n'''",
                "§\n+const a = '§';\n",
            ),
        ];
        for (script, text) in rows {
            let read = read(&full(script));
            let expected = (full(text), read.first().is_some_and(|read| read.1), None);
            assert_eq!(read, [expected], "{script}");
        }
    }

    #[test]
    fn texts_are_handed() {
        let rows = [
            ("const patch = '§'; await tools.apply_patch(patch);", true),
            (
                "const patch = '§'\nconst r = await tools.apply_patch(patch)\ntext(r)",
                true,
            ),
            (
                "const r = await tools.apply_patch('§'); text(r.output);",
                true,
            ),
            ("text(await tools.apply_patch(`§`))", true),
            ("await tools.apply_patch({ input: '§' });", true),
            ("await applyPatch({ patch: '§', dry: false });", true),
            (
                "const patch = '§'; await functions.apply_patch({ patch });",
                true,
            ),
            (
                "const p = '§'; await tools.apply_patch({ input: p });",
                true,
            ),
            (
                "const args = { input: '§' }; await tools.apply_patch(args);",
                true,
            ),
            (
                "const args = { input: '§' }; await tools.apply_patch(args.input);",
                true,
            ),
            (
                "let p: string = '§'; await tools.apply_patch(p as string);",
                true,
            ),
            ("let p; p = '§'; await tools['apply_patch'](p);", true),
            ("const p = '§'; await tools.apply_patch?.(p.trim());", true),
            (
                "const ps = ['§']; for (const p of ps) await tools.apply_patch(p);",
                true,
            ),
            (
                "const p = '§'.trim(); await tools.apply_patch((String(p)));",
                true,
            ),
            ("apply_patch('''§''')", true),
            ("p = '''§'''\napply_patch(patch=p)", true),
            ("patch = '''§'''\ntools.apply_patch(patch=patch)", true),
            (
                "import textwrap\np: str = textwrap.dedent('''§''').strip()\napply_patch(p)",
                true,
            ),
            ("const p = '§';", false),
            ("text('§');", false),
            (
                "const p = '§'; const q = 'x'; await tools.apply_patch(q);",
                false,
            ),
            ("const p = '§'; await tools.apply_patch({ p: q });", false),
            (
                "let p = '§'; p = fixed(p); await tools.apply_patch(p);",
                false,
            ),
            ("await tools.apply_patch(read('§'));", false),
            ("console.log(apply_patch, '§');", false),
        ];
        for (script, is_handed) in rows {
            let expected = (full("§"), is_handed, None);
            assert_eq!(read(&full(script)), [expected], "{script}");
        }
    }

    #[test]
    fn troubles_are_told() {
        let rows = [
            ("const p = `§${x}`;", Some(Interpolation)),
            (
                "const p = `§${`a${'*** Begin Patch'}`}b`;",
                Some(Interpolation),
            ),
            ("const p = `§${x", Some(Interpolation)),
            ("p = f'''§\n+{x}'''", Some(Raw)),
            ("const p = '§' + x;", Some(Concatenation)),
            ("const p = x + '§';", Some(Concatenation)),
            ("const p = '§\\n' +\n  '-x';", Some(Concatenation)),
            ("p += '§';", Some(Concatenation)),
            (
                "let p = '§'; p += '\\n'; await apply_patch(p);",
                Some(Concatenation),
            ),
            ("const p = ['§', '-x'].join('\\n');", Some(Concatenation)),
            (
                "const l = ['§', '-x']; await apply_patch(l.join('\\n'));",
                Some(Concatenation),
            ),
            (
                "const p = '§'; await apply_patch(p + '\\n');",
                Some(Concatenation),
            ),
            (
                "const p = '§'; await apply_patch(p.replace('a', 'b'));",
                Some(Concatenation),
            ),
            ("const p = '§'.replaceAll('a', b);", Some(Concatenation)),
            ("const p = '§'.trim().concat(b);", Some(Concatenation)),
            ("const p = ''.concat('§', b);", Some(Concatenation)),
            ("const p = ('§') + x;", Some(Concatenation)),
            ("p = '''§''' % x", Some(Concatenation)),
            ("p = '''§'''.format(x)", Some(Concatenation)),
            ("p = ('''§'''\n  '-x')", Some(Concatenation)),
            ("p = '''§''' '-x'", Some(Concatenation)),
            (
                "import os\np = '\\n'.join(['§', '-x'])",
                Some(Concatenation),
            ),
            ("const p = String.raw`§\\n`;", Some(Raw)),
            ("const p = dedent`§`;", Some(Raw)),
            ("const p = String.raw`§`;", Some(Raw)),
            ("p = r'''§\\d'''", Some(Raw)),
            ("p = b'''§'''", Some(Raw)),
            ("p = Rb'''§'''", Some(Raw)),
            ("const p = '§\\u{110000}';", escape("\\u{110000}")),
            ("const p = '§\\x1';", escape("\\x1")),
            ("const p = '§\\uD83Dx';", escape("\\uD83D")),
            ("const p = '§\\u{zz}';", escape("\\u{zz}")),
            ("const p = `§\\101`;", escape("\\10")),
            ("p = '''§\\N{BULLET}'''", escape("\\N{BULLET}")),
            ("p = '''§\\uD83D\\uDE00'''", escape("\\uD83D")),
            ("p = '''§\\xg'''", escape("\\x")),
            ("const p = `§\n", Some(Open)),
            ("const p = \"§\n+x\n\";", Some(Open)),
            ("p = '''§\n''", Some(Open)),
            ("const p = '§\\", Some(Open)),
            ("const p = `§\n+a `b` c`;", Some(Quote)),
            ("const p = \"§\\n+a = \"b\"\";", Some(Quote)),
            ("const p = `§\n+`\n-x`;", Some(Quote)),
            ("p = '''§\n+'''Doc.'''\n'''", Some(Quote)),
        ];
        for (script, trouble) in rows {
            let troubles: Vec<_> = read(&full(script)).into_iter().map(|read| read.2).collect();
            assert_eq!(troubles, [trouble], "{script}");
        }
    }

    #[test]
    fn other_texts_are_none() {
        let rows = [
            "",
            "const p = 'x § y';",
            "// '§'\n/* '§' */ const a = 1;",
            "# '''§'''\nimport os",
            "const a = /'§'/;",
            "const a = '--- x';",
            "§\n+'a'\n*** End Patch",
        ];
        for script in rows {
            assert_eq!(read(&full(script)), [], "{script}");
        }
    }

    #[test]
    fn several_are_in_order() {
        let script = full("let p = '§1'; await apply_patch(p); p = '§2'; f(p);\ntext(`x`, '§3')");
        let expected = [("§1", true), ("§2", false), ("§3", false)]
            .map(|(text, is_handed)| (full(text), is_handed, None));
        assert_eq!(read(&script), expected);
        let literal = &literals(&script)[0];
        assert_eq!(script[literal.range.clone()], full("'§1'"));
        let script = full("p = R'''§'''");
        let literal = &literals(&script)[0];
        assert_eq!(
            (literal.range.clone(), literal.inner.clone()),
            (4..26, 8..23)
        );
    }

    #[test]
    fn more_is_told() {
        let rows = [
            (
                "const p = '§'; const r = await tools.apply_patch(p); text(r);",
                false,
            ),
            (
                "if (ok) { for (const p of ps) await tools.apply_patch(p); }",
                false,
            ),
            (
                "try { await apply_patch('§') } catch (e) { console.error(String(e)) }",
                false,
            ),
            (
                "(async () => { console.log(JSON.stringify(await applyPatch('§'))); })();",
                false,
            ),
            (
                "await Promise.all([tools.apply_patch(a), tools['apply_patch'](b)]);",
                false,
            ),
            ("const p = '§\\n+exec(a)'; // exec(b)", false),
            ("const p = String.raw`§`; text(`${p}`);", false),
            ("def main():\n    print(apply_patch('''§'''))\n", false),
            (
                "await tools.apply_patch('§'); await tools.exec_command({ cmd: 'ls' });",
                true,
            ),
            ("await tools['exec_command']({ cmd: 'ls' });", true),
            ("text(`${await tools.exec_command({ cmd: 'ls' })}`);", true),
            ("fs.writeFileSync('a', 'b');", true),
            ("await $`rm -rf x`;", true),
            ("with open('a', 'w') as f:\n    print(f)", true),
            ("import subprocess\nsubprocess.run(['ls'])", true),
        ];
        for (script, more) in rows {
            assert_eq!(does_more(&full(script)), more, "{script}");
        }
    }

    /// What texts and scripts are made of.
    fn pieces(most: usize) -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            any::<char>().prop_map(String::from),
            prop::sample::select(vec![
                "\"",
                "'",
                "`",
                "\\",
                "${",
                "}",
                "{",
                "'''",
                "\"\"\"",
                "\n",
                "\r\n",
                "\r",
                "\t",
                "/",
                "//",
                "/*",
                "*/",
                "#",
                "(",
                ")",
                "[",
                "]",
                "+",
                "+=",
                ".join(",
                " = ",
                ";",
                ",",
                "const p",
                "apply_patch(",
                "p",
                "r",
                "f",
                "b",
                "String.raw",
                "*** Begin Patch\n",
                "*** End Patch",
                "--- ",
                "+++ ",
                "\\u",
                "\\uD83D",
                "\\uDE00",
                "\\u{",
                "\\x",
                "\\N{",
                "\\0",
                "\\7",
                "\\\n",
                "é",
                "😀",
                "\u{2028}",
                " of ",
                "import os\n",
                "def f():\n",
            ])
            .prop_map(String::from),
        ];
        prop::collection::vec(piece, 0..most).prop_map(|pieces| pieces.concat())
    }

    fn quoted(text: &str, escaped: &[(&str, &str)]) -> String {
        let mut text = text.replace('\\', "\\\\").replace('\r', "\\r");
        for (plain, escape) in escaped {
            text = text.replace(plain, escape);
        }
        text
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 400,
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn every_text_is_decoded_as_it_was(text in pieces(40)) {
            let text = format!("*** Begin Patch\n{text}");
            let json = serde_json::to_string(&text).expect("JSON");
            let single = quoted(&text, &[("'", "\\'"), ("\n", "\\n")]);
            let template = quoted(&text, &[("`", "\\`"), ("${", "\\${")]);
            let long = quoted(&text, &[("'", "\\'")]);
            let double = quoted(&text, &[("\"", "\\\"")]);
            let scripts = [
                format!("const patch = {json};\nawait tools.apply_patch(patch);"),
                format!("const patch = '{single}';\nawait tools.apply_patch(patch);"),
                format!("const patch = `{template}`;\nawait tools.apply_patch(patch);"),
                format!("patch = '''{long}'''\napply_patch(patch)\n"),
                format!("apply_patch(\"\"\"{double}\"\"\")\n"),
            ];
            for script in scripts {
                prop_assert_eq!(read(&script), [(text.clone(), true, None)], "{}", script);
            }
        }

        #[test]
        fn every_script_is_read(script in pieces(60)) {
            does_more(&script);
            let mut end = 0;
            for literal in literals(&script) {
                prop_assert!(end <= literal.range.start);
                end = literal.range.end;
                let (range, inner) = (literal.range.clone(), literal.inner.clone());
                prop_assert!(range.start < inner.start && inner.end <= range.end);
                prop_assert!(script.get(range).is_some() && script.get(inner.clone()).is_some());
                let mut at = inner.start;
                for Splice { old, .. } in &literal.escapes {
                    prop_assert!(at <= old.start && old.start < old.end && old.end <= inner.end);
                    prop_assert!(script.get(old.clone()).is_some());
                    at = old.end;
                }
                prop_assert!(String::from_utf8(decoded(&script, &literal)).is_ok());
            }
        }
    }
}
