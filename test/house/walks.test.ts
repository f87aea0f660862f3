import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { sources } from "./source.ts";

const WALKS = ["POST /v1/categories", "a batch of validations", "a batch of redemptions", "an earning", "a rollback"];

test("the walks of ARCHITECTURE.md name functions, types and fields that the sources have", () => {
  const walks = readFileSync("ARCHITECTURE.md", "utf8")
    .split(/^## /m)
    .filter((section) => section.startsWith("Walk: "));
  for (const name of WALKS)
    assert.ok(
      walks.some((walk) => walk.replaceAll("`", "").startsWith(`Walk: ${name}\n`)),
      name,
    );
  const tables = globSync("migrations/*.sql").map((path) => readFileSync(path, "utf8"));
  const text = [...sources().map((file) => file.text), ...tables].join("\n");
  const words = new Set(text.match(/[A-Za-z_]\w*/g));
  const named = walks.flatMap((walk) => [...walk.matchAll(/`([A-Za-z_]\w*)`/g)].map(([, word]) => word!));
  assert.ok(named.length > 50);
  assert.deepEqual(
    named.filter((word) => !words.has(word)),
    [],
  );
});
