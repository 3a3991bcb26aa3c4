//! The bare algorithm, as plain as it is usually written down: what `strict` must come to, however
//! fast it gets there.

use proptest::prelude::*;

use super::*;

struct Chunk {
    context: Option<String>,
    lines: Vec<(Mark, String)>,
}

fn seek(lines: &[String], pattern: &[&String], start: usize) -> Option<usize> {
    if pattern.is_empty() {
        return None;
    }
    (start..=lines.len().checked_sub(pattern.len())?)
        .find(|&at| lines[at..].iter().zip(pattern).all(|(a, b)| a == *b))
}

/// Returns the new lines; `None` where the algorithm gives up, or where two replacements overlap.
fn apply(lines: &[String], chunks: &[Chunk]) -> Option<Vec<String>> {
    let mut cursor = 0;
    let mut replacements: Vec<(usize, usize, Vec<&String>)> = Vec::new();
    for chunk in chunks {
        if let Some(context) = &chunk.context {
            cursor = seek(lines, &[context], cursor)? + 1;
        }
        let side = |without: Mark| {
            chunk
                .lines
                .iter()
                .filter(move |(mark, _)| *mark != without)
                .map(|(_, line)| line)
        };
        let (mut old, mut new): (Vec<_>, Vec<_>) =
            (side(Mark::Added).collect(), side(Mark::Removed).collect());
        if old.is_empty() {
            let at = if lines.last().is_some_and(String::is_empty) {
                lines.len() - 1
            } else {
                lines.len()
            };
            // Where it says otherwise than the default, nothing is done.
            let default = chunk.context.as_ref().map_or(lines.len(), |_| cursor);
            if at != default {
                return None;
            }
            replacements.push((at, 0, new));
            continue;
        }
        let mut found = seek(lines, &old, cursor);
        // An empty context line that added lines follow says where they go; it is never dropped.
        let last_old = chunk
            .lines
            .iter()
            .rposition(|(mark, _)| *mark != Mark::Added)
            .unwrap();
        let anchors = chunk.lines[last_old].0 == Mark::Context && last_old + 1 < chunk.lines.len();
        if found.is_none() && old.last().unwrap().is_empty() && !anchors {
            old.pop();
            // The new lines lose the same line, or an empty one that was added; another context
            // line they keep.
            let last_new = chunk
                .lines
                .iter()
                .rposition(|(mark, _)| *mark != Mark::Removed);
            let drops =
                last_new.is_some_and(|at| at == last_old || chunk.lines[at].0 == Mark::Added);
            if drops && new.last().is_some_and(|line| line.is_empty()) {
                new.pop();
            }
            found = seek(lines, &old, cursor);
        }
        let changes = chunk.lines.iter().any(|(mark, _)| *mark != Mark::Context);
        let is_first = |at: usize| at == cursor || seek(lines, &old, at + 1).is_none();
        if changes && old.iter().all(|line| line.is_empty()) && !found.is_none_or(is_first) {
            return None;
        }
        let at = found?;
        cursor = at + old.len();
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
        result.splice(at..at + len, new.into_iter().cloned());
    }
    Some(result)
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![4 => Just("a".to_owned()), 3 => Just("b".to_owned()), 2 => Just(String::new()), 1 => Just("c".to_owned())]
}

fn chunk() -> impl Strategy<Value = Chunk> {
    let mark = prop_oneof![Just(Mark::Context), Just(Mark::Removed), Just(Mark::Added)];
    let lines = proptest::collection::vec((mark, word()), 1..5);
    (proptest::option::weighted(0.3, word()), lines)
        .prop_map(|(context, lines)| Chunk { context, lines })
}

impl std::fmt::Debug for Chunk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "@@ {:?} {:?}", self.context, self.lines)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::testing::cases(4000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn strict_is_the_bare_algorithm(
        lines in proptest::collection::vec(word(), 0..12),
        chunks in proptest::collection::vec(chunk(), 1..4),
    ) {
        let before: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let hunks = chunks.iter().map(|chunk| Hunk {
            locators: chunk.context.iter().map(|context| text(context)).collect(),
            lines: chunk
                .lines
                .iter()
                .map(|(mark, line)| HunkLine { mark: *mark, text: text(line), unterminated: false })
                .collect(),
            ..Hunk::default()
        });
        let edit = edit("f", Operation::Update { to: None, hunks: hunks.collect() });
        // What was applied before has no place, and is a success with `--allow-empty` all the same.
        let tree = MemoryTree::new().with("f", &before[..]);
        let has_places = run(&tree, vec![edit.clone()], &STRICT).is_ok_and(|plan| !plan.placements.is_empty());
        let got = outcome(&before, edit, &STRICT).ok().map(|(after, _)| after).filter(|_| has_places);
        let want = apply(&lines, &chunks).map(|lines| lines.iter().map(|line| format!("{line}\n")).collect::<String>());
        prop_assert_eq!(got, want);
    }
}
