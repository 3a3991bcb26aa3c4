//! Markers of patches that were left over in files: what stays where a response was pasted, or half
//! of a patch applied by hand.
//!
//! Knows contents and nothing of where they are from. Only lines count that a content has and the
//! other hadn't: an author whose file has these lines already means them.

use bstr::{BString, ByteSlice as _};

use crate::compare::{Compare, CompareError};
use crate::format::envelope;
use crate::path::RepoPath;
use crate::text::{LineNo, Lines};

/// A line that is `*** Begin Patch` or `*** End Patch`, at the start of the line, and that was
/// added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this added line is the `{marker}` of a patch")]
pub struct Leftover {
    /// The file.
    pub path: BString,
    /// The line.
    pub line: LineNo,
    /// The marker, as it ought to be written.
    pub marker: &'static str,
}

/// Finds the markers among the lines that `new` has and `old` hadn't.
///
/// # Errors
/// If the contents can't be compared.
pub fn leftovers(
    path: &RepoPath,
    old: &[u8],
    new: &[u8],
    compare: &dyn Compare,
) -> Result<Vec<Leftover>, CompareError> {
    let mut found = markers(new);
    if !found.is_empty() && !markers(old).is_empty() {
        let regions = compare.regions(path, old, new)?;
        found.retain(|(line, _)| {
            regions
                .iter()
                .any(|region| region.new.contains(&line.index()))
        });
    }
    Ok(found
        .into_iter()
        .map(|(line, marker)| Leftover {
            path: path.as_bstr().into(),
            line,
            marker,
        })
        .collect())
}

/// Returns whether a content has any marker at all.
pub fn has_markers(content: &[u8]) -> bool {
    !markers(content).is_empty()
}

/// Finds every marker, without looking at more of a content than the places where stars are.
fn markers(content: &[u8]) -> Vec<(LineNo, &'static str)> {
    let mut found = Vec::new();
    let mut line = 0;
    let mut counted = 0;
    let bom = Lines::bom_len(content);
    for at in content.find_iter("*** ") {
        if at != bom && content[..at].last() != Some(&b'\n') {
            continue;
        }
        let rest = &content[at..];
        let Some(marker) = envelope::boundary(&rest[..rest.find_byte(b'\n').unwrap_or(rest.len())])
        else {
            continue;
        };
        line += memchr::memchr_iter(b'\n', &content[counted..at]).count();
        counted = at;
        found.push((LineNo::from_index(line), marker));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(content: &[u8]) -> Vec<u32> {
        markers(content)
            .into_iter()
            .map(|(line, _)| line.get())
            .collect()
    }

    #[test]
    fn markers_stand_at_the_start_of_a_line() {
        for (content, want) in [
            (&b""[..], &[][..]),
            (b"*** Begin Patch", &[1]),
            (b"\xef\xbb\xbf*** Begin Patch\n", &[1]),
            (b"a\n*** Begin Patch\nb\n*** End Patch\r\n", &[2, 4]),
            (b"*** End Patch \t\n*** End Patch ***\n", &[1, 2]),
            (b" *** Begin Patch\n+*** End Patch\n// *** End Patch\n", &[]),
            (b"a\r*** Begin Patch\r", &[]),
            (b"*** Begin patch\n*** End Patches\n*** Add File: a\n", &[]),
            (b"*** *** Begin Patch\n", &[]),
        ] {
            assert_eq!(lines(content), want, "{:?}", content.as_bstr());
        }
    }
}
