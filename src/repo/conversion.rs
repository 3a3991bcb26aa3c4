//! What is between a file on disk and its blob, as attributes (`rules.rs`) and settings say.
//!
//! A text passes through three things on its way to the disk: line ends and keywords
//! (`line_ends.rs`), its encoding (`encoding.rs`), a filter driver (`filter.rs`). An edit sees what
//! users see on disk, in UTF-8, so only the encoding is between the two; into the store go the
//! bytes on disk, through all three. All of that git does, unless the bytes are provably left as
//! they are.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bstr::{BString, ByteSlice as _};

use super::encoding::Way;
use super::line_ends::{Attributes, Settings, Value};
use super::rules::{Consult, RuleBook};
use super::{GitFilter, Repo, RepoError, encoding, objects};
use llmpatch::path::RepoPath;
use llmpatch::text::Shown;
use llmpatch::tree::{
    AttributeFiles, Content, Hindrance, Planned, TreeError, Withheld, is_pointer,
};

/// Turns bytes of the work tree into bytes of a blob and back, as git would for their path.
pub(crate) struct Conversion<'r> {
    repo: &'r Repo,
    rules: RuleBook<'r>,
    settings: Settings,
    /// Whether `git add` refuses line ends that a checkout wouldn't bring back.
    is_strict: bool,
}

impl<'r> Conversion<'r> {
    /// Returns what is between files on disk and their blobs.
    pub(super) fn new(repo: &'r Repo, consult: Consult) -> Result<Self, RepoError> {
        let config = &repo.config;
        let rules = RuleBook::new(repo, consult, AttributeFiles::new());
        let is_strict = config.word("core.safecrlf") != b"warn"
            && config.bool("core.safecrlf")?.unwrap_or(false);
        let settings = Settings::of(config, repo.config.is_all_for_git()?)?;
        Ok(Self {
            repo,
            rules,
            settings,
            is_strict,
        })
    }

    /// Returns the same for a change of the work tree alone, for which the index is read only if it
    /// must be.
    pub(super) fn of_work_tree(repo: &'r Repo) -> Result<Self, RepoError> {
        // Sparse checkout leaves `.gitattributes` out like anything else, and git then takes it
        // from the index.
        let is_sparse = repo.config.bool("core.sparsecheckout")?.unwrap_or(false);
        let consult = if is_sparse {
            Consult::Index
        } else {
            Consult::Disk
        };
        Self::new(repo, consult)
    }

    /// Returns the same for when a change has been made that writes or removes these files.
    pub(crate) fn after(&self, changed: AttributeFiles) -> Self {
        Self {
            rules: self.rules.after(changed),
            ..*self
        }
    }

