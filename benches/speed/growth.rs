//! How time grows with what there is to do: each size over two decades, and the exponent that fits
//! best, which is the median of those between any two sizes.
//!
//! The time of a small change is taken off, and sizes at which not much more than that is left
//! aren't counted. An exponent of one is a time that grows as the size does.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::support::scenario::{Scenario, git};

/// What grows, from its smallest size on, and what is done at a size.
struct Size {
    name: &'static str,
    smallest: usize,
    make: fn(usize) -> Scenario,
}

const SIZES: [Size; 6] = [
    Size {
        name: "MiB of a file",
        smallest: 1,
        make: |size| Scenario::large("", size << 20, 1),
    },
    Size {
        name: "hunks in 10 MiB",
        smallest: 50,
        make: |size| Scenario::large("", 10 << 20, size),
    },
    Size {
        name: "files that change",
        smallest: 30,
        make: |size| Scenario::many("", 10, (size, 200, 3)),
    },
    Size {
        name: "files in the index",
        smallest: 1000,
        make: |size| Scenario::many("", size, (1, 200, 1)).staged(),
    },
    Size {
        name: "lines of a repeated prefix",
        smallest: 30,
        make: |size| Scenario::repeated("", (8 * size, size), &|_| "}\n".into()),
    },
    Size {
        name: "wrong hunks in 10 MiB",
        smallest: 10,
        make: |size| Scenario::large("", 10 << 20, size).refused(),
    },
];

const STEPS: [usize; 5] = [1, 3, 10, 30, 100];

/// Times and sizes of one thing that grows.
struct Curve {
    name: &'static str,
    points: Vec<(f64, f64)>,
    exponent: Option<f64>,
}

/// Measures all sizes, prints them, and draws them into a file if one is named.
pub(crate) fn measure(is_short: bool, picture: Option<&Path>) {
    let rounds = if is_short { 1 } else { 5 };
    let start = time(&Scenario::small_change("", 20), rounds);
    let curves: Vec<Curve> = SIZES
        .iter()
        .map(|size| {
            curve(
                size,
                start,
                if is_short { &STEPS[..2] } else { &STEPS },
                rounds,
            )
        })
        .collect();
    println!(
        "{:30}{:>10}   milliseconds at each size; a small change takes {start:.2}",
        "", "exponent"
    );
    for Curve {
        name,
        points,
        exponent,
    } in &curves
    {
        let exponent = exponent.map_or("–".into(), |exponent| format!("{exponent:.2}"));
        let points: Vec<_> = points
            .iter()
            .map(|(size, time)| format!("{size}: {time:.2}"))
            .collect();
        println!("{name:30}{exponent:>10}   {}", points.join(", "));
    }
    if let Some(picture) = picture {
        fs::write(picture, drawn(&curves)).expect("the picture can be written");
    }
}

fn curve(size: &Size, start: f64, steps: &[usize], rounds: usize) -> Curve {
    let measured = |step: &usize| {
        let at = size.smallest * step;
        (at as f64, time(&(size.make)(at), rounds))
    };
    let points: Vec<_> = steps.iter().map(measured).collect();
    let telling = points.iter().filter(|(_, time)| *time > 1.5 * start);
    let exponent = slope(
        &telling
            .map(|(size, time)| (size.ln(), (time - start).ln()))
            .collect::<Vec<_>>(),
    );
    Curve {
        name: size.name,
        points,
        exponent,
    }
}

/// Returns the least of a few times, in milliseconds.
fn time(scenario: &Scenario, rounds: usize) -> f64 {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let top = directory.path().join("top");
    scenario.build(directory.path());
    git(&top, &["config", "llmpatch.fsync", "false"]);
    let response = directory.path().join("change.envelope");
    let run = || {
        scenario.reset(&top);
        let mut command = Command::new(env!("CARGO_BIN_EXE_git-llmpatch"));
        command
            .args(["apply", "-q"])
            .args(scenario.is_staged.then_some("--index"))
            .arg(&response);
        command
            .current_dir(&top)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let started = Instant::now();
        let status = command.status().expect("it can be started");
        assert_eq!(
            status.code(),
            Some(i32::from(scenario.is_refused)),
            "{}",
            response.display()
        );
        started.elapsed().as_secs_f64() * 1000.0
    };
    // The first finds nothing in the system's caches.
    run();
    (0..rounds).map(|_| run()).fold(f64::INFINITY, f64::min)
}

/// Returns the median of the slopes between any two of some points, which one point that is off
/// hardly moves (Theil and Sen); `None` for less than two.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let pairs = points
        .iter()
        .enumerate()
        .flat_map(|(nth, one)| points[nth + 1..].iter().map(move |other| (one, other)));
    let mut slopes: Vec<f64> = pairs
        .map(|(one, other)| (other.1 - one.1) / (other.0 - one.0))
        .collect();
    slopes.sort_by(f64::total_cmp);
    let middle = slopes.len() / 2;
    match slopes.len() % 2 {
        1 => Some(slopes[middle]),
        _ => Some((slopes.get(middle.checked_sub(1)?)? + slopes[middle]) / 2.0),
    }
}

/// Draws times against sizes, each as multiples of the smallest; both axes are logarithmic, and
/// grey lines grow as their sizes do.
fn drawn(curves: &[Curve]) -> String {
    let (width, height) = (400.0, 400.0);
    let x = |size: f64| 60.0 + width * size.log10() / 2.0;
    let y = |time: f64| 20.0 + height * (1.0 - time.log10() / 4.0);
    let mut svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"790\" height=\"470\" font-family=\"sans-serif\" \
                   font-size=\"13\">\n<rect width=\"790\" height=\"470\" fill=\"white\"/>\n"
        .to_owned();
    for power in 0..=4 {
        let (time, line) = (10_f64.powi(power), y(10_f64.powi(power)));
        let _ = writeln!(
            svg,
            "<path d=\"M60 {line}h400\" stroke=\"#ddd\"/><text x=\"8\" y=\"{line}\">{time} ms</text>"
        );
        let grey = (y(time), y(time * 100.0));
        if power <= 2 {
            let _ = writeln!(
                svg,
                "<path d=\"M60 {}L460 {}\" stroke=\"#ccc\" stroke-dasharray=\"4\"/>",
                grey.0, grey.1
            );
        }
    }
    for (size, text) in [(1.0, "smallest"), (10.0, "× 10"), (100.0, "× 100")] {
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"440\" text-anchor=\"middle\">{text}</text>",
            x(size)
        );
    }
    let colours = [
        "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#333333",
    ];
    for (nth, (curve, colour)) in curves.iter().zip(colours).enumerate() {
        let smallest = curve.points[0].0;
        let points: Vec<_> = curve
            .points
            .iter()
            .map(|(size, time)| format!("{:.1},{:.1}", x(size / smallest), y(*time)))
            .collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            points.join(" ")
        );
        let exponent = curve
            .exponent
            .map_or(String::new(), |exponent| format!(": {exponent:.2}"));
        let name = format!("{}, from {smallest}{exponent}", curve.name);
        let _ = writeln!(
            svg,
            "<text x=\"475\" y=\"{}\" fill=\"{colour}\">{name}</text>",
            40 + 22 * nth
        );
    }
    svg + "</svg>\n"
}
