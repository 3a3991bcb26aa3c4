//! About how many objects a repository has, which is what git derives the length of abbreviated ids
//! from.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// Returns the number of packed objects in a directory of objects and its alternates; loose objects don't count,
/// as in git. An object in two packs counts twice. What can't be read counts as nothing: it makes
/// an id longer or shorter, and never wrong.
pub(super) fn packed(objects: PathBuf) -> u64 {
    let mut directories = vec![objects];
    let alternates = std::env::var_os("GIT_ALTERNATE_OBJECT_DIRECTORIES").unwrap_or_default();
    directories.extend(
        std::env::split_paths(&alternates).filter(|directory| !directory.as_os_str().is_empty()),
    );
    let mut at = 0;
    while let Some(directory) = directories.get(at).cloned() {
        let alternates = fs::read_to_string(directory.join("info/alternates")).unwrap_or_default();
        for line in alternates
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let other = directory.join(line);
            if !directories.contains(&other) && directories.len() < 64 {
                directories.push(other);
            }
        }
        at += 1;
    }
    let packs = directories
        .iter()
        .filter_map(|directory| fs::read_dir(directory.join("pack")).ok())
        .flatten()
        .flatten();
    let indices = packs
        .map(|file| file.path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "idx"));
    indices
        .filter_map(|index| in_pack(&index))
        .map(u64::from)
        .sum()
}

/// Reads the last of the 256 running counts at the start of a pack's index.
fn in_pack(index: &Path) -> Option<u32> {
    let mut file = File::open(index).ok()?;
    let mut word = [0; 4];
    file.read_exact(&mut word).ok()?;
    let counts = if word == *b"\xfftOc" { 8 } else { 0 };
    file.seek(SeekFrom::Start(counts + 255 * 4)).ok()?;
    file.read_exact(&mut word).ok()?;
    Some(u32::from_be_bytes(word))
}
