use std::borrow::Cow;

use bstr::{BStr, BString, ByteSlice as _};
use unicode_normalization::UnicodeNormalization as _;

use super::{PathError, RepoPath, check_bytes, check_part};
use crate::text::starts_with_any_case;

/// Turns paths as responses write them into [`RepoPath`]s.
///
/// The default one knows no work tree: it takes relative paths only, and no root.
///
/// Where the formats leave it open: `..` is resolved by its spelling and may use up the directory
/// of `--directory` or of a root, but not the top. A root that the configuration maps takes the
/// place of `--directory`, and wins over a work tree of that name. An absolute path is good under
/// any known root, since it says itself where it is. `file:` URIs may leave out the `//` and may
/// name `localhost`; a URI with a query or a fragment is refused, since `#` and `?` may also be
/// letters of a name that somebody forgot to encode. An absolute path that is inside by no spelling
/// of the top is, if a directory above it is the top once its links are followed. That directory is
/// the nearest to the root, so that no link inside the work tree is followed.
#[derive(Clone, Debug, Default)]
pub struct Resolver {
    tops: Vec<BString>,
    real: Option<FollowLinks>,
    /// Where the top is for the model that wrote the response.
    aliases: Vec<BString>,
    directory: BString,
    roots: Vec<(BString, BString)>,
    off_limits: Vec<RepoPath>,
    composes: bool,
    has_backslashes: bool,
}

/// Returns where an absolute path leads, links followed, if it is there.
pub type FollowLinks = fn(&[u8]) -> Option<BString>;

/// What Linux takes, and no common file system exceeds.
const LONGEST: usize = 4095;
const LONGEST_PART: usize = 255;

