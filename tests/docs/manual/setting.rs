//! Setting a page: written sections, and what the program's own tables say in them.

use clap::{Arg, ArgAction, Command};
use llmpatch::kind::Kind;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::messages::{said, samples};
use super::roff::{Inline, Roff, bold, italic, roman};
use super::{NAME, Subject};

/// The date at the foot of the pages: the day on which this version's were last looked through.
const DATE: &str = "2026-11-24";

/// Makes a page.
pub(super) fn page(name: &str, subject: &Subject, written: &str) -> String {
    let source = format!("{NAME} {}", env!("CARGO_PKG_VERSION"));
    let mut roff = Roff::new([
        &name.to_uppercase(),
        subject.section(),
        DATE,
        &source,
        "Git LLM Patch",
    ]);
    roff.control("SH", &["NAME"]);
    match subject {
        Subject::Command(command) => {
            roff.text(&[roman(format!("{name} - {}", command.get_about().unwrap()))]);
            roff.control("SH", &["SYNOPSIS"]);
            synopsis(&mut roff, command);
        }
        Subject::Guide(about) => roff.text(&[roman(format!("{name} - {about}"))]),
    }
    written_sections(&mut roff, subject, written);
    roff.into_page()
}

fn synopsis(roff: &mut Roff, command: &Command) {
    let usage = command.clone().render_usage().to_string();
    let forms: Vec<_> = usage
        .trim_start_matches("Usage:")
        .lines()
        .map(str::trim)
        .filter(|form| !form.is_empty())
        .collect();
    for (index, form) in forms.iter().enumerate() {
        if index > 0 {
            roff.control("br", &[]);
        }
        roff.tag(&usage_words(form));
    }
}

/// Sets a usage line: the words to type bold, the others in italics.
fn usage_words(form: &str) -> Vec<Inline> {
    let mut line = Vec::new();
    for (index, word) in form.split(' ').enumerate() {
        if index > 0 {
            line.push(roman(" "));
        }
        let is_typed = index < 3 && !word.contains(['<', '[']);
        line.push(if is_typed { bold(word) } else { italic(word) });
    }
    line
}

/// Fills in what the program's tables say under a heading.
fn tables(roff: &mut Roff, subject: &Subject, heading: &str) {
    match (heading, subject) {
        ("OPTIONS", Subject::Command(command)) => options(roff, command),
        ("COMMANDS", Subject::Command(command)) => {
            for subcommand in command
                .get_subcommands()
                .filter(|subcommand| !subcommand.is_hide_set())
            {
                roff.control("TP", &[]);
                roff.tag(&[
                    bold(format!("{NAME}-{}", subcommand.get_name())),
                    roman("(1)"),
                ]);
                roff.text(&[roman(sentence(
                    &subcommand.get_about().unwrap().to_string(),
                ))]);
            }
        }
        ("KINDS OF ERRORS", _) => {
            for kind in Kind::ALL.iter().filter(|kind| !kind.is_warning()) {
                term(roff, kind.code(), kind.meaning());
            }
        }
        ("KINDS OF WARNINGS", _) => {
            for kind in Kind::ALL.iter().filter(|kind| kind.is_warning()) {
                term(roff, kind.code(), kind.meaning());
            }
        }
        ("OPTIONS AND FORMATS", _) => {
            for (option, formats) in git_llmpatch::cli::options_by_format() {
                let formats: Vec<_> = formats.iter().map(ToString::to_string).collect();
                term(roff, option, &sentence(&formats.join(", ")));
            }
        }
        ("KINDS", _) => kinds(roff),
        _ => {}
    }
}

/// Says of every kind, under a heading of its own, what it means and what is said of responses of
/// that kind.
fn kinds(roff: &mut Roff) {
    let samples = samples();
    for kind in Kind::ALL {
        roff.control("SH", &[kind.code()]);
        roff.text(&with_code(kind.meaning()));
        let mut of_kind = samples
            .iter()
            .filter(|sample| sample.kind() == kind)
            .peekable();
        if of_kind.peek().is_none() {
            code(roff, &said(*kind));
        }
        for sample in of_kind {
            roff.control("SS", &[&sample.title]);
            roff.text(&with_code(&sample.about));
            code(roff, &sample.lines());
        }
    }
}

/// Sets lines as they are, if there are any.
fn code(roff: &mut Roff, lines: &[String]) {
    if !lines.is_empty() {
        roff.code(lines.iter().map(String::as_str));
    }
}

fn term(roff: &mut Roff, name: &str, text: &str) {
    roff.control("TP", &[]);
    roff.tag(&[bold(name)]);
    roff.text(&with_code(text));
}

