//! An agent's edit tool for the files of a directory, as git-llmpatch-embedding(7) shows it.

#![allow(unreachable_pub, reason = "a test uses it from outside")]

use llmpatch::{Options, RepoPath, apply, tree::ReadTree};
use std::{fs, io, path::Path};

/// Makes a change, and returns what it is, or what is wrong with it.
pub fn edit(top: &Path, response: Vec<u8>) -> io::Result<String> {
    let at = |path: &RepoPath| match path.to_path() {
        Ok(path) => Ok(top.join(path)),
        Err(error) => Err(io::Error::other(error)),
    };
    let files = ReadTree::new(|path| match at(path)? {
        file if file.is_file() => fs::read(file).map(Some),
        _ => Ok(None),
    });
    match apply("response", response, &files, &Options::default()) {
        Err(refusal) => {
            let said = refusal.to_string();
            Ok(refusal.feedback.unwrap_or(said))
        }
        Ok(applied) => {
            for change in applied.changes.iter() {
                let file = at(&change.path)?;
                let Some(after) = &change.after else {
                    fs::remove_file(file)?;
                    continue;
                };
                if let Some(directory) = file.parent() {
                    fs::create_dir_all(directory)?;
                }
                fs::write(file, &after.content[..])?;
            }
            Ok(applied.message.to_string())
        }
    }
}

fn main() -> io::Result<()> {
    let response = fs::read("response.md")?;
    println!("{}", edit(Path::new("."), response)?);
    Ok(())
}
