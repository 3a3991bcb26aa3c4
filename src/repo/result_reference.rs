//! References that keep results from garbage collection: it may be weeks until somebody does
//! something with a tree or a commit that was printed. Each has its age in its name, and goes once
//! it has expired.

use std::time::{SystemTime, UNIX_EPOCH};

use bstr::ByteSlice as _;
use git2::Oid;

use super::git::{Git, run};
use super::{Repo, RepoError, references};

/// How long references are kept.
const SETTING: &str = "llmpatch.snapshotExpire";
/// The seconds for which they are kept where the setting doesn't say it: two weeks.
const KEPT: u64 = 14 * 24 * 60 * 60;

/// What their names begin with, by [`Keeps`]. Behind it are the second in which a reference was made,
/// and the id of the object.
const PREFIXES: [&str; 2] = ["refs/llmpatch/snapshots/", "refs/llmpatch/results/"];

/// What a reference keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeps {
    /// What a work tree held.
    Snapshot,
    /// What was made of responses without a work tree.
    Result,
}

/// A reference that keeps an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeepingReference {
    name: String,
    id: String,
}

impl KeepingReference {
    /// Makes one of an object from now on.
    fn now(keeps: Keeps, id: Oid) -> Self {
        let age = SystemTime::now().duration_since(UNIX_EPOCH);
        let name = format!(
            "{}{}/{id}",
            PREFIXES[keeps as usize],
            age.unwrap_or_default().as_secs()
        );
        let id = id.to_string();
        Self { name, id }
    }

    /// Returns the reference of a name and an id, with the second in which it was made; `None` if it
    /// isn't of our form: then it isn't ours.
    fn read(name: &str, id: &str) -> Option<(Self, u64)> {
        let mut rests = PREFIXES
            .iter()
            .filter_map(|prefix| name.strip_prefix(prefix));
        let made = rests.next()?.split_once('/')?.0.parse().ok()?;
        let [name, id] = [name, id].map(str::to_owned);
        Some((Self { name, id }, made))
    }

    /// Makes a reference that keeps an object from now on, and removes those that have expired, and
    /// earlier ones to the same object.
    ///
    /// # Errors
    /// If a setting or the references can't be read, or not be changed.
    pub(crate) fn make(repo: &Repo, keeps: Keeps, id: Oid) -> Result<Self, RepoError> {
        let expired = expired(repo)?;
        // Listed before there is the own one: of two that keep the same object at once, at most one
        // finds the other's.
        let listed = Self::all(repo)?;
        let own = Self::now(keeps, id);
        let is_over = |(other, made): &(Self, u64)| {
            let is_same = other.id == own.id && other.name.starts_with(PREFIXES[keeps as usize]);
            other.name != own.name && (*made < expired || is_same)
        };
        let over = listed.into_iter().filter(is_over);
        let removed: Vec<_> = over.map(|(other, _)| other).collect();
        exchange(repo, &own, &removed)?;
        Ok(own)
    }

    /// Returns all that there are, each with the second in which it was made.
    fn all(repo: &Repo) -> Result<Vec<(Self, u64)>, RepoError> {
        let mut listed = Vec::new();
        if repo.standin.is_some() {
            let format = "--format=%(refname) %(objectname)";
            let said =
                Git::new(repo).output(["for-each-ref", format, PREFIXES[0], PREFIXES[1]], b"")?;
            let lines = said
                .lines()
                .filter_map(|line| line.to_str().ok()?.split_once(' '));
            listed.extend(lines.filter_map(|(name, id)| KeepingReference::read(name, id)));
            return Ok(listed);
        }
        for prefix in PREFIXES {
            let found = repo.git.references_glob(&format!("{prefix}*"));
            let found = found.map_err(RepoError::git("references"))?;
            // Behind one that can't be read, the others go with a later run.
            for reference in found.map_while(Result::ok) {
                // What leads nowhere keeps nothing.
                let id = reference.resolve().ok().and_then(|found| found.target());
                let read = |name: &str| KeepingReference::read(name, &id?.to_string());
                listed.extend(reference.name().ok().and_then(read));
            }
        }
        Ok(listed)
    }

    /// Makes a reference that keeps an object from now on, in the place of another one.
    ///
    /// # Errors
    /// If the references can't be changed.
    pub(crate) fn make_instead(
        repo: &Repo,
        keeps: Keeps,
        id: Oid,
        other: Self,
    ) -> Result<Self, RepoError> {
        let own = Self::now(keeps, id);
        exchange(repo, &own, &[other])?;
        Ok(own)
    }
}

/// Makes a reference and removes others.
fn exchange(
    repo: &Repo,
    own: &KeepingReference,
    removed: &[KeepingReference],
) -> Result<(), RepoError> {
    let KeepingReference { name, id } = own;
    let made = format!("update {name} {id}\n");
    let each = removed.iter().map(|KeepingReference { name, id }| {
        let change = format!("delete {name} {id}\n");
        (name, change)
    });
    let deleted: String = each.clone().map(|(_, change)| change).collect();
    if change_each(repo, name, &(made.clone() + &deleted)).is_ok() {
        return Ok(());
    }
    let kept = change_each(repo, name, &made);
    let is_there = || {
        references::find(repo, name)
            .ok()
            .flatten()
            .is_some_and(|there| there.to_string() == *id)
    };
    if kept.is_err() && !is_there() {
        return kept;
    }
    // What another run removed first fails, and whatever can't be removed goes with the next.
    each.for_each(|(name, change)| drop(change_each(repo, name, &change)));
    Ok(())
}

/// Changes references, of which one is named, and none that they lead to.
fn change_each(repo: &Repo, name: &str, changes: &str) -> Result<(), RepoError> {
    let changes = changes
        .lines()
        .map(|change| format!("option no-deref\n{change}\n"));
    let changes: String = changes.collect();
    references::update(repo, name, &["--stdin"], changes.as_bytes())
}

/// Returns the second before which references were made that have expired.
fn expired(repo: &Repo) -> Result<u64, RepoError> {
    let Some(value) = repo.config.string(SETTING)? else {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        return Ok(now.unwrap_or_default().as_secs().saturating_sub(KEPT));
    };
    let asked = ["config", "--type=expiry-date", "--get", SETTING];
    let said = run(&mut Git::new(repo).command(asked), b"")?;
    let seconds = said.stdout.trim().to_str().ok();
    match seconds.and_then(|seconds| seconds.parse().ok()) {
        Some(seconds) if said.status.success() => Ok(seconds),
        _ => Err(RepoError::Setting {
            key: SETTING.to_owned(),
            value,
            wanted: "a date, `never` or `now`",
        }),
    }
}
