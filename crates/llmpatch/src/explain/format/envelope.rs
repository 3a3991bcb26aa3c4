use crate::format::envelope::{Error, Habit, Meant, NearEnd, Verb, Warning};
use crate::kind::Kind;
use crate::report::{Diagnose, Diagnostic};
use crate::text::{LineNo, Shown};

const HEADERS: &str = "the headers are `*** Add File: <path>`, `*** Update File: <path>`, `*** Delete File: \
     <path>`, and `*** Move to: <path>` right after an Update; the markers are `*** End of \
     File` and `*** End Patch`";

impl Diagnose for Error {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::fixed(Kind::Parse, self);
        match self {
            Error::LessIndented { begin, more } => of
                .label(format!("lacks the indentation of line {begin}"))
                .also(*more),
            Error::BeforeHeader {
                meant: Some(meant),
                more,
            } => of
                .label("this is nearly a header")
                .also(*more)
                .help(format!(
                    "write {}, with nothing before it on its line",
                    spelling(*meant)
                )),
            Error::BeforeHeader { meant: None, more } => {
                of.label("belongs to no file").also(*more).help(format!(
                    "move it out of the patch, or put the header of its file before it: \
                     {HEADERS}"
                ))
            }
            Error::NestedBegin {
                is_repeated: true,
                near: None,
                more,
                ..
            } => of
                .label("the patch has begun already")
                .also(*more)
                .help("leave out one of the two lines"),
            Error::NestedBegin { near, more, .. } => {
                nested_begin(of.label("the patch before has no end").also(*more), *near)
            }
            Error::UnknownHeader {
                meant: Some(meant), ..
            } => of
                .label("not a header of this format")
                .help(format!("write {}", spelling(*meant))),
            Error::UnknownHeader { meant: None, .. } => {
                of.label("not a header of this format").help(format!(
                    "{HEADERS}; if this is a line of a file, write its prefix (a space, `-` \
                     or `+`) before it"
                ))
            }
            Error::MisplacedMove { path, verb } => of.of_section(path).help(misplaced_move(*verb)),
            Error::MisplacedEndOfFile { path, verb } => {
                of.of_section(path).help(misplaced_end_of_file(*verb))
            }
            Error::BadLine {
                path,
                verb,
                habit,
                more,
            } => {
                let (label, help) = of_habit(*habit, *verb);
                of.label(label).path(path).also(*more).help(help)
            }
            Error::UnifiedHeader { path, verb, more } => {
                of.path(path).also(*more).help(unified_header(*verb))
            }
            Error::NoChunk { path } => of.path(path),
            Error::EmptyChunk { path, is_located } => of.path(path).help(empty_chunk(*is_located)),
            Error::Truncated {
                begin,
                path,
                near,
                fence,
            } => {
                let begin = near.map(|_| format!("the patch begins in line {begin}"));
                truncated(of.of_section(path).notes(begin), *near, *fence)
            }
            Error::More { path, .. } => of.of_section(path),
            Error::Strict(warning) => strict(warning.diagnostic()),
            _ => of,
        }
    }
}

impl Diagnose for Warning {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::fixed(Kind::Parse, self);
        match self {
            Warning::DecoratedMarker { path, .. } | Warning::IndentedMarker { path, .. } => {
                of.of_section(path)
            }
            Warning::BlankInBody { path, verb, .. } => of.path(path).help(match verb {
                Verb::Update => {
                    "if the file has no such line there, leave it out; else write a space on it"
                        .to_owned()
                }
                _ => format!("write `{}` on the line", verb.sign()),
            }),
            Warning::LocatorSpacing { path, .. }
            | Warning::LocatorNumbers { path, .. }
            | Warning::NoNewlineMark { path, .. }
            | Warning::LastPlus { path, .. } => of.path(path),
            _ => of,
        }
    }
}

