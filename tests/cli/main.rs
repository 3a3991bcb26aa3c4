//! The command line, run as its users run it: exit statuses, what stands on which stream, and what
//! is left behind.

#![cfg_attr(
    not(target_os = "linux"),
    allow(
        unused_imports,
        dead_code,
        reason = "what only Linux shows is left out elsewhere"
    )
)]
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

mod advice;
mod agents;
mod apply;
mod apply_action;
mod apply_patch;
mod attributes;
mod base;
mod batch;
mod batch_files;
mod check;
mod commit;
mod conflicts;
mod convert;
mod diff;
mod each;
mod elsewhere;
mod filters;
mod foreign;
mod garbage;
mod guard;
mod hooks;
mod json;
#[cfg(unix)]
mod links;
mod made;
mod onto;
mod other_formats;
mod pre_commit;
mod prompt;
mod pull_request;
mod recover;
mod repositories;
mod reviews;
mod selection;
mod sessions;
mod show;
#[cfg(unix)]
mod signals;
mod snapshot;
mod staged;
mod states;
mod streams;
#[path = "../support/mod.rs"]
mod support;
mod three_way;
mod undo;
mod unused_options;
mod usage;
mod users;

use support::Repo;

/// Puts sections into an envelope.
fn envelope(sections: &str) -> String {
    format!("*** Begin Patch\n{sections}*** End Patch\n")
}

/// Makes the envelope that changes one line of a file.
fn update(path: &str, old: &str, new: &str) -> String {
    envelope(&format!("*** Update File: {path}\n@@\n-{old}\n+{new}\n"))
}

/// Makes the repository that most tests start from.
fn repo() -> Repo {
    Repo::with(&[
        ("a.txt", "one\ntwo\nthree\n"),
        ("src/b.txt", "b\n"),
        ("src/c.txt", "c\n"),
    ])
}

/// Makes one OPX edit that puts a line in place of another.
fn opx(path: &str, why: &str, find: &str, put: &str) -> String {
    let why = if why.is_empty() {
        String::new()
    } else {
        format!("  <why>{why}</why>\n")
    };
    format!(
        "<edit file=\"{path}\" op=\"patch\">\n{why}  <find>\n<<<\n{find}\n>>>\n  </find>\n  <put>\n<<<\n{put}\n>>>\n  </put>\n</edit>\n"
    )
}
