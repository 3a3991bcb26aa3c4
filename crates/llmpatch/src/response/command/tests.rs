use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::text::Decoded;

/// Returns an answer as a row of a table writes it: `-`, `dir`, `dir 1`, or the trouble.
fn written(answer: Result<Option<Meaning>, Doubt>) -> String {
    match answer {
        Ok(None) => "-".to_owned(),
        Ok(Some(meaning)) => match meaning.strip {
            Some(strip) => format!("[{}] {strip}", meaning.directory),
            None => format!("[{}]", meaning.directory),
        },
        Err(Doubt::Reverse { option }) => format!("reverse {option}"),
        Err(Doubt::Expansion { text }) => format!("expansion {text}"),
        Err(Doubt::Option { command, option }) => format!("option {command} {option}"),
        Err(Doubt::Command { name }) => format!("command {name}"),
        Err(Doubt::Outside { text }) => format!("outside {text}"),
        Err(Doubt::Condition) => "condition".to_owned(),
        Err(Doubt::Quotes) => "quotes".to_owned(),
        Err(Doubt::Unclear) => "unclear".to_owned(),
    }
}

const MEANINGS: &[(&str, &str)] = &[
    ("", "-"),
    ("echo \"$x\"", "-"),
    ("# apply_patch", "-"),
    ("cat fix.patch", "-"),
    ("git status", "-"),
    ("git", "-"),
    ("cat <<EOF >file\nx\nEOF\n", "-"),
    ("cat <<EOF >file.patch\ngit apply\nEOF", "-"),
    ("apply_patch", "[]"),
    ("applypatch <<'EOF'\nx\nEOF\n", "[]"),
    ("/usr/bin/git apply", "[]"),
    ("cd pkg && apply_patch", "[pkg]"),
    ("$ cd pkg\n$ apply_patch", "[pkg]"),
    ("cd pkg; cd sub\napply_patch", "[pkg/sub]"),
    ("cd -- ./pkg/. && apply_patch", "[pkg]"),
    ("cd pkg/../lib && apply_patch", "[lib]"),
    ("cd ../lib && apply_patch", "[../lib]"),
    ("cd pkg && cd ../../lib && apply_patch", "[../lib]"),
    ("cd /a//b/ && cd .. && apply_patch", "[/a]"),
    ("cd / && apply_patch", "[/]"),
    ("cd 'my dir' && apply_patch", "[my dir]"),
    ("cd my\\ dir && apply_patch", "[my dir]"),
    ("cd \"a\"'b'c && apply_patch", "[abc]"),
    ("cd grün && apply_patch", "[grün]"),
    ("cd '$HOME' && apply_patch", "[$HOME]"),
    ("cd $HOME && apply_patch", "expansion $HOME"),
    ("cd \"${ROOT}/x\" && apply_patch", "expansion ${ROOT}"),
    (
        "cd \"$(git rev-parse --show-toplevel)\" && apply_patch",
        "expansion $(git rev-parse --show-toplevel)",
    ),
    ("cd `pwd` && apply_patch", "expansion `pwd`"),
    ("cd ~/x && apply_patch", "expansion ~"),
    ("cd pk* && apply_patch", "expansion *"),
    ("cd {a,b} && apply_patch", "expansion {"),
    ("cd && apply_patch", "expansion cd"),
    ("cd - && apply_patch", "expansion cd -"),
    ("cd $X && cd /abs && apply_patch", "[/abs]"),
    ("cd $X && cd rel && apply_patch", "expansion $X"),
    ("pushd pkg && apply_patch", "[pkg]"),
    ("pushd a && pushd b && popd && apply_patch", "[a]"),
    ("pushd a && popd && popd && apply_patch", "[]"),
    ("popd +1; apply_patch", "expansion popd +1"),
    ("(cd pkg && apply_patch)", "[pkg]"),
    ("(cd pkg); apply_patch", "[]"),
    ("(cd a; (cd b); apply_patch)", "[a]"),
    ("{ cd pkg; }; apply_patch", "[pkg]"),
    ("{ cd pkg; } | cat; apply_patch", "[]"),
    ("cd pkg || exit 1\napply_patch", "[pkg]"),
    ("cd pkg || cd lib; apply_patch", "[pkg]"),
    ("cd pkg || { cd lib; exit 1; }; apply_patch", "[pkg]"),
    ("cd pkg || exit && cd sub && apply_patch", "[pkg/sub]"),
    ("cd pkg & apply_patch", "[]"),
    ("cd pkg | cat; apply_patch", "[]"),
    ("cd pkg &&\n  apply_patch", "[pkg]"),
    ("cd pkg \\\n && apply_patch", "[pkg]"),
    ("cd pkg # here\r\napply_patch\r\n", "[pkg]"),
    ("A=b C=\"$d\" apply_patch", "[]"),
    (
        "export A=b; set -euo pipefail; mkdir -p x; apply_patch",
        "[]",
    ),
    ("env -C pkg A=b git apply", "[pkg]"),
    ("env --chdir=pkg git apply; git apply", "[]"),
    ("env --chdir=pkg git apply", "[pkg]"),
    ("env --chdir=$X git apply", "expansion $X"),
    ("env -S git apply", "option env -S"),
    ("sudo -u me patch -p1", "[] 1"),
    ("command cd pkg; command apply_patch", "[pkg]"),
    ("bash -lc 'cd pkg && apply_patch'", "[pkg]"),
    ("cd a && sh -c \"cd b && git apply -p2\"; cd c", "[a/b] 2"),
    ("bash -euo pipefail -c 'cd b; apply_patch'", "[b]"),
    ("bash -lc \"cd $X && apply_patch\"", "expansion $X"),
    ("bash -c 'cd a'; apply_patch", "[]"),
    ("bash script.sh", "-"),
    ("bash -c \"bash -c 'cd x; apply_patch'\"", "[x]"),
    ("git -C pkg apply", "[pkg]"),
    (
        "cd a && git -C b -C c -c core.x=y --no-pager apply -p0 -",
        "[a/b/c] 0",
    ),
    ("git -C a apply --directory=b -p 3 --index", "[a/b] 3"),
    ("git apply --directory sub", "[sub]"),
    ("git apply --directory=$D", "expansion $D"),
    ("git apply $OPTIONS", "expansion $OPTIONS"),
    ("git apply -3qv --whitespace=fix --recount x.patch", "[]"),
    ("git apply -qp1", "[] 1"),
    ("git am -3 --directory=pkg", "[pkg]"),
    ("git apply -R", "reverse -R"),
    ("git apply --reverse", "reverse --reverse"),
    ("git apply -vR", "reverse -R"),
    ("git apply --include=x", "option git apply --include=x"),
    ("git apply --exclude x", "option git apply --exclude"),
    ("git apply -p", "option git apply -p"),
    ("git apply -px", "option git apply -px"),
    ("git --git-dir x apply", "option git --git-dir"),
    ("git llmpatch apply --directory=x -p1", "[x] 1"),
    ("git-llmpatch apply --check", "-"),
    ("git apply --check", "-"),
    ("git apply --stat --apply", "[]"),
    ("patch -p1 --dry-run", "-"),
    ("git llmpatch check", "-"),
    (
        "git llmpatch apply --file x",
        "option git llmpatch apply --file",
    ),
    ("patch -p1 < fix.patch", "[] 1"),
    ("cat fix.patch | patch -d pkg -sNp1", "[pkg] 1"),
    ("patch --directory=pkg --strip=0 -F 3 -i x.patch", "[pkg] 0"),
    ("patch -R", "reverse -R"),
    ("patch -o out", "option patch -o"),
    ("patch a.txt", "option patch a.txt"),
    ("patch --frob", "option patch --frob"),
    ("eval \"$x\"; apply_patch", "command eval"),
    ("source env.sh && apply_patch", "command source"),
    (". env.sh && git apply", "command ."),
    ("sed -i s/a/b/ x && rm y && apply_patch", "[]"),
    ("if cd a; then apply_patch; fi", "command cd"),
    ("if true; then apply_patch; fi", "condition"),
    ("if apply_patch; then true; fi", "[]"),
    ("function go { cd x; }; apply_patch", "command go"),
    ("function go() {\ncd x\n}\napply_patch", "command go"),
    ("case x in y) apply_patch;; esac", "condition"),
    ("go() { cd x; }; apply_patch", "command go"),
    ("cd pkg && apply_patch && cd .. && pytest && make", "[pkg]"),
    ("git apply a.patch || git apply -R a.patch", "[]"),
    ("test -f x || git apply -p0", "[] 0"),
    ("git apply a && cd b && git apply c", "[b]"),
    ("echo 'abc", "unclear"),
    ("echo \"abc", "unclear"),
    ("echo $(abc", "unclear"),
    ("echo ${abc", "unclear"),
    ("echo `abc", "unclear"),
    ("(cd pkg && apply_patch", "unclear"),
    ("cd pkg) && apply_patch", "unclear"),
    ("(cd x; }; apply_patch", "unclear"),
    ("apply_patch 'abc", "unclear"),
    ("apply_patch; echo 'abc", "[]"),
    ("apply_patch <<", "unclear"),
    ("cd \0 && apply_patch", "[\0]"),
    ("\u{feff}cd x\u{a0}y; apply_patch", "[]"),
    ("echo $((1 << 2)) 2>/dev/null; apply_patch", "[]"),
    ("\\", "-"),
    ("$", "-"),
    ("&& ; | || ) ( } {", "unclear"),
];

