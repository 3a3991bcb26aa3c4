import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
// Types only, so that it is one file for pi under either name that it had on npm.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

interface Done {
  readonly status: number | null;
  readonly printed: string;
  readonly said: string;
}

/** Runs a program with a text on its standard input. Rejects if it can't be started. */
function run(program: string, args: readonly string[], text: string, cwd: string, signal?: AbortSignal): Promise<Done> {
  return new Promise((done, reject) => {
    const child = spawn(program, args, { cwd, ...(signal && { signal }) });
    const [printed, said]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on("data", (piece: Buffer) => printed.push(piece));
    child.stderr.on("data", (piece: Buffer) => said.push(piece));
    child.on("error", reject);
    child.on("close", (status) => done({ status, printed: Buffer.concat(printed).toString(), said: Buffer.concat(said).toString() }));
    child.stdin.on("error", () => {});
    child.stdin.end(text);
  });
}

/** Runs git llmpatch with a response whose paths start at a directory. */
async function llmpatch(args: readonly string[], response: string, directory: string, signal?: AbortSignal): Promise<Done> {
  const prefix = (await run("git", ["rev-parse", "--show-prefix"], "", directory, signal)).printed.slice(0, -1);
  return run("git-llmpatch", [...args, ...(prefix ? [`--directory=${prefix}`] : [])], response, directory, signal);
}

/** Returns the file that a call names, as pi understands the name. */
function named(path: string, cwd: string): string {
  return resolve(cwd, path.replace(/^@/, "").replace(/^~(?=\/|$)/, homedir()));
}

/** Returns why git llmpatch refuses a call of `edit` or `write`, if it does. */
async function refusal(input: object, cwd: string, signal?: AbortSignal): Promise<string | undefined> {
  const { path } = input as { readonly path?: unknown };
  if (typeof path !== "string") return undefined;
  const file = named(path, cwd);
  let from = dirname(file);
  while (!existsSync(from)) from = dirname(from);
  if ((await run("git", ["rev-parse", "--git-dir"], "", from, signal)).status !== 0) return undefined;
  // A file that is written anew may be there, and an edit may be one that changes nothing.
  const done = await llmpatch(["check", "--feedback", "--overwrite", "--allow-empty"], JSON.stringify({ ...input, path: file }), from, signal);
  return done.status === 1 ? done.printed : undefined;
}

export default async function (pi: ExtensionAPI): Promise<void> {
  const missing = await run("git-llmpatch", ["--version"], "", process.cwd()).then(() => undefined, ({ message }: Error) => message);
  if (missing !== undefined) {
    pi.on("session_start", (_, { ui }) => ui.notify(`git llmpatch can't be run, so edits aren't checked by it: ${missing}`, "warning"));
    return;
  }

  pi.on("tool_call", async ({ toolName, input }, { cwd, signal }) => {
    if (!["edit", "write"].includes(toolName)) return undefined;
    // A handler that fails would keep pi from making the edit.
    const reason = await refusal(input, cwd, signal).catch(() => undefined);
    return reason === undefined ? undefined : { block: true, reason };
  });

  pi.registerTool({
    name: "apply_patch",
    label: "apply_patch",
    description: "Applies a patch to files, all of it or nothing: `*** Begin Patch` to `*** End Patch`. Old lines must be in the files byte for byte.",
    parameters: { type: "object", properties: { patch: { type: "string", description: "The whole patch" } }, required: ["patch"] },
    async execute(_, parameters, signal, _update, { cwd }) {
      const { patch } = parameters as { readonly patch: string };
      const done = await llmpatch(["apply", "--feedback"], patch, cwd, signal);
      if (done.status !== 0) throw new Error(done.printed || done.said);
      return { content: [{ type: "text", text: done.printed }], details: undefined };
    },
  });
}
