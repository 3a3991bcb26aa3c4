//! What is kept of the last changes of this work tree, so that [`last`](mod@super::last) can take
//! them back.
//!
//! Once a change is certain, its journal holds all that is needed: the originals, the same inodes,
//! and a [`Record`]. So it is kept by one rename of the journal to `llmpatch/undo-N`, where N is
//! one more than that of the newest, and the oldest go where there are more than [`MOST_KEPT`], or
//! more than [`MOST_BYTES`] of old files. An undo removes all that is kept of the change that it
//! took back. A change without a record (it could not be written), and a commit that holds more
//! than the change, remove all others: nothing before it can be taken back as if it weren't there.
//! The run that finds the journal of a dead run, whose change is certain, keeps it in the same way.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use bstr::ByteSlice as _;

use super::earlier::Earlier;
use super::error::{TransactionError, Why};
use super::home::Home;
use super::journal::{Journal, plain};
use super::lock::{index_lock, is_ours};
use super::record::Record;
use super::sealed::{MOST, Sealed as _};
use crate::dir::rights::Rights;
use crate::dir::write::step;
use crate::dir::{Dir, Found, Stat};
use crate::repo::{Repo, history};
use llmpatch::path::RepoPath;

pub(super) const RECORD: &str = "record";
/// How many changes are kept.
pub(super) const MOST_KEPT: usize = 10;
/// How many bytes the old files of all kept changes may have; the old files of the last change may
/// have any number.
pub(super) const MOST_BYTES: u64 = if cfg!(test) { 64 << 10 } else { 128 << 20 };
/// Where the old files of a change have fewer bytes than this, the old files of other changes
/// aren't counted, since reading their records takes as long as making the change; so the old files
/// of all may have so many bytes more for each change.
const FEW_BYTES: u64 = if cfg!(test) { 1 << 10 } else { 4 << 20 };
/// How many bytes the record of a change may have that is read for a hint alone.
const SHORT: u64 = 1 << 16;
const KEPT: &str = "undo-";

/// Returns the numbers of the changes that are kept, the newest first.
fn kept(home: &Dir) -> io::Result<Vec<u64>> {
    let names = home.list(None)?;
    // There is always a number behind that of the newest.
    let numbers = names.iter().filter_map(|(name, _)| {
        let number = name.strip_prefix(KEPT.as_bytes())?.to_str().ok()?;
        number.parse::<u32>().ok()
    });
    let mut numbers: Vec<u64> = numbers.map(u64::from).collect();
    numbers.sort_by(|a, b| b.cmp(a));
    Ok(numbers)
}

fn kept_name(number: u64) -> RepoPath {
    plain(&format!("{KEPT}{number}"))
}

/// Writes a record into a journal.
pub(super) fn write(journal: &Journal, record: Record) -> io::Result<()> {
    let name = plain(RECORD);
    let written =
        step("write the record").and_then(|()| journal.dir().put(&name, &record.to_bytes()));
    match &written {
        Ok(_) => drop(journal.record.replace(Some(record))),
        Err(_) => journal.dir().discard(&name),
    }
    written.map(drop)
}

/// Reads the record in a journal; `None` if there is none.
pub(super) fn record(journal: &Journal) -> io::Result<Option<Record>> {
    let bytes = journal.dir().read_own(&plain(RECORD), MOST)?;
    Ok(bytes.and_then(|bytes| Record::parse(&bytes)))
}

/// Keeps a change that is certain, or removes what it took back. It can be stopped anywhere and
/// done again.
pub(super) fn keep(journal: &Journal) -> io::Result<()> {
    let record = match journal.record.take() {
        None => record(journal)?,
        written => written,
    };
    let home = &journal.home().dir;
    let record = match record {
        // Nothing was changed.
        Some(Record::Made(made)) if made.files.is_empty() && made.entries.is_empty() => {
            journal.remove_on_drop();
            return Ok(());
        }
        Some(record @ (Record::Made(_) | Record::Committed(_))) => record,
        Some(Record::Undone(seal)) => {
            for number in kept(home)? {
                let its = seal_of(home, number)?;
                // This is done a second time: the newest is half removed by now, or is another one.
                if its.as_ref().is_none_or(|its| *its == seal) {
                    forget(home, number)?;
                }
                if its.is_some() {
                    break;
                }
            }
            journal.remove_on_drop();
            return Ok(());
        }
        Some(record @ Record::Commit(..)) => {
            forget_all(journal)?;
            record
        }
        None => {
            forget_all(journal)?;
            journal.remove_on_drop();
            return Ok(());
        }
    };
    let before = kept(home)?;
    step("keep the change")?;
    journal.rename(&kept_name(before.first().map_or(1, |newest| newest + 1)))?;
    let mut bytes = record.old_bytes();
    for (older, number) in before.iter().enumerate() {
        if (FEW_BYTES..=MOST_BYTES).contains(&bytes) {
            bytes = bytes.saturating_add(old_bytes_of(home, *number));
        }
        if older + 1 >= MOST_KEPT || bytes > MOST_BYTES {
            // Whatever can't be removed now goes with the next change.
            drop(forget(home, *number));
        }
    }
    let needed = record.names();
    for (name, _) in journal.dir().list(None).unwrap_or_default() {
        let is_needed = name == RECORD || name.to_str().is_ok_and(|name| needed.contains(name));
        if !is_needed && let Ok(name) = RepoPath::new(&name) {
            journal.dir().discard(&name);
        }
    }
    Ok(())
}

