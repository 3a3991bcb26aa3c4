//! The hunks of a file, asked about one by one, as `git add -p` does.

use std::io::{Read as _, Write as _};

use anyhow::Context as _;
use bstr::ByteSlice as _;

use super::{Asking, Next};
use crate::cli::base::Base;
use crate::cli::error::{Failure, IoError};
use crate::cli::pager;
use crate::cli::preview::Preview;
use crate::cli::terminal::Choices;
use crate::plan::hunks::{self, Piece};
use crate::plan::{Change, ChangeSet};

/// What stands below a hunk in an editor.
const GUIDE: &str = "\
# ---
# To keep a line that would go, make its '-' a ' '.
# To leave out a line that would come, delete it.
# Lines that start with # are left out.
# Without any other line, the hunk stays as it was, and is asked about again.
";

impl Asking<'_> {
    /// Asks about hunk after hunk, and returns those that are wanted, and whether to ask on.
    pub(super) fn about_hunks(&self, change: &Change, pieces: &[Piece]) -> Result<(Vec<Piece>, Next), Failure> {
        const CHOICES: &Choices = &[
            ('y', "yes, make this hunk"),
            ('n', "no, leave it out"),
            ('q', "quit: leave out this and all the rest, make what you said yes to (Ctrl-C makes nothing)"),
            ('a', "yes to this and all later hunks of the file"),
            ('d', "no to this and all later hunks of the file"),
            ('e', "edit this hunk, then make it"),
            ('p', "print this hunk again"),
        ];
        let mut wanted = Vec::new();
        for (number, piece) in pieces.iter().enumerate() {
            let alone = ChangeSet::new([hunks::only(change, std::slice::from_ref(piece))]);
            self.review.terminal.say("\n")?;
            self.show(&alone)?;
            let question =
                format!("({}/{}) {} this hunk of `{}`", number + 1, pieces.len(), self.review.deed, change.path);
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

    /// Has a hunk edited until it fits; `None` if it is to stay as it was.
    fn edited(&self, change: &Change, piece: &Piece, alone: &ChangeSet) -> Result<Option<Piece>, Failure> {
        const AGAIN: &Choices = &[('y', "yes, edit it again"), ('n', "no, leave the hunk as it was")];
        let config = self.session.repo.config();
        let content = change.before.as_ref().map(|file| &file.content[..]).unwrap_or_default();
        // Contents as they are in the file: that is what is edited.
        let diff = Preview::diff(None).print(self.session, &Base::Index, alone)?;
        let hunk = diff.find("\n@@ ").map_or(&diff[..], |at| &diff[at + 1..]);
        let mut text = [b"# Edit the hunk; the guide is below it.\n", hunk, GUIDE.as_bytes()].concat();
        loop {
            text = edit(&text, |path| pager::edit(path, self.review.terminal.file(), config))?;
            let lines =
                text.lines_with_terminator().filter(|line| !line.starts_with(b"#") && !line.starts_with(b"@@ "));
            let lines: Vec<u8> = lines.flatten().copied().collect();
            if lines.trim_ascii().is_empty() {
                return Ok(None);
            }
            if let Some(edited) = piece.edited(content, &lines) {
                return Ok(Some(edited));
            }
            let question = "Your edited hunk does not apply. Edit again (saying \"no\" discards!)";
            if self.ask(question, AGAIN)? != Some('y') {
                return Ok(None);
            }
        }
    }
}

/// Puts text into a file for an editor, and returns what it leaves there.
fn edit(text: &[u8], editor: impl FnOnce(&std::path::Path) -> Result<(), IoError>) -> Result<Vec<u8>, IoError> {
    let doing = "can't keep the hunk for the editor";
    let mut file = tempfile::Builder::new().prefix("llmpatch-hunk-").suffix(".diff").tempfile().context(doing)?;
    file.write_all(text).context(doing)?;
    editor(file.path())?;
    // An editor may have put another file in its place.
    let mut edited = Vec::new();
    let mut file = std::fs::File::open(file.path()).context(doing)?;
    file.read_to_end(&mut edited).context(doing)?;
    Ok(edited)
}
