//! What a request holds, and what the library is asked with it.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use llmpatch::lint::{Lints, Verdict};
use llmpatch::path::Resolver;
use llmpatch::pathspec::{Defaults, Pathspec, Pathspecs};
use llmpatch::plan::{Guard, Origin};
use llmpatch::tree::{Entry, File, Mode, Obstacle};
use llmpatch::{Format, Fuzz, MemoryTree, Options, RepoPath, Rules};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::asking::AskingTree;
use crate::object::{Members, fault, object};

/// A response, files, and how they are to be read.
pub(crate) struct Request {
    pub(crate) response: Vec<u8>,
    pub(crate) tree: AskingTree,
    pub(crate) options: Settings,
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

/// Options, named as in git-llmpatch(1).
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Settings {
    name: Option<String>,
    format: Option<String>,
    file: Option<String>,
    strip: Option<u32>,
    recount: bool,
    directory: Option<String>,
    top: Option<String>,
    root_is: Vec<String>,
    roots: BTreeMap<String, String>,
    strict: bool,
    unique: bool,
    fuzz: Option<String>,
    overwrite: bool,
    allow_empty: bool,
    limit: Vec<String>,
    protect: Vec<String>,
    lints: BTreeMap<String, String>,
    ignore_case: bool,
    windows: bool,
    pub(crate) diff: bool,
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
        let options: Settings = options.transpose()?.unwrap_or_default();
        Ok(Self {
            response: response.content("the response")?,
            tree: tree(object("the files", parts.files)?, parts.asks, &options)?,
            options,
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

impl Settings {
    /// Returns the name of the response in messages.
    pub(crate) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or("response")
    }

    /// Returns the options of the library.
    ///
    /// # Errors
    /// If a value is none that the option may have.
    pub(crate) fn read(&self) -> Result<Options, String> {
        let fuzz = self.fuzz.as_deref();
        let fuzz = fuzz.map(|name| named("fuzz", name, Fuzz::LEVELS, Fuzz::name));
        let format = self.format.as_deref();
        let format = format.map(|name| named("format", name, FORMATS, |format| format.to_string()));
        Ok(Options {
            format: format.transpose()?,
            file: self.file.as_deref().map(Into::into),
            strip: self.strip,
            recount: self.recount,
            resolver: self.resolver()?,
            rules: Rules {
                strict: self.strict,
                unique: self.unique,
                fuzz: fuzz.transpose()?.unwrap_or_default(),
                guard: self.guard()?,
                overwrite: self.overwrite,
                allow_empty: self.allow_empty,
                ..Rules::default()
            },
            lints: self.lints()?,
        })
    }

    fn resolver(&self) -> Result<Resolver, String> {
        let mut resolver = Resolver::within(self.top.as_deref().map(Into::into));
        if let Some(directory) = self.directory.as_deref().filter(|one| !one.is_empty()) {
            let within = resolver.with_directory(directory.as_bytes());
            resolver = within.map_err(|error| error.to_string())?;
        }
        for root in &self.root_is {
            let aliased = resolver.with_alias(root.as_bytes());
            resolver = aliased.map_err(|error| error.to_string())?;
        }
        for (name, directory) in &self.roots {
            resolver = resolver.with_root(name.as_bytes(), directory.as_bytes());
        }
        Ok(resolver)
    }

    fn guard(&self) -> Result<Guard, String> {
        let limit = pathspecs(&self.limit)?;
        Ok(Guard {
            limit: (!limit.is_empty()).then_some((limit, Origin::Option)),
            protected: pathspecs(&self.protect)?,
        })
    }

    fn lints(&self) -> Result<Lints, String> {
        let mut lints = Lints::default();
        for (lint, verdict) in &self.lints {
            let lint = named("lints", lint, Lints::all(), |lint| lint.code())?;
            let verdict = named("lints", verdict, VERDICTS, |verdict| match verdict {
                Verdict::Ignore => "allow",
                Verdict::Warn => "warn",
                Verdict::Error => "error",
            })?;
            lints = lints.with(lint, verdict);
        }
        Ok(lints)
    }
}

const VERDICTS: [Verdict; 3] = [Verdict::Ignore, Verdict::Warn, Verdict::Error];

const FORMATS: [Format; 6] = [
    Format::Envelope,
    Format::Opx,
    Format::Unified,
    Format::Blocks,
    Format::Tool,
    Format::Files,
];

/// Returns the value that has a name.
///
/// # Errors
/// If none has: which names there are.
fn named<T: Copy, N: AsRef<str>>(
    option: &str,
    name: &str,
    all: impl IntoIterator<Item = T>,
    name_of: impl Fn(T) -> N,
) -> Result<T, String> {
    let mut names = Vec::new();
    for value in all {
        let known = name_of(value).as_ref().to_owned();
        if known == name {
            return Ok(value);
        }
        names.push(known);
    }
    let names = names.join(", ");
    Err(format!("{option}: `{name}` is none of {names}"))
}

fn pathspecs(written: &[String]) -> Result<Pathspecs, String> {
    let read = |spec: &String| {
        let read = Pathspec::new(spec.as_bytes(), Defaults::default());
        read.map_err(|error| format!("`{spec}`: {error}"))
    };
    let specs: Result<Vec<_>, _> = written.iter().map(read).collect();
    Ok(specs?.into_iter().collect())
}
