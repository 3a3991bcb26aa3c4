//! Every case of `tests/cases` at the top of the repository, planned on a tree in memory: no git, no files, no program.
//!
//! What comes of it must be what the case says, to the byte: the exit status, what people are told, the files afterwards, and the message
//! to the model where the case has it. `SNAPSHOTS=overwrite` writes it into the case instead. `.github/CONTRIBUTING.md` says how a case is
//! written; what only git knows of files and settings (`-- git --`), the program's own `tests/cases.rs` tries.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

// How people are told is the program's, and these files need nothing else of it.
#[allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "the program uses the rest"
)]
#[path = "../../../src/report/mod.rs"]
mod report;

use libtest_mimic::{Arguments, Failed, Trial};
use llmpatch::kind::Blame;
use llmpatch::lint::{Lints, Verdict};
use llmpatch::path::Resolver;
use llmpatch::pathspec::{Defaults, Pathspec, Pathspecs};
use llmpatch::plan::{Guard, Origin};
use llmpatch::report::{Report, State};
use llmpatch::tree::{Content, Entry, File, Mode, Obstacle};
use llmpatch::{Format, Fuzz, MemoryTree, Options, Refusal, RepoPath, apply};
use llmpatch_cases::{CaseOutcome, Files, TestCase};

use report::human::{self, Style};

/// As wide as `COLUMNS` is for the program.
const STYLE: Style = Style {
    width: 100,
    ..Style::PLAIN
};

fn main() {
    let args = Arguments::from_args();
    let trials = llmpatch_cases::all().into_iter().map(|case| {
        let is_left_out = case.is_of_git_only();
        Trial::test(case.name.clone(), move || plans(&case)).with_ignored_flag(is_left_out)
    });
    libtest_mimic::run(&args, trials.collect()).exit();
}

fn plans(case: &TestCase) -> Result<(), Failed> {
    let command = format!(
        "cargo test -p llmpatch --test cases -- --exact '{}'",
        case.name
    );
    let done = case.compare(&outcome(case));
    done.map_err(|why| case.failed(&why, &command).into())
}

/// Works out what comes of a case.
fn outcome(case: &TestCase) -> CaseOutcome {
    let before = case.before();
    let mut tree = tree(&before);
    let ignores_case =
        |(name, value): &(String, String)| name == "core.ignoreCase" && value == "true";
    if case.settings().iter().any(ignores_case) {
        tree = tree.ignoring_case();
    }
    let (status, report, feedback) =
        match apply("patch.txt", case.response(), &tree, &options(case)) {
            Ok(applied) => {
                applied.changes.make_in(&mut tree);
                (0, Report::checked(Vec::new(), applied.warnings), None)
            }
            Err(refusal) => refused(*refusal),
        };
    CaseOutcome {
        status,
        said: human::complaints(&report, STYLE),
        files: files(&tree, &before),
        feedback: case.tells_the_model().then(|| feedback.unwrap_or_default()),
    }
}

/// Returns the exit status, the report and the message to the model that a refusal comes to.
fn refused(refusal: Refusal) -> (i32, Report, Option<String>) {
    let report = Report::failed_with(State::NothingChanged, refusal.errors, refusal.warnings);
    let status = match report.blame() {
        Some(Blame::System) => 3,
        Some(Blame::Usage) => 2,
        _ => 1,
    };
    assert_eq!(
        refusal.feedback.is_some(),
        status == 1,
        "a message to the model is for what the model can mend"
    );
    (status, report, refusal.feedback)
}

