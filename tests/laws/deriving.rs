//! Laws of the diff that is derived and printed.

use std::borrow::Cow;

use bstr::ByteSlice as _;
use llmpatch::compare::{Compare, CompareError, DiffSide, Options, Region};
use llmpatch::format;
use llmpatch::format::unified::{self, Quoting, Termination};
use llmpatch::patch::{FileEdit, Format, Hunk, Mark, Operation, Patch};
use llmpatch::path::{RepoPath, Resolver};
use llmpatch::plan::{self, Change, ChangeSet, Rules, derive as derived};
use llmpatch::respond;
use llmpatch::respond::{Look, Response, respond};
use llmpatch::response;
use llmpatch::tree::{Content, Entry, File, MemoryTree, Mode};

use super::source;

/// Derives the diff of two texts: what stands before a NUL and what stands behind it. Behind
/// another: how much context.
pub fn derive(bytes: &[u8]) {
    let mut parts = bytes.split(|&byte| byte == 0);
    let [old, new, choices] = [(); 3].map(|()| parts.next().unwrap_or_default());
    let choice = |at: usize| u32::from(choices.get(at).copied().unwrap_or(3));
    let options = Options {
        context: choice(0) % 8,
        interhunk: choice(1) % 8,
        ..Options::default()
    };
    let file = |content: &[u8]| {
        Some(File {
            content: content.into(),
            mode: Mode::PLAIN,
        })
    };
    let change = |name: &[u8], before, after| Change {
        path: path(name),
        before,
        after,
        from: None,
    };
    for set in [
        vec![change(b"f", file(old), file(new))],
        vec![change(b"f", None, file(new)), change(b"g", file(old), None)],
    ] {
        let set = ChangeSet::new(set);
        turns_before_into_after(&set, &options);
        is_said(&set, options.context);
    }
    let set = ChangeSet::new([
        change(b"f", file(old), None),
        Change {
            from: Some(path(b"f")),
            ..change(b"g", None, file(new))
        },
    ]);
    is_said(&set, options.context);
}

fn path(bytes: &[u8]) -> RepoPath {
    RepoPath::new(bytes).unwrap()
}

/// Writes a change as an envelope, as OPX, as blocks and as tool calls, each of which is read and
/// planned as this very change by every rule; or it has something about it that the format can't
/// say.
fn is_said(changes: &ChangeSet, context: u32) {
    if changes.is_empty() {
        return;
    }
    let mut tree = MemoryTree::new();
    for change in changes {
        if let Some(file) = &change.before {
            tree = tree.with_entry(
                std::str::from_utf8(change.path.as_bytes()).unwrap(),
                Entry::File(file.clone()),
            );
        }
    }
    for format in [Format::Envelope, Format::Opx, Format::Blocks, Format::Tool] {
        let look = Look {
            context: Some(context),
            prose: "Why, and\n*** Begin Patch".into(),
            ..Look::default()
        };
        match respond(
            format,
            changes,
            &tree,
            &Plain,
            &look,
            Vec::new(),
            &Default::default(),
        )
        .unwrap()
        {
            Ok(response) => {
                comes_to(&response.text, changes, &tree);
                let is_special = |change| is_unsayable(change, changes, format);
                assert!(
                    response.replaced.is_empty() || changes.iter().any(is_special),
                    "{response:?} of {changes:?}"
                );
                // Text byte for byte that begins or ends with an empty line begins or ends at any
                // line.
                if format != Format::Tool || !has_blank_edges(changes) {
                    keeps_what_is_added(&response, changes);
                }
            }
            Err(unsaid) => {
                assert!(!unsaid.is_empty());
                for unsaid in unsaid {
                    assert!(changes.get(&path(&unsaid.path)).is_some());
                    assert!(
                        changes
                            .iter()
                            .any(|change| is_unsayable(change, changes, format)),
                        "{unsaid:?} of {changes:?}"
                    );
                }
            }
        }
    }
}

/// Returns whether a file has an empty line at its edges before the change.
fn has_blank_edges(changes: &ChangeSet) -> bool {
    let is_blank = |content: &[u8]| {
        let content = content.replace("\r\n", "\n");
        content.starts_with(b"\n") || content.ends_with(b"\n\n")
    };
    changes
        .iter()
        .filter_map(|change| change.before.as_ref())
        .any(|before| is_blank(&before.content))
}

