//! The members of one object, by what they mean in a call, however they are spelt.

use super::json::{Is, Value};

/// What a member means, by its spellings.
pub(super) type Spellings = &'static [&'static str];

pub(super) const PATH: Spellings = &[
    "path",
    "file_path",
    "filePath",
    "filename",
    "absolute_path",
    "absolutePath",
    "target_file",
];
pub(super) const OLD: Spellings = &[
    "old_string",
    "old_str",
    "oldString",
    "oldStr",
    "old_text",
    "oldText",
];
pub(super) const NEW: Spellings = &[
    "new_string",
    "new_str",
    "newString",
    "newStr",
    "new_text",
    "newText",
];
pub(super) const CONTENT: Spellings = &["content", "contents", "file_text"];
pub(super) const EDITS: Spellings = &["edits"];
pub(super) const ALL: Spellings = &["replace_all", "replaceAll", "allow_multiple"];
pub(super) const EXPECTED: Spellings = &["expected_replacements"];
pub(super) const INSERTED: Spellings = &[
    "insert_text",
    "new_str",
    "new_string",
    "newStr",
    "newString",
];
pub(super) const LINE: Spellings = &["insert_line", "insertLine"];
pub(super) const COMMAND: Spellings = &["command"];
pub(super) const TYPE: Spellings = &["type"];
pub(super) const DIFF: Spellings = &["diff"];
pub(super) const MOVE: Spellings = &["move_to"];
pub(super) const NAME: Spellings = &["name"];
pub(super) const ARGUMENTS: Spellings = &["arguments", "args", "input", "parameters"];

/// Members that change which text is meant, and that nobody here goes by.
pub(super) const OF_MEANING: [&str; 18] = [
    "use_regex",
    "is_regex",
    "regex",
    "regexp",
    "ignore_case",
    "case_insensitive",
    "ignore_whitespace",
    "fuzzy",
    "occurrence",
    "match_index",
    "start_line",
    "end_line",
    "line_number",
    "line",
    "insert_line",
    "offset",
    "append",
    "overwrite",
];

/// Members that mean nothing for the change.
const OF_NOBODY: [&str; 10] = [
    "description",
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

/// The members of one object.
pub(super) struct Fields<'t> {
    members: Vec<(String, Value<'t>)>,
}

/// What a call asks for, by what its members are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallShape {
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
}

impl<'t> Fields<'t> {
    /// Takes those of an object.
    ///
    /// # Errors
    /// If a name is half a character.
    pub(super) fn of(object: Value<'t>) -> Result<Self, serde_json::Error> {
        object.members().map(|members| Self { members })
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, Value<'t>)> {
        self.members.iter().map(|(name, value)| (&name[..], *value))
    }

    /// Returns the first member of some spellings that isn't null.
    pub(super) fn get(&self, names: &[&str]) -> Option<(&str, Value<'t>)> {
        self.iter()
            .find(|(name, value)| names.contains(name) && value.is() != Is::Null)
    }

    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.get(names).is_some()
    }

    /// Returns the text of a member, if it is one.
    pub(super) fn word(&self, names: &[&str]) -> Option<String> {
        Some(self.get(names)?.1.string().ok()?.text().to_owned())
    }

    /// Returns what the object asks for; `None` of one that is no such call.
    pub(super) fn shape(&self) -> Option<CallShape> {
        let is_text = |names| {
            self.get(names)
                .is_some_and(|(_, value)| value.is() == Is::String)
        };
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
        if has_path && (self.has(OLD) || self.has(NEW)) || self.has(OLD) && self.has(NEW) {
            Some(CallShape::Replace)
        } else if has_path && self.has(EDITS) {
            Some(CallShape::Edits)
        } else {
            (has_path && is_text(CONTENT)).then_some(CallShape::Create)
        }
    }
}

/// Returns whether a member means nothing for the change.
pub(super) fn is_of_nobody(name: &str) -> bool {
    let is_id = name == "id" || name.ends_with("_id") || name.ends_with("Id");
    is_id || OF_NOBODY.contains(&name)
}
