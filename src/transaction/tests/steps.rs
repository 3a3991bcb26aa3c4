//! An error, or a panic, at every step that changes something.

use super::*;

fn sweep(wanted: &[(&str, Option<&str>)], target: &Target, name: &str, failure: fn() -> io::Error) {
    let mut at_hand = sample();
    for step in 0.. {
        let sample = &at_hand;
        let before = seen(sample);
        let count = Rc::new(std::cell::Cell::new(0));
        let last = Rc::new(std::cell::Cell::new(""));
        let counted = Rc::clone(&count);
        let at = Rc::clone(&last);
        watch::set(move |call| {
            counted.set(counted.get() + 1);
            if counted.get() == step + 1 {
                at.set(call);
                return Err(failure());
            }
            Ok(())
        });
        let outcome = apply(sample, wanted, target);
        watch::clear();
        let what = format!("{name}, {target:?}, step {step}: {}", last.get());
        match outcome {
            Ok(done) if count.get() <= step => {
                assert_eq!(done.warnings, [], "{what}");
                check_done(sample, wanted, target, &what);
                assert!(step > 3, "{what}");
                return;
            }
            // Made all the same, and that is not the last step that can fail.
            Ok(done) if matches!(done.warnings[..], [Warning::NoUndo { .. }]) => {
                at_hand = self::sample();
            }
            // After the last moment at which anything can be taken back.
            Ok(done) => {
                let late = |warning: &Warning| {
                    matches!(
                        warning,
                        Warning::Leftover { .. }
                            | Warning::IndexBehind { .. }
                            | Warning::Unsettled { .. }
                    )
                };
                if done.warnings.is_empty() {
                    // Tried again at once.
                    check_done(sample, wanted, target, &what);
                    at_hand = self::sample();
                    continue;
                }
                assert!(
                    done.warnings.iter().all(late),
                    "{what}: {:?}",
                    done.warnings
                );
                assert!(
                    !sample.top().join(".git/index.lock").exists(),
                    "{what}: {:?}",
                    done.warnings
                );
                at_hand = self::sample();
            }
            Err(undone) => {
                assert_eq!(undone.attention, [], "{what}: {undone}");
                assert_eq!(undone.open, [], "{what}: {undone}");
                assert_eq!(seen(sample), before, "{what}: {undone}");
            }
        }
    }
}

#[test]
fn a_fault_at_any_step_leaves_nothing_behind() {
    let all = targets()
        .into_iter()
        .flat_map(|target| WANTED.iter().map(move |row| (target.clone(), row)));
    for (target, (name, wanted)) in some(all, 5) {
        sweep(wanted, &target, name, || io::Error::from_raw_os_error(5));
    }
}

#[test]
fn a_full_disk_is_named() {
    sweep(WANTED[1].1, &Target::IndexAndWorkTree, "full disk", || {
        io::ErrorKind::StorageFull.into()
    });
}

#[test]
fn a_panic_at_any_step_leaves_nothing_behind() {
    for target in targets() {
        let sample = sample();
        let before = seen(&sample);
        for step in 0.. {
            let count = Rc::new(std::cell::Cell::new(0));
            let is_certain = std::cell::Cell::new(false);
            let counted = Rc::clone(&count);
            watch::set(move |call| {
                counted.set(counted.get() + 1);
                let decides = call == "make the change certain" && counted.get() != step + 1;
                is_certain.set(is_certain.get() || decides || call == "start git commit");
                if counted.get() == step + 1 && !is_certain.get() {
                    std::panic::resume_unwind(Box::new(()));
                }
                Ok(())
            });
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                apply(&sample, WANTED[1].1, &target)
            }));
            watch::clear();
            match outcome {
                Ok(outcome) => {
                    outcome.unwrap();
                    break;
                }
                Err(_) => assert_eq!(seen(&sample), before, "{target:?}, step {step}"),
            }
        }
    }
}

#[test]
fn what_is_prepared_and_dropped_leaves_nothing() {
    for target in targets() {
        let sample = sample();
        let before = seen(&sample);
        let repo = sample.open();
        let changes = changes(&*tree_of(&repo, &target), WANTED[1].1);
        let prepared = begin(
            &repo,
            &changes,
            target.clone(),
            Progress::default(),
            &mut Vec::new(),
        )
        .unwrap();
        assert!(sample.top().join(".git/index.lock").exists());
        drop(prepared);
        assert_eq!(seen(&sample), before, "{target:?}");
    }
}
