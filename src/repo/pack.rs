//! Packs of new objects: what changes little is stored as what differs from what it was.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;

use flate2::{Compress, Compression, FlushCompress};
use git2::{ObjectFormat, ObjectType, Oid};

use super::git::Git;
use super::kept_pack::KeptPack;
use super::objects::checksum;
use super::tree_write::ObjectStore;
use super::{Repo, RepoError, Revision, objects};
use crate::temporary;
use llmpatch::text::Splice;
use llmpatch::tree::Content;

/// The most bytes that are copied at once: git's own limit.
const MOST_COPIED: usize = 0x1_0000;
/// The most bytes that are inserted at once.
const MOST_INSERTED: usize = 0x7f;
const DELTA: u8 = 7;
/// How many bytes a delta must have for git to read it. That of a file which becomes empty has
/// fewer.
const SHORTEST_DELTA: usize = 4;
/// The most bytes that a pack may have.
const MOST: usize = 0x7fff_ffff;

/// A new object as a pack has it.
#[derive(Clone, Debug)]
struct Packed {
    bytes: Vec<u8>,
    crc: u32,
    /// The object that it is a delta of.
    base: Option<Oid>,
}

/// Makes new objects ready for a pack, and keeps them.
pub(crate) struct Packing {
    format: ObjectFormat,
    compress: Compress,
    has_deltas: bool,
    objects: Vec<(Oid, Packed)>,
}

impl Packing {
    /// Makes one for many changes of the same objects, which are stored as deltas of these.
    pub(crate) fn new(repo: &Repo) -> Self {
        let compress = Compress::new(Compression::fast(), true);
        Self {
            format: repo.git.object_format(),
            compress,
            has_deltas: true,
            objects: Vec::new(),
        }
    }

    /// Makes one for a single change: a delta and what it is of would take more than the object.
    pub(crate) fn without_deltas(repo: &Repo) -> Self {
        Self {
            has_deltas: false,
            ..Self::new(repo)
        }
    }

    /// Hands over what was put in so far.
    pub(crate) fn take(&mut self) -> NewObjects {
        NewObjects(std::mem::take(&mut self.objects))
    }

    /// Returns a pack of what was put in so far.
    pub(super) fn pack_of_all(&self) -> Pack {
        let mut pack = Pack::default();
        pack.add(NewObjects(self.objects.clone()));
        pack
    }

    /// Packs an object whose bytes, or what makes them of a base's, are these.
    fn pack(&mut self, kind: u8, data: &[u8], base: Option<Oid>) -> Packed {
        let mut bytes = header(kind, data.len());
        bytes.extend(base.iter().flat_map(|base| base.as_bytes()));
        self.compress.reset();
        let mut read = 0;
        loop {
            bytes.reserve(64 + (data.len() - read) / 2);
            let before = self.compress.total_in();
            // Memory is all that it needs, and it grows.
            let status =
                self.compress
                    .compress_vec(&data[read..], &mut bytes, FlushCompress::Finish);
            read += usize::try_from(self.compress.total_in() - before).unwrap_or_default();
            if !matches!(status, Ok(flate2::Status::Ok | flate2::Status::BufError)) {
                break;
            }
        }
        Packed {
            crc: crc32fast::hash(&bytes),
            bytes,
            base,
        }
    }
}

impl ObjectStore for Packing {
    fn put(
        &mut self,
        kind: ObjectType,
        content: &Content,
        base: Option<Oid>,
    ) -> Result<Oid, RepoError> {
        let id = Oid::hash_object_ext(kind, content, self.format)
            .map_err(RepoError::git("an object"))?;
        let delta = content
            .splices()
            .map(|(old, splices)| delta(old.size(), content.size(), splices))
            .filter(|delta| delta.len() >= SHORTEST_DELTA);
        let packed = match (base, delta) {
            (Some(base), Some(delta)) if self.has_deltas => self.pack(DELTA, &delta, Some(base)),
            _ => self.pack(number(kind), content, None),
        };
        self.objects.push((id, packed));
        Ok(id)
    }
}

