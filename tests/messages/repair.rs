//! A refusal gets the change made: a stand-in for a model sees nothing but its own response and the
//! message to it, mends the response by simple rules, and tries once more.
//!
//! The shapes are those of `tests/cases/shapes` that are refused and say what a second try should
//! come to (`-- mended/… --`). The message is their section `feedback`: that it is what the library
//! says, the library's cases try.

use llmpatch::tree::MemoryTree;
use llmpatch::{Options, apply};
use llmpatch_cases::TestCase;

use crate::support::Repo;
use crate::tree;

#[test]
fn nine_of_ten_repairable_answers_apply_on_the_second_try() {
    let (mut tried, mut failed) = (0, Vec::new());
    for shape in shapes() {
        let Some(wanted) = shape.mended() else {
            continue;
        };
        tried += 1;
        let feedback = shape.expected().feedback.unwrap();
        let mended = mend(&String::from_utf8(shape.response()).unwrap(), &feedback);
        let mut files = tree(shape.before());
        let again = apply("patch.txt", mended.clone(), &files, &Options::default());
        if let Ok(applied) = &again {
            applied.changes.make_in(&mut files);
        }
        if again.is_err() || !files.iter().eq(tree(wanted).iter()) {
            failed.push(format!("{}\n{mended}\n{again:?}\n{files:?}", shape.name));
        }
    }
    println!("{} of {tried} repaired", tried - failed.len());
    assert!(tried >= 45, "only {tried} shapes are repairable");
    assert!(
        10 * failed.len() <= tried,
        "{} of {tried} not repaired:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

#[test]
fn the_program_says_what_the_library_does_and_keeps_the_exit_status() {
    let file = ("a.txt", "one\ntwo\n");
    let repo = Repo::with(&[file]);
    let bad = "*** Begin Patch\n*** Update File: a.txt\n-ones\n+1\n*** End Patch\n";
    let tree = MemoryTree::new().with(file.0, file.1);
    let refusal = apply("patch.txt", bad, &tree, &Options::default()).unwrap_err();
    for command in ["check", "apply"] {
        let run = repo.run(&[command, "--feedback"], bad).ended(1);
        assert_eq!(run.stdout, refusal.feedback.clone().unwrap());
        assert_eq!(run.stderr, "");
    }
    assert_eq!(repo.text("a.txt"), file.1);
    let run = repo
        .run(&["check", "--feedback", "nowhere.txt"], "")
        .ended(3);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("error[io]"), "{}", run.stderr);
}

#[test]
fn lines_that_may_be_there_already_are_not_said_to_be_fine() {
    let file = "let first = something(1);\nthe second line\nthe third line\nthe fourth line\n";
    let tree = MemoryTree::new().with("a.txt", file);
    let made = "@@\n-let first = something(0);\n+let first = something(1);\n the second line\n";
    let (wrong, added) = (
        "@@\n-the third lane\n+3\n",
        "@@\n the third line\n+the fourth line\n",
    );
    for (hunks, fine) in [
        ([wrong, added].concat(), None),
        ([made, wrong, added].concat(), None),
        (
            [made, added, "@@\n-the fourth line\n+4\n"].concat(),
            Some("No problem was found with hunk 3 of `a.txt`."),
        ),
    ] {
        let response = format!("*** Begin Patch\n*** Update File: a.txt\n{hunks}*** End Patch\n");
        let refusal = apply("patch.txt", response, &tree, &Options::default()).unwrap_err();
        let said = refusal.feedback.unwrap();
        assert_eq!(
            said.lines().find(|line| line.starts_with("No problem")),
            fine,
            "{said}"
        );
        assert!(
            !said.contains("None of the patch is in the files yet"),
            "{said}"
        );
    }
}

fn shapes() -> Vec<TestCase> {
    // What ends with another status isn't the author's to mend.
    let is_shape =
        |case: &TestCase| case.name.starts_with("shapes/") && case.expected().status == 1;
    llmpatch_cases::all().into_iter().filter(is_shape).collect()
}

/// What the feedback says of one problem.
#[derive(Default)]
struct Problem {
    headline: String,
    /// Where it is in the response, from 0.
    line: usize,
    said: String,
    help: String,
    passages: Vec<Vec<String>>,
}

fn understand(feedback: &str) -> Vec<Problem> {
    let mut problems: Vec<Problem> = Vec::new();
    let (mut fence, mut is_passage) = (String::new(), false);
    for line in feedback.lines() {
        if !fence.is_empty() {
            if line == fence {
                fence.clear();
            } else if is_passage {
                let problem = problems.last_mut().unwrap();
                problem.passages.last_mut().unwrap().push(line.to_owned());
            }
            continue;
        }
        if line.starts_with("```") {
            fence = line.to_owned();
            continue;
        }
        if let Some(headline) = line.strip_prefix("## ") {
            problems.push(Problem {
                headline: headline.to_owned(),
                ..Problem::default()
            });
        }
        let Some(problem) = problems.last_mut() else {
            continue;
        };
        if let Some(rest) = line
            .strip_prefix("Line ")
            .filter(|rest| rest.contains(" of your response"))
        {
            problem.line = rest.split(' ').next().unwrap().parse::<usize>().unwrap() - 1;
            is_passage = false;
        } else if line.ends_with(" are:") || line.ends_with(" is:") {
            problem.passages.push(Vec::new());
            is_passage = true;
        } else if let Some(help) = line.strip_prefix("To correct it: ") {
            problem.help = help.to_owned();
        } else {
            problem.said += line;
            problem.said.push('\n');
        }
    }
    problems.retain(|problem| problem.headline.starts_with(|c: char| c.is_ascii_digit()));
    problems
}

fn mend(response: &str, feedback: &str) -> String {
    let mut lines: Vec<String> = response.lines().map(str::to_owned).collect();
    let mut problems = understand(feedback);
    // From the last line to the first, so that line numbers stay true.
    problems.sort_by_key(|problem| std::cmp::Reverse(problem.line));
    problems
        .iter()
        .for_each(|problem| mend_one(&mut lines, problem));
    lines.join("\n") + "\n"
}

fn quoted(text: &str) -> Option<&str> {
    text.split('`').nth(1)
}

fn mend_one(lines: &mut Vec<String>, problem: &Problem) {
    let Problem {
        headline,
        line: at,
        said,
        help,
        passages,
    } = problem;
    let at = *at;
    let helps = |words: &str| help.contains(words);
    if let Some(meant) = said.split("Did you mean ").nth(1).and_then(quoted) {
        let wrong = quoted(headline).unwrap();
        // A diff names a file twice, and several edits may be of it.
        for line in lines.iter_mut() {
            *line = line.replace(wrong, meant);
        }
    } else if headline.contains("is already applied") {
        let hunk = hunk(lines, at);
        lines.drain(hunk);
    } else if headline.contains("before the previous hunk") {
        let path = quoted(headline).unwrap().to_owned();
        let moved: Vec<_> = lines.drain(hunk(lines, at)).collect();
        let end = lines
            .iter()
            .rposition(|line| line == "*** End Patch")
            .unwrap();
        let section = std::iter::once(format!("*** Update File: {path}")).chain(moved);
        lines.splice(end..end, section);
    } else if helps("drop the text after `@@`") {
        lines[at] = "@@".into();
    } else if helps("show every line of the file with `-`") {
        let hunk = hunk(lines, at + 2);
        let body = passages[0].iter().map(|line| format!("-{line}"));
        lines.splice(hunk.start + 1..hunk.end, body.collect::<Vec<_>>());
    } else if helps("remove `\\ No newline at end of file`") {
        let hunk = hunk(lines, at);
        let kept: Vec<_> = lines[hunk.clone()]
            .iter()
            .filter(|line| !line.starts_with('\\'))
            .cloned()
            .collect();
        lines.splice(hunk, kept);
    } else if helps("put `\\ No newline at end of file`") {
        lines.insert(at + 1, "\\ No newline at end of file".into());
    } else if helps("drop `*** End of File`") {
        let end = (at..lines.len())
            .find(|&at| lines[at] == "*** End of File")
            .unwrap();
        lines.remove(end);
    } else if headline.contains("exists already") {
        match lines[at].strip_prefix("*** Add File: ") {
            Some(path) => lines.insert(at, format!("*** Delete File: {path}")),
            None if lines[at].starts_with("+++ ") => change_instead(lines, at, &passages[0]),
            None => lines[at] = lines[at].replace("op=\"new\"", "op=\"replace\""),
        }
    } else if helps("delete it without the `-` lines") {
        let start = (0..at)
            .rev()
            .find(|&at| lines[at].starts_with("***"))
            .unwrap()
            + 1;
        let end = (at..lines.len())
            .find(|&at| !lines[at].starts_with('-'))
            .unwrap();
        lines.drain(start..end);
    } else if helps("from there on") {
        lines[at] = lines[at].replace(quoted(headline).unwrap(), quoted(help).unwrap());
    } else if helps("occurrence=\"first\"") {
        let find = (0..=at)
            .rev()
            .find(|&at| lines[at].contains("<find"))
            .unwrap();
        lines[find] = lines[find].replace("<find", "<find occurrence=\"first\"");
    } else if !passages.is_empty() && (headline.contains("matches no lines")) {
        copy_from_file(lines, at, passages);
    } else {
        mend_the_form(lines, problem);
    }
}

/// Mends what isn't well-formed.
fn mend_the_form(
    lines: &mut Vec<String>,
    Problem {
        headline,
        line: at,
        help,
        ..
    }: &Problem,
) {
    let at = *at;
    let helps = |words: &str| help.contains(words);
    if let Some(header) = help
        .strip_prefix("write `")
        .filter(|header| header.contains("File: <path>`"))
    {
        let header = header.split(" <path>").next().unwrap();
        let path = lines[at].split_once(": ").unwrap().1;
        lines[at] = format!("{header} {path}");
    } else if let Some(op) = help.strip_prefix("write op=\"") {
        let (before, rest) = lines[at].split_once("op=\"").unwrap();
        let after = rest.split_once('"').unwrap().1;
        lines[at] = format!("{before}op=\"{}\"{after}", op.split('"').next().unwrap());
    } else if helps("put `*** End Patch` on a line of its own") {
        let content = lines[at].strip_suffix("*** End Patch").unwrap().to_owned();
        lines[at] = content;
        lines.insert(at + 1, "*** End Patch".into());
    } else if helps("send the whole patch, to its `*** End Patch`") {
        lines.push("*** End Patch".into());
    } else if let Some(names) = help.strip_prefix("write `--- a/") {
        let path = names.split('`').next().unwrap();
        lines.splice(
            at..at + 2,
            [format!("--- a/{path}"), format!("+++ b/{path}")],
        );
    } else if helps("a guess at the numbers will do") {
        lines[at] = "@@ -1,1 +1,1 @@".into();
    } else if helps("search-and-replace block") {
        let mut sign = '-';
        for line in &mut lines[at..] {
            match line.get(..7) {
                Some("=======") => sign = '+',
                _ if line.starts_with("***") => break,
                Some("<<<<<<<" | ">>>>>>>") => {}
                _ => line.insert(0, sign),
            }
        }
        lines.retain(|line| {
            !["<<<<<<<", "=======", ">>>>>>>"]
                .iter()
                .any(|marks| line.starts_with(marks))
        });
    } else if helps("write `+` before every line of a new file") {
        lines[at..]
            .iter_mut()
            .take_while(|line| !line.starts_with("***"))
            .for_each(|line| line.insert(0, '+'));
    } else if helps("close the fence after") {
        lines.remove(at);
    } else if helps("write one space before a line that stays")
        || helps("put ` `, `-` or `+` before it")
    {
        lines[at].insert(0, ' ');
    } else if helps("leave out the lines `diff --git`") {
        lines.retain(|line| {
            !["diff --git ", "index ", "--- ", "+++ "]
                .iter()
                .any(|start| line.starts_with(start))
        });
    } else if helps("put the text between a line that is only `<<<`") {
        let (open, rest) = lines[at].split_once('>').unwrap();
        let (text, close) = rest.split_once("</").unwrap();
        let new = [
            format!("{open}>"),
            "<<<".into(),
            text.to_owned(),
            ">>>".into(),
            format!("</{close}"),
        ];
        lines.splice(at..at + 1, new);
    } else if helps("remove such prefixes") {
        lines
            .iter_mut()
            .for_each(|line| *line = line.trim_start_matches("> ").to_owned());
    } else if helps("take away what is before every line of it") {
        let before = lines[at].find("---").unwrap();
        lines[at..]
            .iter_mut()
            .for_each(|line| *line = line.get(before..).unwrap_or_default().to_owned());
    } else if helps("take away the `<!--`") {
        lines.retain(|line| line != "<!--" && line != "-->");
    } else if helps("send the patch as plain text") {
        let text = lines[at].clone();
        let start = text.find("*** Begin Patch").unwrap();
        let end = text.rfind("*** End Patch").unwrap() + "*** End Patch".len();
        *lines = text[start..end]
            .replace("\\n", "\n")
            .replace("\\\"", "\"")
            .lines()
            .map(str::to_owned)
            .collect();
    } else if headline.contains("&lt;") {
        let plain = |line: &mut String| {
            *line = line
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&amp;", "&")
        };
        lines.iter_mut().for_each(plain);
    } else if helps("else leave it out") {
        lines.remove(at);
    }
}

/// Makes a diff of a new file one of the file as it is.
fn change_instead(lines: &mut Vec<String>, at: usize, file: &[String]) {
    lines[at - 1] = lines[at].replace("+++ b/", "--- a/");
    let hunk = hunk(lines, at + 1);
    lines.splice(
        hunk.start + 1..hunk.start + 1,
        file.iter()
            .map(|line| format!("-{line}"))
            .collect::<Vec<_>>(),
    );
    lines[hunk.start] = "@@ -1,1 +1,1 @@".into();
    lines.retain(|line| !line.starts_with("new file mode"));
}

/// Returns the lines of the hunk that holds a line.
fn hunk(lines: &[String], at: usize) -> std::ops::Range<usize> {
    let starts = |line: &String| {
        ["@@", "*** ", "diff --git "]
            .iter()
            .any(|start| line.starts_with(start))
    };
    let start = (0..=at).rev().find(|&at| starts(&lines[at])).unwrap();
    let start = if lines[start].starts_with("@@") {
        start
    } else {
        start + 1
    };
    let end = (start + 1..lines.len())
        .find(|&at| starts(&lines[at]))
        .unwrap_or(lines.len());
    start..end
}

/// Puts the file's lines in place of those that the response got wrong, and leaves the new lines as
/// they are.
fn copy_from_file(lines: &mut Vec<String>, at: usize, passages: &[Vec<String>]) {
    let has_prefixes = !lines.iter().any(|line| line.starts_with("<edit"));
    let range = if has_prefixes {
        hunk(lines, at)
    } else {
        let start = (0..=at).rev().find(|&at| lines[at] == "<<<").unwrap() + 1;
        start..(at..lines.len()).find(|&at| lines[at] == ">>>").unwrap()
    };
    let old: Vec<(char, String)> = lines[range.clone()]
        .iter()
        .filter(|line| !has_prefixes || !line.starts_with(['+', '@', '\\']))
        .map(|line| {
            if has_prefixes {
                (
                    line.chars().next().unwrap_or(' '),
                    line.get(1..).unwrap_or_default().to_owned(),
                )
            } else {
                (' ', line.clone())
            }
        })
        .collect();
    let best = passages
        .iter()
        .map(|file| aligned(&old, file))
        .max_by_key(|(score, _)| *score)
        .unwrap()
        .1;
    let mut pairs = best.into_iter();
    let mut new = Vec::new();
    let sign = |mark: char, text: &str| {
        if has_prefixes {
            format!("{mark}{text}")
        } else {
            text.to_owned()
        }
    };
    for line in &lines[range.clone()] {
        if has_prefixes && line.starts_with(['+', '@', '\\']) {
            new.push(line.clone());
            continue;
        }
        for (mark, text, is_of_patch) in pairs.by_ref() {
            new.extend(text.map(|text| sign(mark, &text)));
            if is_of_patch {
                break;
            }
        }
    }
    lines.splice(range, new);
}

type Aligned = Vec<(char, Option<String>, bool)>;

/// Lays old lines beside a file's: each line to write, if any, and whether it stands for one of the
/// old lines.
fn aligned(old: &[(char, String)], file: &[String]) -> (usize, Aligned) {
    let (n, m) = (old.len(), file.len());
    let mut best = vec![vec![0; m + 1]; n + 1];
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            let pair = alike(&old[i].1, &file[j]);
            let taken = if pair >= 50 {
                best[i + 1][j + 1] + pair
            } else {
                0
            };
            best[i][j] = taken.max(best[i + 1][j]).max(best[i][j + 1]);
        }
    }
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    while i < n {
        let pair = if j < m { alike(&old[i].1, &file[j]) } else { 0 };
        if pair >= 50 && best[i][j] == best[i + 1][j + 1] + pair {
            out.push((old[i].0, Some(file[j].clone()), true));
            (i, j) = (i + 1, j + 1);
        } else if j < m && best[i][j] == best[i][j + 1] {
            // Between lines that are kept, what the file has is context.
            let is_between = out
                .iter()
                .any(|(_, text, _): &(char, Option<String>, bool)| text.is_some());
            if is_between && best[i][j] > 0 {
                out.push((' ', Some(file[j].clone()), false));
            }
            j += 1;
        } else {
            out.push((old[i].0, None, true));
            i += 1;
        }
    }
    (best[0][0], out)
}

fn alike(a: &str, b: &str) -> usize {
    let pairs = |text: &str| -> Vec<(char, char)> {
        let plain = text
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&");
        let solid: Vec<char> = plain
            .to_lowercase()
            .chars()
            .filter(|c| !c.is_whitespace())
            .collect();
        solid.windows(2).map(|pair| (pair[0], pair[1])).collect()
    };
    let (a, mut b) = (pairs(a), pairs(b));
    let most = a.len().max(1) + b.len();
    let mut both = 0;
    for pair in &a {
        if let Some(at) = b.iter().position(|other| other == pair) {
            b.swap_remove(at);
            both += 1;
        }
    }
    200 * both / most
}
