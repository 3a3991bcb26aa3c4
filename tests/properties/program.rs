//! What a program of JavaScript or Python hands to `apply_patch` when node or python3 runs it is
//! what is read of it, or it is refused: in a fence, in a call that names its language, and in a call
//! that doesn't.
//!
//! Without node or python3 these tests are skipped, unless `FAULTS` is set.

use std::process::Command;

use llmpatch::{MemoryTree, Options, apply};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use crate::support::{self, few};

/// A language: what runs a program with an `apply_patch` that prints what it is given, as JSON, and
/// what programs are made of. `@` stands for a literal, and `§` for the statement's number.
struct Language {
    name: &'static str,
    runs: [&'static str; 3],
    quotes: &'static [&'static str],
    /// Ways to hand a value over that are read.
    plain: &'static [&'static str],
    /// Other ways, or what looks like one.
    odd: &'static [&'static str],
    /// Values that are no plain literal.
    values: &'static [&'static str],
    /// Statements that have nothing to do with it.
    noise: &'static [&'static str],
}

const JAVASCRIPT: Language = Language {
    name: "js",
    runs: [
        "node",
        "-e",
        "let given; const take = (text) => { given.push(String(text)); return Promise.resolve({ output: 'ok' }); };
        const box = { tools: { apply_patch: take }, apply_patch: take, text() {}, other() {} };
        const run = async (program) => {
            given = [];
            try {
                const code = '\"use strict\"; return (async () => {' + program + '\\n})()';
                await new Function(...Object.keys(box), code)(...Object.values(box));
            } catch (error) { if (error instanceof SyntaxError) return null; }
            return given;
        };
        (async () => {
            const all = [];
            for (const program of JSON.parse(require('fs').readFileSync(0, 'utf8'))) all.push(await run(program));
            console.log(JSON.stringify(all));
        })();",
    ],
    quotes: &["\"", "'", "`", "String.raw`"],
    plain: &[
        "await tools.apply_patch(@);",
        "apply_patch(@)",
        "text(await tools.apply_patch(@));",
        "const r§ = await tools.apply_patch(\n  @,\n)",
        "const p§ = @;\nawait tools.apply_patch(p§);",
        "let p§;\np§ = @\ntext((await tools.apply_patch(p§)).output)",
    ],
    odd: &[
        "await tools.apply_patch({ input: @ });",
        "await tools['apply_patch'](@);",
        "tools?.apply_patch(@);",
        "{ const f = tools.apply_patch; f(@); }",
        "tools.apply_patch(...[@]);",
        "other(@);",
        "const p§ = @;",
        "for (const p of [@]) await tools.apply_patch(p);",
        "[@].forEach((p) => tools.apply_patch(p));",
        "if (false) await tools.apply_patch(@);",
        "if (true) {} else\ntools.apply_patch(@);",
        "false && tools.apply_patch(@);",
        "true\n|| tools.apply_patch(@);",
        "true ? 0 : tools.apply_patch(@);",
        "null?.x(tools.apply_patch(@));",
        "async function f§() { await tools.apply_patch(@); }",
        "await (async () => { await tools.apply_patch(@); })();",
        "l§: { break l§; tools.apply_patch(@); }",
        "return; tools.apply_patch(@);",
        "// tools.apply_patch(@)",
        "/* tools.apply_patch(@) */",
        "const no_apply_patch§ = () => {}; no_apply_patch§(@);",
        "let p§ = @; p§ += 'x'; await tools.apply_patch(p§);",
        "let p§ = @; [p§] = ['x']; await tools.apply_patch(p§);",
        "let p§ = @; { let p§ = 'x'; await tools.apply_patch(p§); }",
        "const p§ = @\n.replace('x', 'y')\nawait tools.apply_patch(p§);",
        "const p§ = @, q§ = @; await tools.apply_patch(q§);",
        "text(`${tools.apply_patch(@)}`);",
    ],
    values: &[
        "(@)",
        "@.trim()",
        "@ + 'x'",
        "@\n+ ''",
        "`${@}`",
        "@ || 'x'",
        "[@, 'x'][1]",
        "((s) => s.raw[0])`x`",
        "@.slice(1)",
    ],
    noise: &[
        "// it's \"a` comment",
        "/* a \" b\n ' ` */",
        "text('it\\'s');",
        "const a§ = `a ${`b ${'}'} \"`} '`;",
        "const a§ = 8 / 2 / 1, b§ = '/\"';",
        "text(/[\"'/]`/.test('x'));",
        "const a§ = 8\n/ 2; text(\"a/b\");",
        "var n§ = 1; n§++\n/\"/g",
        "text(\"a\\\nb\", '\\\\');",
        "const a§ = { text: 1 }, b§ = [1];",
    ],
};

