//! Replays the history of a repository: every commit as a diff and as a response, there and back.
//!
//! `cargo run --release --example replay -- REPOSITORY [COMMITS]` takes the last commits that
//! aren't merges (200 unless told otherwise) and checks for each, in a scratch clone of the
//! repository, with the program itself:
//!
//! - the diff that this crate prints is what `git diff` prints, byte for byte, and `git apply
//!   --check` takes it;
//! - `show` as an envelope and as OPX, applied to the parent with `apply --index`, gives the
//!   commit's tree in the index and in the work tree, and nothing else; or it is refused, and the
//!   reason counted;
//! - one searched line of the response spoiled, where it is about two files or more, it is refused
//!   with status 1, and index and work tree are untouched;
//! - `convert` makes of each response the other two formats, and of these the same again.
//!
//! Warnings are counted by kind: whoever writes a real commit as a response should hear of little,
//! and of no lint that isn't true.
//!
//! Bodies of binary patches are left out of the comparison with git: libgit2 looks for deltas in
//! another way, and what they are deflated to depends on the zlib. Ends with status 1 if anything
//! is otherwise.

mod diffs;
mod responses;
mod scratch;
mod tally;

use anyhow::{Context as _, Result, bail};
use git_llmpatch::repo::{Repo, history};

use scratch::Scratch;
use tally::Tally;

fn main() -> Result<()> {
    let mut args: Vec<_> = std::env::args_os().collect();
    // This program is also the one that it tries out: what `cargo run --example` builds is only
    // this.
    if args.get(1).is_some_and(|first| first == scratch::AS_TOOL) {
        args.remove(1);
        std::process::exit(git_llmpatch::cli::run(args).end().into());
    }
    let mut args = std::env::args().skip(1);
    let path = args.next().context("which repository?")?;
    let count: usize = args.next().map_or(Ok(200), |count| count.parse())?;

    let repo = Repo::open_at(path.as_ref())?;
    let scratch = Scratch::clone(&path)?;
    let mut tally = Tally::default();
    for id in scratch.history(count)? {
        let commits = history::commits(&repo, &id, false)?;
        let commit = commits.first().context("a commit is one")?;
        let Some(parent) = commit.parents.first() else {
            continue;
        };
        tally.commits += 1;
        scratch.go_to(parent)?;
        diffs::replay(&repo, &scratch, commit, parent, &mut tally)?;
        responses::replay(&scratch, &id, parent, &mut tally)?;
        if tally.commits % 100 == 0 {
            eprintln!("{} of {count} commits", tally.commits);
        }
    }
    print!("{tally}");
    if tally.has_failed() {
        bail!("not everything came back as it was");
    }
    Ok(())
}
