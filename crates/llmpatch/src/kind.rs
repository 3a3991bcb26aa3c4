//! The one table of kinds: a short stable code for every error and warning, shared by messages,
//! manual and exit status.

use std::fmt;

use strum::EnumProperty;

/// Whom an error is laid at, and so the exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The response, or a tree that isn't what it needs: exit status 1.
    Response,
    /// The command line or a setting: exit status 2.
    Usage,
    /// The repository or the system: exit status 3.
    System,
    /// Nobody: it is a warning.
    Nobody,
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal, $blame:ident;)*) => {
        /// What kind of error or warning something is. The codes are part of the interface and
        /// never change meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
        #[non_exhaustive]
        pub enum Kind { $($(#[doc = $doc])* #[serde(rename = $code)] $name,)* }

        impl Kind {
            /// Every kind, errors first.
            pub const ALL: &'static [Kind] = &[$(Kind::$name),*];

            /// Returns the stable code, such as `lines-not-found`.
            pub fn code(self) -> &'static str {
                match self { $(Kind::$name => $code,)* }
            }

            /// Returns whom it is laid at.
            pub fn blame(self) -> Blame {
                match self { $(Kind::$name => Blame::$blame,)* }
            }

            /// Returns one sentence that says what it means.
            pub fn meaning(self) -> &'static str {
                match self { $(Kind::$name => concat!($($doc),*).trim_ascii(),)* }
            }
        }
    };
}

