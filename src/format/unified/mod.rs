//! git's own unified diff.

mod print;
mod quote;
mod stat;

pub use print::{Style, print};
pub use quote::Quoting;
pub use stat::{Termination, numstat, stat, summary};
