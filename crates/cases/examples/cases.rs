//! Prints the cases for other programs, a JSON document a line; or writes what the fuzzers begin with.
//!
//!     cargo run --package llmpatch-cases --example cases
//!     cargo run --package llmpatch-cases --example cases -- seeds DIRECTORY...

#![allow(clippy::unwrap_used, reason = "whoever runs it reads the panic")]

use std::fs;
use std::path::Path;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use llmpatch_cases::{CaseFile, Files, TestCase};
use serde_json::{Map, Value, json};

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        None => llmpatch_cases::all()
            .iter()
            .for_each(|case| println!("{}", document(case))),
        Some((what, directories)) if what == "seeds" => directories
            .iter()
            .for_each(|directory| plant(Path::new(directory))),
        Some((what, _)) => panic!("`{what}` is nothing that can be asked for"),
    }
}

/// Writes the seeds of all cases into a directory, a file each.
fn plant(directory: &Path) {
    fs::create_dir_all(directory).unwrap();
    for case in llmpatch_cases::all() {
        for (number, seed) in case.seeds().iter().enumerate() {
            fs::write(
                directory.join(format!("{}-{number}", case.name.replace('/', "-"))),
                seed,
            )
            .unwrap();
        }
    }
}

fn document(case: &TestCase) -> Value {
    let expected = case.expected();
    let settings: Vec<_> = case
        .settings()
        .iter()
        .map(|(name, value)| json!([name, value]))
        .collect();
    json!({
        "name": case.name,
        "rule": case.rule,
        "before": files(&case.before()),
        "response": bytes(&case.response()),
        "arguments": case.arguments(),
        "settings": settings,
        "needs": case.needs(),
        "git_only": case.is_of_git_only(),
        "status": expected.status,
        "said": expected.said,
        "feedback": expected.feedback,
        "after": files(&expected.files),
        "mended": case.mended().map(|mended| files(&mended)),
    })
}

fn files(files: &Files) -> Map<String, Value> {
    files
        .iter()
        .map(|(path, file)| (path.clone(), shown(file)))
        .collect()
}

fn shown(file: &CaseFile) -> Value {
    json!({ "bytes": bytes(&file.bytes), "executable": file.executable, "link": file.link })
}

fn bytes(of: &[u8]) -> Value {
    Value::String(BASE64_STANDARD.encode(of))
}
