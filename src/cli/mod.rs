//! The command line: arguments in, library calls, a report and an exit status out.
//!
//! One file a subcommand, and they share one flow (`flow.rs`): a preview is an apply that stops
//! early, never a second path. Nothing is printed between the start of a transaction and its end.

mod apply;
mod apply_patch;
mod base;
mod batch;
mod check;
mod commit;
mod completions;
mod conclude;
mod config;
mod convert;
mod details;
mod diff;
mod error;
mod exit;
mod flow;
mod install;
mod manual;
mod named_file;
mod observed_tree;
mod options;
mod output;
mod pager;
mod preview;
mod progress;
mod prompt;
mod publish;
mod recover;
mod responses;
mod review;
mod selection;
mod show;
mod snapshot;
mod staged;
mod terminal;
mod undo;

pub use completions::SHIPPED;
pub use exit::Exit;

use std::ffi::OsString;
use std::mem::ManuallyDrop;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory as _, Parser, Subcommand};

use llmpatch::text::{Shown, same_ends, shell_word};

const AFTER: &str = "\
Paths in a response are from the top of the work tree, whatever the current directory.
'git llmpatch <command> -h' lists a command's options.

Exit status: 0 done; 1 the response is to blame, or the files aren't what it needs; 2 wrong usage; \
3 the repository or the system prevented it; 4 applied, with conflicts left to resolve.";

/// Apply the patches that language models write: exactly, all or nothing
#[derive(Debug, Parser)]
#[command(
    name = "git-llmpatch",
    bin_name = "git llmpatch",
    version,
    override_usage = "git llmpatch <command> [<options>] [<response>...]",
    subcommand_required = true,
    arg_required_else_help = true
)]
#[command(
    disable_help_subcommand = true,
    args_override_self = true,
    max_term_width = 100
)]
#[command(disable_help_flag = true, after_help = AFTER)]
struct Cli {
    // No `long`, so that nothing advises `--help`: git makes it a search for a manual page. Without
    // git it works.
    /// Print help
    #[arg(short = 'h', alias = "help", action = clap::ArgAction::HelpShort, global = true, display_order = 1000)]
    help: Option<bool>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Apply(Box<apply::Apply>),
    Check(check::Check),
    Diff(diff::Diff),
    Convert(convert::Convert),
    Show(show::Show),
    Snapshot(snapshot::Snapshot),
    Batch(Box<batch::Batch>),
    Undo(undo::Undo),
    Recover(recover::Recover),
    ApplyPatch(apply_patch::ApplyPatch),
    Prompt(prompt::Prompt),
    Man(manual::Man),
    Help(manual::Help),
    Completions(completions::Completions),
}

/// Does what the arguments (the program's name first) ask for, and returns how that went.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    crate::signal::wait_for_children();
    let arguments: Vec<_> = arguments.into_iter().collect();
    if let Some((_, rest)) = arguments
        .split_first()
        .filter(|(program, _)| apply_patch::is_called(program))
    {
        return apply_patch::run(rest);
    }
    // As git does, and unlike `-h`.
    let page = arguments
        .get(1)
        .filter(|_| arguments.iter().any(|word| word == "--help"))
        .cloned();
    let command = match parse_alone(&arguments) {
        Some(command) => Ok(command),
        None => Cli::try_parse_from(arguments).map(|cli| cli.command),
    };
    let done = command.and_then(|command| match command {
        Command::Apply(apply) => apply.run(),
        Command::Check(check) => check.run(),
        Command::Diff(diff) => diff.run(),
        Command::Convert(convert) => convert.run(),
        Command::Show(show) => show.run(),
        Command::Batch(batch) => batch.run(),
        Command::Snapshot(snapshot) => Ok(snapshot.run()),
        Command::Undo(undo) => Ok(undo.run()),
        Command::Recover(recover) => Ok(recover.run()),
        Command::ApplyPatch(patch) => patch.run(),
        Command::Prompt(prompt) => Ok(prompt.run()),
        Command::Man(man) => man.run(),
        Command::Help(help) => Ok(help.run()),
        Command::Completions(completions) => completions.run(),
    });
    let done = done.or_else(|usage| match page {
        Some(page) if usage.kind() == ErrorKind::DisplayHelp => {
            Ok(manual::Help::of(&page.to_string_lossy()).run())
        }
        _ => Err(usage),
    });
    done.unwrap_or_else(|mut usage| {
        keep_only_slips(&mut usage);
        show_the_way(&mut usage);
        suggest_apply(&mut usage);
        escape(&mut usage);
        // Where nobody reads it, there is nobody to tell.
        let _ = usage.print();
        if usage.use_stderr() {
            Exit::Usage
        } else {
            Exit::Done
        }
    })
}

