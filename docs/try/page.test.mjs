// The page in a browser, from a file server and from a disk: `.packages/try page`. PICTURES, a directory, gets pictures of it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import axe from "axe-core";
import puppeteer from "puppeteer-core";

const file = new URL("index.html", import.meta.url);
// A file server that knows only the types without which a browser takes nothing. Beside the page, it has the package of crates/llmpatch-js.
const server = createServer((request, response) => {
  const [, where, name] = request.url.match(/^\/(try|package)\/([\w.]+)$/) ?? [];
  if (name === undefined) return response.writeHead(404).end();
  const type = { html: "text/html", js: "text/javascript" }[name.split(".").at(-1)] ?? "application/octet-stream";
  response.writeHead(200, { "content-type": type });
  response.end(readFileSync(new URL(where === "try" ? name : `package/${name}`, import.meta.url)));
});
let browser;
let address;

before(async () => {
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  address = `http://127.0.0.1:${server.address().port}/try/index.html`;
  // Who is root has no sandbox.
  browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
});
after(async () => {
  await browser?.close();
  server.close();
});

/** Opens the page, and returns it with what it asked for. */
async function open(url = address) {
  const page = await browser.newPage();
  page.asked = [];
  page.said = [];
  page.on("request", (request) => !request.url().startsWith("data:") && page.asked.push(request.url()));
  page.on("pageerror", (error) => page.said.push(String(error)));
  page.on("console", (message) => page.said.push(message.text()));
  await page.goto(url);
  await says(page, /^(Applies|Refused)/);
  return page;
}

async function says(page, wanted) {
  const { source } = wanted;
  await page.waitForFunction((source) => new RegExp(source).test(document.getElementById("summary").textContent), {}, source);
}

const result = (page) => page.$eval("#result", ({ textContent }) => textContent);
const focused = (page) => page.evaluate(() => {
  const at = document.activeElement;
  return at === document.body ? null : at.id || at.name || at.getAttribute("aria-label") || at.textContent.trim();
});

async function put(page, selector, text) {
  await page.$eval(selector, (field, text) => {
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }, text);
}

async function picture(page, name) {
  if (process.env.PICTURES) await page.screenshot({ path: join(process.env.PICTURES, `${name}.png`), fullPage: true });
}

test("the package runs in a browser", async () => {
  const page = await browser.newPage();
  await page.goto(new URL("/package/empty.html", address).href);
  const texts = await page.evaluate(async () => {
    const { apply, applyAsync } = await import("/package/browser.js");
    const response = "*** Begin Patch\n*** Update File: a.txt\n-two\n+2\n*** End Patch\n";
    const results = [apply(response, { "a.txt": "one\ntwo\n" }), await applyAsync(response, async () => "two\n")];
    return results.map(({ changed }) => changed[0].text);
  });
  assert.deepEqual(texts, ["one\n2\n", "2\n"]);
  await page.close();
});

