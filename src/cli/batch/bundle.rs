use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use anyhow::Context as _;
use serde::Deserialize;

use crate::cli::error::{Failure, IoError};
use crate::cli::responses::Origin;
use crate::repo::{Repo, Revision};
use crate::transaction;

/// What an answer says was made.
#[derive(Deserialize)]
struct Made {
    tree: Option<String>,
    commit: Option<String>,
}

/// Writes a bundle of all that the answers in a file name.
///
/// # Errors
/// If they can't be read, or the bundle not be written.
pub(super) fn write(repo: &Repo, onto: &Revision, answers: &Path, bundle: &Path) -> Result<(), Failure> {
    let made = made(answers).with_context(|| format!("can't read `{}`", Origin::File(answers.to_owned()).name()));
    Ok(transaction::bundle(repo, onto, &made.map_err(IoError::from)?, bundle)?)
}

fn made(answers: &Path) -> anyhow::Result<BTreeSet<String>> {
    let mut made = BTreeSet::new();
    for line in BufReader::new(File::open(answers)?).split(b'\n') {
        let one: Made = serde_json::from_slice(&line?)?;
        made.extend(one.commit.or(one.tree));
    }
    Ok(made)
}
