//! Somebody else is at work in the same directory: our program is stopped after each of its calls
//! in turn, something is done to the work tree, and it goes on.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::process::{Pid, Signal, kill_process};

use crate::scene::{Layout, Place, RESPONSE, Scene, State, TOUCHED, Target, files};
use crate::support::{make_device, make_pipe};
use crate::sweep::{Extent, Stages, describe};
use crate::tally::Tally;
use crate::trace::{self, Call, Calls, Ended, Injection};

/// What is done while our program stands still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meddling {
    /// An editor empties the file and writes it anew.
    Save,
    /// An editor writes another file and renames it over the first.
    SaveByRename,
    /// A touched file becomes a pipe that nobody writes to.
    Pipe,
    /// A directory with touched files is exchanged with a link out of the work tree.
    Link,
}

impl Meddling {
    pub(crate) const ALL: [Meddling; 4] = [
        Meddling::Save,
        Meddling::SaveByRename,
        Meddling::Pipe,
        Meddling::Link,
    ];

    fn name(self) -> &'static str {
        match self {
            Meddling::Save => "saved",
            Meddling::SaveByRename => "saved-by-rename",
            Meddling::Pipe => "pipe",
            Meddling::Link => "link",
        }
    }

    /// Returns whether it could be done.
    fn meddle(self, place: &Place, path: &str) -> bool {
        let file = place.top().join(path);
        match self {
            Meddling::Save => fs::write(&file, saved(path)).is_ok(),
            Meddling::SaveByRename => {
                fs::write(place.outside().join("draft"), saved(path)).is_ok()
                    && fs::rename(place.outside().join("draft"), &file).is_ok()
            }
            Meddling::Pipe => {
                let draft = place.outside().join("pipe");
                make_pipe(&draft);
                fs::rename(draft, &file).is_ok()
            }
            Meddling::Link => {
                let directory = file.parent().expect("a file is in a directory");
                let link = if directory == place.top() {
                    return false;
                } else {
                    place.outside().join("link")
                };
                std::os::unix::fs::symlink(place.outside().join("elsewhere"), &link)
                    .expect("a link can be made");
                exchange(directory, &link).is_ok()
            }
        }
    }
}

/// What the editor writes: the file that it knows, and a line more.
fn saved(path: &str) -> Vec<u8> {
    let known = match path {
        "src/update.rs" => "one\ntwo\nthree\n",
        "tool.sh" => "#!/bin/sh\necho old\n",
        "gone/away/deleted.txt" => "deleted\n",
        "src/name.rs" => "old name\nrest\n",
        _ => "in the way\n",
    };
    format!("{known}typed by a person\n").into_bytes()
}

/// Every call of one kind of run, and one kind of meddling.
pub(crate) struct Bystander {
    pub(crate) target: Target,
    pub(crate) meddling: Meddling,
    /// Whether the file system can neither exchange names nor be told not to replace one.
    pub(crate) is_poor: bool,
}

impl Bystander {
    pub(crate) fn all() -> Vec<Self> {
        // The index alone is nothing that an editor saves to, nor is a file that isn't there.
        let targets = Target::ALL
            .into_iter()
            .filter(|target| !matches!(target, Target::Cached | Target::Made | Target::Odd));
        let saves = |meddling| matches!(meddling, Meddling::Save | Meddling::SaveByRename);
        let few = |target| matches!(target, Target::WorkTree | Target::Index | Target::Commit);
        let of = |target| {
            let meddlings = Meddling::ALL
                .into_iter()
                .filter(move |meddling| saves(*meddling) || few(target));
            meddlings.map(move |meddling| Self {
                target,
                meddling,
                is_poor: false,
            })
        };
        let poor = |target| Self {
            target,
            meddling: Meddling::SaveByRename,
            is_poor: true,
        };
        targets
            .flat_map(of)
            .chain([Target::WorkTree, Target::Index].map(poor))
            .collect()
    }

    pub(crate) fn name(&self) -> String {
        let how = if self.is_poor {
            " without renameat2"
        } else {
            ""
        };
        format!("{} {}{how}", self.target.name(), self.meddling.name())
    }

    fn lacks(&self) -> Injection {
        let can = Injection::default();
        if self.is_poor {
            can.and_always("renameat2", "EINVAL")
        } else {
            can
        }
    }

