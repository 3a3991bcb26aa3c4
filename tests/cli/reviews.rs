//! `convert --to=review`: a change as suggestions for lines of a pull request, which come to the same
//! change when the site's comments are applied.

use assert_fs::prelude::*;
use serde_json::{Value, json};

use super::envelope;
use super::support::{Need, Repo, Run, needs};

const BASE: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n";

/// Makes a pull request that changes line 3 of `a.txt` and adds `new.md`.
fn pull_request() -> Repo {
    let repo = Repo::with(&[("a.txt", BASE), ("b.txt", "b\n")]);
    repo.git(&["switch", "-qc", "topic"]);
    let changed = BASE.replace("3\n4", "three\n4");
    repo.child("a.txt").write_str(&changed).unwrap();
    let new = "# New\n\n```sh\nls\n```\n";
    repo.child("new.md").write_str(new).unwrap();
    repo.commit("topic");
    repo
}

fn convert(repo: &Repo, response: &str, options: &[&str]) -> Run {
    let start = ["convert", "--to=review", "--pr-base=main"];
    repo.run(&[&start, options].concat(), response)
}

fn comments(run: &Run) -> Value {
    let review: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(review["event"], "COMMENT");
    review["comments"].clone()
}

/// Returns comments as the site gives them, with all that its diff shows above their last lines.
fn given(repo: &Repo, comments: &Value) -> String {
    let head = repo.git(&["rev-parse", "HEAD"]);
    let given = comments.as_array().unwrap().iter().enumerate();
    let given = given.map(|(id, comment)| {
        let path = comment["path"].as_str().unwrap();
        let diff = repo.git(&["diff", "main...HEAD", "--", path]);
        let mut next = None;
        let mut rows = Vec::new();
        for row in diff.lines() {
            if let Some((_, new)) = row.split_once(" +").filter(|_| row.starts_with("@@")) {
                next = new.split([',', ' ']).next().unwrap().parse::<u64>().ok();
                rows.clear();
            } else if row.starts_with([' ', '+']) {
                next = next.map(|next| next + 1);
            }
            rows.push(row);
            if next == comment["line"].as_u64().map(|line| line + 1) {
                break;
            }
        }
        let mut comment = comment.clone();
        let more = json!({
            "id": id,
            "diff_hunk": rows.join("\n"),
            "original_line": comment["line"],
            "original_commit_id": head.trim(),
            "user": {"login": "octocat", "id": 583231},
        });
        comment
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        comment
    });
    Value::from(given.collect::<Vec<_>>()).to_string()
}

#[test]
fn a_change_is_posted_and_applied_from_the_comments() {
    let repo = pull_request();
    let response = "<edit file=\"a.txt\" op=\"patch\">\n<why>Longer</why>\n<find>\n<<<\nthree\n4\n>>>\n</find>\n\
         <put>\n<<<\nthree!\nfour\nand\n>>>\n</put>\n</edit>\n\
         <edit file=\"new.md\" op=\"patch\">\n<why>```\nnow with a language</why>\n<find>\n<<<\n```sh\n>>>\n</find>\n\
         <put>\n<<<\n````bash\n>>>\n</put>\n</edit>\n\
         <edit file=\"a.txt\" op=\"patch\">\n<find>\n<<<\n1\n2\n>>>\n</find>\n<put>\n<<<\n2\n>>>\n</put>\n</edit>\n";
    let run = convert(&repo, response, &[]).succeeded();
    assert_eq!(run.stderr, "");
    let comments = comments(&run);
    let want = json!([
        {"path": "a.txt", "line": 1, "side": "RIGHT", "body": "```suggestion\n```\n"},
        {
            "path": "a.txt",
            "start_line": 3,
            "start_side": "RIGHT",
            "line": 4,
            "side": "RIGHT",
            "body": "Longer\n\n```suggestion\nthree!\nfour\nand\n```\n",
        },
        {
            "path": "new.md",
            "line": 3,
            "side": "RIGHT",
            "body": "\\```\nnow with a language\n\n`````suggestion\n````bash\n`````\n",
        },
    ]);
    assert_eq!(comments, want);
    let head = repo.git(&["rev-parse", "HEAD"]);
    let review: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(review["commit_id"], head.trim());
    let given = given(&repo, &comments);
    repo.run(&["apply"], &given).succeeded();
    let got = [repo.text("a.txt"), repo.text("new.md")];
    repo.git(&["checkout", "-q", "."]);
    repo.run(&["apply"], response).succeeded();
    assert_eq!(got, [repo.text("a.txt"), repo.text("new.md")]);
}

