//! Repositories that are out of the ordinary: what is said of them must be true, and help.

use super::support::Repo;
use super::{repo, update};

#[test]
fn a_tracked_file_that_is_not_in_the_work_tree_is_called_that() {
    let repo = repo();
    std::fs::remove_file(repo.path().join("a.txt")).unwrap();
    let run = repo.run(&["apply"], update("a.txt", "two", "2")).ended(1);
    assert!(run.stderr.contains("`a.txt` isn't in the work tree, though git tracks it\n"), "{}", run.stderr);
    assert!(!run.stderr.contains("did you mean"), "{}", run.stderr);

    // `git restore` of what is only intended to be added would empty it.
    repo.write("ita.txt", "two\n");
    repo.git(&["add", "-N", "ita.txt"]);
    let run = repo.run(&["apply", "--cached"], update("ita.txt", "two", "2")).ended(1);
    assert!(run.stderr.contains("`ita.txt` doesn't exist\n") && !run.stderr.contains("restore"), "{}", run.stderr);
}

#[test]
fn lines_are_counted_where_a_filter_driver_keeps_what_git_would_store_unknown() {
    let repo = filtered();
    let run = repo.run(&["apply"], update("a.txt", "two", "2\n+2.5")).succeeded();
    assert_eq!(run.stdout, "M a.txt\n 1 file changed, 2 insertions(+), 1 deletion(-)\n");
}

#[test]
fn what_a_repository_lacks_is_refused_with_its_state_said_once() {
    let repo = repo();
    repo.git(&["update-index", "--split-index"]);
    let run = repo.run(&["apply", "--index"], update("a.txt", "two", "2")).ended(3);
    assert!(run.stderr.starts_with("error[unsupported]: "), "{}", run.stderr);
    assert_eq!(run.stderr.matches("nothing was changed").count(), 1, "{}", run.stderr);
}

#[test]
fn a_missing_object_is_not_laid_to_a_partial_clone() {
    let repo = repo();
    let id = repo.git(&["rev-parse", ":a.txt"]);
    let (folder, name) = id.trim_end().split_at(2);
    std::fs::remove_file(repo.path().join(".git/objects").join(folder).join(name)).unwrap();
    let run = repo.run(&["check", "--cached"], update("a.txt", "two", "2")).ended(3);
    assert!(run.stderr.contains("is missing, or a partial clone has yet to fetch it"), "{}", run.stderr);
    assert!(run.stderr.contains("git fsck"), "{}", run.stderr);
}

#[test]
fn hard_links_are_counted_in_the_right_number() {
    for (links, want) in [(1, "1 other hard link, which keeps the old"), (2, "2 other hard links, which keep the old")]
    {
        let repo = repo();
        for link in 0..links {
            std::fs::hard_link(repo.path().join("a.txt"), repo.path().join(format!("link{link}"))).unwrap();
        }
        let run = repo.run(&["apply"], update("a.txt", "two", "2")).succeeded();
        assert!(run.stderr.contains(want), "{}", run.stderr);
    }
}

/// Makes a repository in which every text file has a filter driver.
fn filtered() -> Repo {
    let repo = repo();
    repo.git(&["config", "filter.rot.clean", "tr a-z b-za"]);
    repo.git(&["config", "filter.rot.smudge", "tr b-za a-z"]);
    repo.write(".gitattributes", "*.txt filter=rot\n");
    repo.git(&["add", "--renormalize", "."]);
    repo.commit("filter");
    repo
}
