//! The last change, taken back.

use super::super::kept::{MOST_BYTES, MOST_KEPT};
use super::*;
use llmpatch::plan::FileOperation;
use llmpatch::report::EarlierFile;

/// What a person sees of a repository, but for when and as which inode a file was written.
pub(super) fn looks(sample: &Sample) -> (BTreeMap<String, (u32, BString)>, Vec<BString>) {
    let tree = seen(sample)
        .tree
        .into_iter()
        .map(|(path, (mode, _, content))| (path, (mode, content)))
        .collect();
    let said = |args: &[&str]| BString::from(sample.git_args(args));
    let index = [
        "ls-files --stage -v",
        "status --porcelain=v2 --untracked-files=all",
        "rev-parse HEAD",
    ];
    let said = index
        .iter()
        .map(|args| said(&args.split(' ').collect::<Vec<_>>()))
        .collect();
    sample.git_args(&["fsck", "--strict", "--no-dangling"]);
    (tree, said)
}

fn listed(directory: &std::path::Path) -> Vec<String> {
    let names = std::fs::read_dir(directory).into_iter().flatten();
    let mut names: Vec<_> = names
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Returns where what is kept of the newest change is.
fn newest(sample: &Sample) -> std::path::PathBuf {
    let home = sample.top().join(".git/llmpatch");
    let number = |name: String| name.strip_prefix("undo-")?.parse::<u32>().ok();
    let newest = listed(&home).into_iter().filter_map(number).max();
    home.join(newest.map_or("nothing".to_owned(), |newest| format!("undo-{newest}")))
}

/// Returns what is kept of the newest change, by name.
fn kept(sample: &Sample) -> Vec<String> {
    listed(&newest(sample))
}

pub(super) fn undo(sample: &Sample) -> Result<Done, Undone> {
    let repo = sample.open();
    let none = |error| Undone {
        error,
        attention: Vec::new(),
        open: Vec::new(),
    };
    let Last::Change(undoing) = last(&repo, &Progress::default()).map_err(none)? else {
        panic!("there is nothing to undo")
    };
    let Undoing {
        changes, reverse, ..
    } = *undoing;
    begin(
        &repo,
        &changes,
        Target::Undo(reverse),
        Progress::default(),
        &mut Vec::new(),
    )
    .map_err(none)?
    .publish()
}

fn not_commits() -> Vec<Target> {
    targets()
        .into_iter()
        .filter(|target| !matches!(target, Target::Commit(_)))
        .collect()
}

/// All that undo takes back whole.
fn undone() -> impl Iterator<Item = Target> {
    let commit = Target::Commit(request("change\n"));
    not_commits().into_iter().chain([commit])
}

fn is_nothing(sample: &Sample) -> bool {
    matches!(
        last(&sample.open(), &Progress::default()).unwrap(),
        Last::Nothing
    )
}

#[test]
fn apply_then_undo_is_the_identity_and_can_be_done_again() {
    for target in undone() {
        for (name, wanted) in some(WANTED, 3) {
            let sample = sample();
            let what = format!("{name}, {target:?}");
            assert!(is_nothing(&sample), "{what}");
            let before = looks(&sample);
            apply(&sample, wanted, &target).unwrap();
            let applied = looks(&sample);
            let done = undo(&sample).unwrap_or_else(|undone| panic!("{what}: {undone}"));
            assert_eq!(done.warnings, [], "{what}");
            assert_eq!(looks(&sample), before, "{what}");
            assert!(
                is_nothing(&sample) && !sample.top().join(".git/llmpatch").exists(),
                "{what}"
            );
            apply(&sample, wanted, &target).unwrap();
            let again = looks(&sample);
            // All but the commit, which has a time.
            let all_but =
                |(files, said): &(_, Vec<BString>)| (BTreeMap::clone(files), said[..2].to_vec());
            assert_eq!(all_but(&again), all_but(&applied), "{what}");
        }
    }
}

#[test]
fn a_directory_is_what_it_was_in_a_directory_that_passes_its_group_on() {
    let sample = configured(Sample::new())
        .file("shared/stays", "s\n")
        .file("shared/inner/file", "f\n")
        .committed();
    sample.chmod("shared", 0o2775);
    sample.chmod("shared/inner", 0o755);
    let before = looks(&sample);
    let target = Target::WorkTree {
        intent_to_add: false,
    };
    let deleted = ("shared/inner/file", None);
    for wanted in [&[deleted][..], &[("shared/inner", Some("x\n")), deleted]] {
        watch::set(|call| {
            if call == "make the change certain" {
                Err(io::Error::from_raw_os_error(5))
            } else {
                Ok(())
            }
        });
        let undone = apply(&sample, wanted, &target).unwrap_err();
        watch::clear();
        assert_eq!(undone.attention, [], "{undone}");
        assert_eq!(looks(&sample), before);
        apply(&sample, wanted, &target).unwrap();
        assert_ne!(looks(&sample), before);
        undo(&sample).unwrap();
        assert_eq!(looks(&sample), before);
    }
}

#[test]
fn a_fault_at_any_step_of_an_undo_leaves_nothing_behind() {
    for target in undone() {
        for (name, wanted) in [WANTED[1], WANTED[3], WANTED[4]] {
            let sample = sample();
            let old = looks(&sample);
            apply(&sample, wanted, &target).unwrap();
            let applied = seen(&sample);
            for step in 0.. {
                let count = Rc::new(std::cell::Cell::new(0));
                let counted = Rc::clone(&count);
                watch::set(move |_| {
                    counted.set(counted.get() + 1);
                    if counted.get() == step + 1 {
                        Err(io::Error::from_raw_os_error(5))
                    } else {
                        Ok(())
                    }
                });
                let outcome = undo(&sample);
                watch::clear();
                let what = format!("{name}, {target:?}, step {step}");
                match outcome {
                    Ok(done) => {
                        // Whatever is left of it, the next one that looks tidies up.
                        assert!(
                            done.warnings.is_empty() || count.get() > step,
                            "{what}: {:?}",
                            done.warnings
                        );
                        recover(&sample.open(), Asked::Yes, &Progress::default()).unwrap();
                        assert_eq!(looks(&sample), old, "{what}");
                        assert!(is_nothing(&sample), "{what}");
                        if count.get() > step {
                            apply(&sample, wanted, &target).unwrap();
                            assert_eq!(
                                applied.tree.keys().collect::<Vec<_>>(),
                                seen(&sample).tree.keys().collect::<Vec<_>>()
                            );
                        }
                        break;
                    }
                    Err(undone) => {
                        assert_eq!(undone.attention, [], "{what}: {undone}");
                        assert_eq!(seen(&sample), applied, "{what}: {undone}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_change_that_fails_keeps_what_undo_needs_and_one_that_succeeds_comes_before_it() {
    let sample = sample();
    let before = looks(&sample);
    let target = Target::WorkTree {
        intent_to_add: false,
    };
    apply(&sample, WANTED[1].1, &target).unwrap();
    let names = kept(&sample);
    assert_eq!(
        names,
        [
            "original-0",
            "original-1",
            "original-2",
            "original-5",
            "original-6",
            "record"
        ]
    );
    watch::set(|call| {
        if call == "exchange two files" {
            Err(io::Error::from_raw_os_error(5))
        } else {
            Ok(())
        }
    });
    apply(&sample, &[("dirty", Some("3\n"))], &target).unwrap_err();
    watch::clear();
    assert_eq!(kept(&sample), names);
    apply(&sample, &[("dirty", Some("3\n"))], &target).unwrap();
    assert_eq!(kept(&sample), ["original-0", "record"]);
    undo(&sample).unwrap();
    assert_eq!(std::fs::read(sample.top().join("dirty")).unwrap(), b"2\n");
    assert_eq!(std::fs::read(sample.top().join("a")).unwrap(), b"A\n");
    undo(&sample).unwrap();
    assert_eq!(looks(&sample), before);
    assert!(is_nothing(&sample));
}

#[test]
fn changes_are_taken_back_one_after_the_other_the_newest_first_and_the_oldest_are_forgotten() {
    let sample = sample();
    let states: Vec<_> = (0..MOST_KEPT + 3)
        .map(|nth| {
            let before = looks(&sample);
            // They come again, so that some records are equal.
            let text = format!("{}\n", if nth % 3 == 0 { 9 } else { nth % 3 });
            apply(
                &sample,
                &[("dirty", Some(&text))],
                &Target::WorkTree {
                    intent_to_add: false,
                },
            )
            .unwrap();
            before
        })
        .collect();
    let listed = earlier(&sample.open()).unwrap().earlier;
    assert_eq!(listed.len(), MOST_KEPT);
    let modified = EarlierFile {
        path: path("dirty"),
        operation: FileOperation::Modified,
    };
    let is_alike = |one: &Earlier| one.files[..] == [modified.clone()];
    assert!(listed.iter().all(is_alike), "{listed:?}");
    for state in states.iter().rev().take(MOST_KEPT) {
        undo(&sample).unwrap();
        assert_eq!(&looks(&sample), state);
    }
    assert!(is_nothing(&sample));
}

#[test]
fn of_large_files_fewer_changes_are_kept_and_the_last_always() {
    let sample = sample();
    let target = Target::WorkTree {
        intent_to_add: false,
    };
    let text = |nth: u64, len: u64| format!("{nth}").repeat(len as usize);
    // The first has a small old file, each of the others one of a third of what may be kept.
    for nth in 0..6 {
        apply(
            &sample,
            &[("dirty", Some(&text(nth, MOST_BYTES / 3)))],
            &target,
        )
        .unwrap();
        assert_eq!(
            earlier(&sample.open()).unwrap().earlier.len() as u64,
            (nth + 1).min(3)
        );
    }
    apply(
        &sample,
        &[("dirty", Some(&text(6, 2 * MOST_BYTES)))],
        &target,
    )
    .unwrap();
    let large = looks(&sample);
    apply(&sample, &[("dirty", Some("small\n"))], &target).unwrap();
    assert_eq!(earlier(&sample.open()).unwrap().earlier.len(), 1);
    undo(&sample).unwrap();
    assert_eq!(looks(&sample), large);
    assert!(is_nothing(&sample));
}

#[test]
fn an_undo_that_was_killed_when_all_was_certain_takes_back_one_change_only() {
    for at in ["let go of the change before", "nothing"] {
        let sample = sample();
        let target = Target::WorkTree {
            intent_to_add: false,
        };
        let first = looks(&sample);
        apply(&sample, &[("dirty", Some("3\n"))], &target).unwrap();
        let second = looks(&sample);
        apply(&sample, &[("b", Some("b2\n"))], &target).unwrap();
        watch::set(move |call| {
            if call == at {
                Err(io::Error::from_raw_os_error(5))
            } else {
                Ok(())
            }
        });
        undo(&sample).unwrap();
        watch::clear();
        for _ in 0..2 {
            recover(&sample.open(), Asked::Yes, &Progress::default()).unwrap();
        }
        assert_eq!(looks(&sample), second, "{at}");
        undo(&sample).unwrap();
        assert_eq!(looks(&sample), first, "{at}");
        assert!(is_nothing(&sample), "{at}");
    }
}

#[test]
fn an_undo_of_a_commit_that_could_not_be_written_down_is_no_commit_of_ours() {
    let sample = sample();
    apply(&sample, WANTED[0].1, &Target::Commit(request("change\n"))).unwrap();
    watch::set(|call| match call {
        "write the record" | "make the change certain" => Err(io::Error::from_raw_os_error(5)),
        _ => Ok(()),
    });
    let done = undo(&sample).unwrap();
    watch::clear();
    let [Warning::Unsettled { .. }] = &done.warnings[..] else {
        panic!("{:?}", done.warnings)
    };
    recover(&sample.open(), Asked::Yes, &Progress::default()).unwrap();
    assert!(is_nothing(&sample));
}

#[test]
fn an_index_that_can_not_be_put_back_is_told_where_no_file_changes_either() {
    let sample = sample();
    apply(&sample, WANTED[0].1, &Target::IndexAndWorkTree).unwrap();
    sample.write("a", "a1\na2\n");
    watch::set(|call| match call {
        "make the change certain" | "put the index back" => Err(io::Error::from_raw_os_error(5)),
        _ => Ok(()),
    });
    let undone = undo(&sample).unwrap_err();
    watch::clear();
    assert_eq!(undone.attention, [path("a")], "{undone}");
    let [Unresolved::Again(_)] = &undone.open[..] else {
        panic!("{:?}", undone.open)
    };
    recover(&sample.open(), Asked::Yes, &Progress::default()).unwrap();
    undo(&sample).unwrap();
    assert_eq!(sample.git("diff --cached a"), b"");
}

#[test]
fn what_is_half_removed_is_in_no_way() {
    let sample = sample();
    let target = Target::WorkTree {
        intent_to_add: false,
    };
    let before = looks(&sample);
    apply(&sample, &[("dirty", Some("3\n"))], &target).unwrap();
    apply(&sample, &[("b", Some("b2\n"))], &target).unwrap();
    let removed = newest(&sample);
    undo(&sample).unwrap();
    // Whoever removed it was killed behind the record, and again by the recovery.
    std::fs::create_dir(&removed).unwrap();
    std::fs::write(removed.join("original-0"), "b1\n").unwrap();
    assert_eq!(earlier(&sample.open()).unwrap().earlier.len(), 1);
    undo(&sample).unwrap();
    assert_eq!(looks(&sample), before);
    assert!(is_nothing(&sample) && !sample.top().join(".git/llmpatch").exists());
}

#[test]
fn a_change_is_made_even_if_undo_will_not_be_able_to_take_it_back() {
    for target in not_commits() {
        let sample = sample();
        apply(&sample, &[("staged", Some("3\n"))], &Target::Index).unwrap();
        watch::set(|call| {
            if call == "write the record" {
                Err(io::ErrorKind::StorageFull.into())
            } else {
                Ok(())
            }
        });
        let done = apply(&sample, WANTED[1].1, &target).unwrap();
        watch::clear();
        let [Warning::NoUndo { .. }] = &done.warnings[..] else {
            panic!("{:?}", done.warnings)
        };
        // Not the change before, either: it isn't the last one.
        assert!(is_nothing(&sample), "{target:?}");
    }
}

#[test]
fn whoever_was_killed_when_all_was_certain_kept_it_all() {
    for target in not_commits() {
        let sample = sample();
        let at = "keep the change";
        let before = looks(&sample);
        apply(
            &sample,
            &[("b", Some("b1\n")), ("dirty", Some("4\n"))],
            &Target::WorkTree {
                intent_to_add: false,
            },
        )
        .unwrap();
        sample.write("dirty", "2\n");
        watch::set(move |call| {
            if call == at {
                Err(io::Error::from_raw_os_error(5))
            } else {
                Ok(())
            }
        });
        let done = apply(&sample, WANTED[1].1, &target).unwrap();
        watch::clear();
        let [Warning::Unsettled { .. }] = &done.warnings[..] else {
            panic!("{:?}", done.warnings)
        };
        let recovered = recover(&sample.open(), Asked::Yes, &Progress::default()).unwrap();
        assert_eq!(
            recovered.iter().map(|one| one.how).collect::<Vec<_>>(),
            [How::Complete]
        );
        undo(&sample).unwrap();
        assert_eq!(looks(&sample), before, "{target:?}, {at}");
    }
}

#[test]
fn what_was_kept_before_is_not_taken_for_the_last_change_where_that_could_not_be_kept() {
    let sample = sample();
    let target = Target::WorkTree {
        intent_to_add: false,
    };
    apply(&sample, &[("b", Some("b2\n"))], &target).unwrap();
    let cant = |call| {
        if call == "keep the change" {
            Err(io::Error::from_raw_os_error(13))
        } else {
            Ok(())
        }
    };
    watch::set(cant);
    apply(&sample, &[("dirty", Some("3\n"))], &target).unwrap();
    recover(&sample.open(), Asked::Yes, &Progress::default()).unwrap();
    let error = undo(&sample).unwrap_err();
    watch::clear();
    assert!(error.to_string().contains("is still in"), "{error}");
    assert_eq!(std::fs::read(sample.top().join("b")).unwrap(), b"b2\n");
    recover(&sample.open(), Asked::Yes, &Progress::default()).unwrap();
    undo(&sample).unwrap();
    assert_eq!(std::fs::read(sample.top().join("dirty")).unwrap(), b"2\n");
}

#[test]
fn whatever_changed_since_is_named_and_nothing_is_taken_back() {
    let one_of_each = WANTED[1].1;
    type Meddle = fn(&Sample);
    let cases: &[(&str, Target, Meddle, &[&str])] = &[
        (
            "files",
            targets()[0].clone(),
            |sample| {
                sample.write("a", "mine\n");
                sample.chmod("tool", 0o700);
                std::fs::remove_file(sample.top().join("new/er/file")).unwrap();
                sample.write("b", "back\n");
                sample.write("deep", "a file\n");
            },
            &[
                "`a` changed",
                "`b` was created",
                "`deep` was created",
                "`new/er/file` was removed",
                "`tool` changed",
            ],
        ),
        (
            "a kept one",
            targets()[0].clone(),
            |sample| {
                std::fs::write(newest(sample).join("original-0"), "late\n").unwrap();
            },
            &["what `a` was"],
        ),
        (
            "another place of a new file",
            targets()[1].clone(),
            |sample| {
                sample.git("add new/er/file");
            },
            &["the index entry of `new/er/file` changed"],
        ),
        (
            "both sides",
            targets()[2].clone(),
            |sample| {
                sample.write("a", "mine\n");
                sample.git("rm -q --cached secret");
                sample.git("add a");
            },
            &[
                "`a` changed",
                "the index entry of `a` changed",
                "the index entry of `secret` changed",
            ],
        ),
        (
            "in the way of an entry",
            targets()[2].clone(),
            |sample| {
                sample.write("deep/er/file/below", "");
                sample.git("add deep/er/file/below");
                std::fs::remove_dir_all(sample.top().join("deep")).unwrap();
            },
            &["the index entry of `deep/er/file/below` changed"],
        ),
        (
            "the index alone",
            targets()[3].clone(),
            |sample| {
                sample.write("new/er/file", "mine\n");
                sample.write("b", "mine\n");
                sample.git("add new/er/file b");
            },
            &[
                "the index entry of `b` changed",
                "the index entry of `new/er/file` changed",
            ],
        ),
    ];
    for (name, target, meddle, want) in cases {
        let sample = sample();
        apply(&sample, one_of_each, target).unwrap();
        meddle(&sample);
        let before = seen(&sample);
        let undone = undo(&sample).unwrap_err();
        let TransactionError::ChangedSince { all } = &undone.error else {
            panic!("{name}: {undone}")
        };
        let said: Vec<_> = all.iter().map(ToString::to_string).collect();
        assert_eq!(said.len(), want.len(), "{name}: {said:?}");
        assert!(
            said.iter()
                .zip(*want)
                .all(|(said, want)| said.starts_with(want)),
            "{name}: {said:?}"
        );
        assert_eq!(undone.error.diagnostic().kind, Kind::Stale);
        assert_eq!(seen(&sample), before, "{name}");
        assert!(!is_nothing_kept(&sample), "{name}");
    }
}

fn is_nothing_kept(sample: &Sample) -> bool {
    kept(sample).is_empty()
}

#[test]
fn what_others_changed_beside_it_stays() {
    for target in not_commits() {
        let sample = sample();
        apply(&sample, WANTED[1].1, &target).unwrap();
        sample.write("dirty", "typed\n");
        sample.write("new/er/mine", "mine\n");
        sample.write("staged", "3\n");
        sample.git("add staged new/er/mine");
        undo(&sample).unwrap();
        assert_eq!(
            std::fs::read(sample.top().join("dirty")).unwrap(),
            b"typed\n"
        );
        assert_eq!(
            std::fs::read(sample.top().join("new/er/mine")).unwrap(),
            b"mine\n"
        );
        let status = String::from_utf8(sample.git("status --porcelain -uall")).unwrap();
        assert_eq!(
            status, " M dirty\nA  new/er/mine\nM  staged\n",
            "{target:?}"
        );
    }
}

#[test]
fn two_that_undo_at_once_undo_once() {
    let sample = sample();
    let target = Target::WorkTree {
        intent_to_add: false,
    };
    apply(&sample, WANTED[0].1, &target).unwrap();
    let repo = sample.open();
    let Last::Change(undoing) = last(&repo, &Progress::default()).unwrap() else {
        panic!()
    };
    let Undoing {
        changes, reverse, ..
    } = *undoing;
    apply(&sample, &[("b", Some("B\n"))], &target).unwrap();
    let error = begin(
        &repo,
        &changes,
        Target::Undo(reverse),
        Progress::default(),
        &mut Vec::new(),
    )
    .unwrap_err();
    assert!(matches!(error, TransactionError::Superseded), "{error}");
    assert_eq!(std::fs::read(sample.top().join("a")).unwrap(), b"A\n");
    undo(&sample).unwrap();
    assert_eq!(std::fs::read(sample.top().join("b")).unwrap(), b"b1\n");
}

#[test]
fn bytes_come_back_whatever_git_would_make_of_them() {
    for target in not_commits() {
        let sample = Sample::new()
            .then("config core.autocrlf false")
            .file("mixed", "one\r\ntwo\nthree\r\n")
            .file("lf", "one\ntwo\n")
            .committed()
            .then("config core.autocrlf true");
        let before = looks(&sample);
        apply(
            &sample,
            &[
                ("mixed", Some("1\r\n2\r\n")),
                ("lf", Some("1\n2\n")),
                ("new", Some("n\r\n")),
            ],
            &target,
        )
        .unwrap();
        undo(&sample).unwrap();
        assert_eq!(looks(&sample), before, "{target:?}");
    }
}

#[test]
fn what_is_kept_is_not_trusted() {
    let good = || {
        let sample = sample();
        apply(&sample, WANTED[1].1, &Target::IndexAndWorkTree).unwrap();
        sample
    };
    let record = |sample: &Sample| newest(sample).join("record");
    let sample = good();
    let bytes = std::fs::read(record(&sample)).unwrap();
    for end in [0, 1, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(record(&sample), &bytes[..end]).unwrap();
        let before = seen(&sample);
        let error = last(&sample.open(), &Progress::default()).unwrap_err();
        assert!(matches!(error, TransactionError::Damaged { .. }), "{error}");
        assert_eq!(seen(&sample), before);
    }
    // A link is not followed, and a missing original isn't made up.
    for replace in [true, false] {
        let sample = good();
        let original = record(&sample).with_file_name("original-0");
        std::fs::rename(&original, sample.outside().join("elsewhere")).unwrap();
        if replace {
            std::os::unix::fs::symlink(sample.outside().join("elsewhere"), &original).unwrap();
        }
        let error = last(&sample.open(), &Progress::default()).unwrap_err();
        assert!(
            matches!(error, TransactionError::ChangedSince { .. }),
            "{error}"
        );
    }
    // The next apply puts its own in its place.
    std::fs::write(record(&sample), "nonsense").unwrap();
    apply(
        &sample,
        &[("dirty", Some("3\n"))],
        &Target::WorkTree {
            intent_to_add: false,
        },
    )
    .unwrap();
    undo(&sample).unwrap();
}

#[test]
fn an_entry_whose_blob_is_gone_is_not_put_back() {
    let sample = sample();
    sample.write("staged", "only staged\n");
    sample.git("add staged");
    apply(&sample, &[("staged", Some("3\n"))], &Target::Index).unwrap();
    sample.git("-c gc.pruneExpire=now gc -q --prune=now");
    let before = seen(&sample);
    let undone = undo(&sample).unwrap_err();
    assert_eq!(undone.error.diagnostic().kind, Kind::Repository, "{undone}");
    assert_eq!(seen(&sample), before);
}

#[test]
fn a_commit_goes_with_its_change_unless_others_are_on_top() {
    let sample = sample();
    apply(
        &sample,
        WANTED[0].1,
        &Target::WorkTree {
            intent_to_add: false,
        },
    )
    .unwrap();
    sample.git("checkout -q a");
    let commit = || {
        apply(&sample, WANTED[1].1, &Target::Commit(request("change\n"))).unwrap();
        String::from_utf8(sample.git("rev-parse HEAD")).unwrap()
    };
    let before = looks(&sample);
    let head = commit();
    undo(&sample).unwrap();
    assert_eq!(looks(&sample), before);
    assert_ne!(
        String::from_utf8(sample.git("rev-parse HEAD")).unwrap(),
        head
    );
    let head = commit();
    sample.git("commit -q --allow-empty -m more");
    let Last::Commits(made) = last(&sample.open(), &Progress::default()).unwrap() else {
        panic!()
    };
    assert!(!made.is_head && made.is_there && made.is_below, "{made:?}");
    assert!(
        head.starts_with(&made.id) && made.full == head.trim(),
        "{made:?}"
    );
}
