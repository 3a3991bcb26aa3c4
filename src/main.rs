//! `git-llmpatch`: arguments in, exit status out.

fn main() {}
