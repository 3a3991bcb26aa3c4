use bstr::BString;

use crate::text::{Shown, plural};

/// Why a section of a unified diff can't be read.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum Error {
    /// A quoted name that isn't closed, escapes what can't be, or has something behind it.
    #[error("a name in quotes isn't written as git writes it")]
    #[strum(props(
        help = "write it as `git diff` does: in double quotes, with `\\` before quotes, and nothing after it",
        advice = "write it in double quotes, with `\\` before quotes, and nothing after it"
    ))]
    Quoting,
    #[error(
        "the section names two files, `{}` and `{}`, and says neither rename nor copy",
        Shown(old),
        Shown(new)
    )]
    TwoNames { old: BString, new: BString },
    #[error("the header of `{}` also names `{}`", Shown(path), Shown(name))]
    OtherName { path: BString, name: BString },
    /// `rename from` without `rename to`, or the other way, or one of each kind.
    #[error("the header of a rename or copy doesn't give both names")]
    #[strum(props(
        help = "give both `rename from` and `rename to`, or both `copy from` and `copy to`"
    ))]
    HalfRename,
    #[error("the section doesn't say which file it is about")]
    #[strum(props(help = "put `--- a/<path>` and `+++ b/<path>` before its hunks"))]
    NoName,
    #[error(
        "the header contradicts itself: it says that a file is new, deleted, renamed or copied, and its names say otherwise"
    )]
    Contradiction,
    #[error("mode {mode:06o}: only regular files (100644, 100755) can be patched")]
    #[strum(props(
        kind = "unsupported",
        help = "make the link or submodule by hand, and take this section out"
    ))]
    Mode { mode: u32 },
    #[error("`{}` isn't a file mode", Shown(text))]
    #[strum(props(help = "write 100644, or 100755 for a program"))]
    NoMode { text: BString },
    #[error("{} is a binary file, of which the patch shows no lines", path.as_ref().map_or("this".into(), |path| format!("`{}`", Shown(path))))]
    Binary { path: Option<BString> },
    #[error("a line of a binary patch can't be read")]
    #[strum(props(
        label = "neither a length behind `literal` or `delta`, nor a whole line of base85",
        help = "ask for the patch again, as `git diff --binary` prints it",
        advice = "leave the file out: a binary patch must be as `git diff --binary` prints it, to the letter"
    ))]
    BinaryLine,
    #[error("the header of a binary patch doesn't give the ids of both contents in full")]
    #[strum(props(
        help = "ask for the patch again, as `git diff --binary` prints it: its line `index` has both ids",
        advice = "give both ids in full on the line `index`, as `git diff --binary` does"
    ))]
    BinaryIds,
    #[error("this section changes nothing: it has no hunk, and the file keeps its name and mode")]
    #[strum(props(
        help = "take the section out, or ask for its hunks",
        advice = "take the section out, or give its hunks"
    ))]
    Nothing,
    /// A name that has too few directories.
    #[error("`{}` has no path left without its first {strip} director{}", Shown(name), if *strip == 1 { "y" } else { "ies" })]
    #[strum(props(
        help = "give a smaller number with -p, or none",
        advice = "write the whole path in the names of the diff"
    ))]
    TooShort { name: BString, strip: u32 },
    /// In `--strict`.
    #[error("a hunk's header has no line numbers")]
    #[strum(props(
        label = "no numbers",
        help = "write `@@ -<line>,<count> +<line>,<count> @@`, or leave --strict out",
        advice = "write `@@ -<line>,<count> +<line>,<count> @@`"
    ))]
    NoNumbers,
    #[error("the line numbers of a hunk's header can't be read")]
    #[strum(props(
        label = "not `-<line>,<count> +<line>,<count> @@`",
        help = "write `@@ -<line>,<count> +<line>,<count> @@`, or `@@` alone: the lines are looked for then"
    ))]
    Numbers,
    #[error("the diff of a merge against all its parents can't be applied")]
    #[strum(props(
        label = "a hunk against several parents",
        help = "make one against a single parent: `git diff <commit>^1 <commit>`",
        advice = "send a plain diff, against one parent"
    ))]
    Combined,
    #[error("this is a word diff, which doesn't show the lines of the file")]
    #[strum(props(
        label = "with `[-old-]{+new+}` in its lines",
        help = "ask for the diff by lines, as `git diff` prints it",
        advice = "show whole lines, behind `-` and `+`"
    ))]
    WordDiff,
    /// A hunk that only adds lines, though its header claims `claimed` old lines.
    #[error("the hunk's header claims {claimed} old line{}, and the hunk only adds lines", plural(*claimed as usize))]
    #[strum(props(
        label = "where are its old lines?",
        help = "show the lines around the added ones, behind a space each; for a new file, write `@@ -0,0` and the new lines' numbers"
    ))]
    NoOld { claimed: u32 },
    /// A hunk that may go on: it has no counts, and what is around it isn't closed.
    #[error(
        "the response ends in an open fence, within a hunk whose header doesn't say how many lines it has"
    )]
    #[strum(props(
        label = "this hunk",
        advice = "send the whole patch, to its last line, and close the fence"
    ))]
    Uncounted,
    #[error("the response ends in the middle of a hunk's header")]
    #[strum(props(label = "this hunk", advice = "send the whole patch, to its last line"))]
    CutHeader,
    #[error("a hunk has no lines")]
    #[strum(props(
        label = "nothing follows",
        help = "take the hunk out, or ask for its lines",
        advice = "take the hunk out, or give its lines"
    ))]
    NoLines,
    #[error("a line of a hunk has no prefix")]
    #[strum(props(
        label = "neither ` `, `-` nor `+`",
        help = "put ` `, `-` or `+` before it; if it is no part of the patch, put the patch alone in a fence"
    ))]
    NoPrefix,
    #[error("a line of a hunk has the colours of a terminal")]
    #[strum(props(
        help = "print the diff again with `--no-color`",
        advice = "give the diff without colours"
    ))]
    Coloured,
    /// A line of a fence that doesn't end the fence around the diff.
    #[error("a line of a hunk is a Markdown fence, and has no prefix")]
    #[strum(props(
        label = "neither ` `, `-` nor `+`",
        help = "put ` `, `-` or `+` before it if it is a line of the file; if it ends the fence around the patch, make it like the line that opens that fence, and put an empty line after it"
    ))]
    FenceWithin,
    #[error("a hunk has no `@@` line before its lines")]
    #[strum(props(
        label = "a line of a hunk",
        help = "write `@@ -<line>,<count> +<line>,<count> @@` above its lines, or `@@` alone: the lines are looked for then"
    ))]
    NoHunkHeader,
    #[error("a hunk isn't right below the header of its file")]
    #[strum(props(
        label = "this hunk",
        help = "put its `@@` first on its line, and no empty line before it"
    ))]
    Apart,
    #[error("a line between `diff --git` and `---` is no line of a header")]
    #[strum(props(label = "not a line that git writes there", help = "take the line out"))]
    UnknownLine,
    #[error("this line is indented less than the fence around its diff")]
    #[strum(props(
        label = "indented less",
        help = "indent all lines of a diff as its fence is; a fence best comes first on its line"
    ))]
    Unindented,
    /// Lines that begin with line numbers, as in a listing.
    #[error("lines of a hunk begin with line numbers")]
    #[strum(props(
        label = "a line number before the prefix",
        help = "take the line numbers away: they are no part of the patch"
    ))]
    Numbered,
    #[error("the response ends in the middle of a hunk, which claims {} and has {}", counts(*claimed), counts(*found))]
    #[strum(props(label = "this hunk", advice = "send the whole patch, to its last line"))]
    CutHunk { claimed: [u32; 2], found: [u32; 2] },
    #[error("hunk {number} is complete by its counts, and this line behind it is in no hunk")]
    #[strum(props(
        label = "looks like a line of the hunk",
        help = "if it belongs to the hunk, correct the counts after `@@`; else take it out",
        advice = "send the whole hunk, with the counts of its lines after `@@`"
    ))]
    LeftOut { number: usize },
    #[error("the end of the fence is on the last line of a hunk")]
    #[strum(props(
        label = "it would get into the file",
        help = "put the fence's end on a line of its own",
        advice = "put the fence's end on a line of its own"
    ))]
    GluedFence,
    #[error(
        "`{}`, the end of the tag around the patch, is on the last line of a hunk",
        Shown(tag)
    )]
    #[strum(props(
        label = "it would get into the file",
        help = "put the tag on a line of its own"
    ))]
    GluedTag { tag: BString },
    /// A hunk that claims other counts of old and new lines than it has, in `--strict`. `number`
    /// counts the hunks of its section.
    #[error("hunk {number} claims {}, and has {}", counts(*claimed), counts(*found))]
    #[strum(props(
        help = "correct the numbers, or leave --strict out",
        advice = "correct the numbers"
    ))]
    Miscounted {
        number: usize,
        claimed: [u32; 2],
        found: [u32; 2],
    },
    #[error("`\\ No newline at end of file` follows no line")]
    #[strum(props(help = "let it follow the last line of the file, or take it out"))]
    MarkFirst,
    #[error("`\\ No newline at end of file` comes after a line that isn't the last one")]
    #[strum(props(
        label = "shown as the last line",
        help = "let it follow the last line of the file, or take it out; where that line gets others behind it, remove it (`-`) above this, and add it again (`+`) below"
    ))]
    MarkWithin,
    #[error("the file is new, but the hunk has old lines")]
    #[strum(props(
        label = "an old line",
        help = "give the file only lines with `+`, or take `new file mode` and `/dev/null` away"
    ))]
    AddedHasOld,
    #[error("the file is new, but it has several hunks")]
    #[strum(props(label = "a second hunk", help = "join the hunks"))]
    AddedTwice,
}

