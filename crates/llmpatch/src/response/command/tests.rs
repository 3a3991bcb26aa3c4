use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

const PATCH: &str = "*** Begin Patch\n*** Delete File: x\n*** End Patch\n";

/// Returns what a script hands over, as a row of a table writes it: `[dir]`, `[dir] 1 recount`,
/// `script [dir]`, `trial --check`; or the word that is refused; `-` for nothing.
fn written(script: &str, form: Form) -> String {
    let handed = match read(script.as_bytes(), form) {
        Ok(handed) => handed,
        Err(refusal) => {
            let at = script.get(refusal.at.clone()).unwrap();
            let line = at.lines().next().unwrap();
            return match &refusal.doubt {
                Doubt::Word(word) if word == line => format!("no: {at}"),
                Doubt::Unquoted(word) if word == line => format!("unquoted: {at}"),
                doubt => format!("no: {doubt}"),
            };
        }
    };
    let texts: Vec<_> = handed.iter().map(of).collect();
    if texts.is_empty() {
        "-".to_owned()
    } else {
        texts.join(", ")
    }
}

fn of(handed: &Handed) -> String {
    let Meaning {
        what,
        directory,
        strip,
        recount,
        ..
    } = &handed.meaning;
    let strip = strip.map_or(String::new(), |strip| format!(" {strip}"));
    let recount = if *recount { " recount" } else { "" };
    match what {
        HandedKind::Patch => format!("[{directory}]{strip}{recount}"),
        HandedKind::Script => format!("script [{directory}]"),
        HandedKind::Trial(option) => format!("trial {option}"),
    }
}

