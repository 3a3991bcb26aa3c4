//! A change of some files, written in each format.

use std::fmt::Write as _;

use serde_json::json;

use super::scenario::File;

/// A name, and how a change is written so.
pub type Form = (&'static str, fn(&[File]) -> String);

pub const FORMATS: [Form; 5] = [
    ("envelope", envelope),
    ("diff", diff),
    ("opx", opx),
    ("blocks", blocks),
    ("tool", tool),
];

fn diff(files: &[File]) -> String {
    let mut diff = String::new();
    for file in files {
        let path = &file.path;
        if file.is_new() {
            let lines = String::from_utf8_lossy(&file.new);
            let count = lines.lines().count();
            let _ = write!(
                diff,
                "diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n"
            );
            let _ = writeln!(diff, "@@ -0,0 +1,{count} @@");
            diff += &prefixed('+', &lines);
            continue;
        }
        let _ = write!(
            diff,
            "diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n"
        );
        for hunk in file.hunks() {
            let count = hunk.before.lines().count() + 1 + hunk.after.lines().count();
            let _ = writeln!(diff, "@@ -{0},{count} +{0},{count} @@", hunk.from + 1);
            diff += &hunk.marked();
        }
    }
    diff
}

fn envelope(files: &[File]) -> String {
    let mut patch = "*** Begin Patch\n".to_owned();
    for file in files {
        if file.is_new() {
            let _ = writeln!(patch, "*** Add File: {}", file.path);
            patch += &prefixed('+', &String::from_utf8_lossy(&file.new));
            continue;
        }
        let _ = writeln!(patch, "*** Update File: {}", file.path);
        for hunk in file.hunks() {
            let _ = write!(patch, "@@\n{}", hunk.marked());
        }
    }
    patch + "*** End Patch\n"
}

fn opx(files: &[File]) -> String {
    let mut edits = String::new();
    for file in files {
        let path = &file.path;
        if file.is_new() {
            let _ = write!(edits, "<edit file=\"{path}\" op=\"new\">\n<put>\n<<<\n");
            edits += &String::from_utf8_lossy(&file.new);
            edits += ">>>\n</put>\n</edit>\n";
            continue;
        }
        for (find, put) in file.hunks().map(|hunk| hunk.sides()) {
            let _ = write!(
                edits,
                "<edit file=\"{path}\" op=\"patch\">\n<find>\n<<<\n{find}>>>\n</find>\n"
            );
            let _ = write!(edits, "<put>\n<<<\n{put}>>>\n</put>\n</edit>\n");
        }
    }
    edits
}

fn blocks(files: &[File]) -> String {
    let mut blocks = String::new();
    for file in files {
        for (search, replace) in sides(file) {
            let _ = write!(
                blocks,
                "{}\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n\n",
                file.path
            );
        }
    }
    blocks
}

fn tool(files: &[File]) -> String {
    let mut calls = String::new();
    for file in files {
        for (old, new) in sides(file) {
            let call = json!({ "path": file.path, "old_string": old, "new_string": new });
            let _ = writeln!(calls, "{call}");
        }
    }
    calls
}

/// Returns the old and new lines of each change of a file; of a new file, no old ones.
fn sides(file: &File) -> Vec<(String, String)> {
    if file.is_new() {
        let new = String::from_utf8_lossy(&file.new).into_owned();
        vec![(String::new(), new)]
    } else {
        file.hunks().map(|hunk| hunk.sides()).collect()
    }
}

/// Returns lines, each behind a sign.
pub fn prefixed(sign: char, lines: &str) -> String {
    lines
        .split_inclusive('\n')
        .map(|line| format!("{sign}{line}"))
        .collect()
}
