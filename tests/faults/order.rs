//! What must be on the disk before what: checked over the calls that a run really made.
//!
//! A model of a disk that keeps nothing unless told to: what is written to a file stays in memory
//! until the file, or its file system, is flushed; so does every change of a name, until its
//! directory or its file system is. Then at each step of which the way back or forward depends, all
//! that must survive the loss of power from there on must be on the disk.
//!
//! Only our own process is looked at. What git does in between, objects and references, counts as
//! written and not flushed: git leaves that to the system unless `core.fsync` says otherwise.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::scene::{Layout, Place, RESPONSE, Scene, Target};
use crate::sweep::{Stages, describe};
use crate::tally::Tally;
use crate::trace::{self, Call, Calls, Ended, Fault, Injection};

/// What kind of run is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Run {
    /// One that makes the change.
    Done,
    /// One that fails half-way and takes all back.
    Undone,
    /// The recovery of one that was killed half-way.
    Recovered,
    /// One that was told not to flush.
    Unflushed,
}

impl Run {
    pub(crate) const ALL: [Run; 4] = [Run::Done, Run::Undone, Run::Recovered, Run::Unflushed];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Run::Done => "flushes in order",
            Run::Undone => "undone, flushes in order",
            Run::Recovered => "recovered, flushes in order",
            Run::Unflushed => "no flush",
        }
    }

    pub(crate) fn run(self, stages: &Stages, target: Target, layout: Layout) -> Tally {
        let stage = stages.get(target, layout);
        let scene = stage.scene(target, layout);
        let mut tally = Tally {
            runs: 1,
            ..Tally::default()
        };
        let place = scene.place();
        let (ended, text) = self.record(scene, &place);
        let wanted = match self {
            Run::Undone => ended.code() != Some(0),
            _ => ended.code() == Some(0),
        };
        if !wanted {
            tally
                .wrong
                .push(describe("came to another end", &ended, ""));
        }
        let (events, ground) = (events(&text, &place.top()), Ground::of(&place));
        let flushes: Vec<usize> = (0..events.len())
            .filter(|at| events[*at].is_flush())
            .collect();
        if self == Run::Unflushed {
            tally.wrong.extend(
                flushes
                    .iter()
                    .map(|at| format!("flushed all the same: {:?}", events[*at])),
            );
            return tally;
        }
        tally.wrong.extend(check(&events, &ground));
        // Without any of the flushes, or with all of them too late, it must be noticed.
        let without: Vec<Event> = events
            .iter()
            .filter(|event| !event.is_flush())
            .cloned()
            .collect();
        let late: Vec<Event> = without
            .iter()
            .chain(events.iter().filter(|event| event.is_flush()))
            .cloned()
            .collect();
        let acts = |event: &Event| matches!(event, Event::Rename { to, .. } if ground.is_seen(to));
        for spoiled in [without, late] {
            if events.iter().any(acts) && check(&spoiled, &ground).is_empty() {
                tally
                    .wrong
                    .push("nothing is noticed of a run that flushes nothing in time".to_owned());
            }
        }
        tally
    }

    /// Returns what strace wrote of our process.
    fn record(self, scene: &Scene, place: &Place) -> (Ended, String) {
        let log = place.outside().join("log");
        let traced = |command, injection: &Injection| {
            let ended = trace::run(
                &mut trace::traced_with_paths(command, &log, injection),
                RESPONSE.as_bytes(),
            );
            (
                ended,
                String::from_utf8_lossy(&fs::read(&log).expect("strace wrote a log")).into_owned(),
            )
        };
        // The last call before the change is certain: all that can be done was done.
        let last = || {
            let (_, text) = self.record_plain(scene);
            let calls = trace::that_change(trace::numbered(text.lines()));
            let certain =
                |call: &Call| call.name.starts_with("rename") && call.text.contains("manifest\"");
            let at = calls
                .iter()
                .rposition(certain)
                .expect("a run ends its manifest");
            // A commit can't be undone once it is made.
            let is_late = |call: &Call| {
                self == Run::Undone && scene.target.commits() && !call.text.contains("\"original-")
            };
            let renames = |call: &&Call| {
                call.name.starts_with("rename")
                    && !call.text.contains("manifest\"")
                    && !is_late(call)
            };
            calls[..at]
                .iter()
                .rfind(renames)
                .expect("a run renames something")
                .clone()
        };
        match self {
            Run::Done => traced(&place.apply(), &Injection::default()),
            Run::Unflushed => {
                place.git(&["config", "llmpatch.fsync", "false"]);
                traced(&place.apply(), &Injection::default())
            }
            // An interruption is taken back by whoever is interrupted, and can come anywhere.
            Run::Undone => traced(
                &place.apply(),
                &Injection::at(Fault::Signal("SIGTERM"), &last()),
            ),
            Run::Recovered => {
                trace::run(
                    &mut trace::traced(
                        &place.apply(),
                        &log,
                        Calls::Changing,
                        &Injection::at(Fault::KILL, &last()),
                    ),
                    RESPONSE.as_bytes(),
                );
                traced(&place.llmpatch(&["recover"]), &Injection::default())
            }
        }
    }

    fn record_plain(self, scene: &Scene) -> (Ended, String) {
        Run::Done.record(scene, &scene.place())
    }
}