/// Scripts in which `@` stands for `<<'EOF'` and the heredoc of a patch, and what they hand over.
#[rustfmt::skip]
const SCRIPTS: &[(&str, &str)] = &[
    ("", "-"),
    ("cd a; ls", "-"),
    ("apply_patch @", "[]"),
    ("applypatch @", "[]"),
    ("/usr/bin/git apply @", "[]"),
    ("cd pkg && apply_patch @", "[pkg]"),
    ("cd pkg; cd sub\napply_patch @", "[pkg/sub]"),
    ("cd ./pkg/. && apply_patch @", "[pkg]"),
    ("cd pkg/../lib && apply_patch @", "[lib]"),
    ("cd pkg && cd ../../lib && apply_patch @", "[../lib]"),
    ("cd /a//b/ && cd .. && apply_patch @", "[/a]"),
    ("cd / && apply_patch @", "[/]"),
    ("cd 'my dir' && apply_patch @", "[my dir]"),
    ("cd my\\ dir && apply_patch @", "[my dir]"),
    ("cd \"a\"'b'c && apply_patch @", "[abc]"),
    ("cd grün && apply_patch @", "[grün]"),
    ("cd '$HOME' && apply_patch @", "[$HOME]"),
    ("cd pkg # here\r\napply_patch @", "[pkg]"),
    ("# cd pkg\napply_patch @ # cd x", "[]"),
    ("cd a &&\n\n  # so\n  apply_patch @", "[a]"),
    ("cd a\n\n;cd b; apply_patch @", "no: ;cd"),
    ("cd a && apply_patch @\ncd b\ngit apply @", "[a], [a/b]"),
    ("git apply @ && cd a && patch -p0 @", "[], [a] 0"),
    ("set -e; set -ux; mkdir -p x; pytest -q 2>&1 >/dev/null; apply_patch @", "[]"),
    ("git status; git diff --stat; git commit -m 'it is'; apply_patch @", "[]"),
    ("git --no-pager diff; apply_patch @", "[]"),
    ("git commit -m \"$(cat <<'X'\nit's\nX\n)\"; apply_patch @", "[]"),
    // Redirections.
    ("cd a >/dev/null; apply_patch @", "[a]"),
    ("apply_patch @ >log", "no: >log"),
    ("apply_patch 3@", "no: 3<<"),
    ("ls >$X; apply_patch @", "no: $X"),
    ("ls < x; apply_patch @", "no: <"),
    ("ls >| x; apply_patch @", "no: >|"),
    ("apply_patch <<<'*** Begin Patch\n'", "no: <<<"),
    // What `cd` is given.
    ("cd && apply_patch @", "no: cd"),
    ("cd - && apply_patch @", "no: -"),
    ("cd -P a && apply_patch @", "no: -P"),
    ("cd a b && apply_patch @", "no: a"),
    ("cd '' && apply_patch @", "no: ''"),
    ("cd $HOME && apply_patch @", "no: $HOME"),
    ("cd \"${ROOT}/x\" && apply_patch @", "no: ${ROOT}/x"),
    ("cd \"$(pwd)\" && apply_patch @", "no: $(pwd)"),
    ("cd `pwd` && apply_patch @", "no: `pwd`"),
    ("cd ~/x && apply_patch @", "no: ~/x"),
    ("cd pk* && apply_patch @", "no: pk*"),
    ("cd {a,b} && apply_patch @", "no: {a,b}"),
    ("cd $'a' && apply_patch @", "no: $"),
    ("/usr/bin/cd a; apply_patch @", "no: /usr/bin/cd"),
    // What a shell would do with it.
    ("cd b && make & apply_patch @", "no: &"),
    ("cd b || apply_patch @", "no: ||"),
    ("env cd b; apply_patch @", "no: env"),
    ("env -C b apply_patch @", "no: env"),
    ("C=cd; $C a; apply_patch @", "no: C=cd"),
    ("CDPATH=a; cd b; apply_patch @", "no: CDPATH=a"),
    ("CDPATH=a cd b; apply_patch @", "no: CDPATH=a"),
    ("a[0]=x cd b; apply_patch @", "no: a[0]=x"),
    ("printf -v CDPATH a; cd b; apply_patch @", "no: -v"),
    ("timeout 5 apply_patch @", "no: timeout"),
    ("xargs -0 apply_patch @", "no: xargs"),
    ("sudo git apply @", "no: sudo"),
    ("(cd pkg && apply_patch @", "no: (cd"),
    ("{ cd pkg; }; apply_patch @", "no: {"),
    ("if true; then apply_patch @", "no: if"),
    ("[ -d a ] && apply_patch @", "no: ["),
    ("! apply_patch @", "no: !"),
    ("go() { cd x; }; apply_patch @", "no: go()"),
    ("eval 'cd a'; apply_patch @", "no: eval"),
    (". env.sh && git apply @", "no: ."),
    ("pushd a; apply_patch @", "no: pushd"),
    ("set -o pipefail; apply_patch @", "no: -o"),
    ("export A=b; apply_patch @", "no: export"),
    ("git checkout x; apply_patch @", "no: checkout"),
    ("apply_patch @\ngit stash", "no: stash"),
    ("git apply x.patch; apply_patch @", "no: x.patch"),
    ("$ cd pkg\n$ apply_patch @", "no: $"),
    ("me@host:~/w$ apply_patch @", "no: me@host:~/w$"),
    ("echo \"$x\"; apply_patch @", "no: $x"),
    ("ls *.py; apply_patch @", "no: *.py"),
    ("cd b\u{a0}c; cd\u{a0}a; apply_patch @", "no: cd\u{a0}a"),
    ("apply_patch @\necho 'it", "no: nothing ends `'`, in a command that is handed a patch"),
    ("apply_patch @\ncd a &&", "no: &&"),
    ("apply_patch @\n)", "no: )"),
    // A patch that is handed to something else, or to nothing.
    ("cat >f <<'X'\ncd a\nX\napply_patch @", "[]"),
    ("cat >f @", "no: cat"),
    ("cat >f @\ngit apply f", "no: cat"),
    ("cat >f <<'X'\nHere:\n*** Begin Patch\n*** End Patch\nX\nls", "no: cat"),
    ("bash <<'B'\ncd a\napply_patch <<'X'\n*** Begin Patch\n*** End Patch\nX\nB", "no: bash"),
    ("bash -s <<'B'\ncd a\nB\napply_patch @", "[]"),
    ("gh pr create --body '\n*** Begin Patch\n*** End Patch'", "no: gh"),
    ("X='a\n*** Begin Patch\n*** End Patch'; git apply <<<\"$X\"", "no: X='a\n*** Begin Patch\n*** End Patch'"),
    ("@", "no: 'EOF'"),
    ("apply_patch; apply_patch @", "no: apply_patch"),
    ("apply_patch @ @", "no: <<"),
    // Pipes.
    ("cat @ | apply_patch", "[]"),
    ("cd a && cat @ | git apply -p2 && cd b", "[a] 2"),
    ("cat @ | (cd a && apply_patch)", "no: (cd"),
    ("cat @ | sed s/a/b/", "no: sed"),
    ("cat - @ | apply_patch", "no: |"),
    ("cat >f @ | apply_patch", "no: |"),
    ("cat x | apply_patch\napply_patch @", "no: |"),
    ("sed s/a/b/ @ | apply_patch", "no: |"),
    ("apply_patch @ | cat", "no: |"),
    ("cat @ | apply_patch @", "no: <<"),
    ("echo '*** Begin Patch\n*** End Patch' | apply_patch", "no: |"),
    ("printf '*** Begin Patch\\n*** End Patch\\n' | apply_patch", "no: |"),
    // Heredocs.
    ("apply_patch <<EOF\n*** Begin Patch\nEOF\n", "[]"),
    ("apply_patch <<\\EOF\n*** Begin Patch\n$x\nEOF", "[]"),
    ("apply_patch <<\"A B\"\n*** Begin Patch\n$x\nA B", "[]"),
    ("apply_patch <<''\n*** Begin Patch\n\n", "[]"),
    ("  apply_patch <<E\n  *** Begin Patch\n  E", "[]"),
    ("apply_patch <<E\r\n*** Begin Patch\r\nE\r\n", "[]"),
    ("apply_patch <<EOF\n*** Begin Patch\n$x\nEOF\n", "unquoted: EOF"),
    ("cat <<EOF | apply_patch\n*** Begin Patch\n\\$HOME\nEOF\n", "unquoted: EOF"),
    ("apply_patch <<-EOF\n*** Begin Patch\n\tEOF\n", "no: <<-EOF"),
    ("apply_patch <<EOF\n*** Begin Patch\n", "no: nothing ends `EOF`, in a command that is handed a patch"),
    ("apply_patch <<EOF", "-"),
    ("git apply <<A && cd a && git apply <<B\n*** Begin Patch\nA\n*** Begin Patch\nB", "[], [a]"),
    ("apply_patch <<A; echo 'x\ny'\n*** Begin Patch\nA", "no: 'x"),
    // Arguments.
    ("apply_patch '*** Begin Patch\n*** End Patch'", "[]"),
    ("apply_patch \"*** Begin Patch\n+\\\"\\$x\\\"\n*** End Patch\"", "[]"),
    ("apply_patch \"*** Begin Patch\n$x\n*** End Patch\"", "no: $x"),
    ("apply_patch \"$(cat <<'X'\n*** Begin Patch\n$x\nX\n)\"; cd a", "[]"),
    ("apply_patch \"$(cat <<'X' | sed s/a/b/\n*** Begin Patch\nX\n)\"", "no: \"$(cat"),
    ("apply_patch \"$(cat <<'X'\n*** Begin Patch\nX\nls)\"", "no: \"$(cat"),
    ("apply_patch \"$(cat fix.patch)\"; apply_patch @", "no: $(cat"),
    ("apply_patch --strict '\n*** Begin Patch\n*** End Patch'", "no: --strict"),
    ("apply_patch '*** Begin Patch\n*** End Patch' @", "no: apply_patch"),
    // Shells.
    ("bash -lc 'cd a; apply_patch x'", "script []"),
    ("cd a && sh -c \"cd b\" && /bin/zsh -lc ls", "script [a], script [a]"),
    ("bash -euo pipefail -c 'cd b\napply_patch <<E\n*** Begin Patch\nE'", "no: bash"),
    ("bash -c 'apply_patch \"$0\"' '\n*** Begin Patch\n*** End Patch'", "no: bash"),
    ("bash x.sh; dash -c ls; apply_patch @", "[]"),
    // Options.
    ("git -C pkg apply @", "[pkg]"),
    ("cd a && git -C b -C c apply -p0 - @", "[a/b/c] 0"),
    ("git -C a apply --directory=b -p 3 --recount @", "[a/b] 3 recount"),
    ("git apply -vNp1 --whitespace=nowarn --unidiff-zero @", "[] 1"),
    ("git am --directory sub @", "[sub]"),
    ("git llmpatch apply -p1 @", "[] 1"),
    ("git-llmpatch apply @", "[]"),
    ("patch -p1 -dsub @", "[sub] 1"),
    ("patch --directory=sub --strip=0 --forward @", "[sub] 0"),
    ("patch -d sub --strip 2 @", "[sub] 2"),
    ("git apply --check @", "trial --check"),
    ("git apply --stat @\ngit apply @", "trial --stat, []"),
    ("patch -p1 --dry-run @", "trial --dry-run"),
    ("git apply -R @", "no: `-R` takes the patch back"),
    ("patch -Rp1 @", "no: `-Rp1` takes the patch back"),
    ("git apply --reverse @", "no: `--reverse` takes the patch back"),
    ("git apply --whitespace=fix @", "no: --whitespace=fix"),
    ("git apply --cached @", "no: --cached"),
    ("git apply --reject @", "no: --reject"),
    ("git apply --check=x @", "no: --check=x"),
    ("git apply --directory= x @", "no: --directory="),
    ("git apply --directory=../x @", "no: --directory=../x"),
    ("patch -p1 -d .. @", "no: -d"),
    ("git apply -px @", "no: -px"),
    ("git apply -p", "-"),
    ("git apply -d a @", "no: -d"),
    ("git apply $X @", "no: $X"),
    ("git -c a=b apply @", "no: apply"),
    ("git -C ../x apply @", "no: apply"),
    ("git -C apply @", "no: apply"),
    ("patch -p1 - @", "no: -"),
    ("patch -p1 x @", "no: x"),
    ("apply_patch -C x @", "no: -C"),
    ("cd a && git am @", "no: `git am` takes names from the top of the work tree, whatever the directory"),
    ("cd /a && git am @", "[/a]"),
    ("cd a && git apply <<X\ndiff --git a/x b/x\nX", "no: `git apply` leaves out files outside of `a`, the directory in which it runs"),
    ("cd a && git apply <<X\ndiff --git a/a/x b/a/x\nX", "[]"),
    ("cd a && git apply <<X\ndiff --git a/ab/x b/ab/x\nX", "no: `git apply` leaves out files outside of `a`, the directory in which it runs"),
    ("cd a && git apply <<X\ndiff --git a/a/x b/a/x\ndiff --git a/y b/y\nX", "no: `git apply` leaves out files outside of `a`, the directory in which it runs"),
    ("cd a/b && git apply -p2 <<X\ndiff --git a/c/a/b/x b/c/a/b/x\nX", "[] 2"),
    ("cd a && git apply --directory=a <<X\ndiff --git a/x b/x\nX", "[a]"),
    ("cd a && git apply <<X\ndiff --git a/x b/a/x\nrename from x\nrename to a/x\nX", "[]"),
    ("cd a && git apply <<X\ndiff --git a/a/x b/x\nrename from a/x\nrename to x\nX", "no: `git apply` leaves out files outside of `a`, the directory in which it runs"),
    ("cd a && git apply <<X\n--- a/x\n+++ b/x\n-a\n+b\ndiff --git a/a/x b/a/x\nX", "no: `git apply` takes names from the top of the work tree, whatever the directory"),
    ("cd a && git apply <<X\n--- a/x\n+++ b/x\nX", "[a]"),
    ("patch <<X\n--- x\n+++ x\nX", "[]"),
    ("patch <<X\n--- /dev/null\n+++ a/x\nX", "no: `patch` without `-p` takes only the last parts of names"),
];

