//! Names that Windows takes for something else than one file: devices, streams, and what it drops
//! at a name's end. It is spelling, and told alike on every system.

use bstr::ByteSlice as _;

use super::RepoPath;
use crate::text::Shown;

/// Names of devices, whatever is behind a dot.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Returns whether a name, a part of a path, is on Windows that of a file, and of only one.
pub fn is_windows_name(name: &[u8]) -> bool {
    fault(name).is_none()
}

/// Says why no file has a path on Windows; `None` if one can.
pub fn windows_fault(path: &RepoPath) -> Option<String> {
    path.parts().find_map(fault)
}

fn fault(name: &[u8]) -> Option<String> {
    let shown = Shown(name);
    let Ok(name) = name.to_str() else {
        return Some(format!("`{shown}` isn't UTF-8"));
    };
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let small = stem.to_ascii_lowercase();
    let is_port = |start| {
        let number = small.strip_prefix(start).unwrap_or_default();
        matches!(number.chars().next(), Some('0'..='9' | '¹' | '²' | '³'))
            && number.chars().count() == 1
    };
    if DEVICES.contains(&&small[..]) || is_port("com") || is_port("lpt") {
        return Some(format!("`{stem}` is a device"));
    }
    if name.is_empty() {
        return Some("a part of it is empty".to_owned());
    }
    let ends = [('.', "dot"), (' ', "space")];
    if let Some((_, end)) = ends.iter().find(|(end, _)| name.ends_with(*end)) {
        return Some(format!("`{shown}` ends in a {end}"));
    }
    let is_mark = |character| character < ' ' || "<>:\"/\\|?*".contains(character);
    let mark = name.chars().find(|character| is_mark(*character))?;
    Some(if mark < ' ' {
        format!("`{shown}` has a control character")
    } else {
        format!("`{shown}` has a `{mark}`")
    })
}
