//! One attribute of paths in the index in use, as `git check-attr --cached` has it: only staged
//! rules count.
//!
//! libgit2 knows other rules than git (no quoted patterns, directories that match what is in them),
//! so git is asked. That takes a child, and hardly any repository has a rule about an attribute of
//! ours: so first it is looked whether its name is anywhere that git would read.

use std::collections::{BTreeSet, HashMap};

use bstr::{BStr, ByteSlice as _};

use super::directories::Directories;
use super::git::{Git, checked};
use super::line_ends::Value;
use super::staged::{Held, Staged};
use super::{Repo, RepoError, history, objects, rules};
use llmpatch::tree::RULES;

/// Returns what an attribute of each of some paths is set to, by the rules in the index in use.
/// `staged` is all that is staged: it tells staged rules from the rules in HEAD.
///
/// # Errors
/// If the rules can't be read, or git is needed and can't be asked.
pub(crate) fn staged(
    repo: &Repo,
    name: &str,
    paths: &[&BStr],
    staged: &[Staged],
) -> Result<Vec<Value>, RepoError> {
    if paths.is_empty() || !may_have_rules_about(repo, name, paths, staged)? {
        return Ok(vec![Value::Unspecified; paths.len()]);
    }
    let input: Vec<u8> = paths
        .iter()
        .flat_map(|path| [path.as_bytes(), b"\0"].concat())
        .collect();
    let git = Git::new(repo);
    let mut command = git.command(["check-attr", "--stdin", "-z", "--cached", name]);
    // It takes paths from the current directory, unlike what lists them.
    repo.top.as_ref().map(|top| command.current_dir(top));
    let said = checked(&mut command, "check-attr", &input)?;
    // path, attribute and value, each ended by a NUL
    let said: Vec<&[u8]> = said.split_str("\0").collect();
    let values: Vec<_> = said.chunks_exact(3).map(|one| value(one[2])).collect();
    if values.len() != paths.len() {
        return Err(RepoError::Child {
            command: "check-attr".into(),
            message: "the response is about other paths".into(),
        });
    }
    Ok(values)
}

/// Returns whether an attribute is named anywhere that git reads rules about these paths from.
/// What can't be looked into may name it.
fn may_have_rules_about(
    repo: &Repo,
    name: &str,
    paths: &[&BStr],
    staged: &[Staged],
) -> Result<bool, RepoError> {
    if rules::elsewhere(repo).is_none_or(|rules| rules.contains_str(name)) {
        return Ok(true);
    }
    let head = history::head_tree(repo)?.map(|tree| Directories::new(repo, tree));
    let staged: HashMap<&[u8], &Staged> = staged
        .iter()
        .map(|staged| (staged.path.as_bytes(), staged))
        .collect();
    let directories: BTreeSet<&[u8]> = paths
        .iter()
        .flat_map(|path| directories_above(path))
        .collect();
    for directory in directories {
        let rules = [directory, RULES.as_bytes()].concat();
        let id = match staged.get(&rules[..]).map(|staged| staged.after) {
            Some(Held::File(id)) => id.0,
            Some(Held::Nothing) => continue,
            // Whatever git makes of a link or of an unfinished merge.
            Some(_) => return Ok(true),
            None => match head
                .as_ref()
                .and_then(|head| head.entry(&rules).transpose())
            {
                Some(Ok((id, _))) => id,
                Some(Err(_)) => return Ok(true),
                None => continue,
            },
        };
        match objects::find_blob(repo, id) {
            Ok(blob) if !blob.content().contains_str(name) => {}
            _ => return Ok(true),
        }
    }
    Ok(false)
}

/// Returns the directories above a path, each with its slash; the top is empty.
fn directories_above(path: &BStr) -> impl Iterator<Item = &[u8]> {
    let slashes = path.find_iter("/").map(|slash| &path.as_bytes()[..=slash]);
    std::iter::once(&b""[..]).chain(slashes.collect::<Vec<_>>())
}

/// Reads a value as `git check-attr` writes it.
pub(super) fn value(said: &[u8]) -> Value {
    match said {
        b"unspecified" => Value::Unspecified,
        b"set" => Value::True,
        b"unset" => Value::False,
        word => Value::Word(word.into()),
    }
}
