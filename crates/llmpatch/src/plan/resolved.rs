//! The edits of a response with the paths that they name: these are resolved once, for planning and
//! for whatever is said of the plan.

use crate::patch::{FileEdit, Format, Patch};
use crate::path::{PathError, RepoPath, Resolver};

/// An edit and the paths that it names.
#[derive(Clone)]
pub(crate) struct ResolvedEdit<'p> {
    pub(crate) edit: &'p FileEdit<'p>,
    /// In which format it is written.
    pub(crate) format: Format,
    /// The file that it changes.
    pub(crate) path: Result<RepoPath, PathError>,
    /// The path that the file gets, if the edit moves, renames or copies it.
    pub(crate) to: Option<Result<RepoPath, PathError>>,
}

/// Resolves the paths of patches; all edits of a response in order.
pub(crate) fn resolved<'p>(patches: &'p [Patch<'p>], resolver: &Resolver) -> Vec<ResolvedEdit<'p>> {
    let mut edits: Vec<ResolvedEdit<'_>> = Vec::new();
    for patch in patches {
        for edit in &patch.edits {
            let root = edit.root.as_deref();
            // Edits of one file mostly follow each other.
            let known = edits
                .last()
                .filter(|last| last.edit.path == edit.path && last.edit.root == edit.root)
                .map(|last| last.path.clone());
            edits.push(ResolvedEdit {
                edit,
                format: patch.format,
                path: known.unwrap_or_else(|| resolver.resolve(root, &edit.path)),
                to: edit.destination().map(|to| resolver.resolve(root, to)),
            });
        }
    }
    edits
}
