//! What a journal says of a change: for every path what it holds before and after, and the
//! directories that come and go.
//!
//! It is complete before anything visible happens, so that recovery needs nothing else. It says
//! nothing that can be derived: where the work tree and the index are, is for the repository that
//! is open to say, and the names of temporary files follow from numbers.

use serde::{Deserialize, Serialize};

use super::sealed::{Sealed, digest, digest_of};
use llmpatch::path::RepoPath;
use llmpatch::threads;
use llmpatch::tree::{File, Mode};

/// A change that is being made, or was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    /// What is being done.
    #[serde(rename = "deed")]
    pub(super) origin: RunKind,
    /// Whether the index is replaced too.
    pub(super) with_index: bool,
    /// The commit that HEAD named.
    pub(super) head: Option<String>,
    /// For a commit, the tree that it is to hold if no hook adds to it.
    pub(super) tree: Option<String>,
    /// The commit that HEAD is to come to, if it is made already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) commit: Option<String>,
    /// The paths, if files of the work tree change.
    pub(super) touched: Vec<Touched>,
    /// Paths of which only the index changes.
    pub(super) indexed: Vec<RepoPath>,
    /// The directories that weren't there, highest first.
    pub(super) made: Vec<RepoPath>,
    /// The directories that may have to go, highest first.
    pub(super) removed: Vec<RecordedDirectory>,
}

/// What a change comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunKind {
    /// A response.
    #[default]
    Apply,
    /// An earlier change, which it takes back.
    Undo,
}

impl std::fmt::Display for RunKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            RunKind::Apply => "apply",
            RunKind::Undo => "undo",
        })
    }
}

/// A path of the work tree, in a manifest or, with what a record keeps of the old file, in a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Touched<Old = Held> {
    pub(super) path: RepoPath,
    /// What it holds before; `None` if it isn't there.
    pub(super) before: Option<Old>,
    /// What it holds afterwards; `None` if it isn't there.
    pub(super) after: Option<Held>,
    /// How many directories deep its temporary files lie: in the nearest directory above it that
    /// stays. A record has no temporary files.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) depth: usize,
}

fn is_zero(depth: &usize) -> bool {
    *depth == 0
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Held {
    /// The [`digest`] of its bytes.
    pub(super) id: String,
    pub(super) size: u64,
    pub(super) executable: bool,
    /// Its permission bits; `None` if the umask decided them.
    pub(super) bits: Option<u16>,
}

/// A directory that may go, and the permission bits that it has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedDirectory {
    pub(super) path: RepoPath,
    pub(super) bits: u16,
}

impl Held {
    pub(super) fn of(file: &File) -> Self {
        Self {
            id: digest_of(file.content.kept().parts()),
            size: file.content.kept().size() as u64,
            executable: file.mode.executable,
            bits: file.mode.bits,
        }
    }

    /// Describes two files, at once if they are large.
    pub(super) fn of_both(files: [Option<&File>; 2]) -> [Option<Self>; 2] {
        let least = files
            .map(|file| file.map_or(0, |file| file.content.kept().size()))
            .into_iter()
            .min();
        match threads::parts(least.unwrap_or_default()) {
            1 => files.map(|file| file.map(Self::of)),
            _ => threads::share(2, |nth| files[nth].map(Self::of))
                .try_into()
                .expect("both are returned"),
        }
    }

    /// Returns whether these are its bytes.
    pub(super) fn has(&self, bytes: &[u8]) -> bool {
        self.size == bytes.len() as u64 && self.id == digest(bytes)
    }

    /// Returns whether it is a symbolic link, whose text is its content.
    pub(super) fn is_link(&self) -> bool {
        self.bits == Mode::LINK.bits
    }

    fn has_mode(&self, mode: Mode) -> bool {
        self.executable == mode.executable && (self.bits.is_none() || self.bits == mode.bits)
    }
}

/// What is at a path, as the change of it sees it. Taking back and undoing both go by this: what is
/// new may be replaced by the original, what is old stays, in the place of nothing the original may
/// come, and anything else is its owner's, which nobody touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Occupant {
    Nothing,
    Old,
    New,
    Other,
}

impl Occupant {
    /// Judges a file by its content, and by its mode where that alone changes.
    pub(super) fn judge(
        before: Option<&Held>,
        after: Option<&Held>,
        content: &[u8],
        mode: Mode,
    ) -> Self {
        let is = |held: Option<&Held>| {
            held.is_some_and(|held| held.is_link() == mode.is_link() && held.has(content))
        };
        match (is(before), is(after)) {
            (true, true) if after.is_some_and(|held| held.has_mode(mode)) => Occupant::New,
            (true, _) => Occupant::Old,
            (false, true) => Occupant::New,
            (false, false) => Occupant::Other,
        }
    }
}

impl Touched {
    /// Returns where the new file is prepared, and where the old file is once they changed places;
    /// `number` is the path's place in the manifest, `run` the number of the run.
    pub(super) fn stage(&self, run: u64, number: usize) -> RepoPath {
        self.temporary(run, number, "new")
    }

    /// Returns where the old file goes if the journal is out of reach.
    pub(super) fn aside(&self, run: u64, number: usize) -> RepoPath {
        self.temporary(run, number, "old")
    }

    /// Returns the temporary files that there may be.
    pub(super) fn temporaries(&self, run: u64, number: usize) -> impl Iterator<Item = RepoPath> {
        let stage = self.after.as_ref().map(|_| self.stage(run, number));
        stage
            .into_iter()
            .chain(self.before.as_ref().map(|_| self.aside(run, number)))
    }

