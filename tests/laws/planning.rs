//! Laws of planning, over trees that are made up from the response itself, so that its edits find
//! something.

use std::collections::BTreeMap;

use bstr::ByteSlice as _;
use llmpatch::Fuzz;
use llmpatch::compare::Options as DiffOptions;
use llmpatch::format::Options;
use llmpatch::kind::Kind;
use llmpatch::message;
use llmpatch::patch::{FileEdit, Mark, Operation, Patch, Status};
use llmpatch::path::{RepoPath, Resolver};
use llmpatch::pathspec::{Case, Defaults, Pathspec, Pathspecs};
use llmpatch::plan::choose;
use llmpatch::plan::{self, ChangeSet, Guard, Origin, Plan, Refusal, Rules};
use llmpatch::response;
use llmpatch::text::Source;
use llmpatch::tree::{Entry, File, MemoryTree, Mode, Obstacle, Tree as _};

use super::deriving::turns_before_into_after;
use super::{source, told, turn};

/// Plans a response over one file: what stands before the last NUL is in every file that it
/// changes, what stands behind it is the response.
pub fn place(bytes: &[u8]) {
    let (file, response) = split(bytes);
    let source = source(response);
    under_every_rule(&source, |patch| {
        let mut tree = MemoryTree::new();
        for edit in patch
            .edits
            .iter()
            .filter(|edit| !matches!(edit.operation, Operation::Create { .. }))
        {
            if let Some(path) = path(edit) {
                tree = tree.with(&path, file);
            }
        }
        tree
    });
}

/// Plans a response over a tree in which its files are as it wants them, or nearly: what stands
/// behind the last NUL is the response, and what stands before it says how its files depart from
/// its wishes, a byte a file.
pub fn plan(bytes: &[u8]) {
    let (choices, response) = split(bytes);
    let source = source(response);
    under_every_rule(&source, |patch| wishes(patch, choices));
}

/// Makes up a tree for a patch: what is at each path departs from what the patch wants there as a
/// byte says.
pub(super) fn wishes(patch: &Patch<'_>, choices: &[u8]) -> MemoryTree {
    let mut wanted = BTreeMap::new();
    for edit in &patch.edits {
        if let Some(path) = path(edit) {
            wanted.entry(path).or_insert_with(Vec::new).push(edit);
        }
    }
    let mut tree = MemoryTree::new();
    for (index, (path, edits)) in wanted.iter().enumerate() {
        tree = made_up(
            tree,
            path,
            edits,
            choices.get(index).copied().unwrap_or_default(),
        );
    }
    tree
}

pub(super) fn split(bytes: &[u8]) -> (&[u8], &[u8]) {
    match bytes.iter().rposition(|&byte| byte == 0) {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => (&[], bytes),
    }
}

/// The path of an edit, if it can be one.
fn path(edit: &FileEdit<'_>) -> Option<String> {
    let path = Resolver::default().resolve(None, &edit.path).ok()?;
    String::from_utf8(path.as_bytes().to_vec()).ok()
}

