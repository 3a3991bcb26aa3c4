//! `apply -i`: a person sees the change and says how much of it is made.
//!
//! What is shown is what is made, to the byte: a change that somebody wants a part of is taken
//! apart by what was worked out, and nothing is worked out again. No lock is held while somebody
//! thinks; a file that is saved meanwhile is found when the change is made, as it always is.

use crate::report::human;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::path::Path;

use anyhow::Context as _;
use bstr::ByteSlice as _;

use super::base::Base;
use super::error::{CliError, Failure, IoError};
use super::flow::{Session, Worked};
use super::pager;
use super::preview::Preview;
use super::terminal::{Choices, Manner, Terminal};
use crate::repo::{Differ, Side, differ};
use crate::temporary;
use llmpatch::pathspec::Case;
use llmpatch::plan::choose::{self, ChangePart};
use llmpatch::plan::hunks::{self as pieces, Piece};
use llmpatch::plan::{Change, ChangeSet};
use llmpatch::report::{FileOperation, FileReport, Report};

/// A person who is asked.
pub(super) struct Review {
    terminal: Terminal,
    /// What is about to be done, as a question begins: `Apply`.
    verb: &'static str,
    /// Whether all of it or nothing is made.
    is_whole: bool,
}

const SPLIT: (char, &str) = ('s', "decide hunk by hunk");

/// What is below a hunk in an editor.
const GUIDE: &str = "\
# ---
# To keep a line that would be removed, change its '-' to ' '.
# To leave out a line that would be added, delete it.
# Lines that start with # are ignored.
# If no other line is left, the hunk stays as it was, and you are asked about it again.
";

/// How much of a change was wanted.
enum Choice {
    All,
    Nothing,
    /// Each part is to be asked about.
    EachPart,
    /// The hunks of the only part are to be asked about.
    EachHunk,
}

/// Whether questions go on behind the hunks of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    GoOn,
    Quit,
}

/// What isn't made: parts by their numbers, and of others all but some hunks.
#[derive(Default)]
struct Declined {
    parts: BTreeSet<usize>,
    hunks: BTreeMap<usize, Vec<Piece>>,
}

impl Review {
    /// Prepares to ask.
    ///
    /// # Errors
    /// If there is no terminal to ask at.
    pub(super) fn open(verb: &'static str, is_whole: bool) -> io::Result<Self> {
        Ok(Self {
            terminal: Terminal::open()?,
            verb,
            is_whole,
        })
    }

    /// Asks, and leaves of what was worked out what was wanted.
    ///
    /// # Errors
    /// If nothing was wanted, or the change can't be shown.
    pub(super) fn choose(
        &self,
        session: &Session,
        case: Case,
        worked: &mut Worked<'_>,
    ) -> Result<(), Failure> {
        if worked.changes.is_empty() {
            return Ok(());
        }
        let parts = choose::parts(&worked.patches, &worked.changes, session.resolver(), case);
        let base = worked.base;
        let asking = Asking {
            review: self,
            session,
            base,
            manner: Manner::of(&session.verbosity, session.repo.config())?,
        };
        asking.show(&worked.changes)?;
        if !session.verbosity.quiet {
            let warnings = [&session.recovered.borrow()[..], &worked.warnings].concat();
            let warnings = Report::checked(Vec::new(), warnings);
            let style = self
                .terminal
                .style(&session.verbosity, session.repo.config());
            self.terminal.say(&human::complaints(&warnings, style))?;
            // They aren't told twice in one place.
            if !session.verbosity.json && io::stderr().is_terminal() {
                session.recovered.take();
                worked.warnings.clear();
            }
        }
        let mut declined = Declined::default();
        match asking.about_all(&worked.changes, &parts)? {
            Choice::All => return Ok(()),
            Choice::Nothing => return Err(CliError::Declined.into()),
            Choice::EachPart => asking.about_each(&parts, &mut declined)?,
            Choice::EachHunk => drop(asking.about_part(0, &parts[0], &mut declined)?),
        };
        if declined.parts.len() == parts.len() {
            return Err(CliError::Declined.into());
        }
        declined.leave_out(&parts, worked);
        Ok(())
    }
}

impl Declined {
    /// Leaves it out of what was worked out. Of a file of which some hunks are made, no program is
    /// told where the response's own were.
    fn leave_out(self, parts: &[ChangePart], worked: &mut Worked<'_>) {
        let mut edits: BTreeSet<_> = self
            .parts
            .iter()
            .flat_map(|&number| parts[number].edits.iter().copied())
            .collect();
        for (number, made) in &self.hunks {
            let mut earlier = Vec::new();
            for &edit in &parts[*number].edits {
                let places: Vec<_> = worked
                    .placements
                    .iter()
                    .filter(|place| place.edit == edit)
                    .collect();
                if !made.iter().any(|piece| piece.is_of(&places, &earlier)) {
                    edits.insert(edit);
                }
                earlier.push(places);
            }
        }
        worked.placements.retain(|place| {
            !self
                .hunks
                .keys()
                .any(|&number| parts[number].edits.contains(&place.edit))
        });
        choose::leave_out(&mut worked.patches, &mut worked.placements, &edits);
        let wanted = parts
            .iter()
            .enumerate()
            .filter(|(number, _)| !self.parts.contains(number));
        let changes = wanted.flat_map(|(number, part)| {
            let hunks = self.hunks.get(&number);
            part.changes.iter().map(move |change| match hunks {
                Some(hunks) => pieces::only(change, hunks),
                None => change.clone(),
            })
        });
        worked.changes = ChangeSet::new(changes);
    }
}

