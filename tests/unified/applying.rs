//! What git prints, read and planned by us, makes the change that git would make of it.

use std::collections::BTreeSet;

use llmpatch::Fuzz;
use llmpatch::format::Options;
use llmpatch::kind::Kind;
use llmpatch::path::Resolver;
use llmpatch::plan::{self, Rules};
use llmpatch::report::Diagnose as _;
use llmpatch::response;
use llmpatch::text::{Source, SourceId};
use llmpatch::tree::{Entry, MemoryTree};

use super::*;

/// What came of a diff: the files, or why not, and what was remarked.
pub(super) struct Came {
    pub(super) files: Result<Files, BTreeSet<Kind>>,
    pub(super) warnings: BTreeSet<Kind>,
}

pub(super) fn apply(diff: &[u8], before: &Files, rules: &Rules) -> Came {
    apply_with(diff, before, rules, &Options::default())
}

fn apply_with(diff: &[u8], before: &Files, rules: &Rules, options: &Options<'_>) -> Came {
    let mut tree = MemoryTree::new();
    for (name, (content, executable)) in before {
        let mode = if *executable {
            Mode::EXECUTABLE
        } else {
            Mode::PLAIN
        };
        let file = File {
            content: content.clone().into(),
            mode,
        };
        tree = tree.with_entry(std::str::from_utf8(name).unwrap(), Entry::File(file));
    }
    let source = Source::new(SourceId(0), "git.diff", diff.into()).unwrap();
    let parsed = response::parse(
        &source,
        &Options {
            strict: rules.strict,
            ..*options
        },
    );
    let kinds = |warnings: &[llmpatch::text::Located<response::Warning>]| -> BTreeSet<Kind> {
        warnings
            .iter()
            .map(|warning| warning.value.diagnostic().kind)
            .collect()
    };
    let mut warnings = kinds(&parsed.warnings);
    if !parsed.errors.is_empty() {
        let faults = parsed
            .errors
            .iter()
            .map(|fault| fault.value.diagnostic().kind)
            .collect();
        return Came {
            files: Err(faults),
            warnings,
        };
    }
    let files = match plan::plan(&[parsed.patch], &tree, &Resolver::default(), rules) {
        Ok(plan) => {
            warnings.extend(
                plan.warnings
                    .iter()
                    .map(|warning| warning.value.diagnostic().kind),
            );
            let mut files = before.clone();
            for change in &plan.changes {
                match &change.after {
                    Some(file) => {
                        let held = (file.content.to_vec(), file.mode.executable);
                        files.insert(change.path.as_bytes().to_vec(), held);
                    }
                    None => drop(files.remove(change.path.as_bytes())),
                }
            }
            Ok(files)
        }
        Err(refusal) => Err(refusal
            .errors
            .iter()
            .map(|fault| fault.value.kind())
            .collect()),
    };
    Came { files, warnings }
}

fn is_binary(diff: &[u8]) -> bool {
    let says = |what: &[u8]| {
        diff.split(|&byte| byte == b'\n')
            .any(|line| line.starts_with(what))
    };
    says(b"GIT binary patch") || says(b"Binary files ")
}

/// Every way in which git can be told to print a change.
const WAYS: &[&[&str]] = &[
    &["-U3"],
    &["-U0"],
    &["-U1", "--no-renames"],
    &["-U9", "-M10%"],
    &["-M", "-C", "--find-copies-harder"],
    &["-B", "-M10%"],
    &["-B10%", "-C10%", "--find-copies-harder", "-U2"],
    &["--no-prefix"],
    &["--src-prefix=i/", "--dst-prefix=w/", "--full-index"],
    &["--patience", "--inter-hunk-context=3"],
];

