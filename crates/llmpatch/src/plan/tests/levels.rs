//! The levels above exact, as plain and slow as they can be said: what `fuzz` must come to.

use proptest::prelude::*;

use std::borrow::Cow;
use std::ops::Range;

use super::*;
use crate::search::IndentedBlock;

#[derive(Clone)]
struct Chunk {
    context: Option<String>,
    end_of_file: bool,
    lines: Vec<(Mark, String)>,
}

impl std::fmt::Debug for Chunk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "@@ {:?} {:?} {}",
            self.context, self.lines, self.end_of_file
        )
    }
}

/// The form of a line at a level, for the few characters that are used here.
fn form(level: Fuzz, line: &str) -> String {
    let plain = line.replace(['“', '”'], "\"").replace('\u{a0}', " ");
    match level {
        Fuzz::Exact => line.to_owned(),
        Fuzz::Trailing => line.trim_end_matches([' ', '\t']).to_owned(),
        Fuzz::Indent => line.trim_matches([' ', '\t']).to_owned(),
        Fuzz::Unicode => plain.trim_matches([' ', '\t']).to_owned(),
    }
}

/// Every line at which a run stands.
fn places(level: Fuzz, lines: &[String], run: &[String]) -> Vec<usize> {
    if run.is_empty() {
        return Vec::new();
    }
    let same = |at: usize| {
        run.iter()
            .enumerate()
            .all(|(nth, text)| form(level, text) == form(level, &lines[at + nth]))
    };
    (0..(lines.len() + 1).saturating_sub(run.len()))
        .filter(|&at| same(at))
        .collect()
}

fn allowed(up_to: Fuzz) -> impl Iterator<Item = Fuzz> {
    Fuzz::LEVELS
        .into_iter()
        .filter(move |level| *level <= up_to)
}

/// Returns the line that a context line means.
fn context(lines: &[String], text: &str, cursor: usize, up_to: Fuzz) -> Option<usize> {
    let exact = places(Fuzz::Exact, lines, &[text.to_owned()]);
    if !exact.is_empty() {
        return exact.into_iter().find(|&at| at >= cursor);
    }
    let bare = |line: &str| line.trim_matches([' ', '\t']).to_owned();
    let of = |rule: &dyn Fn(&str) -> bool| {
        (cursor..lines.len())
            .filter(|&at| rule(&lines[at]))
            .collect::<Vec<_>>()
    };
    let worded = |rule: &dyn Fn(&str) -> bool| {
        if bare(text).is_empty() {
            Vec::new()
        } else {
            of(rule)
        }
    };
    let rules = [
        of(&|line| bare(line) == bare(text)),
        worded(&|line| bare(line).starts_with(&bare(text))),
        worded(&|line| line.contains(&bare(text))),
    ];
    let levels = allowed(up_to).map(|level| of(&|line| form(level, line) == form(level, text)));
    let found = rules
        .into_iter()
        .chain(levels)
        .find(|places| !places.is_empty())?;
    if let [one] = found[..] {
        Some(one)
    } else {
        None
    }
}

/// The blanks that a line begins with, and the same with spaces for odd ones.
fn blanks(level: Fuzz, line: &str) -> (&str, String) {
    let is_blank = |c: char| matches!(c, ' ' | '\t') || (level == Fuzz::Unicode && c == '\u{a0}');
    let raw = &line[..line.len() - line.trim_start_matches(is_blank).len()];
    (raw, raw.replace('\u{a0}', " "))
}

