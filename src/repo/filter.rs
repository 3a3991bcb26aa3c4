//! git as what converts bytes between work tree and store, for paths whose bytes aren't provably
//! left as they are: filter drivers, encodings, line ends.
//!
//! Children that stay are asked about one path after the other. They see a work tree of their own,
//! with nothing in it but the bytes at hand and the `.gitattributes` that count for them, and store
//! objects where nobody else sees them. The drivers themselves run where git would run them, with
//! the environment that git would give them; drivers that are processes (`filter.<driver>.process`)
//! are asked by this room itself, see [`process_filter`].
//!
//! [`process_filter`]: super::process_filter

mod child;
mod drivers;

use crate::dir::SystemPath as _;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::Path;

use bstr::{BString, ByteSlice};

pub(super) use self::child::Running;
use self::drivers::{Process, drivers, prelude, processes};
use super::git::{Command, Git, c_quoted, check_version, checked, temporary};
use super::objects::blob_id;
use super::{Repo, RepoError, get_or_try_init, quarantine};
use crate::system::OsStrExt as _;
use crate::temporary::Directory;
use llmpatch::path::RepoPath;
use llmpatch::tree::RULES;

/// What a child is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Task {
    /// The blob that `git add` makes of a file.
    Clean,
    /// A blob of just these bytes.
    Store,
    /// What a checkout writes.
    Smudge,
    /// The bytes of a blob.
    Read,
    /// The attributes of a path.
    Attributes,
}

/// The attributes that are asked for.
pub(super) const ATTRIBUTES: [&str; 9] = [
    "text",
    "crlf",
    "eol",
    "ident",
    "filter",
    "working-tree-encoding",
    "diff",
    "merge",
    "conflict-marker-size",
];

/// Every `.gitattributes` that there may be above a path, and what it holds if it is there.
pub(super) type Rules = BTreeMap<RepoPath, Option<Vec<u8>>>;

/// The children, and where they work.
pub(super) struct GitFilter {
    git: Git,
    /// What else the children are told: options of git and their environment.
    options: Vec<OsString>,
    environment: Vec<(&'static str, Option<OsString>)>,
    /// What a shell is told before a driver runs.
    prelude: BString,
    /// Holds `tree`, the work tree, and `objects`.
    place: Directory,
    rules: RefCell<Rules>,
    children: RefCell<BTreeMap<Task, Running>>,
    /// The drivers that are processes.
    processes: BTreeMap<BString, Process>,
    /// What the children made of bytes at a path so far, by these rules.
    answers: RefCell<BTreeMap<(Task, RepoPath, git2::Oid), Vec<u8>>>,
}

impl GitFilter {
    /// Returns the filter that converts as the repository's attributes and settings say.
    ///
    /// # Errors
    /// If there is no place for it to work in.
    pub(super) fn of(repo: &Repo) -> Result<&Self, RepoError> {
        get_or_try_init(&repo.filter, || Self::new(repo))
    }

    fn new(repo: &Repo) -> Result<Self, RepoError> {
        let place = new_place()?;
        let objects = quarantine::lay_out(repo, &place)?;
        let own = |name: &str| Some(place.path().join(name).into_os_string());
        let environment = vec![
            ("GIT_WORK_TREE", own("tree")),
            ("GIT_OBJECT_DIRECTORY", Some(objects.into_os_string())),
            ("GIT_INDEX_FILE", own("index")),
        ];
        let prelude = prelude(repo, &environment);
        let processes = processes(repo, &prelude);
        let options = drivers(repo, &prelude, &processes);
        let (rules, children, answers) = Default::default();
        Ok(Self {
            git: Git::new(repo),
            options,
            environment,
            prelude,
            place,
            rules,
            children,
            processes,
            answers,
        })
    }

