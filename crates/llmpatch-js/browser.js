// For browsers. Not every file server says that a .wasm file is one, so the type isn't looked at.

import { library } from "./library.js";

const fetched = await fetch(new URL("./llmpatch.wasm", import.meta.url));
if (!fetched.ok) throw new Error(`llmpatch.wasm: ${fetched.status} ${fetched.statusText}`);

export const { apply, applyAsync } = await library(await WebAssembly.compile(await fetched.arrayBuffer()));
