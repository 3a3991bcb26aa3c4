//! Parts in which the model thinks aloud: from an opening mark to its closing mark.
//!
//! An opening mark counts where it is first on its line, a closing mark where it is first or last
//! on its line, or on the line of its opening mark; elsewhere they are text. So are marks in a
//! Markdown fence that ends behind the closing mark. What is between is looked at for nothing but
//! a warning: a draft may break off anywhere.

use bstr::ByteSlice as _;

use super::Patience;
use super::headings::{self, Heading};
use crate::format::fence::Fence;
use crate::text::{LineNo, Row, Source};
use crate::text::{is_blank, starts_with_any_case, trim, trim_start};

/// The names of tags between which models think aloud, as in `<think>` and `<x:think>`, and these
/// tags as messages show them.
const TAGS: [(&str, &str, &str); 11] = [
    ("think", "<think>", "</think>"),
    ("thinking", "<thinking>", "</thinking>"),
    ("thought", "<thought>", "</thought>"),
    ("thoughts", "<thoughts>", "</thoughts>"),
    ("reasoning", "<reasoning>", "</reasoning>"),
    ("scratchpad", "<scratchpad>", "</scratchpad>"),
    ("analysis", "<analysis>", "</analysis>"),
    ("reflection", "<reflection>", "</reflection>"),
    ("antthinking", "<antthinking>", "</antthinking>"),
    ("inner_monologue", "<inner_monologue>", "</inner_monologue>"),
    // aider's, in what it keeps of a chat.
    (
        "thinking-content-7bbeb8e1441453ad999a0bbba8a46d4b",
        "<thinking-content-…>",
        "</thinking-content-…>",
    ),
];

/// What begins a message in a channel of its own, as OpenAI's open models write it.
pub(super) const CHANNEL: &[u8] = b"<|channel|>";
const MESSAGE: &[u8] = b"<|message|>";

