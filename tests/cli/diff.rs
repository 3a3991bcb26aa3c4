use super::{envelope, repo, update};

#[test]
fn it_prints_what_git_apply_takes_and_nothing_else() {
    let repo = repo();
    let response =
        envelope("*** Update File: a.txt\n@@\n-two\n+2\n*** Add File: n.txt\n+n\n*** Delete File: src/b.txt\n");
    let run = repo.run(&["diff"], &response).succeeded();
    assert!(run.stdout.starts_with("diff --git a/a.txt b/a.txt\n"), "{}", run.stdout);
    assert_eq!(run.stderr, "");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    repo.git_with_input(&["apply"], run.stdout.as_bytes());
    assert_eq!(repo.text("a.txt"), "one\n2\nthree\n");
    assert!(repo.exists("n.txt") && !repo.exists("src/b.txt"));
}

#[test]
fn a_refusal_prints_no_diff() {
    let run = repo().run(&["diff"], update("a.txt", "four", "4")).ended(1);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.starts_with("error[lines-not-found]: ") && run.stderr.ends_with("nothing was changed\n"));
}
