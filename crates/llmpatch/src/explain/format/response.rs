use crate::format::unified;
use crate::kind::Kind;
use crate::report::{Diagnose, Diagnostic};
use crate::response::command;
use crate::response::{Absence, Error, Hiding, Nearly, Residue, Warning};
use crate::text::LineNo;

impl Diagnose for Error {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::new(Kind::Parse);
        match self {
            Error::Utf16 { encoding } => of
                .help(format!(
                    "convert it first: `iconv -f {encoding} -t UTF-8 response.txt | git \
                     llmpatch apply`"
                ))
                .advice("send plain text in UTF-8"),
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
                ))
                .advice(
                    "send the whole change in one format; what is only quoted goes between \
                     backticks",
                ),
            Error::Empty { .. } => of
                .label("begins here, and is empty")
                .help("ask for the patch again, or take the empty one out")
                .advice("say what is to be changed, or take the empty patch out"),
            Error::Nul { .. } => of
                .label("NUL")
                .help(
                    "a patch is text: take the NUL out; if the response was copied from a \
                         binary stream, save it again as UTF-8",
                )
                .advice("take the NUL out: a patch is text"),
            Error::Residue(residue) => residue.diagnostic(),
            Error::Alternatives { .. } => Diagnostic::new(Kind::Ambiguous)
                .help("give the response with one of them, or each in a response of its own")
                .advice("send one response"),
            Error::Encoding(_) => of.help(
                "decode the mail first: `git mailinfo message patch <mail`, then give `patch`",
            ),
            Error::Coloured => of
                .label("coloured otherwise than the rest")
                .help("print the diff again with `--no-color`"),
            Error::Command(trouble) => Diagnostic::new(Kind::Unsupported).help(match trouble {
                command::Doubt::Reverse { .. } => {
                    "to take a patch back, give the patch that makes it undone, or use `git \
                     llmpatch undo`"
                }
                _ => {
                    "give the patch without the command, with `--directory=<dir>` for the \
                     directory that is meant"
                }
            }),
            Error::Literal(_) => Diagnostic::new(Kind::Unsupported)
                .help("give the patch itself, as text")
                .advice("write the patch as one plain string, or as text"),
            Error::Cut { .. } => of
                .label("it is here")
                .help(
                    "what came before the cut may be half of the change: ask for the whole \
                     response again",
                )
                .advice(
                    "the response was cut off: send the whole change again, in a shorter \
                     response",
                ),
            Error::Unfinished { .. } => of
                .label("begins here")
                .help("give the whole session, or ask for the call again"),
        }
    }
}

/// Says how what is nearly a patch is written.
fn correct(what: &Nearly) -> &'static str {
    match what {
        Nearly::Letters => "write `*** Begin Patch` just so if it is meant",
        Nearly::Tag => "write `<edit file=\"…\" op=\"…\">` if it is meant",
        Nearly::Call => "put the call first on a line of its own if it is meant",
        Nearly::CallTags => "give the call as JSON if it is meant",
        Nearly::NoHunk => {
            "give its lines below `@@ -<line>,<count> +<line>,<count> @@` if it is meant"
        }
        Nearly::Hunk => {
            "put `--- a/<path>` and `+++ b/<path>` before it if it is meant; nothing of it was read"
        }
        Nearly::Input => {
            "hand it to `git apply` or `apply_patch`, or give it by itself, if it is meant"
        }
        Nearly::Escaped => {
            "write the marker plainly if it is meant: nothing in a patch is ever decoded"
        }
        Nearly::File { .. } => {
            "if the fence holds the whole file, give it by itself with `--format=files`"
        }
    }
}

/// Returns the kind of a warning of a patch that doesn't count.
fn kind_of(by: &Hiding) -> Kind {
    match by {
        Hiding::Comment => Kind::CommentedPatch,
        Hiding::Quote => Kind::QuotedPatch,
        Hiding::Elsewhere(_) => Kind::UnknownPlace,
        Hiding::Undone(_) => Kind::UndoneCall,
        Hiding::Reasoning(..) | Hiding::Unclosed(_) | Hiding::Unopened(_) | Hiding::Thoughts(_) => {
            Kind::DraftPatch
        }
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
        Hiding::Thoughts(_) | Hiding::Elsewhere(_) => {
            "give it in a response of its own if it is meant".into()
        }
        Hiding::Undone(_) => {
            "give the call in a response of its own if it is to be made after all".into()
        }
    }
}

