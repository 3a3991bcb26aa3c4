//! The options that several subcommands share.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use strum::VariantArray as _;

use super::error::CliError;
use super::responses::ResponseOrigin;
use super::selection::Selection;
use crate::system::{OsStrExt as _, slashed};
use llmpatch::Fuzz;
use llmpatch::patch::{FileEdit, Format, Operation, Patch};
use llmpatch::pathspec::{Defaults, Pathspec, Wildcards};

/// How responses are read.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Reading")]
pub(super) struct Reading {
    /// Read patches of this format only, instead of detecting it
    #[arg(long, value_name = "format", value_parser = format_among(Format::VARIANTS))]
    pub(super) format: Option<Format>,
    /// The file that search/replace blocks change, if the response doesn't name it
    #[arg(long, value_name = "path", value_hint = clap::ValueHint::FilePath, hide_short_help = true)]
    pub(super) file: Option<OsString>,
    /// Take this many directories off the names in a diff, as `git apply`; without it, only what
    /// is seen to be a prefix goes
    #[arg(short = 'p', value_name = "n", value_parser = count::<u32>, hide_short_help = true)]
    pub(super) strip_directories: Option<u32>,
    /// Ignore the line counts of a diff's hunks, as `git apply`: each ends where its lines do
    #[arg(long, hide_short_help = true)]
    pub(super) recount: bool,
    /// Accept only what the format itself allows (also llmpatch.strict)
    #[arg(long, overrides_with = "no_strict", hide_short_help = true)]
    pub(super) strict: bool,
    /// Override --strict and llmpatch.strict
    #[arg(long, overrides_with = "strict", hide_short_help = true)]
    pub(super) no_strict: bool,
    /// Refuse lines that are in several places of a file, instead of taking the first (also
    /// llmpatch.unique)
    #[arg(long, overrides_with = "no_unique", hide_short_help = true)]
    pub(super) unique: bool,
    /// Override --unique and llmpatch.unique
    #[arg(long, overrides_with = "unique", hide_short_help = true)]
    pub(super) no_unique: bool,
    /// If lines aren't in a file as written, use the only place that differs in nothing but this:
    /// `trailing` whitespace, or `indent`ation, too, or `unicode` quotes, dashes and spaces, too
    /// (also llmpatch.fuzz)
    #[arg(
        long,
        value_name = "level",
        value_parser = one_of(&Fuzz::LEVELS, fuzz_value),
        conflicts_with = "strict",
        overrides_with = "no_fuzz"
    )]
    pub(super) fuzz: Option<Fuzz>,
    /// Override --fuzz and llmpatch.fuzz
    #[arg(long, overrides_with = "fuzz", hide_short_help = true)]
    pub(super) no_fuzz: bool,
    /// The commit or tree that the model saw: refuse files that have changed since (also
    /// llmpatch.base; a response may name it, too); `auto`: the commit that review comments were
    /// written for
    #[arg(long, value_name = "rev", overrides_with = "no_base")]
    pub(super) base: Option<String>,
    /// Override --base and llmpatch.base
    #[arg(long, overrides_with = "base", hide_short_help = true)]
    pub(super) no_base: bool,
    /// Merge with what has changed since the base, and refuse only conflicts
    #[arg(short = '3', long = "3way", conflicts_with = "no_base")]
    pub(super) three_way: bool,
    /// Whether what can't be merged is left with markers.
    #[arg(skip)]
    pub(super) marks: bool,
    /// Let a patch make a new file where there is one already
    #[arg(long, hide_short_help = true)]
    pub(super) overwrite: bool,
    /// Accept a response that changes nothing
    #[arg(long, hide_short_help = true)]
    pub(super) allow_empty: bool,
    /// Put this directory before relative paths of the response; `..` leads out of it, which --limit
    /// refuses
    #[arg(long, value_name = "dir", value_hint = clap::ValueHint::DirPath, hide_short_help = true)]
    pub(super) directory: Option<OsString>,
    /// Where the model saw this work tree, such as /testbed or C:\Users\me\app: absolute paths
    /// below it are paths of this one; may be given several times (also llmpatch.rootIs)
    #[arg(long, value_name = "dir", value_hint = clap::ValueHint::DirPath, hide_short_help = true)]
    pub(super) root_is: Vec<OsString>,
    /// Refuse a response that touches anything else; may be given several times (also
    /// llmpatch.limit, llmpatch.protect)
    #[arg(long, value_name = "pathspec", value_parser = pathspec(), help_heading = "Guarding")]
    #[arg(value_hint = clap::ValueHint::AnyPath)]
    pub(super) limit: Vec<Pathspec>,
    /// Which edits of the response are made.
    #[command(flatten)]
    pub(super) selection: Selection,
}

