//! The members of an object, by what they mean in a call, however they are spelt.

use super::json::{Is, Value};

/// What a member means, by its spellings.
pub(crate) type Spellings = &'static [&'static str];

pub(crate) const PATH: Spellings = &[
    "path",
    "file_path",
    "filePath",
    "filename",
    "absolute_path",
    "absolutePath",
    "target_file",
    "relative_path",
    "filepath",
    "file",
    "fileName",
];
pub(crate) const OLD: Spellings = &[
    "old_string",
    "old_str",
    "oldString",
    "oldStr",
    "old_text",
    "oldText",
];
pub(crate) const NEW: Spellings = &[
    "new_string",
    "new_str",
    "newString",
    "newStr",
    "new_text",
    "newText",
];
pub(crate) const CONTENT: Spellings = &["content", "contents", "file_text"];
pub(crate) const EDITS: Spellings = &["edits", "operations", "edit"];
pub(crate) const ALL: Spellings = &["replace_all", "replaceAll", "allow_multiple"];
pub(crate) const EXPECTED: Spellings = &["expected_replacements"];
pub(crate) const INSERTED: Spellings = &[
    "insert_text",
    "new_str",
    "new_string",
    "newStr",
    "newString",
];
pub(crate) const LINE: Spellings = &["insert_line", "insertLine"];
pub(crate) const COMMAND: Spellings = &["command"];
pub(crate) const TYPE: Spellings = &["type"];
/// The types of calls that are about a whole file.
pub(crate) const FILE_TYPES: [&str; 3] = ["create_file", "update_file", "delete_file"];
pub(crate) const DIFF: Spellings = &["diff"];
/// Members whose string may be a patch of the file that the call names.
pub(crate) const PATCH: Spellings = &["diff", "patch", "input"];
pub(crate) const MOVE: Spellings = &["move_to"];
/// Members that name the directory in which a command runs, or for which a patch is written.
pub(crate) const DIRECTORY: Spellings =
    &["workdir", "cwd", "working_directory", "workingDirectory"];
pub(crate) const NAME: Spellings = &["name"];
pub(crate) const ARGUMENTS: Spellings = &["arguments", "args", "input", "parameters"];

/// The names of an old text and of the new text beside it. The words from the second row on are
/// everyday words, and mean that only together.
const PAIRS: &[TextPair] = &[
    TextPair(OLD, NEW),
    TextPair(&["find"], &["replace"]),
    TextPair(&["search"], &["replace"]),
    TextPair(&["before"], &["after"]),
];

/// What an item of `edits` may call them, too.
const PAIR_OF_ITEMS: TextPair = TextPair(&["old"], &["new"]);

/// Returns whether there are an old and a new text in something that is no JSON, of which `has`
/// tells whether a member is there.
pub(crate) fn has_pair(has: impl Fn(&[&str]) -> bool) -> bool {
    PAIRS.iter().any(|TextPair(old, new)| has(old) && has(new))
}

/// The spellings of an old text, and of the new text beside it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextPair(pub(super) Spellings, pub(super) Spellings);

/// Members that change which text is meant, or whether anything is written, and that nobody here
/// goes by: in small letters, without `_`.
const OF_MEANING: [&str; 36] = [
    "useregex",
    "isregex",
    "regex",
    "regexp",
    "ignorecase",
    "caseinsensitive",
    "ignorewhitespace",
    "fuzzy",
    "occurrence",
    "matchindex",
    "startline",
    "endline",
    "linenumber",
    "line",
    "insertline",
    "offset",
    "append",
    "overwrite",
    "dryrun",
    "mode",
    "operation",
    "start",
    "end",
    "linestart",
    "lineend",
    "range",
    "encoding",
    "reverse",
    "check",
    "checkonly",
    "validateonly",
    "strip",
    "p",
    "directory",
    "dir",
    "root",
];

