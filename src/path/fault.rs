use bstr::{BString, ByteSlice as _};

use crate::explain::Explain;
use crate::kind::Kind;
use crate::text::Shown;

/// What is wrong with the spelling of a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathFault {
    /// Nothing is there.
    #[error("the path is empty")]
    Empty,
    /// A NUL, which ends a path for the system.
    #[error("`{}` holds a NUL byte", Shown(path))]
    Nul {
        /// The path as written.
        path: BString,
    },
    /// An empty part, a `.` or a `..` where only git's own form will do.
    #[error("`{}` has an empty part, a `.` or a `..`", Shown(path))]
    NotNormal {
        /// The path as written.
        path: BString,
    },
    /// More `..` than there are folders.
    #[error("`{}` leads out of the work tree", Shown(path))]
    Escapes {
        /// The path as written.
        path: BString,
    },
    /// An absolute path elsewhere.
    #[error("`{}` isn't in this work tree", Shown(path))]
    Outside {
        /// The path as written.
        path: BString,
        /// The top of the work tree, if there is one.
        top: Option<BString>,
    },
    /// git's own folder under one of its names.
    #[error("`{}` leads into git's own folder", Shown(path))]
    DotGit {
        /// The path as written.
        path: BString,
        /// The part that stands for `.git`.
        name: BString,
    },
    /// A `~` that only a shell would expand.
    #[error("`{}` starts with `~`", Shown(path))]
    Home {
        /// The path as written.
        path: BString,
    },
    /// A folder where a file is meant.
    #[error("`{}` names a folder", Shown(path))]
    Folder {
        /// The path as written.
        path: BString,
    },
    /// A name that no file system takes.
    #[error("`{}…` is longer than a file's name can be", Shown(path.get(..40).unwrap_or(path)))]
    TooLong {
        /// The path as written.
        path: BString,
    },
    /// An address that isn't a file's.
    #[error("`{}` is a URL", Shown(path))]
    Url {
        /// The path as written.
        path: BString,
    },
    /// A `file:` URI that can't be read as the name of a file on this machine.
    #[error("`{}` {why}", Shown(path))]
    Uri {
        /// The path as written.
        path: BString,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A `root` that is neither this work tree's name nor mapped to a folder of it.
    #[error("{}", unknown_root(root, name.as_ref()))]
    UnknownRoot {
        /// The root as written.
        root: BString,
        /// The name of the work tree's folder, if there is a work tree.
        name: Option<BString>,
    },
    /// A `root` that the configuration maps to a place outside.
    #[error("root `{}` is mapped to `{}`, which isn't in this work tree", Shown(root), Shown(folder))]
    RootOutside {
        /// The root as written.
        root: BString,
        /// The folder that `llmpatch.root.<name>` names.
        folder: BString,
    },
    /// A new file with a backslash in its name.
    #[error("`{}` holds a backslash", Shown(path))]
    Backslash {
        /// The path as written.
        path: BString,
    },
    /// A new file with a name in quotes.
    #[error("`{}` is wrapped in quotes", Shown(path))]
    Quoted {
        /// The path as written.
        path: BString,
    },
}

fn unknown_root(root: &BString, name: Option<&BString>) -> String {
    match name {
        Some(name) => format!("root `{}` isn't this work tree, which is `{}`", Shown(root), Shown(name)),
        None => format!("root `{}` isn't known, since there is no work tree here", Shown(root)),
    }
}

impl Explain for PathFault {
    fn kind(&self) -> Kind {
        Kind::UnsafePath
    }

    fn label(&self) -> Option<String> {
        let label = match self {
            PathFault::Empty => "a path belongs here",
            PathFault::Nul { .. } => "no path holds a NUL",
            PathFault::NotNormal { .. } => "not a path as git writes it",
            PathFault::Escapes { .. } | PathFault::Outside { .. } => "outside the work tree",
            PathFault::DotGit { .. } => "never written by a patch",
            PathFault::Home { .. } => "`~` isn't expanded",
            PathFault::Folder { .. } => "a file is needed here",
            PathFault::TooLong { .. } => "too long",
            PathFault::Url { .. } | PathFault::Uri { .. } => "not a path in the work tree",
            PathFault::UnknownRoot { .. } => "another root",
            PathFault::RootOutside { .. } => "mapped to a place outside",
            PathFault::Backslash { .. } => "parts of a path are separated by `/`",
            PathFault::Quoted { .. } => "the quotes would be part of the name",
        };
        Some(label.to_owned())
    }

    fn path(&self) -> Option<BString> {
        match self {
            PathFault::Empty | PathFault::UnknownRoot { .. } | PathFault::RootOutside { .. } => None,
            PathFault::Nul { path }
            | PathFault::NotNormal { path }
            | PathFault::Escapes { path }
            | PathFault::Outside { path, .. }
            | PathFault::DotGit { path, .. }
            | PathFault::Home { path }
            | PathFault::Folder { path }
            | PathFault::TooLong { path }
            | PathFault::Url { path }
            | PathFault::Uri { path, .. }
            | PathFault::Backslash { path }
            | PathFault::Quoted { path } => Some(path.clone()),
        }
    }

    fn notes(&self) -> Vec<String> {
        match self {
            PathFault::Outside { top: Some(top), .. } => vec![format!("the work tree is `{}`", Shown(top))],
            PathFault::DotGit { name, .. } if name != ".git" => {
                vec![format!("`{}` is another name for `.git` on some systems, or this repository's", Shown(name))]
            }
            _ => Vec::new(),
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            PathFault::Empty => "name the file, from the top of the work tree, such as `src/main.rs`".to_owned(),
            PathFault::Nul { .. } | PathFault::NotNormal { .. } | PathFault::TooLong { .. } => {
                "write the path plainly, from the top of the work tree, such as `src/main.rs`".to_owned()
            }
            PathFault::Escapes { .. } | PathFault::Outside { .. } | PathFault::Url { .. } | PathFault::Uri { .. } => {
                "a patch can only touch files of this work tree; name them from its top, such as `src/main.rs`"
                    .to_owned()
            }
            PathFault::DotGit { .. } => {
                "a patch can't touch git's own files; use git itself to change configuration or hooks".to_owned()
            }
            PathFault::Home { .. } => "name the file from the top of the work tree instead".to_owned(),
            PathFault::Folder { .. } => "name a file in it; folders come and go with their files".to_owned(),
            PathFault::UnknownRoot { root, .. } => format!(
                "leave `root` out, or map it to a folder of this work tree: `git config llmpatch.root.{} <folder>`",
                Shown(root)
            ),
            PathFault::RootOutside { root, .. } => {
                format!("set `llmpatch.root.{}` to a folder of this work tree", Shown(root))
            }
            PathFault::Backslash { path } => {
                format!("write `{}`, if that is meant", Shown(&path.replace(b"\\", b"/")))
            }
            PathFault::Quoted { path } => format!("write `{}`, without the quotes", Shown(&path[1..path.len() - 1])),
        };
        Some(help)
    }

    fn advice(&self) -> Option<String> {
        match self {
            PathFault::UnknownRoot { .. } | PathFault::RootOutside { .. } => Some("leave `root` out".into()),
            PathFault::DotGit { .. } => Some("leave git's own files out of the patch".into()),
            _ => None,
        }
    }
}
