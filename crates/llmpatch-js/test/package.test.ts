// The package as its users have it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { apply, applyAsync, type Content, type Document, type Files, type Options, type Read, type Result } from "llmpatch";

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

/** Bytes in the middle of others. */
const text = "caf\u00e9\nold\n";
const encoded = new TextEncoder().encode(text);
const around = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, ...encoded, 9, 10, 11, 12]);
const shared = new SharedArrayBuffer(encoded.length);
new Uint8Array(shared).set(encoded);
const elsewhere = (code: string): ArrayBuffer => runInNewContext(code, { numbers: [...encoded] });
const words = "old\nold\nold\nold\n";
const wide = new TextEncoder().encode(words).buffer;

const views = [
  Int8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array,
];

const contents: readonly [string, Content, string][] = [
  ["a string", text, text],
  ["an empty string", "", ""],
  ["a string with pairs of surrogates", "\u{1f600}\n", "\u{1f600}\n"],
  ["a byte order mark", "\ufeffold\n", "\ufeffold\n"],
  ["a Uint8Array", encoded, text],
  ["an empty Uint8Array", new Uint8Array(), ""],
  ["a part of a Uint8Array", around.subarray(8, 8 + encoded.length), text],
  ["a Buffer", Buffer.from(text), text],
  ["a part of a Buffer", Buffer.from(around).subarray(8, 8 + encoded.length), text],
  ["a DataView", new DataView(around.buffer, 8, encoded.length), text],
  ["an ArrayBuffer", encoded.buffer, text],
  ["a SharedArrayBuffer", shared, text],
  ["a view of a SharedArrayBuffer", new Uint8Array(shared), text],
  ...views.map((kind): [string, Content, string] => [`a ${kind.name}`, new kind(wide), words]),
  ["an ArrayBuffer of another realm", elsewhere("new Uint8Array(numbers).buffer"), text],
  ["a SharedArrayBuffer of another realm", elsewhere("const all = new SharedArrayBuffer(numbers.length); new Uint8Array(all).set(numbers); all"), text],
  ["a view of another realm", elsewhere("new Uint8Array(numbers)"), text],
  ["a DataView of another realm", elsewhere("new DataView(new Uint8Array(numbers).buffer)"), text],
];

/** Returns the blob id of a file, which its bytes alone make. */
function held(files: Files | Read): string | null {
  const { files: told } = apply("*** Begin Patch\n*** Delete File: a\n*** End Patch\n", files);
  assert.equal(told[0]?.operation, "deleted");
  return told[0]?.old_oid ?? null;
}

test("every kind of text and bytes is read", async () => {
  for (const [kind, content, want] of contents) {
    const oid = held({ a: want });
    for (const files of [{ a: content }, { a: { content } }, new Map([["a", content]]), () => content, () => ({ content, executable: true })]) {
      assert.equal(held(files), oid, kind);
    }
    const said = await applyAsync("*** Begin Patch\n*** Delete File: a\n*** End Patch\n", async () => content);
    assert.equal(said.files[0]?.old_oid, oid, kind);
    assert.deepEqual(apply(content, {}), apply(want, {}), kind);
  }
});

const halves = ["\ud800", "one\ntwo \udc00\n", "\ud83dx\n", "\udc00\ud800"];
const detached = new ArrayBuffer(8);
const ofDetached = [new Uint8Array(detached), new DataView(detached)];
structuredClone(detached, { transfer: [detached] });
/** A view of what is there no more, where buffers can shrink. */
const canShrink = "resize" in ArrayBuffer.prototype;
const shrink = "const buffer = new ArrayBuffer(8, { maxByteLength: 8 }); const view = new Uint8Array(buffer, 4); buffer.resize(2); view";
const shrunk: readonly unknown[] = canShrink ? [runInNewContext(shrink)] : [];

/** What is no content, and what the message calls it. */
const others: readonly [unknown, RegExp][] = [
  [null, /null/],
  [undefined, /undefined/],
  [0, /number/],
  [1n, /bigint/],
  [true, /boolean/],
  [Symbol("a"), /symbol/],
  [() => "", /function/],
  [[], /Array/],
  [[104, 105], /Array/],
  [{}, /Object/],
  [{ text: "old\n" }, /Object/],
  [{ content: "b2xkCg==", encoding: "base64" }, /Object/],
  [{ executable: true }, /Object/],
  [{ link: "yes" }, /Object/],
  [{ length: 1, 0: 104 }, /Object/],
  [new String("old\n"), /String/],
  [new Date(), /Date/],
  [new Map(), /Map/],
  [new Blob(["old\n"]), /Blob: await its arrayBuffer/],
  [new Response("old\n"), /Response: await its arrayBuffer/],
  [Promise.resolve("old\n"), /Promise: await it, or use applyAsync/],
  [{ [Symbol.toStringTag]: "ArrayBuffer" }, /DataView/],
  [detached, /detached/],
  ...ofDetached.map((view): [unknown, RegExp] => [view, /detached/]),
  ...shrunk.map((view): [unknown, RegExp] => [view, /bounds|detached/]),
  ...halves.map((half): [unknown, RegExp] => [half, /line \d has half of a character/]),
];

