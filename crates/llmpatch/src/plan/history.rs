//! What edits of a response have done to each file so far, so that it is noticed when one takes
//! back another.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use crate::path::RepoPath;
use crate::text::same_ends;

/// What edits have done to each file.
#[derive(Default)]
pub(super) struct History {
    done: HashMap<RepoPath, Steps>,
}

/// What edits have done to one file.
#[derive(Default)]
struct Steps {
    all: Vec<Step>,
    /// No step has changed anything behind this offset.
    end: usize,
}

/// The ranges of bytes that one edit has changed, in order.
type Step = Vec<Changed>;

/// Where changed bytes are now, and what was and is there.
struct Changed {
    start: usize,
    new_len: usize,
    old: u64,
    new: u64,
}

/// Bytes that go: where they are, and how many bytes go and come up to their end.
type Gone = (Range<usize>, usize, usize);

impl Changed {
    fn end(&self) -> usize {
        self.start + self.new_len
    }

    /// Moves it as an edit above it does; returns whether it is left as it was.
    fn moves(&mut self, gone: &[Gone]) -> bool {
        let above =
            gone.partition_point(|(range, ..)| range.end <= self.start && range.start < self.start);
        let is_kept = gone
            .get(above)
            .is_none_or(|(range, ..)| self.end() <= range.start);
        if let Some((_, gone, come)) = above.checked_sub(1).map(|above| &gone[above]) {
            self.start = self.start + come - gone;
        }
        is_kept
    }
}

impl History {
    /// How many steps are remembered of each file.
    const REMEMBERED: usize = 100;

    /// Records bytes that go, given by their offsets in order, and of those that come in their
    /// place. Returns whether that takes back an earlier edit.
    pub(super) fn note<'b>(
        &mut self,
        path: &RepoPath,
        changes: impl IntoIterator<Item = (usize, Cow<'b, [u8]>, &'b [u8])>,
    ) -> bool {
        // Of each, where it ends before and how far what is behind it moves.
        let mut step = Step::new();
        let mut before = Vec::new();
        let mut gone = 0;
        let mut come = 0;
        for (start, old, new) in changes {
            let (same, end) = same_ends(&old, new);
            let start = start + same;
            let old = &old[same..old.len() - end];
            let new = &new[same..new.len() - end];
            if old.is_empty() && new.is_empty() {
                continue;
            }
            step.push(Changed {
                start: start + come - gone,
                new_len: new.len(),
                old: hash(old),
                new: hash(new),
            });
            (gone, come) = (gone + old.len(), come + new.len());
            before.push((start..start + old.len(), gone, come));
        }
        if step.is_empty() {
            return false;
        }
        let Steps { all, end } = self.done.entry(path.clone()).or_default();
        let is_behind_all = before[0].0.start > *end;
        let is_undone = !is_behind_all
            && all.iter().any(|earlier| {
                earlier.len() == step.len()
                    && earlier.iter().zip(&step).zip(&before).all(
                        |((earlier, now), (range, ..))| {
                            let place =
                                (earlier.start, earlier.new_len) == (range.start, range.len());
                            place && (earlier.old, earlier.new) == (now.new, now.old)
                        },
                    )
            });
        if !is_behind_all {
            all.retain_mut(|earlier| earlier.iter_mut().all(|earlier| earlier.moves(&before)));
        }
        if all.len() == Self::REMEMBERED {
            all.remove(0);
        }
        // Edits mostly come in the file's order.
        *end = match is_behind_all {
            true => step.iter().map(Changed::end).max().unwrap_or_default(),
            false => all
                .iter()
                .chain([&step])
                .flatten()
                .map(Changed::end)
                .max()
                .unwrap_or_default(),
        };
        all.push(step);
        is_undone
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_taken_back_is_noticed_whatever_the_order(
            edits in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..3, "[ab]{0,2}"), 1..40),
        ) {
            let path = RepoPath::new(b"f").unwrap();
            let mut history = History::default();
            let mut slow = History::default();
            let mut file = b"abababab".to_vec();
            for (start, len, new) in edits {
                let start = start.index(file.len() + 1);
                let old = file[start..file.len().min(start + len)].to_vec();
                let note = |history: &mut History| history.note(&path, [(start, Cow::Borrowed(&old[..]), new.as_bytes())]);
                // Then nothing is behind all.
                slow.done.entry(path.clone()).or_default().end = usize::MAX;
                prop_assert_eq!(note(&mut history), note(&mut slow));
                file.splice(start..start + old.len(), new.bytes());
            }
        }
    }

    #[test]
    fn what_is_taken_back_is_noticed_wherever_it_has_moved() {
        let path = RepoPath::new(b"f").unwrap();
        for (states, want) in [
            (&["a b c", "a X c", "a b c"][..], &[false, true][..]),
            (
                &["a b c", "a X c", "Y Z X c", "Y Z b c"],
                &[false, false, true],
            ),
            (&["a b c", "a X c", "a X Y", "a b Y"], &[false, false, true]),
            (
                &["a b c", "a X c", "a Y c", "a b c"],
                &[false, false, false],
            ),
            (&["x b", "x c", "y c"], &[false, false]),
            (&["ab", "axb", "ab", "axb"], &[false, true, true]),
            (&["a b", "b b", "b a"], &[false, false]),
            (&["", "a", "a"], &[false, false]),
        ] {
            let mut history = History::default();
            let got: Vec<_> = states
                .windows(2)
                .map(|pair| {
                    history.note(
                        &path,
                        [(0, Cow::Borrowed(pair[0].as_bytes()), pair[1].as_bytes())],
                    )
                })
                .collect();
            assert_eq!(got, want, "{states:?}");
        }
    }
}