    pub(crate) fn run(&self, stages: &Stages, extent: &Extent) -> Tally {
        let stage = stages.get(self.target, Layout::Together);
        let scene = stage.scene(self.target, Layout::Together);
        let own;
        let every = if self.is_poor {
            let place = scene.place();
            let log = place.outside().join("log");
            trace::run(
                &mut trace::traced(&place.apply(), &log, Calls::All, &self.lacks()),
                RESPONSE.as_bytes(),
            );
            own = trace::calls(&log);
            &own
        } else {
            stage.every_call(scene)
        };
        let mut tally = Tally::default();
        for (turn, path) in TOUCHED.iter().enumerate() {
            let Some(read) = first_read(every, path) else {
                tally.wrong.push(format!("{path} is never read"));
                continue;
            };
            let changing = trace::that_change(every.to_vec());
            // Each file's turn comes at every fifth call, and next to every call that changes
            // something.
            let is_wanted = |(at, call): &(usize, &Call)| {
                *at >= read
                    && (at % TOUCHED.len() == turn || changing.contains(call))
                    && call.name != "exit_group"
                    && !(self.is_poor && call.name == "renameat2")
            };
            let calls: Vec<&Call> = every
                .iter()
                .enumerate()
                .filter(is_wanted)
                .map(|(_, call)| call)
                .collect();
            for call in extent.choose(&calls, turn * 7 + self.meddling as usize * 3) {
                let place = scene.place();
                let verdict = self.at(scene, &place, call, path, &mut tally);
                if let Err(wrong) = verdict {
                    tally
                        .wrong
                        .push(format!("{path} at {call} {}\n      {wrong}", call.text));
                }
                if matches!(extent, Extent::Only(_)) {
                    println!("kept: {}", place.keep().display());
                }
            }
        }
        tally
    }

    fn at(
        &self,
        scene: &Scene,
        place: &Place,
        call: &Call,
        path: &str,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let elsewhere = place.outside().join("elsewhere");
        decoys(&elsewhere);
        let decoyed = files(&elsewhere);
        let mut done = false;
        let (ended, stop) = stopped(place, call, self.lacks(), || {
            done = self.meddling.meddle(place, path)
        });
        let Some(stop) = stop.filter(|_| done) else {
            tally.missed += 1;
            return Ok(());
        };
        let late = stop.at >= last_look(&stop.calls, self.target);
        tally.runs += 1;
        if files(&elsewhere) != decoyed {
            return Err(describe(
                "wrote elsewhere",
                &ended,
                &format!("{:?}", files(&elsewhere)),
            ));
        }
        if self.meddling == Meddling::Link {
            return self.check_link(place, &ended);
        }
        self.check(scene, place, path, late, &ended, tally)?;
        if !matches!(place.recover().code(), Some(0 | 3)) {
            return Err(describe("recover failed", &ended, ""));
        }
        Ok(())
    }

    /// What somebody put there is there, and all else is old (and `stale` was said) or new.
    fn check(
        &self,
        scene: &Scene,
        place: &Place,
        path: &str,
        late: bool,
        ended: &Ended,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let now = place.state();
        let theirs = match fs::symlink_metadata(place.top().join(path)) {
            Ok(meta) if self.meddling == Meddling::Pipe => !meta.is_file() && !meta.is_dir(),
            Ok(meta) => {
                meta.is_file()
                    && fs::read(place.top().join(path)).is_ok_and(|bytes| bytes == saved(path))
            }
            Err(_) => false,
        };
        if !theirs {
            return Err(describe(
                "what was saved is LOST",
                ended,
                &now.against(&scene.old),
            ));
        }
        // A pipe that came between two looks of the planning is refused for what it is.
        let kinds = match self.meddling {
            Meddling::Pipe => &["error[stale]", "error[file-exists]", "error[unsafe-path]"][..],
            _ => &["error[stale]", "error[file-exists]"],
        };
        match ended.code() {
            Some(1 | 3) if kinds.iter().any(|kind| ended.stderr.contains(kind)) => {
                tally.old += 1;
                let said = but(&now, path).against(&but(&scene.old, path));
                if said.is_empty() {
                    Ok(())
                } else {
                    Err(describe("isn't old but for the save", ended, &said))
                }
            }
            Some(0) if late => {
                tally.new += 1;
                let said = but(&now, path).against(&but(&scene.new, path));
                if said.is_empty() {
                    Ok(())
                } else {
                    Err(describe("isn't new but for the save", ended, &said))
                }
            }
            _ => Err(describe(
                "should be stale",
                ended,
                &but(&now, path).against(&but(&scene.new, path)),
            )),
        }
    }

