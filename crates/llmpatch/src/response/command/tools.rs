//! The lists of commands, each a row: programs that apply patches, their options, and commands that
//! aren't read beside a patch.

use super::Doubt;
use crate::response::embedded::joined;
use Effect::{Directory, Nothing, Only, Prefix, Recount, Reverse, Strip, Trial};

/// A program that applies patches, by the words that it is called by.
struct Applier {
    name: &'static str,
    options: &'static [(&'static str, Effect)],
    names: Names,
}

/// From where the names in a patch count.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Names {
    /// From the directory of the command.
    #[default]
    Here,
    /// Those in the script of a shell.
    Script,
    /// From the directory, but only their last parts if no number is given.
    Last,
    /// From the top of the work tree.
    Top,
    /// From the directory, but behind `diff --git` from the top.
    Git,
}

#[derive(Clone, Copy)]
enum Effect {
    Nothing,
    /// No effect, if it has this value.
    Only(&'static str),
    Trial,
    Reverse,
    Recount,
    /// Its value is the directory of the command.
    Directory,
    /// Its value is put before the names.
    Prefix,
    /// Its value is how many directories are taken off the names.
    Strip,
}

const APPLIERS: [Applier; 7] = [
    applier("apply_patch", &[("-", Nothing)], Names::Here),
    applier("applypatch", &[("-", Nothing)], Names::Here),
    applier("patch", PATCH, Names::Last),
    applier("git apply", GIT, Names::Git),
    applier("git am", GIT, Names::Top),
    applier("git llmpatch apply", GIT, Names::Top),
    applier("git-llmpatch apply", GIT, Names::Top),
];

const fn applier(
    name: &'static str,
    options: &'static [(&'static str, Effect)],
    names: Names,
) -> Applier {
    Applier {
        name,
        options,
        names,
    }
}

const GIT: &[(&str, Effect)] = &[
    ("-", Nothing),
    ("-N", Nothing),
    ("-v", Nothing),
    ("--verbose", Nothing),
    ("--unidiff-zero", Nothing),
    ("--whitespace", Only("nowarn")),
    ("--check", Trial),
    ("--stat", Trial),
    ("-R", Reverse),
    ("--reverse", Reverse),
    ("--recount", Recount),
    ("--directory", Prefix),
    ("-p", Strip),
];

/// `-` is the name of a file for `patch`, seen with GNU patch 2.7.
const PATCH: &[(&str, Effect)] = &[
    ("-N", Nothing),
    ("--forward", Nothing),
    ("--verbose", Nothing),
    ("--dry-run", Trial),
    ("-R", Reverse),
    ("--reverse", Reverse),
    ("-d", Directory),
    ("--directory", Directory),
    ("-p", Strip),
    ("--strip", Strip),
];

/// The shells whose script is read, and the options behind which it is.
const SHELLS: &[&str] = &["bash", "sh", "zsh"];
const SCRIPT: &[&str] = &["-c", "-lc"];

/// Commands after which nobody can say what the others do, or whether they run.
#[rustfmt::skip]
const UNREAD: &[&str] = &[
    "if", "then", "elif", "else", "fi", "for", "select", "while", "until", "do", "done", "case",
    "esac", "function", "coproc", "time", "test", "false", "break", "continue",
    "exit", "return", "logout", "suspend", "kill", "exec", "eval", "source", ".", "trap",
    "builtin", "command", "env", "alias", "unalias", "enable", "shopt",
    "cd", "chdir", "pushd", "popd", "dirs",
    "export", "unset", "declare", "typeset", "local", "readonly", "read", "mapfile", "readarray",
    "let", "getopts", "shift",
];

/// Commands for which that is so with certain words.
#[rustfmt::skip]
const UNREAD_WITH: &[(&str, &[&str])] = &[
    ("printf", &["-v"]),
    ("wait", &["-p"]),
    ("jobs", &["-x"]),
    ("git", &[
        "apply", "am", "llmpatch", "bisect", "checkout", "checkout-index", "cherry-pick", "clean",
        "merge", "mv", "pull", "read-tree", "rebase", "reset", "restore", "revert", "rm",
        "sparse-checkout", "stash", "submodule", "switch", "worktree",
    ]),
];

/// What `set` may be given.
const SET: &[&str] = &["-e", "-u", "-x", "-eu", "-ex", "-ux", "-eux"];

