use std::os::unix::fs::symlink;

mod agreement;
mod conversion;
mod index_file;
mod rules;
mod surroundings;

use bstr::ByteSlice as _;

use super::open::Surroundings;
use super::testing::{Sample, path};
use super::*;
use llmpatch::report::Diagnose as _;
use llmpatch::tree::{Entry, Tree, TreeError};

/// What a tree says of a path, in short.
fn told(tree: &dyn Tree, at: &str) -> String {
    match tree.read(&path(at)) {
        Ok(Entry::File(file)) => format!(
            "{} {}",
            if file.mode.executable { "x" } else { "-" },
            file.content.as_bstr()
        ),
        Ok(Entry::Other(what)) => format!("{what:?}"),
        Ok(Entry::Beneath { ancestor, what }) => match what {
            Some(what) => format!("in {ancestor}: {what:?}"),
            None => format!("in {ancestor}"),
        },
        Ok(entry) => format!("{entry:?}"),
        Err(TreeError::Io { .. }) => "!io".to_owned(),
        Err(error) => format!("!{error}"),
    }
}

fn names(mut paths: Vec<RepoPath>) -> Vec<String> {
    paths.sort();
    paths.iter().map(ToString::to_string).collect()
}

#[test]
fn a_work_tree_is_what_stands_on_disk() {
    let sample = Sample::new()
        .file("a/b", "text")
        .file("run", "#!")
        .committed()
        .file("new", "untracked");
    sample.chmod("run", 0o700);
    symlink("a", sample.top().join("link")).unwrap();
    sample.git("init -q nested");
    sample.write("nested/x", "theirs");
    sample.write("nested/deep/x", "theirs");
    let repo = sample.open();
    let tree = WorkTree::new(&repo).unwrap();
    for (at, want) in [
        ("a/b", "- text"),
        ("run", "x #!"),
        ("new", "- untracked"),
        ("a", "Directory"),
        ("none", "Absent"),
        ("a/none", "Absent"),
        ("none/x", "Absent"),
        ("link", "Link"),
        ("link/b", "in link: Link"),
        ("a/b/c", "in a/b"),
        ("nested", "Repository"),
        ("nested/x", "in nested: Repository"),
        ("nested/none", "in nested: Repository"),
        ("nested/deep/x", "in nested: Repository"),
        ("nested/deep/none/x", "in nested: Repository"),
    ] {
        assert_eq!(told(&tree, at), want, "{at}");
    }
    assert_eq!(names(tree.tracked()), ["a/b", "run"]);
    assert_eq!(names(tree.leaves_below(&path("a")).unwrap()), ["a/b"]);
    assert_eq!(
        names(tree.leaves_below(&path("nested")).unwrap()),
        ["nested", "nested/deep/x", "nested/x"]
    );
    assert!(tree.case_twins(&path("A/b")).unwrap().is_empty());
}

#[test]
fn a_submodule_is_out_of_reach_even_when_it_is_not_checked_out() {
    let id = "1234567890123456789012345678901234567890";
    let link = |sample: Sample, at: &str| {
        sample.then(&format!("update-index --add --cacheinfo 160000,{id},{at}"))
    };
    let modules = "[submodule \"s\"]\n\tpath = libs/named\n\turl = x\n";
    for modules in [Some(modules), Some("[broken"), None] {
        let sample = link(
            link(Sample::new().file("libs/a", "a").committed(), "libs/named"),
            "libs/empty",
        );
        std::fs::create_dir_all(sample.top().join("libs/empty")).unwrap();
        std::fs::create_dir_all(sample.top().join("plain")).unwrap();
        if let Some(modules) = modules {
            sample.write(".gitmodules", modules);
        }
        let repo = sample.open();
        let tree = WorkTree::new(&repo).unwrap();
        for (at, want) in [
            ("libs/empty", "Repository"),
            ("libs/empty/x", "in libs/empty: Repository"),
            ("libs/empty/x/y", "in libs/empty: Repository"),
            ("libs/a", "- a"),
            ("libs/new", "Absent"),
            ("plain", "Directory"),
            ("plain/x", "Absent"),
        ] {
            assert_eq!(told(&tree, at), want, "{at} with {modules:?}");
        }
        // Without a directory and without a name in `.gitmodules` nothing on disk hints at it, and
        // git would not mind either.
        let want = if modules.is_some() {
            "in libs/named: Repository"
        } else {
            "Absent"
        };
        assert_eq!(told(&tree, "libs/named/x"), want, "with {modules:?}");
    }
}

