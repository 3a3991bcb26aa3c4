//! A failure as a message to the model that wrote the response: what is wrong, what the files
//! really hold there, and what to send. It can be handed back as it is.
//!
//! Nothing in it can end its own fences or reach a terminal raw, and it is no longer than it needs
//! to be: a passage of a file is shown once, and of very many problems the first are.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::Passage;
use super::call::{CallLine, CallNames, line_at};
use super::fine::fine;
use super::{Diagnostic, Place};
use crate::kind::{Blame, Kind};
use crate::patch::{Format, Patch};
use crate::plan::Quote;
use crate::text::{Excerpt, LineNo, Shown, Source, sentence};

/// How many problems are told.
const TOLD: usize = 20;
/// What is said of a file that only the response has made what it is.
const LEFT: &str = ", as the edits before this one would leave it,";
/// How many parts that were fine are named.
const FINE: usize = 20;

/// Writes the message for what is wrong with these responses, of which this was read; `None` where
/// the response isn't to blame, so that there is nothing for its author to mend. Of the warnings,
/// those of what is in the files already count.
pub fn compose(
    errors: &[Diagnostic],
    warnings: &[Diagnostic],
    patches: &[Patch<'_>],
    sources: &[Source],
) -> Option<String> {
    if errors.is_empty() || !errors.iter().all(is_blamed) {
        return None;
    }
    let problems = if errors.len() == 1 {
        "one problem".into()
    } else {
        format!("{} problems", errors.len())
    };
    let mut out =
        format!("Your patch was not applied, and no file was changed: it has {problems}.\n");
    let mut told = Told::default();
    for (number, error) in (1..).zip(errors.iter().take(TOLD)) {
        let _ = writeln!(out, "\n## {number}. {}", capital(&error.message));
        tell(&mut out, error, (patches, sources), &mut told);
    }
    if errors.len() > TOLD {
        let _ = write!(
            out,
            "\n{} more problems aren't shown.\n",
            errors.len() - TOLD
        );
    }
    let is_idle = errors.iter().all(|error| error.kind == Kind::Unchanged);
    let there: Vec<_> = warnings
        .iter()
        .filter(|of| matches!(of.kind, Kind::AlreadyThere | Kind::NoChange))
        .collect();
    let is_partly_made = !there.is_empty() || errors.iter().any(|error| error.is_made);
    let is_fine = if is_idle {
        Vec::new()
    } else {
        fine(errors, is_partly_made, patches, sources)
    };
    if !there.is_empty() {
        let _ = writeln!(out, "\n## What is there already\n");
    }
    for of in there.iter().take(TOLD) {
        let _ = writeln!(out, "{}.", capital(&of.message));
    }
    if !is_fine.is_empty() {
        let _ = write!(
            out,
            "\n## What was fine\n\nNo problem was found with {}.\n",
            listed(&is_fine)
        );
    }
    let _ = write!(
        out,
        "\n## What to send\n\n{}\n",
        what_to_send(
            errors,
            is_partly_made,
            (patches, sources),
            !is_fine.is_empty()
        )
    );
    Some(out)
}

fn is_blamed(error: &Diagnostic) -> bool {
    !matches!(error.kind.blame(), Blame::System | Blame::Usage)
}

/// What needn't be told again.
#[derive(Default)]
struct Told {
    passages: Vec<Passage>,
    /// What there is in place of missing files.
    notes: HashSet<String>,
}

fn tell(
    out: &mut String,
    error: &Diagnostic,
    (patches, sources): (&[Patch<'_>], &[Source]),
    told: &mut Told,
) {
    let several = sources.len() > 1;
    if let Some(place) = &error.response {
        let label = error
            .label
            .as_ref()
            .map(|label| format!(" ({})", Shown(label.as_bytes())))
            .unwrap_or_default();
        let named = named(place, several);
        let (named, excerpt) = match line_at(place, patches, sources) {
            Some(CallLine { name, number, text }) => (
                format!("line {number} of `{name}`, in {named}"),
                &Excerpt::of_line(text),
            ),
            None => (named, &place.first.excerpt),
        };
        let named = capital(&named);
        let _ = writeln!(out, "\n{named}{label}{}:\n", part(excerpt));
        fence(out, &[excerpt.text()]);
    }
    if !error.also.is_empty() {
        let also: Vec<_> = error
            .also
            .iter()
            .map(|place| of_response(&place.lines(), place, several))
            .collect();
        let _ = writeln!(out, "\nThe same is true of {}.", listed(&also));
    }
    if let Some(place) = &error.cause {
        let _ = writeln!(out, "\nThe earlier edit is {}:\n", named(place, several));
        fence(out, &[place.first.excerpt.text()]);
    }
    // Rivals are told by their numbers, and shown where the passages are.
    for place in error.places.iter().filter(|place| place.more.is_empty()) {
        tell_place(out, place, &error.passages);
    }
    let is_new =
        |note: &&String| error.kind != Kind::FileMissing || told.notes.insert((*note).clone());
    for note in error.notes.iter().filter(is_new) {
        tell_note(out, note);
    }
    for passage in &error.passages {
        tell_passage(out, passage, told);
    }
    if let Some(advice) = error.for_the_model() {
        let _ = writeln!(out, "\nTo correct it: {}.", Shown(advice.as_bytes()));
    }
}

/// Tells a note, and shows the lines of files that are below its first line.
fn tell_note(out: &mut String, note: &str) {
    let (said, lines) = note.split_once('\n').unwrap_or((note, ""));
    let stop = if said.ends_with(['?', ':']) { "" } else { "." };
    let _ = writeln!(out, "\n{}{stop}", capital(said));
    if !lines.is_empty() {
        let lines: Vec<_> = lines
            .lines()
            .map(|line| line.strip_prefix("  ").unwrap_or(line).as_bytes())
            .collect();
        out.push('\n');
        fence(out, &lines);
    }
}

/// Tells a place in a file, and shows its line unless a passage does.
fn tell_place(out: &mut String, place: &Place, passages: &[Passage]) {
    let Quote {
        line,
        excerpt,
        label,
        ..
    } = &place.first;
    let label = match &label[..] {
        "" => String::new(),
        label => format!(" ({})", Shown(label.as_bytes())),
    };
    let caption = capital(&place.caption);
    let (path, part) = (Shown(&place.file), part(excerpt));
    let _ = writeln!(out, "\n{caption}: line {line} of `{path}`{label}{part}.");
    let is_shown = passages.iter().any(|passage| {
        let lines = passage.start.index()..passage.start.index() + passage.lines.len();
        passage.path == place.file && lines.contains(&line.index())
    });
    if !is_shown {
        out.push('\n');
        fence(out, &[excerpt.text()]);
    }
}

/// Shows lines of a file as they are, or says that they were shown.
fn tell_passage(out: &mut String, passage: &Passage, told: &mut Told) {
    let last = LineNo::from_index(passage.start.index() + passage.lines.len() - 1);
    let left = if passage.is_left { LEFT } else { "" };
    let file = format!("`{}`{left}", Shown(&passage.path));
    let lines = match (passage.is_whole, passage.lines.len()) {
        (true, _) => format!("The whole of {file} is"),
        (_, 1) => format!("Line {} of {file} is", passage.start),
        _ => format!("Lines {} to {last} of {file} are", passage.start),
    };
    if told.passages.contains(passage) {
        let _ = writeln!(out, "\n{lines} as shown above.");
        return;
    }
    let _ = writeln!(out, "\n{lines}:\n");
    let texts: Vec<&[u8]> = passage.lines.iter().map(|line| &line[..]).collect();
    fence(out, &texts);
    told.passages.push(passage.clone());
}

/// Says that what is shown isn't the whole line.
fn part(excerpt: &Excerpt) -> &'static str {
    if excerpt.is_cut() == (false, false) {
        ""
    } else {
        ", of which this is a part"
    }
}

fn named(place: &Place, several: bool) -> String {
    of_response(&format!("line {}", place.line()), place, several)
}

fn of_response(lines: &str, place: &Place, several: bool) -> String {
    if several {
        format!("{lines} of `{}`", Shown(&place.file))
    } else {
        format!("{lines} of your response")
    }
}

/// Puts lines between fences that are longer than any in them. What a terminal might obey is
/// escaped, and that is said.
fn fence(out: &mut String, lines: &[&[u8]]) {
    let longest = lines
        .iter()
        .flat_map(|line| line.split(|&byte| byte != b'`'))
        .map(<[u8]>::len)
        .max()
        .unwrap_or(0);
    let marks = "`".repeat((longest + 1).max(3));
    let _ = writeln!(out, "{marks}");
    let mut is_escaped = false;
    for line in lines {
        for (index, part) in line.split(|&byte| byte == b'\t').enumerate() {
            let text = Shown(part).to_string();
            is_escaped |= text.as_bytes() != part;
            let _ = write!(out, "{}{text}", if index > 0 { "\t" } else { "" });
        }
        out.push('\n');
    }
    let _ = writeln!(out, "{marks}");
    if is_escaped {
        let _ = writeln!(
            out,
            "\n(Bytes that can't be printed are shown as `\\` and three octal digits.)"
        );
    }
}

/// All or nothing goes both ways: what was fine has to be sent again.
fn what_to_send(
    errors: &[Diagnostic],
    is_partly_made: bool,
    (patches, sources): (&[Patch<'_>], &[Source]),
    is_partly_fine: bool,
) -> String {
    if errors.iter().all(|error| error.kind == Kind::Unchanged) {
        return "Nothing, if the files are to stay as they are. Otherwise send a patch that \
             changes them."
            .into();
    }
    let was_read = patches.iter().any(|patch| !patch.edits.is_empty());
    let format = patches.iter().map(|patch| patch.format).next();
    // Blocks are told even where none says which file it is about, and calls where none can be read.
    let format =
        format.filter(|format| was_read || matches!(format, Format::Blocks | Format::Tool));
    let Some(format) = format else {
        return format!("{ANY_FORMAT} {PLAINLY}");
    };
    let parts = if is_partly_fine {
        ", the parts that were fine included"
    } else {
        ""
    };
    let names = CallNames::of(patches, sources);
    let whole = whole(format, &names);
    let again = if is_partly_made {
        format!("{PARTLY_MADE}{parts}. {whole}")
    } else {
        format!(
            "None of the patch is in the files yet, so send the whole of it again, \
                 corrected{parts}. {whole}"
        )
    };
    if errors.iter().any(|error| !error.passages.is_empty()) {
        format!("{again} {}", copied(format, &names))
    } else {
        again
    }
}

const ANY_FORMAT: &str = "Send a whole patch: a part from a line `*** Begin Patch` to a line `*** End Patch`, or \
     `<edit>` elements, or a unified diff with `---`, `+++` and `@@` lines, or `<<<<<<< \
     SEARCH` blocks.";
const PLAINLY: &str =
    "Begin it at the start of a line, as plain text, not inside JSON, HTML or a comment.";

const PARTLY_MADE: &str = "A part of the patch seems to be in the files already: leave that out; check whether \
     lines that are only added are there, too. Send all the rest again, corrected";

/// Says what a whole patch is.
fn whole(format: Format, names: &CallNames<'_>) -> String {
    let CallNames {
        path,
        old,
        new,
        content,
    } = names;
    let whole = match format {
        Format::Tool => {
            return format!(
                "That is every call: call your tool again, with `{path}`, `{old}` and `{new}` for \
                 each text to replace, with `{path}` and `{content}` for each new file."
            );
        }
        Format::Blocks => {
            "That is every block: the file's path on a line of its own, then `<<<<<<< \
                 SEARCH`, lines of the file, `=======`, the lines to put in their place, \
                 `>>>>>>> REPLACE`."
        }
        Format::Files => {
            "That is every file, whole, in a Markdown fence of its own, with its path \
                 alone on the line above."
        }
        Format::Envelope => {
            "It begins with a line `*** Begin Patch` and ends with a line `*** End Patch`."
        }
        Format::Opx => "That is every `<edit>`.",
        Format::Unified => {
            "That is a unified diff: for each file a line `--- a/<path>` and a line `+++ \
                 b/<path>` (`/dev/null` for the side on which there is no file), then its \
                 hunks, each under a line `@@ -<line>,<count> +<line>,<count> @@`."
        }
    };
    whole.to_owned()
}

/// Says how text of a file goes into a patch.
fn copied(format: Format, names: &CallNames<'_>) -> String {
    let copied = match format {
        Format::Envelope => {
            "Copy the lines to find from the file as it is shown here, with a space \
                 before each that stays and a `-` before each that is removed, and put `+` \
                 before new lines."
        }
        Format::Blocks => {
            "Copy the lines of each SEARCH from the file as it is shown here: whole \
                 lines, in a row, character for character, and enough of them that they are \
                 there once."
        }
        Format::Tool => {
            return format!(
                "Copy each `{}` from the file as it is shown here, character for character, and \
                 enough of it that it is there once.",
                names.old
            );
        }
        Format::Files => "Write each file out whole, from its first line to its last.",
        Format::Opx => {
            "Copy the text of each `<find>` from the file as it is shown here, character \
                 for character."
        }
        Format::Unified => {
            "Copy the lines that stay or are removed from the file as it is shown here, \
                 with a space or a `-` before each, put `+` before new lines, and take the \
                 line numbers from here."
        }
    };
    copied.to_owned()
}

fn listed(names: &[String]) -> String {
    let mut shown: Vec<_> = names.iter().take(FINE).cloned().collect();
    if names.len() > FINE {
        shown.push(format!("{} more", names.len() - FINE));
    }
    sentence(&shown)
}

/// Makes a message the beginning of a sentence: all of ours begin with a small letter.
fn capital(message: &str) -> String {
    let message = Shown(message.as_bytes()).to_string();
    let mut chars = message.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_content_can_end_its_fence() {
        for (line, fenced) in [
            (&b"a"[..], "```\na\n```\n"),
            (b"```", "````\n```\n````\n"),
            (b"a ````` b", "``````\na ````` b\n``````\n"),
            (b"\tx", "```\n\tx\n```\n"),
            (
                b"\x1b[2J",
                "```\n\\033[2J\n```\n\n(Bytes that can't be printed are shown as `\\` and \
                     three octal digits.)\n",
            ),
        ] {
            let mut out = String::new();
            fence(&mut out, &[line]);
            assert_eq!(out, fenced, "{line:?}");
        }
    }
}
