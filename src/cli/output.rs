use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write};

use anyhow::Context as _;

use super::error::IoError;
use llmpatch::report::PartReport;
use llmpatch::text::{Shown, listed};

/// Writes to standard output; a reader that has gone is no error, everything else that goes wrong
/// is.
///
/// A program gets every byte as it is. A terminal doesn't: a diff holds what a model wrote, and no
/// pager is in between. (`println!` would panic where this returns: nothing in the crate uses it.)
///
/// # Errors
/// Whatever the system says but `EPIPE`.
pub(super) fn print(bytes: &[u8]) -> Result<(), IoError> {
    let bytes = if io::stdout().is_terminal() {
        Cow::Owned(harmless(bytes))
    } else {
        Cow::Borrowed(bytes)
    };
    print_as_is(&bytes)
}

/// Writes to standard output what is ours, or was made harmless before.
///
/// # Errors
/// Whatever the system says but `EPIPE`.
pub(super) fn print_as_is(bytes: &[u8]) -> Result<(), IoError> {
    Ok(written(io::stdout().lock(), bytes).context("can't write standard output")?)
}

/// Escapes all that a terminal might obey but line ends and tabs.
pub(super) fn harmless(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let text = line
            .strip_suffix(b"\r\n")
            .or(line.strip_suffix(b"\n"))
            .unwrap_or(line);
        for (index, part) in text.split(|&byte| byte == b'\t').enumerate() {
            if index > 0 {
                out.push(b'\t');
            }
            out.extend(Shown(part).to_string().bytes());
        }
        out.extend(&line[text.len()..]);
    }
    out
}

/// Writes to standard error, where nobody is left to tell if that goes wrong.
pub(super) fn complain(text: &str) {
    let _ = written(io::stderr().lock(), text.as_bytes());
}

fn written(mut stream: impl Write, bytes: &[u8]) -> io::Result<()> {
    match stream.write_all(bytes).and_then(|()| stream.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Says of a part of a response which call asks for it, in which directory its patch is meant, and
/// why it isn't read. Of a patch at the top that nobody calls for, there is nothing to say.
pub(super) fn tell(part: &PartReport) {
    let Some(place) = &part.response else {
        return;
    };
    let call = part.call.as_ref().map(|call| {
        let id = call.id.as_ref().map(|id| format!("({id})"));
        let paths = listed(&call.paths, call.paths.len());
        let number = format!("call {}", call.number);
        let words = [Some(number), id, Some(call.tool.clone()), Some(paths)];
        let words = words.into_iter().flatten().filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join(" ")
    });
    let directory = Some(&part.directory).filter(|directory| !directory.is_empty());
    let directory = directory.map(|directory| format!("in the directory {directory}"));
    let why = part.why.as_ref();
    let why = why.map(|why| format!("not read, {}: {why}", part.role));
    let said: Vec<_> = [call, directory, why].into_iter().flatten().collect();
    if !said.is_empty() {
        let line = format!("{}:{}: {}", place.file, place.line(), said.join("; "));
        complain(&format!("{}\n", Shown(line.as_bytes())));
    }
}