#[test]
fn case_twins_are_found_where_case_does_not_matter() {
    let sample = Sample::new()
        .file("Src/Main.rs", "")
        .file("src/main.rs", "")
        .file("src/Lib.rs", "")
        .committed();
    sample.git("config core.ignorecase true");
    let repo = sample.open();
    let tree = WorkTree::new(&repo).unwrap();
    assert!(tree.ignores_case());
    for (at, want) in [
        ("src/main.rs", &["Src/Main.rs"][..]),
        ("SRC/MAIN.rs", &["Src/Main.rs", "src/main.rs"]),
        ("src/lib.rs", &["src/Lib.rs"]),
        ("src/Lib.rs", &[]),
        ("SRC", &["Src", "src"]),
        ("none/at/all", &[]),
        ("src/Lib.rs/x", &[]),
    ] {
        assert_eq!(names(tree.case_twins(&path(at)).unwrap()), want, "{at}");
    }
}

#[test]
fn a_resolver_knows_the_work_tree() {
    let sample = Sample::new()
        .committed()
        .then("config llmpatch.root.API services/api");
    let repo = sample.open();
    let resolver = repo.resolver(Some(b"sub")).unwrap();
    let top = sample.top();
    let absolute = top.join("a");
    for (root, written, want) in [
        (None, "x", "sub/x"),
        (None, absolute.to_str().unwrap(), "a"),
        (Some("top"), "x", "sub/x"),
        (Some("api"), "x", "services/api/x"),
    ] {
        let path = resolver
            .resolve(root.map(str::as_bytes), written.as_bytes())
            .unwrap();
        assert_eq!(path.to_string(), want);
    }
    assert!(resolver.resolve(Some(b"other"), b"x").is_err());
    assert!(repo.resolver(Some(b"../x")).is_err());
}

#[test]
fn the_repositorys_own_directory_is_out_of_reach_under_any_name() {
    let sample = Sample::new().committed();
    std::fs::rename(sample.top().join(".git"), sample.top().join("store")).unwrap();
    let git = git2::Repository::open(sample.top().join("store")).unwrap();
    let around = Surroundings {
        work_tree: Some(sample.top().into()),
        ..Surroundings::default()
    };
    let repo = Repo::settle(git, &around, false).unwrap();
    let resolver = repo.resolver(None).unwrap();
    assert!(resolver.resolve(None, b"store/hooks/post-commit").is_err());
    assert!(resolver.resolve(None, b"stored").is_ok());
}

#[test]
fn where_the_top_is_follows_git() {
    let sample = Sample::new().file("sub/x", "").committed();
    let open = || git2::Repository::open(sample.top()).unwrap();
    let top = sample.top().canonicalize().unwrap();
    let sub = sample.top().canonicalize().unwrap().join("sub");
    let around = |git_dir: bool, work_tree: Option<&str>| Surroundings {
        here: sub.clone(),
        git_dir: git_dir.then(|| top.join(".git").into()),
        work_tree: work_tree.map(Into::into),
        index_file: None,
    };
    for (around, want) in [
        (around(false, None), &top),
        (around(true, None), &sub),
        (around(true, Some("..")), &top),
        (around(false, Some(".")), &sub),
    ] {
        let repo = Repo::settle(open(), &around, false).unwrap();
        assert_eq!(repo.top().unwrap(), want, "{around:?}");
    }
    let around = Surroundings {
        work_tree: Some(".".into()),
        here: top.join(".git"),
        ..Surroundings::default()
    };
    assert!(matches!(
        Repo::settle(open(), &around, false),
        Err(RepoError::TopIsGitDir { .. })
    ));
}