fn comes_to(response: &[u8], changes: &ChangeSet, tree: &MemoryTree) {
    let source = source(response);
    for strict in [false, true] {
        let parsed = response::parse(
            &source,
            &format::Options {
                strict,
                ..format::Options::default()
            },
        );
        let is_plain = parsed
            .warnings
            .iter()
            .all(|warning| respond::is_of_printing(&warning.value));
        assert!(parsed.errors.is_empty() && is_plain, "{parsed:?}");
        let rules = Rules {
            strict,
            unique: strict,
            ..Rules::default()
        };
        let plan = plan::plan(&[parsed.patch], tree, &Resolver::default(), &rules).unwrap();
        assert_eq!(plan.changes, *changes, "{}", bstr::BStr::new(response));
        assert!(
            plan.warnings
                .iter()
                .all(|warning| !derived::leaves_doubt(warning.value.kind())),
            "{:?}",
            plan.warnings
        );
    }
}

/// Demands of a response that changes one file and replaces it nowhere whole that a line that the
/// file gets before it is applied is still there afterwards, wherever that is; or that nothing is
/// changed.
fn keeps_what_is_added(response: &Response, changes: &ChangeSet) {
    let change = changes.iter().next().unwrap();
    let (1, Some(before), Some(after), []) = (
        changes.len(),
        &change.before,
        &change.after,
        &response.replaced[..],
    ) else {
        return;
    };
    let source = source(&response.text);
    let parsed = response::parse(&source, &format::Options::default());
    let patches = [parsed.patch];
    // A find is a substring of the file: nothing else begins or ends like this line.
    let added = "§ what the file gets §\n".as_bytes();
    let line_starts =
        (0..before.content.len()).filter(|&at| at == 0 || before.content[at - 1] == b'\n');
    for at in line_starts.take(8) {
        let content = [&before.content[..at], added, &before.content[at..]].concat();
        let name = std::str::from_utf8(change.path.as_bytes()).unwrap();
        let tree = MemoryTree::new().with_entry(
            name,
            Entry::File(File {
                content: content.into(),
                mode: before.mode,
            }),
        );
        let Ok(plan) = plan::plan(&patches, &tree, &Resolver::default(), &Rules::default()) else {
            continue;
        };
        // What was guessed is warned of.
        if plan
            .warnings
            .iter()
            .any(|warning| derived::leaves_doubt(warning.value.kind()))
        {
            continue;
        }
        let now = &plan
            .changes
            .get(&change.path)
            .unwrap()
            .after
            .as_ref()
            .unwrap()
            .content;
        assert!(
            now.contains_str(added.trim_end()),
            "a line at {at} of {response:?}"
        );
        // A last line without an end that goes takes the end before it.
        let is_same = now.replacen(added, b"", 1)[..] == after.content[..];
        assert!(
            is_same || !before.content.ends_with(b"\n"),
            "a line at {at} of {response:?}"
        );
    }
}

