//! Repositories that libgit2 alone would get wrong: what comes of a change is what git by hand
//! makes of the same edit.

use std::path::Path;

use assert_fs::prelude::*;

use super::support::{self, Repo};
use super::{envelope, update};

/// Demands that two repositories are the same to git, and that it finds nothing wrong.
#[track_caller]
fn compare(ours: &Repo, git: &Repo, what: &str) {
    assert_eq!(ours.files(), git.files(), "{what}: files");
    compare_index(ours, git, what);
    let status = |repo: &Repo| repo.git(&["status", "--porcelain=v2"]);
    assert_eq!(status(ours), status(git), "{what}: status");
}

#[track_caller]
fn compare_index(ours: &Repo, git: &Repo, what: &str) {
    let staged = |repo: &Repo| repo.git(&["ls-files", "-s", "-v"]);
    assert_eq!(staged(ours), staged(git), "{what}: staged");
    ours.git(&["fsck", "--strict"]);
}

/// Applies a response in all four ways, and does the same by hand in a copy: `edit` makes the same
/// change of its files.
#[track_caller]
fn in_all_ways(base: &Repo, response: &str, edit: impl Fn(&Repo)) -> (Repo, Repo) {
    let git = base.copied();
    edit(&git);
    let ours = base.copied();
    ours.run(&["check"], response).succeeded();
    let shown = ours.run(&["diff"], response).succeeded().stdout;
    ours.run(&["apply"], response).succeeded();
    compare(&ours, &git, "work tree");
    assert_eq!(shown, with_new_files(&git), "the diff is git's");
    ours.run(&["undo"], "").succeeded();
    compare(&ours, base, "undo");

    git.git(&["add", "-A"]);
    let ours = base.copied();
    ours.run(&["apply", "--index"], response).succeeded();
    compare(&ours, &git, "--index");
    ours.run(&["undo"], "").succeeded();
    compare(&ours, base, "undo of --index");
    let ours = base.copied();
    let shown = ours.run(&["diff", "--cached"], response).succeeded().stdout;
    assert_eq!(
        shown,
        git.git(&["diff", "--cached", "-M"]),
        "the diff of blobs is git's"
    );
    ours.run(&["apply", "--cached"], response).succeeded();
    compare_index(&ours, &git, "--cached");
    assert_eq!(ours.files(), base.files(), "--cached leaves the work tree");

    git.git(&["commit", "-q", "-m", "by hand"]);
    let ours = base.copied();
    ours.run(&["apply", "--commit", "-m", "by hand"], response)
        .succeeded();
    compare(&ours, &git, "--commit");
    let tree = |repo: &Repo| repo.git(&["rev-parse", "HEAD^{tree}"]);
    assert_eq!(tree(&ours), tree(&git));

    (ours, git)
}

fn with_new_files(repo: &Repo) -> String {
    let copy = repo.copied();
    copy.git(&["add", "-A"]);
    copy.git(&["diff", "--cached", "-M"])
}

