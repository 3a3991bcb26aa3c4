//! Lints: what applies and still looks like a slip of its author, and what is done about each.
//!
//! None of them changes what a patch does. A lint that is told to be an error makes an error of
//! what it finds, so that nothing is changed.

use std::cell::OnceCell;
use std::collections::HashSet;

use bstr::ByteSlice as _;

use super::elision;
use crate::kind::Kind;
use crate::patch::{FileEdit, HunkLine, Mark, Operation, Status, Substitution};
use crate::search::Document;
use crate::text::{Lines, Located, Splice, Text, same_ends};

/// What is done about what a lint finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing.
    Ignore,
    /// It is a warning.
    Warn,
    /// It is an error.
    Error,
}

/// What is done about each lint, where something was said about it. Else what it finds is a
/// warning, and only what [`Finding::ElidedFile`] says is an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lints([Option<Verdict>; Lints::ALL.len()]);

impl Lints {
    /// All lints. The name of each is its kind's code.
    pub const ALL: [Kind; 9] = [
        Kind::Elision,
        Kind::ConflictMarkers,
        Kind::PatchMarkers,
        Kind::HiddenCharacters,
        Kind::MixedIndentation,
        Kind::Executes,
        Kind::EmptiedFile,
        Kind::Undone,
        Kind::SmallReplace,
    ];

    /// Nothing said about any.
    #[cfg(test)]
    pub(super) const NONE: Lints = Lints([None; Lints::ALL.len()]);

    /// Sets what is done about a lint; what isn't one stays a warning.
    #[must_use]
    pub fn with(mut self, lint: Kind, verdict: Verdict) -> Self {
        if let Some(at) = Self::ALL.iter().position(|kind| *kind == lint) {
            self.0[at] = Some(verdict);
        }
        self
    }

    pub(super) fn verdict(&self, kind: Kind) -> Option<Verdict> {
        Self::ALL
            .iter()
            .position(|lint| *lint == kind)
            .and_then(|at| self.0[at])
    }
}

/// What a lint found.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Finding {
    /// An added line stands for code.
    #[error("this line looks as if code had been left out")]
    Elided,
    /// A line of what replaces a whole file stands for code, and the file loses lines.
    #[error("this line looks as if code had been left out, and the file would lose {lost} of its {}", count(*total))]
    ElidedFile { lost: usize, total: usize },
    /// An added line is a marker of a conflict.
    #[error("this line is a conflict marker")]
    ConflictMarker,
    /// An added line is a marker of a patch.
    #[error("this line is a marker of a patch, and would be part of the file")]
    PatchMarker,
    /// An added line has a character that nobody sees, and that the file didn't have.
    #[error("this line has an invisible {}, U+{:04X}", class(*_0), u32::from(*_0))]
    HiddenCharacter(char),
    /// A line indented with spaces, in a file that has tabs.
    #[error("this line is indented with spaces, the rest of the file with tabs")]
    SpacesAmongTabs,
    /// A line indented with tabs, in a file that has spaces.
    #[error("this line is indented with tabs, the rest of the file with spaces")]
    TabsAmongSpaces,
    /// The file runs by itself, or says what does.
    #[error("this file says {_0}")]
    Executes(&'static str),
    /// Nothing is left of the file's text.
    #[error("this edit leaves nothing in the file")]
    Emptied,
    /// What an earlier edit did is taken back.
    #[error("this edit takes back what an earlier edit of the response did")]
    Undone,
    /// The whole file is replaced for a few lines.
    #[error("the whole file is replaced, and {changed} of its {total} lines change")]
    SmallReplace { changed: usize, total: usize },
}

