use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write};

use anyhow::Context as _;

use super::error::IoError;
use llmpatch::report::PartReport;
use llmpatch::text::Shown;

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

/// Says of a part of a response in which directory its patch is meant, or why it isn't read.
pub(super) fn tell(part: &PartReport) {
    let Some(place) = &part.response else {
        return;
    };
    let said = match &part.why {
        Some(why) => format!("not read, {}: {why}", part.role),
        None if part.directory.is_empty() => return,
        None => format!("in the directory {}", part.directory),
    };
    let line = format!("{}:{}: {said}", place.file, place.line);
    complain(&format!("{}\n", Shown(line.as_bytes())));
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Failing(io::ErrorKind);

    impl Write for Failing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_terminal_gets_nothing_to_obey() {
        for (bytes, want) in [
            (&b""[..], ""),
            (b"a\tb\n\tc\r\nd", "a\tb\n\tc\r\nd"),
            (b"+\x1b[2J\r\rx\xff\n\n", "+\\033[2J\\r\\rx\\377\n\n"),
            ("é\u{202e}\n".as_bytes(), "é\\342\\200\\256\n"),
        ] {
            assert_eq!(harmless(bytes), want.as_bytes(), "{want}");
        }
    }

    #[test]
    fn a_closed_pipe_is_no_error_and_a_full_disk_is() {
        assert!(written(Failing(io::ErrorKind::BrokenPipe), b"x").is_ok());
        assert!(written(Failing(io::ErrorKind::StorageFull), b"x").is_err());
        assert!(written(Vec::new(), b"x").is_ok());
    }
}
