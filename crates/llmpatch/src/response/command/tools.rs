//! The programs that apply patches, and what their options mean.

use super::Doubt;
use super::word::Word;
use super::working_dir::WorkingDir;

/// Returns a command without what may be before it: `A=b`, `env -C dir`, `sudo`.
pub(super) fn bare_command<'w>(words: &'w [Word], place: &mut WorkingDir) -> &'w [Word] {
    let mut words = words;
    let mut before = "";
    while let [word, rest @ ..] = words {
        let text = word.text.as_str();
        match (text, rest) {
            ("env" | "sudo" | "command" | "builtin" | "exec" | "nohup", _) => before = text,
            _ if text.starts_with("GIT_DIR=") || text.starts_with("GIT_WORK_TREE=") => {
                place.lose(word.unknown("git"));
            }
            _ if word.is_assignment() => {}
            _ if before.is_empty() || !text.starts_with('-') => break,
            ("-C" | "--chdir" | "-D", [directory, rest @ ..]) => {
                place.enter(directory);
                words = rest;
                continue;
            }
            ("-u", [_, rest @ ..]) => {
                words = rest;
                continue;
            }
            ("-" | "-i" | "-E" | "-H" | "-n" | "-p" | "--", _) => {}
            _ if text.starts_with("--chdir=") => place.enter(&word.from("--chdir=".len())),
            _ => place.lose(word.unknown(before)),
        }
        words = rest;
    }
    words
}

/// A program that applies patches.
pub(super) struct Tool {
    name: &'static str,
    /// Options after which a patch means the same.
    plain: &'static [&'static str],
    /// Options by which nothing is applied.
    trial: &'static [&'static str],
    /// Options with a value.
    valued: &'static [&'static str],
    /// Whether its operand is the patch, and not a file's name.
    pub(super) is_given_text: bool,
}

pub(super) const APPLY_PATCH: Tool = Tool {
    name: "apply_patch",
    plain: &[],
    trial: &[],
    valued: &[],
    is_given_text: true,
};

const RECOUNT: &str = "--recount";

#[rustfmt::skip]
pub(super) const GIT: Tool = Tool {
    name: "git apply",
    plain: &[
        "--index", "--cached", "--apply", "--3way", "-3", "-v", "--verbose", "-q", "--quiet", "--allow-empty", RECOUNT, "--unidiff-zero",
        "--reject", "--unsafe-paths", "-N",
        "--intent-to-add", "--allow-overlap", "--binary", "--inaccurate-eof", "-s", "--signoff",
        "-k", "--keep", "--keep-cr",
    ],
    trial: &["--check", "--stat", "--numstat", "--summary"],
    valued: &["--directory", "-p", "--whitespace"],
    is_given_text: false,
};

#[rustfmt::skip]
pub(super) const LLMPATCH: Tool = Tool {
    name: "git llmpatch apply",
    plain: &[
        "--index", "--cached", "--commit", "--strict", "--no-strict", "--unique",
        "--no-unique", "--no-fuzz", "--3way", "-3", "-N", "--intent-to-add", "--overwrite",
        "--allow-empty", "-q", "--quiet", "-v", "--verbose", "--json", "--feedback", "--color",
        RECOUNT,
    ],
    trial: &["--check"],
    valued: &["--directory", "-p", "--fuzz"],
    is_given_text: false,
};

#[rustfmt::skip]
pub(super) const PATCH: Tool = Tool {
    name: "patch",
    plain: &[
        "-s", "--quiet", "--silent", "-N", "--forward", "-f", "--force", "-b", "--backup", "-t",
        "--batch", "-u", "--unified", "--binary",
        "--no-backup-if-mismatch", "--verbose",
    ],
    trial: &["--dry-run"],
    valued: &["-d", "--directory", "-p", "--strip", "-F", "--fuzz", "-i", "--input"],
    is_given_text: false,
};

/// What a program is told.
#[derive(Default)]
pub(super) struct Call {
    pub(super) directory: Option<Word>,
    pub(super) strip: Option<u32>,
    pub(super) recount: bool,
    /// What names or is the patch.
    pub(super) sources: Vec<Word>,
    pub(super) trouble: Option<Doubt>,
    /// Whether it only says what it would do.
    pub(super) is_trial: bool,
    applies: bool,
}

impl Tool {
    /// Reads what the program is told.
    pub(super) fn call(&self, args: &[Word]) -> Call {
        let mut call = Call::default();
        let mut words = args.iter();
        let mut options = true;
        while let Some(word) = words.next() {
            let text = word.text.as_str();
            let option = options && text.len() > 1 && text.starts_with('-');
            let read = if option && text == "--" {
                options = false;
                Ok(())
            } else if option && !text.contains('\n') {
                self.option(word, &mut words, &mut call)
            } else {
                self.operand(word, &mut call)
            };
            if let Err(trouble) = read {
                call.trouble.get_or_insert(trouble);
            }
        }
        call
    }

    /// Reads a word that is no option.
    fn operand(&self, word: &Word, call: &mut Call) -> Result<(), Doubt> {
        if !self.is_given_text && word.text.starts_with(['$', '`']) {
            // It may stand for options.
            word.fixed()?;
        }
        if self.name == PATCH.name && word.text != "-" {
            // It is the file, whatever the patch names.
            return Err(word.unknown(self.name));
        }
        call.sources.push(word.clone());
        Ok(())
    }

    /// Reads an option, or several that are written as a word.
    fn option<'w>(
        &self,
        word: &Word,
        words: &mut impl Iterator<Item = &'w Word>,
        call: &mut Call,
    ) -> Result<(), Doubt> {
        let text = word.fixed()?;
        let long = text.starts_with("--");
        let mut at = 1;
        while let Some(letter) = text[at..].chars().next() {
            at += letter.len_utf8();
            let mut name = format!("-{letter}");
            if long {
                at = text.find('=').unwrap_or(text.len());
                text[..at].clone_into(&mut name);
            }
            if matches!(name.as_str(), "-R" | "--reverse") {
                return Err(Doubt::Reverse { option: name });
            }
            let is_trial = self.trial.contains(&name.as_str());
            // `git apply --stat --apply` applies, whichever is first.
            call.applies |= name == "--apply";
            call.is_trial = (call.is_trial || is_trial) && !call.applies;
            if is_trial || self.plain.contains(&name.as_str()) {
                call.recount |= name == RECOUNT;
                if long {
                    break;
                }
                continue;
            }
            if !self.valued.contains(&name.as_str()) {
                return Err(word.unknown(self.name));
            }
            let value = if at < text.len() {
                word.from(at + usize::from(long))
            } else {
                words.next().ok_or_else(|| word.unknown(self.name))?.clone()
            };
            match name.as_str() {
                "-d" | "--directory" => call.directory = Some(value),
                "-i" | "--input" => call.sources = vec![value],
                "-p" | "--strip" => {
                    let number = value.fixed()?.parse();
                    call.strip = Some(number.map_err(|_| word.unknown(self.name))?);
                }
                _ => {}
            }
            break;
        }
        Ok(())
    }
}
