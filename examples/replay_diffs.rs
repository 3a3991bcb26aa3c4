//! Replays the history of a repository: the diff of each commit as this crate prints it against what `git diff` prints.
//!
//! Bodies of binary patches are left out of the comparison. Ends with status 1 if anything else differs.
//!
//! `cargo run --release --example replay_diffs -- REPOSITORY [COMMITS] [OUT]`; differing pairs are left in the folder OUT.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use git_llmpatch::format::unified::{Style, print};
use git_llmpatch::path::RepoPath;
use git_llmpatch::plan::{Change, ChangeSet, derive};
use git_llmpatch::repo::{Repo, Side};
use git_llmpatch::tree::{File, Mode};
use git2::{Delta, FileMode, Repository};

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let path = args.next().context("which repository?")?;
    let count: usize = args.next().map_or(Ok(200), |count| count.parse())?;
    let out = args.next();
    let git = Repository::open(&path)?;
    let repo = Repo::open_at(path.as_ref())?;
    let (differ, options) = (repo.differ(Side::Blobs)?, repo.diff_options()?);

    let (mut same, mut files, mut differing) = (0, 0, 0);
    let (mut ours_took, mut git_took) = (Duration::ZERO, Duration::ZERO);
    let mut walk = git.revwalk()?;
    walk.push_head()?;
    for id in walk {
        let commit = git.find_commit(id?)?;
        let Ok(parent) = commit.parent(0) else { continue };
        if commit.parent_count() != 1 {
            continue;
        }
        let Some(changes) = changes(&git, &parent.tree()?, &commit.tree()?)? else { continue };
        let start = Instant::now();
        let patch = derive::unified(&changes, &differ, &options)?;
        let ours = print(&patch, Style::default());
        ours_took += start.elapsed();
        let start = Instant::now();
        let theirs = git_diff(&path, &parent.id().to_string(), &commit.id().to_string())?;
        git_took += start.elapsed();
        files += patch.edits.len();
        if without_deflated(&ours) == without_deflated(&theirs) {
            same += 1;
        } else {
            differing += 1;
            println!("{} differs", commit.id());
            if let Some(out) = &out {
                std::fs::create_dir_all(out)?;
                std::fs::write(format!("{out}/{}.ours", commit.id()), &ours)?;
                std::fs::write(format!("{out}/{}.git", commit.id()), &theirs)?;
            }
        }
        if same + differing == count {
            break;
        }
    }
    println!("{same} of {} commits ({files} files) the same; {ours_took:?}, git {git_took:?}", same + differing);
    if differing > 0 {
        bail!("{differing} commits differ");
    }
    Ok(())
}

/// Leaves out the bodies of binary patches: which bytes they are deflated to depends on the zlib.
fn without_deflated(diff: &[u8]) -> Vec<&[u8]> {
    let mut in_body = false;
    let lines = diff.split(|&byte| byte == b'\n');
    lines
        .filter(|line| {
            let is_head = line.starts_with(b"literal ") || line.starts_with(b"delta ");
            in_body = is_head || (in_body && !line.is_empty());
            is_head || !in_body
        })
        .collect()
}

fn git_diff(repository: &str, old: &str, new: &str) -> Result<Vec<u8>> {
    let args = ["diff", "--binary", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", old, new];
    let mut git = Command::new("git");
    git.args(["-C", repository]).args(args).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = git.output()?;
    if !output.status.success() {
        bail!("git diff: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(output.stdout)
}

/// Reads a change of regular files; `None` if links or submodules are in it.
fn changes(git: &Repository, old: &git2::Tree<'_>, new: &git2::Tree<'_>) -> Result<Option<ChangeSet>> {
    let mut changes = Vec::new();
    for delta in git.diff_tree_to_tree(Some(old), Some(new), None)?.deltas() {
        let side = |file: git2::DiffFile<'_>, absent| -> Result<Option<Option<File>>> {
            if delta.status() == absent {
                return Ok(Some(None));
            }
            let mode = match file.mode() {
                FileMode::Blob => Mode::PLAIN,
                FileMode::BlobExecutable => Mode::EXECUTABLE,
                _ => return Ok(None),
            };
            Ok(Some(Some(File { content: git.find_blob(file.id())?.content().to_vec().into(), mode })))
        };
        let (Some(before), Some(after)) =
            (side(delta.old_file(), Delta::Added)?, side(delta.new_file(), Delta::Deleted)?)
        else {
            return Ok(None);
        };
        let path = delta.new_file().path_bytes().context("a delta has a path")?.to_vec();
        let Ok(path) = RepoPath::new(&path) else { return Ok(None) };
        changes.push(Change { path, before, after, from: None });
    }
    Ok(Some(ChangeSet::new(changes)))
}