/// Makes an error of a warning that is one in `--strict`.
fn strict(warning: Diagnostic) -> Diagnostic {
    let help = warning
        .help
        .as_ref()
        .map(|help| format!("{help}; without `--strict` this is a warning"));
    Diagnostic {
        kind: Kind::Parse,
        is_warning: false,
        advice: warning.help,
        help,
        ..warning
    }
}

fn nested_begin(of: Diagnostic, near: Option<(LineNo, NearEnd)>) -> Diagnostic {
    match near {
        Some(near) => of.help(make_an_end(near)),
        None => of
            .help(
                "put `*** End Patch` before it; if the patch before was cut off, ask for \
                     it again; if this is a line of a file, write its prefix before it",
            )
            .advice(
                "put `*** End Patch` before it; if this is a line of a file, write its prefix \
                 before it",
            ),
    }
}

fn truncated(of: Diagnostic, near: Option<(LineNo, NearEnd)>, fence: Option<LineNo>) -> Diagnostic {
    let last = of
        .path
        .as_ref()
        .map(|path| format!("the last file that it names is `{}`", Shown(path)));
    let of = of.notes(last);
    match (near, fence) {
        (Some(near @ (_, NearEnd::Glued)), _) => of
            .label("joined to another line, this ends nothing")
            .help(make_an_end(near)),
        (Some(near @ (_, NearEnd::Indented)), _) => of
            .label("indented, this is a line of context")
            .help(make_an_end(near)),
        (Some(near @ (_, NearEnd::Misspelt)), _) => of
            .label("this is nearly the end marker")
            .help(make_an_end(near)),
        (None, Some(line)) => of.label("begins here and never ends").help(format!(
            "put `*** End Patch` before the fence in line {line}, if nothing is missing \
                 there"
        )),
        (None, None) => of
            .label("begins here and never ends")
            .help(
                "the response was probably cut off: ask for the whole response again; if \
                     nothing is missing, add a line `*** End Patch`",
            )
            .advice("send the whole patch, to its `*** End Patch`"),
    }
}

fn make_an_end((line, near): (LineNo, NearEnd)) -> String {
    match near {
        NearEnd::Glued => format!("in line {line}, put `*** End Patch` on a line of its own"),
        NearEnd::Misspelt => format!("in line {line}, write `*** End Patch`"),
        NearEnd::Indented => format!("in line {line}, take away the spaces before `*** End Patch`"),
    }
}

fn misplaced_move(verb: Option<Verb>) -> &'static str {
    if verb == Some(Verb::Add) {
        "a new file isn't moved: name its path in `*** Add File:`"
    } else {
        "write `*** Update File: <old path>`, on the next line `*** Move to: <new path>`, \
             then the changes, if any"
    }
}

fn misplaced_end_of_file(verb: Option<Verb>) -> &'static str {
    if matches!(verb, Some(Verb::Add | Verb::Delete)) {
        "leave the line out: it says of a hunk of an updated file that it is at the file's end"
    } else {
        "put it right after the lines of a hunk, or leave it out"
    }
}

fn unified_header(verb: Verb) -> &'static str {
    if verb == Verb::Update {
        "leave out the lines `diff --git`, `index`, `---` and `+++`: the path is in the \
             file header already; if the line is one of the file, write a line `@@` before it"
    } else {
        "leave out the lines `diff --git`, `index`, `---`, `+++` and `@@`: the path is in \
             the file header already"
    }
}

fn empty_chunk(is_located: bool) -> &'static str {
    if is_located {
        "write the lines to change under it, each with a space, `-` or `+` before it; the \
             text after `@@` only says where to look"
    } else {
        "write the lines to change under it, each with a space, `-` or `+` before it, or \
             leave the `@@` out"
    }
}

