import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
// Types only: each major has a package of its own, and a host that can't find the other's would reject the file.
import type { Hooks, PluginInput, ToolContext } from "@opencode-ai/plugin";

/** What is used here of what `git llmpatch check --json` prints. */
interface Look {
  readonly status: "checked" | "failed";
  readonly plan: string | null;
  readonly files: readonly { readonly path: string }[];
  readonly errors: readonly { readonly message: string }[];
  readonly feedback: string | null;
}

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

/** Returns what git llmpatch prints. Rejects with what it says if it prints no document and fails. */
async function printed(args: readonly string[], response: string, { directory, abort }: ToolContext): Promise<string> {
  const done = await llmpatch(args, response, directory, abort);
  if (done.status !== 0 && !done.printed) throw new Error(done.said.trim());
  return done.printed;
}

/** Checks a response, asks, and makes just the change that was asked about. */
async function make(response: string, context: ToolContext): Promise<string> {
  const look = JSON.parse(await printed(["check", "--json", "--feedback"], response, context)) as Look;
  if (look.status === "failed") throw new Error(look.feedback ?? look.errors.map(({ message }) => message).join("\n"));
  const diff = await printed(["diff"], response, context);
  await context.ask({ permission: "edit", patterns: look.files.map(({ path }) => path), always: ["*"], metadata: { diff } });
  return printed(["apply", `--expect=${look.plan}`], response, context);
}

/** Returns the tools that take the place of OpenCode 1's own. */
function tools({ tool }: typeof import("@opencode-ai/plugin")) {
  const { string, boolean } = tool.schema;
  return {
    edit: tool({
      description: "Replaces text of a file. The old text must be in the file byte for byte, and in one place only unless replaceAll is set.",
      args: {
        filePath: string().describe("The file"),
        oldString: string().describe("The text to replace"),
        newString: string().describe("The text to put in its place"),
        replaceAll: boolean().optional().describe("Replace it wherever it is"),
      },
      execute: (args, context) => make(JSON.stringify(args), context),
    }),
    apply_patch: tool({
      description: "Applies a patch to files, all of it or nothing: `*** Begin Patch` to `*** End Patch`. Old lines must be in the files byte for byte.",
      args: { patchText: string().describe("The whole patch") },
      execute: ({ patchText }, context) => make(patchText, context),
    }),
  } satisfies NonNullable<Hooks["tool"]>;
}

/** Says that edits aren't checked, and why. */
function unchecked({ message }: Error): void {
  console.warn(`git llmpatch can't be run, so edits aren't checked by it: ${message}`);
}

/** Returns what a call asks for, as a response, and the directory to check it in. */
function asked(input: unknown, directory: string): { readonly response: string; readonly from: string } | undefined {
  const { patchText, path, filePath, ...rest } = Object(input) as { readonly [member: string]: unknown };
  const patch = typeof input === "string" ? input : patchText;
  if (typeof patch === "string") return { response: patch, from: directory };
  const name = path ?? filePath;
  if (typeof name !== "string") return undefined;
  const file = resolve(directory, name);
  let from = dirname(file);
  while (!existsSync(from)) from = dirname(from);
  return { response: JSON.stringify({ path: file, ...rest }), from };
}

/** Rejects a call that edits files if git llmpatch refuses it. Outside of a repository, and without the program, nothing is refused. */
async function check(tool: string, input: unknown, directory: string): Promise<void> {
  const call = ["edit", "write", "patch", "apply_patch"].includes(tool) ? asked(input, directory) : undefined;
  if (!call) return;
  const inside = await run("git", ["rev-parse", "--git-dir"], "", call.from).catch(unchecked);
  if (inside?.status !== 0) return;
  // A file that is written anew may be there, and an edit may be one that changes nothing.
  const done = await llmpatch(["check", "--feedback", "--overwrite", "--allow-empty"], call.response, call.from).catch(unchecked);
  if (done?.status === 1) throw new Error(done.printed);
}

/** What is used here of what OpenCode 2 hands to a plug-in. Its betas have less. */
interface Host {
  readonly options?: unknown;
  readonly location?: { readonly directory: string };
  readonly tool?: {
    hook?(name: "execute.before", callback: (event: { readonly tool: string; readonly input: unknown }) => Promise<void>): Promise<unknown>;
  };
}

export default {
  id: "git-llmpatch",

  /** OpenCode 1 calls this. */
  async server({ directory }: Pick<PluginInput, "directory">): Promise<Hooks> {
    const there = await run("git-llmpatch", ["--version"], "", directory).catch(unchecked);
    if (!there) return {};
    // It installs the package from npm, so there may be none; what isn't made here is checked.
    const tool = await import("@opencode-ai/plugin").then(tools, () => ({}));
    return { tool, "tool.execute.before": async (call, { args }) => (call.tool in tool ? undefined : check(call.tool, args, directory)) };
  },

  /** OpenCode 2 calls this. A tool of a plug-in can't ask there, so the tools stay OpenCode's own. */
  async setup({ location, tool }: Host): Promise<void> {
    if (location) await tool?.hook?.("execute.before", (call) => check(call.tool, call.input, location.directory));
  },
};