/// Returns whether there is anything about a change that could keep a format from saying it: the
/// exceptions of the contract, seen from afar.
fn is_unsayable(change: &Change, changes: &ChangeSet, format: Format) -> bool {
    let before = change
        .from
        .as_ref()
        .and_then(|from| changes.get(from))
        .unwrap_or(change)
        .before
        .as_ref();
    let content = |file: Option<&File>| file.map(|file| file.content.to_vec()).unwrap_or_default();
    let (before, after) = (content(before), content(change.after.as_ref()));
    let either = |is: &dyn Fn(&[u8]) -> bool| is(&before) || is(&after);
    let has_end = |content: &[u8]| content.is_empty() || content.ends_with(b"\n");
    let is_blank = |line: &[u8]| line.trim_ascii().is_empty();
    let lines = |content: &[u8]| {
        content
            .split(|&byte| byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect::<Vec<_>>()
    };
    let markup = |content: &[u8]| {
        content
            .windows(3)
            .any(|bytes| [&b"<<<"[..], b">>>", b"</e", b"<ed", b"</p", b"</f"].contains(&bytes))
    };
    let marker = |content: &[u8]| {
        lines(content).iter().any(|line| {
            matches!(
                line.first(),
                Some(b'<' | b'>' | b'-' | b'+' | b'=' | b':' | b'\\')
            )
        })
    };
    let has_fence = |content: &[u8]| content.contains_str("```") || content.contains_str("~~~");
    let is_blocks_own =
        change.from.is_some() || change.after.is_none() || either(&marker) || has_fence(&after);
    let is_all_blank = |content: &[u8]| lines(content).iter().all(|line| is_blank(line));
    either(&|content| {
        content.contains(&0) || content.contains(&b'\r') || content.starts_with(b"\xef\xbb\xbf")
    }) || either(&|content| !has_end(content))
        // What is one fence isn't taken from a response.
        || is_fenced(&after)
        // One encoding a file.
        || (before.to_str().is_err() && !after.is_ascii())
        || (format == Format::Envelope && after.starts_with(b"++ "))
        || (format == Format::Opx && (either(&markup) || either(&is_all_blank)))
        || (format == Format::Blocks && (is_blocks_own || either(&is_all_blank)))
        || (format == Format::Tool
            && (either(&is_all_blank) || either(&|content| content.to_str().is_err())))
}

/// Derives and prints the diff of a change, and demands that its hunks, taken at their word, make
/// the change.
pub fn turns_before_into_after(changes: &ChangeSet, options: &Options) {
    let patch = derived::unified(changes, &Plain, options).unwrap();
    let printed = unified::print(&patch, Quoting::default());
    assert_eq!(printed.is_empty(), patch.edits.is_empty());
    is_counted(
        &patch,
        &derived::changed_lines(changes, &Plain, options).unwrap(),
    );
    is_read_again(&patch, &printed);
    unified::stat(&patch, Quoting::default(), 80);
    unified::numstat(&patch, Quoting::default(), Termination::Line);
    unified::summary(&patch, Quoting::default());
    for edit in &patch.edits {
        let FileEdit {
            path,
            operation: Operation::Update { to, hunks },
            header: Some(header),
            ..
        } = edit
        else {
            panic!("no edit of a unified diff: {edit:?}");
        };
        if header.binary.is_some() {
            continue;
        }
        let side = |path: &[u8]| changes.get(&RepoPath::new(path).unwrap()).unwrap();
        let before = side(path)
            .before
            .as_ref()
            .map(|file| &file.content[..])
            .unwrap_or_default();
        let after = side(to.as_ref().unwrap_or(path))
            .after
            .as_ref()
            .map(|file| &file.content[..])
            .unwrap_or_default();
        assert_eq!(
            bstr::BStr::new(&followed(before, hunks)),
            bstr::BStr::new(after)
        );
    }
}

/// As many lines are counted as are shown.
fn is_counted(patch: &Patch<'_>, counted: &[derived::ChangedLines<'_>]) {
    let is_text = |edit: &&FileEdit<'_>| {
        edit.header
            .as_ref()
            .is_some_and(|header| header.binary.is_none())
    };
    let shown = patch.edits.iter().filter(is_text).map(|edit| {
        let Operation::Update { to, hunks } = &edit.operation else {
            panic!("no edit of a unified diff: {edit:?}")
        };
        let count = |mark| {
            hunks
                .iter()
                .flat_map(|hunk| &hunk.lines)
                .filter(|line| line.mark == mark)
                .count()
        };
        (
            to.as_ref().unwrap_or(&edit.path).to_vec(),
            count(Mark::Removed),
            count(Mark::Added),
        )
    });
    let counted = counted
        .iter()
        .map(|file| (file.path.as_bytes().to_vec(), file.removed, file.added));
    assert_eq!(counted.collect::<Vec<_>>(), shown.collect::<Vec<_>>());
}

/// What was printed is read as what it was printed from. Binary patches are shown and not read.
fn is_read_again(patch: &Patch<'_>, printed: &[u8]) {
    let is_binary = |edit: &FileEdit<'_>| {
        edit.header
            .as_ref()
            .is_some_and(|header| header.binary.is_some())
    };
    if patch.edits.is_empty() || patch.edits.iter().any(is_binary) || printed.contains(&0) {
        return;
    }
    let source = super::source(printed);
    for strict in [false, true] {
        let parsed = response::parse(
            &source,
            &format::Options {
                strict,
                ..format::Options::default()
            },
        );
        // Neither a file that is one fence is taken from a response, nor lines that are the removed
        // ones with the marks of a word diff.
        for error in &parsed.errors {
            match error.value {
                response::Error::Format(format::Error::Fenced(_)) => {
                    assert!(patch.edits.iter().any(makes_fence))
                }
                response::Error::Format(format::Error::Unified(unified::Error::WordDiff)) => {
                    let has =
                        |marks: [&str; 2]| marks.iter().all(|mark| printed.contains_str(mark));
                    assert!(has(["[-", "-]"]) || has(["{+", "+}"]));
                }
                _ => panic!("{error:?}"),
            }
        }
        if !parsed.errors.is_empty() {
            return;
        }
        assert!(parsed.warnings.is_empty(), "{:?}", parsed.warnings);
        assert_eq!(&parsed.patch, patch);
    }
}

