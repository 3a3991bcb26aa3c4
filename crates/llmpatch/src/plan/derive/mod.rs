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
use std::collections::HashMap;

use bstr::ByteSlice as _;

use self::hunks::{Side, hunks};
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
use crate::text::{Content, Text};
use crate::tree::{File, Mode};

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
        .flat_map(Pair::by_type)
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
        let regions = pair.regions(compare)?;
        options.progress.step();
        Ok(ChangedLines {
            path: pair.paths()[1],
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
    let renamed = pairs.iter().filter(|pair| pair.similarity.is_some());
    let renamed: HashMap<_, _> = renamed
        .map(|pair| pair.paths())
        .map(|[old, new]| (new, old))
        .collect();
    Ok(ChangeSet::new(changes.iter().map(|change| Change {
        from: renamed.get(&change.path).map(|from| (*from).clone()),
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
        let content = if file.mode.is_link() {
            Cow::Borrowed(&file.content)
        } else {
            compare.stored(path, &file.content, side)?
        };
        let is_binary = compare.is_binary(path, &content)?;
        Ok(Some(Self {
            path,
            mode: file.mode.git(),
            content,
            is_binary,
        }))
    }

    fn is_link(&self) -> bool {
        self.mode == Mode::LINK.git()
    }
}

/// A file before and afterwards; one of them at least is there.
struct Pair<'c> {
    old: Option<Blob<'c>>,
    new: Option<Blob<'c>>,
    similarity: Option<u8>,
}

impl<'c> Pair<'c> {
    fn sides(&self) -> impl Iterator<Item = &Blob<'c>> {
        self.old.iter().chain(&self.new)
    }

    /// Returns where the file was, and where it will be; twice the same where that is one path.
    fn paths(&self) -> [&'c RepoPath; 2] {
        [self.sides().next(), self.sides().last()].map(|side| side.expect("a pair has a side").path)
    }

    /// Splits a file that becomes a link, or a link that becomes a file, into a deletion and a new file, as
    /// git does: no rename leads from the one to the other.
    fn by_type(self) -> impl Iterator<Item = Self> {
        let pairs = match [&self.old, &self.new] {
            [Some(old), Some(new)] if old.is_link() != new.is_link() => {
                [(self.old, None), (None, self.new)].map(|(old, new)| {
                    Some(Self {
                        old,
                        new,
                        similarity: None,
                    })
                })
            }
            _ => [Some(self), None],
        };
        pairs.into_iter().flatten()
    }

    fn keeps_content(&self) -> bool {
        content(&self.old) == content(&self.new)
    }

    fn modes(&self) -> [Option<u32>; 2] {
        [&self.old, &self.new].map(|side| side.as_ref().map(|blob| blob.mode))
    }

    fn is_binary(&self) -> bool {
        self.sides().any(|blob| blob.is_binary)
    }

    /// Returns which lines differ.
    fn regions(&self, compare: &dyn Compare) -> Result<Vec<Region>, CompareError> {
        let [old, new] = [bytes(&self.old), bytes(&self.new)];
        // A file may come or go that is empty itself.
        if self.keeps_content() || old.is_empty() && new.is_empty() {
            return Ok(Vec::new());
        }
        if old.is_empty() || new.is_empty() {
            return Ok(vec![Region {
                old: 0..old.lines().count(),
                new: 0..new.lines().count(),
            }]);
        }
        // A content that git stores as other bytes is none that splices made.
        let [before, after] = [content(&self.old), content(&self.new)];
        let made = after.and_then(Content::splices);
        let made = made.filter(|(base, _)| before.is_some_and(|before| base.is(before)));
        let narrow = made.and_then(|(base, splices)| narrow::regions(&base.lines(), splices));
        narrow.map_or_else(|| compare.regions(self.paths()[0], old, new), Ok)
    }
}

fn content<'b>(side: &'b Option<Blob<'_>>) -> Option<&'b Content> {
    side.as_ref().map(|blob| &*blob.content)
}

fn bytes<'b>(side: &'b Option<Blob<'_>>) -> &'b [u8] {
    content(side).map_or(&[], |content| &content[..])
}

/// Returns the content of both sides; of none, nothing.
fn contents(pair: Pair<'_>) -> [Cow<'_, Content>; 2] {
    let empty = || Cow::Owned(Content::from(Vec::new()));
    [pair.old, pair.new].map(|side| side.map_or_else(empty, |blob| blob.content))
}

fn pair_up<'c>(
    changes: &'c ChangeSet,
    compare: &dyn Compare,
    of: Renames,
) -> Result<Vec<Pair<'c>>, CompareError> {
    let mut pairs = Vec::with_capacity(changes.len());
    for change in changes {
        let Change { path, from, .. } = change;
        let [before, after] = [change.before.as_ref(), change.after.as_ref()];
        let pair = Pair {
            old: Blob::of(path, before, DiffSide::Before, compare)?,
            new: Blob::of(path, after, DiffSide::After(from.as_ref()), compare)?,
            similarity: None,
        };
        let [old_mode, new_mode] = pair.modes();
        if !(pair.keeps_content() && old_mode == new_mode) {
            pairs.push(pair);
        }
    }
    if let Renames::Detected { limit } = of {
        join_renames(&mut pairs, false, limit);
        join_renames(&mut pairs, true, limit);
    }
    Ok(pairs)
}

