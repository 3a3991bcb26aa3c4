//! Laws that hold whatever the response and the files are.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod laws;
#[cfg(unix)]
#[path = "properties/program.rs"]
mod program;
#[cfg(unix)]
#[path = "properties/shell.rs"]
mod shell;
mod support;

use git_llmpatch::repo::{Differ, Side};
use llmpatch::Fuzz;
use llmpatch::format::Options;
use llmpatch::kind::Kind;
use llmpatch::path::{RepoPath, Resolver};
use llmpatch::plan::{self, Change, ChangeSet, Placing, Plan, Refusal, Rules, Warning};
use llmpatch::response;
use llmpatch::text::{Content, Source, SourceId, Splice};
use llmpatch::tree::{File, MemoryTree, Mode};
use proptest::prelude::*;
use similar::{ChangeTag, TextDiff};
use support::{Repo, few};

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases: few(cases),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn plan(response: &str, tree: &MemoryTree) -> Result<Plan, Option<Refusal>> {
    let source = Source::new(SourceId(0), "answer.txt", response.into()).unwrap();
    let parsed = response::parse(&source, &Options::default());
    let planned = plan::plan(
        &[parsed.patch],
        tree,
        &Resolver::default(),
        &Rules::default(),
    );
    if parsed.errors.is_empty() {
        planned.map_err(Some)
    } else {
        Err(None)
    }
}

/// Writes the difference of two texts as an envelope, with so many lines around each change.
fn envelope(path: &str, before: &str, after: &str, context: usize) -> String {
    let diff = TextDiff::from_lines(before, after);
    let mut patch = format!("*** Begin Patch\n*** Update File: {path}\n");
    for group in diff.grouped_ops(context) {
        patch += "@@\n";
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let mark = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            patch += &format!("{mark}{}\n", change.value().trim_end_matches('\n'));
        }
    }
    patch + "*** End Patch\n"
}

/// Writes an OPX edit that puts one whole text in place of another.
fn opx(path: &str, before: &str, after: &str) -> String {
    let block = |text: &str| format!("<<<\n{text}>>>\n");
    format!(
        "<edit file=\"{path}\" op=\"patch\">\n<find>\n{}</find>\n<put>\n{}</put>\n</edit>\n",
        block(before),
        block(after)
    )
}

fn word() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("alpha"),
        Just("beta"),
        Just("  gamma()"),
        Just(""),
        Just("}"),
        Just("-- delta"),
        Just("+ε"),
        Just("*** x")
    ]
}

/// Lines that are all different, so that every place is unmistakable.
fn numbered() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(word(), 1..40).prop_map(|words| {
        words
            .iter()
            .enumerate()
            .map(|(at, word)| format!("{at} {word}\n"))
            .collect()
    })
}