#[test]
fn settings_are_those_that_git_reads() {
    let protected = "[llmpatch]\n\tprotect = a.txt\n";
    let refused = |repo: &Repo, what: &str, more: &dyn Fn(&mut std::process::Command)| {
        let mut command = repo.command();
        more(&mut command);
        let run = support::run(command.arg("check"), update("a.txt", "one", "1").as_bytes());
        assert!(
            run.stderr.starts_with("error[protected]"),
            "{what}: {}{}",
            run.stdout,
            run.stderr
        );
    };
    let base = || Repo::with(&[("a.txt", "one\n")]);
    let file = |repo: &Repo| {
        let file = repo.path().parent().unwrap().join("more");
        std::fs::write(&file, protected).unwrap();
        file.display().to_string()
    };
    for condition in [
        "hasconfig:remote.*.url:https://example.com/**",
        "gitdir:**/work/.git",
        "onbranch:main",
    ] {
        let repo = base();
        repo.git(&["remote", "add", "origin", "https://example.com/x"]);
        repo.git(&[
            "config",
            &format!("includeIf.{condition}.path"),
            &file(&repo),
        ]);
        refused(&repo, condition, &|_| {});
    }
    // A git of another prefix has another file for the system.
    support::needs(support::Need::Programs);
    let repo = base();
    let (bin, system) = (repo.path().parent().unwrap().join("bin"), file(&repo));
    std::fs::create_dir(&bin).unwrap();
    let real = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|at| at.join("git"))
        .find(|git| git.is_file());
    let script = format!(
        "#!/bin/sh\nGIT_CONFIG_SYSTEM='{system}' exec '{}' \"$@\"\n",
        real.unwrap().display()
    );
    support::system::write_script(&bin.join("git"), &script);
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    refused(&repo, "system", &|command| {
        command.env("PATH", &path).env_remove("GIT_CONFIG_NOSYSTEM");
    });
    let repo = base();
    let included = file(&repo);
    refused(&repo, "git -c", &|command| {
        command
            .env("GIT_CONFIG_COUNT", "1")
            .env("GIT_CONFIG_KEY_0", "include.path")
            .env("GIT_CONFIG_VALUE_0", &included);
    });
    let repo = base();
    repo.git(&["config", "extensions.worktreeConfig", "true"]);
    repo.git(&["config", "--worktree", "include.path", &file(&repo)]);
    refused(&repo, "config.worktree", &|_| {});
}

/// Every way in which the environment says what is configured, each with a file that protects.
#[test]
fn what_the_environment_says_is_configured_is_what_git_says() {
    let repo = Repo::with(&[("a.txt", "one\n"), ("sub/b.txt", "b\n")]);
    let place = repo.path().parent().unwrap().to_owned();
    let protect = "[llmpatch]\n\tprotect = a.txt\n";
    let (work, linked) = (place.join("work"), place.join("link/work"));
    support::symlink(&place, place.join("link"));
    for (file, text) in [
        ("system", protect),
        ("global", ""),
        ("home/.gitconfig", "[user]\n\tname = x\n"),
        ("xdg/git/config", protect),
        (
            "by-link",
            "[includeIf \"gitdir:./link/\"]\n\tpath = system\n",
        ),
        ("by-name", "[includeIf \"gitdir:work/\"]\n\tpath = system\n"),
        (
            "by-case",
            "[includeIf \"gitdir/i:./LINK/\"]\n\tpath = system\n",
        ),
    ] {
        repo.child(format!("../{file}")).write_str(text).unwrap();
    }
    let at = |name: &str| place.join(name).display().to_string();
    let system = ("GIT_CONFIG_SYSTEM", at("system"));
    let plain = |name, value: &str| (name, value.to_owned());
    let home = ("HOME", at("home"));
    let mut rows = vec![
        vec![system.clone()],
        vec![("GIT_CONFIG_SYSTEM", String::new())],
        vec![home.clone(), ("XDG_CONFIG_HOME", at("xdg"))],
        vec![
            home.clone(),
            ("XDG_CONFIG_HOME", at("xdg")),
            ("GIT_CONFIG_GLOBAL", at("global")),
        ],
        vec![home, ("GIT_CONFIG_GLOBAL", at("system"))],
        vec![("GIT_CONFIG_GLOBAL", String::new())],
        vec![
            plain("GIT_CONFIG_COUNT", "0"),
            plain("GIT_CONFIG_KEY_0", "llmpatch.protect"),
            plain("GIT_CONFIG_VALUE_0", "a.txt"),
        ],
        vec![plain("GIT_CONFIG_PARAMETERS", "'llmpatch.protect'='a.txt'")],
        vec![
            ("GIT_DIR", at("link/work/.git")),
            ("GIT_CONFIG_GLOBAL", at("by-link")),
        ],
    ];
    for no in ["1", "0", "true", "yes", "no", "on", "off", "false", "2", ""] {
        rows.push(vec![system.clone(), plain("GIT_CONFIG_NOSYSTEM", no)]);
    }
    for file in ["by-link", "by-name", "by-case"] {
        rows.push(vec![("GIT_CONFIG_GLOBAL", at(file))]);
        rows.push(vec![("GIT_CONFIG_SYSTEM", at(file))]);
    }
    let mut protecting = 0;
    for row in rows {
        for here in [&work, &linked, &work.join("sub"), &linked.join("sub")] {
            let ready = |program: &str| {
                let mut command = support::isolated(std::process::Command::new(program), here);
                for name in ["GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL"] {
                    command.env_remove(name);
                }
                command.env("HOME", "/nonexistent").env("PWD", here);
                command.envs(row.iter().map(|(name, value)| (name, value)));
                command
            };
            let mut git = ready("git");
            let git = support::run(git.args(["config", "--get-all", "llmpatch.protect"]), b"");
            let mut ours = ready(support::program());
            let ours = support::run(ours.arg("check"), update("a.txt", "one", "1").as_bytes());
            assert_eq!(
                ours.stderr.starts_with("error[protected]"),
                git.stdout == "a.txt\n",
                "{row:?} in {}: {git:?} {ours:?}",
                here.display()
            );
            protecting += usize::from(git.stdout == "a.txt\n");
        }
    }
    assert!(protecting > 20, "{protecting}");
}

