//! What becomes of a change whose run died: it is taken back, or, where its commit was made,
//! finished.
//!
//! Only of the dead: of what lives, or can't be seen from here, nothing is touched. Two that
//! recover at once take turns. The dead run's own `index.lock` keeps git out meanwhile, and goes
//! last.
//!
//! Where that lock is gone, or HEAD or the index moved on, somebody has decided what to do about
//! it: then a change that is about to be made leaves all as it is and names the journal, and only
//! who asks for recovery has it.
//!
//! All of it can be stopped anywhere and done again.

use super::error::{Holder, TransactionError, Unfit, Unresolved, Why};
use super::flush::Flush;
use super::home::Home;
use super::journal::Journal;
use super::lock::{IndexLock, Life, Stamp, Turn, Wait, index_lock, remove_dead_lock};
use super::manifest::RunKind;
use super::news::IndexNews;
use super::recovery::Recovery;
use crate::repo::{Repo, standin};
use crate::signal::{self, HeldBack};
use crate::system::{owner, user, user_name};
use llmpatch::path::RepoPath;
use llmpatch::progress::Progress;
use llmpatch::text::{Shown, shell_word};

/// What became of an interrupted change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// What was interrupted.
    pub origin: RunKind,
    /// Which way it went.
    pub how: How,
    /// The paths that it was about.
    pub paths: Vec<RepoPath>,
    /// The paths that aren't what they were, since somebody changed them meanwhile or the system
    /// refused.
    pub attention: Vec<RepoPath>,
    /// Further facts, one sentence each.
    pub notes: Vec<String>,
    /// What is left for a person to see to.
    pub open: Vec<Unresolved>,
}

/// Which way an interrupted change went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum How {
    /// It was taken back.
    TakenBack,
    /// It was finished, because its commit was made.
    Finished,
    /// All of it had been made; what it left lying about was removed.
    Complete,
    /// Nothing of it had been visible; what it left lying about was removed.
    #[default]
    Tidied,
    /// Nothing was done about it.
    Left,
}

/// Who wants a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Nobody: another change is to be made.
    No,
    /// A person.
    Yes,
    /// A person who says that what can't be seen from here lives nowhere any more.
    Force,
}

/// A change that was interrupted and has yet to be recovered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interrupted {
    /// What was interrupted.
    pub origin: RunKind,
    /// The paths that it was about; some may hold the old state and some the new state. None where
    /// the journal can't be read.
    pub paths: Vec<RepoPath>,
    /// Who can recover it.
    pub whose: Whose,
}

/// Whose an interrupted change is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Whose {
    /// This user's.
    #[default]
    Own,
    /// Another user's.
    Another(Owner),
}

/// The user whose run was interrupted, by number. Nobody else can read its journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner(pub(super) u32);

impl Owner {
    /// Returns who can have the change recovered, and how.
    pub fn help(self) -> String {
        let name = user_name(self.0);
        format!(
            "have `{}`, whose run it was, run `git llmpatch recover`; root can do that with `sudo -H -u \
             {} git llmpatch recover`",
            Shown(name.as_bytes()),
            shell_word(name.as_bytes())
        )
    }
}

impl Recovered {
    fn left(unfit: Unfit) -> Self {
        Self::unresolved(Unresolved::Journal(unfit))
    }

    /// Returns that nothing was done, for this reason.
    fn unresolved(reason: Unresolved) -> Self {
        Self {
            how: How::Left,
            open: vec![reason],
            ..Self::default()
        }
    }

    /// Returns that nothing was done with a journal, and what it is about as far as that can be
    /// read.
    pub(super) fn left_of(journal: &Journal, why: Why) -> Self {
        let manifest = journal.manifest().ok().flatten().unwrap_or_default();
        let paths = manifest.paths().cloned().collect();
        Self {
            origin: manifest.origin,
            paths,
            ..Self::left(Unfit {
                directory: journal.path(),
                why,
            })
        }
    }
}

/// Returns what was interrupted in this work tree, and changes nothing. A run that lives isn't
/// counted: who asks may be its hook.
pub fn interrupted(repo: &Repo) -> Option<Interrupted> {
    let mut found: Option<Interrupted> = None;
    for journal in Journal::all(repo) {
        let manifest = match &journal {
            Ok(journal) if journal.life() == Ok(Some(Life::Alive)) => continue,
            Ok(journal) if !journal.is_unfinished() => continue,
            Ok(journal) => journal.manifest().ok().flatten(),
            Err(Unfit {
                why: Why::Foreign(owner),
                ..
            }) => return Some(Interrupted::by_another(*owner)),
            Err(_) => None,
        };
        // Where one can't be read, any path may be half changed.
        let Some(manifest) = manifest else {
            return Some(Interrupted::default());
        };
        let found = found.get_or_insert(Interrupted {
            origin: manifest.origin,
            ..Interrupted::default()
        });
        found.paths.extend(manifest.paths().cloned());
    }
    found.or_else(|| interrupted_by_another(repo))
}

/// Returns that another user's change was interrupted, whose journal this user can't look at: its
/// lock shows it.
pub fn interrupted_by_another(repo: &Repo) -> Option<Interrupted> {
    locked_by_another(repo).map(Interrupted::by_another)
}