impl Finding {
    /// Returns the stable kind.
    pub fn kind(self) -> Kind {
        match self {
            Finding::Elided | Finding::ElidedFile { .. } => Kind::Elision,
            Finding::ConflictMarker => Kind::ConflictMarkers,
            Finding::PatchMarker => Kind::PatchMarkers,
            Finding::HiddenCharacter(_) => Kind::HiddenCharacters,
            Finding::SpacesAmongTabs | Finding::TabsAmongSpaces => Kind::MixedIndentation,
            Finding::Executes(_) => Kind::Executes,
            Finding::Emptied => Kind::EmptiedFile,
            Finding::Undone => Kind::Undone,
            Finding::SmallReplace { .. } => Kind::SmallReplace,
        }
    }

    /// Returns what is done about it where nothing was said about its lint.
    pub(super) fn verdict(self) -> Verdict {
        if let Finding::ElidedFile { .. } = self {
            Verdict::Error
        } else {
            Verdict::Warn
        }
    }
}

fn count(lines: usize) -> String {
    if lines == 1 {
        "line".into()
    } else {
        format!("{lines} lines")
    }
}

/// Looks at what one edit makes of one file.
pub(super) fn findings(edit: &FileEdit<'_>, before: &[u8], after: &[u8]) -> Vec<Located<Finding>> {
    let added = added(edit);
    let mut found = elision::findings(&added, is_whole(edit), before, after);
    found.extend(in_added(&added, before, || indented(before)));
    let whole = |finding| Located::new(edit.span, finding);
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

/// Looks at what one edit is about to make of a file. What the file is like is looked at as it was
/// read.
pub(super) fn in_document(
    edit: &FileEdit<'_>,
    document: &Document,
    indentation: &OnceCell<Option<Indent>>,
    splices: &[Splice],
) -> Vec<Located<Finding>> {
    let added = added(edit);
    let before = document.base();
    let mut found = elision::findings(&added, false, before, before);
    found.extend(in_added(&added, before, || {
        *indentation.get_or_init(|| indented(before))
    }));
    let ends = splices
        .iter()
        .map(|splice| splice.old.start)
        .chain([document.len()]);
    let mut kept = std::iter::once(0)
        .chain(splices.iter().map(|splice| splice.old.end))
        .zip(ends);
    let is_emptied = splices.iter().all(|splice| is_blank(&splice.new))
        && !splices
            .iter()
            .all(|splice| is_blank(&document.slice(splice.old.clone())))
        && kept.all(|(start, end)| document.parts(start..end).all(is_blank));
    if is_emptied {
        found.push(Located::new(edit.span, Finding::Emptied));
    }
    found
}

/// Looks at the lines that an edit adds to a file.
fn in_added(
    added: &[Added<'_, '_>],
    before: &[u8],
    indented: impl FnOnce() -> Option<Indent>,
) -> Vec<Located<Finding>> {
    let mut found = Vec::new();
    let mut first = |is: &dyn Fn(&[u8]) -> bool, finding| {
        // Who has such lines already means them.
        if let Some(added) = added.iter().find(|added| is(added.line))
            && !Lines::new(before).iter().any(|line| is(line.text))
        {
            found.push(Located::new(added.line.span, finding));
        }
    };
    first(&is_conflict_marker, Finding::ConflictMarker);
    first(&is_patch_marker, Finding::PatchMarker);
    let hidden = added
        .iter()
        .find_map(|added| Some((added, hidden(added.line)?)));
    // Who has it in the file already means it, as those do who write from right to left.
    let hidden = hidden.filter(|(_, hidden)| !before.contains_str(hidden.encode_utf8(&mut [0; 4])));
    found
        .extend(hidden.map(|(added, hidden)| {
            Located::new(added.line.span, Finding::HiddenCharacter(hidden))
        }));
    let of = |indent: Indent| {
        added
            .iter()
            .find(|added| indentation(added.line) == Some(indent))
    };
    let tabs = of(Indent::Tab);
    let spaces = of(Indent::Space);
    let odd = match (tabs.is_some() || spaces.is_some())
        .then(indented)
        .flatten()
    {
        Some(Indent::Tab) => spaces.zip(Some(Finding::SpacesAmongTabs)),
        Some(Indent::Space) => tabs.zip(Some(Finding::TabsAmongSpaces)),
        None => None,
    };
    found.extend(odd.map(|(added, finding)| Located::new(added.line.span, finding)));
    found
}

fn is_blank(content: &[u8]) -> bool {
    content.trim_ascii().is_empty()
}

/// A line that an edit puts into a file and doesn't take out of it.
pub(super) struct Added<'e, 't> {
    pub(super) line: &'e Text<'t>,
    /// The new line before it, if the edit has that.
    pub(super) above: Option<&'e [u8]>,
}

/// How many lines are each looked for among others rather than in a set of these.
const FEW: usize = 8;

fn added<'e, 't>(edit: &'e FileEdit<'t>) -> Vec<Added<'e, 't>> {
    let mut added = Vec::new();
    let mut run = |lines: &mut dyn Iterator<Item = (&'e Text<'t>, bool)>| {
        let mut above = None;
        for (line, is_new) in lines {
            added.extend(is_new.then_some(Added { line, above }));
            above = Some(&line[..]);
        }
    };
    match &edit.operation {
        Operation::Create { lines, .. } | Operation::Replace { lines } => {
            let above = std::iter::once(None).chain(lines.iter().map(|line| Some(&line[..])));
            return lines
                .iter()
                .zip(above)
                .map(|(line, above)| Added { line, above })
                .collect();
        }
        Operation::Substitute(Substitution { find, put, .. }) => {
            // Mostly all lines but a few in the middle are the same.
            let (head, tail) = same_ends(find, put);
            let changed = head..put.len() - tail;
            let is_few = changed.len() <= FEW;
            let old: HashSet<&[u8]> = find
                .iter()
                .filter(|_| !is_few)
                .map(|line| &line[..])
                .collect();
            let is_old = |line| {
                if is_few {
                    find.contains(line)
                } else {
                    old.contains(&line[..])
                }
            };
            run(&mut put
                .iter()
                .enumerate()
                .map(|(nth, line)| (line, changed.contains(&nth) && !is_old(line))));
        }
        Operation::Update { hunks, .. } => {
            let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
            let removed = lines
                .filter(|line| line.mark == Mark::Removed)
                .map(|line| &line.text[..]);
            let removed: HashSet<&[u8]> = removed.collect();
            for hunk in hunks {
                let is_new = |line: &HunkLine<'_>| {
                    line.mark == Mark::Added && !removed.contains(&line.text[..])
                };
                run(&mut hunk.new_lines().map(|line| (&line.text, is_new(line))));
            }
        }
        _ => {}
    }
    added
}