    fn check_link(&self, place: &Place, ended: &Ended) -> Result<(), String> {
        let code = ended.code();
        if !matches!(code, Some(0 | 1 | 3)) || ended.stderr.contains("panicked") {
            return Err(describe("came to a bad end", ended, ""));
        }
        // It keeps git out only where something couldn't be put back, and is told how that can be
        // tried again.
        let lock = place.git_directory().join("index.lock");
        let is_torn = code == Some(3) && ended.stderr.contains("run `git llmpatch recover`");
        if lock.exists() && !is_torn {
            Err(describe("left its lock", ended, ""))
        } else {
            Ok(())
        }
    }
}

/// Files that a change would hit if it went through the link, as they are in the work tree and as
/// our program calls its own.
fn decoys(directory: &Path) {
    fs::create_dir(directory).expect("a directory can be made");
    for path in TOUCHED {
        let file = directory.join(Path::new(path).file_name().expect("a file has a name"));
        fs::write(
            file,
            &saved(path)[..saved(path).len() - "typed by a person\n".len()],
        )
        .expect("a file can be written");
    }
}

/// A state without a path, the directories above it, and all that git says of them.
fn but(state: &State, path: &str) -> State {
    let mut state = state.clone();
    state
        .files
        .retain(|file, _| !Path::new(path).starts_with(file) && !file.starts_with(path));
    state.git.retain(|name, _| !name.starts_with("llmpatch"));
    state.status = String::new();
    state
}

/// Finds the call after which all of a file was read for the first time.
fn first_read(calls: &[Call], path: &str) -> Option<usize> {
    // In one step from the top, or in its directory.
    let names = [path, Path::new(path).file_name()?.to_str()?].map(|name| format!("\"{name}\""));
    let opened = |call: &Call| {
        let is_its = names.iter().any(|name| call.text.contains(name));
        call.name.starts_with("open") && is_its && !call.text.contains("O_PATH")
    };
    let at = calls.iter().position(opened)?;
    let closed = format!("close({})", calls[at].text.rsplit("= ").next()?);
    calls
        .iter()
        .enumerate()
        .skip(at)
        .find(|(_, call)| call.text.starts_with(&closed))
        .map(|(at, _)| at)
}

/// Finds the call from which on a save may go unnoticed: the last that changes anything before the
/// one that makes the change certain. In between all is looked at once more, and a save right after
/// its look is as one right after the end.
fn last_look(calls: &[Call], target: Target) -> usize {
    let starts_child =
        |call: &Call| ["clone", "clone3", "fork", "vfork"].contains(&call.name.as_str());
    let renames = |call: &Call| call.name.starts_with("rename");
    let decides = |call: &Call| renames(call) && call.text.contains("manifest\"");
    // git commits once it is told to go on; what we ask it after that is no longer about the
    // change.
    let lets_go = |call: &Call| call.name == "write" && call.text.contains(r#", "\n", 1)"#);
    let certain = if target.commits() {
        let until = calls.iter().rposition(lets_go).unwrap_or(calls.len());
        calls[..until].iter().rposition(starts_child)
    } else {
        calls
            .iter()
            .rposition(decides)
            .or_else(|| calls.iter().rposition(renames))
    };
    let before = &calls[..certain.unwrap_or(calls.len())];
    let mut changing = trace::that_change(before.to_vec());
    changing.retain(|call| !call.name.starts_with("wait"));
    before
        .iter()
        .rposition(|call| changing.last() == Some(call))
        .unwrap_or_default()
}

/// A run that was stopped.
struct Stop {
    /// All its calls.
    calls: Vec<Call>,
    /// Which of them had returned: how many calls of a name there are before another depends on the
    /// clock, too.
    at: usize,
}

/// Runs our program, stops it when a call has returned, does something, and lets it go on.
fn stopped(
    place: &Place,
    call: &Call,
    lacks: Injection,
    meddle: impl FnOnce(),
) -> (Ended, Option<Stop>) {
    let log = place.outside().join("pipe-log");
    make_pipe(&log);
    let mut command = trace::traced(
        &place.apply(),
        &log,
        Calls::All,
        &lacks.and(Injection::stop_after(call)),
    );
    let child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("strace starts");
    let strace = child.id();
    let (told, hears) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        let (mut lines, mut stop) = (Vec::new(), None);
        let log = fs::File::open(log)
            .into_iter()
            .flat_map(|log| BufReader::new(log).split(b'\n'));
        for line in log.map_while(Result::ok) {
            if line.starts_with(b"--- stopped by SIGSTOP") {
                stop.get_or_insert(lines.len());
                let _ = told.send(());
            }
            lines.push(String::from_utf8_lossy(&line).into_owned());
        }
        (lines, stop)
    });
    let waiter = std::thread::spawn(move || trace::finish(child, RESPONSE.as_bytes()));
    // The channel closes when the program ends without having been stopped.
    if hears.recv().is_ok() {
        meddle();
        let children = fs::read_to_string(format!("/proc/{strace}/task/{strace}/children"))
            .unwrap_or_default();
        for pid in children
            .split_whitespace()
            .filter_map(|pid| Pid::from_raw(pid.parse().ok()?))
        {
            let _ = kill_process(pid, Signal::CONT);
        }
    }
    let ended = waiter.join().expect("it ends");
    let (lines, stop) = reader.join().expect("the log is read to its end");
    let calls = |lines: &[String]| trace::numbered(lines.iter().map(String::as_str));
    let stop = stop.map(|stop| Stop {
        calls: calls(&lines),
        at: calls(&lines[..stop]).len().saturating_sub(1),
    });
    (ended, stop)
}