#[test]
fn what_cannot_be_served_is_refused_in_words() {
    let nowhere = tempfile::tempdir().unwrap();
    let error = Repo::open_at(nowhere.path()).unwrap_err();
    assert!(
        matches!(error, RepoError::NotFound { .. }) && error.diagnostic().help.is_some(),
        "{error:?}"
    );

    let bare = Sample::new().then("init -q --bare bare.git");
    let repo = Repo::open_at(&bare.top().join("bare.git")).unwrap();
    assert!(matches!(
        WorkTree::new(&repo),
        Err(RepoError::NoWorkTree { .. })
    ));

    let sample = Sample::new();
    sample.git_args(&["init", "-q", "--ref-format=reftable", "odd"]);
    let repo = Repo::open_at(&sample.top().join("odd")).unwrap();
    assert!(WorkTree::new(&repo).is_ok());
    assert!(commit::check_calm(&repo).is_ok());
}

/// A repository in whose index and commit the same paths stand.
fn stored() -> Sample {
    let sample = Sample::new()
        .file("a/b", "text")
        .file("a/deep/c", "c")
        .file("a.x", "")
        .file("run", "#!")
        .file("crlf", "1\r\n");
    sample.chmod("run", 0o755);
    symlink("a", sample.top().join("link")).unwrap();
    std::fs::create_dir(
        sample
            .top()
            .join("a")
            .join(std::ffi::OsStr::from_bytes(b"\xff")),
    )
    .unwrap();
    std::fs::write(
        sample
            .top()
            .join("a")
            .join(std::ffi::OsStr::from_bytes(b"\xff/x")),
        "",
    )
    .unwrap();
    std::fs::create_dir(sample.top().join("sub")).unwrap();
    sample
        .then("update-index --add --cacheinfo 160000,1234567890123456789012345678901234567890,sub")
        .committed()
}

#[test]
fn index_and_commit_hold_what_git_stored() {
    let sample = stored();
    // What happens on disk afterwards is nobody's business here.
    for gone in ["a", "link", "run"] {
        let gone = sample.top().join(gone);
        std::fs::remove_dir_all(&gone)
            .or_else(|_| std::fs::remove_file(&gone))
            .unwrap();
    }
    let repo = sample.open();
    let index = IndexTree::new(&repo).unwrap();
    let commit = RevisionTree::new(&repo, "HEAD").unwrap();
    for tree in [&index as &dyn Tree, &commit] {
        for (at, want) in [
            ("a/b", "- text"),
            ("run", "x #!"),
            ("crlf", "- 1\r\n"),
            ("a", "Directory"),
            ("a/deep", "Directory"),
            ("a.", "Absent"),
            ("none/x", "Absent"),
            ("a/b/c/d", "in a/b"),
            ("link", "Link"),
            ("link/x", "in link: Link"),
            ("sub", "Repository"),
            ("sub/x", "in sub: Repository"),
        ] {
            assert_eq!(told(tree, at), want, "{at}");
        }
        assert_eq!(
            names(tree.leaves_below(&path("a")).unwrap()),
            ["a/b", "a/deep/c", r"a/\377/x"]
        );
        assert_eq!(
            names(tree.tracked()),
            [
                "a.x",
                "a/b",
                "a/deep/c",
                r"a/\377/x",
                "crlf",
                "link",
                "run",
                "sub"
            ]
        );
        assert!(tree.case_twins(&path("A/b")).unwrap().is_empty());
    }
    assert!(matches!(
        RevisionTree::new(&repo, "nowhere"),
        Err(RepoError::NoRevision { .. })
    ));
    assert!(matches!(
        RevisionTree::new(&repo, "HEAD:a/b"),
        Err(RepoError::NoRevision { .. })
    ));
}

#[test]
fn index_and_commit_tell_case_apart_even_when_libgit2_does_not() {
    let sample = Sample::new()
        .file("A/x", "1")
        .file("a/x", "2")
        .file("a/y", "3")
        .file("B", "4")
        .committed();
    sample.git("config core.ignorecase true");
    let repo = sample.open();
    let index = IndexTree::new(&repo).unwrap();
    let commit = RevisionTree::new(&repo, "HEAD").unwrap();
    for tree in [&index as &dyn Tree, &commit] {
        for (at, want, twins) in [
            ("A/x", "- 1", &["a/x"][..]),
            ("a/x", "- 2", &["A/x"]),
            ("a/X", "Absent", &["A/x", "a/x"]),
            ("A/y", "Absent", &["a/y"]),
            ("b", "Absent", &["B"]),
            ("b/c", "Absent", &[]),
            ("A", "Directory", &["a"]),
        ] {
            assert_eq!(told(tree, at), want, "{at}");
            assert_eq!(names(tree.case_twins(&path(at)).unwrap()), twins, "{at}");
        }
        assert_eq!(names(tree.leaves_below(&path("A")).unwrap()), ["A/x"]);
        assert_eq!(
            names(tree.leaves_below(&path("a")).unwrap()),
            ["a/x", "a/y"]
        );
    }
}