/// Returns whether an edit says all that its file is to hold.
pub(super) fn is_whole(edit: &FileEdit<'_>) -> bool {
    let is_new = edit
        .header
        .as_ref()
        .is_some_and(|header| header.status == Status::Added);
    is_new
        || matches!(
            edit.operation,
            Operation::Create { .. } | Operation::Replace { .. }
        )
}

/// Returns whether a line is a marker of a conflict: seven signs of one kind, alone or with a name
/// behind them. `=======` isn't taken for one, since headings are underlined so, too.
fn is_conflict_marker(line: &[u8]) -> bool {
    [b"<<<<<<<", b"|||||||", b">>>>>>>"].iter().any(|marker| {
        let rest = line.strip_prefix(&marker[..]);
        rest.is_some_and(|rest| {
            rest.is_empty() || (rest.starts_with(b" ") && !rest.trim_ascii().is_empty())
        })
    })
}

fn is_patch_marker(line: &[u8]) -> bool {
    const WHOLE: [&[u8]; 5] = [
        b"*** Begin Patch",
        b"*** End Patch",
        b"*** End of File",
        b"<opx>",
        b"</opx>",
    ];
    const HEADERS: [&[u8]; 4] = [
        b"*** Add File: ",
        b"*** Update File: ",
        b"*** Delete File: ",
        b"*** Move to: ",
    ];
    WHOLE.contains(&line.trim_ascii_end()) || HEADERS.iter().any(|header| line.starts_with(header))
}

