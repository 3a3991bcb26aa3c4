use bstr::BString;

use crate::text::Shown;

/// What is wrong with the spelling of a path. Paths and roots are as written.
#[allow(missing_docs, reason = "the message says what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    #[error("the path is empty")]
    Empty,
    #[error("`{}` holds a NUL byte", Shown(path))]
    Nul { path: BString },
    #[error("`{}` has an empty part, a `.` or a `..`", Shown(path))]
    NotNormal { path: BString },
    /// More `..` than there are directories.
    #[error("`{}` leads out of the work tree", Shown(path))]
    Escapes { path: BString },
    /// An absolute path that isn't below `top`, where the work tree is, if there is one.
    #[error("`{}` isn't in this work tree", Shown(path))]
    Outside { path: BString, top: Option<BString> },
    /// A path whose part `name` is a name of `.git`.
    #[error("`{}` leads into git's own directory", Shown(path))]
    DotGit { path: BString, name: BString },
    #[error("`{}` starts with `~`", Shown(path))]
    Home { path: BString },
    #[error("`{}` names a directory", Shown(path))]
    Directory { path: BString },
    #[error("`{}…` is longer than a file's name can be", Shown(path.get(..40).unwrap_or(path)))]
    TooLong { path: BString },
    #[error("`{}` is a URL", Shown(path))]
    Url { path: BString },
    #[error("`{}` names a file on another machine", Shown(path))]
    UriHost { path: BString },
    #[error("`{}` names no file", Shown(path))]
    UriEmpty { path: BString },
    #[error("`{}` has a `?` or a `#` in it, which in a URI aren't part of the path", Shown(path))]
    UriQuery { path: BString },
    #[error("`{}` has a `%` that two hexadecimal digits don't follow", Shown(path))]
    UriEscape { path: BString },
    /// A `root` that is neither mapped nor `name`, the name of the work tree.
    #[error("root `{}` isn't this work tree, which is `{}`", Shown(root), Shown(name))]
    UnknownRoot { root: BString, name: BString },
    #[error("root `{}` isn't known, since there is no work tree here", Shown(root))]
    RootWithoutTree { root: BString },
    #[error("root `{}` is mapped to `{}`, which isn't in this work tree", Shown(root), Shown(directory))]
    RootOutside { root: BString, directory: BString },
    #[error("`{}` holds a backslash", Shown(path))]
    Backslash { path: BString },
    #[error("`{}` is wrapped in quotes", Shown(path))]
    Quoted { path: BString },
}
