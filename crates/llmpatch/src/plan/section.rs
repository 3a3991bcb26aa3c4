//! What one section of a unified diff does to its file: the header's part, the hunks being a
//! policy's.
//!
//! Sections of a diff don't depend on their order, as in git: a path that a section renames or
//! deletes may be created by another section before it, so that swaps work. The file is *set aside*
//! until its section comes. A copy reads the file as it was before the response if its hunks fit
//! that; only where they don't, as an earlier section left it.
//!
//! Where the contract is silent:
//! - A rename of a file that earlier sections have changed takes it as they left it: read as it was
//!   before, it would lose what they did. Only a file that was set aside is read as it was.
//! - Of two states that both fit, a copy reads the state that the header's id names.
//! - A mode that only the line `index` says is the mode that the file had: it is compared, and
//!   never given to the file.
//! - A new file's mode is the header's also where `--overwrite` puts it in place of another; a copy
//!   has its source's permission bits.

use std::collections::HashSet;

use super::Rules;
use super::binary::BinarySection;
use super::error::Error;
use super::growth::Growth;
use super::link;
use super::overlay::Which;
use super::place::{self, Edit, Task};
use super::planner::{Done, Failed, Named, Planner};
use super::warning::Warning;
use crate::patch::{FileEdit, Header, Hunk, Operation, Status};
use crate::path::RepoPath;
use crate::text::Text;
use crate::threads;
use crate::tree::{File, Id, Mode};

/// A section, its path resolved.
pub(super) struct DiffSection<'e, 'p> {
    at: Named<'e, 'p>,
    header: &'e Header,
    to: Option<&'e Text<'p>>,
    hunks: &'e [Hunk<'p>],
}

impl<'e, 'p> DiffSection<'e, 'p> {
    /// Takes an edit for a section, if it is one.
    pub(super) fn of(edit: &'e FileEdit<'p>, at: Named<'e, 'p>) -> Option<Self> {
        let (Some(header), Operation::Update { to, hunks }) = (&edit.header, &edit.operation)
        else {
            return None;
        };
        Some(Self {
            at,
            header,
            to: to.as_ref(),
            hunks,
        })
    }
}

/// Returns whether a section says nothing of its file but which lines change.
pub(super) fn is_in_place(header: &Header) -> bool {
    let Header {
        status,
        old_mode,
        new_mode,
        ids,
        binary,
        ..
    } = header;
    *status == Status::Modified && (old_mode, new_mode, ids, binary) == (&None, &None, &None, &None)
}

/// Returns the mode that a section gives its file, if it changes it.
pub(super) fn given_mode(header: &Header) -> Option<u32> {
    header
        .new_mode
        .filter(|_| header.old_mode != header.new_mode)
}

/// Returns a file's id, cut to the length of the header's id, and the header's id, if they differ.
fn other(header: &Header, id: &str) -> Option<(String, String)> {
    let (patch, _) = header.ids.as_ref()?;
    let shown = id.get(..patch.len())?;
    (!shown.eq_ignore_ascii_case(patch)).then(|| (shown.to_owned(), patch.clone()))
}

/// Returns whether nothing is at a path any more once an edit has been made, unless another puts
/// something there.
pub(super) fn vacates(edit: &FileEdit<'_>) -> bool {
    edit.header
        .as_ref()
        .is_some_and(|header| matches!(header.status, Status::Renamed | Status::Deleted))
        && matches!(edit.operation, Operation::Update { .. })
}

/// Returns whether all that is said of a file is lines that are added to it, and not where.
fn only_adds(hunks: &[Hunk<'_>]) -> bool {
    let is_addition = |hunk: &Hunk<'_>| {
        hunk.position.is_none() && hunk.locators.is_empty() && hunk.old().next().is_none()
    };
    matches!(hunks, [only] if is_addition(only))
}

