import type { KeptRefusal } from "../../api/operations.gen.ts";
import { formatCount } from "../../kit/money/count.ts";
import { formatMoney } from "../../kit/money/money.ts";
import { localeOf, type Text, type TextKey } from "../../text/text.ts";
import { reasonWord } from "../words.ts";

/** Rules that add up money, and those that count. */
const [SUMS, COUNTS] = [/amount/, /count|quantity/];

type Refused = Pick<KeptRefusal, "reason" | "message"> & {
  redeemables: readonly Pick<KeptRefusal["redeemables"][number], "limit">[];
};

/** Why something was refused, for who works in the shop: where it is a limit, which one. */
export function refusalWord(t: Text, currency: string, { reason, message, redeemables }: Refused): string {
  const limit = redeemables.find((one) => one.limit)?.limit;
  const key = `why.limits.${limit?.name.replaceAll(".", "_")}` as TextKey;
  const what = t(key);
  if (!limit || what === key) return reasonWord(t, reason) ?? message;
  const { most, with_this } = limit;
  if (!SUMS.test(limit.name) && COUNTS.test(limit.name)) return t("why.limit", { what, used: with_this - 1, most });
  const shown = (value: number) =>
    SUMS.test(limit.name) ? formatMoney(value, currency, { locale: localeOf() }) : formatCount(value);
  return t("why.limitSum", { what, most: shown(most), sum: shown(with_this) });
}
