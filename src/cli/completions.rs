//! Completions, from the same definitions as `-h`.
//!
//! The scripts for bash, zsh and fish ask the program itself what may follow, for `git llmpatch …`
//! and `git-llmpatch …` alike. Files are left to the shells, which know how names are written
//! there.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use bstr::ByteSlice as _;
use clap::{Arg, Args, ValueEnum as _, ValueHint};
use clap_complete::Shell;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, complete};

use super::conclude;
use super::exit::Exit;
use super::install::{self, Home, InstalledFile};
use super::output;
use crate::repo::{Repo, references};
use crate::system::OsStrExt as _;
use llmpatch::text::shell_word;

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
                shell_word(directory.as_os_str().as_bytes())
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

/// Writes what may be in the place of a word, a line each: a tab and what it means follow it.
fn candidates(at: usize, words: &[OsString]) -> Vec<u8> {
    let mut command = super::command().mut_subcommands(|of| of.mut_args(completed));
    let found = complete(&mut command, words.to_vec(), at, None).unwrap_or_default();
    let is_empty = words.get(at).is_none_or(|typed| typed.is_empty());
    let mut out = Vec::new();
    for candidate in found {
        let name = candidate.get_value().as_bytes();
        // Options are offered to whoever begins one.
        if is_empty && name.starts_with(b"-") {
            continue;
        }
        out.extend_from_slice(name);
        if let Some(help) = candidate.get_help() {
            out.push(b'\t');
            out.extend(help.to_string().lines().next().unwrap_or_default().bytes());
        }
        out.push(b'\n');
    }
    out
}

/// Says what the values of an argument are: revisions, or what it names itself. Files the shells know.
fn completed(argument: Arg) -> Arg {
    let mut names = argument.get_value_names().unwrap_or_default().iter();
    if names.any(|name| name == "rev" || name == "commit") {
        return argument.add(ArgValueCompleter::new(revisions));
    }
    match argument.get_value_hint() {
        ValueHint::Unknown => argument,
        _ => argument.value_hint(ValueHint::Other),
    }
}

/// Returns the revisions, behind the start of a range that is typed.
fn revisions(typed: &OsStr) -> Vec<CompletionCandidate> {
    let typed = typed.as_bytes();
    let (range, part) = typed.split_at(typed.rfind("..").map_or(0, |dots| dots + 2));
    let names = Repo::open().and_then(|repo| references::names(&repo));
    let names = names.unwrap_or_default();
    let found = names.lines().filter(|name| name.starts_with(part));
    let whole = found.map(|name| OsStr::from_bytes(&[range, name].concat()).to_owned());
    whole.map(CompletionCandidate::new).collect()
}