describe("the page", () => {
  test("shows the README's example, and asks for nothing but itself", async () => {
    for (const url of [address, file.href]) {
      const page = await open(url);
      await says(page, /^Applies: 1 file changed\.$/);
      assert.match(await result(page), /-    return dial\(host, timeout=30000\)\n\+    return dial\(host, timeout=30\)/);
      await picture(page, "example");
      await page.setOfflineMode(true);
      await put(page, "[name=content]", "def connect(host):\n    return dial(host)\n");
      await says(page, /^Refused: 1 error\. Nothing changes\.$/);
      assert.match(await result(page), /What to send back to the model/);
      await picture(page, "refusal");
      assert.deepEqual([page.asked, page.said], [[url], []]);
      await page.close();
    }
  });

  test("leads from an error to the line of the response", async () => {
    const page = await open();
    await put(page, "[name=content]", "def connect(host):\n    return dial(host)\n");
    await says(page, /^Refused/);
    await page.click("#result li button");
    assert.equal(await focused(page), "response");
    const selected = await page.$eval("#response", (field) => field.value.slice(field.selectionStart, field.selectionEnd));
    assert.equal(selected, "-    return dial(host, timeout=30000)");
    await page.close();
  });

  test("is shared by its address", async () => {
    const page = await open();
    const text = "*** Begin Patch\n*** Update File: ü/→.txt\n-é\n+€\n*** End Patch\n";
    await put(page, "#response", text);
    await put(page, "[name=path]", "ü/→.txt");
    await put(page, "[name=content]", `é\n${"line\n".repeat(2000)}`);
    await page.select("#fuzz", "indent");
    await says(page, /^Applies/);
    await page.waitForFunction(() => location.hash.length > 1);
    await page.click("#share");
    await page.waitForFunction(() => document.getElementById("told").textContent !== "");
    const shared = page.url();
    assert.ok(shared.length < 2000, `${shared.length}`);
    const other = await open(shared);
    await says(other, /^Applies: 1 file changed\.$/);
    assert.equal(await other.$eval("#response", ({ value }) => value), text);
    assert.equal(await other.$eval("#fuzz", ({ value }) => value), "indent");
    await other.goto(`${address}#spoilt`);
    await other.waitForFunction(() => /example is shown/.test(document.getElementById("told").textContent));
    await says(other, /^Applies/);
    await page.close();
    await other.close();
  });

  test("takes several files, deletes and adds", async () => {
    const page = await open();
    await page.click("#add");
    await page.keyboard.type("docs/old.md");
    await put(page, "#response", "*** Begin Patch\n*** Delete File: docs/old.md\n*** Add File: docs/new.md\n+# New\n*** End Patch\n");
    await says(page, /^Applies: 2 files changed\.$/);
    assert.match(await result(page), /docs\/new\.md: added.*docs\/old\.md: deleted/s);
    await put(page, "fieldset:last-child [name=path]", "../x");
    await says(page, /\.\.\/x/);
    await page.close();
  });

  test("is used with the keyboard alone", async () => {
    const page = await open();
    const order = [];
    for (let at = 0; at < 14; at += 1) {
      await page.keyboard.press("Tab");
      const name = await focused(page);
      if (name === null) break;
      order.push(name);
    }
    assert.deepEqual(order, [
      "path", "content", "remove", "add", "response", "format", "fuzz", "unique", "Diff of src/net.py", "share", "reset",
    ]);
    await page.focus("#add");
    await page.keyboard.press("Enter");
    assert.equal(await focused(page), "path");
    await page.keyboard.type("a.txt");
    for (let at = 0; at < 2; at += 1) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    // The file that has gone leaves the focus with the one that is left.
    assert.equal(await page.evaluate(() => document.activeElement.value), "src/net.py");
    for (let at = 0; at < 2; at += 1) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await focused(page), "add");
    await page.close();
  });

  test("is read out by a screen reader", async () => {
    const page = await open();
    const names = [];
    const walk = (node) => {
      names.push(`${node.role} ${node.name ?? ""}`.trim());
      node.children?.forEach(walk);
    };
    walk(await page.accessibility.snapshot({ interestingOnly: false }));
    for (const name of [
      "heading Try git-llmpatch", "region Files", "group File 1", "textbox Path", "textbox Content", "button Remove file 1", "region Response",
      "textbox All that the model said", "combobox Format", "combobox Fuzz", "region Result", "region Diff of src/net.py",
    ]) assert.ok(names.includes(name), `${name} isn't among\n${names.join("\n")}`);
    assert.equal(await page.$eval("#summary", (element) => element.getAttribute("role")), "status");
    await page.close();
  });

  test("has nothing to improve for axe, in light and dark, wide and narrow", async () => {
    for (const scheme of ["light", "dark"]) {
      for (const width of [1400, 320]) {
        const page = await open();
        await page.setBypassCSP(true);
        await page.setViewport({ width, height: 800 });
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
        for (const content of ["def connect(host):\n    return dial(host, timeout=30000)\n", "def connect(host):\n"]) {
          await put(page, "[name=content]", content);
          await says(page, content.includes("30000") ? /^Applies/ : /^Refused/);
          const { violations } = await page.evaluate(`${axe.source}; axe.run()`);
          assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
          assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `wider than ${width}`);
        }
        await picture(page, `${scheme}-${width}`);
        await page.close();
      }
    }
  });
});
