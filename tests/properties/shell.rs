//! What bash does with a script that applies patches is what is applied of it, or it is refused: as
//! the whole response, in a fence, and with prose between its commands.

use std::process::Command;

use crate::support::{self, Repo, few};
use llmpatch::text::shell_word;
use proptest::prelude::*;
use proptest::sample::select;

/// Stands for a patch that makes a file which no other patch makes.
const PATCH: &str = "@patch@";

/// Commands that change the directory.
const MOVES: &[&str] = &[
    "cd a",
    "cd b",
    "cd a/b",
    "cd ..",
    "pushd a >/dev/null",
    "popd >/dev/null",
];

/// Others that change it, or look as if they did.
const ODD_MOVES: &[&str] = &[
    "cd -",
    "cd ./a/../b",
    "cd \\\n a",
    "cd a && \\\ncd b",
    "cd a | cat",
    "cd a || exit 1",
    "false || cd b",
    "[ -d b ] && cd b",
    "builtin cd b",
    "CDPATH= cd a",
    "eval 'cd a'",
    "echo 'cd a'; echo \"it's\"; cd b",
    "true # don't",
];

/// Commands that apply a patch, or write one into a file.
const APPLIES: &[&str] = &[
    "git apply <<'EOF'\n@patch@\nEOF",
    "git apply - <<EOF && cd a\n@patch@\nEOF",
    "cd a && git apply -p1 <<'EOF' || exit 1\n@patch@\nEOF",
    "git -C b apply <<'EOF' | cat\n@patch@\nEOF",
    "cat <<'EOF' | git apply\n@patch@\nEOF",
    "cat >text <<'END'\ncd b\n\ngit apply <<'EOF'\n@patch@\nEOF\nEND",
];

/// Groups of others, which stand for `@`.
const GROUPS: &[&str] = &["( @\n)", "(\n@\n)", "{ @\n}", "bash -lc '\n@\n'"];

/// Conditions, loops and functions.
const CONDITIONS: &[&str] = &[
    "if true; then\n@\nfi",
    "if [ -d a ]\nthen\n@\nelse\n@\nfi",
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

/// Commands, each with what is before it: a line end, an empty line, prose.
fn commands(depth: u32) -> impl Strategy<Value = String> {
    let one = prop_oneof![
        8 => select(MOVES),
        1 => select(ODD_MOVES),
        9 => select(APPLIES),
    ];
    one.prop_map(str::to_owned)
        .prop_recursive(depth, 12, 3, |inner| {
            let several = proptest::collection::vec(inner, 1..4);
            let around = prop_oneof![8 => select(GROUPS), 1 => select(CONDITIONS)];
            (around, several).prop_map(|(around, inner)| {
                let inner = inner.join("\n");
                // Quotes in quotes would be others.
                match around.contains('\'') && inner.contains('\'') {
                    true => inner,
                    false => around
                        .replace('@', &inner.replace(PATCH, "\u{0}"))
                        .replace('\u{0}', PATCH),
                }
            })
        })
}

/// Numbers the patches of a script.
fn numbered(script: &str) -> String {
    let mut parts = script.split(PATCH);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.enumerate().fold(first, |script, (number, part)| {
        format!("{script}--- /dev/null\n+++ b/new{number}\n@@ -0,0 +1 @@\n+{number}{part}")
    })
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

proptest! {
    #![proptest_config(ProptestConfig { cases: few(160), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_script_does_what_bash_does_with_it(
        parts in proptest::collection::vec(
            (commands(2), select(&["\n", "\n\n"][..]), proptest::option::of(select(PROSE))),
            1..5,
        ),
        way in 0..3,
    ) {
        let script: String = parts.iter().map(|(command, end, _)| format!("{command}{end}")).collect();
        let script = numbered(&script);
        let prose: String = parts.iter().map(|(command, end, prose)| {
            let prose = prose.map_or(String::new(), |prose| format!("{prose}{end}"));
            format!("{prose}{command}{end}")
        }).collect();
        let response = match way {
            0 => script.clone(),
            1 => format!("Run:\n\n```bash\n{script}```\n"),
            _ => numbered(&prose),
        };
        let (theirs, ours) = (repo(), repo());
        let mut bash = support::isolated(Command::new("bash"), theirs.path());
        let said = support::run(bash.env_remove("OLDPWD"), script.as_bytes()).stderr;
        // Whether a directory is there, only a run can tell.
        prop_assume!(!said.contains("No such file or directory"));
        let run = ours.run(&["apply", "-"], &response);
        let mut files = theirs.files();
        files.retain(|path, _| !path.ends_with("text"));
        prop_assert!(
            run.status != 0 && ours.files().is_empty() || ours.files() == files,
            "{response}{}bash: {:?}\nours: {:?}", run.stderr, files.keys(), ours.files().keys()
        );
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
