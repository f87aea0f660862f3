import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { runAsyncActions } from "../../src/jobs/run-async-actions.ts";
import { NOW, newId, testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";
import { uploadTo } from "../support/uploads.ts";

// A file is imported in turns, and a turn ends wherever it has enough rows. So a file in several pieces, each uploaded for itself,
// must leave what the whole file leaves: the same objects, and the same rows refused.
const { db } = await testDatabase();
type Shop = Awaited<ReturnType<typeof testShop>>;
const bySource = (a: { source_id: string }, b: { source_id: string }) => (a.source_id < b.source_id ? -1 : 1);
type Rows = readonly (readonly string[])[];
type Kind = {
  line: string;
  header: readonly string[];
  row: fc.Arbitrary<string[]>;
  prepare(shop: Shop): Promise<unknown>;
  /** What the shop has in the end, without ids. */
  left(shop: Shop): Promise<unknown>;
};

const KINDS: Record<string, Kind> = {
  codes: {
    line: "POST /v1/vouchers/importCSV",
    header: [
      "Code",
      "Voucher Type",
      "Value",
      "Discount Type",
      "Category",
      "Active",
      "Redeemed Quantity",
      "Additional Info",
      "note",
      "size",
    ],
    row: fc
      .tuple(
        fc.constantFrom("ONE", "one", "TWO", "BINNED", "THERE"),
        fc.constantFrom(
          ["DISCOUNT_VOUCHER", "10", "PERCENT"],
          ["DISCOUNT_VOUCHER", "5.50", "AMOUNT"],
          ["GIFT_VOUCHER", "20", ""],
          ["", "", ""],
        ),
        fc.constantFrom("", "Summer"),
        fc.constantFrom("", "true", "false"),
        fc.constantFrom("", "2"),
        fc.constantFrom("", "info"),
        fc.constantFrom("", "a", "b"),
        fc.constantFrom("", "S", "L"),
      )
      .map(([code, worth, ...rest]) => [code, ...worth, ...rest]),
    prepare: async ({ ok }) => {
      for (const code of ["BINNED", "THERE"])
        await ok("POST /v1/vouchers", { code, discount: { type: "PERCENT", percent_off: 1 } });
      await ok("DELETE /v1/vouchers/BINNED");
    },
    left: async ({ ok }) =>
      (await ok("GET /v1/vouchers?order=code")).vouchers.map((one: any) => ({
        ...{ code: one.code, type: one.type, discount: one.discount, gift: one.gift, metadata: one.metadata },
        ...{ active: one.active, info: one.additional_info, redeemed: one.redemption.redeemed_quantity },
        ...{ category: one.categories?.map(({ name }: any) => name), isUpdated: one.updated_at !== null },
      })),
  },
  customers: {
    line: "POST /v1/customers/importCSV",
    header: ["Source_id", "Name", "City", "note"],
    row: fc.tuple(
      fc.constantFrom("ann", "bob", "there"),
      fc.constantFrom("", "A", "B"),
      fc.constantFrom("", "Bonn"),
      fc.constantFrom("", "x", "x".repeat(10_001)),
    ),
    prepare: ({ ok }) => ok("POST /v1/customers", { source_id: "there", name: "T", metadata: { old: 1 } }),
    left: async ({ ok }) =>
      (await ok("GET /v1/customers?order=source_id")).customers.map(
        ({ source_id, name, address, metadata, updated_at }: any) => ({
          ...{ source_id, name, address, metadata, isUpdated: updated_at !== null },
        }),
      ),
  },
  products: {
    line: "POST /v1/products/importCSV",
    header: ["name", "source_id", "price", "note"],
    row: fc.tuple(
      fc.constantFrom("Mug", "Cup", ""),
      fc.constantFrom("p1", "p2", "there"),
      fc.constantFrom("", "1.50", "wrong"),
      fc.constantFrom("", "x"),
    ),
    prepare: ({ ok }) => ok("POST /v1/products", { source_id: "there", name: "T" }),
    left: async ({ ok }) =>
      (await ok("GET /v1/products")).products
        .toSorted(bySource)
        .map(({ source_id, name, price, metadata, updated_at }: any) => ({
          ...{ source_id, name, price, metadata, isUpdated: updated_at !== null },
        })),
  },
  SKUs: {
    line: "POST /v1/skus/importCSV",
    header: ["product_id", "source_id", "sku", "price", "note"],
    row: fc.tuple(
      fc.constantFrom("mug", "cup", "none"),
      fc.constantFrom("s1", "s2"),
      fc.constantFrom("", "Red", "Blue"),
      fc.constantFrom("", "2"),
      fc.constantFrom("", "x"),
    ),
    prepare: async ({ ok }) => {
      for (const source_id of ["mug", "cup"]) await ok("POST /v1/products", { source_id, name: source_id });
    },
    left: async ({ ok }) => {
      const skus = await Promise.all(["mug", "cup"].map((one) => ok(`GET /v1/products/${one}/skus`)));
      return skus.map(({ skus: list }: any) =>
        list.toSorted(bySource).map(({ source_id, sku, price, metadata, updated_at }: any) => ({
          ...{ source_id, sku, price, metadata, isUpdated: updated_at !== null },
        })),
      );
    },
  },
};

/** Imports the pieces one after the other, and gives what is left and which rows of all were refused. */
async function imported({ line, header, prepare, left }: Kind, pieces: readonly Rows[]) {
  const shop = await testShop(db);
  await prepare(shop);
  const failed: unknown[] = [];
  let before = 0;
  for (const rows of pieces) {
    const reply = await uploadTo(shop, line, stringify([[...header], ...rows.map((row) => [...row])]));
    assert.ok(reply.status < 300, reply.text);
    await runAsyncActions.run({ db, now: () => NOW, newId, random: randomBytes });
    const { result } = await shop.ok(`GET /v1/async-actions/${reply.body.async_action_id}`);
    assert.equal(result.done_count + result.failed_count, rows.length);
    failed.push(...result.failed.map(({ row, reason }: any) => [before + row, reason]));
    before += rows.length;
  }
  return { left: await left(shop), failed };
}

for (const [what, kind] of Object.entries(KINDS))
  test(`law: what a file of ${what} leaves does not depend on where its turns end`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(kind.row, { minLength: 2, maxLength: 8 }), fc.nat(7), async (rows, cut) => {
        const at = 1 + (cut % (rows.length - 1));
        const whole = await imported(kind, [rows]);
        assert.deepEqual(await imported(kind, [rows.slice(0, at), rows.slice(at)]), whole);
        assert.deepEqual(
          await imported(
            kind,
            rows.map((row) => [row]),
          ),
          whole,
        );
      }),
      { numRuns: Number(process.env.IMPORT_RUNS ?? 8) },
    );
  });
