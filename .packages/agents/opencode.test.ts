// The plug-in for OpenCode: in OpenCode 1, and in what stands for OpenCode 2, whose program npm doesn't have everywhere.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Hooks, PluginInput, PluginModule, ToolContext, ToolResult } from "@opencode-ai/plugin";
import { define } from "@opencode-ai/plugin/v2/promise";
import plugin from "./git-llmpatch.js";
import { model } from "./model.js";
import { Project, empty, examples, patch } from "./project.js";

const first: PluginModule = plugin;
// Later hosts of version 1 call this form, too, with less than version 2 hands over.
define(plugin);

test("1: its tools are made by git llmpatch, and other edits are checked", async () => {
  const project = new Project();
  const { top } = project;
  const hooks: Hooks = await first.server({ directory: top } as PluginInput);
  const asked: { readonly patterns: string[]; readonly metadata: { [key: string]: unknown } }[] = [];
  const run = async (name: string, args: { [key: string]: unknown }, directory = top): Promise<ToolResult> => {
    const context: ToolContext = {
      sessionID: "1", messageID: "1", agent: "build", directory, worktree: top, abort: new AbortController().signal, metadata: () => {},
      ask: async (input) => void asked.push(input),
    };
    const made = hooks.tool?.[name];
    assert.ok(made);
    return made.execute(args as never, context);
  };
  await run("edit", { filePath: project.path("a.py"), oldString: "print(1)", newString: "print(9)" });
  assert.equal(project.text("a.py"), "print(9)\nprint(2)\n");
  assert.deepEqual(asked[0]?.patterns, ["a.py"]);
  assert.match(String(asked[0]?.metadata["diff"]), /\n\+print\(9\)\n/);
  await run("edit", { filePath: project.path("src/b.py"), oldString: "print(3)", newString: "print(4)" }, project.path("src"));
  await run("apply_patch", { patchText: patch("b.py", "4") }, project.path("src"));
  assert.equal(project.text("src/b.py"), "print(9)\n");
  await run("edit", { filePath: project.path("a.py"), oldString: "print", newString: "echo", replaceAll: true });
  assert.equal(project.text("a.py"), "echo(9)\necho(2)\n");
  await assert.rejects(run("apply_patch", { patchText: patch("a.py", "7") }), /echo\(9\)/);
  await assert.rejects(run("edit", { filePath: project.path("no.py"), oldString: "x", newString: "y" }), /no\.py/);
  const before = (tool: string, args: object) => hooks["tool.execute.before"]?.({ tool, sessionID: "1", callID: "1" }, { args });
  await assert.rejects(Promise.resolve(before("write", { filePath: project.path("a.lock"), content: "" })), /protected/);
  await before("edit", { filePath: project.path("a.py"), oldString: "misfits", newString: "" }); // the tool checks it
});