impl Planner<'_> {
    /// Does what a section of a unified diff says.
    pub(super) fn section(&mut self, section: &DiffSection<'_, '_>) -> Done {
        let DiffSection { at, header, .. } = *section;
        let Named { path, span, .. } = at;
        match header.status {
            Status::Added => self.added(section),
            Status::Modified if only_adds(section.hunks) && self.is_free(path) => {
                self.added(section)
            }
            Status::Deleted => self.deleted(section),
            Status::Modified
                if !section.hunks.is_empty()
                    && header
                        .new_mode
                        .is_none_or(|new| header.old_mode == Some(new)) =>
            {
                if is_in_place(header) {
                    return self.rewrite(at, Edit::by_number(section.hunks));
                }
                let file = self.base(path, span)?;
                self.compared(section, &file, |planner| {
                    planner.rewrite(at, Edit::by_number(section.hunks))
                })
            }
            Status::Modified => {
                let file = self.base(path, span)?;
                let (changed, done) =
                    self.compared(section, &file, |planner| planner.patched(section, &file));
                if done.is_ok() && changed == file {
                    self.warn(span, Warning::NoChange { path: path.clone() });
                }
                self.overlay.put(path, changed);
                done
            }
            Status::Renamed | Status::Copied => match section.to {
                Some(to) => self.carried(section, to),
                None => Err(Failed::Lost),
            },
        }
    }

    /// Makes a new file, or fills an empty one.
    fn added(&mut self, section: &DiffSection<'_, '_>) -> Done {
        let DiffSection { at, header, .. } = *section;
        let Named { path, span, .. } = at;
        self.give_way(path, None);
        if link::is_link(header) {
            return self.link(at, section.hunks);
        }
        if let Some(binary) = BinarySection::of(header) {
            let content = self.unpacked(at, binary, None)?;
            return self.create_of(at, content, header.new_mode);
        }
        let bytes = place::whole(section.hunks);
        if bytes.is_empty() || !self.overlay.is_empty(path) {
            return self.create(at, bytes, header.new_mode);
        }
        self.warn(span, Warning::Filled { path: path.clone() });
        let file = self.base(path, span)?;
        let content = self.tree.check_out(path, bytes).map_err(Error::from);
        let content = self.read(content, span)?.into();
        let mode = with_mode(file.mode, header.new_mode);
        self.overlay.put(path, File { content, mode });
        Ok(())
    }

    /// Returns whether nothing is at a path, nor in its way.
    fn is_free(&mut self, path: &RepoPath) -> bool {
        self.overlay.now(path).is_none() && matches!(self.overlay.obstacle(path), Ok(None))
    }

    fn deleted(&mut self, section: &DiffSection<'_, '_>) -> Done {
        let Named { path, span, .. } = section.at;
        let (which, file) = match self.overlay.aside(path) {
            Some(file) => (Which::Aside, file),
            None => (Which::There, self.doomed(path, span)?),
        };
        let (changed, done) =
            self.compared(section, &file, |planner| planner.patched(section, &file));
        done?;
        if !changed.content.is_empty() {
            let left = changed.content.lines().len().max(1);
            let seen = self.seen(path, &file.content);
            return self.fail(
                span,
                Error::DeleteLeaves {
                    path: path.clone(),
                    left,
                    seen,
                },
            );
        }
        self.overlay.delete(path, which);
        Ok(())
    }

    /// Renames or copies.
    fn carried(&mut self, section: &DiffSection<'_, '_>, to: &Text<'_>) -> Done {
        let DiffSection {
            at: Named { path, span, .. },
            header,
            ..
        } = *section;
        let renames = header.status == Status::Renamed;
        let target = self.target(to, span);
        let aside = self.overlay.aside(path).filter(|_| renames);
        let (leaving, base) = match aside {
            Some(file) => (Some(Which::Aside), Ok(file)),
            None if renames => (Some(Which::There), self.base(path, span)),
            None => (None, self.copied(section)),
        };
        let (Ok(target), Ok(file)) = (target, base) else {
            return Err(Failed::Lost);
        };
        let (changed, done) =
            self.compared(section, &file, |planner| planner.patched(section, &file));
        if target == *path {
            self.overlay.put(path, changed);
            return done;
        }
        // What is renamed is in nobody's way.
        let source = (leaving == Some(Which::There)).then_some(path);
        self.give_way(&target, source);
        let moved = self.relocate(section.at, leaving, changed, (to, &target));
        moved.and(done)
    }

    /// Returns the file that a copy is made of: as it was before the response, unless only what it
    /// is now fits.
    fn copied(&mut self, section: &DiffSection<'_, '_>) -> Result<File, Failed> {
        let DiffSection {
            at: Named { path, span, .. },
            header,
            ..
        } = *section;
        let original = self.overlay.original(path);
        let original = self.read(original, span)?;
        let now = match self.overlay.file(path) {
            Ok(now) => Some(now),
            Err(None) if original.is_none() => return Err(Failed::Lost),
            Err(_) => None,
        };
        match (original, now) {
            (Some(original), Some(now)) if original != now => {
                let [before, after] = [&original, &now].map(|file| self.fits(section, file));
                let is_named = |file| header.ids.is_some() && !self.is_other(section, file);
                let is_now = after && (!before || !is_named(&original) && is_named(&now));
                Ok(if is_now { now } else { original })
            }
            (Some(file), _) => Ok(file),
            (None, _) => self.base(path, span),
        }
    }

    /// Returns whether all hunks have a place in a file. That doesn't depend on what is refused
    /// besides.
    fn fits(&self, section: &DiffSection<'_, '_>, file: &File) -> bool {
        let edit = Edit::by_number(section.hunks);
        let rules = &Rules {
            strict: false,
            unique: false,
            ..self.rules.clone()
        };
        let task = Task {
            number: self.number,
            path: section.at.path,
            file: &edit.read(&file.content, edit.needles()),
            rules,
            growth: Growth::new(0, &self.added),
            enough: 1,
        };
        edit.place(task, &mut HashSet::new()).whole
    }

    /// Returns whether a file has another id than the header says.
    fn is_other(&self, section: &DiffSection<'_, '_>, file: &File) -> bool {
        let id = self.id(section, file);
        id.is_some_and(|id| other(section.header, &id()).is_some())
    }

    /// Returns what header and hunks make of a file; where some hunks fail, what the others make of
    /// it.
    fn patched(&mut self, section: &DiffSection<'_, '_>, file: &File) -> (File, Done) {
        let DiffSection {
            at, header, hunks, ..
        } = *section;
        let mode = with_mode(file.mode, given_mode(header));
        let (content, done) = match BinarySection::of(header) {
            Some(binary) => match self.unpacked(at, binary, Some(file)) {
                Ok(content) => (content, Ok(())),
                Err(failed) => (file.content.clone(), Err(failed)),
            },
            None => self.rewritten(at, file, Edit::of_section(header.status, hunks)),
        };
        (File { content, mode }, done)
    }

    /// Changes a file, and compares what it was with what the header says of it.
    fn compared<T>(
        &mut self,
        section: &DiffSection<'_, '_>,
        file: &File,
        change: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let DiffSection {
            at: Named { path, span, .. },
            header,
            ..
        } = *section;
        let mode = file.mode.git();
        if let Some(patch) = header.old_mode.filter(|patch| *patch != mode) {
            self.warn(
                span,
                Warning::ModeDiffers {
                    path: path.clone(),
                    file: mode,
                    patch,
                },
            );
        }
        let id = self.id(section, file);
        let size = id.as_ref().map_or(0, |_| file.content.size());
        let (id, changed) = threads::beside(size, || id.as_ref().map(|id| id()), || change(self));
        if let Some((file, patch)) = id.and_then(|id| other(header, &id)) {
            self.warn(
                span,
                Warning::IdDiffers {
                    path: path.clone(),
                    file,
                    patch,
                },
            );
        }
        changed
    }

    /// Returns what works out a file's id, if the header names one.
    fn id(&self, section: &DiffSection<'_, '_>, file: &File) -> Option<Id> {
        section.header.ids.as_ref()?;
        if section.header.binary.is_some() {
            return None;
        }
        // A file is read once for this; how it is after each of many sections is only worth a
        // warning.
        let is_left = self
            .overlay
            .in_tree(section.at.path)
            .is_none_or(|content| content != file.content);
        if is_left && !self.effort.spend(file.content.size()) {
            return None;
        }
        // What can't be named can't be compared, and the change doesn't depend on it.
        self.tree.id(section.at.path, &file.content).ok().flatten()
    }

    /// Sets aside what is in the place of a new file, but for its source, if a later section renames
    /// or deletes it.
    fn give_way(&mut self, target: &RepoPath, source: Option<&RepoPath>) {
        if self.vacated.is_empty() {
            return;
        }
        let below = self.vacated.range::<[u8], _>((
            std::ops::Bound::Excluded(&[target.as_bytes(), b"/"].concat()[..]),
            std::ops::Bound::Unbounded,
        ));
        let mut leaving: Vec<RepoPath> = below
            .map(|(path, _)| path)
            .take_while(|path| path.is_below(target))
            .cloned()
            .collect();
        leaving.extend(
            target
                .ancestors()
                .filter(|path| self.vacated.contains_key(path)),
        );
        if self.vacated.contains_key(target) {
            leaving.push(target.clone());
        }
        if self.tree.ignores_case()
            && let Ok(twins) = self.tree.case_twins(target)
        {
            leaving.extend(
                twins
                    .into_iter()
                    .filter(|twin| self.vacated.contains_key(twin)),
            );
        }
        for path in leaving.into_iter().filter(|path| Some(path) != source) {
            // Once is enough, so that no response makes this quadratic.
            if self
                .vacated
                .remove(&path)
                .is_some_and(|last| last > self.number)
            {
                self.overlay.set_aside(&path);
            }
        }
    }
}

/// Returns a mode with the executable bit that a header asks for.
pub(super) fn with_mode(mode: Mode, wanted: Option<u32>) -> Mode {
    let Some(wanted) = wanted else { return mode };
    let executable = wanted & 0o100 != 0;
    if executable == mode.executable {
        return mode;
    }
    Mode {
        executable,
        bits: mode.bits.map(|bits| Mode::bits(bits, executable)),
    }
}