/// Other marks: of Mistral, Kimi, Cohere, Sky-T1 and OpenThinker, Gemma; from [`SHARED`] on what
/// Open WebUI and others make of a thought that can be folded, and the marks of what others say in
/// a conversation: from [`TURNS`] on their turns, as models see them (ChatML, Llama, Gemma,
/// OpenAI's open models, Phi, GLM, Kimi, Mistral, DeepSeek), and as people and ReAct's agents
/// write them down.
const PAIRS: [(&str, &str); 37] = [
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|channel>thought", "<channel|>"),
    (DETAILS, "</details>"),
    ("<summary>Thinking", "</details>"),
    ("<summary>Thought", "</details>"),
    ("<summary>Reasoning", "</details>"),
    ("<system-reminder>", "</system-reminder>"),
    ("[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
    ("<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>"),
    ("<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"),
    ("<|START_TOOL_RESULT|>", "<|END_TOOL_RESULT|>"),
    ("<|im_start|>system", "<|im_end|>"),
    ("<|im_start|>user", "<|im_end|>"),
    ("<|im_start|>tool", "<|im_end|>"),
    ("<|start_header_id|>system<|end_header_id|>", "<|eot_id|>"),
    ("<|start_header_id|>user<|end_header_id|>", "<|eot_id|>"),
    ("<|start_header_id|>ipython<|end_header_id|>", "<|eot_id|>"),
    ("<start_of_turn>user", "<end_of_turn>"),
    ("<|start|>system", "<|end|>"),
    ("<|start|>developer", "<|end|>"),
    ("<|start|>user", "<|end|>"),
    ("<|system|>", "<|end|>"),
    ("<|user|>", "<|end|>"),
    ("<|observation|>", "<|end|>"),
    ("<|im_user|>", "<|im_end|>"),
    ("<|im_system|>", "<|im_end|>"),
    ("[INST]", "[/INST]"),
    ("<<SYS>>", "<</SYS>>"),
    ("<｜User｜>", "<｜Assistant｜>"),
    ("User:", "Assistant:"),
    ("System:", "Assistant:"),
    ("Instruction:", "Response:"),
    ("Human:", "Assistant:"),
    ("Observation:", "Final Answer:"),
];

/// The first of [`PAIRS`] whose closing mark closes other parts, too.
const SHARED: usize = 5;

/// The first of [`PAIRS`] that is a turn, the first that is written in words, and of these the name
/// that needs no closing mark to be a turn, as models go on with it behind their responses, and the
/// name that needs no blank line above.
const TURNS: usize = 14;
const WORDS: usize = 32;
const HUMAN: usize = 35;
const OBSERVATION: usize = 36;

/// What can be before an opening mark on its line: the end of the turn before, the beginning of the
/// conversation, or what can be folded.
const BEFORE: [&[u8]; 8] = [
    b"<|im_end|>",
    b"<|eot_id|>",
    b"<end_of_turn>",
    b"<|end|>",
    b"<|begin_of_text|>",
    b"<s>",
    b"</s>",
    b"<details>",
];

/// What begins a turn of the model: it ends any turn before.
const ANSWERS: [&str; 11] = [
    "<|im_start|>assistant",
    "<|start_header_id|>assistant<|end_header_id|>",
    "<start_of_turn>model",
    "<|start|>assistant",
    "<|assistant|>",
    "<｜Assistant｜>",
    "Assistant:",
    "AI:",
    "Response:",
    "Thought:",
    "Final Answer:",
];

/// A tag that has more attributes.
const DETAILS: &str = "<details type=\"reasoning\"";

/// The kind of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark<'a> {
    /// One of [`TAGS`], by its number.
    Tag(usize),
    /// A tag around what a tool or a person says, by its name.
    Others(&'a [u8]),
    /// One of [`PAIRS`], by its number.
    Pair(usize),
    /// `<|channel|>analysis`
    Channel,
    /// A heading that names a person; one that names a model closes.
    Heading,
}

impl Mark<'_> {
    /// Returns the marks as messages show them.
    pub(super) fn shown(self) -> (String, String) {
        let (open, close) = match self {
            Mark::Tag(index) => {
                let (_, open, close) = TAGS[index];
                (open, close)
            }
            Mark::Others(name) => {
                let name = name.to_str_lossy();
                return (format!("<{name}>"), format!("</{name}>"));
            }
            Mark::Pair(index) => PAIRS[index],
            Mark::Channel => ("<|channel|>analysis", "<|channel|>final"),
            Mark::Heading => ("## User", "## Assistant"),
        };
        (open.into(), close.into())
    }

    /// Returns whether a mark closes what the other opens.
    fn is_closed_by(self, other: Mark<'_>) -> bool {
        match (self, other) {
            (Mark::Pair(open), Mark::Pair(close)) => PAIRS[open].1 == PAIRS[close].1,
            _ => self == other,
        }
    }

    /// Returns whether a turn of another than the model begins or ends with the mark.
    pub(super) fn is_turn(self) -> bool {
        self == Mark::Heading || matches!(self, Mark::Pair(index) if index >= TURNS)
    }

    fn is_word(self) -> bool {
        self == Mark::Heading || matches!(self, Mark::Pair(index) if index >= WORDS)
    }
}

/// Returns a line without the marks of a heading or of bold text before and in a speaker's name.
fn unmarked(line: &[u8]) -> &[u8] {
    line.trim_start_with(|c| matches!(c, '#' | '*' | ' ' | '\t'))
}

/// Returns how long the beginning of a line is that begins a turn of the model.
fn answer(line: &[u8]) -> Option<usize> {
    let text = unmarked(line);
    let begin = ANSWERS
        .iter()
        .find(|begin| starts_with_any_case(text, begin.as_bytes()))?;
    // What begins so may begin reasoning.
    if *begin == "<|start|>assistant" {
        return Some(0);
    }
    let rest = &text[begin.len()..];
    let is_bold = rest.starts_with(b"**") && !rest.starts_with(b"***");
    Some(line.len() - rest.len() + if is_bold { 2 } else { 0 })
}

/// Returns whether a tag is named for what a tool returns or a person asks: `tool_result`,
/// `bash-stdout`, `user_query`. Prompts ask the model itself for a `result` or an `output`.
fn is_of_others(name: &[u8]) -> bool {
    const RETURNED: &str = "result results output outputs response responses return returns";
    const TOOLS: &str = "tool function call command execution bash shell terminal";
    const ASKED: &str = "query message input prompt request";
    let name = name.to_ascii_lowercase();
    let words: Vec<_> = name.split(|byte| matches!(byte, b'_' | b'-')).collect();
    let is_in = |word: &[u8], known: &str| known.split(' ').any(|known| known.as_bytes() == word);
    let Some((last, before)) = words.split_last() else {
        return false;
    };
    is_in(last, "stdout stderr observation")
        || is_in(last, RETURNED) && before.iter().any(|word| is_in(word, TOOLS))
        || is_in(last, ASKED) && before == [b"user"]
}

