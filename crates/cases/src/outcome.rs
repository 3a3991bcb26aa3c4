//! What comes of a case, compared with the sections that say what must.

use std::collections::{BTreeMap, BTreeSet};

use similar::TextDiff;

use crate::archive::Section;
use crate::{CaseFile, Files, TestCase};

/// What came of a case.
#[derive(Clone, Debug)]
pub struct CaseOutcome {
    /// The exit status.
    pub status: i32,
    /// What was said to people.
    pub said: String,
    /// The files afterwards.
    pub files: Files,
    /// The message to the model, empty if there is none; `None` if nobody looked.
    pub feedback: Option<String>,
}

/// Sections by name.
pub(crate) type Expected = BTreeMap<String, Section>;

impl TestCase {
    /// Returns the outcome that the case asks for.
    pub fn expected(&self) -> CaseOutcome {
        let mut files = self.before();
        self.lay("after/", &mut files);
        let error = self.section("error");
        let said = self.text(if error.is_some() { "error" } else { "warnings" });
        let status = error.map_or(0, |error| {
            let status = error
                .marks
                .first()
                .and_then(|mark| mark.strip_prefix("status ")?.parse().ok());
            status.unwrap_or(1)
        });
        let feedback = self.section("feedback").map(|_| self.text("feedback"));
        CaseOutcome {
            status,
            said,
            files,
            feedback,
        }
    }

    /// Compares an outcome with what the case asks for; with `SNAPSHOTS=overwrite`, writes it into the case's sections instead.
    ///
    /// # Errors
    /// With the sections that differ.
    pub fn compare(&self, got: &CaseOutcome) -> Result<(), String> {
        let before = self.before();
        let mut want = self.expected();
        if got.feedback.is_none() {
            want.feedback = None;
        }
        let (want, got) = (sections(&want, &before), sections(got, &before));
        if want == got {
            return Ok(());
        }
        if std::env::var_os("SNAPSHOTS").is_some_and(|how| how == "overwrite") {
            self.renew(&got);
            return Ok(());
        }
        Err(differences(&want, &got))
    }

    /// Returns what is said of a case that failed: why, where it is, and what repeats it.
    pub fn failed(&self, why: &str, command: &str) -> String {
        let place = self.place.shown();
        format!(
            "{why}\n\ncase:   {place}\nrepeat: {command}\nrenew:  SNAPSHOTS=overwrite {command}"
        )
    }
}

/// Returns how files differ from those that are wanted; `None` if they don't.
pub fn difference(want: &Files, got: &Files) -> Option<String> {
    let [want, got] = [want, got].map(|files| changes(&Files::new(), files));
    (want != got).then(|| differences(&want, &got))
}

/// Returns whether a case that says one thing of its outcome doesn't mean the other, which its file says: it is refused, or it isn't.
pub(crate) fn excludes(own: &Section, other: &Section) -> bool {
    let is_of_refusal = |section: &Section| section.name == "error" || section.name == "feedback";
    let is_of_change = |section: &Section| is_expectation(&section.name) && !is_of_refusal(section);
    is_of_refusal(own) && is_of_change(other) || is_of_change(own) && is_of_refusal(other)
}

pub(crate) fn is_expectation(name: &str) -> bool {
    name.starts_with("after/") || ["error", "warnings", "feedback"].contains(&name)
}

/// Returns the sections that say what an outcome is.
pub(crate) fn sections(outcome: &CaseOutcome, before: &Files) -> Expected {
    let mut sections = changes(before, &outcome.files);
    let mut say = |name: &str, marks: &[&str], said: &str| {
        if !said.is_empty() {
            sections.insert(name.to_owned(), Section::new(name, marks, said.as_bytes()));
        }
    };
    match outcome.status {
        0 => say("warnings", &[], &outcome.said),
        1 => say("error", &[], &outcome.said),
        status => say("error", &[&format!("status {status}")], &outcome.said),
    }
    say(
        "feedback",
        &[],
        outcome.feedback.as_deref().unwrap_or_default(),
    );
    sections
}

/// Returns the sections for the files that differ.
fn changes(before: &Files, after: &Files) -> Expected {
    let paths: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let differ = paths
        .into_iter()
        .filter(|path| before.get(*path) != after.get(*path));
    let sections = differ.map(|path| {
        let name = format!("after/{path}");
        let section = written(&name, after.get(path));
        (name, section)
    });
    sections.collect()
}

/// Returns the section for a file, or for there being none.
pub(crate) fn written(name: &str, file: Option<&CaseFile>) -> Section {
    let Some(file) = file else {
        return Section::new(name, &["gone"], b"");
    };
    let marks: &[_] = match (file.executable, file.link) {
        (_, true) => &["link"],
        (true, _) => &["executable"],
        _ => &[],
    };
    let end: &[u8] = if file.link { b"\n" } else { b"" };
    Section::new(name, marks, &[&file.bytes, end].concat())
}

/// Returns how each section differs.
fn differences(want: &Expected, got: &Expected) -> String {
    let names: BTreeSet<_> = want.keys().chain(got.keys()).collect();
    let differ = names
        .into_iter()
        .filter(|name| want.get(*name) != got.get(*name));
    let shown = differ.map(|name| {
        let [want, got] =
            [want, got].map(|all| all.get(name).map(Section::to_string).unwrap_or_default());
        let difference = TextDiff::from_lines(&want, &got)
            .unified_diff()
            .header("wanted", "got")
            .to_string();
        format!("section `{name}`:\n{difference}")
    });
    shown.collect::<Vec<_>>().join("\n")
}
