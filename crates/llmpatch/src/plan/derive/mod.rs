//! [`ChangeSet`] → [`Patch`], the way back: what a change would look like had somebody written it
//! as a patch.
//!
//! As a unified diff it is what `git diff` prints for the same change, with `--binary`, and the
//! same whatever in the configuration makes a diff for people only (`diff.noprefix`, external
//! drivers, `textconv`): it is to be applied. A path whose content and mode are the same once they
//! are as git stores them isn't in it.

//!
//! As an envelope, OPX or search/replace blocks it is what somebody would have written who knew the
//! files, in the words that leave least in doubt; and it is tried out before it is handed over.
//! These formats speak of contents as they are, not as git stores them.

mod chunks;
mod hunks;
mod narrow;
mod operations;
mod proof;
mod renames;
mod review;
mod similarity;
mod substitutions;
mod unrepresentable;
mod update;

use std::borrow::Cow;

use self::hunks::{Sides, hunks};
pub use self::operations::texts;
pub use self::proof::leaves_doubt;
pub(crate) use self::proof::{is_in_doubt, rules, same_texts};
use self::renames::{Candidate, Rename};
pub use self::review::{Limit, Limited, Suggestions, suggestions};
pub use self::unrepresentable::{Derived, Replaced};
use super::{Change, ChangeSet};
use crate::compare::{Compare, CompareError, DiffSide, Options, Region, Renames};
use crate::patch::{Binary, FileEdit, Format, Header, Operation, Patch, Status};
use crate::path::RepoPath;
use crate::text::{Content, Splice, Text};
use crate::tree::File;

/// Derives a unified diff: an edit a file, ordered by the paths afterwards, each with a [`Header`].
///
/// # Errors
/// If contents can't be compared.
pub fn unified<'c>(
    changes: &'c ChangeSet,
    compare: &dyn Compare,
    options: &Options,
) -> Result<Patch<'c>, CompareError> {
    let pairs = pair_up(changes, compare, options.renames)?;
    let edits = pairs
        .into_iter()
        .map(|pair| edit(pair, compare, options))
        .collect::<Result<_, _>>()?;
    Ok(Patch {
        format: Format::Unified,
        edits,
    })
}

/// How many lines of a file go, and how many come.
pub struct ChangedLines<'c> {
    /// Where the file is afterwards, or where it was.
    pub path: &'c RepoPath,
    /// How many go.
    pub removed: usize,
    /// How many come.
    pub added: usize,
}

/// Counts the lines that go and come in each file that isn't binary: the lines that [`unified`]
/// shows.
///
/// # Errors
/// If contents can't be compared.
pub fn changed_lines<'c>(
    changes: &'c ChangeSet,
    compare: &dyn Compare,
    options: &Options,
) -> Result<Vec<ChangedLines<'c>>, CompareError> {
    let pairs = pair_up(changes, compare, options.renames)?;
    let texts = pairs.iter().filter(|pair| !pair.is_binary());
    let counted = texts.map(|pair| {
        let path = pair.sides().last().expect("a pair has a side").path;
        let regions = pair.regions(compare)?;
        options.progress.step();
        Ok(ChangedLines {
            path,
            removed: regions.iter().map(|region| region.old.len()).sum(),
            added: regions.iter().map(|region| region.new.len()).sum(),
        })
    });
    counted.collect()
}

/// Puts the renames that git would show into a change, of which only the contents are known so far.
///
/// # Errors
/// If contents can't be compared.
pub fn with_renames(
    changes: &ChangeSet,
    compare: &dyn Compare,
    options: &Options,
) -> Result<ChangeSet, CompareError> {
    let pairs = pair_up(changes, compare, options.renames)?;
    let renamed: std::collections::HashMap<_, _> = pairs
        .iter()
        .filter_map(|pair| Some((pair.new.as_ref()?.path, pair.old.as_ref()?.path)))
        .filter(|(new, old)| new != old)
        .collect();
    let renamed = |change: &Change| renamed.get(&change.path).map(|from| (*from).clone());
    Ok(ChangeSet::new(changes.iter().map(|change| Change {
        from: renamed(change),
        ..change.clone()
    })))
}