/// A change of some lines: each is kept, dropped, replaced, or gets company.
fn edited(lines: Vec<String>) -> impl Strategy<Value = (String, String)> {
    let count = lines.len();
    (
        proptest::collection::vec((0..12u8, word()), count),
        Just(lines),
    )
        .prop_map(|(edits, lines)| {
            let after = lines
                .iter()
                .zip(edits)
                .map(|(line, (edit, word))| match edit {
                    0 => String::new(),
                    1 => format!("new {word}\n"),
                    2 => format!("{line}also {word}\n"),
                    _ => line.clone(),
                });
            (lines.concat(), after.collect())
        })
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn a_difference_of_two_texts_turns_one_into_the_other(
        (before, after) in numbered().prop_flat_map(edited),
        context in 1..4usize,
        crlf in any::<bool>(),
    ) {
        prop_assume!(before != after);
        let response = envelope("f", &before, &after, context);
        let (response, want, base) = match crlf {
            // The response's line ends and the file's are two different things.
            true => (response, after.replace('\n', "\r\n"), before.replace('\n', "\r\n")),
            false => (response.replace('\n', "\r\n"), after, before),
        };
        let planned = plan(&response, &MemoryTree::new().with("f", base)).unwrap();
        prop_assert!(planned.warnings.is_empty(), "{:?}", planned.warnings);
        let change = planned.changes.get(&RepoPath::new(b"f").unwrap()).unwrap();
        prop_assert_eq!(&String::from_utf8_lossy(&change.after.as_ref().unwrap().content), &want);
    }

    #[test]
    fn a_patch_on_the_wrong_tree_is_refused(
        (before, after) in numbered().prop_flat_map(edited),
        gone in any::<proptest::sample::Index>(),
    ) {
        prop_assume!(before != after);
        let mut lines: Vec<_> = before.lines().collect();
        let gone = gone.index(lines.len());
        lines[gone] = "something else";
        let other: String = lines.iter().map(|line| format!("{line}\n")).collect();
        // With every line of the file in it, the patch must see any difference.
        let response = envelope("f", &before, &after, 100);
        let refusal = plan(&response, &MemoryTree::new().with("f", other)).unwrap_err().unwrap();
        prop_assert_eq!(refusal.errors.len(), 1);
    }

    #[test]
    fn planning_never_panics(
        response in proptest::collection::vec(prop_oneof![
            Just("*** Begin Patch\n"), Just("*** End Patch\n"), Just("*** Update File: f\n"), Just("*** Update File: d/g\n"),
            Just("*** Add File: f/x\n"), Just("*** Add File: d\n"), Just("*** Delete File: f\n"), Just("*** Move to: d/g\n"),
            Just("*** End of File\n"), Just("@@\n"), Just("@@ a\n"), Just("@@ -1 +1 @@\n"), Just(" a\n"), Just("-a\n"),
            Just("+b\n"), Just("-b\n"), Just("\n"), Just("+\n"), Just("-\n"),
        ], 0..40),
        file in "[ab\r\n]{0,12}",
    ) {
        let response = response.concat();
        let _ = plan(&response, &MemoryTree::new().with("f", file).with("d/g", "a\nb\na\n"));
    }
}

/// Writes hunks for a file, with their numbers or without; each added line is like no other.
fn hunks(hunks: &[(usize, Vec<&str>)], has_numbers: bool) -> String {
    let mut response = if has_numbers {
        "--- a/f\n+++ b/f\n"
    } else {
        "*** Begin Patch\n*** Update File: f\n"
    }
    .to_owned();
    for (nth, (start, lines)) in hunks.iter().enumerate() {
        let old = lines.iter().filter(|line| **line != "+").count();
        let new = lines.iter().filter(|line| !line.starts_with('-')).count();
        response += &if has_numbers {
            format!("@@ -{0},{old} +{0},{new} @@\n", start.max(&old.min(1)))
        } else {
            "@@\n".into()
        };
        for (at, line) in lines.iter().enumerate() {
            response += &if *line == "+" {
                format!("+{nth}.{at}\n")
            } else {
                format!("{line}\n")
            };
        }
    }
    response + if has_numbers { "" } else { "*** End Patch\n" }
}

proptest! {
    #![proptest_config(config(1000))]

    /// However hunks are ordered and wherever they stand: what they add is there, and only what
    /// they remove is gone.
    #[test]
    fn hunks_lose_no_line(
        file in proptest::collection::vec(prop::sample::select(&["a", "b"][..]), 0..5),
        parts in proptest::collection::vec(
            (0..4usize, proptest::collection::vec(prop::sample::select(&[" a", " b", "-a", "-b", "+", "+"][..]), 1..4)),
            1..4,
        ),
        has_numbers in any::<bool>(),
    ) {
        let before: String = file.iter().map(|line| format!("{line}\n")).collect();
        let response = hunks(&parts, has_numbers);
        let Ok(planned) = plan(&response, &MemoryTree::new().with("f", before)) else { return Ok(()) };
        let mut want: Vec<String> = file.iter().map(ToString::to_string).collect();
        for line in response.lines().skip(2) {
            match line.split_at(1) {
                ("+", added) => want.push(added.into()),
                ("-", removed) => drop(want.swap_remove(want.iter().position(|line| line == removed).unwrap())),
                _ => {}
            }
        }
        let change = planned.changes.get(&RepoPath::new(b"f").unwrap()).unwrap();
        let after = String::from_utf8_lossy(&change.after.as_ref().unwrap().content).into_owned();
        let mut got: Vec<_> = after.lines().collect();
        got.sort_unstable();
        want.sort_unstable();
        prop_assert_eq!(got, want, "{}", response);
    }
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn our_diff_through_git_is_our_apply(
        (before, after) in numbered().prop_flat_map(edited),
        ending in prop_oneof![Just(""), Just("last, without a newline")],
        as_opx in any::<bool>(),
    ) {
        prop_assume!(before != after && !before.is_empty() && !after.is_empty());
        let response = if as_opx { opx("f", &before, &after) } else { envelope("f", &before, &after, 3) };
        let [ours, theirs] = [(); 2].map(|()| Repo::with(&[("f", &format!("{before}{ending}"))]));
        ours.run(&["apply"], &response).succeeded();
        let diff = theirs.run(&["diff"], &response).succeeded();
        theirs.git_with_input(&["apply", "--index", "--whitespace=nowarn"], &diff.stdout_bytes);
        prop_assert_eq!(ours.files(), theirs.files());
        prop_assert_eq!(ours.git(&["diff"]), theirs.git(&["diff", "--cached"]), "git sees the same change");
        prop_assert_eq!(diff.stdout, theirs.git(&["diff", "--cached"]), "and prints it as we do");
    }
}

