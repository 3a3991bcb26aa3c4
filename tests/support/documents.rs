//! What `--json` prints, held against the schema that the program ships, and against what people
//! are told of the same run.

use serde_json::Value;

use super::{Repo, Run, run};

/// Reads the documents of an output, a line each, and holds every one against the schema.
#[track_caller]
pub fn documents(stdout: &str) -> Vec<Value> {
    assert!(stdout.is_empty() || stdout.ends_with('\n'), "{stdout}");
    let read = |line: &str| -> Value {
        let document = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        if let Err(wrong) = Schema::shipped().check(&document) {
            panic!(
                "{wrong}\n{}",
                serde_json::to_string_pretty(&document).unwrap()
            );
        }
        document
    };
    stdout.lines().map(read).collect()
}

/// Reads the one document of an output.
#[track_caller]
pub fn document(run: &Run) -> Value {
    let mut all = documents(&run.stdout);
    assert_eq!(all.len(), 1, "{}{}", run.stdout, run.stderr);
    all.remove(0)
}

/// Returns the kinds of a document's errors or warnings.
pub fn kinds(document: &Value, which: &str) -> Vec<String> {
    document[which]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["kind"].as_str().unwrap().to_owned())
        .collect()
}

/// A copy of a repository, in which the same is asked for as a document.
pub struct Twin(Repo);

impl Twin {
    /// Makes one for commands that have `--json`.
    pub fn of(repo: &Repo, args: &[&str]) -> Option<Self> {
        let takes_it = matches!(
            args.first(),
            Some(&("apply" | "check" | "undo" | "recover"))
        );
        let is_other = args.iter().any(|arg| {
            ["-h", "--help", "--staged", "--list", "--feedback"].contains(arg)
                || arg.starts_with("--json")
        });
        let top = repo.path().to_str().unwrap();
        // A repository whose files lie elsewhere has no copy, nor has one that an argument names;
        // and what an apply left behind that was killed is bound to the very files. What it left
        // for undo isn't.
        let left = std::fs::read_dir(repo.path().join(".git/llmpatch"))
            .into_iter()
            .flatten();
        let is_over = left.into_iter().all(|entry| {
            entry
                .unwrap()
                .file_name()
                .to_string_lossy()
                .starts_with("undo-")
        });
        let is_whole = repo.path().join(".git").is_dir() && is_over;
        let stays = is_whole && !args.iter().any(|arg| arg.contains(top));
        (takes_it && !is_other && stays).then(|| Self(repo.copied()))
    }

    /// Runs it, and compares what is told in either way.
    #[track_caller]
    pub fn compare(&self, args: &[&str], input: &[u8], told: &Run) {
        let json = run(self.0.command().args(args).arg("--json"), input);
        assert_eq!(
            json.status, told.status,
            "{args:?}\n{}{}\n{}",
            json.stdout, json.stderr, told.stderr
        );
        // Of what can't be understood at all, there is no document.
        if json.status == 2 && !told.stderr.contains("error[usage]") {
            assert_eq!(json.stdout, "", "{args:?}");
            return;
        }
        let all = documents(&json.stdout);
        let several = args[0] == "check" && all.len() > 1;
        assert!(several || all.len() == 1, "{args:?} {}", json.stdout);
        if !told.stderr.contains('\u{1b}') {
            agree(&all, told, several);
        }
    }
}

/// Compares documents with what people were told of the same.
#[track_caller]
pub fn agree(all: &[Value], told: &Run, several: bool) {
    let heads = |start: &str| -> Vec<String> {
        let lines = told
            .stderr
            .lines()
            .filter_map(|line| line.strip_prefix(start));
        lines
            .filter_map(|rest| Some(rest.split(']').next()?.to_owned()))
            .collect()
    };
    let errors: Vec<_> = all
        .iter()
        .flat_map(|document| kinds(document, "errors"))
        .collect();
    let warnings: Vec<_> = all
        .iter()
        .flat_map(|document| kinds(document, "warnings"))
        .collect();
    // What hinders all responses is told once to people, and of each to programs.
    if !(several && errors.len() > heads("error[").len()) {
        assert_eq!(errors, heads("error["), "{}", told.stderr);
    }
    let said = told
        .stderr
        .lines()
        .filter(|line| line.starts_with("warning: "));
    let said: Vec<_> = said
        .filter_map(|line| Some(line.rsplit_once('[')?.1.trim_end_matches(']').to_owned()))
        .collect();
    if told.stderr.contains("; `-v` shows each") {
        // Corrections are summed up for people, under the kind of the first.
        assert!(
            said.iter().all(|kind| warnings.contains(kind)) && said.len() < warnings.len(),
            "{}",
            told.stderr
        );
    } else if !said.is_empty() {
        assert_eq!(warnings, said, "{}", told.stderr);
    }
    for document in all {
        let failed = document["status"] == "failed";
        assert_eq!(failed, !kinds(document, "errors").is_empty(), "{document}");
    }
}