/// What libgit2 doesn't open by itself: references in a reftable, and another owner whom git is
/// told to trust in its own way.
#[test]
fn a_link_hides_no_setting_of_a_repository_that_only_git_finds() {
    support::needs(support::Need::NewGit);
    let reftable = Repo::empty();
    std::fs::remove_dir_all(reftable.child(".git")).unwrap();
    reftable.git(&["init", "-q", "--ref-format=reftable"]);
    let another = Repo::empty();
    if support::system::is_root() {
        super::repositories::give(&another, 12_345, 777, "u+rwX");
    }
    for repo in [&reftable, &another] {
        repo.child("a.txt").write_str("one\n").unwrap();
        let place = repo.path().parent().unwrap();
        let link = place.join("link");
        support::symlink(repo.path(), &link);
        repo.child("../protect")
            .write_str("[llmpatch]\n\tprotect = a.txt\n")
            .unwrap();
        let settings = format!(
            "[safe]\n\tdirectory = {}/*\n[includeIf \"gitdir:link/\"]\n\tpath = protect\n",
            place.display()
        );
        repo.child("../global").write_str(&settings).unwrap();
        let run = |program: &str, args: &[&str], here: &Path, input: &str| {
            let mut command = support::isolated(std::process::Command::new(program), here);
            command.env("PWD", here).args(args);
            command.env("GIT_CONFIG_GLOBAL", place.join("global"));
            support::run(&mut command, input.as_bytes())
        };
        let response = update("a.txt", "one", "1");
        for (here, is_protected) in [(&*link, true), (repo.path(), false)] {
            let set = ["config", "--get-all", "llmpatch.protect"];
            let git = run("git", &set, here, "");
            assert_eq!(git.stdout == "a.txt\n", is_protected, "{git:?}");
            let ours = run(support::program(), &["check"], here, &response);
            assert_eq!(
                ours.stderr.starts_with("error[protected]"),
                is_protected,
                "{ours:?}"
            );
        }
    }
}

