//! The change that everything is tried on, in a repository where much else is going on, and what it
//! looks like before and after.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::support::{isolated, program};
use crate::trace::{self, Ended};

/// Seven files: an update, an executable updated, an addition and a symbolic link in a new directory,
/// a deletion that empties a directory, a move with an edit, and a deletion that stands where an
/// addition needs a directory.
pub(crate) const RESPONSE: &str = "\
diff --git a/src/update.rs b/src/update.rs
--- a/src/update.rs
+++ b/src/update.rs
@@ -1,3 +1,3 @@
 one
-two
+zwei
 three
diff --git a/tool.sh b/tool.sh
--- a/tool.sh
+++ b/tool.sh
@@ -1,2 +1,2 @@
 #!/bin/sh
-echo old
+echo new
diff --git a/new/deep/added.txt b/new/deep/added.txt
new file mode 100644
--- /dev/null
+++ b/new/deep/added.txt
@@ -0,0 +1 @@
+added
diff --git a/new/deep/link b/new/deep/link
new file mode 120000
--- /dev/null
+++ b/new/deep/link
@@ -0,0 +1 @@
+added.txt
\\ No newline at end of file
diff --git a/gone/away/deleted.txt b/gone/away/deleted.txt
deleted file mode 100644
--- a/gone/away/deleted.txt
+++ /dev/null
@@ -1 +0,0 @@
-deleted
diff --git a/src/name.rs b/lib/renamed.rs
similarity index 50%
rename from src/name.rs
rename to lib/renamed.rs
--- a/src/name.rs
+++ b/lib/renamed.rs
@@ -1,2 +1,2 @@
-old name
+new name
 rest
diff --git a/way b/way
deleted file mode 100644
--- a/way
+++ /dev/null
@@ -1 +0,0 @@
-in the way
diff --git a/way/in.txt b/way/in.txt
new file mode 100644
--- /dev/null
+++ b/way/in.txt
@@ -0,0 +1 @@
+in
";

/// The files that the change touches and that are there before.
pub(crate) const TOUCHED: [&str; 5] = [
    "src/update.rs",
    "tool.sh",
    "gone/away/deleted.txt",
    "src/name.rs",
    "way",
];

/// Has the hook of [`Target::CommitWithCommit`] do nothing.
const ONCE: &str = "ONCE_IS_ENOUGH";

/// Directories of which one is seldom on the file system of temporary directories.
const ELSEWHERE: [&str; 2] = ["/dev/shm", "/var/tmp"];

/// Returns one that isn't, if there is one.
fn elsewhere() -> Option<&'static str> {
    let device = |path: &Path| fs::metadata(path).map(|meta| meta.dev()).ok();
    let here = device(&std::env::temp_dir());
    let is_apart =
        |there: &&str| device(Path::new(there)).is_some_and(|device| Some(device) != here);
    ELSEWHERE
        .into_iter()
        .filter(is_apart)
        .find(|there| TempDir::new_in(there).is_ok())
}

/// What is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    WorkTree,
    IntentToAdd,
    Index,
    Cached,
    Commit,
    CommitWithHooks,
    CommitWithEditor,
    /// Like `Index`, where the files are kept through a filter driver, and the index is sparse and
    /// most of them left out.
    Odd,
    /// A commit after which a hook makes another.
    CommitWithCommit,
    /// A commit of what an apply has made in the work tree already.
    Made,
    /// A commit of this response, and one of another.
    Each,
    /// Like `Index`, merged with what has changed since, of which a part is left in conflict.
    Conflicts,
    /// A commit on a branch that isn't checked out: neither the work tree nor the index is touched,
    /// and there is no journal.
    Onto,
}

