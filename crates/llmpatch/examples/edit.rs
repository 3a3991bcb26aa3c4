//! An agent's edit tool for the files of a directory, as git-llmpatch-embedding(7) shows it.

#![allow(unreachable_pub, reason = "a test uses it from outside")]

use llmpatch::{Options, apply, fs::DirTree};
use std::{fs, io, path::Path};

/// Makes a change, and returns what it is, or what is wrong with it.
pub fn edit(top: &Path, response: &[u8]) -> io::Result<String> {
    let files = DirTree::new(top);
    match apply("response", response, &files, &Options::default()) {
        Err(refusal) => {
            let said = refusal.to_string();
            Ok(refusal.feedback.unwrap_or(said))
        }
        Ok(applied) => {
            applied.changes.write_in(top)?;
            Ok(applied.message.to_string())
        }
    }
}

fn main() -> io::Result<()> {
    let response = fs::read("response.md")?;
    println!("{}", edit(Path::new("."), &response)?);
    Ok(())
}