/// What is at hand while questions are asked.
struct Asking<'a> {
    review: &'a Review,
    session: &'a Session,
    base: &'a Base,
    manner: Manner,
}

impl Asking<'_> {
    fn about_all(&self, changes: &ChangeSet, parts: &[ChangePart]) -> Result<Choice, Failure> {
        const CHOICES: &Choices = &[
            ('y', "yes, all of it"),
            ('n', "no, change nothing"),
            ('q', "quit: change nothing"),
            ('p', "print the change again"),
        ];
        let mut choices = CHOICES.to_vec();
        match parts {
            _ if self.review.is_whole => {}
            [part] => choices.extend(self.pieces(part)?.map(|_| SPLIT)),
            _ => choices.push(('f', "decide file by file")),
        }
        let files = FileReport::list(changes, |_| None).len();
        let question = format!("{} this change to {}", self.review.verb, counted(files));
        loop {
            match self.ask(&question, &choices)? {
                Some('y') => return Ok(Choice::All),
                Some('s') => return Ok(Choice::EachHunk),
                Some('f') => return Ok(Choice::EachPart),
                Some('p') => self.show(changes)?,
                _ => return Ok(Choice::Nothing),
            }
        }
    }

    /// Asks about part after part, and notes what isn't wanted.
    fn about_each(&self, parts: &[ChangePart], declined: &mut Declined) -> Result<(), Failure> {
        const CHOICES: &Choices = &[
            ('y', "yes, apply this change"),
            ('n', "no, leave this out"),
            (
                'q',
                "quit: leave out this and all the rest, apply what you chose (Ctrl-C \
                     applies nothing)",
            ),
            ('a', "yes to this and all the rest"),
            ('d', "no to this and all the rest, as q"),
            ('p', "print this change again"),
        ];
        let mut number = 0;
        self.show(&parts[0].changes)?;
        while let Some(part) = parts.get(number) {
            let question = format!(
                "({}/{}) {} {}",
                number + 1,
                parts.len(),
                self.review.verb,
                named(part)
            );
            let mut choices = CHOICES.to_vec();
            choices.splice(5..5, self.pieces(part)?.map(|_| SPLIT));
            match self.ask(&question, &choices)? {
                Some('p') => {
                    self.show(&part.changes)?;
                    continue;
                }
                Some('y') => {}
                Some('n') => drop(declined.parts.insert(number)),
                Some('s') if self.about_part(number, part, declined)? == Next::GoOn => {}
                Some('s') => {
                    declined.parts.extend(number + 1..parts.len());
                    break;
                }
                Some('a') => break,
                _ => {
                    declined.parts.extend(number..parts.len());
                    break;
                }
            }
            number += 1;
            if let Some(next) = parts.get(number) {
                self.review.terminal.say("\n")?;
                self.show(&next.changes)?;
            }
        }
        Ok(())
    }

    /// Asks about the hunks of a part, and notes what isn't wanted.
    fn about_part(
        &self,
        number: usize,
        part: &ChangePart,
        declined: &mut Declined,
    ) -> Result<Next, Failure> {
        let (Some(change), Some(pieces)) = (part.changes.iter().next(), self.pieces(part)?) else {
            return Ok(Next::GoOn);
        };
        let (wanted, next) = self.about_hunks(change, &pieces)?;
        if pieces::only(change, &wanted).after == change.before {
            declined.parts.insert(number);
        } else if wanted != pieces {
            declined.hunks.insert(number, wanted);
        }
        Ok(next)
    }

    /// Returns the hunks of a part that is one file with some.
    fn pieces(&self, part: &ChangePart) -> Result<Option<Vec<Piece>>, Failure> {
        let mut changes = part.changes.iter();
        let (Some(change), None) = (changes.next(), changes.next()) else {
            return Ok(None);
        };
        let differ = Differ::new(&self.session.repo, Side::Blobs)?;
        Ok(pieces::pieces(
            change,
            &differ,
            &differ::options(&self.session.repo)?,
        )?)
    }

    /// Asks about hunk after hunk, and returns the hunks that are wanted, and whether to ask on.
    fn about_hunks(
        &self,
        change: &Change,
        pieces: &[Piece],
    ) -> Result<(Vec<Piece>, Next), Failure> {
        const CHOICES: &Choices = &[
            ('y', "yes, apply this hunk"),
            ('n', "no, leave it out"),
            (
                'q',
                "quit: leave out this and all the rest, apply what you chose (Ctrl-C \
                     applies nothing)",
            ),
            ('a', "yes to this and all later hunks of the file"),
            ('d', "no to this and all later hunks of the file"),
            ('e', "edit this hunk, then apply it"),
            ('p', "print this hunk again"),
        ];
        let mut wanted = Vec::new();
        for (number, piece) in pieces.iter().enumerate() {
            let alone = ChangeSet::new([pieces::only(change, std::slice::from_ref(piece))]);
            self.review.terminal.say("\n")?;
            self.show(&alone)?;
            let question = format!(
                "({}/{}) {} this hunk of `{}`",
                number + 1,
                pieces.len(),
                self.review.verb,
                change.path
            );
            loop {
                match self.ask(&question, CHOICES)? {
                    Some('y') => wanted.push(piece.clone()),
                    Some('n') => {}
                    Some('a') => {
                        wanted.extend_from_slice(&pieces[number..]);
                        return Ok((wanted, Next::GoOn));
                    }
                    Some('d') => return Ok((wanted, Next::GoOn)),
                    Some('e') => match self.edited(change, piece, &alone)? {
                        Some(edited) => wanted.push(edited),
                        None => continue,
                    },
                    Some('p') => {
                        self.show(&alone)?;
                        continue;
                    }
                    _ => return Ok((wanted, Next::Quit)),
                }
                break;
            }
        }
        Ok((wanted, Next::GoOn))
    }

    /// Runs the editor on a hunk until it fits; `None` if it is to stay as it was.
    fn edited(
        &self,
        change: &Change,
        piece: &Piece,
        alone: &ChangeSet,
    ) -> Result<Option<Piece>, Failure> {
        const AGAIN: &Choices = &[
            ('y', "yes, edit it again"),
            ('n', "no, leave the hunk as it was"),
        ];
        let config = self.session.repo.config();
        let content = change
            .before
            .as_ref()
            .map(|file| &file.content[..])
            .unwrap_or_default();
        // Contents as they are in the file: that is what is edited.
        let diff = Preview::diff(None).print(self.session, &Base::Index, alone)?;
        let hunk = diff.find("\n@@ ").map_or(&diff[..], |at| &diff[at + 1..]);
        let mut text = [
            b"# Edit the hunk; the guide is below it.\n",
            hunk,
            GUIDE.as_bytes(),
        ]
        .concat();
        loop {
            text = edit(&text, |path| {
                pager::edit(path, self.review.terminal.file(), config)
            })?;
            let lines: Vec<u8> = text
                .lines_with_terminator()
                .filter(is_kept)
                .flatten()
                .copied()
                .collect();
            let question = "Your edited hunk does not apply. Edit again (saying \"no\" discards!)";
            if lines.trim_ascii().is_empty() {
                return Ok(None);
            }
            let edited = piece.edited(content, &lines);
            if edited.is_some() || self.ask(question, AGAIN)? != Some('y') {
                return Ok(edited);
            }
        }
    }

    fn ask(&self, question: &str, choices: &Choices) -> Result<Option<char>, Failure> {
        self.review
            .terminal
            .ask(question, choices, &self.manner)
            .map_err(Failure::from)
    }

    fn show(&self, changes: &ChangeSet) -> Result<(), Failure> {
        let printed = |base| Preview::diff(None).print(self.session, base, changes);
        // Where nobody can tell what git would store (a filter driver), a person looks at what is
        // in the files.
        let diff = printed(self.base).or_else(|_| printed(&Base::Index))?;
        self.review
            .terminal
            .show_diff(&diff, &self.session.verbosity, self.session.repo.config())
            .map_err(Failure::from)
    }
}