impl Target {
    /// Those that change the work tree or the index.
    pub(crate) const ALL: [Target; 12] = [
        Target::WorkTree,
        Target::IntentToAdd,
        Target::Index,
        Target::Cached,
        Target::Commit,
        Target::CommitWithHooks,
        Target::CommitWithEditor,
        Target::Odd,
        Target::CommitWithCommit,
        Target::Conflicts,
        Target::Made,
        Target::Each,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Target::WorkTree => "work-tree",
            Target::IntentToAdd => "intent-to-add",
            Target::Index => "index",
            Target::Cached => "cached",
            Target::Commit => "commit",
            Target::CommitWithHooks => "hooks",
            Target::CommitWithEditor => "editor",
            Target::Odd => "odd",
            Target::CommitWithCommit => "commit-twice",
            Target::Conflicts => "conflicts",
            Target::Made => "made",
            Target::Each => "each",
            Target::Onto => "onto",
        }
    }

    pub(crate) fn commits(self) -> bool {
        self.arguments().contains(&"--commit")
    }

    /// Whether undo takes it back: a commit that holds more is for git.
    pub(crate) fn is_undone(self) -> bool {
        !self.commits() || matches!(self, Target::Commit | Target::Made | Target::Each)
    }

    pub(crate) fn arguments(self) -> &'static [&'static str] {
        match self {
            Target::WorkTree => &[],
            Target::IntentToAdd => &["-N"],
            Target::Index | Target::Odd => &["--index"],
            Target::Cached => &["--cached"],
            Target::Each => &["--commit", "--each", "-", "another.ignored"],
            Target::Conflicts => &["-3", "--base=HEAD~1", "--conflicts=markers"],
            Target::Commit | Target::CommitWithHooks | Target::CommitWithCommit | Target::Made => {
                &["--commit", "-m", "Change six files"]
            }
            Target::CommitWithEditor => &["--commit", "--edit", "-m", "Change six files"],
            Target::Onto => &[
                "--commit",
                "--onto=HEAD",
                "--branch=topic",
                "-m",
                "Change six files",
            ],
        }
    }
}

/// Where git's directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// In the work tree.
    Together,
    /// On another file system.
    Apart,
}

/// A repository to be copied, and what the change makes of it.
pub(crate) struct Scene {
    pub(crate) target: Target,
    pub(crate) layout: Layout,
    template: TempDir,
    pub(crate) old: State,
    pub(crate) new: State,
    /// What the change makes if a hook is kept from what it does behind it.
    between: Option<State>,
}

/// One copy of it, in which something is tried.
pub(crate) struct Place {
    directory: TempDir,
    /// On another file system, if git's directory is to be there.
    elsewhere: Option<TempDir>,
    target: Target,
}

/// Everything that a user could see.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct State {
    /// Files and directories of the work tree: mode and bytes.
    pub(crate) files: BTreeMap<PathBuf, (u32, Vec<u8>)>,
    /// The index, as git reads it.
    pub(crate) index: String,
    /// What git says of the differences between all of these.
    pub(crate) status: String,
    /// Files of git's directory: HEAD, refs, locks, whatever lies there. Not the objects, git-lfs'
    /// either, the index, the last message that git has put together, and reflogs, which git writes
    /// before it knows that the reference can be.
    pub(crate) git: BTreeMap<String, Vec<u8>>,
}

/// What an apply before the one that is tried has made.
const EARLIER: &str = "earlier.ignored";

impl Scene {
    pub(crate) fn new(target: Target, layout: Layout) -> Self {
        let template = TempDir::new().expect("a directory can be made");
        let place = Place {
            directory: template,
            elsewhere: None,
            target,
        };
        place.build();
        let old = place.state();
        let template = place.directory;
        let mut scene = Self {
            target,
            layout,
            template,
            old: old.clone(),
            new: old,
            between: None,
        };
        let clean = scene.place();
        scene.old = clean.state();
        let ended = trace::run(&mut clean.apply(), RESPONSE.as_bytes());
        assert_eq!(ended.code(), Some(0), "{}{}", ended.stdout, ended.stderr);
        scene.new = clean.state();
        scene.new.check_by_hand(target);
        if target == Target::CommitWithCommit {
            let place = scene.place();
            trace::run(place.apply().env(ONCE, "1"), RESPONSE.as_bytes());
            scene.between = Some(place.state());
            assert_ne!(
                scene.between.as_ref().map(|state| &state.git),
                Some(&scene.new.git)
            );
        }
        scene
    }

