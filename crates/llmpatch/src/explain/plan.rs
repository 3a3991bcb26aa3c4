//! What is said of what planning finds wrong, and of what it warns of.

use std::io::ErrorKind;
use std::ops::Range;

use bstr::{BStr, BString, ByteSlice as _};

use super::file::File;
use super::merge::unmerged;
use super::missing::missing;
use crate::kind::Kind;
use crate::patch::{Format, Unrepresentable};
use crate::path::{PathError, RepoPath};
use crate::plan::derive::Replaced;
use crate::plan::{
    Applied, Barrier, Conflict, Error, FileAsFound, Irregular, Occupied, Origin, Quote,
};
use crate::report::{Diagnose, Diagnostic};
use crate::report::{Nearest, Passage};
use crate::text::{LineNo, Shown, lines, shell_word};
use crate::tree::{Content, Disagreement, Drift, DriftKind, Obstacle, TreeError, is_binary};

impl Diagnose for Error {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::fixed(self.kind(), self);
        match self {
            Error::Path {
                written,
                error,
                meant,
                directory,
                session,
            } => match session {
                Some(session) if meant.is_none() => outside(written, error, session),
                _ => suspicious(written, error, meant.as_ref(), directory.as_ref()),
            },
            Error::Guarded(barrier) => barrier.diagnostic(),
            Error::Missing(path, why) => missing(of.path(path), path, why),
            Error::Occupied(path, what) => occupied(of.path(path), path, what),
            Error::Irregular(path, what) => of.path(path).help(irregular(what)),
            Error::NoBase { path } => of.path(path),
            Error::EndInFile { path, end } => of.path(path).help(format!(
                "write `{}` at the start of a line of its own, where the patch ends",
                Shown(end)
            )),
            Error::TooMuch { path }
            | Error::Link { path, .. }
            | Error::NoLinks { path }
            | Error::OtherContent { path, .. }
            | Error::Unpacked { path, .. }
            | Error::OtherResult { path }
            | Error::KeptOtherwise { path } => of.path(path),
            Error::Place(unplaced) => unplaced.diagnostic(),
            Error::Conflict(conflict) => conflict.diagnostic(),
            Error::Tree(error) => error.diagnostic(),
            Error::Unmerged { path, why } => unmerged(of.path(path), why),
            Error::Encoding { path, fits } => {
                of.path(path).notes(fits.map(|name| {
                    format!("`working-tree-encoding={name}` fits the file and the line")
                }))
            }
            Error::Binary { path, content } => {
                of.path(path).notes(content.as_ref().and_then(binary_note))
            }
            Error::DeleteDiffers { path, seen, .. }
            | Error::DeleteShorter { path, seen }
            | Error::DeleteLeaves { path, seen, .. } => self.not_deleted(of.path(path), path, seen),
            Error::AlreadyApplied { paths, applied } => Diagnostic {
                nearest: new_lines(applied),
                ..of.of_one(paths)
            },
            Error::CancelsOut { paths } | Error::NothingToDo { paths } => of.of_one(paths),
        }
    }
}

impl Error {
    /// Shows where a file isn't what is to be deleted.
    fn not_deleted(&self, of: Diagnostic, path: &RepoPath, seen: &FileAsFound) -> Diagnostic {
        let file = File::seen(path, seen);
        let last = file.lines.len();
        match self {
            Error::DeleteDiffers { line, .. } => Diagnostic {
                passages: file.passages(Some(line.index()..line.index() + 1)),
                ..of.at(file.place(line.index(), "the file has", "differs here"))
            },
            Error::DeleteShorter { .. } => Diagnostic {
                passages: file.passages(Some(last.saturating_sub(1)..last)),
                ..of
            },
            _ => Diagnostic {
                passages: beginning(path, seen),
                ..of
            },
        }
    }
}