fn is_kept(line: &&[u8]) -> bool {
    !line.starts_with(b"#") && !line.starts_with(b"@@ ")
}

/// Returns what a part is, in words that follow a verb.
fn named(part: &ChangePart) -> String {
    let files = FileReport::list(&part.changes, |_| None);
    let [file] = &files[..] else {
        return format!(
            "this change to {}, which belong together",
            counted(files.len())
        );
    };
    match (file.operation, &file.from) {
        (FileOperation::Added, _) => format!("the new file `{}`", file.path),
        (FileOperation::Deleted, _) => format!("the deletion of `{}`", file.path),
        (FileOperation::Renamed, Some(from)) => {
            format!("the renaming of `{from}` to `{}`", file.path)
        }
        _ => format!("this change to `{}`", file.path),
    }
}

fn counted(files: usize) -> String {
    format!("{files} file{}", if files == 1 { "" } else { "s" })
}

/// Puts text into a file for an editor, and returns what it leaves there.
fn edit(
    text: &[u8],
    editor: impl FnOnce(&Path) -> Result<(), IoError>,
) -> Result<Vec<u8>, IoError> {
    let doing = "can't keep the hunk for the editor";
    let mut file = temporary::TempFile::new("llmpatch-hunk-", ".diff").context(doing)?;
    file.write_all(text).context(doing)?;
    editor(file.path())?;
    // An editor may have put another file in its place.
    let mut edited = Vec::new();
    File::open(file.path())
        .and_then(|mut file| file.read_to_end(&mut edited))
        .context(doing)?;
    Ok(edited)
}
