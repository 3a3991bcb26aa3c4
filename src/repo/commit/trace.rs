//! What git itself says of its hooks and of the editor: which one failed.

use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice as _};

use crate::repo::git::Command;

/// Where git tells what it does, if nobody else listens.
pub(in crate::repo) struct Trace(Option<PathBuf>);

/// A hook that refused.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::repo) struct HookRefusal {
    pub(in crate::repo) hook: BString,
    pub(super) status: i32,
}

impl Trace {
    pub(in crate::repo) fn begin(directory: &Path, git: &mut Command) -> Self {
        const VARIABLE: &str = "GIT_TRACE2_EVENT";
        if std::env::var_os(VARIABLE).is_some() {
            return Self(None);
        }
        let path = directory.join("trace");
        git.env(VARIABLE, &path)
            .env("GIT_TRACE2_EVENT_NESTING", "1");
        Self(Some(path))
    }

    pub(super) fn is_ours(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the hook that refused.
    pub(in crate::repo) fn refusal(&self) -> Option<HookRefusal> {
        refusal(&self.read()?)
    }

    /// Returns whether the editor failed; unknown is no.
    pub(super) fn editor_failed(&self) -> bool {
        let trace = self.read().unwrap_or_default();
        failed(&trace, EDITOR).is_some()
    }

    fn read(&self) -> Option<Vec<u8>> {
        std::fs::read(self.0.as_ref()?).ok()
    }
}

/// What says of a child that it is a hook, and an editor.
const HOOK: &str = r#""child_class":"hook""#;
const EDITOR: &str = r#""child_class":"editor""#;

/// Finds the first hook in a trace that ended with another status than 0.
fn refusal(trace: &[u8]) -> Option<HookRefusal> {
    let (start, status) = failed(trace, HOOK)?;
    let hook = field(start, "\"hook_name\":\"", b'"')?.into();
    Some(HookRefusal { hook, status })
}

/// Finds the first child of a class in a trace that ended with another status than 0 and belongs to
/// the git that began the trace. Returns the line that says that it was started, and the status.
fn failed<'t>(trace: &'t [u8], class: &str) -> Option<(&'t [u8], i32)> {
    let mut running: Vec<(&[u8], &[u8])> = Vec::new();
    for line in of_first(trace) {
        if line.contains_str(r#""event":"child_start""#) && line.contains_str(class) {
            running.push((field(line, "\"child_id\":", b',')?, line));
        } else if line.contains_str(r#""event":"child_exit""#) {
            let child = field(line, "\"child_id\":", b',')?;
            let status: i32 = field(line, "\"code\":", b',')?
                .to_str()
                .ok()?
                .parse()
                .ok()?;
            let start = running.iter().find(|(id, _)| *id == child);
            if let Some((_, start)) = start
                && status != 0
            {
                return Some((start, status));
            }
        }
    }
    None
}

/// Returns the lines of the git that began a trace.
fn of_first(trace: &[u8]) -> impl Iterator<Item = &[u8]> {
    let first = trace.lines().next().and_then(session);
    trace
        .lines()
        .filter(move |line| first.is_some() && session(line) == first)
}

fn session(line: &[u8]) -> Option<&[u8]> {
    field(line, "\"sid\":\"", b'"')
}

fn field<'t>(line: &'t [u8], name: &str, end: u8) -> Option<&'t [u8]> {
    let start = line.find(name)? + name.len();
    let length = line[start..]
        .iter()
        .position(|&byte| byte == end || byte == b'}')?;
    Some(&line[start..start + length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hook_that_said_no_is_read_from_the_trace() {
        let start = r#"{"event":"child_start","sid":"A","child_id":1,"child_class":"hook","hook_name":"pre-commit","argv":["x"]}"#;
        let exit = r#"{"event":"child_exit","sid":"A","child_id":1,"pid":7,"code":3,"t_rel":0.1}"#;
        let want = Some(HookRefusal {
            hook: "pre-commit".into(),
            status: 3,
        });
        for (trace, want) in [
            (format!("{start}\n{exit}\n"), want),
            (format!("{start}\n{}\n", exit.replace(":3", ":0")), None),
            (
                format!("{start}\n{}\n", exit.replace("\"A\"", "\"A/B\"")),
                None,
            ),
            (
                format!("{}\n{exit}\n", start.replace("\"hook\"", "\"editor\"")),
                None,
            ),
            (String::new(), None),
        ] {
            assert_eq!(refusal(trace.as_bytes()), want, "{trace}");
        }
        let trace = format!("{}\n{exit}\n", start.replace("\"hook\"", "\"editor\""));
        assert!(failed(trace.as_bytes(), EDITOR).is_some());
    }
}