impl Interrupted {
    fn by_another(owner: Owner) -> Self {
        Self {
            whose: Whose::Another(owner),
            ..Self::default()
        }
    }
}

/// Returns the other user whose run has left its lock.
fn locked_by_another(repo: &Repo) -> Option<Owner> {
    let lock = index_lock(repo);
    let owner = Stamp::read(&lock).and_then(|(_, file)| owner(&file).ok())?;
    let is_left = || {
        matches!(
            Holder::of(repo, &lock),
            Holder::Gone(_) | Holder::Elsewhere { .. }
        )
    };
    (owner != user() && is_left()).then_some(Owner(owner))
}

/// Finishes or takes back every interrupted change of this work tree.
///
/// # Errors
/// `locked` while something of it lives, `io` if a journal can't be worked with.
pub fn recover(
    repo: &Repo,
    asked: Asked,
    progress: &Progress,
) -> Result<Vec<Recovered>, TransactionError> {
    let held = HeldBack::begin();
    let news = IndexNews::of(repo, progress);
    let mut recovered = Vec::new();
    let outcome = in_turn(repo, asked, progress, &mut recovered, |_| Ok(Ok(())));
    signal::check()?;
    drop((news, held));
    outcome.map(|()| recovered)
}

/// Makes a journal and takes the lock for it, once all that died before is tidied up; says what
/// became of that.
pub(super) fn take(
    repo: &Repo,
    progress: &Progress,
    recovered: &mut Vec<Recovered>,
) -> Result<(Journal, IndexLock), TransactionError> {
    in_turn(repo, Asked::No, progress, recovered, |recovered| {
        if recovered.iter().any(|one| !one.open.is_empty()) {
            return Err(TransactionError::Torn {
                recovered: std::mem::take(recovered),
            });
        }
        let journal = Journal::make(repo)?;
        Ok(IndexLock::attempt(repo, &journal)?.map(|lock| (journal, lock)))
    })
}

/// Recovers what is dead, then does something, unless somebody is to be waited for.
fn in_turn<T>(
    repo: &Repo,
    asked: Asked,
    progress: &Progress,
    recovered: &mut Vec<Recovered>,
    act: impl Fn(&mut Vec<Recovered>) -> Result<Result<T, Holder>, TransactionError>,
) -> Result<T, TransactionError> {
    standin::make_own_directory(repo).map_err(|error| TransactionError::no_journal(repo, error))?;
    let mut wait = Wait::new(repo, progress)?;
    loop {
        let turn = Turn::take(repo, &mut wait)?;
        let holder = match all(repo, &turn, asked, recovered, progress)? {
            Some(holder) => holder,
            None => match act(recovered)? {
                Ok(done) => return Ok(done),
                Err(holder) => holder,
            },
        };
        drop(turn);
        wait.once(&index_lock(repo), || holder.clone())?;
    }
}

/// Recovers all that is dead; says what is to be waited for, if anything is.
fn all(
    repo: &Repo,
    _turn: &Turn,
    asked: Asked,
    recovered: &mut Vec<Recovered>,
    progress: &Progress,
) -> Result<Option<Holder>, TransactionError> {
    recovered.retain(|one| one.how != How::Left);
    let homes = Home::all(repo);
    for journal in Journal::within(&homes) {
        let journal = match journal {
            Ok(journal) => journal,
            Err(unfit) => {
                recovered.push(Recovered::left(unfit));
                continue;
            }
        };
        match journal.life() {
            _ if journal.is_gone() => {}
            // Of a run that lives, what it does is to be waited for, or a commit that it began and
            // that outlives it.
            Ok(Some(Life::Alive)) if journal.is_unfinished() => return Ok(Some(Holder::Running)),
            Ok(Some(Life::Alive)) => {}
            Ok(Some(Life::Unknown)) if asked != Asked::Force => {
                if journal.is_unfinished() {
                    let stamp = journal.stamp().ok().flatten();
                    let host = stamp.map(|(stamp, _)| stamp.host).unwrap_or_default();
                    recovered.push(Recovered::left_of(&journal, Why::Elsewhere { host }));
                }
            }
            Ok(_) => {
                let recovery = Recovery {
                    repo,
                    journal: &journal,
                    flush: Flush::from_config(repo.config())?,
                    progress,
                };
                match recovery.run(asked)? {
                    Ok(done) => recovered.push(done),
                    Err(holder) => return Ok(Some(holder)),
                }
            }
            Err(why) => recovered.push(Recovered::left_of(&journal, why)),
        }
    }
    let lock = index_lock(repo);
    match remove_dead_lock(repo, None, asked) {
        Ok(true) => recovered.push(Recovered {
            notes: vec![format!("its lock `{}` was removed", Shown::path(&lock))],
            ..Recovered::default()
        }),
        Err(_) if recovered.iter().all(|one| one.open.is_empty()) => {
            recovered.push(Recovered::unresolved(Unresolved::Lock(lock)));
        }
        // A change that is about to be made finds the lock held.
        Ok(false) if asked != Asked::No => {
            let left = locked_by_another(repo)
                .map(|owner| Recovered::unresolved(Unresolved::LockOfAnother(lock, owner)));
            recovered.extend(left);
        }
        Ok(false) | Err(_) => {}
    }
    homes?.own.iter().for_each(|home| home.tidy());
    Ok(None)
}