/// Returns where the new lines of a response are that was applied before.
fn new_lines(applied: &Applied) -> Option<Nearest> {
    let (line, content) = applied.first.as_ref()?;
    let quote = Quote::new(&content.lines(), line.index());
    Some(Nearest::new(*line, *line, quote.excerpt.text()))
}

/// Takes the beginning of a file: all of it if it is small.
fn beginning(path: &RepoPath, seen: &FileAsFound) -> Vec<Passage> {
    let passages = if seen.content.is_binary() {
        Vec::new()
    } else {
        Passage::beginning(path.as_bstr(), &seen.content.lines())
    };
    passages
        .into_iter()
        .map(|passage| Passage {
            is_left: seen.is_left,
            ..passage
        })
        .collect()
}

fn binary_note(content: &Content) -> Option<String> {
    if content.starts_with(b"\xff\xfe") || content.starts_with(b"\xfe\xff") {
        return Some("it begins like text in UTF-16, which git treats as binary, too".into());
    }
    let nul = memchr::memchr(0, content)?;
    Some(format!(
        "it has a NUL at byte {}, so git, too, treats it as binary",
        nul + 1
    ))
}

/// Says how a path is meant that is in the directory of its session.
fn outside(written: &BString, error: &PathError, session: &BString) -> Diagnostic {
    let of = suspicious(written, error, None, BStr::new(""));
    if !matches!(error, PathError::Outside { .. }) || !is_in(written, session) {
        return of;
    }
    let root = Shown(session);
    of.help(format!(
        "the session was in `{root}`: if that is this work tree, run it with `--root-is={root}` \
         (also llmpatch.rootIs)"
    ))
}

fn is_in(path: &[u8], directory: &[u8]) -> bool {
    let directory = directory.trim_end_with(|c| matches!(c, '/' | '\\'));
    let rest = path.strip_prefix(directory).and_then(<[u8]>::first);
    !directory.is_empty() && matches!(rest, Some(b'/' | b'\\'))
}

fn suspicious(
    written: &BString,
    error: &PathError,
    meant: Option<&RepoPath>,
    directory: &BStr,
) -> Diagnostic {
    let top = if directory.is_empty() {
        "the top of the repository".to_owned()
    } else {
        format!("`{}`", Shown(directory))
    };
    let Diagnostic {
        kind,
        label,
        notes,
        help,
        advice,
        ..
    } = error.diagnostic();
    let of = Diagnostic {
        label,
        ..Diagnostic::new(kind)
    }
    .path(written);
    match meant {
        Some(meant) => of
            .note(format!("did you mean `{}`?", from(directory, meant)))
            .help(match root_of(written, meant) {
                Some(root) => format!(
                    "if the model saw this work tree at `{}`, run it with `--root-is={}` (also \
                     llmpatch.rootIs); paths count from {top}",
                    Shown(&root),
                    shell_word(&root)
                ),
                None => format!("paths count from {top}; correct it"),
            })
            .advice(format!("name the file by its path from {top}")),
        None if matches!(error, PathError::DotGit { .. }) => Diagnostic {
            notes,
            help,
            advice,
            ..of
        },
        None => Diagnostic { help, advice, ..of },
    }
}

/// Returns a path as it is named from a directory.
fn from(mut directory: &BStr, path: &RepoPath) -> String {
    let mut up = String::new();
    let path = path.as_bytes();
    while !directory.is_empty() {
        let inside = path.strip_prefix(directory.as_bytes());
        if let Some(inside) = inside.and_then(|inside| inside.strip_prefix(b"/")) {
            return format!("{up}{}", Shown(inside));
        }
        up += "../";
        directory = directory[..directory.rfind_byte(b'/').unwrap_or(0)].as_bstr();
    }
    format!("{up}{}", Shown(path))
}