/// Objects that are ready for a pack.
#[derive(Debug, Default)]
pub(crate) struct NewObjects(Vec<(Oid, Packed)>);

impl NewObjects {
    /// Returns how many bytes they have in a pack.
    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|(_, packed)| packed.bytes.len()).sum()
    }
}

/// A pack and its index.
pub(super) struct PackFiles {
    pub(super) pack: Vec<u8>,
    pub(super) index: Vec<u8>,
}

/// A pack in the making.
#[derive(Debug, Default)]
pub(crate) struct Pack {
    objects: BTreeMap<Oid, Packed>,
    len: usize,
}

impl Pack {
    /// Adds objects, each once.
    pub(crate) fn add(&mut self, objects: NewObjects) {
        for (id, packed) in objects.0 {
            self.len += packed.bytes.len();
            self.objects.entry(id).or_insert(packed);
        }
    }

    /// Returns about how many bytes it would have.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Stores it, with whatever its deltas are of. Until what is returned is dropped, `git gc`
    /// leaves it alone.
    ///
    /// # Errors
    /// If one of these can't be read, or the pack not be written. Nothing names it then.
    pub(crate) fn store(self, repo: &Repo) -> Result<KeptPack, RepoError> {
        match self.files(repo)? {
            None => Ok(KeptPack::default()),
            Some(PackFiles { pack, index }) => KeptPack::place(
                repo,
                [&|file| file.write_all(&pack), &|file| {
                    file.write_all(&index)
                }],
            ),
        }
    }

    /// Returns the bytes of a pack, with whatever its deltas are of, and of its index; `None` if it
    /// is empty.
    ///
    /// # Errors
    /// If one of these can't be read, or it is too large.
    pub(super) fn files(mut self, repo: &Repo) -> Result<Option<PackFiles>, RepoError> {
        if self.objects.is_empty() {
            return Ok(None);
        }
        self.add_bases(repo)?;
        let files = self.bytes(repo.git.object_format());
        if files.pack.len() > MOST {
            // Offsets beyond it would be written in another way.
            let error = std::io::ErrorKind::FileTooLarge.into();
            return Err(RepoError::write("a pack")(error));
        }
        Ok(Some(files))
    }

    /// Adds, whole, what deltas are of: a pack on disk holds it, and no delta of it is one of a
    /// delta.
    fn add_bases(&mut self, repo: &Repo) -> Result<(), RepoError> {
        let mut bases: Vec<_> = self
            .objects
            .values()
            .filter_map(|packed| packed.base)
            .collect();
        bases.sort_unstable();
        bases.dedup();
        let mut packing = Packing::new(repo);
        for id in bases {
            let (kind, data) = objects::read(repo, id, |git| {
                let odb = git.odb()?;
                odb.read(id)
                    .map(|object| (object.kind(), object.data().to_vec()))
            })?;
            self.objects
                .insert(id, packing.pack(number(kind), &data, None));
        }
        Ok(())
    }

    fn bytes(&self, format: ObjectFormat) -> PackFiles {
        let count = u32::try_from(self.objects.len()).unwrap_or(u32::MAX);
        let mut pack = Vec::with_capacity(self.len + 1024);
        pack.extend(b"PACK\0\0\0\x02");
        pack.extend(count.to_be_bytes());
        let mut index = b"\xfftOc\0\0\0\x02".to_vec();
        let mut first = [0u32; 256];
        self.objects
            .keys()
            .for_each(|id| first[usize::from(id.as_bytes()[0])] += 1);
        let sums = first.iter().scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        });
        index.extend(sums.flat_map(u32::to_be_bytes));
        index.extend(self.objects.keys().flat_map(|id| id.as_bytes()));
        index.extend(
            self.objects
                .values()
                .flat_map(|packed| packed.crc.to_be_bytes()),
        );
        for packed in self.objects.values() {
            // It is written long before it is as large as that.
            index.extend(u32::try_from(pack.len()).unwrap_or(u32::MAX).to_be_bytes());
            pack.extend(&packed.bytes);
        }
        let sum = checksum(&[&pack], format);
        pack.extend(&sum);
        index.extend(&sum);
        index.extend(checksum(&[&index], format));
        PackFiles { pack, index }
    }
}

