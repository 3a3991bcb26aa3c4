//! What a request holds, and what the library is asked with it.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use llmpatch::tree::{Entry, File, Mode, Obstacle};
use llmpatch::{MemoryTree, RepoPath};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::asking::AskingTree;
use crate::object::{Members, fault, object};
use crate::settings::Settings;

/// A response, files, and how they are to be read.
pub(crate) struct Request {
    pub(crate) response: Vec<u8>,
    pub(crate) tree: AskingTree,
    pub(crate) options: Settings,
    /// Whether messages are drawn of the reply.
    pub(crate) messages: bool,
}

/// The parts of a request: each is read by itself, so that what is wrong with it can name it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts<'r> {
    #[serde(borrow)]
    response: &'r RawValue,
    files: &'r RawValue,
    /// Whether there may be other files.
    #[serde(default)]
    asks: bool,
    #[serde(default, deserialize_with = "present")]
    options: Option<&'r RawValue>,
    /// Whether options are named as in JavaScript, `rootIs` for `root_is`.
    #[serde(default)]
    camel: bool,
    #[serde(default)]
    messages: bool,
}

/// Reads a value that is there: `null` is one, too.
fn present<'r, D: Deserializer<'r>>(value: D) -> Result<Option<&'r RawValue>, D::Error> {
    Deserialize::deserialize(value).map(Some)
}

/// A text, or bytes in Base64, and what kind of file holds them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    text: Option<String>,
    bytes: Option<String>,
    #[serde(default)]
    executable: bool,
    #[serde(default)]
    link: bool,
}

impl Request {
    /// Reads a request.
    ///
    /// # Errors
    /// What is wrong with which part of it.
    pub(crate) fn read(request: &[u8]) -> Result<Self, String> {
        let whole = serde_json::from_slice(request);
        let whole = whole.map_err(|error| format!("the request: {}", fault(&error)))?;
        let parts: Parts<'_> = object("the request", whole)?;
        let response: Given = object("the response", parts.response)?;
        let options = parts.options.map(|options| object("the options", options));
        let options = options
            .transpose()?
            .map(|given| Settings::read(given, parts.camel));
        let options = options.transpose()?.unwrap_or_default();
        Ok(Self {
            response: response.content("the response")?,
            tree: tree(object("the files", parts.files)?, parts.asks, &options)?,
            options,
            messages: parts.messages,
        })
    }
}

/// Makes a tree of files that notes which others it is asked for.
///
/// # Errors
/// If a path is unsafe, or there twice, or what is at it is no file.
fn tree(files: Members<'_>, asks: bool, options: &Settings) -> Result<AskingTree, String> {
    let mut known = MemoryTree::new();
    if options.ignore_case {
        known = known.ignoring_case();
    }
    let mut absent = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for (written, file) in files.0 {
        let path = RepoPath::new(written.as_bytes()).map_err(|error| error.to_string())?;
        let name = format!("`{path}`");
        if !seen.insert(path.clone()) {
            return Err(format!("{name} is there twice"));
        }
        if file.get() == "null" {
            absent.insert(path);
        } else {
            known.insert(path, object::<Given>(&name, file)?.entry(&name)?);
        }
    }
    Ok(AskingTree::new(known, absent, asks, options.windows))
}

impl Given {
    /// Returns the bytes. `name` is what messages call it.
    ///
    /// # Errors
    /// If there are none, or they aren't in Base64.
    fn content(self, name: &str) -> Result<Vec<u8>, String> {
        match (self.text, self.bytes) {
            (Some(text), None) => Ok(text.into_bytes()),
            (None, Some(bytes)) => STANDARD
                .decode(bytes)
                .map_err(|error| format!("{name}: `bytes` aren't Base64: {error}")),
            (None, None) => Err(format!("{name} has neither `text` nor `bytes`")),
            (Some(_), Some(_)) => Err(format!("{name} has both `text` and `bytes`")),
        }
    }

    fn entry(self, name: &str) -> Result<Entry, String> {
        if self.link {
            return Ok(Entry::Other(Obstacle::Link));
        }
        let mode = if self.executable {
            Mode::EXECUTABLE
        } else {
            Mode::PLAIN
        };
        let content = self.content(name)?.into();
        Ok(Entry::File(File { content, mode }))
    }
}
