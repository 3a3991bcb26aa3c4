//! Setting a page: written sections, and what the program's own tables say in them.

use std::fs;
use std::path::Path;

use clap::{Arg, ArgAction, Command};
use git_llmpatch::kind::Kind;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use roff::{Inline, Roff, bold, italic, roman};

use super::{NAME, Subject};

/// Makes a page.
pub(super) fn page(name: &str, subject: &Subject, written: &str) -> String {
    let mut roff = Roff::new();
    let source = format!("{NAME} {}", env!("CARGO_PKG_VERSION"));
    roff.control("TH", [name.to_uppercase().as_str(), subject.section(), "", &source, "Git LLM Patch Manual"]);
    // Where there is no such character, as in the C locale, groff would complain and leave a hole.
    roff.control("fchar", [r"\[u2026]", "..."]);
    roff.control("SH", ["NAME"]);
    match subject {
        Subject::Command(command) => {
            roff.text([roman(format!("{name} - {}", command.get_about().unwrap()))]);
            roff.control("SH", ["SYNOPSIS"]);
            synopsis(&mut roff, command);
        }
        Subject::Guide(about) => {
            roff.text([roman(format!("{name} - {about}"))]);
        }
    }
    written_sections(&mut roff, subject, written);
    // The crate writes an argument that is empty, the date, as nothing at all.
    roff.to_roff().replacen("  \"", " \"\" \"", 1)
}

fn synopsis(roff: &mut Roff, command: &Command) {
    let usage = command.clone().render_usage().to_string();
    let forms: Vec<_> =
        usage.trim_start_matches("Usage:").lines().map(str::trim).filter(|form| !form.is_empty()).collect();
    for (index, form) in forms.iter().enumerate() {
        if index > 0 {
            roff.control("br", []);
        }
        roff.text(usage_words(form));
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
            for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
                roff.control("TP", []);
                roff.text([bold(format!("{NAME}-{}", subcommand.get_name())), roman("(1)")]);
                roff.text([roman(sentence(&subcommand.get_about().unwrap().to_string()))]);
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
        ("SHAPES", _) => shapes(roff),
        _ => {}
    }
}

/// Says of every shape that answers take what it is, and what is said of it.
fn shapes(roff: &mut Roff) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/shapes");
    let mut told = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let read = |name: &str| fs::read_to_string(path.join(name)).unwrap_or_default();
        let about = read("about.md");
        let (title, about) = about.split_once('\n').unwrap_or_else(|| {
            panic!("{}/about.md: a title (`# …`) and what the shape is belong there", path.display())
        });
        let (title, about) = (title.to_owned(), about.trim().to_owned());
        // What is passed over in silence needs no help.
        let said = read("error.txt") + &read("warnings.txt");
        if !said.is_empty() {
            told.push((title.trim_start_matches("# ").to_owned(), about, said));
        }
    }
    told.sort_by_key(|(title, ..)| title.replace('`', "").to_lowercase());
    for (title, about, said) in told {
        roff.control("SS", [title.replace('`', "").replace('\\', "\\e").as_str()]);
        roff.text(with_code(&about.replace('\n', " ")));
        let is_told = |line: &&str| ["error", "warning", "help: "].iter().any(|start| line.starts_with(start));
        code(roff, said.lines().filter(is_told));
    }
}

/// Sets lines as they are.
fn code<'l>(roff: &mut Roff, lines: impl Iterator<Item = &'l str>) {
    roff.control("PP", []);
    roff.control("RS", ["4"]);
    roff.control("nf", []);
    for line in lines {
        match line {
            "" => roff.control("sp", []),
            line => roff.text([roman(line)]),
        };
    }
    roff.control("fi", []);
    roff.control("RE", []);
}

fn term(roff: &mut Roff, name: &str, text: &str) {
    roff.control("TP", []);
    roff.text([bold(name)]);
    roff.text(with_code(text));
}

fn sentence(text: &str) -> String {
    if text.ends_with('.') { text.to_owned() } else { format!("{text}.") }
}

/// Sets what stands in backticks or looks like an option bold.
fn with_code(text: &str) -> Vec<Inline> {
    let parts = text.split('`').enumerate();
    parts.map(|(index, part)| if index % 2 == 1 { bold(part) } else { roman(part) }).collect()
}