impl Diagnose for Residue {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::new(Kind::Parse);
        match self {
            Residue::TooMany { .. } => of.label("and this is one more").help("give it in parts"),
            Residue::StrayHeader {
                more, begin, ended, ..
            } => stray_header(of, *more, *begin, *ended),
            Residue::StrayEnd { ended } => of.label("ends nothing").help(format!(
                "what is between line {ended} and here is in no patch: if line {ended} is \
                     a line of a file, write its prefix before it; else take this line out"
            )),
            Residue::CutStart { .. } => of
                .label("another patch would begin here")
                .help(
                    "the response was probably cut off: ask for the whole response again, or \
                     take this line out if it is none",
                )
                .advice("send the whole patch, or take this line out if it begins none"),
            Residue::StrayHunk { more } => of
                .label("a hunk of which file?")
                .notes(super::more(
                    *more,
                    "another hunk after it has no file either",
                    "# more hunks after it have no file either",
                ))
                .help(
                    "put `--- a/<path>` and `+++ b/<path>` before it; if it only explains \
                     something, indent it",
                ),
            Residue::Combined => unified::Error::Combined.diagnostic(),
            Residue::Binary { .. } => Diagnostic::new(Kind::Unsupported).help(
                "take the line out and copy the file by hand; `git diff --binary` and \
                     `git apply` know binary files",
            ),
            Residue::StrayClosing { .. } => of
                .label("closes nothing")
                .help(
                    "an edit ended earlier than was meant, or its start is missing: look \
                         at the edit before, or ask for the response again",
                )
                .advice(
                    "an edit ended earlier than was meant, or its start is missing: see \
                         that every text is between `<<<` and `>>>` lines, and that every tag \
                         is closed once",
                ),
            Residue::Prefixed { .. } => of.label("a patch would begin here").help(
                "remove such prefixes from all lines of the patch; markers and tags come \
                     first on their lines",
            ),
            Residue::Blocks(error) => error.diagnostic(),
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
        const SAY: &str = "say in one of these ways what is to be changed";
        const AS_TEXT: &str = "send the patch as plain text, not as a string: with real line ends, and no \
             backslash before quotes";
        let of = Diagnostic::new(Kind::Parse);
        match self {
            Absence::Empty => of
                .help("give the response as a file or on standard input")
                .advice(SAY),
            Absence::Binary => of.help("give the model's response, as text").advice(SAY),
            Absence::Prose => of
                .help(
                    "this version reads `*** Begin Patch` … `*** End Patch`, OPX (`<edit \
                         file=\"…\" op=\"…\">`), unified diffs, search/replace blocks and \
                         tool calls as JSON; ask the model for one of them",
                )
                .advice(SAY),
            Absence::NearBegin => of
                .label("this is nearly the start of a patch")
                .help("write `*** Begin Patch` on a line of its own"),
            Absence::Unified => of.label("the diff is here").help(
                "take away what is before every line of it: `diff --git`, `---`, `+++` \
                     and `@@` come first on their lines",
            ),
            Absence::Files { .. } => of
                .label("what it holds")
                .help(
                    "if each such fence holds a whole file, run it with `--format=files`; \
                     else ask the model for a patch",
                )
                .advice(SAY),
            Absence::Calls => of.label("for example, this call").help(
                "ask for the change itself: by calls with `path`, `old_string` and \
                     `new_string`, or in another format",
            ),
            Absence::Escaped => of
                .label("the patch is in here, escaped")
                .help(
                    "ask for it again with a line of its own for each line; if it was cut \
                         out of JSON, give it with its quotes to `jq -r .`, and what that \
                         prints to this command",
                )
                .advice(AS_TEXT),
            Absence::Html => of
                .label("this would begin an edit")
                .help("write `<`, `>` and `&` plainly: nothing in a patch is ever decoded"),
            Absence::Hidden(by) => of.label(format!("this patch is in {by}")).help(meant(by)),
            Absence::Nearly(what) => of.label("this").help(correct(what)),
            Absence::MidLine => of
                .label("this is in the middle of a line")
                .help("put each `<edit` first on its line if it is meant"),
            Absence::OtherFormat { asked, found } => of
                .label(format!("this one is {found}"))
                .help(format!("leave `--format` out, or give `--format={found}`"))
                .advice(format!("send {}", asked.a_patch())),
        }
    }
}

impl Diagnose for Warning {
    fn diagnostic(&self) -> Diagnostic {
        match self {
            Warning::ProseEdit => Diagnostic::new(Kind::ProseEdit)
                .help("put it first on its line if it is meant, or in backticks if it is not"),
            Warning::Hidden { by, .. } => Diagnostic::new(kind_of(by)).help(meant(by)),
            Warning::Nearly { what } => Diagnostic::new(Kind::NearPatch).help(correct(what)),
            Warning::Coloured => Diagnostic::new(Kind::DecoratedMarker),
            Warning::Script => Diagnostic::new(Kind::NearPatch),
            Warning::Undone { .. } => Diagnostic::new(Kind::UndoneCall),
            Warning::RepeatedPatch { .. } | Warning::RepeatedResponse { .. } => {
                Diagnostic::new(Kind::RepeatedPatch).help("to apply it twice, run it twice")
            }
            Warning::RepeatedEdit { path, .. } => Diagnostic::new(Kind::RepeatedEdit)
                .path(path)
                .help("leave one of them out if it is meant once"),
            Warning::StrayMarker { .. } => {
                Diagnostic::new(Kind::StrayMarker).help("leave the line out")
            }
            Warning::Skipped { .. } => Diagnostic::new(Kind::SkippedFormat),
            Warning::NamelessFence => Diagnostic::new(Kind::NamelessFence).help(
                "if it is a file, put its path alone on the line above; a path in a \
                     sentence doesn't count",
            ),
        }
    }
}