/// Reads what git prints of a scene's change, in every way, and demands that it makes it.
pub(super) fn check(scene: &Scene, before: &Files, after: &Files) {
    for way in WAYS {
        let diff = scene.git(&[&["-c", "core.quotePath=false", "diff", "--cached"], *way].concat());
        if diff.is_empty() || is_binary(&diff) {
            continue;
        }
        let mut came = apply(&diff, before, &Rules::default());
        let mut after = after.clone();
        if way.contains(&"-U0") {
            // Lines that only their number places end as those around them, unless the diff shows a
            // CR somewhere.
            [came.files.as_mut().unwrap(), &mut after]
                .into_iter()
                .for_each(without_cr);
        }
        let said = || format!("{way:?}\n{}", shown(&diff));
        // A file that is overwritten by a rename and isn't shown to go: `git apply` refuses that
        // too.
        if way.iter().any(|arg| arg.starts_with("-B"))
            && came.files == Err([Kind::FileExists].into())
        {
            continue;
        }
        assert_eq!(came.files.as_ref(), Ok(&after), "{}", said());
        let remarked = came
            .warnings
            .iter()
            .filter(|kind| **kind != Kind::AdditionPlace || !way.contains(&"-U0"))
            // A blank line that is left at the end, and lines that are there twice, are the
            // change's, not the reading's.
            .filter(|kind| **kind != Kind::Duplicates || !has_lines_twice(&after))
            .find(|kind| **kind != Kind::EmptyLine);
        assert_eq!(remarked, None, "{}", said());
        if came.warnings.is_empty() {
            let mut strict = apply(
                &diff,
                before,
                &Rules {
                    strict: true,
                    ..Rules::default()
                },
            );
            if way.contains(&"-U0") {
                strict.files.as_mut().map(without_cr).unwrap();
            }
            assert_eq!(strict.files.as_ref(), Ok(&after), "strictly, {}", said());
        }
    }
}

/// Returns whether lines of a file are there again right behind themselves.
fn has_lines_twice(files: &Files) -> bool {
    let is_doubled = |(content, _): &(Vec<u8>, bool)| {
        let lines: Vec<_> = bstr::ByteSlice::lines(&content[..]).collect();
        (1..=lines.len() / 2).any(|len| {
            let mut pairs = lines.windows(2 * len);
            pairs.any(|pair| pair[..len] == pair[len..])
        })
    };
    files.values().any(is_doubled)
}

fn without_cr(files: &mut Files) {
    files
        .values_mut()
        .for_each(|(content, _)| *content = bstr::ByteSlice::replace(&content[..], "\r\n", "\n"));
}

/// A mishap of a base: a line that is lost, doubled, changed or strayed in.
fn spoiled(files: &Files, which: prop::sample::Index, at: prop::sample::Index, how: u8) -> Files {
    let mut files = files.clone();
    if files.is_empty() {
        return files;
    }
    let which = which.index(files.len());
    let (content, _) = files.values_mut().nth(which).unwrap();
    let mut lines: Vec<Vec<u8>> = content
        .split_inclusive(|&byte| byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    let at = at.index(lines.len() + 1);
    match how {
        0 if at < lines.len() => drop(lines.remove(at)),
        1 if at < lines.len() => lines.insert(at, lines[at].clone()),
        2 if at < lines.len() => lines[at] = b"changed\n".to_vec(),
        3 => drop(lines.splice(0..0, [b"1\n".to_vec(), b"2\n".to_vec()])),
        _ => lines.insert(at.min(lines.len()), b"strayed\n".to_vec()),
    }
    *content = lines.concat();
    files
}

/// What may be around a diff in a response.
const PROSE: [&str; 14] = [
    "",
    "",
    "That is all.",
    "- like this",
    "+ also adds a test",
    "* like that",
    "# A heading",
    "-- ",
    "2.47.3",
    "---",
    "> quoted",
    "  indented",
    "}",
    "1. first",
];

fn prose() -> impl Strategy<Value = String> {
    let line = prop::sample::select(&PROSE[..]).prop_map(|line| format!("{line}\n"));
    prop::collection::vec(line, 0..6).prop_map(|lines| lines.concat())
}

/// Makes the numbers of hunks' headers others: counts, but for those of no line, by so much each,
/// and the places by less.
fn misnumbered(diff: &[u8], off: &[i32]) -> Vec<u8> {
    let mut off = off.iter().copied().cycle();
    let mut other = |range: &str, by: i32| {
        let (start, count) = range.split_once(',').unwrap_or((range, "1"));
        let [start, count]: [i32; 2] = [start, count].map(|number| number.parse().unwrap());
        let more = if count > 0 { off.next().unwrap() } else { 0 };
        format!("{},{}", start + by, (count + more).max(count.min(1)))
    };
    let mut hunks = 0;
    let lines = diff.split_inclusive(|&byte| byte == b'\n').map(|line| {
        let Some(header) = line.strip_prefix(b"@@ -") else {
            return line.to_vec();
        };
        let header = std::str::from_utf8(header).unwrap();
        let (old, rest) = header.split_once(" +").unwrap();
        let (new, rest) = rest.split_once(" @@").unwrap();
        hunks += 1;
        // Hunks without old lines have nothing but the place.
        let by = i32::from(hunks % 3 == 0 && !old.ends_with(",0"));
        format!("@@ -{} +{} @@{rest}", other(old, by), other(new, by)).into_bytes()
    });
    lines.collect::<Vec<_>>().concat()
}

/// Lines that may be in a hunk, and lines that end one.
const LINES: [&str; 17] = [
    " a",
    " b",
    " c",
    " a",
    "-a",
    "-b",
    "+x",
    "+y",
    "",
    "",
    " ",
    "-- old",
    "++ new",
    "--- a/f\n+++ b/f",
    "- item",
    "text",
    "\\ No newline at end of file",
];

fn hunk_line() -> impl Strategy<Value = String> {
    prop::sample::select(&LINES[..]).prop_map(|line| format!("{line}\n"))
}

/// Returns what a file holds where a hunk is, before or after it.
fn side(lines: &[String], mark: char) -> String {
    let lines = lines.iter().flat_map(|line| line.split_inclusive('\n'));
    lines
        .filter_map(|line| match line.chars().next() {
            Some(first) if first == mark || first == ' ' => Some(&line[1..]),
            Some('\n') => Some(line),
            _ => None,
        })
        .collect()
}

/// Returns where the lines of a text begin that have a hunk's prefix and more than whitespace, the
/// names of files above a hunk aside.
fn prefixed(text: &str) -> impl Iterator<Item = usize> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_prefixed = move |at: usize| {
        let is = |at: usize, start: &str| lines.get(at).is_some_and(|line| line.starts_with(start));
        let names = |at: usize| is(at, "--- ") && is(at + 1, "+++ ") && is(at + 2, "@@ ");
        let is_line = [" ", "-", "+"].iter().any(|prefix| is(at, prefix));
        let is_name = names(at) || at > 0 && names(at - 1);
        let len: usize = lines.iter().take(at).map(|line| line.len()).sum();
        (is_line && !is_name && !lines[at].trim().is_empty()).then_some(len)
    };
    (0..text.lines().count()).filter_map(is_prefixed)
}