#[test]
fn the_systems_own_settings_are_those_of_the_git_in_use() {
    let response = update("a.txt", "one", "1");
    for at in ["/etc/gitconfig", "/usr/local/etc/gitconfig"] {
        let repo = Repo::with(&[("a.txt", "one\n")]);
        repo.child("../response").write_str(&response).unwrap();
        repo.child("../system")
            .write_str("[llmpatch]\n\tprotect = a.txt\n")
            .unwrap();
        let script =
            "mount --bind ../system $0 && { git config llmpatch.protect >../git; \"$@\"; }";
        let mut command = support::isolated(support::unix("unshare"), repo.path());
        command.args([
            "-m",
            "sh",
            "-c",
            script,
            at,
            support::program(),
            "check",
            "../response",
        ]);
        let run = support::run(command.env_remove("GIT_CONFIG_NOSYSTEM"), b"");
        let Ok(git) = std::fs::read_to_string(repo.child("../git")) else {
            eprintln!("skipped: nothing can be mounted on {at} here");
            continue;
        };
        assert_eq!(
            git == "a.txt\n",
            run.stderr.starts_with("error[protected]"),
            "{at}: {git:?} {}",
            run.stderr
        );
    }
}

#[test]
fn a_git_that_is_too_old_is_not_asked() {
    support::needs(support::Need::Programs);
    let repo = Repo::with(&[
        ("a.txt", "one\n"),
        (".gitattributes", "*.utf16 working-tree-encoding=UTF-16\n"),
    ]);
    // Where the system keeps the attributes for a git of this place would be asked for.
    let own = [("GIT_ATTR_NOSYSTEM", "1")];
    let (head, bin) = (
        repo.git(&["rev-parse", "HEAD"]),
        repo.path().parent().unwrap().join("bin"),
    );
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let respond = |version: &str, args: &[&str], response: String| {
        repo.script(
            "../bin/git",
            &format!("#!/bin/sh\n[ $# = 1 ] && exec echo git version {version}\nPATH=${{PATH#*:}} exec git \"$@\"\n"),
        );
        let mut command = repo.command();
        support::run(
            command
                .env("PATH", &path)
                .envs(own)
                .args(["apply"])
                .args(args),
            response.as_bytes(),
        )
    };
    for (args, response) in [
        (&["--commit"][..], update("a.txt", "one", "1")),
        (&[], envelope("*** Add File: new.utf16\n+new\n")),
    ] {
        for version in ["2.20.1", "2.29.3.windows.1", "1.9"] {
            let run = respond(version, args, response.clone()).ended(3);
            assert!(
                run.stderr
                    .contains(&format!("version {version}, but 2.30 or later is needed")),
                "{}",
                run.stderr
            );
            assert!(
                run.stderr.ends_with("nothing was changed\n"),
                "{}",
                run.stderr
            );
            assert_eq!(
                (
                    repo.git(&["rev-parse", "HEAD"]),
                    repo.git(&["status", "--porcelain"])
                ),
                (head.clone(), String::new())
            );
        }
    }
    if !support::all_by_git() {
        respond("2.20.1", &[], update("a.txt", "one", "1")).succeeded();
        repo.git(&["checkout", "a.txt"]);
    }
    for version in [
        "2.30.0",
        "2.39.5 (Apple Git-154)",
        "3.0.rc1",
        "from my own branch",
    ] {
        respond(
            &format!("'{version}'"),
            &["--commit"],
            update("a.txt", "one", "1"),
        )
        .succeeded();
        repo.git(&["reset", "-q", "--hard", head.trim()]);
    }
}

/// Makes a repository with an index of each shape that libgit2 can't keep.
fn shapes() -> Vec<(&'static str, Repo)> {
    let files = [
        ("keep/a.txt", "one\ntwo\n"),
        ("keep/b.txt", "b\n"),
        ("drop/c.txt", "c\n"),
        ("top.txt", "t\n"),
    ];
    let base = Repo::with(&files);
    base.script(".git/hooks/monitor", "#!/bin/sh\nprintf 'token\\0/\\0'\n");
    let made = |commands: &[&[&str]]| {
        let repo = base.copied();
        commands.iter().for_each(|args| drop(repo.git(args)));
        repo
    };
    vec![
        ("split", made(&[&["update-index", "--split-index"]])),
        (
            "sparse",
            made(&[&["sparse-checkout", "set", "--cone", "--sparse-index", "keep"]]),
        ),
        (
            "untracked",
            made(&[&["update-index", "--untracked-cache"], &["status"]]),
        ),
        (
            "monitored",
            made(&[
                &["config", "core.fsmonitor", ".git/hooks/monitor"],
                &["update-index", "--fsmonitor"],
            ]),
        ),
    ]
}

