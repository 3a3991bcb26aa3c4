//! The change of a file → edits of it, the first of several that do what they should.

use super::operations::create;
use super::substitutions::substitutions;
use super::{chunks, proof};
use crate::compare::{Compare, CompareError, Options, Region};
use crate::patch::{Format, Occurrence, Operation, Times, What};
use crate::path::RepoPath;
use crate::text::{Ending, Lines, Text, is_spaces};
use crate::tree::{File, is_binary};

/// What a format says of a file, or why it can't say it; an error if contents can't be compared.
pub(super) type Described<T> = Result<Result<Vec<T>, What>, CompareError>;

/// Says what becomes of a file's content: in the chunks of an envelope; or in texts, which are once
/// in the file as the edits before have left it. An existing file is replaced whole, by OPX only,
/// where no text to find can say its change, since that drops what the file gets before the edit is
/// applied.
pub(super) fn update<'c>(
    format: Format,
    path: &RepoPath,
    before: &'c File,
    after: &'c File,
    compare: &dyn Compare,
    options: &Options,
) -> Described<Operation<'c>> {
    let old = before.content.lines();
    let new = after.content.lines();
    let is_opx = format == Format::Opx;
    let is_binary = before.content.is_binary();
    let mut tries = Vec::new();
    if before.content.is_empty() && matches!(format, Format::Blocks | Format::Tool) {
        tries.push(vec![create(proof::whole_file(&after.content), true)]);
    }
    if !is_binary {
        let behind_mark = |lines: &Lines<'c>| &lines.bytes()[lines.bom().len()..];
        let regions = compare.regions(path, behind_mark(&old), behind_mark(&new))?;
        tries.extend(match format {
            Format::Envelope => in_chunks(&old, &new, &regions, options),
            _ => in_texts(format, &old, &new, &regions, options.context as usize),
        });
    }
    if is_opx {
        tries.extend(replaced(&old, &new));
    }
    let has_nul = !tries.is_empty() && tries.iter().all(|operations| proof::has_nul(operations));
    let mut tries = tries.into_iter();
    let fitting = tries.find(|operations| proof::turns(before, operations, after));
    Ok(fitting.ok_or_else(|| match proof::reason(&old, &new) {
        _ if is_binary => What::Binary,
        _ if format == Format::Envelope && !proof::has_end(&new) => What::NoFinalNewline,
        _ if has_nul => What::Binary,
        What::Misread if is_opx && has_blank_edges(&new) => What::BlankEdges,
        what => what,
    }))
}

fn in_chunks<'c>(
    old: &Lines<'c>,
    new: &Lines<'c>,
    regions: &[Region],
    options: &Options,
) -> Vec<Vec<Operation<'c>>> {
    let narrow = chunks::chunks(old, new, regions, options);
    let whole = chunks::whole(old, new, regions);
    [narrow, whole]
        .map(|hunks| vec![Operation::Update { to: None, hunks }])
        .into()
}

/// Many small edits may take too long to find, or be read otherwise; one edit over all of them rarely
/// is.
fn in_texts<'c>(
    format: Format,
    old: &Lines<'c>,
    new: &Lines<'c>,
    regions: &[Region],
    context: usize,
) -> Vec<Vec<Operation<'c>>> {
    let one = match format {
        Format::Opx => Occurrence::Only,
        Format::Tool => Occurrence::Text(Times::Once),
        _ => Occurrence::Lines(None),
    };
    let joined = (!regions.is_empty()).then(|| Region::over(regions));
    let whole = (format != Format::Opx).then(|| Region {
        old: 0..old.len(),
        new: 0..new.len(),
    });
    let all = [regions, joined.as_slice(), whole.as_slice()];
    all.iter()
        .filter_map(|regions| substitutions(old.bytes(), new.bytes(), regions, context, one))
        .collect()
}

/// Puts all of the new content in place of the old content; `None` where lines end in more than one
/// way.
fn replaced<'c>(old: &Lines<'c>, new: &Lines<'c>) -> Option<Vec<Operation<'c>>> {
    let majority = if is_binary(old.bytes()) {
        Ending::Lf
    } else {
        old.majority()
    };
    let is_alike = new.iter().all(|line| line.ending == majority);
    let content = &new.bytes()[new.bom().len()..];
    is_alike.then(|| whole(content, |lines| Operation::Replace { lines }))?
}

/// Writes all of a file, and behind it what puts back the blank lines at its edges, which a payload
/// can't hold.
pub(super) fn whole<'c>(
    content: &'c [u8],
    write: fn(Vec<Text<'c>>) -> Operation<'c>,
) -> Option<Vec<Operation<'c>>> {
    let lines = Lines::new(content);
    let mut full = (0..lines.len()).filter(|&line| !is_spaces(lines.text(line)));
    let first = full.next().unwrap_or(0);
    let last = full.next_back().unwrap_or(first);
    let end = lines.len().min(last + 1);
    let core = &content[lines.start(first)..lines.start(end)];
    let is_all = core.len() == content.len() - lines.bom().len();
    let core = if is_all { content } else { core };
    let all = vec![write(proof::whole_file(core))];
    if is_all {
        return Some(all);
    }
    // A mark would have to come first.
    if !lines.bom().is_empty() {
        return None;
    }
    let count = end - first;
    let edges = [(0, 0..first), (count, end..lines.len())];
    let edges = edges.into_iter().filter(|(_, new)| !new.is_empty());
    let edges: Vec<_> = edges.map(|(at, new)| Region { old: at..at, new }).collect();
    let around = substitutions(core, content, &edges, 0, Occurrence::Only)?;
    Some([all, around].concat())
}

fn has_blank_edges(lines: &Lines<'_>) -> bool {
    let is_blank = |line: usize| lines.text(line).trim_ascii().is_empty();
    !lines.is_empty() && (is_blank(0) || is_blank(lines.len() - 1))
}
