//! Tags and their attributes.

/// Returns whether bytes begin with a tag at which OPX starts: `<edit` with an attribute `op` or `file`, or `<opx`.
pub fn starts_here(bytes: &[u8]) -> bool {
    let is = |name: &[u8]| {
        bytes.len() > name.len()
            && bytes[..name.len()].eq_ignore_ascii_case(name)
            && matches!(bytes[name.len()], b' ' | b'\t' | b'\r' | b'\n' | b'>' | b'/')
    };
    is(b"<opx") || is(b"<edit")
}
