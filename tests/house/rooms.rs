//! Who may use whom within each package, and which room may speak of which crate.
//! `docs/architecture.md` explains the tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{Item, ItemMod, ItemUse, parse_quote};

/// The rooms of the library, each with the rooms that it may use. The crate root may use all.
const LIBRARY: &[&str] = &[
    "text:",
    "kind:",
    "progress:",
    "threads:",
    "patch: text",
    "path: text",
    "pathspec: text",
    "format: text patch",
    "response: text patch format",
    "search: text threads",
    "tree: text path kind",
    "compare: text path kind progress",
    "plan: text patch path pathspec search tree kind compare threads",
    "message: text patch path plan tree",
    "lint: text kind patch path pathspec tree format plan",
    "respond: text patch path tree format response plan compare kind progress",
    "leftover: text path format compare",
    "explain: text patch path tree search plan lint compare kind format response leftover report",
    "report: text patch path tree compare plan kind format response",
    "apply: text patch path tree format response plan lint message kind report explain",
    "fs: path plan tree",
];

/// The rooms of the program, each with the rooms of the program and of the library that it may use.
/// `cli` may use all.
const PROGRAM: &[&str] = &[
    "system:",
    "signal: system",
    "temporary: signal system",
    "dir: system llmpatch::{text path threads}",
    "repo: dir temporary system llmpatch::{text path tree kind compare progress report}",
    "store: repo llmpatch::{path plan report}",
    "transaction: dir repo signal system llmpatch::{text path tree plan kind progress threads report}",
    "explain: repo transaction system llmpatch::{text tree kind report}",
    "report: llmpatch::{text kind format response report}",
];

/// What only these rooms or files of a package may name.
const RESERVED: &[(&str, &[&str])] = &[
    ("git2", &["repo", "store", "transaction"]),
    ("clap", &["cli"]),
    ("annotate_snippets", &["report/render.rs"]),
    ("anyhow", &["cli"]),
    (
        "serde_json",
        &[
            "cli/batch",
            "format/tool",
            "report/json.rs",
            "respond/review.rs",
            "response/json.rs",
            "transaction/sealed.rs",
        ],
    ),
    ("base64", &["report/json.rs", "response/encoding"]),
    ("std::process", &["repo/git.rs", "cli", "main.rs", "system"]),
    ("std::env", &["cli", "repo", "main.rs", "system"]),
    ("fs::write", &["transaction", "dir/write.rs", "repo"]),
    (
        "fs::rename",
        &[
            "transaction",
            "dir/write.rs",
            "dir/windows/change.rs",
            "repo",
            "fs/write.rs",
        ],
    ),
    (
        "fs::remove_file",
        &[
            "transaction",
            "dir/write.rs",
            "dir/windows/change.rs",
            "repo",
            "signal.rs",
            "fs/write.rs",
        ],
    ),
    ("std::os", &["dir", "system", "fs"]),
    ("rustix", &["dir", "system"]),
    ("exacl", &["dir/access_list.rs"]),
    ("signal_hook", &["system"]),
    ("winapi_util", &["dir", "system"]),
    ("windows_permissions", &["dir/windows/access_list.rs"]),
    ("tempfile", &["temporary.rs", "fs"]),
    ("temp_dir", &["repo/git.rs"]),
];

/// What nothing in the library may name, but for its room `fs`: it knows no system.
const NOT_IN_THE_LIBRARY: &[&str] = &["std::fs", "std::env", "std::process", "std::os", "std::net"];