/// Reads the mark that a text begins with: its kind, whether it closes, and its length.
fn read(text: &[u8]) -> Option<(Mark<'_>, bool, usize)> {
    if let Some(rest) = text.strip_prefix(CHANNEL) {
        let closes = !rest.starts_with(b"analysis");
        let message = rest.find(MESSAGE).map_or(0, |at| at + MESSAGE.len());
        return Some((Mark::Channel, closes, CHANNEL.len() + message));
    }
    for (index, (open, close)) in PAIRS.into_iter().enumerate() {
        if starts_with_any_case(text, close.as_bytes()) {
            // Of marks that several parts share, the first stands for all.
            let first = PAIRS.iter().position(|(_, other)| *other == close);
            return Some((Mark::Pair(first.unwrap_or(index)), true, close.len()));
        }
        if starts_with_any_case(text, open.as_bytes()) {
            let end = match open {
                DETAILS => tag_end(text)?,
                _ => open.len(),
            };
            return Some((Mark::Pair(index), false, end));
        }
    }
    let end = tag_end(text.strip_prefix(b"<").map(|_| text)?)?;
    let inner = &text[1..end - 1];
    let (name, closes) = inner
        .strip_prefix(b"/")
        .map_or((inner, false), |name| (name, true));
    // A tag may have attributes, such as how long the model thought.
    let name = name.split_once_str(" ").map_or(name, |(name, _)| name);
    let bare = name
        .rsplit_once_str(":")
        .filter(|(prefix, _)| prefix.iter().all(|byte| byte.is_ascii_alphanumeric()))
        .map_or(name, |(_, bare)| bare);
    let known = TAGS
        .iter()
        .position(|(known, ..)| known.as_bytes().eq_ignore_ascii_case(bare));
    let mark = match known {
        Some(index) => Mark::Tag(index),
        None => is_of_others(bare).then_some(Mark::Others(bare))?,
    };
    Some((mark, closes, end))
}

/// Returns the offset behind a tag that a text begins with.
fn tag_end(text: &[u8]) -> Option<usize> {
    let end = text.iter().take(200).position(|&byte| byte == b'>')?;
    Some(end + 1)
}

/// Returns the opening mark that is first on a line, and the offset behind it.
pub(super) fn opening(line: &[u8]) -> Option<(Mark<'_>, usize)> {
    let mut text = trim_start(line);
    while let Some(rest) = BEFORE.iter().find_map(|mark| text.strip_prefix(*mark)) {
        text = rest;
    }
    let before = line.len() - text.len();
    let (text, before) = match text.strip_prefix(b"<|start|>assistant") {
        Some(rest) => (rest, line.len() - rest.len()),
        None => (text, before),
    };
    let label = unmarked(text);
    let in_words = || {
        let label = Some(label).filter(|label| label.len() < text.len())?;
        let (mark, closes, length) = read(label).filter(|(mark, ..)| mark.is_word())?;
        Some((mark, closes, text.len() - label.len() + length))
    };
    let as_heading = || {
        let heading = headings::read(text)?;
        Some((Mark::Heading, heading.is_of_model, text.len()))
    };
    let (mark, closes, length) = read(text).or_else(in_words).or_else(as_heading)?;
    (!closes).then_some((mark, before + length))
}

/// Returns how long the beginning of a line is that ends a turn, which a heading may have begun.
fn end_of_turn(line: &[u8], heading: Option<Heading<'_>>) -> Option<usize> {
    let Some(heading) = heading else {
        return answer(line);
    };
    let next = headings::read(line)?;
    (next.is_of_model && next.marks == heading.marks).then_some(line.len())
}

/// Returns the closing mark that is first or last on a line, with the offsets at which it begins
/// and behind it.
pub(super) fn closing(line: &[u8]) -> Option<(Mark<'_>, usize, usize)> {
    let is_own = |mark: Mark<'_>| match mark {
        Mark::Pair(index) => index < SHARED,
        mark => !matches!(mark, Mark::Others(_)),
    };
    closing_behind(line, 0, false, is_own)
}

