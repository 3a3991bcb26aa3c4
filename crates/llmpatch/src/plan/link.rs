//! New symbolic links: `new file mode 120000` in a diff, whose only line is where the link leads, without
//! a newline behind it.
//!
//! A link must lead to a path in the work tree, by its spelling alone: whether something is there, and
//! whether that is a link, isn't asked. Nothing follows a link, so nothing in the response is read or
//! changed through it.

use super::error::Error;
use super::place;
use super::planner::{Done, Named, Planner};
use crate::patch::{Header, Hunk};
use crate::path::RepoPath;
use crate::tree::{File, Mode};

/// Why there can't be a link of this text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkFault {
    /// It leads nowhere, or no system has it.
    #[error("which is no path")]
    NoPath,
    /// A final newline would be a part of it.
    #[error("with a newline behind it")]
    Newline,
    /// It begins at the root of the file system, or on a drive.
    #[error("which is absolute")]
    Absolute,
    /// It leads out of the work tree, or to its top, where git's own directory is.
    #[error("which leads out of the work tree")]
    Outside,
    /// It leads into git's own directory.
    #[error("which leads into git's own directory")]
    Git,
}

/// Returns whether a header is of a new link.
pub(super) fn is_link(header: &Header) -> bool {
    header.new_mode == Some(Mode::LINK.git())
}

impl Planner<'_> {
    /// Makes a new link.
    pub(super) fn link(&mut self, at: Named<'_, '_>, hunks: &[Hunk<'_>]) -> Done {
        let Named { path, span, .. } = at;
        if !self.tree.makes_links() {
            return self.fail(span, Error::NoLinks { path: path.clone() });
        }
        let target = place::whole(hunks);
        if let Err(fault) = check(path, &target) {
            let line = hunks.iter().flat_map(Hunk::added).next();
            let span = line.and_then(|line| line.text.span).or(span);
            let (path, target) = (path.clone(), target.into());
            return self.fail(
                span,
                Error::Link {
                    path,
                    target,
                    fault,
                },
            );
        }
        let there = self.overlay.obstacle(path);
        let there = self.room(at, there)?;
        let file = File {
            content: target.into(),
            mode: Mode::LINK,
        };
        let file = self.newcomer(at, there, file, true)?;
        self.overlay.put(path, file);
        Ok(())
    }
}

/// Checks where a link leads.
fn check(link: &RepoPath, target: &[u8]) -> Result<(), LinkFault> {
    if target.is_empty() || target.contains(&0) || target.contains(&b'\\') {
        return Err(LinkFault::NoPath);
    }
    if target.contains(&b'\n') {
        return Err(LinkFault::Newline);
    }
    if target.starts_with(b"/") || target.get(1) == Some(&b':') {
        return Err(LinkFault::Absolute);
    }
    let parent = link.parent();
    let mut names: Vec<&[u8]> = parent.iter().flat_map(RepoPath::parts).collect();
    for name in target.split(|&byte| byte == b'/') {
        match name {
            b"" | b"." => {}
            b".." => drop(names.pop().ok_or(LinkFault::Outside)?),
            name => names.push(name),
        }
    }
    if names.is_empty() {
        return Err(LinkFault::Outside);
    }
    RepoPath::new(&names.join(&b'/')).map_err(|_| LinkFault::Git)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_a_path_in_the_work_tree() {
        for (link, target, want) in [
            ("a", "b", Ok(())),
            ("d/a", "../b", Ok(())),
            ("d/a", "./e//f/", Ok(())),
            ("d/e/a", "../../b/../c", Ok(())),
            ("a", "", Err(LinkFault::NoPath)),
            ("a", "b\\c", Err(LinkFault::NoPath)),
            ("a", "b\n", Err(LinkFault::Newline)),
            ("a", "/etc/passwd", Err(LinkFault::Absolute)),
            ("a", "c:/x", Err(LinkFault::Absolute)),
            ("a", "../b", Err(LinkFault::Outside)),
            ("d/a", "../../d/b", Err(LinkFault::Outside)),
            ("d/a", "b/../../../x", Err(LinkFault::Outside)),
            ("d/a", "..", Err(LinkFault::Outside)),
            ("a", ".git/config", Err(LinkFault::Git)),
            ("d/a", "../.GIT", Err(LinkFault::Git)),
            ("d/a", "x/git~1/hooks", Err(LinkFault::Git)),
        ] {
            let link = RepoPath::new(link.as_bytes()).unwrap();
            assert_eq!(check(&link, target.as_bytes()), want, "{link} {target:?}");
        }
    }
}
