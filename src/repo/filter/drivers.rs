//! Filter drivers: what they are told to run where git would run them, and those of them that are
//! processes, which are asked by us.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;

use bstr::{BString, ByteSlice};

use super::GitFilter;
use super::child::Running;
use crate::repo::git::shell;
use crate::repo::process_filter::ProcessFilter;
use crate::repo::{Repo, RepoError};
use crate::system::{OsStrExt as _, OsStringExt as _, shell_quoted};
use llmpatch::path::RepoPath;

/// A driver that is a process.
pub(super) struct Process {
    /// What a shell is told to start it.
    command: BString,
    /// Whether nothing goes unfiltered.
    is_required: bool,
    running: RefCell<Option<ProcessFilter>>,
}

impl GitFilter {
    /// Returns what a driver that is a process makes of bytes.
    pub(super) fn filtered<'b>(
        &self,
        driver: Option<&BString>,
        way: &str,
        path: &RepoPath,
        more: &[BString],
        bytes: &'b [u8],
    ) -> Result<Cow<'b, [u8]>, RepoError> {
        let Some((driver, process)) = driver.and_then(|name| self.processes.get_key_value(name))
        else {
            return Ok(Cow::Borrowed(bytes));
        };
        let name = BString::from([b"pathname=", path.as_bytes(), b"\n"].concat());
        let about = [&[name], more].concat();
        let mut place = process.running.borrow_mut();
        let running = match &mut *place {
            Some(running) => Ok(running),
            none => self.begin(driver, process).map(|begun| none.insert(begun)),
        };
        let (message, is_fatal) = match running.map(|running| running.convert(way, &about, bytes)) {
            Ok(Ok(Some(converted))) => return Ok(Cow::Owned(converted)),
            Ok(Ok(None)) => (format!("the filter refused to {way} it").into(), false),
            Ok(Err(error)) => {
                let said = place.take().map(ProcessFilter::end);
                let is_fatal = error.kind() == io::ErrorKind::InvalidData;
                (self.complaint(said, &error), is_fatal)
            }
            Err(not_begun) => not_begun,
        };
        // As git goes on, unless it is told what it doesn't understand.
        if !process.is_required && !is_fatal {
            return Ok(Cow::Borrowed(bytes));
        }
        let command = driver.to_string();
        Err(RepoError::Child { command, message })
    }

    /// Starts a driver that is a process; says why that can't be, and whether git ends then.
    fn begin(&self, driver: &BString, process: &Process) -> Result<ProcessFilter, (BString, bool)> {
        let number = self.processes.range(..driver.clone()).count();
        let command = process.command.to_os_str_lossy();
        let words = [OsStr::new("-c"), &command];
        let mut shell = self.git.set_up(shell(), words);
        let started = Running::start(&self.place, &number.to_string(), &mut shell);
        let child = started.map_err(|error| (error.to_string().into(), false))?;
        ProcessFilter::greet(child).map_err(|(child, error)| {
            let said = self.complaint(Some(child.end()), &error);
            let fatal = [io::ErrorKind::InvalidData, io::ErrorKind::UnexpectedEof];
            (said, fatal.contains(&error.kind()))
        })
    }

    /// Returns what a child complained of when it failed.
    pub(super) fn complaint(&self, said: Option<BString>, error: &io::Error) -> BString {
        let said = said.unwrap_or_default();
        let said = if said.is_empty() {
            error.to_string().into_bytes()
        } else {
            said.replace(&self.prelude, "")
        };
        bstr::join("; ", ByteSlice::lines(&said[..])).into()
    }
}

/// Returns what a shell is told before a driver runs: to be where git would run it, and to see
/// nothing of what is only for the children.
pub(super) fn prelude(repo: &Repo, environment: &[(&str, Option<OsString>)]) -> BString {
    let home = repo.top.as_deref().unwrap_or(repo.git_dir()).as_os_str();
    let mut prelude = Vec::new();
    for name in environment
        .iter()
        .map(|(name, _)| *name)
        .chain(["GIT_CONFIG_PARAMETERS"])
    {
        let value = match name {
            "GIT_WORK_TREE" => repo.top.as_ref().map(|top| top.as_os_str().to_owned()),
            _ => std::env::var_os(name),
        };
        match value {
            Some(value) => prelude.extend(
                [
                    b"export ",
                    name.as_bytes(),
                    b"=",
                    &shell_quoted(value.as_bytes()),
                    b"\n",
                ]
                .concat(),
            ),
            None => prelude.extend([b"unset ", name.as_bytes(), b"\n"].concat()),
        }
    }
    prelude.extend([b"cd ", &shell_quoted(home.as_bytes())[..], b" || exit\n"].concat());
    prelude.into()
}

/// Returns the drivers that are processes: for git that is what counts, whatever else is set.
pub(super) fn processes(repo: &Repo, prelude: &BString) -> BTreeMap<BString, Process> {
    let mut processes = BTreeMap::new();
    for (key, value) in repo.config.entries("filter.") {
        let Some((driver, b"process")) = key.rsplit_once_str(".") else {
            continue;
        };
        let required = format!("filter.{}.required", driver.as_bstr());
        let process = Process {
            command: [&prelude[..], &value].concat().into(),
            is_required: matches!(repo.config.bool(&required), Ok(Some(true))),
            running: RefCell::default(),
        };
        processes.insert(driver.into(), process);
        if value.is_empty() {
            processes.remove(driver.as_bstr());
        }
    }
    processes
}

/// Returns the options that have every other driver run behind this, and these not at all.
pub(super) fn drivers(
    repo: &Repo,
    prelude: &BString,
    processes: &BTreeMap<BString, Process>,
) -> Vec<OsString> {
    let mut options = Vec::new();
    let mut set = |key: &[u8], value: &[u8]| {
        let option = [b"filter.", key, b"=", value].concat();
        options.extend(["-c".into(), OsString::from_vec(option)]);
    };
    for (key, value) in repo.config.entries("filter.") {
        // git puts the path in place of a `%f`.
        if let Some((_, b"clean" | b"smudge")) = key.rsplit_once_str(".")
            && !value.is_empty()
        {
            set(&key, &[&prelude.replace("%", "%%")[..], &value].concat());
        }
    }
    for driver in processes.keys() {
        set(&[driver, &b".process"[..]].concat(), b"");
        set(&[driver, &b".required"[..]].concat(), b"false");
    }
    options
}