/// Shifts a new line as these pairs of old lines show; `None` where they don't.
fn shifted(level: Fuzz, pairs: &[(String, String)], new: &str) -> Option<String> {
    let pairs: Vec<_> = pairs
        .iter()
        .filter(|(patch, _)| !form(level, patch).is_empty())
        .collect();
    let raws: Vec<_> = pairs
        .iter()
        .map(|(patch, file)| (blanks(level, patch).0, blanks(level, file).0))
        .collect();
    if level < Fuzz::Indent || raws.iter().all(|(patch, file)| patch == file) {
        return Some(new.to_owned());
    }
    let folds = raws
        .iter()
        .any(|(patch, file)| patch != file && !(patch.is_ascii() && file.is_ascii()));
    let plain: Vec<_> = pairs
        .iter()
        .map(|(patch, file)| (blanks(level, patch).1, blanks(level, file).1))
        .collect();
    let reading = if folds { Fuzz::Unicode } else { Fuzz::Indent };
    let (raw, old) = blanks(reading, new);
    let old = if folds { old } else { raw.to_owned() };
    let with = |blanks: String| Some(blanks + &new[raw.len()..]);
    if plain.iter().all(|(patch, file)| patch == file) {
        return with(old);
    }
    for more in plain
        .iter()
        .filter_map(|(patch, file)| file.strip_suffix(&patch[..]))
    {
        if plain
            .iter()
            .all(|(patch, file)| *file == format!("{more}{patch}"))
        {
            return with(format!("{more}{old}"));
        }
    }
    for less in plain
        .iter()
        .filter_map(|(patch, file)| patch.strip_suffix(&file[..]))
    {
        if plain
            .iter()
            .all(|(patch, file)| *patch == format!("{less}{file}"))
        {
            return with(old.strip_prefix(less)?.to_owned());
        }
    }
    let is = |text: &str, what: char| text.chars().all(|c| c == what);
    for unit in 1..=8 {
        let to_tabs = |(spaces, tabs): &(String, String)| {
            is(spaces, ' ') && is(tabs, '\t') && spaces.len() == unit * tabs.len()
        };
        if plain.iter().all(to_tabs) {
            return is(&old, ' ')
                .then(|| with("\t".repeat(old.len() / unit) + &" ".repeat(old.len() % unit)))?;
        }
        if plain
            .iter()
            .all(|(patch, file)| to_tabs(&(file.clone(), patch.clone())))
        {
            let behind = old.trim_start_matches('\t');
            return is(behind, ' ')
                .then(|| with(" ".repeat(unit * (old.len() - behind.len()) + behind.len())))?;
        }
    }
    None
}

/// Returns the new lines; `None` where it is refused.
fn apply(lines: &[String], chunks: &[Chunk], up_to: Fuzz) -> Option<Vec<String>> {
    let mut cursor = 0;
    let mut replaced = Replaced::default();
    let mut replacements: Vec<(usize, usize, Vec<String>)> = Vec::new();
    // The lines of context that the chunk before ends with.
    let mut shared = 0..0;
    // The context line of the chunk before.
    let mut opener = None;
    for chunk in chunks {
        let mut at_context = None;
        let mut end = usize::MAX;
        if let Some(text) = &chunk.context {
            let ahead = lines[cursor..].iter().any(|line| line == text);
            let again = again(lines, text, cursor).filter(|_| !ahead || opener.is_some());
            let rest = rest(lines, chunk, text, cursor, again);
            let at = match again {
                Some((at, _)) if !ahead || opener == Some(at) && rest? => at,
                _ => context(lines, text, cursor, up_to)?,
            };
            opener = Some(at);
            at_context = Some(at).filter(|at| *at >= cursor);
            if at < cursor {
                end = again.map_or(usize::MAX, |(_, end)| end);
            }
            cursor = cursor.max(at + 1);
            if end < usize::MAX && chunk.lines.iter().all(|(mark, _)| *mark == Mark::Added) {
                return None;
            }
        }
        if chunk.lines.iter().all(|(mark, _)| *mark == Mark::Added) {
            let at = at_context
                .filter(|_| !chunk.end_of_file)
                .map_or(lines.len(), |at| at + 1);
            replacements.push((
                at,
                0,
                chunk.lines.iter().map(|(_, line)| line.clone()).collect(),
            ));
            shared = at..at;
            continue;
        }
        let is_anchor = chunk.lines.iter().all(|(mark, _)| *mark == Mark::Context);
        if is_anchor && old(&chunk.lines).iter().all(|line| is_blank(line)) {
            continue;
        }
        let is_shared = shared.end == cursor && at_context.is_none() && !chunk.end_of_file;
        let sharing = if is_shared { shared } else { 0..0 };
        let from = (cursor, end);
        let (level, at, body) = seek(lines, chunk, from, at_context, &replaced, up_to, sharing)?;
        if at < cursor && at_context != Some(at) {
            let (_, len, new) = replacements.last_mut()?;
            *len -= cursor - at;
            new.truncate(new.len() - (cursor - at));
        }
        let old = old(&body);
        let pairs: Vec<_> = old
            .iter()
            .cloned()
            .zip(lines[at..].iter().cloned())
            .collect();
        let mut next = at;
        let mut new = Vec::new();
        for (mark, line) in &body {
            match mark {
                Mark::Context => new.push(lines[next].clone()),
                Mark::Removed => {}
                Mark::Added if level == Fuzz::Exact => new.push(line.clone()),
                Mark::Added => new.push(shifted(level, &pairs, line)?),
            }
            next += usize::from(*mark != Mark::Added);
        }
        replaced.note(at, &body);
        cursor = at + old.len();
        let behind = body
            .iter()
            .rev()
            .take_while(|(mark, _)| *mark == Mark::Context);
        shared = cursor - behind.count()..cursor;
        replacements.push((at, old.len(), new));
    }
    replacements.sort_by_key(|(at, ..)| *at);
    if replacements
        .windows(2)
        .any(|pair| pair[0].0 + pair[0].1 > pair[1].0)
    {
        return None;
    }
    if repeats(lines, &replacements) {
        return None;
    }
    let mut result = lines.to_vec();
    for (at, len, new) in replacements.into_iter().rev() {
        result.splice(at..at + len, new);
    }
    Some(result)
}