/// An option that is for patches of some formats only.
struct ByFormat {
    name: &'static str,
    is_given: fn(&Reading) -> bool,
    formats: &'static [Format],
}

/// All these options. The manual, the README and the warnings are made of this.
const BY_FORMAT: &[ByFormat] = &[
    ByFormat {
        name: "--fuzz",
        is_given: |reading| reading.fuzz.is_some(),
        formats: &[
            Format::Envelope,
            Format::Opx,
            Format::Unified,
            Format::Blocks,
            Format::Tool,
        ],
    },
    ByFormat {
        name: "--unique",
        is_given: |reading| reading.unique,
        formats: &[Format::Envelope, Format::Unified, Format::Blocks],
    },
    ByFormat {
        name: "--strict",
        is_given: |reading| reading.strict,
        formats: &[
            Format::Envelope,
            Format::Opx,
            Format::Unified,
            Format::Blocks,
        ],
    },
    ByFormat {
        name: "--file",
        is_given: |reading| reading.file.is_some(),
        formats: &[Format::Blocks],
    },
    ByFormat {
        name: "-p",
        is_given: |reading| reading.strip_directories.is_some(),
        formats: &[Format::Unified],
    },
    ByFormat {
        name: "--recount",
        is_given: |reading| reading.recount,
        formats: &[Format::Unified],
    },
];

/// Returns every option that is for patches of some formats only, and these formats.
pub fn options_by_format() -> impl Iterator<Item = (&'static str, &'static [Format])> {
    BY_FORMAT.iter().map(|option| (option.name, option.formats))
}

impl Reading {
    /// Returns the options that were given and are for none of these patches.
    pub(super) fn unused(&self, patches: &[Patch<'_>]) -> Vec<CliError> {
        let read = || patches.iter().filter(|patch| !patch.edits.is_empty());
        let Some(format) = read().next().map(|patch| patch.format) else {
            return Vec::new();
        };
        let is_unused = |option: &&ByFormat| {
            (option.is_given)(self) && !read().any(|patch| option.is_for(patch))
        };
        let unused = BY_FORMAT.iter().filter(is_unused);
        unused
            .map(|option| CliError::UnusedOption {
                option: option.name,
                format,
                formats: option.formats,
            })
            .collect()
    }
}

impl ByFormat {
    fn is_for(&self, patch: &Patch<'_>) -> bool {
        let is_update = |edit: &FileEdit<'_>| matches!(edit.operation, Operation::Update { .. });
        // A call may have hunks, which are an envelope's.
        let has_hunks = patch.format == Format::Tool && patch.edits.iter().any(is_update);
        self.formats.contains(&patch.format)
            || has_hunks && self.formats.contains(&Format::Envelope)
    }
}

/// Reads pathspecs, as git would read a pathspec with the options that it was given:
/// `git --literal-pathspecs` and its kin tell us by the environment.
pub(super) fn pathspec() -> impl TypedValueParser<Value = Pathspec> {
    OsStringValueParser::new()
        .try_map(|written: OsString| Pathspec::new(&slashed(written.as_bytes()), defaults()))
}

pub(super) fn defaults() -> Defaults {
    let wildcards = match (is_set("GIT_NOGLOB_PATHSPECS"), is_set("GIT_GLOB_PATHSPECS")) {
        (true, _) => Wildcards::None,
        (false, true) => Wildcards::ByDirectory,
        (false, false) => Wildcards::Free,
    };
    Defaults {
        wildcards,
        any_case: is_set("GIT_ICASE_PATHSPECS"),
        literal: is_set("GIT_LITERAL_PATHSPECS"),
    }
}

fn is_set(name: &str) -> bool {
    let value = std::env::var(name).unwrap_or_default().to_ascii_lowercase();
    !matches!(value.as_str(), "" | "0" | "false" | "no" | "off")
}

/// Parses how many there are to be.
pub(super) fn count<N: std::str::FromStr>(text: &str) -> Result<N, &'static str> {
    text.parse().map_err(|_| "it isn't a number that fits here")
}

/// Returns a parser of the names of these formats.
pub(super) fn format_among(formats: &'static [Format]) -> impl TypedValueParser<Value = Format> {
    one_of(formats, format_value)
}

/// Returns a parser of the names of these values.
pub(super) fn one_of<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    value: fn(T) -> PossibleValue,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.iter().map(|&one| value(one))).map(move |name| {
        let one = all.iter().find(|one| value(**one).get_name() == name);
        *one.expect("the parser lets no other name through")
    })
}

