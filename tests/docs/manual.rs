//! The manual pages in `man/` are what the command line's definitions, the table of kinds and the
//! written sections say.
//!
//! A page `man/NAME.md` holds written sections. `# OPTIONS`, `# COMMANDS`, `# OPTIONS AND FORMATS`
//! and `# KINDS OF ERRORS` are filled in from the program's own tables, `# KINDS` from `tests/cases` and
//! `tests/messages`, after what is written under them. `SNAPSHOTS=overwrite cargo test --test docs
//! manual` makes the pages anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command as Program;

use assert_fs::prelude::*;
use clap::Command;
use llmpatch::kind::Kind;
use setting::page;

use crate::here;
use crate::support::{self, Repo, isolated, program};

mod editors;
mod embedding;
mod messages;
mod roff;
mod setting;

const NAME: &str = "git-llmpatch";

/// The pages that are about no command, and what they are about.
const GUIDES: &[(&str, &str)] = &[
    ("git-llmpatch-agents", "Applying responses without a person"),
    ("git-llmpatch-editors", "Applying responses from an editor"),
    (
        "git-llmpatch-embedding",
        "Applying responses inside another program",
    ),
    (
        "git-llmpatch-troubleshooting",
        "What responses look like that don't apply, and what to do",
    ),
];

/// What a page is about.
enum Subject {
    Command(Box<Command>),
    Guide(&'static str),
}

impl Subject {
    fn section(&self) -> &'static str {
        match self {
            Subject::Command(_) => "1",
            Subject::Guide(_) => "7",
        }
    }
}

fn directory() -> PathBuf {
    here("man")
}

/// Returns the program's commands and the names of their pages, the program itself first.
fn commands() -> Vec<(String, Command)> {
    let mut program = git_llmpatch::cli::command();
    program.build();
    let of = |command: &Command| (format!("{NAME}-{}", command.get_name()), command.clone());
    let commands: Vec<_> = program
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .map(of)
        .collect();
    [(NAME.to_owned(), program)]
        .into_iter()
        .chain(commands)
        .collect()
}

fn subjects() -> Vec<(String, Subject)> {
    let commands = commands()
        .into_iter()
        .map(|(name, command)| (name, Subject::Command(Box::new(command))));
    commands
        .chain(
            GUIDES
                .iter()
                .map(|&(name, about)| (name.to_owned(), Subject::Guide(about))),
        )
        .collect()
}

#[test]
fn the_manual_lists_what_executes() {
    let manual = fs::read_to_string(here("man/git-llmpatch.md")).unwrap();
    for (name, _) in llmpatch::pathspec::EXECUTES {
        assert!(manual.contains(&format!("`{name}`")), "{name}");
    }
}

/// Who asks for help learns of every guide.
#[test]
fn help_lists_the_guides() {
    let page = fs::read_to_string(here("man/git-llmpatch-help.md")).unwrap();
    for (name, _) in GUIDES {
        let short = name.strip_prefix("git-llmpatch-").unwrap();
        assert!(page.contains(&format!("`{short}`")), "{short}");
    }
}

#[test]
fn shipped_pages_are_up_to_date() {
    for (name, subject) in subjects() {
        let written = fs::read_to_string(directory().join(format!("{name}.md")));
        let page = page(
            &name,
            &subject,
            &written.unwrap_or_else(|_| panic!("man/{name}.md isn't there")),
        );
        let path = directory().join(format!("{name}.{}", subject.section()));
        support::snapshot(page, &path);
    }
}

#[test]
fn no_page_is_of_a_command_that_is_gone() {
    let known: Vec<_> = subjects().into_iter().map(|(name, _)| name).collect();
    for entry in fs::read_dir(directory()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(
            name == "SKILL" || known.iter().any(|known| known == name),
            "{} is no page of ours",
            path.display()
        );
    }
}

/// Every command's page has the sections that git's own pages have.
#[test]
fn pages_have_the_usual_sections() {
    for (name, _) in commands() {
        let page = fs::read_to_string(directory().join(format!("{name}.1"))).unwrap();
        for section in [
            "NAME",
            "SYNOPSIS",
            "DESCRIPTION",
            "OPTIONS",
            "EXIT STATUS",
            "SEE ALSO",
        ] {
            let heading = if section.contains(' ') {
                format!(".SH \"{section}\"")
            } else {
                format!(".SH {section}")
            };
            assert!(
                page.lines().any(|line| line == heading),
                "{name}: no {section}"
            );
        }
    }
}

