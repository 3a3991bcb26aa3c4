//! Every case of `tests/cases` at the top of the repository, planned on a tree in memory: no git, no files, no program.
//!
//! A case that applies must come to the files of its `after/`. Of what is said, each headline of `warnings.txt` or `error.txt` must be a
//! diagnostic of that kind at that place, and each diagnostic's words (its headline, label, captions, notes, help) must be in that text. How
//! they are drawn is the program's, whose own `tests/cases.rs` says how a case is written.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use libtest_mimic::{Arguments, Failed, Trial};
use llmpatch::lint::{Lints, Verdict};
use llmpatch::path::Resolver;
use llmpatch::pathspec::{Defaults, Pathspec, Pathspecs};
use llmpatch::plan::{Guard, Origin};
use llmpatch::text::Shown;
use llmpatch::tree::{Content, Entry, File, Mode, Obstacle};
use llmpatch::{Diagnostic, Format, Fuzz, MemoryTree, Options, RepoPath, apply};

fn main() {
    let args = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases");
    let mut trials = Vec::new();
    for format in entries(&root) {
        for case in entries(&root.join(&format)) {
            let directory = root.join(&format).join(&case);
            let is_left_out = needs_git(&directory) || !cfg!(unix) && is_of_modes(&directory);
            let name = format!("{format}/{case}");
            let trial = Trial::test(name.clone(), move || {
                plans(&directory).map_err(|failed| repeated(&failed, &name))
            });
            trials.push(trial.with_ignored_flag(is_left_out));
        }
    }
    libtest_mimic::run(&args, trials).exit();
}

/// Adds to what failed where the case is and what repeats it.
fn repeated(failed: &Failed, name: &str) -> Failed {
    let message = failed.message().unwrap_or_default();
    let command = format!("cargo test -p llmpatch --test cases -- --exact '{name}'");
    format!("{message}\n\ncase:   tests/cases/{name}\nrepeat: {command}").into()
}

/// Returns whether a case is about what git makes of files, knows of them, or reads of its settings.
fn needs_git(case: &Path) -> bool {
    let config = text(&case.join("config.txt"));
    let is_of_attributes = case.join("before/.gitattributes").exists();
    let is_of_ids = text(&case.join("warnings.txt")).contains("[id-differs]");
    let is_of_settings = !config.is_empty() && text(&case.join("error.txt")).starts_with('2');
    is_of_attributes || is_of_ids || is_of_settings || config.contains("core.autocrlf")
}

/// Returns whether a case is about executable files or links, of which other systems keep neither.
fn is_of_modes(case: &Path) -> bool {
    let response = fs::read(case.join("patch.txt")).unwrap_or_default();
    let response = String::from_utf8_lossy(&response);
    let of_modes = ["100755", "120000", "mode"];
    let needs = text(&case.join("needs.txt"));
    of_modes.iter().any(|words| response.contains(words))
        || ["links", "permission bits"].contains(&needs.trim_end())
}

fn plans(case: &Path) -> Result<(), Failed> {
    let mut tree = MemoryTree::new();
    let before = case.join("before");
    fill(&mut tree, &before, &before);
    let options = options(case);
    if text(&case.join("config.txt")).contains("core.ignoreCase=true") {
        tree = tree.ignoring_case();
    }
    let response = fs::read(case.join("patch.txt")).unwrap();
    match apply("patch.txt", response, &tree, &options) {
        Ok(applied) => {
            says(&applied.warnings, &text(&case.join("warnings.txt")))?;
            applied.changes.make_in(&mut tree);
            let mut after = MemoryTree::new();
            fill(&mut after, &case.join("after"), &case.join("after"));
            same(&files(&after), &files(&tree))
        }
        Err(refusal) => {
            let all = [refusal.warnings, refusal.errors].concat();
            says(&all, &text(&case.join("error.txt")))?;
            let is_blamed = text(&case.join("error.txt")).starts_with('1');
            if refusal.feedback.is_some() == is_blamed {
                Ok(())
            } else {
                Err("a message to the model is for what the model can mend".into())
            }
        }
    }
}

