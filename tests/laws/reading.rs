//! Laws of finding and reading patches.

use bstr::ByteSlice as _;
use llmpatch::format::unified::{self, Quoting, print};
use llmpatch::format::{self, Options};
use llmpatch::patch::{FileEdit, Format, Header, Operation, Patch, Status};
use llmpatch::respond;
use llmpatch::response::{self, Parsed};
use llmpatch::text::{Lines, Located, Source};

use super::{source, told, turn};

/// Reads bytes as a response, and as one that is in a part of another.
pub fn response(bytes: &[u8]) {
    turn(bytes, [read, within])(bytes);
}

/// What is around a patch says whether it is read, and never of which file it is. (A patch that is
/// cut off may take in what is behind it.)
fn within(bytes: &[u8]) {
    let bytes = bytes.strip_prefix(Lines::BOM).unwrap_or(bytes);
    let alone = source(bytes);
    let alone = response::parse(&alone, &Options::default());
    // Marks of reasoning are text in a fence, so that what they hide isn't hidden there.
    let is_all_read = alone.parts.iter().all(|part| part.why.is_none());
    if !alone.errors.is_empty() || !is_all_read {
        return;
    }
    let quoted: Vec<u8> = bytes
        .lines_with_terminator()
        .flat_map(|line| [b"> ", line].concat())
        .collect();
    let lines = &if bytes.ends_with(b"\n") {
        bytes.to_vec()
    } else {
        [bytes, b"\n"].concat()
    }[..];
    // JSON has no other text.
    let message = bytes.to_str().map_or(Vec::new(), |text| {
        let message = serde_json::json!({ "role": "assistant", "content": text });
        message.to_string().into_bytes()
    });
    let wrapped = [
        ("````\n", "````"),
        ("<!--\n", "-->"),
        ("<think>\n", "</think>"),
        ("git apply <<'END-OF-IT'\n", "END-OF-IT"),
    ];
    let wrapped = wrapped
        .into_iter()
        .filter(|(_, close)| !bytes.contains_str(close))
        .map(|(open, close)| [open.as_bytes(), lines, close.as_bytes(), b"\n"].concat());
    for around in wrapped.chain([message, quoted]) {
        let around = source(&around);
        let inside = response::parse(&around, &Options::default());
        if inside.errors.is_empty() {
            let mut rest = alone.patch.edits.iter();
            let is_one = |edit: &FileEdit<'_>| rest.any(|one| same(one, edit));
            assert!(
                inside.patch.edits.iter().all(is_one),
                "{:?} says something else in {:?}",
                bytes.as_bstr(),
                around.bytes().as_bstr()
            );
        }
    }
}

/// Returns whether two edits are of the same file.
fn same(one: &FileEdit<'_>, other: &FileEdit<'_>) -> bool {
    (&one.path, &one.root) == (&other.path, &other.root)
}

/// Reads bytes leniently and strictly, as whatever they are or, by the turn of their length, as one
/// format.
fn read(bytes: &[u8]) {
    let source = source(bytes);
    let read = |format, strict| {
        let parsed = response::parse(
            &source,
            &Options {
                format,
                strict,
                ..Options::default()
            },
        );
        sound(&source, &parsed);
        parsed
    };
    let formats = [
        Format::Envelope,
        Format::Opx,
        Format::Unified,
        Format::Blocks,
        Format::Tool,
        Format::Files,
    ];
    let format = turn(bytes, [0_usize, 1, 2, 3, 4, 5, 6])
        .checked_sub(1)
        .map(|asked| formats[asked]);
    let (lenient, strict) = (read(format, false), read(format, true));
    if strict.errors.is_empty() {
        assert!(
            lenient.errors.is_empty(),
            "only strictly it can be read: {:?}",
            lenient.errors
        );
    }
    if lenient.errors.is_empty() && lenient.warnings.is_empty() {
        // Hunks without numbers are no unified diff to the letter, and need no warning else: they
        // are placed only where nothing is in doubt.
        let is_unnumbered = |error: &Located<response::Error>| {
            matches!(
                error.value,
                response::Error::Format(format::Error::Unified(unified::Error::NoNumbers))
            )
        };
        assert!(
            strict.errors.iter().all(is_unnumbered),
            "what strict refuses carries a warning: {:?}",
            strict.errors
        );
        let is_numbered = lenient.patch.edits.iter().all(has_numbers);
        assert_eq!(
            strict.errors.is_empty(),
            is_numbered || lenient.patch.format != Format::Unified
        );
        if strict.errors.is_empty() {
            assert_eq!(lenient.patch, strict.patch);
        }
    }
    if format.is_none() && lenient.errors.is_empty() {
        let asked = read(Some(lenient.patch.format), false);
        assert!(
            asked.errors.is_empty(),
            "as the format that it is, it can't be read: {:?}",
            asked.errors
        );
        assert_eq!(asked.patch, lenient.patch);
    }
}