const PYTHON: Language = Language {
    name: "python",
    runs: [
        "python3",
        "-c",
        "import asyncio, json, sys, warnings
warnings.simplefilter('ignore')
def run(program):
    given = []
    def take(text): given.append(str(text))
    class Tools: apply_patch = staticmethod(take)
    try:
        code = compile(program, 'program', 'exec', flags=0x2000)
        ran = eval(code, dict(apply_patch=take, tools=Tools, text=lambda *all: None, other=lambda *all: None))
        if asyncio.iscoroutine(ran): asyncio.run(ran)
    except BaseException as error:
        if isinstance(error, SyntaxError): return None
    return given
print(json.dumps([run(program) for program in json.load(sys.stdin)]))",
    ],
    quotes: &["\"", "'", "\"\"\"", "'''", "u'", "r'''", "R\"\"\""],
    plain: &[
        "tools.apply_patch(@)",
        "apply_patch(\n  @,\n)",
        "text(tools.apply_patch(@)); text(1)",
        "r§ = apply_patch(@)",
        "p§ = @\ntools.apply_patch(p§)",
    ],
    odd: &[
        "tools.apply_patch(*[@])",
        "getattr(tools, 'apply_patch')(@)",
        "(f := tools.apply_patch)(@)",
        "other(@)",
        "p§ = @",
        "for p in [@]: tools.apply_patch(p)",
        "[tools.apply_patch(p) for p in [@] if False]",
        "if False:\n    tools.apply_patch(@)",
        "if True: pass\nelse: tools.apply_patch(@)",
        "False and tools.apply_patch(@)",
        "tools.apply_patch(@) if False else 0",
        "def f§():\n    tools.apply_patch(@)",
        "h§ = lambda: tools.apply_patch(@)",
        "try:\n    pass\nexcept Exception:\n    tools.apply_patch(@)",
        "match 1:\n    case 2:\n        tools.apply_patch(@)",
        "assert True, tools.apply_patch(@)",
        "raise SystemExit\ntools.apply_patch(@)",
        "import sys; sys.exit()\ntools.apply_patch(@)",
        "# tools.apply_patch(@)",
        "'''\ntools.apply_patch(@)\n'''",
        "p§ = @; p§ += 'x'; tools.apply_patch(p§)",
        "p§ = 'x', @\ntools.apply_patch(p§[0])",
        "p§ = @\nq§ = p§\ntools.apply_patch(q§)",
        "text(f'{tools.apply_patch(1)}')",
    ],
    values: &[
        "(@)",
        "@.strip()",
        "@ 'x'",
        "@ + 'x'",
        "(@\n 'x')",
        "@ % ()",
        "@ or 'x'",
        "[@, 'x'][1]",
        "@[1:]",
        "f@",
        "b@.decode()",
    ],
    noise: &[
        "# it's \"a` comment",
        "'''a docstring with \"quotes\" # and 'more'\n'''",
        "text('it\\'s')",
        "x§ = 7 // 2; text('a//b')",
        "text('', \"\", '''a'b''')",
        "text(r'a\\'b', 'a\\\\')",
        "x§ = {'a': [1]}",
    ],
};

/// Lines of patches that are hard to quote.
const LINES: &[&str] = &[
    "x",
    "it's",
    "say \"hi\"",
    "\\n",
    "a\\d+b",
    "`tick`",
    "${x}",
    "$y",
    "tab\there",
    "é😀",
    "/* c */",
    "// d",
    "# no",
    "end\\",
    "\\u0041",
    "{{x}}",
    "%s",
    "",
    "'''",
    "\"\"\"",
    "<!-- x -->",
    "a\u{2028}b",
    "\\x41",
    "\\0",
    "\\N{DASH}",
    "\\\\",
    "*** x",
];

/// Writes a text as a literal. `odd` counts its characters, of which each may be an escape.
fn quoted(text: &str, quote: &str, odd: usize) -> String {
    let close = quote.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '.');
    let is_raw = quote.starts_with(['r', 'R', 'S']);
    let is_long = close.len() > 1 || close == "`";
    let mut literal = quote.to_owned();
    for (nth, c) in text.chars().enumerate() {
        match c {
            '\n' if is_long => literal.push(c),
            '\n' => literal.push_str("\\n"),
            _ if is_raw => literal.push(c),
            '\\' => literal.push_str("\\\\"),
            '$' if close == "`" => literal.push_str("\\$"),
            _ if close.starts_with(c) => literal.extend(['\\', c]),
            _ if odd > 0 && nth % 16 == odd && c.is_ascii() => {
                literal.push_str(&format!("\\x{:02x}", c as u32));
            }
            _ => literal.push(c),
        }
    }
    literal + close
}

