//! Names that a new file hardly has: what responses write around a path, which would become a part
//! of it, and what isn't meant as a path at all. Files that are there may well be called so.

use std::borrow::Cow;

use bstr::{BString, ByteSlice as _};

use super::PathError;

/// Why a name is an unlikely one for a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum Slip {
    /// `**src/a.py**`, `(src/a.py)`
    #[strum(to_string = "is wrapped in {0}")]
    Wrapped(&'static str),
    /// `[src/a.py](src/a.py)`
    #[strum(to_string = "is a Markdown link")]
    Link,
    /// `src/a.py:`
    #[strum(to_string = "ends with `{0}`")]
    Ending(char),
    /// `src/a.py (new)`
    #[strum(to_string = "ends with a remark")]
    Remark,
    /// `src/a.py:12`, `src/a.py#L3-L9`
    #[strum(to_string = "ends with the number of a line")]
    Place,
    /// `<path>`
    #[strum(to_string = "is a placeholder")]
    Placeholder,
    /// `e.g.`
    #[strum(to_string = "is an abbreviation")]
    Abbreviation,
    /// `src\a.py`
    #[strum(to_string = "holds a backslash")]
    Backslash,
}

/// The marks that are written around a path: first, last, and what the two are called.
const MARKS: [[&str; 3]; 9] = [
    ["\"", "\"", "quotes"],
    ["'", "'", "quotes"],
    ["“", "”", "quotes"],
    ["‘", "’", "quotes"],
    ["`", "`", "backticks"],
    ["*", "*", "asterisks"],
    ["_", "_", "underscores"],
    ["<", ">", "`<` and `>`"],
    ["(", ")", "parentheses"],
];

/// How many layers are taken off for what is probably meant.
const LAYERS: usize = 4;

/// Returns why a name is an unlikely one for a new file, and what is probably meant.
pub(crate) fn unlikely(name: &[u8]) -> Option<PathError> {
    let (slip, _) = layer(name)?;
    Some(PathError::Unlikely {
        path: name.into(),
        slip,
        meant: plain(name),
    })
}

/// Returns a path without all that makes it unlikely; `None` if it is likely, or nothing is left.
pub(crate) fn plain(name: &[u8]) -> Option<BString> {
    let mut plain = Cow::Borrowed(name);
    for _ in 0..LAYERS {
        let Some((_, inner)) = layer(&plain) else {
            break;
        };
        plain = inner?.into_owned().into();
    }
    (*plain != *name && !plain.is_empty()).then(|| plain.into_owned().into())
}

/// Returns the outermost of what makes a name unlikely, and the name without it.
fn layer(name: &[u8]) -> Option<(Slip, Option<Cow<'_, [u8]>>)> {
    let kept = |slip, end| Some((slip, Some(Cow::Borrowed(&name[..end]))));
    if let Some(inner) = linked(name) {
        return Some((Slip::Link, Some(inner.into())));
    }
    let start = name.rfind_byte(b'/').map_or(0, |slash| slash + 1);
    for from in [0, start] {
        if let Some((slip, inner)) = wrapped(&name[from..]) {
            return Some((
                slip,
                inner.map(|inner| [&name[..from], inner].concat().into()),
            ));
        }
    }
    let last = name.last().copied().unwrap_or_default();
    if b":,;".contains(&last) {
        return kept(Slip::Ending(last.into()), name.len() - 1);
    }
    let remark = remark(&name[start..]).map(|remark| start + remark);
    if let Some(remark) = remark.or_else(|| comment(name)) {
        return kept(Slip::Remark, remark);
    }
    if let Some(place) = place(name) {
        return kept(Slip::Place, place);
    }
    if is_abbreviation(name) {
        return Some((Slip::Abbreviation, None));
    }
    name.contains(&b'\\')
        .then(|| (Slip::Backslash, Some(name.replace(b"\\", b"/").into())))
}

/// Returns where a Markdown link leads, or its text if that is no path.
fn linked(name: &[u8]) -> Option<&[u8]> {
    let (text, target) = name
        .strip_prefix(b"[")?
        .strip_suffix(b")")?
        .split_once_str("](")?;
    let is_path = !target.is_empty() && !target.contains_str("://") && !target.starts_with(b"#");
    Some(if is_path { target } else { text })
}