test("1: the host answers, and the model is told what the tools say", async () => {
  const project = new Project();
  mkdirSync(project.path(".opencode/plugins"), { recursive: true });
  cpSync(join(examples, "opencode/git-llmpatch.ts"), project.path(".opencode/plugins/git-llmpatch.ts"));
  const edit = (old: string) => ({ name: "edit", input: { filePath: project.path("a.py"), oldString: old, newString: "print(9)" } });
  const write = (name: string) => ({ name: "write", input: { filePath: project.path(name), content: "x\n" } });
  const calls = [edit("print(7)"), edit("print(1)"), write("a.lock"), write("src/c.py")];
  const results = await model(calls, async (url) => {
    const provider = { npm: "@ai-sdk/openai-compatible", options: { baseURL: `${url}/v1`, apiKey: "none" }, models: { m: { tool_call: true } } };
    writeFileSync(project.path("opencode.json"), JSON.stringify({ autoupdate: false, share: "disabled", provider: { none: provider } }));
    const env = { ...process.env, OPENCODE_DISABLE_MODELS_FETCH: "1" };
    for (const name of ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"]) Object.assign(env, { [name]: empty() });
    const host = spawn("opencode", ["serve", "--port", "0"], { cwd: project.top, env, stdio: ["ignore", "pipe", "ignore"] });
    const at = await new Promise<string>((found) => {
      let said = "";
      host.stdout.on("data", (piece) => {
        const address = /listening on (http\S+)/.exec((said += piece))?.[1];
        if (address) found(address);
      });
    });
    const post = async (path: string, body: object): Promise<any> => {
      const answer = await fetch(at + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
      assert.equal(answer.status, 200, path);
      return answer.json();
    };
    const { id } = await post("/session", {});
    await post(`/session/${id}/message`, { model: { providerID: "none", modelID: "m" }, parts: [{ type: "text", text: "Hello." }] });
    host.kill();
  });
  assert.equal(results.length, calls.length);
  assert.match(results[0] ?? "", /print\(1\)/);
  assert.match(results[2] ?? "", /`a\.lock` is protected/);
  assert.deepEqual(["a.py", "a.lock", "src/c.py"].map((name) => project.text(name)), ["print(9)\nprint(2)\n", undefined, "x\n"]);
});

/** Loads the plug-in as version 2 does, and returns how it has calls checked. */
async function second(directory: string): Promise<(tool: string, input: unknown) => Promise<void>> {
  const callbacks: ((event: { tool: string; input: unknown }) => Promise<void>)[] = [];
  assert.equal(typeof plugin.id, "string");
  await plugin.setup({
    location: { directory },
    tool: {
      async hook(name, callback) {
        assert.equal(name, "execute.before");
        callbacks.push(callback);
      },
    },
  });
  return async (tool, input) => {
    for (const callback of callbacks) await callback({ tool, input });
  };
}

test("2: each call that edits is checked before it is made", async () => {
  const project = new Project();
  const link = join(empty(), "link");
  symlinkSync(project.top, link);
  const edit = (path: string, oldString: string) => ({ path, oldString, newString: "x" });
  for (const [from, tool, input, refused] of [
    ["", "edit", edit("a.py", "print(1)"), undefined],
    ["", "edit", edit("a.py", "print(7)"), /print\(1\)/],
    ["", "edit", edit(join(link, "src/b.py"), "print(3)"), undefined],
    ["", "edit", edit(join(link, "src/b.py"), "print(7)"), /print\(3\)/],
    ["src", "edit", edit("b.py", "print(3)"), undefined],
    ["src", "edit", edit("../a.py", "print(7)"), /print\(1\)/],
    ["", "write", { path: "new/deeper/c.py", content: "pass\n" }, undefined],
    ["", "write", { path: "a.lock", content: "" }, /protected/],
    ["", "write", { path: ".git/hooks/pre-commit", content: "" }, /git's own/],
    ["src", "patch", { patchText: patch("b.py", "3") }, undefined],
    ["src", "patch", { patchText: patch("b.py", "7") }, /print\(3\)/],
    ["", "apply_patch", patch("a.py", "7"), /print\(1\)/],
    // What isn't an edit, isn't known here, or is in no repository.
    ["", "read", { path: "a.lock" }, undefined],
    ["", "shell", { command: "touch a.lock" }, undefined],
    ["", "edit", { file: "a.lock" }, undefined],
    ["", "write", undefined, undefined],
    ["", "write", { path: join(empty(), "a.lock"), content: "" }, undefined],
  ] as const) {
    const check = await second(project.path(from));
    const done = check(tool, input);
    await (refused ? assert.rejects(done, refused) : assert.doesNotReject(done));
  }
});

test("a host that knows less, or has no program, is left as it is", async (t) => {
  const project = new Project();
  for (const host of [{}, { location: { directory: project.top } }, { tool: {} }, { location: { directory: project.top }, tool: {} }]) {
    await plugin.setup(host);
  }
  const check = await second(project.top);
  const { PATH } = process.env;
  t.after(() => Object.assign(process.env, { PATH }));
  process.env["PATH"] = empty();
  const told = t.mock.method(console, "warn", () => {});
  assert.deepEqual(await first.server({ directory: project.top } as PluginInput), {});
  await check("write", { path: "a.lock", content: "" });
  assert.equal(told.mock.callCount(), 2);
});
