// The page in a browser, from a file server and from a disk: `.packages/try page`. PICTURES, a directory, gets pictures of it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import axe from "axe-core";
import puppeteer from "puppeteer-core";

const EXAMPLES = ["Envelope", "Unified diff", "Search/replace", "Tool call", "OPX", "Whole file", "A refusal"];
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

/** Says how the result looks: its class, and whether its border is more green than red. */
const look = (page) => page.$eval("#outcome", (outcome) => {
  const [red, green] = getComputedStyle(outcome).borderLeftColor.match(/\d+/g).map(Number);
  return [outcome.className, green > red ? "green" : "red"];
});
/** Presses the button that shows an example. */
const example = (page, name) => page.evaluate((name) => {
  [...document.querySelectorAll("#examples button")].find(({ textContent }) => textContent === name).click();
}, name);
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

async function picture(page, name, fullPage = true) {
  if (process.env.PICTURES) await page.screenshot({ path: join(process.env.PICTURES, `${name}.png`), fullPage });
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
      assert.deepEqual(await look(page), ["applies", "green"]);
      await picture(page, "example");
      await page.setOfflineMode(true);
      await put(page, "[name=content]", "def connect(host):\n    return dial(host)\n");
      await says(page, /^Refused: 1 error\. Nothing changes\.$/);
      assert.deepEqual(await look(page), ["refused", "red"]);
      assert.match(await result(page), /What to send back to the model/);
      assert.deepEqual([page.asked, page.said], [[url], []]);
      await page.close();
    }
  });

  test("leads from an error to the line of the response", async () => {
    const page = await open();
    await put(page, "[name=content]", "def connect(host):\n    return dial(host)\n");
    await says(page, /^Refused/);
    await page.click("#result [name=line]");
    assert.equal(await focused(page), "response");
    const selected = await page.$eval("#response", (field) => field.value.slice(field.selectionStart, field.selectionEnd));
    assert.equal(selected, "-    return dial(host, timeout=30000)");
    await page.close();
  });

  test("draws what the terminal draws, without its advice, and hands over the message for the model", async () => {
    const page = await open();
    await browser.defaultBrowserContext().setPermission(new URL(address).origin, { permission: { name: "clipboard-write" }, state: "granted" });
    await example(page, "A refusal");
    await says(page, /^Refused: 1 error/);
    await picture(page, "refusal");
    const said = await page.$eval("pre.error", ({ innerText }) => innerText);
    assert.match(said, /^error\[lines-not-found\]: /);
    // What is hidden has the width of what is above the mark.
    const drawn = await page.$eval("pre.error", ({ textContent }) => textContent);
    const marks = drawn.split("\n").flatMap((line, at, all) => {
      const mark = line.match(/^ +\| (.*?)(\^+)/);
      return mark === null ? [] : [all[at - 1].slice(line.indexOf("^"), line.indexOf("^") + mark[2].length)];
    });
    assert.equal(marks.length, 2, drawn);
    for (const mark of marks) assert.ok(mark.length > 0 && !mark.includes("host"), drawn);
    assert.match(drawn, /--> src\/net\.py:2:\d+\n/);
    assert.doesNotMatch(await result(page), /`git |`-p|--[a-z]/);
    await page.click("#copy");
    await page.waitForFunction(() => document.getElementById("told").textContent === "Copied.");
    const feedback = await page.$eval("pre.prose", ({ textContent }) => textContent);
    assert.match(feedback, /return dial\(host, timeout=30000\)/);
    await page.close();
  });

  test("gives no advice about options, whatever is refused", async () => {
    const page = await open();
    for (const text of [
      "--- a/x/src/net.py\n+++ b/x/src/net.py\n@@ -1 +1 @@\n-a\n+b\n",
      "--- a/net.py\n+++ b/net.py\n@@ -1 +1 @@\n-a\n+b\n",
      "*** Begin Patch\n*** Add File: src/net.py\n+x\n*** End Patch\n",
      "*** Begin Patch\n*** Update File: /testbed/src/net.py\n-x\n+y\n*** End Patch\n",
      "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n",
      "src/new.py\n```python\nx\n```\n",
      "Nothing.",
    ]) {
      await put(page, "#response", text);
      await says(page, /^Refused/);
      await page.waitForFunction((wanted) => document.getElementById("outcome").className === wanted, {}, "refused");
      assert.doesNotMatch(await result(page), /`git |`-p|--[a-z]/, text);
    }
    await page.close();
  });

  test("has an example of each format, which applies", async () => {
    const page = await open();
    const names = await page.$$eval("#examples button", (all) => all.map(({ textContent }) => textContent));
    assert.deepEqual(names, EXAMPLES);
    for (const name of names) {
      await put(page, "#response", "Nothing.");
      await says(page, /^Refused/);
      await example(page, name);
      await says(page, name === "A refusal" ? /^Refused: 1 error/ : /^Applies: 1 file/);
      const of = await page.$$eval("pre.warning", (all) => all.map(({ textContent }) => textContent));
      assert.deepEqual(of, [], name);
    }
    await page.close();
  });

  test("shows what goes in red and what comes in green, whatever it begins with", async () => {
    const page = await open();
    await put(page, "[name=path]", "a.sql");
    await put(page, "[name=content]", "-- all\nselect 1;\n");
    await put(page, "#response", JSON.stringify({ path: "a.sql", old_string: "-- all", new_string: "++ more" }));
    await page.waitForFunction(() => document.querySelector("#result h3").textContent.startsWith("a.sql"));
    const of = (name) => page.$$eval(`#result ${name}`, (all) => all.map(({ textContent }) => textContent));
    assert.deepEqual([await of("del"), await of("ins")], [["--- all\n"], ["+++ more\n"]]);
    await put(page, "#response", "*** Begin Patch\n*** Delete File: a.sql\n*** End Patch\n");
    await page.waitForFunction(() => document.querySelectorAll("#result del").length === 2);
    assert.deepEqual([await of("del"), await of("ins")], [["--- all\n", "-select 1;\n"], []]);
    await page.close();
  });

  test("has the result beside the response", async () => {
    const page = await open();
    await example(page, "A refusal");
    await says(page, /^Refused/);
    await page.setViewport({ width: 1360, height: 620 });
    // The picture that the README shows.
    await picture(page, "page", false);
    for (const width of [850, 1400]) {
      await page.setViewport({ width, height: 900 });
      const [response, outcome] = await page.$$eval("main > section:not(.files)", (all) => all.map((one) => one.getBoundingClientRect().toJSON()));
      assert.ok(outcome.top === response.top && outcome.left >= response.right, `${width}`);
    }
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
    for (let at = 0; at < 20; at += 1) {
      await page.keyboard.press("Tab");
      const name = await focused(page);
      if (name === null) break;
      order.push(name);
    }
    assert.deepEqual(order, [
      "path", "content", "remove", "add", ...EXAMPLES, "response", "format", "fuzz", "unique", "Diff of src/net.py", "share",
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
      "group Examples", "textbox All that the model said", "combobox Format", "combobox Fuzz", "region Result", "region Diff of src/net.py",
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
