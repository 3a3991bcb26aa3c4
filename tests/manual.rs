//! The manual pages in `man/` are what the command line's definitions, the table of kinds and the written sections say.
//!
//! A page `man/NAME.md` holds written sections. `# OPTIONS`, `# COMMANDS` and `# KINDS OF ERRORS` are filled in from the program's own
//! tables, after what is written under them. `SNAPSHOTS=overwrite cargo test --test manual` makes the pages anew.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command as Program;

use clap::{Arg, ArgAction, Command};
use git_llmpatch::kind::Kind;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use roff::{Inline, Roff, bold, italic, roman};

const NAME: &str = "git-llmpatch";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("man")
}

/// Returns the program's commands and the names of their pages, the program itself first.
fn commands() -> Vec<(String, Command)> {
    let mut program = git_llmpatch::cli::command();
    program.build();
    let of = |command: &Command| (format!("{NAME}-{}", command.get_name()), command.clone());
    let commands: Vec<_> = program.get_subcommands().filter(|command| !command.is_hide_set()).map(of).collect();
    [(NAME.to_owned(), program)].into_iter().chain(commands).collect()
}

#[test]
fn shipped_pages_are_up_to_date() {
    let mut stale = Vec::new();
    for (name, command) in commands() {
        let written = fs::read_to_string(folder().join(format!("{name}.md")));
        let page = page(&name, &command, &written.unwrap_or_else(|_| panic!("man/{name}.md isn't there")));
        let path = folder().join(format!("{name}.1"));
        if fs::read_to_string(&path).unwrap_or_default() != page {
            if std::env::var_os("SNAPSHOTS").is_some_and(|action| action == "overwrite") {
                fs::write(&path, page).unwrap();
            } else {
                stale.push(name);
            }
        }
    }
    assert!(stale.is_empty(), "{stale:?} are stale: SNAPSHOTS=overwrite cargo test --test manual");
}

#[test]
fn no_page_is_of_a_command_that_is_gone() {
    let known: Vec<_> = commands().into_iter().map(|(name, _)| name).collect();
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(known.iter().any(|known| known == name), "{} is no page of ours", path.display());
    }
}

/// Every command's page has the sections that git's own pages have.
#[test]
fn pages_have_the_usual_sections() {
    for (name, _) in commands() {
        let page = fs::read_to_string(folder().join(format!("{name}.1"))).unwrap();
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"] {
            let heading = if section.contains(' ') { format!(".SH \"{section}\"") } else { format!(".SH {section}") };
            assert!(page.lines().any(|line| line == heading), "{name}: no {section}");
        }
    }
}

/// What a page shows to be typed works where it says: every fenced block `console` runs in the demonstration repository.
#[test]
fn examples_run() {
    let mut count = 0;
    for (name, _) in commands() {
        let written = fs::read_to_string(folder().join(format!("{name}.md"))).unwrap();
        for script in console_blocks(&written) {
            if script.contains("jq ") && Program::new("jq").arg("--version").output().is_err() {
                eprintln!("there is no jq here to run this with:\n{script}");
                continue;
            }
            let repo = demonstration();
            let path = format!("{}:{}", bin().display(), std::env::var("PATH").unwrap());
            let done = Program::new("bash")
                .args(["-euo", "pipefail", "-c", &script])
                .current_dir(repo.path())
                .env("PATH", path)
                .env("HOME", repo.path())
                .env("GIT_CONFIG_NOSYSTEM", "1")
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success(), "{name}: {script}\n{said}{}", String::from_utf8_lossy(&done.stdout));
            count += 1;
        }
    }
    assert!(count >= 5, "{count} examples only");
}

