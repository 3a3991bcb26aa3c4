//! What the values of `--limit` mean.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;

use clap::builder::{OsStringValueParser, TypedValueParser};

use crate::pathspec::{Defaults, Pathspec, Wildcards};

/// Reads the values of `--limit`, as git would read a pathspec with the options that it was given: `git --literal-pathspecs` and
/// its kin tell us by the environment.
pub(super) fn pathspec() -> impl TypedValueParser<Value = Pathspec> {
    OsStringValueParser::new().try_map(|written: OsString| Pathspec::new(written.as_bytes(), defaults()))
}

fn defaults() -> Defaults {
    let is_set = |name| {
        let value = std::env::var(name).unwrap_or_default().to_ascii_lowercase();
        !matches!(value.as_str(), "" | "0" | "false" | "no" | "off")
    };
    let wildcards = match (is_set("GIT_NOGLOB_PATHSPECS"), is_set("GIT_GLOB_PATHSPECS")) {
        (true, _) => Wildcards::None,
        (false, true) => Wildcards::ByDirectory,
        (false, false) => Wildcards::Free,
    };
    Defaults { wildcards, any_case: is_set("GIT_ICASE_PATHSPECS"), literal: is_set("GIT_LITERAL_PATHSPECS") }
}
