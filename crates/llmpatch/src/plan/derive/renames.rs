//! Which of the deleted and new files of a change git would show as renames.
//!
//! The same steps in the same order as git's (seen in 2.47), since each step takes what the step
//! before left: equal contents; then, for names that only one deleted and one new file have in
//! their last part, contents that are alike by three quarters; then the best of all pairs that are
//! alike by half. What the patch itself moved doesn't count: a moved file of which little is left
//! is shown as `git diff` shows it, deleted and new.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::similarity::{EQUAL, Pieces, RENAME, lengths_differ_too_much};

/// A deleted or a new file.
pub(super) struct Candidate<'a> {
    path: &'a [u8],
    content: &'a [u8],
    is_text: bool,
    pieces: OnceCell<Pieces>,
}

impl<'a> Candidate<'a> {
    /// Names a file and what it held, or will hold, as git stores it.
    pub(super) fn new(path: &'a [u8], content: &'a [u8], is_text: bool) -> Self {
        Self {
            path,
            content,
            is_text,
            pieces: OnceCell::new(),
        }
    }

    fn name(&self) -> &'a [u8] {
        self.path
            .rsplit(|&byte| byte == b'/')
            .next()
            .unwrap_or_default()
    }

    fn pieces(&self) -> &Pieces {
        self.pieces
            .get_or_init(|| Pieces::new(self.content, self.is_text))
    }

    fn score(&self, other: &Candidate<'_>) -> u64 {
        if lengths_differ_too_much(self.content.len(), other.content.len()) {
            return 0;
        }
        self.pieces().score(other.pieces())
    }
}

/// A new file that was a deleted one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rename {
    /// The index of the deleted file.
    pub(super) source: usize,
    /// How similar they are, in percent.
    pub(super) similarity: u8,
}

/// Finds for each new file the deleted file that it was; each deleted file becomes one new file at
/// most.
pub(super) fn detect(
    deleted: &[Candidate<'_>],
    new: &[Candidate<'_>],
    limit: usize,
) -> Vec<Option<Rename>> {
    let mut search = Search {
        deleted,
        new,
        used: vec![false; deleted.len()],
        found: vec![None; new.len()],
    };
    search.by_content();
    search.by_name();
    search.by_likeness(limit);
    search.found
}

/// How many pairs are kept for each new file.
const PAIRS: usize = 4;

struct Search<'s, 'a> {
    deleted: &'s [Candidate<'a>],
    new: &'s [Candidate<'a>],
    used: Vec<bool>,
    found: Vec<Option<Rename>>,
}

impl Search<'_, '_> {
    /// How many deleted files of equal content are looked at for a new file.
    const TWINS: usize = 100;
    /// The lowest score at which a name that is the same decides.
    const SAME_NAME: u64 = RENAME + (EQUAL - RENAME) / 2;
    fn record(&mut self, new: usize, source: usize, score: u64) {
        self.used[source] = true;
        self.found[new] = Some(Rename {
            source,
            similarity: (score * 100 / EQUAL) as u8,
        });
    }

    fn left_deleted(&self) -> Vec<usize> {
        (0..self.deleted.len())
            .filter(|&at| !self.used[at])
            .collect()
    }

    fn left_new(&self) -> Vec<usize> {
        (0..self.new.len())
            .filter(|&at| self.found[at].is_none())
            .collect()
    }

    fn by_content(&mut self) {
        let mut holders: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for (at, file) in self.deleted.iter().enumerate() {
            holders.entry(file.content).or_default().push(at);
        }
        for at in 0..self.new.len() {
            let file = &self.new[at];
            let Some(twins) = holders.get(file.content) else {
                continue;
            };
            let mut left = twins
                .iter()
                .copied()
                .filter(|&twin| !self.used[twin])
                .take(Self::TWINS);
            let first = left.clone().next();
            if let Some(source) = left
                .find(|&twin| self.deleted[twin].name() == file.name())
                .or(first)
            {
                self.record(at, source, EQUAL);
            }
        }
    }

    fn by_name(&mut self) {
        let sources = only_of_their_name(self.deleted, self.left_deleted());
        let targets = only_of_their_name(self.new, self.left_new());
        for source in self.left_deleted() {
            let name = self.deleted[source].name();
            let (Some(Some(_)), Some(&Some(target))) = (sources.get(name), targets.get(name))
            else {
                continue;
            };
            let score = self.deleted[source].score(&self.new[target]);
            if score >= Self::SAME_NAME {
                self.record(target, source, score);
            }
        }
    }

