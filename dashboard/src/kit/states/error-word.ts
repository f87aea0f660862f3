import { RequestError } from "../../api/errors.ts";
import { localeOf, type Text, type TextKey } from "../../text/text.ts";

/**
 * Why a request was refused, in the language of the page. The server speaks English and is more exact, so its own words are
 * shown where the page is English, and quoted where it is not and they may name a field or a thing.
 */
export function errorWord(t: Text, error: unknown): string {
  if (!(error instanceof RequestError)) return error instanceof Error ? error.message : String(error);
  const { status, key, details } = error;
  if (status === 0) return t("kit.noAnswer");
  const text = `errors.${key}` as TextKey;
  const word = t(text) === text ? null : t(text);
  if (localeOf().startsWith("en")) return details || (word ?? key);
  const quoted = details === "" ? "" : t("errors.server", { details });
  return word === null ? quoted || key : [word, quoted].filter((one) => one !== "").join(" ");
}
