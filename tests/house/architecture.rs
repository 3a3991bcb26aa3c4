//! Who may know whom: every `crate::<room>` that stands in code, and who may speak of libgit2, clap, processes and files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::here;

/// A room and the rooms that it may use. What isn't here may not be used.
const MAY_USE: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("kind", &[]),
    ("progress", &[]),
    ("patch", &["text"]),
    ("path", &["text"]),
    ("pathspec", &["text"]),
    ("format", &["text", "patch"]),
    ("threads", &[]),
    ("search", &["text", "threads"]),
    ("tree", &["text", "path"]),
    ("dir", &["text", "path", "threads"]),
    ("compare", &["text", "path", "kind", "progress"]),
    (
        "plan",
        &[
            "text", "patch", "path", "pathspec", "search", "tree", "kind", "compare", "threads",
        ],
    ),
    ("message", &["text", "patch", "path", "plan", "tree"]),
    (
        "respond",
        &[
            "text", "patch", "path", "tree", "format", "plan", "compare", "kind", "progress",
        ],
    ),
    ("leftover", &["text", "path", "format", "compare"]),
    (
        "repo",
        &["text", "path", "tree", "dir", "kind", "compare", "progress"],
    ),
    (
        "transaction",
        &[
            "text", "path", "tree", "dir", "repo", "plan", "kind", "progress", "threads",
        ],
    ),
    (
        "diagnose",
        &[
            "text",
            "patch",
            "path",
            "tree",
            "search",
            "plan",
            "compare",
            "kind",
            "repo",
            "transaction",
            "format",
            "leftover",
        ],
    ),
    (
        "report",
        &[
            "text",
            "patch",
            "path",
            "tree",
            "plan",
            "kind",
            "diagnose",
            "transaction",
            "format",
        ],
    ),
];

/// Words that only some rooms may say.
const RESERVED: &[(&str, &[&str])] = &[
    ("git2::", &["repo", "transaction"]),
    ("clap::", &["cli"]),
    ("annotate_snippets::", &["report/render.rs"]),
    (
        "serde_json::",
        &[
            "cli/batch",
            "format/tool",
            "report/json.rs",
            "transaction/sealed.rs",
        ],
    ),
    ("base64::", &["report/json.rs"]),
    ("std::process", &["repo/git.rs", "cli", "main.rs"]),
    ("std::env", &["cli", "repo", "main.rs"]),
    ("fs::write", &["transaction", "dir/write.rs", "repo"]),
    ("fs::rename", &["transaction", "dir/write.rs", "repo"]),
    ("remove_file", &["transaction", "dir/write.rs", "repo"]),
    ("println!", &[]),
    ("print!(", &[]),
    ("eprintln!", &[]),
];

#[test]
fn rooms_use_only_what_they_may() {
    let may_use: BTreeMap<_, _> = MAY_USE.iter().copied().collect();
    let mut broken = Vec::new();
    for (file, code) in sources() {
        let room = room(&file);
        let Some(allowed) = may_use.get(room.as_str()) else {
            continue;
        };
        for (number, line) in code.lines().enumerate() {
            for used in line
                .match_indices("crate::")
                .map(|(at, word)| &line[at + word.len()..])
            {
                // `crate::{a, b}` would hide a room from this test.
                let names: Vec<&str> = match used.strip_prefix('{') {
                    Some(list) => list
                        .split('}')
                        .next()
                        .unwrap_or_default()
                        .split(',')
                        .map(str::trim)
                        .collect(),
                    None => vec![used],
                };
                for name in names {
                    let name: String = name
                        .chars()
                        .take_while(|c| c.is_alphanumeric() || *c == '_')
                        .collect();
                    if name != room && !name.is_empty() && !allowed.contains(&name.as_str()) {
                        broken.push(format!(
                            "{}:{}: {room} uses {name}",
                            file.display(),
                            number + 1
                        ));
                    }
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_room_has_its_rule() {
    let known: Vec<_> = MAY_USE
        .iter()
        .map(|(room, _)| *room)
        .chain(["cli", "lib", "main"])
        .collect();
    for (file, _) in sources() {
        assert!(
            known.contains(&room(&file).as_str()),
            "{} is in no room that the table knows",
            file.display()
        );
    }
}

#[test]
fn reserved_words_stay_in_their_rooms() {
    let mut broken = Vec::new();
    for (file, code) in sources() {
        let path = file.to_string_lossy().replace('\\', "/");
        for (number, line) in code.lines().enumerate() {
            for (word, rooms) in RESERVED {
                let stands = line.match_indices(word).any(|(at, _)| {
                    !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
                });
                if stands
                    && !rooms.iter().any(|room| {
                        path == *room
                            || path.starts_with(&format!("{room}/"))
                            || path == format!("{room}.rs")
                    })
                {
                    broken.push(format!(
                        "{path}:{}: {word} belongs to {rooms:?}",
                        number + 1
                    ));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn dependencies_stay_few() {
    let count = here("Cargo.lock").matches("\n[[package]]").count();
    assert!(count <= 120, "{count} packages in Cargo.lock");
}

fn room(file: &Path) -> String {
    let first = file
        .components()
        .next()
        .unwrap()
        .as_os_str()
        .to_string_lossy()
        .into_owned();
    first
        .strip_suffix(".rs")
        .map(str::to_owned)
        .unwrap_or(first)
}

/// The source files, by path below `src`, with comments and tests taken out.
fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut directories = vec![root.clone()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
                continue;
            }
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let inside = path.strip_prefix(&root).unwrap().to_owned();
            let is_test = name == "tests.rs"
                || name == "testing.rs"
                || inside.components().any(|part| part.as_os_str() == "tests");
            if name.ends_with(".rs") && !is_test {
                found.push((inside, code(&fs::read_to_string(&path).unwrap())));
            }
        }
    }
    found.sort();
    found
}

/// Blanks comment lines and everything from the first `#[cfg(test)] mod` with a body on.
fn code(text: &str) -> String {
    let mut kept = Vec::new();
    let lines: Vec<_> = text.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        let opens_tests = *line == "#[cfg(test)]"
            && lines
                .get(index + 1)
                .is_some_and(|next| next.starts_with("mod ") && next.ends_with('{'));
        if opens_tests {
            break;
        }
        kept.push(if line.trim_start().starts_with("//") {
            ""
        } else {
            line
        });
    }
    kept.join("\n")
}
