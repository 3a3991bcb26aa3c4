//! What a patch changes, in numbers: `--stat`, `--numstat` and `--summary`, as `git diff` prints
//! them.
//!
//! `git apply` has options of the same names and writes renames and long names another way; one
//! patch should not be shown in two ways, so `git diff` is followed throughout.

use std::ops::Range;

use bstr::ByteSlice as _;
use unicode_width::UnicodeWidthStr as _;

use super::quote::Quoting;
use crate::patch::{Binary, FileEdit, Header, Mark, Operation, Patch, Status};
use crate::text::{same_end, same_start};

/// What ends a name in [`numstat`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Termination {
    /// A newline; names are quoted.
    #[default]
    Line,
    /// A NUL (`-z`); names are as they are.
    Nul,
}

/// Prints how much of each file changes, with a graph, in at most `width` columns where that is
/// possible.
pub fn stat(patch: &Patch<'_>, quoting: Quoting, width: usize) -> Vec<u8> {
    let files: Vec<_> = patch.edits.iter().filter_map(FileStat::of).collect();
    if files.is_empty() {
        return Vec::new();
    }
    let names: Vec<_> = files.iter().map(|file| file.shown(quoting)).collect();
    let columns = Columns::fit(&files, &names, width);
    let mut out = Vec::new();
    for (file, name) in files.iter().zip(&names) {
        columns.row(file, name, &mut out);
    }
    let texts = || files.iter().filter(|file| file.binary().is_none());
    let added = texts().map(|file| file.added).sum();
    let removed = texts().map(|file| file.removed).sum();
    out.extend(total(files.len(), added, removed).bytes());
    out
}

/// Prints how many lines come and go in each file, and its name, for programs; dashes for a binary
/// file.
pub fn numstat(patch: &Patch<'_>, quoting: Quoting, termination: Termination) -> Vec<u8> {
    let mut out = Vec::new();
    for file in patch.edits.iter().filter_map(FileStat::of) {
        match file.header.binary {
            Some(_) => out.extend(b"-\t-\t"),
            None => out.extend(format!("{}\t{}\t", file.added, file.removed).bytes()),
        }
        match (termination, file.from) {
            (Termination::Line, _) => out.extend([&file.shown(quoting)[..], b"\n"].concat()),
            (Termination::Nul, None) => out.extend([file.path, b"\0"].concat()),
            (Termination::Nul, Some(from)) => {
                out.extend([b"\0", from, b"\0", file.path, b"\0"].concat())
            }
        }
    }
    out
}

/// Prints the names of the files that change, of a renamed one the new name.
pub fn name_only(patch: &Patch<'_>, quoting: Quoting, termination: Termination) -> Vec<u8> {
    patch
        .edits
        .iter()
        .filter_map(FileStat::of)
        .flat_map(|file| match termination {
            Termination::Line => [&quoting.quote("", file.path)[..], b"\n"].concat(),
            Termination::Nul => [file.path, b"\0"].concat(),
        })
        .collect()
}

/// Prints which files come, go, are renamed or change their mode.
pub fn summary(patch: &Patch<'_>, quoting: Quoting) -> Vec<u8> {
    let mut out = Vec::new();
    for file in patch.edits.iter().filter_map(FileStat::of) {
        let name = file.shown(quoting);
        let Header {
            status,
            old_mode,
            new_mode,
            similarity,
            ..
        } = file.header;
        let modes = match (old_mode, new_mode) {
            (Some(old), Some(new)) if old != new => {
                Some(format!(" mode change {old:06o} => {new:06o}"))
            }
            _ => None,
        };
        let line: Option<Vec<u8>> = match (status, old_mode, new_mode) {
            (Status::Added, _, Some(mode)) => {
                Some([format!(" create mode {mode:06o} ").as_bytes(), &name].concat())
            }
            (Status::Deleted, Some(mode), _) => {
                Some([format!(" delete mode {mode:06o} ").as_bytes(), &name].concat())
            }
            (Status::Renamed | Status::Copied, ..) => {
                let verb = if *status == Status::Renamed {
                    " rename "
                } else {
                    " copy "
                };
                let percent = format!(" ({}%)", similarity.unwrap_or_default());
                let modes = modes.map(|modes| format!("\n{modes}")).unwrap_or_default();
                Some([verb.as_bytes(), &name, percent.as_bytes(), modes.as_bytes()].concat())
            }
            _ => modes.map(|modes| [modes.as_bytes(), b" ", &name].concat()),
        };
        if let Some(line) = line {
            out.extend(line);
            out.push(b'\n');
        }
    }
    out
}