#[test]
fn an_index_in_the_middle_of_something() {
    let sample = Sample::new()
        .file("same", "")
        .file("x", "base")
        .committed()
        .then("checkout -q -b side");
    let sample = sample
        .file("x", "side")
        .committed()
        .then("checkout -q main")
        .file("x", "main")
        .committed();
    let merged = sample.git_command().args(["merge", "-q", "side"]).output();
    assert_eq!(merged.unwrap().status.code(), Some(1));
    sample.write("later", "");
    sample.git("add -N later");
    let repo = sample.open();
    let index = IndexTree::new(&repo).unwrap();
    for (at, want) in [
        ("x", "!`x` is unmerged"),
        ("x/y", "in x"),
        ("same", "- "),
        ("later", "Absent"),
    ] {
        assert_eq!(told(&index, at), want, "{at}");
    }
    assert_eq!(names(index.tracked()), ["same", "x"]);
}

#[test]
fn an_index_that_only_git_understands_is_read_by_git() {
    let split = Sample::new()
        .file("a/x", "")
        .file("b/y", "")
        .committed()
        .then("update-index --split-index");
    let sparse = Sample::new().file("a/x", "").file("b/y", "").committed();
    sparse.git("sparse-checkout set --cone --sparse-index a");
    for sample in [split, sparse] {
        let repo = sample.open();
        assert_eq!(
            names(IndexTree::new(&repo).unwrap().tracked()),
            ["a/x", "b/y"]
        );
    }
}

/// An index that is younger than an edit would hide it.
#[test]
fn an_index_is_as_old_as_before_when_git_has_given_it_its_shape() {
    let sample = Sample::new().file("a", "").committed();
    let index = sample.top().join(".git/index");
    let then = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let file = std::fs::File::options().write(true).open(&index).unwrap();
    file.set_modified(then).unwrap();
    let repo = sample.open();
    let shape = super::shape::IndexExtras {
        split: true,
        untracked: true,
        ..Default::default()
    };
    shape.restore(&super::git::Git::new(&repo), &index).unwrap();
    assert_eq!(index.metadata().unwrap().modified().unwrap(), then);
    let (_, restored) = index::read_at(&repo, &index).unwrap();
    assert!(restored.split && restored.untracked);
}

#[test]
fn a_git_file_leads_to_the_git_directory_and_the_work_tree_stays() {
    let sample = Sample::new()
        .file("sub/a", "")
        .committed()
        .then("worktree add -q ../linked");
    sample.git("init -q --separate-git-dir ../apart-git ../apart");
    sample.git("-c protocol.file.allow=always submodule --quiet add ./ module");
    let outside = sample.outside().canonicalize().unwrap();
    for (top, git_dir) in [
        ("linked", "top/.git/worktrees/linked"),
        ("apart", "apart-git"),
        ("top/module", "top/.git/modules/module"),
        ("top", "top/.git"),
    ] {
        let top = outside.join(top);
        assert_eq!(
            top.join(".git").is_file(),
            !git_dir.ends_with(".git"),
            "{}",
            top.display()
        );
        std::fs::create_dir_all(top.join("sub/deeper")).unwrap();
        for directory in [top.clone(), top.join("sub/deeper")] {
            let repo = Repo::open_at(&directory).unwrap();
            assert_eq!(repo.top().unwrap().canonicalize().unwrap(), top);
            assert_eq!(
                repo.git_dir().canonicalize().unwrap(),
                outside.join(git_dir)
            );
            let next = repo.dir().unwrap().look(&path("sub")).unwrap();
            assert!(matches!(next, crate::dir::Found::Directory), "{next:?}");
        }
    }
}