/// Returns the label of a line that can't be read, and what to do about it.
fn of_habit(habit: Habit, verb: Verb) -> (&'static str, String) {
    let (unprefixed, only, sign) = of_section(verb);
    let is_new = verb == Verb::Add;
    match habit {
        Habit::Fence => (
            "a Markdown fence inside the patch",
            "close the fence after `*** End Patch`, not inside the patch; if it is a line \
                 of the file, write its prefix before it"
                .into(),
        ),
        Habit::Marker(meant) => (
            "this is nearly a marker",
            format!(
                "if it is a marker, write {}, with nothing before it on its line; if it is a line \
                 of the file, write its prefix before it",
                spelling(meant)
            ),
        ),
        Habit::Locator if is_new => (
            "there are no hunks in this kind of section",
            "`*** Add File:` takes only the new file's lines, each with `+` before it; to \
                 change a file that exists, write `*** Update File:`"
                .into(),
        ),
        Habit::Locator => (
            "there are no hunks in this kind of section",
            "`*** Delete File:` needs no lines; to change the file, write `*** Update \
                 File:`"
                .into(),
        ),
        Habit::NoNewline if verb == Verb::Delete => (
            "this line isn't possible here",
            "leave the line out; a deleted file needs none".into(),
        ),
        Habit::NoNewline => (
            "this line isn't possible here",
            "leave the line out; a new file always ends with a newline".into(),
        ),
        Habit::OtherSign if is_new => (
            only,
            format!("{sign}; to change a file that exists, write `*** Update File:`"),
        ),
        Habit::OtherSign => (
            only,
            format!("{sign}; to change the file, write `*** Update File:`"),
        ),
        Habit::Comment => (only, format!("{sign}: a comment `-- …` is written `+-- …`")),
        Habit::Bullet => (
            unprefixed,
            format!("{sign}; if it is a remark in a list, move it out of the patch"),
        ),
        Habit::Plain => (
            unprefixed,
            format!("{sign}; if it is a remark, move it out of the patch"),
        ),
        Habit::Conflict => (
            unprefixed,
            "this looks like a search-and-replace block or a merge conflict: write the \
                 old lines with `-` and the new ones with `+` before each"
                .into(),
        ),
        Habit::Numbered => (
            "starts with a line number",
            format!("take the line numbers away: they are no part of the patch; {sign}"),
        ),
        Habit::Tab => (
            "starts with a tab, not with a space, `-` or `+`",
            format!("{sign}; before the tab of a line that stays, one space is missing"),
        ),
        Habit::LookAlike => (
            "starts with a character that only looks like a prefix",
            format!(
                "{sign}: the ASCII characters, not a no-break space, a typographic minus or a \
                 wide plus"
            ),
        ),
        Habit::AfterEndOfFile => (
            "belongs to no hunk",
            "begin a new hunk with a line `@@`, or put `*** End of File` after these lines".into(),
        ),
    }
}

/// Returns the labels of a line without a prefix and of a line with the prefix of another kind of
/// section, and which prefixes this kind of section has.
fn of_section(verb: Verb) -> (&'static str, &'static str, &'static str) {
    match verb {
        Verb::Add => (
            "starts with no `+`",
            "a new file has `+` lines only",
            "write `+` before every line of a new file, empty ones included",
        ),
        Verb::Delete => (
            "starts with no `-`",
            "a deleted file has `-` lines only",
            "write `-` before every line of a delete body, or leave the body out",
        ),
        Verb::Update => (
            "starts with neither a space, `-` nor `+`",
            "a deleted file has `-` lines only",
            "write one space before a line that stays, `-` before one that goes, `+` \
                 before one that comes; the line's own indentation follows",
        ),
    }
}

/// Returns how what was meant is written.
fn spelling(meant: Meant) -> &'static str {
    match meant {
        Meant::Begin => "`*** Begin Patch`",
        Meant::End => "`*** End Patch`",
        Meant::EndOfFile => "`*** End of File`",
        Meant::Header(Verb::Add) => "`*** Add File: <path>`",
        Meant::Header(Verb::Delete) => "`*** Delete File: <path>`",
        Meant::Header(Verb::Update) => "`*** Update File: <path>`",
        Meant::Replace => "`*** Delete File: <path>`, then `*** Add File: <path>`",
        Meant::Rename => {
            "`*** Update File: <old path>`, on the next line `*** Move to: <new path>`"
        }
    }
}
