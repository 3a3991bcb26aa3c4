//! A disk that is really full: of bytes, of files; at the change, and still at the recovery.
//!
//! Such disks are mounted in a namespace of their own, so that nobody else ever sees them: the test
//! program starts itself there.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::scene::{Layout, Place, RESPONSE, Scene, Side, Target};
use crate::sweep::{Extent, describe};
use crate::tally::Tally;
use crate::trace::{self, Calls, Fault, Injection};

/// The variable that tells the test program what to try in the namespace.
pub(crate) const INSIDE: &str = "FAULTS_INSIDE";

/// What there is too little of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scarce {
    Bytes,
    Files,
}

impl Scarce {
    pub(crate) const ALL: [Scarce; 2] = [Scarce::Bytes, Scarce::Files];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Scarce::Bytes => "bytes",
            Scarce::Files => "files",
        }
    }

    fn step(self) -> u64 {
        match self {
            Scarce::Bytes => 4096,
            Scarce::Files => 1,
        }
    }

    fn left(self, disk: &Path) -> u64 {
        let stat = rustix::fs::statvfs(disk).expect("a mounted disk has figures");
        match self {
            Scarce::Bytes => stat.f_bavail * stat.f_frsize,
            Scarce::Files => stat.f_ffree,
        }
    }

    /// Takes all but so much.
    fn fill(self, disk: &Path, leave: u64) {
        let filler = disk.join("filler");
        fs::create_dir_all(&filler).expect("there is room for the filler");
        let mut number = fs::read_dir(&filler).expect("it was just made").count();
        while self.left(disk) > leave {
            number += 1;
            let file = fs::File::create(filler.join(number.to_string()));
            if self == Scarce::Bytes {
                let surplus = usize::try_from(self.left(disk) - leave).expect("the disk is small");
                // A disk that is full sooner than it says is full.
                if file
                    .and_then(|mut file| file.write_all(&vec![0; surplus]))
                    .is_err()
                {
                    break;
                }
            } else if file.is_err() {
                break;
            }
        }
    }

    fn free(disk: &Path) {
        let _ = fs::remove_dir_all(disk.join("filler"));
    }
}

/// A small disk, mounted.
struct Disk(TempDir);

impl Disk {
    fn mount() -> Self {
        let directory = TempDir::new().expect("a directory can be made");
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", "size=4m,nr_inodes=600", "faults"])
            .arg(directory.path());
        assert!(
            mount.status().expect("mount starts").success(),
            "tmpfs can be mounted"
        );
        Self(directory)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

/// Says why no disk can be mounted here.
pub(crate) fn hindrance() -> Option<String> {
    let directory = TempDir::new().expect("a directory can be made");
    let mut probe = Command::new("unshare");
    probe
        .args(["-rm", "mount", "-t", "tmpfs", "faults"])
        .arg(directory.path());
    match probe.output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(fault) => Some(format!("unshare can't be started: {fault}")),
    }
}

/// Tries it in a namespace of its own.
pub(crate) fn outside(target: Target, scarce: Scarce) -> Tally {
    let this = std::env::current_exe().expect("this program is somewhere");
    let what = format!("{} {}", target.name(), scarce.name());
    let output = Command::new("unshare")
        .args(["-rm"])
        .arg(this)
        .env(INSIDE, what)
        .output()
        .expect("unshare starts");
    let said = String::from_utf8_lossy(&output.stdout);
    let mut tally = Tally::default();
    let figures: Vec<usize> = said
        .lines()
        .next()
        .unwrap_or_default()
        .split(' ')
        .map_while(|figure| figure.parse().ok())
        .collect();
    match figures[..] {
        [runs, old, new] if output.status.success() => {
            (tally.runs, tally.old, tally.new) = (runs, old, new)
        }
        _ => tally
            .wrong
            .push(format!("{said}{}", String::from_utf8_lossy(&output.stderr))),
    }
    tally
        .wrong
        .extend(said.split("\0").skip(1).map(str::to_owned));
    tally
}

/// What is tried in the namespace; prints the figures and then what went wrong.
pub(crate) fn inside(what: &str, extent: &Extent) {
    let of =
        |target: &&Target, scarce: &&Scarce| what == format!("{} {}", target.name(), scarce.name());
    for target in &Target::ALL {
        for scarce in &Scarce::ALL {
            if of(&target, &scarce) {
                let tally = run(*target, *scarce, extent);
                let wrong: String = tally.wrong.iter().map(|said| format!("\0{said}")).collect();
                println!("{} {} {} {wrong}", tally.runs, tally.old, tally.new);
            }
        }
    }
}

fn run(target: Target, scarce: Scarce, extent: &Extent) -> Tally {
    let scene = Scene::new(target, Layout::Together);
    let disk = Disk::mount();
    let mut tally = Tally::default();
    let mut leave = 0;
    let mut enough = 0;
    // A little room more each time, until it is enough, and then twice more.
    while enough < 3 && leave < 400 * scarce.step() {
        let place = scene.place_in(TempDir::new_in(disk.path()).expect("there is room"));
        scarce.fill(disk.path(), leave);
        let ended = trace::run(&mut place.apply(), RESPONSE.as_bytes());
        // To see what has become of a file, git may have to run its filter, which takes room.
        Scarce::free(disk.path());
        tally.runs += 1;
        match scene.judge(&place.state()) {
            Ok(side) if (side == Side::New) == (ended.code() == Some(0)) => {
                tally.count(side);
                enough += usize::from(side == Side::New);
            }
            Ok(side) => tally.wrong.push(format!(
                "{leave} left: {}",
                describe("says otherwise", &ended, &format!("{side:?}"))
            )),
            Err(said) => tally.wrong.push(format!(
                "{leave} left: {}",
                describe("is torn or littered", &ended, &said)
            )),
        }
        leave += scarce.step();
    }
    killed(&scene, scarce, &disk, extent, &mut tally);
    tally
}

/// Kills it at each call, and has it recover on a disk that is full to the brim.
fn killed(scene: &Scene, scarce: Scarce, disk: &Disk, extent: &Extent, tally: &mut Tally) {
    let logs = TempDir::new().expect("a directory can be made");
    let log = logs.path().join("log");
    let place = |scene: &Scene| -> Place {
        scene.place_in(TempDir::new_in(disk.path()).expect("there is room"))
    };
    let traced = |place: &Place, injection: &Injection| {
        trace::run(
            &mut trace::traced(&place.apply(), &log, Calls::Changing, injection),
            RESPONSE.as_bytes(),
        )
    };
    traced(&place(scene), &Injection::default());
    let calls = trace::that_change(trace::calls(&log));
    for call in extent.choose(&calls.iter().collect::<Vec<_>>(), scarce as usize * 2) {
        let place = place(scene);
        traced(&place, &Injection::at(Fault::KILL, call));
        scarce.fill(disk.path(), 0);
        let recovered = place.recover();
        Scarce::free(disk.path());
        tally.runs += 1;
        match scene.judge(&place.state()) {
            Ok(side) if recovered.code() == Some(0) => tally.count(side),
            Ok(_) => tally.wrong.push(format!(
                "{call} {}: {}",
                call.text,
                describe("recover failed", &recovered, "")
            )),
            Err(said) => tally.wrong.push(format!(
                "{call} {}: {}",
                call.text,
                describe("torn", &recovered, &said)
            )),
        }
    }
}
