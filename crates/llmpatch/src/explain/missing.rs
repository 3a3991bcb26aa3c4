//! What there is where a file was looked for that isn't there.

use bstr::{BString, ByteSlice as _};

use super::difference::Difference;
use crate::path::RepoPath;
use crate::plan::{Missing, Suggestion};
use crate::report::Diagnostic;
use crate::text::{Shown, shell_word};
use crate::tree::Gone;

pub(super) fn missing(of: Diagnostic, path: &RepoPath, why: &Missing) -> Diagnostic {
    match why {
        Missing::Never(suggestion) => suggested(of, path, suggestion),
        Missing::Tracked {
            gone: Gone::LeftOut,
            ..
        } => of
            .help(
                "sparse checkout left it out; `git sparse-checkout add <directory>` brings it back",
            )
            .advice("leave the file alone"),
        Missing::Tracked {
            gone: Gone::Unadded,
            ..
        } => of
            .help("`git add` it first (`git add --force`, if it is ignored), or apply without --cached")
            .advice("leave the patch as it is: whoever applies it has to add the file first"),
        Missing::Tracked {
            gone: Gone::NotInBase(how),
            ..
        } => of
            .help(how.help())
            .advice("leave the file alone: it isn't one of those that you were shown"),
        Missing::Tracked { gone, is_to_go } => {
            let staged = if *gone == Gone::Unstaged {
                " --staged"
            } else {
                ""
            };
            let back = format!("bring it back with `git restore{staged} <path>`");
            if *is_to_go {
                of.help(format!(
                    "leave this out if the file is to be gone, or {back}"
                ))
            } else {
                of.help(back)
                    .advice("leave the file alone, or add it as a new one")
            }
        }
        Missing::BelowFile(_) => of.stated(why),
        Missing::Deleted(by) => of.cause(*by).stated(why),
        Missing::Moved { to, by } => of.cause(*by).help(format!("name it `{to}` from there on")),
    }
}

/// Says what there is where a file was looked for that never was, and what to do.
fn suggested(of: Diagnostic, path: &RepoPath, suggestion: &Suggestion) -> Diagnostic {
    let Suggestion {
        meant,
        below,
        is_to_go,
        is_to_come,
        ..
    } = suggestion;
    let correct = if *is_to_come {
        "correct the path; if a new file is meant, write `./` before it"
    } else {
        "correct the path in the patch"
    };
    let or_not = if *is_to_go {
        "leave this out if the file is gone already"
    } else {
        "let the patch add the file"
    };
    let Some((directory, written)) = below else {
        let of = match meant {
            Some(meant) => of
                .note(format!("did you mean `{meant}`?"))
                .notes(Difference::of_names(path.as_bytes(), meant.as_bytes()))
                .help(match option_for(path, meant, suggestion) {
                    Some(option) => format!("{correct}, or run it with `{option}`"),
                    None => correct.to_owned(),
                })
                .advice(correct),
            None => of.help(format!(
                "paths count from the top of the repository; correct it, or {or_not}"
            )),
        };
        return of.notes(others(suggestion));
    };
    let of = of.advice(
        "paths are looked for below that directory; if yours is right, leave it: whoever \
             applies the patch has to correct that",
    );
    let inside = |meant: &RepoPath| {
        let rest = meant
            .as_bytes()
            .strip_prefix(directory.as_bytes())?
            .strip_prefix(b"/")?;
        Some(Shown(rest).to_string())
    };
    let of = match (meant, meant.as_ref().and_then(inside)) {
        (Some(meant), Some(inside)) => of
            .note(format!(
                "did you mean `{meant}`? below `{directory}`, where paths begin here, it is \
                 `{inside}`"
            ))
            .help(correct),
        (Some(meant), None) => of
            .note(format!(
                "there is `{meant}`, but below `{directory}`, where paths begin here, the patch's \
                     `{}` is `{path}`",
                Shown(written)
            ))
            .help("correct --directory, or leave it out"),
        (None, _) => of
            .note(format!(
                "below `{directory}`, where paths begin here, the patch's `{}` is `{path}`",
                Shown(written)
            ))
            .help(if *is_to_go {
                "correct --directory or the path; if the file is gone already, leave this \
                     out"
            } else {
                "correct --directory or the path, or let the patch add the file"
            }),
    };
    of.notes(others(suggestion))
}

/// Returns the option with which one path becomes another: a directory goes before it, or, in a
/// diff, directories are taken off it.
fn option_for(path: &RepoPath, meant: &RepoPath, of: &Suggestion) -> Option<String> {
    let before = |long: &RepoPath, short: &RepoPath| {
        let rest = long.as_bytes().strip_suffix(short.as_bytes())?;
        rest.strip_suffix(b"/").map(BString::from)
    };
    if let Some(directory) = before(meant, path)
        && of.is_as_written
    {
        return Some(format!("--directory={}", shell_word(&directory)));
    }
    before(path, meant)?;
    let count = of
        .depth?
        .checked_sub(meant.as_bytes().find_iter("/").count())?;
    Some(format!("-p{count}"))
}

fn others(suggestion: &Suggestion) -> Option<String> {
    let Suggestion {
        others,
        count,
        directory,
        same_name,
        ..
    } = suggestion;
    let names: Vec<_> = others
        .iter()
        .map(|name| format!("`{}`", Shown(name)))
        .collect();
    let names = match count - others.len() {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    };
    (!others.is_empty()).then(|| match directory {
        _ if *same_name => format!("there are {names}"),
        Some(directory) => format!("`{directory}` holds {names}"),
        None => format!("the top of the repository holds {names}"),
    })
}
