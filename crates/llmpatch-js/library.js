// The functions of the package, around the module that does the work.

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the package's functions, made of the compiled module. `more` is what every request has besides. */
export async function library(module, more = {}) {
  let { exports } = await WebAssembly.instantiate(module);

  function reply(request) {
    const bytes = encoder.encode(JSON.stringify(request, kept));
    try {
      const place = exports.reserve(bytes.length);
      new Uint8Array(exports.memory.buffer, place, bytes.length).set(bytes);
      const length = exports.apply();
      return JSON.parse(decoder.decode(new Uint8Array(exports.memory.buffer, exports.reply(), length)));
    } catch (error) {
      // What has trapped is in no good state.
      exports = new WebAssembly.Instance(module).exports;
      throw error;
    }
  }

  /** Yields the path of every file that is needed, takes the file, and returns the result. */
  function* steps(response, files, options) {
    const asks = typeof files === "function";
    const request = { ...more, response: content(response, "the response"), files: asks ? Object.create(null) : given(files), asks, options, camel: true };
    for (;;) {
      const said = reply(request);
      if (said.misused !== undefined) throw new TypeError(said.misused);
      if (said.wanted === undefined) {
        const { messages } = said;
        return { ...said.document, changed: said.changed.map(change), ...(messages && { messages }) };
      }
      for (const path of said.wanted) {
        const file = yield path;
        request.files[path] = file === null || file === undefined ? null : source(file, path);
      }
    }
  }

  function apply(response, files, options) {
    const run = steps(response, files, options);
    let step = run.next();
    while (!step.done) step = run.next(files(step.value));
    return step.value;
  }

  async function applyAsync(response, files, options) {
    const run = steps(response, files, options);
    let step = run.next();
    while (!step.done) step = run.next(await files(step.value));
    return step.value;
  }

  return { apply, applyAsync };
}

/** What holds text or bytes: how each kind is known, in whatever realm its values are made, and how they are written in a request. */
const CONTENTS = [
  { is: (value) => typeof value === "string", written: text },
  { is: (value) => ArrayBuffer.isView(value), written: bytes },
  { is: (value) => ["ArrayBuffer", "SharedArrayBuffer"].includes(type(value)), written: (buffer) => bytes(new DataView(buffer)) },
];

/** Half of a character, a lone surrogate: no UTF-8 has it. */
const HALF = /\p{Surrogate}/u;

/** What JSON can hold, and neither leaves out nor writes as something else. An option that is `undefined` isn't given. */
const IN_JSON = [(value) => [undefined, null].includes(value), (value) => ["string", "boolean"].includes(typeof value), Number.isFinite, Array.isArray, isPlain];

/** What to do with values that have a method of a name. */
const ADVICE = [["then", "await it, or use applyAsync"], ["arrayBuffer", "await its arrayBuffer()"]];

/** Returns files as a request has them. */
function given(files) {
  if (type(files) !== "Map" && !isPlain(files)) throw new TypeError(`the files are neither an object, a Map nor a function, but ${type(files)}`);
  const all = Object.create(null);
  for (const [path, file] of isPlain(files) ? Object.entries(files) : files) {
    if (typeof path !== "string") throw new TypeError(`a path is no string, but ${type(path)}`);
    if (HALF.test(path)) throw new TypeError(`${JSON.stringify(path)} has half of a character (a lone surrogate)`);
    all[path] = source(file, path);
  }
  return all;
}

/** Returns a file as a request has it. */
function source(file, path) {
  const name = JSON.stringify(path);
  if (!isSource(file)) return content(file, name);
  const { executable, link } = file;
  return { ...(link === true ? {} : content(file.content, name)), executable, link };
}

function isSource(file) {
  return isPlain(file) && ("content" in file || file.link === true) && Object.keys(file).every((key) => ["content", "executable", "link"].includes(key));
}

/** Returns text or bytes as a request has them. `name` is what messages call them. */
function content(value, name) {
  const kind = CONTENTS.find(({ is }) => is(value));
  if (kind === undefined) {
    const [, advice] = ADVICE.find(([method]) => typeof value?.[method] === "function") ?? [];
    throw new TypeError(`${name} is neither text nor bytes, but ${type(value)}${advice === undefined ? "" : `: ${advice}`}`);
  }
  try {
    return kind.written(value);
  } catch (error) {
    throw new TypeError(`${name}: ${error.message}`, { cause: error });
  }
}

function text(value) {
  const half = value.search(HALF);
  if (half >= 0) throw new TypeError(`line ${value.slice(0, half).split("\n").length} has half of a character (a lone surrogate)`);
  return { text: value };
}

function bytes(view) {
  // Where the buffer has shrunk, a typed array is empty, unless one of its elements is asked for.
  view.at?.(0);
  // Nobody else writes to a copy.
  const copy = new Uint8Array(view.buffer, view.byteOffset, view.byteLength).slice();
  try {
    return { text: decoder.decode(copy) };
  } catch {
    return { bytes: btoa(Array.from(copy, (byte) => String.fromCharCode(byte)).join("")) };
  }
}

function change({ path, text, bytes, executable }) {
  const content = text !== undefined ? encoder.encode(text) : bytes !== undefined ? Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0)) : null;
  return { path, content, text: text ?? null, executable };
}

/** Returns a value that JSON has: an option that JSON would leave out guards nothing. */
function kept(key, value) {
  if (IN_JSON.some((is) => is(value))) return value;
  throw new TypeError(`${JSON.stringify(key)}: JSON can't hold this ${type(value)}`);
}

/** Returns whether a value is an object with members alone, of any realm. */
function isPlain(value) {
  if (typeof value !== "object" || value === null) return false;
  const parent = Object.getPrototypeOf(value);
  return parent === null || Object.getPrototypeOf(parent) === null;
}

/** Returns what a value is, in a word. */
function type(value) {
  if (value === null) return "null";
  return typeof value === "object" ? Object.prototype.toString.call(value).slice(8, -1) : typeof value;
}
