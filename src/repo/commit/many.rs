//! Commits of many trees on one commit: who makes them is asked of git once, and they are written
//! without it.

use bstr::{BString, ByteSlice as _};
use git2::Oid;

use super::{
    CommitError, CommitRequest, MessageEncoding, identity, keeps_messages, message_encoding,
    plumbing,
};
use crate::repo::git::Git;
use crate::repo::{Repo, RepoError};

/// What the commits have in common.
#[derive(Clone, Debug)]
pub(crate) struct Committer {
    author: BString,
    committer: BString,
    encoding: Option<BString>,
    keeps_messages: bool,
}

impl Committer {
    /// Asks git who commits. `None` if commits are signed: then git makes each of them.
    ///
    /// # Errors
    /// `identity` with git's own words.
    pub(crate) fn of(repo: &Repo) -> Result<Option<Committer>, CommitError> {
        identity::check(repo, &CommitRequest::default())?;
        if plumbing::is_signed(repo)? {
            return Ok(None);
        }
        let git = Git::new(repo);
        let who =
            |variable| Ok::<_, RepoError>(git.output(["var", variable], b"")?.trim_end().into());
        Ok(Some(Committer {
            author: who("GIT_AUTHOR_IDENT")?,
            committer: who("GIT_COMMITTER_IDENT")?,
            encoding: message_encoding(repo)?,
            keeps_messages: keeps_messages(repo)?,
        }))
    }
}

impl Committer {
    /// Returns the bytes of a commit.
    pub(crate) fn commit(&self, request: &CommitRequest, tree: Oid, parent: Oid) -> Vec<u8> {
        let message = if self.keeps_messages {
            request.message.to_vec()
        } else {
            stripped(&request.message)
        };
        let is_named = request.encoding == MessageEncoding::Configured;
        let mut commit = format!("tree {tree}\nparent {parent}\n").into_bytes();
        commit.extend(
            [
                b"author ",
                &self.author[..],
                b"\ncommitter ",
                &self.committer,
                b"\n",
            ]
            .concat(),
        );
        if is_named && let Some(name) = &self.encoding {
            commit.extend([b"encoding ", &name[..], b"\n"].concat());
        }
        commit.push(b'\n');
        commit.extend(message);
        commit
    }
}

/// Puts the whitespace of a message right, as `git stripspace` does.
pub(super) fn stripped(message: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(message.len() + 1);
    let mut is_apart = false;
    for line in message.split(|&byte| byte == b'\n') {
        let len = line
            .iter()
            .rposition(|&byte| !is_space(byte))
            .map_or(0, |last| last + 1);
        if len == 0 {
            is_apart = !out.is_empty();
            continue;
        }
        if std::mem::take(&mut is_apart) {
            out.push(b'\n');
        }
        out.extend(&line[..len]);
        out.push(b'\n');
    }
    out
}

/// What git takes for it.
fn is_space(byte: u8) -> bool {
    b" \t\r".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::testing::Sample;

    #[test]
    fn messages_are_what_git_stripspace_makes_of_them() {
        let sample = Sample::new();
        let repo = sample.open();
        let git = Git::new(&repo);
        let parts = ["", "a", "a \t", "\r", " b", "\u{b}", "#c", "\u{c}x\u{c}"];
        for number in 0..parts.len().pow(4) {
            let lines: Vec<_> = (0..4)
                .map(|place| parts[number / parts.len().pow(place) % parts.len()])
                .collect();
            if number % 37 != 0 {
                continue;
            }
            for message in [lines.join("\n"), lines.join("\n") + "\n"] {
                let want = git.output(["stripspace"], message.as_bytes()).unwrap();
                assert_eq!(
                    BString::from(stripped(message.as_bytes())),
                    want,
                    "{message:?}"
                );
            }
        }
    }
}
