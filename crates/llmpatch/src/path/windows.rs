//! Names that Windows takes for something else than one file: devices, streams, and what it drops
//! at a name's end. It is spelling, and told alike on every system.

use bstr::ByteSlice as _;

/// Names of devices, whatever is behind a dot.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Returns whether a name, a part of a path, is on Windows that of a file, and of only one.
pub fn is_windows_name(name: &[u8]) -> bool {
    let Ok(name) = name.to_str() else {
        return false;
    };
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let stem = stem.to_ascii_lowercase();
    let is_port = |start| {
        let number = stem.strip_prefix(start).unwrap_or_default();
        matches!(number.chars().next(), Some('0'..='9' | '¹' | '²' | '³'))
            && number.chars().count() == 1
    };
    let is_device = DEVICES.contains(&&stem[..]) || is_port("com") || is_port("lpt");
    let is_cut = name.is_empty() || name.ends_with(['.', ' ']);
    let is_mark = |character| character < ' ' || "<>:\"/\\|?*".contains(character);
    !(is_device || is_cut || name.contains(is_mark))
}