/// Names a format, and says what it is.
pub(super) fn format_value(format: Format) -> PossibleValue {
    let help = match format {
        Format::Envelope => "`*** Begin Patch` … `*** End Patch`",
        Format::Opx => "`<edit file=… op=…>`",
        Format::Unified => "`diff --git …`, as `git diff` and `diff -u` print it",
        Format::Blocks => "`<<<<<<< SEARCH` … `>>>>>>> REPLACE`",
        Format::Tool => "Tool calls as JSON: `{\"path\": …, \"old_string\": …, \"new_string\": …}`",
        Format::Files => {
            "Whole files in Markdown fences under their paths; never looked for unless asked for"
        }
    };
    PossibleValue::new(<&str>::from(format)).help(help)
}

fn fuzz_value(level: Fuzz) -> PossibleValue {
    let help = match level {
        Fuzz::Exact => "Byte for byte",
        Fuzz::Trailing => "Whitespace at line ends",
        Fuzz::Indent => "Indentation too; added lines are shifted alike",
        Fuzz::Unicode => "Typographic quotes, dashes and spaces, composed letters too",
    };
    PossibleValue::new(level.name()).help(help)
}

/// How much is said, and in which colours.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct Verbosity {
    /// Print nothing but errors and the requested output
    #[arg(short, long, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Print also what was read, and list each correction that is otherwise only counted
    #[arg(short, long)]
    pub(super) verbose: bool,
    /// Colour messages and diffs: auto, always or never (also color.ui, NO_COLOR)
    #[arg(long, value_name = "when", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "always", hide_short_help = true)]
    pub(super) color: Option<When>,
    /// Whether a program is told, instead of a person.
    #[arg(skip)]
    pub(super) json: bool,
    /// Whether failures are told to the model.
    #[arg(skip)]
    pub(super) feedback: bool,
    /// Whether the command changes nothing, whatever comes of it.
    #[arg(skip)]
    pub(super) only_reads: bool,
    /// Whether the model itself reads what is said.
    #[arg(skip)]
    pub(super) to_model: bool,
}

impl Verbosity {
    /// Says that the command changes nothing.
    pub(super) fn of_reading(&self) -> Self {
        Verbosity {
            only_reads: true,
            ..self.clone()
        }
    }
}

/// Whether a program is told.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct Json {
    /// Print a JSON document instead of messages, on failure too; --json=schema only prints its
    /// schema
    #[arg(long, value_name = "what", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "document")]
    json: Option<Told>,
}

/// What a program is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Told {
    /// How it went
    Document,
    /// The form of such documents, and nothing is done
    Schema,
}

impl Json {
    /// Returns whether only the schema is asked for.
    pub(super) fn is_schema(&self) -> bool {
        self.json == Some(Told::Schema)
    }

    /// Puts it to how much is said.
    pub(super) fn verbosity(&self, verbosity: &Verbosity) -> Verbosity {
        Verbosity {
            json: self.json.is_some(),
            ..verbosity.clone()
        }
    }
}

/// How failures are told.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct FeedbackOptions {
    /// On failure print, instead of the errors, a message on standard output to send back to the
    /// model
    #[arg(long)]
    pub(super) feedback: bool,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum When {
    /// If a terminal shows it
    Auto,
    /// Even if a program reads it
    Always,
    /// Not even if a terminal shows it
    Never,
}

/// Which state of the files a change is worked out against, if not the work tree's.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Against {
    /// Work it out on the index instead of the work tree
    #[arg(long)]
    pub(super) cached: bool,
    /// Work it out on a commit instead of the work tree
    #[arg(long, value_name = "rev", conflicts_with = "cached")]
    pub(super) onto: Option<String>,
}

/// The responses.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Responses {
    /// A file with a model's whole response, or - for standard input, which is also read if there
    /// is none
    #[arg(value_name = "response", value_hint = clap::ValueHint::FilePath)]
    pub(super) paths: Vec<PathBuf>,
}

impl Responses {
    /// Refuses what can't be read twice.
    ///
    /// # Errors
    /// If standard input is named more than once.
    pub(super) fn check(&self, subcommand: &str) -> Result<(), clap::Error> {
        let stdin = ResponseOrigin::all(&self.paths)
            .into_iter()
            .filter(|origin| *origin == ResponseOrigin::Stdin);
        if stdin.count() > 1 {
            Err(super::usage(
                subcommand,
                "standard input can be read only once",
            ))
        } else {
            Ok(())
        }
    }
}
