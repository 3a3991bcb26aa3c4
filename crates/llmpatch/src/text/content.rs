use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use super::lines::{Lines, Starts};

/// The bytes of a file, shared rather than copied: all of them, or the bytes of another content
/// with some ranges replaced.
///
/// They are what a user sees of the file. Where it is kept otherwise, in another encoding say, or
/// as what a filter makes of it, the bytes that are kept are told with them ([`Content::kept`]).
/// Contents are equal if users see the same.
#[derive(Clone)]
pub struct Content(Arc<Bytes>);

enum Bytes {
    Whole {
        bytes: Memory,
        /// Where the lines start, once somebody wants to know.
        starts: OnceLock<Starts>,
    },
    Spliced {
        base: Content,
        splices: Vec<Splice>,
        /// All bytes, once somebody wants them in one piece.
        whole: OnceLock<Vec<u8>>,
    },
    Kept {
        /// What users see, or why nobody can tell.
        text: Result<Content, Withheld>,
        kept: Content,
    },
}

/// Where the bytes of a whole file are.
enum Memory {
    Own(Vec<u8>),
    Foreign(Box<dyn AsRef<[u8]> + Send + Sync>),
}

impl Deref for Memory {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Memory::Own(bytes) => bytes,
            Memory::Foreign(bytes) => (**bytes).as_ref(),
        }
    }
}

/// Why nobody can tell what users see of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withheld {
    /// What the file is, such as `is only a pointer`.
    pub what: String,
    /// What is in the way.
    pub by: Hindrance,
}

/// What is in the way of telling what users see of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hindrance {
    /// The file isn't in the encoding that its attribute names.
    Encoding,
    /// The filter driver fails.
    Filter,
    /// The content is on a server.
    NotFetched,
}

/// A range of a content and what takes its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// The bytes that go, by their offsets.
    pub old: Range<usize>,
    /// The bytes that come.
    pub new: Vec<u8>,
}

impl Splice {
    /// Puts it behind all splices of a list; if it touches the last, it becomes a part of that.
    pub(crate) fn add_to(mut self, splices: &mut Vec<Splice>) {
        let last = splices.last_mut();
        if !last.is_some_and(|last| last.join(&mut self)) {
            splices.push(self);
        }
    }

    /// Takes in the splice behind it, if they touch.
    fn join(&mut self, next: &mut Splice) -> bool {
        let touches = self.old.end == next.old.start;
        if touches {
            self.old.end = next.old.end;
            self.new.append(&mut next.new);
        }
        touches
    }
}

impl Content {
    /// Makes a content of bytes that are in memory of another kind than a vector's, such as large
    /// pages or a mapped file.
    pub fn from_owner(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        Self::whole(Memory::Foreign(Box::new(bytes)))
    }

    fn whole(bytes: Memory) -> Self {
        Self(Arc::new(Bytes::Whole {
            bytes,
            starts: OnceLock::new(),
        }))
    }

    /// Makes a content of another content in which ranges are replaced. They are in order; ranges
    /// that touch are joined.
    ///
    /// # Panics
    /// If they aren't in order, or `base` is shorter.
    pub fn spliced(base: Content, mut splices: Vec<Splice>) -> Self {
        splices.dedup_by(|next, splice| {
            assert!(splice.old.end <= next.old.start, "splices come in order");
            splice.join(next)
        });
        assert!(
            splices
                .iter()
                .all(|splice| splice.old.start <= splice.old.end && splice.old.end <= base.len())
        );
        if splices.is_empty() {
            return base;
        }
        Self(Arc::new(Bytes::Spliced {
            base,
            splices,
            whole: OnceLock::new(),
        }))
    }

    /// Returns whether it is another, shared, so that their bytes needn't be compared.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Makes a content that is kept as other bytes.
    pub fn kept_as(text: impl Into<Content>, kept: Content) -> Self {
        Self(Arc::new(Bytes::Kept {
            text: Ok(text.into().text().clone()),
            kept,
        }))
    }