/// Puts the old side of a deleted file, or of a deleted link, into the pair of the new one that it became.
fn join_renames(pairs: &mut Vec<Pair<'_>>, of_links: bool, limit: usize) {
    let all =
        (0..pairs.len()).filter(|&at| pairs[at].sides().all(|side| side.is_link() == of_links));
    let deleted: Vec<_> = all.clone().filter(|&at| pairs[at].new.is_none()).collect();
    let new: Vec<_> = all.filter(|&at| pairs[at].old.is_none()).collect();
    if deleted.is_empty() || new.is_empty() {
        return;
    }
    let candidate = |&at: &usize| {
        let blob = pairs[at].sides().next()?;
        let path = blob.path.as_bytes();
        Some(Candidate::new(path, &blob.content, !blob.is_binary))
    };
    let [gone, come] =
        [&deleted, &new].map(|of| of.iter().filter_map(candidate).collect::<Vec<_>>());
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

fn edit<'c>(
    pair: Pair<'c>,
    compare: &dyn Compare,
    options: &Options,
) -> Result<FileEdit<'c>, CompareError> {
    let keeps_content = pair.keeps_content();
    let is_binary = pair.is_binary();
    let [path, new_path] = pair.paths();
    let [old, new] = [bytes(&pair.old), bytes(&pair.new)];
    let mut binary = None;
    let mut regions = Vec::new();
    if is_binary {
        let mut text = Vec::new();
        if !keeps_content {
            text = compare.binary_patch(path, old, new)?;
        }
        binary = Some(Binary {
            old_len: old.len() as u64,
            new_len: new.len() as u64,
            text,
        });
    } else {
        regions = pair.regions(compare)?;
    }
    let status = match (&pair.old, &pair.new) {
        (None, _) => Status::Added,
        (_, None) => Status::Deleted,
        (Some(old), Some(new)) if old.path == new.path => Status::Modified,
        _ => Status::Renamed,
    };
    let [old_mode, new_mode] = match pair.modes() {
        // Where neither content nor mode changes, a diff doesn't say the mode.
        [old, new] if keeps_content && old == new => [None; 2],
        modes => modes,
    };
    let header = Header {
        status,
        old_mode,
        new_mode,
        ids: (!keeps_content)
            .then(|| ids(&pair, compare, is_binary))
            .transpose()?,
        similarity: pair.similarity,
        binary,
    };
    let to = (status == Status::Renamed).then(|| path_text(new_path));
    let contents = contents(pair);
    let hunks = hunks(&contents.each_ref().map(Side::of), &regions, options);
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