fn meaning(script: &str) -> Result<Option<Meaning>, Doubt> {
    let mut shell = Shell::new(script, WorkingDir::default(), 0);
    shell.run();
    shell.meaning()
}

#[test]
fn meanings() {
    for (script, expected) in MEANINGS {
        assert_eq!(written(meaning(script)), *expected, "{script:?}");
    }
}

#[test]
fn words_are_no_script() {
    let rows: &[(&[&str], &str)] = &[
        (&[], "-"),
        (&["ls"], "-"),
        (&["apply_patch", "*** Begin Patch\n$x"], "[]"),
        (&["apply_patch", "--- a/x\n+++ b/x\n"], "[]"),
        (
            &["bash", "-lc", "cd pkg && apply_patch <<'EOF'\nx\nEOF"],
            "[pkg]",
        ),
        (&["bash", "-lc", "cd $X && apply_patch"], "expansion $X"),
        (&["git", "-C", "$x", "apply", "-p1"], "[$x] 1"),
        (&["env", "-C", "pkg", "git", "apply"], "[pkg]"),
        (&["patch", "-R"], "reverse -R"),
        (&["bash", "-c", "'"], "-"),
    ];
    for (words, expected) in rows {
        let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        assert_eq!(written(meaning_of_words(&words)), *expected, "{words:?}");
    }
}