#[test]
fn what_the_diff_does_not_show_is_named_and_not_posted() {
    let repo = pull_request();
    let response = envelope(
        "*** Update File: a.txt\n@@\n-2\n-three\n+II\n+III\n@@\n-9\n+IX\n@@\n 13\n+13.5\n 14\n*** Update File: b.txt\n@@\n-b\n+B\n",
    );
    let said = "GitHub won't commit the suggestion for lines 2–3 of `a.txt`: the pull request removes lines between these\n\
         no suggestion can be posted for lines 9 and 13 of `a.txt`: that isn't in one hunk of the pull request's diff\n\
         no suggestion can be posted for line 1 of `b.txt`: the pull request doesn't change the file\n";
    let headlines = |run: &Run, start: &str| {
        let lines = run
            .stderr
            .lines()
            .filter_map(|line| line.strip_prefix(start));
        let lines = lines.map(|line| line.trim_end_matches(" [unposted]").to_owned() + "\n");
        lines.collect::<String>()
    };
    let run = convert(&repo, &response, &[]).succeeded();
    assert_eq!(headlines(&run, "warning: "), said);
    assert!(
        run.stderr.contains("the diff shows lines 1–6 of the file"),
        "{}",
        run.stderr
    );
    let comments = comments(&run);
    assert_eq!(comments.as_array().unwrap().len(), 1, "{comments}");
    let given = given(&repo, &comments);
    repo.run(&["apply"], given).succeeded();
    repo.child("a.txt")
        .assert(BASE.replace("2\n3\n", "II\nIII\n"));
    repo.git(&["checkout", "-q", "."]);
    let run = convert(&repo, &response, &["--strict"]).ended(1);
    assert_eq!(
        (&run.stdout[..], headlines(&run, "error[unposted]: ")),
        ("", said.to_owned())
    );
    // Nothing is left to be posted.
    let run = convert(&repo, &super::update("b.txt", "b", "B"), &[]).ended(1);
    assert_eq!(run.stdout, "");
}

