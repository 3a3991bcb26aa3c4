//! The difference between the indentation that a patch shows and the one that the file has, and how to carry it over to new
//! lines.
//!
//! A shift is one of four things, and the same for every line that shows one: nothing; blanks that the file has in front of
//! the patch's; blanks that the patch has in front of the file's; or tabs on one side where the other has the same number of
//! spaces for each. Lines of nothing but blanks show nothing. What fits none of these is no shift: two spaces a level made
//! four, or lines each moved by its own amount.

use std::borrow::Cow;

use bstr::ByteSlice as _;

use super::fuzz::indentation_len;
use super::{Fuzz, ascii};

/// How new lines are to be indented so that they stand to the file's lines as they stand to the patch's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shift {
    kind: Kind,
    /// Whether odd spaces in an indentation are taken for spaces.
    folds: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    None,
    /// Put these blanks in front.
    Deeper(Vec<u8>),
    /// Take these blanks away from the front.
    Shallower(Vec<u8>),
    /// Put a tab for every so many spaces.
    Tabs(usize),
    /// Put so many spaces for every tab.
    Spaces(usize),
}

impl Shift {
    /// Finds the shift that every pair of a patch's line and the file's line for it shows.
    ///
    /// # Errors
    /// Returns the first pair that doesn't go with those before it, by its number from 0.
    pub fn shown<'l>(pairs: impl IntoIterator<Item = (&'l [u8], &'l [u8])>, level: Fuzz) -> Result<Self, usize> {
        let mut shown: Option<Vec<Kind>> = None;
        let mut folds = false;
        for (number, (patch, file)) in pairs.into_iter().enumerate() {
            if level.form(patch).is_empty() {
                continue;
            }
            let (raw_patch, raw_file) = (indentation(patch, level), indentation(file, level));
            folds |= raw_patch != raw_file && !(raw_patch.is_ascii() && raw_file.is_ascii());
            let kinds = kinds(&plain(raw_patch), &plain(raw_file));
            let common: Vec<_> = match &shown {
                None => kinds,
                // Two spaces for no tab, and no space for no tab: what both may be.
                Some(before) => {
                    before.iter().filter(|kind| kinds.iter().any(|other| *kind == other)).cloned().collect()
                }
            };
            if common.is_empty() {
                return Err(number);
            }
            shown = Some(common);
        }
        let kind = shown.and_then(|kinds| kinds.into_iter().next()).unwrap_or_default();
        Ok(Self { kind, folds })
    }

    /// Shifts a new line. A line of nothing but blanks stays as it is. `None` if the line doesn't have the blanks that are to
    /// be taken away, or has others than those that are to be counted.
    pub fn apply<'l>(&self, line: &'l [u8]) -> Option<Cow<'l, [u8]>> {
        let level = if self.folds { Fuzz::Unicode } else { Fuzz::Indent };
        if level.form(line).is_empty() || (self.kind == Kind::None && !self.folds) {
            return Some(Cow::Borrowed(line));
        }
        let raw = indentation(line, level);
        let (old, rest) = (plain(raw), &line[raw.len()..]);
        let new = match &self.kind {
            Kind::None => old.into_owned(),
            Kind::Deeper(more) => [more, &*old].concat(),
            Kind::Shallower(less) => old.strip_prefix(&less[..])?.to_vec(),
            Kind::Tabs(unit) => {
                let spaces = all(&old, b' ')?;
                [b"\t".repeat(spaces / unit), b" ".repeat(spaces % unit)].concat()
            }
            Kind::Spaces(unit) => {
                let tabs = old.iter().take_while(|&&byte| byte == b'\t').count();
                let behind = all(&old[tabs..], b' ')?;
                b" ".repeat(tabs.checked_mul(*unit)?.checked_add(behind)?)
            }
        };
        Some(Cow::Owned([&new, rest].concat()))
    }
}

/// Returns all shifts that one pair of indentations may show, the likeliest first. Blanks that need no shift may still be
/// part of a change from tabs to spaces if there are none.
fn kinds(patch: &[u8], file: &[u8]) -> Vec<Kind> {
    if patch.is_empty() && file.is_empty() {
        return [Kind::None].into_iter().chain((1..=WIDEST).flat_map(|n| [Kind::Tabs(n), Kind::Spaces(n)])).collect();
    }
    if patch == file {
        return vec![Kind::None];
    }
    if let Some(more) = file.strip_suffix(patch) {
        return vec![Kind::Deeper(more.to_vec())];
    }
    if let Some(less) = patch.strip_suffix(file) {
        return vec![Kind::Shallower(less.to_vec())];
    }
    let unit = |spaces: &[u8], tabs: &[u8]| {
        let (spaces, tabs) = (all(spaces, b' ')?, all(tabs, b'\t')?);
        let unit = spaces.checked_div(tabs)?;
        (unit * tabs == spaces && (1..=WIDEST).contains(&unit)).then_some(unit)
    };
    let tabs = unit(patch, file).map(Kind::Tabs);
    tabs.or_else(|| unit(file, patch).map(Kind::Spaces)).into_iter().collect()
}

