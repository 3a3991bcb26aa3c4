//! Which members make an object a call that changes a file: one row a shape. A tool's name decides
//! only where a row, or the rule on the names of writers, says so.

use super::fields::{
    COMMAND, CONTENT, DIFF, EDITS, FROM, Fields, MOVE, NAME, NEW, OLD, PATCH, PATH, Spellings, TYPE,
};
use super::json::{Is, Value};

/// What a call asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallShape {
    Replace,
    /// Several replacements in the file that the call names.
    Edits,
    Create,
    CreateFile,
    UpdateFile,
    Delete,
    Move,
    /// Lines behind a line, by its number.
    Insert,
    /// Several whole calls.
    Calls,
    /// Perhaps a patch in a string, of the file that the call names if it names a file.
    Patch,
    /// Nothing that changes a file.
    Look,
    /// A change that isn't read.
    Unread,
}

/// A shape: all that a call of it has.
struct Shape {
    is: CallShape,
    /// The names of its tools; empty for any.
    tools: &'static [&'static str],
    /// A member, and the word that it holds.
    word: Option<(Spellings, &'static str)>,
    /// Members that are there.
    has: &'static [Spellings],
}

/// A shape that its members tell.
const fn of(is: CallShape, has: &'static [Spellings]) -> Shape {
    Shape {
        is,
        tools: &[],
        word: None,
        has,
    }
}

/// A shape that a member's word tells.
const fn said(
    is: CallShape,
    member: Spellings,
    word: &'static str,
    has: &'static [Spellings],
) -> Shape {
    Shape {
        word: Some((member, word)),
        ..of(is, has)
    }
}

/// A shape that the tool's name tells.
const fn named(is: CallShape, tools: &'static [&'static str], has: &'static [Spellings]) -> Shape {
    Shape {
        tools,
        ..of(is, has)
    }
}

const TEXT: Spellings = &["text"];
const DELETERS: &[&str] = &["delete_file", "remove_file", "deleteFile", "removeFile"];
const MOVERS: &[&str] = &["move_file", "rename_file", "moveFile", "renameFile"];

/// The shapes: the first that fits counts.
const SHAPES: &[Shape] = &[
    said(CallShape::CreateFile, TYPE, "create_file", &[PATH]),
    said(CallShape::CreateFile, TYPE, "create_file", &[DIFF]),
    said(CallShape::UpdateFile, TYPE, "update_file", &[PATH]),
    said(CallShape::UpdateFile, TYPE, "update_file", &[DIFF]),
    said(CallShape::Delete, TYPE, "delete_file", &[PATH]),
    said(CallShape::Replace, COMMAND, "str_replace", &[PATH]),
    said(CallShape::Create, COMMAND, "create", &[PATH]),
    said(CallShape::Insert, COMMAND, "insert", &[PATH]),
    said(CallShape::Look, COMMAND, "view", &[PATH]),
    said(CallShape::Look, COMMAND, "undo_edit", &[PATH]),
    of(CallShape::Unread, &[PATH, ADDRESS, NEW_TEXT]),
    of(CallShape::Replace, &[PATH, OLD]),
    of(CallShape::Replace, &[PATH, NEW]),
    of(CallShape::Replace, &[OLD, NEW]),
    of(CallShape::Replace, &[PATH, &["old"], &["new"]]),
    of(CallShape::Replace, &[PATH, &["find"], &["replace"]]),
    of(CallShape::Replace, &[PATH, &["search"], &["replace"]]),
    of(CallShape::Replace, &[PATH, &["before"], &["after"]]),
    of(CallShape::Edits, &[PATH, EDITS]),
    of(CallShape::Create, &[PATH, CONTENT]),
    named(CallShape::Create, &["fsWrite"], &[PATH, TEXT]),
    named(CallShape::Delete, DELETERS, &[PATH]),
    named(CallShape::Move, MOVERS, &[FROM, MOVE]),
    named(CallShape::Move, MOVERS, &[PATH, MOVE]),
];

/// Members by which only a line's number or hash says where a text goes.
const ADDRESS: Spellings = &[
    "insert_line",
    "insertLine",
    "anchor",
    "start_anchor",
    "end_anchor",
    "pos",
    "set_line",
    "replace_lines",
    "start_line",
    "end_line",
    "line",
    "line_number",
    "lineNumber",
];

/// Members that hold text for a file.
const NEW_TEXT: Spellings = &[
    "new_string",
    "new_str",
    "newString",
    "newStr",
    "new_text",
    "newText",
    "insert_text",
    "content",
    "lines",
    "text",
];

/// Words in the names of tools that change files.
const WRITERS: &[&str] = &[
    "write",
    "edit",
    "replace",
    "replacement",
    "insert",
    "append",
    "create",
    "delete",
    "remove",
    "move",
    "rename",
    "patch",
];