/// After the one step that the README names, git and `man` find the pages.
#[test]
fn help_works_once_the_pages_are_installed() {
    let home = tempfile::tempdir().unwrap();
    let own = home.path().join("own/bin");
    fs::create_dir_all(&own).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_git-llmpatch"), own.join(NAME)).unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let path = format!("{}:{}", own.display(), std::env::var("PATH").unwrap());
        let mut command = Program::new(program);
        command.args(arguments).env("HOME", home.path()).env("PATH", path).env("GIT_CONFIG_NOSYSTEM", "1");
        command.env_remove("MANPATH").env("LC_ALL", "C.UTF-8").env("MANPAGER", "cat").current_dir(home.path());
        let done = command.output().unwrap();
        (done.status.success(), String::from_utf8_lossy(&done.stdout).into_owned())
    };
    assert!(!run("git", &["llmpatch", "--help"]).0, "a page of this name is installed already: nothing can be told");
    let (_, installed) = run("git", &["llmpatch", "man", "--install"]);
    assert_eq!(installed.lines().count(), commands().len(), "{installed}");
    for (program, arguments) in
        [("git", &["llmpatch", "--help"][..]), ("git", &["help", "llmpatch"]), ("man", &["git-llmpatch-apply"])]
    {
        let (is_found, shown) = run(program, arguments);
        assert!(is_found && shown.contains("DESCRIPTION"), "{program} {arguments:?}: {shown}");
    }
}

/// Every command's page can be printed, by either name.
#[test]
fn every_page_is_printed() {
    for (name, _) in commands() {
        let short = name.strip_prefix("git-llmpatch-");
        for page in short.into_iter().chain([name.as_str()]) {
            let done = Program::new(env!("CARGO_BIN_EXE_git-llmpatch")).args(["man", page]).output().unwrap();
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
            assert_eq!(done.stdout, fs::read(folder().join(format!("{name}.1"))).unwrap(), "{page}");
        }
    }
}

fn bin() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_git-llmpatch")).parent().unwrap().to_owned()
}

/// Makes the repository that the examples speak of: a file, and answers about it.
fn demonstration() -> tempfile::TempDir {
    let repo = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let mut git = Program::new("git");
        git.current_dir(repo.path()).args(arguments).env("HOME", repo.path()).env("GIT_CONFIG_NOSYSTEM", "1");
        assert!(git.status().unwrap().success(), "{arguments:?}");
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["config", "user.name", "A U Thor"]);
    git(&["config", "user.email", "author@example.com"]);
    let write = |name: &str, content: &[u8]| {
        let path = repo.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    };
    write("src/greet.py", b"def greet(name):\n    print(\"Hello \" + name)\n");
    write(".gitignore", b"/answer.*\n/.local\n");
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "Begin"]);
    let envelope = "Here you are:\n\n*** Begin Patch\n*** Update File: src/greet.py\n@@ def greet(name):\n-    print(\"Hello \" + name)\n+    \
        print(f\"Hello, {name}!\")\n*** End Patch\n";
    write("answer.md", envelope.as_bytes());
    let opx = "<edit file=\"src/greet.py\" op=\"patch\">\n  <why>Greet with a comma</why>\n  <find>\n<<<\n    print(\"Hello \" + name)\n>>>\n  \
        </find>\n  <put>\n<<<\n    print(f\"Hello, {name}!\")\n>>>\n  </put>\n</edit>\n";
    write("answer.xml", opx.as_bytes());
    repo
}

/// Returns what is typed in blocks of `console`: the lines after `$ `, and after `> ` what continues them.
fn console_blocks(written: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in written.lines() {
        match (&mut open, line) {
            (None, "```console") => open = Some(String::new()),
            (Some(block), "```") => {
                blocks.push(std::mem::take(block));
                open = None;
            }
            (Some(block), line) => {
                if let Some(typed) = line.strip_prefix("$ ").or_else(|| line.strip_prefix("> ")) {
                    block.push_str(typed);
                    block.push('\n');
                }
            }
            _ => {}
        }
    }
    blocks
}

/// Makes a page.
fn page(name: &str, command: &Command, written: &str) -> String {
    let mut roff = Roff::new();
    let version = command.get_version().map(str::to_owned).unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_owned());
    roff.control("TH", [name.to_uppercase().as_str(), "1", "", &format!("{NAME} {version}"), "Git LLM Patch Manual"]);
    roff.control("SH", ["NAME"]);
    roff.text([roman(format!("{name} - {}", command.get_about().unwrap()))]);
    roff.control("SH", ["SYNOPSIS"]);
    synopsis(&mut roff, command);
    written_sections(&mut roff, command, written);
    roff.to_roff()
}