/// Parses the arguments of the commands that programs run thousands of times, without the
/// definitions of all others, which take longer than a small change. `None` if that can't be, or
/// isn't what was asked for: then all of them are needed.
fn parse_alone(arguments: &[OsString]) -> Option<Command> {
    fn parse<A: Args>(arguments: &[OsString]) -> Option<A> {
        let command = A::augment_args(clap::Command::new("git-llmpatch").args_override_self(true));
        // The process ends soon; taking the definitions apart is an eighth of what parsing costs.
        let mut command = ManuallyDrop::new(command);
        A::from_arg_matches_mut(&mut command.try_get_matches_from_mut(arguments).ok()?).ok()
    }
    let (_, rest) = arguments.split_first()?;
    match rest.first()?.to_str()? {
        "apply" => parse(rest).map(|apply| Command::Apply(Box::new(apply))),
        "check" => parse(rest).map(Command::Check),
        "diff" => parse(rest).map(Command::Diff),
        _ => None,
    }
}

/// Leaves out the suggestion of an option that is only spelt alike and means something else:
/// `--format` for `--force`; and that of a response which is called like an option.
fn keep_only_slips(usage: &mut clap::Error) {
    let of = |kind| match usage.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    if let (Some(given), Some(meant)) = (of(ContextKind::InvalidArg), of(ContextKind::SuggestedArg))
        && !is_slip(&given, &meant)
    {
        usage.remove(ContextKind::SuggestedArg);
    }
    if let Some(ContextValue::StyledStrs(mut tips)) = usage.remove(ContextKind::Suggested) {
        tips.retain(|tip| !tip.to_string().starts_with("to pass "));
        if !tips.is_empty() {
            usage.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
    }
}

/// Adds, to the error of an option that `git apply` has, what there is here for it.
fn show_the_way(usage: &mut clap::Error) {
    let Some(ContextValue::String(given)) = usage.get(ContextKind::InvalidArg) else {
        return;
    };
    let name = given.split('=').next().unwrap_or_default();
    let way = GITS_OPTIONS
        .iter()
        .find(|(names, _)| names.split(' ').any(|known| known == name))
        .map(|(_, way)| *way);
    if let Some(way) = way {
        usage.remove(ContextKind::SuggestedArg);
        // A line each, none wider than a terminal.
        usage.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(way.split("; ").map(Into::into).collect()),
        );
    }
}

/// Adds, to the error of a command that is none but a file, what applies the file.
fn suggest_apply(usage: &mut clap::Error) {
    let Some(ContextValue::String(given)) = usage.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    if Path::new(given).is_file() {
        let way = format!(
            "`git llmpatch apply {}` applies it",
            shell_word(given.as_bytes())
        );
        usage.remove(ContextKind::SuggestedSubcommand);
        usage.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![way.into()]),
        );
    }
}

/// Escapes in what was given whatever a terminal might obey.
fn escape(usage: &mut clap::Error) {
    let given = usage.context();
    let all: Vec<_> = given.map(|(kind, value)| (kind, value.clone())).collect();
    let shown = |text: String| Shown(text.as_bytes()).to_string();
    for (kind, value) in all {
        let value = match value {
            ContextValue::String(text) => ContextValue::String(shown(text)),
            ContextValue::Strings(texts) => {
                ContextValue::Strings(texts.into_iter().map(shown).collect())
            }
            _ => continue,
        };
        usage.insert(kind, value);
    }
}

