//! What a person reads at a terminal: through the pager that git would take, in the colours of `git
//! diff`.

use std::env;
use std::fs::File;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::Stdio;
use std::thread;

use anyhow::Context as _;

use super::config;
use super::error::IoError;
use super::options::Verbosity;
use super::output;
use crate::repo::{Config, shell};
use crate::report::paint::{self, Palette};
use crate::signal::LeftToChild;

/// Prints a diff, or what is printed above one, on standard output: to a program as it is.
///
/// # Errors
/// If standard output can't be written, but not if its reader has gone.
pub(super) fn print_diff(
    bytes: &[u8],
    verbosity: &Verbosity,
    config: &Config,
) -> Result<(), IoError> {
    let paints = config::paints(verbosity, config);
    if io::stdout().is_terminal() {
        page(&drawn(bytes, paints, config), config, None)
    } else if paints {
        output::print_as_is(&paint::diff(bytes, &palette(config)))
    } else {
        output::print_as_is(bytes)
    }
}

/// Shows a diff on a terminal, wherever standard output goes.
///
/// # Errors
/// If it can't be written.
pub(super) fn show_diff(
    bytes: &[u8],
    terminal: &File,
    verbosity: &Verbosity,
    config: &Config,
) -> Result<(), IoError> {
    let is_colored = config::colored(verbosity, Some(config), config::DIFFS, true);
    let drawn = drawn(bytes, is_colored, config);
    // As git does, only what has colours goes through the filter.
    let filter = config::text(config, "interactive.difffilter").filter(|_| is_colored);
    let filtered = filter.and_then(|filter| filtered(&filter, &drawn).ok());
    page(&filtered.unwrap_or(drawn), config, Some(terminal))
}

/// Returns what a command makes of a diff.
///
/// # Errors
/// If it can't be run, or fails.
fn filtered(filter: &str, diff: &[u8]) -> io::Result<Vec<u8>> {
    let _left = LeftToChild::begin();
    let mut child = shell()
        .args(["-c", filter])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let stdin = child.stdin.take();
    let ended = thread::scope(|scope| {
        // It may print before it has read all. Whether it reads all is its own business.
        let feed = move || stdin.map(|mut stdin| stdin.write_all(diff));
        thread::Builder::new().spawn_scoped(scope, feed)?;
        child.wait_with_output()
    })?;
    if ended.status.success() {
        Ok(ended.stdout)
    } else {
        Err(io::ErrorKind::Other.into())
    }
}

/// Prints a response on standard output: to a program as it is.
///
/// # Errors
/// If standard output can't be written, but not if its reader has gone.
pub(super) fn print_response(bytes: &[u8], config: &Config) -> Result<(), IoError> {
    if io::stdout().is_terminal() {
        page(&output::harmless(bytes), config, None)
    } else {
        output::print(bytes)
    }
}

/// Makes a diff what a person sees of it. It is made harmless before it is painted: then what is
/// obeyed is ours.
fn drawn(bytes: &[u8], paints: bool, config: &Config) -> Vec<u8> {
    let bytes = output::harmless(bytes);
    if paints {
        paint::diff(&bytes, &palette(config))
    } else {
        bytes
    }
}

/// Returns the colours that are set, with git's own where none are.
fn palette(config: &Config) -> Palette {
    Palette::new(|name, default| {
        let key = format!("color.diff.{name}");
        // `plain` is what git called `context` before.
        let older = if name == "context" {
            "color.diff.plain"
        } else {
            &key
        };
        config::sequence(config, &[&key, older], default)
    })
}

/// Returns the command of the pager that git would start, if any.
fn pager(config: &Config) -> Option<String> {
    let variable = |name| env::var(name).ok();
    let own = match config.bool("pager.llmpatch") {
        Ok(Some(false)) => return None,
        Ok(_) => None,
        Err(_) => config::text(config, "pager.llmpatch"),
    };
    let pager = variable("GIT_PAGER")
        .or(own)
        .or_else(|| config::text(config, "core.pager"))
        .or_else(|| variable("PAGER"))
        .unwrap_or_else(|| "less".into());
    (!pager.is_empty() && pager != "cat").then_some(pager)
}

/// Opens a file in the editor that git would open, at a terminal, and waits until it is closed.
///
/// # Errors
/// If it can't be started, or fails.
pub(super) fn edit(path: &Path, terminal: &File, config: &Config) -> Result<(), IoError> {
    let variable = |name| env::var(name).ok().filter(|value| !value.is_empty());
    let editor = variable("GIT_EDITOR")
        .or_else(|| config::text(config, "core.editor"))
        .or_else(|| variable("VISUAL"))
        .or_else(|| variable("EDITOR"));
    let editor = editor.unwrap_or_else(|| "vi".into());
    let stream = || {
        terminal
            .try_clone()
            .context("can't give the terminal to the editor")
    };
    let mut command = shell();
    command
        .arg("-c")
        .arg(format!("{editor} \"$@\""))
        .arg(&editor)
        .arg(path)
        .stdin(stream()?)
        .stdout(stream()?);
    let left = LeftToChild::begin();
    let ended = command.status();
    drop(left);
    let ended = ended.with_context(|| format!("can't start the editor `{editor}`"))?;
    if !ended.success() {
        Err(anyhow::anyhow!("the editor `{editor}` ended with {ended}"))?;
    }
    Ok(())
}

/// Shows text on a terminal, which is standard output if none is given: through a pager, if there
/// is one, until it is closed.
fn page(bytes: &[u8], config: &Config, terminal: Option<&File>) -> Result<(), IoError> {
    if let Some(pager) = pager(config)
        && !bytes.is_empty()
        && through(&pager, bytes, terminal)?
    {
        return Ok(());
    }
    match terminal {
        Some(mut terminal) => Ok(terminal
            .write_all(bytes)
            .context("can't write to the terminal")?),
        None => output::print_as_is(bytes),
    }
}

/// Shows text in a pager, and waits until it is closed. Returns false if the shell doesn't know the
/// program.
fn through(pager: &str, bytes: &[u8], terminal: Option<&File>) -> Result<bool, IoError> {
    let mut command = shell();
    command.args(["-c", pager]).stdin(Stdio::piped());
    if let Some(terminal) = terminal {
        command.stdout(
            terminal
                .try_clone()
                .context("can't give the terminal to the pager")?,
        );
    }
    // As git sets them, for whoever didn't.
    for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
        if env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    let left = LeftToChild::begin();
    let mut child = command
        .spawn()
        .with_context(|| format!("can't start the pager `{pager}`"))?;
    let written = child
        .stdin
        .take()
        .map_or(Ok(()), |mut stdin| stdin.write_all(bytes));
    let ended = child.wait();
    drop(left);
    let ended = ended.with_context(|| format!("can't wait for the pager `{pager}`"))?;
    if matches!(ended.code(), Some(126 | 127)) {
        return Ok(false);
    }
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("can't write to the pager")?
        }
        _ => Ok(true),
    }
}