/// Returns the last line before the cursor that equals a context line, if the cursor is in its block,
/// and where that ends.
fn again(lines: &[String], text: &str, cursor: usize) -> Option<(usize, usize)> {
    let at = lines[..cursor].iter().rposition(|line| line == text)?;
    let block = IndentedBlock::new(at).lines(lines.len(), |at| Cow::Borrowed(lines[at].as_bytes()));
    block
        .filter(|block| block.contains(&cursor) && cursor < lines.len())
        .map(|block| (at, block.end))
}

/// Returns whether old lines are in the rest of a block, and not behind a later line that equals its
/// context line; `None` if they are in both.
fn rest(
    lines: &[String],
    chunk: &Chunk,
    text: &str,
    cursor: usize,
    again: Option<(usize, usize)>,
) -> Option<bool> {
    let (Some((_, end)), false) = (again, old(&chunk.lines).is_empty()) else {
        return Some(false);
    };
    let later = cursor + lines[cursor..].iter().position(|line| line == text)?;
    let places = places(Fuzz::Exact, lines, &old(&chunk.lines));
    let is_in = |range: Range<usize>| places.iter().any(|at| range.contains(at));
    let is_behind = is_in(later..usize::MAX);
    let is_inside = is_in(cursor..end.min(later));
    (!is_inside || !is_behind).then_some(is_inside)
}

/// What chunks have done to lines.
#[derive(Default)]
struct Replaced {
    removed: Vec<usize>,
    /// Before which lines others were added.
    added: Vec<usize>,
    /// Where all old lines of a chunk that adds some are still in a row.
    kept: Vec<(usize, Vec<String>)>,
}

impl Replaced {
    fn note(&mut self, at: usize, body: &[(Mark, String)]) {
        let mut next = at;
        for (mark, _) in body {
            match mark {
                Mark::Added => self.added.push(next),
                Mark::Removed => self.removed.push(next),
                Mark::Context => {}
            }
            next += usize::from(*mark != Mark::Added);
        }
        let old = old(body);
        // What an anchor shows may be what the next hunk changes.
        let is_anchor = body.iter().all(|(mark, _)| *mark == Mark::Context);
        if !is_anchor && self.is_whole(at, old.len()) {
            self.kept.push((at, old));
        }
    }

    fn is_whole(&self, at: usize, len: usize) -> bool {
        !self
            .removed
            .iter()
            .any(|line| (at..at + len).contains(line))
            && !self
                .added
                .iter()
                .any(|line| (at + 1..at + len).contains(line))
    }

    fn is_free(&self, at: usize, run: &[String]) -> bool {
        self.is_whole(at, run.len()) && !self.kept.iter().any(|kept| *kept == (at, run.to_vec()))
    }
}

type Body = Vec<(Mark, String)>;

fn old(body: &[(Mark, String)]) -> Vec<String> {
    body.iter()
        .filter(|(mark, _)| *mark != Mark::Added)
        .map(|(_, line)| line.clone())
        .collect()
}

