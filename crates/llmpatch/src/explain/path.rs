use crate::kind::Kind;
use crate::path::{PathError, Slip};
use crate::report::{Diagnose, Diagnostic};
use crate::text::{Shown, shell_word};

const PLAINLY: &str =
    "write the path plainly, from the top of the work tree, such as `src/main.rs`";
const FROM_THE_TOP: &str =
    "a patch can only touch files of this work tree; name them from its top, such as `src/main.rs`";

impl Diagnose for PathError {
    fn diagnostic(&self) -> Diagnostic {
        let of = Diagnostic::fixed(Kind::UnsafePath, self);
        let about = |path: &bstr::BString| of.clone().path(path);
        match self {
            PathError::Nul { path } => about(path).label("a path can't hold a NUL").help(PLAINLY),
            PathError::NotNormal { path } => about(path)
                .label("not a path as git writes it")
                .help(PLAINLY),
            PathError::Escapes { path } => about(path)
                .label("outside the work tree")
                .help(FROM_THE_TOP),
            PathError::Outside { path, top } => about(path)
                .label("outside the work tree")
                .notes(
                    top.iter()
                        .map(|top| format!("the work tree is `{}`", Shown(top))),
                )
                .help(FROM_THE_TOP),
            PathError::DotGit { path, name } => about(path)
                .label("never written by a patch")
                .notes((name != ".git").then(|| {
                    format!(
                        "`{}` is another name for `.git` on some systems, or this \
                         repository's",
                        Shown(name)
                    )
                }))
                .help(
                    "a patch can't touch git's own files; use git itself to change \
                     configuration or hooks",
                )
                .advice("leave git's own files out of the patch"),
            PathError::NotAbsolute { path } => about(path).label("relative").help(
                "give the directory as the model saw it, from the root: `--root-is=/testbed`",
            ),
            PathError::Home { path } => about(path)
                .label("`~` isn't expanded")
                .help("name the file from the top of the work tree instead"),
            PathError::Directory { path } => about(path)
                .label("a file is needed here")
                .help("name a file in it; directories come and go with their files"),
            PathError::TooLong { path } => about(path).label("too long").help(PLAINLY),
            PathError::Url { path }
            | PathError::UriHost { path }
            | PathError::UriEmpty { path }
            | PathError::UriQuery { path }
            | PathError::UriEscape { path } => about(path)
                .label("not a path in the work tree")
                .help(FROM_THE_TOP),
            PathError::UnknownRoot { root, .. } | PathError::RootWithoutTree { root } => {
                of.help(format!(
                    "leave `root` out, or map it to a directory of this work tree: `git \
                         config llmpatch.root.{} <directory>`",
                    shell_word(root)
                ))
            }
            PathError::RootOutside { root, .. } => of.help(format!(
                "set `llmpatch.root.{}` to a directory of this work tree",
                Shown(root)
            )),
            PathError::Unlikely { path, slip, meant } => about(path)
                .label(match slip {
                    Slip::Placeholder | Slip::Abbreviation => "not a file's name",
                    Slip::Backslash => "parts of a path are separated by `/`",
                    _ => "this would be the name",
                })
                .help(match meant {
                    Some(meant) => format!("write `{}`, if that is meant", Shown(meant)),
                    None => PLAINLY.to_owned(),
                }),
            _ => of,
        }
    }
}
