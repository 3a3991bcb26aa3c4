//! What may be done to a patch on its way: encodings of mails, colours of a terminal, escapes.
//!
//! None of them is undone. They are named, with what undoes them: as an error where something else
//! than what was meant may be read in spite of them, and else as what is nearly a patch.

use bstr::ByteSlice as _;

use super::near::{Near, NearLine};
use crate::text::{Row, Source, decode, starts_with_any_case, trim};

/// What is known by a line. A row whose patch may be read in spite of it, as something else than was
/// meant, is half of a change.
pub(super) const ENCODINGS: [Near; 5] = [
    Near {
        what: "a mail has a transfer encoding",
        instead: "decode it: `git mailinfo /dev/null /dev/stdout <mail` prints what to give",
        is_half: true,
        found: |line| {
            let line = line.text();
            const NAME: &[u8] = b"content-transfer-encoding:";
            const PLAIN: [&str; 3] = ["7bit", "8bit", "binary"];
            let is_plain = |value: &[u8]| {
                PLAIN
                    .iter()
                    .any(|plain| starts_with_any_case(value, plain.as_bytes()))
            };
            starts_with_any_case(line, NAME) && !is_plain(trim(&line[NAME.len()..]))
        },
    },
    Near {
        what: "a patch has the colours of a terminal",
        instead: "print it again with `--no-color`",
        is_half: true,
        found: |line| line.text().starts_with(b"\x1b") && begins(uncoloured(line.text())),
    },
    Near {
        what: "the line ends of a patch are written out as `\\n`",
        instead: "give each line a line of its own; what was cut out of JSON, `jq -r .` prints so, if it is given with its quotes",
        is_half: false,
        found: |line| {
            let line = line.text();
            let mut marks = ["*** Begin Patch", "<<<<<<< SEARCH"].into_iter();
            // JSON says itself what its strings are.
            !line.first().is_some_and(|first| b"|{[".contains(first))
                && marks.any(|mark| {
                    let (before, behind) = line.split_once_str(mark).unwrap_or_default();
                    let written = behind.trim_start_with(|c| c == '\\');
                    written.len() < behind.len()
                        && written.starts_with(b"n")
                        && !before.ends_with(b"`")
                })
        },
    },
    Near {
        what: "the signs of a patch are written as entities, `&lt;` for `<`",
        instead: "write `<`, `>` and `&` plainly: nothing in a patch is decoded",
        is_half: false,
        found: |line| line.text().starts_with(b"&") && begins(&decode(head(line.text()))),
    },
    Near {
        what: "the signs of a patch have backslashes before them",
        instead: "write them plainly: nothing in a patch is decoded",
        is_half: false,
        found: |line| {
            line.text().starts_with(b"\\") && begins(&head(line.text()).replace(br"\", b""))
        },
    },
];

/// Returns what was done to the patch that a line shows which is in no patch.
pub(super) fn encoding(source: &Source, row: Row<'_>) -> Option<&'static Near> {
    let line = NearLine::alone(source, row);
    ENCODINGS.iter().find(|row| (row.found)(line))
}

/// Returns whether a line begins as the first line of a patch or of a part of one does.
fn begins(line: &[u8]) -> bool {
    const STARTS: [&str; 9] = [
        "*** Begin Patch",
        "<edit ",
        "<opx>",
        "<<<<<<< SEARCH",
        "------- SEARCH",
        "diff --git ",
        "+++ ",
        "@@ -",
        "*** End Patch",
    ];
    STARTS.iter().any(|start| line.starts_with_str(start))
}

/// Returns what no marker is longer than, however it is written.
fn head(line: &[u8]) -> &[u8] {
    &line[..line.len().min(200)]
}

/// Returns a line behind the escape sequences that it begins with.
fn uncoloured(line: &[u8]) -> &[u8] {
    let mut rest = line;
    while let Some(sequence) = rest.strip_prefix(b"\x1b[")
        && let Some(end) = sequence.find_not_byteset(b"0123456789;:")
    {
        rest = &sequence[end + 1..];
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{LineNo, SourceId};

    #[test]
    fn encodings_are_known_by_a_line() {
        let rows = [
            ("Content-Transfer-Encoding: quoted-printable", "transfer"),
            ("content-transfer-encoding:BASE64\r", "transfer"),
            ("Content-Transfer-Encoding: 8bit", ""),
            ("Content-Transfer-Encoding: 7bit; x", ""),
            ("\x1b[1mdiff --git a/x b/x\x1b[m", "colours"),
            ("\x1b[m\x1b[36;1m@@ -1 +1 @@\x1b[m", "colours"),
            ("\x1b[31m-x\x1b[m", ""),
            ("\x1b[31mfailed\x1b[m", ""),
            ("\x1b", ""),
            (r"*** Begin Patch\n*** Update File: a", "line ends"),
            (r#"const p = "*** Begin Patch\\n";"#, "line ends"),
            (r"`*** Begin Patch`, \n", ""),
            (r"`*** Begin Patch\n`", ""),
            (r"| *** Begin Patch\n", ""),
            (r#"{"x": "*** Begin Patch\n"}"#, ""),
            ("&lt;edit file=\"a\"&gt;", "entities"),
            ("&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH", "entities"),
            ("&lt;b&gt; &lt;edit ", ""),
            (r"\*\*\* Begin Patch", "backslashes"),
            (r"\<edit file=\", "backslashes"),
            (r"\* a list", ""),
        ];
        for (line, name) in rows {
            let source = Source::new(SourceId(0), "r", line.into()).expect("short");
            let row = source.row(LineNo::FIRST).expect("a line");
            let what = encoding(&source, row).map_or("", |row| row.what);
            assert!(
                what.contains(name) && what.is_empty() == name.is_empty(),
                "{line}: {what}"
            );
        }
    }
}
