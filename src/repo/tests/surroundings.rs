//! What the environment says. It belongs to the whole process, so these tests run this test program
//! again as a child.

use super::*;

const ROLE: &str = "GIT_LLMPATCH_TEST_ROLE";

/// Runs in the child only: prints what it sees.
#[test]
fn child() {
    if std::env::var_os(ROLE).is_none() {
        return;
    }
    match Repo::open() {
        Ok(repo) => {
            let tracked = IndexTree::new(&repo).map(|index| names(index.tracked()).join(" "));
            let tracked = tracked.unwrap_or_else(|error| error.to_string());
            let top = repo
                .top()
                .map_or_else(|error| error.to_string(), |top| top.display().to_string());
            let of = |key| repo.config.string(key).unwrap().unwrap_or_default();
            let strict = repo.config.bool("llmpatch.strict").unwrap();
            let resolver = repo.resolver(None).unwrap();
            let root = resolver
                .resolve(Some(b"api"), b"x")
                .map_or_else(|_| "none".to_owned(), |path| path.to_string());
            println!(
                "top={top};tracked={tracked};limit={};strict={strict:?};root={root};",
                of("llmpatch.limit")
            );
        }
        Err(error) => println!("error={error};"),
    }
}

fn seen(directory: &Path, environment: &[(&str, &str)]) -> String {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "--nocapture", "repo::tests::surroundings::child"])
        .current_dir(directory)
        .env_clear();
    command
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env(ROLE, "child")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("HOME", "/nonexistent")
        .envs(environment.iter().copied());
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_environment_is_heard() {
    let sample = Sample::new()
        .file("sub/a", "")
        .committed()
        .then("config llmpatch.limit file");
    let other = Sample::new().file("other", "").committed();
    std::fs::copy(other.top().join(".git/index"), sample.top().join("index2")).unwrap();
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let top = sample.top().canonicalize().unwrap();
    let sub = top.join("sub");
    let git_dir = text(&top.join(".git"));
    let has = |directory: &Path, environment: &[(&str, &str)], wanted: &[&str]| {
        let seen = seen(directory, environment);
        for wanted in wanted {
            assert!(
                seen.contains(&format!("{wanted};")),
                "{wanted} in {seen:?} with {environment:?}"
            );
        }
    };
    let at_top = format!("top={}", top.display());
    let at_sub = format!("top={}", sub.display());
    has(
        &sub,
        &[],
        &[
            &at_top,
            "tracked=sub/a",
            "limit=file",
            "strict=None",
            "root=none",
        ],
    );
    has(&sub, &[("GIT_DIR", &git_dir)], &[&at_sub, "tracked=sub/a"]);
    has(
        &sub,
        &[("GIT_DIR", &git_dir), ("GIT_WORK_TREE", "..")],
        &[&at_top],
    );
    has(
        &top,
        &[("GIT_DIR", ".git"), ("GIT_WORK_TREE", "sub")],
        &[&at_sub, "tracked=sub/a"],
    );
    has(
        &top,
        &[("GIT_WORK_TREE", "sub"), ("GIT_INDEX_FILE", "../index2")],
        &[&at_sub, "tracked=other"],
    );
    has(
        &other.top(),
        &[("GIT_DIR", &git_dir), ("GIT_WORK_TREE", &text(&top))],
        &[&at_top, "tracked=sub/a"],
    );
    has(
        &sub,
        &[("GIT_INDEX_FILE", "index2")],
        &[&at_top, "tracked=other"],
    );
    has(&top, &[("GIT_INDEX_FILE", "index2")], &["tracked=other"]);
    has(
        &sub,
        &[("GIT_INDEX_FILE", &text(&top.join("index2")))],
        &["tracked=other"],
    );
    let parameters = "'llmpatch.strict=yes' 'llmpatch.limit'='line' 'llmpatch.root.API'='sub'";
    has(
        &sub,
        &[("GIT_CONFIG_PARAMETERS", parameters)],
        &["limit=line", "strict=Some(true)", "root=sub/x"],
    );
    let counted = [
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "llmpatch.strict"),
        ("GIT_CONFIG_VALUE_0", "0"),
    ];
    has(&sub, &counted, &["limit=file", "strict=Some(false)"]);
    has(
        &sub,
        &[("GIT_DIR", "none")],
        &["error=`GIT_DIR` is `none`, which is not a git repository"],
    );
    has(
        Path::new("/"),
        &[],
        &["top=/", "tracked=`/` is not inside a git repository"],
    );
    has(
        &sub,
        &[("GIT_CEILING_DIRECTORIES", &text(&top))],
        &[&at_sub, "is not inside a git repository"],
    );
    has(
        Path::new("/"),
        &[("GIT_WORK_TREE", &text(&top))],
        &["error=`/` is not inside a git repository"],
    );
}

#[test]
fn a_linked_work_tree_is_a_work_tree() {
    let sample = Sample::new()
        .file("a", "")
        .committed()
        .then("worktree add -q ../linked");
    let linked = sample.outside().canonicalize().unwrap().join("linked");
    let seen = seen(&linked, &[]);
    assert!(
        seen.contains(&format!("top={};tracked=a;", linked.display())),
        "{seen}"
    );
    let repo = Repo::open_at(&linked).unwrap();
    assert_eq!(told(&WorkTree::new(&repo).unwrap(), "a"), "- ");
    let resolver = repo.resolver(None).unwrap();
    assert!(resolver.resolve(Some(b"linked"), b".git").is_err());
}