/// Reads what the case's options and settings ask for.
fn options(case: &Path) -> Options {
    let mut options = Options::default();
    let mut directory = String::new();
    let mut roots = Vec::new();
    let mut aliases = Vec::new();
    let (arguments, settings) = (text(&case.join("args.txt")), text(&case.join("config.txt")));
    let given = settings.lines().chain(arguments.split_whitespace());
    for one in given {
        let (name, value) = one.split_once('=').unwrap_or((one, ""));
        let rules = &mut options.rules;
        match name {
            "--format" => options.format = Some(format_named(value)),
            "--file" => options.file = Some(value.into()),
            "--recount" => options.recount = true,
            "-p0" | "-p1" | "-p2" => options.strip = name[2..].parse().ok(),
            "--directory" => directory = value.into(),
            "--fuzz" | "llmpatch.fuzz" => {
                // An option goes before the other's setting.
                rules.strict &= name != "--fuzz";
                rules.fuzz = fuzz_named(value);
            }
            "--no-fuzz" => rules.fuzz = Fuzz::Exact,
            "--strict" | "llmpatch.strict" => rules.strict = value != "false",
            "--no-strict" => rules.strict = false,
            "--unique" | "llmpatch.unique" => rules.unique = value != "false",
            "--no-unique" => rules.unique = false,
            "--root-is" | "llmpatch.rootIs" => aliases.push(value.to_owned()),
            "--overwrite" => rules.overwrite = true,
            "--allow-empty" => rules.allow_empty = true,
            "--limit" => rules.guard.limit = Some((pathspecs(value), Origin::Option)),
            "llmpatch.protect" => rules.guard = protecting(value),
            "core.ignoreCase" => {}
            name => match name.split_once("llmpatch.") {
                Some((_, rest)) if rest.starts_with("root.") => {
                    roots.push((rest["root.".len()..].to_owned(), value.to_owned()));
                }
                Some((_, rest)) if rest.starts_with("lint.") => {
                    options.lints = with_lint(options.lints, &rest["lint.".len()..], value);
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

/// Checks that diagnostics say what a text of the program's says.
fn says(all: &[Diagnostic], text: &str) -> Result<(), Failed> {
    for (number, line) in text.lines().enumerate() {
        let Some((kind, headline)) = headline(line) else {
            continue;
        };
        // Corrections whose meaning is clear are counted for people.
        let is_counted = headline.starts_with("corrected ");
        let place = text.lines().nth(number + 1).and_then(|next| {
            let (_, place) = next.split_once("--> patch.txt:")?;
            Some(place.to_owned())
        });
        let is_said = all.iter().any(|one| {
            let at = one.response.as_ref();
            let at = at.map(|at| format!("{}:{}", at.line, at.column));
            let is_it = shown(&one.message) == headline && (place.is_none() || at == place);
            one.kind.code() == kind && (is_it || is_counted)
        });
        if !is_said {
            return Err(format!("not said: {line}\n{}", told(all)).into());
        }
    }
    for one in all {
        let is_counted = text.lines().any(|line| {
            headline(line).is_some_and(|(_, headline)| headline.starts_with("corrected "))
        });
        let captions = one.places.iter().take(5).map(|place| &place.caption);
        let mut words = vec![&one.message];
        words.extend(one.label.iter().chain(captions).chain(&one.help));
        words.extend(
            one.notes
                .iter()
                .flat_map(|note| note.lines().next().map(|_| note)),
        );
        let missing = words
            .iter()
            .flat_map(|words| words.lines())
            .find(|line| !text.contains(&shown(line)));
        if let Some(missing) = missing
            && !is_counted
        {
            return Err(format!("said, and not expected: {missing}\n{text}").into());
        }
    }
    Ok(())
}

/// Returns the kind and the headline that a line has, if it is the first of a warning or an error.
fn headline(line: &str) -> Option<(&str, &str)> {
    if let Some(warning) = line.strip_prefix("warning: ") {
        let (headline, kind) = warning.strip_suffix(']')?.rsplit_once(" [")?;
        return Some((kind, headline));
    }
    line.strip_prefix("error[")?.split_once("]: ")
}

fn shown(text: &str) -> String {
    Shown(text.as_bytes()).to_string()
}

fn told(all: &[Diagnostic]) -> String {
    let line = |one: &Diagnostic| format!("{}: {}\n", one.kind, shown(&one.message));
    all.iter().map(line).collect()
}

/// Puts the files below a directory into a tree, by their paths from `root`.
fn fill(tree: &mut MemoryTree, root: &Path, directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten() {
        let path = entry.unwrap().path();
        let about = fs::symlink_metadata(&path).unwrap();
        if about.is_dir() {
            fill(tree, root, &path);
            continue;
        }
        let entry = if about.is_symlink() {
            Entry::Other(Obstacle::Link)
        } else {
            let executable = is_executable(&about);
            Entry::File(File {
                content: Content::from(fs::read(&path).unwrap()),
                mode: Mode {
                    executable,
                    bits: None,
                },
            })
        };
        let inside = path.strip_prefix(root).unwrap();
        let path = inside
            .to_str()
            .unwrap()
            .replace(std::path::MAIN_SEPARATOR, "/");
        let path = RepoPath::new(path.as_bytes()).unwrap();
        tree.insert(path, entry);
    }
}

#[cfg(unix)]
fn is_executable(about: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    about.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}

fn files(tree: &MemoryTree) -> BTreeMap<String, String> {
    let named = |(path, entry): (&RepoPath, &Entry)| {
        let held = match entry {
            Entry::File(file) => {
                let mode = file.mode.git();
                format!("{mode:o} {}", file.content.escape_ascii())
            }
            other => format!("{other:?}"),
        };
        (path.to_string(), held)
    };
    tree.iter().map(named).collect()
}

fn same(want: &BTreeMap<String, String>, got: &BTreeMap<String, String>) -> Result<(), Failed> {
    let mut said = String::new();
    let paths: BTreeSet<_> = want.keys().chain(got.keys()).collect();
    for path in paths {
        if want.get(path) != got.get(path) {
            said += &format!(
                "{path}\n  wanted {:?}\n  got    {:?}\n",
                want.get(path),
                got.get(path)
            );
        }
    }
    if said.is_empty() {
        Ok(())
    } else {
        Err(said.into())
    }
}

fn text(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_default()
}

/// Returns the names in a directory, in order.
fn entries(directory: &Path) -> Vec<String> {
    let listed =
        fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut names: Vec<_> = listed
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
