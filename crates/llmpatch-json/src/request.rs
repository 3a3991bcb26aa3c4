//! What a request holds, and what the library is asked with it.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use llmpatch::lint::{Lints, Verdict};
use llmpatch::path::Resolver;
use llmpatch::pathspec::{Defaults, Pathspec, Pathspecs};
use llmpatch::plan::{Guard, Origin};
use llmpatch::tree::{Entry, File, Mode, Obstacle};
use llmpatch::{Format, Fuzz, MemoryTree, Options, RepoPath, Rules};
use serde::Deserialize;

use crate::asking::AskingTree;

/// A response, files, and how they are to be read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    pub(crate) response: Given,
    files: BTreeMap<String, Option<Given>>,
    /// Whether there may be other files.
    #[serde(default)]
    asks: bool,
    #[serde(default)]
    pub(crate) options: Settings,
}

/// A text, or bytes in Base64, and what kind of file holds them.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Given {
    text: Option<String>,
    bytes: Option<String>,
    executable: bool,
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
    pub(crate) diff: bool,
}

impl Given {
    /// Returns the bytes.
    ///
    /// # Errors
    /// If they aren't in Base64.
    pub(crate) fn content(&self) -> Result<Vec<u8>, String> {
        match (&self.text, &self.bytes) {
            (Some(text), _) => Ok(text.as_bytes().to_vec()),
            (None, Some(bytes)) => STANDARD.decode(bytes).map_err(|error| error.to_string()),
            (None, None) => Ok(Vec::new()),
        }
    }

    fn entry(&self) -> Result<Entry, String> {
        if self.link {
            return Ok(Entry::Other(Obstacle::Link));
        }
        let mode = if self.executable {
            Mode::EXECUTABLE
        } else {
            Mode::PLAIN
        };
        let content = self.content()?.into();
        Ok(Entry::File(File { content, mode }))
    }
}

impl Request {
    /// Returns the files as a tree that notes which others it is asked for.
    ///
    /// # Errors
    /// If a path is unsafe, or what a file holds can't be read.
    pub(crate) fn tree(&self) -> Result<AskingTree, String> {
        let mut tree = MemoryTree::new();
        if self.options.ignore_case {
            tree = tree.ignoring_case();
        }
        let mut absent = Vec::new();
        for (written, file) in &self.files {
            let path = RepoPath::new(written.as_bytes()).map_err(|error| error.to_string())?;
            match file {
                Some(file) => tree.insert(path, file.entry()?),
                None => absent.push(path),
            }
        }
        Ok(AskingTree::new(tree, absent, self.asks))
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
