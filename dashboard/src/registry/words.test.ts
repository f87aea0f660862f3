import assert from "node:assert/strict";
import { test } from "node:test";
import { RULE_OPERATORS } from "../../../src/core/rules/operators.ts";
import { RULES } from "../../../src/core/rules/registry.ts";
import { BUILT_IN_ROLES, RESOURCES } from "../../../src/core/users/roles.ts";
import { CHECKS } from "../../../src/core/validate/checks.ts";
import type { ConfigKind } from "../../../src/request.ts";
import { de } from "../text/de.ts";
import { en } from "../text/en.ts";
import { createText } from "../text/text.ts";
import { operationWord } from "./operation-word.ts";
import { actorWord } from "./words.ts";

/** A kind of thing that the audit log gets and that has no words does not compile. */
const KINDS: Record<ConfigKind, string> = en.names.kinds;

/** What the server names, and where the words for it stand. */
const NAMED: Record<string, readonly string[]> = {
  "registry.rules": RULES.map(({ name }) => name.replaceAll(".", "_")),
  "registry.operators": RULE_OPERATORS.map(({ name }) => name.replace("$", "")),
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

test("an operation is said in words: by its own, by verb and kind, or by its parts", () => {
  const said = (language: "en" | "de", ...ids: string[]) =>
    ids.map((id) => operationWord(createText({ en, de }[language], "en-GB"), id, language));
  assert.deepEqual(said("en", "createCampaign", "createCampaignTiers", "updateUserRole", "frobGlob", "laurel demo"), [
    ...["Campaign created", "Tier of a campaign created", "Role of a user changed", "frob glob", "laurel demo"],
  ]);
  assert.deepEqual(said("de", "archiveCampaign", "rotateKey"), [
    "Kampagne archiviert",
    "API-Schlüssel: neues Geheimnis",
  ]);
});

test("a person is named, a key with its kind, and who is gone is said to be gone", () => {
  const said = (type: string, name: string | null) => actorWord(createText(en, "en-GB"), { type, id: "x", name });
  assert.deepEqual(
    [said("user", "Ann Archer"), said("server_key", "till"), said("user", null), said("cli", null)],
    ["Ann Archer", "Server key till", "User that is gone", "Command line"],
  );
});