/// A program of statements, and whether all of them hand a literal over plainly.
fn program(language: &'static Language) -> impl Strategy<Value = (String, bool)> {
    let value = prop_oneof![6 => Just("@"), 1 => select(language.values)];
    let way = prop_oneof![
        6 => select(language.plain),
        2 => select(language.odd),
        2 => select(language.noise),
    ];
    let text = proptest::collection::vec(select(LINES), 1..4);
    let statement = (way, value, text, select(language.quotes), 0..24_usize);
    proptest::collection::vec(statement, 1..5).prop_map(move |statements| {
        let mut is_plain = true;
        let mut program = String::new();
        for (nth, (way, value, lines, quote, odd)) in statements.into_iter().enumerate() {
            let lines: String = lines.iter().map(|line| format!("+{line}\n")).collect();
            let text =
                format!("*** Begin Patch\n*** Add File: new{nth}.txt\n{lines}*** End Patch\n");
            let literal = quoted(&text, quote, odd);
            // What a raw string holds may end it.
            let is_safe =
                !quote.starts_with(['r', 'R', 'S']) || !text.contains(['\'', '"', '`', '$', '\\']);
            is_plain &= language.plain.contains(&way) && value == "@" && is_safe;
            let statement = way
                .replace('§', &nth.to_string())
                .replace('@', value)
                .replace('@', &literal);
            program += &format!("{statement}\n");
        }
        (program, is_plain)
    })
}

/// Returns what each program hands over; nothing of one that is none.
fn given(language: &Language, programs: &[&str]) -> Vec<Option<Vec<String>>> {
    let [name, option, runner] = language.runs;
    let mut command = Command::new(name);
    let input = json!(programs).to_string();
    let run = support::run(command.args([option, runner]), input.as_bytes());
    serde_json::from_str(&run.stdout).expect(&run.stderr)
}

fn is_there(language: &Language) -> bool {
    let name = language.runs[0];
    let is_there = Command::new(name).arg("--version").output().is_ok();
    assert!(
        is_there || std::env::var_os("FAULTS").is_none(),
        "{name} isn't there"
    );
    is_there
}

/// Returns what a response makes of no files, if it can be applied.
fn made(response: &str) -> Option<Vec<String>> {
    let applied = apply("answer", response, &MemoryTree::new(), &Options::default()).ok()?;
    Some(
        applied
            .changes
            .files()
            .map(|change| format!("{change:?}"))
            .collect(),
    )
}

/// Demands that programs are read as they run, or refused.
fn agree(language: &'static Language, programs: &[(String, bool)]) -> Result<(), TestCaseError> {
    if !is_there(language) {
        return Ok(());
    }
    let texts: Vec<&str> = programs.iter().map(|(program, _)| &program[..]).collect();
    for ((program, is_plain), given) in programs.iter().zip(given(language, &texts)) {
        let name = if language.name == "js" {
            "exec"
        } else {
            "python"
        };
        let call = |name| {
            let call =
                json!({"type": "tool_use", "id": "t1", "name": name, "input": {"code": program}});
            call.to_string()
        };
        let fence = format!("Here it is.\n\n````{}\n{program}````\n", language.name);
        // Nobody runs what is no program.
        let Some(texts) = given else { continue };
        let wanted: Option<Vec<_>> = texts.iter().map(|text| made(text)).collect();
        let wanted = wanted.map(|files| files.concat());
        for (response, is_told) in [(fence, true), (call(name), true), (call("execute"), false)] {
            let ours = made(&response);
            let is_refused = ours.is_none();
            prop_assert!(
                is_refused || ours == wanted,
                "{response}\n{ours:?}\n{wanted:?}"
            );
            prop_assert!(
                !is_refused || !is_plain || !is_told,
                "refused, though plain: {response}"
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: few(24), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn programs_of_javascript_are_read_as_node_runs_them(
        programs in proptest::collection::vec(program(&JAVASCRIPT), 40)
    ) {
        agree(&JAVASCRIPT, &programs)?;
    }

    #[test]
    fn programs_of_python_are_read_as_python_runs_them(
        programs in proptest::collection::vec(program(&PYTHON), 40)
    ) {
        agree(&PYTHON, &programs)?;
    }
}