/// A file and how many of its lines come and go.
pub struct FileStat<'p> {
    header: &'p Header,
    from: Option<&'p [u8]>,
    /// Its path afterwards.
    pub path: &'p [u8],
    /// How many lines come.
    pub added: usize,
    /// How many lines go.
    pub removed: usize,
}

impl<'p> FileStat<'p> {
    /// Counts the lines of an edit that a diff has.
    pub fn of(edit: &'p FileEdit<'_>) -> Option<Self> {
        let (Some(header), Operation::Update { to, hunks }) = (&edit.header, &edit.operation)
        else {
            return None;
        };
        let marks = || hunks.iter().flat_map(|hunk| &hunk.lines);
        Some(Self {
            header,
            from: to.as_ref().map(|_| &*edit.path),
            path: to.as_deref().unwrap_or(&edit.path),
            added: marks().filter(|line| line.mark == Mark::Added).count(),
            removed: marks().filter(|line| line.mark == Mark::Removed).count(),
        })
    }

    fn changed(&self) -> usize {
        self.added + self.removed
    }

    fn shown(&self, quoting: Quoting) -> Vec<u8> {
        match self.from {
            None => quoting.quote("", self.path),
            Some(from) if quoting.applies(from) || quoting.applies(self.path) => [
                &quoting.quote("", from)[..],
                b" => ",
                &quoting.quote("", self.path),
            ]
            .concat(),
            Some(from) => arrow(from, self.path),
        }
    }

    /// Returns the binary patch, if it is one.
    pub fn binary(&self) -> Option<&'p Binary> {
        self.header.binary.as_ref()
    }
}

/// Joins two names, what they share at both ends written once: `src/{old => new}/lib.rs`.
fn arrow(old: &[u8], new: &[u8]) -> Vec<u8> {
    let prefix = old[..same_start(old, new)]
        .rfind_byte(b'/')
        .map_or(0, |slash| slash + 1);
    // The slash that ends the prefix may begin the suffix too.
    let shared = prefix.saturating_sub(1);
    let alike = same_end(&old[shared..], &new[shared..]);
    let suffix = old[old.len() - alike..]
        .find_byte(b'/')
        .map_or(0, |slash| alike - slash);
    let middle = |name: &[u8]| -> Range<usize> { prefix..(name.len() - suffix).max(prefix) };
    let from = &old[middle(old)];
    let to = &new[middle(new)];
    if prefix + suffix == 0 {
        return [from, b" => ", to].concat();
    }
    [
        &old[..prefix],
        b"{",
        from,
        b" => ",
        to,
        b"}",
        &old[old.len() - suffix..],
    ]
    .concat()
}

/// How the columns of a row are divided between names and graphs.
struct Columns {
    name: usize,
    number: usize,
    graph: usize,
    most: usize,
}

impl Columns {
    /// Gives names and graphs what they want, or where that is too much 5/8 and 3/8 of the width,
    /// unless one needs less.
    fn fit(files: &[FileStat<'_>], names: &[Vec<u8>], width: usize) -> Self {
        let longest = names
            .iter()
            .map(|name| columns(name))
            .max()
            .unwrap_or_default();
        let lines = files.iter().filter(|file| file.binary().is_none());
        let most = lines.map(FileStat::changed).max().unwrap_or_default();
        let binary = files.iter().filter_map(FileStat::binary);
        let sizes = binary
            .map(|change| 14 + digits(written(change).0) + digits(written(change).1))
            .max();
        let number = digits(most as u64).max(if sizes.is_some() { 3 } else { 0 });

        let width = width.max(16 + 6 + number);
        let sizes = sizes.unwrap_or_default();
        let mut name = longest;
        let mut graph = if most + 4 > sizes { most } else { sizes - 4 };
        if name + number + 6 + graph > width {
            let share = (width * 3 / 8).saturating_sub(number + 6);
            if graph > share {
                graph = share.max(6);
            }
            let left = width - number - 6;
            if name > left - graph {
                name = left - graph;
            } else {
                graph = left - name;
            }
        }
        Self {
            name,
            number,
            graph,
            most,
        }
    }

    fn row(&self, file: &FileStat<'_>, name: &[u8], out: &mut Vec<u8>) {
        let (cut, name) = self.cut(name);
        let room = if cut {
            self.name.saturating_sub(3)
        } else {
            self.name
        };
        out.extend(if cut { &b" ..."[..] } else { b" " });
        out.extend(name);
        out.extend(vec![b' '; room.saturating_sub(columns(name))]);
        let number = self.number;
        let text = match file.binary() {
            Some(change) => match written(change) {
                (0, 0) => format!(" | {:>number$}\n", "Bin"),
                (old, new) => format!(" | {:>number$} {old} -> {new} bytes\n", "Bin"),
            },
            None if file.changed() == 0 => format!(" | {:>number$}\n", 0),
            None => {
                let (plus, minus) = self.graph(file);
                format!(
                    " | {:>number$} {}{}\n",
                    file.changed(),
                    "+".repeat(plus),
                    "-".repeat(minus)
                )
            }
        };
        out.extend(text.bytes());
    }

    /// Cuts a name that is too long at its left, at a slash where one is left.
    fn cut<'n>(&self, name: &'n [u8]) -> (bool, &'n [u8]) {
        if columns(name) <= self.name {
            return (false, name);
        }
        let room = self.name.saturating_sub(3);
        let mut rest = name;
        while columns(rest) > room {
            let (_, len) = bstr::decode_utf8(rest);
            rest = &rest[len..];
        }
        (
            true,
            rest.find_byte(b'/').map_or(rest, |slash| &rest[slash..]),
        )
    }