    /// Returns whether there are two file systems to be had.
    pub(crate) fn can_be_apart() -> bool {
        elsewhere().is_some()
    }

    /// Makes a copy.
    pub(crate) fn place(&self) -> Place {
        let directory = TempDir::new().expect("a directory can be made");
        self.place_in(directory)
    }

    pub(crate) fn place_in(&self, directory: TempDir) -> Place {
        let place = Place {
            directory,
            elsewhere: None,
            target: self.target,
        };
        copy(&self.template.path().join("work"), &place.top());
        let Layout::Apart = self.layout else {
            return place;
        };
        let elsewhere = elsewhere()
            .and_then(|there| TempDir::new_in(there).ok())
            .expect("a directory can be made there");
        copy(&place.top().join(".git"), &elsewhere.path().join("git"));
        fs::remove_dir_all(place.top().join(".git")).expect("it was made by us");
        let link = format!("gitdir: {}\n", elsewhere.path().join("git").display());
        fs::write(place.top().join(".git"), link).expect("a file can be written");
        Place {
            elsewhere: Some(elsewhere),
            ..place
        }
    }

    /// Says what is neither old nor new.
    pub(crate) fn judge(&self, now: &State) -> Result<Side, String> {
        if *now == self.old {
            Ok(Side::Old)
        } else if *now == self.new || Some(now) == self.between.as_ref() {
            Ok(Side::New)
        } else {
            let (old, new) = (now.against(&self.old), now.against(&self.new));
            Err(if old.len() < new.len() {
                format!("not all old: {old}")
            } else {
                format!("not all new: {new}")
            })
        }
    }
}

/// On which side of the change everything is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Old,
    New,
}

impl Side {
    pub(crate) fn other(self) -> Self {
        if self == Side::Old {
            Side::New
        } else {
            Side::Old
        }
    }
}

impl Place {
    pub(crate) fn top(&self) -> PathBuf {
        self.directory.path().join("work")
    }

    /// Where things may be put that don't belong to the repository.
    pub(crate) fn outside(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn git_directory(&self) -> PathBuf {
        match &self.elsewhere {
            Some(elsewhere) => elsewhere.path().join("git"),
            None => self.top().join(".git"),
        }
    }

    /// Keeps a copy of the repository as it is now: the same bytes, modes, times and links.
    pub(crate) fn copy_aside(&self) {
        for directory in self.directories() {
            copy(&directory, &aside(&directory));
        }
    }

    /// Has the repository be as it was at [`Place::copy_aside`] again, where it was then.
    pub(crate) fn copy_back(&self) {
        for directory in self.directories() {
            // A filter that has outlived its git may be putting hooks there meanwhile.
            let is_back = (0..10).any(|_| {
                let is_gone = fs::remove_dir_all(&directory).is_ok() || !directory.exists();
                is_gone && copies(&aside(&directory), &directory)
            });
            assert!(is_back, "{} as it was", directory.display());
        }
    }

    /// Returns the work tree, and git's directory if it isn't in that.
    fn directories(&self) -> Vec<PathBuf> {
        let mut directories = vec![self.top()];
        if self.elsewhere.is_some() {
            directories.push(self.git_directory());
        }
        directories
    }

    /// Has the directory stay, and says where it is.
    pub(crate) fn keep(self) -> PathBuf {
        if let Some(elsewhere) = self.elsewhere {
            let _ = elsewhere.keep();
        }
        self.directory.keep()
    }

    fn command(&self, program: &str) -> Command {
        let mut command = isolated(Command::new(program), &self.top());
        for who in ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"] {
            command.env(who, "2026-01-02T03:04:05Z");
        }
        command.env("GIT_EDITOR", "true");
        command
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        let ended = trace::run(self.command("git").args(args), b"");
        assert!(
            ended.status.success(),
            "git {args:?}: {}{}",
            ended.stdout,
            ended.stderr
        );
        ended.stdout
    }

