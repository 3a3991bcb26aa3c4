//! Commands that read standard input say so where a person would have to type it.

use std::process::Command;

use super::support::{Repo, isolated, program};
use super::terminal::Terminal;

#[test]
fn whatever_reads_a_terminal_says_so_once() {
    let repo = Repo::with(&[("a.txt", "one\n")]);
    for args in [&["apply"][..], &["check"], &["batch", "--onto=HEAD"]] {
        let mut command = isolated(Command::new(program()), repo.path());
        let mut terminal = Terminal::start(command.args(args));
        terminal.wait_for("reading from the terminal; ");
        terminal.send("\u{4}");
        terminal.end();
        let shown = terminal.shown();
        assert_eq!(
            shown.matches("reading from the terminal").count(),
            1,
            "{args:?} {shown}"
        );
    }
}