/// Where things are.
pub(crate) struct Ground {
    top: PathBuf,
    git: PathBuf,
    is_apart: bool,
}

impl Ground {
    fn of(place: &Place) -> Self {
        let (top, git) = (place.top(), place.git_directory());
        Self {
            is_apart: !git.starts_with(&top),
            top,
            git,
        }
    }

    /// Returns whether two things are on one file system.
    fn are_together(&self, one: &Path, other: &Path) -> bool {
        !self.is_apart || one.starts_with(&self.git) == other.starts_with(&self.git)
    }

    /// Returns whether people or git look there: it is in the work tree and not ours, or it is the
    /// index.
    fn is_seen(&self, path: &Path) -> bool {
        let is_git = path.starts_with(&self.git) || path.starts_with(self.top.join(".git"));
        let is_ours = name(path).starts_with(".llmpatch-");
        path == self.git.join("index") || path.starts_with(&self.top) && !is_git && !is_ours
    }
}

/// What a call does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Write(PathBuf),
    /// A name comes: a file, a directory or a link.
    Make(PathBuf),
    Remove(PathBuf),
    Rename {
        from: PathBuf,
        to: PathBuf,
        exchange: bool,
    },
    Flush(PathBuf),
    FlushAll(PathBuf),
    /// The system was told to write everything, for which it may not wait: that is on the disk with
    /// the next flush there.
    Sync,
    /// A child was started; what it writes it leaves to us.
    Child,
}

impl Event {
    fn is_flush(&self) -> bool {
        matches!(self, Event::Flush(_) | Event::FlushAll(_) | Event::Sync)
    }
}

/// Reads what `strace -y` wrote.
pub(crate) fn events(text: &str, directory: &Path) -> Vec<Event> {
    let mut events = Vec::new();
    for line in text.lines() {
        let Some((call, rest)) = line.split_once('(') else {
            continue;
        };
        // strace aligns results.
        let failed =
            |(_, result): (&str, &str)| result.starts_with("-1 ") || result.starts_with('?');
        if rest.rsplit_once(" = ").is_none_or(failed) {
            continue;
        }
        let paths = paths(rest, directory);
        let fd = || {
            rest.split_once('<')
                .and_then(|(_, rest)| rest.split_once('>'))
                .map(|(path, _)| PathBuf::from(path))
        };
        let is_file = |path: &PathBuf| path.is_absolute();
        match (call, &paths[..]) {
            (
                "write" | "writev" | "pwrite64" | "ftruncate" | "fchmod" | "copy_file_range"
                | "sendfile",
                _,
            ) => {
                // Of a copy the last file named is the one that is written to.
                let copied = || {
                    rest.rsplit_once('<')
                        .and_then(|(_, rest)| rest.split_once('>'))
                };
                let path = if call == "copy_file_range" {
                    copied().map(|(path, _)| path.into())
                } else {
                    fd()
                };
                events.extend(path.filter(is_file).map(Event::Write));
            }
            ("open" | "openat" | "openat2", [path, ..]) if rest.contains("O_CREAT") => {
                events.push(Event::Make(path.clone()));
                if rest.contains("O_TRUNC") {
                    events.push(Event::Write(path.clone()));
                }
            }
            ("mkdir" | "mkdirat", [path, ..]) | ("link" | "linkat", [_, path]) => {
                events.push(Event::Make(path.clone()))
            }
            ("unlink" | "unlinkat" | "rmdir", [path]) => events.push(Event::Remove(path.clone())),
            ("rename" | "renameat" | "renameat2", [from, to]) => {
                let exchange = rest.contains("RENAME_EXCHANGE");
                events.push(Event::Rename {
                    from: from.clone(),
                    to: to.clone(),
                    exchange,
                });
            }
            ("fsync" | "fdatasync", _) => events.extend(fd().map(Event::Flush)),
            ("sync", _) => events.push(Event::Sync),
            ("syncfs", _) => events.extend(fd().map(Event::FlushAll)),
            ("clone" | "clone3" | "fork" | "vfork", _) if !rest.contains("CLONE_THREAD") => {
                events.push(Event::Child)
            }
            _ => {}
        }
    }
    events
}

/// Reads the paths of a call: each is in the directory whose descriptor is before it.
fn paths(mut rest: &str, directory: &Path) -> Vec<PathBuf> {
    let mut base = directory.to_owned();
    let mut paths = Vec::new();
    while let Some(at) = rest.find(['<', '"']) {
        let is_directory = rest[at..].starts_with('<');
        let Some((word, after)) = rest[at + 1..].split_once(if is_directory { '>' } else { '"' })
        else {
            break;
        };
        if is_directory {
            base = word.into();
        } else {
            paths.push(base.join(word));
        }
        rest = after;
    }
    paths
}