/// What a page shows to be typed works where it says: every fenced block `console` runs in the
/// demonstration repository.
#[test]
fn examples_run() {
    let mut count = 0;
    for name in subjects()
        .into_iter()
        .map(|(name, _)| name)
        .chain(["SKILL".to_owned()])
    {
        let written = fs::read_to_string(directory().join(format!("{name}.md"))).unwrap();
        let in_shell = console_blocks(&written)
            .into_iter()
            .map(|script| ("bash", &["-euo", "pipefail", "-c"][..], script));
        let in_files = blocks(&written, "sh")
            .into_iter()
            .map(|script| ("bash", &["-euo", "pipefail", "-c"][..], script));
        let in_python = blocks(&written, "python")
            .into_iter()
            .map(|script| ("python3", &["-c"][..], script));
        for (interpreter, options, script) in in_shell.chain(in_files).chain(in_python) {
            if script.contains("jq ") && Program::new("jq").arg("--version").output().is_err() {
                eprintln!("there is no jq here to run this with:\n{script}");
                continue;
            }
            if script.contains("from llmpatch import") {
                // The package is built, and this is run, by `.packages/try py`.
                continue;
            }
            let repo = demonstration();
            let mut command = isolated(Program::new(interpreter), repo.path());
            let run = support::run(
                command
                    .args(options)
                    .arg(&script)
                    .env("PATH", support::path())
                    .env("HOME", repo.path()),
                b"",
            );
            assert_eq!(
                run.status, 0,
                "{name}: {script}\n{}{}",
                run.stderr, run.stdout
            );
            count += 1;
        }
    }
    assert!(count >= 5, "{count} examples only");
}

/// After the one step that the README names, git and `man` find the pages.
#[test]
fn help_works_once_the_pages_are_installed() {
    let home = assert_fs::TempDir::new().unwrap();
    let own = home.child("own/bin");
    own.child(NAME).write_file(Path::new(program())).unwrap();
    // Where the program is installed its pages may be, too.
    let others = std::env::var_os("PATH").unwrap();
    let others = std::env::split_paths(&others).filter(|directory| !directory.join(NAME).exists());
    let path = std::env::join_paths(std::iter::once(own.to_path_buf()).chain(others)).unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let mut command = Program::new(program);
        command
            .args(arguments)
            .env("HOME", home.path())
            .env("PATH", &path)
            .env("GIT_CONFIG_NOSYSTEM", "1");
        command
            .env_remove("MANPATH")
            .env("LC_ALL", "C.UTF-8")
            .env("MANPAGER", "cat")
            .current_dir(home.path());
        let done = command.output().unwrap();
        (
            done.status.success(),
            String::from_utf8_lossy(&done.stdout).into_owned(),
        )
    };
    assert!(
        !run("git", &["llmpatch", "--help"]).0,
        "a page of this name is installed already: nothing can be told"
    );
    let (_, installed) = run("git", &["llmpatch", "man", "--install"]);
    assert_eq!(installed.lines().count(), subjects().len(), "{installed}");
    for (program, arguments) in [
        ("git", &["llmpatch", "--help"][..]),
        ("git", &["help", "llmpatch"]),
        ("man", &["git-llmpatch-apply"]),
        ("man", &["git-llmpatch-agents"]),
    ] {
        let (is_found, shown) = run(program, arguments);
        let heading = shown.lines().next().unwrap_or_default();
        assert!(heading.contains("Git LLM Patch"), "{heading}");
        assert!(
            is_found && shown.contains("DESCRIPTION"),
            "{program} {arguments:?}: {shown}"
        );
    }
}

/// Without `man`, as on Windows and in small containers, the pages are read by `help`.
#[test]
fn where_there_is_no_man_another_way_to_read_the_pages_is_named() {
    let home = assert_fs::TempDir::new().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Program::new(program());
        command.args(arguments).env("HOME", home.path());
        command.env("PATH", home.path()).current_dir(home.path());
        command.output().unwrap()
    };
    let said = run(&["man", "--install"]).stderr;
    assert_eq!(
        String::from_utf8_lossy(&said),
        "there is no `man` here; to read a page: git llmpatch help apply\n"
    );
    let shown = run(&["help", "apply"]);
    assert!(shown.status.success() && !shown.stdout.is_empty());
}

/// A terminal that knows only ASCII shows every page whole, too; nothing is wider than a terminal
/// that is as narrow as most.
#[test]
fn pages_are_set_without_a_complaint() {
    for (name, subject) in subjects() {
        for (locale, options) in [
            ("C", &["-l"][..]),
            ("C.UTF-8", &["--warnings", "-E", "UTF-8", "-Tutf8", "-l"]),
        ] {
            let mut man = Program::new("man");
            man.args(options)
                .arg(directory().join(format!("{name}.{}", subject.section())));
            man.env("LC_ALL", locale)
                .env("MANPAGER", "cat")
                .env("MANWIDTH", "80")
                .env("GROFF_NO_SGR", "1");
            let done = man.output().unwrap();
            let said = String::from_utf8_lossy(&done.stderr);
            assert!(
                done.status.success() && said.is_empty(),
                "{name}, {locale}: {said}"
            );
            for line in String::from_utf8_lossy(&done.stdout).lines() {
                assert!(width(line) <= 80, "{name}, {locale}: {line}");
            }
        }
    }
}

/// Returns how many columns a line has, in which bold is a character, a step back and the character
/// again.
fn width(line: &str) -> usize {
    line.chars().count() - 2 * line.matches('\u{8}').count()
}

