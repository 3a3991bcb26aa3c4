//! The unified diff that is printed equals git's own, and `git apply` makes the same change of it.
//! Seen with git 2.47.3.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

#[path = "unified/applying.rs"]
mod applying;
#[path = "unified/binary.rs"]
mod binary;
mod support;

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;

use assert_fs::fixture::ChildPath;
use assert_fs::prelude::*;
use git_llmpatch::repo::{Differ, Repo, Side, differ};
use llmpatch::format::unified::{Quoting, Termination, numstat, print, stat, summary};
use llmpatch::path::RepoPath;
use llmpatch::plan::{Change, ChangeSet, derive};
use llmpatch::tree::{File, Mode};
use proptest::prelude::*;
use support::few;

/// What every path holds, and whether it is executable.
type Files = BTreeMap<Vec<u8>, (Vec<u8>, bool)>;

/// A repository whose HEAD is one state and whose index and work tree are another.
struct Scene {
    directory: assert_fs::TempDir,
    changes: ChangeSet,
}

impl Scene {
    fn new(before: &Files, after: &Files) -> Self {
        Self::configured(before, after, &[])
    }

    fn configured(before: &Files, after: &Files, config: &[[&str; 2]]) -> Self {
        let scene = Self {
            directory: assert_fs::TempDir::new().unwrap(),
            changes: changes(before, after),
        };
        scene.git(&["init", "-q"]);
        // The user's own, which `GIT_CONFIG_GLOBAL` doesn't name, are read by git and by us.
        let users = ["core.attributesFile", "core.excludesFile"].map(|key| [key, "/dev/null"]);
        for [key, value] in users.iter().chain(config) {
            scene.git(&["config", key, value]);
        }
        scene.write(before);
        scene.git(&["commit", "-q", "--allow-empty", "-m", "before"]);
        scene.write(after);
        scene
    }