    /// Makes a content of which only the bytes that are kept are known: no edit can be made of it.
    pub fn withheld(kept: Content, why: Withheld) -> Self {
        Self(Arc::new(Bytes::Kept {
            text: Err(why),
            kept,
        }))
    }

    /// Returns the bytes that are kept: on disk, or as a blob.
    pub fn kept(&self) -> &Content {
        match &*self.0 {
            Bytes::Kept { kept, .. } => kept,
            _ => self,
        }
    }

    /// Returns whether it is known how the content is kept where that isn't as users see it.
    pub fn is_kept(&self) -> bool {
        matches!(&*self.0, Bytes::Kept { .. })
    }

    /// Returns what users see, as if it were kept so.
    pub fn text(&self) -> &Content {
        match &*self.0 {
            Bytes::Kept { text: Ok(text), .. } => text,
            Bytes::Kept { kept, .. } => kept,
            _ => self,
        }
    }

    /// Returns why nobody can tell what users see.
    pub fn why_withheld(&self) -> Option<&Withheld> {
        match &*self.0 {
            Bytes::Kept { text, .. } => text.as_ref().err(),
            _ => None,
        }
    }

    /// Returns what it was made of: another content, and what takes the place of what in it.
    pub fn splices(&self) -> Option<(&Content, &[Splice])> {
        match &*self.text().0 {
            Bytes::Spliced { base, splices, .. } => Some((base, splices)),
            _ => None,
        }
    }

    /// Returns the lines. Where they start is found out once, however many edits or responses look
    /// at them.
    pub fn lines(&self) -> Lines<'_> {
        match &*self.text().0 {
            Bytes::Whole { bytes, starts } => Lines::with(
                bytes,
                starts.get_or_init(|| Lines::new(bytes).starts()).clone(),
            ),
            _ => Lines::new(self),
        }
    }

    /// Returns the bytes in parts, in order.
    pub fn parts(&self) -> impl Iterator<Item = &[u8]> {
        let (whole, spliced) = match &*self.text().0 {
            Bytes::Spliced {
                base,
                splices,
                whole,
            } if whole.get().is_none() => (None, Some((&base[..], &splices[..]))),
            _ => (Some(&self[..]), None),
        };
        let parts = spliced.into_iter().flat_map(|(base, splices)| {
            let starts = std::iter::once(0).chain(splices.iter().map(|splice| splice.old.end));
            let ends = splices
                .iter()
                .map(|splice| splice.old.start)
                .chain([base.len()]);
            let new = splices
                .iter()
                .map(|splice| &splice.new[..])
                .chain([&[][..]]);
            starts
                .zip(ends)
                .zip(new)
                .flat_map(move |((start, end), new)| [&base[start..end], new])
        });
        whole
            .into_iter()
            .chain(parts)
            .filter(|part| !part.is_empty())
    }

    /// Returns how many bytes there are, without putting them together.
    pub fn size(&self) -> usize {
        match self.splices() {
            None => self.len(),
            Some((base, splices)) => splices.iter().fold(base.size(), |size, splice| {
                size - splice.old.len() + splice.new.len()
            }),
        }
    }

    /// Returns whether git would take it for binary: a NUL among the first 8000 bytes.
    pub fn is_binary(&self) -> bool {
        let mut left = BINARY;
        self.parts().any(|part| {
            let looked_at = &part[..part.len().min(left)];
            left -= looked_at.len();
            memchr::memchr(0, looked_at).is_some()
        })
    }
}

/// How many bytes git looks at to tell whether they are binary.
const BINARY: usize = 8000;

/// Returns whether bytes are what git-lfs has in the place of a content.
pub fn is_pointer(content: &[u8]) -> bool {
    content.starts_with(b"version https://git-lfs.github.com/spec/") && content.len() < 1024
}

/// Returns whether git would take bytes for binary: a NUL among the first 8000.
pub fn is_binary(content: &[u8]) -> bool {
    memchr::memchr(0, &content[..content.len().min(BINARY)]).is_some()
}

