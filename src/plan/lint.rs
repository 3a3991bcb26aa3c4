//! Lints: what applies and still looks like a slip of its author, and what is done about each.
//!
//! None of them changes what a patch does. A lint that is told to be an error makes a fault of what it finds, so that nothing
//! is changed.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::kind::Kind;
use crate::patch::{FileEdit, Mark, Operation};
use crate::path::RepoPath;
use crate::text::{Lines, Located, Text};

/// What is done about what a lint finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing.
    Ignore,
    /// It is a warning.
    #[default]
    Warn,
    /// It is an error.
    Error,
}

/// What is done about each lint: a warning, unless said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lints([Verdict; Lints::ALL.len()]);

impl Lints {
    /// All lints. The name of each is its kind's code.
    pub const ALL: [Kind; 7] = [
        Kind::Elision,
        Kind::ConflictMarkers,
        Kind::PatchMarkers,
        Kind::MixedIndentation,
        Kind::EmptiedFile,
        Kind::Undone,
        Kind::SmallReplace,
    ];

    /// A warning for each.
    pub const DEFAULT: Lints = Lints([Verdict::Warn; Lints::ALL.len()]);

    /// Says what is done about a lint; what isn't one stays a warning.
    #[must_use]
    pub fn with(mut self, lint: Kind, verdict: Verdict) -> Self {
        if let Some(at) = Self::ALL.iter().position(|kind| *kind == lint) {
            self.0[at] = verdict;
        }
        self
    }

    pub(super) fn verdict(&self, kind: Kind) -> Verdict {
        Self::ALL.iter().position(|lint| *lint == kind).map_or(Verdict::Warn, |at| self.0[at])
    }
}

/// What a lint found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Finding {
    /// An added line is a marker of a conflict.
    #[error("this line is a conflict marker")]
    ConflictMarker,
    /// An added line is a marker of a patch.
    #[error("this line is a marker of a patch, and would be part of the file")]
    PatchMarker,
    /// A line indented with spaces, in a file that has tabs.
    #[error("this line is indented with spaces, the rest of the file with tabs")]
    SpacesAmongTabs,
    /// A line indented with tabs, in a file that has spaces.
    #[error("this line is indented with tabs, the rest of the file with spaces")]
    TabsAmongSpaces,
    /// Nothing is left of the file's text.
    #[error("this edit leaves nothing in the file")]
    Emptied,
    /// What an earlier edit did is taken back.
    #[error("this edit takes back what an earlier edit of the response did")]
    Undone,
    /// The whole file is replaced for a few lines.
    #[error("the whole file is replaced, and {changed} of its {total} lines change")]
    SmallReplace {
        /// How many lines change.
        changed: usize,
        /// How many there are.
        total: usize,
    },
}

impl Finding {
    pub(super) fn kind(self) -> Kind {
        match self {
            Finding::ConflictMarker => Kind::ConflictMarkers,
            Finding::PatchMarker => Kind::PatchMarkers,
            Finding::SpacesAmongTabs | Finding::TabsAmongSpaces => Kind::MixedIndentation,
            Finding::Emptied => Kind::EmptiedFile,
            Finding::Undone => Kind::Undone,
            Finding::SmallReplace { .. } => Kind::SmallReplace,
        }
    }

    pub(super) fn help(self) -> Option<&'static str> {
        match self {
            Finding::SmallReplace { .. } => Some("op=\"patch\" would leave the other lines alone for certain"),
            Finding::Emptied => Some("if the file is to go, delete it"),
            _ => None,
        }
    }
}

