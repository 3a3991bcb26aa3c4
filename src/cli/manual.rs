//! The manual pages that come with the program. They are made beforehand (`tests/docs/manual.rs`): of the same definitions as `-h`, and
//! of what is written in `man/`.

use clap::Args;

use super::exit::Exit;
use super::flow;
use super::install::{self, Home, Piece};
use super::output;

/// Print a manual page or what an agent needs to know, or install all pages
#[derive(Debug, Args)]
#[command(
    override_usage = "git llmpatch man [<page>]\n       git llmpatch man --skill\n       git llmpatch man --install"
)]
#[command(
    after_help = "Once they are installed, 'git llmpatch --help', 'git help llmpatch' and 'man git-llmpatch-apply' work. \
    To read a page without that: git llmpatch help apply"
)]
pub(super) struct Man {
    /// The command whose page it is, or a guide, or git-llmpatch
    #[arg(value_name = "page", value_parser = names(), conflicts_with = "install")]
    page: Option<String>,
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
struct Page {
    name: &'static str,
    /// Where it stands in a directory that `man` looks in.
    file: &'static str,
    content: &'static str,
}

impl Page {
    fn is(&self, wanted: &str) -> bool {
        self.name == wanted || self.name.strip_prefix(PREFIX) == Some(wanted)
    }
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
    "7": ["git-llmpatch-agents", "git-llmpatch-editors", "git-llmpatch-troubleshooting"],
];

const SKILL: &str = include_str!("../../man/SKILL.md");

const PREFIX: &str = "git-llmpatch-";

fn names() -> clap::builder::PossibleValuesParser {
    let names = PAGES.iter().map(|Page { name, .. }| {
        let short = name.strip_prefix(PREFIX);
        let value = clap::builder::PossibleValue::new(short.unwrap_or(name));
        if short.is_some() { value.alias(*name) } else { value }
    });
    clap::builder::PossibleValuesParser::new(names)
}

impl Man {
    /// Does it.
    ///
    /// # Errors
    /// If there is no telling where pages go.
    pub(super) fn run(&self) -> Result<Exit, clap::Error> {
        if self.install {
            let Some(home) = Home::find() else {
                return Err(super::usage("man", "HOME names no directory to install to"));
            };
            let pages = PAGES.iter().map(|page| Piece { name: page.file, content: page.content.into() });
            let directory = home.manual();
            let advice = advice(&directory);
            return Ok(install::install(&directory, &pages.collect::<Vec<_>>(), &advice));
        }
        if self.skill {
            return Ok(flow::said(output::print_as_is(SKILL.as_bytes())));
        }
        let wanted = self.page.as_deref().unwrap_or("git-llmpatch");
        let page = PAGES.iter().find(|page| page.is(wanted));
        Ok(match page {
            Some(page) => flow::said(output::print_as_is(page.content.as_bytes())),
            None => return Err(super::usage("man", &format!("there is no page `{wanted}`"))),
        })
    }
}

/// Show the manual page of a command, or a guide
#[derive(Debug, Args)]
#[command(override_usage = "git llmpatch help [<page>]")]
pub(super) struct Help {
    /// The command whose page it is, or a guide
    #[arg(value_name = "page", value_parser = names(), default_value = "git-llmpatch", hide_default_value = true)]
    page: String,
}

impl Help {
    /// Asks for the page of a command; for that of the program where there is no such command.
    pub(super) fn of(command: &str) -> Self {
        let page = PAGES.iter().find(|page| page.is(command)).map_or("git-llmpatch", |page| page.name);
        Self { page: page.to_owned() }
    }

    /// Shows the page by `man`, installed or not; where there is no `man`, prints what `-h` does.
    ///
    /// # Errors
    /// With that help.
    pub(super) fn run(&self) -> Result<Exit, clap::Error> {
        let page = PAGES.iter().find(|page| page.is(&self.page));
        let shown = page.and_then(|page| {
            let mut file = tempfile::NamedTempFile::new().ok()?;
            std::io::Write::write_all(&mut file, page.content.as_bytes()).ok()?;
            let mut man = std::process::Command::new("man");
            let ended = man.arg("-l").arg(file.path()).stderr(std::process::Stdio::null()).status().ok()?;
            ended.success().then_some(Exit::Done)
        });
        match shown {
            Some(exit) => Ok(exit),
            None => {
                let mut command = super::command();
                command.build();
                let short = self.page.strip_prefix(PREFIX).unwrap_or(&self.page).to_owned();
                let mut of = command.find_subcommand(&short).cloned().unwrap_or(command);
                Ok(flow::said(output::print_as_is(of.render_help().to_string().as_bytes())))
            }
        }
    }
}

/// Says what is still to be done so that `man` looks in a directory.
fn advice(directory: &std::path::Path) -> String {
    let bin = directory.parent().and_then(|share| share.parent()).map(|prefix| prefix.join("bin"));
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let is_found = bin.is_some_and(|bin| std::env::split_paths(&paths).any(|path| path == bin));
    let is_named =
        std::env::var_os("MANPATH").is_some_and(|set| std::env::split_paths(&set).any(|path| path == directory));
    // man looks beside the directories in PATH, unless MANPATH says otherwise; an empty part of that stands for the usual ones.
    let is_usual = std::env::var_os("MANPATH")
        .is_none_or(|set| std::env::split_paths(&set).any(|path| path.as_os_str().is_empty()));
    if is_named || (is_found && is_usual) {
        return "try: git llmpatch --help".to_owned();
    }
    use std::os::unix::ffi::OsStrExt as _;
    let directory = crate::text::Shown(directory.as_os_str().as_bytes());
    format!("man must look there: put this line where your shell reads it\n    export MANPATH=\"{directory}:$MANPATH\"")
}
