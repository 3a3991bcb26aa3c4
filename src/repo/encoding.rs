//! Encodings of files on disk (`working-tree-encoding`), and line ends: git itself converts the
//! bytes on disk to stored bytes and back, in a repository where nothing else is said of them. What
//! an encoding doesn't bring back as it was is refused.

use bstr::{BStr, ByteSlice as _};

use super::filter::{GitFilter, Rules};
use super::objects::blob_id;
use super::{Repo, RepoError, get_or_try_init};
use llmpatch::path::RepoPath;
use llmpatch::tree::RULES;

/// The encodings that files are in if they aren't UTF-8: what git is asked for, and the name. Of
/// GBK only GB2312 counts, which common text is in: in all of it nearly everything can be.
const USUAL: [(&str, &str); 11] = [
    ("SHIFT-JIS", "SHIFT-JIS"),
    ("EUC-JP", "EUC-JP"),
    ("GB2312", "GBK"),
    ("BIG5", "BIG5"),
    ("EUC-KR", "EUC-KR"),
    ("ISO-8859-1", "ISO-8859-1"),
    ("ISO-8859-2", "ISO-8859-2"),
    ("ISO-8859-15", "ISO-8859-15"),
    ("WINDOWS-1252", "WINDOWS-1252"),
    ("WINDOWS-1251", "WINDOWS-1251"),
    ("KOI8-R", "KOI8-R"),
];

/// Returns whether a text was hardly decoded by an encoding that it isn't in: control characters
/// and half-width katakana are rare.
fn is_plausible(text: &[u8]) -> bool {
    let is_rare = |c: char| matches!(c, '\u{80}'..='\u{9f}' | '\u{ff61}'..='\u{ff9f}');
    !text.chars().any(is_rare)
}

/// What becomes of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    FromDisk,
    ToDisk,
}

/// Returns the text that a file in an encoding holds; `None` if it doesn't hold text in it as
/// git would write that.
///
/// # Errors
/// If git can't be asked.
pub(super) fn decode(
    repo: &Repo,
    encoding: &BStr,
    bytes: &[u8],
) -> Result<Option<Vec<u8>>, RepoError> {
    there_and_back(repo, encoding, bytes, [Way::FromDisk, Way::ToDisk])
}

/// Returns what a file in an encoding holds for a text; `None` if it can't hold it.
///
/// # Errors
/// If git can't be asked.
pub(super) fn encode(
    repo: &Repo,
    encoding: &BStr,
    text: &[u8],
) -> Result<Option<Vec<u8>>, RepoError> {
    there_and_back(repo, encoding, text, [Way::ToDisk, Way::FromDisk])
}

/// Returns the encoding in which bytes and a text can both be, if only one of the usual
/// encodings fits: encodings in which the bytes are the same text count as one.
///
/// # Errors
/// If git can't be asked.
pub(super) fn detect(
    repo: &Repo,
    bytes: &[u8],
    text: &[u8],
) -> Result<Option<&'static str>, RepoError> {
    let mut fitting: Option<(&str, Vec<u8>)> = None;
    for (asked, name) in USUAL {
        let asked = BStr::new(asked);
        let Some(decoded) = decode(repo, asked, bytes)?.filter(|text| is_plausible(text)) else {
            continue;
        };
        if encode(repo, asked, text)?.is_none() {
            continue;
        }
        match &fitting {
            Some((_, same)) if *same == decoded => {}
            Some(_) => return Ok(None),
            None => fitting = Some((name, decoded)),
        }
    }
    Ok(fitting.map(|(name, _)| name))
}

fn there_and_back(
    repo: &Repo,
    encoding: &BStr,
    bytes: &[u8],
    [there, back]: [Way; 2],
) -> Result<Option<Vec<u8>>, RepoError> {
    let rule = [b" -text -ident working-tree-encoding=", encoding.as_bytes()].concat();
    let convert = |bytes: &[u8], way| match convert(repo, &rule, bytes, way) {
        Err(RepoError::Child { .. }) => Ok(None),
        converted => converted.map(Some),
    };
    let Some(converted) = convert(bytes, there)? else {
        return Ok(None);
    };
    let returned = convert(&converted, back)?;
    Ok(returned
        .is_some_and(|returned| returned == bytes)
        .then_some(converted))
}

/// Returns what git makes of bytes of which these attributes say all.
///
/// # Errors
/// If git can't be asked, or refuses.
pub(super) fn convert(
    repo: &Repo,
    attributes: &[u8],
    bytes: &[u8],
    way: Way,
) -> Result<Vec<u8>, RepoError> {
    let git = get_or_try_init(&repo.encoder, || GitFilter::alone(repo))?;
    // A directory of its own for each, whose rules git reads when it is first asked about it.
    let directory = blob_id(git2::ObjectFormat::Sha1, attributes).to_string();
    let plain =
        |name: String| RepoPath::new(name.as_bytes()).expect("hexadecimal digits are plain");
    let rule = [b"* -filter", attributes, b"\n"].concat();
    let rules = Rules::from([
        (plain(RULES.to_owned()), None),
        (plain(format!("{directory}/{RULES}")), Some(rule)),
    ]);
    let path = plain(format!("{directory}/text"));
    match way {
        Way::FromDisk => git.clean(&path, None, bytes, &rules),
        Way::ToDisk => git.smudge(&path, None, bytes, &rules),
    }
}