#[test]
fn rooms_use_only_what_they_may() {
    let mut broken = Vec::new();
    for (package, table) in [("crates/llmpatch", LIBRARY), (".", PROGRAM)] {
        let rules: BTreeMap<_, _> = table
            .iter()
            .filter_map(|rule| rule.split_once(':'))
            .collect();
        for (file, names) in sources(package) {
            let room = room(&file);
            let Some(rule) = rules.get(room.as_str()) else {
                let is_free = ["cli", "lib", "main"].contains(&room.as_str());
                assert!(is_free, "no rule for {package}/src/{}", file.display());
                continue;
            };
            let (own, library) = rule.split_once("llmpatch::").unwrap_or((rule, ""));
            let may_use =
                |rooms: &str, used: &str| rooms.split([' ', '{', '}']).any(|one| one == used);
            for name in names {
                let is_wrong = match name.split("::").collect::<Vec<_>>()[..] {
                    ["crate", used, ..] => used != room && !may_use(own, used),
                    ["llmpatch", used, ..] => !may_use(library, used),
                    _ => false,
                };
                if is_wrong {
                    broken.push(format!(
                        "{package}/src/{}: {room} uses {name}",
                        file.display()
                    ));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn reserved_names_stay_in_their_rooms() {
    let mut broken = Vec::new();
    for package in ["crates/llmpatch", "."] {
        for (file, names) in sources(package) {
            for (reserved, rooms) in RESERVED {
                let is_named = names.iter().any(|name| has_name(name, reserved));
                let is_here = rooms
                    .iter()
                    .any(|room| file.starts_with(room) || file == Path::new(&format!("{room}.rs")));
                if is_named && !is_here {
                    broken.push(format!(
                        "{package}/src/{}: {reserved} belongs to {rooms:?}",
                        file.display()
                    ));
                }
            }
        }
    }
    let library = sources("crates/llmpatch").into_iter();
    for (file, names) in library.filter(|(file, _)| room(file) != "fs") {
        for name in NOT_IN_THE_LIBRARY {
            if names.iter().any(|used| has_name(used, name)) {
                broken.push(format!(
                    "crates/llmpatch/src/{}: {name} isn't for the library",
                    file.display()
                ));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn only_two_rooms_ask_which_system_it_is() {
    let asks = [
        "unix",
        "windows",
        "target_os",
        "target_family",
        "target_vendor",
    ];
    for (file, text) in texts(".") {
        let may_ask = ["dir", "system"].contains(&room(&file).as_str());
        let asked = text
            .lines()
            .find(|line| line.contains("cfg") && asks.iter().any(|name| line.contains(name)));
        assert!(
            may_ask || asked.is_none(),
            "src/{}: {}",
            file.display(),
            asked.unwrap_or_default().trim()
        );
    }
}

/// Returns whether a path of names, such as `std::fs::write`, has these ones in it, in a row.
fn has_name(path: &str, part: &str) -> bool {
    format!("::{path}::").contains(&format!("::{part}::"))
}

fn room(file: &Path) -> String {
    let first = file.iter().next().unwrap().to_string_lossy().into_owned();
    first
        .strip_suffix(".rs")
        .map(str::to_owned)
        .unwrap_or(first)
}

/// Returns the source files of a package by their path below `src`, each with the paths that its
/// code names. What is only for tests isn't among them.
fn sources(package: &str) -> Vec<(PathBuf, Vec<String>)> {
    let texts = texts(package).into_iter();
    texts.map(|(path, text)| (path, names(&text))).collect()
}

/// Returns the source files of a package by their path below `src`, with their text. What is only
/// for tests isn't among them.
pub(crate) fn texts(package: &str) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(package)
        .join("src");
    let mut found = Vec::new();
    let mut directories = vec![root.clone()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
                continue;
            }
            let inside = path.strip_prefix(&root).unwrap().to_owned();
            let is_test = inside
                .iter()
                .any(|part| ["tests", "tests.rs", "testing.rs"].contains(&part.to_str().unwrap()));
            if inside
                .extension()
                .is_some_and(|extension| extension == "rs")
                && !is_test
            {
                found.push((inside, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// Returns the paths that a file's code names, such as `crate::text::Source`; `crate::{a, b}` names
/// `crate::a` and `crate::b`.
fn names(text: &str) -> Vec<String> {
    let file = syn::parse_file(text).unwrap();
    let mut found = Vec::new();
    for item in file.items.iter().filter(|item| !is_for_tests(item)) {
        paths(item.to_token_stream(), "", &mut found);
    }
    found
}

fn is_for_tests(item: &Item) -> bool {
    let (Item::Mod(ItemMod { attrs, .. }) | Item::Use(ItemUse { attrs, .. })) = item else {
        return false;
    };
    attrs.contains(&parse_quote!(#[cfg(test)]))
}

/// Collects the paths in some tokens; those of a group behind `a::` begin with `a`.
fn paths(tokens: TokenStream, within: &str, found: &mut Vec<String>) {
    let mut path = within.to_owned();
    let mut colons = 0;
    for token in tokens {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
            TokenTree::Ident(name) if colons == 2 => {
                path = format!("{path}::{name}");
                colons = 0;
            }
            TokenTree::Ident(name) => {
                found.push(std::mem::take(&mut path));
                path = if within.is_empty() {
                    name.to_string()
                } else {
                    format!("{within}::{name}")
                };
                colons = 0;
            }
            TokenTree::Group(group) => {
                paths(group.stream(), if colons == 2 { &path } else { "" }, found);
                found.push(std::mem::replace(&mut path, within.to_owned()));
                colons = 0;
            }
            _ => {
                found.push(std::mem::replace(&mut path, within.to_owned()));
                colons = 0;
            }
        }
    }
    found.push(path);
}
