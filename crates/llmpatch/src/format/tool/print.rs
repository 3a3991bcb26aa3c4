//! An edit → the call that is read as this very edit.

use serde::Serialize;

use crate::patch::{FileEdit, Occurrence, Operation, Substitution, Times, What};
use crate::text::Text;

/// A call, by its members.
#[derive(Serialize)]
#[serde(untagged)]
enum Call<'t> {
    Replace {
        path: &'t str,
        old_string: String,
        new_string: String,
    },
    Create {
        path: &'t str,
        content: String,
    },
    Move {
        r#type: &'static str,
        path: &'t str,
        diff: &'static str,
        move_to: &'t str,
    },
    Delete {
        r#type: &'static str,
        path: &'t str,
    },
}

/// Prints a call, on a line.
pub(crate) fn print(edit: &FileEdit<'_>) -> Result<Vec<u8>, What> {
    let path = utf8(&edit.path)?;
    let call = match &edit.operation {
        Operation::Substitute(Substitution {
            find,
            put,
            occurrence: Occurrence::Text(Times::Once),
            written: None,
        }) => Call::Replace {
            path,
            old_string: joined(find)?,
            new_string: joined(put)?,
        },
        Operation::Create {
            lines,
            fills_empty,
            ends_open,
        } => {
            let content = joined(lines)?
                + if lines.is_empty() || *ends_open {
                    ""
                } else {
                    "\n"
                };
            if *fills_empty {
                Call::Replace {
                    path,
                    old_string: String::new(),
                    new_string: content,
                }
            } else {
                Call::Create { path, content }
            }
        }
        Operation::Update {
            to: Some(to),
            hunks,
        } if hunks.is_empty() => Call::Move {
            r#type: "update_file",
            path,
            diff: "",
            move_to: utf8(to)?,
        },
        Operation::Delete { expected: None } => Call::Delete {
            r#type: "delete_file",
            path,
        },
        _ => return Err(What::Misread),
    };
    let mut text = serde_json::to_vec(&call).map_err(|_| What::Utf8)?;
    text.push(b'\n');
    Ok(text)
}

fn utf8<'t>(text: &'t Text<'_>) -> Result<&'t str, What> {
    std::str::from_utf8(text).map_err(|_| What::Utf8)
}

fn joined(lines: &[Text<'_>]) -> Result<String, What> {
    let lines: Vec<&str> = lines.iter().map(utf8).collect::<Result<_, _>>()?;
    let joined = lines.join("\n");
    if joined.contains('\0') {
        Err(What::Binary)
    } else {
        Ok(joined)
    }
}
