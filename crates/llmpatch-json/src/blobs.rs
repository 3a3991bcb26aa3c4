//! Files as git stores and compares them where no attribute says otherwise.

use std::borrow::Cow;

use llmpatch::RepoPath;
use llmpatch::compare::{Compare, CompareError, DiffSide, Region};
use llmpatch::tree::Content;
use sha1::{Digest as _, Sha1};
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// A place without attributes.
pub(crate) struct Blobs;

/// Of more lines that differ than these, the shortest difference isn't looked for.
const MOST_LINES: usize = 10_000;

/// How many digits of an id git shows in a small repository.
const SHOWN_DIGITS: usize = 7;

/// Returns the name of the blob of a content.
pub(crate) fn id(content: &[u8]) -> String {
    let head = format!("blob {}\0", content.len());
    let hash = Sha1::new().chain_update(head).chain_update(content);
    let bytes = hash.finalize();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Compare for Blobs {
    fn stored<'c>(
        &self,
        _: &RepoPath,
        content: &'c Content,
        _: DiffSide<'_>,
    ) -> Result<Cow<'c, Content>, CompareError> {
        Ok(Cow::Borrowed(content))
    }

    fn is_binary(&self, _: &RepoPath, content: &Content) -> Result<bool, CompareError> {
        Ok(content.is_binary())
    }

    fn regions(&self, _: &RepoPath, old: &[u8], new: &[u8]) -> Result<Vec<Region>, CompareError> {
        let [old, new] = [old, new].map(lines);
        if old.len() + new.len() > MOST_LINES {
            let (old, new) = (0..old.len(), 0..new.len());
            return Ok(vec![Region { old, new }]);
        }
        let mut regions: Vec<Region> = Vec::new();
        for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
            if matches!(op, DiffOp::Equal { .. }) {
                continue;
            }
            let (old, new) = (op.old_range(), op.new_range());
            match regions.last_mut() {
                Some(last) if last.old.end == old.start && last.new.end == new.start => {
                    (last.old.end, last.new.end) = (old.end, new.end);
                }
                _ => regions.push(Region { old, new }),
            }
        }
        Ok(regions)
    }

    fn binary_patch(&self, path: &RepoPath, _: &[u8], _: &[u8]) -> Result<Vec<u8>, CompareError> {
        Err(CompareError::Engine {
            path: path.clone(),
            message: "it is binary".into(),
        })
    }

    fn id(&self, content: Option<&[u8]>) -> Result<String, CompareError> {
        Ok(content.map_or_else(|| "0".repeat(40), id))
    }

    fn abbreviate(&self, id: &str) -> Result<String, CompareError> {
        Ok(id.chars().take(SHOWN_DIGITS).collect())
    }
}

fn lines(content: &[u8]) -> Vec<&[u8]> {
    content.split_inclusive(|&byte| byte == b'\n').collect()
}
