use crate::format::unified;
use crate::kind::Kind;
use crate::report::{Diagnose, Diagnostic};
use crate::response::command;
use crate::response::{Absence, Error, Hiding, Nearly, Residue, Warning};
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
            Error::NoPatch(absence) => absence.diagnostic(),
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
            Error::Residue(residue) => residue.diagnostic(),
            Error::Half { near } => of.help(near.instead).advice(near.instead),
            Error::Command(trouble) => of.help(match trouble {
                command::Doubt::Reverse(_) => {
                    "to take a patch back, give the patch that makes it undone, or use `git \
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

/// Says how what is nearly a patch is written.
fn correct(what: &Nearly) -> &'static str {
    match what {
        Nearly::Trial { .. } => "give the patch itself if it is meant",
        Nearly::Row(row) => row.instead,
        Nearly::File { .. } => {
            "if the fence holds the whole file, give it by itself with `--format=files`"
        }
    }
}

/// Returns the kind of a warning of a patch that doesn't count.
fn kind_of(by: &Hiding) -> Kind {
    match by {
        Hiding::Comment => Kind::CommentedPatch,
        Hiding::Quote | Hiding::Beside(_) => Kind::QuotedPatch,
        Hiding::Elsewhere(_) => Kind::UnknownPlace,
        Hiding::Undone(_) | Hiding::Past => Kind::UndoneCall,
        Hiding::Reasoning(..)
        | Hiding::Unclosed(_)
        | Hiding::Unopened(_)
        | Hiding::Others(_)
        | Hiding::Thoughts(_) => Kind::DraftPatch,
    }
}

/// Says what to do if a patch that doesn't count is meant.
fn meant(by: &Hiding) -> String {
    match by {
        Hiding::Comment => "take away the `<!--` and `-->` around it if it is meant".into(),
        Hiding::Reasoning(open, close) => {
            format!("take away the `{open}` and `{close}` around it if it is meant")
        }
        Hiding::Unclosed(open) => {
            format!("put the closing mark of `{open}` before it if it is meant")
        }
        Hiding::Unopened(close) => format!("take away the `{close}` behind it if it is meant"),
        Hiding::Quote => "take away the `>` before its lines if it is meant".into(),
        Hiding::Others(_) => "give it in a response of its own if it is meant".into(),
        Hiding::Thoughts(place) | Hiding::Elsewhere(place) | Hiding::Beside(place) => format!(
            "if it is meant, give it by itself, as `jq -r '.{}'` prints it from this JSON",
            place.trim_start_matches(['$', '.'])
        ),
        Hiding::Past => "give what it suggests as a patch if it is meant".into(),
        Hiding::Undone(_) => {
            "give the call in a response of its own if it is to be made after all".into()
        }
    }
}

impl Diagnose for Residue {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::fixed(Kind::Parse, self);
        match self {
            Residue::StrayHeader {
                more, begin, ended, ..
            } => stray_header(of, *more, *begin, *ended),
            Residue::StrayEnd { ended } => of.help(format!(
                "what is between line {ended} and here is in no patch: if line {ended} is \
                     a line of a file, write its prefix before it; else take this line out"
            )),
            Residue::StrayHunk { more } => of.notes(super::more(
                *more,
                "another hunk after it has no file either",
                "# more hunks after it have no file either",
            )),
            Residue::Encoded { near } => of.help(near.instead).advice(near.instead),
            Residue::Apart => unified::Error::Apart.diagnostic(),
            Residue::Combined => unified::Error::Combined.diagnostic(),
            Residue::Blocks(error) => error.diagnostic(),
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

impl Diagnose for Absence {
    fn diagnostic(&self) -> Diagnostic {
        const SAY: &str = "say what is to be changed in a patch, such as one from a line `*** Begin Patch` to a \
             line `*** End Patch`";
        let of = Diagnostic::fixed(Kind::Parse, self);
        match self {
            Absence::Empty => of.advice(SAY),
            Absence::Binary => of.advice(SAY),
            Absence::Prose => of.advice(SAY),
            Absence::Files { .. } => of.advice(SAY),
            Absence::Hidden(by) => of.label(format!("this patch is in {by}")).help(meant(by)),
            Absence::Nearly(what) => of.help(correct(what)),
            Absence::OtherFormat { asked, found } => of
                .label(format!("this one is {found}"))
                .help(format!("leave `--format` out, or give `--format={found}`"))
                .advice(format!("send {}", asked.a_patch())),
            _ => of,
        }
    }
}

impl Diagnose for Warning {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::fixed(Kind::Parse, self);
        match self {
            Warning::Format(warning) => warning.diagnostic(),
            Warning::Hidden { by, .. } => Diagnostic::new(kind_of(by)).help(meant(by)),
            Warning::Nearly { what } => of.help(correct(what)),
            Warning::RepeatedEdit { path, .. } => of.path(path),
            _ => of,
        }
    }
}
