//! What git prints, read and planned by us, makes the change that git would make of it.

use std::collections::BTreeSet;

use llmpatch::diagnose::Diagnose as _;
use llmpatch::format::{self, Options};
use llmpatch::kind::Kind;
use llmpatch::path::Resolver;
use llmpatch::plan::{self, Lints, Rules, Verdict};
use llmpatch::text::{Source, SourceId};
use llmpatch::tree::{Entry, MemoryTree};

use super::*;

/// What came of a diff: the files, or why not, and what was remarked.
struct Came {
    files: Result<Files, BTreeSet<Kind>>,
    warnings: BTreeSet<Kind>,
}

fn apply(diff: &[u8], before: &Files, rules: &Rules) -> Came {
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
    let parsed = format::parse(
        &source,
        &Options {
            strict: rules.strict,
            ..Options::default()
        },
    );
    let kinds = |warnings: &[llmpatch::text::Located<format::Warning>]| -> BTreeSet<Kind> {
        warnings
            .iter()
            .map(|warning| warning.value.diagnosis().kind)
            .collect()
    };
    let mut warnings = kinds(&parsed.warnings);
    if !parsed.errors.is_empty() {
        let faults = parsed
            .errors
            .iter()
            .map(|fault| fault.value.diagnosis().kind)
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
                    .map(|warning| warning.value.diagnosis().kind),
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
        let mut came = apply(&diff, before, &unlinted());
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
            .find(|kind| **kind != Kind::AdditionPlace || !way.contains(&"-U0"));
        assert_eq!(remarked, None, "{}", said());
        if came.warnings.is_empty() {
            let mut strict = apply(
                &diff,
                before,
                &Rules {
                    strict: true,
                    ..unlinted()
                },
            );
            if way.contains(&"-U0") {
                strict.files.as_mut().map(without_cr).unwrap();
            }
            assert_eq!(strict.files.as_ref(), Ok(&after), "strictly, {}", said());
        }
    }
}

/// What is remarked of a change as such, that it empties a file for one, isn't looked for here.
fn unlinted() -> Rules {
    let lints = Lints::ALL.iter().fold(Lints::default(), |lints, &lint| {
        lints.with(lint, Verdict::Ignore)
    });
    Rules {
        lints,
        ..Rules::default()
    }
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

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
        let ours = apply(&text, &before, &unlinted());
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