kinds! {
    /// The response can't be read as a patch.
    Parse = "parse", Response;
    /// The line named after `@@` isn't in the file where it is looked for.
    ContextNotFound = "context-not-found", Response;
    /// The lines or the text that the patch says are in the file aren't there.
    LinesNotFound = "lines-not-found", Response;
    /// Several places match and nothing decides between them.
    Ambiguous = "ambiguous", Response;
    /// An `occurrence` that isn't `first`, `last` or a number from 1, or is out of range.
    Occurrence = "occurrence", Response;
    /// A file that the patch changes, deletes or moves isn't there.
    FileMissing = "file-missing", Response;
    /// Something is where the patch puts a new file.
    FileExists = "file-exists", Response;
    /// A path that leads out of the work tree, into `.git` or a submodule, through a link, or to no
    /// regular file.
    UnsafePath = "unsafe-path", Response;
    /// Lines of a binary file can't be changed.
    Binary = "binary", Response;
    /// A file isn't what it must be: unmerged, different from the index, HEAD or the lines that a
    /// deletion shows, or changed by another program meanwhile.
    Stale = "stale", Response;
    /// Every file already is as the patch wants it, or `--include` and `--exclude` leave nothing.
    Unchanged = "unchanged", Response;
    /// The person who was asked chose nothing of it, or left the message of the commit empty.
    Declined = "declined", Response;
    /// There is no apply that undo could take back: there was none, or it was committed.
    NothingToUndo = "nothing-to-undo", Response;
    /// A path that responses may not touch in this repository or this run.
    Protected = "protected", Response;
    /// Patch markers that were left in a file.
    Markers = "markers", Response;
    /// A change that the requested format can't express.
    Unrepresentable = "inexpressible", Response;
    /// An earlier edit of the response changed the same lines.
    Conflict = "conflict", Response;
    /// A file isn't UTF-8, and a new line would be, with characters beyond ASCII.
    Encoding = "encoding", Response;
    /// Text that replaces a whole file, and looks as if code had been left out. In a hunk it is a
    /// warning.
    Elision = "elision", Response;
    /// Something that a response asks for and that isn't done; what to send instead is said.
    Unsupported = "unsupported", Response;
    /// Another process holds the index lock, or committed at the same moment.
    Locked = "locked", System;
    /// A hook refused the commit.
    Hook = "hook", System;
    /// git knows no name and address to commit with.
    Identity = "identity", System;
    /// What this repository is, or what is going on in it, isn't served.
    Repository = "repository", System;
    /// A read or a write went wrong.
    Io = "io", System;
    /// What an option, an argument or a setting names isn't there, or can't be used.
    Usage = "usage", Usage;
    /// A signal, such as that of Ctrl-C, ended the run.
    Signal = "signal", System;

    /// An `<edit>` in the middle of a line of prose was ignored.
    ProseEdit = "prose-edit", Nobody;
    /// A patch inside an HTML comment was ignored.
    CommentedPatch = "commented-patch", Nobody;
    /// A patch in which the model thinks aloud, such as between `<think>` and `</think>`, was ignored.
    DraftPatch = "draft-patch", Nobody;
    /// Something that is nearly a patch was ignored beside a patch.
    NearPatch = "near-patch", Nobody;
    /// A patch in lines that are quoted by `>`, or in what the model says beside the calls of a session, was ignored.
    QuotedPatch = "quoted-patch", Nobody;
    /// A patch in JSON was ignored, since no known message has patches where it is.
    UnknownPlace = "unknown-place", Nobody;
    /// Calls were ignored, since they failed, were refused or were never carried out, or a review comment, since it is outdated or resolved.
    UndoneCall = "undone-call", Nobody;
    /// Calls at the end of a session were read, though nothing says whether they were carried out.
    PendingCall = "pending-call", Nobody;
    /// A patch that repeats an earlier one was ignored.
    RepeatedPatch = "repeated-patch", Nobody;
    /// An edit repeats an earlier one of the same response, and both were applied.
    RepeatedEdit = "repeated-edit", Nobody;
    /// An end marker that ends nothing, or a response that may have been cut off before the end of
    /// the fence around a diff.
    StrayMarker = "stray-marker", Nobody;
    /// A patch in another format than the requested one was ignored.
    SkippedFormat = "skipped-format", Nobody;
    /// A mail named the author of the commit.
    MailAuthor = "mail-author", Nobody;
    /// Edits were left out, as `--include` and `--exclude` say.
    LeftOut = "left-out", Nobody;
    /// An option that is for patches of other formats than the response's.
    UnusedOption = "unused-option", Nobody;
    /// A marker with something around it that doesn't belong there.
    DecoratedMarker = "decorated-marker", Nobody;
    /// An empty line without a prefix, where every line must have one, was read as an empty line of
    /// the file.
    BlankInBody = "blank-in-body", Nobody;
    /// `@@` and its text without a space between them.
    LocatorSpacing = "locator-spacing", Nobody;
    /// Line numbers after `@@`, which this format ignores.
    LocatorNumbers = "locator-numbers", Nobody;
    /// A line after `@@` that isn't in the file as written, or only before the previous hunk, and
    /// was found by a looser rule.
    LocatorRelaxed = "locator-relaxed", Nobody;
    /// What is looked for isn't in the block that the line after `@@` before it opens.
    OutsideContext = "outside-context", Nobody;
    /// A `\ No newline at end of file` in a format that has no line for it.
    NoNewlineMark = "no-newline-mark", Nobody;
    /// A bare `+` at the end of a new file, which was read as the newline of its last line.
    LastPlus = "last-plus", Nobody;
    /// Lines that are in the file only at a level of `--fuzz`.
    Fuzzy = "fuzzy", Nobody;
    /// Old lines that begin with the context line itself.
    Restated = "restated", Nobody;
    /// A trailing empty line of a hunk that isn't in the file was dropped.
    BlankDropped = "blank-dropped", Nobody;
    /// The lines are elsewhere too; the first place was taken.
    Duplicates = "duplicates", Nobody;
    /// A hunk of added lines only: where they were put.
    AdditionPlace = "addition-place", Nobody;
    /// Added lines that were right before or after their place already.
    AlreadyThere = "already-there", Nobody;
    /// A file that ended without a newline now ends with one.
    NewlineAdded = "newline-added", Nobody;
    /// An added line is a conflict marker, in a file that had none.
    ConflictMarkers = "conflict-markers", Nobody;
    /// An added line is a marker of a patch, in a file that had none.
    PatchMarkers = "patch-markers", Nobody;
    /// An added line has a part of a tool's call or output, or a file is in a Markdown fence.
    ToolSyntax = "tool-syntax", Nobody;
    /// An added line has an invisible character, such as one that changes the reading order, a sign
    /// for a lost character, or an escape sequence of a terminal.
    HiddenCharacters = "hidden-characters", Nobody;
    /// Added lines begin with the numbers of a file that was shown.
    LineNumbers = "line-numbers", Nobody;
    /// Added lines begin with the `+` or `-` of a diff.
    DiffPrefixes = "diff-prefixes", Nobody;
    /// What an edit adds ends with the line behind it, or begins with the line above it, which the
    /// text that it replaces doesn't have.
    RepeatedLine = "repeated-line", Nobody;
    /// A printed response replaces an existing file as a whole, since the format can't express the
    /// change otherwise.
    ReplacedWhole = "replaced-whole", Nobody;
    /// A hunk for which no suggestion can be posted in a review, or none that the site commits.
    Unposted = "unposted", Nobody;
    /// A part of the patch that changes nothing.
    NoChange = "no-change", Nobody;
    /// The lines of a deleted file in the patch are only a part of the file.
    PartialDeleteBody = "partial-delete-body", Nobody;
    /// A text whose lines are all indented as its markers are.
    IndentedPayload = "indented-payload", Nobody;
    /// Attribute values in typographic quotes.
    TypographicQuotes = "typographic-quotes", Nobody;
    /// An attribute or an element that the format doesn't know.
    UnknownMarkup = "unknown-markup", Nobody;
    /// Text between edits, or lines after a hunk that is complete by its counts which look like
    /// more lines of it.
    StrayText = "stray-text", Nobody;
    /// A find that matches only without the empty lines at its edges.
    BlankEdges = "blank-edges", Nobody;
    /// A backslash before a line of a block that would otherwise be a marker was removed.
    EscapedMarker = "escaped-marker", Nobody;
    /// Several lines could divide the old from the new lines of a block, or the divider has other
    /// signs than the block's first line.
    Divider = "divider", Nobody;
    /// A conflict as git leaves it, outside of all patches, was ignored.
    ProseConflict = "prose-conflict", Nobody;
    /// A tool call that doesn't say how a file changes, or that is there twice, was ignored.
    SkippedCall = "skipped-call", Nobody;
    /// A fenced block without a path was ignored, where whole files are read.
    NamelessFence = "nameless-fence", Nobody;
    /// A new file without a newline at its end, or a text without which a file loses it.
    FinalNewline = "final-newline", Nobody;
    /// Where text was removed, an empty line is left: what remains of its line, or the line that is
    /// now at the end of the file; or nothing is left, and the file stays, empty.
    EmptyLine = "empty-line", Nobody;
    /// An empty file that was there already was filled.
    FilledEmpty = "filled-empty", Nobody;
    /// A file is changed that has a namesake below the current directory: paths count from the top.
    Directory = "directory", Nobody;
    /// A find that begins or ends inside a word of the file.
    InsideWord = "inside-word", Nobody;
    /// A find that begins inside the indentation of a line, while the new text has further lines.
    InsideIndentation = "inside-indentation", Nobody;
    /// An `occurrence="last"` whose match overlaps the last as occurrences are counted; or a hunk that
    /// begins in the context of the hunk before.
    Overlap = "overlap", Nobody;
    /// A hunk whose header claims other counts of lines than it has.
    Recounted = "recounted", Nobody;
    /// A hunk whose lines aren't where its numbers say, and are in one other place.
    HunkMoved = "hunk-moved", Nobody;
    /// A file whose mode isn't the mode that the patch says it had.
    ModeDiffers = "mode-differs", Nobody;
    /// A file whose content isn't the content that the patch was made from, by its id.
    IdDiffers = "id-differs", Nobody;
    /// A hard link that the change breaks.
    HardLink = "hard-link", Nobody;
    /// A replaced file lost its owner, group, access list, attributes or set-id bits.
    Rights = "rights", Nobody;
    /// A program that held a replaced file open wrote to it; the old file is kept.
    WrittenLate = "written-late", Nobody;
    /// A temporary file of this program could not be removed.
    Leftover = "leftover", Nobody;
    /// An apply was interrupted and has yet to be recovered.
    Interrupted = "interrupted", Nobody;
    /// An apply that was interrupted before was taken back or finished.
    Recovered = "recovered", Nobody;
    /// The change was made, and undo can't take it back.
    NoUndo = "no-undo", Nobody;
    /// The commit was made, and the index could not be brought up to date with it.
    IndexBehind = "index-behind", Nobody;
    /// The commit was made, and a hook had changed what it holds, or took it back.
    HookChanged = "hook-changed", Nobody;
    /// A file that was left in conflict with what has changed since the base
    /// (`--conflicts=markers`).
    InConflict = "in-conflict", Nobody;
}

impl Kind {
    /// Returns the kind that stands at an error's variant as its property `kind`.
    pub fn at_variant(error: &impl EnumProperty) -> Option<Kind> {
        let code = error.get_str("kind")?;
        Kind::ALL.iter().copied().find(|kind| kind.code() == code)
    }

    /// Returns whether it is a warning rather than an error, unless a setting or the circumstances
    /// make it the other.
    pub fn is_warning(self) -> bool {
        self.blame() == Blame::Nobody
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_explained() {
        let codes: std::collections::BTreeSet<_> =
            Kind::ALL.iter().map(|kind| kind.code()).collect();
        assert_eq!(codes.len(), Kind::ALL.len());
        for kind in Kind::ALL {
            assert!(kind.meaning().ends_with('.'), "{kind}");
        }
    }
}
