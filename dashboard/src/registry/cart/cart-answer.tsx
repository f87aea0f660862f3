import type { CalculatedOrder, OrderItem, ValidatedRedeemable, Validation } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { formatCount } from "../../kit/money/count.ts";
import { formatDiscount, formatMoney } from "../../kit/money/money.ts";
import { Failure, LoadingRows } from "../../kit/states/states.tsx";
import { localeOf, useText } from "../../text/text.ts";
import { stepWord } from "../trace/step-word.ts";
import { RedeemableReasons } from "../trace/trace-tree.tsx";
import { Verdict } from "../trace/verdict.tsx";
import { reasonWord } from "../words.ts";
import classes from "./cart.module.css";
import type { ServerAnswer } from "./use-cart.ts";

const nameOf = ({ product, sku, source_id, product_id }: OrderItem) =>
  sku?.sku ?? product?.name ?? source_id ?? product_id ?? "–";

function useMoney() {
  const { currency } = useProject();
  const options = () => ({ locale: localeOf(), sign: false });
  return {
    money: (minor: number | undefined) => (minor === undefined ? "–" : formatMoney(minor, currency, options())),
    off: (minor: number) => formatDiscount(minor, currency, options()),
  };
}

/** The order as a till prints it. Every amount is one that the server worked out. */
function Slip({ order }: { order: CalculatedOrder }) {
  const t = useText();
  const { money, off } = useMoney();
  return (
    <div className={classes.slip}>
      {(order.items ?? []).map((item, place) => (
        <div className={classes.row} key={item.id ?? place}>
          <span>
            {nameOf(item)}{" "}
            <span className={classes.dimmed}>
              {formatCount(item.quantity)} × {money(item.price)}
            </span>
          </span>
          <span>{money(item.amount)}</span>
        </div>
      ))}
      {(order.items ?? []).length === 0 && (
        <div className={classes.row}>
          <span>{t("simulator.before")}</span>
          <span>{money(order.amount)}</span>
        </div>
      )}
      <div className={classes.row}>
        <span>{t("simulator.takenOff")}</span>
        <span>{off(order.total_applied_discount_amount ?? order.total_discount_amount ?? 0)}</span>
      </div>
      <div className={`${classes.row} ${classes.total}`}>
        <span>{t("simulator.toPay")}</span>
        <span>{money(order.total_amount)}</span>
      </div>
    </div>
  );
}

const WORDS = {
  APPLICABLE: "simulator.applies",
  INAPPLICABLE: "simulator.doesNotApply",
  SKIPPED: "simulator.skipped",
} as const;

/** One code: whether it applies, what it takes off, each step of it, and each rule with what it saw. */
function Redeemable({ of: one, name }: { of: ValidatedRedeemable; name: string | undefined }) {
  const t = useText();
  const { currency } = useProject();
  const { off } = useMoney();
  const { status, trace, result } = one;
  const message = one.details?.message ?? result.details?.message ?? result.error?.message;
  const reason = one.details?.key ?? result.details?.key ?? result.error?.key;
  // What the shop wrote for its rule comes first.
  const said = result.error?.error?.message ?? (reason && reasonWord(t, reason)) ?? message;
  const calculation = trace?.calculation;
  return (
    <div className={classes.redeemable}>
      <h3>
        <Verdict passed={status === "SKIPPED" ? null : status === "APPLICABLE"} />
        {name === undefined ? <span className="mono">{one.name ?? one.id}</span> : <span>{name}</span>}
        <span className={classes.dimmed}>{t(WORDS[status])}</span>
      </h3>
      {status !== "APPLICABLE" && said && <p className={classes.message}>{said}</p>}
      {(calculation?.steps ?? []).map((step, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps have no names, and never move.
        <div className={`${classes.row} ${classes.slip}`} key={place}>
          <span>{stepWord(step, { t, currency })}</span>
          <span>{step.taken === undefined ? "" : off(step.taken)}</span>
        </div>
      ))}
      {calculation?.more !== undefined && (
        <div className={classes.dimmed}>{t("registry.more", { count: calculation.more })}</div>
      )}
      {trace && <RedeemableReasons trace={trace} />}
    </div>
  );
}

/** Each one once: of an answer that is not valid, all are in the first list. */
function allOf({ redeemables, inapplicable_redeemables = [], skipped_redeemables = [] }: Validation) {
  const found = new Map<string, ValidatedRedeemable>();
  for (const one of [...redeemables, ...inapplicable_redeemables, ...skipped_redeemables])
    if (!found.has(one.id)) found.set(one.id, one);
  return [...found.values()];
}

/** What comes out for a cart; `names` are those of offers that are not saved. While it is asked again, the old answer stays and is marked. */
export function CartAnswer({ asked, names = {} }: { asked: ServerAnswer; names?: Record<string, string> }) {
  const { data, error, isOld, refetch } = asked;
  if (error && !isOld) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <LoadingRows rows={4} />;
  return (
    <div className={isOld ? "stale" : undefined} aria-busy={isOld} role="status">
      {data.order && <Slip order={data.order} />}
      {allOf(data).map((one) => (
        <Redeemable key={one.id} of={one} name={names[one.id]} />
      ))}
    </div>
  );
}
