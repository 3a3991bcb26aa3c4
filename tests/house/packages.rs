//! What the packages are built from: few crates, from one registry, with licences that `.deny.toml`
//! allows.
//!
//! cargo-deny looks at every platform and further; this is what can be seen without installing it.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use spdx::{Expression, ParseMode};

/// What the library may depend on, beside what tests it.
const OF_THE_LIBRARY: &[&str] = &[
    "aho-corasick",
    "base64",
    "blake3",
    "bstr",
    "gix-validate",
    "memchr",
    "miniz_oxide",
    "serde",
    "serde_json",
    "sha1",
    "similar",
    "strum",
    "thiserror",
    "unicode-normalization",
    "unicode-width",
];

/// Returns the text of a file of this project.
fn here(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

/// Returns the packages that the program and its tests are built from on this system, as `cargo
/// metadata` knows them.
fn packages() -> Vec<Value> {
    let rustc = Command::new("rustc").arg("-vV").output().unwrap();
    let about = String::from_utf8(rustc.stdout).unwrap();
    let host = about
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap();
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--offline",
            "--locked",
            "--format-version=1",
            "--filter-platform",
            host,
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].take();
    serde_json::from_value(packages).unwrap()
}

#[test]
fn the_library_needs_no_more_than_text_does() {
    let packages = packages();
    let library = packages
        .iter()
        .find(|package| package["name"] == "llmpatch")
        .unwrap();
    let dependencies = library["dependencies"].as_array().unwrap();
    let needed = dependencies.iter().filter(|one| one["kind"].is_null());
    let (optional, needed): (Vec<_>, Vec<_>) =
        needed.partition(|one| one["optional"].as_bool() == Some(true));
    let names = |of: Vec<&Value>| {
        of.iter()
            .map(|one| one["name"].to_string())
            .collect::<Vec<_>>()
    };
    let of_the_library = OF_THE_LIBRARY.iter().map(|name| format!("{name:?}"));
    assert_eq!(names(needed), of_the_library.collect::<Vec<_>>());
    // With the feature `fs`, which knows a system.
    assert_eq!(names(optional), ["\"tempfile\""]);
}

#[test]
fn dependencies_stay_few_and_come_from_one_registry() {
    let packages = packages();
    // Our own are none, and not all of them are in the program.
    let others = packages.iter().filter(|one| !one["source"].is_null());
    let count = others.count();
    assert!(count <= 120, "{count} packages");
    for package in &packages {
        let is_ours = package["source"].is_null();
        let is_of_registry =
            package["source"] == "registry+https://github.com/rust-lang/crates.io-index";
        assert!(
            is_ours || is_of_registry,
            "{} is from {}",
            package["name"],
            package["source"]
        );
    }
}

#[test]
fn every_dependency_has_a_licence_that_is_allowed() {
    let deny = here(".deny.toml");
    let line = deny
        .lines()
        .find(|line| line.starts_with("allow = ["))
        .unwrap();
    let allowed: Vec<_> = line.split('"').skip(1).step_by(2).collect();
    for package in packages() {
        let licence = package["license"].as_str().unwrap_or_default();
        let licence = Expression::parse_mode(licence, ParseMode::LAX).unwrap();
        let is_met = licence.evaluate(|one| allowed.contains(&one.to_string().as_str()));
        assert!(
            is_met,
            "{}: `{licence}` isn't among {allowed:?}",
            package["name"]
        );
    }
}

#[test]
fn unsafe_code_is_forbidden_and_nothing_lifts_that() {
    assert!(here("Cargo.toml").contains("[workspace.lints.rust]\nunsafe_code = \"forbid\""));
    let python = here("crates/llmpatch-py/Cargo.toml");
    assert!(python.contains("unsafe_code = \"forbid\""));
    // An exported name is an unsafe attribute; these are all that there is.
    let wasm = here("crates/llmpatch-js/src/lib.rs");
    assert_eq!(wasm.matches("unsafe(no_mangle)").count(), 3);
    assert!(!wasm.contains("unsafe {") && !wasm.contains("unsafe fn"));
    for manifest in [
        "Cargo.toml",
        "crates/cases/Cargo.toml",
        "crates/llmpatch/Cargo.toml",
        "crates/llmpatch-json/Cargo.toml",
    ] {
        let manifest = here(manifest);
        assert!(manifest.contains("[lints]\nworkspace = true"));
        // What runs while it is built is under no lint.
        for absent in ["build = ", "build-dependencies", "proc-macro = true"] {
            assert!(!manifest.contains(absent), "{absent}");
        }
    }
    for absent in ["build.rs", "crates/llmpatch/build.rs", ".cargo/config"] {
        assert!(
            !Path::new(env!("CARGO_MANIFEST_DIR")).join(absent).exists(),
            "{absent}"
        );
    }
    // What a test is given is all that cargo is told.
    let told = here(".cargo/config.toml");
    let told: Vec<_> = told.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(told, ["[env]", "PROPTEST_RNG_SEED = \"1\""]);
}

/// The packages for other languages are workspaces of their own, which share no version with this
/// one.
#[test]
fn packages_for_other_languages_have_the_version_of_the_program() {
    let version = env!("CARGO_PKG_VERSION");
    for (file, line) in [
        ("crates/llmpatch-js/Cargo.toml", "version = "),
        ("crates/llmpatch-js/package.json", "  \"version\": "),
        ("crates/llmpatch-py/Cargo.toml", "version = "),
        ("pyproject.toml", "version = "),
        ("pyproject.toml", "dependencies = [\"git-llmpatch=="),
        (
            "examples/agents/claude-code/.claude-plugin/plugin.json",
            "  \"version\": ",
        ),
    ] {
        let open = if line.ends_with("==") { "" } else { "\"" };
        let line = format!("\n{line}{open}{version}\"");
        assert!(here(file).contains(&line), "{file}: not{line}");
    }
}

/// What the packages for other languages are built from is what the library is, in the versions of
/// the program; `.packages/try` would refuse their lock files otherwise.
#[test]
fn packages_for_other_languages_are_locked_to_the_same_versions() {
    let ours = here("Cargo.lock");
    let ours: Vec<_> = locked(&ours).collect();
    for language in ["js", "py"] {
        let file = format!("crates/llmpatch-{language}/Cargo.lock");
        let text = here(&file);
        let theirs: Vec<_> = locked(&text).collect();
        let is_locked = |name: &&str| theirs.iter().any(|one| one.0 == *name);
        let is_other = theirs
            .iter()
            .any(|one| ours.iter().any(|our| our.0 == one.0) && !ours.contains(one));
        let is_missing = !OF_THE_LIBRARY.iter().all(is_locked);
        assert!(
            !is_other && !is_missing,
            "{file} is behind: copy Cargo.lock there, and run `cargo metadata` in that directory"
        );
    }
}

/// Returns the packages of a lock file, each with its version.
fn locked(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("[[package]]\n").skip(1).filter_map(|package| {
        let (name, rest) = package.strip_prefix("name = \"")?.split_once("\"\n")?;
        let (version, _) = rest.strip_prefix("version = \"")?.split_once('"')?;
        Some((name, version))
    })
}
