// The plug-in for Claude Code, in the programs that CLAUDE_CODE names, with a colon in between: the newest one, and the oldest that the README names.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { model } from "./model.js";
import { Project, empty, examples, hostile } from "./project.js";
import { settings } from "./hooks.js";

test("the hook is one of the host's", () => {
  assert.equal(settings.hooks?.["PreToolUse"]?.[0]?.matcher, "Edit|MultiEdit|Write");
});

/** Has the host make the calls of a model. */
function edited(host: string, project: Project, plugin: string, url: string): Promise<string> {
  return project.run([host, "-p", "Hello.", "--plugin-dir", plugin, "--permission-mode", "acceptEdits"], {
    ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "none", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1",
  });
}

for (const host of (process.env["CLAUDE_CODE"] ?? "").split(":")) {
  const version = spawnSync(host, ["--version"], { encoding: "utf8" }).stdout.trim();
  test(`${version} asks it before each edit, and runs nothing of the edit`, async () => {
    const project = new Project();
    const plugin = join(empty(), hostile.replaceAll("\n", ""));
    cpSync(join(examples, "claude-code"), plugin, { recursive: true });
    const write = (name: string, content: string) => ({ name: "Write", input: { file_path: project.path(name), content } });
    const calls = [write("n.txt", hostile), write("a.lock", "x\n"), write("src/c.py", "pass\n")];
    const results = await model(calls, (url) => edited(host, project, plugin, url));
    assert.equal(results.length, calls.length);
    assert.match(results[1] ?? "", /`a\.lock` is protected/);
    assert.deepEqual(["n.txt", "a.lock", "src/c.py", "executed"].map((name) => project.text(name)), [hostile, undefined, "pass\n", undefined]);
  });

  test(`${version} looks itself whether the text to replace is there and in one place, before it asks the hook`, async () => {
    const project = new Project();
    const input = (old_string: string) => ({ file_path: project.path("a.py"), old_string, new_string: "x" });
    const calls = [
      { name: "Edit", input: input("print(1)") },
      { name: "Read", input: { file_path: project.path("a.py") } },
      ...["print(7)", "print"].map((old) => ({ name: "Edit", input: input(old) })),
    ];
    const results = await model(calls, (url) => edited(host, project, join(examples, "claude-code"), url));
    assert.match(results[0] ?? "", /has not been read/);
    assert.match(results[2] ?? "", /String to replace not found/);
    assert.match(results[3] ?? "", /2 matches/);
    assert.equal(project.text("a.py"), "print(1)\nprint(2)\n");
  });
}
