//! Every system that the program is for can have a clone of this repository.

use std::collections::BTreeMap;
use std::process::Command;

/// What Windows calls a device, whatever its extension.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul", "com", "lpt"];

#[test]
fn every_file_has_a_name_that_windows_and_macos_can_have() {
    let listed = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let mut seen = BTreeMap::new();
    for path in listed.split_terminator('\0') {
        assert!(path.split('/').all(is_possible), "{path:?}");
        // Windows takes 260 signs, and somebody's directory is before these.
        assert!(path.chars().count() < 180, "{path:?}");
        let other = seen.insert(path.to_lowercase(), path);
        assert_eq!(other, None, "{path:?}");
    }
}

/// Returns whether Windows takes a name for what it says.
fn is_possible(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).to_lowercase();
    let kind = stem.trim_end_matches(|sign: char| sign.is_ascii_digit());
    let is_device = DEVICES.contains(&kind) && stem.len() <= kind.len() + 1;
    let is_forbidden = |sign: char| sign < ' ' || "<>:\"|?*\\".contains(sign);
    !name.contains(is_forbidden) && !name.ends_with(['.', ' ']) && !is_device
}