fn seek(
    lines: &[String],
    chunk: &Chunk,
    (cursor, end): (usize, usize),
    context: Option<usize>,
    replaced: &Replaced,
    up_to: Fuzz,
    shared: Range<usize>,
) -> Option<(Fuzz, usize, Body)> {
    // As written, and without a trailing empty old line, unless it is a context line that added
    // lines follow.
    let mut bodies = vec![chunk.lines.clone()];
    let last = chunk
        .lines
        .iter()
        .rposition(|(mark, _)| *mark != Mark::Added)?;
    let (mark, text) = &chunk.lines[last];
    if text.is_empty() && (*mark == Mark::Removed || last + 1 == chunk.lines.len()) {
        let mut body = chunk.lines.clone();
        body.remove(last);
        if !old(&body).is_empty() {
            bodies.push(body);
        }
    }
    for level in [Fuzz::Exact].into_iter().chain(allowed(up_to)) {
        for body in &bodies {
            let run = old(body);
            let all = places(level, lines, &run);
            let forward: Vec<_> = all
                .iter()
                .copied()
                .filter(|at| (cursor..end).contains(at))
                .collect();
            let restated = context.filter(|at| all.contains(at));
            let before = all
                .iter()
                .filter(|&&at| {
                    end == usize::MAX
                        && context.is_none()
                        && at < cursor
                        && replaced.is_free(at, &run)
                })
                .count();
            let is_blank = chunk
                .lines
                .iter()
                .all(|(mark, line)| *mark == Mark::Added || is_blank(line));
            let is_nowhere = is_blank && forward.len() > 1 && forward[0] > cursor;
            let found = if chunk.end_of_file {
                forward.into_iter().find(|at| at + run.len() == lines.len())
            } else if is_nowhere
                || !forward.is_empty()
                    && (restated.is_some() || (level > Fuzz::Exact && forward.len() + before > 1))
            {
                return None;
            } else {
                forward.first().copied().or(restated)
            };
            if let Some(at) = found {
                return Some((level, at, body.clone()));
            }
        }
        if level == Fuzz::Exact {
            let all = places(level, lines, &old(&chunk.lines));
            if let Some(at) = all.into_iter().find(|at| shared.contains(at)) {
                return Some((level, at, chunk.lines.clone()));
            }
        }
    }
    None
}

/// Lines that are nearly each other.
fn near() -> impl Strategy<Value = String> {
    let words = prop_oneof![4 => Just("a"), 3 => Just("b"), 1 => Just("\"q\""), 1 => Just("“q”"), 1 => Just("")];
    let blanks = prop_oneof![6 => Just(""), 2 => Just(" "), 2 => Just("\t"), 1 => Just("  "), 1 => Just("\u{a0}")];
    let end = prop_oneof![6 => Just(""), 2 => Just(" ")];
    (blanks, words, end).prop_map(|(start, word, end)| [start, word, end].concat())
}

fn line() -> impl Strategy<Value = (Mark, String)> {
    let added = prop_oneof![
        Just("x"),
        Just(" x"),
        Just("\tx"),
        Just("    x"),
        Just("\u{a0}x")
    ]
    .prop_map(str::to_owned);
    prop_oneof![
        near().prop_map(|line| (Mark::Context, line)),
        near().prop_map(|line| (Mark::Removed, line)),
        added.prop_map(|line| (Mark::Added, line)),
    ]
}

fn chunk() -> impl Strategy<Value = Chunk> {
    let lines = proptest::collection::vec(line(), 1..5);
    (
        proptest::option::weighted(0.3, near()),
        proptest::bool::weighted(0.1),
        lines,
    )
        .prop_map(|(context, end_of_file, lines)| Chunk {
            context,
            end_of_file,
            lines,
        })
}

/// A file, and chunks some of whose old lines are lines of that file, exactly or nearly.
fn case() -> impl Strategy<Value = (Vec<String>, Vec<Chunk>)> {
    let lines = proptest::collection::vec(near(), 0..12);
    let drawn = (any::<prop::sample::Index>(), 0..4usize, chunk());
    (lines, proptest::collection::vec(drawn, 1..4)).prop_map(|(lines, drawn)| {
        let chunks = drawn.into_iter().map(|(at, blur, mut chunk)| {
            if lines.is_empty() || blur == 0 {
                return chunk;
            }
            let found = &lines[at.index(lines.len())..];
            let old = chunk
                .lines
                .iter_mut()
                .filter(|(mark, _)| *mark != Mark::Added);
            for ((mark, line), text) in old.zip(found) {
                *line = match (blur, &*mark) {
                    (1, _) | (_, Mark::Context) => text.clone(),
                    (2, _) => text.trim_matches([' ', '\t']).to_owned(),
                    _ => format!(" {text} "),
                };
            }
            chunk
        });
        let chunks = chunks.collect();
        (lines, chunks)
    })
}

