//! Completions, from the same definitions as `-h`.
//!
//! The scripts for bash, zsh and fish ask the program itself what may follow, for `git llmpatch …`
//! and `git-llmpatch …` alike. Files are left to the shells, which know how names are written
//! there.

use std::ffi::OsString;
use std::path::PathBuf;

use bstr::{BString, ByteSlice as _};
use clap::builder::StyledStr;
use clap::{Arg, Args, Command, ValueEnum as _};
use clap_complete::Shell;

use super::conclude;
use super::exit::Exit;
use super::install::{self, Home, InstalledFile};
use super::output;
use crate::repo::Repo;
use crate::system::OsStrExt as _;
use llmpatch::text::Shown;

/// Print a shell's completion script, or install it
#[derive(Debug, Args)]
#[command(override_usage = "git llmpatch completions [--install] [<shell>]")]
#[command(
    after_help = "Without a shell, it is the one that SHELL names. Shells whose scripts complete \
    'git llmpatch' as well as 'git-llmpatch': bash, zsh, fish."
)]
pub(super) struct Completions {
    /// The shell
    #[arg(value_name = "shell", value_enum)]
    shell: Option<Shell>,
    /// Put it where the shell looks for your own completions, and say where that is
    #[arg(long)]
    install: bool,
    /// Print, for a script, what may be in the place of the word with this number, from 0
    #[arg(long, hide = true, value_name = "number")]
    at: Option<usize>,
    /// The words of a command line
    #[arg(last = true, hide = true, requires = "at")]
    words: Vec<OsString>,
}

/// The shells that have a place of their own for a user's scripts, and whose scripts the project
/// ships.
pub const SHIPPED: [(&str, &str); 3] = [
    ("bash", "git-llmpatch.bash"),
    ("zsh", "_git-llmpatch"),
    ("fish", "git-llmpatch.fish"),
];

impl Completions {
    /// Runs the command.
    ///
    /// # Errors
    /// If there is no telling which shell is meant.
    pub(super) fn run(&self) -> Result<Exit, clap::Error> {
        if let Some(at) = self.at {
            let found = candidates(at, &self.words);
            return Ok(conclude::said(output::print_as_is(&found)));
        }
        let Some(shell) = self.shell.or_else(Shell::from_env) else {
            return Err(super::usage(
                "completions",
                &format!("which shell? one of {}", names()),
            ));
        };
        if !self.install {
            return Ok(conclude::said(output::print_as_is(&script(shell))));
        }
        let Some((directory, name, advice)) = Home::find().and_then(|home| place(&home, shell))
        else {
            let message = format!(
                "{shell} has no place for a user's own scripts; print it, and put it \
                     where you want it"
            );
            return Err(super::usage("completions", &message));
        };
        let mut pieces = vec![InstalledFile {
            name,
            content: script(shell),
        }];
        if shell == Shell::Fish {
            pieces.push(InstalledFile {
                name: "completions/git-llmpatch.fish",
                content: NO_OTHERS.into(),
            });
        }
        Ok(install::install(&directory, &pieces, &advice))
    }
}

/// What keeps fish from reading the completions that it makes of our manual pages.
const NO_OTHERS: &str = include_str!("../../completions/no-others.fish");

fn names() -> String {
    let names: Vec<_> = Shell::value_variants()
        .iter()
        .map(ToString::to_string)
        .collect();
    names.join(", ")
}

/// Returns where a shell looks for a script of this user's, under which name, and what else there
/// is to do.
fn place(home: &Home, shell: Shell) -> Option<(PathBuf, &'static str, String)> {
    Some(match shell {
        Shell::Bash => (
            home.bash_completions(),
            "git-llmpatch",
            "a new bash finds it, if it loads bash-completion (package bash-completion)".to_owned(),
        ),
        Shell::Zsh => {
            let directory = home.data().join("zsh/site-functions");
            let advice = format!(
                "zsh must look there: put this line into ~/.zshrc, before compinit is \
                     called\n    fpath=({} $fpath)",
                Shown::path(&directory)
            );
            (directory, "_git-llmpatch", advice)
        }
        // Not among the completions: fish reads those of `git` only when it completes git.
        Shell::Fish => (
            home.config().join("fish"),
            "conf.d/git-llmpatch.fish",
            "a new fish reads them".to_owned(),
        ),
        _ => return None,
    })
}