/// Puts something at a path.
fn made_up(tree: MemoryTree, path: &str, edits: &[&FileEdit<'_>], choice: u8) -> MemoryTree {
    let mut lines = Vec::new();
    edits.iter().for_each(|edit| wanted(edit, &mut lines));
    let joined = |end: &[u8]| {
        lines
            .iter()
            .flat_map(|line| [line, end])
            .collect::<Vec<_>>()
            .concat()
    };
    let whole = joined(b"\n");
    let new = edits.first().is_some_and(|edit| {
        matches!(edit.operation, Operation::Create { .. })
            || edit
                .header
                .as_ref()
                .is_some_and(|header| header.status == Status::Added)
    });
    let content = match choice % 20 {
        0 if new => return tree,
        0..=2 => whole,
        3 => return tree,
        4 => [&whole[..], &whole].concat(),
        5 => joined(b"\r\n"),
        6 => whole.strip_suffix(b"\n").unwrap_or(&whole).to_vec(),
        7 => [&b"\xef\xbb\xbf"[..], &whole].concat(),
        8 => return tree.with(&format!("{path}/below"), "x\n"),
        9 => return tree.with_entry(path, Entry::Other(Obstacle::Link)),
        10 => [&b"\n"[..], &whole, b"\n"].concat(),
        11 => whole.iter().rev().copied().collect(),
        12 => joined(b"\r\n\n"),
        13 => [&whole[..], b"\0"].concat(),
        14 => Vec::new(),
        // What `--fuzz` looks through: blanks at either end, and odd ones.
        15 => joined(b" \n"),
        16 => lines
            .iter()
            .flat_map(|line| [b"\t", *line, b"\n"])
            .collect::<Vec<_>>()
            .concat(),
        17 => whole.replace("\"", "\u{201d}").replace(" ", "\u{a0}"),
        18 => [&joined(b" \n")[..], &joined(b"\t\n")].concat(),
        _ => {
            return tree.with_entry(
                path,
                Entry::File(File {
                    content: whole.into(),
                    mode: Mode::EXECUTABLE,
                }),
            );
        }
    };
    tree.with(path, content)
}

/// How far a hunk's number may lead: a file of that many lines more is made up for it.
const FAR: usize = 40;

/// Adds the lines that an edit wants to find, in its order; those of a unified diff where its
/// numbers say, if that isn't far.
fn wanted<'o>(edit: &'o FileEdit<'_>, wanted: &mut Vec<&'o [u8]>) {
    let mut all =
        |lines: &'o [llmpatch::text::Text<'_>]| wanted.extend(lines.iter().map(|line| &line[..]));
    match &edit.operation {
        Operation::Update { hunks, .. } => {
            for hunk in hunks {
                let line = hunk
                    .position
                    .as_ref()
                    .map_or(0, |position| position.old_start.saturating_sub(1) as usize);
                let missing = line.saturating_sub(wanted.len());
                wanted.extend(std::iter::repeat_n(
                    &b"between"[..],
                    if missing > FAR { 0 } else { missing },
                ));
                wanted.extend(hunk.locators.iter().map(|line| &line[..]));
                wanted.extend(hunk.old().map(|line| &line.text[..]));
            }
        }
        Operation::Substitute(substitution) => all(&substitution.find),
        Operation::Delete { expected } => all(expected.as_deref().unwrap_or_default()),
        Operation::Create { lines, .. } | Operation::Replace { lines } => all(lines),
        Operation::Move { .. } | Operation::Unreadable => {}
    }
}

/// Plans what can be read, and once more under other rules.
fn under_every_rule(source: &Source, tree: impl Fn(&Patch<'_>) -> MemoryTree) {
    let lenient = response::parse(source, &Options::default());
    let tree = tree(&lenient.patch);
    let planned = |patch: &Patch<'_>, rules: Rules| {
        let planned = plan::plan(
            std::slice::from_ref(patch),
            &tree,
            &Resolver::default(),
            &rules,
        );
        match &planned {
            Ok(Plan {
                changes, warnings, ..
            }) => {
                told::<plan::Error, _>(source, &[], warnings);
                for change in changes {
                    let before = match tree.read(&change.path).unwrap() {
                        Entry::File(file) => Some(file),
                        _ => None,
                    };
                    assert_eq!(
                        change.before, before,
                        "what was there before is what the tree has"
                    );
                }
            }
            Err(Refusal {
                errors, warnings, ..
            }) => {
                assert!(!errors.is_empty(), "a refusal says why");
                told(source, errors, warnings);
            }
        }
        planned
    };

    let plain = planned(&lenient.patch, Rules::default());
    match turn(
        source.bytes(),
        [
            Turn::Unique,
            Turn::Overwrite,
            Turn::Strict,
            Turn::Fuzz,
            Turn::Limit,
        ],
    ) {
        Turn::Unique => {
            let unique = planned(
                &lenient.patch,
                Rules {
                    unique: true,
                    ..Rules::default()
                },
            );
            unique_only_ever_refuses(&plain, &unique, lenient.patch.edits.iter().any(is_numbered));
        }
        Turn::Overwrite => {
            let overwrite = planned(
                &lenient.patch,
                Rules {
                    overwrite: true,
                    ..Rules::default()
                },
            );
            if let Ok(plain) = &plain {
                let overwrite = overwrite.expect("leave to overwrite forbids nothing");
                assert_eq!(plain.changes, overwrite.changes, "nothing was in the way");
            }
        }
        Turn::Limit => {
            let limit: Pathspecs = Pathspec::new(b"*[a-m]*", Defaults::default())
                .into_iter()
                .collect();
            let guard = Guard {
                limit: Some((limit.clone(), Origin::Option)),
                ..Guard::NONE
            };
            let limited = planned(
                &lenient.patch,
                Rules {
                    guard,
                    ..Rules::default()
                },
            );
            a_limit_only_ever_refuses(&plain, &limited, &limit);
        }
        Turn::Strict => {
            let strictly = response::parse(
                source,
                &Options {
                    strict: true,
                    ..Options::default()
                },
            );
            let strict = planned(
                &strictly.patch,
                Rules {
                    strict: true,
                    ..Rules::default()
                },
            );
            // Hunks without numbers are no unified diff to the letter, and need no warning else.
            let said = [&lenient.errors, &strictly.errors]
                .iter()
                .any(|errors| !errors.is_empty())
                || !lenient.warnings.is_empty();
            if let (Ok(plain), false) = (&plain, said)
                && plain.warnings.is_empty()
                && !has_additions(&lenient.patch)
            {
                let strict = strict.expect("what strict refuses carries a warning");
                assert_eq!(
                    plain.changes, strict.changes,
                    "and what it does otherwise does too"
                );
            }
        }
        Turn::Fuzz => {
            // Each length that has this turn has one of the levels.
            let fuzz = Fuzz::LEVELS[source.bytes().len() / 4 % Fuzz::LEVELS.len()];
            let loose = planned(
                &lenient.patch,
                Rules {
                    fuzz,
                    ..Rules::default()
                },
            );
            fuzz_only_ever_finds_more(&plain, &loose, fuzz);
        }
    }
    let (Ok(plain), true) = (plain, lenient.errors.is_empty()) else {
        return;
    };
    untouched_lines_stay(&lenient.patch, &plain);
    parts_stand_alone(source.bytes().len(), &lenient.patch, &tree, &plain);
    message::compose(std::slice::from_ref(&lenient.patch), &plain.changes);
    turns_before_into_after(&plain.changes, &DiffOptions::default());
}

