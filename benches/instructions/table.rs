//! `table.md`: with which tools it was counted, and a line for each run.

use std::fmt::{self, Display, Formatter, Write as _};
use std::fs;
use std::process::ExitCode;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/instructions/table.md");
/// By how many percent a count may be above its line.
const MOST: f64 = 3.0;
/// By how many percent two counts of the same program may differ.
const NOISE: f64 = 0.5;
const HEAD: &str = "\
Millions of instructions that the program needs, and how many it may need: `cargo test --bench
instructions` fails where it takes 3 % more than here. `SNAPSHOTS=overwrite cargo test --bench
instructions` writes this file; a commit that raises a line says why. Counted with:
";
const COLUMNS: &str = "| scenario | command | response | millions |\n| --- | --- | --- | --- |\n";
const RENEW: &str = "SNAPSHOTS=overwrite cargo test --bench instructions";

/// What a run needs.
pub(crate) struct Row {
    pub(crate) scenario: String,
    pub(crate) command: String,
    pub(crate) response: String,
    pub(crate) millions: f64,
}

impl Row {
    fn is_of(&self, other: &Row) -> bool {
        self.scenario == other.scenario
            && self.command == other.command
            && self.response == other.response
    }

    fn name(&self) -> String {
        format!("{}, {} {}", self.scenario, self.command, self.response)
    }

    /// Returns by how many percent another count is above this one.
    fn change(&self, other: &Row) -> f64 {
        (other.millions / self.millions - 1.0) * 100.0
    }

    fn parse(line: &str) -> Option<Row> {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        let ["", scenario, command, response, millions, ""] = cells[..] else {
            return None;
        };
        Some(Row {
            scenario: scenario.to_owned(),
            command: command.to_owned(),
            response: response.to_owned(),
            millions: millions.parse().ok()?,
        })
    }
}

pub(crate) struct Table {
    tools: String,
    rows: Vec<Row>,
}

impl Table {
    pub(crate) fn read() -> Table {
        let text = fs::read_to_string(FILE).unwrap_or_default();
        let tools = text.lines().find(|line| line.starts_with("rustc "));
        Table {
            tools: tools.unwrap_or_default().to_owned(),
            rows: text.lines().filter_map(Row::parse).collect(),
        }
    }

    /// Takes what was counted for its lines, but where it is hardly less, or more by no more than it
    /// may be: many small steps up aren't lost from sight.
    pub(crate) fn renew(&mut self, tools: String, counted: Vec<Row>) {
        let has_other_tools = self.tools != tools;
        let old = std::mem::replace(&mut self.rows, counted);
        self.tools = tools;
        for row in &mut self.rows {
            let line = old.iter().find(|line| line.is_of(row));
            if let Some(line) = line
                && !has_other_tools
                && (-NOISE..=MOST).contains(&line.change(row))
            {
                row.millions = line.millions;
            }
        }
    }

    pub(crate) fn write(&self) {
        let mut text = format!("{HEAD}\n{}\n\n{COLUMNS}", self.tools);
        for row in &self.rows {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {:.3} |",
                row.scenario, row.command, row.response, row.millions
            );
        }
        fs::write(FILE, text).expect("the table can be written");
    }

    /// Prints how each count is to its line, and what is to be done about it; fails if a count is too
    /// high or has no line or, where everything was counted, a line has no count.
    pub(crate) fn judge(&self, tools: &str, counted: &[Row], is_whole: bool) -> ExitCode {
        let mut verdicts = self.compare(counted);
        if is_whole {
            verdicts.extend(self.without_count(counted));
        }
        if verdicts.iter().any(Verdict::is_below) {
            println!("\nlower the lines that say so, so that the gain stays: {RENEW}");
        }
        let holds = verdicts.iter().all(Verdict::holds);
        if !holds {
            println!("\nneed less, or raise the lines and say why in the commit: {RENEW}");
        }
        if self.tools != tools {
            println!(
                "\nthis fails nothing, since the lines were counted with other tools: {RENEW}"
            );
            println!("  then: {}\n  now:  {tools}", self.tools);
            return ExitCode::SUCCESS;
        }
        ExitCode::from(u8::from(!holds))
    }

    /// Prints and returns how each count is to its line.
    pub(crate) fn compare(&self, counted: &[Row]) -> Vec<Verdict> {
        let line_of = |row| self.rows.iter().find(|line| line.is_of(row));
        let compared = counted.iter().map(|row| {
            let verdict = Verdict::of(row, line_of(row));
            println!("{:44}{:>10.3}  {verdict}", row.name(), row.millions);
            verdict
        });
        compared.collect()
    }

    /// Prints the lines that nothing was counted for.
    fn without_count(&self, counted: &[Row]) -> Vec<Verdict> {
        let is_counted = |line: &&Row| counted.iter().any(|row| row.is_of(line));
        let mut gone = Vec::new();
        for line in self.rows.iter().filter(|line| !is_counted(line)) {
            println!("{:44}{:>10}  {}", line.name(), "–", Verdict::Gone);
            gone.push(Verdict::Gone);
        }
        gone
    }
}

/// How a count is to its line; the change is in percent.
pub(crate) enum Verdict {
    Holds(f64),
    Below(f64),
    Above(f64),
    New,
    Gone,
}

impl Verdict {
    fn of(row: &Row, line: Option<&Row>) -> Verdict {
        let Some(line) = line else {
            return Verdict::New;
        };
        let change = line.change(row);
        if change > MOST {
            Verdict::Above(change)
        } else if change < -NOISE {
            Verdict::Below(change)
        } else {
            Verdict::Holds(change)
        }
    }

    fn is_below(&self) -> bool {
        matches!(self, Verdict::Below(_))
    }

    fn holds(&self) -> bool {
        matches!(self, Verdict::Holds(_)) || self.is_below()
    }
}

impl Display for Verdict {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Holds(change) => write!(f, "{change:+.2} %"),
            Verdict::Below(change) => write!(f, "{change:+.2} %: lower the line"),
            Verdict::Above(change) => {
                write!(f, "{change:+.2} %: more than {MOST} % above the line")
            }
            Verdict::New => write!(f, "has no line"),
            Verdict::Gone => write!(f, "has a line, but wasn't counted"),
        }
    }
}