/// Returns the first closing mark as wanted from an offset of a line on; `anywhere` lets it be in
/// the middle.
fn closing_behind(
    line: &[u8],
    from: usize,
    anywhere: bool,
    is_wanted: impl Fn(Mark<'_>) -> bool,
) -> Option<(Mark<'_>, usize, usize)> {
    let whole = trim(line);
    let first = line.len() - trim_start(line).len();
    let last = first + whole.len();
    let mut at = from;
    while let Some(next) = line[at..].find_byteset(b"<[\xe2") {
        at += next;
        if let Some((mark, true, length)) = read(&line[at..])
            && is_wanted(mark)
            && (anywhere
                || at == first
                || at + length == last
                || mark == Mark::Channel
                || mark.is_turn())
        {
            return Some((mark, at, at + length));
        }
        at += 1;
    }
    None
}

/// A part in which the model thinks aloud.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Thoughts<'a> {
    pub(super) mark: Mark<'a>,
    /// The offset in the response behind the opening mark.
    pub(super) start: usize,
    /// The offset at which the closing mark begins; the response's end if it has none.
    pub(super) end: usize,
    /// The offset behind the closing mark; `None` if there is none.
    pub(super) behind: Option<usize>,
}

/// Finds the part that an opening mark on a line begins; `None` if the mark is text. `fence` is the
/// fence that the line is in.
pub(super) fn thoughts<'a>(
    source: &'a Source,
    number: LineNo,
    fence: Option<Fence>,
    patience: &mut Patience,
) -> Option<Thoughts<'a>> {
    let row = source.row(number)?;
    let (mark, behind) = opening(row.text)?;
    let is_text = if fence.is_some() {
        !patience.is_left() || mark.is_word()
    } else {
        mark.is_word() && is_of_text(source, row, mark)
    };
    if is_text {
        return None;
    }
    let heading = headings::read(row.text).filter(|_| mark == Mark::Heading);
    let unclosed = Thoughts {
        mark,
        start: row.start() + behind,
        end: source.bytes().len(),
        behind: None,
    };
    let mut depth = 0;
    // The last closing mark, should there be too few of them.
    let mut last = None;
    let mut is_fenced = fence.is_some();
    for line in source.rows(number) {
        let is_first = line.number == number;
        let part = |at: usize, end: usize| Thoughts {
            end: line.start() + at,
            behind: Some(line.start() + end),
            ..unclosed
        };
        if !is_first && fence.is_some_and(|fence| fence.is_closed_by(line.text)) {
            is_fenced = false;
        }
        let ends_turn = mark.is_turn() && !is_first;
        if let Some(length) = end_of_turn(line.text, heading).filter(|_| ends_turn) {
            return Some(part(0, length)).filter(|_| !is_fenced);
        }
        let reopens = !mark.is_turn() && opening(line.text).is_some_and(|(other, _)| other == mark);
        if !is_first && reopens && mark != Mark::Channel {
            depth += 1;
        }
        let from = if is_first { behind } else { 0 };
        let closes = |other: Mark<'_>| mark.is_closed_by(other);
        let Some((_, at, end)) = closing_behind(line.text, from, is_first, closes) else {
            continue;
        };
        let part = Some(part(at, end)).filter(|_| !is_fenced);
        if depth == 0 {
            if is_fenced {
                patience.spend(line.start() - row.start());
            }
            return part;
        }
        depth -= 1;
        last = part;
    }
    if fence.is_some() {
        patience.spend(source.bytes().len() - row.start());
    }
    // Nothing else says that a word begins a turn.
    let is_text = fence.is_some() || mark.is_word() && mark != Mark::Pair(HUMAN);
    last.or_else(|| (!is_text).then_some(unclosed))
}

