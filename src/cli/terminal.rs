//! The terminal that a person sits at, whatever the standard streams are: it is asked things there.

use std::fs::File;
use std::io::{self, Read as _, Write as _};

use anyhow::Context as _;

use super::config;
use super::error::IoError;
use super::options::Verbosity;
use super::pager;
use crate::repo::{Config, RepoError};
use crate::report::human::Style;
use crate::system::{Keys, terminal};
use llmpatch::text::Shown;

/// The controlling terminal.
pub(super) struct Terminal {
    keyboard: File,
    screen: File,
}

/// How questions are asked, as `interactive.*` and `color.interactive.*` say.
pub(super) struct Manner {
    /// Whether a key answers, without Enter.
    is_by_key: bool,
    /// Escape sequences.
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
        let (keyboard, screen) = terminal()?;
        Ok(Self { keyboard, screen })
    }

    /// Returns it as a stream.
    pub(super) fn file(&self) -> &File {
        &self.screen
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
        pager::show_diff(diff, &self.screen, verbosity, config)
    }

    /// Writes what was made harmless before.
    ///
    /// # Errors
    /// If the terminal is gone.
    pub(super) fn say(&self, text: &str) -> Result<(), IoError> {
        Ok((&self.screen)
            .write_all(text.as_bytes())
            .context("can't write to the terminal")?)
    }

    /// Returns how messages look on it.
    pub(super) fn style(&self, verbosity: &Verbosity, config: &Config) -> Style {
        config::style_on(&self.screen, verbosity, Some(config))
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
        manner: &Manner,
    ) -> Result<Option<char>, IoError> {
        let all = || choices.iter().chain([&HELP]);
        let letters: Vec<_> = all().map(|(letter, _)| letter.to_string()).collect();
        let prompt = manner.paint(
            &manner.prompt,
            &format!("{question} [{}]? ", letters.join(",")),
        );
        loop {
            let typed = if manner.is_by_key {
                self.key(&prompt)?
            } else {
                self.line(&prompt)?
            };
            let Some(line) = typed else {
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
                let lines = all().map(|(letter, what)| {
                    manner.paint(&manner.help, &format!("{letter} - {what}")) + "\n"
                });
                self.say(&lines.collect::<String>())?;
            } else if choices.iter().any(|(known, _)| *known == letter) {
                return Ok(Some(letter));
            } else {
                let shown = Shown(line.trim_ascii());
                let complaint = format!("`{shown}` is none of these letters; ? explains them");
                self.say(&(manner.paint(&manner.error, &complaint) + "\n"))?;
            }
        }
    }

    /// Asks for a line, and reads it, or the part of it before the end of all input. Of a long line
    /// only the beginning is kept.
    fn line(&self, prompt: &str) -> Result<Option<Vec<u8>>, IoError> {
        const KEPT: usize = 80;
        self.say(prompt)?;
        let mut line = Vec::new();
        loop {
            match self.byte()? {
                None => return Ok((!line.is_empty()).then_some(line)),
                // A pager that git started around us may have the terminal send keys as they are.
                Some(b'\n' | b'\r') => return Ok(Some(line)),
                Some(END_OF_INPUT) if line.is_empty() => return Ok(None),
                Some(byte) if line.len() < KEPT => line.push(byte),
                Some(_) => {}
            }
        }
    }

    /// Asks for a key, and reads it; where the terminal knows lines only, a line. Of a key that
    /// sends several bytes, only the first is kept: the others go before the next question.
    fn key(&self, prompt: &str) -> Result<Option<Vec<u8>>, IoError> {
        loop {
            let (signal, byte) = {
                let Some(keys) = Keys::begin(&self.keyboard) else {
                    return self.line(prompt);
                };
                self.say(prompt)?;
                let byte = self.byte()?;
                (byte.and_then(|byte| keys.signal(byte)), byte)
            };
            match (signal, byte) {
                (Some(signal), _) => {
                    if signal.send().context("can't send a signal")? {
                        // The signal ends us while this waits, unless it is ignored.
                        return self.line("");
                    }
                }
                (None, None | Some(END_OF_INPUT)) => return Ok(None),
                (None, Some(byte)) => {
                    let shown = Shown([byte].trim_ascii()).to_string();
                    self.say(&(shown + "\n"))?;
                    return Ok(Some(vec![byte]));
                }
            }
        }
    }

    fn byte(&self) -> Result<Option<u8>, IoError> {
        let mut byte = [0];
        loop {
            match (&self.keyboard).read(&mut byte) {
                Ok(count) => return Ok((count > 0).then_some(byte[0])),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => Err(error).context("can't read from the terminal")?,
            }
        }
    }
}

/// What Ctrl-D sends where no line ends with it.
const END_OF_INPUT: u8 = 4;

impl Manner {
    /// Finds what is set, with git's own where nothing is.
    ///
    /// # Errors
    /// If `interactive.singleKey` is neither true nor false.
    pub(super) fn of(verbosity: &Verbosity, config: &Config) -> Result<Self, RepoError> {
        let is_colored = config::colored(verbosity, Some(config), config::QUESTIONS, true);
        let sequence = |keys: &[&str], default| {
            if is_colored {
                config::sequence(config, keys, default)
            } else {
                String::new()
            }
        };
        Ok(Self {
            is_by_key: config.bool("interactive.singlekey")?.unwrap_or_default(),
            prompt: sequence(&["color.interactive.prompt"], "bold blue"),
            help: sequence(&["color.interactive.help"], "bold red"),
            error: sequence(
                &["color.interactive.error", "color.interactive.help"],
                "bold red",
            ),
        })
    }

    fn paint(&self, sequence: &str, text: &str) -> String {
        if sequence.is_empty() {
            text.to_owned()
        } else {
            format!("{sequence}{text}\x1b[m")
        }
    }
}
