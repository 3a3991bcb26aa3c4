// The functions of the package, around the module that does the work.

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the package's functions, made of the compiled module. */
export async function library(module) {
  let { exports } = await WebAssembly.instantiate(module);

  function reply(request) {
    try {
      const bytes = encoder.encode(JSON.stringify(request));
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
    const known = Object.create(null);
    if (!asks) for (const [path, file] of files instanceof Map ? files : Object.entries(files)) known[path] = source(file);
    for (;;) {
      const said = reply({ response: content(response), files: known, asks, options });
      if (said.misused !== undefined) throw new TypeError(said.misused);
      if (said.wanted === undefined) return { ...said.document, changed: said.changed.map(change) };
      for (const path of said.wanted) known[path] = source(yield path);
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

/** Returns a file as a request has it. */
function source(file) {
  if (file === null || file === undefined) return null;
  if (typeof file === "string" || ArrayBuffer.isView(file)) return content(file);
  if (typeof file.then === "function") throw new TypeError("the function that reads returns a promise: use applyAsync");
  return { ...content(file.content ?? ""), executable: file.executable, link: file.link };
}

function content(value) {
  // A lone surrogate is no character.
  if (typeof value === "string") return { text: value.replace(/\p{Surrogate}/gu, "\ufffd") };
  try {
    return { text: decoder.decode(value) };
  } catch {
    return { bytes: btoa(Array.from(new Uint8Array(value.buffer, value.byteOffset, value.byteLength), (byte) => String.fromCharCode(byte)).join("")) };
  }
}

function change({ path, path_bytes, text, bytes, executable }) {
  const content = text !== undefined ? encoder.encode(text) : bytes !== undefined ? Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0)) : null;
  return { path, path_bytes, content, text: text ?? null, executable };
}
