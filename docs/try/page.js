// The page: what is typed goes to the library, and what it says is shown. `library` is that of crates/llmpatch-js.

const find = (id) => document.getElementById(id);
const [files, response, summary, result, told, outcome] = ["files", "response", "summary", "result", "told", "outcome"].map(find);
const template = files.firstElementChild.cloneNode(true);
// After a reload, browsers fill fields in with what was typed before.
for (const field of document.querySelectorAll("input, textarea, select")) field.autocomplete = "off";
for (const field of files.querySelectorAll("textarea, input")) field.value = field.defaultValue;
response.value = response.defaultValue;
const example = state();
let apply;

/** One change in every format, and what is refused: a name of a button, a response, and a format that isn't detected. */
const EXAMPLES = [
  ["Envelope", example.response],
  ["Unified diff", `\
--- a/src/net.py
+++ b/src/net.py
@@ -1,2 +1,2 @@
 def connect(host):
-    return dial(host, timeout=30000)
+    return dial(host, timeout=30)
`],
  // No marker begins a line of this file.
  ["Search/replace", ["src/net.py", "<<<<<<< SEARCH", "    return dial(host, timeout=30000)", "=======", "    return dial(host, timeout=30)", ">>>>>>> REPLACE", ""].join("\n")],
  ["Tool call", `${JSON.stringify({ path: "src/net.py", old_string: "timeout=30000", new_string: "timeout=30" }, null, 2)}\n`],
  ["OPX", `\
<edit file="src/net.py" op="patch">
  <why>The timeout is in seconds.</why>
  <find>
<<<
    return dial(host, timeout=30000)
>>>
  </find>
  <put>
<<<
    return dial(host, timeout=30)
>>>
  </put>
</edit>
`],
  ["Whole file", "src/retry.py\n```python\ndef retry(call):\n    return call() or call()\n```\n", "files"],
  ["A refusal", example.response.replace("30000", "3000")],
];

/** Returns what is in the fields. */
function state() {
  const written = [...files.children].map((file) => [part(file, "path").value, part(file, "content").value]);
  return { files: written, response: response.value, format: find("format").value, fuzz: find("fuzz").value, unique: find("unique").checked };
}

function part(file, name) {
  return file.querySelector(`[name="${name}"]`);
}

/** Puts a state into the fields. */
function show({ files: written, response: text, format = "", fuzz = "", unique = false }) {
  files.replaceChildren();
  for (const [path, content] of written) add(path, content);
  response.value = text;
  find("format").value = format;
  find("fuzz").value = fuzz;
  find("unique").checked = unique;
}

function add(path, content) {
  const file = template.cloneNode(true);
  part(file, "path").value = path;
  part(file, "content").value = content;
  files.append(file);
  number();
  return file;
}

function number() {
  [...files.children].forEach((file, index) => {
    file.querySelector("legend").textContent = `File ${index + 1}`;
    part(file, "remove").textContent = `Remove file ${index + 1}`;
  });
}

/** Makes an element with children. */
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Works the result out and shows it. */
function run() {
  const { files: written, response: text, format, fuzz, unique } = state();
  outcome.className = "";
  const options = { name: "response", unique, diff: true, ...(format && { format }), ...(fuzz && { fuzz }) };
  let done;
  try {
    done = apply(text, new Map(written.filter(([path]) => path !== "")), options);
  } catch (error) {
    say(String(error.message));
    result.replaceChildren();
    return;
  }
  const isRefused = done.status === "failed";
  const shown = isRefused ? forTheModel(done.feedback) : done.files.flatMap(diff);
  result.replaceChildren(...done.messages.flatMap(drawn), ...shown);
  outcome.className = isRefused ? "refused" : "applies";
  say(isRefused ? `Refused: ${count(done.errors, "error")}. Nothing changes.` : `Applies: ${count(done.files, "file")} changed.`);
}

function say(text) {
  // What is said again isn't read out again.
  if (summary.textContent !== text) summary.textContent = text;
}

function count(all, noun) {
  return `${all.length} ${noun}${all.length === 1 ? "" : "s"}`;
}

function diff({ path, operation, diff }) {
  // Above the first hunk, `-` and `+` begin names.
  let isInHunk = false;
  const lines = (diff ?? "A binary file.").replace(/\n$/, "").split("\n").map((line) => {
    isInHunk ||= line.startsWith("@@ ");
    const name = (isInHunk && { "+": "ins", "-": "del" }[line[0]]) || "span";
    return element(name, {}, `${line}\n`);
  });
  return [element("h3", {}, `${path}: ${operation}`), element("pre", { tabindex: "0", role: "region", "aria-label": `Diff of ${path}` }, ...lines)];
}

