import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { WEBHOOK_TYPES } from "../../src/core/webhooks/event-names.ts";
import { testDatabase } from "../support/engine.ts";
import { listeningShop, tellTheStory } from "../support/webhook-story.ts";

// The samples of docs/reference/webhooks.md are what a webhook was sent. `UPDATE_SAMPLES=1` writes them anew.
const FILE = "docs/reference/webhook-samples.json";
const { db } = await testDatabase();

const ID = /\b([a-z]+(?:_tpl)?_|v-)[0-9a-f]{18,26}\b/g;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Ids and codes are others in each run: in a sample they are counted. */
function sampleOf(body: object): object {
  const names = new Map<string, string>();
  const named = (id: string, prefix: string) => {
    const count = [...names.keys()].filter((known) => known.startsWith(prefix)).length + 1;
    return names.getOrInsertComputed(id, () => `${prefix}${"0".repeat(17)}${count}`);
  };
  const text = JSON.stringify(body).replace(ID, named);
  return JSON.parse(text, (key, value) => {
    if (typeof value !== "string") return value;
    if (UUID.test(value)) return "a4e8b1c2-0000-4000-8000-000000000001";
    if (key === "code" || key === "voucher_code") return /^[A-Z]+$/.test(value) ? value : "3N7kQ9Zp";
    return value.startsWith("track_") ? "track_5HvEDMSS5rTbl0ya3wZ6ZA==" : value;
  });
}

test("the reference shows what webhooks are sent, of every type", async () => {
  const shop = await listeningShop(db);
  await tellTheStory(shop);
  const all = await shop.told();
  const samples = Object.fromEntries(
    WEBHOOK_TYPES.flatMap((type) => {
      const body = all.find((one) => one.type === type);
      return body ? [[type, sampleOf(body)]] : [];
    }),
  );
  if (process.env.UPDATE_SAMPLES) fs.writeFileSync(FILE, `${JSON.stringify(samples, null, 1)}\n`);
  assert.deepEqual(
    samples,
    JSON.parse(fs.readFileSync(FILE, "utf8")),
    "run it with UPDATE_SAMPLES=1, then npm run gen",
  );
});