fn synopsis(roff: &mut Roff, command: &Command) {
    let usage = command.clone().render_usage().to_string();
    let forms: Vec<_> =
        usage.trim_start_matches("Usage:").lines().map(str::trim).filter(|form| !form.is_empty()).collect();
    for (index, form) in forms.iter().enumerate() {
        if index > 0 {
            roff.control("br", []);
        }
        roff.text(usage_words(form));
    }
}

/// Sets a usage line: the words to type bold, the others in italics.
fn usage_words(form: &str) -> Vec<Inline> {
    let mut line = Vec::new();
    for (index, word) in form.split(' ').enumerate() {
        if index > 0 {
            line.push(roman(" "));
        }
        let is_typed = index < 3 && !word.contains(['<', '[']);
        line.push(if is_typed { bold(word) } else { italic(word) });
    }
    line
}

/// Fills in what the program's tables say under a heading.
fn tables(roff: &mut Roff, command: &Command, heading: &str) {
    match heading {
        "OPTIONS" => options(roff, command),
        "COMMANDS" => {
            for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
                roff.control("TP", []);
                roff.text([bold(format!("{NAME}-{}", subcommand.get_name())), roman("(1)")]);
                roff.text([roman(sentence(&subcommand.get_about().unwrap().to_string()))]);
            }
        }
        "KINDS OF ERRORS" => {
            for kind in Kind::ALL.iter().filter(|kind| !kind.is_warning()) {
                term(roff, kind.code(), kind.meaning());
            }
        }
        "KINDS OF WARNINGS" => {
            for kind in Kind::ALL.iter().filter(|kind| kind.is_warning()) {
                term(roff, kind.code(), kind.meaning());
            }
        }
        _ => {}
    }
}

fn term(roff: &mut Roff, name: &str, text: &str) {
    roff.control("TP", []);
    roff.text([bold(name)]);
    roff.text(with_code(text));
}

fn sentence(text: &str) -> String {
    if text.ends_with('.') { text.to_owned() } else { format!("{text}.") }
}

/// Sets what stands in backticks or looks like an option bold.
fn with_code(text: &str) -> Vec<Inline> {
    let parts = text.split('`').enumerate();
    parts.map(|(index, part)| if index % 2 == 1 { bold(part) } else { roman(part) }).collect()
}

fn options(roff: &mut Roff, command: &Command) {
    let shown = || command.get_arguments().filter(|argument| !argument.is_hide_set());
    let mut headings: Vec<Option<&str>> = vec![None];
    headings.extend(shown().filter_map(|argument| argument.get_help_heading()).map(Some));
    headings.dedup();
    let mut done = Vec::new();
    for heading in headings {
        if done.contains(&heading) {
            continue;
        }
        done.push(heading);
        let of: Vec<_> = shown().filter(|argument| argument.get_help_heading() == heading).collect();
        if let (Some(heading), false) = (heading, of.is_empty()) {
            roff.control("SS", [heading]);
        }
        let (positional, optional): (Vec<_>, Vec<_>) = of.into_iter().partition(|argument| argument.is_positional());
        for argument in positional.into_iter().chain(optional) {
            option(roff, argument);
        }
    }
}

fn option(roff: &mut Roff, argument: &Arg) {
    roff.control("TP", []);
    let mut line = Vec::new();
    let value = argument.get_value_names().and_then(|names| names.first()).map(|name| format!("<{name}>"));
    let value = value.filter(|_| matches!(argument.get_action(), ArgAction::Set | ArgAction::Append));
    if argument.is_positional() {
        line.push(italic(value.unwrap_or_default()));
    } else {
        let shorts = argument.get_short().into_iter().map(|short| (format!("-{short}"), " "));
        let longs = argument.get_long().into_iter().chain(argument.get_visible_aliases().unwrap_or_default());
        let longs = longs.map(|long| (format!("--{long}"), "="));
        for (index, (name, between)) in shorts.chain(longs).enumerate() {
            if index > 0 {
                line.push(roman(", "));
            }
            line.push(bold(name));
            let Some(value) = &value else { continue };
            let is_optional = argument.get_num_args().is_some_and(|count| count.min_values() == 0);
            line.extend(match (is_optional, between) {
                (true, "=") => vec![roman("[="), italic(value.clone()), roman("]")],
                (true, _) => vec![roman("["), italic(value.clone()), roman("]")],
                (false, between) => vec![roman(between), italic(value.clone())],
            });
        }
    }
    roff.text(line);
    let help = argument.get_long_help().or(argument.get_help()).unwrap().to_string();
    let mut text = vec![roman(sentence(&help))];
    let values: Vec<_> = argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    if !values.is_empty() && argument.get_action().takes_values() {
        text.push(roman(" One of "));
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                text.push(roman(if index + 1 == values.len() { " or " } else { ", " }));
            }
            text.push(bold(value.clone()));
        }
        text.push(roman("."));
    }
    roff.text(text);
}

