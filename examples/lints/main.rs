//! Counts what the lints find in commits that people made, each shown as a response in every
//! format: of true edits they should find nothing but what is truly a slip.
//!
//! `cargo run --release --example lints -- REPOSITORY [COMMITS [PATH...]]` takes the last commits that aren't
//! merges (1000 unless told otherwise), and the files of the last one as if all were new. It reads
//! the repository and writes nothing anywhere. Each finding is printed with its commit, its path
//! and its line; what the format can't say is left out and counted. `judged.txt` lists the findings
//! that somebody has looked at and that are right: a conflict marker that was committed, say. Paths
//! that are named hold such text on purpose, and everything below them. The program ends with status 1 if a lint finds anything else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use git_llmpatch::repo::{Commit, Differ, Repo, RevisionTree, Side, history};
use llmpatch::compare::Compare;
use llmpatch::format::{self, Options};
use llmpatch::lint::{Found, Lints};
use llmpatch::patch::{FileEdit, Format, Operation, Patch};
use llmpatch::path::Resolver;
use llmpatch::plan::{self, ChangeSet, Rules, derive};
use llmpatch::progress::Progress;
use llmpatch::respond::{self, Look};
use llmpatch::response;
use llmpatch::text::{Shown, Source, SourceId, Text};
use llmpatch::tree::{MemoryTree, Tree};

const FORMATS: [Format; 5] = [
    Format::Envelope,
    Format::Opx,
    Format::Blocks,
    Format::Tool,
    Format::Unified,
];

/// The findings that are right, a line each: kind, commit and path.
const JUDGED: &str = include_str!("judged.txt");
/// What [`JUDGED`] has in place of a commit for a file that is shown as if it were new.
const FILES: &str = "files";

/// Where something was found: kind, commit and path.
type Place = (String, String, String);

/// What was found there.
struct Finding {
    /// The message, and the first line that it is about.
    text: String,
    formats: BTreeSet<String>,
}

/// What came of it.
#[derive(Default)]
struct Tally {
    commits: usize,
    /// How many files they changed, together.
    files: usize,
    /// How many responses there were.
    responses: usize,
    /// How many of them a format can't say, or aren't applied.
    left_out: usize,
    /// What lints found.
    found: BTreeMap<Place, Finding>,
    /// Why these were left out: kind, reason and commits.
    refused: BTreeMap<(String, String), BTreeSet<String>>,
}

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let path = args.next().context("which repository?")?;
    let count: usize = args.next().map_or(Ok(1000), |count| count.parse())?;
    let repo = Repo::open_at(path.as_ref())?;
    let mut tally = Tally::default();
    for (number, id) in listed(&repo, count)?.iter().enumerate() {
        let mut commits = history::commits(&repo, id, false)?;
        let commit = commits.first_mut().context("a commit is one")?;
        if number == 0 {
            let parents = std::mem::take(&mut commit.parents);
            look_at_files(&repo, commit, &mut tally)?;
            commit.parents = parents;
        }
        replay(&repo, commit, &mut tally)?;
    }
    let on_purpose: Vec<String> = args.collect();
    match tally.print(&on_purpose) {
        0 => Ok(()),
        wrong => bail!("{wrong} findings in true edits that `judged.txt` doesn't have"),
    }
}

/// Lists the last commits that aren't merges.
fn listed(repo: &Repo, count: usize) -> Result<Vec<String>> {
    let listed = Command::new("git")
        .arg("--git-dir")
        .arg(repo.git_dir())
        .args(["rev-list", "--no-merges"])
        .arg(format!("--max-count={count}"))
        .arg("HEAD")
        .output()?;
    let listed = String::from_utf8(listed.stdout)?;
    Ok(listed.lines().map(str::to_owned).collect())
}

/// Looks at all files of a commit as if one response made them.
fn look_at_files(repo: &Repo, commit: &Commit, tally: &mut Tally) -> Result<()> {
    let touched = history::touched(repo, commit, &Progress::default())?;
    let (changes, _) = respond::change_of(touched, Format::Tool);
    let texts = changes.iter().filter_map(|change| {
        let content = &change.after.as_ref()?.content;
        (!content.is_binary()).then_some((&change.path, content.lines()))
    });
    let texts: Vec<_> = texts.collect();
    let edits = texts.iter().map(|(path, lines)| {
        let lines = lines.iter().map(|line| Text::derived(line.text)).collect();
        let operation = Operation::Create {
            lines,
            fills_empty: false,
            ends_open: false,
        };
        FileEdit::new(Text::derived(path.as_bytes()), operation, None)
    });
    let patches = [Patch {
        format: Format::Tool,
        edits: edits.collect(),
    }];
    tally.files += texts.len();
    let found = Lints::default().find(&patches, &Resolver::default(), &changes);
    for found in found {
        tally.note(&found.value, FILES, "as a new file", "files");
    }
    Ok(())
}

