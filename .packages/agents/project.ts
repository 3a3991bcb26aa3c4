// What the tests of examples/agents share: a project to edit, and a program that is run in it. EXAMPLES is where the examples are.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const examples = process.env["EXAMPLES"] ?? "";

/** Makes an empty directory. */
export const empty = (): string => mkdtempSync(join(tmpdir(), "agents."));

/** Text that makes a file wherever a shell takes it for a part of a script. */
export const hostile = "$(>executed) `>executed` ';>executed;' \";>executed;\" & >executed\n>executed\n";

/** A repository with some files, in which `*.lock` is protected. */
export class Project {
  readonly top = empty();

  constructor() {
    spawnSync("git", ["init", "-q", this.top]);
    spawnSync("git", ["config", "llmpatch.protect", "*.lock"], { cwd: this.top });
    mkdirSync(this.path("src"));
    writeFileSync(this.path("a.py"), "print(1)\nprint(2)\n");
    writeFileSync(this.path("src/b.py"), "print(3)\n");
  }

  path(name: string): string {
    return join(this.top, name);
  }

  text(name: string): string | undefined {
    return existsSync(this.path(name)) ? readFileSync(this.path(name), "utf8") : undefined;
  }

  /** Runs a host to its end, with a home of its own, and returns what it said. */
  async run(command: readonly string[], environment: { readonly [name: string]: string }): Promise<string> {
    const [program = "", ...args] = command;
    const env = { ...process.env, HOME: empty(), ...environment };
    const child = spawn(program, args, { cwd: this.top, env, stdio: ["ignore", "pipe", "pipe"], timeout: 120_000 });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (said += piece));
    await new Promise((done) => child.on("close", done));
    return said;
  }
}

/** Returns the patch that changes one line of a file. */
export const patch = (file: string, old: string): string => `*** Begin Patch\n*** Update File: ${file}\n-print(${old})\n+print(9)\n*** End Patch\n`;