/// Scripts, and for each patch in them its text and what is done with it.
const PATCHES: &[(&str, &[(&str, &str)])] = &[
    ("", &[]),
    ("apply_patch", &[]),
    ("git apply fix.patch", &[]),
    ("apply_patch <<'EOF'\nx\nEOF\n", &[("x\n", "[]")]),
    ("apply_patch <<EOF\nx$\nEOF\n", &[("x$\n", "[]")]),
    ("apply_patch << \"A B\"\nx\nA B\n", &[("x\n", "[]")]),
    ("apply_patch <<\\EOF\nx\nEOF", &[("x\n", "[]")]),
    ("apply_patch <<-EOF\nx\n\tEOF\ncd", &[("x\n", "[]")]),
    (
        "apply_patch <<-EOF\n\tx\n\tEOF",
        &[("\tx\n", "expansion <<-")],
    ),
    ("apply_patch <<'EOF'\nx\ny", &[("x\ny", "[]")]),
    ("apply_patch <<'EOF'", &[("", "[]")]),
    ("apply_patch <<'E'\r\nx\r\nE\r\nls\r\n", &[("x\r\n", "[]")]),
    (
        "cd a && git apply -p1 <<'E' && ls\nx'\nE\n",
        &[("x'\n", "[a] 1")],
    ),
    ("cat <<'E' | git apply\nx\nE\n", &[("x\n", "[]")]),
    (
        "cat <<'E' | tee log | (cd a && git apply)\nx\nE\n",
        &[("x\n", "[a]")],
    ),
    (
        "cat <<'E' | sed s/a/b/ | git apply\nx\nE\n",
        &[("x\n", "command sed")],
    ),
    (
        "sed s/a/b/ <<'E' | git apply\nx\nE\n",
        &[("x\n", "command sed")],
    ),
    ("cat <<'E' 2>/dev/null |\n git apply\nx\nE\n", &[]),
    (
        "cat 2>/dev/null <<'E' | git apply\nx\nE\n",
        &[("x\n", "[]")],
    ),
    ("(cd a && git apply) <<'E'\nx\nE\n", &[("x\n", "[a]")]),
    ("{ cd a; patch -p0; } <<'E'\nx\nE\n", &[("x\n", "[a] 0")]),
    ("bash -c 'cd a; git apply' <<'E'\nx\nE\n", &[("x\n", "[a]")]),
    ("cat <<'E' >f\nx\nE\ngit apply f", &[]),
    ("cat >f <<'E'\nx\nE\n", &[]),
    ("tee f <<'E'\nx\nE\n", &[]),
    ("cat fix.patch | patch -p1", &[]),
    ("cat <<'E'\nx\nE\ngit apply", &[]),
    ("echo \"apply_patch <<E\nx\nE\n\"", &[]),
    ("echo 'apply_patch <<E\nx\nE\n'", &[]),
    ("# apply_patch <<E\nx\nE\n", &[]),
    (
        "apply_patch <<'A'\nx\nA\ncd b\napply_patch <<'B'\ny\nB\n",
        &[("x\n", "[]"), ("y\n", "[b]")],
    ),
    ("apply_patch <<A <<'B'\nx\nA\ny\nB\n", &[("y\n", "[]")]),
    (
        "git apply <<A && git apply <<B\nx\nA\ny\nB\n",
        &[("x\n", "[]"), ("y\n", "[]")],
    ),
    (
        "git apply <<A || patch -p1 <<B\nx\nA\nx\nB\n",
        &[("x\n", "[]")],
    ),
    ("false || git apply <<A\nx\nA\n", &[("x\n", "[]")]),
    ("cd a || exit; apply_patch 'x\ny'; ls", &[("x\ny", "[a]")]),
    ("apply_patch \"x\n$y\"", &[("x\n$y", "expansion $y")]),
    ("apply_patch 'don'\\''t'", &[("don't", "[]")]),
    ("apply_patch 'don't", &[("dont", "unclear")]),
    ("apply_patch \"\\$x \\\"\"", &[("$x \"", "[]")]),
    ("apply_patch <<E\n$x\nE\n", &[("$x\n", "[]")]),
    ("git apply <<E\n$x\nE\n", &[("$x\n", "expansion $x")]),
    ("git apply <<E\n`x`\nE\n", &[("`x`\n", "expansion `x")]),
    ("git apply <<E\n\\$x\nE\n", &[("\\$x\n", "expansion \\$")]),
    (
        "bash -c 'cd a; git apply <<'\"'\"'E'\"'\"'\ndon'\"'\"'t\nE\n'",
        &[("don't\n", "[a]")],
    ),
    (
        "apply_patch $'x\\ny'",
        &[("$'x\\ny'", "expansion $'x\\ny'")],
    ),
    ("apply_patch 'x\ny", &[("x\ny", "unclear")]),
    ("apply_patch \"$(cat <<'E'\nx)'\nE\n)\"", &[("x)'\n", "[]")]),
    ("git apply <(cat <<'E'\nx\nE\n)", &[("x\n", "[]")]),
    ("git apply <<<'x'", &[("x", "[]")]),
    ("(cd a; apply_patch <<E\nx\nE\n", &[("x\n", "unclear")]),
    ("apply_patch <<E\nx\nE\necho '", &[("x\n", "[]")]),
    (
        "bash -lc 'cd é && apply_patch <<E\nx\nE\n'",
        &[("x\n", "[é]")],
    ),
    ("bash -lc \"apply_patch <<'E'\nx\nE\n\"", &[("x\n", "[]")]),
    ("bash -lc \"apply_patch 'x'\"", &[("x", "[]")]),
    (
        "bash -lc \"apply_patch <<'E'\n\\$x\nE\n\"",
        &[("$x\n", "[]")],
    ),
    (
        "bash -lc \"apply_patch <<'E'\n$x\nE\n\"",
        &[("$x\n", "expansion $x")],
    ),
    (
        "bash -c 'bash -c \"apply_patch <<E\nx\nE\n\"'",
        &[("x\n", "[]")],
    ),
    ("git apply -R <<E\nx\nE\n", &[("x\n", "reverse -R")]),
    ("cd $X\ngit apply <<E\nx\nE\n", &[("x\n", "expansion $X")]),
];