    /// The change, ready to be made.
    pub(crate) fn apply(&self) -> Command {
        let mut command = self.command(program());
        command.arg("apply").args(self.target.arguments());
        command
    }

    pub(crate) fn llmpatch(&self, args: &[&str]) -> Command {
        let mut command = self.command(program());
        command.args(args);
        command
    }

    /// The change, made.
    pub(crate) fn applied(self) -> Self {
        let ended = trace::run(&mut self.apply(), RESPONSE.as_bytes());
        assert_eq!(ended.code(), Some(0), "{}{}", ended.stdout, ended.stderr);
        self
    }

    pub(crate) fn undo(&self) -> Ended {
        trace::run(&mut self.llmpatch(&["undo"]), b"")
    }

    pub(crate) fn recover(&self) -> Ended {
        trace::run(&mut self.llmpatch(&["recover"]), b"")
    }

    fn build(&self) {
        fs::create_dir(self.top()).expect("the directory is new");
        self.git(&["init", "-q", "-b", "main"]);
        for name in fs::read_dir(self.top().join(".git/hooks"))
            .into_iter()
            .flatten()
            .flatten()
        {
            fs::remove_file(name.path()).expect("samples can go");
        }
        // What git does for tidiness' sake comes at times of its own.
        self.git(&["config", "gc.auto", "0"]);
        self.git(&["config", "maintenance.auto", "false"]);
        for (path, mode, content) in [
            ("src/update.rs", 0o600, "one\ntwo\nthree\n"),
            ("tool.sh", 0o755, "#!/bin/sh\necho old\n"),
            ("gone/away/deleted.txt", 0o444, "deleted\n"),
            ("src/name.rs", 0o640, "old name\nrest\n"),
            ("way", 0o644, "in the way\n"),
            ("staged.txt", 0o644, "base\n"),
            ("dirty.txt", 0o644, "base\n"),
            (".gitignore", 0o644, "*.ignored\n"),
        ] {
            self.write(path, mode, content);
        }
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "base"]);
        self.write("staged.txt", 0o644, "staged\n");
        self.git(&["add", "staged.txt"]);
        self.write("dirty.txt", 0o644, "dirty\n");
        self.write("untracked/mine.txt", 0o600, "mine\n");
        self.write("src/cache.ignored", 0o644, "ignored\n");
        fs::create_dir(self.top().join("empty")).expect("a directory can be made");
        match self.target {
            Target::Odd => {
                // Where git-lfs isn't installed, a driver of the same kind is.
                let has_lfs = Command::new("git-lfs")
                    .arg("version")
                    .output()
                    .is_ok_and(|ended| ended.status.success());
                let driver = |way| {
                    if has_lfs {
                        format!("git-lfs {way} -- %f")
                    } else {
                        "tr a-z n-za-m".to_owned()
                    }
                };
                for way in ["clean", "smudge"] {
                    self.git(&["config", &format!("filter.lfs.{way}"), &driver(way)]);
                }
                if has_lfs {
                    self.git(&["config", "filter.lfs.process", "git-lfs filter-process"]);
                }
                self.git(&["config", "filter.lfs.required", "true"]);
                self.write(".git/info/attributes", 0o644, "*.rs filter=lfs\n");
                self.git(&["add", "--renormalize", "src"]);
                self.git(&["commit", "-q", "-m", "filtered", "src"]);
                self.git(&[
                    "sparse-checkout",
                    "set",
                    "--cone",
                    "--sparse-index",
                    "lib",
                    "new",
                ]);
            }
            Target::Each => {
                let another = "*** Begin Patch\n*** Update File: lib/renamed.rs\n@@\n-rest\n+the rest\n*** End Patch\n";
                self.write("another.ignored", 0o644, another);
            }
            Target::Conflicts => {
                self.write("src/update.rs", 0o600, "one\ndeux\nthree\n");
                self.write("src/name.rs", 0o640, "old name\nrest\nmore\n");
                self.git(&["commit", "-q", "-m", "since", "src"]);
            }
            Target::Made => {
                let ended = trace::run(&mut self.llmpatch(&["apply"]), RESPONSE.as_bytes());
                assert_eq!(ended.code(), Some(0), "{}{}", ended.stdout, ended.stderr);
            }
            Target::CommitWithCommit => {
                let commit =
                    format!("test \"${ONCE}\" || {ONCE}=1 git commit -q --allow-empty -m hook\n");
                self.hook("post-commit", &commit);
            }
            _ => {}
        }
        if self.target == Target::CommitWithHooks {
            let look =
                "find . -path ./.git -prune -o -name '*llmpatch*' -print | grep -q . && exit 9\n";
            let names = "test \"$(git diff --cached --name-only | wc -l)\" -gt 5 || exit 8\n";
            self.hook("pre-commit", &[look, names].concat());
            self.hook("commit-msg", "test -s \"$1\"\n");
            self.hook("post-commit", "git rev-parse HEAD >/dev/null\n");
        }
        let earlier =
            format!("*** Begin Patch\n*** Add File: {EARLIER}\n+earlier\n*** End Patch\n");
        let ended = trace::run(&mut self.llmpatch(&["apply"]), earlier.as_bytes());
        assert_eq!(ended.code(), Some(0), "{}{}", ended.stdout, ended.stderr);
    }

    /// Takes back the apply before the one that is tried, and has its file be there again; says
    /// whether that could be done.
    pub(crate) fn undoes_earlier(&self) -> bool {
        self.undo().code() == Some(0) && self.makes_earlier_again()
    }

    /// Has the file of the apply before the one that is tried be there again; says whether it was
    /// gone.
    pub(crate) fn makes_earlier_again(&self) -> bool {
        let was_gone = !self.top().join(EARLIER).exists();
        self.write(EARLIER, 0o644, "earlier\n");
        was_gone
    }

    pub(crate) fn has_nothing_to_undo(&self) -> bool {
        self.undo().stderr.contains("error[nothing-to-undo]")
    }

    fn hook(&self, name: &str, script: &str) {
        self.write(
            &format!(".git/hooks/{name}"),
            0o755,
            &format!("#!/bin/sh\n{script}exit 0\n"),
        );
    }

    pub(crate) fn write(&self, path: &str, mode: u32, content: &str) {
        let path = self.top().join(path);
        fs::create_dir_all(path.parent().expect("it is below the top"))
            .expect("directories can be made");
        fs::write(&path, content).expect("a file can be written");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("it is ours");
    }

    pub(crate) fn state(&self) -> State {
        let status = self.git(&[
            "--no-optional-locks",
            "status",
            "--porcelain=v2",
            "--branch",
            "--untracked-files=all",
            "--ignored",
        ]);
        let entries = self.git(&["ls-files", "--stage", "-v"]);
        State {
            files: files(&self.top()),
            index: entries,
            status,
            git: self.git_files(),
        }
    }

    fn git_files(&self) -> BTreeMap<String, Vec<u8>> {
        let ignored = |path: &Path| {
            ["objects", "lfs", "logs", "index", "COMMIT_EDITMSG"]
                .iter()
                .any(|name| path.starts_with(name))
        };
        // What is kept for `undo` shows in what that does.
        let kept = |name: &str| name.starts_with("undo-");
        let names = std::fs::read_dir(self.git_directory().join("llmpatch"))
            .into_iter()
            .flatten()
            .flatten();
        let is_there = names
            .into_iter()
            .any(|entry| kept(&entry.file_name().to_string_lossy()));
        let is_kept = |path: &Path| {
            let below = path
                .strip_prefix("llmpatch")
                .ok()
                .map(|below| below.to_string_lossy().into_owned());
            is_there && below.is_some_and(|below| below.is_empty() || kept(&below))
        };
        let mut all = walk(&self.git_directory(), &|path| !ignored(path));
        all.retain(|path, _| !is_kept(path));
        let plain = |path: PathBuf, bytes: Vec<u8>| match path.to_str() {
            // Here only that it is there.
            Some(path) if path.starts_with("llmpatch") => (without_numbers(path), Vec::new()),
            path => (path.unwrap_or_default().to_owned(), bytes),
        };
        all.into_iter()
            .map(|(path, (_, bytes))| plain(path, bytes))
            .collect()
    }

    /// Removes the locks of references that a message names, as it says.
    pub(crate) fn remove_named_locks(&self, said: &str) {
        for name in [
            "HEAD.lock",
            "refs/heads/main.lock",
            "packed-refs.lock",
            "AUTO_MERGE.lock",
        ] {
            let lock = self.git_directory().join(name);
            if said.contains(&format!("`{}`", lock.display())) {
                let _ = fs::remove_file(lock);
            }
        }
    }

    /// Says what git finds wrong with the objects.
    pub(crate) fn check_objects(&self) -> Result<(), String> {
        let ended = trace::run(
            self.command("git")
                .args(["fsck", "--strict", "--no-dangling", "--no-progress"]),
            b"",
        );
        match ended.code() {
            Some(0) => Ok(()),
            _ => Err(format!("git fsck: {}{}", ended.stdout, ended.stderr)),
        }
    }
}

