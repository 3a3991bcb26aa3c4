//! A terminal that sends each key at once.

use std::fs::File;
use std::io;

use rustix::process::{Signal, kill_current_process_group};
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};

/// Opens the controlling terminal, to read from and to write to.
pub(crate) fn terminal() -> io::Result<(File, File)> {
    let terminal = File::options().read(true).write(true).open("/dev/tty")?;
    Ok((terminal.try_clone()?, terminal))
}

/// A terminal that sends each key at once and shows none, until this is dropped. It makes no
/// signals of keys either: one that ended us would leave the terminal so.
pub(crate) struct Keys<'a>(&'a File, Termios);

/// A signal that a key sends.
pub(crate) struct KeySignal(Signal);

impl<'a> Keys<'a> {
    /// Begins, and forgets what was typed before.
    pub(crate) fn begin(terminal: &'a File) -> Option<Self> {
        let before = tcgetattr(terminal).ok()?;
        let mut modes = before.clone();
        modes
            .local_modes
            .remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(terminal, OptionalActions::Flush, &modes).ok()?;
        Some(Self(terminal, before))
    }

    /// Returns the signal that a key usually sends.
    pub(crate) fn signal(&self, byte: u8) -> Option<KeySignal> {
        let sends = [
            (SpecialCodeIndex::VINTR, Signal::INT),
            (SpecialCodeIndex::VQUIT, Signal::QUIT),
            (SpecialCodeIndex::VSUSP, Signal::TSTP),
        ];
        // No key is called 0.
        let is_sent = byte != 0 && self.1.local_modes.contains(LocalModes::ISIG);
        let mut sent = sends.iter().filter(|_| is_sent);
        let (_, signal) = sent.find(|(index, _)| self.1.special_codes[*index] == byte)?;
        Some(KeySignal(*signal))
    }
}

impl Drop for Keys<'_> {
    fn drop(&mut self) {
        let _ = tcsetattr(self.0, OptionalActions::Now, &self.1);
    }
}

impl KeySignal {
    /// Sends it, as the key would. Returns whether it is one that ends us, unless it is ignored.
    pub(crate) fn send(self) -> io::Result<bool> {
        kill_current_process_group(self.0)?;
        Ok(self.0 != Signal::TSTP)
    }
}