/// What such members say where they say nothing that the other members don't say: nothing but the
/// plain way to write, the whole of a file, text as it is.
const PLAIN: &[(&[&str], &[&str])] = &[
    (
        &["mode", "operation"],
        &[
            "w",
            "write",
            "overwrite",
            "create",
            "create_file",
            "edit",
            "update",
            "update_file",
            "modify",
            "replace",
            "str_replace",
            "literal",
            "apply",
            "apply_patch",
            "patch",
        ],
    ),
    (&["strip", "p"], &["1"]),
    (&["directory", "dir", "root"], &[".", "./"]),
    (&["start"], &["0", "1"]),
    (&["end"], &["-1"]),
    (&["encoding"], &["utf-8", "utf8", "text"]),
];

/// Calls of known tools that say where text goes in ways that can't be followed here: the members
/// by which they are known, and what they are.
const FOREIGN: &[(&[&str], &str)] = &[
    (&["set_line"], HASHED),
    (&["replace_lines"], HASHED),
    (&["pos", "lines"], HASHED),
    (&["code_edit"], LAZY),
    (&["CodeEdit"], LAZY),
    (&["filePath", "code", "explanation"], LAZY),
    (&["name_path", "body"], SYMBOL),
    (&["name_path", "new_name"], SYMBOL),
    (&["needle", "repl"], PATTERN),
    (&["regex", "repl"], PATTERN),
    (&["TargetFile", "ReplacementChunks"], ANTIGRAVITY),
    (&["TargetFile", "ReplacementContent"], ANTIGRAVITY),
    (&["TargetFile", "TargetContent"], ANTIGRAVITY),
    (&["TargetFile", "CodeContent"], ANTIGRAVITY),
];

const NUMBERED: &str = "an edit that only a line's number places, among others,";
const HASHED: &str = "an edit of lines by their hashes";
const LAZY: &str = "a sketch of a file that another model is to merge";
const SYMBOL: &str = "an edit of a symbol (Serena)";
const PATTERN: &str = "an edit by a pattern (Serena)";
const ANTIGRAVITY: &str = "a call of Antigravity's tools";
const TAGGED: &str = "an edit in `<old_text>` and `<new_text>` (Zed)";

/// Members that may hold a line's number and hash: `12:a3f`, `12#VK`.
const ANCHORS: [&str; 9] = [
    "anchor",
    "start_anchor",
    "end_anchor",
    "pos",
    "start",
    "end",
    "line",
    "start_line",
    "end_line",
];

/// Members that mean nothing for the change.
const OF_NOBODY: [&str; 11] = [
    "description",
    "display_description",
    "instruction",
    "instructions",
    "explanation",
    "reason",
    "thought",
    "title",
    "status",
    "name",
    "task_progress",
];

/// The members of an object.
pub(crate) struct Fields<'t> {
    members: Vec<(String, Value<'t>)>,
}

/// What a call asks for, by what its members are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallShape {
    Replace,
    Edits,
    Create,
    /// By a line number, which is the only thing that says where.
    Insert,
    /// Nothing that changes a file.
    Look,
    CreateFile,
    UpdateFile,
    DeleteFile,
    /// By a patch in a string, of the file that the call names.
    Patch,
    /// By the inside of an envelope, which names its files.
    Inside,
    /// In a way that can't be followed here: what it is.
    Foreign(&'static str),
}

impl<'t> Fields<'t> {
    /// Reads the members of an object.
    ///
    /// # Errors
    /// If a name is half a character.
    pub(crate) fn of(object: Value<'t>) -> Result<Self, serde_json::Error> {
        object.members().map(|members| Self { members })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Value<'t>)> {
        self.members.iter().map(|(name, value)| (&name[..], *value))
    }

    /// Returns the first member of some spellings that isn't null.
    pub(crate) fn get(&self, names: &[&str]) -> Option<(&str, Value<'t>)> {
        self.iter()
            .find(|(name, value)| names.contains(name) && value.is() != Is::Null)
    }

