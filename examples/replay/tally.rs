//! What came of it all.

use std::collections::BTreeMap;
use std::fmt;

/// The figures, and what went wrong.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) commits: usize,
    pub(crate) diffs: Count,
    pub(crate) diffed_files: usize,
    /// How many diffs have headings that a driver of git's chooses, which aren't compared.
    pub(crate) driven: usize,
    pub(crate) git_takes: Count,
    pub(crate) formats: BTreeMap<&'static str, Replayed>,
    /// How often each kind of warning was given, by format.
    pub(crate) warned: BTreeMap<(&'static str, String), usize>,
    pub(crate) failures: Vec<String>,
}

/// How one format fared.
#[derive(Default)]
pub(crate) struct Replayed {
    pub(crate) applied: Count,
    pub(crate) spoiled: Count,
    pub(crate) converted: Count,
    /// How many diffs aren't read back, since they hold a binary patch.
    pub(crate) binary: usize,
    /// How many commits the format can't say.
    pub(crate) left_out: usize,
    /// Of how many files, by reason.
    pub(crate) reasons: BTreeMap<String, usize>,
}

/// How many of how many.
#[derive(Default)]
pub(crate) struct Count {
    good: usize,
    all: usize,
}

impl Count {
    pub(crate) fn add(&mut self, is_good: bool) -> bool {
        self.all += 1;
        self.good += usize::from(is_good);
        is_good
    }
}

impl Tally {
    pub(crate) fn of(&mut self, format: &'static str) -> &mut Replayed {
        self.formats.entry(format).or_default()
    }

    /// Counts the warnings among what was said.
    pub(crate) fn heed(&mut self, format: &'static str, said: &[u8]) {
        for line in String::from_utf8_lossy(said)
            .lines()
            .filter(|line| line.starts_with("warning: "))
        {
            let kind = line
                .rsplit('[')
                .next()
                .unwrap_or_default()
                .trim_end_matches(']');
            *self.warned.entry((format, kind.to_owned())).or_default() += 1;
        }
    }

    pub(crate) fn fail(&mut self, what: String) {
        self.failures.push(what);
    }

    pub(crate) fn has_failed(&self) -> bool {
        !self.failures.is_empty()
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.good, self.all)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for failure in &self.failures {
            writeln!(f, "{failure}")?;
        }
        let Self {
            commits,
            diffs,
            diffed_files,
            driven,
            git_takes,
            ..
        } = self;
        writeln!(f, "{commits} commits")?;
        writeln!(
            f,
            "diff: {diffs} the same as git's ({diffed_files} files; {driven} but for headings), git apply --check takes {git_takes}"
        )?;
        for (
            format,
            Replayed {
                applied,
                spoiled,
                converted,
                binary,
                left_out,
                reasons,
            },
        ) in &self.formats
        {
            writeln!(
                f,
                "{format}: {applied} give the commit's tree, {left_out} can't be said"
            )?;
            for (reason, files) in reasons {
                writeln!(f, "  {files} files: {reason}")?;
            }
            writeln!(
                f,
                "  spoiled: {spoiled} refused; converted: {converted} the same again, {binary} binary"
            )?;
        }
        for ((format, kind), times) in &self.warned {
            writeln!(f, "{format}: {times} warnings of the kind {kind}")?;
        }
        Ok(())
    }
}
