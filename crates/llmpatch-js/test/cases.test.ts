// The cases, and random responses that the program was asked about: what `.packages/cases.py` prints, in the files that
// LISTED_CASES and RANDOM_CASES name.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { apply, type Content, type Document, type Options, type Result, type Source } from "llmpatch";

interface Written {
  readonly text?: string;
  readonly bytes?: string;
  readonly executable?: boolean;
  readonly link?: boolean;
}

interface Case {
  readonly name: string;
  readonly request: { readonly response: Written; readonly files: Record<string, Written>; readonly options: Options };
  readonly after: Record<string, Written> | null;
  readonly is_blamed: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly is_counted: boolean;
  readonly document: Document;
}

function lines(file: string | undefined): Case[] {
  return file === undefined ? [] : readFileSync(file, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as Case);
}

function content({ text, bytes }: Written): Content {
  return text ?? Buffer.from(bytes ?? "", "base64");
}

function source(file: Written): Source {
  return file.link ? { link: true } : { content: content(file), executable: file.executable ?? false };
}

/** Options as JavaScript names them. */
function named(options: Options): Options {
  const camel = (name: string) => name.replace(/_(.)/g, (_, initial: string) => initial.toUpperCase());
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [camel(name), value]));
}

function asked({ request: { response, files, options: written } }: Case): Result {
  const options = named(written);
  const given = new Map(Object.entries(files).map(([path, file]) => [path, source(file)]));
  const result = apply(content(response), given, options);
  // What is read when it is needed comes to the same, unless something is said of files that aren't.
  const read = apply(content(response), (path) => given.get(path), options);
  if (result.status !== "failed") assert.deepEqual(read.changed, result.changed);
  return result;
}

function latin1(content: Content): string {
  const bytes = typeof content === "string" ? Buffer.from(content) : content as Uint8Array;
  return Buffer.from(bytes).toString("latin1");
}

function plain(files: Iterable<[string, Source]>): Record<string, string> {
  const told = ([path, file]: [string, Source]): [string, string] => {
    return [path, file.link ? "link" : `${file.executable} ${latin1(file.content)}`];
  };
  return Object.fromEntries([...files].map(told));
}

describe("cases", () => {
  for (const one of lines(process.env["LISTED_CASES"])) {
    test(one.name, () => {
      const result = asked(one);
      if (one.after === null) {
        assert.equal(result.status, "failed");
        assert.equal(result.feedback !== null, one.is_blamed);
      } else {
        const files = new Map(Object.entries(one.request.files).map(([path, file]) => [path, source(file)]));
        for (const { path, content, executable } of result.changed) {
          if (content === null) files.delete(path);
          else files.set(path, { content, executable });
        }
        assert.deepEqual(plain(files), plain(Object.entries(one.after).map(([path, file]) => [path, source(file)])));
      }
      for (const [told, kinds] of [[result.errors, one.errors], [result.warnings, one.warnings]] as const) {
        const said = [...new Set(told.map(({ kind }) => kind))].sort();
        if (!one.is_counted) assert.deepEqual(said, kinds);
      }
    });
  }
});

test("what the program says of random responses", () => {
  for (const one of lines(process.env["RANDOM_CASES"])) {
    const { changed, ...document } = asked(one);
    assert.deepEqual(document, one.document, one.name);
  }
});