/// Reads bytes as the inside of an envelope, unless they begin one themselves.
pub fn envelope(bytes: &[u8]) {
    let whole = if bytes.starts_with(b"*** Begin Patch") {
        bytes.to_vec()
    } else {
        [b"*** Begin Patch\n", bytes, b"\n*** End Patch\n"].concat()
    };
    turn(bytes, [read, same_in_prose, same_with_crlf])(&whole);
}

/// Reads bytes as the inside of an edit, unless they begin one themselves, and as a payload.
pub fn opx(bytes: &[u8]) {
    let whole = if bytes.starts_with(b"<") {
        bytes.to_vec()
    } else {
        [b"<edit file=\"f\" op=\"patch\">\n", bytes, b"\n</edit>\n"].concat()
    };
    turn(bytes, [read, same_in_prose, same_with_crlf])(&whole);
    payload(bytes);
}

/// Reads bytes as the sections of a unified diff, unless they begin one themselves: their first
/// line is the rest of a header.
pub fn unified(bytes: &[u8]) {
    let whole = if bytes.starts_with(b"diff --git ") || bytes.starts_with(b"--- ") {
        bytes.to_vec()
    } else {
        [b"--- a/f\n+++ b/f\n@@ -", bytes, b"\n"].concat()
    };
    turn(
        bytes,
        [read, same_in_prose, same_with_crlf, same_when_printed],
    )(&whole);
}

/// Reads bytes as the lines of a search/replace block, unless they begin one themselves.
pub fn blocks(bytes: &[u8]) {
    let whole = if bytes.contains_str("<<<<<<< SEARCH") || bytes.contains_str("------- SEARCH") {
        bytes.to_vec()
    } else {
        [b"f.rs\n<<<<<<< SEARCH\n", bytes, b"\n>>>>>>> REPLACE\n"].concat()
    };
    let printed = |bytes: &[u8]| same_text_when_printed(bytes, Format::Blocks);
    turn(bytes, [read, same_in_prose, same_with_crlf, printed])(&whole);
}

/// Reads bytes as a member of a tool call, unless they begin one themselves.
pub fn tool(bytes: &[u8]) {
    let whole = if bytes.starts_with(b"{") || bytes.starts_with(b"[") {
        bytes.to_vec()
    } else {
        [
            b"{\"path\":\"f\",\"old_string\":\"a\",\"new_string\":",
            bytes,
            b"}\n",
        ]
        .concat()
    };
    let printed = |bytes: &[u8]| same_text_when_printed(bytes, Format::Tool);
    turn(bytes, [read, same_in_prose, same_with_crlf, printed])(&whole);
}

/// Reads bytes as a program, in a fence and in a call, and as a patch that a program hands over.
pub fn literal(bytes: &[u8]) {
    turn(bytes, [in_fences, in_call, handed_over])(bytes);
}

fn in_fences(bytes: &[u8]) {
    for language in ["js", "python"] {
        read(&[b"````", language.as_bytes(), b"\n", bytes, b"\n````\n"].concat());
    }
}

fn in_call(bytes: &[u8]) {
    for name in ["exec", "python", "execute"] {
        let input = serde_json::json!({ "code": bytes.to_str_lossy() });
        let call =
            serde_json::json!({ "type": "tool_use", "id": "1", "name": name, "input": input });
        read(call.to_string().as_bytes());
    }
}

/// A patch that is handed over as a string is read as it is by itself, or refused.
fn handed_over(bytes: &[u8]) {
    let text = format!("*** Begin Patch\n{}\n*** End Patch\n", bytes.to_str_lossy());
    let literal = serde_json::json!(text).to_string();
    let program = source(format!("```js\nawait tools.apply_patch({literal});\n```\n").as_bytes());
    let program = response::parse(&program, &Options::default());
    let alone = source(text.as_bytes());
    let alone = response::parse(&alone, &Options::default());
    if program.errors.is_empty() {
        assert!(alone.errors.is_empty(), "{:?}", alone.errors);
        assert_eq!(program.patch, alone.patch);
    }
}

