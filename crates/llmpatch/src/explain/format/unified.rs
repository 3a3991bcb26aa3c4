use bstr::ByteSlice as _;

use crate::format::unified::{Error, Warning};
use crate::kind::Kind;
use crate::report::{Diagnose, Diagnostic};
use crate::text::Shown;

impl Diagnose for Error {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::fixed(Kind::Parse, self);
        let unsupported = Diagnostic::new(Kind::Unsupported);
        match self {
            Error::TwoNames { old, new } => two_names(of, old, new),
            Error::OtherName { path, .. } => of.path(path).help(AGAIN).advice(AS_GIT),
            Error::Contradiction => of.help(AGAIN).advice(AS_GIT),
            Error::Binary { path } => Diagnostic {
                path: path.clone(),
                ..unsupported
            }
            .help("take this section out; what `git diff --binary` prints of it is applied"),
            Error::Uncounted | Error::CutHunk { .. } => of.help(format!("{CUT}; {RECOUNT}")),
            Error::CutHeader => of.help(CUT),
            _ => of,
        }
    }
}

const CUT: &str = "the response was probably cut off: ask for the whole response again";
const RECOUNT: &str = "if it is whole, --recount takes the lines as they are";
const AGAIN: &str = "ask for the patch again, as `git diff` prints it";
const AS_GIT: &str = "write the header as `git diff` prints it";
const ONE_NAME: &str = "name one file on both sides (`a/` and `b/` before it)";

/// Says what to do about two names of a file. It is plain if only one name has its side's letter
/// before it, or if the names have backslashes.
fn two_names(of: Diagnostic, old: &[u8], new: &[u8]) -> Diagnostic {
    let [old, new] = &[old, new].map(|name| name.replace(b"\\", b"/"));
    let path = match (old.strip_prefix(b"a/"), new.strip_prefix(b"b/")) {
        (Some(path), Some(other)) if path == other => path,
        (Some(path), _) if path == new => path,
        (_, Some(path)) if path == old => path,
        _ => {
            return match differing(old, new) {
                Some(count) => of
                    .help(format!(
                        "if the first directories are no part of the path, run with -p{count}; else \
                         {ONE_NAME}"
                    ))
                    .advice(ONE_NAME),
                None => of.habit(&format!(
                    "{ONE_NAME}, or say `rename from` and `rename to` under `diff --git`"
                )),
            };
        }
    };
    of.habit(&format!(
        "write `--- a/{}` and `+++ b/{}`",
        Shown(path),
        Shown(path)
    ))
}

/// Returns how many of their first directories two names must lose to be one.
fn differing(old: &[u8], new: &[u8]) -> Option<usize> {
    let [old, new] = [old, new].map(|name| name.split_str("/").collect::<Vec<_>>());
    let mut pairs = old.iter().zip(&new);
    let last = pairs.rposition(|(old, new)| old != new)?;
    (old.len() == new.len() && last + 1 < old.len()).then_some(last + 1)
}

impl Diagnose for Warning {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::fixed(Kind::Parse, self);
        match self {
            Warning::Recounted { path, taken, .. } => {
                let of = Diagnostic::new(Kind::Recounted).path(path);
                match taken {
                    0 => of,
                    1 => of.label("this line is taken in"),
                    _ => of.label(format!("{taken} lines from here on are taken in")),
                }
            }
            Warning::Unended { path, .. }
            | Warning::Beyond { path, .. }
            | Warning::Blank { path }
            | Warning::LeftOut { path, .. }
            | Warning::BehindFence { path, .. }
            | Warning::List { path, .. } => of.path(path),
        }
    }
}
