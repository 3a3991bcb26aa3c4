//! Which other processes might be at work with git in a repository: asked before a lock is taken for a dead one's.

use std::fs;
use std::path::Path;

use rustix::process::getpid;

use super::owner::{has_ended, parent_of};

/// Returns whether a process other than this one and those that started it may be using a repository: it has a file of its
/// git folder open, or it is a git and stands in the git folder or the work tree. Where nothing can be seen, one may.
pub(super) fn any(git_folder: &Path, top: Option<&Path>) -> bool {
    let Ok(processes) = fs::read_dir("/proc") else { return true };
    let ours = ancestors();
    let numbers = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter(|pid| !ours.contains(pid)).any(|pid| uses(pid, git_folder, top))
}

/// This process and those above it.
fn ancestors() -> Vec<i32> {
    let own = getpid().as_raw_nonzero().get();
    std::iter::successors(Some(own), |pid| parent_of(*pid).filter(|parent| *parent > 0)).take(100).collect()
}

fn uses(pid: i32, git_folder: &Path, top: Option<&Path>) -> bool {
    let link = |name: &str| fs::read_link(format!("/proc/{pid}/{name}"));
    let is_git = fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.starts_with("git"));
    let stands_here =
        link("cwd").map_or(is_git, |at| at.starts_with(git_folder) || top.is_some_and(|top| at.starts_with(top)));
    if is_git && stands_here && !has_ended(pid) {
        return true;
    }
    let files = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    files.filter_map(|file| fs::read_link(file.path()).ok()).any(|open| open.starts_with(git_folder))
}
