//! The bytes of an open file: read whole, or compared; large files in several threads.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::buffer::Buffer;
use super::system::read_once;
use crate::system::FileExt as _;
use llmpatch::threads;

/// Up to how many bytes a file is compared by reading it whole.
const FEW: usize = if cfg!(test) { 1 << 8 } else { 64 << 10 };

/// Reads a file to its end. That is where a read brings nothing, or less than it asked for at the
/// size that the system told.
pub(super) fn read_whole(file: &File, size: u64) -> io::Result<Buffer> {
    let size = usize::try_from(size).map_err(|_| io::ErrorKind::OutOfMemory)?;
    let mut bytes = Vec::new();
    let mut more = size.saturating_add(1);
    if size >= Buffer::MANY {
        let mut many = Buffer::of_zeros(more)?;
        if is_read_into(file, &mut many)? {
            many.truncate(size);
            return Ok(many);
        }
    }
    loop {
        bytes
            .try_reserve_exact(more)
            .map_err(|_| io::ErrorKind::OutOfMemory)?;
        more = bytes.len().max(32);
        while bytes.len() < bytes.capacity() {
            let count = read_once(file, &mut bytes)?;
            if count == 0 || bytes.len() == size && bytes.len() < bytes.capacity() {
                return Ok(bytes.into());
            }
        }
    }
}

/// Reads a file from its start, in several threads; returns whether it fills all of these bytes but
/// the last.
fn is_read_into(file: &File, bytes: &mut [u8]) -> io::Result<bool> {
    let end = bytes.len() - 1;
    let each = bytes.len().div_ceil(threads::parts(bytes.len()));
    let parts: Vec<_> = bytes.chunks_mut(each).map(Mutex::new).collect();
    let read = threads::share(parts.len(), |nth| {
        let start = nth * each;
        let mut part = parts[nth].lock().unwrap_or_else(PoisonError::into_inner);
        let mut len = 0;
        while len < part.len() {
            let count = read_at(file, &mut part[len..], start + len)?;
            len += count;
            if count == 0 || start + len == end {
                break;
            }
        }
        Ok(start + len == end.min(start + part.len()))
    });
    read.into_iter()
        .try_fold(true, |all, read: io::Result<bool>| Ok(all && read?))
}

/// Returns whether a file is just these `size` bytes, which come in parts; large files are compared
/// in several threads.
pub(super) fn is_all_of<'p, P: Iterator<Item = &'p [u8]>>(
    file: &File,
    size: usize,
    parts: impl Fn() -> P + Sync,
) -> io::Result<bool> {
    // To clear a buffer of any size takes longer than to read a small file.
    if size <= FEW {
        let held = read_whole(file, size as u64)?;
        let rest = parts().try_fold(&held[..], |rest, part| rest.strip_prefix(part));
        return Ok(rest.is_some_and(<[u8]>::is_empty));
    }
    let count = threads::parts(size);
    let each = size.div_ceil(count);
    let held = threads::share(count, |nth| {
        holds_range(file, nth * each..size.min((nth + 1) * each), size, parts())
    });
    held.into_iter()
        .try_fold(true, |all, held| Ok(all && held?))
}

/// Returns whether a range of a file is that of these bytes, and the file ends where they do if the
/// range reaches that.
fn holds_range<'p>(
    file: &File,
    range: Range<usize>,
    size: usize,
    mut parts: impl Iterator<Item = &'p [u8]>,
) -> io::Result<bool> {
    const MOST: usize = 128 << 10;
    // One more than there are, so that the end is found at once.
    let end = range.end + usize::from(range.end == size);
    let mut buffer = vec![0; (end - range.start).min(MOST)];
    let (mut at, mut part, mut skipped): (_, &[u8], _) = (range.start, &[], range.start);
    while skipped > 0
        && let Some(next) = parts.next()
    {
        (_, part) = next.split_at(skipped.min(next.len()));
        skipped -= next.len() - part.len();
    }
    while at < end {
        let asked = buffer.len().min(end - at);
        let count = read_at(file, &mut buffer[..asked], at)?;
        let mut read = &buffer[..count];
        while !read.is_empty() {
            let Some(next) = (if part.is_empty() {
                parts.next()
            } else {
                Some(part)
            }) else {
                return Ok(false);
            };
            let both = next.len().min(read.len());
            if next[..both] != read[..both] {
                return Ok(false);
            }
            (part, read) = (&next[both..], &read[both..]);
        }
        at += count;
        if count == 0 || at == size && count < asked {
            break;
        }
    }
    Ok(at == range.end)
}

fn read_at(file: &File, bytes: &mut [u8], at: usize) -> io::Result<usize> {
    loop {
        match file.read_at(bytes, at as u64) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Seek as _, Write as _};

    use super::*;

    #[test]
    fn a_file_is_read_to_its_end_whatever_its_size_was() {
        let file = tempfile::tempfile().unwrap();
        assert_eq!(
            read_whole(&file, u64::MAX).unwrap_err().kind(),
            io::ErrorKind::OutOfMemory
        );
        for len in [
            0,
            1,
            31,
            Buffer::MANY - 1,
            Buffer::MANY,
            Buffer::MANY + 1,
            5 * Buffer::MANY,
        ] {
            let bytes: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
            file.set_len(0).unwrap();
            (&file).rewind().unwrap();
            (&file).write_all(&bytes).unwrap();
            for told in [
                0,
                len / 2,
                len.saturating_sub(1),
                len,
                len + 1,
                3 * len,
                Buffer::MANY,
            ] {
                (&file).rewind().unwrap();
                assert!(
                    *read_whole(&file, told as u64).unwrap() == *bytes,
                    "{len} bytes, of which {told} were told of"
                );
            }
        }
    }
}