test("what is neither text nor bytes is named", async () => {
  const edit = "*** Begin Patch\n*** Delete File: d/a.txt\n*** End Patch\n";
  const path = "d/a.txt";
  for (const [value, kind] of others) {
    const content = value as Content;
    const isNamed = (error: unknown): boolean => error instanceof TypeError && error.message.startsWith(`"${path}"`) && kind.test(error.message);
    for (const files of [{ [path]: content }, { [path]: { content } }, new Map([[path, content]]), () => ({ content })]) {
      assert.throws(() => apply(edit, files), isNamed, String(kind));
    }
    const isResponse = (error: unknown): boolean => error instanceof TypeError && /^the response/.test(error.message) && kind.test(error.message);
    assert.throws(() => apply(content, {}), isResponse);
    const isNothing = value === null || value === undefined;
    if (isNothing) assert.equal(apply(edit, () => value).errors[0]?.kind, "file-missing");
    else {
      assert.throws(() => apply(edit, () => content), isNamed);
      if (!(value instanceof Promise)) await assert.rejects(applyAsync(edit, () => content), isNamed);
    }
  }
  assert.equal(apply(edit, { [path]: "" }).status, "checked");
});

/** Returns whether an error is about a type, and says which. */
const named = (kind: RegExp) => (error: unknown): boolean => error instanceof TypeError && kind.test(error.message);

test("what holds no files is named", () => {
  class Folder {}
  const none: readonly [unknown, RegExp][] = [
    [undefined, /undefined/],
    [null, /null/],
    [1, /number/],
    ["a", /string/],
    [[], /Array/],
    [["a"], /Array/],
    [new Set(), /Set/],
    [encoded, /Uint8Array/],
    [Promise.resolve({}), /Promise/],
    [new Folder(), /Object/],
    [new FormData(), /FormData/],
    [new Map([[1, ""]]), /number/],
    [new Map([["\ud800", ""]]), /"\\ud800" has half of a character/],
    [{ "a\udfff": "" }, /"a\\udfff" has half of a character/],
    [{ "../a": "" }, /`\.\.\/a`/],
  ];
  for (const [files, kind] of none) assert.throws(() => apply(response, files as Files), named(kind), String(kind));
  const held = "'src/a.py': 'print(1)\\n'";
  const some: readonly Files[] = [
    runInNewContext(`({ ${held} })`),
    runInNewContext(`new Map(Object.entries({ ${held} }))`),
    { __proto__: null, "src/a.py": "print(1)\n" },
  ];
  for (const files of some) assert.equal(apply(response, files).status, "checked");
});

test("a file whose name is no text is refused", () => {
  const added = '--- /dev/null\n+++ "b/caf\\377"\n@@ -0,0 +1 @@\n+x\n';
  for (const files of [{}, () => null]) {
    const result = apply(added, files);
    assert.deepEqual([result.errors[0]?.kind, result.changed], ["repository", []]);
  }
  const drive = "*** Begin Patch\n*** Add File: ./c:/x\n+x\n*** End Patch\n";
  for (const [windows, status] of [[true, "failed"], [false, "checked"]] as const) assert.equal(apply(drive, () => null, { windows }).status, status);
});

test("what is no option is named", () => {
  const none: readonly [unknown, RegExp][] = [
    [null, /options/],
    [[], /options/],
    ["strict", /options/],
    [new Map([["limit", ["src"]]]), /"options".*Map/],
    [{ unknown: true }, /unknown/],
    [{ fuzz: "much" }, /much/],
    [{ limit: ["../x"] }, /\.\.\/x/],
    [{ limit: "src" }, /`limit` takes an array of strings, and a string is there/],
    [{ root_is: ["/w"] }, /no option `root_is`.* rootIs/],
    [{ limit: () => [] }, /"limit".*function/],
    [{ protect: new Set() }, /"protect".*Set/],
    [{ lints: new Map() }, /"lints".*Map/],
    [{ strip: NaN }, /"strip".*number/],
    [{ strict: 1 }, /`strict` takes a boolean, and 1 is there/],
    [{ file: "\ud800" }, /half of a character/],
  ];
  for (const [options, kind] of none) assert.throws(() => apply(response, {}, options as Options), named(kind), String(kind));
  const files = { "src/a.py": { content: "print(1)\n", executable: 64 as never } };
  assert.throws(() => apply(response, files), named(/`src\/a\.py`.*64/));
  assert.equal(apply(response, { "src/a.py": "print(1)\n" }, undefined).status, "checked");
});

test("options are those of the program", () => {
  const files = { "src/a.py": "print(1)\n" };
  assert.equal(apply(response, files, { limit: ["src"] }).status, "checked");
  assert.equal(apply(response, files, { limit: ["docs"] }).errors[0]?.kind, "protected");
  assert.equal(apply(response, files, { protect: ["src/b.py"] }).errors[0]?.kind, "protected");
  assert.equal(apply(response, { "src/a.py": "  print(1)\n" }, { fuzz: "indent" }).warnings[0]?.kind, "fuzzy");
});