/// Shows each file that a commit changes in every format.
fn replay(repo: &Repo, commit: &Commit, tally: &mut Tally) -> Result<()> {
    let touched = history::touched(repo, commit, &Progress::default())?;
    let (changes, _) = respond::change_of(touched, Format::Unified);
    let tree: Box<dyn Tree> = match commit.parents.first() {
        Some(parent) => Box::new(RevisionTree::new(repo, parent)?),
        None => Box::new(MemoryTree::new()),
    };
    let differ = Differ::new(repo, Side::Blobs)?;
    tally.commits += 1;
    for change in &changes {
        tally.files += 1;
        let change = ChangeSet::new([change.clone()]);
        for format in FORMATS {
            look(format, &commit.id, &change, &*tree, &differ, tally)?;
        }
    }
    Ok(())
}

/// Shows a change in a format, reads and plans it, and counts what lints find.
fn look(
    format: Format,
    commit: &str,
    changes: &ChangeSet,
    tree: &dyn Tree,
    compare: &dyn Compare,
    tally: &mut Tally,
) -> Result<()> {
    tally.responses += 1;
    let text = match format {
        Format::Unified => {
            let patch = derive::unified(changes, compare, &Default::default())?;
            format::unified::print(&patch, Default::default())
        }
        _ => {
            let look = Look::default();
            let progress = Progress::default();
            match respond::respond(format, changes, tree, compare, &look, Vec::new(), &progress)? {
                Ok(response) => response.text,
                Err(reasons) => {
                    tally.left_out += 1;
                    for reason in reasons {
                        let key = ("inexpressible".to_owned(), reason.what.to_string());
                        tally.refused.entry(key).or_default().insert(commit.into());
                    }
                    return Ok(());
                }
            }
        }
    };
    let Some(source) = Source::new(SourceId(0), commit, text) else {
        tally.left_out += 1;
        return Ok(());
    };
    let parsed = response::parse(&source, &Options::default());
    let patches = [parsed.patch];
    let resolver = Resolver::default();
    let planned = match plan::plan(&patches, tree, &resolver, &Rules::default()) {
        Ok(plan) => plan.changes,
        Err(refusal) => {
            tally.left_out += 1;
            for error in &refusal.errors {
                let key = (error.value.kind().to_string(), error.value.to_string());
                tally.refused.entry(key).or_default().insert(commit.into());
            }
            return Ok(());
        }
    };
    for error in &parsed.errors {
        let key = ("parse".to_owned(), error.value.to_string());
        tally.refused.entry(key).or_default().insert(commit.into());
    }
    for found in Lints::default().find(&patches, &resolver, &planned) {
        let text = found.span.map_or(&b""[..], |span| {
            &source.bytes()[span.start as usize..span.end as usize]
        });
        let line = text.split(|&byte| byte == b'\n').next().unwrap_or(text);
        let line = &line[..line.len().min(160)];
        let text = Shown(line).to_string();
        tally.note(&found.value, commit, &text, &format.to_string());
    }
    Ok(())
}

impl Tally {
    /// Notes what a lint found.
    fn note(&mut self, found: &Found, commit: &str, text: &str, format: &str) {
        let path = found.path.to_string();
        let kind = found.finding.kind();
        let place = (kind.to_string(), commit.to_owned(), path);
        let finding = self.found.entry(place).or_insert_with(|| Finding {
            text: format!("{}: {text}", found.finding),
            formats: BTreeSet::new(),
        });
        finding.formats.insert(format.to_owned());
    }

    /// Prints what came of it. Returns how many findings nobody has judged to be right.
    fn print(&self, on_purpose: &[String]) -> usize {
        let judged = JUDGED.lines().filter(|line| !line.starts_with('#'));
        let judged: BTreeSet<&str> = judged.collect();
        let mut kinds: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for ((kind, commit, path), Finding { text, formats }) in &self.found {
            let place = format!("{kind} {commit} {path}");
            let is_named = on_purpose
                .iter()
                .any(|named| Path::new(path).starts_with(named));
            let is_right = is_named || judged.contains(&place[..]);
            let verdict = if is_right { "right" } else { "wrong" };
            *kinds.entry((verdict, kind)).or_default() += 1;
            let formats: Vec<_> = formats.iter().map(String::as_str).collect();
            println!("{verdict}: {place} ({}) {text}", formats.join(" "));
        }
        for ((kind, what), commits) in &self.refused {
            println!("refused as {kind} in {} commits: {what}", commits.len());
        }
        let Self {
            commits,
            files,
            responses,
            left_out,
            ..
        } = self;
        println!("{commits} commits, {files} files, {responses} responses, {left_out} left out");
        for ((verdict, kind), count) in &kinds {
            println!("{verdict} {kind}: {count}");
        }
        let wrong = kinds.iter().filter(|((verdict, _), _)| *verdict == "wrong");
        wrong.map(|(_, count)| count).sum()
    }
}
