//! A program on a terminal of its own, for what only a person at a terminal sees.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test program uses a part of it"
)]

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Instant;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::support::PATIENCE;

/// A terminal of 100 columns and 40 lines, a program that runs on it, and all that it wrote so far.
pub struct Terminal {
    child: Child,
    master: File,
    output: Arc<(Mutex<Vec<u8>>, Condvar)>,
    seen: usize,
    reader: Option<thread::JoinHandle<()>>,
}

impl Terminal {
    /// Starts a command whose standard streams and controlling terminal it is, with the variables
    /// that it sets and no others.
    pub fn start(command: &Command) -> Terminal {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let name = std::ffi::OsStr::from_bytes(name.as_bytes()).to_owned();
        tcsetwinsize(
            &master,
            Winsize {
                ws_row: 40,
                ws_col: 100,
                ws_xpixel: 0,
                ws_ypixel: 0,
            },
        )
        .unwrap();
        let slave = || {
            use std::os::unix::fs::OpenOptionsExt as _;
            let noctty = i32::try_from(rustix::fs::OFlags::NOCTTY.bits()).unwrap();
            OpenOptions::new()
                .read(true)
                .write(true)
                .custom_flags(noctty)
                .open(&name)
                .unwrap()
        };
        let mut session = Command::new("setsid");
        session.args(["--ctty", "--wait"]);
        session.arg(command.get_program()).args(command.get_args());
        if let Some(directory) = command.get_current_dir() {
            session.current_dir(directory);
        }
        session.env_clear().envs(
            command
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        session.stdin(slave()).stdout(slave()).stderr(slave());
        let child = session.spawn().unwrap();
        let master = File::from(master);
        let output = Arc::new((Mutex::new(Vec::new()), Condvar::new()));
        let (mut stream, written) = (master.try_clone().unwrap(), Arc::clone(&output));
        let reader = thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = stream.read(&mut buffer) {
                written.0.lock().unwrap().extend(&buffer[..count]);
                written.1.notify_all();
            }
        });
        Terminal {
            child,
            master,
            output,
            seen: 0,
            reader: Some(reader),
        }
    }

    /// Types.
    pub fn send(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until a text was written after the last one that was waited for.
    pub fn wait_for(&mut self, text: &str) {
        let until = Instant::now() + PATIENCE;
        let mut output = self.output.0.lock().unwrap();
        loop {
            let new = &output[self.seen..];
            if let Some(at) = new
                .windows(text.len())
                .position(|window| window == text.as_bytes())
            {
                self.seen += at + text.len();
                return;
            }
            let left = until.saturating_duration_since(Instant::now());
            let (next, timeout) = self.output.1.wait_timeout(output, left).unwrap();
            output = next;
            assert!(
                !timeout.timed_out(),
                "{text:?} never came:\n{}",
                String::from_utf8_lossy(&output)
            );
        }
    }

    /// Returns all that was written, escape sequences and all.
    pub fn shown(&self) -> String {
        String::from_utf8_lossy(&self.output.0.lock().unwrap()).into_owned()
    }

    /// Waits for the end of the program, and of all that it wrote.
    pub fn end(&mut self) -> ExitStatus {
        let status = self.child.wait().unwrap();
        // A terminal that nobody has open any more reads as an error.
        self.reader
            .take()
            .into_iter()
            .for_each(|reader| reader.join().unwrap());
        status
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
