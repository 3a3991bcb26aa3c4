//! What is measured: files, a change of them in every format, and how to get back to where it
//! began.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use super::responses::{FORMATS, prefixed};

/// A change of some files among others.
pub struct Scenario {
    pub name: String,
    /// Whether the change is made in the index too.
    pub is_staged: bool,
    /// Whether no line that changes is in the files as the responses show it.
    pub is_refused: bool,
    /// Files that are only there.
    others: usize,
    pub files: Vec<File>,
}

pub struct File {
    pub path: String,
    /// Its lines before; nothing for a new file.
    old: Vec<String>,
    /// Where lines change, from 0, ascending.
    changed: Vec<usize>,
    /// The lines shown on each side of a change.
    context: usize,
    pub new: Vec<u8>,
}

/// A line that changes, and the lines shown around it.
pub struct Hunk {
    /// The first line shown, from 0.
    pub from: usize,
    pub at: usize,
    pub before: String,
    pub old: String,
    pub after: String,
}

impl Hunk {
    /// Returns the lines as a diff and an envelope show them.
    pub fn marked(&self) -> String {
        let (before, after) = (prefixed(' ', &self.before), prefixed(' ', &self.after));
        format!("{before}-{}+{}{after}", self.old, replacement(self.at))
    }

    /// Returns what is shown as it was, and as it will be.
    pub fn sides(&self) -> (String, String) {
        let side = |line: &str| format!("{}{line}{}", self.before, self.after);
        (side(&self.old), side(&replacement(self.at)))
    }
}

impl File {
    fn new(path: String, old: Vec<String>, changed: Vec<usize>, context: usize) -> Self {
        let mut new = old.clone();
        for &at in &changed {
            new[at] = replacement(at);
        }
        let new = new.concat().into_bytes();
        File {
            path,
            old,
            changed,
            context,
            new,
        }
    }

    fn created(path: String, lines: usize) -> Self {
        let new = (0..lines).map(line).collect::<String>().into_bytes();
        File {
            path,
            old: Vec::new(),
            changed: Vec::new(),
            context: 0,
            new,
        }
    }

    pub fn is_new(&self) -> bool {
        self.old.is_empty()
    }

    /// Returns its text before the change.
    pub fn before(&self) -> String {
        self.old.concat()
    }

    pub fn hunks(&self) -> impl Iterator<Item = Hunk> + '_ {
        self.changed.iter().map(|&at| {
            let from = at.saturating_sub(self.context);
            let to = (at + self.context + 1).min(self.old.len());
            Hunk {
                from,
                at,
                before: self.old[from..at].concat(),
                old: self.old[at].clone(),
                after: self.old[at + 1..to].concat(),
            }
        })
    }
}

pub fn line(index: usize) -> String {
    format!("    let value_{index:08} = compute(the, same, thing);\n")
}

fn replacement(index: usize) -> String {
    format!("    let changed_{index:08} = compute(another, thing);\n")
}

/// Returns `count` indices, evenly spread over `lines`.
fn spread(count: usize, lines: usize) -> Vec<usize> {
    (0..count)
        .map(|nth| lines / count * nth + lines / count / 2)
        .collect()
}

impl Scenario {
    fn new(name: &str, others: usize, files: Vec<File>) -> Self {
        Scenario {
            name: name.into(),
            is_staged: false,
            is_refused: false,
            others,
            files,
        }
    }

    /// One line changes in a repository of so many files.
    pub fn small_change(name: &str, others: usize) -> Self {
        let lines: Vec<_> = (0..200).map(line).collect();
        Scenario::new(
            name,
            others,
            vec![File::new("src/a.txt".into(), lines, vec![100], 3)],
        )
    }

    /// So many hunks in a file of about so many bytes.
    pub fn large(name: &str, bytes: usize, changes: usize) -> Self {
        let lines: Vec<_> = (0..bytes / line(0).len()).map(line).collect();
        let changed = spread(changes, lines.len());
        Scenario::new(
            name,
            10,
            vec![File::new("large.txt".into(), lines, changed, 3)],
        )
    }

    /// So many files of so many lines, with so many hunks each, beside others.
    pub fn many(name: &str, others: usize, (count, lines, changes): (usize, usize, usize)) -> Self {
        let lines: Vec<_> = (0..lines).map(line).collect();
        let path = |nth| format!("changed/part{:02}/file{nth:05}.txt", nth % 40);
        let file = |nth| File::new(path(nth), lines.clone(), spread(changes, lines.len()), 3);
        Scenario::new(name, others, (0..count).map(file).collect())
    }

    /// Fifty times so many lines, of which each time one changes, shown with so many lines on each
    /// side that are made by number.
    pub fn repeated(
        name: &str,
        (size, context): (usize, usize),
        line_of: &dyn Fn(usize) -> String,
    ) -> Self {
        let changed: Vec<_> = (0..50).map(|nth| nth * size + size / 2).collect();
        let lines = (0..size * 50).map(|nth| {
            if nth % size == size / 2 {
                line(nth)
            } else {
                line_of(nth)
            }
        });
        Scenario::new(
            name,
            10,
            vec![File::new(
                "repeated.txt".into(),
                lines.collect(),
                changed,
                context,
            )],
        )
    }

    /// Makes the change in the index too.
    pub fn staged(self) -> Self {
        Scenario {
            name: self.name + ", --index",
            is_staged: true,
            ..self
        }
    }

