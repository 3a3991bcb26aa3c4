//! Where a case is written: a file of `tests/cases`, or a part of one.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::archive::{Archive, Section};

/// A file, and the name of the case in it, if it is one of several.
#[derive(Clone, Debug)]
pub(crate) struct CasePlace {
    file: PathBuf,
    case: Option<String>,
}

/// Returns the files of all cases, in order.
pub(crate) fn files() -> Vec<PathBuf> {
    let directories = entries(&root());
    directories
        .iter()
        .flat_map(|directory| entries(directory))
        .collect()
}

impl CasePlace {
    /// Lists the cases of a file.
    pub(crate) fn of_file(file: PathBuf) -> Vec<Self> {
        let whole = Self { file, case: None };
        let archive = whole.open();
        let cases = archive.sections.iter().filter_map(case);
        let parts: Vec<_> = cases.map(|name| whole.part(name)).collect();
        if parts.is_empty() { vec![whole] } else { parts }
    }

    fn part(&self, name: &str) -> Self {
        Self {
            file: self.file.clone(),
            case: Some(name.to_owned()),
        }
    }

    /// Reads the file.
    pub(crate) fn open(&self) -> Archive {
        let text = fs::read_to_string(&self.file)
            .unwrap_or_else(|error| panic!("{}: {error}", self.file.display()));
        assert!(
            !text.contains('\r'),
            "{}: a carriage return is written as an escape",
            self.file.display()
        );
        let archive = Archive::parse(&text);
        for section in &archive.sections {
            assert!(
                is_known(section),
                "{}: no section of a case: {section}",
                self.file.display()
            );
        }
        archive
    }

    /// Writes the file with other sections in the place of the case's own.
    pub(crate) fn replace(&self, own: Vec<Section>) {
        let mut archive = self.open();
        archive.sections.splice(self.own(&archive), own);
        fs::write(&self.file, archive.to_string())
            .unwrap_or_else(|error| panic!("{}: {error}", self.file.display()));
    }

    /// Returns which sections are the case's own.
    pub(crate) fn own(&self, archive: &Archive) -> Range<usize> {
        let Some(name) = &self.case else {
            return 0..archive.sections.len();
        };
        let is_it = |section: &Section| case(section) == Some(name);
        let start = archive
            .sections
            .iter()
            .position(is_it)
            .map_or(0, |header| header + 1);
        start..start + until_next_case(&archive.sections[start..])
    }

    /// Returns which sections all cases of the file share.
    pub(crate) fn shared(&self, archive: &Archive) -> Range<usize> {
        match self.case {
            Some(_) => 0..until_next_case(&archive.sections),
            None => 0..0,
        }
    }

    /// Returns what the file says of its cases, and of this one.
    pub(crate) fn rule(&self, archive: &Archive) -> String {
        let header = archive
            .sections
            .iter()
            .find(|section| case(section).is_some() && case(section) == self.case.as_deref());
        let of_case = header.map(Section::content).unwrap_or_default();
        archive.comment.clone() + &String::from_utf8_lossy(&of_case)
    }

    /// Returns `FORMAT/NAME`, with the case's name behind it if it is one of several.
    pub(crate) fn name(&self) -> String {
        let file = self.file.with_extension("");
        let names = file.iter().rev().take(2).map(|name| name.to_string_lossy());
        let mut names: Vec<_> = names.collect();
        names.reverse();
        names.extend(self.case.as_deref().map(Into::into));
        names.join("/")
    }

    /// Returns the path of the file from the top of the repository, and the line where the case begins.
    pub(crate) fn shown(&self) -> String {
        let mut archive = self.open();
        archive.sections.truncate(self.own(&archive).start);
        let line = match self.case {
            Some(_) => archive.to_string().lines().count(),
            None => 1,
        };
        let path = self.file.strip_prefix(root()).unwrap_or(&self.file);
        format!("tests/cases/{}:{line}", path.display())
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases")
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let listed =
        fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut paths: Vec<_> = listed
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.sort();
    paths
}

#[cfg(test)]
impl CasePlace {
    /// Returns where a case is in an archive, or the whole one if it isn't a table.
    pub(crate) fn within(archive: &Archive, name: &str) -> Self {
        let is_table = archive
            .sections
            .iter()
            .any(|section| case(section).is_some());
        Self {
            file: PathBuf::new(),
            case: is_table.then(|| name.to_owned()),
        }
    }
}

/// Returns the name of the case that a section begins.
fn case(section: &Section) -> Option<&str> {
    section.name.strip_prefix("case ")
}

fn until_next_case(sections: &[Section]) -> usize {
    let next = sections.iter().position(|section| case(section).is_some());
    next.unwrap_or(sections.len())
}

/// Returns whether a case may have such a section.
fn is_known(section: &Section) -> bool {
    let is_mark = |mark: &String| ["executable", "link", "gone"].contains(&&mark[..]);
    match &section.name[..] {
        "error" => section.marks.iter().all(|mark| mark.starts_with("status ")),
        "git" => section.marks.iter().all(|mark| mark == "only"),
        "patch" | "args" | "config" | "needs" | "warnings" | "feedback" => section.marks.is_empty(),
        name => {
            let is_file = ["before/", "after/", "mended/"]
                .iter()
                .any(|directory| name.starts_with(directory));
            is_file && section.marks.iter().all(is_mark)
                || case(section).is_some() && section.marks.is_empty()
        }
    }
}