/** Returns the message that is to be sent back, if there is one, and what copies it. */
function forTheModel(feedback) {
  if (feedback === null) return [];
  const copy = element("button", { type: "button", id: "copy" }, "Copy the message for the model");
  copy.addEventListener("click", () => copied(feedback));
  return [
    element("h3", {}, "What to send back to the model"),
    copy,
    element("pre", { tabindex: "0", role: "region", "aria-label": "Message for the model", class: "prose" }, feedback),
  ];
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    told.textContent = "Copied.";
  } catch {
    told.textContent = "It couldn't be copied: the browser doesn't let the page do that.";
  }
}

/** Draws an error or a warning as it is at a terminal, with a way to the line of the response. */
function drawn({ kind, warning, headline, places, notes, help }) {
  const tone = warning ? "warning" : "error";
  const said = (word, text) => [element("span", { class: "more" }, word), element("span", { class: "said" }, `: ${text}\n`)];
  const all = places.map((place) => [place.caption === "" ? [] : said("note", place.caption), lines(place)]);
  const text = [element("span", { class: "tone" }, `${tone}[${kind}]`), element("b", { class: "said" }, `: ${headline}`), "\n", ...all.flat(3)];
  text.push(...notes.flatMap((note) => said("note", note)), ...(help === null ? [] : said("help", help)));
  const shown = [element("pre", { tabindex: "0", role: "region", "aria-label": `${tone}: ${headline}`, class: `message ${tone}` }, ...text)];
  const line = places.find((place) => place.of_response)?.lines[0].line;
  if (line !== undefined) {
    const button = element("button", { type: "button", name: "line" }, `Go to line ${line} of the response`);
    button.addEventListener("click", () => select(line));
    shown.push(button);
  }
  return shown;
}

/** Draws lines behind a rule, with marks below what is meant. */
function lines({ file, column, lines: all }) {
  const digits = Math.max(...all.map(({ line }) => String(line).length));
  const rule = (number = "") => element("span", { class: "rule" }, `${String(number).padStart(digits)} | `);
  // A heading is above the line that is meant.
  const { line: first } = all.find(({ label, parts }) => label !== "" || parts[1] !== "") ?? all[0];
  const drawn = [element("span", { class: "rule" }, `${" ".repeat(digits)}--> `), `${file}:${first}:${column}\n`, rule(), "\n"];
  let last;
  for (const { line, parts, label } of all) {
    const [before, marked, behind] = parts.map((part) => part.replaceAll("\t", "    "));
    if (last !== undefined && line !== last + 1) drawn.push("...\n");
    drawn.push(rule(line), `${before}${marked}${behind}\n`);
    if (label !== "" || marked !== "" || all.length === 1) {
      const mark = element("b", {}, `${"^".repeat(Math.max(1, [...marked].length))} ${label}`.trimEnd());
      drawn.push(rule(), element("span", { class: "hidden", "aria-hidden": "true" }, before), mark, "\n");
    }
    last = line;
  }
  return drawn;
}

/** Selects a line of the response. */
function select(line) {
  const lines = response.value.split("\n");
  const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  response.focus();
  response.setSelectionRange(start, start + (lines[line - 1] ?? "").length);
}

/** Returns bytes as they come out of a stream that they are sent through. */
async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

function fromBase64(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
}

async function packed(value) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(value)), new CompressionStream("deflate-raw"));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(text) {
  return JSON.parse(new TextDecoder().decode(await through(fromBase64(text), new DecompressionStream("deflate-raw"))));
}

/** Shows what the address has, or else the example. */
async function load() {
  let shown = example;
  try {
    if (location.hash.length > 1) shown = await unpacked(location.hash.slice(1));
    show(shown);
  } catch {
    show(example);
    told.textContent = "The address has been cut or altered: the example is shown.";
  }
  run();
}

let waiting;
let address = location.hash;

async function changed() {
  run();
  const now = state();
  const hash = JSON.stringify(now) === JSON.stringify(example) ? "" : `#${await packed(now)}`;
  address = hash;
  history.replaceState(null, "", hash || location.pathname + location.search);
}

function later() {
  clearTimeout(waiting);
  waiting = setTimeout(changed, 250);
}

document.addEventListener("input", later);
document.addEventListener("change", later);
addEventListener("hashchange", () => location.hash !== address && load());
files.addEventListener("click", ({ target }) => {
  if (target.name !== "remove") return;
  const file = target.closest("fieldset");
  const next = file.nextElementSibling ?? file.previousElementSibling;
  file.remove();
  number();
  (next ? part(next, "path") : find("add")).focus();
  later();
});
find("add").addEventListener("click", () => part(add("", ""), "path").focus());
find("share").addEventListener("click", async () => {
  await changed();
  await copied(location.href);
});
for (const [name, text, format] of EXAMPLES) {
  const button = element("button", { type: "button" }, name);
  button.addEventListener("click", () => {
    show({ files: example.files, response: text, format });
    changed();
  });
  find("examples").append(button);
}

number();
const module = await through(fromBase64(find("wasm").textContent.trim()), new DecompressionStream("gzip"));
({ apply } = await library(await WebAssembly.compile(module), { messages: true }));
await load();