/// Puts a heredoc in place of each `@` of a script.
fn with_heredocs(script: &str) -> String {
    let mut lines = Vec::new();
    for line in script.split('\n') {
        let count = line.matches('@').count();
        let is_other = line.contains("me@");
        lines.push(
            line.replace("me@", "\0")
                .replace('@', "<<'EOF'")
                .replace('\0', "me@"),
        );
        lines.extend(vec![format!("{PATCH}EOF"); count - usize::from(is_other)]);
    }
    lines.join("\n")
}

#[test]
fn scripts() {
    for (script, expected) in SCRIPTS {
        assert_eq!(
            written(&with_heredocs(script), Form::Script),
            *expected,
            "{script:?}"
        );
    }
}

#[test]
fn prose() {
    #[rustfmt::skip]
    let rows = [
        ("I'll do it.\ncd a\n\nIt's \"so\":\napply_patch @\nThat's all (for now).", "[a]"),
        ("- don't\n* it's\n1. so\n> \"x\n| a | b |\n|---|---|\n## It's\n— `x\n\napply_patch @", "[]"),
        ("First cd into pkg.\napply_patch @", "[]"),
        ("Use `cd pkg`:\napply_patch @", "no: `cd"),
        ("it's this:\napply_patch @", "no: nothing ends `'`, in a command that is handed a patch"),
        ("Rscript x.R && cd a\napply_patch @", "[a]"),
        ("False ||\napply_patch @", "no: ||"),
        ("CDPATH=x\ncd a\napply_patch @", "no: CDPATH=x"),
        ("Foo() {\napply_patch @\n}", "no: }"),
        ("cd a &&\nMake it\napply_patch @", "[a]"),
        ("cat @ |\nFoo\napply_patch", "no: Foo"),
    ];
    for (text, expected) in rows {
        assert_eq!(
            written(&with_heredocs(text), Form::Prose),
            expected,
            "{text:?}"
        );
    }
}

