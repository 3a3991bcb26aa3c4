//! The options of `--commit`.

use std::ffi::OsString;
use std::path::PathBuf;

use bstr::BString;
use clap::Args;

use super::error::IoError;
use super::flow::Worked;
use super::responses::ResponseOrigin;
use crate::repo::{Mail, MessageEncoding};
use crate::transaction::{CommitRequest, Sign};
use llmpatch::message;

/// What is asked of the commit; as `git commit` has it.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Committing (with --commit)")]
pub(super) struct Commit {
    /// The commit message, instead of the response's notes; several are paragraphs
    #[arg(
        short,
        long,
        value_name = "msg",
        allow_hyphen_values = true,
        conflicts_with = "message_file"
    )]
    message: Vec<OsString>,
    /// Take the commit message from a file, or - for standard input
    #[arg(short = 'F', value_name = "file", hide_short_help = true)]
    message_file: Option<PathBuf>,
    /// Edit the message before committing
    #[arg(short, long)]
    edit: bool,
    /// Add a Signed-off-by trailer
    #[arg(short, long, hide_short_help = true)]
    signoff: bool,
    /// Add a trailer, such as Reviewed-by: name (repeatable)
    #[arg(long, value_name = "token: value", hide_short_help = true)]
    trailer: Vec<OsString>,
    /// Name another author
    #[arg(long, value_name = "author", hide_short_help = true)]
    author: Option<OsString>,
    /// Set the author date
    #[arg(long, value_name = "date", hide_short_help = true)]
    date: Option<OsString>,
    /// Sign the commit with the default key
    #[arg(short = 'S', overrides_with_all = ["gpg_sign", "no_gpg_sign"], hide_short_help = true)]
    sign: bool,
    /// Sign the commit, with this key if one is given
    #[arg(long, value_name = "keyid", num_args = 0..=1, require_equals = true, overrides_with_all = ["sign", "no_gpg_sign"], hide_short_help = true)]
    gpg_sign: Option<Option<OsString>>,
    /// Don't sign the commit, whatever commit.gpgSign says
    #[arg(long, overrides_with_all = ["sign", "gpg_sign"], hide_short_help = true)]
    no_gpg_sign: bool,
    /// Skip the hooks pre-commit and commit-msg
    #[arg(long, hide_short_help = true)]
    no_verify: bool,
}

impl Commit {
    /// Returns an option that was given, as the user would write it.
    pub(super) fn any(&self) -> Option<&'static str> {
        let given = [
            (!self.message.is_empty(), "-m"),
            (self.message_file.is_some(), "-F"),
            (self.edit, "--edit"),
            (self.signoff, "--signoff"),
            (!self.trailer.is_empty(), "--trailer"),
            (self.author.is_some(), "--author"),
            (self.date.is_some(), "--date"),
            (self.sign, "-S"),
            (self.gpg_sign.is_some(), "--gpg-sign"),
            (self.no_gpg_sign, "--no-gpg-sign"),
            (self.no_verify, "--no-verify"),
        ];
        given
            .into_iter()
            .find(|(given, _)| *given)
            .map(|(_, name)| name)
    }

    /// Returns whether the message is read from standard input.
    pub(super) fn reads_stdin(&self) -> bool {
        self.message_file.as_deref().map(ResponseOrigin::of) == Some(ResponseOrigin::Stdin)
    }

    /// Returns the message that the user gives, if there is one; paragraphs are put together as
    /// `git commit` does, but for the end of the last line.
    ///
    /// # Errors
    /// If the message's file can't be read.
    pub(super) fn message(&self) -> Result<Option<BString>, IoError> {
        use crate::system::OsStrExt as _;
        if let Some(file) = &self.message_file {
            return ResponseOrigin::of(file)
                .read()
                .map(|bytes| Some(bytes.into()));
        }
        Ok(self
            .message
            .iter()
            .map(|paragraph| BString::from(paragraph.as_bytes()))
            .reduce(|mut message, paragraph| {
                complete_line(&mut message);
                message.push(b'\n');
                message.extend(&paragraph[..]);
                message
            }))
    }

    /// Returns whether the messages given on the command line come to nothing, and neither an editor
    /// nor a trailer is there to mend that.
    pub(super) fn is_empty_message(&self) -> bool {
        let is_mended = self.edit || !self.trailer.is_empty();
        !is_mended && !self.message.is_empty() && self.message.iter().all(is_blank)
    }

    /// Returns whom a mail makes the author.
    pub(super) fn author_of(&self, mail: Option<&Mail>) -> Option<BString> {
        let (author, _) = mail.filter(|_| self.author.is_none())?.author.as_ref()?;
        Some(author.as_encoded_bytes().into())
    }

    /// Puts together what is asked for of a change that was worked out: with the message that is
    /// given, else the message of the mail that it came in, else one that is made of its notes.
    pub(super) fn request_for(
        &self,
        worked: &Worked<'_>,
        given: Option<BString>,
        mail: Option<Mail>,
    ) -> CommitRequest {
        let (sent, author) = mail.map_or((None, None), |mail| (Some(mail.message), mail.author));
        let composed = || message::compose(&worked.patches, &worked.changes);
        let encoding = match &given {
            Some(_) => MessageEncoding::Configured,
            None => MessageEncoding::Utf8,
        };
        let mut message = given.or(sent).unwrap_or_else(composed);
        if self.message_file.is_none() {
            complete_line(&mut message);
        }
        CommitRequest {
            encoding,
            ..self.request(message, author)
        }
    }

    /// Puts together what is asked for, with a message, and with who wrote the change and when if
    /// nothing is asked for.
    pub(super) fn request(
        &self,
        message: BString,
        author: Option<(OsString, OsString)>,
    ) -> CommitRequest {
        let (author, date) = match (&self.author, author) {
            (None, Some((author, date))) => (Some(author), self.date.clone().or(Some(date))),
            (given, _) => (given.clone(), self.date.clone()),
        };
        let sign = match (&self.gpg_sign, self.sign, self.no_gpg_sign) {
            (Some(key), ..) => Sign::Yes(key.clone()),
            (None, true, _) => Sign::Yes(None),
            (None, false, true) => Sign::No,
            (None, false, false) => Sign::Default,
        };
        CommitRequest {
            message,
            encoding: MessageEncoding::default(),
            edit: self.edit,
            signoff: self.signoff,
            trailers: self.trailer.clone(),
            author,
            date,
            sign,
            verify: !self.no_verify,
            ready: None,
        }
    }
}

/// Ends the last line of a message with a newline.
fn complete_line(message: &mut BString) {
    if !message.is_empty() && !message.ends_with(b"\n") {
        message.push(b'\n');
    }
}

fn is_blank(paragraph: &OsString) -> bool {
    paragraph.as_encoded_bytes().trim_ascii().is_empty()
}
