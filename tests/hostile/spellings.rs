//! Every spelling of a path that leads out of the work tree, into git's directory, or nowhere, in
//! every place where a format has a path.

use crate::Fortress;
use crate::bounded::patiently;

/// Spellings that no edit may use, whatever is on disk. `OUTSIDE` stands for a directory beside the
/// work tree.
const NOWHERE: &[&str] = &[
    "../outside/a.txt",
    "dir/../../outside/a.txt",
    "./../outside/a.txt",
    "dir/deep/../../../outside/a.txt",
    "..",
    "../work/../outside/a.txt",
    "/etc/hostname",
    "OUTSIDE/a.txt",
    "WORK/../outside/a.txt",
    "file:///etc/hostname",
    "file://OUTSIDE/a.txt",
    "file:OUTSIDE/a.txt",
    "file://localhost/etc/hostname",
    "file://WORK/%2e%2e/outside/a.txt",
    "file://elsewhere/etc/hostname",
    "https://example.com/a.txt",
    "~/a.txt",
    "~root/.profile",
    "C:/a.txt",
    "C:\\a.txt",
    "\\\\server\\share\\a.txt",
    ".git/config",
    ".git/hooks/post-commit",
    ".git",
    ".GIT/config",
    ".Git/hooks/x",
    "dir/.git/config",
    "dir/../.git/config",
    "./.git/./config",
    ".git /config",
    ".git./config",
    ".git. ./config",
    ".git::$INDEX_ALLOCATION/config",
    ".git:x/config",
    "git~1/config",
    "GIT~1/config",
    "dir\\.git\\config",
    ".git\\config",
    ".g\u{200c}it/config",
    "\u{feff}.git/config",
    ".GI\u{206a}T\u{200d}/config",
    "WORK/.git/config",
    "file://WORK/.git/config",
    "file://WORK/%2egit/config",
    "nested/a.txt",
    "nested/.git/config",
    "link/a.txt",
    "link.txt",
    "dir/up/outside/a.txt",
    "loop/a.txt",
    "dir",
    "dir/",
    "a.txt/",
    "dir/.",
    ".",
    "/",
];

/// What of these is refused for what is on disk, which is nobody's business where the index alone
/// is changed.
const ON_DISK: &[&str] = &[
    "nested/a.txt",
    "link/a.txt",
    "link.txt",
    "dir/up/outside/a.txt",
    "loop/a.txt",
];

/// Spellings that no new file may have.
const NOT_FOR_NEW: &[&str] = &[
    "new\\file.txt",
    "..\\outside\\a.txt",
    "\"new.txt\"",
    "`new.txt`",
    "'new.txt'",
];

/// Every way to name a path in the formats, and whether it is that of a new file; `PATH` is where.
/// In a unified diff, `"PATH"` is quoted as git does it.
const PLACES: &[(&str, bool)] = &[
    (
        "*** Begin Patch\n*** Update File: PATH\n@@\n-old\n+new\n*** End Patch\n",
        false,
    ),
    (
        "*** Begin Patch\n*** Delete File: PATH\n*** End Patch\n",
        false,
    ),
    (
        "*** Begin Patch\n*** Update File: PATH\n*** Move to: gone.txt\n*** End Patch\n",
        false,
    ),
    (
        "<edit file=\"PATH\" op=\"patch\"><find>\n<<<\nold\n>>>\n</find><put>\n<<<\nnew\n>>>\n</put></edit>\n",
        false,
    ),
    (
        "<edit file=\"PATH\" op=\"replace\"><put>\n<<<\nnew\n>>>\n</put></edit>\n",
        false,
    ),
    ("<edit file=\"PATH\" op=\"remove\"/>\n", false),
    (
        "<edit file=\"PATH\" op=\"move\"><to file=\"gone.txt\"/></edit>\n",
        false,
    ),
    (
        "*** Begin Patch\n*** Add File: PATH\n+new\n*** End Patch\n",
        true,
    ),
    (
        "*** Begin Patch\n*** Update File: a.txt\n*** Move to: PATH\n@@\n-old\n+new\n*** End Patch\n",
        true,
    ),
    (
        "<edit file=\"PATH\" op=\"new\"><put>\n<<<\nnew\n>>>\n</put></edit>\n",
        true,
    ),
    (
        "<edit file=\"a.txt\" op=\"move\"><to file=\"PATH\"/></edit>\n",
        true,
    ),
    ("--- a/PATH\n+++ b/PATH\n@@ -1 +1 @@\n-old\n+new\n", false),
    ("--- PATH\n+++ PATH\n@@ -1 +1 @@\n-old\n+new\n", false),
    (
        "diff --git \"PATH\" \"PATH\"\n--- \"PATH\"\n+++ \"PATH\"\n@@ -1 +1 @@\n-old\n+new\n",
        false,
    ),
    ("--- a/PATH\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n", false),
    (
        "diff --git a/PATH b/PATH\ndeleted file mode 100644\n",
        false,
    ),
    (
        "diff --git a/PATH b/PATH\nold mode 100644\nnew mode 100755\n",
        false,
    ),
    (
        "diff --git a/PATH b/gone.txt\nrename from PATH\nrename to gone.txt\n",
        false,
    ),
    (
        "diff --git a/PATH b/gone.txt\ncopy from \"PATH\"\ncopy to gone.txt\n",
        false,
    ),
    ("--- /dev/null\n+++ b/PATH\n@@ -0,0 +1 @@\n+new\n", true),
    ("--- /dev/null\n+++ \"PATH\"\n@@ -0,0 +1 @@\n+new\n", true),
    ("diff --git a/PATH b/PATH\nnew file mode 100644\n", true),
    (
        "diff --git a/a.txt \"PATH\"\nrename from a.txt\nrename to \"PATH\"\n",
        true,
    ),
    (
        "diff --git a/a.txt \"PATH\"\ncopy from a.txt\ncopy to \"PATH\"\n@@ -1 +1 @@\n-old\n+new\n",
        true,
    ),
    (
        "<edit file=\"a.txt\" op=\"remove\"/>\n<edit file=\"PATH\" op=\"new\"><put>\n<<<\nnew\n>>>\n</put></edit>\n",
        true,
    ),
];

