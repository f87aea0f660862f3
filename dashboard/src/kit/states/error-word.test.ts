import assert from "node:assert/strict";
import { test } from "node:test";
import { ERROR_TABLE } from "../../../../src/core/errors.ts";
import { RequestError } from "../../api/errors.ts";
import type { Error as Refusal } from "../../api/operations.gen.ts";
import { errors as german } from "../../text/de/errors.ts";
import { errors } from "../../text/en/errors.ts";
import { en } from "../../text/en.ts";
import { createText } from "../../text/text.ts";
import { errorWord } from "./error-word.ts";

/** A refusal that the interface gets and that has no words does not compile. */
const WORDS: Record<Refusal["key"], string> = errors;

test("each refusal that the server knows has words in both languages", () => {
  for (const key of new Set([...Object.keys(ERROR_TABLE), ...Object.keys(WORDS)])) {
    const error = new RequestError(400, { key });
    for (const [language, catalogue] of Object.entries({ en: { errors }, de: { errors: german } })) {
      const said = createText(catalogue, language)(`errors.${key}` as "errors.not_found");
      assert.notEqual(said, `errors.${key}`, `${key} has no word in ${language}`);
    }
    assert.notEqual(errorWord(createText({ errors }, "en-GB"), error), key);
  }
});

test("the words of the server are shown as they are where the page speaks English", () => {
  const t = createText(en, "en-GB");
  assert.equal(
    errorWord(t, new RequestError(400, { key: "invalid_payload", details: ".name is empty" })),
    ".name is empty",
  );
  assert.equal(errorWord(t, new RequestError(0, {})), "The server does not answer");
  assert.equal(errorWord(t, new Error("torn")), "torn");
});
