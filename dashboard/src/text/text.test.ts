import assert from "node:assert/strict";
import { test } from "node:test";
import { errors as refusalsDe } from "./de/errors.ts";
import { de } from "./de.ts";
import { errors as refusals } from "./en/errors.ts";
import { en } from "./en.ts";
import { createText, loadOnce } from "./text.ts";

const leaves = (value: object, before = ""): [string, string][] =>
  Object.entries(value).flatMap(([name, one]): [string, string][] =>
    typeof one === "string" ? [[before + name, one]] : leaves(one as object, `${before}${name}.`),
  );

test("values stand in texts, and numbers choose their plural", () => {
  const t = createText(en, "en-GB");
  assert.equal(t("kit.list.selected", { count: 1 }), "1 selected");
  assert.equal(t("campaigns.enabled", { count: 1 }), "1 campaign enabled");
  assert.equal(t("campaigns.enabled", { count: 1200 }), "1,200 campaigns enabled");
  assert.equal(createText(de, "de-DE")("campaigns.enabled", { count: 1200 }), "1.200 Kampagnen eingeschaltet");
  assert.equal(t("layout.role", { role: "$& ADMIN" }), "Role: $& ADMIN");
});

test("both languages have the same texts with the same values, and none is empty", () => {
  const [english, german] = [leaves({ ...en, refusals }), new Map(leaves({ ...de, refusals: refusalsDe }))];
  assert.deepEqual([...german.keys()].sort(), english.map(([key]) => key).sort());
  const valuesIn = (text: string) => [...text.matchAll(/\{\{\w+\}\}/g)].map(String).sort();
  for (const [key, text] of english) {
    assert.deepEqual(valuesIn(german.get(key)!), valuesIn(text), key);
    assert.notEqual(german.get(key)!.trim(), "", key);
  }
});

test("texts that could not be loaded are tried again when they are next asked for, and loaded once", async () => {
  let tries = 0;
  const load = loadOnce(async () => {
    tries++;
    if (tries === 1) throw new Error("no connection");
  });
  await Promise.all([load(), load()]);
  assert.equal(tries, 1);
  await load();
  await load();
  assert.equal(tries, 2);
});