#[test]
fn what_no_suggestion_says_is_told_of_every_file() {
    let repo = pull_request();
    let response = envelope(
        "*** Add File: n.txt\n+n\n*** Delete File: b.txt\n*** Update File: new.md\n*** Move to: old.md\n",
    );
    let run = convert(&repo, &response, &[]).ended(1);
    for said in [
        "a review can't express this change of `b.txt`: it is deleted",
        "`n.txt`: it is new",
        "`old.md`: it is renamed",
        "`--exclude=<path>` leaves a file out",
    ] {
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
    let response = response.replace("*** Add", "*** Update File: a.txt\n@@\n-1\n+I\n*** Add");
    let left = ["--exclude=n.txt", "--exclude=b.txt", "--exclude=new.md"];
    let run = convert(&repo, &response, &left).succeeded();
    assert_eq!(comments(&run)[0]["line"], 1);
}

#[test]
fn lines_count_in_the_commit_and_not_in_what_is_changed_since() {
    let repo = pull_request();
    let text = repo.text("a.txt");
    repo.child("a.txt")
        .write_str(&format!("0\n{text}"))
        .unwrap();
    let response = super::update("a.txt", "4", "four");
    let run = convert(&repo, &response, &[]).ended(1);
    let said = "the file isn't as the pull request's last commit has it";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    let run = convert(&repo, &response, &["--onto=HEAD"]).succeeded();
    assert_eq!(comments(&run)[0]["line"], 4);
}

#[test]
fn a_base_that_is_none_is_refused() {
    let repo = pull_request();
    repo.git(&["switch", "-q", "--orphan", "other"]);
    repo.child("a.txt").write_str("x\n").unwrap();
    repo.commit("other");
    let response = super::update("a.txt", "x", "y");
    let run = convert(&repo, &response, &[]).ended(2);
    let said = "`main` and `HEAD` have no commit in common here";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    for (options, said) in [
        (&["--to=review"][..], "--pr-base <rev>"),
        (
            &["--to=opx", "--pr-base=main"],
            "--pr-base is only for --to=review",
        ),
        (
            &["--to=review", "--pr-base=main", "-U1"],
            "-U is not for --to=review",
        ),
        (
            &["--to=review", "--pr-base=nothing"],
            "`nothing` names no commit here",
        ),
        (
            &["--to=review", "--pr-base=main", "--onto=HEAD^{tree}"],
            "names no commit here",
        ),
    ] {
        let run = repo
            .run(&[&["convert"], options].concat(), &response)
            .ended(2);
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
}

#[test]
fn a_shallow_clone_gets_the_commits_that_it_lacks() {
    needs(Need::Shell);
    let repo = pull_request();
    let clone = Repo::empty();
    let url = format!("file://{}", repo.path().canonicalize().unwrap().display());
    clone.git(&["remote", "add", "origin", &url.replace('\\', "/")]);
    clone.git(&[
        "fetch",
        "-q",
        "--depth=1",
        "origin",
        "main:base",
        "topic:topic",
    ]);
    clone.git(&["switch", "-q", "topic"]);
    let response = super::update("a.txt", "4", "four");
    let convert = ["convert", "--to=review", "--pr-base=base"];
    let said = clone.run(&convert, &response).ended(2);
    assert!(
        said.stderr.contains("`git fetch --unshallow`"),
        "{}",
        said.stderr
    );
    clone.git(&["fetch", "--unshallow"]);
    clone.run(&convert, &response).succeeded();
}

/// Makes a comment on a line of `a.txt` whose branch has got a line at the top since.
fn comment(id: u32, line: u32, commit: &str, new: &str) -> Value {
    let shown = BASE.lines().take(line as usize);
    let shown: String = shown.map(|row| format!("\n {row}")).collect();
    json!({
        "id": id,
        "path": "a.txt",
        "side": "RIGHT",
        "line": line + 1,
        "original_line": line,
        "diff_hunk": format!("@@ -1,14 +1,14 @@{shown}"),
        "original_commit_id": commit,
        "body": format!("```suggestion\n{new}\n```"),
    })
}

#[test]
fn comments_are_merged_with_what_the_branch_got_since() {
    let repo = Repo::with(&[("a.txt", BASE)]);
    let written = repo.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let text = format!("0\n{BASE}").replace("14", "fourteen");
    repo.child("a.txt").write_str(&text).unwrap();
    repo.commit("more");
    let of = |comments: &[Value]| Value::from(comments.to_vec()).to_string();
    let comments = of(&[
        comment(1, 4, &written, "four"),
        comment(2, 9, &written, "nine"),
    ]);
    let run = repo.run(&["apply", "--base=auto"], &comments).ended(1);
    assert!(run.stderr.contains("error[stale]"), "{}", run.stderr);
    let run = repo
        .run(&["apply", "--base=auto", "-3"], &comments)
        .succeeded();
    assert_eq!(run.stderr, "");
    let want = text
        .replace("\n4\n", "\nfour\n")
        .replace("\n9\n", "\nnine\n");
    repo.child("a.txt").assert(want);
    repo.git(&["checkout", "-q", "."]);

    let head = repo.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let mixed = of(&[
        comment(1, 4, &written, "four"),
        comment(2, 9, &head, "nine"),
        comment(3, 6, &written, "six"),
    ]);
    let run = repo.run(&["apply", "--base=auto", "-3"], &mixed).ended(1);
    for said in [
        "the comments are about several commits, but a change has only one base",
        &format!("{written}: comments 1, 3"),
        &format!("{head}: comment 2"),
    ] {
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
    repo.child("a.txt").assert(&text[..]);
    let chosen = ["apply", "--base=auto", "-3", "--only=1", "--only=3"];
    repo.run(&chosen, &mixed).succeeded();
    let want = text
        .replace("\n4\n", "\nfour\n")
        .replace("\n6\n", "\nsix\n");
    repo.child("a.txt").assert(want);
    repo.git(&["checkout", "-q", "."]);

    let absent = of(&[comment(1, 4, &"a".repeat(40), "four")]);
    let said = repo
        .run(&["apply", "--base=auto", "-3"], &absent)
        .ended(1)
        .stderr;
    assert!(
        said.contains("which names no commit or tree here"),
        "{said}"
    );
    let patch = super::update("a.txt", "4", "four");
    let said = repo.run(&["apply", "--base=auto"], &patch).ended(2).stderr;
    assert!(
        said.contains("no review comment says for which commit"),
        "{said}"
    );
}

#[test]
fn lines_of_comments_count_where_they_were_written() {
    let text = "a\n{\n}\n\nb\n{\n}\n";
    let repo = Repo::with(&[("a.txt", text)]);
    let written = repo.git(&["rev-parse", "HEAD"]).trim().to_owned();
    repo.child("a.txt")
        .write_str(&format!("0\n1\n2\n3\n{text}"))
        .unwrap();
    repo.commit("more");
    // The site says where the line is now: there, the commit has the same lines once more.
    let comments = json!([{
        "id": 1, "path": "a.txt", "side": "RIGHT", "line": 6, "original_line": 2,
        "diff_hunk": "@@ -2,2 +2,2 @@\n {", "original_commit_id": written,
        "body": "```suggestion\n{ // a\n```",
    }]);
    repo.run(&["apply", "--base=auto", "-3"], comments.to_string())
        .succeeded();
    repo.child("a.txt")
        .assert("0\n1\n2\n3\na\n{ // a\n}\n\nb\n{\n}\n");
}
