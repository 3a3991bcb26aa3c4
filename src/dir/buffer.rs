use std::io;
use std::ops::{Deref, DerefMut};

use llmpatch::text::Content;
use memmap2::MmapMut;

/// Bytes in memory, such as a file is read into.
///
/// Large buffers are kept in large pages where the system has those: to hand out thousands of small
/// pages takes it as long as reading the file.
#[derive(Debug)]
pub struct Buffer(Memory);

#[derive(Debug)]
enum Memory {
    Few(Vec<u8>),
    /// A mapping, and how many of its bytes count.
    Many(MmapMut, usize),
}

impl Buffer {
    /// The number of bytes from which on large pages are used.
    pub const MANY: usize = if cfg!(test) { 1 << 10 } else { 4 << 20 };

    /// Makes one of many zeros.
    ///
    /// If there is too little memory.
    pub fn of_zeros(len: usize) -> io::Result<Self> {
        let map = MmapMut::map_anon(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
        // Small ones do, too.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Self(Memory::Many(map, len)))
    }

    /// Shortens it to a number of bytes.
    pub fn truncate(&mut self, to: usize) {
        match &mut self.0 {
            Memory::Few(bytes) => bytes.truncate(to),
            Memory::Many(_, len) => *len = to.min(*len),
        }
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl From<Buffer> for Content {
    fn from(buffer: Buffer) -> Self {
        match buffer.0 {
            Memory::Few(bytes) => bytes.into(),
            many => Content::from_owner(Buffer(many)),
        }
    }
}

impl From<Vec<u8>> for Buffer {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Memory::Few(bytes))
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Memory::Few(bytes) => bytes,
            Memory::Many(map, len) => &map[..*len],
        }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        match &mut self.0 {
            Memory::Few(bytes) => bytes,
            Memory::Many(map, len) => &mut map[..*len],
        }
    }
}