/// How many spaces a tab is worth at most.
const WIDEST: usize = 8;

/// Returns how many blanks there are, if all are the same.
fn all(blanks: &[u8], blank: u8) -> Option<usize> {
    blanks.iter().all(|&byte| byte == blank).then_some(blanks.len())
}

/// Returns the blanks that a line begins with, as they are.
fn indentation(line: &[u8], level: Fuzz) -> &[u8] {
    if level < Fuzz::Unicode || line.is_ascii() {
        return &line[..indentation_len(line)];
    }
    let end = line.char_indices().find(|(_, _, c)| !matches!(ascii(*c), ' ' | '\t')).map_or(line.len(), |(at, ..)| at);
    &line[..end]
}

/// Returns blanks with spaces for odd ones.
fn plain(blanks: &[u8]) -> Cow<'_, [u8]> {
    if blanks.is_ascii() {
        return Cow::Borrowed(blanks);
    }
    Cow::Owned(blanks.chars().map(ascii).collect::<String>().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shifted(pairs: &[(&str, &str)], new: &str, level: Fuzz) -> Result<Option<String>, usize> {
        let pairs = pairs.iter().map(|(patch, file)| (patch.as_bytes(), file.as_bytes()));
        let shift = Shift::shown(pairs, level)?;
        Ok(shift.apply(new.as_bytes()).map(|line| String::from_utf8(line.into_owned()).unwrap()))
    }

    #[test]
    fn new_lines_are_shifted_as_the_others_are() {
        for (pairs, new, want) in [
            (&[("a", "a")][..], "  x", Ok(Some("  x"))),
            (&[("a", "  a"), ("  b", "    b")], "    x", Ok(Some("      x"))),
            (&[("a", "\ta"), ("\tb", "\t\tb")], "x", Ok(Some("\tx"))),
            (&[("    a", "a"), ("      b", "  b")], "    x", Ok(Some("x"))),
            (&[("    a", "a")], "  x", Ok(None)),
            (&[("    a", "a")], "    ", Ok(Some("    "))),
            (&[("    a", "a")], "", Ok(Some(""))),
            (&[("    a", "\ta"), ("        b", "\t\tb")], "            x", Ok(Some("\t\t\tx"))),
            (&[("a", "a"), ("  b", "\tb")], "     x", Ok(Some("\t\t x"))),
            (&[("\ta", "    a"), ("c", "c")], "\t\t x", Ok(Some("         x"))),
            (&[("\ta", "    a")], " \tx", Ok(None)),
            (&[("    a", "\ta")], "\tx", Ok(None)),
            (&[("  a", "    a"), ("    b", "        b")], "x", Err(1)),
            (&[("a", " a"), ("b", "  b")], "x", Err(1)),
            (&[("a", "a"), ("b", "  b")], "x", Err(1)),
            (&[("a", " a"), ("", "   "), ("  ", ""), ("b", " b")], "x", Ok(Some(" x"))),
            (&[("   a", "\t\ta")], "x", Err(0)),
            (&[(" \ta", "\t a")], "x", Err(0)),
            (&[("", "")], "  x", Ok(Some("  x"))),
        ] {
            assert_eq!(shifted(pairs, new, Fuzz::Indent), want.map(|to| to.map(str::to_owned)), "{pairs:?} {new:?}");
        }
    }

    #[test]
    fn odd_spaces_in_front_become_the_files_blanks() {
        for (pairs, new, want) in [
            (&[("\u{a0}\u{a0}a", "  a")][..], "\u{a0}\u{a0}x\u{a0}", Some("  x\u{a0}")),
            (&[("\u{a0}\u{a0}a", "\u{a0}\u{a0}a")], "\u{a0}x", Some("\u{a0}x")),
            (&[("\u{a0}a", "\ta")], "\u{a0}\u{a0}x", Some("\t\tx")),
            (&[("  a", "\u{a0}\u{a0}a")], "  x", Some("  x")),
        ] {
            let got = shifted(pairs, new, Fuzz::Unicode).unwrap();
            assert_eq!(got.as_deref(), want, "{pairs:?} {new:?}");
        }
    }
}
