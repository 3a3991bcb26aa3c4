//! What is before the path in a pathspec: `:(glob,icase)`, `:!`, `:/`.

use bstr::ByteSlice as _;

use super::PathspecError;

/// What the wildcards of a pathspec mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wildcards {
    /// They match slashes too.
    #[default]
    Free,
    /// They match no slash, save `**`.
    ByDirectory,
    /// There are no wildcards: `*`, `?` and `[` are characters of names.
    None,
}

/// What pathspecs mean that don't say it themselves, as git's options and variables decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Defaults {
    /// What wildcards mean.
    pub wildcards: Wildcards,
    /// Whether case is ignored.
    pub any_case: bool,
    /// Whether a colon at the start is a part of the name, and wildcards are too.
    pub literal: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Magic {
    pub(super) excludes: bool,
    pub(super) any_case: bool,
    pub(super) wildcards: Wildcards,
}

impl Magic {
    /// Reads it, and returns what is left.
    pub(super) fn read(written: &[u8], defaults: Defaults) -> Result<(Self, &[u8]), PathspecError> {
        if defaults.literal {
            return Ok((
                Self {
                    excludes: false,
                    any_case: false,
                    wildcards: Wildcards::None,
                },
                written,
            ));
        }
        let mut magic = Self {
            excludes: false,
            any_case: defaults.any_case,
            wildcards: defaults.wildcards,
        };
        let rest = match written.strip_prefix(b":") {
            None => written,
            Some(rest) => match rest.strip_prefix(b"(") {
                Some(rest) => magic.words(rest)?,
                None => magic.signs(rest)?,
            },
        };
        Ok((magic, rest))
    }

    fn words<'w>(&mut self, rest: &'w [u8]) -> Result<&'w [u8], PathspecError> {
        let (words, rest) = rest.split_once_str(")").ok_or(PathspecError::Unclosed)?;
        let mut literal = false;
        let mut glob = false;
        for word in words.split_str(",") {
            match word {
                b"" | b"top" => {}
                b"exclude" => self.excludes = true,
                b"icase" => self.any_case = true,
                b"literal" => literal = true,
                b"glob" => glob = true,
                word if word.starts_with(b"attr:") => {
                    return Err(PathspecError::Unsupported("attr"));
                }
                word if word.starts_with(b"prefix:") => {
                    return Err(PathspecError::Unsupported("prefix"));
                }
                word => return Err(PathspecError::UnknownWord(word.into())),
            }
        }
        self.wildcards = match (literal, glob) {
            (true, true) => return Err(PathspecError::Incompatible),
            (true, false) => Wildcards::None,
            (false, true) => Wildcards::ByDirectory,
            (false, false) => self.wildcards,
        };
        Ok(rest)
    }

    fn signs<'w>(&mut self, rest: &'w [u8]) -> Result<&'w [u8], PathspecError> {
        for (at, &sign) in rest.iter().enumerate() {
            match sign {
                b':' => return Ok(&rest[at + 1..]),
                b'/' => {}
                b'!' | b'^' => self.excludes = true,
                // What git keeps for signs to come.
                b'"' | b'#' | b'%' | b'&' | b'\'' | b',' | b'-' | b';' | b'<' | b'=' | b'>'
                | b'@' | b'_' | b'`' | b'~' => {
                    return Err(PathspecError::UnknownSign(sign));
                }
                _ => return Ok(&rest[at..]),
            }
        }
        Ok(b"")
    }
}
