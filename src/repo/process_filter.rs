//! A filter process, spoken to as git speaks to it (gitattributes(5), "Long Running Filter
//! Process"): so it is started once, whichever way bytes go and whatever their attributes become.
//! It is offered no delay.

use std::io;

use bstr::{BString, ByteSlice as _};

use super::filter::Running;

/// How many bytes a packet holds at most.
const LARGEST: usize = 65516;

/// A filter process that has been greeted.
pub(super) struct ProcessFilter {
    child: Running,
    abilities: Vec<BString>,
}

impl ProcessFilter {
    /// Greets a child that was started as a filter process.
    ///
    /// # Errors
    /// If it isn't a filter process, or has ended.
    pub(super) fn greet(mut child: Running) -> Result<Self, (Running, io::Error)> {
        match abilities(&mut child) {
            Ok(abilities) => Ok(Self { child, abilities }),
            Err(error) => Err((child, error)),
        }
    }

    /// Makes it convert bytes in one direction; `None` if it doesn't want to.
    ///
    /// # Errors
    /// If it ended, or doesn't keep to what was agreed.
    pub(super) fn convert(
        &mut self,
        way: &str,
        about: &[BString],
        bytes: &[u8],
    ) -> io::Result<Option<Vec<u8>>> {
        let ability = format!("capability={way}");
        if !self.abilities.iter().any(|it| *it == ability) {
            return Ok(None);
        }
        let command = BString::from(format!("command={way}\n"));
        self.child.put([&command].into_iter().chain(about))?;
        self.child.put(bytes.chunks(LARGEST))?;
        let before = self.status("")?;
        if before != "success" {
            return self.refused(&before, &ability);
        }
        let converted = self.child.packets()?.concat();
        let after = self.status("success")?;
        if after == "success" {
            Ok(Some(converted))
        } else {
            self.refused(&after, &ability)
        }
    }

    /// Reads what it says of its success; what it was if it says nothing.
    fn status(&mut self, known: &str) -> io::Result<BString> {
        let said = self.child.list()?;
        let last = said
            .iter()
            .rev()
            .find_map(|line| line.strip_prefix(b"status="));
        Ok(last.unwrap_or(known.as_bytes()).into())
    }

    /// Ends it, and returns what it complained of.
    pub(super) fn end(self) -> BString {
        self.child.end()
    }

    fn refused(&mut self, status: &[u8], ability: &str) -> io::Result<Option<Vec<u8>>> {
        match status {
            b"error" => {}
            b"abort" => self.abilities.retain(|it| it != ability),
            _ => return Err(io::Error::other("it failed")),
        }
        Ok(None)
    }
}

fn abilities(child: &mut Running) -> io::Result<Vec<BString>> {
    child.put(["git-filter-client\n", "version=2\n"])?;
    if child.list()? != ["git-filter-server", "version=2"] {
        return Err(io::Error::other("it isn't a filter process of version 2"));
    }
    child.put(["capability=clean\n", "capability=smudge\n"])?;
    child.list()
}

impl Running {
    /// Writes packets, and that there are no more.
    fn put<P: AsRef<[u8]>>(&mut self, packets: impl IntoIterator<Item = P>) -> io::Result<()> {
        for packet in packets {
            let packet = packet.as_ref();
            self.write(format!("{:04x}", packet.len() + 4).as_bytes())?;
            self.write(packet)?;
        }
        self.write(b"0000")
    }

    /// Reads packets until there are no more.
    fn packets(&mut self) -> io::Result<Vec<Vec<u8>>> {
        let mut packets = Vec::new();
        loop {
            let mut length = [0; 4];
            self.read_exact(&mut length)?;
            let length = length.to_str().ok();
            let length = length.and_then(|length| usize::from_str_radix(length, 16).ok());
            let size = match length {
                Some(0) => return Ok(packets),
                Some(length @ 4..=65520) => length - 4,
                _ => {
                    let what = "it says what is no packet";
                    return Err(io::Error::new(io::ErrorKind::InvalidData, what));
                }
            };
            let mut packet = vec![0; size];
            self.read_exact(&mut packet)?;
            packets.push(packet);
        }
    }

    /// Reads lines, a packet each, until there are no more.
    fn list(&mut self) -> io::Result<Vec<BString>> {
        let line = |packet: &Vec<u8>| packet.strip_suffix(b"\n").unwrap_or(packet).into();
        Ok(self.packets()?.iter().map(line).collect())
    }
}