/// What was guessed. `number` counts the hunks of a section.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::EnumProperty)]
#[non_exhaustive]
pub enum Warning {
    /// A hunk that claims other counts of old and new lines than it has, and how many lines were
    /// `taken` in that they leave out.
    #[error("hunk {number} of `{}` claims {}, but has {}; the lines that it has are used", Shown(path), counts(*claimed), counts(*found))]
    Recounted {
        path: BString,
        number: usize,
        claimed: [u32; 2],
        found: [u32; 2],
        taken: usize,
    },
    /// A hunk whose number is larger than any file's.
    #[error(
        "hunk {number} of `{}` has a line number that no file has; its lines are looked for everywhere",
        Shown(path)
    )]
    #[strum(props(kind = "hunk-moved", label = "no file has this line"))]
    Beyond { path: BString, number: usize },
    #[error(
        "an empty line of `{}` has no `+` and is read as an empty line of the file",
        Shown(path)
    )]
    #[strum(props(
        kind = "blank-in-body",
        label = "an empty line",
        help = "write `+` on the line"
    ))]
    Blank { path: BString },
    #[error(
        "hunk {number} of `{}` is complete by its counts; the lines after it are ignored",
        Shown(path)
    )]
    #[strum(props(
        kind = "stray-text",
        label = "looks like a line of the hunk",
        help = "if it belongs to the hunk, correct the counts after `@@`"
    ))]
    LeftOut { path: BString, number: usize },
    #[error(
        "the fence around hunk {number} of `{}` ends before these lines; they are ignored",
        Shown(path)
    )]
    #[strum(props(
        kind = "stray-text",
        label = "looks like a line of the hunk",
        help = "if it belongs to the hunk, put a prefix before the line of the fence, too"
    ))]
    BehindFence { path: BString, number: usize },
    #[error("the list behind hunk {number} of `{}` is ignored", Shown(path))]
    #[strum(props(
        kind = "stray-text",
        label = "looks like an item of a list",
        help = "if it belongs to the hunk, put a space in the empty line before it"
    ))]
    List { path: BString, number: usize },
    #[error(
        "hunk {number} of `{}` is complete by its counts; the response ends within its last line",
        Shown(path)
    )]
    #[strum(props(
        kind = "stray-marker",
        label = "is this the whole line?",
        help = "no newline follows, and what is around the diff has no end: look whether the response was cut off"
    ))]
    Unended { path: BString, number: usize },
}

fn counts([old, new]: [u32; 2]) -> String {
    format!(
        "{old} old and {new} new line{}",
        if new == 1 { "" } else { "s" }
    )
}
