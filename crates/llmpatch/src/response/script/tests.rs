use proptest::prelude::*;

use super::Unreadable::{Concatenation, Condition, Interpolation, Loose, Open, Quote, Raw};
use super::*;
use crate::text::Decoded;

fn decoded(script: &str, literal: &Literal) -> Vec<u8> {
    Decoded::new(script.as_bytes(), literal.inner.clone(), &literal.escapes).text
}

type Read = (String, bool, Option<Unreadable>);

fn read(script: &str) -> Vec<Read> {
    let read = |literal: Literal| {
        let text = String::from_utf8(decoded(script, &literal)).expect("text");
        (text, literal.is_handed, literal.trouble)
    };
    literals(script).into_iter().map(read).collect()
}

/// `§` is the first line of a patch, with what ends it.
fn full(text: &str) -> String {
    text.replace('§', "*** Begin Patch")
}

fn escape(text: &str) -> Option<Unreadable> {
    Some(Unreadable::Escape { text: text.into() })
}

#[test]
fn texts_are_decoded() {
    let rows = [
        // JavaScript.
        (r#"const p = "§\n*** End Patch";"#, "§\n*** End Patch"),
        (r#"const p = '§\n-a\'b"c';"#, "§\n-a'b\"c"),
        ("const p = `§\n-\\`a\\` \\${b} $c\n`;", "§\n-`a` ${b} $c\n"),
        ("const p = `§\r\n-a\rb\\\r\nc`;", "§\n-a\nbc"),
        (r#"const p = "\n\n§\n";"#, "\n\n§\n"),
        ("const p = `\n§\n`;", "\n§\n"),
        ("const p = `\\\n§\n`;", "§\n"),
        (
            r#"const p = "§\t\r\b\f\v\0\\\"\`\$\q\/é";"#,
            "§\t\r\u{8}\u{c}\u{b}\0\\\"`$q/é",
        ),
        (
            r#"const p = "§\x41\u00e9\u{1F600}\uD83D\uDE00\u{d83d}\u{de00}";"#,
            "§Aé😀😀😀",
        ),
        ("const p = \"§\\\n-a\\\u{2028}b\";", "§-ab"),
        (
            r#"const p = "§\n+`${x}` 'y' // z /* \/";"#,
            "§\n+`${x}` 'y' // z /* /",
        ),
        (
            r#"const p = '§\n+apply_patch("*** Begin Patch")';"#,
            "§\n+apply_patch(\"§\")",
        ),
        (
            "const p = `§\n+await tools.apply_patch('*** Begin Patch')`;",
            "§\n+await tools.apply_patch('§')",
        ),
        (
            r#"const p = "diff --git a/x b/x\n";"#,
            "diff --git a/x b/x\n",
        ),
        (r#"const p = "--- a/x\n+++ b/x\n";"#, "--- a/x\n+++ b/x\n"),
        (r#"const p = "<edit file=\"a\">";"#, "<edit file=\"a\">"),
        (r#"const p = "<opx>";"#, "<opx>"),
        (r#"const p = "<<<<<<< SEARCH\n";"#, "<<<<<<< SEARCH\n"),
        // What is around it.
        ("// don't\n/* it's ` */ const p = '§';", "§"),
        ("const r = /[\"'/]`/; const p = '§';", "§"),
        (
            "const r = s.match(/\"/g), q = 4 / 2 / 1; const p = '§';",
            "§",
        ),
        ("const r = [/'/, /\\//]\nconst p = '§'", "§"),
        ("if (/`/.test(x)) { return /'/ }\nconst p = '§';", "§"),
        ("text(`${await tools.apply_patch('§')} {`);", "§"),
        ("text(`a ${{ b: `}` }.b} c`); const p = '§';", "§"),
        (
            "const s = \"it's\", t = 'a \"b\" \\' c'; const p = `§`;",
            "§",
        ),
        ("const s = 'unclosed\nconst p = `§`;", "§"),
        // Python.
        ("p = '''§\n-a\n'''", "§\n-a\n"),
        (
            "p = \"\"\"§\n+'''a''' \"b\" \\\"\"\"c\\\"\"\"\n\"\"\"",
            "§\n+'''a''' \"b\" \"\"\"c\"\"\"\n",
        ),
        ("p = '''\\\n§\n'''", "§\n"),
        (
            "import os\np = '§\\n-a\\d\\q\\`\\$\\/'",
            "§\n-a\\d\\q\\`\\$\\/",
        ),
        (
            "p = '''§\\t\\r\\a\\b\\f\\v\\\\\\'\\\"\\0\\101\\x42\\u0043\\U0001F600'''",
            "§\t\r\u{7}\u{8}\u{c}\u{b}\\'\"\0ABC😀",
        ),
        ("p = u'''§'''", "§"),
        ("# don't\np = '''§\r\n-a'''", "§\n-a"),
        (
            "def f():\n    apply_patch('§\\n+const x = `y`;')",
            "§\n+const x = `y`;",
        ),
        (
            "p = '''§\n+const a = '*** Begin Patch';\n'''",
            "§\n+const a = '§';\n",
        ),
    ];
    for (script, text) in rows {
        let read = read(&full(script));
        let expected = (full(text), read.first().is_some_and(|read| read.1), None);
        assert_eq!(read, [expected], "{script}");
    }
}

#[test]
fn texts_are_handed() {
    let rows = [
        ("const patch = '§'; await tools.apply_patch(patch);", true),
        (
            "const patch = '§'\nconst r = await tools.apply_patch(patch)\ntext(r)",
            true,
        ),
        (
            "const r = await tools.apply_patch('§'); text(r.output);",
            true,
        ),
        ("text(await tools.apply_patch(`§`))", true),
        ("await tools.apply_patch({ input: '§' });", true),
        ("await applyPatch({ patch: '§', dry: false });", true),
        (
            "const patch = '§'; await functions.apply_patch({ patch });",
            true,
        ),
        (
            "const p = '§'; await tools.apply_patch({ input: p });",
            true,
        ),
        (
            "const args = { input: '§' }; await tools.apply_patch(args);",
            true,
        ),
        (
            "const args = { input: '§' }; await tools.apply_patch(args.input);",
            true,
        ),
        (
            "let p: string = '§'; await tools.apply_patch(p as string);",
            true,
        ),
        ("let p; p = '§'; await tools['apply_patch'](p);", true),
        ("const p = '§'; await tools.apply_patch?.(p.trim());", true),
        (
            "const ps = ['§']; for (const p of ps) await tools.apply_patch(p);",
            true,
        ),
        (
            "const p = '§'.trim(); await tools.apply_patch((String(p)));",
            true,
        ),
        ("apply_patch('''§''')", true),
        ("p = '''§'''\napply_patch(patch=p)", true),
        ("patch = '''§'''\ntools.apply_patch(patch=patch)", true),
        (
            "import textwrap\np: str = textwrap.dedent('''§''').strip()\napply_patch(p)",
            true,
        ),
        ("const p = '§';", false),
        ("text('§');", false),
        (
            "const p = '§'; const q = 'x'; await tools.apply_patch(q);",
            false,
        ),
        ("const p = '§'; await tools.apply_patch({ p: q });", false),
        (
            "let p = '§'; p = fixed(p); await tools.apply_patch(p);",
            false,
        ),
        ("await tools.apply_patch(read('§'));", false),
        ("console.log(apply_patch, '§');", false),
    ];
    for (script, is_handed) in rows {
        let expected = (full("§"), is_handed, None);
        assert_eq!(read(&full(script)), [expected], "{script}");
    }
}

#[test]
fn troubles_are_told() {
    let rows = [
        ("const p = `§${x}`;", Some(Interpolation)),
        (
            "const p = `§${`a${'*** Begin Patch'}`}b`;",
            Some(Interpolation),
        ),
        ("const p = `§${x", Some(Interpolation)),
        ("p = f'''§\n+{x}'''", Some(Raw)),
        ("const p = '§' + x;", Some(Concatenation)),
        ("const p = x + '§';", Some(Concatenation)),
        ("const p = '§\\n' +\n  '-x';", Some(Concatenation)),
        ("p += '§';", Some(Concatenation)),
        (
            "let p = '§'; p += '\\n'; await apply_patch(p);",
            Some(Concatenation),
        ),
        ("const p = ['§', '-x'].join('\\n');", Some(Concatenation)),
        (
            "const l = ['§', '-x']; await apply_patch(l.join('\\n'));",
            Some(Concatenation),
        ),
        (
            "const p = '§'; await apply_patch(p + '\\n');",
            Some(Concatenation),
        ),
        (
            "const p = '§'; await apply_patch(p.replace('a', 'b'));",
            Some(Concatenation),
        ),
        ("const p = '§'.replaceAll('a', b);", Some(Concatenation)),
        ("const p = '§'.trim().concat(b);", Some(Concatenation)),
        ("const p = ''.concat('§', b);", Some(Concatenation)),
        ("const p = ('§') + x;", Some(Concatenation)),
        ("p = '''§''' % x", Some(Concatenation)),
        ("p = '''§'''.format(x)", Some(Concatenation)),
        ("p = ('''§'''\n  '-x')", Some(Concatenation)),
        ("p = '''§''' '-x'", Some(Concatenation)),
        (
            "import os\np = '\\n'.join(['§', '-x'])",
            Some(Concatenation),
        ),
        ("const p = String.raw`§\\n`;", Some(Raw)),
        ("const p = dedent`§`;", Some(Raw)),
        ("const p = String.raw`§`;", Some(Raw)),
        ("p = r'''§\\d'''", Some(Raw)),
        ("p = b'''§'''", Some(Raw)),
        ("p = Rb'''§'''", Some(Raw)),
        ("const p = '§\\u{110000}';", escape("\\u{110000}")),
        ("const p = '§\\x1';", escape("\\x1")),
        ("const p = '§\\uD83Dx';", escape("\\uD83D")),
        ("const p = '§\\u{zz}';", escape("\\u{zz}")),
        ("const p = `§\\101`;", escape("\\10")),
        ("p = '''§\\N{BULLET}'''", escape("\\N{BULLET}")),
        ("p = '''§\\uD83D\\uDE00'''", escape("\\uD83D")),
        ("p = '''§\\xg'''", escape("\\x")),
        ("const p = `§\n", Some(Open)),
        ("const p = \"§\n+x\n\";", Some(Open)),
        ("p = '''§\n''", Some(Open)),
        ("const p = '§\\", Some(Open)),
        ("const p = `§\n+a `b` c`;", Some(Quote)),
        ("const p = \"§\\n+a = \"b\"\";", Some(Quote)),
        ("const p = `§\n+`\n-x`;", Some(Quote)),
        ("p = '''§\n+'''Doc.'''\n'''", Some(Quote)),
    ];
    for (script, trouble) in rows {
        let troubles: Vec<_> = read(&full(script)).into_iter().map(|read| read.2).collect();
        assert_eq!(troubles, [trouble], "{script}");
    }
}

#[test]
fn what_is_run_in_some_cases_is_told() {
    let rows = [
        ("const p = old ? '§' : x; await apply_patch(p);", true),
        ("const p = old ? x : '§'; await apply_patch(p);", true),
        ("const p = given || '§'; await apply_patch(p);", true),
        ("await (old ? apply_patch('§') : x);", true),
        ("old && await tools.apply_patch('§');", true),
        ("if (!r.ok) await tools.apply_patch('§');", true),
        ("if (!r.ok)\n  await tools.apply_patch('§')", true),
        ("if (ok) f(); else await tools.apply_patch('§');", true),
        (
            "if (ok) { f(); } else { await tools.apply_patch('§'); }",
            true,
        ),
        ("await f().catch(() => tools.apply_patch('§'));", true),
        (
            "let p = ''; if (old) { p = '§'; } await apply_patch(p);",
            true,
        ),
        ("if x:\n    apply_patch('''§''')", true),
        ("if x: apply_patch('''§''')", true),
        ("p = '''§''' if x else y\napply_patch(p)", true),
        ("try:\n    f()\nexcept E:\n    apply_patch('''§''')", true),
        (
            "if (!ok) throw new Error('no')\nawait tools.apply_patch('§')",
            false,
        ),
        ("if (!ok) { f(); }\nawait tools.apply_patch('§');", false),
        ("if (!ok) f(); await tools.apply_patch('§');", false),
        ("await tools.apply_patch('§').catch((e) => text(e));", false),
        (
            "const r = await tools?.apply_patch('§'); text(r ? 'a' : 'b');",
            false,
        ),
        (
            "for (const p of ['x']) f(p);\nawait tools.apply_patch('§');",
            false,
        ),
        (
            "const o = { a: 1, input: '§' }; await apply_patch(o);",
            false,
        ),
        ("if x:\n    f()\napply_patch('''§''')", false),
        (
            "def main():\n    if x:\n        f()\n    apply_patch('''§''')",
            false,
        ),
    ];
    for (script, is_conditional) in rows {
        let troubles: Vec<_> = read(&full(script)).into_iter().map(|read| read.2).collect();
        let expected = is_conditional.then_some(Condition);
        assert_eq!(troubles, [expected], "{script}");
    }
}

#[test]
fn directories_are_those_beside_what_is_handed() {
    let rows = [
        (
            "await apply_patch({ input: '§', workdir: 'src' });",
            Ok("src"),
        ),
        (
            "const p = '§'; await apply_patch({ cwd: 'src', input: p });",
            Ok("src"),
        ),
        (
            "await apply_patch({ input: '§', workdir: here });",
            Err(Loose),
        ),
        (
            "await exec_command({ cmd: 'ls', workdir: 'src' }); await apply_patch('§');",
            Ok(""),
        ),
    ];
    for (script, expected) in rows {
        let script = full(script);
        let literal = &literals(&script)[0];
        let found = literal
            .trouble
            .clone()
            .map_or(Ok(&literal.directory[..]), Err);
        assert_eq!(found, expected, "{script}");
    }
}

#[test]
fn other_texts_are_none() {
    let rows = [
        "",
        "const p = 'x § y';",
        "// '§'\n/* '§' */ const a = 1;",
        "# '''§'''\nimport os",
        "const a = /'§'/;",
        "const a = '--- x';",
        "§\n+'a'\n*** End Patch",
    ];
    for script in rows {
        assert_eq!(read(&full(script)), [], "{script}");
    }
}

#[test]
fn several_are_in_order() {
    let script = full("let p = '§1'; await apply_patch(p); p = '§2'; f(p);\ntext(`x`, '§3')");
    let expected = [("§1", true), ("§2", false), ("§3", false)]
        .map(|(text, is_handed)| (full(text), is_handed, None));
    assert_eq!(read(&script), expected);
    let literal = &literals(&script)[0];
    assert_eq!(script[literal.range.clone()], full("'§1'"));
    let script = full("p = R'''§'''");
    let literal = &literals(&script)[0];
    assert_eq!(
        (literal.range.clone(), literal.inner.clone()),
        (4..26, 8..23)
    );
}

#[test]
fn more_is_told() {
    let rows = [
        (
            "const p = '§'; const r = await tools.apply_patch(p); text(r);",
            false,
        ),
        (
            "if (ok) { for (const p of ps) await tools.apply_patch(p); }",
            false,
        ),
        (
            "try { await apply_patch('§') } catch (e) { console.error(String(e)) }",
            false,
        ),
        (
            "(async () => { console.log(JSON.stringify(await applyPatch('§'))); })();",
            false,
        ),
        (
            "await Promise.all([tools.apply_patch(a), tools['apply_patch'](b)]);",
            false,
        ),
        ("const p = '§\\n+exec(a)'; // exec(b)", false),
        ("const p = String.raw`§`; text(`${p}`);", false),
        ("def main():\n    print(apply_patch('''§'''))\n", false),
        (
            "await tools.apply_patch('§'); await tools.exec_command({ cmd: 'ls' });",
            true,
        ),
        ("await tools['exec_command']({ cmd: 'ls' });", true),
        ("text(`${await tools.exec_command({ cmd: 'ls' })}`);", true),
        ("fs.writeFileSync('a', 'b');", true),
        ("await $`rm -rf x`;", true),
        ("with open('a', 'w') as f:\n    print(f)", true),
        ("import subprocess\nsubprocess.run(['ls'])", true),
    ];
    for (script, more) in rows {
        assert_eq!(does_more(&full(script)), more, "{script}");
    }
}

/// What texts and scripts are made of.
fn pieces(most: usize) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        prop::sample::select(vec![
            "\"",
            "'",
            "`",
            "\\",
            "${",
            "}",
            "{",
            "'''",
            "\"\"\"",
            "\n",
            "\r\n",
            "\r",
            "\t",
            "/",
            "//",
            "/*",
            "*/",
            "#",
            "(",
            ")",
            "[",
            "]",
            "+",
            "+=",
            ".join(",
            " = ",
            ";",
            ",",
            "const p",
            "apply_patch(",
            "p",
            "r",
            "f",
            "b",
            "String.raw",
            "*** Begin Patch\n",
            "*** End Patch",
            "--- ",
            "+++ ",
            "\\u",
            "\\uD83D",
            "\\uDE00",
            "\\u{",
            "\\x",
            "\\N{",
            "\\0",
            "\\7",
            "\\\n",
            "é",
            "😀",
            "\u{2028}",
            " of ",
            "import os\n",
            "def f():\n",
        ])
        .prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..most).prop_map(|pieces| pieces.concat())
}

fn quoted(text: &str, escaped: &[(&str, &str)]) -> String {
    let mut text = text.replace('\\', "\\\\").replace('\r', "\\r");
    for (plain, escape) in escaped {
        text = text.replace(plain, escape);
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: crate::testing::cases(400),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_text_is_decoded_as_it_was(text in pieces(40)) {
        let text = format!("*** Begin Patch\n{text}");
        let json = serde_json::to_string(&text).expect("JSON");
        let single = quoted(&text, &[("'", "\\'"), ("\n", "\\n")]);
        let template = quoted(&text, &[("`", "\\`"), ("${", "\\${")]);
        let long = quoted(&text, &[("'", "\\'")]);
        let double = quoted(&text, &[("\"", "\\\"")]);
        let scripts = [
            format!("const patch = {json};\nawait tools.apply_patch(patch);"),
            format!("const patch = '{single}';\nawait tools.apply_patch(patch);"),
            format!("const patch = `{template}`;\nawait tools.apply_patch(patch);"),
            format!("patch = '''{long}'''\napply_patch(patch)\n"),
            format!("apply_patch(\"\"\"{double}\"\"\")\n"),
        ];
        for script in scripts {
            prop_assert_eq!(read(&script), [(text.clone(), true, None)], "{}", script);
        }
    }

    #[test]
    fn every_script_is_read(script in pieces(60)) {
        does_more(&script);
        let mut end = 0;
        for literal in literals(&script) {
            prop_assert!(end <= literal.range.start);
            end = literal.range.end;
            let (range, inner) = (literal.range.clone(), literal.inner.clone());
            prop_assert!(range.start < inner.start && inner.end <= range.end);
            prop_assert!(script.get(range).is_some() && script.get(inner.clone()).is_some());
            let mut at = inner.start;
            for Splice { old, .. } in &literal.escapes {
                prop_assert!(at <= old.start && old.start < old.end && old.end <= inner.end);
                prop_assert!(script.get(old.clone()).is_some());
                at = old.end;
            }
            prop_assert!(String::from_utf8(decoded(&script, &literal)).is_ok());
        }
    }
}
