//! Another process swaps directories and files for links while we look and write: nothing is ever
//! read or written through one.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::bounded::patiently;
use crate::{Fortress, scaled};

/// Exchanges two paths over and over until told to stop, and then leaves them as they were.
fn while_swapping(one: &Path, other: &Path, run: impl FnOnce()) {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let swapper = scope.spawn(|| {
            let mut swaps = 0_usize;
            while !stop.load(Ordering::Relaxed) || swaps % 2 == 1 {
                // What we write may be away for a moment.
                if renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).is_ok() {
                    swaps += 1;
                }
                if stop.load(Ordering::Relaxed)
                    && !(one.exists() && other.symlink_metadata().is_ok())
                {
                    break;
                }
            }
        });
        // Whatever fails here, the swapper must end.
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        stop.store(true, Ordering::Relaxed);
        swapper.join().unwrap();
        if let Err(panic) = done {
            std::panic::resume_unwind(panic);
        }
    });
}

/// What is tried in turn: each works, or is refused, whatever the ones before it did.
fn response(round: usize) -> String {
    let put = format!("<put>\n<<<\nround {round}\n>>>\n</put>");
    match round % 6 {
        0 => format!("<edit file=\"dir/a.txt\" op=\"replace\">{put}</edit>\n"),
        1 => format!("<edit file=\"dir/new.txt\" op=\"new\">{put}</edit>\n"),
        2 => "<edit file=\"dir/new.txt\" op=\"move\"><to file=\"dir/deep/moved.txt\"/></edit>\n".to_owned(),
        3 => "<edit file=\"dir/a.txt\" op=\"remove\"/>\n".to_owned(),
        4 => format!(
            "<edit file=\"dir/a.txt\" op=\"new\">{put}</edit>\n<edit file=\"dir/made/b.txt\" op=\"new\">{put}</edit>\n"
        ),
        _ => "<edit file=\"dir/made/b.txt\" op=\"remove\"/>\n<edit file=\"dir/deep/moved.txt\" op=\"remove\"/>\n"
            .to_owned(),
    }
}

/// Applies response after response while something is swapped for a link, and demands that what the
/// link leads to stays.
fn stays_inside(swapped: &str, leads_to: &str, targets: &[&str]) {
    let fortress = Fortress::new();
    let path = |path: &str| -> PathBuf { fortress.path().join(path) };
    let spare = path("spare");
    std::os::unix::fs::symlink(leads_to, &spare).unwrap();
    let around = || {
        let mut state = crate::State::around(&fortress.repo);
        // What git and we keep there changes; what the responses name doesn't come in.
        let named = ["a.txt", "new.txt", "moved.txt", "b.txt", "config"];
        state
            .git
            .retain(|path, _| named.iter().any(|name| path.ends_with(name)));
        state
    };
    let before = around();
    let mut ended = std::collections::BTreeMap::new();
    while_swapping(&path(swapped), &spare, || {
        for round in 0..scaled(24, 1200) {
            let mut command = fortress.repo.command();
            command
                .args(["apply", "--overwrite"])
                .args(&targets[round % targets.len()..][..1]);
            let run = patiently(command, response(round).as_bytes());
            assert!(
                [0, 1, 3].contains(&run.status),
                "ended with {}: {}{}",
                run.status,
                run.stdout,
                run.stderr
            );
            *ended.entry(run.status).or_insert(0) += 1;
            assert_eq!(around(), before, "{}{}", run.stdout, run.stderr);
        }
    });
    eprintln!("{swapped} for a link to {leads_to}: ended with {ended:?}");
    fortress.repo.run(&["recover"], "");
    assert_eq!(around(), before);
    fortress.repo.git(&["fsck", "--strict"]);
}

#[test]
fn a_parent_that_becomes_a_link_is_not_followed() {
    stays_inside("dir", "../outside", &["-q", "--index"]);
}

#[test]
fn a_directory_further_up_that_becomes_a_link_is_not_followed() {
    stays_inside("dir/deep", "../../outside/deep", &["-q", "--index"]);
}

#[test]
fn a_file_that_becomes_a_link_is_not_followed() {
    stays_inside("dir/a.txt", "../../outside/a.txt", &["-q"]);
}

#[test]
fn a_directory_that_becomes_a_link_to_git_is_not_followed() {
    stays_inside("dir", ".git", &["-q"]);
}