/// Looks at what one edit makes of one file.
pub(super) fn findings(edit: &FileEdit<'_>, before: &[u8], after: &[u8]) -> Vec<Located<Finding>> {
    let mut found = Vec::new();
    let added = added(edit);
    let mut first = |is: &dyn Fn(&[u8]) -> bool, finding| {
        // Who has such lines already means them.
        if let Some(line) = added.iter().find(|line| is(line))
            && !Lines::new(before).iter().any(|line| is(line.text))
        {
            found.push(Located::new(line.span, finding));
        }
    };
    first(&is_conflict_marker, Finding::ConflictMarker);
    first(&is_patch_marker, Finding::PatchMarker);
    match indented(before) {
        Some(Blank::Tab) => first(&|line| indentation(line) == Some(Blank::Space), Finding::SpacesAmongTabs),
        Some(Blank::Space) => first(&|line| indentation(line) == Some(Blank::Tab), Finding::TabsAmongSpaces),
        None => {}
    }
    let whole = |finding| Located::new(edit.span, finding);
    let is_blank = |content: &[u8]| content.trim_ascii().is_empty();
    if is_blank(after) && !is_blank(before) {
        found.push(whole(Finding::Emptied));
    }
    if matches!(edit.operation, Operation::Replace { .. })
        && let Some((changed, total)) = few_changes(before, after)
    {
        found.push(whole(Finding::SmallReplace { changed, total }));
    }
    found
}

/// The lines that an edit puts into a file and doesn't take out of it.
fn added<'e, 't>(edit: &'e FileEdit<'t>) -> Vec<&'e Text<'t>> {
    match &edit.operation {
        Operation::Create { lines } | Operation::Replace { lines } => lines.iter().collect(),
        Operation::Substitute(edit) => {
            let old: HashSet<&[u8]> = edit.find.iter().map(|line| &line[..]).collect();
            edit.put.iter().filter(|line| !old.contains(&line[..])).collect()
        }
        Operation::Update { hunks, .. } => {
            let lines = || hunks.iter().flat_map(|hunk| &hunk.lines);
            let removed = lines().filter(|line| line.mark == Mark::Removed).map(|line| &line.text[..]);
            let removed: HashSet<&[u8]> = removed.collect();
            let added = lines().filter(|line| line.mark == Mark::Added && !removed.contains(&line.text[..]));
            added.map(|line| &line.text).collect()
        }
        _ => Vec::new(),
    }
}

/// Seven of a kind, alone or with a name behind them. Seven `=` alone are a heading's underline too.
fn is_conflict_marker(line: &[u8]) -> bool {
    [b"<<<<<<<", b"|||||||", b">>>>>>>"].iter().any(|marker| {
        let rest = line.strip_prefix(&marker[..]);
        rest.is_some_and(|rest| rest.is_empty() || (rest.starts_with(b" ") && !rest.trim_ascii().is_empty()))
    })
}

