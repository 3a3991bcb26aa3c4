use std::io::IsTerminal as _;

use bstr::BString;

use super::base::About;
use super::error::{CliError, Failure};
use super::options::{Reading, Verbosity, When};
use crate::repo::{Config, RepoError};
use crate::report::human::Style;
use crate::system::{AsStream, OsStrExt as _, columns, is_terminal, obeys_escapes, slashed};
use llmpatch::Fuzz;
use llmpatch::lint::{Lints, Verdict};
use llmpatch::pathspec::{Defaults, Pathspec, Pathspecs};
use llmpatch::plan::{Guard, Origin, Rules};

/// Decides a switch that an option turns on, its opposite turns off, and configuration sets
/// otherwise.
///
/// # Errors
/// If the configuration holds something else than a boolean.
fn switch(on: bool, off: bool, config: &Config, key: &str) -> Result<bool, RepoError> {
    if on || off {
        Ok(on)
    } else {
        Ok(config.bool(key)?.unwrap_or(false))
    }
}

/// Returns what a setting holds; a setting that can't be read counts as not set.
pub(super) fn text(config: &Config, key: &str) -> Option<String> {
    config
        .string(key)
        .ok()
        .flatten()
        .map(|value| value.to_string())
}

/// Decides which tree responses are about, if that is said.
///
/// # Errors
/// If the configuration can't be read.
pub(super) fn about(reading: &Reading, config: &Config) -> Result<About, RepoError> {
    Ok(match (&reading.base, reading.no_base) {
        (Some(base), _) if base == "auto" => About::Auto,
        (Some(base), _) => About::Asked(base.clone()),
        (None, true) => About::Nothing,
        (None, false) => {
            let set = config
                .string("llmpatch.base")?
                .filter(|set| !set.is_empty());
            About::Open(set.map(|set| set.to_string()))
        }
    })
}

/// Decides how changes are worked out.
///
/// # Errors
/// If a setting makes no sense.
pub(super) fn rules(reading: &Reading, config: &Config) -> Result<Rules, Failure> {
    let (strict, fuzz) = strictness(reading, config)?;
    Ok(Rules {
        strict,
        fuzz,
        unique: switch(reading.unique, reading.no_unique, config, "llmpatch.unique")?,
        guard: guard(reading, config)?,
        overwrite: reading.overwrite,
        knows_base: false,
        allow_empty: reading.allow_empty,
        here: None,
    })
}

/// Returns where the model saw the work tree: by options, in place of the setting.
///
/// # Errors
/// If the setting has no value.
pub(super) fn roots(
    reading: &Reading,
    config: &Config,
) -> Result<(&'static str, Vec<BString>), RepoError> {
    let given = reading.root_is.iter().map(|root| root.as_bytes().into());
    Ok(if reading.root_is.is_empty() {
        ("llmpatch.rootIs", config.all("llmpatch.rootIs")?)
    } else {
        ("--root-is", given.collect())
    })
}

/// Decides how strictly patches are read: whether by the bare format, and else up to which level.
/// Options go before configuration, and the two exclude each other: either option takes the place
/// of both settings. Of the settings alone, `llmpatch.strict` counts for more.
///
/// # Errors
/// If the configuration holds no boolean, or names no level.
fn strictness(reading: &Reading, config: &Config) -> Result<(bool, Fuzz), RepoError> {
    if let Some(level) = reading.fuzz {
        return Ok((false, level));
    }
    let strict = switch(reading.strict, reading.no_strict, config, "llmpatch.strict")?;
    let level = if reading.no_fuzz {
        Fuzz::Exact
    } else {
        level(config)?
    };
    Ok((strict, if strict { Fuzz::Exact } else { level }))
}

/// Decides what is done about what lints find. A name or a verdict that nobody knows is refused: a
/// guard that is misspelt guards nothing.
///
/// # Errors
/// If there is such a setting.
pub(super) fn lints(config: &Config) -> Result<Lints, RepoError> {
    let mut lints = Lints::default();
    for (name, value) in config.entries("llmpatch.lint.") {
        let known = Lints::all().find(|lint| name.eq_ignore_ascii_case(lint.code().as_bytes()));
        let verdict = match &value.to_ascii_lowercase()[..] {
            b"allow" | b"ignore" => Some(Verdict::Ignore),
            b"warn" => Some(Verdict::Warn),
            b"error" => Some(Verdict::Error),
            _ => None,
        };
        lints = match (known, verdict) {
            (Some(lint), Some(verdict)) => lints.with(lint, verdict),
            (_, verdict) => {
                let wanted = match verdict {
                    None => "`allow`, `warn` or `error`",
                    Some(_) => "the setting of a lint: git-llmpatch(1) lists their names",
                };
                return Err(RepoError::Setting {
                    key: format!("llmpatch.lint.{name}"),
                    value,
                    wanted,
                });
            }
        };
    }
    Ok(lints)
}

