//! Names a change by what it finds and what it leaves.

use std::fmt;
use std::str::FromStr;

use blake3::{Hash, Hasher};

use super::ChangeSet;
use crate::tree::{File, Mode};

/// The name of a change: a hash of what every touched path holds before and afterwards, in BLAKE3.
///
/// Two changes have the same name only if they touch the same paths, find the same bytes and modes
/// there and leave the same. How they were asked for is not in it: the same change may come from
/// another format, or from more hunks than one. Nor is where it is made, nor the commit's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlanId(Hash);

impl ChangeSet {
    /// Returns the name of this change. It takes a look at every byte.
    pub fn id(&self) -> PlanId {
        let mut hash = Hasher::new();
        hash.update(b"git-llmpatch plan 1\n");
        for change in self {
            // What has a length that varies follows its length, so that no two changes come to the
            // same bytes.
            sized(&mut hash, change.path.as_bytes());
            side(&mut hash, change.before.as_ref());
            side(&mut hash, change.after.as_ref());
        }
        PlanId(hash.finalize())
    }
}

fn side(hash: &mut Hasher, file: Option<&File>) {
    match file {
        None => {
            hash.update(b"-");
        }
        Some(file) => {
            hash.update(match file.mode {
                Mode {
                    executable: true, ..
                } => b"x",
                mode if mode.is_link() => b"l",
                _ => b"f",
            });
            sized(hash, file.content.kept());
        }
    }
}

fn sized(hash: &mut Hasher, bytes: &[u8]) {
    hash.update(&(bytes.len() as u64).to_be_bytes());
    hash.update(bytes);
}

impl fmt::Display for PlanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A text that is no name of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a plan is 64 hexadecimal digits")]
pub struct NoPlanId;

impl FromStr for PlanId {
    type Err = NoPlanId;

    fn from_str(text: &str) -> Result<Self, NoPlanId> {
        Hash::from_hex(text).map(PlanId).map_err(|_| NoPlanId)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::RepoPath;
    use crate::plan::Change;
    use crate::tree::Mode;

    type Side = Option<(&'static str, Mode)>;

    fn named(changes: &[(&str, Side, Side)]) -> PlanId {
        let file = |side: &Option<(&str, Mode)>| {
            side.map(|(text, mode)| File {
                content: text.into(),
                mode,
            })
        };
        let change = |(path, before, after): &(&str, _, _)| Change {
            path: RepoPath::new(path.as_bytes()).unwrap(),
            before: file(before),
            after: file(after),
            from: None,
        };
        ChangeSet::new(changes.iter().map(change)).id()
    }

    #[test]
    fn every_path_byte_and_mode_counts() {
        let plain = |text: &'static str| Some((text, Mode::PLAIN));
        let runs = |text: &'static str| Some((text, Mode::EXECUTABLE));
        let all = [
            named(&[]),
            named(&[("a", plain("1"), plain("2"))]),
            named(&[("b", plain("1"), plain("2"))]),
            named(&[("a", plain("1"), plain("3"))]),
            named(&[("a", plain("0"), plain("2"))]),
            named(&[("a", plain("1"), runs("2"))]),
            named(&[("a", runs("1"), runs("2"))]),
            named(&[("a", plain("1"), None)]),
            named(&[("a", None, plain("1"))]),
            named(&[("a", None, plain(""))]),
            named(&[("a", None, plain("1")), ("b", None, plain("2"))]),
            named(&[("a", None, plain("1-")), ("b", None, plain("2"))]),
        ];
        for (index, id) in all.iter().enumerate() {
            assert!(!all[..index].contains(id), "number {index}");
        }
        let both = [("a", None, plain("1")), ("b", None, plain("2"))];
        assert_eq!(
            named(&both),
            named(&[both[1], both[0]]),
            "the order is the set's own"
        );
    }

    #[test]
    fn bits_that_only_the_disk_has_do_not_count() {
        let private = Mode {
            executable: false,
            bits: Some(0o600),
        };
        let [a, b] = [Mode::PLAIN, private]
            .map(|mode| named(&[("a", Some(("1", mode)), Some(("2", mode)))]));
        assert_eq!(a, b);
    }

    #[test]
    fn it_is_written_and_read() {
        let id = named(&[("a", None, Some(("1", Mode::PLAIN)))]);
        let text = id.to_string();
        assert_eq!(text.len(), 64);
        assert_eq!(
            (text.parse(), text.to_uppercase().parse()),
            (Ok(id), Ok(id))
        );
        for wrong in [
            "",
            "1",
            &text[1..],
            &format!("{text}0"),
            &format!("+{}", &text[1..]),
            &"é".repeat(32),
        ] {
            assert_eq!(wrong.parse::<PlanId>(), Err(NoPlanId), "{wrong}");
        }
    }
}