impl State {
    /// Checks against what a person expects, so that the rest may be compared with what the program
    /// did.
    fn check_by_hand(&self, target: Target) {
        if target == Target::Onto {
            assert!(
                self.git.contains_key("refs/heads/topic"),
                "{:?}",
                self.git.keys()
            );
            return;
        }
        let has = |path: &str, mode: u32, content: &str| {
            self.files.get(Path::new(path)) == Some(&(mode, content.as_bytes().to_vec()))
        };
        if target != Target::Cached {
            // What was left out is made anew, and the umask decides on its bits.
            let bits = |bits: u32| {
                if target == Target::Odd {
                    0o100644
                } else {
                    bits
                }
            };
            let (update, rest) = match target {
                Target::Conflicts => (
                    "one\n<<<<<<< ours\ndeux\n=======\nzwei\n>>>>>>> theirs\nthree\n",
                    "rest\nmore\n",
                ),
                Target::Each => ("one\nzwei\nthree\n", "the rest\n"),
                _ => ("one\nzwei\nthree\n", "rest\n"),
            };
            assert!(
                has("src/update.rs", bits(0o100600), update),
                "{:?}",
                self.files
            );
            assert!(
                has("tool.sh", 0o100755, "#!/bin/sh\necho new\n"),
                "{:?}",
                self.files
            );
            assert!(
                has("new/deep/added.txt", 0o100644, "added\n"),
                "{:?}",
                self.files
            );
            assert!(
                has(
                    "lib/renamed.rs",
                    bits(0o100640),
                    &format!("new name\n{rest}")
                ),
                "{:?}",
                self.files
            );
            assert!(
                has("new/deep/link", 0o120777, "added.txt"),
                "{:?}",
                self.files
            );
            assert!(has("way/in.txt", 0o100644, "in\n"), "{:?}", self.files);
            assert!(
                !self.files.contains_key(Path::new("gone")),
                "{:?}",
                self.files
            );
            assert!(
                !self.files.contains_key(Path::new("src/name.rs")),
                "{:?}",
                self.files
            );
        }
        // A new file whose place in the index is taken isn't recorded.
        let staged = [
            "new/deep/added.txt",
            "new/deep/link",
            "lib/renamed.rs",
            "way/in.txt",
        ];
        let staged = &staged[..if target == Target::IntentToAdd { 3 } else { 4 }];
        let is_staged = |path: &&str| self.index.contains(&format!("\t{path}\n"));
        assert!(
            staged
                .iter()
                .all(|path| is_staged(path) == (target != Target::WorkTree)),
            "{}",
            self.index
        );
        assert!(!self.git.contains_key("index.lock"));
    }