    /// Has every line that changes differ from what the responses show of it, so that all hunks are
    /// refused.
    pub fn refused(self) -> Self {
        Scenario {
            is_refused: true,
            ..self
        }
    }

    pub fn all(is_short: bool) -> Vec<Scenario> {
        let scale = if is_short { 50 } else { 1 };
        let sizes = (4000 / scale.min(8), 500 / scale.min(8));
        let new = (0..5000 / scale)
            .map(|nth| File::created(format!("new/part{:02}/file{nth:05}.txt", nth % 50), 20));
        let many = Scenario::many;
        vec![
            Scenario::small_change("A: one line, small repository", 20),
            many(
                "B: 200 files x 3 hunks of 5,000",
                5000 / scale,
                (200 / scale.min(20), 200, 3),
            ),
            many("C: 10 files of 100,000", 100_000 / scale, (10, 60, 1)),
            many("C: 10 files of 100,000", 100_000 / scale, (10, 60, 1)).staged(),
            Scenario::large("D: 64 MiB, 1,000 hunks", (64 << 20) / scale, 1000 / scale),
            Scenario::repeated("E: 50 hunks of 1,001, a prefix", sizes, &line),
            Scenario::repeated("E: 50 hunks of 1,001, equal lines", sizes, &|_| {
                "}\n".into()
            }),
            Scenario::repeated("E: 50 hunks of 1,001, a cycle", sizes, &|nth| {
                format!("    step({});\n", nth % 7)
            }),
            Scenario::new("F: 5,000 new files", 10, new.collect()),
            Scenario::large("G: 10 MiB, 2,000 hunks", (10 << 20) / scale, 2000 / scale),
        ]
    }

    /// Makes a repository `top` and the change in every format beside it.
    pub fn build(&self, directory: &Path) {
        let top = directory.join("top");
        fs::create_dir(&top).expect("a directory can be made");
        for nth in 0..self.others {
            write(
                &top,
                &format!("other/part{:03}/file{nth:06}.txt", nth % 500),
                format!("{nth}\n").as_bytes(),
            );
        }
        self.put(&top);
        git(&top, &["init", "-q"]);
        git(&top, &["add", "."]);
        git(
            &top,
            &[
                "-c",
                "user.name=A",
                "-c",
                "user.email=a@example.com",
                "commit",
                "-q",
                "-m",
                "base",
            ],
        );
        for (format, written) in FORMATS {
            let response = written(&self.files);
            write(directory, &format!("change.{format}"), response.as_bytes());
        }
        if self.is_staged {
            fs::copy(top.join(".git/index"), directory.join("index"))
                .expect("an index can be copied");
        }
    }

    /// Brings everything back to where it was.
    pub fn reset(&self, top: &Path) {
        for file in self.files.iter().filter(|file| file.is_new()) {
            drop(fs::remove_file(top.join(&file.path)));
        }
        self.put(top);
        if self.is_staged {
            fs::copy(top.join("../index"), top.join(".git/index")).expect("an index can be copied");
            git(top, &["update-index", "-q", "--refresh"]);
        }
    }

    /// Writes the files that change, as they were before. They are old enough for git not to ask
    /// whether they changed again in the tick of the clock in which it looked at them.
    fn put(&self, top: &Path) {
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
        for file in self.files.iter().filter(|file| !file.is_new()) {
            write(top, &file.path, &self.content(file));
            let file = fs::File::options().append(true).open(top.join(&file.path));
            file.and_then(|file| file.set_modified(long_ago))
                .expect("a file can be given a time");
        }
    }

    /// Returns the bytes of a file before the change.
    fn content(&self, file: &File) -> Vec<u8> {
        let mut lines = file.old.clone();
        if self.is_refused {
            for &at in &file.changed {
                lines[at] = format!("    let another_{at:08} = compute(the, same, thing);\n");
            }
        }
        lines.concat().into_bytes()
    }

    /// Returns what must be the same after every way.
    pub fn fingerprint(&self, top: &Path) -> Vec<u8> {
        for file in &self.files {
            let now = fs::read(top.join(&file.path)).unwrap_or_default();
            let want = if self.is_refused {
                &self.content(file)
            } else {
                &file.new
            };
            assert!(
                now == *want,
                "{}: {} isn't what it should be",
                self.name,
                file.path
            );
        }
        if self.is_staged {
            git(top, &["write-tree"]).into_bytes()
        } else {
            Vec::new()
        }
    }

    /// Reads the old files and writes the new ones, and says how long that took.
    pub fn floor(&self, top: &Path) -> Duration {
        let started = Instant::now();
        for file in &self.files {
            let path = top.join(&file.path);
            let old = if file.is_new() {
                Vec::new()
            } else {
                fs::read(&path).expect("it is there")
            };
            std::hint::black_box(&old);
            let temporary = path.with_extension("new");
            fs::create_dir_all(path.parent().unwrap_or(top)).expect("a directory can be made");
            fs::write(&temporary, &file.new).expect("a file can be written");
            fs::rename(&temporary, &path).expect("a file can be renamed");
        }
        started.elapsed()
    }
}

fn write(top: &Path, path: &str, content: &[u8]) {
    let path = top.join(path);
    fs::create_dir_all(path.parent().unwrap_or(top)).expect("a directory can be made");
    fs::write(path, content).expect("a file can be written");
}

/// Runs git with no configuration but the repository's, and returns what it prints.
pub fn git(top: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(top)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output();
    let output = output.expect("git can be started");
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}