/// What a command does.
pub(super) enum Act<'w> {
    /// Nothing that matters to patches.
    Other,
    Enters(&'w str),
    Applies(Call<'w>),
}

/// What a program that applies patches is told, or a shell.
#[derive(Default)]
pub(super) struct Call<'w> {
    pub(super) name: &'static str,
    pub(super) names: Names,
    /// The directory that it enters.
    pub(super) directory: String,
    /// The directory that it puts before the names.
    pub(super) prefix: &'w str,
    pub(super) strip: Option<u32>,
    pub(super) recount: bool,
    /// The option by which it applies nothing.
    pub(super) trial: Option<String>,
    /// The patch, or the script of a shell, if it is a word.
    pub(super) given: Option<&'w str>,
}

/// A word that is in no list, and what that means.
pub(super) type Odd<'w> = (&'w str, fn(String) -> Doubt);

/// Returns what a command does.
pub(super) fn act<'w>(words: &[&'w str]) -> Result<Act<'w>, Odd<'w>> {
    let [first, args @ ..] = words else {
        return Ok(Act::Other);
    };
    let name = first.rsplit('/').next().unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._+-/".contains(c);
    let is_odd = first.is_empty() || !first.chars().all(is_plain) || UNREAD.contains(&name);
    match (*first, args) {
        ("cd", [step]) if is_step(step) => return Ok(Act::Enters(step)),
        ("cd", [odd, ..]) => return Err((odd, Doubt::Word)),
        (_, [option, script]) if SHELLS.contains(&name) && SCRIPT.contains(option) => {
            return Ok(Act::Applies(Call {
                names: Names::Script,
                given: Some(script),
                ..Call::default()
            }));
        }
        _ if is_odd => return Err((first, Doubt::Word)),
        _ => {}
    }
    let mut call = Call::default();
    let mut rest = args;
    while let ("git", ["-C", step, more @ ..]) = (name, rest)
        && is_below(step)
    {
        call.directory = joined(&call.directory, step);
        rest = more;
    }
    for applier in &APPLIERS {
        let mut words = applier.name.split(' ');
        if words.next() == Some(name)
            && let Some(rest) = rest.strip_prefix(&words.collect::<Vec<_>>()[..])
        {
            return call.told(applier, rest).map(Act::Applies);
        }
    }
    let with = UNREAD_WITH.iter().find(|(known, _)| *known == name);
    let odd = args.iter().find(|word| {
        name == "set" && !SET.contains(word) || with.is_some_and(|(_, by)| by.contains(word))
    });
    odd.map_or(Ok(Act::Other), |word| Err((word, Doubt::Word)))
}

/// Returns whether a word names a directory for `cd`.
fn is_step(word: &str) -> bool {
    !word.is_empty() && !word.starts_with('-')
}

/// Returns whether a word names a directory for a program, which follows links before it goes up; a
/// shell doesn't.
fn is_below(word: &str) -> bool {
    is_step(word) && word.split('/').all(|name| name != "..")
}

/// Splits the first letter off a text.
fn letter(text: &str) -> (&str, &str) {
    text.split_at_checked(1).unwrap_or((text, ""))
}

impl<'w> Call<'w> {
    /// Takes in the words behind the name of a program.
    fn told(mut self, applier: &Applier, words: &[&'w str]) -> Result<Self, Odd<'w>> {
        (self.name, self.names) = (applier.name, applier.names);
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let odd: Odd<'w> = (word, Doubt::Word);
            if word.contains('\n') && self.given.is_none() && self.names == Names::Here {
                self.given = Some(word);
                continue;
            }
            let option = word.strip_prefix('-').ok_or(odd)?;
            let is_long = option.is_empty() || option.starts_with('-');
            // `--strip=1`, or `-Np1` for `-N -p 1`.
            let (mut name, mut rest) = match option.split_once('=') {
                Some((name, value)) if is_long && !value.is_empty() => (name, value),
                _ if is_long => (option, ""),
                _ => letter(option),
            };
            loop {
                let mut options = applier.options.iter();
                let effect = options.find(|(known, _)| known[1..] == *name).ok_or(odd)?.1;
                let is_valued = matches!(effect, Directory | Prefix | Strip | Only(_));
                if is_valued && rest.is_empty() {
                    rest = words.next().ok_or(odd)?;
                }
                match effect {
                    Nothing => {}
                    Only(known) if known == rest => {}
                    Recount => self.recount = true,
                    Trial => self.trial = Some((*word).to_owned()),
                    Directory if is_below(rest) => {
                        self.directory = joined(&self.directory, rest);
                    }
                    Prefix if is_below(rest) => self.prefix = rest,
                    Strip => self.strip = Some(rest.parse().map_err(|_| odd)?),
                    Reverse => return Err((word, Doubt::Reverse)),
                    Only(_) | Directory | Prefix => return Err(odd),
                }
                match rest {
                    _ if is_valued || rest.is_empty() => break,
                    _ if is_long => return Err(odd),
                    _ => (name, rest) = letter(rest),
                }
            }
        }
        Ok(self)
    }
}