/// Members that name a file, beside those that a shape has.
const FILES: Spellings = &["notebook_path", "uri", "TargetFile"];

/// Members in which a call that nothing wraps names its tool.
const TOOL: Spellings = &["tool", "tool_name", "toolName"];

/// Returns what a call of a tool asks for; `None` if its members are of no shape.
pub(crate) fn shape(tool: &str, fields: &Fields<'_>) -> Option<CallShape> {
    let tool = tool.rsplit(['.', '/']).next().unwrap_or_default();
    let tool = tool.rsplit("__").next().unwrap_or_default();
    // An old text decides, whatever else is there.
    let is_replaced = fields.has(OLD);
    let fits = |shape: &&Shape, has: &dyn Fn(&Spellings) -> bool| {
        (shape.tools.is_empty() || shape.tools.contains(&tool))
            && (shape.is != CallShape::Unread || shape.word.is_some() || !is_replaced)
            && shape
                .word
                .is_none_or(|(member, word)| fields.word(member).as_deref() == Some(word))
            && shape.has.iter().all(has)
    };
    let mut shapes = SHAPES.iter();
    if let Some(shape) = shapes.find(|shape| fits(shape, &|names| fields.has(names))) {
        return Some(shape.is);
    }
    if holds_calls(fields) {
        return Some(CallShape::Calls);
    }
    if fields.has(PATCH) {
        return Some(CallShape::Patch);
    }
    // A member that is null is told as what it is.
    let mut shapes = SHAPES.iter();
    let shape = shapes.find(|shape| fits(shape, &|names| fields.named(names).is_some()));
    if let Some(shape) = shape {
        return Some(shape.is);
    }
    is_unread(tool, fields).then_some(CallShape::Unread)
}

/// Returns whether a call writes a file in a way that isn't read: its tool is a writer by name, or
/// one of its members where nothing wraps it, and it names a file, or the tool's name does.
pub(crate) fn is_unread(tool: &str, fields: &Fields<'_>) -> bool {
    if !tool.is_empty() {
        // Properties describe a tool.
        let is_given = fields.iter().next().is_some() && !fields.has(&["properties"]);
        return is_writer(tool) && (names_file(fields) || is_given && is_of_files(tool));
    }
    let tool = fields.word(TOOL);
    let tool = tool.or_else(|| fields.word(NAME).filter(|name| is_of_files(name)));
    names_file(fields)
        && (tool.is_some_and(|tool| is_writer(&tool))
            || fields.iter().any(|(name, _)| is_writer(name))
            // A number, or `-12%`, is no diff of lines.
            || fields.word(DIFF).is_some_and(|diff| diff.contains('\n')))
}

/// Returns whether a tool's name says that it changes files.
pub(crate) fn is_writer(name: &str) -> bool {
    let words = words(name);
    let is_of_files = !words.contains(&"directory".to_owned());
    is_of_files && words.iter().any(|word| WRITERS.contains(&&word[..]))
}

/// Returns whether a tool's name says that it is about files: `move_file`, `deleteFiles`. `user_edit` may be
/// the name of a route, and `Edit file` that of a menu's item.
fn is_of_files(name: &str) -> bool {
    !name.contains(' ')
        && words(name)
            .iter()
            .any(|word| matches!(&word[..], "file" | "files"))
}

/// Returns whether an object of no shape names a file: perhaps it is a call that nothing here knows.
pub(crate) fn names_file(fields: &Fields<'_>) -> bool {
    fields.word(PATH).or_else(|| fields.word(FILES)).is_some()
}

/// Splits a name such as `fsAppend` or `edit_file` into its words, in small letters.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for character in name.chars() {
        if !character.is_alphanumeric() || character.is_uppercase() && was_small {
            words.push(String::new());
        }
        was_small = character.is_lowercase();
        if let Some(word) = words.last_mut()
            && character.is_alphanumeric()
        {
            word.extend(character.to_lowercase());
        }
    }
    words
}

/// Returns whether the first line of a text with anything in it begins a patch.
pub(super) fn begins_patch(text: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "*** Begin Patch",
        "*** Update File: ",
        "*** Add File: ",
        "*** Delete File: ",
        "<<<<<<< SEARCH",
        "------- SEARCH",
        "diff --git ",
        "--- ",
        "Index: ",
        "<edit ",
        "<opx>",
    ];
    let text = text.trim_start();
    BEGINNINGS.iter().any(|start| text.starts_with(start))
}

/// Returns whether a member holds whole calls, each with its path.
fn holds_calls(fields: &Fields<'_>) -> bool {
    let Some((_, value)) = fields.get(EDITS) else {
        return false;
    };
    let items = value.items();
    let is_call = |item: &Value<'_>| {
        item.is() == Is::Object
            && Fields::of(*item).is_ok_and(|item| item.has(PATH) || item.has(&["parameters"]))
    };
    !items.is_empty() && items.iter().all(is_call)
}
