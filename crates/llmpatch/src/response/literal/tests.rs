use proptest::prelude::*;

use super::Language::{JavaScript as Js, Python as Py};
use super::*;

/// `§` is the first line of a patch.
fn full(text: &str) -> String {
    text.replace('§', "*** Begin Patch")
}

fn texts(program: &str, literals: &[Literal]) -> Vec<String> {
    let decoded = literals
        .iter()
        .map(|literal| Decoded::new(program.as_bytes(), literal.inner.clone(), &literal.splices));
    decoded
        .map(|decoded| String::from_utf8(decoded.text).expect("text"))
        .collect()
}

fn read(program: &str, language: Option<Language>) -> Result<Vec<String>, Unclear> {
    let handed = Program::read(program, language).handed;
    handed
        .map(|literals| texts(program, &literals))
        .map_err(|refusal| refusal.why)
}

#[test]
fn literals_are_decoded_once() {
    let rows = [
        (Js, r#""§\n-a'b\"c\\d""#, "§\n-a'b\"c\\d"),
        (Js, r#"'§\n-a\'b"c'"#, "§\n-a'b\"c"),
        (Js, "`§\n-\\`a\\` \\${b} $c\n`", "§\n-`a` ${b} $c\n"),
        (Js, "`§\r\n-a\rb\\\r\nc`", "§\n-a\nbc"),
        (Js, "`\\\n§\n`", "§\n"),
        (Js, r#""§\t\r\`\$\q\/\é""#, "§\t\r`$q/é"),
        (Js, r#""§\x41\u00e9\u{1F600}""#, "§Aé😀"),
        (Js, "\"§\\\n-a\\\u{2028}b\"", "§-ab"),
        (
            Js,
            r#""§\n+`${x}` 'y' // z /* #""#,
            "§\n+`${x}` 'y' // z /* #",
        ),
        (Js, "`§\n+<!-- x -->`", "§\n+<!-- x -->"),
        (Js, r#"'§\n+apply_patch("§")'"#, "§\n+apply_patch(\"§\")"),
        (Js, "String.raw`§\n+\\n\\`\\${`", "§\n+\\n\\`\\${"),
        (Py, "'''§\n-a\n'''", "§\n-a\n"),
        (
            Py,
            "\"\"\"§\n+'''a''' \"b\" \\\"\"\"c\n\"\"\"",
            "§\n+'''a''' \"b\" \"\"\"c\n",
        ),
        (Py, "'''\\\n§\n'''", "§\n"),
        (
            Py,
            r"'§\n-a\d\q\`\$\/\é'",
            r"§
-a\d\q\`\$\/\é",
        ),
        (
            Py,
            r#"'''§\t\r\\\'\"\x42\u0043\U0001F600'''"#,
            "§\t\r\\'\"BC😀",
        ),
        (Py, "U'''§\r\n-a\rb'''", "§\n-a\nb"),
        (Py, "r'''§\n+\\n\\'''\n'''", "§\n+\\n\\'''\n"),
        (Py, "'''§\n+# const x = `y`;'''", "§\n+# const x = `y`;"),
    ];
    for (language, literal, text) in rows {
        let (declare, end) = match language {
            Js => ("const ", ";"),
            Py => ("", ""),
        };
        for program in [
            format!("tools.apply_patch({literal}){end}"),
            format!("{declare}p = {literal}{end}\napply_patch(p){end}"),
        ] {
            let (program, expected) = (full(&program), Ok(vec![full(text)]));
            assert_eq!(read(&program, Some(language)), expected, "{program}");
        }
    }
}

#[test]
fn what_is_handed_over_is_read_in_order() {
    let rows = [
        (Js, "await tools.apply_patch('§')", "§"),
        (
            Js,
            "const p = '§'\nconst r = await tools.apply_patch(p)\ntext(r)",
            "§",
        ),
        (Js, "let p; p = `§`; apply_patch(\n  p,\n);", "§"),
        (
            Js,
            "text(JSON.stringify(await tools.apply_patch('§')));",
            "§",
        ),
        (
            Js,
            "const r = (await tools.apply_patch('§')).output; text(r ? 'a' : 'b');",
            "§",
        ),
        (
            Js,
            "const o = await tools.exec_command({cmd: \"rg 'a`b'\", n: [1] });\ntools.apply_patch('§');",
            "§",
        ),
        (
            Js,
            "text(`a ${x + `b ${'}'}`} \"'`); tools.apply_patch('§');",
            "§",
        ),
        (Js, "// don't\n/* it's ` */ tools.apply_patch('§');", "§"),
        (
            Js,
            "const q = 4 / 2\nconst s = 'a/b', t = \"it's\"\ntools.apply_patch('§')",
            "§",
        ),
        (Js, "const b = '§2', a = '§1';", ""),
        (
            Js,
            "const b = '§2'; const a = '§1'; tools.apply_patch(a); tools.apply_patch(b);",
            "§1 §2",
        ),
        (
            Js,
            "f(tools.apply_patch('§1'), tools.apply_patch('§2'))",
            "§1 §2",
        ),
        (
            Py,
            "import os\np = '''§'''\nr = tools.apply_patch(p)\nprint(r, 7 // 2, '# //')",
            "§",
        ),
        (Py, "# don't\napply_patch('§'); print('x')", "§"),
        (Py, "await tools.apply_patch(\n  '''§'''\n)", "§"),
    ];
    for (language, program, texts) in rows {
        let program = full(program);
        let handed = read(&program, Some(language));
        if texts.is_empty() {
            assert_eq!(handed, Err(Unclear::Loose), "{program}");
        } else {
            let texts = texts.split(' ').map(full).collect();
            assert_eq!(handed, Ok(texts), "{program}");
        }
    }
}

#[test]
fn what_is_in_no_form_is_refused() {
    let decision = |word: &str| Unclear::Decision(word.into());
    let code = |text: &str| Unclear::Code(text.into());
    let syntax = |text: &str| Unclear::Syntax(full(text).into());
    let rows = [
        // The text isn't the literal.
        (Js, "apply_patch(`§${x}`)", Unclear::Call),
        (Js, "apply_patch(`${''}§`)", Unclear::Call),
        (Js, "apply_patch('§' + x)", Unclear::Call),
        (Js, "apply_patch('§'.trim())", Unclear::Call),
        (Js, "apply_patch(x, '§')", Unclear::Call),
        (Js, "apply_patch({ input: '§' })", Unclear::Call),
        (Js, "apply_patch(dedent`§`)", Unclear::Call),
        (Js, "apply_patch(['§'].join(''))", Unclear::Call),
        (
            Js,
            "const p = '§'\n  .trim()\napply_patch(p)",
            Unclear::Call,
        ),
        (Js, "const p = '§'\n(x)\napply_patch(p)", Unclear::Call),
        (Js, "const p = dedent\n`§`\napply_patch(p)", Unclear::Call),
        (Js, "let p = '§'; p += 'x'; apply_patch(p)", Unclear::Call),
        (Js, "let p = '§'; [p] = q; apply_patch(p)", Unclear::Call),
        (
            Js,
            "let p = '§'; { let p = x; apply_patch(p) }",
            Unclear::Call,
        ),
        (Js, "apply_patch(p); const p = '§'", Unclear::Call),
        (Py, "apply_patch('§' '-x')", Unclear::Call),
        (Py, "apply_patch('§' % x)", Unclear::Call),
        (Py, "apply_patch(input='§')", Unclear::Call),
        (Py, "p = '§', 'x'\napply_patch(p)", Unclear::Call),
        (Py, "p = q = '§'\napply_patch(p)", Unclear::Call),
        (Py, "apply_patch(f'§')", code("f'*** Begin Patch'")),
        (Py, "apply_patch(b'§')", code("b'*** Begin Patch'")),
        // It isn't handed over.
        (Js, "const p = '§';", Unclear::Loose),
        (Js, "text('§')", Unclear::Loose),
        (Js, "tools['apply_patch']('§')", Unclear::Loose),
        (Js, "tools.applyPatch('§')", Unclear::Loose),
        (Js, "my_apply_patch('§')", Unclear::Loose),
        (Js, "exec_command({ cmd: `cd a\n§` })", Unclear::Loose),
        (Js, "const f = tools.apply_patch; f('§')", Unclear::Call),
        (
            Js,
            "const { apply_patch } = x; apply_patch('§')",
            Unclear::Call,
        ),
        (Js, "dry.apply_patch('§')", Unclear::Call),
        (Js, "dry.tools.apply_patch('§')", Unclear::Call),
        (Js, "tools.apply_patch?.('§')", Unclear::Call),
        // It may not be run.
        (Js, "x && apply_patch('§')", Unclear::Call),
        (Js, "x ? y : apply_patch('§')", Unclear::Call),
        (Js, "x?.y(apply_patch('§'))", Unclear::Call),
        (Js, "x &&\n  apply_patch('§')", Unclear::Call),
        (Js, "{ apply_patch('§') }", Unclear::Call),
        (Js, "text(`${await apply_patch('§')}`)", Unclear::Call),
        (Js, "if (x)\n  apply_patch('§')", decision("if")),
        (Js, "process.exit(); apply_patch('§')", decision("exit")),
        (Js, "f(() => apply_patch('§'))", decision("=")),
        (Js, "throw x; apply_patch('§')", decision("throw")),
        (Py, "for p in []: apply_patch('§')", decision("for")),
        (Py, "x and apply_patch('§')", decision("and")),
        (Py, "apply_patch('§') if x else 0", decision("if")),
        (Py, "def f():\n  apply_patch('§')", decision("def")),
        (Py, "x = 1\n  apply_patch('§')", syntax("apply_patch")),
        (Py, "os.chdir('a')\napply_patch('§')", decision("chdir")),
        // It can't be read.
        (Js, "apply_patch('§\\u{110000}')", code("\\u")),
        (Js, "apply_patch('§\\x4')", code("\\x")),
        (Js, "apply_patch('§\\ud83d\\ude00')", code("\\u")),
        (Js, "apply_patch('§\\101')", code("\\1")),
        (Js, "apply_patch('§\\b')", code("\\b")),
        (Py, "apply_patch('§\\N{BULLET}')", code("\\N")),
        (Py, "apply_patch('§\\U00110000')", code("\\U")),
        (Js, "const q = a / '/'; apply_patch('§')", code("/")),
        (Js, "var \\u0061b = 1; apply_patch('§')", code("\\")),
        (Js, "é = 1; apply_patch('§')", code("é")),
        (Js, "// \u{2028}apply_patch('§')", code("\u{2028}")),
        (Js, "--> apply_patch('§')", code("-")),
        (Js, "apply_patch(\"§\n", syntax("\"§")),
        (Js, "apply_patch(`§\n", syntax("`§")),
        (Js, "apply_patch('§'", syntax("(")),
        (Js, "apply_patch('§'])", syntax("]")),
        (Js, "apply_patch('§') /* c", syntax("/* c")),
        (Js, "apply_patch(`§\n+`#`\n`)", syntax("#")),
    ];
    for (language, program, why) in rows {
        let program = full(program);
        assert_eq!(read(&program, Some(language)), Err(why), "{program}");
        assert!(
            Program::read(&program, Some(language)).has_patch,
            "{program}"
        );
    }
}

#[test]
fn a_language_that_nobody_names_makes_no_difference() {
    let rows = [
        ("apply_patch('§\\n+x')", Ok("§\n+x")),
        ("const p = `§\n+\\d`; apply_patch(p)", Ok("§\n+d")),
        ("p = '''§\n+\\d'''\napply_patch(p)", Ok("§\n+\\d")),
        ("# it's\napply_patch('§\\d')", Ok("§\\d")),
        ("apply_patch('§\\d')", Err(Unclear::Language)),
        ("x = 7 // 2; apply_patch('§')", Err(Unclear::Language)),
        (
            "if (x) apply_patch(`§`)",
            Err(Unclear::Decision("if".into())),
        ),
    ];
    for (program, expected) in rows {
        let program = full(program);
        let expected = expected.map(|text| vec![full(text)]);
        assert_eq!(read(&program, None), expected, "{program}");
    }
}

#[test]
fn other_texts_have_no_patch() {
    for text in [
        "",
        "§\n+'a'\n*** End Patch",
        "// '§'\n/* '§' */ const a = 'x § y';",
        "use apply_patch(x), don't forget",
    ] {
        let program = Program::read(&full(text), Some(Js));
        assert!(!program.has_patch, "{text}");
    }
}

#[test]
fn places_are_in_the_program() {
    let program = full("p = R'''§'''\napply_patch(p)");
    let literals = Program::read(&program, Some(Py)).handed.expect("one");
    assert_eq!(
        (literals[0].range.clone(), literals[0].inner.clone()),
        (4..26, 8..23)
    );
}

/// What texts and programs are made of.
fn pieces(most: usize) -> impl Strategy<Value = String> {
    let pieces = "\" ' ` \\ ${ } { ''' \"\"\" \n \r\n \r \t / // /* */ # ( ) [ ] + += .join( = ; , \
        const p apply_patch( tools. r f b String.raw § *** +++ \\u \\u{ \\x \\N{ \\0 \\7 \\\n é 😀 \u{2028} \
        => if and await <!-- --> import def text(";
    let pieces: Vec<_> = pieces.split(' ').chain([" "]).map(full).collect();
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        proptest::sample::select(pieces),
    ];
    proptest::collection::vec(piece, 0..most).prop_map(|pieces| pieces.concat())
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
        let text = full(&format!("§\n{text}"));
        let single = quoted(&text, &[("'", "\\'"), ("\n", "\\n")]);
        let template = quoted(&text, &[("`", "\\`"), ("${", "\\${")]);
        let long = quoted(&text, &[("'", "\\'")]);
        let double = quoted(&text, &[("\"", "\\\"")]);
        let programs = [
            (Js, format!("const patch = '{single}';\nawait tools.apply_patch(patch);")),
            (Js, format!("const patch = `{template}`;\nawait tools.apply_patch(patch);")),
            (Py, format!("patch = '''{long}'''\napply_patch(patch)\n")),
            (Py, format!("apply_patch(\"\"\"{double}\"\"\")\n")),
        ];
        for (language, program) in programs {
            let handed = read(&program, Some(language));
            prop_assert_eq!(handed, Ok(vec![text.clone()]), "{}", program);
        }
    }

    #[test]
    fn every_program_is_read(program in pieces(60)) {
        for language in [None, Some(Js), Some(Py)] {
            match Program::read(&program, language).handed {
                Ok(literals) => for Literal { range, inner, splices } in &literals {
                    prop_assert!(range.start < inner.start && inner.end < range.end);
                    let mut at = inner.start;
                    for Splice { old, .. } in splices {
                        prop_assert!(at <= old.start && old.start < old.end && old.end <= inner.end);
                        at = old.end;
                    }
                    texts(&program, &literals);
                },
                Err(refusal) => prop_assert!(program.get(refusal.range).is_some()),
            }
        }
    }
}