impl Resolver {
    /// Makes one for a work tree; `tops` are the absolute spellings of its top, as given, canonical
    /// and so on, best first.
    pub fn within(tops: impl IntoIterator<Item = BString>) -> Self {
        Self {
            tops: tops.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Sets how links are followed, and tries absolute paths that way too.
    #[must_use]
    pub fn following_links(self, real: FollowLinks) -> Self {
        Self {
            real: Some(real),
            ..self
        }
    }

    /// Puts a directory in front of relative paths. It is written like them, and may be the top.
    ///
    /// # Errors
    /// If it isn't a directory of the work tree, by its spelling.
    pub fn with_directory(mut self, written: &[u8]) -> Result<Self, PathError> {
        self.directory = BString::default();
        self.directory = self.locate(b"", written)?;
        Ok(self)
    }

    /// Takes absolute paths below a directory for paths of the work tree: the model saw it there,
    /// as in a container.
    ///
    /// # Errors
    /// If the directory isn't an absolute path.
    pub fn with_alias(mut self, directory: &[u8]) -> Result<Self, PathError> {
        check_bytes(directory)?;
        let alias = from_the_root(directory).ok_or_else(|| PathError::NotAbsolute {
            path: directory.into(),
        })?;
        self.aliases.push(alias.into_owned().into());
        Ok(self)
    }

    /// Returns the directory in front of relative paths; empty for none.
    pub fn directory(&self) -> &BStr {
        self.directory.as_bstr()
    }

    /// Maps a root's name to a directory, written from the top or absolute. That it is inside is
    /// checked when it is used.
    #[must_use]
    pub fn with_root(mut self, name: &[u8], directory: &[u8]) -> Self {
        self.roots.push((variable_case(name), directory.into()));
        self
    }

    /// Keeps a directory out of reach as if it were `.git`: a repository whose own directory has
    /// another name.
    #[must_use]
    pub fn without(mut self, directory: RepoPath) -> Self {
        self.off_limits.push(directory);
        self
    }

    /// Sets whether a letter and its accent become one character in every path (NFC), as git does
    /// on macOS by `core.precomposeUnicode`.
    #[must_use]
    pub fn composing(self, composes: bool) -> Self {
        Self { composes, ..self }
    }

    /// Sets whether a backslash is between the names of a relative path, as it is on Windows.
    #[must_use]
    pub fn with_backslashes(self, has_backslashes: bool) -> Self {
        Self {
            has_backslashes,
            ..self
        }
    }

    /// Resolves a path as a response wrote it, below the OPX attribute `root` if there is one.
    ///
    /// # Errors
    /// What is wrong with the spelling.
    pub fn resolve(&self, root: Option<&[u8]>, written: &[u8]) -> Result<RepoPath, PathError> {
        let base = match root {
            Some(root) => self.root(root)?,
            None => self.directory.clone(),
        };
        let path = self.locate(&base, written)?;
        let last = self.slashed(written);
        let last = last.rsplit_str("/").next().unwrap_or_default();
        if path.is_empty() || matches!(last, b"" | b"." | b"..") {
            return Err(PathError::Directory {
                path: written.into(),
            });
        }
        // Its parts have been checked; what they are once they are composed hasn't.
        let composed = Some(&path)
            .filter(|_| self.composes)
            .and_then(|path| path.to_str().ok());
        let path = match composed {
            Some(path) => RepoPath::new(path.nfc().collect::<String>().as_bytes())?,
            None => RepoPath(path[..].into()),
        };
        if path.as_bytes().len() > LONGEST || path.parts().any(|part| part.len() > LONGEST_PART) {
            return Err(PathError::TooLong {
                path: written.into(),
            });
        }
        match self
            .off_limits
            .iter()
            .find(|directory| covers(directory, &path))
        {
            Some(directory) => Err(PathError::DotGit {
                path: written.into(),
                name: directory.as_bstr().into(),
            }),
            None => Ok(path),
        }
    }

    /// Returns the directory that a root's name stands for.
    fn root(&self, root: &[u8]) -> Result<BString, PathError> {
        let wanted = variable_case(root);
        if let Some((_, directory)) = self.roots.iter().rev().find(|(name, _)| *name == wanted) {
            return if directory.is_empty() {
                Ok(BString::default())
            } else {
                self.locate(b"", directory)
                    .map_err(|_| PathError::RootOutside {
                        root: root.into(),
                        directory: directory.clone(),
                    })
            };
        }
        if self
            .tops
            .iter()
            .any(|top| !root.is_empty() && name_of(top) == root)
        {
            return Ok(self.directory.clone());
        }
        Err(match self.tops.first().map(name_of) {
            Some(name) => PathError::UnknownRoot {
                root: root.into(),
                name,
            },
            None => PathError::RootWithoutTree { root: root.into() },
        })
    }

    /// Returns a path from the top of the work tree, empty for the top itself.
    fn locate(&self, base: &[u8], written: &[u8]) -> Result<BString, PathError> {
        check_bytes(written)?;
        let decoded = from_uri(written)?;
        let path = decoded.as_deref().unwrap_or(written);
        if let Some(path) = from_the_root(path) {
            let path = absolute_parts(&path);
            let depth = |top: &BString| {
                let top = from_the_root(top).unwrap_or_else(|| top[..].into());
                let top = absolute_parts(&top);
                path.starts_with(&top).then_some(top.len())
            };
            let tops = self.tops.iter().chain(&self.aliases);
            let depth = tops
                .filter_map(depth)
                .max()
                .or_else(|| self.depth_of_linked_top(&path));
            let depth = depth.ok_or_else(|| PathError::Outside {
                path: written.into(),
                top: self.tops.first().cloned(),
            })?;
            let parts = &path[depth..];
            parts
                .iter()
                .try_for_each(|part| check_part(part, written))?;
            return Ok(join(parts));
        }
        let mut parts: Vec<&[u8]> = base
            .split_str("/")
            .filter(|part| !part.is_empty())
            .collect();
        let path = self.slashed(path);
        let mut first = true;
        for part in path
            .split_str("/")
            .filter(|part| !matches!(*part, b"" | b"."))
        {
            if std::mem::take(&mut first) && part.starts_with(b"~") {
                return Err(PathError::Home {
                    path: written.into(),
                });
            }
            if part == b".." {
                parts.pop().ok_or_else(|| PathError::Escapes {
                    path: written.into(),
                })?;
            } else {
                check_part(part, written)?;
                parts.push(part);
            }
        }
        Ok(join(&parts))
    }

    fn slashed<'p>(&self, path: &'p [u8]) -> Cow<'p, [u8]> {
        if self.has_backslashes {
            path.replace(br"\", b"/").into()
        } else {
            path.into()
        }
    }

    /// Returns how many parts of an absolute path name the top, links followed.
    fn depth_of_linked_top(&self, path: &[&[u8]]) -> Option<usize> {
        let real = self.real?;
        let mut above = BString::default();
        // What is below a directory that isn't there isn't there either.
        for (depth, part) in path.iter().enumerate() {
            above.push(b'/');
            above.extend_from_slice(part);
            if self.tops.contains(&real(&above)?) {
                return Some(depth + 1);
            }
        }
        None
    }
}

fn name_of(top: &BString) -> BString {
    let top = from_the_root(top).unwrap_or_else(|| top[..].into());
    absolute_parts(&top)
        .last()
        .copied()
        .unwrap_or_default()
        .into()
}

fn join(parts: &[&[u8]]) -> BString {
    parts.join(&b'/').into()
}

/// Returns the parts of an absolute path; `..` at the root stays there, as for the system.
fn absolute_parts(path: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    for part in path.split_str("/") {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts
}

/// Returns whether a path is a directory or lies below it, whatever the case: the file system may
/// not care for case.
fn covers(directory: &RepoPath, path: &RepoPath) -> bool {
    let directory = directory.as_bytes();
    let path = path.as_bytes();
    starts_with_any_case(path, directory) && matches!(path.get(directory.len()), None | Some(b'/'))
}

/// Writes a name as git's configuration hands it out when it is the last part of a key: that part
/// knows no case.
fn variable_case(name: &[u8]) -> BString {
    let variable = name.rfind_byte(b'.').map_or(0, |dot| dot + 1);
    let mut name = BString::from(name);
    name[variable..].make_ascii_lowercase();
    name
}

/// Returns whether a response names a file from the root of a file system.
pub(crate) fn is_absolute(written: &[u8]) -> bool {
    from_uri(written)
        .is_ok_and(|decoded| from_the_root(decoded.as_deref().unwrap_or(written)).is_some())
}

/// Returns an absolute path with `/` before each of its names; `None` for a relative one. What
/// Windows writes as `C:\src` is `/c:/src`, since letters of drives have no case; `\\host\share` is
/// a name of its own, that no other system has.
fn from_the_root(path: &[u8]) -> Option<Cow<'_, [u8]>> {
    match path {
        [b'/', drive, b':', b'/', ..] if drive.is_ascii_alphabetic() => {
            Some(with_drive(path).into())
        }
        [b'/', ..] => Some(path.into()),
        [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic() => {
            Some(with_drive(&[b"/", path].concat()).into())
        }
        [b'\\', b'\\', share @ ..] => {
            Some([br"/\\/", &share.replace(br"\", b"/")[..]].concat().into())
        }
        _ => None,
    }
}

/// Writes a path that begins with a slash and the letter of a drive.
fn with_drive(path: &[u8]) -> Vec<u8> {
    let mut path = path.replace(br"\", b"/");
    path[1].make_ascii_lowercase();
    path
}

/// Returns the path that a `file:` URI names; `None` for what isn't a URI at all.
fn from_uri(written: &[u8]) -> Result<Option<Vec<u8>>, PathError> {
    let Some(colon) = written.find_byte(b':') else {
        return Ok(None);
    };
    let scheme = &written[..colon];
    let rest = &written[colon + 1..];
    if !scheme.eq_ignore_ascii_case(b"file") {
        // One letter is a drive.
        let is_url = scheme.len() > 1 && rest.starts_with(b"//") && scheme.iter().all(is_scheme);
        return if is_url {
            Err(PathError::Url {
                path: written.into(),
            })
        } else {
            Ok(None)
        };
    }
    let path = match rest.strip_prefix(b"//") {
        Some(rest) => {
            let (host, path) = rest.split_at(rest.find_byte(b'/').unwrap_or(rest.len()));
            if !host.is_empty() && !host.eq_ignore_ascii_case(b"localhost") {
                return Err(PathError::UriHost {
                    path: written.into(),
                });
            }
            path
        }
        None if rest.starts_with(b"/") => rest,
        None => return Ok(None),
    };
    if path.is_empty() {
        return Err(PathError::UriEmpty {
            path: written.into(),
        });
    }
    if path.find_byteset(b"?#").is_some() {
        return Err(PathError::UriQuery {
            path: written.into(),
        });
    }
    let path = percent_decoded(path).ok_or_else(|| PathError::UriEscape {
        path: written.into(),
    })?;
    check_bytes(&path).map_err(|_| PathError::Nul {
        path: written.into(),
    })?;
    Ok(Some(path))
}

fn is_scheme(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+.-".contains(byte)
}

fn percent_decoded(text: &[u8]) -> Option<Vec<u8>> {
    let mut pieces = text.split_str("%");
    let mut decoded = pieces.next().unwrap_or_default().to_vec();
    for piece in pieces {
        let digits = piece
            .get(..2)
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
        decoded.push(u8::from_str_radix(digits.to_str().ok()?, 16).ok()?);
        decoded.extend(&piece[2..]);
    }
    Some(decoded)
}
