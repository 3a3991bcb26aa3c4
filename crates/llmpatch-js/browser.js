// For browsers. Not every file server says that a .wasm file is one, so the answer's type isn't looked at.

import { library } from "./library.js";

const answer = await fetch(new URL("./llmpatch.wasm", import.meta.url));
if (!answer.ok) throw new Error(`llmpatch.wasm: ${answer.status} ${answer.statusText}`);

export const { apply, applyAsync } = await library(await WebAssembly.compile(await answer.arrayBuffer()));