/// Returns the seal of the record of a change that is kept, which is empty where it is damaged;
/// `None` where there is no record: whoever removed it was stopped.
fn seal_of(home: &Dir, number: u64) -> io::Result<Option<String>> {
    let name = kept_name(number);
    if home.look(&name)? != Found::Directory {
        return Ok(Some(String::new()));
    }
    let bytes = home.beneath(&name)?.read_own(&plain(RECORD), MOST)?;
    Ok(bytes.map(|bytes| Record::parse(&bytes).map_or_else(String::new, |record| record.seal())))
}

/// Returns how many bytes the old files of a change that is kept have, as far as its record says
/// it.
fn old_bytes_of(home: &Dir, number: u64) -> u64 {
    record_of(home, number, MOST).map_or(0, |record| record.old_bytes())
}

/// Returns the record of a change that is kept, if it is there, whole and no longer than this.
fn record_of(home: &Dir, number: u64, most: u64) -> Option<Record> {
    let dir = home.beneath(&kept_name(number)).ok()?;
    Record::parse(&dir.read_own(&plain(RECORD), most).ok()??)
}

/// Writes down where the model saw the work tree; returns whether the last change that is kept was made
/// with the same words, and the change before wasn't, as far as their records are there, and short.
pub(super) fn note_roots(journal: &mut Journal, roots: Vec<String>) -> bool {
    let home = &journal.home().dir;
    let numbers = kept(home).unwrap_or_default();
    let mut made = numbers.into_iter().map(|number| {
        let record = record_of(home, number, SHORT);
        record.is_some_and(|record| record.made().is_some_and(|made| made.roots == roots))
    });
    let is_second = made.next() == Some(true) && made.next() != Some(true);
    journal.roots = roots;
    is_second
}

/// Removes all that is kept of changes before.
pub(super) fn forget_all(journal: &Journal) -> io::Result<()> {
    let home = &journal.home().dir;
    kept(home)?
        .into_iter()
        .try_for_each(|number| forget(home, number))
}