fn is_patch_marker(line: &[u8]) -> bool {
    const WHOLE: [&[u8]; 5] = [b"*** Begin Patch", b"*** End Patch", b"*** End of File", b"<opx>", b"</opx>"];
    const HEADERS: [&[u8]; 4] = [b"*** Add File: ", b"*** Update File: ", b"*** Delete File: ", b"*** Move to: "];
    WHOLE.contains(&line.trim_ascii_end()) || HEADERS.iter().any(|header| line.starts_with(header))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Blank {
    Tab,
    Space,
}

/// Returns what a line is indented with: a tab, or two spaces at least, since one goes before the `*` of a comment.
fn indentation(line: &[u8]) -> Option<Blank> {
    match line {
        _ if line.trim_ascii().is_empty() => None,
        [b'\t', ..] => Some(Blank::Tab),
        [b' ', b' ', ..] => Some(Blank::Space),
        _ => None,
    }
}

/// Returns what a file is indented with, if that is one thing and it is so often enough to be meant.
fn indented(content: &[u8]) -> Option<Blank> {
    const ENOUGH: usize = 10;
    let (mut tabs, mut spaces) = (0, 0);
    for line in Lines::new(content).iter() {
        match indentation(line.text) {
            Some(Blank::Tab) => tabs += 1,
            Some(Blank::Space) => spaces += 1,
            None => {}
        }
        if tabs > 0 && spaces > 0 {
            return None;
        }
    }
    if tabs >= ENOUGH { Some(Blank::Tab) } else { (spaces >= ENOUGH).then_some(Blank::Space) }
}

/// Counts the lines that change, where they are some and less than one in twenty.
fn few_changes(before: &[u8], after: &[u8]) -> Option<(usize, usize)> {
    let (before, after) = (Lines::new(before), Lines::new(after));
    let mut left: HashMap<&[u8], isize> = HashMap::new();
    before.iter().for_each(|line| *left.entry(line.text).or_default() += 1);
    after.iter().for_each(|line| *left.entry(line.text).or_default() -= 1);
    let sum = |counts: &mut dyn Iterator<Item = isize>| counts.sum::<isize>().unsigned_abs();
    let gone = sum(&mut left.values().copied().filter(|count| *count > 0));
    let come = sum(&mut left.values().copied().filter(|count| *count < 0));
    let changed = gone.max(come);
    (changed > 0 && changed * 20 < before.len()).then_some((changed, before.len()))
}

/// What edits have done to each file so far, to know when one is taken back.
#[derive(Default)]
pub(super) struct History {
    done: HashMap<RepoPath, Vec<Step>>,
}

/// The bytes that an edit has changed: where they stand now, and what was and is there.
struct Step {
    start: usize,
    new_len: usize,
    old: u64,
    new: u64,
}

impl History {
    /// How many steps are remembered of each file.
    const REMEMBERED: usize = 100;

    /// Takes note of an edit, and returns whether it takes back an earlier one.
    pub(super) fn note(&mut self, path: &RepoPath, before: &[u8], after: &[u8]) -> bool {
        let start = before.iter().zip(after).take_while(|(a, b)| a == b).count();
        let tails = before[start..].iter().rev().zip(after[start..].iter().rev());
        let end = tails.take_while(|(a, b)| a == b).count();
        let (old, new) = (&before[start..before.len() - end], &after[start..after.len() - end]);
        if old.is_empty() && new.is_empty() {
            return false;
        }
        let step = Step { start, new_len: new.len(), old: hash(old), new: hash(new) };
        let steps = self.done.entry(path.clone()).or_default();
        let is_undone = steps.iter().any(|earlier| {
            let place = (earlier.start, earlier.new_len) == (start, old.len());
            place && (earlier.old, earlier.new) == (step.new, step.old)
        });
        steps.retain_mut(|earlier| {
            if earlier.start >= start + old.len() && earlier.start > start {
                earlier.start = earlier.start - old.len() + new.len();
                return true;
            }
            earlier.start + earlier.new_len <= start
        });
        if steps.len() == Self::REMEMBERED {
            steps.remove(0);
        }
        steps.push(step);
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
    use super::*;

    #[test]
    fn markers_are_told_from_what_looks_like_them() {
        for (line, conflict, patch) in [
            ("<<<<<<< HEAD", true, false),
            (">>>>>>> theirs", true, false),
            ("|||||||", true, false),
            ("=======", false, false),
            ("<<<<<<<<", false, false),
            ("<<<<<<<x", false, false),
            (" <<<<<<< HEAD", false, false),
            ("*** Begin Patch", false, true),
            ("*** End Patch  ", false, true),
            ("*** Update File: a", false, true),
            (" *** End Patch", false, false),
            ("*** note", false, false),
        ] {
            assert_eq!(is_conflict_marker(line.as_bytes()), conflict, "{line}");
            assert_eq!(is_patch_marker(line.as_bytes()), patch, "{line}");
        }
    }

    #[test]
    fn what_is_taken_back_is_noticed_wherever_it_has_moved() {
        let path = RepoPath::new(b"f").unwrap();
        for (states, want) in [
            (&["a b c", "a X c", "a b c"][..], &[false, true][..]),
            (&["a b c", "a X c", "Y Z X c", "Y Z b c"], &[false, false, true]),
            (&["a b c", "a X c", "a X Y", "a b Y"], &[false, false, true]),
            (&["a b c", "a X c", "a Y c", "a b c"], &[false, false, false]),
            (&["x b", "x c", "y c"], &[false, false]),
            (&["ab", "axb", "ab", "axb"], &[false, true, true]),
            (&["a b", "b b", "b a"], &[false, false]),
            (&["", "a", "a"], &[false, false]),
        ] {
            let mut history = History::default();
            let got: Vec<_> =
                states.windows(2).map(|pair| history.note(&path, pair[0].as_bytes(), pair[1].as_bytes())).collect();
            assert_eq!(got, want, "{states:?}");
        }
    }
}