/// A file on one side of a change.
struct Blob<'c> {
    path: &'c RepoPath,
    mode: u32,
    content: Cow<'c, Content>,
    is_binary: bool,
}

impl<'c> Blob<'c> {
    fn of(
        path: &'c RepoPath,
        file: Option<&'c File>,
        side: DiffSide<'_>,
        compare: &dyn Compare,
    ) -> Result<Option<Self>, CompareError> {
        let Some(file) = file else { return Ok(None) };
        let content = match file.mode.is_link() {
            true => Cow::Borrowed(&file.content),
            false => compare.stored(path, &file.content, side)?,
        };
        let is_binary = compare.is_binary(path, &content)?;
        Ok(Some(Self {
            path,
            mode: file.mode.git(),
            content,
            is_binary,
        }))
    }
}

/// A file before and afterwards; one of them at least is there.
struct Pair<'c> {
    old: Option<Blob<'c>>,
    new: Option<Blob<'c>>,
    similarity: Option<u8>,
    /// The splices that made the new content of the old content, if they are known and git would
    /// store both as they are.
    splices: Option<&'c [Splice]>,
}

impl<'c> Pair<'c> {
    fn sides(&self) -> impl Iterator<Item = &Blob<'c>> {
        self.old.iter().chain(&self.new)
    }

    fn keeps_content(&self) -> bool {
        content(&self.old) == content(&self.new)
    }

    fn is_binary(&self) -> bool {
        self.sides().any(|blob| blob.is_binary)
    }

    /// Returns which lines differ.
    fn regions(&self, compare: &dyn Compare) -> Result<Vec<Region>, CompareError> {
        if self.keeps_content() {
            return Ok(Vec::new());
        }
        let is_empty = |side| content(side).is_none_or(|content| content.size() == 0);
        if is_empty(&self.old) || is_empty(&self.new) {
            let all = |side| 0..line_count(bytes(side));
            let old = all(&self.old);
            let new = all(&self.new);
            // A file may come or go that is empty itself.
            return Ok(if old == new {
                Vec::new()
            } else {
                vec![Region { old, new }]
            });
        }
        let path = self.sides().next().expect("a pair has a side").path;
        let narrow = self
            .splices
            .zip(content(&self.old))
            .and_then(|(splices, old)| narrow::regions(old, splices));
        narrow.map_or_else(
            || compare.regions(path, bytes(&self.old), bytes(&self.new)),
            Ok,
        )
    }
}

fn content<'b>(side: &'b Option<Blob<'_>>) -> Option<&'b Content> {
    side.as_ref().map(|blob| &*blob.content)
}

fn bytes<'b>(side: &'b Option<Blob<'_>>) -> &'b [u8] {
    content(side).map_or(&[], |content| &content[..])
}

fn line_count(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count()
        + usize::from(bytes.last().is_some_and(|last| *last != b'\n'))
}

fn pair_up<'c>(
    changes: &'c ChangeSet,
    compare: &dyn Compare,
    of: Renames,
) -> Result<Vec<Pair<'c>>, CompareError> {
    let mut pairs = Vec::with_capacity(changes.len());
    for Change {
        path,
        before,
        after,
        from,
    } in changes
    {
        let old = Blob::of(path, before.as_ref(), DiffSide::Before, compare)?;
        let side = DiffSide::After(from.as_ref());
        let new = Blob::of(path, after.as_ref(), side, compare)?;
        let splices = after
            .as_ref()
            .and_then(|after| after.content.splices())
            .filter(|(base, _)| {
                is_stored(before.as_ref(), &old)
                    && is_stored(after.as_ref(), &new)
                    && content(&old).is_some_and(|old| base.is(old))
            });
        let splices = splices.map(|(_, splices)| splices);
        let pair = Pair {
            old,
            new,
            similarity: None,
            splices,
        };
        let mode = |side: &Option<Blob<'_>>| side.as_ref().map(|blob| blob.mode);
        if !(pair.keeps_content() && mode(&pair.old) == mode(&pair.new)) {
            pairs.push(pair);
        }
    }
    if let Renames::Detected { limit } = of {
        join_renames(&mut pairs, limit);
    }
    Ok(pairs)
}

