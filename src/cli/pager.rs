//! What a person reads at a terminal: through the pager that git would take, in the colours of `git diff`.

use std::env;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context as _;

use super::config;
use super::edge::Edge;
use super::options::Talk;
use super::output;
use crate::repo::Config;
use crate::report::paint::{self, Palette};

/// Prints a diff, or what is printed above one, on standard output: to a program as it is.
///
/// # Errors
/// If standard output can't be written, but not if its reader has gone.
pub(super) fn print_diff(bytes: &[u8], talk: &Talk, config: &Config) -> Result<(), Edge> {
    let is_seen = io::stdout().is_terminal();
    let palette = config::paints(talk, config).then(|| palette(config));
    // Before it is painted: then what is obeyed is ours.
    let harmless = is_seen.then(|| output::harmless(bytes));
    let bytes = harmless.as_deref().unwrap_or(bytes);
    let painted = palette.map(|palette| paint::diff(bytes, &palette));
    let bytes = painted.as_deref().unwrap_or(bytes);
    match is_seen.then(|| pager(config)).flatten() {
        Some(pager) if !bytes.is_empty() => page(bytes, &pager),
        _ => output::print_as_is(bytes),
    }
}

/// Prints a response on standard output: to a program as it is.
///
/// # Errors
/// If standard output can't be written, but not if its reader has gone.
pub(super) fn print_response(bytes: &[u8], config: &Config) -> Result<(), Edge> {
    match io::stdout().is_terminal().then(|| pager(config)).flatten() {
        Some(pager) if !bytes.is_empty() => page(&output::harmless(bytes), &pager),
        _ => output::print(bytes),
    }
}

/// Returns the colours that are set, with git's own where none are.
fn palette(config: &Config) -> Palette {
    Palette::new(|name, default| {
        // `plain` is what git called `context` before.
        let older = if name == "context" { "color.diff.plain" } else { "" };
        let set = |key: &str| config.string(key).ok().flatten().and_then(|value| style(&value.to_string()));
        let style = set(&format!("color.diff.{name}")).or_else(|| set(older)).or_else(|| style(default));
        style.unwrap_or_default().render().to_string()
    })
}

/// Understands a colour as git's configuration writes it. What makes no sense counts as not set.
fn style(value: &str) -> Option<anstyle::Style> {
    anstyle_git::parse(value).ok()
}

/// Returns the command of the pager that git would start, if any.
fn pager(config: &Config) -> Option<String> {
    let variable = |name| env::var_os(name).and_then(|value| value.into_string().ok());
    let own = config.string("pager.llmpatch").ok().flatten().map(|value| value.to_string());
    let own = match config.bool("pager.llmpatch") {
        Ok(Some(false)) => return None,
        Ok(_) => None,
        Err(_) => own,
    };
    let set = || config.string("core.pager").ok().flatten().map(|value| value.to_string());
    let pager =
        variable("GIT_PAGER").or(own).or_else(set).or_else(|| variable("PAGER")).unwrap_or_else(|| "less".into());
    (!pager.is_empty() && pager != "cat").then_some(pager)
}

/// Hands text to a pager, and waits until it is closed.
fn page(bytes: &[u8], pager: &str) -> Result<(), Edge> {
    let mut command = Command::new("sh");
    command.args(["-c", pager]).stdin(Stdio::piped());
    // As git sets them, for whoever didn't.
    for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
        if env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    // Ctrl-C is for the pager; if we died of it, it would be left with the terminal in disarray.
    let interrupt = signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::new(AtomicBool::new(false)));
    let mut child = command.spawn().with_context(|| format!("can't start the pager `{pager}`"))?;
    let written = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(bytes));
    let ended = child.wait();
    if let Ok(interrupt) = interrupt {
        signal_hook::low_level::unregister(interrupt);
    }
    ended.with_context(|| format!("can't wait for the pager `{pager}`"))?;
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error).context("can't write to the pager")?,
        _ => Ok(()),
    }
}
