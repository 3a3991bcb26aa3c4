/** Works out what a language model's response makes of files: all of it, or a refusal with a message for the model. */

import type { Document } from "./document.js";

export type * from "./document.js";

/** Text, or bytes in any view or buffer. Half of a character (a lone surrogate) is an error: no file could hold it. */
export type Content = string | ArrayBufferView | ArrayBufferLike;

/** A file that isn't plain. It has no other members. */
export type Source =
  | { readonly content: Content; readonly executable?: boolean; readonly link?: false }
  /** A symbolic link, which no response may touch. */
  | { readonly content?: Content; readonly executable?: boolean; readonly link: true };

/** What a file holds. */
export type Given = Content | Source;

/** Files by their paths, relative and with `/`. The object has no class, and each of its members is a file. */
export type Files = Readonly<Record<string, Given>> | ReadonlyMap<string, Given>;

/** Returns the file at a path, and nothing where there is none, or a directory. It is asked for each path once. */
export type Read = (path: string) => Given | null | undefined;

export type ReadAsync = (path: string) => Given | null | undefined | Promise<Given | null | undefined>;

/** How a response is read, and what it may do; each as in git-llmpatch-apply(1), in camel case. */
export interface Options {
  /** What messages call the response. */
  readonly name?: string;
  readonly format?: "envelope" | "opx" | "unified" | "blocks" | "tool" | "files";
  /** The file of search/replace blocks that name none. */
  readonly file?: string;
  /** How many directories are taken off the names in a diff (`-p`). */
  readonly strip?: number;
  readonly recount?: boolean;
  readonly directory?: string;
  /** The absolute path of the files' top: absolute paths below it are paths of files. */
  readonly top?: string;
  readonly rootIs?: readonly string[];
  /** Directories for OPX `root=`, by name (`llmpatch.root.<name>`). */
  readonly roots?: Readonly<Record<string, string>>;
  readonly strict?: boolean;
  readonly unique?: boolean;
  readonly fuzz?: "exact" | "trailing" | "indent" | "unicode";
  readonly overwrite?: boolean;
  readonly allowEmpty?: boolean;
  /** Pathspecs: a response that touches anything else is refused. */
  readonly limit?: readonly string[];
  /** Pathspecs: a response that touches any of it is refused (`llmpatch.protect`). */
  readonly protect?: readonly string[];
  readonly lints?: Readonly<Record<string, "allow" | "warn" | "error">>;
  /** Names that differ only in case are one file. */
  readonly ignoreCase?: boolean;
  /** The files are on Windows: names that no file has there are refused, such as `nul` and `c:x`, and `a\b` is `a/b`. */
  readonly windows?: boolean;
  /** Every file of the document has its `diff`. */
  readonly diff?: boolean;
}

/** What becomes of a file. */
export interface Change {
  readonly path: string;
  /** All that it holds; `null` if it is deleted. */
  readonly content: Uint8Array | null;
  /** All that it holds, as text; `null` if it is deleted, or isn't UTF-8. */
  readonly text: string | null;
  readonly executable: boolean;
}

/** What `git llmpatch check --json --feedback` prints, and the files as they become: none if the response is refused. */
export type Result = Document & { readonly changed: readonly Change[] };

/**
 * Works out what a response makes of files, and writes nothing. `files` are all that there are, or a function that reads one.
 * Of a refusal, `status` is "failed", and `feedback` is what to send back to the model.
 * Throws a `TypeError` if the response, a file, a path or an option is something else than these types say, or its value is wrong. A response
 * that names a file by bytes that aren't UTF-8 is refused.
 */
export function apply(response: Content, files: Files | Read, options?: Options): Result;

/** As `apply`, where reading a file takes a while. */
export function applyAsync(response: Content, files: Files | ReadAsync, options?: Options): Promise<Result>;
