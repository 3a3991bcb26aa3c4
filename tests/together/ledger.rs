//! What each change is, and on which side of it everything was found.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::support::files;

/// A change, by its number: three files in a directory of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Change(pub(crate) usize);

/// On which side of a change something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Old,
    New,
}

impl Change {
    pub(crate) fn directory(self) -> String {
        format!("change-{:03}", self.0)
    }

    pub(crate) fn subject(self) -> String {
        format!("make change {:03}", self.0)
    }

    fn edited(self) -> String {
        format!("{}/edited", self.directory())
    }

    fn added(self) -> String {
        format!("{}/added", self.directory())
    }

    fn deleted(self) -> String {
        format!("{}/deleted", self.directory())
    }

    pub(crate) fn before(self) -> Vec<(String, String)> {
        vec![
            (self.edited(), format!("one\ntwo\nthree {}\n", self.0)),
            (self.deleted(), format!("deleted {}\n", self.0)),
        ]
    }

    pub(crate) fn after(self) -> Vec<(String, Option<String>)> {
        vec![
            (self.edited(), Some(format!("one\n2\nthree {}\n", self.0))),
            (self.added(), Some(format!("added {}\n", self.0))),
            (self.deleted(), None),
        ]
    }

    pub(crate) fn response(self) -> String {
        format!(
            "*** Begin Patch\n*** Update File: {}\n@@\n-two\n+2\n*** Add File: {}\n+added {}\n*** Delete File: {}\n*** End Patch\n",
            self.edited(),
            self.added(),
            self.0,
            self.deleted()
        )
    }

    fn of_path(path: &str) -> Self {
        let number = path
            .strip_prefix("change-")
            .and_then(|rest| rest.split('/').next());
        Self(
            number
                .and_then(|number| number.parse().ok())
                .unwrap_or_else(|| panic!("nobody's file: {path}")),
        )
    }
}

/// A commit that was found.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) name: String,
    pub(crate) subject: String,
    /// The changes of which it changes files.
    pub(crate) changes: BTreeSet<Change>,
}

/// What was found in a worktree: the files' contents in each place.
pub(crate) struct Found {
    places: BTreeMap<&'static str, BTreeMap<String, String>>,
    pub(crate) commits: Vec<Made>,
}

impl Found {
    pub(crate) fn of(top: &Path, git: &dyn Fn(&[&str]) -> String) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let tree = files(top)
            .into_iter()
            .map(|(path, file)| (path.to_str().unwrap().to_owned(), text(file.bytes)));
        let head = "HEAD".to_owned();
        let places = BTreeMap::from([
            ("tree", tree.collect()),
            ("index", contents(&git(&["ls-files", "--stage"]), git)),
            ("head", contents(&git(&["ls-tree", "-r", &head]), git)),
        ]);
        let log = git(&[
            "log",
            "--reverse",
            "--format=%x01%H%x02%s%x02%P",
            "--name-only",
            "HEAD",
        ]);
        let mut commits = Vec::new();
        for record in log.split('\u{1}').skip(2) {
            let (head, paths) = record.split_once('\n').unwrap_or((record, ""));
            let mut fields = head.split('\u{2}').map(str::to_owned);
            let (name, subject) = (fields.next().unwrap(), fields.next().unwrap());
            assert_eq!(
                fields.next().unwrap().split(' ').count(),
                1,
                "{name} has one parent"
            );
            let changes = paths
                .lines()
                .filter(|line| !line.is_empty())
                .map(Change::of_path)
                .collect();
            commits.push(Made {
                name,
                subject,
                changes,
            });
        }
        Self { places, commits }
    }

    /// Says on which side of a change a place is; what is there if on neither.
    pub(crate) fn side(&self, place: &str, change: Change) -> Result<Side, String> {
        let there: BTreeMap<_, _> = self.places[place]
            .iter()
            .filter(|(path, _)| path.starts_with(&(change.directory() + "/")))
            .map(|(path, content)| (path.clone(), content.clone()))
            .collect();
        let after: BTreeMap<_, _> = change
            .after()
            .into_iter()
            .filter_map(|(path, content)| Some((path, content?)))
            .collect();
        if there == change.before().into_iter().collect() {
            Ok(Side::Old)
        } else if there == after {
            Ok(Side::New)
        } else {
            Err(format!("{there:?}"))
        }
    }

    /// Says what else isn't as it must be: files that are nobody's, and an index that tells git
    /// something untrue of the work tree.
    pub(crate) fn check(&self, git: &dyn Fn(&[&str]) -> String) -> Vec<String> {
        let mut wrong = Vec::new();
        for path in self.places.values().flat_map(BTreeMap::keys) {
            if !path.starts_with("change-") {
                wrong.push(format!("nobody's file: {path}"));
            }
        }
        let (tree, index) = (&self.places["tree"], &self.places["index"]);
        let differs =
            |path: &&String| index.contains_key(*path) && tree.get(*path) != index.get(*path);
        let want: Vec<&String> = index.keys().filter(differs).collect();
        let said = git(&["diff", "--name-only"]);
        let said: Vec<&str> = said.lines().collect();
        if want != said {
            wrong.push(format!(
                "git sees changes in {said:?}, and there are some in {want:?}"
            ));
        }
        wrong
    }
}

/// Reads all files of a listing.
fn contents(listing: &str, git: &dyn Fn(&[&str]) -> String) -> BTreeMap<String, String> {
    let mut known = BTreeMap::new();
    let mut found = BTreeMap::new();
    for line in listing.lines() {
        let (facts, path) = line.split_once('\t').unwrap();
        assert!(facts.starts_with("100644 "), "{line}");
        let id = facts
            .split(' ')
            .find(|word| word.len() == 40)
            .unwrap()
            .to_owned();
        known.entry(id.clone()).or_insert_with(String::new);
        found.insert(path.to_owned(), id);
    }
    for (id, content) in &mut known {
        *content = git(&["cat-file", "blob", id]);
    }
    found
        .into_iter()
        .map(|(path, id)| (path, known[&id].clone()))
        .collect()
}

/// Finds what somebody left lying in git's directory: locks, half-written files, journals.
pub(crate) fn litter(git_directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut directories = vec![git_directory.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().to_string_lossy().into_owned();
            // But for what undo will need, which is there between two changes.
            let is_run = directory.ends_with("llmpatch") && !name.starts_with("undo-");
            if name.ends_with(".lock")
                || name.contains("llmpatch-")
                || is_run
                || name.contains("tmp_")
                || name.contains("next-index")
            {
                found.push(entry.path().display().to_string());
            }
            if entry.file_type().unwrap().is_dir() {
                directories.push(entry.path());
            }
        }
    }
    found
}
