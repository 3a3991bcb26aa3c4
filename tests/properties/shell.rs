//! What bash does with a script that applies patches is what is applied of it, or it is refused: as
//! the whole response, in a fence, with prose between its commands, and in a call. A script that only
//! changes directories and applies patches is never refused, unless git refuses one of these.

use std::process::Command;

use crate::support::{self, Repo, few};
use llmpatch::text::shell_word;
use proptest::prelude::*;
use proptest::sample::select;

/// Stands for a patch that makes a file which no other patch makes.
const PATCH: &str = "@patch@";

/// Commands of the forms that are read.
const PLAIN: &[&str] = &[
    "cd a",
    "cd b && cd 'a' # don't",
    "cd a/b; cd \"../..\"",
    "cd ./a/../b/",
    "cd a &&\n\n  cd b",
    "echo 'cd a'; echo \"it's\"; true >/dev/null 2>&1",
    "git status -s -- b",
    "set -e",
    "cat >text <<'END'\ncd b\n$x\nEND",
    "git apply <<'EOF'\n@patch@\nEOF",
    "git apply -v - <<EOF && cd a\n@patch@\nEOF",
    "cd a && git apply -p1 --recount <<\\EOF\n@patch@\nEOF",
    "git -C b apply --whitespace=nowarn <<\"THE END\"\n@patch@\nTHE END",
    "git apply --directory=b <<'EOF'; cd b\n@patch@\nEOF",
    "cat <<'EOF' | git apply\n@patch@\nEOF",
    "bash -lc \"cd a; git apply -p 1 <<EOF\n@patch@\nEOF\"",
    "bash -c 'git -C a -C b apply -Np1 <<EOF\n@patch@\nEOF\ncd b'",
];

/// Commands of other forms.
const OTHERS: &[&str] = &[
    "pushd a >/dev/null",
    "popd >/dev/null",
    "cd -",
    "cd \\\n a",
    "cd a | cat",
    "cd a || exit 1",
    "cd a & wait",
    "false || cd b",
    "[ -d b ] && cd b",
    "builtin cd b",
    "env cd b",
    "CDPATH=a cd b",
    "CDPATH=a; cd b",
    "C=cd; $C a",
    "A=(x); A[0]=y cd a",
    "eval 'cd a'",
    "cd a || git apply <<'EOF'\n@patch@\nEOF",
    "true & git apply <<'EOF'\n@patch@\nEOF",
    "timeout 9 git apply <<'EOF'\n@patch@\nEOF",
    "bash <<'END'\ncd a\ngit apply <<'EOF'\n@patch@\nEOF\nEND",
    "git apply --cached <<'EOF'\n@patch@\nEOF",
    "git apply <<-'EOF'\n@patch@\n\tEOF",
    "git apply <<'EOF' | cat\n@patch@\nEOF",
    "cat <<'EOF' | (cd a && git apply)\n@patch@\nEOF",
    "cat >text <<'END'\ncd b\n\ngit apply <<'EOF'\n@patch@\nEOF\nEND",
    "cat >text <<'EOF'\n@patch@\nEOF\ngit apply text",
    "git apply --check <<'EOF'\n@patch@\nEOF",
];

/// What commands may be in, for which `@` stands.
const AROUND: &[&str] = &[
    "( @\n)",
    "{ @\n}",
    "bash -lc '\n@\n'",
    "if true; then\n@\nfi",
    "if [ -d x ]\nthen\n@\nelse\n@\nfi",
    "for i in 1; do\n@\ndone",
    "case x in\nx)\n@\n;;\nesac",
    "run() {\n@\n}\nrun",
    "function run {\n@\n}",
];

/// Prose that a shell could take for something else.
const PROSE: &[&str] = &[
    "Run this:",
    "I'd apply it now (from the root).",
    "First, don't forget the directory.",
    "- a list item",
    "2. second (and last) step",
    "| a | b |\n|---|---|",
    "## It's a heading",
    "> quoted",
    "This changes `x` & `y`; see below.",
    "It`s \"fine\".",
    "This is done.",
];

/// A script, and the same with prose between its commands.
type Script = (String, String);

