//! What `git diff --binary` writes of contents that aren't shown as lines: `GIT binary patch`.
//!
//! Behind that line is a hunk that makes the new content, and usually a second that makes the old
//! content again. A hunk is `literal` (the content) or `delta` (how it is made of the other content,
//! as git packs do), with the length of that; then lines of base85, each with the length of what it
//! encodes in its first letter, which together are zlib data; then an empty line.

use std::iter;

/// A change of contents that aren't shown as lines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Binary {
    /// The length of the content before, in bytes; 0 where the patch doesn't say it.
    pub old_len: u64,
    /// The length of the content afterwards, in bytes.
    pub new_len: u64,
    /// All from the line `GIT binary patch` on; nothing where the content stays.
    pub text: Vec<u8>,
}

/// Why a binary patch doesn't come to a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BinaryFault {
    /// The zlib data breaks off, is damaged or has another length than is said.
    #[error("its data is cut off or damaged")]
    Data,
    /// A delta is none, or is of another content.
    #[error("its delta isn't of this file, or is damaged")]
    Delta,
    /// There are more bytes than a response may bring.
    #[error("it has more bytes than a response may add")]
    Large,
}

impl Binary {
    /// The first line.
    pub(crate) const HEADER: &[u8] = b"GIT binary patch";

    /// Reads a binary patch: its first line, and its hunks, each up to its empty line.
    ///
    /// # Errors
    /// The line that can't be read, counted from 0.
    pub(crate) fn read(text: Vec<u8>) -> Result<Self, usize> {
        let mut hunks = Vec::new();
        for (number, line) in lines(&text) {
            read_line(&mut hunks, line).ok_or(number)?;
        }
        let [forward, reverse] = [hunks.first(), hunks.get(1)];
        let forward = forward.ok_or(1_usize)?;
        let (of_delta, new_len) = forward.lengths().unwrap_or_default();
        let old_len = match reverse {
            Some(reverse) => reverse.lengths().map(|(_, made)| made),
            None => of_delta,
        };
        Ok(Self {
            old_len: old_len.unwrap_or_default(),
            new_len,
            text,
        })
    }

    /// Makes the new content of the old one. The hunk that makes the old content again must be whole,
    /// too, if there is one. `may` is asked before so many bytes are made.
    ///
    /// # Errors
    /// If the data is damaged, isn't of this old content, or is too much.
    pub(crate) fn apply(
        &self,
        old: &[u8],
        mut may: impl FnMut(usize) -> bool,
    ) -> Result<Vec<u8>, BinaryFault> {
        let mut hunks = Vec::new();
        for (_, line) in lines(&self.text) {
            read_line(&mut hunks, line).ok_or(BinaryFault::Data)?;
        }
        let mut contents = hunks.iter().map(|hunk| hunk.inflate(&mut may));
        let forward = contents.next().ok_or(BinaryFault::Data)??;
        contents.try_for_each(|reverse| reverse.map(drop))?;
        match hunks[0].method {
            Method::Literal => Ok(forward),
            Method::Delta => patched(old, &forward, &mut may),
        }
    }

    /// Returns whether a line begins a hunk, be it damaged.
    pub(crate) fn begins_hunk(line: &[u8]) -> bool {
        let len = line
            .strip_prefix(b"literal ")
            .or(line.strip_prefix(b"delta "));
        len.is_some_and(|len| len.first().is_some_and(u8::is_ascii_digit))
    }
}

/// Returns the lines behind the first, with their numbers from 0.
fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let lines = text.split(|&byte| byte == b'\n').enumerate();
    // What is behind the last newline is no line.
    let count = text.iter().filter(|&&byte| byte == b'\n').count();
    lines.take(count).skip(1)
}

/// Reads a line of hunks: the first of a hunk, its data, or the empty line that ends it. `None` if it
/// is none of that.
fn read_line(hunks: &mut Vec<Hunk>, line: &[u8]) -> Option<()> {
    if let Some(last) = hunks.last_mut().filter(|last| !last.is_whole) {
        return last.push(line);
    }
    let hunk = Hunk::begin(line).filter(|_| hunks.len() < 2)?;
    hunks.push(hunk);
    Some(())
}

/// How a hunk says what a content is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    Literal,
    Delta,
}

struct Hunk {
    method: Method,
    /// How long the data is, inflated.
    len: u64,
    deflated: Vec<u8>,
    /// Whether its empty line was read.
    is_whole: bool,
}

impl Hunk {
    fn begin(line: &[u8]) -> Option<Self> {
        let of = |name: &str, method| Some((line.strip_prefix(name.as_bytes())?, method));
        let (digits, method) =
            of("literal ", Method::Literal).or_else(|| of("delta ", Method::Delta))?;
        let is_number = digits.iter().all(u8::is_ascii_digit);
        let len = std::str::from_utf8(digits).ok().filter(|_| is_number)?;
        Some(Self {
            method,
            len: len.parse().ok()?,
            deflated: Vec::new(),
            is_whole: false,
        })
    }