/// Decides which paths responses may touch: options limit them in place of the setting, and what is
/// protected stays so.
///
/// # Errors
/// If a setting is no pathspec.
fn guard(reading: &Reading, config: &Config) -> Result<Guard, Failure> {
    let protected = pathspecs(config, "llmpatch.protect")?;
    let limited = pathspecs(config, "llmpatch.limit")?;
    let limit = match &reading.limit[..] {
        [] => (limited, Origin::Setting),
        given => (given.iter().cloned().collect(), Origin::Option),
    };
    Ok(Guard {
        limit: Some(limit).filter(|(paths, _)| !paths.is_empty()),
        protected,
    })
}

/// Reads the pathspecs of a setting. As in git's own lists, an empty value takes back those before
/// it. The options that git was given don't count: what somebody protects isn't to come open
/// because of how another path is written.
fn pathspecs(config: &Config, key: &'static str) -> Result<Pathspecs, Failure> {
    let mut specs = Vec::new();
    for value in config.all(key)? {
        if value.is_empty() {
            specs.clear();
            continue;
        }
        let spec = Pathspec::new(&slashed(&value), Defaults::default());
        specs.push(spec.map_err(|error| CliError::NoPathspec { key, value, error })?);
    }
    Ok(specs.into_iter().collect())
}

fn level(config: &Config) -> Result<Fuzz, RepoError> {
    const KEY: &str = "llmpatch.fuzz";
    let Some(value) = config.string(KEY)? else {
        return Ok(Fuzz::Exact);
    };
    match Fuzz::LEVELS.into_iter().find(|level| value == level.name()) {
        Some(level) => Ok(level),
        None if value == "none" => Ok(Fuzz::Exact),
        None => Err(RepoError::Setting {
            key: KEY.into(),
            value,
            wanted: "`none`, `trailing`, `indent` or `unicode`",
        }),
    }
}

/// Decides how messages on standard error look: the option, else configuration, else the
/// environment and the terminal.
pub(super) fn style(verbosity: &Verbosity, config: Option<&Config>) -> Style {
    style_on(std::io::stderr(), verbosity, config)
}

/// Decides how messages on a stream look.
pub(super) fn style_on(
    stream: impl AsStream,
    verbosity: &Verbosity,
    config: Option<&Config>,
) -> Style {
    let is_terminal = is_terminal(&stream);
    let colored = colored(verbosity, config, MESSAGES, is_terminal);
    Style {
        colored,
        width: width(stream).unwrap_or(Style::DEFAULT_WIDTH),
        is_terminal,
        tells_all: verbosity.verbose,
        only_reads: verbosity.only_reads,
        to_model: verbosity.to_model,
    }
}

/// Decides whether a diff on standard output is coloured, as for `git diff`.
pub(super) fn paints(verbosity: &Verbosity, config: &Config) -> bool {
    // git has started a pager of its own already, as `pager.llmpatch` tells it to.
    colored(
        verbosity,
        Some(config),
        DIFFS,
        std::io::stdout().is_terminal() || is_paged(),
    )
}

/// The settings that say whether messages are coloured: the first that is set counts.
pub(super) const MESSAGES: &[&str] = &["color.llmpatch", "color.ui"];
/// The settings for diffs.
pub(super) const DIFFS: &[&str] = &["color.llmpatch", "color.diff", "color.ui"];
/// The settings for questions, as for the questions of `git add -p`.
pub(super) const QUESTIONS: &[&str] = &["color.llmpatch", "color.interactive", "color.ui"];

/// Decides whether something is coloured that a person sees, or doesn't.
pub(super) fn colored(
    verbosity: &Verbosity,
    config: Option<&Config>,
    keys: &[&str],
    is_seen: bool,
) -> bool {
    let set = config.and_then(|config| keys.iter().find_map(|key| colors(config, key)));
    match verbosity.color.or(set) {
        Some(When::Always) => true,
        Some(When::Never) => false,
        Some(When::Auto) | None => is_seen && environment_allows_color() && obeys_escapes(),
    }
}

/// Returns the escape sequence of a colour: as the first of these settings has it that is one, else
/// this. What makes no sense counts as not set.
pub(super) fn sequence(config: &Config, keys: &[&str], default: &str) -> String {
    let style = |value: &str| anstyle_git::parse(value).ok();
    keys.iter()
        .find_map(|key| style(&text(config, key)?))
        .or_else(|| style(default))
        .unwrap_or_default()
        .render()
        .to_string()
}

fn is_paged() -> bool {
    std::env::var_os("GIT_PAGER_IN_USE").is_some_and(|value| value == "1" || value == "true")
}

/// Reads a colour setting as git does: a boolean that is true means `auto`. What makes no sense is
/// nobody's business here.
fn colors(config: &Config, key: &str) -> Option<When> {
    match text(config, key)?.to_ascii_lowercase().as_str() {
        "always" => Some(When::Always),
        "never" | "false" | "no" | "off" | "0" => Some(When::Never),
        "auto" | "true" | "yes" | "on" | "1" | "" => Some(When::Auto),
        _ => None,
    }
}

fn environment_allows_color() -> bool {
    !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

/// Returns how many columns a stream has: `COLUMNS`, which git heeds too, else its terminal's;
/// `None` if it has none.
pub(super) fn width(stream: impl AsStream) -> Option<usize> {
    let given = std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.trim().parse().ok());
    given
        .filter(|&columns| columns > 0)
        .or_else(|| columns(stream))
        .filter(|&columns| columns > 0)
}
