//! The manual pages that come with the program. They are made beforehand (`tests/docs/manual.rs`):
//! of the same definitions as `-h`, and of what is written in `man/`.

mod plain;

use std::env;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::conclude;
use super::exit::Exit;
use super::install::{self, Home, InstalledFile};
use super::output;
use llmpatch::kind::Kind;
use llmpatch::text::Shown;

/// Print a manual page or the skill file for agents, or install all pages
#[derive(Debug, Args)]
#[command(
    override_usage = "git llmpatch man [<page>]\n       git llmpatch man --skill\n       git llmpatch man \
         --install"
)]
#[command(
    after_help = "Once they are installed, 'git llmpatch --help', 'git help llmpatch' and 'man \
         git-llmpatch-apply' work. To read a page without that: git llmpatch help apply"
)]
pub(super) struct Man {
    /// The command whose page it is, or a guide, or git-llmpatch
    #[arg(value_name = "page", value_parser = pages(), default_value = MAIN.name, hide_default_value = true, conflicts_with = "install")]
    page: &'static Page,
    /// Put all pages where man finds them, and say where that is
    #[arg(long)]
    install: bool,
    /// Print the skill file, which tells a coding agent how to use the program
    #[arg(long, conflicts_with_all = ["page", "install"])]
    skill: bool,
}

macro_rules! pages {
    ($($section:literal: [$($name:literal),* $(,)?]),* $(,)?) => {
        &[$($(Page {
            name: $name,
            file: concat!("man", $section, "/", $name, ".", $section),
            content: include_str!(concat!("../../man/", $name, ".", $section)),
        }),*),*]
    };
}

/// A page that comes with the program.
#[derive(Debug)]
struct Page {
    name: &'static str,
    /// Where it is in a directory that `man` looks in.
    file: &'static str,
    content: &'static str,
}

const PAGES: &[Page] = pages![
    "1": [
        "git-llmpatch",
        "git-llmpatch-apply",
        "git-llmpatch-apply-patch",
        "git-llmpatch-batch",
        "git-llmpatch-check",
        "git-llmpatch-completions",
        "git-llmpatch-convert",
        "git-llmpatch-diff",
        "git-llmpatch-help",
        "git-llmpatch-man",
        "git-llmpatch-prompt",
        "git-llmpatch-recover",
        "git-llmpatch-show",
        "git-llmpatch-snapshot",
        "git-llmpatch-undo",
    ],
    "7": [
        "git-llmpatch-agents",
        "git-llmpatch-editors",
        "git-llmpatch-embedding",
        "git-llmpatch-troubleshooting",
    ],
];

const SKILL: &str = include_str!("../../man/SKILL.md");

/// The program's own.
const MAIN: &Page = &PAGES[0];
const PREFIX: &str = "git-llmpatch-";

/// Takes the name of a page, or that of the command.
fn pages() -> impl TypedValueParser<Value = &'static Page> {
    PossibleValuesParser::new(names()).map(|name| page(&name))
}

/// Returns the names of pages.
fn names() -> impl Iterator<Item = PossibleValue> {
    PAGES.iter().map(|Page { name, .. }| {
        let short = name.strip_prefix(PREFIX);
        let value = PossibleValue::new(short.unwrap_or(name));
        if short.is_some() {
            value.alias(*name)
        } else {
            value
        }
    })
}

impl Man {
    /// Runs the command.
    ///
    /// # Errors
    /// If there is no telling where pages go.
    pub(super) fn run(&self) -> Result<Exit, clap::Error> {
        if self.install {
            let Some(home) = Home::find() else {
                return Err(super::usage("man", "HOME names no directory to install to"));
            };
            let pages = PAGES.iter().map(|page| InstalledFile {
                name: page.file,
                content: page.content.into(),
            });
            let directory = home.manual();
            let advice = advice(&directory);
            return Ok(install::install(
                &directory,
                &pages.collect::<Vec<_>>(),
                &advice,
            ));
        }
        if self.skill {
            return Ok(conclude::said(output::print_as_is(SKILL.as_bytes())));
        }
        Ok(conclude::said(output::print_as_is(
            self.page.content.as_bytes(),
        )))
    }
}