/// Returns the directory that a path which is absolute elsewhere begins with, where the rest of it
/// is a path here.
fn root_of(written: &BString, meant: &RepoPath) -> Option<BString> {
    // A shell leaves no backslash in what it is given.
    let written = written.replace(b"\\", b"/");
    let rest = written.strip_suffix(meant.as_bytes())?;
    let root = rest.strip_suffix(b"/").filter(|root| root.len() > 1)?;
    let is_absolute = root.starts_with(b"/") || root[1] == b':';
    is_absolute.then(|| root.into())
}

impl Diagnose for Barrier {
    fn diagnostic(&self) -> Diagnostic {
        let (Barrier::Limit { path, .. } | Barrier::Protected { path, .. }) = self;
        let help = match self {
            Barrier::Limit {
                origin: Origin::Option,
                ..
            } => "run with a --limit that covers it",
            Barrier::Limit {
                origin: Origin::Setting,
                ..
            } => "run with a --limit that covers it, which replaces the setting",
            Barrier::Protected { .. } => {
                "make the change by hand; `git config --show-origin --get-all llmpatch.protect` says \
                 where that is set"
            }
        };
        let advice = "leave this file out of the patch";
        Diagnostic::new(Kind::Protected)
            .path(path)
            .help(format!("{advice}, or {help}"))
            .advice(advice)
    }
}

fn occupied(of: Diagnostic, path: &RepoPath, what: &Occupied) -> Diagnostic {
    let passages = |content: &Content| {
        beginning(
            path,
            &FileAsFound {
                content: content.clone(),
                is_left: false,
            },
        )
    };
    match what {
        Occupied::File {
            content, format, ..
        } => {
            let change = change_instead(*format);
            Diagnostic {
                passages: passages(content),
                ..of
            }
            .help(format!("{change}, or run with --overwrite"))
            .advice(change)
        }
        Occupied::Target(content) => Diagnostic {
            passages: passages(content),
            ..of.stated(what)
        },
        Occupied::Made(by) => of.cause(*by).stated(what),
        Occupied::Directory(_) | Occupied::FileAbove(_) | Occupied::Twin(_) => of.stated(what),
    }
}

/// Says how a format changes a file that is there, where it was to be made.
fn change_instead(format: Format) -> &'static str {
    match format {
        Format::Envelope => {
            "change its lines with `*** Update File:`, or delete it first in the same patch"
        }
        Format::Opx => {
            "change its lines with op=\"patch\", or replace it whole with op=\"replace\""
        }
        Format::Unified => {
            "give a diff of the file that is there, with its own lines around the change, or delete \
             it first in the same patch"
        }
        Format::Files => {
            "a whole file in a fence makes a new one: give a diff or search/replace blocks of what \
             changes"
        }
        Format::Blocks => {
            "a block without old lines makes a new file: give the lines that are there under \
             `<<<<<<< SEARCH`"
        }
        Format::Tool => {
            "a call with `content`, or with an empty `old_string`, makes a new file: give the text \
             that is there as `old_string`, and what is to replace it as `new_string`"
        }
    }
}

fn irregular(what: &Irregular) -> &'static str {
    match what {
        Irregular::Directory => "name a file in that directory",
        Irregular::Other(Obstacle::Repository)
        | Irregular::Below {
            what: Obstacle::Repository,
            ..
        } => "its files are changed in that repository; to remove a submodule, use `git rm`",
        Irregular::Other(Obstacle::Link) => {
            "responses leave links alone: name the file that it leads to, or remove the \
                 link itself with `git rm`"
        }
        Irregular::Other(_) | Irregular::Below { .. } => {
            "name the regular file itself, inside this repository"
        }
    }
}

