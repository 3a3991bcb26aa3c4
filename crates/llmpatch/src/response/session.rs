//! What a session tells of its calls and texts: which calls were made, failed, are only begun, or
//! are told again.

use std::collections::hash_map::Entry::{Occupied, Vacant};
use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

use super::outcomes::Outcome;
use super::{Error, NoPatch, PartCall};
use crate::patch::{FileEdit, ReviewComment};
use crate::text::{Located, Span};

/// The calls and texts of the model that were met in all JSON of a response, in order.
#[derive(Debug, Default)]
pub(crate) struct Session {
    entries: Vec<SessionEntry>,
    /// Which of them has an id.
    ids: HashMap<String, usize>,
    /// What results say, by the ids that they name.
    results: HashMap<String, CallResult>,
    /// The calls without an id that have no result so far.
    waiting: VecDeque<usize>,
    turn: Turn,
    /// Whether a call changes files, or is to.
    has_changes: bool,
    /// Whether any call has a result.
    has_results: bool,
    pub(super) aside: Aside,
}

/// The model's last turn.
#[derive(Debug, Default)]
struct Turn {
    /// How many entries there were when somebody else spoke before it, and behind it.
    entries: Range<usize>,
    /// What is said of the patches in its texts.
    judged: Vec<Outcome>,
    /// How many entries there were when a turn was last broken off.
    aborted: usize,
}

/// What JSON says beside calls and texts.
#[derive(Debug, Default)]
pub(crate) struct Aside {
    /// The directory in which the next calls are made; empty for the top.
    pub(super) directory: String,
    /// The first piece of a message.
    pub(super) piece: Option<Span>,
    /// The first part with what looks like a patch that isn't the model's, and its place.
    pub(super) passed: Option<(Span, String)>,
    /// The first text of the model of which something is nearly a patch, and nothing is one.
    pub(super) nearly: Option<(Span, NoPatch)>,
}

/// A call, or a text of the model with patches in it.
#[derive(Debug, Default)]
pub(super) struct SessionEntry {
    /// The ids of a call, and its tool; `None` for a text.
    pub(super) call: Option<(Vec<String>, String)>,
    /// What it asks for.
    pub(super) edits: Vec<FileEdit<'static>>,
    /// Whether it changes files, or is to.
    pub(super) changes: bool,
    /// What is said of it if it is a comment of a review.
    pub(super) comment: Option<ReviewComment>,
    pub(super) outcome: Option<Outcome>,
    /// Why it isn't whole, if it isn't, unless the session goes on.
    pub(super) cut: Option<Located<Error>>,
    /// Whether a message holds it, rather than nothing.
    pub(super) is_of_message: bool,
    /// Its place in the JSON.
    pub(super) place: String,
    /// Whether a later telling of the same call counts.
    pub(super) is_retold: bool,
    /// The number of the call among all, from 1.
    pub(super) number: usize,
}

#[derive(Clone, Debug)]
struct CallResult {
    outcome: Outcome,
    /// What the call's file held before.
    before: Option<String>,
}

/// What becomes of a call or a text.
pub(super) enum Fate {
    Read,
    /// Read, though nothing says that it was carried out: the session ends with it.
    Pending,
    Undone,
    /// Not read, since others were asked for.
    LeftOut,
    Cut(Located<Error>),
    Hidden(NoPatch),
    /// Told again: another call of the same id counts.
    Retold,
}

/// What a call is among those before.
pub(super) enum Added {
    New(usize),
    /// The same call, told again.
    Again,
    /// Another call of the same id.
    Other(String),
}

impl Session {
    /// Makes a session that goes on in the directory in which an earlier part ended.
    pub(super) fn of_part(beside: Option<&Beside>) -> Self {
        let mut session = Self::default();
        session.aside.directory = beside.map_or(String::new(), |beside| beside.directory.clone());
        session
    }

    /// Returns how many calls and texts there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Takes in a call or a text.
    pub(super) fn add(&mut self, mut entry: SessionEntry) -> Added {
        let number = self.entries.len();
        let last = self.entries.last().map_or(0, |last| last.number);
        entry.number = last + usize::from(entry.call.is_some());
        self.has_changes |= entry.call.is_some() && entry.changes;
        let Some((ids, _)) = &entry.call else {
            self.entries.push(entry);
            return Added::New(number);
        };
        let known = ids.iter().find_map(|id| self.ids.get(id));
        let known = known.and_then(|known| self.entries.get_mut(*known));
        if let Some(known) = known {
            // A call that begins may be told with a part of what it is given.
            if entry.cut.is_some() && known.edits.len() >= entry.edits.len() {
                return Added::Again;
            }
            if known.cut.is_none() {
                known.outcome = known.outcome.or(entry.outcome);
                return if known.edits == entry.edits {
                    Added::Again
                } else {
                    Added::Other(ids[0].clone())
                };
            }
            known.is_retold = true;
        }
        self.has_results |= entry.outcome.is_some();
        if ids.is_empty() && entry.outcome.is_none() {
            if self.turn.entries.end == number {
                self.waiting.clear();
            }
            self.waiting.push_back(number);
        }
        let ids = ids.iter().cloned();
        self.ids.extend(ids.map(|id| (id, number)));
        self.entries.push(entry);
        Added::New(number)
    }

