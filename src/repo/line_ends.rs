//! Which line ends and `$Id$` of a file git may change between the work tree and its store, as
//! attributes and settings say. What it makes of them git itself says (`encoding.rs`).

use bstr::ByteSlice as _;

use super::RepoError;
use super::config::Config;
use crate::system;
use llmpatch::text::Content;

/// What an attribute is set to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Value {
    /// Nothing is said of it.
    #[default]
    Unspecified,
    /// `name`
    True,
    /// `-name`
    False,
    /// `name=word`
    Word(Vec<u8>),
}

impl Value {
    fn is(&self, word: &str) -> bool {
        matches!(self, Value::Word(is) if is == word.as_bytes())
    }

    /// Returns whether `text` or `crlf` decides anything by it.
    fn decides(&self) -> bool {
        matches!(self, Value::True | Value::False) || self.is("input") || self.is("auto")
    }

    /// Returns how it is written in a line of `.gitattributes`.
    fn rule(&self, name: &str) -> Vec<u8> {
        match self {
            Value::Unspecified => format!(" !{name}").into(),
            Value::True => format!(" {name}").into(),
            Value::False => format!(" -{name}").into(),
            Value::Word(word) => [format!(" {name}=").as_bytes(), word].concat(),
        }
    }
}

/// The settings that decide where attributes don't.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    /// Whether `core.autocrlf` is `true` or `input`.
    is_auto: bool,
    /// Whether one of them is for CRLF on disk.
    is_crlf: bool,
    /// Whether git is to convert everything.
    pub(super) is_all_for_git: bool,
}

impl Settings {
    /// Reads them.
    ///
    /// # Errors
    /// If one of them is none.
    pub(super) fn of(config: &Config, is_all_for_git: bool) -> Result<Self, RepoError> {
        let is_input = config.word("core.autocrlf") == b"input";
        let is_auto = is_input || config.bool("core.autocrlf")?.unwrap_or(false);
        let eol = config.word("core.eol");
        let is_native = !is_input && eol != b"lf";
        let is_crlf =
            (is_auto && !is_input) || eol == b"crlf" || (is_native && system::ENDS_LINES_IN_CRLF);
        Ok(Self {
            is_auto,
            is_crlf,
            is_all_for_git,
        })
    }
}

/// The attributes of a path that matter for its line ends and keywords.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    pub(super) text: Value,
    pub(super) crlf: Value,
    pub(super) eol: Value,
    pub(super) ident: Value,
}

impl Attributes {
    /// Returns whether git may take a file for text whose line ends it converts.
    fn is_text(&self, settings: Settings) -> bool {
        let says_nothing = [&self.text, &self.crlf, &self.eol]
            .iter()
            .all(|value| **value == Value::Unspecified);
        self.text != Value::False && (settings.is_auto || !says_nothing)
    }

    /// Returns whether git may store other bytes than these.
    pub(super) fn may_store_other(&self, settings: Settings, content: &Content) -> bool {
        settings.is_all_for_git
            || self.is_text(settings) && content.contains_str("\r\n")
            || self.ident == Value::True && content.contains_str("$Id:")
    }

    /// Returns whether git may write other bytes to the disk than these.
    pub(super) fn may_write_other(&self, settings: Settings, bytes: &[u8]) -> bool {
        let is_crlf = self.is_text(settings) && (settings.is_crlf || self.eol.is("crlf"));
        settings.is_all_for_git
            || is_crlf && bytes.contains(&b'\n')
            || self.ident == Value::True && bytes.contains_str("$Id")
    }

    /// Returns whether git guesses by the content whether a file is text; what is stored for it
    /// already is asked then, too.
    pub(super) fn guesses(&self, settings: Settings) -> bool {
        let says = if self.text.decides() {
            &self.text
        } else {
            &self.crlf
        };
        let has_eol = self.eol.is("lf") || self.eol.is("crlf");
        says.is("auto") || (!says.decides() && !has_eol && settings.is_auto)
    }

    /// Returns the line of `.gitattributes` that says the same.
    pub(super) fn rule(&self) -> Vec<u8> {
        let parts = [
            ("text", &self.text),
            ("crlf", &self.crlf),
            ("eol", &self.eol),
            ("ident", &self.ident),
        ];
        parts
            .iter()
            .flat_map(|(name, value)| value.rule(name))
            .collect()
    }
}
