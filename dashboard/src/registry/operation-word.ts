import { operations as de } from "../text/de/operations.ts";
import { operations as en } from "../text/en/operations.ts";
import { type Language, languageOf, type Text, type TextKey } from "../text/text.ts";

type Words = Record<"acts" | "whole", Record<string, string>>;
const WORDS: Record<Language, Words> = { en, de };

const kindIn = (t: Text, kind: string): string | null => {
  const word = t(`names.kinds.${kind}` as TextKey);
  return word.startsWith("names.") ? null : word;
};

/** `createCampaign` is "Campaign created". A command, or what is newer than this page, is shown as it is, in words. */
export function operationWord(t: Text, operation: string, language = languageOf()): string {
  const { acts, whole } = WORDS[language];
  if (whole[operation]) return whole[operation];
  const [verb = "", ...rest] = operation.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  const kind = rest.join("_");
  const what = kindIn(t, kind) ?? kindIn(t, kind.replace(/s$/, ""));
  const act = acts[verb];
  return act && what ? act.replace("{{what}}", what) : [verb, ...rest].join(" ");
}