/// Lines of a file that repeats itself, and lines that look like a part of a patch.
fn odd_line() -> impl Strategy<Value = &'static str> {
    let plain = prop::sample::select(&["a", "b", "  c", "", "fn f() {", "}", "x = 1", "\t"][..]);
    let markup = [
        ">>>",
        "<<<",
        "</put>",
        "</find>",
        "</edit>",
        "<put>",
        "<find>",
        "<put><<<",
        ">>></put>",
        "*** End Patch",
        "*** Begin Patch",
        "*** End of File",
        "@@ a",
        "@@ -1 +1 @@",
        "+a",
        "-b",
        " c",
        "-- a/f",
        "++ b/f",
        "<edit file=\"f\" op=\"new\">",
        "\\ No newline",
        "<opx>",
        "a\r",
        "\u{feff}a",
        "    ",
        "é",
    ];
    prop_oneof![6 => plain, 1 => prop::sample::select(markup.to_vec())]
}

/// A file and what becomes of it: some lines go, others come.
fn oddly_edited() -> impl Strategy<Value = (String, String)> {
    let line = (odd_line(), 0..8u8, odd_line());
    let ends = (0..8u8, 0..8u8);
    (prop::collection::vec(line, 0..30), ends).prop_map(|(lines, (old_end, new_end))| {
        let (mut before, mut after) = (String::new(), String::new());
        for (line, fate, other) in lines {
            let mut put = |old: Option<&str>, new: Option<&str>| {
                for (text, side) in [(old, &mut before), (new, &mut after)] {
                    side.extend(text.map(|text| format!("{text}\n")));
                }
            };
            match fate {
                0 => put(Some(line), None),
                1 => put(None, Some(line)),
                2 => put(Some(line), Some(other)),
                _ => put(Some(line), Some(line)),
            }
        }
        for (end, side) in [(old_end, &mut before), (new_end, &mut after)] {
            if end == 0 {
                side.pop();
            }
        }
        (before, after)
    })
}

proptest! {
    #![proptest_config(config(1000))]

    /// Any change can be written as an envelope and as OPX that is read as this very change, or it
    /// has something about it that the format can't say.
    #[test]
    fn a_change_is_said_in_both_formats((before, after) in oddly_edited(), context in 0..6u8) {
        laws::derive(&[before.as_bytes(), b"\0", after.as_bytes(), b"\0", &[context]].concat());
    }
}