    /// Returns what is told of the call that an entry is, if it is one.
    pub(super) fn described(&self, number: usize) -> Option<PartCall> {
        let entry = self.entries.get(number)?;
        let (ids, tool) = entry.call.as_ref()?;
        Some(PartCall {
            number: entry.number,
            id: ids.first().cloned(),
            tool: tool.clone(),
            paths: entry
                .edits
                .iter()
                .map(|edit| edit.path[..].into())
                .collect(),
        })
    }

    /// Returns whether an entry is a call with one of these ids.
    pub(super) fn is_one_of(&self, number: usize, ids: &[String]) -> bool {
        let entry = self.entries.get(number);
        let own = entry.and_then(|entry| entry.call.as_ref());
        own.is_some_and(|(own, _)| own.iter().any(|id| ids.contains(id)))
    }

    /// Returns whether a call has this id.
    pub(super) fn has_call(&self, id: &str) -> bool {
        self.ids.contains_key(id)
    }

    /// Notes that somebody else speaks.
    pub(super) fn hear(&mut self) {
        if self.turn.entries.end < self.entries.len() {
            self.turn.entries = self.turn.entries.end..self.entries.len();
            self.turn.judged.clear();
        }
    }

    /// Notes what a result says, of the calls with these ids, or else of the first call of a tool
    /// that has no id.
    pub(super) fn tell(
        &mut self,
        ids: Vec<String>,
        tool: &str,
        outcome: Outcome,
        before: Option<String>,
    ) {
        self.has_results = true;
        if ids.is_empty() {
            let is_of = |number: &usize| {
                let call = self
                    .entries
                    .get(*number)
                    .and_then(|entry| entry.call.as_ref());
                call.is_some_and(|(_, name)| name.is_empty() || tool.is_empty() || name == tool)
            };
            const MOST_BETWEEN: usize = 100;
            let index = self.waiting.iter().take(MOST_BETWEEN).position(is_of);
            let number = index.and_then(|index| self.waiting.remove(index));
            if let Some(entry) = number.and_then(|number| self.entries.get_mut(number)) {
                entry.outcome = Some(outcome);
            }
        }
        for id in ids {
            let told = CallResult {
                outcome,
                before: before.clone(),
            };
            let known = self.results.entry(id).or_insert_with(|| told.clone());
            if outcome == Outcome::Undone {
                known.outcome = outcome;
            }
            known.before = known.before.take().or(told.before);
        }
        self.hear();
    }

    /// Notes what is said of the patches in the model's last texts: they are unclear where some
    /// are said to be done, and some not.
    pub(super) fn judge_texts(&mut self, outcome: Outcome, unclear: &Located<Error>) {
        if self.turn.judged.contains(&outcome) {
            return;
        }
        self.turn.judged.push(outcome);
        for entry in self.entries.iter_mut().skip(self.turn.entries.start) {
            let known = *entry.outcome.get_or_insert(outcome);
            if entry.call.is_none() && (known != outcome || entry.cut.is_some()) {
                entry.cut = Some(unclear.clone());
            }
        }
    }

    /// Notes that what comes from a number on was cut off.
    pub(super) fn cut(&mut self, from: usize, error: &Located<Error>) {
        for entry in self.entries.iter_mut().skip(from) {
            entry.cut.get_or_insert_with(|| error.clone());
        }
    }

    /// Notes that the texts from a number on are pieces of texts.
    pub(super) fn cut_texts(&mut self, from: usize, error: &Located<Error>) {
        let entry = self.entries.iter_mut().skip(from);
        for entry in entry.filter(|entry| entry.call.is_none()) {
            entry.cut = Some(error.clone());
        }
    }

    /// Notes that the model's turn ended before it was done.
    pub(super) fn abort(&mut self, error: &Located<Error>) {
        self.cut(self.turn.entries.end.max(self.turn.aborted), error);
        self.turn.aborted = self.entries.len();
    }