/// As much of JSON Schema as ours is written in; anything else in it is an error.
pub struct Schema(Value);

impl Schema {
    /// Reads the one that the program ships.
    pub fn shipped() -> Self {
        Self(serde_json::from_str(llmpatch::report::json::SCHEMA).unwrap())
    }

    /// Holds a document against it.
    ///
    /// # Errors
    /// Says where it breaks which rule.
    pub fn check(&self, document: &Value) -> Result<(), String> {
        self.holds(&self.0, document, "")
    }

    fn holds(&self, rules: &Value, value: &Value, at: &str) -> Result<(), String> {
        for (rule, wanted) in rules.as_object().unwrap() {
            let broken = || Err(format!("`{at}` breaks {rule} {wanted}: {value}"));
            let kept = match rule.as_str() {
                "$schema" | "$defs" | "title" | "description" => true,
                "$ref" => {
                    let name = wanted.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                    self.holds(&self.0["$defs"][name], value, at)?;
                    true
                }
                "type" => match wanted {
                    Value::Array(any) => any.iter().any(|one| is(one, value)),
                    one => is(one, value),
                },
                "const" => wanted == value,
                "enum" => wanted.as_array().unwrap().contains(value),
                "minimum" => value
                    .as_i64()
                    .is_none_or(|number| number >= wanted.as_i64().unwrap()),
                "pattern" => value
                    .as_str()
                    .is_none_or(|text| fits(wanted.as_str().unwrap(), text)),
                "anyOf" => wanted
                    .as_array()
                    .unwrap()
                    .iter()
                    .any(|one| self.holds(one, value, at).is_ok()),
                "oneOf" => {
                    wanted
                        .as_array()
                        .unwrap()
                        .iter()
                        .filter(|one| self.holds(one, value, at).is_ok())
                        .count()
                        == 1
                }
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.holds(wanted, item, &format!("{at}[{index}]"))?;
                    }
                    true
                }
                "properties" => {
                    for (name, inner) in value.as_object().into_iter().flatten() {
                        if let Some(rules) = wanted.get(name) {
                            self.holds(rules, inner, &format!("{at}.{name}"))?;
                        }
                    }
                    true
                }
                "required" => wanted
                    .as_array()
                    .unwrap()
                    .iter()
                    .all(|name| value.get(name.as_str().unwrap()).is_some()),
                "additionalProperties" => {
                    assert_eq!(wanted, &Value::Bool(false));
                    value.as_object().is_none_or(|object| {
                        object
                            .keys()
                            .all(|name| rules["properties"].get(name).is_some())
                    })
                }
                unknown => panic!("the schema says `{unknown}`, which is not read here"),
            };
            if !kept {
                return broken();
            }
        }
        Ok(())
    }
}

fn is(name: &Value, value: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        unknown => panic!("the schema has a type `{unknown}`, which is not read here"),
    }
}

/// The patterns of the schema, by hand: so few need no engine.
fn fits(pattern: &str, text: &str) -> bool {
    let hex = |lengths: &[usize]| {
        lengths.contains(&text.len())
            && text
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    match pattern {
        "^[0-9a-f]{64}$" => hex(&[64]),
        "^[0-9a-f]{40}([0-9a-f]{24})?$" => hex(&[40, 64]),
        "^(100(644|755)|120000)$" => ["100644", "100755", "120000"].contains(&text),
        "^[a-z-]+$" => {
            !text.is_empty()
                && text
                    .bytes()
                    .all(|byte| byte == b'-' || byte.is_ascii_lowercase())
        }
        "^[A-Za-z0-9+/]*={0,2}$" => {
            let core = text.trim_end_matches('=');
            text.len() - core.len() <= 2
                && core
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(&byte))
        }
        unknown => panic!("the schema has a pattern `{unknown}`, which is not read here"),
    }
}
