//! What git does to line ends and `$Id$` between the work tree and its store: the arithmetic of its `convert.c`, without
//! attributes, configuration or files.
//!
//! Filter drivers and encodings are git's own affair, and line ends with them (`filter.rs`).

use std::borrow::Cow;

use bstr::ByteSlice as _;

/// How lines end on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Eol {
    Lf,
    CrLf,
}

/// What becomes of a path's line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineEnds {
    /// They are left alone.
    AsIs,
    /// They are LF in the store and these on disk.
    Text(Eol),
    /// The same, if the content looks like text and has no CR of its own.
    Auto(Eol),
}

/// `core.autocrlf`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum AutoCrlf {
    #[default]
    False,
    True,
    Input,
}

/// The settings that decide where attributes don't.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) autocrlf: AutoCrlf,
    /// `core.eol`; `native` is LF on the systems that we run on.
    pub(super) eol: Option<Eol>,
}

/// What an attribute is set to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Value {
    /// Nothing is said of it.
    #[default]
    Unspecified,
    /// `name`
    True,
    /// `-name`
    False,
    /// `name=word`
    Word(Vec<u8>),
}

impl Value {
    fn is(&self, word: &str) -> bool {
        matches!(self, Value::Word(is) if is == word.as_bytes())
    }
}

impl LineEnds {
    /// Decides as git does: attribute `text`, else the old `crlf`, then `eol`, then the settings.
    pub(super) fn decide(text: &Value, crlf: &Value, eol: &Value, settings: Settings) -> Self {
        #[derive(PartialEq)]
        enum Says {
            Nothing,
            Binary,
            Text,
            Input,
            Auto,
        }
        let read = |value: &Value| match value {
            Value::True => Says::Text,
            Value::False => Says::Binary,
            value if value.is("input") => Says::Input,
            value if value.is("auto") => Says::Auto,
            _ => Says::Nothing,
        };
        let says = match read(text) {
            Says::Nothing => read(crlf),
            says => says,
        };
        let on_disk = match settings {
            Settings { autocrlf: AutoCrlf::True, .. } => Eol::CrLf,
            Settings { autocrlf: AutoCrlf::Input, .. } => Eol::Lf,
            Settings { eol, .. } => eol.unwrap_or(Eol::Lf),
        };
        let eol = if eol.is("lf") {
            Some(Eol::Lf)
        } else if eol.is("crlf") {
            Some(Eol::CrLf)
        } else {
            None
        };
        match (says, eol) {
            (Says::Binary, _) => LineEnds::AsIs,
            (Says::Auto, Some(eol)) => LineEnds::Auto(eol),
            (_, Some(eol)) => LineEnds::Text(eol),
            (Says::Auto, None) => LineEnds::Auto(on_disk),
            (Says::Text, None) => LineEnds::Text(on_disk),
            (Says::Input, None) => LineEnds::Text(Eol::Lf),
            (Says::Nothing, None) => match settings.autocrlf {
                AutoCrlf::False => LineEnds::AsIs,
                AutoCrlf::True => LineEnds::Auto(Eol::CrLf),
                AutoCrlf::Input => LineEnds::Auto(Eol::Lf),
            },
        }
    }

    /// Converts what stands on disk to what is stored. `stored_has_crlf` says whether the blob now in the index is text
    /// that holds CRLF, for which a guess makes way; it is asked only where that decides.
    pub(super) fn to_git<E>(
        self,
        bytes: &[u8],
        stored_has_crlf: impl FnOnce() -> Result<bool, E>,
    ) -> Result<Cow<'_, [u8]>, E> {
        if self == LineEnds::AsIs || !bytes.contains_str("\r\n") {
            return Ok(bytes.into());
        }
        if matches!(self, LineEnds::Auto(_)) && (Statistics::of(bytes).looks_binary() || stored_has_crlf()?) {
            return Ok(bytes.into());
        }
        Ok(bytes.replace("\r\n", "\n").into())
    }

    /// Converts what is stored to what stands on disk.
    pub(super) fn to_work_tree(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        let (LineEnds::Text(Eol::CrLf) | LineEnds::Auto(Eol::CrLf)) = self else { return bytes.into() };
        let has = Statistics::of(bytes);
        let guessed_otherwise =
            matches!(self, LineEnds::Auto(_)) && (has.lone_cr > 0 || has.crlf > 0 || has.looks_binary());
        if has.lone_lf == 0 || guessed_otherwise {
            return bytes.into();
        }
        let mut converted = Vec::with_capacity(bytes.len() + has.lone_lf);
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            match line.strip_suffix(b"\n") {
                Some(text) if !text.ends_with(b"\r") => {
                    converted.extend_from_slice(text);
                    converted.extend_from_slice(b"\r\n");
                }
                _ => converted.extend_from_slice(line),
            }
        }
        converted.into()
    }
}