    fn by_likeness(&mut self, limit: usize) {
        let sources = self.left_deleted();
        let targets = self.left_new();
        if limit > 0 && sources.len().saturating_mul(targets.len()) > limit.saturating_mul(limit) {
            return;
        }
        let mut pairs = Vec::new();
        for &new in &targets {
            let mut best: [Option<Pair>; PAIRS] = [None; PAIRS];
            for &source in &sources {
                let file = &self.deleted[source];
                let other = &self.new[new];
                let pair = Pair {
                    score: file.score(other),
                    same_name: file.name() == other.name(),
                    new,
                    source,
                };
                // The first of the worst gives way, and only to a better one. An empty place is
                // worse than anything.
                let worst = (0..PAIRS).min_by_key(|&at| best[at].map(Pair::rank));
                let worst = &mut best[worst.expect("there is a place")];
                if worst.map(Pair::rank) < Some(pair.rank()) {
                    *worst = Some(pair);
                }
            }
            pairs.extend(best);
        }
        let mut pairs: Vec<Pair> = pairs.into_iter().flatten().collect();
        pairs.sort_by_key(|pair| std::cmp::Reverse(pair.rank()));
        for pair in pairs.into_iter().take_while(|pair| pair.score >= RENAME) {
            if self.found[pair.new].is_none() && !self.used[pair.source] {
                self.record(pair.new, pair.source, pair.score);
            }
        }
    }
}

/// A deleted and a new file, and what speaks for their being one.
#[derive(Clone, Copy)]
struct Pair {
    score: u64,
    same_name: bool,
    new: usize,
    source: usize,
}

impl Pair {
    fn rank(self) -> (u64, bool) {
        (self.score, self.same_name)
    }
}

/// Returns for each name that occurs the only file that has it, or `None` where several have.
fn only_of_their_name<'a>(
    files: &[Candidate<'a>],
    among: Vec<usize>,
) -> HashMap<&'a [u8], Option<usize>> {
    let mut names = HashMap::new();
    for at in among {
        names
            .entry(files[at].name())
            .and_modify(|only| *only = None)
            .or_insert(Some(at));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(range: std::ops::Range<u8>) -> String {
        range.map(|line| format!("line {line:02}\n")).collect()
    }

    fn candidates<'a>(files: &'a [(&str, String)]) -> Vec<Candidate<'a>> {
        files
            .iter()
            .map(|(path, content)| Candidate::new(path.as_bytes(), content.as_bytes(), true))
            .collect()
    }

    fn found(
        deleted: &[(&str, String)],
        new: &[(&str, String)],
        limit: usize,
    ) -> Vec<Option<(usize, u8)>> {
        let found = detect(&candidates(deleted), &candidates(new), limit);
        found
            .into_iter()
            .map(|rename| rename.map(|Rename { source, similarity }| (source, similarity)))
            .collect()
    }

    #[test]
    fn equal_contents_come_first_and_prefer_the_name() {
        let old = [("a/x", lines(0..9)), ("a/y", lines(0..9))];
        let new = [
            ("b/y", lines(0..9)),
            ("b/z", lines(0..9)),
            ("b/w", lines(0..9)),
        ];
        assert_eq!(
            found(&old, &new, 1000),
            [Some((1, 100)), Some((0, 100)), None]
        );
    }

    #[test]
    fn a_name_that_only_two_have_goes_before_a_better_content() {
        let old = [("a/x", lines(0..20))];
        let new = [("b/w", lines(0..19)), ("b/x", lines(0..16))];
        assert_eq!(found(&old, &new, 1000), [None, Some((0, 80))]);
        let new = [("b/w", lines(0..19)), ("b/x", lines(0..14))];
        assert_eq!(
            found(&old, &new, 1000),
            [Some((0, 95)), None],
            "less than three quarters in common"
        );
    }

    #[test]
    fn beyond_the_limit_only_contents_and_names_are_compared() {
        let old = [
            ("a", lines(0..20)),
            ("b", lines(40..60)),
            ("c", lines(70..90)),
        ];
        let new = [
            ("d", lines(1..20)),
            ("x/b", lines(41..60)),
            ("e", lines(71..90)),
        ];
        assert_eq!(found(&old, &new, 1), [None, Some((1, 95)), None]);
        assert_eq!(
            found(&old, &new, 2),
            [Some((0, 95)), Some((1, 95)), Some((2, 95))]
        );
        assert_eq!(
            found(&old, &new, 0),
            [Some((0, 95)), Some((1, 95)), Some((2, 95))]
        );
    }
}