fn options(roff: &mut Roff, command: &Command) {
    let shown = || command.get_arguments().filter(|argument| !argument.is_hide_set());
    let mut headings: Vec<Option<&str>> = vec![None];
    headings.extend(shown().filter_map(|argument| argument.get_help_heading()).map(Some));
    headings.dedup();
    let mut done = Vec::new();
    for heading in headings {
        if done.contains(&heading) {
            continue;
        }
        done.push(heading);
        let of: Vec<_> = shown().filter(|argument| argument.get_help_heading() == heading).collect();
        if let (Some(heading), false) = (heading, of.is_empty()) {
            roff.control("SS", [heading]);
        }
        let (positional, optional): (Vec<_>, Vec<_>) = of.into_iter().partition(|argument| argument.is_positional());
        for argument in positional.into_iter().chain(optional) {
            option(roff, argument);
        }
    }
}

fn option(roff: &mut Roff, argument: &Arg) {
    roff.control("TP", []);
    let mut line = Vec::new();
    let value = argument.get_value_names().and_then(|names| names.first()).map(|name| format!("<{name}>"));
    let value = value.filter(|_| matches!(argument.get_action(), ArgAction::Set | ArgAction::Append));
    if argument.is_positional() {
        line.push(italic(value.unwrap_or_default()));
    } else {
        let shorts = argument.get_short().into_iter().map(|short| (format!("-{short}"), " "));
        let longs = argument.get_long().into_iter().chain(argument.get_visible_aliases().unwrap_or_default());
        let longs = longs.map(|long| (format!("--{long}"), "="));
        for (index, (name, between)) in shorts.chain(longs).enumerate() {
            if index > 0 {
                line.push(roman(", "));
            }
            line.push(bold(name));
            let Some(value) = &value else { continue };
            let is_optional = argument.get_num_args().is_some_and(|count| count.min_values() == 0);
            line.extend(match (is_optional, between) {
                (true, "=") => vec![roman("[="), italic(value.clone()), roman("]")],
                (true, _) => vec![roman("["), italic(value.clone()), roman("]")],
                (false, between) => vec![roman(between), italic(value.clone())],
            });
        }
    }
    roff.text(line);
    let help = argument.get_long_help().or(argument.get_help()).unwrap().to_string();
    let mut text = vec![roman(sentence(&help))];
    let values: Vec<_> = argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    if !values.is_empty() && argument.get_action().takes_values() {
        text.push(roman(" One of "));
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                text.push(roman(if index + 1 == values.len() { " or " } else { ", " }));
            }
            text.push(bold(value.clone()));
        }
        text.push(roman("."));
    }
    roff.text(text);
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
            Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) => {
                if let Some(before) = filled.take() {
                    tables(roff, subject, &before);
                }
            }
            Event::End(TagEnd::Heading(level)) => {
                heading = plain(&inlines);
                inlines.clear();
                roff.control(if level == HeadingLevel::H1 { "SH" } else { "SS" }, [heading.as_str()]);
                if level == HeadingLevel::H1 {
                    filled = Some(heading.clone());
                }
            }
            Event::Start(Tag::Paragraph) if in_item == 0 => {
                roff.control("PP", []);
            }
            Event::Start(Tag::Item) => {
                in_item += 1;
                roff.control("IP", ["\u{2022}", "2"]);
            }
            Event::Start(Tag::DefinitionListTitle) => {
                roff.control("TP", []);
            }
            Event::Start(Tag::DefinitionListDefinition) => in_item += 1,
            Event::End(TagEnd::Item | TagEnd::DefinitionListDefinition) => {
                flush(roff, &mut inlines);
                in_item -= 1;
            }
            Event::End(TagEnd::Paragraph | TagEnd::DefinitionListTitle) => flush(roff, &mut inlines),
            Event::Start(Tag::CodeBlock(_)) => {
                flush(roff, &mut inlines);
                code_block = Some(String::new());
            }
            Event::End(TagEnd::CodeBlock) => {
                code(roff, code_block.take().unwrap().lines());
            }
            Event::Text(text) => match &mut code_block {
                Some(block) => block.push_str(&text),
                None => inlines.push(setting(text.to_string())),
            },
            Event::Code(code) => inlines.push(bold(code.to_string())),
            Event::SoftBreak => inlines.push(roman(" ")),
            Event::Start(Tag::Emphasis) => setting = italic,
            Event::Start(Tag::Strong) => setting = bold,
            Event::End(TagEnd::Emphasis | TagEnd::Strong) => setting = roman,
            Event::Start(Tag::List(_) | Tag::DefinitionList) | Event::End(TagEnd::List(_) | TagEnd::DefinitionList) => {
            }
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
        roff.text(std::mem::take(inlines));
    }
}

fn plain(inlines: &[Inline]) -> String {
    let of = |inline: &Inline| match inline {
        Inline::Roman(text) | Inline::Bold(text) | Inline::Italic(text) => text.clone(),
        Inline::LineBreak => " ".to_owned(),
    };
    inlines.iter().map(of).collect()
}
