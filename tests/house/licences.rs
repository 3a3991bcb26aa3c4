//! What we are built from: licences that `.deny.toml` allows, and nothing from anywhere but crates.io.
//!
//! cargo-deny looks at every platform and further; this is what can be seen without installing it.

use std::path::Path;
use std::process::Command;

use crate::here;

/// The licences that `.deny.toml` allows.
fn allowed() -> Vec<String> {
    let deny = here(".deny.toml");
    let line = deny
        .lines()
        .find(|line| line.starts_with("allow = ["))
        .unwrap();
    line.split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// Returns whether a licence expression can be met: `OR` wants one of its sides, `AND` all of them.
fn is_met(expression: &str, allowed: &[String]) -> bool {
    let expression = expression.trim();
    // Neither side of an operator that stands in parentheses is a side of ours.
    let sides = |operator: &str| {
        let (mut sides, mut depth) = (vec![String::new()], 0);
        for word in expression
            .replace('(', " ( ")
            .replace(')', " ) ")
            .replace('/', " OR ")
            .split_whitespace()
        {
            depth += i32::from(word == "(") - i32::from(word == ")");
            if depth == 0 && word == operator {
                sides.push(String::new());
            } else {
                let side = sides.last_mut().unwrap();
                side.push_str(word);
                side.push(' ');
            }
        }
        sides
    };
    let (any, all) = (sides("OR"), sides("AND"));
    if any.len() > 1 {
        any.iter().any(|side| is_met(side, allowed))
    } else if all.len() > 1 {
        all.iter().all(|side| is_met(side, allowed))
    } else if let Some(inner) = expression
        .strip_prefix('(')
        .and_then(|inner| inner.strip_suffix(')'))
    {
        is_met(inner, allowed)
    } else {
        allowed.iter().any(|licence| licence == expression)
    }
}

#[test]
fn every_dependency_has_a_licence_that_is_allowed() {
    let allowed = allowed();
    let tree = [
        "tree",
        "--offline",
        "--locked",
        "--edges=all",
        "--prefix=none",
        "--format={l}|{p}",
    ];
    let output = Command::new(env!("CARGO"))
        .args(tree)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let packages = String::from_utf8(output.stdout).unwrap();
    let packages: Vec<_> = packages
        .lines()
        .filter_map(|line| line.split_once('|'))
        .collect();
    assert!(packages.len() > 20, "{packages:?}");
    for (licence, package) in packages {
        assert!(
            is_met(licence, &allowed),
            "`{package}` has the licence `{licence}`, and {allowed:?} are allowed"
        );
    }
}

#[test]
fn expressions_are_read_as_they_are_meant() {
    let allowed = ["MIT".to_owned(), "Unicode-3.0".to_owned()];
    for (expression, want) in [
        ("MIT", true),
        ("Apache-2.0", false),
        ("", false),
        ("MIT OR Apache-2.0", true),
        ("Apache-2.0/MIT", true),
        ("MIT AND Apache-2.0", false),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("(MIT OR Apache-2.0) AND NCSA", false),
        ("GPL-3.0 OR (MIT AND NCSA)", false),
        ("Apache-2.0 WITH LLVM-exception OR MIT", true),
        ("Apache-2.0 WITH LLVM-exception", false),
    ] {
        assert_eq!(is_met(expression, &allowed), want, "{expression}");
    }
}

#[test]
fn everything_comes_from_one_registry() {
    for line in here("Cargo.lock")
        .lines()
        .filter(|line| line.starts_with("source = "))
    {
        assert_eq!(
            line,
            "source = \"registry+https://github.com/rust-lang/crates.io-index\""
        );
    }
}

#[test]
fn unsafe_code_is_forbidden_and_nothing_lifts_that() {
    let manifest = here("Cargo.toml");
    let lints = manifest.split("[lints.rust]").nth(1).unwrap();
    let lints = lints.split("\n[").next().unwrap();
    assert!(lints.contains("unsafe_code = \"forbid\""), "{lints}");
    // What is built before the lints hold, or caps them.
    for absent in ["build.rs", ".cargo/config.toml", ".cargo/config"] {
        assert!(
            !Path::new(env!("CARGO_MANIFEST_DIR")).join(absent).exists(),
            "{absent}"
        );
    }
    // The build script is under the same lints, needs nothing, and tells cargo nothing but what to link.
    assert!(
        !manifest.contains("build-dependencies"),
        "something that the build script needs"
    );
    let script = here(".build/link.rs");
    let told: Vec<_> = script
        .lines()
        .filter_map(|line| Some(line.split_once("cargo:")?.1))
        .collect();
    let (changed, link) = (
        ":rerun-if-changed=.build/link.rs\");",
        ":rustc-link-arg-bins=",
    );
    assert_eq!(
        told,
        [
            changed,
            &format!("{link}-L{{directory}}\");"),
            &format!("{link}-static-pie\");")
        ]
    );
    assert!(
        !manifest.contains("proc-macro = true"),
        "a macro of our own"
    );
}
