//! Calls in tags around patches: the directory that a parameter names, and parameters without
//! which the patches would mean something else.
//!
//! ```text
//! <invoke name="apply_patch">
//! <parameter name="workdir">sub</parameter>
//! ```

use bstr::ByteSlice as _;

use super::command::Doubt;
use super::error::Error;
use super::walk::WalkItem;
use super::{embedded, prose_line};
use crate::format::tool::fields;
use crate::text::trim;

const PARAMETER: &str = "<parameter";
const ENDS: [&str; 2] = ["</invoke>", "</function>"];

/// The call in tags that is open, if any.
#[derive(Debug, Default)]
pub(super) struct Invocation {
    /// How many items were found before it.
    start: Option<usize>,
    tool: String,
    /// The parameter whose value begins on a line below its tag.
    waiting: Option<String>,
    directory: String,
    doubt: Option<Doubt>,
}

impl Invocation {
    /// Reads a line that is in no patch.
    pub(super) fn line(&mut self, line: &[u8], found: &mut [WalkItem<'_>]) {
        let line = trim(line);
        if prose_line::is_call(line) {
            self.end(found);
            self.start = Some(found.len());
            self.tool = attribute(line);
        }
        if self.start.is_none() {
            return;
        }
        if let Some(name) = self.waiting.take() {
            self.value(name, line);
        }
        let mut rest = line;
        while let Some(at) = rest.find(PARAMETER)
            && let Some((tag, value)) = rest[at..].split_once_str(">")
        {
            self.value(attribute(tag), value);
            rest = value;
        }
        if ENDS.iter().any(|end| line.contains_str(end)) {
            self.end(found);
        }
    }

    /// Takes in what begins the value of a parameter.
    fn value(&mut self, name: String, text: &[u8]) {
        let closed = text.split_once_str("</parameter>");
        let value = trim(closed.map_or(text, |(value, _)| value)).to_str_lossy();
        if value.is_empty() && closed.is_none() {
            self.waiting = Some(name);
        } else if fields::DIRECTORY.contains(&&name[..]) {
            self.directory = value.into_owned();
        } else if fields::is_of_meaning(&name) && !fields::is_plain(&name, &value) {
            self.doubt.get_or_insert(Doubt::Word(name));
        }
    }

    /// Has the patches in the call be in its directory.
    pub(super) fn end(&mut self, found: &mut [WalkItem<'_>]) {
        let ended = std::mem::take(self);
        let start = ended.start.unwrap_or(found.len());
        for item in found.iter_mut().skip(start) {
            if let WalkItem::Block(block) = item {
                match &ended.doubt {
                    None => embedded::place(block, &ended.directory),
                    Some(doubt) => embedded::refuse(block, Error::Command(doubt.clone())),
                }
            }
        }
    }
}

/// Returns the value of a tag's first attribute: `<parameter name="cwd">`, `<parameter=cwd>`.
fn attribute(tag: &[u8]) -> String {
    let (_, value) = tag.split_once_str("=").unwrap_or_default();
    let value = value.trim_start_with(|c| c == '"' || c == '\'');
    let end = value.find_byteset("\"'> ").unwrap_or(value.len());
    value[..end].to_str_lossy().into_owned()
}
