//! Pipes, sockets and devices where a file is expected: none is opened for what it isn't, and
//! nothing waits for its other end.

use std::path::Path;

use assert_fs::prelude::*;

use crate::Fortress;
use crate::bounded::patiently;
use crate::support::{make_device, make_pipe};

/// Everything that is no file, directory or link, and how it is made; devices only where the system
/// lets us.
fn specials(at: &Path) -> Vec<&'static str> {
    let mut made = Vec::new();
    make_pipe(&at.join("fifo"));
    made.push("fifo");
    drop(std::os::unix::net::UnixListener::bind(at.join("socket")).unwrap());
    made.push("socket");
    // As /dev/zero and as a disk that nobody has.
    for (name, kind, numbers) in [("zero", "c", (1, 5)), ("disk", "b", (240, 200))] {
        if make_device(&at.join(name), kind, numbers) {
            made.push(name);
        } else {
            eprintln!("no device `{name}` can be made here, so none is tried");
        }
    }
    made
}

#[test]
fn what_is_no_file_is_refused_and_nothing_waits_for_it() {
    let mut fortress = Fortress::new();
    let made = specials(fortress.path());
    fortress.settle();
    for name in made {
        for path in [name.to_owned(), format!("{name}/below.txt")] {
            for response in [
                format!(
                    "*** Begin Patch\n*** Update File: {path}\n@@\n-old\n+new\n*** End Patch\n"
                ),
                format!("*** Begin Patch\n*** Add File: {path}\n+new\n*** End Patch\n"),
                format!("*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n"),
                format!(
                    "*** Begin Patch\n*** Update File: a.txt\n*** Move to: {path}\n*** End Patch\n"
                ),
                format!("<edit file=\"{path}\" op=\"move\"><to file=\"b.txt\"/></edit>\n"),
                format!(
                    "<edit file=\"{path}\" op=\"replace\"><put>\n<<<\nnew\n>>>\n</put></edit>\n"
                ),
            ] {
                let mut command = fortress.repo.command();
                command.args(["apply", "--overwrite"]);
                let run = patiently(command, response.as_bytes());
                let said = format!("{response}\n{}{}", run.stdout, run.stderr);
                assert_eq!(run.status, 1, "{said}");
                assert!(run.stderr.starts_with("error[unsafe-path]"), "{said}");
                fortress.is_as_before(&said);
            }
        }
    }
}

#[test]
fn a_pipe_where_git_keeps_its_rules_hangs_nothing() {
    // git itself waits for ever there, so that no git child may be asked for a rule. All that is in
    // the index is as new as the index, which is when whoever writes it has to look at the files.
    let (reading, index) = (["-q", "--diff"], ["-N", "--index", "--cached"]);
    for (name, targets) in [
        (
            ".gitattributes",
            [&reading[..], &index, &["--commit"]].concat(),
        ),
        (".gitignore", [&reading[..], &index, &["--commit"]].concat()),
        (
            ".gitmodules",
            [&reading[..], &index, &["--commit"]].concat(),
        ),
        ("dir/.gitattributes", [&reading[..], &index].concat()),
        ("dir/.gitignore", [&reading[..], &index].concat()),
        ("dir/deep/.gitattributes", [&reading[..], &index].concat()),
        ("dir/deep/.gitignore", [&reading[..], &index].concat()),
    ] {
        for target in targets {
            let fortress = Fortress::new();
            make_pipe(&fortress.path().join(name));
            let mut command = fortress.repo.command();
            command.args(["apply", target]);
            let sections =
                "*** Update File: dir/a.txt\n@@\n-old\n+new\n*** Add File: dir/b.txt\n+b\n";
            let run = patiently(
                command,
                format!("*** Begin Patch\n{sections}*** End Patch\n").as_bytes(),
            );
            let said = format!(
                "{name} {target}: {}\n{}{}",
                run.status, run.stdout, run.stderr
            );
            assert!([0, 3].contains(&run.status), "{said}");
            if run.status == 3 {
                assert!(run.stderr.contains("that is no file"), "{said}");
                fortress.repo.read("dir/a.txt");
                assert!(!fortress.repo.child("dir/b.txt").exists(), "{said}");
            }
        }
    }
}

#[test]
fn rules_are_not_read_through_a_link_as_git_does_not() {
    for target in ["-q", "--index", "--cached", "--commit"] {
        let fortress = Fortress::new();
        fortress
            .outside
            .child("rules")
            .write_str("*.txt text eol=crlf ident\n")
            .unwrap();
        fortress
            .repo
            .child(".gitattributes")
            .symlink_to_file("../outside/rules")
            .unwrap();
        let response = "*** Begin Patch\n*** Add File: b.txt\n+$Id$\n*** Update File: dir/a.txt\n@@\n-old\n+new $Id: 1 $\n*** End Patch\n";
        fortress.repo.run(&["apply", target], response).succeeded();
        if target != "--cached" {
            assert_eq!(fortress.repo.text("b.txt"), "$Id$\n", "{target}");
        }
        if target != "-q" {
            assert_eq!(
                fortress.repo.git(&["cat-file", "blob", ":dir/a.txt"]),
                "new $Id: 1 $\n",
                "{target}"
            );
        }
    }
}

#[test]
fn a_response_may_come_through_a_pipe_and_a_directory_is_none() {
    let fortress = Fortress::new();
    let fifo = fortress.outside.join("answer");
    make_pipe(&fifo);
    let response = "*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+new\n*** End Patch\n";
    std::thread::scope(|scope| {
        scope.spawn(|| std::fs::write(&fifo, response).unwrap());
        let mut command = fortress.repo.command();
        command.arg("apply").arg(&fifo);
        patiently(command, b"").succeeded();
    });
    fortress.repo.child("a.txt").assert("new\n");
    for (response, status) in [(fortress.outside.path(), 3), (Path::new("/dev/null"), 1)] {
        fortress
            .repo
            .run(&["apply", response.to_str().unwrap()], "")
            .ended(status);
    }
}
