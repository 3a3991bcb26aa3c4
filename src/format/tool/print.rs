//! A patch → calls that are read as this very patch, one a line.
//!
//! Every call is read back, and one that comes out differently isn't printed.

use serde::Serialize;

use crate::format::print::{Unrepresentable, Why, each};
use crate::format::{Options, detect};
use crate::patch::{FileEdit, Occurrence, Operation, Patch, Substitution, Times};
use crate::text::{Source, SourceId, Text};

/// Prints a patch of [`Format::Tool`](crate::patch::Format::Tool).
///
/// # Errors
/// With every edit that can't be said; nothing is printed then.
pub fn print(patch: &Patch<'_>) -> Result<Vec<u8>, Vec<Unrepresentable>> {
    each(patch, call).map(|calls| calls.concat())
}

/// A call, by its members.
#[derive(Serialize)]
#[serde(untagged)]
enum Call<'t> {
    Replace { path: &'t str, old_string: String, new_string: String },
    Create { path: &'t str, content: String },
    Move { r#type: &'static str, path: &'t str, diff: &'static str, move_to: &'t str },
    Delete { r#type: &'static str, path: &'t str },
}

/// Prints a call and reads it back.
fn call(edit: &FileEdit<'_>) -> Result<Vec<u8>, Why> {
    if edit.header.is_some() || edit.root.is_some() || edit.why.is_some() {
        return Err(Why::Detail);
    }
    let path = utf8(&edit.path)?;
    let call = match &edit.operation {
        Operation::Substitute(Substitution { find, put, occurrence: Occurrence::Text(Times::Once), written: None }) => {
            Call::Replace { path, old_string: joined(find)?, new_string: joined(put)? }
        }
        Operation::Create { lines, fills_empty, ends_open } => {
            let content = joined(lines)? + if lines.is_empty() || *ends_open { "" } else { "\n" };
            match fills_empty {
                true => Call::Replace { path, old_string: String::new(), new_string: content },
                false => Call::Create { path, content },
            }
        }
        Operation::Update { to: Some(to), hunks } if hunks.is_empty() => {
            Call::Move { r#type: "update_file", path, diff: "", move_to: utf8(to)? }
        }
        Operation::Delete { expected: None } => Call::Delete { r#type: "delete_file", path },
        Operation::Substitute(_) => return Err(Why::Detail),
        _ => return Err(Why::Operation),
    };
    let mut text = serde_json::to_vec(&call).map_err(|_| Why::Utf8)?;
    text.push(b'\n');
    let source = Source::new(SourceId(0), "", text.clone()).ok_or(Why::Markup)?;
    let read = detect::parse(&source, &Options::default());
    let is_sound = read.errors.is_empty() && read.warnings.is_empty();
    let is_same = read.patch.edits.len() == 1 && read.patch.edits.first() == Some(edit);
    if is_sound && is_same { Ok(text) } else { Err(Why::Markup) }
}

fn utf8<'t>(text: &'t Text<'_>) -> Result<&'t str, Why> {
    std::str::from_utf8(text).map_err(|_| Why::Utf8)
}

fn joined(lines: &[Text<'_>]) -> Result<String, Why> {
    let lines: Vec<&str> = lines.iter().map(utf8).collect::<Result<_, _>>()?;
    let joined = lines.join("\n");
    if joined.contains('\0') { Err(Why::Nul) } else { Ok(joined) }
}
