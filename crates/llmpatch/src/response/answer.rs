//! What of a response's parts is the answer: its patches are read, the others are told.

use super::marks::MarkOf;
use super::parts::{Part, Parts, Role, What};
use super::prose::Prose;
use super::session::Session;
use super::walk::{WalkItem, WalkOutcome};
use super::{Error, Hiding, Nearly, Warning};
use crate::format::Warning as Any;
use crate::patch::Format;
use crate::text::{Located, Source, Span};

/// Sorts the parts of a response by what they mean.
pub(crate) fn answer<'a>(
    source: &'a Source,
    parts: Parts<'a>,
    session: Session,
) -> WalkOutcome<'a> {
    let roles: Vec<_> = (0..parts.all.len())
        .map(|index| parts.role(index))
        .collect();
    let why: Vec<_> = roles
        .iter()
        .map(|(_, by)| by.map(|by| hiding(&parts.all[by])))
        .collect();
    let mut prose = Prose::default();
    let has_patch = parts
        .all
        .iter()
        .zip(&roles)
        .any(|(part, (role, _))| *role == Role::Answer && matches!(part.what, What::Patch(_)));
    // The line of a Begin that isn't one is named by what was lost by it.
    let told: Vec<_> = parts
        .all
        .iter()
        .filter_map(|part| part.what.begin())
        .collect();
    for (part, why) in parts.all.into_iter().zip(why) {
        let is_told = told.contains(&source.line_at(part.range.start));
        if is_told && matches!(part.what, What::Near(_)) {
            continue;
        }
        let span = source.span(part.range.clone());
        prose.refused.extend(open_result(source, &part));
        match why {
            None => take(source, part, has_patch, &mut prose),
            Some(by) => {
                if let Some((format, span)) = patch_of(source, &part, span) {
                    prose.note_hidden(span, &by);
                    let warning = Warning::Hidden { format, by };
                    prose.found.push(WalkItem::remark(span, warning));
                }
            }
        }
    }
    WalkOutcome {
        prose,
        bases: parts.bases,
        session,
    }
}

/// Takes in a part of the answer.
fn take<'a>(source: &Source, part: Part<'a>, has_patch: bool, prose: &mut Prose<'a>) {
    let span = source.span(part.range);
    match part.what {
        What::Patch(block) => prose.found.push(WalkItem::Block(*block)),
        What::Loss(format, loss) => prose.found.push(WalkItem::residue(format, span, loss)),
        What::Near(near) if near.is_half && has_patch => {
            prose.refused.push(Located::new(span, Error::Half { near }));
        }
        What::Near(near) => prose.note_nearly(span, Nearly::Row(near)),
        What::Nearly(what) => prose.note_nearly(span, what),
        What::Unread(by) => prose.note_hidden(span, &by),
        What::Told(told) => prose
            .found
            .push(WalkItem::Remark(Located::new(span, *told))),
        What::Refused(error) => prose.refused.push(Located::new(span, *error)),
        What::Chat(mark) if has_patch => {
            let token = mark.written.into();
            prose
                .refused
                .push(Located::new(span, Error::Chat { token }));
        }
        _ => {}
    }
}

/// Refuses a tag of a tool's result that isn't closed.
fn open_result(source: &Source, part: &Part<'_>) -> Option<Located<Error>> {
    let What::Marked {
        open,
        is_closed: false,
        ..
    } = &part.what
    else {
        return None;
    };
    let start = part.range.start;
    let span = source.span(start..start + open.written.len());
    let tag = open.written.into();
    (open.mark.of == MarkOf::Result).then(|| Located::new(span, Error::OpenResult { tag }))
}

/// Returns the patch that a part which isn't the answer holds.
fn patch_of(source: &Source, part: &Part<'_>, span: Span) -> Option<(Format, Span)> {
    match &part.what {
        What::Patch(block) => Some((block.format, block.start(source))),
        What::Marked { patch, .. } => *patch,
        What::Quotation(format) => Some((*format, span)),
        What::Told(told) => match **told {
            Any::Response(Warning::ProseEdit) => Some((Format::Opx, span)),
            _ => None,
        },
        _ => None,
    }
}

/// Says why a part isn't read, by the part that makes it so.
fn hiding(part: &Part<'_>) -> Hiding {
    match &part.what {
        What::Comment { .. } => Hiding::Comment,
        What::LoneMark(mark) => Hiding::Unopened(mark.shown()),
        What::Marked {
            open, is_closed, ..
        } => match is_closed {
            true => Hiding::Reasoning(open.shown(), open.shown_close()),
            false => Hiding::Unclosed(open.shown()),
        },
        _ => Hiding::Quote,
    }
}