/// Reads bytes as what is before a command that is handed a patch: a script in a fence and the same
/// in a call are read in the same directory.
pub fn command(bytes: &[u8]) {
    const PATCH: &str = "\napply_patch <<'END-OF-IT'\n*** Begin Patch\n*** Add File: f\n+x\n*** End Patch\nEND-OF-IT\n";
    let Ok(text) = bytes.to_str() else { return };
    let script = [text, PATCH].concat();
    let fence = ["````sh\n", &script, "````\n"].concat();
    let call = serde_json::json!({"name": "bash", "input": {"command": script}}).to_string();
    read(turn(bytes, [&fence, &call, &script]).as_bytes());
    let [fence, call] = [&fence, &call].map(|text| source(text.as_bytes()));
    let [fence, call] = [&fence, &call].map(|text| response::parse(text, &Options::default()));
    if fence.errors.is_empty() && call.errors.is_empty() {
        let mut others = call.patch.edits.iter();
        assert_eq!(fence.patch.edits.len(), others.len(), "{script:?}");
        let is_same = |edit| others.next().is_some_and(|other| same(edit, other));
        assert!(fence.patch.edits.iter().all(is_same), "{script:?}");
    }
}

/// What was read of blocks or calls is printed as ones that are read as the same, or the format
/// says that it can't.
fn same_text_when_printed(bytes: &[u8], format: Format) {
    let first = source(bytes);
    let first = response::parse(
        &first,
        &Options {
            format: Some(format),
            ..Options::default()
        },
    );
    if !first.errors.is_empty() {
        return;
    }
    let Ok(printed) = respond::print(&first.patch) else {
        return;
    };
    for strict in [false, true] {
        let printed = source(&printed);
        let again = response::parse(
            &printed,
            &Options {
                strict,
                ..Options::default()
            },
        );
        assert!(again.errors.is_empty(), "{again:?}");
        // A block may repeat another, and then be a part of the same run.
        assert_eq!(again.patch, first.patch);
    }
}

/// Checks what is true of every reading.
fn sound(source: &Source, parsed: &Parsed<'_>) {
    told(source, &parsed.errors, &parsed.warnings);
    if parsed.errors.is_empty() {
        assert!(!parsed.patch.edits.is_empty(), "an empty patch is an error");
        let unread = parsed
            .patch
            .edits
            .iter()
            .find(|edit| edit.operation == Operation::Unreadable);
        assert_eq!(unread, None, "what can't be read is an error");
    }
}

/// What stands before a patch doesn't change it. A byte order mark is none behind prose.
fn same_in_prose(bytes: &[u8]) {
    let bytes = bytes.strip_prefix(Lines::BOM).unwrap_or(bytes);
    // A string of JSON is read where it is the whole response.
    if bytes.trim_ascii().starts_with(b"\"") {
        return;
    }
    let alone = source(bytes);
    let alone = response::parse(&alone, &Options::default());
    let amid = source(&[b"Here is the patch:\n\n", bytes].concat());
    let amid = response::parse(&amid, &Options::default());
    if alone.errors.is_empty() {
        assert!(
            amid.errors.is_empty(),
            "behind prose it can't be read: {:?}",
            amid.errors
        );
        assert_eq!(alone.patch, amid.patch);
    }
}

/// The line ends of a response are no part of what it says.
fn same_with_crlf(bytes: &[u8]) {
    if bytes.contains(&b'\r') {
        return;
    }
    let lf = source(bytes);
    let crlf = source(
        &bytes
            .split(|&byte| byte == b'\n')
            .collect::<Vec<_>>()
            .join(&b"\r\n"[..]),
    );
    let [lf, crlf] = [&lf, &crlf].map(|source| response::parse(source, &Options::default()));
    assert_eq!(lf.patch.edits.len(), crlf.patch.edits.len());
    // Notes are compared by nobody: they are unfolded as yet, and so hold line ends.
    for (lf, crlf) in lf.patch.edits.iter().zip(&crlf.patch.edits) {
        assert_eq!(
            (&lf.path, &lf.root, &lf.operation),
            (&crlf.path, &crlf.root, &crlf.operation)
        );
    }
    // How many there are may differ: a tag in prose is looked for in so many bytes.
    assert_eq!(
        lf.errors.is_empty(),
        crlf.errors.is_empty(),
        "{:?} / {:?}",
        lf.errors,
        crlf.errors
    );
}

