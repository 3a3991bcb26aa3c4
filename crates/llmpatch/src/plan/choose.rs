//! The parts of a change that can be made or left by themselves, for a person who wants some of it.
//!
//! What an edit comes to depends on the paths that it names, on what is above and below them, on
//! the attributes that the response itself gives to them, and, where names know no case, on their
//! twins; on nothing else. So edits that share one of these are one part, and whatever parts are
//! left out, the others come to what they came to before, to the byte: no second plan is needed,
//! and none could make something else of them.

use std::collections::{BTreeMap, BTreeSet};

use super::resolved::resolved;
use super::{Change, ChangeSet, Placement};
use crate::patch::Patch;
use crate::path::{RepoPath, Resolver};
use crate::pathspec::Case;

/// A part of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangePart {
    /// What becomes of its paths; at least one changes.
    pub changes: ChangeSet,
    /// The edits that it comes from, by their numbers in all patches, from 0.
    pub edits: BTreeSet<usize>,
}

/// Takes a plan of patches apart, in the order of its paths. Edits that change nothing are in no
/// part.
pub fn parts(
    patches: &[Patch<'_>],
    changes: &ChangeSet,
    resolver: &Resolver,
    case: Case,
) -> Vec<ChangePart> {
    let mut ties = Ties::default();
    let mut edits = Vec::new();
    for of in resolved(patches, resolver) {
        let paths = std::iter::once(of.path).chain(of.to);
        let named: Vec<usize> = paths.flatten().map(|path| ties.of(&path)).collect();
        named.windows(2).for_each(|pair| ties.tie(pair[0], pair[1]));
        edits.push(named.first().copied());
    }
    for change in changes {
        let at = ties.of(&change.path);
        if let Some(from) = &change.from {
            let from = ties.of(from);
            ties.tie(at, from);
        }
    }
    for file in changes.attribute_files().keys() {
        let directory = file.parent();
        let governs = |path: &RepoPath| {
            directory
                .as_ref()
                .is_none_or(|directory| path.is_below(directory))
        };
        for change in changes.iter().filter(|change| governs(&change.path)) {
            let rules = ties.of(file);
            let at = ties.of(&change.path);
            ties.tie(rules, at);
        }
    }
    ties.tie_neighbours(case);

    let mut parts: BTreeMap<usize, (usize, Vec<Change>, BTreeSet<usize>)> = BTreeMap::new();
    for (number, change) in changes.iter().enumerate() {
        let root = ties.of(&change.path);
        let root = ties.root(root);
        parts
            .entry(root)
            .or_insert_with(|| (number, Vec::new(), BTreeSet::new()))
            .1
            .push(change.clone());
    }
    for (number, named) in edits.into_iter().enumerate() {
        if let Some(part) = named.and_then(|named| parts.get_mut(&ties.root(named))) {
            part.2.insert(number);
        }
    }
    let mut parts: Vec<_> = parts.into_values().collect();
    parts.sort_by_key(|(first, ..)| *first);
    parts
        .into_iter()
        .map(|(_, changes, edits)| ChangePart {
            changes: ChangeSet::new(changes),
            edits,
        })
        .collect()
}

/// Leaves edits out of patches, and what is known of their places; the numbers of the others close
/// up.
pub fn leave_out(
    patches: &mut [Patch<'_>],
    placements: &mut Vec<Placement>,
    edits: &BTreeSet<usize>,
) {
    let mut number = 0;
    for patch in patches {
        patch.edits.retain(|_| {
            number += 1;
            !edits.contains(&(number - 1))
        });
    }
    placements.retain(|place| !edits.contains(&place.edit));
    for place in placements {
        place.edit -= edits.range(..place.edit).count();
    }
}

/// Paths, and which of them belong together.
#[derive(Default)]
struct Ties {
    numbers: BTreeMap<RepoPath, usize>,
    /// For each path, the index of another path of its group; the first path of a group has its own
    /// index.
    above: Vec<usize>,
}

impl Ties {
    fn of(&mut self, path: &RepoPath) -> usize {
        let next = self.above.len();
        let number = *self.numbers.entry(path.clone()).or_insert(next);
        if number == next {
            self.above.push(number);
        }
        number
    }

    fn root(&mut self, mut number: usize) -> usize {
        while self.above[number] != number {
            self.above[number] = self.above[self.above[number]];
            number = self.above[number];
        }
        number
    }

    fn tie(&mut self, one: usize, other: usize) {
        let one = self.root(one);
        let other = self.root(other);
        // The smaller number is the first, so that paths joined in order make no long chain.
        self.above[one.max(other)] = one.min(other);
    }

    /// Joins paths that are in each other's way: a file and what would be below it, and names that
    /// only case tells apart.
    fn tie_neighbours(&mut self, case: Case) {
        let folded = |path: &RepoPath| match case {
            Case::Counts => path.as_bytes().to_vec(),
            Case::Ignored => path.as_bytes().to_ascii_lowercase(),
        };
        let mut met: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
        let mut twins = Vec::new();
        for (path, &number) in &self.numbers {
            twins.push((*met.entry(folded(path)).or_insert(number), number));
        }
        for (path, &number) in &self.numbers {
            let above = path
                .ancestors()
                .filter_map(|ancestor| met.get(&folded(&ancestor)));
            twins.extend(above.map(|&above| (above, number)));
        }
        twins
            .into_iter()
            .for_each(|(one, other)| self.tie(one, other));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format;
    use crate::plan::{Plan, Rules, plan};
    use crate::text::{Source, SourceId};
    use crate::tree::MemoryTree;

    /// Names what each part changes, and the edits that it comes from.
    fn taken_apart(response: &str, tree: &MemoryTree, case: Case) -> Vec<String> {
        let source = Source::new(SourceId(0), "answer", response.into()).unwrap();
        let parsed = crate::response::parse(&source, &format::Options::default());
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
        let patches = [parsed.patch];
        let resolver = Resolver::default();
        let Plan { changes, .. } = plan(&patches, tree, &resolver, &Rules::default()).unwrap();
        let parts = parts(&patches, &changes, &resolver, case);
        let shown = |part: &ChangePart| {
            let paths: Vec<_> = part
                .changes
                .iter()
                .map(|change| change.path.to_string())
                .collect();
            format!("{} {:?}", paths.join("+"), part.edits)
        };
        parts.iter().map(shown).collect()
    }

    #[test]
    fn what_depends_on_each_other_is_one_part() {
        let tree = MemoryTree::new()
            .with("a", "a\n")
            .with("b", "b\n")
            .with("c", "c\n")
            .with("d/e", "e\n");
        let update = |path: &str| format!("*** Update File: {path}\n@@\n-{path}\n+{path}{path}\n");
        let moved = |path: &str, to: &str| format!("*** Update File: {path}\n*** Move to: {to}\n");
        let delete = |path: &str| format!("*** Delete File: {path}\n");
        let add = |path: &str| format!("*** Add File: {path}\n+x\n");
        for (edits, want) in [
            (vec![update("b"), update("a")], vec!["a {1}", "b {0}"]),
            (
                vec![
                    update("a"),
                    add("n"),
                    "*** Update File: a\n@@\n-aa\n+x\n".into(),
                ],
                vec!["a {0, 2}", "n {1}"],
            ),
            (
                vec![
                    moved("a", "n"),
                    update("b"),
                    "*** Update File: n\n@@\n-a\n+x\n".into(),
                ],
                vec!["a+n {0, 2}", "b {1}"],
            ),
            (
                vec![
                    add("n"),
                    "*** Update File: n\n@@\n-x\n+y\n".into(),
                    update("c"),
                ],
                vec!["c {2}", "n {0, 1}"],
            ),
            (
                vec![
                    moved("a", "t"),
                    moved("b", "a"),
                    moved("t", "b"),
                    update("c"),
                ],
                vec!["a+b {0, 1, 2}", "c {3}"],
            ),
            (
                vec![delete("b"), moved("a", "b"), add("a")],
                vec!["a+b {0, 1, 2}"],
            ),
            (
                vec![delete("a"), add("a/n"), update("b")],
                vec!["a+a/n {0, 1}", "b {2}"],
            ),
            (
                vec![delete("d/e"), add("d"), update("b")],
                vec!["b {2}", "d+d/e {0, 1}"],
            ),
            (vec![add("n"), delete("n"), update("b")], vec!["b {2}"]),
            (
                vec![add("d/.gitattributes"), add("d/n"), update("b")],
                vec!["b {2}", "d/.gitattributes+d/n {0, 1}"],
            ),
        ] {
            let response = format!("*** Begin Patch\n{}*** End Patch\n", edits.concat());
            assert_eq!(
                taken_apart(&response, &tree, Case::Counts),
                want,
                "{response}"
            );
        }
    }

    #[test]
    fn twins_belong_together_where_case_tells_nothing_apart() {
        let tree = MemoryTree::new().with("A", "a\n");
        let response = "*** Begin Patch\n*** Delete File: A\n*** Add File: a\n+x\n*** Add File: \
             b\n+x\n*** End Patch\n";
        assert_eq!(
            taken_apart(response, &tree, Case::Counts),
            ["A {0}", "a {1}", "b {2}"]
        );
        assert_eq!(
            taken_apart(response, &tree, Case::Ignored),
            ["A+a {0, 1}", "b {2}"]
        );
    }

    #[test]
    fn edits_that_are_left_out_take_their_places_with_them() {
        let response = "*** Begin Patch\n*** Update File: a\n-a\n+1\n*** Update File: b\n-b\n+1\n*** \
             Update File: c\n-c\n+1\n*** End Patch\n";
        let source = Source::new(SourceId(0), "answer", response.into()).unwrap();
        let mut patches = [crate::response::parse(&source, &format::Options::default()).patch];
        let tree = MemoryTree::new()
            .with("a", "a\n")
            .with("b", "b\n")
            .with("c", "c\n");
        let Plan { mut placements, .. } =
            plan(&patches, &tree, &Resolver::default(), &Rules::default()).unwrap();
        leave_out(&mut patches, &mut placements, &BTreeSet::from([1]));
        let left: Vec<_> = patches[0]
            .edits
            .iter()
            .map(|edit| edit.path.to_vec())
            .collect();
        assert_eq!(left, [b"a", b"c"]);
        let places: Vec<_> = placements
            .iter()
            .map(|place| (place.edit, place.path.to_string()))
            .collect();
        assert_eq!(places, [(0, "a".to_owned()), (1, "c".to_owned())]);
    }
}