/// What `git apply` has an option for, and where it is here.
const GITS_OPTIONS: [(&str, &str); 7] = [
    (
        "-R --reverse",
        "'git llmpatch undo' takes back the last apply; 'git llmpatch diff --onto=<rev> \
             <response> | git apply -R' undoes others",
    ),
    (
        "--reject",
        "a change is made whole or not at all; 'git llmpatch apply -i' asks for each file and hunk",
    ),
    (
        "--whitespace",
        "lines are applied as written; 'git llmpatch diff <response> | git apply \
             --whitespace=fix' corrects them",
    ),
    ("--staged", "the index alone is '--cached'"),
    (
        "-C --ignore-whitespace --ignore-space-change --inaccurate-eof",
        "text must be in the file as written; '--fuzz=<level>' says what may differ",
    ),
    (
        "--unidiff-zero --binary",
        "this is done without an option, if only one result is possible",
    ),
    ("--amend", "apply with '--index', then 'git commit --amend'"),
];

/// Returns whether two names are one but for a letter that is missing, too many, another or in its
/// neighbour's place, or for whole words at the end of either.
fn is_slip(given: &str, meant: &str) -> bool {
    let given = given.split('=').next().unwrap_or_default();
    let a = given.as_bytes();
    let b = meant.as_bytes();
    let (head, tail) = same_ends(a, b);
    match (&a[head..a.len() - tail], &b[head..b.len() - tail]) {
        ([x, y], [v, w]) => (x, y) == (w, v),
        (a, b) if a.len() <= 1 && b.len() <= 1 => true,
        ([], rest) | (rest, []) => tail == 0 && rest[0] == b'-',
        _ => false,
    }
}

pub use options::options_by_format;

/// Returns the definitions of the command line, from which pages and scripts are made.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Makes the error of options that don't go together.
fn usage(subcommand: &str, message: &str) -> clap::Error {
    let mut command = Cli::command();
    command.build();
    let error = command
        .find_subcommand_mut(subcommand)
        .map(|of| of.error(ErrorKind::ArgumentConflict, message));
    error.unwrap_or_else(|| clap::Error::raw(ErrorKind::ArgumentConflict, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_suggested_only_for_a_slip() {
        for (given, meant, want) in [
            ("--force", "--format", false),
            ("--staged", "--stat", false),
            ("--forat", "--format", true),
            ("--fromat", "--format", true),
            ("--formats=x", "--format", true),
            ("--dry", "--dry-run", true),
            ("--index-only", "--index", true),
            ("--amend", "--apply", false),
        ] {
            assert_eq!(is_slip(given, meant), want, "{given} {meant}");
        }
    }

    #[test]
    fn a_command_that_is_parsed_alone_is_what_it_is_among_all() {
        for line in [
            "apply",
            "apply answer.txt -",
            "apply --commit -m x -m y --trailer=a:b -s -S --no-verify --author=A <a@b>",
            "apply --index --stat --numstat --apply --json -q -q",
            "apply --fuzz=indent --fuzz trailing --limit=src --limit=:!x -- --index",
            "check --staged a b --feedback -v",
            "check --format=opx --onto=HEAD --color=never",
            "apply --onto=HEAD --commit --branch x -m y",
            "diff --cached --strict --directory=x answer.txt",
        ] {
            let arguments: Vec<_> = ["git-llmpatch"]
                .into_iter()
                .chain(line.split(' '))
                .map(OsString::from)
                .collect();
            let alone = parse_alone(&arguments).unwrap_or_else(|| panic!("{line}"));
            let whole = Cli::try_parse_from(&arguments)
                .unwrap_or_else(|error| panic!("{error}"))
                .command;
            assert_eq!(format!("{alone:?}"), format!("{whole:?}"), "{line}");
        }
        for line in [
            "",
            "apply -h",
            "check --help",
            "diff --no-such",
            "show HEAD",
            "-h",
            "apply --fuzz=all",
        ] {
            let arguments: Vec<_> = ["git-llmpatch"]
                .into_iter()
                .chain(line.split(' '))
                .map(OsString::from)
                .collect();
            assert!(parse_alone(&arguments).is_none(), "{line}");
        }
    }

    #[test]
    fn the_command_line_is_consistent_and_every_option_has_help() {
        let mut command = Cli::command();
        command.build();
        command.clone().debug_assert();
        for subcommand in command.get_subcommands() {
            assert!(
                subcommand.get_about().is_some(),
                "{}",
                subcommand.get_name()
            );
            for argument in subcommand.get_arguments() {
                assert!(
                    argument.get_help().is_some(),
                    "{} {}",
                    subcommand.get_name(),
                    argument.get_id()
                );
            }
        }
    }
}
