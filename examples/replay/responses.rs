//! A commit as a response: applied, spoiled, converted.

use anyhow::Result;
use llmpatch::format::Options;
use llmpatch::patch::Operation;
use llmpatch::response;
use llmpatch::text::{Source, SourceId, Span};

use crate::scratch::Scratch;
use crate::tally::Tally;

const FORMATS: [&str; 4] = ["envelope", "opx", "blocks", "tool"];
const BINARY: &[u8] = b"\nGIT binary patch\n";

/// Puts a commit through both formats. Index and work tree are the parent's.
pub(crate) fn replay(
    scratch: &Scratch,
    commit: &str,
    parent: &str,
    tally: &mut Tally,
) -> Result<()> {
    for format in FORMATS {
        let shown = scratch.tool(&["show", &format!("--to={format}"), commit], b"")?;
        let said = String::from_utf8_lossy(&shown.stderr).into_owned();
        // That a file is replaced whole is how OPX says what no lines can.
        let is_plain = said
            .lines()
            .all(|line| line.ends_with("[replaced-whole]") || line.starts_with("help: "));
        match (shown.status.code(), is_plain) {
            (Some(0), true) => {}
            (Some(1), false) if said.contains("changes no file") => continue,
            (Some(1), false) if shown.stdout.is_empty() && is_inexpressible(&said) => {
                let of = tally.of(format);
                of.left_out += 1;
                for reason in said
                    .lines()
                    .filter_map(|line| line.strip_prefix("error[inexpressible]: "))
                {
                    let reason = reason.rsplit(": ").next().unwrap_or(reason);
                    *of.reasons.entry(reason.to_owned()).or_default() += 1;
                }
                continue;
            }
            _ => {
                tally.of(format).applied.add(false);
                tally.fail(format!("{commit}: show --to={format} says\n{said}"));
                continue;
            }
        }
        let response = shown.stdout;
        spoil(scratch, commit, parent, format, &response, tally)?;
        convert(scratch, commit, parent, format, &response, tally)?;
        let applied = scratch.tool(&["apply", "--index"], &response)?;
        tally.heed(format, &applied.stderr);
        let is_good = applied.status.success() && scratch.is_at(commit)?;
        if !tally.of(format).applied.add(is_good) {
            let said = String::from_utf8_lossy(&applied.stderr);
            tally.fail(format!(
                "{commit}: as {format} it doesn't give the commit's tree\n{said}"
            ));
        }
        scratch.go_to(parent)?;
    }
    Ok(())
}

fn is_inexpressible(said: &str) -> bool {
    let errors: Vec<_> = said
        .lines()
        .filter(|line| line.starts_with("error"))
        .collect();
    !errors.is_empty()
        && errors
            .iter()
            .all(|error| error.starts_with("error[inexpressible]: "))
}

/// Spoils one searched line, and demands that nothing comes of the response.
fn spoil(
    scratch: &Scratch,
    commit: &str,
    parent: &str,
    format: &'static str,
    response: &[u8],
    tally: &mut Tally,
) -> Result<()> {
    let Some(at) = searched_line(response) else {
        return Ok(());
    };
    let spoiled = [&response[..at], b" (spoiled)", &response[at..]].concat();
    let refused = scratch.tool(&["apply", "--index"], &spoiled)?;
    let is_good = refused.status.code() == Some(1) && scratch.is_at(parent)?;
    if !tally.of(format).spoiled.add(is_good) {
        let said = String::from_utf8_lossy(&refused.stderr);
        tally.fail(format!(
            "{commit}: spoiled as {format} it isn't refused, status {:?}\n{said}",
            refused.status.code()
        ));
        scratch.go_to(parent)?;
    }
    Ok(())
}

/// Returns the end of the last line that is looked for, in a response about two files or more.
fn searched_line(response: &[u8]) -> Option<usize> {
    let source = Source::new(SourceId(0), "", response.to_vec())?;
    let patch = response::parse(&source, &Options::default()).patch;
    let mut files: Vec<_> = patch.edits.iter().map(|edit| &edit.path[..]).collect();
    files.dedup();
    let searched = |operation: &Operation<'_>| -> Option<Span> {
        match operation {
            Operation::Update { hunks, .. } => {
                hunks.iter().flat_map(|hunk| hunk.old()).last()?.text.span
            }
            Operation::Substitute(substitution) => substitution.find.last()?.span,
            _ => None,
        }
    };
    let last = patch
        .edits
        .iter()
        .rev()
        .find_map(|edit| searched(&edit.operation));
    last.filter(|_| files.len() > 1)
        .map(|span| span.end as usize)
}

/// Converts a response into the other formats, and these back.
fn convert(
    scratch: &Scratch,
    commit: &str,
    parent: &str,
    format: &'static str,
    response: &[u8],
    tally: &mut Tally,
) -> Result<()> {
    let onto = format!("--onto={parent}");
    let to = |format: &str, input: &[u8]| {
        scratch.tool(&["convert", &format!("--to={format}"), &onto], input)
    };
    let own = to(format, response)?;
    for other in FORMATS
        .into_iter()
        .chain(["unified"])
        .filter(|other| *other != format)
    {
        let there = to(other, response)?;
        // What one format can say another may not.
        if there.status.code() == Some(1)
            && is_inexpressible(&String::from_utf8_lossy(&there.stderr))
        {
            continue;
        }
        // Of a binary file that goes, git's format shows bytes, which nothing but git reads.
        if other == "unified"
            && there
                .stdout
                .windows(BINARY.len())
                .any(|window| window == BINARY)
        {
            tally.of(format).binary += 1;
            continue;
        }
        let back = to(format, &there.stdout)?;
        let is_good =
            own.status.success() && there.status.success() && same_patch(&own.stdout, &back.stdout);
        if !tally.of(format).converted.add(is_good) {
            let said = [&own.stderr[..], &there.stderr, &back.stderr].concat();
            let said = String::from_utf8_lossy(&said).into_owned();
            tally.fail(format!(
                "{commit}: {format} to {other} and back isn't the same\n{said}"
            ));
        }
    }
    Ok(())
}

/// Returns whether two responses do the same in the same words, their notes aside: not every format
/// holds them.
fn same_patch(one: &[u8], other: &[u8]) -> bool {
    let source = |response: &[u8]| Source::new(SourceId(0), "", response.to_vec());
    let (Some(one), Some(other)) = (source(one), source(other)) else {
        return false;
    };
    let [one, other] = [&one, &other].map(|source| {
        let mut patch = response::parse(source, &Options::default()).patch;
        patch.edits.iter_mut().for_each(|edit| edit.why = None);
        patch
    });
    !one.edits.is_empty() && one == other
}
