// For Node, and whatever else reads files as Node does.

import { readFile } from "node:fs/promises";
import { library } from "./library.js";

const module = await WebAssembly.compile(await readFile(new URL("./llmpatch.wasm", import.meta.url)));

export const { apply, applyAsync } = await library(module);