fn fortress() -> Fortress {
    let mut fortress = Fortress::new();
    let link =
        |to: &str, at: &str| std::os::unix::fs::symlink(to, fortress.path().join(at)).unwrap();
    link("../outside", "link");
    link("../outside/a.txt", "link.txt");
    link("../..", "dir/up");
    link("loop", "loop");
    fortress.settle();
    fortress
}

/// Puts a spelling into a response.
fn spelt(fortress: &Fortress, place: &str, path: &str) -> String {
    let path = path
        .replace("OUTSIDE", fortress.outside.to_str().unwrap())
        .replace("WORK", fortress.path().to_str().unwrap());
    if place.starts_with('<') {
        // A quote in an attribute's value needs an entity, or the other quotes.
        return place.replace("PATH", &path.replace('"', "&quot;"));
    }
    let quoted = path.bytes().map(|byte| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).into(),
        _ => format!("\\{byte:03o}"),
    });
    let quoted = format!("\"{}\"", quoted.collect::<String>());
    place.replace("\"PATH\"", &quoted).replace("PATH", &path)
}

#[test]
fn no_spelling_leads_out() {
    let fortress = fortress();
    let rounds = PLACES.iter().flat_map(|(place, is_new)| {
        let more = if *is_new { NOT_FOR_NEW } else { &[] };
        NOWHERE.iter().chain(more).map(move |path| (place, path))
    });
    // Every spelling and every place, but not each spelling in each place.
    let every = crate::scaled(7, 1);
    for (nth, (place, path)) in rounds.enumerate().filter(|(nth, _)| nth % every == 0) {
        let index_alone = if ON_DISK.contains(path) {
            "--index"
        } else {
            "--cached"
        };
        let how = ["--quiet", "--index", index_alone, "--overwrite"][nth / every % 4];
        let target = ["apply", how];
        let response = spelt(&fortress, place, path);
        let mut command = fortress.repo.command();
        command.args(target);
        let run = patiently(command, response.as_bytes());
        let said = format!("{target:?} of\n{response}\n{}{}", run.stdout, run.stderr);
        // What is no path to begin with may be no patch either.
        assert_eq!(run.status, 1, "{said}");
        assert!(run.stderr.starts_with("error["), "{said}");
        assert!(run.stderr.ends_with("nothing was changed\n"), "{said}");
        fortress.is_as_before(&said);
    }
}

#[test]
fn every_spelling_is_refused_for_what_it_is() {
    let fortress = fortress();
    // A directory is no unsafe path for a new file, but one that is taken.
    for path in NOWHERE
        .iter()
        .chain(NOT_FOR_NEW)
        .filter(|path| **path != "dir")
    {
        let response = spelt(&fortress, PLACES[7].0, path);
        let run = fortress.repo.run(&["check"], &response).ended(1);
        let kind = run.stderr.lines().next().unwrap();
        assert!(
            kind.starts_with("error[unsafe-path]"),
            "{response}\n{}",
            run.stderr
        );
    }
    let all: Vec<String> = NOWHERE
        .iter()
        .map(|path| format!("*** Add File: {path}\n+new\n"))
        .collect();
    let all = spelt(
        &fortress,
        &format!("*** Begin Patch\n{}*** End Patch\n", all.concat()),
        "",
    );
    fortress.repo.run(&["apply", "--overwrite"], &all).ended(1);
    fortress.is_as_before("all spellings at once");
}

#[test]
fn a_directory_for_relative_paths_is_no_way_out() {
    let fortress = fortress();
    for directory in [
        "..",
        "../outside",
        "dir/../../outside",
        ".git",
        "link",
        "nested",
        "/etc",
    ] {
        let run = fortress.repo.run(
            &["apply", "--overwrite", &format!("--directory={directory}")],
            "*** Begin Patch\n*** Add File: a.txt\n+new\n*** End Patch\n",
        );
        assert!(
            [1, 2, 3].contains(&run.status),
            "{directory}: {}{}",
            run.stdout,
            run.stderr
        );
        fortress.is_as_before(directory);
    }
}