/// What isn't on the disk yet.
#[derive(Default)]
struct Memory {
    bytes: BTreeSet<PathBuf>,
    names: BTreeSet<PathBuf>,
    /// What of both is being written.
    begun: BTreeSet<PathBuf>,
}

impl Memory {
    fn all(&self) -> impl Iterator<Item = &PathBuf> {
        self.bytes.iter().chain(&self.names)
    }

    fn do_(&mut self, event: &Event, ground: &Ground) {
        // What changes again isn't all being written.
        match event {
            Event::Write(path) | Event::Make(path) | Event::Remove(path) => {
                self.begun.remove(path);
            }
            Event::Rename { from, to, .. } => self.begun.retain(|path| path != from && path != to),
            _ => {}
        }
        match event {
            Event::Write(path) => drop(self.bytes.insert(path.clone())),
            Event::Make(path) => drop(self.names.insert(path.clone())),
            Event::Remove(path) => {
                self.bytes.remove(path);
                self.names.insert(path.clone());
            }
            Event::Rename { from, to, exchange } => {
                let (was, is) = (self.bytes.remove(from), self.bytes.remove(to));
                self.bytes.extend(was.then(|| to.clone()));
                self.bytes.extend((is && *exchange).then(|| from.clone()));
                self.names.extend([from.clone(), to.clone()]);
            }
            Event::Flush(path) => {
                self.bytes.remove(path);
                self.names.retain(|name| name.parent() != Some(path));
                let written = |other: &PathBuf| {
                    self.begun.contains(other) && ground.are_together(path, other)
                };
                self.bytes.retain(|other| !written(other));
                self.names.retain(|other| !written(other));
            }
            Event::FlushAll(path) => {
                self.bytes.retain(|other| !ground.are_together(path, other));
                self.names.retain(|other| !ground.are_together(path, other));
            }
            Event::Sync => self.begun = self.all().cloned().collect(),
            Event::Child => drop(self.names.insert(ground.git.join("what git wrote"))),
        }
    }
}

/// Says what would be lost with the power, and when.
pub(crate) fn check(events: &[Event], ground: &Ground) -> Vec<String> {
    let mut memory = Memory::default();
    let mut wrong = Vec::new();
    let journals = ground.git.join("llmpatch");
    let manifest = |path: &Path| name(path) == "manifest" && path.starts_with(&journals);
    let own =
        |path: &Path, names: &[&str]| path.starts_with(&journals) && names.contains(&name(path));
    let (mut stands, mut is_certain) = (false, false);
    for event in events {
        let mut demand = |what: &str, depends: &dyn Fn(&Path) -> bool| {
            let lost: BTreeSet<_> = memory.all().filter(|path| depends(path)).collect();
            if !lost.is_empty() {
                wrong.push(format!(
                    "{what} ({event:?}), and these aren't on the disk: {lost:?}"
                ));
            }
        };
        let inside = |path: &Path| path.starts_with(&ground.top) || path.starts_with(&ground.git);
        match event {
            Event::Rename { to, .. } if manifest(to) => {
                demand("the manifest stands", &|path| {
                    // The lock is no part of the change, and the name of the draft is renamed.
                    inside(path) && !own(path, &["manifest.draft"]) || memory.bytes.contains(path)
                });
                stands = true;
            }
            Event::Rename { from, to, .. } if manifest(from) && own(to, &["applied"]) => {
                demand("the change is certain", &|path| {
                    inside(path) && !path.starts_with(&journals)
                });
                (stands, is_certain) = (false, true);
            }
            Event::Remove(path) | Event::Rename { from: path, .. } if manifest(path) => {
                demand("the change is taken back", &|path| ground.is_seen(path));
                stands = false;
            }
            Event::Make(path) | Event::Remove(path) if ground.is_seen(path) && stands => {
                demand("there is something to see", &|path| {
                    manifest(path) || path == journals
                });
            }
            Event::Rename { from, to, .. }
                if (ground.is_seen(from) || ground.is_seen(to)) && stands =>
            {
                demand("there is something to see", &|path| {
                    manifest(path) || path == journals
                });
                demand("it is to be seen", &|path| {
                    path == from && memory.bytes.contains(path)
                });
                if name(from).starts_with("index.llmpatch-") {
                    demand("the index is replaced", &|path| {
                        own(path, &["index.old", "index.new", "index.none"])
                    });
                }
            }
            // Without it there is nothing that could be taken back.
            Event::Remove(path) if own(path, &["applied"]) => is_certain = false,
            // What was committed is in HEAD; this only saves work.
            Event::Remove(path) if own(path, &["index"]) => {}
            Event::Remove(path)
                if is_certain && (path.starts_with(&journals) || !ground.is_seen(path)) =>
            {
                demand("old content goes", &|path| {
                    manifest(path) || own(path, &["applied"])
                });
            }
            _ => {}
        }
        memory.do_(event, ground);
    }
    if stands {
        wrong.push("the manifest stands at the end".to_owned());
    }
    wrong
}

fn name(path: &Path) -> &str {
    path.file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default()
}