    /// Returns the first member of some spellings, and of several rather what isn't null.
    pub(crate) fn named(&self, names: &[&str]) -> Option<(&str, Value<'t>)> {
        self.get(names)
            .or_else(|| self.iter().find(|(name, _)| names.contains(name)))
    }

    pub(crate) fn has(&self, names: &[&str]) -> bool {
        self.get(names).is_some()
    }

    /// Returns whether the first member of some spellings is this truth value.
    pub(crate) fn says(&self, names: &[&str], wanted: bool) -> bool {
        self.get(names)
            .is_some_and(|(_, value)| value.is() == Is::Bool(wanted))
    }

    /// Returns the text of a member, if it is one.
    pub(crate) fn word(&self, names: &[&str]) -> Option<String> {
        Some(self.get(names)?.1.string().ok()?.text().to_owned())
    }

    /// Returns the names of two members of which each is what a tool is given.
    pub(crate) fn two_arguments(&self) -> Option<(&str, &str)> {
        if !self.has(NAME) && !self.has(&["arguments"]) {
            return None;
        }
        let mut given = self
            .iter()
            .filter(|(name, value)| ARGUMENTS.contains(name) && value.is() != Is::Null);
        Some((given.next()?.0, given.next()?.0))
    }

    /// Returns the spellings of the old and the new text of a call.
    pub(crate) fn pair(&self) -> TextPair {
        self.complete_pair(PAIRS).unwrap_or(TextPair(OLD, NEW))
    }

    /// Returns the spellings of the old and the new text of an item of `edits`.
    pub(crate) fn pair_of_item(&self) -> TextPair {
        self.complete_pair(PAIRS)
            .or_else(|| self.complete_pair(&[PAIR_OF_ITEMS]))
            .unwrap_or(TextPair(OLD, NEW))
    }

    /// Returns the first of some pairs of which both texts are there.
    fn complete_pair(&self, pairs: &[TextPair]) -> Option<TextPair> {
        pairs
            .iter()
            .find(|pair| self.may_be_text(pair.0) && self.may_be_text(pair.1))
            .copied()
    }

    fn may_be_text(&self, names: Spellings) -> bool {
        self.get(names)
            .is_some_and(|(_, value)| !matches!(value.is(), Is::Bool(_)))
    }

    /// Returns the names of two members of which each says by itself what is to be done.
    pub(crate) fn rivals(&self) -> Option<(&str, &str)> {
        let is_strong = self.has(OLD) || self.has(NEW);
        let of_pairs = PAIRS[1..]
            .iter()
            .filter_map(|pair| self.complete_pair(&[*pair]))
            .map(|pair| pair.0);
        let ways = [OLD, NEW]
            .into_iter()
            .filter(|names| is_strong && self.has(names))
            .take(1)
            .chain(of_pairs)
            .chain([EDITS, CONTENT, &["diff", "patch"]]);
        // What writes all members that a tool has leaves empty what its command doesn't use.
        let is_empty = |value: &Value<'_>| self.has(COMMAND) && value.written() == "\"\"";
        let mut met = ways
            .filter_map(|names| self.get(names))
            .filter(|(_, value)| !is_empty(value));
        Some((met.next()?.0, met.next()?.0))
    }