/// Returns which marks are around a name, and what is between them, if that may be meant.
fn wrapped(name: &[u8]) -> Option<(Slip, Option<&[u8]>)> {
    MARKS.iter().find_map(|&[first, last, called]| {
        let inner = between(name, first, last)?;
        // A word in angle brackets stands for what is to be written.
        let is_placeholder = first == "<" && inner.find_byteset(b"./").is_none();
        Some(if is_placeholder {
            (Slip::Placeholder, None)
        } else {
            (Slip::Wrapped(called), Some(inner))
        })
    })
}

/// Returns what is between two marks that are around a name, each as often as the other.
///
/// `__init__` is a name in Python, and `_drafts_` may be one: underscores are marks only around a
/// name with an extension.
fn between<'n>(name: &'n [u8], first: &str, last: &str) -> Option<&'n [u8]> {
    let unwrapped = |name: &'n [u8]| {
        name.strip_prefix(first.as_bytes())?
            .strip_suffix(last.as_bytes())
    };
    let mut inner = unwrapped(name)?;
    while let Some(next) = unwrapped(inner) {
        inner = next;
    }
    let is_name = match first {
        "_" => inner.rsplit_str("/").next().is_some_and(has_extension),
        "<" | "(" => !inner.contains_str(first) && !inner.contains_str(last),
        _ => true,
    };
    is_name.then_some(inner)
}

/// Returns where a remark behind a file's name begins: ` (new)`, or behind an extension ` # new`
/// and ` - new`.
fn remark(name: &[u8]) -> Option<usize> {
    let mut blanks = name.find_iter(b" ").filter(|at| *at > 0);
    let remark = blanks.find(|at| {
        let (path, text) = (&name[..*at], &name[at + 1..]);
        let is_in_parentheses =
            matches!(text, [b'(', first, .., b')'] if first.is_ascii_alphabetic());
        let signs = ["#", "-", "–", "—", "(", "[", "<", "←"];
        is_in_parentheses
            || has_extension(path)
                && !has_extension(name)
                && signs.iter().any(|sign| text.starts_with_str(sign))
    })?;
    Some(name[..remark].trim_end().len())
}

/// Returns where a comment begins behind an extension: ` // new`, or ` / new` of a path that was
/// taken apart.
fn comment(name: &[u8]) -> Option<usize> {
    let at = name.find(" // ").or_else(|| name.find(" / "))?;
    has_extension(&name[..at]).then_some(at)
}

/// Returns where the numbers of lines begin behind an extension: `:12`, `:3-9`, `:12:5`, `#L3-L9`.
/// An extension of digits alone may be of an address, and the number its port.
fn place(name: &[u8]) -> Option<usize> {
    let is_of_place = |byte: u8| byte.is_ascii_digit() || b":#-LC".contains(&byte);
    let behind = name.iter().rposition(|byte| !is_of_place(*byte))? + 1;
    let at = behind + name[behind..].find_byteset(b":#")?;
    let (path, place) = name.split_at(at);
    let extension = path.rsplit_str(".").next()?;
    let is_name = has_extension(path) && !extension.iter().all(u8::is_ascii_digit);
    let is_number = match place {
        [b':', b'L', first, ..] | [b':', first, ..] | [b'#', b'L', first, ..] => {
            first.is_ascii_digit()
        }
        _ => false,
    };
    (is_name && is_number).then_some(at)
}

/// Returns whether a name ends with a dot and a few letters or digits.
fn has_extension(name: &[u8]) -> bool {
    let dot = name.rfind_byte(b'.').filter(|dot| *dot > 0);
    dot.is_some_and(|dot| {
        let extension = &name[dot + 1..];
        (1..=10).contains(&extension.len()) && extension.iter().all(u8::is_ascii_alphanumeric)
    })
}