/// Returns whether a line of a hunk begins at a place in the response.
fn in_a_hunk(patch: &llmpatch::patch::Patch<'_>, at: usize) -> bool {
    let lines = patch.edits.iter().flat_map(|edit| match &edit.operation {
        llmpatch::patch::Operation::Update { hunks, .. } => &hunks[..],
        _ => &[],
    });
    let mut lines = lines.flat_map(|hunk| &hunk.lines);
    lines.any(|line| {
        line.text
            .span
            .is_some_and(|span| span.start as usize == at + 1)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: few(40), max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_git_prints_is_read_as_git_means_it((before, after) in scene()) {
        check(&Scene::new(&before, &after), &before, &after);
    }

    /// On files that aren't the ones that a diff was made from, git and we either make the same of
    /// it, or one refuses: we where several places fit, git where the context at an end of a file
    /// is shorter than at the other end of a hunk.
    #[test]
    fn on_other_files_git_and_we_agree_or_one_refuses(
        (before, after) in scene(),
        which in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        how in 0..5u8,
        context in 1..4u8,
    ) {
        let scene = Scene::new(&before, &after);
        let diff = scene.git(&["diff", "--cached", &format!("-U{context}"), "-M"]);
        prop_assume!(!diff.is_empty() && !is_binary(&diff));
        let other = spoiled(&before, which, at, how);
        scene.write(&other);
        let ours = apply(&diff, &other, &Rules::default());
        std::fs::write(scene.directory.path().join(".git/patch"), &diff).unwrap();
        let accepts = scene.accepts(&["apply", "--index", "--whitespace=nowarn", ".git/patch"]);
        let theirs = scene.held();
        let said = || format!("{}\n{}", shown(&diff), other.iter().map(|(name, (content, _))| {
            format!("{}: {}\n", name.escape_ascii(), content.escape_ascii())
        }).collect::<String>());
        match (&ours.files, accepts) {
            (Ok(files), true) => prop_assert_eq!(files, &theirs, "{}", said()),
            (Ok(files), false) => {
                // git takes a hunk without context behind it for one at the file's end, and one at
                // line 1 for one at its start, unless it is told that there may be no context: then
                // it must make of it what we do.
                let moved = [Kind::HunkMoved, Kind::AdditionPlace].iter().any(|kind| ours.warnings.contains(kind));
                if !moved {
                    let patch = ["apply", "--index", "--whitespace=nowarn", "--unidiff-zero", ".git/patch"];
                    prop_assert!(scene.accepts(&patch), "git refuses, we don't: {}", said());
                    prop_assert_eq!(files, &scene.held(), "{}", said());
                }
            }
            (Err(why), true) => {
                // git also looks before a hunk that it has moved; we only look behind it.
                let is_behind = |kind: &Kind| *kind == Kind::LinesNotFound && ours.warnings.contains(&Kind::HunkMoved);
                let known = why.iter().all(|kind| *kind == Kind::Ambiguous || is_behind(kind));
                prop_assert!(known, "we refuse, git doesn't: {why:?}\n{}", said());
            }
            (Err(_), false) => {}
        }
    }

    /// Whatever the headers of hunks count, their lines make the tree that git makes of them.
    #[test]
    fn what_git_recounts_is_what_we_recount(
        (before, after) in scene(),
        context in 0..4u8,
        off in prop::collection::vec(-4..9, 7),
    ) {
        let scene = Scene::new(&before, &after);
        let diff = scene.git(&["-c", "core.quotePath=false", "diff", "--cached", &format!("-U{context}"), "-M"]);
        prop_assume!(!diff.is_empty() && !is_binary(&diff) && std::str::from_utf8(&diff).is_ok());
        let diff = misnumbered(&diff, &off);
        let recount = Options { recount: true, ..Options::default() };
        let mut ours = apply_with(&diff, &before, &Rules::default(), &recount);
        scene.write(&before);
        std::fs::write(scene.directory.path().join(".git/patch"), &diff).unwrap();
        let zero = if context == 0 { &["--unidiff-zero"][..] } else { &[] };
        let patch = [&["apply", "--index", "--whitespace=nowarn", "--recount"], zero, &[".git/patch"]];
        let accepts = scene.accepts(&patch.concat());
        let mut theirs = scene.held();
        if context == 0 {
            ours.files.as_mut().map(without_cr).unwrap_or(());
            without_cr(&mut theirs);
        }
        match ours.files {
            Ok(files) if accepts => prop_assert_eq!(files, theirs, "{}", shown(&diff)),
            Ok(_) => prop_assert!(ours.warnings.contains(&Kind::HunkMoved), "{}", shown(&diff)),
            Err(why) => prop_assert!(
                !accepts || why.iter().all(|kind| matches!(kind, Kind::Ambiguous | Kind::LinesNotFound)),
                "{why:?}\n{}", shown(&diff)
            ),
        }
        prop_assert!(!ours.warnings.contains(&Kind::Recounted), "{}", shown(&diff));
    }

    /// In a fence, which says where a diff ends, hunks are recounted where their counts can't be right.
    #[test]
    fn in_a_fence_what_git_recounts_is_what_we_make_of_wrong_counts(
        (before, after) in scene(),
        context in 1..4u8,
        off in prop::collection::vec(-4..9, 7),
        is_suppressed in any::<bool>(),
    ) {
        let scene = Scene::new(&before, &after);
        let suppress = format!("diff.suppressBlankEmpty={is_suppressed}");
        let diff = scene.git(&["-c", "core.quotePath=false", "-c", &suppress, "diff", "--cached", &format!("-U{context}"), "-M"]);
        prop_assume!(!diff.is_empty() && !is_binary(&diff) && std::str::from_utf8(&diff).is_ok());
        let diff = misnumbered(&diff, &off);
        let fence = "`".repeat(20);
        let fenced = [format!("{fence}diff\n").as_bytes(), &diff, fence.as_bytes(), b"\n"].concat();
        let ours = apply(&fenced, &before, &Rules::default());
        scene.write(&before);
        std::fs::write(scene.directory.path().join(".git/patch"), &diff).unwrap();
        let patch = ["apply", "--index", "--whitespace=nowarn", "--recount", ".git/patch"];
        let accepts = scene.accepts(&patch);
        match ours.files {
            Ok(files) if accepts => prop_assert_eq!(files, scene.held(), "{}", shown(&diff)),
            Ok(_) => prop_assert!(ours.warnings.contains(&Kind::HunkMoved), "{}", shown(&diff)),
            Err(why) => prop_assert!(
                !accepts || why.iter().all(|kind| matches!(kind, Kind::Ambiguous | Kind::LinesNotFound)),
                "{why:?}\n{}", shown(&diff)
            ),
        }
    }

    /// No line with a prefix in a fence is left out: it is in a hunk, or the response is refused. Where
    /// git takes the lines, too, it makes the same of them.
    #[test]
    fn no_line_with_a_prefix_in_a_fence_is_left_out(
        hunks in prop::collection::vec((0..5u32, 0..5u32, prop::collection::vec(hunk_line(), 1..9)), 1..4),
        is_closed in any::<bool>(),
    ) {
        let mut diff = "--- a/f\n+++ b/f\n".to_owned();
        let [mut file, mut made] = [const { String::new() }; 2];
        for (old, new, lines) in &hunks {
            let [from, to] = [&file, &made].map(|file| file.lines().count() + 1);
            diff += &format!("@@ -{from},{old} +{to},{new} @@\n{}", lines.concat());
            file += &side(lines, '-');
            made += &side(lines, '+');
        }
        let before = files(&[("f", file.as_bytes())]);
        let text = format!("```diff\n{diff}{}", if is_closed { "```\n" } else { "" });
        let source = Source::new(SourceId(0), "git.diff", text.as_bytes().into()).unwrap();
        let parsed = response::parse(&source, &Options::default());
        prop_assume!(parsed.errors.is_empty());
        let left_out = prefixed(&text).filter(|at| !in_a_hunk(&parsed.patch, *at));
        prop_assert_eq!(left_out.count(), 0, "{}\n{:?}", text, parsed.patch);
        let Ok(ours) = apply(text.as_bytes(), &before, &Rules::default()).files else { return Ok(()) };
        // git doesn't recount above text, only above `diff --git` sees that names are a header, and
        // takes blank lines at the end in.
        let is_recounted = !diff.contains("text") && diff.matches("--- ").count() == 1
            && hunks.iter().all(|(.., lines)| lines.last().is_none_or(|line| !line.trim().is_empty()));
        let scene = Scene::new(&before, &before);
        std::fs::write(scene.directory.path().join(".git/patch"), &diff).unwrap();
        if is_recounted && scene.accepts(&["apply", "--index", "--whitespace=nowarn", "--recount", ".git/patch"]) {
            prop_assert_eq!(ours, scene.held(), "{}", text);
        }
    }

    /// Without numbers hunks make the change that they made with them, or several places fit.
    #[test]
    fn numbers_may_be_missing((before, after) in scene(), context in 1..4u8) {
        let scene = Scene::new(&before, &after);
        let diff = scene.git(&["diff", "--cached", &format!("-U{context}"), "-M"]);
        prop_assume!(!diff.is_empty() && !is_binary(&diff));
        let lines = diff.split_inclusive(|&byte| byte == b'\n');
        let bare = lines.map(|line| if line.starts_with(b"@@ -") { b"@@ ... @@\n" } else { line });
        let diff = bare.collect::<Vec<_>>().concat();
        let ours = apply(&diff, &before, &Rules::default());
        match ours.files {
            Ok(files) => prop_assert_eq!(files, after, "{}", shown(&diff)),
            Err(why) => prop_assert_eq!(why, [Kind::Ambiguous].into(), "{}", shown(&diff)),
        }
    }

    /// Where blanks at line ends differ, a level makes the same change but for these, or refuses;
    /// unless another place has the lines without a level.
    #[test]
    fn levels_change_what_is_changed_without_them(
        (before, after) in scene(),
        context in 1..4u8,
        spaced in prop::collection::vec(any::<bool>(), 7),
    ) {
        let scene = Scene::new(&before, &after);
        let diff = scene.git(&["diff", "--cached", &format!("-U{context}"), "-M"]);
        prop_assume!(!diff.is_empty() && !is_binary(&diff));
        let mut other = before.clone();
        let mut spaced = spaced.into_iter().cycle();
        for (content, _) in other.values_mut() {
            let lines = content.split_inclusive(|&byte| byte == b'\n');
            let lines = lines.map(|line| match (spaced.next(), line.strip_suffix(b"\n")) {
                (Some(true), Some(line)) if !line.ends_with(b"\r") => [line, b" \n"].concat(),
                _ => line.to_vec(),
            });
            *content = lines.collect::<Vec<_>>().concat();
        }
        let ours = apply(&diff, &other, &Rules { fuzz: Fuzz::Trailing, ..Rules::default() });
        let bare = |files: Files| -> Files {
            files.into_iter().map(|(name, (content, mode))| {
                let mut lines: Vec<_> = content.split(|&byte| byte == b'\n').map(|line| line.trim_ascii_end().to_vec()).collect();
                lines.iter_mut().for_each(|line| line.push(b'\n'));
                (name, (lines.concat(), mode))
            }).collect()
        };
        match ours.files {
            Ok(_) if ours.warnings.contains(&Kind::HunkMoved) => {}
            Ok(files) => prop_assert_eq!(bare(files), bare(after), "{}", shown(&diff)),
            Err(why) => {
                let known = [Kind::Ambiguous, Kind::Stale, Kind::LinesNotFound];
                prop_assert!(why.iter().all(|kind| known.contains(kind)), "{why:?}\n{}", shown(&diff));
            }
        }
    }

    /// Names lose as many directories as git takes off them, whatever is before them.
    #[test]
    fn what_git_strips_is_what_we_strip(
        (before, after) in scene(),
        directories in 0..4usize,
        strip in 0..5u32,
    ) {
        let scene = Scene::new(&before, &after);
        let [old, new] = ["o/", "n/"].map(|letter| letter.repeat(directories));
        let prefixes = [format!("--src-prefix={old}"), format!("--dst-prefix={new}")];
        let renames = if directories == 1 { "-M" } else { "--no-renames" };
        let diff = scene.git(&["diff", "--cached", renames, &prefixes[0], &prefixes[1]]);
        prop_assume!(!diff.is_empty() && !is_binary(&diff));
        let stripped = Options { strip: Some(strip), ..Options::default() };
        let ours = apply_with(&diff, &before, &Rules::default(), &stripped);
        scene.write(&before);
        std::fs::write(scene.directory.path().join(".git/patch"), &diff).unwrap();
        let patch = ["apply", "--index", "--whitespace=nowarn", &format!("-p{strip}"), ".git/patch"];
        let theirs = scene.accepts(&patch).then(|| scene.held());
        prop_assert_eq!(ours.files.as_ref().ok(), theirs.as_ref(), "-p{} {:?}\n{}", strip, ours.files, shown(&diff));
        prop_assert!(theirs.is_some() || strip != directories as u32, "{}", shown(&diff));
    }

    /// What git takes makes the same tree, whatever prose is around it. Only lines that follow on a
    /// hunk at once, with no empty line between, may be refused, or taken in with a warning.
    #[test]
    fn prose_around_a_diff_is_none_of_it(
        (before, after) in scene(),
        context in 1..4u8,
        above in prose(),
        behind in prop::collection::vec((any::<bool>(), prose()), 8),
        fenced in any::<bool>(),
    ) {
        let scene = Scene::new(&before, &after);
        let diff = scene.git(&["diff", "--cached", &format!("-U{context}"), "-M"]);
        prop_assume!(!diff.is_empty() && !is_binary(&diff));
        let starts = bstr::ByteSlice::find_iter(&diff[..], "diff --git a/").filter(|&at| at == 0 || diff[at - 1] == b'\n');
        let starts: Vec<_> = starts.chain([diff.len()]).collect();
        let mut text = above.into_bytes();
        let mut at_once = false;
        if fenced {
            text.extend([b"```diff\n", &diff[..], b"```\n", behind[0].1.as_bytes()].concat());
        } else {
            for (section, (gap, prose)) in starts.windows(2).zip(behind.iter().cycle()) {
                text.extend_from_slice(&diff[section[0]..section[1]]);
                text.extend_from_slice(if *gap { b"\n" } else { b"" });
                text.extend_from_slice(prose.as_bytes());
                at_once |= !gap && prose.starts_with([' ', '-', '+']);
            }
        }
        let ours = apply(&text, &before, &Rules::default());
        scene.write(&before);
        std::fs::write(scene.directory.path().join(".git/patch"), &text).unwrap();
        let patch = ["apply", "--index", "--whitespace=nowarn", ".git/patch"];
        prop_assume!(scene.accepts(&patch));
        let theirs = scene.held();
        let is_taken_in = ours.warnings.contains(&Kind::Recounted);
        prop_assert!(at_once || !is_taken_in, "{}", shown(&text));
        match ours.files {
            _ if is_taken_in => {}
            Ok(files) => prop_assert_eq!(files, theirs, "{}", shown(&text)),
            Err(why) => prop_assert!(at_once, "{why:?}\n{}", shown(&text)),
        }
    }
}