    /// Takes in a line of data, or the empty line.
    fn push(&mut self, line: &[u8]) -> Option<()> {
        let Some((&letter, groups)) = line.split_first() else {
            self.is_whole = true;
            return (!self.deflated.is_empty()).then_some(());
        };
        let len = match letter {
            b'A'..=b'Z' => usize::from(letter - b'A') + 1,
            b'a'..=b'z' => usize::from(letter - b'a') + 27,
            _ => return None,
        };
        // The last group is filled up.
        if groups.len() % 5 != 0 || len.div_ceil(4) != groups.len() / 5 {
            return None;
        }
        let end = self.deflated.len() + len;
        for group in groups.chunks_exact(5) {
            self.deflated.extend(decoded(group)?);
        }
        self.deflated.truncate(end);
        Some(())
    }

    /// Returns the lengths of the content that a delta is of, and of the content that is made.
    fn lengths(&self) -> Option<(Option<u64>, u64)> {
        if self.method == Method::Literal {
            return Some((None, self.len));
        }
        // Two numbers have 20 bytes at most.
        let begin = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(&self.deflated, 20);
        let begin = begin.unwrap_or_else(|cut| cut.output);
        let mut rest = &begin[..];
        let of = number(&mut rest)?;
        Some((Some(of), number(&mut rest)?))
    }

    fn inflate(&self, may: &mut impl FnMut(usize) -> bool) -> Result<Vec<u8>, BinaryFault> {
        // What no memory could hold is too much, too.
        let len = usize::try_from(self.len).ok().filter(|len| may(*len));
        let len = len.ok_or(BinaryFault::Large)?;
        let content = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(&self.deflated, len);
        let content = content.map_err(|_| BinaryFault::Data)?;
        if content.len() == len {
            Ok(content)
        } else {
            Err(BinaryFault::Data)
        }
    }
}

/// git's digits of base85.
const DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// The value of every byte as such a digit; of others 85.
const VALUES: [u8; 256] = {
    let mut values = [85; 256];
    let mut digit = 0;
    while digit < 85 {
        values[DIGITS[digit] as usize] = digit as u8;
        digit += 1;
    }
    values
};

/// Decodes five digits of base85.
fn decoded(group: &[u8]) -> Option<[u8; 4]> {
    let number = group.iter().try_fold(0_u32, |number, &digit| {
        let value = VALUES[usize::from(digit)];
        let value = (value < 85).then_some(value)?;
        number.checked_mul(85)?.checked_add(value.into())
    });
    number.map(u32::to_be_bytes)
}

/// Does what a delta says: copies runs of the old content, and inserts new bytes.
fn patched(
    old: &[u8],
    delta: &[u8],
    may: &mut impl FnMut(usize) -> bool,
) -> Result<Vec<u8>, BinaryFault> {
    let wrong = BinaryFault::Delta;
    let mut rest = delta;
    let mut length = || number(&mut rest).ok_or(wrong);
    let (of, len) = (length()?, length()?);
    if of != old.len() as u64 {
        return Err(wrong);
    }
    let len = usize::try_from(len).ok().filter(|len| may(*len));
    let len = len.ok_or(BinaryFault::Large)?;
    let mut new = Vec::new();
    while let Some((&command, behind)) = rest.split_first() {
        rest = behind;
        let bytes = match command {
            0 => None,
            1..0x80 => rest.split_off(..usize::from(command)),
            _ => copied(old, command, &mut rest),
        };
        let bytes = bytes.filter(|bytes| bytes.len() <= len - new.len());
        new.extend_from_slice(bytes.ok_or(wrong)?);
    }
    if new.len() == len {
        Ok(new)
    } else {
        Err(wrong)
    }
}

/// Returns the run of the old content that a command copies. Of its bits, four say which bytes of the
/// offset follow, and three which of the length.
fn copied<'o>(old: &'o [u8], command: u8, rest: &mut &[u8]) -> Option<&'o [u8]> {
    let mut field = |bits: std::ops::Range<u8>| {
        let mut values = bits.enumerate().map(|(place, bit)| {
            if command & 1 << bit == 0 {
                return Some(0);
            }
            let byte = rest.split_off_first()?;
            Some(usize::from(*byte) << (8 * place))
        });
        values.try_fold(0, |sum, value| Some(sum | value?))
    };
    let (offset, len) = (field(0..4)?, field(4..7)?);
    let len = if len == 0 { 0x10000 } else { len };
    old.get(offset..)?.get(..len)
}

/// Reads a number of seven bits a byte, the lowest first, of which all bytes but the last have their
/// highest bit set.
fn number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in iter::successors(Some(0), |shift| Some(shift + 7)).take_while(|shift| *shift < 63)
    {
        let byte = rest.split_off_first()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}
