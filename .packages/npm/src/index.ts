/** Checks and applies a language model's response with the program `git llmpatch`, which comes with this package. */

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Document } from "./types.js";

export type * from "./types.js";

const file = process.platform === "win32" ? "git-llmpatch.exe" : "git-llmpatch";

/** Where the program for this machine is. */
export const program = fileURLToPath(new URL(`../vendor/${process.platform}-${process.arch}/${file}`, import.meta.url));

export interface Settings {
  /** Options of the command, as on the command line. */
  readonly options?: readonly string[];
  /** A directory of the work tree; the current one by default. */
  readonly cwd?: string;
}

/** The program printed no document: its options were wrong (`status` is 2), or it was ended by a signal (`status` is null). */
export class Stopped extends Error {
  constructor(message: string, readonly status: number | null) {
    super(message);
  }
}

/**
 * Works out what a response would change, and writes nothing. Rejects with `Stopped` where there is no document, and with a `TypeError` if the
 * response is neither text nor bytes, or has half of a character (a lone surrogate).
 */
export function check(response: string | ArrayBufferView, settings?: Settings): Promise<Document> {
  return run("check", response, settings);
}

/** Makes the change that a response asks for: all of it, or nothing. Rejects as `check`. */
export function apply(response: string | ArrayBufferView, settings?: Settings): Promise<Document> {
  return run("apply", response, settings);
}

function run(command: string, response: string | ArrayBufferView, { options = [], cwd }: Settings = {}): Promise<Document> {
  return new Promise((resolve, reject) => {
    const input = bytes(response);
    const child = spawn(program, [command, "--json", "--feedback", ...options], { cwd });
    const [printed, said]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on("data", (piece: Buffer) => printed.push(piece));
    child.stderr.on("data", (piece: Buffer) => said.push(piece));
    child.on("error", reject);
    child.on("close", (status, signal) => {
      const document = Buffer.concat(printed).toString();
      if (document) resolve(JSON.parse(document) as Document);
      else reject(new Stopped(Buffer.concat(said).toString().trim() || `git-llmpatch ended with ${signal ?? status}`, status));
    });
    // With wrong options it ends before it has read anything.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

function bytes(response: string | ArrayBufferView): Uint8Array {
  if (typeof response === "string") {
    if (/\p{Surrogate}/u.test(response)) throw new TypeError("the response has half of a character (a lone surrogate)");
    return new TextEncoder().encode(response);
  }
  if (ArrayBuffer.isView(response)) return new Uint8Array(response.buffer, response.byteOffset, response.byteLength);
  throw new TypeError(`the response is neither text nor bytes, but ${Object.prototype.toString.call(response).slice(8, -1)}`);
}
