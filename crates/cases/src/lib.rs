//! Reads the cases of `tests/cases`, compares what comes of one with what it says, and renews what it says.
//!
//! A case is a file `tests/cases/FORMAT/NAME.txtar`, or a part of one behind a line `-- case NAME --`; `.github/CONTRIBUTING.md` says
//! how it is written. Nothing here knows how a response is applied: the tests of the library and of the program do.

pub mod archive;
mod outcome;
mod place;
mod renewal;

use std::collections::BTreeMap;
use std::fmt;

use archive::{Archive, Section};
pub use outcome::{CaseOutcome, difference};
use place::CasePlace;

/// What is at each path of a work tree.
pub type Files = BTreeMap<String, CaseFile>;

/// A file or a link of a work tree.
#[derive(Clone, PartialEq, Eq)]
pub struct CaseFile {
    /// Whether it may be executed.
    pub executable: bool,
    /// Whether it is a link, whose target the bytes are.
    pub link: bool,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// A response, the files that it meets, and what must come of it.
#[derive(Clone, Debug)]
pub struct TestCase {
    /// `FORMAT/NAME`, or `FORMAT/NAME/CASE` for one of several in a file.
    pub name: String,
    /// The comment of the file: what is shown.
    pub rule: String,
    place: CasePlace,
    /// What the case says itself.
    own: Vec<Section>,
    /// What the file says of all its cases.
    shared: Vec<Section>,
}

/// Reads all cases, in order.
///
/// # Panics
/// If a file isn't one of cases.
pub fn all() -> Vec<TestCase> {
    let places = place::files().into_iter().flat_map(CasePlace::of_file);
    places.map(TestCase::read).collect()
}

/// Returns the case of a name.
///
/// # Panics
/// If there is none.
pub fn named(name: &str) -> TestCase {
    let case = all().into_iter().find(|case| case.name == name);
    case.unwrap_or_else(|| panic!("no case `{name}`"))
}

impl TestCase {
    fn read(place: CasePlace) -> Self {
        let archive = place.open();
        Self::of(place, &archive)
    }

    fn of(place: CasePlace, archive: &Archive) -> Self {
        let (own, shared) = (place.own(archive), place.shared(archive));
        Self {
            name: place.name(),
            rule: place.rule(archive),
            own: archive.sections[own].to_vec(),
            shared: archive.sections[shared].to_vec(),
            place,
        }
    }

    /// Returns the files before.
    pub fn before(&self) -> Files {
        let mut files = Files::new();
        self.lay("before/", &mut files);
        files
    }

    /// Returns the response.
    pub fn response(&self) -> Vec<u8> {
        self.section("patch")
            .map(Section::content)
            .unwrap_or_default()
    }

    /// Returns the arguments, beside the response.
    pub fn arguments(&self) -> Vec<String> {
        let text = self.text("args");
        text.split_whitespace().map(str::to_owned).collect()
    }

    /// Returns the settings: names and values.
    ///
    /// # Panics
    /// If a line has no `=`.
    pub fn settings(&self) -> Vec<(String, String)> {
        let split = |line: &str| {
            let (name, value) = line
                .split_once('=')
                .unwrap_or_else(|| panic!("{}: no `=`: {line}", self.name));
            (name.to_owned(), value.to_owned())
        };
        self.text("config").lines().map(split).collect()
    }

    /// Returns what the case needs and Windows hasn't got; nothing if there is nothing.
    pub fn needs(&self) -> Option<String> {
        let text = self.text("needs");
        (!text.is_empty()).then(|| text.trim_end().to_owned())
    }

    /// Returns whether the case is always tried in a repository: what git knows or makes of files is part of it.
    pub fn is_of_git(&self) -> bool {
        self.section("git").is_some()
    }

    /// Returns whether it can be tried nowhere else.
    pub fn is_of_git_only(&self) -> bool {
        self.section("git").is_some_and(|git| git.has("only"))
    }

    /// Returns whether the case holds the message to the model: those of `shapes` do.
    pub fn tells_the_model(&self) -> bool {
        self.name.starts_with("shapes/") || self.section("feedback").is_some()
    }

    /// Returns the files that a second response should come to, where the first is refused; `None` if the case doesn't say.
    pub fn mended(&self) -> Option<Files> {
        let mut files = self.before();
        self.lay("mended/", &mut files).then_some(files)
    }

    /// Returns every response as it is, and behind each file that it meets: what a fuzzer begins with.
    pub fn seeds(&self) -> Vec<Vec<u8>> {
        let response = self.response();
        let files = self.before().into_values().filter(|file| !file.link);
        let beside = files.map(|file| [&file.bytes[..], b"\0", &response].concat());
        let mut seeds: Vec<_> = beside.collect();
        seeds.push(response);
        seeds
    }

    /// Returns the section of a name that counts: the case's own, or else that of the whole file.
    fn section(&self, name: &str) -> Option<&Section> {
        self.sections().find(|section| section.name == name)
    }

    /// Returns the sections that count. What the case says of its outcome replaces what the file says of one of the other kind.
    fn sections(&self) -> impl Iterator<Item = &Section> {
        let is_said = |section: &Section| {
            self.own
                .iter()
                .any(|own| own.name == section.name || outcome::excludes(own, section))
        };
        let shared = self.shared.iter().filter(move |section| !is_said(section));
        self.own.iter().chain(shared)
    }

    fn text(&self, name: &str) -> String {
        let content = self.section(name).map(Section::content).unwrap_or_default();
        String::from_utf8(content).unwrap_or_else(|_| panic!("{}: `{name}` isn't text", self.name))
    }

    /// Puts the files below a directory where others are, and returns whether there are any.
    fn lay(&self, directory: &str, files: &mut Files) -> bool {
        let mut is_any = false;
        for section in self.sections() {
            let Some(path) = section.name.strip_prefix(directory) else {
                continue;
            };
            is_any = true;
            if section.has("gone") {
                files.remove(path);
            } else {
                files.insert(path.to_owned(), CaseFile::of(section));
            }
        }
        is_any
    }
}

impl CaseFile {
    fn of(section: &Section) -> Self {
        let mut bytes = section.content();
        let link = section.has("link");
        if link && bytes.ends_with(b"\n") {
            bytes.pop();
        }
        Self {
            executable: section.has("executable"),
            link,
            bytes,
        }
    }
}

impl fmt::Debug for CaseFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match (self.link, self.executable) {
            (true, _) => "link to ",
            (_, true) => "executable ",
            _ => "",
        };
        write!(f, "{kind}\"{}\"", self.bytes.escape_ascii())
    }
}