    /// Makes a filter in a repository of its own, in which only the given rules hold.
    pub(super) fn alone(repo: &Repo) -> Result<Self, RepoError> {
        let place = new_place()?;
        let tree = place.path().join("tree");
        let git_dir = tree.join(".git");
        let git = Git::at(&git_dir, Some(&tree));
        let mut environment: Vec<(&'static str, Option<OsString>)> = vec![
            ("GIT_CONFIG_GLOBAL", Some("/dev/null".into())),
            ("GIT_CONFIG_NOSYSTEM", Some("1".into())),
            ("GIT_ATTR_NOSYSTEM", Some("1".into())),
        ];
        // An older git knows no GIT_CONFIG_GLOBAL.
        environment
            .extend(["HOME", "XDG_CONFIG_HOME"].map(|name| (name, Some(place.path().into()))));
        environment.extend(
            [
                "GIT_CONFIG_PARAMETERS",
                "GIT_CONFIG_COUNT",
                "GIT_ATTR_SOURCE",
                "GIT_OBJECT_DIRECTORY",
                "GIT_ALTERNATE_OBJECT_DIRECTORIES",
                "GIT_COMMON_DIR",
                "GIT_INDEX_FILE",
                "GIT_DEFAULT_HASH",
            ]
            .map(|name| (name, None)),
        );
        let mut options = vec![
            "-c".into(),
            "core.attributesFile=/dev/null".into(),
            "-c".into(),
            "core.safecrlf=false".into(),
        ];
        for key in ["core.autocrlf", "core.eol"] {
            let setting = match repo.config.string(key) {
                Ok(None) => continue,
                Ok(Some(value)) => format!("{key}={value}"),
                // Without a value it is on, for git.
                Err(_) => key.to_owned(),
            };
            options.extend(["-c".into(), setting.into()]);
        }
        let prelude = BString::default();
        let (rules, children, processes, answers) = Default::default();
        let format = format!("--object-format={}", repo.git.object_format());
        let alone = Self {
            git,
            options,
            environment,
            prelude,
            place,
            rules,
            children,
            processes,
            answers,
        };
        checked(
            &mut alone.command(&["init", "-q", "--template=", &format]),
            "init",
            b"",
        )?;
        Ok(alone)
    }

    /// Returns the bytes of the blob that `git add` would make of a file, which has this driver.
    ///
    /// # Errors
    /// If git or a driver can't be asked, or refuses.
    pub(super) fn clean(
        &self,
        path: &RepoPath,
        driver: Option<&BString>,
        bytes: &[u8],
        rules: &Rules,
    ) -> Result<Vec<u8>, RepoError> {
        self.know(rules)?;
        self.once(Task::Clean, path, bytes, || {
            let filtered = self.filtered(driver, "clean", path, &[], bytes)?;
            let id = self.hashed(Task::Clean, path, &filtered)?;
            self.answer(Task::Read, &id)
        })
    }

    /// Returns the bytes that a checkout would write for a blob of these bytes.
    ///
    /// # Errors
    /// If git can't be asked, or refuses.
    pub(super) fn smudge(
        &self,
        path: &RepoPath,
        driver: Option<&BString>,
        bytes: &[u8],
        rules: &Rules,
    ) -> Result<Vec<u8>, RepoError> {
        self.know(rules)?;
        let name = path.as_bytes();
        if name.starts_with(b" ") || name.starts_with(b"\t") || name.contains(&b'\n') {
            return Err(RepoError::Attribute {
                what: "has a name that git can't be asked about".into(),
            });
        }
        self.once(Task::Smudge, path, bytes, || {
            let id = self.hashed(Task::Store, path, bytes)?;
            let written = self.answer(Task::Smudge, &[&id[..], b" ", path.as_bytes()].concat())?;
            let blob = BString::from([b"blob=", &id[..], b"\n"].concat());
            let filtered = self.filtered(driver, "smudge", path, &[blob], &written)?;
            Ok(filtered.into_owned())
        })
    }

    /// Returns what git says of each of [`ATTRIBUTES`] at a path.
    ///
    /// # Errors
    /// If git can't be asked, or refuses.
    pub(super) fn attributes(
        &self,
        path: &RepoPath,
        rules: &Rules,
    ) -> Result<Vec<BString>, RepoError> {
        self.know(rules)?;
        self.ask(Task::Attributes, |child| {
            child.write(&[path.as_bytes(), b"\0"].concat())?;
            // path, name and value, each ended by a NUL
            let fields = (0..3 * ATTRIBUTES.len())
                .map(|_| child.until(b'\0'))
                .collect::<io::Result<Vec<_>>>()?;
            Ok(fields
                .into_iter()
                .skip(2)
                .step_by(3)
                .map(BString::from)
                .collect())
        })
    }

    /// Runs a filter once for the same bytes at the same path: it may take its time.
    fn once(
        &self,
        task: Task,
        path: &RepoPath,
        bytes: &[u8],
        ask: impl FnOnce() -> Result<Vec<u8>, RepoError>,
    ) -> Result<Vec<u8>, RepoError> {
        let id = blob_id(git2::ObjectFormat::Sha1, bytes);
        let key = (task, path.clone(), id);
        if let Some(known) = self.answers.borrow().get(&key) {
            return Ok(known.clone());
        }
        let answer = ask()?;
        self.answers.borrow_mut().insert(key, answer.clone());
        Ok(answer)
    }

