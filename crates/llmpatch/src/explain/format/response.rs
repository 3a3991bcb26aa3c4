use crate::format::unified;
use crate::kind::Kind;
use crate::report::{Diagnose, Diagnostic};
use crate::response::command;
use crate::response::{Error, NoPatch, Warning};
use crate::text::LineNo;

impl Diagnose for Error {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::fixed(Kind::Parse, self);
        match self {
            Error::Format(error) => error.diagnostic(),
            Error::Utf16 { encoding } => of.help(format!(
                "convert it first: `iconv -f {encoding} -t UTF-8 response.txt | git \
                     llmpatch apply`"
            )),
            Error::NoPatch(why) => why.diagnostic(),
            Error::Mixed {
                first,
                line,
                second,
            } => of
                .label(format!("{} begins here", second.a_patch()))
                .note(format!("{} begins in line {line}", first.a_patch()))
                .help(format!(
                    "one of them is probably quoted: read only one with \
                         `--format={first}` or `--format={second}`, or ask for a response in \
                         one format"
                )),
            Error::Half { near } => of.help(near.instead).advice(near.instead),
            Error::Command(trouble) => of.help(match trouble {
                command::Doubt::Reverse(_) => {
                    "to take a patch back, give the patch that makes it undone; or use `git \
                     llmpatch undo`"
                }
                _ => {
                    "give the patch itself, without a command; `--directory=<dir>` says in which \
                     directory it is meant"
                }
            }),
            _ => of,
        }
    }
}

/// Adds what to do if it is meant, where that isn't always the same.
fn if_meant(of: Diagnostic, what: &NoPatch) -> Diagnostic {
    let of = of.stated(what);
    match what {
        NoPatch::Reasoning(open, close) => of.help(format!(
            "take away the `{open}` and `{close}` around it if it is meant"
        )),
        NoPatch::Unclosed(open) => of.help(format!(
            "put the closing mark of `{open}` before it if it is meant"
        )),
        NoPatch::Unopened(close) => {
            of.help(format!("take away the `{close}` behind it if it is meant"))
        }
        NoPatch::Thoughts(place) | NoPatch::Elsewhere(place) | NoPatch::Beside(place) => of
            .help(format!(
                "if it is meant, give it by itself, as `jq -r '.{}'` prints it from this JSON",
                place.trim_start_matches(['$', '.'])
            ))
            .advice("if it is meant, give it by itself"),
        NoPatch::Near(row) => of.help(row.instead),
        _ => of,
    }
}

impl Diagnose for NoPatch {
    fn diagnostic(&self) -> Diagnostic {
        const SAY: &str = "say what is to be changed in a patch, such as one from a line `*** Begin Patch` to a \
             line `*** End Patch`";
        let of = Diagnostic::fixed(Kind::Parse, self);
        match self {
            NoPatch::StrayHeader {
                more, begin, ended, ..
            } => stray_header(of, *more, *begin, *ended),
            NoPatch::StrayEnd { ended } => of.help(format!(
                "what is between line {ended} and here is in no patch: if line {ended} is \
                     a line of a file, write its prefix before it; else take this line out"
            )),
            NoPatch::StrayHunk { more } => of.notes(super::more(
                *more,
                "another hunk after it has no file either",
                "# more hunks after it have no file either",
            )),
            NoPatch::Encoded { near } | NoPatch::Loose { near } => {
                of.help(near.instead).advice(near.instead)
            }
            NoPatch::Apart => unified::Error::Apart.diagnostic(),
            NoPatch::Combined => unified::Error::Combined.diagnostic(),
            NoPatch::Blocks(error) => error.diagnostic(),
            NoPatch::Nothing | NoPatch::NoText | NoPatch::Prose | NoPatch::Files { .. } => {
                of.advice(SAY)
            }
            NoPatch::OtherFormat { asked, found } => of
                .label(format!("this one is {found}"))
                .help(format!("leave `--format` out, or give `--format={found}`"))
                .advice(format!("send {}", asked.a_patch())),
            hidden if hidden.is_hidden() => {
                let of = Diagnostic::new(Kind::Parse).label(format!("this patch is in {hidden}"));
                if_meant(of, hidden)
            }
            nearly if nearly.is_nearly() => if_meant(of.label("this"), nearly),
            _ => of,
        }
    }
}

fn stray_header(
    of: Diagnostic,
    more: usize,
    begin: Option<LineNo>,
    ended: Option<LineNo>,
) -> Diagnostic {
    let of = of
        .label("belongs to no patch")
        .notes(ended.map(|ended| format!("the patch before ended in line {ended}")))
        .notes(super::more(
            more,
            "another header after it can't be read for the same reason",
            "# more headers after it can't be read for the same reason",
        ));
    match (begin, ended) {
        (Some(line), _) => of.help(format!(
            "put `*** Begin Patch` on a line of its own in line {line}"
        )),
        (None, Some(ended)) => of.help(format!(
            "take out the `*** End Patch` in line {ended} if it came too early (a line of \
                 a file needs its prefix before it), or put `*** Begin Patch` before this \
                 line"
        )),
        (None, None) => of
            .help(
                "put `*** Begin Patch` before it and `*** End Patch` at the end; if the \
                     start of the response is missing, ask for it again",
            )
            .advice("put `*** Begin Patch` before it and `*** End Patch` at the end"),
    }
}

impl Diagnose for Warning {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::fixed(Kind::Parse, self);
        match self {
            Warning::Format(warning) => warning.diagnostic(),
            Warning::Hidden { by, .. } => if_meant(Diagnostic::fixed(Kind::DraftPatch, by), by),
            Warning::Nearly { what } => if_meant(of, what),
            Warning::RepeatedEdit { path, .. } => of.path(path),
            _ => of,
        }
    }
}