    /// Returns the bytes of the blob that `git add` would make of a file. `indexed` is asked for
    /// the blob that the index now has for the path, where that decides: where git only guesses
    /// that a file is text, one with CRLF in it is left alone.
    ///
    /// # Errors
    /// If attributes or the blob can't be read, or git refuses.
    pub(crate) fn to_git<'b>(
        &self,
        path: &RepoPath,
        content: &'b Content,
        indexed: impl FnOnce() -> Result<Option<git2::Oid>, RepoError>,
    ) -> Result<Cow<'b, Content>, RepoError> {
        let is_crlf_indexed = || self.is_crlf_blob(indexed()?);
        let attributes = self.attributes(path)?;
        let Some(why) = self.is_for_git(path)? else {
            return self.clean(path, &attributes, content, is_crlf_indexed);
        };
        // git goes by the blob in the index then, which the child doesn't look at.
        if content.contains_str("\r\n") && attributes.guesses(self.settings) && is_crlf_indexed()? {
            return Err(RepoError::Attribute {
                what: format!("{why}, and is stored with CRLF under `text=auto`"),
            });
        }
        match GitFilter::of(self.repo)?.clean(
            path,
            self.driver(path)?.as_ref(),
            content.kept(),
            &self.rules.of(path)?,
        ) {
            Ok(stored) => {
                self.repo.by_git.borrow_mut().insert(path.clone(), why);
                Ok(Cow::Owned(stored.into()))
            }
            Err(RepoError::Child { message, .. }) => Err(RepoError::Unstored {
                what: format!("{why}, and git can't store it: {}", Shown(&message)),
            }),
            Err(error) => Err(error),
        }
    }

    /// Returns the bytes of the blob of a file that is about to be stored, and refuses what `git
    /// add` refuses under `core.safecrlf`: line ends that a checkout wouldn't bring back.
    ///
    /// As [`Conversion::to_git`], and for these line ends.
    pub(crate) fn to_store<'b>(
        &self,
        path: &RepoPath,
        content: &'b Content,
        indexed: Option<git2::Oid>,
    ) -> Result<Cow<'b, Content>, RepoError> {
        if self.is_strict && self.is_for_git(path)?.is_none() {
            let attributes = Attributes {
                ident: Value::Unspecified,
                ..self.attributes(path)?
            };
            let stored = self
                .clean(path, &attributes, content, || self.is_crlf_blob(indexed))?
                .to_vec();
            if self.written(path, &attributes, stored)?[..] != content[..] {
                let what =
                    "has line ends that a checkout wouldn't bring back (core.safecrlf)".to_owned();
                return Err(RepoError::Attribute { what });
            }
        }
        self.to_git(path, content, || Ok(indexed))
    }

    fn is_crlf_blob(&self, blob: Option<git2::Oid>) -> Result<bool, RepoError> {
        let Some(id) = blob else { return Ok(false) };
        self.repo.check_objects()?;
        self.is_crlf_text(objects::find_blob(self.repo, id)?.content())
    }

    /// Returns whether stored bytes are text with CRLF in it.
    fn is_crlf_text(&self, bytes: &[u8]) -> Result<bool, RepoError> {
        Ok(bytes.contains_str("\r\n")
            && encoding::convert(self.repo, b" text=auto", bytes, Way::FromDisk)? != bytes)
    }

    /// Returns what git makes of the line ends and keywords of bytes that it stores.
    /// `stored_has_crlf` says whether the blob now in the index is text with CRLF in it, for which
    /// a guess makes way; it is asked only where that decides.
    fn clean<'b>(
        &self,
        path: &RepoPath,
        attributes: &Attributes,
        content: &'b Content,
        stored_has_crlf: impl FnOnce() -> Result<bool, RepoError>,
    ) -> Result<Cow<'b, Content>, RepoError> {
        if !attributes.may_store_other(self.settings, content) {
            return Ok(Cow::Borrowed(content));
        }
        let makes_way =
            content.contains_str("\r\n") && attributes.guesses(self.settings) && stored_has_crlf()?;
        let rule = if makes_way {
            Attributes {
                text: Value::False,
                ident: attributes.ident.clone(),
                ..Attributes::default()
            }
            .rule()
        } else {
            attributes.rule()
        };
        self.note(path);
        Ok(Cow::Owned(
            encoding::convert(self.repo, &rule, content, Way::FromDisk)?.into(),
        ))
    }

    /// Returns what git makes of the line ends and keywords of bytes that it writes to the disk.
    fn written(
        &self,
        path: &RepoPath,
        attributes: &Attributes,
        bytes: Vec<u8>,
    ) -> Result<Vec<u8>, RepoError> {
        if !attributes.may_write_other(self.settings, &bytes) {
            return Ok(bytes);
        }
        self.note(path);
        encoding::convert(self.repo, &attributes.rule(), &bytes, Way::ToDisk)
    }

    fn note(&self, path: &RepoPath) {
        let why = if self.settings.is_all_for_git {
            "is git's to convert (llmpatch.backend=git)"
        } else {
            "has attributes or settings for its line ends or `$Id$`"
        };
        self.repo
            .by_git
            .borrow_mut()
            .entry(path.clone())
            .or_insert_with(|| why.to_owned());
    }

    /// Returns what a file is to hold on disk where another path, or another state of the
    /// attributes, is in force. The blob is not to change by that, as it doesn't for `git mv`:
    /// where the bytes would be stored as another blob, they become what a checkout of the blob
    /// writes; else they stay. A filter driver takes the file as it is. `indexed` is asked for the
    /// blob that the index has for the old path.
    ///
    /// # Errors
    /// As [`Conversion::to_git`] and [`Conversion::to_work_tree`].
    pub(super) fn carry(
        &self,
        from: &RepoPath,
        to: (&Conversion<'_>, &RepoPath),
        content: Content,
        indexed: impl FnOnce() -> Option<git2::Oid>,
    ) -> Result<Content, RepoError> {
        let (after, path) = to;
        if content.why_withheld().is_some() {
            return Ok(content);
        }
        let content = if self.encoding(from)? == after.encoding(path)? {
            content
        } else {
            content.text().clone()
        };
        if self.driver(from)?.is_some() || after.driver(path)?.is_some() {
            return Ok(content);
        }
        let before = self.attributes(from)?;
        let attributes = after.attributes(path)?;
        let stored = self.clean(from, &before, &content, || self.is_crlf_blob(indexed()))?;
        if after.clean(path, &attributes, &content, || self.is_crlf_text(&stored))? == stored {
            return Ok(content);
        }
        Ok(after.written(path, &attributes, stored.to_vec())?.into())
    }

    /// Returns what users would see of a new file after a checkout.
    ///
    /// # Errors
    /// If attributes can't be read.
    pub(crate) fn to_work_tree(
        &self,
        path: &RepoPath,
        bytes: Vec<u8>,
    ) -> Result<Vec<u8>, RepoError> {
        self.written(path, &self.attributes(path)?, bytes)
    }

    /// Makes the contents of the files of a change what git would have on disk by the attributes
    /// that the change brings. A new file becomes what a checkout writes, the others as
    /// [`Conversion::carry`] says.
    ///
    /// # Errors
    /// As [`Conversion::carry`], and if one can't be encoded.
    pub(super) fn settle(
        &self,
        files: &mut [Planned<'_>],
        rules: &AttributeFiles,
        indexed: impl Fn(&RepoPath) -> Option<git2::Oid>,
    ) -> Result<(), TreeError> {
        let changed = (!rules.is_empty()).then(|| self.after(rules.clone()));
        let after = changed.as_ref().unwrap_or(self);
        for Planned {
            path,
            is_new,
            content,
        } in files
        {
            let settled = match is_new {
                _ if rules.is_empty() => Ok(content.clone()),
                true => self
                    .attributes(path)
                    .and_then(|attributes| self.clean(path, &attributes, content, || Ok(false)))
                    .and_then(|stored| after.to_work_tree(path, stored.to_vec()))
                    .map(Content::from),
                false => self.carry(path, (after, path), content.clone(), || indexed(path)),
            };
            let kept = settled.and_then(|content| after.keep(path, content));
            **content = kept.map_err(|error| error.at(path))?;
        }
        Ok(())
    }

    /// Returns what users see of a file on disk.
    ///
    /// # Errors
    /// If attributes can't be read, or git can't be asked.
    pub(super) fn open(&self, path: &RepoPath, kept: Content) -> Result<Content, RepoError> {
        if is_pointer(&kept)
            && let Some(driver) = self.driver(path)?
        {
            return Ok(not_at_hand(kept, &driver));
        }
        let Some(encoding) = self.encoding(path)? else {
            return Ok(kept);
        };
        self.repo
            .by_git
            .borrow_mut()
            .insert(path.clone(), encoded(&encoding));
        let text = encoding::decode(self.repo, encoding.as_bstr(), &kept)?;
        Ok(match text {
            Some(text) => Content::kept_as(text, kept),
            None => {
                let what = format!(
                    "{}, and doesn't hold what git would write so",
                    encoded(&encoding)
                );
                Content::withheld(
                    kept,
                    Withheld {
                        what,
                        by: Hindrance::Encoding,
                    },
                )
            }
        })
    }

    /// Makes a text be kept as it would lie on disk.
    ///
    /// # Errors
    /// If it can't be encoded so.
    pub(super) fn keep(&self, path: &RepoPath, content: Content) -> Result<Content, RepoError> {
        if content.is_kept() {
            return Ok(content);
        }
        let Some(encoding) = self.encoding(path)? else {
            return Ok(content);
        };
        match encoding::encode(self.repo, encoding.as_bstr(), &content)? {
            Some(kept) => Ok(Content::kept_as(content, kept.into())),
            None => {
                let what = format!(
                    "{}, which can't encode some of its characters",
                    encoded(&encoding)
                );
                Err(RepoError::Attribute { what })
            }
        }
    }

    /// Returns what users would see of a blob once it is checked out, if that can be told from what
    /// is at hand.
    ///
    /// # Errors
    /// If attributes can't be read, or git can't be asked.
    pub(super) fn open_blob(&self, path: &RepoPath, blob: Content) -> Result<Content, RepoError> {
        let Some(driver) = self.driver(path)? else {
            return Ok(blob);
        };
        // git-lfs would fetch it.
        if is_pointer(&blob) && !self.is_at_hand(&blob) {
            return Ok(not_at_hand(blob, &driver));
        }
        self.repo
            .by_git
            .borrow_mut()
            .insert(path.clone(), driven(&driver));
        let filter = GitFilter::of(self.repo)?;
        let smudged = match filter.smudge(path, Some(&driver), &blob, &self.rules.of(path)?) {
            Err(RepoError::Child { message, .. }) => {
                let what = format!(
                    "{}, which can't tell its content: {}",
                    driven(&driver),
                    Shown(&message)
                );
                return Ok(Content::withheld(
                    blob,
                    Withheld {
                        what,
                        by: Hindrance::Filter,
                    },
                ));
            }
            smudged => smudged?,
        };
        if is_pointer(&smudged) {
            return Ok(not_at_hand(blob, &driver));
        }
        let seen = self.open(path, smudged.into())?;
        Ok(match seen.why_withheld() {
            Some(why) => Content::withheld(blob, why.clone()),
            None => Content::kept_as(seen, blob),
        })
    }

    /// Returns whether git-lfs has what a pointer points at.
    fn is_at_hand(&self, pointer: &[u8]) -> bool {
        let fields = ["oid sha256:", "size "].map(|name| {
            let mut lines = pointer.lines();
            lines.find_map(|line| line.strip_prefix(name.as_bytes())?.to_str().ok())
        });
        let [Some(id), Some(size)] = fields else {
            return false;
        };
        let (Some(first), Some(second)) = (id.get(..2), id.get(2..4)) else {
            return false;
        };
        let storage = self
            .repo
            .config
            .string("lfs.storage")
            .ok()
            .flatten()
            .unwrap_or_else(|| "lfs".into());
        let object = self
            .repo
            .common_dir()
            .join(storage.to_path_lossy())
            .join("objects")
            .join(first)
            .join(second);
        object
            .join(id)
            .metadata()
            .is_ok_and(|file| size.parse() == Ok(file.len()))
    }

    /// Makes a text be kept as the blob that `git add` would make of it.
    ///
    /// # Errors
    /// If it can't be encoded, or git refuses.
    pub(super) fn keep_blob(
        &self,
        path: &RepoPath,
        content: Content,
    ) -> Result<Content, RepoError> {
        if content.is_kept() {
            return Ok(content);
        }
        let driver = self.driver(path)?;
        // What names no encoding hinders a checkout, not what is stored.
        if driver.is_none() && matches!(self.encoding(path), Err(RepoError::Attribute { .. })) {
            return Ok(content);
        }
        let on_disk = self.keep(path, content.clone())?;
        Ok(match driver {
            Some(_) => Content::kept_as(
                content,
                self.to_git(path, &on_disk, || Ok(None))?.into_owned(),
            ),
            None => content,
        })
    }

    /// Makes the contents of the files of a change be kept as blobs, by the attributes that the
    /// change brings.
    ///
    /// # Errors
    /// As [`Conversion::keep_blob`].
    pub(super) fn settle_blobs(
        &self,
        files: &mut [Planned<'_>],
        rules: &AttributeFiles,
    ) -> Result<(), TreeError> {
        let changed = (!rules.is_empty()).then(|| self.after(rules.clone()));
        for Planned { path, content, .. } in files {
            let after = changed.as_ref().unwrap_or(self);
            **content = after
                .keep_blob(path, content.clone())
                .map_err(|error| error.at(path))?;
        }
        Ok(())
    }

    /// Returns why only git is to convert a path's bytes: it has a filter driver, or an encoding.
    ///
    /// # Errors
    /// If attributes can't be read.
    pub(super) fn is_for_git(&self, path: &RepoPath) -> Result<Option<String>, RepoError> {
        Ok(match self.driver(path)? {
            Some(driver) => Some(driven(&driver)),
            None => self.encoding(path)?.map(|encoding| encoded(&encoding)),
        })
    }

    /// Returns the filter driver of a path. A driver that nobody has set up does nothing, for git
    /// either.
    fn driver(&self, path: &RepoPath) -> Result<Option<BString>, RepoError> {
        let [Value::Word(driver)] = self.rules.values(path, ["filter"])? else {
            return Ok(None);
        };
        let driver = BString::from(driver);
        let parts = ["clean", "smudge", "process", "required"];
        let is_set_up = parts.iter().any(|part| {
            let key = format!("filter.{driver}.{part}");
            !matches!(self.repo.config.string(&key), Ok(None))
        });
        Ok(is_set_up.then_some(driver))
    }

    /// Returns the encoding that a path has on disk, if it isn't the stored one.
    ///
    /// # Errors
    /// If the attribute names none.
    fn encoding(&self, path: &RepoPath) -> Result<Option<BString>, RepoError> {
        match self.rules.values(path, ["working-tree-encoding"])? {
            [Value::Unspecified | Value::False] => Ok(None),
            [Value::Word(name)] => {
                let is_stored = name.is_empty()
                    || [&b"utf-8"[..], b"utf8"].contains(&&name.to_ascii_lowercase()[..]);
                Ok((!is_stored).then(|| name.into()))
            }
            [Value::True] => Err(RepoError::Attribute {
                what: "has a `working-tree-encoding` that names none".into(),
            }),
        }
    }

    /// Returns the value of the attribute `diff` of a path.
    ///
    /// # Errors
    /// If attributes can't be read.
    pub(super) fn diff_attribute(&self, path: &RepoPath) -> Result<Value, RepoError> {
        self.rules.values(path, ["diff"]).map(|[value]| value)
    }

    fn attributes(&self, path: &RepoPath) -> Result<Attributes, RepoError> {
        let [text, crlf, eol, ident] = self.rules.values(path, ["text", "crlf", "eol", "ident"])?;
        Ok(Attributes {
            text,
            crlf,
            eol,
            ident,
        })
    }
}

fn not_at_hand(kept: Content, driver: &BString) -> Content {
    let what = format!("is only a pointer (filter={driver}), and its content isn't at hand");
    Content::withheld(
        kept,
        Withheld {
            what,
            by: Hindrance::NotFetched,
        },
    )
}

fn driven(driver: &BString) -> String {
    format!("has a filter driver (filter={driver})")
}

fn encoded(encoding: &BString) -> String {
    format!("is encoded on disk (working-tree-encoding={encoding})")
}

impl std::fmt::Debug for Conversion<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Conversion")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// Returns the paths whose bytes were converted by git rather than here, and why.
pub(crate) fn by_git(repo: &Repo) -> BTreeMap<RepoPath, String> {
    repo.by_git.borrow().clone()
}
