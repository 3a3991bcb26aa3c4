// The extension for pi, in pi: PI names its programs, the newest major version's and the oldest that is promised, each behind the node that runs it.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { model } from "./model.js";
import { Project, empty, examples, patch } from "./project.js";

/** Has pi make calls in a project, and returns what they have come to, and what pi said. */
async function made(host: string, project: Project, calls: Parameters<typeof model>[0], environment: { [name: string]: string } = {}) {
  const home = empty();
  mkdirSync(join(home, "agent"));
  let said = "";
  const results = await model(calls, async (url) => {
    const provider = { baseUrl: `${url}/v1`, api: "openai-completions", apiKey: "none", models: [{ id: "m" }] };
    writeFileSync(join(home, "agent/models.json"), JSON.stringify({ providers: { none: provider } }));
    const command = [...host.split(" "), "--extension", join(examples, "pi/git-llmpatch.ts"), "--no-session", "--provider", "none", "--model", "m", "-p", "Hello."];
    said = await project.run(command, { PI_CODING_AGENT_DIR: join(home, "agent"), PI_OFFLINE: "1", ...environment });
  });
  return { results, said };
}

for (const host of (process.env["PI"] ?? "").split(":")) {
  test(`${host}: edits are checked before they are made, and patches are applied`, async () => {
    const project = new Project();
    const edit = (path: string, ...edits: (readonly [string, string])[]) => ({
      name: "edit", input: { path, edits: edits.map(([oldText, newText]) => ({ oldText, newText })) },
    });
    const write = (path: string) => ({ name: "write", input: { path, content: "x\n" } });
    const apply = (text: string) => ({ name: "apply_patch", input: { patch: text } });
    const outside = join(empty(), "out.txt");
    const { results, said } = await made(host, project, [
      edit("a.py", ["print(7)", "print(9)"]),
      edit("a.py", ["print(1)", "print(3)"], ["print(2)", "print(4)"]),
      edit(project.path("src/b.py"), ["print(3)", "print(9)"]),
      write("a.lock"),
      write("new/c.py"),
      write("a.py"),
      apply(patch("a.py", "7")),
      apply("*** Begin Patch\n*** Update File: a.py\n-x\n+y\n*** Add File: d.py\n+d\n*** End Patch\n"),
      write(outside),
    ]);
    assert.equal(results.length, 9, said);
    const [misfit, , , locked, , , unfit, applied] = results.map(String);
    assert.match(misfit ?? "", /Your patch was not applied.*print\(1\)/s);
    assert.match(locked ?? "", /`a\.lock` is protected/);
    assert.match(unfit ?? "", /Your patch was not applied/);
    assert.match(applied ?? "", /^M a\.py\nA d\.py\n 2 files changed/);
    const texts = ["a.py", "a.lock", "src/b.py", "new/c.py", "d.py"].map((name) => project.text(name));
    assert.deepEqual(texts, ["y\n", undefined, "print(9)\n", "x\n", "d\n"]);
  });

  test(`${host}: without the program, pi makes its edits`, async () => {
    const project = new Project();
    const path = (process.env["PATH"] ?? "").split(":").filter((directory) => !(process.env["LLMPATCH"] ?? "").startsWith(directory));
    const { results, said } = await made(host, project, [{ name: "write", input: { path: "a.lock", content: "x\n" } }], { PATH: path.join(":") });
    assert.equal(results.length, 1, said);
    assert.equal(project.text("a.lock"), "x\n");
  });
}