/// Returns whether an edit makes a file that is one fence.
fn makes_fence(edit: &FileEdit<'_>) -> bool {
    let Operation::Update { hunks, .. } = &edit.operation else {
        return false;
    };
    let lines = hunks.iter().flat_map(Hunk::new_lines);
    let lines: Vec<&[u8]> = lines.map(|line| &line.text[..]).collect();
    is_fenced(&bstr::join("\n", lines))
}

/// Returns whether the first and the last line of a text that aren't blank are a fence.
fn is_fenced(text: &[u8]) -> bool {
    let lines = text.lines().map(<[u8]>::trim_ascii);
    let lines: Vec<&[u8]> = lines.filter(|line| !line.is_empty()).collect();
    let [first, .., last] = lines[..] else {
        return false;
    };
    [b'`', b'~'].iter().any(|of| {
        let is_mark = |byte: &&u8| *byte == of;
        let opens = first.iter().take_while(is_mark).count();
        opens >= 3 && last.len() >= opens && last.iter().all(|byte| byte == of)
    })
}

/// Does what the hunks say, and demands that their numbers and old lines are true.
fn followed(before: &[u8], hunks: &[Hunk<'_>]) -> Vec<u8> {
    let lines: Vec<&[u8]> = before.split_inclusive(|&byte| byte == b'\n').collect();
    let (mut after, mut at) = (Vec::<Cow<'_, [u8]>>::new(), 0);
    for hunk in hunks {
        let position = hunk.position.as_ref().unwrap();
        let first = |start: u32, count: u32| (start - u32::from(count > 0)) as usize;
        let start = first(position.old_start, position.old_lines);
        after.extend(lines[at..start].iter().map(|line| Cow::Borrowed(*line)));
        at = start;
        assert_eq!(
            after.len(),
            first(position.new_start, position.new_lines),
            "{position:?}"
        );
        assert_eq!(hunk.old().count(), position.old_lines as usize);
        assert_eq!(hunk.new_lines().count(), position.new_lines as usize);
        for line in &hunk.lines {
            let end: &[u8] = if line.unterminated { b"" } else { b"\n" };
            let whole = [&line.text[..], end].concat();
            if line.mark != Mark::Added {
                assert_eq!(whole, lines[at]);
                at += 1;
            }
            if line.mark != Mark::Removed {
                after.push(whole.into());
            }
        }
    }
    after.extend(lines[at..].iter().map(|line| Cow::Borrowed(*line)));
    after.concat()
}

/// A place without attributes. Of the lines between the first and the last that differ, those at
/// one distance from the first are compared: no good diff, but every diff must be right.
struct Plain;

impl Compare for Plain {
    fn stored<'c>(
        &self,
        _: &RepoPath,
        content: &'c Content,
        _: DiffSide<'_>,
    ) -> Result<Cow<'c, Content>, CompareError> {
        Ok(Cow::Borrowed(content))
    }

    fn is_binary(&self, _: &RepoPath, content: &Content) -> Result<bool, CompareError> {
        Ok(content.is_binary())
    }

    fn regions(&self, _: &RepoPath, old: &[u8], new: &[u8]) -> Result<Vec<Region>, CompareError> {
        let [old, new] = [old, new].map(|side| {
            side.split_inclusive(|&byte| byte == b'\n')
                .collect::<Vec<_>>()
        });
        let start = old
            .iter()
            .zip(&new)
            .take_while(|(old, new)| old == new)
            .count();
        let end = old[start..]
            .iter()
            .rev()
            .zip(new[start..].iter().rev())
            .take_while(|(old, new)| old == new)
            .count();
        let (old_end, new_end) = (old.len() - end, new.len() - end);
        if old_end != new_end {
            return Ok(vec![Region {
                old: start..old_end,
                new: start..new_end,
            }]);
        }
        let mut regions: Vec<Region> = Vec::new();
        for at in (start..old_end).filter(|&at| old[at] != new[at]) {
            match regions.last_mut().filter(|last| last.old.end == at) {
                Some(last) => (last.old.end, last.new.end) = (at + 1, at + 1),
                None => regions.push(Region {
                    old: at..at + 1,
                    new: at..at + 1,
                }),
            }
        }
        Ok(regions)
    }

    fn binary_patch(&self, _: &RepoPath, _: &[u8], _: &[u8]) -> Result<Vec<u8>, CompareError> {
        Ok(b"GIT binary patch\n\n".to_vec())
    }

    fn id(&self, content: Option<&[u8]>) -> Result<String, CompareError> {
        Ok(content.map_or("0".repeat(40), |content| {
            format!("{:040x}", content.len() + 1)
        }))
    }

    fn abbreviate(&self, id: &str) -> Result<String, CompareError> {
        Ok(id[33..].to_owned())
    }
}