    fn temporary(&self, run: u64, number: usize, kind: &str) -> RepoPath {
        let name = format!(".llmpatch-{run:016x}-{number}.{kind}");
        let mut ends = memchr::memchr_iter(b'/', self.path.as_bytes());
        let directory = self
            .depth
            .checked_sub(1)
            .and_then(|above| self.path.directory_of_len(ends.nth(above)?));
        let path = match directory {
            Some(directory) => directory.join(name.as_bytes()),
            None => RepoPath::new(name.as_bytes()),
        };
        path.expect("a safe directory and a plain name make a safe path")
    }
}

impl Sealed for Manifest {
    const TITLE: &str = "git-llmpatch journal 2";

    fn is_sound(&self) -> bool {
        are_sound(&self.touched, &self.removed)
    }
}

impl Manifest {
    /// Returns every path that it is about.
    pub(super) fn paths(&self) -> impl Iterator<Item = &RepoPath> {
        self.touched
            .iter()
            .map(|touched| &touched.path)
            .chain(&self.indexed)
    }

    /// Returns every path, directories that come and go included.
    pub(super) fn places(&self) -> impl Iterator<Item = &RepoPath> {
        self.paths()
            .chain(&self.made)
            .chain(self.removed.iter().map(|directory| &directory.path))
    }

    /// Returns every name in the work tree that only a run of this number has, except beside some
    /// paths.
    pub(super) fn temporaries(
        &self,
        run: u64,
        spared: &[RepoPath],
    ) -> impl Iterator<Item = RepoPath> {
        let numbered = self
            .touched
            .iter()
            .enumerate()
            .filter(|(_, touched)| !spared.contains(&touched.path));
        numbered.flat_map(move |(number, of)| of.temporaries(run, number))
    }
}

/// Returns whether a change can be of these files and directories.
pub(super) fn are_sound<Old>(files: &[Touched<Old>], removed: &[RecordedDirectory]) -> bool {
    are_different(files.iter().map(|file| &file.path))
        && files
            .iter()
            .all(|file| file.before.is_some() || file.after.is_some())
        && removed.iter().all(|directory| directory.bits <= 0o7777)
}

/// Returns whether no path is there twice.
pub(super) fn are_different<'p>(paths: impl IntoIterator<Item = &'p RepoPath>) -> bool {
    let mut seen = std::collections::HashSet::new();
    paths.into_iter().all(|path| seen.insert(path))
}

#[cfg(test)]
mod tests {
    use super::super::sealed::seal_json;
    use super::*;

    #[test]
    fn what_is_written_is_read_and_a_part_of_it_is_not() {
        let path = |path: &[u8]| RepoPath::new(path).unwrap();
        let file = |content: &str, bits| {
            Held::of(&File {
                content: content.into(),
                mode: Mode {
                    executable: true,
                    bits,
                },
            })
        };
        let manifest = Manifest {
            with_index: true,
            origin: RunKind::Undo,
            head: None,
            tree: Some("abc".into()),
            commit: Some("def".into()),
            touched: vec![
                Touched {
                    path: path(b"a b\n\xff/c"),
                    before: Some(file("1", Some(0o640))),
                    after: Some(file("2", None)),
                    depth: 1,
                },
                Touched {
                    path: path(b"c"),
                    before: Some(file("", None)),
                    after: None,
                    depth: 0,
                },
            ],
            indexed: vec![path(b"i")],
            made: vec![path(b"m"), path(b"m/n")],
            removed: vec![RecordedDirectory {
                path: path(b"r"),
                bits: 0o2755,
            }],
        };
        let bytes = manifest.to_bytes();
        assert_eq!(Manifest::parse(&bytes), Some(manifest.clone()));
        for end in 0..bytes.len() {
            assert_eq!(Manifest::parse(&bytes[..end]), None, "{end}");
        }
        let names: Vec<_> = manifest.temporaries(7, &[]).collect();
        let want = [
            path(b"a b\n\xff/.llmpatch-0000000000000007-0.new"),
            path(b"a b\n\xff/.llmpatch-0000000000000007-0.old"),
            path(b".llmpatch-0000000000000007-1.old"),
        ];
        assert_eq!(names, want);
    }

    #[test]
    fn what_no_change_could_have_said_is_none() {
        let held = r#"{"id":"a","size":1,"executable":false,"bits":null}"#;
        for (touched, made, want) in [
            (
                format!(r#"{{"path":"a","before":{held},"after":null,"depth":9}}"#),
                "a",
                true,
            ),
            (
                format!(r#"{{"path":"../a","before":{held},"after":null,"depth":0}}"#),
                "a",
                false,
            ),
            (
                format!(r#"{{"path":"/a","before":{held},"after":null,"depth":0}}"#),
                "a",
                false,
            ),
            (
                format!(r#"{{"path":".git/config","before":{held},"after":null,"depth":0}}"#),
                "a",
                false,
            ),
            (
                format!(r#"{{"path":"a","before":{held},"after":null,"depth":-1}}"#),
                "a",
                false,
            ),
            (
                r#"{"path":"a","before":null,"after":null,"depth":0}"#.to_owned(),
                "a",
                false,
            ),
            (
                format!(r#"{{"path":"a","before":{held},"after":null,"depth":0}}"#),
                "..",
                false,
            ),
        ] {
            let json = format!(
                r#"{{"deed":"Apply","with_index":false,"head":null,"tree":null,"touched":[{touched}],"indexed":[],"made":["{made}"],"removed":[]}}"#
            );
            let read = Manifest::parse(&seal_json(Manifest::TITLE, json.as_bytes()));
            assert_eq!(read.is_some(), want, "{json}");
            read.iter()
                .for_each(|manifest| assert_eq!(manifest.temporaries(1, &[]).count(), 1));
        }
    }
}