fn sentence(text: &str) -> String {
    if text.ends_with('.') {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}

/// Sets what stands in backticks or looks like an option bold.
fn with_code(text: &str) -> Vec<Inline> {
    let parts = text.split('`').enumerate();
    parts
        .map(|(index, part)| {
            if index % 2 == 1 {
                bold(part)
            } else {
                roman(part)
            }
        })
        .collect()
}

fn options(roff: &mut Roff, command: &Command) {
    let shown = || {
        command
            .get_arguments()
            .filter(|argument| !argument.is_hide_set())
    };
    let mut headings: Vec<Option<&str>> = vec![None];
    headings.extend(
        shown()
            .filter_map(|argument| argument.get_help_heading())
            .map(Some),
    );
    headings.dedup();
    let mut done = Vec::new();
    for heading in headings {
        if done.contains(&heading) {
            continue;
        }
        done.push(heading);
        let of: Vec<_> = shown()
            .filter(|argument| argument.get_help_heading() == heading)
            .collect();
        if let (Some(heading), false) = (heading, of.is_empty()) {
            roff.control("SS", &[heading]);
        }
        let (positional, optional): (Vec<_>, Vec<_>) = of
            .into_iter()
            .partition(|argument| argument.is_positional());
        for argument in positional.into_iter().chain(optional) {
            option(roff, argument);
        }
    }
}

fn option(roff: &mut Roff, argument: &Arg) {
    roff.control("TP", &[]);
    let mut line = Vec::new();
    let value = argument
        .get_value_names()
        .and_then(|names| names.first())
        .map(|name| format!("<{name}>"));
    let value =
        value.filter(|_| matches!(argument.get_action(), ArgAction::Set | ArgAction::Append));
    if argument.is_positional() {
        line.push(italic(value.unwrap_or_default()));
    } else {
        let shorts = argument
            .get_short()
            .into_iter()
            .map(|short| (format!("-{short}"), " "));
        let longs = argument
            .get_long()
            .into_iter()
            .chain(argument.get_visible_aliases().unwrap_or_default());
        let longs = longs.map(|long| (format!("--{long}"), "="));
        for (index, (name, between)) in shorts.chain(longs).enumerate() {
            if index > 0 {
                line.push(roman(", "));
            }
            line.push(bold(name));
            let Some(value) = &value else { continue };
            let is_optional = argument
                .get_num_args()
                .is_some_and(|count| count.min_values() == 0);
            line.extend(match (is_optional, between) {
                (true, "=") => vec![roman("[="), italic(value.clone()), roman("]")],
                (true, _) => vec![roman("["), italic(value.clone()), roman("]")],
                (false, between) => vec![roman(between), italic(value.clone())],
            });
        }
    }
    roff.tag(&line);
    let help = argument
        .get_long_help()
        .or(argument.get_help())
        .unwrap()
        .to_string();
    let mut text = vec![roman(sentence(&help))];
    let values: Vec<_> = argument
        .get_possible_values()
        .iter()
        .map(|value| value.get_name().to_owned())
        .collect();
    if !values.is_empty() && argument.get_action().takes_values() {
        text.push(roman(" One of "));
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                text.push(roman(if index + 1 == values.len() {
                    " or "
                } else {
                    ", "
                }));
            }
            text.push(bold(value.clone()));
        }
        text.push(roman("."));
    }
    roff.text(&text);
}

/// Sets Markdown, as far as pages use it.
fn written_sections(roff: &mut Roff, subject: &Subject, written: &str) {
    let extensions = Options::ENABLE_DEFINITION_LIST;
    let mut inlines: Vec<Inline> = Vec::new();
    let mut heading = String::new();
    let mut filled: Option<String> = None;
    let mut setting: fn(String) -> Inline = roman;
    let mut code_block: Option<String> = None;
    let mut in_item = 0_usize;
    for event in Parser::new_ext(written, extensions) {
        match event {
            Event::Start(Tag::Heading {
                level: HeadingLevel::H1,
                ..
            }) => {
                if let Some(before) = filled.take() {
                    tables(roff, subject, &before);
                }
            }
            Event::End(TagEnd::Heading(level)) => {
                heading = plain(&inlines);
                inlines.clear();
                roff.control(
                    if level == HeadingLevel::H1 {
                        "SH"
                    } else {
                        "SS"
                    },
                    &[&heading],
                );
                if level == HeadingLevel::H1 {
                    filled = Some(heading.clone());
                }
            }
            Event::Start(Tag::Paragraph) if in_item == 0 => roff.paragraph(),
            Event::Start(Tag::Item) => {
                in_item += 1;
                roff.control("IP", &["\u{2022}", "2"]);
            }
            Event::Start(Tag::DefinitionListTitle) => roff.control("TP", &[]),
            Event::Start(Tag::DefinitionListDefinition) => in_item += 1,
            Event::End(TagEnd::Item | TagEnd::DefinitionListDefinition) => {
                flush(roff, &mut inlines);
                in_item -= 1;
            }
            Event::End(TagEnd::Paragraph) => flush(roff, &mut inlines),
            Event::End(TagEnd::DefinitionListTitle) => roff.tag(&std::mem::take(&mut inlines)),
            Event::Start(Tag::CodeBlock(_)) => {
                flush(roff, &mut inlines);
                code_block = Some(String::new());
            }
            Event::End(TagEnd::CodeBlock) => roff.code(code_block.take().unwrap().lines()),
            Event::Text(text) => match &mut code_block {
                Some(block) => block.push_str(&text),
                None => inlines.push(setting(text.to_string())),
            },
            Event::Code(code) => inlines.push(bold(code.to_string())),
            Event::SoftBreak => inlines.push(roman(" ")),
            Event::Start(Tag::Emphasis) => setting = italic,
            Event::Start(Tag::Strong) => setting = bold,
            Event::End(TagEnd::Emphasis | TagEnd::Strong) => setting = roman,
            Event::Start(Tag::List(_) | Tag::DefinitionList)
            | Event::End(TagEnd::List(_) | TagEnd::DefinitionList) => {}
            Event::Start(Tag::Paragraph | Tag::Heading { .. }) => {}
            other => panic!("pages don't know how to set {other:?}, under {heading}"),
        }
    }
    if let Some(before) = filled.take() {
        tables(roff, subject, &before);
    }
}

fn flush(roff: &mut Roff, inlines: &mut Vec<Inline>) {
    if !inlines.is_empty() {
        roff.text(&std::mem::take(inlines));
    }
}

fn plain(inlines: &[Inline]) -> String {
    let of = |inline: &Inline| match inline {
        Inline::Roman(text) | Inline::Bold(text) | Inline::Italic(text) => text.clone(),
    };
    inlines.iter().map(of).collect()
}
