//! `git-llmpatch`: arguments in, exit status out.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(git_llmpatch::cli::run(std::env::args_os()).end())
}
