import { spawn } from "node:child_process";
import { relative } from "node:path";
import { tool, type Plugin, type ToolContext } from "@opencode-ai/plugin";

/** What is used here of what `git llmpatch check --json` prints. */
interface Look {
  readonly status: "checked" | "failed";
  readonly plan: string | null;
  readonly files: readonly { readonly path: string }[];
  readonly errors: readonly { readonly message: string }[];
  readonly feedback: string | null;
}

/** Runs git llmpatch with a response, and returns what it prints. Rejects with what it says if it is to print no document and fails. */
function llmpatch(args: readonly string[], response: string, { directory, worktree, abort }: ToolContext): Promise<string> {
  return new Promise((resolve, reject) => {
    const from = relative(worktree, directory);
    const child = spawn("git", ["llmpatch", ...args, ...(from ? [`--directory=${from}`] : [])], { cwd: directory, signal: abort });
    const [printed, said]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on("data", (piece: Buffer) => printed.push(piece));
    child.stderr.on("data", (piece: Buffer) => said.push(piece));
    child.on("error", reject);
    child.on("close", (status) => {
      if (status === 0 || printed.length > 0) resolve(Buffer.concat(printed).toString());
      else reject(new Error(Buffer.concat(said).toString().trim()));
    });
    child.stdin.on("error", () => {});
    child.stdin.end(response);
  });
}

/** Checks a response, asks, and makes just the change that was asked about. */
async function make(response: string, context: ToolContext): Promise<string> {
  const look = JSON.parse(await llmpatch(["check", "--json", "--feedback"], response, context)) as Look;
  if (look.status === "failed") throw new Error(look.feedback ?? look.errors.map(({ message }) => message).join("\n"));
  const diff = await llmpatch(["diff"], response, context);
  await context.ask({ permission: "edit", patterns: look.files.map(({ path }) => path), always: ["*"], metadata: { diff } });
  return llmpatch(["apply", `--expect=${look.plan}`], response, context);
}

const { string, boolean } = tool.schema;

export const GitLlmpatch: Plugin = async () => ({
  tool: {
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
  },
});