/// mandoc, which shows the pages on Alpine, macOS and the BSDs, finds nothing to improve in them.
#[test]
fn mandoc_has_no_complaint() {
    if Program::new("mandoc")
        .args(["-T", "lint", "/dev/null"])
        .output()
        .is_err()
    {
        eprintln!("there is no mandoc here to look at the pages with");
        return;
    }
    let pages = subjects()
        .into_iter()
        .map(|(name, subject)| directory().join(format!("{name}.{}", subject.section())));
    let done = Program::new("mandoc")
        .args(["-T", "lint", "-W", "style"])
        .args(pages)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&done.stdout), "");
}

/// The heading of what helps is the kind that the message has.
#[test]
fn troubleshooting_has_a_section_of_each_kind() {
    let page = fs::read_to_string(directory().join("git-llmpatch-troubleshooting.7")).unwrap();
    let headings: Vec<_> = page
        .lines()
        .filter_map(|line| line.strip_prefix(".SH "))
        .collect();
    let kinds: Vec<_> = Kind::ALL
        .iter()
        .map(|kind| kind.code().replace('-', "\\-"))
        .collect();
    assert_eq!(headings[3..headings.len() - 1], kinds);
}

/// What an agent loads is short, and says what it is and when to use it in the form that agents
/// want.
#[test]
fn the_skill_file_is_one_that_agents_load() {
    let skill = Program::new(program())
        .args(["man", "--skill"])
        .output()
        .unwrap()
        .stdout;
    for copy in [
        "man/SKILL.md",
        "examples/agents/claude-code/skills/git-llmpatch/SKILL.md",
    ] {
        assert_eq!(skill, fs::read(here(copy)).unwrap(), "{copy}");
    }
    let skill = String::from_utf8(skill).unwrap();
    assert!(skill.lines().count() < 60);
    let head: Vec<_> = skill.lines().take(4).collect();
    let ["---", name, about, "---"] = head[..] else {
        panic!("{head:?}")
    };
    assert_eq!(name, "name: git-llmpatch");
    let about = about.strip_prefix("description: ").unwrap();
    // YAML would take a colon and a space for the end of a key.
    assert!(about.len() <= 1024 && !about.contains(": "), "{about}");
}

/// Every command's page can be printed, by either name.
#[test]
fn every_page_is_printed() {
    for (name, subject) in subjects() {
        let short = name.strip_prefix("git-llmpatch-");
        for page in short.into_iter().chain([name.as_str()]) {
            let done = Program::new(program())
                .args(["man", page])
                .output()
                .unwrap();
            assert!(
                done.status.success(),
                "{}",
                String::from_utf8_lossy(&done.stderr)
            );
            assert_eq!(
                done.stdout,
                fs::read(directory().join(format!("{name}.{}", subject.section()))).unwrap(),
                "{page}"
            );
        }
    }
}

/// Makes the repository that the examples speak of: a file, and answers about it.
fn demonstration() -> Repo {
    let greet = "def greet(name):\n    print(\"Hello \" + name)\n";
    let repo = Repo::with(&[
        ("src/greet.py", greet),
        (".gitignore", "/response*\n/.local\n"),
    ]);
    let envelope = "Here you are:\n\n*** Begin Patch\n*** Update File: src/greet.py\n@@ def greet(name):\n-    print(\"Hello \" + name)\n+    \
        print(f\"Hello, {name}!\")\n*** End Patch\n";
    repo.child("response.md").write_str(envelope).unwrap();
    let opx = "<edit file=\"src/greet.py\" op=\"patch\">\n  <why>Greet with a comma</why>\n  <find>\n<<<\n    print(\"Hello \" + name)\n>>>\n  \
        </find>\n  <put>\n<<<\n    print(f\"Hello, {name}!\")\n>>>\n  </put>\n</edit>\n";
    repo.child("response.xml").write_str(opx).unwrap();
    let [colon, wrong] = [("Hello, ", "Hello: "), ("Hello \" +", "Hi \" +")]
        .map(|(old, new)| envelope.replace(old, new));
    let lines = [envelope, opx, &colon, &wrong]
        .map(|response| serde_json::json!({"id": null, "response": response}));
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    repo.child("responses.jsonl").write_str(&lines).unwrap();
    repo
}

/// Returns what is typed in blocks of `console`: the lines after `$ `, and after `> ` what
/// continues them.
fn console_blocks(written: &str) -> Vec<String> {
    let typed = |line: &str| {
        line.strip_prefix("$ ")
            .or_else(|| line.strip_prefix("> "))
            .map(|typed| format!("{typed}\n"))
    };
    blocks(written, "console")
        .iter()
        .map(|block| block.lines().filter_map(typed).collect())
        .collect()
}

/// Returns the fenced blocks in a language.
fn blocks(written: &str, language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in written.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(opened)) if opened == language => open = Some(String::new()),
            (Some(_), Some("")) => blocks.extend(open.take()),
            (Some(block), _) => {
                block.push_str(line);
                block.push('\n');
            }
            _ => {}
        }
    }
    blocks
}
