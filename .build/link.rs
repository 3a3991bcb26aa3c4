//! Links what unwinds the stack into the program itself: one shared library less to find and load at each start.

fn main() {
    println!("cargo::rerun-if-changed=.build/link.rs");
    let is_target = |key: &str, value: &str| std::env::var(key).is_ok_and(|target| target == value);
    let features = std::env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let is_static = features.split(',').any(|feature| feature == "crt-static");
    if is_target("CARGO_CFG_TARGET_OS", "linux") && is_target("CARGO_CFG_TARGET_ENV", "gnu") && !is_static {
        println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
    }
}