/// Commands, each with what is before it: a line end, an empty line, prose.
fn scripts(commands: impl Strategy<Value = String>) -> impl Strategy<Value = Script> {
    let end = select(&["\n", "\n\n"][..]);
    let part = (commands, end, proptest::option::of(select(PROSE)));
    proptest::collection::vec(part, 1..6).prop_map(|parts| {
        let script = parts
            .iter()
            .map(|(command, end, _)| format!("{command}{end}"));
        let prose = parts.iter().map(|(command, end, prose)| {
            let prose = prose.map_or(String::new(), |prose| format!("{prose}{end}"));
            format!("{prose}{command}{end}")
        });
        (
            numbered(&script.collect::<String>()),
            numbered(&prose.collect::<String>()),
        )
    })
}

/// Commands of any form, and others around them.
fn any_commands() -> impl Strategy<Value = String> {
    let one = prop_oneof![3 => select(PLAIN), 1 => select(OTHERS)].prop_map(str::to_owned);
    one.prop_recursive(2, 12, 3, |inner| {
        let several = proptest::collection::vec(inner, 1..4);
        (select(AROUND), several).prop_map(|(around, inner)| {
            let inner = inner.join("\n");
            // Quotes in quotes would be others.
            if around.contains('\'') && inner.contains('\'') {
                inner
            } else {
                around
                    .replace('@', &inner.replace(PATCH, "\u{0}"))
                    .replace('\u{0}', PATCH)
            }
        })
    })
}

/// Numbers the patches of a script.
fn numbered(script: &str) -> String {
    let mut parts = script.split(PATCH);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.enumerate().fold(first, |script, (number, part)| {
        format!("{script}--- /dev/null\n+++ b/new{number}\n@@ -0,0 +1 @@\n+x{part}")
    })
}

/// Writes a script in one of the ways in which a response may have it.
fn response((script, prose): &Script, way: usize) -> String {
    match way {
        0 => script.clone(),
        1 => format!("Run:\n\n```bash\n{script}```\n"),
        2 => prose.clone(),
        _ => serde_json::json!({"name": "bash", "input": {"command": script}}).to_string(),
    }
}

fn repo() -> Repo {
    let repo = Repo::empty();
    let names = ["a", "b"];
    let mut directories = vec![repo.path().to_owned()];
    for _ in 0..6 {
        let below = directories
            .iter()
            .flat_map(|at| names.map(|name| at.join(name)));
        directories = below.collect();
        directories
            .iter()
            .for_each(|at| std::fs::create_dir(at).unwrap());
    }
    repo
}

/// Demands that a response does what bash does with its script, or nothing, and is refused.
fn try_script(script: &Script, way: usize, is_plain: bool) -> Result<(), TestCaseError> {
    let (theirs, ours) = (repo(), repo());
    let mut bash = support::isolated(Command::new("bash"), theirs.path());
    let said = support::run(bash.env_remove("OLDPWD"), script.0.as_bytes()).stderr;
    // Whether a directory is there, only a run can tell.
    prop_assume!(!said.contains("No such file or directory"));
    let response = response(script, way);
    let run = ours.run(&["apply", "-"], &response);
    let mut files = theirs.files();
    files.retain(|path, _| !path.ends_with("text"));
    let is_nothing = files.is_empty() || !is_plain || said.contains("error: ");
    prop_assert!(
        run.status != 0 && ours.files().is_empty() && is_nothing || ours.files() == files,
        "{response}{}bash: {:?}\nours: {:?}",
        run.stderr,
        files.keys(),
        ours.files().keys()
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: few(160), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_script_does_what_bash_does_with_it(script in scripts(any_commands()), way in 0_usize..4) {
        try_script(&script, way, false)?;
    }

    #[test]
    fn a_plain_script_is_never_refused(
        script in scripts(select(PLAIN).prop_map(str::to_owned)),
        way in 0_usize..4,
    ) {
        try_script(&script, way, true)?;
    }

    #[test]
    fn a_word_of_a_message_is_to_bash_what_it_was(
        words in proptest::collection::vec(proptest::collection::vec(1..=u8::MAX, 0..12), 1..40),
    ) {
        let written: Vec<_> = words.iter().map(|word| shell_word(word)).collect();
        let script = format!("printf '%s\\0' {}", written.join(" "));
        let output = Command::new("bash").args(["-c", &script]).output().unwrap();
        let read: Vec<_> = output.stdout.split(|byte| *byte == 0).take(words.len()).collect();
        prop_assert_eq!(read, words, "{}", script);
    }
}