#[test]
fn embedded() {
    for (script, expected) in PATCHES {
        let found = patches(script, &mut WorkingDir::default());
        let found: Vec<_> = found
            .into_iter()
            .map(|patch| {
                let text = Decoded::new(script.as_bytes(), patch.body, &patch.edits).text;
                (
                    String::from_utf8(text).unwrap(),
                    written(patch.meaning.map(Some)),
                )
            })
            .collect();
        let found: Vec<_> = found
            .iter()
            .map(|(a, b)| (a.as_str(), b.as_str()))
            .collect();
        assert_eq!(found, *expected, "{script:?}");
    }
}

#[test]
fn long_and_deep_scripts() {
    let many = crate::testing::length(100_000);
    let rows = [
        ("(".repeat(many) + "apply_patch", "unclear"),
        (
            "(".repeat(many) + "apply_patch" + &")".repeat(many),
            "unclear",
        ),
        ("$(".repeat(many), "unclear"),
        ("\"$(".repeat(many), "unclear"),
        ("{ ".repeat(many), "unclear"),
        (")".repeat(many), "unclear"),
        ("${".repeat(many), "unclear"),
        ("$((".repeat(many), "unclear"),
        ("cd a;".repeat(many) + "apply_patch", "unclear"),
        ("pushd a;".repeat(many) + "apply_patch", "unclear"),
        ("(cd a);".repeat(many) + "apply_patch", "[]"),
        ("apply_patch <<E\n".repeat(many), "[]"),
        ("git apply || ".repeat(many), "[]"),
        ("cat <<E | ".repeat(many) + "git apply", "[]"),
        ("if cd $x; then ".repeat(many) + "git apply", "command cd"),
        ("env -C a ".repeat(many) + "git apply", "unclear"),
        ("sh -c ".repeat(many), "-"),
    ];
    for (script, expected) in rows {
        let start = &script[..20.min(script.len())];
        assert_eq!(written(meaning(&script)), expected, "{start:?}");
        let _ = patches(&script, &mut WorkingDir::default());
    }
}

