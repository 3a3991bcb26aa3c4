//! What git prints of contents that aren't lines, applied by us, makes the files that git makes of it.

use super::applying::apply;
use super::*;
use llmpatch::plan::Rules;

/// Every way in which git can be told to print them.
const WAYS: &[&[&str]] = &[
    &["--binary"],
    &["--binary", "--no-renames"],
    &["--binary", "-M10%", "-C10%", "--find-copies-harder"],
    &["--binary", "--no-prefix"],
];

/// A content that git takes for binary: runs of any bytes, and of one byte.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let run = (any::<u8>(), 1..300_usize).prop_map(|(byte, len)| vec![byte; len]);
    let noise = prop::collection::vec(any::<u8>(), 0..200);
    let part = prop_oneof![run, noise];
    let parts = prop::collection::vec(part, 0..6);
    parts.prop_map(|parts| [&b"\0"[..], &parts.concat()].concat())
}

/// A content, and one that is made of it by replacing a part.
fn edited() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let index = any::<prop::sample::Index>();
    (content(), content(), index, 0..50_usize).prop_map(|(old, part, at, len)| {
        let at = at.index(old.len());
        let end = (at + len).min(old.len());
        let new = [&old[..at], &part, &old[end..]].concat();
        (old, new)
    })
}

/// What becomes of a file.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Changed,
    Renamed,
    Made,
    Removed,
    Copied,
}

fn scene() -> impl Strategy<Value = (Files, Files)> {
    let fate = prop::sample::select(vec![
        Fate::Changed,
        Fate::Changed,
        Fate::Renamed,
        Fate::Made,
        Fate::Removed,
        Fate::Copied,
    ]);
    let files = prop::collection::vec((edited(), fate, any::<[bool; 2]>()), 1..4);
    files.prop_map(|files| {
        let (mut before, mut after) = (Files::new(), Files::new());
        for (number, ((old, new), fate, [was, is])) in files.into_iter().enumerate() {
            let name = format!("d/{number}").into_bytes();
            let other = format!("e/{number}").into_bytes();
            if !matches!(fate, Fate::Made) {
                before.insert(name.clone(), (old.clone(), was));
            }
            match fate {
                Fate::Changed | Fate::Made => drop(after.insert(name, (new, is))),
                Fate::Renamed => drop(after.insert(other, (new, was))),
                Fate::Removed => {}
                Fate::Copied => {
                    after.insert(name, (old, was));
                    after.insert(other, (new, was));
                }
            }
        }
        (before, after)
    })
}

/// Damages a patch.
fn damaged(patch: &[u8], at: prop::sample::Index, how: u8) -> Vec<u8> {
    let mut patch = patch.to_vec();
    let at = at.index(patch.len());
    match how {
        0 => patch.truncate(at),
        1 => patch[at] = if patch[at] == b'a' { b'b' } else { b'a' },
        2 => drop(patch.remove(at)),
        _ => patch.insert(at, b'0'),
    }
    patch
}

/// Lets git apply a patch to files that are in a repository without the patch's objects.
fn by_git(patch: &[u8], before: &Files) -> Option<Files> {
    let scene = Scene::new(before, before);
    std::fs::write(scene.directory.path().join(".git/patch"), patch).unwrap();
    let accepts = scene.accepts(&["apply", "--index", ".git/patch"]);
    accepts.then(|| scene.held())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: few(80), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn binary_patches_make_what_git_makes_of_them((before, after) in scene()) {
        let scene = Scene::new(&before, &after);
        for way in WAYS {
            let patch = scene.git(&[&["diff", "--cached"], *way].concat());
            if patch.is_empty() {
                continue;
            }
            let came = apply(&patch, &before, &Rules::default());
            prop_assert_eq!(came.files.as_ref(), Ok(&after), "{:?}\n{}", way, shown(&patch));
            prop_assert!(came.warnings.is_empty(), "{:?}\n{}", came.warnings, shown(&patch));
            let back = scene.git(&[&["diff", "--cached", "-R"], *way].concat());
            let came = apply(&back, &after, &Rules::default());
            prop_assert_eq!(came.files.as_ref(), Ok(&before), "{:?} -R\n{}", way, shown(&back));
        }
    }

    #[test]
    fn a_damaged_binary_patch_is_refused(
        (before, after) in scene(),
        at in any::<prop::sample::Index>(),
        how in 0..4_u8,
    ) {
        let scene = Scene::new(&before, &after);
        let patch = scene.git(&["diff", "--cached", "--binary"]);
        prop_assume!(!patch.is_empty());
        let patch = damaged(&patch, at, how);
        let is_cut = how == 0;
        let ours = apply(&patch, &before, &Rules::default());
        let theirs = by_git(&patch, &before);
        match (ours.files, theirs) {
            // git wants an empty line at a section's end: where that is cut off, it leaves out the
            // section, and says so at most. What was behind it is cut off, too.
            (Ok(ours), theirs) if is_cut => {
                let theirs = theirs.as_ref().unwrap_or(&before);
                let is_right = |name| {
                    let [ours, theirs] = [&ours, theirs].map(|files| files.get(name));
                    ours == theirs || theirs == before.get(name) && ours == after.get(name)
                };
                let mut names = before.keys().chain(after.keys()).chain(ours.keys());
                prop_assert!(names.all(is_right), "{}", shown(&patch));
            }
            (Ok(ours), Some(theirs)) => prop_assert_eq!(ours, theirs, "{}", shown(&patch)),
            (Ok(ours), None) => prop_assert_eq!(ours, after, "{}", shown(&patch)),
            // git leaves out sections that it can't read, and those behind, and says so at most.
            (Err(_), _) => {}
        }
    }

    /// A file that isn't the patch's is left alone.
    #[test]
    fn a_binary_patch_of_another_file_is_refused(
        (before, after) in scene(),
        other in content(),
    ) {
        let patch = Scene::new(&before, &after).git(&["diff", "--cached", "--binary"]);
        let Some((name, (held, _))) = before.iter().find(|(name, file)| after.get(*name) != Some(file)) else {
            return Ok(());
        };
        prop_assume!(*held != other);
        let mut files = before.clone();
        files.insert(name.clone(), (other, false));
        let ours = apply(&patch, &files, &Rules::default());
        if let Ok(ours) = ours.files {
            prop_assert_eq!(Some(ours), by_git(&patch, &files), "{}", shown(&patch));
        }
    }
}
