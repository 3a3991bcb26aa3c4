// The lines for Codex's configuration, in Codex.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { type Call, model } from "./model.js";
import { Project, empty, examples, patch } from "./project.js";

/** A home of Codex's with our lines, for a project that is trusted. */
function home({ top }: Project, lines = ""): string {
  const home = empty();
  const trusted = `[projects."${top}"]\ntrust_level = "trusted"\n`;
  writeFileSync(join(home, "config.toml"), `${lines}${trusted}${readFileSync(join(examples, "codex/config.toml"), "utf8")}`);
  return home;
}

/** Asks Codex's server something, and returns its answer. */
async function ask(project: Project, method: string, params: object): Promise<any> {
  const env = { ...process.env, CODEX_HOME: home(project) };
  const child = spawn("codex", ["app-server"], { cwd: project.top, env, stdio: ["pipe", "pipe", "ignore"] });
  const say = (message: object): boolean => child.stdin.write(`${JSON.stringify(message)}\n`);
  say({ id: 1, method: "initialize", params: { clientInfo: { name: "try", title: "try", version: "1" } } });
  say({ method: "initialized" });
  say({ id: 2, method, params });
  for await (const line of createInterface(child.stdout)) {
    const { id, result } = JSON.parse(line);
    if (id !== 2) continue;
    child.kill();
    return result;
  }
}

test("it reads the lines", async () => {
  const project = new Project();
  const { data: [{ hooks, warnings, errors }] } = await ask(project, "hooks/list", { cwds: [project.top] });
  assert.deepEqual([warnings, errors], [[], []]);
  assert.deepEqual(hooks.map((hook: { eventName: string; matcher: string }) => [hook.eventName, hook.matcher]), [["preToolUse", "^apply_patch$"]]);
});

async function patched(name: string, call: (patch: string) => Call): Promise<void> {
  const project = new Project();
  const calls = [patch("a.py", "7"), "*** Begin Patch\n*** Add File: a.lock\n+x\n*** End Patch", patch("a.py", "1")].map(call);
  const results = await model(calls, (url) => {
    const lines = `model = "${name}"\nmodel_provider = "none"\n[model_providers.none]\nname = "none"\nbase_url = "${url}/v1"\nwire_api = "responses"\n`;
    const options = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"];
    return project.run(["codex", "exec", ...options, "Hello."], { CODEX_HOME: home(project, lines) });
  });
  assert.equal(results.length, calls.length);
  assert.match(results[0] ?? "", /print\(1\)/);
  assert.match(results[1] ?? "", /`a\.lock` is protected/);
  assert.deepEqual(["a.py", "a.lock"].map((file) => project.text(file)), ["print(9)\nprint(2)\n", undefined]);
}

test("it asks the hook before each patch of a model that calls tools", () => patched("gpt-5.5", (input) => ({ name: "apply_patch", input })));

test("it asks the hook before each patch of a model that writes scripts, as its newest do", async () => {
  const { data } = await ask(new Project(), "model/list", {});
  const { model: newest } = data.find(({ isDefault }: { isDefault: boolean }) => isDefault);
  await patched(newest, (text) => ({ name: "exec", input: `text(String(await tools.apply_patch(${JSON.stringify(text)})))` }));
});