    fn write(&self, files: &Files) {
        for entry in std::fs::read_dir(self.directory.path())
            .unwrap()
            .map(|entry| entry.unwrap())
        {
            match (
                entry.file_name() == ".git",
                entry.file_type().unwrap().is_dir(),
            ) {
                (true, _) => {}
                (_, true) => std::fs::remove_dir_all(entry.path()).unwrap(),
                _ => std::fs::remove_file(entry.path()).unwrap(),
            }
        }
        for (name, (content, executable)) in files {
            let path = self.path(name);
            path.write_binary(content).unwrap();
            let mode = if *executable { 0o755 } else { 0o644 };
            std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(mode))
                .unwrap();
        }
        self.git(&["add", "-A"]);
    }

    fn path(&self, name: &[u8]) -> ChildPath {
        self.directory.child(std::ffi::OsStr::from_bytes(name))
    }

    fn git(&self, args: &[&str]) -> Vec<u8> {
        let output = self.run(args);
        assert!(
            output.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        output.stdout
    }

    fn accepts(&self, args: &[&str]) -> bool {
        self.run(args).status.success()
    }

    /// Returns what the index holds.
    fn held(&self) -> Files {
        let listed = self.git(&["ls-files", "-s", "-z"]);
        let entry = |entry: &[u8]| {
            let (about, name) =
                entry.split_at(entry.iter().position(|&byte| byte == b'\t').unwrap());
            let about = String::from_utf8_lossy(about).into_owned();
            let (mode, rest) = about.split_once(' ').unwrap();
            let id = rest.split(' ').next().unwrap();
            (
                name[1..].to_vec(),
                (self.git(&["cat-file", "blob", id]), mode == "100755"),
            )
        };
        listed
            .split(|&byte| byte == 0)
            .filter(|entry_| !entry_.is_empty())
            .map(entry)
            .collect()
    }

    fn run(&self, args: &[&str]) -> std::process::Output {
        let mut git = Command::new("git");
        git.arg("-C").arg(self.directory.path()).args(args);
        git.env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env_remove("GIT_DIR");
        for who in ["AUTHOR", "COMMITTER"] {
            git.env(format!("GIT_{who}_NAME"), "n")
                .env(format!("GIT_{who}_EMAIL"), "e@x");
        }
        git.output().unwrap()
    }

    fn ours<T>(&self, show: impl FnOnce(&llmpatch::patch::Patch<'_>) -> T) -> T {
        let repo = Repo::open_at(self.directory.path()).unwrap();
        let (differ, options) = (
            Differ::new(&repo, Side::Blobs).unwrap(),
            differ::options(&repo).unwrap(),
        );
        show(&derive::unified(&self.changes, &differ, &options).unwrap())
    }

    /// Compares with `git diff`, then lets git apply what we print.
    fn check(&self) {
        let ours = self.ours(|patch| print(patch, Quoting::default()));
        let theirs = self.git(&["diff", "--cached", "--binary"]);
        assert_eq!(
            shown(&without_binary(&ours)),
            shown(&without_binary(&theirs))
        );
        self.check_figures(80);

        let want = self.git(&["write-tree"]);
        self.git(&["reset", "-q", "--hard"]);
        if ours.is_empty() {
            return;
        }
        std::fs::write(self.directory.path().join(".git/patch"), &ours).unwrap();
        self.git(&["apply", "--check", "--index", ".git/patch"]);
        self.git(&["apply", "--index", "--whitespace=nowarn", ".git/patch"]);
        assert_eq!(shown(&self.git(&["write-tree"])), shown(&want));
    }

    fn check_figures(&self, width: usize) {
        let wide = format!("--stat={width}");
        for (args, ours) in [
            (
                &[wide.as_str()][..],
                self.ours(|patch| stat(patch, Quoting::default(), width)),
            ),
            (
                &["--numstat"],
                self.ours(|patch| numstat(patch, Quoting::default(), Termination::Line)),
            ),
            (
                &["--numstat", "-z"],
                self.ours(|patch| numstat(patch, Quoting::default(), Termination::Nul)),
            ),
            (
                &["--summary"],
                self.ours(|patch| summary(patch, Quoting::default())),
            ),
        ] {
            let theirs = self.git(&[&["diff", "--cached"], args].concat());
            assert_eq!(shown(&ours), shown(&theirs), "{args:?}");
        }
    }
}

fn shown(bytes: &[u8]) -> String {
    bytes
        .split_inclusive(|&byte| byte == b'\n')
        .map(|line| format!("{}\n", line.escape_ascii()))
        .collect()
}

/// Leaves out the bodies of binary patches: how they are deflated depends on the library.
fn without_binary(diff: &[u8]) -> Vec<u8> {
    let mut inside = false;
    let lines = diff.split_inclusive(|&byte| byte == b'\n').filter(|line| {
        let was = inside && !line.starts_with(b"diff --git ");
        inside = was || *line == b"GIT binary patch\n";
        !was
    });
    lines.collect::<Vec<_>>().concat()
}

fn changes(before: &Files, after: &Files) -> ChangeSet {
    let names: std::collections::BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let file = |files: &Files, name: &Vec<u8>| {
        files.get(name).map(|(content, executable)| File {
            content: content.clone().into(),
            mode: if *executable {
                Mode::EXECUTABLE
            } else {
                Mode::PLAIN
            },
        })
    };
    ChangeSet::new(names.into_iter().map(|name| Change {
        path: RepoPath::new(name).unwrap(),
        before: file(before, name),
        after: file(after, name),
        from: None,
    }))
}

fn files(files: &[(&str, &[u8])]) -> Files {
    files
        .iter()
        .map(|(name, content)| (name.as_bytes().to_vec(), (content.to_vec(), false)))
        .collect()
}

fn lines(range: std::ops::Range<usize>) -> Vec<u8> {
    range
        .map(|line| format!("line {line}\n"))
        .collect::<String>()
        .into_bytes()
}

#[test]
fn equals_git_for_a_table_of_changes() {
    let long = [
        lines(0..40),
        b"fn long_heading() { ".to_vec(),
        b"x ".repeat(60),
        b"\n".to_vec(),
        lines(50..60),
    ]
    .concat();
    type Files<'a> = &'a [(&'a str, &'a [u8])];
    let table: &[(&str, Files<'_>, Files<'_>)] = &[
        ("edit", &[("a", b"x\ny\n")], &[("a", b"x\nz\n")]),
        ("new", &[], &[("a", b"x\n")]),
        (
            "new and empty",
            &[("b", b"1\n")],
            &[("a", b""), ("b", b"1\n")],
        ),
        ("emptied", &[("a", b"x\ny\n")], &[("a", b"")]),
        ("filled", &[("a", b"")], &[("a", b"x\n")]),
        ("deleted", &[("a", b"x\ny")], &[]),
        ("deleted and empty", &[("a", b"")], &[]),
        ("newline added", &[("a", b"x\ny")], &[("a", b"x\ny\n")]),
        ("newline lost", &[("a", b"x\ny\n")], &[("a", b"x\ny")]),
        (
            "no newline on both sides",
            &[("a", b"x\ny")],
            &[("a", b"z\ny")],
        ),
        ("crlf", &[("a", b"x\r\ny\r\n")], &[("a", b"x\r\nz\r\n")]),
        ("crlf to lf", &[("a", b"x\r\ny\r\n")], &[("a", b"x\ny\n")]),
        ("lone cr", &[("a", b"x\ry\nz\n")], &[("a", b"x\rY\nz\n")]),
        (
            "byte order mark",
            &[("a", b"\xef\xbb\xbfx\ny\n")],
            &[("a", b"\xef\xbb\xbfx\nz\n")],
        ),
        (
            "latin-1",
            &[("a", b"caf\xe9\n")],
            &[("a", b"caf\xe9\xff\n")],
        ),
        ("binary", &[("a", b"x\0y\n")], &[("a", b"x\0z\n")]),
        ("binary new", &[], &[("a", b"x\0y\n")]),
        ("binary deleted", &[("a", b"x\0y\n")], &[]),
        ("binary to text", &[("a", b"x\0y\n")], &[("a", b"x\n")]),
        ("binary renamed", &[("a", b"x\0y\n")], &[("b", b"x\0y\n")]),
        (
            "odd names",
            &[
                ("a b", b"1\n"),
                ("t\tb", b"1\n"),
                ("q\"", b"1\n"),
                ("\u{e4}", b"1\n"),
            ],
            &[
                ("a b", b"2\n"),
                ("t\tb", b"2\n"),
                ("q\"", b"2\n"),
                ("\u{e4}", b"2\n"),
            ],
        ),
        (
            "renamed",
            &[("a", &lines(0..20))],
            &[("d/b", &lines(0..20))],
        ),
        (
            "renamed to an odd name",
            &[("a", &lines(0..20))],
            &[("d/\u{e4} b", &lines(1..20))],
        ),
        (
            "renamed and edited",
            &[("s/a", &lines(0..20))],
            &[("s/b", &lines(3..22))],
        ),
        (
            "too little in common",
            &[("a", &lines(0..20))],
            &[("b", &lines(15..40))],
        ),
        (
            "half in common",
            &[("a", &lines(0..20))],
            &[("b", &lines(10..30))],
        ),
        (
            "same name wins",
            &[("x/n", &lines(0..20))],
            &[("y/n", &lines(2..20)), ("y/m", &lines(1..20))],
        ),
        (
            "two from one",
            &[("x", &lines(0..20))],
            &[("y", &lines(0..20)), ("z", &lines(0..20))],
        ),
        (
            "one from two",
            &[("x", &lines(0..20)), ("y", &lines(1..20))],
            &[("z", &lines(0..19))],
        ),
        ("empty files renamed", &[("x", b"")], &[("y", b"")]),
        (
            "swapped",
            &[("x", &lines(0..20)), ("y", &lines(20..40))],
            &[("y", &lines(0..20)), ("x", &lines(20..40))],
        ),
        (
            "directory from file",
            &[("x", &lines(0..20))],
            &[("x/y", &lines(0..20))],
        ),
        (
            "long heading",
            &[("a", &long)],
            &[("a", &[&long[..], b"end\n"].concat())],
        ),
        (
            "hunks that touch",
            &[("a", &lines(0..30))],
            &[("a", &[&lines(1..8)[..], b"x\n", &lines(14..29)].concat())],
        ),
    ];
    for (what, before, after) in table {
        println!("{what}");
        let (before, after) = (files(before), files(after));
        let scene = Scene::new(&before, &after);
        applying::check(&scene, &before, &after);
        scene.check();
    }
}

#[test]
fn modes_stand_in_the_header() {
    let with = |mode| {
        move |mut files: Files| {
            files.values_mut().for_each(|file| file.1 = mode);
            files
        }
    };
    let (plain, executable) = (with(false), with(true));
    let (old, new, other) = (
        files(&[("a", b"x\n")]),
        files(&[("a", b"y\n")]),
        files(&[("b", b"x\n")]),
    );
    for (before, after) in [
        (plain(old.clone()), executable(old.clone())),
        (executable(old.clone()), plain(new.clone())),
        (executable(old.clone()), executable(new)),
        (plain(old.clone()), executable(other.clone())),
        (executable(old), Files::new()),
        (Files::new(), executable(other)),
    ] {
        Scene::new(&before, &after).check();
    }
}

#[test]
fn settings_that_git_diff_keeps_are_kept() {
    let before = files(&[("a", &lines(0..60)), ("d", &lines(0..20))]);
    let after = files(&[
        (
            "a",
            &[b"0\n".to_vec(), lines(2..30), lines(31..60)].concat(),
        ),
        ("e", &lines(0..20)),
    ]);
    for setting in [
        ["diff.context", "1"],
        ["diff.context", "0"],
        ["diff.interHunkContext", "40"],
        ["diff.renames", "false"],
        ["diff.algorithm", "patience"],
        ["diff.indentHeuristic", "false"],
        ["core.abbrev", "12"],
        ["core.abbrev", "no"],
    ] {
        println!("{setting:?}");
        let scene = Scene::configured(&before, &after, &[setting]);
        let ours = scene.ours(|patch| print(patch, Quoting::default()));
        assert_eq!(shown(&ours), shown(&scene.git(&["diff", "--cached"])));
    }
}

#[test]
fn settings_that_git_apply_wouldnt_take_are_not_kept() {
    let (before, after) = (files(&[("a", b"x\n")]), files(&[("a", b"y\n")]));
    for setting in [
        ["diff.noprefix", "true"],
        ["diff.mnemonicPrefix", "true"],
        ["diff.external", "false"],
    ] {
        let scene = Scene::configured(&before, &after, &[setting]);
        let ours = scene.ours(|patch| print(patch, Quoting::default()));
        let plain = [
            "diff",
            "--cached",
            "--no-ext-diff",
            "--src-prefix=a/",
            "--dst-prefix=b/",
        ];
        assert_eq!(shown(&ours), shown(&scene.git(&plain)), "{setting:?}");
    }
}

#[test]
fn paths_are_quoted_as_configured() {
    let scene = Scene::new(
        &Files::new(),
        &files(&[("\u{e4}", b"x\n"), ("q\"\u{e4}", b"x\n")]),
    );
    let ours = scene.ours(|patch| print(patch, Quoting::Ascii));
    assert_eq!(
        shown(&ours),
        shown(&scene.git(&["-c", "core.quotePath=false", "diff", "--cached"]))
    );
}

#[test]
fn attributes_say_what_is_binary() {
    let with = |content: &[u8]| {
        let attributes = b"*.dat -diff\n*.txt diff\n*.x diff=x\n";
        let mut files = files(&[("a.dat", content), ("a.txt", content), ("a.x", content)]);
        files.insert(b".gitattributes".to_vec(), (attributes.to_vec(), false));
        files
    };
    for config in [
        &[][..],
        &[["diff.x.binary", "true"]],
        &[["diff.x.binary", "false"]],
    ] {
        Scene::configured(&with(b"x\n"), &with(b"y\n"), config).check();
        Scene::configured(&with(b"x\0\n"), &with(b"y\0\n"), config).check();
    }
}

#[test]
fn what_stands_in_the_work_tree_is_shown_as_stored() {
    let scene = |attributes: &[u8], config: &[[&str; 2]], before: &[u8], after: &[u8]| {
        let with = |content| files(&[(".gitattributes", attributes), ("a.txt", content)]);
        let (before, after) = (with(before), with(after));
        let scene = Scene::configured(&before, &before, config);
        for (name, (content, _)) in &after {
            std::fs::write(scene.path(name), content).unwrap();
        }
        Scene {
            changes: changes(&before, &after),
            ..scene
        }
    };
    for (attributes, config, before, after) in [
        (
            &b"*.txt text\n"[..],
            &[][..],
            &b"x\r\ny\r\n"[..],
            &b"x\r\nz\r\n"[..],
        ),
        (b"*.txt text\n", &[], b"x\r\ny\r\n", b"x\ny\n"),
        (b"*.txt eol=crlf\n", &[], b"x\r\ny\r\n", b"x\r\nz\r\nw"),
        (b"* text=auto\n", &[], b"x\ny\n", b"x\r\nz\r\n"),
        (
            b"\n",
            &[["core.autocrlf", "true"]],
            b"x\r\ny\r\n",
            b"x\r\nz\r\n",
        ),
        (b"\n", &[], b"x\r\ny\r\n", b"x\r\nz\r\n"),
        (b"*.txt ident\n", &[], b"$Id$\nx\n", b"$Id: 0123$\ny\n"),
    ] {
        let scene = scene(attributes, config, before, after);
        let repo = Repo::open_at(scene.directory.path()).unwrap();
        let differ = Differ::new(&repo, Side::WorkTree).unwrap();
        let ours =
            derive::unified(&scene.changes, &differ, &differ::options(&repo).unwrap()).unwrap();
        let ours = print(&ours, Quoting::default());
        assert_eq!(
            shown(&ours),
            shown(&scene.git(&["diff"])),
            "{}",
            attributes.escape_ascii()
        );
    }
}

#[test]
fn a_filter_that_cant_be_run_is_said() {
    let with = |content| files(&[(".gitattributes", b"*.txt filter=f\n"), ("a.txt", content)]);
    let scene = Scene::configured(
        &with(b"x\n"),
        &with(b"y\n"),
        &[["filter.f.required", "false"]],
    );
    for setting in [["filter.f.clean", "false"], ["filter.f.required", "true"]] {
        scene.git(&[&["config"][..], &setting].concat());
    }
    let repo = Repo::open_at(scene.directory.path()).unwrap();
    let fault = derive::unified(
        &scene.changes,
        &Differ::new(&repo, Side::WorkTree).unwrap(),
        &differ::options(&repo).unwrap(),
    );
    let (wanted, fault) = (
        "can't tell what git would store for `a.txt`: a path has a filter driver (filter=f), ",
        fault,
    );
    assert!(fault.unwrap_err().to_string().starts_with(wanted));
}

#[test]
fn the_columns_of_stat_are_divided_as_git_does() {
    let long =
        "a/very/long/path/that/goes/on/and/on/through/many/directories/until/it/ends/here.txt";
    let before = files(&[
        (long, &lines(0..500)),
        ("b", &lines(0..3)),
        ("c", b"\0"),
        ("old/n", &lines(0..30)),
    ]);
    let after = files(&[
        (long, &lines(100..900)),
        ("b", &lines(2..9)),
        ("c", &[0; 12345]),
        ("new/n", &lines(1..30)),
    ]);
    let scene = Scene::new(&before, &after);
    for width in [1, 20, 30, 40, 60, 80, 100, 120, 200, 2000] {
        scene.check_figures(width);
    }
}

const NAMES: [&str; 13] = [
    "a.txt",
    "b.txt",
    "src/a.txt",
    "src/lib.rs",
    "src/deep/mod.rs",
    "old name.txt",
    "tab\tname",
    "quo\"te",
    "blank at its end ",
    "\u{e4}/\u{fc}.rs",
    "-dash",
    "x/y/z/a.txt",
    "new\nline",
];

fn content() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let line = prop_oneof![
        8 => (0..12_u8).prop_map(|n| format!("fn f{n}() {{\n").into_bytes()),
        8 => (0..4_u8).prop_map(|n| format!("    let x = {n};\n").into_bytes()),
        6 => Just(b"}\n".to_vec()),
        6 => Just(b"\n".to_vec()),
        2 => Just(b"crlf\r\n".to_vec()),
        1 => Just(b"lone\rcr \n".to_vec()),
        1 => Just(b"\xff\xfe\n".to_vec()),
        1 => Just(b"--- a/x\n".to_vec()),
    ];
    prop_oneof![
        20 => prop::collection::vec(line, 0..60),
        1 => Just(vec![b"\0bin\n".to_vec(), b"ary\0".to_vec()]),
    ]
}