/// Returns whether a stored blob is text with CRLF in it.
pub(super) fn is_crlf_text(blob: &[u8]) -> bool {
    let has = Statistics::of(blob);
    has.crlf > 0 && !has.looks_binary()
}

/// What git counts to tell text from binary.
#[derive(Debug, Default)]
struct Statistics {
    nul: usize,
    lone_cr: usize,
    lone_lf: usize,
    crlf: usize,
    printable: usize,
    nonprintable: usize,
}

impl Statistics {
    fn of(bytes: &[u8]) -> Self {
        let mut has = Self::default();
        let mut rest = bytes.iter().peekable();
        while let Some(byte) = rest.next() {
            match byte {
                b'\r' if rest.next_if_eq(&&b'\n').is_some() => has.crlf += 1,
                b'\r' => has.lone_cr += 1,
                b'\n' => has.lone_lf += 1,
                0x08 | b'\t' | 0x1b | 0x0c => has.printable += 1,
                0 => {
                    has.nul += 1;
                    has.nonprintable += 1;
                }
                1..32 | 127 => has.nonprintable += 1,
                _ => has.printable += 1,
            }
        }
        // The end-of-file mark of old systems.
        if bytes.ends_with(b"\x1a") {
            has.nonprintable -= 1;
        }
        has
    }

    fn looks_binary(&self) -> bool {
        self.lone_cr > 0 || self.nul > 0 || (self.printable >> 7) < self.nonprintable
    }
}

/// Takes what `$Id: …$` was expanded to out again.
pub(super) fn unexpand_ident(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !bytes.contains_str("$Id:") {
        return bytes.into();
    }
    let mut plain = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(dollar) = rest.find_byte(b'$') {
        plain.extend_from_slice(&rest[..=dollar]);
        rest = &rest[dollar + 1..];
        let Some(inner) = rest.strip_prefix(b"Id:") else { continue };
        let Some(end) = inner.find_byte(b'$') else { break };
        if !inner[..end].contains(&b'\n') {
            plain.extend_from_slice(b"Id$");
            rest = &inner[end + 1..];
        }
    }
    plain.extend_from_slice(rest);
    plain.into()
}

/// Expands `$Id$` to the name of the blob.
pub(super) fn expand_ident<'b>(bytes: &'b [u8], name: impl FnOnce() -> String) -> Cow<'b, [u8]> {
    if !bytes.contains_str("$Id") {
        return bytes.into();
    }
    let name = name();
    let mut expanded = Vec::with_capacity(bytes.len() + name.len() + 2);
    let mut rest = bytes;
    while let Some(dollar) = rest.find_byte(b'$') {
        expanded.extend_from_slice(&rest[..=dollar]);
        rest = &rest[dollar + 1..];
        let after = if let Some(after) = rest.strip_prefix(b"Id$") {
            after
        } else if let Some(inner) = rest.strip_prefix(b"Id:") {
            let Some(end) = inner.find_byte(b'$') else { break };
            let value = &inner[..end];
            // One with a blank inside was expanded by another system, and stays.
            let is_foreign = value.iter().skip(1).position(|&byte| byte == b' ').is_some_and(|at| at + 2 < end);
            if value.contains(&b'\n') || is_foreign {
                continue;
            }
            &inner[end + 1..]
        } else {
            continue;
        };
        expanded.extend_from_slice(format!("Id: {name} $").as_bytes());
        rest = after;
    }
    expanded.extend_from_slice(rest);
    expanded.into()
}
