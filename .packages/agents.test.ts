// What is in examples/agents does what it says, with the types and the programs of the agents. EXAMPLES is where it is.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import type { PreToolUseHookInput } from "@anthropic-ai/claude-agent-sdk";
import type { FileEditInput, FileWriteInput } from "@anthropic-ai/claude-agent-sdk/sdk-tools.js";
import type { PluginInput, ToolContext, ToolResult } from "@opencode-ai/plugin";
import { settings } from "./hooks.js";
import { GitLlmpatch } from "./git-llmpatch.js";

const examples = process.env["EXAMPLES"] ?? "";

function project(): string {
  const top = mkdtempSync(join(tmpdir(), "agents."));
  spawnSync("git", ["init", "-q", top]);
  writeFileSync(join(top, "a.py"), "print(1)\nprint(2)\n");
  mkdirSync(join(top, "src"));
  writeFileSync(join(top, "src/b.py"), "print(3)\n");
  return top;
}

const patch = (file: string, old: string): string => `*** Begin Patch\n*** Update File: ${file}\n-print(${old})\n+print(9)\n*** End Patch\n`;

test("Claude Code: an edit that doesn't fit is refused, with what to do", () => {
  const top = project();
  assert.equal(settings.hooks?.["PreToolUse"]?.[0]?.matcher, "Edit|MultiEdit|Write");
  const asked = (tool_name: string, tool_input: FileEditInput | FileWriteInput) => {
    const input: PreToolUseHookInput = {
      session_id: "1", transcript_path: "", cwd: top, hook_event_name: "PreToolUse", tool_use_id: "1", tool_name, tool_input,
    };
    const hook = join(examples, "claude-code/hooks/check");
    return spawnSync("sh", [hook], { input: JSON.stringify(input), env: { ...process.env, CLAUDE_PROJECT_DIR: top }, encoding: "utf8" });
  };
  const file_path = join(top, "a.py");
  assert.equal(asked("Edit", { file_path, old_string: "print(1)", new_string: "print(9)" }).status, 0);
  assert.equal(asked("Edit", { file_path, old_string: "print", new_string: "echo", replace_all: true }).status, 0);
  assert.equal(asked("Write", { file_path, content: "pass\n" }).status, 0);
  assert.equal(asked("Write", { file_path: join(top, "new/c.py"), content: "pass\n" }).status, 0);
  assert.equal(asked("Edit", { file_path: "/elsewhere/a.py", old_string: "x", new_string: "y" }).status, 0);
  const refused = asked("Edit", { file_path, old_string: "print(7)", new_string: "print(9)" });
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /print\(1\)/);
  spawnSync("git", ["config", "llmpatch.protect", "*.lock"], { cwd: top });
  assert.equal(asked("Write", { file_path: join(top, "x.lock"), content: "" }).status, 2);
});

test("OpenCode: its tools are made by git llmpatch", async () => {
  const top = project();
  const { tool: tools } = await GitLlmpatch({ directory: top, worktree: top } as PluginInput);
  const asked: { readonly patterns: string[]; readonly metadata: { [key: string]: unknown } }[] = [];
  const context = (directory: string): ToolContext => ({
    sessionID: "1", messageID: "1", agent: "build", directory, worktree: top, abort: new AbortController().signal, metadata: () => {},
    ask: async (input) => void asked.push(input),
  });
  const run = async (name: string, args: { [key: string]: unknown }, directory = top): Promise<ToolResult> => {
    const made = tools?.[name];
    assert.ok(made);
    return made.execute(args as never, context(directory));
  };
  await run("edit", { filePath: join(top, "a.py"), oldString: "print(1)", newString: "print(9)" });
  assert.equal(readFileSync(join(top, "a.py"), "utf8"), "print(9)\nprint(2)\n");
  assert.deepEqual(asked[0]?.patterns, ["a.py"]);
  assert.match(String(asked[0]?.metadata["diff"]), /\n\+print\(9\)\n/);
  await run("edit", { filePath: join(top, "src/b.py"), oldString: "print(3)", newString: "print(4)" }, join(top, "src"));
  await run("apply_patch", { patchText: patch("b.py", "4") }, join(top, "src"));
  assert.equal(readFileSync(join(top, "src/b.py"), "utf8"), "print(9)\n");
  await run("edit", { filePath: join(top, "a.py"), oldString: "print", newString: "echo", replaceAll: true });
  assert.equal(readFileSync(join(top, "a.py"), "utf8"), "echo(9)\necho(2)\n");
  await assert.rejects(run("apply_patch", { patchText: patch("a.py", "7") }), /echo\(9\)/);
  await assert.rejects(run("edit", { filePath: join(top, "no.py"), oldString: "x", newString: "y" }), /no\.py/);
});

test("Codex: it reads the lines, and a patch that doesn't fit is refused", async () => {
  const top = project();
  const home = mkdtempSync(join(tmpdir(), "codex."));
  cpSync(join(examples, "codex/config.toml"), join(home, "config.toml"));
  const child = spawn("codex", ["app-server"], { cwd: top, env: { ...process.env, CODEX_HOME: home }, stdio: ["pipe", "pipe", "ignore"] });
  const say = (message: object): boolean => child.stdin.write(`${JSON.stringify(message)}\n`);
  say({ id: 1, method: "initialize", params: { clientInfo: { name: "try", title: "try", version: "1" } } });
  say({ method: "initialized" });
  say({ id: 2, method: "hooks/list", params: { cwds: [top] } });
  let command = "";
  for await (const line of createInterface(child.stdout)) {
    const message = JSON.parse(line);
    if (message.id !== 2) continue;
    const [{ hooks, warnings, errors }] = message.result.data;
    assert.deepEqual([warnings, errors], [[], []]);
    assert.deepEqual(hooks.map((hook: { eventName: string; matcher: string }) => [hook.eventName, hook.matcher]), [["preToolUse", "^apply_patch$"]]);
    command = hooks[0].command;
    break;
  }
  child.kill();
  const asked = (patch: string, cwd: string) => {
    const input = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "apply_patch", cwd, tool_input: { command: patch } });
    return spawnSync("sh", ["-c", command], { cwd, input, encoding: "utf8" });
  };
  assert.equal(asked(patch("a.py", "1"), top).status, 0);
  assert.equal(asked(patch("b.py", "3"), join(top, "src")).status, 0);
  const refused = asked(patch("a.py", "7"), top);
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /print\(1\)/);
});