/// Returns whether an edit says by line numbers where it is: a diff, or a tool call with one in it.
fn is_numbered(edit: &FileEdit<'_>) -> bool {
    matches!(&edit.operation, Operation::Update { hunks, .. } if hunks.iter().any(|hunk| hunk.position.is_some()))
}

/// The rules that a plan is compared under.
enum Turn {
    Unique,
    Overwrite,
    Strict,
    Fuzz,
    Limit,
}

/// Within a limit the same is done as without, or all that is wrong besides is that paths are
/// outside of it.
fn a_limit_only_ever_refuses(
    plain: &Result<Plan, Refusal>,
    limited: &Result<Plan, Refusal>,
    limit: &Pathspecs,
) {
    let is_inside = |path: &RepoPath| limit.matches(path.as_bytes(), Case::Counts);
    match (plain, limited) {
        (Ok(plain), Ok(limited)) => {
            assert_eq!(plain.changes, limited.changes, "a limit only ever refuses");
            assert!(
                limited.changes.iter().all(|change| is_inside(&change.path)),
                "nothing is changed outside of it"
            );
        }
        (Err(_), Ok(_)) => panic!("a limit only ever refuses"),
        (Ok(_), Err(refusal)) => {
            let kinds: Vec<_> = refusal
                .errors
                .iter()
                .map(|fault| fault.value.kind())
                .collect();
            assert!(kinds.contains(&Kind::Protected), "{kinds:?}");
        }
        (Err(_), Err(_)) => {}
    }
}

fn unique_only_ever_refuses(
    plain: &Result<Plan, Refusal>,
    unique: &Result<Plan, Refusal>,
    numbered: bool,
) {
    match (plain, unique) {
        (Ok(plain), Ok(unique)) => {
            assert_eq!(plain.changes, unique.changes, "unique only ever refuses")
        }
        (Err(_), Ok(_)) => panic!("unique only ever refuses"),
        (Ok(plain), Err(refusal)) => {
            // Later hunks may miss the place that this one would have brought them to.
            let first = refusal.errors.first().map(|fault| fault.value.kind());
            // A unified diff says by its numbers which of several is meant.
            let (told, numbered) = match first {
                Some(Kind::Ambiguous) => (Kind::Duplicates, numbered),
                // What is in another block than its context line says is told else.
                Some(Kind::ContextNotFound) => (Kind::OutsideContext, false),
                _ => panic!(
                    "unique refuses what is ambiguous or outside of its context: {:?}",
                    refusal.errors
                ),
            };
            let said = plain
                .warnings
                .iter()
                .any(|warning| warning.value.kind() == told);
            assert!(said || numbered, "without a word");
        }
        (Err(_), Err(_)) => {}
    }
}

/// What is found to the byte is found at every level; what is found at a looser one only is told.
fn fuzz_only_ever_finds_more(
    plain: &Result<Plan, Refusal>,
    loose: &Result<Plan, Refusal>,
    level: Fuzz,
) {
    match (plain, loose) {
        (Ok(plain), Ok(loose)) => assert_eq!(
            plain.changes, loose.changes,
            "{level} changes what was found without"
        ),
        (Ok(_), Err(refusal)) => panic!(
            "{level} refuses what is found without: {:?}",
            refusal.errors
        ),
        (Err(_), Ok(loose)) => {
            // A context line may be all that needed it.
            let is_told = |kind| matches!(kind, Kind::Fuzzy | Kind::LocatorRelaxed);
            let said = loose
                .warnings
                .iter()
                .any(|warning| is_told(warning.value.kind()));
            assert!(said, "found at {level}, and without a word");
        }
        (Err(_), Err(_)) => {}
    }
}