/// Returns whether a file is kept as it is stored.
fn is_stored(file: Option<&File>, blob: &Option<Blob<'_>>) -> bool {
    file.zip(content(blob))
        .is_some_and(|(file, stored)| stored.is(&file.content))
}

/// Puts the old side of a deleted file into the pair of the new file that it became.
fn join_renames(pairs: &mut Vec<Pair<'_>>, limit: usize) {
    let all = 0..pairs.len();
    let deleted: Vec<_> = all.clone().filter(|&at| pairs[at].new.is_none()).collect();
    let new: Vec<_> = all.filter(|&at| pairs[at].old.is_none()).collect();
    if deleted.is_empty() || new.is_empty() {
        return;
    }
    let [gone, come] = [&deleted, &new].map(|of| candidates(pairs, of));
    let found = renames::detect(&gone, &come, limit);
    for (at, rename) in new.into_iter().zip(found) {
        let Some(Rename { source, similarity }) = rename else {
            continue;
        };
        pairs[at].old = pairs[deleted[source]].old.take();
        pairs[at].similarity = Some(similarity);
    }
    pairs.retain(|pair| pair.sides().next().is_some());
}

fn candidates<'p>(pairs: &'p [Pair<'_>], of: &[usize]) -> Vec<Candidate<'p>> {
    let blobs = of.iter().filter_map(|&at| pairs[at].sides().next());
    blobs
        .map(|blob| Candidate::new(blob.path.as_bytes(), &blob.content, !blob.is_binary))
        .collect()
}

fn edit<'c>(
    pair: Pair<'c>,
    compare: &dyn Compare,
    options: &Options,
) -> Result<FileEdit<'c>, CompareError> {
    let keeps_content = pair.keeps_content();
    let is_binary = pair.is_binary();
    let path = pair.sides().next().expect("a pair has a side").path;

    let binary = if is_binary {
        let old = bytes(&pair.old);
        let new = bytes(&pair.new);
        let text = if keeps_content {
            Vec::new()
        } else {
            compare.binary_patch(path, old, new)?
        };
        Some(Binary {
            old_len: old.len() as u64,
            new_len: new.len() as u64,
            text,
        })
    } else {
        None
    };
    let mode = |side: &Option<Blob<'_>>| side.as_ref().map(|blob| blob.mode);
    // Where neither content nor mode changes, a diff doesn't say the mode.
    let modes =
        Some([mode(&pair.old), mode(&pair.new)]).filter(|[old, new]| !keeps_content || old != new);
    let [old_mode, new_mode] = modes.unwrap_or_default();
    let header = Header {
        status: match (&pair.old, &pair.new) {
            (None, _) => Status::Added,
            (_, None) => Status::Deleted,
            (Some(old), Some(new)) if old.path == new.path => Status::Modified,
            _ => Status::Renamed,
        },
        old_mode,
        new_mode,
        ids: if keeps_content {
            None
        } else {
            Some(ids(&pair, compare, is_binary)?)
        },
        similarity: pair.similarity,
        binary,
    };
    let to = (header.status == Status::Renamed)
        .then(|| pair.new.as_ref().map(|blob| path_text(blob.path)))
        .flatten();
    let hunks = if keeps_content || is_binary {
        Vec::new()
    } else {
        let regions = pair.regions(compare)?;
        let sides = Sides::of(
            pair.old.map(|blob| blob.content),
            pair.new.map(|blob| blob.content),
        );
        hunks(sides, &regions, options)
    };
    options.progress.step();
    Ok(FileEdit {
        header: Some(Box::new(header)),
        ..FileEdit::new(path_text(path), Operation::Update { to, hunks }, None)
    })
}

/// Names the contents as `index` does: a binary patch is only applied to what has the whole id.
fn ids(
    pair: &Pair<'_>,
    compare: &dyn Compare,
    whole: bool,
) -> Result<(String, String), CompareError> {
    let [old, new] = [&pair.old, &pair.new].map(|side| {
        let id = compare.id(content(side).map(|content| &content[..]))?;
        if whole {
            Ok(id)
        } else {
            compare.abbreviate(&id)
        }
    });
    Ok((old?, new?))
}

fn path_text(path: &RepoPath) -> Text<'_> {
    Text::derived(path.as_bytes())
}