/// Writes a bundle of objects, each under a reference of its own name, for whoever has a
/// revision.
///
/// # Errors
/// If git can't pack them, or the file not be written.
pub(crate) fn write_bundle(
    repo: &Repo,
    has: &Revision,
    objects: &BTreeSet<String>,
    path: &Path,
) -> Result<(), RepoError> {
    // Beside trees alone, git doesn't look into those of a commit.
    let known = has.commit.iter().flat_map(|id| [*id, has.tree]);
    let mut asked: Vec<u8> = known
        .flat_map(|id| format!("^{id}\n").into_bytes())
        .collect();
    let mut bundle = match repo.git.object_format() {
        ObjectFormat::Sha256 => b"# v3 git bundle\n@object-format=sha256\n".to_vec(),
        _ => b"# v2 git bundle\n".to_vec(),
    };
    bundle.extend(
        has.commit
            .iter()
            .flat_map(|id| format!("-{id}\n").into_bytes()),
    );
    for id in objects {
        asked.extend(format!("{id}\n").as_bytes());
        bundle.extend(format!("{id} refs/llmpatch/batch/{id}\n").as_bytes());
    }
    bundle.push(b'\n');
    let pack = [
        "pack-objects",
        "--revs",
        "--stdout",
        "--thin",
        "--delta-base-offset",
        "-q",
    ];
    bundle.extend(Git::new(repo).output(pack, &asked)?.iter());
    let directory = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let written = temporary::TempFile::beside(directory, ".llmpatch-", 0o666);
    written
        .and_then(|mut file| {
            file.write_all(&bundle)?;
            file.as_file().sync_all()?;
            file.rename(path)
        })
        .map_err(RepoError::write(path))
}

fn number(kind: ObjectType) -> u8 {
    match kind {
        ObjectType::Commit => 1,
        ObjectType::Tree => 2,
        ObjectType::Tag => 4,
        _ => 3,
    }
}

/// Writes what is before the bytes of an object: what it is, and how long.
fn header(kind: u8, len: usize) -> Vec<u8> {
    let mut rest = len >> 4;
    let mut bytes = vec![kind << 4 | low(len, 0xf)];
    while rest > 0 {
        *bytes.last_mut().unwrap_or(&mut 0) |= 0x80;
        bytes.push(low(rest, 0x7f));
        rest >>= 7;
    }
    bytes
}

fn low(value: usize, mask: usize) -> u8 {
    u8::try_from(value & mask).unwrap_or_default()
}

/// Writes how one content becomes another, as a delta of git.
fn delta(old_len: usize, new_len: usize, splices: &[Splice]) -> Vec<u8> {
    let mut delta = Vec::new();
    for mut len in [old_len, new_len] {
        while len >= 0x80 {
            delta.push(u8::try_from(len & 0x7f).unwrap_or_default() | 0x80);
            len >>= 7;
        }
        delta.push(u8::try_from(len).unwrap_or_default());
    }
    let mut at = 0;
    for splice in splices {
        copy(&mut delta, at, splice.old.start);
        for part in splice.new.chunks(MOST_INSERTED) {
            delta.push(u8::try_from(part.len()).unwrap_or_default());
            delta.extend(part);
        }
        at = splice.old.end;
    }
    copy(&mut delta, at, old_len);
    delta
}

/// Copies a range of the old content.
fn copy(delta: &mut Vec<u8>, mut start: usize, end: usize) {
    while start < end {
        let len = (end - start).min(MOST_COPIED);
        let at = delta.len();
        delta.push(0x80);
        // A length of none stands for the longest.
        let both = [(start, 0, 4), (len & 0xffff, 4, 2)];
        for (value, bit, most) in both {
            for byte in 0..most {
                let part = u8::try_from(value >> (8 * byte) & 0xff).unwrap_or_default();
                if part != 0 {
                    delta[at] |= 1 << (bit + byte);
                    delta.push(part);
                }
            }
        }
        start += len;
    }
}
