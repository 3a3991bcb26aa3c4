// The package as its users have it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { apply, applyAsync, type Document, type Result } from "llmpatch";

const response = "*** Begin Patch\n*** Update File: src/a.py\n-print(1)\n+print(2)\n*** Add File: src/b.py\n+pass\n*** End Patch\n";

test("files become what a response asks for", () => {
  const result: Result = apply(response, { "src/a.py": "print(1)\n", "c.py": new Uint8Array([0xff]) }, { diff: true });
  assert.equal(result.status, "checked");
  assert.deepEqual(result.changed.map(({ path, text }) => [path, text]), [["src/a.py", "print(2)\n"], ["src/b.py", "pass\n"]]);
  assert.deepEqual(result.files.map((file) => [file.operation, file.added, file.removed]), [["modified", 1, 1], ["added", 1, 0]]);
  assert.match(result.files[0]?.diff ?? "", /^diff --git a\/src\/a\.py b\/src\/a\.py\nindex .*\n-print\(1\)\n\+print\(2\)\n$/s);
});

test("a refusal has a message for the model", () => {
  const result: Document = apply(Buffer.from(response), new Map([["src/a.py", "print(3)\n"]]));
  assert.equal(result.status, "failed");
  assert.equal(result.errors[0]?.kind, "lines-not-found");
  assert.equal(result.errors[0]?.nearest?.text, "print(3)");
  assert.match(result.feedback ?? "", /print\(3\)/);
});

test("a function is asked for each file once, and for what is in the place of a directory", async () => {
  const asked: string[] = [];
  const read = (path: string): string | null => (asked.push(path), path === "src/a.py" ? "print(1)\n" : null);
  assert.equal(apply(response, read).status, "checked");
  assert.deepEqual(asked.sort(), ["src/a.py", "src/b.py"]);
  assert.equal((await applyAsync(response, async (path) => read(path))).status, "checked");
  const blocked = apply("*** Begin Patch\n*** Add File: src/b.py\n+pass\n*** End Patch\n", (path) => (path === "src" ? "a file" : null));
  assert.equal(blocked.status, "failed");
  assert.throws(() => apply(response, (async () => "print(1)\n") as never), /applyAsync/);
});

test("bytes, modes and deleted files are kept", () => {
  const latin = Buffer.from("caf\xe9\nold\n", "latin1");
  const edit = "*** Begin Patch\n*** Update File: a\n-old\n+new\n*** Delete File: b\n*** End Patch\n";
  const result = apply(edit, { a: { content: latin, executable: true }, b: "", __proto__x: "" });
  const [a, b] = result.changed;
  assert.deepEqual(Buffer.from(a?.content ?? []), Buffer.from("caf\xe9\nnew\n", "latin1"));
  assert.deepEqual([a?.text, a?.executable, b?.content, b?.text], [null, true, null, null]);
});

test("what no request can be is an error, and the next one is answered", () => {
  for (const [files, options] of [[{ "../a": "" }, {}], [{}, { fuzz: "much" }], [{}, { limit: ["../x"] }], [{}, { unknown: true }]] as const) {
    assert.throws(() => apply(response, files as never, options as never), TypeError);
  }
  assert.equal(apply("\ud800 Nothing to do.", {}).status, "failed");
});

test("options are those of the program", () => {
  const files = { "src/a.py": "print(1)\n" };
  assert.equal(apply(response, files, { limit: ["src"] }).status, "checked");
  assert.equal(apply(response, files, { limit: ["docs"] }).errors[0]?.kind, "protected");
  assert.equal(apply(response, files, { protect: ["src/b.py"] }).errors[0]?.kind, "protected");
  assert.equal(apply(response, { "src/a.py": "  print(1)\n" }, { fuzz: "indent" }).warnings[0]?.kind, "fuzzy");
});