/// Removes what is kept of a change, whatever became of it.
fn forget(home: &Dir, number: u64) -> io::Result<()> {
    let name = kept_name(number);
    let removed = match home.look(&name)? {
        Found::Absent => return Ok(()),
        Found::Directory => {
            step("let go of the change before")?;
            // Without its record nobody takes the rest for anything.
            home.remove_flat(&name, RECORD, "")
        }
        _ => home.remove_file(&name),
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// What the record of a change says, and the directory in which its files are kept.
pub(super) type Opened = (Record, Dir, PathBuf);

/// Returns when a change was made, in seconds since 1970, by the directory in which its files are
/// kept.
pub(super) fn when(dir: &Dir) -> i64 {
    dir.glance(&plain(RECORD)).map_or(0, |stat| stat.modified.0)
}

/// Reads what the newest change was; `None` if nothing is kept.
pub(super) fn newest(repo: &Repo) -> Result<Option<Opened>, TransactionError> {
    all(repo)?.next().transpose()
}

/// Reads what the changes were that are kept, the newest first.
pub(super) fn all(
    repo: &Repo,
) -> Result<impl Iterator<Item = Result<Opened, TransactionError>>, TransactionError> {
    let home = Home::current(repo)?;
    let numbers = match &home {
        Some(home) => kept(&home.dir).map_err(TransactionError::io("read", home.path()))?,
        None => Vec::new(),
    };
    Ok(numbers
        .into_iter()
        .filter_map(move |number| opened(home.as_ref()?, number).transpose()))
}

/// Reads what a change was; `None` if it has no record: it is half removed.
fn opened(home: &Home, number: u64) -> Result<Option<Opened>, TransactionError> {
    let (dir, directory) = open_kept(home, number)?;
    Ok(read(&dir, &directory)?.map(|record| (record, dir, directory)))
}

/// Removes what is kept of the newest change, and returns what that was; `None` if nothing is kept.
pub(super) fn forget_newest(repo: &Repo) -> Result<Option<Earlier>, TransactionError> {
    let Some(home) = Home::current(repo)? else {
        return Ok(None);
    };
    for number in kept(&home.dir).map_err(TransactionError::io("read", home.path()))? {
        let head = history::head(repo)?;
        let newest = opened(&home, number)?
            .as_ref()
            .map(|opened| Earlier::of(repo, head, opened))
            .transpose()?;
        let directory = home.path().join(format!("{KEPT}{number}"));
        forget(&home.dir, number).map_err(TransactionError::io("remove", &directory))?;
        if newest.is_some() {
            return Ok(newest);
        }
    }
    Ok(None)
}

fn open_kept(home: &Home, number: u64) -> Result<(Dir, PathBuf), TransactionError> {
    let directory = home.path().join(format!("{KEPT}{number}"));
    match home.dir.beneath(&kept_name(number)) {
        Ok(dir) => Ok((dir, directory)),
        Err(error) if Why::of(&error) == Why::Broken => {
            Err(TransactionError::Damaged { directory })
        }
        Err(error) => Err(TransactionError::io("read", &directory)(error)),
    }
}

fn read(dir: &Dir, directory: &Path) -> Result<Option<Record>, TransactionError> {
    let name = plain(RECORD);
    match dir
        .read_own(&name, MOST)
        .and_then(|bytes| Ok((bytes, dir.look(&name)?)))
    {
        Ok((None, Found::Absent)) => Ok(None),
        // What is no file, a pipe say, isn't read.
        Ok((bytes, _)) => {
            let record = bytes.and_then(|bytes| Record::parse(&bytes));
            record.map(Some).ok_or_else(|| TransactionError::Damaged {
                directory: directory.to_owned(),
            })
        }
        Err(error) => Err(TransactionError::io("read", &directory.join(RECORD))(error)),
    }
}

/// Refuses to go on where a change is certain and isn't kept yet, under the lock, when no other run
/// is about to keep it.
pub(super) fn all_are_kept(repo: &Repo) -> Result<(), TransactionError> {
    let mut others = Journal::all(repo).into_iter().flatten();
    match others.find(|journal| !matches!(journal.applied(), Ok(None))) {
        Some(unkept) => Err(TransactionError::Unkept {
            directory: unkept.path(),
        }),
        None => Ok(()),
    }
}

/// The old files, the same inodes, that are kept of the last change: those that it deleted have
/// nobody else's rights to take over when they come back.
#[derive(Debug, Default)]
pub(super) struct Originals(Option<(Dir, BTreeMap<RepoPath, RepoPath>)>);

impl Originals {
    /// Returns those of the change that is to be taken back.
    pub(super) fn of_newest(repo: &Repo) -> Result<Self, TransactionError> {
        Ok(Self(newest(repo)?.map(|(record, dir, _)| {
            let files = record.made().into_iter().flat_map(|made| &made.files);
            let names = files.filter_map(|file| {
                let (_, name) = file.before.as_ref()?;
                // A copy has other rights.
                let is_original = name.starts_with("original-");
                is_original.then(|| (file.path.clone(), plain(name)))
            });
            (dir, names.collect())
        })))
    }

    /// Returns the rights that the old file of a path has.
    pub(super) fn rights(&self, path: &RepoPath) -> io::Result<Option<Rights>> {
        let original = self
            .0
            .as_ref()
            .and_then(|(dir, names)| Some((dir, names.get(path)?)));
        original.map_or(Ok(None), |(dir, name)| Rights::at(dir, name))
    }
}

/// Which apply or undo was the last at some time, so that it shows whether there was another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen(Option<Stat>);

impl Seen {
    /// Notes which apply or undo was the last.
    pub fn now(repo: &Repo) -> Self {
        let home = Home::current(repo).ok().flatten();
        Self(home.and_then(|home| {
            let mut numbers = kept(&home.dir).ok()?.into_iter();
            numbers.find_map(|number| {
                home.dir
                    .glance(&kept_name(number).join(RECORD.as_bytes()).ok()?)
            })
        }))
    }

    /// Returns whether it still is, and none is being made.
    pub fn is_last(&self, repo: &Repo) -> bool {
        // What is being made is kept before its lock is released.
        !is_ours(&index_lock(repo)) && self.is_last_under_lock(repo)
    }

    /// Returns whether it still is; for who holds the lock.
    pub fn is_last_under_lock(&self, repo: &Repo) -> bool {
        *self == Self::now(repo)
    }
}
