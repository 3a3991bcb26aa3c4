//! The diff of a commit, beside git's own.

use anyhow::Result;
use git_llmpatch::repo::{Commit, Differ, Repo, Side, differ, history};
use llmpatch::format::unified::{Quoting, print};
use llmpatch::patch::Format;
use llmpatch::plan::derive;
use llmpatch::respond;

use crate::scratch::Scratch;
use crate::tally::Tally;

/// Compares the diffs, if regular files are all that the commit touches.
pub(crate) fn replay(
    repo: &Repo,
    scratch: &Scratch,
    commit: &Commit,
    parent: &str,
    tally: &mut Tally,
) -> Result<()> {
    let (changes, unsaid) = respond::change_of(
        history::touched(repo, commit, &Default::default())?,
        Format::Unified,
    );
    if !unsaid.is_empty() {
        return Ok(());
    }
    let patch = derive::unified(
        &changes,
        &Differ::new(repo, Side::Blobs)?,
        &differ::options(repo)?,
    )?;
    let ours = print(&patch, Quoting::default());
    let args = [
        "--binary",
        "--no-ext-diff",
        "--no-textconv",
        "--src-prefix=a/",
        "--dst-prefix=b/",
    ];
    let theirs = scratch.diff(&[&args[..], &[parent, &commit.id]].concat())?;
    tally.diffed_files += patch.edits.len();
    let paths: Vec<_> = patch.edits.iter().map(|edit| &edit.path[..]).collect();
    let has_driver = scratch.has_driver(&paths)?;
    tally.driven += usize::from(has_driver);
    let (own, gits) = (
        comparable(&ours, has_driver),
        comparable(&theirs, has_driver),
    );
    if !tally.diffs.add(own == gits) {
        let at = own
            .iter()
            .zip(&gits)
            .take_while(|(one, other)| one == other)
            .count();
        let [own, gits] = [own, gits].map(|lines| {
            lines.get(at).map_or("its end".into(), |line| {
                String::from_utf8_lossy(line).into_owned()
            })
        });
        tally.fail(format!(
            "{}: the diff isn't git's: `{own}`, where git has `{gits}`",
            commit.id
        ));
    }
    if !ours.is_empty() {
        tally.heed("unified", &scratch.tool(&["check"], &ours)?.stderr);
    }
    if !ours.is_empty()
        && !tally
            .git_takes
            .add(scratch.git_takes(&["apply", "--check", "--index"], &ours)?)
    {
        tally.fail(format!("{}: git apply doesn't take the diff", commit.id));
    }
    Ok(())
}

/// Leaves out the bodies of binary patches with their sizes, and what stands behind the numbers of
/// a hunk if a driver chose it.
fn comparable(diff: &[u8], has_driver: bool) -> Vec<&[u8]> {
    let mut in_body = false;
    let lines = diff.split(|&byte| byte == b'\n');
    lines
        .filter(|line| {
            in_body = line.starts_with(b"literal ")
                || line.starts_with(b"delta ")
                || (in_body && !line.is_empty());
            !in_body
        })
        .map(|line| {
            match line
                .strip_prefix(b"@@ -")
                .and_then(|rest| rest.windows(3).position(|at| at == b" @@"))
            {
                Some(at) if has_driver => &line[..at + 7],
                _ => line,
            }
        })
        .collect()
}
