// The page: what is typed goes to the library, and what it says is shown. `library` is that of crates/llmpatch-js.

const find = (id) => document.getElementById(id);
const [files, response, summary, result, told] = ["files", "response", "summary", "result", "told"].map(find);
const template = files.firstElementChild.cloneNode(true);
// After a reload, browsers fill fields in with what was typed before.
for (const field of document.querySelectorAll("input, textarea, select")) field.autocomplete = "off";
for (const field of files.querySelectorAll("textarea, input")) field.value = field.defaultValue;
response.value = response.defaultValue;
const example = state();
let apply;

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
  const options = { name: "response", unique, diff: true, ...(format && { format }), ...(fuzz && { fuzz }) };
  let done;
  try {
    done = apply(text, new Map(written.filter(([path]) => path !== "")), options);
  } catch (error) {
    say(String(error.message));
    result.replaceChildren();
    return;
  }
  const shown = done.status === "failed" ? refusal(done) : done.files.map(diff);
  const warnings = done.warnings.length > 0 ? [element("h3", {}, "Warnings"), list(done.warnings)] : [];
  result.replaceChildren(...shown.flat(), ...warnings);
  say(done.status === "failed" ? `Refused: ${count(done.errors, "error")}. Nothing changes.` : `Applies: ${count(done.files, "file")} changed.`);
}

function say(text) {
  // What is said again isn't read out again.
  if (summary.textContent !== text) summary.textContent = text;
}

function count(all, noun) {
  return `${all.length} ${noun}${all.length === 1 ? "" : "s"}`;
}

function diff({ path, operation, diff }) {
  const lines = (diff ?? "A binary file.").replace(/\n$/, "").split("\n").map((line) => {
    const name = /^\+(?!\+\+ )/.test(line) ? "ins" : /^-(?!-- )/.test(line) ? "del" : "span";
    return element(name, {}, `${line}\n`);
  });
  return [element("h3", {}, `${path}: ${operation}`), element("pre", { tabindex: "0", role: "region", "aria-label": `Diff of ${path}` }, ...lines)];
}

function refusal({ errors, feedback }) {
  const message = feedback === null ? [] : [
    element("h3", {}, "What to send back to the model"),
    element("pre", { tabindex: "0", role: "region", "aria-label": "Message for the model", class: "prose" }, feedback),
  ];
  return [element("h3", {}, "Errors"), list(errors), ...message];
}

function list(diagnostics) {
  return element("ul", {}, ...diagnostics.map(({ kind, message, response: place, hint }) => {
    const item = element("li", {}, message, " ", element("span", { class: "kind" }, kind));
    if (hint !== null) item.append(element("br", {}), hint);
    if (place !== null) {
      const button = element("button", { type: "button" }, `Go to line ${place.line} of the response`);
      button.addEventListener("click", () => select(place.line));
      item.append(element("br", {}), button);
    }
    return item;
  }));
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
find("reset").addEventListener("click", () => {
  show(example);
  changed();
});
find("share").addEventListener("click", async () => {
  await changed();
  try {
    await navigator.clipboard.writeText(location.href);
    told.textContent = "Copied.";
  } catch {
    told.textContent = "It couldn't be copied: take it from the address bar.";
  }
});

number();
const module = await through(fromBase64(find("wasm").textContent.trim()), new DecompressionStream("gzip"));
({ apply } = await library(await WebAssembly.compile(module)));
await load();