/// Sets Markdown, as far as pages use it.
fn written_sections(roff: &mut Roff, command: &Command, written: &str) {
    let extensions = Options::ENABLE_DEFINITION_LIST;
    let mut inlines: Vec<Inline> = Vec::new();
    let mut heading = String::new();
    let mut filled: Option<String> = None;
    let mut setting: fn(String) -> Inline = roman;
    let mut code_block: Option<String> = None;
    let mut in_item = 0_usize;
    for event in Parser::new_ext(written, extensions) {
        match event {
            Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) => {
                if let Some(before) = filled.take() {
                    tables(roff, command, &before);
                }
            }
            Event::End(TagEnd::Heading(level)) => {
                heading = plain(&inlines);
                inlines.clear();
                roff.control(if level == HeadingLevel::H1 { "SH" } else { "SS" }, [heading.as_str()]);
                if level == HeadingLevel::H1 {
                    filled = Some(heading.clone());
                }
            }
            Event::Start(Tag::Paragraph) if in_item == 0 => {
                roff.control("PP", []);
            }
            Event::Start(Tag::Item) => {
                in_item += 1;
                roff.control("IP", ["\u{2022}", "2"]);
            }
            Event::Start(Tag::DefinitionListTitle) => {
                roff.control("TP", []);
            }
            Event::Start(Tag::DefinitionListDefinition) => in_item += 1,
            Event::End(TagEnd::Item | TagEnd::DefinitionListDefinition) => {
                flush(roff, &mut inlines);
                in_item -= 1;
            }
            Event::End(TagEnd::Paragraph | TagEnd::DefinitionListTitle) => flush(roff, &mut inlines),
            Event::Start(Tag::CodeBlock(_)) => {
                flush(roff, &mut inlines);
                code_block = Some(String::new());
            }
            Event::End(TagEnd::CodeBlock) => {
                roff.control("PP", []);
                roff.control("RS", ["4"]);
                roff.control("nf", []);
                let block = code_block.take().unwrap();
                for line in block.lines() {
                    match line {
                        "" => roff.control("sp", []),
                        line => roff.text([roman(line)]),
                    };
                }
                roff.control("fi", []);
                roff.control("RE", []);
            }
            Event::Text(text) => match &mut code_block {
                Some(block) => block.push_str(&text),
                None => inlines.push(setting(text.to_string())),
            },
            Event::Code(code) => inlines.push(bold(code.to_string())),
            Event::SoftBreak => inlines.push(roman(" ")),
            Event::Start(Tag::Emphasis) => setting = italic,
            Event::Start(Tag::Strong) => setting = bold,
            Event::End(TagEnd::Emphasis | TagEnd::Strong) => setting = roman,
            Event::Start(Tag::List(_) | Tag::DefinitionList) | Event::End(TagEnd::List(_) | TagEnd::DefinitionList) => {
            }
            Event::Start(Tag::Paragraph | Tag::Heading { .. }) => {}
            other => panic!("pages don't know how to set {other:?}, under {heading}"),
        }
    }
    if let Some(before) = filled.take() {
        tables(roff, command, &before);
    }
}

fn flush(roff: &mut Roff, inlines: &mut Vec<Inline>) {
    if !inlines.is_empty() {
        roff.text(std::mem::take(inlines));
    }
}

fn plain(inlines: &[Inline]) -> String {
    let of = |inline: &Inline| match inline {
        Inline::Roman(text) | Inline::Bold(text) | Inline::Italic(text) => text.clone(),
        Inline::LineBreak => " ".to_owned(),
    };
    inlines.iter().map(of).collect()
}
