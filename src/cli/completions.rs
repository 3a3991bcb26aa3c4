//! Completion scripts: made from the same definitions as `-h`.
//!
//! bash has git's own completion, which asks a function `_git_llmpatch` about `git llmpatch …`;
//! ours is written for that (`completions/bash.rs`) and serves `git-llmpatch …` as well, since
//! clap's script can neither answer through git nor be called by a name with a hyphen. zsh asks a
//! completion of `git-llmpatch` about both spellings, and fish can be told to, so clap's scripts
//! do, with revisions added, which clap knows nothing of.

mod bash;

use std::path::PathBuf;

use clap::{Args, ValueEnum as _};
use clap_complete::Shell;

use super::conclude;
use super::exit::Exit;
use super::install::{self, Home, InstalledFile};
use super::output;
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

/// Writes the script of a shell.
fn script(shell: Shell) -> Vec<u8> {
    let mut command = super::command();
    command.build();
    if shell == Shell::Bash {
        return bash::script(&command).into_bytes();
    }
    // clap would describe how git calls us, and calls functions by that name.
    let mut command = super::command().bin_name("git-llmpatch");
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut command, "git-llmpatch", &mut out);
    let script = String::from_utf8(out).unwrap_or_default();
    match shell {
        Shell::Zsh => with_revisions_for_zsh(&with_names_for_zsh(&script)),
        Shell::Fish => with_revisions_for_fish(&script),
        _ => script,
    }
    .into_bytes()
}

const ZSH_REVISIONS: &str = r#"
(( $+functions[_git-llmpatch_revisions] )) ||
_git-llmpatch_revisions() {
    local -a refs
    refs=(HEAD ${(f)"$(git for-each-ref --format='%(refname:short)' 2>/dev/null)"})
    compadd -a refs
}
"#;

/// Escapes the colons in the names of values, which clap writes as they are: zsh takes what follows
/// one for a command.
fn with_names_for_zsh(script: &str) -> String {
    let command = super::command();
    let arguments = command
        .get_subcommands()
        .flat_map(clap::Command::get_arguments);
    let names = arguments.flat_map(|argument| argument.get_value_names().unwrap_or_default());
    let with_colon = names.filter(|name| name.contains(':'));
    with_colon.fold(script.to_owned(), |script, name| {
        script.replace(
            &format!(":{name}:"),
            &format!(":{}:", name.replace(':', "\\:")),
        )
    })
}

fn with_revisions_for_zsh(script: &str) -> String {
    let mut script = REVISIONS.iter().fold(script.to_owned(), |script, name| {
        script.replace(
            &format!(":{name}:_default"),
            &format!(":{name}:_git-llmpatch_revisions"),
        )
    });
    for argument in revisions(&super::command()).filter(|argument| argument.is_positional()) {
        // One colon before what must be there, two before what may.
        let start = format!("{} -- ", argument.get_id());
        let is_it = |line: &&str| line.trim_start_matches(['\'', ':']).starts_with(&start);
        let line = script.lines().find(is_it).unwrap_or_default().to_owned();
        script = script.replace(
            &line,
            &line.replace(":_default'", ":_git-llmpatch_revisions'"),
        );
    }
    // After the first lines, which must stay first: compinit looks for `#compdef` there.
    match script.split_once("\n\n") {
        Some((head, rest)) => format!("{head}\n{ZSH_REVISIONS}\n{rest}"),
        None => script,
    }
}

fn with_revisions_for_fish(script: &str) -> String {
    const REFS: &str =
        r#" -f -a "HEAD (git for-each-ref --format='%(refname:short)' 2>/dev/null)""#;
    let command = super::command();
    let options: Vec<_> = revisions(&command)
        .filter_map(|argument| Some(format!(" -l {} ", argument.get_long()?)))
        .collect();
    let is_option = |line: &str| options.iter().any(|option| line.contains(option));
    let lines = script
        .lines()
        .map(|line| format!("{line}{}\n", if is_option(line) { REFS } else { "" }));
    let mut script: String = lines.collect();
    for subcommand in command.get_subcommands() {
        let Some(argument) = subcommand
            .get_arguments()
            .find(|argument| argument.is_positional())
        else {
            continue;
        };
        let values: Vec<_> = argument
            .get_possible_values()
            .iter()
            .map(|value| value.get_name().to_owned())
            .collect();
        let answer = match values.is_empty() {
            false => format!(" -f -a \"{}\"", values.join(" ")),
            true if takes_revision(argument) => REFS.to_owned(),
            true => continue,
        };
        let name = subcommand.get_name();
        script += &format!(
            "complete -c git-llmpatch -n \"__fish_git_llmpatch_using_subcommand {name}\"{answer}\n"
        );
    }
    script + FISH_GIT
}

/// fish's completion of git has a rule for commands that aren't git's own, which doesn't work in
/// every fish.
const FISH_GIT: &str = r#"
function __fish_git_llmpatch_of_git
    set -l words (commandline -opc)
    set -e words[1..(contains -i llmpatch $words)]
    set -l typed (string join " " -- (string escape -- $words))
    set -l word (commandline -ct)
    complete -C "git-llmpatch $typed $word"
end
complete -c git -n __fish_git_needs_command -f -a llmpatch -d "Apply the patches that language models write"
complete -c git -n "__fish_git_using_command llmpatch" -f -a "(__fish_git_llmpatch_of_git)"
"#;

/// Returns the arguments of all subcommands that are revisions.
fn revisions(command: &clap::Command) -> impl Iterator<Item = &clap::Arg> {
    command
        .get_subcommands()
        .flat_map(clap::Command::get_arguments)
        .filter(|argument| takes_revision(argument))
}

fn takes_revision(argument: &clap::Arg) -> bool {
    let names = argument.get_value_names().unwrap_or_default();
    names.iter().any(|name| REVISIONS.contains(&name.as_str()))
}

/// The names of values that are revisions.
const REVISIONS: [&str; 2] = ["rev", "commit"];
