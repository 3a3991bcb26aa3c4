//! `prompt`: short, and every example in it applies.

use crate::support::Repo;

/// Returns the fenced blocks of a text.
fn blocks(text: &str) -> Vec<String> {
    text.split("```\n").skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_example_applies_without_a_warning() {
    for (format, count) in [("envelope", 3), ("opx", 3)] {
        let printed = Repo::empty().run(&["prompt", format], "").succeeded().stdout;
        assert!(printed.lines().count() < 60, "{format}: {} lines", printed.lines().count());
        let blocks = blocks(&printed);
        let (before, patches) = blocks.split_first().unwrap();
        assert_eq!(patches.len(), count, "{format}");
        for patch in patches {
            let repo = Repo::with(&[("src/greet.py", before)]);
            // What is taught is the bare format.
            let run = repo.run(&["apply", "--strict", "--unique"], format!("So:\n```\n{patch}```\n")).succeeded();
            assert_eq!(run.stderr, "", "{format}:\n{patch}");
        }
        // And all of them show each thing that the format can do.
        let all = patches.concat();
        let operations: &[&str] = match format {
            "opx" => &["\"new\"", "\"patch\"", "\"replace\"", "\"remove\"", "\"move\""],
            _ => &["*** Add File", "*** Update File", "*** Delete File", "*** Move to"],
        };
        operations.iter().for_each(|operation| assert!(all.contains(operation), "{format}: {operation}"));
    }
}

#[test]
fn the_envelope_is_what_is_taught_unless_said() {
    let repo = Repo::empty();
    assert_eq!(repo.run(&["prompt"], "").succeeded().stdout, repo.run(&["prompt", "envelope"], "").succeeded().stdout);
}