#[derive(Clone, Debug)]
struct Fate {
    name: usize,
    edits: Vec<(prop::sample::Index, u8, Vec<Vec<u8>>)>,
    newline: bool,
    executable: bool,
    stays: bool,
}

fn fate() -> impl Strategy<Value = Fate> {
    let piece = content().prop_map(|lines| lines.into_iter().take(3).collect());
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8, piece), 0..4);
    (
        0..NAMES.len(),
        edits,
        prop::bool::weighted(0.9),
        prop::bool::weighted(0.1),
        prop::bool::weighted(0.8),
    )
        .prop_map(|(name, edits, newline, executable, stays)| Fate {
            name,
            edits,
            newline,
            executable,
            stays,
        })
}

fn joined(lines: &[Vec<u8>], newline: bool) -> Vec<u8> {
    let mut content = lines.concat();
    if !newline && content.ends_with(b"\n") {
        content.pop();
    }
    content
}

prop_compose! {
    fn scene()(
        before in prop::collection::btree_map(0..NAMES.len(), (content(), prop::bool::weighted(0.9)), 0..6),
        fates in prop::collection::vec((prop::bool::weighted(0.6), fate()), 6),
        new in prop::collection::btree_map(0..NAMES.len(), content(), 0..2),
    ) -> (Files, Files) {
        let mut old = Files::new();
        let mut after = Files::new();
        for (name, lines) in new {
            after.insert(NAMES[name].into(), (joined(&lines, true), false));
        }
        for ((name, (lines, newline)), (keeps_name, fate)) in before.into_iter().zip(fates) {
            old.insert(NAMES[name].into(), (joined(&lines, newline), false));
            let mut lines = lines;
            for (at, gone, come) in fate.edits {
                let at = at.index(lines.len() + 1);
                let end = (at + usize::from(gone)).min(lines.len());
                lines.splice(at..end, come);
            }
            if fate.stays {
                let name = if keeps_name { name } else { fate.name };
                after.insert(NAMES[name].into(), (joined(&lines, fate.newline), fate.executable));
            }
        }
        (old, after)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: few(48), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn equals_git_for_any_change((before, after) in scene()) {
        Scene::new(&before, &after).check();
    }
}