/// Returns whether a line that begins with a speaker's name goes on with a text above it, or begins
/// with a key.
fn is_of_text(source: &Source, row: Row<'_>, mark: Mark<'_>) -> bool {
    let above = row.number.index().checked_sub(1).map(LineNo::from_index);
    let above = above.and_then(|above| source.row(above));
    let name = unmarked(row.text);
    mark != Mark::Pair(OBSERVATION) && above.is_some_and(|above| !is_blank(above.text))
        || name.first().is_some_and(u8::is_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SourceId;

    #[test]
    fn parts_begin_and_end_with_their_marks() {
        for (text, want) in [
            ("<think>\na\n</think>\nb", Some("\na\n")),
            ("<think>a</think>b", Some("a")),
            ("<think>Hm.\nb</think>\nc", Some("Hm.\nb")),
            ("<think>\na </think> b\n</think>", Some("\na </think> b\n")),
            ("<THINK>\na\n</Think>", Some("\na\n")),
            ("<seed:think>\na\n</seed:think>", Some("\na\n")),
            ("[THINK]a\n[/THINK]", Some("a\n")),
            ("◁think▷a\n◁/think▷b", Some("a\n")),
            ("<|channel>thought\na\n<channel|>b", Some("\na\n")),
            ("<think for=\"2s\">a\n</think>", Some("a\n")),
            (
                "<details type=\"reasoning\" done=\"true\">\na\n</details>\nb",
                Some("\na\n"),
            ),
            ("<details>\na\n</details>", None),
            (
                "<details><summary>Thought for 3 s</summary>\na\n</details>",
                Some(" for 3 s</summary>\na\n"),
            ),
            ("<details><summary>The patch</summary>\na\n</details>", None),
            ("<|im_start|>user\na<|im_end|>\nb", Some("\na")),
            ("<|im_start|>assistant\na<|im_end|>\nb", None),
            (
                "<|im_start|>user\na\n<|im_start|>assistant\nb",
                Some("\na\n"),
            ),
            (
                "<|start_header_id|>user<|end_header_id|>\na<|eot_id|>b",
                Some("\na"),
            ),
            (
                "<start_of_turn>user\na\n<start_of_turn>model\nb",
                Some("\na\n"),
            ),
            ("[INST] a [/INST] b", Some(" a ")),
            ("[INST] a\nb [/INST] c", Some(" a\nb ")),
            ("<｜User｜>a\n<｜Assistant｜>b", Some("a\n")),
            ("User: a\n\nAssistant: b", Some(" a\n\n")),
            ("**User:** a\n\n**Assistant:** b", Some("** a\n\n")),
            ("### Human:\na\n", Some("\na\n")),
            ("User: a\nb", None),
            ("user: a\nassistant: b", None),
            ("USER: a\nASSISTANT: b", Some(" a\n")),
            ("### Instruction:\na\n### Response:\nb", Some("\na\n")),
            ("<s>[INST] a [/INST] b", Some(" a ")),
            ("<|im_end|><|im_start|>user\na", Some("\na")),
            ("User a\n\nAssistant: b", None),
            (
                "## User\na\n## Notes\n\n## Assistant\nb",
                Some("\na\n## Notes\n\n"),
            ),
            ("## User\na\n### Assistant\nb", None),
            ("## User\na\n", None),
            (
                "<think>\n<think>\na\n</think>\nb\n</think>",
                Some("\n<think>\na\n</think>\nb\n"),
            ),
            ("<think>\na", Some("\na")),
            ("<tool_result>\na\n</tool_result>\nb", Some("\na\n")),
            ("<bash-stdout>a</bash-stdout>\nb", Some("a")),
            ("<user_query>\na\n</user_query>\nb", Some("\na\n")),
            (
                "<stdout>\na\n</stderr>\n</stdout>",
                Some("\na\n</stderr>\n"),
            ),
            ("<result>\na\n</result>", None),
            ("<final_output>\na\n</final_output>", None),
            ("<response>\na\n</response>", None),
            ("Observation: a\nThought: b", Some(" a\n")),
            ("Observation: a\nb", None),
            ("a <think>\nb", None),
            ("`<think>`\nb", None),
            ("<thinker>\nb", None),
            (
                "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b",
                Some("a<|end|><|start|>assistant"),
            ),
        ] {
            let source = Source::new(SourceId(0), "", text.into()).unwrap();
            let found = thoughts(
                &source,
                LineNo::FIRST,
                None,
                &mut Patience::new(text.len(), 0),
            );
            let got = found.map(|found| &text[found.start..found.end]);
            assert_eq!(got, want, "{text}");
        }
    }
}