/// Returns what of an index only git knows.
fn shape(repo: &Repo) -> Vec<bool> {
    let index = repo.read(".git/index");
    let has = |name: &[u8]| index.windows(4).any(|bytes| bytes == name);
    [&b"link"[..], b"sdir", b"UNTR", b"FSMN"].map(has).to_vec()
}

#[test]
fn an_index_keeps_the_shape_that_it_has() {
    let sections = "*** Update File: keep/a.txt\n-two\n+2\n*** Add File: keep/new.txt\n+n\n*** Delete File: keep/b.txt\n\
                    *** Update File: top.txt\n*** Move to: keep/top.txt\n";
    for (name, base) in shapes() {
        let want = shape(&base);
        assert_eq!(want.iter().filter(|has| **has).count(), 1, "{name}");
        let (ours, _) = in_all_ways(&base, &envelope(sections), |repo| {
            repo.child("keep/a.txt").write_str("one\n2\n").unwrap();
            repo.child("keep/new.txt").write_str("n\n").unwrap();
            std::fs::remove_file(repo.child("keep/b.txt")).unwrap();
            std::fs::rename(repo.child("top.txt"), repo.child("keep/top.txt")).unwrap();
        });
        assert_eq!(shape(&ours), want, "{name} after --commit");
        ours.run(&["apply", "--index"], update("keep/a.txt", "2", "3"))
            .succeeded();
        assert_eq!(shape(&ours), want, "{name} after --index");
    }
}

#[test]
fn objects_go_where_git_puts_them() {
    for target in ["--index", "--cached", "--commit"] {
        let repo = Repo::with(&[("a.txt", "one\n")]);
        let own = repo.child(".git/objects");
        let count = || walkable(own.path()).len();
        let (before, other) = (count(), repo.path().parent().unwrap().join("objects"));
        std::fs::create_dir(&other).unwrap();
        let mut command = repo.command();
        command
            .env("GIT_OBJECT_DIRECTORY", &other)
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", own.path());
        let run = support::run(
            command.args(["apply", target]),
            update("a.txt", "one", "1").as_bytes(),
        );
        run.succeeded();
        assert_eq!(count(), before, "{target}");
        repo.git_with_input(&["hash-object", "-w", "--stdin"], b"1\n");
        assert!(
            repo.git(&["ls-files", "-s"])
                .contains("d00491fd7e5bb6fa28c517a0bb32b8b506539d4d"),
            "{target}"
        );
    }
}

#[test]
fn a_namespace_is_for_who_serves_the_repository() {
    let (ours, git) = (
        Repo::with(&[("a.txt", "one\n")]),
        Repo::with(&[("a.txt", "one\n")]),
    );
    let mut command = ours.command();
    command
        .env("GIT_NAMESPACE", "served")
        .args(["apply", "--commit", "-m", "x"]);
    support::run(&mut command, update("a.txt", "one", "1").as_bytes()).succeeded();
    git.child("a.txt").write_str("1\n").unwrap();
    git.git(&["commit", "-q", "-a", "-m", "x"]);
    for told in [
        &["for-each-ref", "--format=%(refname) %(tree)"][..],
        &["status", "--porcelain=v2"],
        &["ls-files", "-s"],
    ] {
        assert_eq!(ours.git(told), git.git(told), "{told:?}");
    }
    assert_eq!(ours.git(&["rev-list", "--count", "HEAD"]), "2\n");
    ours.git(&["fsck", "--strict"]);
}

fn walkable(directory: &std::path::Path) -> Vec<std::path::PathBuf> {
    support::files(directory).into_keys().collect()
}
