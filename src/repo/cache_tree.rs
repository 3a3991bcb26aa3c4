//! The trees that git notes in an index for the directories whose entries haven't changed since:
//! the extension `TREE`.
//!
//! Each directory is its name, a NUL, how many entries are below it (-1 where its tree isn't known
//! any more), a space, how many directories follow that are in it, a newline, and the id of its
//! tree where that is known.

use git2::Oid;

/// Returns the tree of the top, if it is known.
pub(super) fn top(trees: &[u8], id_len: usize) -> Option<Oid> {
    let directory = CacheTreeReader {
        rest: trees,
        id_len,
    }
    .directory()?;
    Oid::from_bytes(directory.id?).ok()
}

/// Returns what is left to be known once some paths, sorted, have changed; `None` if nothing can be
/// made of it.
pub(super) fn without(trees: &[u8], changed: &[&[u8]], id_len: usize) -> Option<Vec<u8>> {
    let mut reader = CacheTreeReader {
        rest: trees,
        id_len,
    };
    let mut open: Vec<OpenDirectory<'_, '_>> = Vec::new();
    let mut done = OpenDirectory {
        within: usize::from(!trees.is_empty()),
        changed,
        ..OpenDirectory::default()
    };
    loop {
        let directory = open.last_mut().unwrap_or(&mut done);
        if let Some(within) = directory.within.checked_sub(1) {
            directory.within = within;
            let is_named = !directory.all.is_empty();
            let next = directory.open(&mut reader, is_named)?;
            open.push(next);
            continue;
        }
        let Some(directory) = open.pop() else { break };
        open.last_mut()
            .unwrap_or(&mut done)
            .take(directory, reader.rest.len());
    }
    reader.rest.is_empty().then_some(done.kept)
}

/// A directory of which not all is read yet.
#[derive(Default)]
struct OpenDirectory<'t, 'c> {
    /// All that follows from where it begins.
    all: &'t [u8],
    name: &'t [u8],
    /// How many bytes of its paths it is in.
    above: usize,
    /// The paths in it that changed.
    changed: &'c [&'c [u8]],
    /// How many directories in it are still to come, and how many stay.
    within: usize,
    stay: usize,
    /// What is left of these.
    kept: Vec<u8>,
    /// Whether a file took its place.
    is_gone: bool,
}

impl<'t, 'c> OpenDirectory<'t, 'c> {
    /// Begins to read the next directory in it.
    fn open(&self, reader: &mut CacheTreeReader<'t>, is_named: bool) -> Option<Self> {
        let all = reader.rest;
        let CachedDirectory { name, within, .. } = reader.directory()?;
        let mut next = OpenDirectory {
            all,
            name,
            above: self.above,
            changed: self.changed,
            within,
            stay: within,
            ..OpenDirectory::default()
        };
        if is_named {
            let below = [name, b"/"].concat();
            let first = self
                .changed
                .partition_point(|path| path[self.above..] < below[..]);
            let count = self.changed[first..]
                .iter()
                .take_while(|path| path[self.above..].starts_with(&below))
                .count();
            next.above += below.len();
            next.changed = &self.changed[first..first + count];
            next.is_gone = self
                .changed
                .binary_search_by(|path| path[self.above..].cmp(name))
                .is_ok();
        }
        Some(next)
    }

    /// Takes over a directory in it that was read, behind which this much follows.
    fn take(&mut self, directory: OpenDirectory<'_, '_>, rest: usize) {
        if self.changed.is_empty() && !self.all.is_empty() {
            // It is copied as a whole.
        } else if directory.is_gone {
            self.stay -= 1;
        } else if directory.changed.is_empty() {
            self.kept
                .extend_from_slice(&directory.all[..directory.all.len() - rest]);
        } else {
            self.kept.extend_from_slice(directory.name);
            self.kept
                .extend_from_slice(format!("\0-1 {}\n", directory.stay).as_bytes());
            self.kept.extend(directory.kept);
        }
    }
}

struct CacheTreeReader<'t> {
    rest: &'t [u8],
    id_len: usize,
}

/// What the extension says of a directory.
struct CachedDirectory<'t> {
    name: &'t [u8],
    within: usize,
    id: Option<&'t [u8]>,
}

impl<'t> CacheTreeReader<'t> {
    /// Reads what comes next, without the directories in it.
    fn directory(&mut self) -> Option<CachedDirectory<'t>> {
        let name = self.until(0)?;
        let is_known = !self.until(b' ')?.starts_with(b"-");
        let within = std::str::from_utf8(self.until(b'\n')?).ok()?.parse().ok()?;
        let id = if is_known {
            Some(self.rest.split_off(..self.id_len)?)
        } else {
            None
        };
        Some(CachedDirectory { name, within, id })
    }

    fn until(&mut self, end: u8) -> Option<&'t [u8]> {
        let taken = self.rest.split_off(..memchr::memchr(end, self.rest)?)?;
        self.rest.split_off_first()?;
        Some(taken)
    }
}