impl Diagnose for Conflict {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::new(Kind::Conflict).cause(self.by);
        let of = match &self.found {
            Some((path, content, range)) => {
                let file = File::new(path, content, false);
                let at = range.start + self.nth;
                let place = file.place(
                    at,
                    "before the response, the file has it here",
                    "not changed yet",
                );
                Diagnostic {
                    passages: file.passages([range.clone()]),
                    ..of.at(place)
                }
            }
            None => of,
        };
        let help = if self.is_same {
            "both make the same change: leave one of them out"
        } else {
            "each edit finds the file as the edits before it leave it, so join the \
                     two into one, or write this one for the lines that the earlier one \
                     leaves"
        };
        of.label("changed by an earlier edit")
            .help(help)
            .path(&self.path)
    }
}

/// Says what became of a file since the state that the response is about, and shows it to whoever
/// is to respond again.
fn drifted(path: &RepoPath, drift: &Drift) -> Diagnostic {
    let (gone, others): (Vec<_>, Vec<_>) = drift.lines.iter().partition(|range| range.is_empty());
    let note = |what: &str, runs: Vec<(LineNo, LineNo)>| {
        (!runs.is_empty()).then(|| format!("{what} {}", lines(&runs, runs.len())))
    };
    let run = |range: &Range<usize>| {
        (
            LineNo::from_index(range.start),
            LineNo::from_index(range.end - 1),
        )
    };
    let others = note("it differs in", others.into_iter().map(run).collect());
    let before = |range: &Range<usize>| {
        (
            LineNo::from_index(range.start),
            LineNo::from_index(range.start),
        )
    };
    let gone = note(
        "lines are gone before",
        gone.into_iter().map(before).collect(),
    );
    let now = drift.now.as_ref().filter(|now| !is_binary(now));
    let passages =
        now.map(|now| Passage::around(path.as_bstr(), &now.lines(), drift.lines.clone()));
    let of = Diagnostic::new(Kind::Stale)
        .path(path)
        .notes(others)
        .notes(gone)
        .notes(
            drift
                .commits
                .iter()
                .map(|commit| format!("changed by {}", Shown(commit))),
        );
    let of = Diagnostic {
        passages: passages.unwrap_or_default(),
        ..of
    };
    of.help(drift.how.help()).advice(match drift.how {
        DriftKind::Untracked | DriftKind::Ignored => {
            "change this file as it is shown here, if you were to change it"
        }
        _ => "the file isn't what you were shown any more: make the change for what it is now",
    })
}

impl DriftKind {
    /// Returns what to do, in words.
    pub(super) fn help(self) -> &'static str {
        match self {
            DriftKind::Untracked => {
                "name a base that has it: `git llmpatch snapshot --untracked` makes one, before \
                 the model is asked"
            }
            DriftKind::Ignored => {
                "no snapshot has ignored files: `git add --force` the file before the model is \
                 asked, or apply the response without a base (`--no-base`)"
            }
            _ => {
                "ask the model again with the files as they are now, or apply it where it \
                 belongs, with `--onto=<base>`"
            }
        }
    }
}

impl Diagnose for TreeError {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::fixed(self.kind(), self).path(self.path());
        let of = match self {
            TreeError::Disagrees { how, .. } => of.help(match how {
                Disagreement::WorkTreeFromIndex | Disagreement::MissingInWorkTree => {
                    "stage, stash or restore it, or apply without --index or --commit".to_owned()
                }
                Disagreement::Skipped => {
                    "run `git update-index --no-skip-worktree <path>` first, or apply without \
                         --index or --commit"
                        .to_owned()
                }
                Disagreement::IndexFromHead => {
                    "commit or unstage it first, or apply with --index".to_owned()
                }
                Disagreement::Untracked => {
                    "`git add` it first (`git add --force`, if it is ignored), or apply without --index or \
                     --commit"
                        .to_owned()
                }
            }),
            TreeError::Drifted { path, drift } => return drifted(path, drift),
            TreeError::Misnamed { .. } => return of,
            TreeError::Unmerged { .. } => of,
            TreeError::Unsupported { remedy, .. } => of.help(remedy.help()),
            TreeError::Io { source, .. } => of.help(match source.kind() {
                ErrorKind::OutOfMemory => {
                    "free some memory, or raise what limits it: a file is read whole"
                }
                _ => "see who owns it, and whether you may read it and the directories above it",
            }),
            TreeError::Backend { help, .. } => Diagnostic {
                help: help.clone(),
                ..of
            },
        };
        of.advice("nothing is wrong with the patch in this: whoever applies it has to solve this")
    }
}