/// Returns the first character of a line that nobody sees and that isn't where writing needs it:
/// joiners are between letters and in emoji, tags in flags.
fn hidden(line: &[u8]) -> Option<char> {
    if line.is_ascii() {
        return None;
    }
    let mut before = None;
    let mut is_flag = false;
    line.chars().find(|&character| {
        is_flag = before == Some('\u{1f3f4}') || is_flag && class(character) == TAG;
        let joins = matches!(character, '\u{200c}' | '\u{200d}')
            && before.is_some_and(|before: char| !before.is_ascii());
        let is_mark = character == '\u{feff}' && before.is_none();
        before = Some(character);
        !class(character).is_empty() && !joins && !is_mark && !is_flag
    })
}

const TAG: &str = "tag character";

/// Returns the kind of a character that nobody sees; an empty text of one that is seen.
fn class(character: char) -> &'static str {
    match character {
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            "bidi control"
        }
        '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => {
            "zero-width character"
        }
        '\u{e0000}'..='\u{e007f}' => TAG,
        '\u{e0100}'..='\u{e01ef}' => "variation selector",
        _ => "",
    }
}

/// What lines are indented with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Indent {
    Tab,
    Space,
}

/// Returns what a line is indented with: a tab, or two spaces at least, since one goes before the
/// `*` of a comment.
fn indentation(line: &[u8]) -> Option<Indent> {
    let indent = match line {
        [b'\t', ..] => Indent::Tab,
        [b' ', b' ', ..] => Indent::Space,
        _ => return None,
    };
    (!line.trim_ascii_start().is_empty()).then_some(indent)
}

/// Returns what a file is indented with, if that is one thing and it is so often enough to be
/// meant.
fn indented(file: &[u8]) -> Option<Indent> {
    const ENOUGH: usize = 10;
    let file = file.strip_prefix(Lines::BOM).unwrap_or(file);
    let count = |start: &[u8], indent| {
        let first = file.starts_with(&start[1..]).then_some(0);
        let lines = first
            .into_iter()
            .chain(memchr::memmem::find_iter(file, start).map(|at| at + 1));
        let line = |at: usize| file[at..].lines().next().unwrap_or_default();
        lines
            .filter(|&at| indentation(line(at)) == Some(indent))
            .take(ENOUGH)
            .count()
    };
    match (count(b"\n\t", Indent::Tab), count(b"\n  ", Indent::Space)) {
        (ENOUGH, 0) => Some(Indent::Tab),
        (0, ENOUGH) => Some(Indent::Space),
        _ => None,
    }
}

/// Counts the lines that change, where they are some and less than one in twenty.
fn few_changes(before: &[u8], after: &[u8]) -> Option<(usize, usize)> {
    let before = Lines::new(before);
    let after = Lines::new(after);
    let gone = elision::lost(&before, &after).len();
    let changed = gone.max(after.len() + gone - before.len());
    (changed > 0 && changed * 20 < before.len()).then_some((changed, before.len()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_file_is_indented_as_its_lines_are(
            mark in prop::sample::select(vec!["", "\u{feff}"]),
            lines in prop::collection::vec(prop::sample::select(vec!["  a", "\ta", " a", "a", "  ", "\t\r", ""]), 0..3),
            times in 0_usize..14,
            rest in prop::sample::select(vec!["\t", "  ", "    b\n", ""]),
        ) {
            let file = [mark, &lines.join("\n"), &format!("\n{rest}x").repeat(times)].concat();
            let lines = Lines::new(file.as_bytes());
            let of = |indent| lines.iter().filter(|line| indentation(line.text) == Some(indent)).count();
            let want = match (of(Indent::Tab), of(Indent::Space)) {
                (10.., 0) => Some(Indent::Tab),
                (0, 10..) => Some(Indent::Space),
                _ => None,
            };
            prop_assert!(indented(file.as_bytes()) == want, "{:?}", file);
        }
    }

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
}