/// Returns the page of a name, or of a command; the program's own where that has none.
fn page(wanted: &str) -> &'static Page {
    PAGES
        .iter()
        .find(|page| page.name == wanted || page.name.strip_prefix(PREFIX) == Some(wanted))
        .unwrap_or(MAIN)
}

/// Show a manual page, or what there is to say of a kind of error
#[derive(Debug, Args)]
#[command(override_usage = "git llmpatch help [<page>|<kind>]")]
pub(super) struct Help {
    /// The command whose page it is, or a guide; or a kind that a message has in brackets, such as
    /// lines-not-found
    #[arg(value_name = "page", value_parser = topics(), default_value = MAIN.name, hide_default_value = true)]
    topic: Topic,
}

/// What help is asked for.
#[derive(Clone, Copy, Debug)]
enum Topic {
    Page(&'static Page),
    /// A kind of error or warning, by its code.
    Kind(&'static str),
}

/// Takes what names a page, or the code of a kind.
fn topics() -> impl TypedValueParser<Value = Topic> {
    let codes = Kind::ALL.iter().map(|kind| kind.code());
    let kinds = codes.map(|code| PossibleValue::new(code).hide(true));
    PossibleValuesParser::new(names().chain(kinds)).map(|name| {
        let mut codes = Kind::ALL.iter().map(|kind| kind.code());
        match codes.find(|code| *code == name) {
            Some(code) => Topic::Kind(code),
            None => Topic::Page(page(&name)),
        }
    })
}

/// Returns the section of a kind in the page that has one for each.
fn section(kind: &str) -> String {
    let heading = format!(".SH {}\n", kind.replace('-', "\\-"));
    let page = page("troubleshooting").content;
    let (_, rest) = page.split_once(&heading).unwrap_or_default();
    let section = rest.split("\n.SH ").next().unwrap_or_default();
    format!("{heading}{section}\n")
}

impl Help {
    /// Asks for the page of a command; for the page of the program where the command has none.
    pub(super) fn of(command: &str) -> Self {
        Self {
            topic: Topic::Page(page(command)),
        }
    }

    /// Shows the page by `man`, installed or not; where there is no `man`, prints it as text. What
    /// is said of a kind is printed, since it is seldom longer than a screen.
    pub(super) fn run(&self) -> Exit {
        let content = match self.topic {
            Topic::Page(page) => page.content,
            Topic::Kind(kind) => {
                let text = plain::text(&section(kind));
                return conclude::said(output::print_as_is(text.as_bytes()));
            }
        };
        let show = || {
            let mut man = Command::new("man")
                .args(["-l", "-"])
                .stdin(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .ok()?;
            // It may end without having read all, and says so by its status.
            let mut stdin = man.stdin.take()?;
            let _ = stdin.write_all(content.as_bytes());
            drop(stdin);
            man.wait().ok()
        };
        if show().is_some_and(|ended| ended.success()) {
            return Exit::Done;
        }
        conclude::said(output::print_as_is(plain::text(content).as_bytes()))
    }
}

/// Returns what is still to be done so that `man` looks in a directory.
fn advice(directory: &Path) -> String {
    if !has_man() {
        return "there is no `man` here; to read a page: git llmpatch help apply".to_owned();
    }
    let bin = directory
        .parent()
        .and_then(Path::parent)
        .map(|prefix| prefix.join("bin"));
    let is_found = bin.is_some_and(|bin| has(env::var_os("PATH").unwrap_or_default(), &bin));
    // man looks beside the directories in PATH, unless MANPATH says otherwise; an empty part of
    // that stands for the usual ones.
    let is_read = match env::var_os("MANPATH") {
        None => is_found,
        Some(set) => has(set.clone(), directory) || is_found && has(set, Path::new("")),
    };
    if is_read {
        return "try: git llmpatch --help".to_owned();
    }
    let directory = Shown::path(directory);
    format!(
        "man must look there: put this line where your shell reads it\n    export \
             MANPATH=\"{directory}:$MANPATH\""
    )
}

/// Returns whether `man` can be started. Windows has none, and neither have small containers.
fn has_man() -> bool {
    let mut man = Command::new("man");
    man.arg("--version").stdin(Stdio::null());
    let status = man.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok()
}

fn has(set: OsString, wanted: &Path) -> bool {
    env::split_paths(&set).any(|path| path == wanted)
}