    /// Decides what becomes of a call or a text.
    pub(super) fn fate(&self, number: usize) -> Fate {
        let Some(entry) = self.entries.get(number) else {
            return Fate::Read;
        };
        let goes_on = number < self.turn.entries.end;
        let is_call = entry.call.is_some();
        match (self.outcome(entry), &entry.cut) {
            _ if entry.is_retold => Fate::Retold,
            (_, Some(error)) if error.value == Error::UnclearResults => Fate::Cut(error.clone()),
            (Some(Outcome::Undone), _) => Fate::Undone,
            _ if !is_call && self.has_changes => Fate::Hidden(NoPatch::Beside(entry.place.clone())),
            (Some(Outcome::Done), _) => Fate::Read,
            (None, Some(_)) if is_call && goes_on => Fate::Undone,
            (None, Some(error)) => Fate::Cut(error.clone()),
            (None, None) if !is_call || !self.has_results => Fate::Read,
            (None, None) if goes_on => Fate::Undone,
            (None, None) => Fate::Pending,
        }
    }

    fn outcome(&self, entry: &SessionEntry) -> Option<Outcome> {
        let told: Vec<_> = self.results(entry).map(|told| told.outcome).collect();
        match entry.outcome {
            Some(Outcome::Undone) => Some(Outcome::Undone),
            _ if told.contains(&Outcome::Undone) => Some(Outcome::Undone),
            own => own.or(told.first().copied()),
        }
    }

    fn results(&self, entry: &SessionEntry) -> impl Iterator<Item = &CallResult> {
        let ids = entry.call.iter().flat_map(|(ids, _)| ids);
        ids.filter_map(|id| self.results.get(id))
    }

    pub(super) fn is_of_message(&self, number: usize) -> bool {
        let entry = self.entries.get(number);
        entry.is_some_and(|entry| entry.is_of_message)
    }

    /// Returns what the file of a call held before, if the session tells.
    pub(super) fn before(&self, number: usize) -> Option<&str> {
        let entry = self.entries.get(number)?;
        self.results(entry).find_map(|told| told.before.as_deref())
    }

    /// Returns whether a call counts although another call asks for the same: it has an id.
    pub(super) fn is_own(&self, number: usize) -> bool {
        let entry = self.entries.get(number);
        entry.is_some_and(|entry| matches!(&entry.call, Some((ids, _)) if !ids.is_empty()))
    }

    /// Returns what the other parts of a session say of the calls of each part: results of calls that
    /// only the part has, and calls that an earlier part has already.
    pub(crate) fn beside(parts: &[Session]) -> Vec<Beside> {
        let results = parts.iter().flat_map(|part| {
            let results = part.results.iter();
            results.filter(|(id, _)| !part.ids.contains_key(*id))
        });
        let results: HashMap<_, _> = results.collect();
        let calls: HashSet<_> = parts.iter().flat_map(|part| part.ids.keys()).collect();
        let mut firsts: HashMap<&String, &SessionEntry> = HashMap::new();
        let mut directory = "";
        let mut all = Vec::new();
        for part in parts {
            let mut beside = Beside::default();
            for (id, call) in &part.ids {
                if let Some(result) = results.get(id) {
                    beside.results.push((id.clone(), (*result).clone()));
                }
                let entry = &part.entries[*call];
                match firsts.entry(id) {
                    Occupied(first) if entry.changes && first.get().edits == entry.edits => {
                        beside.told.push(id.clone());
                    }
                    Occupied(_) => {}
                    Vacant(vacant) => _ = vacant.insert(entry),
                }
            }
            let mut results = part.results.keys();
            let answers = results.any(|id| !part.ids.contains_key(id) && calls.contains(id));
            beside.is_part = answers || beside.says_something();
            if beside.is_part {
                beside.directory = directory.to_owned();
            }
            if !part.aside.directory.is_empty() {
                directory = &part.aside.directory;
            }
            all.push(beside);
        }
        all
    }

    /// Takes in what the other parts of the session say.
    pub(super) fn join(&mut self, beside: &Beside) {
        for (id, told) in &beside.results {
            self.results.insert(id.clone(), told.clone());
            self.has_results = true;
        }
        for id in &beside.told {
            if let Some(number) = self.ids.get(id) {
                self.entries[*number].is_retold = true;
            }
        }
    }
}

/// What the other parts of a session, each a response of its own, say of the calls of a part.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    results: Vec<(String, CallResult)>,
    /// The ids of calls that are told in an earlier part.
    told: Vec<String>,
    /// The directory in which an earlier part ends.
    directory: String,
    /// Whether the part is one of several of a session.
    pub(crate) is_part: bool,
}

impl Beside {
    /// Returns whether the part is to be read again with this.
    pub(crate) fn says_something(&self) -> bool {
        !self.results.is_empty() || !self.told.is_empty() || !self.directory.is_empty()
    }
}
