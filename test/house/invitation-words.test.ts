import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";

const read = (name: string) => fs.readFileSync(new URL(`../../src/http/users/${name}`, import.meta.url), "utf8");

test("every sentence of the page of an invitation is there in German", () => {
  const [page, script] = [read("invitation-page.html"), read("invitation-page.js")];
  const table = script.slice(script.indexOf("const GERMAN"), script.indexOf("};"));
  const shown = [...page.matchAll(/>([^<]+)</g)].map(([, text]) => text!.replace(/\s+/g, " ").trim());
  const said = [...script.matchAll(/say\("([^"]+)"\)/g)].map(([, text]) => text!);
  const over = [...script.slice(script.indexOf("const OVER")).matchAll(/^ {2}\d+: "([^"]+)"/gm)].map(
    ([, text]) => text!,
  );
  assert.ok(said.length > 2 && over.length > 1);
  const words = [...shown, ...said, ...over].filter((text) => /[A-Za-z]/.test(text) && text !== "Laurel");
  const missing = words.filter((text) => !table.includes(`"${text}":`) && !table.includes(`  ${text}:`));
  assert.deepEqual(missing, []);
});

test("every field of that page that has to be filled in is marked, and it is said what the mark means", () => {
  const page = read("invitation-page.html");
  const labels = [...page.matchAll(/<label[\s\S]*?<\/label>/g)].map(([label]) => label);
  const needed = labels.filter((label) => /\srequired\s/.test(label));
  assert.equal(needed.length, 3);
  for (const label of needed) assert.match(label, /<span aria-hidden="true">\*<\/span>/);
  assert.match(page, /Fields with \* must be filled in\./);
});
