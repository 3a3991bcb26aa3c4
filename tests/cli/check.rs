use super::{envelope, repo, update};

#[test]
fn each_response_is_looked_at_by_itself_and_the_worst_decides() {
    let repo = repo();
    repo.write("good", update("a.txt", "two", "2"));
    repo.write("other", envelope("*** Update File: a.txt\n@@\n-two\n+zwei\n*** Add File: n\n+n\n"));
    repo.write("bad", update("a.txt", "four", "4"));
    let before = repo.files();
    for (args, status, stdout) in [
        (&["good"][..], 0, "good: ok, 1 file\n"),
        (&["good", "other"], 0, "good: ok, 1 file\nother: ok, 2 files\n"),
        (&["bad", "good"], 1, "good: ok, 1 file\n"),
        (&["none", "bad", "good"], 3, "good: ok, 1 file\n"),
        (&["-q", "good"], 0, ""),
    ] {
        let run = repo.run(&[&["check"], args].concat(), "").ended(status);
        assert_eq!(run.stdout, stdout, "{args:?}");
        assert_eq!(run.stderr.contains(" --> bad:4:"), args.contains(&"bad"), "{args:?} {}", run.stderr);
    }
    assert_eq!(repo.files(), before);
    let run = repo.run(&["check", "-v", "other"], "").succeeded();
    assert!(run.stdout.starts_with("other: ok, 2 files\n  M a.txt\n  A n\n  plan "), "{}", run.stdout);
    assert!(repo.run(&["check"], update("a.txt", "two", "2")).succeeded().stdout.starts_with("<stdin>: ok"));
}

#[test]
fn it_reads_the_work_tree_the_index_or_a_commit() {
    let repo = repo();
    repo.write("a.txt", "index\n");
    repo.git(&["add", "a.txt"]);
    repo.write("a.txt", "work tree\n");
    for (old, args) in
        [("work tree", &[][..]), ("index", &["--cached"]), ("two", &["--onto=HEAD"]), ("two", &["--onto", "main"])]
    {
        for command in ["check", "diff"] {
            let args = [&[command], args].concat();
            repo.run(&args, update("a.txt", old, "new")).succeeded();
            repo.run(&args, update("a.txt", "none", "new")).ended(1);
        }
    }
    let run = repo.run(&["check", "--onto=nowhere"], "");
    assert!(run.status != 0 && run.stderr.starts_with("error["), "{}", run.stderr);
}
