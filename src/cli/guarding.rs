//! Which paths responses may touch: `--limit`, `llmpatch.limit`, `llmpatch.protect`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;

use clap::builder::{OsStringValueParser, TypedValueParser};

use super::error::CliError;
use super::flow::{Failure, stop};
use super::options::Reading;
use crate::pathspec::{Defaults, Pathspec, Pathspecs, Wildcards};
use crate::plan::{Guard, Origin};
use crate::repo::Config;

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

/// Decides which paths responses may touch: options limit them in place of the setting, and what is protected stays so.
///
/// # Errors
/// If a setting is no pathspec.
pub(super) fn guard(reading: &Reading, config: &Config) -> Result<Guard, Failure> {
    let protected = set(config, "llmpatch.protect")?;
    let limited = set(config, "llmpatch.limit")?;
    let limit = match (reading.limit.is_empty(), limited.is_empty()) {
        (false, _) => Some((reading.limit.iter().cloned().collect(), Origin::Option)),
        (true, false) => Some((limited, Origin::Setting)),
        (true, true) => None,
    };
    Ok(Guard { limit, protected })
}

/// Reads the pathspecs of a setting. As in git's own lists, an empty value takes back those before it. The options that git was
/// given don't count: what somebody protects isn't to come open because of how another path is written.
fn set(config: &Config, key: &'static str) -> Result<Pathspecs, Failure> {
    let mut specs = Vec::new();
    for value in config.all(key).map_err(stop)? {
        if value.is_empty() {
            specs.clear();
            continue;
        }
        let spec = Pathspec::new(&value, Defaults::default());
        specs.push(spec.map_err(|error| stop(CliError::NoPathspec { key, value, error }))?);
    }
    Ok(specs.into_iter().collect())
}