/// Whatever part is left out, the others come to what they came to with it.
fn parts_stand_alone(nth: usize, patch: &Patch<'_>, tree: &MemoryTree, plan: &Plan) {
    let parts = choose::parts(
        std::slice::from_ref(patch),
        &plan.changes,
        &Resolver::default(),
        Case::Counts,
    );
    let all = parts.iter().flat_map(|part| part.changes.iter().cloned());
    assert_eq!(
        ChangeSet::new(all),
        plan.changes,
        "every path is in one part"
    );
    if parts.len() < 2 {
        return;
    }
    let out = nth % parts.len();
    let (mut rest, mut placements) = ([patch.clone()], plan.placements.clone());
    choose::leave_out(&mut rest, &mut placements, &parts[out].edits);
    let kept = parts
        .iter()
        .enumerate()
        .filter(|(number, _)| *number != out);
    let kept = ChangeSet::new(kept.flat_map(|(_, part)| part.changes.iter().cloned()));
    let again = plan::plan(&rest, tree, &Resolver::default(), &Rules::default());
    let again =
        again.unwrap_or_else(|refusal| panic!("a part needs another: {:?}", refusal.errors));
    assert_eq!(
        again.changes, kept,
        "a part comes to something else without another"
    );
    assert_eq!(
        again.placements, placements,
        "a part stands elsewhere without another"
    );
}

/// Returns whether lines are added without any that they stand beside: strictly they go elsewhere.
fn has_additions(patch: &Patch<'_>) -> bool {
    patch.edits.iter().any(|edit| match &edit.operation {
        Operation::Update { hunks, .. } => hunks.iter().any(|hunk| hunk.old().next().is_none()),
        _ => false,
    })
}

/// Every line of an updated file is one of the file as it was, to the byte, or an added one; and so
/// many are gone and come as the hunks say.
fn untouched_lines_stay(patch: &Patch<'_>, plan: &Plan) {
    // A unified diff may take its file away.
    let [
        FileEdit {
            operation: Operation::Update { to: None, hunks },
            header: None,
            ..
        },
    ] = &patch.edits[..]
    else {
        return;
    };
    let doubted = |kind| {
        !matches!(
            kind,
            Kind::Duplicates | Kind::LocatorRelaxed | Kind::Restated
        )
    };
    if plan
        .warnings
        .iter()
        .any(|warning| doubted(warning.value.kind()))
    {
        return;
    }
    let Some(change) = plan.changes.iter().next() else {
        return;
    };
    let (Some(before), Some(after)) = (&change.before, &change.after) else {
        panic!("an update keeps its file")
    };
    // A byte order mark is the file's, whatever becomes of the line behind it.
    let (before, after) = match before.content.strip_prefix(MARK) {
        Some(rest) if after.content.is_empty() => (rest, &after.content[..]),
        Some(rest) => (
            rest,
            after
                .content
                .strip_prefix(MARK)
                .expect("a byte order mark stays"),
        ),
        None => (&before.content[..], &after.content[..]),
    };
    let lines = |text: &[u8]| -> Vec<Vec<u8>> {
        text.split_inclusive(|&byte| byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect()
    };
    let (before, after) = (lines(before), lines(after));
    let count = |mark| {
        hunks
            .iter()
            .flat_map(|hunk| &hunk.lines)
            .filter(|line| line.mark == mark)
            .count()
    };
    assert_eq!(
        before.len() + count(Mark::Added),
        after.len() + count(Mark::Removed)
    );
    let mut old = BTreeMap::new();
    before
        .iter()
        .for_each(|line| *old.entry(&line[..]).or_insert(0) += 1);
    let lines = hunks
        .iter()
        .flat_map(|hunk| &hunk.lines)
        .filter(|line| line.mark == Mark::Added);
    let mut added: Vec<&[u8]> = lines.map(|line| text(&line.text)).collect();
    // A last line without a terminator gets one when lines come behind it. A CR at its end is a
    // part of it.
    let open = before.last().filter(|line| !line.ends_with(b"\n"));
    added.extend(open.map(|line| line.strip_prefix(MARK).unwrap_or(line)));
    for line in &after {
        if let Some(left) = old.get_mut(&line[..]).filter(|left| **left > 0) {
            *left -= 1;
            continue;
        }
        let ends = |added: &&[u8]| *added == text(line) || Some(*added) == line.strip_suffix(b"\n");
        let at = added.iter().position(ends);
        added.swap_remove(
            at.unwrap_or_else(|| panic!("`{}` comes from nowhere", line.escape_ascii())),
        );
    }
}

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// What of a line is no byte order mark and no terminator.
fn text(line: &[u8]) -> &[u8] {
    let line = line.strip_prefix(MARK).unwrap_or(line);
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
