import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Route } from "../../src/http/route.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { FORM, testDatabase } from "../support/engine.ts";
import { formOf, requestsOf, valid } from "../support/fuzz.ts";
import { assertErrorBody, tokenOf } from "../support/http.ts";
import { idsOn, makeOneOfEverything } from "../support/one-of-everything.ts";
import { testShop } from "../support/shop.ts";
import { UPLOAD, uploadText } from "../support/uploads.ts";

const { db } = await testDatabase();
const { call, project } = await testShop(db, { client_trusted_domains: ["*"] }, { random: true });
const ids = await makeOneOfEverything(call, project);
const authorization = `Bearer ${await tokenOf(call, "api")}`;

// FUZZ_SEED and FUZZ_PATH of a failure run it again; FUZZ_RUNS is how many requests each route gets.
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const numRuns = Number(process.env.FUZZ_RUNS ?? 5);

test("no request brings an operation to fail: each answer is its success or the error body", async (t) => {
  console.log(`FUZZ_SEED=${seed} FUZZ_RUNS=${numRuns}`);
  const seen = new Map<number, number>();
  // What is deleted is gone for those who come later.
  const last = ({ method }: Route) => Number(method === "DELETE");
  for (const route of ALL_ROUTES.toSorted((a, b) => last(a) - last(b))) {
    await t.test(`${route.method} ${route.path}`, async () => {
      const property = fc.asyncProperty(
        requestsOf(route, idsOn(route.path, ids)),
        async ({ path, query, body, headers }) => {
          const write = route.upload ? uploadText : route.form ? formOf : JSON.stringify;
          const sent = body === undefined ? undefined : write(body);
          const type = route.upload ? UPLOAD : route.form ? FORM : {};
          const own = { authorization, origin: "https://shop.example", ...type, ...headers };
          const reply = await call(`${route.method} ${path}${query && `?${query}`}`, sent, own);
          seen.set(reply.status, (seen.get(reply.status) ?? 0) + 1);
          assert.ok(reply.status < 500, reply.text);
          if (reply.status >= 300) assertErrorBody(reply);
          if (reply.status === 204) assert.equal(reply.text, "");
        },
      );
      const path = process.env.FUZZ_PATH;
      await fc.assert(property, { seed, numRuns, ...(path && { path, endOnFailure: true }) });
    });
  }
  t.diagnostic(`answers by status: ${JSON.stringify(Object.fromEntries([...seen].sort()))}`);
  for (const status of [200, 400, 404]) assert.ok(seen.has(status), `some requests are answered with ${status}`);
});

test("the requests are not all refused: a body made for a schema mostly fits it", () => {
  const route = ALL_ROUTES.find(({ id }) => id === "createCategory")!;
  const bodies = fc.sample(valid(route.body!, ["id"]), { numRuns: 100, seed });
  for (const body of bodies as { name: string; hierarchy: number }[]) {
    assert.equal(typeof body.name, "string");
    assert.ok(Number.isSafeInteger(body.hierarchy) && body.hierarchy >= 0);
  }
});