impl Deref for Content {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &*self.0 {
            Bytes::Whole { bytes, .. } => bytes,
            Bytes::Kept { text, kept } => text.as_ref().unwrap_or(kept),
            Bytes::Spliced {
                base,
                splices,
                whole,
            } => whole.get_or_init(|| {
                let mut bytes = Vec::with_capacity(self.size());
                let mut kept = 0;
                for splice in splices {
                    bytes.extend_from_slice(&base[kept..splice.old.start]);
                    bytes.extend_from_slice(&splice.new);
                    kept = splice.old.end;
                }
                bytes.extend_from_slice(&base[kept..]);
                bytes
            }),
        }
    }
}

impl AsRef<[u8]> for Content {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl<B: Into<Vec<u8>>> From<B> for Content {
    fn from(bytes: B) -> Self {
        Self::whole(Memory::Own(bytes.into()))
    }
}

impl PartialEq for Content {
    fn eq(&self, other: &Self) -> bool {
        if self.is(other) {
            return true;
        }
        self.size() == other.size() && same_parts(self.parts(), other.parts())
    }
}

/// Returns whether two contents of equal size are the same.
fn same_parts<'p>(
    mut a: impl Iterator<Item = &'p [u8]>,
    mut b: impl Iterator<Item = &'p [u8]>,
) -> bool {
    let (mut left, mut right): (&[u8], &[u8]) = (&[], &[]);
    loop {
        if left.is_empty() {
            left = a.next().unwrap_or_default();
        }
        if right.is_empty() {
            right = b.next().unwrap_or_default();
        }
        let len = left.len().min(right.len());
        if len == 0 {
            return left.is_empty() && right.is_empty();
        }
        // Parts of one base are the same where they are the same bytes of memory.
        if !std::ptr::eq(&left[..len], &right[..len]) && left[..len] != right[..len] {
            return false;
        }
        (left, right) = (&left[len..], &right[len..]);
    }
}

impl Eq for Content {}

impl Hash for Content {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().for_each(|part| state.write(part));
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        bstr::BStr::new(&self[..]).fmt(f)
    }
}

/// Returns whether a text is UTF-8. Of a text with other bytes in it, at least half of the lines
/// beyond ASCII must be UTF-8.
pub fn is_utf8(content: &[u8]) -> bool {
    if std::str::from_utf8(content).is_ok() {
        return true;
    }
    let beyond = content.split(|&byte| byte == b'\n');
    let beyond = beyond.filter(|line| !line.is_ascii());
    let (utf8, other): (Vec<_>, Vec<_>) =
        beyond.partition(|line| std::str::from_utf8(line).is_ok());
    utf8.len() >= other.len()
}

/// Returns how many items two sequences begin with alike.
pub(crate) fn same_start<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    let whole = MANY
        * a.chunks_exact(MANY)
            .zip(b.chunks_exact(MANY))
            .take_while(|(a, b)| a == b)
            .count();
    whole
        + a[whole..]
            .iter()
            .zip(&b[whole..])
            .take_while(|(a, b)| a == b)
            .count()
}

/// Returns how many items two sequences end with alike.
pub(crate) fn same_end<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    let whole = MANY
        * a.rchunks_exact(MANY)
            .zip(b.rchunks_exact(MANY))
            .take_while(|(a, b)| a == b)
            .count();
    let rest = |all: &'_ [T]| all.len() - whole;
    whole
        + a[..rest(a)]
            .iter()
            .rev()
            .zip(b[..rest(b)].iter().rev())
            .take_while(|(a, b)| a == b)
            .count()
}

/// Returns how many items two sequences begin with alike, and how many of the others they end with
/// alike.
pub fn same_ends<T: PartialEq>(a: &[T], b: &[T]) -> (usize, usize) {
    let head = same_start(a, b);
    (head, same_end(&a[head..], &b[head..]))
}

/// How many items are compared at once, which is several times as fast as comparing each.
const MANY: usize = 32;
