//! One encoding a file: a line in UTF-8 is no line of a file that is in another encoding.
//!
//! Responses are UTF-8, and nothing says which encoding a file is in unless git converts it. ASCII
//! is the same in all that are usual.

use std::collections::{HashMap, HashSet};

use super::{ChangeSet, Error};
use crate::patch::{FileEdit, Mark, Operation};
use crate::path::RepoPath;
use crate::text::{Located, Text, is_utf8};
use crate::tree::Tree;

/// Finds the files of a change that aren't UTF-8 and get a line with characters beyond ASCII.
/// `edits` come with the paths that they name.
pub(super) fn mixed<'e>(
    edits: impl Iterator<Item = (&'e RepoPath, &'e FileEdit<'e>)>,
    changes: &ChangeSet,
    tree: &dyn Tree,
) -> Vec<Located<Error>> {
    let mut added: HashMap<&RepoPath, Vec<&Text<'_>>> = HashMap::new();
    for (path, edit) in edits {
        let lines = added_lines(edit)
            .into_iter()
            .filter(|line| is_beyond_ascii(line));
        let mut lines = lines.peekable();
        if lines.peek().is_some() {
            added.entry(path).or_default().extend(lines);
        }
    }
    if added.is_empty() {
        return Vec::new();
    }
    let found = changes.iter().filter_map(|change| {
        let path = change.from.as_ref().unwrap_or(&change.path);
        let lines = added.get(path)?;
        let before = changes.get(path)?.before.as_ref()?;
        let content = &before.content;
        if change.after.is_none() || content.is_binary() || is_utf8(content) {
            return None;
        }
        let known: HashSet<&[u8]> = content.lines().iter().map(|line| line.text).collect();
        let line = lines.iter().find(|line| !known.contains(&line[..]))?;
        let error = Error::Encoding {
            path: change.path.clone(),
            fits: tree.encoding_of(content, line),
        };
        Some(Located::new(line.span, error))
    });
    found.collect()
}

fn is_beyond_ascii(line: &[u8]) -> bool {
    !line.is_ascii() && std::str::from_utf8(line).is_ok()
}

fn added_lines<'e>(edit: &'e FileEdit<'e>) -> Vec<&'e Text<'e>> {
    match &edit.operation {
        Operation::Create { lines, .. } | Operation::Replace { lines } => lines.iter().collect(),
        Operation::Substitute(substitution) => substitution.put.iter().collect(),
        Operation::Update { hunks, .. } => {
            let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
            let added = lines.filter(|line| line.mark == Mark::Added);
            added.map(|line| &line.text).collect()
        }
        _ => Vec::new(),
    }
}