/// What was read of a unified diff is printed as one that is read as the same, without a word more,
/// strictly too where its hunks have numbers.
fn same_when_printed(bytes: &[u8]) {
    let first = source(bytes);
    let first = response::parse(
        &first,
        &Options {
            format: Some(Format::Unified),
            ..Options::default()
        },
    );
    if !first.errors.is_empty() || !first.patch.edits.iter().all(is_whole) {
        return;
    }
    let printed = source(&print(&first.patch, Quoting::default()));
    let is_numbered = first.patch.edits.iter().all(has_numbers);
    for strict in [false, true] {
        if strict && !is_numbered {
            continue;
        }
        let again = response::parse(
            &printed,
            &Options {
                strict,
                ..Options::default()
            },
        );
        assert!(
            again.errors.is_empty() && again.warnings.is_empty(),
            "{:?} says {again:?}",
            printed.bytes().as_bstr()
        );
        assert_eq!(
            again.patch,
            Patch {
                format: Format::Unified,
                edits: first.patch.edits.clone()
            }
        );
    }
}

/// Returns whether the headers of all hunks say where they are.
fn has_numbers(edit: &FileEdit<'_>) -> bool {
    match &edit.operation {
        Operation::Update { hunks, .. } => hunks.iter().all(|hunk| hunk.position.is_some()),
        _ => true,
    }
}

/// Returns whether a header says all that git's own would, so that what is printed of it says it
/// again: both modes or neither, or that of a file which comes or goes; and a path that can be one.
fn is_whole(edit: &FileEdit<'_>) -> bool {
    let (Some(header), Operation::Update { to, hunks }) = (&edit.header, &edit.operation) else {
        return false;
    };
    let Header {
        status,
        old_mode,
        new_mode,
        ids,
        ..
    } = &**header;
    let modes = match status {
        Status::Added => new_mode.is_some(),
        Status::Deleted => old_mode.is_some(),
        _ if old_mode == new_mode => old_mode.is_none() || ids.is_some(),
        _ => old_mode.is_some() && new_mode.is_some(),
    };
    let named = |path: &[u8]| !path.is_empty();
    modes && !hunks.is_empty() && named(&edit.path) && to.as_ref().is_none_or(|to| named(to))
}

/// What stands in a payload is content to the byte, its blank edges aside. A closing tag without
/// its `>>>` may be taken for a payload that was never closed: that is refused and never done
/// otherwise. Only a Markdown file may be one fence.
fn payload(bytes: &[u8]) {
    let lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
    let is_marker =
        |line: &&[u8]| line.trim_ascii().ends_with(b"<<<") || line.trim_ascii().starts_with(b">>>");
    if bytes.contains(&0) || bytes.contains(&b'\r') || lines.iter().any(is_marker) {
        return;
    }
    let whole = [
        b"<edit file=\"f.md\" op=\"new\">\n<put>\n<<<\n",
        bytes,
        b"\n>>>\n</put>\n</edit>\n",
    ]
    .concat();
    let source = source(&whole);
    let parsed = response::parse(&source, &Options::default());
    if !parsed.errors.is_empty()
        && lines
            .iter()
            .any(|line| line.trim_ascii().starts_with(b"</"))
    {
        return;
    }
    assert!(
        parsed.errors.is_empty(),
        "a payload is content: {:?}",
        parsed.errors
    );
    let [edit] = &parsed.patch.edits[..] else {
        panic!("one edit is {:?}", parsed.patch.edits)
    };
    let Operation::Create { lines: read, .. } = &edit.operation else {
        panic!("op=new is {:?}", edit.operation)
    };
    let blank = |line: &&[u8]| line.iter().all(|byte| b" \t".contains(byte));
    let start = lines.iter().take_while(|line| blank(line)).count();
    let end = lines.len()
        - lines[start..]
            .iter()
            .rev()
            .take_while(|line| blank(line))
            .count();
    let read: Vec<&[u8]> = read.iter().map(|line| &line[..]).collect();
    assert_eq!(read, lines[start..end]);
}
