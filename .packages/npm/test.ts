// The package as its users have it, in a repository that the current directory is.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { apply, check, Stopped, type Document } from "git-llmpatch";

const response = "*** Begin Patch\n*** Update File: a.py\n-print(1)\n+print(2)\n*** End Patch\n";

test("what was looked at is applied", async () => {
  writeFileSync("a.py", "print(1)\n");
  const look: Document = await check(response);
  assert.equal(look.status, "checked");
  assert.deepEqual(look.files.map((file) => [file.path, file.operation, file.hunks[0]?.match]), [["a.py", "modified", "exact"]]);
  const done = await apply(Buffer.from(response), { options: [`--expect=${look.plan}`], cwd: "." });
  assert.equal(done.status, "applied");
  assert.equal(readFileSync("a.py", "utf8"), "print(2)\n");
});

test("a refusal has a message for the model", async () => {
  writeFileSync("a.py", "print(3)\n");
  const look = await check(response);
  assert.equal(look.errors[0]?.kind, "lines-not-found");
  assert.equal(look.errors[0]?.nearest?.text, "print(3)");
  assert.match(look.feedback ?? "", /print\(3\)/);
});

test("wrong options are an error", async () => {
  await assert.rejects(check(response, { options: ["--no-such-option"] }), (error) => error instanceof Stopped && error.status === 2);
});

test("what is no response is an error", async () => {
  for (const [response, said] of [[undefined, /Undefined/], [null, /Null/], [1, /Number/], [["a"], /Array/], [new ArrayBuffer(1), /ArrayBuffer/], ["\ud800", /half/]] as const) {
    await assert.rejects(check(response as never), (error) => error instanceof TypeError && said.test(error.message));
  }
  const bytes = new TextEncoder().encode(`..${response}`);
  assert.equal((await check(bytes.subarray(2))).status, (await check(new DataView(bytes.buffer, 2))).status);
});