/// A line of a section: how far behind the one before it, how many lines around it are shown, how
/// many go, and what comes.
type Drawn = (usize, usize, usize, Vec<&'static str>);

/// Writes a section that changes lines of a file, as an envelope's or a diff's.
fn section(state: &str, drawn: &[Drawn], off: isize, is_diff: bool) -> String {
    let lines: Vec<&str> = state.trim_start_matches('\u{feff}').lines().collect();
    let mut section = if is_diff {
        "--- a/f\n+++ b/f\n".to_owned()
    } else {
        "*** Update File: f\n".to_owned()
    };
    let (mut at, mut shift) = (0, 0);
    for (skip, context, gone, come) in drawn {
        let start = (at + skip).min(lines.len());
        let gone_from = (start + context).min(lines.len());
        let gone_to = (gone_from + gone).min(lines.len());
        at = (gone_to + context).min(lines.len());
        let (old, new) = (at - start, at - start - (gone_to - gone_from) + come.len());
        if old + new == 0 {
            continue;
        }
        let number = (start as isize + off).max(0) as usize;
        let of = |start: usize, count: usize| format!("{},{count}", start + usize::from(count > 0));
        section += &if is_diff {
            format!(
                "@@ -{} +{} @@\n",
                of(number, old),
                of((number as isize + shift).max(0) as usize, new)
            )
        } else {
            "@@\n".to_owned()
        };
        shift += new as isize - old as isize;
        let run = |mark: char, lines: &[&str]| {
            lines
                .iter()
                .map(|line| format!("{mark}{line}\n"))
                .collect::<String>()
        };
        section += &(run(' ', &lines[start..gone_from]) + &run('-', &lines[gone_from..gone_to]));
        section += &(run('+', come) + &run(' ', &lines[gone_to..at]));
    }
    section
}

/// Returns whether two warnings say the same of a place, the first of a section of several and the
/// second of one by itself. Of the file as it was before a response, which the second takes for the
/// one that the first leaves, only the first knows more: that it has grown, so that a hunk is less
/// far from its number.
fn is_same(of_several: &Warning, alone: &Warning) -> bool {
    let placed = |warning: &Warning| match warning {
        Warning::Placed {
            path,
            part,
            how:
                Placing::Moved {
                    claimed,
                    at,
                    is_far,
                },
        } => Some((path.clone(), *part, *claimed, *at, *is_far)),
        _ => None,
    };
    match (placed(of_several), placed(alone)) {
        (Some(one), Some(other)) => {
            (&one.0, one.1, one.2, one.3) == (&other.0, other.1, other.2, other.3)
                && one.4 <= other.4
        }
        _ => of_several == alone,
    }
}

/// Returns whether a warning is of what only a response of several sections can have: a number that
/// meant another line before it.
fn is_of_several(warning: &Warning) -> bool {
    matches!(
        warning,
        Warning::Placed {
            how: Placing::Shifted { .. },
            ..
        }
    )
}

proptest! {
    #![proptest_config(config(1500))]

    /// Sections of one file do together what each does to what those before it left.
    #[test]
    fn sections_of_one_file_are_one_after_the_other(
        lines in prop::collection::vec((prop::sample::select(vec!["a", "b", "}", ""]), prop::sample::select(vec!["\n", "\n", "\r\n"])), 0..14),
        (bom, open, is_diff) in any::<(bool, bool, bool)>(),
        sections in prop::collection::vec((prop::collection::vec((0_usize..4, 0_usize..3, 0_usize..3, prop::collection::vec(prop::sample::select(vec!["a", "x", "}", ""]), 0..3)), 1..3), -1_isize..3), 1..7),
        fuzz in prop::sample::select(vec![Fuzz::Exact, Fuzz::Indent]),
    ) {
        let rules = Rules { allow_empty: true, fuzz, ..Rules::default() };
        let is_there = std::cell::Cell::new(false);
        let wrapped = |sections: &str| if is_diff { sections.to_owned() } else { format!("*** Begin Patch\n{sections}*** End Patch\n") };
        let planned = |response: &str, state: &str| {
            let source = Source::new(SourceId(0), "answer.txt", response.into()).unwrap();
            let parsed = response::parse(&source, &Options::default());
            let plan = plan::plan(&[parsed.patch], &MemoryTree::new().with("f", state), &Resolver::default(), &rules).ok();
            // What was applied before has no place, nor has what is there already; that is said of a
            // response as a whole alone.
            let has_places = |plan: &Plan| !plan.placements.is_empty();
            is_there.set(plan.as_ref().is_some_and(|plan| !has_places(plan)));
            plan.filter(|plan| parsed.errors.is_empty() && has_places(plan)).map(|plan| {
                let now = plan.changes.iter().next().map(|change| change.after.as_ref().unwrap().content.to_vec());
                let warnings = plan.warnings.iter().map(|warning| warning.value.clone());
                let places = plan.placements.iter().map(|placed| (placed.number, placed.old, placed.new, placed.how.name()));
                let warnings: Vec<_> = warnings.collect();
                (now.map_or(state.to_owned(), |now| String::from_utf8(now).unwrap()), warnings, places.collect::<Vec<_>>())
            })
        };
        let mut state: String = lines.iter().flat_map(|(line, end)| [*line, end]).collect();
        if open { state = state.trim_end().to_owned(); }
        if bom { state.insert(0, '\u{feff}'); }
        let before = state.clone();
        let (mut all, mut warnings, mut places, mut is_whole) = (String::new(), Vec::new(), Vec::new(), true);
        for (drawn, off) in &sections {
            let section = section(&state, drawn, (*off).max(0), is_diff);
            if section.lines().count() < 3 { continue; }
            all += &section;
            let done = planned(&wrapped(&section), &state);
            if is_there.get() { return Ok(()); }
            let Some((now, warned, placed)) = done else { is_whole = false; break };
            prop_assert!(!warned.iter().any(is_of_several), "{warned:?}");
            state = now;
            warnings.extend(warned);
            places.extend(placed);
        }
        prop_assume!(!all.is_empty());
        let got = planned(&wrapped(&all), &before);
        let (got, said) = match got {
            Some((state, warnings, places)) => (Some((state, places)), warnings),
            None => (None, Vec::new()),
        };
        let want = is_whole.then_some((state, places));
        prop_assert_eq!(got, want, "{} on {:?}", wrapped(&all), before);
        let said: Vec<_> = said.into_iter().filter(|warning| !is_of_several(warning)).collect();
        let are_same = said.len() == warnings.len() && said.iter().zip(&warnings).all(|(one, other)| is_same(one, other));
        prop_assert!(!is_whole || are_same, "{} on {:?}: {said:?}, alone {warnings:?}", wrapped(&all), before);
    }
}

proptest! {
    #![proptest_config(config(1000))]

    /// What is known to have taken the place of what says which lines differ as a diff of the whole
    /// file does.
    #[test]
    fn a_diff_of_what_changed_is_the_diff_of_the_whole(
        kinds in prop::collection::vec(0_usize..5, 0..300),
        splices in prop::collection::vec((0_usize..30, 0_usize..100, prop::collection::vec(prop::sample::select(vec!["n", "new", "}\n", "\n", "x = 1\n", "u"]), 0..5), any::<bool>(), (0_usize..4, 0_usize..4)), 0..12),
        (open, often, is_plain) in any::<(bool, bool, bool)>(),
    ) {
        let line = |(nth, kind): (usize, &usize)| match kind {
            0 => "}\n".to_owned(),
            1 if often => "\n".to_owned(),
            2 if often => "}\n".to_owned(),
            _ => format!("line u{nth}\n"),
        };
        let mut base: String = kinds.iter().enumerate().map(line).collect();
        if open { base.pop(); }
        let (mut at, mut made, mut whole) = (0, Vec::new(), String::new());
        for (nth, (skip, gone, new, is_lines, restated)) in splices.iter().enumerate() {
            let [mut start, mut end] = [at + skip + usize::from(nth > 0), at + skip + 1 + gone];
            if *is_lines || is_plain {
                start = base.get(start..).and_then(|rest| rest.find('\n')).map_or(base.len() + 1, |at| start + at + 1);
                end = base.get(end.max(start)..).and_then(|rest| rest.find('\n')).map_or(base.len(), |at| end.max(start) + at + 1);
            }
            if end > base.len() || start > end { break; }
            let text = |(part, text): (usize, &&str)| match text {
                _ if is_plain => format!("new {nth} {part}\n"),
                text if text.len() < 4 && !text.ends_with('\n') => format!("{text}{nth}"),
                text => (*text).to_owned(),
            };
            let mut new: String = new.iter().enumerate().map(text).collect();
            if *is_lines && !is_plain && !new.is_empty() { new.push('\n'); }
            // Some say the lines around once more, as a find and its put do.
            let old: Vec<_> = base[start..end].split_inclusive('\n').collect();
            let head = restated.0.min(old.len());
            let tail = old.len() - restated.1.min(old.len() - head);
            new = [old[..head].concat(), new, old[tail..].concat()].concat();
            whole += &base[at..start];
            whole += &new;
            at = end;
            made.push(Splice { old: start..end, new: new.into_bytes() });
        }
        whole += &base[at.min(base.len())..];
        let before = Content::from(base.clone());
        let after = Content::spliced(before.clone(), made);
        prop_assert_eq!(&after[..], whole.as_bytes());
        let path = RepoPath::new(b"f").unwrap();
        let file = |content: &Content| Some(File { content: content.clone(), mode: Mode::PLAIN });
        let changes = |after: &Content| {
            ChangeSet::new([Change { path: path.clone(), before: file(&before), after: file(after), from: None }])
        };
        DIFFER.with(|directory| {
            let repo = git_llmpatch::repo::Repo::open_at(directory.path()).unwrap();
            let differ = Differ::new(&repo, Side::Blobs).unwrap();
            let (known, unknown) = (changes(&after), changes(&Content::from(whole)));
            let [known, unknown] = [&known, &unknown].map(|changes| plan::derive::unified(changes, &differ, &Default::default()).unwrap());
            prop_assert_eq!(known, unknown);
            Ok(())
        })?;
    }
}

thread_local! {
    /// A repository that nothing is changed in.
    static DIFFER: Repo = Repo::empty();
}

/// Lines in which the same bytes are found often.
fn repetitive() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![Just("a"), Just("b"), Just("ab"), Just("\n"), Just("é")],
        1..30,
    )
    .prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(config(2000))]

    #[test]
    fn a_tool_call_replaces_text_as_the_standard_library_does(
        text in repetitive(),
        (from, len) in (0..30usize, 1..6usize),
        new in repetitive(),
        times in 0..4usize,
    ) {
        let old: String = text.chars().skip(from % text.chars().count()).take(len).collect();
        let new = if old == new { new + "x" } else { new };
        let call = match times {
            0 => serde_json::json!({"path": "f", "old_string": old, "new_string": new}),
            1 => serde_json::json!({"path": "f", "old_string": old, "new_string": new, "replace_all": true}),
            n => serde_json::json!({"path": "f", "old_string": old, "new_string": new, "expected_replacements": n - 1}),
        };
        let tree = MemoryTree::new().with("f", text.as_str());
        let all: Vec<usize> = (0..text.len()).filter(|&at| text.as_bytes()[at..].starts_with(old.as_bytes())).collect();
        let overlap = all.windows(2).any(|pair| pair[1] < pair[0] + old.len());
        let want = match times {
            0 if all.len() > 1 => Err(Kind::Ambiguous),
            n @ 2.. if all.len() != n - 1 => Err(Kind::Occurrence),
            1.. if overlap => Err(Kind::Ambiguous),
            _ => Ok(text.replace(&old, &new)),
        };
        match (plan(&format!("{call}\n"), &tree), want) {
            (Ok(plan), Ok(want)) => {
                let change = plan.changes.iter().next().unwrap();
                prop_assert_eq!(&change.after.as_ref().unwrap().content[..], want.as_bytes());
            }
            (Err(Some(refusal)), Err(kind)) => prop_assert_eq!(refusal.errors[0].value.kind(), kind),
            // What is added is there at each place.
            (Err(Some(refusal)), Ok(_)) if refusal.errors[0].value.kind() == Kind::Unchanged => {
                let is_there = |at: usize| {
                    let behind = new.strip_prefix(&old).is_some_and(|added| text[at + old.len()..].starts_with(added));
                    behind || new.strip_suffix(&old).is_some_and(|added| text[..at].ends_with(added))
                };
                prop_assert!(all.iter().all(|at| is_there(*at)), "{refusal:?}");
            }
            (got, want) => prop_assert!(false, "{got:?} for {want:?}"),
        }
    }
}
