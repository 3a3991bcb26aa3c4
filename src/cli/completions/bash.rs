//! The script for bash: a function that git's own completion calls, and that the same completion,
//! wrapped around it, calls for `git-llmpatch`. So words are split, revisions found and answers
//! given as for any of git's commands.

use std::fmt::Write as _;

use clap::{Arg, ArgAction, Command, ValueHint};

use super::REVISIONS;

const HEAD: &str = r#"# bash completion for git-llmpatch, made by "git llmpatch completions bash".
#
# It answers through git's own completion, for "git llmpatch" and "git-llmpatch" alike.

_git_llmpatch ()
{
	local at=$((__git_cmd_idx + 1)) command="" dashes=""
	while [ $at -lt $cword ]; do
		case "${words[at]}" in
		-*) ;;
		*)
			command="${words[at]}"
			break
			;;
		esac
		((at++))
	done
	while [ $at -lt $cword ]; do
		if [ "${words[at]}" = "--" ]; then
			dashes=1
		fi
		((at++))
	done

"#;

const TAIL: &str = r#"	esac
}

# Names the directories for "--option=<dir>" and "--option <dir>".
_git_llmpatch_directories ()
{
	local directory IFS=$'\n'
	compopt -o filenames 2>/dev/null
	COMPREPLY=($(compgen -d -- "$1"))
}

# Whoever asks for git's completion later finds ours; who asks for git-llmpatch first needs git's now.
if ! declare -f __git_complete >/dev/null; then
	if declare -f _comp_load >/dev/null; then
		_comp_load git
	elif declare -f __load_completion >/dev/null; then
		__load_completion git
	fi
fi
if ! declare -f __git_complete >/dev/null; then
	for _git_llmpatch_file in \
		/usr/share/bash-completion/completions/git \
		/usr/local/share/bash-completion/completions/git \
		/etc/bash_completion.d/git \
		/usr/share/git/completion/git-completion.bash \
		/usr/share/git-core/contrib/completion/git-completion.bash
	do
		if [ -r "$_git_llmpatch_file" ]; then
			. "$_git_llmpatch_file"
			break
		fi
	done
	unset _git_llmpatch_file
fi
if declare -f __git_complete >/dev/null; then
	__git_complete git-llmpatch _git_llmpatch
fi
"#;

/// Writes the script for a command that is built.
pub(super) fn script(command: &Command) -> String {
    let mut out = HEAD.to_owned();
    let names: Vec<_> = visible(command).map(Command::get_name).collect();
    out += "\tcase \"$command\" in\n\t\"\")\n\t\tcase \"$cur\" in\n";
    let _ = writeln!(out, "\t\t-*) __gitcomp \"{}\" ;;", options(command));
    let _ = writeln!(out, "\t\t*) __gitcomp \"{}\" ;;", names.join(" "));
    out += "\t\tesac\n\t\t;;\n";
    for subcommand in visible(command) {
        write_subcommand(&mut out, subcommand);
    }
    out + TAIL
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command
        .get_subcommands()
        .filter(|subcommand| !subcommand.is_hide_set())
}

fn shown(command: &Command) -> impl Iterator<Item = &Arg> {
    command
        .get_arguments()
        .filter(|argument| !argument.is_hide_set())
}

fn write_subcommand(out: &mut String, command: &Command) {
    let _ = writeln!(out, "\t{})", command.get_name());
    out.push_str("\t\tcase \"$dashes,$cur\" in\n\t\t1,*) return ;;\n");
    let valued =
        || shown(command).filter(|argument| !argument.is_positional() && takes_value(argument));
    for argument in valued() {
        for name in longs(argument) {
            let word = format!("${{cur#--{name}=}}");
            let _ = writeln!(out, "\t\t,--{name}=*) {} ;;", answer(argument, &word));
        }
    }
    let _ = writeln!(
        out,
        "\t\t,-*) __gitcomp \"{}\"; return ;;",
        options(command)
    );
    out.push_str("\t\tesac\n");
    let mut separate = valued()
        .filter(|argument| !argument.is_require_equals_set())
        .peekable();
    if separate.peek().is_some() {
        out.push_str("\t\tcase \"$prev\" in\n");
        for argument in separate {
            let short = argument.get_short().map(|short| format!("-{short}"));
            let names: Vec<_> = short
                .into_iter()
                .chain(longs(argument).map(|long| format!("--{long}")))
                .collect();
            let _ = writeln!(
                out,
                "\t\t{}) {} ;;",
                names.join("|"),
                answer(argument, "$cur")
            );
        }
        out.push_str("\t\tesac\n");
    }
    // A file is what bash offers where we have nothing to say.
    if let Some(positional) =
        shown(command).find(|argument| argument.is_positional() && !takes_file(argument))
    {
        let _ = writeln!(out, "\t\t{}", answer(positional, "$cur"));
    }
    out.push_str("\t\t;;\n");
}

fn takes_value(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::Set | ArgAction::Append)
}

fn longs(argument: &Arg) -> impl Iterator<Item = &str> {
    argument
        .get_long()
        .into_iter()
        .chain(argument.get_visible_aliases().unwrap_or_default())
}

fn value_names(argument: &Arg) -> impl Iterator<Item = &str> {
    argument
        .get_value_names()
        .unwrap_or_default()
        .iter()
        .map(|name| name.as_str())
}

fn takes_file(argument: &Arg) -> bool {
    let is_plain = argument.get_possible_values().is_empty()
        && !value_names(argument).any(|name| REVISIONS.contains(&name));
    is_plain && argument.get_value_hint() != ValueHint::DirPath
}

/// Returns the commands that answer with the values of an option or argument, of which a part is
/// typed.
fn answer(argument: &Arg, typed: &str) -> String {
    let values: Vec<_> = argument
        .get_possible_values()
        .iter()
        .map(|value| value.get_name().to_owned())
        .collect();
    if !values.is_empty() {
        return format!(
            "__gitcomp \"{}\" \"\" \"{typed}\"; return",
            values.join(" ")
        );
    }
    // A range will do, but not behind `--option=`, of which git's function knows nothing.
    if argument.is_positional() && value_names(argument).any(|name| name == "commit") {
        return "__git_complete_revlist; return".to_owned();
    }
    if value_names(argument).any(|name| REVISIONS.contains(&name)) {
        return format!("__git_complete_refs --cur=\"{typed}\"; return");
    }
    match argument.get_value_hint() {
        ValueHint::DirPath => format!("_git_llmpatch_directories \"{typed}\"; return"),
        _ => "return".to_owned(),
    }
}

/// Returns the long options as git's completion wants them: with `=` where a value follows.
fn options(command: &Command) -> String {
    let mut words = Vec::new();
    for argument in shown(command) {
        for name in longs(argument) {
            // A value that may be left out: both ways.
            if !takes_value(argument) || argument.is_require_equals_set() {
                words.push(format!("--{name}"));
            }
            if takes_value(argument) {
                words.push(format!("--{name}="));
            }
        }
    }
    words.join(" ")
}