fn edit_of(chunks: &[Chunk]) -> FileEdit<'_> {
    let hunks = chunks.iter().map(|chunk| Hunk {
        locators: chunk.context.iter().map(|context| text(context)).collect(),
        end_of_file: chunk.end_of_file,
        lines: chunk
            .lines
            .iter()
            .map(|(mark, line)| HunkLine {
                mark: *mark,
                text: text(line),
                unterminated: false,
            })
            .collect(),
        ..Hunk::default()
    });
    edit(
        "f",
        Operation::Update {
            to: None,
            hunks: hunks.collect(),
        },
    )
}

fn joined(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn is_applied(before: &str, edit: FileEdit<'_>, fuzz: Fuzz) -> bool {
    let planned = run(
        &MemoryTree::new().with("f", before),
        vec![edit],
        &Rules {
            fuzz,
            ..Rules::default()
        },
    );
    planned.is_err_and(|refusal| matches!(refusal.errors[0].value, Error::AlreadyApplied { .. }))
}

fn at(fuzz: Fuzz) -> Rules {
    Rules {
        fuzz,
        allow_empty: true,
        ..Rules::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::testing::cases(1500), failure_persistence: None, ..ProptestConfig::default() })]

    /// Every level agrees with the plain description; where exact finds a way, no level changes
    /// anything of it, and a level that finds one is not overruled by a looser one.
    #[test]
    fn levels_are_what_their_description_says((lines, chunks) in case()) {
        let before = joined(&lines);
        let mut settled: Option<String> = None;
        for level in [Fuzz::Exact].into_iter().chain(Fuzz::LEVELS) {
            let got = outcome(&before, edit_of(&chunks), &at(level)).ok().map(|(after, _)| after);
            // A hunk that was applied before has no place either, but that is no error to one who
            // allows what is empty.
            let got = got.filter(|_| !is_applied(&before, edit_of(&chunks), level));
            let want = apply(&lines, &chunks, level).map(|lines| joined(&lines));
            prop_assert_eq!(&got, &want, "{} of {:?}", level, before);
            if settled.is_some() {
                prop_assert_eq!(&got, &settled, "{} of {:?}", level, before);
            }
            settled = got.or(settled);
        }
    }

    /// An OPX find has one candidate among whole lines, or the level isn't asked.
    #[test]
    fn finds_are_whole_lines(
        lines in proptest::collection::vec(near(), 0..10),
        find in proptest::collection::vec(near(), 1..4),
        which in 0..3usize,
    ) {
        prop_assume!(find.iter().any(|line| !line.trim_ascii().is_empty()));
        let before = joined(&lines);
        let occurrence = [Occurrence::Only, Occurrence::First, Occurrence::Last][which];
        let edit = || edit("f", Operation::Substitute(Substitution {
            find: find.iter().map(|line| text(line)).collect(),
            put: Vec::new(),
            occurrence,
            written: None,
        }));
        let exact = outcome(&before, edit(), &at(Fuzz::Exact)).map(|(after, _)| after);
        for level in Fuzz::LEVELS {
            let got = outcome(&before, edit(), &at(level)).map(|(after, _)| after);
            if !matches!(&exact, Err(kinds) if kinds[..] == [Kind::LinesNotFound]) {
                prop_assert_eq!(&got, &exact, "{} of {:?}", level, before);
                continue;
            }
            let is_blank = |line: &&String| line.trim_ascii().is_empty();
            let start = find.iter().take_while(is_blank).count();
            let end = find.len() - find.iter().rev().take_while(is_blank).count();
            let found = allowed(level)
                .flat_map(|level| [(level, &find[..]), (level, &find[start..end])])
                .map(|(level, find)| (places(level, &lines, find), find.len()))
                .find(|(places, _)| !places.is_empty());
            let want = match found {
                None => Err(vec![Kind::LinesNotFound]),
                Some((places, len)) => match places[..] {
                    [one] => Ok(joined(&[&lines[..one], &lines[one + len..]].concat())),
                    _ => Err(vec![Kind::Ambiguous]),
                },
            };
            prop_assert_eq!(got, want, "{} of {:?}", level, before);
        }
    }
}
