//! The options of a request, and what the library is asked with them.

use std::collections::BTreeMap;

use llmpatch::lint::{Lints, Verdict};
use llmpatch::path::Resolver;
use llmpatch::pathspec::{Defaults, Pathspec, Pathspecs};
use llmpatch::plan::{Guard, Origin};
use llmpatch::{Format, Fuzz, Options, Rules};
use serde::Deserialize;

use crate::object::{Members, fault, type_of};

/// Options, named as in git-llmpatch(1).
#[derive(Default)]
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
    pub(crate) ignore_case: bool,
    pub(crate) windows: bool,
    pub(crate) diff: bool,
}

/// An option: what it is called, what it takes, and what reads that, as JSON.
type Row = (
    &'static str,
    &'static str,
    fn(&mut Settings, &str) -> serde_json::Result<()>,
);

const BOOLEAN: &str = "a boolean";
const STRING: &str = "a string";
const STRINGS: &str = "an array of strings";
const BY_NAME: &str = "an object of strings";

const OPTIONS: &[Row] = &[
    ("name", STRING, |all, value| set(&mut all.name, value)),
    ("format", STRING, |all, value| set(&mut all.format, value)),
    ("file", STRING, |all, value| set(&mut all.file, value)),
    ("strip", "a whole number", |all, value| {
        set(&mut all.strip, value)
    }),
    ("recount", BOOLEAN, |all, value| {
        set(&mut all.recount, value)
    }),
    ("directory", STRING, |all, value| {
        set(&mut all.directory, value)
    }),
    ("top", STRING, |all, value| set(&mut all.top, value)),
    ("root_is", STRINGS, |all, value| {
        set(&mut all.root_is, value)
    }),
    ("roots", BY_NAME, |all, value| set(&mut all.roots, value)),
    ("strict", BOOLEAN, |all, value| set(&mut all.strict, value)),
    ("unique", BOOLEAN, |all, value| set(&mut all.unique, value)),
    ("fuzz", STRING, |all, value| set(&mut all.fuzz, value)),
    ("overwrite", BOOLEAN, |all, value| {
        set(&mut all.overwrite, value)
    }),
    ("allow_empty", BOOLEAN, |all, value| {
        set(&mut all.allow_empty, value)
    }),
    ("limit", STRINGS, |all, value| set(&mut all.limit, value)),
    ("protect", STRINGS, |all, value| {
        set(&mut all.protect, value)
    }),
    ("lints", BY_NAME, |all, value| set(&mut all.lints, value)),
    ("ignore_case", BOOLEAN, |all, value| {
        set(&mut all.ignore_case, value)
    }),
    ("windows", BOOLEAN, |all, value| {
        set(&mut all.windows, value)
    }),
    ("diff", BOOLEAN, |all, value| set(&mut all.diff, value)),
];

fn set<'v, T: Deserialize<'v>>(option: &mut T, value: &'v str) -> serde_json::Result<()> {
    *option = serde_json::from_str(value)?;
    Ok(())
}

impl Settings {
    /// Reads options; `camel` says that `root_is` is written `rootIs`.
    ///
    /// # Errors
    /// If there is no such option, if it is there twice, or takes something else.
    pub(crate) fn read(given: Members<'_>, camel: bool) -> Result<Self, String> {
        let spelled = |name: &str| {
            if camel {
                camel_case(name)
            } else {
                name.to_owned()
            }
        };
        let mut all = Self::default();
        let mut seen = Vec::new();
        for (written, value) in given.0 {
            let Some((name, takes, set)) = OPTIONS.iter().find(|row| spelled(row.0) == written)
            else {
                let names: Vec<_> = OPTIONS.iter().map(|row| spelled(row.0)).collect();
                return Err(format!(
                    "there is no option `{written}`, but {}",
                    names.join(", ")
                ));
            };
            if seen.contains(name) {
                return Err(format!("the option `{written}` is there twice"));
            }
            seen.push(*name);
            let value = value.get();
            set(&mut all, value).map_err(|error| {
                if error.is_data() {
                    format!(
                        "the option `{written}` takes {takes}, and {}",
                        other(takes, value)
                    )
                } else {
                    format!("the option `{written}`: {}", fault(&error))
                }
            })?;
        }
        Ok(all)
    }

    /// Returns the name of the response in messages.
    pub(crate) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or("response")
    }

    /// Returns the options of the library.
    ///
    /// # Errors
    /// If a value is none that the option may have.
    pub(crate) fn options(&self) -> Result<Options, String> {
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
        let mut resolver =
            Resolver::within(self.top.as_deref().map(Into::into)).with_backslashes(self.windows);
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

/// Says what is in the place of what an option takes.
fn other(takes: &str, value: &str) -> String {
    let is = type_of(value);
    match takes.strip_prefix(is) {
        Some(of) if !of.is_empty() => format!("not all in it are{}", &of[" of".len()..]),
        _ if is == "a number" => format!("{value} is there"),
        _ => format!("{is} is there"),
    }
}

/// Returns a name as JavaScript writes it.
fn camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| {
        let (initial, rest) = part.split_at(1);
        name + &initial.to_ascii_uppercase() + rest
    })
}
