// Makes index.html, beside this file, of page.html: `node docs/try/build.mjs llmpatch.wasm`. It asks for nothing else when it is shown, so it can be
// put on any file server, or opened from a disk.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const here = (path) => new URL(path, import.meta.url);
const read = (path) => readFileSync(here(path), "utf8");
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const [, example] = read("../../README.md").match(/^```text\n(.*?)^```$/ms);
const style = read("page.css");
const script = `${read("../../crates/llmpatch-js/library.js").replace("export async function library", "async function library")}\n${read("page.js")}`;
const wasm = gzipSync(readFileSync(process.argv[2]), { level: 9 }).toString("base64");
// No address of another place can be in here by mistake: the browser wouldn't ask for it.
const policy = `default-src 'none'; img-src data:; style-src ${hash(style)}; script-src ${hash(script)} 'wasm-unsafe-eval'; base-uri 'none'; form-action 'none'`;

const put = (page, place, text) => {
  if (page.split(place).length !== 2) throw new Error(`page.html has no, or several ${place}`);
  return page.replace(place, () => text);
};
let page = read("page.html");
page = put(page, '<meta charset="utf-8">', `<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${policy}">`);
page = put(page, "<style></style>", `<style>${style}</style>`);
page = put(page, 'autocapitalize="off"></textarea>', `autocapitalize="off">\n${escaped(example)}</textarea>`);
page = put(page, '<script type="text/plain" id="wasm"></script>', `<script type="text/plain" id="wasm">${wasm}</script>`);
page = put(page, '<script type="module"></script>', `<script type="module">${script}</script>`);
writeFileSync(here("index.html"), page);
console.log(`index.html: ${Math.ceil(page.length / 1024)} KiB`);
