//! Apply, then undo, is the identity: over changes that are made up.

use proptest::collection::vec;
use proptest::prelude::*;

use super::last::{looks, undo};
use super::*;

/// Where files are, and where some could be: as files and as the directories of others.
const PATHS: [&str; 16] = [
    "a",
    "b",
    "tool",
    "secret",
    "directory/only",
    "deep/er/file",
    "Readme",
    "deep",
    "deep/er",
    "directory",
    "a/b",
    "a/b/c",
    "new/x",
    "new/x/y",
    "new/z z",
    "é",
];

/// What is done at a path: a file with this many lines and this mode, or none.
type Origin = (usize, Option<(usize, bool)>);

fn origin() -> impl Strategy<Value = Origin> {
    (
        0..PATHS.len(),
        proptest::option::weighted(0.6, (0..4usize, any::<bool>())),
    )
}

/// Does what can be done, one thing after the other, to the files that are there; returns what is
/// different then.
fn changes_of(tree: &dyn Tree, deeds: &[Origin]) -> ChangeSet {
    let at = |name: &str| match tree.read(&path(name)).unwrap() {
        Entry::File(file) => Some(file),
        _ => None,
    };
    let before: BTreeMap<&str, File> = PATHS
        .iter()
        .filter_map(|name| Some((*name, at(name)?)))
        .collect();
    let mut after = before.clone();
    for (nth, (which, what)) in deeds.iter().enumerate() {
        let name = PATHS[*which];
        let is_near =
            |other: &&str| path(other).is_below(&path(name)) || path(name).is_below(&path(other));
        match what {
            None => drop(after.remove(name)),
            Some((lines, executable)) if !after.keys().any(is_near) => {
                let content = format!("{nth} of {name}\n").repeat(*lines).into_bytes();
                let plain = before.get(name).map_or(Mode::PLAIN, |file| file.mode);
                after.insert(
                    name,
                    File {
                        content: content.into(),
                        mode: Mode {
                            executable: *executable,
                            ..plain
                        },
                    },
                );
            }
            Some(_) => {}
        }
    }
    ChangeSet::new(PATHS.map(|name| Change {
        path: path(name),
        before: before.get(name).cloned(),
        after: after.get(name).cloned(),
        from: None,
    }))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: few(24), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn apply_then_undo_is_the_identity(deeds in vec(origin(), 1..10), target in 0..4usize) {
        let target = targets().swap_remove(target);
        let sample = sample();
        let repo = sample.open();
        let changes = changes_of(&*tree_of(&repo, &target), &deeds);
        prop_assume!(!changes.is_empty());
        let before = looks(&sample);
        begin(&repo, &changes, target.clone(), Progress::default(), &mut Vec::new()).unwrap().publish().unwrap();
        prop_assert!(looks(&sample) != before);
        let done = undo(&sample).unwrap();
        prop_assert_eq!(done.warnings, []);
        prop_assert_eq!(looks(&sample), before);
    }
}