    /// Names everything that isn't as in another one.
    pub(crate) fn against(&self, other: &State) -> String {
        let mut said = Vec::new();
        let paths = |state: &State| {
            state
                .files
                .keys()
                .cloned()
                .collect::<std::collections::BTreeSet<_>>()
        };
        for path in paths(self).union(&paths(other)) {
            let show = |state: &State| {
                let of = |(mode, bytes): &(u32, Vec<u8>)| {
                    format!("{mode:o} \"{}\"", bytes.escape_ascii())
                };
                state
                    .files
                    .get(path)
                    .map_or_else(|| "nothing".to_owned(), of)
            };
            if self.files.get(path) != other.files.get(path) {
                said.push(format!(
                    "{}: {}, not {}",
                    path.display(),
                    show(self),
                    show(other)
                ));
            }
        }
        for (here, there, sign) in [
            (&self.index, &other.index, "index +"),
            (&other.index, &self.index, "index -"),
            (&self.status, &other.status, "status +"),
            (&other.status, &self.status, "status -"),
        ] {
            let is_new = |line: &&str| !there.lines().any(|known| known == *line);
            said.extend(
                here.lines()
                    .filter(is_new)
                    .map(|line| format!("{sign}{line}")),
            );
        }
        for (path, bytes) in &self.git {
            if other.git.get(path) != Some(bytes) {
                said.push(format!("+.git/{path} \"{}\"", bytes.escape_ascii()));
            }
        }
        for path in other
            .git
            .keys()
            .filter(|path| !self.git.contains_key(*path))
        {
            said.push(format!("-.git/{path}"));
        }
        said.join("; ")
    }
}