#[test]
fn texts() {
    let rows = [
        ("cd é\napply_patch <<'E'\nx'\nE\n", "x'\n", 27),
        ("apply_patch '--- a\n+++ don'\\''t'", "--- a\n+++ don't", 32),
        ("apply_patch \"+\\\"\\$\\\\ \\n\n`\"", "", 0),
        (
            "apply_patch \"--- \\\"\\$\\\\ \\n\n\"",
            "--- \"$\\ \\n\n",
            28,
        ),
        ("bash -c 'x\n'\\''y'", "x\n'y", 17),
        ("apply_patch \"$(cat <<'X'\nx\n\nX\n)\"", "x\n\n", 32),
    ];
    for (script, expected, end) in rows {
        let handed = read(script.as_bytes(), Form::Script).unwrap();
        let text = handed
            .first()
            .map_or(&b""[..], |handed| &handed.text.text[..]);
        assert_eq!(text.to_str().unwrap(), expected, "{script:?}");
        for handed in handed {
            let all = handed.text.places.range(0..handed.text.text.len());
            assert_eq!(all.end, end, "{script:?}");
            assert!(
                script
                    .get(all)
                    .is_some_and(|text| text.starts_with(&expected[..1]))
            );
        }
    }
}

#[test]
fn words() {
    type Row<'w> = (&'w [&'w str], Result<Option<&'w str>, &'w str>);
    let patch = PATCH;
    let rows: &[Row<'_>] = &[
        (&[], Ok(None)),
        (&["ls", "-la"], Ok(None)),
        (&["apply_patch", patch], Ok(Some(patch))),
        (&["bash", "-lc", patch], Ok(Some(patch))),
        (&["bash", "-lc", "cd $X"], Ok(None)),
        (&["apply_patch", "-C", "x", patch], Err("apply_patch")),
        (&["timeout", "5", "apply_patch", patch], Err("timeout")),
        (
            &[
                "env",
                "-C",
                "b",
                "bash",
                "-lc",
                "apply_patch '*** Begin Patch\n'",
            ],
            Err("env"),
        ),
    ];
    for (words, expected) in rows {
        let expected = expected.map_err(|word| Doubt::Word(word.to_owned()));
        assert_eq!(of_words(words), expected, "{words:?}");
    }
}

#[test]
fn long_scripts() {
    let many = crate::testing::length(100_000);
    let patch = "\napply_patch '*** Begin Patch\n'";
    let rows = [
        ("(".repeat(many), "no"),
        ("\"$(cat <<X\n".repeat(many), "no"),
        ("'".repeat(many + 1), "no"),
        ("''".repeat(many), "no"),
        ("\\a".repeat(many), "[]"),
        ("\"\\\"".repeat(many), "no"),
        ("a ".repeat(many), "no"),
        ("cd a;".repeat(many), "no"),
        ("cd a;cd ..;".repeat(many), "[]"),
        ("cat <<E\nE\n".repeat(many), "[]"),
        ("a <<E;".repeat(many), "no"),
        ("a <<E;".repeat(many) + &"\nE".repeat(many), "[]"),
        ("apply_patch <<E\n".repeat(many), "no"),
        ("bash -c ls;".repeat(10_001), "no"),
        ("Foo\n".repeat(many), "[]"),
        ("a &&\n".repeat(many), "[]"),
        ("\n".repeat(many), "[]"),
        ("#\n".repeat(many), "[]"),
    ];
    for (script, expected) in rows {
        let start = script[..20].to_owned();
        let written = written(&(script + patch), Form::Prose);
        assert!(
            written.starts_with(expected),
            "{start:?}: {}",
            &written[..80.min(written.len())]
        );
    }
}

#[rustfmt::skip]
const FRAGMENTS: &[&str] = &[
    "apply_patch", "git", "apply", "am", "patch", "cd", "bash", "-lc", "sh", "-c", "cat", "eval",
    "-p", "-p1", "-R", "-d", "--directory=", "--directory", "--check", "dir", "/", "..", "~", "é",
    "A=b", " ", " ", " ", " ", "\n", "\n", "\r\n", "\t", "'", "'", "\"", "\"", "\\", "$", "$x",
    "\"$(cat <<", ")\"", "(", ")", "`", "&&", "||", "|", "&", ";", "<<", "<<", "<<-", "<<<", "EOF",
    "\nEOF\n", "<<'EOF'\n", "<<EOF\n", ">", ">&", "2>", "1>", "#", "*", "\0", "*** Begin Patch\n",
    "-", "--", "\u{a0}", "Foo ", "- ", "> ",
];

proptest! {
    #[test]
    fn any_script_is_read(fragments in vec(select(FRAGMENTS), 0..40)) {
        let script = fragments.concat();
        for form in [Form::Script, Form::Prose] {
            match read(script.as_bytes(), form) {
                Ok(handed) => for handed in handed {
                    let text = handed.text;
                    prop_assert!(script.get(handed.command).is_some());
                    prop_assert!(script.get(text.places.range(0..text.text.len())).is_some());
                },
                Err(refusal) => prop_assert!(script.get(refusal.at).is_some()),
            }
        }
        let _ = of_words(&fragments);
    }
}