    /// Returns the kind of call that the object is; `None` if it is no call.
    pub(crate) fn shape(&self) -> Option<CallShape> {
        if let Some(what) = self.foreign() {
            return Some(CallShape::Foreign(what));
        }
        let has_path = self.has(PATH);
        match self.word(TYPE).as_deref() {
            Some("create_file") if has_path || self.has(DIFF) => {
                return Some(CallShape::CreateFile);
            }
            Some("update_file") if has_path || self.has(DIFF) => {
                return Some(CallShape::UpdateFile);
            }
            Some("delete_file") if has_path => return Some(CallShape::DeleteFile),
            _ => {}
        }
        match self.word(COMMAND).as_deref().filter(|_| has_path) {
            Some("str_replace") => return Some(CallShape::Replace),
            Some("create") => return Some(CallShape::Create),
            Some("insert") => return Some(CallShape::Insert),
            Some("view" | "undo_edit") => return Some(CallShape::Look),
            _ => {}
        }
        if !has_path {
            let is_replace = self.has(OLD) && self.has(NEW);
            return is_replace
                .then_some(CallShape::Replace)
                .or_else(|| self.is_inside().then_some(CallShape::Inside));
        }
        let is_named = |names| self.named(names).is_some();
        if self.is_insertion() {
            Some(CallShape::Insert)
        } else if self.has(OLD) || self.has(NEW) || self.complete_pair(PAIRS).is_some() {
            Some(CallShape::Replace)
        } else if self.has_edits() {
            Some(CallShape::Edits)
        } else if self.has(CONTENT) && !self.is_message() {
            Some(CallShape::Create)
        } else if is_named(OLD) || is_named(NEW) {
            Some(CallShape::Replace)
        } else if is_named(CONTENT) && !self.is_message() {
            Some(CallShape::Create)
        } else {
            self.is_patch().then_some(CallShape::Patch)
        }
    }

    /// Returns whether only a line's number says where a text goes.
    fn is_insertion(&self) -> bool {
        let pairs = [PAIRS, &[PAIR_OF_ITEMS]].concat();
        self.has(LINE) && self.has(INSERTED) && self.complete_pair(&pairs).is_none()
    }

    fn is_text(&self, names: &[&str]) -> bool {
        self.get(names)
            .is_some_and(|(_, value)| value.is() == Is::String)
    }

    /// Returns whether it is what somebody said, which has content of its own.
    fn is_message(&self) -> bool {
        self.has(&["role"]) && !self.is_text(CONTENT)
    }

    /// Returns whether there are edits of a file. The everyday words for them count only where
    /// there is an old and a new text in them.
    fn has_edits(&self) -> bool {
        if self.has(&["edits"]) {
            return true;
        }
        let Some((_, value)) = self.get(EDITS) else {
            return false;
        };
        items(value).into_iter().any(is_edit)
    }

    /// Returns whether all that is given beside the name of a file is plain, and a patch is in it.
    /// In an object with more in it, all of that is looked through.
    fn is_patch(&self) -> bool {
        self.is_text(PATH)
            && self.is_flat()
            && self.word(PATCH).is_some_and(|text| may_be_patch(&text))
    }

    /// Returns whether no member is an object or an array.
    fn is_flat(&self) -> bool {
        self.iter()
            .all(|(_, value)| !matches!(value.is(), Is::Object | Is::Array))
    }

    /// Returns whether an envelope's inside is given without its first and last line.
    fn is_inside(&self) -> bool {
        !self.has(NAME)
            && self.is_flat()
            && self
                .word(PATCH)
                .is_some_and(|text| is_inside_of_envelope(&text))
    }

    /// Returns what a call is that is known and can't be followed.
    fn foreign(&self) -> Option<&'static str> {
        if let Some((_, what)) = FOREIGN
            .iter()
            .find(|(members, _)| members.iter().all(|name| self.has(&[name])))
        {
            return Some(what);
        }
        let text = |names| self.word(names).unwrap_or_default();
        if self.has(PATH) && self.has_anchor() && self.has(NEW) || is_hashed_section(&text(PATCH)) {
            return Some(HASHED);
        }
        (self.has(PATH) && is_tagged(&text(CONTENT))).then_some(TAGGED)
    }

    /// Returns what an item of `edits` is that is known and can't be followed.
    pub(crate) fn foreign_item(&self) -> Option<&'static str> {
        self.foreign()
            .or_else(|| self.has_anchor().then_some(HASHED))
            .or_else(|| self.is_insertion().then_some(NUMBERED))
    }

    fn has_anchor(&self) -> bool {
        ANCHORS
            .iter()
            .any(|name| self.word(&[name]).is_some_and(|word| is_anchor(&word)))
    }
}