/// Reads all files and directories of a work tree but git's.
pub(crate) fn files(top: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    walk(top, &|path| path != Path::new(".git"))
}

fn walk(top: &Path, wanted: &dyn Fn(&Path) -> bool) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut directories = vec![top.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory)
            .unwrap_or_else(|fault| panic!("{}: {fault}", directory.display()))
        {
            let path = entry.expect("a directory can be read").path();
            let name = path.strip_prefix(top).expect("it is below").to_owned();
            if !wanted(&name) {
                continue;
            }
            let meta = path.symlink_metadata().expect("it is there");
            let bytes = if meta.is_dir() {
                directories.push(path);
                Vec::new()
            } else if meta.is_symlink() {
                fs::read_link(&path)
                    .expect("it is a link")
                    .as_os_str()
                    .as_bytes()
                    .to_vec()
            } else if meta.is_file() {
                fs::read(&path).expect("it can be read")
            } else {
                Vec::new()
            };
            found.insert(name, (meta.mode(), bytes));
        }
    }
    found
}

/// Writes `*` for everything in a name that is another in every run.
fn without_numbers(path: &str) -> String {
    let mut said = String::new();
    for part in path.split_inclusive(['/', '-', '.']) {
        let (word, end) = part.split_at(part.trim_end_matches(['/', '-', '.']).len());
        let number = word.len() >= 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        said.push_str(if number { "*" } else { word });
        said.push_str(end);
    }
    said
}

/// Returns where a copy of a directory is kept.
fn aside(directory: &Path) -> PathBuf {
    directory.with_extension("aside")
}

fn copy(from: &Path, to: &Path) {
    assert!(copies(from, to), "{} to {}", from.display(), to.display());
}

/// Copies a directory to where none was a moment ago, and says whether that could be done. Who has
/// made one there meanwhile doesn't get the copy put into it.
fn copies(from: &Path, to: &Path) -> bool {
    let mut command = Command::new("cp");
    command
        .args(["-a", "--no-target-directory"])
        .arg(from)
        .arg(to);
    command.status().expect("cp can be started").success()
}
