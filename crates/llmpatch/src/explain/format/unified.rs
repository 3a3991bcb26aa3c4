use bstr::ByteSlice as _;

use crate::format::unified::{Error, Warning};
use crate::kind::Kind;
use crate::report::{Diagnose, Diagnostic};
use crate::text::Shown;

impl Diagnose for Error {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::new(Kind::Parse);
        let unsupported = Diagnostic::new(Kind::Unsupported);
        match self {
            Error::Quoting => of.help(
                "write it as `git diff` does: in double quotes, with `\\` before quotes, \
                     and nothing after it",
            ),
            Error::TwoNames { old, new } => of.help(two_names(old, new)),
            Error::OtherName { path, .. } => of.path(path).help(AGAIN).advice(AS_GIT),
            Error::Contradiction => of.help(AGAIN).advice(AS_GIT),
            Error::HalfRename => of
                .help("give both `rename from` and `rename to`, or both `copy from` and `copy to`"),
            Error::NoName => of.help("put `--- a/<path>` and `+++ b/<path>` before its hunks"),
            Error::Mode { .. } => {
                unsupported.help("make the link or submodule by hand, and take this section out")
            }
            Error::NoMode { .. } => of.help("write 100644, or 100755 for a program"),
            Error::Binary { path } => Diagnostic {
                path: path.clone(),
                ..unsupported
            }
            .help("take this section out; `git apply` takes binary patches"),
            Error::Nothing => of
                .help("take the section out, or ask for its hunks")
                .advice("take the section out, or give its hunks"),
            Error::TooShort { .. } => of
                .help("give a smaller number with -p, or none")
                .advice("write the whole path in the names of the diff"),
            Error::NoNumbers => of
                .label("no numbers")
                .help("write `@@ -<line>,<count> +<line>,<count> @@`, or leave --strict out")
                .advice("write `@@ -<line>,<count> +<line>,<count> @@`"),
            Error::Numbers => of.label("not `-<line>,<count> +<line>,<count> @@`").help(
                "write `@@ -<line>,<count> +<line>,<count> @@`, or `@@` alone: the lines \
                     are looked for then",
            ),
            Error::Combined => of
                .label("a hunk against several parents")
                .help("make one against a single parent: `git diff <commit>^1 <commit>`")
                .advice("send a plain diff, against one parent"),
            Error::WordDiff => of
                .label("with `[-old-]{+new+}` in its lines")
                .help("ask for the diff by lines, as `git diff` prints it")
                .advice("show whole lines, behind `-` and `+`"),
            Error::NoOld { .. } => of.label("where are its old lines?").help(
                "show the lines around the added ones, behind a space each; for a new file, \
                     write `@@ -0,0` and the new lines' numbers",
            ),
            Error::Uncounted => of
                .label("this hunk")
                .help(format!("{CUT}; {RECOUNT}"))
                .advice("send the whole patch, to its last line, and close the fence"),
            Error::NoLines => of
                .label("nothing follows")
                .help("take the hunk out, or ask for its lines")
                .advice("take the hunk out, or give its lines"),
            Error::NoPrefix => of.label("neither ` `, `-` nor `+`").help(
                "put ` `, `-` or `+` before it; if it is no part of the patch, put an \
                     empty line before it",
            ),
            Error::Numbered => of
                .label("a line number before the prefix")
                .help("take the line numbers away: they are no part of the patch"),
            Error::CutHeader => of
                .label("this hunk")
                .help(CUT)
                .advice("send the whole patch, to its last line"),
            Error::CutHunk { .. } => of
                .label("this hunk")
                .help(format!("{CUT}; {RECOUNT}"))
                .advice("send the whole patch, to its last line"),
            Error::Miscounted { .. } => of
                .help("correct the numbers, or leave --strict out")
                .advice("correct the numbers"),
            Error::MarkFirst => of.help("let it follow the last line of the file, or take it out"),
            Error::MarkWithin => of
                .label("shown as the last line")
                .help("let it follow the last line of the file, or take it out"),
            Error::AddedHasOld => of.label("an old line").help(
                "give the file only lines with `+`, or take `new file mode` and \
                     `/dev/null` away",
            ),
            Error::AddedTwice => of.label("a second hunk").help("join the hunks"),
        }
    }
}

const CUT: &str = "the response was probably cut off: ask for the whole response again";
const RECOUNT: &str = "if it is whole, --recount takes the lines as they are";
const AGAIN: &str = "ask for the patch again, as `git diff` prints it";
const AS_GIT: &str = "write the header as `git diff` prints it";

/// Returns what to do about two names of a file; of two of which only one has its side's letter
/// before it, or that have backslashes, that is plain.
fn two_names(old: &[u8], new: &[u8]) -> String {
    let [old, new] = &[old, new].map(|name| name.replace(b"\\", b"/"));
    let path = match (old.strip_prefix(b"a/"), new.strip_prefix(b"b/")) {
        (Some(path), Some(other)) if path == other => path,
        (Some(path), _) if path == new => path,
        (_, Some(path)) if path == old => path,
        _ if are_beside(old, new) => {
            return "if the first directories are no part of the path, run with -p1; else name \
                    one file on both sides (`a/` and `b/` before it)"
                .into();
        }
        _ => {
            return "name one file on both sides (`a/` and `b/` before it), or say `rename from` \
                 and `rename to` under `diff --git`"
                .into();
        }
    };
    format!("write `--- a/{}` and `+++ b/{}`", Shown(path), Shown(path))
}

/// Returns whether names differ in their first directories only.
fn are_beside(old: &[u8], new: &[u8]) -> bool {
    let rest = |name: &[u8]| Some(name.split_once_str("/")?.1.to_vec());
    rest(old).is_some() && rest(old) == rest(new)
}

impl Diagnose for Warning {
    fn diagnostic(&self) -> Diagnostic {
        match self {
            Warning::Recounted { path, taken, .. } => {
                let of = Diagnostic::new(Kind::Recounted).path(path);
                match taken {
                    0 => of,
                    1 => of.label("this line is taken in"),
                    _ => of.label(format!("{taken} lines from here on are taken in")),
                }
            }
            Warning::Unended { path, .. } => Diagnostic::new(Kind::StrayMarker)
                .path(path)
                .label("is this the whole line?")
                .help(
                    "no newline follows, and what is around the diff has no end: look \
                         whether the response was cut off",
                ),
            Warning::Beyond { path, .. } => Diagnostic::new(Kind::HunkMoved)
                .path(path)
                .label("no file has this line"),
            Warning::Blank { path } => Diagnostic::new(Kind::BlankInBody)
                .label("an empty line")
                .path(path)
                .help("write `+` on the line"),
            Warning::LeftOut { path, .. } => Diagnostic::new(Kind::StrayText)
                .path(path)
                .label("looks like a line of the hunk")
                .help("if it belongs to the hunk, correct the counts after `@@`"),
        }
    }
}
