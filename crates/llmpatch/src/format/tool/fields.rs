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
/// Members that hold edits of the file that the call names, or whole calls.
pub(crate) const EDITS: Spellings = &["edits", "replacements", "operations", "tool_uses", "edit"];
pub(crate) const ALL: Spellings = &["replace_all", "replaceAll", "allow_multiple"];
pub(crate) const EXPECTED: Spellings = &["expected_replacements"];
pub(super) const INSERTED: Spellings = &[
    "insert_text",
    "new_str",
    "new_string",
    "newStr",
    "newString",
];
pub(super) const LINE: Spellings = &["insert_line", "insertLine"];
pub(crate) const COMMAND: Spellings = &["command"];
pub(crate) const TYPE: Spellings = &["type"];
pub(crate) const DIFF: Spellings = &["diff"];
/// Members whose string may be a patch.
pub(crate) const PATCH: Spellings = &[
    "patch",
    "patch_text",
    "patchText",
    "input",
    "diff",
    "command",
    "cmd",
    "code",
    "script",
    "stdin",
];
/// Where a file goes.
pub(crate) const MOVE: Spellings = &[
    "move_to",
    "destination",
    "destination_path",
    "new_path",
    "newPath",
    "to",
];
/// Where a file is that goes.
pub(crate) const FROM: Spellings = &["source", "source_path", "old_path", "oldPath", "from"];
/// Members that name the directory in which a command runs, or for which a patch is written.
pub(crate) const DIRECTORY: Spellings =
    &["workdir", "cwd", "working_directory", "workingDirectory"];
pub(crate) const NAME: Spellings = &["name"];
pub(crate) const ARGUMENTS: Spellings = &["arguments", "args", "input", "parameters"];

/// The spellings of an old text, and of the new text beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextPair(pub(super) Spellings, pub(super) Spellings);

/// The names of an old text and of the new text beside it. The words from the second row on are
/// everyday words, and mean that only together.
pub(super) const PAIRS: &[TextPair] = &[
    TextPair(OLD, NEW),
    TextPair(&["old"], &["new"]),
    TextPair(&["find"], &["replace"]),
    TextPair(&["search"], &["replace"]),
    TextPair(&["before"], &["after"]),
];

/// Returns whether there are an old and a new text in a text that is no JSON, of which `has` tells
/// whether a member is there.
pub(super) fn has_pair(has: impl Fn(&[&str]) -> bool) -> bool {
    let mut longer = PAIRS.iter().filter(|pair| **pair != PAIRS[1]);
    longer.any(|TextPair(old, new)| has(old) && has(new))
}

/// Members that change which text is meant, or whether anything is written, and that nobody here
/// goes by: in small letters, without `_`. Members that no list knows change nothing.
const OF_MEANING: &[&str] = &[
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
    "lines",
    "insertline",
    "offset",
    "append",
    "overwrite",
    "dryrun",
    "preview",
    "mode",
    "operation",
    "start",
    "end",
    "from",
    "to",
    "linestart",
    "lineend",
    "range",
    "anchor",
    "startanchor",
    "endanchor",
    "pos",
    "setline",
    "replacelines",
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
    "basepath",
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
    (
        &["directory", "dir", "root", "base_path", "basePath"],
        &[".", "./"],
    ),
    (&["start"], &["0", "1"]),
    (&["end"], &["-1"]),
    (&["encoding"], &["utf-8", "utf8", "text"]),
];

/// The members of an object.
pub(crate) struct Fields<'t> {
    members: Vec<(String, Value<'t>)>,
}

/// Returns the items of a member that holds edits: an array, or the only edit.
pub(super) fn items(value: Value<'_>) -> Vec<Value<'_>> {
    match value.is() {
        Is::Object => vec![value],
        _ => value.items(),
    }
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

    /// Returns the text of a member, if it is one.
    pub(crate) fn word(&self, names: &[&str]) -> Option<String> {
        Some(self.get(names)?.1.string().ok()?.text().to_owned())
    }

    /// Returns the first name that is there a second time.
    pub(crate) fn twice(&self) -> Option<(&str, Value<'t>)> {
        let mut met = std::collections::HashSet::new();
        self.iter().find(|(name, _)| !met.insert(*name))
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

    /// Returns the spellings of the old and the new text of a call, or of an item of its edits.
    pub(super) fn pair(&self) -> TextPair {
        let pair = PAIRS.iter().find(|pair| self.is_pair(pair));
        *pair.unwrap_or(&PAIRS[0])
    }

    fn is_pair(&self, TextPair(old, new): &TextPair) -> bool {
        self.may_be_text(old) && self.may_be_text(new)
    }

    fn may_be_text(&self, names: Spellings) -> bool {
        self.get(names)
            .is_some_and(|(_, value)| !matches!(value.is(), Is::Bool(_)))
    }

    /// Returns the names of two members of which each says by itself what is to be done.
    pub(super) fn rivals(&self) -> Option<(&str, &str)> {
        let pair = self.pair();
        let olds = [pair.0, pair.1].into_iter();
        let olds = olds.filter(|names| self.has(names)).take(1);
        let others = PAIRS
            .iter()
            .filter(|other| **other != pair && self.is_pair(other));
        let olds = olds.chain(others.map(|other| other.0));
        let ways = olds.chain([EDITS, CONTENT, &["diff", "patch"]]);
        // What writes all members that a tool has leaves empty what its command doesn't use.
        let is_empty = |value: &Value<'_>| self.has(COMMAND) && value.written() == "\"\"";
        let mut met = ways
            .filter_map(|names| self.get(names))
            .filter(|(_, value)| !is_empty(value));
        Some((met.next()?.0, met.next()?.0))
    }
}

/// Returns whether a member changes which text is meant, or whether anything is written.
pub(crate) fn is_of_meaning(name: &str) -> bool {
    let plain = name.replace('_', "").to_ascii_lowercase();
    OF_MEANING.contains(&&plain[..])
}

/// Returns whether a member with this value is as if it weren't there.
pub(super) fn is_off(name: &str, value: Value<'_>) -> bool {
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
