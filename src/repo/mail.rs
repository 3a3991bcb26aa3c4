//! What a mail says of the commit that it brings, as `git format-patch` writes it and `git am`
//! reads it: git itself is asked.

use std::ffi::OsString;
use std::ops::Range;

use bstr::{BString, ByteSlice as _};

use super::git::{Git, checked, temporary};
use super::{Repo, RepoError};
use crate::system::OsStringExt as _;

/// What a mail says of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// Its message: the subject without `[PATCH]`, and the text up to the diff.
    pub message: BString,
    /// Who wrote it, as `git commit --author` takes it, and when; if the mail says both.
    pub author: Option<(OsString, OsString)>,
}

impl Mail {
    /// Returns what a response says of the commit that it brings, if it is one mail; a series
    /// brings several.
    ///
    /// # Errors
    /// If git can't be asked, or can't read the mail.
    pub fn read(repo: &Repo, response: &[u8]) -> Result<Option<Mail>, RepoError> {
        if !is_mail(response) {
            return Ok(None);
        }
        let outside = temporary()?;
        let file = outside.path().join("text");
        let mut git = Git::new(repo).command(["mailinfo", "--encoding=UTF-8"]);
        git.arg(&file).arg("/dev/null");
        let printed = checked(&mut git, "mailinfo", response)?;
        let text = std::fs::read(&file).map_err(RepoError::read("a mail's text"))?;
        let mut headers = Vec::new();
        for line in printed.lines() {
            for name in ["Date:", "Subject:", "Email:", "Author:"] {
                if let Some(value) = line.strip_prefix(name.as_bytes()) {
                    headers.push((name, value.trim()));
                }
            }
        }
        let said = |wanted| {
            let found = headers
                .iter()
                .find(|(name, value)| *name == wanted && !value.is_empty());
            found.map(|(_, value)| value.to_vec())
        };
        let Some(subject) = said("Subject:") else {
            return Ok(None);
        };
        let message = match text.trim() {
            b"" => subject,
            text => [&subject[..], b"\n\n", text].concat(),
        };
        let author = said("Author:")
            .zip(said("Email:"))
            .map(|(name, mail)| [&name[..], b" <", &mail, b">"].concat());
        let author = author
            .zip(said("Date:"))
            .map(|(author, date)| (OsString::from_vec(author), OsString::from_vec(date)));
        Ok(Some(Mail {
            message: message.into(),
            author,
        }))
    }
}

/// Returns where each mail of a mailbox is, as `git mailsplit` parts them; a response that doesn't begin
/// with a mailbox's line is one.
pub fn mails(response: &[u8]) -> Vec<Range<usize>> {
    let mut starts = Vec::new();
    let mut at = 0;
    for line in response.lines_with_terminator() {
        if is_start(line.trim_end()) {
            starts.push(at);
        }
        at += line.len();
    }
    let is_mailbox = starts
        .first()
        .is_some_and(|first| response[..*first].trim().is_empty());
    if !is_mailbox {
        starts.clear();
    }
    starts.iter_mut().take(1).for_each(|first| *first = 0);
    if starts.is_empty() {
        starts.push(0);
    }
    let len = response.len();
    let ends = starts.iter().skip(1).chain([&len]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| *start..*end)
        .collect()
}

/// Returns whether a response begins with the headers of a mail, and no other mail is behind it.
fn is_mail(response: &[u8]) -> bool {
    let mut headers = response
        .lines()
        .skip_while(|line| line.trim().is_empty())
        .take_while(|line| !line.trim().is_empty());
    let mut from = false;
    let mut subject = false;
    let are_headers = headers.all(|line| {
        from |= line.starts_with(b"From: ");
        subject |= line.starts_with(b"Subject: ");
        let name = line
            .split(|&byte| byte == b':')
            .next()
            .filter(|name| name.len() < line.len());
        is_start(line)
            || line.starts_with(b" ")
            || line.starts_with(b"\t")
            || name.is_some_and(is_name)
    });
    are_headers && from && subject && response.lines().filter(|line| is_start(line)).count() < 2
}

/// Returns whether a line begins a mail in a mailbox: `From `, somebody or a commit, and a time whose
/// year is last.
fn is_start(line: &[u8]) -> bool {
    let mut words = line.rsplit(|&byte| byte == b' ');
    let (Some(year), Some(clock)) = (words.next(), words.next()) else {
        return false;
    };
    let clock: Vec<_> = clock.split(|&byte| byte == b':').map(is_number).collect();
    line.starts_with(b"From ") && year.len() == 4 && is_number(year) && clock == [true; 3]
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

fn is_name(name: &[u8]) -> bool {
    !name.is_empty()
        && name
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}
