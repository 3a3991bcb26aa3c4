//! Links the C library into the program where that can be done: a fifth of the time of a small change would go into loading it.
//!
//! The standard library asks for its C libraries as shared ones unless the target is built with `+crt-static`, which a package
//! can't set for itself. So each of them is found here first, as a linker script that names the static one. `-C
//! target-feature=-crt-static` in `RUSTFLAGS` leaves everything shared.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// What the standard library links to on Linux with glibc.
const SHARED: [&str; 7] = ["c", "m", "dl", "pthread", "rt", "util", "gcc_s"];

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=.build/link.rs");
    let get = |name: &str| env::var(name).unwrap_or_default();
    let is_linux = get("CARGO_CFG_TARGET_OS") == "linux" && get("CARGO_CFG_TARGET_ENV") == "gnu";
    let is_chosen = get("CARGO_ENCODED_RUSTFLAGS").contains("crt-static");
    if is_linux && !is_chosen && get("HOST") == get("TARGET") && has_static(&get("RUSTC_LINKER")) {
        let directory = get("OUT_DIR");
        for name in SHARED {
            let script = Path::new(&directory).join(format!("lib{name}.so"));
            fs::write(
                script,
                "GROUP ( -l:libc.a -l:libm.a -l:libgcc_eh.a -l:libgcc.a )\n",
            )?;
        }
        println!("cargo::rustc-link-arg-bins=-L{directory}");
        println!("cargo::rustc-link-arg-bins=-static-pie");
    }
    Ok(())
}

/// Returns whether the linker has a C library to link in: some systems keep it in a package of its own.
fn has_static(linker: &str) -> bool {
    let linker = if linker.is_empty() { "cc" } else { linker };
    ["libc.a", "libm.a", "rcrt1.o", "libgcc_eh.a"]
        .iter()
        .all(|file| {
            let found = Command::new(linker)
                .arg(format!("-print-file-name={file}"))
                .output();
            found.is_ok_and(|found| found.stdout.starts_with(b"/"))
        })
}