/// Returns the items of what holds edits: an array, or the only edit.
pub(crate) fn items(value: Value<'_>) -> Vec<Value<'_>> {
    match value.is() {
        Is::Object => vec![value],
        _ => value.items(),
    }
}

fn is_edit(item: Value<'_>) -> bool {
    let pairs = [PAIRS, &[PAIR_OF_ITEMS]].concat();
    item.is() == Is::Object
        && Fields::of(item).is_ok_and(|fields| {
            fields.complete_pair(&pairs).is_some() || fields.foreign_item().is_some()
        })
}

/// Returns whether a line of a text may begin a patch.
fn may_be_patch(text: &str) -> bool {
    const BEGINNINGS: [&str; 10] = [
        "*** Begin Patch",
        "*** Update File: ",
        "*** Add File: ",
        "*** Delete File: ",
        "<<<<<<< SEARCH",
        "------- SEARCH",
        "diff --git ",
        "--- ",
        "<edit",
        "<opx",
    ];
    text.lines().any(|line| {
        let line = line.trim_start();
        BEGINNINGS
            .iter()
            .any(|beginning| line.starts_with(beginning))
    })
}

/// Returns whether a text is what goes between the first and the last line of an envelope.
pub(crate) fn is_inside_of_envelope(text: &str) -> bool {
    let text = text.trim_start();
    ["*** Update File: ", "*** Add File: ", "*** Delete File: "]
        .iter()
        .any(|header| text.starts_with(header))
}

/// Returns whether a word is a line's number and its hash.
fn is_anchor(word: &str) -> bool {
    let Some((number, hash)) = word.split_once([':', '#']) else {
        return false;
    };
    !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && (2..=8).contains(&hash.len())
        && hash.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Returns whether a text begins with a file and its hash: `[src/a.py#1A2B]`.
fn is_hashed_section(text: &str) -> bool {
    let first = text.trim_start().lines().next().unwrap_or_default();
    let inner = first
        .trim_end()
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    inner
        .and_then(|inner| inner.rsplit_once('#'))
        .is_some_and(|(path, tag)| !path.is_empty() && is_anchor(&format!("0#{tag}")))
}

/// Returns whether a text is edits between tags.
fn is_tagged(text: &str) -> bool {
    let begins = ["<old_text", "<edits>"]
        .iter()
        .any(|tag| text.trim_start().starts_with(tag));
    begins && text.contains("<old_text") && text.contains("<new_text")
}

/// Returns whether a member changes which text is meant, or whether anything is written.
pub(crate) fn is_of_meaning(name: &str) -> bool {
    let plain = name.replace('_', "").to_ascii_lowercase();
    OF_MEANING.contains(&&plain[..])
}

/// Returns whether a member with this value is as if it weren't there.
pub(crate) fn is_off(name: &str, value: Value<'_>) -> bool {
    match value.string() {
        Ok(word) => is_plain(name, word.text()),
        Err(_) => is_plain(name, value.written()),
    }
}

/// Returns whether a member is as if it weren't there, by its value as it is written.
pub(crate) fn is_plain(name: &str, said: &str) -> bool {
    let said = said.to_ascii_lowercase();
    let mut plain = PLAIN.iter().filter(|(names, _)| names.contains(&name));
    matches!(&said[..], "" | "null" | "false") || plain.any(|(_, plain)| plain.contains(&&said[..]))
}

/// Returns whether a member means nothing for the change.
pub(crate) fn is_of_nobody(name: &str) -> bool {
    let is_id = name == "id" || name.ends_with("_id") || name.ends_with("Id");
    is_id || OF_NOBODY.contains(&name)
}
