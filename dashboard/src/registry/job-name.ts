import type { AsyncAction } from "../api/operations.gen.ts";
import { localeOf, type Text } from "../text/text.ts";

type Underscored<T extends string> = T extends `${infer A}.${infer B}` ? `${A}_${B}` : T;

/** The text of a kind of job; a dot would be a step into the catalogue. A kind without a text does not compile. */
export const jobName = (type: AsyncAction["type"]) =>
  `settings.jobTypes.${type.replace(".", "_") as Underscored<typeof type>}` as const;

/** What long work came to. The server tells it in English; in other languages its numbers do. */
export function jobSays(t: Text, result: AsyncAction["result"]): string | null {
  if (result === null || localeOf().startsWith("en")) return result?.message ?? null;
  const { done_count, failed_count = 0 } = result;
  if (done_count === undefined) return null;
  const failed = failed_count > 0 ? t("settings.jobFailed", { count: failed_count }) : null;
  return [t("settings.jobDone", { count: done_count }), failed].filter(Boolean).join(", ");
}