#[rustfmt::skip]
const FRAGMENTS: &[&str] = &[
    "apply_patch", "git", "apply", "am", "patch", "cd", "pushd", "popd", "bash", "-lc", "sh",
    "-c", "env", "-C", "sudo", "cat", "tee", "eval", "if", "then", "fi", "for", "-p", "-p1",
    "-R", "-d", "--directory=", "--directory", "--chdir=", "dir", "/", "..", "~", "é", "A=b",
    " ", " ", " ", "\n", "\r\n", "\t", "'", "'", "\"", "\"", "\\", "$", "$x", "${", "}", "{",
    "$(", "$((", "<(", "(", ")", "`", "&&", "||", "|", "|&", "&", ";", ";;", "<<", "<<-",
    "<<<", "EOF", "\nEOF\n", "<<'EOF'\n", "<<EOF\n", ">", ">&", "2>", "1>", "#", "*", "\0",
    "*** Begin Patch\n", "-", "--", "$'", "$\"", "!", "\u{a0}",
];

proptest! {
    #[test]
    fn any_script_is_read(fragments in vec(select(FRAGMENTS), 0..40)) {
        let script = fragments.concat();
        let _ = meaning(&script);
        let words: Vec<_> = fragments.iter().map(|word| (*word).to_owned()).collect();
        let _ = meaning_of_words(&words);
        for patch in patches(&script, &mut WorkingDir::default()) {
            prop_assert!(script.get(patch.body).is_some());
        }
    }
}
