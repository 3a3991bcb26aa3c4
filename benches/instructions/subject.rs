//! What is counted: a scenario, and the responses that ask for its change.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::support::callgrind;
use super::support::responses::FORMATS;
use super::support::scenario::{Scenario, git};
use super::support::session::{RECORDS, ROOT};
use super::table::Row;

/// How long the paths of the program and of scenarios are, wherever temporary files are: a program
/// looks at each byte of a path.
const LENGTH: usize = 120;
/// How many changes are kept for `undo`, which a further one has to do with.
const KEPT: usize = 10;

/// A scenario, the names of the responses with which it is applied, and whether these are records of
/// sessions.
pub(crate) struct Subject {
    scenario: Scenario,
    responses: Vec<&'static str>,
    is_session: bool,
}

/// Returns everything that is counted.
pub(crate) fn all() -> Vec<Subject> {
    let formats = |scenario| Subject {
        scenario,
        responses: FORMATS.iter().map(|(name, _)| *name).collect(),
        is_session: false,
    };
    let sizes = (4000, 500);
    let equal = |_| "}\n".to_owned();
    let cycle = |nth| format!("    step({});\n", nth % 7);
    vec![
        formats(Scenario::small_change("one line", 20)),
        formats(Scenario::many("200 files x 3 hunks", 10, (200, 200, 3))),
        formats(Scenario::repeated("repetition, equal lines", sizes, &equal)),
        formats(Scenario::repeated("repetition, a cycle", sizes, &cycle)),
        formats(Scenario::large("2,000 edits in 10 MiB", 10 << 20, 2000)),
        formats(Scenario::large("a refusal of 10 hunks", 1 << 20, 10).refused()),
        Subject {
            responses: RECORDS.iter().map(|(name, _)| *name).collect(),
            is_session: true,
            ..formats(Scenario::many("a session of 1,000 calls", 10, (200, 40, 5)))
        },
        Subject {
            responses: vec![FORMATS[0].0],
            ..formats(Scenario::many("10 files of 100,000", 100_000, (10, 60, 1)).staged())
        },
    ]
}

impl Subject {
    pub(crate) fn name(&self) -> &str {
        &self.scenario.name
    }

    /// Counts `apply` with each response, and `check` with the first one.
    pub(crate) fn count(&self, program: &str) -> Vec<Row> {
        let temporary = tempfile::tempdir().expect("a temporary directory can be made");
        let directory = directory_in(&temporary);
        self.build(&directory);
        for _ in 0..KEPT {
            self.apply_uncounted(&directory, program);
        }
        let row = |command: &'static str, response: &str| Row {
            scenario: self.name().to_owned(),
            command: command.to_owned(),
            response: response.to_owned(),
            millions: self.counted(&directory, program, command, response),
        };
        let check = row("check", self.responses[0]);
        let applied = self.responses.iter().map(|response| row("apply", response));
        applied.chain([check]).collect()
    }

    fn build(&self, directory: &Path) {
        self.scenario.build(directory);
        git(
            &directory.join("top"),
            &["config", "llmpatch.fsync", "false"],
        );
        if self.is_session {
            for (name, record) in RECORDS {
                let path = directory.join(format!("change.{name}"));
                fs::write(path, record(&self.scenario.files)).expect("a file can be written");
            }
        }
    }

    /// Applies the first response without counting, from where everything began.
    fn apply_uncounted(&self, directory: &Path, program: &str) {
        let top = directory.join("top");
        self.scenario.reset(&top);
        let status = callgrind::isolated(program)
            .args(self.arguments("apply", self.responses[0]))
            .current_dir(&top)
            .status();
        let code = status.expect("it can be started").code();
        assert_eq!(code, Some(self.code()), "{}", self.name());
    }

    /// Counts a command with a response, in millions, from where everything began.
    ///
    /// What other programs need is theirs; so far none is started.
    fn counted(&self, directory: &Path, program: &str, command: &str, response: &str) -> f64 {
        let top = directory.join("top");
        self.scenario.reset(&top);
        let arguments = self.arguments(command, response);
        let count = callgrind::count(directory, program, &arguments);
        let count = count.expect("valgrind was there");
        let what = format!("{}, {arguments:?}", self.name());
        assert_eq!(count.status.code(), Some(self.code()), "{what}");
        assert_eq!(count.processes, 1, "{what} starts other programs");
        if command == "apply" {
            self.scenario.fingerprint(&top);
        }
        count.instructions as f64 / 1e6
    }

    fn arguments(&self, command: &str, response: &str) -> Vec<String> {
        let mut arguments = vec![command.to_owned()];
        if self.scenario.is_staged {
            let is_check = command == "check";
            let target = if is_check { "--cached" } else { "--index" };
            arguments.push(target.to_owned());
        }
        if self.is_session {
            arguments.push(format!("--root-is={ROOT}"));
        }
        arguments.push(format!("../change.{response}"));
        arguments
    }

    /// Returns how a run ends.
    fn code(&self) -> i32 {
        i32::from(self.scenario.is_refused)
    }
}

/// Makes a directory, in a temporary one, whose path is as long everywhere.
pub(crate) fn directory_in(temporary: &TempDir) -> PathBuf {
    let length = LENGTH.checked_sub(temporary.path().as_os_str().len() + 1);
    let length = length.expect("the path of temporary files is short");
    let directory = temporary.path().join("d".repeat(length));
    fs::create_dir(&directory).expect("a directory can be made");
    directory
}