    fn graph(&self, file: &FileStat<'_>) -> (usize, usize) {
        let added = file.added;
        let removed = file.removed;
        if self.graph > self.most {
            return (added, removed);
        }
        let least = if added > 0 && removed > 0 { 2 } else { 0 };
        let total = self.scaled(added + removed).max(least);
        let fewer = self.scaled(added.min(removed));
        if added < removed {
            (fewer, total - fewer)
        } else {
            (total - fewer, fewer)
        }
    }

    /// Returns how many signs lines get where each can't have its own.
    fn scaled(&self, count: usize) -> usize {
        match count {
            0 => 0,
            _ => 1 + count * (self.graph - 1) / self.most,
        }
    }
}

/// Returns the sizes that are written; where the content stays, none are.
fn written(change: &Binary) -> (u64, u64) {
    if change.text.is_empty() {
        (0, 0)
    } else {
        (change.old_len, change.new_len)
    }
}

fn columns(name: &[u8]) -> usize {
    name.to_str_lossy().width()
}

fn digits(number: u64) -> usize {
    number.checked_ilog10().unwrap_or_default() as usize + 1
}

/// Sums a change up, as `git diff --shortstat` does.
pub fn total(files: usize, added: usize, removed: usize) -> String {
    let mut line = format!(" {} changed", counted(files, "file", "files"));
    if added > 0 || removed == 0 {
        line += &format!(", {}(+)", counted(added, "insertion", "insertions"));
    }
    if removed > 0 || added == 0 {
        line += &format!(", {}(-)", counted(removed, "deletion", "deletions"));
    }
    line + "\n"
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_names_share_is_written_once() {
        for (old, new, want) in [
            ("a", "b", "a => b"),
            ("d/a", "d/b", "d/{a => b}"),
            ("d/a", "e/a", "{d => e}/a"),
            ("a", "d/a", "a => d/a"),
            ("d/x/a", "d/y/a", "d/{x => y}/a"),
            ("d/a", "d/x/a", "d/{ => x}/a"),
            ("d/x/a", "d/a", "d/{x => }/a"),
            ("abc", "abd", "abc => abd"),
        ] {
            assert_eq!(
                arrow(old.as_bytes(), new.as_bytes()).as_bstr(),
                want,
                "{old} {new}"
            );
        }
    }

    #[test]
    fn totals_name_what_there_is() {
        for (files, added, removed, want) in [
            (1, 1, 0, " 1 file changed, 1 insertion(+)\n"),
            (2, 0, 2, " 2 files changed, 2 deletions(-)\n"),
            (
                1,
                0,
                0,
                " 1 file changed, 0 insertions(+), 0 deletions(-)\n",
            ),
            (1, 1, 1, " 1 file changed, 1 insertion(+), 1 deletion(-)\n"),
            (2, 5, 0, " 2 files changed, 5 insertions(+)\n"),
            (1, 2, 1, " 1 file changed, 2 insertions(+), 1 deletion(-)\n"),
        ] {
            assert_eq!(total(files, added, removed), want);
        }
    }
}
