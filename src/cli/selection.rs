//! `--include`, `--exclude`: which edits of a response are made, where not all are.

use std::collections::BTreeSet;
use std::ffi::OsString;

use bstr::BString;
use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};

use super::error::CliError;
use super::options::{Reading, defaults, pathspec};
use crate::system::{OsStrExt as _, slashed};
use llmpatch::apply::Responses;
use llmpatch::patch::{FileEdit, Patch};
use llmpatch::path::Resolver;
use llmpatch::pathspec::{Case, Pathspec, PathspecError, Pathspecs};
use llmpatch::report::Diagnostic;
use llmpatch::text::{Shown, listed};
use llmpatch::tree::Tree;

/// Which edits are made; all, by default.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Selecting")]
pub(super) struct Selection {
    /// Make the edits of these files only, and say which are left out; may be given several times
    #[arg(long, value_name = "pathspec", value_parser = pathspec(), hide_short_help = true)]
    #[arg(value_hint = clap::ValueHint::AnyPath)]
    include: Vec<Pathspec>,
    /// Leave out the edits of these files, and say so; an absolute path is compared as the response
    /// writes it, with all that is below it; may be given several times
    #[arg(long, value_name = "pathspec", value_parser = excluded(), hide_short_help = true)]
    #[arg(value_hint = clap::ValueHint::AnyPath)]
    exclude: Vec<Excluded>,
    /// Make only the call or comment with this id, of a session or of review comments; may be given
    /// several times
    #[arg(long, value_name = "id", hide_short_help = true)]
    pub(super) only: Vec<String>,
}

/// What is left out.
#[derive(Clone, Debug)]
enum Excluded {
    Files(Pathspec),
    /// An absolute path.
    Written(BString),
}

/// Reads the values of `--exclude`.
fn excluded() -> impl TypedValueParser<Value = Excluded> {
    OsStringValueParser::new().try_map(|written: OsString| {
        let written = slashed(written.as_bytes());
        match Pathspec::new(&written, defaults()) {
            Ok(files) => Ok(Excluded::Files(files)),
            Err(PathspecError::Absolute) => Ok(Excluded::Written(written.into_owned().into())),
            Err(error) => Err(error),
        }
    })
}

impl Reading {
    /// Leaves out of responses what isn't to be made, and says so.
    pub(super) fn choose(
        &self,
        responses: &mut Responses<'_>,
        resolver: &Resolver,
        tree: &dyn Tree,
    ) {
        let case = Case::of(tree.ignores_case());
        let left_out = self
            .selection
            .leave_out(&mut responses.patches, resolver, case);
        if left_out.is_empty() {
            return;
        }
        let paths = listed(&left_out, left_out.len());
        responses.warn(Diagnostic::from(&CliError::LeftOut { paths }));
        let is_empty = responses.patches.iter().all(|patch| patch.edits.is_empty());
        if is_empty && !self.allow_empty {
            responses.refuse(Diagnostic::from(&CliError::NothingLeft));
        }
    }
}

impl Selection {
    /// Takes out of patches what isn't to be made; returns the paths, each once, as messages show
    /// them. An edit that gives a file another path is made if both are to be.
    fn leave_out(
        &self,
        patches: &mut [Patch<'_>],
        resolver: &Resolver,
        case: Case,
    ) -> BTreeSet<String> {
        let mut left_out = BTreeSet::new();
        if self.include.is_empty() && self.exclude.is_empty() {
            return left_out;
        }
        let files = |all: &Excluded| match all {
            Excluded::Files(files) => Some(files.clone()),
            Excluded::Written(_) => None,
        };
        let included: Pathspecs = self.include.iter().cloned().collect();
        let excluded: Pathspecs = self.exclude.iter().filter_map(files).collect();
        let is_made = |edit: &FileEdit<'_>, written: &[u8]| {
            if self.exclude.iter().any(|one| one.is_written(written)) {
                return false;
            }
            let root = edit.root.as_ref().map(|root| &root[..]);
            match resolver.resolve(root, written) {
                Ok(path) => {
                    let is_included =
                        included.is_empty() || included.matches(path.as_bytes(), case);
                    is_included && !excluded.matches(path.as_bytes(), case)
                }
                // What is outside of the work tree is in no pathspec.
                Err(_) => included.is_empty(),
            }
        };
        for patch in patches {
            patch.edits.retain(|edit| {
                let mut paths = [Some(&edit.path), edit.destination()].into_iter().flatten();
                let other = paths.find(|path| !is_made(edit, path));
                left_out.extend(other.map(|path| format!("`{}`", Shown(path))));
                other.is_none()
            });
        }
        left_out
    }
}

impl Excluded {
    /// Returns whether a path is what an absolute one names, or below it.
    fn is_written(&self, path: &[u8]) -> bool {
        let Excluded::Written(written) = self else {
            return false;
        };
        let top = written.strip_suffix(b"/").unwrap_or(written);
        let rest = path.strip_prefix(top);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    }
}