fn exchange(one: &Path, other: &Path) -> rustix::io::Result<()> {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)
}

/// Applies the change again and again while a directory becomes a link and a directory again.
pub(crate) fn race(stages: &Stages, rounds: usize) -> Tally {
    let scene = stages
        .get(Target::WorkTree, Layout::Together)
        .scene(Target::WorkTree, Layout::Together);
    let mut tally = Tally::default();
    let mut ends: BTreeMap<Option<i32>, usize> = BTreeMap::new();
    for _ in 0..rounds {
        let place = scene.place();
        let elsewhere = place.outside().join("elsewhere");
        decoys(&elsewhere);
        let decoyed = files(&elsewhere);
        let (directory, link): (PathBuf, PathBuf) =
            (place.top().join("src"), place.outside().join("link"));
        std::os::unix::fs::symlink(&elsewhere, &link).expect("a link can be made");
        let ended = std::thread::scope(|scope| {
            let (stop, stopped) = std::sync::mpsc::channel::<()>();
            let swapper = scope.spawn(move || {
                while stopped.try_recv() != Err(std::sync::mpsc::TryRecvError::Disconnected) {
                    let _ = exchange(&directory, &link);
                }
            });
            let ended = trace::run(&mut place.apply(), RESPONSE.as_bytes());
            drop(stop);
            swapper.join().expect("the swapper doesn't panic");
            ended
        });
        tally.runs += 1;
        *ends.entry(ended.code()).or_default() += 1;
        if files(&elsewhere) != decoyed {
            tally.wrong.push(describe(
                "wrote elsewhere",
                &ended,
                &format!("{:?}", files(&elsewhere)),
            ));
        } else if !matches!(ended.code(), Some(0 | 1 | 3)) {
            tally.wrong.push(describe("came to a bad end", &ended, ""));
        }
    }
    tally.new = ends.get(&Some(0)).copied().unwrap_or_default();
    tally.old = tally.runs - tally.new;
    tally
}

/// Pipes, sockets and devices where the change expects files: refused at once, and left alone.
pub(crate) fn specials(stages: &Stages) -> Tally {
    let scene = stages
        .get(Target::WorkTree, Layout::Together)
        .scene(Target::WorkTree, Layout::Together);
    let mut tally = Tally::default();
    // The null device's numbers are 1 and 3 on Linux.
    for kind in ["pipe", "socket", "device"] {
        for path in TOUCHED.into_iter().chain(["new", "way/in.txt", "lib"]) {
            let place = scene.place();
            let file = place.top().join(path);
            if path == "way/in.txt" {
                fs::remove_file(place.top().join("way")).expect("it is there");
                fs::create_dir(place.top().join("way")).expect("it is not there");
            }
            let _ = fs::remove_file(&file);
            let is_made = match kind {
                "pipe" => Command::new("mkfifo")
                    .arg(&file)
                    .status()
                    .is_ok_and(|made| made.success()),
                "socket" => UnixListener::bind(&file).is_ok(),
                _ => make_device(&file, "c", (1, 3)),
            };
            if !is_made {
                // Devices are root's to make.
                tally.missed += 1;
                continue;
            }
            let before = files(&place.top());
            let ended = trace::run(&mut place.apply(), RESPONSE.as_bytes());
            tally.runs += 1;
            if ended.code() == Some(1) && files(&place.top()) == before {
                tally.old += 1;
            } else {
                tally.wrong.push(format!(
                    "{kind} at {path}: {}",
                    describe("should be refused", &ended, "")
                ));
            }
        }
    }
    tally
}
