//! How many instructions `apply` and `check` need, and how many they may need: `cargo test --bench
//! instructions`.
//!
//! Times differ from hour to hour, instructions hardly do: so a change that costs one in thirty of
//! them is found before it is merged. Each scenario of `subject.rs` is run under callgrind, the
//! program as cargo builds it for a release; `table.md` says what was counted when somebody last
//! looked. A count of more than its line there fails; one of less is told, so that the line follows
//! and the gain stays. Where the table was made with other tools than are here, the counts are
//! compared but fail nothing.
//!
//! `cargo test --bench instructions -- [--only=NAME] [--program=FILE]`
//!
//! `--only=one` counts the scenarios whose names begin so. `--program` counts another program than
//! the one that cargo builds. `SNAPSHOTS=overwrite` writes what was counted into the table; who
//! raises a line says why in the commit.

mod subject;
#[path = "../support/mod.rs"]
mod support;
mod table;
mod tools;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;

use self::subject::Subject;
use self::table::{Row, Table};

fn main() -> ExitCode {
    let Some(tools) = tools::here() else {
        println!("no valgrind here: nothing was counted");
        return ExitCode::SUCCESS;
    };
    let option = |name: &str| {
        let mut arguments = std::env::args();
        arguments.find_map(|argument| argument.strip_prefix(name).map(str::to_owned))
    };
    let only = option("--only=").unwrap_or_default();
    let program = option("--program=").map_or_else(tools::release, PathBuf::from);
    let is_renewed = std::env::var_os("SNAPSHOTS").is_some_and(|how| how == "overwrite");
    let is_whole = is_renewed || only.is_empty();
    let mut subjects = subject::all();
    subjects.retain(|subject| is_whole || subject.name().starts_with(&only));
    tools::take_two_processors();
    let temporary = tempfile::tempdir().expect("a temporary directory can be made");
    // Now: no other thread may start a process while a program is being written.
    let copy = subject::directory_in(&temporary).join("program");
    fs::copy(program, &copy).expect("a program can be copied");
    let rows = counted(subjects, &copy.display().to_string());
    let mut table = Table::read();
    if !is_renewed {
        return table.judge(&tools, &rows, is_whole);
    }
    table.compare(&rows);
    table.renew(tools, rows);
    table.write();
    ExitCode::SUCCESS
}

/// Counts all scenarios, one on each processor at a time; returns their rows in order.
fn counted(subjects: Vec<Subject>, program: &str) -> Vec<Row> {
    let todo = Mutex::new(subjects.into_iter().enumerate());
    let rows = Mutex::new(Vec::new());
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let next = todo.lock().expect("no other panics").next();
                    let Some((nth, subject)) = next else { break };
                    let counted = subject.count(program);
                    rows.lock().expect("no other panics").push((nth, counted));
                }
            });
        }
    });
    let mut rows = rows.into_inner().expect("all have ended");
    rows.sort_by_key(|(nth, _)| *nth);
    rows.into_iter().flat_map(|(_, rows)| rows).collect()
}