/// Reads what the case's options and settings ask for.
fn options(case: &TestCase) -> Options {
    let mut options = Options::default();
    let mut directory = String::new();
    let mut roots = Vec::new();
    let mut aliases = Vec::new();
    let split = |argument: String| {
        let (name, value) = argument.split_once('=').unwrap_or((&argument, ""));
        (name.to_owned(), value.to_owned())
    };
    let settings = case.settings().into_iter();
    for (name, value) in settings.chain(case.arguments().into_iter().map(split)) {
        let rules = &mut options.rules;
        match &name[..] {
            "--format" => options.format = Some(format_named(&value)),
            "--file" => options.file = Some(value.into()),
            "--recount" => options.recount = true,
            "--directory" => directory = value,
            "--fuzz" | "llmpatch.fuzz" => {
                // An option goes before the other's setting.
                rules.strict &= name != "--fuzz";
                rules.fuzz = fuzz_named(&value);
            }
            "--no-fuzz" => rules.fuzz = Fuzz::Exact,
            "--strict" | "llmpatch.strict" => rules.strict = value != "false",
            "--no-strict" => rules.strict = false,
            "--unique" | "llmpatch.unique" => rules.unique = value != "false",
            "--no-unique" => rules.unique = false,
            "--root-is" | "llmpatch.rootIs" => aliases.push(value),
            "--overwrite" => rules.overwrite = true,
            "--allow-empty" => rules.allow_empty = true,
            "--limit" => rules.guard.limit = Some((pathspecs(&value), Origin::Option)),
            "llmpatch.protect" => rules.guard = protecting(&value),
            "core.ignoreCase" => {}
            name if name.starts_with("-p") => options.strip = Some(name[2..].parse().unwrap()),
            name => match name.split_once("llmpatch.") {
                Some((_, rest)) if rest.starts_with("root.") => {
                    roots.push((rest["root.".len()..].to_owned(), value));
                }
                Some((_, rest)) if rest.starts_with("lint.") => {
                    options.lints = with_lint(options.lints, &rest["lint.".len()..], &value);
                }
                _ => panic!("{name}: no option that this test knows"),
            },
        }
    }
    let mut resolver = Resolver::within(["/work".into()]);
    if !directory.is_empty() {
        resolver = resolver.with_directory(directory.as_bytes()).unwrap();
    }
    for alias in aliases {
        resolver = resolver.with_alias(alias.as_bytes()).unwrap();
    }
    for (name, directory) in roots {
        resolver = resolver.with_root(name.as_bytes(), directory.as_bytes());
    }
    options.resolver = resolver;
    options
}

fn format_named(name: &str) -> Format {
    match name {
        "envelope" => Format::Envelope,
        "opx" => Format::Opx,
        "unified" => Format::Unified,
        "blocks" => Format::Blocks,
        "tool" => Format::Tool,
        "files" => Format::Files,
        _ => panic!("{name}: no format"),
    }
}

fn fuzz_named(name: &str) -> Fuzz {
    let level = Fuzz::LEVELS.into_iter().find(|level| level.name() == name);
    level.unwrap_or(Fuzz::Exact)
}

fn pathspecs(spec: &str) -> Pathspecs {
    let spec = Pathspec::new(spec.as_bytes(), Defaults::default());
    [spec.unwrap()].into_iter().collect()
}

fn protecting(spec: &str) -> Guard {
    Guard {
        protected: pathspecs(spec),
        ..Guard::default()
    }
}

fn with_lint(lints: Lints, name: &str, verdict: &str) -> Lints {
    let lint = Lints::all().find(|lint| lint.code() == name);
    let verdict = match verdict {
        "allow" | "ignore" => Verdict::Ignore,
        "warn" => Verdict::Warn,
        _ => Verdict::Error,
    };
    lints.with(lint.unwrap(), verdict)
}

/// Returns a tree in memory of these files.
fn tree(files: &Files) -> MemoryTree {
    let mut tree = MemoryTree::new();
    for (path, file) in files {
        let entry = if file.link {
            Entry::Other(Obstacle::Link)
        } else {
            let mode = Mode {
                executable: file.executable,
                bits: None,
            };
            Entry::File(File {
                content: Content::from(file.bytes.clone()),
                mode,
            })
        };
        tree.insert(RepoPath::new(path.as_bytes()).unwrap(), entry);
    }
    tree
}

/// Returns the files of a tree, which knows links by their paths alone.
fn files(tree: &MemoryTree, before: &Files) -> Files {
    let file = |(path, entry): (&RepoPath, &Entry)| {
        let path = String::from_utf8(path.as_bytes().to_vec()).unwrap();
        let file = match entry {
            Entry::File(file) => llmpatch_cases::CaseFile {
                executable: file.mode.executable,
                link: false,
                bytes: file.content.to_vec(),
            },
            _ => before[&path].clone(),
        };
        (path, file)
    };
    tree.iter().map(file).collect()
}