/// Returns the script of a shell.
fn script(shell: Shell) -> Vec<u8> {
    match shell {
        Shell::Bash => include_bytes!("../../completions/git-llmpatch.bash").into(),
        Shell::Zsh => include_bytes!("../../completions/_git-llmpatch").into(),
        Shell::Fish => include_bytes!("../../completions/git-llmpatch.fish").into(),
        _ => {
            let mut out = Vec::new();
            let mut command = super::command().bin_name("git-llmpatch");
            clap_complete::generate(shell, &mut command, "git-llmpatch", &mut out);
            out
        }
    }
}

/// What may be in the place of a word, and what it means.
type Candidate = (BString, Option<StyledStr>);

/// Writes what may be in the place of a word, a line each: a tab and what it means follow it.
fn candidates(at: usize, words: &[OsString]) -> Vec<u8> {
    let words: Vec<_> = words.iter().map(|word| word.as_bytes()).collect();
    let typed = words.get(at).copied().unwrap_or_default();
    let mut command = super::command();
    command.build();
    let mut out = Vec::new();
    for (name, help) in expected(&command, words.get(1..at).unwrap_or_default(), typed) {
        if !name.starts_with(typed) {
            continue;
        }
        out.extend_from_slice(&name);
        if let Some(help) = help {
            out.push(b'\t');
            out.extend(help.to_string().lines().next().unwrap_or_default().bytes());
        }
        out.push(b'\n');
    }
    out
}

/// Returns what may follow words.
fn expected(command: &Command, before: &[&[u8]], typed: &[u8]) -> Vec<Candidate> {
    let shown = |command: &&Command| !command.is_hide_set();
    let mut subcommands = command.get_subcommands().filter(shown);
    let Some((name, before)) = before.split_first() else {
        let about = |of: &Command| (of.get_name().into(), of.get_about().cloned());
        return subcommands.map(about).collect();
    };
    let Some(command) = subcommands.find(|of| of.get_name().as_bytes() == *name) else {
        return Vec::new();
    };
    let mut options = command.get_arguments().filter(|of| !of.is_hide_set());
    if typed.starts_with(b"-") && !before.contains(&&b"--"[..]) {
        let Some((name, part)) = typed.split_once_str("=") else {
            return options.flat_map(longs).collect();
        };
        let option = options.find(|option| is_named(option, name));
        let values = option.map(|option| values(option, part));
        let whole = |(value, help): Candidate| ([name, b"=", &value[..]].concat().into(), help);
        return values.into_iter().flatten().map(whole).collect();
    }
    let last = before.last().copied().unwrap_or_default();
    let is_valued = |of: &&Arg| is_named(of, last) && !of.is_require_equals_set();
    let option = options.find(|of| is_valued(of) && of.get_action().takes_values());
    let argument = option.or_else(|| command.get_positionals().next());
    argument.map_or_else(Vec::new, |argument| values(argument, typed))
}

/// Returns the long names of an option.
fn longs(option: &Arg) -> impl Iterator<Item = Candidate> {
    let names = option.get_long_and_visible_aliases().unwrap_or_default();
    let named = |name| (format!("--{name}").into(), option.get_help().cloned());
    names.into_iter().map(named)
}

fn is_named(option: &Arg, name: &[u8]) -> bool {
    let short = option.get_short().map(|short| format!("-{short}").into());
    longs(option).any(|(long, _)| long == name) || short.is_some_and(|short: BString| short == name)
}

/// Returns the values of an argument; none where those are files, whose names the shell knows.
fn values(argument: &Arg, typed: &[u8]) -> Vec<Candidate> {
    let mut names = argument.get_value_names().unwrap_or_default().iter();
    if names.any(|name| name == "rev" || name == "commit") {
        return revisions(typed);
    }
    let values = argument.get_possible_values().into_iter();
    let shown = values.filter(|value| !value.is_hide_set());
    shown
        .map(|value| (value.get_name().into(), value.get_help().cloned()))
        .collect()
}

/// Returns the revisions, behind the start of a range that is typed.
fn revisions(typed: &[u8]) -> Vec<Candidate> {
    let range = &typed[..typed.rfind("..").map_or(0, |dots| dots + 2)];
    let names = Repo::open().and_then(|repo| repo.revisions());
    let names = names.unwrap_or_default();
    let whole = |name| ([range, name].concat().into(), None);
    names.lines().map(whole).collect()
}