/// `e.g.`, `i.e.`, `etc.`
fn is_abbreviation(name: &[u8]) -> bool {
    let Some(letters) = name.strip_suffix(b".") else {
        return false;
    };
    letters.eq_ignore_ascii_case(b"etc")
        || letters.len() > 1
            && letters
                .split_str(".")
                .all(|part: &[u8]| part.len() == 1 && part[0].is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_around_a_path_is_no_part_of_it() {
        for (name, slip, meant) in [
            (
                "[src/new.py](src/new.py)",
                "is a Markdown link",
                "src/new.py",
            ),
            (
                "[src/new.py](https://a.b)",
                "is a Markdown link",
                "src/new.py",
            ),
            ("**src/b.py**", "is wrapped in asterisks", "src/b.py"),
            ("src/**b.py**", "is wrapped in asterisks", "src/b.py"),
            ("_src/b.py_", "is wrapped in underscores", "src/b.py"),
            ("__b.py__", "is wrapped in underscores", "b.py"),
            ("`a/b`", "is wrapped in backticks", "a/b"),
            ("\"a\"", "is wrapped in quotes", "a"),
            ("a/'b'", "is wrapped in quotes", "a/b"),
            ("''", "is wrapped in quotes", ""),
            ("(src/b.py)", "is wrapped in parentheses", "src/b.py"),
            ("<src/b.py>", "is wrapped in `<` and `>`", "src/b.py"),
            ("<path>", "is a placeholder", ""),
            ("src/b.py:", "ends with `:`", "src/b.py"),
            ("src/b.py,", "ends with `,`", "src/b.py"),
            ("**`src/b.py`**:", "ends with `:`", "src/b.py"),
            ("src/b.py (new)", "ends with a remark", "src/b.py"),
            ("src/b.py  (new file)", "ends with a remark", "src/b.py"),
            ("`src/b.py` (new)", "ends with a remark", "src/b.py"),
            ("Makefile (new)", "ends with a remark", "Makefile"),
            ("src/b.py # the model", "ends with a remark", "src/b.py"),
            ("src/b.py — new", "ends with a remark", "src/b.py"),
            ("src/b.py // new", "ends with a remark", "src/b.py"),
            // A path that was taken apart.
            ("src/b.py / new", "ends with a remark", "src/b.py"),
            ("a.py:1", "ends with the number of a line", "a.py"),
            ("src/a.py:1-9", "ends with the number of a line", "src/a.py"),
            ("src/a.C:12:5", "ends with the number of a line", "src/a.C"),
            ("src/a.py#L1", "ends with the number of a line", "src/a.py"),
            (
                "src/a.py#L3-L9",
                "ends with the number of a line",
                "src/a.py",
            ),
            ("`a.py:1`", "is wrapped in backticks", "a.py"),
            ("e.g.", "is an abbreviation", ""),
            ("etc.", "is an abbreviation", ""),
            (r"src\main.rs", "holds a backslash", "src/main.rs"),
            (r"`src\main.rs`", "is wrapped in backticks", "src/main.rs"),
        ] {
            let Some(PathError::Unlikely {
                slip: of,
                meant: to,
                ..
            }) = unlikely(name.as_bytes())
            else {
                panic!("{name} is likely");
            };
            assert_eq!(of.to_string(), slip, "{name}");
            assert_eq!(to.unwrap_or_default(), meant, "{name}");
        }
    }

    #[test]
    fn names_of_real_files_are_likely() {
        for name in [
            "a/b",
            "it's",
            "\"a",
            "'",
            "_",
            "*",
            "app/(group)/[id]/page.tsx",
            "app/(group)/[[...slug]].tsx",
            "routes/_index.tsx",
            "routes/app.($lang)._index.tsx",
            "src/__init__.py",
            "src/__init__",
            "__tests__/__snapshots__/a.snap",
            "_config.yml",
            "_drafts_",
            "include/__config",
            "photo (1).jpg",
            "Notes - v1.2.txt",
            "docs/a (b).md",
            "bitcoin ( btc )",
            "c++/a:b.h",
            "a.py:b",
            "a.c#1",
            "Makefile:1",
            "127.0.0.1:80",
            "hosts/a.example:80/key",
            ".gitignore",
            "a.",
            "LICENSE-MIT",
            "[internal]",
            "名前.txt",
        ] {
            assert_eq!(unlikely(name.as_bytes()), None, "{name}");
        }
    }
}
