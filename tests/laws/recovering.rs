//! What a journal of any bytes can make recovery or undo touch.

use git_llmpatch::dir::SystemPath as _;
use std::path::{Component, Path};

use git_llmpatch::transaction;
use llmpatch::path::RepoPath;

/// Nothing that is read of a journal leads out of the work tree, or into a git directory; and of a
/// path that isn't safe nothing is read.
pub fn recover(bytes: &[u8]) {
    stay_inside(&transaction::places(bytes));
    for line in bytes.split(|byte| *byte == b'\n').take(32) {
        let path = format!("{line:?}");
        let held = r#"{"id":"a","size":1,"executable":false,"bits":420}"#;
        let manifest = format!(
            r#"{{"deed":"Apply","with_index":true,"head":null,"tree":null,"touched":[{{"path":{path},"before":{held},"after":{held},"depth":{}}}],"indexed":[{path}],"made":[{path}],"removed":[{{"path":{path},"bits":493}}]}}"#,
            bytes.len() % 7
        );
        let record = format!(
            r#"{{"Made":{{"files":[{{"path":{path},"before":[{held},"original-0"],"after":null}}],"entries":[],"renamed":[],"made":[{path}],"removed":[]}}}}"#
        );
        for json in [manifest, record] {
            let places = transaction::places(json.as_bytes());
            assert_eq!(places.is_empty(), RepoPath::new(line).is_err(), "{json}");
            stay_inside(&places);
            let named = RepoPath::new(line).ok();
            let of_ours = |place: &RepoPath| place.name().starts_with(b".llmpatch-");
            assert!(
                places
                    .iter()
                    .all(|place| Some(place) == named.as_ref() || of_ours(place)),
                "{json}"
            );
        }
    }
}

fn stay_inside(places: &[RepoPath]) {
    for place in places {
        let is_plain = |part: Component<'_>| match part {
            Component::Normal(name) => !name.eq_ignore_ascii_case(".git"),
            _ => false,
        };
        assert!(
            place.as_path().components().all(is_plain) && place.as_path() != Path::new(""),
            "{place}"
        );
    }
}
