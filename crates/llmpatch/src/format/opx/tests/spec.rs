//! The examples by which the format is described.

use super::*;

#[test]
fn the_examples_of_the_format_are_read() {
    for (text, want) in [
        (
            NEW,
            "src/utils/strings.ts new [export function titleCase(s: string): string {|  return s.split(/\\s+/).map(w => w ? w[0]!.toUpperCase() + w.slice(1) : w).join(' ')|}] -- Create utility module",
        ),
        (
            REPLACE,
            "src/config/index.ts replace [export interface AppConfig {|  apiBaseUrl: string;|  enableTelemetry: boolean;|  maxConcurrentJobs: number;|}||export const config: AppConfig = {|  apiBaseUrl: process.env.API_BASE_URL || 'http://localhost:3000',|  enableTelemetry: process.env.TELEMETRY === '1',|  maxConcurrentJobs: Number(process.env.MAX_JOBS || 4),|};]",
        ),
        (REMOVE, "tests/legacy/user-auth.spec.ts remove"),
        (MOVE, "src/lib/flags.ts move src/lib/feature-flags.ts"),
        (
            CALL,
            "src/api.rs patch First [fn call() {] [fn call(timeout: Duration) {] -- Time out slow calls",
        ),
    ] {
        assert_eq!(edits(text), [want], "{text}");
        assert_eq!(warnings(text), [""; 0], "{text}");
    }
}

#[test]
fn the_long_example_is_read_to_the_letter() {
    let block = read(PATCH);
    assert!(block.errors.is_empty() && block.warnings.is_empty());
    let [edit] = &block.edits[..] else { panic!() };
    assert_eq!(
        &edit.why.as_ref().unwrap()[..],
        b"Add timeout and error logging"
    );
    let Operation::Substitute(Substitution {
        find,
        put,
        occurrence: Occurrence::First,
        ..
    }) = &edit.operation
    else {
        panic!()
    };
    let joined = |lines: &[Text<'_>]| {
        lines
            .iter()
            .map(|line| String::from_utf8_lossy(line).into_owned() + "\n")
            .collect::<String>()
    };
    let between = |from: &str| {
        PATCH
            .split(from)
            .nth(1)
            .unwrap()
            .split(">>>\n")
            .next()
            .unwrap()
            .to_owned()
    };
    assert_eq!(joined(find), between("\"first\">\n<<<\n"));
    assert_eq!(joined(put), between("<put>\n<<<\n"));
}

#[test]
fn all_examples_are_one_response_in_a_wrapper() {
    let text = format!(
        "<opx>\n{}\n</opx>",
        [NEW, PATCH, REPLACE, REMOVE, MOVE].join("\n")
    );
    assert_eq!(edits(&text).len(), 5);
    assert_eq!(warnings(&text), [""; 0]);
}

const CALL: &str = r#"<edit file="src/api.rs" op="patch">
  <why>Time out slow calls</why>
  <find occurrence="first">
<<<
fn call() {
>>>
  </find>
  <put>
<<<
fn call(timeout: Duration) {
>>>
  </put>
</edit>
"#;

const NEW: &str = r#"<edit file="src/utils/strings.ts" op="new">
  <why>Create utility module</why>
  <put>
<<<
export function titleCase(s: string): string {
  return s.split(/\s+/).map(w => w ? w[0]!.toUpperCase() + w.slice(1) : w).join(' ')
}
>>>
  </put>
</edit>
"#;

const PATCH: &str = r#"<edit file="src/api/users.ts" op="patch">
  <why>Add timeout and error logging</why>
  <find occurrence="first">
<<<
export async function fetchUser(id: string) {
  const res = await fetch(`/api/users/${id}`);
  if (!res.ok) throw new Error(`Request failed: ${res.status}`);
  return res.json();
}
>>>
  </find>
  <put>
<<<
async function withTimeout<T>(p: Promise<T>, ms = 10000): Promise<T> {
  const t = new Promise<never>((_, r) => setTimeout(() => r(new Error('Request timed out')), ms));
  return Promise.race([p, t]);
}

export async function fetchUser(id: string) {
  try {
    const res = await withTimeout(fetch(`/api/users/${id}`), 10000);
    if (!res.ok) throw new Error(`Request failed: ${res.status}`);
    return res.json();
  } catch (err) {
    console.error('[api] fetchUser error', err);
    throw err;
  }
}
>>>
  </put>
</edit>
"#;

const REPLACE: &str = r#"<edit file="src/config/index.ts" op="replace">
  <put>
<<<
export interface AppConfig {
  apiBaseUrl: string;
  enableTelemetry: boolean;
  maxConcurrentJobs: number;
}

export const config: AppConfig = {
  apiBaseUrl: process.env.API_BASE_URL || 'http://localhost:3000',
  enableTelemetry: process.env.TELEMETRY === '1',
  maxConcurrentJobs: Number(process.env.MAX_JOBS || 4),
};
>>>
  </put>
</edit>
"#;

const REMOVE: &str = r#"<edit file="tests/legacy/user-auth.spec.ts" op="remove" />
"#;

const MOVE: &str = r#"<edit file="src/lib/flags.ts" op="move">
  <to file="src/lib/feature-flags.ts" />
</edit>
"#;