    /// Shows the children these rules, and no others above the paths that they are about.
    fn know(&self, rules: &Rules) -> Result<(), RepoError> {
        let mut known = self.rules.borrow_mut();
        if rules
            .iter()
            .any(|(file, content)| known.get(file).is_some_and(|known| known != content))
        {
            // git reads each of them once.
            self.children.borrow_mut().clear();
            self.answers.borrow_mut().clear();
            let tree = self.place.path().join("tree");
            for (file, _) in std::mem::take(&mut *known)
                .into_iter()
                .filter(|(_, content)| content.is_some())
            {
                fs::remove_file(tree.join(file.as_path())).map_err(RepoError::read(&tree))?;
            }
        }
        for (file, content) in rules {
            if known.contains_key(file) {
                continue;
            }
            if let Some(content) = content {
                self.lay(file, content)?;
            }
            known.insert(file.clone(), content.clone());
        }
        Ok(())
    }

    /// Puts bytes at a path of the work tree.
    fn lay(&self, path: &RepoPath, bytes: &[u8]) -> Result<(), RepoError> {
        let file = Path::new("tree").join(path.as_path());
        let written = self.place.write(&file, bytes);
        written.map(drop).map_err(RepoError::read(&file))
    }

    /// Lets a child hash bytes, which lie at a path for as long as that takes.
    fn hashed(&self, task: Task, path: &RepoPath, bytes: &[u8]) -> Result<Vec<u8>, RepoError> {
        if path.name() == RULES.as_bytes() {
            return Err(RepoError::Attribute {
                what: "holds attributes that have git convert it itself".into(),
            });
        }
        let file = self.place.path().join("tree").join(path.as_path());
        if file.is_dir() {
            // It was one for another path, of which nothing is left but empty directories and
            // rules.
            fs::remove_dir_all(&file).map_err(RepoError::read(&file))?;
            self.rules
                .borrow_mut()
                .retain(|rules, _| !rules.is_below(path));
            self.children.borrow_mut().clear();
        }
        self.lay(path, bytes)?;
        let id = self.ask(task, |child| {
            child.write(&[&c_quoted(path.as_bytes())[..], b"\n"].concat())?;
            child.until(b'\n')
        });
        fs::remove_file(&file).map_err(RepoError::read(&file))?;
        id
    }

    /// Returns the bytes that a child answers with. git names the size of the blob, not of what a
    /// filter makes of it, so each request is followed by a request for an object that doesn't
    /// exist: the bytes end where git reports that object as missing.
    fn answer(&self, task: Task, request: &[u8]) -> Result<Vec<u8>, RepoError> {
        let nobody = self.place.path().file_name().unwrap_or_default().as_bytes();
        let end = [b"\n", nobody, b" missing\n"].concat();
        self.ask(task, |child| {
            child.write(&[request, b"\n", nobody, b"\n"].concat())?;
            let header = child.until(b'\n')?;
            if !header.contains_str(" blob ") {
                return Err(io::Error::other(header.to_str_lossy().into_owned()));
            }
            let mut bytes = Vec::new();
            while !bytes.ends_with(&end) {
                let line = child.until(b'\n')?;
                bytes.extend_from_slice(&line);
                bytes.push(b'\n');
            }
            bytes.truncate(bytes.len() - end.len());
            Ok(bytes)
        })
    }

    fn ask<T>(
        &self,
        task: Task,
        ask: impl FnOnce(&mut Running) -> io::Result<T>,
    ) -> Result<T, RepoError> {
        let mut children = self.children.borrow_mut();
        let child = match children.entry(task) {
            Entry::Occupied(child) => child.into_mut(),
            Entry::Vacant(place) => place.insert(self.start_task(task)?),
        };
        ask(child).map_err(|error| {
            let said = children.remove(&task).map(Running::end);
            RepoError::Child {
                command: task.words()[0].into(),
                message: self.complaint(said, &error),
            }
        })
    }

    fn start_task(&self, task: Task) -> Result<Running, RepoError> {
        let mut words = task.words().to_vec();
        if task == Task::Attributes {
            words.extend(ATTRIBUTES);
        }
        Running::start(&self.place, &format!("{task:?}"), &mut self.command(&words))
    }

    fn command(&self, words: &[&str]) -> Command {
        let words = words.iter().map(OsStr::new);
        let mut command = self
            .git
            .command(self.options.iter().map(OsString::as_os_str).chain(words));
        command.current_dir(self.place.path().join("tree"));
        for (name, value) in &self.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }
}

impl Task {
    fn words(self) -> &'static [&'static str] {
        match self {
            Task::Clean => &["hash-object", "-w", "--stdin-paths"],
            Task::Store => &["hash-object", "-w", "--no-filters", "--stdin-paths"],
            Task::Smudge => &["cat-file", "--batch", "--filters"],
            Task::Read => &["cat-file", "--batch"],
            Task::Attributes => &["check-attr", "--stdin", "-z"],
        }
    }
}

impl std::fmt::Debug for GitFilter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GitFilter")
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

fn new_place() -> Result<Directory, RepoError> {
    check_version()?;
    let place = temporary()?;
    place.make("tree").map_err(RepoError::read(place.path()))?;
    Ok(place)
}
