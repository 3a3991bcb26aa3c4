//! Applies the patches that language models write: exact, atomic, native to git.
//!
//! Text flows one way, and every stage is a plain value that can be printed, compared and tested alone:
//!
//! ```text
//! text ──parse──▶ Patch ──plan──▶ ChangeSet ──begin──▶ Prepared ──publish──▶ Done ──▶ Report
//!        format/         plan/              transaction/                              report/
//! ```
//!
//! - [`patch::Patch`] says what the text means. It knows no file.
//! - [`plan::ChangeSet`] says what will be true afterwards: for every touched path what it holds before and after. All
//!   matching, all conflicts, all refusals are settled here, and nothing has been written.
//! - A transaction makes it true or leaves no trace. It never decides anything about the patch.
//! - [`report::Report`] says what happened. People, programs and the exit status read the same value.
//!
//! `check`, `diff` and `apply --check` are this flow stopped early, never a second path. The way back is as straight; a diff
//! is made of it: `text ◀──print── Patch ◀──derive── ChangeSet`.
//!
//! # In use
//!
//! ```
//! use git_llmpatch::{format, path::Resolver, plan, text::{Source, SourceId}, transaction, tree::MemoryTree};
//!
//! // Text → Patch: what is wrong with the text is in `parsed.errors`.
//! let response = "Sure!\n\n*** Begin Patch\n*** Update File: a.txt\n-old\n+new\n*** End Patch\n";
//! let source = Source::new(SourceId(0), "response.txt", response.into()).expect("a response is shorter than 4 GiB");
//! let parsed = format::parse(&source, &format::Options::default());
//! assert!(parsed.errors.is_empty());
//!
//! // Patch → ChangeSet, over files that are made up.
//! let (patches, rules) = ([parsed.patch], plan::Rules::default());
//! let tree = MemoryTree::new().with("a.txt", "old\n");
//! let plan = plan::plan(&patches, &tree, &Resolver::default(), &rules).expect("every line is there");
//! let change = plan.changes.iter().next().expect("one file changes");
//! assert_eq!(change.after.as_ref().map(|file| &file.content[..]), Some(&b"new\n"[..]));
//!
//! // The same over a real work tree, and then made true: all of it, or nothing.
//! # let directory = tempfile::tempdir()?;
//! # std::fs::write(directory.path().join("a.txt"), "old\n")?;
//! # std::process::Command::new("git").arg("init").arg("-q").current_dir(&directory).status()?;
//! let repo = git_llmpatch::repo::Repo::open_at(directory.path())?;
//! let plan = plan::plan(&patches, &repo.work_tree()?, &repo.resolver(None)?, &rules).expect("every line is there");
//! let target = transaction::Target::WorkTree { intent_to_add: false };
//! let done = transaction::begin(&repo, &plan.changes, target, Default::default(), &mut Vec::new())?.publish()?;
//! assert!(done.warnings.is_empty());
//! assert_eq!(std::fs::read_to_string(directory.path().join("a.txt"))?, "new\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where is …?
//!
//! | a sentence of the formats about … | is in |
//! | --- | --- |
//! | lines, terminators, what a line is | [`text`] |
//! | where the patches are in a response, prose, fences, residue | [`format::detect`] |
//! | `*** Begin Patch`, headers, chunks, what a line of one may be | [`format::envelope`] |
//! | `<edit>`, attributes, `<<<` and `>>>` | [`format::opx`] |
//! | `<<<<<<< SEARCH`, `>>>>>>> REPLACE`, paths above blocks, tags around them | [`format::blocks`] |
//! | whole files in Markdown fences | `format/files.rs` |
//! | `diff --git`, `---` and `+++`, `@@ -1,7 +1,8 @@`, prefixes and quotes of names | [`format::unified`] |
//! | what a path may be, `--directory`, `root=` | [`path`] |
//! | `--limit`, `llmpatch.protect`: what pathspecs mean, and what is refused | [`pathspec`], `plan/guard.rs` |
//! | finding lines, context lines, a text and its occurrences | [`search`] |
//! | which of several places is taken, what is warned of, `--strict`, `--unique` | `plan/place/in_order.rs`, `plan/place/by_text.rs` |
//! | where the hunks of a unified diff are | `plan/place/by_number.rs` |
//! | renames, copies, deletions and modes of a unified diff, swaps | `plan/section.rs` |
//! | how new lines end, marks, final newlines | `plan/splice.rs` |
//! | what an edit sees of earlier ones, what is in a new file's way | `plan/overlay.rs` |
//! | which repository is meant, and where its work tree and index are | `repo/open.rs` |
//! | work tree, index and commit as places to read from, agreement between them | [`tree`], [`repo`] |
//! | line ends on disk, encodings, filter drivers | `repo/conversion.rs`, `repo/line_ends.rs`, `repo/encoding.rs`, `repo/filter.rs` |
//! | attributes | `repo/rules.rs` |
//! | access to the work tree that can't leave it | [`dir`] |
//! | locks, writing, rolling back, committing, the journal, recovery, undo | [`transaction`] |
//! | trees, commits and branches without a work tree (`--onto`) | `transaction/onto.rs`, `repo/tree_write.rs`, `repo/commit/plumbing.rs`, `repo/branch.rs` |
//! | many responses, each by itself: lines in, lines out, threads | `cli/batch.rs` and the files below it |
//! | their trees and commits, and the packs that hold them | `transaction/batch.rs`, `repo/tree_write.rs`, `repo/commit/many.rs`, `repo/pack.rs` |
//! | what a response is about, and what became of it since (`--base`) | `repo/based_tree.rs` |
//! | merging a change with that (`--3way`) | `plan/merge.rs`, `repo/merge.rs` |
//! | snapshots of the work tree | `transaction/snapshot.rs`, `repo/snapshot.rs` |
//! | the commit message | [`message`] |
//! | what a change looks like as an envelope, OPX or blocks, and what these can't say | [`plan::derive`] |
//! | commits and other changes written as responses that have been read back | [`respond`] |
//! | the printed diff and its statistics | [`plan::derive`], [`format::unified`], [`compare`] |
//! | kinds of errors and warnings, exit statuses | [`kind`] |
//! | why lines have no place: the nearest one, what is there already | `search/nearest.rs`, `plan/nearest.rs`, `plan/place_error.rs` |
//! | what other path may be meant | `plan/suggest.rs` |
//! | what looks like a slip of the model: lints | `plan/lint.rs`, `plan/elision.rs`, `plan/history.rs` |
//! | what is said of an error beside its headline: how lines differ, notes, help, advice | [`diagnose`], one file a room; of what only the command line finds: `cli/error.rs` |
//! | what messages look like | [`report`] |
//! | `--json`, its schema | [`report::json`], `report/schema.json`; what only programs are told: `cli/details.rs` |
//! | the name of a change (`--expect`) | `plan/identity.rs` |
//! | what is staged, and an attribute of ours | `repo/staged.rs`, `repo/attributes.rs` |
//! | markers that were left over in files | [`leftover`] |
//! | a failure as a message to the model | [`report::feedback`] |
//! | options, previews, what is printed where | [`cli`] |
//! | `apply -i`: how a change is taken apart, what is asked | [`plan::choose`], [`plan::hunks`]; `cli/review.rs`, `cli/terminal.rs` |
//! | diffs at a terminal: pager and colours | `cli/pager.rs`, [`report::paint`] |
//! | work on large files that several processors share | `threads.rs` |
//! | how far a long work is | [`progress`], `cli/progress.rs`; counted by `cli/observed_tree.rs`, [`plan::derive`] |
//! | manual pages, completion scripts | `cli/manual.rs`, `cli/completions.rs`; written sections in `man/` |
//!
//! # Who may know whom
//! Read `a ◀ b` as: b may use a, never the other way. `tests/house/architecture.rs` holds the whole table.
//!
//! ```text
//! text ◀ patch ◀ format            text ◀ {search, pathspec}            path ◀ patch
//! {patch, search, pathspec, tree, compare} ◀ plan ◀ {message, transaction, diagnose}
//! path ◀ {tree, dir} ◀ repo ◀ transaction        progress ◀ {compare, repo, respond, transaction}
//! threads ◀ {search, dir, plan, transaction}
//! {format, plan} ◀ respond                {format, compare} ◀ leftover
//! every room ◀ diagnose ◀ report                 (diagnose knows the errors of all; they know nothing of help)
//! report knows the values of all rooms and calls none of them; cli knows all; nothing knows cli
//! ```
//!
//! 1. Parsers know no git, no files, no clock: bytes in, a patch and what is wrong with it out.
//! 2. Searching knows no files and no formats: slices in, places or a miss out.
//! 3. Planning reads only through [`tree::Tree`], so every plan can be tested on a [`tree::MemoryTree`].
//! 4. Only `transaction/` decides to change anything outside the process; what writes in `dir/` and `repo/` is called by
//!    nothing else.
//! 5. Only `cli/` prints or exits.
//! 6. libgit2, clap and the crate that draws messages each appear in one room, and one file starts the git program.

pub mod cli;
mod diagnose;
pub mod dir;
pub mod repo;
pub mod report;
pub mod transaction;
