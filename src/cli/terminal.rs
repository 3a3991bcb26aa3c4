//! The terminal that a person sits at, whatever the standard streams are: it is asked things there.

use std::fs::File;
use std::io::{self, Read as _, Write as _};

use anyhow::Context as _;

use super::config;
use super::error::IoError;
use super::options::Verbosity;
use super::pager;
use crate::repo::Config;
use crate::report::human::Style;
use llmpatch::text::Shown;

/// The controlling terminal.
pub(super) struct Terminal(File);

/// The escape sequences of questions, as `color.interactive.*` names them.
pub(super) struct Colors {
    prompt: String,
    help: String,
    error: String,
}

/// What a question may be answered with: a letter each, and what it does.
pub(super) type Choices = [(char, &'static str)];

/// What ends a list of choices: it is everybody's.
const HELP: (char, &str) = ('?', "print help");

impl Terminal {
    /// Opens it.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn open() -> io::Result<Self> {
        File::options()
            .read(true)
            .write(true)
            .open("/dev/tty")
            .map(Self)
    }

    /// Returns it as a stream.
    pub(super) fn file(&self) -> &File {
        &self.0
    }

    /// Shows a diff, in a pager if there is one.
    ///
    /// # Errors
    /// If the terminal is gone.
    pub(super) fn show_diff(
        &self,
        diff: &[u8],
        verbosity: &Verbosity,
        config: &Config,
    ) -> Result<(), IoError> {
        pager::show_diff(diff, &self.0, verbosity, config)
    }

    /// Writes what was made harmless before.
    ///
    /// # Errors
    /// If the terminal is gone.
    pub(super) fn say(&self, text: &str) -> Result<(), IoError> {
        Ok((&self.0)
            .write_all(text.as_bytes())
            .context("can't write to the terminal")?)
    }

    /// Returns how messages look on it.
    pub(super) fn style(&self, verbosity: &Verbosity, config: &Config) -> Style {
        config::style_on(&self.0, verbosity, Some(config))
    }

    /// Asks until one of the letters is typed, in either case, and returns it; `None` for the end
    /// of all input.
    ///
    /// # Errors
    /// If the terminal is gone.
    pub(super) fn ask(
        &self,
        question: &str,
        choices: &Choices,
        colors: &Colors,
    ) -> Result<Option<char>, IoError> {
        let all = || choices.iter().chain([&HELP]);
        let letters: Vec<_> = all().map(|(letter, _)| letter.to_string()).collect();
        let prompt = colors.paint(
            &colors.prompt,
            &format!("{question} [{}]? ", letters.join(",")),
        );
        loop {
            self.say(&prompt)?;
            let Some(line) = self.line()? else {
                self.say("\n")?;
                return Ok(None);
            };
            let typed = String::from_utf8_lossy(line.trim_ascii());
            let mut characters = typed.chars();
            let letter = match (characters.next(), characters.next()) {
                (None, _) => continue,
                (Some(letter), None) => letter.to_ascii_lowercase(),
                // As git has it since 2.46: who types a word means something else.
                (Some(_), Some(_)) => char::REPLACEMENT_CHARACTER,
            };
            if letter == HELP.0 {
                let line = |(letter, what)| {
                    colors.paint(&colors.help, &format!("{letter} - {what}")) + "\n"
                };
                let lines = all().copied().map(line);
                self.say(&lines.collect::<String>())?;
            } else if choices.iter().any(|(known, _)| *known == letter) {
                return Ok(Some(letter));
            } else {
                let shown = Shown(line.trim_ascii());
                let complaint = format!("`{shown}` is none of these letters; ? explains them");
                self.say(&(colors.paint(&colors.error, &complaint) + "\n"))?;
            }
        }
    }

    /// Reads a line, or the part of it before the end of all input. Of a long line only the
    /// beginning is kept.
    fn line(&self) -> Result<Option<Vec<u8>>, IoError> {
        const KEPT: usize = 80;
        const END_OF_INPUT: u8 = 4;
        let mut line = Vec::new();
        let mut byte = [0];
        loop {
            match (&self.0).read(&mut byte) {
                Ok(0) => return Ok((!line.is_empty()).then_some(line)),
                // A pager that git started around us may have the terminal send keys as they are.
                Ok(_) if matches!(byte[0], b'\n' | b'\r') => return Ok(Some(line)),
                Ok(_) if byte[0] == END_OF_INPUT && line.is_empty() => return Ok(None),
                Ok(_) if line.len() < KEPT => line.push(byte[0]),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => Err(error).context("can't read from the terminal")?,
            }
        }
    }
}

impl Colors {
    /// Finds the keys that are set, with git's own where none are.
    pub(super) fn of(verbosity: &Verbosity, config: &Config) -> Self {
        let is_colored = config::colored(verbosity, Some(config), config::QUESTIONS, true);
        let sequence = |keys: &[&str], default| match is_colored {
            true => config::sequence(config, keys, default),
            false => String::new(),
        };
        Self {
            prompt: sequence(&["color.interactive.prompt"], "bold blue"),
            help: sequence(&["color.interactive.help"], "bold red"),
            error: sequence(
                &["color.interactive.error", "color.interactive.help"],
                "bold red",
            ),
        }
    }

    fn paint(&self, sequence: &str, text: &str) -> String {
        if sequence.is_empty() {
            text.to_owned()
        } else {
            format!("{sequence}{text}\x1b[m")
        }
    }
}
