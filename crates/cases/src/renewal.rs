//! What came of a case, written into its file in the place of what the file says.

use std::sync::{Mutex, PoisonError};

use crate::archive::Section;
use crate::outcome::{Expected, excludes, is_expectation, written};
use crate::{Files, TestCase};

impl TestCase {
    /// Writes an outcome into the case's own sections.
    pub(crate) fn renew(&self, got: &Expected) {
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        self.place.replace(self.renewed(got));
    }

    /// Returns the case's own sections with another outcome, each at its place. What the file says of all its cases isn't repeated.
    fn renewed(&self, got: &Expected) -> Vec<Section> {
        let mut missing = self.to_say(got);
        let renewed = self.own.iter().filter_map(|section| {
            if is_expectation(&section.name) {
                missing.remove(&section.name)
            } else {
                Some(section.clone())
            }
        });
        let mut renewed: Vec<_> = renewed.collect();
        renewed.extend(missing.into_values());
        renewed
    }

    /// Returns what the case must say itself of an outcome.
    fn to_say(&self, got: &Expected) -> Expected {
        let others = got
            .iter()
            .filter(|(_, section)| !self.shared.contains(section));
        let mut own: Expected = others
            .map(|(name, section)| (name.clone(), section.clone()))
            .collect();
        let before = self.before();
        let untrue = self
            .shared
            .iter()
            .filter(|section| is_expectation(&section.name) && !got.contains_key(&section.name));
        for section in untrue {
            if !own.values().any(|own| excludes(own, section)) {
                let denial = denial(section, &before);
                own.insert(denial.name.clone(), denial);
            }
        }
        own
    }
}

/// Returns the section by which a case says that what its file says of all isn't so.
fn denial(section: &Section, before: &Files) -> Section {
    match section.name.strip_prefix("after/") {
        Some(path) => written(&section.name, before.get(path)),
        // What says nothing of a change excludes a refusal.
        None if section.name == "error" => Section::new("warnings", &[], b""),
        None => Section::new(&section.name, &[], b""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::Archive;
    use crate::outcome::{CaseOutcome, sections};
    use crate::place::CasePlace;

    const CHANGE: &[(&str, &str)] = &[("a", "2\n")];

    /// Returns a file's text after its case, or its case `x`, has come to something else.
    fn renewed(text: &str, status: i32, said: &str, files: &[(&str, &str)]) -> String {
        let mut archive = Archive::parse(text);
        let place = CasePlace::within(&archive, "x");
        let case = TestCase::of(place.clone(), &archive);
        let file = |(path, text): &(&str, &str)| {
            let file = crate::CaseFile {
                executable: false,
                link: false,
                bytes: text.as_bytes().to_vec(),
            };
            ((*path).to_owned(), file)
        };
        let got = CaseOutcome {
            status,
            said: said.to_owned(),
            files: files.iter().map(file).collect(),
            feedback: None,
        };
        let got = sections(&got, &case.before());
        archive
            .sections
            .splice(place.own(&archive), case.renewed(&got));
        let again = TestCase::of(place, &archive);
        assert_eq!(
            sections(&again.expected(), &again.before()),
            got,
            "{archive}"
        );
        archive.to_string()
    }

    #[test]
    fn a_case_says_what_came_of_it() {
        let case = "rule\n\n-- before/a --\n1\n-- patch --\np\n";
        let changed = format!("{case}-- after/a --\n2\n");
        let warned = format!("{changed}-- warnings --\nw\n");
        let refused = format!("{case}-- error (status 3) --\ne\n");
        let gone = format!("{case}-- after/a (gone) --\n-- after/b (escaped) --\n3\\\n");
        for old in [case, &changed, &warned, &refused, &gone] {
            assert_eq!(renewed(old, 0, "", &[("a", "1\n")]), case);
            assert_eq!(renewed(old, 0, "", CHANGE), changed);
            assert_eq!(renewed(old, 0, "w\n", CHANGE), warned);
            assert_eq!(renewed(old, 3, "e\n", &[("a", "1\n")]), refused);
            assert_eq!(renewed(old, 0, "", &[("b", "3")]), gone);
        }
    }

    #[test]
    fn what_others_share_stays_and_is_not_repeated() {
        let before = "-- before/a --\n1\n";
        let other = "-- case y --\n-- patch --\np\n";
        for (shared, own, status, said, files) in [
            ("-- after/a --\n2\n", "", 0, "", CHANGE),
            (
                "-- after/a --\n2\n",
                "-- warnings --\nw\n",
                0,
                "w\n",
                CHANGE,
            ),
            (
                "-- after/a --\n2\n",
                "-- error --\ne\n",
                1,
                "e\n",
                &[("a", "1\n")],
            ),
            (
                "-- after/a --\n2\n",
                "-- after/a --\n1\n",
                0,
                "",
                &[("a", "1\n")],
            ),
            (
                "-- after/a --\n2\n",
                "-- after/a --\n3\n",
                0,
                "",
                &[("a", "3\n")],
            ),
            (
                "-- after/b --\n2\n",
                "-- after/b (gone) --\n",
                0,
                "",
                &[("a", "1\n")],
            ),
            (
                "-- after/a --\n2\n-- warnings --\nw\n",
                "-- warnings --\n",
                0,
                "",
                CHANGE,
            ),
            ("-- error --\ne\n", "", 1, "e\n", &[("a", "1\n")]),
            (
                "-- error --\ne\n",
                "-- error --\nf\n",
                1,
                "f\n",
                &[("a", "1\n")],
            ),
            ("-- error --\ne\n", "-- after/a --\n2\n", 0, "", CHANGE),
            (
                "-- error --\ne\n",
                "-- warnings --\n",
                0,
                "",
                &[("a", "1\n")],
            ),
        ] {
            for old in [
                "",
                "-- error --\nold\n",
                "-- after/a --\n4\n-- warnings --\nold\n",
            ] {
                let with = |own| {
                    format!("{before}{shared}-- case x --\nrule\n-- patch --\np\n{own}{other}")
                };
                assert_eq!(renewed(&with(old), status, said, files), with(own));
            }
        }
    }
}
