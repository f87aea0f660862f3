import assert from "node:assert/strict";
import { test } from "node:test";
import { OPERATORS } from "../../../src/core/rules/operators.ts";
import { RULES } from "../../../src/core/rules/registry.ts";
import { BUILT_IN_ROLES, RESOURCES } from "../../../src/core/users/roles.ts";
import { CHECKS } from "../../../src/core/validate/checks.ts";
import type { ConfigKind } from "../../../src/request.ts";
import { de } from "../text/de.ts";
import { en } from "../text/en.ts";

/** A kind of thing that the audit log gets and that has no words does not compile. */
const KINDS: Record<ConfigKind, string> = en.names.kinds;

/** What the server names, and where the words for it stand. */
const NAMED: Record<string, readonly string[]> = {
  "registry.rules": RULES.map(({ name }) => name.replaceAll(".", "_")),
  "registry.operators": OPERATORS.map(({ name }) => name.replace("$", "")),
  "registry.checks": CHECKS.map(({ key }) => key),
  "names.resources": RESOURCES,
  "names.roles": Object.keys(BUILT_IN_ROLES),
  "names.roleSays": Object.keys(BUILT_IN_ROLES),
  "names.kinds": Object.keys(KINDS),
};

test("everything that the server names by a key has words in both languages", () => {
  for (const [language, catalogue] of Object.entries({ en, de }))
    for (const [place, keys] of Object.entries(NAMED)) {
      const words = place.split(".").reduce((at, name) => at[name], catalogue as any) as Record<string, string>;
      assert.deepEqual(
        keys.filter((key) => !words[key]),
        [],
        `${place} lacks words in ${language}`,
      );
    }
});