impl Diagnose for Unrepresentable {
    fn diagnostic(&self) -> Diagnostic {
        Diagnostic::new(Kind::Unrepresentable).path(&self.path)
    }
}

impl Diagnose for Replaced {
    fn diagnostic(&self) -> Diagnostic {
        Diagnostic::new(Kind::ReplacedWhole)
            .path(&self.path)
            .help("apply it only to the file as it was here")
    }
}

#[cfg(test)]
mod tests {
    use crate::patch::{FileEdit, Format, Operation, Patch};
    use crate::path::Resolver;
    use crate::plan;
    use crate::report::Diagnose as _;
    use crate::text::Text;
    use crate::tree::MemoryTree;

    #[test]
    fn a_directory_is_no_part_of_a_name() {
        for (directory, is_inside) in [
            ("/p", true),
            ("/p/", true),
            ("/p/a", true),
            ("/p/a/b", false),
            ("/q", false),
            ("", false),
        ] {
            assert_eq!(
                super::is_in(b"/p/a/b", directory.as_bytes()),
                is_inside,
                "{directory}"
            );
        }
        assert!(!super::is_in(b"/p2/a", b"/p"));
    }

    #[test]
    fn what_there_is_instead_of_a_missing_file_is_told() {
        let tree = MemoryTree::new()
            .with("src/net/tcp.rs", "1\n")
            .with("src/lib.rs", "")
            .with("doc/lib.rs", "")
            .with("a", "");
        for (directory, written, notes, help) in [
            (
                "",
                "lib.rs",
                &["there are `doc/lib.rs`, `src/lib.rs`"][..],
                "paths count from the top",
            ),
            (
                "",
                "src/new/zzz",
                &["`src` holds `lib.rs`, `net/`"],
                "paths count from the top",
            ),
            (
                "",
                "nothing/like.it",
                &["the top of the repository holds `a`, `doc/`, `src/`"],
                "paths count from the top",
            ),
            (
                "lib",
                "net/tcp.rs",
                &[
                    "there is `src/net/tcp.rs`, but below `lib`, where paths begin here, the \
                         patch's `net/tcp.rs` is `lib/net/tcp.rs`",
                ],
                "correct --directory, or leave it out",
            ),
            (
                "src",
                "tcp.rs",
                &[
                    "did you mean `src/net/tcp.rs`? below `src`, where paths begin here, it is \
                         `net/tcp.rs`",
                ],
                "correct the path in the patch",
            ),
            (
                "src",
                "zzz",
                &[
                    "below `src`, where paths begin here, the patch's `zzz` is `src/zzz`",
                    "`src` holds `lib.rs`, `net/`",
                ],
                "correct --directory or the path",
            ),
        ] {
            let resolver = match directory {
                "" => Resolver::default(),
                directory => Resolver::default()
                    .with_directory(directory.as_bytes())
                    .unwrap(),
            };
            let written_path = Text::derived(written.as_bytes());
            let operation = Operation::Delete { expected: None };
            let edit = FileEdit::new(written_path, operation, None);
            let patch = Patch {
                format: Format::Envelope,
                edits: vec![edit],
            };
            let refusal =
                plan::plan(&[patch], &tree, &resolver, &plan::Rules::default()).unwrap_err();
            let of = refusal.errors[0].value.diagnostic();
            assert_eq!(of.notes, notes, "{written} in {directory}");
            assert!(
                of.help.as_ref().unwrap().starts_with(help),
                "{written} in {directory}: {:?}",
                of.help
            );
        }
    }
}
