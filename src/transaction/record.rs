//! What is written down of a change that was made, so that it can be taken back: for every path
//! what it held and holds, and where the old bytes are kept; the entries of the index that it
//! changed; the directories that it made and removed.
//!
//! Written as a [`Manifest`](super::manifest) is. What isn't sealed, or says anything that no
//! change could have said, is none.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::manifest::{Held, RecordedDirectory, Touched, are_different, are_sound};
use super::sealed::{Sealed, digest};
use crate::repo::{Slot, objects};
use llmpatch::path::RepoPath;

/// A change that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Record {
    /// It was committed, and is git's to take back: the commit, of several the last, and where HEAD
    /// was before, if anywhere.
    Commit(String, Option<String>),
    /// It was committed, and nothing but it.
    Committed(CommittedChange),
    /// It wasn't.
    Made(MadeChange),
    /// It took back the change whose record has this seal.
    Undone(String),
}

/// A change that was committed, and can be taken back as long as HEAD is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CommittedChange {
    /// The commit, of several the last.
    pub(super) id: String,
    /// Where HEAD was before.
    pub(super) before: String,
    pub(super) change: MadeChange,
}

/// A change that can be taken back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MadeChange {
    /// The files of the work tree.
    pub(super) files: Vec<Kept>,
    /// The entries of the index.
    pub(super) entries: Vec<Entry>,
    /// New paths and the old paths that were renamed to them.
    pub(super) renamed: Vec<(RepoPath, RepoPath)>,
    /// Directories that weren't there.
    pub(super) made: Vec<RepoPath>,
    /// Directories that may have gone.
    pub(super) removed: Vec<RecordedDirectory>,
    /// Where the model saw the work tree, as far as whoever made the change had to say it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) roots: Vec<String>,
}

/// A file of the work tree: of the old file, what it held, and the name of the file beside the
/// record that has the bytes.
pub(super) type Kept = Touched<(Held, String)>;

/// An entry of the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) path: RepoPath,
    pub(super) before: Option<Slot>,
    pub(super) after: Option<Slot>,
    /// Whether it was left in a merge.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) unmerged: bool,
}

impl Sealed for Record {
    const TITLE: &str = "git-llmpatch record 4";

    fn is_sound(&self) -> bool {
        match self {
            Record::Commit(id, before) => before.iter().chain([id]).all(|id| is_id(id)),
            Record::Undone(_) => true,
            Record::Committed(CommittedChange { id, before, change }) => {
                [id, before].into_iter().all(|id| is_id(id)) && change.is_sound()
            }
            Record::Made(made) => made.is_sound(),
        }
    }
}

impl MadeChange {
    fn is_sound(&self) -> bool {
        let mut names = self.files.iter().flat_map(|file| &file.before);
        let mut entries = self.entries.iter();
        are_sound(&self.files, &self.removed)
            && are_different(self.entries.iter().map(|entry| &entry.path))
            && names.all(|(_, name)| is_name(name))
            && entries.all(|entry| entry.before != entry.after || entry.unmerged)
    }
}

impl Record {
    /// Returns what is written down of a commit: with the change, if that can be taken back.
    pub(super) fn of_commit(
        id: String,
        before: Option<String>,
        change: Option<MadeChange>,
    ) -> Self {
        match (before, change) {
            (Some(before), Some(change)) => {
                Record::Committed(CommittedChange { id, before, change })
            }
            (before, _) => Record::Commit(id, before),
        }
    }

    /// Returns the change, if it can be taken back.
    pub(super) fn made(&self) -> Option<&MadeChange> {
        match self {
            Record::Made(made) => Some(made),
            Record::Committed(committed) => Some(&committed.change),
            Record::Commit(..) | Record::Undone(_) => None,
        }
    }

    /// Returns the names of the files beside it that it needs.
    pub(super) fn names(&self) -> BTreeSet<&str> {
        self.old_files().map(|(_, name)| name.as_str()).collect()
    }

    /// Returns how many bytes these files have.
    pub(super) fn old_bytes(&self) -> u64 {
        let sizes = self.old_files().map(|(held, _)| held.size);
        sizes.fold(0, u64::saturating_add)
    }

    fn old_files(&self) -> impl Iterator<Item = &(Held, String)> {
        let files = self.made().into_iter().flat_map(|made| &made.files);
        files.filter_map(|file| file.before.as_ref())
    }

    /// Returns what tells it from others.
    pub(super) fn seal(&self) -> String {
        digest(&self.to_bytes())
    }
}

fn is_id(text: &str) -> bool {
    objects::whole_id(text).is_some()
}

/// Returns whether it is the name of a file of old bytes: nothing else is ever opened.
fn is_name(name: &str) -> bool {
    let number = name
        .strip_prefix("original-")
        .or(name.strip_prefix("copy-"));
    number.is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(path: &str) -> RepoPath {
        RepoPath::new(path.as_bytes()).unwrap()
    }

    fn held(bits: Option<u16>) -> Held {
        Held {
            id: "a1".into(),
            size: 7,
            executable: false,
            bits,
        }
    }

    fn made() -> MadeChange {
        let slot = |word: &str| Slot::parse(&format!("{word}:")).unwrap();
        let id = "0123456789012345678901234567890123456789";
        MadeChange {
            files: vec![
                Kept {
                    path: path("a b\n"),
                    before: Some((held(Some(0o600)), "original-0".into())),
                    after: None,
                    depth: 0,
                },
                Kept {
                    path: path("b"),
                    before: None,
                    after: Some(held(None)),
                    depth: 0,
                },
            ],
            entries: vec![Entry {
                path: path("c"),
                before: None,
                after: Some(slot(&format!("100755:{id}"))),
                unmerged: false,
            }],
            renamed: vec![(path("b"), path("a b\n"))],
            made: vec![path("m"), path("m/n")],
            removed: vec![RecordedDirectory {
                path: path("r"),
                bits: 0o2755,
            }],
            roots: vec!["/testbed".into()],
        }
    }

    #[test]
    fn what_is_written_is_read_and_a_part_of_it_is_not() {
        for record in [
            Record::Made(made()),
            Record::Commit("0123456789".repeat(4), None),
            Record::Commit("0123456789".repeat(4), Some("abcdef0123".repeat(4))),
            Record::Undone("a1".into()),
            Record::Committed(CommittedChange {
                id: "0123456789".repeat(4),
                before: "abcdef0123".repeat(4),
                change: made(),
            }),
        ] {
            let bytes = record.to_bytes();
            assert_eq!(Record::parse(&bytes), Some(record));
            for end in 0..bytes.len() {
                assert_eq!(Record::parse(&bytes[..end]), None, "{end}");
            }
        }
    }

    #[test]
    fn what_no_change_could_have_said_is_none() {
        let read = |change: &dyn Fn(&mut MadeChange)| {
            let mut made = made();
            change(&mut made);
            Record::parse(&Record::Made(made).to_bytes())
        };
        assert!(read(&|_| ()).is_some());
        for (number, change) in [
            &(|made: &mut MadeChange| made.files[1].after = None) as &dyn Fn(&mut MadeChange),
            &|made| made.files[1].path = path("a b\n"),
            &|made| made.files[0].before = Some((held(None), "../../config".into())),
            &|made| made.files[0].before = Some((held(None), "original-".into())),
            &|made| made.entries[0].before = made.entries[0].after,
            &|made| made.entries.push(made.entries[0].clone()),
            &|made| made.removed[0].bits = 0o77777,
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(read(change), None, "{number}");
        }
        assert_eq!(
            Record::parse(&Record::Commit("abc".into(), None).to_bytes()),
            None
        );
    }
}
